#pragma once

#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <string>

namespace tailbound::answers {

/// The model of a network does not carry a load. (For a simulated network: Overloaded.)
class Saturated : public NoAnswer {
 public:
  /// \param load, saturation  [as `measure` says]; the load is not below saturation
  /// \param network  a short description
  Saturated(LoadMeasure measure, double load, double saturation, const std::string& network = "network")
      : NoAnswer(std::string("the network is saturated at ") + name(measure) + " " + numeric::plain(load) +
                 " " + unit_of(measure) + ": the " + network + " saturates at " +
                 numeric::plain(saturation, 10) + ", " + numeric::plain(100 * (1 - saturation / load), 3) +
                 " % below"),
        measure_(measure),
        load_(load),
        saturation_(saturation) {}

  [[nodiscard]] LoadMeasure measure() const noexcept { return measure_; }
  [[nodiscard]] double load() const noexcept { return load_; }
  [[nodiscard]] double saturation() const noexcept { return saturation_; }

 private:
  LoadMeasure measure_;
  double load_, saturation_;
};

/// Why the largest load with a solution is not the saturation load: "the iteration does not converge there,
/// with
/// the busiest channel at 52 %"
[[nodiscard]] inline std::string no_solution_in_words(double fullness) {
  if (fullness >= bounds::wormhole::SaturationSides::least_fullness)
    return "a channel of the model is full there, but models of such networks were full at up to 31 % below "
           "the "
           "simulated saturation load";
  return "the iteration does not converge there, with the busiest channel at " +
         numeric::plain(100 * fullness, 2) + " %";
}

/// The equations have no solution above a load that is not the saturation load.
class Unanswered : public NoAnswer {
 public:
  /// \param load, answered  [as `measure` says]; the load is above the largest one that is answered
  /// \param fullness  the largest utilization there
  Unanswered(LoadMeasure measure, double load, double answered, double fullness, const std::string& network)
      : NoAnswer(std::string("at ") + name(measure) + " " + numeric::plain(load) + " " + unit_of(measure) +
                 " the model has no answer: of the " + network + " it has none above " + name(measure) + " " +
                 numeric::plain(answered, 10) + " (" + no_solution_in_words(fullness) +
                 "). The network may carry more; a simulation shows it") {}
};

}  // namespace tailbound::answers
