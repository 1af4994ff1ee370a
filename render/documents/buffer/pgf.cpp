#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/buffer/pgf.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace tailbound::render {
namespace {

using answers::PgfOf;
using symbolic::Expression;
using symbolic::Language;

/// A part of an answer: C has no formulas but functions, which moments are not.
std::string printed(const Expression& expression, Language language) {
  return print(expression, language == Language::c ? Language::text : language);
}

Cells traffic_cells(const PgfTraffic& traffic) {
  Cells cells;
  const auto add = [&cells](const char* key, const std::optional<std::string>& typed) {
    if (typed) cells.push_back({key, Text{*typed}});
  };
  add("traffic", traffic.traffic);
  add("inputs", traffic.inputs);
  add("load", traffic.load);
  add("burst", traffic.burst);
  add("on_rate", traffic.on_rate);
  add("rates", traffic.rates);
  add("arrivals", traffic.arrivals);
  add("pmf", traffic.pmf);
  return cells;
}

Result result_of(const PgfPoint& point) {
  const auto& [traffic, question, answer] = point;
  Result result;
  result.inputs = traffic_cells(traffic);
  result.inputs.push_back({"packets_per_slot", Whole{question.packets_per_slot}});
  result.inputs.push_back({"of", Text{name_of(question.of)}});
  result.inputs.push_back({"as", Text{name_of(question.language)}});
  result.inputs.push_back({"cancelled", Flag{question.cancelled}});
  const Language language = question.language;
  result.cells.reserve(7);  // a vector that grows copies its values, of which one may be megabytes long
  const auto add = [&](const char* key, Value value) { result.cells.push_back({key, std::move(value)}); };
  add("expression", Text{language == Language::c ? print(answer.definition, language)
                                                 : print(answer.definition.expression, language)});
  add("mean", Text{printed(answer.mean, language)});
  add("variance", Text{printed(answer.variance, language)});
  add("p0", Text{printed(answer.zero, language)});
  add("conditions", TextList{answer.definition.remarks});
  add("generating_function", Text{question.arrivals.expression().text()});
  add("parameters", TextList{question.arrivals.free_parameters()});
  return result;
}

Result result_of(const OnOffPgfPoint& point) {
  const auto& [traffic, language, formula] = point;
  Result result;
  result.inputs = traffic_cells(traffic);
  result.inputs.push_back({"of", Text{"arrivals"}});
  result.inputs.push_back({"as", Text{name_of(language)}});
  result.cells = {{"expression", Text{print(formula, language)}},
                  {"d00", Text{printed(formula.entry[0][0], language)}},
                  {"d01", Text{printed(formula.entry[0][1], language)}},
                  {"d10", Text{printed(formula.entry[1][0], language)}},
                  {"d11", Text{printed(formula.entry[1][1], language)}},
                  {"alpha", Text{printed(formula.start, language)}},
                  {"beta", Text{printed(formula.stop, language)}},
                  {"trace", Text{printed(formula.trace, language)}},
                  {"determinant", Text{printed(formula.determinant, language)}}};
  return result;
}

template <class Point>
Document document_of_points(const std::vector<Point>& points, const char* headline) {
  Document document{
      .layout = std::make_shared<const Layout>(pgf_layout()), .headline = headline, .results = {}};
  for (const Point& point : points) document.results.push_back(result_of(point));
  document.picture = []() -> Picture { throw NoAnswer("there is no picture of a formula"); };
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
  const Language language = point.question.language;
  symbolic::Definition definition = point.answer.definition;
  if (quiet) definition.remarks.clear();
  const auto print = [&] { return symbolic::print(definition, language, expression_of(shown)); };
  if (!moments) return print();
  const std::vector<std::string> lines = moment_lines(point.answer);
  if (language != Language::text) {
    // Comments, so that the target program reads the whole.
    definition.remarks.insert(definition.remarks.end(), lines.begin(), lines.end());
    return print();
  }
  std::string text = print();
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

Layout pgf_layout() {
  const auto text = [](const char* key, const char* heading, const char* meaning) {
    return Column{key, heading, "", Shape::text, meaning};
  };
  Layout layout{.command = "pgf", .inputs = {}, .results = {}};
  layout.inputs = {
      text("traffic", "traffic", "as typed: bernoulli, poisson or onoff"),
      text("inputs", "inputs", "as typed: a number, a name or a formula"),
      text("load", "load", "packets a slot, as typed"),
      text("burst", "burst", "mean length of a source's bursts [slots], as typed"),
      text("on_rate", "on-rate", "packets a slot of a source within a burst, as typed"),
      text("rates", "rates", "of the inputs, as typed"),
      text("arrivals", "arrivals", "generating function of the packets in a slot, as typed"),
      text("pmf", "pmf", "file with the probabilities of 0, 1, 2, .. packets in a slot"),
      {"packets_per_slot", "served", "", Shape::whole, "packets served in a slot, 1 to 32"},
      text("of", "of", "arrivals A(z), occupancy Q(z) or wait W(z)"),
      text("as", "as", "language of the formulas: text, latex, maple, gp or c"),
      {"cancelled", "cancelled", "", Shape::flag, "the common root z = 1 divided out", Style::hidden}};
  layout.results = {
      text("expression", "expression", "the generating function; with onoff the definitions of one source"),
      text("mean", "mean", "[packets], of the wait [slots]"),
      text("variance", "variance", "[packets^2], of the wait [slots^2]"),
      text("p0", "P(0)", "the probability of 0"),
      {"conditions", "conditions", "", Shape::texts, "what must hold of the parameters"},
      text("generating_function", "A(z)", "of the packets in a slot"),
      {"parameters", "parameters", "", Shape::texts, "names that stay symbols"},
      text("d00", "D00", "of one source: from OFF to OFF"),
      text("d01", "D01", "from OFF to ON"),
      text("d10", "D10", "from ON to OFF"),
      text("d11", "D11", "from ON to ON"),
      text("alpha", "alpha", "probability that a source which is OFF comes ON"),
      text("beta", "beta", "probability that a source which is ON goes OFF"),
      text("trace", "T(z)", "of the matrix"),
      text("determinant", "Delta(z)", "of the matrix")};
  return layout;
}

Document document(const std::vector<PgfPoint>& points) {
  return document_of_points(points, "Generating functions as formulas");
}

Document document(const std::vector<OnOffPgfPoint>& points) {
  return document_of_points(points, "One source that sends in bursts, as formulas");
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
          "# one source, its packets scattered one by one (--destination per-packet): rows and columns OFF, "
          "ON;\n"
          "# D01 = alpha, beta = 1 - D11 at z = 1\n"
          "# eigenvalues of all inputs together: lambda1(z)^(inputs - k)*lambda2(z)^k, k = 0 .. inputs\n"
          "# poles of the queue: z = lambda1(z)^(inputs - k)*lambda2(z)^k\n";
    text += print(point.formula, point.language);
  }
  return text;
}

}  // namespace tailbound::render
