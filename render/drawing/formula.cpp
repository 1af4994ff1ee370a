#include <tailbound/render/drawing/formula.hpp>
#include <tailbound/render/drawing/typeset.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace tailbound::render {
namespace {

constexpr std::size_t longest = 3000;
constexpr int deepest_brackets = 60;

struct NoFormula {};

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> greek{{{"alpha", "\u03b1"},
                                                                               {"beta", "\u03b2"},
                                                                               {"gamma", "\u03b3"},
                                                                               {"delta", "\u03b4"},
                                                                               {"Delta", "\u0394"},
                                                                               {"lambda", "\u03bb"},
                                                                               {"mu", "\u03bc"},
                                                                               {"nu", "\u03bd"},
                                                                               {"phi", "\u03c6"},
                                                                               {"rho", "\u03c1"},
                                                                               {"sigma", "\u03c3"},
                                                                               {"tau", "\u03c4"}}};

/// A part of a formula: its MathML and precedence.
struct Part {
  enum class Kind { atom, number, power, product, sum } kind = Kind::atom;
  std::string mathml;
};

std::string row(const std::string& content) {
  return "<mrow>" + content + "</mrow>";
}

std::string bracketed(const Part& part) {
  return "<mrow><mo>(</mo>" + part.mathml + "<mo>)</mo></mrow>";
}

std::string within_product(const Part& part) {
  return part.kind == Part::Kind::sum ? bracketed(part) : part.mathml;
}

std::string identifier(const std::string& name) {
  const std::size_t bar = name.find('_');
  if (bar != std::string::npos && bar > 0 && bar + 1 < name.size())
    return "<msub>" + identifier(name.substr(0, bar)) + "<mi>" + html_escaped(name.substr(bar + 1)) +
           "</mi></msub>";
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits != std::string::npos && digits > 0 &&
      name.find_first_not_of("0123456789", digits) == std::string::npos)
    return "<msub>" + identifier(name.substr(0, digits)) + "<mn>" + name.substr(digits) + "</mn></msub>";
  const auto letter =
      std::find_if(greek.begin(), greek.end(), [&](const auto& each) { return each.first == name; });
  return "<mi>" + (letter != greek.end() ? std::string(letter->second) : html_escaped(name)) + "</mi>";
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Part whole() {
    Part part = sum();
    if (peek() != '\0') throw NoFormula{};
    return part;
  }

 private:
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  Part sum() {
    std::string mathml;
    int terms = 0;
    Part part;
    for (;; ++terms) {
      const bool minus = take('-');
      const bool plus = !minus && take('+');
      if (terms > 0 && !minus && !plus) break;
      part = product();
      if (minus) mathml += "<mo>\u2212</mo>";
      if (plus && terms > 0) mathml += "<mo>+</mo>";
      mathml += within_product(part);
      if (terms == 0 && !minus && peek() != '+' && peek() != '-') return part;
    }
    return {Part::Kind::sum, row(mathml)};
  }

  Part product() {
    std::vector<Part> above, below;
    above.push_back(power());
    for (;;) {
      if (take('*'))
        above.push_back(power());
      else if (take('/'))
        below.push_back(power());
      else
        break;
    }
    if (below.empty() && above.size() == 1) return above.front();
    if (below.empty()) return {Part::Kind::product, row(times(above))};
    // A factor 1 is dropped.
    if (above.size() > 1 && above.front().mathml == "<mn>1</mn>") above.erase(above.begin());
    const auto side = [](const std::vector<Part>& parts) {
      return parts.size() == 1 ? parts.front().mathml : row(times(parts));
    };
    return {Part::Kind::product, "<mfrac>" + side(above) + side(below) + "</mfrac>"};
  }

  static std::string times(const std::vector<Part>& parts) {
    std::string mathml;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) mathml += parts[i].kind == Part::Kind::number ? "<mo>\u22c5</mo>" : "<mo>\u2062</mo>";
      mathml += within_product(parts[i]);
    }
    return mathml;
  }

  Part power() {
    Part base = atom();
    if (!take('^')) return base;
    const bool minus = take('-');
    const Part exponent = power();
    const bool loose = base.kind != Part::Kind::atom && base.kind != Part::Kind::number;
    return {Part::Kind::power, "<msup>" + (loose ? bracketed(base) : base.mathml) +
                                   (minus ? row("<mo>\u2212</mo>" + exponent.mathml) : exponent.mathml) +
                                   "</msup>"};
  }

  Part atom() {
    if (++depth_ > deepest_brackets) throw NoFormula{};
    struct Rises {
      int& depth;
      ~Rises() { --depth; }
    } rises{depth_};
    const char c = peek();
    if (take('(')) {
      Part inner = sum();
      if (!take(')')) throw NoFormula{};
      return inner;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      const std::size_t from = at_;
      while (at_ < text_.size() &&
             (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.'))
        ++at_;
      return {Part::Kind::number, "<mn>" + std::string(text_.substr(from, at_ - from)) + "</mn>"};
    }
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) throw NoFormula{};
    const std::size_t from = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string name(text_.substr(from, at_ - from));
    if (at_ >= text_.size() || text_[at_] != '(') return {Part::Kind::atom, identifier(name)};
    ++at_;
    std::string arguments;
    do arguments += (arguments.empty() ? "" : "<mo>,</mo>") + sum().mathml;
    while (take(','));
    if (!take(')')) throw NoFormula{};
    if (name == "exp") return {Part::Kind::power, "<msup><mi>e</mi>" + row(arguments) + "</msup>"};
    if (name == "sqrt") return {Part::Kind::atom, "<msqrt>" + arguments + "</msqrt>"};
    return {Part::Kind::atom, row(identifier(name) + "<mo>\u2061</mo><mo>(</mo>" + arguments + "<mo>)</mo>")};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// "E[Q]", "P(Q=0)", "Q(z)": a name with parenthesized letters.
std::string left_side(std::string_view text) {
  std::string mathml;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    std::size_t end = i;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end > i) {
      mathml += identifier(std::string(text.substr(i, end - i)));
      i = end;
    } else if (std::isdigit(c) != 0) {
      mathml += "<mn>" + std::string(1, text[i++]) + "</mn>";
    } else if (std::string_view("()[]=,").find(text[i]) != std::string_view::npos) {
      mathml += "<mo>" + std::string(1, text[i++]) + "</mo>";
    } else if (c == ' ') {
      ++i;
    } else {
      throw NoFormula{};
    }
  }
  return mathml;
}

}  // namespace

std::optional<std::string> mathml(std::string_view text) {
  if (text.size() > longest) return std::nullopt;
  try {
    const std::size_t equals = text.find(" = ");
    const bool named = equals != std::string_view::npos;
    const std::string right = Reader(named ? text.substr(equals + 3) : text).whole().mathml;
    return "<math display=\"block\"><mrow>" +
           (named ? left_side(text.substr(0, equals)) + "<mo>=</mo>" : "") + right + "</mrow></math>";
  } catch (const NoFormula&) {
    return std::nullopt;
  }
}

}  // namespace tailbound::render
