#include <fmt/format.h>
#include <reproduce/papers/mohapatra.hpp>
#include <tailbound/answers/validation/validate_multistage.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::figures {
namespace {

using bounds::multistage::Variant;
using numeric::plain;
using numeric::Rational;
using render::Column;
using render::CurveStyle;
using render::Shape;

/// The paper does not print switch size, buffer and degree of its figures; these are ours.
constexpr std::int64_t kSwitch = 2, kBuffer = 4, kCombining = 2;
constexpr double kPublishedError = 0.15;
/// A point counts as saturated if a smaller fraction of the load is carried.
constexpr double kThrough = 0.98;

struct Case {
  const char* hot;
  int colour;
};
constexpr Case kCases[] = {{"0.08", 0}, {"0.16", 1}};

Rational hot_of(const Case& its) {
  return numeric::parse_rational(its.hot, "hot");
}

struct Row {
  Rational load;
  answers::ValidateMultistageAnswer found;
  bounds::multistage::Point published;

  [[nodiscard]] double delay(Variant model) const {
    return model == Variant::published ? published.delay : found.model.delay.value;
  }
  /// Of the mean delay.
  [[nodiscard]] double error(Variant model) const {
    return delay(model) / found.simulation.delay.value().value - 1;
  }
  [[nodiscard]] bool saturated() const {
    return found.simulation.throughput.value < kThrough * numeric::nearest_double(load);
  }
};

/// Measured in each replication.
std::int64_t slots_of(std::int64_t nodes, bool quick) {
  return std::max<std::int64_t>(2'000'000 / nodes / (quick ? quicker : 1), 64);
}

network::CombiningMultistage network_of(std::int64_t nodes, const Case& its) {
  return {.network = {nodes, kSwitch},
          .buffer = kBuffer,
          .hot = hot_of(its),
          .combining = kCombining,
          .links = network::Links::any};
}

Row row_at(std::int64_t nodes, const Case& its, const Rational& load, const Request& request,
           const answers::Run& run) {
  return {load,
          answers::answer({.simulation = {.network = network_of(nodes, its),
                                          .load = load,
                                          .length = {.slots = slots_of(nodes, request.quick)}}},
                          run),
          bounds::multistage::solve(network_of(nodes, its), load, Variant::published)};
}

std::vector<Column> columns() {
  const char* const through = "requests delivered per processor and service time";
  const char* const delay = "mean, from entry into stage 0 until the end of the last service [service times]";
  std::vector<Column> columns;
  for (const auto& [prefix, by, shape] : {std::tuple{"published", ", by the published model", Shape::model},
                                          {"blocking", ", by the model of blocking", Shape::model},
                                          {"simulated", ", by simulation", Shape::estimate}}) {
    columns.push_back({fmt::format("{}_throughput", prefix), "", "", shape, std::string(through) + by});
    columns.push_back({fmt::format("{}_delay", prefix), "", "", shape, std::string(delay) + by});
  }
  return columns;
}

void add_to_table(Result& result, const Case& its, const Row& row) {
  const answers::ValidateMultistageAnswer& found = row.found;
  add_row(result, {{"hot", render::Given{hot_of(its)}}, {"load", render::Given{row.load}}},
          {{"published_throughput", render::Model{row.published.throughput}},
           {"published_delay", render::Model{row.published.delay}},
           {"blocking_throughput", render::shown(found.model.throughput)},
           {"blocking_delay", render::shown(found.model.delay)},
           {"simulated_throughput", render::shown(found.simulation.throughput)},
           {"simulated_delay", render::shown(found.simulation.delay)}});
}

/// The delay against the throughput, at the loads of the rows and between them.
render::Course course_of(std::int64_t nodes, const Case& its, const std::vector<Row>& rows, Variant variant) {
  std::vector<double> loads;
  for (const Row& row : rows) loads.push_back(numeric::nearest_double(row.load));
  return {[network = network_of(nodes, its), variant](double load) -> std::optional<render::Course::Place> {
            const bounds::multistage::Point found =
                bounds::multistage::solve(network, numeric::to_rational(load), variant);
            return render::Course::Place{found.throughput, found.delay};
          },
          std::move(loads)};
}

void add_curves(render::Picture& picture, std::int64_t nodes, const Case& its, const std::vector<Row>& rows) {
  const auto curve = [&](const char* name, CurveStyle style) {
    return render::Curve{
        .title = fmt::format("{}, h = {}", name, its.hot), .style = style, .colour = its.colour};
  };
  render::Curve published = curve("published", CurveStyle::dashed);
  render::Curve blocking = curve("blocking", CurveStyle::line);
  render::Curve simulated = curve("simulation", CurveStyle::bars);
  for (const Row& row : rows) {
    published.points.emplace_back(row.published.throughput, row.published.delay);
    blocking.points.emplace_back(row.found.model.throughput.value, row.found.model.delay.value);
    render::add_point(simulated, row.found.simulation.throughput.value,
                      render::shown(row.found.simulation.delay), false);
  }
  published.course = course_of(nodes, its, rows, Variant::published);
  blocking.course = course_of(nodes, its, rows, Variant::blocking);
  for (render::Curve* drawn : {&published, &blocking, &simulated})
    picture.curves.push_back(std::move(*drawn));
}

/// A model's error of the mean delay over some loads.
struct Errors {
  double mean = 0, worst = 0;
  std::size_t count = 0;
};

Errors errors(const std::vector<Row>& rows, Variant model, bool saturated) {
  Errors result;
  for (const Row& row : rows) {
    if (row.saturated() != saturated) continue;
    const double error = std::abs(row.error(model));
    result.mean += error;
    result.worst = std::max(result.worst, error);
    ++result.count;
  }
  if (result.count > 0) result.mean /= static_cast<double>(result.count);
  return result;
}

std::string in_words(const Errors& found) {
  return fmt::format("{:.1f} % on average, {:.1f} % at most, over {} loads", 100 * found.mean,
                     100 * found.worst, found.count);
}

Finding finding(const char* name, const Case& its, const std::vector<Row>& rows, Variant model,
                bool saturated) {
  const Errors found = errors(rows, model, saturated);
  Finding result{
      .subject = fmt::format("{} at hot {} {} saturation", name, its.hot, saturated ? "in" : "below"),
      .claim = "analysis and simulation differ by at most 15 %",
      .published = "within 15 %; the point on the curve is not specified",
      .computed = found.count == 0 ? "no such load" : "error of the delay at equal load: " + in_words(found),
      .agrees = {}};
  if (found.count > 0) result.agrees = found.worst <= kPublishedError;
  return result;
}

Result compute(std::int64_t nodes, const Request& request) {
  const Rational step = numeric::parse_rational(request.quick ? "0.2" : "0.1", "step");
  Result result =
      new_result({{"hot", "hot", "", Shape::given, "fraction of the requests to one memory"},
                  {"load", "load", "", Shape::given, "requests generated per processor and service time"}},
                 columns(),
                 {.title = fmt::format("{} nodes, 2 x 2 switches, buffer 4, combining up to 2", nodes),
                  .x_label = "throughput [requests per processor and service time]",
                  .y_label = "mean delay [service times]",
                  .note = "simulation with 95 % intervals; the models are approximate"});
  const std::size_t all = request.quick ? 10 : 20;
  std::size_t done = 0;
  for (const Case& its : kCases) {
    std::vector<Row> rows;
    for (Rational load = step; load <= 1; load = load + step) {
      rows.push_back(row_at(nodes, its, load, request, answers::part_of(request.run, done++, all)));
      add_to_table(result, its, rows.back());
    }
    add_curves(result.picture, nodes, its, rows);
    for (const bool saturated : {false, true}) {
      result.findings.push_back(finding("published model", its, rows, Variant::published, saturated));
      result.findings.push_back(finding("blocking model", its, rows, Variant::blocking, saturated));
    }
    result.commands.push_back(fmt::format(
        "tailbound validate multistage --nodes {} --hot {} --links any --loads {}:1:{} --slots {}", nodes,
        its.hot, plain(step), plain(step), slots_of(nodes, request.quick)));
  }
  result.computed =
      "Throughput and mean delay at loads up to 1: the published model, the variant blocking, and the "
      "simulation (4 replications, seed 1). The paper does not print the switch size, buffer and degree of "
      "combining of its figures; 2 x 2 switches, a buffer of 4 and degree 2 are assumed.";
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
            "Normalized throughput against average delay by analysis and by simulation, for hot spots of 8 % "
            "and 16 %. According to the paper they differ by at most 15 %.",
        .compute = [nodes](const Request& request) { return compute(nodes, request); }};
  };
  return {figure(4, 64), figure(5, 256)};
}

}  // namespace tailbound::figures
