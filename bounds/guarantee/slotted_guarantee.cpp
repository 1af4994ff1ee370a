#include <tailbound/bounds/guarantee/slotted_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/network/policed/slotted_ports.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>

namespace tailbound::bounds {
namespace {

using numeric::Rational;

/// Maximum number of packets in m + 1 slots.
struct SlottedCurve {
  std::vector<std::int64_t> at;  ///< [m]
  /// From this m on it grows equally in every period; beyond the end of `at` if not detected.
  std::size_t onset = 0;

  [[nodiscard]] std::size_t size() const { return at.size(); }
  std::int64_t& operator[](std::size_t m) { return at[m]; }
  std::int64_t operator[](std::size_t m) const { return at[m]; }
};
/// Flows of a port, in order.
using SlottedGroup = std::vector<std::size_t>;

constexpr std::size_t first_curve_slots = 64, max_curve_slots = std::size_t{1} << 16;
constexpr std::size_t max_curve_numbers = std::size_t{1} << 24;  ///< values of all curves together
/// Beyond this number, flows that are not a whole_group() use the sum of their individual curves: also a
/// bound, but larger.
constexpr std::size_t max_slotted_groups = 1024;

/// Ports in an order in which each flow goes from earlier to later ones.
std::vector<std::size_t> slotted_order(const network::PolicedNetwork& network) {
  const std::size_t ports = network.ports.size();
  std::vector<std::vector<std::size_t>> next(ports);
  std::vector<std::size_t> before(ports);
  for (const network::PolicedFlow& flow : network.flows)
    for (std::size_t hop = 1; hop < flow.path.size(); ++hop) {
      next[flow.path[hop - 1]].push_back(flow.path[hop]);
      ++before[flow.path[hop]];
    }
  std::vector<std::size_t> order;
  for (std::size_t port = 0; port < ports; ++port)
    if (before[port] == 0) order.push_back(port);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const std::size_t port : next[order[i]])
      if (--before[port] == 0) order.push_back(port);
  if (order.size() < ports) {
    const auto inside = std::find_if(before.begin(), before.end(), [](std::size_t n) { return n > 0; });
    throw InvalidArgument("network",
                          "one with flows in a cycle through or before port " +
                              network.ports[static_cast<std::size_t>(inside - before.begin())].name,
                          "without cycles");
  }
  return order;
}

struct SlottedSources {
  std::vector<traffic::GreedyPattern> patterns;  ///< [flow]
  std::vector<Rational> rates;                   ///< [flow]
  std::vector<Rational> load;                    ///< [port]
  /// Period of all patterns; 0 where not needed, as every port is offered less than 1.
  std::size_t period = 0;
};

SlottedSources slotted_sources(const network::PolicedNetwork& network) {
  SlottedSources sources;
  sources.load.assign(network.ports.size(), 0);
  std::size_t period = 1;
  for (const network::PolicedFlow& flow : network.flows) {
    sources.patterns.emplace_back(flow.buckets);
    const traffic::GreedyPattern& pattern = sources.patterns.back();
    if (period <= max_curve_slots) period = std::lcm(period, pattern.cycle().size());
    sources.rates.push_back(pattern.rate());
    for (const std::size_t port : flow.path) sources.load[port] = sources.load[port] + sources.rates.back();
  }
  for (const Rational& at : sources.load) {
    if (at > 1) throw Unstable(numeric::plain(at));
    if (at == 1) sources.period = period;
  }
  return sources;
}

/// The curves of all requested groups, port by port, with decreasing length from the sources on.
class SlottedCurves {
 public:
  SlottedCurves(const network::PolicedNetwork& network, const SlottedSources& sources, std::size_t slots,
                std::size_t max_groups, std::uint64_t& steps)
      : sources_(sources),
        slots_(slots),
        max_groups_(max_groups),
        steps_left_(steps),
        ports_(network.ports.size()) {
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
      const std::vector<std::size_t>& path = network.flows[flow].path;
      for (std::size_t hop = 0; hop < path.size(); ++hop) {
        Port& port = ports_[path[hop]];
        port.flows.push_back(flow);
        port.from.push_back(hop == 0 ? outside : path[hop - 1]);
        port.to.push_back(hop + 1 == path.size() ? outside : path[hop + 1]);
      }
    }
  }

  struct Found {
    std::int64_t backlog = 0;
    bool only_sources = true;
  };
  /// In the order of slotted_order(). Nothing if the curves are too short for the port.
  [[nodiscard]] std::optional<Found> find(std::size_t number) {
    Port& port = ports_[number];
    if (port.flows.empty()) return Found{};
    port.length = slots_;
    Found found;
    for (const std::size_t from : port.from) {
      if (from == outside) continue;
      found.only_sources = false;
      port.length =
          std::min(port.length, ports_[from].length - std::min(ports_[from].length, ports_[from].spread));
    }
    if (port.length == 0) return std::nullopt;
    const SlottedCurve& all = coming(number, port.flows);
    for (std::size_t m = 0; m < all.size(); ++m) {
      const std::int64_t left = all[m] - static_cast<std::int64_t>(m);
      if (left <= 0) {
        // For any arrivals, there was a slot without a packet.
        port.busy = m;
        port.spread = m - 1;
        return found;
      }
      found.backlog = std::max(found.backlog, left);
      if (sources_.load[number] == 1 && m + 1 == all.onset + sources_.period) {
        port.spread = static_cast<std::size_t>(found.backlog - 1);
        return found;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t outside = static_cast<std::size_t>(-1);
  struct Port {
    SlottedGroup flows;
    std::vector<std::size_t> from;  ///< [index in `flows`]: the previous port, or `outside`
    std::vector<std::size_t> to;    ///< the next port, in the same way
    std::size_t length = 0;         ///< of arrival curves
    std::size_t busy = 0;           ///< maximum number of slots without an empty one; 0: possibly unbounded
    std::size_t spread = 0;         ///< by which departure curves are shorter
    std::map<SlottedGroup, SlottedCurve> coming, leaving;
  };

  SlottedCurve new_curve(std::size_t length) {
    numbers_ += length;
    if (numbers_ > max_curve_numbers) throw LimitExceeded(too_long());
    return {std::vector<std::int64_t>(length), 0};
  }
  static std::string too_long() {
    return "the busy periods are too long for slot-by-slot curves; use fewer flows or a lower load";
  }

  /// Arrival curve of some flows of the port.
  const SlottedCurve& coming(std::size_t number, const SlottedGroup& group) {
    Port& port = ports_[number];
    if (const auto known = port.coming.find(group); known != port.coming.end()) return known->second;
    std::map<std::size_t, SlottedGroup> links;
    SlottedCurve sum = new_curve(port.length);
    for (const std::size_t flow : group) {
      const auto place = std::lower_bound(port.flows.begin(), port.flows.end(), flow) - port.flows.begin();
      const std::size_t from = port.from[static_cast<std::size_t>(place)];
      if (from != outside) {
        links[from].push_back(flow);
        continue;
      }
      const traffic::GreedyPattern& source = sources_.patterns[flow];
      for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += source.maximum(static_cast<std::int64_t>(m));
      sum.onset = std::max(sum.onset, source.start().size());
    }
    for (const auto& [from, flows] : links) {
      SlottedCurve link = new_curve(port.length);
      for (const std::size_t flow : flows) {
        const SlottedCurve& single = leaving(from, {flow});
        for (std::size_t m = 0; m < link.size(); ++m) link[m] += single[m];
        link.onset = std::max(link.onset, single.onset);
      }
      if (flows.size() > 1 && (groups_ < max_groups_ || whole_group(port, from, flows))) {
        const SlottedCurve& together = leaving(from, flows);
        for (std::size_t m = 0; m < link.size(); ++m) link[m] = std::min(link[m], together[m]);
        link.onset = std::max(link.onset, together.onset);
      }
      limit_to_line(link, flows);
      for (std::size_t m = 0; m < link.size(); ++m) sum[m] += link[m];
      sum.onset = std::max(sum.onset, link.onset);
      numbers_ -= link.size();
    }
    return port.coming.emplace(group, std::move(sum)).first->second;
  }

  /// All flows that arrive over a link, or all of these that continue over the same one.
  static bool whole_group(const Port& port, std::size_t from, const SlottedGroup& flows) {
    const auto place = [&](std::size_t flow) {
      return static_cast<std::size_t>(std::lower_bound(port.flows.begin(), port.flows.end(), flow) -
                                      port.flows.begin());
    };
    const std::size_t to = port.to[place(flows.front())];
    std::size_t come = 0, go_on = 0;
    for (std::size_t i = 0; i < port.flows.size(); ++i) {
      if (port.from[i] != from) continue;
      ++come;
      if (port.to[i] == to) ++go_on;
    }
    if (flows.size() == come) return true;
    return flows.size() == go_on && std::all_of(flows.begin(), flows.end(),
                                                [&](std::size_t flow) { return port.to[place(flow)] == to; });
  }

  /// At most one packet per slot.
  void limit_to_line(SlottedCurve& curve, const SlottedGroup& flows) const {
    std::size_t last_above = 0;  // and 1
    for (std::size_t m = 0; m < curve.size(); ++m) {
      const auto line = static_cast<std::int64_t>(m) + 1;
      if (curve[m] > line) last_above = m + 1;
      curve[m] = std::min(curve[m], line);
    }
    if (sources_.period == 0) return;
    Rational rate = 0;
    for (const std::size_t flow : flows) rate = rate + sources_.rates[flow];
    if (rate == 1) return;  // it grows like the line
    // Once below the line for a whole period, it stays below.
    curve.onset = std::max(curve.onset, last_above);
    if (curve.size() < curve.onset + sources_.period) curve.onset = std::max(curve.onset, curve.size());
  }

  /// Arrival curve of some flows at the next port.
  const SlottedCurve& leaving(std::size_t number, const SlottedGroup& group) {
    Port& port = ports_[number];
    if (const auto known = port.leaving.find(group); known != port.leaving.end()) return known->second;
    ++groups_;
    const SlottedCurve& own = coming(number, group);
    SlottedCurve curve = new_curve(port.length - port.spread);
    curve.onset = own.onset;
    if (port.busy == 0) {
      for (std::size_t m = 0; m < curve.size(); ++m) curve[m] = own[m + port.spread];
    } else {
      SlottedGroup others;
      std::set_difference(port.flows.begin(), port.flows.end(), group.begin(), group.end(),
                          std::back_inserter(others));
      const SlottedCurve& cross = coming(number, others);
      const SlottedCurve& all = coming(number, port.flows);
      // The smallest v such that a packet and the L packets served before it arrive within slots 0 .. v of
      // the busy period.
      std::vector<std::size_t> earliest(port.busy);
      for (std::size_t served = 0, v = 0; served < port.busy; ++served) {
        while (v <= served && std::min(own[v] + cross[v], all[v]) <= static_cast<std::int64_t>(served)) ++v;
        earliest[served] = v;
      }
      for (std::size_t m = 0; m < curve.size(); ++m) curve[m] = max_leaving(m, own, cross, earliest);
    }
    limit_to_line(curve, group);
    return port.leaving.emplace(group, std::move(curve)).first->second;
  }

  std::int64_t max_leaving(std::size_t m, const SlottedCurve& own, const SlottedCurve& cross,
                           const std::vector<std::size_t>& earliest) {
    const std::int64_t line = static_cast<std::int64_t>(m) + 1;
    std::int64_t maximum = 0;
    for (std::size_t served = earliest.size(); served-- > 0 && maximum <= line;) {
      if (own[m + served] <= maximum) break;  // nor with fewer served before it
      if (earliest[served] > served || own[m + served - earliest[served]] <= maximum) continue;
      if (steps_left_-- == 0) throw LimitExceeded(too_long());
      const auto since_coming = [&](std::size_t v) { return own[m + served - v]; };
      const auto since_empty = [&](std::size_t v) {
        return own[m + served] - std::max<std::int64_t>(0, static_cast<std::int64_t>(served) - cross[v]);
      };
      // The first decreases with v, the second increases: the best v is where they cross.
      const std::size_t low = first_that(earliest[served], served,
                                         [&](std::size_t v) { return since_coming(v) <= since_empty(v); });
      std::int64_t best = std::min(since_coming(low), since_empty(low));
      if (low > earliest[served])
        best = std::max(best, std::min(since_coming(low - 1), since_empty(low - 1)));
      maximum = std::max(maximum, best);
    }
    return maximum;
  }

  const SlottedSources& sources_;
  std::size_t slots_, max_groups_;
  std::uint64_t& steps_left_;
  std::vector<Port> ports_;
  std::size_t numbers_ = 0, groups_ = 0;
};

/// Everything except the delays.
SlottedGuarantee slotted_ports_guarantee(const network::PolicedNetwork& network,
                                         const std::vector<std::size_t>& order, const SlottedSources& sources,
                                         std::size_t max_groups, std::uint64_t max_steps) {
  const std::size_t ports = network.ports.size();
  SlottedGuarantee guarantee{std::vector<std::int64_t>(ports), {}, std::vector<bool>(ports)};
  std::uint64_t steps_left = max_steps;
  bool lasted = false;
  for (std::size_t slots = first_curve_slots; !lasted; slots *= 2) {
    if (slots > max_curve_slots)
      throw LimitExceeded(
          "a busy period can last tens of thousands of slots, too long for slot-by-slot curves; use a lower "
          "load");
    SlottedCurves curves(network, sources, slots, max_groups, steps_left);
    lasted = std::all_of(order.begin(), order.end(), [&](std::size_t port) {
      const auto found = curves.find(port);
      if (!found) return false;
      guarantee.backlog[port] = found->backlog;
      guarantee.attained[port] = found->only_sources;
      return true;
    });
  }
  return guarantee;
}

}  // namespace

SlottedGuarantee slotted_guarantee(const network::PolicedNetwork& network, std::uint64_t max_steps) {
  network::require_slotted(network, {network::Scheduler::fifo});
  const std::vector<std::size_t> order = slotted_order(network);
  const SlottedSources sources = slotted_sources(network);
  SlottedGuarantee guarantee;
  try {
    guarantee = slotted_ports_guarantee(network, order, sources, max_slotted_groups, max_steps);
  } catch (const LimitExceeded&) {
    guarantee = slotted_ports_guarantee(network, order, sources, 0, max_steps);
  }
  for (const network::PolicedFlow& flow : network.flows) {
    std::int64_t slots = 0;
    for (const std::size_t port : flow.path) slots += guarantee.backlog[port];
    guarantee.delay.push_back(slots);
  }
  return guarantee;
}

}  // namespace tailbound::bounds
