#pragma once

#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/render/fields.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// How a simulated number came to be, the same for all simulations: the plan of its run, and what became of
/// it.
namespace tailbound::render {

/// Of results, behind what was found: all that the numbers depend on, and so not the threads. A run cut short has no
/// slots: batches times batch_slots is what was measured. Of data formats only.
/// \param unit  of time: "cycle" makes cycles and batch_cycles of slots and batch_slots
[[nodiscard]] Fields<answers::Simulated> simulation_fields(const std::string& unit = "slot");

/// The column of a mean time in cycles that was simulated.
[[nodiscard]] Column estimated_cycles(const char* key, const char* heading, const char* meaning,
                                      Style style = Style::plain);

/// "simulated" and "took".
[[nodiscard]] std::vector<Line> simulation_lines(const answers::Simulated& simulated,
                                                 const std::string& unit = "slot");

/// "4 replications of 6400 slots after a warm-up of 832 (by rule), seed 1"; of a run cut short "13 of 64
/// batches of 400 slots, of 4 replications after ..", for what was planned was not run.
[[nodiscard]] std::string in_words(const answers::Simulated& simulated, const std::string& unit = "slot");

/// "3.2 s on 2 threads"; or what was stopped, and after how much.
[[nodiscard]] std::string course_in_words(const answers::Simulated& simulated);

/// For a note on several points: "64 batches each, seed 1", or the least of their numbers of batches.
[[nodiscard]] std::string batches_in_words(const std::vector<const answers::Simulated*>& points);

/// Marks the document where not all is there: "12 of 64 batches", "4 of 9 points, the last with 12 of 64
/// batches".
/// Call it where documents are made of points, with all that were asked for.
/// \param finished  the points that are there, in order, of which the last may be cut short
void mark_stopped(Document& document, const std::vector<const answers::Simulated*>& finished,
                  std::size_t asked);

}  // namespace tailbound::render
