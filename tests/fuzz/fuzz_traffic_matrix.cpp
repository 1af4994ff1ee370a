/// network::add_traffic_matrix and SparseDemandReader on any bytes, for a network of a few nodes and a link
/// with a speed: flows of a valid network, or a typed error with its location.
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <string>

#include "text_of.hpp"

using namespace tailbound;

namespace {

const network::Network& star() {
  static const network::Network network =
      network::read_network(
          "hosts = [\"a\", \"b\", \"0\", \"c d\"]\nswitches = [\"s\"]\n[[link]]\nfrom = [\"a\", \"b\", "
          "\"0\", \"c d\"]\nto = \"s\"\nboth = true\nrate = \"50G\"\nwires = 2\n",
          "star", network::FileUse::packets, network::FlowsFrom::elsewhere)
          .network;
  return network;
}

void require_placed(const ParseError& error, std::size_t size) {
  fuzz::require(error.line() >= 1 && error.line() <= size + 1);
  fuzz::require(std::string(error.what()).size() < 1'000);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  try {
    network::Network network = star();
    network::add_traffic_matrix(network, text, "fuzz");
    network::require_valid(network);
    // The same as a list.
    const network::SparseDemand list = network::sparse_matrix(star(), text, "fuzz");
    numeric::Rational flows = 0, entries = 0;
    for (const network::Flow& flow : network.flows) flows = flows + flow.rate;
    for (const auto& entry : list.entries) entries = entries + list.values[entry.rate];
    fuzz::require(flows == entries);
  } catch (const ParseError& error) {
    require_placed(error, size);
  } catch (const LimitExceeded&) {
  }
  // In one piece and byte by byte.
  std::string first, second;
  for (const bool pieces : {false, true}) {
    std::string& result = pieces ? second : first;
    try {
      network::SparseDemandReader reader(star(), "fuzz");
      if (pieces)
        for (std::size_t at = 0; at < text.size(); ++at) reader.take(text.substr(at, 1));
      else
        reader.take(text);
      for (const auto& entry : reader.finish().entries)
        result += std::to_string(entry.from) + ">" + std::to_string(entry.to) + ":" +
                  std::to_string(entry.rate) + " ";
    } catch (const ParseError& error) {
      require_placed(error, size);
      result = error.what();
    } catch (const LimitExceeded& error) {
      result = error.what();
    }
  }
  fuzz::require(first == second);
  return 0;
}
