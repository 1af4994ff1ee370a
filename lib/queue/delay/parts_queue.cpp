#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/delay/markov_delay.hpp>
#include <tailbound/queue/delay/parts_queue.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Rational;
using numeric::Real;

constexpr std::size_t max_packets = 1000;
constexpr std::int64_t max_slots = std::int64_t{1} << 20;

using Law = std::vector<Rational>;

/// Adds a source that sends a packet with probability `rate`.
void add_source(Law& law, const Rational& rate) {
  law = numeric::convolved(law, {1 - rate, rate});
}

/// P(A = j).
Law law_of(const series::Arrivals& packets) {
  const auto reject_beyond = [](std::size_t count) {
    if (count > max_packets)
      throw NoAnswer(
          "a link that serves a fraction of a packet per slot is supported with up to 1000 sources; this "
          "has " +
          std::to_string(count));
  };
  Law law{1};
  const auto& description = packets.description();
  if (const auto* equal = std::get_if<series::EqualInputs>(&description)) {
    reject_beyond(static_cast<std::size_t>(equal->inputs));
    for (std::int64_t i = 0; i < equal->inputs; ++i) add_source(law, equal->load / Rational(equal->inputs));
  } else if (const auto* unequal = std::get_if<series::UnequalInputs>(&description)) {
    reject_beyond(unequal->rates.size());
    for (const Rational& rate : unequal->rates) add_source(law, rate);
  } else if (const auto* pmf = std::get_if<series::PmfArrivals>(&description)) {
    reject_beyond(pmf->probabilities.size());
    law = pmf->probabilities;
  } else {
    throw InvalidArgument(
        "arrivals", "Poisson or a formula",
        "a list of probabilities or independent inputs if the link serves a fraction of a packet per slot");
  }
  return law;
}

/// Probability of k of n, each with p.
Law binomial(std::int64_t n, const Rational& p) {
  Law law{1};
  for (std::int64_t i = 0; i < n; ++i) add_source(law, p);
  return law;
}

using Matrix = std::vector<std::vector<Rational>>;

/// Is a source that has just sent more likely to send, or less?
bool remembers(const OnOffGroup& group) {
  return group.share != 1 || group.source.start + group.source.stop != 1;
}

/// [b][i][j] of identical sources of which only a share of the bursts comes here; the phases are the numbers
/// of sources ON here and ON elsewhere.
RationalBlocks shared_blocks_of(const OnOffGroup& group) {
  const std::int64_t m = group.count;
  std::vector<std::vector<std::size_t>> phase(static_cast<std::size_t>(m) + 1);
  std::size_t phases = 0;
  for (std::int64_t here = 0; here <= m; ++here)
    for (std::int64_t elsewhere = 0; elsewhere <= m - here; ++elsewhere)
      phase[static_cast<std::size_t>(here)].push_back(phases++);
  std::vector<Law> stays, turns, comes, sends;
  for (std::int64_t n = 0; n <= m; ++n) {
    stays.push_back(binomial(n, 1 - group.source.stop));
    turns.push_back(binomial(n, group.source.start));
    comes.push_back(binomial(n, group.share));
    sends.push_back(binomial(n, group.source.on_rate));
  }
  RationalBlocks blocks(static_cast<std::size_t>(m) + 1, Matrix(phases, Law(phases, Rational(0))));
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  for (std::int64_t here = 0; here <= m; ++here)
    for (std::int64_t elsewhere = 0; elsewhere <= m - here; ++elsewhere) {
      Law next(phases, Rational(0));
      const std::int64_t off = m - here - elsewhere;
      for (std::int64_t a = 0; a <= here; ++a)
        for (std::int64_t b = 0; b <= elsewhere; ++b)
          for (std::int64_t turned = 0; turned <= off; ++turned) {
            const Rational path =
                stays[size(here)][size(a)] * stays[size(elsewhere)][size(b)] * turns[size(off)][size(turned)];
            for (std::int64_t c = 0; c <= turned; ++c) {
              Rational& its = next[phase[size(a + c)][size(b + turned - c)]];
              its = its + path * comes[size(turned)][size(c)];
            }
          }
      const std::size_t from = phase[size(here)][size(elsewhere)];
      for (std::int64_t sent = 0; sent <= here; ++sent)
        for (std::size_t to = 0; to < phases; ++to)
          blocks[size(sent)][from][to] = next[to] * sends[size(here)][size(sent)];
    }
  return blocks;
}

/// [b][i][j] of identical sources; the phase is the number of ON sources.
RationalBlocks blocks_of(const OnOffGroup& group) {
  if (group.share != 1) return shared_blocks_of(group);
  const auto m = static_cast<std::size_t>(group.count);
  RationalBlocks blocks(m + 1, Matrix(m + 1, std::vector<Rational>(m + 1, Rational(0))));
  for (std::size_t on = 0; on <= m; ++on) {
    const auto n = static_cast<std::int64_t>(on);
    const Law stay = binomial(n, 1 - group.source.stop), turn = binomial(group.count - n, group.source.start),
              sent = binomial(n, group.source.on_rate);
    for (std::size_t kept = 0; kept < stay.size(); ++kept)
      for (std::size_t turned = 0; turned < turn.size(); ++turned)
        for (std::size_t b = 0; b < sent.size(); ++b) {
          Rational& its = blocks[b][on][kept + turned];
          its = its + stay[kept] * turn[turned] * sent[b];
        }
  }
  return blocks;
}

/// Superposition of two independent processes.
RationalBlocks together(const RationalBlocks& a, const RationalBlocks& b) {
  const std::size_t n = a.front().size(), m = b.front().size();
  RationalBlocks result(a.size() + b.size() - 1, Matrix(n * m, std::vector<Rational>(n * m, Rational(0))));
  for (std::size_t x = 0; x < a.size(); ++x)
    for (std::size_t y = 0; y < b.size(); ++y)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          if (a[x][i][j] == 0) continue;
          for (std::size_t k = 0; k < m; ++k)
            for (std::size_t l = 0; l < m; ++l) {
              Rational& its = result[x + y][i * m + k][j * m + l];
              its = its + a[x][i][j] * b[y][k][l];
            }
        }
  return result;
}

/// Divides a slot into `served` steps; packets of `of_packet` parts arrive in the last one.
RationalBlocks in_steps(const RationalBlocks& slots, std::size_t served, std::size_t of_packet) {
  const std::size_t n = slots.front().size(), phases = n * served;
  RationalBlocks blocks((slots.size() - 1) * of_packet + 1,
                        Matrix(phases, std::vector<Rational>(phases, Rational(0))));
  for (std::size_t step = 0; step + 1 < served; ++step)
    for (std::size_t i = 0; i < n; ++i) blocks[0][step * n + i][(step + 1) * n + i] = 1;
  for (std::size_t b = 0; b < slots.size(); ++b)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) blocks[b * of_packet][(served - 1) * n + i][j] = slots[b][i][j];
  return blocks;
}

}  // namespace

PartsQueue parts_queue(const series::Arrivals& packets, int served, int of_packet) {
  const Law law = law_of(packets);
  Law parts((law.size() - 1) * static_cast<std::size_t>(of_packet) + 1, Rational(0));
  for (std::size_t n = 0; n < law.size(); ++n) parts[n * static_cast<std::size_t>(of_packet)] = law[n];
  return {.parts = SlottedQueue{series::Arrivals::from_pmf(std::move(parts)), served},
          .served = served,
          .of_packet = of_packet,
          .load = *packets.load()};
}

PartsQueue parts_queue(const std::vector<OnOffGroup>& sources, int served, int of_packet) {
  double phases = served, packets = 0;
  Rational load = 0;
  for (const OnOffGroup& group : sources) {
    const auto count = static_cast<double>(group.count);
    phases *= !remembers(group) ? 1 : group.share == 1 ? count + 1 : (count + 1) * (count + 2) / 2;
    packets += count;
    load = load + group.source.load * Rational(group.count) * group.share;
  }
  if (phases > static_cast<double>(MarkovArrivals::max_phases) ||
      packets * of_packet >= static_cast<double>(MarkovArrivals::max_blocks))
    throw NoAnswer("bursts at a link that takes " + std::to_string(served) +
                   (of_packet == 1 ? "" : "/" + std::to_string(of_packet)) +
                   " packets per slot: the states of its sources times " + std::to_string(served) +
                   " are more than " + std::to_string(MarkovArrivals::max_phases) +
                   ". Use simulate tree --network FILE to estimate its delays");
  std::optional<RationalBlocks> all;
  for (const OnOffGroup& group : sources) {
    RationalBlocks its;
    if (remembers(group)) {
      its = blocks_of(group);
    } else {
      for (const Rational& probability : binomial(group.count, group.source.load))
        its.push_back({{probability}});
    }
    all = all ? together(*all, its) : std::move(its);
  }
  return {.parts = MarkovArrivals::blocks(
              in_steps(*all, static_cast<std::size_t>(served), static_cast<std::size_t>(of_packet))),
          .served = served,
          .of_packet = of_packet,
          .load = load};
}

PartsQueue parts_queue(const MarkovArrivals& arrivals, int served, int of_packet) {
  if (const auto* groups = std::get_if<std::vector<OnOffGroup>>(&arrivals.form()))
    return parts_queue(*groups, served, of_packet);
  const auto* blocks = std::get_if<RationalBlocks>(&arrivals.form());
  if (blocks == nullptr)
    throw NoAnswer("trains of cells are not supported at a link that serves several cells per slot");
  if (blocks->front().size() * static_cast<std::size_t>(served) > MarkovArrivals::max_phases ||
      (blocks->size() - 1) * static_cast<std::size_t>(of_packet) >= MarkovArrivals::max_blocks)
    throw NoAnswer(std::to_string(blocks->front().size()) + " phases at a link that takes " +
                   std::to_string(served) + " packets per slot: their product must be at most " +
                   std::to_string(MarkovArrivals::max_phases));
  return {.parts = MarkovArrivals::blocks(
              in_steps(*blocks, static_cast<std::size_t>(served), static_cast<std::size_t>(of_packet))),
          .served = served,
          .of_packet = of_packet,
          .load = arrivals.load()};
}

PartsDelay::PartsDelay(PartsQueue queue, numeric::Digits digits)
    : queue_(std::move(queue)), digits_{std::max(digits.count + 2, 12)} {
  if (const auto* slotted = std::get_if<SlottedQueue>(&queue_.parts)) require_stable(*slotted);
  const Rational parts = queue_.load * queue_.of_packet;
  if (parts >= queue_.served) throw Unstable(numeric::plain(parts), queue_.served);
}

MarkovQueue& PartsDelay::steps() {
  if (!steps_) steps_ = std::make_unique<MarkovQueue>(std::get<MarkovArrivals>(queue_.parts), digits_);
  return *steps_;
}

std::size_t PartsDelay::longest() const {
  return static_cast<std::size_t>(max_slots / queue_.served);
}

const PartsDelay::Ahead& PartsDelay::ahead(std::size_t size, double log2_min) {
  if (ahead_.mass.size() >= size && log2_min_ <= log2_min) return ahead_;
  log2_min_ = std::min(log2_min_, log2_min);
  if (const auto* slotted = std::get_if<SlottedQueue>(&queue_.parts)) {
    series::Distribution<long double> law = ahead_law(*slotted, size, log2_min_);
    ahead_ = {std::move(law.mass), law.tail.back()};
    return ahead_;
  }
  ClaimedHopDelay law = hop_delay(steps(), HopDelay::wait, size);
  if (law.agreed_digits) agreed_digits_ = std::min(agreed_digits_, *law.agreed_digits);
  agreed_digits_ = std::min(agreed_digits_, digits_.count);
  ahead_ = {std::move(law.values.mass), law.values.tail.back()};
  return ahead_;
}

series::Distribution<long double> PartsDelay::law(std::size_t size, double log2_min) {
  if (size > longest())
    throw LimitExceeded("delays to " + std::to_string(size) + " slots are beyond the limit of " +
                        std::to_string(longest()) + " slots");
  const auto p = static_cast<std::size_t>(queue_.served), q = static_cast<std::size_t>(queue_.of_packet);
  // P(X > m) for m < places; the rest must be negligible.
  const std::size_t places = size * p;
  std::vector<long double> above;
  for (std::size_t more = std::max<std::size_t>(8 * q, 256);; more *= 2) {
    const Ahead& known = ahead(places + q + more, log2_min);
    // Sums from the far end: smallest terms first.
    above.assign(known.mass.size(), 0);
    for (std::size_t m = above.size() - q; m-- > 0;)
      above[m] = above[m + q] + known.mass[m + q] * static_cast<long double>(q);
    const long double rest = known.rest * static_cast<long double>(q);
    if (rest <= above[places - 1] * 1e-16L || places + q + more > std::size_t{1} << 22) break;
    if (above[places - 1] < std::ldexp(1.0L, static_cast<int>(std::max(log2_min, -16'000.0)))) break;
  }
  series::Distribution<long double> result;
  result.bits = std::numeric_limits<long double>::digits;
  long double before = 1;
  for (std::size_t t = 0; t < size; ++t) {
    const std::size_t served = p * (t + 1);
    const long double tail = served < q ? 1 : above[served - q];
    result.tail.push_back(tail);
    result.mass.push_back(std::max(0.0L, before - tail));
    before = tail;
  }
  result.mass_units = result.tail_units = 64 + std::ldexp(std::pow(10.0, -agreed_digits_), result.bits);
  result.mass_error = result.tail_error = 0x1p-16300L;
  return result;
}

long double PartsDelay::mean() {
  for (std::size_t size = 256;; size *= 4) {
    const series::Distribution<long double> known = law(std::min(size, longest()), -120);
    long double sum = 0;
    for (std::size_t t = known.tail.size(); t-- > 0;) sum += known.tail[t];
    if (known.tail.back() * static_cast<long double>(known.tail.size()) < 1e-17L || size >= longest())
      return sum;
  }
}

PartsProbability PartsDelay::above(std::int64_t packets) {
  const std::int64_t level = packets * queue_.of_packet;
  const numeric::PrecisionScope scope(numeric::Precision{numeric::to_precision(digits_).bits + 64});
  if (const auto* slotted = std::get_if<SlottedQueue>(&queue_.parts)) {
    const LevelProbability tail = occupancy_tail(*slotted, Packets(level), {.digits = digits_});
    return {std::visit(
                [](const auto& its) {
                  if constexpr (requires { its.value; })
                    return numeric::to_interval(its.value);
                  else
                    return numeric::make_interval(its.lower(), its.upper());
                },
                tail.probability),
            std::nullopt};
  }
  Interval sum(0);
  std::optional<int> digits;
  for (std::int64_t at = level + 1;; at += queue_.served) {
    const ClaimBounds mass = claim_bounds(steps().probability(at));
    if (mass.agreed_digits) digits = std::min(digits.value_or(*mass.agreed_digits), *mass.agreed_digits);
    sum += mass.bounds;
    const Interval rest = claim_bounds(steps().tail(at)).bounds;
    if (numeric::upper(rest) <= numeric::lower(sum) * Real(1e-20)) {
      sum += numeric::make_interval(Real(0), numeric::upper(rest));
      break;
    }
  }
  return {Interval(sum * queue_.served), digits};
}

long double PartsDelay::mean_packets() {
  long double sum = 0;
  for (std::int64_t n = 0;; ++n) {
    const PartsProbability found = above(n);
    if (found.agreed_digits) agreed_digits_ = std::min(agreed_digits_, *found.agreed_digits);
    const auto value = mpfr_get_ld(numeric::upper(found.bounds).backend().data(), MPFR_RNDN);
    sum += value;
    if (value < sum * 1e-18L) return sum;
    if (n > 1'000'000) throw LimitExceeded("the mean of a queue of more than 1000000 packets");
  }
}

std::int64_t PartsDelay::min_level(const Rational& target) {
  if (const auto* slotted = std::get_if<SlottedQueue>(&queue_.parts)) {
    const std::int64_t parts = queue::min_level(*slotted, target, {.digits = digits_}).level.value;
    return (parts + queue_.of_packet - 1) / queue_.of_packet;
  }
  const Real maximum = numeric::to_real(target, numeric::Rounding::nearest);
  const auto missed = [&](std::int64_t level) { return numeric::upper(above(level).bounds) > maximum; };
  return 1 + last_that(0, std::int64_t{1} << 60, missed);
}

}  // namespace tailbound::queue
