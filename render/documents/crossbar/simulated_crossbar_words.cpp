#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/crossbar/crossbar_words.hpp>
#include <tailbound/render/documents/crossbar/simulate_crossbar.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

using numeric::plain;
using numeric::Rational;
using sim::CrossbarModel;
using traffic::CrossbarScheduler;

bool equal_inputs(const CrossbarModel& model) {
  return std::equal(model.rates.begin() + 1, model.rates.end(), model.rates.begin());
}
bool iterates_to_match(const CrossbarModel& model) {
  return model.scheduler == CrossbarScheduler::islip || model.scheduler == CrossbarScheduler::pim;
}

template <class Of>
bool common_to(const std::vector<const CrossbarModel*>& models, const Of& of) {
  return std::all_of(models.begin(), models.end(),
                     [&](const CrossbarModel* model) { return of(*model) == of(*models.front()); });
}

}  // namespace

const Fields<CrossbarModel>& crossbar_fields() {
  using Model = CrossbarModel;
  static const Fields<Model> fields{
      {{"inputs", "inputs", "", Shape::whole, "K inputs"}, [](const Model& of) { return of.inputs(); }},
      {{"outputs", "outputs", "", Shape::whole, "N outputs"}, &Model::outputs},
      {{"load", "load", "packets/slot", Shape::given, "load of each input"},
       [](const Model& of) { return of.rates.front(); },
       &equal_inputs},
      {{"rates", "rates", "packets/slot", Shape::givens, "rates of unequal inputs", Style::hidden},
       &Model::rates,
       [](const Model& of) { return !equal_inputs(of); }},
      {{"hot", "hot", "", Shape::given,
        "fraction of the cells sent to output 0 in addition to its uniform share of the rest; absent if 0"},
       &Model::hot,
       [](const Model& of) { return of.hot > 0; }},
      {burst_fields("an input"), &Model::burst},
      {destination_column(), &Model::destination, &Model::burst},
      {{"scheduler", "scheduler", "", Shape::text, "matches inputs and outputs in every slot"},
       &Model::scheduler},
      {{"iterations", "iterations", "", Shape::text, "of islip and pim; all: until no pair is added"},
       [](const Model& of) {
         return of.iterations == 0 ? std::string("all") : std::to_string(of.iterations);
       },
       &iterates_to_match},
      {{"crosspoint", "crosspoint", "packets", Shape::whole, "buffer of a crosspoint"},
       &Model::crosspoint,
       [](const Model& of) { return of.scheduler == CrossbarScheduler::crosspoint; }},
      {{"speedup", "speedup", "", Shape::given, "phases of the scheduler per slot"}, &Model::speedup},
      {{"output_speedup", "output speedup", "", Shape::whole,
        "cells that an output of fifo takes in a phase; absent if 1"},
       &Model::output_speedup,
       [](const Model& of) { return of.output_speedup > 1; }},
      {{"priorities", "priorities", "", Shape::givens, "shares of the cells of strict priorities, with ccf"},
       &Model::priorities,
       [](const Model& of) { return !of.priorities.empty(); }},
      {{"buffer", "input buffer", "packets", Shape::whole, "of an input; others are lost"},
       &Model::buffer,
       if_present},
      {{"voq_buffer", "VOQ buffer", "packets", Shape::whole, "of a virtual output queue; others are lost"},
       &Model::voq_buffer,
       if_present},
      {{"output_buffer", "output buffer", "packets", Shape::whole,
        "of an output; a full one takes nothing. With ccf: of all packets for the output, others are lost"},
       &Model::output_buffer,
       if_present}};
  return fields;
}

std::string in_words(const std::vector<const CrossbarModel*>& models) {
  const CrossbarModel& model = *models.front();
  const auto common = [&](const auto& of) { return common_to(models, of); };
  std::string text = common([](const CrossbarModel& m) {
    return std::pair{m.inputs(), m.outputs};
  })
                         ? fmt::format("{} x {} crossbar", model.inputs(), model.outputs)
                         : "crossbars";
  if (!equal_inputs(model))
    text += ", inputs with unequal rates";
  else if (common([](const CrossbarModel& m) { return m.rates.front(); }))
    text += " at load " + plain(model.rates.front());
  if (!model.shares.empty()) text += ", shares of a matrix";
  if (model.hot > 0 && common([](const CrossbarModel& m) { return m.hot; }))
    text += fmt::format(", hot output 0 with an additional {} of the packets", plain(model.hot));
  if (model.burst && common([](const CrossbarModel& m) { return std::pair{m.burst, m.destination}; })) {
    text += fmt::format(", bursts of {} slots", plain(model.burst->slots));
    if (model.burst->on_rate != 1)
      text += fmt::format(" at {} packets per slot", plain(model.burst->on_rate));
    text += " (" + in_words(model.destination) + ")";
  }
  if (common([](const CrossbarModel& m) { return std::tuple{m.scheduler, m.iterations, m.crosspoint}; }))
    text += ", " + scheduler_in_words(model.scheduler, model.iterations, model.crosspoint);
  if (model.speedup != 1 && common([](const CrossbarModel& m) { return m.speedup; }))
    text += ", speedup " + plain(model.speedup);
  if (model.output_speedup != 1 && common([](const CrossbarModel& m) { return m.output_speedup; }))
    text += fmt::format(", outputs take {} per phase", model.output_speedup);
  const auto buffer = [&](const auto member, const char* of) {
    if (model.*member && common([&](const CrossbarModel& m) { return m.*member; }))
      text += fmt::format(", {} packets per {}", *(model.*member), of);
  };
  buffer(&CrossbarModel::buffer, "input");
  buffer(&CrossbarModel::voq_buffer, "VOQ");
  buffer(&CrossbarModel::output_buffer, "output");
  return text;
}

}  // namespace tailbound::render
