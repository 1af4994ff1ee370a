#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
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
    "All cells of a packet arrive in one slot (store and forward); inputs are independent from slot to slot. "
    "A packet that does not fit counts as lost; the cells that fit are kept.";
constexpr const char* cells_basis =
    "Packets arrive cell by cell, one cell per slot and input, outputs drawn uniformly. Losses by size are "
    "upper bounds.";
constexpr const char* bound_basis =
    "Upper bounds: at most 3 times the exact value where that is known (docs/derivations/packet_sizes.md).";

constexpr const char* approximation_basis =
    "Geometric approximation: buffers up to 5 % too large at load 0.8, 16 % at 0.5, 29 % at 0.3, where exact "
    "values are known.";
constexpr const char* approximation_name = "geometric approximation";

bool requests_buffer(const SizedBufferQuery& query) {
  return std::holds_alternative<MinBuffer>(query.requested);
}

Value decay_rate_of(const SizedBufferPoint& point) {
  return std::visit([](const auto& rate) { return shown(rate); }, point.second.decay_rate);
}

Rational bytes_of(const SizedBufferPoint& point) {
  return Rational(static_cast<long>(point.second.buffer.value)) *
         Rational(static_cast<long>(point.first.cell_bytes));
}

std::string bytes_in_words(const SizedBufferPoint& point) {
  const double kib = numeric::nearest_double(bytes_of(point)) / 1024;
  return fmt::format("{} bytes ({:.6g} KiB)", plain(bytes_of(point)), kib);
}

/// Time of a cell on the output link [ns].
std::optional<Rational> slot_of(const SizedBufferQuery& query, Units units) {
  units.packet_bytes = query.cell_bytes;
  return units.slot_ns();
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
std::string traffic_in_words(const SizedBufferQuery& query) {
  return fmt::format("{} at load {}, packets of {} in cells of {} bytes", counted(query.inputs, "input"),
                     plain(query.load), query.sizes_name, query.cell_bytes);
}

std::string arrival_in_words(CellArrival arrive) {
  return arrive == CellArrival::whole ? "all cells of a packet in one slot" : "cell by cell";
}

/// "P(Q > 687) <= 1e-9"
std::string target_in_words(const SizedBufferQuery& query, const std::string& buffer) {
  const std::string target = plain(*query.drop());
  if (query.criterion == SizedCriterion::overflow) return fmt::format("P(Q > {}) <= {}", buffer, target);
  return fmt::format("fraction of {} lost <= {}", what_is_lost(query.criterion), target);
}

Headline sentence(const SizedBufferPoint& point) {
  const auto& [query, answer] = point;
  const std::string buffer =
      with_article(answer.buffer.value, "cell") + " buffer" + size_in_words(answer.buffer, query.cell_bytes);
  const std::vector<Value> quoted{shown(answer.at)};
  if (query.drop())
    return {
        fmt::format("{} suffices: {}.", buffer, target_in_words(query, std::to_string(answer.buffer.value))),
        quoted};
  const std::string at = brief(quoted.front(), query.accuracy.digits);
  if (query.criterion == SizedCriterion::overflow)
    return {fmt::format("P(Q > {}) {} {} for {}.", answer.buffer.value, answer.at_bound() ? "<=" : "=", at,
                        buffer),
            quoted};
  return {fmt::format("{} loses {}{} of the {}.", buffer, answer.at_bound() ? "at most " : "", at,
                      what_is_lost(query.criterion)),
          quoted};
}

/// "0.0087 .. 0.0109" for an interval, "at most" for a bound, otherwise the number and its kind.
std::string loss_in_words(const Value& value, numeric::Digits digits) {
  if (std::holds_alternative<Bound>(value)) return fmt::format("at most {}, proved", brief(value, {4}));
  if (const auto* enclosure = std::get_if<Enclosure>(&value);
      enclosure != nullptr && !numeric::agree_to(enclosure->lower, enclosure->upper, {2}))
    return fmt::format("from {} to {}, proved", brief(Bound{enclosure->proof, enclosure->lower, false}, {4}),
                       brief(Bound{enclosure->proof, enclosure->upper, true}, {4}));
  return fmt::format("{}, {}", brief(value, digits), certainty(value, digits));
}

std::vector<Line> lines(const SizedBufferPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  const numeric::Digits digits = query.accuracy.digits;
  std::vector<Line> lines;
  const Value at = shown(answer.at);
  const std::string here = symbol(query.criterion, answer.buffer.value);
  std::string proof = fmt::format("{} {} {}", here, answer.at_bound() ? "<=" : "=", brief(at, digits));
  if (const auto drop = query.drop()) {
    proof += fmt::format(" <= {}", plain(*drop));
    if (answer.before)
      proof += fmt::format(" < {} = {}", symbol(query.criterion, answer.buffer.value - 1),
                           brief(shown(*answer.before), digits));
  }
  if (!answer.at_bound())
    proof += "\n" + certainty(at, digits);
  else if (query.criterion == SizedCriterion::packet_loss)
    proof += "\na proved bound, E[L] times the cell loss: fewer cells may suffice";
  else
    proof += "\na proved bound: fewer cells may suffice";
  lines.push_back({"proof", proof});
  if (const auto& about = answer.approximation) {
    const std::string mean = numeric::to_decimal(about->length, 4, numeric::Rounding::nearest);
    const auto& proved = std::get<numeric::UpperBound<unit::Probability>>(answer.at);
    std::string phrase;
    if (about->at.value >= static_cast<double>(proved.value))
      phrase = "no tighter than the proof";
    else
      phrase = fmt::format("{}{} about {:.3g}",
                           about->buffer ? fmt::format("{:.0f} cells suffice; ", about->buffer->value) : "",
                           here, about->at.value);
    lines.push_back({"approximately",
                     fmt::format("{}, mean occupancy {:.4g}\n{}: trains of {} cells on average; not proved",
                                 phrase, about->mean_occupancy.value, approximation_name, mean)});
  }
  lines.push_back({"size", bytes_in_words(point)});
  if (const auto slot = slot_of(point.first, units)) {
    const auto ns = [](const Rational& time) {
      return numeric::to_decimal(time, 6, numeric::Rounding::nearest) + " ns";
    };
    lines.push_back({"time", fmt::format("{} per slot; a full buffer drains in {}", ns(*slot),
                                         ns(*slot * Rational(point.second.buffer.value)))});
  }
  if (query.criterion != SizedCriterion::cell_loss)
    lines.push_back({"cell loss", loss_in_words(shown(answer.cell_loss), digits)});
  if (answer.packet_loss && query.criterion != SizedCriterion::packet_loss)
    lines.push_back({"packet loss", loss_in_words(shown(*answer.packet_loss), digits)});
  if (answer.mean_occupancy) {
    const Value mean = shown(*answer.mean_occupancy);
    lines.push_back(
        {"mean occupancy", answer.bound_only()
                               ? fmt::format("at most {} cells, proved", brief(mean, {4}))
                               : fmt::format("{} cells, {}", brief(mean, digits), certainty(mean, digits))});
  } else {
    lines.push_back({"overload", overload_in_words(query.load, 1)});
  }
  lines.push_back({"packets", fmt::format("{} cells on average, up to {}", plain(answer.mean_cells),
                                          answer.classes.back().cells)});
  if (answer.computation) lines.push_back({"arithmetic", in_words(*answer.computation)});
  return lines;
}

const Fields<SizedBufferQuery>& sized_inputs() {
  using Query = SizedBufferQuery;
  static const Fields<Query> fields{
      {{"traffic", "traffic", "", Shape::text, "bernoulli", Style::hidden},
       [](const Query&) { return "bernoulli"; }},
      {{"inputs", "inputs", "", Shape::whole, "K"}, &Query::inputs},
      {{"load", "load", "cells/slot", Shape::given, "fraction of slots with a cell"}, &Query::load},
      {{"sizes", "sizes", "", Shape::text, "packet sizes: imix, a list or a file"}, &Query::sizes_name},
      {{"cell_bytes", "cell", "bytes", Shape::whole, "--sizes: C, bytes in a cell"}, &Query::cell_bytes},
      {{"arrive", "arrive", "", Shape::text,
        "--sizes: whole, all cells of a packet in one slot; or cells, one per slot"},
       &Query::arrive},
      {{"drop", "target", "", Shape::given, "EPS, the target, between 0 and 1"}, &Query::drop, if_present},
      {{"capacity", "capacity", "cells", Shape::whole, "B as given"},
       [](const Query& of) { return std::get<ProbabilityOf>(of.requested).capacity; },
       [](const Query& of) { return std::holds_alternative<ProbabilityOf>(of.requested); }},
      {{"criterion", "criterion", "", Shape::text,
        "overflow: P(Q > B); loss: fraction of packets lost; or cell-loss: fraction of cells lost"},
       &Query::criterion},
      {accuracy_fields(), &Query::accuracy}};
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
auto of_approximation(Getter getter) {
  return [getter](const SizedBufferPoint& of) {
    const auto& about = of.second.approximation;
    return about ? Value(shown_as(Shape::proved, std::invoke(getter, *about))) : Value(None{});
  };
}

const Fields<SizedBufferPoint>& sized_results() {
  using Point = SizedBufferPoint;
  static const Fields<Point> fields{
      {{"buffer", "buffer", "cells", Shape::whole, "B: meets the target, or as given"},
       [](const Point& of) { return of.second.buffer; }},
      {{"bytes", "size", "bytes", Shape::given, "--sizes: size of the buffer, `buffer` times cell_bytes"},
       &bytes_of},
      {{"probability", "P or loss at B", "", Shape::claim, "the criterion at B"},
       [](const Point& of) { return shown(of.second.at); },
       [](const Point& of) { return !bound_at(of); }},
      {{"probability_bound", "bound", "", Shape::bound, "proved upper bound of the criterion at B",
        Style::plain, 4},
       [](const Point& of) { return shown(of.second.at); },
       &bound_at},
      {{"probability_before", "", "", Shape::claim, "the criterion at B - 1", Style::hidden},
       [](const Point& of) { return shown(of.second.before); },
       [](const Point& of) { return !bound_at(of) && requests_buffer(of.first); }},
      {{"buffer_approximate", "geometric approximation", "cells", Shape::model,
        "--arrive cells: approximate minimum buffer (see `approximation`); null if it would take too long"},
       of_approximation(&GeometricApproximation::buffer),
       [](const Point& of) { return only_bounds(of) && requests_buffer(of.first); }},
      {{"probability_approximate", "", "", Shape::model,
        "approximate criterion at B or M; null if none is known", Style::hidden},
       of_approximation(&GeometricApproximation::at),
       &only_bounds},
      {{"mean_occupancy_approximate", "", "cells", Shape::model, "--arrive cells: approximate E[Q]",
        Style::hidden},
       of_approximation(&GeometricApproximation::mean_occupancy),
       &only_bounds},
      {{"approximation", "", "", Shape::text, "--arrive cells: geometric approximation", Style::hidden},
       of_approximation([](const GeometricApproximation&) { return approximation_name; }),
       &only_bounds},
      {{"train_length", "", "cells", Shape::proved,
        "--arrive cells: mean length of the geometric trains, (E[L^2]/E[L] + 1)/2", Style::hidden},
       of_approximation(&GeometricApproximation::length),
       &only_bounds},
      {{"cell_loss", "cell loss", "", Shape::number,
        "--sizes: fraction of the cells lost at B (with --sizes `buffer` and all other counts are in cells); "
        "an upper bound where `probability_bound` is",
        Style::plain, 4},
       [](const Point& of) { return shown(of.second.cell_loss); }},
      {{"packet_loss", "packet loss", "", Shape::number,
        "--sizes: fraction of the packets that lose at least one cell at B; null if it would take too long",
        Style::plain, 4},
       [](const Point& of) { return shown(of.second.packet_loss); }},
      {{"mean_occupancy", "mean occupancy", "cells", Shape::claim, "E[Q]"},
       [](const Point& of) { return shown(of.second.mean_occupancy); },
       &truth_known},
      {{"mean_occupancy_bound", "", "cells", Shape::bound, "--sizes: proved upper bound of E[Q]",
        Style::hidden},
       [](const Point& of) { return shown(of.second.mean_occupancy); },
       &only_bounds},
      {{"decay_rate", "", "", Shape::proved, "decay rate of P(Q > n) [1/cell]", Style::hidden},
       decay_rate_of,
       &truth_known},
      {{"decay_rate_bound", "", "", Shape::bound, "--sizes: proved lower bound of the decay rate [1/cell]",
        Style::hidden},
       decay_rate_of,
       &only_bounds},
      {{"mean_cells", "", "cells", Shape::proved, "--sizes: E[L], mean cells per packet", Style::hidden},
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

Fields<SizedBufferPoint> time_fields(const Units& units) {
  using Point = SizedBufferPoint;
  return drain_fields<Point>([units](const Point& of) { return slot_of(of.first, units); },
                             [](const Point& of) { return of.second.buffer; }, Style::plain);
}

const Table<SizeLoss>& class_table() {
  static const Table<SizeLoss> table{
      "size_classes",
      "with --sizes: loss of packets of each size",
      {{{"bytes", "packet", "bytes", Shape::whole, "size of the packets"}, &SizeLoss::bytes},
       {{"cells", "cells", "", Shape::whole, "cells per packet"}, &SizeLoss::cells},
       {{"share", "share", "", Shape::proved, "fraction of the packets", Style::plain, 4}, &SizeLoss::share},
       {{"loss", "lost", "", Shape::number,
         "fraction of the packets of this size that is lost; a proved upper bound if the exact value is not "
         "known",
         Style::plain, 6},
        [](const SizeLoss& of) { return shown(of.loss); }}}};
  return table;
}

std::string title(const std::vector<SizedBufferPoint>& points) {
  const SizedBufferQuery& query = points.front().first;
  if (!requests_buffer(query)) return "Fraction of packets lost";
  const bool one_target = std::all_of(points.begin(), points.end(), [&](const SizedBufferPoint& point) {
    return point.first.drop() == query.drop() && point.first.criterion == query.criterion;
  });
  return "Minimum buffer for " + (one_target ? target_in_words(query, "B") : std::string("the targets"));
}

std::string settings(const std::vector<SizedBufferPoint>& points) {
  const SizedBufferQuery& query = points.front().first;
  if (points.size() > 1) return "Output queue, packets of several sizes in cells.";
  return fmt::format("Output queue, {}; {}.", traffic_in_words(query), arrival_in_words(query.arrive));
}

Picture picture(const Document& document, const std::vector<SizedBufferPoint>& points) {
  const bool buffers = requests_buffer(points.front().first);
  Picture picture{.title = title(points),
                  .x_label = {},
                  .y_label = buffers ? "buffer [cells]" : "fraction of packets lost"};
  Sweep sweep{.axes = {"load", "inputs", "cell_bytes", "drop", "capacity"},
              .height = buffers ? "buffer" : "packet_loss",
              .powers_of_ten = !buffers};
  const bool both = buffers && std::any_of(points.begin(), points.end(), [](const SizedBufferPoint& point) {
                      return point.second.approximation.has_value();
                    });
  if (!both) return sweep_picture(document, sweep, std::move(picture));
  const auto add = [&](const char* height, const char* name) {
    sweep.height = height;
    const Picture part = sweep_picture(document, sweep, Picture{.title = {}, .x_label = {}, .y_label = {}});
    picture.x_label = part.x_label;
    picture.powers_of_ten = part.powers_of_ten;
    picture.x_powers_of_ten = part.x_powers_of_ten;
    const std::size_t maximum = max_distinct_curves / 2;
    for (std::size_t i = 0; i < part.curves.size() && i < maximum; ++i) {
      Curve curve = part.curves[i];
      curve.title = curve.title.empty() ? name : fmt::format("{}, {}", name, curve.title);
      picture.curves.push_back(std::move(curve));
    }
    if (part.curves.size() > maximum) picture.note = fmt::format("The first {} settings.", maximum);
  };
  add("buffer", "proved");
  add("buffer_approximate", approximation_name);
  return picture;
}

/// The same query at other loads.
Picture picture_around(const SizedBufferPoint& point, const Units& units) {
  std::vector<SizedBufferQuery> others;
  for (const Rational& load : loads_around(point.first.load)) {
    others.push_back(point.first);
    others.back().load = load;
  }
  const auto points = answered(others, [](const SizedBufferQuery& other) { return answers::answer(other); });
  if (points.size() < 2) throw NoAnswer("nothing to draw: no other load has an answer");
  Picture picture = document(points, units).picture();
  mark_here(picture, numeric::nearest_double(point.first.load), "this load");
  return picture;
}

}  // namespace

Cells inputs_of(const SizedBufferQuery& query, const Units& units) {
  return joined(sized_inputs().cells(query), unit_fields().cells(units));
}

Layout with_packet_sizes(Layout buffer) {
  add_missing(buffer.inputs, joined(sized_inputs().columns(), unit_fields().columns()));
  add_missing(buffer.results, joined(sized_results().columns(), time_fields({}).columns()));
  buffer.tables.push_back(class_table().layout());
  return buffer;
}

Document document(const std::vector<SizedBufferPoint>& points, const Units& units) {
  const SizedBufferQuery& first = points.front().first;
  Layout layout{.command = "buffer",
                .inputs = joined(sized_inputs().columns(), unit_fields().columns()),
                .results = joined(sized_results().columns(), time_fields(units).columns()),
                .tables = {class_table().layout()},
                .quiet = {requests_buffer(first) ? "buffer" : "packet_loss"}};
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = settings(points),
                    .results = {},
                    .digits = first.accuracy.digits};
  bool whole = false, cells = false, bound = false, aside = false;
  for (const SizedBufferPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = inputs_of(point.first, units);
    result.cells = joined(sized_results().cells(point), time_fields(units).cells(point));
    result.tables.push_back(class_table().rows(share(point.second.classes)));
    if (points.size() == 1) result.lines = lines(point, units);
    result.caption = traffic_in_words(point.first);
    (point.first.arrive == CellArrival::whole ? whole : cells) = true;
    bound = bound || point.second.bound_only();
    aside = aside || point.second.approximation;
    result.tables.back().in_text = points.size() == 1;
  }
  std::vector<Value> proof;
  for (const SizedBufferPoint& point : points) proof.push_back(shown(point.second.at));
  document.headline = points.size() == 1 ? sentence(points.front())
                                         : range_headline(document, title(points),
                                                          requests_buffer(first) ? " cells" : "", proof);
  if (whole) document.notes.emplace_back(whole_basis);
  if (cells) document.notes.emplace_back(cells_basis);
  if (bound) document.notes.emplace_back(bound_basis);
  if (aside) document.notes.emplace_back(approximation_basis);
  if (points.size() == 1)
    document.picture = [point = points.front(), units] { return picture_around(point, units); };
  else
    document.picture = [document, points] { return picture(document, points); };
  return document;
}

}  // namespace tailbound::render
