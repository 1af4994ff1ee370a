#include <tailbound/sim/crossbar/scheduling/matching.hpp>

#include <algorithm>
#include <limits>

namespace tailbound::sim {

void GreedyMatching::add(const Request& request) {
  const std::size_t bucket = std::min<std::size_t>(request.cells, bucket_count - 1);
  buckets_[bucket].push_back(request);
  longest_ = std::max(longest_, bucket);
}

void GreedyMatching::sort_longest() {
  std::sort(buckets_.back().begin(), buckets_.back().end(),
            [](const Request& a, const Request& b) { return a.cells < b.cells; });
}

const std::vector<std::size_t>& WeightMatching::solve() {
  // Rows are inserted one by one along shortest augmenting paths; index 0 is a column of its own that starts
  // each path.
  constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();
  row_potential_.assign(ports_ + 1, 0);
  column_potential_.assign(ports_ + 1, 0);
  matched_.assign(ports_ + 1, 0);
  for (std::size_t row = 1; row <= ports_; ++row) {
    matched_[0] = row;
    std::size_t column = 0;
    least_.assign(ports_ + 1, infinite);
    used_.assign(ports_ + 1, 0);
    do {
      used_[column] = 1;
      const std::size_t at = matched_[column];
      std::int64_t step = infinite;
      std::size_t next = 0;
      for (std::size_t j = 1; j <= ports_; ++j) {
        if (used_[j] != 0) continue;
        const std::int64_t reduced =
            -weight_[(at - 1) * ports_ + j - 1] - row_potential_[at] - column_potential_[j];
        if (reduced < least_[j]) {
          least_[j] = reduced;
          from_[j] = column;
        }
        if (least_[j] < step) {
          step = least_[j];
          next = j;
        }
      }
      for (std::size_t j = 0; j <= ports_; ++j) {
        if (used_[j] != 0) {
          row_potential_[matched_[j]] += step;
          column_potential_[j] -= step;
        } else {
          least_[j] -= step;
        }
      }
      column = next;
    } while (matched_[column] != 0);
    while (column != 0) {
      const std::size_t before = from_[column];
      matched_[column] = matched_[before];
      column = before;
    }
  }
  result_.resize(ports_);
  for (std::size_t column = 1; column <= ports_; ++column) result_[column - 1] = matched_[column] - 1;
  return result_;
}

}  // namespace tailbound::sim
