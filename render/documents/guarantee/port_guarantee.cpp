#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer_columns.hpp>
#include <tailbound/render/documents/guarantee/port_guarantee.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/fields.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using queue::FlowGroup;
using queue::FlowKind;
using queue::FlowProof;

using PortPoint = std::pair<PortGuaranteeQuery, PortGuaranteeAnswer>;

constexpr const char* never_basis =
    "Exact maximum over all conforming arrivals, dependent or not (attained when all flows are greedy at "
    "once).";
constexpr const char* independent_basis =
    "Proved for independent flows observed at a random time, any conforming arrivals within each flow.";
constexpr const char* phases_basis =
    "Independent flows with uniform phases drawn once at start-up. The fraction of time is the mean over all "
    "start-ups; the fraction of start-ups that ever exceed the buffer is larger.";

bool requests_time(const PortGuaranteeQuery& query) {
  return std::holds_alternative<ShareOfTime>(query.assurance);
}
bool requests_starts(const PortGuaranteeQuery& query) {
  return std::holds_alternative<ShareOfStarts>(query.assurance);
}
std::optional<numeric::Rational> target_of(const PortGuaranteeQuery& query) {
  if (const auto* time = std::get_if<ShareOfTime>(&query.assurance)) return time->target;
  if (const auto* starts = std::get_if<ShareOfStarts>(&query.assurance)) return starts->target;
  return std::nullopt;
}

std::string packets_at_once(std::int64_t batch) {
  return batch == 1 ? std::string() : fmt::format(" of {} packets at once", batch);
}

/// "100 flows of bucket 1/125,4 (rate, tokens)", "20 periodic flows, every 100 slots"
/// \param solve  the unknown of this group, shown as its letter
std::string in_words(const FlowGroup& group, PortSolve solve = PortSolve::buffer) {
  const bool rate_unknown = solve == PortSolve::rate;
  const std::string count = solve == PortSolve::flows ? "n" : std::to_string(group.count),
                    period = rate_unknown ? "t" : std::to_string(group.period),
                    flows = count == "1" ? "flow" : "flows";
  switch (group.kind) {
    case FlowKind::periodic:
      return fmt::format("{} periodic {}{}, every {} slots", count, flows, packets_at_once(group.batch),
                         period);
    case FlowKind::sporadic:
      return fmt::format("{} sporadic {}{}, at least {} slots apart", count, flows,
                         packets_at_once(group.batch), period);
    case FlowKind::regulated:
      break;
  }
  std::string buckets;
  for (const traffic::TokenBucket& bucket : group.buckets) {
    const bool peak = !buckets.empty() && bucket == traffic::peak_of(bucket.rate);
    const bool unknown = rate_unknown && buckets.empty();
    buckets +=
        (buckets.empty() ? ""
         : peak          ? ", at most "
                         : ", and to ") +
        fmt::format("{} packet{} per slot", unknown ? "r" : plain(bucket.rate), bucket.rate == 1 ? "" : "s");
    if (!peak) buckets += fmt::format(" and {} token{}", plain(bucket.burst), bucket.burst == 1 ? "" : "s");
  }
  return fmt::format("{} {} policed to {}", count, flows, buckets);
}
std::string in_words(const std::vector<FlowGroup>& groups) {
  std::string words;
  for (const FlowGroup& group : groups) words += (words.empty() ? "" : "; ") + in_words(group);
  return words;
}
/// As given, with the letter of the unknown.
std::string in_words(const PortGuaranteeQuery& query) {
  std::string words;
  for (std::size_t i = 0; i < query.flows.size(); ++i)
    words +=
        (i == 0 ? "" : "; ") + in_words(query.flows[i], i == query.varied ? query.solve : PortSolve::buffer);
  return words;
}

/// The behavior of flows that attains the bound.
std::string in_words(const queue::FlowPattern& pattern) {
  std::string words;
  for (std::size_t i = 0; i < pattern.flows.size(); ++i) {
    const FlowGroup& group = pattern.flows[i];
    const bool at_once = i >= pattern.sent.size() || pattern.sent[i].size() <= 1;
    words += fmt::format("{}{} {} of {} packet{}{} every {} slots", words.empty() ? "" : "; ", group.count,
                         group.count == 1 ? "flow" : "flows", group.batch, group.batch == 1 ? "" : "s",
                         at_once ? "" : " in a row", group.period);
  }
  return words + ", phases at random";
}

/// Do all such flows need the sufficient buffer?
bool is_exact(const PortGuaranteeAnswer& answer) {
  return answer.level && answer.level->proof == FlowProof::exact;
}

const Fields<PortGuaranteeQuery>& port_inputs() {
  using Query = PortGuaranteeQuery;
  static const Fields<Query> fields{
      {{"flows_requested", "flows", "", Shape::text,
        "one port: --bucket, --periodic and --sporadic, as text"},
       [](const Query& of) { return in_words(of); }},
      {{"drop", "target", "", Shape::given, "--drop: fraction of time in which the buffer may be exceeded"},
       [](const Query& of) { return target_of(of); },
       &requests_time},
      {{"ever_target", "target", "", Shape::given, "--ever: fraction of start-ups that may ever exceed it"},
       [](const Query& of) { return target_of(of); },
       &requests_starts},
      {{"capacity", "capacity", "packets", Shape::whole,
        "buffer of the port, packet in transmission included"},
       &Query::capacity,
       if_present},
      {{"solve", "solve", "", Shape::text, "the unknown: buffer, flows or rate"}, &Query::solve}};
  return fields;
}

const Fields<PortLevel>& level_fields() {
  using Level = PortLevel;
  static const Fields<Level> fields{
      {{"buffer", "buffer", "packets", Shape::whole,
        "minimum buffer for the target; without a target never exceeded"},
       &Level::buffer},
      {{"probability", "P(Q > buffer)", "", Shape::claim,
        "upper bound of the fraction of time, or of start-ups, above the buffer"},
       [](const Level& of) { return shown(of.probability); },
       [](const Level& of) { return of.probability.has_value(); }},
      {{"least", "", "", Shape::flag, "true if no smaller buffer suffices for all such flows (proved)",
        Style::hidden},
       &Level::minimum},
      {{"witness_buffer", "lower bound", "packets", Shape::whole,
        "buffer needed by the flows in witness_traffic"},
       &Level::needed,
       if_present},
      {{"witness_traffic", "", "", Shape::text, "conforming flows that need witness_buffer", Style::hidden},
       [](const Level& of) { return in_words(*of.pattern); },
       [](const Level& of) { return of.pattern.has_value() && !of.minimum; }}};
  return fields;
}

const Fields<PortGuaranteeAnswer>& port_results() {
  using Answer = PortGuaranteeAnswer;
  static const Fields<Answer> fields{
      {{"load", "load", "packets/slot", Shape::given, "long-term load of the flows"}, &Answer::load},
      {{"buffer_never", "never exceeded", "packets", Shape::whole,
        "maximum backlog over all conforming arrivals; exact"},
       [](const Answer& of) { return of.never.packets; }},
      {{"wait_never", "maximum wait", "slots", Shape::whole, "maximum FIFO wait before transmission; exact"},
       [](const Answer& of) { return of.never.wait; }},
      {{"most_flows", "flows", "", Shape::whole, "--solve flows: maximum number of flows by this analysis"},
       &Answer::max_flows,
       if_present},
      {{"max_rate", "rate", "packets/slot", Shape::given, "--solve rate: maximum rate, to 4 digits"},
       &Answer::max_rate,
       if_present},
      {{"min_period", "period", "slots", Shape::whole, "--solve rate: minimum distance"},
       &Answer::min_period,
       if_present},
      {level_fields(), [](const Answer& of) -> const std::optional<PortLevel>& { return of.level; }},
      {{"probability_exact", "P(Q > capacity)", "", Shape::proved, "fraction of time above the capacity"},
       [](const Answer& of) { return shown(*of.exact); },
       [](const Answer& of) { return of.exact.has_value(); }},
      {{"ever", "ever", "", Shape::claim, "fraction of start-ups that ever exceed the capacity"},
       [](const Answer& of) { return shown(*of.ever); },
       [](const Answer& of) { return of.ever.has_value(); }},
      {{"probability_most", "P(Q > capacity)", "", Shape::bound,
        "upper bound of the fraction of time above the capacity, all such flows"},
       &Answer::maximum,
       if_present},
      {{"probability_witness", "lower bound", "", Shape::bound,
        "lower bound of the same, attained by some of these flows"},
       &Answer::witnessed,
       if_present}};
  return fields;
}

std::string target_in_words(const PortGuaranteeQuery& query) {
  const std::string target = plain(*target_of(query));
  return requests_time(query) ? fmt::format("at most {} of the time", target)
                              : fmt::format("at most {} of the start-ups", target);
}

/// The other side of a solution: one more flow, the next rate of four digits, or one slot less.
std::vector<FlowGroup> next_flows(const PortGuaranteeQuery& query, const PortGuaranteeAnswer& answer) {
  std::vector<FlowGroup> flows = answer.flows;
  FlowGroup& group = flows[query.varied];
  if (answer.max_flows) {
    ++group.count;
  } else if (answer.max_rate) {
    numeric::Rational leading = 1;
    while (*answer.max_rate < leading) leading = leading / 10;
    group.buckets.front().rate = *answer.max_rate + leading / 1000;
  } else {
    --group.period;
  }
  return flows;
}

/// Load of next_flows(); none for a distance of 0 slots.
std::optional<numeric::Rational> next_load(const PortGuaranteeQuery& query,
                                           const PortGuaranteeAnswer& answer) {
  if (answer.min_period && *answer.min_period == 1) return std::nullopt;
  return queue::load(next_flows(query, answer));
}

/// Does only the load limit the solution, which must be below 1?
bool limited_by_load(const PortGuaranteeQuery& query, const PortGuaranteeAnswer& answer) {
  const auto load = next_load(query, answer);
  return !load || *load >= 1;
}

/// Would the next rate be above the peak rate?
bool limited_by_peak(const PortGuaranteeQuery& query, const PortGuaranteeAnswer& answer) {
  return answer.max_rate && is_above_peak(next_flows(query, answer)[query.varied]);
}

/// Is the other side proved to need a larger buffer? Not if it is only known to miss an upper bound.
bool limit_is_proved(const PortGuaranteeQuery& query, const PortGuaranteeAnswer& answer) {
  return !target_of(query) || is_exact(answer) || limited_by_load(query, answer) ||
         limited_by_peak(query, answer);
}

std::string limit_in_words(const PortGuaranteeQuery& query, const PortGuaranteeAnswer& answer) {
  const bool proved = limit_is_proved(query, answer);
  if (limited_by_load(query, answer)) {
    if (answer.max_rate) {
      // Where the bucket sustains its rate up to a load of 1.
      std::vector<FlowGroup> full = answer.flows;
      numeric::Rational& rate = full[query.varied].buckets.front().rate;
      rate = rate + (1 - answer.load) / numeric::Rational(full[query.varied].count);
      if (traffic::sustained(full[query.varied].buckets.front()).rate == rate && queue::load(full) == 1)
        return fmt::format("the load must be below 1, so the rate below {}; it is rounded down to 4 digits",
                           plain(rate));
      return fmt::format("a rate of {} would make the load {}; it must be below 1",
                         plain(next_flows(query, answer)[query.varied].buckets.front().rate),
                         plain(*next_load(query, answer)));
    }
    const auto load = next_load(query, answer);
    if (!load) return "the shortest distance possible";
    return fmt::format("{} would make the load {} packet{} per slot; it must be below 1",
                       answer.max_flows ? "one more flow" : "one slot less", plain(*load),
                       *load == 1 ? "" : "s");
  }
  if (limited_by_peak(query, answer)) return "the peak rate: a rate above it changes nothing";
  if (answer.max_rate)
    return proved ? "the rate is rounded down to 4 digits"
                  : "the rate is rounded down to 4 digits; a higher one may fit, as the proof is a bound";
  if (answer.max_flows)
    return proved ? "one more flow needs a larger buffer"
                  : "more flows may fit: the proof is a bound, which one more flow exceeds";
  return proved ? "one slot less needs a larger buffer"
                : "a shorter distance may fit: the proof is a bound, which one slot less exceeds";
}

std::string solved_in_words(const PortGuaranteeQuery& query, const PortGuaranteeAnswer& answer) {
  const bool never = !target_of(query) || answer.never.packets <= *query.capacity;
  const std::string how = never ? "never exceeded" : "exceeded " + target_in_words(query);
  const std::string buffer = with_article(*query.capacity, "packet") + " buffer";
  const bool proved = limit_is_proved(query, answer);
  std::string what;
  if (answer.max_flows)
    what = counted(*answer.max_flows, "flow");
  else if (answer.max_rate)
    what = fmt::format("{} {} packets per slot", proved ? "rate" : "A rate of", plain(*answer.max_rate));
  else
    what = fmt::format("{} {}", proved ? "distance" : "A distance of",
                       counted(answer.flows[query.varied].period, "slot"));
  if (proved)
    return fmt::format("{} {} for {}, {}.", answer.min_period ? "Minimum" : "Maximum", what, buffer, how);
  const bool one = !answer.max_flows || *answer.max_flows == 1;
  return fmt::format("{} {} {}, {}{}.", what, one ? "fits" : "fit", buffer, how,
                     answer.max_flows ? "; more may fit" : "");
}

/// An upper bound that says nothing, in the digits shown.
bool useless(const numeric::UpperBound<unit::Probability>& bound) {
  return static_cast<double>(bound.value) > 0.99995;
}

Headline headline(const PortPoint& point) {
  const auto& [query, answer] = point;
  // All are exact or bounds.
  const std::vector<Value> packets{Whole{answer.never.packets}};
  if (query.solve != PortSolve::buffer) return {solved_in_words(query, answer), packets};
  if (query.capacity) {
    const std::string buffer = with_article(*query.capacity, "packet") + " buffer is ";
    if (answer.never.packets <= *query.capacity) return {buffer + "never exceeded.", packets};
    if (answer.exact) {
      const Value exact = shown(*answer.exact);
      return {fmt::format("{}exceeded {} of the time.", buffer, brief(exact, query.digits)), {exact}};
    }
    if (useless(*answer.maximum))
      return Headline::without_numbers(fmt::format("No useful bound on the time that {} buffer is exceeded.",
                                                   with_article(*query.capacity, "packet")));
    const Value maximum = shown(*answer.maximum);
    return {fmt::format("{}exceeded at most {} of the time.", buffer, brief(maximum, {4})), {maximum}};
  }
  if (!target_of(query))
    return {fmt::format("The backlog never exceeds {}.", counted(answer.never.packets, "packet")), packets};
  return {fmt::format("{} buffer suffices: exceeded {}.", with_article(answer.level->buffer, "packet"),
                      target_in_words(query)),
          packets};
}

const char* proof_in_words(FlowProof proof) {
  switch (proof) {
    case FlowProof::never:
      return "never exceeded for any conforming arrivals";
    case FlowProof::exact:
      return "exact";
    case FlowProof::periods:
      return "a proved bound: fewer packets may suffice";
    case FlowProof::windows:
      break;
  }
  return "a proved bound for all such flows: fewer packets may suffice";
}

std::vector<Line> lines(const PortPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  std::vector<Line> lines;
  if (query.solve != PortSolve::buffer) lines.push_back({"limit", limit_in_words(query, answer)});
  if (answer.level && target_of(query)) {
    const PortLevel& level = *answer.level;
    if (level.probability) {
      const Value at = shown(*level.probability);
      const std::string what = requests_time(query)
                                   ? fmt::format("P(Q > {})", level.buffer)
                                   : fmt::format("fraction that ever exceeds {}", level.buffer);
      lines.push_back(
          {"proof",
           fmt::format("{} {} {} <= {}\n{}", what, std::holds_alternative<Bound>(at) ? "<=" : "=",
                       brief(at, query.digits), plain(*target_of(query)),
                       is_exact(answer)                   ? certainty(at, query.digits)
                       : query.solve != PortSolve::buffer ? std::string("a proved bound for all such flows")
                                                          : std::string(proof_in_words(level.proof)))});
    } else {
      lines.push_back({"proof", proof_in_words(level.proof)});
    }
    if (level.pattern && !level.minimum && *level.needed > 0)
      lines.push_back(
          {"lower bound", fmt::format("{}: {}", counted(*level.needed, "packet"), in_words(*level.pattern))});
  }
  if (query.capacity && query.solve == PortSolve::buffer && *query.capacity < answer.never.packets) {
    if (answer.maximum)
      lines.push_back({"fraction of time",
                       fmt::format("{} for all such flows; at least {} for some",
                                   useless(*answer.maximum) ? std::string("no useful bound")
                                                            : "at most " + brief(shown(*answer.maximum), {4}),
                                   brief(shown(*answer.witnessed), {4}))});
    if (answer.exact)
      lines.push_back({"fraction of time", fmt::format("{}, {}", brief(shown(*answer.exact), query.digits),
                                                       certainty(shown(*answer.exact), query.digits))});
    if (answer.ever) {
      const Value ever = shown(*answer.ever);
      lines.push_back(
          {"ever", fmt::format("{}{} of the start-ups ever exceed it",
                               std::holds_alternative<Bound>(ever) ? "at most " : "", brief(ever, {6}))});
    }
  }
  const std::string wait_ns =
      units.slot_ns() ? fmt::format(" ({})", ns_in_words(Whole{answer.never.wait}, scale_of(units))) : "";
  lines.push_back({"never", fmt::format("more than {}, nor a wait of more than {}{} before transmission",
                                        counted(answer.never.packets, "packet"),
                                        counted(answer.never.wait, "slot"), wait_ns)});
  lines.push_back({"load", fmt::format("{} packets per slot", plain(answer.load))});
  if (units.packet_bytes && answer.level)
    lines.push_back({"size", bytes_in_words(Whole{answer.level->buffer}, scale_of(units))});
  return lines;
}

/// P(Q > q) at each level from 0, for all such flows or for some, while it is at least 10^`smallest`. Of many
/// levels, a line through enough of them.
Curve flow_curve(std::string title, const std::function<FlowTail(std::int64_t)>& tail,
                 double FlowTail::*log10, std::int64_t last, double smallest) {
  constexpr std::int64_t max_steps = 120;
  Curve curve{.title = std::move(title), .style = CurveStyle::steps};
  const auto at = [tail, log10, smallest](double level) -> std::optional<Course::Place> {
    const double value = tail(std::llround(level)).*log10;
    return value < smallest ? std::nullopt : std::optional(Course::Place{std::round(level), value});
  };
  if (last > max_steps) {
    curve.style = CurveStyle::line;
    curve.course = Course{at, {0, static_cast<double>(last)}};
    return curve;
  }
  for (std::int64_t level = 0; level <= last; ++level)
    if (const auto place = at(static_cast<double>(level)); place && std::isfinite(place->second))
      curve.points.push_back(*place);
  return curve;
}

/// P(Q > q) for all such flows and for some, to twice the buffer in question, otherwise down to 1e-18, or to
/// the level that is never exceeded.
Picture tails_picture(const PortPoint& point) {
  const auto& [query, answer] = point;
  const auto tail = flow_tail(answer.flows);
  constexpr double smallest = -18;
  const std::int64_t end = query.capacity ? 2 * *query.capacity
                           : answer.level && requests_time(query)
                               ? 2 * answer.level->buffer
                               : 1 + last_that(0, answer.never.packets, [&](std::int64_t level) {
                                   return tail(level).log10_max >= smallest;
                                 });
  const std::int64_t last = std::max<std::int64_t>(4, std::min(answer.never.packets, end));
  const bool all = query.capacity || (answer.level && requests_time(query));
  const double lowest = all ? -std::numeric_limits<double>::infinity() : smallest - 2;
  Picture picture{.title = "Backlog of independent flows: " + in_words(answer.flows),
                  .x_label = "q [packets]",
                  .y_label = "P(Q > q)",
                  .powers_of_ten = true};
  Curve maximum = flow_curve("upper bound, all such flows", tail, &FlowTail::log10_max, last, lowest);
  Curve witnessed = flow_curve("lower bound, some of them", tail, &FlowTail::log10_witnessed, last, lowest);
  picture.curves = {std::move(maximum), std::move(witnessed)};
  if (const auto target = target_of(query); target && requests_time(query)) {
    const double level = *log10_height(Given{*target});
    picture.curves.push_back({.title = "target",
                              .style = CurveStyle::rule,
                              .points = {{0, level}, {static_cast<double>(last), level}}});
  }
  return picture;
}

}  // namespace

Layout with_port_guarantee(Layout guarantee) {
  add_missing(guarantee.inputs, port_inputs().columns());
  add_missing(guarantee.inputs, unit_fields().columns());
  add_missing(guarantee.results, port_results().columns());
  return guarantee;
}

Document document(const PortGuaranteeQuery& query, const PortGuaranteeAnswer& answer, const Units& units) {
  const PortPoint point{query, answer};
  const char* quiet = answer.max_flows    ? "most_flows"
                      : answer.max_rate   ? "max_rate"
                      : answer.min_period ? "min_period"
                      : !answer.level     ? (answer.exact ? "probability_exact" : "probability_most")
                                          : "buffer";
  Layout layout{.command = "guarantee",
                .inputs = joined(port_inputs().columns(), unit_fields().columns()),
                .results = port_results().columns(),
                .quiet = {quiet}};
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = headline(point),
                    .settings = "One port: " + in_words(answer.flows) + ".",
                    .results = {},
                    .digits = query.digits};
  Result& result = document.results.emplace_back();
  result.inputs = joined(port_inputs().cells(query), unit_fields().cells(units));
  result.cells = port_results().cells(answer);
  result.lines = lines(point, units);
  const bool never_only = !target_of(query) && !query.capacity;
  if (never_only || (answer.level && answer.level->proof == FlowProof::never))
    document.notes.emplace_back(never_basis);
  else
    document.notes.emplace_back(
        answer.exact || is_exact(answer) || requests_starts(query) ? phases_basis : independent_basis);
  document = with_units(std::move(document), scale_of(units));
  document.picture = [point] { return tails_picture(point); };
  return document;
}

}  // namespace tailbound::render
