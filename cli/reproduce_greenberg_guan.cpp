#include <fmt/format.h>
#include <cli/formats.hpp>
#include <cli/reproduce_greenberg_guan.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/network/butterfly_fat_tree.hpp>
#include <tailbound/network/cube_worms.hpp>
#include <tailbound/network/fat_tree_worms.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tailbound::cli::reproduce {
namespace {

using bounds::wormhole::Model;
using network::Cube;
using network::CubeLinks;

constexpr const char* kSlides =
    "R. I. Greenberg and L. Guan, Modeling and Comparison of Wormhole Routed Mesh and Torus Networks, PDCS "
    "1997, slides";
/// Simulation says that the model is good up to here.
constexpr double kTrustedFraction = 0.7;

WormholeCase make_case(network::ChannelGraph graph, std::int64_t flits) {
  std::string name = graph.name;
  Model model(std::move(graph));
  const double saturation = model.saturation();
  return {.network = std::move(name), .flits = flits, .model = std::move(model), .saturation = saturation};
}

std::string csv_number(double value) {
  return fmt::format("{}", value);
}

void add_row(Result& result, const WormholeCase& its, const char* kind, double load, double latency,
             const std::string& half_width) {
  result.csv += csv_line({its.network, std::to_string(its.flits), kind, csv_number(load),
                          csv_number(load / its.saturation), csv_number(latency), half_width});
}

double latency(const WormholeCase& its, double load) {
  return its.model.solve(load).latency(static_cast<double>(its.flits));
}

/// For the key of a picture whose title says the rest: "torus, 20 flits".
std::string short_name(const WormholeCase& its) {
  for (const char* kind : {"mesh", "torus"})
    if (its.network.find(kind) != std::string::npos) return fmt::format("{}, {} flits", kind, its.flits);
  return fmt::format("{} flits", its.flits);
}

std::size_t count(const Result& result, plots::Style style) {
  return static_cast<std::size_t>(
      std::count_if(result.picture.curves.begin(), result.picture.curves.end(),
                    [style](const plots::Curve& curve) { return curve.style == style; }));
}

void add_model(Result& result, const WormholeCase& its, bool quick) {
  plots::Curve curve{.title = short_name(its), .style = plots::Style::line, .points = {}};
  curve.colour = static_cast<int>(count(result, plots::Style::line));
  for (int percent = 0; percent <= 95; percent += quick ? 15 : 5) {
    const double load = percent / 100.0 * its.saturation;  // as the command has it
    curve.points.emplace_back(load, latency(its, load));
    add_row(result, its, "model", load, curve.points.back().second, "");
  }
  result.picture.curves.push_back(std::move(curve));
}

/// Flit-hops of a simulated point: as the command's, of five loads.
constexpr double kFlitHops = 1.2e8;
constexpr int kReplications = 4;

/// Points at 10, 30, .. 90 % of the model's saturation load; seed 1, as the command has it.
std::vector<SimulatedLatency> simulate(const WormholeCase& its,
                                       const std::shared_ptr<const network::WormNetwork>& network,
                                       const Request& request) {
  const int threads = all_cores();
  std::vector<SimulatedLatency> points;
  for (int percent = 10; percent <= 90; percent += 20) {
    const double fraction = percent / 100.0, load = fraction * its.saturation;
    const sim::WormModel model{.network = network, .load = sim::rounded_load(load), .flits = its.flits};
    const std::int64_t cycles = sim::affordable_cycles(model, fraction, its.model.graph().mean_distance,
                                                       kFlitHops / (request.quick ? 30 : 1), kReplications);
    const sim::RunPlan plan = sim::automatic_plan(model, fraction, cycles, kReplications, 1);
    const sim::WormEstimates found =
        sim::worm_estimates(model, sim::run_worms(model, plan, {.threads = threads}));
    const auto& latency = found.latency.value();
    points.push_back({load, latency.value, (latency.upper - latency.lower) / 2});
  }
  return points;
}

Result new_result(std::string title) {
  Result result;
  result.csv =
      csv_line({"network", "flits", "kind", "load", "fraction_of_saturation", "latency", "half_width"});
  result.picture.title = std::move(title);
  result.picture.x_label = "load [flits/cycle/processor]";
  result.picture.y_label = "mean latency [cycles]";
  result.picture.note = "an approximate model; simulation with 95 % intervals";
  return result;
}

// --- Figure 3 of the fat-tree paper --------------------------------------------------------------------

Result fat_tree_figure(const Request& request) {
  Result result = new_result("butterfly fat-tree, 1024 processors");
  const std::shared_ptr<const network::WormNetwork> worms = network::make_fat_tree_worms(5);
  std::size_t done = 0;
  for (const std::int64_t flits : {16, 32, 64}) {
    const WormholeCase its = make_case(network::fat_tree_classes(5, network::FatTreeVariant::paper), flits);
    add_model(result, its, request.quick);
    add_simulation(result, its, simulate(its, worms, request));
    request.report(++done, 3);
    result.findings.push_back(
        {.subject = fmt::format("throughput, M = {}", flits),
         .claim = "latency grows without bound at a load that the model foretells",
         .published = "a curve without numbers",
         .computed =
             fmt::format("saturation at {:.6g} flits/cycle/processor; latency {:.5g} cycles at load 0, "
                         "{:.5g} at 95 % of saturation",
                         its.saturation, latency(its, 0), latency(its, 0.95 * its.saturation)),
         .agrees = {}});
    result.commands.push_back(fmt::format(
        "tailbound wormhole --topology butterfly-fat-tree --nodes 1024 --flits {} --fractions 0%:95%:5%",
        flits));
    result.commands.push_back(
        fmt::format("tailbound validate wormhole --topology butterfly-fat-tree --nodes 1024 --flits {} "
                    "--fractions 10%:90%:20%",
                    flits));
  }
  result.computed =
      "Mean latency by the model as printed, with the two margin notes followed (the rate of a station of "
      "two "
      "links is that of both), up to 95 % of its saturation load; and by flit-level simulation at 10 to 90 % "
      "of it, with 95 % intervals.";
  return result;
}

// --- Meshes and tori -----------------------------------------------------------------------------------

/// Channels of a square network between its left and right half.
std::int64_t bisection_channels(const Cube& cube) {
  std::int64_t in_a_row = 0;
  for (std::int64_t x = 0; x < cube.radix; ++x) {
    if (cube.links == CubeLinks::mesh && x + 1 == cube.radix) break;
    const bool crosses = (x < cube.radix / 2) != ((x + 1) % cube.radix < cube.radix / 2);
    in_a_row += crosses ? (cube.links == CubeLinks::unidirectional_torus ? 1 : 2) : 0;
  }
  return cube.radix * in_a_row;
}

/// The mesh at loads that the torus carries, too.
Finding mesh_against_torus(const WormholeCase& mesh, const WormholeCase& torus) {
  double least = 1e300, greatest = 0;
  for (int percent = 0; percent <= 95; percent += 5) {
    const double load = torus.saturation * percent / 100;
    const double ratio = load < mesh.saturation ? latency(torus, load) / latency(mesh, load) : 0;
    least = std::min(least, ratio);
    greatest = std::max(greatest, ratio);
  }
  return {.subject = fmt::format("mesh against torus, M = {}", mesh.flits),
          .claim = "of a mesh and a unidirectional torus of equal bisection width, the mesh performs better",
          .published = "no number",
          .computed =
              fmt::format("up to 95 % of the torus' saturation load the torus' latency is {:.3g} to {:.3g} "
                          "times the mesh's; the mesh saturates at {:.5g}, the torus at {:.5g} "
                          "flits/cycle/processor",
                          least, greatest, mesh.saturation, torus.saturation),
          .agrees = least > 1 && mesh.saturation > torus.saturation};
}

Result mesh_figure(std::int64_t radix, const std::vector<std::int64_t>& lengths, const Request& request) {
  const Cube mesh{.links = CubeLinks::mesh, .radix = radix},
      torus{.links = CubeLinks::unidirectional_torus, .radix = radix};
  const std::int64_t nodes = radix * radix;
  Result result =
      new_result(fmt::format("{} nodes: mesh and unidirectional torus of equal bisection", nodes));
  const std::int64_t mesh_wires = bisection_channels(mesh), torus_wires = bisection_channels(torus);
  // The same bits in channels of a width such that both bisections are equal.
  const double narrower = static_cast<double>(torus_wires) / static_cast<double>(mesh_wires);
  result.findings.push_back(
      {.subject = "bisection width",
       .claim = "a bidirectional mesh and a unidirectional torus have equal bisection widths",
       .published = "equal",
       .computed = fmt::format(
           "{} channels cross the middle of the mesh (each row, both ways) and {} that of the torus (each "
           "ring, "
           "there and back); so channels of the mesh are {:.3g} times as wide as those of the torus, and a "
           "message has {:.3g} times as many flits on the torus",
           mesh_wires, torus_wires, narrower, narrower),
       .agrees = mesh_wires == torus_wires});
  std::size_t done = 0;
  for (const std::int64_t flits : lengths) {
    const WormholeCase on_mesh = make_case(network::cube_graph(mesh), flits);
    const WormholeCase on_torus =
        make_case(network::cube_graph(torus), std::llround(static_cast<double>(flits) * narrower));
    for (const auto& [its, cube] : {std::pair{&on_mesh, &mesh}, {&on_torus, &torus}}) {
      add_model(result, *its, request.quick);
      const std::shared_ptr<const network::WormNetwork> worms =
          network::make_cube_worms(*cube, network::usual_virtual_channels(*cube));
      add_simulation(result, *its, simulate(*its, worms, request));
    }
    result.findings.push_back(mesh_against_torus(on_mesh, on_torus));
    for (const auto& [topology, its] : {std::pair{"mesh", &on_mesh}, {"torus", &on_torus}}) {
      result.commands.push_back(fmt::format(
          "tailbound validate wormhole --topology {} --nodes {} --flits {} --fractions 10%:90%:20%", topology,
          nodes, its->flits));
      result.commands.push_back(
          fmt::format("tailbound wormhole --topology {} --nodes {} --flits {} --fractions "
                      "0%:95%:5%",
                      topology, nodes, its->flits));
    }
    request.report(++done, lengths.size());
  }
  result.computed =
      "Mean latency of dimension-order routing under uniform traffic by the model, up to 95 % of each "
      "network's "
      "saturation load, and by flit-level simulation at 10 to 90 % of it, with 95 % intervals. The torus has "
      "two virtual channels a link, which share its wire. The slides take "
      "their model of the torus from Draper and Ghosh (1994); tailbound's treatment of the sharing is its "
      "own "
      "(docs/derivations/wormhole.md).";
  return result;
}

}  // namespace

void add_simulation(Result& result, const WormholeCase& its, const std::vector<SimulatedLatency>& points) {
  // In the colour of the model's curve before it; the key has a place for one.
  const bool first = count(result, plots::Style::bars) == 0;
  plots::Curve curve{.title = first ? "simulation" : "", .style = plots::Style::bars, .points = {}};
  curve.colour = static_cast<int>(std::max<std::size_t>(count(result, plots::Style::line), 1) - 1);
  double trusted = 0, beyond = 0;
  bool any_beyond = false;
  for (const SimulatedLatency& point : points) {
    curve.points.emplace_back(point.load, point.latency);
    curve.ends.emplace_back(point.latency - point.half_width, point.latency + point.half_width);
    add_row(result, its, "simulation", point.load, point.latency, csv_number(point.half_width));
    if (point.load >= its.saturation) continue;
    const double error = latency(its, point.load) / point.latency - 1;
    double& worst = point.load <= kTrustedFraction * its.saturation ? trusted : beyond;
    if (std::abs(error) > std::abs(worst)) worst = error;
    any_beyond = any_beyond || point.load > kTrustedFraction * its.saturation;
  }
  result.picture.curves.push_back(std::move(curve));
  result.findings.push_back(
      {.subject = fmt::format("model against simulation, {}, M = {}", its.network, its.flits),
       .claim = "the model predicts latency accurately",
       .published = "curves without numbers",
       .computed =
           fmt::format("greatest error {:+.1f} % up to 70 % of the model's saturation load{}", 100 * trusted,
                       any_beyond ? fmt::format(", {:+.1f} % beyond", 100 * beyond) : ""),
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
            "and by simulation. The mesh is said to perform better.",
        .compute = [radix, lengths](const Request& request) { return mesh_figure(radix, lengths, request); }};
  };
  return {
      Figure{
          .name = "greenberg-guan-3",
          .paper = "greenberg-guan",
          .title = "Figure 3: latency against load of a butterfly fat-tree of 1024 processors, messages of "
                   "16, 32 and 64 flits",
          .source = "R. I. Greenberg and L. Guan, An Improved Analytical Model for Wormhole Routed Networks "
                    "with Application to Butterfly Fat-Trees, ICPP 1997, section 3.6",
          .shows = "Mean latency by the model and by simulation, which are said to agree accurately for all "
                   "three lengths.",
          .compute = fat_tree_figure},
      comparison(8, {20, 32}), comparison(16, {32, 64})};
}

}  // namespace tailbound::cli::reproduce
