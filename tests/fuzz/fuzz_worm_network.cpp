/// network::read_network for wormhole networks on any bytes: a network that is unchanged by writing and
/// reading, with channel routes that end, and a graph with conserved flows; or a typed error with its
/// location.
#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>

#include <cmath>
#include <string>

#include "text_of.hpp"

using namespace tailbound;

namespace {

void check(const network::ChannelGraph& graph) {
  std::vector<double> in(graph.stations.size(), 0);
  for (const network::Source& source : graph.sources)
    in[graph.channels[source.channel].station] += graph.channels[source.channel].rate;
  for (const network::Channel& channel : graph.channels) {
    double onward = 0;
    for (const network::Turn& turn : channel.turns) {
      onward += turn.probability;
      in[turn.station] += channel.rate * turn.probability;
    }
    fuzz::require(channel.turns.empty() || std::abs(onward - 1) < 1e-9);
  }
  for (std::size_t i = 0; i < in.size(); ++i)
    fuzz::require(std::abs(in[i] - graph.stations[i].rate) < 1e-9 * (1 + graph.stations[i].rate));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all = fuzz::text_of(data, size);
  if (fuzz::names_many(all)) return 0;
  try {
    const network::Network network = network::read_network(all, "fuzz", network::FileUse::worms).network;
    network::require_valid(network);
    std::size_t routes = 0;
    for (const network::Flow& flow : network.flows) routes += flow.routes.size();
    if (network.flows.empty() || routes > 200) return 0;  // larger networks take too long per round
    const network::RoutedWormNetwork worms(network);
    if (worms.layout().variants > 100) return 0;
    check(network::walk_graph(worms, worms.traffic()));
    const std::string text = network::to_toml(network);
    fuzz::require(network::to_toml(network::read_network(text, "fuzz", network::FileUse::worms).network) ==
                  text);
  } catch (const ParseError& error) {
    fuzz::require(error.column() >= 1 && error.line() <= size + 1 &&
                  std::string(error.what()).size() < 1'000);
  } catch (const LimitExceeded&) {
  }
  return 0;
}
