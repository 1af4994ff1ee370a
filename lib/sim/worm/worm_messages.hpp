#pragma once

#include <tailbound/network/mix/message_kinds.hpp>
#include <tailbound/network/worms/worm_network.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/random.hpp>
#include <tailbound/sim/sources/poisson_clock.hpp>
#include <tailbound/sim/worm/worm_engine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

/// The messages sent by the nodes of a wormhole network, one after the other.
///
/// MODEL     Kind k has the share s_k of all messages, and M is their mean length. At a load, the N nodes
///           that send messages of any kind send load N s_k / M of kind k per cycle, together. Poisson: a
///           message generated within a cycle is sent with the next. Bernoulli: each node sends at most one
///           message of each kind in a cycle. A message has a length by the law of its kind. An answer is
///           born in the cycle after the arrival of the tail that it answers, or `think` cycles later.
/// METHOD    Shares of kinds and lengths are multiples of 2^-64, rates of flows of 2^-53. Where messages of
///           several kinds are born at a node in one cycle (Bernoulli), their order alternates.
/// CONTRACT  message number i that is no answer is a function of the inputs, the random key and i; answer
///           number i, of these and of the message that it answers
/// TESTS     tests/sim/worm_replication_test.cpp, tests/sim/worm/worm_kinds_test.cpp
namespace tailbound::sim {

enum class WormArrivals { poisson, bernoulli };
[[nodiscard]] constexpr auto names_of(WormArrivals) {
  return std::array{"poisson", "bernoulli"};
}
enum class WormLengths { fixed, geometric };
[[nodiscard]] constexpr auto names_of(WormLengths) {
  return std::array{"fixed", "geometric"};
}

/// All inputs of a wormhole simulation.
struct WormModel {
  /// network::VirtualNetworks if the kinds have several virtual networks.
  std::shared_ptr<const network::WormNetwork> network;
  std::vector<network::MessageKind> kinds{network::MessageKind{}};  ///< lengths up to 1 000 000
  numeric::Rational load;  ///< flits/cycle, the mean over sending nodes; 0 < load <= 1
  WormArrivals arrivals = WormArrivals::poisson;
  std::int64_t buffer_flits = 1;  ///< per virtual channel
  network::RouterTiming timing{};
  std::int64_t think = 0;  ///< cycles from an arrival to its answer, 0 .. 1 000 000
};

/// \throws InvalidArgument  a field out of range
void check(const WormModel& model);

/// The inputs as text, for checkpoints.
[[nodiscard]] std::string describe(const WormModel& model);

/// Number of nodes that send.
[[nodiscard]] double sender_count(const WormModel& model);
/// Of all messages [flits], M.
[[nodiscard]] double mean_flits(const WormModel& model);
/// Messages per cycle of all nodes together, answers included.
[[nodiscard]] double message_rate(const WormModel& model);
/// Variants of a route, and the virtual network of a station.
[[nodiscard]] std::uint32_t variants_of(const WormModel& model);
[[nodiscard]] std::uint32_t virtual_network_of(const WormModel& model, std::uint32_t station);

/// Parts of the messages that are counted apart: each length of each kind.
struct WormParts {
  static constexpr std::size_t most_lengths = 64;
  std::vector<std::size_t> first;     ///< [kind]: its first part; and the end
  std::vector<std::size_t> kinds;     ///< [part]
  std::vector<std::int64_t> lengths;  ///< [part]: [flits], 0: all of its kind

  /// Is there more to count than all messages together?
  [[nodiscard]] bool apart() const { return lengths.size() > 1; }
  [[nodiscard]] std::size_t count() const { return lengths.size(); }
};
/// Geometric lengths, and all if there are more than `most_lengths` of them, are counted by kind only.
[[nodiscard]] WormParts parts_of(const WormModel& model);

class WormMessages {
 public:
  /// CONTRACT  check(model)
  WormMessages(const WormModel& model, RandomKey key);

  /// The next one; births never decrease. Its tag is its part, as in parts_of().
  [[nodiscard]] const WormMessage& next() const { return answer_is_next() ? answers_.front() : message_; }
  void pop();

  [[nodiscard]] bool has_answers() const { return has_answers_; }
  /// A message has arrived, and its answers will follow.
  /// CONTRACT  in order of arrival, before the next message of that cycle is sent
  void arrived(const WormDelivery& delivery);
  /// Answers to come.
  [[nodiscard]] std::size_t waiting_answers() const { return answers_.size(); }

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  struct Lengths {
    std::uint32_t flits = 1;                ///< of each, or their mean
    double log_longer = 0;                  ///< log(1 - 1 / M) if geometric
    std::vector<std::uint32_t> values;      ///< of several
    std::vector<std::uint64_t> thresholds;  ///< [value]: of the share up to it
    bool counted = false;                   ///< each length is a part
  };
  struct Kind {
    Lengths lengths;
    std::size_t part = 0;                  ///< the first one
    std::uint32_t variant = 0;             ///< the first one of its virtual network
    std::vector<network::WormFlow> flows;  ///< sorted by source; empty: uniform
    std::vector<double> up_to;             ///< [flow]: sum of the rates up to it, over that of all
    std::vector<std::size_t> answered_by;  ///< kinds
  };
  /// Bernoulli: a node that sends messages of a kind.
  struct Sender {
    std::uint32_t kind = 0, node = 0;
    std::size_t first = 0, last = 0;  ///< its flows
    double kept = 1;                  ///< its own probability over the highest of any sender
  };

  [[nodiscard]] static Lengths lengths_of(const network::MessageLengths& law, bool counted);
  [[nodiscard]] static const network::WormFlow& flow_at(const Kind& kind, double place, std::size_t first,
                                                        std::size_t last);
  [[nodiscard]] bool answer_is_next() const {
    return !answers_.empty() && answers_.front().born <= message_.born;
  }
  void draw_length(WormMessage& message, const Kind& kind, std::uint64_t word) const;
  void add_senders(const WormModel& model, std::uint32_t kind);
  void draw();

  const network::WormNetwork& network_;
  RandomKey key_;
  WormArrivals arrivals_;
  std::uint32_t variants_;  ///< of each virtual network
  std::uint64_t think_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_part_;
  bool has_answers_ = false;
  std::vector<std::uint32_t> generated_;   ///< kinds that are no answers
  std::vector<std::uint64_t> kind_up_to_;  ///< [of these]: threshold of the share up to it
  // Bernoulli: trials, sender by sender and cycle by cycle, with the highest probability of any sender; each
  // success counts with the sender's own probability over that.
  std::vector<Sender> senders_;
  double log_failure_ = 0;
  std::uint64_t trials_ = 0;
  PoissonClock clock_;
  std::uint64_t drawn_ = 0, answered_ = 0;
  WormMessage message_;
  std::deque<WormMessage> answers_;  ///< to be born, in this order
};

}  // namespace tailbound::sim
