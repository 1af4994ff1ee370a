#include <tailbound/core/error.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>

#include <algorithm>
#include <numeric>

namespace tailbound::network {
namespace {

/// The slowest and the fastest used link; none without flows.
std::optional<std::pair<LinkRate, LinkRate>> speeds_of(const Network& network) {
  std::optional<std::pair<LinkRate, LinkRate>> speeds;
  const auto slower = [](const LinkRate& a, const LinkRate& b) {
    return a.packets * b.slots < b.packets * a.slots;
  };
  const std::vector<bool> used = used_links(network);
  for (std::size_t link = 0; link < used.size(); ++link) {
    if (!used[link]) continue;
    const LinkRate& rate = network.links[link].rate;
    if (!speeds) speeds = {rate, rate};
    if (slower(rate, speeds->first)) speeds->first = rate;
    if (slower(speeds->second, rate)) speeds->second = rate;
  }
  return speeds;
}

}  // namespace

std::vector<bool> used_links(const Network& network) {
  std::vector<bool> used(network.links.size());
  for (const Flow& flow : network.flows)
    for (const Route& route : flow.routes)
      for (const std::size_t link : route.links) used[link] = true;
  return used;
}

bool has_mixed_speeds(const Network& network) {
  const auto speeds = speeds_of(network);
  return speeds && speeds->first != speeds->second;
}

Network in_slots_of(Network network, const Rational& rate) {
  const std::vector<bool> used = used_links(network);
  for (std::size_t link = 0; link < used.size(); ++link)
    network.links[link].rate =
        used[link] ? LinkRate::of(network.links[link].rate.value() / rate, "the speed of a link over another")
                   : LinkRate{};
  for (Flow& flow : network.flows) flow.rate = flow.rate / rate;
  if (network.gbps) network.gbps = *network.gbps * rate;
  network.file_slots = network.file_slots * rate;
  return network;
}

Network in_own_slots(Network network) {
  const auto speeds = speeds_of(network);
  return speeds ? in_slots_of(std::move(network), speeds->first.value()) : network;
}

LinkClocks link_clocks(const Network& network, std::int64_t min_packet) {
  return link_clocks(network, used_links(network), min_packet);
}

LinkClocks link_clocks(const Network& network, const std::vector<bool>& used, std::int64_t min_packet) {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  LinkClocks clocks;
  clocks.packet.assign(network.links.size(), 0);
  std::int64_t slot = 1;  // a multiple of the numerators of all rates
  for (std::size_t link = 0; link < used.size(); ++link) {
    if (!used[link]) continue;
    slot = std::lcm(slot, std::int64_t{network.links[link].rate.packets});
    if (slot > limit)
      throw LimitExceeded("the speeds of the links have no common clock of fewer than 2^40 ticks per slot");
  }
  std::int64_t common = slot;
  for (std::size_t link = 0; link < used.size(); ++link) {
    if (!used[link]) continue;
    const LinkRate& rate = network.links[link].rate;
    clocks.packet[link] = slot / rate.packets * rate.slots;
    common = std::gcd(common, clocks.packet[link]);
  }
  std::int64_t shortest = limit;
  for (std::int64_t& packet : clocks.packet)
    if (packet > 0) shortest = std::min(shortest, packet /= common);
  const std::int64_t finer = (min_packet + shortest - 1) / shortest;
  clocks.slot = slot / common * finer;
  for (std::int64_t& packet : clocks.packet) {
    packet *= finer;
    clocks.slowest = std::max(clocks.slowest, packet);
  }
  return clocks;
}

}  // namespace tailbound::network
