#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/buffer/pgf.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/render/documents/buffer/pgf.hpp>

#include <string>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::PgfAnswer;
using answers::PgfOf;
using answers::PgfQuery;
using symbolic::Language;
using symbolic::Pgf;

struct PgfOptions {
  TrafficOptions traffic;
  std::optional<std::string> of, as;
  bool moments = false, cancel = false;
};

Pgf read_arrivals(const TrafficOptions& options) {
  switch (traffic_form(options)) {
    case TrafficForm::equal_inputs:
      return Pgf::equal_inputs(answers::parse_parameter(*options.inputs, "--inputs"),
                               answers::parse_parameter(*options.load, "--load"));
    case TrafficForm::unequal_inputs:
      return Pgf::unequal_inputs(answers::parse_rates(*options.rates, "--rates"));
    case TrafficForm::poisson:
      return Pgf::poisson(answers::parse_parameter(*options.load, "--load"));
    case TrafficForm::pmf:
      return answers::pgf_of_file(read_file(*options.pmf, "--pmf"), *options.pmf, read_normalise(options));
    case TrafficForm::md1:
      throw InvalidArgument("--traffic", "md1",
                            "poisson, whose Q(z) is that of md1 too (their waits differ)");
    case TrafficForm::on_off:  // handled by on_off_reply()
    case TrafficForm::blocks:  // these options are not declared
    case TrafficForm::classes:
    case TrafficForm::joint:
    case TrafficForm::incast:
    case TrafficForm::file:
    case TrafficForm::expression:
      break;
  }
  return answers::pgf_of_text(*options.arrivals, "--arrivals");
}

PgfQuery read_query(const PgfOptions& options, PgfOf of, Language language) {
  PgfQuery query{.arrivals = read_arrivals(options.traffic), .of = of, .language = language};
  if (options.traffic.packets_per_slot)
    query.packets_per_slot = static_cast<int>(parse_integer(
        *options.traffic.packets_per_slot, "--packets-per-slot", 1, answers::Traffic::max_packets_per_slot));
  query.cancelled = options.cancel;
  if (of == PgfOf::arrivals && options.cancel) throw not_allowed_with("--cancel", "--of arrivals");
  if (of == PgfOf::wait && query.packets_per_slot != 1)
    throw InvalidArgument("--packets-per-slot", std::to_string(query.packets_per_slot), "1 for --of wait");
  return query;
}

PgfAnswer find(const PgfQuery& query) {
  try {
    return answers::answer(query);
  } catch (const answers::NotCancelled& error) {
    throw NoAnswer(std::string("--cancel: ") + error.what() +
                   "; without --cancel the formula is printed as it is derived");
  }
}

render::PgfTraffic as_typed(const TrafficOptions& options) {
  return {.traffic = options.traffic,
          .inputs = options.inputs,
          .load = options.load,
          .burst = options.burst,
          .on_rate = options.on_rate,
          .rates = options.rates,
          .arrivals = options.arrivals,
          .pmf = options.pmf};
}

std::vector<PgfOf> read_quantities(const std::optional<std::string>& text) {
  return choices_or_first<PgfOf>(text.value_or(name_of(PgfOf::occupancy)), "--of");
}

std::vector<Language> read_languages(const std::optional<std::string>& text) {
  return choices_or_first<Language>(text, "--as");
}

/// One bursty source: its matrix and eigenvalues.
Reply on_off_reply(const PgfOptions& options, const std::vector<Language>& languages,
                   const Context& context) {
  if (options.of && *options.of != "arrivals")
    throw InvalidArgument("--of", *options.of, "arrivals with --traffic onoff: the matrix of one source");
  if (!options.traffic.destination ||
      choice_of<traffic::Destination>(*options.traffic.destination, "--destination") ==
          traffic::Destination::per_burst)
    throw needs("--traffic onoff", "--destination per-packet",
                "there is no formula for bursts that keep their destination");
  for (const auto& [name, given] :
       {std::pair{"--moments", options.moments}, std::pair{"--cancel", options.cancel}})
    if (given)
      throw not_allowed_with(name, "--traffic onoff",
                             "the formula is that of one source; use occupancy for the mean of the queue");
  if (options.traffic.packets_per_slot && *options.traffic.packets_per_slot != "1")
    throw not_allowed_with("--packets-per-slot", "--traffic onoff",
                           "the matrix of one source has no service");
  render::PgfTraffic traffic = as_typed(options.traffic);
  traffic.traffic = "onoff";
  traffic.on_rate = traffic.on_rate.value_or("1");
  const queue::OnOffFormula formula = answers::answer(
      answers::OnOffPgfQuery{.load = answers::parse_parameter(*traffic.load, "--load"),
                             .burst = answers::parse_parameter(*traffic.burst, "--burst"),
                             .on_rate = answers::parse_parameter(*traffic.on_rate, "--on-rate"),
                             .inputs = answers::parse_parameter(*traffic.inputs, "--inputs")});
  std::vector<render::OnOffPgfPoint> points;
  for (const Language language : languages)
    points.push_back({.traffic = traffic, .language = language, .formula = formula});
  return {.document = render::document(points), .text = render::formulas(points, context.quiet)};
}

Reply answer(const PgfOptions& options, const Context& context) {
  const std::vector<PgfOf> quantities = read_quantities(options.of);
  const std::vector<Language> languages = read_languages(options.as);
  if (traffic_form(options.traffic) == TrafficForm::on_off) return on_off_reply(options, languages, context);
  std::vector<render::PgfPoint> points;
  for (const PgfOf of : quantities)
    for (const Language language : languages) {
      const PgfQuery query = read_query(options, of, language);
      points.push_back({.traffic = as_typed(options.traffic), .query = query, .answer = find(query)});
    }
  render::Document document = render::document(points);
  std::string text = render::formulas(points, document, options.moments, context.quiet);
  return {.document = std::move(document), .text = std::move(text)};
}

Reply answer_as_piece(const PgfOptions& options, const Context& context) {
  return answers::as_piece(analysis_run(context), [&] { return answer(options, context); });
}

void declare(OptionTable& table, PgfOptions& options) {
  add_traffic_options(table, options.traffic, Correlated::one_source);
  const OptionGroup query(table, "Formula");
  query.add("--of", options.of, "NAME",
            "arrivals, occupancy or wait (default occupancy).\nA(z), Q(z) or W(z), or a list",
            choices<PgfOf>());
  query.add("--as", options.as, "NAME", choices_in_words<Language>() + ".\nOr a list", choices<Language>());
  query.add_flag("--moments", options.moments, "mean, variance and probability of 0 as well");
  query.add_flag("--cancel", options.cancel,
                 "cancels the common root z = 1.\nFor rational A(z) with numeric exponents");
}

}  // namespace

Command pgf_command() {
  return command_of<PgfOptions>({.name = "pgf",
                                 .purpose = "generating functions of arrivals, queue and wait",
                                 .work = Work::analysis,
                                 .declare = declare,
                                 .answer = answer_as_piece,
                                 .layout = render::pgf_layout,
                                 .example = {{"--inputs", "k"}, {"--load", "k*p"}, {"--moments", ""}}});
}

}  // namespace tailbound::cli
