#include <tailbound/answers/network/load_scale.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::answers {

using numeric::Rational;

network::Network scaled(network::Network network, const Rational& factor) {
  if (factor <= 0) throw InvalidArgument("load scale", numeric::plain(factor), "greater than 0");
  for (network::Flow& flow : network.flows) flow.rate = flow.rate * factor;
  try {
    network::require_valid(network);
  } catch (const InvalidArgument&) {
    const ScaleLimit largest = max_scale(network, Overload::allowed);
    throw InvalidArgument(
        "load scale", numeric::plain(factor),
        "at most " + numeric::plain(largest.factor * factor) + ", where " + largest.in_words());
  }
  return network;
}

std::string ScaleLimit::in_words() const {
  switch (kind) {
    case Kind::link:
      return "the link " + name + " is full";
    case Kind::node:
      return name + " sends a packet in every slot";
    case Kind::burst:
      break;
  }
  return "the bursts of the flow " + name + " come one slot apart";
}

std::vector<ScaleLimit> scale_limits(const network::Network& network, Overload overload) {
  using Kind = ScaleLimit::Kind;
  std::vector<Rational> loads(network.links.size(), Rational(0)), sent(network.nodes.size(), Rational(0));
  for (const network::Flow& flow : network.flows) {
    for (const network::Route& route : flow.routes)
      for (const std::size_t link : route.links) loads[link] = loads[link] + flow.rate * route.share;
    if (!flow.burst) sent[flow.source] = sent[flow.source] + flow.rate;
  }
  const std::vector<Rational> maximum = network.send_limits();
  std::vector<ScaleLimit> limits;
  const auto add = [&](Kind kind, const std::string& name, const Rational& load, const Rational& takes) {
    limits.push_back({kind, name, load, takes, takes / load});
  };
  for (std::size_t link = 0; link < loads.size() && overload == Overload::rejected; ++link)
    if (network.has_queue(link) && loads[link] > 0)
      add(Kind::link, network.link_name(link), loads[link], network.links[link].rate.value());
  for (std::size_t node = 0; node < sent.size(); ++node)
    if (sent[node] > 0) add(Kind::node, network.nodes[node].name, sent[node], maximum[node]);
  for (const network::Flow& flow : network.flows) {
    if (!flow.burst) continue;
    // traffic::shortest_burst(): rate / (on_rate - rate) is at most the burst.
    const Rational& slots = flow.burst->slots;
    add(Kind::burst, flow.name, flow.rate,
        network.send_rate(flow) * flow.burst->on_rate * slots / (1 + slots));
  }
  // Stable: of equal factors that of a link, which is not attained, comes first.
  std::stable_sort(limits.begin(), limits.end(),
                   [](const ScaleLimit& a, const ScaleLimit& b) { return a.factor < b.factor; });
  return limits;
}

ScaleLimit max_scale(const network::Network& network, Overload overload) {
  return scale_limits(network, overload).front();
}

}  // namespace tailbound::answers
