#include <tailbound/bounds/multistage/combining.hpp>
#include <tailbound/sim/multistage/simulate_multistage.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

// The models of combining multistage networks compared with the simulation: the table of
// docs/derivations/multistage.md, section 6. With -s each row is printed.

namespace tailbound {
namespace {

using bounds::multistage::Point;
using bounds::multistage::Variant;
using numeric::Rational;

/// Errors of a model, as fractions.
struct Errors {
  double sum = 0, worst = 0;
  int count = 0;
  std::string worst_at;

  void add(double model, double simulated, const std::string& at) {
    add({.sum = std::abs(model / simulated - 1),
         .worst = std::abs(model / simulated - 1),
         .count = 1,
         .worst_at = at});
  }
  void add(const Errors& other) {
    sum += other.sum;
    count += other.count;
    if (other.worst <= worst) return;
    worst = other.worst;
    worst_at = other.worst_at;
  }
  [[nodiscard]] double mean() const { return count == 0 ? 0 : sum / count; }
};

/// Quantities of the goals: delays with combining below saturation, throughput without combining above it. In
/// addition: throughput with combining above saturation, hot delays below it.
struct Row {
  Errors below[2], full[2], above[2], hot[2];  ///< [blocking, published]
  int unsettled = 0;

  void add(const Row& other) {
    for (int variant : {0, 1}) {
      below[variant].add(other.below[variant]);
      full[variant].add(other.full[variant]);
      above[variant].add(other.above[variant]);
      hot[variant].add(other.hot[variant]);
    }
    unsettled += other.unsettled;
  }
};

struct Grid {
  std::vector<std::int64_t> nodes, sizes, buffers;
  std::vector<const char*> hot;
  std::vector<std::optional<std::int64_t>> combining;
  std::vector<const char*> loads;
  std::int64_t slots;  ///< measured; half as many at 256 nodes
  network::Links links = network::Links::any;
};

void add_point(Row& row, const network::CombiningMultistage& network, const Rational& load,
               std::int64_t slots) {
  const sim::MultistageModel model{.network = network, .load = load};
  const sim::RunPlan plan{.seed = 7, .replications = 1, .warmup = 3000, .slots = slots, .batches = 8};
  const sim::MultistageEstimates found = sim::multistage_estimates(model, sim::run_multistage(model, plan));
  const bool through = found.throughput.value >= 0.98 * numeric::nearest_double(load);
  // The lower end of a 95 % interval may slightly exceed the truth in 1 of 40 points.
  CHECK(found.throughput.lower <= 1.01 * numeric::nearest_double(network::saturation_bound(network)));
  for (const Variant variant : {Variant::blocking, Variant::published}) {
    if (variant == Variant::published && network.links == network::Links::one) continue;
    const Point point = solve(network, load, variant);
    const int column = variant == Variant::blocking ? 0 : 1;
    row.unsettled += point.ending.stop == bounds::Stop::too_many_rounds;
    const std::string at = describe(model);
    if (network.combining != 1 && through) {
      row.below[column].add(point.delay, found.delay->value, at);
      row.hot[column].add(point.hot_delay, found.hot_delay->value, at);
    } else if (!through) {
      (network.combining == 1 ? row.full : row.above)[column].add(point.throughput, found.throughput.value,
                                                                  at);
    }
  }
}

Row row_of(const Grid& grid, std::int64_t nodes, std::int64_t size, std::int64_t buffer) {
  Row row;
  for (const char* hot : grid.hot)
    for (const auto& combining : grid.combining)
      for (const char* load : grid.loads)
        add_point(row,
                  {.network = {nodes, size},
                   .buffer = buffer,
                   .hot = numeric::parse_rational(hot, "hot"),
                   .combining = combining,
                   .links = grid.links},
                  numeric::parse_rational(load, "load"), nodes == 64 ? grid.slots : grid.slots / 2);
  return row;
}

std::string in_words(const Errors& errors) {
  return std::to_string(100 * errors.mean()) + " | " + std::to_string(100 * errors.worst);
}

std::string compared(const Errors (&errors)[2]) {
  return std::to_string(errors[0].count) + " points, blocking " + in_words(errors[0]) + " (" +
         errors[0].worst_at + "), published " + in_words(errors[1]) + " (" + errors[1].worst_at + ")";
}

/// Maximum errors of a model, as fractions: mean and worst.
struct Goals {
  double below_mean = 0.03, below_worst = 0.12, full_worst = 0.06, above_worst = 0.09;
  int max_unsettled = 0;
};

/// The goals of the model, on the grid.
void check_goals(const Grid& grid, const Goals& goals = {}) {
  Row all;
  for (const std::int64_t nodes : grid.nodes)
    for (const std::int64_t size : grid.sizes)
      for (const std::int64_t buffer : grid.buffers) {
        const Row row = row_of(grid, nodes, size, buffer);
        UNSCOPED_INFO("| " << nodes << " | " << size << " | " << buffer << " | " << row.below[0].count
                           << " | " << in_words(row.below[0]) << " | " << in_words(row.below[1]) << " | "
                           << row.full[0].count << " | " << in_words(row.full[0]) << " | "
                           << in_words(row.full[1]) << " |");
        all.add(row);
      }
  CHECK(all.unsettled <= goals.max_unsettled);
  REQUIRE(all.below[0].count > 0);
  REQUIRE(all.full[0].count > 0);
  INFO("below: " << compared(all.below));
  INFO("below, hot: " << compared(all.hot));
  INFO("full: " << compared(all.full));
  INFO("above: " << compared(all.above));
  CHECK(all.below[0].mean() <= goals.below_mean);
  CHECK(all.below[0].worst <= goals.below_worst);
  CHECK(all.full[0].worst <= goals.full_worst);
  CHECK(all.above[0].worst <= goals.above_worst);
  if (grid.links == network::Links::one) return;
  CHECK(all.below[0].mean() < all.below[1].mean());
  CHECK(all.full[1].worst > 0.5);
}

TEST_CASE("multistage: the blocking model agrees with the simulation") {
  check_goals({.nodes = {64},
               .sizes = {2, 4},
               .buffers = {2, 8},
               .hot = {"0.08"},
               .combining = {1, 2, std::nullopt},
               .loads = {"0.3", "0.5", "0.9"},
               .slots = 4000});
}

TEST_CASE("multistage: the blocking model is exact for one stage") {
  // No coupling between queues. The remaining approximation besides the chain: the mean of beginning and end
  // of a service represents the time between.
  for (const std::optional<std::int64_t> combining : {std::optional<std::int64_t>{2}, {3}, {4}, {}})
    for (const char* hot : {"0.5", "1"}) {
      const network::CombiningMultistage network{.network = {16, 16},
                                                 .buffer = 3,
                                                 .hot = numeric::parse_rational(hot, "hot"),
                                                 .combining = combining,
                                                 .links = network::Links::any};
      const sim::MultistageModel model{.network = network, .load = 1};
      const sim::RunPlan plan{.seed = 5, .replications = 1, .warmup = 200, .slots = 20'000, .batches = 8};
      const sim::MultistageEstimates found =
          sim::multistage_estimates(model, sim::run_multistage(model, plan));
      const Point point = solve(network, 1, Variant::blocking);
      CAPTURE(describe(model));
      CHECK(point.throughput == Approx(found.throughput.value).epsilon(0.005));
      CHECK(point.hot_path[0].occupancy == Approx(found.hot_path[0].occupancy.value).epsilon(0.04));
      CHECK(point.hot_path[0].combining == Approx(found.hot_path[0].combining->value).epsilon(0.01));
    }
}

// With one request at a time per link: measured on the complete grid, plus a margin.
constexpr Goals one_per_link{
    .below_mean = 0.03, .below_worst = 0.18, .full_worst = 0.05, .above_worst = 0.1, .max_unsettled = 2};

TEST_CASE("multistage: the model blocking with one request at a time per link is near the simulation") {
  check_goals({.nodes = {64},
               .sizes = {2, 4},
               .buffers = {2, 8},
               .hot = {"0.08"},
               .combining = {1, 2, std::nullopt},
               .loads = {"0.1", "0.3", "0.5", "0.9"},
               .slots = 4000,
               .links = network::Links::one},
              one_per_link);
}

void check_all(std::int64_t nodes, network::Links links = network::Links::any, const Goals& goals = {}) {
  check_goals({.nodes = {nodes},
               .sizes = {2, 4},
               .buffers = {2, 4, 8},
               .hot = {"0.04", "0.08", "0.16"},
               .combining = {1, 2, 4, std::nullopt},
               .loads = {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"},
               .slots = 12'000,
               .links = links},
              goals);
}

TEST_CASE("multistage: the blocking model of 64 nodes on the complete grid of the documentation",
          "[.full][full]") {
  check_all(64);
}

TEST_CASE(
    "multistage: with one request at a time per link, 64 nodes on the complete grid of the documentation",
    "[.full][full]") {
  check_all(64, network::Links::one, one_per_link);
}

TEST_CASE(
    "multistage: with one request at a time per link, 256 nodes on the complete grid of the documentation",
    "[.full][full]") {
  check_all(256, network::Links::one, one_per_link);
}

TEST_CASE("multistage: the blocking model of 256 nodes on the complete grid of the documentation",
          "[.full][full]") {
  check_all(256);
}

}  // namespace
}  // namespace tailbound
