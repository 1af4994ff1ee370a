#pragma once

#include <tailbound/answers/multistage/simulate_multistage.hpp>
#include <tailbound/network/multistage.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/fields.hpp>

#include <array>
#include <string>
#include <vector>

/// How a combining multistage network is shown, the same for its model, its simulation and both side by side.
namespace tailbound::render {

/// One point of a question about such networks, without what differs between model and simulation.
struct CombiningPoint {
  network::CombiningMultistage network;
  numeric::Rational load;         ///< requests of a processor in a service time
  numeric::Rational service = 1;  ///< the unit of delays
};

[[nodiscard]] const Fields<CombiningPoint>& combining_fields();
/// And how the stages of a simulated one are wired.
[[nodiscard]] const Fields<answers::SimulateMultistageQuestion>& simulated_combining_fields();

/// "64 nodes, 2 x 2 switches, buffer 4, hot 0.08, combining up to 2, links pass one request at a time", at one load also
/// ", load 0.8"; what differs between points is left out.  \pre at least one point
[[nodiscard]] std::string in_words(const std::vector<CombiningPoint>& points);
/// "baseline wiring"; what differs is left out.
[[nodiscard]] std::string wiring_in_words(const std::vector<answers::SimulateMultistageQuestion>& questions);
/// Is the load all that differs, if anything does?
[[nodiscard]] bool one_network(const Document& document);
/// Of one result: what differs between it and others, "load 0.3, buffer 4"; empty of a single one.
[[nodiscard]] std::string point_in_words(const Document& document, const Result& result);
/// The same without the load.
[[nodiscard]] std::string network_in_words(const Document& document, const Result& result);

/// Throughput and delays, of a model or a simulation.  \param shape  model or estimate
template <class Answer>
[[nodiscard]] Fields<Answer> flow_fields(Shape shape) {
  const auto column = [&](const char* key, const char* heading, const char* meaning) {
    return Column{key, heading, "", shape, meaning, Style::plain, 4};
  };
  return {
      {column("throughput", "throughput", "requests that come through, a processor in a service time"),
       [](const Answer& of) { return shown(of.throughput); }},
      {column("delay", "delay",
              "mean from the entry into stage 0 until the last service ends, of all requests [as service]"),
       [](const Answer& of) { return shown(of.delay); }},
      {column("hot_delay", "hot delay", "that of hot requests; null where there are none [as service]"),
       [](const Answer& of) { return shown(of.hot_delay); }},
      {column("cold_delay", "cold delay", "that of the others; null where there are none [as service]"),
       [](const Answer& of) { return shown(of.cold_delay); }}};
}

/// Tables of the hot path: of so many points text shows them all.
inline constexpr std::size_t most_hot_paths_in_text = 3;
[[nodiscard]] std::string hot_path_caption(const Document& document, const Result& result);

/// What --plot draws.
enum class MultistageCurve { delay, throughput };
[[nodiscard]] constexpr auto names_of(MultistageCurve) {
  return std::array{"delay", "throughput"};
}

/// One model, or the simulation, at each point.
struct DrawnFlow {
  std::string name;  ///< "blocking"
  CurveStyle style = CurveStyle::points_and_line;
  std::vector<Value> throughput, delay;  ///< of each result; None where there is none
};

/// Delay over throughput where loads differ, a curve for each network; or throughput over load; or either over
/// the first number that differs.
/// \throws NoAnswer  no point has a number to show
[[nodiscard]] Picture flow_picture(const Document& document, const std::string& title, MultistageCurve curve,
                                   const std::vector<DrawnFlow>& flows, const std::string& note);

}  // namespace tailbound::render
