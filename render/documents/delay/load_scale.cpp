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

// --- cells

Cells input_cells(const LoadScaleQuestion& question) {
  Cells cells = topology_cells(Topology(question.topology));
  cells.push_back({"solve", Text{"load-scale"}});
  if (question.flow) cells.push_back({"flow", Text{*question.flow}});
  if (const LatencyTarget* target = latency_of(question)) {
    cells.push_back({"sources", Text{name_of(question.sources)}});
    cells.push_back({"delay", Text{name_of(question.hop_delay)}});
    cells.push_back({"percentile", Given{target->percentile * 100}});
    cells.push_back({target->time ? "within_ns" : "within_slots", Given{target->within}});
  }
  if (const BufferTarget* target = buffer_of(question)) {
    cells.push_back({"sources", Text{name_of(question.sources)}});
    cells.push_back({"drop", Given{target->drop.probability}});
    cells.push_back({"criterion", Text{name_of(target->drop.criterion)}});
    cells.push_back({"capacity", Whole{target->capacity.value}});
  }
  cells.push_back({"digits", Whole{question.digits.count}});
  cells = joined(std::move(cells), unit_cells(question.units));
  if (const LatencyTarget* target = latency_of(question); target != nullptr && target->time)
    cells.push_back({"hop_ns", Given{target->time->hop}});
  return cells;
}

Cells result_cells(const LoadScaleAnswer& answer) {
  const ScaleLimit& limit = answer.first_limit();
  Cells cells{{"greatest_load_scale", shown(answer.greatest())}};
  if (!answer.target) {
    cells.push_back({"attained", Flag{limit.attained()}});
    cells.push_back({"limit", Text{kind_name(limit.kind)}});
    cells.push_back({"limit_name", Text{limit.name}});
    return cells;
  }
  const LoadScaleOfTarget& target = *answer.target;
  const NearestToTarget& nearest = target.at_missed ? *target.at_missed : target.at_met;
  cells.push_back({"safe_load_scale", Given{target.met}});
  cells.push_back({"limit_name", Text{nearest.name}});
  cells.push_back({"probability_met", shown(target.at_met.probability)});
  cells.push_back(
      {"probability_missed", target.at_missed ? shown(target.at_missed->probability) : Value(None{})});
  return cells;
}

Cells limit_cells(const ScaleLimit& limit) {
  return {{"limit", Text{kind_name(limit.kind)}},
          {"name", Text{limit.name}},
          {"load", Given{limit.load}},
          {"takes", Given{limit.takes}},
          {"load_scale", Exact{limit.factor}}};
}

// --- text

/// What is promised at the factor: "99.99 % of each flow's packets take at most 30 slots".
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
  return {{"solve", "solve", "", Shape::text, "what was asked for: load-scale"},
          {"percentile", "percentile", "", Shape::given,
           "of --solve: p [%], that of each flow's latency is to be within the time"},
          {"within_slots", "within [slots]", "", Shape::given,
           "of --solve: the latency that the percentile may have [slots]"},
          {"within_ns", "within [ns]", "", Shape::given, "the same in ns, with what the hops add"},
          {"capacity", "capacity", "", Shape::whole,
           "of --solve: room of each queue [packets], the one in service included"}};
}

std::vector<Column> load_scale_results() {
  return {
      {"greatest_load_scale", "greatest load scale", "", Shape::claim,
       "of --solve: supremum of the factors; of a target met at its lower end, missed at its upper"},
      {"safe_load_scale", "safe load scale", "", Shape::given,
       "of --solve: a factor at which the target is met, a short decimal", Style::hidden},
      {"attained", "attained", "", Shape::flag,
       "of --solve: true where the greatest factor itself is possible, false where a queue would then grow "
       "for ever",
       Style::hidden},
      {"limit", "limit", "", Shape::text,
       "what is at its limit there: link, full; node, sends a packet in every slot; or burst, a flow whose "
       "bursts come one slot apart"},
      {"limit_name", "at", "", Shape::text,
       "its name: left -> right of a link; of a target the flow or the queue nearest to it"},
      {"probability_met", "probability", "", Shape::claim,
       "of --solve: P(latency > within) or the buffers' criterion at the safe factor, the greatest of all"},
      {"probability_missed", "", "", Shape::claim,
       "the same at the upper end, above the target; null where it is met as far as the links bear it",
       Style::hidden}};
}

TableLayout load_scale_table() {
  return {"limits",
          "of --solve: what bounds the factor, the nearest first",
          {{"limit", "limit", "", Shape::text, "link, node or burst"},
           {"name", "of", "", Shape::text, "the link, the node or the flow"},
           {"load", "load", "packets/slot", Shape::given, "of it as the network is"},
           {"takes", "takes", "packets/slot", Shape::given, "at most"},
           {"load_scale", "load scale", "", Shape::proved, "takes / load"}}};
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
    result.inputs = input_cells(question);
    result.cells = result_cells(answer);
    result.tables = {
        {.key = "limits",
         .size = answer.limits.size(),
         .row = [points, i](std::size_t j) { return limit_cells((*points)[i].second.limits[j]); },
         .in_text = one}};
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
