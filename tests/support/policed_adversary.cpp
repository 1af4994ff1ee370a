#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tests/support/policed_adversary.hpp>
#include <unordered_set>
#include <utility>

namespace tailbound::test {
namespace {

using Label = std::uint8_t;
constexpr Label tag = 255;
constexpr int out = -1;  ///< out of the network

/// The network as small integers. Packets with the same remaining path are equivalent.
struct AdversaryTables {
  struct Hop {
    std::size_t port;
    int next;  ///< label at the next port, or `out`
  };
  struct Bucket {
    std::int64_t unit, rate, burst;  ///< in tokens of 1/unit
  };
  /// Equivalent flows, with the same path and buckets.
  struct Identical {
    Label first;  ///< label at the first port
    std::vector<Bucket> buckets;
    std::size_t count = 0;
  };
  std::vector<Hop> hops;  ///< [label]
  std::vector<Identical> identical;
  std::vector<std::size_t> group_of;  ///< [flow]: in `alike`
  std::size_t ports;

  explicit AdversaryTables(const network::PolicedNetwork& network) : ports(network.ports.size()) {
    std::map<std::vector<std::size_t>, int> known{{{}, out}};
    for (const network::PolicedFlow& flow : network.flows) {
      int label = out;
      for (std::size_t hop = flow.path.size(); hop-- > 0;) {
        const std::vector<std::size_t> ahead(flow.path.begin() + static_cast<std::ptrdiff_t>(hop),
                                             flow.path.end());
        const auto [at, is_new] = known.emplace(ahead, static_cast<int>(hops.size()));
        if (is_new) hops.push_back({flow.path[hop], label});
        label = at->second;
      }
      require(hops.size() < tag, "ways", std::to_string(hops.size()), "fewer");
      Identical group{static_cast<Label>(label), {}, 1};
      for (const traffic::TokenBucket& bucket : flow.buckets) {
        const numeric::Integer unit =
            numeric::lcm(numeric::denominator(bucket.rate), numeric::denominator(bucket.burst));
        const auto fine = [&](const numeric::Rational& tokens) {
          return numeric::to_int64(numeric::numerator(tokens * unit));
        };
        group.buckets.push_back({numeric::to_int64(unit), fine(bucket.rate), fine(bucket.burst)});
        require(group.buckets.back().burst < 65'536, "burst", numeric::to_fraction(bucket.burst), "smaller");
      }
      const auto same = std::find_if(identical.begin(), identical.end(), [&](const Identical& other) {
        return other.first == group.first &&
               std::equal(other.buckets.begin(), other.buckets.end(), group.buckets.begin(),
                          group.buckets.end(), [](const Bucket& a, const Bucket& b) {
                            return a.unit == b.unit && a.rate == b.rate && a.burst == b.burst;
                          });
      });
      group_of.push_back(static_cast<std::size_t>(same - identical.begin()));
      if (same == identical.end())
        identical.push_back(group);
      else
        ++same->count;
    }
  }
};

/// The content of the queues, head first, and of the buckets, after the arrivals of a slot.
struct AdversaryState {
  std::vector<std::string> queues;
  /// [group][member]: of each bucket; members in order, as they may be exchanged.
  std::vector<std::vector<std::vector<std::int64_t>>> held;

  void write(std::string& text) {
    text.clear();
    for (const std::string& queue : queues) {
      text += static_cast<char>(queue.size());
      text += queue;
    }
    for (auto& members : held) {
      std::sort(members.begin(), members.end());
      for (const auto& levels : members)
        for (const std::int64_t level : levels) {
          text += static_cast<char>(level & 255);
          text += static_cast<char>(level >> 8);
        }
    }
  }
  /// Into vectors of the right sizes.
  void read(const std::string& text) {
    std::size_t at = 0;
    const auto byte = [&] { return static_cast<std::int64_t>(static_cast<unsigned char>(text[at++])); };
    for (std::string& queue : queues) {
      const auto length = static_cast<std::size_t>(byte());
      queue.assign(text, at, length);
      at += length;
    }
    for (auto& members : held)
      for (auto& levels : members)
        for (std::int64_t& level : levels) {
          level = byte();
          level += byte() << 8;
        }
  }
};

class Adversary {
 public:
  Adversary(const network::PolicedNetwork& network, const AdversaryLimits& limits)
      : tables_(network), limits_(limits) {
    truth_.backlog.assign(tables_.ports, 0);
    truth_.delay.assign(network.flows.size(), 0);
    empty_.queues.resize(tables_.ports);
    for (const auto& group : tables_.identical) {
      std::vector<std::int64_t> full;
      for (const auto& bucket : group.buckets) full.push_back(bucket.burst);
      empty_.held.emplace_back(group.count, full);
    }
  }

  PolicedTruth find() {
    reach_all();
    for (std::size_t group = 0; group < tables_.identical.size() && !stopped_; ++group) {
      const std::int64_t delay = longest_delay(group);
      for (std::size_t flow = 0; flow < truth_.delay.size(); ++flow)
        if (tables_.group_of[flow] == group) truth_.delay[flow] = delay;
    }
    truth_.finished = !stopped_;
    return truth_;
  }

 private:
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  void reach_all() {
    std::string text;
    empty_.write(text);
    const auto found = [&](const std::string& next) {
      const auto [at, is_new] = reached_.insert(next);
      if (!is_new) return;
      order_.push_back(&*at);
      count_state();
    };
    found(text);
    for (std::size_t i = 0; i < order_.size() && !stopped_; ++i) {
      const std::string now = *order_[i];
      follow(now, nobody, nobody, [&](const AdversaryState& state, const std::string& next) {
        for (std::size_t port = 0; port < tables_.ports; ++port)
          truth_.backlog[port] =
              std::max(truth_.backlog[port], static_cast<std::int64_t>(state.queues[port].size()));
        found(next);
      });
    }
  }

  /// Slot by slot of the tagged packet's age: all states that are possible then.
  std::int64_t longest_delay(std::size_t group) {
    const std::vector<Label> labels = path_of(group);
    std::int64_t longest = 0, age = 1;
    std::unordered_set<std::string> layer;
    const auto found = [&](const AdversaryState& state, const std::string& next) {
      // In its last queue the packet's position determines the rest.
      const std::size_t place = state.queues[tables_.hops[labels.back()].port].find(static_cast<char>(tag));
      if (place != std::string::npos)
        longest = std::max(longest, age + static_cast<std::int64_t>(place));
      else if (layer.insert(next).second)
        count_state();
    };
    for (std::size_t i = 0; i < order_.size() && !stopped_; ++i) follow(*order_[i], group, group, found);
    while (!layer.empty() && !stopped_) {
      const std::unordered_set<std::string> now = std::move(layer);
      layer.clear();
      ++age;
      for (const std::string& text : now) {
        if (stopped_) break;
        follow(text, group, nobody, found);
      }
    }
    return longest;
  }

  [[nodiscard]] std::vector<Label> path_of(std::size_t group) const {
    std::vector<Label> labels;
    for (int label = tables_.identical[group].first; label != out; label = tables_.hops[labels.back()].next)
      labels.push_back(static_cast<Label>(label));
    return labels;
  }

  /// All possible next slots.
  /// \param follows  group of the packet that is tagged in the state, or will be
  /// \param tags     group whose sent packet is tagged now
  template <class Found>
  void follow(const std::string& text, std::size_t follows, std::size_t tags, const Found& found) {
    AdversaryState state = empty_;
    state.read(text);
    std::vector<std::string> came(tables_.ports);
    for (std::size_t port = 0; port < tables_.ports; ++port) {
      if (state.queues[port].empty()) continue;
      const auto label = static_cast<Label>(state.queues[port].front());
      state.queues[port].erase(0, 1);
      if (label == tag) {
        const std::vector<Label> labels = path_of(follows);
        for (std::size_t hop = 0; hop + 1 < labels.size(); ++hop)
          if (tables_.hops[labels[hop]].port == port)
            came[tables_.hops[labels[hop + 1]].port] += static_cast<char>(tag);
      } else if (const int next = tables_.hops[label].next; next != out) {
        came[tables_.hops[static_cast<std::size_t>(next)].port] += static_cast<char>(next);
      }
    }
    for (std::size_t group = 0; group < tables_.identical.size(); ++group)
      for (auto& levels : state.held[group])
        for (std::size_t i = 0; i < levels.size(); ++i) {
          const auto& bucket = tables_.identical[group].buckets[i];
          levels[i] = std::min(bucket.burst, levels[i] + bucket.rate);
        }
    const AdversaryState refilled = state;
    send(refilled, state, came, {0, 0, 0, false}, tags, found);
  }

  /// The current member, the number sent by the member before it, and whether the group to be tagged sent
  /// anything.
  struct Turn {
    std::size_t group, member;
    std::int64_t before;
    bool taggable;
  };

  /// Every number of packets of the flows from `turn` on.
  template <class Found>
  void send(const AdversaryState& refilled, AdversaryState& state, const std::vector<std::string>& came,
            const Turn& turn, std::size_t tags, const Found& found) {
    if (stopped_) return;
    if (turn.group == tables_.identical.size()) {
      if (tags == nobody) return join(state, came, 0, found);
      if (!turn.taggable) return;
      // Packets with the same remaining path may be exchanged: any of them represents the flow's own.
      std::vector<std::string> tagged = came;
      const Label first = tables_.identical[tags].first;
      std::string& arrivals = tagged[tables_.hops[first].port];
      arrivals[arrivals.find(static_cast<char>(first))] = static_cast<char>(tag);
      return join(state, tagged, 0, found);
    }
    const auto& group = tables_.identical[turn.group];
    if (turn.member == group.count)
      return send(refilled, state, came, {turn.group + 1, 0, 0, turn.taggable}, tags, found);
    const auto& levels = refilled.held[turn.group][turn.member];
    auto& left = state.held[turn.group][turn.member];
    std::int64_t maximum = levels.front() / group.buckets.front().unit;
    for (std::size_t i = 1; i < levels.size(); ++i)
      maximum = std::min(maximum, levels[i] / group.buckets[i].unit);
    // Members with the same state may be exchanged.
    if (turn.member > 0 && refilled.held[turn.group][turn.member - 1] == levels)
      maximum = std::min(maximum, turn.before);
    std::vector<std::string> with = came;
    for (std::int64_t packets = 0; packets <= maximum; ++packets) {
      for (std::size_t i = 0; i < levels.size(); ++i) left[i] = levels[i] - packets * group.buckets[i].unit;
      if (packets > 0) with[tables_.hops[group.first].port] += static_cast<char>(group.first);
      send(refilled, state, with,
           {turn.group, turn.member + 1, packets, turn.taggable || (turn.group == tags && packets > 0)}, tags,
           found);
    }
    left = levels;
  }

  /// All orders in which arrivals may join the queues from `port` on.
  template <class Found>
  void join(AdversaryState& state, const std::vector<std::string>& came, std::size_t port,
            const Found& found) {
    if (stopped_) return;
    if (port == tables_.ports) {
      if (++steps_ > limits_.steps) stopped_ = true;
      AdversaryState sorted = state;
      sorted.write(text_);
      found(sorted, text_);
      return;
    }
    std::string order = came[port];
    std::sort(order.begin(), order.end());
    std::string& queue = state.queues[port];
    const std::size_t before = queue.size();
    require(before + order.size() <= 200, "queue", std::to_string(before + order.size()),
            "at most 200 packets");
    do {
      queue += order;
      join(state, came, port + 1, found);
      queue.resize(before);
    } while (std::next_permutation(order.begin(), order.end()));
  }

  void count_state() {
    if (++states_ > limits_.states) stopped_ = true;
  }

  std::string text_;
  AdversaryTables tables_;
  AdversaryLimits limits_;
  AdversaryState empty_;
  PolicedTruth truth_;
  std::unordered_set<std::string> reached_;
  std::vector<const std::string*> order_;
  std::size_t states_ = 0, steps_ = 0;
  bool stopped_ = false;
};

}  // namespace

PolicedTruth policed_truth(const network::PolicedNetwork& network, const AdversaryLimits& limits) {
  return Adversary(network, limits).find();
}

}  // namespace tailbound::test
