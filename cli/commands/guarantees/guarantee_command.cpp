#include <cli/commands.hpp>
#include <cli/commands/guarantees/guarantee_options.hpp>
#include <tailbound/render/documents/guarantee/headroom.hpp>
#include <tailbound/render/documents/guarantee/network_guarantee.hpp>
#include <tailbound/render/documents/guarantee/port_guarantee.hpp>

namespace tailbound::cli {
namespace {

void declare(OptionTable& table, GuaranteeOptions& options) {
  add_port_guarantee_options(table, options.port);
  add_network_guarantee_options(table, options.network);
  add_headroom_options(table, options.headroom);
  add_unit_options(table, options.units);
}

void reject_options_incompatible_with_headroom(const GuaranteeOptions& options) {
  const NetworkGuaranteeOptions& network = options.network;
  const PortGuaranteeOptions& port = options.port;
  reject_with({{"--network", &network.network},
               {"--flow", &network.flow},
               {"--port", &network.port},
               {"--method", &network.method},
               {"--certificate", &network.certificate},
               {"--bucket", &port.bucket},
               {"--periodic", &port.periodic},
               {"--sporadic", &port.sporadic},
               {"--drop", &port.drop},
               {"--ever", &port.ever},
               {"--capacity", &port.capacity},
               {"--solve", &port.solve}},
              "--headroom", "headroom concerns a single link and any traffic");
}

Reply answer(const GuaranteeOptions& options, const Context& context) {
  if (options.headroom.headroom) {
    reject_options_incompatible_with_headroom(options);
    return answer_headroom(options, context);
  }
  reject_without_headroom(options.headroom);
  if (!options.network.network) reject_without_network(options.network);
  if (!is_about_port(options.port)) reject_without_flows(options.port);
  if (options.network.network) {
    reject_with({{"--bucket", &options.port.bucket},
                 {"--periodic", &options.port.periodic},
                 {"--sporadic", &options.port.sporadic},
                 {"--packet-bytes", &options.units.packet_bytes},
                 {"--link-gbps", &options.units.link_gbps}},
                "--network", "the network file defines flows and units");
    return answer_network_guarantee(options, context);
  }
  if (!is_about_port(options.port))
    throw missing("--bucket",
                  "give the flows of a port, such as --bucket \"100 x 1/125,4\", or --periodic, --sporadic, "
                  "--network FILE or --headroom");
  return answer_port_guarantee(options, context);
}

render::Layout guarantee_layout() {
  return render::with_headroom(render::with_port_guarantee(render::network_guarantee_layout()));
}

}  // namespace

Command guarantee_command() {
  return command_of<GuaranteeOptions>({.name = "guarantee",
                                       .purpose = "worst-case delay and backlog of policed traffic",
                                       .work = Work::analysis,
                                       .draws = true,
                                       .declare = declare,
                                       .answer = answer,
                                       .layout = guarantee_layout,
                                       .example = {{"--bucket", "100 x 1/125,4"}, {"--drop", "1e-9"}}});
}

}  // namespace tailbound::cli
