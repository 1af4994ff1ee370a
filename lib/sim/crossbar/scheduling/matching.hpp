#pragma once

#include <tailbound/sim/rare/rare_arrivals.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Matchings by the lengths of the queues. Internal to the sim module.
namespace tailbound::sim {

/// A queue of an input for an output.
struct Request {
  std::uint32_t input = 0, output = 0, cells = 0;
};

/// Longest queue first, equal ones in random order; a request is matched if its ports are free.
class GreedyMatching {
 public:
  GreedyMatching(std::size_t inputs, std::size_t outputs)
      : buckets_(bucket_count), input_(inputs), output_(outputs) {}
  void clear() {
    for (std::size_t length = 0; length <= longest_; ++length) buckets_[length].clear();
    longest_ = 0;
  }
  void add(const Request& request);
  /// Calls matched(request) for each pair.
  template <class Matched>
  void each(RandomStream& random, Matched matched) {
    input_.assign(input_.size(), 0);
    output_.assign(output_.size(), 0);
    std::size_t left = std::min(input_.size(), output_.size());
    sort_longest();
    for (std::size_t length = longest_ + 1; length-- > 1 && left > 0;)
      left -= take(buckets_[length], length + 1 == bucket_count, random, matched);
  }

 private:
  static constexpr std::size_t bucket_count = 1024;  ///< the last one: that many cells or more
  void sort_longest();
  template <class Matched>
  std::size_t take(std::vector<Request>& bucket, bool mixed, RandomStream& random, Matched& matched) {
    std::size_t found = 0, left = bucket.size();
    while (left > 0) {
      // Of the last bucket, which is sorted, those of equal length are at its end.
      std::size_t first = 0;
      if (mixed)
        for (first = left - 1; first > 0 && bucket[first - 1].cells == bucket[left - 1].cells;) --first;
      const auto count = static_cast<std::uint32_t>(left - first);
      const std::size_t at = first + (count > 1 ? below(count, random.next()) : 0);
      const Request request = bucket[at];
      bucket[at] = bucket[--left];
      if (input_[request.input] != 0 || output_[request.output] != 0) continue;
      input_[request.input] = output_[request.output] = 1;
      matched(request);
      ++found;
    }
    return found;
  }
  std::vector<std::vector<Request>> buckets_;  ///< [cells]
  std::size_t longest_ = 0;
  std::vector<std::uint8_t> input_, output_;  ///< matched?
};

/// The matching with the largest sum of cells, equal sums in random order, by the Hungarian algorithm with
/// row and column potentials, O(ports^3).
class WeightMatching {
 public:
  explicit WeightMatching(std::size_t ports)
      : ports_(ports),
        weight_(ports * ports),
        row_potential_(ports + 1),
        column_potential_(ports + 1),
        least_(ports + 1),
        matched_(ports + 1),
        from_(ports + 1),
        used_(ports + 1) {}
  /// The random parts of all pairs, also of those without a request: they decide between equal sums, of which
  /// none is preferred for the number of its requests.
  void clear(RandomStream& random) {
    for (std::int64_t& weight : weight_) weight = static_cast<std::int64_t>(random.next() % random_parts);
  }
  void add(const Request& request) {
    // The random parts of a whole matching sum to less than one cell.
    weight_[request.input * ports_ + request.output] +=
        static_cast<std::int64_t>(request.cells) * random_parts * static_cast<std::int64_t>(ports_);
  }
  /// [output]: the input, also where there is no request.
  [[nodiscard]] const std::vector<std::size_t>& solve();

 private:
  static constexpr std::int64_t random_parts = 4096;
  std::size_t ports_;
  std::vector<std::int64_t> weight_, row_potential_, column_potential_, least_;
  std::vector<std::size_t> matched_, from_;
  std::vector<std::uint8_t> used_;
  std::vector<std::size_t> result_;
};

}  // namespace tailbound::sim
