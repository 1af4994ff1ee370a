#include <tailbound/core/error.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/numeric/real.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace tailbound::network {
namespace {

using numeric::Integer;

/// The traffic from one feeder to a queue, in units of 1 / the common denominator. A feeder is a node; with
/// `first_hop` a link, or (numbered after the links) the node of the queue itself.
struct Feed {
  std::size_t feeder;
  Integer parts;
};

/// All rates and shares are whole multiples of 1 / denominator, so sums and comparisons use integers.
Integer common_denominator(const Network& network) {
  Integer rates = 1, shares = 1;
  for (const Flow& flow : network.flows) {
    if (flow.burst) continue;
    rates = numeric::lcm(rates, numeric::denominator(flow.rate));
    for (const Route& route : flow.routes) shares = numeric::lcm(shares, numeric::denominator(route.share));
  }
  return rates * shares;
}

void add_feed(std::vector<Feed>& feeds, std::size_t feeder, const Integer& parts) {
  if (!feeds.empty() && feeds.back().feeder == feeder)
    feeds.back().parts = feeds.back().parts + parts;
  else
    feeds.push_back({feeder, parts});
}

/// The feeds of every link, in any order; a feeder may occur several times.
std::vector<std::vector<Feed>> collect_feeds(const Network& network, Sources sources,
                                             const Integer& denominator) {
  std::vector<std::vector<Feed>> feeds(network.links.size());
  const std::size_t own = network.links.size();
  for (const Flow& flow : network.flows) {
    if (flow.burst) continue;
    for (const Route& route : flow.routes) {
      const Integer parts = numeric::numerator(flow.rate * route.share * denominator);
      std::size_t feeder = sources == Sources::independent_sources ? flow.source : own;
      for (const std::size_t link : route.links) {
        add_feed(feeds[link], feeder, parts);
        if (sources == Sources::first_hop) feeder = link;
      }
    }
  }
  return feeds;
}

/// Merges the feeds of each feeder.
void merge_feeders(std::vector<Feed>& feeds) {
  std::sort(feeds.begin(), feeds.end(), [](const Feed& a, const Feed& b) { return a.feeder < b.feeder; });
  std::vector<Feed> merged;
  for (const Feed& feed : feeds) add_feed(merged, feed.feeder, feed.parts);
  feeds = std::move(merged);
}

/// Number of sources of a feed: its maximum number of packets per slot.
/// \param lanes  per node
std::int64_t sources_of(const Network& network, const std::vector<int>& lanes, Sources sources,
                        std::size_t link, const Feed& feed) {
  if (sources == Sources::independent_sources) return lanes[feed.feeder];
  if (feed.feeder == network.links.size()) return lanes[network.links[link].from];
  return network.links[feed.feeder].rate.max_per_slot();
}

/// A link cannot carry more than its rate. (For one node's own flows, at most one packet per slot, that
/// holds.)
void require_capacity(const Network& network, std::size_t link, const Feed& feed, std::int64_t count,
                      const Integer& denominator) {
  if (feed.parts > denominator * Integer(count))
    throw NoAnswer("the link " + network.link_name(feed.feeder) + " is saturated: it would have to carry " +
                   numeric::to_fraction(numeric::Rational(feed.parts, denominator)) +
                   " packets per slot to the queue of " + network.link_name(link) + ", but its rate is " +
                   std::to_string(count));
}

QueueTraffic traffic_of(const Network& network, const std::vector<int>& lanes, Sources sources,
                        std::size_t link, std::vector<Feed>& feeds, const Integer& denominator) {
  QueueTraffic traffic{
      .name = network.link_name(link), .rate = network.links[link].rate, .sources = {}, .load = 0};
  merge_feeders(feeds);
  struct Source {
    Integer parts;  ///< per source, in units of 1 / (the denominator times `scale`)
    std::int64_t count;
  };
  // The feeds of links with several packets per slot are split evenly; `scale` keeps the parts whole.
  Integer sum = 0, scale = 1;
  for (const Feed& feed : feeds)
    scale = numeric::lcm(scale, Integer(sources_of(network, lanes, sources, link, feed)));
  std::vector<Source> split;
  split.reserve(feeds.size());
  for (const Feed& feed : feeds) {
    const std::int64_t count = sources_of(network, lanes, sources, link, feed);
    split.push_back({numeric::exact_quotient(feed.parts * scale, Integer(count)), count});
    sum = sum + feed.parts;
    require_capacity(network, link, feed, count, denominator);
  }
  std::sort(split.begin(), split.end(), [](const Source& a, const Source& b) { return a.parts < b.parts; });
  std::size_t next = 0;
  while (next < split.size()) {
    SourceRate source{numeric::Rational(split[next].parts, denominator * scale), 0};
    const Integer parts = split[next].parts;
    for (; next < split.size() && split[next].parts == parts; ++next) source.count += split[next].count;
    traffic.sources.push_back(std::move(source));
  }
  traffic.load = numeric::Rational(sum, denominator);
  return traffic;
}

/// A flow with bursts, in slots of the network.
traffic::OnOff on_off_of(const Network& network, const Flow& flow) {
  const Rational speed = network.send_rate(flow);
  if (speed == 1) return traffic::on_off(flow.rate, *flow.burst);
  const Rational packets = flow.burst->slots * flow.burst->on_rate;
  traffic::Burst burst{1, std::min<Rational>(flow.burst->on_rate * speed, Rational(1))};
  if (flow.rate >= burst.on_rate)
    throw NoAnswer("the bursts of the flow " + flow.name + " are faster than a link of its path");
  burst.slots =
      std::max<Rational>({Rational(1), packets / burst.on_rate, flow.rate / (burst.on_rate - flow.rate)});
  return traffic::on_off(flow.rate, burst);
}

/// The flows with bursts through each link, thinned to their shares there.
std::vector<std::vector<BurstySource>> collect_bursts(const Network& network, Sources sources) {
  std::vector<std::vector<BurstySource>> bursts(network.links.size());
  for (const Flow& flow : network.flows) {
    if (!flow.burst) continue;
    if (sources == Sources::first_hop)
      throw InvalidArgument(
          "sources", "first-hop",
          "independent, because the flow " + flow.name + " has bursts, which first-hop does not support");
    const traffic::OnOff whole = on_off_of(network, flow);
    std::map<std::size_t, Rational> shares;
    for (const Route& route : flow.routes)
      for (const std::size_t link : route.links) {
        Rational& share = shares.try_emplace(link, 0).first->second;
        share = share + route.share;
      }
    for (const auto& [link, share] : shares) bursts[link].push_back({traffic::thinned(whole, share), 1});
  }
  return bursts;
}

/// Merges equal sources.
void merge_bursts(std::vector<BurstySource>& bursts) {
  const auto less = [](const BurstySource& a, const BurstySource& b) {
    const auto key = [](const traffic::OnOff& s) { return std::tie(s.load, s.on_rate, s.stop); };
    return key(a.source) < key(b.source);
  };
  std::sort(bursts.begin(), bursts.end(), less);
  std::vector<BurstySource> merged;
  for (const BurstySource& each : bursts)
    if (!merged.empty() && merged.back().source == each.source)
      ++merged.back().count;
    else
      merged.push_back(each);
  bursts = std::move(merged);
}

/// Highest utilization first; ties in the original order.
std::string overload_in_words(std::vector<OverloadedLink> all) {
  std::stable_sort(all.begin(), all.end(), [](const OverloadedLink& a, const OverloadedLink& b) {
    return a.load * b.takes > b.load * a.takes;
  });
  const auto digits = [](const OverloadedLink& link) {
    return numeric::to_decimal(link.load, 6, numeric::Rounding::nearest);
  };
  const OverloadedLink& first = all.front();
  std::string words = "the link " + first.name + " is overloaded: its offered load is " + digits(first) +
                      " packets per slot; it must be below " + numeric::to_fraction(first.takes) +
                      " (the rate of the link)";
  std::uint64_t links = 0;
  for (const OverloadedLink& link : all) links += link.identical;
  if (links == 1) return words;
  words += "; so " + (links == 2 ? "is 1 other" : "are " + std::to_string(links - 1) + " others");
  if (first.identical > 1) words += ", " + std::to_string(first.identical - 1) + " with the same load";
  constexpr std::size_t max_named = 8;
  for (std::size_t i = 1; i < std::min(all.size(), max_named); ++i) {
    words += (i == 1 ? ": " : ", ") + all[i].name + " (" + digits(all[i]) + " of " +
             numeric::to_fraction(all[i].takes);
    if (all[i].identical > 1) words += ", " + std::to_string(all[i].identical) + " identical";
    words += ")";
  }
  return all.size() > max_named ? words + ", ..." : words;
}

/// Rates through one link, by sending node.
struct ClassFeed {
  Rational higher = 0, own = 0;
  const Flow* bursts = nullptr;  ///< one of them
};

/// QueueTraffic::no_model
std::string why_no_classes(const Network& network, std::size_t link, const ClassFeed& all) {
  const std::string where = "at the queue of " + network.link_name(link) + " classes share a link ";
  if (const LinkRate& rate = network.links[link].rate; rate != LinkRate{})
    return where + "with a rate of " + rate.text() +
           " packets per slot; the analysis of lower classes supports only 1";
  if (all.bursts != nullptr)
    return where + "with bursts of the flow " + all.bursts->name +
           "; the analysis of lower classes does not support bursts";
  return {};
}

}  // namespace

Overloaded::Overloaded(std::vector<OverloadedLink> all) : LoadTooHigh(overload_in_words(std::move(all))) {}

void require_capacity(const Network& network) {
  std::vector<OverloadedLink> links;
  for (std::size_t link = 0; link < network.links.size(); ++link)
    links.push_back({network.link_name(link), 0, network.links[link].rate.value()});
  for (const Flow& flow : network.flows)
    for (const Route& route : flow.routes)
      for (const std::size_t link : route.links)
        if (network.has_queue(link)) links[link].load = links[link].load + flow.rate * route.share;
  std::erase_if(links, [](const OverloadedLink& link) { return link.load < link.takes; });
  if (!links.empty()) throw Overloaded(std::move(links));
}

std::vector<QueueTraffic> queue_traffic(const Network& network, Sources sources) {
  require_valid(network);
  const Integer denominator = common_denominator(network);
  auto feeds = collect_feeds(network, sources, denominator);
  auto bursts = collect_bursts(network, sources);
  const std::vector<int> lanes = network.lanes();
  std::vector<QueueTraffic> result;
  result.reserve(network.links.size());
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    result.push_back(traffic_of(network, lanes, sources, link, feeds[link], denominator));
    feeds[link] = {};
    merge_bursts(bursts[link]);
    for (const BurstySource& each : bursts[link])
      result.back().load = result.back().load + each.source.load * Integer(each.count);
    result.back().bursts = std::move(bursts[link]);
  }
  return result;
}

Network without_lower_classes(const Network& network, int lowest) {
  Network result = network;
  std::erase_if(result.flows, [&](const Flow& flow) { return flow.priority > lowest; });
  return result;
}

std::vector<QueueTraffic> class_traffic(const Network& network, int lowest) {
  const Network all = without_lower_classes(network, lowest);
  Network own = all;
  std::erase_if(own.flows, [&](const Flow& flow) { return flow.priority != lowest; });
  std::vector<QueueTraffic> result = queue_traffic(own, Sources::independent_sources);
  std::vector<std::map<std::size_t, ClassFeed>> feeds(all.links.size());
  std::vector<ClassFeed> sums(all.links.size());
  const std::vector<int> lanes = network.lanes();
  for (const Flow& flow : all.flows)
    for (const Route& route : flow.routes)
      for (const std::size_t link : route.links)
        for (ClassFeed* feed : {&feeds[link][flow.source], &sums[link]}) {
          Rational& rate = flow.priority == lowest ? feed->own : feed->higher;
          rate = rate + flow.rate * route.share;
          if (flow.burst) feed->bursts = &flow;
        }
  for (std::size_t link = 0; link < feeds.size(); ++link) {
    QueueTraffic& traffic = result[link];
    traffic.name += ", class " + std::to_string(lowest);
    if (!all.has_queue(link) || sums[link].own == 0 || sums[link].higher == 0) continue;
    traffic.no_model = why_no_classes(all, link, sums[link]);
    if (!traffic.no_model.empty()) continue;
    std::map<std::pair<Rational, Rational>, std::int64_t> counts;
    for (const auto& [node, feed] : feeds[link])
      counts[{feed.higher / lanes[node], feed.own / lanes[node]}] += lanes[node];
    for (const auto& [rates, count] : counts) traffic.classes.push_back({rates.first, rates.second, count});
    traffic.sources.clear();
  }
  return result;
}

}  // namespace tailbound::network
