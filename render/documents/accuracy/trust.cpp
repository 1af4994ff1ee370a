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

Measured rows_of(const std::vector<MeasuredModel>& models) {
  Measured rows;
  for (const AccuracyRow& row : accuracy_rows())
    if (std::find(models.begin(), models.end(), row.model) != models.end()) rows.push_back(&row);
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
/// Column of an error: fraction of saturation, or the nearest power of ten of a probability.
double column_of(const MeasuredError& error) {
  if (error.quantity != Quantity::tail) return column_of(error.at);
  return error.at > 0.3 ? 0.5 : std::pow(10, std::round(std::log10(error.at)));
}

std::string column_heading(double column, bool tails) {
  return tails ? probability_in_words(column) : fmt::format("{:.4g} %", 100 * column);
}

/// "-0.6", "-0.6 .. +0.5", "-": errors in one column, in percent.
std::string accuracy_cell(const AccuracyRow& row, Quantity quantity, double column) {
  std::optional<MeasuredError> all;
  for (const MeasuredError& error : row.errors) {
    if (error.quantity != quantity || column_of(error) != column) continue;
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

/// Columns from the easiest to the hardest.
std::vector<double> columns_of(const Measured& rows, Quantity quantity) {
  std::set<double> columns;
  for (const AccuracyRow* row : rows)
    for (const MeasuredError& error : row->errors)
      if (error.quantity == quantity) columns.insert(column_of(error));
  std::vector<double> sorted(columns.begin(), columns.end());
  if (quantity == Quantity::tail) std::reverse(sorted.begin(), sorted.end());
  return sorted;
}

std::string end_of_line(const AccuracyRow& row) {
  return fmt::format(" | {} | `{}` |\n", row.measured, reproducing_command(row));
}

/// One row per network, one column per load or probability.
std::string accuracy_table(const Measured& rows, Quantity quantity) {
  if (rows.empty()) return {};
  const std::vector<double> columns = columns_of(rows, quantity);
  const bool saturation = measures(rows, Quantity::saturation);
  std::string text = "\n| network |", line = "|---|";
  for (const double column : columns) {
    text += fmt::format(" {} |", column_heading(column, quantity == Quantity::tail));
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

/// Errors of one quantity up to a load (or down to a probability), over all rows.
std::string range_of(const Measured& rows, Quantity quantity, double at) {
  std::optional<MeasuredError> all;
  for (const AccuracyRow* row : rows)
    for (const MeasuredError& error : row->errors) {
      if (error.quantity != quantity) continue;
      if (quantity == Quantity::tail ? error.at < at * (1 - 1e-9) : error.at > at + 1e-9) continue;
      if (!all) all = error;
      all->minimum = std::min(all->minimum, error.minimum);
      all->largest = std::max(all->largest, error.largest);
    }
  return all ? error_in_words(all->minimum, all->largest) : "-";
}

/// The networks with the largest errors up to a load (down to a probability).
std::string worst_of(const Measured& rows, Quantity quantity, double at, const std::string& where) {
  std::vector<std::pair<double, const AccuracyRow*>> sorted;
  for (const AccuracyRow* row : rows) {
    double worst = 0;
    for (const MeasuredError& error : row->errors)
      if (error.quantity == quantity &&
          (quantity == Quantity::tail ? error.at >= at * (1 - 1e-9) : error.at <= at + 1e-9))
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

bool has_bursts(const AccuracyRow& row) {
  return row.find(Setting::burst) != nullptr && row.find(Setting::burst)->to > 0;
}
bool has_no_bursts(const AccuracyRow& row) {
  return !has_bursts(row);
}

std::string accuracy_summary() {
  struct Line {
    const char *name, *anchor;
    std::vector<MeasuredModel> models;
    std::vector<std::pair<Quantity, double>> quantities;
    const char* where;
    bool (*of)(const AccuracyRow&) = nullptr;  ///< restricts the rows
  };
  using enum MeasuredModel;
  const std::vector<Line> lines{{"wormhole networks, the default model",
                                 "wormhole-networks",
                                 {wormhole_finite_source},
                                 {{Quantity::mean_latency, 0.8}},
                                 "up to 80 % of saturation"},
                                {"wormhole networks, published equations",
                                 "published-wormhole-equations",
                                 {wormhole_paper},
                                 {{Quantity::mean_latency, 0.7}},
                                 "up to 70 % of their own saturation load"},
                                {"broadcasts in hypercubes",
                                 "broadcasts-in-hypercubes",
                                 {broadcast},
                                 {{Quantity::mean_latency, 0.8}, {Quantity::broadcast_latency, 0.8}},
                                 "unicasts, broadcasts, up to 80 % of saturation"},
                                {"hot spots",
                                 "hot-spots",
                                 {multistage},
                                 {{Quantity::mean_delay, 1}, {Quantity::throughput, 1}},
                                 "mean delay, throughput"},
                                {"delays through trees, `--hops chain`",
                                 "delays-through-trees",
                                 {delay_chain},
                                 {{Quantity::tail, 1e-4}},
                                 "P(D > t) down to 1e-4",
                                 has_no_bursts},
                                {"bursts through trees, `--hops chain`",
                                 "bursts-through-several-hops",
                                 {delay_chain},
                                 {{Quantity::tail, 1e-4}},
                                 "P(D > t) down to 1e-4",
                                 has_bursts},
                                {"bursts through trees, `--hops safe` (conservative)",
                                 "bursts-through-several-hops",
                                 {delay_safe},
                                 {{Quantity::tail, 1e-4}},
                                 "P(D > t) down to 1e-4"},
                                {"delays, waits added as independent",
                                 "bursts-through-several-hops",
                                 {delay_independent},
                                 {{Quantity::tail, 1e-4}},
                                 "P(D > t) down to 1e-4"},
                                {"fabrics",
                                 "fabrics",
                                 {delay_fabric},
                                 {{Quantity::tail, 1e-3}, {Quantity::mean_delay, 1}},
                                 "P(D > t) down to 1e-3, mean delay"}};
  std::string text =
      "| model | networks | error | quantity |\n|---|---|---|---|\n"
      "| one output queue (bursts from up to 32 inputs) | | none: proved | |\n"
      "| shared memory | | proved upper bound, not the minimum | |\n";
  for (const Line& line : lines) {
    Measured rows = rows_of(line.models);
    if (line.of != nullptr) rows = rows_that(rows, line.of);
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
  for (const AccuracyRow* row : rows_of({MeasuredModel::multistage}))
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
  const Measured finite = rows_of({wormhole_finite_source}), paper = rows_of({wormhole_paper});
  const Measured independent = rows_of({delay_independent}), chain = rows_of({delay_chain});
  std::string text = R"(# Accuracy of each model

This page is generated by `tailbound schema --accuracy` from the table that is also used for the accuracy notes of
results; a test compares the two. *Certified* results are proved for the stated model and have no error. Models of
networks are approximate. Each result states what was measured for its network, or that nothing was measured, with the
command that measures it.

**Errors** are model / simulation - 1. Above 0 the model overestimates. This is conservative for delays and tail
probabilities, but not for saturation loads and throughput. Ranges include the 95 % interval of the simulation where it
matters (tail probabilities, rows of 2026). Other intervals of means are at most 0.7 % up to 85 % of saturation, 0.8 %
at 90 % and 1.9 % at 95 %.

`reproduce` is a command line; longer runs narrow its intervals. If a network lies between two measured networks,
results give the errors of all rows between the two.

)";
  text += accuracy_summary();
  text += R"(
The errors are the minimum and the maximum over all rows below.

## Delays through trees

Waits at successive hops are correlated. With `--hops chain`, the default, each wait depends on the previous one. The
table lists errors of P(D > t) [%] where the model gives the probability in the column heading. `--hops bound` is an
upper bound, proved up to the root of a tree and assumed below. Derivation:
[dependent_hops.md](derivations/dependent_hops.md).
)";
  text += accuracy_table(rows_that(chain, has_no_bursts), Quantity::tail);
  text += worst_of(rows_that(chain, has_no_bursts), Quantity::tail, 1e-4, "down to 1e-4");
  text += R"(
The same with waits added as if they were independent (`--hops independent`):
)";
  text += accuracy_table(rows_that(independent, has_no_bursts), Quantity::tail);
  text += R"(
## Delays in any network

240 random networks were simulated over 12 million slots each: lines, rings, trees, leaf-spines and random graphs with 2
to 6 switches, half of them with traffic spread over all shortest paths. The utilization of the busiest queue is 0.3 to
0.9. The table counts values by the ratio simulated / computed of P(D > t), at the near end of the simulation's 95 %
interval. Above 1 the model underestimates. `random_networks --recorded data/networks/random` reproduces the table;
`random_networks --count 2000` runs similar networks. Derivation: [any_network.md](derivations/any_network.md).

| packets | level | values | < 0.4 | < 0.6 | < 0.75 | < 0.9 | < 0.97 | 0.97 to 1.03 | < 1.1 | < 1.25 | more |
|---|---|---|---|---|---|---|---|---|---|---|---|
| of a flow | 0.1 | 1131 | 0 | 1 | 1 | 26 | 51 | 1050 | 2 | 0 | 0 |
| | 1e-2 | 926 | 0 | 1 | 16 | 53 | 48 | 800 | 7 | 1 | 0 |
| | 1e-3 | 939 | 1 | 13 | 22 | 40 | 44 | 800 | 13 | 6 | 0 |
| all | 0.1 | 195 | 0 | 0 | 0 | 4 | 10 | 181 | 0 | 0 | 0 |
| | 1e-2 | 177 | 0 | 0 | 1 | 12 | 8 | 156 | 0 | 0 | 0 |
| | 1e-3 | 179 | 0 | 0 | 3 | 10 | 3 | 159 | 4 | 0 | 0 |

98 % of the flows are within 25 %. In all of the worst cases the model overestimates. For a single network and load
the answer is compared with a simulation of that network, which answers where both differ ([delays](howto/delay.md)).

Rings with many switches are the weakest: waits many hops apart are correlated, which the model neglects. In one of 400
random networks with up to 40 switches, P(D > t) of all packets was underestimated by more than 5 % (P(D > 1) = 0.017,
simulated 0.019, a ring of 11 switches).

## Fabrics

For networks that are computed as a whole, waits are added as independent. P(D > t) of all packets; intervals of
99.69 % ([fabrics.md](derivations/fabrics.md)).
)";
  text += accuracy_table(rows_of({delay_fabric}), Quantity::tail);
  text += R"(
## Bursts through several hops

All waits of a packet depend on the age of its burst. `--hops chain`, the default, uses this, and the stretching of
bursts along the path. Its constants are fitted to fifteen of these trees. Shallow trees at low load are overestimated,
and so are binary and 3-ary trees. Deep binary trees at high load are underestimated deep in the tail. With per-packet
paths the model is a chain without ages; in binary trees it is not the default. Derivation:
[aged_bursts.md](derivations/aged_bursts.md).
)";
  text += accuracy_table(rows_that(chain, has_bursts), Quantity::tail);
  text += worst_of(rows_that(chain, has_bursts), Quantity::tail, 1e-4, "down to 1e-4");
  text += R"(
`--hops safe` neglects effects that reduce delays. It is conservative but not proved:
)";
  text += accuracy_table(rows_of({delay_safe}), Quantity::tail);
  text += R"(
`--hops independent`: the tail of the first queue is exact. Arrivals at later queues are computed as if no upstream queue
spread the bursts, and waits are added as independent. The bulk is overestimated and the deep tail underestimated. Per
queue: [bursty_queue.md](derivations/bursty_queue.md#through-several-hops).
)";
  text += accuracy_table(rows_that(independent, has_bursts), Quantity::tail);
  text += R"(
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
  text += broadcast_list(rows_of({broadcast}));
  text += R"(
## Values read from published figures

The paper reads 160 packets from its figure for load 0.9 and 1e-15; the exact value is 157.
)";
  return text;
}

}  // namespace tailbound::render
