#include <tailbound/answers/delay/delay_paths.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::Route;
using numeric::Rational;

/// The queues of the longest route; of several routes the last.
const std::vector<std::size_t>& longest_of(const std::vector<Route>& routes) {
  const Route* longest = &routes.front();
  for (const Route& route : routes)
    if (route.queues.size() >= longest->queues.size()) longest = &route;
  return longest->queues;
}

/// The only queue of a class that waits for others.
DelayPaths class_paths(const TreeTopology& topology) {
  if (topology.tree.levels != 1)
    throw InvalidArgument("levels", std::to_string(topology.tree.levels), "1 with classes");
  Rational higher = 0;
  for (int i = 0; i + 1 < topology.priority; ++i)
    higher = higher + topology.classes[static_cast<std::size_t>(i)];
  const Rational ports = Rational(topology.tree.radix);
  DelayPaths paths;
  network::QueueTraffic traffic;
  traffic.load = topology.load;
  traffic.classes = {{higher / ports, topology.load / ports, topology.tree.radix}};
  paths.queues.queues.push_back(bounds::hop_queue(traffic));
  paths.queues.traffic.push_back(std::move(traffic));
  paths.queues.fed_by_sources.push_back(1);
  paths.queues.never_waits.push_back(0);
  DelayFlow& all = paths.flows.emplace_back();
  all.rate = topology.load;
  all.priority = topology.priority;
  all.longest = {0};
  all.routes = {{{0}, 1}};
  paths.classes = static_cast<int>(topology.classes.size());
  return paths;
}

DelayPaths tree_paths(const TreeTopology& topology) {
  if (topology.waits_for_others()) return class_paths(topology);
  bounds::TreeDelay delay =
      bounds::tree_delay(topology.tree, topology.load, topology.routing,
                         network::Sources::independent_sources, topology.burst, topology.destination);
  DelayPaths paths;
  paths.queues = std::move(delay.network);
  paths.classes = std::max(1, static_cast<int>(topology.classes.size()));
  DelayFlow& all = paths.flows.emplace_back();
  all.rate = topology.load;
  all.longest = longest_of(delay.routes);
  all.routes = std::move(delay.routes);
  return paths;
}

/// The links of a route with a queue.
std::vector<std::size_t> queued_links(const network::Network& network, const network::Route& route) {
  std::vector<std::size_t> links;
  std::copy_if(route.links.begin(), route.links.end(), std::back_inserter(links),
               [&](std::size_t link) { return network.has_queue(link); });
  return links;
}

DelayFlow flow_of(const network::Network& network, const network::Flow& flow,
                  const bounds::NetworkDelay& delay) {
  DelayFlow result;
  result.name = flow.name;
  result.source = network.nodes[flow.source].name;
  result.destination = network.nodes[flow.destination].name;
  result.rate = flow.rate;
  result.priority = flow.priority;
  std::vector<std::size_t> longest;  // the first of several
  for (const network::Route& route : flow.routes)
    if (std::vector<std::size_t> links = queued_links(network, route); links.size() > longest.size())
      longest = std::move(links);
  for (const std::size_t link : longest) {
    result.longest.push_back(delay.queue_of(link, flow.priority));
    result.links.push_back(network.link_name(link));
  }
  return result;
}

[[noreturn]] void reject_flow(const std::string& wanted, const network::Network& network) {
  constexpr std::size_t max_names = 8;
  std::string legal = "all, or a flow of the file: ";
  for (std::size_t i = 0; i < std::min(max_names, network.flows.size()); ++i)
    legal += (i > 0 ? ", " : "") + network.flows[i].name;
  throw InvalidArgument("flow", wanted, legal + (network.flows.size() > max_names ? ", ..." : ""));
}

DelayPaths network_paths(const network::Network& network, const std::optional<std::string>& wanted) {
  bounds::NetworkDelay delay =
      bounds::network_delay(network, network::Sources::independent_sources, bounds::Feed::by_inputs);
  DelayPaths paths;
  for (bounds::FlowDelay& entry : delay.flows) {
    const network::Flow& flow = network.flows[entry.flow];
    if (wanted && *wanted != flow.name) continue;
    paths.flows.push_back(flow_of(network, flow, delay));
    paths.flows.back().routes = std::move(entry.routes);
  }
  if (paths.flows.empty()) reject_flow(wanted.value_or("all"), network);
  paths.queues = std::move(delay.network);
  paths.classes = network.classes();
  if (!network::has_unit_speeds(network)) paths.ticks_per_slot = network::link_clocks(network).slot;
  return paths;
}

/// The queues of a route as a multiset: a sum of independent delays does not depend on the order.
std::vector<std::size_t> sorted_queues(const Route& route) {
  std::vector<std::size_t> queues = route.queues;
  std::sort(queues.begin(), queues.end());
  return queues;
}

/// Fills DelayFlow::identical.
void group(std::vector<DelayFlow>& flows) {
  std::map<std::vector<std::pair<std::vector<std::size_t>, Rational>>, std::size_t> first;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    std::vector<std::pair<std::vector<std::size_t>, Rational>> met;
    for (const Route& route : flows[i].routes) met.emplace_back(sorted_queues(route), route.share);
    flows[i].identical = first.try_emplace(std::move(met), i).first->second;
  }
}

DelayOmissions omissions(const DelayPaths& paths) {
  const bool several_hops = std::any_of(paths.flows.begin(), paths.flows.end(),
                                        [](const DelayFlow& flow) { return flow.longest.size() > 1; });
  const bool bursts =
      std::any_of(paths.queues.traffic.begin(), paths.queues.traffic.end(),
                  [](const network::QueueTraffic& traffic) { return !traffic.bursts.empty(); });
  return {.correlated_waits = several_hops, .spread_bursts = several_hops && bursts};
}

}  // namespace

std::vector<Route> DelayPaths::all_routes() const {
  Rational total = 0;
  for (const DelayFlow& flow : flows) total = total + flow.rate;
  std::map<std::vector<std::size_t>, Rational> shares;
  for (const DelayFlow& flow : flows)
    for (const Route& route : flow.routes) {
      Rational& share = shares[sorted_queues(route)];
      share = share + route.share * flow.rate / total;
    }
  std::vector<Route> routes;
  for (const auto& [met, share] : shares) routes.push_back({met, share});
  return routes;
}

SlotTime DelayPaths::in_ticks(SlotTime time) const {
  if (ticks_per_slot == 1) return time;
  time.slot = time.slot / ticks_per_slot;
  for (const network::QueueTraffic& traffic : queues.traffic) time.ticks.push_back(traffic.ticks);
  return time;
}

DelayPaths delay_paths(const Topology& topology, const std::optional<std::string>& flow) {
  const auto* network = std::get_if<NetworkTopology>(&topology);
  DelayPaths paths = network != nullptr ? network_paths(network->network, flow)
                                        : tree_paths(std::get<TreeTopology>(topology));
  group(paths.flows);
  paths.omissions = omissions(paths);
  return paths;
}

}  // namespace tailbound::answers
