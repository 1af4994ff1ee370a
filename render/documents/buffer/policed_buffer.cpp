#include <fmt/format.h>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer_columns.hpp>
#include <tailbound/render/documents/buffer/policed_buffer.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <functional>
#include <string>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;

constexpr const char* policed_basis =
    "Worst case: maximum over all arrival patterns that conform to the buckets. Assumed: each packet's "
    "output is drawn independently of its timing, and sources do not react (no credits, no back-pressure).";
constexpr const char* message_basis =
    "All packets of a message go to one output; an input sends its messages in order.";

bool finds_buffer(const PolicedBufferQuery& query) {
  return std::holds_alternative<MinBuffer>(query.requested);
}
bool exact_case(const PolicedBufferPoint& point) {
  return !point.second.bound_only();
}
bool bound_case(const PolicedBufferPoint& point) {
  return !exact_case(point);
}

std::string tokens(const numeric::Rational& burst) {
  return fmt::format("{} token{}", plain(burst), burst == 1 ? "" : "s");
}

/// The policed inputs: number, rate and tokens of each.
std::string inputs_in_words(const PolicedBufferQuery& query) {
  const queue::PolicedInputs& inputs = query.inputs;
  std::string words =
      fmt::format("{} policed to {} packets per slot and {}{}", counted(inputs.inputs, "input"),
                  plain(inputs.bucket.rate), tokens(inputs.bucket.burst), inputs.inputs > 1 ? " each" : "");
  if (inputs.message > 1) words += fmt::format(", messages of up to {} packets", inputs.message);
  return words;
}

std::string symbol_at(Packets buffer) {
  return fmt::format("P(Q > {})", buffer.value);
}

const Fields<PolicedBufferQuery>& policed_inputs() {
  using Query = PolicedBufferQuery;
  static const Fields<Query> fields{
      {{"inputs", "inputs", "", Shape::whole, "K"}, [](const Query& of) { return of.inputs.inputs; }},
      {{"police_rate", "rate", "packets/slot", Shape::given,
        "--police: R, token rate of an input's bucket [tokens/slot]"},
       [](const Query& of) { return of.inputs.bucket.rate; }},
      {{"police_burst", "tokens", "", Shape::given, "--police: B, depth of an input's bucket [tokens]"},
       [](const Query& of) { return of.inputs.bucket.burst; }},
      {{"message", "message", "packets", Shape::whole,
        "--police: maximum packets of a message, which go to one output together"},
       [](const Query& of) { return of.inputs.message; },
       [](const Query& of) { return of.inputs.message > 1; }},
      {{"offered", "offered", "packets/slot", Shape::given,
        "--police: rate of an honest host, independent from slot to slot"},
       &Query::offered,
       if_present},
      {{"drop", "target", "", Shape::given, "EPS, the target, between 0 and 1"}, &Query::drop, if_present},
      {{"capacity", "capacity", "packets", Shape::whole, "B as given, the packet in service included"},
       [](const Query& of) {
         return of.within ? *of.within : std::get<ProbabilityOf>(of.requested).capacity;
       },
       [](const Query& of) { return !finds_buffer(of) || of.within.has_value(); }},
      {accuracy_fields(), &Query::accuracy}};
  return fields;
}

const Fields<HonestHosts>& honest_fields() {
  using Hosts = HonestHosts;
  static const Fields<Hosts> fields{
      {{"delayed_at_shaper", "", "", Shape::claim,
        "--offered: fraction of slots after which packets of an honest host wait at its shaper",
        Style::hidden},
       [](const Hosts& of) { return shown(of.delayed_at_shaper.probability); }},
      {{"lost_at_policer", "", "", Shape::bound,
        "--offered: upper bound of the fraction of an honest host's packets that its policer drops",
        Style::hidden},
       &Hosts::lost_at_policer},
      {{"unnoticed_burst", "unnoticed", "", Shape::given,
        "--offered: minimum bucket depth [tokens] at which an honest host is delayed in at most EPS of the "
        "slots"},
       &Hosts::unnoticed_burst,
       if_present},
      {{"buffer_honest", "honest, policed", "packets", Shape::whole,
        "--offered: suffices if all hosts are honest and policed (not shaped)"},
       &Hosts::buffer,
       if_present}};
  return fields;
}

const Fields<PolicedBufferPoint>& policed_results() {
  using Point = PolicedBufferPoint;
  static const Fields<Point> fields{
      {{"buffer", "buffer", "packets", Shape::whole, "B: the minimum that meets the target, or as given",
        Style::plain, 0, ""},
       [](const Point& of) { return of.second.buffer; }},
      {{"probability", "P(Q > buffer)", "", Shape::claim, "the criterion at B"},
       [](const Point& of) { return shown(of.second.at.probability); },
       &exact_case},
      {{"probability_bound", "P(Q > buffer)", "", Shape::bound, "proved upper bound of the criterion at B"},
       [](const Point& of) { return of.second.closed_form; },
       &bound_case},
      {{"probability_before", "", "", Shape::claim, "the criterion at B - 1", Style::hidden},
       [](const Point& of) {
         return of.second.before ? shown(of.second.before->probability) : Value(None{});
       },
       [](const Point& of) { return exact_case(of) && finds_buffer(of.first); }},
      {{"probability_closed_form", "", "", Shape::bound, "--police: its closed form at B, an upper bound",
        Style::hidden},
       [](const Point& of) { return of.second.closed_form; },
       &exact_case},
      {{"buffer_closed_form", "closed form", "packets", Shape::whole,
        "--police: a buffer that meets the target by the closed form"},
       [](const Point& of) { return of.second.closed_form_buffer; },
       [](const Point& of) { return exact_case(of) && finds_buffer(of.first); }},
      {{"unpoliced_buffer", "Bernoulli", "packets", Shape::whole,
        "--police: minimum buffer of independent Bernoulli inputs at passed_rate"},
       [](const Point& of) { return of.second.unpoliced_buffer; },
       if_present},
      {{"unpoliced_probability", "Bernoulli", "", Shape::claim,
        "--police: P(Q > B) of independent Bernoulli inputs at passed_rate"},
       [](const Point& of) { return shown(of.second.unpoliced->probability); },
       [](const Point& of) { return of.second.unpoliced.has_value(); }},
      {{"token_price", "per token", "packets", Shape::given,
        "--police: 1/passed_rate, maximum buffer per token of depth, deep in the tail", Style::hidden},
       [](const Point& of) { return of.second.token_price; }},
      {{"passed_rate", "", "packets/slot", Shape::given,
        "--police: rate that the bucket sustains; below R if it discards tokens while packets wait",
        Style::hidden},
       [](const Point& of) { return of.second.rate; }},
      {{"buffer_never", "", "packets", Shape::whole,
        "--police: never exceeded for any outputs drawn; only if the inputs together do not overload the "
        "queue",
        Style::hidden},
       [](const Point& of) { return of.second.never_exceeded; },
       if_present},
      {honest_fields(),
       [](const Point& of) -> const std::optional<HonestHosts>& { return of.second.honest; }},
      {{"method", "", "", Shape::text, "double, .., multiprecision, or bound", Style::hidden},
       [](const Point& of) { return exact_case(of) ? of.second.at.computation.name() : "bound"; }},
      {{"bits", "", "", Shape::whole, "precision of a recurrence's arithmetic", Style::hidden},
       [](const Point& of) { return of.second.at.computation.method.bits; },
       &exact_case}};
  return fields;
}

Headline headline(const PolicedBufferPoint& point) {
  const auto& [query, answer] = point;
  const std::string buffer = with_article(answer.buffer.value, "packet") + " buffer";
  const std::vector<Value> quoted{shown(answer.at.probability)};
  if (query.within)
    return {
        fmt::format("Maximum bucket {} packets per slot and {} for {} buffer: P(Q > {}) <= {}.",
                    plain(query.inputs.bucket.rate), tokens(query.inputs.bucket.burst),
                    with_article(query.within->value, "packet"), query.within->value, plain(*query.drop())),
        quoted};
  if (finds_buffer(query))
    return {fmt::format("{} suffices: {} <= {} in the worst case.", buffer, symbol_at(answer.buffer),
                        plain(*query.drop())),
            quoted};
  return {fmt::format("{} {} {} in the worst case for {}.", symbol_at(answer.buffer),
                      exact_case(point) ? "=" : "<=", brief(quoted.front(), query.accuracy.digits), buffer),
          quoted};
}

std::vector<Line> lines(const PolicedBufferPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  const numeric::Digits digits = query.accuracy.digits;
  std::vector<Line> lines;
  if (query.within) lines.push_back({"limit", "a rate is rounded down to 3 decimals, tokens to whole ones"});
  const Value at = shown(answer.at.probability);
  std::string proof =
      fmt::format("{} {} {}", symbol_at(answer.buffer), exact_case(point) ? "=" : "<=", brief(at, digits));
  if (const auto drop = query.drop()) {
    proof += " <= " + plain(*drop);
    if (answer.before)
      proof += fmt::format(" < {} = {}", symbol_at(answer.buffer - Packets(1)),
                           brief(shown(answer.before->probability), digits));
  }
  lines.push_back(
      {"proof", proof + (exact_case(point)          ? "\nin the worst case, " + certainty(at, digits)
                         : query.inputs.message > 1 ? "\na proved bound: fewer packets may suffice"
                                                    : "\na proved bound: fewer packets may suffice, but "
                                                      "the exact worst case would take too long")});
  if (exact_case(point))
    lines.push_back(
        {"closed form",
         (answer.closed_form_buffer ? fmt::format("{}; ", counted(answer.closed_form_buffer->value, "packet"))
                                    : std::string()) +
             fmt::format("{} <= {}, proved", symbol_at(answer.buffer),
                         brief(shown(answer.closed_form), {6}))});
  if (answer.unpoliced_buffer)
    lines.push_back(
        {"Bernoulli", fmt::format("independent Bernoulli inputs at {} need {}", plain(answer.rate),
                                  counted(answer.unpoliced_buffer->value, "packet"))});
  if (answer.unpoliced)
    lines.push_back({"Bernoulli", fmt::format("independent Bernoulli inputs at {}: {}", plain(answer.rate),
                                              brief(shown(answer.unpoliced->probability), digits))});
  lines.push_back({"per token", fmt::format("at most {} packets of buffer, deep in the tail (1/rate)",
                                            brief(answer.token_price, {5}))});
  if (answer.rate != query.inputs.bucket.rate)
    lines.push_back(
        {"caution",
         fmt::format("a bucket this shallow discards tokens: it sustains {} packets per slot, not {} "
                     "({} tokens or more do)",
                     plain(answer.rate), plain(query.inputs.bucket.rate),
                     plain(sustaining_depth(query.inputs.bucket.rate)))});
  if (answer.never_exceeded)
    lines.push_back({"never", fmt::format("more than {} for any outputs drawn",
                                          counted(answer.never_exceeded->value, "packet"))});
  if (answer.honest) {
    const HonestHosts& honest = *answer.honest;
    std::string phrase = fmt::format(
        "{} packets per slot, Bernoulli: waits at a shaper in {} of the slots; a policer drops at most {}",
        plain(*query.offered), brief(shown(honest.delayed_at_shaper.probability), {6}),
        brief(shown(honest.lost_at_policer), {6}));
    if (honest.unnoticed_burst)
      phrase += fmt::format("\nat most {} of the slots with {} or more", plain(*query.drop()),
                            tokens(*honest.unnoticed_burst));
    if (honest.buffer)
      phrase += fmt::format("\nif all hosts are honest and policed, {} suffice",
                            counted(honest.buffer->value, "packet"));
    lines.push_back({"honest host", phrase});
  }
  if (units.packet_bytes) lines.push_back({"size", bytes_in_words(shown(answer.buffer), scale_of(units))});
  if (exact_case(point)) lines.push_back({"arithmetic", in_words(answer.at.computation)});
  return lines;
}

std::string title(const std::vector<PolicedBufferPoint>& points) {
  return finds_buffer(points.front().first) ? "Minimum buffer for policed inputs, worst case"
                                            : "P(Q > B) for policed inputs, worst case";
}

std::string settings(const std::vector<PolicedBufferPoint>& points) {
  if (points.size() > 1) return "Output queue, inputs policed by token buckets.";
  return "Output queue, " + inputs_in_words(points.front().first) + ".";
}

Picture picture(const Document& document, const std::vector<PolicedBufferPoint>& points) {
  const bool buffers = finds_buffer(points.front().first);
  Picture picture{.title = title(points),
                  .x_label = {},
                  .y_label = buffers ? "buffer B [packets]" : "worst-case P(Q > B)"};
  return sweep_picture(document,
                       {.axes = {"police_burst", "police_rate", "inputs", "message", "drop", "capacity"},
                        .height = buffers                      ? "buffer"
                                  : exact_case(points.front()) ? "probability"
                                                               : "probability_bound",
                        .powers_of_ten = !buffers},
                       std::move(picture));
}

}  // namespace

Cells inputs_of(const PolicedBufferQuery& query, const Units& units) {
  return joined(policed_inputs().cells(query), unit_fields().cells(units));
}

Layout with_policing(Layout buffer) {
  add_missing(buffer.inputs, policed_inputs().columns());
  add_missing(buffer.results, policed_results().columns());
  return buffer;
}

Document document(const std::vector<PolicedBufferPoint>& points, const Units& units) {
  const PolicedBufferQuery& first = points.front().first;
  Layout layout{.command = "buffer",
                .inputs = joined(policed_inputs().columns(), unit_fields().columns()),
                .results = policed_results().columns(),
                .quiet = {finds_buffer(first)          ? "buffer"
                          : exact_case(points.front()) ? "probability"
                                                       : "probability_bound"}};
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = settings(points),
                    .results = {},
                    .digits = first.accuracy.digits};
  bool messages = false;
  for (const PolicedBufferPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(point.first, units);
    result.cells = policed_results().cells(point);
    if (points.size() == 1) result.lines = lines(point, units);
    messages = messages || point.first.inputs.message > 1;
  }
  std::vector<Value> proof;
  for (const PolicedBufferPoint& point : points) proof.push_back(shown(point.second.at.probability));
  document.headline = points.size() == 1 ? headline(points.front())
                                         : range_headline(document, title(points),
                                                          finds_buffer(first) ? " packets" : "", proof);
  document.notes.emplace_back(policed_basis);
  if (messages) document.notes.emplace_back(message_basis);
  document = with_units(std::move(document), scale_of(units));
  document.picture = [document, points] { return picture(document, points); };
  return document;
}

}  // namespace tailbound::render
