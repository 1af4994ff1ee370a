#include <cli/burst_options.hpp>
#include <cli/option_group.hpp>
#include <cli/read_file.hpp>
#include <cli/shares.hpp>
#include <cli/suggest.hpp>
#include <cli/traffic_options.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/queue/blocks_file.hpp>
#include <tailbound/series/pmf_file.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <cln/integer.h>
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

/// The same as read_burst() of what was typed.
void require_burst(const traffic::Burst& burst, const Rational& load) {
  try {
    (void)traffic::on_off(load, burst);
  } catch (const InvalidArgument& error) {
    if (error.argument() == "burst") throw InvalidArgument("--burst", error.value(), error.legal());
    if (error.argument() == "on-rate") throw InvalidArgument("--on-rate", error.value(), error.legal());
    throw InvalidArgument("--load", numeric::to_fraction(load), error.legal());
  }
}

std::int64_t packets_per_slot(const TrafficOptions& options) {
  return options.packets_per_slot ? parse_integer(*options.packets_per_slot, "--packets-per-slot", 1, 32) : 1;
}

/// Adds the range "first:last:step" to `list`.
void append_range(std::vector<Rational>& list, std::string_view item, std::string_view option,
                  std::size_t limit) {
  const std::size_t one = item.find(':'), two = item.find(':', one + 1);
  if (two == std::string_view::npos || item.find(':', two + 1) != std::string_view::npos)
    throw InvalidArgument(std::string(option), std::string(item),
                          "a number, or a range FIRST:LAST:STEP such as 0.1:0.9:0.1");
  const Rational first = numeric::parse_rational(item.substr(0, one), option);
  const Rational last = numeric::parse_rational(item.substr(one + 1, two - one - 1), option);
  const Rational step = numeric::parse_rational(item.substr(two + 1), option);
  if (cln::zerop(step) || cln::minusp((last - first) / step))
    throw InvalidArgument(std::string(option), std::string(item),
                          "a range FIRST:LAST:STEP whose steps lead from the first to the last");
  const cln::cl_I steps = cln::floor1((last - first) / step);
  if (steps >= cln::cl_I(static_cast<unsigned long>(limit - std::min(limit, list.size()))))
    throw InvalidArgument(std::string(option), std::string(item),
                          fmt::format("a list of at most {} entries", limit));
  const long count = cln::cl_I_to_long(steps);
  for (long i = 0; i <= count; ++i) list.push_back(first + cln::cl_I(i) * step);
}

std::vector<Rational> loads(const TrafficOptions& options) {
  std::vector<Rational> list = parse_percent_list(*options.load, "--load");
  for (const Rational& load : list)
    if (load <= 0)
      throw InvalidArgument("--load", numeric::to_fraction(load), "greater than 0 packets a slot");
  return list;
}

}  // namespace

void add_traffic_options(CLI::App& command, TrafficOptions& options, Memory memory) {
  const OptionGroup traffic(command, "Traffic");
  traffic.add("--inputs", options.inputs, "K", "independent inputs that share the load equally");
  traffic.add("--load", options.load, "R", "packets a slot: 0.9, 9/10, or a list 0.1:0.9:0.1");
  traffic.add("--traffic", options.traffic, "NAME",
              memory == Memory::allowed
                  ? "bernoulli (the default), poisson, or onoff: sources that send in\nbursts; with --load"
                  : "bernoulli (the default) or poisson, with --load");
  traffic.add("--rates", options.rates, "P1,P2,..", "independent inputs, each with a rate of its own");
  traffic.add("--arrivals", options.arrivals, "EXPR", "generating function of the packets in a slot, in z");
  traffic.add("--pmf", options.pmf, "FILE", "probabilities of 0, 1, 2, .. packets in a slot, one a line");
  if (memory == Memory::allowed) {
    traffic.add("--burst", options.burst, "L", "onoff: mean length of a source's bursts in slots, or a list");
    traffic.add("--on-rate", options.on_rate, "R1", "onoff: packets a slot of a source within a burst (1)");
    traffic.add(
        "--blocks", options.blocks, "FILE",
        "matrices D_0, D_1, ..: probabilities of 0, 1, .. packets and a\nchange of phase (a D-BMAP), as "
        "JSON or CSV");
  }
  traffic.add("--packets-per-slot", options.packets_per_slot, "C", "packets served in a slot (1)");
}

TrafficForm traffic_form(const TrafficOptions& options, LoadOption load) {
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
  const bool on_off = named == 2 || (!options.traffic && (options.burst || options.on_rate));
  if (!on_off && (options.burst || options.on_rate))
    refuse_together(options.burst ? "--burst" : "--on-rate", "--traffic", "bursts belong to --traffic onoff");
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
  if (options.load && load == LoadOption::forbidden)
    throw InvalidArgument("--load", "given", "left out where the load is what is asked for");
  if (takes_load && !options.load && load == LoadOption::required)
    refuse_missing("--load", fmt::format("given with {}: packets a slot, such as 0.9 or 9/10",
                                         poisson ? "--traffic poisson" : "--inputs"));

  if (on_off && !options.burst) refuse_missing("--burst", "given with --traffic onoff: slots, such as 16");
  if (poisson) return TrafficForm::poisson;
  if (on_off) return TrafficForm::on_off;
  if (options.blocks) return TrafficForm::blocks;
  if (options.inputs) return TrafficForm::equal_inputs;
  if (options.rates) return TrafficForm::unequal_inputs;
  return options.arrivals ? TrafficForm::expression : TrafficForm::pmf;
}

std::vector<answers::Traffic> read_traffics(const TrafficOptions& options, LoadOption load) {
  const TrafficForm form = traffic_form(options, load);
  std::vector<answers::Traffic> all;
  const auto inputs = [&] {
    return options.inputs ? parse_integers(*options.inputs, "--inputs", 1, most_inputs)
                          : std::vector<std::int64_t>{1};
  };
  const auto loads_or_none = [&] {
    std::vector<std::optional<Rational>> list;
    if (load == LoadOption::forbidden) return std::vector<std::optional<Rational>>{std::nullopt};
    for (const Rational& rho : loads(options)) list.emplace_back(rho);
    return list;
  };
  const auto add_each_served = [&](const auto& add) {
    for (const std::int64_t served :
         options.packets_per_slot ? parse_integers(*options.packets_per_slot, "--packets-per-slot", 1, 32)
                                  : std::vector<std::int64_t>{1})
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
      add_each_served([&, arrivals = series::Arrivals::from_pgf(
                              symbolic::parse_pgf(*options.arrivals, "--arrivals"))](const auto& push) {
        push(answers::GeneratingFunction{*options.arrivals, arrivals});
      });
      break;
    case TrafficForm::pmf:
      add_each_served([&, arrivals = series::Arrivals::from_pmf(series::parse_pmf(
                              read_file(*options.pmf, "--pmf"), *options.pmf))](const auto& push) {
        push(answers::Probabilities{*options.pmf, arrivals});
      });
      break;
    case TrafficForm::blocks:
      add_each_served([&, arrivals = queue::MarkovArrivals::blocks(queue::parse_blocks(
                              read_file(*options.blocks, "--blocks"), *options.blocks))](const auto& push) {
        push(answers::Blocks{*options.blocks, arrivals});
      });
      break;
    case TrafficForm::on_off:
      for (const std::int64_t count : inputs())
        add_each_served([&](const auto& push) {
          for (const Rational& on_rate :
               options.on_rate ? parse_percent_list(*options.on_rate, "--on-rate") : std::vector<Rational>{1})
            for (const Rational& slots : parse_list(*options.burst, "--burst"))
              for (const Rational& rho : loads(options)) {
                const traffic::Burst burst{.slots = slots, .on_rate = on_rate};
                require_burst(burst, rho);
                push(answers::BurstyInputs{.inputs = count, .load = rho, .burst = burst});
              }
        });
      break;
  }
  if (all.size() > most_points)
    throw InvalidArgument("the question", fmt::format("{} points", all.size()),
                          fmt::format("at most {} of them", most_points));
  return all;
}

std::vector<LoadedQueue> read_queues(const TrafficOptions& options, LoadOption load) {
  const TrafficForm form = traffic_form(options, load);
  const int served = static_cast<int>(packets_per_slot(options));
  std::vector<LoadedQueue> queues;
  const auto add = [&](series::Arrivals arrivals) {
    const auto& rho = arrivals.load();
    queues.push_back(LoadedQueue{.load = rho ? numeric::to_fraction(*rho) : std::string(),
                                 .queue = {.arrivals = std::move(arrivals), .packets_per_slot = served}});
  };
  switch (form) {
    case TrafficForm::equal_inputs: {
      const std::int64_t inputs = parse_integer(*options.inputs, "--inputs", 1, 1'048'576);
      if (load == LoadOption::forbidden) {
        // Thinned traffic is the same traffic at a lower load, so the greatest load of interest will do.
        add(series::Arrivals::equal_inputs(
            inputs, Rational(static_cast<long>(std::min<std::int64_t>(inputs, served)))));
      } else {
        for (const Rational& rho : loads(options)) add(series::Arrivals::equal_inputs(inputs, rho));
      }
      break;
    }
    case TrafficForm::poisson:
      if (load == LoadOption::forbidden) {
        add(series::Arrivals::poisson(served));
      } else {
        for (const Rational& rho : loads(options)) add(series::Arrivals::poisson(rho));
      }
      break;
    case TrafficForm::unequal_inputs:
      add(series::Arrivals::unequal_inputs(parse_percent_list(*options.rates, "--rates")));
      break;
    case TrafficForm::expression:
      add(series::Arrivals::from_pgf(symbolic::parse_pgf(*options.arrivals, "--arrivals")));
      break;
    case TrafficForm::pmf:
      add(series::Arrivals::from_pmf(series::parse_pmf(read_file(*options.pmf, "--pmf"), *options.pmf)));
      break;
    case TrafficForm::on_off:
    case TrafficForm::blocks:
      throw InvalidArgument(form == TrafficForm::on_off ? "--traffic onoff" : "--blocks", "given",
                            "left out here: this command answers for arrivals that do not remember");
  }
  return queues;
}

std::vector<LoadedMarkovArrivals> read_markov_arrivals(const TrafficOptions& options) {
  if (packets_per_slot(options) != 1)
    throw InvalidArgument("--packets-per-slot", *options.packets_per_slot,
                          "1 for arrivals that remember (--traffic onoff, --blocks)");
  std::vector<LoadedMarkovArrivals> list;
  if (traffic_form(options) == TrafficForm::blocks) {
    auto arrivals = queue::MarkovArrivals::blocks(
        queue::parse_blocks(read_file(*options.blocks, "--blocks"), *options.blocks));
    list.push_back({numeric::to_fraction(arrivals.load()), {}, std::move(arrivals)});
    return list;
  }
  const std::int64_t inputs = parse_integer(*options.inputs, "--inputs", 1, 1'048'576);
  for (const Rational& slots : parse_list(*options.burst, "--burst", 1000))
    for (const Rational& load : loads(options)) {
      const BurstOptions typed{
          .traffic = {}, .burst = numeric::to_fraction(slots), .on_rate = options.on_rate};
      const traffic::OnOff source =
          traffic::on_off(load, *read_burst(typed, load, numeric::to_fraction(load)));
      list.push_back({numeric::to_fraction(load), numeric::to_fraction(slots),
                      queue::MarkovArrivals::on_off(
                          {{traffic::thinned(source, 1 / Rational(static_cast<long>(inputs))), inputs}})});
    }
  return list;
}

LoadedQueue read_queue(const TrafficOptions& options) {
  if (is_list(options.load)) throw InvalidArgument("--load", *options.load, "one number here, not a list");
  return std::move(read_queues(options).front());
}

nlohmann::ordered_json describe_traffic(const TrafficOptions& options, LoadOption load) {
  nlohmann::ordered_json inputs;
  const auto add_load = [&] {
    if (load == LoadOption::forbidden) return;
    if (!is_list(options.load)) {
      inputs["load"] = numeric::to_fraction(parse_share(*options.load, "--load"));
      return;
    }
    inputs["load"] = nlohmann::ordered_json::array();
    for (const Rational& rho : loads(options)) inputs["load"].push_back(numeric::to_fraction(rho));
  };
  switch (traffic_form(options, load)) {
    case TrafficForm::equal_inputs:
      inputs["traffic"] = "bernoulli";
      inputs["inputs"] = parse_integer(*options.inputs, "--inputs", 1, 1'048'576);
      add_load();
      break;
    case TrafficForm::poisson:
      inputs["traffic"] = "poisson";
      add_load();
      break;
    case TrafficForm::unequal_inputs:
      inputs["traffic"] = "bernoulli";
      inputs["rates"] = nlohmann::ordered_json::array();
      for (const Rational& rate : parse_percent_list(*options.rates, "--rates"))
        inputs["rates"].push_back(numeric::to_fraction(rate));
      break;
    case TrafficForm::expression:
      inputs["arrivals"] = *options.arrivals;
      break;
    case TrafficForm::pmf:
      inputs["pmf"] = *options.pmf;
      break;
    case TrafficForm::on_off: {
      inputs["traffic"] = "onoff";
      inputs["inputs"] = parse_integer(*options.inputs, "--inputs", 1, 1'048'576);
      add_load();
      inputs["burst"] = *options.burst;
      inputs["on_rate"] = options.on_rate.value_or("1");
      break;
    }
    case TrafficForm::blocks:
      inputs["blocks"] = *options.blocks;
      break;
  }
  inputs["packets_per_slot"] = packets_per_slot(options);
  return inputs;
}

bool is_list(const std::optional<std::string>& text) {
  return text && text->find_first_of(",:") != std::string::npos;
}

std::vector<Rational> parse_list(std::string_view text, std::string_view option, std::size_t limit) {
  std::vector<Rational> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    if (item.find(':') != std::string_view::npos) {
      append_range(list, item, option, limit);
    } else {
      if (list.size() >= limit)
        throw InvalidArgument(std::string(option), fmt::format("a list of more than {} entries", limit),
                              fmt::format("a list of at most {} entries", limit));
      list.push_back(numeric::parse_rational(item, option));
    }
    begin = end + 1;
  }
  return list;
}

std::int64_t parse_integer(std::string_view text, std::string_view option, std::int64_t least,
                           std::int64_t greatest) {
  const auto refuse = [&] {
    throw InvalidArgument(std::string(option), std::string(text),
                          fmt::format("an integer from {} to {}", least, greatest));
  };
  Rational value;
  try {
    value = numeric::parse_rational(text, option);
  } catch (const InvalidArgument&) {
    refuse();
  }
  if (cln::denominator(value) != 1 || value < cln::cl_I(static_cast<long>(least)) ||
      value > cln::cl_I(static_cast<long>(greatest)))
    refuse();
  return cln::cl_I_to_long(cln::numerator(value));
}

std::vector<std::int64_t> parse_integers(std::string_view text, std::string_view option, std::int64_t least,
                                         std::int64_t greatest) {
  if (text.find_first_of(",:") == std::string_view::npos)
    return {parse_integer(text, option, least, greatest)};
  std::vector<std::int64_t> list;
  for (const Rational& entry : parse_list(text, option))
    list.push_back(parse_integer(numeric::to_fraction(entry), option, least, greatest));
  return list;
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

const std::string& required(const std::optional<std::string>& text, const char* option, const char* legal) {
  if (!text) throw InvalidArgument(option, "missing", legal);
  return *text;
}

}  // namespace tailbound::cli
