#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/sim/worm/worm_messages.hpp>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

// The numbers of docs/pictures/wormhole_channels.csv: a mesh, channel by channel, from the finite-source
// model and from simulation.
//
//   wormhole_channels [CYCLES] > wormhole_channels.csv      (default 20 000 000: half a minute) gnuplot
//   wormhole_channels.gp                            (draws wormhole_channels.png from it, in the same folder)
//
// Waits and holding times are in message lengths. The wait is the time for which a message occupies the
// previous channel longer than this one, as the same tail releases both; injection channels have none.

namespace {

using namespace tailbound;
using network::WormHead;
using network::WormNetwork;

constexpr int radix = 8;
constexpr std::int64_t flits = 32;
/// Highest stable load, simulated to 0.5 % (docs/derivations/wormhole_finite_source.md) [flits/cycle/node].
constexpr const char* simulated_saturation = "0.2197";
/// Cycles for which holding times are stored: a tail passes its path in fewer.
constexpr std::size_t remembered = 64;

struct Seen {
  double worms = 0, time = 0, squares = 0;  ///< [cycles]
  double arrivals = 0, waits = 0;
};

class Watch {
 public:
  Watch(const WormNetwork& network, sim::WormModel model, std::uint64_t seed)
      : network_(network),
        messages_(model, {seed, 0}),
        engine_(network, 1, {seed, 1}),
        seen_(network.layout().channels.size()),
        occupancy_(remembered, std::vector<std::uint64_t>(seen_.size(), 0)) {}

  void run(std::uint64_t warmup, std::uint64_t end) {
    while (engine_.now() < end) {
      const std::uint64_t cycle = engine_.now();
      for (; messages_.next().born <= cycle; messages_.pop()) engine_.send(messages_.next());
      engine_.cycle();
      for (const sim::ChannelOccupancy& occupancy : engine_.occupancy()) {
        occupancy_[cycle % remembered][occupancy.channel] = occupancy.cycles;
        if (cycle < warmup) continue;
        Seen& seen = seen_[occupancy.channel];
        const auto time = static_cast<double>(occupancy.cycles);
        seen.worms += 1, seen.time += time, seen.squares += time * time;
      }
      if (cycle < warmup) continue;
      for (const sim::WormDelivery& delivery : engine_.delivered()) count_waits(delivery, cycle);
    }
  }
  [[nodiscard]] const Seen& channel(std::size_t i) const { return seen_[i]; }

 private:
  /// A tail leaves one channel of its path per cycle, the last one now.
  void count_waits(const sim::WormDelivery& delivery, std::uint64_t cycle) {
    WormHead head{.source = delivery.message.source,
                  .destination = delivery.message.destination,
                  .variant = delivery.message.variant};
    double before = 0;
    for (std::uint32_t station = network_.next_station(head); station != WormNetwork::arrived;
         station = network_.next_station(head)) {
      head.channel = network_.layout().stations[station].first;  // all have one channel
      ++head.passed;
      const bool last = head.passed == delivery.distance;
      const std::uint64_t left = cycle - (last ? 0 : delivery.distance - 1 - head.passed);
      const double occupancy = last ? static_cast<double>(flits)
                                    : static_cast<double>(occupancy_[left % remembered][head.channel]);
      if (head.passed > 1) {
        seen_[head.channel].arrivals += 1;
        seen_[head.channel].waits += before - occupancy;
      }
      before = occupancy;
    }
  }

  const WormNetwork& network_;
  sim::WormMessages messages_;
  sim::WormEngine engine_;
  std::vector<Seen> seen_;
  std::vector<std::vector<std::uint64_t>>
      occupancy_;  ///< [cycle % remembered][channel], by messages that left it then
};

void compare(const std::string& fraction, std::uint64_t cycles) {
  const numeric::Rational share = numeric::parse_rational(fraction, "fraction");
  const numeric::Rational load = share * numeric::parse_rational(simulated_saturation, "load");
  const std::shared_ptr<const WormNetwork> mesh = network::make_cube_worms({.radix = radix}, 1);
  const network::ChannelGraph graph = network::walk_graph(*mesh, {});
  const auto point = bounds::wormhole::FiniteSourceModel(graph).solve(numeric::nearest_double(load));
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < graph.channels.size(); ++i) place.emplace(graph.channels[i].name, i);

  Watch watch(*mesh, {.network = mesh, .kinds = {{.lengths = flits}}, .load = load}, 1);
  watch.run(cycles / 20, cycles);
  constexpr auto length = static_cast<double>(flits);
  for (std::uint32_t i = 0; i < mesh->layout().channels.size(); ++i) {
    const auto found = place.find(mesh->channel_name(i));
    const Seen& seen = watch.channel(i);
    if (found == place.end() || seen.worms == 0) continue;
    const bounds::wormhole::FiniteSourceChannel& model = point.channels[found->second];
    const double time = seen.time / seen.worms / length;
    const double variance = seen.squares / seen.worms / length / length - time * time;
    std::printf("%s,\"%s\",", fraction.c_str(), found->first.c_str());
    if (seen.arrivals > 0)
      std::printf("%.4f,%.4f,", seen.waits / seen.arrivals / length, model.wait);
    else
      std::printf(",,");
    std::printf("%.4f,%.4f,%.5f,%.5f,%.0f\n", time, model.service, variance,
                model.second - model.service * model.service, seen.worms);
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::uint64_t cycles = 20'000'000;
  if (count > 1) {
    const char* const end = arguments[1] + std::strlen(arguments[1]);
    const auto [read, error] = std::from_chars(arguments[1], end, cycles);
    if (error != std::errc() || read != end || cycles < 1000 || count > 2) {
      std::fprintf(stderr, "usage: wormhole_channels [CYCLES], from 1000\n");
      return 2;
    }
  }
  std::puts(
      "fraction,channel,wait_simulated,wait_model,holding_simulated,holding_model,variance_simulated,"
      "variance_model,"
      "worms");
  for (const char* fraction : {"0.5", "0.8", "0.9"}) compare(fraction, cycles);
}
