#pragma once

#include <tailbound/core/error.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// Executes a list of independent pieces of work on threads, processes or MPI ranks, or as one of several
/// parts that are run separately and merged later.
///
/// MODEL     A job is a number of pieces, each a function of its number and of the job's inputs. The result
///           of a piece is bytes; results are returned in the order of the pieces, whichever worker executed
///           them and when.
/// RESULT    the same bytes for every executor, also if pieces were interrupted and resumed.
/// TESTS     tests/run/executor_test.cpp
namespace tailbound::run {

/// The state of a piece.
struct Piece {
  /// its result; if it is not finished, the state from which it resumes (empty: its start)
  std::string bytes{};
  bool finished = false;

  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Requests to a running piece. A long piece checks every 20 ms or so.
class PieceMonitor {
 public:
  enum class Directive {
    go_on,
    state,  ///< return the current state with keep(), and continue
    stop,   ///< return the current state, unfinished
  };
  PieceMonitor() = default;
  PieceMonitor(const PieceMonitor&) = delete;
  PieceMonitor& operator=(const PieceMonitor&) = delete;
  virtual ~PieceMonitor() = default;

  /// \param done  fraction of the piece that is done, 0 to 1
  [[nodiscard]] virtual Directive at(double done) = 0;
  /// The reply to Directive::state.
  virtual void keep(std::string state) = 0;
};

/// CONTRACT  `work` is called by several threads or processes at once, for different pieces.
struct Job {
  /// A description of the inputs of the pieces: results and states of another identity do not belong to this
  /// job.
  std::string identity;
  std::size_t pieces = 1;
  /// \param number  0, 1, ...
  /// \param state   the state of an interrupted attempt (Piece::bytes), or empty
  std::function<Piece(std::size_t number, std::string_view state, PieceMonitor& monitor)> work;
  /// Pieces check for requests. Otherwise a stop takes effect between them, or abandons them where they run
  /// in other processes, and of several exceptions the one of the first piece counts.
  bool attentive = true;
  /// The identity contains everything that the results depend on. Otherwise several jobs of a query may have
  /// the same identity.
  bool identified = true;
  /// A worker process has ended in the middle of a piece, with this status of waitpid(): true if a new one
  /// shall begin the piece again, while the others go on. Empty: the end of a process ends the job.
  std::function<bool(int status)> begins_again{};
  /// Fraction of a piece that is already done, by its state; 0 if unknown.
  std::function<double(const Piece& begun)> done_before{};
};

struct Progress {
  double done = 0;                      ///< fraction of all pieces, 0 .. 1
  std::chrono::duration<double> spent;  ///< time spent in this call
  std::chrono::duration<double> left;   ///< time left at the same speed; 0 while unknown
};

/// Control of the execution of a job. Nothing here changes the results.
struct Controls {
  std::stop_token stop{};                           ///< ends the job at the next opportunity
  std::function<void(const Progress&)> progress{};  ///< called on the thread that called carry_out()
  std::chrono::milliseconds progress_interval{500};
  /// Called the same way, with the states of all pieces. Only for attentive jobs.
  std::function<void(const std::vector<Piece>& pieces)> checkpoint{};
  std::chrono::milliseconds checkpoint_interval{60'000};
  int threads = 1;  ///< for an executor without workers of its own
};

/// The workers that did the work.
struct WorkerGroup {
  enum class Kind { threads, processes, ranks, parts } kind = Kind::threads;
  int count = 1;
};

struct Outcome {
  std::vector<Piece> pieces{};  ///< all, in their order
  WorkerGroup worker_group{};
  double seconds = 0;  ///< wall-clock time; for parts, the total of all parts

  [[nodiscard]] bool complete() const {
    for (const Piece& piece : pieces)
      if (!piece.finished) return false;
    return true;
  }
};

/// Pieces are missing that belong to another part, so the combined result cannot be computed here.
class MissingPart : public Error {
 public:
  MissingPart() : Error("results of another part are needed") {}
};

class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Executes the pieces that are not finished; fewer if it is stopped.
  /// \param begun  the states of the pieces, or empty: at their start
  /// \throws MissingPart  pieces of another part are missing
  /// \throws the exceptions of the pieces (unless the job is attentive, that of the first such piece) and of
  /// the callbacks, once no worker is running
  [[nodiscard]] virtual Outcome carry_out(const Job& job, const Controls& controls,
                                          std::vector<Piece> begun = {}) = 0;
  /// Can pieces of another part be missing? Work in which each step needs the result of the previous one must
  /// then be a single piece.
  [[nodiscard]] virtual bool in_parts() const { return false; }
};

}  // namespace tailbound::run
