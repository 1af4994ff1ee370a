#include <tailbound/bounds/gates/gate_windows.hpp>
#include <tailbound/bounds/gates/scheduled_delay.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace tailbound::bounds {
namespace {

using network::Guard;
using network::PolicedFlow;
using network::PolicedPort;
using network::Scheduler;

/// Packet n of a flow, of those in a hyperperiod: it arrives at a port within [earliest, latest], and is sent
/// wholly from `began` on, at the latest.
struct Instance {
  std::size_t flow = 0, number = 0;
  Rational earliest, latest;
  Rational began{};
  Rational later{};  ///< all three are less by this multiple of the hyperperiod
};

/// A hop of a flow.
struct Passage {
  std::size_t flow = 0, hop = 0;
};

struct PlannedQueue {
  std::size_t port = 0;
  std::vector<Passage> flows{};
  GatedClass packets{};
  std::optional<GatedService> service{};  ///< none: not of the model
  bool solved = false;
};

/// Rational lcm: the smallest time that is a multiple of both.
Rational common_multiple(const Rational& one, const Rational& other) {
  const numeric::Integer denominator = numeric::lcm(numeric::denominator(one), numeric::denominator(other));
  const Rational scale(denominator);
  return Rational(numeric::lcm(numeric::numerator(one * scale), numeric::numerator(other * scale))) / scale;
}

class Planner {
 public:
  explicit Planner(const network::PolicedNetwork& network) : network_(network) {}

  Schedule run() {
    find_queues();
    bool more = true;
    while (more) {
      more = false;
      for (auto& [key, queue] : queues_)
        if (queue.service && !queue.solved && all_known(queue)) more = solve(queue) || more;
    }
    Schedule found;
    for (const PolicedFlow& flow : network_.flows) {
      auto& routes = found.delays.emplace_back();
      for (const auto& hops : flow.routes()) routes.push_back(delay_of(flow, hops.back()));
    }
    found.queues = std::move(results_);
    return found;
  }

 private:
  void find_queues() {
    arrivals_.resize(network_.flows.size());
    for (std::size_t f = 0; f < network_.flows.size(); ++f) {
      const PolicedFlow& flow = network_.flows[f];
      arrivals_[f].resize(flow.path.size());
      for (std::size_t hop = 0; hop < flow.path.size(); ++hop) {
        const bool fifo = network_.ports[flow.path[hop]].scheduler == Scheduler::fifo;
        PlannedQueue& queue = queues_[{flow.path[hop], fifo ? 0 : flow.traffic_class}];
        queue.port = flow.path[hop];
        GatedClass& its = queue.packets;
        its = {fifo ? 0 : flow.traffic_class,
               queue.flows.empty() ? flow.shortest : std::min(its.shortest, flow.shortest),
               std::max(its.longest, flow.longest)};
        queue.flows.push_back({f, hop});
      }
    }
    for (auto& [key, queue] : queues_) queue.service = service_of(queue);
    // One hyperperiod for each clock.
    for (const auto& [key, queue] : queues_) {
      if (!queue.service) continue;
      for (const Passage& its : queue.flows) {
        const network::PeriodicSource& source = *network_.flows[its.flow].periodic;
        Rational& period = hyperperiods_.try_emplace(source.clock, source.period).first->second;
        period = common_multiple(period, source.period);
        if (!queue.service->always) period = common_multiple(period, queue.service->cycle);
      }
    }
  }

  /// None where the queue is not of the model.
  [[nodiscard]] std::optional<GatedService> service_of(const PlannedQueue& queue) const {
    const PolicedPort& port = network_.ports[queue.port];
    const bool fifo = port.scheduler == Scheduler::fifo;
    if ((!fifo && port.scheduler != Scheduler::priority) || port.cut_through || !port.preemptable.empty())
      return std::nullopt;
    const std::string* clock = nullptr;
    for (const Passage& its : queue.flows) {
      const PolicedFlow& flow = network_.flows[its.flow];
      if (!flow.periodic || !flow.periodic->offset) return std::nullopt;
      if (clock != nullptr && *clock != flow.periodic->clock) return std::nullopt;
      clock = &flow.periodic->clock;
      if (its.hop > 0 && network_.ports[flow.path[flow.hop_before(its.hop)]].reshaped) return std::nullopt;
    }
    std::vector<GatedClass> classes;
    std::size_t position = 0;
    for (auto other = queues_.lower_bound({queue.port, 0});
         other != queues_.end() && other->first.first == queue.port; ++other) {
      if (&other->second == &queue) position = classes.size();
      classes.push_back(other->second.packets);
    }
    if (!port.gates.empty()) {
      GatedService service = gated_service(port, classes, position);
      if (service.always) service.lower = std::max(service.lower, port.best_effort);
      const bool alone = service.always ? service.above.empty() && service.apart.empty() : !service.shared;
      return alone && (service.always || *clock == port.clock) ? std::optional(service) : std::nullopt;
    }
    if (position > 0) return std::nullopt;  // higher classes come at times of their own
    GatedService open{
        .cycle = 0, .always = true, .windows = {}, .above = {}, .apart = {}, .lower = port.best_effort};
    for (std::size_t other = 1; other < classes.size(); ++other)
      open.lower = std::max(open.lower, classes[other].longest);
    return open;
  }

  [[nodiscard]] bool all_known(const PlannedQueue& queue) const {
    return std::all_of(queue.flows.begin(), queue.flows.end(), [&](const Passage& its) {
      return its.hop == 0 || !arrivals_[its.flow][its.hop].empty();
    });
  }

  [[nodiscard]] Rational sending_time(const PlannedQueue& queue, const Instance& its) const {
    return network_.flows[its.flow].longest / network_.ports[queue.port].rate;
  }

  /// Sets when packets arrive at the next ports. Was there an answer?
  bool solve(PlannedQueue& queue) {
    queue.solved = true;
    const PolicedPort& port = network_.ports[queue.port];
    const GatedService& service = *queue.service;
    const Rational& period = hyperperiods_.at(network_.flows[queue.flows.front().flow].periodic->clock);
    std::vector<Instance> all;
    Rational demand = 0;
    for (const Passage& its : queue.flows) {
      const network::PeriodicSource& source = *network_.flows[its.flow].periodic;
      std::vector<Instance>& known = arrivals_[its.flow][its.hop];
      const Rational count = period / source.period;
      if (count * count > static_cast<std::int64_t>(max_schedule_steps)) return false;
      if (its.hop == 0)
        for (Rational n = 0; n < count; n = n + 1) {
          const Rational due = *source.offset + n * source.period;
          known.push_back({its.flow, known.size(), due, due + source.jitter});
        }
      all.insert(all.end(), known.begin(), known.end());
      demand = demand + count * network_.flows[its.flow].longest;
    }
    if (demand > (service.always ? port.rate : service.rate()) * period) return false;
    steps_ += 2 * all.size() * all.size();
    if (steps_ > max_schedule_steps) return false;
    for (Instance& one : all) {
      one.latest = one.latest + port.latency;
      one.later = period * Rational(numeric::floor(one.latest / period));
      one.latest = one.latest - one.later;
      one.earliest = one.earliest - one.later;
    }
    std::sort(all.begin(), all.end(),
              [](const Instance& one, const Instance& other) { return one.latest < other.latest; });
    for (std::size_t x = 0; x < all.size(); ++x) all[x].began = latest_start(queue, all, x, period);
    add_result(queue, all, period);
    for (const Passage& its : queue.flows) send_on(queue, its, all);
    return true;
  }

  /// (8.1): the latest start of packet x. Busy periods that begin two hyperperiods before it is there, or
  /// earlier, end no later than those that begin one hyperperiod after them.
  [[nodiscard]] Rational latest_start(const PlannedQueue& queue, const std::vector<Instance>& all,
                                      std::size_t x, const Rational& period) const {
    const Rational& there = all[x].latest;
    const auto length = [&](const Instance& its) { return network_.flows[its.flow].longest; };
    // Those that are there no earlier than x at the latest, but may come before it. Packets of one flow keep
    // their order.
    Rational before = -length(all[x]);
    for (const Instance& its : all) {
      numeric::Integer last = numeric::floor((there - its.earliest) / period);
      const numeric::Integer first = numeric::ceiling((there - its.latest) / period);
      if (its.flow == all[x].flow)
        last = std::min(last, numeric::floor((its.later - all[x].later) / period +
                                             Rational(its.number > all[x].number ? -1 : 0)));
      if (last >= first) before = before + length(its) * Rational(last - first + 1);
    }
    Rational latest = first_after(queue, there, before);
    Rational earlier = 0;  // hyperperiods
    for (std::size_t turn = 0, y = x; turn < 2 * all.size(); ++turn) {
      if (y == 0) earlier = earlier + period;
      y = y == 0 ? all.size() - 1 : y - 1;
      const Rational since = all[y].latest - earlier;
      if (since == there) continue;  // counted above
      before = before + length(all[y]);
      latest = std::max(latest, first_after(queue, since, before));
    }
    return latest;
  }

  /// The first time at which surely more than `data` has been sent since `from`, and a packet begins.
  [[nodiscard]] Rational first_after(const PlannedQueue& queue, const Rational& from, Rational data) const {
    const GatedService& service = *queue.service;
    const PolicedPort& port = network_.ports[queue.port];
    if (service.always) return from + (service.lower + data) / port.rate;
    const Rational a_cycle = service.rate() * service.cycle;
    // Windows that end after `from`, from the cycle before it on: those of the cycle may end after it.
    Rational start = port.gate_offset +
                     service.cycle * Rational(numeric::floor((from - port.gate_offset) / service.cycle) - 1);
    bool skipped = false;
    for (int turn = 0;; ++turn) {
      if (turn >= 3 && !std::exchange(skipped, true)) {
        const numeric::Integer cycles = numeric::floor(data / a_cycle);
        data = data - a_cycle * Rational(cycles);
        start = start + service.cycle * Rational(cycles);
      }
      for (const GateWindow& window : service.windows) {
        const Rational opens = start + window.opens + window.lost, closes = start + window.closes;
        if (closes <= from) continue;
        const Rational begin = std::max(opens, from);
        const Rational carried = opens >= from ? window.carried : carried_in(queue, closes - begin);
        if (carried > data) return begin + data / port.rate;
        data = data - carried;
      }
      start = start + service.cycle;
    }
  }

  /// (5.1) in what is left of a window.
  [[nodiscard]] Rational carried_in(const PlannedQueue& queue, const Rational& time) const {
    const PolicedPort& port = network_.ports[queue.port];
    const Rational data = time > 0 ? time * port.rate : Rational(0);
    if (port.guard == Guard::overrun) return data;
    const bool fixed = port.guard == Guard::fixed;
    return surely_sent(data, queue.packets,
                       fixed ? port.max_sdu[queue.packets.number] : queue.packets.longest);
  }

  /// The first time from `from` on at which a packet may begin, whatever the error of the clock.
  [[nodiscard]] Rational earliest_start(const PlannedQueue& queue, const Rational& from,
                                        const Rational& length) const {
    const GatedService& service = *queue.service;
    const PolicedPort& port = network_.ports[queue.port];
    if (service.always) return from;
    Rational needed = 0;
    if (port.guard == Guard::fit) needed = length / port.rate;
    if (port.guard == Guard::fixed) needed = port.max_sdu[queue.packets.number] / port.rate;
    // The windows of the service are shorter at both ends by the error.
    const Rational wider = 2 * port.clock_error;
    Rational start = port.gate_offset +
                     service.cycle * Rational(numeric::floor((from - port.gate_offset) / service.cycle) - 1);
    for (;; start = start + service.cycle) {
      std::optional<Rational> first;
      for (const GateWindow& window : service.windows) {
        const Rational begin = std::max(Rational(start + window.opens - wider), from);
        if (begin + needed > start + window.closes + wider) continue;
        first = first ? std::min(*first, begin) : begin;
      }
      if (first) return *first;
    }
  }

  void add_result(const PlannedQueue& queue, const std::vector<Instance>& all, const Rational& period) {
    ScheduledQueue result{queue.port, queue.packets.number, 0, 0};
    for (const Instance& its : all)
      result.delay = std::max(result.delay, Rational(its.began + sending_time(queue, its) - its.earliest));
    for (const Instance& when : all) {
      Rational there = 0;
      for (const Instance& its : all) {
        const Rational ends = its.began + sending_time(queue, its);
        const numeric::Integer come = numeric::floor((when.earliest - its.earliest) / period),
                               gone = numeric::floor((when.earliest - ends) / period);
        there = there + network_.flows[its.flow].longest * Rational(come - gone);
      }
      result.backlog = std::max(result.backlog, there);
    }
    results_.push_back(result);
  }

  void send_on(const PlannedQueue& queue, const Passage& its, const std::vector<Instance>& all) {
    const PolicedFlow& flow = network_.flows[its.flow];
    const PolicedPort& port = network_.ports[queue.port];
    std::vector<Instance> sent = arrivals_[its.flow][its.hop];
    for (const Instance& one : all) {
      if (one.flow != its.flow) continue;
      const Rational behind = one.later + sending_time(queue, one) + port.wire;
      sent[one.number].earliest = earliest_start(queue, one.earliest, flow.longest) + behind;
      sent[one.number].latest = one.began + behind;
    }
    bool ends = flow.destinations.empty() && its.hop + 1 == flow.path.size();
    for (const network::PolicedDestination& one : flow.destinations) ends = ends || one.hop == its.hop;
    if (ends) {
      const std::vector<Instance>& source = arrivals_[its.flow][0];
      Rational delay = 0;
      for (std::size_t n = 0; n < sent.size(); ++n)
        delay = std::max(delay, Rational(sent[n].latest - source[n].earliest));
      delays_[{its.flow, its.hop}] = delay;
    }
    for (std::size_t next = its.hop + 1; next < flow.path.size(); ++next)
      if (flow.hop_before(next) == its.hop) arrivals_[its.flow][next] = sent;
  }

  [[nodiscard]] std::optional<Rational> delay_of(const PolicedFlow& flow, std::size_t hop) const {
    const auto found = delays_.find({static_cast<std::size_t>(&flow - network_.flows.data()), hop});
    return found == delays_.end() ? std::nullopt : std::optional(found->second);
  }

  const network::PolicedNetwork& network_;
  std::map<std::pair<std::size_t, std::size_t>, PlannedQueue> queues_;  ///< of (port, class)
  std::map<std::string, Rational> hyperperiods_;                        ///< of clocks
  std::vector<std::vector<std::vector<Instance>>> arrivals_;            ///< [flow][hop][n]; empty: unknown
  std::map<std::pair<std::size_t, std::size_t>, Rational> delays_;      ///< of (flow, hop)
  std::vector<ScheduledQueue> results_;
  std::size_t steps_ = 0;
};

}  // namespace

Schedule schedule_of(const network::PolicedNetwork& network) {
  return Planner(network).run();
}

}  // namespace tailbound::bounds
