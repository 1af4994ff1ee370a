#include <tailbound/answers/buffer/pgf.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/series/files/pmf_file.hpp>
#include <tailbound/series/laws/named_laws.hpp>
#include <tailbound/series/pgf_check.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tailbound::answers {
namespace {

PgfAnswer arrivals_of(const PgfQuery& query) {
  const symbolic::Pgf& arrivals = query.arrivals;
  if (query.cancelled)
    throw InvalidArgument("cancel", "given for the arrivals",
                          "omitted for the arrivals: A(z) has no such root");
  if (arrivals.is_normalised() == symbolic::Verdict::no)
    throw InvalidArgument("arrivals", "not a PGF: A(1) is " + arrivals.value_at_one().text(),
                          "a formula with A(1) = 1");
  return {queue::arrivals_definition(arrivals, query.language), arrivals.mean(), arrivals.variance(),
          limit(arrivals.expression(), arrivals.variable(), 0)};
}

void require_free_of_z(const std::string& name, const symbolic::Expression& parameter,
                       const std::string& text) {
  if (parameter.depends_on("z"))
    throw InvalidArgument(name, text, "free of z, which is the variable of the generating function");
}

/// Checks whether some values of the symbols give a valid source: each symbol is replaced by the value that
/// allows the others the widest range.
void check(const OnOffPgfQuery& query) {
  const auto value = [](const symbolic::Expression& parameter, const numeric::Rational& of_symbols) {
    return parameter.simplified().as_rational().value_or(of_symbols);
  };
  const numeric::Rational on_rate = value(query.on_rate, 1);
  const numeric::Rational small = on_rate / 1'000'000, large = 1'000'000;
  const numeric::Rational load = value(query.load, small);
  static_cast<void>(traffic::on_off(
      load, {.slots = value(query.burst, large * (1 + load / (on_rate > load ? on_rate - load : 1))),
             .on_rate = on_rate}));
  if (const numeric::Rational inputs = value(query.inputs, 1); inputs < 1 || !numeric::is_integer(inputs))
    throw InvalidArgument("inputs", numeric::to_fraction(inputs), "a whole number from 1 on");
}

}  // namespace

symbolic::Expression parse_parameter(const std::string& text, const std::string& argument) {
  symbolic::Expression value = symbolic::parse_expression(text, argument);
  require_free_of_z(argument, value, text);
  return value;
}

std::vector<symbolic::Expression> parse_rates(const std::string& text, const std::string& argument) {
  constexpr std::size_t maximum = 4096;
  std::vector<symbolic::Expression> rates;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    if (rates.size() == maximum)
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

symbolic::Pgf pgf_of_text(const std::string& text, const std::string& argument) {
  if (auto law = series::named_law_formula(text, argument)) return *std::move(law);
  return checked(symbolic::parse_pgf(text, argument));
}

symbolic::Pgf pgf_of_file(const std::string& text, const std::string& name, series::Normalise normalise) {
  return symbolic::Pgf::from_coefficients(series::parse_pmf(text, name, normalise));
}

PgfAnswer answer(const PgfQuery& query, const Run&) {
  if (query.of == PgfOf::arrivals) return arrivals_of(query);
  if (query.of == PgfOf::wait && query.packets_per_slot != 1)
    throw InvalidArgument("packets per slot", std::to_string(query.packets_per_slot), "1 for the wait");
  queue::SlottedFormula formula = queue::slotted_formula(query.arrivals, query.packets_per_slot);
  if (query.of == PgfOf::occupancy) {
    const auto cancelled = query.cancelled ? queue::cancelled_occupancy(formula) : std::nullopt;
    if (query.cancelled && !cancelled) throw NotCancelled();
    return {queue::occupancy_definition(formula, query.language, cancelled ? &*cancelled : nullptr),
            std::move(formula.mean), std::move(formula.variance), std::move(formula.empty)};
  }
  queue::WaitFormula wait = queue::wait_formula(query.arrivals);
  const auto cancelled = query.cancelled ? queue::cancelled_wait(formula, wait) : std::nullopt;
  if (query.cancelled && !cancelled) throw NotCancelled();
  return {queue::wait_definition(formula, wait, query.language, cancelled ? &*cancelled : nullptr),
          std::move(wait.mean), std::move(wait.variance), std::move(wait.no_wait)};
}

queue::OnOffFormula answer(const OnOffPgfQuery& query, const Run&) {
  require_free_of_z("load", query.load, query.load.text());
  require_free_of_z("burst", query.burst, query.burst.text());
  require_free_of_z("on rate", query.on_rate, query.on_rate.text());
  require_free_of_z("inputs", query.inputs, query.inputs.text());
  check(query);
  return queue::on_off_formula(query.load, query.burst, query.on_rate, query.inputs);
}

}  // namespace tailbound::answers
