#include <cli/commands.hpp>
#include <cli/options/options.hpp>
#include <cli/options/precision.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/multistage/multistage.hpp>
#include <tailbound/render/documents/simulation/simulate_multistage.hpp>
#include <tailbound/render/documents/validation/validate_multistage.hpp>

/// Combining multistage networks: `multistage`, `simulate multistage` and `validate multistage`.
namespace tailbound::cli {
namespace {

using answers::Combinations;
using answers::MultistageQuery;
using answers::SimulateMultistageQuery;
using answers::ValidateMultistageQuery;
using network::CombiningMultistage;
using network::Links;
using network::Wiring;
using numeric::Rational;
using render::CombiningPoint;
using render::MultistageCurve;

constexpr const char* degrees_of_combining = "a whole number from 1 (none combine) to 1000000, or unlimited";

std::vector<std::optional<std::int64_t>> read_combining(const std::string& text, const std::string& option) {
  std::vector<std::optional<std::int64_t>> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    if (entry == "unlimited")
      list.emplace_back();
    else
      for (const std::int64_t largest : parse_integers(entry, option, 1, 1'000'000, degrees_of_combining))
        list.emplace_back(largest);
    begin = end + 1;
  }
  return list;
}

struct MultistageOptions {
  OptionTable rows{};
  OptionGroup network{rows, "Network"}, traffic{rows, "Traffic"}, output{rows, "Output"};
  Integers nodes{network, "--nodes", "N",
                 integers(2, 1'048'576, "a whole number: a power of the switch size, at most 2^20")
                     .needed("give the number of nodes, a power of the switch size, such as --nodes 64"),
                 "processors and memories: a power of the switch size"};
  Integers size{network, "--switch", "S", integers(2, 512).by_default("2"), "switch size S x S (default {})"};
  Integers buffer{network, "--buffer", "L", integers(1, 10'000).by_default("4").slider(1, 64, 1),
                  "waiting requests per input port (default {}).\nThe one in service does not count"};
  List<std::optional<std::int64_t>> combining{
      network, "--combining", "C",
      Accepted<std::vector<std::optional<std::int64_t>>>{.read = read_combining}.by_default("2").must_be(
          degrees_of_combining),
      "maximum degree of combining (default {}).\n1: none; or unlimited"};
  List<Links> links{
      network, "--links", "NAME", names<Links>().first_by_default(),
      "requests that a link passes at once: {names} (default {}).\nLinks to the memories included"};
  Numbers service{network, "--service", "D",
                  numbers().by_default("1").must_be("above 0 and at most 10^9 units of time"),
                  "service time, the unit of delays (default {})"};
  Numbers hot{traffic, "--hot", "H",
              shares()
                  .needed("give the hot-spot fraction from 0 to 1, such as --hot 0.08")
                  .must_be("from 0 to 1, the fraction of requests to the hot memory")
                  .slider(0, 0.3, 0.005),
              "fraction of requests to one memory: 0.08 or 8%"};
  Numbers loads{
      traffic, "--loads", "LIST",
      shares(1000).by_default("0.1:1:0.1").must_be("above 0 and at most 1 request per service time"),
      "requests per processor and service time.\nA list (default {})"};
  One<MultistageCurve> curve{output, "--curve", "WHAT", one_name<MultistageCurve>().first_by_default(),
                             "with --plot: {names} (default {}).\ndelay: over throughput"};
};
struct MultistageSimulationOptions {
  MultistageOptions query;
  OptionTable rows{};
  List<Wiring> wiring{OptionGroup(rows, "Network"), "--wiring", "NAME", names<Wiring>().first_by_default(),
                      "{names} (default {})"};
  SimulationOptions run;
};

std::vector<CombiningMultistage> read_networks(const MultistageOptions& options) {
  const std::vector<CombiningMultistage> networks =
      Combinations(CombiningMultistage{})
          .by(options.nodes.value(), [](auto& each, std::int64_t count) { each.network.nodes = count; })
          .by(options.size.value(), [](auto& each, std::int64_t size) { each.network.switch_size = size; })
          .by(options.buffer.value(), &CombiningMultistage::buffer)
          .by(options.combining.value(), &CombiningMultistage::combining)
          .by(options.hot.value(), &CombiningMultistage::hot)
          .by(options.links.value(), &CombiningMultistage::links)
          .points();
  for (const CombiningMultistage& network : networks) network::check(network);
  return networks;
}

/// One point for each combination of list entries, the loads varying fastest.
std::vector<CombiningPoint> read_multistage(const MultistageOptions& options) {
  const std::vector<CombiningMultistage> networks = read_networks(options);
  const std::vector<Rational> services = options.service.value();
  for (const Rational& service : services) static_cast<void>(answers::service_time(service));
  const std::vector<Rational> loads = options.loads.value();
  for (const Rational& load : loads) network::check_load(load);
  return Combinations(CombiningPoint{{}, {}, {}})
      .by(networks, &CombiningPoint::network)
      .by(services, &CombiningPoint::service)
      .by(loads, &CombiningPoint::load)
      .points();
}

Reply answer_model(const MultistageOptions& options, const Context& context) {
  const MultistageCurve curve = options.curve.value();
  std::vector<MultistageQuery> queries;
  for (const CombiningPoint& point : read_multistage(options))
    queries.push_back({.network = point.network, .load = point.load, .service = point.service});
  return show_all(
      queries, context, [&](const auto& found) { return render::document(found, curve); },
      [](const MultistageQuery& query) { return render::inputs_of(query); });
}

// --- simulated

void declare_validation(OptionTable& table, MultistageSimulationOptions& options) {
  add_rows(table, options.query, options, options.run);
}

/// One query for each combination of list entries; each has its own warm-up and batches, and by default its
/// own number of slots.
std::vector<SimulateMultistageQuery> read_simulations(const MultistageSimulationOptions& options) {
  const std::vector<render::CombiningPoint> points = read_multistage(options.query);
  std::vector<SimulateMultistageQuery> queries;
  for (const Wiring wiring : options.wiring.value())
    for (const render::CombiningPoint& point : points)
      queries.push_back(
          {.network = point.network, .load = point.load, .service = point.service, .wiring = wiring});
  require_one_to_resume(options.run, queries.size());
  const answers::RunLength length = read_run_length(options.run);
  for (SimulateMultistageQuery& query : queries) {
    query.length = length;
    query.services /= static_cast<double>(queries.size());  // all together take no longer than one
  }
  return queries;
}

Reply answer_simulation(const MultistageSimulationOptions& options, const Context& context) {
  const std::vector<SimulateMultistageQuery> queries = read_simulations(options);
  const auto shown = [curve = options.query.curve.value()](const auto& points, std::size_t requested) {
    return render::document(points, requested, curve);
  };
  return simulate_requested(queries, options.run, context, shown,
                            [](const SimulateMultistageQuery& query) { return render::inputs_of(query); });
}

void declare_simulation(OptionTable& table, MultistageSimulationOptions& options) {
  declare_validation(table, options);
  add_precision_option(table, options.run);
}

Reply answer_validation(const MultistageSimulationOptions& options, const Context& context) {
  std::vector<ValidateMultistageQuery> queries;
  for (const answers::SimulateMultistageQuery& simulation : read_simulations(options))
    queries.push_back({simulation});
  const render::MultistageCurve curve = options.query.curve.value();
  return simulate_all(
      queries, options.run, context,
      [&](const auto& points, std::size_t requested) { return render::document(points, requested, curve); },
      [](const ValidateMultistageQuery& query) { return render::inputs_of(query.simulation); });
}

}  // namespace

Command multistage_command() {
  return command_of<MultistageOptions>(
      {.name = "multistage",
       .purpose = "throughput and delay of combining multistage networks",
       .work = Work::points,
       .draws = true,
       .answer = answer_model,
       .layout = [] { return render::with_status(render::multistage_layout()); },
       .example = {{"--nodes", "64"}, {"--hot", "0.08"}, {"--loads", "0.1:1:0.1"}}});
}

Command simulate_multistage_command() {
  return command_of<MultistageSimulationOptions>(
      {.name = "simulate multistage",
       .purpose = "throughput and delay of multistage networks",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_simulation,
       .answer = answer_simulation,
       .layout = [] { return render::with_status(render::simulate_multistage_layout()); },
       .example = {{"--nodes", "64"}, {"--hot", "0.08"}, {"--loads", "0.2:0.8:0.2"}}});
}

Command validate_multistage_command() {
  return command_of<MultistageSimulationOptions>(
      {.name = "validate multistage",
       .purpose = "throughput and delay of multistage networks",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_validation,
       .answer = answer_validation,
       .layout = [] { return render::with_status(render::validate_multistage_layout()); },
       .example = {{"--nodes", "64"}, {"--hot", "0.08"}, {"--loads", "0.2:0.8:0.2"}}});
}

}  // namespace tailbound::cli
