#include <cli/options/files.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/answers/trace/fit_trace.hpp>
#include <tailbound/core/choice.hpp>

#include <cln/integer_io.h>
#include <cln/rational.h>
#include <fmt/format.h>

#include <array>
#include <utility>

namespace tailbound::cli {
namespace {

using answers::Combinations;
using numeric::Rational;

constexpr const char* kEveryForm =
    "give --inputs K --load R, for example --inputs 16 --load 0.9, or --traffic poisson --load R, "
    "--rates P1,P2,.., --arrivals EXPR or --pmf FILE";

/// Names of options that describe the same thing; only one may be given.
struct Given {
  const char* option;
  bool given;
};

constexpr const char* each_defines = "each defines the traffic";

/// The values of --traffic that a command supports.
Meanings<TrafficName> traffic_names(Correlated correlated) {
  Meanings<TrafficName> all;
  for (const TrafficName each :
       {TrafficName::bernoulli, TrafficName::poisson, TrafficName::onoff, TrafficName::md1})
    if ((each != TrafficName::onoff || correlated != Correlated::rejected) &&
        (each != TrafficName::md1 || correlated != Correlated::one_source))
      all.emplace_back(name_of(each), each);
  return all;
}

/// For traffic with inputs and without a formula.
const Meanings<TrafficName>& independent_or_onoff() {
  static const Meanings<TrafficName> both{{name_of(TrafficName::bernoulli), TrafficName::bernoulli},
                                          {name_of(TrafficName::onoff), TrafficName::onoff}};
  return both;
}

std::vector<Rational> loads(const TrafficOptions& options) {
  std::vector<Rational> list = parse_percent_list(*options.load, "--load");
  for (const Rational& load : list)
    if (load <= 0)
      throw InvalidArgument("--load", numeric::to_fraction(load), "greater than 0 packets per slot");
  return list;
}

std::vector<std::optional<Rational>> loads_or_none(const TrafficOptions& options, SolveFor solve_for) {
  if (solve_for == SolveFor::load) return {std::nullopt};
  return each_or_none(true, loads(options));
}

std::vector<Rational> read_on_rates(const std::optional<std::string>& text) {
  return text ? parse_percent_list(*text, "--on-rate") : std::vector<Rational>{1};
}

/// For --incast, one for each entry of --load.
std::vector<answers::Traffic> read_incasts(const TrafficOptions& options) {
  const std::vector<Rational> numbers = parse_list(*options.incast, "--incast", 3);
  const char* const legal =
      "N,L,RATE or N,L: senders, packets of each, and events per slot, such as 32,64,1e-4";
  if (numbers.size() < 2) throw InvalidArgument("--incast", *options.incast, legal);
  bounds::Incast incast{.senders = to_integer(numbers[0], "--incast", 1, bounds::Incast::max_senders),
                        .packets = to_integer(numbers[1], "--incast", 1, bounds::Incast::max_packets),
                        .rate = 0};
  if (options.packets_per_slot && *options.packets_per_slot != "1")
    throw InvalidArgument("--packets-per-slot", *options.packets_per_slot, "1 with --incast");
  const Rational packets = numeric::whole(incast.senders) * numeric::whole(incast.packets);
  std::vector<Rational> rates;
  if (numbers.size() == 3)
    rates = {numbers[2]};
  else
    for (const Rational& load : loads(options)) rates.push_back(load / packets);
  std::vector<answers::Traffic> all;
  for (const Rational& rate : rates) {
    if (rate <= 0 || rate * numeric::whole(incast.packets) >= 1)
      throw InvalidArgument(
          "--incast", *options.incast,
          fmt::format("a rate above 0 and below 1/{0} events per slot: each takes {0} slots",
                      incast.packets));
    incast.rate = rate;
    all.push_back({incast});
  }
  return all;
}

/// Rejects options incompatible with --classes or --joint.
void reject_with_classes(const TrafficOptions& options, SolveFor solve_for) {
  const char* const option = options.classes ? "--classes" : "--joint";
  if (options.classes && options.joint) throw not_allowed_with("--classes", "--joint", each_defines);
  if (options.classes && !options.inputs && !options.rates && !options.arrivals && !options.pmf &&
      !options.blocks)
    throw missing("--inputs", "--classes needs the number of inputs, such as --inputs 16");
  if (options.load) throw not_allowed_with("--load", option, "the classes have their own loads");
  for (const auto& [other, given] : {std::pair{"--burst", &options.burst},
                                     {"--on-rate", &options.on_rate},
                                     {"--destination", &options.destination}})
    if (*given)
      throw not_allowed_with(option, other,
                             "classes with bursts can only be simulated (tailbound simulate classes)");
  if (options.traffic && *options.traffic != name_of(TrafficName::bernoulli))
    throw InvalidArgument("--traffic", *options.traffic, fmt::format("bernoulli with {}", option));
  if (options.packets_per_slot && *options.packets_per_slot != "1")
    throw InvalidArgument("--packets-per-slot", *options.packets_per_slot, fmt::format("1 with {}", option));
  if (solve_for != SolveFor::nothing)
    throw not_allowed_with("--solve", option, "loads and bursts are solved for without classes");
}

/// One entry per class.
std::vector<answers::Traffic> by_class(answers::TrafficClass classes) {
  std::vector<answers::Traffic> all;
  for (std::size_t i = 0; i < classes.loads.size(); ++i) {
    classes.priority = static_cast<int>(i) + 1;
    all.push_back({classes});
  }
  return all;
}

answers::TrafficClass equal_classes(const std::string& text, std::int64_t inputs) {
  answers::TrafficClass classes{.inputs = inputs, .loads = parse_percent_list(text, "--classes")};
  try {
    answers::check(classes);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(
        "--classes", text,
        fmt::format("loads above 0 whose sum is below 1 packet per slot (the {}, {}, must be {})",
                    error.argument(), error.value(), error.legal()));
  }
  return classes;
}

/// The source, given by exactly one of these.
template <class Source>
Source& in(answers::Traffic& traffic) {
  return std::get<Source>(traffic.source);
}

}  // namespace

void add_traffic_options(OptionTable& table, TrafficOptions& options, Correlated correlated) {
  const OptionGroup traffic(table, "Traffic");
  traffic.add("--inputs", options.inputs, "K", "number of independent inputs, which share the load",
              slider(2, 256, 1));
  traffic.add("--load", options.load, "R",
              "packets per slot, such as 0.9, 90% or 9/10.\nOr a list: 0.1:0.9:0.1", load_slider());
  traffic.add("--traffic", options.traffic, "NAME",
              correlated != Correlated::rejected
                  ? "bernoulli, poisson, md1 or onoff (default bernoulli).\npoisson: Poisson arrivals per "
                    "slot; md1: Poisson in continuous time, service of one slot (M/D/1, M/D/1/K); onoff: "
                    "sources with bursts. With --load"
                  : "bernoulli, poisson or md1 (default bernoulli).\npoisson: Poisson arrivals per slot; "
                    "md1: Poisson in continuous time, service of one slot. With --load",
              choices(traffic_names(correlated)));
  traffic.add("--rates", options.rates, "P1,P2,..", "inputs, each with its own packets per slot");
  traffic.add(
      "--arrivals", options.arrivals, "EXPR",
      "generating function of the packets per slot, in z.\nOr named distributions with weights: 0.9 + "
      "0.1*zipf(1.5,64). geometric(p), negbin(r,p), binomial(n,p) and lognormal(mu,sigma,n) start at 0 "
      "packets, logarithmic(p) and zipf(s,n) at 1, uniform(a,b) at a. geometric(p) has mean (1-p)/p");
  traffic.add("--pmf", options.pmf, "FILE",
              "file of probabilities of 0, 1, 2, .. packets per slot.\nOne per line");
  traffic.add_flag("--normalize", options.normalize,
                   "divide the probabilities of --pmf by their sum.\nDefault: only where the sum differs "
                   "from 1 by rounding");
  traffic.add_flag("--exact", options.exact, "require that the probabilities of --pmf sum to exactly 1");
  if (correlated != Correlated::rejected) {
    traffic.add("--burst", options.burst, "L",
                "mean burst length of an on-off source in slots.\nSources are independent (synchronized "
                "senders: --incast)",
                slider(2, 128, 1));
    traffic.add("--on-rate", options.on_rate, "R1", "packets per slot within a burst (default 1)",
                slider(0.05, 1, 0.05));
    traffic.add(
        "--destination", options.destination, "NAME",
        correlated == Correlated::allowed ? "per-burst or per-packet (default per-burst).\nAll packets of a "
                                            "burst go to one output, or each packet draws its own"
                                          : "per-packet: each packet draws its own output.\nRequired with "
                                            "onoff; there is no formula for bursts that keep their output",
        correlated == Correlated::allowed ? choices<traffic::Destination>()
                                          : Values{.choices = {name_of(traffic::Destination::per_packet)}});
  }
  if (correlated == Correlated::allowed) {
    traffic.add("--blocks", options.blocks, "FILE",
                "matrices of a Markovian arrival process (D-BMAP).\nD_b(i, j) is the probability of b "
                "packets and of a transition from phase i to j. JSON: a list of matrices, [[[0.9, 0.1], [0, "
                "0]], ..]; CSV: a row per line, a blank line between matrices (docs/files.md)");
  }
  if (correlated == Correlated::allowed) {
    traffic.add("--classes", options.classes, "R1,R2,..",
                "loads of strict priority classes, highest first.\nWith --inputs; the result has a row for "
                "each class");
    traffic.add("--traffic-file", options.file, "FILE",
                "traffic model of a trace.\nWritten by tailbound fit TRACE --save-traffic FILE");
    traffic.add("--incast", options.incast, "N,L,RATE",
                "N senders start L packets each in the same slot.\nEach sends one per slot; RATE events per "
                "slot, or N,L with --load");
    traffic.add("--joint", options.joint, "FILE",
                "packets of each class per slot, with probabilities.\nLines \"n1,n2,..,probability\" "
                "(docs/files.md)");
  }
  traffic.add("--packets-per-slot", options.packets_per_slot, "C", "packets served per slot (default 1)",
              slider(1, 8, 1));
}

answers::Normalise read_normalise(const TrafficOptions& options) {
  if (options.normalize && options.exact) throw not_allowed_with("--exact", "--normalize");
  return options.normalize ? answers::Normalise::yes
         : options.exact   ? answers::Normalise::no
                           : answers::Normalise::rounding;
}

TrafficForm traffic_form(const TrafficOptions& options, SolveFor solve_for) {
  for (const auto& [option, given] :
       {std::pair{"--normalize", options.normalize}, {"--exact", options.exact}})
    if (given && !options.pmf) throw needs(option, "--pmf FILE");
  const TrafficName named =
      options.traffic ? choice_of<TrafficName>(*options.traffic, "--traffic") : TrafficName{};
  const bool poisson = named == TrafficName::poisson || named == TrafficName::md1;
  const char* const poisson_option = named == TrafficName::md1 ? "--traffic md1" : "--traffic poisson";

  const std::array<Given, 8> sources{{{"--inputs", options.inputs.has_value()},
                                      {"--rates", options.rates.has_value()},
                                      {"--arrivals", options.arrivals.has_value()},
                                      {"--pmf", options.pmf.has_value()},
                                      {"--blocks", options.blocks.has_value()},
                                      {"--joint", options.joint.has_value()},
                                      {"--incast", options.incast.has_value()},
                                      {"--traffic-file", options.file.has_value()}}};
  const Given* source = nullptr;
  for (const Given& candidate : sources) {
    if (!candidate.given) continue;
    if (source != nullptr) throw not_allowed_with(source->option, candidate.option, each_defines);
    source = &candidate;
  }
  if (poisson && source != nullptr) throw not_allowed_with(poisson_option, source->option, each_defines);
  if (options.classes || options.joint) reject_with_classes(options, solve_for);
  // A burst length implies --traffic onoff.
  const char* const of_bursts = options.burst         ? "--burst"
                                : options.on_rate     ? "--on-rate"
                                : options.destination ? "--destination"
                                                      : nullptr;
  const bool on_off = named == TrafficName::onoff ||
                      (!options.traffic && (of_bursts != nullptr || solve_for == SolveFor::burst));
  if (solve_for == SolveFor::burst && !on_off)
    throw not_allowed_with("--solve burst", "--traffic", "bursts need --traffic onoff");
  if (solve_for == SolveFor::burst && options.burst)
    throw not_allowed_with("--burst", "--solve burst", "the burst length is the result");
  if (!on_off && of_bursts != nullptr)
    throw not_allowed_with(of_bursts, "--traffic", "bursts need --traffic onoff");
  if (on_off && source != nullptr && !options.inputs)
    throw not_allowed_with("--traffic onoff", source->option, each_defines);
  if (options.traffic &&
      (options.arrivals || options.pmf || options.blocks || options.incast || options.file))
    throw not_allowed_with("--traffic", source->option, each_defines);
  if (!poisson && source == nullptr) {
    if (options.load || options.traffic)
      throw missing("--inputs",
                    "--load needs the number of inputs, such as --inputs 16, or --traffic poisson");
    throw missing("the traffic", kEveryForm);
  }

  if (options.incast) {
    if (solve_for != SolveFor::nothing)
      throw not_allowed_with("--solve", "--incast", "give --load a list instead");
    const bool has_rate = std::count(options.incast->begin(), options.incast->end(), ',') == 2;
    if (has_rate && options.load)
      throw not_allowed_with("--load", "--incast N,L,RATE", "each defines the rate of events");
    if (!has_rate && !options.load)
      throw missing(
          "--load",
          "--incast N,L needs the load, such as --load 0.5, or the events per slot: --incast N,L,RATE");
    return TrafficForm::incast;
  }
  const bool takes_load = poisson || (options.inputs && !options.classes);
  if (options.load && !takes_load)
    throw not_allowed_with("--load", source->option, "it already defines the load");
  if (options.load && solve_for == SolveFor::load)
    throw not_allowed_with("--load", "--solve load", "the load is the result");
  if (takes_load && !options.load && solve_for != SolveFor::load)
    throw missing("--load", fmt::format("{} needs the packets per slot, such as --load 0.9",
                                        poisson ? poisson_option : "--inputs"));

  if (on_off && !options.burst && solve_for != SolveFor::burst)
    throw missing("--burst", "--traffic onoff needs the mean burst length in slots, such as --burst 16");
  if (poisson) return named == TrafficName::md1 ? TrafficForm::md1 : TrafficForm::poisson;
  if (on_off) return TrafficForm::on_off;
  if (options.blocks) return TrafficForm::blocks;
  if (options.joint) return TrafficForm::joint;
  if (options.file) return TrafficForm::file;
  if (options.classes) return TrafficForm::classes;
  if (options.inputs) return TrafficForm::equal_inputs;
  if (options.rates) return TrafficForm::unequal_inputs;
  return options.arrivals ? TrafficForm::expression : TrafficForm::pmf;
}

std::vector<answers::Traffic> read_traffics(const TrafficOptions& options, SolveFor solve_for) {
  using answers::Traffic;
  const TrafficForm form = traffic_form(options, solve_for);
  const auto inputs = [&] {
    return integers_or(1, options.inputs, "--inputs", 1, answers::EqualInputs::maximum);
  };
  const auto served = [&] {
    return integers_or(1, options.packets_per_slot, "--packets-per-slot", 1, Traffic::max_packets_per_slot);
  };
  const auto serve = [](Traffic& each, std::int64_t packets) {
    each.packets_per_slot = static_cast<int>(packets);
  };
  const auto one = [&](answers::Source source) {
    return Combinations(Traffic{std::move(source)}).by(served(), serve).points();
  };
  switch (form) {
    case TrafficForm::equal_inputs:
      return Combinations(Traffic{answers::EqualInputs{}})
          .by(inputs(),
              [](Traffic& each, std::int64_t count) { in<answers::EqualInputs>(each).inputs = count; })
          .by(served(), serve)
          .by(loads_or_none(options, solve_for),
              [](Traffic& each, const auto& load) { in<answers::EqualInputs>(each).load = load; })
          .points();
    case TrafficForm::poisson:
      return Combinations(Traffic{answers::PoissonArrivals{}})
          .by(served(), serve)
          .by(loads_or_none(options, solve_for),
              [](Traffic& each, const auto& load) { in<answers::PoissonArrivals>(each).load = load; })
          .points();
    case TrafficForm::md1:
      return Combinations(Traffic{answers::PoissonAtAnyTime{}})
          .by(served(), serve)
          .by(loads_or_none(options, solve_for),
              [](Traffic& each, const auto& load) { in<answers::PoissonAtAnyTime>(each).load = load; })
          .points();
    case TrafficForm::unequal_inputs:
      return one(answers::UnequalInputs{parse_percent_list(*options.rates, "--rates")});
    case TrafficForm::expression:
      return one(answers::generating_function(*options.arrivals, "--arrivals"));
    case TrafficForm::pmf:
      return one(
          answers::probabilities(read_file(*options.pmf, "--pmf"), *options.pmf, read_normalise(options)));
    case TrafficForm::blocks:
      return one(answers::blocks(read_file(*options.blocks, "--blocks"), *options.blocks));
    case TrafficForm::joint:
      return by_class(answers::joint_classes(read_file(*options.joint, "--joint"), *options.joint));
    case TrafficForm::classes: {
      std::vector<Traffic> all;
      for (const std::int64_t count :
           parse_integers(*options.inputs, "--inputs", 1, queue::PriorityQueue::max_inputs))
        for (Traffic& each : by_class(equal_classes(*options.classes, count))) all.push_back(std::move(each));
      return all;
    }
    case TrafficForm::file:
      return one(answers::fitted_traffic(read_file(*options.file, "--traffic-file"), *options.file));
    case TrafficForm::incast:
      return read_incasts(options);
    case TrafficForm::on_off:
      break;
  }
  using answers::BurstyInputs;
  const std::vector<Rational> bursts =
      options.burst ? parse_list(*options.burst, "--burst") : std::vector<Rational>{0};
  std::vector<Traffic> all =
      Combinations(Traffic{BurstyInputs{}})
          .by(inputs(), [](Traffic& each, std::int64_t count) { in<BurstyInputs>(each).inputs = count; })
          .by(served(), serve)
          .by(read_destinations(options.destination, true),
              [](Traffic& each, auto destination) { in<BurstyInputs>(each).destination = destination; })
          .by(read_on_rates(options.on_rate),
              [](Traffic& each, const Rational& rate) { in<BurstyInputs>(each).burst.on_rate = rate; })
          .by(bursts,
              [](Traffic& each, const Rational& slots) { in<BurstyInputs>(each).burst.slots = slots; })
          .by(loads(options), [](Traffic& each, const Rational& load) { in<BurstyInputs>(each).load = load; })
          .points();
  for (Traffic& each : all) {
    auto& bursty = in<BurstyInputs>(each);
    if (!options.burst) bursty.burst.slots = traffic::shortest_burst(bursty.load, bursty.burst.on_rate);
    answers::check(bursty);
  }
  return all;
}

void add_burst_options(OptionTable& table, BurstOptions& options, const std::string& group) {
  const OptionGroup bursts(table, group);
  bursts.add("--traffic", options.traffic, "NAME",
             "bernoulli or onoff (default bernoulli).\nonoff needs --burst", choices(independent_or_onoff()));
  bursts.add("--burst", options.burst, "L", "mean burst length of each host in slots", slider(2, 128, 1));
  bursts.add("--on-rate", options.on_rate, "R1", "packets per slot within a burst (default 1)",
             slider(0.05, 1, 0.05));
  bursts.add("--destination", options.destination, "NAME",
             "per-burst or per-packet (default per-burst).\nA burst keeps its destination, or each packet "
             "draws its own",
             choices<traffic::Destination>());
}

namespace {

/// \throws InvalidArgument  incompatible options. Are there bursts?
bool requests_bursts(const BurstOptions& options) {
  const bool on_off = options.traffic &&
                      parse_choice(*options.traffic, "--traffic", meaning_names(independent_or_onoff())) == 1;
  if (options.on_rate && !options.burst) throw needs("--on-rate", "--burst L");
  if (on_off && !options.burst) throw needs("--traffic onoff", "--burst L");
  if (options.burst && options.traffic && !on_off) throw not_allowed_with("--burst", "--traffic bernoulli");
  return options.burst.has_value();
}

/// \throws InvalidArgument  load, burst and on-rate are inconsistent
void require_possible(const traffic::Burst& burst, const Rational& load) {
  const auto reject = [](const char* option, const Rational& value, const InvalidArgument& error) {
    throw InvalidArgument(option, numeric::plain(value), error.legal());
  };
  try {
    (void)traffic::on_off(load, burst);
  } catch (const InvalidArgument& error) {
    if (error.argument() == "burst") reject("--burst", burst.slots, error);
    if (error.argument() == "on-rate") reject("--on-rate", burst.on_rate, error);
    reject("--load", load, error);
  }
}

}  // namespace

std::vector<std::optional<traffic::Burst>> read_bursts(const BurstOptions& options, const Rational& load) {
  if (!requests_bursts(options)) return {std::nullopt};
  std::vector<std::optional<traffic::Burst>> bursts;
  for (const Rational& slots : parse_list(*options.burst, "--burst"))
    for (const Rational& on_rate : read_on_rates(options.on_rate)) {
      bursts.emplace_back(traffic::Burst{.slots = slots, .on_rate = on_rate});
      require_possible(*bursts.back(), load);
    }
  return bursts;
}

std::vector<traffic::Destination> read_destinations(const std::optional<std::string>& destination,
                                                    bool bursts) {
  if (destination && !bursts) throw needs("--destination", "--burst L");
  return choices_or_first<traffic::Destination>(destination, "--destination");
}

traffic::PacketSizes read_sizes(const std::string& text) {
  if (text == "imix") return traffic::PacketSizes::imix();
  const bool list =
      text.starts_with("cdf,") || text.starts_with("weights,") ||
      (text.find(':') != std::string::npos && text.find_first_of("0123456789 ") == 0) ||
      (!text.empty() && text.find_first_not_of("0123456789.:,/eE+%kKMiB ") == std::string::npos);
  if (list) return traffic::PacketSizes::of_list(text, "--sizes");
  try {
    return traffic::PacketSizes::of_file(read_file(text, "--sizes"), text);
  } catch (const InvalidArgument& error) {
    if (error.argument() != "--sizes") throw;
    throw InvalidArgument("--sizes", text, "imix, a list such as \"64:7,1518:1\", or " + error.legal());
  }
}

}  // namespace tailbound::cli
