#pragma once

#include <tailbound/network/worms/worm_network.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Messages of several lengths and classes in a wormhole network.
///
/// MODEL     Each message is of one of several kinds, and has a length by the law of its kind, independently
///           of other messages. A kind has its own sources and destinations, and takes the virtual channels
///           of its virtual network only.
/// TESTS     tests/network/mix/message_kinds_test.cpp
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

/// Messages of one class, or part of one.
struct MessageKind {
  std::string name{};           ///< of its class; empty if there is only one
  numeric::Rational share = 1;  ///< of all messages, above 0; the sum over all kinds is 1
  MessageLengths lengths = 32;
  std::uint32_t virtual_network = 0;
  WormTraffic traffic{};  ///< its own, with rates as described there
  /// Of the flows of `traffic`, in their order, exactly, in any unit; empty: the doubles there.
  std::vector<numeric::Rational> rates{};
  /// Index of the kind that it answers: a message of this kind leaves the destination of each such message,
  /// when that has arrived, for its source. Then `traffic` has the flows of that kind with their ends
  /// exchanged, and `share` equals that kind's.
  std::optional<std::size_t> answers{};
};

/// Of all messages [flits], M.
[[nodiscard]] numeric::Rational mean_flits(const std::vector<MessageKind>& kinds);

/// Nodes that send messages of any kind, ascending.
[[nodiscard]] std::vector<std::uint32_t> senders(const std::vector<MessageKind>& kinds, std::uint32_t nodes);

/// Factor from the rates of the kind's own traffic to messages per node at a load of one message per sending
/// node: share N / N_k with N the senders of any kind and N_k those of this one.
[[nodiscard]] double rate_scale(const std::vector<MessageKind>& kinds, std::size_t kind, std::uint32_t nodes);

}  // namespace tailbound::network
