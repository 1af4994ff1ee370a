#include <tailbound/queue/hops/wait_score.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace tailbound::queue;

TEST_CASE("scores of a geometric distribution", "[wait_score]") {
  std::vector<double> mass;
  for (int w = 0; w < 400; ++w) mass.push_back(0.2 * std::pow(0.8, w));
  const std::vector<double> score = wait_score(mass);
  CHECK(score[0] == Approx(-1.035976673).epsilon(1e-9));
  CHECK(score[1] == Approx(-0.731764713).epsilon(1e-9));
  CHECK(score[10] == Approx(1.473131643).epsilon(1e-9));
  CHECK(score[50] == Approx(5.185397943).epsilon(1e-9));
}

TEST_CASE("scores have mean 0 and variance 1, increase, and are 0 for a single atom", "[wait_score]") {
  for (const double zero : {0.05, 0.5, 0.95}) {
    std::vector<double> mass{zero};
    for (int w = 1; w < 60; ++w) mass.push_back((1 - zero) * 0.3 * std::pow(0.7, w - 1));
    double sum = 0;
    for (const double each : mass) sum += each;
    for (double& each : mass) each /= sum;
    const std::vector<double> score = wait_score(mass);
    double mean = 0, square = 0;
    for (std::size_t w = 0; w < mass.size(); ++w) {
      mean += mass[w] * score[w];
      square += mass[w] * score[w] * score[w];
      if (w > 0) CHECK(score[w] > score[w - 1]);
    }
    CHECK(std::abs(mean) < 1e-14);
    CHECK(square == Approx(1).epsilon(1e-13));
  }
  CHECK(wait_score(std::vector<double>{1}) == std::vector<double>{0});
}

TEST_CASE("dependence is limited where a probability would be negative", "[wait_score]") {
  const std::vector<double> x{-1, 2}, y{-0.5, 4};
  CHECK(dependence_within(0.1, x, y) == 0.1);
  CHECK(dependence_within(1, x, y) == Approx(0.25));  // 1 + s (-1) 4 >= 0
  CHECK(dependence_within(1, y, x) == Approx(0.25));
  CHECK(dependence_within(0.7, std::vector<double>{0}, y) == 0.7);
}
