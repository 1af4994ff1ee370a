#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rounding.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/crossbar/time_division.hpp>
#include <tailbound/queue/delay/hop_delay.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Rational;
using numeric::Real;
using series::StopLoss;

constexpr double smallest_log2 = -4000;
constexpr std::size_t first_law = 64, first_total = 128, longest_total = std::size_t{1} << 14;
constexpr int law_bits = std::numeric_limits<long double>::digits;

/// max(Q - 1, 0).
StopLoss left_after_service(StopLoss occupancy) {
  StopLoss left = std::move(occupancy);
  left.mass[1] += left.mass[0];
  left.mean = left.excess[1];
  for (std::vector<long double>* each : {&left.mass, &left.tail, &left.excess}) each->erase(each->begin());
  left.units += 1;
  return left;
}

}  // namespace

TimeDivision::TimeDivision(std::int64_t ports, Rational load) : ports_(ports), load_(std::move(load)) {
  if (ports < 1 || ports > max_ports)
    throw InvalidArgument("inputs", std::to_string(ports), "from 1 to " + std::to_string(max_ports));
  if (load_ <= 0) throw InvalidArgument("load", numeric::plain(load_), "above 0");
  if (load_ >= 1) throw Unstable(numeric::plain(load_));
  const Rational rate = load_ / Rational(ports);
  const long double p = numeric::nearest_long_double(rate), q = numeric::nearest_long_double(1 - rate);
  arriving_.push_back({1});
  for (std::int64_t r = 1; r <= ports; ++r) {
    const std::vector<long double>& before = arriving_.back();
    std::vector<long double> law(before.size() + 1, 0);
    for (std::size_t j = 0; j < before.size(); ++j) {
      law[j] += before[j] * q;
      law[j + 1] += before[j] * p;
    }
    arriving_.push_back(std::move(law));
  }
}

numeric::Exact<unit::Slot> TimeDivision::mean_wait() const {
  return {numeric::Theorem::crossbar, Rational(ports_ - 1) / (2 * (1 - load_))};
}

void TimeDivision::reach_level(std::int64_t level) {
  if (level + 2 <= std::ssize(law_.mass)) return;
  std::size_t size = std::max(first_law, law_.mass.size());
  while (std::cmp_less(size, level + 2)) size *= 2;
  law_ = occupancy_law({series::Arrivals::equal_inputs(ports_, load_)}, size, smallest_log2);
}

long double TimeDivision::mixed(std::int64_t first, std::int64_t last, std::int64_t level) const {
  long double sum = 0;
  for (std::int64_t r = first; r <= last; ++r) {
    const std::vector<long double>& law = arriving_[static_cast<std::size_t>(r)];
    for (std::int64_t j = 0; j <= r; ++j) {
      const std::int64_t left = level - j;  // P(V > left) = P(Q > left + 1)
      sum +=
          law[static_cast<std::size_t>(j)] * (left < 0 ? 1 : law_.tail[static_cast<std::size_t>(left + 1)]);
    }
  }
  return sum;
}

numeric::Enclosure<unit::Probability> TimeDivision::enclosed(long double value) const {
  // A probability of arrivals: a rounded factor, a product and a sum for each slot; then a product, a sum of
  // at most k (k + 1)/2 + k terms, and the quotient.
  const auto ports = static_cast<double>(ports_);
  const double units = law_.tail_units + 3 * ports + ports * (ports + 3) / 2 + 4;
  const numeric::PrecisionScope scope(numeric::Precision{96});
  Real lower, upper;
  numeric::widen(value, numeric::relative_error_bound({units}, law_bits), Real(0), law_bits, lower, upper);
  // Each of the weights, whose sum is at most k, carries the absolute error of a tail.
  Real error(law_.tail_error * static_cast<long double>(ports_) * 1.001L);
  const numeric::Interval wide = numeric::make_interval(lower, upper) + numeric::make_interval(-error, error);
  const numeric::Interval share = wide / numeric::to_interval(Rational(ports_));
  return {numeric::Theorem::crossbar, std::max(numeric::lower(share), Real(0)),
          std::min(numeric::upper(share), Real(1))};
}

numeric::Enclosure<unit::Probability> TimeDivision::wait_above(std::int64_t slots) {
  const std::int64_t frames = slots / ports_, part = slots % ports_;
  reach_level(frames);
  // A cell that arrives u slots before its service finds the arrivals of k - 1 - u slots of the frame.
  return enclosed(mixed(ports_ - 1 - part, ports_ - 1, frames) + mixed(0, ports_ - 2 - part, frames - 1));
}

numeric::Enclosure<unit::Probability> TimeDivision::queue_above(std::int64_t cells) {
  reach_level(cells);
  return enclosed(mixed(1, ports_, cells));
}

template <class Above>
std::int64_t TimeDivision::minimum(const Rational& target, const Above& above) const {
  if (target <= 0 || target >= 1)
    throw InvalidArgument("target", numeric::plain(target), "greater than 0 and less than 1");
  const auto met = [&](std::int64_t level) { return numeric::compare(above(level).upper(), target) <= 0; };
  std::int64_t missed = -1, step = 1;
  while (!met(missed + step)) {
    missed += step;
    step *= 2;
  }
  std::int64_t good = missed + step;
  while (good - missed > 1) {
    const std::int64_t middle = missed + (good - missed) / 2;
    (met(middle) ? good : missed) = middle;
  }
  if (missed >= 0 && numeric::compare(above(missed).lower(), target) <= 0)
    throw LimitExceeded("P(> " + std::to_string(missed) + ") cannot be distinguished from the target " +
                        numeric::plain(target) + "; give a slightly different target");
  return good;
}

std::int64_t TimeDivision::min_wait(const Rational& target) {
  return minimum(target, [this](std::int64_t slots) { return wait_above(slots); });
}

std::int64_t TimeDivision::min_queue(const Rational& target) {
  return minimum(target, [this](std::int64_t cells) { return queue_above(cells); });
}

void TimeDivision::reach_total(std::size_t size) {
  if (total_.mass.size() >= size) return;
  if (size > longest_total)
    throw LimitExceeded("the bound of an input's buffer needs more than " + std::to_string(longest_total) +
                        " cells, which is the limit; tailbound simulate crossbar --scheduler tdm");
  const Rational rate = load_ / Rational(ports_);
  const StopLoss left =
      left_after_service(occupancy(std::vector<Rational>(static_cast<std::size_t>(ports_), rate), size + 1));
  // The VOQs of an input are 1, 2, .., k slots after their services: k (k + 1)/2 slots of arrivals.
  const bool even = ports_ % 2 == 0;
  const std::int64_t slots = even ? ports_ / 2 : ports_, times = even ? ports_ + 1 : (ports_ + 1) / 2;
  const StopLoss arrivals =
      series::successes(std::vector<Rational>(static_cast<std::size_t>(slots), rate), size);
  total_ = series::sum(series::sum_of_identical(left, ports_), series::sum_of_identical(arrivals, times));
}

numeric::UpperBound<unit::Probability> TimeDivision::input_above(std::int64_t cells) {
  std::size_t size = std::max(first_total, total_.mass.size());
  while (std::cmp_less(size, cells + 1)) size *= 2;
  reach_total(size);
  Real best(1);
  for (std::int64_t a = 0; a <= cells; ++a) {
    const Real lost = series::rounded_up(total_.excess[static_cast<std::size_t>(a)], total_.units + 3);
    const Real above(static_cast<long>(cells + 1 - a));
    Real bound;
    mpfr_div(bound.backend().data(), lost.backend().data(), above.backend().data(), MPFR_RNDU);
    best = std::min(best, bound);
  }
  return {numeric::Theorem::crossbar, best};
}

ProvedMemory TimeDivision::min_input(const Rational& target) {
  if (target <= 0 || target >= 1)
    throw InvalidArgument("target", numeric::plain(target), "greater than 0 and less than 1");
  const auto goal = numeric::nearest_long_double(target);
  for (std::size_t size = first_total;; size *= 2) {
    reach_total(size);
    // For each a, E[(T* - a)^+]/(M + 1 - a) is at most the target from some M on.
    auto cells = static_cast<long double>(size);
    for (std::size_t a = 0; a < size; ++a) {
      const auto start = static_cast<long double>(a);
      cells = std::min(cells, std::max(start, std::ceil(start - 1 + total_.excess[a] / goal)));
    }
    for (auto level = static_cast<std::int64_t>(cells); std::cmp_less(level + 1, size); ++level)
      if (numeric::UpperBound<unit::Probability> bound = input_above(level);
          numeric::compare(bound.value, target) <= 0)
        return {Packets(level), std::move(bound)};
  }
}

}  // namespace tailbound::queue
