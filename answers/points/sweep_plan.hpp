#pragma once

#include <tailbound/core/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a sweep asks: a file names a question and its options, with lists or ranges for any of them.
///
/// MODEL     [[question]] tables (docs/files.md, "Sweeps"). Each asks every combination of its lists, the last one
///           changing fastest; a list entry that is a range stands for its numbers.
/// TESTS     tests/answers/points/sweep_plan_test.cpp
namespace tailbound::answers {

/// One point: a question as a command line would ask it.
struct SweepPoint {
  std::string question;                                      ///< "buffer", "simulate tree"
  std::vector<std::pair<std::string, std::string>> options;  ///< {"--load", "0.9"}; a flag with an empty text
  std::vector<std::string> swept;                            ///< names of the options that are lists

  /// "buffer --inputs 8 --load 0.9"
  [[nodiscard]] std::string in_words() const;
  /// The same for the same question, in whatever order its options stand.
  [[nodiscard]] std::string key() const;
};

struct SweepPlan {
  std::vector<SweepPoint> points;  ///< at least one, all different, in the order of the file
  /// Of the picture; unless told the first input that varies, and what the question is first about.
  std::optional<std::string> x{}, y{};
};
inline constexpr std::size_t most_sweep_points = 1'000'000;

/// \param name  of the file, for messages
/// \throws ParseError     what is no plan, with its place
/// \throws LimitExceeded  more than most_sweep_points
[[nodiscard]] SweepPlan read_sweep_plan(std::string_view text, const std::string& name);

/// A file's content in 16 letters, for the keys of points that read it.
[[nodiscard]] std::string mark_of(std::string_view content);

}  // namespace tailbound::answers
