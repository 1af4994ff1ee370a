#pragma once

#include <CLI/App.hpp>
#include <cli/formats.hpp>
#include <tailbound/bounds/wormhole/broadcast.hpp>

#include <optional>
#include <string>
#include <vector>

/// What a command on broadcasts in hypercubes asks.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct BroadcastOptions {
  std::optional<std::string> dimensions, virtual_channels, flits, broadcast, startup, rates, fractions;
};

/// --dimensions --virtual-channels --flits --broadcast --startup --rates --fractions. `options` must outlive
/// the parse.
void add_broadcast_options(CLI::App& command, BroadcastOptions& options);

/// The options as understood.
struct BroadcastQuestion {
  bounds::wormhole::BroadcastCube cube;  ///< its variant as by default
  numeric::Rational broadcast, startup;  ///< as in the cube, exactly
  bool of_saturation = false;            ///< `rates` are fractions of the saturation rate
  std::vector<numeric::Rational> rates;  ///< messages/cycle/node, or fractions below 1
};

/// \throws InvalidArgument, LimitExceeded
[[nodiscard]] BroadcastQuestion read_broadcast(const BroadcastOptions& options);

/// "6-dimensional hypercube (64 nodes) with 4 virtual channels"
[[nodiscard]] std::string network_in_words(const BroadcastQuestion& question);
/// "messages of 32 flits, broadcast 0.01, start-up 1"
[[nodiscard]] std::string messages_in_words(const BroadcastQuestion& question);

/// {"dimensions": 6, "nodes": 64, ..., "fractions": ["1/10", ..]}
[[nodiscard]] Json inputs_json(const BroadcastQuestion& question);

}  // namespace tailbound::cli
