#include <fmt/format.h>
#include <reproduce/papers/shahrabi.hpp>
#include <tailbound/answers/validation/validate_broadcast.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::figures {
namespace {

using answers::BroadcastHypercube;
using answers::ComparedQuantity;
using bounds::wormhole::Replication;
using render::Column;
using render::CurveStyle;
using render::Shape;
using render::Value;

/// The variants that are drawn.
constexpr Replication kDrawn[] = {Replication::conserving, Replication::literal};
/// Errors are judged up to this fraction of the first variant's saturation rate.
constexpr double kModerate = 0.8;

/// The paper gives neither the cases of its curves nor any numbers; these cases cover each of its dimensions,
/// virtual channels, lengths and fractions of broadcasts.
std::vector<BroadcastHypercube> cases_of(int dimensions) {
  struct Case {
    int dimensions;
    std::int64_t virtual_channels, flits;
    const char* broadcast;
  };
  constexpr Case cases[] = {{6, 3, 32, "0.02"}, {6, 4, 64, "0.01"},  {6, 6, 128, "0.005"},
                            {7, 6, 32, "0.01"}, {7, 3, 64, "0.005"}, {7, 4, 100, "0.03"},
                            {8, 4, 32, "0.03"}, {8, 6, 64, "0.02"},  {8, 3, 100, "0.01"}};
  std::vector<BroadcastHypercube> hypercubes;
  for (const Case& its : cases)
    if (its.dimensions == dimensions)
      hypercubes.push_back({.dimensions = dimensions,
                            .virtual_channels = its.virtual_channels,
                            .flits = its.flits,
                            .broadcast = numeric::parse_rational(its.broadcast, "broadcast")});
  return hypercubes;
}

std::string in_words(const BroadcastHypercube& its) {
  return fmt::format("V = {}, M = {}, b = {}", its.virtual_channels, its.flits,
                     numeric::plain(its.broadcast));
}

std::string options_of(const BroadcastHypercube& its) {
  return fmt::format("--dimensions {} --virtual-channels {} --flits {} --broadcast {}", its.dimensions,
                     its.virtual_channels, its.flits, numeric::plain(its.broadcast));
}

bounds::wormhole::BroadcastCube cube_of(const BroadcastHypercube& its, Replication replication) {
  return {.dimensions = its.dimensions,
          .virtual_channels = its.virtual_channels,
          .flits = static_cast<double>(its.flits),
          .broadcast = numeric::nearest_double(its.broadcast),
          .startup = numeric::nearest_double(its.startup),
          .replication = replication};
}

/// The content of a figure.
struct Shown {
  int figure;
  const char* name;
  ComparedQuantity quantity;
  double bounds::wormhole::BroadcastPoint::*model;
};
constexpr Shown kBroadcast{3, "broadcast", ComparedQuantity::broadcast_latency,
                           &bounds::wormhole::BroadcastPoint::broadcast_latency};
constexpr Shown kUnicast{4, "unicast", ComparedQuantity::unicast_latency,
                         &bounds::wormhole::BroadcastPoint::unicast_latency};

/// Nothing if the variant is saturated.
std::optional<double> latency(const BroadcastHypercube& its, Replication replication, const Shown& shown,
                              double rate) {
  const auto point = bounds::wormhole::broadcast_latency(cube_of(its, replication), rate);
  return point ? std::optional((*point).*shown.model) : std::nullopt;
}

double saturation_of(const BroadcastHypercube& its, Replication replication) {
  return bounds::wormhole::broadcast_saturation(cube_of(its, replication));
}

Result new_figure(int dimensions, const Shown& shown) {
  return new_result(
      {{"dimensions", "", "", Shape::whole, "of the hypercube"},
       {"virtual_channels", "", "", Shape::whole, "of each link"},
       {"flits", "", "", Shape::whole, "of a message"},
       {"broadcast", "", "", Shape::given, "fraction of the messages that are broadcasts"},
       {"by", "", "", Shape::text, "a variant of the model, or simulation"},
       {"rate", "", "messages/cycle/node", Shape::given, "offered"},
       {"fraction_of_saturation", "", "", Shape::model,
        "rate / saturation rate of the variant (for simulations: of conserving)"}},
      {{"latency", "", "cycles", Shape::number, fmt::format("mean, of a {}", shown.name)}},
      {.title = fmt::format("{}-dimensional hypercube: {} latency", dimensions, shown.name),
       .x_label = "rate [messages/cycle/node]",
       .y_label = "mean latency [cycles]",
       .note =
           "lines: variant conserving; dashed: literal, the model as published; points: simulation with 95 % "
           "intervals"});
}

void add_point(Result& result, render::Curve& curve, const BroadcastHypercube& its, const std::string& by,
               double rate, double fraction, const Value& latency) {
  render::add_point(curve, rate, latency, false);
  add_row(result,
          {{"dimensions", render::Whole{its.dimensions}},
           {"virtual_channels", render::Whole{its.virtual_channels}},
           {"flits", render::Whole{its.flits}},
           {"broadcast", render::Given{its.broadcast}},
           {"by", render::Text{by}},
           {"rate", render::given(rate)},
           {"fraction_of_saturation", render::Model{fraction}}},
          {{"latency", latency}});
}

// --- the model

void add_model(Result& result, const BroadcastHypercube& its, Replication replication, const Shown& shown,
               int colour, bool quick) {
  const bool published = replication == Replication::literal;
  render::Curve curve{.title = !published    ? in_words(its)
                               : colour == 0 ? "literal"
                                             : "",
                      .style = published ? CurveStyle::dashed : CurveStyle::line,
                      .colour = colour};
  const double saturation = saturation_of(its, replication);
  curve.course = render::course_of(
      [its, replication, shown](double rate) { return latency(its, replication, shown, rate); },
      {0, 0.95 * saturation});
  for (int percent = 0; percent <= 95; percent += quick ? 19 : 5) {
    const double fraction = percent / 100.0, rate = fraction * saturation;
    add_point(result, curve, its, name_of(replication), rate, fraction,
              render::Model{latency(its, replication, shown, rate).value()});
  }
  result.picture.curves.push_back(std::move(curve));
}

// --- the simulation

/// At 20, 40, .. 80 % of the saturation rate of the first variant, with as many flit-hops each as in the
/// command.
answers::ValidateBroadcastAnswer simulate(const BroadcastHypercube& its, bool quick,
                                          const answers::Run& run) {
  answers::SimulateHypercubeQuery query{.network = {.hypercube = its}};
  const double saturation = saturation_of(its, kCompared[0]);
  for (const int percent : {20, 40, 60, 80})
    if (!quick || percent % 40 == 20)
      query.offered.values.push_back(answers::typed_rate(percent / 100.0 * saturation));
  if (quick) query.flit_hops /= 2.0 * quicker;  // for half the rates
  return answers::answer({.simulation = query}, run);
}

std::vector<VariantsAtRate> points_of(const BroadcastHypercube& its,
                                      const answers::ValidateBroadcastAnswer& simulated, const Shown& shown) {
  const double saturation = saturation_of(its, kCompared[0]);
  std::vector<VariantsAtRate> points;
  for (std::size_t at = 0; at < simulated.loads.size(); ++at) {
    const answers::ComparedRow* row = simulated.loads[at].find(shown.quantity);
    if (row == nullptr) continue;
    const double rate = simulated.simulation.points[at].rate;
    VariantsAtRate& point = points.emplace_back(VariantsAtRate{rate, rate / saturation, {}});
    for (std::size_t i = 0; i < kCompared.size(); ++i) {
      point.variants[i].simulated = std::get<answers::Comparison<unit::Cycle>>(row->compared).simulated;
      if (const auto computed = latency(its, kCompared[i], shown, rate))
        point.variants[i].predicted = numeric::Model<unit::Cycle>{*computed};
    }
  }
  return points;
}

void add_simulation(Result& result, const BroadcastHypercube& its, const std::vector<VariantsAtRate>& points,
                    int colour) {
  render::Curve curve{.title = colour == 0 ? "simulation" : "", .style = CurveStyle::bars, .colour = colour};
  for (const VariantsAtRate& point : points)
    add_point(result, curve, its, "simulation", point.rate, point.fraction_of_saturation,
              render::shown(point.variants.front().simulated));
  result.picture.curves.push_back(std::move(curve));
}

/// As typed.
std::vector<std::string> rates_of(const answers::ValidateBroadcastAnswer& simulated) {
  std::vector<std::string> rates;
  for (const answers::SimulatedBroadcasts& point : simulated.simulation.points)
    rates.push_back(numeric::plain(point.rate));
  return rates;
}

// --- findings

/// Messages that cross a link per generated message, from the variants and from the simulation.
Finding links_finding(const BroadcastHypercube& its, const answers::SimulatedBroadcasts& simulated) {
  double flits = 0;
  for (const sim::DimensionUse& use : simulated.found.dimensions) flits += use.flits / its.dimensions;
  const double counted = flits / static_cast<double>(its.flits) / simulated.rate;
  std::string computed;
  double published = 0;
  for (const Replication variant : kCompared) {
    const double rate = bounds::wormhole::broadcast_rates(cube_of(its, variant)).all();
    if (variant == Replication::literal) published = rate;
    computed += fmt::format("{} {:.5g}, ", name_of(variant), rate);
  }
  return {
      .subject = fmt::format("messages on a link ({})", in_words(its)),
      .claim =
          "equations (4), (7), (8) and (11) give the number of messages on a link per message generated by a "
          "node",
      .published = "formulas without numbers",
      .computed = fmt::format("{}simulation {:.5g} at 20 % of saturation (agreement: literal within 2 % of "
                              "the simulation)",
                              computed, counted),
      .agrees = std::abs(published / counted - 1) <= 0.02};
}

// --- figures

Result figure(int dimensions, const Shown& shown, const Request& request) {
  Result result = new_figure(dimensions, shown);
  const std::vector<BroadcastHypercube> cases = cases_of(dimensions);
  for (const Replication replication : kDrawn)
    for (std::size_t i = 0; i < cases.size(); ++i)
      add_model(result, cases[i], replication, shown, static_cast<int>(i), request.quick);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const BroadcastHypercube& its = cases[i];
    const answers::ValidateBroadcastAnswer simulated =
        simulate(its, request.quick, answers::part_of(request.run, i, cases.size()));
    const std::vector<VariantsAtRate> points = points_of(its, simulated, shown);
    add_simulation(result, its, points, static_cast<int>(i));
    result.findings.push_back(judge(in_words(its), points));
    if (i == 0) result.findings.push_back(links_finding(its, simulated.simulation.points.front()));
    result.commands.push_back(fmt::format("tailbound validate broadcast {} --rates {}", options_of(its),
                                          fmt::join(rates_of(simulated), ",")));
  }
  result.computed = fmt::format(
      "Mean {} latency, start-up 1, by the model up to 95 % of each variant's own saturation rate. The "
      "variant literal is the model as printed; conserving counts each copy of a broadcast once "
      "(docs/derivations/broadcast.md). Flit-level simulation at 20 to 80 % of the saturation rate of "
      "conserving, with 95 % intervals. The paper names the dimensions, virtual channels, lengths and "
      "fractions of its cases, but not their combinations; here each value occurs in one of the figures.",
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
      .shows =
          fmt::format("Mean {} latency by the model and by simulation. According to the paper they match "
                      "closely under light and moderate traffic and differ noticeably near saturation.",
                      shown.name),
      .compute = [dimensions, shown](const Request& request) { return figure(dimensions, shown, request); }};
}

}  // namespace

Finding judge(const std::string& hypercube, const std::vector<VariantsAtRate>& points) {
  std::string computed;
  double published = 1e300, widest = 0;
  for (std::size_t i = 0; i < kCompared.size(); ++i) {
    double minimum = 1e300, largest = -1e300;
    for (const VariantsAtRate& point : points) {
      const std::optional<double> error = point.variants[i].error();
      if (!error || point.fraction_of_saturation > kModerate * (1 + 1e-6)) continue;
      minimum = std::min(minimum, *error);
      largest = std::max(largest, *error);
      const auto& simulated = point.variants[i].simulated;
      widest = std::max(widest, (simulated.upper - simulated.lower) / 2 / simulated.value);
    }
    const char* const name = name_of(kCompared[i]);
    if (minimum > largest) {
      computed += fmt::format("{} saturated, ", name);
      continue;
    }
    if (kCompared[i] == Replication::literal) published = std::max(-minimum, largest);
    computed += fmt::format("{} {:+.1f} to {:+.1f} %, ", name, 100 * minimum, 100 * largest);
  }
  return {.subject = fmt::format("model against simulation ({})", hypercube),
          .claim = "the model closely matches the simulation under light and moderate traffic",
          .published = "curves without numbers",
          .computed = fmt::format("errors up to 80 % of the saturation rate of {}: {}with intervals of "
                                  "at most +- {:.1f} % (agreement: literal within 5 %)",
                                  name_of(kCompared[0]), computed, 100 * widest),
          .agrees = published <= 0.05};
}

std::vector<Figure> shahrabi_figures() {
  std::vector<Figure> figures;
  for (const Shown& shown : {kBroadcast, kUnicast})
    for (const int dimensions : {6, 7, 8}) figures.push_back(shahrabi_figure(dimensions, shown));
  return figures;
}

}  // namespace tailbound::figures
