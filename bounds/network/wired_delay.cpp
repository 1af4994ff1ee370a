#include <tailbound/bounds/network/wired_chains.hpp>
#include <tailbound/bounds/network/wired_delay.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Rational;

/// The correction for three or more queues is computed down to probabilities of this size; beyond, it is
/// constant.
constexpr double corrected_to = 1e-4;
/// Smaller probabilities are extrapolated with the decay rate of the previous ones.
constexpr double rarest = 1e-10;

}  // namespace

class WiredKnowledge {
  using Meets = WiredDelay::Meets;
  using Series = WiredChains::Series;

 public:
  explicit WiredKnowledge(const network::Network& network)
      : network_(collapsed(network)), nodes_(network.nodes.size()) {
    for (const network::Flow& flow : network.flows) {
      bursts_.push_back(flow.burst);
      rates_.push_back(flow.rate);
    }
    const std::vector<char> derived = derived_queues();
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
      std::vector<Route>& routes = flows_.emplace_back();
      bool all_derived = true;
      Meets meets = Meets::one;
      std::size_t fewest = QueueInput::none;
      for (const CollapsedRoute& its : network_.flows[flow]) {
        for (std::size_t hop = 0; hop < its.queues.size(); ++hop) {
          const CollapsedQueue& queue = network_.queues[its.queues[hop]];
          all_derived = all_derived && derived[its.queues[hop]] != 0;
          if (hop > 0)
            fewest = std::min<std::size_t>(fewest, static_cast<std::size_t>(std::count_if(
                                                       queue.inputs.begin(), queue.inputs.end(),
                                                       [](const QueueInput& in) { return !in.straight(); })));
        }
        if (!its.queues.empty() && (its.queues.size() > 1 || !fed_by_sources(its.queues.front())))
          meets = Meets::several;
        else if (!its.queues.empty() && meets == Meets::one && !equal_inputs(its.queues.front()))
          meets = Meets::one_unequal;
        routes.push_back({{routes_.size()}, its.share, its.hops > 0 ? its.hops - 1 : 0});
        routes_.push_back({its.queues, its.inputs, its.source, static_cast<std::int64_t>(its.hops)});
      }
      meets_.push_back(meets);
      fewest_links_.push_back(fewest == QueueInput::none ? 0 : fewest);
      const bool reaches = std::all_of(network_.flows[flow].begin(), network_.flows[flow].end(),
                                       [](const CollapsedRoute& its) { return its.hops > 0; });
      if (!all_derived || !reaches) routes.clear();
    }
  }

  RouteLaw law(const Route& its, double target) {
    const WiredRoute& route = routes_[its.queues.front()];
    const double share = numeric::nearest_double(its.share);
    if (route.queues.empty()) return route_law({1}, {}, share, route.hops);
    // Rounded to whole powers of ten, so that routes of a network share solutions.
    const int power =
        std::clamp(static_cast<int>(std::floor(std::log10(std::max(target, rarest)) + 1e-9)), -10, -3);
    Level& level = levels_.try_emplace(power, network_, std::pow(10.0, power)).first->second;
    const bool corrected = route.queues.size() > 2;
    std::pair<WiredChains::Signature, WiredChains::Signature> signature{level.chains.signature(route), {}};
    if (corrected) signature.second = plain_.signature(route);
    if (const auto known = level.laws.find(signature); known != level.laws.end()) {
      RouteLaw law = known->second;
      law.share = share;
      law.hops = route.hops;
      return law;
    }
    WiredChains::Delay delay = level.chains.markov(route);
    if (corrected) {
      const auto [known, is_new] = corrections_.try_emplace(signature.second);
      if (is_new) {
        const Series carried = plain_.carried(route), before = plain_.markov(route).tails;
        for (std::size_t t = 0;
             t < carried.size() && t < before.size() && before[t] > WiredChains::omitted * corrected_to; ++t)
          known->second.push_back(carried[t] / before[t]);
      }
      double last = 1, ratio = 1;
      for (std::size_t t = 0; t < delay.tails.size(); ++t) {
        if (t < known->second.size()) ratio = known->second[t];
        last = delay.tails[t] = std::min(last, delay.tails[t] * ratio);
      }
      // Probability moved to later slots is taken from earlier ones: the mean remains the sum of the mean
      // waits (I2).
      double mean = 0;
      for (const Series& wait : delay.waits) mean += WiredChains::mean_of(wait);
      const double scale = mean / WiredChains::sum_of(delay.tails);
      for (double& tail : delay.tails) tail = std::min(1.0, tail * scale);
    }
    Series mass{1 - delay.tails.front()};
    for (std::size_t t = 1; t < delay.tails.size(); ++t) mass.push_back(delay.tails[t - 1] - delay.tails[t]);
    RouteLaw law = route_law(mass, delay.waits, share, route.hops);
    law.mean = WiredChains::sum_of(law.tails);
    continue_below(law, 0.1 * std::pow(10.0, power));
    level.laws.emplace(std::move(signature), law);
    return law;
  }

  const std::vector<Route>& routes(std::size_t flow) const { return flows_[flow]; }
  WiredDelay::Meets meets(std::size_t flow) const { return meets_[flow]; }
  std::size_t fewest_links(std::size_t flow) const { return fewest_links_[flow]; }

  std::optional<std::vector<WiredDelay::SourceRoute>> source_routes(std::size_t flow) const {
    if (meets_[flow] == Meets::several) return std::nullopt;
    std::vector<WiredDelay::SourceRoute> routes;
    for (const CollapsedRoute& its : network_.flows[flow]) {
      WiredDelay::SourceRoute& route = routes.emplace_back();
      route.share = its.share;
      route.hops = its.hops;
      if (its.queues.empty()) continue;
      const CollapsedQueue& queue = network_.queues[its.queues.front()];
      if (queue.bursts) route.bursts = marked(queue, its.inputs.front());
      route.link = its.queues.front();
      route.own = queue.inputs[its.inputs.front()].exact_rate;
      std::map<Rational, std::int64_t> counts;
      for (const QueueInput& in : queue.inputs) ++counts[in.exact_rate];
      if (--counts[route.own] == 0) counts.erase(route.own);
      for (const auto& [rate, count] : counts) route.others.push_back({rate, count});
    }
    return routes;
  }

  void check(std::span<const Route> routes) const {
    for (const Route& route : routes)
      if (route.queues.size() != 1 || route.queues.front() >= routes_.size())
        throw InvalidArgument("route", std::to_string(route.queues.size()) + " numbers",
                              "one route index from WiredDelay::routes()");
  }

 private:
  /// Results down to some probability.
  struct Level {
    Level(const CollapsedNetwork& network, double target) : chains(network, target, false) {}
    WiredChains chains;
    std::map<std::pair<WiredChains::Signature, WiredChains::Signature>, RouteLaw> laws;
  };

  /// Queues without bursts, there and at all earlier queues.
  std::vector<char> derived_queues() const {
    std::vector<char> derived;
    for (const CollapsedQueue& queue : network_.queues)
      derived.push_back(!queue.waits || !queue.bursts ? 1 : 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t queue = 0; queue < derived.size(); ++queue) {
        if (derived[queue] == 0 || !network_.queues[queue].waits) continue;
        for (const QueueInput& in : network_.queues[queue].inputs)
          if (!in.straight() && derived[in.queue] == 0) {
            derived[queue] = 0;
            changed = true;
            break;
          }
      }
    }
    return derived;
  }

  /// Each over one input: what a source sends over one of several is missing from the others later, so that
  /// slots are correlated.
  bool fed_by_sources(std::size_t queue) const {
    const CollapsedQueue& its = network_.queues[queue];
    return its.inputs.size() == its.sources.size() &&
           std::all_of(its.inputs.begin(), its.inputs.end(),
                       [](const QueueInput& in) { return in.straight(); });
  }
  bool equal_inputs(std::size_t queue) const {
    const auto& inputs = network_.queues[queue].inputs;
    return std::all_of(inputs.begin(), inputs.end(), [&](const QueueInput& in) {
      return in.exact_rate == inputs.front().exact_rate && bursts_of(in) == bursts_of(inputs.front());
    });
  }
  /// An input from a source, as on-off source.
  queue::OnOffGroup on_off(const QueueInput& in) const {
    const Rational& rate = in.exact_rate;
    if (!bursts_of(in)) return {traffic::OnOff{.load = rate, .on_rate = rate, .start = 1, .stop = 0}, 1};
    const std::size_t flow = in.source - nodes_;
    return {traffic::thinned(traffic::on_off(rates_[flow], *bursts_[flow]), rate / rates_[flow]), 1};
  }
  /// \param own  the input of the source whose packets wait
  queue::MarkedArrivals marked(const CollapsedQueue& queue, std::size_t own) const {
    queue::MarkedArrivals arrivals{.others = {}, .own = on_off(queue.inputs[own])};
    for (std::size_t i = 0; i < queue.inputs.size(); ++i) {
      if (i == own) continue;
      queue::OnOffGroup each = on_off(queue.inputs[i]);
      const auto same =
          std::find_if(arrivals.others.begin(), arrivals.others.end(),
                       [&](const queue::OnOffGroup& known) { return known.source == each.source; });
      if (same == arrivals.others.end())
        arrivals.others.push_back(std::move(each));
      else
        ++same->count;
    }
    return arrivals;
  }
  /// (slots, on-rate) of an input from a source; none without bursts.
  std::optional<std::pair<Rational, Rational>> bursts_of(const QueueInput& in) const {
    if (!in.straight() || in.source < nodes_) return std::nullopt;
    const auto& burst = bursts_[in.source - nodes_];
    return std::pair(burst->slots, burst->on_rate);
  }

  CollapsedNetwork network_;
  std::size_t nodes_;                                  ///< then follow the flows with bursts
  std::vector<std::optional<traffic::Burst>> bursts_;  ///< of each flow
  std::vector<Rational> rates_;                        ///< the same
  std::vector<WiredRoute> routes_;
  std::vector<std::vector<Route>> flows_;
  std::vector<Meets> meets_;
  std::vector<std::size_t> fewest_links_;
  std::map<int, Level> levels_;
  WiredChains plain_{network_, corrected_to, true};
  std::map<WiredChains::Signature, Series> corrections_;  ///< factors of P(D > t), t = 0, 1, ..
};

WiredDelay::WiredDelay(const network::Network& network)
    : knowledge_(std::make_shared<WiredKnowledge>(network)) {}

const std::vector<Route>& WiredDelay::routes(std::size_t flow) const {
  return knowledge_->routes(flow);
}

WiredDelay::Meets WiredDelay::meets(std::size_t flow) const {
  return knowledge_->meets(flow);
}

std::size_t WiredDelay::fewest_links(std::size_t flow) const {
  return knowledge_->fewest_links(flow);
}

std::optional<std::vector<WiredDelay::SourceRoute>> WiredDelay::source_routes(std::size_t flow) const {
  return knowledge_->source_routes(flow);
}

RouteLaw WiredDelay::law(const Route& route, double target) {
  knowledge_->check({&route, 1});
  return knowledge_->law(route, target);
}

ClaimedDelayAnswer WiredDelay::claims(std::span<const Route> routes, const DelayQuery& query) {
  require_valid(routes, query);
  knowledge_->check(routes);
  const Horizon horizon = horizon_of(routes, query);
  std::vector<RouteLaw> laws;
  for (const Route& route : routes) {
    laws.push_back(knowledge_->law(route, horizon.target));
    require_consistent(laws.back());
  }
  return claims_of(laws, query);
}

DelayDistribution WiredDelay::distribution(std::span<const Route> routes, const Rational& negligible) {
  require_valid(routes, {});
  knowledge_->check(routes);
  require_negligible(negligible);
  std::vector<RouteLaw> laws;
  for (const Route& route : routes) {
    laws.push_back(knowledge_->law(route, 1e-3 * numeric::nearest_double(negligible)));
    require_consistent(laws.back());
    // Down to where they matter.
    RouteLaw& law = laws.back();
    while (law.goes_on && law.tails.back() > 1e-3 * numeric::nearest_double(negligible) && law.slope > 1e-4)
      law.tails.push_back(law.tails.back() * std::exp(-law.slope));
  }
  return distribution_of(laws, negligible);
}

}  // namespace tailbound::bounds
