#include <cln/rational.h>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/core/cases.hpp>
#include <tailbound/queue/arrivals/blocks_file.hpp>
#include <tailbound/series/files/pmf_file.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <algorithm>

namespace tailbound::answers {
namespace {

using numeric::Rational;

Rational whole_number(std::int64_t value) {
  return Rational(static_cast<long>(value));
}

}  // namespace

GeneratingFunction generating_function(const std::string& formula, const std::string& argument) {
  return {formula, series::Arrivals::from_pgf(symbolic::parse_pgf(formula, argument))};
}

Probabilities probabilities(const std::string& text, const std::string& name) {
  return {name, series::Arrivals::from_pmf(series::parse_pmf(text, name))};
}

Blocks blocks(const std::string& text, const std::string& name) {
  return {name, queue::MarkovArrivals::blocks(queue::parse_blocks(text, name))};
}

void check(const BurstyInputs& inputs) {
  static_cast<void>(traffic::on_off(inputs.load, inputs.burst));
}

queue::MarkovArrivals arrivals(const BurstyInputs& inputs) {
  const traffic::OnOff all = traffic::on_off(inputs.load, inputs.burst);
  const Rational share = 1 / whole_number(inputs.inputs);
  if (inputs.destination == traffic::Destination::per_burst)
    return queue::MarkovArrivals::on_off({{.source = all, .count = inputs.inputs, .share = share}});
  return queue::MarkovArrivals::on_off({{.source = traffic::thinned(all, share), .count = inputs.inputs}});
}

bool correlated(const Traffic& traffic) {
  return std::holds_alternative<BurstyInputs>(traffic.source) ||
         std::holds_alternative<Blocks>(traffic.source);
}

std::optional<Rational> load_of(const Traffic& traffic) {
  using Load = std::optional<Rational>;
  return std::visit(Cases{[](const EqualInputs& inputs) { return inputs.load; },
                          [](const PoissonArrivals& poisson) { return poisson.load; },
                          [](const PoissonAtAnyTime& poisson) { return poisson.load; },
                          [](const BurstyInputs& inputs) { return Load(inputs.load); },
                          [](const UnequalInputs& inputs) {
                            Rational sum = 0;
                            for (const Rational& rate : inputs.rates) sum = sum + rate;
                            return Load(sum);
                          },
                          [](const Blocks& blocks) { return Load(blocks.arrivals.load()); },
                          [](const auto& described) { return described.arrivals.load(); }},
                    traffic.source);
}

queue::SlottedQueue slotted_queue(const Traffic& traffic) {
  const std::int64_t served = traffic.packets_per_slot;
  series::Arrivals arrivals = std::visit(
      Cases{[&](const EqualInputs& inputs) {
              // Thinned traffic is the same traffic at a lower load, so the greatest load of interest will do.
              return series::Arrivals::equal_inputs(
                  inputs.inputs, inputs.load ? *inputs.load : whole_number(std::min(inputs.inputs, served)));
            },
            [&](const PoissonArrivals& poisson) {
              return series::Arrivals::poisson(poisson.load ? *poisson.load : whole_number(served));
            },
            [&](const PoissonAtAnyTime& poisson) {
              if (served != 1)
                throw InvalidArgument("packets per slot", std::to_string(served),
                                      "1 for --traffic md1, whose services do not begin together");
              return series::Arrivals::poisson(poisson.load ? *poisson.load : whole_number(1));
            },
            [](const UnequalInputs& inputs) { return series::Arrivals::unequal_inputs(inputs.rates); },
            [](const GeneratingFunction& function) { return function.arrivals; },
            [](const Probabilities& probabilities) { return probabilities.arrivals; },
            [](const auto&) -> series::Arrivals {
              throw InvalidArgument("the traffic", "correlated from slot to slot",
                                    "independent from slot to slot");
            }},
      traffic.source);
  return {.arrivals = std::move(arrivals), .packets_per_slot = traffic.packets_per_slot};
}

std::unique_ptr<bounds::OutputQueue> output_queue(const Traffic& traffic, const queue::Accuracy& accuracy) {
  if (const auto* poisson = std::get_if<PoissonAtAnyTime>(&traffic.source); poisson && poisson->load) {
    static_cast<void>(slotted_queue(traffic));  // its checks
    return bounds::poisson_at_any_time(*poisson->load, accuracy);
  }
  if (!correlated(traffic)) return bounds::output_queue(slotted_queue(traffic), accuracy);
  if (traffic.packets_per_slot != 1)
    throw InvalidArgument("packets per slot", std::to_string(traffic.packets_per_slot),
                          "1 for correlated arrivals (--traffic onoff, --blocks)");
  if (const auto* blocks = std::get_if<Blocks>(&traffic.source))
    return bounds::output_queue(blocks->arrivals, accuracy);
  return bounds::output_queue(arrivals(std::get<BurstyInputs>(traffic.source)), accuracy);
}

}  // namespace tailbound::answers
