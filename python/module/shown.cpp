#include <python/module/shown.hpp>

#include <tailbound/core/cases.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/drawing/svg.hpp>
#include <tailbound/render/formats/html.hpp>
#include <tailbound/version.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

namespace tailbound::python {
namespace {

using render::Document;

/// An integer in transit: rationals are read without the GIL, Python objects are created with it.
struct Integer {
  long small = 0;
  std::string hexadecimal{};  ///< if it is not small

  [[nodiscard]] py::object to_python() const {
    if (hexadecimal.empty()) return py::int_(small);
    PyObject* made = PyLong_FromString(hexadecimal.c_str(), nullptr, 16);
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
  }
};

Integer to_plain(const numeric::Integer& value) {
  if (numeric::bit_length(value) < 62) return {.small = numeric::to_int64(value)};
  return {.hexadecimal = numeric::to_hexadecimal(value)};
}

struct Fraction {
  Integer numerator, denominator;
  [[nodiscard]] py::tuple to_python() const {
    return py::make_tuple(numerator.to_python(), denominator.to_python());
  }
};

Fraction to_plain(const numeric::Rational& value) {
  return {to_plain(numeric::numerator(value)), to_plain(numeric::denominator(value))};
}

/// mantissa times 2^exponent; or infinity.
struct Binary {
  Integer mantissa{};
  long exponent = 0;
  std::optional<double> special{};

  [[nodiscard]] py::tuple to_python() const {
    if (special) return py::make_tuple(*special, 0);
    return py::make_tuple(mantissa.to_python(), exponent);
  }
};

Binary to_plain(const numeric::Real& value) {
  const auto* data = value.backend().data();
  if (mpfr_number_p(data) == 0) return {.special = mpfr_get_d(data, MPFR_RNDN)};
  if (mpfr_zero_p(data) != 0) return {};
  mpz_t mantissa;
  mpz_init(mantissa);
  const long exponent = mpfr_get_z_2exp(mantissa, data);
  Binary binary{.exponent = exponent};
  if (mpz_fits_slong_p(mantissa) != 0) {
    binary.mantissa.small = mpz_get_si(mantissa);
  } else {
    binary.mantissa.hexadecimal.resize(mpz_sizeinbase(mantissa, 16) + 2);
    mpz_get_str(binary.mantissa.hexadecimal.data(), 16, mantissa);
    binary.mantissa.hexadecimal.resize(std::char_traits<char>::length(binary.mantissa.hexadecimal.c_str()));
  }
  mpz_clear(mantissa);
  return binary;
}

/// A value without rationals and reals. Python receives it as (kind, numbers), which
/// python/tailbound/_answers.py reads.
struct Plain {
  std::function<py::object()> to_python;
};

Plain to_plain(const render::Value& value) {
  const auto ready = [](auto make) { return Plain{std::move(make)}; };
  return std::visit(
      Cases{
          [&](const render::None&) { return ready([]() -> py::object { return py::none(); }); },
          [&](const render::Whole& it) {
            return ready([v = it.value]() -> py::object { return py::make_tuple("count", v); });
          },
          [&](const render::Given& it) {
            return ready(
                [v = to_plain(it.value)]() -> py::object { return py::make_tuple("given", v.to_python()); });
          },
          [&](const render::GivenList& it) {
            std::vector<Fraction> all;
            for (const auto& each : it.values) all.push_back(to_plain(each));
            return ready([all]() -> py::object {
              py::list list;
              for (const Fraction& each : all) list.append(each.to_python());
              return py::make_tuple("givens", list);
            });
          },
          [&](const render::Text& it) {
            return ready([v = it.text]() -> py::object { return py::make_tuple("text", v); });
          },
          [&](const render::TextList& it) {
            return ready([v = it.texts]() -> py::object {
              py::list list;
              for (const std::string& each : v) list.append(py::str(each));
              return py::make_tuple("texts", list);
            });
          },
          [&](const render::Flag& it) {
            return ready([v = it.value]() -> py::object { return py::make_tuple("flag", v); });
          },
          [&](const render::Exact& it) {
            return ready(
                [v = to_plain(it.value)]() -> py::object { return py::make_tuple("exact", v.to_python()); });
          },
          [&](const render::Enclosure& it) {
            return ready([a = to_plain(it.lower), b = to_plain(it.upper)]() -> py::object {
              return py::make_tuple("enclosure", a.to_python(), b.to_python());
            });
          },
          [&](const render::Bound& it) {
            if (it.fraction)
              return ready([v = to_plain(*it.fraction), up = it.is_upper]() -> py::object {
                return py::make_tuple("fraction_bound", v.to_python(), up);
              });
            return ready([v = to_plain(it.value), up = it.is_upper]() -> py::object {
              return py::make_tuple("bound", v.to_python(), up);
            });
          },
          [&](const render::Approximation& it) {
            return ready([v = to_plain(it.value), agreed = it.agreed_digits]() -> py::object {
              return py::make_tuple("approximation", v.to_python(), agreed);
            });
          },
          [&](const render::Asymptote& it) {
            return ready([v = it.value]() -> py::object { return py::make_tuple("asymptote", v); });
          },
          [&](const render::Model& it) {
            return ready([v = it.value]() -> py::object { return py::make_tuple("model", v); });
          },
          [&](const render::Estimate& it) {
            return ready([it]() -> py::object {
              return py::make_tuple("estimate", it.value, it.lower, it.upper, it.confidence);
            });
          },
      },
      value);
}

using PlainCells = std::vector<std::pair<std::string, Plain>>;

PlainCells to_plain(const render::Cells& cells) {
  PlainCells all;
  for (const render::Cell& cell : cells) all.emplace_back(cell.key, to_plain(cell.value));
  return all;
}

py::list to_python(const PlainCells& cells) {
  py::list list;
  for (const auto& [key, value] : cells) list.append(py::make_tuple(key, value.to_python()));
  return list;
}

py::tuple to_python(const render::Column& column) {
  return py::make_tuple(column.key, column.heading, column.unit, column.meaning,
                        column.style == render::Style::hidden);
}

py::list to_python(const std::vector<render::Column>& columns) {
  py::list list;
  for (const render::Column& column : columns) list.append(to_python(column));
  return list;
}

/// The times of a result's percentiles as columns: latency_slots_99.99, or class_1_wait_slots_99.99.
/// \param add  called with each column and its value
template <class Add>
void for_each_percentile(const Document& document, const render::Result& result, const Add& add) {
  const auto is_table = [](const auto& table) { return table.key == "percentiles"; };
  const auto rows = std::find_if(result.tables.begin(), result.tables.end(), is_table);
  if (rows == result.tables.end()) return;
  const auto& layouts = document.layout->tables;
  const auto layout = std::find_if(layouts.begin(), layouts.end(), is_table);
  if (layout == layouts.end()) return;
  for (std::size_t i = 0; i < rows->size; ++i) {
    const render::Cells cells = rows->row(i);
    std::string before, heading, percentile;  // what is before the percentile identifies the row, as it does
    for (const render::Column& column : layout->columns) {
      const std::string text = render::cell_text(column, cells, document.digits);
      const bool is_percentile = column.key == "percentile";
      if (percentile.empty()) {
        heading += (heading.empty() ? "" : " ") + (is_percentile ? text + " %" : column.heading + " " + text);
        (is_percentile ? percentile : before) += is_percentile ? text : column.key + "_" + text + "_";
      } else if (column.style != render::Style::hidden && !column.unit.empty() && !text.empty()) {
        render::Column made = column;
        made.key = before + column.key + "_" + percentile;
        made.heading = heading + (column.heading.empty() ? "" : " " + column.heading);
        add(made, render::value_of(cells, column.key));
      }
    }
  }
}

/// The cells of a result, and its percentiles.
render::Cells with_percentiles(const Document& document, const render::Result& result) {
  render::Cells cells = result.cells;
  for_each_percentile(document, result, [&](const render::Column& column, render::Value value) {
    cells.push_back({.key = column.key, .value = std::move(value)});
  });
  return cells;
}

std::string written_now(const cli::Reply& reply, const std::string& format, bool quiet) {
  const render::Frame frame{.version = TAILBOUND_VERSION, .quiet = quiet};
  if (format == "html" && reply.text) return render::html_page(reply.document, *reply.text, frame);
  if (format == "html") return render::to_html(reply.document, frame);
  if (format == "table" && reply.text) return *reply.text;
  if (!reply.document.layout) return reply.text.value_or("");
  if (format == "json") return render::to_json(reply.document, frame);
  if (format == "csv") return render::to_csv(reply.document, frame);
  if (format == "markdown") return render::to_markdown(reply.document, frame);
  return render::to_text(reply.document, frame);
}

const char* name(render::CurveStyle style) {
  switch (style) {
    case render::CurveStyle::points:
      return "points";
    case render::CurveStyle::span:
      return "span";
    case render::CurveStyle::line:
      return "line";
    case render::CurveStyle::steps:
      return "steps";
    case render::CurveStyle::dashed:
      return "dashed";
    case render::CurveStyle::rule:
      return "rule";
    case render::CurveStyle::marks:
      return "marks";
    case render::CurveStyle::bars:
      return "bars";
  }
  return "";
}

py::list to_python(const std::vector<std::pair<double, double>>& points) {
  py::list list;
  for (const auto& [x, y] : points) list.append(py::make_tuple(x, y));
  return list;
}

}  // namespace

const cli::Reply& Shown::Held::reply() {
  if (!made) {
    made = make();
    make = nullptr;
  }
  return *made;
}

std::string Shown::Held::title_of(const render::Result& result) {
  const Document& document = reply().document;
  if (!varying) varying = render::varying_inputs(document);
  std::string title;
  for (const render::Column* column : *varying)
    if (const std::string text = render::cell_text(*column, result.inputs, document.digits); !text.empty())
      title += (title.empty() ? "" : ", ") + column->heading + " " + text;
  return title.empty() ? title : title + ".";
}

Shown::Shown(cli::Reply reply) : held_(std::make_shared<Held>()) {
  held_->made = std::move(reply);
}

Shown::Shown(std::function<cli::Reply()> make) : held_(std::make_shared<Held>()) {
  held_->make = std::move(make);
}

std::string Shown::written(const std::string& format, bool quiet) const {
  const auto text = std::make_shared<std::string>();
  show([held = held_, text, format, quiet] { *text = written_now(held->reply(), format, quiet); });
  return std::move(*text);
}

std::size_t Shown::size() const {
  std::size_t size = 0;
  show([this, &size] { size = held_->reply().document.results.size(); });
  return size;
}

py::dict Shown::content(bool with_results) const {
  struct Result {
    PlainCells inputs, cells, text_cells, percentiles;
    std::string caption;
    std::vector<std::pair<std::string, std::size_t>> tables;
  };
  struct Content {
    std::shared_ptr<const render::Layout> layout;
    std::string headline, stopped_after, text;
    std::vector<std::string> notes;
    std::vector<render::Column> text_columns, percentile_columns;
    std::vector<Result> results;
    int digits = 10, status = 0;
    bool stopped = false;
  };
  const auto seen = std::make_shared<Content>();
  show([held = held_, seen, with_results] {
    const cli::Reply& reply = held->reply();
    const Document& document = reply.document;
    *seen = {.layout = document.layout,
             .headline = document.headline,
             .stopped_after = document.stopped_after,
             .text = reply.text.value_or(""),
             .notes = document.notes,
             .text_columns = document.text_columns,
             .percentile_columns = {},
             .results = {},
             .digits = document.digits.count,
             .status = static_cast<int>(reply.status()),
             .stopped = document.stopped};
    if (!with_results) return;
    for (const render::Result& result : document.results) {
      Result& made = seen->results.emplace_back(Result{.inputs = to_plain(result.inputs),
                                                       .cells = to_plain(result.cells),
                                                       .text_cells = to_plain(result.text_cells),
                                                       .percentiles = {},
                                                       .caption = result.caption,
                                                       .tables = {}});
      for (const render::Rows& rows : result.tables) made.tables.emplace_back(rows.key, rows.size);
      for_each_percentile(document, result, [&](const render::Column& column, const render::Value& value) {
        made.percentiles.emplace_back(column.key, to_plain(value));
        const auto same = [&](const render::Column& each) { return each.key == column.key; };
        if (std::none_of(seen->percentile_columns.begin(), seen->percentile_columns.end(), same))
          seen->percentile_columns.push_back(column);
      });
    }
  });
  py::dict content;
  content["command"] = seen->layout ? seen->layout->command : "";
  content["headline"] = seen->headline;
  py::list notes;
  for (const std::string& note : seen->notes) notes.append(py::str(note));
  content["notes"] = notes;
  content["digits"] = seen->digits;
  content["status"] = seen->status;
  content["stopped"] = seen->stopped;
  content["stopped_after"] = seen->stopped_after;
  py::list tables, results;
  if (seen->layout) {
    content["inputs"] = to_python(seen->layout->inputs);
    content["results_columns"] = to_python(seen->layout->results);
    for (const render::TableLayout& table : seen->layout->tables)
      tables.append(py::make_tuple(table.key, table.meaning, to_python(table.columns)));
  } else {
    content["inputs"] = py::list();
    content["results_columns"] = py::list();
  }
  content["tables"] = tables;
  content["text_columns"] = to_python(seen->text_columns);
  content["percentile_columns"] = to_python(seen->percentile_columns);
  for (const Result& result : seen->results) {
    py::list sizes;
    for (const auto& [key, size] : result.tables) sizes.append(py::make_tuple(key, size));
    results.append(py::make_tuple(to_python(result.inputs), to_python(result.cells), sizes, result.caption,
                                  to_python(result.text_cells), to_python(result.percentiles)));
  }
  content["results"] = results;
  return content;
}

py::list Shown::table(std::size_t result, std::size_t table) const {
  const auto rows = std::make_shared<std::vector<PlainCells>>();
  show([held = held_, rows, result, table] {
    const render::Rows& requested = held->reply().document.results.at(result).tables.at(table);
    for (std::size_t i = 0; i < requested.size; ++i) rows->push_back(to_plain(requested.row(i)));
  });
  py::list list;
  for (const PlainCells& row : *rows) list.append(to_python(row));
  return list;
}

Columns Shown::columns() const {
  const auto made = std::make_shared<Columns>();
  show([held = held_, made] {
    const Document& document = held->reply().document;
    for (const render::Result& result : document.results)
      made->add(result.inputs, with_percentiles(document, result));
  });
  return std::move(*made);
}

Columns Shown::columns_of(const std::vector<std::size_t>& rows) const {
  const auto made = std::make_shared<Columns>();
  show([held = held_, made, rows] {
    const Document& document = held->reply().document;
    for (const std::size_t row : rows) {
      const render::Result& result = document.results.at(row);
      made->add(result.inputs, with_percentiles(document, result));
    }
  });
  return std::move(*made);
}

std::vector<std::pair<std::size_t, std::string>> Shown::refused() const {
  const auto found = std::make_shared<std::vector<std::pair<std::size_t, std::string>>>();
  show([held = held_, found] {
    const std::vector<render::Result>& results = held->reply().document.results;
    for (std::size_t i = 0; i < results.size(); ++i)
      if (const render::Value reason = render::value_of(results[i].cells, "reason");
          std::holds_alternative<render::Text>(reason))
        found->emplace_back(i, std::get<render::Text>(reason).text);
  });
  return std::move(*found);
}

std::shared_ptr<Shown> Shown::part(std::size_t row) const {
  return std::make_shared<Shown>([held = held_, row]() -> cli::Reply {
    const Document& whole = held->reply().document;
    const render::Result& result = whole.results.at(row);
    return {.document = {.layout = whole.layout,
                         .headline = render::Headline::without_numbers(held->title_of(result)),
                         .settings = whole.settings,
                         .results = {result},
                         .notes = whole.notes,
                         .digits = whole.digits,
                         .text_columns = whole.text_columns}};
  });
}

py::list Shown::values(const std::string& key, const std::vector<std::size_t>& rows) const {
  const auto plains = std::make_shared<std::vector<Plain>>();
  show([held = held_, plains, key, rows] {
    const Document& document = held->reply().document;
    for (const std::size_t row : rows) {
      const render::Result& result = document.results.at(row);
      render::Value value = render::value_of(result.cells, key);
      const auto is_missing = [&value] { return std::holds_alternative<render::None>(value); };
      if (is_missing()) value = render::value_of(result.inputs, key);
      if (is_missing()) value = render::value_of(with_percentiles(document, result), key);
      plains->push_back(to_plain(value));
    }
  });
  py::list list;
  for (const Plain& each : *plains) list.append(each.to_python());
  return list;
}

Columns Shown::table_columns(std::size_t result, std::size_t table) const {
  const auto made = std::make_shared<Columns>();
  show([held = held_, made, result, table] {
    const render::Rows& requested = held->reply().document.results.at(result).tables.at(table);
    for (std::size_t i = 0; i < requested.size; ++i) made->add({}, requested.row(i));
  });
  return std::move(*made);
}

namespace {

/// \throws NoAnswer
render::Picture required_picture(const Document& document) {
  if (!document.layout) throw NoAnswer("there is nothing to draw");
  return render::picture_of(document);
}

}  // namespace

std::string Shown::svg() const {
  const auto drawn = std::make_shared<std::string>();
  show([held = held_, drawn] { *drawn = render::svg_file(required_picture(held->reply().document)); });
  return *drawn;
}

py::dict Shown::picture() const {
  const auto picture = std::make_shared<render::Picture>();
  show([held = held_, picture] {
    *picture = render::named_where_hidden(*render::DrawnPicture(required_picture(held->reply().document)));
    if (picture->network) throw NoAnswer("networks have no curves: svg() draws them");
  });
  py::dict drawn;
  drawn["title"] = picture->title;
  drawn["x_label"] = picture->x_label;
  drawn["y_label"] = picture->y_label;
  drawn["note"] = picture->note;
  drawn["powers_of_ten"] = picture->powers_of_ten;
  drawn["x_powers_of_ten"] = picture->x_powers_of_ten;
  drawn["log_y"] = picture->log_y;
  py::list curves;
  for (const render::Curve& curve : picture->curves) {
    py::dict made;
    made["title"] = curve.title;
    made["style"] = name(curve.style);
    made["points"] = to_python(curve.points);
    made["marked"] = to_python(curve.marked);
    py::list labels;
    for (const std::string& label : curve.labels) labels.append(py::str(label));
    made["labels"] = labels;
    made["ends"] = to_python(curve.ends);
    made["colour"] = curve.colour ? py::object(py::int_(*curve.colour)) : py::object(py::none());
    curves.append(made);
  }
  drawn["curves"] = curves;
  return drawn;
}

}  // namespace tailbound::python
