#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/option_group.hpp>
#include <cli/place_options.hpp>
#include <cli/read_file.hpp>
#include <cli/traffic_options.hpp>

#include <filesystem>

namespace tailbound::cli {

void add_place_options(CLI::App& command, PlaceOptions& options) {
  const OptionGroup tree(command, "A tree under uniform traffic");
  tree.add("--radix", options.radix, "K", "links of a switch in each direction");
  tree.add("--levels", options.levels, "N", "levels of switches: K^N leaves");
  tree.add("--load", options.load, "R", "packets a slot that each leaf sends");
  tree.add("--routing", options.routing, "NAME",
           "random-root (always up to the top, the default) or nearest-ancestor");
  add_network_options(command, options);
}

void add_network_options(CLI::App& command, PlaceOptions& options) {
  const OptionGroup network(command, "Any network");
  network.add("--network", options.network, "FILE", "a TOML file: hosts, switches, links, flows");
  network.add("--matrix", options.matrix, "FILE", "flows from a traffic matrix, a CSV file");
  network.add("--route", options.route, "NAME",
              "of the matrix' flows: shortest (the default) or spread (over all shortest)");
}

void require_one_place(const PlaceOptions& options) {
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

TreePlace read_tree_place(const PlaceOptions& options) {
  TreePlace place;
  place.tree = {parse_integer(*options.radix, "--radix", 2, 1024),
                static_cast<int>(parse_integer(*options.levels, "--levels", 1, 16))};
  place.load = numeric::parse_rational(*options.load, "--load");
  const bool nearest = options.routing &&
                       parse_choice(*options.routing, "--routing", {"random-root", "nearest-ancestor"}) == 1;
  place.routing = nearest ? network::TreeRouting::nearest_ancestor : network::TreeRouting::random_root;
  place.title = fmt::format("{}-ary {}-tree at load {}, {} routing", place.tree.radix, place.tree.levels,
                            plain(place.load), nearest ? "nearest-ancestor" : "random-root");
  return place;
}

network::Network read_network_place(const PlaceOptions& options, network::FileUse use) {
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
  return file.network;
}

void describe_place(Json& inputs, const PlaceOptions& options) {
  if (options.network) {
    inputs["network"] = *options.network;
    if (options.matrix) inputs["matrix"] = *options.matrix;
    return;
  }
  inputs["radix"] = parse_integer(*options.radix, "--radix", 2, 1024);
  inputs["levels"] = parse_integer(*options.levels, "--levels", 1, 16);
  inputs["load"] = numeric::to_fraction(numeric::parse_rational(*options.load, "--load"));
  inputs["routing"] = options.routing.value_or("random-root");
}

}  // namespace tailbound::cli
