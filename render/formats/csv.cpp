#include <tailbound/render/document.hpp>

#include <algorithm>
#include <string_view>

namespace tailbound::render {
namespace {

/// A field, quoted as RFC 4180 requires.
std::string quoted_field(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

class CsvLine {
 public:
  void add(const std::string& field) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += quoted_field(field);
  }
  [[nodiscard]] std::string ended() const { return text_ + "\n"; }

 private:
  std::string text_;
  bool first_ = true;
};

/// Suffixes of the columns that accompany a number of this shape: "probability_kind", ...
std::vector<const char*> companions(Shape shape) {
  switch (shape) {
    case Shape::given:
      return {"exact"};
    case Shape::proved:
      return {"kind", "lower", "upper", "exact"};
    case Shape::claim:
      return {"kind", "lower", "upper", "exact", "agreed_digits"};
    case Shape::bound:
    case Shape::model:
      return {"kind"};
    case Shape::estimate:
      return {"kind", "lower", "upper", "confidence"};
    case Shape::number:
      return {"kind", "lower", "upper", "exact", "agreed_digits", "confidence"};
    case Shape::text:
    case Shape::texts:
    case Shape::flag:
    case Shape::whole:
    case Shape::slots:
    case Shape::givens:
      break;
  }
  return {};
}

void add_header(CsvLine& line, const Column& column) {
  line.add(column.key);
  for (const char* companion : companions(column.shape)) line.add(column.key + "_" + companion);
}

std::string companion_text(const Value& value, const Decimals& text, const std::string& name) {
  if (name == "kind") return kind_of(value);
  if (name == "lower") return text.lower;
  if (name == "upper") return text.upper;
  if (name == "exact") return text.exact;
  if (const auto* computed = std::get_if<Approximation>(&value);
      name == "agreed_digits" && computed != nullptr)
    return std::to_string(computed->agreed_digits);
  if (const auto* estimate = std::get_if<Estimate>(&value); name == "confidence" && estimate != nullptr)
    return shortest(estimate->confidence);
  return "";
}

/// Text that a spreadsheet would interpret as a formula gets a leading quote, which the spreadsheet hides.
std::string no_formula(const std::string& text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  const bool number = text.find_first_not_of("+-.0123456789e/") == std::string::npos;
  return formula && !number ? "'" + text : text;
}

void add_fields(CsvLine& line, const Column& column, const Value& value, numeric::Digits digits) {
  const Decimals text = decimals(value, digits);
  const bool is_text = std::holds_alternative<Text>(value) || std::holds_alternative<TextList>(value);
  line.add(is_text ? no_formula(text.value) : text.value);
  for (const char* companion : companions(column.shape)) line.add(companion_text(value, text, companion));
}

/// All columns used by any result or table, so that all lines have the same fields.
struct Plan {
  std::vector<const Column*> inputs, results;
  std::vector<std::pair<const TableLayout*, std::vector<const Column*>>> tables;
};

/// Omitted in CSV, so that the columns do not depend on whether a point was simulated.
constexpr const char* omitted_table = "cross_check";

Plan plan_of(const Document& document) {
  Plan plan;
  std::vector<const Cells*> inputs, cells;
  for (const Result& result : document.results) {
    inputs.push_back(&result.inputs);
    cells.push_back(&result.cells);
  }
  plan.inputs = columns_used(document.layout->inputs, inputs);
  plan.results = columns_used(document.layout->results, cells);
  for (const TableLayout& table : document.layout->tables) {
    if (table.key == omitted_table) continue;
    std::vector<Cells> firsts;
    bool there = false;
    for (const Result& result : document.results)
      for (const Rows& rows : result.tables) {
        if (rows.key != table.key) continue;
        there = true;
        if (rows.size > 0) firsts.push_back(rows.row(0));
      }
    if (!there) continue;
    std::vector<const Cells*> rows;
    for (const Cells& first : firsts) rows.push_back(&first);
    plan.tables.emplace_back(&table, columns_used(table.columns, rows));
  }
  return plan;
}

/// A key used by both a table and the points needs a distinct name.
bool is_of_points(const Plan& plan, const std::string& key) {
  const auto is_it = [&](const Column* column) { return column->key == key; };
  return std::any_of(plan.inputs.begin(), plan.inputs.end(), is_it) ||
         std::any_of(plan.results.begin(), plan.results.end(), is_it);
}

}  // namespace

std::string to_csv(const Document& document, const Frame&) {
  const Plan plan = plan_of(document);
  const bool stacked = plan.tables.size() > 1;  // then a column names the table of each line
  CsvLine header;
  for (const Column* column : plan.inputs) add_header(header, *column);
  for (const Column* column : plan.results) add_header(header, *column);
  if (stacked) header.add("table");
  for (const auto& [table, columns] : plan.tables)
    for (const Column* column : columns) {
      Column named = *column;
      if (stacked || is_of_points(plan, named.key)) named.key = table->key + "_" + named.key;
      add_header(header, named);
    }
  header.add("stopped");
  std::string text = header.ended();

  const auto add_line = [&](const Result& result, const TableLayout* of, const Cells& row) {
    CsvLine line;
    for (const Column* column : plan.inputs)
      add_fields(line, *column, value_of(result.inputs, column->key), document.digits);
    for (const Column* column : plan.results)
      add_fields(line, *column, value_of(result.cells, column->key), document.digits);
    if (stacked) line.add(of == nullptr ? "" : of->key);
    for (const auto& [table, columns] : plan.tables)
      for (const Column* column : columns)
        add_fields(line, *column, table == of ? value_of(row, column->key) : Value(None{}), document.digits);
    line.add(document.stopped ? "true" : "false");
    text += line.ended();
  };
  for (const Result& result : document.results) {
    bool rows_written = false;
    for (const auto& [table, columns] : plan.tables)
      for (const Rows& rows : result.tables)
        for (std::size_t i = 0; rows.key == table->key && i < rows.size; ++i) {
          add_line(result, table, rows.row(i));
          rows_written = true;
        }
    if (!rows_written) add_line(result, nullptr, {});
  }
  return text;
}

}  // namespace tailbound::render
