#include <benchmark/benchmark.h>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/fat_tree_worms.hpp>
#include <tailbound/sim/worm/worm_replication.hpp>

/// Flit-hops per second: one flit across one channel; sources, random numbers and statistics included. CPU
/// time, one core. Loads are half of the model's saturation load unless the name says otherwise.
namespace tailbound::bench {
namespace {

using network::Cube;
using network::CubeLinks;

sim::WormModel cube(CubeLinks links, int radix, int dimensions, const char* load, std::int64_t flits,
                    std::int64_t buffer = 1, int virtual_channels = 0) {
  const Cube cube{.links = links, .radix = radix, .dimensions = dimensions};
  const int channels = virtual_channels > 0 ? virtual_channels : network::usual_virtual_channels(cube);
  return {.network = network::make_cube_worms(cube, channels),
          .kinds = {{.lengths = flits}},
          .load = numeric::parse_rational(load, "load"),
          .buffer_flits = buffer};
}

sim::WormModel fat_tree(int levels, const char* load) {
  return {.network = network::make_fat_tree_worms(levels),
          .kinds = {{.lengths = 16}},
          .load = numeric::parse_rational(load, "load")};
}

void one_core(benchmark::State& state, const sim::WormModel& model, std::int64_t cycles) {
  const auto network = sim::make_worm_replication(model, {1, 0});
  network->advance(2 * cycles);
  static_cast<void>(network->take_counts());
  double flit_hops = 0, all_cycles = 0;
  for (auto _ : state) {
    network->advance(cycles);
    flit_hops += static_cast<double>(network->take_counts()[sim::WormRows::crossings][0]);
    all_cycles += static_cast<double>(cycles);
  }
  if (!network->engine().balance().conserved()) state.SkipWithError("flits were lost");
  state.counters["flit_hops"] = benchmark::Counter(flit_hops, benchmark::Counter::kIsRate);
  state.counters["cycles"] = benchmark::Counter(all_cycles, benchmark::Counter::kIsRate);
}

#define NETWORK(name, ...) \
  BENCHMARK_CAPTURE(one_core, name, __VA_ARGS__, 10'000)->Unit(benchmark::kMillisecond)

NETWORK(mesh_16x16, cube(CubeLinks::mesh, 16, 2, "0.0472", 32));
NETWORK(mesh_16x16_tenth_of_saturation, cube(CubeLinks::mesh, 16, 2, "0.00944", 32));
NETWORK(mesh_16x16_nine_tenths, cube(CubeLinks::mesh, 16, 2, "0.085", 32));
NETWORK(mesh_16x16_buffers_of_8, cube(CubeLinks::mesh, 16, 2, "0.0472", 32, 8));
NETWORK(mesh_16x16_two_virtual_channels, cube(CubeLinks::mesh, 16, 2, "0.0472", 32, 1, 2));
NETWORK(mesh_8x8_20_flits_buffers_of_8, cube(CubeLinks::mesh, 8, 2, "0.075", 20, 8));
NETWORK(mesh_8x8_20_flits_buffers_of_8_router_times, [] {
  sim::WormModel model = cube(CubeLinks::mesh, 8, 2, "0.075", 20, 8);
  model.timing = {.router_cycles = 2, .credit_cycles = 2, .reallocate = network::Reallocate::tail};
  return model;
}());
NETWORK(mesh_8x8_1_and_5_flits_four_virtual_channels, [] {
  sim::WormModel model = cube(CubeLinks::mesh, 8, 2, "0.2", 1, 4, 4);
  model.kinds.front().lengths = network::MessageLengths::parse("1:60%,5:40%");
  return model;
}());
NETWORK(mesh_8x8_3_flits_four_virtual_channels, cube(CubeLinks::mesh, 8, 2, "0.2", 3, 4, 4));
NETWORK(torus_8x8, cube(CubeLinks::unidirectional_torus, 8, 2, "0.038", 20));
NETWORK(fat_tree_1024, fat_tree(5, "0.0195"));
NETWORK(mesh_64x64, cube(CubeLinks::mesh, 64, 2, "0.0118", 32));

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
