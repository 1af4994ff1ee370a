#pragma once

#include <benchmark/benchmark.h>

/// The task: 16 equal inputs at load 0.9, minimum buffer B with P(Q > B) <= 1e-15; the answer is 157. Every
/// competitor checks its own answer and is marked as failed otherwise.
namespace tailbound::bench {

inline constexpr int answer = 157;
/// Terms of the series that the competitors expand: given to them, although it depends on the answer.
inline constexpr int terms = 170;

inline void check(benchmark::State& state, long buffer) {
  if (buffer != answer) state.SkipWithError("wrong answer");
}

}  // namespace tailbound::bench
