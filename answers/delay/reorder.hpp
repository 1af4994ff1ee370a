#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/bounds/path/reorder_buffer.hpp>

#include <optional>
#include <string>
#include <vector>

/// Size of the reorder buffer of a flow with known delays.
///
/// MODEL     bounds/path/reorder_buffer.hpp
namespace tailbound::answers {

/// What to compute of a reorder buffer: its size, its distribution or both.
struct ReorderTargets {
  std::optional<numeric::Rational> probability{};  ///< of the minimum b with P(R > b) <= it; above 0, below 1
  std::vector<Packets> levels{};                   ///< b of P(R > b), 0 .. 99 999
};

struct ReorderQuery {
  std::vector<numeric::Rational> delays;  ///< P(delay = 0), P(delay = 1), ... [slots]; they sum to 1
  numeric::Rational flow_rate;            ///< of the flow [packets/slot], above 0, at most 1
  ReorderTargets targets;
  std::string file{};  ///< the file of the delays; empty if none
  numeric::Digits digits{};
  Units units{};
};

/// Reads ReorderQuery::delays, one per line (series/files/pmf_file.hpp).
/// \param name  of the file, for messages
/// \throws ParseError, InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> parse_delays(const std::string& text, const std::string& name);

struct ReorderAnswer {
  static constexpr bool stored = true;        ///< as bytes, for parts and ranks (points/stored.hpp)
  numeric::Rational flow_rate;                ///< [packets/slot]
  std::optional<bounds::ReorderBuffer> size;  ///< if a probability was given
  std::vector<numeric::Enclosure<unit::Probability>> tail;  ///< P(R > b), in the order of the levels
  /// For a flow of a network: the delays of its packets are taken as independent, which is not proved; about
  /// four digits. Not for given delays.
  bool computed = false;
  bool in_order = false;  ///< a flow of one path through FIFO queues, which keep its order: R = 0, exactly
};

/// \throws as bounds::reorder_buffer() and bounds::reorder_tails()
[[nodiscard]] ReorderAnswer reorder_answer(const bounds::DelayDistribution& delays,
                                           const numeric::Rational& flow_rate, const ReorderTargets& targets);

/// Of a flow whose packets all take one path through FIFO queues: none overtakes another.
[[nodiscard]] ReorderAnswer reorder_in_order(const numeric::Rational& flow_rate,
                                             const ReorderTargets& targets);

/// \throws as bounds::from_pmf() and reorder_answer()
[[nodiscard]] ReorderAnswer answer(const ReorderQuery& query, const Run& run = {});

}  // namespace tailbound::answers
