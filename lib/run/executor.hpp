#pragma once

#include <tailbound/core/error.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// Who carries out a list of independent pieces of work: threads, processes, ranks of MPI, or one of several
/// parts that are run apart and put together later.
///
/// MODEL     A job is a number of pieces, each a function of its number and of what the job is of. A piece's
///           result is bytes; results come back in the order of the pieces, whoever did them and when.
/// RESULT    the same bytes for every executor, and whether or not pieces were interrupted and gone on with.
/// TESTS     tests/run/executor_test.cpp
namespace tailbound::run {

/// What has become of a piece.
struct Piece {
  std::string bytes{};  ///< its result; of one that is not finished, what it goes on from (empty: its start)
  bool finished = false;

  friend bool operator==(const Piece&, const Piece&) = default;
};

/// What a piece is told while it is worked on. A piece that takes long looks every 20 ms or so.
class Look {
 public:
  enum class Wish {
    go_on,
    state,  ///< hand over where you stand, with keep(), and go on
    stop,   ///< return where you stand, unfinished
  };
  Look() = default;
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;
  virtual ~Look() = default;

  /// \param done  fraction of the piece that is done, 0 to 1
  [[nodiscard]] virtual Wish at(double done) = 0;
  /// The answer to Wish::state.
  virtual void keep(std::string state) = 0;
};

/// CONTRACT  `work` is called by several threads or processes at once, for different pieces.
struct Job {
  /// What the pieces are of, in words: results and states of another identity are not this job's.
  std::string identity;
  std::size_t pieces = 1;
  /// \param number  0, 1, ...
  /// \param state   what an interrupted try has left (Piece::bytes), or empty
  std::function<Piece(std::size_t number, std::string_view state, Look& look)> work;
  /// Of pieces that use rationals or formulas, two threads of one process must not do two at once; and they
  /// need not look. One after the other on the thread that called, unless there are processes.
  bool alone = false;
  /// The identity says all that the results depend on. If not, several jobs of a question may have the same.
  bool identified = true;
  /// How much of a piece is done already, by its state; 0 where nothing is told.
  std::function<double(const Piece& begun)> done_before{};
};

struct Progress {
  double done = 0;                      ///< of all pieces, 0 .. 1
  std::chrono::duration<double> spent;  ///< by this call
  std::chrono::duration<double> left;   ///< at the same speed; 0 while unknown
};

/// How a job is carried out. Nothing here changes the results.
struct Controls {
  std::stop_token stop{};                           ///< ends the job at the next opportunity
  std::function<void(const Progress&)> progress{};  ///< called on the thread that called carry_out()
  std::chrono::milliseconds progress_interval{500};
  /// Called likewise, with where all pieces stand. Not for jobs whose pieces are done alone.
  std::function<void(const std::vector<Piece>& pieces)> checkpoint{};
  std::chrono::milliseconds checkpoint_interval{60'000};
  int threads = 1;  ///< for an executor that has no hands of its own
};

/// Those who did the work.
struct Crew {
  enum class Kind { threads, processes, ranks, parts } kind = Kind::threads;
  int count = 1;
};

struct Outcome {
  std::vector<Piece> pieces{};  ///< all, in their order
  Crew crew{};
  double seconds = 0;  ///< of wall time; of parts, of all of them together

  [[nodiscard]] bool complete() const {
    for (const Piece& piece : pieces)
      if (!piece.finished) return false;
    return true;
  }
};

/// Pieces are missing because another part does them: what is made of all of them cannot be made here.
class Elsewhere : public Error {
 public:
  Elsewhere() : Error("results of another part are needed") {}
};

class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Carries out the pieces that are not finished; less if it is stopped.
  /// \param begun  where the pieces stand, or empty: at their start
  /// \throws Elsewhere  pieces are missing that another part has
  /// \throws what the pieces throw (of pieces done alone, what the first of them in their order throws) and
  ///         what the callbacks throw, once nobody works any more
  [[nodiscard]] virtual Outcome carry_out(const Job& job, const Controls& controls,
                                          std::vector<Piece> begun = {}) = 0;
  /// Whether pieces are missing that another part has. Work of which each step needs the result of the one before
  /// is then a single piece of its own.
  [[nodiscard]] virtual bool in_parts() const { return false; }
};

}  // namespace tailbound::run
