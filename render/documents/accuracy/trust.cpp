#include <fmt/format.h>
#include <tailbound/render/documents/accuracy/accuracy.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

/// docs/trust.md.
namespace tailbound::render {
namespace {

using namespace answers;

using Measured = std::vector<const AccuracyRow*>;

Measured rows_of(MeasuredModel model) {
  Measured rows;
  for (const AccuracyRow& row : accuracy_rows())
    if (row.model == model) rows.push_back(&row);
  return rows;
}

template <class Of>
Measured rows_that(const Measured& rows, Of of) {
  Measured some;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(some),
               [&](const AccuracyRow* row) { return of(*row); });
  return some;
}

/// Column of a fraction of saturation.
double column_of(double load) {
  return std::round(1000 * load) / 1000;
}

/// "-0.6", "-0.6 .. +0.5", "-": errors in one column, in percent.
std::string accuracy_cell(const AccuracyRow& row, Quantity quantity, double column) {
  std::optional<MeasuredError> all;
  for (const MeasuredError& error : row.errors) {
    if (error.quantity != quantity || column_of(error.at) != column) continue;
    if (!all) all = error;
    all->minimum = std::min(all->minimum, error.minimum);
    all->largest = std::max(all->largest, error.largest);
  }
  if (!all) return "-";
  if (std::isinf(all->largest)) return "infinite";
  const std::string low = signed_percent(all->minimum), high = signed_percent(all->largest);
  return low == high ? low : low + " .. " + high;
}

std::string saturation_cell(const AccuracyRow& row) {
  for (const MeasuredError& error : row.errors)
    if (error.quantity == Quantity::saturation)
      return fmt::format("{} ({:.4g})", signed_percent(error.minimum), row.simulated_saturation.value_or(0));
  return "-";
}

bool measures(const Measured& rows, Quantity quantity) {
  return std::any_of(rows.begin(), rows.end(), [&](const AccuracyRow* row) {
    return std::any_of(row->errors.begin(), row->errors.end(),
                       [&](const MeasuredError& error) { return error.quantity == quantity; });
  });
}

/// Columns from the lowest load to the highest.
std::vector<double> columns_of(const Measured& rows, Quantity quantity) {
  std::set<double> columns;
  for (const AccuracyRow* row : rows)
    for (const MeasuredError& error : row->errors)
      if (error.quantity == quantity) columns.insert(column_of(error.at));
  return {columns.begin(), columns.end()};
}

std::string end_of_line(const AccuracyRow& row) {
  return fmt::format(" | {} | `{}` |\n", row.measured, reproducing_command(row));
}

/// One row per network, one column per load.
std::string accuracy_table(const Measured& rows, Quantity quantity) {
  if (rows.empty()) return {};
  const std::vector<double> columns = columns_of(rows, quantity);
  const bool saturation = measures(rows, Quantity::saturation);
  std::string text = "\n| network |", line = "|---|";
  for (const double column : columns) {
    text += fmt::format(" {:.4g} % |", 100 * column);
    line += "---|";
  }
  if (saturation) {
    text += " saturation load (simulated) |";
    line += "---|";
  }
  text += " measured | reproduce |\n" + line + "---|---|\n";
  for (const AccuracyRow* row : rows) {
    text += "| " + settings_in_words(*row);
    for (const double column : columns) text += " | " + accuracy_cell(*row, quantity, column);
    if (saturation) text += " | " + saturation_cell(*row);
    text += end_of_line(*row);
  }
  return text;
}

/// For rows with unusual loads: loads and errors in one cell.
std::string accuracy_list(const Measured& rows) {
  if (rows.empty()) return {};
  std::string text = "\n| network | error at % of saturation | measured | reproduce |\n|---|---|---|---|\n";
  for (const AccuracyRow* row : rows) {
    text += "| " + settings_in_words(*row) + " |";
    for (const MeasuredError& error : row->errors)
      text += fmt::format("{} {} at {:.3g} %", &error == row->errors.data() ? "" : ",",
                          signed_percent(error.minimum), 100 * error.at);
    text += end_of_line(*row);
  }
  return text;
}

/// The same for latencies of unicasts and broadcasts.
std::string broadcast_list(const Measured& rows) {
  std::string text =
      "\n| network | errors of unicasts / broadcasts at % of saturation | saturation rate (simulated) | "
      "measured "
      "| reproduce |\n|---|---|---|---|---|\n";
  for (const AccuracyRow* row : rows) {
    std::set<double> loads;
    for (const MeasuredError& error : row->errors)
      if (error.quantity != Quantity::saturation) loads.insert(error.at);
    std::vector<std::string> cells;
    for (const double load : loads)
      cells.push_back(
          fmt::format("{} / {} at {:.3g} %", accuracy_cell(*row, Quantity::mean_latency, column_of(load)),
                      accuracy_cell(*row, Quantity::broadcast_latency, column_of(load)), 100 * load));
    text += fmt::format("| {} | {} | {}{}", settings_in_words(*row), fmt::join(cells, ", "),
                        saturation_cell(*row), end_of_line(*row));
  }
  return text;
}

/// Are its loads multiples of 5 %, like those of most rows?
bool has_common_loads(const AccuracyRow& row) {
  return std::all_of(row.errors.begin(), row.errors.end(), [](const MeasuredError& error) {
    return std::abs(20 * error.at - std::round(20 * error.at)) < 1e-6;
  });
}

/// Errors of one quantity up to a load, over all rows.
std::string range_of(const Measured& rows, Quantity quantity, double at) {
  std::optional<MeasuredError> all;
  for (const AccuracyRow* row : rows)
    for (const MeasuredError& error : row->errors) {
      if (error.quantity != quantity || error.at > at + 1e-9) continue;
      if (!all) all = error;
      all->minimum = std::min(all->minimum, error.minimum);
      all->largest = std::max(all->largest, error.largest);
    }
  return all ? error_in_words(all->minimum, all->largest) : "-";
}

/// The networks with the largest errors up to a load.
std::string worst_of(const Measured& rows, Quantity quantity, double at, const std::string& where) {
  std::vector<std::pair<double, const AccuracyRow*>> sorted;
  for (const AccuracyRow* row : rows) {
    double worst = 0;
    for (const MeasuredError& error : row->errors)
      if (error.quantity == quantity && error.at <= at + 1e-9)
        for (const double each : {error.minimum, error.largest})
          if (std::abs(each) > std::abs(worst)) worst = each;
    sorted.emplace_back(worst, row);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& x, const auto& y) { return std::abs(x.first) > std::abs(y.first); });
  std::string text = fmt::format("\nLargest errors {}: ", where);
  for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 4); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : "; ", settings_in_words(*sorted[i].second),
                        std::isinf(sorted[i].first) ? "infinite" : signed_percent(sorted[i].first) + " %");
  return text + ".\n";
}

std::string accuracy_summary() {
  struct Line {
    const char *name, *anchor;
    MeasuredModel model;
    std::vector<std::pair<Quantity, double>> quantities;
    const char* where;
  };
  using enum MeasuredModel;
  const std::vector<Line> lines{{"wormhole networks, the default model",
                                 "wormhole-networks",
                                 wormhole_finite_source,
                                 {{Quantity::mean_latency, 0.8}},
                                 "up to 80 % of saturation"},
                                {"wormhole networks, published equations",
                                 "published-wormhole-equations",
                                 wormhole_paper,
                                 {{Quantity::mean_latency, 0.7}},
                                 "up to 70 % of their own saturation load"},
                                {"broadcasts in hypercubes",
                                 "broadcasts-in-hypercubes",
                                 broadcast,
                                 {{Quantity::mean_latency, 0.8}, {Quantity::broadcast_latency, 0.8}},
                                 "unicasts, broadcasts, up to 80 % of saturation"},
                                {"hot spots",
                                 "hot-spots",
                                 multistage,
                                 {{Quantity::mean_delay, 1}, {Quantity::throughput, 1}},
                                 "mean delay, throughput"}};
  std::string text =
      "| model | networks | error | quantity |\n|---|---|---|---|\n"
      "| one output queue (bursts from up to 32 inputs) | | none: proved | |\n"
      "| shared memory | | proved upper bound, not the minimum | |\n";
  for (const Line& line : lines) {
    const Measured rows = rows_of(line.model);
    std::vector<std::string> errors;
    for (const auto& [quantity, at] : line.quantities) errors.push_back(range_of(rows, quantity, at));
    text += fmt::format("| [{}](#{}) | {} | {} | {} |\n", line.name, line.anchor, rows.size(),
                        fmt::join(errors, ", "), line.where);
  }
  return text;
}

/// The error of a quantity without a load.
std::string whole_error(const AccuracyRow& row, Quantity quantity) {
  for (const MeasuredError& error : row.errors)
    if (error.quantity == quantity) return error_in_words(error.minimum, error.largest);
  return "-";
}

std::string hot_spots() {
  std::string text =
      "\n| network | mean delay | throughput | measured | reproduce |\n|---|---|---|---|---|\n";
  for (const AccuracyRow* row : rows_of(MeasuredModel::multistage))
    text += fmt::format("| {} | {} | {}{}", settings_in_words(*row), whole_error(*row, Quantity::mean_delay),
                        whole_error(*row, Quantity::throughput), end_of_line(*row));
  return text;
}

bool of_simulated(const AccuracyRow& row) {
  return row.loads == RowLoads::simulated;
}

}  // namespace

std::string trust_page() {
  using enum MeasuredModel;
  const Measured finite = rows_of(wormhole_finite_source), paper = rows_of(wormhole_paper);
  std::string text = R"(# Accuracy of each model

This page is generated by `tailbound schema --accuracy` from the table that is also used for the accuracy notes of
results; a test compares the two. *Certified* results are proved for the stated model and have no error. Models of
networks are approximate. Each result of wormhole and multistage networks states what was measured for its network, or
that nothing was measured, with the command that measures it.

**Errors** are model / simulation - 1. Above 0 the model overestimates. This is conservative for delays and tail
probabilities, but not for saturation loads and throughput. Ranges include the 95 % interval of the simulation in rows
of 2026; other intervals of means are at most 0.7 % up to 85 % of saturation, 0.8 % at 90 % and 1.9 % at 95 %.

`reproduce` is a command line; longer runs narrow its intervals. If a network lies between two measured networks,
results give the errors of all rows between the two.

)";
  text += accuracy_summary();
  text += R"(
The errors are the minimum and the maximum over all rows below.

## Delays through networks

`delay` compares the result for a network and its load with a simulation of this very network. Each flow is then
answered in one of three ways, and the result says which:

- *proved*: exact or enclosed, where its packets wait in one queue that sources alone feed, or nowhere;
- *convolved*: waits at successive queues are added by a model, and the simulation agrees;
- *simulated* with 95 % intervals; below the last simulated level *extrapolated*, with the level where that begins.

The table compares these results with a second simulator, in continuous time and without a line in common, on 145 random
networks of 2 to 40 hosts and utilizations to 0.95: the mean and P(D > t) down to 1e-3 of each flow, of identical flows
once. A value is good if both intervals meet or if it is within 3 % (simulated) or 10 % (convolved); a proved one if it
lies in the 99.9 % interval of the other simulator.

| family | networks | values | proved | convolved | simulated | good |
|---|---|---|---|---|---|---|
| single class | 20 | 438 | 61 % | 29 % | 10 % | 97.5 % |
| classes | 20 | 358 | 74 % | 12 % | 15 % | 100.0 % |
| links of different speeds | 20 | 448 | 2 % | 0 % | 97 % | 99.6 % |
| bursts | 20 | 441 | 43 % | 0 % | 56 % | 99.1 % |
| generated shapes | 20 | 900 | 4 % | 23 % | 73 % | 99.3 % |
| failures | 15 | 701 | 12 % | 42 % | 46 % | 98.6 % |
| lines and rings | 15 | 498 | 39 % | 55 % | 6 % | 99.2 % |
| trees as networks | 15 | 355 | 0 % | 100 % | 0 % | 100.0 % |
| all | 145 | 4139 | 25 % | 31 % | 43 % | 99.1 % |

Six proved values of one network lay outside at first, and inside in a longer run with other random numbers. No proved,
convolved or simulated value was more than 10 % too low beyond both intervals. Of 15 extrapolated ones, all within a
decade of the last simulated level, two were.

Lists, sweeps, `--solve` and `--analysis` use the models alone. In 27 trees without bursts, P(D > t) down to 1e-4 was then
between 23 % below and 17 % above the simulated one ([dependent_hops.md](derivations/dependent_hops.md)), in 240 random
networks 98 % of the values were within 25 % ([any_network.md](derivations/any_network.md)), and through fabrics of
many hosts P(D > t) down to 1e-3 was 15 % below to 26 % above ([fabrics.md](derivations/fabrics.md)). Bursts that keep
their path through a tree: [aged_bursts.md](derivations/aged_bursts.md#limits). Links of different speeds and bursts in
other networks are only approximated without the simulation.

## Hot spots

Errors over a grid of hot-spot fractions, combining degrees and loads, below and above the saturation load of the model.
"within" is the maximum absolute error. Mean errors and the largest errors: [multistage.md](derivations/multistage.md).
)";
  text += hot_spots();
  text += R"(
## Wormhole networks

Variant `finite-source`, the default. Errors of the mean latency [%] at percentages of the *simulated* saturation load,
and errors of the saturation load, with the simulated load in parentheses [flits/cycle/node]. Derivation:
[wormhole_finite_source.md](derivations/wormhole_finite_source.md).
)";
  text += accuracy_table(rows_that(finite, of_simulated), Quantity::mean_latency);
  text += worst_of(rows_that(finite, of_simulated), Quantity::mean_latency, 0.8, "up to 80 %");
  const Measured of_model = rows_that(finite, [](const AccuracyRow& row) { return !of_simulated(row); });
  text += "\nAt percentages of the model's saturation load:\n";
  text += accuracy_table(rows_that(of_model, has_common_loads), Quantity::mean_latency);
  text += accuracy_list(rows_that(of_model, [](const AccuracyRow& row) { return !has_common_loads(row); }));
  text += R"(
### Published wormhole equations

Variant `paper`, at percentages of the model's own saturation load ([wormhole.md](derivations/wormhole.md)).
)";
  text += accuracy_table(paper, Quantity::mean_latency);
  text += R"(
## Broadcasts in hypercubes

Errors of the mean latency of unicasts / broadcasts, at percentages of the model's saturation rate
([broadcast.md](derivations/broadcast.md), with a survey of 24 more networks).
)";
  text += broadcast_list(rows_of(broadcast));
  text += R"(
## Values read from published figures

The paper reads 160 packets from its figure for load 0.9 and 1e-15; the exact value is 157.
)";
  return text;
}

}  // namespace tailbound::render
