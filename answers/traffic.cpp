#include <tailbound/answers/traffic.hpp>
#include <tailbound/core/cases.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/arrivals/blocks_file.hpp>
#include <tailbound/queue/delay/steps_queue.hpp>
#include <tailbound/series/files/pmf_file.hpp>
#include <tailbound/series/laws/named_laws.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <algorithm>
#include <map>

namespace tailbound::answers {
namespace {

using numeric::Rational;

Rational whole_number(std::int64_t value) {
  return Rational(static_cast<long>(value));
}

}  // namespace

GeneratingFunction generating_function(const std::string& formula, const std::string& argument) {
  if (auto law = series::named_law(formula, argument)) return {formula, *std::move(law)};
  return {formula, series::Arrivals::from_pgf(symbolic::parse_pgf(formula, argument))};
}

Probabilities probabilities(const std::string& text, const std::string& name, series::Normalise normalise) {
  series::Pmf pmf = series::read_pmf(text, name, normalise);
  return {.name = name,
          .arrivals = series::Arrivals::from_pmf(std::move(pmf.probabilities)),
          .sum = std::move(pmf.sum),
          .format = std::move(pmf.format)};
}

Blocks blocks(const std::string& text, const std::string& name, Normalise normalise) {
  queue::BlocksOfFile read = queue::read_blocks(text, name, normalise);
  return {name, queue::MarkovArrivals::blocks(std::move(read.blocks)), read.deviation};
}

void check(const BurstyInputs& inputs) {
  static_cast<void>(traffic::on_off(inputs.load.value_or(0), inputs.burst));
}

queue::MarkovArrivals arrivals(const BurstyInputs& inputs) {
  const traffic::OnOff all = traffic::on_off(inputs.load.value_or(0), inputs.burst);
  const Rational share = 1 / whole_number(inputs.inputs);
  if (inputs.destination == traffic::Destination::per_burst)
    return queue::MarkovArrivals::on_off({{.source = all, .count = inputs.inputs, .share = share}});
  return queue::MarkovArrivals::on_off({{.source = traffic::thinned(all, share), .count = inputs.inputs}});
}

TrafficClass joint_classes(const std::string& text, const std::string& name, Normalise normalise) {
  queue::JointFile read = queue::parse_joint(text, name, normalise);
  TrafficClass classes{.name = name, .loads = {}, .joint = std::move(read.packets), .sum = read.sum};
  classes.loads.assign(classes.joint.front().packets.size(), Rational(0));
  for (const queue::ClassPackets& each : classes.joint)
    for (std::size_t i = 0; i < classes.loads.size(); ++i)
      classes.loads[i] = classes.loads[i] + each.probability * whole_number(each.packets[i]);
  check(classes);
  return classes;
}

void check(const TrafficClass& classes) {
  if (classes.loads.empty() || classes.loads.size() > TrafficClass::max_classes)
    throw InvalidArgument("classes", std::to_string(classes.loads.size()), "the loads of 1 to 8 classes");
  Rational sum = 0;
  for (std::size_t i = 0; i < classes.loads.size(); ++i) {
    const std::string name = "load of class " + std::to_string(i + 1);
    if (classes.loads[i] <= 0)
      throw InvalidArgument(name, numeric::plain(classes.loads[i]), "above 0 packets per slot");
    sum = sum + classes.loads[i];
    const Rational inputs = whole_number(classes.inputs);
    if (classes.joint.empty() && sum > inputs)
      throw InvalidArgument(name, numeric::plain(classes.loads[i]),
                            "at most " + numeric::plain(Rational(inputs - sum + classes.loads[i])) +
                                ": together with the higher classes at most 1 packet per slot from each of " +
                                std::to_string(classes.inputs) + " inputs");
  }
}

namespace {

/// Of the class alone.
series::Arrivals highest_class(const TrafficClass& classes) {
  if (classes.joint.empty()) return series::Arrivals::equal_inputs(classes.inputs, classes.loads.front());
  std::vector<Rational> pmf;
  for (const queue::ClassPackets& each : classes.joint) {
    const auto packets = static_cast<std::size_t>(each.packets.front());
    if (pmf.size() <= packets) pmf.resize(packets + 1, Rational(0));
    pmf[packets] = pmf[packets] + each.probability;
  }
  return series::Arrivals::from_pmf(std::move(pmf));
}

queue::ClassSlots class_slots(const TrafficClass& classes) {
  queue::ClassSlots slots{.inputs = classes.inputs, .rates = {}, .joint = classes.joint};
  if (classes.joint.empty())
    for (const Rational& load : classes.loads) slots.rates.push_back(load / whole_number(classes.inputs));
  return slots;
}

/// \pre correlated()
queue::MarkovArrivals correlated_arrivals(const Traffic& traffic) {
  if (const auto* incast = std::get_if<bounds::Incast>(&traffic.source)) return bounds::arrivals(*incast);
  if (const auto* blocks = std::get_if<Blocks>(&traffic.source)) return blocks->arrivals;
  return arrivals(std::get<BurstyInputs>(traffic.source));
}

/// Higher classes without given buffers are merged into one; lower ones cause no delay.
std::unique_ptr<bounds::OutputQueue> lower_class(const TrafficClass& classes,
                                                 const queue::Accuracy& accuracy) {
  queue::ClassSlots slots = class_slots(classes);
  const auto own = static_cast<std::size_t>(classes.priority - 1);
  if (classes.higher_buffers.size() == own)
    return bounds::output_queue(bounds::BufferedClass{std::move(slots), classes.higher_buffers}, accuracy);
  return bounds::output_queue(queue::ClassQueue{queue::merged_classes(slots, own)}, accuracy);
}

}  // namespace

LoadScale load_scale(const Traffic& traffic) {
  return std::visit(
      Cases{[](const BurstyInputs& inputs) -> LoadScale {
              const auto& [slots, on_rate] = inputs.burst;
              // Several sources that alternate ON and OFF in every slot have no stationary distribution.
              const bool attained = inputs.inputs == 1 || slots != 1;
              const Rational limit = on_rate * slots / (1 + slots);
              return {.limit = attained ? limit : Rational(limit * 9999 / 10'000), .attained = attained};
            },
            [](const bounds::Incast& incast) -> LoadScale {
              return {.limit = Rational(whole_number(incast.senders) * 9999 / 10'000), .attained = false};
            },
            [&](const TrafficClass& classes) -> LoadScale {
              const Rational own = *load_of(traffic);
              if (!classes.joint.empty()) return {.unit = own, .limit = 1};
              Rational sum = 0;
              for (const Rational& load : classes.loads) sum = sum + load;
              return {.limit = Rational(own * whole_number(classes.inputs) / sum)};
            },
            [&](const auto&) -> LoadScale { return {.unit = load_of(traffic).value_or(0), .limit = 1}; }},
      traffic.source);
}

namespace {

/// Probabilities of 0 .. count packets kept.
std::vector<Rational> kept_law(std::size_t count, const Rational& kept) {
  std::vector<Rational> law{1};
  for (std::size_t n = 1; n <= count; ++n) {
    law.emplace_back(0);
    for (std::size_t k = n; k > 0; --k) law[k] = law[k] * (1 - kept) + law[k - 1] * kept;
    law[0] = law[0] * (1 - kept);
  }
  return law;
}

queue::MarkovArrivals thinned(const queue::MarkovArrivals& arrivals, const Rational& kept) {
  const auto& blocks = std::get<queue::RationalBlocks>(arrivals.form());
  const std::size_t phases = blocks.front().size();
  queue::RationalBlocks result(blocks.size(), std::vector(phases, std::vector(phases, Rational(0))));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::vector<Rational> law = kept_law(b, kept);
    for (std::size_t i = 0; i < phases; ++i)
      for (std::size_t j = 0; j < phases; ++j)
        if (blocks[b][i][j] != 0)
          for (std::size_t k = 0; k <= b; ++k) result[k][i][j] = result[k][i][j] + blocks[b][i][j] * law[k];
  }
  return queue::MarkovArrivals::blocks(std::move(result));
}

std::vector<queue::ClassPackets> thinned(const std::vector<queue::ClassPackets>& joint,
                                         const Rational& kept) {
  std::map<std::vector<std::int64_t>, Rational> result;
  for (const queue::ClassPackets& each : joint) {
    std::map<std::vector<std::int64_t>, Rational> partial{{{}, each.probability}};
    for (const std::int64_t packets : each.packets) {
      const std::vector<Rational> law = kept_law(static_cast<std::size_t>(packets), kept);
      std::map<std::vector<std::int64_t>, Rational> longer;
      for (const auto& [before, probability] : partial)
        for (std::size_t k = 0; k < law.size(); ++k) {
          std::vector<std::int64_t> now = before;
          now.push_back(static_cast<std::int64_t>(k));
          longer[std::move(now)] = probability * law[k];
        }
      partial = std::move(longer);
    }
    for (const auto& [packets, probability] : partial) {
      Rational& its = result[packets];
      its = its + probability;
    }
  }
  std::vector<queue::ClassPackets> all;
  for (const auto& [packets, probability] : result)
    if (probability > 0) all.push_back({packets, probability});
  return all;
}

}  // namespace

Traffic at_load(Traffic traffic, const Rational& parameter) {
  const LoadScale scale = load_scale(traffic);
  const std::optional<Rational> own = load_of(traffic);
  std::visit(Cases{[&](BurstyInputs& inputs) { inputs.load = parameter; },
                   [&](bounds::Incast& incast) {
                     incast.rate = parameter / whole_number(incast.senders) / whole_number(incast.packets);
                   },
                   [&](TrafficClass& classes) {
                     const Rational factor = parameter * scale.unit / *own;
                     if (!classes.joint.empty() && factor != 1)
                       classes.joint = thinned(classes.joint, factor);
                     for (Rational& load : classes.loads) load = load * factor;
                   },
                   [&](Blocks& blocks) { blocks.arrivals = thinned(blocks.arrivals, parameter); },
                   [](auto&) {
                     throw InvalidArgument("the traffic", "independent from slot to slot",
                                           "bursts, incast, classes or matrices");
                   }},
             traffic.source);
  return traffic;
}

Traffic sped_up(Traffic traffic, const Rational& share) {
  if (auto* inputs = std::get_if<BurstyInputs>(&traffic.source)) {
    inputs->load = Rational(inputs->load.value_or(0) * share);
    inputs->burst.on_rate = inputs->burst.on_rate * share;
    inputs->burst.slots = inputs->burst.slots / share;
    return traffic;
  }
  if (std::holds_alternative<TrafficClass>(traffic.source)) {
    const LoadScale scale = load_scale(traffic);
    const Rational parameter = *load_of(traffic) * share / scale.unit;
    return at_load(std::move(traffic), parameter);
  }
  throw InvalidArgument("the traffic", "matrices or incast", "inputs or classes, for a speedup");
}

bool correlated(const Traffic& traffic) {
  return std::holds_alternative<BurstyInputs>(traffic.source) ||
         std::holds_alternative<Blocks>(traffic.source) ||
         std::holds_alternative<bounds::Incast>(traffic.source);
}

std::optional<Rational> load_of(const Traffic& traffic) {
  using Load = std::optional<Rational>;
  return std::visit(Cases{[](const EqualInputs& inputs) { return inputs.load; },
                          [](const PoissonArrivals& poisson) { return poisson.load; },
                          [](const PoissonAtAnyTime& poisson) { return poisson.load; },
                          [](const BurstyInputs& inputs) { return inputs.load; },
                          [](const UnequalInputs& inputs) {
                            Rational sum = 0;
                            for (const Rational& rate : inputs.rates) sum = sum + rate;
                            return Load(sum);
                          },
                          [](const Blocks& blocks) { return Load(blocks.arrivals.load()); },
                          [](const bounds::Incast& incast) {
                            return incast.rate == 0 ? std::nullopt : Load(incast.load());
                          },
                          [](const TrafficClass& classes) {
                            return Load(classes.loads[static_cast<std::size_t>(classes.priority - 1)]);
                          },
                          [](const auto& described) { return described.arrivals.load(); }},
                    traffic.source);
}

queue::SlottedQueue slotted_queue(const Traffic& traffic) {
  const std::int64_t served = traffic.packets_per_slot;
  series::Arrivals arrivals = std::visit(
      Cases{[&](const EqualInputs& inputs) {
              // Thinned traffic is the same traffic at a lower load, so the maximum load of interest
              // suffices.
              return series::Arrivals::equal_inputs(
                  inputs.inputs, inputs.load ? *inputs.load : whole_number(std::min(inputs.inputs, served)));
            },
            [&](const PoissonArrivals& poisson) {
              return series::Arrivals::poisson(poisson.load ? *poisson.load : whole_number(served));
            },
            [&](const PoissonAtAnyTime& poisson) {
              if (served != 1)
                throw InvalidArgument("packets per slot", std::to_string(served), "1 for --traffic md1");
              return series::Arrivals::poisson(poisson.load ? *poisson.load : whole_number(1));
            },
            [](const UnequalInputs& inputs) { return series::Arrivals::unequal_inputs(inputs.rates); },
            [](const GeneratingFunction& function) { return function.arrivals; },
            [](const Probabilities& probabilities) { return probabilities.arrivals; },
            [](const TrafficClass& classes) {
              if (classes.priority != 1)
                throw InvalidArgument("the traffic", "a class with lower priority",
                                      "the class with the highest priority");
              return highest_class(classes);
            },
            [](const auto&) -> series::Arrivals {
              throw InvalidArgument("the traffic", "correlated from slot to slot",
                                    "independent from slot to slot");
            }},
      traffic.source);
  return {.arrivals = std::move(arrivals), .packets_per_slot = traffic.packets_per_slot};
}

std::unique_ptr<bounds::OutputQueue> output_queue(const Traffic& traffic, const queue::Accuracy& accuracy) {
  if (const auto* poisson = std::get_if<PoissonAtAnyTime>(&traffic.source); poisson && poisson->load) {
    static_cast<void>(slotted_queue(traffic));  // for its checks
    return bounds::poisson_at_any_time(*poisson->load, accuracy);
  }
  if (const auto* classes = std::get_if<TrafficClass>(&traffic.source)) {
    check(*classes);
    if (traffic.packets_per_slot != 1)
      throw InvalidArgument("packets per slot", std::to_string(traffic.packets_per_slot), "1 with classes");
    if (classes->priority != 1) return lower_class(*classes, accuracy);
  }
  if (!correlated(traffic)) return bounds::output_queue(slotted_queue(traffic), accuracy);
  const auto* incast = std::get_if<bounds::Incast>(&traffic.source);
  if (incast != nullptr && (traffic.packets_per_slot == 1 || traffic.packets_per_slot < incast->senders))
    return bounds::output_queue(*incast, traffic.packets_per_slot, accuracy);
  queue::MarkovArrivals chain = correlated_arrivals(traffic);
  if (traffic.packets_per_slot == 1) return bounds::output_queue(std::move(chain), accuracy);
  return bounds::output_queue(queue::steps_queue(chain, traffic.packets_per_slot), accuracy);
}

}  // namespace tailbound::answers
