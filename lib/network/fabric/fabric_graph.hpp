#pragma once

#include <tailbound/network/fabric/fabric.hpp>
#include <tailbound/network/fabric/switch_groups.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

/// A fabric as its packets see it. A host connected to one switch by one link is no vertex; hosts of one
/// switch with identical traffic are counted, not listed.
///
/// MODEL     fabric.hpp
/// TESTS     tests/network/fabric/fabric_rates_test.cpp
namespace tailbound::network {

/// In networks with bundles no routes may choose one link of a bundle for a flow.
/// \throws NoAnswer
void require_spread_bundles(const Fabric& fabric);

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
    std::vector<Part> parts;      ///< per demand; zeros for one that is listed
    LinkRate link{.packets = 0};  ///< of the link to the node; 0: it is a vertex itself
    LinkRate sends{};             ///< of its fastest outgoing link

    /// Number of lanes from which it sends, in packet times of a link: as Network::lanes() in slots of these.
    [[nodiscard]] int lanes(const LinkRate& link_rate) const;
    [[nodiscard]] std::array<std::uint32_t, 4> speeds() const {
      return {static_cast<std::uint32_t>(link.packets), static_cast<std::uint32_t>(link.slots),
              static_cast<std::uint32_t>(sends.packets), static_cast<std::uint32_t>(sends.slots)};
    }
  };

  /// Nodes attached to one vertex that differ only by name; or a vertex' own traffic.
  struct Bundle {
    std::uint32_t vertex = 0;
    std::uint32_t signature = 0;         ///< position in signatures()
    std::uint32_t first = 0, count = 0;  ///< its nodes, in members()
    bool own = false;                    ///< is it the vertex itself?
  };

  /// `fabric` must outlive this object.
  /// \throws InvalidArgument  as require_valid() for links and demands; for minimal and Valiant routes as
  ///                          switch_groups(), and for a source or destination in no group
  explicit FabricGraph(const Fabric& fabric);

  [[nodiscard]] const Fabric& fabric() const { return *fabric_; }
  [[nodiscard]] std::size_t size() const { return node_of_.size(); }
  [[nodiscard]] std::uint32_t node(std::size_t vertex) const { return node_of_[vertex]; }
  /// none for a host attached to a vertex.
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
  [[nodiscard]] const std::vector<Bundle>& bundles() const { return bundles_; }  ///< sorted by vertex
  [[nodiscard]] std::span<const Bundle> bundles_at(std::size_t vertex) const {
    return {bundles_.data() + bundle_begin_[vertex], bundle_begin_[vertex + 1] - bundle_begin_[vertex]};
  }
  /// Position in bundles() of a node's bundle; none where it neither sends nor receives.
  [[nodiscard]] std::uint32_t bundle_of(std::size_t node) const { return bundle_of_[node]; }
  [[nodiscard]] std::span<const std::uint32_t> members(const Bundle& bundle) const {
    return {members_.data() + bundle.first, bundle.count};
  }
  /// The link that leads to a node attached to a vertex.
  [[nodiscard]] std::uint32_t link_to(std::size_t node) const { return link_to_[node]; }

  /// Present if a demand has minimal or Valiant routes.
  [[nodiscard]] const std::optional<SwitchGroups>& groups() const { return groups_; }
  /// \pre groups().  SwitchGroups::none: the vertex is in no group, and neither sends nor receives by such
  /// routes
  [[nodiscard]] std::uint32_t group(std::size_t vertex) const { return groups_->of_node[node_of_[vertex]]; }

  /// Where routes by this rule to a vertex end: for minimal routes its group, which all arcs must respect
  /// (leads_closer()); none for other routes.
  [[nodiscard]] std::uint32_t toward(std::size_t destination, RouteRule rule) const {
    return rule == RouteRule::minimal ? group(destination) : none;
  }
  /// Links from each vertex to `destination`, over switches; unreached where no route leads there.
  /// \throws LimitExceeded  a route of more than 65 534 links
  void distances(std::size_t destination, RouteRule rule, std::vector<std::uint16_t>& distance) const;
  /// The same to the nearest switch of a group.  \pre groups()
  void distances_to_group(std::uint32_t group, std::vector<std::uint16_t>& distance) const;

  /// May a route toward a group, or (none) any route, lead from one vertex to the next?
  [[nodiscard]] bool may_pass(std::size_t from, std::size_t to, std::uint32_t toward) const {
    return toward == none || minimal_link(group(from), group(to), toward);
  }
  /// Does the arc lead from `vertex` closer to the destination of `distance`?
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
