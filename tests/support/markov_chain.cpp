#include <algorithm>
#include <map>
#include <tests/support/markov_chain.hpp>

namespace tailbound::test {
namespace {

Fraction binomial(std::int64_t n, std::int64_t k, const Fraction& p) {
  if (k < 0 || k > n) return 0;
  Fraction value = 1;
  for (std::int64_t i = 0; i < k; ++i) value *= Fraction(Whole(n - i), Whole(i + 1)) * p;
  for (std::int64_t i = k; i < n; ++i) value *= 1 - p;
  return value;
}

PlainBlocks<Fraction> empty_blocks(std::size_t batches, std::size_t phases) {
  return PlainBlocks<Fraction>(
      batches, std::vector<std::vector<Fraction>>(phases, std::vector<Fraction>(phases, Fraction(0))));
}

Fraction hundredths(std::int64_t n) {
  return Fraction(Whole(n), Whole(100));
}

}  // namespace

PlainBlocks<Fraction> product_blocks(const std::vector<traffic::OnOff>& sources) {
  const std::size_t phases = std::size_t{1} << sources.size();
  PlainBlocks<Fraction> blocks = empty_blocks(sources.size() + 1, phases);
  for (std::size_t i = 0; i < phases; ++i)
    for (std::size_t j = 0; j < phases; ++j)
      for (std::size_t sending = 0; sending < phases; ++sending) {
        Fraction probability = 1;
        std::size_t packets = 0;
        for (std::size_t s = 0; s < sources.size(); ++s) {
          const bool on = (i >> s) & 1U, then_on = (j >> s) & 1U, sends = (sending >> s) & 1U;
          const Fraction start = fraction_of(sources[s].start), stop = fraction_of(sources[s].stop);
          const Fraction rate = on ? fraction_of(sources[s].on_rate) : Fraction(0);
          const Fraction turn = on ? stop : start;
          probability *= (on == then_on ? Fraction(1 - turn) : turn) * (sends ? rate : Fraction(1 - rate));
          packets += sends ? 1 : 0;
        }
        blocks[packets][i][j] += probability;
      }
  return blocks;
}

PlainBlocks<Fraction> counted_blocks(const traffic::OnOff& source, std::int64_t count) {
  const auto size = static_cast<std::size_t>(count) + 1;
  const Fraction start = fraction_of(source.start), stop = fraction_of(source.stop),
                 rate = fraction_of(source.on_rate);
  PlainBlocks<Fraction> blocks = empty_blocks(size, size);
  for (std::int64_t i = 0; i <= count; ++i)
    for (std::int64_t j = 0; j <= count; ++j) {
      Fraction change = 0;
      for (std::int64_t stopped = 0; stopped <= i; ++stopped)
        change += binomial(i, stopped, stop) * binomial(count - i, j - i + stopped, start);
      for (std::int64_t b = 0; b <= i; ++b)
        blocks[static_cast<std::size_t>(b)][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
            change * binomial(i, b, rate);
    }
  return blocks;
}

PlainBlocks<Fraction> lumped_blocks(const std::vector<queue::OnOffGroup>& groups) {
  using Phase = std::vector<std::int64_t>;  // here, elsewhere of each group
  std::vector<Phase> phases{{}};
  std::int64_t packets = 0;
  for (const queue::OnOffGroup& group : groups) {
    packets += group.count;
    std::vector<Phase> longer;
    for (const Phase& phase : phases)
      for (std::int64_t here = 0; here <= group.count; ++here)
        for (std::int64_t other = 0; here + other <= group.count; ++other) {
          if (group.share == 1 && other > 0) continue;
          longer.push_back(phase);
          longer.back().push_back(here);
          longer.back().push_back(other);
        }
    phases = std::move(longer);
  }
  std::map<Phase, std::size_t> place;
  for (std::size_t i = 0; i < phases.size(); ++i) place[phases[i]] = i;
  PlainBlocks<Fraction> blocks(
      static_cast<std::size_t>(packets) + 1,
      std::vector<std::vector<Fraction>>(phases.size(), std::vector<Fraction>(phases.size(), Fraction(0))));
  for (std::size_t i = 0; i < phases.size(); ++i) {
    std::map<std::pair<std::int64_t, Phase>, Fraction> law{{{0, Phase(phases[i].size(), 0)}, Fraction(1)}};
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Fraction start = fraction_of(groups[g].source.start), stop = fraction_of(groups[g].source.stop),
                     rate = fraction_of(groups[g].source.on_rate), share = fraction_of(groups[g].share);
      for (std::int64_t s = 0; s < groups[g].count; ++s) {
        const bool here = s < phases[i][2 * g], other = !here && s < phases[i][2 * g] + phases[i][2 * g + 1];
        std::map<std::pair<std::int64_t, Phase>, Fraction> next;
        for (const auto& known : law) {
          const auto add = [&](std::int64_t sent, int then, const Fraction& p) {
            if (p == 0) return;
            auto to = known.first;
            to.first += sent;
            if (then > 0) ++to.second[2 * g + static_cast<std::size_t>(then) - 1];
            next[to] += known.second * p;
          };
          for (const std::int64_t sent : {0, 1}) {
            const Fraction sends = here ? (sent == 1 ? rate : Fraction(1 - rate)) : Fraction(1 - sent);
            if (!here && !other) {
              add(sent, 0, sends * (1 - start));
              add(sent, 1, sends * start * share);
              add(sent, 2, sends * start * (1 - share));
            } else {
              add(sent, 0, sends * stop);
              add(sent, here ? 1 : 2, sends * (1 - stop));
            }
          }
        }
        law = std::move(next);
      }
    }
    for (const auto& [state, probability] : law)
      blocks[static_cast<std::size_t>(state.first)][i][place.at(state.second)] += probability;
  }
  return blocks;
}

queue::RationalBlocks to_rational(const PlainBlocks<Fraction>& blocks) {
  queue::RationalBlocks result;
  for (const auto& rows : blocks) {
    result.emplace_back();
    for (const auto& row : rows) {
      result.back().emplace_back();
      for (const Fraction& entry : row) result.back().back().push_back(to_rational(entry));
    }
  }
  return result;
}

Fraction chain_loss(const PlainBlocks<Fraction>& blocks, std::int64_t top) {
  const auto law = chain_law(blocks, top);
  Fraction lost = 0, offered = 0;
  for (std::int64_t n = 0; n <= top; ++n)
    for (std::size_t i = 0; i < blocks.front().size(); ++i)
      for (std::size_t b = 0; b < blocks.size(); ++b)
        for (const Fraction& entry : blocks[b][i]) {
          const Fraction rate = law[static_cast<std::size_t>(n)][i] * entry;
          const auto packets = static_cast<std::int64_t>(b);
          offered += rate * packets;
          lost += rate * std::max<std::int64_t>(std::max<std::int64_t>(n - 1, 0) + packets - top, 0);
        }
  return lost / offered;
}

MarkovModel random_on_off(Random& random, const OnOffRange& range) {
  for (;;) {
    const std::int64_t count = random.between(1, range.sources);
    const Fraction load = hundredths(random.between(5, range.percent));
    const Fraction on_rate = random.one_in(2) ? Fraction(1) : hundredths(random.between(20, 99));
    const Fraction burst = hundredths(random.between_magnitudes(100, range.burst));
    // Either every source sends 1/count of its packets here, or all of them.
    const bool part = random.one_in(2);
    const Fraction each = part ? load : load / count;
    if (each >= on_rate || burst < std::max(Fraction(1), Fraction(each / (on_rate - each)))) continue;
    traffic::OnOff source = traffic::on_off(to_rational(each), {to_rational(burst), to_rational(on_rate)});
    if (part) source = traffic::thinned(source, to_rational(Fraction(Whole(1), Whole(count))));
    return {queue::MarkovArrivals::on_off({{source, count}}), counted_blocks(source, count),
            std::to_string(count) + " sources of load " + each.str() + ", burst " + burst.str() +
                ", on-rate " + on_rate.str() + (part ? ", a part each" : "")};
  }
}

queue::OnOffGroup random_group(Random& random, bool every_slot, const OnOffRange& range) {
  for (;;) {
    const std::int64_t count = random.between(1, range.sources);
    const Fraction share = hundredths(random.between(5, 95));
    const Fraction here = hundredths(random.between(5, range.percent));  // load of the queue
    const Fraction on_rate = every_slot ? Fraction(1) : hundredths(random.between(30, 99));
    const Fraction load = here / (share * count);
    const Fraction burst = hundredths(random.between_magnitudes(100, range.burst));
    if (load >= on_rate || burst < std::max(Fraction(1), Fraction(load / (on_rate - load)))) continue;
    return {traffic::on_off(to_rational(load), {to_rational(burst), to_rational(on_rate)}), count,
            to_rational(share)};
  }
}

std::string text(const queue::OnOffGroup& group) {
  return std::to_string(group.count) + " sources, alpha " + numeric::to_fraction(group.source.start) +
         ", beta " + numeric::to_fraction(group.source.stop) + ", rate " +
         numeric::to_fraction(group.source.on_rate) + ", share " + numeric::to_fraction(group.share);
}

MarkovModel random_blocks(Random& random) {
  const auto phases = static_cast<std::size_t>(random.between(1, 6));
  const auto batches = static_cast<std::size_t>(random.between(2, 5));
  PlainBlocks<Fraction> blocks = empty_blocks(batches, phases);
  for (std::size_t i = 0; i < phases; ++i) {
    Fraction sum = 0;
    for (std::size_t b = 0; b < batches; ++b)
      for (std::size_t j = 0; j < phases; ++j) {
        const bool always = j == (i + 1) % phases && b < 2;  // a ring through all phases; some packets
        if (!always && random.one_in(3)) continue;
        blocks[b][i][j] = random.between_magnitudes(1, 200);
        sum += blocks[b][i][j];
      }
    for (auto& rows : blocks)
      for (Fraction& entry : rows[i]) entry /= sum;
  }
  // Packets are removed at random until the load is reached.
  const Fraction maximum = fraction_of(queue::MarkovArrivals::blocks(to_rational(blocks)).load());
  const Fraction load = hundredths(random.between(5, 90));
  const Fraction kept = std::min(Fraction(1), Fraction(load / maximum));
  for (std::size_t i = 0; i < phases; ++i)
    for (std::size_t j = 0; j < phases; ++j)
      for (std::size_t b = 1; b < batches; ++b) {
        blocks[0][i][j] += blocks[b][i][j] * (1 - kept);
        blocks[b][i][j] *= kept;
      }
  return {
      queue::MarkovArrivals::blocks(to_rational(blocks)), blocks,
      std::to_string(phases) + " phases, batches below " + std::to_string(batches) + ", load " + load.str()};
}

}  // namespace tailbound::test
