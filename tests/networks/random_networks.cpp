#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tests/support/checked_networks.hpp>
#include <tests/support/forked.hpp>

// Delays of random networks compared with a simulation and with invariants
// (tests/support/checked_networks.hpp).

namespace {

using namespace tailbound::test;

constexpr const char* help = R"(usage: random_networks [option value]...

Computes delays of random or recorded networks, and checks each answer against invariants and a simulation.

  --count N       number of networks (default 60)
  --from S        number of the first one (default 0)
  --number S      only this one, with its answers and simulation
  --kind KIND     line, ring, tree, star, leaf-spine, random or gather (default: any)
  --of CLASS      plain (independent slots; default) or bursts
  --slots N       slots of each of two simulations of a network (default: enough for 4e6 packet-hops in total)
  --seed S        seed of the simulations (default 1)
  --jobs N        processes (default 2)
  --recorded DIR  networks.csv and simulated.csv of this folder, instead of random networks
  --worst N       flows listed (default 10)

Exit status 0; 1 if an answer violates an invariant or underestimates the delay of all packets by over 5 % beyond
the simulation's interval, or if less than 97 of 100 values of single flows are within 25 % (only shown for bursts).
)";

struct Options {
  std::uint64_t count = 60, from = 0;
  std::optional<std::uint64_t> number{};
  NetworkChoice choice{};
  SimulationLength length{};
  int jobs = 2;
  std::optional<std::string> recorded{};
  std::size_t worst = 10;
};

[[noreturn]] void reject(const std::string& what) {
  std::fprintf(stderr, "random_networks: %s\n\n%s", what.c_str(), help);
  std::exit(2);
}

std::uint64_t number(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    reject(option + " is '" + text + "'; it must be a number");
  return value;
}

template <std::size_t size>
std::size_t one_of(const std::array<const char*, size>& names, const std::string& option,
                   const std::string& text) {
  const auto at = std::find(names.begin(), names.end(), text);
  if (at == names.end()) reject(option + " is '" + text + "'");
  return static_cast<std::size_t>(at - names.begin());
}

Options read(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--help") {
      std::printf("%s", help);
      std::exit(0);
    }
    if (i + 1 == argc) reject(option + " needs a value");
    const std::string value = argv[i + 1];
    if (option == "--count")
      options.count = number(option, value);
    else if (option == "--from")
      options.from = number(option, value);
    else if (option == "--number")
      options.number = number(option, value);
    else if (option == "--kind")
      options.choice.kind = static_cast<NetworkKind>(one_of(network_kinds, option, value));
    else if (option == "--of")
      options.choice.of = static_cast<NetworkClass>(one_of(network_classes, option, value));
    else if (option == "--slots")
      options.length.slots = static_cast<std::int64_t>(number(option, value));
    else if (option == "--seed")
      options.length.seed = number(option, value);
    else if (option == "--jobs")
      options.jobs = static_cast<int>(std::max<std::uint64_t>(1, number(option, value)));
    else if (option == "--recorded")
      options.recorded = value;
    else if (option == "--worst")
      options.worst = number(option, value);
    else
      reject("no option " + option);
  }
  return options;
}

std::string content(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) reject("no file " + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Records records_of(const NetworkVerdict& verdict) {
  Records records;
  for (const std::string& what : verdict.broken) records.push_back({"broken", what});
  if (!verdict.rejected.empty()) records.push_back({"refused", verdict.rejected});
  for (const Ratio& its : verdict.ratios)
    records.push_back({"ratio", its.network, its.flow, fmt::format("{}", its.level),
                       std::to_string(its.slots), fmt::format("{}", its.simulated),
                       fmt::format("{}", its.half_width), fmt::format("{}", its.analysis),
                       fmt::format("{}", its.ratio), its.hops});
  return records;
}

Ratio ratio_of(const std::vector<std::string>& fields) {
  return {fields.at(1),
          fields.at(2),
          std::stod(fields.at(3)),
          std::stoll(fields.at(4)),
          std::stod(fields.at(5)),
          std::stod(fields.at(6)),
          std::stod(fields.at(7)),
          std::stod(fields.at(8)),
          fields.at(9)};
}

/// For recorded networks: only apparent underestimates are simulated again.
NetworkVerdict verdict_of(const RecordedNetwork& recorded) {
  NetworkVerdict verdict;
  const auto network = recorded.network.read();
  std::int64_t levels = 16;
  const auto reach = [&](const SeenDelays& seen) {
    if (!seen.levels.empty()) levels = std::max(levels, seen.levels.back().slots + 1);
  };
  reach(recorded.seen.all);
  for (const SeenDelays& seen : recorded.seen.flows) reach(seen);
  ComputedNetwork analysis;
  try {
    analysis = answered(network, levels);
  } catch (const std::exception& error) {
    verdict.broken.push_back(std::string("unanswered: ") + error.what());
    return verdict;
  }
  verdict.broken = broken_invariants(network, analysis);
  if (underestimates(recorded.seen.all, analysis.all))
    if (const auto what = confirmed_underestimate(network, analysis, {.steps = 8e6}))
      verdict.broken.push_back(*what);
  verdict.ratios = ratios_of(recorded.network.name, recorded.seen.all, analysis.all);
  for (std::size_t flow = 0; flow < analysis.flows.size(); ++flow)
    for (Ratio& ratio : ratios_of(recorded.network.name, recorded.seen.flows[flow], analysis.flows[flow]))
      verdict.ratios.push_back(std::move(ratio));
  return verdict;
}

int show(const Options& options) {
  const SmallNetwork small = random_network(*options.number, options.choice);
  std::printf("%s\n", small.toml().c_str());
  const auto network = small.read();
  const SeenNetwork seen = simulated(network, options.length);
  const ComputedNetwork analysis = answered(network, std::ssize(seen.all.levels) + 8);
  const auto one = [](const std::string& name, const SeenDelays& its, const ComputedDelays& computed) {
    std::printf("%s (%s): mean %.5g, simulated %.5g\n", name.c_str(), computed.hops.c_str(), computed.mean,
                its.mean);
    for (const SeenDelays::Level& level : its.levels)
      if (level.above >= 1e-4)
        std::printf(
            "  P(D > %lld) %.4g, simulated %.4g (%.4g .. %.4g)\n", static_cast<long long>(level.slots),
            computed.above.at(static_cast<std::size_t>(level.slots)), level.above, level.lower, level.upper);
  };
  one("all packets", seen.all, analysis.all);
  for (std::size_t flow = 0; flow < analysis.flows.size(); ++flow)
    one(seen.flows[flow].name, seen.flows[flow], analysis.flows[flow]);
  const NetworkVerdict verdict = checked(small, options.length);
  for (const std::string& what : verdict.broken) std::printf("broken: %s\n", what.c_str());
  return verdict.broken.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options = read(argc, argv);
  if (options.number) return show(options);
  std::vector<RecordedNetwork> recorded;
  if (options.recorded) {
    recorded = recorded_networks(content(*options.recorded + "/networks.csv"),
                                 content(*options.recorded + "/simulated.csv"));
    options.from = 0;
    options.count = recorded.size();
  }
  const auto start = std::chrono::steady_clock::now();
  const auto results = forked(options.jobs, options.from, options.count, [&](std::uint64_t i) {
    return joined(records_of(options.recorded ? verdict_of(recorded[i])
                                              : checked(random_network(i, options.choice), options.length)));
  });
  RatioTable table;
  std::size_t broken = 0, rejected = 0, lost = 0, shrunk_so_far = 0;
  std::map<std::string, std::pair<std::size_t, std::uint64_t>>
      kinds;  // number of failures, and of networks with failures
  std::string smallest_ones;
  for (std::uint64_t i = options.from; i < options.from + options.count; ++i) {
    const auto found = results.find(i);
    if (found == results.end()) {
      ++lost;
      continue;
    }
    bool any = false;
    std::set<std::string> its_kinds;
    for (const auto& fields : parted(found->second)) {
      if (fields[0] == "ratio") table.add(ratio_of(fields));
      if (fields[0] == "refused") {
        ++rejected;
        std::printf("network %llu rejected: %s\n", static_cast<unsigned long long>(i), fields[1].c_str());
      }
      if (fields[0] == "broken") {
        std::printf("network %llu: %s\n", static_cast<unsigned long long>(i), fields[1].c_str());
        any = true;
        const std::string kind = fields[1].substr(0, fields[1].find(':'));
        ++kinds[kind].first;
        if (its_kinds.insert(kind).second) ++kinds[kind].second;
      }
    }
    if (any) {
      ++broken;
      if (++shrunk_so_far <= 3 && !options.recorded)
        smallest_ones += "\nThe smallest network with the same failure:\n\n" +
                         smallest(random_network(i, options.choice), options.length);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double share = table.count() == 0
                           ? 1
                           : static_cast<double>(table.within_quarter()) / static_cast<double>(table.count());
  std::string by_kind;
  for (const auto& [kind, found] : kinds)
    by_kind += fmt::format("; {} {} in {} networks", kind, found.first, found.second);
  std::printf(
      "%s%s\nnetworks %llu to %llu: %zu wrong%s; %zu rejected, %zu not finished; single flows within 25 %%: "
      "%.2f %% of %zu; %.0f s\n",
      table.text(options.worst).c_str(), smallest_ones.c_str(), static_cast<unsigned long long>(options.from),
      static_cast<unsigned long long>(options.from + options.count) - 1, broken, by_kind.c_str(), rejected,
      lost, 100 * share, table.count(), seconds);
  // With bursts hops are taken as independent: the accuracy of this is shown, not judged.
  const bool near = share >= 0.97 || options.choice.of != NetworkClass::plain;
  return broken == 0 && lost == 0 && near ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "random_networks: %s\n", error.what());
  return 3;
}
