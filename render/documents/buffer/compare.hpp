#pragma once

#include <tailbound/answers/compare/compare.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/render/document.hpp>

#include <string>
#include <vector>

namespace tailbound::render {

/// One list and one queue.
struct ComparePoint {
  std::string file;
  answers::Traffic traffic;
  answers::CompareQuery query;
  answers::CompareAnswer answer;
};

/// \pre at least one point
[[nodiscard]] Document document(std::vector<ComparePoint> points);

/// The inputs of a point without an answer.
[[nodiscard]] Cells inputs_of(std::string file, const answers::Traffic& traffic,
                              const answers::CompareQuery& query);

/// "2 of 3 settings disagree"; empty if all agree.
[[nodiscard]] std::string disagreements_in_words(const std::vector<ComparePoint>& points);

[[nodiscard]] Layout compare_layout();

/// "P(Q > n) after service, in percent".
[[nodiscard]] std::string in_words(const answers::Reading& reading, std::int64_t first_index);
/// "--of tail --after-service --scale percent --first 1": the options of a reading.
[[nodiscard]] std::string as_options(const answers::Reading& reading, std::int64_t first_index);

/// "n = 4, line 9"; for a power that a series omits "n = 4".
[[nodiscard]] std::string place_in_words(const ComparePoint& point, std::size_t i);
/// The number in the file, as a decimal of at most the given number of digits, or as a fraction.
[[nodiscard]] std::string printed_in_words(const series::Coefficient& printed, int max_digits);

}  // namespace tailbound::render
