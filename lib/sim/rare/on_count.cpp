#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/sim/rare/masses.hpp>
#include <tailbound/sim/rare/on_count.hpp>
#include <tailbound/sim/rare/rare_event.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailbound::sim {
namespace {

using network::BurstySource;

/// log of the product of the eigenvalues, less x: 0 at x = 0, convex, decreasing there if the queue is
/// stable.
double growth(std::span<const BurstySource> sources, double x) {
  double sum = -x;
  for (const BurstySource& each : sources)
    sum += static_cast<double>(each.count) * (each.share == 1
                                                  ? tilted(each.source, x).log_eigenvalue
                                                  : tilted(each.source, each.share, x).log_eigenvalue);
  return sum;
}

std::int32_t checked(std::int64_t count) {
  if (count < 1 || count > OnCount::max_sources)
    throw InvalidArgument("number of sources", std::to_string(count), "from 1 to 4096");
  return static_cast<std::int32_t>(count);
}

}  // namespace

OnOffChances tilted(const traffic::OnOff& source, double exponent) {
  const double r = numeric::nearest_double(source.on_rate);
  const double start = numeric::nearest_double(source.start), stop = numeric::nearest_double(source.stop);
  // With w = 1 + v and the eigenvalue 1 + u:  u^2 + b u - alpha v = 0,  b = alpha + beta - (1 - beta) v.
  const double v = r * std::expm1(exponent), b = start + stop - (1 - stop) * v;
  const double root = std::sqrt(b * b + 4 * start * v);
  const double u = b > 0 ? 2 * start * v / (b + root) : (root - b) / 2;
  OnOffChances result;
  result.log_eigenvalue = std::log1p(u);
  result.log_eigenvector = std::log1p(u / start);
  result.on_rate = r * std::exp(exponent) / (1 + v);
  result.start = start * (1 + u / start) / (1 + u);
  result.stop = (1 + v) * stop / ((1 + u) * (1 + u / start));
  return result;
}

DirectedChances tilted(const traffic::OnOff& source, const numeric::Rational& share, double exponent) {
  if (!(share > 0 && share < 1))
    throw InvalidArgument("share", numeric::to_fraction(share), "above 0 and below 1");
  const double r = numeric::nearest_double(source.on_rate), s = numeric::nearest_double(share);
  const double alpha = numeric::nearest_double(source.start), beta = numeric::nearest_double(source.stop);
  DirectedChances result{.on_rate = r, .start = alpha, .here = s, .stop_here = beta, .stop_elsewhere = beta};
  if (exponent <= 0) return result;
  // With w = 1 + v, the eigenvalue 1 + u and d = u - c, c = v (1 - beta) - beta:
  //   f - 1 = (v - u) / d,   h - 1 = -u / (u + beta),   alpha s (f - 1) + alpha (1 - s) (h - 1) - u = 0;
  // the left side decreases and is convex, so Newton's steps from a point where it is above 0 increase to the
  // root. The iteration is on the smaller of u and d; the other one is the sum of two positive numbers.
  const double v = r * std::expm1(exponent), c = v * (1 - beta) - beta;
  const bool by_distance = c > 0;
  double x = by_distance ? alpha * s * beta * (1 + v) / (alpha + v) : 0, u = 0, d = 0, ahead = 0;
  for (int step = 0; step < 200; ++step) {
    u = by_distance ? c + x : x;
    d = by_distance ? x : x - c;
    ahead = by_distance ? beta * (1 + v) - x : v - x;  // v - u
    const double value = alpha * s * ahead / d - alpha * (1 - s) * u / (u + beta) - u;
    const double slope =
        -alpha * s * beta * (1 + v) / (d * d) - alpha * (1 - s) * beta / ((u + beta) * (u + beta)) - 1;
    const double next = x - value / slope;
    if (!(next > x)) break;
    x = next;
  }
  result.log_eigenvalue = std::log1p(u);
  result.log_here = std::log1p(ahead / d);
  result.log_elsewhere = -std::log1p(u / beta);
  const double l = 1 + u, f = 1 + ahead / d, h = 1 / (1 + u / beta);
  result.on_rate = r * std::exp(exponent) / (1 + v);
  result.start = alpha * (s * f + (1 - s) * h) / l;
  result.here = s * f / (s * f + (1 - s) * h);
  result.stop_here = (1 + v) * beta / (l * f);
  result.stop_elsewhere = beta / (l * h);
  return result;
}

double decay_exponent(std::span<const BurstySource> sources) {
  numeric::Rational load = 0;
  std::int64_t inputs = 0;
  for (const BurstySource& each : sources) {
    if (each.count < 1 || each.count > (std::int64_t{1} << 20))
      throw InvalidArgument("number of sources", std::to_string(each.count), "from 1 to 2^20");
    load = load + each.source.load * each.share * numeric::Integer(each.count);
    inputs += each.count;
  }
  if (sources.empty()) throw InvalidArgument("sources", "an empty list", "at least one source");
  if (load >= 1) throw Unstable(numeric::plain(load));
  if (inputs == 1) throw NoAnswer("there is a single source: the queue never exceeds one packet");
  return positive_root(
      [&](double x) { return growth(sources, x); },
      "the sources cannot fill the queue: no z below 1e260 solves z = product of the eigenvalues");
}

OnCount::OnCount(std::int64_t count, const OnOffChances& chances)
    : count_(checked(count)), chances_(chances) {
  packets_.resize(static_cast<std::size_t>(count) + 1);
  next_.resize(static_cast<std::size_t>(count) + 1);
}

const DistributionTable& OnCount::make_packets(std::int32_t on) {
  const Masses masses = binomial(on, chances_.on_rate);
  return packets_[static_cast<std::size_t>(on)].emplace(
      DistributionTable{masses.first, AliasTable(masses.values)});
}

const DistributionTable& OnCount::make_next(std::int32_t on) {
  const Masses masses =
      convolved(binomial(on, 1 - chances_.stop),
                binomial(static_cast<std::int32_t>(count_) - on, std::min(1.0, chances_.start)));
  return next_[static_cast<std::size_t>(on)].emplace(
      DistributionTable{masses.first, AliasTable(masses.values)});
}

std::int32_t OnCount::stationary(std::uint32_t bits) const {
  const Masses masses =
      binomial(static_cast<std::int32_t>(count_), chances_.start / (chances_.start + chances_.stop));
  return masses.first + AliasTable(masses.values).draw(bits);
}

DirectedCount::DirectedCount(std::int64_t count, const DirectedChances& chances)
    : count_(checked(count)),
      chances_(chances),
      packets_(count_, chances.on_rate),
      stay_here_(count_, 1 - chances.stop_here),
      stay_elsewhere_(count_, 1 - chances.stop_elsewhere),
      starts_(count_, chances.start),
      come_here_(count_, chances.here) {}

/// For each source: ON here with weight s alpha / beta_here, ON elsewhere with (1 - s) alpha /
/// beta_elsewhere, OFF with 1, each divided by their sum.
DirectedCount::State DirectedCount::stationary(RandomStream& random) const {
  const double here = chances_.start * chances_.here / chances_.stop_here;
  const double elsewhere = chances_.start * (1 - chances_.here) / chances_.stop_elsewhere;
  const std::int32_t come = Binomials(count_, here / (1 + here + elsewhere)).draw(count_, random);
  return {come, Binomials(count_, elsewhere / (1 + elsewhere)).draw(count_ - come, random)};
}

DirectedCount::Binomials::Binomials(std::int32_t maximum, double probability)
    : probability_(probability), certain_(probability >= 1), tables_(static_cast<std::size_t>(maximum) + 1) {}

const DistributionTable& DirectedCount::Binomials::make(std::int32_t of) {
  const Masses masses = binomial(of, probability_);
  return tables_[static_cast<std::size_t>(of)].emplace(
      DistributionTable{masses.first, AliasTable(masses.values)});
}

}  // namespace tailbound::sim
