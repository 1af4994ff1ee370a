#include <fmt/format.h>
#include <cli/process/limits.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/quantity.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace tailbound::cli {
namespace {

/// Interval of memory checks: a core fills about 20 MB meanwhile.
constexpr auto between_looks = std::chrono::milliseconds(8);

constexpr long double min_seconds = 0.001L, max_seconds = 1e9L;
constexpr std::uint64_t megabyte = 1'000'000;
constexpr std::uint64_t min_bytes = 16 * megabyte, max_bytes = std::uint64_t{1} << 60U;

/// Empty if `read` throws: the caller reports the legal range.
template <class Read>
std::optional<long double> number_of(Read read) {
  try {
    return numeric::nearest_long_double(read());
  } catch (const Error&) {
    return {};
  }
}

std::optional<std::chrono::nanoseconds> read_time(const std::string& text) {
  if (text == "none") return {};
  constexpr const char* option = "--time-limit";
  const std::optional<long double> seconds =
      number_of([&] { return numeric::parse_rational(text, "number"); });
  if (!(seconds >= min_seconds && seconds <= max_seconds))
    throw InvalidArgument(option, text, "from 0.001 to 1e9 seconds, or none");
  return std::chrono::nanoseconds(static_cast<std::int64_t>(*seconds * 1e9L));
}

std::optional<std::uint64_t> read_bytes(const std::string& text) {
  if (text == "none") return {};
  constexpr const char* option = "--memory-limit";
  const auto megabytes =
      number_of([&] { return numeric::parse_quantity(text, "number", numeric::Measure::megabytes); });
  const long double bytes = megabytes.value_or(0) * megabyte;
  if (bytes >= static_cast<long double>(min_bytes) && bytes <= static_cast<long double>(max_bytes))
    return static_cast<std::uint64_t>(bytes);
  throw InvalidArgument(option, text, "megabytes from 16 on, or with a unit: 500MB, 2GB, 1.5GiB; or none");
}

/// "4 GB", "500 MB"
std::string in_words(std::uint64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / static_cast<double>(megabyte);
  return megabytes < 1000 ? fmt::format("{:.4g} MB", megabytes) : fmt::format("{:.4g} GB", megabytes / 1000);
}

/// Resident memory of this process.
std::uint64_t resident_bytes() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t got = read(file, text, sizeof text);
  close(file);
  if (got <= 0) return 0;
  const std::string_view all(text, static_cast<std::size_t>(got));
  const std::string_view second = all.substr(std::min(all.find(' '), all.size() - 1) + 1);
  std::uint64_t pages = 0;
  std::from_chars(second.data(), second.data() + second.size(), pages);
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Limits read_limits(const std::optional<std::string>& time, const std::optional<std::string>& memory,
                   Limits usual) {
  if (time) usual.time = read_time(*time);
  if (memory) usual.bytes = read_bytes(*memory);
  // What is finished of a long list takes a while to write.
  constexpr std::chrono::milliseconds longest{60'000};
  if (usual.time)
    usual.grace = std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(*usual.time / 10),
                             usual.grace, std::max(usual.grace, longest));
  return usual;
}

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

LimitWatch::LimitWatch(Limits limits) : limits_(std::move(limits)) {
  if (limits_.bytes) before_ = resident_bytes();
}

std::uint64_t LimitWatch::bytes_taken() const {
  const std::uint64_t now = resident_bytes();
  return now > before_ ? now - before_ : 0;
}

LimitWatch::Limit LimitWatch::look() const {
  if (limits_.bytes && bytes_taken() > *limits_.bytes) return Limit::memory;
  if (limits_.time && Clock::now() - start_ >= *limits_.time) return Limit::time;
  return Limit::none;
}

bool LimitWatch::far_beyond() const {
  return limits_.bytes && bytes_taken() > *limits_.bytes + *limits_.bytes / 10;
}

std::chrono::milliseconds LimitWatch::until_next() const {
  if (limits_.bytes) return between_looks;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*limits_.time - (Clock::now() - start_));
  return std::clamp(left, std::chrono::milliseconds(1), std::chrono::milliseconds(60'000));
}

std::string LimitWatch::name_of(Limit limit) const {
  if (limit == Limit::memory) return "the memory limit of " + in_words(limits_.bytes.value_or(0));
  const auto time = limits_.time.value_or(std::chrono::nanoseconds(0));
  return fmt::format("the time limit of {:.6g} s", std::chrono::duration<double>(time).count());
}

std::string LimitWatch::rejection(Limit limit, const std::string& reached) const {
  return fmt::format("no answer within {} ({}){}", name_of(limit),
                     limit == Limit::memory ? "--memory-limit" : "--time-limit",
                     reached.empty() ? reached : "; " + reached);
}

}  // namespace tailbound::cli
