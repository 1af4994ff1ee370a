#pragma once

#include <fmt/format.h>
#include <tailbound/network/policed/policed_file.hpp>
#include <tailbound/render/fields.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Common parts of the presentation of policed networks.
namespace tailbound::render {

/// Digits of times and data in text.
inline constexpr numeric::Digits policed_digits{6};
/// Maximum rows of text tables; data formats have all rows.
inline constexpr std::size_t max_policed_rows = 32;

/// "13.5 us"
[[nodiscard]] inline std::string time_in_words(const Value& time, const network::PolicedUnits& units) {
  return brief(time, policed_digits) + " " + units.time;
}
/// Name of the class of a queue; "all" for all classes together.
[[nodiscard]] inline std::string class_name(const network::PolicedNetwork& network,
                                            std::optional<std::size_t> traffic_class) {
  return traffic_class ? network.classes[*traffic_class] : std::string("all");
}

/// The complete table for data formats. If it is long, also its leading rows for text, in their original
/// order.
/// \param what   "flows that may be latest"
/// \param row    position -> Row
/// \param first  (position, position) -> does the first one rank higher?
template <class Row, class RowOf, class First>
void add_rows(Result& result, const Table<Row>& table, const char* text_key, const char* what,
              const std::vector<std::size_t>& all, const RowOf& row, const First& first) {
  const auto rows_of = [&](const std::vector<std::size_t>& which) {
    return table.rows(which.size(), [which, row](std::size_t i) { return row(which[i]); });
  };
  result.tables.push_back(rows_of(all));
  if (all.size() <= max_policed_rows) return;
  result.tables.back().in_text = false;
  std::vector<std::size_t> shown = all;
  std::stable_sort(shown.begin(), shown.end(), first);
  shown.resize(max_policed_rows);
  std::sort(shown.begin(), shown.end());
  Rows some = rows_of(shown);
  some.key = text_key;
  some.caption = fmt::format("the {} of {} {}:", shown.size(), all.size(), what);
  result.tables.push_back(std::move(some));
}

}  // namespace tailbound::render
