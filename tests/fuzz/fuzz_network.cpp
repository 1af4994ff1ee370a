/// network::read_network on any bytes, and add_traffic_matrix on those after a line "%%%": a valid network
/// that is unchanged by writing and reading, or a typed error with its location.
#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/queue_traffic.hpp>

#include <string>

#include "text_of.hpp"

using namespace tailbound;

namespace {

void check(const network::Network& network) {
  network::require_valid(network);
  std::size_t routes = 0;
  for (const network::Flow& flow : network.flows) routes += flow.routes.size();
  if (network.flows.empty() || routes > 200) return;  // larger networks take too long per round

  const auto written = [](network::Network its) {
    its.remarks.clear();  // of the matrix too
    return network::to_toml(its);
  };
  const std::string text = written(network);
  try {
    fuzz::require(written(network::read_network(text, "fuzz").network) == text);
  } catch (const ParseError& error) {
    // Shares of spread routes may need a longer denominator than files may have.
    fuzz::require(std::string(error.what()).find("256 bits") != std::string::npos);
  }
  numeric::Rational sent = 0, carried = 0;
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes)
      sent = sent + flow.rate * route.share * static_cast<unsigned long>(route.links.size());
  for (const auto& traffic : network::queue_traffic(network, network::Sources::independent_sources))
    carried = carried + traffic.load;
  fuzz::require(sent == carried);
  try {
    (void)network::queue_traffic(network, network::Sources::first_hop);
  } catch (const NoAnswer&) {
  } catch (const InvalidArgument& error) {
    fuzz::require(error.argument() == "sources");  // a flow with bursts
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all = fuzz::text_of(data, size);
  if (fuzz::names_many(all)) return 0;
  const std::size_t separator = all.find("%%%\n");
  try {
    network::NetworkFile file = network::read_network(all.substr(0, separator), "fuzz");
    check(file.network);
    if (separator == std::string_view::npos) return 0;
    const auto rule = file.matrix ? file.matrix->route : network::RouteRule::shortest;
    network::add_traffic_matrix(file.network, all.substr(separator + 4), "fuzz", rule);
    check(file.network);
  } catch (const ParseError& error) {
    fuzz::require(error.line() >= 1 && error.column() >= 1 && error.line() <= size + 1);
    fuzz::require(std::string(error.what()).size() < 1'000);
  } catch (const LimitExceeded&) {
  }
  return 0;
}
