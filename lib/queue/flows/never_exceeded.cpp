#include <tailbound/core/error.hpp>
#include <tailbound/queue/flows/flow_curve.hpp>
#include <tailbound/queue/flows/never_exceeded.hpp>

#include <functional>
#include <queue>
#include <utility>

namespace tailbound::queue {
namespace {

constexpr std::int64_t max_slots_looked_at = 100'000'000;

}  // namespace

NeverExceeded never_exceeded(const std::vector<FlowGroup>& groups) {
  const FlowCurves curves(groups);
  NeverExceeded worst{.packets = curves.maximum(0), .window = 0, .wait = 0};
  const auto look_at = [&](std::int64_t m, std::int64_t packets) {
    if (packets > worst.packets || (packets == worst.packets && m < worst.window))
      worst = {.packets = packets, .window = m, .wait = 0};
  };
  look_at(curves.peak(), curves.maximum(curves.peak()) - curves.peak());
  // No other slot has more, or as much earlier.
  const std::int64_t first = curves.first_above(worst.packets - 1);
  std::int64_t last = curves.last_above(worst.packets);
  using Event = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::int64_t now = 0;
  std::vector<std::int64_t> sent(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sent[i] = curves[i].maximum(first - 1);
    now += groups[i].count * sent[i];
    events.emplace(curves[i].next_sent(first - 1), i);
  }
  std::int64_t looked_at = 0;
  while (events.top().first <= std::max(last, worst.window)) {
    const std::int64_t m = events.top().first;
    while (events.top().first == m) {
      const std::size_t i = events.top().second;
      events.pop();
      const std::int64_t more = curves[i].maximum(m);
      now += groups[i].count * (more - sent[i]);
      sent[i] = more;
      events.emplace(curves[i].next_sent(m), i);
    }
    if (now - m > worst.packets) {
      look_at(m, now - m);
      last = curves.last_above(worst.packets);
    } else {
      look_at(m, now - m);
    }
    if (++looked_at > max_slots_looked_at)
      throw LimitExceeded(
          "the maximum queue of the flows is not found within 10^8 slots; use rates with smaller "
          "denominators or a lower load");
  }
  worst.wait = worst.packets - 1;
  return worst;
}

}  // namespace tailbound::queue
