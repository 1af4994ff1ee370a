#pragma once

#include <tailbound/core/printable.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

/// Typed errors. The library never prints or exits: it throws one of these errors, and the caller decides
/// what to do. Each message states what is wrong, the value, and what is legal.
namespace tailbound {

/// Root of every error that the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument is of the wrong form or out of range. Command lines exit with status 2.
class InvalidArgument : public Error {
 public:
  /// \param argument  name of the argument in the terms of the field ("load", "inputs")
  /// \param value     the given value, as text
  /// \param legal     the legal range, as a phrase that completes "must be ..."
  InvalidArgument(std::string argument, std::string value, std::string legal)
      : Error(argument + " is " + (value.empty() ? "empty" : printable(value, LineEnds::shown)) +
              "; it must be " + legal),
        argument_(std::move(argument)),
        value_(std::move(value)),
        legal_(std::move(legal)) {}

  [[nodiscard]] const std::string& argument() const noexcept { return argument_; }
  [[nodiscard]] const std::string& value() const noexcept { return value_; }
  [[nodiscard]] const std::string& legal() const noexcept { return legal_; }

 private:
  std::string argument_, value_, legal_;
};

/// \throws InvalidArgument  `legal_value` is false
inline void require(bool legal_value, const char* argument, const std::string& value, const char* legal) {
  if (!legal_value) throw InvalidArgument(argument, value, legal);
}

/// A text (expression, file) cannot be parsed. Positions count from 1; line 0 means "no position".
class ParseError : public Error {
 public:
  ParseError(std::string source, std::size_t line, std::size_t column, const std::string& what)
      : Error(printable(source, LineEnds::shown) +
              (line == 0 ? "" : ":" + std::to_string(line) + ":" + std::to_string(column)) + ": " +
              printable(what)),
        source_(std::move(source)),
        line_(line),
        column_(column) {}

  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::string source_;
  std::size_t line_, column_;
};

/// The query is valid but has no answer (unstable queue, target out of reach). Exit status 1.
class NoAnswer : public Error {
 public:
  using Error::Error;
};

/// A lower load would have an answer.
class LoadTooHigh : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

/// The load is at or above the service capacity, so no stationary distribution exists.
class Unstable : public LoadTooHigh {
 public:
  /// \param load      rho, as text  [packets/slot]
  /// \param capacity  packets served in a slot
  explicit Unstable(const std::string& load, int capacity = 1)
      : LoadTooHigh("the queue is unstable: its load is " + load + "; it must be below " +
                    std::to_string(capacity) + " (packets per slot)") {}
};

/// A run was stopped on request before anything could be answered.
class Stopped : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

/// An answer exists but would need more memory, time or digits than the stated limit.
class LimitExceeded : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

}  // namespace tailbound
