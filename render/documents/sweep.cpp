#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/render/document_bytes.hpp>
#include <tailbound/render/documents/sweep.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

namespace tailbound::render {
namespace {

using answers::SweepPlan;
using answers::SweepPoint;
using answers::SweepRow;
using answers::SweepStatus;

constexpr std::size_t max_notes = 12;

std::string without_numbers(const std::string& note) {
  static const std::regex number("[+-]?[0-9][0-9.]*(e[+-]?[0-9]+)?");
  return std::regex_replace(note, number, "#");
}

/// "Point 3"; "Points 1 to 3, 7, 10 to 12 and 20 more"
std::string points_in_words(const std::vector<std::size_t>& points) {
  constexpr std::size_t max_runs = 5;
  std::vector<std::string> runs;
  std::size_t at = 0;
  while (at < points.size() && runs.size() < max_runs) {
    const std::size_t first = at++;
    while (at < points.size() && points[at] == points[at - 1] + 1) ++at;
    runs.push_back(at - first == 1 ? fmt::format("{}", points[first])
                                   : fmt::format("{} to {}", points[first], points[at - 1]));
  }
  return fmt::format("{} {}{}", points.size() == 1 ? "Point" : "Points", fmt::join(runs, ", "),
                     at < points.size() ? fmt::format(" and {} more", points.size() - at) : "");
}

bool is_number(Shape shape) {
  return shape == Shape::proved || shape == Shape::claim || shape == Shape::bound || shape == Shape::model ||
         shape == Shape::estimate || shape == Shape::number || shape == Shape::whole || shape == Shape::slots;
}

/// The shape of a key used by several commands.
Shape common_shape(Shape a, Shape b) {
  if (a == b) return a;
  const auto both = [&](Shape x, Shape y) { return (a == x && b == y) || (a == y && b == x); };
  if (both(Shape::given, Shape::whole)) return Shape::given;
  if (both(Shape::slots, Shape::whole)) return Shape::slots;
  return is_number(a) && is_number(b) ? Shape::number : Shape::text;
}

void add_columns(std::vector<Column>& all, const std::vector<Column>& more) {
  for (const Column& column : more) {
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const Column& one) { return one.key == column.key; });
    if (known == all.end()) {
      all.push_back(column);
      continue;
    }
    known->shape = common_shape(known->shape, column.shape);
    if (known->unit != column.unit) known->unit.clear();  // differs by command: none rather than a wrong one
  }
}

/// "--packets-per-slot" is "packets_per_slot".
std::string key_of_option(const std::string& option) {
  std::string key = option.substr(option.find_first_not_of('-'));
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

/// An option as typed, converted to the type of its column.
Value typed(const std::string& text, Shape shape) {
  if (shape == Shape::given || shape == Shape::whole) {
    try {
      const numeric::Rational value = numeric::parse_share(text, "option");
      if (shape == Shape::given) return Given{value};
      return Whole{numeric::to_integer(value, "option", INT64_MIN, INT64_MAX)};
    } catch (const InvalidArgument&) {
    }
  }
  return Text{text};
}

class SweepTable {
 public:
  SweepTable(const SweepPlan& plan, const answers::SweepAnswer& answer) : plan_(plan), answer_(answer) {
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
      const SweepRow& row = answer.rows[i];
      kept_.push_back(row.status == SweepStatus::answered ? std::optional(document_of(row.answer))
                                                          : std::nullopt);
    }
    make_layout();
    common_ = common_inputs();
  }

  [[nodiscard]] Document shown() const {
    Document document{.layout = layout_, .headline = headline(), .results = {}};
    for (std::size_t i = 0; i < kept_.size(); ++i) add_point(document, i);
    document.notes = notes();
    if (!answer_.cannot_be_written.empty())
      document.notes.insert(document.notes.begin(),
                            fmt::format("WARNING: {}; {} shown here {} not in it, and no others were run.",
                                        answer_.cannot_be_written, counted(answer_.unsaved, "point"),
                                        answer_.unsaved == 1 ? "is" : "are"));
    document.digits.count = 0;
    for (const auto& one : kept_)
      if (one) document.digits.count = std::max(document.digits.count, one->digits.count);
    if (document.digits.count == 0) document.digits = {};
    if (answer_.stopped)
      mark_stopped(document, kept_.size() - answer_.count(SweepStatus::missing), kept_.size());
    return document;
  }

  /// The axes of the plot.
  [[nodiscard]] Sweep axes() const {
    Sweep sweep;
    if (plan_.x) sweep.axes.push_back(*plan_.x);
    for (const SweepPoint& point : plan_.points)
      for (const std::string& option : point.swept) sweep.axes.push_back(key_of_option(option));
    if (plan_.y) sweep.height = *plan_.y;
    for (const auto& one : kept_) {
      if (!sweep.height.empty() || !one) continue;
      for (const std::string& key : one->layout->quiet)
        if (sweep.height.empty() && has_column(layout_->results, key)) sweep.height = key;
      for (const Column& column : one->layout->results)
        if (sweep.height.empty() && is_number(column.shape) && column.style != Style::hidden)
          sweep.height = column.key;
    }
    return sweep;
  }

 private:
  void make_layout() {
    Layout layout = sweep_layout();
    std::vector<Column> inputs, results;
    for (const auto& one : kept_)
      if (one) {
        add_columns(inputs, one->layout->inputs);
        add_columns(results, one->layout->results);
        for (const TableLayout& table : one->layout->tables) {
          const auto known = std::find_if(layout.tables.begin(), layout.tables.end(),
                                          [&](const TableLayout& other) { return other.key == table.key; });
          if (known == layout.tables.end())
            layout.tables.push_back(table);
          else
            add_columns(known->columns, table.columns);
        }
      }
    for (const SweepPoint& point : plan_.points)
      for (const std::string& option : point.swept)
        if (const std::string key = key_of_option(option);
            !has_column(inputs, key) && !has_column(results, key)) {
          inputs.push_back({key, key, "", Shape::text, "as in the plan"});
          from_plan_.insert(key);
        }
    for (const SweepPoint& point : plan_.points)  // shows the inputs that differ
      for (const std::string& option : point.swept)
        for (std::vector<Column>* columns : {&inputs, &results})
          for (Column& column : *columns)
            if (column.key == key_of_option(option) && column.style == Style::hidden)
              column.style = Style::plain;
    for (const Column& column : inputs) input_keys_.insert(column.key);
    for (const Column& own : layout.inputs) input_keys_.insert(own.key);
    for (const Column& own : layout.results) input_keys_.insert(own.key);
    for (Column& column : results) column.key = result_key(column.key);
    if (answer_.count(SweepStatus::answered) == kept_.size() && answer_.unsaved == 0)
      for (Column& own : layout.results) own.style = Style::hidden;
    add_columns(layout.inputs, inputs);
    results_ = results;
    // Results first, their status last.
    results.insert(results.end(), layout.results.begin(), layout.results.end());
    layout.results = std::move(results);
    layout_ = std::make_shared<const Layout>(std::move(layout));
  }

  /// A key never names both an input and a result.
  [[nodiscard]] std::string result_key(const std::string& key) const {
    return input_keys_.count(key) > 0 ? "found_" + key : key;
  }

  void add_point(Document& document, std::size_t i) const {
    const SweepPoint& point = plan_.points[i];
    const SweepRow& row = answer_.rows[i];
    std::vector<Result> results = kept_[i] ? kept_[i]->results : std::vector<Result>(1);
    for (Result& result : results) {
      for (Cell& cell : result.cells) cell.key = result_key(cell.key);
      result.inputs.insert(result.inputs.begin(), {"command", Text{point.query}});
      for (const auto& option : point.options) {
        const std::string key = key_of_option(option.first);
        const std::string& text = option.second;
        const auto of = [&](const std::vector<Column>& columns, Cells& cells) {
          for (const Column& column : columns)
            if (column.key == key && (!kept_[i] || from_plan_.count(key) > 0))
              cells.push_back({key, text.empty() ? Value(Flag{true}) : typed(text, column.shape)});
        };
        of(layout_->inputs, result.inputs);
        of(results_, result.cells);
      }
      if (!kept_[i]) add_common_inputs(point.query, result.inputs);
      result.cells.push_back({"status", Text{name_of(row.status)}});
      if (!row.message.empty()) result.cells.push_back({"message", Text{row.message}});
      for (Rows& rows : result.tables) rows.in_text = kept_.size() == 1;
      document.results.push_back(std::move(result));
    }
  }

  /// Inputs with the same value in all answers of a command, by command.
  [[nodiscard]] std::map<std::string, Cells> common_inputs() const {
    std::map<std::string, Cells> identical;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (!kept_[i]) continue;
      for (const Result& result : kept_[i]->results) {
        Cells& cells = identical.try_emplace(plan_.points[i].query, result.inputs).first->second;
        std::erase_if(cells, [&](const Cell& cell) {
          return brief(value_of(result.inputs, cell.key)) != brief(cell.value);
        });
      }
    }
    return identical;
  }

  void add_common_inputs(const std::string& query, Cells& inputs) const {
    const auto identical = common_.find(query);
    if (identical == common_.end()) return;
    for (const Cell& cell : identical->second)
      if (std::none_of(inputs.begin(), inputs.end(), [&](const Cell& own) { return own.key == cell.key; }))
        inputs.push_back(cell);
  }

  [[nodiscard]] Headline headline() const {
    const std::size_t all = kept_.size(), answered = answer_.count(SweepStatus::answered);
    std::string text = counted(all, "point");
    const std::string unsaved = answer_.unsaved == 0 ? "" : fmt::format(", {} not stored", answer_.unsaved);
    if (answered == all)
      return Headline::without_numbers(text + (all == 1 ? ", answered" : ", all answered") + unsaved + ".");
    text += fmt::format(": {} answered", answered);
    for (const SweepStatus status :
         {SweepStatus::no_answer, SweepStatus::bad_input, SweepStatus::failed, SweepStatus::missing})
      if (const std::size_t count = answer_.count(status))
        text += fmt::format(", {} {}", count, name_of(status));
    return Headline::without_numbers(text + unsaved + ".");
  }

  /// Each note once, with its points if it does not apply to all. Notes that differ only in their numbers are
  /// one, with the numbers of its first point.
  [[nodiscard]] std::vector<std::string> notes() const {
    struct Note {
      std::string text;
      std::vector<std::size_t> points{};
      bool varies = false;
    };
    std::vector<Note> all;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < kept_.size(); ++i)
      for (const std::string& text : kept_[i] ? kept_[i]->notes : std::vector<std::string>()) {
        const auto [place, is_new] = places.emplace(without_numbers(text), all.size());
        if (is_new) all.push_back({text});
        Note& note = all[place->second];
        note.points.push_back(i + 1);
        note.varies = note.varies || note.text != text;
      }
    std::vector<std::string> notes;
    for (const Note& note : all) {
      if (notes.size() == max_notes) {
        notes.push_back(fmt::format("{} more notes on some points; run these points alone to see them.",
                                    all.size() - max_notes));
        break;
      }
      std::string whose;
      if (note.varies || note.points.size() < answer_.count(SweepStatus::answered))
        whose = points_in_words(note.points) +
                (note.varies ? fmt::format(", with the numbers of point {}: ", note.points.front()) : ": ");
      notes.push_back(whose + note.text);
    }
    return notes;
  }

  const SweepPlan& plan_;
  const answers::SweepAnswer& answer_;
  std::vector<std::optional<Document>> kept_;
  std::map<std::string, Cells> common_;
  std::set<std::string> input_keys_, from_plan_;
  std::vector<Column> results_;  ///< of the commands
  std::shared_ptr<const Layout> layout_;
};

Picture picture(const Document& document, Sweep sweep) {
  const auto& columns = document.layout->results;
  const auto column = std::find_if(columns.begin(), columns.end(),
                                   [&](const Column& one) { return one.key == sweep.height; });
  if (column == columns.end())
    throw NoAnswer(sweep.height.empty() ? "nothing to draw: no point is answered"
                                        : "nothing to draw: no point has the number " + sweep.height);
  double minimum = INFINITY, largest = -INFINITY;
  for (const Result& result : document.results)
    if (const auto log = log10_height(value_of(result.cells, sweep.height)); log && std::isfinite(*log)) {
      minimum = std::min(minimum, *log);
      largest = std::max(largest, *log);
    }
  sweep.powers_of_ten = largest - minimum > 4;
  return sweep_picture(document, sweep,
                       {.title = column->heading, .x_label = "", .y_label = heading_with_unit(*column)});
}

}  // namespace

Layout sweep_layout() {
  return {.command = "sweep",
          .inputs = {{"command", "command", "", Shape::text, "command of the point; its inputs follow"}},
          .results = {{"status", "status", "", Shape::text,
                       "answered, no answer, bad input, failed or missing; its results follow"},
                      {"message", "message", "", Shape::text,
                       "why there is no answer, or why the point is not in the store"}},
          .open = true};
}

Document document(const SweepPlan& plan, const answers::SweepAnswer& answer) {
  const SweepTable table(plan, answer);
  Document document = table.shown();
  const auto drawn = std::make_shared<const Document>(document);
  document.picture = [drawn, sweep = table.axes()] { return picture(*drawn, sweep); };
  return document;
}

}  // namespace tailbound::render
