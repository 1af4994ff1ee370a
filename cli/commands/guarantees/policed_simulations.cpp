#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/options/names.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/render/documents/simulation/simulate_policed.hpp>

#include <cstdint>
#include <string>
#include <utility>

/// Packet-by-packet simulation of a network of policed flows: `simulate policed`.
namespace tailbound::cli {
namespace {

struct PolicedSimulationOptions {
  OptionTable rows{};
  OptionGroup network_group{rows, "Network"}, simulation{rows, "Simulation"};
  Text network{network_group, "--network", "FILE",
               options::text().needed("give a network file whose flows have token buckets"),
               "network file whose flows have token buckets"};
  Text flow{network_group, "--flow", "NAME", "one flow and the ports on its path"};
  One<sim::EventSources> sources{simulation, "--sources", "NAME",
                                 one_name<sim::EventSources>().first_by_default(),
                                 "{names}.\nDefault {}: looks for traffic that maximizes delays; together: "
                                 "full bursts at nearly the same times"};
  One<std::uint64_t> packets{simulation, "--packets", "N",
                             integer<std::uint64_t>(1, 1'000'000'000'000).by_default("1000000"),
                             "packets sent in all runs together (default {})"};
  One<std::uint64_t> seed{simulation, "--seed", "S", integer<std::uint64_t>(0).by_default("1"),
                          "seed of the random numbers (default {})"};
};

answers::SimulatePolicedQuery read_query(const PolicedSimulationOptions& options) {
  const std::string name = options.network.value();
  return {.file = network::read_policed_network(read_file(name, "--network"), name),
          .file_name = name,
          .sources = options.sources.value(),
          .packets = options.packets.value(),
          .seed = options.seed.value(),
          .flow = options.flow.if_given()};
}

Reply answer_policed(const PolicedSimulationOptions& options, const Context& context) {
  const answers::SimulatePolicedQuery query = read_query(options);
  keep_names(query.file);
  answers::SimulatePolicedAnswer found = answers::answer(query, analysis_run(context));
  const bool contradicted = found.contradicted();
  Reply reply{.document = render::document(query, std::move(found))};
  if (contradicted) reply.complain(no_answer, rows::verdict_of(reply.document));
  return reply;
}

}  // namespace

Command simulate_policed_command() {
  return command_of<PolicedSimulationOptions>(
      {.name = "simulate policed",
       .purpose = "delay and backlog of policed traffic",
       .work = Work::search,
       .answer = answer_policed,
       .layout = render::simulate_policed_layout,
       .example = {{"--network", "plant.toml"}, {"--packets", "100000"}}});
}

}  // namespace tailbound::cli
