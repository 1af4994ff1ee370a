#include <tailbound/bounds/sizing/claim_value.hpp>
#include <tailbound/bounds/sizing/incast_event.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rounding.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Claim;
using numeric::Rational;
using numeric::Real;
using numeric::Theorem;

/// Of a sum of order statistics; of P(peak > B), and of each in the sum of a loss.
constexpr double max_event_products = 4e9, products_of_tail = 3e8, products_of_loss = 2e7;

void require_valid(const IncastEvent& event) {
  const auto require = [](const char* what, std::int64_t value, std::int64_t most) {
    if (value < 1 || value > most)
      throw InvalidArgument(what, std::to_string(value), "1 to " + std::to_string(most));
  };
  require("senders", event.senders, IncastEvent::max_senders);
  require("packets of a sender", event.packets, IncastEvent::max_packets);
  require("spread", event.spread, IncastEvent::max_spread);
  require("packets per slot", event.served, IncastEvent::max_senders);
  if (event.senders <= event.served)
    throw NoAnswer("no queue builds up: " + std::to_string(event.senders) +
                   " senders send no more packets per slot than are served in it");
  if (event.spread > event.packets && event.served > 1)
    throw InvalidArgument("spread", std::to_string(event.spread),
                          "at most the " + std::to_string(event.packets) +
                              " slots of a sender where several packets are served per slot: senders that "
                              "have ended before others start are counted for one per slot only");
}

/// Probabilities of 0, 1, .. of `trials` successes with probability p < 1, up to where the rest is below
/// 1e-40, which is added to `dropped`. Each has at most 10 trials + 8 relative errors.
std::vector<double> successes_of(std::int64_t trials, double p, double& dropped) {
  std::vector<double> law{std::pow(1 - p, static_cast<double>(trials))};
  const double odds = p / (1 - p);
  for (std::int64_t k = 1; k <= trials; ++k) {
    const double ratio = static_cast<double>(trials - k + 1) / static_cast<double>(k) * odds;
    const double next = law.back() * ratio;
    if (ratio < 0.5 && 2 * next < 1e-40) {
      dropped += 2 * next;
      break;
    }
    law.push_back(next);
  }
  return law;
}

/// P(range = d) of N uniform numbers of S, exactly.
std::vector<Rational> law_of_range(std::int64_t count, std::int64_t slots) {
  // (S - d) [(d+1)^N - d^N] + d^N outcomes of S^N have a range of at most d.
  const auto power = [&](std::int64_t base) { return numeric::pow(Rational(base), static_cast<int>(count)); };
  const Rational all = power(slots);
  std::vector<Rational> law;
  Rational before = 0;
  for (std::int64_t d = 0; d < slots; ++d) {
    const Rational lower = power(d), upto = Rational(slots - d) * (power(d + 1) - lower) + lower;
    law.push_back((upto - before) / all);
    before = upto;
  }
  return law;
}

/// P(the sum of the C largest of N uniform numbers of S, minus that of the C smallest, is v), by slots: the
/// numbers are assigned in rising order. Adds the roundings to `units`.
std::vector<long double> law_of_ends(const IncastEvent& event, double& units) {
  const std::int64_t count = event.senders, slots = event.spread, ends = event.served;
  const std::int64_t most = ends * (slots - 1), width = 2 * most + 1;
  const double products = static_cast<double>(slots) * static_cast<double>(count) *
                          static_cast<double>(count) / 2 * static_cast<double>(width);
  if (products > max_event_products)
    throw LimitExceeded(
        "the law of the peak would need more than 4e9 products, which is the limit; give a "
        "smaller --spread");
  const auto place = [&](std::int64_t assigned, std::int64_t value) {
    return static_cast<std::size_t>(assigned * width + value + most);
  };
  std::vector<long double> now(static_cast<std::size_t>((count + 1) * width), 0), next;
  now[place(0, 0)] = 1;
  for (std::int64_t s = 0; s < slots; ++s) {
    next.assign(now.size(), 0);
    for (std::int64_t k = 0; k <= count; ++k) {
      const long double p = 1 / static_cast<long double>(slots - s);
      const std::int64_t left = count - k;
      long double weight = s + 1 == slots ? 0 : std::pow(1 - p, static_cast<long double>(left));
      for (std::int64_t m = 0; m <= left; ++m) {
        if (s + 1 == slots) {
          weight = m == left ? 1 : 0;
        } else if (m > 0) {
          weight *= static_cast<long double>(left - m + 1) / static_cast<long double>(m) * (p / (1 - p));
        }
        if (weight == 0) continue;
        const std::int64_t smallest = std::max<std::int64_t>(0, std::min(k + m, ends) - k),
                           largest = std::max<std::int64_t>(0, k + m - std::max(k, count - ends));
        const std::int64_t shift = (largest - smallest) * s;
        for (std::int64_t v = -most; v <= most; ++v)
          if (const long double mass = now[place(k, v)]; mass > 0)
            next[place(k + m, v + shift)] += mass * weight;
      }
    }
    now.swap(next);
  }
  units = static_cast<double>(slots) * (12.0 * static_cast<double>(count) + 12);
  return {now.begin() + static_cast<std::ptrdiff_t>(place(count, 0)), now.end()};
}

/// [value (1 - gamma), value (1 + gamma) + dropped]
numeric::Enclosure<unit::Probability> enclosed(long double value, double units, int bits, double dropped) {
  const numeric::RelativeError gamma = numeric::relative_error_bound({units}, bits);
  if (!std::isfinite(gamma.units))
    throw LimitExceeded("the event is too long: rounding errors exceed its law");
  const numeric::PrecisionScope scope(numeric::Precision{96});
  Real lower, upper;
  numeric::widen(value, gamma, Real(dropped), bits, lower, upper);
  return {Theorem::incast, lower, std::min(upper, Real(1))};
}

/// The event in blocks of g slots, with trains of L / g: the largest work in the system, W, of the event
/// itself is at most g times that here, plus g - 1.
struct Blocks {
  std::int64_t slots = 1;   ///< g
  std::int64_t length = 1;  ///< L / g
};

/// Work in the system of r senders that have not begun: mass[w - first].
struct Row {
  std::int64_t first = 0;
  std::vector<double> mass{};
};

/// Parts of the mass below this are dropped, and counted.
constexpr double negligible = 1e-45;

/// P(W > level) of the largest work in the system, where all packets of a sender come at once; none if that
/// takes more than `products`.
/// \param dropped  is set to what may be missing
/// \param units    is set to the number of relative errors
std::optional<double> exceeded(const IncastEvent& event, const Blocks& blocks, std::int64_t level,
                               double products, double& dropped, double& units) {
  const std::int64_t senders = event.senders, length = blocks.length;
  const std::int64_t all = (event.spread + blocks.slots - 1) / blocks.slots;
  dropped = 0;
  units = static_cast<double>(all) * (12.0 * static_cast<double>(senders) + 16) + static_cast<double>(level);
  if (level >= senders * length) return 0;
  std::vector<Row> now(static_cast<std::size_t>(senders) + 1), next;
  now.back().mass = {1};
  double beyond = 0, done = 0;
  for (std::int64_t t = 0; t < all; ++t) {
    const std::int64_t rest = event.spread - t * blocks.slots, here = std::min(blocks.slots, rest);
    next.assign(now.size(), {});
    for (std::int64_t r = 1; r <= senders; ++r) {
      Row& row = now[static_cast<std::size_t>(r)];
      if (row.mass.empty()) continue;
      // One unit is served.
      if (row.first > 0) {
        --row.first;
      } else if (row.mass.size() > 1) {
        row.mass[1] += row.mass[0];
        row.mass.erase(row.mass.begin());
      }
      // Work that cannot exceed the level any more, even if all others begin now, needs no place.
      const std::int64_t needed = level - r * length + 1 - row.first;
      std::size_t from = static_cast<std::size_t>(std::max<std::int64_t>(needed, 0)), to = row.mass.size();
      for (; from < to && row.mass[from] < negligible; ++from) dropped += row.mass[from];
      for (; to > from && row.mass[to - 1] < negligible; --to) dropped += row.mass[to - 1];
      if (from >= to) continue;
      const std::int64_t first = row.first + static_cast<std::int64_t>(from);
      const auto count = static_cast<std::int64_t>(to - from);
      const double* const mass = row.mass.data() + from;
      const bool last = here == rest;
      const std::vector<double> law =
          last ? std::vector<double>{}
               : successes_of(r, static_cast<double>(here) / static_cast<double>(rest), dropped);
      const std::int64_t most = last ? r : static_cast<std::int64_t>(law.size()) - 1;
      for (std::int64_t k = last ? r : 0; k <= most; ++k) {
        const double weight = last ? 1 : law[static_cast<std::size_t>(k)];
        // So many stay within the level.
        const std::int64_t fit = std::clamp<std::int64_t>(level - k * length - first + 1, 0, count);
        for (std::int64_t w = fit; w < count; ++w) beyond += weight * mass[w];
        done += static_cast<double>(count);
        if (fit == 0 || r == k) continue;
        Row& target = next[static_cast<std::size_t>(r - k)];
        const std::int64_t place = first + k * length;
        if (target.mass.empty()) target.first = place;
        if (place < target.first) {
          target.mass.insert(target.mass.begin(), static_cast<std::size_t>(target.first - place), 0);
          target.first = place;
        }
        const auto needs = static_cast<std::size_t>(place - target.first + fit);
        if (target.mass.size() < needs) target.mass.resize(needs, 0);
        double* const out = target.mass.data() + (place - target.first);
        for (std::int64_t w = 0; w < fit; ++w) out[w] += weight * mass[w];
      }
    }
    if (done > products) return std::nullopt;
    now.swap(next);
  }
  return beyond;
}

double root_of(const Real& probability) {
  return probability > 0 ? std::sqrt(std::max(0.0, -static_cast<double>(log(probability))))
                         : std::numeric_limits<double>::infinity();
}

}  // namespace

IncastPeak::IncastPeak(const IncastEvent& event) : event_(event) {
  require_valid(event);
  if (event.spread > event.packets) return;
  if (event.served == 1)
    exact_ = law_of_range(event.senders, event.spread);
  else
    law_ = law_of_ends(event, units_);
}

Claim<unit::Probability> IncastPeak::above(std::int64_t buffer, double products) const {
  const std::int64_t worst = event_.worst().value;
  if (buffer >= worst) return numeric::Exact<unit::Probability>{Theorem::incast, Rational(0)};
  const auto short_by =
      static_cast<std::size_t>(worst - buffer);  // the peak exceeds B if it is short by less
  if (!exact_.empty()) {
    Rational sum = 0;
    for (std::size_t d = 0; d < std::min(short_by, exact_.size()); ++d) sum = sum + exact_[d];
    return numeric::Exact<unit::Probability>{Theorem::incast, sum};
  }
  if (!law_.empty()) {
    long double sum = 0;
    for (std::size_t d = 0; d < std::min(short_by, law_.size()); ++d) sum += law_[d];
    return enclosed(sum, units_ + static_cast<double>(law_.size()), 64, 1e-300);
  }
  // The peak is the largest work less L - 1. The blocks are as short as the budget allows.
  const std::int64_t work = buffer + event_.packets - 1;
  for (std::int64_t slots = 1; slots <= event_.packets; ++slots) {
    if (event_.packets % slots != 0) continue;
    if (work < slots - 1) break;
    double dropped = 0, units = 0;
    const auto found = exceeded(event_, {slots, event_.packets / slots}, (work - (slots - 1)) / slots,
                                products, dropped, units);
    if (!found) continue;
    const auto both = enclosed(*found, units, 53, dropped + 1e-300);
    if (slots == 1) return both;
    return numeric::UpperBound<unit::Probability>{both.proof(), both.upper()};
  }
  throw LimitExceeded("the law of the peak would need more than " +
                      std::to_string(static_cast<std::int64_t>(products)) +
                      " products, which is the limit; give fewer senders or a smaller --spread");
}

Claim<unit::Probability> IncastPeak::loss(std::int64_t buffer) const {
  const std::int64_t worst = event_.worst().value, sent = event_.senders * event_.packets;
  if (buffer >= worst) return numeric::Exact<unit::Probability>{Theorem::incast, Rational(0)};
  if (buffer == 0) return numeric::Exact<unit::Probability>{Theorem::incast, Rational(1)};
  // Fewer than are served in a slot: all of them leave in it, and more may be lost than the peak exceeds.
  if (buffer < event_.served)
    return numeric::UpperBound<unit::Probability>{Theorem::incast,
                                                  max_value(above(buffer, products_of_tail))};
  const auto excess = static_cast<std::size_t>(worst - buffer);
  if (!exact_.empty()) {
    Rational sum = 0;
    for (std::size_t d = 0; d < std::min(excess, exact_.size()); ++d)
      sum = sum + exact_[d] * Rational(static_cast<std::int64_t>(excess - d));
    return numeric::Exact<unit::Probability>{Theorem::incast, sum / Rational(sent)};
  }
  if (!law_.empty()) {
    long double sum = 0;
    for (std::size_t d = 0; d < std::min(excess, law_.size()); ++d)
      sum += law_[d] * static_cast<long double>(excess - d);
    return enclosed(sum / static_cast<long double>(sent), units_ + static_cast<double>(law_.size()) + 3, 64,
                    1e-300);
  }
  // Between two times without a full queue the buffer loses what the infinite queue rises above it, at most
  // peak - B; it empties in B slots at least. E[(peak - B)^+] is the sum of P(peak > b), which falls with b.
  Rational excess_bound = 0;
  for (std::int64_t b = buffer, step = 1; b < worst; b += std::exchange(step, b == buffer ? 1 : 2 * step)) {
    const Rational beyond = numeric::to_rational(max_value(above(b, products_of_loss)));
    const bool last = beyond * Rational(worst - b) * 1000 <= excess_bound;
    excess_bound = excess_bound + beyond * Rational(last ? worst - b : std::min(step, worst - b));
    if (last) break;
  }
  const Rational times(1 + (event_.spread + event_.packets) / std::max<std::int64_t>(buffer, 1));
  const Rational crude =
      numeric::to_rational(max_value(above(buffer, products_of_tail))) * Rational(sent - buffer);
  return numeric::UpperBound<unit::Probability>{
      Theorem::incast,
      numeric::to_real(std::min(times * excess_bound, crude) / Rational(sent), numeric::Rounding::up)};
}

Claim<unit::Probability> IncastPeak::at(Packets buffer, Criterion criterion) {
  if (buffer.value < 0)
    throw InvalidArgument("buffer", std::to_string(buffer.value), "a whole number of packets, 0 or more");
  return criterion == Criterion::overflow ? above(buffer.value, products_of_tail) : loss(buffer.value);
}

Packets IncastPeak::min_buffer(const Rational& target, Criterion criterion) {
  if (!(target > 0 && target < 1))
    throw InvalidArgument("target", numeric::to_fraction(target), "a probability above 0 and below 1");
  // The root of the exponent of the criterion is about linear in B: between two buffers the crossing is
  // guessed by it, and the other side is tried next to a guess.
  struct Trial {
    std::int64_t buffer;
    double root;
  };
  const double wanted = root_of(numeric::to_real(target, numeric::Rounding::nearest));
  Trial missed{-1, 0}, met{event_.worst().value, 0};
  const auto meets = [&](std::int64_t buffer) {
    const Real value = max_value(at(Packets(buffer), criterion));
    const bool enough = numeric::compare(value, target) <= 0;
    (enough ? met : missed) = Trial{buffer, root_of(value)};
    return enough;
  };
  // The peak is about that far below the worst on average, and much further hardly ever.
  const std::int64_t ends = event_.served * (event_.spread - 1);
  std::int64_t guess = std::max<std::int64_t>(met.buffer - ends + ends / 8, met.buffer / 8);
  while (missed.buffer + 1 < met.buffer) {
    guess = std::clamp(guess, missed.buffer + 1, met.buffer - 1);
    const bool enough = meets(guess);
    if (missed.buffer + 1 >= met.buffer) break;
    if (missed.root > 0 && met.root > missed.root && std::isfinite(met.root)) {
      const double share = (wanted - missed.root) / (met.root - missed.root);
      const std::int64_t crossing =
          missed.buffer + std::llround(share * static_cast<double>(met.buffer - missed.buffer));
      // Beyond the crossing by a tenth of the distance lies the other side.
      const std::int64_t further = 1 + std::abs(crossing - guess) / 10;
      guess = enough ? crossing - further : crossing + further;
    } else {
      guess = missed.buffer + (met.buffer - missed.buffer) / 2;
    }
  }
  return Packets(met.buffer);
}

}  // namespace tailbound::bounds
