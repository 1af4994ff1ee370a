#include <fmt/format.h>
#include <tailbound/core/cases.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>
#include <optional>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::plain;
using numeric::Rational;

constexpr std::size_t longest_formula = 40;

constexpr std::size_t longest_load = 24;  ///< longer fractions are shown as decimals

/// " (normalized; their sum is 1 - 3e-17)"; empty for a sum of 1.
/// \param what  "their sum is", or what else is off
std::string normalised_in_words(const Rational& deviation, const char* what = "their sum is") {
  if (deviation == 0) return "";
  const double gap = numeric::nearest_double(deviation);
  return fmt::format(" (normalized; {} 1 {} {:.2g})", what, gap < 0 ? '-' : '+', std::abs(gap));
}

/// The parts of a description; a list of points may share some of them.
struct TrafficWords {
  std::string source, burst, load, served;
};

TrafficWords words_of(const Traffic& traffic) {
  TrafficWords words;
  std::visit(
      Cases{[&](const EqualInputs& inputs) { words.source = counted(inputs.inputs, "input"); },
            [&](const PoissonArrivals&) { words.source = "Poisson arrivals per slot"; },
            [&](const PoissonAtAnyTime&) { words.source = "Poisson arrivals in continuous time (M/D/1)"; },
            [&](const UnequalInputs& inputs) {
              const bool equal = std::adjacent_find(inputs.rates.begin(), inputs.rates.end(),
                                                    std::not_equal_to<>()) == inputs.rates.end();
              words.source = equal ? counted(inputs.rates.size(), "input") : "inputs with unequal rates";
            },
            [&](const GeneratingFunction& function) {
              const std::string& formula = function.formula;
              words.source = "arrivals A(z) = " + (formula.size() > longest_formula
                                                       ? formula.substr(0, longest_formula - 3) + "..."
                                                       : formula);
            },
            [&](const Probabilities& pmf) {
              words.source = "arrivals from " + pmf.name;
              if (!pmf.format.empty()) words.source += " (as " + pmf.format + " prints)";
              words.source += normalised_in_words(pmf.sum - 1);
            },
            [&](const Blocks& blocks) {
              words.source =
                  "arrivals from " + blocks.name + normalised_in_words(blocks.deviation, "a row sums to");
            },
            [&](const bounds::Incast& incast) {
              words.source = fmt::format("{}, {} each", counted(incast.senders, "synchronized sender"),
                                         counted(incast.packets, "packet"));
            },
            [&](const TrafficClass& classes) {
              words.source = (classes.joint.empty()
                                  ? counted(classes.inputs, "input")
                                  : "arrivals from " + classes.name + normalised_in_words(classes.sum - 1)) +
                             fmt::format(", {} {} by strict priority", classes.loads.size(),
                                         classes.loads.size() == 1 ? "class" : "classes");
              words.burst = fmt::format(", class {}", classes.priority);
            },
            [&](const BurstyInputs& inputs) {
              words.source = counted(inputs.inputs, "input");
              words.burst = fmt::format(" with bursts of {} slots", plain(inputs.burst.slots));
              if (inputs.burst.on_rate != 1)
                words.burst += fmt::format(" at {} packets per slot", plain(inputs.burst.on_rate));
              words.burst += " (" + in_words(inputs.destination) + ")";
            }},
      traffic.source);
  if (const auto load = load_of(traffic)) {
    const std::string exactly = plain(*load);
    words.load = " at load " + (exactly.size() <= longest_load ? exactly : brief(*load, {10}));
  } else if (const auto* function = std::get_if<GeneratingFunction>(&traffic.source)) {
    const numeric::PrecisionScope scope({64});
    words.load = " at load about " + numeric::to_decimal(numeric::lower(function->arrivals.load_interval()),
                                                         10, numeric::Rounding::nearest);
  }
  if (traffic.packets_per_slot != 1)
    words.served = fmt::format(", {} served per slot", traffic.packets_per_slot);
  return words;
}

template <class Source>
const Source* source_of(const Traffic& traffic) {
  return std::get_if<Source>(&traffic.source);
}

/// For traffic that is named in addition to its parameters.
std::optional<const char*> requested_kind(const Traffic& traffic) {
  using Kind = std::optional<const char*>;
  return std::visit(Cases{[](const EqualInputs&) -> Kind { return "bernoulli"; },
                          [](const PoissonArrivals&) -> Kind { return "poisson"; },
                          [](const PoissonAtAnyTime&) -> Kind { return "md1"; },
                          [](const UnequalInputs&) -> Kind { return "bernoulli"; },
                          [](const BurstyInputs&) -> Kind { return "onoff"; },
                          [](const bounds::Incast&) -> Kind { return "incast"; },
                          [](const auto&) -> Kind { return std::nullopt; }},
                    traffic.source);
}

std::optional<std::int64_t> equal_inputs(const Traffic& traffic) {
  if (const auto* equal = source_of<EqualInputs>(traffic)) return equal->inputs;
  if (const auto* bursty = source_of<BurstyInputs>(traffic)) return bursty->inputs;
  if (const auto* classes = source_of<TrafficClass>(traffic); classes != nullptr && classes->joint.empty())
    return classes->inputs;
  return std::nullopt;
}

}  // namespace

std::string in_words(traffic::Destination destination) {
  return destination == traffic::Destination::per_burst ? "per-burst destinations"
                                                        : "per-packet destinations";
}

Column destination_column() {
  return {"burst_destination", "destination", "", Shape::text,
          "per-burst: all packets of a burst go to one output; or per-packet: each packet draws its own"};
}

Fields<traffic::Burst> burst_fields(const std::string& source) {
  using traffic::Burst;
  return {{{"burst", "burst", "slots", Shape::given, "mean burst length of " + source + ", at least 1"},
           &Burst::slots},
          {{"on_rate", "on-rate", "", Shape::given,
            "packets per slot of " + source + " within a burst, above 0, at most 1"},
           &Burst::on_rate}};
}

const Fields<Traffic>& traffic_fields() {
  static const Fields<BurstyInputs> bursty{{burst_fields("a source"), &BurstyInputs::burst},
                                           {destination_column(), &BurstyInputs::destination}};
  static const Fields<Traffic> fields{
      {{"traffic", "traffic", "", Shape::text,
        "bernoulli, poisson (per slot), md1 (Poisson in continuous time), onoff or incast", Style::hidden},
       &requested_kind,
       if_present},
      {{"inputs", "inputs", "", Shape::whole, "independent identical inputs"}, &equal_inputs, if_present},
      {Fields<UnequalInputs>{{{"rates", "rates", "packets/slot", Shape::givens,
                               "of independent inputs, one rate each", Style::hidden},
                              &UnequalInputs::rates}},
       source_of<UnequalInputs>},
      {Fields<GeneratingFunction>{
           {{"arrivals", "arrivals", "", Shape::text,
             "probability generating function of the arrivals per slot", Style::hidden},
            &GeneratingFunction::formula}},
       source_of<GeneratingFunction>},
      {Fields<Probabilities>{{{"pmf", "pmf", "", Shape::text,
                               "file with the probabilities of 0, 1, 2, .. arrivals per slot", Style::hidden},
                              &Probabilities::name}},
       source_of<Probabilities>},
      {Fields<Blocks>{{{"blocks", "blocks", "", Shape::text,
                        "file with the matrices D_0, D_1, .. of a D-BMAP", Style::hidden},
                       &Blocks::name}},
       source_of<Blocks>},
      {bursty, source_of<BurstyInputs>},
      {Fields<bounds::Incast>{{{"senders", "senders", "", Shape::whole,
                                "senders that start in the same slot, one packet per slot each"},
                               &bounds::Incast::senders},
                              {{"event_packets", "packets of each sender", "", Shape::whole,
                                "packets that each sender sends per event"},
                               &bounds::Incast::packets},
                              {{"event_rate", "events", "events/slot", Shape::given,
                                "mean number of events per slot", Style::hidden},
                               &bounds::Incast::rate,
                               [](const bounds::Incast& of) { return of.rate > 0; }}},
       source_of<bounds::Incast>},
      {Fields<TrafficClass>{
           {{"class", "class", "", Shape::whole, "priority class; class 1 is served first"},
            &TrafficClass::priority},
           {{"class_loads", "loads of the classes", "packets/slot", Shape::givens,
             "of all classes, class 1 first", Style::hidden},
            &TrafficClass::loads},
           {{"joint", "joint", "", Shape::text,
             "file with the joint probabilities of the arrivals of each class in a slot", Style::hidden},
            [](const TrafficClass& of) { return of.name; },
            [](const TrafficClass& of) { return !of.joint.empty(); }}},
       source_of<TrafficClass>},
      {{"trusted_fit", "trusted fit", "", Shape::flag,
        "of a model fitted to a trace: did it pass the tests of `fit`? If not, the answer need not hold for "
        "the trace",
        Style::hidden},
       &Traffic::trusted_fit,
       if_present},
      {{"load", "load", "packets/slot", Shape::given, "rho, offered load of the queue"},
       &load_of,
       if_present},
      {{"packets_per_slot", "served", "", Shape::whole, "packets served per slot, 1 to 64"},
       &Traffic::packets_per_slot}};
  return fields;
}

const Fields<queue::Accuracy>& accuracy_fields() {
  using queue::Accuracy;
  static const Fields<Accuracy> fields{
      {{"arithmetic", "arithmetic", "", Shape::text,
        "requested: auto, double, multiprecision, interval or exact", Style::hidden},
       [](const Accuracy& of) { return queue::name(of.arithmetic); }},
      {{"digits", "digits", "", Shape::whole, "significant digits to certify", Style::hidden},
       [](const Accuracy& of) { return of.digits.count; }}};
  return fields;
}

namespace {

/// The loads of the classes of one link: ", each at load 0.3, 0.6 in total".
/// \param each  " at load 0.3", or empty if they differ
/// \return `each` for other traffic
std::string class_loads(const std::vector<const Traffic*>& all, const std::string& each) {
  const auto* first = source_of<TrafficClass>(*all.front());
  const bool one_link = first != nullptr && std::all_of(all.begin(), all.end(), [&](const Traffic* other) {
                          const auto* its = source_of<TrafficClass>(*other);
                          return its != nullptr && its->loads == first->loads;
                        });
  if (!one_link || first->loads.size() < 2) return each;
  const Rational total = std::accumulate(first->loads.begin(), first->loads.end(), Rational(0));
  return each.empty() ? fmt::format(", load {} in total", plain(total))
                      : fmt::format(", each{}, {} in total", each, plain(total));
}

}  // namespace

std::string in_words(const Traffic& traffic, const std::vector<const Traffic*>& all) {
  TrafficWords words = words_of(traffic);
  for (const Traffic* other : all) {
    const TrafficWords its = words_of(*other);
    if (its.source != words.source) words.source = "each number of inputs";
    if (its.burst != words.burst) words.burst.clear();
    if (its.load != words.load) words.load.clear();
    if (its.served != words.served) words.served.clear();
  }
  return words.source + words.burst + (all.size() > 1 ? class_loads(all, words.load) : words.load) +
         words.served;
}

std::string in_words(const bounds::Computation& computation) {
  switch (computation.route) {
    case bounds::Computation::Route::matrices:
      return "matrices in double or long double (more bits where needed), bounded from below and above";
    case bounds::Computation::Route::modes:
      return "truncated spectral expansion, not proved; digits on which two truncations agree";
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

void mark_untrusted(Document& document, const std::vector<const Traffic*>& all) {
  const bool untrusted = std::any_of(
      all.begin(), all.end(), [](const Traffic* traffic) { return !traffic->trusted_fit.value_or(true); });
  if (!untrusted) return;
  document.headline = document.headline.after("not trusted, as the model does not fit its trace: ");
  document.notes.insert(
      document.notes.begin(),
      "The model failed the tests of fit, so the numbers hold for the model and not for the trace: the "
      "trace may need a much larger buffer. fit TRACE --buffer LIST gives the loss of the trace itself.");
}

std::string overload_in_words(const std::optional<numeric::Rational>& load, int served) {
  return std::string(load && *load == served ? "as many" : "more") + " packets arrive " +
         (load && *load == served ? "as" : "than") +
         " are served: an infinite queue would grow without limit, so P(Q > n) does not exist";
}

std::string overflow_caution(bounds::Criterion criterion, const Traffic& traffic) {
  if (criterion != bounds::Criterion::overflow || traffic.packets_per_slot == 1) return "";
  return "P(Q > B) is not a drop rate when several packets are served per slot;\n"
         "--criterion loss gives the fraction of packets lost";
}

}  // namespace tailbound::render
