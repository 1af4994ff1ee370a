#include <cli/simulate_command.hpp>
#include <cli/simulate_hypercube.hpp>
#include <cli/simulate_multistage.hpp>
#include <cli/simulate_tree.hpp>
#include <cli/simulate_wormhole.hpp>

namespace tailbound::cli {

std::vector<Command> add_simulate_commands(CLI::App& program) {
  CLI::App* simulate =
      program.add_subcommand("simulate", "the same by simulation, with confidence intervals");
  simulate->require_subcommand(1);
  simulate->footer("tailbound simulate tree --help lists its options and shows an example with its output.");
  return {add_simulate_tree(*simulate), add_simulate_multistage(*simulate), add_simulate_wormhole(*simulate),
          add_simulate_hypercube(*simulate)};
}

}  // namespace tailbound::cli
