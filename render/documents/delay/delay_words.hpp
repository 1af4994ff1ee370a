#pragma once

#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/units.hpp>

#include <optional>
#include <string>
#include <vector>

/// Sentences and pictures of answers about delays; delay.cpp has their numbers.
/// Internal to the render module.
namespace tailbound::render {

/// One flow of one query: a result. Parameters and answer are shared by all entries.
struct DelayEntry {
  Shared<DelayPoint> points;
  std::size_t point = 0, flow = 0;

  [[nodiscard]] const answers::DelayQuery& query() const { return (*points)[point].first; }
  [[nodiscard]] const answers::DelayAnswer& answer() const { return (*points)[point].second; }
  [[nodiscard]] const answers::DelayFlow& path() const { return answer().paths.flows[flow]; }
  [[nodiscard]] const answers::FlowDelay& found() const { return answer().flows[flow]; }
  /// A time of found() in slots.
  [[nodiscard]] Value in_slots(Slots steps) const { return time_in_slots(steps, answer().steps.per_slot); }
  [[nodiscard]] Value in_slots(const std::optional<Slots>& steps) const {
    return steps ? in_slots(*steps) : Value(None{});
  }
};
[[nodiscard]] std::vector<DelayEntry> delay_entries(const Shared<DelayPoint>& points);

/// "12", or "12.0625" where links differ in speed.
[[nodiscard]] std::string slots_in_words(Slots steps, std::int64_t per_slot);
/// A time of its answer.
[[nodiscard]] std::string slots_in_words(const DelayEntry& entry, Slots steps);
/// Are its times shown in ns, not in slots? Where links differ in speed, if ns are known.
[[nodiscard]] bool in_ns(const DelayEntry& entry);
/// 1/2 as "50".
[[nodiscard]] std::string percent_text(const numeric::Rational& p);
/// Of the percentile with that index, if units define the slot time.
[[nodiscard]] Value entry_latency_ns(const DelayEntry& entry, std::size_t percentile);
/// Arrival rate at the queue from each source [packets/slot].
[[nodiscard]] numeric::Rational bursts_rate(const network::BurstySource& each);
/// A probability of the reorder buffer, proved or computed like the delays.
[[nodiscard]] Value shown_reorder(const answers::ReorderAnswer& reorder,
                                  const numeric::Enclosure<unit::Probability>& probability);

// --- words

/// What is not proved of a queue whose packets come from other queues.
inline constexpr const char* assumed_arrivals = "computed; arrivals of a switch assumed independent";

/// "16 x 0.05", "16 on-off x 0.05" or "3 unequal".
[[nodiscard]] std::string sources_in_words(const network::QueueTraffic& traffic);
/// The flow's position in the cross-check: in a tree all packets are one flow.
[[nodiscard]] std::optional<std::size_t> checked_flow(const DelayEntry& entry);
/// "simulated", "one queue", or how its hops depend on each other.
[[nodiscard]] std::string answered_by(const answers::FlowDelay& found);
/// Its kind as text.
[[nodiscard]] std::string kind_in_words(const DelayEntry& entry, const Value& value);
[[nodiscard]] std::string reorder_in_words(const answers::ReorderTargets& targets,
                                           const answers::ReorderAnswer& reorder, numeric::Digits digits,
                                           const UnitScale& scale);
/// The highest percentile of the latency, for several flows its range; the mean queueing delay if no
/// percentile is given.
[[nodiscard]] Headline delay_headline(const std::vector<DelayEntry>& entries);
[[nodiscard]] std::string delay_settings(const DelayEntry& only);
/// \param results  flows of all points
[[nodiscard]] std::string delay_settings(const std::vector<DelayPoint>& points, std::size_t results);
/// Of a single flow, in place of a table.
[[nodiscard]] std::vector<Line> delay_lines(const DelayEntry& only);
/// \param one  is it a single flow?
[[nodiscard]] std::vector<std::string> delay_notes(const std::vector<DelayPoint>& points, bool one);

// --- pictures

/// P(D > t), or percentiles against the varying parameter.
[[nodiscard]] Picture delay_picture(const Document& document, const Shared<DelayPoint>& points);

}  // namespace tailbound::render
