#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::size_t max_rate_bits = 256;

void require_possible(const Network& network, const Rational& rate, const std::vector<std::size_t>& ends) {
  const std::vector<Rational> maximum = network.send_limits();
  const auto slowest = std::min_element(
      ends.begin(), ends.end(), [&](std::size_t a, std::size_t b) { return maximum[a] < maximum[b]; });
  // A rate up to 1 may be scaled by the caller.
  if (rate <= 0 || (slowest != ends.end() && rate > 1 && rate > maximum[*slowest]))
    throw InvalidArgument("uniform", numeric::to_fraction(rate),
                          slowest == ends.end() || maximum[*slowest] == 1
                              ? "above 0 and at most 1 packet per slot"
                              : "above 0 and at most " + numeric::to_fraction(maximum[*slowest]) +
                                    " packets per slot, the rate of the fastest link of " +
                                    network.nodes[*slowest].name + "");
  if (!network.flows.empty())
    throw InvalidArgument("uniform", "given for a network with flows of its own",
                          "omitted, or given for a network without flows");
  if (ends.size() < 2 || ends.size() > max_uniform_ends)
    throw InvalidArgument("number of hosts (or of switches, if there are no hosts) of uniform traffic",
                          std::to_string(ends.size()), "from 2 to " + std::to_string(max_uniform_ends));
}

/// The flows of one source, which share its rate.
void share_out(const Rational& rate, std::vector<Flow>::iterator first, std::vector<Flow>::iterator last) {
  const Rational each = rate / numeric::Integer(static_cast<unsigned long>(last - first));
  for (; first != last; ++first) first->rate = each;
}

}  // namespace

std::vector<std::size_t> ends_of(const Network& network) {
  const bool hosts =
      std::any_of(network.nodes.begin(), network.nodes.end(), [](const Node& node) { return node.host; });
  std::vector<std::size_t> ends;
  for (std::size_t node = 0; node < network.nodes.size(); ++node)
    if (network.nodes[node].host == hosts) ends.push_back(node);
  return ends;
}

void add_uniform_traffic(Network& network, const Rational& rate, RouteRule rule) {
  const std::vector<std::size_t> ends = ends_of(network);
  require_possible(network, rate, ends);
  std::vector<RouteRequest> requests;
  requests.reserve(ends.size() * (ends.size() - 1));
  for (const std::size_t source : ends)
    for (const std::size_t destination : ends)
      if (source != destination) requests.push_back({source, destination, rule});
  auto routes = find_routes(network, requests);
  std::vector<Flow> flows;
  numeric::Integer denominator = 1;
  for (std::size_t next = 0; next < requests.size();) {
    const std::size_t source = requests[next].source, first = flows.size();
    for (; next < requests.size() && requests[next].source == source; ++next) {
      if (routes[next].empty()) continue;
      const std::size_t destination = requests[next].destination;
      flows.push_back({.name = network.nodes[source].name + " -> " + network.nodes[destination].name,
                       .source = source,
                       .destination = destination,
                       .rate = 0,
                       .routes = std::move(routes[next]),
                       .rule = rule});
    }
    if (flows.size() == first) continue;
    share_out(rate, flows.begin() + static_cast<std::ptrdiff_t>(first), flows.end());
    denominator = numeric::lcm(denominator, numeric::denominator(flows.back().rate));
    if (numeric::bit_length(denominator) > max_rate_bits)
      throw LimitExceeded("the common denominator of the rates of uniform traffic has more than 256 bits");
  }
  if (flows.empty())
    throw InvalidArgument("uniform", "given for a network in which no host can reach another",
                          "given for a network with connected hosts");
  network.flows = std::move(flows);
}

}  // namespace tailbound::network
