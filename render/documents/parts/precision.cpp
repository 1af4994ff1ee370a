#include <fmt/format.h>
#include <tailbound/render/documents/parts/precision.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

constexpr std::size_t max_names = 12;

class Widths {
 public:
  explicit Widths(double target) : target_(target) {}

  void look_at(const std::vector<Column>& columns, const Cells& cells, const std::string& where) {
    for (const Cell& cell : cells) {
      const auto* estimate = std::get_if<Estimate>(&cell.value);
      if (estimate == nullptr || estimate->bare()) continue;
      const auto column = std::find_if(columns.begin(), columns.end(),
                                       [&](const Column& one) { return one.key == cell.key; });
      const std::string name = (column == columns.end() ? cell.key : column->heading) + where;
      if (estimate->open() || estimate->value == 0)
        found_.unseen.push_back(name);
      else if ((estimate->upper - estimate->lower) / 2 > target_ * std::abs(estimate->value))
        found_.wide.push_back(name);
    }
  }
  [[nodiscard]] answers::WideIntervals found() { return std::move(found_); }

 private:
  double target_;
  answers::WideIntervals found_;
};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), max_names); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > max_names ? fmt::format("{} and {} more", text, names.size() - max_names) : text;
}

}  // namespace

answers::WideIntervals wide_intervals(const Document& document, const numeric::Rational& half_width) {
  Widths widths(numeric::nearest_double(half_width));
  for (const Result& result : document.results) {
    widths.look_at(document.layout->results, result.cells, "");
    for (const Rows& rows : result.tables) {
      const TableLayout& table = table_layout(*document.layout, rows.key);
      for (std::size_t i = 0; i < rows.size; ++i) {
        const Cells row = rows.row(i);
        const std::string first = row.empty() ? "" : cell_text(table.columns.front(), row, {});
        widths.look_at(table.columns, row, fmt::format(" ({} {})", rows.key, first));
      }
    }
  }
  return widths.found();
}

void add_precision(Document& document, const answers::PrecisionTarget& target,
                   const std::vector<answers::PrecisionReached>& reached, double confidence) {
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const answers::PrecisionReached& one = reached[i];
    const auto& [wide, unseen] = one.intervals;
    std::string note = reached.size() > 1 ? fmt::format("Point {}: ", i + 1) : "";
    note += fmt::format(
        "{} {:.4g} % of its value, after {} replications, at check {} of at most {}.",
        wide.empty() ? "every interval has a half-width of at most"
                     : "the limit was reached before every interval had a half-width of at most",
        100 * numeric::nearest_double(target.half_width), one.replications, one.looks, one.max_looks);
    if (!wide.empty()) note += fmt::format(" Still wider: {}.", listed(wide));
    if (!unseen.empty()) note += fmt::format(" Too few observations: {}.", listed(unseen));
    if (reached.size() == 1) note = capitalized(std::move(note));
    document.notes.push_back(std::move(note));
  }
  if (!reached.empty())
    document.notes.push_back(
        fmt::format("Repeated checks are accounted for: {:.6g} % confidence at each check gives {:.4g} % at "
                    "the one where the run stopped.",
                    100 * reached.front().confidence_of_each, 100 * confidence));
}

}  // namespace tailbound::render
