#include <tailbound/answers/wormhole/simulate_wormhole.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tailbound::answers {
namespace {

/// Start of the search for saturation: ratio of the simulated to the model's saturation load, or without a
/// model to the bound of the channels.
constexpr double guess_of_model = 1.1, guess_of_bound = 0.6;
/// Without any saturation load, this fraction of the channel bound replaces it to choose the run length.
constexpr double usual_part_of_bound = 0.6;
constexpr std::size_t busiest_channels = 10;

WormholeLayout layout_of(const sim::WormModel& model) {
  const network::WormLayout& layout = model.network->layout();
  return {.name = layout.name, .channels = layout.channels.size(), .wires = layout.wires};
}

/// Saturation loads of the network.
struct Saturations {
  network::ChannelBound bound;
  std::optional<double> model{};
  std::string no_model{};  ///< why the model has no saturation load
  std::optional<sim::SimulatedSaturation> simulated{};

  [[nodiscard]] double limit() const { return numeric::nearest_double(bound.load()); }
  /// The reference of fractions; none if there is neither.
  [[nodiscard]] std::optional<double> known() const {
    return simulated ? std::optional(simulated->max_stable) : model;
  }
  [[nodiscard]] sim::SaturationSearch search(const SaturationLength& length) const {
    return search_of(length, model ? guess_of_model * *model : guess_of_bound * limit(), limit(),
                     static_cast<double>(bound.senders));
  }
};

/// Without a search.
Saturations saturations_of(const SimulatedWormhole& network, const sim::WormModel& simulated,
                           const WormholeModel& model) {
  Saturations saturations{.bound = channel_bound(network, simulated), .no_model = model.missing};
  if (!model.model) return saturations;
  const bounds::wormhole::SaturationSides sides = model.model->saturation_sides();
  if (is_saturation(sides, {.network = network.network,
                            .messages = network.messages,
                            .offered = {},
                            .variant = network.variant,
                            .virtual_channels = network.virtual_channels,
                            .buffer_flits = network.buffer_flits,
                            .timing = network.timing}))
    saturations.model = sides.below;
  else
    saturations.no_model = "the model has no answer above load " + numeric::plain(sides.below, 5) + " (" +
                           no_solution_in_words(sides.fullness) + "), which is not a saturation load";
  return saturations;
}

ChannelLimit<unit::FlitsPerCycle> limit_of(const network::ChannelBound& bound) {
  return {.load = {numeric::Theorem::input, bound.load()}, .channel = bound.channel};
}

void check_loads(const OfferedLoads& offered, double saturation) {
  for (const numeric::Rational& value : offered.values)
    if (offered.absolute(value, saturation) > 1)
      throw InvalidArgument(
          "fractions", numeric::plain(value),
          "at most " + numeric::plain(1 / saturation, 6) + ", where the load is 1 flit/cycle/node");
}

sim::SimulatedSaturation searched(const sim::WormModel& network, const sim::SaturationSearch& search,
                                  const Run& run) {
  return find_saturation(
      search, LoadMeasure::flits,
      [&](const sim::SaturationSearch& requested, const sim::RunControls& controls,
          const std::function<void(std::size_t)>& on_progress) {
        return sim::simulated_saturation(network, requested, controls, on_progress);
      },
      run);
}

/// Do fractions refer to a saturation load that must be searched first?
bool searches(const SimulateWormholeQuery& query, const Saturations& known) {
  if (!query.offered.of_saturation) return false;
  if (query.fractions_of == FractionsOf::model && !known.model)
    throw InvalidArgument("of", "model", "simulated, or loads given instead of fractions: " + known.no_model);
  return query.fractions_of.value_or(known.model ? FractionsOf::model : FractionsOf::simulated) ==
         FractionsOf::simulated;
}

SimulatedWorms simulate_at(const SimulateWormholeQuery& query, sim::WormModel network,
                           const numeric::Rational& requested, const Saturations& saturations,
                           double mean_distance, const Run& run) {
  const std::optional<double> known = saturations.known();
  network.load = query.offered.of_saturation
                     ? sim::rounded_load(query.offered.absolute(requested, known.value()))
                     : requested;
  const double load = numeric::nearest_double(network.load);
  require_below_limit(LoadMeasure::flits, load, saturations.bound.load(), saturations.bound.channel);
  const double fraction = load / known.value_or(usual_part_of_bound * saturations.limit());
  const sim::RunPlan plan = plan_of_work(
      query.length, query.flit_hops, query.offered.values.size(),
      [&](double flit_hops, int replications) {
        return sim::affordable_cycles(network, fraction, mean_distance, flit_hops, replications);
      },
      [&](std::int64_t cycles, int replications, std::uint64_t seed) {
        return sim::automatic_plan(network, fraction, cycles, replications, seed);
      });
  SimulatedWorms point{.load = load, .fraction_of_saturation = {}, .simulated = {}, .found = {}};
  if (known) point.fraction_of_saturation = {fraction};
  point.simulated = simulate(
      plan, !query.length.warmup,
      [&](const sim::RunPlan& as_planned, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_worms(network, as_planned, controls, resume);
      },
      run);
  sim::WormWanted wanted{.percentiles = {}, .channels = busiest_channels, .confidence = query.confidence};
  for (const numeric::Rational& percentile : query.percentiles)
    wanted.percentiles.push_back(numeric::nearest_double(percentile));
  point.found = sim::worm_estimates(network, point.simulated.result, wanted);
  if (!point.found.stability.stable)
    throw Overloaded(LoadMeasure::flits, load, point.found.throughput.value, point.found.stability);
  return point;
}

/// Have all kinds the traffic of the network itself?
bool same_traffic(const std::vector<network::MessageKind>& kinds, const WormholeNetwork& network) {
  const network::WormTraffic own = traffic_of(network);
  return std::all_of(kinds.begin(), kinds.end(), [&](const network::MessageKind& kind) {
    return std::equal(own.flows.begin(), own.flows.end(), kind.traffic.flows.begin(),
                      kind.traffic.flows.end(), [](const network::WormFlow& a, const network::WormFlow& b) {
                        return a.source == b.source && a.destination == b.destination && a.rate == b.rate;
                      });
  });
}

}  // namespace

sim::WormModel simulator_model(const SimulatedWormhole& network) {
  sim::WormModel model;
  if (network.buffer_flits < 1 || network.buffer_flits > 1'000'000)
    throw InvalidArgument("buffer flits", std::to_string(network.buffer_flits),
                          "an integer from 1 to 1000000");
  WormMix mix = mix_of(network.network, network.messages, network.virtual_channels);
  for (const network::MessageKind& kind : mix.kinds)
    if (kind.lengths.largest() > network::MessageLengths::max_flits)
      throw InvalidArgument("flits", kind.lengths.text(), "from 1 to 1000000 in a simulation");
  model.kinds = std::move(mix.kinds);
  model.network = std::move(mix.network);
  model.buffer_flits = network.buffer_flits;
  model.arrivals = network.arrivals;
  network::check(network.timing);
  model.timing = network.timing;
  model.think = network.think;
  return model;
}

WormholeModel wormhole_model_of(const SimulatedWormhole& network) {
  return wormhole_model_of(ModelledWormhole{.network = network.network,
                                            .variant = network.variant,
                                            .messages = messages_of(network.network, network.messages),
                                            .virtual_channels = network.virtual_channels,
                                            .buffer_flits = network.buffer_flits,
                                            .timing = network.timing});
}

network::ChannelBound channel_bound(const WormholeNetwork& network) {
  if (const auto* own = std::get_if<OwnWormNetwork>(&network)) return network::channel_bound(*own->network);
  return network::channel_bound(std::get<network::WormTopology>(network));
}

network::ChannelBound channel_bound(const SimulatedWormhole& network, const sim::WormModel& simulated) {
  if (same_traffic(simulated.kinds, network.network)) return channel_bound(network.network);
  return network::channel_bound(*simulated.network, simulated.kinds);
}

SimulateWormholeAnswer simulate_worms(const SimulateWormholeQuery& query, const sim::WormModel& network,
                                      const WormholeModel& model, const Run& run) {
  const OfferedLoads& offered = query.offered;
  Saturations saturations = saturations_of(query.network, network, model);
  const bool searches_first = searches(query, saturations);
  if (searches_first) {
    reject_search_in_parts(run);
    if (run.finished != nullptr)
      throw InvalidArgument(
          "half-width", "given",
          "given with loads: fractions are of the simulated saturation load, which is searched");
    require_one_load_to_resume(run, offered.values.size());
    saturations.simulated = searched(network, saturations.search(query.search), part_of(run, 0, 2));
  }
  if (const std::optional<double> known = saturations.known()) check_loads(offered, *known);
  const Run rest = searches_first ? part_of(run, 1, 2) : run;
  const double distance =
      model.model ? model.model->graph().mean_distance : mean_distance(query.network.network);
  auto loads = simulate_each(offered.values, rest, [&](const numeric::Rational& requested, const Run& part) {
    return simulate_at(query, network, requested, saturations, distance, part);
  });
  SimulateWormholeAnswer answer{.layout = layout_of(network),
                                .limit = limit_of(saturations.bound),
                                .model_saturation = {},
                                .no_model = saturations.no_model,
                                .points = std::move(loads.points),
                                .stopped = loads.stopped,
                                .refused = std::move(loads.refused),
                                .simulated_saturation = std::move(saturations.simulated)};
  if (saturations.model) answer.model_saturation = {*saturations.model};
  return answer;
}

SimulateWormholeAnswer answer(const SimulateWormholeQuery& query, const Run& run) {
  check(query.offered, Fractions::any);
  check_simulated(query.offered);
  const sim::WormModel network = simulator_model(query.network);
  return simulate_worms(query, network, wormhole_model_of(query.network), run);
}

WormholeSaturationAnswer answer(const WormholeSaturationQuery& query, const Run& run) {
  const sim::WormModel network = simulator_model(query.network);
  const WormholeModel model = wormhole_model_of(query.network);
  const Saturations saturations = saturations_of(query.network, network, model);
  WormholeSaturationAnswer answer;
  answer.layout = layout_of(network);
  answer.limit = limit_of(saturations.bound);
  if (saturations.model) answer.model = {*saturations.model};
  answer.no_model = saturations.no_model;
  answer.search = saturations.search(query.length);
  answer.found = searched(network, answer.search, run);
  return answer;
}

}  // namespace tailbound::answers
