#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer_columns.hpp>
#include <tailbound/render/documents/buffer/sized_buffer.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;

constexpr const char* whole_basis =
    "Each packet's cells come in one slot (store and forward); inputs independent from slot to slot. Of a "
    "packet that does not fit, the cells that fit are kept, and the packet counts as lost.";
constexpr const char* cells_basis =
    "Packets come cell by cell, one cell a slot and input, each to one output, all outputs alike. A lost "
    "packet has lost one cell or all: cell loss E[L]/Lmax <= packet loss <= cell loss E[L]. Losses by size "
    "are "
    "upper bounds: at most the packet loss divided by the size's share of the packets.";
constexpr const char* bound_basis =
    "Upper bounds: proved for any number of inputs and any sizes (docs/derivations/packet_sizes.md), at most "
    "3 times the truth where that is known; the chain itself has too many phases.";

constexpr const char* stand_in_basis =
    "The geometric stand-in is an approximation, not proved: trains of geometric length with the same "
    "E[L^2]/E[L] in place of the packets. Where the truth is known its mean is right to 2 %, its buffers are "
    "up to 5 % too large at load 0.8, 16 % at 0.5, 29 % at 0.3 (docs/derivations/packet_sizes.md).";
constexpr const char* stand_in_name = "geometric stand-in";

bool asks_for_buffer(const SizedBufferQuestion& question) {
  return std::holds_alternative<LeastBuffer>(question.asked);
}

template <class... Truths>
Value shown_any(const std::variant<Truths...>& truth) {
  return std::visit([](const auto& one) { return shown(one); }, truth);
}
Value shown_any(const std::optional<SizedProbability>& truth) {
  return truth ? shown_any(*truth) : Value(None{});
}

Rational bytes_of(const SizedBufferPoint& point) {
  return Rational(static_cast<long>(point.second.buffer.value)) *
         Rational(static_cast<long>(point.first.cell_bytes));
}

std::string bytes_in_words(const SizedBufferPoint& point) {
  const double kib = numeric::nearest_double(bytes_of(point)) / 1024;
  return fmt::format("{} bytes ({:.6g} KiB)", plain(bytes_of(point)), kib);
}

std::string symbol(SizedCriterion criterion, std::int64_t buffer) {
  return criterion == SizedCriterion::overflow      ? fmt::format("P(Q > {})", buffer)
         : criterion == SizedCriterion::packet_loss ? fmt::format("packet loss({})", buffer)
                                                    : fmt::format("cell loss({})", buffer);
}

const char* what_is_lost(SizedCriterion criterion) {
  return criterion == SizedCriterion::cell_loss ? "cells" : "packets";
}

/// "16 inputs at load 0.8, packets of imix in cells of 64 bytes"
std::string traffic_in_words(const SizedBufferQuestion& question) {
  return fmt::format("{} at load {}, packets of {} in cells of {} bytes", counted(question.inputs, "input"),
                     plain(question.load), question.sizes_name, question.cell_bytes);
}

std::string arrival_in_words(CellArrival arrive) {
  return arrive == CellArrival::whole ? "each whole in one slot" : "cell by cell";
}

std::string sentence(const SizedBufferPoint& point) {
  const auto& [question, answer] = point;
  const bool one = answer.buffer.value == 1;
  const std::string cells = fmt::format("{} cell{}", answer.buffer.value, one ? "" : "s");
  const std::string traffic =
      fmt::format("{},\n{}", traffic_in_words(question), arrival_in_words(question.arrive));
  if (const auto drop = question.drop())
    return fmt::format("{} {} the output queue of {}, {}.", cells, one ? "holds" : "hold", traffic,
                       question.criterion == SizedCriterion::overflow
                           ? fmt::format("in all but at most {} of the slots", plain(*drop))
                           : fmt::format("and {} at most {} of the {}", one ? "loses" : "lose", plain(*drop),
                                         what_is_lost(question.criterion)));
  return fmt::format("Room for {}, {}: {} {}{}.", cells, traffic,
                     question.criterion == SizedCriterion::overflow
                         ? "the share of slots with more present is"
                         : fmt::format("the fraction of {} lost is", what_is_lost(question.criterion)),
                     answer.at_bound() ? "at most " : "",
                     brief(shown_any(answer.at), question.accuracy.digits));
}

/// "0.0087 .. 0.0109" for an interval, "at most" for a bound, otherwise the number and its kind.
std::string loss_in_words(const Value& value, numeric::Digits digits) {
  if (std::holds_alternative<Bound>(value)) return fmt::format("at most {}, proved", brief(value, {4}));
  if (const auto* enclosure = std::get_if<Enclosure>(&value);
      enclosure != nullptr && !numeric::agree_to(enclosure->lower, enclosure->upper, {2}))
    return fmt::format("from {} to {}, proved", brief(Bound{enclosure->lower, false}, {4}),
                       brief(Bound{enclosure->upper, true}, {4}));
  return fmt::format("{}, {}", brief(value, digits), certainty(value, digits));
}

std::vector<Line> lines(const SizedBufferPoint& point) {
  const auto& [question, answer] = point;
  const numeric::Digits digits = question.accuracy.digits;
  std::vector<Line> lines;
  const Value at = shown_any(answer.at);
  const std::string here = symbol(question.criterion, answer.buffer.value);
  std::string proof = fmt::format("{} {} {}", here, answer.at_bound() ? "<=" : "=", brief(at, digits));
  if (const auto drop = question.drop()) {
    proof += fmt::format(" <= {}", plain(*drop));
    if (answer.before)
      proof += fmt::format(" < {} = {}", symbol(question.criterion, answer.buffer.value - 1),
                           brief(shown_any(*answer.before), digits));
  }
  if (!answer.at_bound())
    proof += "\n" + certainty(at, digits);
  else if (question.criterion == SizedCriterion::packet_loss)
    proof += "\na proved bound, E[L] times the cell loss: fewer cells may do";
  else
    proof += "\na proved bound: fewer cells may do";
  lines.push_back({"proof", proof});
  if (const auto& about = answer.stand_in) {
    const std::string mean = numeric::to_decimal(about->length, 4, numeric::Rounding::nearest);
    const auto& proved = std::get<numeric::UpperBound<unit::Probability>>(answer.at);
    std::string said;
    if (about->at.value >= static_cast<double>(proved.value))
      said = "no closer than the proof";
    else
      said = fmt::format("{}{} about {:.3g}",
                         about->buffer ? fmt::format("{:.0f} cells would do; ", about->buffer->value) : "",
                         here, about->at.value);
    lines.push_back({"approximately",
                     fmt::format("{}, mean occupancy {:.4g}\n{}: geometric trains of {} cells in the mean; "
                                 "not proved",
                                 said, about->mean_occupancy.value, stand_in_name, mean)});
  }
  lines.push_back({"size", bytes_in_words(point)});
  if (question.criterion != SizedCriterion::cell_loss)
    lines.push_back({"cell loss", loss_in_words(shown_any(answer.cell_loss), digits)});
  if (answer.packet_loss && question.criterion != SizedCriterion::packet_loss)
    lines.push_back({"packet loss", loss_in_words(shown_any(*answer.packet_loss), digits)});
  const Value mean = shown_any(answer.mean_occupancy);
  lines.push_back(
      {"mean occupancy", answer.bound_only()
                             ? fmt::format("at most {} cells, proved", brief(mean, {4}))
                             : fmt::format("{} cells, {}", brief(mean, digits), certainty(mean, digits))});
  lines.push_back({"packets", fmt::format("{} cells in the mean, up to {}", plain(answer.mean_cells),
                                          answer.classes.back().cells)});
  if (answer.computation) lines.push_back({"arithmetic", in_words(*answer.computation)});
  return lines;
}

const Fields<SizedBufferQuestion>& sized_inputs() {
  using Question = SizedBufferQuestion;
  static const Fields<Question> fields{
      {{"traffic", "traffic", "", Shape::text, "bernoulli", Style::hidden},
       [](const Question&) { return "bernoulli"; }},
      {{"inputs", "inputs", "", Shape::whole, "K"}, &Question::inputs},
      {{"load", "load", "cells/slot", Shape::given, "the share of slots with a cell"}, &Question::load},
      {{"sizes", "sizes", "", Shape::text, "of packets: imix, a list or a file"}, &Question::sizes_name},
      {{"cell_bytes", "cell", "bytes", Shape::whole, "--sizes: C, bytes in a cell"}, &Question::cell_bytes},
      {{"arrive", "arrive", "", Shape::text,
        "--sizes: whole, all cells of a packet in one slot; or cells, one a slot"},
       &Question::arrive},
      {{"drop", "target", "", Shape::given, "EPS, the target, above 0 and below 1"},
       &Question::drop,
       if_there},
      {{"capacity", "capacity", "", Shape::whole, "B as asked [cells]"},
       [](const Question& of) { return std::get<ProbabilityOf>(of.asked).capacity; },
       [](const Question& of) { return std::holds_alternative<ProbabilityOf>(of.asked); }},
      {{"criterion", "criterion", "", Shape::text,
        "overflow: P(Q > B); loss: the fraction of packets lost; or cell-loss: that of cells"},
       &Question::criterion},
      {accuracy_fields(), &Question::accuracy}};
  return fields;
}

bool only_bounds(const SizedBufferPoint& point) {
  return point.second.bound_only();
}
bool truth_known(const SizedBufferPoint& point) {
  return !point.second.bound_only();
}
bool bound_at(const SizedBufferPoint& point) {
  return point.second.at_bound();
}

/// A number of the geometric approximation, if there is one.
template <class Getter>
auto of_stand_in(Getter getter) {
  return [getter](const SizedBufferPoint& of) {
    const auto& about = of.second.stand_in;
    return about ? Value(shown_as(Shape::proved, std::invoke(getter, *about))) : Value(None{});
  };
}

const Fields<SizedBufferPoint>& sized_results() {
  using Point = SizedBufferPoint;
  static const Fields<Point> fields{
      {{"buffer", "buffer", "cells", Shape::whole, "B: enough for the target, or as asked"},
       [](const Point& of) { return of.second.buffer; }},
      {{"bytes", "size", "bytes", Shape::given, "--sizes: of the buffer, `buffer` times cell_bytes"},
       &bytes_of},
      {{"probability", "P or loss at B", "", Shape::claim, "the criterion at B"},
       [](const Point& of) { return shown_any(of.second.at); },
       [](const Point& of) { return !bound_at(of); }},
      {{"probability_bound", "bound", "", Shape::bound, "proved upper bound of the criterion at B",
        Style::plain, 4},
       [](const Point& of) { return shown_any(of.second.at); },
       &bound_at},
      {{"probability_before", "", "", Shape::claim, "the criterion at B - 1", Style::hidden},
       [](const Point& of) { return shown_any(of.second.before); },
       [](const Point& of) { return !bound_at(of) && asks_for_buffer(of.first); }},
      {{"buffer_approximate", "geometric stand-in", "cells", Shape::model,
        "--arrive cells: the buffer needed, by the approximation that `approximation` names; null where it "
        "would take too long"},
       of_stand_in(&GeometricStandIn::buffer),
       [](const Point& of) { return only_bounds(of) && asks_for_buffer(of.first); }},
      {{"probability_approximate", "", "", Shape::model,
        "the criterion at B or M, by an approximation; null where none is known", Style::hidden},
       of_stand_in(&GeometricStandIn::at),
       &only_bounds},
      {{"mean_occupancy_approximate", "", "cells", Shape::model, "--arrive cells: E[Q] by that approximation",
        Style::hidden},
       of_stand_in(&GeometricStandIn::mean_occupancy),
       &only_bounds},
      {{"approximation", "", "", Shape::text, "--arrive cells: geometric stand-in", Style::hidden},
       of_stand_in([](const GeometricStandIn&) { return stand_in_name; }),
       &only_bounds},
      {{"train_length", "", "cells", Shape::proved,
        "--arrive cells: mean length of the stand-in's geometric trains, (E[L^2]/E[L] + 1)/2", Style::hidden},
       of_stand_in(&GeometricStandIn::length),
       &only_bounds},
      {{"cell_loss", "cell loss", "", Shape::number,
        "--sizes: fraction of the cells lost at B (`buffer` is in cells, as is all that stands in packets "
        "else); an upper bound where `probability_bound` is",
        Style::plain, 4},
       [](const Point& of) { return shown_any(of.second.cell_loss); }},
      {{"packet_loss", "packet loss", "", Shape::number,
        "--sizes: fraction of the packets lost at B, each with a cell or more; null where it would take too "
        "long",
        Style::plain, 4},
       [](const Point& of) { return shown_any(of.second.packet_loss); }},
      {{"mean_occupancy", "mean occupancy", "cells", Shape::claim, "E[Q]"},
       [](const Point& of) { return shown_any(of.second.mean_occupancy); },
       &truth_known},
      {{"mean_occupancy_bound", "", "cells", Shape::bound, "--sizes: proved upper bound of E[Q]",
        Style::hidden},
       [](const Point& of) { return shown_any(of.second.mean_occupancy); },
       &only_bounds},
      {{"decay_rate", "", "", Shape::proved, "of P(Q > n) [1/cell]", Style::hidden},
       [](const Point& of) { return shown_any(of.second.decay_rate); },
       &truth_known},
      {{"decay_rate_bound", "", "", Shape::bound, "--sizes: proved lower bound of the decay rate [1/cell]",
        Style::hidden},
       [](const Point& of) { return shown_any(of.second.decay_rate); },
       &only_bounds},
      {{"mean_cells", "", "cells", Shape::proved, "--sizes: E[L], of a packet", Style::hidden},
       [](const Point& of) { return of.second.mean_cells; }},
      {{"method", "", "", Shape::text, "double, .., matrices, or bound", Style::hidden},
       [](const Point& of) { return of.second.computation ? of.second.computation->name() : "bound"; }},
      {{"bits", "", "", Shape::whole, "precision of a recurrence's arithmetic", Style::hidden},
       [](const Point& of) { return of.second.computation->method.bits; },
       [](const Point& of) {
         return of.second.computation &&
                of.second.computation->route == bounds::Computation::Route::recurrence;
       }}};
  return fields;
}

const Table<SizeLoss>& class_table() {
  static const Table<SizeLoss> table{
      "size_classes",
      "with --sizes: what is lost of packets of each size",
      {{{"bytes", "packet", "bytes", Shape::whole, "size of the packets"}, &SizeLoss::bytes},
       {{"cells", "cells", "", Shape::whole, "that each takes"}, &SizeLoss::cells},
       {{"share", "share", "", Shape::proved, "of the packets", Style::plain, 4}, &SizeLoss::share},
       {{"loss", "lost", "", Shape::number,
         "fraction of the packets of this size that is lost; a proved upper bound where no more is known",
         Style::plain, 6},
        [](const SizeLoss& of) { return shown_any(of.loss); }}}};
  return table;
}

std::string title(const std::vector<SizedBufferPoint>& points) {
  const SizedBufferQuestion& question = points.front().first;
  if (!asks_for_buffer(question)) return "What a buffer of cells loses of packets of several sizes";
  return fmt::format(
      "The cells that hold the output queue of packets of several sizes{}",
      std::all_of(points.begin(), points.end(),
                  [&](const SizedBufferPoint& point) { return point.first.drop() == question.drop(); })
          ? fmt::format(" to {}", plain(*question.drop()))
          : "");
}

Picture picture(const Document& document, const std::vector<SizedBufferPoint>& points) {
  const bool buffers = asks_for_buffer(points.front().first);
  Picture picture{.title = title(points),
                  .x_label = {},
                  .y_label = buffers ? "buffer [cells]" : "fraction of packets lost"};
  Sweep sweep{.axes = {"load", "inputs", "cell_bytes", "drop", "capacity"},
              .height = buffers ? "buffer" : "packet_loss",
              .powers_of_ten = !buffers};
  const bool beside = buffers && std::any_of(points.begin(), points.end(), [](const SizedBufferPoint& point) {
                        return point.second.stand_in.has_value();
                      });
  if (!beside) return sweep_picture(document, sweep, std::move(picture));
  // The proved value, and the approximation in the same color.
  const auto add = [&](const char* height, const char* name, CurveStyle style) {
    sweep.height = height;
    sweep.style = style;
    const Picture part = sweep_picture(document, sweep, Picture{.title = {}, .x_label = {}, .y_label = {}});
    picture.x_label = part.x_label;
    picture.powers_of_ten = part.powers_of_ten;
    const std::size_t most = most_curves_told_apart / 2;
    for (std::size_t i = 0; i < part.curves.size() && i < most; ++i) {
      Curve curve = part.curves[i];
      curve.title = curve.title.empty() ? name : fmt::format("{}, {}", name, curve.title);
      if (part.curves.size() > 1) curve.colour = static_cast<int>(i);
      picture.curves.push_back(std::move(curve));
    }
    if (part.curves.size() > most) picture.note = fmt::format("The first {} settings.", most);
  };
  add("buffer", "proved", CurveStyle::points_and_line);
  add("buffer_approximate", stand_in_name, CurveStyle::dashed);
  return picture;
}

/// The same query at other loads.
Picture picture_around(const SizedBufferPoint& point) {
  std::vector<SizedBufferQuestion> others;
  for (const Rational& load : loads_around(point.first.load)) {
    others.push_back(point.first);
    others.back().load = load;
  }
  const auto points =
      answered(others, [](const SizedBufferQuestion& other) { return answers::answer(other); });
  if (points.size() < 2) throw NoAnswer("there is nothing to draw: no other load has an answer");
  Picture picture = document(points).picture();
  mark_here(picture, cln::double_approx(point.first.load), "this load");
  return picture;
}

}  // namespace

Layout with_packet_sizes(Layout buffer) {
  add_missing(buffer.inputs, sized_inputs().columns());
  add_missing(buffer.results, sized_results().columns());
  buffer.tables.push_back(class_table().layout());
  return buffer;
}

Document document(const std::vector<SizedBufferPoint>& points) {
  const SizedBufferQuestion& first = points.front().first;
  Layout layout{.command = "buffer",
                .inputs = sized_inputs().columns(),
                .results = sized_results().columns(),
                .tables = {class_table().layout()},
                .quiet = {asks_for_buffer(first) ? "buffer" : "packet_loss"}};
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = points.size() == 1 ? sentence(points.front()) : title(points),
                    .results = {},
                    .digits = first.accuracy.digits};
  bool whole = false, cells = false, bound = false, aside = false;
  for (const SizedBufferPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = sized_inputs().cells(point.first);
    result.cells = sized_results().cells(point);
    result.tables.push_back(class_table().rows(share(point.second.classes)));
    if (points.size() == 1) result.lines = lines(point);
    result.caption = traffic_in_words(point.first);
    (point.first.arrive == CellArrival::whole ? whole : cells) = true;
    bound = bound || point.second.bound_only();
    aside = aside || point.second.stand_in;
    result.tables.back().in_text = points.size() == 1;
  }
  if (whole) document.notes.emplace_back(whole_basis);
  if (cells) document.notes.emplace_back(cells_basis);
  if (bound) document.notes.emplace_back(bound_basis);
  if (aside) document.notes.emplace_back(stand_in_basis);
  if (points.size() == 1)
    document.picture = [point = points.front()] { return picture_around(point); };
  else
    document.picture = [document, points] { return picture(document, points); };
  return document;
}

}  // namespace tailbound::render
