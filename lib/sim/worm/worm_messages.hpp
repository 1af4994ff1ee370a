#pragma once

#include <tailbound/network/worms/worm_network.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/random.hpp>
#include <tailbound/sim/sources/poisson_clock.hpp>
#include <tailbound/sim/worm/worm_engine.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// The messages sent by the nodes of a wormhole network, one after the other.
///
/// MODEL     Poisson: each sending node generates messages at rate (its part of the traffic) load / M per
///           cycle; a message generated within a cycle is sent with the next. Bernoulli: each sends one with
///           that probability in each cycle. Lengths are M, or geometric on 1, 2, .. with mean M.
/// CONTRACT  message number i is a function of the inputs, the random key and i
/// TESTS     tests/sim/worm_replication_test.cpp
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
  std::shared_ptr<const network::WormNetwork> network;
  network::WormTraffic traffic{};
  numeric::Rational load;   ///< flits/cycle, the mean over sending nodes; 0 < load <= 1
  std::int64_t flits = 32;  ///< M, 1 .. 1 000 000
  WormLengths lengths = WormLengths::fixed;
  WormArrivals arrivals = WormArrivals::poisson;
  std::int64_t buffer_flits = 1;  ///< per virtual channel
  network::RouterTiming timing{};
};

/// \throws InvalidArgument  a field out of range
void check(const WormModel& model);

/// The inputs as text, for checkpoints.
[[nodiscard]] std::string describe(const WormModel& model);

/// Number of nodes that send.
[[nodiscard]] double sender_count(const WormModel& model);
/// Messages per cycle of all nodes together.
[[nodiscard]] double message_rate(const WormModel& model);

class WormMessages {
 public:
  /// CONTRACT  check(model)
  WormMessages(const WormModel& model, RandomKey key);

  /// The next one; births never decrease.
  [[nodiscard]] const WormMessage& next() const { return message_; }
  void pop();

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  [[nodiscard]] std::uint32_t length(std::uint64_t word) const;
  [[nodiscard]] const network::WormFlow& flow_at(double place, std::size_t first, std::size_t last) const;

  const network::WormNetwork& network_;
  RandomKey key_;
  WormArrivals arrivals_;
  std::uint32_t flits_;
  double log_longer_ = 0;                 ///< log(1 - 1 / M) for geometric lengths
  std::vector<network::WormFlow> flows_;  ///< sorted by source; empty: uniform
  std::vector<double> up_to_;             ///< [flow]: sum of the rates up to it, over that of all
  // Bernoulli: trials, sender by sender and cycle by cycle, with the maximum probability of any sender; each
  // success counts with the sender's own probability over that.
  std::vector<double> kept_;             ///< [sender]
  std::vector<std::size_t> first_flow_;  ///< [sender]; and after the last one
  std::uint64_t senders_ = 0;
  double log_failure_ = 0;
  std::uint64_t trials_ = 0;
  PoissonClock clock_;
  std::uint64_t drawn_ = 0;
  WormMessage message_;
};

}  // namespace tailbound::sim
