#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/answers/wormhole/saturated.hpp>
#include <tailbound/bounds/wormhole/broadcast.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace tailbound::answers {
namespace {

namespace wormhole = bounds::wormhole;

wormhole::BroadcastCube cube_of(const BroadcastHypercube& hypercube) {
  return {.dimensions = hypercube.dimensions,
          .virtual_channels = hypercube.virtual_channels,
          .flits = static_cast<double>(hypercube.flits),
          .broadcast = numeric::nearest_double(hypercube.broadcast),
          .startup = numeric::nearest_double(hypercube.startup),
          .replication = wormhole::Replication::shared_wire,
          .ends = hypercube.ends};
}

BroadcastPoint point_of(const wormhole::BroadcastPoint& solved, double saturation,
                        network::Ejection ejection) {
  BroadcastPoint point{.rate = solved.rate,
                       .fraction_of_saturation = {solved.rate / saturation},
                       .unicast_latency = {solved.unicast_latency},
                       .broadcast_latency = {solved.broadcast_latency},
                       .multiplexing = {solved.multiplexing},
                       .source_wait = {solved.source_wait},
                       .source_utilization = {solved.source_utilization},
                       .dimensions = {}};
  if (ejection == network::Ejection::one)
    point.ejection_wait = numeric::Model<unit::Cycle>{solved.ejection_wait};
  for (const wormhole::BroadcastDimension& dimension : solved.dimensions)
    point.dimensions.push_back({.utilization = {dimension.utilization},
                                .service = {dimension.service},
                                .wait = {dimension.wait},
                                .all_busy = {dimension.all_busy},
                                .blocking = {dimension.blocking},
                                .multiplexing = {dimension.multiplexing}});
  return point;
}

}  // namespace

BroadcastAnswer answer(const BroadcastQuery& query, const Run& run) {
  check(query.offered);
  const wormhole::BroadcastCube cube = cube_of(query.hypercube);
  BroadcastAnswer answer{.saturation = {wormhole::broadcast_saturation(cube)}, .fullness = {}, .points = {}};
  answer.fullness = {wormhole::broadcast_fullness(cube, answer.saturation.value)};
  answer.saturated = answer.fullness.value >= wormhole::SaturationSides::least_fullness ||
                     saturation_agrees(requested_accuracy(query.hypercube, {}));
  const auto at_rate = [query, cube, saturation = answer.saturation.value, fullness = answer.fullness.value,
                        saturated = answer.saturated](std::size_t i) {
    const double rate = query.offered.absolute(query.offered.values[i], saturation);
    const auto solved = wormhole::broadcast_latency(cube, rate);
    const std::string name = std::to_string(query.hypercube.dimensions) + "-dimensional hypercube";
    if (!solved && saturated) throw Saturated(LoadMeasure::messages, rate, saturation, name);
    if (!solved) throw Unanswered(LoadMeasure::messages, rate, saturation, fullness, name);
    return point_of(*solved, saturation, query.hypercube.ends.ejection);
  };
  const std::size_t rates = query.offered.values.size();
  auto loads = answered_loads(for_each_point(rates, run, [at_rate, rates](std::size_t i) {
    return row_of(i, rates == 1, [&] { return at_rate(i); });
  }));
  answer.points = std::move(loads.points);
  answer.refused = std::move(loads.refused);
  answer.stopped = loads.stopped;
  return answer;
}

numeric::Model<unit::MessagesPerCycle> broadcast_saturation(const BroadcastHypercube& hypercube) {
  return {wormhole::broadcast_saturation(cube_of(hypercube))};
}

std::optional<BroadcastLatencies> broadcast_latencies(const BroadcastHypercube& hypercube, double rate) {
  const auto solved = wormhole::broadcast_latency(cube_of(hypercube), rate);
  if (!solved) return std::nullopt;
  return BroadcastLatencies{
      .rate = rate, .unicast = {solved->unicast_latency}, .broadcast = {solved->broadcast_latency}};
}

}  // namespace tailbound::answers
