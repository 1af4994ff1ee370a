#pragma once

#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/sim/bytes.hpp>
#include <tailbound/sim/random.hpp>

#include <span>
#include <vector>

/// Random draws for the simulations of rare events: packets of a slot, plain and tilted.
///
/// MODEL     A = packets in a slot from independent sources, at most one each: A(z) = prod (1 - r + r
///           z)^count. Tilted by z: P~(A = j) = P(A = j) z^j / A(z); a source of rate r becomes one of rate r
///           z / (1 - r + r z).
/// SOURCE    docs/derivations/rare_events.md; Walker 1977, "An efficient method for generating discrete
///           random variables with general distributions" (the table)
/// TESTS     tests/sim/rare_queue_test.cpp
namespace tailbound::sim {

/// sum of count * rate [packets/slot]
[[nodiscard]] double mean_arrivals(std::span<const network::SourceRate> sources);

/// log z0 [1/packet], z0 > 1 the solution of A(z) = z. The error of log A(z0) - log z0 is a few 1e-16.
/// \throws Unstable  a mean of 1 or more
/// \throws NoAnswer  a single source: A(z) = z has no solution, and packets never wait
[[nodiscard]] double decay_exponent(std::span<const network::SourceRate> sources);

/// P~(A = j), j = 0, 1, ..., tilted by e^exponent (0: plain). Truncated where the rest is below 1e-20 of the
/// total.
/// \throws InvalidArgument  a rate outside 0 .. 1, a count outside 1 .. 2^20
/// \throws LimitExceeded    more than 2^14 packets per slot have non-negligible probability
[[nodiscard]] std::vector<double> tilted_probabilities(std::span<const network::SourceRate> sources,
                                                       double exponent);

/// Draws from a distribution on 0, 1, ... with one random number of 32 bits and one table look-up. Each
/// probability is exact up to 2^-32.
class AliasTable {
 public:
  /// \param probabilities  1 to 2^16 of them; their sum is taken as 1
  explicit AliasTable(const std::vector<double>& probabilities);

  [[nodiscard]] std::int32_t draw(std::uint32_t bits) const {
    const Column& column = columns_[bits >> shift_];
    return column.value[static_cast<std::size_t>((bits & mask_) >= column.threshold)];
  }

 private:
  struct Column {
    std::uint32_t threshold;  ///< out of mask_ + 1
    std::uint16_t value[2];   ///< below the threshold, and from it on
  };
  std::vector<Column> columns_;  ///< a power of two
  unsigned shift_;
  std::uint32_t mask_;
};

/// Random numbers of 32 bits, one after the other; the position in the sequence can be saved.
class RandomStream {
 public:
  RandomStream(RandomKey key, std::uint64_t purpose, std::uint64_t entity)
      : key_(key), purpose_(purpose), entity_(entity) {}

  [[nodiscard]] std::uint32_t next() {
    if (used_ == numbers) refill();
    const std::uint64_t word = words_[used_ / 2];
    return static_cast<std::uint32_t>(used_++ % 2 == 0 ? word : word >> 32U);
  }
  void save(ByteWriter& writer) const {
    writer.put(index_);
    writer.put<std::uint64_t>(used_);
  }
  void load(ByteReader& reader) {
    const auto index = reader.get<std::uint64_t>();
    const auto used = reader.get<std::uint64_t>();
    if (used > numbers || index % calls != 0 || (index == 0 && used != numbers)) ByteReader::fail();
    index_ = index;
    if (index_ > 0) {
      index_ -= calls;
      refill();
    }
    used_ = used;
  }

 private:
  static constexpr std::size_t calls = 16, numbers = 8 * calls;
  void refill() {
    random_fill(key_, purpose_, entity_, index_, words_);
    index_ += calls;
    used_ = 0;
  }
  RandomKey key_;
  std::uint64_t purpose_, entity_, index_ = 0;
  std::array<std::uint64_t, 4 * calls> words_{};
  std::size_t used_ = numbers;
};

}  // namespace tailbound::sim
