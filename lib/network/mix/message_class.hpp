#pragma once

#include <tailbound/network/mix/message_kinds.hpp>
#include <tailbound/network/worms/worm_pattern.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A class of messages of a wormhole network, as requested: message_classes.hpp makes kinds of classes.
///
/// TESTS     tests/network/mix/message_classes_test.cpp
namespace tailbound::network {

/// A class of messages.
struct MessageClass {
  std::string name;
  MessageLengths flits = 1;
  std::optional<int> virtual_channels{};               ///< of each link; default: those of the network
  std::optional<numeric::Rational> share{};            ///< weight among all messages; default: equal parts
  bool percent = false;                                ///< the share was given in percent
  WormPatternName pattern = WormPatternName::uniform;  ///< any except hot_spot
  /// Node numbers: all other nodes send to these, or these send to all others.
  std::vector<std::uint32_t> to{}, from{};
  std::string answers{};  ///< name of the class that it answers: as many messages, with exchanged ends
  std::string network{};  ///< of its virtual network; empty: its own

  friend bool operator==(const MessageClass&, const MessageClass&) = default;
};

/// "request flits=1 virtual-channels=2 to=0,3,12,15": a name and its keys, flits, virtual-channels, share,
/// pattern, to, from, answers, network.
/// \throws InvalidArgument  "class": an unknown or repeated key, or a value out of range
[[nodiscard]] MessageClass parse_message_class(std::string_view text);
/// A letter, then letters, digits, "-", "_" or ".".
[[nodiscard]] bool is_class_name(std::string_view name);
/// As parse_message_class() reads it.
[[nodiscard]] std::string text_of(const MessageClass& its);

}  // namespace tailbound::network
