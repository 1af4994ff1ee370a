#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/policed/policed_bound.hpp>
#include <tailbound/queue/target.hpp>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>
#include <string>

namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Rational;
using numeric::Real;

constexpr int closed_form_bits = 96;
/// z up to e^40: a bound with a larger optimal z falls by at least 10^-17 per packet.
constexpr double steepest = 40;

/// The same inputs, each with the rate and depth that its bucket sustains.
PolicedInputs checked(PolicedInputs inputs) {
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  if (inputs.inputs < 1 || inputs.inputs > PolicedInputs::max_inputs)
    throw InvalidArgument("inputs", text(inputs.inputs),
                          "a whole number from 1 to " + text(PolicedInputs::max_inputs));
  if (inputs.share <= 0 || inputs.share > 1)
    throw InvalidArgument("share", numeric::to_fraction(inputs.share), "above 0, at most 1");
  if (inputs.bucket.rate <= 0 || inputs.bucket.rate >= 1)
    throw InvalidArgument("rate", numeric::to_fraction(inputs.bucket.rate),
                          "above 0 and below 1 (the long-run packets per slot of an input)");
  if (inputs.bucket.burst < 1)
    throw InvalidArgument("burst", numeric::to_fraction(inputs.bucket.burst),
                          "at least 1 (it includes the packet being sent)");
  if (inputs.message < 1 || inputs.message > PolicedInputs::longest_message)
    throw InvalidArgument("message", text(inputs.message),
                          "a whole number from 1 to " + text(PolicedInputs::longest_message));
  inputs.bucket = traffic::sustained(inputs.bucket);
  if (inputs.load() >= 1) throw Unstable(numeric::plain(inputs.load()));
  return inputs;
}

/// The minimizer of a unimodal function.
template <class Function>
double valley(const Function& function, double from, double to) {
  return boost::math::tools::brent_find_minima(function, from, to, 24).first;
}

}  // namespace

PolicedBound::PolicedBound(const PolicedInputs& inputs) : inputs_(checked(inputs)) {
  using numeric::nearest_double;
  rate_ = nearest_double(inputs_.bucket.rate);
  length_ = static_cast<double>(inputs_.message);
  trials_ = static_cast<double>(inputs_.inputs);
  share_ = nearest_double(inputs_.share);
  depth_ = nearest_double(inputs_.bucket.burst);
  if (inputs_.message == 1) {
    peak_window_ = (inputs_.bucket.burst - 1) / (1 - inputs_.bucket.rate);
  } else {
    peak_window_ = 0;
    depth_ += length_ - 1;
  }
  // r log A(z) - log z is convex in log z, and decreasing at 0 as the load is below 1: one root, or none.
  const auto excess = [&](double x) { return rate_ * log_factor(x) - x; };
  log_root_ = std::numeric_limits<double>::infinity();
  double upper = 1e-9;
  while (upper < steepest && excess(upper) < 0) upper *= 2;
  if (upper >= steepest) return;
  std::uintmax_t steps = 200;
  const auto ends = boost::math::tools::toms748_solve(excess, upper / 2, upper,
                                                      boost::math::tools::eps_tolerance<double>(44), steps);
  // Rounded down by far more than the error of excess(). at() checks it rigorously.
  log_root_ = ends.first * (1 - 1e-12);
}

double PolicedBound::log_factor(double x) const {
  return trials_ * std::log1p(share_ * std::expm1(length_ * x)) / length_;
}

double PolicedBound::log_at(double x, double level) const {
  const double factor = log_factor(x);
  if (inputs_.message != 1) return depth_ * factor - (level + 1) * x;
  // Where A(z) < z, near 1 if k p < 1, a single slot is the worst window, not m* + 1 of them.
  return factor + numeric::nearest_double(peak_window_) * std::max(0.0, factor - x) - (level + 1) * x;
}

double PolicedBound::level_at(double x, double log_target) const {
  return (log_at(x, 0) - log_target) / x;
}

double PolicedBound::best(std::int64_t level) const {
  const auto level_real = static_cast<double>(level);
  return valley([&](double x) { return log_at(x, level_real); }, 1e-12, std::min(log_root_, steepest));
}

Real PolicedBound::at(double x, std::int64_t level) const {
  const numeric::PrecisionScope scope(numeric::Precision{closed_form_bits});
  const Interval log_z = numeric::to_interval(Real(x)),
                 z_length = exp(Interval(log_z * Interval(Real(length_))));
  const Interval a_message =
      log(Interval(Interval(1) + numeric::to_interval(inputs_.share) * (z_length - Interval(1))));
  const Interval factor =
      a_message * numeric::to_interval(Rational(inputs_.inputs)) / Interval(Real(length_));
  // Checks z <= z0, which the proof requires.
  if (numeric::upper(Interval(numeric::to_interval(inputs_.bucket.rate) * factor - log_z)) > 0)
    return Real(1);
  Interval exponent = factor;
  if (inputs_.message != 1) {
    exponent = factor * numeric::to_interval(inputs_.bucket.burst + Rational(inputs_.message) - 1);
  } else {
    const Real grows = numeric::upper(Interval(factor - log_z));
    if (grows > 0) exponent += numeric::to_interval(peak_window_) * Interval(grows);
  }
  const Real bound =
      numeric::upper(exp(Interval(exponent - numeric::to_interval(Rational(level + 1)) * log_z)));
  return bound < 1 ? bound : Real(1);
}

numeric::UpperBound<unit::Probability> PolicedBound::tail(std::int64_t level) const {
  if (level < 0)
    throw InvalidArgument("level", std::to_string(level), "a whole number of packets, 0 or more");
  return {numeric::Theorem::policed_queue, at(best(level), level)};
}

std::int64_t PolicedBound::min_level(const Rational& target) const {
  check_target(target);
  const numeric::PrecisionScope scope(numeric::Precision{closed_form_bits});
  const double nearest = numeric::nearest_double(target);
  const double log_target = nearest > 1e-300
                                ? std::log(nearest)
                                : static_cast<double>(log(numeric::to_real(target, numeric::Rounding::down)));
  const double x =
      valley([&](double at) { return level_at(at, log_target); }, 1e-12, std::min(log_root_, steepest));
  const double level = level_at(x, log_target);
  if (!(level < 1e15))
    throw LimitExceeded("the bound for inputs policed to " + numeric::to_fraction(inputs_.bucket.rate) +
                        " meets the target only above 10^15 packets, which is the limit");
  auto n = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(level)));
  while (numeric::compare(at(x, n), target) > 0) ++n;
  return n;
}

Real PolicedBound::beyond(std::int64_t level, std::int64_t window, const Rational& spread) const {
  // The sum over m > window of A(z)^(spread + r m) z^-(level + 1 + m), a geometric series.
  const double level_real = static_cast<double>(level), from = static_cast<double>(window) + 1;
  const double spread_real = numeric::nearest_double(spread);
  const auto exponent = [&](double x) {
    const double fall = x - rate_ * log_factor(x);
    return fall > 0 ? spread_real * log_factor(x) - (level_real + 1) * x - from * fall -
                          std::log(-std::expm1(-fall))
                    : std::numeric_limits<double>::infinity();
  };
  const double x = valley(exponent, 1e-12, std::min(log_root_, steepest));
  const numeric::PrecisionScope scope(numeric::Precision{closed_form_bits});
  const Interval log_z = numeric::to_interval(Real(x));
  const Interval factor =
      numeric::to_interval(Rational(inputs_.inputs)) *
      log(Interval(Interval(1) + numeric::to_interval(inputs_.share) * (exp(log_z) - Interval(1))));
  const Interval fall = log_z - numeric::to_interval(inputs_.bucket.rate) * factor;
  if (numeric::lower(fall) <= 0) return Real(1);
  const Interval first =
      exp(Interval(numeric::to_interval(spread) * factor - numeric::to_interval(Rational(level + 1)) * log_z -
                   numeric::to_interval(Rational(window + 1)) * fall));
  const Real sum = numeric::upper(Interval(first / (Interval(1) - exp(Interval(-fall)))));
  return sum < 1 ? sum : Real(1);
}

std::int64_t PolicedBound::window(std::int64_t level, double log_target) const {
  const double level_real = static_cast<double>(level);
  const auto slots = [&](double x) {
    const double fall = x - rate_ * log_factor(x);
    if (!(fall > 0)) return 1e300;
    return (depth_ * log_factor(x) - (level_real + 1) * x - std::log(-std::expm1(-fall)) - log_target) / fall;
  };
  const double x = valley(slots, 1e-12, std::min(log_root_, steepest));
  return static_cast<std::int64_t>(std::clamp(slots(x), 0.0, 4e18)) + 1;
}

}  // namespace tailbound::queue
