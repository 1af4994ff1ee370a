#include <fmt/format.h>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_broadcast.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

using answers::BroadcastLatencies;
using answers::ComparedQuantity;
using answers::SimulatedBroadcasts;

std::vector<std::string> assumptions(const ValidateBroadcastAnswered& network) {
  if (!network.second.deeper_buffers) return {};
  return {fmt::format("buffers of 1 flit (simulated: {})", network.first.simulation.network.buffer_flits)};
}

/// A rate of a network.
struct ValidatedRate {
  const ValidateBroadcastAnswered& network;
  const SimulatedBroadcasts& point;
};

const Fields<ValidatedRate>& validated_rate_fields() {
  using Of = ValidatedRate;
  static const Fields<Of> fields{
      {fraction_column("rate / model_saturation_rate; may exceed 1"),
       [](const Of& of) { return of.point.fraction_of_saturation; }},
      {{"model_assumes", "model assumes", "", Shape::texts,
        "assumptions of the model that differ from the simulated network", Style::hidden},
       [](const Of& of) { return Value(TextList{assumptions(of.network)}); }},
      {{"model_saturation_rate", "model", "messages/cycle/node", Shape::model, "saturation rate of the model",
        Style::hidden},
       [](const Of& of) { return of.network.second.simulation.model_saturation; }}};
  return fields;
}

Validation broadcast_validation() {
  return {.command = "validate broadcast",
          .inputs = joined(simulated_hypercube_fields().columns(), rate_columns()),
          .results = validated_rate_fields().columns(),
          .predicted = "model",
          .time = "cycle"};
}

std::vector<answers::BroadcastHypercube> hypercubes_of(
    const std::vector<ValidateBroadcastAnswered>& networks) {
  std::vector<answers::BroadcastHypercube> all;
  for (const auto& [query, answer] : networks) all.push_back(query.simulation.network.hypercube);
  return all;
}

std::vector<std::string> notes(const std::vector<ValidateBroadcastAnswered>& networks) {
  std::vector<std::string> notes;
  for (const ValidateBroadcastAnswered& network : networks)
    for (const std::string& assumption : assumptions(network)) {
      std::string note = fmt::format("The model assumes {}, unlike the simulation.", assumption);
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    }
  notes.push_back("Fractions of saturation: of the model.");
  return joined(std::move(notes), unicast_notes(hypercubes_of(networks)));
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
  ComparedQuantity quantity;
};
constexpr Drawn all_drawn[] = {
    {"unicast", &BroadcastLatencies::unicast, ComparedQuantity::unicast_latency},
    {"broadcast", &BroadcastLatencies::broadcast, ComparedQuantity::broadcast_latency}};

/// With the model as a line, and only the simulation as points.
void draw_model(Picture& picture, const ValidateBroadcastAnswered& network) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < network.second.loads.size(); ++i)
    if (network.second.loads[i].tally.judged() > 0) rates.push_back(network.second.simulation.points[i].rate);
  for (const Drawn& drawn : all_drawn)
    for (Curve& curve : picture.curves)
      if (curve.title == fmt::format("{}, model", drawn.name)) {
        curve.style = CurveStyle::line;
        curve.points.clear();
        curve.course = latency_course(network.first.simulation.network.hypercube, drawn.model, rates);
      }
}

Picture picture(const Document& document, const std::vector<ValidateBroadcastAnswered>& networks) {
  const std::vector<answers::BroadcastHypercube> all = hypercubes_of(networks);
  Picture picture = latency_axes(title_in_words(all.front(), all));
  picture.note = "simulation with 95 % intervals; the model is approximate" + ends_in_words(all);
  std::vector<std::string> keys;
  for (const Drawn& drawn : all_drawn)
    for (const auto& key : {prediction_key(drawn.quantity), simulation_key(drawn.quantity)})
      keys.push_back(key);
  picture = latency_picture(document,
                            {{keys[0].c_str(), "unicast, model"},
                             {keys[1].c_str(), "unicast, simulation"},
                             {keys[2].c_str(), "broadcast, model", 1},
                             {keys[3].c_str(), "broadcast, simulation", 1}},
                            std::move(picture));
  if (networks.size() == 1) draw_model(picture, networks.front());
  return picture;
}

}  // namespace

Layout validate_broadcast_layout() {
  return layout_of(broadcast_validation());
}

Document document(const std::vector<ValidateBroadcastAnswered>& networks, std::size_t requested) {
  std::vector<ValidatedPoint> all;
  for (const ValidateBroadcastAnswered& network : networks)
    for (std::size_t i = 0; i < network.second.loads.size(); ++i) {
      const answers::SimulateHypercubeQuery& query = network.first.simulation;
      const SimulatedBroadcasts& point = network.second.simulation.points[i];
      all.push_back(
          {.inputs = joined(simulated_hypercube_fields().cells(query.network),
                            rate_cells(query.offered, i, point.rate)),
           .cells = validated_rate_fields().cells({network, point}),
           .compared = network.second.loads[i],
           .simulated = point.simulated,
           .lines = {{"rate", fmt::format("{:.6g} messages/cycle/node, {:.1f} % of the model's saturation "
                                          "rate",
                                          point.rate, 100 * point.fraction_of_saturation.value)}}});
    }
  Document document =
      validated_document(broadcast_validation(), "", notes(networks), all, requested,
                         [networks](const Document& drawn) { return picture(drawn, networks); });
  document.settings =
      "Mean latency: " + in_words(networks.front().first.simulation.network, networks_of(networks)) +
      offered_in_words(document, "rate") + ".";
  return document;
}

}  // namespace tailbound::render
