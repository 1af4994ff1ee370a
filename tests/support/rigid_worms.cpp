#include <algorithm>
#include <cmath>
#include <deque>
#include <list>
#include <map>
#include <random>
#include <tests/support/rigid_worms.hpp>

namespace tailbound::test {
namespace {

using network::WormHead;
using network::WormNetwork;

struct Rigid {
  WormHead head;
  std::int64_t born = 0, started = -1;
  std::int64_t steps = 0;           ///< number made so far
  std::vector<std::uint32_t> path;  ///< channels granted so far
  bool arrived = false;             ///< the last of them is an ejection channel
  std::int64_t requested = 0;       ///< cycle in which it requested its next channel
  double tie = 0;
  std::int64_t moved_in = -1;
};

class Simulator {
 public:
  Simulator(const WormNetwork& network, std::uint32_t flits, std::uint64_t seed)
      : network_(network), flits_(flits), random_(seed), free_(network.layout().channels.size(), true) {}

  void add_message(std::uint32_t source, std::uint32_t destination, std::int64_t born) {
    const std::uint32_t variant =
        std::uniform_int_distribution<std::uint32_t>(0, network_.layout().variants - 1)(random_);
    Rigid worm;
    worm.head = {.source = source, .destination = destination, .variant = variant};
    worm.born = born;
    request(worm, born);
    worms_.push_back(worm);
  }

  /// One cycle; the latencies and waits of the messages that ended.
  std::vector<std::pair<double, double>> cycle(std::int64_t now) {
    for (const std::uint32_t channel : freed_) free_[channel] = true;
    freed_.clear();
    for (bool changed = true; changed;) {
      changed = false;
      // The first in the queue of each station.
      std::map<std::uint32_t, std::list<Rigid>::iterator> first;
      for (auto worm = worms_.begin(); worm != worms_.end(); ++worm) {
        if (worm->moved_in == now || worm->arrived || worm->requested > now) continue;
        const std::uint32_t station = network_.next_station(worm->head);
        const auto at = first.find(station);
        if (at == first.end() || before(*worm, *at->second)) first[station] = worm;
      }
      for (const auto& [station, worm] : first) {
        const auto [channel, count] = network_.layout().stations[station];
        std::vector<std::uint32_t> open;
        for (std::uint32_t i = channel; i < channel + count; ++i)
          if (free_[i]) open.push_back(i);
        if (open.empty()) continue;
        const std::uint32_t got =
            open[std::uniform_int_distribution<std::size_t>(0, open.size() - 1)(random_)];
        free_[got] = false;
        worm->path.push_back(got);
        worm->head.channel = got;
        ++worm->head.passed;
        worm->arrived = network_.next_station(worm->head) == WormNetwork::arrived;
        if (worm->started < 0) worm->started = now;
        step(*worm, now);
        request(*worm, now + 1);
        changed = true;
      }
      for (Rigid& worm : worms_)
        if (worm.arrived && worm.moved_in != now) {
          step(worm, now);
          changed = true;
        }
    }
    std::vector<std::pair<double, double>> ended;
    for (auto worm = worms_.begin(); worm != worms_.end();) {
      const bool over =
          worm->arrived && worm->steps == static_cast<std::int64_t>(worm->path.size()) + flits_ - 1;
      if (over) {
        freed_.push_back(worm->path.back());
        ended.emplace_back(now + 1 - worm->born, worm->started - worm->born);
      }
      worm = over ? worms_.erase(worm) : std::next(worm);
    }
    return ended;
  }

 private:
  void request(Rigid& worm, std::int64_t cycle) {
    worm.requested = cycle;
    worm.tie = std::uniform_real_distribution<double>()(random_);
  }
  [[nodiscard]] static bool before(const Rigid& a, const Rigid& b) {
    if (a.head.passed == 0 && b.head.passed == 0 && a.born != b.born) return a.born < b.born;
    return a.requested != b.requested ? a.requested < b.requested : a.tie < b.tie;
  }
  /// The tail leaves the buffer of place i with step i + 1 + flits; the ejection's with the last one.
  void step(Rigid& worm, std::int64_t now) {
    worm.moved_in = now;
    ++worm.steps;
    const std::int64_t left = worm.steps - 1 - flits_;
    const auto places = static_cast<std::int64_t>(worm.path.size());
    if (left >= 0 && left < places - (worm.arrived ? 1 : 0))
      free_[worm.path[static_cast<std::size_t>(left)]] = true;
  }

  const WormNetwork& network_;
  std::int64_t flits_;
  std::mt19937_64 random_;
  std::vector<bool> free_;
  std::vector<std::uint32_t> freed_;
  std::list<Rigid> worms_;
};

}  // namespace

RigidResult simulate_rigid_worms(const WormNetwork& network, double load, std::uint32_t flits,
                                 std::int64_t batch_cycles, int batches, std::uint64_t seed) {
  Simulator simulator(network, flits, seed);
  std::mt19937_64 random(seed + 1);
  std::exponential_distribution<double> gap(load / flits * network.layout().nodes);
  std::uniform_int_distribution<std::uint32_t> node(0, network.layout().nodes - 1);
  RigidResult result;
  double next = gap(random);
  for (int batch = -1; batch < batches; ++batch) {  // one to warm up
    double latency = 0, wait = 0, count = 0;
    for (std::int64_t i = 0; i < batch_cycles; ++i) {
      const std::int64_t now = (batch + 1) * batch_cycles + i;
      for (; std::ceil(next) <= static_cast<double>(now); next += gap(random)) {
        const std::uint32_t source = node(random);
        std::uint32_t destination = node(random);
        while (destination == source) destination = node(random);
        simulator.add_message(source, destination, now);
      }
      for (const auto& [its_latency, its_wait] : simulator.cycle(now)) {
        latency += its_latency;
        wait += its_wait;
        ++count;
      }
    }
    if (batch < 0) continue;
    result.batch_latency.push_back(latency / count);
    result.batch_wait.push_back(wait / count);
  }
  return result;
}

}  // namespace tailbound::test
