#include <tailbound/bounds/path/ending.hpp>

#include <cstdio>

namespace tailbound::bounds {

std::string in_words(const Ending& ending) {
  char change[32];
  std::snprintf(change, sizeof change, "%.1g", ending.change);
  const std::string rounds = std::to_string(ending.rounds) + " rounds";
  switch (ending.stop) {
    case Stop::direct:
      return "one pass, without iteration";
    case Stop::converged:
      return "converged after " + rounds + " (last change " + change + ")";
    case Stop::saturated:
      return "stopped after " + rounds + ": a utilization would reach 100 %";
    case Stop::too_many_rounds:
      break;
  }
  return "stopped without convergence after " + rounds + " (last change " + change + ")";
}

}  // namespace tailbound::bounds
