#include <fmt/format.h>
#include <cli/commands/delays/delay_query.hpp>
#include <cli/commands/worms/worm_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/numeric/rational.hpp>

namespace tailbound::cli {
namespace {

using network::Ejection;
using network::Injection;
using network::WormEnds;

constexpr std::size_t max_loads = 1000;

std::string option_of(const LoadWords& words) {
  return fmt::format("--{}s", words.name);
}

/// Networks with broadcasts have everything except channels.
template <class End>
Meanings<End> ends_of(bool with_broadcasts) {
  Meanings<End> ends;
  for (const std::string& name : all_names<End>())
    if (!with_broadcasts || name != "channels") ends.emplace_back(name, choice_of<End>(name, name));
  return ends;
}

}  // namespace

OfferedLoads read_offered(const std::optional<std::string>& loads,
                          const std::optional<std::string>& fractions, const LoadWords& words,
                          Fractions legal) {
  const std::string option = option_of(words);
  if (loads && fractions) throw not_allowed_with(option, "--fractions", "each defines the loads");
  OfferedLoads offered{.measure = words.measure, .of_saturation = !loads, .values = {}};
  if (!loads)
    offered.values = parse_percent_list(fractions.value_or("10%:90%:10%"), "--fractions", max_loads);
  else
    offered.values = words.percent ? parse_percent_list(*loads, option.c_str(), max_loads)
                                   : parse_list(*loads, option, max_loads);
  answers::check(offered, legal);
  return offered;
}

void add_latency_options(OptionTable& table, LatencyOptions& options, const LoadWords& words) {
  const OptionGroup query(table, "Results");
  query.add("--percentiles", options.percentiles, "LIST",
            "percentiles in percent, 99.9, or fractions below 1.\nOf latency; 0.999 is 99.9 %, but 1 is 1 % "
            "(default 50,99)");
  query.add_flag("--saturation", options.saturation,
                 fmt::format("search the saturation {} in place of latencies", words.name));
  query.add("--precision", options.precision, "P", "relative precision of --saturation (default 1%)");
}

std::vector<numeric::Rational> read_latency_percentiles(const LatencyOptions& options) {
  return read_percentiles(options.percentiles.value_or("50,99"));
}

void reject_overloaded(const answers::Overloaded& overloaded) {
  const bool flits = overloaded.measure() == answers::LoadMeasure::flits;
  throw NoAnswer(fmt::format("{} (tailbound simulate {} --saturation finds the saturation {})",
                             overloaded.what(), flits ? "wormhole" : "hypercube",
                             answers::name(overloaded.measure())));
}

void reject_with_saturation(const LoadWords& words, const std::optional<std::string>& loads,
                            const std::optional<std::string>& fractions, const SimulationOptions& run,
                            const LatencyOptions& latency) {
  const std::string option = fmt::format("--{}s", words.name);
  for (const auto& [value, name] :
       {std::pair{&loads, option.c_str()}, std::pair{&fractions, "--fractions"},
        std::pair{&run.slots, "--cycles"}, std::pair{&run.warmup, "--warmup"},
        std::pair{&run.checkpoint, "--checkpoint"}, std::pair{&run.resume, "--resume"},
        std::pair{&latency.percentiles, "--percentiles"}})
    if (*value)
      throw not_allowed_with(name, "--saturation",
                             fmt::format("the search chooses its own {}s and run lengths", words.name));
}

answers::SaturationLength read_saturation_length(const SimulationOptions& run,
                                                 const LatencyOptions& latency) {
  const answers::RunLength plan = read_run_length(run);
  answers::SaturationLength length{.precision = numeric::parse_rational("0.01", "precision"),
                                   .replications = plan.replications,
                                   .seed = plan.seed};
  if (latency.precision) {
    length.precision = parse_percent_list(*latency.precision, "--precision", 1).front();
    if (!answers::is_search_precision(length.precision))
      throw InvalidArgument("--precision", *latency.precision, "from 0.05% to 50%");
  }
  return length;
}

void add_worm_ends_options(OptionTable& table, WormEndsOptions& options, Ejection usual, bool every) {
  const OptionGroup network(table, "Network");
  network.add("--injection", options.injection, "NAME",
              every ? "one channel per node, or ports: one per link.\nDefault ports where ejection is "
                      "unlimited, else one"
                    : "injection: one, channels or ports.\none: a channel per node; channels: as many "
                      "virtual channels as a link has; ports (hypercube): one per link. Default ports where "
                      "ejection is unlimited, else one",
              choices(ends_of<Injection>(every)));
  const bool one = usual == Ejection::one;
  network.add("--ejection", options.ejection, "NAME",
              fmt::format("ejection: one{} or unlimited (default {}).\none: a channel per node; {}unlimited: "
                          "packets leave by all links at once{}",
                          every ? "" : ", channels", one ? "one" : "unlimited",
                          every ? "" : "channels: as many virtual channels as a link has; ",
                          every ? "" : ", not in a fat-tree"),
              choices(ends_of<Ejection>(every)));
}

std::vector<WormEnds> read_worm_ends(const WormEndsOptions& options, Ejection usual, bool ports) {
  const bool with_broadcasts = usual == Ejection::unlimited;
  const std::vector<Ejection> ejections =
      options.ejection ? choices_or_first(options.ejection, "--ejection", ends_of<Ejection>(with_broadcasts))
                       : std::vector{usual};
  std::vector<WormEnds> all;
  for (const Ejection ejection : ejections) {
    const bool by_ports = ports && ejection == Ejection::unlimited;
    const std::vector<Injection> injections =
        options.injection
            ? choices_or_first(options.injection, "--injection", ends_of<Injection>(with_broadcasts))
            : std::vector{by_ports ? Injection::ports : Injection::one};
    for (const Injection injection : injections)
      all.push_back({.injection = injection, .ejection = ejection});
  }
  return all;
}

}  // namespace tailbound::cli
