#include <tailbound/queue/slotted/exact_tail.hpp>

namespace tailbound::queue {

using numeric::Integer;
using numeric::Rational;

ExactValues::ExactValues(const SlottedQueue& queue, Quantity quantity, std::int64_t last, double max_bits) {
  extend(exact_ladder(queue, static_cast<std::size_t>(last) + 1), quantity, last, max_bits);
}

ExactValues::ExactValues(const SlottedQueue& queue, std::vector<Rational> own, std::int64_t last) {
  Ladder<Rational> ladder = exact_ladder(queue, static_cast<std::size_t>(last) + 1);
  ladder.own_mass = std::move(own);
  extend(ladder, Quantity::ahead_mass, last, 0x1p33);
}

void ExactValues::extend(const Ladder<Rational>& ladder, Quantity quantity, std::int64_t last,
                         double max_bits) {
  const auto reject = [&](double bits) {
    throw LimitExceeded("exact values to level " + std::to_string(last) + " would need about " +
                        std::to_string(static_cast<long>(bits / 8e6)) + " MB; the limit is " +
                        std::to_string(static_cast<long>(max_bits / 8e6)) + " MB");
  };
  // Even the smallest denominators double from level to level.
  const double levels = static_cast<double>(last) + 1;
  if (levels * levels > max_bits) reject(levels * levels);
  const std::vector<Rational> forcing = ladder.forcing(quantity);

  Integer denominator = numeric::denominator(ladder.pivot);
  for (const Rational& entry : ladder.kernel)
    denominator = numeric::lcm(denominator, numeric::denominator(entry));
  forcing_denominator_ = 1;
  for (const Rational& entry : forcing)
    forcing_denominator_ = numeric::lcm(forcing_denominator_, numeric::denominator(entry * denominator));
  const double growth = static_cast<double>(
      std::max<std::size_t>(1, numeric::bit_length(numeric::numerator(ladder.pivot * denominator))));
  if (levels * levels * growth > max_bits) reject(levels * levels * growth);

  // T[n] = g a^(n+1) s[n], a = D P(A=0):  T[n] = (g D c[n]) a^n + sum_j (D b[j] a^(j-1)) T[n-j].
  pivot_ = numeric::numerator(ladder.pivot * denominator);
  const auto count = static_cast<std::size_t>(last) + 1;
  series::RenewalEquation<Integer> equation;
  Integer power = 1;
  for (std::size_t n = 0; n < count; ++n) {
    if (n < ladder.kernel.size())
      equation.kernel.push_back(numeric::numerator(ladder.kernel[n] * denominator) * power);
    if (n < forcing.size())
      equation.forcing.push_back(numeric::numerator(forcing[n] * denominator * forcing_denominator_) * power);
    if (n >= ladder.kernel.size() && n >= forcing.size()) break;
    power = power * pivot_;
  }
  series::extend(equation, scaled_, count);
}

Rational ExactValues::at(std::int64_t n) const {
  const Integer scale = numeric::pow(pivot_, static_cast<long>(n) + 1) * forcing_denominator_;
  return Rational(scaled_[static_cast<std::size_t>(n)]) / scale;
}

}  // namespace tailbound::queue
