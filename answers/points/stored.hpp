#pragma once

#include <string>
#include <string_view>

/// Answers as bytes, for parts of a run that are merged later, ranks that send them, and stores.
///
/// RESULT    the same answer to the last bit: both ends of enclosures with their precision, rationals exactly,
///           doubles bit for bit. Bytes are of this version of the program: they carry neither a version nor a
///           checksum, which whoever keeps them adds (sim/batches/checkpoint.hpp).
/// EXCLUDES  formulas (PgfAnswer)
/// TESTS     tests/answers/points/stored_test.cpp
namespace tailbound::answers {

/// Does an answer go as bytes from who computed it to who asked? Each that is one of a list (points.hpp) says so itself,
/// as its static member `stored`, or does not compile; of those that do not go, every part and rank computes all.
template <class Answer>
inline constexpr bool is_stored = Answer::stored;

/// Defined for each answer that is stored, in stored/stored_answers.cpp.
template <class Answer>
[[nodiscard]] std::string to_bytes(const Answer& answer);

/// \throws ParseError  bytes that are none of such an answer
template <class Answer>
[[nodiscard]] Answer from_bytes(std::string_view bytes);

}  // namespace tailbound::answers
