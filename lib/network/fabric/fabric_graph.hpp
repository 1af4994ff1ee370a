#pragma once

#include <tailbound/network/fabric/fabric.hpp>
#include <tailbound/network/fabric/switch_groups.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

/// A fabric as its packets see it: hosts that hang on one switch by one wire are no places on the way, and those of
/// them that send and receive alike are counted, not listed.
///
/// MODEL     fabric.hpp
/// TESTS     tests/network/fabric/fabric_rates_test.cpp
namespace tailbound::network {

/// What is answered for a fabric as a whole has links that take whole packets a slot, and where it has bundles of wires
/// no routes that choose one of them for a flow.
/// \throws NoAnswer  naming what is not so
void require_fabric(const Fabric& fabric);

class FabricGraph {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint16_t unreached = std::numeric_limits<std::uint16_t>::max();

  /// A link between two vertices, seen from one of them.
  struct Arc {
    std::uint32_t other = 0;   ///< vertex at its other end
    std::uint32_t link = 0;    ///< position in Network::links
    std::uint32_t weight = 1;  ///< Link::weight
  };

  /// What a node sends and receives by product demands.
  struct Signature {
    struct Part {
      std::uint32_t out = 0, in = 0;  ///< positions in ProductDemand::values
      std::uint32_t group = 0;
      friend bool operator==(const Part&, const Part&) = default;
    };
    std::vector<Part> parts;  ///< of each demand; zeros for one that is listed
    int room = 0;             ///< packets a slot of the link to the node; 0: it is a vertex itself
    int lanes = 1;            ///< from which it sends (Network::lanes())
  };

  /// Nodes that hang on one vertex and are told apart by nothing but their names; or a vertex' own traffic.
  struct Bundle {
    std::uint32_t vertex = 0;
    std::uint32_t signature = 0;         ///< position in signatures()
    std::uint32_t first = 0, count = 0;  ///< its nodes, in members()
    bool own = false;                    ///< the vertex itself
  };

  /// `fabric` outlives this.
  /// \throws InvalidArgument  as require_valid() of what links and demands have; of such routes as switch_groups(),
  ///                          and a node that they lead from or to is in no group
  explicit FabricGraph(const Fabric& fabric);

  [[nodiscard]] const Fabric& fabric() const { return *fabric_; }
  [[nodiscard]] std::size_t size() const { return node_of_.size(); }
  [[nodiscard]] std::uint32_t node(std::size_t vertex) const { return node_of_[vertex]; }
  /// none for a host that hangs on a vertex.
  [[nodiscard]] std::uint32_t vertex_of(std::size_t node) const { return vertex_of_[node]; }
  [[nodiscard]] bool forwards(std::size_t vertex) const {
    return !fabric_->network.nodes[node_of_[vertex]].host;
  }

  /// In the order of the links.
  [[nodiscard]] std::span<const Arc> leaving(std::size_t vertex) const {
    return {leaving_.data() + leaving_begin_[vertex], leaving_begin_[vertex + 1] - leaving_begin_[vertex]};
  }
  [[nodiscard]] std::span<const Arc> entering(std::size_t vertex) const {
    return {entering_.data() + entering_begin_[vertex],
            entering_begin_[vertex + 1] - entering_begin_[vertex]};
  }
  /// Position of the first arc that leaves the vertex, counted over all vertices.
  [[nodiscard]] std::size_t first_arc(std::size_t vertex) const { return leaving_begin_[vertex]; }
  [[nodiscard]] std::size_t arcs() const { return leaving_.size(); }

  [[nodiscard]] const std::vector<Signature>& signatures() const { return signatures_; }
  [[nodiscard]] const std::vector<Bundle>& bundles() const { return bundles_; }  ///< by vertex
  [[nodiscard]] std::span<const Bundle> bundles_at(std::size_t vertex) const {
    return {bundles_.data() + bundle_begin_[vertex], bundle_begin_[vertex + 1] - bundle_begin_[vertex]};
  }
  /// Position in bundles() of a node's; none where it neither sends nor receives.
  [[nodiscard]] std::uint32_t bundle_of(std::size_t node) const { return bundle_of_[node]; }
  [[nodiscard]] std::span<const std::uint32_t> members(const Bundle& bundle) const {
    return {members_.data() + bundle.first, bundle.count};
  }
  /// The link that leads to a node that hangs on a vertex.
  [[nodiscard]] std::uint32_t link_to(std::size_t node) const { return link_to_[node]; }

  /// Where a demand's routes are minimal or Valiant.
  [[nodiscard]] const std::optional<SwitchGroups>& groups() const { return groups_; }
  /// \pre groups().  SwitchGroups::none: the vertex is in no group, and neither sends nor receives by such routes
  [[nodiscard]] std::uint32_t group(std::size_t vertex) const { return groups_->of_node[node_of_[vertex]]; }

  /// Where ways by this rule to a vertex end: its group, of minimal routes, which all arcs have to heed (leads_closer());
  /// none of others.
  [[nodiscard]] std::uint32_t toward(std::size_t destination, RouteRule rule) const {
    return rule == RouteRule::minimal ? group(destination) : none;
  }
  /// Links from each vertex to `destination`, over switches; unreached where no way leads there.
  /// \throws LimitExceeded  a way of more than 65 534 links
  void distances(std::size_t destination, RouteRule rule, std::vector<std::uint16_t>& distance) const;
  /// Likewise to the nearest switch of a group.  \pre groups()
  void distances_to_group(std::uint32_t group, std::vector<std::uint16_t>& distance) const;

  /// May a way toward a group, or (none) any way, lead from one vertex to the next?
  [[nodiscard]] bool may_pass(std::size_t from, std::size_t to, std::uint32_t toward) const {
    return toward == none || minimal_link(group(from), group(to), toward);
  }
  /// Does the arc lead from `vertex` closer to where `distance` says?
  [[nodiscard]] bool leads_closer(std::size_t vertex, const Arc& arc, const std::uint16_t* distance,
                                  std::uint32_t toward = none) const {
    const std::uint16_t there = distance[arc.other];
    return there + 1 == distance[vertex] && (there == 0 || forwards_[arc.other] != 0) &&
           may_pass(vertex, arc.other, toward);
  }

 private:
  void find_vertices();
  void link_vertices();
  void bundle_nodes();
  void find_groups();
  void search(std::vector<std::uint32_t>& queue, std::uint32_t toward,
              std::vector<std::uint16_t>& distance) const;

  const Fabric* fabric_;
  std::vector<std::uint32_t> node_of_, vertex_of_, hangs_on_, link_to_;
  std::vector<char> forwards_;
  std::vector<std::size_t> leaving_begin_, entering_begin_;
  std::vector<Arc> leaving_, entering_;
  std::vector<Signature> signatures_;
  std::vector<Bundle> bundles_;
  std::vector<std::size_t> bundle_begin_;
  std::vector<std::uint32_t> members_, bundle_of_;
  std::optional<SwitchGroups> groups_;
};

}  // namespace tailbound::network
