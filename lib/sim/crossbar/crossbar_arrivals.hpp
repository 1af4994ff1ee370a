#pragma once

#include <tailbound/sim/bytes.hpp>
#include <tailbound/sim/crossbar/crossbar_model.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>
#include <tailbound/sim/sources/input_draws.hpp>

#include <bit>
#include <cstdint>
#include <vector>

/// The cells that arrive at a crossbar, 64 slots at a time. Internal to the sim module.
///
/// RESULT    with equal shares those of sim/switch/switch_replication.hpp with the same key.
namespace tailbound::sim {

class CrossbarArrivals {
 public:
  CrossbarArrivals(const CrossbarModel& model, RandomKey key);

  /// Draws the block of the slot, if the slot is its first one.
  void begin(std::uint64_t slot) {
    if (slot % input_block_slots == 0) draw(slot / input_block_slots);
  }
  /// Calls arrive(input, output) for each cell of a slot of the block, in the order of the inputs.
  template <class Arrive>
  void each(std::uint64_t slot, Arrive arrive) const {
    const std::size_t at = slot % input_block_slots;
    for (std::size_t word = 0; word < words_; ++word)
      for (std::uint64_t left = senders_[at * words_ + word]; left != 0; left &= left - 1) {
        const std::size_t input = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
        arrive(input, static_cast<std::uint32_t>(outputs_[at * inputs_ + input]));
      }
  }

  /// At any slot; load() needs the slot at which it was saved.
  void save(ByteWriter& writer, std::uint64_t slot) const;
  void load(ByteReader& reader, std::uint64_t slot);

 private:
  struct Source {
    bool on = false, sending = false;
    std::uint16_t output = 0;
  };
  void draw(std::uint64_t block);
  void send(std::size_t slot, std::size_t input, std::uint16_t output) {
    senders_[slot * words_ + input / 64] |= std::uint64_t{1} << (input % 64);
    outputs_[slot * inputs_ + input] = output;
  }
  void draw_bursts(std::size_t input, std::uint64_t block, InputDraws& draws);
  [[nodiscard]] std::uint16_t draw_output(std::size_t input, InputDraws& draws) const {
    if (binary_) return static_cast<std::uint16_t>(draws.bits(output_bits_));
    const AliasTable& table = tables_.size() == 1 ? tables_.front() : tables_[input];
    return static_cast<std::uint16_t>(table.draw(draws.bits(32)));
  }

  RandomKey key_;
  std::size_t inputs_, ports_;
  bool binary_, per_packet_;
  unsigned output_bits_;
  std::vector<AliasTable> tables_;  ///< one, or one per input
  std::vector<Coin> coins_;
  std::vector<OnOffSlots> bursts_;
  std::vector<Source> sources_, sources_at_start_;
  std::size_t words_;                   ///< 64 inputs each
  std::vector<std::uint64_t> senders_;  ///< [slot * words]: the inputs that send
  std::vector<std::uint16_t> outputs_;  ///< [slot * inputs + input]
};

}  // namespace tailbound::sim
