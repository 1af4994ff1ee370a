#pragma once

#include <tailbound/numeric/rational.hpp>

#include <vector>

/// Offered loads or rates of a wormhole network, or fractions of its saturation load or rate.
namespace tailbound::answers {

/// The unit of a load.
enum class LoadMeasure {
  flits,     ///< "loads" [flits/cycle/node]
  messages,  ///< "rates" [messages/cycle/node]
};

struct OfferedLoads {
  LoadMeasure measure = LoadMeasure::flits;
  bool of_saturation = false;             ///< the values are fractions of saturation
  std::vector<numeric::Rational> values;  ///< may repeat, in any order

  /// The load or rate of one value.
  [[nodiscard]] double absolute(const numeric::Rational& value, double saturation) const {
    return of_saturation ? numeric::nearest_double(value) * saturation : numeric::nearest_double(value);
  }
};

/// The legal fractions of saturation.
enum class Fractions {
  below_saturation,
  any,  ///< a simulation may carry more than its model
};

/// "load" or "rate"; "flits/cycle/node" or "messages/cycle/node"
[[nodiscard]] const char* name(LoadMeasure measure);
[[nodiscard]] const char* unit_of(LoadMeasure measure);

/// \throws InvalidArgument  a value out of range: argument "loads", "rates" or "fractions"
void check(const OfferedLoads& offered, Fractions legal = Fractions::below_saturation);
/// The same for simulated loads: above 0 and at most 1, fractions above 0.
void check_simulated(const OfferedLoads& offered);

}  // namespace tailbound::answers
