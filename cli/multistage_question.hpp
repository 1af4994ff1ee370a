#pragma once

#include <CLI/App.hpp>
#include <cli/formats.hpp>
#include <cli/plots.hpp>
#include <tailbound/bounds/multistage/combining.hpp>

#include <optional>
#include <string>
#include <vector>

/// What every command on combining multistage networks asks, and what the model answers.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct MultistageOptions {
  std::optional<std::string> nodes, size, buffer, hot, combining, service, loads, curve;
};

/// --nodes --switch --buffer --hot --combining --service --loads, and --curve (of --plot) where `drawn`.
/// `options` must outlive the parse.
void add_multistage_options(CLI::App& command, MultistageOptions& options, bool drawn);

/// What --plot draws.
enum class MultistageCurve { delay, throughput };

/// The options as understood.
struct MultistageQuestion {
  network::CombiningMultistage network;
  numeric::Rational service = 1;  ///< D: delays are shown as so many times the service time's
  std::vector<numeric::Rational> loads;
  MultistageCurve curve = MultistageCurve::delay;
};

/// \throws InvalidArgument
[[nodiscard]] MultistageQuestion read_multistage(const MultistageOptions& options);
/// blocking unless told otherwise.  \throws InvalidArgument
[[nodiscard]] bounds::multistage::Variant read_variant(const std::optional<std::string>& text);
[[nodiscard]] const char* name(bounds::multistage::Variant variant);

/// "64 nodes, 2 x 2 switches, buffer 4, hot 0.08, combining 2"
[[nodiscard]] std::string in_words(const MultistageQuestion& question);
[[nodiscard]] Json inputs_json(const MultistageQuestion& question);

/// The model's answer at one load, delays in the unit of --service.
struct MultistagePoint {
  numeric::Rational load;
  double throughput = 0, delay = 0;
  std::optional<double> hot_delay, cold_delay;  ///< empty where there are no such requests
  std::vector<bounds::multistage::StageFigures> hot_path;
  bounds::Ending ending;

  /// Does so much less come through than is offered (2 %) that processors stall?
  [[nodiscard]] bool saturated() const;
};

/// One point a load, in their order.
[[nodiscard]] std::vector<MultistagePoint> solve(const MultistageQuestion& question,
                                                 bounds::multistage::Variant variant, const Context& context);

/// The axes of the picture, without curves.
[[nodiscard]] plots::Picture multistage_axes(const MultistageQuestion& question);
/// The model's points as a curve of that picture.
[[nodiscard]] plots::Curve model_curve(const std::vector<MultistagePoint>& points, MultistageCurve curve,
                                       std::string title);

}  // namespace tailbound::cli
