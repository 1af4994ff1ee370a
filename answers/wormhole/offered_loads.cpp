#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <string>

namespace tailbound::answers {
namespace {

using numeric::Rational;

[[noreturn]] void reject(const OfferedLoads& offered, const Rational& value, const std::string& legal) {
  throw InvalidArgument(offered.of_saturation ? "fractions" : std::string(name(offered.measure)) + "s",
                        numeric::plain(value), legal);
}

}  // namespace

const char* name(LoadMeasure measure) {
  return measure == LoadMeasure::flits ? "load" : "rate";
}

const char* unit_of(LoadMeasure measure) {
  return measure == LoadMeasure::flits ? "flits/cycle/node" : "messages/cycle/node";
}

void check(const OfferedLoads& offered, Fractions legal) {
  for (const Rational& value : offered.values) {
    if (!offered.of_saturation && value < 0)
      reject(offered, value, std::string("at least 0 ") + unit_of(offered.measure));
    if (offered.of_saturation && legal == Fractions::below_saturation && (value < 0 || value >= 1))
      reject(offered, value, std::string("at least 0 and below 1, the saturation ") + name(offered.measure));
  }
}

void check_simulated(const OfferedLoads& offered) {
  for (const Rational& value : offered.values) {
    if (offered.of_saturation && !(value > 0)) reject(offered, value, "above 0");
    if (!offered.of_saturation && !(value > 0 && value <= 1))
      reject(offered, value,
             offered.measure == LoadMeasure::flits ? "above 0 and at most 1 flit/cycle/node"
                                                   : "above 0 and at most 1 message/cycle/node");
  }
}

}  // namespace tailbound::answers
