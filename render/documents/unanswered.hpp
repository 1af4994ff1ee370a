#pragma once

#include <tailbound/render/document.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Points of a list without an answer: they keep their row, which says why.
namespace tailbound::render {

/// With "status" and "reason", the last columns of a list with points that have no answer.
[[nodiscard]] Layout with_status(Layout layout);

struct Unanswered {
  std::size_t place = 0;  ///< in the list
  Cells inputs;
  std::string reason;
  bool missing = false;  ///< a stop came first
  Cells known{};         ///< what is proved nevertheless
};

/// Adds their rows to the document of the answered points; all rows then have a status. The headline says how
/// many there are, the notes say why.
/// \param unanswered  in the order of the list; not empty
void add_unanswered(Document& document, const std::vector<Unanswered>& unanswered);

/// "2 of 3 points have no answer; the first: load 1: the queue is unstable ..": for standard error; empty
/// if every point
/// with a status is answered.
[[nodiscard]] std::string unanswered_in_words(const Document& document);

}  // namespace tailbound::render
