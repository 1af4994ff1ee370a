#pragma once

#include <tailbound/render/document.hpp>

#include <string>
#include <string_view>

/// Documents as bytes, for stores of answers to any question.
///
/// RESULT    the same numbers to the last bit, under the same keys. What is for text alone (lines, further columns)
///           and pictures are left out.
/// TESTS     tests/golden/stored_test.cpp
namespace tailbound::render {

[[nodiscard]] std::string to_bytes(const Document& document);
/// \throws ParseError  bytes that are none of a document
[[nodiscard]] Document document_of(std::string_view bytes);

}  // namespace tailbound::render
