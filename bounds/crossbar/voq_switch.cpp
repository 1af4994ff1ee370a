#include <fmt/format.h>
#include <tailbound/bounds/crossbar/interpolation.hpp>
#include <tailbound/bounds/crossbar/voq_switch.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace tailbound::bounds {
namespace {

using traffic::CrossbarScheduler;

constexpr double least_quantile = 0.3;  ///< of which the logarithm is interpolated

double log_power(std::size_t decade) {
  return -static_cast<double>(decade) * std::log(10.0);
}

/// The abscissa of a load.
double xi(double load) {
  return -std::log1p(-load);
}

/// The simulation of a switch.
std::string simulation_of(const VoqSwitch& voq, const std::string& option = {}) {
  std::string command = fmt::format("tailbound simulate crossbar --inputs {} --scheduler {}", voq.ports,
                                    name_of(voq.scheduler));
  if (voq.scheduler == CrossbarScheduler::islip)
    command += voq.parameter == 0 ? " --iterations all" : fmt::format(" --iterations {}", voq.parameter);
  if (voq.scheduler == CrossbarScheduler::crosspoint)
    command += fmt::format(" --crosspoint {}", voq.parameter);
  return command + fmt::format(" --load {}", voq.load) + option;
}

std::string words_of(const SchedulerKey& key) {
  const std::string name = name_of(key.first);
  if (key.first == CrossbarScheduler::crosspoint) return fmt::format("crosspoint with {} cells", key.second);
  if (key.first == CrossbarScheduler::islip && key.second > 0)
    return fmt::format("islip with {} iterations", key.second);
  return name;
}

/// The rows of a table for a switch; islip with as many iterations as ports ends by itself.
template <class Row>
using ByPorts = std::map<std::int64_t, const Row*>;
template <class Table>
auto rows_of(const Table& table, const SchedulerKey& key) {
  ByPorts<typename Table::mapped_type::mapped_type> rows;
  const auto add = [&](const SchedulerKey& of, std::int64_t most_ports) {
    if (const auto its = table.find(of); its != table.end())
      for (const auto& [ports, row] : its->second)
        if (ports <= most_ports) rows[ports] = &row;
  };
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  if (key.first == CrossbarScheduler::islip && key.second > 0) add({key.first, 0}, key.second);
  add(key, any);
  return rows;
}

/// The rows to use, and whether the switch is between them and others.
template <class Table>
std::pair<SchedulerKey, bool> key_of(const Table& table, const VoqSwitch& voq) {
  SchedulerKey key{voq.scheduler, voq.parameter};
  if (voq.scheduler == CrossbarScheduler::pim) key.second = 0;
  if (voq.scheduler == CrossbarScheduler::islip && voq.parameter >= voq.ports) key.second = 0;
  if (table.count(key) > 0) return {key, false};
  std::vector<std::int64_t> measured;
  for (const auto& [its, rows] : table)
    if (its.first == key.first) measured.push_back(its.second);
  if (measured.empty())
    throw NoAnswer(
        fmt::format("{} is not measured with this traffic; {}", name_of(voq.scheduler), simulation_of(voq)));
  // With more iterations than measured, those until nothing is added differ little.
  if (key.first == CrossbarScheduler::islip && measured.front() == 0 && key.second > measured.back() &&
      measured.back() > 1)
    return {{key.first, 0}, true};
  throw NoAnswer(fmt::format("{} is not measured; measured are {}; {}", words_of(key),
                             fmt::join(measured, ", "), simulation_of(voq)));
}

[[noreturn]] void throw_ports_not_measured(const SchedulerKey& key, const VoqSwitch& voq, std::int64_t from,
                                           std::int64_t to) {
  throw NoAnswer(fmt::format("{} with {} ports is not measured, only {}; {}", words_of(key), voq.ports,
                             from == to ? fmt::format("{}", from) : fmt::format("{} to {}", from, to),
                             simulation_of(voq)));
}

/// The up to four ports nearest to those of the switch, among those that `covers` accepts, one on each side.
template <class Row, class Covers>
std::vector<std::int64_t> nearest_ports(const ByPorts<Row>& rows, std::int64_t ports, const Covers& covers) {
  std::vector<std::int64_t> all;
  for (const auto& [its, row] : rows)
    if (covers(*row)) all.push_back(its);
  if (all.empty() || ports < all.front() || ports > all.back()) return {};
  if (std::find(all.begin(), all.end(), ports) != all.end()) return {ports};
  const auto distance = [&](std::int64_t its) {
    return std::abs(std::log(static_cast<double>(its) / static_cast<double>(ports)));
  };
  std::sort(all.begin(), all.end(), [&](auto a, auto b) { return distance(a) < distance(b); });
  all.resize(std::min<std::size_t>(all.size(), 4));
  std::sort(all.begin(), all.end());
  if (ports < all.front() || ports > all.back()) return {};
  return all;
}

/// A value at each of these ports, interpolated; none if one has none.
template <class ValueAt>
std::optional<double> across_ports(const std::vector<std::int64_t>& all, std::int64_t ports,
                                   const ValueAt& value_at) {
  Places places;
  for (const std::int64_t each : all) {
    const std::optional<double> value = value_at(each);
    if (!value) return std::nullopt;
    places.emplace_back(std::log(static_cast<double>(each)), *value);
  }
  return through_nearest(places, std::log(static_cast<double>(ports)));
}

/// ln P(X > x) of a row: linear between its quantiles and beyond them.
std::optional<double> log_tail_of_row(const Quantiles& quantiles, double x) {
  Places points;
  for (std::size_t i = 0; i < quantiles.size(); ++i)
    if (quantiles[i] && (points.empty() || *quantiles[i] > points.back().first))
      points.emplace_back(*quantiles[i], log_power(i + 1));
  if (points.size() < 2) return std::nullopt;
  std::size_t i = 0;
  while (i + 2 < points.size() && x > points[i + 1].first) ++i;
  const auto& [x0, y0] = points[i];
  const auto& [x1, y1] = points[i + 1];
  return std::min(0.0, y0 + (y1 - y0) * (x - x0) / (x1 - x0));
}

using QuantilesOf = Quantiles VoqRow::*;
using RowsByPorts = ByPorts<std::vector<VoqRow>>;

/// ln of a quantile at one number of ports; none where it is too small.
std::optional<double> log_quantile(const std::vector<VoqRow>& rows, QuantilesOf of, std::size_t decade,
                                   double load) {
  Places places;
  for (const VoqRow& row : rows)
    if (const auto& quantile = (row.*of)[decade - 1]; quantile && *quantile >= least_quantile)
      places.emplace_back(xi(row.load), std::log(*quantile));
  return monotone_cubic(places, xi(load));
}

std::optional<double> log_tail_at(const std::vector<VoqRow>& rows, QuantilesOf of, double level,
                                  double load) {
  Places places;
  for (const VoqRow& row : rows)
    if (const auto value = log_tail_of_row(row.*of, level)) places.emplace_back(xi(row.load), *value);
  return monotone_cubic(places, xi(load));
}

std::optional<MeasuredTail> tail_of(const RowsByPorts& rows, const std::vector<std::int64_t>& ports,
                                    const VoqSwitch& voq, QuantilesOf of, double stretch) {
  constexpr std::size_t last_decade = 4;  // the 1e-5 quantiles are noisy: used only where levels are few
  constexpr int most_levels = 64;
  Places quantiles, points;
  for (std::size_t decade = 1; decade <= last_decade; ++decade)
    if (const auto value = across_ports(ports, voq.ports, [&](std::int64_t each) {
          return log_quantile(*rows.at(each), of, decade, voq.load);
        }))
      quantiles.emplace_back(std::exp(*value), log_power(decade));
  const bool from_first = !quantiles.empty() && quantiles.front().second == log_power(1);
  const bool to_last = !quantiles.empty() && quantiles.back().second == log_power(last_decade);
  if (!from_first)
    for (int level = 0; level < most_levels; ++level) {
      if (!quantiles.empty() && level >= quantiles.front().first) break;
      const auto value = across_ports(ports, voq.ports, [&](std::int64_t each) {
        return log_tail_at(*rows.at(each), of, level, voq.load);
      });
      if (!value) return std::nullopt;
      if (points.empty() || *value < points.back().second) points.emplace_back(level, *value);
      if (!to_last && *value < log_power(last_decade + 1)) break;
    }
  for (const auto& point : quantiles)
    if (points.empty() || (point.first > points.back().first && point.second < points.back().second))
      points.push_back(point);
  if (points.size() < 2 || points.back().second > log_power(last_decade) * (1 - 1e-12)) return std::nullopt;
  return MeasuredTail(std::move(points), stretch);
}

}  // namespace

// --- tails

MeasuredTail::MeasuredTail(Places points, double stretch) : points_(std::move(points)), at4_(0), step_(0) {
  at4_ = place_of(log_power(4));
  step_ = stretch * (at4_ - place_of(log_power(3)));
}

/// Linear in ln P, also before the first point.
double MeasuredTail::place_of(double log_tail) const {
  std::size_t i = 0;
  while (i + 2 < points_.size() && log_tail < points_[i + 1].second) ++i;
  const auto& [x0, y0] = points_[i];
  const auto& [x1, y1] = points_[i + 1];
  return x0 + (x1 - x0) * (log_tail - y0) / (y1 - y0);
}

std::optional<double> MeasuredTail::quantile(double tail) const {
  if (tail > max_tail * (1 + 1e-12)) return std::nullopt;
  const double log_tail = std::log(tail);
  const double decades = (log_power(4) - log_tail) / std::log(10.0);
  return std::max(0.0, decades > 0 ? at4_ + decades * step_ : place_of(log_tail));
}

std::optional<numeric::Model<unit::Probability>> MeasuredTail::above(double level) const {
  double value = 0;
  if (level > at4_) {
    value = log_power(4) - (level - at4_) / step_ * std::log(10.0);
  } else {
    std::size_t i = 0;
    while (i + 2 < points_.size() && level > points_[i + 1].first) ++i;
    const auto& [x0, y0] = points_[i];
    const auto& [x1, y1] = points_[i + 1];
    value = y0 + (y1 - y0) * (level - x0) / (x1 - x0);
  }
  if (value > log_power(1) * (1 - 1e-12)) return std::nullopt;
  return numeric::Model<unit::Probability>{std::exp(value)};
}

// --- speedup 1

namespace {

struct VoqRows {
  SchedulerKey key;
  bool between;
  RowsByPorts rows;
};

VoqRows voq_rows(const VoqSwitch& voq, const VoqTable& table) {
  const auto [key, between] = key_of(table, voq);
  VoqRows its{key, between, rows_of(table, key)};
  if (voq.ports < its.rows.begin()->first || voq.ports > its.rows.rbegin()->first)
    throw_ports_not_measured(key, voq, its.rows.begin()->first, its.rows.rbegin()->first);
  return its;
}

}  // namespace

namespace {

double max_load_of(const VoqRows& its, const VoqSwitch& voq) {
  double below = 0, above = 0;
  for (const auto& [ports, rows] : its.rows) {
    if (ports <= voq.ports) below = std::max(below, rows->back().load);
    if (ports >= voq.ports) above = std::max(above, rows->back().load);
  }
  return std::min(below, above);
}

}  // namespace

double max_measured_load(const VoqSwitch& voq) {
  return max_load_of(voq_rows(voq, voq_table()), voq);
}

MeasuredVoq measured_voq(const VoqSwitch& voq, const VoqTable& table) {
  const VoqRows its = voq_rows(voq, table);
  const std::vector<std::int64_t> ports = nearest_ports(
      its.rows, voq.ports, [&](const std::vector<VoqRow>& rows) { return voq.load <= rows.back().load; });
  if (ports.empty())
    throw NoAnswer(fmt::format("{} is measured up to load {}; {}", words_of(its.key), max_measured_load(voq),
                               simulation_of(voq)));
  MeasuredVoq found{.table = its.key, .between = its.between};
  const auto ratio = across_ports(ports, voq.ports, [&](std::int64_t each) {
    Places places{{0, 0}};
    for (const VoqRow& row : *its.rows.at(each)) places.emplace_back(xi(row.load), std::log(row.ratio));
    return monotone_cubic(places, xi(voq.load));
  });
  found.ratio = std::exp(*ratio);
  found.delay = tail_of(its.rows, ports, voq, &VoqRow::delay, 1);
  found.input = tail_of(its.rows, ports, voq, &VoqRow::input, 1);
  found.queue = tail_of(its.rows, ports, voq, &VoqRow::queue, 1.15);
  return found;
}

// --- bursts and speedup

namespace {

/// Are so many iterations of islip close to all, in the small tables?
bool nearly_all(std::int64_t iterations, std::int64_t ports) {
  constexpr std::int64_t enough = 4;
  return iterations == 0 || iterations >= enough || (std::int64_t{1} << iterations) >= ports;
}

/// The rows of a small table: with nearly all iterations of islip, those that are measured with any such
/// number.
template <class Table>
auto small_rows(const Table& table, const VoqSwitch& voq) {
  if (voq.scheduler != CrossbarScheduler::islip || !nearly_all(voq.parameter, voq.ports))
    return rows_of(table, key_of(table, voq).first);
  ByPorts<typename Table::mapped_type::mapped_type> rows;
  for (const std::int64_t preferred : {std::int64_t{-1}, std::int64_t{0}, voq.parameter})
    for (const auto& [key, by_ports] : table)
      if (key.first == CrossbarScheduler::islip && (preferred < 0 || key.second == preferred))
        for (const auto& [ports, row] : by_ports)
          if (nearly_all(key.second, ports)) rows[ports] = &row;
  return rows;
}

}  // namespace

double burst_ratio(const VoqSwitch& voq, double burst) {
  const auto rows = small_rows(burst_table(), voq);
  using ByBurst = std::map<double, std::vector<BurstRow>>;
  const auto covers = [&](const std::vector<BurstRow>& its) {
    return its.front().load <= voq.load && voq.load <= its.back().load;
  };
  const auto ports = nearest_ports(rows, voq.ports, [&](const ByBurst& its) {
    return std::any_of(its.begin(), its.end(), [&](const auto& each) { return covers(each.second); });
  });
  const auto ratio = across_ports(ports, voq.ports, [&](std::int64_t each) {
    // Almost the same at all lengths measured; those beyond them have that of the nearest.
    Places places;
    for (const auto& [length, its] : *rows.at(each)) {
      if (!covers(its)) continue;
      Places by_load;
      for (const BurstRow& row : its) by_load.emplace_back(xi(row.load), std::log(row.ratio));
      places.emplace_back(std::log(length), *monotone_cubic(by_load, xi(voq.load)));
    }
    return monotone_cubic(places, std::clamp(std::log(burst), places.front().first, places.back().first));
  });
  if (!ratio)
    throw NoAnswer(fmt::format("bursts are not measured for {} with {} ports at load {}; {}",
                               words_of({voq.scheduler, voq.parameter}), voq.ports, voq.load,
                               simulation_of(voq, fmt::format(" --burst {}", burst))));
  return std::exp(*ratio);
}

std::optional<double> MeasuredSpeedup::input(double tail) const {
  if (!input3 || !input5 || tail > max_tail) return std::nullopt;
  return *input3 + (*input5 - *input3) / 2 * (-3 - std::log10(tail));
}

MeasuredSpeedup measured_speedup(const VoqSwitch& voq, double speedup) {
  const auto rows = small_rows(speedup_table(), voq);
  using BySpeedup = std::map<double, std::vector<SpeedupRow>>;
  /// ln of a value at one number of ports: by load, then by speedup.
  const auto value_at = [&](const BySpeedup& its, auto value_of) -> std::optional<double> {
    Places places;
    for (const auto& [each, by_load] : its) {
      Places known;
      for (const SpeedupRow& row : by_load)
        if (const std::optional<double> value = value_of(row))
          known.emplace_back(xi(row.load), std::log(*value));
      if (const auto value = monotone_cubic(known, xi(voq.load))) places.emplace_back(each, *value);
    }
    return monotone_cubic(places, speedup);
  };
  const auto found = [&](auto value_of) -> std::optional<double> {
    const auto ports = nearest_ports(
        rows, voq.ports, [&](const BySpeedup& its) { return value_at(its, value_of).has_value(); });
    const auto value =
        across_ports(ports, voq.ports, [&](std::int64_t each) { return value_at(*rows.at(each), value_of); });
    return value ? std::optional(std::exp(*value)) : std::nullopt;
  };
  const auto ratio = found([](const SpeedupRow& row) { return std::optional(row.ratio); });
  if (!ratio)
    throw NoAnswer(fmt::format("speedup {} is not measured for {} with {} ports at load {}; {}", speedup,
                               words_of({voq.scheduler, voq.parameter}), voq.ports, voq.load,
                               simulation_of(voq, fmt::format(" --speedup {}", speedup))));
  return {.ratio = *ratio,
          .input3 = found([](const SpeedupRow& row) { return row.input3; }),
          .input5 = found([](const SpeedupRow& row) { return row.input5; })};
}

}  // namespace tailbound::bounds
