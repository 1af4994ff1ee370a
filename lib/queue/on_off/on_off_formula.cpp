#include <tailbound/queue/on_off/on_off_formula.hpp>

#include <array>
#include <string>

namespace tailbound::queue {

using symbolic::Expression;
using symbolic::Language;

OnOffFormula on_off_formula(const Expression& load, const Expression& burst, const Expression& on_rate,
                            const Expression& inputs) {
  OnOffFormula formula;
  formula.stop = (1 / burst).simplified();
  formula.start = (load / (burst * (on_rate - load))).simplified();
  const Expression rate = on_rate / inputs, z = Expression::symbol("z");
  const Expression sent = 1 - rate + rate * z;
  formula.entry[0][0] = 1 - formula.start;
  formula.entry[0][1] = formula.start;
  formula.entry[1][0] = formula.stop * sent;
  formula.entry[1][1] = (1 - formula.stop) * sent;
  formula.trace = formula.entry[0][0] + formula.entry[1][1];
  formula.determinant = (1 - formula.start - formula.stop) * sent;
  return formula;
}

namespace {

/// "T(z)" as used in a formula of the language, including parameters of C functions.
std::string call(const std::string& name, const Expression& formula, Language language) {
  if (language == Language::latex) return name + "(z)";
  if (language != Language::c) return name + "(z)";
  std::string text = name + "(z";
  for (const std::string& parameter : formula.free_symbols())
    if (parameter != "z") text += ", " + symbolic::spelled(parameter, language);
  return text + ")";
}

std::string eigenvalue(const OnOffFormula& formula, int which, Language language) {
  const std::string trace = call("T", formula.trace, language),
                    determinant = call(language == Language::latex ? "\\Delta" : "Delta", formula.determinant,
                                       language);
  const char* sign = which == 1 ? "+" : "-";
  const std::string name = "lambda" + std::to_string(which);
  switch (language) {
    case Language::latex:
      return "\\lambda_" + std::to_string(which) + "(z) = \\frac{" + trace + " " + sign + " \\sqrt{" + trace +
             "^2 - 4 " + determinant + "}}{2}\n";
    case Language::maple:
      return name + " := z -> (" + trace + " " + sign + " sqrt(" + trace + "^2 - 4*" + determinant +
             "))/2;\n";
    case Language::gp:
      return name + "(z) = (" + trace + " " + sign + " sqrt(" + trace + "^2 - 4*" + determinant + "))/2;\n";
    case Language::text:
      return name + "(z) = (" + trace + " " + sign + " sqrt(" + trace + "^2 - 4*" + determinant + "))/2\n";
    case Language::c:
      break;
  }
  // The parameters of both, in the order of their names.
  std::string parameters;
  for (const std::string& parameter : (formula.trace + formula.determinant).free_symbols())
    if (parameter != "z") parameters += ", double " + symbolic::spelled(parameter, language);
  return "double " + name + "(double z" + parameters + ")\n{\n  return (" + trace + " " + sign + " sqrt(" +
         trace + "*" + trace + " - 4*" + determinant + "))/2;\n}\n";
}

}  // namespace

std::string print(const OnOffFormula& formula, Language language) {
  const bool latex = language == Language::latex;
  const std::array<std::pair<const char*, const Expression*>, 6> parts{
      {{latex ? "D_{00}" : "D00", &formula.entry[0][0]},
       {latex ? "D_{01}" : "D01", &formula.entry[0][1]},
       {latex ? "D_{10}" : "D10", &formula.entry[1][0]},
       {latex ? "D_{11}" : "D11", &formula.entry[1][1]},
       {"T", &formula.trace},
       {latex ? "\\Delta" : "Delta", &formula.determinant}}};
  std::string text;
  for (const auto& [name, expression] : parts)
    text += symbolic::print(
        symbolic::Definition{
            .name = name, .expression = *expression, .remarks = {}, .differences = {}, .taylor_at_one = {}},
        language);
  return text + eigenvalue(formula, 1, language) + eigenvalue(formula, 2, language);
}

}  // namespace tailbound::queue
