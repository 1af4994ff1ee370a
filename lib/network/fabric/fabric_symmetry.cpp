#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/fabric/fabric_symmetry.hpp>
#include <tailbound/network/symmetry.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tailbound::network {
namespace {

/// Vertices, and one more element for each group of a demand and, for Valiant routes, of switches; with
/// labelled adjacency.
class Places {
 public:
  explicit Places(const FabricGraph& graph) : graph_(graph) {
    const Fabric& fabric = graph.fabric();
    const std::size_t vertices = graph.size();
    labels_.resize(vertices);
    std::vector<LabelledGraph::Arc> all;
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
      labels_[vertex] = graph.forwards(vertex) ? 1 : 2;
      for (const FabricGraph::Arc& arc : graph.leaving(vertex)) {
        const LinkRate& rate = fabric.network.links[arc.link].rate;
        const std::uint64_t kind =
            mixed(mixed(static_cast<std::uint64_t>(rate.packets), static_cast<std::uint64_t>(rate.slots)),
                  arc.weight);
        all.push_back({vertex, {arc.other, mixed(kind, 1)}});
        all.push_back({arc.other, {vertex, mixed(kind, 2)}});
      }
      for (const FabricGraph::Bundle& bundle : graph.bundles_at(vertex)) add_bundle(bundle, all);
      if (graph.groups() && graph.group(vertex) != SwitchGroups::none) {
        const std::uint64_t relation = mixed(fabric.demands.size(), 5);
        join({of_switches(), graph.group(vertex)}, vertex, relation, all);
      }
    }
    joined_ = LabelledGraph(std::move(labels_), all);
  }

  [[nodiscard]] std::size_t size() const { return joined_.size(); }
  [[nodiscard]] const LabelledGraph& joined() const { return joined_; }
  /// Of a group of a demand; none if it is empty.
  [[nodiscard]] std::uint32_t of_group(std::size_t demand, std::uint32_t group) const {
    const auto found = group_.find({demand, group});
    return found == group_.end() ? FabricGraph::none : found->second;
  }
  [[nodiscard]] const std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t>& groups() const {
    return group_;
  }
  /// In place of a demand: groups of switches.
  [[nodiscard]] std::size_t of_switches() const { return graph_.fabric().demands.size(); }

 private:
  /// The properties of a bundle, except for its groups, go into the label of its vertex, which is joined to
  /// the groups.
  void add_bundle(const FabricGraph::Bundle& bundle, std::vector<LabelledGraph::Arc>& all) {
    const FabricGraph::Signature& signature = graph_.signatures()[bundle.signature];
    std::uint64_t what = mixed(bundle.count, bundle.own ? 1 : 2);
    for (const std::uint32_t speed : signature.speeds()) what = mixed(what, speed);
    for (const auto& part : signature.parts) what = mixed(mixed(what, part.out), part.in);
    labels_[bundle.vertex] += mixed(what);
    for (std::size_t demand = 0; demand < signature.parts.size(); ++demand) {
      const auto& part = signature.parts[demand];
      const auto* product = std::get_if<ProductDemand>(&graph_.fabric().demands[demand].rates);
      if (product == nullptr || product->group.empty() || (part.out == 0 && part.in == 0)) continue;
      join({demand, part.group}, bundle.vertex, mixed(what, demand), all);
    }
  }

  void join(std::pair<std::size_t, std::uint32_t> group, std::uint32_t vertex, std::uint64_t relation,
            std::vector<LabelledGraph::Arc>& all) {
    const auto [place, is_new] = group_.try_emplace(group, static_cast<std::uint32_t>(labels_.size()));
    if (is_new) labels_.push_back(mixed(group.first, 3));
    all.push_back({vertex, {place->second, relation}});
    all.push_back({place->second, {vertex, relation}});
  }

  const FabricGraph& graph_;
  std::vector<std::uint64_t> labels_;  ///< until they are joined
  LabelledGraph joined_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> group_;
};

class Search {
 public:
  explicit Search(const FabricGraph& graph)
      : graph_(graph),
        places_(graph),
        images_(places_.joined(), places_.size()),
        vertices_(graph.size()),
        arcs_(graph.arcs()),
        bundles_(graph.bundles().size()) {}

  [[nodiscard]] FabricOrbits orbits() {
    const Colouring& start = images_.start();
    const std::size_t min_arcs = coloured_arcs(start);
    const std::size_t colours = coloured_vertices(start);
    std::size_t automorphisms = 0;
    if (!start.discrete()) {
      index_arcs();
      int idle = 0;
      for (int attempt = 0; attempt < max_attempts && idle < max_idle; ++attempt) {
        if (vertices_.sets() == colours && arcs_.sets() == min_arcs) break;
        const std::size_t before = vertices_.sets() + arcs_.sets() + bundles_.sets();
        const auto image = images_.random_image();
        if (image && join_by(*image)) ++automorphisms;
        idle = vertices_.sets() + arcs_.sets() + bundles_.sets() < before ? 0 : idle + 1;
      }
    }
    return {vertices_.firsts(), arcs_.firsts(), bundles_.firsts(), colours, automorphisms};
  }

 private:
  static constexpr int max_attempts = 64, max_idle = 6;

  [[nodiscard]] std::size_t coloured_vertices(const Colouring& colouring) const {
    std::vector<std::uint32_t> cells;
    for (std::size_t vertex = 0; vertex < graph_.size(); ++vertex) cells.push_back(colouring.cell_of(vertex));
    std::sort(cells.begin(), cells.end());
    return static_cast<std::size_t>(std::unique(cells.begin(), cells.end()) - cells.begin());
  }
  /// Pairs of colours that arcs join: a lower bound on the number of orbits of arcs.
  [[nodiscard]] std::size_t coloured_arcs(const Colouring& colouring) const {
    std::vector<std::uint64_t> pairs;
    pairs.reserve(graph_.arcs());
    for (std::size_t vertex = 0; vertex < graph_.size(); ++vertex)
      for (const FabricGraph::Arc& arc : graph_.leaving(vertex))
        pairs.push_back((std::uint64_t{colouring.cell_of(vertex)} << 32U) | colouring.cell_of(arc.other));
    std::sort(pairs.begin(), pairs.end());
    return static_cast<std::size_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
  }

  void index_arcs() {
    by_other_.resize(graph_.arcs());
    for (std::size_t vertex = 0; vertex < graph_.size(); ++vertex) {
      const auto arcs = graph_.leaving(vertex);
      const std::size_t first = graph_.first_arc(vertex);
      for (std::size_t i = 0; i < arcs.size(); ++i)
        by_other_[first + i] = {arcs[i].other, static_cast<std::uint32_t>(first + i)};
      std::sort(by_other_.begin() + static_cast<std::ptrdiff_t>(first),
                by_other_.begin() + static_cast<std::ptrdiff_t>(first + arcs.size()));
    }
  }

  [[nodiscard]] std::uint32_t arc_between(std::uint32_t from, std::uint32_t to) const {
    const auto begin = by_other_.begin() + static_cast<std::ptrdiff_t>(graph_.first_arc(from));
    const auto end = begin + static_cast<std::ptrdiff_t>(graph_.leaving(from).size());
    const auto found = std::lower_bound(begin, end, std::pair<std::uint32_t, std::uint32_t>{to, 0});
    return found == end || found->first != to ? FabricGraph::none : found->second;
  }

  /// The image of each signature if groups are mapped by `image`; none if there is no such signature.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> signature_images(
      const std::vector<std::uint32_t>& image) const {
    std::map<std::uint32_t, std::pair<std::size_t, std::uint32_t>> group_at;
    for (const auto& [group, place] : places_.groups()) group_at.emplace(place, group);
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    const auto key_of = [&](const FabricGraph::Signature& signature, bool moved) {
      const auto speeds = signature.speeds();
      std::vector<std::uint32_t> key(speeds.begin(), speeds.end());
      for (std::size_t demand = 0; demand < signature.parts.size(); ++demand) {
        const auto& part = signature.parts[demand];
        std::uint32_t group = part.group;
        const std::uint32_t place = places_.of_group(demand, group);
        if (moved && place != FabricGraph::none && (part.out != 0 || part.in != 0)) {
          const auto to = group_at.find(image[place]);
          group = to == group_at.end() || to->second.first != demand ? FabricGraph::none : to->second.second;
        }
        key.insert(key.end(), {part.out, part.in, group});
      }
      return key;
    };
    const auto& signatures = graph_.signatures();
    for (std::uint32_t i = 0; i < signatures.size(); ++i) known.emplace(key_of(signatures[i], false), i);
    std::vector<std::uint32_t> images;
    for (const FabricGraph::Signature& signature : signatures) {
      const auto found = known.find(key_of(signature, true));
      if (found == known.end()) return std::nullopt;
      images.push_back(found->second);
    }
    return images;
  }

  /// Is the image of a vertex in the image of its group of switches?
  [[nodiscard]] bool keeps_group(std::uint32_t vertex, const std::vector<std::uint32_t>& image) const {
    const std::uint32_t from = places_.of_group(places_.of_switches(), graph_.group(vertex)),
                        to = places_.of_group(places_.of_switches(), graph_.group(image[vertex]));
    return from == FabricGraph::none ? to == FabricGraph::none : image[from] == to;
  }

  /// Is the permutation an automorphism? If so, joins the orbits.
  [[nodiscard]] bool join_by(const std::vector<std::uint32_t>& image) {
    const auto signatures = signature_images(image);
    if (!signatures) return false;
    const auto& links = graph_.fabric().network.links;
    std::vector<std::uint32_t> arc_image(graph_.arcs()), bundle_image(graph_.bundles().size());
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex) {
      const std::uint32_t to = image[vertex];
      if (to >= graph_.size() || graph_.forwards(vertex) != graph_.forwards(to)) return false;
      if (graph_.groups() && !keeps_group(vertex, image)) return false;
      const auto arcs = graph_.leaving(vertex);
      if (arcs.size() != graph_.leaving(to).size()) return false;
      for (std::size_t i = 0; i < arcs.size(); ++i) {
        const std::uint32_t other = arc_between(to, image[arcs[i].other]);
        if (other == FabricGraph::none) return false;
        const FabricGraph::Arc& its = graph_.leaving(to)[other - graph_.first_arc(to)];
        if (its.weight != arcs[i].weight || links[its.link].rate != links[arcs[i].link].rate) return false;
        arc_image[graph_.first_arc(vertex) + i] = other;
      }
      const auto here = graph_.bundles_at(vertex), there = graph_.bundles_at(to);
      if (here.size() != there.size()) return false;
      for (const FabricGraph::Bundle& bundle : here) {
        const auto found = std::find_if(there.begin(), there.end(), [&](const FabricGraph::Bundle& other) {
          return other.signature == (*signatures)[bundle.signature] && other.own == bundle.own &&
                 other.count == bundle.count;
        });
        if (found == there.end()) return false;
        bundle_image[static_cast<std::size_t>(&bundle - graph_.bundles().data())] =
            static_cast<std::uint32_t>(&*found - graph_.bundles().data());
      }
    }
    for (std::uint32_t i = 0; i < graph_.size(); ++i) vertices_.join(i, image[i]);
    for (std::uint32_t i = 0; i < arc_image.size(); ++i) arcs_.join(i, arc_image[i]);
    for (std::uint32_t i = 0; i < bundle_image.size(); ++i) bundles_.join(i, bundle_image[i]);
    return true;
  }

  const FabricGraph& graph_;
  Places places_;
  ImageSearch images_;
  Joined vertices_, arcs_, bundles_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      by_other_;  ///< the arcs of each vertex by their other end
};

bool looked_at(const Demand& demand) {
  return demand.route != RouteRule::shortest && std::holds_alternative<ProductDemand>(demand.rates);
}

}  // namespace

FabricOrbits fabric_orbits(const FabricGraph& graph) {
  require_no_hashes(graph.fabric());
  const auto& demands = graph.fabric().demands;
  if (std::all_of(demands.begin(), demands.end(), looked_at)) return Search(graph).orbits();
  const auto alone = [](std::size_t size) { return Joined(size).firsts(); };
  return {alone(graph.size()), alone(graph.arcs()), alone(graph.bundles().size()), graph.size(), 0};
}

}  // namespace tailbound::network
