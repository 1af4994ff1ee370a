#pragma once

#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/multistage/simulate_multistage.hpp>
#include <tailbound/network/multistage.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/fields.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Presentation of combining multistage networks, common to the model, the simulation and their comparison.
namespace tailbound::render {

/// One point of a query, without what differs between model and simulation.
struct CombiningPoint {
  network::CombiningMultistage network;
  numeric::Rational load;         ///< requests per processor and service time
  numeric::Rational service = 1;  ///< the unit of delays
};

[[nodiscard]] const Fields<CombiningPoint>& combining_fields();
/// The wiring of the stages of a simulated network.
[[nodiscard]] const Fields<answers::SimulateMultistageQuery>& simulated_combining_fields();

/// "64 nodes, 2 x 2 switches, buffer 4, hot 0.08, combining up to 2, links pass one request at a time", for
/// one load also ", load 0.8"; varying parameters are omitted.  \pre at least one point
[[nodiscard]] std::string in_words(const std::vector<CombiningPoint>& points);
/// "baseline wiring"; omitted if it varies.
[[nodiscard]] std::string wiring_in_words(const std::vector<answers::SimulateMultistageQuery>& queries);
/// Does nothing vary, or only the load?
[[nodiscard]] bool one_network(const Document& document);
/// The varying parameters of one result, "load 0.3, buffer 4"; empty for a single result.
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
              "mean delay from the entry into stage 0 to the end of the last service, all requests [as "
              "service]"),
       [](const Answer& of) { return shown(of.delay); }},
      {column("hot_delay", "hot delay", "mean delay of hot requests; null if there are none [as service]"),
       [](const Answer& of) { return shown(of.hot_delay); }},
      {column("cold_delay", "cold delay",
              "mean delay of the other requests; null if there are none [as service]"),
       [](const Answer& of) { return shown(of.cold_delay); }}};
}

/// Maximum number of points for which text shows the tables of the hot path.
inline constexpr std::size_t max_hot_paths_in_text = 3;
[[nodiscard]] std::string hot_path_caption(const Document& document, const Result& result);

/// The plot of --plot.
enum class MultistageCurve { delay, throughput };
[[nodiscard]] constexpr auto names_of(MultistageCurve) {
  return std::array{"delay", "throughput"};
}

/// One model, or the simulation, at each point.
struct DrawnFlow {
  std::string name;  ///< "blocking"
  CurveStyle style = CurveStyle::points;
  std::vector<Value> throughput, delay;  ///< of each result; None if missing
  /// Of a model: the same of a result at another load.
  std::function<std::pair<Value, Value>(std::size_t result, const numeric::Rational& load)> at_load{};
};

/// The throughput and delay of the model.
[[nodiscard]] std::pair<Value, Value> modelled_flow(const CombiningPoint& point);

/// Delay against throughput for several loads, one curve per network; or throughput against load; or either
/// against the first varying number.
/// \throws NoAnswer  no point has a number to show
[[nodiscard]] Picture flow_picture(const Document& document, const std::string& title, MultistageCurve curve,
                                   const std::vector<DrawnFlow>& flows, const std::string& note);

}  // namespace tailbound::render
