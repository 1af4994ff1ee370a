#include <cln/rational.h>
#include <tailbound/answers/load_scale.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/plain.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace tailbound::answers {

using numeric::Rational;

network::Network scaled(network::Network network, const Rational& factor) {
  if (factor <= 0) throw InvalidArgument("load scale", numeric::plain(factor), "greater than 0");
  for (network::Flow& flow : network.flows) flow.rate = flow.rate * factor;
  try {
    network::require_valid(network);
  } catch (const InvalidArgument& error) {
    const GreatestScale greatest = greatest_scale(network);
    throw InvalidArgument("load scale", numeric::plain(factor),
                          "smaller (" + greatest.at + " could not send or carry that): below " +
                              numeric::plain(greatest.factor * factor));
  }
  return network;
}

GreatestScale greatest_scale(const network::Network& network) {
  std::vector<Rational> loads(network.links.size(), Rational(0)), sent(network.nodes.size(), Rational(0));
  GreatestScale greatest;
  bool found = false;
  const auto limit = [&](const Rational& factor, const std::string& at) {
    if (found && factor >= greatest.factor) return;
    greatest = {factor, at};
    found = true;
  };
  for (const network::Flow& flow : network.flows) {
    for (const network::Route& route : flow.routes)
      for (const std::size_t link : route.links) loads[link] = loads[link] + flow.rate * route.share;
    if (!flow.burst) {
      sent[flow.source] = sent[flow.source] + flow.rate;
      continue;
    }
    // traffic::shortest_burst(): rate / (on_rate - rate) is at most the burst.
    const Rational& slots = flow.burst->slots;
    limit(flow.burst->on_rate * slots / (1 + slots) / flow.rate, "the bursts of " + flow.name);
  }
  for (std::size_t link = 0; link < loads.size(); ++link)
    if (network.has_queue(link) && loads[link] > 0)
      limit(network.links[link].packets_per_slot / loads[link], "the link " + network.link_name(link));
  for (std::size_t node = 0; node < sent.size(); ++node)
    if (sent[node] > 0) limit(1 / sent[node], "the node " + network.nodes[node].name);
  return greatest;
}

}  // namespace tailbound::answers
