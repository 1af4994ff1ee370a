#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/crossbar/crossbar_words.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>
#include <tuple>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;
using traffic::CrossbarScheduler;

template <class Requested>
bool requests(const CrossbarQuery& query) {
  return std::holds_alternative<Requested>(query.requested);
}

bool is_model(const Value& value) {
  return std::holds_alternative<Model>(value);
}

/// "exact", "certified to 10 digits", "model".
std::string kind_in_words(const Value& value, numeric::Digits digits) {
  if (std::holds_alternative<Bound>(value)) return "proved bound";
  return is_model(value) ? "model" : certainty(value, digits);
}

std::string number_text(const Value& value, numeric::Digits digits) {
  if (std::holds_alternative<Bound>(value)) return brief(value, {4});
  return is_model(value) ? fmt::format("{:.4g}", std::get<Model>(value).value) : brief(value, digits);
}

/// The target of buffers.
std::optional<Rational> target_of(const CrossbarQuery& query) {
  if (const auto* limit = std::get_if<MaxLoad>(&query.requested)) return limit->drop;
  return query.drop;
}

/// "23 packets (22.59 before rounding): P(n > 23) = 7.3e-05 <= 1e-4"
std::string buffer_in_words(const CrossbarQuery& query, const CrossbarBuffer& buffer, const char* of,
                            const Units& units) {
  const Value at = shown(buffer.at);
  const bool bound = std::holds_alternative<Bound>(at);
  std::string text = counted(buffer.cells.value, "packet");
  if (buffer.real) text += fmt::format(" ({:.2f} before rounding up)", buffer.real->value);
  if (units.packet_bytes) text += ", " + bytes_in_words(shown(buffer.cells), scale_of(units));
  std::string probability;
  if (buffer.sum) {
    probability = fmt::format("P({0} > {1}) <= {2} P(Q > {1}) = {3}", of, buffer.cells.value, query.inputs,
                              number_text(shown(*buffer.sum), query.accuracy.digits));
  } else {
    probability = fmt::format("P({} > {}) {} {}", of, buffer.cells.value,
                              bound          ? "<="
                              : is_model(at) ? "about"
                                             : "=",
                              number_text(at, bound ? numeric::Digits{4} : query.accuracy.digits));
  }
  if (const auto target = target_of(query); target && !is_model(at)) probability += " <= " + plain(*target);
  return text + "\n" + probability +
         (bound              ? ", proved"
          : buffer.continued ? ", continued, not measured"
                             : "");
}

/// "99.99 %: 121 slots"
std::string percentile_in_words(const CrossbarPercentile& percentile) {
  return fmt::format("{} %: {}", plain(percentile.probability * 100),
                     percentile.slots ? counted(percentile.slots->value, "slot") : std::string("not known"));
}

Headline saturation_headline(const CrossbarPoint& point) {
  const auto& [query, answer] = point;
  const Value maximum = shown(answer.maximum);
  const std::string load = brief(maximum, query.accuracy.digits);
  if (!is_proved(maximum) && load != "1")
    return {"maximum load",
            load + " packets per slot of each input",
            query.scheduler == CrossbarScheduler::fifo ? " (head-of-line blocking)" : "",
            {maximum}};
  if (query.scheduler == CrossbarScheduler::fifo && load != "1")
    return {fmt::format("The inputs carry at most {} packets per slot (head-of-line blocking).", load),
            {maximum}};
  return {fmt::format("The maximum load is {} packet{} per slot of each input: {}.", load,
                      load == "1" ? "" : "s", basis_in_words(query, answer.basis)),
          {maximum}};
}

std::string buffers_in_headline(const CrossbarAnswer& answer) {
  std::string text;
  const auto add = [&](const std::optional<CrossbarBuffer>& buffer, const char* what) {
    if (buffer) text += fmt::format("{}{}-packet {}", text.empty() ? "" : " and ", buffer->cells.value, what);
  };
  add(answer.output, "output buffers");
  add(answer.input, "input buffers");
  return text;
}

Headline load_headline(const CrossbarPoint& point) {
  const auto& [query, answer] = point;
  const auto& limit = std::get<MaxLoad>(query.requested);
  const Value load = shown(*answer.load);
  const auto* enclosure = std::get_if<numeric::Enclosure<unit::Load>>(&*answer.load);
  return {fmt::format("Maximum load {} of each input for {} input buffer: P(n > {}) <= {}.",
                      enclosure != nullptr
                          ? numeric::to_decimal(enclosure->lower(), 4, numeric::Rounding::nearest)
                          : number_text(load, {4}),
                      with_article(limit.capacity.value, "packet"), limit.capacity.value, plain(limit.drop)),
          {load}};
}

Headline point_headline(const CrossbarPoint& point) {
  const auto& [query, answer] = point;
  if (requests<Saturation>(query)) return saturation_headline(point);
  if (requests<MaxLoad>(query)) return load_headline(point);
  const Value mean = shown(answer.mean);
  if (const std::string buffers = buffers_in_headline(answer); !buffers.empty()) {
    std::vector<Value> quoted;
    for (const auto* buffer : {&answer.output, &answer.input})
      if (*buffer) quoted.push_back(shown((*buffer)->at));
    std::string mean_text =
        query.scheduler == CrossbarScheduler::ccf
            ? std::string()
            : fmt::format("; mean delay {} slots", number_text(mean, query.accuracy.digits));
    if (!answer.percentiles.empty() && answer.percentiles.back().slots)
      mean_text += ", " + percentile_in_words(answer.percentiles.back());
    quoted.push_back(mean);
    return {
        fmt::format("{} suffice for {}{}{}.", buffers, plain(*query.drop),
                    query.phases() > 1 ? fmt::format(" (speedup {})", plain(query.phases())) : "", mean_text),
        quoted};
  }
  std::string more;
  if (!answer.percentiles.empty() && answer.percentiles.back().slots)
    more = "; " + percentile_in_words(answer.percentiles.back());
  const bool bound = std::holds_alternative<Bound>(mean);
  return {bound ? "mean delay at most" : "mean delay",
          number_text(mean, query.accuracy.digits) + " slots",
          more,
          {mean}};
}

std::vector<Line> maximum_lines(const CrossbarPoint& point) {
  const auto& [query, answer] = point;
  const Value maximum = shown(answer.maximum);
  const numeric::Digits digits = query.accuracy.digits;
  std::vector<Line> lines;
  const std::string load = brief(maximum, digits);
  std::string text = load + (load == "1" ? " packet" : " packets") + " per slot of each input, ";
  if (std::holds_alternative<Enclosure>(maximum) || std::holds_alternative<Approximation>(maximum) ||
      answer.basis == LoadBasis::backlogged)
    text += kind_in_words(maximum, digits) + "\n";
  text += basis_in_words(query, answer.basis);
  lines.push_back({"maximum load", text});
  if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Load>>(&answer.maximum);
      enclosure != nullptr && requests<Saturation>(query))
    lines.push_back(
        {"enclosure",
         fmt::format("[{}, {}]",
                     numeric::to_decimal(enclosure->lower(), digits.count + 1, numeric::Rounding::down),
                     numeric::to_decimal(enclosure->upper(), digits.count + 1, numeric::Rounding::up))});
  if (answer.many_ports && requests<Saturation>(query))
    lines.push_back(
        {"many ports", brief(shown(*answer.many_ports), digits) + " in the limit" +
                           (query.output_buffer == 1 && query.output_speedup == 1 ? ", 2 - sqrt(2)" : "")});
  return lines;
}

/// "16 ports", ...: the model behind unproved numbers.
std::string accuracy_in_words(const CrossbarQuery& query, const CrossbarAnswer& answer) {
  if (!answer.mean || !is_model(shown(*answer.mean))) return {};
  if (query.phases() > 1)
    return "Model: interpolated simulations. With a maximal matching and a speedup of 1.5 or more the mean "
           "delay "
           "is within 2.5 % of the output queue's.";
  if (query.burst)
    return "Model: mean of the output queue with these bursts times a simulated ratio, which depends little "
           "on "
           "the length of the bursts (2.5 %, crosspoint 3 %).";
  if (query.scheduler == CrossbarScheduler::fifo)
    return "Model: a formula fitted to simulations. Mean within 0.7 %; P(D > t) within a factor of 1.3 from "
           "55 % of the maximum load, 1.4 from 35 %; P(n > cells) within 1.4.";
  if (query.scheduler == CrossbarScheduler::islip && query.rounds() == 1)
    return "Model: interpolated simulations. Mean within 2 %, except at loads 0.55 to 0.67, where one "
           "iteration stops to suffice: 16 %.";
  return "Model: interpolated simulations. Up to load 0.9 the mean is within 1 %, P(D > t) = 1e-4 within a "
         "factor of 1.3 in nine of ten cases, input buffers within 7 %; at 0.95 mean 7 %, buffers 12 %.";
}

/// The load as given, or as found.
std::string load_text(const CrossbarQuery& query, const CrossbarAnswer& answer) {
  if (const auto load = query.load()) return plain(*load);
  return answer.load ? number_text(shown(*answer.load), {4}) : std::string();
}

std::string matching_in_words(const CrossbarQuery& query, const CrossbarAnswer& answer) {
  const std::string carried = brief(shown(*answer.matching), {4});
  std::string text = fmt::format(
      "PIM with {} carries {}. Near that load, and load {} is less than 0.1 below it or above it, islip may "
      "be "
      "faster with more iterations",
      counted(query.rounds(), "iteration"), carried, load_text(query, answer));
  if (answer.mean_all)
    text += fmt::format("; with all the mean delay is {:.4g} slots", answer.mean_all->value);
  return text;
}

}  // namespace

std::string scheduler_in_words(CrossbarScheduler scheduler, std::int64_t iterations,
                               std::int64_t crosspoint) {
  std::string text = name_of(scheduler);
  if (scheduler == CrossbarScheduler::pim || scheduler == CrossbarScheduler::islip)
    text += iterations == 0 ? " with all iterations" : " with " + counted(iterations, "iteration");
  if (scheduler == CrossbarScheduler::crosspoint)
    text += fmt::format(" with {} per crosspoint", counted(crosspoint, "packet"));
  return text;
}

std::string scheduler_in_words(const CrossbarQuery& query) {
  std::string text = scheduler_in_words(query.scheduler, query.rounds(), query.crosspoint);
  if (query.phases() != 1) text += ", speedup " + plain(query.phases());
  if (query.output_speedup > 1)
    text += fmt::format(", outputs take {} packets per slot", query.output_speedup);
  if (query.output_buffer > 1)
    text += fmt::format(", output buffers of {} packets with back-pressure", query.output_buffer);
  return text;
}

namespace {

/// "16 x 16 input-queued switch", "uniform traffic", "load 0.9", "", "islip with 4 iterations"
std::vector<std::string> switch_parts(const CrossbarQuery& query) {
  std::string load, bursts;
  if (const auto its = query.load()) load = "load " + plain(*its);
  if (query.burst) bursts = fmt::format("bursts of {} packets", plain(*query.burst));
  return {fmt::format("{} x {} input-queued switch", query.inputs, query.outputs.value_or(query.inputs)),
          "uniform traffic", load, bursts, scheduler_in_words(query)};
}

}  // namespace

std::string switch_in_words(const CrossbarQuery& query) {
  return shared_in_words({switch_parts(query)});
}

std::string switches_in_words(const std::vector<CrossbarPoint>& points) {
  std::vector<std::vector<std::string>> all;
  for (const CrossbarPoint& point : points) all.push_back(switch_parts(point.first));
  const std::string shared = shared_in_words(all);
  return shared.find("switch") == std::string::npos ? "Input-queued switches, " + shared : shared;
}

std::string basis_in_words(const CrossbarQuery& query, LoadBasis basis) {
  switch (basis) {
    case LoadBasis::proved:
      return query.scheduler == CrossbarScheduler::tdm || query.scheduler == CrossbarScheduler::load_balanced
                 ? "proved for uniform traffic"
                 : "proved for any traffic that overloads no port";
    case LoadBasis::backlogged:
      return query.scheduler == CrossbarScheduler::fifo
                 ? "throughput of backlogged inputs (head-of-line blocking)"
                 : "throughput of backlogged inputs";
    case LoadBasis::observed:
      break;
  }
  return "observed for uniform traffic, not proved";
}

Headline crossbar_headline(const Document& document, const std::vector<CrossbarPoint>& points) {
  if (points.size() == 1) return point_headline(points.front());
  const auto& [query, answer] = points.front();
  std::vector<Value> proof;
  const auto ranged = [&](const char* key, const std::string& what, const std::string& unit) {
    const std::vector<Value> values = values_of(document, key);
    return Headline(what, range_in_words(document, key) + unit, "", values);
  };
  if (requests<Saturation>(query))
    return ranged("maximum_load", "maximum load:", " packets per slot of each input");
  if (requests<MaxLoad>(query))
    return ranged("solved_load", "maximum load:", " packets per slot of each input");
  return ranged("mean_delay", "mean delay:", " slots");
}

std::vector<Line> crossbar_lines(const CrossbarPoint& point, const Units& units) {
  const auto& [query, answer] = point;
  const numeric::Digits digits = query.accuracy.digits;
  std::vector<Line> lines;
  if (answer.mean) {
    const Value mean = shown(*answer.mean);
    std::string text = fmt::format("{} slots, {}", number_text(mean, digits), kind_in_words(mean, digits));
    if (units.slot_ns()) text += "\n" + ns_in_words(mean, scale_of(units));
    lines.push_back({"mean delay", text});
  }
  if (answer.mean_bound)
    lines.push_back({"upper bound", brief(shown(*answer.mean_bound), {5}) + " slots on average, proved"});
  if (answer.output_queued && query.scheduler != CrossbarScheduler::ccf)
    lines.push_back(
        {"lower bound", fmt::format("{} slots on average for any scheduler (output-queued switch), {}",
                                    number_text(shown(*answer.output_queued), digits),
                                    kind_in_words(shown(*answer.output_queued), digits))});
  if (answer.output) lines.push_back({"output buffer", buffer_in_words(query, *answer.output, "Q", units)});
  if (answer.input) lines.push_back({"input buffer", buffer_in_words(query, *answer.input, "n", units)});
  if (answer.queue) lines.push_back({"VOQ", buffer_in_words(query, *answer.queue, "VOQ", units)});
  if (answer.output_queued_buffer && query.phases() == 1)
    lines.push_back(
        {"output queues", fmt::format("an output-queued switch needs {} per output for the same target",
                                      counted(answer.output_queued_buffer->value, "packet"))});
  const std::vector<Line> maximum = maximum_lines(point);
  lines.insert(lines.end(), maximum.begin(), maximum.end());
  if (answer.matching && query.phases() == 1)
    lines.push_back(
        {"iterations",
         fmt::format("PIM with {} carries {}; well below, islip is as fast as with all",
                     query.rounds() == 0 ? "all iterations" : counted(query.rounds(), "iteration"),
                     brief(shown(*answer.matching), {4}))});
  return lines;
}

std::vector<std::string> crossbar_notes(const std::vector<CrossbarPoint>& points) {
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(std::move(note));
  };
  const auto any = [&](const auto& holds) { return std::any_of(points.begin(), points.end(), holds); };
  for (const auto& [query, answer] : points)
    if (answer.near_matching) {
      add("Iterations: " + matching_in_words(query, answer) + ".");
      break;
    }
  for (const auto& [query, answer] : points) add(accuracy_in_words(query, answer));
  if (any([](const CrossbarPoint& of) { return of.second.sparse; }))
    add("Loads near the maximum: few simulated points, errors of the mean up to 10 %.");
  if (any([](const CrossbarPoint& of) { return of.second.between; }))
    add("With more iterations of islip than simulated, those of all iterations are taken.");
  const auto continued = [](const auto& of) { return of.continued; };
  if (any([&](const CrossbarPoint& of) {
        const CrossbarAnswer& answer = of.second;
        return std::any_of(answer.above.begin(), answer.above.end(), continued) ||
               std::any_of(answer.percentiles.begin(), answer.percentiles.end(), continued) ||
               (answer.input && answer.input->continued) || (answer.queue && answer.queue->continued);
      }))
    add("Probabilities below the simulated tails are continued geometrically, not measured: tailbound "
        "simulate "
        "crossbar --rare.");
  if (any([](const CrossbarPoint& of) {
        const auto& [above, percentiles] = std::tie(of.second.above, of.second.percentiles);
        return std::any_of(above.begin(), above.end(), [](const auto& each) { return !each.probability; }) ||
               std::any_of(percentiles.begin(), percentiles.end(),
                           [](const auto& each) { return !each.slots; });
      }))
    add("The model has the tail of the delay below 0.1 (fifo 0.3) only: higher percentiles, or tailbound "
        "simulate "
        "crossbar.");
  if (any([](const CrossbarPoint& of) {
        return of.first.scheduler == CrossbarScheduler::islip && of.first.phases() == 1 &&
               of.first.inputs > 1;
      }))
    add("Uneven traffic may saturate islip near load 0.8: tailbound simulate crossbar.");
  if (any([](const CrossbarPoint& of) { return of.first.scheduler == CrossbarScheduler::load_balanced; }))
    add("load-balanced: buffers are those of the middle ports; packets of one flow may be reordered.");
  if (any([](const CrossbarPoint& of) {
        return of.first.scheduler == CrossbarScheduler::ccf && of.second.input;
      }))
    add("Every packet departs as from an output-queued switch. With output buffers of B packets, B packets "
        "per "
        "input never overflow; typically an input holds a few (tailbound simulate crossbar --scheduler "
        "ccf).");
  return notes;
}

}  // namespace tailbound::render
