#pragma once

#include <cli/formats.hpp>
#include <tailbound/numeric/rational.hpp>

#include <optional>
#include <string>
#include <vector>

/// What is offered to a wormhole network: a list of loads or rates, or of fractions of saturation.
namespace tailbound::cli {

/// How a command calls it.
struct LoadWords {
  const char* name;      ///< "load": the option is --loads
  const char* unit;      ///< "flits/cycle/node"
  const char* one;       ///< "1 flit/cycle/node"
  bool percent = false;  ///< of a wire: "5%" makes sense
};
inline constexpr LoadWords flit_loads{"load", "flits/cycle/node", "1 flit/cycle/node", true};
inline constexpr LoadWords message_rates{"rate", "messages/cycle/node", "1 message/cycle/node"};

struct OfferedLoads {
  bool of_saturation = false;  ///< `values` are fractions of saturation
  std::vector<numeric::Rational> values;

  /// What one of the values is, not as a fraction.
  [[nodiscard]] double absolute(const numeric::Rational& value, double saturation) const {
    return of_saturation ? numeric::nearest_double(value) * saturation : numeric::nearest_double(value);
  }
};

/// Which fractions of saturation may be asked for.
enum class Fractions {
  below_saturation,
  any,  ///< a simulation may carry more than its model
};

/// The list of --loads (or --rates), or else that of --fractions, 10%:90%:10% unless told.
/// \throws InvalidArgument  both are given; a number out of range
[[nodiscard]] OfferedLoads read_offered(const std::optional<std::string>& loads,
                                        const std::optional<std::string>& fractions, const LoadWords& words,
                                        Fractions legal = Fractions::below_saturation);

/// \throws InvalidArgument  what cannot be simulated: 0, or above 1
void require_simulated(const OfferedLoads& offered, const LoadWords& words);

/// Adds {"loads": ["1/10", ..]}, or "rates" or "fractions".
void describe_offered(Json& inputs, const OfferedLoads& offered, const LoadWords& words);

/// Numbers of a list, entries with "%" as hundredths: "10%:90%:10%", "0.1,50%"; a range has "%" at all of its
/// numbers or at none.  \throws InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> parse_percent_list(const std::string& text, const char* option,
                                                                std::size_t limit);

}  // namespace tailbound::cli
