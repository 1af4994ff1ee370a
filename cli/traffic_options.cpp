#include <cli/burst_options.hpp>
#include <cli/files.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/core/suggest.hpp>

#include <cln/integer_io.h>
#include <cln/rational.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tailbound::cli {
namespace {

using numeric::Rational;

constexpr const char* kEveryForm =
    "given as --inputs K --load R, --traffic poisson --load R, --rates P1,P2,.., --arrivals EXPR or --pmf "
    "FILE";

/// Names of options that describe the same thing, of which one may be given.
struct Given {
  const char* option;
  bool given;
};

[[noreturn]] void refuse_together(const char* first, const char* second, const char* reason) {
  throw InvalidArgument(first, fmt::format("given together with {}", second),
                        fmt::format("left out there, or {} must: {}", second, reason));
}

[[noreturn]] void refuse_missing(const char* option, const std::string& legal) {
  throw InvalidArgument(option, "missing", legal);
}

constexpr std::int64_t most_inputs = 1'048'576;
constexpr std::size_t most_points = 1'000'000;

std::vector<Rational> loads(const TrafficOptions& options) {
  std::vector<Rational> list = parse_percent_list(*options.load, "--load");
  for (const Rational& load : list)
    if (load <= 0)
      throw InvalidArgument("--load", numeric::to_fraction(load), "greater than 0 packets a slot");
  return list;
}

}  // namespace

void add_traffic_options(OptionTable& table, TrafficOptions& options, Correlated correlated) {
  const OptionGroup traffic(table, "Traffic");
  traffic.add("--inputs", options.inputs, "K", "independent inputs that share the load equally");
  traffic.add("--load", options.load, "R", "packets a slot: 0.9, 9/10, or a list 0.1:0.9:0.1");
  traffic.add("--traffic", options.traffic, "NAME",
              correlated == Correlated::allowed
                  ? "bernoulli (the default), poisson, or onoff: sources that send in\nbursts; with --load"
                  : "bernoulli (the default) or poisson, with --load");
  traffic.add("--rates", options.rates, "P1,P2,..", "independent inputs, each with a rate of its own");
  traffic.add("--arrivals", options.arrivals, "EXPR", "generating function of the packets in a slot, in z");
  traffic.add("--pmf", options.pmf, "FILE", "probabilities of 0, 1, 2, .. packets in a slot, one a line");
  if (correlated == Correlated::allowed) {
    traffic.add("--burst", options.burst, "L", "onoff: mean length of a source's bursts in slots, or a list");
    traffic.add("--on-rate", options.on_rate, "R1", "onoff: packets a slot of a source within a burst (1)");
    traffic.add("--destination", options.destination, "NAME",
                "onoff: per-burst (the default): all packets of a burst to one\noutput; or per-packet: every "
                "packet draws its own");
    traffic.add(
        "--blocks", options.blocks, "FILE",
        "matrices D_0, D_1, ..: D_b(i, j) is the probability of b packets\nand of phase i turning to j (a "
        "D-BMAP). JSON: a list of matrices,\n[[[0.9, 0.1], [0, 0]], ..]; CSV: a row a line, a blank line "
        "between\nmatrices (docs/files.md)");
  }
  traffic.add("--packets-per-slot", options.packets_per_slot, "C", "packets served in a slot (1)");
}

TrafficForm traffic_form(const TrafficOptions& options, Sought sought) {
  static const std::vector<std::string> names{"bernoulli", "poisson", "onoff"};
  const std::size_t named = options.traffic ? parse_choice(*options.traffic, "--traffic", names) : 0;
  const bool poisson = named == 1;

  const std::array<Given, 5> sources{{{"--inputs", options.inputs.has_value()},
                                      {"--rates", options.rates.has_value()},
                                      {"--arrivals", options.arrivals.has_value()},
                                      {"--pmf", options.pmf.has_value()},
                                      {"--blocks", options.blocks.has_value()}}};
  const Given* source = nullptr;
  for (const Given& candidate : sources) {
    if (!candidate.given) continue;
    if (source != nullptr)
      refuse_together(source->option, candidate.option, "each describes the traffic by itself");
    source = &candidate;
  }
  if (poisson && source != nullptr)
    refuse_together("--traffic poisson", source->option, "each describes the traffic by itself");
  // A burst says as much as --traffic onoff does.
  const char* const of_bursts = options.burst         ? "--burst"
                                : options.on_rate     ? "--on-rate"
                                : options.destination ? "--destination"
                                                      : nullptr;
  const bool on_off = named == 2 || (!options.traffic && (of_bursts != nullptr || sought == Sought::burst));
  if (sought == Sought::burst && !on_off)
    refuse_together("--solve burst", "--traffic", "bursts belong to --traffic onoff");
  if (sought == Sought::burst && options.burst)
    throw InvalidArgument("--burst", "given", "left out where the burst is what is asked for");
  if (!on_off && of_bursts != nullptr)
    refuse_together(of_bursts, "--traffic", "bursts belong to --traffic onoff");
  if (on_off && source != nullptr && !options.inputs)
    refuse_together("--traffic onoff", source->option, "each describes the traffic by itself");
  if (options.traffic && (options.arrivals || options.pmf || options.blocks))
    refuse_together("--traffic", source->option, "each describes the traffic by itself");
  if (!poisson && source == nullptr) {
    if (options.load || options.traffic)
      refuse_missing("--inputs", "given with --load (or the traffic " + std::string(kEveryForm) + ")");
    throw InvalidArgument("the traffic", "missing", kEveryForm);
  }

  const bool takes_load = poisson || options.inputs;
  if (options.load && !takes_load)
    refuse_together("--load", source->option, "the load follows from the traffic described");
  if (options.load && sought == Sought::load)
    throw InvalidArgument("--load", "given", "left out where the load is what is asked for");
  if (takes_load && !options.load && sought != Sought::load)
    refuse_missing("--load", fmt::format("given with {}: packets a slot, such as 0.9 or 9/10",
                                         poisson ? "--traffic poisson" : "--inputs"));

  if (on_off && !options.burst && sought != Sought::burst)
    refuse_missing("--burst", "given with --traffic onoff: slots, such as 16");
  if (poisson) return TrafficForm::poisson;
  if (on_off) return TrafficForm::on_off;
  if (options.blocks) return TrafficForm::blocks;
  if (options.inputs) return TrafficForm::equal_inputs;
  if (options.rates) return TrafficForm::unequal_inputs;
  return options.arrivals ? TrafficForm::expression : TrafficForm::pmf;
}

std::vector<answers::Traffic> read_traffics(const TrafficOptions& options, Sought sought) {
  const TrafficForm form = traffic_form(options, sought);
  std::vector<answers::Traffic> all;
  const auto inputs = [&] { return integers_or(1, options.inputs, "--inputs", 1, most_inputs); };
  const auto loads_or_none = [&] {
    std::vector<std::optional<Rational>> list;
    if (sought == Sought::load) return std::vector<std::optional<Rational>>{std::nullopt};
    for (const Rational& rho : loads(options)) list.emplace_back(rho);
    return list;
  };
  const auto add_each_served = [&](const auto& add) {
    for (const std::int64_t served : integers_or(1, options.packets_per_slot, "--packets-per-slot", 1, 32))
      add([&](answers::Source source) {
        all.push_back({.source = std::move(source), .packets_per_slot = static_cast<int>(served)});
      });
  };
  switch (form) {
    case TrafficForm::equal_inputs:
      for (const std::int64_t count : inputs())
        add_each_served([&](const auto& push) {
          for (const auto& rho : loads_or_none()) push(answers::EqualInputs{count, rho});
        });
      break;
    case TrafficForm::poisson:
      add_each_served([&](const auto& push) {
        for (const auto& rho : loads_or_none()) push(answers::PoissonArrivals{rho});
      });
      break;
    case TrafficForm::unequal_inputs:
      add_each_served([&, rates = parse_percent_list(*options.rates, "--rates")](const auto& push) {
        push(answers::UnequalInputs{rates});
      });
      break;
    case TrafficForm::expression:
      add_each_served([read = answers::generating_function(*options.arrivals, "--arrivals")](
                          const auto& push) { push(read); });
      break;
    case TrafficForm::pmf:
      add_each_served([read = answers::probabilities(read_file(*options.pmf, "--pmf"), *options.pmf)](
                          const auto& push) { push(read); });
      break;
    case TrafficForm::blocks:
      add_each_served([read = answers::blocks(read_file(*options.blocks, "--blocks"), *options.blocks)](
                          const auto& push) { push(read); });
      break;
    case TrafficForm::on_off: {
      std::vector<std::optional<Rational>> bursts{std::nullopt};
      if (options.burst) {
        const std::vector<Rational> given = parse_list(*options.burst, "--burst");
        bursts.assign(given.begin(), given.end());
      }
      for (const std::int64_t count : inputs())
        add_each_served([&](const auto& push) {
          for (const traffic::Destination destination : read_destinations(options.destination, true))
            for (const Rational& on_rate : options.on_rate ? parse_percent_list(*options.on_rate, "--on-rate")
                                                           : std::vector<Rational>{1})
              for (const std::optional<Rational>& slots : bursts)
                for (const Rational& rho : loads(options)) {
                  const answers::BurstyInputs bursty{
                      .inputs = count,
                      .load = rho,
                      .burst = {.slots = slots ? *slots : traffic::shortest_burst(rho, on_rate),
                                .on_rate = on_rate},
                      .destination = destination};
                  answers::check(bursty);
                  push(bursty);
                }
        });
      break;
    }
  }
  if (all.size() > most_points)
    throw InvalidArgument("the question", fmt::format("{} points", all.size()),
                          fmt::format("at most {} of them", most_points));
  return all;
}

std::vector<std::size_t> parse_choices(std::string_view text, std::string_view option,
                                       const std::vector<std::string>& names) {
  std::vector<std::size_t> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    list.push_back(parse_choice(text.substr(begin, end - begin), option, names));
    begin = end + 1;
  }
  return list;
}

std::size_t parse_choice(std::string_view text, std::string_view option,
                         const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end())
    throw InvalidArgument(
        std::string(option), std::string(text),
        fmt::format("{} {}{}", names.size() == 2 ? "either" : "one of",
                    fmt::join(names, names.size() == 2 ? " or " : ", "), did_you_mean(text, names)));
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::int64_t> integers_or(std::int64_t usual, const std::optional<std::string>& text,
                                      std::string_view option, std::int64_t least, std::int64_t greatest) {
  return text ? parse_integers(*text, option, least, greatest) : std::vector<std::int64_t>{usual};
}

const std::string& required(const std::optional<std::string>& text, const char* option, const char* legal) {
  if (!text) throw InvalidArgument(option, "missing", legal);
  return *text;
}

}  // namespace tailbound::cli
