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

/// Sources are the lanes of nodes, then the flows with bursts.
class SourceNumbers {
 public:
  explicit SourceNumbers(const Network& network) : lanes_(network.lanes()) {
    for (const int lanes : lanes_) {
      first_.push_back(count_);
      count_ += static_cast<std::size_t>(lanes);
    }
  }
  /// The number of sources of a flow: its lanes, from first() on.
  [[nodiscard]] std::size_t count(const network::Flow& flow) const {
    return flow.burst ? 1 : static_cast<std::size_t>(lanes_[flow.source]);
  }
  [[nodiscard]] std::size_t first(const Network& network, std::size_t flow) const {
    return network.flows[flow].burst ? count_ + flow : first_[network.flows[flow].source];
  }

 private:
  std::vector<int> lanes_;
  std::vector<std::size_t> first_;
  std::size_t count_ = 0;
};

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
std::vector<char> passing(const Network& network, const SourceNumbers& sources,
                          std::vector<std::int64_t>& max_arrivals) {
  std::vector<char> passes(network.links.size(), 0);
  max_arrivals.assign(network.links.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::vector<InputKey>> inputs(network.links.size());
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow)
      for (const network::Route& route : network.flows[flow].routes)
        for (std::size_t lane = 0; lane < sources.count(network.flows[flow]); ++lane)
          walk(network, passes, sources.first(network, flow) + lane, route,
               [&](std::size_t link, const InputKey& from) {
                 // Successive routes often share it.
                 if (inputs[link].empty() || inputs[link].back() != from) inputs[link].push_back(from);
               });
    for (std::size_t link = 0; link < network.links.size(); ++link) {
      std::vector<InputKey>& its = inputs[link];
      if (its.empty()) continue;
      std::sort(its.begin(), its.end());
      its.erase(std::unique(its.begin(), its.end()), its.end());
      std::int64_t maximum = 0;
      for (const InputKey& from : its) {
        const std::size_t queue = std::get<0>(from);
        maximum += queue == QueueInput::none ? 1 : network.links[queue].rate.max_per_slot();
      }
      max_arrivals[link] = maximum;
      const network::LinkRate& rate = network.links[link].rate;
      if (maximum * rate.slots > rate.packets || passes[link] != 0) continue;
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
  std::vector<std::int64_t> max_arrivals;
  const SourceNumbers sources(network);
  const std::vector<char> passes = passing(network, sources, max_arrivals);
  result.queues.resize(network.links.size());
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    CollapsedQueue& queue = result.queues[link];
    queue.capacity = network.links[link].rate;
    queue.max_arrivals = max_arrivals[link];
    queue.waits = network.has_queue(link) && passes[link] == 0 && max_arrivals[link] > 0;
  }
  std::vector<std::map<InputKey, std::size_t>> known(network.links.size());
  std::vector<Latest<double>> rates(network.links.size());
  std::vector<std::vector<LatestInput>> latest(network.links.size());
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
    const std::size_t lanes = sources.count(network.flows[flow]);
    std::map<std::tuple<std::vector<std::size_t>, std::vector<std::size_t>, std::size_t>, Rational> shares;
    for (const network::Route& route : network.flows[flow].routes)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t source = sources.first(network, flow) + lane;
        const Rational share = route.share / static_cast<unsigned long>(lanes);
        const Rational exact = network.flows[flow].rate * share;
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
        if (lane > 0) continue;
        const auto [place, is_new] =
            shares.try_emplace({std::move(queues), std::move(inputs), hops}, route.share);
        if (!is_new) place->second = place->second + route.share;
      }
    auto& routes = result.flows.emplace_back();
    for (const auto& [met, share] : shares)
      routes.push_back(
          {std::get<0>(met), std::get<1>(met), std::get<2>(met), sources.first(network, flow), share});
  }
  for (CollapsedQueue& queue : result.queues)
    for (QueueInput& input : queue.inputs)
      for (const auto& [source, behind] : input.exact_behind) input.exact_rate = input.exact_rate + behind;
  return result;
}

}  // namespace tailbound::bounds
