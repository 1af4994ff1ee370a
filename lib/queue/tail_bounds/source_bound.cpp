#include <tailbound/core/last_that.hpp>
#include <tailbound/queue/tail_bounds/source_bound.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::queue {

using Of = LastEmptySlot::Of;

SourceBound::SourceBound(ExponentialBound exponential, std::vector<SourceChain> sources)
    : exponential_(std::move(exponential)), sources_(std::move(sources)) {}

const LastEmptySlot* SourceBound::upto(Of of, std::int64_t level) {
  Known& known = of == Of::tail ? tail_ : loss_;
  if (known.sums && known.sums->level() >= level) return &*known.sums;
  // No packet waits, or the bound does not decay.
  if (exponential_.prefactor().value == 0) return nullptr;
  if (known.too_deep > 0 && level >= known.too_deep) return nullptr;
  auto sums = LastEmptySlot::upto(sources_, of, static_cast<double>(exponential_.decay_rate().value),
                                  exponential_.load(), level);
  if (!sums) {
    known.too_deep = level;
    return nullptr;
  }
  known.sums = std::move(sums);
  return &*known.sums;
}

numeric::Real SourceBound::closer(Of of, std::int64_t level, numeric::Real bound) {
  if (level < 1 || bound == 0) return bound;
  if (const LastEmptySlot* sums = upto(of, level)) return std::min(bound, sums->bound(level));
  return bound;
}

std::int64_t SourceBound::minimum(Of of, std::int64_t enough, const numeric::Rational& target) {
  if (enough < 2) return enough;
  const LastEmptySlot* sums = upto(of, enough);
  if (sums == nullptr) return enough;
  return first_that(std::int64_t{1}, enough,
                    [&](std::int64_t level) { return numeric::compare(sums->bound(level), target) <= 0; });
}

numeric::UpperBound<unit::Probability> SourceBound::tail(std::int64_t level) {
  return {numeric::Theorem::source_bound, closer(Of::tail, level, exponential_.tail(level).value)};
}

std::int64_t SourceBound::min_level(const numeric::Rational& target) {
  return minimum(Of::tail, exponential_.min_level(target), target);
}

numeric::UpperBound<unit::Probability> SourceBound::loss(std::int64_t capacity) {
  return {numeric::Theorem::source_bound, closer(Of::loss, capacity, exponential_.loss(capacity).value)};
}

std::int64_t SourceBound::min_capacity(const numeric::Rational& target) {
  return minimum(Of::loss, exponential_.min_capacity(target), target);
}

}  // namespace tailbound::queue
