/// network::read_fabric on any bytes, and SparseDemandReader on those after a line "%%%": traffic that equals
/// its list of flows, or a typed error with its location. The bytes of the list are read in chunks.
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "text_of.hpp"

using namespace tailbound;

namespace {

void check(const network::Fabric& fabric) {
  const std::vector<numeric::Rational> sent = network::sent_by_node(fabric);
  for (const numeric::Rational& rate : sent) fuzz::require(rate >= 0 && rate <= 1);
  if (fabric.network.nodes.size() > 60) return;  // larger networks take too long per round
  try {
    const network::Network listed = network::written_out(fabric);
    std::vector<numeric::Rational> sums(sent.size(), 0);
    for (const network::Flow& flow : listed.flows) sums[flow.source] = sums[flow.source] + flow.rate;
    fuzz::require(sums == sent);
  } catch (const NoAnswer&) {
  }
}

void check_list(network::Fabric& fabric, std::string_view csv) {
  network::SparseDemandReader reader(fabric.network, "fuzz");
  const std::size_t piece = 1 + csv.size() % 7;
  for (std::size_t at = 0; at < csv.size(); at += piece) reader.take(csv.substr(at, piece));
  fabric.demands.assign(1, {"", network::RouteRule::spread, reader.finish()});
  check(fabric);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all = fuzz::text_of(data, size);
  if (fuzz::names_many(all)) return 0;
  const std::size_t separator = all.find("%%%\n");
  try {
    network::FabricFile file = network::read_fabric(all.substr(0, separator), "fuzz");
    check(file.fabric);
    if (separator != std::string_view::npos) check_list(file.fabric, all.substr(separator + 4));
  } catch (const ParseError& error) {
    fuzz::require(error.line() >= 1 && error.column() >= 1 && error.line() <= size + 1);
    fuzz::require(std::string(error.what()).size() < 1'000);
  } catch (const LimitExceeded&) {
  }
  return 0;
}
