#include <tailbound/answers/validation/validate_broadcast.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

namespace tailbound::answers {
namespace {

Comparisons compared(const BroadcastHypercube& hypercube, const SimulatedBroadcasts& point,
                     double confidence) {
  const std::optional<BroadcastLatencies> model = broadcast_latencies(hypercube, point.rate);
  Comparisons found;
  const auto compare = [&](ComparedQuantity quantity,
                           numeric::Model<unit::Cycle> BroadcastLatencies::*predicted,
                           const std::optional<numeric::Estimate<unit::Slot>>& seen) {
    if (!seen) return;  // none was sent
    Comparison<unit::Cycle> latency;
    if (model) latency.predicted = (*model).*predicted;
    latency.simulated = {seen->value, seen->lower, seen->upper, seen->confidence};  // a slot is a cycle
    found.add(quantity, latency);
  };
  compare(ComparedQuantity::unicast_latency, &BroadcastLatencies::unicast, point.found.unicast_latency);
  compare(ComparedQuantity::broadcast_latency, &BroadcastLatencies::broadcast, point.found.broadcast_latency);
  found.state_confidence(confidence);
  return found;
}

}  // namespace

ValidateBroadcastAnswer answer(const ValidateBroadcastQuery& query, const Run& run) {
  ValidateBroadcastAnswer result;
  result.simulation = answer(query.simulation, run);
  result.deeper_buffers = query.simulation.network.buffer_flits > 1;
  for (const SimulatedBroadcasts& point : result.simulation.points)
    result.add(compared(query.simulation.network.hypercube, point, query.simulation.confidence));
  if (result.tally.rows() == 0) throw NoAnswer("nothing to compare: no message was delivered while measured");
  return result;
}

}  // namespace tailbound::answers
