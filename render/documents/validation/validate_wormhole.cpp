#include <fmt/format.h>
#include <tailbound/render/documents/parts/comparison.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/validation/validate_wormhole.hpp>
#include <tailbound/render/documents/worms/saturation.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

namespace tailbound::render {
namespace {

using answers::SimulatedWorms;
using answers::SimulateWormholeAnswer;
using answers::ValidateWormholeAnswer;
using answers::ValidateWormholeQuery;
using answers::WormholeComparison;
using answers::WormholeModelled;

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
  std::size_t at = 0;

  [[nodiscard]] const ValidateWormholeAnswer& answer() const { return network.second; }
  [[nodiscard]] const SimulateWormholeAnswer& simulation() const { return answer().simulation; }
  [[nodiscard]] const answers::Simulated& simulated() const { return simulation().points[at].simulated; }
  [[nodiscard]] const WormholeComparison& row() const { return answer().rows[at]; }
};

const Fields<ValidatedLoad>& validated_load_fields() {
  static const Fields<ValidatedLoad> fields{
      {{"fraction_of_saturation", "of saturation", "", Shape::model,
        "fraction of the simulated saturation load if that was searched, otherwise of the model's; may "
        "exceed 1",
        Style::percent},
       [](const ValidatedLoad& of) { return of.row().fraction_of_saturation; }},
      {comparison_fields({.unit = "cycles", .predicted = "model"}),
       [](const ValidatedLoad& of) { return of.row().latency; }},
      {{"model_virtual_channels", "", "", Shape::whole,
        "virtual channels per link; null for a network file, which defines them", Style::hidden},
       [](const ValidatedLoad& of) { return of.answer().modelled.virtual_channels; }},
      {{"model_assumes", "", "", Shape::texts, "assumptions of the model that differ from the simulation",
        Style::hidden},
       [](const ValidatedLoad& of) { return Value(TextList{assumptions(of.network)}); }},
      {simulated_worm_fields(), &ValidatedLoad::simulation},
      {simulation_fields("cycle"), &ValidatedLoad::simulated}};
  return fields;
}

std::vector<Line> lines(const ValidateWormholeAnswer& answer) {
  const WormholeComparison& row = answer.rows.front();
  const std::optional<double> error = row.latency.error();
  std::vector<Line> lines{
      {"load", load_in_words(answer.simulation, answer.simulation.points.front())},
      {"model", row.latency.predicted ? brief(shown(*row.latency.predicted)) + " cycles" : "-"},
      {"simulation", brief(shown(row.latency.simulated)) + " cycles"},
      {"model is", verdict_name(row.latency.verdict()) +
                       (error ? fmt::format(", error {:+.1f} %", 100 * *error) : std::string())}};
  return joined(std::move(lines), simulation_lines(answer.simulation.points.front().simulated, "cycle"));
}

std::vector<const SimulatedWorms*> points_of(const std::vector<ValidatedWormhole>& networks) {
  std::vector<const SimulatedWorms*> all;
  for (const auto& [query, answer] : networks)
    for (const SimulatedWorms& point : answer.simulation.points) all.push_back(&point);
  return all;
}

std::vector<answers::WormholeNetwork> all_networks(const std::vector<ValidatedWormhole>& networks) {
  std::vector<answers::WormholeNetwork> all;
  for (const auto& [query, answer] : networks) all.push_back(query.simulation.network.network);
  return all;
}

std::vector<std::string> notes(const std::vector<ValidatedWormhole>& networks) {
  const std::vector<const SimulatedWorms*> points = points_of(networks);
  std::vector<std::string> notes;
  if (points.size() > 1) notes = runs_in_words(points, networks.size() == 1);
  for (const ValidatedWormhole& network : networks)
    notes = joined(std::move(notes), saturation_notes(network.first.simulation, network.second.simulation,
                                                      networks.size() == 1 ? "" : worms_in_words(network)));
  notes = joined(std::move(notes), models_in_words(networks));
  notes = joined(std::move(notes), hypercube_notes(all_networks(networks)));
  notes.push_back("Mean latencies in cycles; simulation with 95 % intervals. " + verdicts_in_words());
  return notes;
}

Headline headline(const std::vector<ValidatedWormhole>& networks) {
  std::vector<answers::Tally> tallies;
  for (const auto& [query, answer] : networks) tallies.push_back(answer.tally);
  return Headline::without_numbers(conclusion(tallies, "the model") + ".");
}

/// What is the same for all networks, and the variant of the model.
std::string settings(const Document& document, const std::vector<ValidatedWormhole>& networks) {
  std::vector<answers::SimulatedWormhole> all;
  for (const auto& [query, answer] : networks) all.push_back(query.simulation.network);
  std::vector<RequestedWorms> requested;
  for (const answers::SimulatedWormhole& its : all)
    requested.push_back({its.network, its.variant, its.flits, its.virtual_channels});
  const std::string variant = variant_in_words(requested);
  return fmt::format("Mean latency: {}{}{}.",
                     networks.size() == 1 ? worms_in_words(networks.front()) : in_words(all),
                     variant.empty() ? "" : "; model " + variant, offered_in_words(document, "load"));
}

Picture picture_of_one(const Document& document, const ValidatedWormhole& network, Picture picture) {
  Curve simulated{.title = "simulation", .style = CurveStyle::bars};
  for (const Result& result : document.results)
    add_point(simulated, height(value_of(result.inputs, "load")).value_or(0),
              value_of(result.cells, "simulation"), false);
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
  for (const char* key : {"simulation", "prediction"}) {
    const DrawnWorms drawn = drawn_worms(document, key);
    Picture part = sweep_picture(drawn.document, drawn.sweep, {});
    picture.x_label = part.x_label;
    for (std::size_t i = 0; i < part.curves.size(); ++i) {
      Curve& curve = part.curves[i];
      if (key == std::string("prediction") && part.curves.size() == networks.size() &&
          drawn.sweep.axes.front() == "load")
        if (auto model = answers::latency_of_load(networks[i].first, networks[i].second)) {
          curve.style = CurveStyle::line;
          curve.course = course_of(std::move(*model));
          curve.points.clear();  // only the simulation is marked
        }
      const bool simulated = key == std::string("simulation");
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
  Picture picture{.title = networks.size() == 1 ? title_in_words(query.simulation.network)
                                                : "Wormhole networks: mean latency by model and simulation",
                  .x_label = {},
                  .y_label = "mean latency [cycles]",
                  .note = "lines: model, approximate; points: simulation, with 95 % intervals"};
  return networks.size() == 1 ? picture_of_one(document, networks.front(), std::move(picture))
                              : picture_of_all(document, networks, std::move(picture));
}

}  // namespace

Layout validate_wormhole_layout() {
  return {.command = "validate wormhole",
          .inputs = joined(joined(simulated_worm_inputs().columns(), simulated_load_columns()),
                           saturation_input_columns()),
          .results = validated_load_fields().columns()};
}

Document document(const std::vector<ValidatedWormhole>& networks, std::size_t requested) {
  Document document{.layout = std::make_shared<const Layout>(validate_wormhole_layout()),
                    .headline = headline(networks),
                    .settings = {},
                    .results = {},
                    .notes = notes(networks)};
  for (const ValidatedWormhole& network : networks)
    for (std::size_t i = 0; i < network.second.rows.size(); ++i) {
      const answers::SimulateWormholeQuery& query = network.first.simulation;
      Result& result = document.results.emplace_back();
      result.inputs = joined(simulated_worm_inputs().cells(query.network),
                             load_cells(query, network.second.simulation, i, network.second.rows[i].load));
      result.cells = validated_load_fields().cells({network, i});
    }
  name_uniform_traffic(document);
  document.settings = settings(document, networks);
  if (document.results.size() == 1) document.results.front().lines = lines(networks.front().second);
  std::vector<const answers::Simulated*> simulated;
  for (const SimulatedWorms* point : points_of(networks)) simulated.push_back(&point->simulated);
  mark_stopped(document, simulated, requested);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

}  // namespace tailbound::render
