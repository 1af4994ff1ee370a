#include <tailbound/bounds/gates/gate_windows.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tailbound::bounds {
namespace {

using network::GateEntry;
using network::Guard;
using network::PolicedPort;

struct OpenTime {
  Rational opens, closes;  ///< opens in [0, T); closes may be after T
};

struct OpenTimes {
  bool always = false;
  std::vector<OpenTime> all;  ///< maximal intervals
};

/// Entries that touch are one interval, over the end of the cycle too.
OpenTimes open_times(const PolicedPort& port, std::size_t its, const Rational& cycle) {
  OpenTimes open;
  Rational start = 0;
  for (const GateEntry& entry : port.gates) {
    const Rational end = start + entry.time;
    if (entry.open[its]) {
      if (!open.all.empty() && open.all.back().closes == start)
        open.all.back().closes = end;
      else
        open.all.push_back({start, end});
    }
    start = end;
  }
  if (open.all.empty()) return open;
  if (open.all.front().opens == 0 && open.all.back().closes == cycle) {
    if (open.all.size() == 1) {
      open.always = true;
      return open;
    }
    open.all.back().closes = cycle + open.all.front().closes;
    open.all.erase(open.all.begin());
  }
  return open;
}

/// The interval of `open` that has `time` inside, moved next to it.
std::optional<OpenTime> around(const OpenTimes& open, const Rational& time, const Rational& cycle) {
  for (const OpenTime& its : open.all)
    for (const int turn : {-1, 0, 1}) {
      const Rational opens = its.opens + cycle * turn, closes = its.closes + cycle * turn;
      if (opens < time && time < closes) return OpenTime{opens, closes};
    }
  return std::nullopt;
}

/// The last instant up to `time` at which it is open, not always.
Rational last_open(const OpenTimes& open, const Rational& time, const Rational& cycle) {
  Rational latest = time - cycle;
  for (const OpenTime& its : open.all)
    for (const int turn : {-1, 0, 1})
      if (its.opens + cycle * turn < time)
        latest = std::max(latest, std::min(Rational(its.closes + cycle * turn), time));
  return latest;
}

/// The interval that contains [from, to].
std::optional<OpenTime> containing(const OpenTimes& open, const OpenTime& part, const Rational& cycle) {
  for (const OpenTime& its : open.all)
    for (const int turn : {-1, 0, 1}) {
      const Rational opens = its.opens + cycle * turn, closes = its.closes + cycle * turn;
      if (opens <= part.opens && part.closes <= closes) return OpenTime{opens, closes};
    }
  return std::nullopt;
}

bool overlap(const OpenTimes& one, const OpenTimes& other, const Rational& cycle) {
  if ((one.always && !other.all.empty()) || (other.always && !one.all.empty())) return true;
  for (const OpenTime& its : one.all)
    for (const OpenTime& theirs : other.all)
      for (const int turn : {-1, 0, 1})
        if (its.opens < theirs.closes + cycle * turn && theirs.opens + cycle * turn < its.closes) return true;
  return false;
}

}  // namespace

Rational surely_sent(const Rational& window, const GatedClass& its, const Rational& guarded) {
  if (window < guarded) return 0;
  const Rational above = window - guarded;
  const Rational count = numeric::floor(above / its.longest) + 1;
  return std::max(above, Rational(count * its.shortest));
}

GatedService gated_service(const PolicedPort& port, const std::vector<GatedClass>& classes, std::size_t its) {
  GatedService service;
  for (const GateEntry& entry : port.gates) service.cycle = service.cycle + entry.time;
  std::vector<OpenTimes> open;
  for (const GatedClass& one : classes) open.push_back(open_times(port, one.number, service.cycle));
  const auto guarded = [&](std::size_t one) {
    switch (port.guard) {
      case Guard::fit:
        break;
      case Guard::fixed:
        return port.max_sdu[classes[one].number];
      case Guard::overrun:
        return Rational(0);
    }
    return classes[one].longest;
  };
  for (std::size_t other = 0; other < classes.size(); ++other) {
    if (other == its || !overlap(open[its], open[other], service.cycle)) continue;
    service.shared = true;
    if (other > its) {
      service.lower = std::max(service.lower, classes[other].longest);
      continue;
    }
    const bool within = open[other].always ||
                        (!open[its].always &&
                         std::all_of(open[its].all.begin(), open[its].all.end(), [&](const OpenTime& window) {
                           return containing(open[other], window, service.cycle).has_value();
                         }));
    (within ? service.above : service.apart).push_back(other);
  }
  service.always = open[its].always;
  if (service.always) {
    service.windows.push_back({0, service.cycle, 0, service.cycle * port.rate, 0});
    return service;
  }
  const bool alone = service.above.empty() && service.apart.empty();
  const Rational& error = port.clock_error;
  for (const OpenTime& window : open[its].all) {
    GateWindow& found = service.windows.emplace_back();
    found.opens = window.opens;
    found.closes = window.closes;
    for (std::size_t other = 0; other < classes.size(); ++other) {
      const Rational length = classes[other].longest / port.rate;
      if (other == its || (other < its && port.guard != Guard::overrun)) continue;
      if (open[other].always) {
        found.lost = std::max(found.lost, length);
        continue;
      }
      if (port.guard == Guard::overrun) {
        // One that begins as its gate closes may still be sent, also when no gate is open.
        const Rational latest = last_open(open[other], window.opens, service.cycle);
        found.lost = std::max(found.lost, Rational(latest + length - window.opens));
        continue;
      }
      const auto before = around(open[other], window.opens, service.cycle);
      if (!before) continue;
      // The latest time at which its packet begins, and when this ends.
      Rational ends = window.opens + length;
      if (port.guard == Guard::fit) ends = std::min(ends, before->closes);
      if (port.guard == Guard::fixed) {
        const Rational latest = before->closes - guarded(other) / port.rate;
        ends = latest < before->opens ? window.opens : Rational(std::min(window.opens, latest) + length);
      }
      found.lost = std::max(found.lost, Rational(ends - window.opens));
    }
    if (port.guard != Guard::overrun) {
      found.unused = guarded(its);
      for (const std::size_t other : service.above)
        if (!open[other].always)
          found.unused = std::max(
              found.unused,
              Rational(guarded(other) -
                       port.rate * (containing(open[other], window, service.cycle)->closes - window.closes)));
    }
    found.opens = found.opens + error;
    found.closes = found.closes - error;
    const Rational whole =
        port.rate * std::max(Rational(found.closes - found.opens - found.lost), Rational(0));
    found.carried = port.guard == Guard::overrun
                        ? whole
                        : (alone ? surely_sent(whole, classes[its], guarded(its))
                                 : std::max(Rational(whole - found.unused), Rational(0)));
    if (port.guard == Guard::overrun)
      service.lower = std::max(service.lower, Rational(port.rate * found.lost));
  }
  return service;
}

Rational GatedService::rate() const {
  Rational sum = 0;
  for (const GateWindow& window : windows) sum = sum + window.carried;
  return sum / cycle;
}

namespace {

/// Where the n-th window after `skipped` begins to carry, counted from s of (5.3).
Rational begins(const GatedService& service, std::size_t skipped, std::size_t n, const Rational& port_rate) {
  const GateWindow& before = service.windows[skipped];
  const std::size_t number = skipped + 1 + n, count = service.windows.size();
  const GateWindow& window = service.windows[number % count];
  return window.opens + service.cycle * static_cast<std::int64_t>(number / count) + window.lost -
         (before.closes - (before.unused + service.lower) / port_rate);
}

}  // namespace

Rational GatedService::latency(std::size_t skipped, const Rational& port_rate) const {
  if (always) return lower / port_rate;
  const Rational in_the_long_run = rate();
  Rational maximum = 0, before = 0;
  for (std::size_t n = 0; n < windows.size(); ++n) {
    maximum = std::max(maximum, Rational(begins(*this, skipped, n, port_rate) - before / in_the_long_run));
    before = before + windows[(skipped + 1 + n) % windows.size()].carried;
  }
  return maximum;
}

StepCurve GatedService::sent(std::size_t skipped, const Rational& port_rate, const Rational& wait,
                             const Rational& end) const {
  if (always) return StepCurve(ServiceCurve(wait + lower / port_rate, port_rate), end);
  std::vector<StepCurve::Piece> pieces{{0, 0, 0}};
  Rational value = 0;
  for (std::size_t n = 0;; ++n) {
    const Rational start = begins(*this, skipped, n, port_rate) + wait;
    if (start > end) break;
    const Rational& carried = windows[(skipped + 1 + n) % windows.size()].carried;
    if (carried == 0) continue;
    if (pieces.back().start == start) pieces.pop_back();
    pieces.push_back({start, value, port_rate});
    value = value + carried;
    pieces.push_back({start + carried / port_rate, value, 0});
  }
  return StepCurve(std::move(pieces));
}

std::pair<Rational, Rational> GatedService::next_window(std::size_t skipped,
                                                        const Rational& port_rate) const {
  const GateWindow& next = windows[(skipped + 1) % windows.size()];
  const Rational opens = begins(*this, skipped, 0, port_rate) - next.lost;
  return {opens, opens + next.closes - next.opens};
}

std::size_t GatedService::pieces_until(const Rational& end) const {
  if (always) return 1;
  const Rational cycles = end / cycle + 1;
  const Rational pieces = cycles * static_cast<std::int64_t>(2 * windows.size());
  return pieces > 1'000'000 ? 1'000'000 : static_cast<std::size_t>(numeric::to_int64(numeric::floor(pieces)));
}

}  // namespace tailbound::bounds
