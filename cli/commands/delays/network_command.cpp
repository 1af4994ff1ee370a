#include <cli/commands.hpp>
#include <cli/commands/delays/topology_options.hpp>
#include <cli/options/files.hpp>
#include <cli/options/number_options.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/network/generated_network.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

constexpr int maximum = std::numeric_limits<int>::max();

/// As typed; empty if not given.
struct Options {
  std::optional<std::string> shape, file, radix, levels, leaves, spines, uplink_rate, sides, routers, wires,
      groups, prime, switches, degree, seed, hosts, uniform, route, without, shared_memory;
};

using Given = std::vector<std::pair<const char*, const std::optional<std::string>*>>;

/// Reads the parameters of one shape, and rejects those of others.
class Numbers {
 public:
  explicit Numbers(const Options& options)
      : all_{{"--radix", &options.radix},
             {"--levels", &options.levels},
             {"--leaves", &options.leaves},
             {"--spines", &options.spines},
             {"--uplink-rate", &options.uplink_rate},
             {"--sides", &options.sides},
             {"--routers", &options.routers},
             {"--wires", &options.wires},
             {"--groups", &options.groups},
             {"--prime", &options.prime},
             {"--switches", &options.switches},
             {"--degree", &options.degree},
             {"--seed", &options.seed},
             {"--hosts", &options.hosts}} {}

  void read(const char* option, int& value) {
    if (const auto& text = take(option)) value = static_cast<int>(parse_integer(*text, option, 0, maximum));
  }
  void read(const char* option, std::optional<int>& value) {
    if (const auto& text = take(option)) value = static_cast<int>(parse_integer(*text, option, 0, maximum));
  }
  void read(const char* option, std::uint64_t& value) {
    if (const auto& text = take(option))
      value = static_cast<std::uint64_t>(
          parse_integer(*text, option, 0, std::numeric_limits<std::int64_t>::max()));
  }
  void read(const char* option, std::vector<int>& values) {
    const auto& text = take(option);
    if (!text) return;
    values.clear();
    for (const std::int64_t value : parse_integers(*text, option, 0, maximum))
      values.push_back(static_cast<int>(value));
  }
  void reject_others(const std::string& shape) const {
    for (const auto& [option, text] : all_)
      if (*text) throw not_allowed_with(option, shape, "it belongs to other networks");
  }

 private:
  const std::optional<std::string>& take(const char* option) {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const auto& each) { return std::string_view(each.first) == option; });
    const std::optional<std::string>& text = *found->second;
    all_.erase(found);
    return text;
  }

  Given all_;
};

template <class Grid>
network::FabricShape read_grid(Numbers& numbers) {
  Grid its;
  numbers.read("--sides", its.sides);
  numbers.read("--hosts", its.hosts);
  return its;
}

network::FabricShape read_fat_tree(Numbers& numbers) {
  network::FatTree its;
  numbers.read("--radix", its.radix);
  numbers.read("--levels", its.levels);
  return its;
}

network::FabricShape read_leaf_spine(Numbers& numbers) {
  network::LeafSpine its;
  numbers.read("--leaves", its.leaves);
  numbers.read("--spines", its.spines);
  numbers.read("--hosts", its.hosts);
  numbers.read("--uplink-rate", its.uplink_rate);
  return its;
}

network::FabricShape read_dragonfly(Numbers& numbers) {
  network::Dragonfly its;
  numbers.read("--routers", its.routers);
  numbers.read("--hosts", its.hosts);
  numbers.read("--wires", its.wires);
  its.groups = static_cast<int>(std::min<std::int64_t>(std::int64_t{its.routers} * its.wires + 1, maximum));
  numbers.read("--groups", its.groups);
  return its;
}

network::FabricShape read_slimfly(Numbers& numbers) {
  network::SlimFly its;
  numbers.read("--prime", its.prime);
  numbers.read("--hosts", its.hosts);
  return its;
}

network::FabricShape read_jellyfish(Numbers& numbers) {
  network::Jellyfish its;
  numbers.read("--switches", its.switches);
  numbers.read("--degree", its.degree);
  numbers.read("--hosts", its.hosts);
  numbers.read("--seed", its.seed);
  return its;
}

using ReadShape = network::FabricShape (*)(Numbers&);

const Meanings<ReadShape>& shapes() {
  static const Meanings<ReadShape> all{
      {network::FatTree::name, read_fat_tree},           {network::LeafSpine::name, read_leaf_spine},
      {network::Torus::name, read_grid<network::Torus>}, {network::HyperX::name, read_grid<network::HyperX>},
      {network::Dragonfly::name, read_dragonfly},        {network::SlimFly::name, read_slimfly},
      {network::Jellyfish::name, read_jellyfish}};
  return all;
}

constexpr const char* import = "import";

std::vector<std::string> shape_names() {
  std::vector<std::string> names = meaning_names(shapes());
  names.emplace_back(import);
  return names;
}

network::FabricShape read_shape(const Options& options) {
  Numbers numbers(options);
  if (options.file) throw not_allowed_with("FILE", *options.shape, "only import reads a file");
  const network::FabricShape shape = choice_of(*options.shape, "SHAPE", shapes())(numbers);
  numbers.reject_others(*options.shape);
  return shape;
}

Reply answer(const Options& options, const Context&) {
  if (!options.shape) throw missing("SHAPE", "one of " + fmt::format("{}", fmt::join(shape_names(), ", ")));
  answers::GeneratedNetworkQuery query{.shape = {}, .traffic = network::FabricTraffic{}};
  static_cast<void>(parse_choice(*options.shape, "SHAPE", shape_names()));
  if (*options.shape == import) {
    if (!options.file) throw missing("FILE", "tailbound network import FILE");
    Numbers(options).reject_others(import);
    query.imported = {*options.file, read_file(*options.file, "FILE")};
    if (!options.uniform && !options.route) query.traffic.reset();
  } else {
    query.shape = read_shape(options);
  }
  if (options.uniform) {
    if (!query.traffic) query.traffic = network::FabricTraffic{};
    query.traffic->uniform = numeric::parse_rational(*options.uniform, "--uniform");
    if (query.traffic->uniform < 0 || query.traffic->uniform > 1)
      throw InvalidArgument("--uniform", *options.uniform,
                            "from 0 (no traffic in the file) to 1 packet per slot");
  }
  if (options.route) query.traffic->route = parse_route(*options.route);
  if (query.traffic && query.traffic->uniform == 0) query.traffic.reset();
  if (options.without) query.without = network::failures_of(*options.without);
  query.shared_memory = options.shared_memory;
  const answers::GeneratedNetworkAnswer found = answers::answer(query);
  return {.document = render::document(query, found), .text = found.file};
}

void declare(OptionTable& table, Options& options) {
  const OptionGroup query(table, "");
  query.add("SHAPE", options.shape, "",
            "fat-tree, torus, dragonfly, ..., or import.\n" + in_words(shape_names()),
            {.choices = shape_names()});
  table.options.back().required = true;
  query.add("FILE", options.file, "",
            "with import: file of a network of another program.\nGraphML, GML, DOT, edge lists, anynet of "
            "BookSim, topologies of HPCC and htsim");
  const OptionGroup sizes(table, "Sizes");
  sizes.add("--radix", options.radix, "K",
            "fat-tree: ports of a switch, even (default 4).\nHalf are down, half up (delay --radix counts "
            "one side)",
            slider(4, 64, 2));
  sizes.add("--levels", options.levels, "N", "fat-tree: levels, 2 or 3 (default 3)", slider(2, 3, 1));
  sizes.add("--leaves", options.leaves, "N", "leaf-spine: leaves (default 4)");
  sizes.add("--spines", options.spines, "N", "leaf-spine: spines (default 2)");
  sizes.add("--uplink-rate", options.uplink_rate, "C",
            "leaf-spine: packets per slot of an uplink (default 1)");
  sizes.add("--sides", options.sides, "LIST", "torus, hyperx: switches per dimension (default 4,4)");
  sizes.add("--routers", options.routers, "A", "dragonfly: switches per group (default 4)");
  sizes.add("--wires", options.wires, "H", "dragonfly: global links per switch (default 2)");
  sizes.add("--groups", options.groups, "G", "dragonfly: groups (default A H + 1)");
  sizes.add("--prime", options.prime, "Q", "slimfly: 2 Q^2 switches, Q a prime power (default 5)");
  sizes.add("--switches", options.switches, "N", "jellyfish: switches (default 20)");
  sizes.add("--degree", options.degree, "R", "jellyfish: links per switch to others (default 4)");
  sizes.add("--seed", options.seed, "S", "jellyfish: seed of the random graph (default 1)");
  sizes.add("--hosts", options.hosts, "N",
            "hosts per switch; not of a fat-tree.\nDefaults: leaf-spine 4 per leaf; hyperx, jellyfish 4; "
            "dragonfly 2; torus 1; slimfly half of its links");
  const OptionGroup traffic(table, "Traffic");
  traffic.add(
      "--uniform", options.uniform, "R",
      "packets per slot of each host (default 0.5).\nEqually to each other host; 0: no traffic in the file",
      load_slider());
  traffic.add("--route", options.route, "NAME",
              "routes: spread, shortest, minimal or valiant.\nDefault spread, over all shortest paths; of a "
              "dragonfly minimal (local, global, local) or valiant",
              choices<network::RouteRule>());
  OptionGroup(table, "Memory")
      .add("--shared-memory", options.shared_memory, "LIST",
           "switches whose queues share one memory.\nall, or names such as \"leaf[0..3], spine0\"");
  OptionGroup(table, "Failures")
      .add("--without", options.without, "LIST", "failures: switches, links \"a -> b\", \"3 random\" links");
}

}  // namespace

Command network_command() {
  return command_of<Options>({.name = "network",
                              .purpose = "network files: fat-tree, dragonfly, torus and others",
                              .work = Work::analysis,
                              .draws = true,
                              .declare = declare,
                              .answer = answer,
                              .layout = render::generated_network_layout,
                              .example = {{"SHAPE", "fat-tree"}, {"--radix", "4"}, {"--uniform", "0.4"}}});
}

}  // namespace tailbound::cli
