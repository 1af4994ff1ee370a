#pragma once

#include <tailbound/network/imports/speeds.hpp>
#include <tailbound/network/network.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Networks of other programs: their nodes and links, without flows.
///
/// FORMATS   those of reading/format_names.hpp: GraphML by pugixml, JSON by nlohmann's library.
///           docs/networks.md lists the parts of each that are read.
/// EXCLUDES  reading files: the caller does this, and passes the text. Delays of links, positions, colours.
/// LIMITS    64 MB, 200 000 nodes, 2 000 000 links
/// TESTS     tests/network/imports/imported_test.cpp, tests/fuzz/fuzz_imports.cpp
namespace tailbound::network {

enum class ForeignFormat {
  graphml,
  gml,
  dot,
  edge_list,
  node_link,
  booksim,
  hpcc,
  simai,
  htsim,
  ibnetdiscover,
  containerlab,
  htsim_connections,
  noxim_table,
  simgrid,
  other_xml
};
/// "GraphML", "a topology of htsim", ...
[[nodiscard]] std::string in_words(ForeignFormat format);

/// The format of the text, from its first lines; none if it may be a network file (TOML).
[[nodiscard]] std::optional<ForeignFormat> foreign_format(std::string_view text);

struct ForeignReading {
  std::optional<SpeedUnit> unit{};  ///< of speeds without a unit (speeds.hpp)
  bool speeds = true;               ///< false: they are ignored
};

/// Nodes and links that satisfy require_valid(). Hosts are identified by the file, or else by their names if
/// they have a single neighbour. Network::remarks lists how the file was understood and what was ignored.
/// \throws ParseError       with line and column; for a known format that is not supported the message names
///                          the format
/// \throws InvalidArgument  "speed-unit": given for a file in which no speed lacks a unit
[[nodiscard]] Network read_foreign(ForeignFormat format, std::string_view text, const std::string& name,
                                   const ForeignReading& reading = {});

}  // namespace tailbound::network
