#include <tailbound/answers/broadcast/simulate_hypercube.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/hypercube.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <utility>

namespace tailbound::answers {
namespace {

using numeric::Rational;

/// Ratio of the simulated to the model's saturation rate at which a search starts.
constexpr double guess_for_hypercubes = 1.05;

/// At rate 1.  \throws InvalidArgument
sim::BroadcastModel model_of(const SimulatedHypercube& network) {
  const BroadcastHypercube& hypercube = network.hypercube;
  if (hypercube.startup < 0 || !numeric::is_integer(hypercube.startup) ||
      hypercube.startup > Rational(static_cast<long>(network::simulated_hypercubes.startup)))
    throw InvalidArgument("startup", numeric::plain(hypercube.startup),
                          "a whole number of cycles from 0 to 10^9");
  if (hypercube.virtual_channels > network::simulated_hypercubes.virtual_channels)
    throw InvalidArgument("virtual channels", std::to_string(hypercube.virtual_channels),
                          "from 2 to " + std::to_string(network::simulated_hypercubes.virtual_channels));
  const sim::BroadcastModel model{.dimensions = hypercube.dimensions,
                                  .virtual_channels = static_cast<int>(hypercube.virtual_channels),
                                  .flits = hypercube.flits,
                                  .rate = 1,
                                  .broadcast = hypercube.broadcast,
                                  .startup = numeric::to_int64(numeric::numerator(hypercube.startup)),
                                  .buffer_flits = network.buffer_flits,
                                  .ends = hypercube.ends};
  sim::check(model);
  return model;
}

void check_rates(const OfferedLoads& offered, double saturation) {
  check_simulated(offered);
  for (const Rational& value : offered.values)
    if (offered.absolute(value, saturation) > 1)
      throw InvalidArgument(
          "fractions", numeric::plain(value),
          "at most " + numeric::plain(1 / saturation, 6) + ", where the rate is 1 message/cycle/node");
}

sim::RunPlan plan_for(const sim::BroadcastModel& model, double fraction,
                      const SimulateHypercubeQuery& query) {
  return plan_of_work(
      query.length, query.flit_hops, query.offered.values.size(),
      [&](double flit_hops, int replications) {
        return sim::affordable_cycles(model, fraction, flit_hops, replications);
      },
      [&](std::int64_t cycles, int replications, std::uint64_t seed) {
        return sim::automatic_plan(model, fraction, cycles, replications, seed);
      });
}

std::vector<double> in_doubles(const std::vector<Rational>& fractions) {
  std::vector<double> doubles;
  for (const Rational& fraction : fractions) doubles.push_back(numeric::nearest_double(fraction));
  return doubles;
}

}  // namespace

Rational typed_rate(double rate) {
  return numeric::rounded_decimal(rate, 9);
}

network::ChannelBound channel_bound(const BroadcastHypercube& hypercube) {
  network::ChannelBound bound =
      network::channel_bound(hypercube.dimensions, hypercube.ends, hypercube.broadcast);
  bound.utilization = bound.utilization * Rational(hypercube.flits);  // at 1 message/cycle/node
  return bound;
}

SimulateHypercubeAnswer answer(const SimulateHypercubeQuery& query, const Run& run) {
  const sim::BroadcastModel network = model_of(query.network);
  const auto saturation = broadcast_saturation(query.network.hypercube);
  const OfferedLoads& offered = query.offered;
  check_rates(offered, saturation.value);
  const std::vector<double> percentiles = in_doubles(query.percentiles);
  const network::ChannelBound bound = channel_bound(query.network.hypercube);
  const auto simulate_at = [&](const Rational& requested, const Run& part) {
    sim::BroadcastModel model = network;
    model.rate =
        offered.of_saturation ? typed_rate(offered.absolute(requested, saturation.value)) : requested;
    const double rate = numeric::nearest_double(model.rate), fraction = rate / saturation.value;
    require_below_limit(LoadMeasure::messages, rate, bound.load(), bound.channel);
    const Simulation simulation = [&](const sim::RunPlan& plan, const sim::RunControls& controls,
                                      std::string_view resume) {
      return sim::run_broadcasts(model, plan, controls, resume);
    };
    SimulatedBroadcasts point{
        .rate = rate,
        .fraction_of_saturation = {fraction},
        .simulated = simulate(plan_for(model, fraction, query), !query.length.warmup, simulation, part),
        .found = {}};
    point.found = sim::broadcast_estimates(model, point.simulated.result, percentiles, query.confidence);
    if (!point.found.stability.stable)
      throw Overloaded(LoadMeasure::messages, rate, rate * point.found.throughput.value / point.found.offered,
                       point.found.stability);
    return point;
  };
  auto all = simulate_each(offered.values, run, simulate_at);
  return {.model_saturation = saturation,
          .points = std::move(all.points),
          .stopped = all.stopped,
          .refused = std::move(all.refused)};
}

HypercubeSaturationAnswer answer(const HypercubeSaturationQuery& query, const Run& run) {
  const sim::BroadcastModel network = model_of(query.network);
  const auto model = broadcast_saturation(query.network.hypercube);
  const network::ChannelBound bound = channel_bound(query.network.hypercube);
  const sim::SaturationSearch search =
      search_of(query.length, guess_for_hypercubes * model.value, numeric::nearest_double(bound.load()),
                static_cast<double>(bound.senders));
  return {.limit = {.load = {numeric::Theorem::input, bound.load()}, .channel = bound.channel},
          .model = model,
          .no_model = {},
          .search = search,
          .found = find_saturation(
              search, LoadMeasure::messages,
              [&](const sim::SaturationSearch& requested, const sim::RunControls& controls,
                  const std::function<void(std::size_t)>& on_progress) {
                return sim::simulated_saturation(network, requested, controls, on_progress);
              },
              run)};
}

}  // namespace tailbound::answers
