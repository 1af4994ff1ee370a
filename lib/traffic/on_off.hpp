#pragma once

#include <tailbound/numeric/rational.hpp>

#include <array>

/// One source that sends its packets in bursts.
///
/// MODEL     A Markov chain with the states OFF and ON. In each slot the source sends one packet with
///           probability `on_rate` if it is ON (none if it is OFF); then it changes from OFF to ON with
///           probability alpha, from ON to OFF with probability beta. Mean burst 1 / beta slots,
///           load = on_rate * alpha / (alpha + beta).
/// SOURCE    the process interconnect simulators know as burst_alpha, burst_beta and burst_r1; Singh and
///           Dally 2004 name bursty injection without defining it. docs/derivations/bursty_queue.md
/// TESTS     tests/traffic/on_off_test.cpp
namespace tailbound::traffic {

/// Burstiness of a source, independent of its load.
struct Burst {
  numeric::Rational slots;        ///< mean length of an ON period, >= 1
  numeric::Rational on_rate = 1;  ///< packets per slot while ON, above 0, at most 1
  friend bool operator==(const Burst&, const Burst&) = default;
};

/// Destinations of a source that sends to several queues.
enum class Destination {
  per_burst,   ///< one queue per burst: flows, messages, files
  per_packet,  ///< one queue per packet, drawn independently
};
[[nodiscard]] constexpr auto names_of(Destination) {
  return std::array{"per-burst", "per-packet"};
}

/// A source of given load with its probabilities as exact rationals.
struct OnOff {
  numeric::Rational load;     ///< mean packets per slot
  numeric::Rational on_rate;  ///< of sending, while ON
  numeric::Rational start;    ///< alpha: OFF -> ON
  numeric::Rational stop;     ///< beta: ON -> OFF
  friend bool operator==(const OnOff&, const OnOff&) = default;

  /// Probability that the source is ON: load / on_rate = alpha / (alpha + beta).
  [[nodiscard]] numeric::Rational on_fraction() const { return load / on_rate; }
};

/// Minimum mean burst of a source with this load: load / (on_rate - load), but at least 1. Shorter bursts
/// would require a probability above 1 of turning ON.
[[nodiscard]] numeric::Rational shortest_burst(const numeric::Rational& load,
                                               const numeric::Rational& on_rate);

/// \throws InvalidArgument  an on-rate outside ]0, 1], a load outside ]0, on-rate[, a burst below
///                          shortest_burst(); each message states the legal range
[[nodiscard]] OnOff on_off(const numeric::Rational& load, const Burst& burst);

/// The same process as seen by a queue that receives each packet with probability `share` (0 < share <= 1).
[[nodiscard]] OnOff thinned(OnOff source, const numeric::Rational& share);

}  // namespace tailbound::traffic
