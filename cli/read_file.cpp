#include <cli/read_file.hpp>
#include <tailbound/core/error.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace tailbound::cli {
namespace {

[[noreturn]] void refuse(std::string_view argument, const std::string& path, int reason) {
  const std::string why = std::generic_category().message(reason);
  throw InvalidArgument(std::string(argument), path, "a file that can be read (" + why + ")");
}

}  // namespace

std::string read_file(const std::string& path, std::string_view argument, std::size_t limit) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(argument, path, EISDIR);

  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) refuse(argument, path, errno);

  std::string content;
  std::string block(std::size_t{1} << 16, '\0');
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) {
    if (content.size() + size > limit)
      throw InvalidArgument(std::string(argument), path,
                            "a file of at most " + std::to_string(limit >> 20U) + " MiB");
    content.append(block, 0, size);
  }
  if (std::ferror(file.get()) != 0) refuse(argument, path, errno);
  return content;
}

}  // namespace tailbound::cli
