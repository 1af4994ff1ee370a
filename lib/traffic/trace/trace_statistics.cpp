#include <tailbound/core/last_that.hpp>
#include <tailbound/traffic/trace/trace_statistics.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::traffic {
namespace {

constexpr std::size_t max_blocks = 40;
constexpr std::int64_t max_counted_cells = 65'536;
constexpr std::int64_t fewest_windows = 100;

}  // namespace

TraceStatistics::TraceStatistics(const std::vector<std::int64_t>& capacities) : blocks_(1), counts_(1, 0) {
  for (std::int64_t length = 1; length < 1'000'000'000'000; length *= 10)
    for (const std::int64_t digit : {1, 3}) windows_.push_back({digit * length, digit * length});
  for (const std::int64_t capacity : capacities) buffers_.push_back({capacity});
}

void TraceStatistics::Block::add_run(std::int64_t low, std::int64_t high) {
  low = std::min(low, deepest);
  high = std::min(high, deepest);
  if (static_cast<std::int64_t>(change.size()) < high + 2)
    change.resize(static_cast<std::size_t>(high) + 2 + change.size() / 2);
  ++change[static_cast<std::size_t>(low)];
  --change[static_cast<std::size_t>(high) + 1];
}

std::vector<double> TraceStatistics::Block::tails() const {
  std::vector<std::int64_t> at(change.size(), 0);
  std::int64_t running = 0;
  for (std::size_t q = 0; q < change.size(); ++q) at[q] = running += change[q];
  std::vector<double> result(at.size(), 0);
  std::int64_t above = 0;
  for (std::size_t q = at.size(); q-- > 0;) {
    result[q] = static_cast<double>(above) / static_cast<double>(slots);
    above += at[q];
  }
  return result;
}

/// The slot now_ has ended: its block may be full.
void TraceStatistics::pass_slot() {
  if (blocks_.back().slots < block_slots_) return;
  if (blocks_.size() == max_blocks) {
    for (std::size_t i = 0; i < max_blocks / 2; ++i) {
      Block &first = blocks_[2 * i], &second = blocks_[2 * i + 1];
      if (first.change.size() < second.change.size()) first.change.resize(second.change.size());
      for (std::size_t q = 0; q < second.change.size(); ++q) first.change[q] += second.change[q];
      first.slots += second.slots;
      if (i > 0) blocks_[i] = std::move(first);
    }
    blocks_.resize(max_blocks / 2);
    block_slots_ *= 2;
  }
  blocks_.emplace_back();
}

void TraceStatistics::idle(std::int64_t slots) {
  while (slots > 0) {
    Block& block = blocks_.back();
    const std::int64_t step = std::min(slots, block_slots_ - block.slots);
    const std::int64_t low = std::max<std::int64_t>(queue_ - step, 1);
    if (queue_ > 1) block.add_run(low, queue_ - 1);
    block.slots += step;
    queue_ = std::max<std::int64_t>(queue_ - step, 0);
    now_ += step;
    slots -= step;
    pass_slot();
  }
}

void TraceStatistics::slot(std::int64_t slot, std::int64_t cells) {
  const std::int64_t gap = slot - now_ - 1;
  idle(gap);
  for (TraceBuffer& buffer : buffers_) {
    buffer.queue = std::max<std::int64_t>(buffer.queue - gap - 1, 0) + cells;
    if (buffer.queue > buffer.capacity) {
      buffer.lost += static_cast<std::uint64_t>(buffer.queue - buffer.capacity);
      buffer.queue = buffer.capacity;
    }
  }
  if (queue_ <= 1) ++busy_periods_;
  queue_ = std::max<std::int64_t>(queue_ - 1, 0) + cells;
  longest_ = std::max(longest_, queue_);
  Block& block = blocks_.back();
  block.add_run(queue_, queue_);
  ++block.slots;
  ++now_;
  pass_slot();
  cells_ += static_cast<std::uint64_t>(cells);
  const auto counted = static_cast<std::size_t>(std::min(cells, max_counted_cells));
  if (counts_.size() <= counted) counts_.resize(counted + 1, 0);
  ++counts_[counted];
  const auto packets = static_cast<double>(cells);
  for (Windows& its : windows_) {
    if (slot >= its.end) {
      its.total += its.sum;
      its.squares += its.sum * its.sum;
      its.sum = 0;
      its.end = (slot / its.length + 1) * its.length;
    }
    its.sum += packets;
  }
}

void TraceStatistics::finish(std::int64_t slots) {
  idle(slots - 1 - now_);
  slots_ = slots;
  std::uint64_t with_cells = 0;
  for (std::size_t j = 1; j < counts_.size(); ++j) with_cells += counts_[j];
  counts_[0] = static_cast<std::uint64_t>(slots) - with_cells;
  for (Windows& its : windows_)
    if (its.end <= slots) {  // it is complete
      its.total += its.sum;
      its.squares += its.sum * its.sum;
    }
  if (blocks_.back().slots * 2 < block_slots_ && blocks_.size() > 2)
    blocks_.pop_back();  // too short to compare
}

std::vector<CountDispersion> TraceStatistics::dispersion() const {
  std::vector<CountDispersion> result;
  for (const Windows& its : windows_) {
    const std::int64_t windows = slots_ / its.length;
    if (windows < fewest_windows || its.total <= 0) break;
    const auto count = static_cast<double>(windows);
    const double mean = its.total / count;
    const double variance = (its.squares - its.total * mean) / (count - 1);
    CountDispersion& each = result.emplace_back();
    each.slots = its.length;
    each.value = variance / mean;
    each.half_width = 1.96 * std::sqrt(2 / count) * each.value;
    each.windows = windows;
  }
  return result;
}

std::vector<TraceTail> TraceStatistics::tails(const std::vector<std::int64_t>& levels) const {
  std::vector<std::vector<double>> of_block;
  double slots = 0;
  for (const Block& block : blocks_) {
    of_block.push_back(block.tails());
    slots += static_cast<double>(block.slots);
  }
  std::vector<TraceTail> result;
  for (const std::int64_t level : levels) {
    TraceTail& tail = result.emplace_back();
    tail.level = level;
    double squares = 0, sum = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const auto& tails = of_block[i];
      const double p =
          level < static_cast<std::int64_t>(tails.size()) ? tails[static_cast<std::size_t>(level)] : 0;
      tail.blocks += p > 0 ? 1 : 0;
      tail.probability += p * static_cast<double>(blocks_[i].slots) / slots;
      sum += p;
      squares += p * p;
    }
    tail.probability = std::min(tail.probability, 1.0);  // a sum of rounded shares
    const auto count = static_cast<double>(blocks_.size());
    tail.error =
        count > 1 ? std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1) / count)) : 0;
  }
  return result;
}

std::int64_t TraceStatistics::level_of(double probability) const {
  return first_that(
             std::int64_t{1}, longest_ + 1,
             [&](std::int64_t level) { return !(tails({level}).front().probability >= probability); }) -
         1;
}

}  // namespace tailbound::traffic
