#include <fmt/format.h>
#include <reproduce/readme.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/schema.hpp>

namespace tailbound::figures {
namespace {

constexpr const char* kHead = "# Published figures, computed again\n";

}  // namespace

Readme::Readme(const std::string& former) {
  for (std::size_t from = former.find("\n## "); from != std::string::npos;) {
    const std::size_t next = former.find("\n## ", from + 1);
    const std::string text = former.substr(from + 1, next == std::string::npos ? next : next - from);
    sections_[text.substr(3, text.find('\n') - 3)] = text;
    from = next;
  }
}

bool Readme::is_generated(const std::string& text) {
  return text.empty() || text.rfind(kHead, 0) == 0;
}

void Readme::put(const Figure& figure, const Result& result, bool quick, const std::string& version) {
  std::string text = fmt::format("## {}\n\n{}.\n{}.\n\n![{}]({}.svg)\n\n", figure.name, figure.title,
                                 figure.source, figure.title, figure.name);
  text += fmt::format("Computed by tailbound {}{}; numbers in [{}.csv]({}.csv).\n\n", version,
                      quick ? " with fewer points and shorter simulations (--quick)" : "", figure.name,
                      figure.name);
  text += fmt::format("Published: {}\n\nComputed: {}\n\nCommands that give the same numbers:\n\n",
                      figure.shows, result.computed);
  for (const std::string& command : result.commands) text += "    " + command + "\n";
  text += "\nComparison with the paper:\n\n";
  for (const Finding& finding : result.findings)
    text +=
        fmt::format("- **{}** ({}): {}\n  - published: {}\n  - computed: {}\n", render::verdict_name(finding),
                    finding.subject, finding.claim, finding.published, finding.computed);
  const render::Layout& layout = *result.table.layout;
  text +=
      "\nColumns of the table. The kind of a number and its interval are in further columns, as in all "
      "tables of tailbound:\n";
  text += render::keys_table(render::joined(layout.inputs, layout.results));
  sections_[figure.name] = text + "\n";
}

std::string Readme::text() const {
  std::string text = kHead;
  text +=
      "\nWritten by `tailbound reproduce`. Each run rewrites the sections of its own figures. All numbers "
      "after\n\"computed\" come from the run. Analyses are exact or certified for their model; each figure "
      "lists what its\nmodels neglect. Simulations are estimates with intervals, for the given seed.\n\n";
  for (const Figure& figure : all_figures())
    if (const auto found = sections_.find(figure.name); found != sections_.end()) text += found->second;
  return text;
}

}  // namespace tailbound::figures
