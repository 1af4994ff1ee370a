#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <optional>

/// Physical units of a packet and a slot.
namespace tailbound::answers {

/// They affect only how an answer is shown.
struct Units {
  std::optional<std::int64_t> packet_bytes{};    ///< size of a packet [bytes], 1 .. max_packet_bytes
  std::optional<numeric::Rational> link_gbps{};  ///< rate of a link [Gbit/s], above 0, at most max_link_gbps

  static constexpr std::int64_t max_packet_bytes = 9216;
  static constexpr std::int64_t max_link_gbps = 1'000'000;

  /// Time of one packet on the link [ns]; none unless both are known.
  [[nodiscard]] std::optional<numeric::Rational> slot_ns() const {
    if (!packet_bytes || !link_gbps) return std::nullopt;
    return numeric::Rational(static_cast<long>(*packet_bytes * 8)) / *link_gbps;
  }
};

}  // namespace tailbound::answers
