#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/option_group.hpp>
#include <cli/read_file.hpp>
#include <cli/shares.hpp>
#include <cli/topology_options.hpp>
#include <cli/traffic_options.hpp>

#include <filesystem>

namespace tailbound::cli {
namespace {

using network::Tree;

constexpr const char* routings[] = {"random-root", "nearest-ancestor"};

const char* name(network::TreeRouting routing) {
  return routings[routing == network::TreeRouting::nearest_ancestor ? 1 : 0];
}

}  // namespace

void add_topology_options(CLI::App& command, TopologyOptions& options) {
  const OptionGroup tree(command, "A tree under uniform traffic");
  tree.add("--radix", options.radix, "K", "links of a switch in each direction");
  tree.add("--levels", options.levels, "N", "levels of switches: K^N leaves");
  tree.add("--load", options.load, "R", "packets a slot that each leaf sends");
  tree.add("--routing", options.routing, "NAME",
           "random-root (always up to the top, the default) or nearest-ancestor");
  add_network_options(command, options);
}

void add_network_options(CLI::App& command, TopologyOptions& options) {
  const OptionGroup network(command, "Any network");
  network.add("--network", options.network, "FILE", "a TOML file: hosts, switches, links, flows");
  network.add("--matrix", options.matrix, "FILE", "flows from a traffic matrix, a CSV file");
  network.add("--route", options.route, "NAME",
              "of the matrix' flows: shortest (the default) or spread (over all shortest)");
}

void require_one_topology(const TopologyOptions& options) {
  struct Use {
    const char* name;
    const std::optional<std::string>* value;
    bool of_tree, needed;
  };
  const Use uses[] = {
      {"--radix", &options.radix, true, true},     {"--levels", &options.levels, true, true},
      {"--load", &options.load, true, true},       {"--routing", &options.routing, true, false},
      {"--matrix", &options.matrix, false, false}, {"--route", &options.route, false, false}};
  for (const Use& use : uses) {
    if (*use.value && options.network && use.of_tree)
      throw InvalidArgument(use.name, "given together with --network", "left out: the file says it");
    if (*use.value && !options.network && !use.of_tree)
      throw InvalidArgument(use.name, "given without --network", "given with --network FILE");
  }
  for (const Use& use : uses)
    if (!options.network && use.needed && !*use.value)
      throw InvalidArgument(
          use.name, "missing",
          "given: a tree needs --radix K --levels N --load R (any other network: --network FILE)");
}

answers::TreeTopology read_tree(const TopologyOptions& options, const BurstOptions& bursts) {
  answers::TreeTopology topology;
  topology.tree = {parse_integer(*options.radix, "--radix", Tree::least_radix, Tree::most_radix),
                   static_cast<int>(parse_integer(*options.levels, "--levels", 1, Tree::most_levels))};
  topology.load = parse_share(*options.load, "--load");
  const bool nearest =
      options.routing && parse_choice(*options.routing, "--routing", {routings[0], routings[1]}) == 1;
  topology.routing = nearest ? network::TreeRouting::nearest_ancestor : network::TreeRouting::random_root;
  topology.burst = read_burst(bursts, topology.load, *options.load);
  return topology;
}

std::vector<answers::TreeTopology> read_trees(const TopologyOptions& options, const BurstOptions& bursts) {
  std::vector<network::TreeRouting> its_routings{network::TreeRouting::random_root};
  if (options.routing) {
    its_routings.clear();
    for (const std::size_t choice : parse_choices(*options.routing, "--routing", {routings[0], routings[1]}))
      its_routings.push_back(choice == 1 ? network::TreeRouting::nearest_ancestor
                                         : network::TreeRouting::random_root);
  }
  const std::vector<numeric::Rational> loads = parse_percent_list(*options.load, "--load");
  std::size_t bursts_of_each = 0;
  std::vector<std::vector<std::optional<traffic::Burst>>> bursts_at;  // by the load, as they depend on it
  for (const numeric::Rational& load : loads) {
    bursts_at.push_back(read_bursts(bursts, load, is_list(options.load) ? plain(load) : *options.load));
    bursts_of_each = bursts_at.back().size();
  }
  std::vector<answers::TreeTopology> trees;
  for (const std::int64_t radix :
       parse_integers(*options.radix, "--radix", Tree::least_radix, Tree::most_radix))
    for (const std::int64_t levels : parse_integers(*options.levels, "--levels", 1, Tree::most_levels))
      for (const network::TreeRouting routing : its_routings)
        for (std::size_t burst = 0; burst < bursts_of_each; ++burst)
          for (std::size_t load = 0; load < loads.size(); ++load)
            trees.push_back({.tree = {radix, static_cast<int>(levels)},
                             .load = loads[load],
                             .routing = routing,
                             .burst = bursts_at[load][burst]});
  return trees;
}

answers::NetworkTopology read_network(const TopologyOptions& options, network::FileUse use) {
  network::NetworkFile file =
      network::read_network(read_file(*options.network, "--network"), *options.network, use);
  static const std::vector<std::string> routes{"shortest", "spread"};
  if (options.matrix) {
    const auto rule = options.route && parse_choice(*options.route, "--route", routes) == 1
                          ? network::RouteRule::spread
                          : network::RouteRule::shortest;
    network::add_traffic_matrix(file.network, read_file(*options.matrix, "--matrix"), *options.matrix, rule);
  } else if (options.route) {
    throw InvalidArgument("--route", "given without --matrix", "given with --matrix FILE");
  } else if (file.matrix) {
    // Beside the network file, as it is written there.
    const std::string path =
        (std::filesystem::path(*options.network).parent_path() / file.matrix->file).string();
    network::add_traffic_matrix(file.network, read_file(path, "traffic matrix of the network file"), path,
                                file.matrix->route);
  }
  return {.network = std::move(file.network), .file = *options.network, .matrix = options.matrix};
}

std::string in_words(const answers::TreeTopology& tree) {
  return fmt::format("{}-ary {}-tree at load {}, {} routing{}", tree.tree.radix, tree.tree.levels,
                     plain(tree.load), name(tree.routing), burst_in_words(tree.burst));
}

std::string in_words(const answers::Topology& topology) {
  if (const auto* network = std::get_if<answers::NetworkTopology>(&topology)) return network->name();
  return in_words(std::get<answers::TreeTopology>(topology));
}

void describe_topology(Json& inputs, const answers::Topology& topology) {
  if (const auto* network = std::get_if<answers::NetworkTopology>(&topology)) {
    inputs["network"] = network->file;
    if (network->matrix) inputs["matrix"] = *network->matrix;
    return;
  }
  const auto& tree = std::get<answers::TreeTopology>(topology);
  inputs["radix"] = tree.tree.radix;
  inputs["levels"] = tree.tree.levels;
  inputs["load"] = numeric::to_fraction(tree.load);
  inputs["routing"] = name(tree.routing);
}

}  // namespace tailbound::cli
