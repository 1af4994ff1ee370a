#pragma once

#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/render/documents/simulation/simulate_tree.hpp>
#include <tailbound/render/fields.hpp>

#include <string>
#include <vector>

/// Presentation of simulated networks with flow control, as parts of the document of `simulate tree`.
namespace tailbound::render {

/// ", credit flow control, VOQ buffers of 8 packets, round trip 4 slots"
[[nodiscard]] std::string control_in_words(const sim::FlowControl& control);
/// All inputs except the buffer size.
[[nodiscard]] const Fields<sim::FlowControl>& control_inputs();
[[nodiscard]] const Fields<answers::CarriedTraffic>& carried_fields();
/// Throughput, deadlocks, the link that is blocked most, and the balance of packets.
/// \pre  answer.carried
[[nodiscard]] std::vector<Line> carried_lines(const answers::SimulateTreeAnswer& answer);
/// \pre  at least one of the points has no delays
[[nodiscard]] Headline carried_in_words(const Document& document,
                                        const std::vector<SimulateTreePoint>& points);
void add_control_notes(std::vector<std::string>& notes, const std::vector<SimulateTreePoint>& points);

}  // namespace tailbound::render
