/// network::foreign_format and read_foreign on any bytes: a valid network that is unchanged by writing and
/// reading, or a typed error with its location.
#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/imports/imported.hpp>

#include <string>

#include "text_of.hpp"

using namespace tailbound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (fuzz::names_many(text)) return 0;
  const auto format = network::foreign_format(text);
  if (!format) return 0;
  try {
    network::Network network = network::read_foreign(*format, text, "fuzz");
    network::require_valid(network);
    for (const std::string& remark : network.remarks) fuzz::require(remark.size() < 2'000);
    if (network.links.size() > 2'000) return 0;
    network.remarks.clear();
    const std::string written = network::to_toml(network);
    network::Network again =
        network::read_network(written, "fuzz", network::FileUse::packets, network::FlowsFrom::elsewhere)
            .network;
    again.remarks.clear();
    fuzz::require(network::to_toml(again) == written);
  } catch (const ParseError& error) {
    fuzz::require(error.line() <= size + 2);
    fuzz::require(std::string(error.what()).size() < 1'500);
  } catch (const LimitExceeded&) {
  }
  return 0;
}
