#pragma once

#include <tailbound/answers/accuracy/accuracy.hpp>
#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/delay/delay_model.hpp>
#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/render/document.hpp>

#include <string>
#include <utility>
#include <vector>

/// Statements about the accuracy of a model: the only place that formulates them, based on
/// answers/accuracy/accuracy.hpp.
namespace tailbound::render {

/// A statement such as "measured on this network (8 x 8 mesh, 1 virtual channel, 32 flits), up to 90 % of the
/// simulated saturation load: mean latency -2.5 to +0.5 %, saturation load -2.5 %", or "not measured for this
/// network ..." with the command that measures it.
/// \param command  that measures it
[[nodiscard]] std::string clause(const answers::Accuracy& accuracy, const std::string& command);

/// One network of an answer, with the command that measures its accuracy.
struct StatedAccuracy {
  std::string network;  ///< shown if an answer has several
  answers::Accuracy accuracy;
  std::string command;
};

/// One note for all networks of an answer: each statement once, with its network where they differ. For many
/// networks, or several that are not measured, the number of measured ones and the worst errors of all.
[[nodiscard]] std::string accuracy_note(const std::vector<StatedAccuracy>& all);

// --- the commands

/// `tailbound validate wormhole ...` for the same network and loads; for many loads some typical ones.
[[nodiscard]] std::string measuring_command(const answers::WormholeQuery& query);
[[nodiscard]] std::string measuring_command(const answers::BroadcastQuery& query);
/// \param queries  about one network, at least one
[[nodiscard]] std::string measuring_command(const std::vector<answers::MultistageQuery>& queries);
/// The command that reproduces a row.
[[nodiscard]] std::string reproducing_command(const answers::AccuracyRow& row);

// --- keys

/// A quantity and the stem of its keys: "latency" makes latency_error_min and latency_error_max.
using AccuracyKeys = std::vector<std::pair<answers::Quantity, std::string>>;

/// "accuracy", "KEY_error_min" and "KEY_error_max" of each key, "accuracy_command"; for data formats.
[[nodiscard]] std::vector<Column> accuracy_columns(const AccuracyKeys& keys);
/// \param at  fraction of the model's saturation load
[[nodiscard]] Cells accuracy_cells(const answers::Accuracy& accuracy, const AccuracyKeys& keys, double at,
                                   const std::string& command);

// --- docs/trust.md

/// "8 x 8 mesh, 1 virtual channel, 32 flits"
[[nodiscard]] std::string settings_in_words(const answers::AccuracyRow& row);
/// "-0.6", "+12", "0.0": percentages
[[nodiscard]] std::string signed_percent(double error);
/// "-0.6 to +0.5 %", "within 4.1 %"
[[nodiscard]] std::string error_in_words(double minimum, double largest);

/// The complete page.
[[nodiscard]] std::string trust_page();

}  // namespace tailbound::render
