#include <fmt/format.h>
#include <reproduce/index.hpp>
#include <tailbound/render/drawing/typeset.hpp>
#include <tailbound/render/formats/html.hpp>

#include <algorithm>

namespace tailbound::figures {
namespace {

using render::html_escaped;

constexpr const char* title = "Published figures, computed again";
/// Start and end marks of a section; a later run finds it by these.
constexpr const char *begin_mark = "<section class=\"tb-figure\" id=\"",
                     *end_mark = "</section><!-- figure -->\n";

const char* class_of(const Finding& finding) {
  return !finding.agrees ? "tb-open" : *finding.agrees ? "tb-agrees" : "tb-differs";
}

std::string verdict(const Finding& finding) {
  return fmt::format("<span class=\"tb-verdict {}\">{}</span>", class_of(finding),
                     render::verdict_name(finding));
}

/// Published statements next to the computed results.
std::string findings_list(const Result& result) {
  std::string items;
  for (const Finding& finding : result.findings)
    items += fmt::format(
        "<li><h4>{} "
        "{}</h4><p>{}</p><dl><div><dt>published</dt><dd>{}</dd></div><div><dt>computed</dt><dd>{}</dd></div>"
        "</dl></li>\n",
        html_escaped(finding.subject), verdict(finding), html_escaped(finding.claim),
        html_escaped(finding.published), html_escaped(finding.computed));
  return "<ul class=\"tb-findings\">\n" + items + "</ul>\n";
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// "3 agree", in the colour of that verdict; empty if there are none.
std::string tally(const std::string& section, const char* its_class, const char* words) {
  const std::size_t found = count(section, fmt::format("<span class=\"tb-verdict {}\">", its_class));
  return found == 0 ? ""
                    : fmt::format(" <span class=\"tb-verdict {}\">{} {}</span>", its_class, found, words);
}

}  // namespace

Index::Index(const std::string& former) {
  const std::string begin = begin_mark;
  for (std::size_t from = former.find(begin); from != std::string::npos;
       from = former.find(begin, from + 1)) {
    const std::size_t name = from + begin.size(), end = former.find(end_mark, from);
    if (end == std::string::npos) break;
    sections_[former.substr(name, former.find('"', name) - name)] =
        former.substr(from, end - from) + end_mark;
  }
}

bool Index::is_generated(const std::string& page) {
  return page.empty() || (page.find("<meta name=\"generator\" content=\"tailbound ") != std::string::npos &&
                          page.find(title) != std::string::npos);
}

void Index::put(const Figure& figure, const Result& result, bool quick, const std::string& version) {
  std::string commands;
  for (const std::string& command : result.commands) commands += html_escaped(command) + "\n";
  sections_[figure.name] = fmt::format(
      "{}{}\">\n<h2>{}</h2>\n<p><small>{}</small></p>\n<p>{}</p>\n{}<h3>Comparison with the paper</h3>\n{}"
      "<h3>Computed</h3>\n<p>{} <small>By tailbound {}{}.</small></p>\n<h3>Commands</h3>\n"
      "<pre tabindex=\"0\"><code>{}</code></pre>\n<p>Table and picture as files: <a "
      "href=\"{}.csv\">{}.csv</a>, <a "
      "href=\"{}.svg\">{}.svg</a>.</p>\n{}",
      begin_mark, figure.name, html_escaped(figure.title), html_escaped(figure.source),
      html_escaped(figure.shows), render::html_picture(result.picture), findings_list(result),
      html_escaped(result.computed), version,
      quick ? ", with fewer points and shorter simulations (--quick)" : "", commands, figure.name,
      figure.name, figure.name, figure.name, end_mark);
}

std::string Index::page(const std::string& version) const {
  std::string list, sections;
  for (const Figure& figure : all_figures()) {
    const auto found = sections_.find(figure.name);
    if (found == sections_.end()) continue;
    list += fmt::format("<li><a href=\"#{}\">{}</a><span>{}{}{}</span></li>\n", figure.name,
                        html_escaped(figure.title), tally(found->second, "tb-agrees", "agree"),
                        tally(found->second, "tb-differs", "disagree"),
                        tally(found->second, "tb-open", "not compared"));
    sections += found->second;
  }
  const std::string body = fmt::format(
      "<article class=\"tb-answer\">\n<header><p class=\"tb-over\">tailbound "
      "reproduce</p><h1>{}</h1>\n<p>Each figure with the claims of its paper. All computed numbers come from "
      "this run. Analyses are exact or certified for their model; each figure lists what its models neglect. "
      "Simulations are estimates with intervals.</p>"
      "</header>\n<nav class=\"tb-nav\" aria-label=\"Figures\"><ol>\n{}</ol></nav>\n{}</article>\n",
      title, list, sections);
  return render::html_page(title, body, {.version = version});
}

}  // namespace tailbound::figures
