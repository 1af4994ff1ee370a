#include <tailbound/bounds/network/fabric_delay.hpp>
#include <tailbound/bounds/network/fabric_memory.hpp>
#include <tailbound/bounds/network/network_delay.hpp>

#include <vector>

namespace tailbound::bounds {
namespace {

using network::FabricRates;

queue::OutputQueues outputs_of(const network::FabricGraph& graph, const FabricRates& rates,
                               const SwitchQueues& queues) {
  const FabricRates::Queue& its = rates.queues()[queues.queue];
  queue::OutputQueues outputs{
      .count = queues.count, .load = its.load, .packets_per_slot = its.packets_per_slot, .law = {}};
  if (its.packets_per_slot == 1)
    outputs.law = [&rates, &its](std::size_t size, double log2_min) {
      const std::vector<queue::SmallSource> sources = small_sources_of(rates, its);
      return queue::small_sources_delay({sources, FabricRates::rate_units, &its.load},
                                        queue::HopDelay::occupancy, size, log2_min);
    };
  else
    outputs.law = [&graph, &rates, &its](std::size_t size, double log2_min) {
      return queue::occupancy_law(slotted_queue(rates.traffic(graph.fabric().network, its)), size, log2_min);
    };
  return outputs;
}

}  // namespace

queue::ProvedMemory fabric_memory(const network::FabricGraph& graph, const FabricRates& rates,
                                  std::span<const SwitchQueues> queues, const DropTarget& target,
                                  const std::function<void()>& pulse) {
  std::vector<queue::OutputQueues> outputs;
  for (const SwitchQueues& its : queues) outputs.push_back(outputs_of(graph, rates, its));
  return queue::min_memory(outputs,
                           target.criterion == Criterion::overflow ? queue::MemoryRule::Measure::overflow
                                                                   : queue::MemoryRule::Measure::loss,
                           target.probability, pulse);
}

}  // namespace tailbound::bounds
