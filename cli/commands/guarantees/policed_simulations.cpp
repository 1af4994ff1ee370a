#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/render/documents/simulation/simulate_policed.hpp>

#include <limits>
#include <optional>
#include <string>
#include <utility>

/// Packet-by-packet simulation of a network of policed flows: `simulate policed`.
namespace tailbound::cli {
namespace {

constexpr std::int64_t max_policed_packets = 1'000'000'000'000;

/// As typed; empty if not given.
struct PolicedSimulationOptions {
  std::optional<std::string> network, flow, sources, packets, seed;
};

answers::SimulatePolicedQuery read_query(const PolicedSimulationOptions& options) {
  const std::string& name =
      required(options.network, "--network", "give a network file whose flows have token buckets");
  answers::SimulatePolicedQuery query{
      .file = network::read_policed_network(read_file(name, "--network"), name),
      .file_name = name,
      .flow = options.flow};
  if (options.sources) query.sources = choice_of<sim::EventSources>(*options.sources, "--sources");
  if (options.packets)
    query.packets =
        static_cast<std::uint64_t>(parse_integer(*options.packets, "--packets", 1, max_policed_packets));
  if (options.seed)
    query.seed = static_cast<std::uint64_t>(
        parse_integer(*options.seed, "--seed", 0, std::numeric_limits<std::int64_t>::max()));
  return query;
}

Reply answer_policed(const PolicedSimulationOptions& options, const Context& context) {
  const answers::SimulatePolicedQuery query = read_query(options);
  answers::SimulatePolicedAnswer found = answers::answer(query, analysis_run(context));
  const Status status = found.contradicted() ? no_answer : answered;
  return {.document = render::document(query, std::move(found)), .status = status};
}

void declare_policed(OptionTable& table, PolicedSimulationOptions& options) {
  const OptionGroup network(table, "Network"), simulation(table, "Simulation");
  network.add("--network", options.network, "FILE", "network file whose flows have token buckets");
  network.add("--flow", options.flow, "NAME", "one flow and the ports on its path");
  simulation.add("--sources", options.sources, "NAME",
                 "search, greedy, periodic, random or together.\nDefault search: looks for traffic that "
                 "maximizes delays; together: full bursts at nearly the same times",
                 choices<sim::EventSources>());
  simulation.add("--packets", options.packets, "N", "packets sent in all runs together (default 1000000)");
  simulation.add("--seed", options.seed, "S", "seed of the random numbers (default 1)");
}

}  // namespace

Command simulate_policed_command() {
  return command_of<PolicedSimulationOptions>(
      {.name = "simulate policed",
       .purpose = "delay and backlog of policed traffic",
       .work = Work::search,
       .declare = declare_policed,
       .answer = answer_policed,
       .layout = render::simulate_policed_layout,
       .example = {{"--network", "plant.toml"}, {"--packets", "100000"}}});
}

}  // namespace tailbound::cli
