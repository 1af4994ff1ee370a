#include <algorithm>
#include <cmath>
#include <tests/support/random_models.hpp>
#include <tests/support/reference_tail.hpp>

namespace tailbound::test {
namespace {

/// 0.01 .. 0.999 in thousandths; one in four close to 1.
Fraction random_load(Random& random) {
  return Fraction(Whole(random.one_in(4) ? random.between(950, 999) : random.between(10, 999)), Whole(1000));
}

Traffic random_unequal(Random& random) {
  const std::int64_t count = random.between(2, 40);
  const std::int64_t load = random.between(10, 999);
  std::vector<std::int64_t> weights;
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    // Some inputs are silent, some equal, some far above the others.
    weights.push_back(random.one_in(8) ? 0 : random.one_in(4) ? 100 : random.between_magnitudes(1, 1000));
    sum += weights.back();
  }
  std::vector<Fraction> rates;
  for (const std::int64_t weight : weights)
    rates.emplace_back(Whole(weight * load), Whole(1000 * std::max<std::int64_t>(1, sum)));
  return Traffic::unequal(std::move(rates));
}

Traffic random_pmf_traffic(Random& random) {
  const Fraction load = random_load(random);
  return Traffic::pmf(random_pmf(random, random.between(2, 40), load));
}

}  // namespace

std::int64_t Random::between_magnitudes(std::int64_t first, std::int64_t last) {
  // Pick a binary order of magnitude, then a value in it.
  std::int64_t low = first;
  std::int64_t orders = 0;
  for (std::int64_t top = first; top < last; top = 2 * top + 1) ++orders;
  for (std::int64_t i = between(0, std::max<std::int64_t>(0, orders - 1)); i > 0; --i) low = 2 * low + 1;
  return between(std::min(low, last), std::min(2 * low + 1, last));
}

std::vector<Fraction> random_pmf(Random& random, std::int64_t entries, const Fraction& load) {
  // Weights for j >= 1, scaled so that the mean is `load`, or less if P(A >= 1) would exceed 0.99.
  const std::int64_t step = random.one_in(5) ? random.between(2, 5) : 1;  // lattice
  std::vector<Whole> weights(static_cast<std::size_t>(entries), Whole(0));
  Whole sum = 0, moment = 0;
  for (std::int64_t j = step; j < entries; j += step) {
    if (random.one_in(4)) continue;
    const Whole weight =
        random.one_in(3) ? Whole(random.between(1, 1'000'000)) : Whole(random.between(1, 100));
    weights[static_cast<std::size_t>(j)] = weight;
    sum += weight;
    moment += weight * j;
  }
  if (sum == 0) {
    weights[1] = 1;
    sum = moment = 1;
  }
  const Fraction scale = std::min(Fraction(load / moment), Fraction(Fraction(99, 100) / sum));
  std::vector<Fraction> result;
  Fraction rest = 1;
  for (const Whole& weight : weights) {
    result.push_back(weight * scale);
    rest -= result.back();
  }
  result[0] = rest;
  return result;
}

Traffic random_traffic(Random& random) {
  switch (random.between(0, 9)) {
    case 0:
    case 1:
    case 2: {
      const std::int64_t inputs = random.one_in(40) ? 1000 : random.between_magnitudes(1, 200);
      return Traffic::equal(inputs, random_load(random));
    }
    case 3:
    case 4:
      return random_unequal(random);
    case 5:
    case 6:
      return Traffic::poisson(random_load(random));
    default:
      return random_pmf_traffic(random);
  }
}

std::string RandomModel::text() const {
  std::string text = "seed " + std::to_string(seed) + ": " + traffic.text() + "; digits " +
                     std::to_string(digits) + "; levels";
  for (const std::int64_t level : levels) text += " " + std::to_string(level);
  return text;
}

RandomModel random_model(std::uint64_t seed) {
  Random random(seed);
  RandomModel model;
  model.seed = seed;
  model.traffic = random_traffic(random);
  const int digits[] = {10, 20, 38};
  model.digits = digits[random.between(0, 2)];
  const bool costly = random.one_in(100);
  std::int64_t deepest = random.between_magnitudes(1, 2000) - 1;
  if (random.one_in(50)) deepest = 2000;
  while (deepest > 1 && reference_cost(model.traffic, deepest) > (costly ? 3e8 : 1e7))
    deepest = deepest * 3 / 4;
  for (std::int64_t extra = random.between(0, 2); extra > 0; --extra)
    model.levels.push_back(random.between(0, deepest));
  model.levels.push_back(deepest);
  return model;
}

}  // namespace tailbound::test
