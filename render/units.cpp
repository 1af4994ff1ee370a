#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/units.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

using numeric::Rational;

/// One unit replaced by another.
struct Change {
  std::string from, to, suffix;
  Rational factor;
};

std::vector<Change> changes_of(const UnitScale& scale) {
  std::vector<Change> changes;
  if (scale.bytes_of_packet) {
    changes.push_back({"packets", "bytes", "bytes", *scale.bytes_of_packet});
    changes.push_back({"packets", "KiB", "kib", *scale.bytes_of_packet / 1024});
  }
  if (scale.ns_of_slot) changes.push_back({"slots", "ns", "ns", *scale.ns_of_slot});
  return changes;
}

/// An integer number of packets is not an integer in KiB.
Shape changed(Shape shape) {
  return shape == Shape::whole || shape == Shape::slots ? Shape::given : shape;
}

std::vector<Column> with_units(const std::vector<Column>& columns, const std::vector<Change>& changes) {
  std::vector<Column> all;
  for (const Column& column : columns) {
    all.push_back(column);
    for (const Change& change : changes) {
      const std::string key = key_in(column, change.suffix);
      if (column.unit != change.from || has_column(columns, key)) continue;
      Column added = column;
      added.key = key;
      added.unit = change.to;
      added.shape = changed(column.shape);
      added.meaning = column.meaning + ", in " + change.to;
      added.digits = column.digits == 0 ? 6 : column.digits;
      // Means in bytes would clutter a table; buffers and times are what users look for.
      if (change.from == "packets" && column.shape != Shape::whole) added.style = Style::hidden;
      all.push_back(std::move(added));
    }
  }
  return all;
}

/// \param columns  of the layout without units
Cells with_units(const std::vector<Column>& columns, const Cells& cells, const std::vector<Change>& changes) {
  Cells all;
  for (const Cell& cell : cells) {
    all.push_back(cell);
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const Column& candidate) { return candidate.key == cell.key; });
    if (column == columns.end()) continue;
    for (const Change& change : changes) {
      const std::string key = key_in(*column, change.suffix);
      if (column->unit == change.from && !has_column(columns, key))
        all.push_back({key, scaled(cell.value, change.factor), cell.mark});
    }
  }
  return all;
}

}  // namespace

std::string key_in(const Column& column, const std::string& unit) {
  if (column.stem) return column.stem->empty() ? unit : *column.stem + "_" + unit;
  const std::string& key = column.key;
  constexpr std::string_view slots = "_slots", packets = "_packets";
  for (const std::string_view suffix : {slots, packets})
    if (key.size() > suffix.size() && key.compare(key.size() - suffix.size(), suffix.size(), suffix) == 0)
      return key.substr(0, key.size() - suffix.size()) + "_" + unit;
  return key + "_" + unit;
}

std::string bytes_in_words(const Value& packets, const UnitScale& scale) {
  if (!scale.bytes_of_packet) return "";
  const Value bytes = scaled(packets, *scale.bytes_of_packet), kib = scaled(bytes, Rational(1) / 1024);
  return brief(bytes) + " bytes (" + brief(kib, {5}) + " KiB)";
}

std::string ns_in_words(const Value& slots, const UnitScale& scale) {
  return scale.ns_of_slot ? brief(scaled(slots, *scale.ns_of_slot), {10}) + " ns" : "";
}

Layout with_units(Layout layout, const UnitScale& scale) {
  const std::vector<Change> changes = changes_of(scale);
  layout.results = with_units(layout.results, changes);
  for (TableLayout& table : layout.tables) table.columns = with_units(table.columns, changes);
  return layout;
}

Picture with_units(Picture picture, const UnitScale& scale) {
  const auto change = [&](std::string& label, double& factor) {
    for (const Change& its : changes_of(scale)) {
      const std::string former = "[" + its.from + "]";
      const std::size_t at = label.find(former);
      if (at == std::string::npos || its.to == "bytes") continue;
      label.replace(at, former.size(), "[" + its.to + "]");
      factor = numeric::nearest_double(its.factor);
    }
  };
  change(picture.x_label, picture.x_factor);
  change(picture.y_label, picture.y_factor);
  return picture;
}

Document with_units(Document document, const UnitScale& scale) {
  document.scale = scale;
  const std::vector<Change> changes = changes_of(scale);
  if (changes.empty()) return document;
  const std::shared_ptr<const Layout> former = document.layout;
  document.layout = std::make_shared<const Layout>(with_units(*former, scale));
  for (Result& result : document.results) {
    result.cells = with_units(former->results, result.cells, changes);
    for (Rows& rows : result.tables)
      rows.row = [former, changes, row = std::move(rows.row),
                  &columns = table_layout(*former, rows.key).columns](std::size_t i) {
        return with_units(columns, row(i), changes);
      };
  }
  return document;
}

}  // namespace tailbound::render
