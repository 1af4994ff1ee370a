#pragma once

#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/bytes.hpp>
#include <tailbound/sim/crossbar/crossbar_replication.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

/// What a simulated crossbar counts. Internal to the sim module.
namespace tailbound::sim {

/// A histogram whose neighbouring ports count in lanes of their own: equal values in a row would wait for
/// each other.
class PortHistogram {
 public:
  void count(std::size_t value, std::size_t port) {
    const std::size_t at = lanes * value + port % lanes;
    if (at >= counts_.size()) [[unlikely]]
      grow(at);
    ++counts_[at];
  }
  [[nodiscard]] std::vector<std::uint64_t> take() {
    std::vector<std::uint64_t> sums((counts_.size() + lanes - 1) / lanes);
    for (std::size_t i = 0; i < counts_.size(); ++i) sums[i / lanes] += counts_[i];
    std::fill(counts_.begin(), counts_.end(), 0);
    while (!sums.empty() && sums.back() == 0) sums.pop_back();
    return sums;
  }
  void save(ByteWriter& writer) const { writer.put(counts_); }
  void load(ByteReader& reader) { counts_ = reader.get_vector<std::uint64_t>(); }

 private:
  static constexpr std::size_t lanes = 4;
  [[gnu::noinline]] void grow(std::size_t at) { counts_.resize(2 * at + lanes); }
  std::vector<std::uint64_t> counts_;
};

/// Adds `slots` to a histogram of one lane.
inline void count_slots(std::vector<std::uint64_t>& histogram, std::size_t value, std::uint64_t slots) {
  if (value >= histogram.size()) [[unlikely]]
    histogram.resize(2 * value + 4);
  histogram[value] += slots;
}

struct CrossbarCounts {
  CrossbarCounts(std::size_t inputs, std::size_t outputs, bool hot)
      : came(inputs), lost(inputs), left(outputs), has_hot(hot) {}

  void count_column(std::size_t cells, std::size_t output) {
    (has_hot && output == 0 ? hot_column : column).count(cells, output);
  }
  void count_delay(std::size_t slots, std::size_t output) {
    count_slots(has_hot && output == 0 ? hot_delay : delay, slots, 1);
    ++left[output];
  }
  [[nodiscard]] Counts take(std::uint64_t inside) {
    const auto row = [](std::vector<std::uint64_t>& from) {
      std::vector<std::uint64_t> counts = from;
      std::fill(from.begin(), from.end(), 0);
      return counts;
    };
    const auto histogram = [&](std::vector<std::uint64_t>& from) {
      std::vector<std::uint64_t> counts = row(from);
      while (!counts.empty() && counts.back() == 0) counts.pop_back();
      return counts;
    };
    Counts counts(CrossbarRows::count);
    counts[CrossbarRows::slots] = {std::exchange(slots, 0)};
    counts[CrossbarRows::came] = row(came);
    counts[CrossbarRows::lost] = row(lost);
    counts[CrossbarRows::left] = row(left);
    counts[CrossbarRows::delay] = histogram(delay);
    counts[CrossbarRows::hot_delay] = histogram(hot_delay);
    counts[CrossbarRows::input] = input.take();
    counts[CrossbarRows::voq] = histogram(voq);
    counts[CrossbarRows::column] = column.take();
    counts[CrossbarRows::hot_column] = hot_column.take();
    counts[CrossbarRows::output] = output.take();
    counts[CrossbarRows::late] = {std::exchange(late, 0)};
    counts[CrossbarRows::above] = {std::exchange(above, 0)};
    counts[CrossbarRows::inside] = {inside};
    for (std::vector<std::uint64_t>& of_priority : priority_delay) counts.push_back(histogram(of_priority));
    return counts;
  }
  void save(ByteWriter& writer) const {
    for (const std::uint64_t number : {slots, late, above}) writer.put(number);
    for (const auto* row : {&came, &lost, &left, &delay, &hot_delay, &voq}) writer.put(*row);
    for (const std::vector<std::uint64_t>& row : priority_delay) writer.put(row);
    for (const auto* row : {&input, &column, &hot_column, &output}) row->save(writer);
  }
  void load(ByteReader& reader) {
    for (std::uint64_t* number : {&slots, &late, &above}) *number = reader.get<std::uint64_t>();
    for (auto* row : {&came, &lost, &left}) {
      const std::size_t size = row->size();
      *row = reader.get_vector<std::uint64_t>();
      if (row->size() != size) ByteReader::fail();
    }
    for (auto* row : {&delay, &hot_delay, &voq}) *row = reader.get_vector<std::uint64_t>();
    for (std::vector<std::uint64_t>& row : priority_delay) row = reader.get_vector<std::uint64_t>();
    for (auto* row : {&input, &column, &hot_column, &output}) row->load(reader);
  }

  std::uint64_t slots = 0, late = 0, above = 0;
  std::vector<std::uint64_t> came, lost, left, delay, hot_delay, voq;
  std::vector<std::vector<std::uint64_t>> priority_delay{};
  PortHistogram input, column, hot_column, output;
  bool has_hot;
};

/// The number of phases of slot t at speedup a/b: floor((t + 1) a/b) - floor(t a/b).
class Phases {
 public:
  explicit Phases(const numeric::Rational& speedup)
      : above_(numeric::to_uint64(numeric::numerator(speedup))),
        below_(numeric::to_uint64(numeric::denominator(speedup))) {}
  [[nodiscard]] std::uint64_t of(std::uint64_t slot) const {
    if (below_ == 1) return above_;
    const std::uint64_t in_turn = slot % below_;  // the pattern repeats after `below_` slots
    return (in_turn + 1) * above_ / below_ - in_turn * above_ / below_;
  }

 private:
  std::uint64_t above_, below_;
};

}  // namespace tailbound::sim
