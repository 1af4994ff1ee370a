#include <tailbound/answers/points/stored_fields.hpp>
#include <tailbound/render/document_bytes.hpp>

namespace tailbound::answers::stored {

template <>
inline constexpr render::Shape last_of<render::Shape> = render::Shape::number;
template <>
inline constexpr render::Style last_of<render::Style> = render::Style::hidden;

template <>
struct Form<render::Rows> {
  static void put(run::ByteWriter& to, const render::Rows& rows) {
    stored::put(to, rows.key);
    stored::put(to, rows.caption);
    std::vector<render::Cells> all;
    for (std::size_t i = 0; i < rows.size; ++i) all.push_back(rows.row(i));
    stored::put(to, all);
  }
  static render::Rows get(run::ByteReader& from) {
    render::Rows rows;
    rows.key = stored::get<std::string>(from);
    rows.caption = stored::get<std::string>(from);
    const auto all = render::share(stored::get<std::vector<render::Cells>>(from));
    rows.size = all->size();
    rows.row = [all](std::size_t i) { return (*all)[i]; };
    return rows;
  }
};

template <>
struct Form<render::Result> {
  static void put(run::ByteWriter& to, const render::Result& result) {
    stored::put(to, result.inputs);
    stored::put(to, result.cells);
    stored::put(to, result.tables);
    stored::put(to, result.caption);
  }
  static render::Result get(run::ByteReader& from) {
    render::Result result;
    result.inputs = stored::get<render::Cells>(from);
    result.cells = stored::get<render::Cells>(from);
    result.tables = stored::get<std::vector<render::Rows>>(from);
    result.caption = stored::get<std::string>(from);
    return result;
  }
};

}  // namespace tailbound::answers::stored

namespace tailbound::render {
namespace {

using answers::stored::get;
using answers::stored::put;

/// The keys that are used.
Layout used_layout(const Document& document) {
  const Layout& whole = *document.layout;
  Layout used{.command = whole.command,
              .inputs = {},
              .results = {},
              .quiet = whole.quiet,
              .quiet_table = whole.quiet_table};
  std::vector<const Cells*> inputs, cells;
  for (const Result& result : document.results) {
    inputs.push_back(&result.inputs);
    cells.push_back(&result.cells);
  }
  for (const Column* column : columns_used(whole.inputs, inputs)) used.inputs.push_back(*column);
  for (const Column* column : columns_used(whole.results, cells)) used.results.push_back(*column);
  for (const TableLayout& table : whole.tables) {
    bool is_there = false;  // possibly without rows
    std::vector<Cells> firsts;
    for (const Result& result : document.results)
      for (const Rows& rows : result.tables) {
        if (rows.key != table.key) continue;
        is_there = true;
        if (rows.size > 0) firsts.push_back(rows.row(0));
      }
    std::vector<const Cells*> rows;
    for (const Cells& first : firsts) rows.push_back(&first);
    if (!is_there) continue;
    TableLayout& kept = used.tables.emplace_back(TableLayout{table.key, table.meaning, {}});
    for (const Column* column : columns_used(table.columns, rows)) kept.columns.push_back(*column);
  }
  return used;
}

}  // namespace

std::string to_bytes(const Document& document) {
  run::ByteWriter to;
  put(to, used_layout(document));
  put(to, document.headline.text());
  put(to, document.settings);
  put(to, document.results);
  put(to, document.notes);
  put(to, document.digits);
  put(to, document.stopped);
  put(to, document.stopped_after);
  return to.take();
}

Document document_of(std::string_view bytes) {
  try {
    run::ByteReader from(bytes);
    Document document;
    document.layout = std::make_shared<const Layout>(get<Layout>(from));
    document.headline = Headline::without_numbers(get<std::string>(from), true);  // as it was decided
    document.settings = get<std::string>(from);
    document.results = get<std::vector<Result>>(from);
    document.notes = get<std::vector<std::string>>(from);
    document.digits = get<numeric::Digits>(from);
    document.stopped = get<bool>(from);
    document.stopped_after = get<std::string>(from);
    if (from.at_end()) return document;
  } catch (const Error&) {
  }
  answers::stored::reject();
}

}  // namespace tailbound::render
