#pragma once

#include <tailbound/numeric/rational.hpp>

#include <vector>

/// What is offered to a wormhole network: loads or rates one after the other, or fractions of those at which
/// it saturates.
namespace tailbound::answers {

/// In what a load is counted.
enum class LoadMeasure {
  flits,     ///< "loads" [flits/cycle/node]
  messages,  ///< "rates" [messages/cycle/node]
};

struct OfferedLoads {
  LoadMeasure measure = LoadMeasure::flits;
  bool of_saturation = false;             ///< the values are fractions of saturation
  std::vector<numeric::Rational> values;  ///< may repeat, in any order

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

/// "load" or "rate"; "flits/cycle/node" or "messages/cycle/node"
[[nodiscard]] const char* name(LoadMeasure measure);
[[nodiscard]] const char* unit_of(LoadMeasure measure);

/// \throws InvalidArgument  a value out of range: argument "loads", "rates" or "fractions"
void check(const OfferedLoads& offered, Fractions legal = Fractions::below_saturation);
/// Likewise what can be simulated: loads above 0 and at most 1, fractions above 0.
void check_simulated(const OfferedLoads& offered);

}  // namespace tailbound::answers
