#include <cli/commands.hpp>

namespace tailbound::cli {

std::vector<Command> add_simulate_commands(CLI::App& program) {
  CLI::App* simulate =
      program.add_subcommand("simulate", "the same by simulation, with confidence intervals");
  simulate->require_subcommand(1);
  simulate->footer("tailbound simulate tree --help lists its options and shows an example with its output.");
  return {add_simulate_tree(*simulate), add_simulate_switch(*simulate), add_simulate_multistage(*simulate),
          add_simulate_wormhole(*simulate), add_simulate_hypercube(*simulate)};
}

std::vector<Command> add_validate_commands(CLI::App& program) {
  CLI::App* validate = program.add_subcommand("validate", "analysis and simulation side by side");
  validate->require_subcommand(1);
  validate->footer(
      "Exit status 1 where the analysis is optimistic beyond the simulation's interval; the table is "
      "printed\n"
      "all the same. tailbound validate delay --help lists options and shows an example.");
  return {add_validate_delay(*validate),    add_validate_buffer(*validate),
          add_validate_switch(*validate),   add_validate_multistage(*validate),
          add_validate_wormhole(*validate), add_validate_broadcast(*validate)};
}

}  // namespace tailbound::cli
