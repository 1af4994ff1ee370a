#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/arrivals/markov_arrivals.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// The loss of finite_passage.hpp in fractions, for targets that equal it. Internal to the queue module.
///
/// METHOD  the chain of levels and phases by elimination without subtraction, as in finite_queue.cpp.
namespace tailbound::queue {

[[nodiscard]] inline bool is_zero(const std::vector<std::vector<numeric::Rational>>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const auto& row) {
    return std::all_of(row.begin(), row.end(), [](const numeric::Rational& entry) { return entry == 0; });
  });
}

/// If a packet arrives in every slot: one leaves in every slot, for any buffer of at least a packet.
[[nodiscard]] inline std::optional<numeric::Rational> busy_server_loss(const MarkovArrivals& arrivals) {
  const auto* blocks = std::get_if<RationalBlocks>(&arrivals.form());
  if (blocks == nullptr || !is_zero(blocks->front())) return std::nullopt;
  return numeric::Rational(1 - 1 / arrivals.load());
}

/// \param load      of the blocks, above 0
/// \param capacity  B >= 1
/// \return nothing for more than 512 states, or if the queue is never empty
[[nodiscard]] inline std::optional<numeric::Rational> exact_finite_loss(const RationalBlocks& blocks,
                                                                        const numeric::Rational& load,
                                                                        std::int64_t capacity) {
  using numeric::Rational;
  constexpr std::size_t max_states = 512;
  const std::size_t phases = blocks.front().size();
  if (static_cast<double>(capacity + 1) * static_cast<double>(phases) > static_cast<double>(max_states))
    return std::nullopt;
  const auto limit = static_cast<std::size_t>(capacity);
  // State 0 ends an emptying slot, so that it is visited again and again.
  std::size_t first = 0;
  while (std::all_of(blocks[0].begin(), blocks[0].end(), [&](const auto& row) { return row[first] == 0; }))
    if (++first == phases) return std::nullopt;
  const auto state = [&](std::size_t level, std::size_t phase) {
    return level * phases + (phase + phases - first) % phases;
  };
  const std::size_t states = (limit + 1) * phases;
  std::vector<std::vector<Rational>> step(states, std::vector<Rational>(states, Rational(0)));
  std::vector<Rational> lost(states, Rational(0)), weight(states, Rational(0));
  for (std::size_t level = 0; level <= limit; ++level)
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::size_t offered = (level > 0 ? level - 1 : 0) + b, to = std::min(offered, limit);
      for (std::size_t i = 0; i < phases; ++i)
        for (std::size_t j = 0; j < phases; ++j) {
          Rational& entry = step[state(level, i)][state(to, j)];
          entry = entry + blocks[b][i][j];
          lost[state(level, i)] =
              lost[state(level, i)] + blocks[b][i][j] * Rational(static_cast<long>(offered - to));
        }
    }
  for (std::size_t n = states; n-- > 1;) {
    Rational leaving = 0;
    for (std::size_t j = 0; j < n; ++j) leaving = leaving + step[n][j];
    if (leaving == 0) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) {
      if (step[i][n] == 0) continue;
      step[i][n] = step[i][n] / leaving;
      for (std::size_t j = 0; j < n; ++j)
        if (step[n][j] != 0) step[i][j] = step[i][j] + step[i][n] * step[n][j];
    }
  }
  Rational total = 1, all = lost[0];
  weight[0] = 1;
  for (std::size_t n = 1; n < states; ++n) {
    for (std::size_t i = 0; i < n; ++i) weight[n] = weight[n] + weight[i] * step[i][n];
    total = total + weight[n];
    all = all + weight[n] * lost[n];
  }
  return Rational(all / (total * load));
}

}  // namespace tailbound::queue
