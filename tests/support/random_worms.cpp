#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <queue>
#include <set>
#include <tests/support/random_models.hpp>
#include <tests/support/random_worms.hpp>
#include <tests/support/toml_list.hpp>
#include <utility>

namespace tailbound::test {
namespace {

using network::Link;
using network::Network;
using network::Route;
using network::WormShape;
using network::WormTopology;
using numeric::Rational;

template <class T, std::size_t size>
T one_of(Random& random, const std::array<T, size>& values) {
  return values[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(size) - 1))];
}

WormTopology random_topology(Random& random) {
  WormTopology topology{.shape = static_cast<WormShape>(random.between(0, 4))};
  const auto power = [](std::int64_t base, std::int64_t exponent) {
    std::int64_t product = 1;
    for (; exponent > 0; --exponent) product *= base;
    return product;
  };
  switch (topology.shape) {
    case WormShape::butterfly_fat_tree:
      topology.nodes = one_of(random, std::array{4, 16});
      break;
    case WormShape::hypercube:
      topology.nodes = power(2, random.between(1, 4));
      break;
    default:
      topology.dimensions = static_cast<int>(random.between(1, 2));
      topology.nodes =
          power(random.between(topology.shape == WormShape::torus ? 3 : 2, topology.dimensions == 1 ? 8 : 4),
                topology.dimensions);
  }
  if (network::has_ports(topology.shape) && random.one_in(3))
    topology.ends.injection = network::Injection::ports;
  if (network::has_unlimited_ejection(topology.shape) && random.one_in(3))
    topology.ends.ejection = network::Ejection::unlimited;
  return topology;
}

/// Links of both directions between switches, such that all are connected.
void join_switches(Random& random, Network& network, std::size_t switches) {
  std::set<std::pair<std::size_t, std::size_t>> joined;
  const auto join = [&](std::size_t a, std::size_t b) {
    if (a == b || !joined.insert(std::minmax(a, b)).second) return;
    Link link{.from = a, .to = b};
    if (random.one_in(3)) link.virtual_channels = static_cast<int>(random.between(2, 4));
    if (random.one_in(6)) link.rate.packets = 2;
    if (random.one_in(6)) link.classes = 2;
    network.links.push_back(link);
    std::swap(link.from, link.to);
    network.links.push_back(link);
  };
  const std::int64_t kind = random.between(0, 4);  // star, line, ring, tree, at random
  for (std::size_t i = 1; i < switches; ++i) {
    const auto any = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1));
    join(kind == 0 ? 0 : kind <= 2 ? i - 1 : any, i);
  }
  if (kind == 2 && switches > 2) join(switches - 1, 0);
  for (std::size_t i = 0; kind == 4 && i < switches / 2; ++i)
    join(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(switches) - 1)),
         static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(switches) - 1)));
}

/// A shortest route, by a random one of the links that are on one; empty if there is none.
std::vector<std::size_t> path(Random& random, const Network& network, std::size_t from, std::size_t to) {
  std::vector<int> left(network.nodes.size(), -1);
  std::queue<std::size_t> reached;
  left[to] = 0;
  reached.push(to);
  for (; !reached.empty(); reached.pop())
    for (const Link& link : network.links)
      if (link.to == reached.front() && left[link.from] < 0 &&
          (link.to == to || !network.nodes[link.to].host)) {
        left[link.from] = left[link.to] + 1;
        reached.push(link.from);
      }
  std::vector<std::size_t> links;
  if (left[from] < 0) return links;
  while (from != to) {
    std::vector<std::size_t> nearer;
    for (std::size_t i = 0; i < network.links.size(); ++i)
      if (network.links[i].from == from && left[network.links[i].to] == left[from] - 1 &&
          (network.links[i].to == to || !network.nodes[network.links[i].to].host))
        nearer.push_back(i);
    links.push_back(
        nearer[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(nearer.size()) - 1))]);
    from = network.links[links.back()].to;
  }
  return links;
}

Route route_of(Random& random, const Network& network, std::vector<std::size_t> links) {
  Route route{.links = std::move(links)};
  if (random.one_in(2))
    for (const std::size_t link : route.links)
      route.classes.push_back(static_cast<int>(random.between(0, network.links[link].classes - 1)));
  return route;
}

Network random_own(Random& random) {
  Network network;
  network.name = "random worms";
  const auto switches = static_cast<std::size_t>(random.between(1, 6));
  for (std::size_t i = 0; i < switches; ++i) network.nodes.push_back({.name = "s" + std::to_string(i)});
  join_switches(random, network, switches);
  const std::int64_t hosts = random.between(2, 10);
  for (std::int64_t i = 0; i < hosts; ++i) {
    const std::size_t host = network.nodes.size();
    network.nodes.push_back({.name = "h" + std::to_string(i), .host = true});
    const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(switches) - 1));
    network.links.push_back({.from = host, .to = at});
    network.links.push_back({.from = at, .to = host});
  }
  std::vector<std::size_t> ends;  // hosts, and now and then a switch
  for (std::size_t i = 0; i < network.nodes.size(); ++i)
    if (network.nodes[i].host || random.one_in(8)) ends.push_back(i);
  std::set<std::pair<std::size_t, std::size_t>> met;
  const bool hot = random.one_in(3);  // one destination for half of the flows
  const std::int64_t flows = random.between(1, 2 * static_cast<std::int64_t>(ends.size()));
  for (std::int64_t i = 0; i < flows; ++i) {
    const auto any = [&] {
      return ends[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(ends.size()) - 1))];
    };
    const std::size_t from = any(), to = hot && random.one_in(2) ? ends.front() : any();
    if (from == to || !met.emplace(from, to).second) continue;
    std::vector<std::size_t> first = path(random, network, from, to);
    if (first.empty()) continue;
    network::Flow flow{.name = network.nodes[from].name + " -> " + network.nodes[to].name,
                       .source = from,
                       .destination = to,
                       .rate = Rational(static_cast<long>(random.between_magnitudes(1, 1000))) / 40'000,
                       .routes = {}};
    flow.routes.push_back(route_of(random, network, first));
    if (random.one_in(4)) {
      std::vector<std::size_t> second = path(random, network, from, to);
      if (second != first) {
        flow.routes.front().share = Rational(1) / 3;
        flow.routes.push_back(route_of(random, network, std::move(second)));
        flow.routes.back().share = Rational(2) / 3;
      }
    }
    network.flows.push_back(std::move(flow));
  }
  return network;
}

std::string path_in_words(const Network& network, const Route& route) {
  std::vector<std::string> switches;
  for (std::size_t i = 0; i + 1 < route.links.size(); ++i)
    switches.push_back(network.nodes[network.links[route.links[i]].to].name);
  std::string text = "path = " + toml_list(switches);
  for (std::size_t i = 0; i < route.classes.size(); ++i)
    text += (i == 0 ? ", classes = [" : ", ") + std::to_string(route.classes[i]);
  return text + (route.classes.empty() ? "" : "]");
}

std::string file_of(const Network& network) {
  std::vector<std::string> hosts, switches;
  for (const network::Node& node : network.nodes) (node.host ? hosts : switches).push_back(node.name);
  std::string text = "hosts = " + toml_list(hosts) + "\nswitches = " + toml_list(switches) + "\nlink = [\n";
  for (const Link& link : network.links) {
    text +=
        "  {from = \"" + network.nodes[link.from].name + "\", to = \"" + network.nodes[link.to].name + "\"";
    for (const auto& [key, value] : {std::pair{"rate", link.rate.packets},
                                     {"classes", link.classes},
                                     {"virtual_channels", link.virtual_channels}})
      if (value != 1) text += std::string(", ") + key + " = " + std::to_string(value);
    text += "},\n";
  }
  text += "]\nflow = [\n";
  for (const network::Flow& flow : network.flows) {
    text += "  {from = \"" + network.nodes[flow.source].name + "\", to = \"" +
            network.nodes[flow.destination].name + "\", rate = \"" + numeric::to_fraction(flow.rate) + "\", ";
    if (flow.routes.size() == 1) {
      text += path_in_words(network, flow.routes.front());
    } else {
      text += "routes = [";
      for (const Route& route : flow.routes)
        text += std::string(&route == flow.routes.data() ? "{" : ", {") + path_in_words(network, route) +
                ", share = \"" + numeric::to_fraction(route.share) + "\"}";
      text += "]";
    }
    text += "},\n";
  }
  return text + "]\n";
}

void remove_link(Network& network, std::size_t gone) {
  network.links.erase(network.links.begin() + static_cast<std::ptrdiff_t>(gone));
  for (network::Flow& flow : network.flows)
    for (Route& route : flow.routes)
      for (std::size_t& link : route.links) link -= link > gone ? 1 : 0;
}

void remove_node(Network& network, std::size_t gone) {
  network.nodes.erase(network.nodes.begin() + static_cast<std::ptrdiff_t>(gone));
  for (Link& link : network.links)
    for (std::size_t* end : {&link.from, &link.to}) *end -= *end > gone ? 1 : 0;
  for (network::Flow& flow : network.flows)
    for (std::size_t* end : {&flow.source, &flow.destination}) *end -= *end > gone ? 1 : 0;
}

/// Removes parts that no flow uses.
Network used(Network network) {
  std::set<std::size_t> links, nodes;
  for (const network::Flow& flow : network.flows) {
    nodes.insert({flow.source, flow.destination});
    for (const Route& route : flow.routes)
      for (const std::size_t link : route.links) {
        links.insert(link);
        nodes.insert({network.links[link].from, network.links[link].to});
      }
  }
  for (std::size_t i = network.links.size(); i-- > 0;)
    if (!links.contains(i)) remove_link(network, i);
  for (std::size_t i = network.nodes.size(); i-- > 0;)
    if (!nodes.contains(i)) remove_node(network, i);
  return network;
}

void add_smaller(std::vector<RandomWorms>& all, const RandomWorms& worms, const Network& own) {
  all.push_back(worms);
  all.back().own = own;
}

void add_smaller_own(std::vector<RandomWorms>& all, const RandomWorms& worms) {
  const Network& own = worms.own;
  if (used(own).nodes.size() + used(own).links.size() < own.nodes.size() + own.links.size())
    add_smaller(all, worms, used(own));
  for (std::size_t i = 0; own.flows.size() > 1 && i < own.flows.size(); ++i) {
    Network fewer = own;
    fewer.flows.erase(fewer.flows.begin() + static_cast<std::ptrdiff_t>(i));
    add_smaller(all, worms, fewer);
  }
  for (std::size_t i = 0; i < own.flows.size(); ++i) {
    Network simpler = own;
    network::Flow& flow = simpler.flows[i];
    if (flow.routes.size() > 1) {
      flow.routes.resize(1);
      flow.routes.front().share = 1;
      add_smaller(all, worms, simpler);
    }
    simpler = own;
    if (flow.rate != Rational(1) / 40) {
      simpler.flows[i].rate = Rational(1) / 40;
      add_smaller(all, worms, simpler);
    }
  }
  for (std::size_t i = 0; i < own.links.size(); ++i)
    for (const bool wires : {false, true}) {
      const auto member = [wires](Link& link) -> int& {
        return wires ? link.rate.packets : link.virtual_channels;
      };
      Network simpler = own;
      if (std::exchange(member(simpler.links[i]), 1) != 1) add_smaller(all, worms, simpler);
    }
}

void add_smaller_topology(std::vector<RandomWorms>& all, const RandomWorms& worms) {
  const WormTopology& topology = *worms.topology;
  const std::vector<std::int64_t> legal = network::legal_nodes(topology.shape, topology.dimensions);
  for (const std::int64_t nodes : legal) {
    if (nodes >= topology.nodes) break;
    all.push_back(worms);
    all.back().topology->nodes = nodes;
  }
  if (topology.ends != network::WormEnds{}) {
    all.push_back(worms);
    all.back().topology->ends = {};
  }
  if (!worms.virtual_channels) return;
  all.push_back(worms);
  all.back().virtual_channels = std::nullopt;
  if (*worms.virtual_channels > 2) {
    all.push_back(worms);
    all.back().virtual_channels = 2;
  }
}

}  // namespace

network::MessageLengths RandomWorms::law() const {
  return lengths == sim::WormLengths::geometric ? network::MessageLengths::geometric(flits) : flits;
}

answers::SimulatedWormhole RandomWorms::simulated() const {
  answers::SimulatedWormhole simulated{.network = network::WormTopology{},
                                       .variant = variant,
                                       .messages = {.flits = law()},
                                       .virtual_channels = virtual_channels,
                                       .buffer_flits = buffer_flits,
                                       .arrivals = arrivals};
  if (topology)
    simulated.network = *topology;
  else
    simulated.network = answers::OwnWormNetwork{.network = std::make_shared<network::RoutedWormNetwork>(own)};
  return simulated;
}

std::string RandomWorms::text() const {
  std::string text = topology ? network::name(*topology) : "network of a file";
  if (topology && topology->ends.injection == network::Injection::ports) text += ", --injection ports";
  if (topology && topology->ends.ejection == network::Ejection::unlimited) text += ", --ejection unlimited";
  if (virtual_channels) text += ", --virtual-channels " + std::to_string(*virtual_channels);
  text += ", --flits " + std::to_string(flits) + " --buffer-flits " + std::to_string(buffer_flits);
  if (lengths == sim::WormLengths::geometric) text += " --lengths geometric";
  if (arrivals == sim::WormArrivals::bernoulli) text += " --arrivals bernoulli";
  if (variant == answers::WormholeVariant::paper) text += " --variant paper";
  return "worms " + std::to_string(seed) + ": " + text + "\n" + (topology ? "" : file_of(own));
}

RandomWorms random_worms(std::uint64_t seed) {
  Random random(seed);
  RandomWorms worms{.seed = seed, .topology = {}};
  if (random.one_in(2)) {
    worms.topology = random_topology(random);
    const bool torus =
        worms.topology->shape == WormShape::unidirectional_torus || worms.topology->shape == WormShape::torus;
    if (worms.topology->shape != WormShape::butterfly_fat_tree && random.one_in(2))
      worms.virtual_channels =
          torus ? one_of(random, std::array{1, 2, 4, 8}) : one_of(random, std::array{1, 2, 3, 4, 8});
  } else {
    do worms.own = random_own(random);
    while (worms.own.flows.empty());
  }
  worms.flits = one_of(random, std::array{1, 2, 4, 8});
  worms.buffer_flits = random.one_in(2) ? 1 : one_of(random, std::array{2, 4, 16});
  if (random.one_in(4)) worms.lengths = sim::WormLengths::geometric;
  if (random.one_in(4)) worms.arrivals = sim::WormArrivals::bernoulli;
  if (random.one_in(6)) worms.variant = answers::WormholeVariant::paper;
  return worms;
}

std::vector<RandomWorms> smaller(const RandomWorms& worms) {
  std::vector<RandomWorms> all;
  if (worms.topology)
    add_smaller_topology(all, worms);
  else
    add_smaller_own(all, worms);
  const auto with = [&](bool differs, auto change) {
    if (!differs) return;
    all.push_back(worms);
    change(all.back());
  };
  with(worms.buffer_flits > 1, [](RandomWorms& less) { less.buffer_flits = 1; });
  with(worms.flits > 1, [](RandomWorms& less) { less.flits /= 2; });
  with(worms.lengths != sim::WormLengths::fixed,
       [](RandomWorms& less) { less.lengths = sim::WormLengths::fixed; });
  with(worms.arrivals != sim::WormArrivals::poisson,
       [](RandomWorms& less) { less.arrivals = sim::WormArrivals::poisson; });
  with(worms.variant.has_value(), [](RandomWorms& less) { less.variant = std::nullopt; });
  return all;
}

RandomWorms shrunk(RandomWorms worms, const std::function<bool(const RandomWorms&)>& is_so) {
  while (true) {
    const std::vector<RandomWorms> candidates = smaller(worms);
    const auto found = std::find_if(candidates.begin(), candidates.end(), is_so);
    if (found == candidates.end()) return worms;
    worms = *found;
  }
}

}  // namespace tailbound::test
