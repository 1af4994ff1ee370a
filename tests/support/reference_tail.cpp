#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tests/support/reference_tail.hpp>

namespace tailbound::test {
namespace {

mpz_ptr raw(Whole& value) {
  return value.backend().data();
}
mpz_srcptr raw(const Whole& value) {
  return value.backend().data();
}

std::int64_t deepest(std::span<const std::int64_t> levels) {
  return *std::max_element(levels.begin(), levels.end());
}

/// Maximum packets per slot that matter for an expansion to `level`.
std::int64_t support(const Traffic& traffic, std::int64_t level) {
  switch (traffic.kind) {
    case Traffic::Kind::equal:
      return traffic.inputs;
    case Traffic::Kind::poisson:
      return level;
    default:
      return static_cast<std::int64_t>(traffic.values.size());
  }
}

/// One run in fixed point; empty if the bits are not enough for `digits`.
std::vector<Reference> run(const Traffic& traffic, std::span<const std::int64_t> levels, int digits,
                           unsigned bits) {
  const std::int64_t last = deepest(levels);
  const std::vector<Whole> a = fixed_point_pmf(traffic, last + 1, bits);
  const Fraction idle = 1 - traffic.mean();
  const Whole one = Whole(1) << bits;
  const Whole idle_fixed =
      quotient(boost::multiprecision::numerator(idle) * one, boost::multiprecision::denominator(idle));
  const Whole zero = 0;
  const auto at = [&](std::int64_t j) -> const Whole& {
    return j >= 0 && j < static_cast<std::int64_t>(a.size()) ? a[static_cast<std::size_t>(j)] : zero;
  };
  std::vector<Whole> q;
  std::vector<Whole> tails;
  Whole sum = 0, right;
  for (std::int64_t n = 0; n <= last; ++n) {
    // a_0 q_n = (1 - rho) (a_n - a_(n-1)) + q_(n-1) - sum_(j >= 1) a_j q_(n-j)
    right = idle_fixed * (at(n) - at(n - 1));
    if (n > 0) right += q.back() << bits;
    const std::int64_t reach = std::min<std::int64_t>(n, static_cast<std::int64_t>(a.size()) - 1);
    for (std::int64_t j = 1; j <= reach; ++j)
      mpz_submul(raw(right), raw(a[static_cast<std::size_t>(j)]), raw(q[static_cast<std::size_t>(n - j)]));
    mpz_fdiv_q(raw(right), raw(right), raw(a[0]));
    q.push_back(right);
    sum += right;
    tails.push_back(one - sum);
  }
  const double margin = 12.0 * std::pow(static_cast<double>(last) + 1, 2) / static_cast<double>(idle);
  const Whole error = Whole(std::ceil(margin)) + 1;
  std::vector<Reference> result;
  for (const std::int64_t level : levels) {
    const Whole& tail = tails[static_cast<std::size_t>(level)];
    if (tail < error * boost::multiprecision::pow(Whole(10), static_cast<unsigned>(digits))) return {};
    result.push_back({unreduced(tail - error, one), unreduced(tail + error, one)});
  }
  return result;
}

double depth_in_digits(const Traffic& traffic, std::int64_t level) {
  return static_cast<double>(level) * std::log10(rough_decay_root(traffic));
}

}  // namespace

std::vector<Reference> exact_tails(const Traffic& traffic, std::span<const std::int64_t> levels) {
  const IntegerPmf pmf = integer_pmf(traffic);
  const Fraction idle = 1 - traffic.mean();
  const std::vector<Whole>& a = pmf.numerators;
  const std::int64_t last = deepest(levels);
  const auto at = [&](std::int64_t j) {
    return j < static_cast<std::int64_t>(a.size()) ? a[static_cast<std::size_t>(j)] : Whole(0);
  };
  // q_n = (1 - rho) u_n, u_n = U_n / a_0^n (a the numerators, D their denominator):
  //   U_0 = 1,  U_n = (a_n - a_(n-1)) a_0^(n-1) + D U_(n-1) - sum_(j = 1..n) a_j a_0^(j-1) U_(n-j).
  std::vector<Whole> scaled, u = {Whole(1)}, power = {Whole(1)}, sum = {Whole(1)};
  for (std::int64_t n = 1; n <= last; ++n) {
    power.push_back(power.back() * a[0]);
    if (n < static_cast<std::int64_t>(a.size()))
      scaled.push_back(at(n) * power[static_cast<std::size_t>(n - 1)]);
    Whole value = (at(n) - at(n - 1)) * power[static_cast<std::size_t>(n - 1)] + pmf.denominator * u.back();
    for (std::int64_t j = 1; j <= std::min<std::int64_t>(n, static_cast<std::int64_t>(scaled.size())); ++j)
      mpz_submul(raw(value), raw(scaled[static_cast<std::size_t>(j - 1)]),
                 raw(u[static_cast<std::size_t>(n - j)]));
    u.push_back(value);
    sum.push_back(sum.back() * a[0] + value);
  }
  std::vector<Reference> result;
  for (const std::int64_t level : levels) {
    const auto n = static_cast<std::size_t>(level);
    const Whole denominator = boost::multiprecision::denominator(idle) * power[n];
    const Fraction tail =
        unreduced(denominator - boost::multiprecision::numerator(idle) * sum[n], denominator);
    result.push_back({tail, tail});
  }
  return result;
}

std::vector<Reference> deep_tails(const Traffic& traffic, std::span<const std::int64_t> levels, int digits) {
  const std::int64_t last = deepest(levels);
  const double depth = depth_in_digits(traffic, last);
  if (!std::isfinite(depth)) throw std::logic_error("the queue never holds more than one packet");
  double decimal = depth + digits + 40;
  for (int attempt = 0; attempt < 6; ++attempt, decimal *= 1.3) {
    auto result = run(traffic, levels, digits, static_cast<unsigned>(decimal * 3.3219281) + 64);
    if (!result.empty()) return result;
  }
  throw std::logic_error("the reference does not reach its digits: " + traffic.text());
}

std::vector<Reference> reference_tails(const Traffic& traffic, std::span<const std::int64_t> levels) {
  const bool rational = traffic.kind != Traffic::Kind::poisson;
  if (rational && (deepest(levels) <= 60 || !std::isfinite(rough_decay_root(traffic))))
    return exact_tails(traffic, levels);
  return deep_tails(traffic, levels);
}

Reference reference_tail(const Traffic& traffic, std::int64_t level) {
  const std::int64_t levels[] = {level};
  return reference_tails(traffic, levels).front();
}

double reference_cost(const Traffic& traffic, std::int64_t level) {
  const auto n = static_cast<double>(level) + 1;
  const double terms = n * std::min(n, static_cast<double>(support(traffic, level)));
  if (level <= 60 && traffic.kind != Traffic::Kind::poisson) {
    const IntegerPmf pmf = integer_pmf(traffic);
    const double words = n * static_cast<double>(boost::multiprecision::msb(pmf.denominator)) / 128 + 1;
    return terms * std::pow(words, 1.5) / 2;
  }
  const double depth = depth_in_digits(traffic, level);
  if (!std::isfinite(depth)) return terms;
  return terms * std::pow((depth + 440) / 19.3, 1.6) / 2;
}

}  // namespace tailbound::test
