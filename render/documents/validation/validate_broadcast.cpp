#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/render/documents/parts/comparison.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/validation/validate_broadcast.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>

#include <algorithm>
#include <array>
#include <memory>

namespace tailbound::render {
namespace {

using answers::broadcast_variants;
using answers::BroadcastComparison;
using answers::BroadcastLatencies;
using answers::BroadcastQuantity;
using answers::SimulatedBroadcasts;
using answers::ValidateBroadcastAnswer;
using answers::ValidateBroadcastQuestion;

/// Of the simulation, behind those of the variants.
const char* latency_name(BroadcastQuantity quantity) {
  return quantity == BroadcastQuantity::unicast_latency ? "unicast" : "broadcast";
}

/// What is compared at one rate.
struct RateCompared {
  const ValidateBroadcastQuestion* question;
  const ValidateBroadcastAnswer* answer;
  std::size_t rate;                       ///< its place
  std::vector<BroadcastComparison> rows;  ///< of what was sent

  [[nodiscard]] const SimulatedBroadcasts& simulated() const { return answer->simulation.points[rate]; }
  [[nodiscard]] const char* variant() const { return name_of(broadcast_variants[answer->judged]); }
  [[nodiscard]] answers::Tally tally() const {
    answers::Tally tally;
    for (const BroadcastComparison& row : rows) tally.add(row.variants[answer->judged]);
    return tally;
  }
};

std::vector<RateCompared> points_of(const std::vector<ValidateBroadcastAnswered>& networks) {
  std::vector<RateCompared> points;
  for (const auto& [question, answer] : networks) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < answer.simulation.points.size(); ++i) {
      RateCompared& point = points.emplace_back(RateCompared{&question, &answer, i, {}});
      const sim::BroadcastEstimates& found = point.simulated().found;
      for (const bool sent : {found.unicast_latency.has_value(), found.broadcast_latency.has_value()})
        if (sent) point.rows.push_back(answer.rows[next++]);
    }
  }
  return points;
}

std::vector<std::string> assumptions(const RateCompared& point) {
  if (!point.answer->deeper_buffers) return {};
  return {fmt::format("buffers of 1 flit (simulated: {})", point.question->simulation.network.buffer_flits)};
}

Cells input_cells(const RateCompared& point) {
  const answers::SimulateHypercubeQuestion& asked = point.question->simulation;
  return joined(
      joined(simulated_hypercube_fields().cells(asked.network), {{"replication", Text{point.variant()}}}),
      rate_cells(asked.offered, point.rate, point.simulated().rate));
}

Cells result_cells(const RateCompared& point) {
  Cells cells{{"fraction_of_saturation", shown(point.simulated().fraction_of_saturation)}};
  for (const BroadcastComparison& row : point.rows)
    cells = joined(std::move(cells),
                   comparison_fields<unit::Cycle>({.prefix = std::string(latency_name(row.quantity)) + "_"})
                       .cells(row.variants[point.answer->judged]));
  const Cells more{{"optimistic_rows", Whole{static_cast<std::int64_t>(point.tally().optimistic())}},
                   {"model_assumes", TextList{assumptions(point)}},
                   {"model_saturation_rate", shown(point.answer->simulation.model_saturation)}};
  return joined(joined(std::move(cells), more),
                simulation_fields("cycle").cells(point.simulated().simulated));
}

Rows variant_rows(const RateCompared& point) {
  const auto rows = share(point.rows);
  std::vector<std::size_t> variants;  // that cover the network
  for (std::size_t i = 0; i < broadcast_variants.size(); ++i)
    if (answers::covers(broadcast_variants[i], point.question->simulation.network.hypercube.ends))
      variants.push_back(i);
  return {.key = "variants",
          .size = rows->size() * variants.size(),
          .row = [rows, variants](std::size_t i) -> Cells {
            const BroadcastComparison& row = (*rows)[i / variants.size()];
            const std::size_t variant = variants[i % variants.size()];
            return joined(Cells{{"quantity", Text{fmt::format("{}_latency", latency_name(row.quantity))}},
                                {"variant", Text{name_of(broadcast_variants[variant])}}},
                          comparison_fields<unit::Cycle>().cells(row.variants[variant]));
          },
          .caption = "Every variant of the model:"};
}

std::vector<Line> lines(const RateCompared& point) {
  std::vector<Line> lines{
      {"rate", fmt::format("{:.6g} messages/cycle/node, {:.1f} % of the model's saturation",
                           point.simulated().rate, 100 * point.simulated().fraction_of_saturation.value)}};
  for (const BroadcastComparison& row : point.rows) {
    const auto& judged = row.variants[point.answer->judged];
    std::string text =
        fmt::format("{} cycles simulated, {}", brief(shown(judged.simulated)), point.variant());
    if (judged.predicted)
      text += fmt::format(" {}, {:+.1f} %: {}", brief(shown(*judged.predicted)),
                          100 * judged.error().value_or(0), verdict_name(judged.verdict()));
    else
      text += " saturated";
    lines.push_back({latency_name(row.quantity), std::move(text)});
  }
  return joined(std::move(lines), simulation_lines(point.simulated().simulated, "cycle"));
}

/// Every judged variant once, in the order of the networks.
std::vector<std::size_t> judged_of(const std::vector<ValidateBroadcastAnswered>& networks) {
  std::vector<std::size_t> all;
  for (const auto& [question, answer] : networks)
    if (std::find(all.begin(), all.end(), answer.judged) == all.end()) all.push_back(answer.judged);
  return all;
}

std::vector<std::string> notes(const std::vector<ValidateBroadcastAnswered>& networks,
                               const std::vector<RateCompared>& points) {
  std::vector<std::string> notes;
  for (const std::size_t variant : judged_of(networks)) {
    std::vector<answers::Tally> tallies;
    for (const auto& [question, answer] : networks)
      if (answer.judged == variant) tallies.push_back(answer.tally);
    notes.push_back(
        fmt::format("Verdict: {}.",
                    conclusion(tallies, fmt::format("variant {}", name_of(broadcast_variants[variant])))));
  }
  if (points.size() > 1) {
    std::vector<const answers::Simulated*> simulated;
    for (const RateCompared& point : points) simulated.push_back(&point.simulated().simulated);
    notes.push_back(fmt::format("Simulated: {}.", batches_in_words(simulated)));
  }
  for (const RateCompared& point : points)
    for (const std::string& assumption : assumptions(point)) {
      std::string note = fmt::format(
          "The models are of another network than the simulated one: they assume {}.", assumption);
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    }
  notes.push_back(verdicts_in_words() +
                  fmt::format(" +- is the 95 % interval of the simulation. Of saturation: of the rate of "
                              "variant {}.",
                              name_of(broadcast_variants.front())));
  if (points.size() > most_tables)
    notes.push_back(fmt::format(
        "The other variants are in the data formats, and here with up to {} rates; or --replication.",
        most_tables));
  std::vector<answers::BroadcastHypercube> hypercubes;
  for (const auto& [question, answer] : networks) hypercubes.push_back(question.simulation.network.hypercube);
  return joined(std::move(notes), unicast_notes(hypercubes));
}

std::vector<answers::SimulatedHypercube> networks_of(const std::vector<ValidateBroadcastAnswered>& answered) {
  std::vector<answers::SimulatedHypercube> all;
  for (const auto& [question, answer] : answered) all.push_back(question.simulation.network);
  return all;
}

// --- picture

/// A latency that is drawn.
struct Drawn {
  const char* name;  ///< "unicast"
  numeric::Model<unit::Cycle> BroadcastLatencies::*model;
  BroadcastQuantity quantity;
  int first_colour;  ///< of its variants, its simulation's behind them
};
constexpr int colours_of_each = static_cast<int>(broadcast_variants.size()) + 1;
constexpr std::array all_drawn{
    Drawn{"unicast", &BroadcastLatencies::unicast, BroadcastQuantity::unicast_latency, 0},
    Drawn{"broadcast", &BroadcastLatencies::broadcast, BroadcastQuantity::broadcast_latency,
          colours_of_each}};

/// A variant up to the greatest rate that it solves, of those simulated.
std::vector<BroadcastLatencies> curve_of(const ValidateBroadcastAnswered& network, std::size_t variant) {
  double last = 0;
  for (const BroadcastComparison& row : network.second.rows)
    if (row.variants[variant].predicted) last = std::max(last, row.rate);
  if (!(last > 0)) return {};
  return answers::broadcast_curve(network.first.simulation.network.hypercube, broadcast_variants[variant],
                                  last);
}

Curve simulated_curve(const ValidateBroadcastAnswer& answer, const Drawn& drawn) {
  Curve curve{.title = fmt::format("{}, simulation", drawn.name), .style = CurveStyle::bars};
  curve.colour = drawn.first_colour + colours_of_each - 1;
  for (const BroadcastComparison& row : answer.rows) {
    if (row.quantity != drawn.quantity) continue;
    const auto& simulated = row.variants.front().simulated;
    curve.points.emplace_back(row.rate, simulated.value);
    curve.ends.emplace_back(simulated.lower, simulated.upper);
  }
  return curve;
}

/// All variants as curves, the one that is judged not dashed, and the simulation as bars.
void add_network(Picture& picture, const ValidateBroadcastAnswered& network) {
  const ValidateBroadcastAnswer& answer = network.second;
  std::array<std::vector<BroadcastLatencies>, broadcast_variants.size()> curves;
  for (std::size_t i = 0; i < curves.size(); ++i) curves[i] = curve_of(network, i);
  for (const Drawn& drawn : all_drawn) {
    Curve simulated = simulated_curve(answer, drawn);
    if (simulated.points.empty()) continue;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if (curves[i].empty()) continue;
      Curve curve{.title = fmt::format("{}, {}", drawn.name, name_of(broadcast_variants[i])),
                  .style = i == answer.judged ? CurveStyle::line : CurveStyle::dashed};
      curve.colour = drawn.first_colour + static_cast<int>(i);
      for (const BroadcastLatencies& point : curves[i])
        curve.points.emplace_back(point.rate, (point.*drawn.model).value);
      picture.curves.push_back(std::move(curve));
    }
    picture.curves.push_back(std::move(simulated));
  }
}

Picture picture(const Document& document, const std::vector<ValidateBroadcastAnswered>& networks) {
  std::vector<answers::BroadcastHypercube> all;
  for (const auto& [question, answer] : networks) all.push_back(question.simulation.network.hypercube);
  Picture picture = latency_axes(title_in_words(all.front(), all));
  picture.note = "simulation with 95 % intervals; the models are approximate" + ends_in_words(all);
  if (networks.size() == 1) {
    add_network(picture, networks.front());
    return picture;
  }
  return latency_picture(document,
                         {{"unicast_prediction", "unicast, model"},
                          {"unicast_simulation", "unicast, simulation"},
                          {"broadcast_prediction", "broadcast, model", 1},
                          {"broadcast_simulation", "broadcast, simulation", 1}},
                         std::move(picture));
}

/// Of a latency at each rate, behind each other in one table.
std::vector<Column> compared_columns(const std::string& quantity, const std::string& model) {
  std::vector<Column> columns =
      comparison_fields<unit::Cycle>({.unit = "cycles", .predicted = model, .prefix = quantity + "_"})
          .columns();
  std::swap(columns[0], columns[1]);  // the simulation first: it says which latency it is
  for (Column& column : columns) {
    column.meaning = quantity + " latency: " + column.meaning;
    if (column.key == quantity + "_simulation") column.heading = quantity;
    if (column.key == quantity + "_verdict") column.heading = "it is";
  }
  return columns;
}

Layout layout_for(const std::string& model) {
  Layout layout{.command = "validate broadcast", .inputs = {}, .results = {}};
  layout.inputs = simulated_hypercube_fields().columns();
  layout.inputs.push_back(replication_column());
  layout.inputs = joined(std::move(layout.inputs), rate_columns());
  layout.results = {fraction_column(
      "the rate over that at which the model's variant conserving saturates; may be above 1")};
  layout.results = joined(joined(std::move(layout.results), compared_columns("unicast", model)),
                          compared_columns("broadcast", model));
  layout.results.push_back(
      {"optimistic_rows", "optimistic", "", Shape::whole,
       "of the two latencies, how many are below the simulation's interval by the variant", Style::hidden});
  layout.results.push_back({"model_assumes", "model assumes", "", Shape::texts,
                            "what the models take for granted and the simulated network does not have",
                            Style::hidden});
  layout.results.push_back({"model_saturation_rate", "model", "messages/cycle/node", Shape::model,
                            "the rate at which the model's variant conserving saturates", Style::hidden});
  layout.results = joined(std::move(layout.results), simulation_fields("cycle").columns());
  layout.tables = {{"variants", "each latency by each variant of the model",
                    joined(
                        std::vector<Column>{
                            {"quantity", "latency", "", Shape::text, "unicast_latency or broadcast_latency"},
                            {"variant", "variant", "", Shape::text, "conserving, literal or shared-wire"}},
                        comparison_fields<unit::Cycle>({.unit = "cycles", .predicted = "model"}).columns())}};
  return layout;
}

}  // namespace

Layout validate_broadcast_layout() {
  return layout_for("model");
}

Document document(const std::vector<ValidateBroadcastAnswered>& networks, std::size_t asked) {
  const std::vector<RateCompared> points = points_of(networks);
  const bool one_variant = judged_of(networks).size() == 1;
  Document document{
      .layout = std::make_shared<const Layout>(layout_for(one_variant ? points.front().variant() : "model")),
      .headline =
          "Mean latency: " + in_words(networks.front().first.simulation.network, networks_of(networks)),
      .results = {},
      .notes = notes(networks, points)};
  for (const RateCompared& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = input_cells(point);
    result.cells = result_cells(point);
    result.tables = {variant_rows(point)};
    result.tables.front().in_text = points.size() <= most_tables;
    if (points.size() == 1) result.lines = lines(point);
    result.caption =
        (networks.size() > 1 ? in_words(point.question->simulation.network) + ",\n" : std::string()) +
        fmt::format("rate {:.6g}", point.simulated().rate);
  }
  std::vector<const answers::Simulated*> simulated;
  for (const RateCompared& point : points) simulated.push_back(&point.simulated().simulated);
  mark_stopped(document, simulated, asked);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

}  // namespace tailbound::render
