#include <tailbound/core/error.hpp>
#include <tailbound/numeric/transform_convolution.hpp>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace tailbound;
using numeric::Convolution;
using numeric::convolve_by_transform;

namespace {

__extension__ using Wide = unsigned __int128;

/// Transforms of whole numbers modulo 2^64 - 2^32 + 1, whose unit group has roots of unity of order 2^32:
/// exact convolutions of whole numbers as fast as floating-point ones, by another algorithm.
class WholeTransform {
 public:
  static std::vector<std::uint64_t> convolve(std::vector<std::uint64_t> x, std::vector<std::uint64_t> y) {
    const std::size_t full = x.size() + y.size() - 1;
    std::size_t points = 1;
    while (points < full) points *= 2;
    x.resize(points);
    y.resize(points);
    transform(x, root(points));
    transform(y, root(points));
    for (std::size_t k = 0; k < points; ++k) x[k] = product(x[k], y[k]);
    transform(x, power(root(points), prime - 2));
    const std::uint64_t scale = power(points, prime - 2);
    for (auto& value : x) value = product(value, scale);
    x.resize(full);
    return x;
  }

 private:
  static constexpr std::uint64_t prime = 0xFFFFFFFF00000001;

  static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(Wide{a} * b % prime);
  }
  static std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent != 0; exponent /= 2, base = product(base, base))
      if (exponent % 2 == 1) result = product(result, base);
    return result;
  }
  /// 7 generates the group.
  static std::uint64_t root(std::size_t points) { return power(7, (prime - 1) / points); }

  static void transform(std::vector<std::uint64_t>& x, std::uint64_t root_of_unity) {
    if (x.size() == 1) return;
    const std::size_t half = x.size() / 2;
    std::vector<std::uint64_t> even, odd;
    for (std::size_t i = 0; i < half; ++i) {
      even.push_back(x[2 * i]);
      odd.push_back(x[2 * i + 1]);
    }
    const std::uint64_t square = product(root_of_unity, root_of_unity);
    transform(even, square);
    transform(odd, square);
    std::uint64_t factor = 1;
    for (std::size_t i = 0; i < half; ++i, factor = product(factor, root_of_unity)) {
      const std::uint64_t turned = product(factor, odd[i]);
      x[i] = static_cast<std::uint64_t>((Wide{even[i]} + turned) % prime);
      x[i + half] = static_cast<std::uint64_t>((Wide{even[i]} + prime - turned) % prime);
    }
  }
};

constexpr std::array<const char*, 5> shapes = {"flat", "falling", "one spike", "few", "alike"};

/// Random numbers in [0, 1] of a shape.
std::vector<double> sequence(std::mt19937_64& engine, std::size_t length, const std::string& shape) {
  const auto unit = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  std::vector<double> x(length);
  const double fall = std::pow(1e-12, 1.0 / static_cast<double>(length));
  double size = 1;
  for (double& value : x) {
    value = unit();
    if (shape == "falling") value *= size *= fall;
    if (shape == "one spike") value *= 1e-9;
    if (shape == "few" && engine() % 16 != 0) value = 0;
    if (shape == "alike") value = 1;
  }
  if (shape == "one spike" || shape == "few") x[engine() % length] = 1;
  return x;
}

/// Entry n by direct summation in long double, and the error bound of that sum.
std::pair<long double, long double> direct(const std::vector<double>& x, const std::vector<double>& y,
                                           std::size_t n) {
  long double sum = 0;
  std::size_t terms = 0;
  for (std::size_t i = n < y.size() ? 0 : n - y.size() + 1; i <= n && i < x.size(); ++i, ++terms)
    sum += static_cast<long double>(x[i]) * static_cast<long double>(y[n - i]);
  return {sum, sum * static_cast<long double>(terms + 2) * std::numeric_limits<long double>::epsilon()};
}

}  // namespace

TEST_CASE("Transform convolution: within its bound of direct sums in long double", "[numeric][transform]") {
  std::mt19937_64 engine(1);
  double worst = 0;
  for (const std::size_t length : {1u, 2u, 3u, 5u, 17u, 64u, 65u, 1000u, 4096u, 40000u}) {
    double worst_of_length = 0;
    for (const char* shape : shapes) {
      INFO(length << " " << shape);
      const auto x = sequence(engine, length, shape);
      const auto y = sequence(engine, std::max<std::size_t>(1, length / (1 + engine() % 3)),
                              shapes[engine() % shapes.size()]);
      const std::size_t full = x.size() + y.size() - 1;
      const Convolution result = convolve_by_transform(x, y, full);
      REQUIRE(result.values.size() == full);
      // Everywhere, or at about 300 entries of the longest.
      const std::size_t step = length > 4096 ? full / 300 : 1;
      bool within = true;
      for (std::size_t n = 0; n < full; n += step) {
        const auto [sum, off] = direct(x, y, n);
        const long double error = std::abs(static_cast<long double>(result.values[n]) - sum);
        within &= error <= static_cast<long double>(result.error) + off;
        worst_of_length =
            std::max(worst_of_length, static_cast<double>(error / static_cast<long double>(result.error)));
      }
      CHECK(within);
    }
    WARN("length " << length << ": largest error " << worst_of_length << " of the bound");
    worst = std::max(worst, worst_of_length);
  }
  CHECK(worst < 0.25);    // a closer bound would be luck
  CHECK(worst > 0.0005);  // nor is it useless
}

TEST_CASE("Transform convolution: within its bound of exact sums of whole numbers", "[numeric][transform]") {
  std::mt19937_64 engine(2);
  for (const std::size_t length : {1u, 2u, 3u, 5u, 100u, 1000u, 4096u, 5000u, 40000u}) {
    for (const char* shape : shapes) {
      INFO(length << " " << shape);
      std::array<std::vector<double>, 2> reals;
      std::array<std::vector<std::uint64_t>, 2> wholes;
      for (std::size_t i = 0; i < 2; ++i)
        for (const double value : sequence(engine, length + i * (engine() % 7), shape)) {
          reals[i].push_back(std::floor(value * 0x1p20));
          wholes[i].push_back(static_cast<std::uint64_t>(reals[i].back()));
        }
      const std::vector<std::uint64_t> exact = WholeTransform::convolve(wholes[0], wholes[1]);
      const Convolution result = convolve_by_transform(reals[0], reals[1], exact.size());
      long double worst = 0;  // exact: both have at most 64 bits
      for (std::size_t n = 0; n < exact.size(); ++n)
        worst = std::max(
            worst, std::abs(static_cast<long double>(result.values[n]) - static_cast<long double>(exact[n])));
      CHECK(worst <= static_cast<long double>(result.error));
    }
  }
}

TEST_CASE("Transform convolution: exact transform of an example by hand", "[numeric][transform]") {
  // (1 + 2z + 3z^2)(4 + 5z) = 4 + 13z + 22z^2 + 15z^3
  CHECK(WholeTransform::convolve({1, 2, 3}, {4, 5}) == std::vector<std::uint64_t>{4, 13, 22, 15});
  const Convolution result =
      convolve_by_transform(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5}, 6);
  const std::vector<double> expected{4, 13, 22, 15, 0, 0};
  REQUIRE(result.values.size() == 6);
  for (std::size_t n = 0; n < 6; ++n) CHECK(std::abs(result.values[n] - expected[n]) <= result.error);
  CHECK(result.values[4] == 0);
  CHECK(result.error < 1e-12);
  CHECK(convolve_by_transform(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5}, 2).values.size() == 2);
}

TEST_CASE("Transform convolution: numbers of any size", "[numeric][transform]") {
  std::mt19937_64 engine(3);
  const auto x = sequence(engine, 100, "flat"), y = sequence(engine, 100, "flat");
  for (const int exponent : {-1021, -600, -500, -201, -190, -100, 0, 100, 199, 205, 400, 500}) {
    INFO("2^" << exponent);
    std::vector<double> scaled_x = x, scaled_y = y;
    for (double& value : scaled_x) value = std::ldexp(value, exponent);
    for (double& value : scaled_y) value = std::ldexp(value, exponent);
    const Convolution result = convolve_by_transform(scaled_x, scaled_y, 199);
    bool within = true;
    for (std::size_t n = 0; n < 199; ++n) {
      const auto [sum, off] = direct(scaled_x, scaled_y, n);
      within &= std::abs(static_cast<long double>(result.values[n]) - sum) <=
                static_cast<long double>(result.error) + off;
    }
    CHECK(within);
  }
}

TEST_CASE("Transform convolution: at either end of double's range", "[numeric][transform]") {
  constexpr double maximum = std::numeric_limits<double>::max(),
                   minimum = std::numeric_limits<double>::denorm_min();
  const auto check = [](std::vector<double> x, std::vector<double> y) {
    const Convolution result = convolve_by_transform(x, y, x.size() + y.size() - 1);
    REQUIRE(std::isfinite(result.error));
    for (std::size_t n = 0; n < result.values.size(); ++n) {
      const auto [sum, off] = direct(x, y, n);
      CHECK(std::abs(static_cast<long double>(result.values[n]) - sum) <=
            static_cast<long double>(result.error) + off);
    }
    return result;
  };
  CHECK(check({maximum, maximum / 4, 0, maximum / 2}, {0.125, 0, 0.0625}).error < maximum * 0x1p-44);
  CHECK(check({maximum, minimum, 1, maximum}, {minimum, 2 * minimum, 0x1p-1060}).error < 0x1p-80);
  CHECK(check({minimum, 3 * minimum}, {minimum, 1e-300, minimum}).error < 0x1p-1000);
  // Their product is beyond the range: no number is claimed.
  const Convolution beyond =
      convolve_by_transform(std::vector<double>{maximum, 1}, std::vector<double>{4, 1}, 3);
  CHECK(beyond.error == std::numeric_limits<double>::infinity());
}

TEST_CASE("Transform convolution: errors", "[numeric][transform]") {
  const std::vector<double> some{1, 2}, none;
  CHECK_THROWS_AS(convolve_by_transform(none, some, 2), InvalidArgument);
  CHECK_THROWS_AS(convolve_by_transform(some, none, 2), InvalidArgument);
  CHECK(convolve_by_transform(some, some, 0).values.empty());
  CHECK_THROWS_AS(
      convolve_by_transform(some, std::vector<double>{0, std::numeric_limits<double>::infinity()}, 3),
      InvalidArgument);
  const Convolution nothing = convolve_by_transform(some, std::vector<double>{0, 0}, 3);
  CHECK(nothing.values == std::vector<double>{0, 0, 0});
  CHECK(nothing.error == 0);
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(convolve_by_transform(std::vector<double>{1, not_a_number}, some, 3), Error);
}
