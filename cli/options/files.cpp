#include <cli/options/files.hpp>
#include <cli/options/names.hpp>
#include <tailbound/core/unwritable.hpp>

#include <memory>
#include <utility>

namespace tailbound::cli {
namespace {

std::unique_ptr<files::NamedFiles> current;

}  // namespace

void begin_files(std::stop_token stop) {
  current = std::make_unique<files::NamedFiles>(std::move(stop));
  forget_names();
}

files::NamedFiles& named_files() {
  if (!current) begin_files({});
  return *current;
}

std::string read_file(const std::string& path, std::string_view argument, std::size_t limit) {
  return named_files().read(path, argument, limit);
}

files::PendingFile pending_file(const std::string& path, const std::string& option) {
  return {path, option, &named_files()};
}

void write_with(Reply& reply, files::PendingFile& file, const std::string& text) {
  try {
    file.write(text);
    file.commit();
  } catch (const Unwritable& error) {
    reply.complain(unwritten, error.what());
  }
}

}  // namespace tailbound::cli
