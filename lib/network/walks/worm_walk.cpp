#include <tailbound/core/error.hpp>
#include <tailbound/network/walks/worm_meetings.hpp>
#include <tailbound/network/walks/worm_walk.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace tailbound::network {
namespace {

/// Messages from one channel to stations, in the order of their first use.
class TurnCounts {
 public:
  struct Count {
    std::uint32_t station;
    double messages;
  };

  /// Is the station new?
  bool add(std::uint32_t station, double messages) {
    if (counts_.size() > linear_up_to) return add_by_map(station, messages);
    for (Count& count : counts_)
      if (count.station == station) {
        count.messages += messages;
        return false;
      }
    counts_.push_back({station, messages});
    return true;
  }
  [[nodiscard]] const std::vector<Count>& counts() const { return counts_; }

 private:
  static constexpr std::size_t linear_up_to = 16;

  bool add_by_map(std::uint32_t station, double messages) {
    if (position_.empty())
      for (std::size_t i = 0; i < counts_.size(); ++i) position_.emplace(counts_[i].station, i);
    const auto [found, fresh] = position_.emplace(station, counts_.size());
    if (fresh)
      counts_.push_back({station, messages});
    else
      counts_[found->second].messages += messages;
    return fresh;
  }

  std::vector<Count> counts_;
  std::unordered_map<std::uint32_t, std::size_t> position_;  ///< once there are many
};

class Walk {
 public:
  explicit Walk(const WormNetwork& network)
      : network_(network),
        layout_(network.layout()),
        injected_(layout_.stations.size(), 0),
        entered_(layout_.stations.size(), 0),
        ended_(layout_.channels.size(), 0),
        turns_(layout_.channels.size()) {
    if (layout_.channels.size() > max_walk_turns)
      throw LimitExceeded("the network has more than " + std::to_string(max_walk_turns) + " channels");
  }

  void all_pairs() {
    const std::uint64_t nodes = layout_.nodes;
    require(nodes >= 2, "nodes", std::to_string(nodes), "at least 2");
    require_steps(nodes * (nodes - 1));
    for (std::uint32_t source = 0; source < layout_.nodes; ++source)
      for (std::uint32_t destination = 0; destination < layout_.nodes; ++destination)
        if (source != destination) pair(source, destination, 1, 0, layout_.variants);
    unit_ = 1 / (static_cast<double>(nodes - 1) * layout_.variants);
  }

  void add(const MessageFlows& kind) {
    const double pairs = kind.pairs(layout_.nodes);
    require_steps(static_cast<std::uint64_t>(pairs));
    std::unordered_set<std::uint64_t> met;
    for (const WormFlow& flow : kind.traffic.flows) {
      const bool between = flow.source < layout_.nodes && flow.destination < layout_.nodes;
      if (!between || flow.source == flow.destination) reject_flow(flow, "between two nodes of the network");
      if (!(flow.rate > 0) || !std::isfinite(flow.rate)) reject_flow(flow, "of a rate above 0");
      if (!met.insert((std::uint64_t{flow.source} << 32) | flow.destination).second)
        reject_flow(flow, "the only one between its nodes");
    }
    kind.for_each_pair(layout_.nodes, [&](std::uint32_t source, std::uint32_t destination, double messages) {
      pair(source, destination, messages, kind.first_variant, kind.variants);
    });
    unit_ = 1.0 / kind.variants;
  }

  [[nodiscard]] ChannelGraph graph() const;

 private:
  /// Messages that wait for a station, all of one pair and variant and after the same number of steps.
  struct Part {
    std::uint32_t station;
    double messages;
  };

  static void require(bool right, const std::string& what, const std::string& value, const char* legal) {
    if (!right) throw InvalidArgument(what, value, legal);
  }
  /// Each of `pairs` has two steps or more.
  void require_steps(std::uint64_t pairs) const {
    if (pairs > max_walk_steps / 2 / layout_.variants) reject_steps();
  }
  [[noreturn]] static void reject_steps() {
    throw LimitExceeded("enumerating the routes of all messages would take more than 5e9 steps, the limit");
  }

  [[noreturn]] static void reject_flow(const WormFlow& flow, const char* legal) {
    throw InvalidArgument("a flow",
                          std::to_string(flow.source) + " -> " + std::to_string(flow.destination) +
                              " with rate " + std::to_string(flow.rate),
                          legal);
  }
  [[noreturn]] void reject_path(const WormHead& head) const {
    throw InvalidArgument(
        "the route from " + network_.node_name(head.source) + " to " + network_.node_name(head.destination),
        "longer", "at most " + std::to_string(layout_.longest_path) + " channels long");
  }

  void pair(std::uint32_t source, std::uint32_t destination, double messages, std::uint32_t first,
            std::uint32_t variants) {
    for (std::uint32_t variant = first; variant < first + variants; ++variant) {
      WormHead head{.source = source, .destination = destination, .variant = variant};
      const std::uint32_t entry = network_.next_station(head);
      injected_[entry] += messages;
      here_.assign(1, {entry, messages});
      for (head.passed = 1; !here_.empty(); ++head.passed) {
        if (head.passed > layout_.longest_path) reject_path(head);
        step(head);
      }
    }
  }

  /// From the channels in `here_` to the next ones.
  void step(WormHead& head) {
    next_.clear();
    for (const Part& part : here_) {
      const WormStation& station = layout_.stations[part.station];
      entered_[part.station] += part.messages;
      const double each = station.count == 1 ? part.messages : part.messages / station.count;
      if ((steps_ += station.count) > max_walk_steps) reject_steps();
      for (std::uint32_t i = 0; i < station.count; ++i) {
        head.channel = station.first + i;
        const std::uint32_t onward = network_.next_station(head);
        if (onward == WormNetwork::arrived)
          ended_[head.channel] += each;
        else
          turn(head.channel, onward, each);
      }
    }
    here_.swap(next_);
  }

  void turn(std::uint32_t channel, std::uint32_t station, double messages) {
    if (turns_[channel].add(station, messages) && ++turn_count_ > max_walk_turns)
      throw LimitExceeded("the network has more than " + std::to_string(max_walk_turns) +
                          " turns from one channel to another");
    for (Part& part : next_)
      if (part.station == station) {
        part.messages += messages;
        return;
      }
    next_.push_back({station, messages});
  }

  [[nodiscard]] std::vector<Turn> turns_of(std::uint32_t channel,
                                           const std::vector<std::size_t>& station_of) const;

  const WormNetwork& network_;
  const WormLayout& layout_;
  std::vector<double> injected_, entered_;  ///< messages [station]
  std::vector<double> ended_;               ///< messages [channel]
  std::vector<TurnCounts> turns_;           ///< [channel]
  std::vector<Part> here_, next_;
  std::uint64_t steps_ = 0;
  std::size_t turn_count_ = 0;
  double unit_ = 1;  ///< one message [messages per cycle]
};

std::vector<Turn> Walk::turns_of(std::uint32_t channel, const std::vector<std::size_t>& station_of) const {
  const std::vector<TurnCounts::Count>& counts = turns_[channel].counts();
  double all = ended_[channel];
  for (const auto& [station, messages] : counts) all += messages;
  std::vector<Turn> turns;
  turns.reserve(counts.size());
  for (const auto& [station, messages] : counts)
    turns.push_back(
        {.station = station_of[station],
         .probability = messages / all,
         .own_share = std::min(1.0, layout_.stations[station].count * messages / entered_[station])});
  return turns;
}

ChannelGraph Walk::graph() const {
  ChannelGraph graph;
  graph.name = layout_.name;
  std::vector<std::size_t> station_of(layout_.stations.size(), 0);
  double sent = 0, crossed = 0;
  for (std::size_t i = 0; i < layout_.stations.size(); ++i) {
    if (entered_[i] == 0) continue;
    sent += injected_[i];
    crossed += entered_[i];
    station_of[i] = graph.stations.size();
    const WormStation& station = layout_.stations[i];
    graph.stations.push_back(
        {.channels = {}, .servers = static_cast<int>(station.count), .rate = entered_[i] * unit_});
    for (std::uint32_t channel = station.first; channel < station.first + station.count; ++channel) {
      graph.stations.back().channels.push_back(graph.channels.size());
      graph.channels.push_back({.name = network_.channel_name(channel),
                                .station = station_of[i],
                                .wire = layout_.channels[channel].wire,
                                .rate = entered_[i] / station.count * unit_,
                                .turns = {}});
    }
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < layout_.stations.size(); ++i) {
    if (entered_[i] == 0) continue;
    const WormStation& station = layout_.stations[i];
    for (std::uint32_t channel = station.first; channel < station.first + station.count; ++channel, ++at) {
      graph.channels[at].turns = turns_of(channel, station_of);
      if (ended_[channel] > 0)
        graph.channels[at].ends = std::min(1.0, ended_[channel] * station.count / entered_[i]);
      if (injected_[i] > 0)
        graph.sources.push_back({.channel = at, .weight = injected_[i] / sent / station.count});
    }
  }
  graph.mean_distance = crossed / sent;
  return graph;
}

}  // namespace

ChannelGraph walk_graph(const WormNetwork& network, const WormTraffic& traffic) {
  Walk walk(network);
  if (traffic.flows.empty())
    walk.all_pairs();
  else
    walk.add({.traffic = traffic, .variants = network.layout().variants});
  ChannelGraph graph = walk.graph();
  const std::optional<double> met = worms_met(network, flows_of(traffic, network.layout()));
  graph.worms_met = met ? *met : partner_rate(graph);
  graph.shared_wires = shared_wires(network, traffic);
  return graph;
}

ChannelGraph walk_kinds(const WormNetwork& network, const std::vector<MessageFlows>& kinds) {
  if (kinds.size() == 1) return walk_graph(network, kinds.front().traffic);
  Walk walk(network);
  for (const MessageFlows& kind : kinds) walk.add(kind);
  ChannelGraph graph = walk.graph();
  const std::optional<double> met = worms_met(network, kinds);
  graph.worms_met = met.value_or(0);
  return graph;
}

}  // namespace tailbound::network
