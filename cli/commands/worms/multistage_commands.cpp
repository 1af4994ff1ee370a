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

/// As typed; empty if not given.
struct MultistageOptions {
  std::optional<std::string> nodes, size, buffer, hot, combining, links, service, loads, curve;
};
struct MultistageSimulationOptions {
  MultistageOptions query;
  SimulationOptions run;
  std::optional<std::string> wiring;
};

constexpr const char* usual_loads = "0.1:1:0.1";

std::vector<std::optional<std::int64_t>> read_combining(const std::string& text) {
  std::vector<std::optional<std::int64_t>> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    if (entry == "unlimited")
      list.emplace_back();
    else
      for (const std::int64_t largest :
           parse_integers(entry, "--combining", 1, 1'000'000,
                          "a whole number from 1 (none combine) to 1000000, or unlimited"))
        list.emplace_back(largest);
    begin = end + 1;
  }
  return list;
}

std::vector<CombiningMultistage> read_networks(const MultistageOptions& options) {
  const std::string& nodes = required(
      options.nodes, "--nodes", "give the number of nodes, a power of the switch size, such as --nodes 64");
  const std::string& hot =
      required(options.hot, "--hot", "give the hot-spot fraction from 0 to 1, such as --hot 0.08");
  const auto sizes = integers_or(2, options.size, "--switch", 2, 512);
  const auto buffers = integers_or(4, options.buffer, "--buffer", 1, 10'000);
  const auto degrees = read_combining(options.combining.value_or("2"));
  const std::vector<Rational> shares = parse_percent_list(hot, "--hot");
  const std::vector<CombiningMultistage> networks =
      Combinations(CombiningMultistage{})
          .by(parse_integers(nodes, "--nodes", 2, 1'048'576,
                             "a whole number: a power of the switch size, at most 2^20"),
              [](auto& each, std::int64_t count) { each.network.nodes = count; })
          .by(sizes, [](auto& each, std::int64_t size) { each.network.switch_size = size; })
          .by(buffers, &CombiningMultistage::buffer)
          .by(degrees, &CombiningMultistage::combining)
          .by(shares, &CombiningMultistage::hot)
          .by(choices_or_first<Links>(options.links, "--links"), &CombiningMultistage::links)
          .points();
  for (const CombiningMultistage& network : networks) network::check(network);
  return networks;
}

/// Default: delay.
MultistageCurve read_curve(const MultistageOptions& options) {
  return choices_or_first<MultistageCurve>(options.curve, "--curve").front();
}

void add_multistage_options(OptionTable& table, MultistageOptions& options) {
  const OptionGroup network(table, "Network"), traffic(table, "Traffic"), output(table, "Output");
  network.add("--nodes", options.nodes, "N", "processors and memories: a power of the switch size");
  network.add("--switch", options.size, "S", "switch size S x S (default 2)");
  network.add("--buffer", options.buffer, "L",
              "waiting requests per input port (default 4).\nThe one in service does not count",
              slider(1, 64, 1));
  network.add("--combining", options.combining, "C",
              "maximum degree of combining (default 2).\n1: none; or unlimited");
  network.add(
      "--links", options.links, "NAME",
      "requests that a link passes at once: one or any (default one).\nLinks to the memories included",
      choices<Links>());
  network.add("--service", options.service, "D", "service time, the unit of delays (default 1)");
  traffic.add("--hot", options.hot, "H", "fraction of requests to one memory: 0.08 or 8%",
              slider(0, 0.3, 0.005));
  traffic.add("--loads", options.loads, "LIST",
              "requests per processor and service time.\nA list (default 0.1:1:0.1)");
  output.add("--curve", options.curve, "WHAT",
             "with --plot: delay or throughput (default delay).\ndelay: over throughput",
             choices<MultistageCurve>());
}

/// One point for each combination of list entries, the loads varying fastest.
std::vector<CombiningPoint> read_multistage(const MultistageOptions& options) {
  const std::vector<CombiningMultistage> networks = read_networks(options);
  const std::vector<Rational> services = parse_list(options.service.value_or("1"), "--service");
  for (const Rational& service : services) static_cast<void>(answers::service_time(service));
  const std::vector<Rational> loads =
      parse_percent_list(options.loads.value_or(usual_loads), "--loads", 1000);
  for (const Rational& load : loads) network::check_load(load);
  static_cast<void>(read_curve(options));
  return Combinations(CombiningPoint{{}, {}, {}})
      .by(networks, &CombiningPoint::network)
      .by(services, &CombiningPoint::service)
      .by(loads, &CombiningPoint::load)
      .points();
}

Reply answer_model(const MultistageOptions& options, const Context& context) {
  std::vector<MultistageQuery> queries;
  for (const CombiningPoint& point : read_multistage(options))
    queries.push_back({.network = point.network, .load = point.load, .service = point.service});
  const render::MultistageCurve curve = read_curve(options);
  return show_all(queries, context, [&](const auto& found) { return render::document(found, curve); });
}

// --- simulated

void declare_validation(OptionTable& table, MultistageSimulationOptions& options) {
  add_multistage_options(table, options.query);
  const OptionGroup network(table, "Network");
  network.add("--wiring", options.wiring, "NAME", choices_in_words<Wiring>(), choices<Wiring>());
  add_simulation_options(table, options.run);
}

/// One query for each combination of list entries; each has its own warm-up and batches, and by default its
/// own number of slots.
std::vector<SimulateMultistageQuery> read_simulations(const MultistageSimulationOptions& options) {
  const std::vector<render::CombiningPoint> points = read_multistage(options.query);
  std::vector<SimulateMultistageQuery> queries;
  for (const Wiring wiring : choices_or_first<Wiring>(options.wiring, "--wiring"))
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
  const auto shown = [curve = read_curve(options.query)](const auto& points, std::size_t requested) {
    return render::document(points, requested, curve);
  };
  return simulate_requested(queries, options.run, context, shown);
}

void declare_simulation(OptionTable& table, MultistageSimulationOptions& options) {
  declare_validation(table, options);
  add_precision_option(table, options.run);
}

Reply answer_validation(const MultistageSimulationOptions& options, const Context& context) {
  std::vector<ValidateMultistageQuery> queries;
  for (const answers::SimulateMultistageQuery& simulation : read_simulations(options))
    queries.push_back({simulation});
  const render::MultistageCurve curve = read_curve(options.query);
  const auto points = paired(queries, simulate_each(queries, queries.size(), options.run, context).finished);
  return judged(render::document(points, queries.size(), curve), points);
}

}  // namespace

Command multistage_command() {
  return command_of<MultistageOptions>(
      {.name = "multistage",
       .purpose = "throughput and delay of combining multistage networks",
       .work = Work::points,
       .draws = true,
       .declare = add_multistage_options,
       .answer = answer_model,
       .layout = render::multistage_layout,
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
       .layout = render::simulate_multistage_layout,
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
       .layout = render::validate_multistage_layout,
       .example = {{"--nodes", "64"}, {"--hot", "0.08"}, {"--loads", "0.2:0.8:0.2"}}});
}

}  // namespace tailbound::cli
