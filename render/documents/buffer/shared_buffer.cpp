#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer_columns.hpp>
#include <tailbound/render/documents/buffer/shared_buffer.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;

constexpr const char* basis =
    "Proved for inputs that are independent from slot to slot; the queues of one switch are negatively "
    "associated (docs/derivations/shared_memory.md).";
constexpr const char* aside =
    "The approximation is within 3 packets of exact chains of 2 to 8 ports; with a threshold up to 7 too "
    "large.";

bool requests_memory(const SharedBufferQuery& query) {
  return std::holds_alternative<MinBuffer>(query.requested);
}

bool overflow(const SharedBufferQuery& query) {
  return query.criterion == SizedCriterion::overflow;
}

/// What --solve requested: "load", "ports", "threshold"; nullptr for other queries.
const char* solved(const SharedBufferQuery& query) {
  return std::holds_alternative<MaxLoad>(query.requested)        ? "load"
         : std::holds_alternative<MaxPorts>(query.requested)     ? "ports"
         : std::holds_alternative<MinThreshold>(query.requested) ? "threshold"
                                                                 : nullptr;
}

/// The key of the number that was requested.
const char* quiet_key(const SharedBufferQuery& query) {
  if (requests_memory(query)) return "memory";
  if (const char* unknown = solved(query))
    return std::string_view(unknown) == "load"    ? "shared_load"
           : std::string_view(unknown) == "ports" ? "shared_ports"
                                                  : "shared_threshold";
  return "probability_bound";
}

/// The query of which the answer has the memory: with what was found.
SharedBufferQuery found_query(SharedBufferQuery query, const SharedBufferAnswer& answer) {
  if (!answer.met) return query;
  if (std::holds_alternative<MaxLoad>(query.requested))
    std::get<EqualSwitchInputs>(query.traffic).load = *answer.met;
  else if (std::holds_alternative<MaxPorts>(query.requested))
    query.outputs = std::get<EqualSwitchInputs>(query.traffic).inputs =
        numeric::to_int64(numeric::numerator(*answer.met));
  else
    query.threshold = answer.met;
  return query;
}

Rational per_port(Packets memory, const SharedBufferQuery& query) {
  return Rational(static_cast<long>(memory.value)) / Rational(static_cast<long>(query.outputs));
}

/// Memory saved relative to separate buffers.
std::optional<Rational> saving(const SharedBufferAnswer& answer) {
  if (!answer.dedicated || answer.dedicated->total.value == 0) return std::nullopt;
  return 1 - Rational(static_cast<long>(answer.memory.value)) /
                 Rational(static_cast<long>(answer.dedicated->total.value));
}

/// "P(T > 157)" or "loss(157)".
std::string symbol(const SharedBufferQuery& query, Packets memory) {
  const char* of = overflow(query)                                ? "P(T > {})"
                   : query.criterion == SizedCriterion::cell_loss ? "cell loss({})"
                   : query.cells                                  ? "packet loss({})"
                                                                  : "loss({})";
  return fmt::format(fmt::runtime(of), memory.value);
}

/// The unit of memory.
const char* unit_of(const SharedBufferQuery& query) {
  return query.cells ? "cell" : "packet";
}

const char* what_is_lost(const SharedBufferQuery& query) {
  return query.criterion == SizedCriterion::cell_loss ? "cells" : "packets";
}

/// "64 inputs at load 0.8"
std::string traffic_in_words(const SharedBufferQuery& query) {
  if (const auto* equal = std::get_if<EqualSwitchInputs>(&query.traffic))
    return fmt::format("{}{}{}{}", counted(equal->inputs, "input"), equal->load > 0 ? " at load " : "",
                       equal->load > 0 ? plain(equal->load) : "",
                       query.cells ? fmt::format(", packets of {} in cells of {} bytes", query.cells->name,
                                                 query.cells->cell_bytes)
                                   : "");
  if (std::holds_alternative<UnequalSwitchInputs>(query.traffic)) return "inputs with unequal rates";
  return "traffic from " + std::get<TrafficMatrix>(query.traffic).name;
}

/// "P(T > 349) <= 1e-15"
std::string target_in_words(const SharedBufferQuery& query, const std::string& memory) {
  const std::string target = plain(*query.drop());
  if (overflow(query)) return fmt::format("P(T > {}) <= {}", memory, target);
  return fmt::format("fraction of {} lost <= {}{}", what_is_lost(query), target,
                     query.threshold ? " for each output" : "");
}

std::string sharing_in_words(const SharedBufferQuery& query) {
  return query.threshold ? fmt::format("shared by {} with a dynamic threshold of {}",
                                       counted(query.outputs, "port"), plain(*query.threshold))
                         : fmt::format("shared by {}", counted(query.outputs, "port"));
}

Column shared_capacity(const char* key, const char* heading, const char* meaning) {
  return {key, heading, "packets", Shape::whole, meaning, Style::plain, 0, key};
}

/// The parameters of a point; the load of its busiest output is known with the answer.
struct SharedInputs {
  const SharedBufferQuery& query;
  std::optional<Rational> output_load{};
};

template <class Traffic>
constexpr auto traffic_as = [](const SharedInputs& of) { return std::get_if<Traffic>(&of.query.traffic); };

/// Order of inputs with the number of ports: before the load of equal inputs, after other traffic
/// descriptions.
const Fields<SharedInputs>& shared_inputs() {
  using Point = SharedInputs;
  static const Fields<EqualSwitchInputs> equal{
      {{"inputs", "inputs", "", Shape::whole, "independent inputs with equal loads"},
       &EqualSwitchInputs::inputs}};
  static const Fields<EqualSwitchInputs> equal_load{
      {{"load", "load", "packets/slot", Shape::given, "of each input"}, &EqualSwitchInputs::load}};
  static const Fields<UnequalSwitchInputs> unequal{
      {{"rates", "rates", "packets/slot", Shape::givens, "rate of each input, all outputs together",
        Style::hidden},
       &UnequalSwitchInputs::rates}};
  static const Fields<TrafficMatrix> matrix{
      {{"matrix", "matrix", "", Shape::text, "--shared: file with the rate of each input to each output"},
       &TrafficMatrix::name}};
  static const Fields<SwitchCells> cells{
      {{"sizes", "sizes", "", Shape::text, "of packets: imix, a list or a file"}, &SwitchCells::name},
      {{"cell_bytes", "cell", "bytes", Shape::whole, "--sizes: C, bytes in a cell"},
       &SwitchCells::cell_bytes},
      {{"arrive", "arrive", "", Shape::text, "--sizes: whole", Style::hidden},
       [](const SwitchCells&) { return "whole"; }}};
  static const Fields<Point> fields{
      {{"shared", "shared", "", Shape::flag, "true: the queues of all outputs share one memory",
        Style::hidden},
       [](const Point&) { return true; }},
      {{"traffic", "traffic", "", Shape::text, "bernoulli", Style::hidden},
       [](const Point&) { return "bernoulli"; }},
      {equal,
       [](const Point& of) {
         return std::holds_alternative<MaxPorts>(of.query.requested)
                    ? nullptr
                    : std::get_if<EqualSwitchInputs>(&of.query.traffic);
       }},
      {unequal, traffic_as<UnequalSwitchInputs>},
      {matrix, traffic_as<TrafficMatrix>},
      {{"outputs", "outputs", "", Shape::whole, "--shared: N, the ports that share the memory"},
       [](const Point& of) { return of.query.outputs; },
       [](const Point& of) { return !std::holds_alternative<MaxPorts>(of.query.requested); }},
      {equal_load,
       [](const Point& of) {
         return std::holds_alternative<MaxLoad>(of.query.requested)
                    ? nullptr
                    : std::get_if<EqualSwitchInputs>(&of.query.traffic);
       }},
      {{"output_load", "", "packets/slot", Shape::given, "--shared: offered load of the busiest output",
        Style::hidden},
       [](const Point& of) { return of.output_load; },
       if_present},
      {{"threshold", "threshold", "", Shape::given,
        "--shared: alpha; a packet for output i is accepted if Q_i < alpha (M - T) on arrival"},
       [](const Point& of) { return of.query.threshold; },
       if_present},
      {{"solve", "solve", "", Shape::text,
        "the unknown: load, speedup or burst; with --shared load, ports or threshold"},
       [](const Point& of) { return solved(of.query); },
       [](const Point& of) { return solved(of.query) != nullptr; }},
      {cells, [](const Point& of) { return of.query.cells; }},
      {{"drop", "target", "", Shape::given, "EPS, the target, between 0 and 1"},
       [](const Point& of) { return of.query.drop(); },
       if_present},
      {{"capacity", "capacity", "packets", Shape::whole, "M as given, those in service included"},
       [](const Point& of) { return of.query.capacity(); },
       if_present},
      {{"criterion", "criterion", "", Shape::text,
        "overflow: P(T > M); loss: fraction of packets lost (with a threshold: of the output that loses "
        "most); or cell-loss"},
       [](const Point& of) { return of.query.criterion; }}};
  return fields;
}

Cells input_cells(const SharedInputs& of, const Units& units) {
  return joined(shared_inputs().cells(of), unit_fields().cells(units));
}

bool solves(const SharedBufferPoint& point) {
  return solved(point.first) != nullptr;
}
auto solves_for(std::string_view unknown) {
  return
      [unknown](const SharedBufferPoint& point) { return solves(point) && solved(point.first) == unknown; };
}

bool sizes_memory(const SharedBufferPoint& point) {
  return requests_memory(point.first);
}
bool in_cells(const SharedBufferPoint& point) {
  return point.first.cells.has_value();
}

const Fields<SharedBufferPoint>& shared_results() {
  using Point = SharedBufferPoint;
  static const Fields<Point> fields{
      {{"shared_load", "load", "packets/slot", Shape::given,
        "--shared: the maximum load of each input that is proved to meet the target, in four digits"},
       [](const Point& of) { return of.second.met; },
       solves_for("load")},
      {{"shared_ports", "ports", "", Shape::given,
        "--shared: the maximum number of inputs and outputs that is proved to meet the target"},
       [](const Point& of) { return of.second.met; },
       solves_for("ports")},
      {{"shared_threshold", "threshold", "", Shape::given,
        "--shared: the minimum threshold, in hundredths, that is proved to meet the target"},
       [](const Point& of) { return of.second.met; },
       solves_for("threshold")},
      {{"missed", "", "", Shape::given,
        "--shared, --solve: the next number, at which the bound misses the target (the loss may meet it)",
        Style::hidden},
       [](const Point& of) { return of.second.missed; },
       solves},
      {shared_capacity("memory", "memory",
                       "--shared: M, proved to meet the target, or as given; packets in service included"),
       [](const Point& of) { return of.second.memory; }},
      {{"bytes", "size", "bytes", Shape::given, "--sizes: of the memory, `memory` times cell_bytes"},
       [](const Point& of) {
         return Rational(Rational(static_cast<long>(of.second.memory.value)) *
                         Rational(static_cast<long>(of.first.cells->cell_bytes)));
       },
       &in_cells},
      {{"probability_bound", "bound", "", Shape::bound, "proved upper bound of the criterion at M",
        Style::plain, 4},
       [](const Point& of) { return of.second.at; }},
      {{"cell_loss", "cell loss", "", Shape::number,
        "--sizes: upper bound of the fraction of the cells lost at M", Style::plain, 4},
       [](const Point& of) { return of.second.cell_loss; },
       if_present},
      {{"packet_loss", "packet loss", "", Shape::number,
        "--sizes: upper bound of the fraction of packets that lose a cell", Style::plain, 4},
       [](const Point& of) { return of.second.packet_loss; },
       if_present},
      {{"memory_approximate", "about", "packets", Shape::model,
        "--shared: approximate minimum memory; null if the outputs differ"},
       [](const Point& of) { return shown(of.second.about); },
       &sizes_memory},
      {{"memory_per_port", "per port", "packets", Shape::proved, "--shared: memory / outputs", Style::plain,
        4},
       [](const Point& of) { return per_port(of.second.memory, of.first); },
       &sizes_memory},
      {{"memory_approximate_per_port", "", "packets", Shape::model, "--shared: memory_approximate / outputs",
        Style::hidden},
       [](const Point& of) {
         return of.second.about ? Value(Model{of.second.about->value / static_cast<double>(of.first.outputs)})
                                : Value(None{});
       },
       &sizes_memory},
      {shared_capacity("dedicated_buffer", "separate, per port",
                       "--shared: minimum separate buffer for the target, at the output that needs most"),
       [](const Point& of) { return of.second.dedicated->port; }, &sizes_memory},
      {shared_capacity("dedicated_total", "total", "--shared: total of separate buffers"),
       [](const Point& of) { return of.second.dedicated->total; }, &sizes_memory},
      {{"saving", "saving", "", Shape::proved, "--shared: 1 - memory / dedicated_total; null if that is 0",
        Style::percent},
       [](const Point& of) { return saving(of.second); },
       &sizes_memory},
      {{"probability_approximate", "about", "", Shape::model,
        "approximate criterion at B or M; null if none is known"},
       [](const Point& of) { return shown(of.second.about_at); },
       [](const Point& of) { return !sizes_memory(of); }},
      {{"mean_total", "", "packets", Shape::proved, "--shared: E[T], all queues", Style::hidden},
       [](const Point& of) { return of.second.mean; }},
      {{"variance_total", "", "packets^2", Shape::claim,
        "--shared: Var T, from the joint law of two outputs; null if the outputs differ", Style::hidden},
       [](const Point& of) { return shown(of.second.variance); }}};
  return fields;
}

/// Time of a packet or cell on a link [ns].
std::optional<Rational> slot_of(const SharedBufferQuery& query, Units units) {
  if (query.cells) units.packet_bytes = query.cells->cell_bytes;
  return units.slot_ns();
}

Fields<SharedBufferPoint> shared_times(const Units& units) {
  using Point = SharedBufferPoint;
  return drain_fields<Point>([units](const Point& of) { return slot_of(of.first, units); },
                             [](const Point& of) { return of.second.memory; }, Style::hidden);
}

/// Is the upper bound 1, in the digits shown?
bool useless(const SharedBufferAnswer& answer) {
  return static_cast<double>(answer.at.value) > 0.99995;
}

/// "Maximum load 0.9563 of each input"
std::string found_in_words(const SharedBufferPoint& point) {
  const auto& [query, answer] = point;
  const std::string number = plain(*answer.met);
  if (std::holds_alternative<MaxLoad>(query.requested))
    return fmt::format("Maximum load {} of each input", number);
  if (std::holds_alternative<MaxPorts>(query.requested)) return fmt::format("At most {} ports", number);
  return fmt::format("Minimum threshold {}", number);
}

Headline sentence(const SharedBufferPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  const std::int64_t memory = answer.memory.value;
  const std::string shared =
      with_article(memory, unit_of(query)) + " shared memory" +
      size_in_words(answer.memory, query.cells ? std::optional(query.cells->cell_bytes) : units.packet_bytes);
  const std::vector<Value> quoted{shown(answer.at)};
  if (answer.met)
    return {fmt::format("{} for {}: {}.", found_in_words(point), shared,
                        target_in_words(query, std::to_string(memory))),
            quoted};
  if (requests_memory(query))
    return {fmt::format("{} suffices: {}.", shared, target_in_words(query, std::to_string(memory))), quoted};
  if (useless(answer))
    return Headline::without_numbers(
        fmt::format("No useful bound on {} for {}.", symbol(query, answer.memory), shared));
  const std::string at = brief(shown(answer.at), numeric::Digits{4});
  if (overflow(query)) return {fmt::format("P(T > {}) <= {} for {}.", memory, at, shared), quoted};
  return {fmt::format("{} loses at most {} of the {}{}.", shared, at, what_is_lost(query),
                      query.threshold ? " of any output" : ""),
          quoted};
}

std::vector<Line> lines(const SharedBufferPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  const numeric::Digits digits{4};
  const UnitScale scale = scale_of(units);
  std::vector<Line> lines;
  const std::string bound =
      fmt::format("{} <= {}", symbol(query, answer.memory), brief(shown(answer.at), digits));
  if (!useless(answer))
    lines.push_back({"proof", query.drop() ? fmt::format("{} <= {}", bound, plain(*query.drop())) : bound});
  if (answer.missed)
    lines.push_back({"next", fmt::format("the bound misses the target at {}", plain(*answer.missed))});
  if (answer.about)
    lines.push_back(
        {"approximately", fmt::format("{} {} ({:.3g} per port); not proved",
                                      counted(std::llround(answer.about->value), "packet"),
                                      std::llround(answer.about->value) == 1 ? "suffices" : "suffice",
                                      answer.about->value / static_cast<double>(query.outputs))});
  if (answer.about_at)
    lines.push_back({"approximately", fmt::format("{} = {:.3g}, not proved", symbol(query, answer.memory),
                                                  answer.about_at->value)});
  if (answer.dedicated) {
    const auto& own = *answer.dedicated;
    const bool identical = own.total.value == own.port.value * query.outputs;
    std::string text =
        fmt::format("{} in total ({}) for the same target", counted(own.total.value, unit_of(query)),
                    identical ? fmt::format("{} per port", own.port.value)
                              : fmt::format("up to {} per port", own.port.value));
    if (const auto saved = saving(answer); saved && *saved > 0)
      text += fmt::format("\nsharing saves {:.1f} %", 100 * numeric::nearest_double(*saved));
    lines.push_back({"separate buffers", text});
  }
  std::string total =
      fmt::format("{} {}s in all queues, exact",
                  query.cells ? numeric::to_decimal(answer.mean.value, 10, numeric::Rounding::nearest)
                              : brief(shown(answer.mean), {10}),
                  unit_of(query));
  if (answer.packet_loss && query.criterion == SizedCriterion::cell_loss)
    lines.push_back({"packets", fmt::format("at most {} of them lose a cell",
                                            brief(shown(*answer.packet_loss), digits))});
  if (answer.cell_loss && query.criterion == SizedCriterion::packet_loss)
    lines.push_back(
        {"cells", fmt::format("at most {} of them are lost", brief(shown(*answer.cell_loss), digits))});
  if (answer.variance)
    total +=
        fmt::format("; standard deviation {:.4g}", std::sqrt(static_cast<double>(answer.variance->value)));
  lines.push_back({"mean occupancy", total});
  if (const auto slot = slot_of(query, units))
    lines.push_back(
        {"time", fmt::format("{} ns per {}; one port drains the memory in {} ns",
                             numeric::to_decimal(*slot, 6, numeric::Rounding::nearest), unit_of(query),
                             numeric::to_decimal(*slot * Rational(answer.memory.value), 6,
                                                 numeric::Rounding::nearest))});
  if (units.packet_bytes) lines.push_back({"size", bytes_in_words(shown(answer.memory), scale)});
  lines.push_back({"arithmetic", "long double, with a proved rounding bound"});
  return lines;
}

std::string title(const std::vector<SharedBufferPoint>& points) {
  const SharedBufferQuery& query = points.front().first;
  const auto all_have_its = [&](auto member) {
    return std::all_of(points.begin(), points.end(),
                       [&](const SharedBufferPoint& point) { return member(point.first) == member(query); });
  };
  const bool same_criterion = all_have_its([](const SharedBufferQuery& of) { return of.criterion; });
  const bool one_target =
      same_criterion && all_have_its([](const SharedBufferQuery& of) { return of.drop(); });
  if (const char* unknown = solved(query))
    return fmt::format("{} {} for {}", std::string_view(unknown) == "threshold" ? "Minimum" : "Maximum",
                       unknown, one_target ? target_in_words(query, "M") : std::string("the targets"));
  if (!requests_memory(query))
    return !same_criterion   ? "Proved upper bound of the criterion"
           : overflow(query) ? "Proved upper bound of P(T > M)"
                             : "Proved upper bound of the loss";
  return "Minimum shared memory for " +
         (one_target ? target_in_words(query, "M") : std::string("the targets"));
}

/// What the points are of: the ports, and the traffic where all have the same.
std::string settings(const std::vector<SharedBufferPoint>& points) {
  const SharedBufferQuery query = found_query(points.front().first, points.front().second);
  if (points.size() > 1) return "Output queues of a switch that share one memory.";
  return fmt::format("Memory {}; {}.", sharing_in_words(query), traffic_in_words(query));
}

/// Without inputs that follow from others, which would make a curve of each point.
Document for_drawing(Document document, const std::vector<SharedBufferPoint>& points) {
  const bool square = std::all_of(points.begin(), points.end(), [](const SharedBufferPoint& point) {
    const auto* equal = std::get_if<EqualSwitchInputs>(&point.first.traffic);
    return equal != nullptr && equal->inputs == point.first.outputs;
  });
  for (Result& result : document.results)
    result.inputs.erase(
        std::remove_if(
            result.inputs.begin(), result.inputs.end(),
            [&](const Cell& cell) { return cell.key == "output_load" || (square && cell.key == "outputs"); }),
        result.inputs.end());
  return document;
}

Picture picture(const Document& shown_document, const std::vector<SharedBufferPoint>& points) {
  const SharedBufferQuery& query = points.front().first;
  const Document document = for_drawing(shown_document, points);
  Picture picture{.title = title(points), .x_label = {}, .y_label = "memory per port [packets]"};
  struct Kind {
    const char *key, *title;
  };
  std::vector<Kind> kinds{{"memory_per_port", "proved"},
                          {"memory_approximate_per_port", "approximately"},
                          {"dedicated_buffer", "separate buffers"}};
  if (const char* unknown = solved(query)) {
    picture.y_label = unknown;
    kinds = {{quiet_key(query), "proved"}};
  } else if (!requests_memory(query)) {
    picture.y_label = overflow(query) ? "P(T > M)" : fmt::format("fraction of {} lost", what_is_lost(query));
    kinds = {{"probability_bound", "proved"}, {"probability_approximate", "approximately"}};
  }
  const std::size_t maximum = max_distinct_curves / kinds.size();
  for (const Kind& kind : kinds) {
    const bool known = std::any_of(
        document.results.begin(), document.results.end(),
        [&](const Result& result) { return height(value_of(result.cells, kind.key)).has_value(); });
    if (!known) continue;
    const Sweep sweep{.axes = {"inputs", "load", "threshold", "outputs", "drop", "capacity"},
                      .height = kind.key,
                      .powers_of_ten = std::holds_alternative<ProbabilityOf>(query.requested)};
    const Picture part = sweep_picture(document, sweep, Picture{.title = {}, .x_label = {}, .y_label = {}});
    picture.x_label = part.x_label;
    picture.powers_of_ten = part.powers_of_ten;
    picture.x_powers_of_ten = part.x_powers_of_ten;
    for (std::size_t i = 0; i < part.curves.size() && i < maximum; ++i) {
      Curve curve = part.curves[i];
      curve.title = curve.title.empty() ? kind.title : fmt::format("{}, {}", kind.title, curve.title);
      picture.curves.push_back(std::move(curve));
    }
    if (part.curves.size() > maximum) picture.note = fmt::format("The first {} settings.", maximum);
  }
  return picture;
}

/// The same query at other loads; for a memory with as many outputs as inputs at other numbers of ports.
Picture picture_around(const SharedBufferPoint& point, const Units& units) {
  SharedBufferQuery query = found_query(point.first, point.second);
  if (solves(point)) query.requested = ProbabilityOf{point.second.memory};
  const auto* equal = std::get_if<EqualSwitchInputs>(&query.traffic);
  if (equal == nullptr) throw NoAnswer("nothing to draw: no input is a list");
  const bool by_ports = requests_memory(query) && query.outputs == equal->inputs;
  std::vector<SharedBufferQuery> others;
  const auto add = [&](const EqualSwitchInputs& inputs, std::int64_t outputs) {
    others.push_back(query);
    others.back().traffic = inputs;
    others.back().outputs = outputs;
  };
  if (by_ports) {
    std::vector<std::int64_t> ports{2, 4, 8, 12, 16, 24, 32, 48, 64};
    if (std::find(ports.begin(), ports.end(), equal->inputs) == ports.end()) ports.push_back(equal->inputs);
    std::sort(ports.begin(), ports.end());
    for (const std::int64_t number : ports) add({.inputs = number, .load = equal->load}, number);
  } else {
    for (const Rational& load : loads_around(equal->load))
      add({.inputs = equal->inputs, .load = load}, query.outputs);
  }
  const auto points = answered(others, [](const SharedBufferQuery& other) { return answers::answer(other); });
  if (points.size() < 2) throw NoAnswer("nothing to draw: no other load has an answer");
  Picture picture = document(points, units).picture();
  mark_here(picture, by_ports ? static_cast<double>(equal->inputs) : numeric::nearest_double(equal->load),
            "this switch");
  return picture;
}

}  // namespace

Cells inputs_of(const SharedBufferQuery& query, const Units& units) {
  return input_cells({query}, units);
}

Layout with_shared_memory(Layout buffer) {
  add_missing(buffer.inputs, joined(shared_inputs().columns(), unit_fields().columns()));
  add_missing(buffer.results, joined(shared_results().columns(), shared_times({}).columns()));
  return buffer;
}

Document document(const std::vector<SharedBufferPoint>& points, const Units& units) {
  const SharedBufferQuery& first = points.front().first;
  Layout layout{.command = "buffer",
                .inputs = joined(shared_inputs().columns(), unit_fields().columns()),
                .results = joined(shared_results().columns(), shared_times(units).columns()),
                .quiet = {quiet_key(first)}};
  if (first.cells)
    for (Column& column : layout.results)
      if (column.unit == "packets") column.unit = "cells";
  Document document{.layout = std::make_shared<const Layout>(layout),
                    .headline = {},
                    .settings = settings(points),
                    .results = {}};
  for (const SharedBufferPoint& point : points) {
    Result& result = document.results.emplace_back();
    result.inputs = input_cells({point.first, point.second.output_load}, units);
    result.cells = joined(shared_results().cells(point), shared_times(units).cells(point));
    if (points.size() == 1) result.lines = lines(point, units);
  }
  const char* counted_in = requests_memory(first) ? (first.cells ? " cells" : " packets")
                           : std::holds_alternative<MaxPorts>(first.requested) ? " ports"
                                                                               : "";
  document.headline = points.size() == 1 ? sentence(points.front(), units)
                                         : range_headline(document, title(points), counted_in,
                                                          values_of(document, "probability_bound"));
  const bool about = std::any_of(points.begin(), points.end(), [](const SharedBufferPoint& point) {
    return point.second.about || point.second.about_at;
  });
  document.notes.emplace_back(basis);
  if (about) document.notes.emplace_back(aside);
  document = with_units(std::move(document), scale_of(units));
  if (points.size() == 1)
    document.picture = [point = points.front(), units] { return picture_around(point, units); };
  else
    document.picture = [document, points] { return picture(document, points); };
  return document;
}

}  // namespace tailbound::render
