#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/bounds/path/reorder_buffer.hpp>

#include <optional>
#include <string>
#include <vector>

/// How many packets must the reorder buffer of a flow hold, whose delays are known?
///
/// MODEL     bounds/path/reorder_buffer.hpp
namespace tailbound::answers {

/// What is asked of a reorder buffer: its size, its distribution or both.
struct ReorderTargets {
  std::optional<numeric::Rational> probability{};  ///< of the least b with P(R > b) <= it; above 0, below 1
  std::vector<Packets> levels{};                   ///< b of P(R > b), 0 .. 99 999
};

struct ReorderQuestion {
  std::vector<numeric::Rational> delays;  ///< P(delay = 0), P(delay = 1), ... [slots]; they sum to 1
  numeric::Rational flow_rate;            ///< of the flow [packets/slot], above 0, at most 1
  ReorderTargets targets;
  std::string file{};  ///< that the delays were read from; empty if from none
  numeric::Digits digits{};
  Units units{};
};

/// Reads ReorderQuestion::delays, one a line (series/files/pmf_file.hpp).
/// \param name  of the file, for messages
/// \throws ParseError, InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> parse_delays(const std::string& text, const std::string& name);

struct ReorderAnswer {
  static constexpr bool stored = true;        ///< as bytes, for parts and ranks (points/stored.hpp)
  numeric::Rational flow_rate;                ///< [packets/slot]
  std::optional<bounds::ReorderBuffer> size;  ///< where a probability was asked
  std::vector<numeric::Enclosure<unit::Probability>> tail;  ///< P(R > b), in the order of the levels
  bool computed = false;  ///< of delays that are computed, not proved: to some four digits
};

/// \throws as bounds::reorder_buffer() and bounds::reorder_tails()
[[nodiscard]] ReorderAnswer reorder_answer(const bounds::DelayDistribution& delays,
                                           const numeric::Rational& flow_rate, const ReorderTargets& targets);

/// \throws as bounds::from_pmf() and reorder_answer()
[[nodiscard]] ReorderAnswer answer(const ReorderQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
