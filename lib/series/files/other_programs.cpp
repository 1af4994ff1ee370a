#include <tailbound/core/trimmed.hpp>
#include <tailbound/series/files/other_programs.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <vector>

namespace tailbound::series {
namespace {

constexpr std::size_t longest_text = std::size_t{64} << 20U;

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}
bool is_white(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}
bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void clear(std::string& text, std::size_t at, std::size_t count) {
  for (std::size_t i = at; i < std::min(at + count, text.size()); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Offsets of the line starts.
std::vector<std::size_t> lines_of(std::string_view text) {
  std::vector<std::size_t> begins{0};
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string_view::npos;) begins.push_back(++at);
  return begins;
}

std::string_view line_at(std::string_view text, std::size_t begin) {
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// Inserts commas between numbers separated only by blanks, at a blank on the line of the second one.
void put_commas(std::string& text, std::size_t from, std::size_t to) {
  const auto ends_number = [](char c) { return is_decimal(c) || c == '.'; };
  const auto begins_number = [](char c) { return is_decimal(c) || c == '.' || c == '-' || c == '+'; };
  for (std::size_t i = from; i < to; ++i) {
    if (!ends_number(text[i])) continue;
    std::size_t next = i + 1;
    while (next < to && is_white(text[next])) ++next;
    if (next == i + 1 || next >= to || !begins_number(text[next]) || text[next - 1] == '\n') continue;
    text[next - 1] = ',';
  }
}

/// {1.5*^-3, 2.`15.*^-4}
bool from_mathematica(std::string& text) {
  if (!holds(text, "*^") && !(trimmed(text).starts_with("{") && !holds(text, "\"") && holds(text, "}")))
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') text[i] = '[';
    if (text[i] == '}') text[i] = ']';
    if (text[i] == '`') {  // its precision
      std::size_t end = i + 1;
      while (end < text.size() && (text[end] == '`' || is_decimal(text[end]) || text[end] == '.')) ++end;
      clear(text, i, end - i);
    }
  }
  for (std::size_t at = 0; (at = text.find("*^", at)) != std::string::npos; ++at) {
    text[at] = ' ';
    text[at + 1] = 'E';
  }
  return true;
}

/// np.float64(0.1), array([..]), dtype, rows without commas.
bool from_numpy(std::string& text) {
  bool found = false;
  for (const std::string_view name : {"np.float64(", "numpy.float64(", "np.array(", "numpy.array(", "array("})
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      if (at > 0 && is_part_of_name(text[at - 1])) {
        ++at;
        continue;
      }
      clear(text, at, name.size());
      found = true;
    }
  if (found) {
    if (const std::size_t kind = text.find("dtype="); kind != std::string::npos) {
      std::size_t begin = kind;
      while (begin > 0 && (is_white(text[begin - 1]) || text[begin - 1] == ',')) --begin;
      clear(text, begin, std::min(text.find_first_of(")\n", kind), text.size()) - begin);
    }
    std::replace(text.begin(), text.end(), ')', ' ');
  }
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open ||
      text.find('[', open + 1) < text.size())
    return found;
  const std::string_view inside = std::string_view(text).substr(open, close - open);
  if (holds(inside, ",") || trimmed(inside.substr(1)).find_first_of(" \n") == std::string_view::npos)
    return found;
  put_commas(text, open, close);
  return true;
}

/// The end of a bracket that opens at `open`, quotes skipped; npos if there is none.
std::size_t closing(std::string_view text, std::size_t open) {
  char quote = 0;
  for (std::size_t i = open + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '\'' || text[i] == '"') {
      quote = text[i];
    } else if (text[i] == ')') {
      return i;
    } else if (text[i] == '(') {
      return std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

/// mpf('0.1'), Decimal("0.1"), Fraction(1, 3), Rational(1, 3), mpq(1,3), Float('0.1', precision=53).
bool from_python(std::string& text) {
  constexpr std::string_view fractions[] = {"Fraction", "Rational", "mpq"};
  constexpr std::string_view numbers[] = {"mpf", "mpfr", "mpz", "Decimal", "Float", "Integer", "longdouble"};
  const auto among = [](const auto& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  bool found = false;
  for (std::size_t open = 0; (open = text.find('(', open)) != std::string::npos; ++open) {
    std::size_t begin = open;
    while (begin > 0 && (is_part_of_name(text[begin - 1]) || text[begin - 1] == '.')) --begin;
    std::string_view name = std::string_view(text).substr(begin, open - begin);
    name.remove_prefix(name.rfind('.') == std::string_view::npos ? 0 : name.rfind('.') + 1);
    const bool fraction = among(fractions, name);
    const std::size_t close = closing(text, open);
    if ((!fraction && !among(numbers, name)) || close == std::string_view::npos) continue;
    const std::size_t comma = std::min(text.find(',', open), close);
    clear(text, begin, open + 1 - begin);
    if (fraction && comma < close)
      text[comma] = '/';
    else
      clear(text, comma, close - comma);
    clear(text, close, 1);
    for (std::size_t i = open; i < close; ++i)
      if (text[i] == '\'' || text[i] == '"') text[i] = ' ';
    found = true;
  }
  return found;
}

/// An exponent letter after a digit or point and before its digits: 1.5D-03, 1.5b-3.
bool from_letter(std::string& text, char upper, char lower) {
  bool found = false;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if ((text[i] != upper && text[i] != lower) || !(is_decimal(text[i - 1]) || text[i - 1] == '.')) continue;
    std::size_t start = i;
    while (start > 0 && (is_decimal(text[start - 1]) || text[start - 1] == '.')) --start;
    const bool of_a_name = start > 0 && (is_part_of_name(text[start - 1]));
    const bool sign = text[i + 1] == '-' || text[i + 1] == '+';
    const std::size_t digit = i + 1 + (sign ? 1 : 0);
    if (of_a_name || digit >= text.size() || !is_decimal(text[digit])) continue;
    text[i] = 'e';
    found = true;
  }
  return found;
}

/// "3-element Vector{Float64}:" above a column, Rational{Int64}[1//3, ..], 1//3, 1.5f-3.
bool from_julia(std::string& text) {
  bool found = false;
  for (std::size_t at = 0; (at = text.find("//", at)) != std::string::npos; ++at)
    if (at > 0 && is_decimal(text[at - 1]) && at + 2 < text.size() && is_decimal(text[at + 2])) {
      text[at + 1] = ' ';
      found = true;
    }
  for (const std::size_t begin : lines_of(text)) {
    const std::string_view line = line_at(text, begin), content = trimmed(line);
    const std::size_t dash = content.find("-element ");
    if (dash == std::string_view::npos || dash == 0 || content.back() != ':' ||
        !std::all_of(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(dash), is_decimal))
      continue;
    clear(text, begin, line.size());
    found = true;
  }
  if (const std::size_t open = text.find("{"), close = text.find("}["), quote = text.find('"');
      open != std::string::npos && close != std::string::npos && open < close && quote == std::string::npos) {
    std::size_t begin = open;
    while (begin > 0 && is_part_of_name(text[begin - 1])) --begin;
    clear(text, begin, close + 1 - begin);
    found = true;
  }
  const bool floats = from_letter(text, 'f', 'f');
  return found || floats;
}

/// " [1] 0.1 0.2", a tag before each line with numbers.
bool from_r(std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> tags;
  for (const std::size_t begin : lines_of(text)) {
    const std::string_view line = line_at(text, begin);
    if (trimmed(line).empty()) continue;
    std::size_t at = 0;
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    const std::size_t open = at;
    if (at >= line.size() || line[at] != '[') return false;
    while (++at < line.size() && is_decimal(line[at])) {
    }
    if (at == open + 1 || at >= line.size() || line[at] != ']' || at + 1 >= line.size() ||
        !is_white(line[at + 1]))
      return false;
    tags.emplace_back(begin + open, at + 1 - open);
  }
  if (tags.empty()) return false;
  for (const auto& [at, count] : tags) clear(text, at, count);
  put_commas(text, 0, text.size());
  return true;
}

/// {"p": [..]}
bool from_json(std::string& text) {
  const std::string_view whole = trimmed(text);
  if (whole.size() < 2 || whole.front() != '{' || whole.back() != '}' || !holds(whole, "\"")) return false;
  text[text.find('{')] = ' ';
  text[text.rfind('}')] = ' ';
  return true;
}

/// q[0] := .2; one per line.
bool from_assignments(std::string& text) {
  struct Found {
    std::size_t name, open, close, sign, end;
  };
  std::vector<Found> all;
  for (const std::size_t begin : lines_of(text)) {
    const std::string_view line = line_at(text, begin);
    if (trimmed(line).empty()) continue;
    const std::size_t open = line.find('['), close = line.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) return false;
    const std::string_view name = trimmed(line.substr(0, open)),
                           index = line.substr(open + 1, close - open - 1);
    const std::size_t sign = line.find('=', close);
    if (sign == std::string_view::npos) return false;
    const std::string_view colon = trimmed(line.substr(close + 1, sign - close - 1));
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_part_of_name) ||
        !std::all_of(index.begin(), index.end(), is_decimal) || !(colon.empty() || colon == ":"))
      return false;
    all.push_back({begin, begin + open, begin + close, begin + sign, begin + line.size()});
  }
  if (all.empty()) return false;
  for (const Found& one : all) {
    clear(text, one.name, one.open + 1 - one.name);
    clear(text, one.close, one.sign + 1 - one.close);
    for (std::size_t i = one.sign; i < one.end; ++i)
      if (text[i] == ';') text[i] = ' ';
  }
  return true;
}

/// 0.1, 1.0000e-01
bool is_printed_number(std::string_view word) {
  const std::size_t e = word.find_first_of("eE");
  const std::string_view mantissa = word.substr(0, e);
  return mantissa.find_first_not_of("+-.0123456789") == std::string_view::npos &&
         mantissa.find_first_of("0123456789") != std::string_view::npos &&
         (e == std::string_view::npos ||
          (e + 1 < word.size() && word.find_first_not_of("+-0123456789", e + 1) == std::string_view::npos));
}

/// A row vector of Octave or MATLAB: "p =", and one line with several numbers.
bool is_row_vector(std::string_view text) {
  bool named = false;
  int rows = 0;
  for (const std::size_t begin : lines_of(text)) {
    const std::string_view content = trimmed(line_at(text, begin));
    if (content.empty()) continue;
    if (!named) {
      if (content.back() != '=' || !std::all_of(content.begin(), content.end() - 1,
                                                [](char c) { return is_part_of_name(c) || is_white(c); }))
        return false;
      named = true;
      continue;
    }
    if (++rows > 1 || content.find_first_of(",;[{") != std::string_view::npos) return false;
  }
  return rows == 1;
}

/// "1.0e-03 *" on its own line: a factor of all numbers after it; "Columns 1 through 3" above each part of
/// a row.
bool from_matlab(std::string& text) {
  std::string scaled, exponent;
  bool found = is_row_vector(text);
  for (const std::size_t begin : lines_of(text)) {
    const std::string_view line = line_at(text, begin);
    const std::string_view content = trimmed(line);
    if (content.starts_with("Columns ") || content.starts_with("Column ")) {
      scaled += '\n';
      found = true;
      continue;
    }
    const std::size_t e = content.find('e');
    if (content.ends_with("*") && e != std::string_view::npos && content.starts_with("1.0")) {
      const std::string_view power = trimmed(content.substr(e + 1, content.size() - e - 2));
      if (!power.empty() && power.find_first_not_of("+-0123456789") == std::string_view::npos) {
        exponent = power;
        found = true;
        scaled += '\n';
        continue;
      }
    }
    std::size_t numbers = 0;
    for (std::size_t i = 0; i < line.size();) {
      std::size_t end = i;
      while (end < line.size() && !is_white(line[end])) ++end;
      const std::string_view word = line.substr(i, end - i);
      const bool number = is_printed_number(word);
      if (number && numbers++ > 0 && !scaled.empty() && scaled.back() == ' ') scaled.back() = ',';
      scaled += word;
      if (number && !exponent.empty()) scaled += "e" + exponent;
      i = end;
      while (i < line.size() && is_white(line[i])) scaled += line[i++];
    }
    scaled += '\n';
  }
  if (found) text = std::move(scaled);
  return found;
}

/// A column of numbers with decimal commas; not an index column, as that would increase.
bool from_decimal_commas(std::string& text) {
  std::vector<std::size_t> commas;
  std::size_t rising = 0, lines = 0;
  long before = -1;
  for (const std::size_t begin : lines_of(text)) {
    const std::string_view line = line_at(text, begin), content = trimmed(line);
    if (content.empty()) continue;
    const std::size_t comma = content.find(',');
    const std::string_view whole = content.substr(0, comma);
    if (comma == std::string_view::npos || whole.empty() || whole.size() > 9 ||
        !std::all_of(whole.begin(), whole.end(), is_decimal))
      return false;
    const std::string_view rest = content.substr(comma + 1);
    if (rest.empty() || !is_decimal(rest.front()) ||
        rest.find_first_not_of("0123456789eE+-") != std::string_view::npos)
      return false;
    const long number = std::stol(std::string(whole));
    if (number > before) ++rising;
    before = number;
    ++lines;
    commas.push_back(begin + line.find(','));
  }
  if (lines < 2 || rising == lines) return false;
  for (const std::size_t comma : commas) text[comma] = '.';
  return true;
}

}  // namespace

PlainList as_plain_list(std::string_view text) {
  PlainList list{.text = std::string(text), .format = {}};
  if (text.size() > longest_text) return list;
  const std::pair<const char*, std::function<bool(std::string&)>> formats[] = {
      {"JSON", from_json},
      {"Mathematica", from_mathematica},
      {"Python", from_python},
      {"Julia", from_julia},
      {"R", from_r},
      {"numpy", from_numpy},
      {"MATLAB", from_matlab},
      {"assignments", from_assignments},
      {"Fortran", [](std::string& its) { return from_letter(its, 'D', 'd'); }},
      {"Maxima", [](std::string& its) { return from_letter(its, 'B', 'b'); }},
      {"decimal commas", from_decimal_commas}};
  for (const auto& [name, read] : formats)
    if (read(list.text)) {
      list.format = name;
      return list;
    }
  return list;
}

}  // namespace tailbound::series
