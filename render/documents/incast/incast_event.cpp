#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer_columns.hpp>
#include <tailbound/render/documents/incast/incast_event.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <set>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::Criterion;
using bounds::IncastEvent;
using numeric::plain;
using numeric::Rational;

constexpr const char* event_basis =
    "One event at an empty output, nothing else arrives. Each sender sends one packet per slot; with "
    "--spread "
    "it starts in a random slot, independently of the others. With a rate of events (--incast N,L,RATE) the "
    "answer is that of a queue in equilibrium.";

bool requests_buffer(const IncastEventQuery& query) {
  return query.drop().has_value();
}

/// "64 senders, 32 packets each, which start in the same slot"
std::string event_in_words(const IncastEvent& event) {
  std::string words =
      fmt::format("{}, {} each, ", counted(event.senders, "sender"), counted(event.packets, "packet"));
  words += event.spread == 1 ? "which start in the same slot"
                             : fmt::format("which start in a random slot of {}", event.spread);
  if (event.served > 1) words += fmt::format("; {} packets served per slot", event.served);
  return words;
}

std::string target_in_words(const IncastEventQuery& query) {
  const std::string target = plain(*query.drop());
  return query.criterion == Criterion::overflow
             ? fmt::format("the event loses a packet with probability <= {}", target)
             : fmt::format("fraction of its packets lost <= {}", target);
}

Headline sentence(const IncastEventPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  const std::string buffer = with_article(answer.buffer.value, "packet") + " buffer" +
                             size_in_words(answer.buffer, units.packet_bytes);
  const std::vector<Value> quoted{shown(answer.at)};
  if (answer.buffer >= answer.worst)
    return Headline::without_numbers(fmt::format("{} suffices: no packet of the event is lost.", buffer));
  if (query.drop()) return {fmt::format("{} suffices: {}.", buffer, target_in_words(query)), quoted};
  const std::string at = brief(quoted.front(), numeric::Digits{6});
  const char* relation = std::holds_alternative<Bound>(quoted.front()) ? "at most " : "";
  if (query.criterion == Criterion::overflow)
    return {fmt::format("The event loses a packet with probability {}{} in {}.", relation, at, buffer),
            quoted};
  return {fmt::format("{} loses {}{} of the packets.", buffer, relation, at), quoted};
}

std::string symbol(Criterion criterion, std::int64_t buffer) {
  return criterion == Criterion::overflow ? fmt::format("P(peak > {})", buffer)
                                          : fmt::format("loss({})", buffer);
}

/// "P(peak > 1700) = 8.1e-10, exact"
std::string with_its_kind(Criterion criterion, std::int64_t buffer,
                          const numeric::Claim<unit::Probability>& claim) {
  const Value value = shown(claim);
  const bool bound = std::holds_alternative<Bound>(value);
  return fmt::format("{} {} {}{}", symbol(criterion, buffer), bound ? "<=" : "=", brief(value, {6}),
                     bound ? ", proved" : ", " + certainty(value, {6}));
}

std::vector<Line> lines(const IncastEventPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  const UnitScale scale = scale_of(units);
  const std::int64_t buffer = answer.buffer.value;
  std::vector<Line> lines;
  std::string proof = with_its_kind(query.criterion, buffer, answer.at);
  if (answer.before)
    proof += "\n" + with_its_kind(query.criterion, buffer - 1, *answer.before) + ": one packet less misses";
  lines.push_back({"proof", proof});
  if (query.criterion == Criterion::overflow)
    lines.push_back(
        {"loss", with_its_kind(Criterion::loss, buffer, answer.loss) + " (fraction of the packets)"});
  else
    lines.push_back({"overflow", with_its_kind(Criterion::overflow, buffer, answer.overflow)});
  lines.push_back({"worst case", fmt::format("a peak of {}, if all start in the same slot",
                                             counted(answer.worst.value, "packet"))});
  if (units.packet_bytes) lines.push_back({"size", bytes_in_words(shown(answer.buffer), scale)});
  if (const auto slot = units.slot_ns())
    lines.push_back(
        {"time", fmt::format("{} per slot; a full buffer drains in {} ns", ns_in_words(Whole{1}, scale),
                             numeric::to_decimal(*slot * Rational(buffer) / Rational(query.event.served), 6,
                                                 numeric::Rounding::nearest))});
  return lines;
}

const Fields<IncastEventQuery>& event_inputs() {
  using Query = IncastEventQuery;
  static const Fields<Query> fields{
      {{"traffic", "traffic", "", Shape::text, "incast", Style::hidden},
       [](const Query&) { return "incast"; }},
      {{"senders", "senders", "", Shape::whole,
        "senders that start in the same slot, one packet per slot each"},
       [](const Query& of) { return of.event.senders; }},
      {{"event_packets", "packets of each sender", "", Shape::whole,
        "packets that each sender sends per event"},
       [](const Query& of) { return of.event.packets; }},
      {{"spread", "spread", "slots", Shape::whole,
        "--incast, one event: each sender starts in a random one of so many slots"},
       [](const Query& of) { return of.event.spread; }},
      {{"packets_per_slot", "served", "", Shape::whole, "packets served per slot, 1 to 64"},
       [](const Query& of) { return of.event.served; }},
      {{"drop", "target", "", Shape::given, "EPS, the target, between 0 and 1"}, &Query::drop, if_present},
      {{"capacity", "capacity", "packets", Shape::whole, "B as given"},
       [](const Query& of) { return std::get<ProbabilityOf>(of.requested).capacity; },
       [](const Query& of) { return !of.drop().has_value(); }},
      {{"criterion", "criterion", "", Shape::text,
        "overflow: P(peak > B); loss: expected fraction of the packets lost"},
       &Query::criterion}};
  return fields;
}

const Fields<IncastEventPoint>& event_results() {
  using Point = IncastEventPoint;
  static const Fields<Point> fields{
      {{"buffer", "buffer", "packets", Shape::whole, "B: meets the target, or as given", Style::plain, 0, ""},
       [](const Point& of) { return of.second.buffer; }},
      {{"overflow", "P(peak > B)", "", Shape::number, "--incast, one event: P(peak > B), any packet is lost"},
       [](const Point& of) { return shown(of.second.overflow); }},
      {{"event_loss", "loss", "", Shape::number,
        "--incast, one event: expected fraction of its packets lost in a buffer of B", Style::plain, 6},
       [](const Point& of) { return shown(of.second.loss); }},
      {{"peak_worst", "worst peak", "packets", Shape::whole,
        "--incast, one event: the peak if all start in the same slot"},
       [](const Point& of) { return of.second.worst; }}};
  return fields;
}

std::string title(const std::vector<IncastEventPoint>& points) {
  const IncastEventQuery& query = points.front().first;
  if (!requests_buffer(query)) return "One incast: buffer overflow";
  const bool one = std::all_of(points.begin(), points.end(), [&](const IncastEventPoint& point) {
    return point.first.drop() == query.drop() && point.first.criterion == query.criterion;
  });
  return one ? "Minimum buffer for one incast: " + target_in_words(query)
             : std::string("Minimum buffer for one incast");
}

Picture picture(const Document& document, const std::vector<IncastEventPoint>& points) {
  const bool buffers = requests_buffer(points.front().first);
  return sweep_picture(
      document,
      Sweep{.axes = {"spread", "senders", "event_packets", "packets_per_slot", "drop", "capacity"},
            .height = buffers ? "buffer" : "overflow",
            .powers_of_ten = !buffers},
      Picture{
          .title = title(points), .x_label = {}, .y_label = buffers ? "buffer [packets]" : "P(peak > B)"});
}

/// P(peak > B) of the event up to the worst case.
Picture picture_around(const IncastEventPoint& point, const Units& units) {
  std::set<std::int64_t> levels{point.second.buffer.value};
  const std::int64_t worst = point.second.worst.value;
  for (int i = 1; i <= 24; ++i) levels.insert(worst * i / 24 - 1);
  std::vector<IncastEventQuery> others;
  for (const std::int64_t level : levels) {
    others.push_back(point.first);
    others.back().requested = ProbabilityOf{Packets(std::max<std::int64_t>(level, 0))};
  }
  const auto points = answered(others, [](const IncastEventQuery& other) { return answers::answer(other); });
  if (points.size() < 2) throw NoAnswer("nothing to draw");
  Picture picture = document(points, units).picture();
  mark_here(picture, static_cast<double>(point.second.buffer.value), "this buffer");
  return picture;
}

}  // namespace

Cells inputs_of(const IncastEventQuery& query, const Units& units) {
  return joined(event_inputs().cells(query), unit_fields().cells(units));
}

Layout with_incast_event(Layout buffer) {
  add_missing(buffer.inputs, event_inputs().columns());
  add_missing(buffer.results, event_results().columns());
  return buffer;
}

Document document(const std::vector<IncastEventPoint>& points, const Units& units) {
  const IncastEventQuery& first = points.front().first;
  Layout layout{.command = "buffer",
                .inputs = joined(event_inputs().columns(), unit_fields().columns()),
                .results = event_results().columns(),
                .quiet = {requests_buffer(first)                   ? "buffer"
                          : first.criterion == Criterion::overflow ? "overflow"
                                                                   : "event_loss"}};
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = points.size() > 1
                                    ? std::string("One incast at an empty output.")
                                    : "One incast at an empty output: " + event_in_words(first.event) + ".",
                    .results = {}};
  std::vector<Value> proof;
  for (const IncastEventPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(point.first, units);
    result.cells = event_results().cells(point);
    if (points.size() == 1) result.lines = lines(point, units);
    proof.push_back(shown(point.second.at));
  }
  document.headline = points.size() == 1 ? sentence(points.front(), units)
                                         : range_headline(document, title(points),
                                                          requests_buffer(first) ? " packets" : "", proof);
  document.notes.emplace_back(event_basis);
  document = with_units(std::move(document), scale_of(units));
  if (points.size() == 1)
    document.picture = [point = points.front(), units] { return picture_around(point, units); };
  else
    document.picture = [document, points] { return picture(document, points); };
  return document;
}

}  // namespace tailbound::render
