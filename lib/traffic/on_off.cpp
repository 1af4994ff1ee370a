#include <tailbound/core/error.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <string>
#include <utility>

namespace tailbound::traffic {

using numeric::Rational;
using numeric::to_fraction;

namespace {

void require_pauses(const Rational& load, const Rational& on_rate) {
  if (load >= on_rate)
    throw InvalidArgument(
        "load of a source", to_fraction(load),
        "below its on-rate of " + to_fraction(on_rate) + ": a bursty source must have pauses");
}

}  // namespace

Rational shortest_burst(const Rational& load, const Rational& on_rate) {
  require_pauses(load, on_rate);
  const Rational minimum = load / (on_rate - load);
  return minimum > 1 ? minimum : Rational(1);
}

OnOff on_off(const Rational& load, const Burst& burst) {
  const Rational& on_rate = burst.on_rate;
  if (on_rate <= 0 || on_rate > 1)
    throw InvalidArgument("on-rate", to_fraction(on_rate), "above 0 and at most 1 packet per slot");
  if (load <= 0) throw InvalidArgument("load of a source", to_fraction(load), "above 0 packets per slot");
  require_pauses(load, on_rate);
  const Rational minimum = shortest_burst(load, on_rate);
  if (burst.slots < minimum)
    throw InvalidArgument(
        "burst", to_fraction(burst.slots),
        "at least " + to_fraction(minimum) + (minimum == 1 ? " slot" : " slots") +
            (minimum == 1 ? ""
                          : ": with load " + to_fraction(load) + " and on-rate " + to_fraction(on_rate) +
                                " shorter bursts would leave gaps of less than one slot"));
  const Rational stop = 1 / burst.slots;
  return {.load = load, .on_rate = on_rate, .start = load * stop / (on_rate - load), .stop = stop};
}

OnOff thinned(OnOff source, const Rational& share) {
  if (share <= 0 || share > 1) throw InvalidArgument("share", to_fraction(share), "above 0 and at most 1");
  source.load = source.load * share;
  source.on_rate = source.on_rate * share;
  return source;
}

}  // namespace tailbound::traffic
