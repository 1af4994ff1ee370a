#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/buffer/pgf.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace tailbound::render {
namespace {

using answers::PgfOf;
using symbolic::Expression;
using symbolic::Language;

/// A part of an answer. C has functions, not formulas; moments are not functions.
std::string printed(const Expression& expression, Language language) {
  return print(expression, language == Language::c ? Language::text : language);
}

Column text_column(const char* key, const char* heading, const char* meaning) {
  return {key, heading, "", Shape::text, meaning};
}

const Fields<PgfTraffic>& typed_fields() {
  using Typed = PgfTraffic;
  const auto row = [](const char* key, const char* heading, const char* meaning,
                      std::optional<std::string> Typed::*typed) {
    return Fields<Typed>::Part(text_column(key, heading, meaning), typed, if_present);
  };
  static const Fields<Typed> fields{
      row("traffic", "traffic", "as typed: bernoulli, poisson or onoff", &Typed::traffic),
      row("inputs", "inputs", "as typed: a number, a name or a formula", &Typed::inputs),
      row("load", "load", "packets per slot, as typed", &Typed::load),
      row("burst", "burst", "mean burst length of a source [slots], as typed", &Typed::burst),
      row("on_rate", "on-rate", "packets per slot of a source within a burst, as typed", &Typed::on_rate),
      row("rates", "rates", "rates of the inputs, as typed", &Typed::rates),
      row("arrivals", "arrivals", "generating function of the arrivals per slot, as typed", &Typed::arrivals),
      row("pmf", "pmf", "file with the probabilities of 0, 1, 2, .. arrivals per slot", &Typed::pmf)};
  return fields;
}

/// Of a queue, or of a single source without a server.
struct PgfInputs {
  PgfTraffic traffic;
  PgfOf of;
  Language language;
  std::optional<int> packets_per_slot{};
  std::optional<bool> cancelled{};
};

const Fields<PgfInputs>& pgf_inputs() {
  using Inputs = PgfInputs;
  static const Fields<Inputs> fields{
      {typed_fields(), &Inputs::traffic},
      {{"packets_per_slot", "served", "", Shape::whole, "packets served per slot, 1 to 64 (here 32)"},
       &Inputs::packets_per_slot,
       if_present},
      {text_column("of", "of", "arrivals A(z), occupancy Q(z) or wait W(z)"), &Inputs::of},
      {text_column("as", "as", "language of the formulas: text, latex, maple, gp or c"), &Inputs::language},
      {{"cancelled", "cancelled", "", Shape::flag, "common root z = 1 cancelled", Style::hidden},
       &Inputs::cancelled,
       if_present}};
  return fields;
}

Column expression_column() {
  return text_column("expression", "expression",
                     "the generating function; with onoff the definitions of one source");
}

const Fields<PgfPoint>& pgf_results() {
  using Point = PgfPoint;
  using Answer = answers::PgfAnswer;
  const auto moment = [](Expression Answer::*which) {
    return [which](const Point& of) { return printed(of.answer.*which, of.query.language); };
  };
  static const Fields<Point> fields{
      {expression_column(),
       [](const Point& of) {
         const Language language = of.query.language;
         return language == Language::c ? print(of.answer.definition, language)
                                        : print(of.answer.definition.expression, language);
       }},
      {text_column("mean", "mean", "[packets], of the wait [slots]"), moment(&Answer::mean)},
      {text_column("variance", "variance", "[packets^2], of the wait [slots^2]"), moment(&Answer::variance)},
      {text_column("p0", "P(0)", "the probability of 0"), moment(&Answer::zero)},
      {{"conditions", "conditions", "", Shape::texts, "conditions on the parameters"},
       [](const Point& of) { return TextList{of.answer.definition.remarks}; }},
      {text_column("generating_function", "A(z)", "of the arrivals per slot"),
       [](const Point& of) { return of.query.arrivals.expression().text(); }},
      {{"parameters", "parameters", "", Shape::texts, "names that stay symbols"},
       [](const Point& of) { return TextList{of.query.arrivals.free_parameters()}; }}};
  return fields;
}

const Fields<OnOffPgfPoint>& one_source_results() {
  using Point = OnOffPgfPoint;
  using Formula = queue::OnOffFormula;
  const auto part = [](Expression Formula::*which) {
    return [which](const Point& of) { return printed(of.formula.*which, of.language); };
  };
  const auto entry = [](int from, int to) {
    return [from, to](const Point& of) { return printed(of.formula.entry[from][to], of.language); };
  };
  static const Fields<Point> fields{
      {expression_column(), [](const Point& of) { return print(of.formula, of.language); }},
      {text_column("d00", "D00", "of one source: from OFF to OFF"), entry(0, 0)},
      {text_column("d01", "D01", "from OFF to ON"), entry(0, 1)},
      {text_column("d10", "D10", "from ON to OFF"), entry(1, 0)},
      {text_column("d11", "D11", "from ON to ON"), entry(1, 1)},
      {text_column("alpha", "alpha", "probability of a transition from OFF to ON"), part(&Formula::start)},
      {text_column("beta", "beta", "probability of a transition from ON to OFF"), part(&Formula::stop)},
      {text_column("trace", "T(z)", "of the matrix"), part(&Formula::trace)},
      {text_column("determinant", "Delta(z)", "of the matrix"), part(&Formula::determinant)}};
  return fields;
}

Result result_of(const PgfPoint& point) {
  const answers::PgfQuery& query = point.query;
  Result result{.inputs = pgf_inputs().cells(
                    {point.traffic, query.of, query.language, query.packets_per_slot, query.cancelled}),
                .cells = {}};
  result.cells.reserve(7);  // a growing vector copies its values, one of which may have megabytes
  pgf_results().add(point, result.cells);
  return result;
}

Result result_of(const OnOffPgfPoint& point) {
  return {.inputs = pgf_inputs().cells({point.traffic, PgfOf::arrivals, point.language}),
          .cells = one_source_results().cells(point)};
}

template <class Point>
Document document_of_points(const std::vector<Point>& points, const char* headline) {
  Document document{.layout = std::make_shared<const Layout>(pgf_layout()),
                    .headline = Headline::without_numbers(headline),
                    .results = {}};
  for (const Point& point : points) document.results.push_back(result_of(point));
  document.picture = []() -> Picture { throw NoAnswer("formulas have no picture"); };
  return document;
}

std::string_view expression_of(const Result& result) {
  const auto found = std::find_if(result.cells.begin(), result.cells.end(),
                                  [](const Cell& cell) { return cell.key == "expression"; });
  return std::get<Text>(found->value).text;
}

/// The moments as lines "E[Q] = ...".
std::vector<std::string> moment_lines(const answers::PgfAnswer& answer) {
  const std::string& letter = answer.definition.name;
  return {"E[" + letter + "] = " + answer.mean.text(), "Var[" + letter + "] = " + answer.variance.text(),
          "P(" + letter + "=0) = " + answer.zero.text()};
}

std::string formula(const PgfPoint& point, const Result& shown, bool moments, bool quiet) {
  const Language language = point.query.language;
  symbolic::Definition definition = point.answer.definition;
  if (quiet) definition.remarks.clear();
  const auto print = [&] { return symbolic::print(definition, language, expression_of(shown)); };
  if (!moments) return print();
  const std::vector<std::string> lines = moment_lines(point.answer);
  if (language != Language::text) {
    // Comments, so that the target program can read the complete output.
    definition.remarks.insert(definition.remarks.end(), lines.begin(), lines.end());
    return print();
  }
  std::string text = print();
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

Layout pgf_layout() {
  return {.command = "pgf",
          .inputs = pgf_inputs().columns(),
          .results = merged(pgf_results().columns(), one_source_results().columns())};
}

Document document(const std::vector<PgfPoint>& points) {
  return document_of_points(points, "Generating functions.");
}

Document document(const std::vector<OnOffPgfPoint>& points) {
  return document_of_points(points, "Generating functions of one on-off source.");
}

std::string formulas(const std::vector<PgfPoint>& points, const Document& document, bool moments,
                     bool quiet) {
  std::string text;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::string one = formula(points[i], document.results[i], moments, quiet);
    if (i == 0)
      text = std::move(one);
    else
      (text += "\n") += one;
  }
  return text;
}

std::string formulas(const std::vector<OnOffPgfPoint>& points, bool quiet) {
  std::string text;
  for (const OnOffPgfPoint& point : points) {
    text += text.empty() ? "" : "\n";
    if (point.language == Language::text && !quiet)
      text +=
          "# one source with per-packet destinations (--destination per-packet): rows and columns OFF, "
          "ON;\n# D01 = alpha, beta = 1 - D11 at z = 1\n# eigenvalues of all inputs together: "
          "lambda1(z)^(inputs - k)*lambda2(z)^k, k = 0 .. inputs\n# poles of the queue: z = "
          "lambda1(z)^(inputs - k)*lambda2(z)^k\n";
    text += print(point.formula, point.language);
  }
  return text;
}

}  // namespace tailbound::render
