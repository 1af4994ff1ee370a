#include <tailbound/bounds/network/dependent_network.hpp>
#include <tailbound/bounds/network/network_delay.hpp>
#include <tailbound/queue/hops/burst_waits.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::bounds {
namespace {

using network::Network;
using network::TreeRouting;
using numeric::Rational;
using queue::PairSource;

/// A tree's queues. Random-root: hop h is number min(h, n) - 1; nearest-ancestor, up from level j is number j
/// - 1, down from level j is n - 1 + j - 1.
struct TreePairs {
  double k, load, leaves;
  int levels;

  [[nodiscard]] double power(int exponent) const { return std::pow(k, exponent); }
  /// P(turn > level) with nearest-ancestor routing.
  [[nodiscard]] double above(int level) const { return level == 0 ? 1 : 1 - power(level) / leaves; }
  /// Sources of a downward queue at that level.
  [[nodiscard]] double down_sources(int level) const {
    return level == 1 ? leaves : leaves - power(level - 1);
  }

  static PairSource sources(double count, double through, double around) {
    return {std::llround(count), through, around};
  }
  static queue::LoneSource alone(double count, double probability) {
    return {std::llround(count), probability};
  }

  [[nodiscard]] DependentPaths random_root() const;
  [[nodiscard]] DependentPaths nearest_ancestor(const std::vector<Rational>& shares) const;
};

DependentPaths TreePairs::random_root() const {
  DependentHops hops;
  const auto last = static_cast<std::size_t>(levels - 1);
  for (int h = 1; h <= levels; ++h) {
    const double count = power(h), rate = load / count;
    const auto here = static_cast<std::size_t>(h - 1);
    DependentQueue& queue = hops.queues.emplace_back();
    queue.sources = {alone(count, rate)};
    if (h > 1) queue.links = {{here - 1, k}};
    if (h < levels) {
      hops.pairs.push_back(
          {{sources(count, rate, 0), sources(count * (k - 1), 0, load / (count * k))}, 1 / k});
      hops.between[{here, here + 1}] = here;
    } else {  // below the root all links carry packets of the same leaves, each of which takes one of them
      hops.pairs.push_back({{sources(leaves, rate, rate * (k - 1) / k)}, 1 / k});
      hops.between[{last, last}] = last;
    }
  }
  Route route;
  for (int h = 1; h < 2 * levels; ++h)
    route.queues.push_back(static_cast<std::size_t>(std::min(h, levels) - 1));
  return {std::make_shared<const DependentHops>(std::move(hops)), {{route}}};
}

DependentPaths TreePairs::nearest_ancestor(const std::vector<Rational>& shares) const {
  DependentHops hops;
  const auto up = [](int level) { return static_cast<std::size_t>(level - 1); };
  const auto down = [&](int level) { return static_cast<std::size_t>(levels - 1 + level - 1); };
  const auto add = [&](std::size_t first, std::size_t second, queue::QueuePair pair) {
    hops.between[{first, second}] = hops.pairs.size();
    hops.pairs.push_back(std::move(pair));
    return hops.pairs.size() - 1;
  };
  hops.queues.resize(static_cast<std::size_t>(2 * levels - 1));
  const double each = load / leaves;  // rate of a leaf through a downward queue
  for (int j = 1; j < levels; ++j) hops.queues[up(j)].sources = {alone(power(j), load * above(j) / power(j))};
  for (int j = 1; j <= levels; ++j) hops.queues[down(j)].sources = {alone(down_sources(j), each)};
  hops.queues[down(1)].straight = {alone(k, each)};
  for (int j = 1; j < levels; ++j) {
    const double rate = load * above(j) / power(j);
    if (j + 1 < levels)
      hops.queues[up(j + 1)].links.push_back(
          {add(up(j), up(j + 1),
               {{sources(power(j), rate, 0),
                 sources(power(j + 1) - power(j), 0, load * above(j + 1) / power(j + 1))},
                above(j + 1) / above(j) / k}),
           k});
    hops.queues[down(j + 1)].links.push_back(
        {add(up(j), down(j + 1),
             {{sources(power(j), rate, 0), sources(down_sources(j + 1) - power(j), 0, each)},
              (above(j) - above(j + 1)) / above(j) / (k - 1)}),
         k - 1});
    hops.queues[down(j)].links.push_back({add(down(j + 1), down(j),
                                              {{sources(down_sources(j + 1), each, each * (k - 1) / k),
                                                sources(down_sources(j) - down_sources(j + 1), 0, each)},
                                               1 / k}),
                                          k});
  }
  std::vector<Route> routes;
  for (int turn = 1; turn <= levels; ++turn) {
    Route& route = routes.emplace_back();
    route.share = shares[static_cast<std::size_t>(turn - 1)];
    for (int j = 1; j < turn; ++j) route.queues.push_back(up(j));
    for (int j = turn; j >= 1; --j) route.queues.push_back(down(j));
  }
  return {std::make_shared<const DependentHops>(std::move(hops)), {std::move(routes)}};
}

/// The hops with the queues' arrivals from tree_delay(), by position on the same routes.
std::shared_ptr<const DependentHops> with_bursts(const DependentPaths& paths, const network::Tree& tree,
                                                 const Rational& load, TreeRouting routing,
                                                 const traffic::Burst& burst) {
  const TreeDelay known = tree_delay(tree, load, routing, network::Sources::independent_sources, burst,
                                     traffic::Destination::per_packet);
  auto hops = std::make_shared<DependentHops>(*paths.hops);
  for (std::size_t i = 0; i < known.routes.size(); ++i)
    for (std::size_t hop = 0; hop < known.routes[i].queues.size(); ++hop)
      hops->queues[paths.flows.front()[i].queues[hop]].bursts =
          std::get<queue::MarkovArrivals>(known.network.queues[known.routes[i].queues[hop]]);
  const queue::PerPacketSources sources{numeric::nearest_double(load), numeric::nearest_double(burst.slots),
                                        numeric::nearest_double(burst.on_rate)};
  for (const queue::QueuePair& pair : hops->pairs)
    hops->burst_dependence.push_back(
        queue::burst_dependence(sources, pair.forwarded, static_cast<double>(tree.radix), tree.levels));
  return hops;
}

/// Equal rates give equal sums, in any order of addition.
double rounded_rate(double rate) {
  return std::ldexp(std::round(std::ldexp(rate, 44)), -44);
}

/// Rate of each host [packets/slot].
using Rates = std::map<std::size_t, double>;

double total(const Rates& rates) {
  double sum = 0;
  for (const auto& [host, rate] : rates) sum += rate;
  return sum;
}

double rate_of_host(const Rates& rates, std::size_t host) {
  const auto place = rates.find(host);
  return place == rates.end() ? 0 : place->second;
}

/// Identical sources merged; those with zero rate up to rounding are dropped.
std::vector<queue::LoneSource> identical_sources(const Rates& rates) {
  std::map<double, std::int64_t> counts;
  for (const auto& [host, rate] : rates)
    if (rounded_rate(rate) > 1e-12) ++counts[rounded_rate(rate)];
  std::vector<queue::LoneSource> result;
  for (const auto& [rate, count] : counts) result.push_back({count, rate});
  return result;
}

std::vector<PairSource> merged(std::vector<PairSource> sources) {
  std::sort(sources.begin(), sources.end(), [](const PairSource& a, const PairSource& b) {
    return std::pair(a.through, a.around) < std::pair(b.through, b.around);
  });
  std::vector<PairSource> result;
  for (const PairSource& source : sources)
    if (!result.empty() && result.back().through == source.through && result.back().around == source.around)
      ++result.back().count;
    else
      result.push_back(source);
  return result;
}

queue::QueuePair pair_of(const Rates& first, const Rates& second, const Rates& direct) {
  queue::QueuePair pair;
  pair.forwarded = std::min(1.0, rounded_rate(total(direct) / total(first)));
  std::vector<PairSource> sources;
  for (const auto& [host, rate] : first) {
    const double around =
        std::max(0.0, rounded_rate(rate_of_host(second, host) - rate_of_host(direct, host)));
    sources.push_back({1, rounded_rate(rate), std::min(around, 1 - rounded_rate(rate))});
  }
  for (const auto& [host, rate] : second)
    if (!first.contains(host)) sources.push_back({1, 0, rounded_rate(rate)});
  pair.sources = merged(std::move(sources));
  return pair;
}

}  // namespace

DependentPaths dependent_tree(const network::Tree& tree, const Rational& load, TreeRouting routing,
                              const std::optional<traffic::Burst>& burst) {
  std::vector<Rational> shares;
  for (const network::TreePath& path :
       network::tree_paths(tree, load, routing, network::Sources::independent_sources))
    shares.push_back(path.share);
  const auto k = static_cast<double>(tree.radix);
  const TreePairs pairs{k, numeric::nearest_double(load), std::round(std::pow(k, tree.levels)), tree.levels};
  DependentPaths paths =
      routing == TreeRouting::random_root ? pairs.random_root() : pairs.nearest_ancestor(shares);
  if (burst) paths.hops = with_bursts(paths, tree, load, routing, *burst);
  return paths;
}

DependentPaths dependent_network(const Network& network) {
  network::require_valid(network);
  std::vector<Rates> through(network.links.size());
  std::map<std::pair<std::size_t, std::size_t>, Rates> direct;  // by pair of successive links with queues
  std::vector<char> omitted(network.links.size(), 0);
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes) {
      if (flow.burst) {
        for (const std::size_t link : route.links) omitted[link] = 1;
        continue;
      }
      const double rate = numeric::nearest_double(flow.rate * route.share);
      std::size_t before = network.links.size();
      for (const std::size_t link : route.links) {
        if (!network.has_queue(link)) continue;
        through[link][flow.source] += rate;
        if (before < network.links.size()) direct[{before, link}][flow.source] += rate;
        before = link;
      }
    }
  DependentHops hops;
  hops.queues.resize(network.links.size());
  for (std::size_t link = 0; link < network.links.size(); ++link)
    hops.queues[link].sources = identical_sources(through[link]);
  std::vector<Rates> straight = through;
  std::map<queue::QueuePair, std::size_t> known;
  for (const auto& [links, rates] : direct) {
    const auto& [first, second] = links;
    if (omitted[first] || omitted[second]) continue;
    queue::QueuePair pair = pair_of(through[first], through[second], rates);
    const auto [entry, is_new] = known.try_emplace(pair, hops.pairs.size());
    const std::size_t place = entry->second;
    if (is_new) hops.pairs.push_back(std::move(pair));
    hops.between[links] = place;
    for (const auto& [host, rate] : rates) straight[second][host] -= rate;
    auto& feeding = hops.queues[second].links;
    const auto same = std::find_if(feeding.begin(), feeding.end(),
                                   [&](const DependentQueue::Links& each) { return each.pair == place; });
    if (same == feeding.end())
      feeding.push_back({place, 1});
    else
      ++same->count;
  }
  for (std::size_t link = 0; link < network.links.size(); ++link)
    if (!hops.queues[link].links.empty()) hops.queues[link].straight = identical_sources(straight[link]);
  DependentPaths paths;
  for (const network::Flow& flow : network.flows) {
    std::map<std::vector<std::size_t>, Rational> shares;
    bool derived = true;
    for (const network::Route& route : flow.routes) {
      std::vector<std::size_t> queues;
      queues.reserve(route.links.size());
      for (const std::size_t link : route.links)
        if (network.has_queue(link)) {
          queues.push_back(link);
          derived = derived && !omitted[link];
        }
      const auto [place, is_new] = shares.try_emplace(std::move(queues), route.share);
      if (!is_new) place->second = place->second + route.share;
    }
    std::vector<Route>& routes = paths.flows.emplace_back();
    if (derived)
      for (const auto& [queues, share] : shares) routes.push_back({queues, share});
  }
  paths.hops = std::make_shared<const DependentHops>(std::move(hops));
  return paths;
}

}  // namespace tailbound::bounds
