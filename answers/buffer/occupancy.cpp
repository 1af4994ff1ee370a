#include <tailbound/answers/buffer/occupancy.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <string>

namespace tailbound::answers {
namespace {

std::vector<Packets> levels_until(const Until& until, bounds::OutputQueue& queue) {
  const std::int64_t last = queue.min_buffer_size({until.tail, bounds::Criterion::overflow}).buffer.value;
  if (last >= OccupancyQuery::max_levels)
    throw LimitExceeded("--until " + numeric::plain(until.tail) + " needs " + std::to_string(last + 1) +
                        " rows; the limit is " + std::to_string(OccupancyQuery::max_levels) +
                        "; use --levels to select some");
  std::vector<Packets> levels;
  for (std::int64_t level = 0; level <= last; ++level) levels.emplace_back(level);
  return levels;
}

std::vector<OccupancyLevel> tails_of(bounds::OutputQueue& queue, const std::vector<Packets>& levels) {
  std::vector<bounds::ComputedProbability> tails = queue.tails(levels);
  std::vector<OccupancyLevel> result;
  for (std::size_t i = 0; i < levels.size(); ++i) result.push_back({levels[i], std::move(tails[i]), {}});
  return result;
}

}  // namespace

OccupancyAnswer answer(const OccupancyQuery& query, const Run&) {
  const auto queue = output_queue(query.traffic, query.accuracy);
  const auto* listed = std::get_if<Levels>(&query.levels);
  const std::vector<Packets> levels =
      listed != nullptr ? *listed : levels_until(std::get<Until>(query.levels), *queue);
  OccupancyAnswer found{
      .tail = {}, .mean_occupancy = queue->mean_occupancy(), .decay_rate = queue->found_decay_rate()};
  found.tail = tails_of(*queue, levels);
  if (queue::SourceBound* bound = queue->bound()) {
    // The deepest level first: its computation serves the others.
    static_cast<void>(bound->tail(std::max_element(levels.begin(), levels.end())->value));
    for (OccupancyLevel& level : found.tail) level.bound = bound->tail(level.level.value);
  }
  return found;
}

std::vector<OccupancyLevel> tail_through(const Traffic& traffic, Packets first, Packets last) {
  constexpr std::int64_t drawn = 1'000;  // at least: no pixel of a picture is without a level
  const std::int64_t step = std::max<std::int64_t>(1, (last.value - first.value) / drawn);
  std::vector<Packets> levels;
  for (std::int64_t level = first.value; level < last.value; level += step) levels.emplace_back(level);
  levels.push_back(last);
  return tails_of(*output_queue(traffic, {{3}}), levels);
}

std::vector<OccupancyLevel> without_bursts(const OccupancyQuery& query, const std::vector<Packets>& levels) {
  const auto* bursty = std::get_if<BurstyInputs>(&query.traffic.source);
  if (bursty == nullptr) return {};
  const auto queue =
      bounds::output_queue(queue::SlottedQueue{series::Arrivals::equal_inputs(bursty->inputs, *bursty->load),
                                               query.traffic.packets_per_slot},
                           {{3}});
  return tails_of(*queue, levels);
}

}  // namespace tailbound::answers
