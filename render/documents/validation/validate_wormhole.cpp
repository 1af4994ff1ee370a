#include <fmt/format.h>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/documents/validation/validate_wormhole.hpp>
#include <tailbound/render/documents/worms/message_parts.hpp>
#include <tailbound/render/documents/worms/saturation.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

namespace tailbound::render {
namespace {

using answers::ComparedQuantity;
using answers::SimulatedWorms;

/// Differences between the simulated and the modeled traffic; the network is the same.
std::vector<std::string> assumptions(const ValidatedWormhole& network) {
  if (network.second.modelled.bernoulli_arrivals) return {"Poisson arrivals (simulated: Bernoulli)"};
  return {};
}

std::string worms_in_words(const ValidatedWormhole& network) {
  return in_words(network.first.simulation.network, network.second.simulation.layout);
}

std::vector<std::string> model_in_words(const ValidatedWormhole& network) {
  const std::vector<std::string> assumes = assumptions(network);
  if (assumes.empty()) return {};
  return {fmt::format("The model assumes {}.", fmt::join(assumes, ", "))};
}

/// Stated once if it applies to all networks.
std::vector<std::string> models_in_words(const std::vector<ValidatedWormhole>& networks) {
  const std::vector<std::string> first = model_in_words(networks.front());
  if (std::all_of(networks.begin(), networks.end(),
                  [&](const ValidatedWormhole& network) { return model_in_words(network) == first; }))
    return first;
  std::vector<std::string> texts;
  for (const ValidatedWormhole& network : networks)
    for (const std::string& text : model_in_words(network))
      texts.push_back(worms_in_words(network) + ": " + text);
  return texts;
}

/// A load of a network.
struct ValidatedLoad {
  const ValidatedWormhole& network;
  const SimulatedWorms& point;
};

const Fields<ValidatedLoad>& validated_load_fields() {
  using Of = ValidatedLoad;
  static const Fields<Of> fields{
      {{"fraction_of_saturation", "of saturation", "", Shape::model,
        "fraction of the simulated saturation load if that was searched, otherwise of the model's; may "
        "exceed 1",
        Style::percent},
       [](const Of& of) { return of.point.fraction_of_saturation; }},
      {{"model_virtual_channels", "", "", Shape::whole,
        "virtual channels per link; null for a network file, which defines them", Style::hidden},
       [](const Of& of) { return of.network.second.modelled.virtual_channels; }},
      {{"model_assumes", "", "", Shape::texts, "assumptions of the model that differ from the simulation",
        Style::hidden},
       [](const Of& of) { return Value(TextList{assumptions(of.network)}); }},
      {simulated_worm_fields(), [](const Of& of) { return of.network.second.simulation; }}};
  return fields;
}

Validation wormhole_validation() {
  return {.command = "validate wormhole",
          .inputs = joined(joined(simulated_worm_inputs().columns(), simulated_load_columns()),
                           saturation_input_columns()),
          .results = validated_load_fields().columns(),
          .predicted = "model",
          .time = "cycle"};
}

std::vector<answers::WormholeNetwork> all_networks(const std::vector<ValidatedWormhole>& networks) {
  std::vector<answers::WormholeNetwork> all;
  for (const auto& [query, answer] : networks) all.push_back(query.simulation.network.network);
  return all;
}

std::vector<std::string> notes(const std::vector<ValidatedWormhole>& networks) {
  std::vector<std::string> notes;
  for (const ValidatedWormhole& network : networks)
    notes = joined(std::move(notes), saturation_notes(network.first.simulation, network.second.simulation,
                                                      networks.size() == 1 ? "" : worms_in_words(network)));
  notes = joined(std::move(notes), models_in_words(networks));
  notes = joined(std::move(notes), hypercube_notes(all_networks(networks)));
  return notes;
}

/// What is the same for all networks, and the variant of the model.
std::string settings(const Document& document, const std::vector<ValidatedWormhole>& networks) {
  std::vector<answers::SimulatedWormhole> all;
  for (const auto& [query, answer] : networks) all.push_back(query.simulation.network);
  std::vector<RequestedWorms> requested;
  for (const answers::SimulatedWormhole& its : all) requested.push_back(requested_worms(its));
  const std::string variant = variant_in_words(requested);
  return fmt::format("Mean latency: {}{}{}.",
                     networks.size() == 1 ? worms_in_words(networks.front()) : in_words(all),
                     variant.empty() ? "" : "; model " + variant, offered_in_words(document, "load"));
}

Picture picture_of_one(const Document& document, const ValidatedWormhole& network, Picture picture) {
  Curve simulated{.title = "simulation", .style = CurveStyle::bars};
  for (const Result& result : document.results)
    add_point(simulated, height(value_of(result.inputs, "load")).value_or(0),
              value_of(result.cells, simulation_key(ComparedQuantity::latency)), false);
  picture.x_label = "load [flits/cycle/node]";
  picture.curves.push_back(std::move(simulated));
  if (auto model = answers::latency_of_load(network.first, network.second))
    picture.curves.push_back(
        {.title = "model", .style = CurveStyle::line, .course = course_of(std::move(*model))});
  return picture;
}

/// A line of the model and bars of the simulation, for each network or each value of the other input; with
/// several, both share a color and a legend entry.
Picture picture_of_all(const Document& document, const std::vector<ValidatedWormhole>& networks,
                       Picture picture) {
  for (const bool simulated : {true, false}) {
    const DrawnWorms drawn = drawn_worms(document, simulated ? simulation_key(ComparedQuantity::latency)
                                                             : prediction_key(ComparedQuantity::latency));
    Picture part = sweep_picture(drawn.document, drawn.sweep, {});
    picture.x_label = part.x_label;
    for (std::size_t i = 0; i < part.curves.size(); ++i) {
      Curve& curve = part.curves[i];
      if (!simulated && part.curves.size() == networks.size() && drawn.sweep.axes.front() == "load")
        if (auto model = answers::latency_of_load(networks[i].first, networks[i].second)) {
          curve.style = CurveStyle::line;
          curve.course = course_of(std::move(*model));
          curve.points.clear();  // only the simulation is marked
        }
      if (part.curves.size() == 1)
        curve.title = (simulated ? "simulation" : "model") + (curve.title.empty() ? "" : ", " + curve.title);
      else if (simulated)
        curve.title.clear();
      curve.colour = static_cast<int>(i);
      picture.curves.push_back(std::move(curve));
    }
  }
  return picture;
}

Picture picture(const Document& document, const std::vector<ValidatedWormhole>& networks) {
  const auto& [query, answer] = networks.front();
  Picture picture{.title = networks.size() == 1 ? "Mean latency, " + title_in_words(query.simulation.network)
                                                : "Mean latency of wormhole networks by model and simulation",
                  .x_label = {},
                  .y_label = "mean latency [cycles]",
                  .note = "lines: model, approximate; points: simulation, with 95 % intervals"};
  return networks.size() == 1 ? picture_of_one(document, networks.front(), std::move(picture))
                              : picture_of_all(document, networks, std::move(picture));
}

}  // namespace

Layout validate_wormhole_layout() {
  Layout layout = layout_of(wormhole_validation());
  layout.tables.push_back(compared_part_table().layout());
  return layout;
}

Document document(const std::vector<ValidatedWormhole>& networks, std::size_t requested) {
  std::vector<ValidatedPoint> all;
  for (const ValidatedWormhole& network : networks)
    for (std::size_t i = 0; i < network.second.loads.size(); ++i) {
      const answers::SimulateWormholeQuery& query = network.first.simulation;
      const SimulatedWorms& point = network.second.simulation.points[i];
      all.push_back({.inputs = joined(simulated_worm_inputs().cells(query.network),
                                      load_cells(query, network.second.simulation, i, point.load)),
                     .cells = validated_load_fields().cells({network, point}),
                     .compared = network.second.loads[i],
                     .simulated = point.simulated,
                     .lines = {{"load", load_in_words(network.second.simulation, point)}}});
    }
  Document document = validated_document(wormhole_validation(), "", notes(networks), all, requested,
                                         [networks](Document drawn) {
                                           name_uniform_traffic(drawn);
                                           return picture(drawn, networks);
                                         });
  document.layout = std::make_shared<const Layout>(validate_wormhole_layout());
  std::size_t at = 0;
  for (const ValidatedWormhole& network : networks)
    for (std::size_t i = 0; i < network.second.loads.size(); ++i, ++at) {
      std::vector<ComparedPart> parts =
          compared_parts(network.second.simulation.points[i].found, network.second.by_length[i]);
      if (parts.empty()) continue;
      std::vector<Rows>& tables = document.results[at].tables;
      tables.push_back(compared_part_table().rows(share(std::move(parts))));
      tables.back().caption =
          fmt::format("load {:.6g}, by class and length:", network.second.simulation.points[i].load);
      tables.back().in_text = document.results.size() <= max_tables;
    }
  name_uniform_traffic(document);
  document.settings = settings(document, networks);
  return document;
}

}  // namespace tailbound::render
