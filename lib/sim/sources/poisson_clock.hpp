#pragma once

#include <tailbound/sim/bytes.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

/// Times of a Poisson process as whole ticks.
///
/// METHOD    Each gap is rounded, and the rounding error is carried over to the next one: the times do not
///           drift, and do not depend on what is simulated between them.
namespace tailbound::sim {

class PoissonClock {
 public:
  static constexpr std::uint64_t ticks = std::uint64_t{1} << 22U;  ///< per slot

  /// \param rate  events per slot, > 0
  explicit PoissonClock(double rate) : gap_(static_cast<double>(ticks) / rate) {}

  /// Advances to the next event. \param word  64 random bits
  void step(std::uint64_t word) {
    const double uniform = static_cast<double>((word >> 11U) + 1) * 0x1p-53;
    const double exact = rounded_off_ - std::log(uniform) * gap_;
    const double whole = std::max(0.0, std::round(exact));
    rounded_off_ = exact - whole;
    time_ += static_cast<std::uint64_t>(whole);
  }
  /// Of the last event [ticks].
  [[nodiscard]] std::uint64_t time() const { return time_; }

  void save(ByteWriter& writer) const {
    writer.put(time_);
    writer.put(rounded_off_);
  }
  void load(ByteReader& reader) {
    time_ = reader.get<std::uint64_t>();
    rounded_off_ = reader.get<double>();
  }

 private:
  double gap_;  ///< mean [ticks]
  std::uint64_t time_ = 0;
  double rounded_off_ = 0;  ///< of the sum of all gaps [ticks]
};

}  // namespace tailbound::sim
