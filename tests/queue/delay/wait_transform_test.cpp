#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/markov_delay.hpp>
#include <tailbound/queue/delay/wait_transform.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

#include <cmath>

using namespace tailbound;
using tailbound::test::ratio;
using tailbound::test::rational;

namespace {

/// k leaves of a load and mean burst, each of whose packets comes here with probability 1/k.
queue::OnOffGroup wait_transform_group(std::int64_t k, const char* load, const char* burst,
                                       const char* on_rate = "1") {
  const traffic::OnOff leaf = traffic::on_off(rational(load), {rational(burst), rational(on_rate)});
  return {traffic::thinned(leaf, ratio(1, k)), k};
}

double wait_transform_middle(queue::WaitTransform& transform, double z) {
  const std::optional<numeric::Interval> found = transform.at(numeric::Real(z));
  REQUIRE(found);
  CHECK(numeric::relative_width(numeric::lower(*found), numeric::upper(*found)) < 1e-17);
  return static_cast<double>(numeric::lower(*found));
}

/// E[z^W] from the distribution of W, level by level.
double wait_power_series(const queue::OnOffGroup& group, double z, std::size_t levels) {
  queue::MarkovQueue queue(queue::MarkovArrivals::on_off({group}));
  const queue::ClaimedHopDelay law = queue::hop_delay(queue, queue::HopDelay::wait, levels);
  long double sum = 0, power = 1;
  for (const long double mass : law.values.mass) {
    sum += mass * power;
    power *= static_cast<long double>(z);
  }
  return static_cast<double>(sum);
}

}  // namespace

TEST_CASE("wait transform: equals the power series of the wait distribution") {
  struct Row {
    std::int64_t k;
    const char *load, *burst, *on_rate;
    double z;
  };
  const Row rows[] = {{4, "0.6", "16", "1", 1.02},  {4, "0.6", "16", "1", 1.5},
                      {2, "0.6", "16", "1", 1.3},   {8, "0.8", "64", "1", 1.1},
                      {4, "0.4", "32", "0.5", 1.6}, {4, "0.6", "2.51", "1", 1.9},
                      {3, "0.9", "100", "1", 1.01}, {12, "0.3", "4", "0.9", 2.0}};
  for (const Row& row : rows) {
    const queue::OnOffGroup group = wait_transform_group(row.k, row.load, row.burst, row.on_rate);
    queue::WaitTransform transform(group);
    const double found = wait_transform_middle(transform, row.z);
    CHECK(found == Approx(wait_power_series(group, row.z, 1500)).epsilon(1e-9));
    CHECK(transform.nearly(row.z).value() == Approx(found).epsilon(1e-9));
  }
}

TEST_CASE("wait transform: its slope at 1 is the mean wait") {
  const queue::OnOffGroup group = wait_transform_group(5, "0.7", "20");
  queue::WaitTransform transform(group);
  queue::MarkovQueue queue(queue::MarkovArrivals::on_off({group}));
  const queue::ClaimBounds mean = queue::claim_bounds(queue::mean_hop_delay(queue, queue::HopDelay::wait));
  const double step = 1e-7;
  CHECK((wait_transform_middle(transform, 1 + step) - 1) / step ==
        Approx(static_cast<double>(numeric::lower(mean.bounds))).epsilon(1e-5));
  CHECK(numeric::lower(*transform.at(numeric::Real(1))) == 1);
}

TEST_CASE("wait transform: sources without correlation are Bernoulli sources") {
  queue::WaitTransform transform(wait_transform_group(4, "0.6", "2.5"));
  for (const double z : {1.001, 1.4, 2.2}) {
    const double arrivals = std::pow(1 + 0.15 * (z - 1), 4), idle = 0.4;
    const double wait = (idle * (z - 1) * arrivals / (z - arrivals) - idle) / (0.6 * z);
    CHECK(wait_transform_middle(transform, z) == Approx(wait).epsilon(1e-10));
  }
}

TEST_CASE("wait transform: a single source never waits at any load") {
  queue::WaitTransform transform({traffic::on_off(rational("0.9"), {rational("50"), rational("1")}), 1});
  CHECK(wait_transform_middle(transform, 1.7) == Approx(1).epsilon(1e-14));
}

TEST_CASE("wait transform: packets in every slot ON, roots at 0") {
  const queue::OnOffGroup group{traffic::on_off(rational("0.2"), {rational("6"), rational("1")}), 3};
  queue::WaitTransform transform(group);
  CHECK(wait_transform_middle(transform, 1.05) == Approx(wait_power_series(group, 1.05, 800)).epsilon(1e-9));
}

TEST_CASE("wait transform: many sources, long bursts, loads near 1 and near 0") {
  struct Row {
    std::int64_t k;
    const char *load, *burst;
    double z;
  };
  for (const Row& row : {Row{64, "0.8", "1000", 1.001}, Row{64, "0.01", "16", 1.5},
                         Row{16, "0.95", "1000", 1.001}, Row{8, "0.999", "1000000", 1.0000001}}) {
    queue::WaitTransform transform(wait_transform_group(row.k, row.load, row.burst));
    const double found = wait_transform_middle(transform, row.z);
    CHECK(found > 1);
    CHECK(transform.nearly(row.z).value() == Approx(found).epsilon(1e-6));
  }
}

TEST_CASE("wait transform: no value at or above the root; invalid arguments are rejected") {
  const queue::OnOffGroup group = wait_transform_group(4, "0.6", "16");
  queue::WaitTransform transform(group);
  queue::MarkovQueue queue(queue::MarkovArrivals::on_off({group}));
  const double root = std::exp(static_cast<double>(queue.decay_rate().value().lower()));
  CHECK(transform.at(numeric::Real(root * (1 - 1e-6))));
  CHECK_FALSE(transform.at(numeric::Real(root * (1 + 1e-6))));
  CHECK_FALSE(transform.nearly(root * (1 + 1e-6)));
  CHECK_THROWS_AS(transform.at(numeric::Real(0.5)), InvalidArgument);
  CHECK_THROWS_AS(queue::WaitTransform(wait_transform_group(4, "0.6", "2")), InvalidArgument);
  CHECK_THROWS_AS(queue::WaitTransform({group.source, 65}), InvalidArgument);
  CHECK_THROWS_AS(queue::WaitTransform({group.source, 4, ratio(1, 2)}), InvalidArgument);
  CHECK_THROWS_AS(queue::WaitTransform({group.source, 7}), Unstable);
}
