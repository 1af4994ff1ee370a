#pragma once

#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Presentation of the classes and lengths of messages.
namespace tailbound::render {

/// Messages of one class, or of one length of it.
struct MessagePart {
  std::string name{};                   ///< of the class; empty if there is only one
  std::optional<std::int64_t> flits{};  ///< none: all lengths of the class
  bool alone = true;                    ///< the only length of its class
  Value latency{None{}}, source_wait{None{}};
  Value share{None{}};                         ///< of the messages, by the model
  Value throughput{None{}}, messages{None{}};  ///< simulated
  std::vector<Value> percentiles{};            ///< of its latency, simulated

  /// "reply, 5 flits", "reply", "5 flits"
  [[nodiscard]] std::string title() const;
};

[[nodiscard]] std::vector<MessagePart> parts_of(const answers::WormholePoint& point);
[[nodiscard]] std::vector<MessagePart> parts_of(const sim::WormEstimates& found);

/// Table "by_length".  \param shape  of the times: of a model, or estimates
[[nodiscard]] const Table<MessagePart>& message_part_table(Shape shape);

/// Table "by_length" of a comparison.
struct ComparedPart {
  std::string name;
  std::optional<std::int64_t> flits;
  Value prediction{None{}}, simulation{None{}}, error{None{}};  ///< latencies; model / simulation - 1
};
[[nodiscard]] const Table<ComparedPart>& compared_part_table();
/// \param modelled  empty without a solution
[[nodiscard]] std::vector<ComparedPart> compared_parts(const sim::WormEstimates& found,
                                                       const std::vector<answers::MessageLatency>& modelled);

/// Table "by_length_percentiles": of the latency of each part.
struct PartPercentile {
  std::string name;
  std::optional<std::int64_t> flits;
  numeric::Rational fraction;
  Value latency;
};
[[nodiscard]] const Table<PartPercentile>& part_percentile_table();
[[nodiscard]] std::vector<PartPercentile> percentiles_of(const std::vector<MessagePart>& parts,
                                                         const std::vector<numeric::Rational>& fractions);

/// Up to this number of parts have a column each in the table of loads.
inline constexpr std::size_t max_part_columns = 6;
/// The rows of a result, in text only where columns do not show them.
[[nodiscard]] Rows part_rows(std::vector<MessagePart> parts, Shape shape, bool few_results);
/// One column for each part, with its latency; none if there are no parts, or too many.
[[nodiscard]] std::vector<Column> part_columns(const std::vector<MessagePart>& parts, Shape shape);
[[nodiscard]] Cells part_cells(const std::vector<MessagePart>& parts);
/// Lines of a single load: the latency of each part; none if they are too many.
[[nodiscard]] std::vector<Line> part_lines(const std::vector<MessagePart>& parts);

}  // namespace tailbound::render
