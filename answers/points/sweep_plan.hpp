#pragma once

#include <tailbound/core/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The plan of a sweep: a file names a command and its options, with lists or ranges for any of them.
///
/// MODEL     [[query]] tables (docs/files.md, "Sweeps"). Each stands for all combinations of its lists,
/// the last one
///           varying fastest; a range in a list stands for its numbers.
/// TESTS     tests/answers/points/sweep_plan_test.cpp
namespace tailbound::answers {

/// One point: a query in command-line form.
struct SweepPoint {
  std::string query;                                         ///< "buffer", "simulate tree"
  std::vector<std::pair<std::string, std::string>> options;  ///< {"--load", "0.9"}; a flag has an empty text
  std::vector<std::string> swept;                            ///< names of the options with lists

  /// "buffer --inputs 8 --load 0.9"
  [[nodiscard]] std::string in_words() const;
  /// The same for the same query, regardless of the order of options.
  [[nodiscard]] std::string key() const;
};

struct SweepPlan {
  std::vector<SweepPoint> points;  ///< at least one, all different, in the order of the file
  /// Axes of the plot; default: the first varying input, and the main result of the command.
  std::optional<std::string> x{}, y{};
};
inline constexpr std::size_t max_sweep_points = 1'000'000;

/// \param name  of the file, for messages
/// \throws ParseError     not a valid plan, with the position
/// \throws LimitExceeded  more than max_sweep_points
[[nodiscard]] SweepPlan read_sweep_plan(std::string_view text, const std::string& name);

/// A hash of a file's content in 16 characters, for the keys of points that read it.
[[nodiscard]] std::string mark_of(std::string_view content);

}  // namespace tailbound::answers
