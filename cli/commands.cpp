#include <cli/commands.hpp>

namespace tailbound::cli {

Command buffer_command();
Command occupancy_command();
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
Command simulate_classes_command();
Command simulate_policed_command();
Command simulate_multistage_command();
Command simulate_wormhole_command();
Command simulate_hypercube_command();
Command validate_delay_command();
Command validate_buffer_command();
Command validate_switch_command();
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
      {"buffer", {buffer_command}},
      {"occupancy", {occupancy_command}},
      {"delay", {delay_command}},
      {"guarantee", {guarantee_command}},
      {"pgf", {pgf_command}},
      {"compare", {compare_command}},
      {"fit", {fit_command}},
      {"multistage", {multistage_command}},
      {"wormhole", {wormhole_command}},
      {"broadcast", {broadcast_command}},
      {"reproduce", {reproduce_command}},
      {"simulate",
       {simulate_tree_command, simulate_switch_command, simulate_classes_command, simulate_policed_command,
        simulate_multistage_command, simulate_wormhole_command, simulate_hypercube_command},
       "the same by simulation, with confidence intervals",
       "tailbound simulate tree --help lists its options and shows an example with its output."},
      {"validate",
       {validate_delay_command, validate_buffer_command, validate_switch_command, validate_multistage_command,
        validate_wormhole_command, validate_broadcast_command},
       "analysis and simulation side by side",
       "Exit status 1 where the analysis is optimistic beyond the simulation's interval; the table is "
       "printed\nall the same. tailbound validate delay --help lists options and shows an example."},
      {"network", {network_command}},
      {"sweep", {sweep_command}},
      {"merge", {merge_command}},
      {"serve", {serve_command}},
      {"schema", {schema_command}}};
  return all;
}

}  // namespace tailbound::cli
