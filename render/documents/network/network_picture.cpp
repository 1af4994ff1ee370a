#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/network/network_picture.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace tailbound::render {

namespace {

/// All links from one node to another.
struct Direction {
  int wires = 0;
  double carried = 0, capacity = 0;
};
using Directions = std::map<std::pair<std::size_t, std::size_t>, Direction>;

/// Each pair of nodes once, with the utilization of its busier direction.
std::vector<NetworkPicture::Edge> edges_of(const Directions& directions, bool loaded) {
  std::vector<NetworkPicture::Edge> edges;
  for (const auto& [ends, direction] : directions) {
    const auto back = directions.find({ends.second, ends.first});
    if (back != directions.end() && ends.first > ends.second) continue;
    NetworkPicture::Edge edge{.from = ends.first, .to = ends.second, .wires = direction.wires};
    if (loaded) {
      edge.load = direction.carried / direction.capacity;
      if (back != directions.end())
        edge.load = std::max(*edge.load, back->second.carried / back->second.capacity);
    }
    edges.push_back(edge);
  }
  return edges;
}

}  // namespace

NetworkPicture network_picture(const network::Network& network) {
  NetworkPicture picture;
  for (const network::Node& node : network.nodes)
    picture.nodes.push_back({.name = node.name, .host = node.host});
  std::vector<double> packets(network.links.size(), 0);
  bool routed = false;
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes) {
      routed = routed || !route.links.empty();
      const double rate = numeric::nearest_double(flow.rate * route.share);
      for (const std::size_t link : route.links) packets[link] += rate;
    }
  Directions directions;
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    const network::Link& link = network.links[i];
    Direction& direction = directions[{link.from, link.to}];
    direction.wires += 1;
    direction.carried += packets[i];
    direction.capacity += numeric::nearest_double(link.rate.value());
  }
  picture.edges = edges_of(directions, routed);
  return picture;
}

NetworkPicture network_picture(const network::PolicedNetwork& network) {
  NetworkPicture picture;
  std::map<std::string, std::size_t> numbers;
  const auto number_of = [&](const std::string& name) {
    const auto [at, added] = numbers.emplace(name, picture.nodes.size());
    if (added) picture.nodes.push_back({.name = name});
    return at->second;
  };
  std::vector<double> rates(network.ports.size(), 0);
  for (const network::PolicedFlow& flow : network.flows) {
    double rate = std::numeric_limits<double>::infinity();
    for (const traffic::TokenBucket& bucket : flow.buckets)
      rate = std::min(rate, numeric::nearest_double(bucket.rate));
    for (const std::size_t port : flow.path) rates[port] += rate;
  }
  Directions directions;
  constexpr std::string_view arrow = " -> ";
  for (std::size_t i = 0; i < network.ports.size(); ++i) {
    const std::string& name = network.ports[i].name;
    const std::size_t at = name.find(arrow);
    if (at == std::string::npos) throw NoAnswer("nothing to draw: ports do not connect two nodes");
    Direction& direction =
        directions[{number_of(name.substr(0, at)), number_of(name.substr(at + arrow.size()))}];
    direction.wires += 1;
    direction.carried += rates[i];
    direction.capacity += numeric::nearest_double(network.ports[i].rate);
  }
  picture.edges = edges_of(directions, true);
  std::vector<int> neighbours(picture.nodes.size(), 0);
  for (const NetworkPicture::Edge& edge : picture.edges) ++neighbours[edge.from], ++neighbours[edge.to];
  for (std::size_t i = 0; i < neighbours.size(); ++i) picture.nodes[i].host = neighbours[i] == 1;
  return picture;
}

Picture picture_of_network(std::string title, NetworkPicture network) {
  Picture picture;
  picture.title = std::move(title);
  picture.network = std::move(network);
  return picture;
}

Picture picture_of_network(const answers::Topology& topology) {
  const auto* listed = std::get_if<answers::NetworkTopology>(&topology);
  if (listed == nullptr) throw NoAnswer("nothing to draw: the network has no list of nodes");
  return picture_of_network(listed->name(), network_picture(listed->network));
}

}  // namespace tailbound::render
