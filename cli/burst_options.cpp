#include <cln/rational.h>
#include <cli/burst_options.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/numeric/plain.hpp>

namespace tailbound::cli {

using numeric::Rational;

void add_burst_options(OptionTable& table, BurstOptions& options, const std::string& group) {
  const OptionGroup bursts(table, group);
  bursts.add("--traffic", options.traffic, "NAME", "bernoulli (the default), or onoff: needs --burst");
  bursts.add("--burst", options.burst, "L", "each leaf sends in bursts of L slots in the mean");
  bursts.add("--on-rate", options.on_rate, "R1", "packets a slot within a burst (1)");
  bursts.add(
      "--destination", options.destination, "NAME",
      "per-burst (the default): a burst keeps its destination; or\nper-packet: every packet draws its own");
}

namespace {

/// \throws InvalidArgument  options that do not go together. Are there bursts?
bool asks_for_bursts(const BurstOptions& options) {
  const bool on_off =
      options.traffic && parse_choice(*options.traffic, "--traffic", {"bernoulli", "onoff"}) == 1;
  if (options.on_rate && !options.burst)
    throw InvalidArgument("--on-rate", "given without --burst", "given with --burst L");
  if (on_off && !options.burst)
    throw InvalidArgument("--traffic", "onoff without --burst", "given with --burst L");
  if (options.burst && options.traffic && !on_off)
    throw InvalidArgument("--burst", "given together with --traffic bernoulli",
                          "left out, or the traffic onoff");
  return options.burst.has_value();
}

/// \throws InvalidArgument  load, burst and on-rate do not go together
void require_possible(const traffic::Burst& burst, const Rational& load) {
  const auto refuse = [](const char* option, const Rational& value, const InvalidArgument& error) {
    throw InvalidArgument(option, numeric::plain(value), error.legal());
  };
  try {
    (void)traffic::on_off(load, burst);
  } catch (const InvalidArgument& error) {
    if (error.argument() == "burst") refuse("--burst", burst.slots, error);
    if (error.argument() == "on-rate") refuse("--on-rate", burst.on_rate, error);
    refuse("--load", load, error);
  }
}

}  // namespace

std::vector<std::optional<traffic::Burst>> read_bursts(const BurstOptions& options, const Rational& load) {
  if (!asks_for_bursts(options)) return {std::nullopt};
  const std::vector<Rational> on_rates =
      options.on_rate ? parse_percent_list(*options.on_rate, "--on-rate") : std::vector<Rational>{1};
  std::vector<std::optional<traffic::Burst>> bursts;
  for (const Rational& slots : parse_list(*options.burst, "--burst"))
    for (const Rational& on_rate : on_rates) {
      bursts.emplace_back(traffic::Burst{.slots = slots, .on_rate = on_rate});
      require_possible(*bursts.back(), load);
    }
  return bursts;
}

std::vector<traffic::Destination> read_destinations(const std::optional<std::string>& destination,
                                                    bool bursts) {
  if (destination && !bursts)
    throw InvalidArgument("--destination", "given without --burst", "given with --burst L");
  return choices_or_first<traffic::Destination>(
      destination, "--destination",
      {{"per-burst", traffic::Destination::per_burst}, {"per-packet", traffic::Destination::per_packet}});
}

}  // namespace tailbound::cli
