#pragma once

#include <tailbound/network/messages/message_lengths.hpp>
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

/// Nodes that send; all without flows.
[[nodiscard]] std::size_t sender_count(const WormTraffic& traffic, std::uint32_t nodes);

/// Nodes that send messages of any kind, ascending.
[[nodiscard]] std::vector<std::uint32_t> senders(const std::vector<MessageKind>& kinds, std::uint32_t nodes);

/// Factor from the rates of the kind's own traffic to messages per node at a load of one message per sending
/// node: share N / N_k with N the senders of any kind and N_k those of this one.
[[nodiscard]] double rate_scale(const std::vector<MessageKind>& kinds, std::size_t kind, std::uint32_t nodes);

}  // namespace tailbound::network
