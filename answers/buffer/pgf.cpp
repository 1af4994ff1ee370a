#include <cln/rational.h>
#include <tailbound/answers/buffer/pgf.hpp>
#include <tailbound/series/files/pmf_file.hpp>
#include <tailbound/series/pgf_check.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tailbound::answers {
namespace {

PgfAnswer arrivals_of(const PgfQuestion& question) {
  const symbolic::Pgf& arrivals = question.arrivals;
  if (question.cancelled)
    throw InvalidArgument("cancel", "given for the arrivals",
                          "omitted for the arrivals: A(z) has no such root");
  if (arrivals.is_normalised() == symbolic::Verdict::no)
    throw InvalidArgument("arrivals", "not a PGF: A(1) is " + arrivals.value_at_one().text(),
                          "a formula with A(1) = 1");
  return {queue::arrivals_definition(arrivals, question.language), arrivals.mean(), arrivals.variance(),
          limit(arrivals.expression(), arrivals.variable(), 0)};
}

void require_free_of_z(const std::string& name, const symbolic::Expression& parameter,
                       const std::string& text) {
  if (parameter.depends_on("z"))
    throw InvalidArgument(name, text, "free of z, which is the variable of the generating function");
}

/// Checks whether some values of the symbols give a valid source: each symbol is replaced by the value that
/// allows the others the widest range.
void check(const OnOffPgfQuestion& question) {
  const auto value = [](const symbolic::Expression& parameter, const numeric::Rational& of_symbols) {
    return parameter.simplified().as_rational().value_or(of_symbols);
  };
  const numeric::Rational on_rate = value(question.on_rate, 1);
  const numeric::Rational small = on_rate / 1'000'000, large = 1'000'000;
  const numeric::Rational load = value(question.load, small);
  static_cast<void>(traffic::on_off(
      load, {.slots = value(question.burst, large * (1 + load / (on_rate > load ? on_rate - load : 1))),
             .on_rate = on_rate}));
  if (const numeric::Rational inputs = value(question.inputs, 1); inputs < 1 || cln::denominator(inputs) != 1)
    throw InvalidArgument("inputs", numeric::to_fraction(inputs), "a whole number from 1 on");
}

}  // namespace

symbolic::Expression parse_parameter(const std::string& text, const std::string& argument) {
  symbolic::Expression value = symbolic::parse_expression(text, argument);
  require_free_of_z(argument, value, text);
  return value;
}

std::vector<symbolic::Expression> parse_rates(const std::string& text, const std::string& argument) {
  constexpr std::size_t most = 4096;
  std::vector<symbolic::Expression> rates;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    if (rates.size() == most)
      throw InvalidArgument(argument, "a longer list", "a list of at most 4096 rates");
    rates.push_back(parse_parameter(text.substr(start, comma - start), argument));
    start = comma + 1;
  }
  return rates;
}

symbolic::Pgf checked(symbolic::Pgf arrivals) {
  if (arrivals.free_parameters().empty()) static_cast<void>(series::check_pgf(arrivals.program()));
  return arrivals;
}

symbolic::Pgf pgf_of_file(const std::string& text, const std::string& name, series::Normalise normalise) {
  return symbolic::Pgf::from_coefficients(series::parse_pmf(text, name, normalise));
}

PgfAnswer answer(const PgfQuestion& question, const Run&) {
  if (question.of == PgfOf::arrivals) return arrivals_of(question);
  if (question.of == PgfOf::wait && question.packets_per_slot != 1)
    throw InvalidArgument("packets per slot", std::to_string(question.packets_per_slot), "1 for the wait");
  queue::SlottedFormula formula = queue::slotted_formula(question.arrivals, question.packets_per_slot);
  if (question.of == PgfOf::occupancy) {
    const auto cancelled = question.cancelled ? queue::cancelled_occupancy(formula) : std::nullopt;
    if (question.cancelled && !cancelled) throw NotCancelled();
    return {queue::occupancy_definition(formula, question.language, cancelled ? &*cancelled : nullptr),
            std::move(formula.mean), std::move(formula.variance), std::move(formula.empty)};
  }
  queue::WaitFormula wait = queue::wait_formula(question.arrivals);
  const auto cancelled = question.cancelled ? queue::cancelled_wait(formula, wait) : std::nullopt;
  if (question.cancelled && !cancelled) throw NotCancelled();
  return {queue::wait_definition(formula, wait, question.language, cancelled ? &*cancelled : nullptr),
          std::move(wait.mean), std::move(wait.variance), std::move(wait.no_wait)};
}

queue::OnOffFormula answer(const OnOffPgfQuestion& question, const Run&) {
  require_free_of_z("load", question.load, question.load.text());
  require_free_of_z("burst", question.burst, question.burst.text());
  require_free_of_z("on rate", question.on_rate, question.on_rate.text());
  require_free_of_z("inputs", question.inputs, question.inputs.text());
  check(question);
  return queue::on_off_formula(question.load, question.burst, question.on_rate, question.inputs);
}

}  // namespace tailbound::answers
