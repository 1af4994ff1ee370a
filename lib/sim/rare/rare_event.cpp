#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/sim/batches/batch_means.hpp>
#include <tailbound/sim/rare/rare_event.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::sim {
namespace {

constexpr std::int64_t max_level = 1'000'000'000;
constexpr double deepest = 644;  ///< -log 1e-280

/// The fraction lost, from the packets lost in a cycle: docs/derivations/rare_events.md, (5).
double loss_fraction(double lost_in_cycle, double load) {
  if (lost_in_cycle >= 1) return 1;
  return std::min(1.0, lost_in_cycle * (1 - load) / (load * (1 - lost_in_cycle)));
}

}  // namespace

std::int64_t event_bar(RareEvent event, std::int64_t level) {
  return event == RareEvent::wait ? level + 1 : level;
}

void check_event_level(RareEvent event, std::int64_t level) {
  const std::int64_t minimum = event == RareEvent::wait ? 0 : 1;
  if (level < minimum || level > max_level)
    throw InvalidArgument("level", std::to_string(level),
                          "from " + std::to_string(minimum) + " to " + std::to_string(max_level));
}

void require_in_reach(RareEvent event, std::int64_t level, double exponent) {
  if (exponent * static_cast<double>(event_bar(event, level)) > deepest)
    throw LimitExceeded("level " + std::to_string(level) + " has a probability below 1e-280");
}

double positive_root(const std::function<double(double)>& growth, const char* no_root) {
  double above = 1e-6;
  while (growth(above) <= 0) {
    above *= 2;
    if (above > 600) throw NoAnswer(no_root);
  }
  // The function is convex with roots 0 and log z0, so its minimum is between them.
  double below = above / 2;
  while (below > 0 && growth(below) >= 0) below /= 2;
  if (!(below > 1e-9)) throw LimitExceeded("the load is too close to 1");
  return halved(below, above, [&](double x) { return growth(x) <= 0; }).second;
}

// A cycle represents 1 / (1 - load) slots and load / (1 - load) packets, if no packet is lost.
CycleSums::CycleSums(RareEvent event, double load)
    : event_(event),
      load_(load),
      per_cycle_(event == RareEvent::overflow ? 1 / (1 - load)
                 : event == RareEvent::wait   ? load / (1 - load)
                                              : 1) {}

void CycleSums::add(double numerator, std::uint64_t cycles, std::uint64_t hits, std::uint64_t slots) {
  numerators_.push_back(numerator);
  denominators_.push_back(static_cast<double>(cycles) * per_cycle_);
  sums_.cycles += cycles;
  sums_.hits += hits;
  sums_.slots += slots;
}

RareQueueEstimate CycleSums::estimate(double confidence) const {
  RatioEstimate ratio = ratio_estimate(numerators_, denominators_, confidence);
  if (sums_.hits == 0)
    throw NoAnswer("none of " + std::to_string(sums_.cycles) + " cycles reached the event");
  if (event_ == RareEvent::loss)
    ratio = {loss_fraction(ratio.value, load_), loss_fraction(ratio.lower, load_),
             loss_fraction(ratio.upper, load_)};
  RareQueueEstimate answer = sums_;
  answer.probability = {ratio.value, ratio.lower, ratio.upper, confidence};
  return answer;
}

}  // namespace tailbound::sim
