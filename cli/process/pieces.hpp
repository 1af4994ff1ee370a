#pragma once

#include <cli/process/interrupt.hpp>

#include <functional>
#include <memory>

/// Makes work interruptible that does not check for stop requests.
namespace tailbound::cli {

/// Executes answers::Run::piece on a separate thread. A piece that has not ended one second after a stop
/// request (earlier if a limit was reached) is aborted: the process forks, and carry_out() returns false in
/// the child, which does not contain the piece's thread, so that nothing disturbs the finished work while it
/// is written. The parent only waits for the child and ends with its status. So a piece may refer to anything
/// that lives during the call.
class Pieces {
 public:
  /// \param interrupt  outlives this
  explicit Pieces(Interrupt& interrupt);
  ~Pieces();
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  /// False if a stop was requested before, or the piece was aborted. A nested piece is called directly.
  /// \throws exceptions of the piece
  [[nodiscard]] bool carry_out(const std::function<void()>& piece);

 private:
  class Carrier;
  std::unique_ptr<Carrier> carrier_;
};

/// Whether this process has aborted work: it must end without the destructors of global objects, which the
/// work may have left in any state.
[[nodiscard]] bool has_given_up();

}  // namespace tailbound::cli
