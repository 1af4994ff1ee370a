#include <tailbound/core/error.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/tail_bounds/train_bound.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/ends.hpp>
#include <tests/support/fraction.hpp>
#include <tests/support/markov_chain.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using namespace tailbound::test;
using queue::ExponentialBound;
using queue::MarkovQueue;
using queue::Trains;
using tailbound::test::rational;
using traffic::PacketSizes;

namespace {

Trains imix(std::int64_t inputs, const char* load, bool elsewhere = true) {
  return {.inputs = inputs,
          .load = rational(load),
          .cells = PacketSizes::imix().cells(64),
          .elsewhere = elsewhere};
}

/// Packets of given numbers of cells, "2" or "1:3,2:1".
Trains trains(std::int64_t inputs, const char* load, const char* cells) {
  return {.inputs = inputs, .load = rational(load), .cells = PacketSizes::of_list(cells, "test").cells(1)};
}

template <class Bound>
long double value(const Bound& bound) {
  return static_cast<long double>(bound.value);
}

/// P(Q > n) for n = 0 .. top, truncated at `top`: each input individually (free, r cells left here, r cells
/// left elsewhere).
std::vector<long double> tails_of_inputs(const Trains& model, std::int64_t top) {
  const auto real = [](const numeric::Rational& one) { return numeric::nearest_long_double(one); };
  const long double load = real(model.load), inputs = static_cast<long double>(model.inputs);
  const long double start = load / (load + real(model.cells.mean) * (1 - load));
  const auto longest = static_cast<std::size_t>(model.cells.largest());
  const std::size_t states = 2 * longest - 1;
  PlainBlocks<long double> all{{{1.0L}}};
  for (std::int64_t input = 0; input < model.inputs; ++input) {
    PlainBlocks<long double> one(
        2, std::vector<std::vector<long double>>(states, std::vector<long double>(states)));
    one[0][0][0] = 1 - start;
    for (const traffic::CellClass& size : model.cells.classes) {
      const auto left = static_cast<std::size_t>(size.cells) - 1;
      one[1][0][left] += start / inputs * real(size.share);
      one[0][0][left == 0 ? 0 : longest - 1 + left] += start * (inputs - 1) / inputs * real(size.share);
    }
    for (std::size_t left = 1; left < longest; ++left) {
      one[1][left][left - 1] = 1;
      one[0][longest - 1 + left][left == 1 ? 0 : longest + left - 2] = 1;
    }
    const std::size_t phases = all.front().size();
    PlainBlocks<long double> next(
        all.size() + 1,
        std::vector<std::vector<long double>>(phases * states, std::vector<long double>(phases * states)));
    for (std::size_t b = 0; b < all.size(); ++b)
      for (std::size_t c = 0; c < 2; ++c)
        for (std::size_t i = 0; i < phases; ++i)
          for (std::size_t j = 0; j < phases; ++j)
            for (std::size_t s = 0; s < states; ++s)
              for (std::size_t t = 0; t < states; ++t)
                next[b + c][i * states + s][j * states + t] += all[b][i][j] * one[c][s][t];
    all = std::move(next);
  }
  const auto law = chain_law(all, top);
  std::vector<long double> above(law.size());
  long double sum = 0;
  for (std::size_t n = law.size(); n-- > 0;) {
    above[n] = sum;
    for (const long double mass : law[n]) sum += mass;
  }
  return above;
}

/// The prefactor with the minimum mean weight of a silent input, found by following its conditional
/// distribution through 3 000 slots without a cell: from the stationary distribution, and from the end of a
/// packet.
long double min_prefactor(const Trains& model) {
  const auto real = [](const numeric::Rational& one) { return numeric::nearest_long_double(one); };
  const long double load = real(model.load), k = static_cast<long double>(model.inputs),
                    length = real(model.cells.mean), start = load / (load + length * (1 - load)),
                    elsewhere = start * (k - 1) / k;
  const long double z = std::exp(value(queue::train_bound(model).decay_rate())), w = std::pow(z, 1 / k);
  const auto longest = static_cast<std::size_t>(model.cells.largest());
  std::vector<long double> lengths(longest + 1, 0), above(longest + 1, 0);
  for (const traffic::CellClass& one : model.cells.classes)
    lengths[static_cast<std::size_t>(one.cells)] = real(one.share);
  for (std::size_t r = longest; r-- > 0;) above[r] = above[r + 1] + lengths[r + 1];
  long double minimum = 1;
  for (const bool sent : {false, true}) {
    std::vector<long double> left(longest, 0);  // [r]: r more cells for others, 0 free
    left[0] = 1;
    if (!sent)
      for (std::size_t r = 1; r < longest; ++r) left[r] = elsewhere * above[r];
    for (int slot = 0; slot < 3'000; ++slot) {
      std::vector<long double> next(longest, 0);
      next[0] = left[0] * (1 - start);
      for (std::size_t l = 1; l <= longest; ++l) next[l - 1] += left[0] * elsewhere * lengths[l];
      for (std::size_t r = 1; r < longest; ++r) next[r - 1] += left[r];
      long double mass = 0, mean = 0;
      for (std::size_t r = 0; r < longest; ++r) {
        mass += next[r];
        mean += next[r] * std::pow(w, -static_cast<long double>(r));
      }
      for (long double& one : next) one /= mass;
      minimum = std::min(minimum, mean / mass);
      left = std::move(next);
    }
  }
  long double mean = 1;
  for (std::size_t r = 1; r < longest; ++r)
    mean += above[r] * (start / k * std::pow(z / w, static_cast<long double>(r)) +
                        elsewhere * std::pow(w, -static_cast<long double>(r)));
  mean /= 1 + start * (length - 1);
  return std::pow(mean, k) / std::pow(minimum, k - 2);
}

}  // namespace

TEST_CASE("trains of cells: values from an independent chain", "[queue][trains]") {
  const Trains two = trains(4, "0.8", "2");
  REQUIRE(queue::train_phases(two) == 15);
  const ExponentialBound bound = queue::train_bound(two);
  CHECK(near(value(bound.decay_rate()), 0.2897087443L, 1e-9L));
  // With w^-(Lmax - 1) for each silent input it would be 1.17125; the conditional bound is smaller.
  CHECK(value(bound.prefactor()) < 1.17125L);
  CHECK(value(bound.prefactor()) >= min_prefactor(two) * (1 - 1e-9L));
  const auto chain = queue::train_chain(two);
  REQUIRE(chain);
  CHECK(chain->phases() == 15);
  CHECK(chain->load() == rational("0.8"));
  MarkovQueue queue(*chain);
  CHECK(near(middle(queue.tail(4)), 0.24890744914L, 1e-10L));
  CHECK(near(middle(queue.tail(28)), 2.3725412953e-4L, 1e-10L));
  CHECK(near(middle(queue.loss(10)), 0.010096674088L, 1e-10L));

  const ExponentialBound all = queue::train_bound(imix(16, "0.8"));
  CHECK(near(value(all.decay_rate()), 0.032058771L, 1e-7L));
  CHECK(value(all.prefactor()) < 1.5L);  // 1.9733
  CHECK(value(all.prefactor()) >= min_prefactor(imix(16, "0.8")) * (1 - 1e-9L));
  const ExponentialBound alone = queue::train_bound(imix(16, "0.8", false));
  CHECK(near(value(alone.decay_rate()), 0.033376733L, 1e-7L));
  CHECK(near(value(alone.prefactor()), 1.2157L, 5e-5L));
  CHECK(queue::train_phases(imix(4, "0.8")) == 230'300);
  CHECK_FALSE(queue::train_chain(imix(4, "0.8")));
}

TEST_CASE("trains of cells: the counted chain equals the inputs taken individually", "[queue][trains]") {
  for (const auto& [inputs, cells] :
       {std::pair{2, "2"}, {2, "1:3,2:1"}, {3, "2"}, {2, "3"}, {2, "1:1,3:2"}}) {
    const Trains model = trains(inputs, "0.7", cells);
    const auto chain = queue::train_chain(model);
    REQUIRE(chain);
    CHECK(chain->load() == rational("0.7"));
    CHECK(chain->phases() == queue::train_phases(model));
    MarkovQueue queue(*chain);
    const std::vector<long double> truth = tails_of_inputs(model, 90);
    for (const std::int64_t level : {1, 2, 5, 12})
      CHECK(near(middle(queue.tail(level)), truth[static_cast<std::size_t>(level)], 1e-9L));
  }
}

namespace {

/// Random trains: the bound against the exact chain.
void hold_to_chains(int cases, std::uint64_t seed) {
  Random random(seed);
  double worst = 0;
  for (int i = 0; i < cases; ++i) {
    const std::int64_t inputs = random.between(2, 6), longest = inputs == 2 ? random.between(1, 4) : 2;
    std::string cells;
    for (std::int64_t size = 1; size <= longest; ++size)
      if (size == longest || random.one_in(2))
        cells +=
            (cells.empty() ? "" : ",") + std::to_string(size) + ":" + std::to_string(random.between(1, 9));
    const std::string load = std::to_string(random.between(10, 95)) + "/100";
    INFO(inputs << " inputs, load " << load << ", cells " << cells);
    const Trains model = trains(inputs, load.c_str(), cells.c_str());
    const auto chain = queue::train_chain(model);
    REQUIRE(chain);
    queue::SourceBound bound = queue::source_bound(model);
    MarkovQueue queue(*chain, {4});
    for (const std::int64_t level : {60, 20, 7, 3, 2, 1}) {
      const queue::ProbabilityClaim claim = queue.tail(level);
      const auto* truth = std::get_if<numeric::Enclosure<unit::Probability>>(&claim);
      if (truth == nullptr) continue;
      CHECK(bound.tail(level).value >= truth->lower());
      if (truth->lower() > 0)
        worst = std::max(worst, static_cast<double>(bound.tail(level).value / truth->lower()));
    }
    if (i % 3 == 0)
      for (const std::int64_t capacity : {12, 4, 1}) {
        const queue::ProbabilityClaim claim = queue.loss(capacity);
        if (const auto* truth = std::get_if<numeric::Enclosure<unit::Probability>>(&claim))
          CHECK(bound.loss(capacity).value >= truth->lower());
      }
  }
  INFO(worst);
  CHECK(worst < 3);
}

}  // namespace

TEST_CASE("trains of cells stay below their bound", "[queue][trains][random]") {
  hold_to_chains(80, 81);
}

TEST_CASE("trains of cells stay below their bound: 2 000 cases", "[.full][queue][trains][random]") {
  hold_to_chains(2'000, 82);
}

TEST_CASE("trains of cells: packets of one cell are independent slots", "[queue][trains]") {
  const ExponentialBound bound = queue::train_bound(trains(6, "0.9", "1"));
  CHECK(near(value(bound.prefactor()), 1, 1e-15L));
  const auto chain = queue::train_chain(trains(6, "0.9", "1"));
  REQUIRE(chain);
  CHECK(chain->phases() == 1);
  // Any number of inputs.
  const ExponentialBound many = queue::train_bound(imix(1 << 20, "0.8"));
  const std::int64_t level = many.min_level(rational("1e-12"));
  CHECK(value(many.tail(level)) <= 1e-12L);
  CHECK(value(many.tail(level - 1)) > 1e-12L);
  CHECK(value(queue::train_bound(imix(1, "0.8")).tail(1)) == 0);
}

TEST_CASE("trains of cells: invalid arguments are rejected", "[queue][trains][errors]") {
  CHECK_THROWS_AS(queue::train_bound(imix(0, "0.8")), InvalidArgument);
  CHECK_THROWS_AS(queue::train_bound(imix(4, "0")), InvalidArgument);
  CHECK_THROWS_AS(queue::train_bound(imix(4, "1")), Unstable);
  CHECK_THROWS_AS(queue::train_bound(imix(4, "0.5"), {0}), InvalidArgument);
  CHECK_THROWS_AS(queue::train_bound(trains(4, "0.5", "5000")), LimitExceeded);
}
