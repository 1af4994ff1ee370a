#include <tailbound/core/error.hpp>
#include <tailbound/network/fabric/fabric_graph.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace tailbound::network {

void require_spread_bundles(const Fabric& fabric) {
  if (fabric.network.has_bundles() &&
      std::any_of(fabric.demands.begin(), fabric.demands.end(),
                  [](const Demand& demand) { return demand.route == RouteRule::shortest; }))
    throw NoAnswer(
        "shortest routes over parallel links are not supported in networks of more than 100000 communicating "
        "pairs, because each flow would take one of the links; use route = \"spread\"");
}

int FabricGraph::Signature::lanes(const LinkRate& link_rate) const {
  const int packets = sends.packets * link_rate.slots, slots = sends.slots * link_rate.packets;
  return (packets + slots - 1) / slots;
}

FabricGraph::FabricGraph(const Fabric& fabric) : fabric_(&fabric) {
  find_vertices();
  link_vertices();
  bundle_nodes();
  find_groups();
}

void FabricGraph::find_groups() {
  for (const Demand& demand : fabric_->demands) {
    if (!knows_groups(demand.route)) continue;
    // Valiant routes need more groups.
    if (!groups_ || demand.route == RouteRule::valiant)
      groups_ = switch_groups(fabric_->network, demand.route);
    require_in_groups(fabric_->network, *groups_, demand);
  }
}

/// All nodes except hosts whose only links lead from and to one switch.
void FabricGraph::find_vertices() {
  const Network& network = fabric_->network;
  struct Wires {
    std::uint32_t out = none, in = none;  // links
    int outs = 0, ins = 0;
  };
  std::vector<Wires> wires(network.nodes.size());
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    Wires &from = wires[network.links[link].from], &to = wires[network.links[link].to];
    from.out = static_cast<std::uint32_t>(link);
    to.in = static_cast<std::uint32_t>(link);
    ++from.outs;
    ++to.ins;
  }
  vertex_of_.assign(network.nodes.size(), none);
  hangs_on_.assign(network.nodes.size(), none);
  link_to_.assign(network.nodes.size(), none);
  for (std::size_t node = 0; node < network.nodes.size(); ++node) {
    const Wires& its = wires[node];
    if (network.nodes[node].host && its.outs == 1 && its.ins == 1 &&
        network.links[its.out].to == network.links[its.in].from &&
        !network.nodes[network.links[its.out].to].host) {
      hangs_on_[node] = static_cast<std::uint32_t>(network.links[its.out].to);
      link_to_[node] = its.in;
      continue;
    }
    vertex_of_[node] = static_cast<std::uint32_t>(node_of_.size());
    node_of_.push_back(static_cast<std::uint32_t>(node));
    forwards_.push_back(network.nodes[node].host ? 0 : 1);
  }
  for (std::uint32_t& on : hangs_on_)
    if (on != none) on = vertex_of_[on];
}

void FabricGraph::link_vertices() {
  const Network& network = fabric_->network;
  leaving_begin_.assign(size() + 1, 0);
  entering_begin_.assign(size() + 1, 0);
  const auto each = [&](auto&& take) {
    for (std::size_t link = 0; link < network.links.size(); ++link) {
      const std::uint32_t from = vertex_of_[network.links[link].from],
                          to = vertex_of_[network.links[link].to];
      if (from != none && to != none) take(link, from, to);
    }
  };
  each([&](std::size_t, std::uint32_t from, std::uint32_t to) {
    ++leaving_begin_[from + 1];
    ++entering_begin_[to + 1];
  });
  std::partial_sum(leaving_begin_.begin(), leaving_begin_.end(), leaving_begin_.begin());
  std::partial_sum(entering_begin_.begin(), entering_begin_.end(), entering_begin_.begin());
  leaving_.resize(leaving_begin_.back());
  entering_.resize(entering_begin_.back());
  std::vector<std::size_t> next_out(leaving_begin_.begin(), leaving_begin_.end() - 1),
      next_in(entering_begin_.begin(), entering_begin_.end() - 1);
  each([&](std::size_t link, std::uint32_t from, std::uint32_t to) {
    const auto weight = static_cast<std::uint32_t>(network.links[link].weight);
    leaving_[next_out[from]++] = {to, static_cast<std::uint32_t>(link), weight};
    entering_[next_in[to]++] = {from, static_cast<std::uint32_t>(link), weight};
  });
}

void FabricGraph::bundle_nodes() {
  const std::size_t nodes = fabric_->network.nodes.size();
  std::vector<char> active(nodes, 0), listed(nodes, 0);
  for (const Demand& demand : fabric_->demands) {
    if (const auto* product = std::get_if<ProductDemand>(&demand.rates)) {
      for (std::size_t node = 0; node < nodes; ++node)
        if (product->out[node] != 0 || product->in[node] != 0) active[node] = 1;
    } else {
      for (const SparseDemand::Entry& entry : std::get<SparseDemand>(demand.rates).entries)
        active[entry.from] = active[entry.to] = listed[entry.from] = listed[entry.to] = 1;
    }
  }
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  const std::vector<Rational> sends = fabric_->network.send_limits();
  const auto signature_of = [&](std::size_t node, const LinkRate& link) {
    Signature signature{{}, link, LinkRate::of(sends[node], "the speed of a link")};
    const auto speeds = signature.speeds();
    std::vector<std::uint32_t> key(speeds.begin(), speeds.end());
    for (const Demand& demand : fabric_->demands) {
      Signature::Part part;
      if (const auto* product = std::get_if<ProductDemand>(&demand.rates)) {
        part = {product->out[node], product->in[node], 0};
        if (!product->group.empty() && (part.out != 0 || part.in != 0)) part.group = product->group[node];
      }
      signature.parts.push_back(part);
      key.insert(key.end(), {part.out, part.in, part.group});
    }
    const auto [place, is_new] =
        known.try_emplace(std::move(key), static_cast<std::uint32_t>(signatures_.size()));
    if (is_new) signatures_.push_back(std::move(signature));
    return place->second;
  };
  struct Entry {
    std::uint32_t vertex, own, signature, alone, node;
  };
  std::vector<Entry> entries;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (active[node] == 0) continue;
    const auto position = static_cast<std::uint32_t>(node);
    if (vertex_of_[node] != none)
      entries.push_back({vertex_of_[node], 1, signature_of(node, {.packets = 0}), 0, position});
    else
      entries.push_back({hangs_on_[node], 0, signature_of(node, fabric_->network.links[link_to_[node]].rate),
                         listed[node] != 0 ? position + 1 : 0, position});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.vertex, a.own, a.signature, a.alone, a.node) <
           std::tie(b.vertex, b.own, b.signature, b.alone, b.node);
  });
  bundle_of_.assign(nodes, none);
  bundle_begin_.assign(size() + 1, 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const auto key = [](const Entry& e) { return std::tie(e.vertex, e.own, e.signature, e.alone); };
    if (i == 0 || key(entries[i - 1]) != key(entry)) {
      bundles_.push_back({entry.vertex, entry.signature, static_cast<std::uint32_t>(i), 0, entry.own != 0});
      ++bundle_begin_[entry.vertex + 1];
    }
    ++bundles_.back().count;
    bundle_of_[entry.node] = static_cast<std::uint32_t>(bundles_.size() - 1);
    members_.push_back(entry.node);
  }
  std::partial_sum(bundle_begin_.begin(), bundle_begin_.end(), bundle_begin_.begin());
}

void FabricGraph::distances(std::size_t destination, RouteRule rule,
                            std::vector<std::uint16_t>& distance) const {
  std::vector<std::uint32_t> queue{static_cast<std::uint32_t>(destination)};
  search(queue, toward(destination, rule), distance);
}

void FabricGraph::distances_to_group(std::uint32_t group, std::vector<std::uint16_t>& distance) const {
  std::vector<std::uint32_t> queue;
  for (const std::uint32_t node : groups_->switches[group]) queue.push_back(vertex_of_[node]);
  search(queue, none, distance);
}

void FabricGraph::search(std::vector<std::uint32_t>& queue, std::uint32_t toward,
                         std::vector<std::uint16_t>& distance) const {
  distance.assign(size(), unreached);
  queue.reserve(size());
  for (const std::uint32_t end : queue) distance[end] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::uint32_t vertex = queue[next];
    if (distance[vertex] != 0 && forwards_[vertex] == 0) continue;
    if (distance[vertex] + 1 == unreached)
      throw LimitExceeded("a route through the fabric has more than 65534 links, the limit");
    for (const Arc& arc : entering(vertex)) {
      if (distance[arc.other] != unreached || !may_pass(arc.other, vertex, toward)) continue;
      distance[arc.other] = static_cast<std::uint16_t>(distance[vertex] + 1);
      queue.push_back(arc.other);
    }
  }
}

}  // namespace tailbound::network
