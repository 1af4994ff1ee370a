#include <tailbound/bounds/crossbar/fifo_inputs.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

// FIFO inputs: values of the formula, its limits, tails that fall and continue.

using namespace tailbound;
using namespace tailbound::bounds;
using Of = FifoInputs::Of;

TEST_CASE("FIFO inputs: values of the formula", "[fifo_inputs]") {
  struct Known {
    std::int64_t ports;
    double load, mean;
  };
  for (const auto& [ports, load, mean] : std::vector<Known>{{16, 0.5, 1.861971},
                                                            {16, 0.55, 4.312523},
                                                            {2, 0.6, 0.877559},
                                                            {64, 0.5, 2.236354},
                                                            {12, 0.4, 0.648231}})
    // The values are of unrounded coefficients; those of the source have six digits.
    CHECK(FifoInputs(ports, load).mean_wait().value == Approx(mean).epsilon(2e-6));
  // The exact chain of two ports.
  CHECK(FifoInputs(2, 0.6).mean_wait().value == Approx(0.8782988883).epsilon(0.001));
  struct Tail {
    std::int64_t ports;
    double load, level, delay, input;
  };
  for (const auto& [ports, load, level, delay, input] :
       std::vector<Tail>{{16, 0.5, 10, 0.0153455, 0.00130676},
                         {16, 0.55, 20, 0.0178075, 0.00151534},
                         {64, 0.5, 10, 0.0264918, 0.00302723}}) {
    const FifoInputs model(ports, load);
    CHECK(model.above(Of::delay, level)->value == Approx(delay).epsilon(1e-5));
    CHECK(model.above(Of::input, level)->value == Approx(input).epsilon(1e-5));
  }
}

TEST_CASE("FIFO inputs: low load and saturation", "[fifo_inputs]") {
  for (const std::int64_t ports : {2, 5, 16, 33, 64}) {
    const double k = static_cast<double>(ports);
    // To first order every cell waits as at an output queue.
    CHECK(FifoInputs(ports, 1e-4).mean_wait().value / 1e-4 == Approx((k - 1) / (2 * k)).epsilon(1e-3));
    const double saturation = FifoInputs(ports, 0.1).saturation();
    const FifoInputs near(ports, saturation * 0.9999);
    CHECK(near.mean_wait().value > 900);
    CHECK_THROWS_AS(FifoInputs(ports, saturation), LoadTooHigh);
  }
  CHECK_THROWS_AS(FifoInputs(1, 0.5), InvalidArgument);
  CHECK_THROWS_AS(FifoInputs(65, 0.5), InvalidArgument);
  CHECK(!FifoInputs(16, 0.2).tails_known());
  CHECK(FifoInputs(16, 0.5).tails_known());
  CHECK(!FifoInputs(16, 0.595).tails_known());
}

TEST_CASE("FIFO inputs: tails fall, and quantiles invert them", "[fifo_inputs]") {
  for (const std::int64_t ports : {2, 3, 7, 16, 64})
    for (const double share : {0.35, 0.5, 0.65, 0.8, 0.95}) {
      const FifoInputs model(ports, share * FifoInputs(ports, 0.1).saturation());
      for (const Of what : {Of::delay, Of::input}) {
        double last = 1;
        for (double level = 0; level < 200; level += 0.5)
          if (const auto tail = model.above(what, level)) {
            CHECK(tail->value < last);
            last = tail->value;
          } else {
            CHECK(last == 1);
          }
        for (const double tail : {0.3, 0.1, 1e-3, 4e-5, 2e-5, 1e-9, 1e-15}) {
          const double level = *model.quantile(what, tail);
          if (level > 0) CHECK(model.above(what, level)->value == Approx(tail).epsilon(1e-6));
        }
        CHECK(!model.quantile(what, 0.31));
        // Continued with the slope at 3e-5: no step there.
        CHECK(*model.quantile(what, 2.9e-5) - *model.quantile(what, 3.1e-5) <
              *model.quantile(what, 1e-5) - *model.quantile(what, 1e-4));
      }
    }
}
