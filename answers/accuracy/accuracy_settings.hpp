#pragma once

#include <tailbound/answers/accuracy/accuracy.hpp>
#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/network/broadcast_hypercube.hpp>
#include <tailbound/network/worms/worm_topology.hpp>
#include <tailbound/sim/worm/worm_messages.hpp>

#include <vector>

/// Settings for look-ups in the accuracy table.
namespace tailbound::answers {

/// Everything on which the accuracy of a wormhole model may depend.
struct MeasuredWorms {
  network::WormTopology topology;
  std::optional<int> virtual_channels{};  ///< default usual_virtual_channels()
  std::int64_t flits = 32;
  std::int64_t buffer_flits = 1;
  sim::WormLengths lengths = sim::WormLengths::fixed;
  network::RouterTiming timing{};
};
[[nodiscard]] std::vector<RequestedSetting> accuracy_settings(const MeasuredWorms& worms);
[[nodiscard]] std::vector<RequestedSetting> accuracy_settings(const BroadcastHypercube& hypercube);
[[nodiscard]] std::vector<RequestedSetting> accuracy_settings(const network::CombiningMultistage& network,
                                                              const numeric::Rational& load, bool saturated);

/// Was the saturation load of the model measured, in this network or between measured ones, to be within 10
/// %?
[[nodiscard]] bool saturation_agrees(const RequestedAccuracy& requested);

/// \param at  fractions of the model's saturation rate
[[nodiscard]] RequestedAccuracy requested_accuracy(const BroadcastHypercube& hypercube,
                                                   std::vector<double> at);
[[nodiscard]] RequestedAccuracy requested_accuracy(const MultistageQuery& query, bool saturated);

}  // namespace tailbound::answers
