#include <tailbound/core/error.hpp>
#include <tailbound/sim/worm/source_shortfall.hpp>

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace tailbound::sim {
namespace {

using Index = std::uint32_t;

/// A batch, with its half.
struct Batch {
  const Counts* counts = nullptr;
  std::size_t half = 0, replication = 0;
};

std::vector<Batch> halved(const RunResult& result) {
  std::vector<Batch> batches;
  const bool by_replication = result.batches.size() > 1;
  for (std::size_t r = 0; r < result.batches.size(); ++r)
    for (std::size_t b = 0; b < result.batches[r].size(); ++b)
      batches.push_back({.counts = &result.batches[r][b],
                         .half = by_replication ? r % 2 : (2 * b < result.batches[r].size() ? 0U : 1U),
                         .replication = r});
  return batches;
}

/// Sources with offered messages, the largest shortfall first, by the batches of one half.
std::vector<Index> ranked(const std::vector<Batch>& batches, std::size_t half, const SourceRows& rows) {
  const std::size_t sources = (*batches.front().counts)[rows.offered].size();
  std::vector<double> offered(sources), behind(sources);
  for (const Batch& batch : batches)
    for (std::size_t i = 0; i < sources; ++i) {
      if (batch.half != half) break;
      const auto came = static_cast<double>((*batch.counts)[rows.offered][i]);
      offered[i] += came;
      behind[i] += came - static_cast<double>((*batch.counts)[rows.delivered][i]);
    }
  std::vector<Index> order;
  for (Index i = 0; i < sources; ++i) {
    if (offered[i] > 0) order.push_back(i);
    if (offered[i] > 0) behind[i] /= std::sqrt(offered[i]);
  }
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return behind[a] != behind[b] ? behind[a] > behind[b] : a < b; });
  return order;
}

/// Shortfall of the first `count` in the ranking from the other half.
SourceShortfall shortfall(const std::vector<Batch>& batches, std::size_t replications,
                          const std::array<std::vector<Index>, 2>& ranks, std::size_t count,
                          const SourceRows& rows) {
  std::vector<double> behind;
  std::vector<double> of_replication(replications);
  double offered = 0;
  for (const Batch& batch : batches) {
    const std::vector<Index>& order = ranks[1 - batch.half];
    double its = 0;
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i) {
      const auto came = static_cast<double>((*batch.counts)[rows.offered][order[i]]);
      offered += came;
      its += came - static_cast<double>((*batch.counts)[rows.delivered][order[i]]);
    }
    behind.push_back(its);
    of_replication[batch.replication] += its;
  }
  const auto n = static_cast<double>(behind.size());
  const double sum = std::accumulate(behind.begin(), behind.end(), 0.0);
  double squares = 0;
  for (const double its : behind) squares += (its - sum / n) * (its - sum / n);
  const double error = std::sqrt(squares / (n - 1) * n);
  const bool everywhere =
      std::all_of(of_replication.begin(), of_replication.end(), [](double its) { return its > 0; });
  return {.source = ranks[0].front(),
          .count = static_cast<Index>(count),
          .not_carried = offered > 0 ? sum / offered : 0,
          .significance = everywhere && error > 0 ? sum / error : 0};
}

}  // namespace

std::optional<SourceShortfall> max_shortfall(const RunResult& result, const SourceRows& rows,
                                             const ShortfallTest& test) {
  if (!(test.false_alarm > 0 && test.false_alarm < 1))
    throw InvalidArgument("false alarm", std::to_string(test.false_alarm), "above 0 and below 1");
  const std::vector<Batch> batches = halved(result);
  if (batches.size() < 4) return std::nullopt;
  const std::array<std::vector<Index>, 2> ranks{ranked(batches, 0, rows), ranked(batches, 1, rows)};
  if (ranks[0].empty() || ranks[1].empty()) return std::nullopt;
  std::vector<std::size_t> counts{1};
  while (2 * counts.back() <= std::min(ranks[0].size(), ranks[1].size())) counts.push_back(2 * counts.back());
  const boost::math::students_t student(static_cast<double>(batches.size()) - 1);
  const double threshold =
      boost::math::quantile(complement(student, test.false_alarm / static_cast<double>(counts.size())));
  SourceShortfall largest{.threshold = threshold};
  for (const std::size_t count : counts) {
    SourceShortfall its = shortfall(batches, result.batches.size(), ranks, count, rows);
    its.threshold = threshold;
    its.is_short = its.not_carried > test.minimum && its.significance > threshold;
    const bool stands_out = its.is_short != largest.is_short
                                ? its.is_short
                                : its.not_carried > test.minimum && its.significance > largest.significance;
    if (largest.count == 0 || stands_out) largest = its;
  }
  return largest;
}

}  // namespace tailbound::sim
