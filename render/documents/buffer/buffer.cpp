#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
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
bool requests_buffer(const BufferQuery& query) {
  return std::holds_alternative<MinBuffer>(query.requested);
}
bool requests_probability(const BufferQuery& query) {
  return std::holds_alternative<ProbabilityOf>(query.requested);
}
bool requests_load(const BufferQuery& query) {
  return std::holds_alternative<MaxLoad>(query.requested);
}
bool requests_speedup(const BufferQuery& query) {
  return std::holds_alternative<MinSpeedup>(query.requested);
}

bool requests_burst(const BufferQuery& query) {
  return std::holds_alternative<LongestBurst>(query.requested);
}

bool at_any_time(const BufferQuery& query) {
  return std::holds_alternative<PoissonAtAnyTime>(query.traffic.source);
}

/// The kind of Poisson arrivals; empty for other traffic.
std::string poisson_in_words(const BufferQuery& query) {
  const bool loss = query.criterion == Criterion::loss;
  if (at_any_time(query))
    return loss ? "M/D/1/K: Poisson arrivals in continuous time, service time of one slot; K is the buffer, "
                  "the packet in service included"
                : "M/D/1: Poisson arrivals in continuous time, service time of one slot; Q includes the "
                  "packet in service";
  if (loss && std::holds_alternative<PoissonArrivals>(query.traffic.source))
    return "slotted: the packets of a slot arrive together (continuous time: --traffic md1, M/D/1/K)";
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

/// The conservative end of what was solved for, rounded conservatively.
std::string safe_end(const BufferAnswer& answer, numeric::Digits digits) {
  if (answer.safe) return plain(*answer.safe);
  if (answer.load) {
    if (const auto* exact = std::get_if<numeric::Exact<unit::Load>>(&*answer.load))
      return plain(exact->value);
    return numeric::to_decimal(std::get<numeric::Enclosure<unit::Load>>(*answer.load).lower(),
                               digits.count + 1, Rounding::down);
  }
  if (const auto* exact = std::get_if<numeric::Exact<unit::Ratio>>(&*answer.speedup))
    return plain(exact->value);
  return numeric::to_decimal(std::get<numeric::Enclosure<unit::Ratio>>(*answer.speedup).upper(),
                             digits.count + 1, Rounding::up);
}

/// The end that is proved to meet the target; nothing of an approximation.
template <class Unit>
Value proved_end(const numeric::Claim<Unit>& claim, bool upper) {
  if (const auto* exact = std::get_if<numeric::Exact<Unit>>(&claim)) {
    const numeric::Enclosure<Unit> enclosed = numeric::enclose(*exact, {128});
    return Bound{exact->proof(), upper ? enclosed.upper() : enclosed.lower(), upper};
  }
  const auto* enclosure = std::get_if<numeric::Enclosure<Unit>>(&claim);
  if (enclosure == nullptr) return None{};
  return Bound{enclosure->proof(), upper ? enclosure->upper() : enclosure->lower(), upper};
}

/// The traffic; without the burst length if that is the unknown.
std::string traffic_in_words(const BufferQuery& query, const std::vector<const Traffic*>& all = {}) {
  if (!requests_burst(query)) return in_words(query.traffic, all);
  const auto without_burst = [](const Traffic& traffic) {
    const auto& inputs = std::get<BurstyInputs>(traffic.source);
    return Traffic{EqualInputs{inputs.inputs, inputs.load}, traffic.packets_per_slot};
  };
  std::vector<Traffic> others;
  others.reserve(all.size());
  std::vector<const Traffic*> pointers;
  for (const Traffic* each : all) pointers.push_back(&others.emplace_back(without_burst(*each)));
  const auto destination = std::get<BurstyInputs>(query.traffic.source).destination;
  const bool one_destination = std::all_of(all.begin(), all.end(), [&](const Traffic* each) {
    return std::get<BurstyInputs>(each->source).destination == destination;
  });
  return in_words(without_burst(query.traffic), pointers) +
         (one_destination ? " (" + in_words(destination) + ")" : "");
}

/// Time until a full buffer is empty without further arrivals.
Slots drain_slots(const BufferPoint& point) {
  const std::int64_t served = point.first.traffic.packets_per_slot;
  return Slots((point.second.buffer.value + served - 1) / served);
}

/// The unknown of --solve.
std::optional<const char*> solved_for(const BufferQuery& query) {
  if (requests_load(query)) return "load";
  if (requests_speedup(query)) return "speedup";
  if (requests_burst(query)) return "burst";
  return std::nullopt;
}

/// As given; none if a buffer is the unknown.
std::optional<Packets> requested_capacity(const BufferQuery& query) {
  return std::visit(
      [](const auto& requested) -> std::optional<Packets> {
        if constexpr (requires { requested.capacity; }) return requested.capacity;
        return std::nullopt;
      },
      query.requested);
}

const Fields<BufferQuery>& buffer_inputs() {
  using Query = BufferQuery;
  static const Fields<Query> fields{
      {traffic_fields(), &Query::traffic},
      {{"drop", "target", "", Shape::given, "EPS, the target, between 0 and 1"}, &Query::drop, if_present},
      {{"capacity", "capacity", "packets", Shape::whole, "B as given, the packet in service included"},
       &requested_capacity,
       if_present},
      {{"solve", "solve", "", Shape::text,
        "the unknown: load, speedup or burst; with --shared load, ports or threshold"},
       &solved_for,
       if_present},
      {{"criterion", "criterion", "", Shape::text,
        "overflow: tail probability P(Q > B) of the infinite buffer; or loss: fraction of packets lost"},
       &Query::criterion},
      {accuracy_fields(), &Query::accuracy}};
  return fields;
}

Cells input_cells(const BufferQuery& query, const Units& units) {
  Cells cells = joined(buffer_inputs().cells(query), unit_fields().cells(units));
  if (requests_burst(query)) std::erase_if(cells, [](const auto& cell) { return cell.key == "burst"; });
  return cells;
}

/// The results at the buffer's end of the interval; of the other end only whether it misses the target.
enum class OtherEnd { none, before, above };
OtherEnd other_end(const BufferPoint& point) {
  const auto& [query, answer] = point;
  if (requests_probability(query) || answer.speedup) return OtherEnd::none;
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
      {{"max_load", "load", "packets/slot", Shape::claim,
        "meets the target at its lower end, misses it at its upper; of a class with all in proportion"},
       [](const Point& of) { return shown(*of.second.load); },
       has_load},
      {{"safe_load", "", "packets/slot", Shape::bound, "a load proved to meet the target", Style::hidden},
       [](const Point& of) { return proved_end(*of.second.load, false); },
       has_load},
      {{"min_speedup", "speedup", "", Shape::claim, "meets the target at its upper end, at least 1"},
       [](const Point& of) { return shown(*of.second.speedup); },
       has_speedup},
      {{"safe_speedup", "", "", Shape::bound, "a speedup proved to meet the target", Style::hidden},
       [](const Point& of) { return proved_end(*of.second.speedup, true); },
       has_speedup},
      {{"longest_burst", "burst", "slots", Shape::claim,
        "mean burst that meets the target at its lower end and misses it at its upper"},
       [](const Point& of) { return shown(*of.second.burst); },
       has_burst},
      {{"safe_burst", "", "slots", Shape::given, "the mean burst at which `probability` meets the target",
        Style::hidden},
       [](const Point& of) { return *of.second.safe; },
       has_burst},
      {{"buffer", "buffer", "packets", Shape::whole,
        "B: the minimum that meets the target, or as given; the packet in service included", Style::plain, 0,
        ""},
       [](const Point& of) { return of.second.buffer; }},
      {{"buffer_proved", "proved", "packets", Shape::whole,
        "a buffer proved to meet the target, where `buffer` is an approximation", Style::plain, 0,
        "buffer_proved"},
       [](const Point& of) { return of.second.proved_buffer; },
       if_present},
      {probability_at("probability", "P or loss at B",
                      "the criterion at B (and at the load, speedup or burst of the answer)", Style::plain),
       [](const Point& of) { return of.second.at.probability; }},
      {{"probability_bound", "", "", Shape::bound,
        "proved upper bound of the criterion at B, where `probability` is an approximation", Style::hidden},
       [](const Point& of) { return of.second.bound; },
       if_present},
      {probability_at("probability_before", "", "the criterion at B - 1, above the target; null if B is 0"),
       &beyond, [](const Point& of) { return other_end(of) == OtherEnd::before; }},
      {probability_at("probability_above", "",
                      "the criterion at the upper end of the load or burst, above the target"),
       &beyond, [](const Point& of) { return other_end(of) == OtherEnd::above; }},
      {{"higher_buffers", "", "packets", Shape::givens,
        "of the classes before, the first in front: losses are those with these buffers", Style::hidden},
       [](const Point& of) {
         std::vector<numeric::Rational> buffers;
         for (const Packets buffer : of.second.higher_buffers)
           buffers.push_back(numeric::Rational(buffer.value));
         return buffers;
       },
       [](const Point& of) { return !of.second.higher_buffers.empty(); }},
      {{"mean_occupancy", "mean occupancy", "packets", Shape::claim, "E[Q] of an infinite buffer"},
       [](const Point& of) { return of.second.mean_occupancy; },
       if_present},
      {{"decay_rate", "decay rate", "", Shape::proved,
        "asymptotic decay rate of P(Q > n) of an infinite buffer [1/packet]; null if no packet ever waits, "
        "or if it cannot be enclosed"},
       [](const Point& of) { return shown(of.second.decay_rate); },
       has_mean},
      {probability_at("loss", "",
                      "fraction of packets lost at B if that exceeds P(Q > B); otherwise, or if it would "
                      "take too long to compute, null"),
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
        "arithmetic of `probability`: double, extended, multiprecision, interval, exact, matrices or modes",
        Style::hidden},
       &Computation::name},
      {{"bits", "bits", "", Shape::whole, "precision of a recurrence's arithmetic; 0 if exact",
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
      "drain_slots", "drain", "slots", Shape::whole, "time to drain a full buffer without arrivals",
      Style::hidden};
  return {{slot, [slot_ns](const BufferPoint&) { return slot_ns; }, if_present},
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

/// "P(Q > 157) <= 1e-15" or "loss <= 1e-9".
std::string target_in_words(const BufferQuery& query, const std::string& buffer) {
  return fmt::format(
      "{} <= {}",
      query.criterion == Criterion::overflow ? "P(Q > " + buffer + ")" : "fraction of packets lost",
      plain(*query.drop()));
}

/// The answer to one point.
Headline sentence(const BufferPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  const numeric::Digits digits = query.accuracy.digits;
  const std::int64_t buffer = answer.buffer.value;
  const std::vector<Value> proof{shown(answer.at.probability)};
  const bool proved = is_proved(proof.front());
  const std::string size = size_in_words(answer.buffer, units.packet_bytes);
  if (requests_probability(query)) {
    const std::string probability = brief(proof.front(), digits);
    if (query.criterion != Criterion::loss)
      return {fmt::format("P(Q > {})", buffer), probability,
              fmt::format(" for {} buffer{}", with_article(buffer, "packet"), size), proof};
    if (!proved)
      return {fmt::format("{} of the packets are lost by {} buffer{}.", probability,
                          with_article(buffer, "packet"), size),
              proof};
    return {fmt::format("{} buffer{} loses {}.", with_article(buffer, "packet"), size,
                        probability == "0"   ? "no packets"
                        : probability == "1" ? "all packets"
                                             : probability + " of the packets"),
            proof};
  }
  const std::string target = target_in_words(query, std::to_string(buffer));
  if (requests_buffer(query)) {
    if (!proved)
      return {
          fmt::format("{}{} {}{}: {}.", counted(buffer, "packet"), size, buffer == 1 ? "suffices" : "suffice",
                      answer.proved_buffer
                          ? fmt::format(" (numerical; proved for {} packets)", answer.proved_buffer->value)
                          : "",
                      target),
          proof};
    if (buffer == 0) return {fmt::format("No buffer is needed: {}.", target), proof};
    return {fmt::format("{} buffer{} suffices: {}.", with_article(buffer, "packet"), size, target), proof};
  }
  const auto solved = [&](const char* what, const std::string& value) -> Headline {
    return {what, value, fmt::format(" for {} buffer{}: {}", with_article(buffer, "packet"), size, target),
            proof};
  };
  if (requests_load(query)) return solved("Maximum load", safe_end(answer, digits));
  if (requests_burst(query)) return solved("Maximum mean burst", plain(*answer.safe) + " slots");
  return solved("Minimum speedup", safe_end(answer, digits));
}

std::string proof(const BufferPoint& point) {
  const auto& [query, answer] = point;
  const numeric::Digits digits = query.accuracy.digits;
  const Value probability = shown(answer.at.probability);
  const std::string at =
      fmt::format("{} = {}", symbol(query.criterion, answer.buffer), brief(probability, digits));
  const std::string words = certainty(probability, digits);
  if (requests_probability(query)) return fmt::format("{}, {}", at, words);
  const std::string target = plain(*query.drop());
  if (requests_buffer(query))
    return answer.beyond ? fmt::format("{} <= {} < {} = {}\n{}", at, target,
                                       symbol(query.criterion, answer.buffer - Packets(1)),
                                       brief(shown(answer.beyond->probability), digits), words)
                         : fmt::format("{} <= {}, {}", at, target, words);
  if (answer.load && !answer.beyond)
    return fmt::format("proved to meet {} at load {}, the maximum that this traffic can have", target,
                       safe_end(answer, digits));
  if (answer.load && !answer.safe) {
    const Decimals ends = decimals(shown(*answer.load), digits);
    return fmt::format("proved to meet {} at load {} and to miss it at load {}", target, ends.lower,
                       ends.upper);
  }
  if (answer.safe && answer.beyond)
    return fmt::format("{} <= {} < {} with {} by one unit in the fourth digit\n{}", at, target,
                       brief(shown(answer.beyond->probability), digits),
                       answer.burst ? "bursts longer" : "a load higher", words);
  return fmt::format("{} <= {}, {}", at, target, words);
}

/// What the mean occupancy and the decay rate belong to, where the answer is that of a finite buffer.
const char* if_infinite(const BufferQuery& query) {
  return query.criterion == Criterion::loss ? " (infinite buffer)" : "";
}

std::vector<Line> lines(const BufferPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  const numeric::Digits digits = query.accuracy.digits;
  const Value probability = shown(answer.at.probability);
  const UnitScale scale = scale_of(units);
  std::vector<Line> lines;
  lines.push_back({std::holds_alternative<Approximation>(probability) ? "computed" : "proof", proof(point)});
  if (answer.bound)
    lines.push_back(
        {"proof",
         fmt::format("{} <= {}{}\nthe tighter of two bounds that hold for any number of sources",
                     symbol(query.criterion, answer.buffer), brief(shown(*answer.bound), digits),
                     answer.proved_buffer
                         ? fmt::format(", and {} <= {}", symbol(query.criterion, *answer.proved_buffer),
                                       plain(*query.drop()))
                         : "")});
  if (answer.load) lines.push_back({"answer", certainty(shown(*answer.load), digits)});
  if (answer.speedup) lines.push_back({"answer", certainty(shown(*answer.speedup), digits)});
  if (answer.loss)
    lines.push_back(
        {"caution",
         fmt::format("P(Q > B) underestimates the drop rate here: {} = {} (fraction of packets lost)",
                     symbol(Criterion::loss, answer.buffer),
                     brief(shown(answer.loss->probability), digits))});
  if (answer.loss_unknown)
    lines.push_back(
        {"caution",
         "the fraction of packets lost would take too long to compute; P(Q > B) may underestimate it"});
  if (answer.overloaded)
    lines.push_back(
        {"overload", overload_in_words(answers::load_of(query.traffic), query.traffic.packets_per_slot)});
  if (const std::string queue = poisson_in_words(query); !queue.empty()) lines.push_back({"queue", queue});
  const std::string caution = overflow_caution(query.criterion, query.traffic);
  if (!caution.empty()) lines.push_back({"caution", caution});
  if (answer.mean_occupancy) {
    const Value mean = shown(answer.mean_occupancy);
    lines.push_back({"mean occupancy", fmt::format("{} packets{}, {}", brief(mean, digits),
                                                   if_infinite(query), certainty(mean, digits))});
  }
  if (answer.decay_rate) {
    const Value decay = shown(*answer.decay_rate);
    lines.push_back(
        {"decay rate",
         fmt::format("{} per packet{}, {}\nasymptote: each {:.4g} extra packets cut the tail tenfold",
                     brief(decay, digits), if_infinite(query), certainty(decay, digits),
                     std::log(10.0) / static_cast<double>(answer.decay_rate->lower()))});
  }
  if (units.packet_bytes) lines.push_back({"size", bytes_in_words(shown(answer.buffer), scale)});
  if (units.slot_ns())
    lines.push_back(
        {"time", fmt::format("{} per slot; a full buffer drains in {}", ns_in_words(Whole{1}, scale),
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

/// What the points have in common: of which queue they are.
std::string settings(const std::vector<BufferPoint>& points) {
  return "Output queue, " + traffic_in_words(points.front().first, traffics_of(points)) +
         (at_any_time(points.front().first) ? "." : "; the buffer includes the packet in service.");
}

/// What the points are of and to which target, where it is one.
std::string title(const std::vector<BufferPoint>& points) {
  const auto& [query, answer] = points.front();
  if (requests_probability(query))
    return query.criterion == Criterion::overflow ? "P(Q > B)" : "Fraction of packets lost";
  const std::string target =
      same_drop(points) ? "for " + target_in_words(query, "B") : std::string("for the targets");
  return fmt::format("{} {}",
                     requests_buffer(query)  ? "Minimum buffer"
                     : requests_load(query)  ? "Maximum load"
                     : requests_burst(query) ? "Maximum mean burst"
                                             : "Minimum speedup",
                     target);
}

std::vector<std::string> notes(const std::vector<BufferPoint>& points) {
  std::vector<std::string> notes;
  const auto any = [&](const auto& holds) { return std::any_of(points.begin(), points.end(), holds); };
  if (any([](const BufferPoint& point) { return point.second.loss.has_value(); }))
    notes.emplace_back("* P(Q > B) underestimates the drop rate here; use --criterion loss.");
  const bool computed = any([](const BufferPoint& point) {
    return std::holds_alternative<numeric::Approximation<unit::Probability>>(point.second.at.probability);
  });
  if (std::string queue = poisson_in_words(points.front().first); !queue.empty()) {
    std::replace(queue.begin(), queue.end(), '\n', ' ');
    notes.push_back("Queue: " + queue + ".");
  }
  if (points.front().first.criterion == Criterion::loss &&
      any([](const BufferPoint& point) { return point.second.mean_occupancy.has_value(); }))
    notes.emplace_back("Mean occupancy and decay rate are those of an infinite buffer.");
  const bool classes = std::holds_alternative<TrafficClass>(points.front().first.traffic.source);
  if (classes && any([](const BufferPoint& point) { return !point.second.higher_buffers.empty(); }))
    notes.emplace_back(points.front().first.criterion == Criterion::loss
                           ? "Each class has a buffer of its own; packets that a higher class loses take no "
                             "slot from a lower "
                             "one."
                           : "P(Q > B) of a class is that of infinite buffers of all classes.");
  if (any([](const BufferPoint& point) {
        return std::holds_alternative<numeric::UpperBound<unit::Probability>>(point.second.at.probability);
      }))
    notes.emplace_back(
        "Numbers with <= are proved upper bounds: the loss with infinite buffers of the higher classes.");
  if (any([](const BufferPoint& point) { return point.second.overloaded; }) && points.size() > 1)
    notes.emplace_back(
        "Without a mean occupancy: more packets arrive than are served, so an infinite queue would grow "
        "without limit.");
  notes.push_back(computed ? "Numerical, not proved: digits on which two spectral truncations agree. A "
                             "buffer under \"proved\" is proved."
                           : fmt::format("Each number is exact or certified to {} digits.",
                                         points.front().first.accuracy.digits.count));
  return notes;
}

Picture picture(const Document& document, const std::vector<BufferPoint>& points) {
  const BufferQuery& query = points.front().first;
  Picture picture{.title = title(points) + ", " + traffic_in_words(query, traffics_of(points)),
                  .x_label = {},
                  .y_label = "buffer B [packets]"};
  Sweep sweep{.axes = {"load", "burst", "inputs", "drop", "capacity", "on_rate", "packets_per_slot"},
              .height = "buffer"};
  // The load of a class is a separate query, not an axis.
  if (std::holds_alternative<TrafficClass>(query.traffic.source))
    sweep.axes = {"capacity", "drop", "inputs", "class"};
  if (requests_probability(query)) {
    sweep.height = "probability";
    sweep.powers_of_ten = true;
    picture.y_label = query.criterion == Criterion::overflow ? "P(Q > B)" : "fraction of packets lost";
  } else if (requests_load(query)) {
    sweep.height = "max_load";
    picture.y_label = "maximum load [packets/slot]";
  } else if (requests_speedup(query)) {
    sweep.height = "min_speedup";
    picture.y_label = "minimum speedup";
  } else if (requests_burst(query)) {
    sweep.height = "longest_burst";
    picture.y_label = "maximum mean burst [slots]";
  }
  return sweep_picture(document, sweep, std::move(picture));
}

/// P(Q > n) of the queue and the end of its buffer, for one point.
Picture tail_picture(const BufferPoint& point) {
  const auto& [query, answer] = point;
  if (answer.overloaded)
    throw NoAnswer("nothing to draw: " +
                   overload_in_words(answers::load_of(query.traffic), query.traffic.packets_per_slot));
  const auto capacity = static_cast<double>(answer.buffer.value);
  Picture picture{.title = "Output queue, " + traffic_in_words(query, {&query.traffic}),
                  .x_label = "level n [packets]",
                  .y_label = "P(Q > n)",
                  .powers_of_ten = true};
  const std::int64_t beyond = answer.buffer.value + std::max<std::int64_t>(4, answer.buffer.value / 8);
  Curve tail = tail_curve(answers::tail_through(query.traffic, Packets(0), Packets(beyond)), "P(Q > n)",
                          CurveStyle::steps);
  if (tail.points.empty()) throw NoAnswer("nothing to draw: no packet ever waits");
  picture.curves.push_back(std::move(tail));
  if (const auto drop = query.drop())
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
       "buffer " + std::to_string(answer.buffer.value) + ": " + symbol(query.criterion, answer.buffer));
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
  const auto& [query, answer] = point;
  BufferQuery other = query;
  std::optional<numeric::Rational>* const load = load_to_vary(other.traffic);
  const numeric::Rational here = **load, full = query.traffic.packets_per_slot;
  std::vector<BufferQuery> others;
  for (const numeric::Rational& share : loads_around(here / full)) {
    *load = share * full;
    others.push_back(other);
  }
  const auto points = answered(others, [](const BufferQuery& one) { return answers::answer(one); });
  if (points.size() < 2) throw NoAnswer("nothing to draw: no other load has an answer");
  Picture picture = document(points, {}).picture();
  picture.title = "Buffer against load";
  picture.log_y = true;
  mark_here(picture, numeric::nearest_double(here), "this load");
  return picture;
}

/// Of the numbers that a list of points is answered with.
const char* unit_of_answer(const std::vector<BufferPoint>& points) {
  const BufferQuery& query = points.front().first;
  if (requests_burst(query)) return " slots";
  if (!requests_buffer(query)) return "";
  const bool one = std::all_of(points.begin(), points.end(),
                               [](const BufferPoint& point) { return point.second.buffer.value == 1; });
  return one ? " packet" : " packets";
}

Result result_of(const BufferPoint& point, const Units& units) {
  return {.inputs = input_cells(point.first, units), .cells = result_cells(point, units)};
}

}  // namespace

Cells inputs_of(const BufferQuery& query, const Units& units) {
  return input_cells(query, units);
}

Layout buffer_layout() {
  return {.command = "buffer",
          .inputs = joined(buffer_inputs().columns(), unit_fields().columns()),
          .results = joined(joined(buffer_results().columns(), slot_fields({}).columns()),
                            computation_fields().columns()),
          .quiet = {"buffer"}};
}

Document document(const std::vector<BufferPoint>& points, const Units& units) {
  const BufferQuery& first = points.front().first;
  auto layout = buffer_layout();
  for (Column& column : layout.results)
    if (column.key == "probability") column.heading = symbol(first.criterion);
  layout.quiet = {requests_buffer(first)        ? "buffer"
                  : requests_probability(first) ? "probability"
                  : requests_burst(first)       ? "safe_burst"
                  : is_proved(shown(points.front().second.at.probability))
                      ? (requests_load(first) ? "safe_load" : "safe_speedup")
                      : (requests_load(first) ? "max_load" : "min_speedup")};
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = settings(points),
                    .results = {},
                    .digits = first.accuracy.digits};
  for (const BufferPoint& point : points) {
    Result& result = document.results.emplace_back(result_of(point, units));
    if (points.size() == 1) result.lines = lines(point, units);
  }
  std::vector<Value> proof;
  for (const BufferPoint& point : points) proof.push_back(shown(point.second.at.probability));
  document.headline = points.size() == 1
                          ? sentence(points.front(), units)
                          : range_headline(document, title(points), unit_of_answer(points), proof);
  if (points.size() > 1) document.notes = notes(points);
  mark_untrusted(document, traffics_of(points));
  document = with_units(std::move(document), scale_of(units));
  const bool buffer_known = requests_buffer(first) || requests_probability(first);
  if (points.size() > 1 || !buffer_known) {
    // Created again when it is drawn: copying a long list takes as long as computing it.
    document.picture = [shared = share(points), units] {
      return picture(render::document(*shared, units), *shared);
    };
    return document;
  }
  document.picture = [point = points.front()] { return tail_picture(point); };
  Traffic traffic = first.traffic;
  if (requests_buffer(first) && !answers::correlated(traffic) && load_to_vary(traffic) != nullptr)
    document.further_pictures.push_back([point = points.front()] { return load_picture(point); });
  return document;
}

}  // namespace tailbound::render
