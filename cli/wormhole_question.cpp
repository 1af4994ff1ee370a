#include <fmt/format.h>
#include <cli/traffic_options.hpp>
#include <cli/wormhole_question.hpp>

#include <tailbound/answers/worm_sizes.hpp>
#include <tailbound/render/documents/worm_network.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::OwnWormNetwork;
using network::FatTreeVariant;
using network::WormShape;
using network::WormTopology;

using render::shape_names;

const std::string& name(WormShape shape) {
  return shape_names()[static_cast<std::size_t>(shape)];
}

void refuse_file_options(const WormholeOptions& options) {
  for (const auto& [name, value] :
       {std::pair{"--matrix", &options.place.matrix}, {"--route", &options.place.route}})
    if (*value) throw InvalidArgument(name, "given without --network", "given with --network FILE");
}

/// One for each size, number of dimensions and variant.
void add_topologies(const WormholeOptions& options, WormShape shape,
                    std::vector<answers::WormholeNetwork>& all) {
  if (options.dimensions && !network::has_dimensions(shape))
    throw InvalidArgument("--dimensions", *options.dimensions,
                          "left out for a " + name(shape) + ": --nodes says it all");
  if (options.variant && shape != WormShape::butterfly_fat_tree)
    throw InvalidArgument("--variant", *options.variant,
                          "left out: only the butterfly fat-tree has variants");
  const std::string& nodes = required(options.nodes, "--nodes", "given: how many processors there are");
  const auto dimensions = integers_or(WormTopology{}.dimensions, options.dimensions, "--dimensions", 1,
                                      network::most_dimensions(shape));
  std::vector<std::size_t> variants{0};
  if (options.variant)
    variants = parse_choices(*options.variant, "--variant", render::fat_tree_variant_names());
  for (const answers::WormSize& size : answers::parse_worm_sizes(nodes, shape, name(shape))) {
    if (size.dimensions && options.dimensions)
      throw InvalidArgument("--dimensions", *options.dimensions, "left out: --nodes says it");
    for (const std::int64_t each : size.dimensions ? std::vector<std::int64_t>{*size.dimensions} : dimensions)
      for (const std::size_t variant : variants)
        for (const network::WormEnds& ends :
             read_worm_ends(options.ends, network::Ejection::one, network::has_ports(shape))) {
          const WormTopology topology{.shape = shape,
                                      .nodes = size.nodes,
                                      .dimensions = static_cast<int>(each),
                                      .variant = static_cast<FatTreeVariant>(variant),
                                      .ends = ends};
          network::check(topology);
          all.emplace_back(topology);
        }
  }
}

OwnWormNetwork read_own(const WormholeOptions& options) {
  const std::pair<const char*, const std::optional<std::string>*> others[] = {
      {"--topology", &options.topology},
      {"--nodes", &options.nodes},
      {"--dimensions", &options.dimensions},
      {"--variant", &options.variant},
      {"--virtual-channels", &options.virtual_channels},
      {"--injection", &options.ends.injection},
      {"--ejection", &options.ends.ejection}};
  for (const auto& [name, value] : others)
    if (*value) throw InvalidArgument(name, "given together with --network", "left out: the file says it");
  network::Network network = read_network(options.place, network::FileUse::worms).network;
  if (network.name.empty()) network.name = *options.place.network;
  return {.network = std::make_shared<network::RoutedWormNetwork>(network),
          .file = *options.place.network,
          .matrix = options.place.matrix};
}

}  // namespace

void add_wormhole_options(OptionTable& table, WormholeOptions& options) {
  const OptionGroup network(table, "Network");
  network.add("--topology", options.topology, "NAME",
              "butterfly-fat-tree, mesh, torus (one way round),\nbidirectional-torus or hypercube");
  network.add("--nodes", options.nodes, "N",
              "processors: a power of 4 (fat-tree), of 2 (hypercube),\nk^dimensions; or sides: 8x8");
  network.add("--dimensions", options.dimensions, "D", "of a mesh or torus (2)");
  network.add("--variant", options.variant, "NAME",
              "fat-tree: paper (as printed, the default) or conditional\n(flows conserved)");
  network.add("--virtual-channels", options.virtual_channels, "V",
              "of each link, which share its wire (1; tori 2)");
  add_worm_ends_options(table, options.ends, network::Ejection::one, false);
  add_network_options(table, options.place);
  const OptionGroup traffic(table, "Traffic");
  traffic.add("--flits", options.flits, "M", "length of a message");
  traffic.add("--loads", options.loads, "LIST", "flits a cycle from each node: 0.01,0.02 or 0.01:0.05:0.01");
  traffic.add("--fractions", options.fractions, "LIST",
              "of the saturation load, instead: 0.1,0.5 or 10%:90%:10% (the default)");
}

std::vector<answers::WormholeNetwork> read_wormhole_networks(const WormholeOptions& options) {
  if (options.place.network) return {read_own(options)};
  refuse_file_options(options);
  const std::string& shapes = required(options.topology, "--topology",
                                       "given: butterfly-fat-tree, mesh, torus, bidirectional-torus or "
                                       "hypercube (any other network: --network FILE)");
  std::vector<answers::WormholeNetwork> all;
  for (const std::size_t shape : parse_choices(shapes, "--topology", shape_names()))
    add_topologies(options, static_cast<WormShape>(shape), all);
  return all;
}

std::vector<std::optional<int>> read_virtual_channels(const WormholeOptions& options) {
  if (!options.virtual_channels) return {std::nullopt};
  std::vector<std::optional<int>> all;
  for (const std::int64_t channels : parse_integers(*options.virtual_channels, "--virtual-channels", 1, 64))
    all.emplace_back(static_cast<int>(channels));
  return all;
}

std::vector<std::int64_t> read_lengths(const WormholeOptions& options) {
  return parse_integers(required(options.flits, "--flits", "given: flits of a message"), "--flits", 1,
                        1'000'000'000);
}

OfferedLoads read_loads(const WormholeOptions& options, Fractions legal) {
  return read_offered(options.loads, options.fractions, flit_loads, legal);
}

}  // namespace tailbound::cli
