#include <fmt/format.h>
#include <tailbound/render/documents/reproduce.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::render {
namespace {

constexpr const char* agreeing_rows = "agrees";
constexpr const char* disagreeing = "does not agree";
constexpr const char* uncompared = "not compared";

/// Number of findings per verdict.
struct Verdicts {
  std::int64_t agree = 0, disagree = 0, uncompared = 0;

  void add(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings)
      ++(!finding.agrees ? uncompared : *finding.agrees ? agree : disagree);
  }
};

/// "4 findings agree with the paper, 1 does not, 1 is not compared"
std::string tally_in_words(const Verdicts& verdicts) {
  const auto either = [](std::int64_t count, const char* one, const char* several) {
    return fmt::format("{} {}", count, count == 1 ? one : several);
  };
  std::string text = either(verdicts.agree, "finding agrees with the paper", "findings agree with the paper");
  if (verdicts.disagree > 0) text += ", " + either(verdicts.disagree, "does not", "disagree");
  if (verdicts.uncompared > 0)
    text += ", " + either(verdicts.uncompared, "is not compared", "are not compared");
  return text;
}

Rows rows_of(const Shared<ReproducedFigure>& figures, std::size_t figure) {
  return {
      .key = "findings", .size = (*figures)[figure].findings.size(), .row = [figures, figure](std::size_t i) {
        const Finding& finding = (*figures)[figure].findings[i];
        return Cells{{"verdict", Text{verdict_name(finding)}},
                     {"subject", Text{finding.subject}},
                     {"claim", Text{finding.claim}},
                     {"published", Text{finding.published}},
                     {"computed", Text{finding.computed}}};
      }};
}

}  // namespace

const char* verdict_name(const Finding& finding) {
  return !finding.agrees ? uncompared : *finding.agrees ? agreeing_rows : disagreeing;
}

Layout reproduce_layout() {
  const auto hidden = [](const char* key, const char* meaning) {
    return Column{key, key, "", Shape::text, meaning, Style::hidden};
  };
  return {.command = "reproduce",
          .inputs = {{"figure", "figure", "", Shape::text, "paper and figure number"},
                     {"quick", "quick", "", Shape::flag, "fewer points and shorter simulations (1/30)"}},
          .results = {hidden("title", "title of the figure"),
                      hidden("csv", "file with the table of the figure"),
                      hidden("svg", "file with the picture"),
                      hidden("readme",
                             "file with published values, computed values, agreement and the commands for "
                             "the same numbers"),
                      hidden("page", "page with all figures of the folder and the published values"),
                      {"agree", "agree", "", Shape::whole, "findings that agree with the paper"},
                      {"disagree", "disagree", "", Shape::whole, "findings that disagree"},
                      {"uncompared", "not compared", "", Shape::whole, "findings without a published value"}},
          .tables = {{"findings",
                      "statements of the paper compared with the computed values",
                      {{"verdict", "verdict", "", Shape::text, "agrees, does not agree, or not compared"},
                       {"subject", "finding", "", Shape::text, "subject of the finding"},
                       hidden("claim", "statement of the paper"),
                       hidden("published", "published value, or that there is none"),
                       hidden("computed", "computed value, and the criterion of agreement")}}},
          .quiet = {"csv", "svg", "readme"}};
}

Document document(const std::vector<ReproducedFigure>& given, std::size_t requested, bool quick) {
  const auto figures = share(given);
  Document document{
      .layout = std::make_shared<const Layout>(reproduce_layout()), .headline = {}, .results = {}};
  Verdicts all;
  for (std::size_t i = 0; i < figures->size(); ++i) {
    const ReproducedFigure& figure = (*figures)[i];
    Verdicts its;
    its.add(figure.findings);
    all.add(figure.findings);
    document.results.push_back({.inputs = {{"figure", Text{figure.name}}, {"quick", Flag{quick}}},
                                .cells = {{"title", Text{figure.title}},
                                          {"csv", Text{figure.csv}},
                                          {"svg", Text{figure.svg}},
                                          {"readme", Text{figure.readme}},
                                          {"page", Text{figure.page}},
                                          {"agree", Whole{its.agree}},
                                          {"disagree", Whole{its.disagree}},
                                          {"uncompared", Whole{its.uncompared}}},
                                .tables = {rows_of(figures, i)},
                                .caption = figure.name + ", " + figure.title});
  }
  const ReproducedFigure& first = figures->front();
  const std::string summary = first.readme + ": details of the comparison and the commands";
  const bool single = figures->size() == 1;
  if (single)
    document.results.front().lines = {{"table", first.csv},
                                      {"picture", first.svg},
                                      {"summary", summary},
                                      {"page", first.page + " (open in a browser)"}};
  else
    document.notes = {"Table and picture of each figure: FIGURE.csv and FIGURE.svg. " + summary + "; " +
                      first.page + ": all figures on one page."};
  document.headline = Headline::without_numbers(
      fmt::format("{}: {}.", single ? first.name : fmt::format("{} figures", figures->size()),
                  tally_in_words(all)),
      true);
  if (figures->size() < requested) {
    document.stopped = true;
    document.stopped_after = fmt::format("{} of {} figures", figures->size(), requested);
  }
  return document;
}

}  // namespace tailbound::render
