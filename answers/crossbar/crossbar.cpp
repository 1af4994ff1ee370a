#include <tailbound/answers/crossbar/crossbar_parts.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/crossbar/head_of_line.hpp>
#include <tailbound/queue/crossbar/parallel_matching.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace tailbound::answers {
namespace {

using numeric::plain;
using numeric::Rational;
using traffic::CrossbarScheduler;

bool iterates(CrossbarScheduler scheduler) {
  return scheduler == CrossbarScheduler::pim || scheduler == CrossbarScheduler::islip;
}
bool takes_turns(CrossbarScheduler scheduler) {
  return scheduler == CrossbarScheduler::tdm || scheduler == CrossbarScheduler::load_balanced;
}

/// Is every matching maximal, so that speedup 2 carries any admissible traffic (Dai and Prabhakar)?
bool is_maximal(const CrossbarQuery& query) {
  if (iterates(query.scheduler)) return query.rounds() == 0 || query.rounds() >= query.inputs;
  return query.scheduler == CrossbarScheduler::greedy || query.scheduler == CrossbarScheduler::maxweight;
}

void require_parameter(bool has, const char* parameter, const std::string& value, const std::string& legal) {
  if (!has) throw InvalidArgument(parameter, value, legal);
}

void check_ranges(const CrossbarQuery& query) {
  const auto in_range = [](const char* name, std::int64_t value, std::int64_t first, std::int64_t last) {
    require_parameter(value >= first && value <= last, name, std::to_string(value),
                      "from " + std::to_string(first) + " to " + std::to_string(last));
  };
  in_range("inputs", query.inputs, 1, CrossbarQuery::max_ports);
  if (query.outputs) in_range("outputs", *query.outputs, 1, CrossbarQuery::max_ports);
  if (query.iterations) in_range("iterations", *query.iterations, 0, CrossbarQuery::max_ports);
  in_range("crosspoint", query.crosspoint, 1, CrossbarQuery::max_crosspoint);
  in_range("output speedup", query.output_speedup, 1, queue::HeadOfLine::max_served);
  in_range("output buffer", query.output_buffer, 1, queue::HeadOfLine::max_buffer);
  if (const auto load = query.load())
    require_parameter(*load > 0 && *load <= 1, "load", plain(*load), "above 0 and at most 1 cell per slot");
  for (const Rational& p : query.percentiles)
    require_parameter(p > 0 && p < 1, "percentile", plain(p), "greater than 0 and less than 1");
  if (query.drop)
    require_parameter(*query.drop > 0 && *query.drop < 1, "drop", plain(*query.drop),
                      "greater than 0 and less than 1");
}

void check_speedup(const CrossbarQuery& query) {
  if (!query.speedup) return;
  const Rational& speedup = *query.speedup;
  require_parameter(speedup >= 1 && speedup <= 16, "speedup", plain(speedup), "from 1 to 16 phases per slot");
  if (takes_turns(query.scheduler))
    require_parameter(
        speedup == 1, "speedup", plain(speedup),
        std::string("1 with ") + name_of(query.scheduler) + ", whose connections follow a turn");
  if (query.scheduler == CrossbarScheduler::crosspoint)
    require_parameter(speedup == 1, "speedup", plain(speedup), "1 with crosspoint buffers");
  const Rational least = 2 - 1 / Rational(query.inputs);
  if (query.scheduler == CrossbarScheduler::ccf && speedup < least)
    throw NoAnswer("no scheduler can emulate output queues below speedup 2 - 1/k = " + plain(least) +
                   " with " + std::to_string(query.inputs) + " ports; the speedup is " + plain(speedup));
}

void check_scheduler(const CrossbarQuery& query) {
  const std::string name = name_of(query.scheduler);
  const bool fifo = query.scheduler == CrossbarScheduler::fifo,
             saturation = std::holds_alternative<Saturation>(query.requested);
  if (query.iterations)
    require_parameter(iterates(query.scheduler), "iterations", std::to_string(*query.iterations),
                      "given with pim or islip only, not " + name);
  if (query.crosspoint != 1)
    require_parameter(query.scheduler == CrossbarScheduler::crosspoint, "crosspoint",
                      std::to_string(query.crosspoint),
                      "given with the scheduler crosspoint only, not " + name);
  for (const auto& [given, parameter, value] :
       {std::tuple{query.outputs.has_value() && *query.outputs != query.inputs, "outputs",
                   query.outputs.value_or(0)},
        std::tuple{query.output_speedup != 1, "output speedup", query.output_speedup},
        std::tuple{query.output_buffer != 1, "output buffer", query.output_buffer}})
    if (given)
      require_parameter(fifo && saturation, parameter, std::to_string(value),
                        "given only for the saturation load of the scheduler fifo");
  if (query.burst) {
    require_parameter(*query.burst > 1, "burst", plain(*query.burst), "above 1");
    if (const auto load = query.load())
      static_cast<void>(traffic::on_off(*load, {.slots = *query.burst, .on_rate = 1}));
  }
}

void require_carried(const CrossbarQuery& query, const CrossbarAnswer& answer) {
  const Rational load = *query.load();
  const auto* exact = std::get_if<numeric::Exact<unit::Load>>(&answer.maximum);
  const double maximum = std::visit(
      [](const auto& number) {
        if constexpr (requires { number.lower(); })
          return number.lower().template convert_to<double>();
        else if constexpr (std::is_same_v<std::decay_t<decltype(number.value)>, Rational>)
          return numeric::nearest_double(number.value);
        else
          return static_cast<double>(number.value);
      },
      answer.maximum);
  const bool carried = exact != nullptr ? load < exact->value : numeric::nearest_double(load) < maximum;
  if (carried) return;
  const std::string most = plain(maximum, 10);
  std::string text = "load " + plain(load) + " is not carried: the maximum load is " + most +
                     (most == "1" ? " packet" : " packets") + " per slot of each input";
  if (query.scheduler == CrossbarScheduler::fifo && query.phases() == 1)
    text += " (head-of-line blocking); give --speedup 2";
  else if (query.scheduler == CrossbarScheduler::pim && maximum < 1)
    text += " with " + std::to_string(query.rounds()) + " iterations; give more --iterations";
  throw LoadTooHigh(text);
}

/// islip: the load above which its iterations do not suffice.
void add_matching(CrossbarAnswer& answer, const CrossbarQuery& query) {
  if (query.scheduler != CrossbarScheduler::islip || query.inputs == 1 ||
      query.inputs > queue::ParallelMatching::max_ports)
    return;
  const std::int64_t rounds = query.rounds();
  const auto load = queue::parallel_matching_load(
      {.ports = query.inputs, .iterations = rounds == 0 ? query.inputs : rounds});
  std::visit([&](const auto& number) { answer.matching = number; }, load);
  const double matched = numeric::to_enclosure(load).lower().convert_to<double>();
  constexpr double margin = 0.1;
  if (const auto given = query.load(); given && matched < 1 && query.phases() == 1)
    answer.near_matching = numeric::nearest_double(*given) > matched - margin;
}

CrossbarAnswer at_load_of(const CrossbarQuery& query) {
  CrossbarAnswer answer = maximum_load(query);
  require_carried(query, answer);
  add_matching(answer, query);
  const Traffic traffic = output_traffic(query);
  answer.output_queued = output_queued_mean(*output_queue(traffic, query.accuracy), *query.load());
  if (query.drop && query.scheduler != CrossbarScheduler::ccf)
    answer.output_queued_buffer = output_queue(traffic, {{1}})->min_buffer_size({*query.drop}).buffer;
  if (takes_turns(query.scheduler))
    add_time_division(answer, query);
  else if (query.scheduler == CrossbarScheduler::ccf)
    add_emulation(answer, query);
  else if (query.phases() > 1)
    add_speedup(answer, query);
  else if (query.scheduler == CrossbarScheduler::fifo)
    add_fifo(answer, query);
  else
    add_voq(answer, query);
  return answer;
}

}  // namespace

std::optional<Rational> CrossbarQuery::load() const {
  if (const auto* at = std::get_if<AtLoad>(&requested)) return at->load;
  return std::nullopt;
}

std::int64_t CrossbarQuery::rounds() const {
  if (iterations) return *iterations;
  return std::max<std::int64_t>(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(inputs - 1))));
}

Rational CrossbarQuery::phases() const {
  return speedup.value_or(scheduler == CrossbarScheduler::ccf ? 2 : 1);
}

CrossbarAnswer maximum_load(const CrossbarQuery& query) {
  const auto one = [&](LoadBasis basis) -> CrossbarAnswer {
    if (basis == LoadBasis::observed) return {.maximum = numeric::Model<unit::Load>{1}, .basis = basis};
    return {.maximum = numeric::Exact<unit::Load>{numeric::Theorem::crossbar, 1}, .basis = basis};
  };
  const Rational phases = query.phases();
  const auto in_phases = [&](const auto& saturation) -> CrossbarAnswer {
    CrossbarAnswer answer{.maximum = numeric::Exact<unit::Load>{numeric::Theorem::crossbar, 1},
                          .basis = LoadBasis::backlogged};
    std::visit(
        [&](const auto& number) {
          using Number = std::decay_t<decltype(number)>;
          if constexpr (std::is_same_v<Number, numeric::Exact<unit::Load>>) {
            if (phases * number.value < 1)
              answer.maximum = numeric::Exact<unit::Load>{number.proof(), phases * number.value};
          } else if constexpr (std::is_same_v<Number, numeric::Enclosure<unit::Load>>) {
            const numeric::PrecisionScope scope(numeric::Precision{128});
            const numeric::Interval all =
                numeric::make_interval(number.lower(), number.upper()) * numeric::to_interval(phases);
            if (numeric::lower(all) < 1)
              answer.maximum = numeric::Enclosure<unit::Load>(
                  number.proof(), numeric::lower(all), std::min(numeric::upper(all), numeric::Real(1)));
          } else if constexpr (std::is_same_v<Number, numeric::Approximation<unit::Load>>) {
            const auto all = number.value * numeric::to_real(phases, numeric::Rounding::nearest);
            if (all < 1) answer.maximum = numeric::Approximation<unit::Load>{all, number.agreed_digits};
          }
        },
        saturation);
    return answer;
  };
  switch (query.scheduler) {
    case CrossbarScheduler::fifo: {
      constexpr std::int64_t quickly = 32;  // ports of a chain that takes a tenth of a second
      if (query.load() && query.inputs > quickly && !query.burst)
        return in_phases(std::variant<numeric::Approximation<unit::Load>>(
            numeric::Approximation<unit::Load>{numeric::Real(queue::head_of_line_load(query.inputs)), 10}));
      CrossbarAnswer answer =
          in_phases(queue::head_of_line_saturation({.inputs = query.inputs,
                                                    .outputs = query.outputs.value_or(query.inputs),
                                                    .burst = query.burst.value_or(1),
                                                    .served = query.output_speedup,
                                                    .buffer = query.output_buffer}));
      if (query.outputs.value_or(query.inputs) == query.inputs && !query.burst && phases == 1)
        answer.many_ports = queue::head_of_line_limit(query.output_speedup, query.output_buffer);
      return answer;
    }
    case CrossbarScheduler::pim:
      if (query.rounds() > 0 && phases < 2)
        return in_phases(
            queue::parallel_matching_load({.ports = query.inputs, .iterations = query.rounds()}));
      break;
    case CrossbarScheduler::maxweight:
    case CrossbarScheduler::tdm:
    case CrossbarScheduler::load_balanced:
    case CrossbarScheduler::ccf:
      return one(LoadBasis::proved);
    default:
      break;
  }
  const bool proved = query.inputs == 1 || (phases >= 2 && is_maximal(query));
  return one(proved ? LoadBasis::proved : LoadBasis::observed);
}

CrossbarAnswer answer(const CrossbarQuery& query, const Run&) {
  check_ranges(query);
  check_speedup(query);
  check_scheduler(query);
  if (std::holds_alternative<Saturation>(query.requested)) {
    CrossbarAnswer answer = maximum_load(query);
    add_matching(answer, query);
    return answer;
  }
  if (std::holds_alternative<MaxLoad>(query.requested)) return with_max_load(query);
  return at_load_of(query);
}

}  // namespace tailbound::answers
