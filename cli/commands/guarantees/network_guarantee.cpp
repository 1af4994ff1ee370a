#include <cli/commands/guarantees/guarantee_options.hpp>
#include <cli/options/files.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/render/documents/guarantee/certificate.hpp>
#include <tailbound/render/documents/guarantee/network_guarantee.hpp>

#include <optional>
#include <utility>

namespace tailbound::cli {

void add_network_guarantee_options(OptionTable& table, NetworkGuaranteeOptions& options) {
  const OptionGroup group(table, "Network");
  group.add("--network", options.network, "FILE",
            "network file whose flows have token buckets.\nMaximum delay of each flow, maximum backlog of "
            "each port and class");
  group.add("--flow", options.flow, "NAME", "one flow and the ports on its path");
  group.add("--port", options.port, "NAME",
            "port whose curves --plot draws.\nDefault: the port with the maximum delay");
  group.add("--method", options.method, "NAME", "best, tfa, sfa or slots (default best)",
            choices<bounds::GuaranteeMethod>());
  group.add("--certificate", options.certificate, "FILE",
            "file for a proof of the bounds, in fractions.\nChecked by share/check_certificate.py");
}

Reply answer_network_guarantee(const GuaranteeOptions& options, const Context& context) {
  const NetworkGuaranteeOptions& given = options.network;
  answers::NetworkGuaranteeQuery query{
      .file = network::read_policed_network(read_file(*given.network, "--network"), *given.network),
      .file_name = *given.network,
      .flow = given.flow,
      .port = given.port};
  if (given.method) query.method = choice_of<bounds::GuaranteeMethod>(*given.method, "--method");
  std::optional<files::PendingFile> file;
  if (given.certificate) file.emplace(pending_file(*given.certificate, "--certificate"));
  answers::NetworkGuaranteeAnswer answer =
      answers::as_piece(analysis_run(context), [&] { return answers::answer(query); });
  if (file) {
    file->write(render::certificate(query, answer));
    file->commit();
  }
  return {.document = render::document(query, std::move(answer))};
}

}  // namespace tailbound::cli
