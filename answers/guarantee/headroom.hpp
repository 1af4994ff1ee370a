#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/bounds/guarantee/headroom.hpp>

#include <cstdint>
#include <optional>
#include <variant>

/// Headroom of a lossless buffer after it has sent a pause frame, and the credits that keep a link busy.
///
/// MODEL     bounds/guarantee/headroom.hpp
/// TESTS     tests/answers/guarantee/headroom_test.cpp
namespace tailbound::answers {

/// Maximum response time of a sender, in quanta of 512 bit times at its rate.
struct PauseQuanta {
  std::int64_t count = 0;
};

/// The response time that 802.3 allows, and the rate at which it is defined: the given one, or if 802.3 does
/// not define it the next higher one, which allows more quanta. Above 400 Gbit/s the same time as at 400,
/// rounded up to quanta.
struct UsualQuanta {
  PauseQuanta quanta;
  std::int64_t of_gbps = 0;
};
/// \param gbps  [Gbit/s], above 0
[[nodiscard]] UsualQuanta usual_pause_quanta(const numeric::Rational& gbps);

/// A link. Only its rate and its cable length are required; everything else has defaults.
struct HeadroomQuery {
  static constexpr std::int64_t usual_longest = 9216, usual_shortest = 64, usual_metre_ns = 5;

  numeric::Rational gbps;                          ///< [Gbit/s], above 0
  numeric::Rational cable;                         ///< [m]
  std::optional<numeric::Rational> return_gbps{};  ///< of the direction of pause frames; default: the same
  std::variant<std::monostate, numeric::Rational, PauseQuanta>
      sender{};                                    ///< [ns] or quanta; default usual_pause_quanta()
  std::optional<numeric::Rational> receiver_ns{};  ///< default: as the sender, which passes as many stages
  std::optional<numeric::Rational> metre_ns{};     ///< of cable
  std::optional<numeric::Rational> phy_ns{};       ///< of each direction, excluding the cable; default 0
  std::optional<std::int64_t> longest{};           ///< longest packet of the paused direction [bytes]
  std::optional<std::int64_t> shortest{};
  std::optional<std::int64_t> return_bytes{};  ///< longest packet of the other direction; default: the same
  std::optional<std::int64_t> cell_bytes{};    ///< of memory; none: memory in bytes

  [[nodiscard]] bool sender_assumed() const { return std::holds_alternative<std::monostate>(sender); }
  /// Of the sender, as given or by default; none if given in ns.
  [[nodiscard]] std::optional<PauseQuanta> quanta() const;
  /// With all defaults filled in.
  [[nodiscard]] bounds::PausingLink link() const;
};

struct HeadroomAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  bounds::Headroom headroom;
  bounds::Credits credits;
  std::optional<std::int64_t> cells{};         ///< of the headroom
  std::optional<std::int64_t> credit_cells{};  ///< credits of one cell each
};

/// \throws InvalidArgument, LimitExceeded  as bounds::headroom(), headroom_cells()
[[nodiscard]] HeadroomAnswer answer(const HeadroomQuery& query, const Run& run = {});

}  // namespace tailbound::answers
