#include <cli/commands.hpp>
#include <cli/commands/delays/topology_options.hpp>
#include <cli/options/files.hpp>
#include <cli/options/names.hpp>
#include <cli/options/number_options.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/network/generated_network.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

namespace tailbound::cli {
namespace {

constexpr int maximum = std::numeric_limits<int>::max();

struct Options;
class Sizes;
/// Of one shape.
using ReadShape = network::FabricShape (*)(const Options&, Sizes&);
/// Null: import.
[[nodiscard]] Meanings<ReadShape> shapes();

Accepted<int> size(int usual) {
  return integer<int>(0, maximum).by_default(std::to_string(usual));
}
Accepted<numeric::Rational> uniform() {
  return number()
      .by_default(plain(network::FabricTraffic{}.uniform))
      .such_that([](const numeric::Rational& rate) { return rate >= 0 && rate <= 1; },
                 "from 0 (no traffic in the file) to 1 packet per slot");
}

struct Options {
  OptionTable rows{};
  OptionGroup query{rows, ""}, sizes{rows, "Sizes"}, traffic{rows, "Traffic"};
  One<ReadShape> shape{query, "SHAPE", "", one_name(shapes()).always(),
                       "fat-tree, torus, dragonfly, ..., or import.\n{names}"};
  Text file{query, "FILE", "", options::text().needed("tailbound network import FILE"),
            fmt::format("with import: file of a network of another program.\n{}", network::foreign_formats)};
  One<network::SpeedUnit> speed_unit{query, "--speed-unit", "UNIT", one_name<network::SpeedUnit>(),
                                     speed_unit_help};
  One<int> radix{sizes, "--radix", "K", size(network::FatTree{}.radix).slider(4, 64, 2),
                 "fat-tree: ports of a switch, even (default {}).\nHalf are down, half up (delay --radix "
                 "counts one side)"};
  One<int> levels{sizes, "--levels", "N", size(network::FatTree{}.levels).slider(2, 3, 1),
                  "fat-tree: levels, 2 or 3 (default {})"};
  One<int> leaves{sizes, "--leaves", "N", size(network::LeafSpine{}.leaves),
                  "leaf-spine: leaves (default {})"};
  One<int> spines{sizes, "--spines", "N", size(network::LeafSpine{}.spines),
                  "leaf-spine: spines (default {})"};
  Number uplink_rate{
      sizes, "--uplink-rate", "C",
      number()
          .by_default(plain(network::LeafSpine{}.uplink_rate))
          .must_be("above 0 and at most 128, a fraction whose numerator and denominator are at most 128"),
      "leaf-spine: packets per slot of an uplink (default {})"};
  List<int> sides{
      sizes, "--sides", "LIST",
      integers<int>(0, maximum).by_default(fmt::format("{}", fmt::join(network::Torus{}.sides, ","))),
      "mesh, torus, hyperx: switches per dimension (default {})"};
  One<int> routers{sizes, "--routers", "A", size(network::Dragonfly{}.routers),
                   "dragonfly: switches per group (default {})"};
  One<int> wires{sizes, "--wires", "H", size(network::Dragonfly{}.wires),
                 "dragonfly: global links per switch (default {})"};
  One<int> groups{sizes, "--groups", "G", integer<int>(0, maximum), "dragonfly: groups (default A H + 1)"};
  One<int> prime{sizes, "--prime", "Q", size(network::SlimFly{}.prime),
                 "slimfly: 2 Q^2 switches, Q a prime power (default {})"};
  One<int> switches{sizes, "--switches", "N", size(network::Jellyfish{}.switches),
                    "jellyfish: switches (default {})"};
  One<int> degree{sizes, "--degree", "R", size(network::Jellyfish{}.degree),
                  "jellyfish: links per switch to others (default {})"};
  One<std::uint64_t> seed{sizes, "--seed", "S", integer<std::uint64_t>(0).by_default("1"),
                          "jellyfish: seed of the random graph (default {})"};
  One<int> hosts{sizes, "--hosts", "N", integer<int>(0, maximum),
                 "hosts per switch; of a fat-tree in all.\nThe smallest fat-tree with so many, instead of "
                 "--radix. Defaults: leaf-spine 4 per leaf; hyperx, jellyfish 4; dragonfly 2; mesh, torus 1; "
                 "slimfly half of its links"};
  Number uniform{
      traffic, "--uniform", "R", cli::uniform().slider(0.01, 0.99, 0.01),
      "packets per slot of each host (default {}).\nEqually to each other host; 0: no traffic in the file"};
  One<network::RouteRule> route{
      traffic, "--route", "NAME", one_name<network::RouteRule>(),
      "routes: spread, ecmp, shortest, minimal or valiant.\nDefault spread, over "
      "all shortest paths; of a mesh shortest, dimension by dimension; ecmp: each "
      "flow on one of them; of a dragonfly minimal (local, global, local) or valiant"};
  Text shared_memory{OptionGroup(rows, "Memory"), "--shared-memory", "LIST",
                     "switches whose queues share one memory.\nall, or names such as \"leaf[0..3], spine0\""};
  Text without{OptionGroup(rows, "Failures"), "--without", "LIST",
               "failures: switches, links \"a -> b\", \"3 random\" links"};
};

/// Reads the sizes of one shape, and rejects those of others.
class Sizes {
 public:
  template <class Row, class Field>
  void read(const Row& row, Field& field) {
    of_shape_.insert(row.name());
    if (row) field = row.value();
  }
  void reject_others(const Options& options, const std::string& shape) const {
    for (const Option& option : options.rows.options)
      if (option.group == "Sizes" && option.given() && !of_shape_.contains(option.name))
        throw not_allowed_with(option.name, shape, "it belongs to other networks");
  }

 private:
  std::set<std::string> of_shape_;
};

template <class Grid>
network::FabricShape read_grid(const Options& options, Sizes& sizes) {
  Grid its;
  sizes.read(options.sides, its.sides);
  sizes.read(options.hosts, its.hosts);
  return its;
}

constexpr int most_ports = 128;

/// Of switches with so many ports, an even number.
std::int64_t hosts_of(const network::FatTree& tree) {
  std::int64_t hosts = 2;
  for (int level = 0; level < tree.levels; ++level) hosts *= tree.radix / 2;
  return hosts;
}

/// The minimum number of ports with at least that many hosts.
int ports_for(network::FatTree tree, const One<int>& hosts) {
  for (tree.radix = 2; tree.radix <= most_ports; tree.radix += 2)
    if (hosts_of(tree) >= hosts.value()) return tree.radix;
  tree.radix = most_ports;
  throw InvalidArgument(hosts.name(), hosts.text(),
                        fmt::format("at most {} for {} levels: switches have at most {} ports",
                                    hosts_of(tree), tree.levels, most_ports));
}

network::FabricShape read_fat_tree(const Options& options, Sizes& sizes) {
  network::FatTree its;
  int hosts = 0;
  sizes.read(options.radix, its.radix);
  sizes.read(options.levels, its.levels);
  sizes.read(options.hosts, hosts);
  if (!options.hosts) return its;
  if (options.radix) throw not_allowed_with("--radix", "--hosts", "each determines the size");
  if (hosts < 1) throw InvalidArgument("--hosts", std::to_string(hosts), "1 or more for a fat-tree");
  if (its.levels == 2 || its.levels == 3) its.radix = ports_for(its, options.hosts);
  return its;
}

network::FabricShape read_leaf_spine(const Options& options, Sizes& sizes) {
  network::LeafSpine its;
  sizes.read(options.leaves, its.leaves);
  sizes.read(options.spines, its.spines);
  sizes.read(options.hosts, its.hosts);
  sizes.read(options.uplink_rate, its.uplink_rate);
  return its;
}

network::FabricShape read_dragonfly(const Options& options, Sizes& sizes) {
  network::Dragonfly its;
  sizes.read(options.routers, its.routers);
  sizes.read(options.hosts, its.hosts);
  sizes.read(options.wires, its.wires);
  its.groups = static_cast<int>(std::min<std::int64_t>(std::int64_t{its.routers} * its.wires + 1, maximum));
  sizes.read(options.groups, its.groups);
  return its;
}

network::FabricShape read_slimfly(const Options& options, Sizes& sizes) {
  network::SlimFly its;
  sizes.read(options.prime, its.prime);
  sizes.read(options.hosts, its.hosts);
  return its;
}

network::FabricShape read_jellyfish(const Options& options, Sizes& sizes) {
  network::Jellyfish its;
  sizes.read(options.switches, its.switches);
  sizes.read(options.degree, its.degree);
  sizes.read(options.hosts, its.hosts);
  sizes.read(options.seed, its.seed);
  return its;
}

Meanings<ReadShape> shapes() {
  return {{network::FatTree::name, read_fat_tree},
          {network::LeafSpine::name, read_leaf_spine},
          {network::Mesh::name, read_grid<network::Mesh>},
          {network::Torus::name, read_grid<network::Torus>},
          {network::HyperX::name, read_grid<network::HyperX>},
          {network::Dragonfly::name, read_dragonfly},
          {network::SlimFly::name, read_slimfly},
          {network::Jellyfish::name, read_jellyfish},
          {"import", nullptr}};
}

Reply answer(const Options& options, const Context&) {
  answers::GeneratedNetworkQuery query{.shape = {}, .traffic = network::FabricTraffic{}};
  const ReadShape read_shape = options.shape.value();
  Sizes sizes;
  if (read_shape == nullptr) {
    const std::string file = options.file.value();
    sizes.reject_others(options, options.shape.text());
    query.imported = {file, read_file(file, "FILE")};
    query.speed_unit = options.speed_unit.if_given();
    if (!options.uniform && !options.route) query.traffic.reset();
  } else {
    if (options.file) throw not_allowed_with("FILE", options.shape.text(), "only import reads a file");
    reject_with({&options.speed_unit}, options.shape.text(), "only import reads speeds");
    query.shape = read_shape(options, sizes);
    query.traffic->route = network::default_route_of(query.shape);
    sizes.reject_others(options, options.shape.text());
  }
  if (options.uniform) {
    if (!query.traffic) query.traffic = network::FabricTraffic{};
    query.traffic->uniform = options.uniform.value();
  }
  if (options.route) query.traffic->route = options.route.value();
  if (query.traffic && query.traffic->uniform == 0) query.traffic.reset();
  if (options.without) query.without = network::failures_of(options.without.text());
  query.shared_memory = options.shared_memory.if_given();
  const answers::GeneratedNetworkAnswer found = answers::answer(query);
  keep_names(found.network);
  return {.document = render::document(query, found), .text = found.file};
}

}  // namespace

Command network_command() {
  return command_of<Options>({.name = "network",
                              .purpose = "network files: fat-tree, dragonfly, mesh and others",
                              .work = Work::analysis,
                              .draws = true,
                              .answer = answer,
                              .layout = render::generated_network_layout,
                              .example = {{"SHAPE", "fat-tree"}, {"--radix", "4"}, {"--uniform", "0.4"}}});
}

}  // namespace tailbound::cli
