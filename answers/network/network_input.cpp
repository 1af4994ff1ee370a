#include <cln/rational.h>
#include <tailbound/answers/network/network_input.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/imports/imported.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <filesystem>
#include <utility>

namespace tailbound::answers {
namespace {

using network::FileUse;
using network::FlowsFrom;
using network::RouteRule;
using numeric::plain;
using numeric::Rational;

/// \throws InvalidArgument  too great: names the factor where there is one, else the rate
void require_sendable(const std::optional<Rational>& uniform, const std::optional<Rational>& scale,
                      const ScaleLimit& limit) {
  const Rational rate = uniform.value_or(Rational(1));
  if (limit.allows(rate * scale.value_or(Rational(1)))) return;
  throw InvalidArgument(scale ? "load scale" : "uniform", plain(scale ? *scale : *uniform),
                        (limit.attained() ? "at most " : "below ") +
                            plain(scale ? Rational(limit.factor / rate) : limit.factor) + ", where " +
                            limit.in_words());
}

/// Whatever program wrote it.
network::NetworkFile read_file(const NamedText& file, FileUse use, FlowsFrom flows,
                               const std::vector<std::string>& without) {
  const NetworkText text = network_text(file);
  network::NetworkFile found = network::read_network(text.text, text.name, use, flows, without);
  found.network.remarks.insert(found.network.remarks.begin(), text.remarks.begin(), text.remarks.end());
  return found;
}

}  // namespace

NetworkText network_text(const NamedText& file) {
  const auto format = network::foreign_format(file.text);
  if (!format) return {file.name, file.text, {}};
  network::Network network = network::read_foreign(*format, file.text, file.name);
  std::vector<std::string> remarks = std::exchange(network.remarks, {});
  return {file.name, network::to_toml(network), std::move(remarks)};
}

std::string text_of_file(const ReadNamed& read, const std::string& path) {
  std::string text;
  read(path, [&text](std::string_view bytes) { text += bytes; });
  return text;
}

NetworkTopology read_network(const NamedText& file, const ReadNamed& read, FileUse use,
                             const std::vector<std::string>& without) {
  network::NetworkFile found = read_file(file, use, FlowsFrom::file, without);
  if (found.matrix) {
    const std::string path = (std::filesystem::path(file.name).parent_path() / found.matrix->file).string();
    network::add_traffic_matrix(found.network, text_of_file(read, path), path, found.matrix->route);
  }
  for (const network::PairsReference& pairs : found.pairs) {
    const std::string path = (std::filesystem::path(file.name).parent_path() / pairs.file).string();
    network::SparseDemandReader reader(found.network, path);
    read(path, [&reader](std::string_view bytes) { reader.take(bytes); });
    network::add_flows(found.network,
                       std::vector<network::Demand>{{pairs.name, pairs.route, reader.finish()}});
  }
  return {.network = std::move(found.network), .file = file.name, .without = without};
}

NetworkTopology read_network(const NamedText& file, const NamedText& matrix, RouteRule route, FileUse use,
                             const std::vector<std::string>& without) {
  network::NetworkFile read = read_file(file, use, FlowsFrom::elsewhere, without);
  network::add_traffic_matrix(read.network, matrix.text, matrix.name, route);
  return {.network = std::move(read.network), .file = file.name, .matrix = matrix.name, .without = without};
}

NetworkTopology read_uniform_network(const NamedText& file, RouteRule route,
                                     const std::vector<std::string>& without) {
  network::NetworkFile read = read_file(file, FileUse::packets, FlowsFrom::elsewhere, without);
  if (!read.network.flows.empty())
    throw InvalidArgument("uniform", "given together with the flows of " + file.name,
                          "left out, or the [[flow]] entries taken out of the file: each says all flows");
  network::add_uniform_traffic(read.network, 1, route);
  return {.network = std::move(read.network), .file = file.name, .without = without};
}

std::vector<NetworkTopology> at_loads(const NetworkTopology& network, const Loads& loads, Overload overload) {
  if (loads.uniform.empty() && loads.load_scale.empty()) return {network};
  for (const Rational& rate : loads.uniform)
    if (rate <= 0 || rate > network::LinkRate::most_packets)
      throw InvalidArgument("uniform", plain(rate), "above 0 and at most 1 packet a slot");
  for (const Rational& scale : loads.load_scale)
    if (scale <= 0) throw InvalidArgument("load scale", plain(scale), "above 0");
  const ScaleLimit limit = greatest_scale(network.network, overload);
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
