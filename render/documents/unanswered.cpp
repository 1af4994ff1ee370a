#include <tailbound/render/documents/unanswered.hpp>

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace tailbound::render {
namespace {

constexpr const char* has_answer = "answered";
constexpr const char* without_answer = "no answer";
constexpr const char* after_stop = "missing";
constexpr std::size_t max_reasons = 5;

/// "load 0.97, target 1e-14": the parameters that differ between the points.
std::string point_in_words(const Document& document, const Result& result) {
  std::string text;
  for (const Column* column : varying_inputs(document))
    if (const std::string value = cell_text(*column, result.inputs, document.digits); !value.empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", column->heading, value);
  return text;
}

std::string status_of(const Result& result) {
  const Value status = value_of(result.cells, "status");
  return std::holds_alternative<Text>(status) ? std::get<Text>(status).text : std::string(has_answer);
}

std::string reason_of(const Document& document, const Result& result) {
  const std::string which = point_in_words(document, result);
  Value reason = value_of(result.cells, "reason");
  if (std::holds_alternative<None>(reason)) reason = value_of(result.cells, "message");  // of a sweep
  const std::string why = std::holds_alternative<None>(reason) ? "" : brief(reason);
  return which + (which.empty() || why.empty() ? "" : ": ") + why;
}

/// "1 of 3 points has no answer", "2 of 3 points are not finished", or both.
std::string counts_in_words(const Document& document) {
  std::size_t refused = 0, unfinished = 0;
  for (const Result& row : document.results) {
    const std::string status = status_of(row);
    if (status == after_stop) ++unfinished;
    if (status != has_answer && status != after_stop) ++refused;
  }
  const std::size_t all = document.results.size();
  std::string text;
  if (refused > 0)
    text = fmt::format("{} of {} points {} no answer", refused, all, refused == 1 ? "has" : "have");
  if (unfinished > 0)
    text += fmt::format("{}{} of {} points {} not finished", text.empty() ? "" : ", ", unfinished, all,
                        unfinished == 1 ? "is" : "are");
  return text;
}

void add_row(Document& document, const Unanswered& one) {
  Result row{.inputs = one.inputs, .cells = one.known};
  row.cells.push_back({"status", Text{one.missing ? after_stop : without_answer}});
  row.cells.push_back({"reason", Text{one.reason}});
  document.results.push_back(std::move(row));
}

}  // namespace

Layout with_status(Layout layout) {
  layout.results.push_back(
      {"status", "status", "", Shape::text,
       "of a list with points that have no answer: answered, no answer, or missing after a stop"});
  layout.results.push_back({"reason", "reason", "", Shape::text, "why there is no answer", Style::hidden});
  return layout;
}

void add_unanswered(Document& document, const std::vector<Unanswered>& unanswered) {
  document.layout = std::make_shared<const Layout>(with_status(*document.layout));
  std::vector<Result> rows = std::exchange(document.results, {});
  const std::size_t count = rows.size();
  auto next = unanswered.begin();
  for (Result& row : rows) {
    while (next != unanswered.end() && next->place == document.results.size()) add_row(document, *next++);
    row.cells.push_back({"status", Text{has_answer}});
    document.results.push_back(std::move(row));
  }
  while (next != unanswered.end()) add_row(document, *next++);
  Headline headline = std::move(document.headline);
  if (count == 1)  // a sentence about one point: which one
    for (const Result& row : document.results)
      if (status_of(row) == has_answer) {
        const std::string which = point_in_words(document, row);
        if (!which.empty()) headline = headline.after(fmt::format("at {}: ", which));
      }
  document.headline = headline.then(counts_in_words(document) + ".");
  std::size_t told = 0;
  for (const Result& row : document.results) {
    if (status_of(row) == has_answer) continue;
    if (told++ == max_reasons) {
      document.notes.push_back(fmt::format("{} more points without an answer; --format json has all reasons.",
                                           unanswered.size() - max_reasons));
      break;
    }
    document.notes.push_back((status_of(row) == after_stop ? "Not finished: " : "No answer: ") +
                             reason_of(document, row) + ".");
  }
}

std::string unanswered_in_words(const Document& document) {
  for (const Result& row : document.results)
    if (status_of(row) != has_answer) {
      const std::string reason = reason_of(document, row);
      return counts_in_words(document) + (reason.empty() ? "" : "; the first: " + reason);
    }
  return {};
}

}  // namespace tailbound::render
