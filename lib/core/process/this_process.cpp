#include <tailbound/core/process/this_process.hpp>

#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>

namespace tailbound {
namespace {

/// The fields of /proc/N/stat behind the name, which may contain anything; nothing if there is no such
/// process.
std::optional<std::string> stat_of(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return {};
  return text.substr(name_end + 2);
}

/// Empty for a process that has ended, also if its parent has not noticed yet.
std::string beginning_of(std::int64_t process) {
  const std::optional<std::string> stat = stat_of(process);
  if (!stat || stat->front() == 'Z' || stat->front() == 'X') return "";
  std::size_t from = 0;
  for (int field = 3; field < 22; ++field) {
    from = stat->find(' ', from);
    if (from++ == std::string::npos) return "";
  }
  return stat->substr(from, stat->find(' ', from) - from);
}

}  // namespace

ProcessName this_process() {
  ProcessName name{.process = getpid(), .beginning = beginning_of(getpid())};
  std::array<char, 256> host{};
  name.host = gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "?";
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::error_code error;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
  // Without both, the name of the host is the best guess.
  name.node = std::getline(boot, name.node) && !space.empty() ? name.node + " " + space : name.host;
  return name;
}

bool has_ended(const ProcessName& process, const ProcessName& ours) {
  return process.node == ours.node && !process.beginning.empty() && !ours.beginning.empty() &&
         beginning_of(process.process) != process.beginning;
}

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string utc_in_words(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  std::array<char, 64> text{};
  if (gmtime_r(&time, &parts) == nullptr || strftime(text.data(), text.size(), "%F %T UTC", &parts) == 0)
    return "an unknown time";
  return text.data();
}

}  // namespace tailbound
