#include <fmt/format.h>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer_columns.hpp>
#include <tailbound/render/documents/guarantee/headroom.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/sweep_picture.hpp>
#include <tailbound/render/units.hpp>

#include <algorithm>
#include <string>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::HeadroomTerm;
using numeric::plain;

constexpr const char* headroom_basis =
    "Proved for any sender within these numbers, and nearly attained. Headroom is above the pause threshold; "
    "a buffer that counts only complete packets needs one packet more. With two clocks, use the faster rate.";
constexpr const char* headroom_cells_basis =
    "Cells: exact maximum over all packet lengths, with partly filled last cells.";
constexpr const char* headroom_credits_basis =
    "Credits (instead of pause frames): the buffer size that keeps the link busy without waiting for "
    "credits.";

bool counts_cells(const HeadroomPoint& point) {
  return point.first.cell_bytes.has_value();
}

/// "400 Gbit/s and 500 m"
std::string link_in_words(const HeadroomQuery& query) {
  return fmt::format("{} Gbit/s and {} m", plain(query.gbps), plain(query.cable));
}

/// Times may be arbitrary fractions.
std::string ns_text(const numeric::Rational& time) {
  return brief(time, {6}) + " ns";
}

const Fields<HeadroomQuery>& headroom_inputs() {
  using Query = HeadroomQuery;
  static const Fields<Query> fields{
      {{"link_gbps", "link", "Gbit/s", Shape::given, "rate of a link [Gbit/s]"}, &Query::gbps},
      {{"cable_m", "cable", "m", Shape::given, "--headroom: length of the cable"}, &Query::cable},
      {{"longest_bytes", "longest", "bytes", Shape::whole, "--headroom: longest packet that is paused"},
       [](const Query& of) { return of.link().packets.longest; }},
      {{"shortest_bytes", "shortest", "bytes", Shape::whole, "--headroom: shortest packet"},
       [](const Query& of) { return of.link().packets.shortest; }},
      {{"cell_bytes", "cell", "bytes", Shape::whole, "--headroom: cells of the memory"},
       &Query::cell_bytes,
       if_present}};
  return fields;
}

/// Derived from the rate and the packets if not given. Therefore not an input, which pictures would
/// distinguish.
const Fields<HeadroomQuery>& headroom_latencies() {
  using Query = HeadroomQuery;
  static const Fields<Query> fields{
      {{"sender_ns", "sender", "ns", Shape::given,
        "--headroom: time from the last bit of a pause frame until the sender stops", Style::hidden},
       [](const Query& of) { return of.link().sender_latency; }},
      {{"pause_quanta", "", "", Shape::whole, "--headroom: the same in quanta of 512 bit times",
        Style::hidden},
       [](const Query& of) { return of.quanta()->count; },
       [](const Query& of) { return of.quanta().has_value(); }},
      {{"receiver_ns", "receiver", "ns", Shape::given,
        "--headroom: time until the pause frame is ready to be sent", Style::hidden},
       [](const Query& of) { return of.link().receiver_latency; }},
      {{"metre_ns", "", "ns", Shape::given, "--headroom: delay per metre of cable", Style::hidden},
       [](const Query& of) { return of.link().delay_per_metre; }},
      {{"phy_ns", "", "ns", Shape::given, "--headroom: delay of each direction in addition to the cable",
        Style::hidden},
       [](const Query& of) { return of.link().fixed_delay; }},
      {{"return_bytes", "", "bytes", Shape::whole,
        "--headroom: longest packet in the direction of pause frames", Style::hidden},
       [](const Query& of) { return of.link().longest_return; }},
      {{"return_gbps", "", "Gbit/s", Shape::given, "--headroom: rate of that direction", Style::hidden},
       [](const Query& of) { return of.return_gbps.value_or(of.gbps); }}};
  return fields;
}

std::vector<std::string> assumed_keys(const HeadroomQuery& query) {
  std::vector<std::string> keys;
  const auto add = [&](const char* key, bool given) {
    if (!given) keys.emplace_back(key);
  };
  add("sender_ns", !query.sender_assumed());
  add("receiver_ns", query.receiver_ns.has_value());
  add("longest_bytes", query.longest.has_value());
  add("shortest_bytes", query.shortest.has_value());
  add("return_bytes", query.return_bytes.has_value());
  add("return_gbps", query.return_gbps.has_value());
  add("metre_ns", query.metre_ns.has_value());
  add("phy_ns", query.phy_ns.has_value());
  return keys;
}

const Fields<HeadroomPoint>& headroom_results() {
  using Point = HeadroomPoint;
  static const Fields<Point> fields{
      {{"headroom_bytes", "headroom", "bytes", Shape::whole,
        "--headroom: data that still arrives after the buffer has requested a pause"},
       [](const Point& of) { return of.second.headroom.bytes; }},
      {{"headroom_cells", "headroom", "cells", Shape::whole, "--headroom: the same in cells"},
       [](const Point& of) { return of.second.cells; },
       &counts_cells},
      {{"credit_bytes", "credits", "bytes", Shape::whole,
        "--headroom: one-byte credits that keep the link busy, instead of pause frames"},
       [](const Point& of) { return of.second.credits.bytes; }},
      {{"credit_cells", "credits", "cells", Shape::whole,
        "--headroom: one-cell credits that keep the link busy"},
       [](const Point& of) { return of.second.credit_cells; },
       &counts_cells},
      {{"round_trip_ns", "round trip", "ns", Shape::given,
        "--headroom: time from the last bit of a packet at the sender until its credit returns"},
       [](const Point& of) { return of.second.credits.round_trip; }},
      {{"assumed", "", "", Shape::texts, "--headroom: keys of the defaults used", Style::hidden},
       [](const Point& of) { return Value(TextList{assumed_keys(of.first)}); }},
      {headroom_latencies(), [](const Point& of) -> const HeadroomQuery& { return of.first; }}};
  return fields;
}

const Table<HeadroomTerm>& headroom_terms() {
  static const Table<HeadroomTerm> table{
      "headroom_terms",
      "--headroom: its terms, rounded up",
      {{{"term", "term", "", Shape::text, "cause"}, &HeadroomTerm::name},
       {{"time_ns", "time", "ns", Shape::given, "duration"}, &HeadroomTerm::time},
       {{"bytes", "bytes", "", Shape::given, "bytes at line rate; negative if subtracted"},
        &HeadroomTerm::bytes}}};
  return table;
}

std::string usual_sender(const HeadroomQuery& query) {
  const UsualQuanta usual = usual_pause_quanta(query.gbps);
  const numeric::Rational of = numeric::Rational(usual.of_gbps);
  return fmt::format("the sender stops within {} quanta ({}), {}", usual.quanta.count,
                     ns_text(query.link().sender_latency),
                     of == query.gbps  ? std::string("as 802.3 allows")
                     : of > query.gbps ? fmt::format("those of {} Gbit/s in 802.3", usual.of_gbps)
                                       : fmt::format("the time of {} Gbit/s in 802.3", usual.of_gbps));
}

/// The defaults used, as text, with the options that set them. If rates differ, without their numbers.
std::vector<std::string> assumed(const std::vector<HeadroomPoint>& points) {
  const HeadroomQuery& first = points.front().first;
  const bool one_rate = std::all_of(points.begin(), points.end(),
                                    [&](const HeadroomPoint& each) { return each.first.gbps == first.gbps; });
  const bounds::PausingLink link = first.link();
  std::vector<std::string> all;
  if (first.sender_assumed())
    all.push_back((one_rate ? usual_sender(first)
                            : std::string("the sender stops in the time that 802.3 allows at its rate")) +
                  " (--sender-ns)");
  if (!first.receiver_ns)
    all.emplace_back("the pause frame of the receiver is ready in the same time (--receiver-ns)");
  if (!first.longest || !first.shortest) {
    const std::string shortest = fmt::format("{} bytes or more (--shortest)", link.packets.shortest);
    const std::string longest = fmt::format("at most {} bytes (--packet-bytes)", link.packets.longest);
    all.push_back("packets have " + (first.longest    ? shortest
                                     : first.shortest ? longest
                                                      : shortest + " and " + longest));
  }
  if (!first.return_bytes)
    all.emplace_back("packets that delay the pause frame have the same maximum size (--return-bytes)");
  if (!first.return_gbps) all.emplace_back("the reverse direction has the same rate (--return-gbps)");
  if (!first.metre_ns)
    all.push_back(fmt::format("delay per metre of cable {} (--metre-ns)", ns_text(link.delay_per_metre)));
  if (!first.phy_ns) all.emplace_back("no delay of transceivers and coding (--phy-ns)");
  return all;
}

std::string joined_by(const std::vector<std::string>& all, const char* separator) {
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : separator) + each;
  return text;
}

std::vector<Line> lines(const HeadroomPoint& point) {
  const auto& [query, answer] = point;
  const UnitScale bytes{.bytes_of_packet = 1};
  std::vector<Line> lines{
      {"headroom", bytes_in_words(Whole{answer.headroom.bytes}, bytes) + ", never exceeded"}};
  if (answer.cells)
    lines.push_back(
        {"in cells", fmt::format("{} of {} bytes, {}", counted(*answer.cells, "cell"), *query.cell_bytes,
                                 bytes_in_words(Whole{*answer.cells * *query.cell_bytes}, bytes))});
  lines.push_back({"credits", fmt::format("{}{} keep the link busy; round trip {}",
                                          bytes_in_words(Whole{answer.credits.bytes}, bytes),
                                          answer.credit_cells
                                              ? fmt::format(", or {},", counted(*answer.credit_cells, "cell"))
                                              : std::string(),
                                          ns_text(answer.credits.round_trip))});
  if (const auto all = assumed({point}); !all.empty()) lines.push_back({"assumed", joined_by(all, "\n")});
  return lines;
}

std::string headroom_title() {
  return "Headroom of a lossless buffer above its pause threshold";
}

Picture headroom_picture(const Document& document, bool in_cells) {
  return sweep_picture(document,
                       {.axes = {"cable_m", "link_gbps", "longest_bytes", "cell_bytes"},
                        .height = in_cells ? "headroom_cells" : "headroom_bytes"},
                       {.title = headroom_title(),
                        .x_label = {},
                        .y_label = in_cells ? "headroom [cells]" : "headroom [bytes]"});
}

}  // namespace

Layout with_headroom(Layout guarantee) {
  add_missing(guarantee.inputs, headroom_inputs().columns());
  add_missing(guarantee.results, headroom_results().columns());
  guarantee.tables.push_back(headroom_terms().layout());
  return guarantee;
}

Cells inputs_of(const HeadroomQuery& query) {
  return headroom_inputs().cells(query);
}

Document document(const std::vector<HeadroomPoint>& points) {
  const bool single = points.size() == 1;
  const bool in_cells = counts_cells(points.front());
  Layout layout{.command = "guarantee",
                .inputs = headroom_inputs().columns(),
                .results = headroom_results().columns(),
                .tables = {headroom_terms().layout()},
                .quiet = {in_cells ? "headroom_cells" : "headroom_bytes"}};
  Document document{
      .layout = std::make_shared<const Layout>(std::move(layout)),
      .headline = single
                      ? Headline(fmt::format("A lossless buffer at {} needs {} of headroom above its pause "
                                             "threshold.",
                                             link_in_words(points.front().first),
                                             counted(points.front().second.headroom.bytes, "byte")),
                                 {shown_as(Shape::whole, points.front().second.headroom.bytes)})
                      : Headline(),
      .settings = single ? std::string() : headroom_title() + ".",
      .results = {}};
  for (const HeadroomPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(point.first);
    result.cells = headroom_results().cells(point);
    result.tables.push_back(headroom_terms().rows(share(point.second.headroom.terms)));
    result.tables.back().in_text = single;
    if (single) result.lines = lines(point);
  }
  if (!single)
    document.headline = {
        "headroom",
        range_in_words(document, document.layout->quiet.front()) + (in_cells ? " cells" : " bytes"), "",
        values_of(document, document.layout->quiet.front())};
  if (const auto all = assumed(points); !single && !all.empty())
    document.notes.push_back("Assumed: " + joined_by(all, "; ") + ".");
  document.notes.emplace_back(headroom_basis);
  if (in_cells) document.notes.emplace_back(headroom_cells_basis);
  document.notes.emplace_back(headroom_credits_basis);
  document.picture = [document, in_cells] { return headroom_picture(document, in_cells); };
  return document;
}

}  // namespace tailbound::render
