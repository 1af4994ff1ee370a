#include <tailbound/bounds/network/fabric_delay.hpp>
#include <tailbound/bounds/network/fabric_memory.hpp>
#include <tailbound/core/error.hpp>

#include <vector>

namespace tailbound::bounds {
namespace {

using network::FabricRates;
using numeric::Rational;

queue::OutputQueues outputs_of(const FabricRates& rates, const SwitchQueues& queues) {
  const FabricRates::Queue& its = rates.queues()[queues.queue];
  const Rational load = its.utilization();
  return {.count = queues.count,
          .load = load,
          .packets_per_slot = 1,
          .law = [&rates, &its, load](std::size_t size, double log2_min) {
            const std::vector<queue::SmallSource> sources = small_sources_of(rates, its);
            return queue::small_sources_delay({sources, FabricRates::rate_units, &load},
                                              queue::HopDelay::occupancy, size, log2_min);
          }};
}

}  // namespace

queue::ProvedMemory fabric_memory(const network::FabricGraph& graph, const FabricRates& rates,
                                  std::span<const SwitchQueues> queues, const DropTarget& target,
                                  const std::function<void()>& pulse) {
  const network::Network& network = graph.fabric().network;
  std::vector<queue::OutputQueues> outputs;
  for (const SwitchQueues& its : queues) {
    const FabricRates::Queue &one = rates.queues()[its.queue], &first = rates.queues()[queues.front().queue];
    if (one.rate != first.rate)
      throw NoAnswer("the memory of " + network.nodes[network.links[first.link].from].name +
                     " is shared by links of different speeds, " + network.link_name(first.link) + " and " +
                     network.link_name(one.link) +
                     ": its queues are not slotted together, and no bound is known");
    outputs.push_back(outputs_of(rates, its));
  }
  return queue::min_memory(outputs,
                           target.criterion == Criterion::overflow ? queue::MemoryRule::Measure::overflow
                                                                   : queue::MemoryRule::Measure::loss,
                           target.probability, pulse);
}

}  // namespace tailbound::bounds
