#include <cli/commands/guarantees/guarantee_options.hpp>
#include <cli/options/files.hpp>
#include <cli/options/names.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/render/documents/guarantee/certificate.hpp>
#include <tailbound/render/documents/guarantee/network_guarantee.hpp>

#include <optional>
#include <utility>

namespace tailbound::cli {

Reply answer_network_guarantee(const GuaranteeOptions& options, const Context& context) {
  const NetworkGuaranteeOptions& given = options.network;
  answers::NetworkGuaranteeQuery query{
      .file =
          network::read_policed_network(read_file(given.network.text(), "--network"), given.network.text()),
      .file_name = given.network.text(),
      .method = given.method.value(),
      .flow = given.flow.if_given(),
      .port = given.port.if_given()};
  keep_names(query.file);
  std::optional<files::PendingFile> file;
  if (given.certificate) file.emplace(pending_file(given.certificate.text(), "--certificate"));
  answers::NetworkGuaranteeAnswer answer =
      answers::as_piece(analysis_run(context), [&] { return answers::answer(query); });
  std::optional<std::string> certificate;
  if (file) certificate = render::certificate(query, answer);
  Reply reply{.document = render::document(query, std::move(answer))};
  if (file) write_with(reply, *file, *certificate);
  return reply;
}

}  // namespace tailbound::cli
