#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

/// Messages between the scheduler and its workers, in one process or between several.
namespace tailbound::run {

struct Message {
  enum class Kind : std::uint8_t {
    // to a worker
    work,   ///< execute this piece, starting from the state `bytes`
    state,  ///< return the state of the current piece
    stop,   ///< stop at the next check; pieces not started are returned unchanged
    leave,  ///< no more work
    // from a worker
    looked,    ///< `done` of the piece is done
    kept,      ///< the state of the piece is `bytes`
    finished,  ///< `bytes` is the result
    left,      ///< the piece was stopped in the state `bytes`
    failed,    ///< the piece threw `failure`
    gone,      ///< the worker itself is lost; `bytes` gives the reason
    replaced,  ///< the worker was lost, and a new one has none of its pieces
  };
  Kind kind = Kind::leave;
  std::size_t piece = 0;
  double done = 0;
  std::string bytes{};
  std::exception_ptr failure{};
};

/// Exceptions are sent with their type, if it is one of core/error.hpp, and their text.
[[nodiscard]] std::string encoded(const Message& message);
/// \throws ParseError  not a message
[[nodiscard]] Message decoded(std::string_view bytes);

/// The text of an exception.
[[nodiscard]] std::string words_of(const std::exception_ptr& failure);

}  // namespace tailbound::run
