#include <tailbound/bounds/network/collapsed_network.hpp>
#include <tailbound/bounds/network/network_delay.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace tailbound::bounds {
namespace {

using network::Network;
using network::QueueTraffic;
using numeric::Rational;

void require_capacity(const std::vector<QueueTraffic>& all) {
  std::vector<network::OverloadedLink> full;
  for (const QueueTraffic& traffic : all)
    if (traffic.load >= traffic.rate.value())
      full.push_back({traffic.name, traffic.load, traffic.rate.value()});
  if (!full.empty()) throw Overloaded(std::move(full));
}

/// Orders by load, then by its components; queues with equal traffic are equal.
struct EarlierTraffic {
  bool operator()(const QueueTraffic* a, const QueueTraffic* b) const {
    if (a->load != b->load) return a->load < b->load;
    if (a->rate != b->rate) return a->rate < b->rate;
    if (const auto& [x, y] = std::pair(std::tie(a->ticks, a->no_model), std::tie(b->ticks, b->no_model));
        x != y)
      return x < y;
    if (a->classes != b->classes)
      return std::lexicographical_compare(a->classes.begin(), a->classes.end(), b->classes.begin(),
                                          b->classes.end(), [](const auto& x, const auto& y) {
                                            return std::tie(x.higher, x.own, x.count) <
                                                   std::tie(y.higher, y.own, y.count);
                                          });
    if (a->sources != b->sources)
      return std::lexicographical_compare(a->sources.begin(), a->sources.end(), b->sources.begin(),
                                          b->sources.end(), [](const auto& x, const auto& y) {
                                            return x.rate != y.rate ? x.rate < y.rate : x.count < y.count;
                                          });
    const auto key = [](const network::BurstySource& s) {
      return std::tie(s.source.load, s.source.on_rate, s.source.stop, s.share, s.count);
    };
    return std::lexicographical_compare(a->bursts.begin(), a->bursts.end(), b->bursts.begin(),
                                        b->bursts.end(),
                                        [&](const auto& x, const auto& y) { return key(x) < key(y); });
  }
};

/// A queue, and whether only sources feed it.
struct FedQueue {
  const QueueTraffic* traffic = nullptr;
  char by_sources = 0, never_waits = 0;
};
struct Before {
  bool operator()(const FedQueue& a, const FedQueue& b) const {
    const EarlierTraffic before;
    if (before(a.traffic, b.traffic)) return true;
    return !before(b.traffic, a.traffic) &&
           std::tie(a.by_sources, a.never_waits) < std::tie(b.by_sources, b.never_waits);
  }
};

/// Of several queues: NetworkQueues::fed_by_sources and never_waits.
struct Feeds {
  std::vector<char> by_sources, never_waits;
};

bool idle(const QueueTraffic& traffic) {
  return traffic.sources.empty() && traffic.bursts.empty() && traffic.classes.empty();
}

/// Collects distinct queues, ordered by their traffic, so that the same queues are summed in the same order
/// for any network. Fills `position` with the entry of each of `all`.
/// \param feeds  of each of `all`
NetworkQueues distinct(const std::vector<QueueTraffic>& all, const Feeds& feeds,
                       std::vector<std::size_t>& position) {
  std::map<FedQueue, std::size_t, Before> known;
  const auto key = [&](std::size_t i) {
    return FedQueue{&all[i], feeds.by_sources[i], feeds.never_waits[i]};
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!idle(all[i])) known.try_emplace(key(i), 0);
  NetworkQueues result;
  for (auto& [queue, place] : known) {
    place = result.traffic.size();
    result.traffic.push_back(*queue.traffic);
    result.queues.push_back(hop_queue(*queue.traffic));
    result.fed_by_sources.push_back(queue.by_sources);
    result.never_waits.push_back(queue.never_waits);
  }
  position.assign(all.size(), NetworkDelay::none);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!idle(all[i])) position[i] = known.at(key(i));
  return result;
}

/// What each source sends over each input of a queue.
std::vector<network::SourceRate> sources_by_input(const CollapsedQueue& queue) {
  std::map<Rational, std::int64_t> counts;
  for (const QueueInput& in : queue.inputs)
    for (const auto& [source, rate] : in.exact_behind) ++counts[rate];
  std::vector<network::SourceRate> sources;
  for (const auto& [rate, count] : counts) sources.push_back({rate, count});
  return sources;
}

/// Replaces all sources of a queue, each as if over its own link, by its actual inputs. Where it never waits,
/// the inputs limit the packets per slot. Where packets may wait although its sources alone could not send
/// too many, some of them arrive over several inputs, in the same slot: each input then counts as a source.
/// The same for a queue with only sources as inputs, if these have different delays.
Feeds feed_by_inputs(const Network& network, std::vector<QueueTraffic>& all) {
  const CollapsedNetwork inputs = collapsed(network);
  Feeds feeds{std::vector<char>(all.size(), 0), std::vector<char>(all.size(), 0)};
  for (std::size_t link = 0; link < all.size(); ++link) {
    QueueTraffic& traffic = all[link];
    const CollapsedQueue& queue = inputs.queues[link];
    if (!network.has_queue(link) || idle(traffic)) continue;
    const bool straight = std::all_of(queue.inputs.begin(), queue.inputs.end(),
                                      [](const QueueInput& in) { return in.straight(); });
    // A queue that never waits has no list of inputs: with one arrival per slot its occupancy is exact. Where
    // a source has several inputs, slots are correlated.
    feeds.by_sources[link] = !queue.waits || (straight && queue.inputs.size() == queue.sources.size());
    feeds.never_waits[link] = !queue.waits;
    if (!queue.waits) {
      traffic.bursts.clear();
      traffic.classes.clear();
      traffic.sources = {{traffic.load, 1}};
      continue;
    }
    if (!traffic.classes.empty() || queue.bursts) continue;
    std::int64_t most = 0;
    for (const network::SourceRate& source : traffic.sources) most += source.count;
    if (most <= 1 || (straight && queue.inputs.size() != queue.sources.size()))
      traffic.sources = sources_by_input(queue);
  }
  return feeds;
}

}  // namespace

namespace {

series::Arrivals arrivals_of(const QueueTraffic& traffic) {
  if (traffic.sources.size() == 1) {
    const network::SourceRate& source = traffic.sources.front();
    return series::Arrivals::equal_inputs(source.count,
                                          Rational(static_cast<long>(source.count)) * source.rate);
  }
  std::vector<Rational> rates;
  for (const network::SourceRate& source : traffic.sources)
    rates.insert(rates.end(), static_cast<std::size_t>(source.count), source.rate);
  return series::Arrivals::unequal_inputs(std::move(rates));
}

}  // namespace

queue::SlottedQueue slotted_queue(const QueueTraffic& traffic) {
  return {arrivals_of(traffic), traffic.rate.packets};
}

queue::HopQueue hop_queue(const QueueTraffic& traffic) {
  if (!traffic.classes.empty()) {
    std::vector<queue::ClassSource> sources;
    for (const network::ClassSource& each : traffic.classes)
      sources.push_back({each.higher, each.own, each.count});
    return queue::ClassQueue{std::move(sources)};
  }
  if (traffic.bursts.empty()) return slotted_queue(traffic);
  std::vector<queue::OnOffGroup> groups;
  for (const network::BurstySource& each : traffic.bursts)
    groups.push_back({each.source, each.count, each.share});
  for (const network::SourceRate& each : traffic.sources)
    groups.push_back(
        {traffic::OnOff{.load = each.rate, .on_rate = each.rate, .start = 1, .stop = 0}, each.count});
  return queue::MarkovArrivals::on_off(std::move(groups));
}

TreeDelay tree_delay(const network::Tree& tree, const Rational& load, network::TreeRouting routing,
                     network::Sources sources, const std::optional<traffic::Burst>& burst,
                     traffic::Destination destination) {
  if (burst && sources == network::Sources::first_hop)
    throw InvalidArgument("sources", "first-hop", "independent: bursts over a link are not on-off traffic");
  const std::vector<network::TreePath> paths = network::tree_paths(tree, load, routing, sources);
  std::vector<QueueTraffic> all;
  Feeds feeds;
  for (const network::TreePath& path : paths)
    for (std::size_t hop = 0; hop < path.hops.size(); ++hop) {
      all.push_back(path.hops[hop]);
      // A path of one hop in a tree of several levels ends in a queue that others reach from above. Fed as a
      // first hop, all queues are assumed to have independent arrivals.
      feeds.by_sources.push_back(
          hop == 0 &&
          (tree.levels == 1 || (path.turn > 1 && sources == network::Sources::independent_sources)));
      feeds.never_waits.push_back(0);
    }
  require_capacity(all);
  if (burst) {
    const traffic::OnOff leaf = traffic::on_off(load, *burst);
    for (QueueTraffic& queue : all) {
      for (const network::SourceRate& source : queue.sources) {
        const Rational share = source.rate / load;
        if (destination == traffic::Destination::per_burst)
          queue.bursts.push_back({leaf, source.count, share});
        else
          queue.bursts.push_back({traffic::thinned(leaf, share), source.count});
      }
      queue.sources.clear();
    }
  }
  std::vector<std::size_t> position;
  TreeDelay result{distinct(all, feeds, position), {}, {}};
  auto next = position.begin();
  for (const network::TreePath& path : paths) {
    const auto end = next + static_cast<std::ptrdiff_t>(path.hops.size());
    result.turns.push_back(path.turn);
    result.routes.push_back({std::vector<std::size_t>(next, end), path.share});
    next = end;
  }
  return result;
}

namespace {

/// For each link with a queue, the traffic of one class, which higher classes delay and lower ones do not.
/// Appends to `feeds`.
std::vector<QueueTraffic> traffic_of_class(const Network& network, int priority, network::Sources sources,
                                           Feed feed, Feeds& feeds) {
  std::optional<Network> without;
  if (priority < network.classes()) without = network::without_lower_classes(network, priority);
  const Network& its = without ? *without : network;
  std::vector<QueueTraffic> all =
      priority == 1 ? network::queue_traffic(its, sources) : network::class_traffic(its, priority);
  for (std::size_t link = 0; link < all.size(); ++link)
    if (!network.has_queue(link)) {  // a host may send in every slot
      all[link].sources.clear();
      all[link].bursts.clear();
      all[link].load = 0;
    }
  Feeds fed{std::vector<char>(all.size(), 0), std::vector<char>(all.size(), 0)};
  if (feed == Feed::by_inputs) fed = feed_by_inputs(its, all);
  feeds.by_sources.insert(feeds.by_sources.end(), fed.by_sources.begin(), fed.by_sources.end());
  feeds.never_waits.insert(feeds.never_waits.end(), fed.never_waits.begin(), fed.never_waits.end());
  return all;
}

/// For each link with a queue, the traffic of one class in slots of this link.
std::vector<QueueTraffic> clocked_traffic_of_class(const Network& network, int priority, Feeds& feeds) {
  const network::LinkClocks clocks = network::link_clocks(network);
  std::vector<QueueTraffic> all(network.links.size());
  std::map<network::LinkRate, std::vector<std::size_t>> links;
  for (std::size_t link = 0; link < network.links.size(); ++link)
    if (clocks.packet[link] > 0) links[network.links[link].rate].push_back(link);
  for (const auto& [rate, its] : links) {
    Feeds none;
    std::vector<QueueTraffic> traffic =
        traffic_of_class(network::in_slots_of(network, rate.value()), priority,
                         network::Sources::independent_sources, Feed::by_sources, none);
    for (const std::size_t link : its) {
      all[link] = std::move(traffic[link]);
      all[link].ticks = clocks.packet[link];
    }
  }
  feeds.by_sources.resize(feeds.by_sources.size() + all.size());
  feeds.never_waits.resize(feeds.never_waits.size() + all.size());
  return all;
}

}  // namespace

NetworkDelay network_delay(const network::Network& network, network::Sources sources, Feed feed) {
  const int classes = network.classes();
  if (classes > 1 && sources == network::Sources::first_hop)
    throw InvalidArgument(
        "sources", "first-hop",
        "independent: flows have classes, and the traffic of a class over a link is not Bernoulli");
  network::require_valid(network);
  network::require_capacity(network);
  NetworkDelay result;
  result.links = network.links.size();
  std::vector<QueueTraffic> all;
  Feeds feeds;
  const bool clocked = !network::has_unit_speeds(network);
  for (int priority = 1; priority <= classes; ++priority) {
    std::vector<QueueTraffic> its = clocked ? clocked_traffic_of_class(network, priority, feeds)
                                            : traffic_of_class(network, priority, sources, feed, feeds);
    std::move(its.begin(), its.end(), std::back_inserter(all));
  }
  result.network = distinct(all, feeds, result.queue_of_link);
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
    std::map<std::vector<std::size_t>, Rational> routes;
    for (const network::Route& route : network.flows[flow].routes) {
      std::vector<std::size_t> queues;
      queues.reserve(route.links.size());
      for (const std::size_t link : route.links)
        if (network.has_queue(link)) queues.push_back(result.queue_of(link, network.flows[flow].priority));
      const auto [place, is_new] = routes.try_emplace(std::move(queues), route.share);
      if (!is_new) place->second = place->second + route.share;
    }
    FlowDelay& delay = result.flows.emplace_back(FlowDelay{flow, {}});
    for (const auto& [queues, share] : routes) delay.routes.push_back({queues, share});
  }
  return result;
}

}  // namespace tailbound::bounds
