#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/delay/markov_delay.hpp>
#include <tailbound/queue/delay/steps_queue.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Rational;
using numeric::Real;

using Law = std::vector<Rational>;

/// Probability of k of n, each with p.
Law binomial(std::int64_t n, const Rational& p) {
  Law law{1};
  for (std::int64_t i = 0; i < n; ++i) law = numeric::convolved(law, {1 - p, p});
  return law;
}

using Transitions = std::vector<std::vector<Rational>>;

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
  RationalBlocks blocks(static_cast<std::size_t>(m) + 1, Transitions(phases, Law(phases, Rational(0))));
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
  RationalBlocks blocks(m + 1, Transitions(m + 1, std::vector<Rational>(m + 1, Rational(0))));
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
  RationalBlocks result(a.size() + b.size() - 1,
                        Transitions(n * m, std::vector<Rational>(n * m, Rational(0))));
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

/// Divides a slot into `served` steps; its packets arrive in the last one.
RationalBlocks in_steps(const RationalBlocks& slots, std::size_t served) {
  const std::size_t n = slots.front().size(), phases = n * served;
  RationalBlocks blocks(slots.size(), Transitions(phases, std::vector<Rational>(phases, Rational(0))));
  for (std::size_t step = 0; step + 1 < served; ++step)
    for (std::size_t i = 0; i < n; ++i) blocks[0][step * n + i][(step + 1) * n + i] = 1;
  for (std::size_t b = 0; b < slots.size(); ++b)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) blocks[b][(served - 1) * n + i][j] = slots[b][i][j];
  return blocks;
}

void require_phases(double phases, double packets, int served) {
  if (phases * served > static_cast<double>(MarkovArrivals::max_phases) ||
      packets >= static_cast<double>(MarkovArrivals::max_blocks))
    throw NoAnswer(numeric::plain(Rational(static_cast<std::int64_t>(phases))) +
                   " states of the sources at a link that takes " + std::to_string(served) +
                   " packets per slot: their product must be at most " +
                   std::to_string(MarkovArrivals::max_phases) + ", of at most " +
                   std::to_string(MarkovArrivals::max_blocks - 1) + " packets per slot");
}

}  // namespace

RationalBlocks joint_blocks(const std::vector<OnOffGroup>& sources) {
  RationalBlocks all{{{Rational(1)}}};
  for (const OnOffGroup& group : sources) {
    RationalBlocks its;
    if (remembers(group)) {
      its = blocks_of(group);
    } else {
      for (const Rational& probability : binomial(group.count, group.source.load))
        its.push_back({{probability}});
    }
    all = together(all, its);
  }
  return all;
}

StepsQueue steps_queue(const MarkovArrivals& arrivals, int served) {
  RationalBlocks blocks;
  if (const auto* groups = std::get_if<std::vector<OnOffGroup>>(&arrivals.form())) {
    double phases = 1, packets = 0;
    for (const OnOffGroup& group : *groups) {
      const auto count = static_cast<double>(group.count);
      phases *= !remembers(group) ? 1 : group.share == 1 ? count + 1 : (count + 1) * (count + 2) / 2;
      packets += count;
    }
    require_phases(phases, packets, served);
    blocks = joint_blocks(*groups);
  } else if (const auto* its = std::get_if<RationalBlocks>(&arrivals.form())) {
    require_phases(static_cast<double>(its->front().size()), static_cast<double>(its->size() - 1), served);
    blocks = *its;
  } else {
    throw NoAnswer("trains of cells are not supported at a link that serves several cells per slot");
  }
  return {.steps = MarkovArrivals::blocks(in_steps(blocks, static_cast<std::size_t>(served))),
          .served = served,
          .load = arrivals.load()};
}

StepsOccupancy::StepsOccupancy(StepsQueue queue, numeric::Digits digits)
    : queue_(std::move(queue)),
      digits_{std::max(digits.count + 2, 12)},
      steps_((queue_.load >= queue_.served ? throw Unstable(numeric::plain(queue_.load), queue_.served)
                                           : queue_.steps),
             digits_) {}

StepsProbability StepsOccupancy::above(std::int64_t packets) {
  const numeric::PrecisionScope scope(numeric::Precision{numeric::to_precision(digits_).bits + 64});
  Interval sum(0);
  std::optional<int> digits;
  for (std::int64_t at = packets + 1;; at += queue_.served) {
    const ClaimBounds mass = claim_bounds(steps_.probability(at));
    if (mass.agreed_digits) digits = std::min(digits.value_or(*mass.agreed_digits), *mass.agreed_digits);
    sum += mass.bounds;
    const Interval rest = claim_bounds(steps_.tail(at)).bounds;
    if (numeric::upper(rest) <= numeric::lower(sum) * Real(1e-20)) {
      sum += numeric::make_interval(Real(0), numeric::upper(rest));
      break;
    }
  }
  return {Interval(sum * queue_.served), digits};
}

long double StepsOccupancy::mean() {
  long double sum = 0;
  for (std::int64_t n = 0;; ++n) {
    const StepsProbability found = above(n);
    if (found.agreed_digits) agreed_digits_ = std::min(agreed_digits_, *found.agreed_digits);
    const auto value = mpfr_get_ld(numeric::upper(found.bounds).backend().data(), MPFR_RNDN);
    sum += value;
    if (value < sum * 1e-18L) return sum;
    if (n > 1'000'000) throw LimitExceeded("the mean of a queue of more than 1000000 packets");
  }
}

std::int64_t StepsOccupancy::min_level(const Rational& target) {
  const Real maximum = numeric::to_real(target, numeric::Rounding::nearest);
  const auto missed = [&](std::int64_t level) { return numeric::upper(above(level).bounds) > maximum; };
  return 1 + last_that(0, std::int64_t{1} << 60, missed);
}

}  // namespace tailbound::queue
