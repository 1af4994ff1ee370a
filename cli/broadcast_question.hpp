#pragma once

#include <CLI/App.hpp>
#include <cli/formats.hpp>
#include <cli/offered_loads.hpp>
#include <cli/plots.hpp>
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

/// How far a command goes: the model, unless told.
struct BroadcastLimits {
  int dimensions = 20;
  std::int64_t virtual_channels = 1'000'000, flits = 1'000'000'000;
  bool whole_cycles = false;  ///< start-up times
  Fractions fractions = Fractions::below_saturation;
};

/// --dimensions --virtual-channels --flits --broadcast --startup --rates --fractions. `options` must outlive
/// the parse.
void add_broadcast_options(CLI::App& command, BroadcastOptions& options, const BroadcastLimits& limits = {});

/// The options as understood.
struct BroadcastQuestion {
  bounds::wormhole::BroadcastCube cube;  ///< its variant as by default
  numeric::Rational broadcast, startup;  ///< as in the cube, exactly
  OfferedLoads offered;                  ///< messages/cycle/node, or fractions of saturation
};

/// \throws InvalidArgument, LimitExceeded
[[nodiscard]] BroadcastQuestion read_broadcast(const BroadcastOptions& options,
                                               const BroadcastLimits& limits = {});

/// A rate to be simulated: nine digits of it, so that it can be typed.
[[nodiscard]] numeric::Rational typed_rate(double rate);

/// A variant of the model, as --replication names it.
struct Variant {
  const char* name;
  bounds::wormhole::Replication replication;
  const char* meaning;
};

/// The one list of all of them; the first is the default.
[[nodiscard]] const std::vector<Variant>& variants();
[[nodiscard]] std::string name(bounds::wormhole::Replication replication);

void add_replication_option(CLI::App& command, std::optional<std::string>& replication);
/// \throws InvalidArgument  none of the names
[[nodiscard]] bounds::wormhole::Replication read_replication(const std::optional<std::string>& text);

/// "6-dimensional hypercube (64 nodes) with 4 virtual channels"
[[nodiscard]] std::string network_in_words(const BroadcastQuestion& question);
/// "messages of 32 flits, broadcast 0.01, start-up 1"
[[nodiscard]] std::string messages_in_words(const BroadcastQuestion& question);

/// The axes of a picture of mean latency against rate, without curves.
[[nodiscard]] plots::Picture latency_axes(const BroadcastQuestion& question);

/// {"dimensions": 6, "nodes": 64, ..., "fractions": ["1/10", ..]}
[[nodiscard]] Json inputs_json(const BroadcastQuestion& question);

}  // namespace tailbound::cli
