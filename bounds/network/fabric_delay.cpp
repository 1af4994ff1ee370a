#include <tailbound/bounds/network/fabric_delay.hpp>
#include <tailbound/bounds/network/network_delay.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/rounding.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace tailbound::bounds {
namespace {

using network::FabricGraph;
using network::FabricOrbits;
using network::FabricRates;
using network::RouteRule;
using numeric::Enclosure;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;

constexpr std::size_t max_fabric_ticks = std::size_t{1} << 16;
constexpr double max_products = 2e12;
constexpr double unit_roundoff = 0x1p-53;
constexpr std::array rules{RouteRule::shortest, RouteRule::spread, RouteRule::minimal, RouteRule::valiant};

double up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}
double down(double value) {
  return std::nextafter(value, 0.0);
}

template <class Unit>
Enclosure<Unit> between(double lower, double upper) {
  return Enclosure<Unit>({numeric::Theorem::convolution, numeric::Assumption::independent_hops}, Real(lower),
                         Real(upper));
}

/// The wait at one queue, in packet times of its link, in double.
struct Wait {
  std::vector<double> mass, tail;
  double units = 0;             ///< relative errors of any entry, in unit roundoffs
  double error = 0;             ///< absolute error of a tail, and of the sum of all masses
  double lower = 0, upper = 0;  ///< of the mean [ticks]
};

/// The rest of the path from a node: P(D > t) of the waits [ticks]; for latencies also the packet times
/// beyond the minimum.
struct Left {
  std::vector<double> tail;
  double units = 0, error = 0;
  double lower = 0, upper = 0;  ///< of the mean [ticks]
  std::int64_t hops = 0;        ///< queues on the shortest path
  std::int64_t ticks = 0;       ///< packet times of the links of these queues, on the fastest path
};

/// What pairs are summed by: Left::hops and Left::ticks.
struct Passed {
  std::int64_t hops = 0, ticks = 0;
  auto operator<=>(const Passed&) const = default;
};

constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max(), unknown = unused - 1;
constexpr std::uint64_t most_common = std::uint64_t{1} << 32U;

struct Choice {
  std::uint32_t queue = 0, next = 0;
  std::uint64_t weight = 0;
  auto operator<=>(const Choice&) const = default;
};

/// P(D > t) <= 1 - p: the target as a double below and one above.
struct Target {
  double below = 0, above = 0;
};

Target target_of(const Rational& percentile) {
  const double value = numeric::nearest_double(1 - percentile);
  return {down(value), up(value)};
}

/// Pairs that are summed.
struct Sum {
  std::uint64_t pairs = 0;
  // In long double: with this many terms, roundings would be visible in double.
  long double weight = 0;            ///< packets per slot
  std::vector<long double> tail;     ///< tails of the waits, times their weights
  long double lower = 0, upper = 0;  ///< bounds of the mean wait, times weights
  double units = 0, error = 0;
  std::uint64_t terms = 0;
  struct Rank {
    std::int64_t worst = -1, best = std::numeric_limits<std::int64_t>::max();  ///< of the waits
    std::uint32_t from = 0, to = 0;
    double worst_lower = 0, worst_upper = 1;
    numeric::Integer slots = 0;  ///< summed over pairs
  };
  std::vector<Rank> ranks;
};

}  // namespace

std::vector<queue::SmallSource> small_sources_of(const FabricRates& rates, const FabricRates::Queue& queue) {
  std::vector<queue::SmallSource> sources;
  for (const FabricRates::Source& source : rates.sources(queue))
    sources.push_back({source.rate, static_cast<std::int64_t>(source.count)});
  return sources;
}

class FabricDelay::Work {
 public:
  Work(const FabricGraph& graph, const FabricOrbits& orbits, const FabricRates& rates)
      : graph_(graph), orbits_(orbits), rates_(rates), waits_(rates.queues().size()) {
    std::vector<network::OverloadedLink> full = network::overloaded_links(graph.fabric().network, rates);
    if (!full.empty()) throw Overloaded(std::move(full));
    read_values();
    read_clocks();
  }

  [[nodiscard]] std::int64_t ticks_per_slot() const { return ticks_per_slot_; }

  FabricDelayAnswer answer(const std::vector<Rational>& percentiles, const std::function<void()>& pulse,
                           const Rational& per_queue) {
    require_valid(percentiles);
    latency_ = true;
    per_queue_ = per_queue;
    for (;;) {
      try {
        return answer_within(percentiles, pulse);
      } catch (const TooShort&) {
        lengthen();
      }
    }
  }

  FabricQueueing queueing(std::size_t levels, double minimum, const std::function<void()>& pulse) {
    latency_ = false;
    while (size_ < levels) lengthen();
    for (;;) {
      FabricQueueing found = queueing_within(pulse);
      if (static_cast<double>(found.above.back().upper()) <= minimum) return found;
      lengthen();
    }
  }

  FabricPairDelay pair(std::uint32_t from, std::uint32_t to, const std::vector<Rational>& percentiles,
                       const Rational& per_queue) {
    require_valid(percentiles);
    latency_ = true;
    per_queue_ = per_queue;
    for (;;) {
      try {
        return pair_within(from, to, percentiles);
      } catch (const TooShort&) {
        lengthen();
      }
    }
  }

  Enclosure<unit::Probability> pair_above(std::uint32_t from, std::uint32_t to, std::int64_t ticks) {
    latency_ = true;
    per_queue_ = 0;
    while (static_cast<std::int64_t>(size_) <= ticks) lengthen();
    const Sums sums = sums_of_pair(from, to, {});
    long double above = 0, weight = 0;
    double units = weight_units(sums), error = 0;
    for (const auto& [passed, sum] : sums) {
      above += ticks < passed.ticks ? sum.weight : sum.tail[static_cast<std::size_t>(ticks - passed.ticks)];
      weight += sum.weight;
      error = std::max(error, sum.error);
      units = std::max(units, weight_units(sums) + sum.units);
    }
    const Bounds found = bounds_of(static_cast<double>(above / weight), units, error);
    return between<unit::Probability>(found.lower, found.upper);
  }

  [[nodiscard]] BufferSize buffer(std::size_t queue, const DropTarget& target, numeric::Digits digits) const {
    const FabricRates::Queue& its = rates_.queues()[queue];
    if (target.probability > 0 && target.probability < 1 && digits.count <= 12)
      if (auto found = small_sources_buffer(its, target, digits)) return *std::move(found);
    return buffer_size(slotted_queue(rates_.traffic(graph_.fabric().network, its)), target,
                       {.digits = digits});
  }

  [[nodiscard]] Enclosure<unit::Slot> mean_wait(std::size_t queue) {
    const Wait& its = wait(static_cast<std::uint32_t>(queue));
    return slots_between(its.lower, its.upper);
  }

 private:
  struct TooShort {};
  using Sums = std::map<Passed, Sum>;
  using Parts = std::vector<std::pair<Passed, const Sum*>>;

  static void require_valid(const std::vector<Rational>& percentiles) {
    for (const Rational& p : percentiles)
      if (!(p > 0 && p < 1) || numeric::nearest_double(1 - p) < 1e-300)
        throw InvalidArgument("percentile", numeric::to_fraction(p),
                              "a probability above 0 and below 1, at most 1 - 1e-300");
  }

  void lengthen() {
    size_ *= 2;
    if (size_ > max_fabric_ticks)
      throw LimitExceeded("the delay would exceed " + std::to_string(max_fabric_ticks) +
                          (ticks_per_slot_ == 1 ? " slots" : " ticks of the clock of all links") +
                          "; the limit is 2^16");
  }

  /// Ticks in slots.
  [[nodiscard]] Rational slots_of(const Rational& ticks) const { return ticks / ticks_per_slot_; }
  /// A mean in slots, from ticks.
  [[nodiscard]] Enclosure<unit::Slot> slots_between(double lower, double upper) const {
    if (ticks_per_slot_ == 1) return between<unit::Slot>(lower, upper);
    const auto ticks = static_cast<double>(ticks_per_slot_);
    return between<unit::Slot>(down(lower / ticks), up(upper / ticks));
  }

  // --- Queues -------------------------------------------------------------------------------------------

  /// The packet time of each queue's link, in ticks.
  void read_clocks() {
    const network::Network& network = graph_.fabric().network;
    std::vector<bool> has_queue(network.links.size());
    for (std::size_t link = 0; link < has_queue.size(); ++link)
      has_queue[link] = rates_.queue_of_link()[link] != FabricRates::none;
    const network::LinkClocks clocks = network::link_clocks(network, has_queue);
    ticks_per_slot_ = clocks.slot;
    for (const FabricRates::Queue& queue : rates_.queues()) packet_.push_back(clocks.packet[queue.link]);
  }

  /// Its first values: enough for size_ ticks.
  const Wait& wait(std::uint32_t queue) {
    Wait& known = waits_[queue];
    const auto packet = static_cast<std::size_t>(packet_[queue]);
    const std::size_t size = (size_ + packet - 1) / packet;
    if (known.tail.size() >= size) return known;
    const FabricRates::Queue& its = rates_.queues()[queue];
    const double log2_min = -1100;
    const std::vector<queue::SmallSource> sources = small_sources_of(rates_, its);
    const Rational load = its.utilization();
    const queue::SmallSources small_sources{sources, FabricRates::rate_units, &load};
    const auto values = queue::small_sources_delay(small_sources, queue::HopDelay::wait, size, log2_min);
    const queue::MeanBounds mean = queue::mean_small_sources_wait(small_sources);
    known.lower = down(static_cast<double>(mean.lower * static_cast<long double>(packet)));
    known.upper = up(static_cast<double>(mean.upper * static_cast<long double>(packet)));
    known.mass.assign(size, 0);
    known.tail.assign(size, 0);
    for (std::size_t t = 0; t < size; ++t) {
      known.mass[t] = static_cast<double>(values.mass[t]);
      known.tail[t] = static_cast<double>(values.tail[t]);
    }
    const double scale =
        std::exp2(std::numeric_limits<double>::digits - std::numeric_limits<long double>::digits);
    known.units = std::max(values.mass_units, values.tail_units) * scale + 1.01;
    // Values below the smallest normal double lose digits, at most 2^-1074 each.
    known.error = up(static_cast<double>(values.tail_error)) + 0x1p-1070 +
                  static_cast<double>(size) * (up(static_cast<double>(values.mass_error)) + 0x1p-1070);
    return known;
  }

  [[nodiscard]] std::optional<BufferSize> small_sources_buffer(const FabricRates::Queue& its,
                                                               const DropTarget& target,
                                                               numeric::Digits digits) const {
    Rational minimum = target.probability;
    const Rational load = its.utilization();
    if (target.criterion == Criterion::loss)
      minimum = minimum * load / (1 - load + minimum * load);  // as in buffer_size()
    const std::vector<queue::SmallSource> sources = small_sources_of(rates_, its);
    const queue::SmallSources small_sources{sources, FabricRates::rate_units, &load};
    if (numeric::nearest_double(minimum) < 1e-280) return std::nullopt;
    const double wanted = numeric::nearest_double(minimum);
    for (std::size_t size = 64; size <= max_fabric_ticks; size *= 4) {
      const auto values =
          queue::small_sources_delay(small_sources, queue::HopDelay::occupancy, size, std::log2(wanted) - 64);
      if (static_cast<double>(values.tail.back()) > wanted) continue;
      const auto at = static_cast<std::size_t>(
          std::find_if(values.tail.begin(), values.tail.end(),
                       [&](long double tail) { return static_cast<double>(tail) <= wanted; }) -
          values.tail.begin());
      const auto probability = [&](std::size_t level) -> std::optional<queue::LevelProbability> {
        numeric::Proved<unit::Probability> tail = series::enclose_tail(
            {numeric::Theorem::convolution, numeric::Assumption::independent_hops}, values, level);
        if (target.criterion == Criterion::loss)
          tail = loss_of(std::get<Enclosure<unit::Probability>>(tail), load);
        const auto& bounds = std::get<Enclosure<unit::Probability>>(tail);
        if (!numeric::agree_to(bounds.lower(), bounds.upper(), digits)) return std::nullopt;
        return queue::LevelProbability{
            Packets(static_cast<std::int64_t>(level)),
            tail,
            {queue::Arithmetic::extended, std::numeric_limits<long double>::digits}};
      };
      auto found = probability(at);
      if (!found || !numeric::surely_at_most(found->probability, target.probability)) return std::nullopt;
      BufferSize size_found{Packets(static_cast<std::int64_t>(at)), *found, std::nullopt};
      if (at > 0) {
        auto before = probability(at - 1);
        if (!before || !numeric::surely_above(before->probability, target.probability)) return std::nullopt;
        size_found.before = *before;
      }
      return size_found;
    }
    return std::nullopt;
  }

  /// The fraction of packets lost with a buffer of B: P(Q > B) (1 - rho) / (rho P(Q <= B)).
  static Enclosure<unit::Probability> loss_of(const Enclosure<unit::Probability>& tail,
                                              const Rational& load) {
    const numeric::PrecisionScope scope(numeric::Precision{160});
    const Interval rho = numeric::to_interval(load);
    const auto loss = [&](const Real& end) {
      const Interval above = numeric::to_interval(end);
      return Interval(above * (Interval(1) - rho) / (rho * (Interval(1) - above)));
    };
    return {tail.proof(), numeric::lower(loss(tail.lower())), numeric::upper(loss(tail.upper()))};
  }

  // --- Traffic ------------------------------------------------------------------------------------------

  [[nodiscard]] const std::vector<network::Demand>& demands() const { return graph_.fabric().demands; }

  void read_values() {
    for (const network::Demand& demand : demands()) {
      auto& values = values_.emplace_back();
      std::visit(
          [&](const auto& rates) {
            for (const Rational& value : rates.values) values.push_back(numeric::nearest_double(value));
          },
          demand.rates);
      if (std::holds_alternative<network::ProductDemand>(demand.rates))
        has_products_[static_cast<std::size_t>(demand.route)] = true;
    }
  }

  /// Demand to a bundle from the lists of one rule, by sending bundle [packets/slot].
  [[nodiscard]] std::map<std::uint32_t, double> listed(const FabricGraph::Bundle& to, RouteRule rule) const {
    std::map<std::uint32_t, double> rates;
    for (std::size_t demand = 0; demand < demands().size(); ++demand) {
      const auto* sparse = std::get_if<network::SparseDemand>(&demands()[demand].rates);
      if (sparse == nullptr || demands()[demand].route != rule) continue;
      for (const auto& entry : network::listed_to(*sparse, graph_.members(to).front()))
        rates[graph_.bundle_of(entry.from)] += values_[demand][entry.rate];
    }
    return rates;
  }

  /// Rate from a node of one bundle to one of another by product demands of one rule [packets/slot].
  [[nodiscard]] double rate(const FabricGraph::Bundle& from, const FabricGraph::Bundle& to,
                            RouteRule rule) const {
    double sum = 0;
    const auto &sends = graph_.signatures()[from.signature].parts,
               &gets = graph_.signatures()[to.signature].parts;
    for (std::size_t demand = 0; demand < sends.size(); ++demand)
      if (demands()[demand].route == rule && sends[demand].out != 0 && gets[demand].in != 0 &&
          sends[demand].group == gets[demand].group)
        sum += values_[demand][sends[demand].out] * values_[demand][gets[demand].in];
    return sum;
  }

  // --- Paths ---------------------------------------------------------------------------------------------

  /// Computes the remaining delays to one bundle from each vertex that carries packets there.
  /// \param senders  bundles; null: all vertices may send
  void walk(const FabricGraph::Bundle& to, RouteRule rule, const std::vector<std::uint32_t>* senders) {
    const std::uint32_t toward = graph_.toward(to.vertex, rule);
    const bool elsewhere = std::exchange(walked_to_, to.vertex) != to.vertex;
    if (std::exchange(toward_, toward) != toward || elsewhere) {
      graph_.distances(to.vertex, rule, distance_);
      order_by_distance();
    }
    left_.clear();
    known_.clear();
    left_of_.assign(graph_.size(), unused);
    Left& end = left_.emplace_back();
    if (!to.own) {
      const std::uint32_t queue = rates_.queue_of_link()[graph_.link_to(graph_.members(to).front())];
      if (queue == FabricRates::none) return;
      const Wait& its = wait(queue);
      end = {{}, its.units, its.error, its.lower, its.upper, 1, packet_[queue]};
      end.tail.assign(size_, 0);
      add_tail(end.tail.data(), size_, 1, its, packet_[queue]);
    } else {
      end.tail.assign(size_, 0);
    }
    left_of_[to.vertex] = 0;
    if (rule == RouteRule::valiant) return walk_legs(to.vertex, senders);
    if (senders != nullptr) {
      find_met(*senders, rule);
      std::sort(met_.begin(), met_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return std::pair(distance_[a], a) < std::pair(distance_[b], b);
      });
    }
    for (const std::uint32_t vertex : senders != nullptr ? met_ : order_)
      if (vertex != to.vertex) left_of_[vertex] = left_from(vertex, rule);
  }

  /// Vertices on the paths from these bundles.
  void find_met(const std::vector<std::uint32_t>& senders, RouteRule rule) {
    met_.clear();
    is_met_.assign(graph_.size(), 0);
    const auto meet = [this](std::uint32_t vertex) {
      if (distance_[vertex] == FabricGraph::unreached || std::exchange(is_met_[vertex], 1) != 0) return;
      met_.push_back(vertex);
    };
    for (const std::uint32_t bundle : senders) meet(graph_.bundles()[bundle].vertex);
    for (std::size_t next = 0; next < met_.size(); ++next) {
      const std::uint32_t vertex = met_[next];
      for (const FabricGraph::Arc& arc : graph_.leaving(vertex)) {
        if (!graph_.leads_closer(vertex, arc, distance_.data(), toward_)) continue;
        meet(arc.other);
        if (rule == RouteRule::shortest) break;
      }
    }
  }

  void order_by_distance() {
    std::vector<std::size_t> begin;
    for (const std::uint16_t distance : distance_) {
      if (distance == FabricGraph::unreached) continue;
      if (begin.size() < distance + std::size_t{2}) begin.resize(distance + std::size_t{2}, 0);
      ++begin[distance + std::size_t{1}];
    }
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    order_.resize(begin.empty() ? 0 : begin.back());
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex)
      if (distance_[vertex] != FabricGraph::unreached) order_[begin[distance_[vertex]]++] = vertex;
  }

  /// Second legs of Valiant routes from all vertices, which are complete paths within the group of the
  /// destination; then first legs from senders outside it.
  void walk_legs(std::uint32_t to, const std::vector<std::uint32_t>* senders) {
    for (const std::uint32_t vertex : order_)
      if (vertex != to) left_of_[vertex] = left_from(vertex, RouteRule::spread);
    leg_of_.clear();
    std::vector<std::uint32_t> sources;
    for (std::uint32_t b = 0; b < graph_.bundles().size() && senders == nullptr; ++b)
      sources.push_back(graph_.bundles()[b].vertex);
    for (std::size_t i = 0; senders != nullptr && i < senders->size(); ++i)
      sources.push_back(graph_.bundles()[(*senders)[i]].vertex);
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());  // bundles are ordered by
                                                                                // vertex
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const std::uint32_t vertex : sources)
      if (const std::uint32_t group = graph_.group(vertex);
          group != network::SwitchGroups::none && group != graph_.group(to))
        found.emplace_back(vertex, left_by_groups(vertex, graph_.group(to)));
    for (const auto& [vertex, left] : found) left_of_[vertex] = left;
  }

  /// From a vertex where packets draw a group. Packets over the same link are mixed before its wait is added:
  /// there are many groups, but few links.
  std::uint32_t left_by_groups(std::uint32_t vertex, std::uint32_t to) {
    const network::SwitchGroups& groups = *graph_.groups();
    const auto arcs = graph_.leaving(vertex);
    struct Lead {
      std::size_t arc;
      std::uint32_t next;
      std::uint64_t weight, all;
    };
    std::vector<Lead> leads;
    std::uint64_t common = 1;  // multiple of the sums of weights
    for (const std::uint32_t group : groups.drawn) {
      if (group == graph_.group(vertex) || group == to) continue;
      const std::uint16_t* distance = to_group(group);
      const std::size_t first = leads.size();
      std::uint64_t all = 0, divisor = 0;
      for (std::size_t i = 0; i < arcs.size(); ++i) {
        if (!graph_.leads_closer(vertex, arcs[i], distance)) continue;
        leads.push_back({i, left_to_group(arcs[i].other, group), arcs[i].weight, 0});
        if (leads.back().next == unused) return unused;
        all += arcs[i].weight;
        divisor = std::gcd(divisor, std::uint64_t{arcs[i].weight});
      }
      if (divisor != 0) all /= divisor;
      for (std::size_t i = first; i < leads.size(); ++i) {
        leads[i].weight /= divisor;
        leads[i].all = all;
      }
      if (all != 0 && common < most_common) common = all < most_common ? std::lcm(common, all) : most_common;
    }
    if (leads.empty()) return unused;
    std::stable_sort(leads.begin(), leads.end(), [](const Lead& a, const Lead& b) { return a.arc < b.arc; });
    // For weights without a small common multiple, each group's paths are computed separately.
    if (common >= most_common) return left_group_by_group(vertex, to);
    const bool queues = graph_.forwards(vertex);
    std::vector<Choice> first_links;
    for (std::size_t i = 0; i < leads.size();) {
      const std::size_t arc = leads[i].arc;
      choices_.clear();
      std::uint64_t weight = 0;
      for (; i < leads.size() && leads[i].arc == arc; ++i) {
        choices_.push_back({0, leads[i].next, leads[i].weight * (common / leads[i].all)});
        weight += choices_.back().weight;
      }
      const std::uint32_t queue = queues ? rates_.queue_of_link()[arcs[arc].link] : 0;
      if (queues && queue == FabricRates::none) return unused;
      first_links.push_back({queue, mixed(), weight});
    }
    choices_ = std::move(first_links);
    return queues ? chosen(true) : mixed();
  }

  std::uint32_t left_group_by_group(std::uint32_t vertex, std::uint32_t to) {
    std::vector<Choice> each;
    for (const std::uint32_t group : graph_.groups()->drawn) {
      if (group == graph_.group(vertex) || group == to) continue;
      each.push_back({0, left_to_group(vertex, group), 1});
      if (each.back().next == unused) return unused;
    }
    choices_ = std::move(each);
    return mixed();
  }

  /// From a vertex through one group to the destination.
  std::uint32_t left_to_group(std::uint32_t from, std::uint32_t group) {
    const std::uint16_t* distance = to_group(group);
    const auto known = [&](std::uint32_t vertex) -> std::uint32_t& {
      return leg_of_.try_emplace(std::uint64_t{group} << 32U | vertex, unknown).first->second;
    };
    if (distance[from] == 0) return left_of_[from];
    if (known(from) != unknown) return known(from);
    std::vector<std::uint32_t> met{from};
    known(from) = unused;
    for (std::size_t next = 0; next < met.size(); ++next)
      for (const FabricGraph::Arc& arc : graph_.leaving(met[next]))
        if (graph_.leads_closer(met[next], arc, distance) && distance[arc.other] != 0 &&
            known(arc.other) == unknown) {
          known(arc.other) = unused;
          met.push_back(arc.other);
        }
    for (std::size_t i = met.size(); i-- > 0;)
      known(met[i]) = left_over(met[i], RouteRule::spread, distance, [&](std::uint32_t vertex) {
        return distance[vertex] == 0 ? left_of_[vertex] : known(vertex);
      });
    return known(from);
  }

  const std::uint16_t* to_group(std::uint32_t group) {
    to_group_.resize(graph_.groups()->size());
    if (to_group_[group].empty()) graph_.distances_to_group(group, to_group_[group]);
    return to_group_[group].data();
  }

  std::uint32_t left_from(std::uint32_t vertex, RouteRule rule) {
    return left_over(vertex, rule, distance_.data(), [this](std::uint32_t next) { return left_of_[next]; });
  }

  /// \param left  remaining delays of the next vertices, which are nearer
  template <class LeftOf>
  std::uint32_t left_over(std::uint32_t vertex, RouteRule rule, const std::uint16_t* distance, LeftOf left) {
    choices_.clear();
    const bool queues = graph_.forwards(vertex);
    for (const FabricGraph::Arc& arc : graph_.leaving(vertex)) {
      if (!graph_.leads_closer(vertex, arc, distance, toward_)) continue;
      const std::uint32_t queue = queues ? rates_.queue_of_link()[arc.link] : 0;
      const std::uint32_t next = left(arc.other);
      // No packet passes there, so none for this destination arrives here.
      if ((queues && queue == FabricRates::none) || next == unused) return unused;
      choices_.push_back({queue, next, arc.weight});
      if (rule == RouteRule::shortest) {
        choices_.back().weight = 1;
        break;
      }
    }
    return choices_.empty() ? unused : chosen(queues);
  }

  /// The mixture over the next vertices, without a wait.
  std::uint32_t mixed() {
    const bool identical = std::all_of(choices_.begin(), choices_.end(), [this](const Choice& choice) {
      return choice.next == choices_.front().next;
    });
    return identical ? choices_.front().next : chosen(false);
  }

  /// The remaining delay with these choices.
  std::uint32_t chosen(bool queues) {
    std::sort(choices_.begin(), choices_.end());
    std::size_t kept = 0;
    for (std::size_t i = 1; i < choices_.size(); ++i)
      if (choices_[i].queue == choices_[kept].queue && choices_[i].next == choices_[kept].next)
        choices_[kept].weight += choices_[i].weight;
      else
        choices_[++kept] = choices_[i];
    choices_.resize(kept + 1);
    std::uint64_t hash = queues ? 1 : 2, common = 0;
    for (const Choice& choice : choices_) common = std::gcd(common, choice.weight);
    for (Choice& choice : choices_) {
      choice.weight /= common;
      for (const std::uint64_t part :
           {std::uint64_t{choice.queue}, std::uint64_t{choice.next}, choice.weight}) {
        hash = (hash ^ part) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32U;
      }
    }
    const auto [first, last] = known_.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (it->second.queues == queues && it->second.choices == choices_) return it->second.left;
    const auto position = static_cast<std::uint32_t>(left_.size());
    left_.push_back(mixture(queues));
    known_.emplace(hash, Known{queues, choices_, position});
    ++computed_;
    return position;
  }

  [[noreturn]] static void throw_uneven() {
    throw NoAnswer(
        "a latency per hop can be added only if all paths between two hosts pass the same number of queues "
        "(routes shortest and spread), because delays are summed over paths in slots; with other routes, "
        "remove --hop-ns");
  }

  [[nodiscard]] Left mixture(bool queues) {
    double total = 0;
    Left sum;
    sum.tail.assign(size_, 0);
    sum.hops = sum.ticks = std::numeric_limits<std::int64_t>::max();
    const auto ticks = [&](const Choice& choice) {
      return left_[choice.next].ticks + (queues ? packet_[choice.queue] : 0);
    };
    for (const Choice& choice : choices_) {
      total += static_cast<double>(choice.weight);
      sum.hops = std::min(sum.hops, left_[choice.next].hops + (queues ? 1 : 0));
      sum.ticks = std::min(sum.ticks, ticks(choice));
    }
    for (const Choice& choice : choices_) {
      const double share = static_cast<double>(choice.weight) / total;
      const Left& next = left_[choice.next];
      double units = next.units, error = next.error;
      // With Valiant routes, paths of different lengths meet; otherwise at most links of different speeds.
      const std::size_t more = latency_ ? static_cast<std::size_t>(ticks(choice) - sum.ticks) : 0;
      if (latency_ && per_queue_ > 0 && next.hops + (queues ? 1 : 0) != sum.hops) throw_uneven();
      for (std::size_t t = 0; t < std::min(more, size_); ++t) sum.tail[t] += share;
      sum.lower += share * static_cast<double>(more);
      sum.upper += share * static_cast<double>(more);
      if (!queues) {
        for (std::size_t t = more; t < size_; ++t) sum.tail[t] += share * next.tail[t - more];
        sum.lower += share * next.lower;
        sum.upper += share * next.upper;
      } else {
        const Wait& its = wait(choice.queue);
        add_sum(sum.tail.data(), more, share, its, packet_[choice.queue], next.tail.data());
        units += its.units + static_cast<double>(its.tail.size()) + 2;
        error += its.error;
        sum.lower += share * (its.lower + next.lower);
        sum.upper += share * (its.upper + next.upper);
        products_ += static_cast<double>(its.tail.size()) * static_cast<double>(size_) / 2;
      }
      sum.units = std::max(sum.units, units + static_cast<double>(choices_.size()) + 4);
      sum.error = std::max(sum.error, error);
    }
    if (products_ > max_products)
      throw LimitExceeded("the delays of all pairs would need more than 2e12 products, which is the limit");
    const double slack = (2 * static_cast<double>(choices_.size()) + 4) * unit_roundoff;
    sum.lower *= 1 - slack;
    sum.upper *= 1 + slack;
    sum.error = up(sum.error * (1 + 1e-9));
    return sum;
  }

  /// sum[t] += share P(W > t), t < size; W is a multiple of `packet` ticks
  static void add_tail(double* sum, std::size_t size, double share, const Wait& wait, std::int64_t packet) {
    const auto step = static_cast<std::size_t>(packet);
    for (std::size_t n = 0, t = 0; t < size; ++n)
      for (const std::size_t end = std::min(size, t + step); t < end; ++t) sum[t] += share * wait.tail[n];
  }

  /// sum[t + more] += share (P(W > t) + sum over n <= t of P(W = n) P(next > t - n))
  void add_sum(double* sum, std::size_t more, double share, const Wait& wait, std::int64_t packet,
               const double* next) const {
    if (more >= size_) return;
    add_tail(sum + more, size_ - more, share, wait, packet);
    for (std::size_t n = 0, at = more; at < size_; ++n, at += static_cast<std::size_t>(packet)) {
      const double mass = share * wait.mass[n];
      // The omitted part is covered by the error of the tails.
      if (mass < 0x1p-1000) continue;
      double* to = sum + at;
      const std::size_t count = size_ - at;
      for (std::size_t i = 0; i < count; ++i) to[i] += mass * next[i];
    }
  }

  // --- Percentiles --------------------------------------------------------------------------------------

  struct Bounds {
    double lower, upper;
  };
  static Bounds bounds_of(double value, double units, double error) {
    const double gamma = units * unit_roundoff / (1 - units * unit_roundoff) * (1 + 1e-9);
    return {std::max(0.0, value * (1 - gamma) * (1 - 1e-15) - error),
            std::min(1.0, value * (1 + gamma) * (1 + 1e-15) + error)};
  }

  struct Found {
    std::int64_t slots = 0;  ///< of the waits [ticks]
    bool decided = true;
  };

  /// Smallest t with P(D > t) <= 1 - p; the larger of two that rounding cannot distinguish.
  [[nodiscard]] Found percentile(const std::vector<double>& tail, double units, double error,
                                 const Target& target, std::int64_t hint) const {
    const auto meets = [&](std::int64_t t) {
      return bounds_of(tail[static_cast<std::size_t>(t)], units, error).upper <= target.below;
    };
    const auto last = static_cast<std::int64_t>(size_) - 1;
    std::int64_t t = std::clamp<std::int64_t>(hint, 0, last);
    while (t < last && !meets(t)) ++t;
    while (t > 0 && meets(t - 1)) --t;
    if (!meets(t)) throw TooShort();
    const bool decided =
        t == 0 || bounds_of(tail[static_cast<std::size_t>(t) - 1], units, error).lower > target.above;
    return {t, decided};
  }

  void add_pairs(Sum& sum, const Left& left, std::uint64_t pairs, double weight,
                 const std::vector<Found>& found, std::uint32_t from, std::uint32_t to) {
    if (sum.tail.empty()) {
      sum.tail.assign(size_, 0);
      sum.ranks.resize(found.size());
    }
    sum.pairs += pairs;
    sum.weight += weight;
    const long double factor = weight;
    for (std::size_t t = 0; t < size_; ++t) sum.tail[t] += factor * left.tail[t];
    sum.units = std::max(sum.units, left.units);
    sum.error = std::max(sum.error, left.error);
    sum.lower += factor * left.lower;
    sum.upper += factor * left.upper;
    ++sum.terms;
    for (std::size_t i = 0; i < found.size(); ++i) {
      Sum::Rank& rank = sum.ranks[i];
      const std::int64_t slots = found[i].slots;
      rank.slots = rank.slots + numeric::Integer(slots) * numeric::Integer(pairs);
      rank.best = std::min(rank.best, slots);
      if (slots < rank.worst) continue;
      const Bounds at = bounds_of(left.tail[static_cast<std::size_t>(slots)], left.units, left.error);
      if (slots == rank.worst && at.upper <= rank.worst_upper) continue;
      rank.worst = slots;
      rank.from = from;
      rank.to = to;
      rank.worst_lower = at.lower;
      rank.worst_upper = at.upper;
    }
  }

  [[nodiscard]] std::vector<Found> percentiles_of(const Left& left,
                                                  const std::vector<Target>& targets) const {
    std::vector<Found> found;
    for (const Target& target : targets)
      found.push_back(percentile(left.tail, left.units, left.error, target,
                                 found.empty() ? static_cast<std::int64_t>(size_) / 8 : found.back().slots));
    return found;
  }

  FabricDelayAnswer answer_within(const std::vector<Rational>& percentiles,
                                  const std::function<void()>& pulse) {
    std::vector<Target> targets;
    for (const Rational& p : percentiles) targets.push_back(target_of(p));
    const Walked walked = walk_all(targets, pulse);
    const auto& sums = walked.sums;
    std::vector<FabricPairs> by_hops;
    Parts all, equal;
    for (auto part = sums.begin(); part != sums.end();) {
      equal.emplace_back(part->first, &part->second);
      all.push_back(equal.back());
      if (++part != sums.end() && part->first.hops == equal.back().first.hops) continue;
      by_hops.push_back(pairs_of(equal, percentiles, targets, sums));
      equal.clear();
    }
    FabricPairs every = pairs_of(all, percentiles, targets, sums);
    every.hops = 0;
    return {std::move(every), std::move(by_hops), walked.undecided, walked.destinations, computed_};
  }

  FabricQueueing queueing_within(const std::function<void()>& pulse) {
    const Walked walked = walk_all({}, pulse);
    long double weight = 0, lower = 0, upper = 0;
    double units = weight_units(walked.sums), error = 0;
    const double slack = units * unit_roundoff;
    double waits = 0;
    for (const auto& [passed, sum] : walked.sums) {
      weight += sum.weight;
      lower += sum.lower;
      upper += sum.upper;
      waits = std::max(waits, sum.units);
      error = std::max(error, sum.error);
    }
    units += waits;
    const auto quotient = [&](long double part) { return static_cast<double>(part / weight); };
    FabricQueueing found{
        .above = {},
        .mean = between<unit::Slot>(quotient(lower) * (1 - slack), quotient(upper) * (1 + slack))};
    for (std::size_t t = 0; t < size_; ++t) {
      long double above = 0;
      for (const auto& [passed, sum] : walked.sums) above += sum.tail[t];
      const Bounds at = bounds_of(quotient(above), units, error);
      found.above.push_back(between<unit::Probability>(at.lower, at.upper));
    }
    return found;
  }

  /// All pairs, by the number of queues on their paths and the packet times of these.
  struct Walked {
    Sums sums;
    std::uint64_t undecided = 0;
    std::size_t destinations = 0;
  };

  [[nodiscard]] Walked walk_all(const std::vector<Target>& targets, const std::function<void()>& pulse) {
    Walked walked;
    computed_ = 0;
    std::vector<std::uint64_t> identical(graph_.bundles().size(), 0);
    for (std::uint32_t b = 0; b < graph_.bundles().size(); ++b)
      identical[orbits_.bundle[b]] += graph_.bundles()[b].count;
    for (std::uint32_t b = 0; b < graph_.bundles().size(); ++b) {
      if (orbits_.bundle[b] != b) continue;
      for (const RouteRule rule : rules) {
        if (!receives(b, rule)) continue;
        if (pulse) pulse();
        ++walked.destinations;
        add_destination(b, rule, identical[b], targets, walked.sums, walked.undecided);
      }
    }
    return walked;
  }

  [[nodiscard]] bool receives(std::uint32_t bundle, RouteRule rule) const {
    const auto& parts = graph_.signatures()[graph_.bundles()[bundle].signature].parts;
    for (std::size_t demand = 0; demand < parts.size(); ++demand)
      if (demands()[demand].route == rule && parts[demand].in != 0) return true;
    const std::uint32_t node = graph_.members(graph_.bundles()[bundle]).front();
    return std::any_of(demands().begin(), demands().end(), [&](const network::Demand& demand) {
      const auto* sparse = std::get_if<network::SparseDemand>(&demand.rates);
      return sparse != nullptr && demand.route == rule && !network::listed_to(*sparse, node).empty();
    });
  }

  void add_destination(std::uint32_t position, RouteRule rule, std::uint64_t identical,
                       const std::vector<Target>& targets, Sums& sums, std::uint64_t& undecided) {
    const FabricGraph::Bundle& to = graph_.bundles()[position];
    const std::map<std::uint32_t, double> known = listed(to, rule);
    const bool only_listed = !has_products_[static_cast<std::size_t>(rule)];
    std::vector<std::uint32_t> sources;
    for (const auto& [b, sends] : known) sources.push_back(b);
    walk(to, rule, only_listed ? &sources : nullptr);
    // Total rate of senders with one distribution; the first one represents all.
    struct Senders {
      std::uint64_t nodes = 0;
      double rate = 0;
      std::uint32_t first = 0;
    };
    std::vector<Senders> senders(left_.size());
    const auto add = [&](std::uint32_t vertex, std::uint64_t nodes, double rate, std::uint32_t first) {
      if (left_of_[vertex] == unused) throw std::logic_error("fabric delay: a sender without a path");
      Senders& its = senders[left_of_[vertex]];
      if (its.nodes == 0) its.first = first;
      its.nodes += nodes;
      its.rate += rate * static_cast<double>(nodes);
    };
    const auto add_bundle = [&](std::uint32_t b, double sends) {
      const FabricGraph::Bundle& from = graph_.bundles()[b];
      const std::uint64_t nodes = from.count - (b == position ? 1U : 0U);
      if (sends > 0 && nodes > 0) add(from.vertex, nodes, sends, graph_.members(from)[b == position ? 1 : 0]);
    };
    for (const auto& [b, sends] : known)
      if (only_listed) add_bundle(b, sends);
    for (std::uint32_t b = 0; b < graph_.bundles().size() && !only_listed; ++b) {
      double sends = rate(graph_.bundles()[b], to, rule);
      if (!known.empty())
        if (const auto found = known.find(b); found != known.end()) sends += found->second;
      add_bundle(b, sends);
    }
    for (std::size_t i = 0; i < senders.size(); ++i) {
      const Senders& its = senders[i];
      if (its.nodes == 0) continue;
      const Left& left = left_[i];
      const std::vector<Found> found = percentiles_of(left, targets);
      for (const Found& each : found)
        if (!each.decided) undecided += its.nodes * identical;
      add_pairs(sums[{left.hops, left.ticks}], left, its.nodes * identical,
                its.rate * static_cast<double>(identical), found, its.first, graph_.members(to).front());
    }
  }

  /// Rounding of a quotient of sums over pairs, in unit roundoffs. Per weight a sum over demands and over the
  /// senders of one distribution, in double; then sums of long doubles, in numerator and denominator.
  [[nodiscard]] double weight_units(const Sums& sums) const {
    double terms = 16;
    for (const auto& [passed, sum] : sums) terms += static_cast<double>(sum.terms);
    return 2 * static_cast<double>(graph_.bundles().size() + 2 * demands().size() + 8) + terms * 0x1p-10;
  }

  /// One group of pairs, or several groups of different lengths together.
  [[nodiscard]] FabricPairs pairs_of(const Parts& parts, const std::vector<Rational>& percentiles,
                                     const std::vector<Target>& targets, const Sums& all) const {
    long double total = 0, weight = 0, lower = 0, upper = 0, queues = 0;
    double units = 0, error = 0;
    for (const auto& [passed, sum] : all) total += sum.weight;
    FabricPairs pairs{.hops = parts.front().first.hops,
                      .pairs = 0,
                      .share = between<unit::Probability>(1, 1),
                      .percentiles = {},
                      .mean_latency = between<unit::Slot>(0, 0),
                      .mean_time = between<unit::Slot>(0, 0)};
    std::int64_t minimum = parts.front().first.ticks;
    for (const auto& [passed, sum] : parts) {
      minimum = std::min(minimum, passed.ticks);
      pairs.pairs += sum->pairs;
      weight += sum->weight;
      lower += sum->lower + static_cast<long double>(passed.ticks) * sum->weight;
      upper += sum->upper + static_cast<long double>(passed.ticks) * sum->weight;
      queues += static_cast<long double>(passed.hops) * sum->weight;
      units = std::max(units, sum->units);
      error = std::max(error, sum->error);
    }
    const double weights = weight_units(all);
    const double slack = weights * unit_roundoff;
    const auto quotient = [&](long double a, long double b) { return static_cast<double>(a / b); };
    if (parts.size() < all.size())
      pairs.share = between<unit::Probability>(quotient(weight, total) * (1 - slack),
                                               std::min(1.0, quotient(weight, total) * (1 + slack)));
    pairs.mean_latency =
        slots_between(quotient(lower, weight) * (1 - slack), quotient(upper, weight) * (1 + slack));
    const long double extra =
        queues * static_cast<long double>(numeric::nearest_double(per_queue_ * ticks_per_slot_));
    const double wider = per_queue_ == 0 ? slack : slack + 2 * unit_roundoff;
    pairs.mean_time = slots_between(quotient(lower + extra, weight) * (1 - wider),
                                    quotient(upper + extra, weight) * (1 + wider));
    units += weights;
    const auto above = [&](std::int64_t latency) {
      long double sum = 0;
      for (const auto& [passed, part] : parts)
        sum += latency < passed.ticks ? part->weight
                                      : part->tail[static_cast<std::size_t>(latency - passed.ticks)];
      return bounds_of(quotient(sum, weight), units, error);
    };
    for (std::size_t i = 0; i < percentiles.size(); ++i) {
      std::int64_t slots = minimum;
      const std::int64_t last = minimum + static_cast<std::int64_t>(size_) - 1;
      while (slots < last && !(above(slots).upper <= targets[i].below)) ++slots;
      if (!(above(slots).upper <= targets[i].below)) throw TooShort();
      const Bounds at = above(slots);
      FabricPercentile found{.probability = percentiles[i],
                             .slots = Slots(slots),
                             .at = between<unit::Probability>(at.lower, at.upper),
                             .before = std::nullopt,
                             .worst = Slots(0),
                             .worst_at = between<unit::Probability>(0, 1),
                             .best = Slots(0),
                             .mean = 0,
                             .time = time_of(parts, slots,
                                             [&](long double sum) {
                                               return bounds_of(quotient(sum, weight), units, error).upper <=
                                                      targets[i].below;
                                             }),
                             .worst_time = 0,
                             .best_time = 0,
                             .mean_time = 0};
      if (slots > minimum) {
        const Bounds before = above(slots - 1);
        found.before = between<unit::Probability>(before.lower, before.upper);
      }
      std::int64_t worst = -1, best = std::numeric_limits<std::int64_t>::max();
      double worst_upper = 0;
      Rational sum = 0, queues_passed = 0;
      for (const auto& [passed, part] : parts) {
        const Sum::Rank& rank = part->ranks[i];
        const std::int64_t its_worst = rank.worst + passed.ticks, its_best = rank.best + passed.ticks;
        const Rational hop_time = Rational(passed.hops) * per_queue_;
        const Rational slowest = slots_of(Rational(its_worst)) + hop_time,
                       fastest = slots_of(Rational(its_best)) + hop_time;
        found.worst_time = std::max(found.worst_time, slowest);
        found.best_time = found.best_time == 0 ? fastest : std::min(found.best_time, fastest);
        const Rational count(numeric::Integer(static_cast<unsigned long>(part->pairs)));
        queues_passed = queues_passed + Rational(passed.hops) * count;
        if (its_worst > worst || (its_worst == worst && rank.worst_upper > worst_upper)) {
          worst = its_worst;
          worst_upper = rank.worst_upper;
          found.from = rank.from;
          found.to = rank.to;
          found.worst_at = between<unit::Probability>(rank.worst_lower, rank.worst_upper);
        }
        best = std::min(best, its_best);
        sum = sum + slots_of(Rational(rank.slots) + Rational(passed.ticks) * count);
      }
      found.worst = Slots(worst);
      found.best = Slots(best);
      found.mean = sum / numeric::Integer(pairs.pairs);
      found.mean_time = (sum + queues_passed * per_queue_) / numeric::Integer(pairs.pairs);
      pairs.percentiles.push_back(std::move(found));
    }
    return pairs;
  }

  /// Smallest x of a group of pairs for which meets() holds for the sum over its packets of P(T + extra > x).
  /// \param slots  the same of T [ticks]
  template <class Meets>
  [[nodiscard]] Rational time_of(const Parts& parts, std::int64_t slots, Meets&& meets) const {
    if (parts.size() == 1 || per_queue_ == 0)
      return slots_of(Rational(slots)) + Rational(parts.front().first.hops) * per_queue_;
    const auto least = [&](const Passed& passed) {
      return slots_of(Rational(passed.ticks)) + Rational(passed.hops) * per_queue_;
    };
    const auto holds = [&](const Rational& time) {
      long double sum = 0;
      for (const auto& [passed, part] : parts) {
        const std::int64_t waits =
            numeric::to_int64(numeric::floor((time - least(passed)) * ticks_per_slot_));
        const std::int64_t last = static_cast<std::int64_t>(part->tail.size()) - 1;
        sum += waits < 0 ? part->weight : part->tail[static_cast<std::size_t>(std::min(waits, last))];
      }
      return meets(sum);
    };
    // A latency is that of some number of queues and ticks.
    std::optional<Rational> best;
    for (const auto& [passed, part] : parts) {
      std::int64_t low = 0, high = static_cast<std::int64_t>(part->tail.size()) - 1;
      if (!holds(least(passed) + slots_of(Rational(high)))) continue;
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (holds(least(passed) + slots_of(Rational(middle))))
          high = middle;
        else
          low = middle + 1;
      }
      const Rational time = least(passed) + slots_of(Rational(low));
      if (!best || time < *best) best = time;
    }
    if (!best) throw TooShort();
    return *best;
  }

  /// By the number of queues on the shortest of the pair's paths.
  Sums sums_of_pair(std::uint32_t from, std::uint32_t to, const std::vector<Target>& targets) {
    const std::uint32_t source = graph_.bundle_of(from), position = graph_.bundle_of(to);
    Sums sums;
    for (const RouteRule rule : rules) {
      if (from == to || source == FabricGraph::none || position == FabricGraph::none) break;
      double sends = rate(graph_.bundles()[source], graph_.bundles()[position], rule);
      const std::map<std::uint32_t, double> known = listed(graph_.bundles()[position], rule);
      if (const auto found = known.find(source); found != known.end()) sends += found->second;
      if (!(sends > 0)) continue;
      const std::vector<std::uint32_t> sources{source};
      walk(graph_.bundles()[position], rule, &sources);
      const Left& left = left_[left_of_[graph_.bundles()[source].vertex]];
      add_pairs(sums[{left.hops, left.ticks}], left, 1, sends, percentiles_of(left, targets), from, to);
    }
    const auto& nodes = graph_.fabric().network.nodes;
    if (sums.empty())
      throw InvalidArgument("flow", nodes[from].name + " -> " + nodes[to].name,
                            "from a node to one that it sends to");
    return sums;
  }

  FabricPairDelay pair_within(std::uint32_t from, std::uint32_t to,
                              const std::vector<Rational>& percentiles) {
    std::vector<Target> targets;
    for (const Rational& p : percentiles) targets.push_back(target_of(p));
    const Sums sums = sums_of_pair(from, to, targets);
    Parts all;
    for (const auto& [passed, sum] : sums) all.emplace_back(passed, &sum);
    FabricPairs pairs = pairs_of(all, percentiles, targets, sums);
    for (FabricPercentile& each : pairs.percentiles) {
      each.worst = each.best = each.slots;
      each.worst_at = each.at;
      each.mean = slots_of(Rational(static_cast<long>(each.slots.value)));
      each.worst_time = each.best_time = each.mean_time = each.time;
    }
    return {all.back().first.hops, std::move(pairs.percentiles), pairs.mean_latency, pairs.mean_time};
  }

  struct Known {
    bool queues;
    std::vector<Choice> choices;
    std::uint32_t left;
  };

  const FabricGraph& graph_;
  const FabricOrbits& orbits_;
  const FabricRates& rates_;
  std::vector<Wait> waits_;
  std::vector<std::int64_t> packet_{};  ///< [queue]: packet time of its link [ticks]
  std::int64_t ticks_per_slot_ = 1;
  std::vector<std::vector<double>> values_;
  std::array<bool, rules.size()> has_products_{};  ///< [rule]: whether it has demands other than lists
  std::size_t size_ = 64;                          ///< of distributions [ticks]
  bool latency_ = true;                            ///< otherwise only waits
  Rational per_queue_ = 0;                         ///< latency added by each queue passed [slots]
  double products_ = 0;
  std::size_t computed_ = 0;
  // State of the last walk.
  std::uint32_t walked_to_ = unused;          ///< vertex
  std::uint32_t toward_ = FabricGraph::none;  ///< its group, where routes are minimal
  std::vector<std::uint16_t> distance_;
  std::vector<std::uint32_t> order_, met_, left_of_;
  std::vector<char> is_met_;
  std::vector<std::vector<std::uint16_t>> to_group_;         ///< distances to the requested ones
  std::unordered_map<std::uint64_t, std::uint32_t> leg_of_;  ///< of a group and a vertex
  std::vector<Left> left_;
  std::vector<Choice> choices_;
  std::unordered_multimap<std::uint64_t, Known> known_;
};

FabricDelay::FabricDelay(const FabricGraph& graph, const FabricOrbits& orbits, const FabricRates& rates)
    : work_(std::make_unique<Work>(graph, orbits, rates)) {}
FabricDelay::~FabricDelay() = default;

std::int64_t FabricDelay::ticks_per_slot() const {
  return work_->ticks_per_slot();
}

FabricDelayAnswer FabricDelay::answer(const std::vector<Rational>& percentiles,
                                      const std::function<void()>& pulse, const Rational& per_queue) {
  return work_->answer(percentiles, pulse, per_queue);
}
FabricQueueing FabricDelay::queueing(std::size_t levels, double minimum, const std::function<void()>& pulse) {
  return work_->queueing(levels, minimum, pulse);
}
FabricPairDelay FabricDelay::pair(std::uint32_t from, std::uint32_t to,
                                  const std::vector<Rational>& percentiles, const Rational& per_queue) {
  return work_->pair(from, to, percentiles, per_queue);
}
Enclosure<unit::Probability> FabricDelay::pair_above(std::uint32_t from, std::uint32_t to,
                                                     std::int64_t ticks) {
  return work_->pair_above(from, to, ticks);
}
BufferSize FabricDelay::buffer(std::size_t queue, const DropTarget& target, numeric::Digits digits) const {
  return work_->buffer(queue, target, digits);
}
Enclosure<unit::Slot> FabricDelay::mean_wait(std::size_t queue) const {
  return work_->mean_wait(queue);
}

}  // namespace tailbound::bounds
