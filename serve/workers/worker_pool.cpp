#include <serve/workers/worker_pool.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <utility>

namespace tailbound::serve {
namespace {

/// Number of idle processes kept, so that a query finds a warm one.
constexpr std::size_t max_resting = 3;

Json without_answer(int status, const std::string& message) {
  return {{"status", status}, {"error", {{"message", message}}}};
}

std::string words_of_death(const std::optional<int>& status) {
  if (!status) return "the worker process has ended";
  // cli::exit_when_out_of_memory()
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 1)
    return "the query exceeds the memory limit of the workbench";
  return run::words_of_end(*status);
}

/// Distinguishes the time limit from a stop on request.
void put_limit(Json& head, std::chrono::milliseconds limit) {
  if (head.value("status", 0) != 4) return;
  head["status"] = 1;
  const std::string maximum = "the time limit of " + std::to_string(limit.count() / 1000) + " s";
  if (head.contains("error"))
    head["error"] = {{"message", "no result within " + maximum}};
  else
    head["limited"] = "stopped at " + maximum;
}

}  // namespace

Json outcome_head(const RequestOutcome& outcome) {
  switch (outcome.kind) {
    case RequestOutcome::Kind::answered:
      break;
    case RequestOutcome::Kind::too_long:
      return without_answer(1, "the query exceeds the time limit of the workbench");
    case RequestOutcome::Kind::cut:
      return without_answer(4, "stopped on request before any result");
    case RequestOutcome::Kind::died:
      return without_answer(1, words_of_death(outcome.status));
  }
  Json head = outcome.note.head;
  head.erase("last");
  return head;
}

Json outcome_shown(const RequestOutcome& outcome) {
  Json shown = outcome_head(outcome);
  if (auto html = text_of(outcome, "html")) shown["html"] = std::move(*html);
  return shown;
}

std::optional<std::string> text_of(const RequestOutcome& outcome, const std::string& format) {
  const auto formats = outcome.note.head.find("formats");
  if (outcome.kind != RequestOutcome::Kind::answered || formats == outcome.note.head.end()) return {};
  for (std::size_t i = 0; i < formats->size() && i < outcome.note.parts.size(); ++i)
    if (formats->at(i) == format) return outcome.note.parts[i];
  return {};
}

void PendingRequest::stop() {
  const std::scoped_lock guard(lock_);
  if (stopped_ || cut_) return;
  stopped_ = Clock::now();
  stream_->send({.head = {{"stop", true}}}, std::chrono::milliseconds(200));
}

void PendingRequest::cut() {
  const std::scoped_lock guard(lock_);
  cut_ = true;
  stream_->cut();
}

Clock::time_point PendingRequest::deadline(Clock::time_point otherwise) {
  const std::scoped_lock guard(lock_);
  return stopped_ ? *stopped_ + timeout : otherwise;
}

RequestOutcome PendingRequest::carry_out(const Note& query, std::chrono::milliseconds limit,
                                         const std::function<void(double, double)>& progress,
                                         const std::function<void(std::string)>& so_far) {
  constexpr auto look = std::chrono::milliseconds(250);  // interval to check for a stop request
  const Clock::time_point end =
      limit.count() > 0 ? Clock::now() + limit : Clock::time_point::max() - std::chrono::hours(1);
  bool late = false;
  bool there = stream_->send(query, std::chrono::seconds(5));
  while (there) {
    const Clock::time_point now = Clock::now();
    if (now >= end && !std::exchange(late, true)) stop();
    if (now >= deadline(Clock::time_point::max())) break;
    if (auto note = stream_->receive(std::min(now + look, late ? now + look : end))) {
      if (!note->head.contains("progress")) {
        if (late) put_limit(note->head, limit);
        return {RequestOutcome::Kind::answered, std::move(*note)};
      }
      if (note->head.contains("so_far")) {
        if (so_far && !note->parts.empty()) so_far(std::move(note->parts.front()));
        continue;
      }
      if (progress) progress(note->head.value("progress", 0.0), note->head.value("left", 0.0));
    }
    if (stream_->ended()) break;
  }
  stream_->cut();
  const std::scoped_lock guard(lock_);
  if (cut_) return {RequestOutcome::Kind::cut};
  if (late) return {RequestOutcome::Kind::too_long};
  if (stopped_) return {RequestOutcome::Kind::cut};
  return {RequestOutcome::Kind::died, {}, stream_->status_at_end()};
}

std::shared_ptr<NoteStream> WorkerPool::start_worker() {
  {
    const std::scoped_lock guard(lock_);
    while (!resting_.empty()) {
      std::shared_ptr<NoteStream> stream = std::move(resting_.back());
      resting_.pop_back();
      static_cast<void>(stream->receive(Clock::now()));  // detects a process that has exited
      if (!stream->ended()) return stream;
    }
  }
  const ForkServer::Ends ends = fork_server_.begin_process();
  return std::make_shared<NoteStream>(ends.stream, ends.report);
}

void WorkerPool::rest(std::shared_ptr<NoteStream> stream) {
  const std::scoped_lock guard(lock_);
  if (resting_.size() < max_resting) resting_.push_back(std::move(stream));
}

}  // namespace tailbound::serve
