#include <cli/options/files.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/answers/trace/fit_trace.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tailbound::cli {
namespace {

using answers::Combinations;
using numeric::Rational;

constexpr const char* kEveryForm =
    "give --inputs K --load R, for example --inputs 16 --load 0.9, or --traffic poisson --load R, "
    "--rates P1,P2,.., --arrivals EXPR or --pmf FILE";

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

std::vector<std::int64_t> read_served(const TrafficOptions& options) {
  return integers_or(1, options.packets_per_slot, "--packets-per-slot", 1,
                     answers::Traffic::max_packets_per_slot);
}

/// Each with each number of packets served per slot.
std::vector<answers::Traffic> served_by(std::vector<answers::Traffic> traffics,
                                        const std::vector<std::int64_t>& served) {
  return Combinations(std::move(traffics))
      .by(served, [](answers::Traffic& each,
                     std::int64_t packets) { each.packets_per_slot = static_cast<int>(packets); })
      .points();
}

/// For --incast, one for each entry of --load and --packets-per-slot.
std::vector<answers::Traffic> read_incasts(const TrafficOptions& options, SolveFor solve_for) {
  const auto [senders, each] = read_incast(*options.incast);
  const std::vector<Rational> numbers = parse_list(*options.incast, "--incast", 3);
  bounds::Incast incast{.senders = senders, .packets = each, .rate = 0};
  const Rational packets = Rational(incast.senders) * Rational(incast.packets);
  const std::vector<std::int64_t> served = read_served(options);
  if (solve_for == SolveFor::load) return served_by({{incast}}, served);
  std::vector<Rational> rates;
  if (numbers.size() == 3)
    rates = {numbers[2]};
  else
    for (const Rational& load : loads(options)) rates.push_back(load / packets);
  std::vector<answers::Traffic> all;
  for (const Rational& rate : rates) {
    if (rate <= 0 || rate * Rational(incast.packets) >= 1)
      throw InvalidArgument(
          "--incast", *options.incast,
          fmt::format("a rate above 0 and below 1/{0} events per slot: each takes {0} slots",
                      incast.packets));
    incast.rate = rate;
    all.push_back({incast});
  }
  return served_by(std::move(all), served);
}

/// Options of --pmf.
const std::vector<OptionNeeds>& needed_by_traffic() {
  static const std::vector<OptionNeeds> all{
      {"--normalize --exact", "probabilities from a file: --pmf, --blocks, --joint or --traffic-file"}};
  return all;
}

/// The options that act in each form of traffic.
const Form& options_of(TrafficForm form) {
  static const WhyNot bursts{"--burst --on-rate --destination", "bursts need --traffic onoff"},
      load_defined{"--load", "it already defines the load"};
  static const OnlyValue bernoulli{"--traffic", "bernoulli"}, one_per_slot{"--packets-per-slot", "1"};
  const auto only = [](const char* option, std::string acts) {
    return Form{option, std::move(acts) + " --packets-per-slot", {}, {load_defined}, each_defines};
  };
  const auto classes = [](const char* option, std::string acts) {
    return Form{option,
                std::move(acts),
                {bernoulli, one_per_slot},
                {{"--load", "the classes have their own loads"},
                 {"--burst --on-rate --destination",
                  "classes with bursts can only be simulated (tailbound simulate classes)"}},
                each_defines};
  };
  static const std::vector<std::pair<TrafficForm, Form>> all{
      {TrafficForm::equal_inputs,
       {"--traffic bernoulli", "--inputs --load --packets-per-slot", {bernoulli}, {bursts}, each_defines}},
      {TrafficForm::on_off,
       {"--traffic onoff",
        "--traffic --inputs --load --burst --on-rate --destination --packets-per-slot",
        {},
        {},
        each_defines}},
      {TrafficForm::poisson,
       {"--traffic poisson", "--traffic --load --packets-per-slot", {}, {bursts}, each_defines}},
      {TrafficForm::md1,
       {"--traffic md1", "--traffic --load --packets-per-slot", {}, {bursts}, each_defines}},
      {TrafficForm::unequal_inputs,
       {"--rates", "--rates --packets-per-slot", {bernoulli}, {load_defined}, each_defines}},
      {TrafficForm::expression, only("--arrivals", "--arrivals")},
      {TrafficForm::pmf, only("--pmf", "--pmf --normalize --exact")},
      {TrafficForm::blocks, only("--blocks", "--blocks --normalize --exact")},
      {TrafficForm::file, only("--traffic-file", "--traffic-file --normalize --exact")},
      {TrafficForm::classes, classes("--classes", "--classes --inputs")},
      {TrafficForm::joint, classes("--joint", "--joint --normalize --exact")},
      {TrafficForm::incast, {"--incast", "--incast --load --packets-per-slot", {}, {}, each_defines}}};
  return std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == form; })->second;
}

/// The form that the options select; others that were given may not act in it.
TrafficForm selected(const TrafficOptions& options, SolveFor solve_for) {
  const TrafficName named =
      options.traffic ? choice_of<TrafficName>(*options.traffic, "--traffic") : TrafficName{};
  const std::array<std::pair<const std::optional<std::string>*, TrafficForm>, 7> sources{
      {{&options.rates, TrafficForm::unequal_inputs},
       {&options.arrivals, TrafficForm::expression},
       {&options.pmf, TrafficForm::pmf},
       {&options.blocks, TrafficForm::blocks},
       {&options.joint, TrafficForm::joint},
       {&options.incast, TrafficForm::incast},
       {&options.file, TrafficForm::file}}};
  if (named == TrafficName::poisson) return TrafficForm::poisson;
  if (named == TrafficName::md1) return TrafficForm::md1;
  if (options.classes) return TrafficForm::classes;
  for (const auto& [option, form] : sources)
    if (option->has_value()) return form;
  const bool bursts = options.burst || options.on_rate || options.destination;
  if (named == TrafficName::onoff || (!options.traffic && (bursts || solve_for == SolveFor::burst)))
    return TrafficForm::on_off;
  return TrafficForm::equal_inputs;
}

/// Options that the form needs, and others that conflict with what is solved for.
void require_complete(TrafficForm form, const TrafficOptions& options, SolveFor solve_for) {
  const Form& its = options_of(form);
  const bool on_off = form == TrafficForm::on_off, equal = on_off || form == TrafficForm::equal_inputs;
  if (form == TrafficForm::classes && !options.inputs)
    throw missing("--inputs", "--classes needs the number of inputs, such as --inputs 16");
  if (solve_for == SolveFor::burst && !on_off)
    throw not_allowed_with("--solve burst", its.option,
                           "bursts need --traffic onoff; use --solve load for other traffic");
  if (solve_for == SolveFor::burst && options.burst)
    throw not_allowed_with("--burst", "--solve burst", "the burst length is the result");
  if (form == TrafficForm::incast) {
    const bool has_rate = std::count(options.incast->begin(), options.incast->end(), ',') == 2;
    if (has_rate && options.load)
      throw not_allowed_with("--load", "--incast N,L,RATE", "each defines the rate of events");
    if (solve_for == SolveFor::load && (has_rate || options.load))
      throw not_allowed_with(has_rate ? "--incast N,L,RATE" : "--load", "--solve load",
                             "the load is the result: give --incast N,L");
    if (!has_rate && !options.load && solve_for != SolveFor::load)
      throw missing(
          "--load",
          "--incast N,L needs the load, such as --load 0.5, or the events per slot: --incast N,L,RATE");
    return;
  }
  if (equal && !options.inputs) {
    if (options.load || options.traffic)
      throw missing("--inputs",
                    "--load needs the number of inputs, such as --inputs 16, or --traffic poisson");
    throw missing("the traffic", kEveryForm);
  }
  if (lists(its.acts, "--load")) {
    if (options.load && solve_for == SolveFor::load)
      throw not_allowed_with("--load", "--solve load", "the load is the result");
    if (!options.load && solve_for != SolveFor::load)
      throw missing("--load", fmt::format("{} needs the packets per slot, such as --load 0.9",
                                          equal ? "--inputs" : its.option));
  }
  if (on_off && !options.burst && solve_for != SolveFor::burst)
    throw missing("--burst", "--traffic onoff needs the mean burst length in slots, such as --burst 16");
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
        fmt::format(
            "loads above 0, together at most 1 packet per slot from each input (the {}, {}, must be {})",
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

OfferedClass offered_class(const std::vector<Rational>& loads, int priority) {
  OfferedClass offered{priority, 0};
  for (std::size_t i = 0; i < loads.size() && i < static_cast<std::size_t>(priority); ++i)
    offered.load = offered.load + loads[i];
  return offered;
}

std::optional<OfferedClass> offered_class(const answers::Traffic& traffic) {
  const auto* classes = std::get_if<answers::TrafficClass>(&traffic.source);
  return classes != nullptr ? std::optional(offered_class(classes->loads, classes->priority)) : std::nullopt;
}

std::string without_answer(const OfferedClass& offered, const char* instead) {
  return fmt::format(
      "Class {} has no answer: with the higher classes it offers {} packets per slot, so its infinite queue "
      "grows without limit; {}.",
      offered.priority, numeric::plain(offered.load), instead);
}

void add_traffic_options(OptionTable& table, TrafficOptions& options, Correlated correlated) {
  const OptionGroup traffic(table, "Traffic");
  traffic.add("--inputs", options.inputs, "K", "number of independent inputs, which share the load",
              must_be(numeric::integers_in_words(1, answers::EqualInputs::maximum), slider(2, 256, 1)));
  traffic.add("--load", options.load, "R",
              "packets per slot, such as 0.9, 90% or 9/10.\nOr a list: 0.1:0.9:0.1",
              must_be("above 0, and at most the number of inputs", load_slider()));
  traffic.add("--traffic", options.traffic, "NAME",
              correlated != Correlated::rejected
                  ? "bernoulli, poisson, md1 or onoff (default bernoulli).\npoisson: Poisson arrivals per "
                    "slot; md1: Poisson in continuous time, service of one slot (M/D/1, M/D/1/K); onoff: "
                    "sources with bursts. With --load"
                  : "bernoulli, poisson or md1 (default bernoulli).\npoisson: Poisson arrivals per slot; "
                    "md1: Poisson in continuous time, service of one slot. With --load",
              choices(traffic_names(correlated)));
  traffic.add("--rates", options.rates, "P1,P2,..", "inputs, each with its own packets per slot",
              must_be("probabilities from 0 to 1"));
  traffic.add(
      "--arrivals", options.arrivals, "EXPR",
      "generating function of the packets per slot, in z.\nOr named distributions with weights: 0.9 + "
      "0.1*zipf(1.5,64). geometric(p), negbin(r,p), binomial(n,p) and lognormal(mu,sigma,n) start at 0 "
      "packets, logarithmic(p) and zipf(s,n) at 1, uniform(a,b) at a. geometric(p) has mean (1-p)/p");
  traffic.add("--pmf", options.pmf, "FILE",
              "file of probabilities of 0, 1, 2, .. packets per slot.\nOne per line");
  traffic.add_flag("--normalize", options.normalize,
                   correlated == Correlated::allowed
                       ? "divide probabilities of files by their sum.\nOf --pmf, --joint, --traffic-file and "
                         "each row of --blocks. Default: only where the sum differs from 1 by rounding"
                       : "divide the probabilities of --pmf by their sum.\nDefault: only where the sum "
                         "differs from 1 by rounding");
  traffic.add_flag("--exact", options.exact,
                   correlated == Correlated::allowed
                       ? "require that probabilities of files sum to exactly 1"
                       : "require that the probabilities of --pmf sum to exactly 1");
  if (correlated != Correlated::rejected) {
    traffic.add("--burst", options.burst, "L",
                "mean burst length of an on-off source in slots.\nSources are independent (synchronized "
                "senders: --incast)",
                must_be("at least 1 slot", slider(2, 128, 1)));
    traffic.add("--on-rate", options.on_rate, "R1", "packets per slot within a burst (default 1)",
                must_be("above 0 and at most 1 packet per slot", slider(0.05, 1, 0.05)));
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
                "each class",
                must_be("loads above 0, together at most 1 packet per slot from each input"));
    traffic.add("--traffic-file", options.file, "FILE",
                "traffic model of a trace.\nWritten by tailbound fit TRACE --save-traffic FILE");
    traffic.add("--incast", options.incast, "N,L,RATE",
                "N senders start L packets each in the same slot.\nEach sends one per slot; RATE events per "
                "slot, or N,L with --load; in buffer N,L alone is one event");
    traffic.add("--joint", options.joint, "FILE",
                "packets of each class per slot, with probabilities.\nLines \"n1,n2,..,probability\" "
                "(docs/files.md)");
  }
  traffic.add(
      "--packets-per-slot", options.packets_per_slot, "C", "packets served per slot (default 1)",
      must_be(numeric::integers_in_words(1, answers::Traffic::max_packets_per_slot), slider(1, 8, 1)));
}

answers::Normalise read_normalise(const TrafficOptions& options) {
  if (options.normalize && options.exact) throw not_allowed_with("--exact", "--normalize");
  return options.normalize ? answers::Normalise::yes
         : options.exact   ? answers::Normalise::no
                           : answers::Normalise::rounding;
}

std::vector<GivenOption> given_options(const TrafficOptions& options) {
  const std::array<Named, 15> all{{{"--inputs", &options.inputs},
                                   {"--load", &options.load},
                                   {"--traffic", &options.traffic},
                                   {"--rates", &options.rates},
                                   {"--arrivals", &options.arrivals},
                                   {"--pmf", &options.pmf},
                                   {"--burst", &options.burst},
                                   {"--on-rate", &options.on_rate},
                                   {"--destination", &options.destination},
                                   {"--blocks", &options.blocks},
                                   {"--classes", &options.classes},
                                   {"--traffic-file", &options.file},
                                   {"--incast", &options.incast},
                                   {"--joint", &options.joint},
                                   {"--packets-per-slot", &options.packets_per_slot}}};
  std::vector<GivenOption> given;
  for (const auto& [name, value] : all)
    if (value->has_value()) given.push_back({name, &**value});
  if (options.normalize) given.push_back({"--normalize"});
  if (options.exact) given.push_back({"--exact"});
  return given;
}

std::pair<std::int64_t, std::int64_t> read_incast(const std::string& text) {
  const std::vector<Rational> numbers = parse_list(text, "--incast", 3);
  if (numbers.size() < 2)
    throw InvalidArgument(
        "--incast", text,
        "N,L,RATE or N,L: senders, packets of each, and events per slot, such as 32,64,1e-4");
  return {to_integer(numbers[0], "--incast", 1, bounds::Incast::max_senders),
          to_integer(numbers[1], "--incast", 1, bounds::Incast::max_packets)};
}

TrafficForm traffic_form(const TrafficOptions& options, SolveFor solve_for) {
  const TrafficForm form = selected(options, solve_for);
  require_acting(given_options(options), options_of(form), needed_by_traffic());
  require_complete(form, options, solve_for);
  return form;
}

std::vector<answers::Traffic> read_traffics(const TrafficOptions& options, SolveFor solve_for) {
  using answers::Traffic;
  const TrafficForm form = traffic_form(options, solve_for);
  const auto inputs = [&] {
    return integers_or(1, options.inputs, "--inputs", 1, answers::EqualInputs::maximum);
  };
  const auto served = [&] { return read_served(options); };
  const auto serve = [](Traffic& each, std::int64_t packets) {
    each.packets_per_slot = static_cast<int>(packets);
  };
  const auto one = [&](answers::Source source) { return served_by({{std::move(source)}}, served()); };
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
      return one(
          answers::blocks(read_file(*options.blocks, "--blocks"), *options.blocks, read_normalise(options)));
    case TrafficForm::joint:
      return by_class(answers::joint_classes(read_file(*options.joint, "--joint"), *options.joint,
                                             read_normalise(options)));
    case TrafficForm::classes: {
      std::vector<Traffic> all;
      for (const std::int64_t count :
           parse_integers(*options.inputs, "--inputs", 1, queue::PriorityQueue::max_inputs))
        for (Traffic& each : by_class(equal_classes(*options.classes, count))) all.push_back(std::move(each));
      return all;
    }
    case TrafficForm::file:
      return served_by({answers::fitted_traffic(read_file(*options.file, "--traffic-file"), *options.file,
                                                read_normalise(options))},
                       served());
    case TrafficForm::incast:
      return read_incasts(options, solve_for);
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
          .by(loads_or_none(options, solve_for),
              [](Traffic& each, const auto& load) { in<BurstyInputs>(each).load = load; })
          .points();
  for (Traffic& each : all) {
    auto& bursty = in<BurstyInputs>(each);
    if (!bursty.load) bursty.load = answers::load_scale(each).limit;  // checks the bursts
    if (!options.burst) bursty.burst.slots = traffic::shortest_burst(*bursty.load, bursty.burst.on_rate);
    answers::check(bursty);
    if (solve_for == SolveFor::load) bursty.load.reset();
  }
  return all;
}

void add_burst_options(OptionTable& table, BurstOptions& options, const std::string& group) {
  const OptionGroup bursts(table, group);
  bursts.add("--traffic", options.traffic, "NAME",
             "bernoulli or onoff (default bernoulli).\nonoff needs --burst", choices(independent_or_onoff()));
  bursts.add("--burst", options.burst, "L", "mean burst length of each host in slots",
             must_be("at least 1 slot", slider(2, 128, 1)));
  bursts.add("--on-rate", options.on_rate, "R1", "packets per slot within a burst (default 1)",
             must_be("above 0 and at most 1 packet per slot", slider(0.05, 1, 0.05)));
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
