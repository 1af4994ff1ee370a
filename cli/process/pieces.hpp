#pragma once

#include <cli/process/interrupt.hpp>

#include <functional>
#include <memory>

/// Work that does not look at stop requests, carried out so that a stop ends it all the same.
namespace tailbound::cli {

/// Carries out answers::Run::piece on a thread of its own. A piece that has not ended a second after a stop
/// was requested (sooner where a limit was reached) is given up: the process forks, and carry_out() returns false in the child, where the
/// thread of the piece is not, so that nothing disturbs what is finished and is now written. The parent only
/// waits for the child and ends as it does. So a piece may refer to anything that lives while it is called.
class Pieces {
 public:
  /// \param interrupt  outlives this
  explicit Pieces(Interrupt& interrupt);
  ~Pieces();
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  /// False if a stop had been requested before, or the piece was given up. A piece within a piece is called.
  /// \throws what the piece throws
  [[nodiscard]] bool carry_out(const std::function<void()>& piece);

 private:
  class Carrier;
  std::unique_ptr<Carrier> carrier_;
};

/// Whether this process has given work up: it must end without the destructors of global objects, which the
/// work may have left anyhow.
[[nodiscard]] bool has_given_up();

}  // namespace tailbound::cli
