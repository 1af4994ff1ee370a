#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/option_group.hpp>
#include <cli/traffic_options.hpp>
#include <cli/wormhole_question.hpp>
#include <tailbound/network/cube_worms.hpp>
#include <tailbound/network/fat_tree_worms.hpp>
#include <tailbound/network/worm_walk.hpp>

#include <algorithm>

namespace tailbound::cli {
namespace {

using network::FatTreeVariant;
using numeric::Rational;

constexpr std::int64_t most_fat_tree_nodes = std::int64_t{1} << 24;

const std::vector<std::string> topology_names{"butterfly-fat-tree", "mesh", "torus", "bidirectional-torus",
                                              "hypercube"};

std::string name(WormholeTopology topology) {
  return topology_names[static_cast<std::size_t>(topology)];
}

std::int64_t power(std::int64_t base, int exponent, std::int64_t limit) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent && result <= limit; ++i) result *= base;
  return result;
}

/// The legal numbers of nodes of a topology, in rising order.
std::vector<std::int64_t> legal_nodes(WormholeTopology topology, int dimensions) {
  std::vector<std::int64_t> legal;
  if (topology == WormholeTopology::butterfly_fat_tree) {
    for (std::int64_t nodes = 4; nodes <= most_fat_tree_nodes; nodes *= 4) legal.push_back(nodes);
  } else if (topology == WormholeTopology::hypercube) {
    for (std::int64_t nodes = 2; nodes <= network::most_cube_nodes; nodes *= 2) legal.push_back(nodes);
  } else {
    const std::int64_t most = network::most_cube_nodes;
    for (std::int64_t radix = topology == WormholeTopology::bidirectional_torus ? 3 : 2;
         power(radix, dimensions, most) <= most; ++radix)
      legal.push_back(power(radix, dimensions, most));
  }
  return legal;
}

std::string node_rule(WormholeTopology topology, int dimensions) {
  switch (topology) {
    case WormholeTopology::butterfly_fat_tree:
      return "a power of 4";
    case WormholeTopology::hypercube:
      return "a power of 2";
    default:
      return dimensions == 1   ? "a number of nodes in a row"
             : dimensions == 2 ? "a square"
             : dimensions == 3 ? "a cube"
                               : fmt::format("a {}th power", dimensions);
  }
}

std::int64_t read_nodes(const std::string& text, WormholeTopology topology, int dimensions) {
  const std::vector<std::int64_t> legal = legal_nodes(topology, dimensions);
  const std::string rule =
      legal.empty()
          ? fmt::format("such that {} dimensions have at most {} nodes", dimensions, network::most_cube_nodes)
          : fmt::format("{} from {} to {}", node_rule(topology, dimensions), legal.front(), legal.back());
  const std::int64_t nodes = parse_integer(text, "--nodes", -1'000'000'000'000, 1'000'000'000'000);
  const auto above = std::lower_bound(legal.begin(), legal.end(), nodes);
  if (above != legal.end() && *above == nodes) return nodes;
  std::string nearest;
  if (above != legal.begin()) nearest = std::to_string(*(above - 1));
  if (above != legal.end()) nearest += (nearest.empty() ? "" : " and ") + std::to_string(*above);
  throw InvalidArgument("--nodes", text, nearest.empty() ? rule : rule + "; the nearest: " + nearest);
}

int read_dimensions(const WormholeOptions& options, WormholeTopology topology) {
  const bool free =
      topology != WormholeTopology::butterfly_fat_tree && topology != WormholeTopology::hypercube;
  if (!options.dimensions) return 2;
  if (!free)
    throw InvalidArgument("--dimensions", *options.dimensions,
                          "left out for a " + name(topology) + ": --nodes says it all");
  return static_cast<int>(parse_integer(*options.dimensions, "--dimensions", 1,
                                        topology == WormholeTopology::bidirectional_torus ? 8 : 14));
}

int logarithm(std::int64_t nodes, std::int64_t base) {
  int exponent = 0;
  for (; nodes > 1; nodes /= base) ++exponent;
  return exponent;
}

/// One of the topologies that have names.
void read_topology(const WormholeOptions& options, WormholeQuestion& question) {
  for (const auto& [name, value] :
       {std::pair{"--matrix", &options.place.matrix}, {"--route", &options.place.route}})
    if (*value) throw InvalidArgument(name, "given without --network", "given with --network FILE");
  const std::string& topology = required(options.topology, "--topology",
                                         "given: butterfly-fat-tree, mesh, torus, bidirectional-torus or "
                                         "hypercube (any other network: --network FILE)");
  question.topology = static_cast<WormholeTopology>(parse_choice(topology, "--topology", topology_names));
  const bool fat_tree = question.topology == WormholeTopology::butterfly_fat_tree;
  question.dimensions = read_dimensions(options, question.topology);
  question.nodes = read_nodes(required(options.nodes, "--nodes", "given: how many processors there are"),
                              question.topology, question.dimensions);
  if (fat_tree) question.dimensions = logarithm(question.nodes, 4);
  if (question.topology == WormholeTopology::hypercube) question.dimensions = logarithm(question.nodes, 2);
  if (options.variant && !fat_tree)
    throw InvalidArgument("--variant", *options.variant,
                          "left out: only the butterfly fat-tree has variants");
  if (options.variant)
    question.variant = static_cast<FatTreeVariant>(
        parse_choice(*options.variant, "--variant", std::vector<std::string>{"paper", "conditional"}));
}

void read_own(const WormholeOptions& options, WormholeQuestion& question) {
  const std::pair<const char*, const std::optional<std::string>*> others[] = {
      {"--topology", &options.topology},
      {"--nodes", &options.nodes},
      {"--dimensions", &options.dimensions},
      {"--variant", &options.variant}};
  for (const auto& [name, value] : others)
    if (*value) throw InvalidArgument(name, "given together with --network", "left out: the file says it");
  network::Network network = read_network_place(options.place, network::FileUse::worms);
  if (network.name.empty()) network.name = *options.place.network;
  question.topology = WormholeTopology::own;
  question.nodes = static_cast<std::int64_t>(network.nodes.size());
  question.own = std::make_shared<network::RoutedWormNetwork>(network);
  question.place = options.place;
}

network::Cube cube_of(const WormholeQuestion& question) {
  using network::CubeLinks;
  network::Cube cube;
  if (question.topology == WormholeTopology::torus) cube.links = CubeLinks::unidirectional_torus;
  if (question.topology == WormholeTopology::bidirectional_torus) cube.links = CubeLinks::bidirectional_torus;
  cube.dimensions = question.dimensions;
  cube.radix = 2;
  while (power(cube.radix, cube.dimensions, question.nodes) < question.nodes) ++cube.radix;
  return cube;
}

}  // namespace

void add_wormhole_options(CLI::App& command, WormholeOptions& options) {
  const OptionGroup network(command, "Network");
  network.add("--topology", options.topology, "NAME",
              "butterfly-fat-tree, mesh, torus (one way round),\nbidirectional-torus or hypercube");
  network.add("--nodes", options.nodes, "N",
              "processors: a power of 4 (fat-tree), of 2 (hypercube),\nk^dimensions");
  network.add("--dimensions", options.dimensions, "D", "of a mesh or torus (2)");
  network.add("--variant", options.variant, "NAME",
              "fat-tree: paper (as printed, the default) or conditional\n(flows conserved)");
  add_network_options(command, options.place);
  const OptionGroup traffic(command, "Traffic");
  traffic.add("--flits", options.flits, "M", "length of a message");
  traffic.add("--loads", options.loads, "LIST", "flits a cycle from each node: 0.01,0.02 or 0.01:0.05:0.01");
  traffic.add("--fractions", options.fractions, "LIST",
              "of the saturation load, instead: 0.1,0.5 or 10%:90%:10% (the default)");
}

WormholeQuestion read_wormhole(const WormholeOptions& options) {
  WormholeQuestion question;
  if (options.place.network)
    read_own(options, question);
  else
    read_topology(options, question);
  question.flits = parse_integer(required(options.flits, "--flits", "given: flits of a message"), "--flits",
                                 1, 1'000'000'000);
  question.offered = read_offered(options.loads, options.fractions, flit_loads);
  return question;
}

network::ChannelGraph channel_graph(const WormholeQuestion& question) {
  if (question.own) return network::walk_graph(*question.own, question.own->traffic());
  if (question.topology == WormholeTopology::butterfly_fat_tree)
    return network::fat_tree_classes(question.dimensions, question.variant);
  return network::cube_graph(cube_of(question));
}

std::shared_ptr<const network::WormNetwork> worm_network(const WormholeQuestion& question,
                                                         const std::optional<std::string>& virtual_channels) {
  if (question.own) {
    if (virtual_channels)
      throw InvalidArgument("--virtual-channels", *virtual_channels,
                            "left out with --network: the file says it");
    return question.own;
  }
  if (question.topology == WormholeTopology::butterfly_fat_tree) {
    if (virtual_channels && *virtual_channels != "1")
      throw InvalidArgument("--virtual-channels", *virtual_channels,
                            "1 (or left out) in a butterfly fat-tree");
    if (question.dimensions > 9)
      throw InvalidArgument("--nodes", std::to_string(question.nodes), "at most 262144 in a simulation");
    return network::make_fat_tree_worms(question.dimensions);
  }
  const network::Cube cube = cube_of(question);
  int channels = *usual_virtual_channels(question);
  if (virtual_channels) {
    channels = static_cast<int>(parse_integer(*virtual_channels, "--virtual-channels", 1, 64));
    if (cube.links != network::CubeLinks::mesh && channels > 1 && channels % 2 != 0)
      throw InvalidArgument("--virtual-channels", *virtual_channels, "1 or an even number in a torus");
  }
  return network::make_cube_worms(cube, channels);
}

std::optional<int> usual_virtual_channels(const WormholeQuestion& question) {
  if (question.own) return std::nullopt;
  if (question.topology == WormholeTopology::butterfly_fat_tree) return 1;
  return network::usual_virtual_channels(cube_of(question));
}

Json inputs_json(const WormholeQuestion& question) {
  Json inputs;
  if (question.own)
    describe_place(inputs, question.place);
  else
    inputs["topology"] = name(question.topology);
  inputs["nodes"] = question.nodes;
  if (question.topology == WormholeTopology::butterfly_fat_tree)
    inputs["variant"] = question.variant == FatTreeVariant::paper ? "paper" : "conditional";
  else if (!question.own)
    inputs["dimensions"] = question.dimensions;
  inputs["flits"] = question.flits;
  describe_offered(inputs, question.offered, flit_loads);
  return inputs;
}

}  // namespace tailbound::cli
