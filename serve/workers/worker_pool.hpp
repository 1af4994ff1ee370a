#pragma once

#include <serve/workers/fork_server.hpp>
#include <serve/workers/note_stream.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// The worker processes, as seen by the server.
namespace tailbound::serve {

/// Limits of each query.
struct WorkLimits {
  std::chrono::milliseconds analysis{10'000};  ///< of a query whose result is awaited
  std::size_t memory = std::size_t{2} << 30;   ///< [bytes]
  int analyses = 4;                            ///< concurrently
  int runs = 2;                                ///< background runs, concurrently
  bool keep = false;                           ///< runs go on without an open page
};

/// How a query ended.
struct RequestOutcome {
  enum class Kind {
    answered,  ///< or failed: see the note
    too_long,  ///< stopped at its time limit, without a result
    cut,       ///< cancelled
    died,      ///< the process ended: out of memory, a signal, or a fault
  } kind = Kind::died;
  Note note{};
  std::optional<int> status{};  ///< of a process that died, as from waitpid()
};

/// {"status", "headline", "formats", ..}, or {"status", "error": {"message", ..}}.
[[nodiscard]] Json outcome_head(const RequestOutcome& outcome);
/// The same for a page: with the result as "html".
[[nodiscard]] Json outcome_shown(const RequestOutcome& outcome);
/// The result in one format; nothing if it does not exist.
[[nodiscard]] std::optional<std::string> text_of(const RequestOutcome& outcome, const std::string& format);

/// A pending query. One thread runs it; others may end it.
class PendingRequest {
 public:
  explicit PendingRequest(std::shared_ptr<NoteStream> stream) : stream_(std::move(stream)) {}

  /// Stops it, as Ctrl-C does, with the partial result. It ends after at most `patience`.
  void stop();
  /// Cancels it at once, without a result.
  void cut();

  /// \param query  as in worker.hpp
  /// \param limit     time limit; zero: none
  /// \param so_far    called with the partial result as HTML
  [[nodiscard]] RequestOutcome carry_out(const Note& query, std::chrono::milliseconds limit,
                                         const std::function<void(double, double)>& progress = {},
                                         const std::function<void(std::string)>& so_far = {});
  [[nodiscard]] const std::shared_ptr<NoteStream>& stream() const { return stream_; }

  /// Time to finish after a stop.
  static constexpr std::chrono::milliseconds timeout{4000};

 private:
  [[nodiscard]] Clock::time_point deadline(Clock::time_point otherwise);

  std::shared_ptr<NoteStream> stream_;
  std::mutex lock_;
  bool cut_ = false;
  std::optional<Clock::time_point> stopped_;
};

/// CONTRACT  may be used by several threads.
class WorkerPool {
 public:
  /// CONTRACT  constructed while this process has one thread
  explicit WorkerPool(const WorkLimits& limits) : limits_(limits), fork_server_(limits.memory) {}

  /// A process that waits for a query.  \throws std::system_error
  [[nodiscard]] std::shared_ptr<NoteStream> start_worker();
  /// Returns an idle process to the pool. Surplus processes are ended.
  void rest(std::shared_ptr<NoteStream> stream);
  [[nodiscard]] const WorkLimits& limits() const { return limits_; }

 private:
  WorkLimits limits_;
  ForkServer fork_server_;
  std::mutex lock_;
  std::vector<std::shared_ptr<NoteStream>> resting_;
};

}  // namespace tailbound::serve
