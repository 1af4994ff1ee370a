#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/drawing/network_drawing.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace tailbound;
using namespace tailbound::render;

namespace {

NetworkPicture leaves_and_spines(std::size_t leaves, std::size_t spines, std::size_t hosts) {
  NetworkPicture network;
  for (std::size_t i = 0; i < leaves * hosts; ++i) network.nodes.push_back({"h" + std::to_string(i), true});
  for (std::size_t i = 0; i < leaves; ++i) network.nodes.push_back({"leaf" + std::to_string(i)});
  for (std::size_t i = 0; i < spines; ++i) network.nodes.push_back({"spine" + std::to_string(i)});
  for (std::size_t i = 0; i < leaves; ++i) {
    for (std::size_t j = 0; j < hosts; ++j) network.edges.push_back({i * hosts + j, leaves * hosts + i});
    for (std::size_t j = 0; j < spines; ++j)
      network.edges.push_back({leaves * hosts + i, leaves * (hosts + 1) + j});
  }
  return network;
}

NetworkPicture mesh(std::size_t side) {
  NetworkPicture network;
  for (std::size_t i = 0; i < side * side; ++i) network.nodes.push_back({std::to_string(i)});
  for (std::size_t i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) network.edges.push_back({i, i + 1});
    if (i + side < side * side) network.edges.push_back({i, i + side});
  }
  return network;
}

double distance(const NetworkPlan& plan, std::size_t a, std::size_t b) {
  return std::hypot(plan.at[a].first - plan.at[b].first, plan.at[a].second - plan.at[b].second);
}

}  // namespace

TEST_CASE("networks are drawn in layers if they have any", "[render]") {
  const NetworkPicture network = leaves_and_spines(4, 2, 3);
  const NetworkPlan plan = network_plan(network, 860);
  CHECK(plan.layered);
  for (std::size_t i = 0; i < 12; ++i) CHECK(plan.at[i].second == plan.at[0].second);
  for (std::size_t i = 12; i < 16; ++i) CHECK(plan.at[i].second == plan.at[12].second);
  CHECK(plan.at[0].second > plan.at[12].second);
  CHECK(plan.at[12].second > plan.at[16].second);
  // Each leaf is above its hosts.
  for (std::size_t leaf = 0; leaf < 4; ++leaf)
    CHECK(plan.at[12 + leaf].first == Approx(plan.at[3 * leaf + 1].first).margin(1));
}

TEST_CASE("layers are sorted if that shortens links", "[render]") {
  NetworkPicture network = leaves_and_spines(8, 1, 1);
  for (NetworkPicture::Edge& edge : network.edges)
    if (edge.to < 16) edge.to = 15 - (edge.from + 3) % 8;  // hosts in another order than their leaves
  const NetworkPlan plan = network_plan(network, 860);
  for (const NetworkPicture::Edge& edge : network.edges)
    if (edge.to < 16) CHECK(plan.at[edge.from].first == Approx(plan.at[edge.to].first).margin(1));
}

TEST_CASE("a mesh is drawn as a mesh: neighbors are one step apart, and nodes keep their distance",
          "[render]") {
  const NetworkPicture network = mesh(6);
  const NetworkPlan plan = network_plan(network, 860);
  CHECK_FALSE(plan.layered);
  double shortest = 1e9, longest = 0;
  for (const NetworkPicture::Edge& edge : network.edges) {
    shortest = std::min(shortest, distance(plan, edge.from, edge.to));
    longest = std::max(longest, distance(plan, edge.from, edge.to));
  }
  CHECK(longest < 2 * shortest);
  for (std::size_t a = 0; a < 36; ++a)
    for (std::size_t b = 0; b < a; ++b) CHECK(distance(plan, a, b) > 0.6 * shortest);
  for (const auto& [x, y] : plan.at) CHECK((x >= 0 && x <= 860 && y >= 0 && y <= plan.height));
}

TEST_CASE("unusual networks: one node, disconnected parts, indistinguishable nodes", "[render]") {
  NetworkPicture network;
  CHECK_THROWS_AS(network_plan(network, 860), NoAnswer);
  network.nodes = {{"alone", false}};
  CHECK(std::isfinite(network_plan(network, 860).at[0].first));
  network.nodes = {{"a", true}, {"b", true}, {"c", false}, {"d", false}};
  network.edges = {{2, 3}};
  for (const auto& [x, y] : network_plan(network, 860).at) CHECK((std::isfinite(x) && std::isfinite(y)));
  network.edges.clear();
  for (const auto& [x, y] : network_plan(network, 860).at) CHECK((std::isfinite(x) && std::isfinite(y)));
  network.nodes.assign(max_nodes_drawn + 1, {"h", true});
  CHECK_THROWS_AS(network_plan(network, 860), NoAnswer);
}

TEST_CASE("the busiest link is labeled, and names are escaped", "[render]") {
  NetworkPicture network = leaves_and_spines(2, 1, 2);
  CHECK(network_svg(network, 860).body.find("utilization") == std::string::npos);
  for (NetworkPicture::Edge& edge : network.edges) edge.load = 0.25;
  network.edges.back().load = 0.875;
  network.nodes.back().name = "<s>";
  const std::string body = network_svg(network, 860).body;
  CHECK(body.find("highest 87.5 %, between leaf1 and &lt;s&gt;") != std::string::npos);
  CHECK(body.find("<s>") == std::string::npos);
}
