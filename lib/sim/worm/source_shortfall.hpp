#pragma once

#include <tailbound/sim/batches/batched_run.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// Do some sources of a simulated wormhole network deliver less than they offer, where the total over all
/// sources does not show it?
///
/// METHOD    Replications are halved. Sources are ranked in one half by their shortfall of delivered against
///           offered messages, in units of its noise (the square root of the messages). The first 1, 2, 4, ..
///           of them are tested as a group on the other half, and vice versa. So the choice of the group does
///           not depend on the data that tests it, and a group of several short sources has less noise than
///           each of them. With one replication, the halves are those of its time. A group is short if its
///           shortfall is above `minimum` of its messages, above 0 in each replication, and above Student's t
///           quantile of its mean over the batches: at 1 - false_alarm / (number of groups).
/// RESULT    In a network that carries its load, a backlog at the end of a batch is shorter as often as
///           longer, and the batches of a stable queue are negatively correlated. Measured with queues with 3
///           % spare capacity: reported as short in at most `false_alarm` of the runs. Closer to saturation
///           the backlog still grows from its empty start: with 1 % to spare up to three times as often.
/// SOURCES   A queue in front of one injection station is a source: its messages are served first come, first
///           served, so all flows of a queue are short if one of them is, and flows need no test of their
///           own.
/// TESTS     tests/sim/source_shortfall_test.cpp
namespace tailbound::sim {

/// Rows of a simulation's counts, both [source]: messages handed to a queue; those of them that were
/// delivered.
struct SourceRows {
  std::size_t offered = 0, delivered = 0;
};

struct ShortfallTest {
  double minimum = 0.005;      ///< fraction of the messages, from 0
  double false_alarm = 0.005;  ///< above 0 and below 1
};

/// The group with the most significant shortfall.
struct SourceShortfall {
  std::uint32_t source = 0;  ///< the one of them with the largest shortfall
  std::uint32_t count = 0;   ///< sources in the group
  double not_carried = 0;    ///< of their messages
  double significance = 0;   ///< t: the shortfall over its standard error
  double threshold = 0;      ///< of t; above it and `minimum` the sources are short
  bool is_short = false;
  std::string name{};     ///< of the source, if the simulation names it
  std::string classes{};  ///< of the messages in its queue, if they have names: "request and reply"

  /// Not short, but a longer run may show a shortfall.
  [[nodiscard]] bool suspicious(const ShortfallTest& test) const {
    return !is_short && not_carried > test.minimum && significance > 1.5;
  }
};

/// Nothing for fewer than 4 batches, or if nothing was offered.
/// COST  sources, times the logarithm of their number, and the batches
[[nodiscard]] std::optional<SourceShortfall> max_shortfall(const RunResult& result, const SourceRows& rows,
                                                           const ShortfallTest& test = {});

}  // namespace tailbound::sim
