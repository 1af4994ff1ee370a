#include <tailbound/bounds/multistage/combining.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/sim/multistage/simulate_multistage.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

// Random combining multistage networks: invariants of models and simulations, and limits of their differences
// (docs/derivations/multistage.md, section 6).
//
//   random_multistage [--count N] [--first S]
//
// Setting S is the same on every machine. If a setting fails, the smallest setting found that still fails is
// printed with commands to reproduce it, and the exit status is 1. SIGTERM and SIGINT end the run after the
// current setting; the last line shows the progress, and --first continues from there.

namespace {

using namespace tailbound;
using bounds::multistage::Point;
using bounds::multistage::Variant;
using network::CombiningMultistage;
using network::Links;
using numeric::Rational;

volatile std::sig_atomic_t stopped = 0;  // NOLINT: for the signal handler

struct Setting {
  CombiningMultistage network;
  int load = 1;  ///< in thousandths
  [[nodiscard]] Rational rate() const { return Rational(load) / 1000; }
};

Rational thousandths(int count) {
  return Rational(count) / 1000;
}

Setting random_setting(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  constexpr int sizes[] = {2, 2, 2, 3, 4, 4, 8};
  Setting setting;
  const int size = sizes[below(7)];
  std::int64_t nodes = size;
  for (int stages = below(5); stages > 0 && nodes * size <= 256; --stages) nodes *= size;
  setting.network.network = {nodes, size};
  setting.network.buffer = 1 + below(below(3) == 0 ? 16 : 5);
  const int hot = below(10);
  setting.network.hot = hot == 0   ? Rational(0)
                        : hot == 1 ? thousandths(1 + below(1000))
                                   : thousandths(1 + below(200));
  const int combining = below(6);
  setting.network.combining =
      combining < 3 ? std::optional<std::int64_t>(1 + combining % 2) : std::optional<std::int64_t>(combining);
  if (combining == 5) setting.network.combining.reset();
  setting.network.links = below(3) == 0 ? Links::any : Links::one;
  setting.load = 20 + below(981);
  return setting;
}

std::string command_line(const Setting& setting, const char* command) {
  const CombiningMultistage& network = setting.network;
  return std::string("tailbound ") + command + " --nodes " + std::to_string(network.network.nodes) +
         " --switch " + std::to_string(network.network.switch_size) + " --buffer " +
         std::to_string(network.buffer) + " --hot " + numeric::plain(network.hot) + " --combining " +
         (network.combining ? std::to_string(*network.combining) : "unlimited") + " --links " +
         name_of(network.links) + " --loads " + numeric::plain(setting.rate());
}

/// Maximum errors of the model, as fractions: the documented ones over all measured networks.
struct Limits {
  double throughput, delay;
};
constexpr Limits limits_of(Links links) {
  return links == Links::one ? Limits{.throughput = 0.14, .delay = 0.25}
                             : Limits{.throughput = 0.10, .delay = 0.15};
}
/// Delays are compared up to this fraction of the saturation load; closer to it they rise steeply.
constexpr double below_saturation = 0.85;

struct Worst {
  double throughput = 0, delay = 0;
  std::string throughput_at, delay_at;
};

/// The failures of a setting; empty if there are none.
class Checked {
 public:
  /// \param worst  the largest errors so far, by links; null: not recorded
  explicit Checked(const Setting& setting, Worst* worst) : setting_(setting), worst_(worst) {
    load_ = numeric::nearest_double(setting.rate());
    bound_ = numeric::nearest_double(network::saturation_bound(setting.network));
    stages_ = network::stage_count(setting.network.network);
    check_model();
    check_saturation();
    check_simulation();
  }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] bool settled() const { return settled_; }

 private:
  void require(bool holds, const std::string& what) {
    if (!holds && wrong_.empty()) wrong_ = what;
  }
  static std::string numbers(const char* what, double one, const char* relation, double other) {
    char text[200];
    std::snprintf(text, sizeof text, "%s %.6g %s %.6g", what, one, relation, other);
    return text;
  }
  void check_model();
  void check_saturation();
  void check_simulation();
  [[nodiscard]] double slack() const { return settled_ ? 1e-5 : 0.02; }

  Setting setting_;
  Worst* worst_;
  double load_ = 0, bound_ = 1;
  int stages_ = 1;
  Point point_;
  std::optional<double> saturation_;
  bool settled_ = true;
  std::string wrong_;
};

void Checked::check_model() {
  point_ = bounds::multistage::solve(setting_.network, setting_.rate(), Variant::blocking);
  settled_ = point_.ending.stop != bounds::Stop::too_many_rounds;
  const double all = 1 + slack();
  require(point_.throughput > 0 && point_.throughput <= load_ * all,
          numbers("throughput", point_.throughput, "above the load", load_));
  require(point_.throughput <= bound_ * all,
          numbers("throughput", point_.throughput, "above the exact bound", bound_));
  require(point_.delay * all >= stages_, numbers("delay", point_.delay, "below the services", stages_));
  if (setting_.network.hot > 0)
    require(point_.hot_delay * all >= stages_,
            numbers("hot delay", point_.hot_delay, "below the services", stages_));
  if (setting_.network.hot < 1)
    require(point_.cold_delay * all >= stages_,
            numbers("cold delay", point_.cold_delay, "below the services", stages_));
  for (const bounds::multistage::StageFigures& stage : point_.hot_path) {
    const auto capacity = static_cast<double>(setting_.network.buffer + 1);
    require(stage.occupancy >= 0 && stage.occupancy <= capacity * all,
            numbers("occupancy", stage.occupancy, "of a buffer of", capacity));
    require(stage.combining >= 0 && stage.combining <= 1,
            numbers("combining probability", stage.combining, "above", 1));
    require(stage.utilization >= 0 && stage.utilization <= all,
            numbers("utilization", stage.utilization, "above", 1));
    if (setting_.network.combining == 1) require(stage.combining == 0, "requests combine where none may");
  }
}

void Checked::check_saturation() {
  saturation_ = bounds::multistage::saturation(setting_.network);
  const double carried = point_.throughput / load_;
  if (saturation_)
    require(*saturation_ > 0 && *saturation_ <= bound_ * (1 + 1e-9),
            numbers("saturation load", *saturation_, "above the exact bound", bound_));
  const double at = saturation_.value_or(1), margin = 0.003 + slack();
  if (load_ <= at * (1 - margin))
    require(carried >= bounds::multistage::carried_share - slack(),
            numbers("below the saturation load", at, "comes through only", carried));
  // The exact bound admits more than 98 % of the load slightly above it.
  if (load_ >= at * (1 + margin) && load_ >= bound_ / bounds::multistage::carried_share * (1 + margin))
    require(carried <= bounds::multistage::carried_share + slack(),
            numbers("above the saturation load", at, "comes through as much as", carried));
}

void Checked::check_simulation() {
  const sim::MultistageModel model{.network = setting_.network, .load = setting_.rate()};
  constexpr double services = 250'000;
  const auto slots = static_cast<std::int64_t>(std::clamp(
      services / (static_cast<double>(setting_.network.network.nodes) * load_ * stages_), 500.0, 20'000.0));
  const sim::RunPlan plan = sim::automatic_plan(model, slots, 2, 1);
  const sim::MultistageEstimates found =
      sim::multistage_estimates(model, sim::run_multistage(model, plan), 0.999);
  require(found.throughput.lower <= bound_,
          numbers("simulated throughput", found.throughput.value, "above the exact bound", bound_));
  require(found.throughput.lower <= load_,
          numbers("simulated throughput", found.throughput.value, "above the load", load_));
  if (!found.delay) return;
  require(found.delay->upper >= stages_,
          numbers("simulated delay", found.delay->value, "below the services", stages_));
  const Limits limits = limits_of(setting_.network.links);
  const auto error = [](double computed, const auto& estimate) {
    return computed > estimate.upper   ? computed / estimate.upper - 1
           : computed < estimate.lower ? 1 - computed / estimate.lower
                                       : 0.0;
  };
  const auto keep = [&](double value, double Worst::*maximum, std::string Worst::*at) {
    if (worst_ == nullptr || value <= worst_->*maximum) return;
    worst_->*maximum = value;
    worst_->*at = command_line(setting_, "validate multistage");
  };
  const double throughput = error(point_.throughput, found.throughput);
  keep(throughput, &Worst::throughput, &Worst::throughput_at);
  require(throughput <= limits.throughput,
          numbers("throughput", point_.throughput, "where the simulation has", found.throughput.value));
  if (load_ > below_saturation * saturation_.value_or(1)) return;
  const double delay = error(point_.delay, *found.delay);
  keep(delay, &Worst::delay, &Worst::delay_at);
  require(delay <= limits.delay,
          numbers("delay", point_.delay, "where the simulation has", found.delay->value));
}

/// Settings that are simpler in one respect.
std::vector<Setting> simpler(const Setting& setting) {
  std::vector<Setting> all;
  const auto add = [&](const auto& change) {
    Setting next = setting;
    change(next.network);
    all.push_back(next);
  };
  const CombiningMultistage& its = setting.network;
  if (its.network.nodes > its.network.switch_size)
    add([](CombiningMultistage& next) { next.network.nodes /= next.network.switch_size; });
  if (its.network.nodes == its.network.switch_size && its.network.switch_size > 2)
    add([](CombiningMultistage& next) {
      next.network = {next.network.switch_size - 1, next.network.switch_size - 1};
    });
  if (its.buffer > 1) {
    add([](CombiningMultistage& next) { next.buffer /= 2; });
    add([](CombiningMultistage& next) { --next.buffer; });
  }
  if (its.combining != 1) add([](CombiningMultistage& next) { next.combining = 1; });
  if (its.hot != 0) add([](CombiningMultistage& next) { next.hot = 0; });
  for (const int step : {100, 10})
    if (const int rounded = setting.load / step * step; rounded > 0 && rounded != setting.load) {
      Setting next = setting;
      next.load = rounded;
      all.push_back(next);
    }
  return all;
}

/// The smallest setting that still fails, and its failure.
std::pair<Setting, std::string> shrunk(Setting setting, std::string wrong) {
  for (bool found = true; found;) {
    found = false;
    for (const Setting& next : simpler(setting)) {
      std::string still = Checked(next, nullptr).wrong();
      if (still.empty()) continue;
      setting = next;
      wrong = std::move(still);
      found = true;
      break;
    }
  }
  return {setting, wrong};
}

std::uint64_t number(const char* text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (*text == '\0' || *end != '\0') {
    std::fprintf(stderr, "random_multistage: '%s' is not a number\n", text);
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t first = 0, count = 40;
  for (int i = 1; i < argc; i += 2) {
    const bool is_first = std::strcmp(argv[i], "--first") == 0;
    if ((!is_first && std::strcmp(argv[i], "--count") != 0) || i + 1 == argc) {
      std::fprintf(stderr, "usage: random_multistage [--count N] [--first S]\n");
      return 2;
    }
    (is_first ? first : count) = number(argv[i + 1]);
  }
  std::signal(SIGTERM, [](int) { stopped = 1; });
  std::signal(SIGINT, [](int) { stopped = 1; });

  Worst worst[2];
  std::uint64_t wrong = 0, unsettled = 0, next = first;
  const auto start = std::chrono::steady_clock::now();
  for (; next < first + count && stopped == 0; ++next) {
    const Setting setting = random_setting(next);
    const Checked checked(setting, &worst[setting.network.links == Links::one ? 0 : 1]);
    if (!checked.settled()) ++unsettled;
    if (checked.wrong().empty()) continue;
    ++wrong;
    const auto [smallest, what] = shrunk(setting, checked.wrong());
    std::printf("setting %llu: %s\n  %s\n  smallest: %s\n  %s\n", static_cast<unsigned long long>(next),
                checked.wrong().c_str(), command_line(setting, "validate multistage").c_str(), what.c_str(),
                command_line(smallest, "validate multistage").c_str());
    std::fflush(stdout);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const int links : {0, 1})
    std::printf(
        "links %s: throughput off by %.1f %% at most (%s), delay by %.1f %% (%s), beyond intervals of 99.9 "
        "%%\n",
        links == 0 ? "one" : "any", 100 * worst[links].throughput, worst[links].throughput_at.c_str(),
        100 * worst[links].delay, worst[links].delay_at.c_str());
  std::printf("settings %llu to %llu: %llu contradict; %llu did not settle; %.0f s\n",
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(next) - 1,
              static_cast<unsigned long long>(wrong), static_cast<unsigned long long>(unsettled), seconds);
  return wrong == 0 ? 0 : 1;
}
