#pragma once

#include <tailbound/run/executor.hpp>

#include <memory>
#include <string>

/// Executes pieces on the ranks of MPI. Every rank runs the same command; rank 0 schedules the pieces,
/// collects all results, and is the only one that writes.
///
/// CONTRACT  MPI_Init() has been called, with MPI_THREAD_FUNNELED at least; carry_out() is called on that
///           thread.
/// TESTS     tests/golden/mpi_test.cpp
namespace tailbound::mpi {

class Ranks final : public run::Executor {
 public:
  Ranks();
  ~Ranks() override;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Rank 0: it writes, and handles stop requests.
  [[nodiscard]] bool leads() const;
  [[nodiscard]] int count() const;

  /// On rank 0, the outcome from the messages of the others. On the others, the outcome of rank 0; if rank 0
  /// continues without them (after a stop), they do not return but end with it.
  /// \throws std::runtime_error  a rank has ended early; the text gives the reason
  [[nodiscard]] run::Outcome carry_out(const run::Job& job, const run::Controls& controls,
                                       std::vector<run::Piece> begun = {}) override;

  /// The last call of a rank: rank 0 releases all others, and these wait for it.
  /// \param error  why this rank has ended without an answer, if so
  void end(const std::string& error);

 private:
  class Post;
  class RankWorkers;
  class FollowerLink;

  run::Outcome lead(const run::Job& job, const run::Controls& controls, std::vector<run::Piece> begun);
  run::Outcome follow(const run::Job& job);

  std::unique_ptr<Post> post_;
  std::uint64_t jobs_ = 0;   ///< so far
  bool left_alone_ = false;  ///< rank 0 continues without the others
};

}  // namespace tailbound::mpi
