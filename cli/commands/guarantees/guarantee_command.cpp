#include <cli/commands.hpp>
#include <cli/commands/guarantees/guarantee_options.hpp>
#include <tailbound/render/documents/guarantee/network_guarantee.hpp>

namespace tailbound::cli {
namespace {

void declare(OptionTable& table, GuaranteeOptions& options) {
  add_network_guarantee_options(table, options.network);
}

Reply answer(const GuaranteeOptions& options, const Context& context) {
  return answer_network_guarantee(options, context);
}

}  // namespace

Command guarantee_command() {
  return command_of<GuaranteeOptions>({.name = "guarantee",
                                       .purpose = "what can never happen to policed traffic?",
                                       .work = Work::analysis,
                                       .draws = true,
                                       .declare = declare,
                                       .answer = answer,
                                       .layout = render::network_guarantee_layout,
                                       .opening = {{"--network", "plant.toml"}}});
}

}  // namespace tailbound::cli
