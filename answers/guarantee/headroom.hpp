#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/bounds/guarantee/headroom.hpp>

#include <cstdint>
#include <optional>
#include <variant>

/// How much must a lossless buffer still take after it has asked its sender to pause, and how many credits keep a link full?
///
/// MODEL     bounds/guarantee/headroom.hpp
/// TESTS     tests/answers/guarantee/headroom_test.cpp
namespace tailbound::answers {

/// How long a sender may take to obey, in quanta of 512 bit times at its rate.
struct PauseQuanta {
  std::int64_t count = 0;
};

/// What 802.3 lets a sender take, and at which rate: the same, or where 802.3 does not name it the next greater one, which
/// takes more quanta. Beyond 400 Gbit/s as long a time as there, rounded up to quanta.
struct UsualQuanta {
  PauseQuanta quanta;
  std::int64_t of_gbps = 0;
};
/// \param gbps  [Gbit/s], above 0
[[nodiscard]] UsualQuanta usual_pause_quanta(const numeric::Rational& gbps);

/// A link, of which only its rate and its cable must be told. The rest is as usual where it is left out.
struct HeadroomQuestion {
  static constexpr std::int64_t usual_longest = 9216, usual_shortest = 64, usual_metre_ns = 5;

  numeric::Rational gbps;                          ///< [Gbit/s], above 0
  numeric::Rational cable;                         ///< [m]
  std::optional<numeric::Rational> return_gbps{};  ///< of the direction of pause frames; none: the same
  std::variant<std::monostate, numeric::Rational, PauseQuanta>
      sender{};                                    ///< [ns] or quanta; none: usual_pause_quanta()
  std::optional<numeric::Rational> receiver_ns{};  ///< none: as the sender, which passes as many stages
  std::optional<numeric::Rational> metre_ns{};     ///< of cable
  std::optional<numeric::Rational> phy_ns{};       ///< of each direction beside the cable; none: 0
  std::optional<std::int64_t> longest{};           ///< packet that is paused [bytes]
  std::optional<std::int64_t> shortest{};
  std::optional<std::int64_t> return_bytes{};  ///< longest packet of the other direction; none: the same
  std::optional<std::int64_t> cell_bytes{};    ///< of memory; none: memory is in bytes

  [[nodiscard]] bool sender_assumed() const { return std::holds_alternative<std::monostate>(sender); }
  /// Of the sender, as given or assumed; none where it was given in ns.
  [[nodiscard]] std::optional<PauseQuanta> quanta() const;
  /// With all that was not told.
  [[nodiscard]] bounds::PausingLink link() const;
};

struct HeadroomAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  bounds::Headroom headroom;
  bounds::Credits credits;
  std::optional<std::int64_t> cells{};         ///< of the headroom
  std::optional<std::int64_t> credit_cells{};  ///< credits of a cell each
};

/// \throws InvalidArgument, LimitExceeded  as bounds::headroom(), headroom_cells()
[[nodiscard]] HeadroomAnswer answer(const HeadroomQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
