#include <cli/commands/delays/fabric_delays.hpp>
#include <cli/commands/delays/topology_options.hpp>
#include <cli/options/files.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

namespace tailbound::cli {
namespace {

using network::FileUse;
using network::RouteRule;
using network::Tree;
using numeric::Rational;

}  // namespace

std::optional<RouteRule> read_route(const TopologyOptions& options) {
  return options.route ? std::optional(parse_route(*options.route)) : std::nullopt;
}

RouteRule parse_route(const std::string& name) {
  return choice_of<RouteRule>(name, "--route");
}

void add_topology_options(OptionTable& table, TopologyOptions& options) {
  const OptionGroup tree(table, "Tree with uniform traffic");
  tree.add(
      "--radix", options.radix, "K",
      "ports down and ports up: 16 for a 32-port switch.\n16 ports down, 16 up; network fat-tree --radix "
      "counts all ports",
      slider(2, 64, 1));
  tree.add("--levels", options.levels, "N", "levels of switches; the tree has K^N hosts", slider(1, 6, 1));
  tree.add("--load", options.load, "R", "packets per slot of each host: 0.8 or 80%", load_slider());
  tree.add(
      "--routing", options.routing, "NAME",
      "random-root or nearest-ancestor.\nDefault random-root: every packet goes up to a random switch of "
      "the top level, also between two hosts of one switch. nearest-ancestor: up only to the first level "
      "from which the destination can be reached",
      choices<network::TreeRouting>());
  add_network_options(table, options);
  const OptionGroup network(table, "Network");
  network.add("--uniform", options.uniform, "LIST",
              "packets per slot of each host, to all other hosts.\nEqually to each host that it can reach",
              load_slider());
  network.add("--load-scale", options.load_scale, "LIST", "factors of all rates", slider(0.05, 2, 0.05));
  network.add("--without", options.without, "LIST",
              "failures: switches, links \"a -> b\", \"3 random\".\nWith a seed: \"3 random 7\"");
}

void add_network_options(OptionTable& table, TopologyOptions& options) {
  const OptionGroup network(table, "Network");
  network.add("--network", options.network, "FILE",
              "network file: TOML, GraphML, GML, DOT, edge list.\nTOML defines hosts, switches, links and "
              "flows; files of BookSim, HPCC and htsim too");
  network.add("--matrix", options.matrix, "FILE",
              "traffic matrix: CSV with the packets per slot.\nAs spreadsheets, pandas and others write it");
  network.add(
      "--route", options.route, "NAME",
      "routes: shortest, spread, minimal or valiant.\nDefault that of the file, or shortest; spread over all "
      "shortest paths; of a "
      "dragonfly minimal (one link between two groups of switches) or valiant (through a third group)",
      choices<RouteRule>());
}

void require_one_topology(const TopologyOptions& options) {
  struct Use {
    const char* name;
    const std::optional<std::string>* value;
    bool of_tree, needed;
  };
  const Use uses[] = {
      {"--radix", &options.radix, true, true},       {"--levels", &options.levels, true, true},
      {"--load", &options.load, true, true},         {"--routing", &options.routing, true, false},
      {"--matrix", &options.matrix, false, false},   {"--route", &options.route, false, false},
      {"--uniform", &options.uniform, false, false}, {"--load-scale", &options.load_scale, false, false},
      {"--without", &options.without, false, false}};
  for (const Use& use : uses) {
    if (*use.value && options.network && use.of_tree)
      throw not_allowed_with(use.name, "--network", "the network file defines it");
    if (*use.value && !options.network && !use.of_tree) throw needs(use.name, "--network FILE");
  }
  for (const Use& use : uses)
    if (!options.network && use.needed && !*use.value)
      throw missing(use.name,
                    "a tree needs --radix K --levels N --load R, for example --radix 16 --levels 3 --load "
                    "0.8; any other network needs --network FILE");
}

std::vector<answers::TreeTopology> read_trees(const TopologyOptions& options, const BurstOptions& bursts) {
  using network::TreeRouting;
  const std::vector<TreeRouting> its_routings = choices_or_first<TreeRouting>(options.routing, "--routing");
  const std::vector<numeric::Rational> loads = parse_percent_list(*options.load, "--load");
  std::size_t bursts_of_each = 0;
  std::vector<std::vector<std::optional<traffic::Burst>>> bursts_at;  // by load, since they depend on it
  for (const numeric::Rational& load : loads) {
    bursts_at.push_back(read_bursts(bursts, load));
    bursts_of_each = bursts_at.back().size();
  }
  std::vector<answers::TreeTopology> trees;
  for (const std::int64_t radix : parse_integers(*options.radix, "--radix", Tree::min_radix, Tree::max_radix))
    for (const std::int64_t levels : parse_integers(*options.levels, "--levels", 1, Tree::max_levels))
      for (const network::TreeRouting routing : its_routings)
        for (const traffic::Destination destination :
             read_destinations(bursts.destination, bursts.burst.has_value()))
          for (std::size_t burst = 0; burst < bursts_of_each; ++burst)
            for (std::size_t load = 0; load < loads.size(); ++load)
              trees.push_back({.tree = {radix, static_cast<int>(levels)},
                               .load = loads[load],
                               .routing = routing,
                               .burst = bursts_at[load][burst],
                               .destination = destination});
  return trees;
}

answers::NetworkTopology read_network(const TopologyOptions& options, network::FileUse use) {
  const answers::NamedText file{*options.network, read_file(*options.network, "--network")};
  const std::vector<std::string> without = read_failures(options);
  if (options.matrix)
    return answers::read_network(file, {*options.matrix, read_file(*options.matrix, "--matrix")},
                                 read_route(options), use, without);
  if (options.route) throw needs("--route", "--matrix FILE");
  return answers::read_network(file, read_named, use, without);
}

void take_speed(answers::Units& units, const network::Network& network) {
  if (!units.packet_bytes || !network.gbps) return;
  if (units.link_gbps && *units.link_gbps != *network.gbps)
    throw InvalidArgument(
        "--link-gbps", numeric::plain(*units.link_gbps),
        "omitted: in this network one packet per slot is " + numeric::plain(*network.gbps) + " Gbit/s");
  units.link_gbps = network.gbps;
}

std::vector<std::string> read_failures(const TopologyOptions& options) {
  return options.without ? network::failures_of(*options.without) : std::vector<std::string>();
}

answers::Loads read_loads(const TopologyOptions& options) {
  answers::Loads loads;
  if (options.uniform) loads.uniform = parse_percent_list(*options.uniform, "--uniform");
  if (options.load_scale) loads.load_scale = parse_percent_list(*options.load_scale, "--load-scale");
  return loads;
}

std::vector<answers::NetworkTopology> read_networks(const TopologyOptions& options,
                                                    answers::Overload overload) {
  const answers::Loads loads = read_loads(options);
  if (!options.uniform) return answers::at_loads(read_network(options), loads, overload);
  if (options.matrix) throw not_allowed_with("--uniform", "--matrix", "each defines all flows");
  const answers::NamedText file{*options.network, read_file(*options.network, "--network")};
  return answers::at_loads(answers::read_uniform_network(file, read_route(options), read_failures(options)),
                           loads, overload);
}

}  // namespace tailbound::cli
