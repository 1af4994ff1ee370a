#include <fmt/format.h>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_broadcast.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <array>
#include <memory>

namespace tailbound::render {
namespace {

using answers::BroadcastComparison;
using answers::BroadcastLatencies;
using answers::BroadcastQuantity;
using answers::SimulatedBroadcasts;
using answers::ValidateBroadcastAnswer;
using answers::ValidateBroadcastQuery;

const char* latency_name(BroadcastQuantity quantity) {
  return quantity == BroadcastQuantity::unicast_latency ? "unicast" : "broadcast";
}

/// The comparisons at one rate.
struct RateCompared {
  const ValidateBroadcastQuery* query;
  const ValidateBroadcastAnswer* answer;
  std::size_t rate;                       ///< its index
  std::vector<BroadcastComparison> rows;  ///< of messages that were sent

  [[nodiscard]] const SimulatedBroadcasts& simulated() const { return answer->simulation.points[rate]; }
  /// Nothing if no such message was sent.
  [[nodiscard]] std::optional<ShownComparison> judged(BroadcastQuantity quantity) const {
    for (const BroadcastComparison& row : rows)
      if (row.quantity == quantity) return row.latency;
    return std::nullopt;
  }
  /// A friend, so that it does not hide the others in a unity build.
  friend const answers::Simulated& simulated_of(const RateCompared& of) { return of.simulated().simulated; }
  [[nodiscard]] answers::Tally tally() const {
    answers::Tally tally;
    for (const BroadcastComparison& row : rows) tally.add(row.latency);
    return tally;
  }
};

std::vector<RateCompared> points_of(const std::vector<ValidateBroadcastAnswered>& networks) {
  std::vector<RateCompared> points;
  for (const auto& [query, answer] : networks) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < answer.simulation.points.size(); ++i) {
      RateCompared& point = points.emplace_back(RateCompared{&query, &answer, i, {}});
      const sim::BroadcastEstimates& found = point.simulated().found;
      for (const bool sent : {found.unicast_latency.has_value(), found.broadcast_latency.has_value()})
        if (sent) point.rows.push_back(answer.rows[next++]);
    }
  }
  return points;
}

std::vector<std::string> assumptions(const RateCompared& point) {
  if (!point.answer->deeper_buffers) return {};
  return {fmt::format("buffers of 1 flit (simulated: {})", point.query->simulation.network.buffer_flits)};
}

const Fields<RateCompared>& compared_rate_inputs() {
  static const Fields<RateCompared> fields{
      {simulated_hypercube_fields(), [](const RateCompared& of) { return of.query->simulation.network; }}};
  return fields;
}

const Fields<RateCompared>& compared_rate_fields() {
  using Of = RateCompared;
  const auto compared = [](const char* prefix) {
    return comparison_fields({.unit = "cycles", .predicted = "model", .prefix = prefix});
  };
  static const Fields<Of> fields{
      {fraction_column("rate / model_saturation_rate; may exceed 1"),
       [](const Of& of) { return of.simulated().fraction_of_saturation; }},
      {compared("unicast_"), [](const Of& of) { return of.judged(BroadcastQuantity::unicast_latency); }},
      {compared("broadcast_"), [](const Of& of) { return of.judged(BroadcastQuantity::broadcast_latency); }},
      {{"underestimated_rows", "underestimates", "", Shape::whole,
        "number of the two latencies that the model underestimates, below the interval of the simulation",
        Style::hidden},
       [](const Of& of) { return of.tally().underestimates(); }},
      {{"model_assumes", "model assumes", "", Shape::texts,
        "assumptions of the model that differ from the simulated network", Style::hidden},
       [](const Of& of) { return Value(TextList{assumptions(of)}); }},
      {{"model_saturation_rate", "model", "messages/cycle/node", Shape::model, "saturation rate of the model",
        Style::hidden},
       [](const Of& of) { return of.answer->simulation.model_saturation; }},
      {simulation_fields("cycle"), [](const Of& of) { return simulated_of(of); }}};
  return fields;
}

std::vector<Line> lines(const RateCompared& point) {
  std::vector<Line> lines{
      {"rate", fmt::format("{:.6g} messages/cycle/node, {:.1f} % of the model's saturation rate",
                           point.simulated().rate, 100 * point.simulated().fraction_of_saturation.value)}};
  for (const BroadcastComparison& row : point.rows) {
    const auto& judged = row.latency;
    std::string text = fmt::format("{} cycles simulated, model", brief(shown(judged.simulated)));
    if (judged.predicted)
      text += fmt::format(" {}, {:+.1f} %: {}", brief(shown(*judged.predicted)),
                          100 * judged.error().value_or(0), verdict_name(judged.verdict()));
    else
      text += " saturated";
    lines.push_back({latency_name(row.quantity), std::move(text)});
  }
  return joined(std::move(lines), simulation_lines(point.simulated().simulated, "cycle"));
}

Headline headline(const std::vector<ValidateBroadcastAnswered>& networks) {
  std::vector<answers::Tally> tallies;
  for (const auto& [query, answer] : networks) tallies.push_back(answer.tally);
  return Headline::without_numbers(conclusion(tallies, "the model") + ".");
}

std::vector<std::string> notes(const std::vector<ValidateBroadcastAnswered>& networks,
                               const std::vector<RateCompared>& points) {
  std::vector<std::string> notes;
  if (points.size() > 1)
    notes.push_back(fmt::format("Simulated: {}.", batches_in_words(validated_runs(points))));
  for (const RateCompared& point : points)
    for (const std::string& assumption : assumptions(point)) {
      std::string note = fmt::format("The model assumes {}, unlike the simulation.", assumption);
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    }
  notes.push_back(verdicts_in_words() + " 95 % intervals. Fractions of saturation: of the model.");
  std::vector<answers::BroadcastHypercube> hypercubes;
  for (const auto& [query, answer] : networks) hypercubes.push_back(query.simulation.network.hypercube);
  return joined(std::move(notes), unicast_notes(hypercubes));
}

std::vector<answers::SimulatedHypercube> networks_of(const std::vector<ValidateBroadcastAnswered>& answered) {
  std::vector<answers::SimulatedHypercube> all;
  for (const auto& [query, answer] : answered) all.push_back(query.simulation.network);
  return all;
}

// --- picture

/// A latency to draw.
struct Drawn {
  const char* name;  ///< "unicast"
  numeric::Model<unit::Cycle> BroadcastLatencies::*model;
  BroadcastQuantity quantity;
  int colour;  ///< of the model; that of the simulation follows
};
constexpr std::array all_drawn{
    Drawn{"unicast", &BroadcastLatencies::unicast, BroadcastQuantity::unicast_latency, 0},
    Drawn{"broadcast", &BroadcastLatencies::broadcast, BroadcastQuantity::broadcast_latency, 2}};

/// The simulated rates that the model solves.
std::vector<double> solved_rates(const ValidateBroadcastAnswered& network) {
  std::vector<double> rates;
  for (const BroadcastComparison& row : network.second.rows)
    if (row.latency.predicted) rates.push_back(row.rate);
  return rates;
}

Curve simulated_curve(const ValidateBroadcastAnswer& answer, const Drawn& drawn) {
  Curve curve{.title = fmt::format("{}, simulation", drawn.name), .style = CurveStyle::bars};
  curve.colour = drawn.colour + 1;
  for (const BroadcastComparison& row : answer.rows) {
    if (row.quantity != drawn.quantity) continue;
    const auto& simulated = row.latency.simulated;
    curve.points.emplace_back(row.rate, simulated.value);
    curve.ends.emplace_back(simulated.lower, simulated.upper);
  }
  return curve;
}

/// The model as a curve, and the simulation as bars.
void add_network(Picture& picture, const ValidateBroadcastAnswered& network) {
  const ValidateBroadcastAnswer& answer = network.second;
  for (const Drawn& drawn : all_drawn) {
    Curve simulated = simulated_curve(answer, drawn);
    if (simulated.points.empty()) continue;
    std::vector<double> rates = solved_rates(network);
    if (!rates.empty()) {
      Curve curve{.title = fmt::format("{}, model", drawn.name), .style = CurveStyle::line};
      curve.colour = drawn.colour;
      curve.course =
          latency_course(network.first.simulation.network.hypercube, drawn.model, std::move(rates));
      picture.curves.push_back(std::move(curve));
    }
    picture.curves.push_back(std::move(simulated));
  }
}

Picture picture(const Document& document, const std::vector<ValidateBroadcastAnswered>& networks) {
  std::vector<answers::BroadcastHypercube> all;
  for (const auto& [query, answer] : networks) all.push_back(query.simulation.network.hypercube);
  Picture picture = latency_axes(title_in_words(all.front(), all));
  picture.note = "simulation with 95 % intervals; the model is approximate" + ends_in_words(all);
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

}  // namespace

Layout validate_broadcast_layout() {
  Layout layout{.command = "validate broadcast",
                .inputs = joined(compared_rate_inputs().columns(), rate_columns()),
                .results = compared_rate_fields().columns()};
  for (const std::string latency : {"unicast", "broadcast"}) {
    const auto prediction =
        std::find_if(layout.results.begin(), layout.results.end(),
                     [&](const Column& column) { return column.key == latency + "_prediction"; });
    for (auto column = prediction; column != prediction + 4; ++column)
      column->meaning = latency + " latency: " + column->meaning;
    prediction[1].heading = latency;
    prediction[3].heading = "is";
    std::swap(prediction[0], prediction[1]);  // the simulation first, since it names the latency
  }
  return layout;
}

Document document(const std::vector<ValidateBroadcastAnswered>& networks, std::size_t requested) {
  const std::vector<RateCompared> points = points_of(networks);
  const auto result_of = [&](const RateCompared& point) -> Result {
    const answers::SimulateHypercubeQuery& query = point.query->simulation;
    return {.inputs = joined(compared_rate_inputs().cells(point),
                             rate_cells(query.offered, point.rate, point.simulated().rate)),
            .cells = compared_rate_fields().cells(point),
            .lines = lines(point),
            .caption = fmt::format("rate {:.6g}", point.simulated().rate)};
  };
  Document document = validated_document(
      validate_broadcast_layout(), headline(networks), "Mean latency", notes(networks, points), points,
      requested, result_of, [networks](const Document& drawn) { return picture(drawn, networks); });
  document.settings =
      "Mean latency: " + in_words(networks.front().first.simulation.network, networks_of(networks)) +
      offered_in_words(document, "rate") + ".";
  if (networks.size() > 1)
    for (Result& result : document.results) result.caption = point_title(document, result);
  return document;
}

}  // namespace tailbound::render
