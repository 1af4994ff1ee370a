#pragma once

#include <tailbound/answers/network/network_input.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/demands/failures.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A standard topology, or a network written by another program, as a network file with its properties.
///
/// MODEL     lib/network/demands/fabrics.hpp, failures.hpp; lib/network/imports/imported.hpp
/// RESULT    the text of the file, and counts of the network obtained by reading it
/// TESTS     tests/answers/network/generated_network_test.cpp
namespace tailbound::answers {

struct GeneratedNetworkQuery {
  network::FabricShape shape;
  std::optional<NamedText> imported{};             ///< instead of a shape: a file of another program
  std::optional<network::SpeedUnit> speed_unit{};  ///< of its speeds without a unit
  std::optional<network::FabricTraffic> traffic{};
  std::vector<std::string> without{};          ///< failures, as read by network::remove_failed()
  std::optional<std::string> shared_memory{};  ///< "all", or the switches, as read by network::expand_names()
};

struct GeneratedNetworkAnswer {
  network::FabricFacts facts;          ///< of the whole network
  std::vector<std::string> remarks{};  ///< for an imported file: how it was interpreted
  std::string file;                    ///< TOML
  network::Network network;            ///< as read from it, without traffic
  std::int64_t failed = 0;             ///< links
  std::int64_t cut_off = 0;            ///< hosts without any remaining link
  /// Maximum distance between switches that still have hosts; none if some are disconnected, or the network
  /// is too large to compute it.
  std::optional<std::int64_t> diameter{};
};

/// \throws ParseError       a file of an unsupported format
/// \throws InvalidArgument  as network::facts_of() and network::remove_failed(), no such switch
[[nodiscard]] GeneratedNetworkAnswer answer(const GeneratedNetworkQuery& query);

}  // namespace tailbound::answers
