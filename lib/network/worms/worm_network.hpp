#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// A wormhole network as seen by its messages: channels, stations, and the route of each message.
///
/// MODEL     A message from one node to another passes channels one after the other; the first is an
///           injection channel, the last an ejection channel (or a link, if there is no contention after it).
///           The channels for which a message waits together are a station: it takes any free one. Virtual
///           channels of one physical channel have the same `wire`. The next station may depend on the
///           channel that a message got and on its variant: a routing that spreads messages over several
///           equal routes draws a number with each message to select one.
/// EXCLUDES  sources and destinations (WormTraffic), time, and queueing
/// TESTS     tests/network/walks/worm_walk_test.cpp, tests/network/walks/worm_trails_test.cpp
namespace tailbound::network {

struct WormChannel {
  std::uint32_t station = 0;
  std::uint32_t wire = 0;  ///< number of its physical channel, below WormLayout::wires
};

/// Its channels are consecutive.
struct WormStation {
  std::uint32_t first = 0;  ///< channel
  std::uint32_t count = 1;
};

struct WormLayout {
  std::string name;
  std::uint32_t nodes = 0;  ///< those that can send or receive
  std::uint32_t wires = 0;
  std::uint32_t variants = 1;      ///< number of equally likely routes; drawn with each message
  std::uint32_t longest_path = 0;  ///< channels, injection and ejection included
  std::vector<WormChannel> channels;
  std::vector<WormStation> stations;

  /// Does any physical channel have several virtual channels?
  [[nodiscard]] bool shares_wires() const { return wires < channels.size(); }
};

/// Where the head of a message is.
struct WormHead {
  std::uint32_t source = 0, destination = 0;  ///< nodes
  std::uint32_t variant = 0;                  ///< below WormLayout::variants
  std::uint32_t passed = 0;                   ///< channels entered so far; 0: not yet sent
  std::uint32_t channel = 0;                  ///< the last of them
};

class WormNetwork {
 public:
  static constexpr std::uint32_t arrived = std::numeric_limits<std::uint32_t>::max();

  explicit WormNetwork(WormLayout layout) : layout_(std::move(layout)) {}
  WormNetwork(const WormNetwork&) = delete;
  WormNetwork& operator=(const WormNetwork&) = delete;
  virtual ~WormNetwork() = default;

  [[nodiscard]] const WormLayout& layout() const { return layout_; }
  /// The station that the head requests next, or `arrived` after an ejection channel.
  /// CONTRACT  source and destination differ, and the traffic has messages from one to the other
  [[nodiscard]] virtual std::uint32_t next_station(const WormHead& head) const = 0;
  [[nodiscard]] virtual std::string channel_name(std::uint32_t channel) const = 0;
  [[nodiscard]] virtual std::string node_name(std::uint32_t node) const = 0;

 private:
  WormLayout layout_;
};

/// Messages from one node to another.
struct WormFlow {
  std::uint32_t source = 0, destination = 0;
  double rate = 0;  ///< relative rate of its messages [see WormTraffic]
};

/// Sources and destinations of the messages.
struct WormTraffic {
  /// Empty: uniform, each node to each other with the same rate. Otherwise at most one per pair; the rates
  /// sum to the number of nodes that send, so at load 1 these send one flit per cycle each on average.
  std::vector<WormFlow> flows;
};

}  // namespace tailbound::network
