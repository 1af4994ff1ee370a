#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

/// What those who deal out pieces and those who do them say to one another, in one process or between several.
namespace tailbound::run {

struct Message {
  enum class Kind : std::uint8_t {
    // to a hand
    work,   ///< do this piece, from where `bytes` stands
    state,  ///< hand over where the piece in hand stands
    stop,   ///< end at the next look; what is not begun comes back as it was
    leave,  ///< no more to do
    // from a hand
    looked,    ///< `done` of the piece is done
    kept,      ///< the piece stands at `bytes`
    finished,  ///< `bytes` is the result
    left,      ///< the piece was stopped and stands at `bytes`
    failed,    ///< the piece has thrown `failure`
    gone,      ///< the hand itself is lost: `bytes` says why
  };
  Kind kind = Kind::leave;
  std::size_t piece = 0;
  double done = 0;
  std::string bytes{};
  std::exception_ptr failure{};
};

/// What was thrown goes along as its type, if that is one of core/error.hpp, and its words.
[[nodiscard]] std::string encoded(const Message& message);
/// \throws ParseError  no message
[[nodiscard]] Message decoded(std::string_view bytes);

/// The words of what was thrown.
[[nodiscard]] std::string words_of(const std::exception_ptr& failure);

}  // namespace tailbound::run
