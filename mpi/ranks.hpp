#pragma once

#include <tailbound/run/executor.hpp>

#include <memory>
#include <string>

/// Pieces on the ranks of MPI. Every rank carries out the same command; rank 0 deals out the pieces, has the
/// results of all, and is the only one that writes.
///
/// CONTRACT  MPI_Init() has been called, with MPI_THREAD_FUNNELED at least; carry_out() is called on that thread.
/// TESTS     tests/golden/mpi_test.cpp
namespace tailbound::mpi {

class Ranks final : public run::Executor {
 public:
  Ranks();
  ~Ranks() override;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Rank 0: it writes, and heeds stop requests.
  [[nodiscard]] bool leads() const;
  [[nodiscard]] int count() const;

  /// On rank 0 as the others tell; on these, what rank 0 has: they do not return where it does without them (after
  /// a stop), but end when it does.
  /// \throws std::runtime_error  a rank has ended before its time: why, in its words
  [[nodiscard]] run::Outcome carry_out(const run::Job& job, const run::Controls& controls,
                                       std::vector<run::Piece> begun = {}) override;

  /// The last that a rank does with this: rank 0 lets all others go, and these wait for it.
  /// \param said  why this rank has ended, if it has not answered
  void end(const std::string& said);

 private:
  class Post;
  class LeaderHands;
  class FollowerWire;

  run::Outcome lead(const run::Job& job, const run::Controls& controls, std::vector<run::Piece> begun);
  run::Outcome follow(const run::Job& job);

  std::unique_ptr<Post> post_;
  std::uint64_t jobs_ = 0;   ///< so far
  bool left_alone_ = false;  ///< rank 0 goes on without the others
};

}  // namespace tailbound::mpi
