#include <cln/rational.h>
#include <fmt/format.h>
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
    "Proved: no more comes, whatever the sender sends that keeps to these numbers; next to attained by "
    "packets of the greatest length. It is room above what is stored when the buffer asks. A buffer that "
    "counts packets once they are complete, with a threshold that moves, needs a packet more. The rate is "
    "taken as exact: of two clocks, that of the faster.";
constexpr const char* headroom_cells_basis =
    "Cells: exactly the most that packets of any lengths can fill; each fills its last one in part.";
constexpr const char* headroom_credits_basis =
    "Credits in place of pauses: a packet takes as many as it is long, and the link never waits for them; "
    "the buffer is then as large as they are.";

bool counts_cells(const HeadroomPoint& point) {
  return point.first.cell_bytes.has_value();
}

/// "400 Gbit/s and 500 m"
std::string link_in_words(const HeadroomQuestion& question) {
  return fmt::format("{} Gbit/s and {} m", plain(question.gbps), plain(question.cable));
}

/// Times may be arbitrary fractions.
std::string ns_text(const numeric::Rational& time) {
  return brief(Exact{time}, {6}) + " ns";
}

const Fields<HeadroomQuestion>& headroom_inputs() {
  using Question = HeadroomQuestion;
  static const Fields<Question> fields{
      {{"link_gbps", "link", "Gbit/s", Shape::given, "rate of a link [Gbit/s]"}, &Question::gbps},
      {{"cable_m", "cable", "m", Shape::given, "--headroom: length of the cable"}, &Question::cable},
      {{"longest_bytes", "longest", "bytes", Shape::whole, "--headroom: longest packet that is paused"},
       [](const Question& of) { return of.link().packets.longest; }},
      {{"shortest_bytes", "shortest", "bytes", Shape::whole, "--headroom: shortest packet"},
       [](const Question& of) { return of.link().packets.shortest; }},
      {{"cell_bytes", "cell", "bytes", Shape::whole, "--headroom: cells of the memory"},
       &Question::cell_bytes,
       if_there}};
  return fields;
}

/// Derived from the rate and the packets if not given. Therefore not an input, which pictures would
/// distinguish.
const Fields<HeadroomQuestion>& headroom_latencies() {
  using Question = HeadroomQuestion;
  static const Fields<Question> fields{
      {{"sender_ns", "sender", "ns", Shape::given,
        "--headroom: from the last bit of a pause frame until the sender obeys", Style::hidden},
       [](const Question& of) { return of.link().sender_latency; }},
      {{"pause_quanta", "", "", Shape::whole, "--headroom: the same in quanta of 512 bit times",
        Style::hidden},
       [](const Question& of) { return of.quanta()->count; },
       [](const Question& of) { return of.quanta().has_value(); }},
      {{"receiver_ns", "receiver", "ns", Shape::given,
        "--headroom: until the pause frame is ready to be sent", Style::hidden},
       [](const Question& of) { return of.link().receiver_latency; }},
      {{"metre_ns", "", "ns", Shape::given, "--headroom: delay of a metre of cable", Style::hidden},
       [](const Question& of) { return of.link().delay_per_metre; }},
      {{"phy_ns", "", "ns", Shape::given, "--headroom: delay of each direction beside the cable",
        Style::hidden},
       [](const Question& of) { return of.link().fixed_delay; }},
      {{"return_bytes", "", "bytes", Shape::whole,
        "--headroom: longest packet in the direction of pause frames", Style::hidden},
       [](const Question& of) { return of.link().longest_return; }},
      {{"return_gbps", "", "Gbit/s", Shape::given, "--headroom: rate of that direction", Style::hidden},
       [](const Question& of) { return of.return_gbps.value_or(of.gbps); }}};
  return fields;
}

std::vector<std::string> assumed_keys(const HeadroomQuestion& question) {
  std::vector<std::string> keys;
  const auto add = [&](const char* key, bool given) {
    if (!given) keys.emplace_back(key);
  };
  add("sender_ns", !question.sender_assumed());
  add("receiver_ns", question.receiver_ns.has_value());
  add("longest_bytes", question.longest.has_value());
  add("shortest_bytes", question.shortest.has_value());
  add("return_bytes", question.return_bytes.has_value());
  add("return_gbps", question.return_gbps.has_value());
  add("metre_ns", question.metre_ns.has_value());
  add("phy_ns", question.phy_ns.has_value());
  return keys;
}

const Fields<HeadroomPoint>& headroom_results() {
  using Point = HeadroomPoint;
  static const Fields<Point> fields{
      {{"headroom_bytes", "headroom", "bytes", Shape::whole,
        "--headroom: what a buffer must still take after it has asked its sender to pause"},
       [](const Point& of) { return of.second.headroom.bytes; }},
      {{"headroom_cells", "headroom", "cells", Shape::whole, "--headroom: the same in cells"},
       [](const Point& of) { return of.second.cells; },
       &counts_cells},
      {{"credit_bytes", "credits", "bytes", Shape::whole,
        "--headroom: credits of a byte each that keep the link full, in place of pauses"},
       [](const Point& of) { return of.second.credits.bytes; }},
      {{"credit_cells", "credits", "cells", Shape::whole,
        "--headroom: credits of a cell each that keep it full"},
       [](const Point& of) { return of.second.credit_cells; },
       &counts_cells},
      {{"round_trip_ns", "round trip", "ns", Shape::given,
        "--headroom: from the last bit of a packet at the sender until its credit is back"},
       [](const Point& of) { return of.second.credits.round_trip; }},
      {{"assumed", "", "", Shape::texts, "--headroom: keys of what was not given", Style::hidden},
       [](const Point& of) { return Value(TextList{assumed_keys(of.first)}); }},
      {headroom_latencies(), [](const Point& of) -> const HeadroomQuestion& { return of.first; }}};
  return fields;
}

const Table<HeadroomTerm>& headroom_terms() {
  static const Table<HeadroomTerm> table{
      "headroom_terms",
      "--headroom: what it is the sum of, rounded up",
      {{{"term", "term", "", Shape::text, "what lets bytes come"}, &HeadroomTerm::name},
       {{"time_ns", "time", "ns", Shape::given, "how long it lasts"}, &HeadroomTerm::time},
       {{"bytes", "bytes", "", Shape::given, "of the line at its rate; below 0 where it is taken off"},
        &HeadroomTerm::bytes}}};
  return table;
}

std::string usual_sender(const HeadroomQuestion& question) {
  const UsualQuanta usual = usual_pause_quanta(question.gbps);
  const numeric::Rational of = numeric::whole(usual.of_gbps);
  return fmt::format("the sender obeys within {} quanta ({}), {}", usual.quanta.count,
                     ns_text(question.link().sender_latency),
                     of == question.gbps  ? std::string("as 802.3 allows")
                     : of > question.gbps ? fmt::format("those of {} Gbit/s in 802.3", usual.of_gbps)
                                          : fmt::format("the time of {} Gbit/s in 802.3", usual.of_gbps));
}

/// The defaults used, as text, with the options that set them. If rates differ, without their numbers.
std::vector<std::string> assumed(const std::vector<HeadroomPoint>& points) {
  const HeadroomQuestion& first = points.front().first;
  const bool one_rate = std::all_of(points.begin(), points.end(),
                                    [&](const HeadroomPoint& each) { return each.first.gbps == first.gbps; });
  const bounds::PausingLink link = first.link();
  std::vector<std::string> all;
  if (first.sender_assumed())
    all.push_back((one_rate ? usual_sender(first)
                            : std::string("the sender obeys in the time that 802.3 allows at its rate")) +
                  " (--sender-ns)");
  if (!first.receiver_ns)
    all.emplace_back("the receiver's pause frame is ready in the same time (--receiver-ns)");
  if (!first.longest || !first.shortest) {
    const std::string shortest = fmt::format("{} bytes or more (--shortest)", link.packets.shortest);
    const std::string longest = fmt::format("at most {} bytes (--packet-bytes)", link.packets.longest);
    all.push_back("packets have " + (first.longest    ? shortest
                                     : first.shortest ? longest
                                                      : shortest + " and " + longest));
  }
  if (!first.return_bytes)
    all.emplace_back("packets in the way of the pause frame are as long (--return-bytes)");
  if (!first.return_gbps) all.emplace_back("its direction has the same rate (--return-gbps)");
  if (!first.metre_ns)
    all.push_back(fmt::format("a metre of cable takes {} (--metre-ns)", ns_text(link.delay_per_metre)));
  if (!first.phy_ns) all.emplace_back("transceivers and coding add nothing to the cable (--phy-ns)");
  return all;
}

std::string joined_by(const std::vector<std::string>& all, const char* separator) {
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : separator) + each;
  return text;
}

std::vector<Line> lines(const HeadroomPoint& point) {
  const auto& [question, answer] = point;
  const UnitScale bytes{.bytes_of_packet = 1};
  std::vector<Line> lines{
      {"headroom", bytes_in_words(Whole{answer.headroom.bytes}, bytes) + ", never exceeded"}};
  if (answer.cells)
    lines.push_back(
        {"in cells",
         fmt::format("{} of {} bytes each, which is {}", counted(*answer.cells, "cell"), *question.cell_bytes,
                     bytes_in_words(Whole{*answer.cells * *question.cell_bytes}, bytes))});
  lines.push_back({"credits", fmt::format("{}{} keep the link full; the round trip is {}",
                                          bytes_in_words(Whole{answer.credits.bytes}, bytes),
                                          answer.credit_cells
                                              ? fmt::format(", or {},", counted(*answer.credit_cells, "cell"))
                                              : std::string(),
                                          ns_text(answer.credits.round_trip))});
  if (const auto all = assumed({point}); !all.empty()) lines.push_back({"assumed", joined_by(all, "\n")});
  return lines;
}

std::string headroom_title() {
  return "What a lossless buffer must still take after it has asked the sender to pause";
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
      .headline =
          single ? fmt::format(
                       "A lossless buffer at {} must still take {} after it has asked the sender to pause.",
                       link_in_words(points.front().first),
                       counted(points.front().second.headroom.bytes, "byte"))
                 : headroom_title(),
      .results = {}};
  for (const HeadroomPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = headroom_inputs().cells(point.first);
    result.cells = headroom_results().cells(point);
    result.tables.push_back(headroom_terms().rows(share(point.second.headroom.terms)));
    result.tables.back().in_text = single;
    if (single) result.lines = lines(point);
  }
  if (const auto all = assumed(points); !single && !all.empty())
    document.notes.push_back("Assumed: " + joined_by(all, "; ") + ".");
  document.notes.emplace_back(headroom_basis);
  if (in_cells) document.notes.emplace_back(headroom_cells_basis);
  document.notes.emplace_back(headroom_credits_basis);
  document.picture = [document, in_cells] { return headroom_picture(document, in_cells); };
  return document;
}

}  // namespace tailbound::render
