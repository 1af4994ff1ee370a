#pragma once

#include <tailbound/network/network.hpp>
#include <tailbound/network/policed/policed_network.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Network files whose flows are policed: links with rates and schedulers, flows with token buckets.
///
/// MODEL     docs/networks.md, section "Policed flows"
/// EXCLUDES  several routes of one flow, random failures, traffic in compact form
/// TESTS     tests/network/policed/policed_file_test.cpp
namespace tailbound::network {

/// The units of the numbers in a file.
struct PolicedUnits {
  std::string size = "packets", time = "slots", rate = "packets/slot";
  /// Packets of one size, each link sends one per slot.
  [[nodiscard]] bool slotted() const { return time == "slots"; }
};

struct PolicedFile {
  std::string name;
  PolicedNetwork network;  ///< a port for each link on the path of a flow, those of hosts included
  PolicedUnits units{};    ///< of all numbers of `network`; rates there are size / time
  std::vector<std::optional<RouteRule>> rules{};  ///< of its routes: rules_of()
};

/// \param name  of the file, for messages
/// \throws ParseError  with line and column where there is one
[[nodiscard]] PolicedFile read_policed_network(std::string_view toml, const std::string& name);

}  // namespace tailbound::network
