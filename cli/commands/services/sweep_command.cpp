#include <fmt/format.h>
#include <cli/ask.hpp>
#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/options/options.hpp>
#include <cli/options/simulation_options.hpp>
#include <cli/process/memory.hpp>
#include <cli/process/point_guard.hpp>
#include <cli/program.hpp>
#include <tailbound/answers/points/sweep.hpp>
#include <tailbound/core/suggest.hpp>
#include <tailbound/files/leftovers.hpp>
#include <tailbound/render/document_bytes.hpp>
#include <tailbound/render/documents/sweep.hpp>

#include <algorithm>
#include <map>
#include <new>

namespace tailbound::cli {
namespace {

using answers::SweepPoint;
using answers::SweepRow;
using answers::SweepStatus;

struct SweepOptions {
  std::vector<std::string> plan;
  std::optional<std::string> store{}, jobs{}, part{}, add{};
  bool dry_run = false, retry = false;
};

/// One per command.
using Askers = std::map<std::string, Asker>;

const Asker& asker_of(Askers& askers, const std::string& question) {
  const auto known = askers.find(question);
  return known != askers.end() ? known->second : askers.emplace(question, Asker(question)).first->second;
}

/// Options that the sweep handles itself.
bool is_of_the_sweep(const std::string& option) {
  static const std::vector<std::string> names{"--threads", "--checkpoint", "--checkpoint-every", "--resume",
                                              "--part"};
  return std::find(names.begin(), names.end(), option) != names.end();
}

/// \throws InvalidArgument  an unknown or unsuitable command, or an option that it lacks
void check(const SweepPoint& point, Askers& askers) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = command_names();
    std::erase_if(all, [](const std::string& name) {
      return name == "sweep" || name == "schema" || name == "reproduce" || name == "merge" || name == "serve";
    });
    return all;
  }();
  static_cast<void>(parse_choice(point.question, "ask", names));
  const OptionTable& table = asker_of(askers, point.question).options();
  for (const auto& [name, text] : point.options) {
    const Option* option = table.find(name);
    if (option == nullptr)
      throw InvalidArgument("the option of the plan", name,
                            fmt::format("one of {}{}", point.question, did_you_mean(name, table.names())));
    if (is_of_the_sweep(name))
      throw InvalidArgument("the option of the plan", name, "left out: the sweep sees to that itself");
    if ((option->flag != nullptr) != text.empty())
      throw InvalidArgument(
          name, text.empty() ? "true" : text,
          option->flag != nullptr ? "true or false" : fmt::format("{}: {}", option->type, option->help));
  }
}

/// The query as text, including the contents of the files that it names.
std::string key_of(const SweepPoint& point, const OptionTable& table,
                   std::map<std::string, std::string>& files) {
  std::string key = point.key();
  for (const auto& [name, text] : point.options) {
    if (table.find(name)->type != "FILE") continue;
    auto known = files.find(text);
    if (known == files.end()) known = files.emplace(text, answers::mark_of(read_file(text, name))).first;
    key += fmt::format(" ({} {})", name, known->second);
  }
  return key;
}

SweepRow asked(const SweepPoint& point, const Asker& asker) {
  SweepRow row;
  const auto refused = [&row](SweepStatus status, const std::exception& error) {
    row.status = status;
    row.message = error.what();
  };
  try {
    auto options = point.options;
    if (asker.options().find("--threads") != nullptr) options.emplace_back("--threads", "1");
    const auto given = [&options](const char* name) {
      return std::any_of(options.begin(), options.end(),
                         [name](const auto& option) { return option.first == name; });
    };
    // Points are many: they are not cross-checked unless the plan requests it.
    if (asker.options().find("--no-check") != nullptr && !given("--check") && !given("--no-check"))
      options.emplace_back("--no-check", "");
    const render::Document document = asker.answer(options).document;
    row.status = SweepStatus::answered;
    row.answer = render::to_bytes(document);
    row.json = render::to_json(document, {.version = TAILBOUND_VERSION});
    require_memory_lasted();
  } catch (const std::bad_alloc&) {
    row = {.key = {}, .status = SweepStatus::no_answer, .message = no_memory};
  } catch (const NoAnswer& error) {
    refused(SweepStatus::no_answer, error);
  } catch (const InvalidArgument& error) {
    refused(SweepStatus::bad_input, error);
  } catch (const ParseError& error) {
    refused(SweepStatus::bad_input, error);
  } catch (const std::exception& error) {
    refused(SweepStatus::failed, error);
  }
  return row;
}

/// For a point whose process is about to end.
void keep_refusal(const answers::SweepQuestion& question, const SweepPoint& point, const std::string& why) {
  SweepRow row{.key = {}, .status = SweepStatus::no_answer, .message = why};
  for (std::size_t i = 0; i < question.points.size(); ++i)
    if (question.points[i].key() == point.key()) row.key = question.keys[i];
  answers::SweepStore store(question.store, question.version, answers::SweepStore::Use::write);
  std::size_t none = 0;
  static_cast<void>(store.keep_and_claim({row}, question.keys, none, 0));
}

/// "2/7": every seventh point, starting with the second.
void keep_part(const std::string& part, std::vector<SweepPoint>& points) {
  const auto [number, parts] = parse_part(part, "--part", 1'000'000);
  std::vector<SweepPoint> kept;
  for (auto i = static_cast<std::size_t>(number - 1); i < points.size(); i += static_cast<std::size_t>(parts))
    kept.push_back(points[i]);
  if (kept.empty())
    throw InvalidArgument("--part", part, fmt::format("of at most {} parts, one a point", points.size()));
  points = std::move(kept);
}

/// Before any of them is opened: a store is the file together with the auxiliary files of the database.
void name_stores(const SweepOptions& options) {
  for (const char* beside : {"", "-wal", "-shm", "-journal"}) {
    named_files().keeps(*options.store + beside, "--store");
    if (options.add) named_files().keeps(*options.add + beside, "--add");
  }
}

Reply answer(const SweepOptions& options, const Context& context) {
  const std::string& name = options.plan.front();
  name_stores(options);
  answers::SweepPlan plan = answers::read_sweep_plan(read_file(name, "PLAN"), name);
  if (options.part) keep_part(*options.part, plan.points);
  const int jobs =
      options.jobs ? static_cast<int>(parse_integer(*options.jobs, "--jobs", 1, 1024)) : all_cores();
  answers::SweepQuestion question{
      .points = plan.points, .keys = {}, .store = *options.store, .version = TAILBOUND_VERSION, .asker = {}};
  Askers askers;
  std::map<std::string, std::string> files;
  for (const SweepPoint& point : plan.points) {
    check(point, askers);
    question.keys.push_back(key_of(point, asker_of(askers, point.question).options(), files));
  }
  question.asker = [&question, &context] {
    if (context.executor == nullptr) files::leftovers::leave_to_parent();
    return [&question, &context, askers = std::make_shared<Askers>(),
            guard = context.executor != nullptr ? nullptr
                                                : std::make_shared<PointGuard>()](const SweepPoint& point) {
      const Asker& asker = asker_of(*askers, point.question);
      if (!guard) return asked(point, asker);  // ranks end together or not at all
      return guard->watched(
          context.limits_of_each(usual_limits(asker.command(), false)),
          [&](const std::string& why) { keep_refusal(question, point, why); },
          [&] { return asked(point, asker); });
    };
  };
  if (options.add || options.retry) {
    answers::SweepStore store(question.store, question.version, answers::SweepStore::Use::write);
    if (options.add) store.add(*options.add);
    if (options.retry) store.forget(question.keys);
  }
  const answers::SweepAnswer found =
      options.dry_run ? look_up(question) : answers::answer(question, jobs, analysis_run(context));
  Reply reply{.document = render::document(plan, found)};
  if (!options.dry_run &&
      (found.count(SweepStatus::answered) < found.rows.size() || !found.cannot_be_written.empty()))
    reply.status = no_answer;
  return reply;
}

void declare(OptionTable& table, SweepOptions& options) {
  const OptionGroup question(table, "Question");
  question.add_words("PLAN", options.plan, "FILE",
                     "what is asked: [[question]] tables with lists (docs/files.md)", 1, 1);
  question.add("--store", options.store, "FILE",
               "keeps the points; those that are there are not asked again");
  question.add_flag("--dry-run", options.dry_run, "ask nothing: show what is there and what is missing");
  question.add_flag("--retry", options.retry, "ask points again that were refused");
  question.add("--add", options.add, "FILE", "another store, whose points are taken over first");
  const OptionGroup work(table, "Work");
  work.add("--jobs", options.jobs, "N", "processes that ask at once; all cores unless told");
  work.add("--part", options.part, "I/N", "every N-th point alone, from the I-th on");
  for (Option& option : table.options)
    if (option.name == "--store" || option.name == "PLAN") option.required = true;
}

}  // namespace

Command sweep_command() {
  return command_of<SweepOptions>({.name = "sweep",
                                   .purpose = "many points of any question, kept in a store",
                                   .work = Work::questions,
                                   .draws = true,
                                   .declare = declare,
                                   .answer = answer,
                                   .layout = render::sweep_layout});
}

}  // namespace tailbound::cli
