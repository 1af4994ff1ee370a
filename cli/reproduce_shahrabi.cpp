#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/formats.hpp>
#include <cli/reproduce_shahrabi.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/answers/simulate_hypercube.hpp>
#include <tailbound/render/documents/hypercube.hpp>
#include <tailbound/sim/worm/simulate_broadcasts.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace tailbound::cli::reproduce {
namespace {

using bounds::wormhole::BroadcastCube;
using bounds::wormhole::BroadcastPoint;
using bounds::wormhole::Replication;
using sim::BroadcastEstimates;

constexpr double kStartup = 1;
/// Errors count up to here, of the default variant's saturation rate.
constexpr double kModerate = 0.8;

/// The paper prints neither which cases its curves are nor any number; these have each of its dimensions,
/// virtual channels, lengths and fractions.
const std::vector<BroadcastCase> kCases{{6, 3, 32, "0.02"}, {6, 4, 64, "0.01"},  {6, 6, 128, "0.005"},
                                        {7, 6, 32, "0.01"}, {7, 3, 64, "0.005"}, {7, 4, 100, "0.03"},
                                        {8, 4, 32, "0.03"}, {8, 6, 64, "0.02"},  {8, 3, 100, "0.01"}};

std::string in_words(const BroadcastCase& its) {
  return fmt::format("V = {}, M = {}, b = {}", its.virtual_channels, its.flits, its.broadcast);
}

std::string options_of(const BroadcastCase& its) {
  return fmt::format("--dimensions {} --virtual-channels {} --flits {} --broadcast {}", its.dimensions,
                     its.virtual_channels, its.flits, its.broadcast);
}

/// What a figure shows.
struct Shown {
  int figure;
  const char* name;
  double BroadcastPoint::*model;
  std::optional<numeric::Estimate<unit::Slot>> BroadcastEstimates::*simulated;
};
constexpr Shown kBroadcast{3, "broadcast", &BroadcastPoint::broadcast_latency,
                           &BroadcastEstimates::broadcast_latency};
constexpr Shown kUnicast{4, "unicast", &BroadcastPoint::unicast_latency,
                         &BroadcastEstimates::unicast_latency};

std::string csv_number(double value) {
  return fmt::format("{}", value);
}

void add_row(Result& result, const BroadcastCase& its, const std::string& kind, double rate, double fraction,
             double latency, const std::string& half_width) {
  result.csv += csv_line({std::to_string(its.dimensions), std::to_string(its.virtual_channels),
                          std::to_string(its.flits), its.broadcast, kind, csv_number(rate),
                          csv_number(fraction), csv_number(latency), half_width});
}

// --- the model

void add_model(Result& result, const BroadcastCase& its, Replication replication, const Shown& shown,
               int colour, bool quick) {
  const bool published = replication == Replication::literal;
  plots::Curve curve{.title = !published    ? in_words(its)
                              : colour == 0 ? "literal"
                                            : "",
                     .style = published ? plots::Style::dashed : plots::Style::line,
                     .points = {}};
  curve.colour = colour;
  const BroadcastCube cube = its.cube(replication);
  const double saturation = bounds::wormhole::broadcast_saturation(cube);
  for (int percent = 0; percent <= 95; percent += quick ? 19 : 5) {
    const double fraction = percent / 100.0, rate = fraction * saturation;  // as the command has it
    const double latency = bounds::wormhole::broadcast_latency(cube, rate).value().*shown.model;
    curve.points.emplace_back(rate, latency);
    add_row(result, its, render::replication_name(replication), rate, fraction, latency, "");
  }
  result.picture.curves.push_back(std::move(curve));
}

// --- the simulation

/// Flit-hops of a simulated point: as the command's, of four rates.
constexpr double kFlitHops = 5e7;
/// Of the default variant's saturation rate, in percent.
constexpr int kPercents[] = {20, 40, 60, 80}, kQuickPercents[] = {20, 60};
constexpr int kReplications = 4;

struct SimulatedCase {
  std::vector<double> fractions;  ///< of the default variant's saturation rate
  std::vector<double> rates;
  std::vector<BroadcastEstimates> found;
};

/// Seed 1, as the command has it.
SimulatedCase simulate(const BroadcastCase& its, const Request& request, std::size_t done, std::size_t all) {
  const int threads = all_cores();
  sim::BroadcastModel model;
  model.dimensions = its.dimensions;
  model.virtual_channels = its.virtual_channels;
  model.flits = its.flits;
  model.broadcast = numeric::parse_rational(its.broadcast, "broadcast");
  model.startup = static_cast<std::int64_t>(kStartup);
  const double saturation =
      bounds::wormhole::broadcast_saturation(its.cube(answers::broadcast_variants.front()));
  SimulatedCase result;
  const std::span<const int> percents =
      request.quick ? std::span<const int>(kQuickPercents) : std::span<const int>(kPercents);
  for (const int percent : percents) {
    model.rate = answers::typed_rate(percent / 100.0 * saturation);
    const double rate = numeric::nearest_double(model.rate), fraction = rate / saturation;
    const std::int64_t cycles =
        sim::affordable_cycles(model, fraction, kFlitHops / (request.quick ? 30 : 1), kReplications);
    const sim::RunPlan plan = sim::automatic_plan(model, fraction, cycles, kReplications, 1);
    result.fractions.push_back(fraction);
    result.rates.push_back(rate);
    result.found.push_back(
        sim::broadcast_estimates(model, sim::run_broadcasts(model, plan, {.threads = threads})));
    request.report(percents.size() * done + result.found.size(), percents.size() * all);
  }
  return result;
}

std::vector<SimulatedBroadcast> points_of(const SimulatedCase& simulated, const Shown& shown) {
  std::vector<SimulatedBroadcast> points;
  for (std::size_t i = 0; i < simulated.found.size(); ++i)
    if (const auto& latency = simulated.found[i].*shown.simulated)
      points.push_back({simulated.rates[i], latency->value, (latency->upper - latency->lower) / 2});
  return points;
}

void add_simulation(Result& result, const BroadcastCase& its, const std::vector<SimulatedBroadcast>& points,
                    int colour) {
  plots::Curve curve{.title = colour == 0 ? "simulation" : "", .style = plots::Style::bars, .points = {}};
  curve.colour = colour;
  const double saturation =
      bounds::wormhole::broadcast_saturation(its.cube(answers::broadcast_variants.front()));
  for (const SimulatedBroadcast& point : points) {
    curve.points.emplace_back(point.rate, point.latency);
    curve.ends.emplace_back(point.latency - point.half_width, point.latency + point.half_width);
    add_row(result, its, "simulation", point.rate, point.rate / saturation, point.latency,
            csv_number(point.half_width));
  }
  result.picture.curves.push_back(std::move(curve));
}

// --- findings

/// Messages that cross a link for each message that a node generates, by the variants and by the simulation.
Finding links_finding(const BroadcastCase& its, const SimulatedCase& simulated) {
  const BroadcastEstimates& found = simulated.found.front();
  double flits = 0;
  for (const sim::DimensionUse& use : found.dimensions) flits += use.flits / its.dimensions;
  const double counted = flits / static_cast<double>(its.flits) / simulated.rates.front();
  std::string computed;
  double published = 0;
  for (const Replication variant : answers::broadcast_variants) {
    const double rate = bounds::wormhole::broadcast_rates(its.cube(variant)).all();
    if (variant == Replication::literal) published = rate;
    computed += fmt::format("{} {:.5g}, ", render::replication_name(variant), rate);
  }
  return {
      .subject = fmt::format("messages on a link ({})", in_words(its)),
      .claim =
          "equations (4), (7), (8) and (11) give the messages that cross a link for each that a node "
          "generates",
      .published = "formulas without numbers",
      .computed = fmt::format("{}simulation {:.5g} at 20 % of saturation (agreement: literal within 2 % of "
                              "the simulation)",
                              computed, counted),
      .agrees = std::abs(published / counted - 1) <= 0.02};
}

// --- figures

Result figure(int dimensions, const Shown& shown, const Request& request) {
  Result result;
  result.csv = csv_line({"dimensions", "virtual_channels", "flits", "broadcast", "kind", "rate",
                         "fraction_of_saturation", "latency", "half_width"});
  result.picture.title = fmt::format("{}-dimensional hypercube: {} latency", dimensions, shown.name);
  result.picture.x_label = "rate [messages/cycle/node]";
  result.picture.y_label = "mean latency [cycles]";
  result.picture.note =
      "lines: variant conserving; dashed: literal, the model as published; points: simulation with 95 % "
      "intervals";
  std::vector<BroadcastCase> cases = kCases;
  std::erase_if(cases, [dimensions](const BroadcastCase& its) { return its.dimensions != dimensions; });
  for (const Replication replication : {Replication::conserving, Replication::literal})
    for (std::size_t i = 0; i < cases.size(); ++i)
      add_model(result, cases[i], replication, shown, static_cast<int>(i), request.quick);
  int colour = 0;
  for (const BroadcastCase& its : cases) {
    const SimulatedCase simulated = simulate(its, request, static_cast<std::size_t>(colour), cases.size());
    const std::vector<SimulatedBroadcast> points = points_of(simulated, shown);
    add_simulation(result, its, points, colour++);
    result.findings.push_back(judge(its, shown.model, points));
    if (result.findings.size() == 1) result.findings.push_back(links_finding(its, simulated));
    for (const Replication replication : {Replication::conserving, Replication::literal})
      result.commands.push_back(fmt::format("tailbound broadcast {} --replication {} --fractions 0%:95%:5%",
                                            options_of(its), render::replication_name(replication)));
    result.commands.push_back(
        fmt::format("tailbound validate broadcast {} --fractions 20%:80%:20%", options_of(its)));
  }
  result.computed = fmt::format(
      "Mean {} latency, start-up 1, by the model up to 95 % of each variant's own saturation rate: literal "
      "is "
      "the model as printed, conserving counts each copy of a broadcast once "
      "(docs/derivations/broadcast.md); and by flit-level simulation at 20 to 80 % of the saturation rate "
      "of "
      "conserving, with 95 % intervals. The paper names the dimensions, virtual channels, lengths and "
      "fractions of its cases, not which of them go together: the cases here are a choice in which each "
      "occurs in one of the figures.",
      shown.name);
  return result;
}

Figure shahrabi_figure(int dimensions, const Shown& shown) {
  return {
      .name = fmt::format("shahrabi-{}-{}d", shown.figure, dimensions),
      .paper = "shahrabi",
      .title = fmt::format("Figure {}: {} latency against rate of {}-dimensional hypercubes", shown.figure,
                           shown.name, dimensions),
      .source =
          "A. Shahrabi and M. Ould-Khaoua, On the Communication Latency of Wormhole Routed "
          "Interconnection Networks, 2003, section 4",
      .shows = fmt::format("Mean {} latency by the model and by simulation, which are said to match closely "
                           "under light and moderate traffic, and to differ noticeably near saturation.",
                           shown.name),
      .compute = [dimensions, shown](const Request& request) { return figure(dimensions, shown, request); }};
}

}  // namespace

bounds::wormhole::BroadcastCube BroadcastCase::cube(Replication replication) const {
  return {.dimensions = dimensions,
          .virtual_channels = virtual_channels,
          .flits = static_cast<double>(flits),
          .broadcast = numeric::nearest_double(numeric::parse_rational(broadcast, "broadcast")),
          .startup = kStartup,
          .replication = replication};
}

Finding judge(const BroadcastCase& its, double BroadcastPoint::*latency,
              const std::vector<SimulatedBroadcast>& points) {
  const double saturation =
      bounds::wormhole::broadcast_saturation(its.cube(answers::broadcast_variants.front()));
  std::string computed;
  double published = 1e300, widest = 0;
  for (const Replication variant : answers::broadcast_variants) {
    double least = 1e300, greatest = -1e300;
    for (const SimulatedBroadcast& point : points) {
      if (point.rate > kModerate * saturation * (1 + 1e-6)) continue;
      const auto model = bounds::wormhole::broadcast_latency(its.cube(variant), point.rate);
      if (!model) continue;
      const double error = (*model).*latency / point.latency - 1;
      least = std::min(least, error);
      greatest = std::max(greatest, error);
      widest = std::max(widest, point.half_width / point.latency);
    }
    if (least > greatest) {
      computed += fmt::format("{} saturated, ", render::replication_name(variant));
      continue;
    }
    if (variant == Replication::literal) published = std::max(-least, greatest);
    computed += fmt::format("{} {:+.1f} to {:+.1f} %, ", render::replication_name(variant), 100 * least,
                            100 * greatest);
  }
  return {.subject = fmt::format("model against simulation ({})", in_words(its)),
          .claim = "the model closely matches the simulation under light and moderate traffic",
          .published = "curves without numbers",
          .computed = fmt::format("errors up to 80 % of the saturation rate of {}: {}with intervals of "
                                  "at most +- {:.1f} % (agreement: literal within 5 %)",
                                  render::replication_name(answers::broadcast_variants.front()), computed,
                                  100 * widest),
          .agrees = published <= 0.05};
}

std::vector<Figure> shahrabi_figures() {
  std::vector<Figure> figures;
  for (const Shown& shown : {kBroadcast, kUnicast})
    for (const int dimensions : {6, 7, 8}) figures.push_back(shahrabi_figure(dimensions, shown));
  return figures;
}

}  // namespace tailbound::cli::reproduce
