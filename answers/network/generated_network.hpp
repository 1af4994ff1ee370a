#pragma once

#include <tailbound/answers/network/network_input.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/demands/failures.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// One of the usual networks, or one that another program wrote, as a network file, and what is known of it.
///
/// MODEL     lib/network/demands/fabrics.hpp, failures.hpp; lib/network/imports/imported.hpp
/// RESULT    the text of the file, and counts of the network that comes of reading it
/// TESTS     tests/answers/network/generated_network_test.cpp
namespace tailbound::answers {

struct GeneratedNetworkQuestion {
  network::FabricShape shape;
  std::optional<NamedText> imported{};  ///< in place of a shape: a file of another program
  std::optional<network::FabricTraffic> traffic{};
  std::vector<std::string> without{};  ///< what has failed, as network::take_out() reads it
  std::optional<std::string>
      shared_memory{};  ///< "all", or the switches, as network::expand_names() reads it
};

struct GeneratedNetworkAnswer {
  network::FabricFacts facts;          ///< of the whole network
  std::vector<std::string> remarks{};  ///< of a file that was imported: how it was understood
  std::string file;                    ///< TOML
  network::Network network;            ///< as read from it, without traffic
  std::int64_t failed = 0;             ///< wires
  std::int64_t cut_off = 0;            ///< hosts without any link left
  /// Between switches that still have hosts, at most; none: there are some between which there is no way, or the
  /// network is too large for it to be counted.
  std::optional<std::int64_t> diameter{};
};

/// \throws ParseError       a file that is none of those read
/// \throws InvalidArgument  as network::facts_of() and network::take_out(), no such switch
[[nodiscard]] GeneratedNetworkAnswer answer(const GeneratedNetworkQuestion& question);

}  // namespace tailbound::answers
