#pragma once

#include <cli/traffic_options.hpp>
#include <tailbound/answers/offered_loads.hpp>
#include <tailbound/numeric/rational.hpp>

#include <optional>
#include <string>
#include <vector>

/// What is offered to a wormhole network, as options: a list of loads or rates, or of fractions of saturation.
namespace tailbound::cli {

using answers::Fractions;
using answers::OfferedLoads;

/// How a command calls it.
struct LoadWords {
  answers::LoadMeasure measure;
  const char* name;      ///< "load": the option is --loads
  const char* unit;      ///< "flits/cycle/node"
  bool percent = false;  ///< of a wire: "5%" makes sense
};
inline constexpr LoadWords flit_loads{answers::LoadMeasure::flits, "load", "flits/cycle/node", true};
inline constexpr LoadWords message_rates{answers::LoadMeasure::messages, "rate", "messages/cycle/node"};

/// The list of --loads (or --rates), or else that of --fractions, 10%:90%:10% unless told.
/// \throws InvalidArgument  both are given; a number out of range
[[nodiscard]] OfferedLoads read_offered(const std::optional<std::string>& loads,
                                        const std::optional<std::string>& fractions, const LoadWords& words,
                                        Fractions legal = Fractions::below_saturation);

}  // namespace tailbound::cli
