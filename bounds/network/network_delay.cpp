#include <tailbound/bounds/network/collapsed_network.hpp>
#include <tailbound/bounds/network/network_delay.hpp>

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
  char by_sources = 0;
};
struct Before {
  bool operator()(const FedQueue& a, const FedQueue& b) const {
    const EarlierTraffic before;
    if (before(a.traffic, b.traffic)) return true;
    return !before(b.traffic, a.traffic) && a.by_sources < b.by_sources;
  }
};

bool idle(const QueueTraffic& traffic) {
  return traffic.sources.empty() && traffic.bursts.empty() && traffic.classes.empty();
}

/// Collects distinct queues, ordered by their traffic, so that the same queues are summed in the same order
/// for any network. Fills `position` with the entry of each of `all`.
/// \param fed_by_sources  of each of `all`
NetworkQueues distinct(const std::vector<QueueTraffic>& all, const std::vector<char>& fed_by_sources,
                       std::vector<std::size_t>& position) {
  std::map<FedQueue, std::size_t, Before> known;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!idle(all[i])) known.try_emplace({&all[i], fed_by_sources[i]}, 0);
  NetworkQueues result;
  for (auto& [queue, place] : known) {
    place = result.traffic.size();
    result.traffic.push_back(*queue.traffic);
    result.queues.push_back(hop_queue(*queue.traffic));
    result.fed_by_sources.push_back(queue.by_sources);
  }
  position.assign(all.size(), NetworkDelay::none);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!idle(all[i])) position[i] = known.at({&all[i], fed_by_sources[i]});
  return result;
}

/// Replaces all sources of a queue, each as if over its own link, by its actual inputs. Where it never waits,
/// the inputs limit the packets per slot; where it has only sources as inputs, those of different delays are
/// separate. Returns for each queue whether only sources feed it.
std::vector<char> feed_by_inputs(const Network& network, std::vector<QueueTraffic>& all) {
  const CollapsedNetwork inputs = collapsed(network);
  std::vector<char> fed_by_sources(all.size(), 0);
  for (std::size_t link = 0; link < all.size(); ++link) {
    QueueTraffic& traffic = all[link];
    const CollapsedQueue& queue = inputs.queues[link];
    if (!network.has_queue(link) || queue.max_arrivals == 0 || idle(traffic)) continue;
    const bool straight = std::all_of(queue.inputs.begin(), queue.inputs.end(),
                                      [](const QueueInput& in) { return in.straight(); });
    // A queue that never waits has no list of inputs: with one arrival per slot its occupancy is exact.
    fed_by_sources[link] = queue.waits ? straight : queue.max_arrivals == 1;
    if (!queue.waits) {
      traffic.bursts.clear();
      traffic.classes.clear();
      traffic.sources = {{traffic.load / numeric::whole(queue.max_arrivals), queue.max_arrivals}};
      continue;
    }
    if (!traffic.classes.empty() || queue.bursts || queue.inputs.size() == queue.sources.size() || !straight)
      continue;
    std::map<Rational, std::int64_t> counts;
    for (const QueueInput& in : queue.inputs) ++counts[in.exact_rate];
    traffic.sources.clear();
    for (const auto& [rate, count] : counts) traffic.sources.push_back({rate, count});
  }
  return fed_by_sources;
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
  if (traffic.bursts.empty()) {
    if (traffic.rate.is_whole()) return slotted_queue(traffic);
    return queue::parts_queue(arrivals_of(traffic), traffic.rate.packets, traffic.rate.slots);
  }
  std::vector<queue::OnOffGroup> groups;
  for (const network::BurstySource& each : traffic.bursts)
    groups.push_back({each.source, each.count, each.share});
  for (const network::SourceRate& each : traffic.sources)
    groups.push_back(
        {traffic::OnOff{.load = each.rate, .on_rate = each.rate, .start = 1, .stop = 0}, each.count});
  if (traffic.rate == network::LinkRate{}) return queue::MarkovArrivals::on_off(std::move(groups));
  try {
    return queue::parts_queue(groups, traffic.rate.packets, traffic.rate.slots);
  } catch (const NoAnswer& error) {
    throw NoAnswer("the link " + traffic.name + ": " + error.what());
  }
}

TreeDelay tree_delay(const network::Tree& tree, const Rational& load, network::TreeRouting routing,
                     network::Sources sources, const std::optional<traffic::Burst>& burst,
                     traffic::Destination destination) {
  if (burst && sources == network::Sources::first_hop)
    throw InvalidArgument("sources", "first-hop", "decoupled: bursts over a link are not on-off traffic");
  const std::vector<network::TreePath> paths = network::tree_paths(tree, load, routing, sources);
  std::vector<QueueTraffic> all;
  std::vector<char> fed_by_sources;
  for (const network::TreePath& path : paths)
    for (std::size_t hop = 0; hop < path.hops.size(); ++hop) {
      all.push_back(path.hops[hop]);
      // A path of one hop in a tree of several levels ends in a queue that others reach from above. Fed as a
      // first hop, all queues are assumed to have independent arrivals.
      fed_by_sources.push_back(
          hop == 0 &&
          (tree.levels == 1 || (path.turn > 1 && sources == network::Sources::independent_sources)));
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
  TreeDelay result{distinct(all, fed_by_sources, position), {}, {}};
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
/// Appends to `fed_by_sources` whether only sources feed the queue.
std::vector<QueueTraffic> traffic_of_class(const Network& network, int priority, network::Sources sources,
                                           Feed feed, std::vector<char>& fed_by_sources) {
  const Network its = network::without_lower_classes(network, priority);
  std::vector<QueueTraffic> all =
      priority == 1 ? network::queue_traffic(its, sources) : network::class_traffic(its, priority);
  for (std::size_t link = 0; link < all.size(); ++link)
    if (!network.has_queue(link)) {  // a host may send in every slot
      all[link].sources.clear();
      all[link].bursts.clear();
      all[link].load = 0;
    }
  const std::vector<char> fed =
      feed == Feed::by_inputs ? feed_by_inputs(its, all) : std::vector<char>(all.size(), 0);
  fed_by_sources.insert(fed_by_sources.end(), fed.begin(), fed.end());
  return all;
}

/// All classes together.
std::vector<network::OverloadedLink> full_links(const Network& network) {
  std::vector<network::OverloadedLink> loads;
  for (std::size_t link = 0; link < network.links.size(); ++link)
    loads.push_back({network.link_name(link), 0, network.links[link].rate.value()});
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes)
      for (const std::size_t link : route.links)
        if (network.has_queue(link)) loads[link].load = loads[link].load + flow.rate * route.share;
  std::erase_if(loads, [](const network::OverloadedLink& link) { return link.load < link.takes; });
  return loads;
}

}  // namespace

NetworkDelay network_delay(const network::Network& network, network::Sources sources, Feed feed) {
  const int classes = network.classes();
  if (classes > 1 && sources == network::Sources::first_hop)
    throw InvalidArgument(
        "sources", "first-hop",
        "decoupled: flows have classes, and the traffic of a class over a link is not Bernoulli");
  network::require_valid(network);
  if (auto full = full_links(network); !full.empty()) throw Overloaded(std::move(full));
  NetworkDelay result;
  result.links = network.links.size();
  std::vector<QueueTraffic> all;
  std::vector<char> fed_by_sources;
  for (int priority = 1; priority <= classes; ++priority) {
    std::vector<QueueTraffic> its = traffic_of_class(network, priority, sources, feed, fed_by_sources);
    std::move(its.begin(), its.end(), std::back_inserter(all));
  }
  result.network = distinct(all, fed_by_sources, result.queue_of_link);
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
    std::map<std::vector<std::size_t>, Rational> routes;
    for (const network::Route& route : network.flows[flow].routes) {
      std::vector<std::size_t> queues;
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
