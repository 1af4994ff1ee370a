#pragma once

#include <string>

/// Why the solution of an iterative model ended.
///
/// TESTS     tests/bounds/multistage/combining_test.cpp, tests/bounds/wormhole/latency_test.cpp
namespace tailbound::bounds {

enum class Stop {
  direct,          ///< no iteration was needed
  converged,       ///< the last round changed nothing by more than the model's tolerance
  saturated,       ///< something would be busy all the time
  too_many_rounds  ///< none of these
};

struct Ending {
  Stop stop = Stop::direct;
  int rounds = 0;
  double change = 0;  ///< greatest relative change in the last round
};

/// "converged after 31 rounds (last change 3e-15)"
[[nodiscard]] std::string in_words(const Ending& ending);

}  // namespace tailbound::bounds
