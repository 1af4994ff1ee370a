#include <cli/formats.hpp>
#include <cli/pgf_command.hpp>
#include <cli/read_file.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/queue/on_off_formula.hpp>
#include <tailbound/queue/slotted_formula.hpp>
#include <tailbound/series/pgf_check.hpp>
#include <tailbound/series/pmf_file.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tailbound::cli {
namespace {

using symbolic::Expression;
using symbolic::Language;
using symbolic::Pgf;

struct Options {
  TrafficOptions traffic;
  std::string of = "occupancy", as = "text";
  bool moments = false, cancel = false, of_given = false;
};

enum class Quantity { arrivals, occupancy, wait };

/// What was found; `definition` in the language asked for.
struct Answer {
  symbolic::Definition definition;
  Expression mean, variance, empty;
  Pgf arrivals;
};

constexpr std::size_t kMostRates = 4096;

/// A parameter of the traffic: a number or a formula, but not in z.
Expression parse_parameter(const std::string& text, const std::string& option) {
  const Expression value = symbolic::parse_expression(text, option);
  if (value.depends_on("z"))
    throw InvalidArgument(option, text, "free of z, which is the variable of the generating function");
  return value;
}

std::vector<Expression> parse_rates(const std::string& text) {
  std::vector<Expression> rates;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    if (rates.size() == kMostRates)
      throw InvalidArgument("--rates", "a longer list", "a list of at most 4096 rates");
    rates.push_back(parse_parameter(text.substr(start, comma - start), "--rates"));
    start = comma + 1;
  }
  return rates;
}

Pgf read_arrivals(const TrafficOptions& options) {
  switch (traffic_form(options)) {
    case TrafficForm::equal_inputs:
      return Pgf::equal_inputs(parse_parameter(*options.inputs, "--inputs"),
                               parse_parameter(*options.load, "--load"));
    case TrafficForm::unequal_inputs:
      return Pgf::unequal_inputs(parse_rates(*options.rates));
    case TrafficForm::poisson:
      return Pgf::poisson(parse_parameter(*options.load, "--load"));
    case TrafficForm::pmf:
      return Pgf::from_coefficients(series::parse_pmf(read_file(*options.pmf, "--pmf"), *options.pmf));
    case TrafficForm::on_off:  // on_off_reply() answers
    case TrafficForm::blocks:
      throw InvalidArgument("--blocks", *options.blocks, "left out here: these matrices are the formula");
    case TrafficForm::expression:
      break;
  }
  const Pgf pgf = symbolic::parse_pgf(*options.arrivals, "--arrivals");
  // With free parameters the coefficients' signs depend on them; A(1) = 1 is looked at later.
  if (pgf.free_parameters().empty()) (void)series::check_pgf(pgf.program());
  return pgf;
}

Answer find(const Options& options, Quantity quantity, Language language) {
  const Pgf arrivals = read_arrivals(options.traffic);
  const int served =
      options.traffic.packets_per_slot
          ? static_cast<int>(parse_integer(*options.traffic.packets_per_slot, "--packets-per-slot", 1, 32))
          : 1;
  if (quantity == Quantity::arrivals) {
    if (options.cancel) throw InvalidArgument("--cancel", "given with --of arrivals", "left out there");
    if (arrivals.is_normalised() == symbolic::Verdict::no)
      throw InvalidArgument("--arrivals", "not a PGF: A(1) is " + arrivals.value_at_one().text(),
                            "a formula with A(1) = 1");
    return {queue::arrivals_definition(arrivals, language), arrivals.mean(), arrivals.variance(),
            limit(arrivals.expression(), arrivals.variable(), 0), arrivals};
  }
  if (quantity == Quantity::wait && served != 1)
    throw InvalidArgument("--packets-per-slot", std::to_string(served), "1 for --of wait");
  const queue::SlottedFormula formula = queue::slotted_formula(arrivals, served);
  const auto no_cancelled_form = [] {
    return NoAnswer(
        "--cancel: (1 - A(z)) / (1 - z) is no rational formula of moderate size here; "
        "without --cancel the formula is printed as it is derived");
  };
  if (quantity == Quantity::occupancy) {
    if (options.cancel && !formula.occupancy_cancelled) throw no_cancelled_form();
    return {queue::occupancy_definition(formula, language, options.cancel), formula.mean, formula.variance,
            formula.empty, arrivals};
  }
  const queue::WaitFormula wait = queue::wait_formula(arrivals);
  if (options.cancel && !wait.wait_cancelled) throw no_cancelled_form();
  return {queue::wait_definition(formula, wait, language, options.cancel), wait.mean, wait.variance,
          wait.no_wait, arrivals};
}

/// The moments as lines "E[Q] = ...".
std::vector<std::string> moment_lines(const Answer& answer) {
  const std::string& letter = answer.definition.name;
  return {"E[" + letter + "] = " + answer.mean.text(), "Var[" + letter + "] = " + answer.variance.text(),
          "P(" + letter + "=0) = " + answer.empty.text()};
}

std::string to_table_text(const Options& options, Answer answer, Language language, bool quiet) {
  if (quiet) answer.definition.remarks.clear();
  if (!options.moments) return print(answer.definition, language);
  std::vector<std::string> lines = moment_lines(answer);
  if (language != Language::text) {
    // Comments, so that the target program reads the whole.
    auto& remarks = answer.definition.remarks;
    remarks.insert(remarks.end(), lines.begin(), lines.end());
    return print(answer.definition, language);
  }
  std::string text = print(answer.definition, language);
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Json describe_inputs(const Options& options, const Answer& answer) {
  Json inputs;
  const TrafficOptions& traffic = options.traffic;
  const auto add = [&inputs](const char* key, const std::optional<std::string>& value) {
    if (value) inputs[key] = *value;
  };
  add("inputs", traffic.inputs);
  add("load", traffic.load);
  add("rates", traffic.rates);
  add("traffic", traffic.traffic);
  add("arrivals", traffic.arrivals);
  add("pmf", traffic.pmf);
  inputs["packets_per_slot"] =
      traffic.packets_per_slot ? parse_integer(*traffic.packets_per_slot, "--packets-per-slot", 1, 32) : 1;
  inputs["of"] = options.of;
  inputs["as"] = options.as;
  inputs["generating_function"] = answer.arrivals.expression().text();
  inputs["parameters"] = answer.arrivals.free_parameters();
  return inputs;
}

/// One source that sends in bursts: its matrix and eigenvalues.
Reply on_off_reply(const Options& options, Language language, const Context& context) {
  if (options.of != "arrivals" && options.of_given)
    throw InvalidArgument("--of", options.of, "arrivals with --traffic onoff: the matrix of one source");
  for (const auto& [name, given] :
       {std::pair{"--moments", options.moments}, std::pair{"--cancel", options.cancel}})
    if (given) throw InvalidArgument(name, "given with --traffic onoff", "left out there");
  const TrafficOptions& traffic = options.traffic;
  const queue::OnOffFormula formula = queue::on_off_formula(
      parse_parameter(*traffic.load, "--load"), parse_parameter(*traffic.burst, "--burst"),
      parse_parameter(traffic.on_rate.value_or("1"), "--on-rate"),
      parse_parameter(*traffic.inputs, "--inputs"));
  const std::string text = print(formula, language);
  if (context.format == Format::csv) return {.text = csv_line({"expression"}) + csv_line({text})};
  if (context.format == Format::table) {
    std::string remarks;
    if (language == Language::text && !context.quiet)
      remarks =
          "# one source: rows and columns OFF, ON; D01 = alpha, beta = 1 - D11 at z = 1\n"
          "# eigenvalues of all inputs together: lambda1(z)^(inputs - k)*lambda2(z)^k, k = 0 .. inputs\n"
          "# poles of the queue: z = lambda1(z)^(inputs - k)*lambda2(z)^k\n";
    return {.text = remarks + text};
  }
  Json document = new_document(context, "pgf");
  Json& inputs = document["inputs"];
  inputs["traffic"] = "onoff";
  inputs["inputs"] = *traffic.inputs;
  inputs["load"] = *traffic.load;
  inputs["burst"] = *traffic.burst;
  inputs["on_rate"] = traffic.on_rate.value_or("1");
  inputs["of"] = "arrivals";
  inputs["as"] = options.as;
  document["expression"] = text;
  const auto printed = [&](const Expression& value) {
    return print(value, language == Language::c ? Language::text : language);
  };
  document["matrix"] =
      Json::array({Json::array({printed(formula.entry[0][0]), printed(formula.entry[0][1])}),
                   Json::array({printed(formula.entry[1][0]), printed(formula.entry[1][1])})});
  document["alpha"] = printed(formula.start);
  document["beta"] = printed(formula.stop);
  document["trace"] = printed(formula.trace);
  document["determinant"] = printed(formula.determinant);
  return {.text = to_text(document)};
}

Command command_of(CLI::App& app, std::shared_ptr<Options> options) {
  return {&app, [&app, options](const Context& context) {
            static const std::vector<std::string> quantities{"arrivals", "occupancy", "wait"};
            static const std::vector<std::string> languages{"text", "latex", "maple", "gp", "c"};
            const auto quantity = static_cast<Quantity>(parse_choice(options->of, "--of", quantities));
            const auto language = static_cast<Language>(parse_choice(options->as, "--as", languages));
            options->of_given = app.get_option("--of")->count() > 0;
            if (traffic_form(options->traffic) == TrafficForm::on_off)
              return on_off_reply(*options, language, context);
            Answer answer = find(*options, quantity, language);
            if (context.format == Format::table)
              return Reply{.text = to_table_text(*options, answer, language, context.quiet)};
            const std::string expression = language == Language::c
                                               ? print(answer.definition, language)
                                               : print(answer.definition.expression, language);
            const auto moment = [&](const Expression& value) {
              return print(value, language == Language::c ? Language::text : language);
            };
            if (context.format == Format::csv)
              return Reply{.text = csv_line({"expression", "mean", "variance", "p0"}) +
                                   csv_line({expression, moment(answer.mean), moment(answer.variance),
                                             moment(answer.empty)})};
            Json document = new_document(context, "pgf");
            document["inputs"] = describe_inputs(*options, answer);
            document["expression"] = expression;
            document["mean"] = moment(answer.mean);
            document["variance"] = moment(answer.variance);
            document["p0"] = moment(answer.empty);
            document["conditions"] = answer.definition.remarks;
            return Reply{.text = to_text(document)};
          }};
}

}  // namespace

Command add_pgf_command(CLI::App& program) {
  CLI::App& app =
      *program.add_subcommand("pgf", "the formula: generating functions, printed for other programs");
  const auto options = std::make_shared<Options>();
  add_traffic_options(app, options->traffic, Memory::allowed);
  app.add_option("--of", options->of, "arrivals A(z), occupancy Q(z) (the default) or wait W(z)")
      ->type_name("NAME")
      ->group("Question");
  app.add_option("--as", options->as, "text (the default), latex, maple, gp or c")
      ->type_name("NAME")
      ->group("Question");
  app.add_flag("--moments", options->moments, "mean, variance and the probability of 0 too")
      ->group("Question");
  app.add_flag("--cancel", options->cancel,
               "the common root z = 1 divided out (rational A with numeric exponents)")
      ->group("Question");
  app.footer(
      "Parameters may stay symbols: --inputs, --load and --rates take names and formulas.\n"
      "Names that a language reserves (D in Maple, I in PARI/GP, h in C) get an underscore appended.\n\n"
      "Example:\n"
      "  tailbound pgf --inputs k --load k*p --moments\n"
      "prints\n"
      "  # k is a whole number, at least 1\n"
      "  # 0 <= k*p <= k\n"
      "  # k*p < 1\n"
      "  Q(z) = (1 - k*p)*(z - 1)*(1 - p + p*z)^k/(z - (1 - p + p*z)^k)\n"
      "  E[Q] = 1/2*k*p*(2 - p - k*p)/(1 - k*p)\n"
      "  Var[Q] = 1/12*k*p*(12 - 18*p - 18*k*p + 8*p^2 + 18*k*p^2 - 5*k*p^3 + 10*k^2*p^2 - 6*k^2*p^3 - "
      "k^3*p^3)/(1 - k*p)^2\n"
      "  P(Q=0) = 1 - k*p");
  return command_of(app, options);
}

}  // namespace tailbound::cli
