#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/sim/crossbar/crossbar_model.hpp>

#include <algorithm>

namespace tailbound::sim {
namespace {

using numeric::Integer;
using numeric::Rational;
using traffic::CrossbarScheduler;

constexpr std::int64_t max_cells = 10'000'000, max_matching_ports = 64;

void demand(bool legal_value, const char* argument, const std::string& value, const std::string& legal) {
  if (!legal_value) throw InvalidArgument(argument, value, legal);
}

void require_whole(std::int64_t value, std::int64_t last, const char* name, const char* unit) {
  demand(value >= 1 && value <= last, name, std::to_string(value),
         "from 1 to " + std::to_string(last) + unit);
}

void check_shares(const CrossbarModel& model) {
  if (model.shares.empty()) return;
  demand(model.hot == 0, "hot", numeric::to_fraction(model.hot), "omitted with a matrix");
  demand(model.shares.size() == model.inputs(), "rows of the matrix", std::to_string(model.shares.size()),
         std::to_string(model.inputs()) + ", one for each input");
  for (const std::vector<Rational>& row : model.shares) {
    demand(static_cast<std::int64_t>(row.size()) == model.outputs, "columns of the matrix",
           std::to_string(row.size()), std::to_string(model.outputs) + ", one for each output");
    Rational sum = 0;
    for (const Rational& share : row) {
      demand(share >= 0, "share", numeric::to_fraction(share), "0 or more");
      sum = sum + share;
    }
    demand(sum == 1, "sum of the shares of an input", numeric::to_fraction(sum), "1");
  }
}

void check_traffic(const CrossbarModel& model) {
  require_whole(static_cast<std::int64_t>(model.inputs()), max_crossbar_ports, "inputs", "");
  require_whole(model.outputs, max_crossbar_ports, "outputs", "");
  for (const Rational& rate : model.rates)
    demand(rate > 0 && rate <= 1, "load", numeric::to_fraction(rate),
           "above 0 and at most 1 packet per slot per input");
  demand(model.hot >= 0 && model.hot <= 1, "hot", numeric::to_fraction(model.hot), "from 0 to 1");
  check_shares(model);
  if (model.burst)
    for (const Rational& rate : model.rates) static_cast<void>(traffic::on_off(rate, *model.burst));
}

void check_speedup(const CrossbarModel& model) {
  const auto inputs = static_cast<std::int64_t>(model.inputs());
  const CrossbarScheduler of = model.scheduler;
  const std::string name = name_of(of);
  demand(model.speedup >= 1 && model.speedup <= Integer(std::max<std::int64_t>(inputs, 2)), "speedup",
         numeric::to_fraction(model.speedup), "from 1 to the number of inputs");
  if (of == CrossbarScheduler::ccf) {
    demand(model.speedup <= 2, "speedup", numeric::to_fraction(model.speedup),
           "at most 2 with ccf, which needs no more");
  } else if (of == CrossbarScheduler::tdm || of == CrossbarScheduler::load_balanced ||
             of == CrossbarScheduler::crosspoint) {
    demand(model.speedup == 1, "speedup", numeric::to_fraction(model.speedup), "1 with " + name);
    demand(!model.output_buffer, "output buffer", std::to_string(model.output_buffer.value_or(0)),
           "omitted with " + name + ", which has no output queues");
  }
  demand(model.output_speedup == 1 || of == CrossbarScheduler::fifo, "output speedup",
         std::to_string(model.output_speedup), "1 except with fifo");
  require_whole(model.output_speedup, std::max<std::int64_t>(inputs, 1), "output speedup", " cells");
}

}  // namespace

void check(const CrossbarModel& model) {
  check_traffic(model);
  check_speedup(model);
  const auto inputs = static_cast<std::int64_t>(model.inputs());
  const CrossbarScheduler of = model.scheduler;
  if (of == CrossbarScheduler::tdm || of == CrossbarScheduler::load_balanced || of == CrossbarScheduler::ccf)
    demand(model.outputs == inputs, "outputs", std::to_string(model.outputs),
           "as many as inputs with " + std::string(name_of(of)));
  if (of == CrossbarScheduler::maxweight)
    demand(std::max(inputs, model.outputs) <= max_matching_ports, "inputs", std::to_string(inputs),
           "at most 64 with maxweight: a matching takes the third power of it");
  demand(model.iterations >= 0 && model.iterations <= max_crossbar_ports, "iterations",
         std::to_string(model.iterations), "from 1 to 256");
  require_whole(model.crosspoint, 1000, "crosspoint", " cells");
  for (const auto& [cells, name] :
       {std::pair{model.buffer, "buffer"}, std::pair{model.voq_buffer, "VOQ buffer"},
        std::pair{model.output_buffer, "output buffer"}})
    if (cells) require_whole(*cells, max_cells, name, " cells");
  demand(model.priorities.empty() || of == CrossbarScheduler::ccf, "priorities", "given",
         "omitted except with ccf, the only scheduler that keeps the order of an output-queued switch");
  demand(model.priorities.size() <= 16, "number of priorities", std::to_string(model.priorities.size()),
         "at most 16");
  Rational sum = 0;
  for (const Rational& share : model.priorities) {
    demand(share > 0, "share of a priority", numeric::to_fraction(share), "above 0");
    sum = sum + share;
  }
  demand(model.priorities.empty() || sum == 1, "sum of the priorities' shares", numeric::to_fraction(sum),
         "1");
  demand(!model.voq_buffer || model.has_voqs(), "VOQ buffer", std::to_string(model.voq_buffer.value_or(0)),
         "omitted with fifo, which has one queue per input");
  demand(!(model.buffer || model.voq_buffer) || of != CrossbarScheduler::ccf, "buffer", "given with ccf",
         "omitted: with output buffers of B cells, B cells per input never overflow");
  demand(!model.buffer || of != CrossbarScheduler::load_balanced, "buffer", "given with load-balanced",
         "omitted: its inputs have no queues");
}

std::vector<Rational> output_shares_of(const CrossbarModel& model, std::size_t input) {
  if (!model.shares.empty()) return model.shares[input];
  std::vector<Rational> shares(static_cast<std::size_t>(model.outputs),
                               (1 - model.hot) / Integer(model.outputs));
  shares.front() = shares.front() + model.hot;
  return shares;
}

Rational busiest_output(const CrossbarModel& model) {
  std::vector<Rational> loads(static_cast<std::size_t>(model.outputs), Rational(0));
  for (std::size_t input = 0; input < model.inputs(); ++input) {
    const std::vector<Rational> shares = output_shares_of(model, input);
    for (std::size_t output = 0; output < loads.size(); ++output)
      loads[output] = loads[output] + model.rates[input] * shares[output];
  }
  return *std::max_element(loads.begin(), loads.end());
}

std::vector<std::vector<Rational>> unbalanced_shares(std::int64_t ports, const Rational& weight) {
  require_whole(ports, max_crossbar_ports, "inputs", "");
  demand(weight >= 0 && weight <= 1, "unbalanced", numeric::to_fraction(weight), "from 0 to 1");
  const auto count = static_cast<std::size_t>(ports);
  std::vector<std::vector<Rational>> shares(count,
                                            std::vector<Rational>(count, (1 - weight) / Integer(ports)));
  for (std::size_t port = 0; port < count; ++port) shares[port][port] = shares[port][port] + weight;
  return shares;
}

std::string describe(const CrossbarModel& model) {
  std::string text = "crossbar of " + std::to_string(model.inputs()) + " inputs and " +
                     std::to_string(model.outputs) + " outputs, rates";
  for (const Rational& rate : model.rates) text.append(" ").append(numeric::to_fraction(rate));
  if (model.hot > 0) text += ", hot " + numeric::to_fraction(model.hot);
  if (!model.shares.empty()) text += ", shares";
  for (const std::vector<Rational>& row : model.shares)
    for (const Rational& share : row) text.append(" ").append(numeric::to_fraction(share));
  if (model.burst)
    text += ", bursts of " + numeric::to_fraction(model.burst->slots) + " at " +
            numeric::to_fraction(model.burst->on_rate) + ", " + name_of(model.destination);
  text += std::string(", ") + name_of(model.scheduler);
  if (model.iterations > 0) text += ", iterations " + std::to_string(model.iterations);
  for (const Rational& share : model.priorities) text += ", priority " + numeric::to_fraction(share);
  if (model.scheduler == CrossbarScheduler::crosspoint) text += " of " + std::to_string(model.crosspoint);
  text += ", speedup " + numeric::to_fraction(model.speedup) + ", output speedup " +
          std::to_string(model.output_speedup);
  if (model.buffer) text += ", buffer " + std::to_string(*model.buffer);
  if (model.voq_buffer) text += ", VOQ buffer " + std::to_string(*model.voq_buffer);
  if (model.output_buffer) text += ", output buffer " + std::to_string(*model.output_buffer);
  return text;
}

}  // namespace tailbound::sim
