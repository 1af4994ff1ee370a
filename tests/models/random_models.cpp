#include <signal.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tests/support/checked_models.hpp>

// Random models of every kind: the library's answer against a second method
// (tests/support/checked_models.hpp).
//
//   random_models [--count N] [--first S]
//
// Model S is the same on every machine. SIGTERM and SIGINT end the run after the current model; the last line
// shows the progress, and --first continues from there. Exit status 1 if an answer was wrong; it is printed
// with its model.

namespace {

volatile sig_atomic_t stopped = 0;  // NOLINT: for the signal handler

std::uint64_t number(const char* text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (*text == '\0' || *end != '\0') {
    std::fprintf(stderr, "random_models: '%s' is not a number\n", text);
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t first = 0, count = 1000;
  for (int i = 1; i < argc; i += 2) {
    const bool is_first = std::strcmp(argv[i], "--first") == 0;
    if ((!is_first && std::strcmp(argv[i], "--count") != 0) || i + 1 == argc) {
      std::fprintf(stderr, "usage: random_models [--count N] [--first S]\n");
      return 2;
    }
    (is_first ? first : count) = number(argv[i + 1]);
  }
  struct sigaction action {};
  action.sa_handler = [](int) { stopped = 1; };
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);

  tailbound::test::Tally tally;
  std::uint64_t wrong = 0, next = first;
  const auto start = std::chrono::steady_clock::now();
  for (; next < first + count && stopped == 0; ++next)
    if (const std::string what = tailbound::test::checked_model(next, tally); !what.empty()) {
      ++wrong;
      std::printf("%.4000s\n", what.c_str());
      std::fflush(stdout);
    }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string kinds;
  for (const auto& [kind, models] : tally.kinds) kinds += ", " + kind + " " + std::to_string(models);
  std::printf(
      "models %llu to %llu: %llu wrong; %lld enclosures, %lld exact values and %lld minimum levels "
      "correct%s; "
      "%.0f s\n",
      static_cast<unsigned long long>(first), static_cast<unsigned long long>(next) - 1,
      static_cast<unsigned long long>(wrong), static_cast<long long>(tally.enclosures),
      static_cast<long long>(tally.exact), static_cast<long long>(tally.min_levels), kinds.c_str(), seconds);
  return wrong == 0 ? 0 : 1;
}
