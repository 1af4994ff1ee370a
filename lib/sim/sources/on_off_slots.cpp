#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tailbound::sim {
namespace {

using numeric::Rational;

constexpr std::uint64_t odd_slots = 0xaaaaaaaaaaaaaaaaULL;

}  // namespace

OnOffSlots::OnOffSlots(const traffic::OnOff& source) : flips_(source.start + source.stop > 1) {
  if (source.start == 1 && source.stop == 1)
    throw InvalidArgument(
        "burst", "1",
        "above 1 slot at half the on-rate: sources that alternate ON and OFF every slot never change phase");
  const Rational to_on = flips_ ? 1 - source.stop : source.start;
  const Rational to_off = flips_ ? 1 - source.start : source.stop;
  to_on_ = Coin(to_on);
  to_off_ = Coin(to_off / (1 - to_on));
  sends_ = Coin(source.on_rate);
  on_threshold_ = Coin(source.on_fraction()).threshold;
}

bool OnOffSlots::start(RandomKey key, std::uint64_t purpose, std::uint64_t entity) const {
  return random_words(key, purpose, entity, 0)[0] < on_threshold_;
}

OnOffSlots::Block OnOffSlots::slots(RandomKey key, std::uint64_t purpose, std::uint64_t entity,
                                    std::uint64_t block, bool& on) const {
  std::uint64_t set = to_on_.draw(key, purpose + 1, entity, block);
  std::uint64_t reset = ~set & to_off_.draw(key, purpose + 2, entity, block);
  const std::uint64_t inverted = flips_ ? odd_slots : 0;
  if (flips_) {
    // The stored bit of an odd slot is inverted, and a slot determines the next one.
    const std::uint64_t to_one = (set & odd_slots) | (reset & ~odd_slots);
    reset = (reset & odd_slots) | (set & ~odd_slots);
    set = to_one;
  }
  // With the digits a = 1 unless to OFF, b = 1 if to ON, the carry into digit s is the state in slot s.
  const std::uint64_t a = ~reset, b = set;
  const std::uint64_t carries = a ^ b ^ (a + b + static_cast<std::uint64_t>(on));
  on = ((set | (a & carries)) >> 63U) != 0;
  const std::uint64_t states = carries ^ inverted;
  return {states, sends_.certain ? states : states & sends_.draw(key, purpose + 3, entity, block)};
}

SourceMemory memory_of(const traffic::OnOff& source, std::int64_t count, const Rational& share) {
  const double rate = numeric::nearest_double(source.on_rate);
  const double on = numeric::nearest_double(source.on_fraction());
  const double change = numeric::nearest_double(source.start + source.stop);
  const double covariances = rate * rate * on * (1 - on) * std::max(0.0, 1 - change) / change;
  SourceMemory memory{.variance = 2 * static_cast<double>(count) * covariances,
                      .slots = 1 / std::max(1e-9, 1 - std::abs(1 - change))};
  if (share == 1) return memory;
  // A source that was ON here n slots ago is ON here if its burst lasts, (1 - beta)^n, or by another one.
  const double here = numeric::nearest_double(share), stop = numeric::nearest_double(source.stop);
  memory.variance *= here * here;
  memory.variance +=
      2 * static_cast<double>(count) * rate * rate * on * here * (1 - here) * (1 - stop) / stop;
  memory.slots = std::max(memory.slots, 1 / stop);
  return memory;
}

}  // namespace tailbound::sim
