#include <cli/commands/delays/fabric_delays.hpp>
#include <cli/commands/delays/topology_options.hpp>
#include <cli/options/files.hpp>
#include <cli/options/names.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

namespace tailbound::cli {

void require_one_topology(const TopologyOptions& options) {
  if (options.file.network) {
    reject_with({&options.radix, &options.levels, &options.load, &options.routing}, "--network",
                "the network file defines it");
    return;
  }
  reject_without({&options.file.matrix, &options.file.route, &options.file.route_seed, &options.uniform,
                  &options.load_scale, &options.without, &options.speed_unit},
                 "--network FILE");
  for (const AnyRow* row :
       std::initializer_list<const AnyRow*>{&options.radix, &options.levels, &options.load})
    if (!row->given())
      throw missing(row->name(),
                    "a tree needs --radix K --levels N --load R, for example --radix 16 --levels 3 --load "
                    "0.8; any other network needs --network FILE");
}

std::vector<answers::TreeTopology> read_trees(const TopologyOptions& options, const BurstOptions& bursts) {
  const std::vector<network::TreeRouting> routings = options.routing.value();
  const std::vector<numeric::Rational> loads = options.load.value();
  std::size_t bursts_of_each = 0;
  std::vector<std::vector<std::optional<traffic::Burst>>> bursts_at;  // by load, since they depend on it
  for (const numeric::Rational& load : loads) {
    bursts_at.push_back(read_bursts(bursts, load));
    bursts_of_each = bursts_at.back().size();
  }
  const std::vector<int> all_levels = options.levels.value();
  std::vector<answers::TreeTopology> trees;
  for (const std::int64_t radix : options.radix.value())
    for (const int levels : all_levels)
      for (const network::TreeRouting routing : routings)
        for (const traffic::Destination destination :
             read_destinations(bursts.destination, bursts.burst.has_value()))
          for (std::size_t burst = 0; burst < bursts_of_each; ++burst)
            for (std::size_t load = 0; load < loads.size(); ++load)
              trees.push_back({.tree = {radix, levels},
                               .load = loads[load],
                               .routing = routing,
                               .burst = bursts_at[load][burst],
                               .destination = destination});
  return trees;
}

namespace {

/// Calls read(seed) for each seed, or once without.
template <class Read>
std::vector<answers::NetworkTopology> for_each_seed(const NetworkFileOptions& options, const Read& read) {
  std::vector<answers::NetworkTopology> networks;
  for (const std::optional<std::int64_t>& seed : options.route_seed.each())
    networks.push_back(
        read(seed ? std::optional(static_cast<std::uint64_t>(*seed)) : std::optional<std::uint64_t>()));
  if (!networks.empty()) keep_names(networks.front().network);
  return networks;
}

}  // namespace

std::vector<answers::NetworkTopology> read_seeded_networks(const NetworkFileOptions& options,
                                                           network::FileUse use,
                                                           const std::vector<std::string>& without,
                                                           std::optional<network::SpeedUnit> speed_unit) {
  const std::string& name = options.network.text();
  const answers::NamedText file{name, read_file(name, "--network")};
  if (!options.matrix) {
    reject_without({&options.route}, "--matrix FILE");
    return for_each_seed(options, [&](std::optional<std::uint64_t> seed) {
      return answers::read_network(file, read_named, use, without, seed, speed_unit);
    });
  }
  const answers::NamedText matrix{options.matrix.text(), read_file(options.matrix.text(), "--matrix")};
  return for_each_seed(options, [&](std::optional<std::uint64_t> seed) {
    return answers::read_network(file, matrix, options.route.if_given(), use, without, seed, speed_unit);
  });
}

void take_speed(answers::Units& units, const network::Network& network) {
  if (units.link_gbps && !network.gbps) units.link_gbps = *units.link_gbps * network.file_slots;
  if (!units.packet_bytes || !network.gbps) return;
  const numeric::Rational of_file = *network.gbps / network.file_slots;
  if (units.link_gbps && *units.link_gbps != of_file)
    throw InvalidArgument(
        "--link-gbps", numeric::plain(*units.link_gbps),
        "omitted: in this network one packet per slot is " + numeric::plain(of_file) + " Gbit/s");
  units.link_gbps = network.gbps;
}

std::vector<std::string> read_failures(const TopologyOptions& options) {
  return options.without ? network::failures_of(options.without.text()) : std::vector<std::string>();
}

answers::Loads read_loads(const TopologyOptions& options) {
  return {.uniform = options.uniform.if_given().value_or(Rationals()),
          .load_scale = options.load_scale.if_given().value_or(Rationals())};
}

namespace {

std::vector<answers::NetworkTopology> read_unscaled(const TopologyOptions& options,
                                                    const std::vector<std::string>& failures) {
  const std::optional<network::SpeedUnit> unit = options.speed_unit.if_given();
  if (!options.uniform) return read_seeded_networks(options.file, network::FileUse::packets, failures, unit);
  if (options.file.matrix) throw not_allowed_with("--uniform", "--matrix", "each defines all flows");
  const std::string& name = options.file.network.text();
  const answers::NamedText file{name, read_file(name, "--network")};
  return for_each_seed(options.file, [&](std::optional<std::uint64_t> seed) {
    return answers::read_uniform_network(file, options.file.route.if_given(), failures, seed, unit);
  });
}

}  // namespace

std::vector<answers::NetworkTopology> read_networks(const TopologyOptions& options,
                                                    answers::Overload overload) {
  const answers::Loads loads = read_loads(options);
  const std::vector<std::string> failures = read_failures(options);
  std::vector<answers::NetworkTopology> all;
  for (const answers::NetworkTopology& its : read_unscaled(options, failures))
    for (answers::NetworkTopology& each : answers::at_loads(its, loads, overload))
      all.push_back(std::move(each));
  return all;
}

}  // namespace tailbound::cli
