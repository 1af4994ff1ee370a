#include <tailbound/core/error.hpp>
#include <tailbound/network/network.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::network {
namespace {

constexpr int most_packets_per_slot = 32;
constexpr int most_virtual_channels = 16;
constexpr int greatest_weight = 1'000'000;

void check_link(const Network& network, std::size_t position) {
  const Link& link = network.links[position];
  if (link.from >= network.nodes.size() || link.to >= network.nodes.size())
    throw InvalidArgument("link " + std::to_string(position),
                          std::to_string(link.from) + " -> " + std::to_string(link.to),
                          "between nodes 0 to " + std::to_string(network.nodes.size()) + " - 1");
  if (link.from == link.to)
    throw InvalidArgument("link " + std::to_string(position), network.link_name(position),
                          "from one node to another");
  if (link.packets_per_slot < 1 || link.packets_per_slot > most_packets_per_slot)
    throw InvalidArgument("packets a slot of the link " + network.link_name(position),
                          std::to_string(link.packets_per_slot), "a whole number from 1 to 32");
  for (const int count : {link.classes, link.virtual_channels})
    if (count < 1 || count > most_virtual_channels)
      throw InvalidArgument("virtual channels of the link " + network.link_name(position),
                            std::to_string(count), "a whole number from 1 to 16");
  if (link.weight < 1 || link.weight > greatest_weight)
    throw InvalidArgument("weight of the link " + network.link_name(position), std::to_string(link.weight),
                          "a whole number from 1 to 1000000");
}

void check_links(const Network& network) {
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  ends.reserve(network.links.size());
  for (std::size_t position = 0; position < network.links.size(); ++position) {
    check_link(network, position);
    ends.emplace_back(network.links[position].from, network.links[position].to);
  }
  std::sort(ends.begin(), ends.end());
  const auto twice = std::adjacent_find(ends.begin(), ends.end());
  if (twice != ends.end())
    throw InvalidArgument(
        "link", network.nodes[twice->first].name + " -> " + network.nodes[twice->second].name, "listed once");
}

/// Follows one route. `last_taken[link]` is the number of the last route that took the link; `number` is new.
void check_route(const Network& network, const Flow& flow, const Route& route,
                 std::vector<std::size_t>& last_taken, std::size_t number) {
  const auto refuse = [&](std::size_t link, const char* legal) {
    throw InvalidArgument("route of the flow " + flow.name,
                          link < network.links.size() ? network.link_name(link) : std::to_string(link),
                          legal);
  };
  if (route.links.empty()) throw InvalidArgument("route of the flow " + flow.name, "", "one link or more");
  std::size_t here = flow.source;
  bool forwarding = false;
  for (const std::size_t link : route.links) {
    if (link >= network.links.size()) refuse(link, "a position in the list of links");
    if (network.links[link].from != here) refuse(link, "continued where it ends, from source to destination");
    if (forwarding && network.nodes[here].host) refuse(link, "forwarded by switches, not hosts");
    if (last_taken[link] == number) refuse(link, "taken once in a route");
    last_taken[link] = number;
    forwarding = true;
    here = network.links[link].to;
  }
  if (!route.classes.empty() && route.classes.size() != route.links.size())
    refuse(route.links.front(), "given one class of virtual channels for each link, or none");
  for (std::size_t i = 0; i < route.classes.size(); ++i)
    if (route.classes[i] < 0 || route.classes[i] >= network.links[route.links[i]].classes)
      refuse(route.links[i], "taken in one of its classes");
  if (here != flow.destination) refuse(route.links.back(), "continued to the destination of the flow");
}

void check_flow(const Network& network, const Flow& flow, std::vector<std::size_t>& last_taken,
                std::size_t& route_number) {
  if (flow.source >= network.nodes.size() || flow.destination >= network.nodes.size())
    throw InvalidArgument("flow " + flow.name,
                          std::to_string(flow.source) + " -> " + std::to_string(flow.destination),
                          "between nodes of the network");
  if (!cln::plusp(flow.rate))
    throw InvalidArgument("rate of the flow " + flow.name, numeric::to_fraction(flow.rate), "above 0");
  if (flow.priority < 1 || flow.priority > Flow::most_classes)
    throw InvalidArgument("class of the flow " + flow.name, std::to_string(flow.priority),
                          "a whole number from 1 (served first) to " + std::to_string(Flow::most_classes));
  if (flow.burst) {
    try {
      (void)traffic::on_off(flow.rate, *flow.burst);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(error.argument() + " of the flow " + flow.name, error.value(), error.legal());
    }
  }
  Rational shares = 0;
  for (const Route& route : flow.routes) {
    if (!cln::plusp(route.share))
      throw InvalidArgument("share of a route of the flow " + flow.name, numeric::to_fraction(route.share),
                            "above 0");
    shares = shares + route.share;
    check_route(network, flow, route, last_taken, ++route_number);
  }
  if (shares != 1)
    throw InvalidArgument("sum of the shares of the flow " + flow.name, numeric::to_fraction(shares), "1");
}

}  // namespace

int Network::classes() const {
  int lowest = 1;
  for (const Flow& flow : flows) lowest = std::max(lowest, flow.priority);
  return lowest;
}

void require_valid(const Network& network) {
  check_links(network);
  std::vector<std::size_t> last_taken(network.links.size(), 0);
  std::size_t route_number = 0;
  std::vector<Rational> sent(network.nodes.size(), 0);
  for (const Flow& flow : network.flows) {
    check_flow(network, flow, last_taken, route_number);
    if (flow.burst) continue;
    sent[flow.source] = sent[flow.source] + flow.rate;
    if (sent[flow.source] > 1)
      throw InvalidArgument("sum of the rates of the flows from " + network.nodes[flow.source].name,
                            numeric::to_fraction(sent[flow.source]) + " with the flow " + flow.name,
                            "at most 1 packet a slot");
  }
}

}  // namespace tailbound::network
