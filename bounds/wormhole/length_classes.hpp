#pragma once

#include <tailbound/bounds/wormhole/finite_source.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// The lengths of messages as the rounds of finite_source.hpp need them: a few classes of lengths, and what
/// two messages of any two lengths cost each other on a physical channel.
///
/// MODEL     A message of l flits occupies ceil(l / B) channels at a time, or all of its path; lengths that
///           occupy as many are equal for stations. Lists of up to max_lengths lengths have one class for
///           each; of longer lists and geometric lengths, those that occupy as many channels are merged, with
///           their mean and variance, and of those that occupy all of their path three remain, with the same
///           moments up to the fifth. (27) to (29)
/// SOURCE    docs/derivations/mixed_messages.md; comments cite its equation numbers
/// TESTS     tests/bounds/wormhole/length_classes_test.cpp
/// Internal to the bounds module.
namespace tailbound::bounds::wormhole::finite {

/// Messages of one length, or of several merged. Times and sizes are relative to the mean length of all
/// messages, M.
struct LengthClass {
  double flits = std::numeric_limits<double>::infinity();  ///< mean
  double share = 1;                                        ///< of all messages
  double size = 1;                                         ///< l
  double crossing = 1;     ///< e: time in which a message crosses an idle channel
  double variance = 0;     ///< of it, where several lengths are merged
  std::size_t held = 0;    ///< maximum number of channels that a message occupies; 0: all of its path
  std::size_t levels = 1;  ///< numbers of waits, and one for all of them
  double stored = 0;       ///< fraction of a message that fits into a buffer
  double half = 0.5;       ///< of two messages that meet, the first one's part of the loss: (1 + 1 / l^2) / 2
  double pushed = 0;       ///< that its flits delay the rest of the previous one on their link to one end
  double pair_spread = 2.0 / 3;  ///< variance of the time lost to one other message, divided by its mean
  double spread = 0;             ///< the same in its network, including half a cycle (39)

  /// The level for which channels are occupied.
  [[nodiscard]] std::size_t held_level() const { return held > 0 ? held - 1 : 0; }
};

struct Lengths {
  static constexpr std::size_t max_lengths = 8;

  std::vector<LengthClass> classes;
  /// [kind]: classes and their shares of its messages.
  std::vector<std::vector<std::pair<std::size_t, double>>> laws;
  std::vector<double> sizes;  ///< [kind]: mean length, relative to M
  /// Each length of a list, with its class.
  struct Single {
    std::int64_t flits;
    double share;  ///< of the kind's messages
    std::size_t of;
    double crossing;
  };
  std::vector<std::vector<Single>> singles;                ///< [kind]; none of geometric lengths
  double flits = std::numeric_limits<double>::infinity();  ///< M
  double slack = 0;      ///< flits that fit into each channel beyond those that move, relative to M
  double in_flight = 0;  ///< moving flits in each of them, relative to M
  double crossing = 1;   ///< mean over all messages

  /// Do messages leave channels before their last wait?
  [[nodiscard]] bool releases_early() const;
};

/// \param path       channels of the longest path to which lengths are compared
/// \param on_a_wire  maximum number of virtual channels of a physical channel
[[nodiscard]] Lengths lengths_of(const Worms& worms, double path, int on_a_wire);

/// G: time that a message of `own` flits loses to one of `other` flits in whole cycles, relative to
/// infinitesimal flits. (35)
[[nodiscard]] double pair_loss(double own, double other);

}  // namespace tailbound::bounds::wormhole::finite
