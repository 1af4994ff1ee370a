#include <cli/commands/guarantees/guarantee_options.hpp>
#include <cli/options/files.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/render/documents/guarantee/certificate.hpp>
#include <tailbound/render/documents/guarantee/network_guarantee.hpp>

#include <optional>
#include <utility>

namespace tailbound::cli {

void add_network_guarantee_options(OptionTable& table, NetworkGuaranteeOptions& options) {
  const OptionGroup group(table, "A network");
  group.add(
      "--network", options.network, "FILE",
      "network file whose flows have buckets: worst delay of each flow,\nmost data at each port and class");
  group.add("--flow", options.flow, "NAME", "this flow alone, and the ports that it passes");
  group.add("--port", options.port, "NAME", "whose curves --plot draws (the port of the greatest delay)");
  group.add("--method", options.method, "NAME", "best (the default), tfa, sfa or slots",
            choices<bounds::GuaranteeMethod>());
  group.add("--certificate", options.certificate, "FILE",
            "write what the bounds rest on, as fractions; checked by\nshare/check_certificate.py");
}

void reject_without_network(const NetworkGuaranteeOptions& options) {
  reject_given({{"--flow", &options.flow},
                {"--port", &options.port},
                {"--method", &options.method},
                {"--certificate", &options.certificate}},
               nullptr, "given with --network FILE, whose flows have buckets");
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
