#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/batch_sums.hpp>
#include <tailbound/sim/batches/latency_bins.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::sim {
namespace {

constexpr ShortfallTest shortfall_test{};
/// For a probe that is repeated because single sources may be short.
constexpr double longer_probe = 4;

void find_busiest(const WormModel& model, const BatchSums& sums, const WormWanted& wanted,
                  WormEstimates& result) {
  const network::WormLayout& layout = model.network->layout();
  std::vector<std::uint32_t> channels;
  for (std::uint32_t channel = 0; channel < layout.channels.size(); ++channel) channels.push_back(channel);
  std::vector<bool> injection(layout.stations.size());
  const auto mark = [&](std::uint32_t source, std::uint32_t destination) {
    for (std::uint32_t variant = 0; variant < layout.variants; ++variant)
      injection[model.network->next_station(
          {.source = source, .destination = destination, .variant = variant})] = true;
  };
  for (const network::WormFlow& flow : model.traffic.flows) mark(flow.source, flow.destination);
  for (std::uint32_t node = 0; node < layout.nodes && model.traffic.flows.empty(); ++node)
    mark(node, (node + 1) % layout.nodes);
  std::erase_if(channels, [&](std::uint32_t channel) { return injection[layout.channels[channel].station]; });
  std::vector<double> occupancy(layout.channels.size());
  for (const std::uint32_t channel : channels)
    occupancy[channel] = sums.total(BatchSums::at(WormRows::occupancy, channel));
  const std::size_t count = std::min(wanted.channels, channels.size());
  std::partial_sort(channels.begin(), channels.begin() + static_cast<std::ptrdiff_t>(count), channels.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return occupancy[a] != occupancy[b] ? occupancy[a] > occupancy[b] : a < b;
                    });
  const double cycles = sums.total(BatchSums::at(WormRows::cycles, 0));
  for (std::size_t i = 0; i < count; ++i)
    result.busiest.push_back(
        {.channel = channels[i],
         .name = model.network->channel_name(channels[i]),
         .occupancy = sums.ratio<unit::Probability>(BatchSums::at(WormRows::occupancy, channels[i]),
                                                    BatchSums::at(WormRows::cycles, 0))
                          .value(),
         .flits = sums.total(BatchSums::at(WormRows::flits, channels[i])) / cycles});
}

void find_percentiles(const WormModel& model, const RunResult& run_result, const WormWanted& wanted,
                      WormEstimates& result) {
  if (wanted.percentiles.empty() || result.messages == 0) return;
  const HistogramBatches latencies(
      run_result.all(), [](const Counts& counts) { return counts[WormRows::latency]; }, wanted.confidence);
  for (const double fraction : wanted.percentiles) {
    result.percentiles.push_back({.fraction = fraction, .latency = {}});
    if (const auto slots = latency_percentile(latencies, fraction, latency_bin(model)))
      result.percentiles.back().latency = {slots->value, slots->lower, slots->upper, slots->confidence};
  }
}

void find_shortfall(const WormModel& model, const RunResult& run_result, WormStability& stability) {
  stability.shortfall = max_shortfall(
      run_result, {.offered = WormRows::offered, .delivered = WormRows::arrived}, shortfall_test);
  if (!stability.shortfall) return;
  const network::WormStation& station = model.network->layout().stations[stability.shortfall->source];
  stability.shortfall->name = model.network->channel_name(station.first);
  stability.stable = stability.stable && !stability.shortfall->is_short;
}

}  // namespace

std::int64_t affordable_cycles(const WormModel& model, double fraction_of_saturation, double mean_distance,
                               double flit_hops, int replications) {
  const double hops_per_cycle = message_rate(model) * static_cast<double>(model.flits) * mean_distance;
  return affordable_slots(flit_hops, hops_per_cycle, relaxation_cycles(model, fraction_of_saturation),
                          replications);
}

numeric::Rational rounded_load(double load) {
  return numeric::Rational(static_cast<long>(std::llround(load * 1e9))) / numeric::Rational(1'000'000'000L);
}

double relaxation_cycles(const WormModel& model, double fraction_of_saturation) {
  return static_cast<double>(model.flits) * relaxation_slots(std::min(fraction_of_saturation, 0.95)) +
         model.network->layout().longest_path;
}

RunPlan automatic_plan(const WormModel& model, double fraction_of_saturation, std::int64_t cycles,
                       int replications, std::uint64_t seed) {
  const double tau = relaxation_cycles(model, fraction_of_saturation);
  return make_plan(5 * tau, 10 * tau, cycles, replications, seed);
}

RunResult run_worms(const WormModel& model, const RunPlan& plan, const RunControls& controls,
                    std::string_view resume) {
  check(model);
  return run(
      plan, describe(model), [&](RandomKey key) { return make_worm_replication(model, key); }, controls,
      resume);
}

WormEstimates worm_estimates(const WormModel& model, const RunResult& run_result, const WormWanted& wanted) {
  const BatchSums sums(run_result, wanted.confidence);
  if (sums.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(sums.size()), "at least 2");
  const auto at = BatchSums::at;
  WormEstimates result;
  result.batches = sums.size();
  result.messages = static_cast<std::uint64_t>(sums.total(at(WormRows::delivered, 0, 1)));
  result.flit_hops = sums.total(at(WormRows::crossings, 0, 1));
  result.throughput = sums.ratio<unit::FlitsPerCycle>(at(WormRows::delivered, 1, sender_count(model)),
                                                      at(WormRows::cycles, 0, 1))
                          .value();
  result.latency = sums.ratio<unit::Cycle>(at(WormRows::times, 0, 1), at(WormRows::delivered, 0, 1));
  result.source_wait = sums.ratio<unit::Cycle>(at(WormRows::times, 1, 1), at(WormRows::delivered, 0, 1));
  result.service = sums.ratio<unit::Cycle>(at(WormRows::times, 2, 1), at(WormRows::delivered, 0, 1));
  if (result.messages > 0)
    result.mean_distance = sums.total(at(WormRows::times, 3, 1)) / static_cast<double>(result.messages);
  result.stability = stability_of(
      run_result,
      {.cycles = WormRows::cycles, .generated = WormRows::generated, .waiting = WormRows::waiting},
      sender_count(model));
  find_shortfall(model, run_result, result.stability);
  find_percentiles(model, run_result, wanted, result);
  find_busiest(model, sums, wanted, result);
  return result;
}

// --- Saturation ------------------------------------------------------------------------------------------

SimulatedSaturation simulated_saturation(const WormModel& model, const SaturationSearch& search,
                                         const RunControls& controls,
                                         const std::function<void(std::size_t)>& on_progress) {
  const double messages = messages_each(search, model.network->layout().nodes);
  const auto probe_of = [&](double load, double of_each) -> std::optional<SaturationProbe> {
    WormModel at = model;
    at.load = rounded_load(load);
    const RunPlan plan = probe_plan(search, of_each * static_cast<double>(model.flits) / load);
    const RunResult run_result = run_worms(at, plan, controls);
    if (!run_result.complete) return std::nullopt;
    const WormEstimates found = worm_estimates(at, run_result);
    return SaturationProbe{.load = load, .delivered = found.throughput.value, .stability = found.stability};
  };
  const auto probe = [&](double load) {
    auto found = probe_of(load, messages);
    const bool unclear =
        found && found->stability.stable && found->stability.shortfall->suspicious(shortfall_test);
    return unclear ? probe_of(load, longer_probe * messages) : found;
  };
  SimulatedSaturation result = search_saturation(search, probe, on_progress);
  result.messages = messages;
  return result;
}

}  // namespace tailbound::sim
