#include <fmt/format.h>
#include <cli/formats.hpp>
#include <cli/gnuplot.hpp>
#include <cli/read_file.hpp>
#include <cli/reproduce_command.hpp>
#include <cli/reproduce_greenberg_guan.hpp>
#include <cli/reproduce_mohapatra.hpp>
#include <cli/reproduce_shahrabi.hpp>
#include <cli/reproduce_singh_dally.hpp>
#include <cli/traffic_options.hpp>
#include <cli/write_file.hpp>
#include <tailbound/answers/points.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace tailbound::cli {
namespace reproduce {

const std::vector<Figure>& all_figures() {
  static const std::vector<Figure> figures = [] {
    std::vector<Figure> list;
    for (const auto& paper :
         {singh_dally_figures, greenberg_guan_figures, mohapatra_figures, shahrabi_figures}) {
      std::vector<Figure> more = paper();
      std::move(more.begin(), more.end(), std::back_inserter(list));
    }
    return list;
  }();
  return figures;
}

}  // namespace reproduce

namespace {

namespace fs = std::filesystem;
using reproduce::Figure;
using reproduce::Finding;

constexpr const char* kReadme = "README.md";
constexpr const char* kReadmeHead = "# Published figures, computed again\n";

/// As typed; an option that was not given is empty.
struct Options {
  std::optional<std::string> name, output;
  bool quick = false;
};

/// A figure's summary, once its files are in place.
struct Done {
  const Figure* figure;
  std::vector<std::string> files;  ///< names in the folder
  std::vector<Finding> findings;
};

/// What NAME may be: all, each paper, each figure.
std::vector<std::string> known_names() {
  std::vector<std::string> names{"all"};
  for (const Figure& figure : reproduce::all_figures()) {
    if (std::find(names.begin(), names.end(), figure.paper) == names.end()) names.push_back(figure.paper);
    names.push_back(figure.name);
  }
  return names;
}

std::vector<const Figure*> chosen_figures(const Options& options) {
  const std::vector<std::string> names = known_names();
  if (!options.name)
    throw InvalidArgument("NAME", "missing", fmt::format("one of {}", fmt::join(names, ", ")));
  const std::string& wanted = names[parse_choice(*options.name, "NAME", names)];
  std::vector<const Figure*> figures;
  for (const Figure& figure : reproduce::all_figures())
    if (wanted == "all" || wanted == figure.paper || wanted == figure.name) figures.push_back(&figure);
  return figures;
}

// --- the folder
// --------------------------------------------------------------------------------------------------------

/// \throws InvalidArgument  the pictures cannot be drawn; better known before hours of work than after
void require_gnuplot() {
  try {
    static_cast<void>(run_gnuplot("set terminal svg\nplot [0:1] x\n"));
  } catch (const InvalidArgument&) {
    throw InvalidArgument("the program gnuplot", "not installed",
                          "installed, for it draws the pictures (Debian: apt-get install gnuplot-nox)");
  }
}

/// Reads the README of an earlier run; empty if there is none.
/// \throws InvalidArgument  there is one of another origin
std::string former_readme(const fs::path& folder) {
  const fs::path path = folder / kReadme;
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  std::string text = read_file(path.string(), "--output");
  if (text.rfind(kReadmeHead, 0) != 0)
    throw InvalidArgument("--output", folder.string(),
                          "a folder without a README.md of another origin, which would be lost");
  return text;
}

/// Makes the folder, and finds out that each file can be written, before any work.
void prepare(const fs::path& folder, const std::vector<const Figure*>& figures) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw InvalidArgument("--output", folder.string(),
                          fmt::format("a folder, or the name of one that can be made ({})",
                                      error ? error.message() : "it is a file"));
  const auto require_writable = [&](const std::string& name) {
    static_cast<void>(PendingFile((folder / name).string(), "--output"));
  };
  require_writable(kReadme);
  for (const Figure* figure : figures)
    for (const char* ending : {".csv", ".svg"}) require_writable(figure->name + ending);
}

// --- README
// ------------------------------------------------------------------------------------------------------------

std::string verdict(const Finding& finding) {
  return !finding.agrees ? "not compared" : *finding.agrees ? "agrees" : "does not agree";
}

std::string section(const Figure& figure, const reproduce::Result& result, bool quick,
                    const std::string& version) {
  std::string text = fmt::format("## {}\n\n{}.\n{}.\n\n![{}]({}.svg)\n\n", figure.name, figure.title,
                                 figure.source, figure.title, figure.name);
  text += fmt::format("Computed by tailbound {}{}; numbers in [{}.csv]({}.csv).\n\n", version,
                      quick ? " with fewer points and shorter simulations (--quick)" : "", figure.name,
                      figure.name);
  text += fmt::format("What the paper shows: {}\n\nWhat was computed: {}\n\nThe same numbers:\n\n",
                      figure.shows, result.computed);
  for (const std::string& command : result.commands) text += "    " + command + "\n";
  text += "\nWhat agrees and what does not:\n\n";
  for (const Finding& finding : result.findings)
    text += fmt::format("- **{}** ({}): {}\n  - published: {}\n  - computed: {}\n", verdict(finding),
                        finding.subject, finding.claim, finding.published, finding.computed);
  return text + "\n";
}

/// The sections of a README by the name of their figure.
std::map<std::string, std::string> sections_of(const std::string& readme) {
  std::map<std::string, std::string> sections;
  for (std::size_t from = readme.find("\n## "); from != std::string::npos;) {
    const std::size_t next = readme.find("\n## ", from + 1);
    const std::string text = readme.substr(from + 1, next == std::string::npos ? next : next - from);
    sections[text.substr(3, text.find('\n') - 3)] = text;
    from = next;
  }
  return sections;
}

std::string readme(const std::map<std::string, std::string>& sections) {
  std::string text = kReadmeHead;
  text +=
      "\nMade by `tailbound reproduce`; each run rewrites the sections of its own figures. Every number "
      "after\n"
      "\"computed\" comes from the run. Analysis is exact or certified as arithmetic, what its models leave "
      "out is\nsaid with each figure; simulation is an estimate with its interval, from the seed stated.\n\n";
  for (const Figure& figure : reproduce::all_figures())
    if (const auto found = sections.find(figure.name); found != sections.end()) text += found->second;
  return text;
}

void write_whole(const fs::path& path, const std::string& text) {
  PendingFile file(path.string(), "--output");
  file.write(text);
  file.commit();
}

/// Computes one figure, as a piece, and puts its two files in place, both or neither.
reproduce::Result make(const Figure& figure, const fs::path& folder, const reproduce::Request& request,
                       const answers::Run& run) {
  reproduce::Result result = answers::as_piece(run, [&] { return figure.compute(request); });
  PendingFile csv((folder / (figure.name + ".csv")).string(), "--output");
  PendingFile svg((folder / (figure.name + ".svg")).string(), "--output");
  csv.write(result.csv);
  svg.fill([&](const std::string& file) { plots::draw(result.picture, file); });
  csv.commit();
  svg.commit();
  return result;
}

std::vector<Done> make_all(const std::vector<const Figure*>& figures, const fs::path& folder, bool quick,
                           const Context& context) {
  require_gnuplot();
  std::map<std::string, std::string> sections = sections_of(former_readme(folder));
  prepare(folder, figures);
  const answers::Run run = analysis_run(context);
  std::vector<Done> done;
  for (const Figure* figure : figures) {
    reproduce::Result result;
    try {
      result = make(*figure, folder, {.quick = quick, .progress = context.progress}, run);
    } catch (const Stopped&) {
      if (done.empty()) throw;
      run.cut();
      break;
    }
    sections[figure->name] = section(*figure, result, quick, context.version);
    write_whole(folder / kReadme, readme(sections));
    done.push_back({figure, {figure->name + ".csv", figure->name + ".svg"}, std::move(result.findings)});
  }
  return done;
}

// --- the reply
// ---------------------------------------------------------------------------------------------------------

/// A line for each verdict, with the subjects that have it.
std::string verdicts(const std::vector<Finding>& findings) {
  std::string text;
  for (const char* kind : {"agrees", "does not agree", "not compared"}) {
    std::vector<std::string> subjects;
    for (const Finding& finding : findings)
      if (verdict(finding) == kind) subjects.push_back(finding.subject);
    if (!subjects.empty()) text += fmt::format("  {}: {}\n", kind, fmt::join(subjects, ", "));
  }
  return text;
}

std::string to_table_text(const std::vector<Done>& done, const fs::path& folder, bool quiet) {
  std::string text;
  for (const Done& entry : done) {
    for (const std::string& file : entry.files) text += (folder / file).string() + "\n";
    if (!quiet) text += verdicts(entry.findings);
  }
  return text + (folder / kReadme).string() + "\n";
}

std::string to_json_text(const std::vector<Done>& done, const Options& options, const Context& context) {
  Json document = new_document(context, "reproduce");
  document["inputs"] = {{"name", *options.name}, {"output", *options.output}, {"quick", options.quick}};
  document["readme"] = kReadme;
  document["figures"] = Json::array();
  for (const Done& entry : done) {
    Json findings = Json::array();
    for (const Finding& finding : entry.findings)
      findings.push_back({{"subject", finding.subject},
                          {"claim", finding.claim},
                          {"published", finding.published},
                          {"computed", finding.computed},
                          {"agrees", finding.agrees ? Json(*finding.agrees) : Json()}});
    document["figures"].push_back(
        {{"name", entry.figure->name}, {"files", entry.files}, {"findings", std::move(findings)}});
  }
  return to_text(document);
}

std::string to_csv_text(const std::vector<Done>& done) {
  std::string text = csv_line({"figure", "subject", "claim", "published", "computed", "verdict"});
  for (const Done& entry : done)
    for (const Finding& finding : entry.findings)
      text += csv_line({entry.figure->name, finding.subject, finding.claim, finding.published,
                        finding.computed, verdict(finding)});
  return text;
}

Reply answer(const Options& options, const Context& context) {
  const std::vector<const Figure*> figures = chosen_figures(options);
  if (!options.output || options.output->empty())
    throw InvalidArgument("--output", options.output ? "" : "missing",
                          "given as the folder for the pictures, the tables and the README.md");
  const fs::path folder = *options.output;
  const std::vector<Done> done = make_all(figures, folder, options.quick, context);
  return {.text = in_format(
              context.format, [&] { return to_table_text(done, folder, context.quiet); },
              [&] { return to_json_text(done, options, context); }, [&] { return to_csv_text(done); })};
}

}  // namespace

Command add_reproduce_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("reproduce", "the papers' figures, and what agrees with them");
  const auto options = std::make_shared<Options>();
  command->add_option("NAME", options->name, fmt::format("{}", fmt::join(known_names(), ", ")))
      ->type_name("");
  command
      ->add_option("--output", options->output,
                   "made if missing: NAME.csv and NAME.svg of each figure, README.md")
      ->type_name("FOLDER")
      ->group("Output");
  command->add_flag("--quick", options->quick, "fewer points, and simulations of a thirtieth of the length");
  command->footer(
      "Example:\n"
      "  tailbound reproduce singh-dally-7 --output figures\n"
      "prints\n"
      "\n"
      "  figures/singh-dally-7.csv\n"
      "  figures/singh-dally-7.svg\n"
      "    agrees: buffer at 0.9, speedup, growth towards load 1, overflow as drop rate\n"
      "    does not agree: buffer of later hops\n"
      "  figures/README.md\n"
      "\n"
      "Most figures are simulated too, each for 10 to 30 s on one core (those of hypercubes for up to 90 "
      "s);\n"
      "all cores are used, and the result does not depend on them.\n"
      "\n"
      "README.md says of each figure what the paper shows, what was computed, and the commands that\n"
      "print the same numbers. Figures of earlier runs into the same folder stay in it.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
