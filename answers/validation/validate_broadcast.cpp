#include <tailbound/answers/validation/validate_broadcast.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

namespace tailbound::answers {
namespace {

/// A compared latency.
struct Compared {
  BroadcastQuantity quantity;
  numeric::Model<unit::Cycle> BroadcastLatencies::*model;
  std::optional<numeric::Estimate<unit::Slot>> sim::BroadcastEstimates::*simulated;
};
constexpr Compared all_compared[] = {{BroadcastQuantity::unicast_latency, &BroadcastLatencies::unicast,
                                      &sim::BroadcastEstimates::unicast_latency},
                                     {BroadcastQuantity::broadcast_latency, &BroadcastLatencies::broadcast,
                                      &sim::BroadcastEstimates::broadcast_latency}};

/// A slot of the simulator is a cycle.
numeric::Estimate<unit::Cycle> in_cycles(const numeric::Estimate<unit::Slot>& estimate) {
  return {estimate.value, estimate.lower, estimate.upper, estimate.confidence};
}

void add_rows(ValidateBroadcastAnswer& answer, const BroadcastHypercube& hypercube,
              const SimulatedBroadcasts& point) {
  const std::optional<BroadcastLatencies> model = broadcast_latencies(hypercube, point.rate);
  for (const Compared& compared : all_compared) {
    const auto& estimate = point.found.*compared.simulated;
    if (!estimate) continue;  // none was sent
    BroadcastComparison row{.rate = point.rate,
                            .fraction_of_saturation = point.fraction_of_saturation,
                            .quantity = compared.quantity,
                            .latency = {}};
    row.latency.simulated = in_cycles(*estimate);
    if (model) row.latency.predicted = (*model).*compared.model;
    answer.tally.add(row.latency);
    answer.rows.push_back(std::move(row));
  }
}

}  // namespace

ValidateBroadcastAnswer answer(const ValidateBroadcastQuery& query, const Run& run) {
  ValidateBroadcastAnswer result{.simulation = answer(query.simulation, run),
                                 .rows = {},
                                 .tally = {},
                                 .deeper_buffers = query.simulation.network.buffer_flits > 1};
  for (const SimulatedBroadcasts& point : result.simulation.points)
    add_rows(result, query.simulation.network.hypercube, point);
  if (result.rows.empty()) throw NoAnswer("nothing to compare: no message was delivered while measured");
  return result;
}

}  // namespace tailbound::answers
