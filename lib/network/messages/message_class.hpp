#pragma once

#include <tailbound/network/messages/message_lengths.hpp>
#include <tailbound/numeric/rational.hpp>

#include <optional>
#include <string>
#include <string_view>

/// A class of messages of a wormhole network, apart from its sources and destinations.
///
/// TESTS     tests/network/mix/message_classes_test.cpp
namespace tailbound::network {

struct MessageClass {
  std::string name;
  MessageLengths flits = 1;
  std::optional<int> virtual_channels{};     ///< of each link; default: those of the network
  std::optional<numeric::Rational> share{};  ///< weight among all messages; default: equal parts
  bool percent = false;                      ///< the share was given in percent
  std::string answers{};  ///< name of the class that it answers: as many messages, with exchanged ends
  std::string network{};  ///< of its virtual network; empty: its own
  bool uniform = false;   ///< in a network file: each node sends to each other one

  friend bool operator==(const MessageClass&, const MessageClass&) = default;
};

/// The share as it was given, "60%" or "3/5".
[[nodiscard]] std::string share_text(const MessageClass& its);

/// A letter, then letters, digits, "-", "_" or ".".
[[nodiscard]] bool is_class_name(std::string_view name);

}  // namespace tailbound::network
