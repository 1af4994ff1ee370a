#include <cli/process/limits.hpp>
#include <cli/process/memory.hpp>
#include <cli/program.hpp>
#include <serve/http/server.hpp>
#include <tailbound/core/unwritable.hpp>
#include <tailbound/files/pending_file.hpp>
#include <tailbound/options/read.hpp>
#include <tailbound/run/process/stop_signals.hpp>

#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

/// tailbound-serve: the program that `tailbound serve` executes. It serves the workbench on this machine.
namespace {

using namespace tailbound;

/// Reads the first stop signal. A later one ends this process at once; its workers end as their streams
/// close.
void end_at_the_next(int signals) {
  std::thread([signals] {
    constexpr auto one_request =
        std::chrono::milliseconds(300);  // it may arrive twice, at the process and at its group
    const auto first = std::chrono::steady_clock::now();
    for (signalfd_siginfo came{};;)
      if (read(signals, &came, sizeof came) > 0 && std::chrono::steady_clock::now() - first > one_request)
        std::_Exit(cli::stopped);
  }).detach();
}

/// An HTML file that redirects to the link. Program arguments are readable by all users of the machine; this
/// file only by its owner. Deleted by the destructor.
class LinkFile {
 public:
  explicit LinkFile(const std::string& link) {
    const char* const own = std::getenv("XDG_RUNTIME_DIR");
    std::error_code error;
    const std::filesystem::path folder =
        own != nullptr ? std::filesystem::path(own) : std::filesystem::temp_directory_path(error);
    constexpr std::string_view ending = ".html";
    std::string name = (folder / "tailbound-XXXXXX").string() + std::string(ending);
    const int descriptor = mkostemps(name.data(), static_cast<int>(ending.size()), O_CLOEXEC);  // 0600
    if (descriptor < 0) return;
    path_ = name;
    const std::string page = "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=" + link +
                             "\"><title>tailbound</title><a href=\"" + link + "\">tailbound</a>\n";
    if (files::write_all(descriptor, page) != 0) remove();
    close(descriptor);
  }
  ~LinkFile() { remove(); }
  LinkFile(const LinkFile&) = delete;
  LinkFile& operator=(const LinkFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }  ///< empty if it could not be created

 private:
  void remove() {
    if (!path_.empty()) unlink(path_.c_str());
    path_.clear();
  }

  std::string path_;
};

/// Opens the page in the user's browser, if there is a desktop.
void show(const std::string& page) {
  if (page.empty()) return;
  std::string program = "xdg-open", argument = page;
  char* const words[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (const int output : {0, 1, 2})
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_RDWR, 0);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t opener = 0;
  if (posix_spawnp(&opener, words[0], &actions, &attributes, words, environ) == 0)
    std::thread([opener] { waitpid(opener, nullptr, 0); }).detach();
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
}

std::optional<std::string> text_of(const cli::OptionTable& options, const char* name) {
  const cli::Option* option = options.find(name);
  return option == nullptr || option->text == nullptr ? std::nullopt : *option->text;
}

int serve_page(const cli::OptionTable& table) {
  serve::WorkLimits limits;
  const auto number = [&](const char* name, int minimum, int maximum, int usual) {
    const std::optional<std::string> text = text_of(table, name);
    return text ? static_cast<int>(options::parse_integer(*text, name, minimum, maximum)) : usual;
  };
  const int port = number("--port", 0, 65535, 0);
  limits.runs = number("--runs", 1, 64, limits.runs);
  limits.keep = *table.find("--keep")->flag;
  const cli::Limits read = cli::read_limits(text_of(table, "--time-limit"), text_of(table, "--memory-limit"),
                                            {.time = limits.analysis, .bytes = limits.memory});
  if (!read.time) throw InvalidArgument("--time-limit", "none", "a number of seconds");
  constexpr std::uint64_t min_memory = 256'000'000;  // more than an idle process needs
  if (!read.bytes || *read.bytes < min_memory)
    throw InvalidArgument("--memory-limit", text_of(table, "--memory-limit").value_or(""),
                          "a size of at least 256MB (per worker process)");
  limits.analysis = std::chrono::ceil<std::chrono::milliseconds>(*read.time);
  limits.memory = static_cast<std::size_t>(*read.bytes);

  // Blocked in all threads created from here on. Worker processes set their own handlers.
  const sigset_t heeded = run::heeded_stop_signals();
  pthread_sigmask(SIG_BLOCK, &heeded, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  serve::Server server(limits);
  // Return memory to the system after a burst of requests: threads share arenas, and large blocks are freed
  // at once.
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 1 << 17);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  const int signals = signalfd(-1, &heeded, SFD_CLOEXEC);
  const std::string link = server.open(text_of(table, "--host").value_or("127.0.0.1"), port);
  std::cout << link << std::endl;
  if (!std::cout) throw Unwritable("standard output", "writing failed");
  std::optional<LinkFile> page;
  const bool desktop = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (desktop && !*table.find("--no-open")->flag) show(page.emplace(link).path());
  const std::size_t cut = server.serve_until_readable(signals, [signals] { end_at_the_next(signals); });
  if (cut == 0) return cli::answered;
  std::cerr << "tailbound serve: stopped on request; " << cut
            << (cut == 1 ? " simulation was" : " simulations were") << " still running\n";
  return cli::stopped;
}

int report_error(const std::string& message, cli::Status status) {
  std::cerr << "tailbound serve: " << message << '\n';
  if (status == cli::bad_input) std::cerr << "Try 'tailbound serve --help'.\n";
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  cli::exit_when_out_of_memory();
  try {
    // Called as "tailbound serve ..", or by its own name.
    std::vector<const char*> words{"tailbound"};
    if (argc < 2 || std::string_view(argv[1]) != "serve") words.push_back("serve");
    for (int i = 1; i < argc; ++i) words.push_back(argv[i]);
    cli::Program program("serve");
    if (const auto help = program.parse(static_cast<int>(words.size()), words.data())) {
      std::cout << *help << std::flush;
      if (!std::cout) throw Unwritable("standard output", "writing failed");
      return cli::answered;
    }
    return serve_page(program.chosen()->options);
  } catch (const InvalidArgument& error) {
    return report_error(error.what(), cli::bad_input);
  } catch (const cli::BadUsage& error) {
    return report_error(error.what(), cli::bad_input);
  } catch (const Unwritable& error) {
    return report_error(error.what(), cli::unwritten);
  } catch (const std::exception& error) {
    return report_error(std::string("internal failure: ") + error.what(), cli::internal_failure);
  }
}
