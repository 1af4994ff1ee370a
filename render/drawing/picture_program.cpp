#include <tailbound/core/error.hpp>
#include <tailbound/files/leftovers.hpp>
#include <tailbound/files/pending_file.hpp>
#include <tailbound/render/drawing/picture_program.hpp>
#include <tailbound/render/drawing/svg.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tailbound::render {
namespace {

[[noreturn]] void fail(int reason, const char* what) {
  // Not a system_error, which would be taken for an error of the picture's file.
  throw Error(std::string(what) + ": " + std::generic_category().message(reason));
}

/// An unnamed file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(memfd_create("tailbound", MFD_CLOEXEC)) {
    const int failed = descriptor_ < 0 ? errno : files::write_all(descriptor_, text);
    if (failed != 0) fail(failed, "cannot hand over to the program that draws");
    lseek(descriptor_, 0, SEEK_SET);
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string content() const {
    lseek(descriptor_, 0, SEEK_SET);
    std::string text, block(std::size_t{1} << 16, '\0');
    for (ssize_t got = 0; (got = read(descriptor_, block.data(), block.size())) > 0;)
      text.append(block, 0, static_cast<std::size_t>(got));
    return text;
  }

 private:
  int descriptor_;
};

/// To locate programs, fonts and libraries, and to make pictures reproducible byte for byte.
std::vector<char*> clean_environment(char* const* environment) {
  static char locale[] = "LC_ALL=C.UTF-8";
  std::vector<char*> kept;
  for (char* const* entry = environment; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    for (const std::string_view wanted :
         {"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "FONTCONFIG_PATH",
          "FONTCONFIG_FILE", "LD_LIBRARY_PATH", "SOURCE_DATE_EPOCH"})
      if (name == wanted) kept.push_back(*entry);
  }
  kept.push_back(locale);
  kept.push_back(nullptr);
  return kept;
}

/// Signals of the program: those from the terminal are handled by this process, which ends the program if
/// requested.
void set_signals(posix_spawnattr_t& attributes) {
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
}

/// Its first lines.
std::string shortened(std::string message) {
  constexpr std::size_t longest = 600;
  message.resize(std::min(message.size(), longest));
  while (!message.empty() && message.back() == '\n') message.pop_back();
  message.erase(0, std::min(message.find_first_not_of('\n'), message.size()));
  return message;
}

enum class PictureFile { svg, png, pdf };

PictureFile by_ending(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  for (const auto& [known, drawn] :
       {std::pair{".svg", PictureFile::svg}, {".png", PictureFile::png}, {".pdf", PictureFile::pdf}})
    if (ending == known) return drawn;
  throw InvalidArgument("--plot", file, "a file name that ends in .svg, .png or .pdf");
}

/// The standard output of a program for this input.
/// \param package  Debian package, if the program is missing
/// \throws Stopped  the program is killed
std::string output_of(std::vector<std::string> words, const char* package, const std::string& text,
                      char* const* environment, const std::stop_token& stop) {
  const std::string program = words.front();
  const MemoryFile input(text), output(""), messages("");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.descriptor(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  set_signals(attributes);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> clean = clean_environment(environment);
  pid_t child = 0;
  int failed = 0;
  {
    const auto held = files::leftovers::hold();
    failed = posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments.data(), clean.data());
    if (failed == 0) files::leftovers::add_process(child);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT)
    throw InvalidArgument("--plot", "given, but the program " + program + " is not installed",
                          "omitted, or " + program + " installed (Debian: apt-get install " + package + ")");
  if (failed != 0) fail(failed, ("cannot start " + program).c_str());
  const int status = files::leftovers::wait_for(child, stop);
  if (stop.stop_requested() && status != 0)
    throw Stopped("stopped on request; " + program + " had not drawn yet");
  std::string drawn = output.content();
  if (status != 0 || drawn.empty()) throw Error(program + " failed: " + shortened(messages.content()));
  return drawn;
}

}  // namespace

void require_known_ending(const std::string& file) {
  static_cast<void>(by_ending(file));
}

std::string drawn(const Picture& picture, const std::string& file, char* const* environment,
                  const std::stop_token& stop) {
  const PictureFile drawn_as = by_ending(file);
  std::string svg = svg_file(picture);
  // Two pixels per point on screen.
  switch (drawn_as) {
    case PictureFile::svg:
      return svg;
    case PictureFile::png:
      return output_of({"rsvg-convert", "--format", "png", "--zoom", "2"}, "librsvg2-bin", svg, environment,
                       stop);
    case PictureFile::pdf:
      return output_of({"rsvg-convert", "--format", "pdf"}, "librsvg2-bin", svg, environment, stop);
  }
  return {};
}

}  // namespace tailbound::render
