#pragma once

#include <tailbound/render/document.hpp>

#include <string>
#include <string_view>

/// Documents as bytes, for stores of answers of any command.
///
/// RESULT    the same numbers to the last bit, under the same keys. Text-only content (lines, further
/// columns) and pictures
///           are omitted.
/// TESTS     tests/golden/stored_test.cpp
namespace tailbound::render {

[[nodiscard]] std::string to_bytes(const Document& document);
/// \throws ParseError  the bytes are not a document
[[nodiscard]] Document document_of(std::string_view bytes);

}  // namespace tailbound::render
