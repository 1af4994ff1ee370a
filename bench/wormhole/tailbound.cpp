#include <benchmark/benchmark.h>
#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/network/channels/butterfly_fat_tree.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>

#include <string>

/// Latency and saturation of wormhole networks from the model.
namespace tailbound::bench {
namespace {

using bounds::wormhole::Model;
using network::FatTreeVariant;

/// Graph, saturation load and 100 loads up to 99 % of it.
void fat_tree_curve(benchmark::State& state) {
  double last = 0;
  for (auto _ : state) {
    const Model tree(network::fat_tree_classes(5, FatTreeVariant::paper));
    const double saturation = tree.saturation();
    for (int percent = 0; percent < 100; ++percent)
      benchmark::DoNotOptimize(last = tree.solve(saturation * percent / 100).latency(16));
  }
  state.counters["latency at 99 %"] = last;
}

/// The flows of all pairs, the graph, its order, and one load.
void mesh_first_load(benchmark::State& state) {
  double latency = 0;
  for (auto _ : state) {
    const Model mesh(network::cube_graph({.radix = state.range(0)}));
    benchmark::DoNotOptimize(latency = mesh.solve(0.5 / static_cast<double>(state.range(0))).latency(32));
  }
  state.counters["latency"] = latency;
}

/// The part of that for the flows and the graph.
void mesh_graph(benchmark::State& state) {
  for (auto _ : state) {
    const network::ChannelGraph graph = network::cube_graph({.radix = state.range(0)});
    benchmark::DoNotOptimize(graph.mean_distance);
  }
}

void mesh_further_load(benchmark::State& state) {
  const Model mesh(network::cube_graph({.radix = state.range(0)}));
  double load = 0.5 / static_cast<double>(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(mesh.solve(load).service);
    load *= 1 + 1e-9;
  }
}

/// Graph and search.
void mesh_saturation(benchmark::State& state) {
  double saturation = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(saturation = Model(network::cube_graph({.radix = state.range(0)})).saturation());
  state.counters["saturation"] = saturation;
}

/// The mesh of cube_worms.hpp, route by route.
void walk(benchmark::State& state) {
  const auto mesh = network::make_cube_worms({.radix = state.range(0)}, 1);
  double steps = 0;
  for (auto _ : state) {
    const network::ChannelGraph graph = network::walk_graph(*mesh, {});
    const auto nodes = static_cast<double>(mesh->layout().nodes);
    steps += graph.mean_distance * nodes * (nodes - 1);
  }
  state.counters["steps"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
}

/// A mesh with routes from a file, route by route.
void file_walk(benchmark::State& state) {
  const long k = state.range(0);
  const auto label = [](long x, long y) { return '"' + std::to_string(x) + ',' + std::to_string(y) + '"'; };
  std::string nodes, along_x, along_y;
  for (long y = 0; y < k; ++y)
    for (long x = 0; x < k; ++x) {
      nodes += label(x, y) + ",";
      if (x + 1 < k) along_x += "{from=" + label(x, y) + ",to=" + label(x + 1, y) + ",both=true},";
      if (y + 1 < k) along_y += "{from=" + label(x, y) + ",to=" + label(x, y + 1) + ",both=true},";
    }
  const network::RoutedWormNetwork worms(network::read_network("switches=[" + nodes + "]\nlink=[" + along_x +
                                                                   along_y + "]\n[traffic]\nuniform=true",
                                                               "mesh", network::FileUse::worms)
                                             .network);
  double steps = 0;
  for (auto _ : state) {
    const network::ChannelGraph graph = network::walk_graph(worms, worms.traffic());
    steps += graph.mean_distance * static_cast<double>(worms.traffic().flows.size());
  }
  state.counters["steps"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
}

BENCHMARK(fat_tree_curve)->Unit(benchmark::kMicrosecond);
BENCHMARK(mesh_first_load)->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_graph)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_further_load)->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_saturation)->Arg(32)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(walk)->Arg(16)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK(file_walk)->Arg(16)->Arg(31)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench

BENCHMARK_MAIN();
