#include <bench/path_delay/queries.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace tailbound::bench {

using numeric::Rational;

Hops five_hops(const char* load) {
  bounds::TreeDelay tree =
      bounds::tree_delay({16, 3}, numeric::parse_rational(load, "load"), network::TreeRouting::random_root,
                         network::Sources::independent_sources);
  return {std::move(tree.network.queues), std::move(tree.routes.front())};
}

network::Network torus() {
  constexpr std::size_t side = 16, switches = side * side, flows = 10'000;
  network::Network network;
  network.name = "torus";
  for (std::size_t i = 0; i < switches; ++i) network.nodes.push_back({"host" + std::to_string(i), true});
  for (std::size_t i = 0; i < switches; ++i) network.nodes.push_back({"switch" + std::to_string(i), false});
  const auto at = [](std::size_t x, std::size_t y) { return x % side + side * (y % side); };
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> link_of;
  const auto connect = [&](std::size_t from, std::size_t to) {
    link_of[{from, to}] = network.links.size();
    network.links.push_back({from, to, 1});
  };
  for (std::size_t i = 0; i < switches; ++i) {
    connect(i, switches + i);
    connect(switches + i, i);
  }
  for (std::size_t y = 0; y < side; ++y)
    for (std::size_t x = 0; x < side; ++x) {
      const std::size_t here = switches + at(x, y);
      for (const std::size_t there : {at(x + 1, y), at(x + side - 1, y), at(x, y + 1), at(x, y + side - 1)})
        connect(here, switches + there);
    }
  std::mt19937_64 engine(1);
  std::vector<long> load(network.links.size(), 0);
  std::vector<long> weights;
  for (std::size_t flow = 0; flow < flows; ++flow) {
    // Along x, then along y: `along` of the `hops` links between switches, and the one to the host.
    const std::size_t hops = 1 + engine() % 5, along = engine() % (hops + 1);
    const bool west = engine() % 2 == 0, north = engine() % 2 == 0;
    const std::size_t source = flow % switches;
    std::size_t x = source % side, y = source / side;
    network::Route route;
    route.links.push_back(link_of.at({source, switches + source}));
    for (std::size_t hop = 0; hop < hops; ++hop) {
      const std::size_t here = switches + at(x, y);
      if (hop < along)
        x += west ? side - 1 : 1;
      else
        y += north ? side - 1 : 1;
      route.links.push_back(link_of.at({here, switches + at(x, y)}));
    }
    const std::size_t destination = at(x, y);
    route.links.push_back(link_of.at({switches + destination, destination}));
    weights.push_back(1 + static_cast<long>(engine() % 8));
    for (const std::size_t link : route.links)
      if (network.has_queue(link)) load[link] += weights.back();
    network.flows.push_back(
        {"flow" + std::to_string(flow), source, destination, Rational(1), {std::move(route)}});
  }
  const long busiest = *std::max_element(load.begin(), load.end());
  for (std::size_t flow = 0; flow < flows; ++flow)
    network.flows[flow].rate = Rational(9 * weights[flow]) / (10 * busiest);
  return network;
}

}  // namespace tailbound::bench
