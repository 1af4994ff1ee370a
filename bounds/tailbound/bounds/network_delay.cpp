#include <tailbound/bounds/network_delay.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace tailbound::bounds {
namespace {

using network::QueueTraffic;
using numeric::Rational;

void require_room(const std::vector<QueueTraffic>& all) {
  const QueueTraffic* worst = nullptr;
  const auto share = [](const QueueTraffic& traffic) {
    return traffic.load / Rational(traffic.packets_per_slot);
  };
  for (const QueueTraffic& traffic : all)
    if (traffic.load >= Rational(traffic.packets_per_slot) &&
        (worst == nullptr || share(traffic) > share(*worst)))
      worst = &traffic;
  if (worst != nullptr)
    throw Overloaded(worst->name, numeric::to_decimal(worst->load, 6, numeric::Rounding::nearest),
                     worst->packets_per_slot);
}

bool same(const QueueTraffic& a, const QueueTraffic& b) {
  return a.packets_per_slot == b.packets_per_slot && a.sources == b.sources;
}

/// Collects queues; equal ones once. Fills `position` with the entry of each of `all`.
NetworkQueues distinct(const std::vector<QueueTraffic>& all, std::vector<std::size_t>& position) {
  NetworkQueues result;
  position.assign(all.size(), NetworkDelay::none);
  // Candidates for equality have equal loads: so only those are compared.
  std::multimap<std::pair<double, std::size_t>, std::size_t> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].sources.empty()) continue;
    const std::pair key{numeric::nearest_double(all[i].load), all[i].sources.size()};
    const auto [from, to] = known.equal_range(key);
    const auto found =
        std::find_if(from, to, [&](const auto& entry) { return same(result.traffic[entry.second], all[i]); });
    if (found != to) {
      position[i] = found->second;
      continue;
    }
    position[i] = result.traffic.size();
    known.emplace(key, position[i]);
    result.traffic.push_back(all[i]);
    result.queues.push_back(slotted_queue(all[i]));
  }
  return result;
}

}  // namespace

queue::SlottedQueue slotted_queue(const QueueTraffic& traffic) {
  if (traffic.sources.size() == 1) {
    const network::SourceRate& source = traffic.sources.front();
    return {
        series::Arrivals::equal_inputs(source.count, Rational(static_cast<long>(source.count)) * source.rate),
        traffic.packets_per_slot};
  }
  std::vector<Rational> rates;
  for (const network::SourceRate& source : traffic.sources)
    rates.insert(rates.end(), static_cast<std::size_t>(source.count), source.rate);
  return {series::Arrivals::unequal_inputs(std::move(rates)), traffic.packets_per_slot};
}

TreeDelay tree_delay(const network::Tree& tree, const Rational& load, network::TreeRouting routing,
                     network::Sources sources) {
  const std::vector<network::TreePath> paths = network::tree_paths(tree, load, routing, sources);
  std::vector<QueueTraffic> all;
  for (const network::TreePath& path : paths) all.insert(all.end(), path.hops.begin(), path.hops.end());
  require_room(all);
  std::vector<std::size_t> position;
  TreeDelay result{distinct(all, position), {}, {}};
  auto next = position.begin();
  for (const network::TreePath& path : paths) {
    const auto end = next + static_cast<std::ptrdiff_t>(path.hops.size());
    result.turns.push_back(path.turn);
    result.ways.push_back({std::vector<std::size_t>(next, end), path.share});
    next = end;
  }
  return result;
}

NetworkDelay network_delay(const network::Network& network, network::Sources sources) {
  std::vector<QueueTraffic> all = network::queue_traffic(network, sources);
  for (std::size_t link = 0; link < all.size(); ++link)
    if (!network.has_queue(link)) all[link].sources.clear();
  NetworkDelay result;
  require_room(all);
  result.network = distinct(all, result.queue_of_link);
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
    std::map<std::vector<std::size_t>, Rational> ways;
    for (const network::Route& route : network.flows[flow].routes) {
      std::vector<std::size_t> queues;
      for (const std::size_t link : route.links)
        if (network.has_queue(link)) queues.push_back(result.queue_of_link[link]);
      const auto [place, is_new] = ways.try_emplace(std::move(queues), route.share);
      if (!is_new) place->second = place->second + route.share;
    }
    FlowDelay& delay = result.flows.emplace_back(FlowDelay{flow, {}});
    for (const auto& [queues, share] : ways) delay.ways.push_back({queues, share});
  }
  return result;
}

}  // namespace tailbound::bounds
