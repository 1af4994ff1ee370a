#pragma once

#include <tailbound/network/network.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Networks of other programs: their nodes and links, without flows.
///
/// FORMATS   GraphML (by pugixml), GML, DOT, edge lists; anynet files of BookSim2, topologies of HPCC's ns-3
///           and of htsim. docs/networks.md lists the parts of each that are read.
/// EXCLUDES  reading files: the caller does this, and passes the text. Delays of links, positions, colours.
/// LIMITS    64 MB, 200 000 nodes, 2 000 000 links
/// TESTS     tests/network/imports/imported_test.cpp, tests/fuzz/fuzz_imports.cpp
namespace tailbound::network {

enum class ForeignFormat {
  graphml,
  gml,
  dot,
  edge_list,
  booksim,
  hpcc,
  htsim,
  htsim_connections,
  simgrid,
  other_xml
};
/// "GraphML", "a topology of htsim", ...
[[nodiscard]] std::string in_words(ForeignFormat format);

/// The format of the text, from its first lines; none if it may be a network file (TOML).
[[nodiscard]] std::optional<ForeignFormat> foreign_format(std::string_view text);

/// A speed with or without a unit [Gbit/s]; a number of 10^6 or more is in bit/s. None if it is not a speed
/// above 0.
[[nodiscard]] std::optional<Rational> read_speed(std::string_view text);

/// Nodes and links that satisfy require_valid(). Hosts are identified by the file, or else by their names if
/// they have a single neighbour. Network::remarks lists how the file was understood and what was ignored.
/// \throws ParseError  with line and column; for a known format that is not supported the message names the
///                     format
[[nodiscard]] Network read_foreign(ForeignFormat format, std::string_view text, const std::string& name);

}  // namespace tailbound::network
