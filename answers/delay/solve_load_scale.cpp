#include <tailbound/answers/agreed_digits.hpp>
#include <tailbound/answers/delay/delay_model.hpp>
#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/answers/delay/solve_load_scale.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/bounds/network/fabric_delay.hpp>
#include <tailbound/bounds/network/network_delay.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::Route;
using numeric::Rational;
using queue::ProbabilityClaim;

constexpr std::int64_t max_slots = 1'000'000;

/// The ends of a probability.
struct Ends {
  Rational lower = 0, upper = 0;
  numeric::Proof proof{numeric::Theorem::sojourn};

  [[nodiscard]] bool proved() const { return proof.assumptions().may_be_shown(); }
};

/// Of a number that nobody proved.
constexpr numeric::Proof computed_only{numeric::Theorem::convolution, numeric::Assumption::independent_hops};

Ends ends_of(const ProbabilityClaim& claim) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim))
    return {exact->value, exact->value, exact->proof()};
  if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Probability>>(&claim))
    return {numeric::to_rational(enclosure->lower()), numeric::to_rational(enclosure->upper()),
            enclosure->proof()};
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Probability>>(&claim))
    return {0, numeric::to_rational(bound->value), bound->proof()};
  const Rational value =
      numeric::to_rational(std::get<numeric::Approximation<unit::Probability>>(claim).value);
  return {value, value, computed_only};
}

ProbabilityClaim claim_of(const Ends& ends, numeric::Digits digits) {
  if (ends.proved() && ends.lower == ends.upper)
    return numeric::Exact<unit::Probability>{ends.proof, ends.lower};
  const numeric::PrecisionScope scope(numeric::to_precision(digits));
  if (!ends.proved())
    return numeric::Approximation<unit::Probability>{numeric::to_real(ends.upper, numeric::Rounding::nearest),
                                                     digits.count};
  return numeric::Enclosure<unit::Probability>(ends.proof,
                                               numeric::to_real(ends.lower, numeric::Rounding::down),
                                               numeric::to_real(ends.upper, numeric::Rounding::up));
}

/// P(latency > within), a sum over the lengths of the routes.
Ends latency_tail(const FlowLaw& law, const LatencyTarget& target, const DelayPaths& paths) {
  const SlotTime time = paths.in_ticks(target.time.value_or(SlotTime{.slot = 1}));
  std::map<Rational, std::vector<Route>> by_minimum;
  for (const Route& route : law.routes) by_minimum[time.minimum(route)].push_back(route);
  Ends all;
  for (auto& [minimum, its] : by_minimum) {
    Rational share = 0;
    for (const Route& route : its) share = share + route.share;
    Ends above{share, share};
    if (minimum <= target.within) {
      for (Route& route : its) route.share = route.share / share;
      const numeric::Integer slots = numeric::floor((target.within - minimum) / time.slot);
      above = ends_of(law.law->claims(its, {.levels = {Slots(numeric::to_int64(slots))}, .percentiles = {}})
                          .above.front()
                          .probability);
      above.lower = above.lower * share;
      above.upper = above.upper * share;
    }
    if (law.assumed) above.proof = above.proof & computed_only;
    all = {all.lower + above.lower, all.upper + above.upper, all.proof & above.proof};
  }
  return all;
}

/// The criterion of a queue's buffer.
Ends buffer_tail(const queue::HopQueue& queue, const BufferTarget& target, numeric::Digits digits) {
  const queue::Accuracy accuracy{.digits = digits};
  const auto output = std::visit([&](const auto& its) { return bounds::output_queue(its, accuracy); }, queue);
  return ends_of(output->drop_probability(target.capacity, target.drop.criterion).probability);
}

/// Distance of the network from the target at one factor.
struct Found {
  Ends worst;  ///< of the flow or queue with the largest upper end; proved if all of them are
  std::string name;
  bool some_missed = false;  ///< proved for at least one
};

class Search {
 public:
  explicit Search(const LoadScaleQuery& query) : query_(query) {
    // Probabilities need a few digits more than the factor for a comparison with the target.
    digits_.count = query.digits.count + 5;
  }

  [[nodiscard]] Rational allowed() const {
    if (const auto* latency = std::get_if<LatencyTarget>(&query_.requested)) return 1 - latency->percentile;
    return std::get<BufferTarget>(query_.requested).drop.probability;
  }

  [[nodiscard]] Found at(const Rational& factor) const {
    return query_.fabric ? of_whole(factor) : of_flows(factor);
  }

  [[nodiscard]] NearestToTarget nearest(const Found& found) const {
    return {found.name, claim_of(found.worst, digits_)};
  }

  [[nodiscard]] LoadScaleOfTarget run(const ScaleLimit& limit, const Run& run) const;

 private:
  [[nodiscard]] Found of_whole(const Rational& factor) const {
    const network::Fabric fabric = scaled(*query_.fabric, factor);
    const network::FabricGraph graph(fabric);
    const network::FabricOrbits orbits = network::fabric_orbits(graph);
    const network::FabricRates rates = network::fabric_rates(graph, orbits);
    Found found;
    if (const auto* latency = std::get_if<LatencyTarget>(&query_.requested)) {
      bounds::FabricDelay delays(graph, orbits, rates);
      const Rational slot = latency->time ? latency->time->slot : Rational(1);
      std::pair<std::uint32_t, std::uint32_t> ends;
      if (query_.flow) {
        ends = ends_of_flow(fabric.network, *query_.flow);
      } else {
        const bounds::FabricPercentile worst = delays.answer({latency->percentile}).all.percentiles.front();
        ends = {worst.from, worst.to};
      }
      const auto above = delays.pair_above(
          ends.first, ends.second,
          numeric::to_int64(numeric::floor(latency->within / slot * delays.ticks_per_slot())));
      found.worst = {numeric::to_rational(above.lower()), numeric::to_rational(above.upper()), above.proof()};
      found.name = fabric.network.nodes[ends.first].name + " -> " + fabric.network.nodes[ends.second].name;
      found.some_missed = found.worst.lower > allowed();
      return found;
    }
    const auto& target = std::get<BufferTarget>(query_.requested);
    for (const network::FabricRates::Queue& queue : rates.queues()) {
      const network::QueueTraffic traffic =
          split_over_links(fabric, rates, queue).value_or(rates.traffic(fabric.network, queue));
      const auto output = bounds::output_queue(bounds::slotted_queue(traffic), {.digits = digits_});
      Ends ends = ends_of(output->drop_probability(target.capacity, target.drop.criterion).probability);
      ends.proof = ends.proof & computed_only;  // its arrivals are taken as independent
      found.some_missed = found.some_missed || ends.lower > allowed();
      if (!found.name.empty() && ends.upper <= found.worst.upper) continue;
      found.worst = ends;
      found.name = traffic.name;
    }
    return found;
  }

  [[nodiscard]] Found of_flows(const Rational& factor) const {
    NetworkTopology topology = query_.topology;
    topology.network = scaled(std::move(topology.network), factor);
    const DelayPaths paths = delay_paths(topology, query_.flow);
    Found found;
    numeric::Proof proof = numeric::Theorem::sojourn;
    const auto take = [&](const Ends& ends, const std::string& name) {
      found.some_missed = found.some_missed || ends.lower > allowed();
      proof = proof & ends.proof;
      if (!found.name.empty() && ends.upper <= found.worst.upper) return;
      found.worst = ends;
      found.name = name;
    };
    if (const auto* latency = std::get_if<LatencyTarget>(&query_.requested)) {
      const Topology of_model = topology;
      DelayModel model(of_model, paths, {Hops::independent, digits_});
      for (std::size_t flow = 0; flow < paths.flows.size(); ++flow)
        if (model.identical(flow) == flow)
          take(latency_tail(model.independent(flow), *latency, paths), paths.flows[flow].name);
    } else {
      for (const std::size_t queue : queues_of(paths)) {
        if (const std::string& reason = paths.queues.traffic[queue].no_model; !reason.empty())
          throw NoAnswer(reason);
        Ends ends =
            buffer_tail(paths.queues.queues[queue], std::get<BufferTarget>(query_.requested), digits_);
        // 0 stays proved where no packet waits: so few come in a slot that the buffer never fills.
        if (paths.queues.fed_by_sources[queue] == 0 &&
            !(ends.upper == 0 && paths.queues.never_waits[queue] != 0))
          ends.proof = ends.proof & computed_only;
        take(ends, paths.queues.traffic[queue].name);
      }
    }
    found.worst.proof = proof;
    return found;
  }

  /// The queues on the routes of the requested flows.
  static std::vector<std::size_t> queues_of(const DelayPaths& paths) {
    std::vector<std::size_t> queues;
    for (const DelayFlow& flow : paths.flows)
      for (const Route& route : flow.routes)
        queues.insert(queues.end(), route.queues.begin(), route.queues.end());
    std::sort(queues.begin(), queues.end());
    queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
    return queues;
  }

  const LoadScaleQuery& query_;
  numeric::Digits digits_;
};

/// The middle of ]low, high[, rounded to a short decimal inside it.
Rational short_middle(const Rational& low, const Rational& high) {
  Rational step = 1;
  while (step * 4 > high - low) step = step / 10;
  while (step * 40 <= high - low) step = step * 10;
  return numeric::round((low + high) / 2 / step) * step;
}

LoadScaleOfTarget Search::run(const ScaleLimit& limit, const Run& run) const {
  const Rational target = allowed(), minimum = power_of_ten(-18);
  const auto looked_at = [&](const Rational& factor) {
    return as_piece(run, [this, factor] { return at(factor); });
  };
  Rational low = 0, high = limit.factor;
  std::optional<Found> met, missed;
  if (limit.attained()) {
    Found found = looked_at(high);
    if (found.worst.upper <= target) return {.met = high, .missed = {}, .at_met = nearest(found)};
    if (found.some_missed) missed = std::move(found);
  }
  const Rational width = power_of_ten(-query_.digits.count);
  while (high - low > low * width) {
    const Rational middle = short_middle(low, high);
    Found found = looked_at(middle);
    if (found.worst.upper <= target) {
      low = middle;
      met = std::move(found);
    } else if (found.some_missed) {
      high = middle;
      missed = std::move(found);
    } else {
      break;  // undecided: the current range encloses the answer
    }
    if (high < minimum)
      throw NoAnswer("no factor meets the target: " + missed->name + " misses it at load scale " +
                     numeric::plain(high) + " too");
  }
  if (!met) throw LimitExceeded("too few digits to decide whether the target is met");
  LoadScaleOfTarget result{.met = low, .missed = {}, .at_met = nearest(*met)};
  if (missed) {
    result.missed = high;
    result.at_missed = nearest(*missed);
  }
  return result;
}

void require_possible(const LoadScaleQuery& query) {
  if (const auto* latency = std::get_if<LatencyTarget>(&query.requested)) {
    if (!(latency->percentile > 0 && latency->percentile < 1))
      throw InvalidArgument("percentile", numeric::plain(latency->percentile), "above 0 and below 1");
    const Rational slot = latency->time ? latency->time->slot : Rational(1);
    if (latency->within < 0 || latency->within > slot * static_cast<unsigned long>(max_slots))
      throw InvalidArgument("within", numeric::plain(latency->within), "from 0 to 1000000 slots");
  }
  if (const auto* buffer = std::get_if<BufferTarget>(&query.requested)) {
    const Rational& drop = buffer->drop.probability;
    if (!(drop > 0 && drop < 1)) throw InvalidArgument("drop", numeric::plain(drop), "above 0 and below 1");
    if (buffer->capacity < Packets(0))
      throw InvalidArgument("capacity", std::to_string(buffer->capacity.value), "0 packets or more");
  }
}

/// As in scale_limits(); queues with identical traffic are merged.
std::vector<ScaleLimit> limits_of(const network::Fabric& fabric) {
  const network::FabricGraph graph(fabric);
  const network::FabricRates rates = network::fabric_rates(graph, network::fabric_orbits(graph));
  std::vector<ScaleLimit> limits;
  for (const network::FabricRates::Queue& queue : rates.queues()) {
    const Rational takes = queue.rate.value();
    limits.push_back({ScaleLimit::Kind::link, fabric.network.link_name(queue.link), queue.load, takes,
                      takes / queue.load, queue.links});
  }
  const BusiestSender busiest = busiest_sender(fabric);
  limits.push_back({ScaleLimit::Kind::node, fabric.network.nodes[busiest.node].name, busiest.sends,
                    busiest.takes, busiest.takes / busiest.sends, busiest.alike});
  std::stable_sort(limits.begin(), limits.end(),
                   [](const ScaleLimit& a, const ScaleLimit& b) { return a.factor < b.factor; });
  return limits;
}

/// At a load far below the limits of the links.  \throws InvalidArgument  no such flow
DelayPaths calm_paths(const LoadScaleQuery& query, const ScaleLimit& limit) {
  NetworkTopology calm = query.topology;
  calm.network = scaled(std::move(calm.network), limit.factor / 2);
  return delay_paths(calm, query.flow);
}

/// A flow whose packets take too long even without any other traffic: one slot per queue.
/// \throws NoAnswer  naming it and its minimum latency
void require_possible(const DelayPaths& paths, const LatencyTarget& target) {
  const SlotTime time = target.time.value_or(SlotTime{.slot = 1});
  for (const DelayFlow& flow : paths.flows) {
    std::map<std::size_t, Rational> shares;
    for (const Route& route : flow.routes) shares[route.length()] = shares[route.length()] + route.share;
    // The number of queues that all packets but the rarest pass at most.
    Rational longer = 1;
    std::size_t queues = 0;
    for (const auto& [length, share] : shares) {
      queues = length;
      longer = longer - share;
      if (longer <= 1 - target.percentile) break;
    }
    const Rational minimum = Rational(static_cast<std::int64_t>(queues)) * (time.slot + time.hop);
    if (minimum <= target.within) continue;
    const std::string latency = numeric::plain(minimum) + (target.time    ? " ns"
                                                           : minimum == 1 ? " slot"
                                                                          : " slots");
    const std::string passed = std::to_string(queues) + (queues == 1 ? " queue" : " queues");
    throw NoAnswer("no factor meets the target: " + flow.name +
                   (queues == shares.begin()->first
                        ? " passes " + passed + ": its latency is at least " + latency
                        : " passes up to " + passed + ": " + numeric::plain(target.percentile * 100) +
                              " % of its packets take at least " + latency));
  }
}

}  // namespace

numeric::Claim<unit::Ratio> LoadScaleAnswer::largest() const {
  const ScaleLimit& limit = first_limit();
  if (!target || target->met == limit.factor)
    return numeric::Exact<unit::Ratio>{numeric::Theorem::input, limit.factor};
  const Rational upper = target->missed.value_or(limit.factor);
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const numeric::Enclosure<unit::Ratio> enclosure(numeric::Theorem::bracketed,
                                                  numeric::to_real(target->met, numeric::Rounding::down),
                                                  numeric::to_real(upper, numeric::Rounding::up));
  const auto computed = [](const NearestToTarget& nearest) {
    return std::holds_alternative<numeric::Approximation<unit::Probability>>(nearest.probability);
  };
  if (!computed(target->at_met) && !(target->at_missed && computed(*target->at_missed))) return enclosure;
  int digits = 0;
  for (Rational gap = (upper - target->met) / target->met; gap < 1 && digits < 1000; gap = gap * 10) ++digits;
  return numeric::Approximation<unit::Ratio>{enclosure.lower(), std::max(digits - 1, 1)};
}

LoadScaleAnswer answer(const LoadScaleQuery& query, const Run& run) {
  require_possible(query);
  LoadScaleAnswer answer{.limits =
                             query.fabric ? limits_of(*query.fabric) : scale_limits(query.topology.network)};
  if (std::holds_alternative<Stability>(query.requested)) return answer;
  if (query.fabric) {
    if (query.flow && std::holds_alternative<BufferTarget>(query.requested))
      throw InvalidArgument("flow", *query.flow,
                            "omitted: for a network evaluated as a whole the buffer is that of all queues");
    answer.target = Search(query).run(answer.first_limit(), run);
    return answer;
  }
  const DelayPaths paths = calm_paths(query, answer.first_limit());
  if (const auto* latency = std::get_if<LatencyTarget>(&query.requested)) {
    require_possible(paths, *latency);
    answer.omissions = paths.omissions;
  }
  answer.target = Search(query).run(answer.first_limit(), run);
  return answer;
}

}  // namespace tailbound::answers
