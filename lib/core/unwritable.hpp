#pragma once

#include <tailbound/core/error.hpp>

#include <string>

/// Errors of outputs.
namespace tailbound {

/// An output cannot be written: a full disk, a missing folder, a closed descriptor. Exit status 5.
class Unwritable : public Error {
 public:
  /// \param output  as the user names it: "standard output", "--output answer.txt"
  Unwritable(const std::string& output, const std::string& reason)
      : Error(printable(output, LineEnds::shown) + " cannot be written: " + reason) {}
};

}  // namespace tailbound
