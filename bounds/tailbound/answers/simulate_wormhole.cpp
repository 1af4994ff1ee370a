#include <tailbound/answers/simulate_wormhole.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/plain.hpp>

#include <string_view>
#include <utility>

namespace tailbound::answers {
namespace {

/// Of the simulated network, over that of the model: where the search for saturation begins.
constexpr double guess_of_saturation = 1.1;
constexpr std::size_t busiest_channels = 10;

WormholeLayout layout_of(const sim::WormModel& model) {
  const network::WormLayout& layout = model.network->layout();
  return {.name = layout.name, .channels = layout.channels.size(), .wires = layout.wires};
}

/// Loads at which the network saturates.
struct Saturations {
  double model = 0;
  std::optional<sim::SimulatedSaturation> simulated{};

  /// Of which fractions are.
  [[nodiscard]] double asked() const { return simulated ? simulated->greatest_stable : model; }
};

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
      [&](const sim::SaturationSearch& asked, const sim::RunControls& controls,
          const std::function<void(std::size_t)>& told) {
        return sim::simulated_saturation(network, asked, controls, told);
      },
      run);
}

SimulatedWorms simulate_at(const SimulateWormholeQuestion& question, sim::WormModel network,
                           const numeric::Rational& asked, const Saturations& saturations,
                           double mean_distance, const Run& run) {
  network.load = question.offered.of_saturation
                     ? sim::rounded_load(question.offered.absolute(asked, saturations.asked()))
                     : asked;
  const double load = numeric::nearest_double(network.load), fraction = load / saturations.model;
  const sim::RunPlan plan = plan_of_work(
      question.length, question.flit_hops, question.offered.values.size(),
      [&](double flit_hops, int replications) {
        return sim::affordable_cycles(network, fraction, mean_distance, flit_hops, replications);
      },
      [&](std::int64_t cycles, int replications, std::uint64_t seed) {
        return sim::automatic_plan(network, fraction, cycles, replications, seed);
      });
  SimulatedWorms point{.load = load, .fraction_of_saturation = {fraction}, .simulated = {}, .found = {}};
  point.simulated = simulate(
      plan, !question.length.warmup,
      [&](const sim::RunPlan& as_planned, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_worms(network, as_planned, controls, resume);
      },
      run);
  sim::WormWanted wanted{.percentiles = {}, .channels = busiest_channels, .confidence = question.confidence};
  for (const numeric::Rational& percentile : question.percentiles)
    wanted.percentiles.push_back(numeric::nearest_double(percentile));
  point.found = sim::worm_estimates(network, point.simulated.result, wanted);
  if (!point.found.stability.stable)
    throw Overloaded(LoadMeasure::flits, load, point.found.throughput.value, point.found.stability);
  return point;
}

}  // namespace

sim::WormModel simulator_model(const SimulatedWormhole& network) {
  sim::WormModel model;
  model.network = worm_network(network.network, network.virtual_channels);
  if (const auto* own = std::get_if<OwnWormNetwork>(&network.network))
    model.traffic = own->network->traffic();
  if (network.flits < 1 || network.flits > 1'000'000)
    throw InvalidArgument("flits", std::to_string(network.flits), "from 1 to 1000000 in a simulation");
  if (network.buffer_flits < 1 || network.buffer_flits > 1'000'000)
    throw InvalidArgument("buffer flits", std::to_string(network.buffer_flits),
                          "an integer from 1 to 1000000");
  model.flits = network.flits;
  model.buffer_flits = network.buffer_flits;
  model.lengths = network.lengths;
  model.arrivals = network.arrivals;
  return model;
}

bounds::wormhole::Model modelled(const SimulatedWormhole& network) {
  return wormhole_model(network.network, network.variant, length_variation(network.lengths, network.flits),
                        static_cast<double>(network.flits), static_cast<double>(network.buffer_flits));
}

SimulateWormholeAnswer simulate_worms(const SimulateWormholeQuestion& question, const sim::WormModel& network,
                                      const bounds::wormhole::Model& model, const Run& run) {
  const OfferedLoads& offered = question.offered;
  const double mean_distance = model.graph().mean_distance;
  Saturations saturations{.model = model.saturation()};
  const bool searches = offered.of_saturation && question.of_simulated;
  if (searches) {
    refuse_search_in_parts(run);
    require_one_load_to_resume(run, offered.values.size());
    saturations.simulated =
        searched(network, search_of(*question.of_simulated, guess_of_saturation * saturations.model),
                 part_of(run, 0, 2));
  }
  check_loads(offered, saturations.asked());
  const Run rest = searches ? part_of(run, 1, 2) : run;
  auto [points, stopped] = simulate_each<SimulatedWorms>(
      offered.values, rest, [&](const numeric::Rational& asked, const Run& part) {
        return simulate_at(question, network, asked, saturations, mean_distance, part);
      });
  return {.layout = layout_of(network),
          .model_saturation = {saturations.model},
          .points = std::move(points),
          .stopped = stopped,
          .simulated_saturation = std::move(saturations.simulated)};
}

SimulateWormholeAnswer answer(const SimulateWormholeQuestion& question, const Run& run) {
  check(question.offered, Fractions::any);
  check_simulated(question.offered);
  const sim::WormModel network = simulator_model(question.network);
  return simulate_worms(question, network, modelled(question.network), run);
}

WormholeSaturationAnswer answer(const WormholeSaturationQuestion& question, const Run& run) {
  const sim::WormModel network = simulator_model(question.network);
  const double model = modelled(question.network).saturation();
  WormholeSaturationAnswer answer;
  answer.layout = layout_of(network);
  answer.model = {model};
  answer.search = search_of(question.length, guess_of_saturation * model);
  answer.found = searched(network, answer.search, run);
  return answer;
}

}  // namespace tailbound::answers
