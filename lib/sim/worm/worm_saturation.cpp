#include <tailbound/core/error.hpp>
#include <tailbound/sim/worm/worm_saturation.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::sim {
namespace {

constexpr double growth_limit = 0.005;

}  // namespace

WormStability stability_of(const RunResult& result, const GrowthRows& rows, double senders) {
  WormStability stability;
  double growth = 0, generated = 0, cycles_first = 0, cycles_second = 0;
  bool all_grow = true;
  for (const std::vector<Counts>& batches : result.batches) {
    const std::size_t half = batches.size() / 2;
    if (half == 0) continue;
    double first = 0, second = 0, cycles = 0;
    for (std::size_t i = 0; i < 2 * half; ++i) {  // an odd one is omitted
      const Counts& counts = batches[i];
      (i < half ? first : second) += static_cast<double>(counts[rows.waiting][0]);
      if (i < half) cycles += static_cast<double>(counts[rows.cycles][0]);
      generated += static_cast<double>(counts[rows.generated][0]);
    }
    stability.waiting_first += first;
    stability.waiting_second += second;
    cycles_first += cycles;
    cycles_second += cycles;
    growth += 2 * (second - first) / cycles;  // over both halves, from the growth between their midpoints
    all_grow = all_grow && second > first;
  }
  if (generated == 0) return stability;
  stability.waiting_first /= cycles_first * senders;
  stability.waiting_second /= cycles_second * senders;
  stability.not_carried = std::max(0.0, growth / generated);
  stability.stable = !(all_grow && stability.not_carried > growth_limit);
  return stability;
}

double messages_each(const SaturationSearch& search, double nodes) {
  if (search.messages > 0) return search.messages;
  return std::clamp(24'000 / std::sqrt(search.senders > 0 ? search.senders : nodes), 300.0, 3000.0);
}

RunPlan probe_plan(const SaturationSearch& search, double cycles) {
  return {.seed = search.seed,
          .replications = search.replications,
          .warmup = static_cast<std::int64_t>(cycles / 2),
          .slots = static_cast<std::int64_t>(cycles),
          .batches = 16};
}

SimulatedSaturation search_saturation(const SaturationSearch& search,
                                      const std::function<std::optional<SaturationProbe>(double)>& probe,
                                      const std::function<void(std::size_t)>& on_progress) {
  if (!(search.precision >= 1e-4 && search.precision <= 1))
    throw InvalidArgument("precision", std::to_string(search.precision), "from 0.0001 to 1");
  SimulatedSaturation result;
  const auto stable_at = [&](double load) {
    const auto found = probe(load);
    result.complete = found.has_value();
    if (!found) return false;
    result.probes.push_back(*found);
    if (on_progress) on_progress(result.probes.size());
    return found->stability.stable;
  };
  if (!(search.bound > 0)) throw InvalidArgument("bound", std::to_string(search.bound), "above 0");
  double stable = 0, unstable = search.bound <= 1 ? search.bound : 0;
  const double first = search.bound <= 1 ? 0.9 * search.bound : 1.0;  // at most
  for (double load = std::min(search.first_guess, first); stable == 0 || unstable == 0;) {
    const bool is_stable = stable_at(load);
    if (!result.complete) break;
    if (is_stable && load >= 1) throw NoAnswer("no saturation: the network carries load 1");
    if (!is_stable && load < 1e-7)
      throw NoAnswer("no saturation: the network is unstable at load " + std::to_string(load));
    (is_stable ? stable : unstable) = load;
    load = is_stable ? std::min(1.0, load * 1.25) : load * 0.8;
  }
  while (result.complete && unstable > stable * (1 + search.precision)) {
    const double middle = std::sqrt(stable * unstable);
    const bool is_stable = stable_at(middle);
    if (result.complete) (is_stable ? stable : unstable) = middle;
  }
  result.max_stable = stable;
  result.min_unstable = unstable;
  result.bounded = unstable == search.bound;
  return result;
}

}  // namespace tailbound::sim
