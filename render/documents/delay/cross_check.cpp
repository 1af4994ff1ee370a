#include <fmt/format.h>
#include <tailbound/render/documents/delay/cross_check.hpp>
#include <tailbound/render/fields.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

namespace tailbound::render {
namespace {

using answers::Agreement;
using answers::CheckedLevel;
using answers::CrossCheck;

/// "8e7"
std::string power_in_words(double value) {
  const int exponent = static_cast<int>(std::floor(std::log10(value)));
  return fmt::format("{:.0f}e{}", value / std::pow(10.0, exponent), exponent);
}

std::string whose(const CheckedLevel& level, const std::vector<std::string>& flows) {
  if (level.flow) return "flow " + flows.at(*level.flow) + ": ";
  return flows.size() > 1 ? "all packets: " : "";
}

/// Has the simulation counted a packet beyond the level? Without one it checks nothing there.
bool counted_any(const CheckedLevel& level) {
  return level.simulated.value > 0;
}

/// Does the analysis know the probability?
bool is_computed(const CheckedLevel& level) {
  return std::isfinite(level.computed);
}

/// Is the number within the 95 % interval of the simulation?
bool within(const CheckedLevel& level) {
  return level.simulated.lower <= level.computed && level.computed <= level.simulated.upper;
}

/// computed / simulated - 1
double difference(const CheckedLevel& level) {
  return level.computed / level.simulated.value - 1;
}

/// "46 % above", "12 % below", "15 times the simulated value"
std::string difference_in_words(double difference) {
  if (difference >= 10) return fmt::format("{:.2g} times the simulated value", 1 + difference);
  return fmt::format("{:.2g} % {}", 100 * std::abs(difference), difference < 0 ? "below" : "above");
}

/// "P(D > 12) = 1.02e-3 +- 4 %, computed 1.00e-3"
std::string level_in_words(const CheckedLevel& level) {
  const double half = (level.simulated.upper - level.simulated.lower) / 2;
  const std::string interval =
      counted_any(level) ? fmt::format("{} +- {:.2g} %", probability_in_words(level.simulated.value),
                                       100 * half / level.simulated.value)
                         : "0 (below " + probability_in_words(level.simulated.upper) + ")";
  return fmt::format("P(D > {}) = {}{}", brief(time_in_slots(level.slots, level.steps)), interval,
                     is_computed(level) ? ", computed " + probability_in_words(level.computed) : "");
}

/// The same with how far both are apart, if the number is not contradicted.
std::string compared_in_words(const CheckedLevel& level) {
  std::string text = level_in_words(level);
  if (!counted_any(level)) return text + ": no such packet was simulated, which checks nothing at this level";
  if (!is_computed(level) || within(level)) return text;
  const double off = difference(level);
  return text +
         fmt::format(" ({}: {})", difference_in_words(off), off > 0 ? "conservative" : "underestimated");
}

/// "; the 3 flows agree too", or how many of their values lie outside of the intervals, and how far.
std::string flows_in_words(const CrossCheck& check, std::size_t flows) {
  std::size_t all = 0, outside = 0;
  double minimum = 0, largest = 0;
  for (const CheckedLevel& level : check.levels) {
    if (!level.flow || !counted_any(level) || !is_computed(level)) continue;
    ++all;
    if (within(level)) continue;
    ++outside;
    minimum = std::min(minimum, difference(level));
    largest = std::max(largest, difference(level));
  }
  if (all == 0) return {};
  if (outside == 0) return fmt::format("; the {} flows agree too", flows);
  std::string range = minimum < 0 ? difference_in_words(minimum) : std::string();
  if (largest > 0) range += (range.empty() ? "" : " to ") + difference_in_words(largest);
  const bool both = minimum < 0 && largest > 0;
  return fmt::format("; {} of {} values of the {} flows outside their 95 % intervals: computed {}{}", outside,
                     all, flows, outside > 1 && !both ? "up to " : "", range);
}

const char* agreement_name(const CheckedLevel& level) {
  if (!is_computed(level)) return "not computed";
  switch (level.agreement) {
    case Agreement::underestimates:
      return "underestimates";
    case Agreement::overestimates:
      return "overestimates";
    case Agreement::agrees:
      break;
  }
  return !counted_any(level) ? "not checked" : within(level) ? "agrees" : "not contradicted";
}

double how_far(const CheckedLevel& level) {
  const double computed = std::max(level.computed, 1e-300),
               simulated = std::max(level.simulated.value, 1e-300);
  return std::abs(std::log(simulated / computed));
}

const Table<CheckedLevel>& check_fields() {
  static const Table<CheckedLevel> table{
      "cross_check",
      "computed delays compared with a simulation of this network, one row per level; the rows of all "
      "packets are with "
      "the first flow",
      {{{"of", "of", "", Shape::text, "flow, or all packets"},
        [](const CheckedLevel& of) { return of.flow ? "flow" : "all packets"; }},
       {{"slots", "t", "slots", Shape::slots, "t", Style::plain, slots_digits},
        [](const CheckedLevel& of) { return time_in_slots(of.slots, of.steps); }},
       {{"simulated", "simulated", "", Shape::estimate, "P(D > t), with a 95 % interval"},
        &CheckedLevel::simulated},
       {{"computed", "computed", "", Shape::model, "P(D > t)"},
        [](const CheckedLevel& of) { return Model{of.computed}; }},
       {{"agreement", "agreement", "", Shape::text,
         "agrees: computed within the interval; not contradicted: outside of it; not checked: no such packet "
         "was simulated; not computed: by no model; underestimates and overestimates: outside of the "
         "interval, and more than 10 % "
         "apart (25 % below 1e-3)"},
        &agreement_name}}};
  return table;
}

}  // namespace

std::string probability_in_words(double value) {
  if (value == 0 || (value >= 0.01 && value < 1000)) return fmt::format("{:.3g}", value);
  const int exponent = static_cast<int>(std::floor(std::log10(value)));
  return fmt::format("{:.2f}e{}", value / std::pow(10.0, exponent), exponent);
}

std::vector<std::string> check_notes(const CrossCheck& check, const std::vector<std::string>& flows,
                                     const std::vector<bool>& simulated) {
  if (check.skipped && check.packet_hops > 0)
    return {"Not compared with a simulation: that would take about " + power_in_words(check.packet_hops) +
            " simulated packet-hops (--simulate)."};
  if (check.levels.empty()) return {"Not compared with a simulation."};
  const std::string of =
      fmt::format("Simulation of this network, {} packets: ", power_in_words(check.packets));
  const CheckedLevel* worst = nullptr;  // of a flow that is not answered by the analysis
  for (const CheckedLevel& level : check.levels)
    if (level.agreement != Agreement::agrees && (worst == nullptr || how_far(level) > how_far(*worst)) &&
        std::isfinite(level.computed))
      worst = &level;
  const auto answered = static_cast<std::size_t>(std::count(simulated.begin(), simulated.end(), true));
  if (worst == nullptr) {
    const CheckedLevel& rarest = check.levels.back();  // of all packets, or of the only flow
    const bool several = !rarest.flow && flows.size() > 1;
    if (answered == simulated.size() && answered > 0) return {of.substr(0, of.size() - 2) + "."};
    return {of + std::string(several ? "all packets: " : "") + compared_in_words(rarest) +
            (several && answered == 0 ? flows_in_words(check, flows.size()) : std::string())};
  }
  return {of +
          (answered > 0 && answered < simulated.size()
               ? fmt::format("the analysis is off for {} of {} flows, most for ", answered, flows.size())
               : std::string("the analysis is off, most for ")) +
          whose(*worst, flows) + level_in_words(*worst)};
}

TableLayout check_table() {
  return check_fields().layout();
}

Rows check_rows(const CrossCheck& check, const std::vector<std::optional<std::size_t>>& flows) {
  // Ordered by flow, all packets last: a network may have more levels than can be read for each of its flows.
  const auto place = [](const std::optional<std::size_t>& flow) {
    return flow.value_or(std::numeric_limits<std::size_t>::max());
  };
  std::vector<CheckedLevel> levels;
  for (const auto& flow : flows) {
    const auto its = std::ranges::equal_range(check.levels, place(flow), {},
                                              [&](const CheckedLevel& level) { return place(level.flow); });
    levels.insert(levels.end(), its.begin(), its.end());
  }
  Rows rows = check_fields().rows(share(std::move(levels)));
  rows.in_text = false;
  return rows;
}

}  // namespace tailbound::render
