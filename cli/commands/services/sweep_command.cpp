#include <fmt/format.h>
#include <cli/command_runner.hpp>
#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/options/names.hpp>
#include <cli/options/options.hpp>
#include <cli/options/simulation_options.hpp>
#include <cli/process/memory.hpp>
#include <cli/process/point_guard.hpp>
#include <cli/program.hpp>
#include <tailbound/answers/points/sweep.hpp>
#include <tailbound/core/printable.hpp>
#include <tailbound/core/suggest.hpp>
#include <tailbound/files/leftovers.hpp>
#include <tailbound/render/document_bytes.hpp>
#include <tailbound/render/documents/sweep.hpp>
#include <tailbound/render/documents/unanswered.hpp>
#include <tailbound/run/process/child_process.hpp>
#include <tailbound/run/threads.hpp>
#include <tailbound/version.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <stop_token>

namespace tailbound::cli {
namespace {

using answers::SweepPoint;
using answers::SweepRow;
using answers::SweepStatus;

struct SweepOptions {
  OptionTable rows{};
  OptionGroup query{rows, "Plan"}, work{rows, "Work"};
  Words plan{query, "PLAN", "FILE", 1, 1, "plan file: [[query]] tables with lists.\nSee docs/files.md", true};
  Text store{query, "--store", "FILE", options::text().always(),
             "database of the points; finished points are kept"};
  Flag dry_run{query, "--dry-run", "show finished and missing points without computing"};
  Flag retry{query, "--retry", "compute failed points again"};
  Text release{query, "--release", "HOST",
               "give up the claims of a machine that has failed.\nOtherwise they end two minutes later"};
  Text add{query, "--add", "FILE", "another store, whose points are imported first"};
  One<int> jobs{work, "--jobs", "N", integer<int>(1, 1024), "parallel processes (default all cores)"};
  Text part{work, "--part", "I/N", "only every N-th point, from the I-th on"};
};

/// One per command.
using Runners = std::map<std::string, CommandRunner>;

const CommandRunner& runner_of(Runners& runners, const std::string& query) {
  const auto known = runners.find(query);
  return known != runners.end() ? known->second : runners.emplace(query, CommandRunner(query)).first->second;
}

/// Options that the sweep handles itself.
bool is_of_the_sweep(const std::string& option) {
  static const std::vector<std::string> names{"--threads", "--checkpoint", "--checkpoint-every", "--resume",
                                              "--part"};
  return std::find(names.begin(), names.end(), option) != names.end();
}

/// \throws InvalidArgument  an unknown or unsuitable command, or an option that it lacks
void check(const SweepPoint& point, Runners& runners) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = command_names();
    std::erase_if(all, [](const std::string& name) {
      return name == "sweep" || name == "schema" || name == "reproduce" || name == "merge" || name == "serve";
    });
    return all;
  }();
  static_cast<void>(parse_choice(point.query, "ask", names));
  const OptionTable& table = runner_of(runners, point.query).options();
  for (const auto& [name, text] : point.options) {
    const Option* option = table.find(name);
    if (option == nullptr)
      throw InvalidArgument(fmt::format("the option {} of the plan", name), "unknown to " + point.query,
                            "one of its options" + did_you_mean(name, table.names()));
    if (is_of_the_sweep(name)) throw not_allowed_with(name, "sweep", "the sweep sets it itself");
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

SweepRow requested(const SweepPoint& point, const CommandRunner& runner) {
  SweepRow row;
  const auto rejected = [&row](SweepStatus status, const std::exception& error) {
    row.status = status;
    row.message = error.what();
  };
  try {
    auto options = point.options;
    if (runner.options().find("--threads") != nullptr) options.emplace_back("--threads", "1");
    const auto given = [&options](const char* name) {
      return std::any_of(options.begin(), options.end(),
                         [name](const auto& option) { return option.first == name; });
    };
    // Points are many: they are not cross-checked unless the plan requests it.
    if (runner.options().find("--simulate") != nullptr && !given("--analysis") && !given("--simulate"))
      options.emplace_back("--analysis", "");
    const render::Document document = runner.answer(options).document;
    row.status = SweepStatus::answered;
    row.answer = render::to_bytes(document);
    row.json = render::to_json(document, {.version = TAILBOUND_VERSION});
    require_memory_lasted();
  } catch (const std::bad_alloc&) {
    row = {.key = {}, .status = SweepStatus::no_answer, .message = no_memory};
  } catch (const NoAnswer& error) {
    rejected(SweepStatus::no_answer, error);
  } catch (const InvalidArgument& error) {
    rejected(SweepStatus::bad_input, error);
  } catch (const ParseError& error) {
    rejected(SweepStatus::bad_input, error);
  } catch (const std::exception& error) {
    rejected(SweepStatus::failed, error);
  }
  return row;
}

std::int64_t nanoseconds_of(const Limits& limits) {
  return limits.time ? limits.time->count() : run::PointLimits::none;
}
std::int64_t bytes_of(const Limits& limits) {
  return limits.bytes ? static_cast<std::int64_t>(*limits.bytes) : run::PointLimits::none;
}

/// "; a buffer of 12 packets suffices (proved)": what an analysis knows at once, found by another process, as
/// this one is busy.
std::string known_at_once(const SweepPoint& point) {
  constexpr std::chrono::seconds moment{10};
  run::ChildProcess child([&point](run::FramedStream& to_parent) {
    std::stop_source stopped;
    stopped.request_stop();
    try {
      static_cast<void>(CommandRunner(point.query).answer(point.options, {.stop = stopped.get_token()}));
    } catch (const Stopped& stop) {
      to_parent.send(stop.what());
    }
    return 0;
  });
  const std::string words = child.stream().receive(run::FramedStream::Clock::now() + moment).value_or("");
  const std::string plain = "stopped on request; ";
  return words.rfind(plain, 0) == 0 ? "; " + words.substr(plain.size()) : "";
}

/// For a point whose process is about to end.
void keep_rejection(const answers::SweepQuery& query, const SweepPoint& point, const LimitWatch& limits,
                    LimitWatch::Limit reached) {
  SweepRow row{
      .key = {}, .status = SweepStatus::no_answer, .message = "no answer within " + limits.name_of(reached)};
  if (reached == LimitWatch::Limit::time)
    row.cut_by.time = nanoseconds_of(limits.limits());
  else
    row.cut_by.memory = bytes_of(limits.limits());
  try {
    row.message += known_at_once(point);
  } catch (const std::exception&) {  // the rejection does not need it
  }
  for (std::size_t i = 0; i < query.points.size(); ++i)
    if (query.points[i].key() == point.key()) row.key = query.keys[i].text;
  answers::SweepStore store(query.store, query.version, answers::SweepStore::Use::write);
  std::size_t none = 0;
  static_cast<void>(store.keep_and_claim({row}, query.keys, none, 0));
}

/// Values of options are shown in its rows: those that are no numbers are names.
bool is_number(const std::string& text) {
  try {
    static_cast<void>(parse_share(text, "a value"));
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
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
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    named_files().keeps(options.store.text() + suffix, "--store");
    if (options.add) named_files().keeps(options.add.text() + suffix, "--add");
  }
}

Reply answer(const SweepOptions& options, const Context& context) {
  const std::string& name = options.plan.words().front();
  name_stores(options);
  answers::SweepPlan plan = answers::read_sweep_plan(read_file(name, "PLAN"), name);
  if (options.part) keep_part(options.part.text(), plan.points);
  const int jobs = options.jobs.if_given().value_or(run::all_cores());
  answers::SweepQuery query{.points = plan.points,
                            .keys = {},
                            .store = options.store.text(),
                            .version = TAILBOUND_VERSION,
                            .runner = {}};
  Runners runners;
  std::map<std::string, std::string> files;
  for (const SweepPoint& point : plan.points) {
    check(point, runners);
    for (const auto& [option, text] : point.options)
      if (!is_number(text)) keep_name(text);
    const CommandRunner& runner = runner_of(runners, point.query);
    Limits limits;
    if (context.executor == nullptr) limits = context.limits_of_each(usual_limits(runner.command(), false));
    query.keys.push_back({.text = key_of(point, runner.options(), files),
                          .limits = {.time = nanoseconds_of(limits), .memory = bytes_of(limits)}});
  }
  query.runner = [&query, &context] {
    if (context.executor == nullptr) files::leftovers::leave_to_parent();
    return [&query, &context, runners = std::make_shared<Runners>(),
            guard = context.executor != nullptr ? nullptr
                                                : std::make_shared<PointGuard>()](const SweepPoint& point) {
      const CommandRunner& runner = runner_of(*runners, point.query);
      if (!guard) return requested(point, runner);  // ranks end together or not at all
      return guard->watched(
          context.limits_of_each(usual_limits(runner.command(), false)),
          [&](const LimitWatch& limits, LimitWatch::Limit reached) {
            keep_rejection(query, point, limits, reached);
          },
          [&] { return requested(point, runner); });
    };
  };
  query.waiting = [](const std::string& what) {
    const std::string line =
        fmt::format("{}tailbound sweep: {}\n", isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "", printable(what));
    static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));  // at once, by whichever process
  };
  if (options.add || options.retry || options.release) {
    answers::SweepStore store(query.store, query.version, answers::SweepStore::Use::write);
    if (options.add) store.add(options.add.text());
    if (options.retry) store.repeat(query.keys);
    if (options.release) store.release(options.release.text());
  }
  const answers::SweepAnswer found =
      options.dry_run ? look_up(query) : answers::answer(query, jobs, analysis_run(context));
  Reply reply{.document = render::document(plan, found)};
  if (options.dry_run) return reply;
  if (!found.cannot_be_written.empty()) {
    const std::string unsaved =
        found.unsaved == 0 ? "" : "; not in it: " + render::counted(found.unsaved, "computed point");
    reply.complain(unwritten, found.cannot_be_written + unsaved);
  }
  if (found.count(SweepStatus::answered) < found.rows.size() && !reply.document.stopped)
    reply.complain(no_answer, render::unanswered_in_words(reply.document));
  return reply;
}

}  // namespace

Command sweep_command() {
  return command_of<SweepOptions>({.name = "sweep",
                                   .purpose = "many runs from a plan file",
                                   .work = Work::queries,
                                   .draws = true,
                                   .answer = answer,
                                   .layout = render::sweep_layout});
}

}  // namespace tailbound::cli
