#pragma once

#include <tailbound/answers/wormhole/offered_loads.hpp>
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

}  // namespace tailbound::answers
