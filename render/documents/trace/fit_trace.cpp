#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/trace/fit_trace.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using traffic::FittedSources;

/// A query and its answer.
struct Fitted {
  FitQuery query;
  FitAnswer answer;
};

template <class Unit>
numeric::Model<Unit> computed(double value) {
  return {value};
}
numeric::Estimate<unit::Ratio> estimated(double value, double half_width) {
  return {value, std::max(0.0, value - half_width), value + half_width};
}

const Fields<Fitted>& fit_inputs() {
  static const Fields<Fitted> fields{
      {{"trace", "trace", "", Shape::text, "file"}, [](const Fitted& of) { return of.query.file; }},
      {{"link_gbps", "link", "Gbit/s", Shape::given, "rate of the output"},
       [](const Fitted& of) { return of.query.link_gbps; }},
      {{"cell_bytes", "cell", "bytes", Shape::whole, "the output sends one cell per slot"},
       [](const Fitted& of) { return of.answer.cell_bytes; }},
      {{"framing_bytes", "framing", "bytes", Shape::whole, "added to each packet"},
       [](const Fitted& of) { return of.answer.source.framing; }},
      {{"input_gbps", "input link", "Gbit/s", Shape::given, "rate at which packets of one time are spaced"},
       [](const Fitted& of) { return of.answer.times.input_gbps; }},
      {{"arrive", "arrive", "", Shape::text, "whole: all cells of a packet in one slot; cells: one per slot"},
       [](const Fitted& of) { return of.query.arrival; }}};
  return fields;
}

const Fields<Fitted>& fit_results() {
  const auto sources = [](const Fitted& of) { return of.answer.fit.sources.has_value(); };
  static const Fields<Fitted> fields{
      {{"verdict", "verdict", "", Shape::text, "trusted, or not trusted"},
       [](const Fitted& of) { return of.answer.trusted() ? "trusted" : "not trusted"; }},
      {{"model", "model", "", Shape::text, "on-off sources, or independent slots"},
       [](const Fitted& of) { return of.answer.fit.sources ? "on-off sources" : "independent slots"; }},
      {{"packets", "packets", "", Shape::whole, "packets in the trace"},
       [](const Fitted& of) { return static_cast<std::int64_t>(of.answer.stamps.packets); }},
      {{"slots", "slots", "", Shape::whole, "slots up to the last cell"},
       [](const Fitted& of) { return of.answer.slots; }},
      {{"slot_ns", "slot", "ns", Shape::model, "transmission time of a cell"},
       [](const Fitted& of) { return computed<unit::Slot>(of.answer.slot_ns); }},
      {{"load", "load", "cells/slot", Shape::model, "measured load of the output"},
       [](const Fitted& of) { return computed<unit::Load>(of.answer.load); }},
      {{"peak", "peak", "cells", Shape::whole, "maximum cells per slot"},
       [](const Fitted& of) { return of.answer.peak; }},
      {{"longest_queue", "longest queue", "cells", Shape::whole, "maximum queue of the trace itself"},
       [](const Fitted& of) { return of.answer.longest; }},
      {{"longest_queue_bytes", "longest queue", "bytes", Shape::model,
        "maximum queue of the trace in continuous time, without cells"},
       [](const Fitted& of) { return computed<unit::Byte>(of.answer.longest_bytes); }},
      {{"times", "times", "", Shape::whole, "different times of packets"},
       [](const Fitted& of) { return static_cast<std::int64_t>(of.answer.times.distinct); }},
      {{"spaced", "spaced", "", Shape::whole,
        "packets that were moved, as others of their link have the time"},
       [](const Fitted& of) { return static_cast<std::int64_t>(of.answer.times.spaced); }},
      {{"late", "late", "", Shape::whole, "packets whose time was before that of an earlier one; sorted"},
       [](const Fitted& of) { return static_cast<std::int64_t>(of.answer.times.late); }},
      {{"busy_periods", "busy periods", "", Shape::whole, "busy periods of the queue of the trace"},
       [](const Fitted& of) { return static_cast<std::int64_t>(of.answer.busy_periods); }},
      {{"horizon", "horizon", "slots", Shape::whole, "n, the time scale on which bursts must match"},
       [](const Fitted& of) { return of.answer.fit.horizon; }},
      {{"sources", "sources", "", Shape::whole, "m, on-off"},
       [](const Fitted& of) { return of.answer.fit.sources->count; },
       sources},
      {{"source_load", "load per source", "packets/slot", Shape::model, "a"},
       [](const Fitted& of) { return computed<unit::Load>(of.answer.fit.sources->load); },
       sources},
      {{"burst", "burst", "slots", Shape::model, "mean burst length of a source"},
       [](const Fitted& of) { return computed<unit::Slot>(of.answer.fit.sources->burst()); },
       sources},
      {{"on_rate", "on-rate", "packets/slot", Shape::model, "rate of a source within a burst"},
       [](const Fitted& of) { return computed<unit::Load>(of.answer.fit.sources->on_rate); },
       sources}};
  return fields;
}

const Table<FittedDispersion>& dispersion_table() {
  static const Table<FittedDispersion> table{
      "dispersion",
      "index of dispersion for counts: variance / mean of the cells in n slots",
      {{{"slots", "n", "slots", Shape::whole, "n"},
        [](const FittedDispersion& of) { return of.trace.slots; }},
       {{"trace", "trace", "", Shape::estimate, "IDC(n), with 95 % intervals if correlations are short"},
        [](const FittedDispersion& of) { return estimated(of.trace.value, of.trace.half_width); }},
       {{"independent", "independent slots", "", Shape::model,
         "of independent slots with the same distribution"},
        [](const FittedDispersion& of) { return computed<unit::Ratio>(of.independent); }},
       {{"fitted", "on-off sources", "", Shape::model, "of the fitted sources"},
        [](const FittedDispersion& of) { return computed<unit::Ratio>(*of.sources); },
        [](const FittedDispersion& of) { return of.sources.has_value(); }}}};
  return table;
}

const Table<FittedTail>& fitted_tails() {
  static const Table<FittedTail> table{
      "tail",
      "queue of the trace and of both models",
      {{{"level", "n", "cells", Shape::whole, "n"}, [](const FittedTail& of) { return of.trace.level; }},
       {{"trace", "trace", "", Shape::estimate, "P(Q > n), 95 % simultaneous intervals from blocks"},
        [](const FittedTail& of) {
          // A queue that the trace never has: how rare it is remains unknown.
          const bool seen = of.trace.probability > 0;
          return estimated(of.trace.probability,
                           seen ? of.half_width : std::numeric_limits<double>::infinity());
        }},
       {{"independent", "independent slots", "", Shape::model, "P(Q > n) of independent slots"},
        [](const FittedTail& of) { return computed<unit::Probability>(of.independent); }},
       {{"fitted", "on-off sources", "", Shape::model, "P(Q > n) of the fitted sources"},
        [](const FittedTail& of) { return computed<unit::Probability>(*of.sources); },
        [](const FittedTail& of) { return of.sources.has_value(); }},
       {{"compared", "tests", "", Shape::flag, "true if the interval is narrow enough to test a model"},
        &FittedTail::compared}}};
  return table;
}

std::string test_in_words(const FitTest& test) {
  switch (test.kind) {
    case FitTest::Kind::dispersion:
      return fmt::format(
          "IDC of the model within {:.2g} of the allowed deviation (interval or 10 %); limit 1",
          test.measured);
    case FitTest::Kind::memory:
      return std::isinf(test.measured)
                 ? "the trace is too short to tell whether its IDC converges"
                 : fmt::format("IDC changes by a factor of {:.3g} over the next ten horizons; limit {:g}",
                               test.measured, test.allowed);
    case FitTest::Kind::tails:
      return fmt::format("maximum tail ratio model / trace {:.2g}, where the trace is known to 50 %",
                         test.measured);
    case FitTest::Kind::length:
      return fmt::format("the trace is {:.0f} horizons long; minimum {:g}", test.measured, test.allowed);
    case FitTest::Kind::times:
      return test.measured == 0
                 ? "no links are known; packets with the same time arrive together"
                 : fmt::format("{:.3g} packets per time of a link; limit {:g}", test.measured, test.allowed);
  }
  return {};
}

const Table<FitTest>& tests_table() {
  static const Table<FitTest> table{
      "tests",
      "tests of the verdict; all must pass",
      {{{"test", "test", "", Shape::text, "dispersion, memory, tails, length, times"}, &FitTest::kind},
       {{"passed", "passed", "", Shape::flag, "true if passed"}, &FitTest::passed},
       {{"what", "result", "", Shape::text, "result as text"}, &test_in_words}}};
  return table;
}

/// A buffer, and the cells of the trace.
struct Replayed {
  const FitAnswer::Replay& in;
  std::uint64_t cells;
};

const Table<Replayed>& played_table() {
  static const Table<Replayed> table{
      "played",
      "loss of the trace itself in given buffers",
      {{{"buffer", "buffer", "cells", Shape::whole, "B, cell in service included"},
        [](const Replayed& of) { return of.in.buffer; }},
       {{"lost", "cells lost", "", Shape::whole, "cells of the trace"},
        [](const Replayed& of) { return static_cast<std::int64_t>(of.in.lost); }},
       {{"loss", "lost", "", Shape::proved, "fraction of its cells, counted", Style::plain, 4},
        [](const Replayed& of) {
          return numeric::Rational(numeric::Rational(static_cast<std::int64_t>(of.in.lost)) /
                                   numeric::Rational(static_cast<std::int64_t>(of.cells)));
        }},
       {{"lost_together", "lost if together", "", Shape::proved,
         "the same if packets of one time arrive together: overestimated", Style::plain, 4},
        [](const Replayed& of) {
          return numeric::Rational(
              numeric::Rational(static_cast<std::int64_t>(of.in.lost_together.value_or(0))) /
              numeric::Rational(static_cast<std::int64_t>(of.cells)));
        },
        [](const Replayed& of) { return of.in.lost_together.has_value(); }}}};
  return table;
}

Headline headline_of(const Fitted& of) {
  const FitAnswer& answer = of.answer;
  const std::string load = fmt::format("load {:.3g}", answer.load);
  if (!answer.trusted())
    return Headline::without_numbers(fmt::format("No model fits the trace at {}: see the tests.", load));
  if (!answer.fit.sources)
    return Headline::without_numbers(fmt::format("The trace fits independent slots at {}.", load));
  const auto burst = computed<unit::Slot>(answer.fit.sources->burst());
  return {fmt::format("{} on-off sources with bursts of {:.3g} slots at {} fit the trace.",
                      answer.fit.sources->count, answer.fit.sources->burst(), load),
          {shown(burst)}};
}

/// Packets of one link with the same time.
std::string spacing_note(const Fitted& of) {
  const FitTimes& times = of.answer.times;
  const std::string what = fmt::format(
      "{} packets have {} different times, up to {} with the same one, but one link cannot "
      "deliver them together: they are spaced by their transmission time at {} Gbit/s, back from that time",
      of.answer.stamps.packets, times.distinct, times.largest, plain(times.input_gbps));
  const bool coarse = std::any_of(of.answer.tests.begin(), of.answer.tests.end(), [](const FitTest& test) {
    return test.kind == FitTest::Kind::times && !test.passed;
  });
  if (!coarse) return what + ".";
  return fmt::format(
      "WARNING: {}. Such times are those of a coarse clock, or of interrupts that deliver "
      "several packets. Bursts within a time are unknown: this queue underestimates them, and "
      "that of packets arriving together overestimates them{}. Capture with hardware times.",
      what, of.answer.played.empty() ? " (--buffer shows the losses of both)" : "");
}

/// The file, and what was added to it.
std::string settings_of(const Fitted& of) {
  const traffic::TraceSource& source = of.answer.source;
  std::string text = "Trace " + of.query.file;
  if (!source.link_type.empty()) text += source.ethernet() ? ", Ethernet" : ", link type " + source.link_type;
  if (source.framing > 0)
    text += fmt::format(": {} bytes added to each packet{}", source.framing,
                        source.ethernet() && source.framing == traffic::ethernet_framing
                            ? " (frame check sequence, preamble and gap)"
                            : "");
  else if (!source.link_type.empty())
    text += ": no framing bytes added";
  text += ".";
  if (!of.query.cell_bytes)
    text +=
        fmt::format(" Cells of {} bytes, as the packets (--cell-bytes for others).", of.answer.cell_bytes);
  return text;
}

std::vector<std::string> fit_notes(const Fitted& of) {
  const FitAnswer& answer = of.answer;
  std::vector<std::string> notes;
  if (!answer.trusted())
    notes.push_back(
        fmt::format("The trace has correlations or sizes beyond the models: no tail below 1/{} (busy periods "
                    "observed) can be stated.",
                    answer.busy_periods));
  if (answer.coarse_stamps)
    notes.push_back(
        fmt::format("WARNING: time stamps are multiples of {} ns, longer than a slot of {:.3g} ns: {} ({} "
                    "stamps for {} packets).",
                    plain(numeric::nearest_double(answer.stamps.resolution), 9), answer.slot_ns,
                    answer.times.packets_per_time > 0 ? "arrivals in between are unknown"
                                                      : "packets with the same stamp count as simultaneous",
                    answer.times.distinct, answer.stamps.packets));
  if (answer.times.spaced > 0) notes.push_back(spacing_note(of));
  notes.emplace_back(
      "Q: cells just after the arrivals of a slot. Use the model with --save-traffic FILE, then buffer "
      "--traffic-file FILE.");
  return notes;
}

Picture fit_picture(const Fitted& of) {
  Picture picture{.title = "Queue of " + of.query.file,
                  .x_label = "n [cells]",
                  .y_label = "P(Q > n)",
                  .note = "trace: 95 % simultaneous intervals from blocks",
                  .powers_of_ten = true};
  Curve trace{.title = "trace", .style = CurveStyle::bars};
  Curve independent{.title = "independent slots", .style = CurveStyle::steps},
      sources{.title = "on-off sources", .style = CurveStyle::steps};
  for (const FittedTail& each : of.answer.tails) {
    const auto x = static_cast<double>(each.trace.level);
    if (each.trace.probability > 0)
      add_point(trace, x, shown(estimated(each.trace.probability, each.half_width)), true);
    const double minimum = 0.01 / static_cast<double>(of.answer.slots);
    if (each.independent > minimum)
      add_point(independent, x, shown(computed<unit::Probability>(each.independent)), true);
    if (each.sources.value_or(0) > minimum)
      add_point(sources, x, shown(computed<unit::Probability>(*each.sources)), true);
  }
  picture.curves = {trace, independent};
  if (!sources.points.empty()) picture.curves.push_back(sources);
  return picture;
}

}  // namespace

Layout fit_layout() {
  return {.command = "fit",
          .inputs = fit_inputs().columns(),
          .results = fit_results().columns(),
          .tables = {dispersion_table().layout(), fitted_tails().layout(), tests_table().layout(),
                     played_table().layout()},
          .quiet = {"verdict"}};
}

Document document(const FitQuery& query, FitAnswer answer) {
  const auto of = std::make_shared<const Fitted>(Fitted{query, std::move(answer)});
  Document document{.layout = std::make_shared<const Layout>(fit_layout()),
                    .headline = headline_of(*of),
                    .settings = settings_of(*of),
                    .results = {},
                    .notes = fit_notes(*of)};
  Result& result = document.results.emplace_back();
  result.inputs = fit_inputs().cells(*of);
  result.cells = fit_results().cells(*of);
  const FitAnswer& found = of->answer;
  result.lines = {
      {"trace",
       fmt::format("{} packets, {} cells in {} slots of {:.4g} ns; load {:.4g}, at most {} cells per slot",
                   found.stamps.packets, found.cells, found.slots, found.slot_ns, found.load, found.peak)},
      {"queue", fmt::format("at most {} cells ({:.0f} bytes without cells), {} busy periods", found.longest,
                            found.longest_bytes, found.busy_periods)}};
  if (found.times.late > 0)
    result.lines.push_back({"order", fmt::format("{} packets were out of order, by at most {:.4g} ns; sorted",
                                                 found.times.late, found.times.late_by_ns)});
  if (found.source.cut)
    result.lines.push_back({"end", "the file is cut in its last record, which was omitted"});
  if (found.fit.sources) {
    const FittedSources& sources = *found.fit.sources;
    result.lines.push_back(
        {"fit",
         fmt::format("{} on-off sources of load {:.4g}, bursts of {:.4g} slots at {:.4g} packets per slot",
                     sources.count, sources.load, sources.burst(), sources.on_rate)});
  }
  result.tables.push_back(tests_table().rows(
      found.tests.size(), [of](std::size_t i) -> const FitTest& { return of->answer.tests[i]; }));
  result.tables.push_back(dispersion_table().rows(
      found.dispersion.size(),
      [of](std::size_t i) -> const FittedDispersion& { return of->answer.dispersion[i]; }));
  result.tables.back().caption = "Index of dispersion for counts, IDC(n):";
  result.tables.push_back(fitted_tails().rows(
      found.tails.size(), [of](std::size_t i) -> const FittedTail& { return of->answer.tails[i]; }));
  result.tables.back().caption = "Queue, P(Q > n):";
  if (!found.played.empty())
    result.tables.push_back(played_table().rows(found.played.size(), [of](std::size_t i) {
      return Replayed{of->answer.played[i], of->answer.cells};
    }));
  for (Rows& rows : result.tables) rows.in_text = true;
  document.picture = [of] { return fit_picture(*of); };
  return document;
}

}  // namespace tailbound::render
