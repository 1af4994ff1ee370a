#include <serve/page/runs.hpp>
#include <serve/page/secret.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace tailbound::serve {
namespace {

/// Number of finished runs that are kept.
constexpr std::size_t max_kept = 8;
/// A run is stopped after this long without an open page, which polls it.
constexpr auto forgotten_after = std::chrono::minutes(15);

const std::vector<std::string>& all_formats() {
  static const std::vector<std::string> formats{"html", "page",     "table", "json",
                                                "csv",  "markdown", "svg",   "png"};
  return formats;
}

}  // namespace

struct Runs::Run {
  std::string name;
  Query query;
  std::shared_ptr<PendingRequest> request;
  Clock::time_point start = Clock::now(), looked_at = Clock::now();
  double done = 0, left = 0, seconds = 0;
  std::string so_far{};  ///< HTML
  int looks = 0;         ///< number of updates
  std::optional<RequestOutcome> outcome{};
};

Runs::~Runs() {
  std::unique_lock guard(lock_);
  for (const auto& run : runs_)
    if (!run->outcome) run->request->cut();
  changed_.wait(guard, [this] { return going_on_ == 0; });
}

std::optional<std::string> Runs::begin(const Query& query) {
  const auto run = std::make_shared<Run>();
  run->name = random_name();
  run->query = query;
  {
    const std::scoped_lock guard(lock_);
    if (going_on_ >= static_cast<std::size_t>(pool_.limits().runs)) return {};
    ++going_on_;
  }
  try {
    run->request = std::make_shared<PendingRequest>(pool_.start_worker());
    {
      const std::scoped_lock guard(lock_);
      forget_the_oldest();
      runs_.push_back(run);
    }
    std::thread([this, run] { carry_out(run); }).detach();
  } catch (...) {
    const std::scoped_lock guard(lock_);
    std::erase(runs_, run);
    --going_on_;
    throw;
  }
  return run->name;
}

void Runs::carry_out(const std::shared_ptr<Run>& run) {
  const auto tell = [&](double done, double left) {
    const std::scoped_lock guard(lock_);
    run->done = done;
    run->left = left;
    if (!pool_.limits().keep && Clock::now() - run->looked_at > forgotten_after) run->request->stop();
  };
  RequestOutcome outcome;
  try {
    Note note = note_of(run->query, all_formats());
    note.head["so_far"] = true;
    outcome = run->request->carry_out(note, {}, tell, [&](std::string html) {
      const std::scoped_lock guard(lock_);
      run->so_far = std::move(html);
      ++run->looks;
    });
  } catch (const std::exception&) {  // out of memory for the result
    run->request->cut();
  }
  if (outcome.kind == RequestOutcome::Kind::answered && !outcome.note.head.value("last", true))
    pool_.rest(run->request->stream());
  const std::scoped_lock guard(lock_);
  run->seconds = std::chrono::duration<double>(Clock::now() - run->start).count();
  run->outcome = std::move(outcome);
  --going_on_;
  changed_.notify_all();
}

/// With the lock held.
void Runs::forget_the_oldest() {
  while (static_cast<std::size_t>(std::count_if(runs_.begin(), runs_.end(), [](const auto& run) {
           return run->outcome.has_value();
         })) >= max_kept)
    runs_.erase(
        std::find_if(runs_.begin(), runs_.end(), [](const auto& run) { return run->outcome.has_value(); }));
}

/// With the lock held.
std::shared_ptr<Runs::Run> Runs::find(const std::string& name) {
  for (const auto& run : runs_)
    if (same_secret(name, run->name)) return run;
  return nullptr;
}

/// With the lock held.
Json Runs::progress_of(const Run& run) {
  if (run.outcome) return {{"state", "ended"}, {"seconds", run.seconds}};
  return {{"state", "runs"},
          {"progress", run.done},
          {"left", run.left},
          {"seconds", std::chrono::duration<double>(Clock::now() - run.start).count()}};
}

Json Runs::look(const std::string& name, int seen, bool query) {
  const std::scoped_lock guard(lock_);
  const auto run = find(name);
  if (!run) return nullptr;
  run->looked_at = Clock::now();
  Json shown = run->outcome ? outcome_shown(*run->outcome) : Json{{"looks", run->looks}};
  shown.update(progress_of(*run));
  if (!run->outcome && run->looks > seen) shown["html"] = run->so_far;
  if (query)
    shown["asked"] = {
        {"question", run->query.name}, {"options", run->query.options}, {"files", run->query.files}};
  return shown;
}

Json Runs::list() {
  const std::scoped_lock guard(lock_);
  Json all = Json::array();
  for (auto at = runs_.rbegin(); at != runs_.rend(); ++at) {
    Run& run = **at;
    run.looked_at = Clock::now();
    Json shown = progress_of(run);
    shown.update({{"run", run.name},
                  {"question", run.query.name},
                  {"options", run.query.options},
                  {"files", Json::array()},
                  {"ago", std::chrono::duration<double>(Clock::now() - run.start).count()}});
    for (const auto& [name, content] : run.query.files) shown["files"].push_back(name);
    if (run.outcome) {
      const Json head = outcome_head(*run.outcome);
      for (const char* key : {"stopped", "headline", "error"})
        if (head.contains(key)) shown[key] = head[key];
    }
    all.push_back(std::move(shown));
  }
  return all;
}

bool Runs::stop(const std::string& name) {
  const std::scoped_lock guard(lock_);
  const auto run = find(name);
  if (!run) return false;
  if (!run->outcome) run->request->stop();
  return true;
}

std::optional<std::string> Runs::text(const std::string& name, const std::string& format) {
  const std::scoped_lock guard(lock_);
  const auto run = find(name);
  if (!run || !run->outcome) return {};
  return text_of(*run->outcome, format);
}

std::size_t Runs::stop_all() {
  std::unique_lock guard(lock_);
  const std::size_t stopped = going_on_;
  for (const auto& run : runs_)
    if (!run->outcome) run->request->stop();
  changed_.wait(guard, [this] { return going_on_ == 0; });
  return stopped;
}

}  // namespace tailbound::serve
