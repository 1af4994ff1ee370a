#pragma once

#include <tailbound/sim/bytes.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

/// The reorder buffer of one flow: packets that arrived before an older one of the flow wait in it.
///
/// MODEL     At the end of a slot the buffer contains the delivered packets that are younger than the oldest
///           one not yet delivered.
/// EXCLUDES  lost packets.
/// Internal to the sim module.
namespace tailbound::sim {

class ReorderFlow {
 public:
  /// A packet is sent; slots increase from call to call.
  void sent(std::int64_t slot) { waiting_.push_back({slot, false}); }
  /// The packet sent in slot `birth` is, or will be, delivered in slot `slot`; in any order.
  void delivered(std::int64_t slot, std::int64_t birth) { deliveries_.emplace_back(slot, birth); }

  /// Adds 1 to histogram[packets in the buffer] for each slot from .. to - 1. All packets sent and delivered
  /// in these slots must have been recorded.
  void count(std::int64_t from, std::int64_t to, std::vector<std::uint64_t>& histogram) {
    std::sort(deliveries_.begin(), deliveries_.end());
    auto next = deliveries_.begin();
    for (std::int64_t slot = from; slot < to; ++slot) {
      for (; next != deliveries_.end() && next->first <= slot; ++next) receive(next->second);
      if (histogram.size() <= held_) histogram.resize(held_ + 1);
      ++histogram[held_];
    }
    deliveries_.erase(deliveries_.begin(), next);
  }

  void save(ByteWriter& writer) const {
    writer.put<std::uint64_t>(waiting_.size());
    for (const Packet& packet : waiting_) {
      writer.put(packet.slot);
      writer.put<std::uint8_t>(packet.delivered);
    }
    writer.put<std::uint64_t>(deliveries_.size());
    for (const auto& [slot, birth] : deliveries_) {
      writer.put(slot);
      writer.put(birth);
    }
  }
  void load(ByteReader& reader) {
    *this = {};
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
      const auto slot = reader.get<std::int64_t>();
      const bool delivered = reader.get<std::uint8_t>() != 0;
      waiting_.push_back({slot, delivered});
      held_ += delivered;
    }
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
      const auto slot = reader.get<std::int64_t>();
      deliveries_.emplace_back(slot, reader.get<std::int64_t>());
    }
  }

 private:
  struct Packet {
    std::int64_t slot;
    bool delivered;
  };

  void receive(std::int64_t birth) {
    const auto packet = std::lower_bound(waiting_.begin(), waiting_.end(), birth,
                                         [](const Packet& p, std::int64_t slot) { return p.slot < slot; });
    packet->delivered = true;
    ++held_;
    for (; !waiting_.empty() && waiting_.front().delivered; --held_) waiting_.pop_front();
  }

  std::deque<Packet> waiting_;  ///< from the oldest undelivered one on
  std::vector<std::pair<std::int64_t, std::int64_t>> deliveries_;
  std::size_t held_ = 0;
};

}  // namespace tailbound::sim
