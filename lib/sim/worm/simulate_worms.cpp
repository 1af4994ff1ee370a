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

/// Calls `at(station)` for each station that messages of the kind wait for at their source.
template <class At>
void for_sources(const WormModel& model, const network::MessageKind& kind, const At& at) {
  const std::uint32_t nodes = model.network->layout().nodes, variants = variants_of(model);
  const auto of_pair = [&](std::uint32_t source, std::uint32_t destination) {
    for (std::uint32_t variant = 0; variant < variants; ++variant)
      at(model.network->next_station({.source = source,
                                      .destination = destination,
                                      .variant = kind.virtual_network * variants + variant}));
  };
  for (const network::WormFlow& flow : kind.traffic.flows) of_pair(flow.source, flow.destination);
  for (std::uint32_t node = 0; node < nodes && kind.traffic.flows.empty(); ++node)
    of_pair(node, (node + 1) % nodes);
}

void find_busiest(const WormModel& model, const BatchSums& sums, const WormWanted& wanted,
                  WormEstimates& result) {
  const network::WormLayout& layout = model.network->layout();
  std::vector<std::uint32_t> channels;
  for (std::uint32_t channel = 0; channel < layout.channels.size(); ++channel) channels.push_back(channel);
  std::vector<bool> injection(layout.stations.size());
  for (const network::MessageKind& kind : model.kinds)
    for_sources(model, kind, [&](std::uint32_t station) { injection[station] = true; });
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

std::vector<WormPercentile> percentiles_of(const WormModel& model, const HistogramBatches& latencies,
                                           const WormWanted& wanted) {
  std::vector<WormPercentile> percentiles;
  for (const double fraction : wanted.percentiles) {
    percentiles.push_back({.fraction = fraction, .latency = {}});
    if (const auto slots = latency_percentile(latencies, fraction, latency_bin(model)))
      percentiles.back().latency = {slots->value, slots->lower, slots->upper, slots->confidence};
  }
  return percentiles;
}

/// Of the parts first .. end - 1 together.
/// \param senders  sender_count()
WormPartEstimates part_estimates(const WormModel& model, double senders, const BatchSums& sums,
                                 const RunResult& run_result, const WormWanted& wanted, std::size_t first,
                                 std::size_t end) {
  const auto sum = [=](std::size_t column, double unit = 1) -> BatchSums::Sum {
    return [=](const Counts& counts) {
      std::uint64_t all = 0;
      for (std::size_t i = first; i < end; ++i) all += counts[WormRows::part(i)][column];
      return static_cast<double>(all) / unit;
    };
  };
  WormPartEstimates result{
      .messages = static_cast<std::uint64_t>(sums.total(sum(0))),
      .throughput =
          sums.ratio<unit::FlitsPerCycle>(sum(1, senders), BatchSums::at(WormRows::cycles, 0)).value(),
      .latency = sums.ratio<unit::Cycle>(sum(2), sum(0)),
      .source_wait = sums.ratio<unit::Cycle>(sum(3), sum(0)),
      .percentiles = {}};
  if (wanted.percentiles.empty() || result.messages == 0) return result;
  const HistogramBatches latencies(
      run_result.all(),
      [=](const Counts& counts) {
        Histogram all;
        for (std::size_t i = first; i < end; ++i) {
          const Histogram& its = counts[WormRows::part_latency(i)];
          if (all.size() < its.size()) all.resize(its.size());
          for (std::size_t bin = 0; bin < its.size(); ++bin) all[bin] += its[bin];
        }
        return all;
      },
      wanted.confidence);
  result.percentiles = percentiles_of(model, latencies, wanted);
  return result;
}

void find_classes(const WormModel& model, const BatchSums& sums, const RunResult& run_result,
                  const WormWanted& wanted, WormEstimates& result) {
  const WormParts parts = parts_of(model);
  if (!parts.apart()) return;
  const auto estimates = [&, senders = sender_count(model)](std::size_t first, std::size_t end) {
    return part_estimates(model, senders, sums, run_result, wanted, first, end);
  };
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const std::size_t first = parts.first[k], end = parts.first[k + 1];
    WormClassEstimates its{.name = model.kinds[k].name, .found = estimates(first, end), .by_length = {}};
    for (std::size_t i = first; i < end && parts.lengths[i] > 0; ++i)
      its.by_length.push_back(
          {.flits = parts.lengths[i], .found = end - first == 1 ? its.found : estimates(i, i + 1)});
    result.by_class.push_back(std::move(its));
  }
}

/// The names of the kinds whose messages wait for the station at their source: "request and reply".
std::string classes_at(const WormModel& model, std::uint32_t station) {
  std::vector<std::string> names;
  for (const network::MessageKind& kind : model.kinds) {
    bool waits = false;
    for_sources(model, kind, [&](std::uint32_t its) { waits = waits || its == station; });
    if (waits && !kind.name.empty() && std::find(names.begin(), names.end(), kind.name) == names.end())
      names.push_back(kind.name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

void find_shortfall(const WormModel& model, const RunResult& run_result, WormStability& stability) {
  stability.shortfall = max_shortfall(
      run_result, {.offered = WormRows::offered, .delivered = WormRows::arrived}, shortfall_test);
  if (!stability.shortfall) return;
  const network::WormStation& station = model.network->layout().stations[stability.shortfall->source];
  stability.shortfall->name = model.network->channel_name(station.first);
  stability.shortfall->classes = classes_at(model, stability.shortfall->source);
  stability.stable = stability.stable && !stability.shortfall->is_short;
}

}  // namespace

std::int64_t affordable_cycles(const WormModel& model, double fraction_of_saturation, double mean_distance,
                               double flit_hops, int replications) {
  const double hops_per_cycle = message_rate(model) * mean_flits(model) * mean_distance;
  return affordable_slots(flit_hops, hops_per_cycle, relaxation_cycles(model, fraction_of_saturation),
                          replications);
}

numeric::Rational rounded_load(double load) {
  return numeric::Rational(static_cast<long>(std::llround(load * 1e9))) / numeric::Rational(1'000'000'000L);
}

double relaxation_cycles(const WormModel& model, double fraction_of_saturation) {
  double flits = mean_flits(model);
  const network::MessageLengths& law = model.kinds.front().lengths;
  if (model.kinds.size() > 1 || !(law.single() || law.is_geometric())) {
    numeric::Rational square = 0;
    for (const network::MessageKind& kind : model.kinds)
      square = square + kind.share * kind.lengths.mean_square();
    flits = numeric::nearest_double(square) / flits;
  }
  return flits * relaxation_slots(std::min(fraction_of_saturation, 0.95)) +
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
  if (!wanted.percentiles.empty() && result.messages > 0)
    result.percentiles = percentiles_of(model, sums.histogram(WormRows::latency), wanted);
  find_classes(model, sums, run_result, wanted, result);
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
    const RunPlan plan = probe_plan(search, of_each * mean_flits(model) / load);
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
