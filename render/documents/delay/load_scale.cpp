#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/delay/load_scale.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::Criterion;
using numeric::plain;
using numeric::Rational;

const LatencyTarget* latency_of(const LoadScaleQuestion& question) {
  return std::get_if<LatencyTarget>(&question.asked);
}
const BufferTarget* buffer_of(const LoadScaleQuestion& question) {
  return std::get_if<BufferTarget>(&question.asked);
}

const char* kind_name(ScaleLimit::Kind kind) {
  switch (kind) {
    case ScaleLimit::Kind::link:
      return "link";
    case ScaleLimit::Kind::node:
      return "node";
    case ScaleLimit::Kind::burst:
      break;
  }
  return "burst";
}

/// "20/19 (1.052631579)" or "1.25"
std::string factor_in_words(const Rational& factor) {
  const std::string text = plain(factor);
  return text.find_first_of("/a") == std::string::npos ? text
                                                       : text + " (" + brief(Exact{factor}, {10}) + ")";
}

// --- fields

const Fields<LatencyTarget>& latency_fields() {
  static const Fields<LatencyTarget> fields{
      {{"percentile", "percentile", "", Shape::given,
        "of --solve: p [%], that of each flow's latency is to be within the time"},
       [](const LatencyTarget& of) { return Rational(of.percentile * 100); }},
      {{"within_slots", "within [slots]", "", Shape::given,
        "of --solve: the latency that the percentile may have [slots]"},
       &LatencyTarget::within,
       [](const LatencyTarget& of) { return !of.time; }},
      {{"within_ns", "within [ns]", "", Shape::given, "the same in ns, with what the hops add"},
       &LatencyTarget::within,
       [](const LatencyTarget& of) { return of.time.has_value(); }}};
  return fields;
}

const Fields<BufferTarget>& buffer_fields() {
  static const Fields<BufferTarget> fields{
      {{"capacity", "capacity", "", Shape::whole,
        "of --solve: room of each queue [packets], the one in service included"},
       &BufferTarget::capacity}};
  return fields;
}

const Fields<LoadScaleQuestion>& load_scale_input_fields() {
  using Question = LoadScaleQuestion;
  static const Fields<Question> fields{
      {topology_fields(), [](const Question& of) { return Topology(of.topology); }},
      {delay_columns().flow, &Question::flow, if_there},
      {delay_columns().sources, &Question::sources,
       [](const Question& of) { return !std::holds_alternative<Stability>(of.asked); }},
      {delay_columns().hop_delay, &Question::hop_delay, &latency_of},
      {drop_target_fields(),
       [](const Question& of) {
         const BufferTarget* target = buffer_of(of);
         return target != nullptr ? &target->drop : nullptr;
       }},
      {{"solve", "solve", "", Shape::text, "what was asked for: load-scale"},
       [](const Question&) { return "load-scale"; }},
      {latency_fields(), &latency_of},
      {buffer_fields(), &buffer_of},
      {delay_columns().digits, [](const Question& of) { return of.digits.count; }},
      {unit_fields(), &Question::units},
      {hop_column(),
       [](const Question& of) {
         const LatencyTarget* target = latency_of(of);
         return target != nullptr && target->time ? std::optional(target->time->hop) : std::nullopt;
       },
       if_there}};
  return fields;
}

/// For a target the flow or queue closest to it, otherwise the limiting link.
std::string limit_name(const LoadScaleAnswer& answer) {
  if (!answer.target) return answer.first_limit().name;
  return (answer.target->at_missed ? *answer.target->at_missed : answer.target->at_met).name;
}

std::optional<Value> missed_probability(const LoadScaleAnswer& answer) {
  if (!answer.target) return std::nullopt;
  return answer.target->at_missed ? shown(answer.target->at_missed->probability) : Value(None{});
}

const Fields<LoadScaleAnswer>& load_scale_result_fields() {
  using Answer = LoadScaleAnswer;
  static const auto of_links = [](const Answer& of) { return !of.target; };
  static const auto of_target = [](const Answer& of) { return of.target.has_value(); };
  static const Fields<Answer> fields{
      {{"greatest_load_scale", "greatest load scale", "", Shape::claim,
        "of --solve: supremum of the factors; of a target met at its lower end, missed at its upper"},
       &Answer::greatest},
      {{"safe_load_scale", "safe load scale", "", Shape::given,
        "of --solve: a factor at which the target is met, a short decimal", Style::hidden},
       [](const Answer& of) { return of.target->met; },
       of_target},
      {{"attained", "attained", "", Shape::flag,
        "of --solve: true where the greatest factor itself is possible, false where a queue would then grow "
        "for ever",
        Style::hidden},
       [](const Answer& of) { return of.first_limit().attained(); },
       of_links},
      {{"limit", "limit", "", Shape::text,
        "what is at its limit there: link, full; node, sends a packet in every slot; or burst, a flow whose "
        "bursts come one slot apart"},
       [](const Answer& of) { return kind_name(of.first_limit().kind); },
       of_links},
      {{"limit_name", "at", "", Shape::text,
        "its name: left -> right of a link; of a target the flow or the queue nearest to it"},
       &limit_name},
      {{"probability_met", "probability", "", Shape::claim,
        "of --solve: P(latency > within) or the buffers' criterion at the safe factor, the greatest of all"},
       [](const Answer& of) { return of.target->at_met.probability; },
       of_target},
      {{"probability_missed", "", "", Shape::claim,
        "the same at the upper end, above the target; null where it is met as far as the links bear it",
        Style::hidden},
       &missed_probability,
       if_there}};
  return fields;
}

const Table<ScaleLimit>& limit_table() {
  static const Table<ScaleLimit> table{
      "limits",
      "of --solve: what bounds the factor, the nearest first",
      {{{"limit", "limit", "", Shape::text, "link, node or burst"},
        [](const ScaleLimit& of) { return kind_name(of.kind); }},
       {{"name", "of", "", Shape::text, "the link, the node or the flow"}, &ScaleLimit::name},
       {{"load", "load", "packets/slot", Shape::given, "of it as the network is"}, &ScaleLimit::load},
       {{"takes", "takes", "packets/slot", Shape::given, "at most"}, &ScaleLimit::takes},
       {{"load_scale", "load scale", "", Shape::proved, "takes / load"}, &ScaleLimit::factor}}};
  return table;
}

// --- text

/// The guarantee at the factor: "99.99 % of each flow's packets take at most 30 slots".
std::string promise(const LoadScaleQuestion& question) {
  const std::string whose = question.flow ? "of the packets of " + *question.flow : "of each flow's packets";
  if (const LatencyTarget* target = latency_of(question))
    return fmt::format("{} % {} take at most {} {}", plain(target->percentile * 100), whose,
                       plain(target->within), target->time ? "ns" : "slots");
  const BufferTarget& target = *buffer_of(question);
  return fmt::format("{} packets hold each queue{} {}", target.capacity.value,
                     question.flow ? " that " + *question.flow + " meets" : "",
                     target.drop.criterion == Criterion::overflow
                         ? fmt::format("in all but at most {} of the slots", plain(target.drop.probability))
                         : fmt::format("and lose at most {} of the packets", plain(target.drop.probability)));
}

std::string sentence(const LoadScalePoint& point) {
  const auto& [question, answer] = point;
  const std::string network = in_words(Topology(question.topology));
  const ScaleLimit& limit = answer.first_limit();
  if (answer.target)
    return fmt::format("{}, all rates times {}: {}.", network, plain(answer.target->met), promise(question));
  return fmt::format("{} bears all its rates times {} {}: there {}.", network,
                     limit.attained() ? "up to" : "less than", factor_in_words(limit.factor),
                     limit.in_words());
}

std::string title(const std::vector<LoadScalePoint>& points) {
  std::vector<Topology> networks;
  for (const LoadScalePoint& point : points) networks.emplace_back(point.first.topology);
  std::vector<const Topology*> all;
  for (const Topology& network : networks) all.push_back(&network);
  return fmt::format("The greatest factor of all rates {}: {}",
                     points.front().second.target ? "that meets the target" : "that is borne",
                     in_words(networks.front(), all));
}

/// "P(T > 30)", "P(Q > 64)" or "loss(64)"
std::string symbol(const LoadScaleQuestion& question) {
  if (const LatencyTarget* target = latency_of(question))
    return fmt::format("P(T > {}{})", plain(target->within), target->time ? " ns" : "");
  const BufferTarget& target = *buffer_of(question);
  return fmt::format("{}{})", target.drop.criterion == Criterion::overflow ? "P(Q > " : "loss(",
                     target.capacity.value);
}

std::vector<Line> lines(const LoadScalePoint& point) {
  const auto& question = point.first;
  const auto& answer = point.second;
  const ScaleLimit& limit = answer.first_limit();
  const std::string stable =
      fmt::format("all rates times {} {}, exact: there {}", limit.attained() ? "up to" : "less than",
                  factor_in_words(limit.factor), limit.in_words());
  if (!answer.target) return {{"answer", "exact: a supremum of loads, whatever the model of the queues"}};
  const LoadScaleOfTarget& target = *answer.target;
  const auto at = [&](const NearestToTarget& nearest) {
    return fmt::format("{} = {} of {}", symbol(question), brief(shown(nearest.probability), question.digits),
                       nearest.name);
  };
  std::string proof = fmt::format("met at {}, where {}", plain(target.met), at(target.at_met));
  if (target.missed)
    proof += fmt::format("\nmissed at {}, where {}", plain(*target.missed), at(*target.at_missed));
  else
    proof += "\nand as far as the links bear it";
  const Value greatest = shown(answer.greatest());
  return {{std::holds_alternative<Approximation>(greatest) ? "computed" : "proof", proof},
          {"answer", certainty(greatest, question.digits)},
          {"borne", stable}};
}

std::vector<std::string> notes(const std::vector<LoadScalePoint>& points) {
  const auto& [question, answer] = points.front();
  std::vector<std::string> notes;
  for (const LoadScalePoint& point : points) add_remarks(notes, point.first.topology.network);
  if (points.size() > 1)
    notes.emplace_back(answer.target
                           ? "Each factor meets the target at its lower end and misses it at its upper one."
                           : "Each factor is exact: below it no queue grows for ever.");
  if (latency_of(question) != nullptr) {
    notes.emplace_back("T: latency, queueing and " + latency_slots_in_words() +
                       std::string(question.units.slot_ns() ? ", with what each hop adds." : "."));
    for (const LoadScalePoint& point : points) {
      const std::string caution =
          model_caution(point.second.omissions, Topology(point.first.topology), Hops::independent);
      if (!caution.empty() && std::find(notes.begin(), notes.end(), "model: " + caution) == notes.end())
        notes.push_back("model: " + caution);
    }
  }
  return notes;
}

}  // namespace

std::vector<Column> load_scale_inputs() {
  return load_scale_input_fields().columns();
}

std::vector<Column> load_scale_results() {
  return load_scale_result_fields().columns();
}

TableLayout load_scale_table() {
  return limit_table().layout();
}

Document document(std::vector<LoadScalePoint> given) {
  const auto points = share(std::move(given));
  const bool one = points->size() == 1;
  Layout layout = delay_layout();
  layout.quiet = {points->front().second.target ? "safe_load_scale" : "greatest_load_scale"};
  layout.quiet_table.clear();
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = one ? sentence(points->front()) : title(*points),
                    .results = {},
                    .notes = notes(*points),
                    .digits = points->front().first.digits};
  for (std::size_t i = 0; i < points->size(); ++i) {
    const auto& [question, answer] = (*points)[i];
    Result& result = document.results.emplace_back();
    result.inputs = load_scale_input_fields().cells(question);
    result.cells = load_scale_result_fields().cells(answer);
    result.tables = {limit_table().rows(
        answer.limits.size(),
        [points, i](std::size_t j) -> const ScaleLimit& { return (*points)[i].second.limits[j]; })};
    result.tables.back().in_text = one;
    if (one) result.lines = lines((*points)[i]);
  }
  document = with_units(std::move(document), scale_of(points->front().first.units));
  document.picture = [document, points] {
    return sweep_picture(document,
                         {.axes = {"within_slots", "within_ns", "percentile", "drop", "capacity", "uniform"},
                          .height = "greatest_load_scale"},
                         {.title = title(*points), .x_label = {}, .y_label = "greatest factor of all rates"});
  };
  return document;
}

}  // namespace tailbound::render
