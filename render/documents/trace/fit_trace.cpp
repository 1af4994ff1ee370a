#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/trace/fit_trace.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using traffic::FittedSources;

/// A query and its answer.
struct Fitted {
  FitQuestion question;
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
      {{"trace", "trace", "", Shape::text, "file"}, [](const Fitted& of) { return of.question.file; }},
      {{"link_gbps", "link", "Gbit/s", Shape::given, "of the output"},
       [](const Fitted& of) { return of.question.link_gbps; }},
      {{"cell_bytes", "cell", "bytes", Shape::whole, "of which the output sends one a slot"},
       [](const Fitted& of) { return of.question.cell_bytes; }},
      {{"arrive", "arrive", "", Shape::text, "whole: all cells of a packet in one slot; cells: one a slot"},
       [](const Fitted& of) { return of.question.arrival; }}};
  return fields;
}

const Fields<Fitted>& fit_results() {
  const auto sources = [](const Fitted& of) { return of.answer.fit.sources.has_value(); };
  static const Fields<Fitted> fields{
      {{"verdict", "verdict", "", Shape::text, "trusted, or not trusted"},
       [](const Fitted& of) { return of.answer.trusted() ? "trusted" : "not trusted"; }},
      {{"model", "model", "", Shape::text, "on-off sources, or independent slots"},
       [](const Fitted& of) { return of.answer.fit.sources ? "on-off sources" : "independent slots"; }},
      {{"packets", "packets", "", Shape::whole, "in the trace"},
       [](const Fitted& of) { return static_cast<std::int64_t>(of.answer.stamps.packets); }},
      {{"slots", "slots", "", Shape::whole, "up to the last cell"},
       [](const Fitted& of) { return of.answer.slots; }},
      {{"slot_ns", "slot", "ns", Shape::model, "time of a cell on the link"},
       [](const Fitted& of) { return computed<unit::Slot>(of.answer.slot_ns); }},
      {{"load", "load", "cells/slot", Shape::model, "of the output, counted"},
       [](const Fitted& of) { return computed<unit::Load>(of.answer.load); }},
      {{"peak", "peak", "cells", Shape::whole, "most cells in a slot"},
       [](const Fitted& of) { return of.answer.peak; }},
      {{"longest_queue", "longest queue", "cells", Shape::whole, "of the trace itself"},
       [](const Fitted& of) { return of.answer.longest; }},
      {{"busy_periods", "busy periods", "", Shape::whole, "of the trace's queue"},
       [](const Fitted& of) { return static_cast<std::int64_t>(of.answer.busy_periods); }},
      {{"horizon", "horizon", "slots", Shape::whole, "n, over which bursts must be right"},
       [](const Fitted& of) { return of.answer.fit.horizon; }},
      {{"sources", "sources", "", Shape::whole, "m, on-off"},
       [](const Fitted& of) { return of.answer.fit.sources->count; },
       sources},
      {{"source_load", "load of a source", "packets/slot", Shape::model, "a"},
       [](const Fitted& of) { return computed<unit::Load>(of.answer.fit.sources->load); },
       sources},
      {{"burst", "burst", "slots", Shape::model, "mean length of a source's bursts"},
       [](const Fitted& of) { return computed<unit::Slot>(of.answer.fit.sources->burst()); },
       sources},
      {{"on_rate", "on-rate", "packets/slot", Shape::model, "of a source within a burst"},
       [](const Fitted& of) { return computed<unit::Load>(of.answer.fit.sources->on_rate); },
       sources}};
  return fields;
}

const Table<FittedDispersion>& dispersion_table() {
  static const Table<FittedDispersion> table{
      "dispersion",
      "index of dispersion for counts: the variance of the cells of n slots over their mean",
      {{{"slots", "n", "slots", Shape::whole, "n"},
        [](const FittedDispersion& of) { return of.trace.slots; }},
       {{"trace", "trace", "", Shape::estimate, "IDC(n), with 95 % where memory is short"},
        [](const FittedDispersion& of) { return estimated(of.trace.value, of.trace.half_width); }},
       {{"independent", "independent slots", "", Shape::model, "of slots like these without memory"},
        [](const FittedDispersion& of) { return computed<unit::Ratio>(of.independent); }},
       {{"fitted", "on-off sources", "", Shape::model, "of the sources that were fitted"},
        [](const FittedDispersion& of) { return computed<unit::Ratio>(*of.sources); },
        [](const FittedDispersion& of) { return of.sources.has_value(); }}}};
  return table;
}

const Table<FittedTail>& fitted_tails() {
  static const Table<FittedTail> table{
      "tail",
      "the queue: of the trace itself, and of both models",
      {{{"level", "n", "cells", Shape::whole, "n"}, [](const FittedTail& of) { return of.trace.level; }},
       {{"trace", "trace", "", Shape::estimate,
         "P(Q > n), with 95 % for all levels compared together, from blocks"},
        [](const FittedTail& of) { return estimated(of.trace.probability, of.half_width); }},
       {{"independent", "independent slots", "", Shape::model, "P(Q > n) of slots without memory"},
        [](const FittedTail& of) { return computed<unit::Probability>(of.independent); }},
       {{"fitted", "on-off sources", "", Shape::model, "P(Q > n) of the sources that were fitted"},
        [](const FittedTail& of) { return computed<unit::Probability>(*of.sources); },
        [](const FittedTail& of) { return of.sources.has_value(); }},
       {{"compared", "tests", "", Shape::flag, "is the interval narrow enough to test a model by?"},
        &FittedTail::compared}}};
  return table;
}

std::string test_in_words(const FitTest& test) {
  switch (test.kind) {
    case FitTest::Kind::dispersion:
      return fmt::format("the model's IDC is off by {:.2g} intervals (or tenths) at worst; at most 1",
                         test.measured);
    case FitTest::Kind::memory:
      return std::isinf(test.measured)
                 ? "the trace is too short to see whether its IDC has stopped growing"
                 : fmt::format("the IDC grows {:.3g} times over the next ten horizons; below {:g}",
                               test.measured, test.allowed);
    case FitTest::Kind::tails:
      return fmt::format("the model's tail is {:.2g} times the trace's at worst, where that is known to 50 %",
                         test.measured);
    case FitTest::Kind::length:
      return fmt::format("the trace is {:.3g} horizons long; more than {:g}", test.measured, test.allowed);
  }
  return {};
}

const Table<FitTest>& tests_table() {
  static const Table<FitTest> table{
      "tests",
      "what the verdict rests on: all must pass",
      {{{"test", "test", "", Shape::text, "dispersion, memory, tails, length"}, &FitTest::kind},
       {{"passed", "passed", "", Shape::flag, "did it?"}, &FitTest::passed},
       {{"what", "what was seen", "", Shape::text, "in words"}, &test_in_words}}};
  return table;
}

const Table<FitAnswer::Played>& played_table() {
  using Played = FitAnswer::Played;
  static const Table<Played> table{
      "played",
      "what buffers lose into which the trace itself is played",
      {{{"buffer", "buffer", "cells", Shape::whole, "B, the cell in service counts"}, &Played::buffer},
       {{"lost", "cells lost", "", Shape::whole, "of the trace"},
        [](const Played& of) { return static_cast<std::int64_t>(of.lost); }},
       {{"loss", "lost", "", Shape::model, "of its cells"},
        [](const Played& of) { return computed<unit::Ratio>(of.loss); }}}};
  return table;
}

std::string headline_of(const Fitted& of) {
  const FitAnswer& answer = of.answer;
  const std::string load = fmt::format("load {:.3g}", answer.load);
  if (!answer.trusted())
    return fmt::format("No model of {} is trusted at {}: see the tests.", of.question.file, load);
  if (!answer.fit.sources)
    return fmt::format("{} is like independent slots at {}: its law of cells a slot may be used.",
                       of.question.file, load);
  return fmt::format("{} is like {} on-off sources with bursts of {:.3g} slots at {}.", of.question.file,
                     answer.fit.sources->count, answer.fit.sources->burst(), load);
}

std::vector<std::string> fit_notes(const Fitted& of) {
  const FitAnswer& answer = of.answer;
  std::vector<std::string> notes;
  if (!answer.trusted())
    notes.push_back(
        fmt::format("The trace has memory or sizes beyond the model: no tail below 1/{} (the busy periods "
                    "seen) can be stated.",
                    answer.busy_periods));
  if (answer.coarse_stamps)
    notes.push_back(
        fmt::format("WARNING: times are multiples of {} ns, longer than a slot of {:.3g} ns: packets of one "
                    "stamp seem to come together "
                    "({} stamps for {} packets).",
                    answer.stamps.resolution, answer.slot_ns, answer.stamps.distinct, answer.stamps.packets));
  notes.emplace_back(
      "Q: cells just after the arrivals of a slot, that in service included. --save-traffic FILE keeps the "
      "model for "
      "buffer and occupancy --traffic-file FILE.");
  return notes;
}

Picture fit_picture(const Fitted& of) {
  Picture picture{.title = "Queue of " + of.question.file,
                  .x_label = "n [cells]",
                  .y_label = "P(Q > n)",
                  .note = "trace: 95 % for all levels together, from blocks",
                  .powers_of_ten = true};
  Curve trace{.title = "trace", .style = CurveStyle::bars};
  Curve independent{.title = "independent slots", .style = CurveStyle::line},
      sources{.title = "on-off sources", .style = CurveStyle::line};
  for (const FittedTail& each : of.answer.tails) {
    const auto x = static_cast<double>(each.trace.level);
    if (each.trace.probability > 0)
      add_point(trace, x, shown(estimated(each.trace.probability, each.half_width)), true);
    const double least = 0.01 / static_cast<double>(of.answer.slots);
    if (each.independent > least)
      add_point(independent, x, shown(computed<unit::Probability>(each.independent)), true);
    if (each.sources.value_or(0) > least)
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

Document document(const FitQuestion& question, FitAnswer answer) {
  const auto of = std::make_shared<const Fitted>(Fitted{question, std::move(answer)});
  Document document{.layout = std::make_shared<const Layout>(fit_layout()),
                    .headline = headline_of(*of),
                    .results = {},
                    .notes = fit_notes(*of)};
  Result& result = document.results.emplace_back();
  result.inputs = fit_inputs().cells(*of);
  result.cells = fit_results().cells(*of);
  const FitAnswer& found = of->answer;
  result.lines = {
      {"trace",
       fmt::format("{} packets, {} cells in {} slots of {:.4g} ns; load {:.4g}, at most {} cells in a slot",
                   found.stamps.packets, found.cells, found.slots, found.slot_ns, found.load, found.peak)},
      {"queue", fmt::format("at most {} cells, {} busy periods", found.longest, found.busy_periods)}};
  if (found.fit.sources) {
    const FittedSources& sources = *found.fit.sources;
    result.lines.push_back(
        {"fit",
         fmt::format("{} on-off sources of load {:.4g}, bursts of {:.4g} slots at {:.4g} packets a slot",
                     sources.count, sources.load, sources.burst(), sources.on_rate)});
  }
  result.tables.push_back(tests_table().rows(
      found.tests.size(), [of](std::size_t i) -> const FitTest& { return of->answer.tests[i]; }));
  result.tables.push_back(dispersion_table().rows(
      found.dispersion.size(),
      [of](std::size_t i) -> const FittedDispersion& { return of->answer.dispersion[i]; }));
  result.tables.push_back(fitted_tails().rows(
      found.tails.size(), [of](std::size_t i) -> const FittedTail& { return of->answer.tails[i]; }));
  if (!found.played.empty())
    result.tables.push_back(played_table().rows(
        found.played.size(),
        [of](std::size_t i) -> const FitAnswer::Played& { return of->answer.played[i]; }));
  for (Rows& rows : result.tables) rows.in_text = true;
  document.picture = [of] { return fit_picture(*of); };
  return document;
}

}  // namespace tailbound::render
