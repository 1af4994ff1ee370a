#include <tailbound/core/error.hpp>
#include <tailbound/network/fabric/routing.hpp>
#include <tailbound/network/mix/routed_mix.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace tailbound::network {

using numeric::Rational;

std::vector<std::size_t> flows_of_class(const Network& network, std::size_t message_class) {
  std::vector<std::size_t> own, common;
  for (std::size_t i = 0; i < network.flows.size(); ++i) {
    const std::optional<std::size_t> its = network.flows[i].message_class;
    if (its == message_class) own.push_back(i);
    if (!its) common.push_back(i);
  }
  return own.empty() && network.message_classes[message_class].answers.empty() ? common : own;
}

void add_answer_flows(Network& network) {
  std::vector<Flow> added;
  std::vector<RouteRequest> requests;
  std::vector<std::size_t> wanted;  // positions in `added` of flows without routes
  const std::vector<Origin> origins = origins_of(network.message_classes);
  for (std::size_t k = 0; k < origins.size(); ++k) {
    const auto [origin, exchanges] = origins[k];
    if (exchanges == 0) continue;
    for (const std::size_t i : flows_of_class(network, origin)) {
      Flow flow = network.flows[i];
      if (exchanges % 2 == 1) {
        std::swap(flow.source, flow.destination);
        flow.routes.clear();
        flow.rule = flow.rule.value_or(RouteRule::shortest);
        requests.push_back({flow.source, flow.destination, *flow.rule});
        wanted.push_back(added.size());
      }
      flow.message_class = k;
      flow.name = network.flow_name(flow);
      added.push_back(std::move(flow));
    }
  }
  auto routes = find_routes(network, requests);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Flow& flow = added[wanted[i]];
    if (routes[i].empty())
      throw InvalidArgument("class", flow.name + ", without a route",
                            "an answer with a route back, from " + network.nodes[flow.source].name + " to " +
                                network.nodes[flow.destination].name);
    flow.routes = std::move(routes[i]);
  }
  std::move(added.begin(), added.end(), std::back_inserter(network.flows));
}

namespace {

/// Scaled to the number of nodes that send.
WormTraffic file_traffic(const Network& network, const std::vector<std::size_t>& flows) {
  Rational all = 0;
  std::set<std::size_t> senders;
  for (const std::size_t i : flows) {
    all = all + network.flows[i].rate;
    senders.insert(network.flows[i].source);
  }
  const Rational scale = Rational(static_cast<std::int64_t>(senders.size())) / all;
  WormTraffic traffic;
  for (const std::size_t i : flows)
    traffic.flows.push_back({static_cast<std::uint32_t>(network.flows[i].source),
                             static_cast<std::uint32_t>(network.flows[i].destination),
                             numeric::nearest_double(network.flows[i].rate * scale)});
  return traffic;
}

/// With shares by the rates of the flows, where none are given and each class has a list of its own.
std::vector<MessageClass> with_shares(const Network& network,
                                      const std::vector<std::vector<std::size_t>>& flows) {
  std::vector<MessageClass> classes = network.message_classes;
  std::vector<Rational> rates(classes.size(), 0);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (!classes[k].answers.empty()) continue;
    if (classes[k].share || classes[k].uniform || !network.flows[flows[k].front()].message_class)
      return classes;
    for (const std::size_t i : flows[k]) rates[k] = rates[k] + network.flows[i].rate;
  }
  for (std::size_t k = 0; k < classes.size(); ++k)
    if (classes[k].answers.empty()) classes[k].share = rates[k];
  return classes;
}

}  // namespace

RoutedMix routed_mix(const Network& network, const MessageLengths& flits) {
  if (network.message_classes.empty()) {
    const auto alone = std::make_shared<const RoutedWormNetwork>(network);
    return {.mix = {.kinds = {{.lengths = flits, .traffic = alone->traffic()}},
                    .virtual_channels = {std::nullopt},
                    .virtual_networks = {""}},
            .networks = {alone}};
  }
  std::vector<std::vector<std::size_t>> flows;
  for (std::size_t k = 0; k < network.message_classes.size(); ++k) {
    flows.push_back(flows_of_class(network, k));
    if (flows.back().empty())
      throw InvalidArgument("class", network.message_classes[k].name + " without flows",
                            "one with flows: class = \"NAME\" in a [[flow]], a matrix, uniform = true, or "
                            "flows without a class");
  }
  const std::vector<MessageClass> classes = with_shares(network, flows);
  RoutedMix all{.mix = message_mix(classes, [&](std::size_t k) { return file_traffic(network, flows[k]); }),
                .networks = {}};
  const std::vector<Origin> origins = origins_of(classes);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    std::vector<Rational>& rates = all.mix.kinds[k].rates;  // of answers: those of the messages answered
    for (const std::size_t i : flows[origins[k].message_class]) rates.push_back(network.flows[i].rate);
  }
  for (std::uint32_t v = 0; v < all.mix.virtual_networks.size(); ++v) {
    std::set<std::size_t> its;
    for (std::size_t k = 0; k < classes.size(); ++k)
      if (all.mix.kinds[k].virtual_network == v) its.insert(flows[k].begin(), flows[k].end());
    all.networks.push_back(std::make_shared<const RoutedWormNetwork>(
        network, std::vector<std::size_t>(its.begin(), its.end()), all.mix.virtual_channels[v]));
  }
  return all;
}

}  // namespace tailbound::network
