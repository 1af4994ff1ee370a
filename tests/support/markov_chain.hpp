#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>

#include <cstdint>
#include <string>
#include <tests/support/fraction.hpp>
#include <tests/support/random_models.hpp>
#include <vector>

/// Queues with Markovian arrivals, as plain Markov chains of pairs (level, phase): no first passages.
namespace tailbound::test {

/// D_0, D_1, ...: [b][i][j].
template <class T>
using PlainBlocks = std::vector<std::vector<std::vector<T>>>;

/// Each source is ON or OFF separately: 2^m phases, bit s of a phase for source s.
[[nodiscard]] PlainBlocks<Fraction> product_blocks(const std::vector<traffic::OnOff>& sources);

/// Equal sources: the phase is the number of ON sources; explicit binomial probabilities.
[[nodiscard]] PlainBlocks<Fraction> counted_blocks(const traffic::OnOff& source, std::int64_t count);

/// Sources whose bursts may go elsewhere, source by source: phases are the numbers of each group that are ON
/// here and elsewhere.
[[nodiscard]] PlainBlocks<Fraction> lumped_blocks(const std::vector<queue::OnOffGroup>& groups);

[[nodiscard]] queue::RationalBlocks to_rational(const PlainBlocks<Fraction>& blocks);

template <class T>
[[nodiscard]] PlainBlocks<T> convert(const PlainBlocks<Fraction>& blocks) {
  PlainBlocks<T> result;
  for (const auto& rows : blocks) {
    result.emplace_back();
    for (const auto& row : rows) {
      result.back().emplace_back();
      for (const Fraction& entry : row) result.back().back().push_back(static_cast<T>(entry));
    }
  }
  return result;
}

/// Stationary distribution [level][phase], levels 0 .. top, of  Q' = min(max(Q - 1, 0) + b, top), by the
/// elimination of Grassmann, Taksar and Heyman on the states one by one.
///
/// \param back  if given, a chain seen only while Q <= top: excursions above it from phase j return to the
///              level `top` in phase back[j]
template <class T>
[[nodiscard]] std::vector<std::vector<T>> chain_law(const PlainBlocks<T>& blocks, std::int64_t top,
                                                    const std::vector<std::size_t>& back = {}) {
  const auto phases = static_cast<std::int64_t>(blocks.front().size());
  const auto batch = static_cast<std::int64_t>(blocks.size()) - 1;
  const std::int64_t states = (top + 1) * phases;
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  // Row s holds the columns from floor(s) on; elimination fills nothing outside.
  const auto floor = [&](std::int64_t s) { return std::max<std::int64_t>(s / phases - 1, 0) * phases; };
  std::vector<std::vector<T>> p(at(states));
  for (std::int64_t s = 0; s < states; ++s) {
    const std::int64_t left = floor(s) / phases;
    p[at(s)].assign(at((std::max(batch, std::int64_t{1}) + 1) * phases), T(0));
    for (std::int64_t b = 0; b <= batch; ++b)
      for (std::int64_t j = 0; j < phases; ++j) {
        const bool over = left + b > top;
        const std::int64_t phase = over && !back.empty() ? static_cast<std::int64_t>(back[at(j)]) : j;
        p[at(s)][at(std::min(left + b, top) * phases + phase - floor(s))] +=
            blocks[at(b)][at(s % phases)][at(j)];
      }
  }
  const auto first_from = [&](std::int64_t s) {
    return std::max<std::int64_t>(s / phases - std::max<std::int64_t>(batch, 1), 0) * phases;
  };
  const auto reaches = [&](std::int64_t from, std::int64_t s) {
    return at(s - floor(from)) < p[at(from)].size();
  };
  for (std::int64_t s = states - 1; s > 0; --s) {
    T leave(0);
    for (std::int64_t to = floor(s); to < s; ++to) leave += p[at(s)][at(to - floor(s))];
    for (std::int64_t from = first_from(s); from < s; ++from) {
      if (!reaches(from, s)) continue;
      T& part = p[at(from)][at(s - floor(from))];
      if (part == 0) continue;
      part /= leave;
      for (std::int64_t to = floor(s); to < s; ++to)
        p[at(from)][at(to - floor(from))] += part * p[at(s)][at(to - floor(s))];
    }
  }
  std::vector<T> mass{T(1)};
  T total(1);
  for (std::int64_t s = 1; s < states; ++s) {
    T sum(0);
    for (std::int64_t from = first_from(s); from < s; ++from)
      if (reaches(from, s)) sum += mass[at(from)] * p[at(from)][at(s - floor(from))];
    total += sum;
    mass.push_back(std::move(sum));
  }
  std::vector<std::vector<T>> law(at(top + 1));
  for (std::int64_t s = 0; s < states; ++s) law[at(s / phases)].push_back(mass[at(s)] / total);
  return law;
}

/// Packets lost per packet offered, from the distribution of the chain with that top.
[[nodiscard]] Fraction chain_loss(const PlainBlocks<Fraction>& blocks, std::int64_t top);

/// A random queue in both representations.
struct MarkovModel {
  queue::MarkovArrivals arrivals;
  PlainBlocks<Fraction> blocks;
  std::string text;
};

/// Maximum number of sources, total load [1/100], and burst length [1/100 slot].
struct OnOffRange {
  std::int64_t sources = 12, percent = 90, burst = 3000;
};

/// Equal on-off sources.
[[nodiscard]] MarkovModel random_on_off(Random& random, const OnOffRange& range = {});

/// Equal sources that send part of their bursts here; with a packet in every ON slot, or in some.
[[nodiscard]] queue::OnOffGroup random_group(Random& random, bool every_slot, const OnOffRange& range);
[[nodiscard]] std::string text(const queue::OnOffGroup& group);

/// Any blocks of 1 .. 6 phases with batches up to 4, many entries 0.
[[nodiscard]] MarkovModel random_blocks(Random& random);

}  // namespace tailbound::test
