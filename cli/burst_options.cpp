#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/burst_options.hpp>
#include <cli/option_group.hpp>
#include <cli/shares.hpp>
#include <cli/traffic_options.hpp>

namespace tailbound::cli {

using numeric::Rational;

void add_burst_options(CLI::App& command, BurstOptions& options, const std::string& group) {
  const OptionGroup bursts(command, group);
  bursts.add("--traffic", options.traffic, "NAME", "bernoulli (the default), or onoff: needs --burst");
  bursts.add("--burst", options.burst, "L", "each leaf sends in bursts of L slots in the mean");
  bursts.add("--on-rate", options.on_rate, "R1", "packets a slot within a burst (1)");
}

std::optional<traffic::Burst> read_burst(const BurstOptions& options, const Rational& load,
                                         const std::string& load_text) {
  const bool on_off =
      options.traffic && parse_choice(*options.traffic, "--traffic", {"bernoulli", "onoff"}) == 1;
  if (options.on_rate && !options.burst)
    throw InvalidArgument("--on-rate", "given without --burst", "given with --burst L");
  if (on_off && !options.burst)
    throw InvalidArgument("--traffic", "onoff without --burst", "given with --burst L");
  if (!options.burst) return {};
  if (options.traffic && !on_off)
    throw InvalidArgument("--burst", "given together with --traffic bernoulli",
                          "left out, or the traffic onoff");
  traffic::Burst burst{.slots = numeric::parse_rational(*options.burst, "--burst")};
  if (options.on_rate) burst.on_rate = parse_share(*options.on_rate, "--on-rate");
  try {
    (void)traffic::on_off(load, burst);
  } catch (const InvalidArgument& error) {
    if (error.argument() == "burst") throw InvalidArgument("--burst", *options.burst, error.legal());
    if (error.argument() == "on-rate") throw InvalidArgument("--on-rate", *options.on_rate, error.legal());
    throw InvalidArgument("--load", load_text, error.legal());
  }
  return burst;
}

std::vector<std::optional<traffic::Burst>> read_bursts(const BurstOptions& options, const Rational& load,
                                                       const std::string& load_text) {
  if (!options.burst) return {read_burst(options, load, load_text)};
  std::vector<std::optional<std::string>> on_rates{std::nullopt};
  if (options.on_rate) {
    on_rates.clear();
    for (const Rational& rate : parse_percent_list(*options.on_rate, "--on-rate"))
      on_rates.emplace_back(plain(rate));
  }
  std::vector<std::optional<traffic::Burst>> bursts;
  for (const Rational& slots : parse_list(*options.burst, "--burst"))
    for (const std::optional<std::string>& on_rate : on_rates)
      bursts.push_back(read_burst({.traffic = options.traffic, .burst = plain(slots), .on_rate = on_rate},
                                  load, load_text));
  return bursts;
}

std::string burst_in_words(const std::optional<traffic::Burst>& burst) {
  if (!burst) return "";
  return fmt::format(", bursts of {} slot{}{}", plain(burst->slots), burst->slots == 1 ? "" : "s",
                     burst->on_rate == 1 ? "" : fmt::format(" at rate {}", plain(burst->on_rate)));
}

void describe_burst(Json& inputs, const std::optional<traffic::Burst>& burst) {
  if (!burst) return;
  inputs["traffic"] = "onoff";
  inputs["burst"] = numeric::to_fraction(burst->slots);
  inputs["on_rate"] = numeric::to_fraction(burst->on_rate);
}

}  // namespace tailbound::cli
