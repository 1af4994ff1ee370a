#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/bounds/guarantee/path_program.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/sim/policed/policed_episode.hpp>
#include <tailbound/sim/policed/policed_events.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>
#include <tests/support/rational.hpp>
#include <utility>
#include <vector>

using namespace tailbound;
using network::PolicedFlow;
using network::PolicedNetwork;
using network::PolicedPort;
using network::Scheduler;
using numeric::nearest_double;
using numeric::Rational;
using numeric::to_fraction;
using sim::EventSources;
using sim::PolicedEventsSeen;
using sim::simulate_events;
using tailbound::test::rational;

namespace {

constexpr EventSources event_sources[] = {EventSources::search, EventSources::greedy, EventSources::periodic,
                                          EventSources::random, EventSources::together};

/// One port of rate 1, one class per flow, packets from 1 to `lengths`.
PolicedNetwork one_port_of_classes(Scheduler scheduler, const std::vector<Rational>& lengths,
                                   const std::vector<traffic::TokenBucket>& buckets) {
  PolicedNetwork network;
  network.ports.push_back({.name = "port", .rate = 1, .scheduler = scheduler});
  for (std::size_t f = 0; f < lengths.size(); ++f) {
    network.classes.push_back("c" + std::to_string(f));
    network.flows.push_back({.name = "f" + std::to_string(f),
                             .path = {0},
                             .traffic_class = f,
                             .buckets = {buckets[f]},
                             .longest = lengths[f],
                             .shortest = 1});
  }
  return network;
}

/// The maximum over several kinds of sources.
PolicedEventsSeen worst_seen(const PolicedNetwork& network, std::uint64_t packets, std::uint64_t seed = 1) {
  PolicedEventsSeen all;
  for (const EventSources sources : event_sources) {
    const PolicedEventsSeen its =
        simulate_events(network, {.sources = sources, .packets = packets, .seed = seed});
    if (all.flows.empty()) {
      all = its;
      continue;
    }
    for (std::size_t f = 0; f < all.flows.size(); ++f) {
      all.flows[f].delay = std::max(all.flows[f].delay, its.flows[f].delay);
      for (std::size_t to = 0; to < its.flows[f].delays.size(); ++to)
        all.flows[f].delays[to] = std::max(all.flows[f].delays[to], its.flows[f].delays[to]);
    }
    for (std::size_t q = 0; q < all.queues.size(); ++q) {
      all.queues[q].backlog = std::max(all.queues[q].backlog, its.queues[q].backlog);
      all.queues[q].delay = std::max(all.queues[q].delay, its.queues[q].delay);
    }
  }
  return all;
}

/// Numbers as users write them: few digits.
class NetworkDraws {
 public:
  explicit NetworkDraws(std::uint64_t seed) : engine_(seed) {}
  long number(long low, long high) { return std::uniform_int_distribution<long>(low, high)(engine_); }
  bool one_in(long count) { return number(1, count) == 1; }
  PolicedNetwork network();
  /// With trees, gates, preemption, cut-through, periods, and classes that are offered too much.
  PolicedNetwork time_sensitive();
  /// Senders and gates that follow one clock; few other flows.
  PolicedNetwork scheduled();

 private:
  void draw_port(PolicedNetwork& network, bool one_class);
  void draw_flow(PolicedNetwork& network, bool ring);
  void fit_schedulers(PolicedNetwork& network);
  /// Rates such that the offered load of a port is at most `percent` of the guaranteed rate of a class.
  void fit_rates(PolicedNetwork& network);
  void draw_tree(PolicedFlow& flow);
  void draw_period(PolicedFlow& flow);
  void draw_gates(const PolicedNetwork& network, PolicedPort& port);
  void draw_cut_through(PolicedNetwork& network);

  std::mt19937_64 engine_;
};

void NetworkDraws::draw_port(PolicedNetwork& network, bool one_class) {
  constexpr Scheduler schedulers[] = {Scheduler::fifo, Scheduler::priority, Scheduler::drr, Scheduler::cbs};
  const long rates[] = {1, 1, 2, 5};
  PolicedPort port{.name = "p" + std::to_string(network.ports.size()), .rate = rates[number(0, 3)]};
  if (one_in(3)) port.latency = Rational(number(1, 40)) / 2;
  if (one_in(3)) port.wire = number(1, 9);
  if (!one_class || one_in(4)) port.scheduler = schedulers[number(0, 3)];
  if ((port.scheduler == Scheduler::priority || port.scheduler == Scheduler::cbs) && one_in(2))
    port.best_effort = number(1, 30);
  port.reshaped = one_in(6);
  network.ports.push_back(std::move(port));
}

void NetworkDraws::draw_flow(PolicedNetwork& network, bool ring) {
  const auto ports = static_cast<long>(network.ports.size());
  PolicedFlow flow{.name = "f" + std::to_string(network.flows.size())};
  if (ring) {
    const long first = number(0, ports - 1), hops = number(1, ports - 1);
    for (long h = 0; h < hops; ++h) flow.path.push_back(static_cast<std::size_t>((first + h) % ports));
  } else {
    for (long p = number(0, ports - 1); p < ports; p += number(1, 2))
      flow.path.push_back(static_cast<std::size_t>(p));
  }
  flow.traffic_class = static_cast<std::size_t>(number(0, static_cast<long>(network.classes.size()) - 1));
  flow.longest = number(2, 20);
  flow.shortest = one_in(2) ? flow.longest : Rational(number(1, 2));
  flow.buckets = {{Rational(1) / number(6, 30), flow.longest * number(1, 5) + number(0, 3)}};
  if (one_in(3)) flow.buckets.push_back({flow.buckets[0].rate * number(2, 8), flow.longest + number(0, 4)});
  network.flows.push_back(std::move(flow));
}

void NetworkDraws::fit_schedulers(PolicedNetwork& network) {
  for (PolicedPort& port : network.ports) {
    const std::size_t number_of = static_cast<std::size_t>(&port - network.ports.data());
    if (port.scheduler == Scheduler::cbs) {
      // Classes after the second would have no guarantee.
      for (const PolicedFlow& flow : network.flows)
        if (flow.traffic_class > 1 &&
            std::find(flow.path.begin(), flow.path.end(), number_of) != flow.path.end()) {
          port.scheduler = Scheduler::priority;
        }
    }
    if (port.scheduler == Scheduler::cbs)
      port.idle_slopes = {port.rate * number(2, 4) / 8, port.rate * number(1, 3) / 8};
    if (port.scheduler == Scheduler::drr)
      for (std::size_t c = 0; c < network.classes.size(); ++c) port.quanta.emplace_back(number(20, 50));
  }
}

void NetworkDraws::fit_rates(PolicedNetwork& network) {
  const long percent = number(20, 98);
  std::vector<std::vector<Rational>> loads(network.ports.size(),
                                           std::vector<Rational>(network.classes.size(), Rational(0)));
  for (const PolicedFlow& flow : network.flows)
    for (const std::size_t port : flow.path)
      loads[port][flow.traffic_class] = loads[port][flow.traffic_class] + flow.buckets[0].rate;
  Rational maximum = 0;
  for (std::size_t p = 0; p < loads.size(); ++p) {
    const PolicedPort& port = network.ports[p];
    Rational all = 0, quanta = 0;
    for (const Rational& load : loads[p]) all = all + load;
    maximum = std::max(maximum, Rational(all / port.rate));
    for (const Rational& quantum : port.quanta) quanta = quanta + quantum;
    for (std::size_t c = 0; c < loads[p].size(); ++c) {
      if (port.scheduler == Scheduler::drr)
        maximum = std::max(maximum, Rational(loads[p][c] / (port.rate * port.quanta[c] / quanta)));
      if (port.scheduler == Scheduler::cbs && c < port.idle_slopes.size())
        maximum = std::max(maximum, Rational(loads[p][c] / port.idle_slopes[c]));
    }
  }
  // A multiple of 1/64, and still few digits.
  const Rational factor = Rational(numeric::floor(Rational(percent) / 100 / maximum * 64)) / 64;
  for (PolicedFlow& flow : network.flows)
    for (traffic::TokenBucket& bucket : flow.buckets)
      bucket.rate = bucket.rate * (factor == 0 ? Rational(1) / 64 / (numeric::ceiling(maximum) + 1) : factor);
}

PolicedNetwork NetworkDraws::network() {
  PolicedNetwork network;
  const long classes = number(1, 3);
  for (long c = 0; c < classes; ++c) network.classes.push_back("c" + std::to_string(c));
  const bool ring = one_in(4);
  for (long ports = number(ring ? 3 : 1, 5); ports > 0; --ports) draw_port(network, classes == 1);
  for (long flows = number(1, 7); flows > 0; --flows) draw_flow(network, ring);
  fit_schedulers(network);
  fit_rates(network);
  return network;
}

void NetworkDraws::draw_tree(PolicedFlow& flow) {
  std::vector<bool> inner(flow.path.size(), false);
  flow.before.assign(flow.path.size(), 0);
  for (std::size_t k = 1; k < flow.path.size(); ++k) {
    flow.before[k] = one_in(2) ? k - 1 : static_cast<std::size_t>(number(0, static_cast<long>(k) - 1));
    inner[flow.before[k]] = true;
  }
  for (std::size_t k = 0; k < flow.path.size(); ++k)
    if (!inner[k] || one_in(6)) flow.destinations.push_back({"d" + std::to_string(k), k});
}

void NetworkDraws::draw_period(PolicedFlow& flow) {
  flow.shortest = flow.longest;
  network::PeriodicSource source{.period = flow.longest / flow.buckets.front().rate};
  if (one_in(2)) source.jitter = source.period * number(1, 12) / 4;
  if (one_in(2)) {
    source.clock = one_in(2) ? "plc" : "robot";
    source.offset = source.period * number(0, 7) / 8;
  }
  flow.buckets = {{flow.buckets.front().rate, flow.longest * (1 + source.jitter / source.period)}};
  flow.periodic = source;
}

void NetworkDraws::draw_gates(const PolicedNetwork& network, PolicedPort& port) {
  const std::size_t classes = network.classes.size();
  port.best_effort = 0;
  for (long entries = number(2, 5); entries > 0; --entries) {
    network::GateEntry entry{.time = number(10, 80) / port.rate, .open = std::vector<bool>(classes)};
    for (std::size_t c = 0; c < classes; ++c) entry.open[c] = one_in(2);
    port.gates.push_back(std::move(entry));
  }
  port.guard = static_cast<network::Guard>(number(0, 2));
  if (port.guard == network::Guard::fixed)
    for (std::size_t c = 0; c < classes; ++c) port.max_sdu.emplace_back(number(20, 24));
}

/// Where it is legal.
void NetworkDraws::draw_cut_through(PolicedNetwork& network) {
  std::vector<bool> legal(network.ports.size(), true);
  for (const PolicedFlow& flow : network.flows)
    for (std::size_t k = 1; k < flow.path.size(); ++k) {
      const PolicedPort& before = network.ports[flow.path[flow.hop_before(k)]];
      if (before.rate < network.ports[flow.path[k]].rate || !before.gates.empty() ||
          !before.preemptable.empty() || before.reshaped)
        legal[flow.path[k]] = false;
    }
  for (std::size_t p = 0; p < legal.size(); ++p)
    if (legal[p] && one_in(2)) network.ports[p].cut_through = number(1, 4);
}

PolicedNetwork NetworkDraws::time_sensitive() {
  PolicedNetwork network = this->network();
  network.byte = Rational(1) / number(8, 20);
  const std::size_t classes = network.classes.size();
  if (one_in(2))
    for (PolicedFlow& flow : network.flows)
      if (one_in(2)) draw_tree(flow);
  for (PolicedPort& port : network.ports)
    if (one_in(2)) port.scheduler = Scheduler::priority;
  const long feature = number(0, 3);
  for (PolicedPort& port : network.ports) {
    if (port.scheduler != Scheduler::priority) continue;
    if (feature == 1 && one_in(2)) draw_gates(network, port);
    if (feature == 2 && one_in(2) && classes > 1) {
      port.preemptable.assign(classes, true);
      for (std::size_t c = 0; c < static_cast<std::size_t>(number(1, static_cast<long>(classes) - 1)); ++c)
        port.preemptable[c] = false;
      port.fragment = static_cast<int>(64 * number(1, 4));
    }
  }
  if (one_in(2))
    for (PolicedFlow& flow : network.flows)
      if (one_in(2)) draw_period(flow);
  if (one_in(4))
    for (PolicedFlow& flow : network.flows)
      if (flow.traffic_class + 1 == classes && !flow.periodic)
        for (traffic::TokenBucket& bucket : flow.buckets) bucket.rate = bucket.rate * 4;
  if (one_in(2)) draw_cut_through(network);
  return network;
}

PolicedNetwork NetworkDraws::scheduled() {
  PolicedNetwork network;
  network.classes = {"c0", "c1", "c2"};
  const Rational error = one_in(2) ? Rational(0) : Rational(number(1, 6)) / 2;
  const long ports = number(1, 4);
  for (long p = 0; p < ports; ++p) {
    const long rates[] = {1, 2, 5};
    PolicedPort port{.name = "p" + std::to_string(p),
                     .rate = rates[number(0, 2)],
                     .latency = one_in(2) ? Rational(0) : Rational(number(1, 9)) / 2,
                     .wire = one_in(3) ? number(1, 9) : 0,
                     .scheduler = Scheduler::priority};
    if (one_in(4)) {  // without gates
      if (one_in(2)) port.scheduler = Scheduler::fifo;
      if (port.scheduler == Scheduler::priority && one_in(2)) port.best_effort = number(1, 20);
      network.ports.push_back(std::move(port));
      continue;
    }
    // Its gates open one after the other, with times between them that belong to none or to all others.
    Rational left = 120 * number(1, 2);
    for (long c = 0; c < 6 && left > 0; ++c) {
      network::GateEntry entry{.time = std::min(Rational(left), Rational(number(5, 60))),
                               .open = std::vector<bool>(3)};
      if (c == 5) entry.time = left;
      if (const long its = number(0, 3); its < 3) entry.open[static_cast<std::size_t>(its)] = true;
      left = left - entry.time;
      port.gates.push_back(std::move(entry));
    }
    port.guard = static_cast<network::Guard>(number(0, 2));
    if (port.guard == network::Guard::fixed)
      for (int c = 0; c < 3; ++c) port.max_sdu.emplace_back(number(12, 14));
    port.clock = "plc";
    port.gate_offset = number(0, 119);
    port.clock_error = error;
    network.ports.push_back(std::move(port));
  }
  for (long flows = number(1, 6); flows > 0; --flows) {
    PolicedFlow flow{.name = "f" + std::to_string(network.flows.size())};
    for (long p = number(0, ports - 1); p < ports; p += number(1, 2))
      flow.path.push_back(static_cast<std::size_t>(p));
    flow.traffic_class = static_cast<std::size_t>(number(0, 2));
    flow.longest = flow.shortest = number(1, 12);
    const long periods[] = {60, 120, 240, 480};
    network::PeriodicSource source{.period = periods[number(0, 3)],
                                   .jitter = (one_in(2) ? Rational(0) : Rational(number(1, 150))) + 2 * error,
                                   .offset = Rational(number(0, 479)),
                                   .clock = one_in(12) ? "robot" : "plc"};
    const Rational rate = flow.longest / source.period;
    flow.buckets = {{rate, flow.longest * (1 + source.jitter / source.period)}};
    flow.periodic = source;
    if (one_in(12)) flow.periodic.reset();
    if (one_in(4)) draw_tree(flow);
    network.flows.push_back(std::move(flow));
  }
  return network;
}

/// Checks that no bound is exceeded; the largest fractions of the bounds that were seen.
struct Shares {
  double delay = 0, backlog = 0;
  long routes = 0, attained = 0, attained_by_curves = 0, scheduled = 0;

  void add(const Shares& other) {
    routes += other.routes, attained += other.attained, scheduled += other.scheduled;
    attained_by_curves += other.attained_by_curves;
  }
};
Shares require_below(const PolicedNetwork& network, bounds::NetworkGuarantee never,
                     const PolicedEventsSeen& seen) {
  Shares shares;
  const auto curves = bounds::guarantee(network, {.whole_packets = false, .schedules = false});
  std::string unbounded;
  for (std::size_t q = 0; q < never.queues.size(); ++q)
    if (!never.queues[q].none.empty()) unbounded += " " + std::to_string(q);
  INFO("queues without a bound:" << unbounded);
  for (std::size_t f = 0; f < network.flows.size(); ++f) {
    INFO(network.flows[f].name << ": " << nearest_double(seen.flows[f].delay));
    REQUIRE(seen.flows[f].delays.size() == never.flows[f].routes.size());
    for (std::size_t to = 0; to < seen.flows[f].delays.size(); ++to) {
      bounds::add_linear_program(network, never, f, to);
      const bounds::RouteGuarantee& its = never.flows[f].routes[to];
      const Rational& delay = seen.flows[f].delays[to];
      INFO("to its destination " << to);
      if (its.lp) REQUIRE(*its.lp <= *its.tfa);
      for (const auto& bound : {its.tfa, its.sfa, its.lp, its.schedule})
        if (bound) REQUIRE(delay <= *bound);
      const auto minimum = its.delay(bounds::GuaranteeMethod::best);
      if (minimum) ++shares.routes;
      if (its.schedule) ++shares.scheduled;
      if (minimum == delay) ++shares.attained;
      if (curves.flows[f].routes[to].delay(bounds::GuaranteeMethod::best) == delay)
        ++shares.attained_by_curves;
      if (minimum) shares.delay = std::max(shares.delay, nearest_double(delay / *minimum));
    }
  }
  REQUIRE(seen.queues.size() == never.queues.size());
  for (std::size_t q = 0; q < seen.queues.size(); ++q) {
    INFO("queue " << q << " at " << network.ports[seen.queues[q].port].name);
    REQUIRE(seen.queues[q].port == never.queues[q].port);
    REQUIRE(seen.queues[q].traffic_class == never.queues[q].traffic_class);
    if (!never.queues[q].none.empty()) continue;
    REQUIRE(seen.queues[q].backlog <= never.queues[q].least_backlog());
    REQUIRE(seen.queues[q].delay <= never.queues[q].least_delay());
    shares.backlog =
        std::max(shares.backlog, nearest_double(seen.queues[q].backlog / never.queues[q].backlog));
  }
  return shares;
}

/// The network as a file, to reproduce a failure.
std::string written(const PolicedNetwork& network) {
  std::string text;
  const auto add = [&](const std::string& what) { text += what + " "; };
  for (const PolicedPort& port : network.ports) {
    add("\n" + port.name + ": C " + to_fraction(port.rate) + " T " + to_fraction(port.latency) + " wire " +
        to_fraction(port.wire));
    add(names_of(port.scheduler)[static_cast<std::size_t>(port.scheduler)]);
    for (const Rational& quantum : port.quanta) add("Q " + to_fraction(quantum));
    for (const Rational& slope : port.idle_slopes) add("I " + to_fraction(slope));
    add("be " + to_fraction(port.best_effort) + (port.reshaped ? " reshaped" : ""));
    for (const network::GateEntry& entry : port.gates) {
      add("gates " + to_fraction(entry.time));
      for (const bool open : entry.open) add(open ? "o" : "C");
    }
    if (!port.clock.empty())
      add("gates from " + to_fraction(port.gate_offset) + " of " + port.clock + " within " +
          to_fraction(port.clock_error));
    if (!port.gates.empty()) add(names_of(port.guard)[static_cast<std::size_t>(port.guard)]);
    for (const Rational& sdu : port.max_sdu) add("G " + to_fraction(sdu));
    for (const bool preemptable : port.preemptable) add(preemptable ? "p" : "e");
    if (!port.preemptable.empty()) add("fragment " + std::to_string(port.fragment));
    if (port.cut_through) add("cut " + to_fraction(*port.cut_through));
  }
  for (const PolicedFlow& flow : network.flows) {
    add("\n" + flow.name + " class " + std::to_string(flow.traffic_class) + " path");
    for (const std::size_t port : flow.path) add(std::to_string(port));
    for (const traffic::TokenBucket& bucket : flow.buckets)
      add("(" + to_fraction(bucket.rate) + ", " + to_fraction(bucket.burst) + ")");
    add("l " + to_fraction(flow.shortest) + ".." + to_fraction(flow.longest));
    for (const std::size_t before : flow.before) add("<" + std::to_string(before));
    for (const network::PolicedDestination& to : flow.destinations) add(to.name);
    if (flow.periodic)
      add("T " + to_fraction(flow.periodic->period) + " J " + to_fraction(flow.periodic->jitter) + " o " +
          to_fraction(flow.periodic->offset.value_or(0)) + " " + flow.periodic->clock);
  }
  return text;
}

/// \param all  of the networks together
/// \return  number of networks with bounds
long compare_random_networks(std::uint64_t first, long count, std::uint64_t packets,
                             PolicedNetwork (NetworkDraws::*draw)() = &NetworkDraws::network,
                             Shares* all = nullptr) {
  long compared = 0;
  for (long i = 0; i < count; ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    const PolicedNetwork network = (NetworkDraws(seed).*draw)();
    INFO("random network " << seed << written(network));
    bounds::NetworkGuarantee never;
    try {
      never = bounds::guarantee(network);
    } catch (const NoAnswer&) {
      continue;  // a cycle without a bound
    } catch (const InvalidArgument&) {
      continue;  // gates that surely carry no packet
    }
    const Shares shares = require_below(network, never, worst_seen(network, packets, seed));
    if (all != nullptr) all->add(shares);
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("policed events: greedy flows attain the bounds of a FIFO port") {
  PolicedNetwork network;
  network.classes = {"all"};
  network.ports.push_back({.name = "port", .rate = 1});
  for (long f = 0; f < 3; ++f)
    network.flows.push_back({.name = "f" + std::to_string(f),
                             .path = {0},
                             .buckets = {{rational("1/4"), 2 + f}},
                             .longest = 1,
                             .shortest = 1});
  const auto check_attained = [&] {
    const auto never = bounds::guarantee(network);
    const PolicedEventsSeen seen = simulate_events(network, {.sources = EventSources::greedy});
    static_cast<void>(require_below(network, never, seen));
    for (std::size_t f = 0; f < 3; ++f) CHECK(seen.flows[f].delay == *never.flows[f].routes[0].tfa);
    // Arrivals during the latency are a fluid in the bound, and whole packets here.
    if (network.ports[0].latency == 0) CHECK(seen.queues[0].backlog == never.queues[0].backlog);
  };
  check_attained();
  network.ports[0].latency = rational("7/3");
  check_attained();
  for (PolicedFlow& flow : network.flows) flow.shortest = rational("0.01");
  network.flows[0].buckets[0].burst = rational("2.35");
  check_attained();
}

TEST_CASE("policed events: priority, credit-based shaping and DRR come near their bounds") {
  const std::vector<traffic::TokenBucket> buckets{
      {rational("1/5"), 30}, {rational("1/5"), 40}, {rational("1/10"), 100}};
  const auto seen_of = [&](const PolicedNetwork& network) {
    const PolicedEventsSeen seen = worst_seen(network, 60'000);
    static_cast<void>(require_below(network, bounds::guarantee(network), seen));
    return seen;
  };
  const auto at_least = [](const Rational& seen, double value) { CHECK(nearest_double(seen) >= value); };

  const auto priority = seen_of(one_port_of_classes(Scheduler::priority, {10, 20, 25}, buckets));
  CHECK(priority.flows[0].delay == 55);
  at_least(priority.flows[1].delay, 113);
  at_least(priority.flows[2].delay, 256);

  PolicedNetwork shaped =
      one_port_of_classes(Scheduler::cbs, {10, 15}, {{rational("2/5"), 20}, {rational("3/10"), 30}});
  shaped.ports[0].idle_slopes = {rational("2/5"), rational("3/10")};
  shaped.ports[0].best_effort = 30;
  const auto credits = seen_of(shaped);
  at_least(credits.flows[0].delay, 65);
  at_least(credits.flows[1].delay, 140);

  PolicedNetwork turns = one_port_of_classes(Scheduler::drr, {10, 20, 25}, buckets);
  turns.ports[0].quanta = {30, 20, 50};
  const auto drr = seen_of(turns);
  at_least(drr.flows[0].delay, 168);
}

TEST_CASE("policed events: flows and regulator outputs conform to their buckets") {
  PolicedNetwork network;
  network.classes = {"all"};
  for (int p = 0; p < 3; ++p)
    network.ports.push_back({.name = "p" + std::to_string(p), .rate = 2, .wire = rational("1/3")});
  network.ports[0].reshaped = true;
  network.flows = {
      {.name = "a",
       .path = {0, 1},
       .buckets = {{rational("2/7"), rational("31/3")}, {rational("3/2"), 3}},
       .longest = 3,
       .shortest = rational("1/2")},
      {.name = "b", .path = {0, 2}, .buckets = {{rational("1/3"), 8}}, .longest = 4, .shortest = 4},
      {.name = "c", .path = {0, 1}, .buckets = {{rational("1/5"), 5}}, .longest = 5, .shortest = 1}};
  const sim::TickedNetwork ticked = sim::ticked(network);
  struct Passed {
    sim::Ticks at;
    sim::DataUnits length;
  };
  for (const bool per_flow : {false, true}) {
    std::vector<std::vector<std::vector<Passed>>> all(3, std::vector<std::vector<Passed>>(2));
    sim::PolicedEpisodes episodes(ticked);
    episodes.watch([&](sim::Ticks at, std::size_t flow, std::size_t hop, sim::DataUnits length) {
      all[flow][hop].push_back({at, length});
    });
    sim::EpisodePlan plan{.regulator_per_flow = per_flow, .packets = 600, .seed = 5};
    plan.full_latency = sim::Chance::random;
    for (std::uint32_t f = 0; f < 3; ++f)
      plan.flows.push_back({.start = f,
                            .rank = f,
                            .runs = {{.wait = 0, .packets = 40, .lengths = sim::PacketLengths::full},
                                     {.wait = 20'000, .packets = 17, .lengths = sim::PacketLengths::random},
                                     {.wait = 5, .packets = 3, .lengths = sim::PacketLengths::shortest}},
                            .repeats = true});
    static_cast<void>(episodes.run(plan));
    for (std::size_t f = 0; f < 3; ++f)
      for (const std::vector<Passed>& passed : all[f]) {
        REQUIRE(passed.size() > 50);
        bool tight = false;
        for (std::size_t i = 0; i < passed.size(); ++i) {
          sim::DataUnits sum = 0;
          for (std::size_t j = i; j < passed.size(); ++j) {
            sum += passed[j].length;
            const Rational data = Rational(sum) * ticked.unit;
            const Rational time = Rational(passed[j].at - passed[i].at) * ticked.tick;
            for (const traffic::TokenBucket& bucket : network.flows[f].buckets) {
              const Rational maximum = bucket.burst + bucket.rate * time;
              if (data > maximum) FAIL("more than the bucket lets through");
              tight = tight || data == maximum;
            }
          }
        }
        CHECK(tight);
      }
  }
}

TEST_CASE("policed events: a search depends only on its seed, and exceeds bursts from time 0") {
  PolicedNetwork network;
  network.classes = {"all"};
  for (int p = 0; p < 4; ++p) network.ports.push_back({.name = "p" + std::to_string(p), .rate = 1});
  const auto add = [&](std::vector<std::size_t> path) {
    network.flows.push_back({.name = "f" + std::to_string(network.flows.size()),
                             .path = std::move(path),
                             .buckets = {{rational("1/4"), 3}}});
  };
  add({0, 1, 2, 3});
  for (std::size_t p = 0; p < 3; ++p) add({p, p + 1});
  const sim::PolicedEventsPlan plan{.packets = 40'000, .seed = 3, .flow = 0};
  const PolicedEventsSeen seen = simulate_events(network, plan), again = simulate_events(network, plan);
  for (std::size_t f = 0; f < network.flows.size(); ++f) CHECK(seen.flows[f].delay == again.flows[f].delay);
  CHECK(seen.packets == again.packets);
  CHECK(seen.packets >= 40'000);
  const auto greedy = simulate_events(network, {.sources = EventSources::greedy, .packets = 40'000});
  CHECK(seen.flows[0].delay > greedy.flows[0].delay);
  const auto never = bounds::guarantee(network);
  const Shares shares = require_below(network, never, seen);
  CHECK(shares.delay > 0.7);
}

TEST_CASE("policed events: random networks never exceed their bounds") {
  CHECK(compare_random_networks(1, 60, 2'000) > 40);
}

TEST_CASE("policed events: random time-sensitive networks never exceed their bounds") {
  CHECK(compare_random_networks(1, 60, 2'000, &NetworkDraws::time_sensitive) > 30);
}

TEST_CASE("policed events: random schedules never exceed their bounds") {
  Shares all;
  CHECK(compare_random_networks(1, 400, 1'000, &NetworkDraws::scheduled, &all) > 120);
  CHECK(all.scheduled > 200);
  CHECK(all.attained > 100);
}

TEST_CASE("policed events: many random time-sensitive networks never exceed their bounds", "[.full]") {
  Shares all;
  CHECK(compare_random_networks(2'000'000, 3'000, 20'000, &NetworkDraws::time_sensitive, &all) > 1'500);
  CHECK(compare_random_networks(3'000'000, 3'000, 10'000, &NetworkDraws::scheduled, &all) > 900);
  WARN("attained: " << all.attained << " of " << all.routes << " routes (" << all.scheduled
                    << " with a schedule); by curves " << all.attained_by_curves);
}

TEST_CASE("policed events: many random networks never exceed their bounds", "[.full]") {
  CHECK(compare_random_networks(1'000'000, 3'000, 20'000) > 2'000);
}

TEST_CASE("policed events: a shared regulator after an unregulated port has no bound") {
  // Flow a waits for c at p0, and its packets arrive at p1 closer together than its bucket allows. The
  // regulator after p1 delays the second one, and b's packet after it if both share a queue.
  PolicedNetwork network;
  network.classes = {"all"};
  for (int p = 0; p < 3; ++p) network.ports.push_back({.name = "p" + std::to_string(p), .rate = 1});
  network.ports[1].reshaped = true;
  network.flows = {{.name = "a", .path = {0, 1, 2}, .buckets = {{rational("1/10"), 1}}},
                   {.name = "b", .path = {1, 2}, .buckets = {{rational("1/10"), 1}}},
                   {.name = "c", .path = {0}, .buckets = {{rational("1/10"), 8}}}};
  sim::TickedNetwork ticked = sim::ticked(network);
  const auto slots = [&](long count) {
    return static_cast<sim::Ticks>(numeric::to_int64(numeric::numerator(count / ticked.tick)));
  };
  sim::EpisodePlan plan{.packets = 100};
  plan.flows = {{.start = 0, .rank = 1, .runs = {{.packets = 2}}},
                {.start = slots(11), .rank = 2, .runs = {{.packets = 1}}},
                {.start = 0, .rank = 0, .runs = {{.packets = 8}}}};
  const auto latest_of_b = [&] {
    sim::PolicedEpisodes episodes(ticked);
    return Rational(Rational(episodes.run(plan).delay[1]) * ticked.tick);
  };
  const Rational never = *bounds::guarantee(network).flows[1].routes[0].tfa;
  CHECK_FALSE(ticked.queues[1].regulated);
  CHECK(latest_of_b() <= never);
  ticked.queues[1].regulated = true;
  CHECK(latest_of_b() > never);
}

TEST_CASE("policed events: numbers without a common tick are rejected") {
  PolicedNetwork network = one_port_of_classes(Scheduler::fifo, {1}, {{rational("1/5"), 3}});
  network.ports[0].rate = rational("1.0000000000000000001");
  CHECK_THROWS_AS(simulate_events(network, {}), LimitExceeded);
  network.ports[0].rate = 1;
  CHECK_THROWS_AS(simulate_events(network, {.packets = 0}), InvalidArgument);
  CHECK_THROWS_AS(simulate_events(network, {.flow = 7}), InvalidArgument);
  network.flows[0].path = {0, 0};
  CHECK_THROWS_AS(simulate_events(network, {}), InvalidArgument);
}
