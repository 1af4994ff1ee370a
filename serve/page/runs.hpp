#pragma once

#include <serve/page/query.hpp>
#include <serve/workers/worker_pool.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// Queries that run in the background, mostly simulations: started, listed, polled and stopped. They belong
/// to the server, not to the page that started them. Their results are kept for a while.
namespace tailbound::serve {

class Runs {
 public:
  explicit Runs(WorkerPool& pool) : pool_(pool) {}
  /// Cancels active runs.
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// \return its ID; nothing if the maximum number of runs is active
  [[nodiscard]] std::optional<std::string> begin(const Query& query);
  /// {"state": "runs" | "ended", "progress", "left", "seconds"}. An active run also has "looks", the number
  /// of updates; if it exceeds `seen`, also "html", the partial result. A finished run also has its outcome.
  /// With `query`, also that, as it was sent ("asked"). Null: unknown run.
  [[nodiscard]] Json look(const std::string& name, int seen, bool query);
  /// Newest first: {"run", "question", "options", "files": names, "state", "progress", "left", "seconds",
  /// "ago"}, and for a finished run "stopped" and "headline" or "error".
  [[nodiscard]] Json list();
  /// False: unknown run.
  bool stop(const std::string& name);
  /// Its result in a format; nothing if there is none.
  [[nodiscard]] std::optional<std::string> text(const std::string& name, const std::string& format);
  /// Stops all runs and waits for them.  \return number of active runs
  std::size_t stop_all();

 private:
  struct Run;

  [[nodiscard]] std::shared_ptr<Run> find(const std::string& name);
  [[nodiscard]] static Json progress_of(const Run& run);
  void carry_out(const std::shared_ptr<Run>& run);
  void forget_the_oldest();

  WorkerPool& pool_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Run>> runs_;  ///< oldest first
  std::size_t going_on_ = 0;
};

}  // namespace tailbound::serve
