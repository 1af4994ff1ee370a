#pragma once

#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/render/fields.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// Presentation of the run behind simulated numbers, common to all simulations: its plan, and its outcome.
namespace tailbound::render {

/// Result columns that determine the numbers; hence not the threads. A partial run has no slots: batches
/// times batch_slots was measured. Only for data formats.
/// \param unit  of time: "cycle" turns slots and batch_slots into cycles and batch_cycles
[[nodiscard]] Fields<answers::Simulated> simulation_fields(const std::string& unit = "slot");

/// The column of a simulated mean time in cycles.
[[nodiscard]] Column estimated_cycles(const char* key, const char* heading, const char* meaning,
                                      Style style = Style::plain);

/// "simulated" and "took".
[[nodiscard]] std::vector<Line> simulation_lines(const answers::Simulated& simulated,
                                                 const std::string& unit = "slot");

/// "4 replications of 6400 slots after a warm-up of 832 (by rule), seed 1"; for a partial run "13 of 64
/// batches of 400 slots, of 4 replications after ..".
[[nodiscard]] std::string in_words(const answers::Simulated& simulated, const std::string& unit = "slot");

/// "3.2 s on 2 threads"; or what was stopped, and when.
[[nodiscard]] std::string outcome_in_words(const answers::Simulated& simulated);

/// For a note on several points: "64 batches each, seed 1", or the smallest number of batches.
[[nodiscard]] std::string batches_in_words(const std::vector<const answers::Simulated*>& points);

/// Marks the document if it is incomplete: "12 of 64 batches", "4 of 9 points, the last with 12 of 64
/// batches". Called with the number of points requested.
/// \param finished  the available points, in order; the last may be partial
void mark_stopped(Document& document, const std::vector<const answers::Simulated*>& finished,
                  std::size_t requested);

}  // namespace tailbound::render
