#include <cln/real.h>
#include <tailbound/render/documents/network/network_picture.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace tailbound::render {

NetworkPicture network_picture(const network::Network& network) {
  NetworkPicture picture;
  for (const network::Node& node : network.nodes)
    picture.nodes.push_back({.name = node.name, .host = node.host});
  std::vector<double> packets(network.links.size(), 0);
  bool routed = false;
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes) {
      routed = routed || !route.links.empty();
      const double rate = cln::double_approx(flow.rate * route.share);
      for (const std::size_t link : route.links) packets[link] += rate;
    }
  struct Direction {
    int wires = 0;
    double carried = 0, capacity = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Direction> directions;
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    const network::Link& link = network.links[i];
    Direction& direction = directions[{link.from, link.to}];
    direction.wires += 1;
    direction.carried += packets[i];
    direction.capacity += cln::double_approx(link.rate.value());
  }
  for (const auto& [ends, direction] : directions) {
    const auto back = directions.find({ends.second, ends.first});
    if (back != directions.end() && ends.first > ends.second) continue;
    NetworkPicture::Edge edge{.from = ends.first, .to = ends.second, .wires = direction.wires};
    if (routed) {
      edge.load = direction.carried / direction.capacity;
      if (back != directions.end())
        edge.load = std::max(*edge.load, back->second.carried / back->second.capacity);
    }
    picture.edges.push_back(edge);
  }
  return picture;
}

}  // namespace tailbound::render
