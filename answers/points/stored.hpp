#pragma once

#include <string>
#include <string_view>

/// Answers as bytes, for parts of a run that are merged later, for MPI ranks, and for stores.
///
/// RESULT    the same answer to the last bit: both ends of enclosures with their precision, rationals
/// exactly,
///           doubles bit for bit. The bytes are specific to this version of the program and contain neither a
///           version nor
///           a checksum; the code that keeps them adds both (sim/batches/checkpoint.hpp).
/// EXCLUDES  formulas (PgfAnswer)
/// TESTS     tests/answers/points/stored_test.cpp
namespace tailbound::answers {

/// Is the answer sent as bytes between processes? Each answer used in lists (points.hpp) declares that as its
/// static member `stored`, otherwise it does not compile. Answers that are not sent are computed by every
/// part and rank.
template <class Answer>
inline constexpr bool is_stored = Answer::stored;

/// Defined for each stored answer, in stored/stored_answers.cpp.
template <class Answer>
[[nodiscard]] std::string to_bytes(const Answer& answer);

/// \throws ParseError  the bytes are not such an answer
template <class Answer>
[[nodiscard]] Answer from_bytes(std::string_view bytes);

}  // namespace tailbound::answers
