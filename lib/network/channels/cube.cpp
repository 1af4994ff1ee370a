#include <tailbound/core/error.hpp>
#include <tailbound/network/channels/cube.hpp>

#include <array>
#include <limits>
#include <numeric>

namespace tailbound::network {
namespace {

constexpr std::size_t no_neighbour = std::numeric_limits<std::size_t>::max();

std::int64_t node_count(const Cube& cube) {
  std::int64_t nodes = cube.concentration;
  for (const std::int64_t side : sides_of(cube)) {
    nodes *= side;
    if (nodes > max_cube_nodes) break;
  }
  return nodes;
}

/// Counts, for each channel and each turn from it, the messages of all pairs of nodes. A count of
/// `pair_weight` is one message of each pair; smaller counts come from routes that split.
class PairWalk {
 public:
  explicit PairWalk(const Cube& cube)
      : cube_(cube),
        torus_(cube.links != CubeLinks::mesh),
        directions_(cube.links == CubeLinks::unidirectional_torus ? 1 : 2),
        virtual_(torus_ ? 2 : 1),
        dimensions_(static_cast<std::size_t>(cube.dimensions)),
        radix_(static_cast<std::size_t>(cube.radix)),
        nodes_(static_cast<std::size_t>(node_count(cube))),
        links_(dimensions_ * directions_ * virtual_),
        counts_(nodes_ * (links_ + 1) * (links_ + 1), 0) {
    std::size_t stride = 1;
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension, stride *= radix_)
      strides_.push_back(stride);
    for (std::size_t node = 0; node < nodes_; ++node) {
      source_ = node;
      from_node(node, injection(node), 0, std::uint64_t{1} << dimensions_);
    }
  }

  [[nodiscard]] ChannelGraph graph() const;

 private:
  // Channels of a node: those that leave it, link by link (dimension, direction, virtual channel), and its
  // injection. Turns from a channel: to the channels of the node it leads to, and to the ejection there.
  [[nodiscard]] std::size_t injection(std::size_t node) const { return node * (links_ + 1) + links_; }
  [[nodiscard]] std::size_t link(std::size_t dimension, std::size_t direction, std::size_t high) const {
    return (dimension * directions_ + direction) * virtual_ + high;
  }
  void count(std::size_t channel, std::size_t output, std::uint64_t weight) {
    counts_[channel * (links_ + 1) + output] += weight;
  }
  [[nodiscard]] std::size_t coordinate(std::size_t node, std::size_t dimension) const {
    return node / strides_[dimension] % radix_;
  }
  [[nodiscard]] std::size_t next_node(std::size_t node, std::size_t dimension, std::size_t direction) const {
    const std::size_t at = coordinate(node, dimension);
    const std::size_t to = direction == 0 ? (at + 1) % radix_ : (at + radix_ - 1) % radix_;
    return node - at * strides_[dimension] + to * strides_[dimension];
  }

  /// A message for each node that agrees with `node` below `dimension`, all arriving by `channel`.
  void from_node(std::size_t node, std::size_t channel, std::size_t dimension, std::uint64_t weight) {
    if (dimension == dimensions_) {
      if (node != source_) count(channel, links_, weight);
      return;
    }
    from_node(node, channel, dimension + 1, weight);  // those with nothing to correct here
    for (std::size_t direction = 0; direction < directions_; ++direction) {
      const std::size_t before_edge = straight_steps(node, dimension, direction);
      const std::size_t reach = !torus_ ? before_edge : directions_ == 1 ? radix_ - 1 : radix_ / 2;
      const std::size_t straight = std::min(before_edge, reach);
      along(node, channel, dimension, direction, 1, straight, reach, weight);
      if (reach > straight) along(node, channel, dimension, direction, straight + 1, reach, reach, weight);
    }
  }

  /// The messages with `first` to `last` steps left in this direction, a group on the same virtual channel
  /// everywhere. `reach` is the maximum number of steps.
  void along(std::size_t node, std::size_t channel, std::size_t dimension, std::size_t direction,
             std::size_t first, std::size_t last, std::size_t reach, std::uint64_t weight) {
    if (first > last) return;
    const bool wraps = torus_ && first > straight_steps(node, dimension, direction);
    bool wrapped = !wraps;
    // Both directions around the ring are equally long: half of the messages take each.
    const bool split = directions_ == 2 && torus_ && last == reach && radix_ % 2 == 0;
    const std::uint64_t beyond = nodes_ / (strides_[dimension] * radix_);
    std::uint64_t group = beyond * (weight * (last - first + 1) - (split ? weight / 2 : 0));
    for (std::size_t step = 1; step <= last; ++step) {
      const std::size_t output = link(dimension, direction, torus_ && wrapped ? 1 : 0);
      count(channel, output, group);
      channel = node * (links_ + 1) + output;
      if (straight_steps(node, dimension, direction) == 0) wrapped = true;
      node = next_node(node, dimension, direction);
      if (step < first) continue;
      const std::uint64_t share = split && step == reach ? weight / 2 : weight;
      from_node(node, channel, dimension + 1, share);
      group -= beyond * share;
    }
  }

  /// Steps up to the edge of the coordinates.
  [[nodiscard]] std::size_t straight_steps(std::size_t node, std::size_t dimension,
                                           std::size_t direction) const {
    const std::size_t at = coordinate(node, dimension);
    return direction == 0 ? radix_ - 1 - at : at;
  }

  [[nodiscard]] std::string node_name(std::size_t node) const {
    std::string name = "(";
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension)
      name += (dimension == 0 ? "" : ",") + std::to_string(coordinate(node, dimension));
    return name + ")";
  }
  [[nodiscard]] std::string channel_name(std::size_t node, std::size_t output, std::size_t port) const;
  /// First channels of the route from a node; a message takes each with the same probability.
  [[nodiscard]] std::size_t ports(std::size_t output) const {
    return output == links_ && cube_.ends.injection == Injection::ports ? dimensions_ : 1;
  }

  Cube cube_;
  bool torus_;
  std::size_t directions_, virtual_, dimensions_, radix_, nodes_, links_;
  std::vector<std::size_t> strides_;
  std::size_t source_ = 0;
  std::vector<std::uint64_t> counts_;  ///< [channel][turn]
};

std::string PairWalk::channel_name(std::size_t node, std::size_t output, std::size_t port) const {
  if (ports(output) > 1) return "port " + std::to_string(port + 1) + " of " + node_name(node);
  if (output == links_) return "injection at " + node_name(node);
  const std::size_t direction = output / virtual_ % directions_;
  const std::size_t dimension = output / virtual_ / directions_;
  std::string name = node_name(node) + " -> " + node_name(next_node(node, dimension, direction));
  if (torus_) name += output % virtual_ == 1 ? ", high" : ", low";
  return name;
}

ChannelGraph PairWalk::graph() const {
  const std::size_t outputs = links_ + 1;
  ChannelGraph graph;
  std::vector<std::uint64_t> totals(nodes_ * outputs);
  std::vector<std::size_t> position(nodes_ * outputs, no_neighbour);
  const double unit =
      1 / (static_cast<double>(std::uint64_t{1} << dimensions_) * (static_cast<double>(nodes_) - 1));
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const auto first = counts_.begin() + static_cast<std::ptrdiff_t>(i * outputs);
    totals[i] = std::accumulate(first, first + static_cast<std::ptrdiff_t>(outputs), std::uint64_t{0});
  }
  const auto add_channel = [&](std::string name, std::size_t wire, std::uint64_t total,
                               std::size_t ports = 1) {
    const double rate = static_cast<double>(total) * unit / static_cast<double>(ports);
    const std::size_t at = graph.channels.size();
    graph.channels.push_back(
        {.name = std::move(name), .station = at, .wire = wire, .rate = rate, .turns = {}});
    graph.stations.push_back({.channels = {at}, .servers = 1, .rate = rate});
    return at;
  };
  const bool shared = cube_.virtual_channels == VirtualChannels::share_wire;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] == 0) continue;
    const std::size_t node = i / outputs, output = i % outputs;
    const std::size_t wire = output < links_ && shared ? node * outputs + output / virtual_ * virtual_ : i;
    const std::size_t same = ports(output);
    position[i] = graph.channels.size();
    for (std::size_t port = 0; port < same; ++port) {
      // Ports beyond the first have physical channels numbered after those of the ejection channels.
      const std::size_t its_wire = port == 0 ? wire : totals.size() + port * nodes_ + node;
      const std::size_t at = add_channel(channel_name(node, output, port), its_wire, totals[i], same);
      if (output == links_)
        graph.sources.push_back({.channel = at, .weight = 1 / static_cast<double>(nodes_ * same)});
    }
  }
  const std::uint64_t received = (nodes_ - 1) << dimensions_;
  const bool ejects = cube_.ends.ejection == Ejection::one;
  std::vector<std::size_t> ejection(nodes_);
  for (std::size_t node = 0; node < nodes_ && ejects; ++node)
    ejection[node] = add_channel("ejection at " + node_name(node), totals.size() + node, received);

  std::uint64_t crossed = ejects ? nodes_ * received : 0;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] == 0) continue;
    crossed += totals[i];
    const std::size_t from = i / outputs, by = i % outputs;
    const std::size_t node =
        by == links_ ? from : next_node(from, by / virtual_ / directions_, by / virtual_ % directions_);
    for (std::size_t output = 0; output < outputs; ++output) {
      const std::uint64_t flow = counts_[i * outputs + output];
      if (flow == 0) continue;
      const double probability = static_cast<double>(flow) / static_cast<double>(totals[i]);
      if (output == links_ && !ejects) {
        graph.channels[position[i]].ends = probability;
        continue;
      }
      const std::uint64_t all = output == links_ ? received : totals[node * outputs + output];
      const std::size_t same = ports(by);
      for (std::size_t port = 0; port < same; ++port)
        graph.channels[position[i] + port].turns.push_back(
            {.station = output == links_ ? ejection[node] : position[node * outputs + output],
             .probability = probability,
             .own_share = static_cast<double>(flow) / static_cast<double>(all) / static_cast<double>(same)});
    }
  }
  graph.mean_distance = static_cast<double>(crossed) / static_cast<double>(nodes_ * received);
  return graph;
}

/// The partners counted by partner_rate() that also take a channel of the message itself, before or after.
/// There one waits for the other, so only one of the two is delayed by sharing a physical channel.
///
/// METHOD    Only unidirectional rings have such pairs: from a to b and from c to d with a < d < c < b, or,
///           if both wrap around, b < a < d < c; in either order. All routes along a ring have the same rate.
double met_and_followed(const Cube& cube) {
  if (cube.links != CubeLinks::unidirectional_torus) return 0;
  const auto k = static_cast<double>(cube.radix), nodes = static_cast<double>(node_count(cube));
  const double pairs = k * (k - 1) * (k - 2) * (k - 3) / 6;  // 4 (k choose 4)
  const double rings = cube.dimensions * nodes / k, rate = nodes / k / (nodes - 1);
  return rings * pairs * rate * rate / nodes;
}

}  // namespace

bool Cube::regular() const {
  return sides.empty() && concentration == 1 && !ends.by_channels();
}

std::vector<std::int64_t> sides_of(const Cube& cube) {
  if (!cube.sides.empty()) return cube.sides;
  return std::vector<std::int64_t>(static_cast<std::size_t>(cube.dimensions), cube.radix);
}

void check(const Cube& cube) {
  const std::int64_t minimum = cube.links == CubeLinks::torus ? 3 : 2;
  if (cube.dimensions < 1 || cube.dimensions > 14)
    throw InvalidArgument("dimensions", std::to_string(cube.dimensions), "from 1 to 14");
  if (!cube.sides.empty() && cube.sides.size() != static_cast<std::size_t>(cube.dimensions))
    throw InvalidArgument("sides", std::to_string(cube.sides.size()), "one for each dimension");
  for (const std::int64_t side : sides_of(cube))
    if (side < minimum || side > max_cube_nodes)
      throw InvalidArgument("radix", std::to_string(side),
                            "from " + std::to_string(minimum) + " to " + std::to_string(max_cube_nodes));
  if (cube.concentration < 1 || cube.concentration > max_concentration)
    throw InvalidArgument("concentration", std::to_string(cube.concentration),
                          "from 1 to " + std::to_string(max_concentration));
  if (node_count(cube) > max_cube_nodes)
    throw InvalidArgument("nodes", name(cube), "at most " + std::to_string(max_cube_nodes));
  if (cube.ends.injection != Injection::ports) return;
  if (cube.links != CubeLinks::mesh || cube.radix != 2 || !cube.sides.empty())
    throw InvalidArgument("injection", "ports", "one: only the nodes of a hypercube have ports");
  if (cube.concentration > 1)
    throw InvalidArgument("injection", "ports", "one or channels where routers have several nodes");
}

std::string name(const Cube& cube) {
  const std::string nodes =
      cube.concentration > 1 ? ", " + std::to_string(cube.concentration) + " nodes per router" : "";
  if (cube.links == CubeLinks::mesh && cube.radix == 2 && cube.sides.empty())
    return std::to_string(cube.dimensions) + "-dimensional hypercube" + nodes;
  if (const auto sides = sides_of(cube); sides.size() == 1) {
    const char* kind = cube.links == CubeLinks::mesh                   ? "line of "
                       : cube.links == CubeLinks::unidirectional_torus ? "unidirectional ring of "
                                                                       : "ring of ";
    return kind + std::to_string(sides.front()) + (cube.concentration > 1 ? " routers" : " nodes") + nodes;
  }
  std::string name;
  if (cube.sides.empty() && cube.dimensions > 4)
    name = std::to_string(cube.radix) + "^" + std::to_string(cube.dimensions);
  else
    for (const std::int64_t side : sides_of(cube)) name += (name.empty() ? "" : " x ") + std::to_string(side);
  switch (cube.links) {
    case CubeLinks::mesh:
      return name + " mesh" + nodes;
    case CubeLinks::unidirectional_torus:
      return name + " unidirectional torus" + nodes;
    case CubeLinks::torus:
      break;
  }
  return name + " torus" + nodes;
}

ChannelGraph cube_graph(const Cube& cube) {
  check(cube);
  if (!cube.regular()) throw InvalidArgument("cube", name(cube), "k^n, with one node at each router");
  ChannelGraph graph = PairWalk(cube).graph();
  if (cube.links != CubeLinks::mesh && cube.virtual_channels == VirtualChannels::share_wire)
    graph.worms_met = partner_rate(graph) - met_and_followed(cube) / 2;
  graph.name = name(cube);
  return graph;
}

}  // namespace tailbound::network
