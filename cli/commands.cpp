#include <cli/commands.hpp>

namespace tailbound::cli {

Command buffer_command();
Command occupancy_command();
Command crossbar_command();
Command delay_command();
Command guarantee_command();
Command pgf_command();
Command compare_command();
Command fit_command();
Command multistage_command();
Command wormhole_command();
Command broadcast_command();
Command reproduce_command();
Command simulate_tree_command();
Command simulate_switch_command();
Command simulate_crossbar_command();
Command simulate_buffer_command();
Command simulate_classes_command();
Command simulate_policed_command();
Command simulate_multistage_command();
Command simulate_wormhole_command();
Command simulate_hypercube_command();
Command validate_delay_command();
Command validate_buffer_command();
Command validate_switch_command();
Command validate_crossbar_command();
Command validate_multistage_command();
Command validate_wormhole_command();
Command validate_broadcast_command();
Command network_command();
Command sweep_command();
Command merge_command();
Command serve_command();
Command schema_command();

const std::vector<Category>& categories() {
  static const std::vector<Category> all{
      {"buffer", {buffer_command}, "Queues"},
      {"occupancy", {occupancy_command}, "Queues"},
      {"crossbar", {crossbar_command}, "Queues"},
      {"delay", {delay_command}, "Networks"},
      {"guarantee", {guarantee_command}, "Networks"},
      {"pgf", {pgf_command}, "Queues"},
      {"compare", {compare_command}, "Queues"},
      {"fit", {fit_command}, "Queues"},
      {"multistage", {multistage_command}, "Networks"},
      {"wormhole", {wormhole_command}, "Networks"},
      {"broadcast", {broadcast_command}, "Networks"},
      {"reproduce", {reproduce_command}, "Tools"},
      {"simulate",
       {simulate_tree_command, simulate_switch_command, simulate_crossbar_command, simulate_buffer_command,
        simulate_classes_command, simulate_policed_command, simulate_multistage_command,
        simulate_wormhole_command, simulate_hypercube_command},
       "Simulation",
       "simulations, with confidence intervals"},
      {"validate",
       {validate_delay_command, validate_buffer_command, validate_switch_command, validate_crossbar_command,
        validate_multistage_command, validate_wormhole_command, validate_broadcast_command},
       "Simulation",
       "comparisons of analysis and simulation",
       "Exit status 1: the analysis underestimates beyond the confidence interval of\n"
       "the simulation. The table is printed in any case."},
      {"network", {network_command}, "Networks"},
      {"sweep", {sweep_command}, "Tools"},
      {"merge", {merge_command}, "Tools"},
      {"serve", {serve_command}, "Tools"},
      {"schema", {schema_command}, "Tools"}};
  return all;
}

}  // namespace tailbound::cli
