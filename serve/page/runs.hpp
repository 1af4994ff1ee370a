#pragma once

#include <serve/page/question.hpp>
#include <serve/workers/worker_pool.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// Questions that go on by themselves, mostly simulations: begun, looked at, stopped, their answers kept for a while.
namespace tailbound::serve {

class Runs {
 public:
  explicit Runs(WorkerPool& pool) : pool_(pool) {}
  /// Those that go on are ended.
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// \return its name;  nothing where so many go on as may
  [[nodiscard]] std::optional<std::string> begin(const Question& question);
  /// {"state": "runs" | "ended", "progress", "left", "seconds"}, of one that goes on "looks" and, where these are more than
  /// `seen`, as "html" the answer so far; of one that has ended what became of it;  null: there is no such run
  [[nodiscard]] Json look(const std::string& name, int seen = 0);
  /// False: there is no such run.
  bool stop(const std::string& name);
  /// Its answer in a format; nothing if there is none.
  [[nodiscard]] std::optional<std::string> text(const std::string& name, const std::string& format);
  /// Asks all to stop, and waits until they have.  \return how many went on
  std::size_t stop_all();

 private:
  struct Run;

  [[nodiscard]] std::shared_ptr<Run> find(const std::string& name);
  void carry_out(const std::shared_ptr<Run>& run);
  void forget_the_oldest();

  WorkerPool& pool_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Run>> runs_;  ///< the oldest first
  std::size_t going_on_ = 0;
};

}  // namespace tailbound::serve
