#include <tailbound/answers/network/network_input.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/channels/dateline_classes.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/mix/routed_mix.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace tailbound::answers {
namespace {

using network::FileUse;
using network::FlowsFrom;
using network::RouteRule;
using numeric::plain;
using numeric::Rational;

/// \throws InvalidArgument  too large: names the factor if there is one, otherwise the rate
void require_sendable(const std::optional<Rational>& uniform, const std::optional<Rational>& scale,
                      const ScaleLimit& limit) {
  const Rational rate = uniform.value_or(Rational(1));
  if (limit.allows(rate * scale.value_or(Rational(1)))) return;
  throw InvalidArgument(scale ? "load scale" : "uniform", plain(scale ? *scale : *uniform),
                        (limit.attained() ? "at most " : "below ") +
                            plain(scale ? Rational(limit.factor / rate) : limit.factor) + ", where " +
                            limit.in_words());
}

/// As a wormhole network file: bundled links become parallel physical channels of one link.
std::string worm_file(network::Network network) {
  std::vector<network::Link> links;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> place;
  for (network::Link& link : network.links) {
    link.rate = {};
    link.wire = 0;
    const auto [found, is_new] = place.try_emplace({link.from, link.to}, links.size());
    if (is_new)
      links.push_back(link);
    else
      ++links[found->second].rate.packets;
  }
  network.links = std::move(links);
  network.gbps.reset();
  return network::to_toml(network) + "\n[traffic]\nuniform = true\n";
}

/// Of any supported program.
network::NetworkFile read_file(const NamedText& file, FileUse use, FlowsFrom flows,
                               const std::vector<std::string>& without,
                               std::optional<std::uint64_t> route_seed,
                               std::optional<network::SpeedUnit> speed_unit) {
  std::optional<network::Network> foreign =
      foreign_network(file, without, {.unit = speed_unit, .speeds = use == FileUse::packets});
  if (!foreign) return network::read_network(file.text, file.name, use, flows, without, route_seed);
  if (route_seed) foreign->route_seed = *route_seed;
  if (use == FileUse::worms) {
    const std::vector<std::string> remarks = std::exchange(foreign->remarks, {});
    network::NetworkFile found =
        network::read_network(worm_file(*std::move(foreign)), file.name, use, flows, {}, route_seed);
    found.network.remarks.insert(found.network.remarks.begin(), remarks.begin(), remarks.end());
    return found;
  }
  if (flows == FlowsFrom::file)
    throw ParseError(
        file.name, 1, 1,
        "the file has no traffic: give --uniform R (packets per slot sent by each node) or --matrix FILE");
  return {.network = *std::move(foreign), .matrix = {}};
}

/// The route given instead of that of the file.
RouteRule route_of(const std::optional<RouteRule>& given, const network::NetworkFile& file) {
  return given ? *given : *file.route;
}

/// The flows of answers, and classes of virtual channels where messages could deadlock in one, unless the
/// file names these.
void finish_worms(network::NetworkFile& file, const std::string& name, FileUse use) {
  if (use != FileUse::worms) return;
  try {
    network::add_answer_flows(file.network);
  } catch (const InvalidArgument& error) {
    throw ParseError(name, 1, 1, error.what());
  }
  if (!file.has_classes) network::add_dateline_classes(file.network);
}

/// The file with that name as written in a network file.
std::string beside(const NamedText& file, const std::string& as_written) {
  return (std::filesystem::path(file.name).parent_path() / as_written).string();
}

/// The matrices of the classes of messages.
void add_class_matrices(network::NetworkFile& found, const NamedText& file, const ReadNamed& read) {
  for (const network::ClassMatrix& its : found.class_matrices) {
    const std::string path = beside(file, its.matrix.file);
    network::add_traffic_matrix(found.network, text_of_file(read, path), path, its.matrix.route,
                                its.message_class);
  }
}

/// With the seed only where routes depend on it. Packets: in slots of the slowest link with flows.
NetworkTopology topology_of(network::Network&& network, FileUse use, const NamedText& file,
                            const std::vector<std::string>& without,
                            const std::optional<std::uint64_t>& route_seed) {
  const auto rules = network::rules_of(network);
  const bool hashed = std::find(rules.begin(), rules.end(), RouteRule::ecmp) != rules.end();
  if (route_seed && !hashed)
    throw InvalidArgument("route-seed", std::to_string(*route_seed),
                          "omitted, or given for a network with routes by ecmp");
  if (use == FileUse::packets) network = network::in_own_slots(std::move(network));
  NetworkTopology topology{.network = std::move(network), .file = file.name, .without = without};
  if (hashed) topology.route_seed = topology.network.route_seed;
  return topology;
}

}  // namespace

std::optional<network::Network> foreign_network(const NamedText& file,
                                                const std::vector<std::string>& without,
                                                const network::ForeignReading& reading) {
  const auto format = network::foreign_format(file.text);
  if (!format && reading.unit)
    throw InvalidArgument("speed-unit", name_of(*reading.unit), "omitted: in a TOML file speeds have units");
  if (!format) return std::nullopt;
  network::Network network = network::read_foreign(*format, file.text, file.name, reading);
  network::remove_failed(network, without);
  return network;
}

std::string text_of_file(const ReadNamed& read, const std::string& path) {
  std::string text;
  read(path, [&text](std::string_view bytes) { text += bytes; });
  return text;
}

NetworkTopology read_network(const NamedText& file, const ReadNamed& read, FileUse use,
                             const std::vector<std::string>& without, std::optional<std::uint64_t> route_seed,
                             std::optional<network::SpeedUnit> speed_unit) {
  network::NetworkFile found = read_file(file, use, FlowsFrom::file, without, route_seed, speed_unit);
  if (found.matrix) {
    const std::string path = beside(file, found.matrix->file);
    network::add_traffic_matrix(found.network, text_of_file(read, path), path, found.matrix->route);
  }
  for (const network::PairsReference& pairs : found.pairs) {
    const std::string path = beside(file, pairs.file);
    network::SparseDemandReader reader(found.network, path);
    read(path, [&reader](std::string_view bytes) { reader.take(bytes); });
    network::add_flows(found.network,
                       std::vector<network::Demand>{{pairs.name, pairs.route, reader.finish()}});
  }
  add_class_matrices(found, file, read);
  finish_worms(found, file.name, use);
  return topology_of(std::move(found.network), use, file, without, route_seed);
}

NetworkTopology read_network(const NamedText& file, const NamedText& matrix,
                             const std::optional<RouteRule>& route, FileUse use,
                             const std::vector<std::string>& without, std::optional<std::uint64_t> route_seed,
                             std::optional<network::SpeedUnit> speed_unit) {
  network::NetworkFile read = read_file(file, use, FlowsFrom::elsewhere, without, route_seed, speed_unit);
  network::add_traffic_matrix(read.network, matrix.text, matrix.name, route_of(route, read));
  if (!read.class_matrices.empty())
    throw InvalidArgument("matrix", matrix.name,
                          "omitted: in the network file a class of messages has a matrix");
  finish_worms(read, file.name, use);
  NetworkTopology topology = topology_of(std::move(read.network), use, file, without, route_seed);
  topology.matrix = matrix.name;
  return topology;
}

NetworkTopology read_uniform_network(const NamedText& file, const std::optional<RouteRule>& route,
                                     const std::vector<std::string>& without,
                                     std::optional<std::uint64_t> route_seed,
                                     std::optional<network::SpeedUnit> speed_unit) {
  network::NetworkFile read =
      read_file(file, FileUse::packets, FlowsFrom::elsewhere, without, route_seed, speed_unit);
  if (!read.network.flows.empty())
    throw InvalidArgument("uniform", "given together with the flows of " + file.name,
                          "omitted, or the [[flow]] entries removed from the file: each defines all flows");
  network::add_uniform_traffic(read.network, 1, route_of(route, read));
  NetworkTopology topology =
      topology_of(std::move(read.network), FileUse::packets, file, without, route_seed);
  for (network::Flow& flow : topology.network.flows) flow.rate = flow.rate * topology.network.file_slots;
  return topology;
}

void take_routes(NetworkTopology& topology, const network::Fabric& fabric) {
  network::require_no_hashes(fabric);
  topology.fabric_rules = network::rules_of(fabric);
}

std::vector<NetworkTopology> at_loads(const NetworkTopology& network, const Loads& loads, Overload overload) {
  if (loads.uniform.empty() && loads.load_scale.empty()) return {network};
  for (const Rational& rate : loads.uniform)
    if (rate <= 0 || rate > network::LinkRate::max_packets)
      throw InvalidArgument("uniform", plain(rate), "above 0 and at most 1 packet per slot");
  for (const Rational& scale : loads.load_scale)
    if (scale <= 0) throw InvalidArgument("load scale", plain(scale), "above 0");
  const ScaleLimit limit = max_scale(network.network, overload);
  std::vector<NetworkTopology> networks;
  for (const std::optional<Rational>& uniform : or_none(loads.uniform))
    for (const std::optional<Rational>& scale : or_none(loads.load_scale)) {
      require_sendable(uniform, scale, limit);
      NetworkTopology& each = networks.emplace_back(network);
      each.network =
          scaled(std::move(each.network), uniform.value_or(Rational(1)) * scale.value_or(Rational(1)));
      each.uniform = uniform;
      each.load_scale = scale;
    }
  return networks;
}

}  // namespace tailbound::answers
