#include <tailbound/core/error.hpp>
#include <tailbound/network/network.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace tailbound::network {
namespace {

constexpr const char* legal_rates =
    "above 0 and at most 128, a fraction whose numerator and denominator are at most 128";
constexpr int max_virtual_channels = 16;
constexpr int max_weight = 1'000'000;

void check_link(const Network& network, std::size_t position) {
  const Link& link = network.links[position];
  if (link.from >= network.nodes.size() || link.to >= network.nodes.size())
    throw InvalidArgument("link " + std::to_string(position),
                          std::to_string(link.from) + " -> " + std::to_string(link.to),
                          "between nodes 0 to " + std::to_string(network.nodes.size()) + " - 1");
  if (link.from == link.to)
    throw InvalidArgument("link " + std::to_string(position), network.link_name(position),
                          "from one node to another");
  if (const LinkRate& rate = link.rate; rate.packets < 1 || rate.packets > LinkRate::max_packets ||
                                        rate.slots < 1 || rate.slots > LinkRate::max_slots ||
                                        std::gcd(rate.packets, rate.slots) != 1)
    throw InvalidArgument("packets per slot of the link " + network.link_name(position), rate.text(),
                          legal_rates);
  for (const int count : {link.classes, link.virtual_channels})
    if (count < 1 || count > max_virtual_channels)
      throw InvalidArgument("virtual channels of the link " + network.link_name(position),
                            std::to_string(count), "a whole number from 1 to 16");
  if (link.weight < 1 || link.weight > max_weight)
    throw InvalidArgument("weight of the link " + network.link_name(position), std::to_string(link.weight),
                          "a whole number from 1 to 1000000");
}

void check_links(const Network& network) {
  for (std::size_t position = 0; position < network.links.size(); ++position) check_link(network, position);
}

/// Follows one route. `last_taken[link]` is the number of the last route that took the link; `number` is new.
void check_route(const Network& network, const Flow& flow, const Route& route,
                 std::vector<std::size_t>& last_taken, std::size_t number) {
  const auto reject = [&](std::size_t link, const char* legal) {
    throw InvalidArgument("route of the flow " + flow.name,
                          link < network.links.size() ? network.link_name(link) : std::to_string(link),
                          legal);
  };
  if (route.links.empty()) throw InvalidArgument("route of the flow " + flow.name, "", "one link or more");
  std::size_t here = flow.source;
  bool forwarding = false;
  for (const std::size_t link : route.links) {
    if (link >= network.links.size()) reject(link, "a position in the list of links");
    if (network.links[link].from != here) reject(link, "continued where it ends, from source to destination");
    if (forwarding && network.nodes[here].host) reject(link, "forwarded by switches, not hosts");
    if (last_taken[link] == number) reject(link, "taken once in a route");
    last_taken[link] = number;
    forwarding = true;
    here = network.links[link].to;
  }
  if (!route.classes.empty() && route.classes.size() != route.links.size())
    reject(route.links.front(), "given one class of virtual channels for each link, or none");
  for (std::size_t i = 0; i < route.classes.size(); ++i)
    if (route.classes[i] < 0 || route.classes[i] >= network.links[route.links[i]].classes)
      reject(route.links[i], "taken in one of its classes");
  if (here != flow.destination) reject(route.links.back(), "continued to the destination of the flow");
}

void check_flow(const Network& network, const Flow& flow, std::vector<std::size_t>& last_taken,
                std::size_t& route_number) {
  if (flow.source >= network.nodes.size() || flow.destination >= network.nodes.size())
    throw InvalidArgument("flow " + flow.name,
                          std::to_string(flow.source) + " -> " + std::to_string(flow.destination),
                          "between nodes of the network");
  if (flow.rate <= 0)
    throw InvalidArgument("rate of the flow " + flow.name, numeric::to_fraction(flow.rate), "above 0");
  if (flow.priority < 1 || flow.priority > Flow::max_classes)
    throw InvalidArgument("class of the flow " + flow.name, std::to_string(flow.priority),
                          "a whole number from 1 (served first) to " + std::to_string(Flow::max_classes));
  if (flow.burst) {
    try {
      (void)traffic::on_off(flow.rate / network.send_rate(flow), *flow.burst);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(error.argument() + " of the flow " + flow.name, error.value(), error.legal());
    }
  }
  Rational shares = 0;
  for (const Route& route : flow.routes) {
    if (route.share <= 0)
      throw InvalidArgument("share of a route of the flow " + flow.name, numeric::to_fraction(route.share),
                            "above 0");
    shares = shares + route.share;
    check_route(network, flow, route, last_taken, ++route_number);
  }
  if (shares != 1)
    throw InvalidArgument("sum of the shares of the flow " + flow.name, numeric::to_fraction(shares), "1");
}

/// SplitMix64.
std::uint64_t split_mix(std::uint64_t mix) {
  mix += 0x9e3779b97f4a7c15U;
  mix = (mix ^ (mix >> 30U)) * 0xbf58476d1ce4e5b9U;
  mix = (mix ^ (mix >> 27U)) * 0x94d049bb133111ebU;
  return mix ^ (mix >> 31U);
}

}  // namespace

LinkRate LinkRate::of(const Rational& packets_per_slot, const std::string& what) {
  const numeric::Integer packets = numeric::numerator(packets_per_slot),
                         slots = numeric::denominator(packets_per_slot);
  if (packets < 1 || packets > max_packets || slots > max_slots)
    throw InvalidArgument(what, numeric::to_fraction(packets_per_slot), legal_rates);
  return {static_cast<int>(numeric::to_int64(packets)), static_cast<int>(numeric::to_int64(slots))};
}

std::vector<Rational> Network::send_limits() const {
  std::vector<const LinkRate*> fastest(nodes.size(), nullptr);
  for (const Link& link : links) {
    const LinkRate*& its = fastest[link.from];
    if (its == nullptr ||
        std::int64_t{link.rate.packets} * its->slots > std::int64_t{its->packets} * link.rate.slots)
      its = &link.rate;
  }
  std::vector<Rational> maximum(nodes.size(), 1);
  for (std::size_t node = 0; node < nodes.size(); ++node)
    if (fastest[node] != nullptr && *fastest[node] != LinkRate{}) maximum[node] = fastest[node]->value();
  return maximum;
}

Rational Network::send_rate(const Flow& flow) const {
  Rational rate = 0;
  for (const Route& route : flow.routes)
    if (!route.links.empty()) rate = std::max(rate, links[route.links.front()].rate.value());
  return rate > 0 ? rate : Rational(1);
}

std::vector<int> Network::lanes() const {
  std::vector<int> result(nodes.size(), 1);
  for (const Link& link : links) result[link.from] = std::max(result[link.from], link.rate.max_per_slot());
  return result;
}

void Network::number_wires() {
  std::vector<std::size_t> order(links.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto ends = [this](std::size_t link) { return std::pair(links[link].from, links[link].to); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ends(a) < ends(b); });
  std::size_t bundles = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && ends(order[last]) == ends(order[first])) ++last;
    for (std::size_t i = first; i < last; ++i)
      links[order[i]].wire = last - first == 1 ? 0 : static_cast<int>(i - first + 1);
    bundles += last - first > 1 ? 1 : 0;
    first = last;
  }
  if (bundles == 0) return;
  remarks.push_back(std::to_string(bundles) + (bundles == 1 ? " bundle" : " bundles") +
                    " of parallel links (per direction): on spread routes each packet takes any of them; on "
                    "other routes each flow takes one, by a hash of its ends");
}

bool Network::has_bundles() const {
  return std::any_of(links.begin(), links.end(), [](const Link& link) { return link.wire != 0; });
}

std::size_t wire_of_flow(std::size_t source, std::size_t destination, std::size_t wires) {
  return static_cast<std::size_t>(split_mix((static_cast<std::uint64_t>(source) << 32U) + destination) %
                                  wires);
}

std::uint64_t ecmp_hash(std::size_t source, std::size_t destination, std::size_t at, std::uint64_t seed) {
  const std::uint64_t ends = split_mix((static_cast<std::uint64_t>(source) << 32U) + destination);
  return split_mix(split_mix(ends + at) + seed);
}

std::vector<std::optional<RouteRule>> rules_of(const Network& network) {
  std::array<bool, names_of(RouteRule{}).size() + 1> used{};  // the last: given
  for (const Flow& flow : network.flows)
    used[flow.rule ? static_cast<std::size_t>(*flow.rule) : used.size() - 1] = true;
  std::vector<std::optional<RouteRule>> rules;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i])
      rules.push_back(i + 1 == used.size() ? std::nullopt : std::optional(static_cast<RouteRule>(i)));
  return rules;
}

int Network::classes() const {
  int lowest = 1;
  for (const Flow& flow : flows) lowest = std::max(lowest, flow.priority);
  return lowest;
}

void require_valid(const Network& network) {
  check_links(network);
  std::vector<std::size_t> last_taken(network.links.size(), 0);
  std::size_t route_number = 0;
  const std::size_t classes = network.message_classes.size();
  std::vector<Rational> sent((classes + 1) * network.nodes.size(), 0);  // of each class, and of no class
  const std::vector<Rational> maximum = network.send_limits();
  for (const Flow& flow : network.flows) {
    check_flow(network, flow, last_taken, route_number);
    if (flow.message_class && *flow.message_class >= classes)
      throw InvalidArgument("class of the flow " + flow.name, std::to_string(*flow.message_class),
                            "one of the network's classes");
    if (flow.burst) continue;
    Rational& its = sent[flow.message_class.value_or(classes) * network.nodes.size() + flow.source];
    its = its + flow.rate;
    if (its > maximum[flow.source])
      throw InvalidArgument("sum of the rates of the flows from " + network.nodes[flow.source].name,
                            numeric::to_fraction(its) + " with the flow " + flow.name,
                            "at most " + numeric::to_fraction(maximum[flow.source]) + " packet per slot");
  }
}

}  // namespace tailbound::network
