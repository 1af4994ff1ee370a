#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <tests/support/checked_switches.hpp>
#include <tests/support/forked.hpp>

// Proved overflow and loss of random switches and packet mixes, compared with a simulation
// (tests/support/checked_switches.hpp).

namespace {

using namespace tailbound::test;

constexpr const char* help = R"(usage: random_switches [option value]...

  --count N   so many switches (40)
  --from S    number of the first (0)
  --slots N   of each of two simulations (60000)
  --seed S    of the simulations (1)
  --jobs N    processes (2)

Exit status 1 if a simulation contradicts what is proved, twice.
)";

}  // namespace

int main(int argc, char** argv) try {
  std::uint64_t count = 40, from = 0, slots = 60'000, seed = 1, jobs = 2;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    std::uint64_t* value = option == "--count"   ? &count
                           : option == "--from"  ? &from
                           : option == "--slots" ? &slots
                           : option == "--seed"  ? &seed
                           : option == "--jobs"  ? &jobs
                                                 : nullptr;
    const std::string text = i + 1 < argc ? argv[i + 1] : "";
    if (value == nullptr || text.empty() ||
        std::from_chars(text.data(), text.data() + text.size(), *value).ptr != text.data() + text.size()) {
      std::fprintf(option == "--help" ? stdout : stderr, "%s", help);
      return option == "--help" ? 0 : 2;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const auto each = static_cast<std::int64_t>(slots);
  const auto results =
      forked(static_cast<int>(std::max<std::uint64_t>(jobs, 1)), from, count, [&](std::uint64_t i) {
        const SwitchVerdict verdict = checked(random_switch(i), each, seed);
        Records records{{std::to_string(verdict.judged), verdict.rejected}};
        for (const std::string& what : verdict.broken) records.push_back({what});
        return joined(records);
      });
  std::size_t broken = 0, lost = 0, rejected = 0, judged = 0;
  for (std::uint64_t i = from; i < from + count; ++i) {
    const auto found = results.find(i);
    if (found == results.end()) {
      ++lost;
      continue;
    }
    const Records records = parted(found->second);
    judged += std::stoul(records.front().at(0));
    if (!records.front().at(1).empty()) {
      ++rejected;
      std::printf("switch %llu (%s) rejected: %s\n", static_cast<unsigned long long>(i),
                  random_switch(i).text().c_str(), records.front().at(1).c_str());
    }
    if (records.size() < 2) continue;
    if (++broken <= 3)
      std::printf("The smallest switch with the same failure: %s\n",
                  smallest(random_switch(i), each, seed).text().c_str());
    for (std::size_t r = 1; r < records.size(); ++r)
      std::printf("switch %llu (%s): %s\n", static_cast<unsigned long long>(i),
                  random_switch(i).text().c_str(), records[r].front().c_str());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("switches %llu to %llu: %zu wrong, %zu rejected, %zu not finished; %zu values judged; %.0f s\n",
              static_cast<unsigned long long>(from), static_cast<unsigned long long>(from + count) - 1,
              broken, rejected, lost, judged, seconds);
  return broken == 0 && lost == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "random_switches: %s\n", error.what());
  return 3;
}
