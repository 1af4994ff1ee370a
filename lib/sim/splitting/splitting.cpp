#include <tailbound/core/error.hpp>
#include <tailbound/sim/batches/batch_means.hpp>
#include <tailbound/sim/splitting/splitting.hpp>

#include <cmath>
#include <string>

namespace tailbound::sim {
namespace {

constexpr double largest_factor = 1e280;

/// Counts of the batches, divided by the splitting factors of their occupancies.
std::vector<double> weighted(const std::vector<const Counts*>& batches, std::size_t row, std::size_t from,
                             const std::vector<double>& factors, std::uint64_t& count) {
  std::vector<double> sums;
  for (const Counts* counts : batches) {
    const auto& its = (*counts)[row];
    double sum = 0;
    for (std::size_t q = from; q < its.size(); ++q) {
      sum += static_cast<double>(its[q]) / factors[std::min(q, factors.size() - 1)];
      count += its[q];
    }
    sums.push_back(sum);
  }
  return sums;
}

std::vector<double> slots_of(const std::vector<const Counts*>& batches) {
  std::vector<double> slots;
  for (const Counts* counts : batches)
    slots.push_back(static_cast<double>((*counts)[SplittingRows::slots].at(0)));
  return slots;
}

}  // namespace

std::vector<std::int64_t> copies_near(const std::vector<double>& wanted) {
  std::vector<std::int64_t> copies(wanted.size(), 1);
  double product = 0;  // logarithm
  for (std::size_t i = 2; i < copies.size(); ++i) {
    if (wanted[i] > std::log(largest_factor))
      throw LimitExceeded("level " + std::to_string(i - 1) + " has a probability below 1e-280");
    copies[i] = std::clamp<std::int64_t>(std::llround(std::exp(wanted[i] - product)), 1, 1000);
    product += std::log(static_cast<double>(copies[i]));
  }
  return copies;
}

std::vector<double> splitting_factors(const std::vector<std::int64_t>& copies) {
  std::vector<double> factors;
  for (const std::int64_t its : copies)
    factors.push_back((factors.empty() ? 1.0 : factors.back()) * static_cast<double>(its));
  return factors;
}

std::vector<LevelEstimate> splitting_tails(const std::vector<std::int64_t>& copies, const RunResult& result,
                                           const std::vector<std::int64_t>& levels, double confidence) {
  const std::vector<double> factors = splitting_factors(copies);
  const std::vector<const Counts*> batches = result.all();
  const std::vector<double> slots = slots_of(batches);
  std::vector<LevelEstimate> answers;
  for (const std::int64_t level : levels) {
    if (level < 0) throw InvalidArgument("level", std::to_string(level), "at least 0");
    LevelEstimate answer;
    answer.level = level;
    const std::vector<double> above = weighted(batches, SplittingRows::occupancy,
                                               static_cast<std::size_t>(level) + 1, factors, answer.count);
    answer.probability = estimate<unit::Probability>(above, slots, confidence);
    answers.push_back(answer);
  }
  return answers;
}

SplitLoss splitting_loss(const std::vector<std::int64_t>& copies, const RunResult& result,
                         double confidence) {
  const std::vector<const Counts*> batches = result.all();
  SplitLoss loss;
  const std::vector<double> lost =
      weighted(batches, SplittingRows::lost, 0, splitting_factors(copies), loss.count);
  loss.a_slot = ratio_estimate(lost, slots_of(batches), confidence);
  return loss;
}

}  // namespace tailbound::sim
