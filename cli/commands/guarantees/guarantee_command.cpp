#include <cli/commands.hpp>
#include <cli/commands/guarantees/guarantee_options.hpp>
#include <cli/options/forms.hpp>
#include <tailbound/render/documents/guarantee/crossbar_guarantee.hpp>
#include <tailbound/render/documents/guarantee/headroom.hpp>
#include <tailbound/render/documents/guarantee/network_guarantee.hpp>
#include <tailbound/render/documents/guarantee/port_guarantee.hpp>
#include <tailbound/render/documents/unanswered.hpp>

#include <string>
#include <vector>

namespace tailbound::cli {
namespace {

void declare(OptionTable& table, GuaranteeOptions& options) {
  add_rows(table, options.port, options.network, options.headroom, options.crossbar, options.units);
}

const Form& headroom_form() {
  static const Form form{
      .option = "--headroom",
      .acts =
          "--headroom --cable --sender-ns --pause-quanta --receiver-ns --shortest --return-bytes "
          "--return-gbps --metre-ns --phy-ns --cell-bytes --packet-bytes --link-gbps",
      .otherwise = "headroom concerns a single link and any traffic"};
  return form;
}
const Form& crossbar_form() {
  static const Form form{.option = "--crossbar",
                         .acts = "--crossbar --speedup --row --column --packet-bytes --link-gbps",
                         .otherwise = "a crossbar has the traffic of --row and --column"};
  return form;
}
const Form& network_form() {
  static const Form form{.option = "--network",
                         .acts = "--network --flow --port --method --certificate",
                         .because = {{"--drop --ever --capacity --solve",
                                      "it is for the flows of one port: --bucket, --periodic or --sporadic"}},
                         .otherwise = "the network file defines flows and units"};
  return form;
}
const Form& port_form() {
  static const Form form{.option = "the flows of one port",
                         .acts =
                             "--bucket --periodic --sporadic --drop --ever --capacity --solve "
                             "--packet-bytes --link-gbps"};
  return form;
}

void check_guarantee(const OptionTable& table) {
  static const std::vector<OptionNeeds> needed{
      {"--cable --sender-ns --pause-quanta --receiver-ns --shortest --return-bytes --return-gbps --metre-ns "
       "--phy-ns --cell-bytes",
       "--headroom"},
      {"--flow --port --method --certificate", "--network FILE"},
      {"--speedup --row --column", "--crossbar K"}};
  const std::vector<GivenOption> given = given_options(table);
  const auto has = [&](const char* name) { return table.find(name)->given(); };
  require_acting(given,
                 has("--headroom")   ? headroom_form()
                 : has("--crossbar") ? crossbar_form()
                 : has("--network")  ? network_form()
                                     : port_form(),
                 needed);
  if (has("--headroom") || has("--crossbar") || has("--network") || has("--bucket") || has("--periodic") ||
      has("--sporadic"))
    return;
  for (const GivenOption& option : given)
    if (lists("--drop --ever --capacity --solve", option.name))
      throw needs(std::string(option.name), "those of a port: --bucket, --periodic or --sporadic");
  throw missing("--bucket",
                "give the flows of a port, such as --bucket \"100 x 1/125,4\", or --periodic, --sporadic, "
                "--network FILE, --headroom or --crossbar");
}

Reply answer(const GuaranteeOptions& options, const Context& context) {
  if (options.headroom.headroom) return answer_headroom(options, context);
  if (options.crossbar.crossbar) return answer_crossbar_guarantee(options, context);
  if (options.network.network) return answer_network_guarantee(options, context);
  return answer_port_guarantee(options, context);
}

render::Layout guarantee_layout() {
  return render::with_status(render::with_crossbar_guarantee(
      render::with_headroom(render::with_port_guarantee(render::network_guarantee_layout()))));
}

}  // namespace

Command guarantee_command() {
  return command_of<GuaranteeOptions>({.name = "guarantee",
                                       .purpose = "worst-case delay and backlog (TSN), PFC headroom",
                                       .work = Work::analysis,
                                       .draws = true,
                                       .declare = declare,
                                       .check = check_guarantee,
                                       .answer = answer,
                                       .layout = guarantee_layout,
                                       .example = {{"--bucket", "100 x 1/125,4"}, {"--drop", "1e-9"}}});
}

}  // namespace tailbound::cli
