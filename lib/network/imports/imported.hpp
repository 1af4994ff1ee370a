#pragma once

#include <tailbound/network/network.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Networks of other programs: their nodes and links, without flows.
///
/// FORMATS   GraphML (by pugixml), GML, DOT, edge lists; anynet files of BookSim2, topologies of HPCC's ns-3 and of htsim.
///           docs/networks.md says what of each is read.
/// EXCLUDES  reading files: the caller does, and hands over the text. Delays of wires, positions, colours.
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

/// What the text looks like; none where it may be a network file (TOML). Looks at its first lines only.
[[nodiscard]] std::optional<ForeignFormat> foreign_format(std::string_view text);

/// A speed with or without a unit [Gbit/s]; a number of 10^6 or more is in bit/s. None where it is no speed above 0.
[[nodiscard]] std::optional<Rational> read_speed(std::string_view text);

/// Nodes and links as require_valid() wants them; hosts are told from switches by what the file says of them, else by
/// their names where they hang on one node. Network::remarks say what was understood, and what was left out.
/// \throws ParseError  with line and column; a format that is recognised and not read says so
[[nodiscard]] Network read_foreign(ForeignFormat format, std::string_view text, const std::string& name);

}  // namespace tailbound::network
