#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Laws of message lengths in flits.
///
/// MODEL     A message has a length by the law, independently of other messages.
/// TESTS     tests/network/messages/message_lengths_test.cpp
namespace tailbound::network {

struct MessageLength {
  std::int64_t flits = 1;
  numeric::Rational share;  ///< fraction of the messages, above 0
  friend bool operator==(const MessageLength&, const MessageLength&) = default;
};

/// Message lengths in flits: a list of lengths with their shares, or geometric on 1, 2, ..
class MessageLengths {
 public:
  /// In lists of several lengths, and of geometric means.
  static constexpr std::int64_t max_flits = 1'000'000;
  /// Of a single length.
  static constexpr std::int64_t max_single_flits = 1'000'000'000;
  static constexpr std::size_t max_lengths = 4096;

  /// One length.  \throws InvalidArgument  "flits": out of range
  MessageLengths(std::int64_t flits);  // NOLINT(google-explicit-constructor): 5 flits are a law of lengths
  /// Equal lengths are merged; shares are weights, above 0, scaled to 1.
  /// \throws InvalidArgument  "flits": none, too many, or one out of range
  explicit MessageLengths(std::vector<MessageLength> weighted);
  /// \throws InvalidArgument  "flits": out of range
  [[nodiscard]] static MessageLengths geometric(std::int64_t mean);

  /// "5", or a law: "1:3,5:2" (weights), "1:60%,5:40%", "1-16:1" (each of 1 .. 16 flits with this weight).
  /// \throws InvalidArgument  "flits": a length or weight out of range; percentages that do not sum to 100 %
  [[nodiscard]] static MessageLengths parse(std::string_view text);
  /// One length and its weight per line, separated by blanks, a comma or a semicolon; # begins a comment.
  /// \param source  the file's name, for messages
  /// \throws ParseError
  [[nodiscard]] static MessageLengths of_file(std::string_view text, std::string_view source);

  [[nodiscard]] bool is_geometric() const { return geometric_; }
  [[nodiscard]] bool single() const { return !geometric_ && lengths_.size() == 1; }
  /// Ascending, each once; shares sum to 1. Geometric: the mean alone.
  [[nodiscard]] const std::vector<MessageLength>& lengths() const { return lengths_; }
  [[nodiscard]] numeric::Rational mean() const;
  /// E l^2
  [[nodiscard]] numeric::Rational mean_square() const;
  /// Var l / (E l)^2
  [[nodiscard]] double variation() const;
  [[nodiscard]] std::int64_t largest() const { return lengths_.back().flits; }
  /// "5", "1:60%,5:40%", "geometric:8"; as parse() reads it except for the latter
  [[nodiscard]] std::string text() const;
  /// "5 flits", "60 % of 1 and 40 % of 5 flits", "geometric length, mean 8 flits"
  [[nodiscard]] std::string in_words() const;

  friend bool operator==(const MessageLengths&, const MessageLengths&) = default;

 private:
  std::vector<MessageLength> lengths_;
  bool geometric_ = false;
};

}  // namespace tailbound::network
