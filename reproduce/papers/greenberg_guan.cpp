#include <fmt/format.h>
#include <reproduce/papers/greenberg_guan.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/network/channels/cube.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tailbound::figures {
namespace {

using network::WormShape;
using network::WormTopology;
using render::Column;
using render::CurveStyle;
using render::Shape;
using render::Value;

constexpr const char* kSlides =
    "R. I. Greenberg and L. Guan, Modeling and Comparison of Wormhole Routed Mesh and Torus Networks, PDCS "
    "1997, slides";

/// A case with the model of its network.
struct ModelledCase : WormholeCase {
  WormTopology topology;
  bounds::wormhole::Model model;
  double saturation;  ///< of the model [flits/cycle/processor]

  ModelledCase(const WormTopology& its, std::int64_t length, int its_colour)
      : WormholeCase{network::name(its), length, its_colour},
        topology(its),
        model(answers::wormhole_model(its, answers::WormholeVariant::paper)),
        saturation(model.saturation()) {}

  [[nodiscard]] numeric::Model<unit::Cycle> latency(double load) const {
    return answers::wormhole_latency(model, static_cast<double>(flits), load).value();
  }
};

Result new_figure(std::string title) {
  return new_result({{"network", "", "", Shape::text, "its name"},
                     {"flits", "", "", Shape::whole, "of a message"},
                     {"by", "", "", Shape::text, "model, or simulation"},
                     {"load", "", "flits/cycle/processor", Shape::given, "offered"},
                     {"fraction_of_saturation", "", "", Shape::model, "load / saturation load of the model"}},
                    {{"latency", "", "cycles", Shape::number,
                      "mean, from generation of a message until its tail has arrived"}},
                    {.title = std::move(title),
                     .x_label = "load [flits/cycle/processor]",
                     .y_label = "mean latency [cycles]",
                     .note = "an approximate model; simulation with 95 % intervals"});
}

void add_point(Result& result, render::Curve& curve, const WormholeCase& its, const char* by, double load,
               double fraction, const Value& latency) {
  render::add_point(curve, load, latency, false);
  add_row(result,
          {{"network", render::Text{its.network}},
           {"flits", render::Whole{its.flits}},
           {"by", render::Text{by}},
           {"load", render::given(load)},
           {"fraction_of_saturation", render::Model{fraction}}},
          {{"latency", latency}});
}

/// For the key of a picture whose title gives the rest: "torus, 20 flits".
std::string short_name(const WormholeCase& its) {
  for (const char* kind : {"mesh", "torus"})
    if (its.network.find(kind) != std::string::npos) return fmt::format("{}, {} flits", kind, its.flits);
  return fmt::format("{} flits", its.flits);
}

void add_model(Result& result, const ModelledCase& its, bool quick) {
  render::Curve curve{.title = short_name(its), .style = CurveStyle::line, .colour = its.colour};
  curve.course =
      render::course_of([its](double load) -> std::optional<double> { return its.latency(load).value; },
                        {0, 0.95 * its.saturation});
  for (int percent = 0; percent <= 95; percent += quick ? 15 : 5) {
    const double load = percent / 100.0 * its.saturation;  // as in the command
    add_point(result, curve, its, "model", load, load / its.saturation, render::shown(its.latency(load)));
  }
  result.picture.curves.push_back(std::move(curve));
}

/// Points at 10, 30, .. 90 % of the model's saturation load; the simulation runs at them rounded to 1e-9.
std::vector<LatencyAtLoad> simulate(const ModelledCase& its, bool quick, const answers::Run& run) {
  answers::ValidateWormholeQuery query{.simulation = {.network = {.network = its.topology,
                                                                  .variant = answers::WormholeVariant::paper,
                                                                  .messages = {.flits = its.flits}},
                                                      .offered = {.of_saturation = true, .values = {}}}};
  answers::OfferedLoads& offered = query.simulation.offered;
  for (int percent = 10; percent <= 90; percent += 20)
    offered.values.push_back(numeric::Rational(percent) / 100);
  if (quick) query.simulation.flit_hops /= quicker;
  const answers::ValidateWormholeAnswer found = answers::answer(query, run);
  std::vector<LatencyAtLoad> points;
  for (std::size_t i = 0; i < found.loads.size(); ++i) {
    const double load = offered.absolute(offered.values[i], its.saturation);
    points.push_back(
        {.load = load,
         .fraction_of_saturation = load / its.saturation,
         .latency = std::get<answers::Comparison<unit::Cycle>>(found.loads[i].rows.front().compared)});
  }
  return points;
}

void add_commands(Result& result, WormShape shape, std::int64_t nodes, std::int64_t flits) {
  for (const auto& [command, fractions] :
       {std::pair{"wormhole", "0%:95%:5%"}, {"validate wormhole", "10%:90%:20%"}})
    result.commands.push_back(
        fmt::format("tailbound {} --topology {} --nodes {} --flits {} --variant paper --fractions {}",
                    command, name_of(shape), nodes, flits, fractions));
}

// --- Figure 3 of the fat-tree paper --------------------------------------------------------------------

Result fat_tree_figure(const Request& request) {
  Result result = new_figure("butterfly fat-tree, 1024 processors");
  int done = 0;
  for (const std::int64_t flits : {16, 32, 64}) {
    const ModelledCase its({.shape = WormShape::butterfly_fat_tree, .nodes = 1024}, flits, done);
    add_model(result, its, request.quick);
    add_simulation(
        result, its,
        simulate(its, request.quick, answers::part_of(request.run, static_cast<std::size_t>(done++), 3)));
    result.findings.push_back(
        {.subject = fmt::format("throughput, M = {}", flits),
         .claim = "latency grows without bound at a load that the model predicts",
         .published = "a curve without numbers",
         .computed =
             fmt::format("saturation at {:.6g} flits/cycle/processor; latency {:.5g} cycles at load 0, "
                         "{:.5g} at 95 % of saturation",
                         its.saturation, its.latency(0).value, its.latency(0.95 * its.saturation).value),
         .agrees = {}});
    add_commands(result, WormShape::butterfly_fat_tree, its.topology.nodes, flits);
  }
  result.computed =
      "Mean latency by the model as printed, including the two margin notes (the rate of a station of two "
      "links is that of both), up to 95 % of its saturation load. Flit-level simulation at 10 to 90 % of it, "
      "with 95 % intervals.";
  return result;
}

// --- Meshes and tori -----------------------------------------------------------------------------------

/// Channels of a square network between its left and right half.
std::int64_t bisection_channels(WormShape shape, std::int64_t radix) {
  std::int64_t in_a_row = 0;
  for (std::int64_t x = 0; x < radix; ++x) {
    if (shape == WormShape::mesh && x + 1 == radix) break;
    const bool crosses = (x < radix / 2) != ((x + 1) % radix < radix / 2);
    in_a_row += crosses ? (shape == WormShape::unidirectional_torus ? 1 : 2) : 0;
  }
  return radix * in_a_row;
}

/// The mesh at loads that the torus supports as well.
Finding mesh_against_torus(const ModelledCase& mesh, const ModelledCase& torus) {
  double minimum = 1e300, largest = 0;
  for (int percent = 0; percent <= 95; percent += 5) {
    const double load = torus.saturation * percent / 100;
    const double ratio = load < mesh.saturation ? torus.latency(load).value / mesh.latency(load).value : 0;
    minimum = std::min(minimum, ratio);
    largest = std::max(largest, ratio);
  }
  return {.subject = fmt::format("mesh against torus, M = {}", mesh.flits),
          .claim = "of a mesh and a unidirectional torus of equal bisection width, the mesh performs better",
          .published = "no number",
          .computed =
              fmt::format("up to 95 % of the saturation load of the torus, its latency is {:.3g} to {:.3g} "
                          "times that of the mesh; the mesh saturates at {:.5g}, the torus at {:.5g} "
                          "flits/cycle/processor",
                          minimum, largest, mesh.saturation, torus.saturation),
          .agrees = minimum > 1 && mesh.saturation > torus.saturation};
}

Finding equal_bisections(std::int64_t mesh_wires, std::int64_t torus_wires, double narrower) {
  return {.subject = "bisection width",
          .claim = "a bidirectional mesh and a unidirectional torus have equal bisection widths",
          .published = "equal",
          .computed =
              fmt::format("{} channels cross the middle of the mesh (each row, both directions) and {} that "
                          "of the torus (each ring, twice); so channels of the mesh are {:.3g} times as wide "
                          "as those of the torus, and a message has {:.3g} times as many flits on the torus",
                          mesh_wires, torus_wires, narrower, narrower),
          .agrees = mesh_wires == torus_wires};
}

Result mesh_figure(std::int64_t radix, const std::vector<std::int64_t>& lengths, const Request& request) {
  const std::int64_t nodes = radix * radix;
  Result result =
      new_figure(fmt::format("{} nodes: mesh and unidirectional torus of equal bisection", nodes));
  const std::int64_t mesh_wires = bisection_channels(WormShape::mesh, radix),
                     torus_wires = bisection_channels(WormShape::unidirectional_torus, radix);
  // The same bits in channels of a width such that both bisections are equal.
  const double narrower = static_cast<double>(torus_wires) / static_cast<double>(mesh_wires);
  result.findings.push_back(equal_bisections(mesh_wires, torus_wires, narrower));
  int done = 0;
  for (const std::int64_t flits : lengths) {
    const ModelledCase mesh({.shape = WormShape::mesh, .nodes = nodes}, flits, done);
    const ModelledCase torus({.shape = WormShape::unidirectional_torus, .nodes = nodes},
                             std::llround(static_cast<double>(flits) * narrower), done + 1);
    for (const ModelledCase* its : {&mesh, &torus}) {
      add_model(result, *its, request.quick);
      add_simulation(
          result, *its,
          simulate(*its, request.quick,
                   answers::part_of(request.run, static_cast<std::size_t>(done++), 2 * lengths.size())));
    }
    result.findings.push_back(mesh_against_torus(mesh, torus));
    add_commands(result, WormShape::mesh, nodes, mesh.flits);
    add_commands(result, WormShape::unidirectional_torus, nodes, torus.flits);
  }
  result.computed =
      "Mean latency of dimension-order routing under uniform traffic by the model, up to 95 % of each "
      "network's saturation load. Flit-level simulation at 10 to 90 % of it, with 95 % intervals. The torus "
      "has two virtual channels per link, which share its bandwidth. The slides use the torus model of "
      "Draper and Ghosh (1994); tailbound models the sharing differently (docs/derivations/wormhole.md).";
  return result;
}

/// Fraction of the model's saturation load: beyond it errors are shown and not judged.
constexpr double judged_fraction = 0.7;

}  // namespace

void add_simulation(Result& result, const WormholeCase& its, const std::vector<LatencyAtLoad>& points) {
  // In the colour of the model's curve; the key lists it once.
  const bool first = std::none_of(result.picture.curves.begin(), result.picture.curves.end(),
                                  [](const auto& curve) { return curve.style == CurveStyle::bars; });
  render::Curve curve{.title = first ? "simulation" : "", .style = CurveStyle::bars, .colour = its.colour};
  double trusted = 0;
  std::optional<double> beyond;
  for (const LatencyAtLoad& point : points) {
    const double fraction = point.fraction_of_saturation;
    add_point(result, curve, its, "simulation", point.load, fraction, render::shown(point.latency.simulated));
    const std::optional<double> error = point.latency.error();
    if (!error) continue;
    const bool is_trusted = fraction <= judged_fraction * (1 + 1e-6);
    double& worst = is_trusted ? trusted : beyond ? *beyond : beyond.emplace(0);
    if (std::abs(*error) > std::abs(worst)) worst = *error;
  }
  result.picture.curves.push_back(std::move(curve));
  result.findings.push_back(
      {.subject = fmt::format("model against simulation, {}, M = {}", its.network, its.flits),
       .claim = "the model predicts latency accurately",
       .published = "curves without numbers",
       .computed = fmt::format("largest error {:+.1f} % up to 70 % of the model's saturation load{}",
                               100 * trusted, beyond ? fmt::format(", {:+.1f} % beyond", 100 * *beyond) : ""),
       .agrees = std::abs(trusted) <= 0.05});
}

std::vector<Figure> greenberg_guan_figures() {
  const auto comparison = [](std::int64_t radix, std::vector<std::int64_t> lengths) {
    const std::int64_t nodes = radix * radix;
    return Figure{
        .name = fmt::format("greenberg-guan-mesh-{}", nodes),
        .paper = "greenberg-guan-mesh",
        .title = fmt::format("Mesh and torus of {} nodes, messages of {} and {} flits", nodes,
                             lengths.front(), lengths.back()),
        .source = kSlides,
        .shows =
            "Latency against load of a mesh and a unidirectional torus of equal bisection width, by models "
            "and by simulation. According to the slides the mesh performs better.",
        .compute = [radix, lengths](const Request& request) { return mesh_figure(radix, lengths, request); }};
  };
  return {Figure{.name = "greenberg-guan-3",
                 .paper = "greenberg-guan",
                 .title =
                     "Figure 3: latency against load of a butterfly fat-tree of 1024 processors, messages of "
                     "16, 32 and 64 flits",
                 .source =
                     "R. I. Greenberg and L. Guan, An Improved Analytical Model for Wormhole Routed Networks "
                     "with Application to Butterfly Fat-Trees, ICPP 1997, section 3.6",
                 .shows = "Mean latency by the model and by simulation. According to the paper they agree "
                          "accurately for all three lengths.",
                 .compute = fat_tree_figure},
          comparison(8, {20, 32}), comparison(16, {32, 64})};
}

}  // namespace tailbound::figures
