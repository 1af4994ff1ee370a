#include <tailbound/bounds/sizing/claim_value.hpp>
#include <tailbound/bounds/sizing/incast_event.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

// One incast, compared with all S^N ways to start, slot by slot.

namespace tailbound::bounds {
namespace {

using numeric::Rational;

struct Seen {
  std::int64_t peak = 0;
  std::vector<std::int64_t> lost;  ///< by buffer, from 0
};

/// Slot by slot: arrivals, losses, service.
Seen run(const IncastEvent& event, const std::vector<std::int64_t>& starts, std::int64_t buffers) {
  Seen seen;
  for (std::int64_t buffer = -1; buffer < buffers; ++buffer) {
    std::int64_t queue = 0, lost = 0;
    for (std::int64_t slot = 0; slot < event.spread + event.packets; ++slot) {
      queue = std::max<std::int64_t>(queue - event.served, 0);
      for (const std::int64_t start : starts) queue += slot >= start && slot < start + event.packets ? 1 : 0;
      if (buffer < 0) {
        seen.peak = std::max(seen.peak, queue);
      } else if (queue > buffer) {
        lost += queue - buffer;
        queue = buffer;
      }
    }
    if (buffer >= 0) seen.lost.push_back(lost);
  }
  return seen;
}

double lower(const numeric::Claim<unit::Probability>& claim) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim))
    return numeric::nearest_double(exact->value);
  if (const auto* both = std::get_if<numeric::Enclosure<unit::Probability>>(&claim))
    return static_cast<double>(both->lower());
  return 0;
}
double upper(const numeric::Claim<unit::Probability>& claim) {
  return static_cast<double>(max_value(claim));
}

}  // namespace

TEST_CASE("incast event: all ways to start, slot by slot") {
  const std::vector<IncastEvent> events{{2, 3, 3, 1}, {3, 2, 2, 1}, {4, 3, 3, 1}, {4, 3, 3, 2}, {5, 4, 4, 3},
                                        {3, 2, 7, 1}, {4, 2, 6, 1}, {2, 1, 9, 1}, {5, 3, 5, 1}, {3, 4, 9, 1}};
  for (const IncastEvent& event : events) {
    const std::int64_t worst = event.worst().value;
    std::vector<double> above(static_cast<std::size_t>(worst) + 1), lost(above.size());
    const auto ways = static_cast<std::int64_t>(
        std::llround(std::pow(static_cast<double>(event.spread), static_cast<double>(event.senders))));
    std::int64_t maximum = 0;
    for (std::int64_t way = 0; way < ways; ++way) {
      std::vector<std::int64_t> starts;
      for (std::int64_t left = way, i = 0; i < event.senders; ++i, left /= event.spread)
        starts.push_back(left % event.spread);
      const Seen seen = run(event, starts, worst + 1);
      maximum = std::max(maximum, seen.peak);
      for (std::size_t b = 0; b < above.size(); ++b) {
        above[b] += seen.peak > static_cast<std::int64_t>(b) ? 1 : 0;
        lost[b] += static_cast<double>(seen.lost[b]);
      }
    }
    CHECK(maximum == worst);
    IncastPeak peak(event);
    for (std::size_t b = 0; b < above.size(); ++b) {
      INFO(event.senders << " senders, " << event.packets << " packets, spread " << event.spread
                         << ", served " << event.served << ", buffer " << b);
      const Packets buffer(static_cast<std::int64_t>(b));
      const double truth = above[b] / static_cast<double>(ways),
                   loss = lost[b] / static_cast<double>(ways) /
                          static_cast<double>(event.senders * event.packets);
      const auto overflow = peak.at(buffer, Criterion::overflow);
      CHECK(lower(overflow) == Approx(truth).epsilon(1e-12).margin(1e-290));
      CHECK(upper(overflow) == Approx(truth).epsilon(1e-12).margin(1e-290));
      const auto fraction = peak.at(buffer, Criterion::loss);
      CHECK(upper(fraction) >= loss * (1 - 1e-12));
      if (event.spread <= event.packets && (buffer.value == 0 || buffer.value >= event.served))
        CHECK(lower(fraction) == Approx(loss).epsilon(1e-12).margin(1e-290));
    }
    for (const Criterion criterion : {Criterion::overflow, Criterion::loss})
      for (const char* text : {"1/2", "1/10", "1/100", "1/100000"}) {
        const Rational target = numeric::parse_rational(text, "target");
        const Packets found = peak.min_buffer(target, criterion);
        CHECK(numeric::compare(max_value(peak.at(found, criterion)), target) <= 0);
        if (found.value > 0)
          CHECK(numeric::compare(max_value(peak.at(found - Packets(1), criterion)), target) > 0);
      }
  }
}

// 100 000 random events of 24 senders; each fraction within five standard deviations.
TEST_CASE("incast event: random starts over more slots than a sender needs") {
  const IncastEvent event{.senders = 24, .packets = 6, .spread = 50};
  std::mt19937_64 random(3);
  std::uniform_int_distribution<std::int64_t> start(0, event.spread - 1);
  constexpr int runs = 100'000;
  std::vector<int> above(static_cast<std::size_t>(event.worst().value) + 1);
  for (int i = 0; i < runs; ++i) {
    std::vector<std::int64_t> starts(static_cast<std::size_t>(event.senders));
    for (std::int64_t& each : starts) each = start(random);
    const std::int64_t peak = run(event, starts, 0).peak;
    for (std::int64_t b = 0; b < peak; ++b) ++above[static_cast<std::size_t>(b)];
  }
  IncastPeak peak(event);
  for (const int buffer : {80, 90, 95, 100, 105, 110}) {
    const double truth = upper(peak.at(Packets(buffer), Criterion::overflow)),
                 seen = static_cast<double>(above[static_cast<std::size_t>(buffer)]) / runs;
    CHECK(std::abs(seen - truth) < 5 * std::sqrt(truth / runs) + 1e-5);
  }
}

TEST_CASE("incast event: large ones are bounded in blocks of slots") {
  IncastPeak exact({.senders = 40, .packets = 16, .spread = 120});
  const double truth = upper(exact.at(Packets(530), Criterion::overflow));
  CHECK(lower(exact.at(Packets(530), Criterion::overflow)) == Approx(truth).epsilon(1e-9));
  // Ten times the event needs blocks: its bound is above a law that is steeper still.
  IncastPeak large({.senders = 400, .packets = 160, .spread = 12'000});
  const auto bound = large.at(Packets(56'000), Criterion::overflow);
  CHECK(std::holds_alternative<numeric::UpperBound<unit::Probability>>(bound));
  CHECK(upper(bound) < 1e-3);
}

TEST_CASE("incast event: invalid arguments are rejected") {
  CHECK_THROWS_AS(IncastPeak({.senders = 4, .packets = 8, .served = 4}), NoAnswer);
  CHECK_THROWS_AS(IncastPeak({.senders = 40, .packets = 8, .spread = 9, .served = 4}), InvalidArgument);
  CHECK_THROWS_AS(IncastPeak({.senders = 0, .packets = 8}), InvalidArgument);
  CHECK_THROWS_AS(IncastPeak({.senders = 4, .packets = 8}).min_buffer(1, Criterion::loss), InvalidArgument);
}

}  // namespace tailbound::bounds
