#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/crossbar/parallel_matching.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Throughput of parallel iterative matching: fractions, a simulation with grants and accepts, limits.

using namespace tailbound;
using numeric::parse_rational;
using queue::parallel_matching_load;

namespace {

double value_of(std::int64_t ports, std::int64_t iterations) {
  return numeric::to_enclosure(parallel_matching_load({.ports = ports, .iterations = iterations}))
      .lower()
      .convert_to<double>();
}

/// Grants and accepts of one matching, all queues backlogged.
int matched_pairs(int ports, int iterations, std::mt19937_64& random) {
  std::vector<int> free_inputs(static_cast<std::size_t>(ports)), free_outputs = free_inputs;
  std::iota(free_inputs.begin(), free_inputs.end(), 0);
  free_outputs = free_inputs;
  for (int iteration = 0; iteration < iterations && !free_inputs.empty(); ++iteration) {
    std::vector<std::vector<int>> grants(static_cast<std::size_t>(ports));
    std::uniform_int_distribution<std::size_t> any(0, free_inputs.size() - 1);
    for (const int output : free_outputs)
      grants[static_cast<std::size_t>(free_inputs[any(random)])].push_back(output);
    std::vector<int> inputs, taken;
    for (const int input : free_inputs) {
      const std::vector<int>& its = grants[static_cast<std::size_t>(input)];
      if (its.empty())
        inputs.push_back(input);
      else
        taken.push_back(its[std::uniform_int_distribution<std::size_t>(0, its.size() - 1)(random)]);
    }
    free_inputs = inputs;
    for (const int output : taken) std::erase(free_outputs, output);
  }
  return ports - static_cast<int>(free_inputs.size());
}

}  // namespace

TEST_CASE("Parallel matching: exact fractions", "[parallel_matching]") {
  struct Known {
    std::int64_t ports, iterations;
    const char* value;
  };
  for (const auto& [ports, iterations, value] : std::vector<Known>{{1, 1, "1"},
                                                                   {2, 1, "3/4"},
                                                                   {2, 2, "1"},
                                                                   {3, 1, "19/27"},
                                                                   {3, 2, "53/54"},
                                                                   {3, 3, "1"},
                                                                   {4, 1, "175/256"},
                                                                   {4, 2, "4403/4608"},
                                                                   {4, 3, "4607/4608"},
                                                                   {4, 4, "1"},
                                                                   {8, 1, "11012415/16777216"}})
    CHECK(std::get<numeric::Exact<unit::Load>>(
              parallel_matching_load({.ports = ports, .iterations = iterations}))
              .value == parse_rational(value, "value"));
}

TEST_CASE("Parallel matching: decimals", "[parallel_matching]") {
  const std::vector<std::pair<std::int64_t, std::vector<double>>> known{
      {8, {0.6563910842, 0.9022772434, 0.9924733219, 0.9999670582}},
      {16, {0.6439258695, 0.8814941941, 0.9727361044, 0.9988904990}},
      {32, {0.6379447107, 0.8727774849, 0.9597613980, 0.9934712676}},
      {64, {0.6350134758, 0.8686560581, 0.9547156397, 0.9869335468}}};
  for (const auto& [ports, values] : known)
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(value_of(ports, static_cast<std::int64_t>(i) + 1) == Approx(values[i]).epsilon(0).margin(6e-11));
  // Many ports: 1 - exp(-n) of the outputs would grant a match if none collided twice; n = 1 is exact in
  // the limit.
  CHECK(value_of(1024, 1) == Approx(1 - std::exp(-1.0)).epsilon(3e-4));
  // Around the largest number of ports with fractions, both arithmetics continue each other.
  CHECK(value_of(16, 3) > value_of(17, 3));
  CHECK(value_of(17, 3) > value_of(18, 3));
  CHECK(value_of(16, 3) - value_of(17, 3) == Approx(value_of(17, 3) - value_of(18, 3)).epsilon(0.2));
}

TEST_CASE("Parallel matching: simulated grants and accepts", "[parallel_matching]") {
  std::mt19937_64 random(5);
  for (const auto& [ports, iterations] : {std::pair{2, 1}, {4, 2}, {8, 2}, {16, 3}, {20, 1}}) {
    constexpr int slots = 40'000;
    double sum = 0, squares = 0;
    for (int slot = 0; slot < slots; ++slot) {
      const double pairs = matched_pairs(ports, iterations, random) / static_cast<double>(ports);
      sum += pairs;
      squares += pairs * pairs;
    }
    const double mean = sum / slots, error = std::sqrt((squares / slots - mean * mean) / slots);
    CHECK(value_of(ports, iterations) == Approx(mean).epsilon(0).margin(4 * error));
  }
}

TEST_CASE("Parallel matching: limits", "[parallel_matching]") {
  CHECK_THROWS_AS(parallel_matching_load({.ports = 0}), InvalidArgument);
  CHECK_THROWS_AS(parallel_matching_load({.ports = 2000}), InvalidArgument);
  CHECK_THROWS_AS(parallel_matching_load({.ports = 4, .iterations = 0}), InvalidArgument);
}
