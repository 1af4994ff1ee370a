#pragma once

#include <string>

/// Why the iteration of a model ended.
///
/// TESTS     tests/bounds/multistage/combining_test.cpp, tests/bounds/wormhole/latency_test.cpp
namespace tailbound::bounds {

enum class Stop {
  direct,          ///< no iteration was needed
  converged,       ///< changes in the last round were within the model's tolerance
  saturated,       ///< a utilization reached 100 %
  too_many_rounds  ///< none of these
};

struct Ending {
  Stop stop = Stop::direct;
  int rounds = 0;
  double change = 0;  ///< largest relative change in the last round
};

/// "converged after 31 rounds (last change 3e-15)"
[[nodiscard]] std::string in_words(const Ending& ending);

}  // namespace tailbound::bounds
