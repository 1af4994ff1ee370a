#pragma once

#include <CLI/App.hpp>
#include <cli/formats.hpp>
#include <tailbound/network/network_file.hpp>
#include <tailbound/network/tree.hpp>

#include <optional>
#include <string>

/// The options that say where packets go: a tree under uniform traffic, or any network from a file. The same
/// for the analysis and for the simulation.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct PlaceOptions {
  std::optional<std::string> radix, levels, load, routing, network, matrix, route;
};

/// --radix --levels --load --routing, --network --matrix --route. `options` must outlive the parse.
void add_place_options(CLI::App& command, PlaceOptions& options);

/// --network --matrix --route alone.
void add_network_options(CLI::App& command, PlaceOptions& options);

/// \throws InvalidArgument  options of a tree together with --network, those of a network without it, or a
///                          tree that lacks one of its three
void require_one_place(const PlaceOptions& options);

struct TreePlace {
  network::Tree tree;
  numeric::Rational load;
  network::TreeRouting routing = network::TreeRouting::random_root;
  std::string title;  ///< "16-ary 3-tree at load 0.8, random-root routing"
};

/// Reads --radix, --levels, --load and --routing; --load is not compared with what the links take.
/// \throws InvalidArgument
[[nodiscard]] TreePlace read_tree_place(const PlaceOptions& options);

/// Reads --network, and the matrix of --matrix or of the file itself.
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] network::Network read_network_place(const PlaceOptions& options,
                                                  network::FileUse use = network::FileUse::packets);

/// Adds the options as understood to the "inputs" of a JSON document.
void describe_place(Json& inputs, const PlaceOptions& options);

}  // namespace tailbound::cli
