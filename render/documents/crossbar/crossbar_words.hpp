#pragma once

#include <tailbound/render/documents/crossbar/crossbar.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Sentences about input-queued switches; crossbar.cpp has their numbers. Internal to the render module.
namespace tailbound::render {

/// "islip with 4 iterations"
[[nodiscard]] std::string scheduler_in_words(traffic::CrossbarScheduler scheduler, std::int64_t iterations,
                                             std::int64_t crosspoint);
/// The same with all that differs from usual: "islip with 4 iterations, speedup 1.5"
[[nodiscard]] std::string scheduler_in_words(const answers::CrossbarQuery& query);
/// "16 x 16 input-queued switch, uniform traffic, load 0.9, islip with 4 iterations"
[[nodiscard]] std::string switch_in_words(const answers::CrossbarQuery& query);
/// What all points have in common.
[[nodiscard]] std::string switches_in_words(const std::vector<CrossbarPoint>& points);
/// Why no higher load is carried.
[[nodiscard]] std::string basis_in_words(const answers::CrossbarQuery& query, answers::LoadBasis basis);

[[nodiscard]] Headline crossbar_headline(const Document& document, const std::vector<CrossbarPoint>& points);
/// Of a single point, in place of a table.
[[nodiscard]] std::vector<Line> crossbar_lines(const CrossbarPoint& point, const answers::Units& units);
[[nodiscard]] std::vector<std::string> crossbar_notes(const std::vector<CrossbarPoint>& points);

}  // namespace tailbound::render
