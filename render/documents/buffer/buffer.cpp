#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/buffer.hpp>
#include <tailbound/render/documents/buffer/occupancy.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::Criterion;
using numeric::plain;
using numeric::Rounding;

/// The unknown of all points.
bool asks_for_buffer(const BufferQuestion& question) {
  return std::holds_alternative<LeastBuffer>(question.asked);
}
bool asks_for_probability(const BufferQuestion& question) {
  return std::holds_alternative<ProbabilityOf>(question.asked);
}
bool asks_for_load(const BufferQuestion& question) {
  return std::holds_alternative<GreatestLoad>(question.asked);
}
bool asks_for_speedup(const BufferQuestion& question) {
  return std::holds_alternative<LeastSpeedup>(question.asked);
}

bool asks_for_burst(const BufferQuestion& question) {
  return std::holds_alternative<LongestBurst>(question.asked);
}

bool at_any_time(const BufferQuestion& question) {
  return std::holds_alternative<PoissonAtAnyTime>(question.traffic.source);
}

/// The kind of Poisson arrivals; empty for other traffic.
std::string poisson_in_words(const BufferQuestion& question) {
  const bool loss = question.criterion == Criterion::loss;
  if (at_any_time(question))
    return loss ? "M/D/1/K, K being the buffer: arrivals at any time, services of one slot;\nthe packet in "
                  "service "
                  "counts"
                : "M/D/1: arrivals at any time, services of one slot; Q at any time, the packet in\nservice "
                  "counts";
  if (loss && std::holds_alternative<PoissonArrivals>(question.traffic.source))
    return "slotted: the packets of a slot arrive together; --traffic md1 has them at any time\n(M/D/1/K)";
  return {};
}

/// "P(Q > 157)" or "loss(157)".
std::string symbol(Criterion criterion, Packets buffer) {
  return criterion == Criterion::overflow ? fmt::format("P(Q > {})", buffer.value)
                                          : fmt::format("loss({})", buffer.value);
}

/// The same for the column.
std::string symbol(Criterion criterion) {
  return criterion == Criterion::overflow ? "P(Q > buffer)" : "loss(buffer)";
}

/// The conservative end of an interval, rounded conservatively.
std::string safe_end(const numeric::Proved<unit::Load>& load, numeric::Digits digits) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Load>>(&load)) return plain(exact->value);
  return numeric::to_decimal(numeric::to_enclosure(load).lower(), digits.count + 1, Rounding::down);
}
std::string safe_end(const numeric::Proved<unit::Ratio>& speedup, numeric::Digits digits) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Ratio>>(&speedup)) return plain(exact->value);
  return numeric::to_decimal(numeric::to_enclosure(speedup).upper(), digits.count + 1, Rounding::up);
}

/// The traffic; without the burst length if that is the unknown.
std::string traffic_in_words(const BufferQuestion& question, const std::vector<const Traffic*>& all = {}) {
  if (!asks_for_burst(question)) return in_words(question.traffic, all);
  const auto without_burst = [](const Traffic& traffic) {
    const auto& inputs = std::get<BurstyInputs>(traffic.source);
    return Traffic{EqualInputs{inputs.inputs, inputs.load}};
  };
  std::vector<Traffic> others;
  others.reserve(all.size());
  std::vector<const Traffic*> pointers;
  for (const Traffic* each : all) pointers.push_back(&others.emplace_back(without_burst(*each)));
  const auto destination = std::get<BurstyInputs>(question.traffic.source).destination;
  const bool one_destination = std::all_of(all.begin(), all.end(), [&](const Traffic* each) {
    return std::get<BurstyInputs>(each->source).destination == destination;
  });
  return in_words(without_burst(question.traffic), pointers) +
         (one_destination ? " (bursts " + in_words(destination, "output") + ")" : "");
}

/// Time until a full buffer is empty without further arrivals.
Slots drain_slots(const BufferPoint& point) {
  const std::int64_t served = point.first.traffic.packets_per_slot;
  return Slots((point.second.buffer.value + served - 1) / served);
}

/// The unknown of --solve.
std::optional<const char*> solved_for(const BufferQuestion& question) {
  if (asks_for_load(question)) return "load";
  if (asks_for_speedup(question)) return "speedup";
  if (asks_for_burst(question)) return "burst";
  return std::nullopt;
}

/// As given; none if a buffer is the unknown.
std::optional<Packets> capacity_asked(const BufferQuestion& question) {
  return std::visit(
      [](const auto& asked) -> std::optional<Packets> {
        if constexpr (requires { asked.capacity; }) return asked.capacity;
        return std::nullopt;
      },
      question.asked);
}

const Fields<BufferQuestion>& buffer_inputs() {
  using Question = BufferQuestion;
  static const Fields<Question> fields{
      {traffic_fields(), &Question::traffic},
      {{"drop", "target", "", Shape::given, "EPS, the target, above 0 and below 1"},
       &Question::drop,
       if_there},
      {{"capacity", "capacity", "", Shape::whole, "B as asked [packets], the one in service included"},
       &capacity_asked,
       if_there},
      {{"solve", "solve", "", Shape::text, "what was asked for: load, speedup or burst"},
       &solved_for,
       if_there},
      {{"criterion", "criterion", "", Shape::text,
        "overflow: P(Q > B); or loss: the fraction of packets lost"},
       &Question::criterion},
      {accuracy_fields(), &Question::accuracy}};
  return fields;
}

Cells input_cells(const BufferQuestion& question, const Units& units) {
  Cells cells = joined(buffer_inputs().cells(question), unit_fields().cells(units));
  if (asks_for_burst(question)) std::erase_if(cells, [](const auto& cell) { return cell.key == "burst"; });
  return cells;
}

/// The results at the buffer's end of the interval; of the other end only whether it misses the target.
enum class OtherEnd { none, before, above };
OtherEnd other_end(const BufferPoint& point) {
  const auto& [question, answer] = point;
  if (asks_for_probability(question) || answer.speedup) return OtherEnd::none;
  return answer.load || answer.burst ? OtherEnd::above : OtherEnd::before;
}

Column probability_at(const char* key, const char* heading, const char* meaning,
                      Style style = Style::hidden) {
  return {key, heading, "", Shape::claim, meaning, style};
}

Value beyond(const BufferPoint& of) {
  return of.second.beyond ? shown(of.second.beyond->probability) : Value(None{});
}

const Fields<BufferPoint>& buffer_results() {
  using Point = BufferPoint;
  const auto has_load = [](const Point& of) { return of.second.load.has_value(); };
  const auto has_speedup = [](const Point& of) { return of.second.speedup.has_value(); };
  const auto has_burst = [](const Point& of) { return of.second.burst.has_value(); };
  const auto has_mean = [](const Point& of) { return of.second.mean_occupancy.has_value(); };
  static const Fields<Point> fields{
      {{"greatest_load", "load", "packets/slot", Shape::proved,
        "meets the target at its lower end, misses it at its upper"},
       [](const Point& of) { return shown(*of.second.load); },
       has_load},
      {{"safe_load", "", "packets/slot", Shape::bound, "a load proved to meet the target", Style::hidden},
       [](const Point& of) {
         return Value(Bound{numeric::to_enclosure(*of.second.load).lower(), false});
       },
       has_load},
      {{"least_speedup", "speedup", "", Shape::proved, "meets the target at its upper end, at least 1"},
       [](const Point& of) { return shown(*of.second.speedup); },
       has_speedup},
      {{"safe_speedup", "", "", Shape::bound, "a speedup proved to meet the target", Style::hidden},
       [](const Point& of) {
         return Value(Bound{numeric::to_enclosure(*of.second.speedup).upper(), true});
       },
       has_speedup},
      {{"longest_burst", "burst", "slots", Shape::claim,
        "mean burst that meets the target at its lower end and misses it at its upper"},
       [](const Point& of) { return shown(*of.second.burst); },
       has_burst},
      {{"safe_burst", "", "slots", Shape::given,
        "the mean burst at which `probability` was found to meet the target", Style::hidden},
       [](const Point& of) { return *of.second.safe_burst; },
       has_burst},
      {{"buffer", "buffer", "packets", Shape::whole,
        "B: the least that meets the target, or as asked; the packet in service counts", Style::plain, 0, ""},
       [](const Point& of) { return of.second.buffer; }},
      {{"buffer_proved", "proved", "packets", Shape::whole,
        "a buffer proved to meet the target, where `buffer` is an approximation", Style::plain, 0,
        "buffer_proved"},
       [](const Point& of) { return of.second.proved_buffer; },
       if_there},
      {probability_at("probability", "P or loss at B",
                      "the criterion at B (and at the load, speedup or burst found)", Style::plain),
       [](const Point& of) { return of.second.at.probability; }},
      {{"probability_bound", "", "", Shape::bound,
        "proved upper bound of the criterion at B, where `probability` is an approximation", Style::hidden},
       [](const Point& of) { return of.second.bound; },
       if_there},
      {probability_at("probability_before", "", "the criterion at B - 1, above the target; null if B is 0"),
       &beyond, [](const Point& of) { return other_end(of) == OtherEnd::before; }},
      {probability_at("probability_above", "",
                      "the criterion at the upper end of the load or burst, above the target"),
       &beyond, [](const Point& of) { return other_end(of) == OtherEnd::above; }},
      {{"mean_occupancy", "mean occupancy", "packets", Shape::claim, "E[Q]"},
       [](const Point& of) { return of.second.mean_occupancy; },
       if_there},
      {{"decay_rate", "decay rate", "", Shape::proved,
        "P(Q > n) falls by exp(-decay_rate) a packet, deep in the tail; null where no packet ever waits, or "
        "it cannot be enclosed [1/packet]"},
       [](const Point& of) { return shown(of.second.decay_rate); },
       has_mean},
      {probability_at(
           "loss", "",
           "fraction of packets lost at B where that is above the overflow; else, or where it would "
           "take too long to find, null"),
       [](const Point& of) { return of.second.loss ? shown(of.second.loss->probability) : Value(None{}); },
       [](const Point& of) {
         return of.first.criterion == Criterion::overflow && of.second.mean_occupancy.has_value();
       }}};
  return fields;
}

const Fields<bounds::Computation>& computation_fields() {
  using bounds::Computation;
  static const Fields<Computation> fields{
      {{"method", "method", "", Shape::text,
        "of `probability`: double, extended, multiprecision, interval, exact, matrices or modes",
        Style::hidden},
       &Computation::name},
      {{"bits", "bits", "", Shape::whole, "precision of a recurrence's arithmetic, 0 if exact",
        Style::hidden},
       [](const Computation& of) { return of.method.bits; },
       [](const Computation& of) { return of.route == Computation::Route::recurrence; }}};
  return fields;
}

/// For points with known packet size and link rate.
Fields<BufferPoint> slot_fields(const std::optional<numeric::Rational>& slot_ns) {
  static const Column slot{"slot_ns",    "slot", "ns", Shape::given, "time of one packet on the link",
                           Style::hidden};
  static const Column drain{
      "drain_slots", "drain", "slots", Shape::whole, "until a full buffer is empty, no packet arriving",
      Style::hidden};
  return {{slot, [slot_ns](const BufferPoint&) { return slot_ns; }, if_there},
          {drain, &drain_slots, [known = slot_ns.has_value()](const BufferPoint&) { return known; }}};
}

Cells result_cells(const BufferPoint& point, const Units& units) {
  Cells cells = joined(joined(buffer_results().cells(point), slot_fields(units.slot_ns()).cells(point)),
                       computation_fields().cells(point.second.at.computation));
  if (point.second.loss)
    for (Cell& cell : cells)
      if (cell.key == "probability") cell.mark = " *";
  return cells;
}

std::string sentence(const BufferPoint& point) {
  const auto& [question, answer] = point;
  const numeric::Digits digits = question.accuracy.digits;
  const bool one = answer.buffer.value == 1;
  const std::string packets = fmt::format("{} packet{}", answer.buffer.value, one ? "" : "s");
  const std::string hold = one ? "holds" : "hold";
  const std::string traffic = traffic_in_words(question);
  const auto drop = question.drop();
  const std::string promise =
      !drop ? std::string()
      : question.criterion == Criterion::overflow
          ? fmt::format("in all but at most {} of the {}", plain(*drop),
                        at_any_time(question) ? "time" : "slots")
          : fmt::format("and {} at most {} of the packets", one ? "loses" : "lose", plain(*drop));
  if (asks_for_buffer(question))
    return fmt::format("{}{} {} the output queue of {} {}.", packets,
                       answer.proved_buffer ? fmt::format(" (computed; {} are proved to be enough)",
                                                          answer.proved_buffer->value)
                                            : "",
                       hold, traffic, promise);
  if (asks_for_probability(question))
    return fmt::format("Room for {}, {}: {} {}.", packets, traffic,
                       question.criterion == Criterion::loss ? "the fraction of packets lost is"
                       : at_any_time(question)               ? "the share of time with more present is"
                                                             : "the share of slots with more present is",
                       brief(shown(answer.at.probability), digits));
  if (asks_for_load(question))
    return fmt::format("{} {} the output queue of {} up to load {} {}.", packets, hold, traffic,
                       safe_end(*answer.load, digits), promise);
  if (asks_for_burst(question))
    return fmt::format("{} {} the output queue of {} up to mean bursts of {} slots {}.", packets, hold,
                       traffic, plain(*answer.safe_burst), promise);
  return fmt::format("With a speedup of {} {} {} the output queue of {}\n{}.",
                     safe_end(*answer.speedup, digits), packets, hold, traffic, promise);
}

std::string proof(const BufferPoint& point) {
  const auto& [question, answer] = point;
  const numeric::Digits digits = question.accuracy.digits;
  const Value probability = shown(answer.at.probability);
  const std::string at =
      fmt::format("{} = {}", symbol(question.criterion, answer.buffer), brief(probability, digits));
  const std::string words = certainty(probability, digits);
  if (asks_for_probability(question)) return fmt::format("{}, {}", at, words);
  const std::string target = plain(*question.drop());
  if (asks_for_buffer(question))
    return answer.beyond ? fmt::format("{} <= {} < {} = {}\n{}", at, target,
                                       symbol(question.criterion, answer.buffer - Packets(1)),
                                       brief(shown(answer.beyond->probability), digits), words)
                         : fmt::format("{} <= {}, {}", at, target, words);
  if (answer.load && !answer.beyond)
    return fmt::format("proved to meet {} at load {},\nthe greatest that this traffic can have", target,
                       safe_end(*answer.load, digits));
  if (answer.load) {
    const Decimals ends = decimals(shown(*answer.load), digits);
    return fmt::format("proved to meet {} at load {}\nand to miss it at load {}", target, ends.lower,
                       ends.upper);
  }
  if (answer.burst)
    return fmt::format("{} <= {} < {} with bursts one in the fourth digit longer\n{}", at, target,
                       brief(shown(answer.beyond->probability), digits), words);
  return fmt::format("{} <= {} there, {}", at, target, words);
}

std::vector<Line> lines(const BufferPoint& point, const Units& units) {
  const auto& [question, answer] = point;
  const numeric::Digits digits = question.accuracy.digits;
  const Value probability = shown(answer.at.probability);
  const UnitScale scale = scale_of(units);
  std::vector<Line> lines;
  lines.push_back({std::holds_alternative<Approximation>(probability) ? "computed" : "proof", proof(point)});
  if (answer.bound)
    lines.push_back(
        {"proof",
         fmt::format("{} <= {}{}\nfor any number of sources, the closer of two bounds",
                     symbol(question.criterion, answer.buffer), brief(shown(*answer.bound), digits),
                     answer.proved_buffer
                         ? fmt::format(", and {} <= {}", symbol(question.criterion, *answer.proved_buffer),
                                       plain(*question.drop()))
                         : "")});
  if (answer.load) lines.push_back({"answer", certainty(shown(*answer.load), digits)});
  if (answer.speedup) lines.push_back({"answer", certainty(shown(*answer.speedup), digits)});
  if (answer.loss)
    lines.push_back(
        {"caution",
         fmt::format(
             "overflow is not conservative as a drop rate here:\n{} = {}, the fraction of packets lost",
             symbol(Criterion::loss, answer.buffer), brief(shown(answer.loss->probability), digits))});
  if (answer.loss_unknown)
    lines.push_back(
        {"caution", "the fraction of packets lost would take too long to find; overflow may be\nbelow it"});
  if (answer.overloaded)
    lines.push_back({"overload",
                     "more packets come than are served; without a limit the queue would grow for\never, so "
                     "there is no P(Q > n) beside this"});
  if (const std::string queue = poisson_in_words(question); !queue.empty()) lines.push_back({"queue", queue});
  const std::string caution = overflow_caution(question.criterion, question.traffic);
  if (!caution.empty()) lines.push_back({"caution", caution});
  if (answer.mean_occupancy) {
    const Value mean = shown(answer.mean_occupancy);
    lines.push_back(
        {"mean occupancy", fmt::format("{} packets, {}", brief(mean, digits), certainty(mean, digits))});
  }
  if (answer.decay_rate) {
    const Value decay = shown(*answer.decay_rate);
    lines.push_back(
        {"decay rate", fmt::format("{} a packet, {}\nasymptote: deep in the tail, {:.4g} packets more "
                                   "divide P(Q > n) by 10",
                                   brief(decay, digits), certainty(decay, digits),
                                   std::log(10.0) / static_cast<double>(answer.decay_rate->lower()))});
  }
  if (units.packet_bytes) lines.push_back({"size", bytes_in_words(shown(answer.buffer), scale)});
  if (units.slot_ns())
    lines.push_back(
        {"time", fmt::format("{} a slot; a full buffer drains in {}", ns_in_words(Whole{1}, scale),
                             ns_in_words(shown(drain_slots(point)), scale))});
  lines.push_back({"arithmetic", in_words(answer.at.computation)});
  return lines;
}

std::vector<const Traffic*> traffics_of(const std::vector<BufferPoint>& points) {
  std::vector<const Traffic*> all;
  for (const BufferPoint& point : points) all.push_back(&point.first.traffic);
  return all;
}

bool same_drop(const std::vector<BufferPoint>& points) {
  return std::all_of(points.begin(), points.end(), [&](const BufferPoint& point) {
    return point.first.drop() == points.front().first.drop();
  });
}

std::string title(const std::vector<BufferPoint>& points) {
  const auto& [question, answer] = points.front();
  const std::string traffic = traffic_in_words(question, traffics_of(points));
  const std::string target = question.drop() && same_drop(points) ? plain(*question.drop()) : "the target";
  if (asks_for_buffer(question))
    return fmt::format("The least buffer of the output queue of {} with {} <= {}", traffic,
                       symbol(question.criterion), target);
  if (asks_for_load(question))
    return fmt::format("The greatest load at which the buffer holds the output queue of {} to {}", traffic,
                       target);
  if (asks_for_burst(question))
    return fmt::format("The longest mean burst with which the buffer holds the output queue of {} to {}",
                       traffic, target);
  if (asks_for_speedup(question))
    return fmt::format("The least speedup with which the buffer holds the output queue of {} to {}", traffic,
                       target);
  return fmt::format("What a buffer in the output queue of {} {}", traffic,
                     question.criterion == Criterion::overflow ? "overflows" : "loses");
}

std::vector<std::string> notes(const std::vector<BufferPoint>& points) {
  std::vector<std::string> notes;
  const auto any = [&](const auto& holds) { return std::any_of(points.begin(), points.end(), holds); };
  if (any([](const BufferPoint& point) { return point.second.loss.has_value(); }))
    notes.emplace_back(
        "* overflow is below the fraction of packets lost there, and no safe drop rate; --criterion loss "
        "is.");
  const bool computed = any([](const BufferPoint& point) {
    return std::holds_alternative<numeric::Approximation<unit::Probability>>(point.second.at.probability);
  });
  if (std::string queue = poisson_in_words(points.front().first); !queue.empty()) {
    std::replace(queue.begin(), queue.end(), '\n', ' ');
    notes.push_back("Queue: " + queue + ".");
  }
  notes.push_back(
      computed ? "Computed, not proved: the digits shown are those that two numbers of modes agree on. A "
                 "buffer under \"proved\" is."
               : fmt::format("Each number is exact or certified to {} digits.",
                             points.front().first.accuracy.digits.count));
  return notes;
}

Picture picture(const Document& document, const std::vector<BufferPoint>& points) {
  const BufferQuestion& question = points.front().first;
  Picture picture{.title = title(points), .x_label = {}, .y_label = "buffer B [packets]"};
  Sweep sweep{.axes = {"load", "burst", "inputs", "drop", "capacity", "on_rate", "packets_per_slot"},
              .height = "buffer"};
  // The load of a class is a separate query, not an axis.
  if (std::holds_alternative<TrafficClass>(question.traffic.source))
    sweep.axes = {"capacity", "drop", "inputs", "class"};
  if (asks_for_probability(question)) {
    sweep.height = "probability";
    sweep.powers_of_ten = true;
    picture.y_label =
        question.criterion == Criterion::overflow ? "probability of overflow" : "fraction of packets lost";
  } else if (asks_for_load(question)) {
    sweep.height = "greatest_load";
    picture.y_label = "greatest load [packets/slot]";
  } else if (asks_for_speedup(question)) {
    sweep.height = "least_speedup";
    picture.y_label = "least speedup";
  } else if (asks_for_burst(question)) {
    sweep.height = "longest_burst";
    picture.y_label = "longest mean burst [slots]";
  }
  return sweep_picture(document, sweep, std::move(picture));
}

/// P(Q > n) of the queue and the end of its buffer, for one point.
Picture tail_picture(const BufferPoint& point) {
  const auto& [question, answer] = point;
  if (answer.overloaded)
    throw NoAnswer(
        "there is nothing to draw: more packets arrive than are served, and an infinite queue grows without "
        "limit");
  const auto capacity = static_cast<double>(answer.buffer.value);
  Picture picture{
      .title = "P(Q > n) of the output queue of " + traffic_in_words(question, {&question.traffic}),
      .x_label = "level n [packets]",
      .y_label = "P(Q > n)",
      .powers_of_ten = true};
  const std::int64_t beyond = answer.buffer.value + std::max<std::int64_t>(4, answer.buffer.value / 8);
  constexpr std::int64_t most_steps = 60;  // more steps cannot be distinguished
  const CurveStyle style = answer.buffer.value <= most_steps ? CurveStyle::steps : CurveStyle::line;
  Curve tail = tail_curve(answers::tail_through(question.traffic, Packets(beyond)), "P(Q > n)", style);
  if (tail.points.empty()) throw NoAnswer("there is nothing to draw: no packet ever waits");
  picture.curves.push_back(std::move(tail));
  if (const auto drop = question.drop())
    picture.curves.push_back(target_curve(*drop, 0, static_cast<double>(beyond)));
  Curve marks{.title = "", .style = CurveStyle::marks};
  const auto mark = [&](const bounds::ComputedProbability& at, const std::string& name) {
    const Value value = shown(at.probability);
    const auto y = log10_height(value);
    if (!y || !std::isfinite(*y)) return;
    marks.points.emplace_back(capacity, *y);
    marks.labels.push_back(name + " = " + brief(value, {3}));
  };
  mark(answer.at,
       "buffer " + std::to_string(answer.buffer.value) + ": " + symbol(question.criterion, answer.buffer));
  if (answer.loss) mark(*answer.loss, symbol(Criterion::loss, answer.buffer));
  if (!marks.points.empty()) picture.curves.push_back(std::move(marks));
  return picture;
}

/// The load of traffic, if it can be varied.
std::optional<numeric::Rational>* load_to_vary(Traffic& traffic) {
  return std::visit(
      [](auto& source) -> std::optional<numeric::Rational>* {
        if constexpr (requires { source.load.has_value(); })
          return source.load ? &source.load : nullptr;
        else
          return nullptr;
      },
      traffic.source);
}

/// The minimum buffer of independent slots against the load, with this point marked.
Picture load_picture(const BufferPoint& point) {
  const auto& [question, answer] = point;
  BufferQuestion other = question;
  std::optional<numeric::Rational>* const load = load_to_vary(other.traffic);
  const numeric::Rational here = **load, full = question.traffic.packets_per_slot;
  std::vector<BufferQuestion> others;
  for (const numeric::Rational& share : loads_around(here / full)) {
    *load = share * full;
    others.push_back(other);
  }
  const auto points = answered(others, [](const BufferQuestion& one) { return answers::answer(one); });
  if (points.size() < 2) throw NoAnswer("there is nothing to draw: no other load has an answer");
  Picture picture = document(points, {}).picture();
  picture.title = "The same at other loads";
  picture.log_y = true;
  mark_here(picture, cln::double_approx(here), "this load");
  return picture;
}

Result result_of(const BufferPoint& point, const Units& units) {
  return {.inputs = input_cells(point.first, units), .cells = result_cells(point, units)};
}

}  // namespace

Result buffer_result(const BufferPoint& point) {
  return result_of(point, {});
}

Layout buffer_layout() {
  return {.command = "buffer",
          .inputs = joined(buffer_inputs().columns(), unit_fields().columns()),
          .results = joined(joined(buffer_results().columns(), slot_fields({}).columns()),
                            computation_fields().columns()),
          .quiet = {"buffer"}};
}

Document document(const std::vector<BufferPoint>& points, const Units& units) {
  const BufferQuestion& first = points.front().first;
  auto layout = buffer_layout();
  for (Column& column : layout.results)
    if (column.key == "probability") column.heading = symbol(first.criterion);
  layout.quiet = {asks_for_buffer(first)        ? "buffer"
                  : asks_for_probability(first) ? "probability"
                  : asks_for_load(first)        ? "safe_load"
                  : asks_for_burst(first)       ? "safe_burst"
                                                : "safe_speedup"};
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = points.size() == 1 ? sentence(points.front()) : title(points),
                    .results = {},
                    .digits = first.accuracy.digits};
  for (const BufferPoint& point : points) {
    Result& result = document.results.emplace_back(result_of(point, units));
    if (points.size() == 1) result.lines = lines(point, units);
  }
  if (points.size() > 1) document.notes = notes(points);
  document = with_units(std::move(document), scale_of(units));
  const bool buffer_known = asks_for_buffer(first) || asks_for_probability(first);
  if (points.size() > 1 || !buffer_known) {
    document.picture = [document, points] { return picture(document, points); };
    return document;
  }
  document.picture = [point = points.front()] { return tail_picture(point); };
  Traffic traffic = first.traffic;
  if (asks_for_buffer(first) && !answers::correlated(traffic) && load_to_vary(traffic) != nullptr)
    document.further_pictures.push_back([point = points.front()] { return load_picture(point); });
  return document;
}

}  // namespace tailbound::render
