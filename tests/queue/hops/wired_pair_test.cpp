#include <tailbound/queue/hops/wired_pair.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>
#include <vector>

using namespace tailbound;
using queue::LoneSource;
using queue::WiredLaw;
using queue::WiredPair;
using Series = std::vector<double>;

namespace {

constexpr double tolerance = 1e-6;

/// P(D > t) of the sum of both waits, and its mean at the end.
Series delay_of(const std::vector<Series>& waits) {
  Series mass(waits.size() + waits.front().size(), 0);
  for (std::size_t w = 0; w < waits.size(); ++w)
    for (std::size_t to = 0; to < waits[w].size(); ++to) mass[w + to] += waits[w][to];
  Series tails;
  double above = std::accumulate(mass.begin(), mass.end(), 0.0), mean = 0;
  CHECK(above == Approx(1).epsilon(1e-9));
  for (std::size_t t = 0; t < mass.size(); ++t) {
    tails.push_back(above -= mass[t]);
    mean += static_cast<double>(t) * mass[t];
  }
  tails.push_back(mean);
  return tails;
}

WiredPair line(const Series& hosts, const Series& others) {
  WiredPair pair;
  for (const double rate : hosts) pair.hosts.push_back({.rate = rate, .share = 1});
  pair.forwarded = 1;
  pair.other_hosts = others;
  pair.first_size = pair.second_size = 44;
  pair.gap = 0.05;
  return pair;
}

void check(const Series& delay, double mean, const Series& tails, double relative) {
  CHECK(delay.back() == Approx(mean).epsilon(relative));
  for (std::size_t t = 0; t < tails.size(); ++t) CHECK(delay[t] == Approx(tails[t]).epsilon(relative));
}

}  // namespace

// Means are the rationals of docs/derivations/any_network.md; probabilities are of the whole chain.
TEST_CASE("Wired pair: two queues with sources only match their whole chain") {
  const WiredLaw first(line({0.2, 0.4}, {0.1}), tolerance);
  check(delay_of(first.waits({.place = 0, .ahead_forwarded = 1})), 227.0 / 300,
        {17.0 / 36, 0.181147715693, 0.0657599325397, 0.0239360282591}, 1e-6);
  check(delay_of(first.waits({.place = 1, .ahead_forwarded = 1})), 97.0 / 150,
        {13.0 / 32, 0.153009930155, 0.0556783356155, 0.020237496881}, 1e-6);
  const WiredLaw second(line({0.3, 0.3}, {0.2}), tolerance);
  check(delay_of(second.waits({.ahead_forwarded = 1})), 11.0 / 8,
        {0.609693877551, 0.34706563352, 0.190688818115, 0.104164914011}, 1e-6);
  const WiredLaw third(line({0.2, 0.2, 0.2}, {0.1, 0.1}), tolerance);
  check(delay_of(third.waits({.ahead_forwarded = 1})), 33.0 / 20,
        {0.64568329904, 0.401037388517, 0.242721642534, 0.145748271677}, 1e-6);
}

TEST_CASE("Wired pair: output of another queue, exact mean, tails within half a per cent") {
  const auto sends = [](const std::vector<LoneSource>& sources) {
    return queue::output_process(queue::run_moments(sources), 1);
  };
  WiredPair alone;
  alone.hosts = {{.rate = 0.1}};
  alone.wires = {sends({{1, 0.2}, {1, 0.4}})};
  alone.first_size = 44;
  alone.second_size = 1;
  alone.gap = 0.05;
  const Series wait = WiredLaw(alone, tolerance).first_wait({.place = 0});
  check(delay_of({wait}), 17.0 / 30, {0.433496481102, 0.0985350927877, 0.0251328466894}, 5e-3);
  WiredPair both = line({0.2, 0.2}, {});
  both.other_wires = {sends({{2, 0.2}})};
  check(delay_of(WiredLaw(both, tolerance).waits({.ahead_forwarded = 1})), 1.5,
        {0.6322098, 0.3689868, 0.2135165, 0.1221324}, 5e-4);
  both = line({0.3, 0.3}, {});
  both.other_wires = {sends({{2, 0.1}})};
  check(delay_of(WiredLaw(both, tolerance).waits({.ahead_forwarded = 1})), 113.0 / 80,
        {0.6112110, 0.3525806, 0.1983371, 0.1110409}, 5e-4);
}

TEST_CASE("Wired pair: the first queue is the slotted queue for any input of the second") {
  WiredPair pair = line({0.3, 0.25, 0.2}, {0.1});
  pair.forwarded = 0.4;
  const Series law = WiredLaw(pair, tolerance).left_over();
  const queue::LoneQueue lone = queue::lone_queue({{1, 0.3}, {1, 0.25}, {1, 0.2}}, 44);
  for (std::size_t v = 0; v < 20; ++v) CHECK(law[v] == Approx(lone.left_over[v]).epsilon(1e-4));
}

TEST_CASE(
    "Wired pair: counting the packets bound for the second queue changes nothing where shares are equal") {
  WiredPair pair = line({0.4, 0.4}, {0.3});
  pair.forwarded = 0.5;
  for (queue::FeedingHost& host : pair.hosts) host.share = 0.5;
  pair.first_size = pair.second_size = 24;
  const Series plain = delay_of(WiredLaw(pair, tolerance).waits({.ahead_forwarded = 0.5}));
  pair.counted = true;
  const Series counted = delay_of(WiredLaw(pair, tolerance).waits({.ahead_forwarded = 0.5}));
  for (std::size_t t = 0; t < 12; ++t) CHECK(counted[t] == Approx(plain[t]).epsilon(2e-4));
}

TEST_CASE("Wired pair: a source that uses one path per slot never meets its own packets") {
  // One source, half of it through the first queue: no packet ever waits in either queue.
  WiredPair pair;
  pair.hosts = {{.rate = 0.45, .share = 1, .around = 0.45}};
  pair.forwarded = 1;
  pair.first_size = pair.second_size = 16;
  CHECK(delay_of(WiredLaw(pair, tolerance).waits({}))[0] == Approx(0).margin(1e-12));
  // Another source, directly to the second queue, is met.
  pair.hosts = {{.rate = 0.45, .share = 1}, {.rate = 0, .around = 0.4}};
  CHECK(delay_of(WiredLaw(pair, tolerance).waits({}))[0] > 0.15);
  pair.hosts = {{.rate = 0.45, .share = 1, .around = 0.45}};
  // It does where earlier queues have moved its packets into the same slot.
  pair.hosts[0].both = 0.1;
  CHECK(delay_of(WiredLaw(pair, tolerance).waits({}))[0] > 0.05);
}
