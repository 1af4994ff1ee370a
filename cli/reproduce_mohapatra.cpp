#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/formats.hpp>
#include <cli/reproduce_mohapatra.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/bounds/multistage/combining.hpp>
#include <tailbound/sim/multistage/simulate_multistage.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::cli::reproduce {
namespace {

using bounds::multistage::Point;
using bounds::multistage::Variant;
using numeric::Rational;

/// The paper does not print switch size, buffer and degree of its figures; these are ours.
constexpr std::int64_t kSwitch = 2, kBuffer = 4, kCombining = 2;
constexpr double kPublishedError = 0.15;
/// Below this share of the load that comes through, a point counts as saturated.
constexpr double kThrough = 0.98;

struct Case {
  const char* hot;
  int colour;
};
constexpr Case kCases[] = {{"0.08", 0}, {"0.16", 1}};

struct Row {
  Rational load;
  Point published, blocking;
  sim::MultistageEstimates simulated;

  [[nodiscard]] bool saturated() const {
    return simulated.throughput.value < kThrough * numeric::nearest_double(load);
  }
  [[nodiscard]] double error(const Point& point) const { return point.delay / simulated.delay->value - 1; }
};

network::CombiningMultistage network_of(std::int64_t nodes, const Case& its) {
  return {.network = {nodes, kSwitch},
          .buffer = kBuffer,
          .hot = numeric::parse_rational(its.hot, "hot"),
          .combining = kCombining};
}

/// Measured in each replication.
std::int64_t slots_of(std::int64_t nodes, bool quick) {
  return std::max<std::int64_t>(2'000'000 / nodes / (quick ? 30 : 1), 64);
}

sim::RunPlan plan_for(const sim::MultistageModel& model, bool quick) {
  return sim::automatic_plan(model, slots_of(model.network.network.nodes, quick), 4, 1);
}

Row row_at(const network::CombiningMultistage& network, const Rational& load, bool quick) {
  const sim::MultistageModel model{.network = network, .load = load};
  const int threads = all_cores();
  return {.load = load,
          .published = solve(network, load, Variant::published),
          .blocking = solve(network, load, Variant::blocking),
          .simulated = sim::multistage_estimates(
              model, sim::run_multistage(model, plan_for(model, quick), {.threads = threads}))};
}

void add_csv(std::string& csv, const Case& its, const Row& row) {
  std::vector<std::string> fields{its.hot, numeric::to_fraction(row.load)};
  for (const Point* point : {&row.published, &row.blocking})
    for (const double number : {point->throughput, point->delay}) fields.push_back(fmt::format("{}", number));
  for (const auto& [value, lower, upper] :
       {std::tuple{row.simulated.throughput.value, row.simulated.throughput.lower,
                   row.simulated.throughput.upper},
        std::tuple{row.simulated.delay->value, row.simulated.delay->lower, row.simulated.delay->upper}})
    for (const double number : {value, lower, upper}) fields.push_back(fmt::format("{}", number));
  csv += csv_line(fields);
}

/// A model's greatest error of the mean delay over `rows`, in words.
struct Errors {
  double mean = 0, worst = 0;
  std::size_t count = 0;
};

Errors errors(const std::vector<Row>& rows, Point Row::*model, bool saturated) {
  Errors result;
  for (const Row& row : rows) {
    if (row.saturated() != saturated) continue;
    const double error = std::abs(row.error(row.*model));
    result.mean += error;
    result.worst = std::max(result.worst, error);
    ++result.count;
  }
  if (result.count > 0) result.mean /= static_cast<double>(result.count);
  return result;
}

std::string in_words(const Errors& found) {
  return fmt::format("{:.1f} % in the mean, {:.1f} % at worst, over {} loads", 100 * found.mean,
                     100 * found.worst, found.count);
}

Finding finding(const char* name, const Case& its, const std::vector<Row>& rows, Point Row::*model,
                bool saturated) {
  const Errors found = errors(rows, model, saturated);
  Finding result{
      .subject = fmt::format("{} at hot {} {} saturation", name, its.hot, saturated ? "in" : "below"),
      .claim = "analysis and simulation differ by at most 15 %",
      .published = "within 15 %; where on the curve is not said",
      .computed = found.count == 0 ? "no such load" : "error of the delay at equal load: " + in_words(found),
      .agrees = {}};
  if (found.count > 0) result.agrees = found.worst <= kPublishedError;
  return result;
}

Result compute(std::int64_t nodes, const Request& request) {
  const Rational step = numeric::parse_rational(request.quick ? "0.2" : "0.1", "step");
  Result result;
  result.csv = csv_line({"hot", "load", "published_throughput", "published_delay", "blocking_throughput",
                         "blocking_delay", "simulated_throughput", "simulated_throughput_lower",
                         "simulated_throughput_upper", "simulated_delay", "simulated_delay_lower",
                         "simulated_delay_upper"});
  const std::size_t all = request.quick ? 10 : 20;
  std::size_t done = 0;
  for (const Case& its : kCases) {
    const network::CombiningMultistage network = network_of(nodes, its);
    std::vector<Row> rows;
    for (Rational load = step; load <= 1; load = load + step) {
      rows.push_back(row_at(network, load, request.quick));
      add_csv(result.csv, its, rows.back());
      request.report(++done, all);
    }
    plots::Curve published{
        .title = fmt::format("published, h = {}", its.hot), .style = plots::Style::dashed, .points = {}};
    plots::Curve blocking{
        .title = fmt::format("blocking, h = {}", its.hot), .style = plots::Style::line, .points = {}};
    plots::Curve simulated{
        .title = fmt::format("simulation, h = {}", its.hot), .style = plots::Style::bars, .points = {}};
    for (const Row& row : rows) {
      published.points.emplace_back(row.published.throughput, row.published.delay);
      blocking.points.emplace_back(row.blocking.throughput, row.blocking.delay);
      simulated.points.emplace_back(row.simulated.throughput.value, row.simulated.delay->value);
      simulated.ends.emplace_back(row.simulated.delay->lower, row.simulated.delay->upper);
    }
    for (plots::Curve* curve : {&published, &blocking, &simulated}) {
      curve->colour = its.colour;
      result.picture.curves.push_back(std::move(*curve));
    }
    for (const bool saturated : {false, true}) {
      result.findings.push_back(finding("published model", its, rows, &Row::published, saturated));
      result.findings.push_back(finding("blocking model", its, rows, &Row::blocking, saturated));
    }
    result.commands.push_back(
        fmt::format("tailbound validate multistage --nodes {} --hot {} --loads {}:1:{} --slots {}", nodes,
                    its.hot, plain(step), plain(step), slots_of(nodes, request.quick)));
  }
  result.picture.title = fmt::format("{} nodes, 2 x 2 switches, buffer 4, combining up to 2", nodes);
  result.picture.x_label = "throughput [requests a processor in a service time]";
  result.picture.y_label = "mean delay [service times]";
  result.picture.note = "simulation with 95 % intervals; the models are approximate";
  result.computed =
      "Throughput and mean delay at loads up to 1: the published model, the variant blocking, and the "
      "simulation (4 replications, seed 1). The paper does not print the switch size, buffer and degree of "
      "combining of its figures; 2 x 2 switches, 4 places and degree 2 are assumed.";
  return result;
}

}  // namespace

std::vector<Figure> mohapatra_figures() {
  const auto figure = [](int number, std::int64_t nodes) {
    return Figure{
        .name = fmt::format("mohapatra-{}", number),
        .paper = "mohapatra",
        .title = fmt::format("Figure {}: throughput against delay of {} nodes, hot spots 8 % and 16 %",
                             number, nodes),
        .source =
            "P. Mohapatra, S. Wong and C. R. Das, Performance Analysis of Combining Multistage "
            "Interconnection Networks, ICPP 1994, section 4",
        .shows =
            "Normalised throughput against average delay by analysis and by simulation, for hot spots of 8 % "
            "and 16 %. The two are said to differ by at most 15 %.",
        .compute = [nodes](const Request& request) { return compute(nodes, request); }};
  };
  return {figure(4, 64), figure(5, 256)};
}

}  // namespace tailbound::cli::reproduce
