#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/cases.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>

#include <algorithm>
#include <optional>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;

constexpr std::size_t longest_formula = 40;

/// The parts of a description, of which a list of points may share some and not others.
struct TrafficWords {
  std::string source, burst, load, served;
};

TrafficWords words_of(const Traffic& traffic) {
  TrafficWords words;
  std::visit(
      Cases{[&](const EqualInputs& inputs) { words.source = counted(inputs.inputs, "input"); },
            [&](const PoissonArrivals&) { words.source = "Poisson arrivals per slot"; },
            [&](const PoissonAtAnyTime&) { words.source = "Poisson arrivals in continuous time (M/D/1)"; },
            [&](const UnequalInputs&) { words.source = "inputs of their own rates"; },
            [&](const GeneratingFunction& function) {
              const std::string& formula = function.formula;
              words.source = "the arrivals " + (formula.size() > longest_formula
                                                    ? formula.substr(0, longest_formula - 3) + "..."
                                                    : formula);
            },
            [&](const Probabilities& pmf) { words.source = "the arrivals of " + pmf.name; },
            [&](const Blocks& blocks) { words.source = "the arrivals of " + blocks.name; },
            [&](const BurstyInputs& inputs) {
              words.source = counted(inputs.inputs, "input");
              words.burst = fmt::format(" with bursts of {} slots", plain(inputs.burst.slots));
              if (inputs.burst.on_rate != 1)
                words.burst += fmt::format(" at {} packets a slot", plain(inputs.burst.on_rate));
              words.burst += " (" + in_words(inputs.destination, "output") + ")";
            }},
      traffic.source);
  if (const auto load = load_of(traffic)) words.load = " at load " + plain(*load);
  if (traffic.packets_per_slot != 1)
    words.served = fmt::format(", {} served a slot", traffic.packets_per_slot);
  return words;
}

}  // namespace

std::string in_words(traffic::Destination destination, const std::string& place) {
  return destination == traffic::Destination::per_burst ? "each to one " + place
                                                        : "scattered packet by packet";
}

Column destination_column() {
  return {"burst_destination", "destination", "", Shape::text,
          "per-burst: all packets of a burst go to one output; or per-packet: each draws its own"};
}

std::vector<Column> traffic_columns() {
  return {
      {"traffic", "traffic", "", Shape::text,
       "bernoulli, poisson (per slot), md1 (Poisson in continuous time) or onoff", Style::hidden},
      {"inputs", "inputs", "", Shape::whole, "independent inputs that share the load equally"},
      {"rates", "rates", "packets/slot", Shape::givens, "of independent inputs, each its own", Style::hidden},
      {"arrivals", "arrivals", "", Shape::text, "generating function of the packets in a slot",
       Style::hidden},
      {"pmf", "pmf", "", Shape::text, "file with the probabilities of 0, 1, 2, .. packets in a slot",
       Style::hidden},
      {"blocks", "blocks", "", Shape::text, "file with the matrices D_0, D_1, .. of a D-BMAP", Style::hidden},
      {"burst", "burst", "slots", Shape::given, "mean length of a source's bursts, at least 1"},
      {"on_rate", "on-rate", "", Shape::given,
       "packets a slot of a source within a burst, above 0, at most 1"},
      destination_column(),
      {"load", "load", "packets/slot", Shape::given, "rho, of the queue"},
      {"packets_per_slot", "served", "", Shape::whole, "packets served in a slot, 1 to 32"},
  };
}

Cells traffic_cells(const Traffic& traffic) {
  Cells cells;
  const auto add_load = [&](const std::optional<Rational>& load) {
    if (load) cells.push_back({"load", Given{*load}});
  };
  std::visit(Cases{[&](const EqualInputs& inputs) {
                     cells.push_back({"traffic", Text{"bernoulli"}});
                     cells.push_back({"inputs", Whole{inputs.inputs}});
                   },
                   [&](const PoissonArrivals&) {
                     cells.push_back({"traffic", Text{"poisson"}});
                   },
                   [&](const PoissonAtAnyTime&) {
                     cells.push_back({"traffic", Text{"md1"}});
                   },
                   [&](const UnequalInputs& inputs) {
                     cells.push_back({"traffic", Text{"bernoulli"}});
                     cells.push_back({"rates", GivenList{inputs.rates}});
                   },
                   [&](const GeneratingFunction& function) {
                     cells.push_back({"arrivals", Text{function.formula}});
                   },
                   [&](const Probabilities& pmf) {
                     cells.push_back({"pmf", Text{pmf.name}});
                   },
                   [&](const Blocks& blocks) {
                     cells.push_back({"blocks", Text{blocks.name}});
                   },
                   [&](const BurstyInputs& inputs) {
                     cells.push_back({"traffic", Text{"onoff"}});
                     cells.push_back({"inputs", Whole{inputs.inputs}});
                     cells.push_back({"burst", Given{inputs.burst.slots}});
                     cells.push_back({"on_rate", Given{inputs.burst.on_rate}});
                     cells.push_back({"burst_destination", Text{name_of(inputs.destination)}});
                   }},
             traffic.source);
  add_load(load_of(traffic));
  cells.push_back({"packets_per_slot", Whole{traffic.packets_per_slot}});
  return cells;
}

std::vector<Column> accuracy_columns() {
  return {{"arithmetic", "arithmetic", "", Shape::text,
           "asked for: auto, double, multiprecision, interval or exact", Style::hidden},
          {"digits", "digits", "", Shape::whole, "significant digits to prove", Style::hidden}};
}

Cells accuracy_cells(const queue::Accuracy& accuracy) {
  return {{"arithmetic", Text{queue::name(accuracy.arithmetic)}}, {"digits", Whole{accuracy.digits.count}}};
}

std::string in_words(const Traffic& traffic, const std::vector<const Traffic*>& all) {
  TrafficWords words = words_of(traffic);
  for (const Traffic* other : all) {
    const TrafficWords its = words_of(*other);
    if (its.source != words.source) words.source = "each number of inputs";
    if (its.burst != words.burst) words.burst.clear();
    if (its.load != words.load) words.load.clear();
    if (its.served != words.served) words.served.clear();
  }
  return words.source + words.burst + words.load + words.served;
}

std::string in_words(const bounds::Computation& computation) {
  switch (computation.route) {
    case bounds::Computation::Route::matrices:
      return "matrices in double or long double (more bits where needed), bounded from below\nand from above";
    case bounds::Computation::Route::modes:
      return "some modes of the number of sources in a burst, not proved:\nthe digits are those that two "
             "numbers of modes agree on";
    case bounds::Computation::Route::recurrence:
      break;
  }
  const queue::Method& method = computation.method;
  switch (method.arithmetic) {
    case queue::Arithmetic::double_precision:
      return "double, with a proved rounding bound";
    case queue::Arithmetic::extended:
      return "long double, with a proved rounding bound";
    case queue::Arithmetic::multiprecision:
      return fmt::format("multiprecision of {} bits, with a proved rounding bound", method.bits);
    case queue::Arithmetic::interval:
      return fmt::format("intervals of {} bits", method.bits);
    case queue::Arithmetic::exact:
      return "exact rationals";
    case queue::Arithmetic::automatic:
      break;
  }
  return queue::name(method.arithmetic);
}

std::string overflow_caution(bounds::Criterion criterion, int packets_per_slot) {
  return criterion == bounds::Criterion::overflow && packets_per_slot > 1
             ? "overflow is no drop rate where several packets are served a slot;\n--criterion loss gives "
               "the "
               "fraction of packets lost"
             : "";
}

}  // namespace tailbound::render
