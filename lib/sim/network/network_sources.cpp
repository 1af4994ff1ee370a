#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/network/network_sources.hpp>

#include <utility>

namespace tailbound::sim {
namespace {

using numeric::Rational;

std::uint64_t word_of(const Rational& probability) {
  static const Rational largest(numeric::pow(numeric::Integer(2), 64) - 1);
  return numeric::to_uint64(numeric::floor(probability * largest));
}

}  // namespace

NetworkSources::NetworkSources(const network::Network& network) {
  std::vector<std::vector<std::size_t>> sent_by(network.nodes.size());
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow)
    if (!network.flows[flow].burst) sent_by[network.flows[flow].source].push_back(flow);
  for (std::size_t node = 0; node < sent_by.size(); ++node) add_lane(node, sent_by[node], network);
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow) add_burst(flow, network);
}

/// \param flows  of the node, without those with bursts
void NetworkSources::add_lane(std::size_t node, const std::vector<std::size_t>& flows,
                              const network::Network& network) {
  Lane lane{.stream = node, .bounds = {}, .paths = {}};
  Rational sum = 0;
  for (const std::size_t flow : flows) {
    const network::Flow& its = network.flows[flow];
    if (its.routes.empty()) throw InvalidArgument("routes of flow " + its.name, "", "at least one");
    for (const network::Route& route : its.routes) {
      sum = sum + its.rate * route.share;
      if (sum > 1)
        throw InvalidArgument("the rate of all flows from " + network.nodes[node].name,
                              numeric::to_fraction(sum), "at most 1 packet per slot");
      add_path(lane, sum, flow, route, network);
    }
  }
  if (!lane.bounds.empty()) lanes_.push_back(std::move(lane));
}

void NetworkSources::add_path(Lane& lane, const Rational& sum, std::size_t flow, const network::Route& route,
                              const network::Network& network) {
  NetworkPath path{flow, route.links, 0, static_cast<std::size_t>(network.flows[flow].priority) - 1};
  while (path.first < path.links.size() && !network.has_queue(path.links[path.first])) ++path.first;
  lane.bounds.push_back(word_of(sum));
  lane.paths.push_back(static_cast<std::uint32_t>(paths_->size()));
  paths_->push_back(std::move(path));
}

void NetworkSources::add_burst(std::size_t flow, const network::Network& network) {
  const network::Flow& its = network.flows[flow];
  if (!its.burst) return;
  if (its.routes.empty()) throw InvalidArgument("routes of flow " + its.name, "", "at least one");
  const OnOffSlots slots(traffic::on_off(its.rate, *its.burst));
  BurstyFlow& added = bursts_.emplace_back(BurstyFlow{flow, slots, false});
  Rational sum = 0;
  for (const network::Route& route : its.routes)
    add_path(added.lane, sum = sum + route.share, flow, route, network);
  added.lane.bounds.back() = ~std::uint64_t{0};
}

void NetworkSources::start(RandomKey key) {
  key_ = key;
  for (BurstyFlow& its : bursts_) its.on = its.slots.start(key, bursts, its.flow);
}

std::uint32_t NetworkSources::path_of_burst(const BurstyFlow& its, std::uint64_t slot) const {
  std::size_t path = 0;
  if (const auto& bounds = its.lane.bounds; bounds.size() > 1) {
    const std::uint64_t draw = random_words(key_, paths_of_bursts, its.flow, slot / 4)[slot % 4];
    while (path + 1 < bounds.size() && draw >= bounds[path]) ++path;
  }
  return its.lane.paths[path];
}

void NetworkSources::save(ByteWriter& writer) const {
  for (const BurstyFlow& its : bursts_) {
    writer.put(its.on);
    writer.put(its.sends);
  }
}

void NetworkSources::load(ByteReader& reader) {
  for (BurstyFlow& its : bursts_) {
    its.on = reader.get<std::uint8_t>() != 0;
    its.sends = reader.get<std::uint64_t>();
  }
}

}  // namespace tailbound::sim
