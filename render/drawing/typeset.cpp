#include <fmt/format.h>
#include <tailbound/render/drawing/typeset.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace tailbound::render {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}

bool of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// A number with an exponent: its parts and where it ends.
struct Scientific {
  std::string mantissa, exponent{};
  std::size_t end = 0;
};

/// At this position, if no word is in progress.
std::optional<Scientific> scientific_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && digit(text[end])) ++end;
  if (end == at) return std::nullopt;
  if (end + 1 < text.size() && text[end] == '.' && digit(text[end + 1]))
    for (++end; end < text.size() && digit(text[end]);) ++end;
  Scientific found{.mantissa = std::string(text.substr(at, end - at))};
  if (end >= text.size() || (text[end] != 'e' && text[end] != 'E')) return std::nullopt;
  ++end;
  if (end < text.size() && (text[end] == '-' || text[end] == '+')) {
    if (text[end] == '-') found.exponent = "\u2212";
    ++end;
  }
  const std::size_t digits = end;
  while (end < text.size() && digit(text[end])) ++end;
  if (end == digits || (end < text.size() && of_word(text[end]))) return std::nullopt;
  if (end + 1 < text.size() && text[end] == '.' && of_word(text[end + 1])) return std::nullopt;
  std::size_t first = digits;
  while (first + 1 < end && text[first] == '0') ++first;
  found.exponent += text.substr(first, end - first);
  found.end = end;
  return found;
}

/// Not within a word, a file name or a path.
bool begins_number(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  if (before == '-')
    return at == 1 || std::string_view(" ([=,;").find(text[at - 2]) != std::string_view::npos;
  return !of_word(before) && before != '.' && before != '/';
}

struct Sign {
  std::string_view written, set;
};
constexpr std::array<Sign, 4> signs{{{"<=", "\u2264"}, {">=", "\u2265"}, {"+-", "\u00b1"}, {"!=", "\u2260"}}};

thread_local const AsWritten* as_written = nullptr;

/// Widths of Helvetica's characters from space to tilde, in thousandths of their size.
constexpr std::array<int, 95> widths{
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

constexpr double raised_size = 0.75, raised_by = 0.38;  // of the letters
constexpr double fonts_differ = 1.06;                   // substitutes for Helvetica are slightly wider

double run_width(std::string_view text, double size) {
  double sum = 0;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80)
      sum += code >= 32 && code < 127 ? widths[code - 32U] : 0;
    else if (code >= 0xe3)
      sum += 1000;  // East Asian characters and beyond
    else if (code >= 0xc0)
      sum += 600;  // the first byte of a character
  }
  return sum * size / 1000 * fonts_differ;
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  return result;
}

std::vector<TextRun> typeset(std::string_view text) {
  std::vector<TextRun> runs;
  std::string plain;
  const auto close = [&] {
    if (!plain.empty()) runs.push_back({.text = std::move(plain)});
    plain.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t length = AsWritten::length_at(text, at); length > 0) {
      plain += text.substr(at, length);
      at += length;
      continue;
    }
    const char before = at == 0 ? ' ' : text[at - 1];
    if (text[at] == '`') {
      if (const std::size_t end = text.find('`', at + 1); end != std::string_view::npos && end > at + 1) {
        close();
        runs.push_back(
            {.text = std::string(text.substr(at + 1, end - at - 1)), .style = TextRun::Style::code});
        at = end + 1;
        continue;
      }
    }
    if (digit(text[at]) && begins_number(text, at)) {
      if (const auto number = scientific_at(text, at)) {
        const bool power = number->mantissa.find_first_not_of("10.") == std::string::npos &&
                           number->mantissa.front() == '1' &&
                           std::count(number->mantissa.begin(), number->mantissa.end(), '1') == 1 &&
                           (number->mantissa.size() == 1 || number->mantissa[1] == '.');
        plain += power ? "10" : number->mantissa + "\u00a0\u00d7\u00a010";
        close();
        runs.push_back({.text = number->exponent, .style = TextRun::Style::raised});
        at = number->end;
        continue;
      }
    }
    const auto sign = std::find_if(signs.begin(), signs.end(), [&](const Sign& each) {
      return text.substr(at, each.written.size()) == each.written;
    });
    if (sign != signs.end()) {
      plain += sign->set;
      at += sign->written.size();
      continue;
    }
    if (text[at] == '-' && at + 1 < text.size() && digit(text[at + 1]) &&
        std::string_view(" ([=,;").find(before) != std::string_view::npos) {
      plain += "\u2212";
      ++at;
      continue;
    }
    if (text.substr(at, 3) == " x " && digit(before) && at + 3 < text.size() && digit(text[at + 3])) {
      plain += "\u00a0\u00d7\u00a0";
      at += 3;
      continue;
    }
    plain += text[at++];
  }
  close();
  return runs;
}

bool is_changed_by_typesetting(std::string_view text) {
  const std::vector<TextRun> runs = typeset(text);
  return runs.size() > 1 ||
         (runs.size() == 1 && (runs[0].text != text || runs[0].style != TextRun::Style::plain));
}

AsWritten::AsWritten(const std::vector<std::string>& names)
    : outer_(as_written), names_(names.begin(), names.end()) {
  names_.erase("");
  for (const std::string& name : names_) lengths_.insert(name.size());
  as_written = this;
}

AsWritten::~AsWritten() {
  as_written = outer_;
}

std::size_t AsWritten::length_at(std::string_view text, std::size_t at) {
  if (as_written == nullptr || (at > 0 && of_word(text[at - 1]))) return 0;
  for (const std::size_t length : as_written->lengths_) {
    if (at + length > text.size() || (at + length < text.size() && of_word(text[at + length]))) continue;
    if (as_written->names_.contains(text.substr(at, length))) return length;
  }
  return 0;
}

std::string typeset_html(std::string_view text) {
  std::string result;
  for (const TextRun& run : typeset(text)) {
    const std::string escaped = html_escaped(run.text);
    if (run.style == TextRun::Style::raised)
      result += "<sup>" + escaped + "</sup>";
    else if (run.style == TextRun::Style::code)
      result += "<code>" + escaped + "</code>";
    else
      result += escaped;
  }
  return result;
}

std::string typeset_svg(std::string_view text, double size) {
  std::string result;
  double lifted = 0;
  for (const TextRun& run : typeset(text)) {
    const bool raised = run.style == TextRun::Style::raised;
    const double lift = raised ? raised_by * size : 0;
    const std::string escaped = html_escaped(run.text);
    if (lift == lifted)
      result += escaped;
    else
      result += fmt::format("<tspan dy=\"{:.2g}\"{}>{}</tspan>", lifted - lift,
                            raised ? fmt::format(" font-size=\"{:.3g}\"", raised_size * size) : "", escaped);
    lifted = lift;
  }
  return result;
}

double typeset_width(std::string_view text, double size) {
  double sum = 0;
  for (const TextRun& run : typeset(text))
    sum += run_width(run.text, run.style == TextRun::Style::raised ? raised_size * size : size);
  return sum;
}

std::vector<std::string> typeset_lines(std::string_view text, double size, double maximum) {
  std::vector<std::string> lines;
  std::string line;
  const auto add = [&](std::string_view word) {
    if (word.empty()) return;
    std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (!line.empty() && typeset_width(longer, size) > maximum) {
      lines.push_back(std::move(line));
      line = word;
    } else {
      line = std::move(longer);
    }
  };
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n\t", from), text.size());
    add(text.substr(from, end - from));
    from = end + 1;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace tailbound::render
