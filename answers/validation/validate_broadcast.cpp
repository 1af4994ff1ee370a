#include <tailbound/answers/validation/validate_broadcast.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>

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
  std::array<std::optional<BroadcastLatencies>, broadcast_variants.size()> models;
  for (std::size_t i = 0; i < models.size(); ++i)
    if (covers(broadcast_variants[i], hypercube.ends))
      models[i] = broadcast_latencies(hypercube, broadcast_variants[i], point.rate);
  for (const Compared& compared : all_compared) {
    const auto& estimate = point.found.*compared.simulated;
    if (!estimate) continue;  // none was sent
    BroadcastComparison row{.rate = point.rate,
                            .fraction_of_saturation = point.fraction_of_saturation,
                            .quantity = compared.quantity,
                            .variants = {}};
    for (std::size_t i = 0; i < models.size(); ++i) {
      row.variants[i].simulated = in_cycles(*estimate);
      if (models[i]) row.variants[i].predicted = (*models[i]).*compared.model;
    }
    answer.tally.add(row.variants[answer.judged]);
    answer.rows.push_back(std::move(row));
  }
}

std::size_t place_of(Replication replication) {
  const auto found = std::find(broadcast_variants.begin(), broadcast_variants.end(), replication);
  return static_cast<std::size_t>(found - broadcast_variants.begin());
}

}  // namespace

ValidateBroadcastAnswer judged_by(ValidateBroadcastAnswer answer, Replication replication) {
  answer.judged = place_of(replication);
  answer.tally = {};
  for (const BroadcastComparison& row : answer.rows) answer.tally.add(row.variants[answer.judged]);
  return answer;
}

ValidateBroadcastAnswer answer(const ValidateBroadcastQuery& query, const Run& run) {
  check(query.simulation.network.hypercube, query.replication);
  ValidateBroadcastAnswer result{.simulation = answer(query.simulation, run),
                                 .judged = place_of(query.replication),
                                 .rows = {},
                                 .tally = {},
                                 .deeper_buffers = query.simulation.network.buffer_flits > 1};
  for (const SimulatedBroadcasts& point : result.simulation.points)
    add_rows(result, query.simulation.network.hypercube, point);
  if (result.rows.empty()) throw NoAnswer("nothing to compare: no message was delivered while measured");
  return result;
}

}  // namespace tailbound::answers
