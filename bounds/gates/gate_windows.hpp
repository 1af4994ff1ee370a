#pragma once

#include <tailbound/bounds/curves/step_curves.hpp>
#include <tailbound/network/policed/policed_network.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

/// What a class can surely send through its gate (802.1Qbv).
///
/// MODEL     A gate list of cycle T repeats; its phase is unknown to the sources. If it follows a clock,
///           windows are shorter at both ends by the clock's error. Higher classes are served first among
///           those whose gate is open and whose packet may begin (network::Guard).
/// RESULT    the windows of a class, what lower classes take of each at its opening, X, and what is surely
///           carried in the rest, S
/// SOURCE    docs/derivations/time_sensitive.md, section 5
/// TESTS     tests/bounds/gates/gate_windows_test.cpp
namespace tailbound::bounds {

/// A class at a port with gates.
struct GatedClass {
  std::size_t number = 0;
  Rational shortest, longest;  ///< packets of its flows [data]
};

/// (5.1): what a class that is alone in a window of this much data surely sends of it.
/// \param guarded  with less left, no packet may begin [data]
[[nodiscard]] Rational surely_sent(const Rational& window, const GatedClass& its, const Rational& guarded);

struct GateWindow {
  Rational opens, closes;  ///< [time], opens in [0, T); closes may be after T
  Rational lost;           ///< X: at its opening, until no lower class is sending [time]
  Rational carried;        ///< S: surely sent of the class, and of those above that are open with it [data]
  Rational unused;         ///< E: at its end, where no packet may fit [data]
};

/// What (5.3) needs. Always open: one window, [0, T), without loss.
struct GatedService {
  Rational cycle;  ///< T
  bool always = false;
  std::vector<GateWindow> windows;
  std::vector<std::size_t> above, apart;  ///< classes K, open in all windows; N, in a part of them
  bool shared = false;                    ///< is another class open in one of its windows?
  Rational lower;  ///< longest packet of lower classes whose windows overlap its own [data]
  /// R: data sent in the long run.
  [[nodiscard]] Rational rate() const;
  /// If window `skipped` was partly used before: at least R (t - L) is sent within t. [time]
  [[nodiscard]] Rational latency(std::size_t skipped, const Rational& port_rate) const;
  /// The same exactly, up to `end`: C |U| of (5.3), after `wait`.
  [[nodiscard]] StepCurve sent(std::size_t skipped, const Rational& port_rate, const Rational& wait,
                               const Rational& end) const;
  /// When the window after it opens and closes, in the time of sent().
  [[nodiscard]] std::pair<Rational, Rational> next_window(std::size_t skipped,
                                                          const Rational& port_rate) const;
  [[nodiscard]] std::size_t pieces_until(const Rational& end) const;
};

/// \param classes  those with flows at the port, highest first  \param its  one of them
[[nodiscard]] GatedService gated_service(const network::PolicedPort& port,
                                         const std::vector<GatedClass>& classes, std::size_t its);

}  // namespace tailbound::bounds
