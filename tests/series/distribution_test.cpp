#include <tailbound/queue/delay/hop_delay.hpp>
#include <tailbound/series/distribution.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tests/support/random_models.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using numeric::Enclosure;
using numeric::Rational;
using numeric::Real;
using queue::HopDelay;
using queue::SlottedQueue;
using series::Distribution;
using series::Summation;
using Probability = Enclosure<unit::Probability>;

namespace {

/// Queues on a path, indices into `queues`, and the number of slots of their delays.
struct Case {
  std::vector<SlottedQueue> queues;
  std::vector<std::size_t> path;
  std::size_t size = 0;
  std::string text;
};

Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case result;
  const std::int64_t different = random.between(1, 4);
  while (static_cast<std::int64_t>(result.queues.size()) < different) {
    const Traffic traffic = random_traffic(random);
    const Fraction load = traffic.mean();
    if (load < Fraction(1, 20) || load > Fraction(99, 100)) continue;
    if (traffic.kind == Traffic::Kind::equal && traffic.inputs > 64) continue;  // long supports cost time
    result.queues.push_back({traffic.arrivals(), 1});
    result.text += traffic.text() + "; ";
  }
  for (std::int64_t hop = random.between(2, 6); hop > 0; --hop)
    result.path.push_back(static_cast<std::size_t>(random.between(0, different - 1)));
  result.size = static_cast<std::size_t>(random.one_in(40) ? random.between(1000, 3000)
                                                           : random.between_magnitudes(50, 800));
  result.text += "size " + std::to_string(result.size) + ", way";
  for (const std::size_t queue : result.path) result.text += " " + std::to_string(queue);
  return result;
}

std::vector<Distribution<long double>> hops_of(const Case& at, double log2_min) {
  std::vector<Distribution<long double>> hops;
  for (const SlottedQueue& queue : at.queues)
    hops.push_back(queue::hop_delay(queue, HopDelay::wait, at.size, log2_min));
  return hops;
}

double tilt_of(const Case& at, const std::vector<Distribution<long double>>& hops) {
  std::vector<const Distribution<long double>*> terms;
  for (const std::size_t queue : at.path) terms.push_back(&hops[queue]);
  return series::balancing_tilt(terms);
}

/// \param trusted  false: transforms are believed to be exact
Distribution<double> sum_of(const Case& at, const std::vector<Distribution<long double>>& hops, double tilt,
                            Summation summation, bool trusted = true) {
  std::optional<Distribution<double>> total;
  for (const std::size_t queue : at.path) {
    const Distribution<double> part = series::tilted(hops[queue], tilt);
    total = total ? series::sum(*total, part, summation) : part;
    if (!trusted) total->mass_error = total->tail_error = 0;
  }
  return *total;
}

/// The range of a tilted entry by CONTRACT of series/distribution.hpp.
struct Range {
  long double lower, upper;
};
Range range(double value, double units, double error) {
  const auto middle = static_cast<long double>(value);
  const long double off =
      middle * static_cast<long double>(units) * 0x1p-53L / (1 - static_cast<long double>(units) * 0x1p-53L) +
      static_cast<long double>(error);
  return {middle - off, middle + off};
}
bool overlap(const Range& a, const Range& b) {
  return a.lower <= b.upper && b.lower <= a.upper;
}

/// Whether x and y, of equal tilt, agree everywhere within their error bounds.
bool agree(const Distribution<double>& x, const Distribution<double>& y) {
  for (std::size_t n = 0; n < x.size(); ++n)
    if (!overlap(range(x.mass[n], x.mass_units, x.mass_error),
                 range(y.mass[n], y.mass_units, y.mass_error)) ||
        !overlap(range(x.tail[n], x.tail_units, x.tail_error), range(y.tail[n], y.tail_units, y.tail_error)))
      return false;
  return true;
}

bool overlap(const Probability& a, const Probability& b) {
  return a.lower() <= b.upper() && b.lower() <= a.upper();
}

/// The same by numeric enclosures without tilt, at `places` entries from the first to the last.
template <class T, class S>
bool enclosures_overlap(const Distribution<T>& x, const Distribution<S>& y, std::size_t places) {
  for (std::size_t part = 0; part < places; ++part) {
    const std::size_t n = (x.size() - 1) * part / std::max<std::size_t>(1, places - 1);
    if (!overlap(series::enclose_mass(numeric::Theorem::sojourn, x, n),
                 series::enclose_mass(numeric::Theorem::sojourn, y, n)) ||
        !overlap(series::enclose_tail(numeric::Theorem::sojourn, x, n),
                 series::enclose_tail(numeric::Theorem::sojourn, y, n)))
      return false;
  }
  return true;
}

Distribution<Real> reals_of(const Case& at, double log2_min, int bits) {
  std::optional<Distribution<Real>> total;
  std::vector<Distribution<Real>> hops;
  for (const SlottedQueue& queue : at.queues)
    hops.push_back(queue::hop_delay(queue, HopDelay::wait, at.size, log2_min, bits));
  for (const std::size_t queue : at.path) total = total ? series::sum(*total, hops[queue]) : hops[queue];
  return *total;
}

/// Maximum of (enclosure width / upper end) over some entries.
double widest(const Distribution<double>& x, std::size_t places) {
  double result = 0;
  for (std::size_t part = 0; part < places; ++part) {
    const Probability at =
        series::enclose_tail(numeric::Theorem::sojourn, x, (x.size() - 1) * part / (places - 1));
    result = std::max(result, at.relative_width());
  }
  return result;
}

}  // namespace

TEST_CASE("Sums of delays: 2 000 random paths, directly and by tilted and untilted transforms",
          "[series][delay]") {
  int deep = 0, deep_and_wrong = 0, wrong = 0, compared = 0;
  double loosest = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const Case at = random_case(seed);
    INFO("seed " << seed << ": " << at.text);
    const auto hops = hops_of(at, -1060);
    const double tilt = tilt_of(at, hops);
    const Distribution<double> direct = sum_of(at, hops, tilt, Summation::direct);
    const Distribution<double> transformed = sum_of(at, hops, tilt, Summation::transform);
    CHECK(agree(direct, transformed));
    CHECK(enclosures_overlap(direct, transformed, 5));
    if (at.size >= 2) loosest = std::max(loosest, direct.tail_units * 0x1p-53);

    const Distribution<double> plain = sum_of(at, hops, 1, Summation::direct);
    CHECK(enclosures_overlap(direct, plain, 5));
    const bool believed = agree(plain, sum_of(at, hops, 1, Summation::transform, false));
    const bool goes_deep = plain.tail.back() < 1e-17 && plain.tail.back() > 0;
    wrong += !believed;
    deep += goes_deep;
    deep_and_wrong += goes_deep && !believed;

    if (at.size <= 120 && seed % 4 == 0) {
      const Distribution<Real> finer = reals_of(at, -1060, 192);
      CHECK(enclosures_overlap(direct, finer, at.size));
      CHECK(enclosures_overlap(transformed, finer, at.size));
      CHECK(enclosures_overlap(plain, finer, at.size));
      ++compared;
    }
  }
  WARN("untilted and taken for exact, the transform fails in "
       << wrong << " cases of 2000, " << deep_and_wrong << " of the " << deep << " whose tail passes 1e-17; "
       << compared << " cases compared with 192 bits");
  CHECK(deep > 300);
  CHECK(deep_and_wrong > 0.9 * deep);
  CHECK(compared > 50);
  CHECK(loosest < 1e-10);  // the direct sums provably keep at least ten digits
}

TEST_CASE("Sums of delays: exact fractions", "[series][delay]") {
  int checked = 0;
  for (std::uint64_t seed = 1; checked < 12; ++seed) {
    Random random(seed);
    std::vector<Traffic> traffic;
    while (traffic.size() < 2) {
      const Traffic one = random_traffic(random);
      if (one.kind == Traffic::Kind::equal && one.inputs <= 8 && one.mean() > Fraction(1, 20))
        traffic.push_back(one);
    }
    ++checked;
    INFO(traffic[0].text() << "; " << traffic[1].text());
    constexpr std::size_t size = 24;
    std::vector<std::vector<Fraction>> exact;
    std::vector<Distribution<long double>> hops;
    std::vector<Distribution<Real>> finer;
    for (const Traffic& one : traffic) {
      const SlottedQueue queue{one.arrivals(), 1};
      exact.emplace_back();
      for (const Rational& mass : queue::exact_hop_delay(queue, HopDelay::wait, size))
        exact.back().push_back(fraction_of(mass));
      hops.push_back(queue::hop_delay(queue, HopDelay::wait, size, -1000));
      finer.push_back(queue::hop_delay(queue, HopDelay::wait, size, -1000, 128));
    }
    const auto by = [&](double tilt, Summation summation) {
      return series::sum(series::tilted(hops[0], tilt), series::tilted(hops[1], tilt), summation);
    };
    const std::vector<Distribution<double>> doubles{by(1, Summation::direct), by(1.25, Summation::direct),
                                                    by(1, Summation::transform),
                                                    by(1.25, Summation::transform)};
    const Distribution<Real> reals = series::sum(finer[0], finer[1]);
    Fraction at_most = 0;
    for (std::size_t t = 0; t < size; ++t) {
      Fraction mass = 0;
      for (std::size_t n = 0; n <= t; ++n) mass += exact[0][n] * exact[1][t - n];
      at_most += mass;
      const Rational true_mass = to_rational(mass), true_tail = to_rational(Fraction(1 - at_most));
      for (const auto& x : doubles) {
        CHECK(series::enclose_mass(numeric::Theorem::sojourn, x, t).contains(true_mass));
        CHECK(series::enclose_tail(numeric::Theorem::sojourn, x, t).contains(true_tail));
      }
      CHECK(series::enclose_mass(numeric::Theorem::sojourn, reals, t).contains(true_mass));
      CHECK(series::enclose_tail(numeric::Theorem::sojourn, reals, t).contains(true_tail));
      CHECK(series::enclose_tail(numeric::Theorem::sojourn, reals, t).relative_width() < 1e-30);
      CHECK(series::enclose_tail(numeric::Theorem::sojourn, doubles[1], t).relative_width() < 1e-12);
    }
  }
}

TEST_CASE("Sums of delays: tails of 1e-300 and 1e-3000 keep their digits", "[series][delay]") {
  struct Deep {
    int inputs;
    const char* load;
    std::size_t size;
    double minimum, maximum;  ///< log10 of the last tail
  };
  for (const Deep& deep : {Deep{16, "0.6", 700, -500, -250}, Deep{16, "0.1", 2000, -4400, -3000},
                           Deep{4, "0.05", 1400, -4400, -3000}, Deep{2, "0.9", 3000, -900, -250}}) {
    INFO(deep.inputs << " inputs, load " << deep.load << ", size " << deep.size);
    const Case at{
        {{series::Arrivals::equal_inputs(deep.inputs, numeric::parse_rational(deep.load, "load")), 1}},
        {0, 0, 0},
        deep.size,
        ""};
    const auto hops = hops_of(at, -15'000);
    const double tilt = tilt_of(at, hops);
    const Distribution<double> direct = sum_of(at, hops, tilt, Summation::direct);
    const Distribution<double> transformed = sum_of(at, hops, tilt, Summation::transform);
    const double last = series::log_tail(direct, at.size - 1) / std::log(10.0);
    INFO("last tail 10^" << last << ", tilt " << tilt);
    CHECK(last > deep.minimum);
    CHECK(last < deep.maximum);
    CHECK(agree(direct, transformed));
    CHECK(enclosures_overlap(direct, transformed, 50));
    CHECK(widest(direct, 50) < 1e-11);
    // With steep tails even the tilted sum is far from flat: the transform stays correct but inaccurate.
    if (tilt < 100) CHECK(widest(transformed, 50) < 0.5);
    const Distribution<Real> finer = reals_of(at, -16'000, 128);
    CHECK(enclosures_overlap(direct, finer, 50));
    CHECK(enclosures_overlap(transformed, finer, 50));
    CHECK(series::log_tail(direct, at.size - 1) ==
          Approx(series::log_tail(finer, at.size - 1)).epsilon(1e-12));
  }
}

TEST_CASE("Sums of delays: the balancing tilt", "[series][delay]") {
  const SlottedQueue queue{series::Arrivals::equal_inputs(16, numeric::parse_rational("0.9", "load")), 1};
  const Distribution<long double> hop = queue::hop_delay(queue, HopDelay::wait, 2000, -1000);
  const std::vector<const Distribution<long double>*> five(5, &hop);
  const double tilt = series::balancing_tilt(five);
  const double pole = rough_decay_root(Traffic::equal(16, parse_decimal("0.9")));
  CHECK(tilt > 1.1);   // near the pole of D(z) = W(z)^5 ...
  CHECK(tilt < pole);  // ... and below it
  // The sum, tilted, stays within a few powers of ten.
  Distribution<double> sum = series::tilted(hop, tilt);
  for (int i = 1; i < 5; ++i) sum = series::sum(sum, series::tilted(hop, tilt), Summation::direct);
  const auto [minimum, maximum] = std::minmax_element(sum.tail.begin(), sum.tail.end());
  CHECK(*maximum / *minimum < 1e9);
  // Nothing to balance: one entry, or no packet ever waits.
  const Distribution<long double> one = series::prefix(hop, 1);
  CHECK(series::balancing_tilt(std::vector{&one}) == 1);
  Distribution<long double> never = series::prefix(hop, 10);
  std::fill(never.tail.begin(), never.tail.end(), 0.0L);
  std::fill(never.mass.begin(), never.mass.end(), 0.0L);
  never.mass[0] = 1;
  CHECK(series::balancing_tilt(std::vector{&never}) == 1);
}

TEST_CASE("Sums of delays: near capacity, where no hop's distribution is complete", "[series][delay]") {
  for (const std::size_t nines : std::vector<std::size_t>{3, 5, 7, 9, 12, 16, 40, 100, 300})
    for (const int hops : {2, 5, 15}) {
      Case at;
      at.queues.push_back(
          {series::Arrivals::equal_inputs(4, numeric::parse_rational("0." + std::string(nines, '9'), "load")),
           1});
      at.path.assign(static_cast<std::size_t>(hops), 0);
      at.size = 4500;
      INFO("0." << std::string(nines, '9') << ", " << hops << " hops");
      const std::vector<Distribution<long double>> delays = hops_of(at, -1200);
      const double tilt = tilt_of(at, delays);
      // The tail of the sum lies above that of one hop: no tilt makes it increase.
      CHECK(static_cast<double>(at.size - 1) * std::log(tilt) <=
            1e-9 - series::log_tail(delays[0], at.size - 1));
      const Distribution<double> transformed = sum_of(at, delays, tilt, Summation::transform);
      CHECK(agree(sum_of(at, delays, tilt, Summation::direct), transformed));
      CHECK(widest(transformed, 50) < 1e-4);
    }
}

TEST_CASE("Sums of delays: prefixes and errors", "[series][delay]") {
  const SlottedQueue queue{series::Arrivals::equal_inputs(4, numeric::parse_rational("0.7", "load")), 1};
  const Distribution<long double> hop = queue::hop_delay(queue, HopDelay::wait, 100, -300);
  const Distribution<long double> start = series::prefix(hop, 40);
  REQUIRE(start.size() == 40);
  for (std::size_t n = 0; n < 40; ++n) {
    CHECK(start.mass[n] == hop.mass[n]);
    CHECK(start.tail[n] == hop.tail[n]);
  }
  // Entries of a sum do not depend on later ones.
  const auto whole = series::sum(series::tilted(hop, 1), series::tilted(hop, 1), Summation::direct);
  const auto part = series::sum(series::tilted(start, 1), series::tilted(start, 1), Summation::direct);
  CHECK(enclosures_overlap(part, series::prefix(whole, 40), 40));
  CHECK_THROWS_AS(series::sum(series::tilted(hop, 1), series::tilted(start, 1)), std::logic_error);
  CHECK_THROWS_AS(series::sum(series::tilted(hop, 1), series::tilted(hop, 1.5)), std::logic_error);
  CHECK_THROWS_AS(series::tilted(hop, 1e200), std::logic_error);
  const auto exact = queue::hop_delay(queue, HopDelay::wait, 10, -300, 128);
  CHECK_THROWS_AS(series::sum(exact, exact, Summation::transform), std::logic_error);
}
