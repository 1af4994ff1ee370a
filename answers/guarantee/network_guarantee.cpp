#include <tailbound/answers/guarantee/network_guarantee.hpp>
#include <tailbound/bounds/guarantee/path_program.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/suggest.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tailbound::answers {
namespace {

/// The position of a name.  \throws InvalidArgument
template <class Named>
std::size_t position_of(const std::string& name, const std::vector<Named>& all, const char* option,
                        const char* what) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  throw InvalidArgument(option, name, std::string(what) + did_you_mean(name, names));
}

}  // namespace

std::size_t NetworkGuaranteeAnswer::latest(bounds::GuaranteeMethod method) const {
  // No bound is below any.
  const auto latest =
      std::max_element(routes.begin(), routes.end(), [&](const FlowRoute& one, const FlowRoute& other) {
        return at(one).delay(method) < at(other).delay(method);
      });
  return static_cast<std::size_t>(latest - routes.begin());
}

std::vector<std::size_t> requested_flows(const network::PolicedNetwork& network,
                                         const std::optional<std::string>& flow) {
  if (flow) return {position_of(*flow, network.flows, "--flow", "a flow of the network")};
  std::vector<std::size_t> all(network.flows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<FlowRoute> routes_of(const network::PolicedNetwork& network,
                                 const std::vector<std::size_t>& flows) {
  std::vector<FlowRoute> routes;
  for (const std::size_t flow : flows)
    for (std::size_t to = 0; to < std::max<std::size_t>(network.flows[flow].destinations.size(), 1); ++to)
      routes.push_back({flow, to});
  return routes;
}

void add_linear_programs(const network::PolicedNetwork& network, const std::vector<FlowRoute>& routes,
                         bounds::GuaranteeMethod method, bounds::NetworkGuarantee& found) {
  // Rows times columns, together: about a second.
  constexpr std::size_t max_program_sizes = 50'000'000;
  const bool best = method == bounds::GuaranteeMethod::best;
  if (!best && method != bounds::GuaranteeMethod::lp) return;
  std::size_t sizes = 0;
  for (const FlowRoute& route : routes) {
    const auto& hops = found.flows[route.flow].routes[route.route].hops;
    if (best) sizes += bounds::path_program_size(network, found, route.flow, hops);
    if (sizes > max_program_sizes) return;
  }
  for (const FlowRoute& route : routes) bounds::add_linear_program(network, found, route.flow, route.route);
}

NetworkGuaranteeAnswer answer(const NetworkGuaranteeQuery& query) {
  const network::PolicedNetwork& network = query.file.network;
  // Before the answer: g++ 12 destroys members twice if a later initializer of an aggregate throws.
  std::vector<std::size_t> flows = requested_flows(network, query.flow);
  NetworkGuaranteeAnswer answer{.found = {}, .flows = std::move(flows), .queues = {}};
  answer.routes = routes_of(network, answer.flows);
  std::optional<std::size_t> port;
  if (query.port) port = position_of(*query.port, network.ports, "--port", "a port on the path of a flow");
  answer.found = bounds::guarantee(network, {.whole_slots = query.whole_slots});
  add_linear_programs(network, answer.routes, query.method, answer.found);
  if (const bounds::RouteGuarantee& latest = answer.at(answer.routes[answer.latest(query.method)]);
      !latest.delay(query.method))
    throw NoAnswer(latest.none);
  if (query.method == bounds::GuaranteeMethod::slots)
    for (const FlowRoute& route : answer.routes)
      if (!answer.at(route).slots)
        throw InvalidArgument(
            "--method", "slots",
            "best, tfa or sfa: slots needs packets and slots as units, FIFO ports and no cyclic dependency");
  if (query.method == bounds::GuaranteeMethod::schedule)
    for (const FlowRoute& route : answer.routes)
      if (!answer.at(route).schedule)
        throw InvalidArgument("--method", "schedule",
                              "best or tfa: flow " + network.flows[route.flow].name +
                                  " is not periodic by a clock that the gates of all its ports follow, alone "
                                  "in its windows");
  if (query.flow) {
    answer.queues = answer.found.flows[answer.flows.front()].queues;
  } else {
    answer.queues.resize(answer.found.queues.size());
    std::iota(answer.queues.begin(), answer.queues.end(), std::size_t{0});
  }
  const auto& queues = answer.found.queues;  // one without a bound has the delay 0
  answer.drawn = *std::max_element(
      answer.queues.begin(), answer.queues.end(),
      [&](std::size_t one, std::size_t other) { return queues[one].delay < queues[other].delay; });
  if (port)
    answer.drawn = static_cast<std::size_t>(
        std::find_if(queues.begin(), queues.end(), [&](const auto& queue) { return queue.port == *port; }) -
        queues.begin());
  return answer;
}

}  // namespace tailbound::answers
