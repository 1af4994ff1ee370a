#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/sim/bytes.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// First-in first-out queues of cells that share one pool. Internal to the sim module.
namespace tailbound::sim {

struct Cell {
  std::uint32_t arrival = 0;  ///< slot, modulo 2^32
  std::uint32_t output = 0;
};

class CellQueues {
 public:
  explicit CellQueues(std::size_t queues) : queues_(queues) {}

  [[nodiscard]] std::uint32_t length(std::size_t queue) const { return queues_[queue].length; }
  [[nodiscard]] const Cell& front(std::size_t queue) const { return pool_[queues_[queue].head].cell; }
  void push(std::size_t queue, const Cell& cell) {
    const std::uint32_t at = take();
    pool_[at].cell = cell;
    Queue& its = queues_[queue];
    // Whether a queue is empty is hard to predict: an address is chosen, not a branch.
    std::uint32_t* const last = its.length == 0 ? &its.head : &pool_[its.tail].next;
    *last = at;
    its.tail = at;
    ++its.length;
  }
  /// \pre length(queue) > 0
  Cell pop(std::size_t queue) {
    Queue& its = queues_[queue];
    const std::uint32_t at = its.head;
    Place& place = pool_[at];
    its.head = place.next;
    --its.length;
    place.next = free_;
    free_ = at;
    return place.cell;
  }

  void save(ByteWriter& writer) const {
    for (const Queue& queue : queues_) {
      writer.put(queue.length);
      for (std::uint32_t i = 0, at = queue.head; i < queue.length; ++i, at = pool_[at].next) {
        writer.put(pool_[at].cell.arrival);
        writer.put(pool_[at].cell.output);
      }
    }
  }
  void load(ByteReader& reader, std::uint32_t outputs) {
    queues_.assign(queues_.size(), {});
    pool_.clear();
    free_ = none;
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
      const auto length = reader.get<std::uint32_t>();
      for (std::uint32_t i = 0; i < length; ++i) {
        Cell cell;
        cell.arrival = reader.get<std::uint32_t>();
        cell.output = reader.get<std::uint32_t>();
        if (cell.output >= outputs) ByteReader::fail();
        push(queue, cell);
      }
    }
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t most = std::size_t{1} << 25U;
  struct Queue {
    std::uint32_t head = none, tail = none, length = 0;
  };
  struct Place {
    Cell cell;
    std::uint32_t next;
  };
  std::uint32_t take() {
    if (free_ == none) [[unlikely]] {
      if (pool_.size() == most)
        throw LimitExceeded("the switch holds more than " + std::to_string(most) +
                            " cells: the load is above its maximum; fewer slots or a buffer end this");
      pool_.push_back({});
      return static_cast<std::uint32_t>(pool_.size() - 1);
    }
    const std::uint32_t at = free_;
    free_ = pool_[at].next;
    return at;
  }
  std::vector<Queue> queues_;
  std::vector<Place> pool_;
  std::uint32_t free_ = none;
};

}  // namespace tailbound::sim
