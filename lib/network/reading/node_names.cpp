#include <tailbound/core/error.hpp>
#include <tailbound/network/reading/file_text.hpp>
#include <tailbound/network/reading/node_names.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::int64_t largest = 1'000'000'000'000'000;
constexpr std::size_t max_digits = 15, max_text = 1000, max_ranges = 8, longest_name = 200;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// The parts of a list, without surrounding blanks.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

/// A whole number without sign, of at most 15 digits.
std::int64_t whole(std::string_view text, const char* what, std::string_view all, const char* legal) {
  text = trimmed(text);
  if (text.empty() || text.size() > max_digits || !std::all_of(text.begin(), text.end(), is_digit))
    throw InvalidArgument(what, in_quotes(all), legal);
  std::int64_t value = 0;
  for (const char c : text) value = 10 * value + (c - '0');
  return value;
}

/// "edge[0..3]_[0..1]", split into parts.
struct NameRanges {
  struct Range {
    std::int64_t first, last;
  };
  std::vector<std::string> between;  ///< one more than ranges
  std::vector<Range> ranges;
};

constexpr const char* names_legal =
    "a list of names with ranges in brackets, such as \"h[0..7], edge[0..3]_[0..1]\"";

NameRanges parse_name(std::string_view name) {
  if (name.size() > longest_name)
    throw InvalidArgument("the list of names", in_quotes(name), "of at most 200 bytes each");
  NameRanges parsed;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = name.find('[', at);
    parsed.between.emplace_back(name.substr(at, open == std::string_view::npos ? open : open - at));
    if (parsed.between.back().find(']') != std::string::npos)
      throw InvalidArgument("the list of names", in_quotes(name), names_legal);
    if (open == std::string_view::npos) break;
    const std::size_t close = name.find(']', open);
    if (close == std::string_view::npos)
      throw InvalidArgument("the list of names", in_quotes(name), names_legal);
    const std::string_view inside = name.substr(open + 1, close - open - 1);
    const std::size_t dots = inside.find("..");
    if (dots == std::string_view::npos)
      throw InvalidArgument("the list of names", in_quotes(name), names_legal);
    parsed.ranges.push_back({whole(inside.substr(0, dots), "the list of names", name, names_legal),
                             whole(inside.substr(dots + 2), "the list of names", name, names_legal)});
    if (parsed.ranges.back().first > parsed.ranges.back().last)
      throw InvalidArgument("the list of names", in_quotes(name), "with ascending ranges");
    if (parsed.ranges.size() > max_ranges)
      throw InvalidArgument("the list of names", in_quotes(name), "with at most 8 ranges");
    at = close + 1;
  }
  return parsed;
}

/// Number of names; more than `maximum` count as `maximum` + 1.
std::size_t count(const NameRanges& name, std::size_t maximum) {
  std::size_t names = 1;
  for (const auto& [first, last] : name.ranges) {
    const auto size = static_cast<std::size_t>(last - first) + 1;
    if (size > maximum || names * size > maximum) return maximum + 1;
    names *= size;
  }
  return names;
}

void append_names(std::vector<std::string>& names, const NameRanges& name) {
  std::vector<std::int64_t> values;
  for (const auto& range : name.ranges) values.push_back(range.first);
  while (true) {
    std::string text = name.between.front();
    for (std::size_t i = 0; i < values.size(); ++i) text += std::to_string(values[i]) + name.between[i + 1];
    names.push_back(std::move(text));
    std::size_t next = values.size();
    while (next > 0 && values[next - 1] == name.ranges[next - 1].last) {
      values[next - 1] = name.ranges[next - 1].first;
      --next;
    }
    if (next == 0) return;
    ++values[next - 1];
  }
}

}  // namespace

std::vector<std::string> expand_names(std::string_view text, std::size_t maximum) {
  std::vector<std::string> names;
  for (const std::string_view part : split(text)) {
    if (part.empty()) throw InvalidArgument("the list of names", in_quotes(text), names_legal);
    const NameRanges name = parse_name(part);
    if (count(name, maximum) > maximum - names.size())
      throw InvalidArgument("the list of names", in_quotes(part),
                            "at most " + std::to_string(maximum) + " in all");
    append_names(names, name);
  }
  return names;
}

/// Recursive descent; texts are short, so the depth is limited.
class FormulaReader {
 public:
  FormulaReader(WholeFormula& formula, std::span<const std::string> variables)
      : formula_(formula), text_(formula.text_), variables_(variables) {}

  void read() {
    if (text_.size() > max_text)
      throw InvalidArgument("the formula", in_quotes(text_), "of at most 1000 characters");
    sum();
    if (peek() != '\0') fail();
  }

 private:
  using Kind = WholeFormula::Step::Kind;

  void sum() {
    product();
    while (peek() == '+' || peek() == '-') {
      const Kind kind = text_[at_++] == '+' ? Kind::plus : Kind::minus;
      product();
      formula_.steps_.push_back({kind});
    }
  }
  void product() {
    factor();
    while (peek() == '*' || peek() == '/' || peek() == '%') {
      const char c = text_[at_++];
      factor();
      formula_.steps_.push_back({c == '*' ? Kind::times : c == '/' ? Kind::over : Kind::modulo});
    }
  }
  void factor() {
    const char c = peek();
    if (c == '-') {
      ++at_;
      factor();
      formula_.steps_.push_back({Kind::negative});
    } else if (c == '(') {
      ++at_;
      sum();
      if (peek() != ')') fail();
      ++at_;
    } else if (is_digit(c)) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      formula_.steps_.push_back(
          {Kind::number, whole(text_.substr(begin, at_ - begin), "the formula", text_, legal)});
    } else {
      variable();
    }
  }
  void variable() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    const auto found = std::find(variables_.begin(), variables_.end(), text_.substr(begin, at_ - begin));
    if (begin == at_ || found == variables_.end()) fail();
    formula_.steps_.push_back({Kind::variable, found - variables_.begin()});
  }
  [[nodiscard]] char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  [[noreturn]] void fail() const { throw InvalidArgument("the formula", in_quotes(text_), legal); }

  static constexpr const char* legal =
      "of whole numbers, variables of the ranges, + - * / % and brackets, such as (i+1)%8";
  WholeFormula& formula_;
  std::string_view text_;
  std::span<const std::string> variables_;
  std::size_t at_ = 0;
};

WholeFormula::WholeFormula(std::string_view text, std::span<const std::string> variables) : text_(text) {
  FormulaReader(*this, variables).read();
}

std::int64_t WholeFormula::of(std::span<const std::int64_t> values) const {
  using Kind = Step::Kind;
  // A formula of n characters leaves at most n / 2 + 1 numbers on the stack.
  std::array<std::int64_t, max_text / 2 + 2> stack;
  std::size_t size = 0;
  for (const Step& step : steps_) {
    if (step.kind == Kind::number || step.kind == Kind::variable) {
      stack[size++] = step.kind == Kind::number ? step.number : values[static_cast<std::size_t>(step.number)];
      continue;
    }
    if (step.kind == Kind::negative) {
      stack[size - 1] = -stack[size - 1];
      continue;
    }
    const std::int64_t right = stack[--size];
    std::int64_t& left = stack[size - 1];
    if ((step.kind == Kind::over || step.kind == Kind::modulo) && right < 1)
      throw InvalidArgument("the formula", in_quotes(text_), "without a division by 0 or less");
    bool fits = true;
    switch (step.kind) {
      case Kind::plus:
        left += right;
        break;
      case Kind::minus:
        left -= right;
        break;
      case Kind::times:
        fits = !__builtin_mul_overflow(left, right, &left);
        break;
      case Kind::over:
        left = left / right - (left % right < 0 ? 1 : 0);
        break;
      default:
        left = (left % right + right) % right;
    }
    if (!fits || left > largest || left < -largest)
      throw InvalidArgument("the formula", in_quotes(text_), "of numbers up to 10^15");
  }
  return stack[0];
}

NamePattern::NamePattern(std::string_view text, std::span<const std::string> variables) {
  const auto fail = [&] {
    throw InvalidArgument("the pattern", in_quotes(text), "a name with formulas in brackets, such as s[i/4]");
  };
  if (text.size() > longest_name) fail();
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find('[', at);
    between_.emplace_back(text.substr(at, open == std::string_view::npos ? open : open - at));
    if (between_.back().find(']') != std::string::npos) fail();
    if (open == std::string_view::npos) return;
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) fail();
    formulas_.emplace_back(text.substr(open + 1, close - open - 1), variables);
    at = close + 1;
  }
}

std::string NamePattern::of(std::span<const std::int64_t> values) const {
  std::string name = between_.front();
  for (std::size_t i = 0; i < formulas_.size(); ++i)
    name += std::to_string(formulas_[i].of(values)) + between_[i + 1];
  return name;
}

Ranges::Ranges(std::string_view text) {
  const auto fail = [&](const char* legal) {
    throw InvalidArgument("the list of ranges", in_quotes(text), legal);
  };
  constexpr const char* form = "ranges of variables such as \"i = 0..7, j = i+1..7\"";
  if (text.size() > max_text) fail("of at most 1000 characters");
  for (const std::string_view part : split(text)) {
    const std::size_t equals = part.find('='), dots = part.find("..");
    if (equals == std::string_view::npos || dots == std::string_view::npos || dots < equals) fail(form);
    const std::string_view variable = trimmed(part.substr(0, equals));
    if (variable.empty() || !std::all_of(variable.begin(), variable.end(), is_letter)) fail(form);
    if (std::find(variables_.begin(), variables_.end(), variable) != variables_.end())
      fail("without repeated variables");
    if (variables_.size() == max_ranges) fail("at most 8");
    bounds_.emplace_back(trimmed(part.substr(equals + 1, dots - equals - 1)), variables_);
    bounds_.emplace_back(trimmed(part.substr(dots + 2)), variables_);
    variables_.emplace_back(variable);
  }
}

void Ranges::too_many(std::size_t maximum) {
  throw InvalidArgument("the list of ranges", "too many",
                        "of at most " + std::to_string(maximum) + " steps in all");
}

}  // namespace tailbound::network
