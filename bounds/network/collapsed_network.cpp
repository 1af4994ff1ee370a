#include <tailbound/bounds/network/collapsed_network.hpp>

#include <algorithm>
#include <tuple>
#include <type_traits>

namespace tailbound::bounds {
namespace {

using network::Network;
using numeric::Rational;

/// An input of a queue: the previous queue or none, the source, the queues passed in between.
using InputKey = std::tuple<std::size_t, std::size_t, std::size_t>;

/// Sources are the nodes, then the flows with bursts.
std::size_t source_of(const Network& network, std::size_t flow) {
  return network.flows[flow].burst ? network.nodes.size() + flow : network.flows[flow].source;
}

/// Calls visit(link, key) for each queue of a route that may wait, in order.
template <class Visit>
void walk(const Network& network, const std::vector<char>& passes, std::size_t source,
          const network::Route& route, const Visit& visit) {
  InputKey from{QueueInput::none, source, 0};
  for (const std::size_t link : route.links) {
    if (!network.has_queue(link)) continue;
    if (passes[link] != 0) {
      ++std::get<2>(from);
      continue;
    }
    visit(link, from);
    from = {link, QueueInput::none, 0};
  }
}

/// Queues in which packets never wait. Removing them can only reduce the arrivals at the others.
std::vector<char> passing(const Network& network) {
  std::vector<char> passes(network.links.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::vector<InputKey>> inputs(network.links.size());
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow)
      for (const network::Route& route : network.flows[flow].routes)
        walk(network, passes, source_of(network, flow), route, [&](std::size_t link, const InputKey& from) {
          // Successive routes often share it.
          if (inputs[link].empty() || inputs[link].back() != from) inputs[link].push_back(from);
        });
    for (std::size_t link = 0; link < network.links.size(); ++link) {
      std::vector<InputKey>& its = inputs[link];
      if (its.empty()) continue;
      std::sort(its.begin(), its.end());
      its.erase(std::unique(its.begin(), its.end()), its.end());
      if (its.size() > 1 || passes[link] != 0) continue;
      passes[link] = 1;
      changed = true;
    }
  }
  return passes;
}

/// The entry of the source that was sought last: flows are mostly listed source by source.
template <class Value>
class Latest {
 public:
  Value& of(std::map<std::size_t, Value>& all, std::size_t source) {
    if (value_ == nullptr || source != source_) value_ = &all.try_emplace(source, 0).first->second;
    source_ = source;
    return *value_;
  }

 private:
  std::size_t source_ = 0;
  Value* value_ = nullptr;  ///< its place in the map remains, even if that is moved
};
static_assert(std::is_nothrow_move_constructible_v<QueueInput>);  // so that a growing list moves its maps

/// Of an input.
struct LatestInput {
  Latest<double> behind;
  Latest<Rational> exact_behind;
};

}  // namespace

CollapsedNetwork collapsed(const Network& network) {
  CollapsedNetwork result;
  const std::vector<char> passes = passing(network);
  result.queues.resize(network.links.size());
  std::vector<std::map<InputKey, std::size_t>> known(network.links.size());
  std::vector<Latest<double>> rates(network.links.size());
  std::vector<std::vector<LatestInput>> latest(network.links.size());
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
    const std::size_t source = source_of(network, flow);
    std::map<std::tuple<std::vector<std::size_t>, std::vector<std::size_t>, std::size_t>, Rational> shares;
    for (const network::Route& route : network.flows[flow].routes) {
      const Rational exact = network.flows[flow].rate * route.share;
      const double rate = numeric::nearest_double(exact);
      std::size_t hops = 0;
      for (const std::size_t link : route.links)
        if (network.has_queue(link)) {
          ++hops;
          result.queues[link].load += rate;
          rates[link].of(result.queues[link].sources, source) += rate;
          if (network.flows[flow].burst) result.queues[link].bursts = true;
        }
      std::vector<std::size_t> queues, inputs;
      queues.reserve(route.links.size());
      inputs.reserve(route.links.size());
      walk(network, passes, source, route, [&](std::size_t link, const InputKey& from) {
        CollapsedQueue& queue = result.queues[link];
        queue.waits = true;
        const auto [place, is_new] = known[link].try_emplace(from, queue.inputs.size());
        if (is_new) {
          QueueInput input;
          std::tie(input.queue, input.source, input.passed) = from;
          queue.inputs.push_back(std::move(input));
          latest[link].emplace_back();
        }
        QueueInput& input = queue.inputs[place->second];
        LatestInput& its = latest[link][place->second];
        input.rate += rate;
        its.behind.of(input.behind, source) += rate;
        Rational& behind = its.exact_behind.of(input.exact_behind, source);
        behind = behind + exact;
        if (!queues.empty())
          result.queues[queues.back()].inputs[inputs.back()].onward[{link, place->second}] += rate;
        queues.push_back(link);
        inputs.push_back(place->second);
      });
      const auto [place, is_new] =
          shares.try_emplace({std::move(queues), std::move(inputs), hops}, route.share);
      if (!is_new) place->second = place->second + route.share;
    }
    auto& routes = result.flows.emplace_back();
    for (const auto& [met, share] : shares)
      routes.push_back({std::get<0>(met), std::get<1>(met), std::get<2>(met), source, share});
  }
  for (CollapsedQueue& queue : result.queues)
    for (QueueInput& input : queue.inputs)
      for (const auto& [source, behind] : input.exact_behind) input.exact_rate = input.exact_rate + behind;
  return result;
}

}  // namespace tailbound::bounds
