#pragma once

#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/render/fields.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// Presentation of a search for the saturation load of a simulated network, common to all networks.
/// Internal to the render module.
namespace tailbound::render {

/// The result, without the unit of its loads.
struct FoundSaturation {
  answers::LoadMeasure measure{};
  numeric::Rational bound;        ///< upper bound of the load
  std::string channel;            ///< the physical channel that bounds it
  std::optional<double> model{};  ///< saturation load of the model
  std::string no_model{};         ///< why there is none
  sim::SaturationSearch search;
  sim::SimulatedSaturation found;
};

template <class Unit>
[[nodiscard]] FoundSaturation found_saturation(const answers::SaturationAnswer<Unit>& answer) {
  return {.measure = std::is_same_v<Unit, unit::MessagesPerCycle> ? answers::LoadMeasure::messages
                                                                  : answers::LoadMeasure::flits,
          .bound = answer.limit.load.value,
          .channel = answer.limit.channel,
          .model = answer.model ? std::optional(answer.model->value) : std::nullopt,
          .no_model = answer.no_model,
          .search = answer.search,
          .found = answer.found};
}

/// One network.
struct SaturationPoint {
  Cells inputs;         ///< of the network
  std::string network;  ///< as text: "4-dimensional hypercube (16 nodes) with 3 virtual channels, .."
  std::string title;    ///< of a picture: the same on one line
  answers::SaturationLength length;
  FoundSaturation saturation;
};

/// Where the solutions of a model end: at saturation, or only of its iteration.
struct ModelEnd {
  double load = 0;
  bool saturated = true;
};
/// "About 0.28 flits/cycle/node is the saturation load..", or "No answer above load ..".
/// \param what  "load" or "rate"  \param rest  of the sentence  \param quoted  the model's numbers in it
[[nodiscard]] Headline saturation_headline(const std::string& what, const std::string& unit,
                                           const std::vector<ModelEnd>& ends, const std::string& rest,
                                           std::vector<Value> quoted);

/// A bound in text: "0.5", or "5/44 (0.11364)".
[[nodiscard]] std::string bound_in_words(const numeric::Rational& load);

// --- for the layout of the command; seed and replications are those of simulation_fields()

/// "precision"
[[nodiscard]] std::vector<Column> saturation_input_columns();
[[nodiscard]] Cells search_cells(const answers::SaturationLength& length);
/// "max_stable_rate", "min_unstable_rate", "min_unstable_is_bound", "channel_bound_rate",
/// "bounding_channel", "model_saturation_rate", "no_model", "error", "messages_per_node"; for flits "load"
/// instead of "rate"
[[nodiscard]] std::vector<Column> saturation_columns(answers::LoadMeasure measure);
/// only "model_saturation_rate" of these
[[nodiscard]] Column model_saturation_column(answers::LoadMeasure measure);
/// "probes"
[[nodiscard]] TableLayout saturation_table(answers::LoadMeasure measure);

// --- the document

/// \param layout   of the command
/// \param common   description of several networks: what they have in common
/// \param axes     x axes for a picture of several networks
/// \pre at least one point
[[nodiscard]] Document saturation_document(Layout layout, const std::vector<SaturationPoint>& points,
                                           const std::string& common, const std::vector<std::string>& axes);

}  // namespace tailbound::render
