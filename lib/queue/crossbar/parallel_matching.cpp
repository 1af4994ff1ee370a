#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rounding.hpp>
#include <tailbound/queue/crossbar/parallel_matching.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace tailbound::queue {
namespace {

using numeric::Rational;

/// P(j of m bins are occupied by m balls), j = 0 .. m.
template <class Number>
std::vector<Number> occupied(std::size_t m) {
  std::vector<Number> law(m + 1, Number(0));
  law[0] = Number(1);
  const auto bins = Number(static_cast<std::int64_t>(m));
  for (std::size_t ball = 0; ball < m; ++ball)
    for (std::size_t j = ball + 1; j > 0; --j) {
      law[j] = (law[j] * Number(static_cast<std::int64_t>(j)) +
                law[j - 1] * Number(static_cast<std::int64_t>(m - j + 1))) /
               bins;
      if (j == 1) law[0] = Number(0);
    }
  return law;
}

/// Expected matches of k inputs and outputs.
template <class Number>
Number expected_matches(const ParallelMatching& matching) {
  const auto ports = static_cast<std::size_t>(matching.ports);
  std::vector<std::vector<Number>> laws;
  for (std::size_t m = 0; m <= ports; ++m) laws.push_back(occupied<Number>(m));
  std::vector<Number> matched(ports + 1, Number(0));
  for (std::int64_t iteration = 1; iteration <= matching.iterations; ++iteration) {
    // Only the last iteration begins with all ports.
    const std::size_t from = iteration == matching.iterations ? ports : 1;
    for (std::size_t m = ports; m >= from; --m) {
      Number sum(0);
      for (std::size_t j = 1; j <= m; ++j)
        sum = sum + laws[m][j] * (Number(static_cast<std::int64_t>(j)) + matched[m - j]);
      matched[m] = sum;
    }
  }
  return matched[ports];
}

}  // namespace

numeric::Proved<unit::Load> parallel_matching_load(const ParallelMatching& matching) {
  if (matching.ports < 1 || matching.ports > ParallelMatching::max_ports)
    throw InvalidArgument("inputs", std::to_string(matching.ports),
                          "from 1 to " + std::to_string(ParallelMatching::max_ports));
  if (matching.iterations < 1)
    throw InvalidArgument("iterations", std::to_string(matching.iterations), "1 or more");
  if (matching.iterations >= matching.ports) return numeric::Exact<unit::Load>{numeric::Theorem::crossbar, 1};
  if (matching.ports <= ParallelMatching::max_exact_ports)
    return numeric::Exact<unit::Load>{numeric::Theorem::crossbar,
                                      expected_matches<Rational>(matching) / Rational(matching.ports)};
  // A ball: a product, a sum, a quotient. An iteration: a sum of up to k products of sums.
  constexpr int bits = std::numeric_limits<long double>::digits;
  const auto ports = static_cast<double>(matching.ports);
  const double units = static_cast<double>(matching.iterations) * (3 * ports + ports + 3);
  const numeric::PrecisionScope scope(numeric::Precision{96});
  numeric::Real lower, upper;
  numeric::widen(expected_matches<long double>(matching), numeric::relative_error_bound({units}, bits),
                 numeric::Real(0), bits, lower, upper);
  const numeric::Interval load =
      numeric::make_interval(lower, upper) / numeric::to_interval(Rational(matching.ports));
  return numeric::Enclosure<unit::Load>(numeric::Theorem::crossbar, numeric::lower(load),
                                        std::min(numeric::upper(load), numeric::Real(1)));
}

}  // namespace tailbound::queue
