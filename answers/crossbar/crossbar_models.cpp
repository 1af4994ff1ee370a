#include <tailbound/answers/crossbar/crossbar_parts.hpp>
#include <tailbound/bounds/crossbar/fifo_inputs.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <cmath>
#include <string>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::FifoInputs;
using bounds::MeasuredTail;
using bounds::VoqSwitch;
using numeric::Model;
using numeric::plain;
using numeric::Rational;
using traffic::CrossbarScheduler;

double as_double(const CrossbarNumber<unit::Slot>& number) {
  return std::visit(
      [](const auto& its) {
        if constexpr (requires { its.lower(); })
          return its.upper().template convert_to<double>();
        else if constexpr (std::is_same_v<std::decay_t<decltype(its.value)>, Rational>)
          return numeric::nearest_double(its.value);
        else
          return static_cast<double>(its.value);
      },
      number);
}

VoqSwitch voq_switch(const CrossbarQuery& query) {
  const std::int64_t parameter = query.scheduler == CrossbarScheduler::crosspoint ? query.crosspoint
                                 : query.scheduler == CrossbarScheduler::islip    ? query.rounds()
                                                                                  : 0;
  return {.scheduler = query.scheduler,
          .parameter = parameter,
          .ports = query.inputs,
          .load = numeric::nearest_double(*query.load())};
}

/// A level above which so little lies that no whole number is smaller.
std::int64_t rounded_up(double level) {
  return static_cast<std::int64_t>(std::ceil(level * (1 - 1e-12)));
}

/// Percentiles, levels and buffers of tails that are known from some probability on.
class ModelTails {
 public:
  /// \param continued  below this probability the tail is not known but continued
  ModelTails(const CrossbarQuery& query, double continued) : query_(query), continued_(continued) {}

  /// \param quantile, above  (probability) -> level; (level) -> probability; empty above the known ones
  template <class Quantile, class Above>
  void add_delay(CrossbarAnswer& answer, const Quantile& quantile, const Above& above) const {
    for (const Slots level : query_.levels) {
      CrossbarLevel its{.slots = level};
      if (const auto probability = above(static_cast<double>(level.value))) {
        its.probability = *probability;
        its.continued = probability->value < continued_;
      }
      answer.above.push_back(std::move(its));
    }
    for (const Rational& p : query_.percentiles) {
      CrossbarPercentile its{.probability = p};
      const double tail = numeric::nearest_double(1 - p);
      if (const std::optional<double> level = quantile(tail)) {
        its.slots = Slots(rounded_up(*level));
        its.real = Model<unit::Slot>{*level};
        its.continued = tail < continued_;
      }
      answer.percentiles.push_back(std::move(its));
    }
  }

  template <class Quantile, class Above>
  [[nodiscard]] std::optional<CrossbarBuffer> buffer(const Quantile& quantile, const Above& above) const {
    if (!query_.drop) return std::nullopt;
    const double tail = numeric::nearest_double(*query_.drop);
    const std::optional<double> level = quantile(tail);
    if (!level)
      throw NoAnswer("buffers are known for probabilities up to 0.1, not " + plain(*query_.drop) + "; " +
                     simulate_instead(query_));
    const std::int64_t cells = rounded_up(*level);
    const auto at = above(static_cast<double>(cells));
    return CrossbarBuffer{.cells = Packets(cells),
                          .at = at.value_or(Model<unit::Probability>{tail}),
                          .real = Model<unit::Packet>{*level},
                          .continued = tail < continued_};
  }

 private:
  const CrossbarQuery& query_;
  double continued_;
};

bool asks_for_tails(const CrossbarQuery& query) {
  return query.drop || !query.levels.empty() || !query.percentiles.empty();
}

void add_fifo_tails(CrossbarAnswer& answer, const CrossbarQuery& query, const FifoInputs& model) {
  if (!asks_for_tails(query)) return;
  if (!model.tails_known())
    throw NoAnswer("tails of FIFO inputs are known from 35 to 95 % of the saturation load, at loads " +
                   plain(FifoInputs::min_share * model.saturation(), 4) + " to " +
                   plain(FifoInputs::max_share * model.saturation(), 4) + "; " + simulate_instead(query));
  const auto quantile = [&](FifoInputs::Of what) {
    return [&model, what](double tail) { return model.quantile(what, tail); };
  };
  const auto above = [&](FifoInputs::Of what) {
    return [&model, what](double level) { return model.above(what, level); };
  };
  const ModelTails tails(query, FifoInputs::min_fitted_tail);
  tails.add_delay(answer, quantile(FifoInputs::Of::delay), above(FifoInputs::Of::delay));
  answer.input = tails.buffer(quantile(FifoInputs::Of::input), above(FifoInputs::Of::input));
}

/// One port: no cell waits, and buffers hold the cell in transmission.
bool add_single_port(CrossbarAnswer& answer, const CrossbarQuery& query) {
  if (query.inputs > 1) return false;
  answer.mean = answer.output_queued;
  const numeric::Exact<unit::Probability> never{numeric::Theorem::crossbar, 0};
  for (const Slots level : query.levels) answer.above.push_back({.slots = level, .probability = never});
  for (const Rational& p : query.percentiles)
    answer.percentiles.push_back({.probability = p, .slots = Slots(0)});
  if (query.drop) {
    const bool none = *query.load() <= *query.drop;
    const CrossbarBuffer cell{
        .cells = Packets(none ? 0 : 1),
        .at = none ? numeric::Exact<unit::Probability>{numeric::Theorem::crossbar, *query.load()} : never};
    answer.input = cell;
    if (query.scheduler != CrossbarScheduler::fifo) answer.queue = cell;
  }
  return true;
}

/// Bursts: the mean alone.
void add_voq_bursts(CrossbarAnswer& answer, const CrossbarQuery& query) {
  constexpr int shortest = 4;
  const std::string simulated = simulate_instead(query, " --burst " + plain(*query.burst));
  if (*query.burst < shortest)
    throw NoAnswer("bursts are modelled from a mean length of 4, not " + plain(*query.burst) + "; " +
                   simulated);
  if (asks_for_tails(query))
    throw NoAnswer("with bursts only the mean delay is known, no percentiles and buffers; " + simulated);
  answer.mean =
      Model<unit::Slot>{bounds::burst_ratio(voq_switch(query), numeric::nearest_double(*query.burst)) *
                        as_double(*answer.output_queued)};
}

/// None where only a proved bound of the mean is known, which is then the mean.
std::optional<bounds::MeasuredVoq> measured_or_bounded(CrossbarAnswer& answer, const CrossbarQuery& query,
                                                       const VoqSwitch& voq) {
  try {
    return bounds::measured_voq(voq);
  } catch (const NoAnswer&) {
    if (!answer.mean_bound || asks_for_tails(query)) throw;
    answer.mean = *answer.mean_bound;
    return std::nullopt;
  }
}

void require_enough_iterations(const CrossbarQuery& query) {
  if (query.scheduler != CrossbarScheduler::pim || query.rounds() == 0 ||
      query.rounds() >= CrossbarQuery{.inputs = query.inputs}.rounds())
    return;
  throw NoAnswer("of pim with " + std::to_string(query.rounds()) + " of the " +
                 std::to_string(CrossbarQuery{.inputs = query.inputs}.rounds()) +
                 " usual iterations only the maximum load is known (--saturation); " +
                 simulate_instead(query));
}

}  // namespace

std::string simulate_instead(const CrossbarQuery& query, const std::string& option) {
  std::string command = "tailbound simulate crossbar --inputs " + std::to_string(query.inputs) +
                        " --scheduler " + name_of(query.scheduler);
  if (const auto load = query.load()) command += " --load " + plain(*load);
  return command + option;
}

void add_fifo(CrossbarAnswer& answer, const CrossbarQuery& query) {
  if (query.burst)
    throw NoAnswer("FIFO inputs with bursts: only the maximum load is known (--saturation); " +
                   simulate_instead(query, " --burst " + plain(*query.burst)));
  if (add_single_port(answer, query)) return;
  if (query.inputs > FifoInputs::max_ports)
    throw NoAnswer("the delay of FIFO inputs is modelled for up to " + std::to_string(FifoInputs::max_ports) +
                   " ports, not " + std::to_string(query.inputs) + "; " + simulate_instead(query));
  const FifoInputs model(query.inputs, numeric::nearest_double(*query.load()));
  answer.mean = model.mean_wait();
  answer.sparse = model.share() > FifoInputs::max_share;
  add_fifo_tails(answer, query, model);
}

void add_voq(CrossbarAnswer& answer, const CrossbarQuery& query) {
  constexpr double well_measured = 0.95;
  if (query.scheduler == CrossbarScheduler::maxweight && !query.burst) {
    const Rational ports(query.inputs);
    answer.mean_bound = numeric::UpperBound<unit::Slot>{
        numeric::Theorem::crossbar,
        numeric::to_real((ports - 1) / (1 - *query.load()), numeric::Rounding::up)};
  }
  if (add_single_port(answer, query)) return;
  require_enough_iterations(query);
  if (query.burst) {
    add_voq_bursts(answer, query);
    return;
  }
  const VoqSwitch voq = voq_switch(query);
  const std::optional<bounds::MeasuredVoq> measured = measured_or_bounded(answer, query, voq);
  if (!measured) return;
  const bounds::MeasuredVoq& found = *measured;
  answer.mean = Model<unit::Slot>{found.ratio * as_double(*answer.output_queued)};
  answer.between = found.between;
  if (answer.near_matching) {
    VoqSwitch all = voq;
    all.parameter = 0;
    answer.mean_all = Model<unit::Slot>{bounds::measured_voq(all).ratio * as_double(*answer.output_queued)};
  }
  answer.sparse = voq.load > well_measured;
  if (!asks_for_tails(query)) return;
  const auto require_measured = [&](const std::optional<MeasuredTail>& tail) {
    if (!tail)
      throw NoAnswer("tails are not measured at so low a load; the mean is; " + simulate_instead(query));
  };
  const auto quantile = [](const MeasuredTail& tail) {
    return [&tail](double probability) { return tail.quantile(probability); };
  };
  const auto above = [](const MeasuredTail& tail) {
    return [&tail](double level) { return tail.above(level); };
  };
  const ModelTails tails(query, MeasuredTail::min_measured * (1 - 1e-9));
  require_measured(found.delay);
  tails.add_delay(answer, quantile(*found.delay), above(*found.delay));
  if (!query.drop) return;
  require_measured(found.input);
  require_measured(found.queue);
  answer.input = tails.buffer(quantile(*found.input), above(*found.input));
  answer.queue = tails.buffer(quantile(*found.queue), above(*found.queue));
}

void add_speedup(CrossbarAnswer& answer, const CrossbarQuery& query) {
  if (add_single_port(answer, query)) {
    answer.queue.reset();
    return;
  }
  const double speedup = numeric::nearest_double(query.phases());
  const std::string simulated = simulate_instead(query, " --speedup " + plain(query.phases()));
  if (speedup > 2)
    throw NoAnswer("delays are measured up to speedup 2, not " + plain(query.phases()) + "; " + simulated);
  if (query.burst) throw NoAnswer("bursts with a speedup are not modelled, except for ccf; " + simulated);
  if (!query.levels.empty() || !query.percentiles.empty())
    throw NoAnswer(
        "with a speedup the mean and the buffers are known, not the distribution of the delay, "
        "except for ccf; " +
        simulated);
  require_enough_iterations(query);
  const bounds::MeasuredSpeedup found = bounds::measured_speedup(voq_switch(query), speedup);
  answer.mean = Model<unit::Slot>{found.ratio * as_double(*answer.output_queued)};
  if (!query.drop) return;
  const double tail = numeric::nearest_double(*query.drop);
  const std::optional<double> level = found.input(tail);
  if (!level)
    throw NoAnswer("with a speedup the input buffer is known for probabilities of at most 1e-3; " +
                   simulated);
  answer.input = CrossbarBuffer{.cells = Packets(rounded_up(*level)),
                                .at = Model<unit::Probability>{tail},
                                .real = Model<unit::Packet>{*level},
                                .continued = tail < bounds::MeasuredSpeedup::min_measured * (1 - 1e-9)};
  // The tail of the output queue is at most slightly below that of the output-queued switch.
  answer.output = CrossbarBuffer{.cells = *answer.output_queued_buffer, .at = Model<unit::Probability>{tail}};
}

}  // namespace tailbound::answers
