#pragma once

#include <tailbound/core/error.hpp>

#include <cstddef>
#include <string>

namespace tailbound::answers {

/// A point of a list without an answer.
struct Refusal {
  std::size_t place = 0;  ///< in the list
  std::string reason{};
  bool load_too_high = false;  ///< a lower load would have an answer
};

/// \throws LoadTooHigh, NoAnswer  the reason
[[noreturn]] inline void reject(const Refusal& refusal) {
  if (refusal.load_too_high) throw LoadTooHigh(refusal.reason);
  throw NoAnswer(refusal.reason);
}

}  // namespace tailbound::answers
