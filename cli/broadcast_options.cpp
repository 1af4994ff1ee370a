#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/broadcast_options.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/hypercube.hpp>

namespace tailbound::cli {
namespace {

using answers::Replication;
using numeric::Rational;

std::vector<Rational> read_broadcast_fractions(const std::string& text) {
  std::vector<Rational> fractions = parse_percent_list(text, "--broadcast");
  for (const Rational& fraction : fractions)
    if (fraction < 0 || fraction > 1)
      throw InvalidArgument("--broadcast", text, "from 0 to 1: the fraction of messages that are broadcasts");
  return fractions;
}

std::vector<Rational> read_startups(const std::optional<std::string>& text, const BroadcastLimits& limits) {
  if (!text) return {1};
  if (!limits.whole_cycles) {
    std::vector<Rational> startups = parse_list(*text, "--startup");
    for (const Rational& cycles : startups)
      if (cycles < 0 || cycles > Rational(static_cast<long>(limits.sizes.startup)))
        throw InvalidArgument("--startup", *text, "from 0 to 10^9 cycles");
    return startups;
  }
  std::vector<Rational> startups;
  for (const std::int64_t cycles : parse_integers(*text, "--startup", 0, limits.sizes.startup))
    startups.emplace_back(static_cast<long>(cycles));
  return startups;
}

const char* meaning(Replication replication) {
  switch (replication) {
    case Replication::literal:
      return "as published: about half of them";
    case Replication::shared_wire:
      return "another model of links, ports and trees: the best";
    case Replication::conserving:
      break;
  }
  return "each copy of a broadcast counts once, the default";
}

}  // namespace

void add_broadcast_options(OptionTable& table, BroadcastOptions& options, const BroadcastLimits& limits) {
  const OptionGroup network(table, "Network");
  network.add("--dimensions", options.dimensions, "N",
              fmt::format("of the hypercube: 2^N nodes, N from 1 to {}", limits.sizes.dimensions));
  network.add("--virtual-channels", options.virtual_channels, "V",
              limits.sizes.virtual_channels < network::modelled_hypercubes.virtual_channels
                  ? fmt::format("of each link, from 2 to {}", limits.sizes.virtual_channels)
                  : "of each link, at least 2");
  add_worm_ends_options(table, options.ends, network::Ejection::unlimited, true);
  const OptionGroup traffic(table, "Traffic");
  traffic.add("--flits", options.flits, "M", "length of a message");
  traffic.add("--broadcast", options.broadcast, "B", "fraction of messages that are broadcasts: 0.01 or 1%");
  traffic.add("--startup", options.startup, "D",
              limits.whole_cycles ? "cycles before each step of a broadcast, a whole number (1)"
                                  : "cycles before each step of a broadcast (1)");
  traffic.add("--rates", options.rates, "LIST",
              "messages a cycle from each node: 0.001,0.002 or\n0.001:0.01:0.001");
  traffic.add("--fractions", options.fractions, "LIST",
              limits.fractions == Fractions::any
                  ? "of the saturation rate of the model (variant conserving), instead:\n0.1,0.5 or "
                    "10%:90%:10% (the default); also above 1"
                  : "of the saturation rate, instead: 0.1,0.5 or 10%:90%:10% (the default)");
}

std::vector<answers::BroadcastHypercube> read_hypercubes(const BroadcastOptions& options,
                                                         const BroadcastLimits& limits) {
  const network::HypercubeLimits& sizes = limits.sizes;
  const auto dimensions =
      parse_integers(required(options.dimensions, "--dimensions",
                              fmt::format("given: from 1 to {}", sizes.dimensions).c_str()),
                     "--dimensions", 1, sizes.dimensions);
  const auto channels =
      parse_integers(required(options.virtual_channels, "--virtual-channels", "given: at least 2"),
                     "--virtual-channels", network::least_modelled_virtual_channels, sizes.virtual_channels);
  const auto flits = parse_integers(required(options.flits, "--flits", "given: flits of a message"),
                                    "--flits", 1, sizes.flits);
  const auto broadcasts = read_broadcast_fractions(
      required(options.broadcast, "--broadcast", "given: the fraction of messages that are broadcasts"));
  const auto startups = read_startups(options.startup, limits);
  const auto all_ends = read_worm_ends(options.ends, network::Ejection::unlimited, true);
  std::vector<answers::BroadcastHypercube> hypercubes;
  for (const std::int64_t n : dimensions)
    for (const std::int64_t v : channels)
      for (const network::WormEnds& ends : all_ends)
        for (const std::int64_t m : flits)
          for (const Rational& b : broadcasts)
            for (const Rational& startup : startups)
              hypercubes.push_back({.dimensions = static_cast<int>(n),
                                    .virtual_channels = v,
                                    .flits = m,
                                    .broadcast = b,
                                    .startup = startup,
                                    .ends = ends});
  return hypercubes;
}

OfferedLoads read_rates(const BroadcastOptions& options, const BroadcastLimits& limits) {
  return read_offered(options.rates, options.fractions, message_rates, limits.fractions);
}

void add_replication_option(OptionTable& table, std::optional<std::string>& replication) {
  std::string help;
  for (const Replication variant : answers::broadcast_variants)
    help += fmt::format("{}{} ({})", help.empty() ? "" : " or\n", render::replication_name(variant),
                        meaning(variant));
  OptionGroup(table, "Model").add("--replication", replication, "NAME", help);
}

std::vector<Replication> read_replications(const std::optional<std::string>& text) {
  if (!text) return {answers::broadcast_variants.front()};
  std::vector<std::string> names;
  for (const Replication variant : answers::broadcast_variants)
    names.emplace_back(render::replication_name(variant));
  std::vector<Replication> replications;
  for (const std::size_t choice : parse_choices(*text, "--replication", names))
    replications.push_back(answers::broadcast_variants[choice]);
  return replications;
}

}  // namespace tailbound::cli
