#pragma once

#include <tailbound/answers/buffer/compare.hpp>
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

[[nodiscard]] Layout compare_layout();

/// "n = 4, line 9"; for a power that a series omits "n = 4".
[[nodiscard]] std::string place_in_words(const series::Coefficient& printed);
/// The number in the file, as a decimal of at most the given number of digits, or as a fraction.
[[nodiscard]] std::string printed_in_words(const series::Coefficient& printed, int max_digits);

}  // namespace tailbound::render
