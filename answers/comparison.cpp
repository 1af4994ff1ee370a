#include <tailbound/answers/comparison.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tailbound::answers {

Verdict verdict_of(const std::optional<Span>& predicted, const Span& simulated,
                   const std::optional<std::uint64_t>& count) {
  if (!predicted) return Verdict::saturated;
  if (count && simulated.lower <= 0) return Verdict::too_rare;
  if (predicted->upper < simulated.lower) return Verdict::below;
  if (predicted->lower > simulated.upper) return Verdict::above;
  return Verdict::inside;
}

Verdict beyond_chance(const Span& predicted, double value, const Span& simulated,
                      const std::optional<std::uint64_t>& count) {
  constexpr std::uint64_t enough = 100;
  // An interval that reaches zero is of a few bursts, however many packets saw them.
  if (count && (*count < enough || simulated.lower <= 0)) return Verdict::inside;
  const double reach = 1.5 * (simulated.upper - simulated.lower);
  if (predicted.upper < value - reach) return Verdict::below;
  return predicted.lower > value + reach ? Verdict::above : Verdict::inside;
}

void report_refuted(const Span& proved, const Span& simulated) {
  const auto range = [](const Span& span) {
    return numeric::plain(span.lower) +
           (span.lower < span.upper ? " .. " + numeric::plain(span.upper) : std::string());
  };
  throw std::logic_error("a proved number is contradicted by simulation, please report the command: " +
                         range(proved) + ", simulated " + range(simulated));
}

double confidence_of_each(std::size_t intervals, double of_all) {
  return 1 - (1 - of_all) / static_cast<double>(std::max<std::size_t>(intervals, 1));
}

}  // namespace tailbound::answers
