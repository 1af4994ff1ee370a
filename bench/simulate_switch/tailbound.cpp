#include <benchmark/benchmark.h>
#include <tailbound/sim/switch/simulate_switch.hpp>

#include <functional>

/// Cells per second through an output-queued switch, sources, random numbers and statistics included. CPU
/// time, one core.
namespace tailbound::bench {
namespace {

using numeric::parse_rational;
using Change = std::function<void(sim::SwitchModel&)>;

void one_core(benchmark::State& state, std::int64_t ports, const Change& change) {
  constexpr std::int64_t slots = 64'000;
  sim::SwitchModel model = sim::switch_model(ports, parse_rational("0.8", "load"));
  change(model);
  const auto simulated = sim::make_switch_replication(model, {1, 0});
  simulated->advance(slots);
  static_cast<void>(simulated->take_counts());
  const std::uint64_t before = simulated->balance().came;
  for (auto _ : state) simulated->advance(slots);
  if (!simulated->balance().conserved()) state.SkipWithError("cells were lost");
  state.counters["cells"] = benchmark::Counter(static_cast<double>(simulated->balance().came - before),
                                               benchmark::Counter::kIsRate);
  state.counters["slots"] = benchmark::Counter(
      static_cast<double>(slots) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

const Change plain = [](sim::SwitchModel&) {};
const Change shared = [](sim::SwitchModel& m) { m.memory = 100; };
const Change threshold = [](sim::SwitchModel& m) { m.memory = 60, m.threshold = 1; };
const Change hot = [](sim::SwitchModel& m) { m.hot = parse_rational("0.01", "hot"); };
const Change bursts = [](sim::SwitchModel& m) { m.burst = traffic::Burst{16, 1}; };
const Change per_packet_bursts = [](sim::SwitchModel& m) {
  bursts(m);
  m.destination = traffic::Destination::per_packet;
};
const Change imix = [](sim::SwitchModel& m) { m.sizes = traffic::PacketSizes::imix().cells(64).classes; };
const Change trains = [](sim::SwitchModel& m) {
  imix(m);
  m.arrival = sim::PacketArrival::cells;
};
const Change trains_shared = [](sim::SwitchModel& m) {
  trains(m);
  m.memory = 1000;
};

BENCHMARK_CAPTURE(one_core, ports_16, 16, plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, ports_12, 12, plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, ports_64, 64, plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, ports_256, 256, plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, memory_100, 16, shared)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, memory_60_threshold, 16, threshold)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, hot_output, 16, hot)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, bursts, 16, bursts)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, bursts_per_packet, 16, per_packet_bursts)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, imix_whole, 16, imix)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, imix_trains, 16, trains)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core, imix_trains_memory_1000, 16, trains_shared)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
