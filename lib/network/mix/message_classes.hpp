#pragma once

#include <tailbound/network/messages/message_class.hpp>
#include <tailbound/network/mix/message_kinds.hpp>
#include <tailbound/network/worms/worm_topology.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The messages of a wormhole network as requested: of one length, of a law of lengths, or of classes.
///
/// MODEL     network/mix/message_kinds.hpp. Classes of one virtual network share its channels and the
///           queues of the sources; by default each class is a virtual network of its own.
/// TESTS     tests/network/mix/message_classes_test.cpp
namespace tailbound::network {

/// A class of messages between the nodes of a named topology.
struct PatternedClass : MessageClass {
  WormPatternName pattern = WormPatternName::uniform;  ///< any except hot_spot
  /// Node numbers: all other nodes send to these, or these send to all others.
  std::vector<std::uint32_t> to{}, from{};

  friend bool operator==(const PatternedClass&, const PatternedClass&) = default;
};

/// "request flits=1 virtual-channels=2 to=0,3,12,15": a name and its keys, flits, virtual-channels, share,
/// pattern, to, from, answers, network.
/// \throws InvalidArgument  "class": an unknown or repeated key, or a value out of range
[[nodiscard]] PatternedClass parse_message_class(std::string_view text);
/// As parse_message_class() reads it.
[[nodiscard]] std::string text_of(const PatternedClass& its);

/// Messages of all nodes.
struct WormMessages {
  MessageLengths flits = 32;              ///< without classes
  std::vector<PatternedClass> classes{};  ///< in place of it

  friend bool operator==(const WormMessages&, const WormMessages&) = default;
};

/// The messages with what follows for the virtual networks.
struct MessageMix {
  std::vector<MessageKind> kinds{};
  std::vector<std::optional<int>> virtual_channels{};  ///< of each virtual network, of each link; if given
  std::vector<std::string> virtual_networks{};         ///< their names; a single empty one without classes
};

/// Of a link, all virtual networks together.
inline constexpr int max_virtual_channels = 64;

/// The class whose messages cause those of another one, directly or by answers in between.
struct Origin {
  std::size_t message_class = 0;  ///< its position
  std::size_t exchanges = 0;      ///< how often the ends are exchanged; 0: it answers no class
};
/// Of each class.
/// \throws InvalidArgument  "class": two of one name, an answer to an unknown class or in a circle
[[nodiscard]] std::vector<Origin> origins_of(const std::vector<MessageClass>& classes);

/// Sources and destinations of a class that answers no other, by its position.
using TrafficOfClass = std::function<WormTraffic(std::size_t)>;

/// \throws InvalidArgument  as origins_of(); "class": shares in percent that do not sum to 100 %, different
///                          virtual channels of one virtual network; as `traffic`
[[nodiscard]] MessageMix message_mix(const std::vector<MessageClass>& classes, const TrafficOfClass& traffic);

/// For a named topology: without classes with the topology's pattern.
/// \throws InvalidArgument  the same; nodes out of range, a pattern in addition to classes
[[nodiscard]] MessageMix message_mix(const WormTopology& topology, const WormMessages& messages);

/// The network with a copy of its stations for each virtual network.
/// \param usual    virtual channels of each link where a class has none
/// \param network  with the given virtual channels of each link
/// \throws InvalidArgument  "class": more than max_virtual_channels; as `network`
[[nodiscard]] std::shared_ptr<const WormNetwork> network_of(
    const MessageMix& mix, int usual,
    const std::function<std::shared_ptr<const WormNetwork>(int virtual_channels)>& network);

}  // namespace tailbound::network
