#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/answers/accuracy/burst_measurements.hpp>

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

/// The measurements, network by network. Their methods: docs/derivations.
namespace tailbound::answers {

namespace {

using network::Ejection;
using network::Injection;
using network::WormEnds;
using network::WormShape;
using network::WormTopology;

constexpr double unlimited = std::numeric_limits<double>::infinity();
/// Version of the first measurements.
constexpr const char* first_version = "0.1.0";

MeasuredSetting exactly(const RequestedSetting& requested) {
  return {requested.setting, requested.value, requested.value};
}

AccuracyRow row_of(MeasuredModel model, std::string network, const std::vector<RequestedSetting>& settings,
                   RowLoads loads) {
  AccuracyRow row{.model = model,
                  .network = std::move(network),
                  .settings = {},
                  .loads = loads,
                  .errors = {},
                  .measured = first_version};
  for (const RequestedSetting& each : settings) row.settings.push_back(exactly(each));
  return row;
}

// --- wormhole networks

using Percents = std::initializer_list<double>;

/// Errors of the mean latency [%] at these percentages of saturation.
void add_latencies(AccuracyRow& row, Percents at, Percents errors) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double error = errors.begin()[i] / 100;
    row.errors.push_back({Quantity::mean_latency, at.begin()[i] / 100, error, error});
  }
}

/// Saturation loads [flits/cycle/node].
struct Saturation {
  double model = 0;
  double stable = 0, unstable = 0;  ///< simulated: largest stable load, smallest unstable load
};

void add_saturation(AccuracyRow& row, const Saturation& found) {
  const double error = found.model / ((found.stable + found.unstable) / 2) - 1;
  row.errors.push_back({Quantity::saturation, 0, error, error});
  row.model_saturation = found.model;
  row.simulated_saturation = found.stable;
}

struct Worms {
  std::vector<AccuracyRow>& rows;
  MeasuredModel model = MeasuredModel::wormhole_finite_source;

  /// At fractions of the simulated saturation load.
  AccuracyRow& of_simulated(const MeasuredWorms& worms, Percents at, Percents errors,
                            const Saturation& found) const {
    AccuracyRow& row = add(worms, RowLoads::simulated, at, errors);
    add_saturation(row, found);
    return row;
  }
  /// At fractions of the model's own saturation load.
  AccuracyRow& of_model(const MeasuredWorms& worms, Percents at, Percents errors) const {
    return add(worms, RowLoads::model, at, errors);
  }

 private:
  AccuracyRow& add(const MeasuredWorms& worms, RowLoads loads, Percents at, Percents errors) const {
    rows.push_back(row_of(model, network::name(worms.topology), accuracy_settings(worms), loads));
    add_latencies(rows.back(), at, errors);
    return rows.back();
  }
};

WormTopology mesh(std::int64_t side, int dimensions = 2, WormEnds ends = {}) {
  std::int64_t nodes = 1;
  for (int i = 0; i < dimensions; ++i) nodes *= side;
  return {.shape = WormShape::mesh, .nodes = nodes, .dimensions = dimensions, .ends = ends};
}
WormTopology one_way_torus(std::int64_t side, int dimensions = 2, WormEnds ends = {}) {
  WormTopology topology = mesh(side, dimensions, ends);
  topology.shape = WormShape::unidirectional_torus;
  return topology;
}
WormTopology torus(std::int64_t side, int dimensions = 2, WormEnds ends = {}) {
  WormTopology topology = mesh(side, dimensions, ends);
  topology.shape = WormShape::torus;
  return topology;
}
WormTopology hypercube(std::int64_t nodes, WormEnds ends = {}) {
  return {.shape = WormShape::hypercube, .nodes = nodes, .ends = ends};
}
WormTopology fat_tree(std::int64_t nodes) {
  return {.shape = WormShape::butterfly_fat_tree, .nodes = nodes};
}

constexpr WormEnds one_unlimited{Injection::one, Ejection::unlimited},
    ports_one{Injection::ports, Ejection::one};

/// docs/derivations/wormhole_finite_source.md
void add_finite_source(std::vector<AccuracyRow>& rows) {
  const Worms worms{rows};
  const Percents seven{30, 50, 70, 80, 85, 90, 95}, three{50, 80, 90};
  worms.of_simulated({fat_tree(64), {}, 16}, seven, {-0.2, -0.4, -0.5, -1.0, -1.9, -4.3, -11.8},
                     {0.1798, 0.1808, 0.1814});
  worms.of_simulated({mesh(8), {}, 32}, seven, {+0.0, +0.1, +0.5, -0.0, -0.6, -2.5, -7.8},
                     {0.2143, 0.2193, 0.2201});
  worms.of_simulated({hypercube(64), {}, 32}, seven, {+0.0, +0.2, +0.8, +1.7, +1.7, +2.4, +3.4},
                     {0.4926, 0.4914, 0.4932});
  worms.of_simulated({one_way_torus(8), {}, 20}, seven, {+0.0, -0.3, -0.4, -0.4, +0.2, +2.4, +3.2},
                     {0.0999, 0.1012, 0.1015});
  worms.of_simulated({torus(8), {}, 20}, seven, {+0.2, +0.5, +1.5, +1.7, +1.8, +1.1, -4.6},
                     {0.2764, 0.2790, 0.2799});
  worms.of_simulated({fat_tree(1024), {}, 16}, seven, {-0.2, -0.3, -0.3, -0.2, -0.0, +0.1, -1.2},
                     {0.0438, 0.0442, 0.0444});
  worms.of_simulated({mesh(16), {}, 32}, seven, {-0.0, -0.0, -0.2, -0.8, -1.1, -2.4, -6.3},
                     {0.0977, 0.1005, 0.1009});
  worms.of_simulated({mesh(6), {}, 20}, seven, {+0.0, +0.2, +0.7, +0.7, +0.4, -1.0, -3.6},
                     {0.2974, 0.3011, 0.3021});
  worms.of_simulated({mesh(4, 3), {}, 24}, seven, {+0.0, +0.3, +0.9, +1.4, +1.3, +0.9, -2.1},
                     {0.3668, 0.3698, 0.3711});
  worms.of_simulated({mesh(12), {}, 40}, seven, {+0.0, +0.1, -0.1, -0.7, -1.3, -3.4, -8.9},
                     {0.1348, 0.1384, 0.1389});
  worms.of_simulated({fat_tree(256), {}, 32}, three, {-0.4, -0.4, -1.6}, {0.0886, 0.0889, 0.0892});
  worms.of_simulated({hypercube(128), {}, 24}, three, {+0.2, +0.7, +1.5}, {0.4663, 0.4632, 0.4664});
  worms.of_simulated({one_way_torus(5), {}, 24}, three, {+0.2, -0.1, -1.9}, {0.1867, 0.1890, 0.1903});
  worms.of_simulated({torus(10), {}, 30}, three, {+0.4, +0.4, -3.1}, {0.2159, 0.2151, 0.2166});
  worms.of_simulated({torus(4, 3), {}, 24}, three, {+0.8, +5.0, +12.7}, {0.4388, 0.4486, 0.4517});
  worms.of_simulated({one_way_torus(3, 3), {}, 20}, three, {-0.3, -0.8, -2.5}, {0.3240, 0.3337, 0.3361});
  worms.of_simulated({mesh(8, 2, one_unlimited), {}, 32}, three, {+0.1, -0.2, -3.7},
                     {0.2273, 0.2316, 0.2332});
  worms.of_simulated({hypercube(64, network::all_port), {}, 32}, three, {+0.2, -2.5, -11.5},
                     {0.8656, 0.8457, 0.8516});
}

/// More virtual channels than each network has by default.
void add_virtual_channels(std::vector<AccuracyRow>& rows) {
  const Worms worms{rows};
  const Percents seven{30, 50, 70, 80, 85, 90, 95};
  worms.of_simulated({hypercube(64), 2, 32}, seven, {-0.3, -1.2, -3.4, -6.0, -8.8, -13.2, -24.5},
                     {0.4821, 0.4730, 0.4746});
  worms.of_simulated({mesh(8), 2, 32}, seven, {-0.3, -1.1, -2.7, -5.0, -7.3, -11.6, -20.5},
                     {0.2550, 0.2575, 0.2584});
  worms.of_simulated({mesh(8), 4, 32}, seven, {-0.2, -1.0, -2.2, -2.8, -3.5, -4.7, -9.3},
                     {0.2747, 0.2751, 0.2761});
  worms.of_simulated({mesh(8), 8, 32}, seven, {-0.2, -0.9, -1.2, -0.8, +0.9, +3.2, +15.1},
                     {0.2694, 0.2741, 0.2780});
  worms.of_simulated({mesh(6), 4, 20}, seven, {-0.0, -0.1, -0.6, -0.0, +0.3, +1.2, +2.8},
                     {0.3349, 0.3355, 0.3378});
  worms.of_simulated({mesh(6), 2, 20}, seven, {-0.3, -1.2, -3.5, -5.5, -8.0, -12.4, -23.3},
                     {0.3372, 0.3331, 0.3355});
  worms.of_simulated({hypercube(64), 4, 32}, seven, {-0.0, -0.3, -1.1, -1.8, -2.6, -4.0, -8.1},
                     {0.4673, 0.4632, 0.4664});
  worms.of_simulated({hypercube(128), 4, 24}, seven, {-0.1, -0.5, -0.8, -1.0, -1.8, -2.2, -5.1},
                     {0.4432, 0.4398, 0.4420});
  worms.of_simulated({hypercube(64), 8, 32}, seven, {-0.2, -0.6, -1.1, -1.2, -1.6, -3.4, -4.3},
                     {0.4662, 0.4627, 0.4673});
  worms.of_simulated({torus(8), 4, 20}, seven, {+0.1, -0.1, -0.3, -0.8, -1.6, -3.4, -8.9},
                     {0.3386, 0.3367, 0.3415});
  worms.of_simulated({torus(8), 8, 20}, seven, {+0.2, +0.4, +1.7, +4.0, +6.5, +10.4, +23.9},
                     {0.3369, 0.3398, 0.3415});
  worms.of_simulated({mesh(4, 3), 2, 24}, seven, {-0.3, -1.1, -3.4, -5.7, -8.0, -12.9, -24.8},
                     {0.3898, 0.3869, 0.3896});
  worms.of_model({mesh(4, 3), 8, 24}, Percents{50.54, 80.86, 90.97}, {-0.7, +0.1, +1.5});
  worms.of_model({hypercube(128), 8, 24}, Percents{50.17, 80.28, 90.31}, {-0.5, -0.3, -1.2});
}

/// Messages shorter than the mean path.
void add_short_messages(std::vector<AccuracyRow>& rows) {
  const Worms worms{rows};
  const Percents five{30, 50, 60, 80, 90};
  worms.of_simulated({mesh(8), {}, 1}, five, {-0.0, -0.1, -0.3, -2.5, -10.1}, {0.2746, 0.2691, 0.2700});
  worms.of_simulated({mesh(8), {}, 2}, five, {+0.0, -0.0, -0.1, -1.9, -7.5}, {0.2401, 0.2424, 0.2432});
  worms.of_simulated({mesh(8), {}, 4}, five, {+0.0, +0.1, +0.1, +0.4, +0.3}, {0.2211, 0.2253, 0.2261});
  worms.of_simulated({mesh(16), {}, 1}, five, {+0.0, -0.0, -0.1, -1.4, -5.9}, {0.1454, 0.1396, 0.1401});
  worms.of_simulated({mesh(16), {}, 2}, five, {+0.1, +0.0, -0.1, -1.9, -8.3}, {0.1244, 0.1233, 0.1237});
  worms.of_simulated({mesh(16), {}, 4}, five, {+0.0, -0.0, -0.1, -1.4, -5.1}, {0.1086, 0.1108, 0.1112});
  worms.of_simulated({hypercube(64), {}, 2}, five, {+0.0, +0.1, +0.0, -0.4, -2.2}, {0.5402, 0.5344, 0.5363});
  worms.of_simulated({one_way_torus(8), {}, 4}, five, {-0.2, -0.5, -0.4, +2.9, +34.0},
                     {0.1031, 0.1087, 0.1091});
  worms.of_simulated({torus(8), {}, 3}, five, {+0.2, +0.3, +0.4, +0.2, -2.7}, {0.2979, 0.2981, 0.2992});
  worms.of_simulated({fat_tree(1024), {}, 4}, five, {-0.1, -0.0, +0.1, +0.7, +2.2}, {0.0439, 0.0444, 0.0445});
}

/// Buffers of several flits in each channel.
void add_deeper_buffers(std::vector<AccuracyRow>& rows) {
  const Worms worms{rows};
  const Percents four{50, 70, 80, 90};
  worms.of_simulated({mesh(8), {}, 32, 2}, four, {-0.1, +0.2, +1.2, +3.6}, {0.2164, 0.2229, 0.2245});
  worms.of_simulated({mesh(8), {}, 32, 4}, four, {-0.1, +0.0, +0.0, -0.1}, {0.2222, 0.2276, 0.2292});
  worms.of_simulated({mesh(8), {}, 32, 8}, four, {-0.2, -1.0, -2.1, -7.4}, {0.2357, 0.2390, 0.2407});
  worms.of_simulated({mesh(8), {}, 32, 32}, four, {-0.1, -1.6, -5.8, -20.0}, {0.2746, 0.2691, 0.2710});
  worms.of_simulated({hypercube(64), {}, 32, 2}, four, {-0.1, +0.1, +0.7, +1.2}, {0.4978, 0.4950, 0.4984});
  worms.of_simulated({hypercube(64), {}, 32, 4}, four, {-0.2, -0.1, +0.2, +0.2}, {0.5075, 0.5054, 0.5090});
  worms.of_simulated({hypercube(64), {}, 32, 8}, four, {-0.1, -0.1, +0.6, -0.1}, {0.5272, 0.5270, 0.5307});
  worms.of_simulated({hypercube(64), {}, 32, 32}, four, {+0.0, -0.3, -2.6, -12.3}, {0.6419, 0.6187, 0.6230});
  worms.of_simulated({fat_tree(64), {}, 16, 2}, four, {-0.2, +0.0, +0.1, -1.1}, {0.1811, 0.1819, 0.1832});
  worms.of_simulated({fat_tree(64), {}, 16, 4}, four, {+0.2, +1.0, +1.6, +3.1}, {0.1832, 0.1845, 0.1858});
  worms.of_simulated({fat_tree(64), {}, 16, 8}, four, {+0.6, +2.3, +3.7, +7.6}, {0.1860, 0.1884, 0.1897});
  worms.of_simulated({fat_tree(64), {}, 16, 16}, four, {+0.5, +1.8, +2.6, +1.9}, {0.1902, 0.1923, 0.1937});
  worms.of_simulated({torus(8), {}, 20, 2}, four, {+0.4, +1.1, +2.6, +3.4}, {0.2828, 0.2879, 0.2899});
  worms.of_simulated({torus(8), {}, 20, 4}, four, {+0.1, +0.8, +1.0, -0.3}, {0.2971, 0.3002, 0.3023});
  worms.of_simulated({torus(8), {}, 20, 8}, four, {+0.1, -0.3, -1.5, -7.9}, {0.3222, 0.3197, 0.3219});
  worms.of_simulated({torus(8), {}, 20, 20}, four, {+1.0, +1.0, -0.6, -9.8}, {0.3874, 0.3675, 0.3701});
}

/// Messages of geometric length.
void add_geometric_lengths(std::vector<AccuracyRow>& rows) {
  const auto geometric = [&](const WormTopology& topology, double saturation,
                             std::initializer_list<std::array<double, 3>> points) {
    const MeasuredWorms worms{.topology = topology, .flits = 32, .lengths = sim::WormLengths::geometric};
    AccuracyRow& row = Worms{rows}.of_model(worms, {}, {});
    for (const auto& [load, modelled, simulated] : points) {
      const double error = modelled / simulated - 1;
      row.errors.push_back({Quantity::mean_latency, load / saturation, error, error});
    }
  };
  geometric(mesh(8), 0.18044,
            {{0.05, 48.59, 48.46},
             {0.1, 70.67, 69.7},
             {0.13, 103.2, 99.8},
             {0.15, 153.4, 146.6},
             {0.16, 203.4, 195}});
  geometric(fat_tree(64), 0.15639,
            {{0.05, 45.57, 45.90}, {0.1, 66.93, 69.1}, {0.12, 89.17, 94.9}, {0.135, 130.3, 150}});
  geometric(hypercube(64), 0.40906,
            {{0.1, 46.35, 46.27}, {0.2, 67.00, 66.5}, {0.3, 128.2, 126.2}, {0.35, 239.6, 237}});
}

/// An error and half its 95 % interval [%].
struct Measured {
  double error = 0, half_width = 0;
};
/// The model is saturated, the network is not: its latency error is unlimited.
constexpr Measured no_limit{unlimited, 0};

/// At percentages of the simulated saturation load, with intervals.
void add_measured(std::vector<AccuracyRow>& rows, const MeasuredWorms& worms, Percents at,
                  std::initializer_list<Measured> points, const Saturation& found, const char* date) {
  AccuracyRow& row = Worms{rows}.of_simulated(worms, {}, {}, found);
  double largest = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [error, half_width] = points.begin()[i];
    const double minimum = error == unlimited ? largest : (error - half_width) / 100;
    largest = error == unlimited ? unlimited : (error + half_width) / 100;
    row.errors.push_back({Quantity::mean_latency, at.begin()[i] / 100, minimum, largest});
  }
  row.measured = date;
}

/// Routers of networks on chip: several virtual channels, buffers of a few flits, short and long messages.
void add_noc_routers(std::vector<AccuracyRow>& rows) {
  const auto add = [&](const MeasuredWorms& worms, std::initializer_list<Measured> points,
                       const Saturation& found) {
    add_measured(rows, worms, {30, 50, 70, 80, 90}, points, found, "2026-11-28");
  };
  add({mesh(8), {}, 9, 4}, {{+0.1, 0.1}, {-0.2, 0.4}, {-1.1, 0.4}, {-3.3, 0.6}, {-10.7, 1.5}},
      {0.2438, 0.2454, 0.2465});
  add({mesh(8), 2, 20, 4}, {{+0.1, 0.3}, {+0.3, 0.3}, {-0.1, 0.4}, {-2.5, 0.6}, {-9.8, 1.4}},
      {0.3029, 0.3013, 0.3026});
  add({mesh(8), 2, 1, 8}, {{-0.1, 0.1}, {-0.4, 0.1}, {-2.1, 0.2}, {-4.6, 0.4}, {-11.3, 0.6}},
      {0.4433, 0.3815, 0.3831});
  add({mesh(8), 4, 9}, {{-0.0, 0.4}, {-0.3, 0.4}, {-0.9, 0.4}, {+0.1, 0.6}, {+2.8, 1.4}},
      {0.2914, 0.2948, 0.2961});
  add({mesh(8), 4, 32, 4}, {{-0.4, 0.3}, {-0.7, 0.4}, {+1.0, 0.4}, {+2.1, 0.9}, {+5.4, 1.3}},
      {0.3065, 0.3107, 0.3120});
  add({mesh(8), 4, 5, 8}, {{+1.0, 0.3}, {+1.2, 0.4}, {+2.8, 0.4}, {+4.3, 0.4}, {+4.5, 0.9}},
      {0.4053, 0.4145, 0.4163});
  add({mesh(8), 8, 20}, {{+0.1, 0.4}, {+0.0, 0.3}, {+0.8, 0.4}, {+2.3, 0.7}, {+11.7, 1.1}},
      {0.2709, 0.2761, 0.2773});
  add({mesh(8), 8, 1, 4}, {{-0.2, 0.2}, {-0.4, 0.3}, {-1.2, 0.4}, {-1.3, 0.4}, {+0.4, 0.6}},
      {0.4231, 0.4445, 0.4464});
  add({mesh(8), 8, 9, 8}, {{+0.9, 0.2}, {+0.3, 0.3}, {-0.3, 0.4}, {+1.3, 0.4}, {+8.0, 0.7}},
      {0.3800, 0.3950, 0.3967});
  add({hypercube(64), {}, 5}, {{+0.1, 0.1}, {+0.2, 0.3}, {+0.8, 0.4}, {+1.0, 0.6}, {+2.0, 1.2}},
      {0.4938, 0.4914, 0.4936});
  add({hypercube(64), {}, 20, 4}, {{+0.1, 0.3}, {+0.0, 0.4}, {+0.1, 0.4}, {+0.2, 0.7}, {-0.3, 1.6}},
      {0.5162, 0.5134, 0.5156});
  add({hypercube(64), {}, 1, 8}, {{-0.0, 0.1}, {-0.1, 0.2}, {-0.7, 0.4}, {-2.2, 0.4}, {-8.7, 1.1}},
      {0.6419, 0.6114, 0.6140});
  add({hypercube(64), 2, 9}, {{-0.0, 0.2}, {-0.4, 0.4}, {-1.4, 0.4}, {-2.6, 0.5}, {-4.4, 1.1}},
      {0.4882, 0.4808, 0.4829});
  add({hypercube(64), 2, 32, 4}, {{-0.4, 0.3}, {-0.7, 0.4}, {-1.8, 0.4}, {-1.8, 0.7}, {-2.2, 1.6}},
      {0.5142, 0.5111, 0.5134});
  add({hypercube(64), 2, 5, 8}, {{-0.5, 0.3}, {-1.4, 0.3}, {-1.1, 0.4}, {-1.2, 0.4}, {-5.1, 1.3}},
      {0.8185, 0.7808, 0.7842});
  add({hypercube(64), 4, 20}, {{+0.0, 0.1}, {-0.2, 0.4}, {-0.5, 0.4}, {-1.6, 0.7}, {-3.4, 1.3}},
      {0.4687, 0.4663, 0.4684});
  add({hypercube(64), 4, 1, 4}, {{-0.2, 0.1}, {-0.8, 0.2}, {-2.1, 0.4}, {-2.8, 0.4}, {-4.2, 0.8}},
      {0.8894, 0.8708, 0.8747});
  add({hypercube(64), 4, 9, 8}, {{-0.6, 0.4}, {-1.7, 0.3}, {-1.6, 0.4}, {+0.4, 0.5}, {+11.0, 1.1}},
      {0.7390, 0.7507, 0.7540});
  add({hypercube(64), 8, 5, 4}, {{-0.1, 0.2}, {-1.3, 0.4}, {-2.4, 0.4}, {-1.7, 0.5}, {+4.1, 1.1}},
      {0.7381, 0.7507, 0.7540});
  add({hypercube(64), 8, 20, 8}, {{-0.4, 0.2}, {-1.5, 0.4}, {-2.7, 0.4}, {-3.3, 0.6}, {-1.8, 1.4}},
      {0.6372, 0.6359, 0.6387});
  add({torus(8), {}, 1, 4}, {{+0.1, 0.2}, {-0.1, 0.2}, {-0.4, 0.2}, {-1.5, 0.4}, {-6.4, 0.7}},
      {0.4004, 0.3700, 0.3716});
  add({torus(8), {}, 9, 8}, {{+0.4, 0.1}, {+0.7, 0.3}, {+0.9, 0.4}, {-0.5, 0.5}, {-8.7, 1.4}},
      {0.3523, 0.3435, 0.3450});
  add({torus(8), 4, 32}, {{-0.2, 0.3}, {-1.2, 0.3}, {-2.5, 0.5}, {-4.7, 0.8}, {-9.2, 1.4}},
      {0.3367, 0.3332, 0.3346});
  add({torus(8), 4, 5, 4}, {{+1.5, 0.2}, {+2.7, 0.3}, {+5.6, 0.4}, {+7.9, 0.4}, {+9.7, 1.0}},
      {0.5103, 0.5089, 0.5111});
  add({torus(8), 4, 20, 8}, {{+0.7, 0.3}, {+1.8, 0.4}, {+5.4, 0.4}, {+7.6, 0.5}, {+11.6, 1.6}},
      {0.4572, 0.4643, 0.4663});
  add({torus(8), 8, 1}, {{-0.3, 0.1}, {-0.7, 0.2}, {-2.4, 0.3}, {-3.9, 0.4}, {-7.2, 0.7}},
      {0.6835, 0.6819, 0.6849});
  add({torus(8), 8, 9, 4}, {{+1.1, 0.1}, {+2.4, 0.4}, {+7.2, 0.4}, {+16.9, 0.6}, {+73.2, 1.1}},
      {0.4913, 0.5224, 0.5247});
  add({torus(8), 8, 32, 8}, {{+0.2, 0.3}, {+1.4, 0.4}, {+5.4, 0.4}, {+13.5, 0.7}, {+48.4, 1.2}},
      {0.4446, 0.4643, 0.4663});
  add({fat_tree(64), {}, 20}, {{-0.3, 0.2}, {-0.3, 0.2}, {-0.8, 0.4}, {-0.9, 0.4}, {-4.2, 1.3}},
      {0.1798, 0.1800, 0.1808});
  add({fat_tree(64), {}, 1, 4}, {{+0.0, 0.1}, {+0.2, 0.1}, {+0.7, 0.2}, {+0.7, 0.3}, {+0.2, 0.6}},
      {0.1902, 0.1922, 0.1930});
  add({fat_tree(64), {}, 9, 8}, {{+0.1, 0.1}, {+0.7, 0.2}, {+2.4, 0.4}, {+4.0, 0.4}, {+7.0, 1.0}},
      {0.1878, 0.1905, 0.1913});
  add({mesh(16), {}, 5, 4}, {{+0.0, 0.1}, {-0.1, 0.2}, {-1.2, 0.3}, {-4.3, 0.4}, {-15.5, 0.9}},
      {0.1365, 0.1331, 0.1337});
  add({mesh(16), {}, 20, 8}, {{+0.1, 0.1}, {+0.0, 0.4}, {-2.1, 0.4}, {-6.1, 0.6}, {-20.8, 1.6}},
      {0.1272, 0.1258, 0.1263});
  add({mesh(16), 2, 1}, {{+0.8, 0.1}, {+2.0, 0.2}, {+3.7, 0.2}, {+4.3, 0.3}, {+4.2, 0.4}},
      {0.2040, 0.1964, 0.1973});
  add({mesh(16), 2, 9, 4}, {{+2.8, 0.2}, {+5.0, 0.3}, {+7.1, 0.4}, {+6.8, 0.4}, {+0.3, 0.8}},
      {0.1711, 0.1678, 0.1686});
  add({mesh(16), 2, 32, 8}, {{+1.9, 0.1}, {+2.8, 0.2}, {+3.2, 0.4}, {+0.9, 0.7}, {-9.8, 2.7}},
      {0.1643, 0.1599, 0.1606});
  add({mesh(16), 4, 5}, {{+0.4, 0.1}, {-0.7, 0.2}, {-2.1, 0.3}, {-2.8, 0.4}, {-6.3, 0.7}},
      {0.1938, 0.1888, 0.1897});
  add({mesh(16), 4, 20, 4}, {{-0.1, 0.3}, {-1.2, 0.3}, {-2.6, 0.4}, {-2.9, 0.4}, {-7.2, 0.9}},
      {0.1996, 0.1905, 0.1913});
  add({mesh(16), 4, 1, 8}, {{+0.1, 0.1}, {+1.0, 0.1}, {+3.9, 0.3}, {+5.7, 0.2}, {+5.6, 0.4}},
      {0.2285, 0.2268, 0.2278});
  add({mesh(16), 8, 9}, {{-0.3, 0.1}, {-1.9, 0.2}, {-3.2, 0.4}, {-2.4, 0.4}, {+3.3, 1.0}},
      {0.1867, 0.1913, 0.1922});
  add({mesh(16), 8, 32, 4}, {{-0.9, 0.1}, {-3.4, 0.4}, {-6.9, 0.5}, {-7.9, 1.1}, {-8.6, 1.6}},
      {0.1971, 0.1981, 0.1990});
  add({mesh(16), 8, 5, 8}, {{+1.5, 0.1}, {+1.7, 0.3}, {+4.6, 0.4}, {+10.5, 0.4}, {+23.4, 0.8}},
      {0.2218, 0.2339, 0.2349});
  add({fat_tree(64), 2, 32}, {{+1.0, 0.3}, {+2.5, 0.3}, {+6.2, 0.4}, {+11.1, 0.5}, {+26.3, 1.0}},
      {0.1967, 0.2043, 0.2052});
  add({fat_tree(64), 2, 5, 4}, {{+2.9, 0.1}, {+6.0, 0.2}, {+10.7, 0.2}, {+14.6, 0.3}, {+26.0, 0.7}},
      {0.2416, 0.2519, 0.2530});
  add({fat_tree(64), 2, 20, 8}, {{+2.6, 0.3}, {+6.7, 0.3}, {+14.7, 0.4}, {+23.8, 0.4}, {+53.9, 0.8}},
      {0.2310, 0.2422, 0.2433});
  add({fat_tree(64), 4, 1}, {{+0.0, 0.1}, {+0.2, 0.2}, {+0.2, 0.4}, {-0.7, 0.4}, {-4.2, 0.4}},
      {0.3281, 0.2974, 0.2987});
  add({fat_tree(64), 4, 9, 4}, {{+3.1, 0.4}, {+6.5, 0.3}, {+13.3, 0.4}, {+23.1, 0.4}, {+60.3, 0.9}},
      {0.2640, 0.2822, 0.2834});
  add({fat_tree(64), 4, 32, 8}, {{+2.3, 0.4}, {+5.7, 0.4}, {+13.6, 0.4}, {+24.8, 0.4}, {+84.1, 1.1}},
      {0.2486, 0.2725, 0.2737});
  add({fat_tree(64), 8, 5}, {{+1.7, 0.4}, {+2.5, 0.3}, {+4.7, 0.4}, {+7.6, 0.8}, {+20.3, 1.3}},
      {0.2317, 0.2380, 0.2390});
  add({fat_tree(64), 8, 20, 4}, {{+1.6, 0.2}, {+3.3, 0.4}, {+6.6, 0.4}, {+10.9, 0.6}, {+25.8, 1.3}},
      {0.2354, 0.2443, 0.2454});
  add({fat_tree(64), 8, 1, 8}, {{-0.3, 0.1}, {-0.4, 0.2}, {-0.9, 0.3}, {-1.5, 0.4}, {-3.1, 0.4}},
      {0.3091, 0.3134, 0.3148});
}

/// Routers that were not used to choose any equation, only to choose between the final ones and their
/// predecessors.
void add_drawn_routers(std::vector<AccuracyRow>& rows) {
  const auto add = [&](const MeasuredWorms& worms, std::initializer_list<Measured> points,
                       const Saturation& found) {
    add_measured(rows, worms, {50, 80}, points, found, "2026-11-28");
  };
  add({mesh(6), 3, 5, 2}, {{-0.4, 0.1}, {-1.4, 0.2}}, {0.4396, 0.4336, 0.4397});
  add({mesh(8), 5, 16, 2}, {{+0.1, 0.1}, {+2.5, 0.5}}, {0.2983, 0.3019, 0.3061});
  add({hypercube(128), 3, 9, 6}, {{-0.3, 0.1}, {+4.8, 0.3}}, {0.7329, 0.7405, 0.7509});
  add({hypercube(32), 6, 5, 2}, {{-1.4, 0.1}, {-7.2, 0.3}}, {0.6265, 0.6060, 0.6145});
  add({torus(6), 6, 5, 2}, {{+0.8, 0.1}, {+4.7, 0.2}}, {0.5440, 0.5513, 0.5590});
  add({mesh(4, 3), 3, 5, 2}, {{-0.4, 0.1}, {+0.5, 0.2}}, {0.5166, 0.5196, 0.5269});
}

/// Rows of routers with delays.
struct TimedWorms {
  std::vector<AccuracyRow>& rows;
  Percents at;

  void operator()(MeasuredWorms worms, const network::RouterTiming& timing,
                  std::initializer_list<Measured> points, const Saturation& found) const {
    worms.timing = timing;
    add_measured(rows, worms, at, points, found, "2026-11-28");
  }
};

/// Routers, links and credits with delays; two terms were chosen by these.
void add_router_times(std::vector<AccuracyRow>& rows) {
  const Percents at{30, 50, 70, 80, 90};
  const TimedWorms add{rows, at};
  add({mesh(8), {}, 20, 1}, {1, 1, 0}, {{+0.1, 0.1}, {+0.4, 0.2}, {+0.9, 0.5}, {+1.6, 1.0}, {-0.7, 2.4}},
      {0.1075, 0.1089, 0.1093});
  add({mesh(8), {}, 5, 4}, {1, 1, 1}, {{+0.1, 0.0}, {+0.1, 0.1}, {-0.4, 0.2}, {-2.0, 0.4}, {-8.8, 1.1}},
      {0.1785, 0.1796, 0.1802});
  add({mesh(8), 2, 5, 4}, {1, 1, 0}, {{+1.4, 0.0}, {+2.8, 0.1}, {+4.1, 0.1}, {+3.9, 0.2}, {-1.7, 0.7}},
      {0.3346, 0.3256, 0.3268});
  add({mesh(8), 4, 5, 4}, {1, 1, 1}, {{+0.8, 0.1}, {+1.4, 0.1}, {+3.3, 0.1}, {+6.0, 0.2}, {+13.9, 0.5}},
      {0.3619, 0.3743, 0.3756});
  add({mesh(8), 4, 5, 8}, {3, 1, 1}, {{+0.7, 0.1}, {+1.5, 0.1}, {+3.8, 0.1}, {+6.7, 0.2}, {+17.3, 0.5}},
      {0.3501, 0.3669, 0.3682});
  add({hypercube(64), 2, 16, 4}, {2, 1, 1},
      {{-0.3, 0.1}, {-1.0, 0.2}, {-2.6, 0.4}, {-4.5, 0.6}, {-10.5, 1.6}}, {0.4987, 0.4891, 0.4908});
  add({torus(8), 4, 9, 4}, {1, 1, 1}, {{+0.7, 0.1}, {+1.5, 0.1}, {+3.5, 0.2}, {+5.8, 0.3}, {+8.8, 1.1}},
      {0.4134, 0.4154, 0.4168});
  add({mesh(8), 3, 9, 2}, {2, 1, 0}, {{-1.3, 0.1}, {-3.1, 0.1}, {-6.4, 0.2}, {-10.2, 0.4}, {-20.3, 1.1}},
      {0.3024, 0.2801, 0.2811});
  add({mesh(8), 8, 32, 8}, {3, 2, 2}, {{-0.2, 0.2}, {-0.6, 0.3}, {-0.8, 0.5}, {+0.3, 0.7}, {+3.2, 1.2}},
      {0.3147, 0.3177, 0.3188});
  add({hypercube(64), {}, 32, 4}, {1, 1, 1},
      {{+0.2, 0.1}, {+0.5, 0.3}, {+1.3, 0.7}, {+2.6, 1.1}, {+4.3, 1.2}}, {0.4808, 0.4779, 0.4796});
  add({fat_tree(64), {}, 16, 2}, {1, 1, 0}, {{-0.2, 0.1}, {-0.2, 0.1}, {-0.3, 0.2}, {-0.4, 0.4}, {-2.9, 1.3}},
      {0.1704, 0.1714, 0.1720});
  add({one_way_torus(6), {}, 16, 1}, {1, 1, 0},
      {{+0.1, 0.1}, {+0.2, 0.2}, {+0.8, 0.5}, {+1.2, 0.9}, {-0.1, 2.8}}, {0.0845, 0.0864, 0.0867});
}

/// The same with settings that were not used for that choice.
void add_drawn_router_times(std::vector<AccuracyRow>& rows) {
  const Percents at{50, 80};
  const TimedWorms add{rows, at};
  add({mesh(6), 2, 9, 8}, {2, 1, 1}, {{+1.8, 0.1}, {+3.3, 0.3}}, {0.4000, 0.4015, 0.4029});
  add({hypercube(32), 4, 5, 5}, {1, 1, 1}, {{-1.2, 0.1}, {-2.5, 0.2}}, {0.6602, 0.6530, 0.6553});
  add({mesh(5), 3, 16, 6}, {3, 1, 2}, {{-0.5, 0.1}, {-0.5, 0.3}}, {0.4104, 0.4104, 0.4118});
  add({torus(6), 4, 5, 6}, {2, 1, 1}, {{+1.1, 0.0}, {+5.3, 0.2}}, {0.5154, 0.5278, 0.5297});
  add({mesh(8), {}, 9, 8}, {2, 1, 2}, {{+0.1, 0.1}, {-2.5, 0.4}}, {0.1751, 0.1755, 0.1761});
  add({mesh(8), 4, 1, 4}, {2, 1, 1}, {{+0.3, 0.0}, {+2.9, 0.1}}, {0.2310, 0.2390, 0.2398});
}

/// Common sizes and lengths: short messages and several virtual channels, small networks. 4 runs of 100 000
/// to 2 million cycles each, seed 1.
void add_common_networks(std::vector<AccuracyRow>& rows) {
  const auto add = [&](const MeasuredWorms& worms, std::initializer_list<Measured> points,
                       const Saturation& found) {
    add_measured(rows, worms, {30, 50, 70, 80, 85, 90, 95}, points, found, "2026-11-26");
  };
  add({mesh(8), 1, 5},
      {{+0.1, 0.1}, {+0.3, 0.2}, {+0.9, 0.3}, {+1.3, 0.9}, {+2.0, 1.3}, {+3.2, 2.2}, {+11.5, 6.4}},
      {0.2173, 0.2237, 0.2245});
  add({mesh(8), 2, 5}, {{+0.6, 0.1}, {+0.5, 0.2}, {+0.1, 0.3}, {-1.3, 0.5}, {-3.6, 1.2}},
      {0.2871, 0.2886, 0.2896});
  add({mesh(8), 4, 5}, {{+0.5, 0.2}, {+0.1, 0.2}, {-0.1, 0.3}, {+0.4, 0.5}, {+1.3, 0.5}},
      {0.3198, 0.3249, 0.3260});
  add({mesh(8), 8, 5}, {{+0.5, 0.2}, {+0.1, 0.2}, {-0.4, 0.3}, {-0.5, 0.6}, {+0.1, 0.8}, {+2.8, 0.9}},
      {0.3111, 0.3204, 0.3215});
  add({mesh(8), 1, 8},
      {{+0.0, 0.2}, {+0.3, 0.3}, {+0.7, 0.7}, {+1.8, 1.0}, {+1.1, 1.5}, {+1.5, 2.1}, {-2.2, 8.6}},
      {0.2143, 0.2198, 0.2206});
  add({mesh(8), 1, 16},
      {{+0.1, 0.3}, {+0.6, 0.5}, {+0.8, 0.9}, {+1.7, 1.5}, {+1.9, 2.2}, {+1.2, 3.8}, {-1.5, 6.6}},
      {0.2143, 0.2191, 0.2198});
  add({mesh(8), 2, 16}, {{+0.2, 0.2}, {+0.2, 0.3}, {+0.3, 0.5}, {+0.2, 0.8}, {-0.6, 1.3}, {-1.6, 2.1}},
      {0.2570, 0.2626, 0.2635});
  add({mesh(8), 4, 16},
      {{+0.2, 0.2}, {+0.5, 0.3}, {+1.8, 0.5}, {+4.0, 0.8}, {+7.5, 1.2}, {+13.2, 1.8}, {+31.1, 4.8}},
      {0.2772, 0.2826, 0.2836});
  add({mesh(8), 8, 16},
      {{+0.3, 0.2}, {+0.8, 0.3}, {+2.6, 0.6}, {+5.8, 0.9}, {+10.6, 1.2}, {+20.9, 1.7}, {+69.1, 4.8}},
      {0.2719, 0.2796, 0.2806});
  add({mesh(8), 3, 32},
      {{+0.0, 0.5}, {-0.8, 0.6}, {-2.3, 1.0}, {-3.2, 1.7}, {-5.7, 2.6}, {-7.0, 3.3}, {-17.1, 8.8}},
      {0.2749, 0.2729, 0.2738});
  add({mesh(4), 1, 5},
      {{+0.2, 0.2}, {+0.4, 0.3}, {+1.6, 0.7}, {+2.2, 1.4}, {+2.9, 1.8}, {+3.8, 2.9}, {+11.1, 5.3}},
      {0.4453, 0.4521, 0.4537});
  add({mesh(4), 1, 16},
      {{+0.1, 0.1}, {+0.7, 0.3}, {+2.0, 0.6}, {+3.5, 1.0}, {+3.3, 1.3}, {+4.1, 2.1}, {+3.8, 4.8}},
      {0.4453, 0.4490, 0.4505});
  add({one_way_torus(4), {}, 5},
      {{+0.3, 0.1}, {+0.9, 0.1}, {+4.0, 0.2}, {+10.4, 0.3}, {+17.9, 0.6}, {+38.8, 0.9}, no_limit},
      {0.2562, 0.2731, 0.2741});
  add({one_way_torus(4), {}, 16},
      {{+0.3, 0.1}, {+0.3, 0.2}, {+0.4, 0.4}, {+0.6, 0.7}, {+0.3, 1.0}, {+0.0, 2.1}, {-2.3, 4.2}},
      {0.2574, 0.2641, 0.2650});
  add({torus(4), {}, 5},
      {{+0.4, 0.1}, {+1.0, 0.1}, {+3.3, 0.3}, {+6.9, 0.5}, {+10.7, 0.7}, {+18.9, 1.2}, {+54.0, 2.0}},
      {0.5069, 0.5210, 0.5228});
  add({torus(4), {}, 16},
      {{+0.4, 0.1}, {+1.3, 0.2}, {+3.9, 0.3}, {+7.9, 0.5}, {+11.4, 1.0}, {+19.2, 1.4}, {+55.4, 2.8}},
      {0.5043, 0.5192, 0.5210});
  add({hypercube(64), 1, 8},
      {{+0.1, 0.1}, {+0.4, 0.2}, {+0.9, 0.5}, {+1.4, 0.9}, {+1.7, 1.2}, {+3.4, 1.6}, {+4.1, 2.6}},
      {0.4927, 0.4915, 0.4932});
  add({hypercube(64), 2, 8},
      {{-0.1, 0.1}, {-0.1, 0.2}, {-0.7, 0.5}, {-1.5, 0.8}, {-2.3, 1.2}, {-2.9, 1.0}, {-7.2, 3.1}},
      {0.4894, 0.4864, 0.4881});
}

/// docs/derivations/wormhole.md
void add_published_worms(std::vector<AccuracyRow>& rows) {
  const Worms worms{rows, MeasuredModel::wormhole_paper};
  const Percents nine{10, 20, 30, 40, 50, 60, 70, 80, 90}, five{10, 30, 50, 70, 80};
  const auto published = [&](const MeasuredWorms& each, Percents errors, const Saturation& found) {
    add_saturation(worms.of_model(each, nine, errors), found);
  };
  published({fat_tree(64), {}, 16}, {-0.1, -0.2, -0.3, -0.2, -0.2, +0.3, +1.4, +4.4, +16.3},
            {0.1599, 0.1808, 0.1821});
  published({fat_tree(1024), {}, 16}, {-0.1, -0.2, -0.3, -0.3, -0.2, +0.1, +1.1, +3.8, +13.4},
            {0.0391, 0.0442, 0.0445});
  published({mesh(8), {}, 32}, {-0.0, -0.1, -0.3, -0.6, -0.8, -1.0, -0.9, -0.1, +6.9},
            {0.1886, 0.2193, 0.2209});
  published({mesh(16), {}, 32}, {-0.0, -0.0, -0.2, -0.4, -0.7, -1.0, -1.4, -1.4, +1.9},
            {0.0855, 0.1002, 0.1009});
  published({one_way_torus(8), {}, 20}, {+0.1, +0.1, +0.3, +0.4, +0.7, +1.2, +2.4, +5.1, +13.0},
            {0.0789, 0.1012, 0.1019});
  published({torus(8), {}, 20}, {-0.0, -0.1, -0.3, -0.5, -0.8, -1.0, -1.4, -1.1, +1.3},
            {0.2483, 0.2790, 0.2809});
  published({hypercube(64), {}, 32}, {-0.1, -0.3, -0.6, -1.1, -1.9, -3.0, -4.0, -4.4, -0.7},
            {0.4807, 0.4897, 0.4932});
  worms.of_model({mesh(8, 2, one_unlimited), {}, 32}, five, {-0.0, -0.3, -0.7, -0.8, +0.5});
  worms.of_model({one_way_torus(8, 2, one_unlimited), {}, 20}, five, {+0.1, +0.3, +0.7, +2.3, +5.1});
  worms.of_model({torus(8, 2, one_unlimited), {}, 20}, five, {-0.0, -0.2, -0.7, -1.2, -1.0});
  worms.of_model({hypercube(64, one_unlimited), {}, 32}, five, {-0.0, -0.4, -1.6, -3.6, -4.4});
  worms.of_model({hypercube(64, ports_one), {}, 32}, five, {-0.1, -0.4, -1.3, -2.3, -2.2});
  worms.of_model({hypercube(64, network::all_port), {}, 32}, five, {-0.0, -0.4, -1.4, -3.3, -3.4});
  worms.of_model({hypercube(64), 2, 32}, five, {+0.0, +0.0, +0.5, +3.5, +9.6});
  worms.of_model({hypercube(64, one_unlimited), 2, 32}, five, {+0.3, +1.7, +5.5, +15.9, +29.3});
  worms.of_model({hypercube(64, ports_one), 2, 32}, five, {+0.2, +1.2, +4.2, +13.5, +25.4});
  worms.of_model({hypercube(64, network::all_port), 2, 32}, five, {+1.2, +8.1, +14.7, +16.5, +17.6});
  worms.of_model({mesh(8), 2, 32}, {10, 30, 50, 70}, {+0.7, +4.0, +11, +24});
}

// --- broadcasts in hypercubes: docs/derivations/broadcast.md

struct HypercubeErrors {
  Measured unicast, broadcast;  ///< [%]
};
constexpr Measured none{std::numeric_limits<double>::quiet_NaN(), 0};  ///< no such messages were sent

/// Measured at multiples of one rate.
/// \param step   that rate [% of the saturation rate]
/// \param times  the multiples
void add_hypercube(std::vector<AccuracyRow>& rows, const BroadcastHypercube& hypercube, double step,
                   std::initializer_list<int> times, const std::vector<HypercubeErrors>& points) {
  AccuracyRow& row = rows.emplace_back(row_of(MeasuredModel::broadcast,
                                              "hypercube of " + std::to_string(hypercube.nodes()) + " nodes",
                                              accuracy_settings(hypercube), RowLoads::model));
  for (const auto& [quantity, measured] :
       {std::pair{Quantity::mean_latency, &HypercubeErrors::unicast},
        std::pair{Quantity::broadcast_latency, &HypercubeErrors::broadcast}})
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto& [error, half_width] = points[i].*measured;
      if (std::isnan(error)) continue;
      row.errors.push_back(
          {quantity, step * times.begin()[i] / 100, (error - half_width) / 100, (error + half_width) / 100});
    }
}

void add_all_port(std::vector<AccuracyRow>& rows) {
  const auto add = [&](const BroadcastHypercube& hypercube, double step,
                       const std::vector<HypercubeErrors>& points) {
    add_hypercube(rows, hypercube, step, {1, 2, 3, 4}, points);
  };
  const auto percent = [](long count) { return numeric::Rational(count) / 100; };
  add({6, 4, 32, percent(1)}, 14.76,
      {{{+0.3}, {-0.4}}, {{+0.4}, {-0.5}}, {{+0.5}, {+0.3}}, {{+1.1}, {+1.5}}});
  add({8, 4, 64, percent(1)}, 14.34,
      {{{-0.4}, {+0.7}}, {{-1.1}, {+1.3}}, {{-1.6}, {+1.5}}, {{-1.6}, {+2.1}}});
  add({6, 4, 100, percent(2)}, 14.98,
      {{{+0.1}, {+0.4}}, {{-0.5}, {-0.0}}, {{-0.7}, {+0.4}}, {{-0.9}, {+0.8}}});
  add({8, 4, 32, percent(3)}, 11.97,
      {{{-0.3}, {+2.8}}, {{-1.9}, {+4.4}}, {{-4.3}, {+4.7}}, {{-6.2}, {+4.4}}});
}

/// 64 nodes with other numbers of virtual channels, 32 flits, 1 % broadcasts: 4 runs of 120 000 cycles, seed
/// 1.
void add_more_channels(std::vector<AccuracyRow>& rows) {
  const auto add = [&](std::int64_t channels, double step, const std::vector<HypercubeErrors>& points) {
    add_hypercube(rows, {6, channels, 32, numeric::Rational(1) / 100}, step, {1, 2, 3, 4}, points);
    rows.back().measured = "2026-11-26";
  };
  add(2, 15.57,
      {{{+0.2, 0.4}, {+0.2, 0.6}},
       {{-0.1, 0.4}, {+0.2, 0.6}},
       {{-0.2, 0.4}, {+0.1, 0.7}},
       {{+0.7, 0.6}, {+1.3, 0.9}}});
  add(3, 14.69,
      {{{+0.6, 0.4}, {+0.2, 0.7}},
       {{+0.7, 0.5}, {+0.2, 0.6}},
       {{+0.5, 0.5}, {+0.4, 0.8}},
       {{+0.9, 0.6}, {+1.2, 0.9}}});
  add(6, 16.27,
      {{{+0.6, 0.4}, {+0.1, 0.8}},
       {{+0.9, 0.5}, {-0.1, 0.8}},
       {{+1.9, 0.6}, {+1.0, 0.8}},
       {{+3.8, 0.8}, {+4.2, 1.3}}});
  add(8, 17.86,
      {{{+0.6, 0.4}, {+0.1, 0.6}},
       {{+1.1, 0.5}, {-0.2, 0.9}},
       {{+2.2, 0.6}, {+1.2, 0.9}},
       {{+5.3, 1.0}, {+6.2, 1.5}}});
}

/// Saturation rates [messages/cycle/node] of networks in the table.
void add_saturation_rates(std::vector<AccuracyRow>& rows) {
  const auto add = [&](const BroadcastHypercube& hypercube, double model, double stable, double unstable) {
    const Accuracy found =
        accuracy({.model = MeasuredModel::broadcast, .settings = accuracy_settings(hypercube)}, rows);
    for (AccuracyRow& row : rows)
      if (found.rows.size() == 1 && &row == found.rows.front())
        add_saturation(row, {model, stable, unstable});
  };
  const numeric::Rational percent = numeric::Rational(1) / 100;
  add({6, 4, 32, percent}, 0.0320, 0.0326, 0.0331);
  add({6, 6, 32, percent}, 0.0333, 0.0325, 0.0330);
  add({6, 2, 32, percent}, 0.0235, 0.0282, 0.0286);
  add({6, 2, 32, 0}, 0.0263, 0.0327, 0.0332);
  add({8, 4, 64, percent}, 0.01268, 0.0127, 0.0129);
  add({8, 4, 64, 0}, 0.0167, 0.0188, 0.0190);
}

/// Each of the four ends.
void add_ends(std::vector<AccuracyRow>& rows) {
  struct Ends {
    WormEnds ends;
    double step = 0;  ///< as in add_hypercube()
    std::vector<HypercubeErrors> errors;
  };
  const auto add = [&](BroadcastHypercube hypercube, const std::vector<Ends>& all) {
    for (const Ends& each : all) {
      hypercube.ends = each.ends;
      add_hypercube(rows, hypercube, each.step, {1, 4, 7}, each.errors);
    }
  };
  const WormEnds one_one{}, all_port = network::all_port;
  const auto percent = [](long count) { return numeric::Rational(count) / 100; };
  add({6, 2, 32, 0}, {{one_one, 9.271, {{{-0.0}, none}, {{+0.4}, none}, {{+3.5}, none}}},
                      {one_unlimited, 8.993, {{{+0.2}, none}, {{+0.0}, none}, {{+0.1}, none}}},
                      {ports_one, 9.616, {{{-0.0}, none}, {{+0.4}, none}, {{+4.8}, none}}},
                      {all_port, 8.068, {{{+0.1}, none}, {{-0.2}, none}, {{+0.0}, none}}}});
  add({6, 4, 32, percent(1)}, {{one_one, 8.64, {{{+0.4}, {+5.5}}, {{+1.2}, {+8.2}}, {{+5.4}, {+12.9}}}},
                               {one_unlimited, 8.374, {{{+0.4}, {+5.9}}, {{+1.4}, {+8.0}}, {{+3.4}, {+8.9}}}},
                               {ports_one, 9.937, {{{+0.1}, {+0.9}}, {{+0.9}, {+4.6}}, {{+6.0}, {+12.8}}}}});
  add({8, 4, 64, 0}, {{one_one, 9.971, {{{+0.1}, none}, {{+0.7}, none}, {{+4.8}, none}}},
                      {one_unlimited, 9.777, {{{+0.0}, none}, {{+0.2}, none}, {{+1.3}, none}}},
                      {ports_one, 11.18, {{{+0.1}, none}, {{+0.5}, none}, {{+6.5}, none}}},
                      {all_port, 8.396, {{{-0.1}, none}, {{-0.7}, none}, {{+0.4}, none}}}});
  add({4, 3, 16, percent(2)}, {{one_one, 7.617, {{{+0.1}, {+0.9}}, {{+0.1}, {+2.7}}, {{+2.2}, {+5.9}}}},
                               {one_unlimited, 7.502, {{{+0.4}, {+1.0}}, {{+1.1}, {+3.5}}, {{+3.1}, {+5.8}}}},
                               {ports_one, 8.57, {{{-0.1}, {-0.2}}, {{+0.4}, {+0.6}}, {{+3.3}, {+5.6}}}},
                               {all_port, 6.525, {{{+0.3}, {-0.1}}, {{+1.2}, {-0.1}}, {{+1.4}, {+0.6}}}}});
  add({6, 4, 100, percent(2)},
      {{one_one, 8.756, {{{+0.5}, {+8.1}}, {{+2.4}, {+13.0}}, {{+8.6}, {+19.1}}}},
       {one_unlimited, 8.472, {{{+0.6}, {+8.0}}, {{+2.2}, {+11.1}}, {{+5.3}, {+13.4}}}},
       {ports_one, 9.883, {{{-0.1}, {+1.6}}, {{+1.3}, {+6.9}}, {{+7.1}, {+15.8}}}}});
  add({8, 2, 32, numeric::Rational(5) / 1000},
      {{one_one, 9.474, {{{+0.6}, {+12.9}}, {{+2.3}, {+14.6}}, {{+9.5}, {+19.0}}}},
       {one_unlimited, 9.053, {{{+0.8}, {+12.1}}, {{+1.6}, {+11.0}}, {{+3.7}, {+10.7}}}},
       {ports_one, 10.09, {{{+0.1}, {+2.4}}, {{+0.6}, {+9.3}}, {{+6.1}, {+19.4}}}},
       {all_port, 8.411, {{{+0.2}, {+0.6}}, {{-0.6}, {+0.5}}, {{+0.1}, {+1.8}}}}});
  add({6, 4, 32, percent(10)},
      {{one_one, 8.388, {{{+1.2}, {+13.0}}, {{+4.6}, {+22.4}}, {{+15.1}, {+33.1}}}},
       {one_unlimited, 7.843, {{{+1.0}, {+13.3}}, {{+4.7}, {+19.0}}, {{+9.9}, {+23.0}}}},
       {ports_one, 9.357, {{{+0.1}, {+2.9}}, {{+2.9}, {+14.5}}, {{+13.0}, {+35.0}}}},
       {all_port, 6.127, {{{+0.3}, {+1.3}}, {{-1.1}, {+4.2}}, {{-4.1}, {+5.1}}}}});
  add({3, 2, 24, 1}, {{one_one, 7.781, {{none, {+2.0}}, {none, {+9.3}}, {none, {+19.6}}}},
                      {one_unlimited, 7.142, {{none, {+1.4}}, {none, {+6.2}}, {none, {+9.9}}}},
                      {ports_one, 7.606, {{none, {+1.2}}, {none, {+6.4}}, {none, {+17.9}}}},
                      {all_port, 4.448, {{none, {+0.8}}, {none, {+3.6}}, {none, {+6.6}}}}});
}

// --- hot spots: docs/derivations/multistage.md

/// Loads 0.1, 0.2 .. 1; below saturation without combining, where it comes early, 0.04, 0.06 .. up to the
/// highest saturation load of the row.
MeasuredSetting multistage_loads(network::Links links, double switch_size, bool combining, bool saturated) {
  if (combining || saturated) return {Setting::load, 0.1, 1};
  return {Setting::load, 0.04, links == network::Links::one ? 0.28 : switch_size == 2 ? 0.44 : 0.62};
}

/// Hot fractions of 0.04, 0.08 and 0.16; combining degrees 2, 4 and unlimited, or none.
AccuracyRow multistage_row(double nodes, network::Links links, const MeasuredSetting& switch_size,
                           const MeasuredSetting& buffer, bool combining, bool saturated) {
  return {.model = MeasuredModel::multistage,
          .network = std::to_string(static_cast<int>(nodes)) + " processors",
          .settings = {{Setting::nodes, nodes, nodes},
                       switch_size,
                       buffer,
                       {Setting::hot, 0.04, 0.16},
                       {Setting::combining, combining ? 2.0 : 1.0, combining ? unlimited : 1.0},
                       {Setting::links, static_cast<double>(links), static_cast<double>(links)},
                       multistage_loads(links, switch_size.from, combining, saturated),
                       {Setting::saturated, saturated ? 1.0 : 0.0, saturated ? 1.0 : 0.0}},
          .loads = RowLoads::none,
          .errors = {},
          .measured = first_version};
}

/// N = 64, 4 runs of 6 000 slots after 3 000 each, seed 7; saturation as determined by the model. Ranges with
/// 95 % intervals.
void add_multistage_64(std::vector<AccuracyRow>& rows) {
  struct Cell {
    bool combining, saturated;
    double switch_size, buffer;
    std::array<double, 2> delay, throughput;  // [%]
  };
  const auto add = [&](network::Links links, std::initializer_list<Cell> cells) {
    for (const Cell& cell : cells) {
      AccuracyRow& row = rows.emplace_back(
          multistage_row(64, links, {Setting::switch_size, cell.switch_size, cell.switch_size},
                         {Setting::buffer, cell.buffer, cell.buffer}, cell.combining, cell.saturated));
      row.errors = {{Quantity::mean_delay, 0, cell.delay[0] / 100, cell.delay[1] / 100},
                    {Quantity::throughput, 0, cell.throughput[0] / 100, cell.throughput[1] / 100}};
      const bool first = links == network::Links::any && (cell.combining || cell.saturated);
      row.measured = first ? "2026-11-26" : "2026-11-28";
    }
  };
  add(network::Links::any,
      {{false, false, 2, 2, {-22.8, 26.9}, {-0.8, 1.4}}, {false, false, 2, 4, {-27.2, -0.0}, {-0.9, 1.5}},
       {false, false, 2, 8, {-30.9, 0.0}, {-0.9, 1.3}},  {false, false, 4, 2, {-18.1, 0.0}, {-0.7, 3.1}},
       {false, false, 4, 4, {-26.2, 34.5}, {-0.7, 2.9}}, {false, false, 4, 8, {-31.5, 58.6}, {-0.7, 2.0}},
       {false, true, 2, 2, {-0.7, 57.1}, {-4.2, 0.7}},   {false, true, 2, 4, {-1.7, 75.7}, {-2.2, 1.6}},
       {false, true, 2, 8, {-1.8, 70.8}, {-1.6, 1.9}},   {false, true, 4, 2, {-1.6, 8.9}, {-1.4, 3.5}},
       {false, true, 4, 4, {-1.9, 19.6}, {-1.0, 0.9}},   {false, true, 4, 8, {-1.6, 20.3}, {-1.0, 1.4}},
       {true, false, 2, 2, {-4.4, -0.1}, {-0.7, 0.9}},   {true, false, 2, 4, {-2.7, 2.2}, {-0.7, 1.2}},
       {true, false, 2, 8, {-3.3, 6.2}, {-0.7, 0.6}},    {true, false, 4, 2, {-2.7, -0.0}, {-0.7, 1.2}},
       {true, false, 4, 4, {-4.7, 0.2}, {-0.7, 1.6}},    {true, false, 4, 8, {-8.1, 1.8}, {-0.7, 1.9}},
       {true, true, 2, 2, {-6.6, 4.1}, {0.1, 5.0}},      {true, true, 2, 4, {-2.7, 8.4}, {-1.7, 1.9}},
       {true, true, 2, 8, {0.8, 10.8}, {-1.9, 1.1}},     {true, true, 4, 2, {-3.2, 0.5}, {0.5, 3.3}},
       {true, true, 4, 4, {-2.3, 1.5}, {0.1, 2.5}},      {true, true, 4, 8, {-1.2, 2.8}, {-0.1, 2.3}}});
  add(network::Links::one,
      {{false, false, 2, 2, {-24.1, 93.6}, {-1.1, 1.3}},  {false, false, 2, 4, {-28.0, 186.1}, {-1.0, 1.3}},
       {false, false, 2, 8, {-27.2, 302.3}, {-0.9, 1.3}}, {false, false, 4, 2, {-30.1, 0.1}, {-0.7, 2.6}},
       {false, false, 4, 4, {-36.0, 0.1}, {-0.9, 1.3}},   {false, false, 4, 8, {-40.0, 0.1}, {-0.9, 1.3}},
       {false, true, 2, 2, {-2.0, 66.2}, {-4.6, 1.9}},    {false, true, 2, 4, {-2.6, 80.5}, {-3.7, 2.5}},
       {false, true, 2, 8, {-1.7, 71.5}, {-3.5, 1.7}},    {false, true, 4, 2, {-2.4, 46.1}, {-2.4, 2.3}},
       {false, true, 4, 4, {-2.1, 80.1}, {-2.7, 2.3}},    {false, true, 4, 8, {-2.4, 92.6}, {-2.4, 2.7}},
       {true, false, 2, 2, {-8.6, 5.6}, {-0.7, 3.9}},     {true, false, 2, 4, {-7.6, 5.0}, {-0.7, 1.7}},
       {true, false, 2, 8, {-11.7, 6.0}, {-0.7, 1.0}},    {true, false, 4, 2, {-15.0, -0.0}, {-0.7, 7.0}},
       {true, false, 4, 4, {-13.1, 1.2}, {-0.7, 2.7}},    {true, false, 4, 8, {-18.9, 6.3}, {-0.7, 3.4}},
       {true, true, 2, 2, {-6.5, 11.2}, {-4.1, 4.2}},     {true, true, 2, 4, {-9.5, 11.5}, {-6.2, 2.2}},
       {true, true, 2, 8, {-12.1, 10.4}, {-5.3, 0.6}},    {true, true, 4, 2, {-5.8, 5.8}, {-0.1, 8.1}},
       {true, true, 4, 4, {-6.3, 7.8}, {-1.6, 5.8}},      {true, true, 4, 8, {-7.7, 8.2}, {-1.2, 4.7}}});
}

/// N = 256, runs of 6 000 slots: the worst errors.
void add_multistage_256(std::vector<AccuracyRow>& rows) {
  struct Grid {
    double switch_size, buffer;
    /// Worst errors [%]: of delays with combining below saturation, of throughputs without it in saturation.
    double delay, throughput;
  };
  const auto add = [&](double switch_size, double buffer, bool combining, Quantity quantity, double worst) {
    AccuracyRow& row = rows.emplace_back(
        multistage_row(256, network::Links::any, {Setting::switch_size, switch_size, switch_size},
                       {Setting::buffer, buffer, buffer}, combining, !combining));
    row.errors = {{quantity, 0, -worst / 100, worst / 100}};
  };
  for (const Grid& grid : {Grid{2, 2, 6.1, 2.7}, Grid{2, 4, 2.9, 2.0}, Grid{2, 8, 7.4, 1.6},
                           Grid{4, 2, 4.7, 1.0}, Grid{4, 4, 7.2, 1.3}, Grid{4, 8, 7.0, 1.2}}) {
    add(grid.switch_size, grid.buffer, true, Quantity::mean_delay, grid.delay);
    add(grid.switch_size, grid.buffer, false, Quantity::throughput, grid.throughput);
  }
}

// --- delays: docs/derivations/dependent_hops.md, bursty_queue.md, fabrics.md

/// Ratio simulated / computed P(D > t), with half its 95 % interval, at a computed probability.
struct TailRatio {
  double probability = 0, ratio = 1, half_width = 0.005;
};

/// From both probabilities, and the half-width of the simulated one.
TailRatio ratio(double computed, double simulated, double half_width) {
  return {computed, simulated / computed, half_width / computed};
}

MeasuredError error_of(const TailRatio& tail) {
  return {Quantity::tail, tail.probability, 1 / (tail.ratio + tail.half_width) - 1,
          1 / (tail.ratio - tail.half_width) - 1};
}

TreeTopology tree(std::int64_t radix, int levels, long percent,
                  network::TreeRouting routing = network::TreeRouting::random_root) {
  return {.tree = {radix, levels}, .load = numeric::Rational(percent) / 100, .routing = routing};
}

void add_tree(std::vector<AccuracyRow>& rows, MeasuredModel model, const TreeTopology& tree,
              const std::vector<TailRatio>& tails) {
  AccuracyRow row =
      row_of(model, std::to_string(tree.tree.radix) + "-ary " + std::to_string(tree.tree.levels) + "-tree",
             accuracy_settings(tree), RowLoads::none);
  for (const TailRatio& tail : tails) row.errors.push_back(error_of(tail));
  rows.push_back(std::move(row));
}

void add_chains(std::vector<AccuracyRow>& rows) {
  using enum network::TreeRouting;
  const auto add = [&](const TreeTopology& each, const std::vector<TailRatio>& tails) {
    add_tree(rows, MeasuredModel::delay_chain, each, tails);
  };
  /// Near 1e-2, 1e-4 and 1e-6.
  const auto add_three = [&](const TreeTopology& each, double first, double second, double third,
                             double width = 0.005) {
    add(each, {{1e-2, first}, {1e-4, second}, {1e-6, third, width}});
  };
  add(tree(16, 2, 95), {{0.5, 1.000},
                        {1e-1, 0.999},
                        {1e-2, 0.99, 0.01},
                        {1e-3, 0.99, 0.02},
                        {1e-4, 1.00, 0.06},
                        {1e-5, 0.99, 0.14},
                        {1e-6, 0.93, 0.24},
                        {1e-7, 0.84, 0.29}});
  add(tree(2, 4, 60), {{0.5, 0.974},
                       {1e-1, 0.991},
                       {1e-2, 1.005},
                       {1e-3, 1.017},
                       {1e-4, 1.02, 0.01},
                       {1e-5, 1.02, 0.02},
                       {1e-6, 0.99, 0.06},
                       {1e-7, 0.96, 0.17}});
  add(tree(4, 3, 70, nearest_ancestor), {{0.5, 0.995},
                                         {1e-1, 0.989},
                                         {1e-2, 0.985},
                                         {1e-3, 0.980},
                                         {1e-4, 0.97, 0.01},
                                         {1e-5, 0.96, 0.02},
                                         {1e-6, 0.96, 0.07},
                                         {1e-7, 1.06, 0.34}});
  add(tree(8, 2, 90, nearest_ancestor), {{0.5, 0.999},
                                         {1e-1, 0.996},
                                         {1e-2, 0.992},
                                         {1e-3, 0.99, 0.01},
                                         {1e-4, 0.99, 0.03},
                                         {1e-5, 1.02, 0.12},
                                         {1e-6, 1.04, 0.44}});
  add(tree(32, 2, 85), {{0.5, 1.000},
                        {1e-1, 1.000},
                        {1e-2, 0.999},
                        {1e-3, 1.00, 0.01},
                        {1e-4, 0.99, 0.02},
                        {1e-5, 0.97, 0.04},
                        {1e-6, 0.92, 0.09},
                        {1e-7, 0.87, 0.19}});
  add(tree(64, 2, 80), {{0.5, 1.000},
                        {1e-1, 1.000},
                        {1e-2, 1.001},
                        {1e-3, 1.00, 0.01},
                        {1e-4, 1.01, 0.01},
                        {1e-5, 1.00, 0.03},
                        {1e-6, 0.98, 0.08},
                        {1e-7, 0.90, 0.13}});
  add(tree(2, 5, 40), {{0.5, 0.967},
                       {1e-1, 1.007},
                       {1e-2, 1.115},
                       {1e-3, 1.196},
                       {1e-4, 1.28, 0.01},
                       {1e-5, 1.37, 0.02},
                       {1e-6, 1.61, 0.11},
                       {1e-7, 1.77, 0.33}});
  add(tree(4, 5, 90), {{0.5, 0.985},
                       {1e-1, 0.966},
                       {1e-2, 0.947},
                       {1e-3, 0.93, 0.01},
                       {1e-4, 0.92, 0.02},
                       {1e-5, 0.90, 0.04},
                       {1e-6, 0.85, 0.08},
                       {1e-7, 0.90, 0.20}});
  add_three(tree(2, 2, 80), 0.97, 0.90, 0.89, 0.11);
  add_three(tree(2, 3, 50), 1.01, 0.98, 0.86, 0.04);
  add_three(tree(2, 3, 80), 0.95, 0.87, 0.79, 0.07);
  add_three(tree(2, 3, 90), 0.94, 0.86, 0.93, 0.29);
  add_three(tree(2, 5, 70), 0.97, 0.99, 1.09, 0.10);
  add_three(tree(4, 2, 80), 0.98, 0.93, 0.88, 0.10);
  add_three(tree(4, 3, 60), 0.98, 0.95, 0.89, 0.04);
  add_three(tree(4, 3, 80), 0.97, 0.94, 0.93, 0.04);
  add_three(tree(4, 3, 90), 0.97, 0.92, 1.02, 0.16);
  add_three(tree(4, 4, 80), 0.96, 0.94, 0.95, 0.07);
  add_three(tree(8, 2, 90), 0.99, 0.97, 1.15, 0.36);
  add_three(tree(8, 3, 50), 1.00, 0.98, 0.98, 0.05);
  add_three(tree(8, 3, 80), 0.99, 0.98, 1.00, 0.08);
  add_three(tree(16, 2, 60), 1.00, 0.99, 0.97, 0.06);
  add_three(tree(16, 3, 60), 1.00, 0.99, 0.98, 0.05);
  add_three(tree(16, 3, 80), 1.00, 0.99, 1.00, 0.03);
  add_three(tree(16, 3, 90), 1.00, 1.00, 0.95, 0.07);
}

void add_independent_hops(std::vector<AccuracyRow>& rows) {
  using enum network::TreeRouting;
  const auto add = [&](const TreeTopology& each, const std::vector<TailRatio>& tails) {
    add_tree(rows, MeasuredModel::delay_independent, each, tails);
  };
  add(tree(16, 2, 95), {{0.5, 0.967},
                        {1e-1, 0.957},
                        {1e-2, 0.97, 0.01},
                        {1e-3, 1.00, 0.02},
                        {1e-4, 1.04, 0.06},
                        {1e-5, 1.08, 0.15},
                        {1e-6, 1.06, 0.28},
                        {1e-7, 0.98, 0.34}});
  add(tree(2, 4, 60), {{0.5, 0.695},
                       {1e-1, 0.420},
                       {1e-2, 0.365},
                       {1e-3, 0.390},
                       {1e-4, 0.471},
                       {1e-5, 0.68, 0.01},
                       {1e-6, 0.93, 0.05},
                       {1e-7, 1.34, 0.23}});
  add(tree(4, 3, 70, nearest_ancestor), {{0.5, 0.879},
                                         {1e-1, 0.775},
                                         {1e-2, 0.787},
                                         {1e-3, 0.867},
                                         {1e-4, 0.99, 0.01},
                                         {1e-5, 1.11, 0.02},
                                         {1e-6, 1.32, 0.10},
                                         {1e-7, 1.74, 0.56}});
  add(tree(8, 2, 90, nearest_ancestor), {{0.5, 0.958},
                                         {1e-1, 0.948},
                                         {1e-2, 0.957},
                                         {1e-3, 0.96, 0.01},
                                         {1e-4, 0.96, 0.03},
                                         {1e-5, 1.00, 0.12},
                                         {1e-6, 1.02, 0.43}});
  add(tree(32, 2, 85), {{0.5, 0.983},
                        {1e-1, 0.978},
                        {1e-2, 0.987},
                        {1e-3, 1.00, 0.01},
                        {1e-4, 1.02, 0.02},
                        {1e-5, 1.01, 0.05},
                        {1e-6, 0.99, 0.10},
                        {1e-7, 0.96, 0.19}});
  add(tree(64, 2, 80), {{0.5, 0.991},
                        {1e-1, 0.989},
                        {1e-2, 0.994},
                        {1e-3, 1.01, 0.01},
                        {1e-4, 1.02, 0.01},
                        {1e-5, 1.02, 0.03},
                        {1e-6, 1.02, 0.08},
                        {1e-7, 0.94, 0.13}});
  add(tree(2, 5, 40), {{0.5, 0.655},
                       {1e-1, 0.413},
                       {1e-2, 0.287},
                       {1e-3, 0.280},
                       {1e-4, 0.314},
                       {1e-5, 0.39, 0.01},
                       {1e-6, 0.70, 0.05},
                       {1e-7, 1.11, 0.21}});
  add(tree(4, 5, 90), {{0.5, 0.758},
                       {1e-1, 0.604},
                       {1e-2, 0.564},
                       {1e-3, 0.59, 0.01},
                       {1e-4, 0.67, 0.02},
                       {1e-5, 0.78, 0.03},
                       {1e-6, 0.91, 0.09},
                       {1e-7, 1.22, 0.27}});
  // 10^7 to 10^8 packets each, seed 1; intervals of 99.69 %.
  add(tree(16, 3, 80), {ratio(0.4694277, 0.4456, 0.0011), ratio(0.08312846, 0.07705, 0.00069),
                        ratio(0.008780576, 0.00825, 0.00012), ratio(0.0009659335, 0.000932, 3.1e-05),
                        ratio(9.193703e-05, 9.6e-05, 1.6e-05), ratio(7.898420e-6, 9.4e-06, 3.1e-06)});
  add(tree(4, 3, 80), {ratio(0.4233914, 0.3331, 0.0011), ratio(0.08372336, 0.06036, 0.00054),
                       ratio(0.007857247, 0.00587, 0.00014), ratio(0.0007703371, 0.000635, 3.4e-05),
                       ratio(9.345779e-05, 8.6e-05, 1e-05), ratio(7.241508e-6, 8.6e-06, 2.6e-06)});
  add(tree(16, 3, 60), {ratio(0.4733793, 0.45111, 0.00042), ratio(0.07097836, 0.06569, 0.00023),
                        ratio(0.005857618, 0.005493, 5.5e-05), ratio(0.0007226673, 0.000698, 1.6e-05),
                        ratio(7.873173e-05, 7.93e-05, 4.7e-06), ratio(7.835309e-6, 8e-06, 1.3e-06)});
  for (std::size_t i = rows.size() - 3; i < rows.size(); ++i) rows[i].measured = "2026-11-26";
}

/// Hops of bursty sources, with dependence between them.
void add_dependent_bursts(std::vector<AccuracyRow>& rows) {
  constexpr double widest = 0.25;  // wider intervals say little about the model
  for (const auto& [of, chain, safe] : burst_measurements()) {
    TreeTopology its = tree(of.radix, of.levels, of.load, of.routing);
    its.burst = traffic::Burst{.slots = of.burst, .on_rate = numeric::Rational(of.on_rate) / 100};
    its.destination = of.destination;
    const auto add = [&](MeasuredModel model, const std::vector<double>& ratios) {
      std::vector<TailRatio> tails;
      for (std::size_t i = 0; i + 1 < ratios.size(); i += 2)
        if (ratios[i + 1] < widest * ratios[i])
          tails.push_back({measured_tails[i / 2], ratios[i], ratios[i + 1]});
      if (tails.empty()) return;
      add_tree(rows, model, its, tails);
      rows.back().measured = "2026-11-27";
    };
    add(MeasuredModel::delay_chain, chain);
    add(MeasuredModel::delay_safe, safe);
  }
}

/// Hops of bursty sources, added as independent.
void add_bursts(std::vector<AccuracyRow>& rows) {
  using enum traffic::Destination;
  const auto add = [&](TreeTopology each, traffic::Destination destination,
                       const std::vector<TailRatio>& tails) {
    each.burst = traffic::Burst{.slots = 16};
    each.destination = destination;
    add_tree(rows, MeasuredModel::delay_independent, each, tails);
  };
  add(tree(4, 3, 60), per_packet,
      {{0.35, 0.784},
       {0.096, 0.755},
       {0.021, 0.791},
       {2.2e-3, 0.903},
       {6.8e-4, 0.978, 0.021},
       {6.1e-5, 1.15, 0.05},
       {9.7e-6, 1.24, 0.10},
       {8.1e-7, 1.32, 0.35}});
  add(tree(16, 3, 60), per_packet,
      {{0.49, 0.953},
       {0.13, 0.929},
       {0.025, 0.929},
       {2.0e-3, 0.956},
       {5.3e-4, 0.976, 0.017},
       {6.5e-5, 1.01, 0.04},
       {7.5e-6, 1.05, 0.11},
       {8.3e-7, 1.16, 0.31}});
  add(tree(4, 3, 60), per_burst,
      {{0.49, 0.623},
       {0.20, 0.554},
       {0.10, 0.543},
       {9.8e-3, 0.600, 0.009},
       {9.8e-4, 0.75, 0.03},
       {9.9e-5, 0.99, 0.09},
       {1.0e-5, 1.27, 0.25},
       {1.0e-6, 1.56, 0.71}});
  add(tree(16, 2, 60), per_burst,
      {{0.49, 0.830},
       {0.20, 0.798},
       {0.10, 0.798},
       {9.8e-3, 0.85, 0.02},
       {9.8e-4, 0.91, 0.05},
       {9.9e-5, 0.98, 0.16},
       {1.0e-5, 1.11, 0.59}});
}

void add_fabrics(std::vector<AccuracyRow>& rows) {
  /// P(D > t) computed and simulated, with the half-width at 99.69 %.
  using Tail = std::array<double, 3>;
  const auto add = [&](MeasuredFabric fabric, std::string name, double hosts, double load,
                       const std::vector<Tail>& tails, double mean, double simulated_mean) {
    AccuracyRow& row = rows.emplace_back();
    row.model = MeasuredModel::delay_fabric;
    row.network = std::move(name);
    row.settings = {{Setting::fabric, static_cast<double>(fabric), static_cast<double>(fabric)},
                    {Setting::nodes, hosts, hosts},
                    {Setting::load, load, load}};
    for (const auto& [computed, simulated, half_width] : tails)
      row.errors.push_back(error_of(ratio(computed, simulated, half_width)));
    row.errors.push_back({Quantity::mean_delay, 0, mean / simulated_mean - 1, mean / simulated_mean - 1});
    row.measured = first_version;
  };
  add(MeasuredFabric::fat_tree, "fat-tree, radix 26, 3 levels", 4394, 0.8,
      {{0.4813, 0.4557, 0.0042},
       {0.1657, 0.1532, 0.0033},
       {0.09922, 0.0913, 0.0026},
       {0.02372, 0.0219, 0.0011},
       {0.009296, 0.00872, 0.00065},
       {0.002492, 0.0024, 0.00026},
       {0.0008914, 0.00088, 0.00013},
       {7.308e-05, 7.8e-05, 2.9e-05}},
      8.9820, 8.706);
  add(MeasuredFabric::leaf_spine, "leaf-spine, 64 leaves, 64 spines", 4096, 0.8,
      {{0.4367, 0.4325, 0.0019},
       {0.1991, 0.1962, 0.0018},
       {0.08035, 0.0788, 0.0012},
       {0.02994, 0.02921, 0.00052},
       {0.007385, 0.00716, 0.0003},
       {0.002471, 0.00238, 0.00021},
       {0.0008034, 0.00079, 0.00015},
       {7.966e-05, 9e-05, 4.6e-05}},
      5.6235, 5.583);
  add(MeasuredFabric::jellyfish, "jellyfish, 512 switches, 16 links", 4096, 0.5,
      {{0.487, 0.475, 0.0014},
       {0.125, 0.12037, 0.00077},
       {0.07449, 0.07172, 0.00059},
       {0.02518, 0.02436, 0.00041},
       {0.008215, 0.00803, 0.00025},
       {0.002645, 0.00263, 0.00015},
       {0.0008526, 0.00087, 9.7e-05},
       {9.168e-05, 9.6e-05, 2.2e-05}},
      2.8822, 2.8246);
}

std::vector<AccuracyRow> all_rows() {
  std::vector<AccuracyRow> rows;
  rows.reserve(256);
  add_finite_source(rows);
  add_virtual_channels(rows);
  add_short_messages(rows);
  add_deeper_buffers(rows);
  add_geometric_lengths(rows);
  add_common_networks(rows);
  add_noc_routers(rows);
  add_drawn_routers(rows);
  add_router_times(rows);
  add_drawn_router_times(rows);
  add_published_worms(rows);
  add_all_port(rows);
  add_more_channels(rows);
  add_ends(rows);
  add_saturation_rates(rows);
  add_multistage_64(rows);
  add_multistage_256(rows);
  add_chains(rows);
  add_independent_hops(rows);
  add_dependent_bursts(rows);
  add_bursts(rows);
  add_fabrics(rows);
  return rows;
}

}  // namespace

const std::vector<AccuracyRow>& accuracy_rows() {
  static const std::vector<AccuracyRow> rows = all_rows();
  return rows;
}

}  // namespace tailbound::answers
