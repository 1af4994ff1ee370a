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

/// What is the same in all that is shown of policed networks.
namespace tailbound::render {

/// Of times and data in text.
inline constexpr numeric::Digits policed_digits{6};
/// Rows of text tables; the rest is in data formats.
inline constexpr std::size_t most_policed_rows = 32;

/// "13.5 us"
[[nodiscard]] inline std::string time_in_words(const Value& time, const network::PolicedUnits& units) {
  return brief(time, policed_digits) + " " + units.time;
}
/// Of a queue; that of all classes is "all".
[[nodiscard]] inline std::string class_name(const network::PolicedNetwork& network,
                                            std::optional<std::size_t> traffic_class) {
  return traffic_class ? network.classes[*traffic_class] : std::string("all");
}

/// The whole for data formats; where that is long, the rows that come first again for text, in their old order.
/// \param what   "flows that may be latest"
/// \param row    position -> Row
/// \param first  (position, position) -> does one come before the other?
template <class Row, class RowOf, class First>
void add_rows(Result& result, const Table<Row>& table, const char* text_key, const char* what,
              const std::vector<std::size_t>& all, const RowOf& row, const First& first) {
  const auto rows_of = [&](const std::vector<std::size_t>& which) {
    return table.rows(which.size(), [which, row](std::size_t i) { return row(which[i]); });
  };
  result.tables.push_back(rows_of(all));
  if (all.size() <= most_policed_rows) return;
  result.tables.back().in_text = false;
  std::vector<std::size_t> shown = all;
  std::stable_sort(shown.begin(), shown.end(), first);
  shown.resize(most_policed_rows);
  std::sort(shown.begin(), shown.end());
  Rows some = rows_of(shown);
  some.key = text_key;
  some.caption = fmt::format("the {} of {} {}:", shown.size(), all.size(), what);
  result.tables.push_back(std::move(some));
}

}  // namespace tailbound::render
