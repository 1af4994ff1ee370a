#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Lists of values with weights, as users type them and keep them in files: "64:7,594:4"; a pair per line.
///
/// TESTS     tests/numeric/weighted_list_test.cpp
namespace tailbound::numeric {

struct WeightedText {
  std::string_view value, weight;
};

/// "64:7"; the weight is "1" without a colon.
[[nodiscard]] constexpr WeightedText weighted_entry(std::string_view entry) {
  const std::size_t colon = entry.find(':');
  if (colon == std::string_view::npos) return {entry, "1"};
  return {trimmed(entry.substr(0, colon)), trimmed(entry.substr(colon + 1))};
}

/// "64 7", "64, 7" or "64;7"; no weight if it is alone.
[[nodiscard]] constexpr WeightedText weighted_line(std::string_view content) {
  const std::size_t gap = content.find_first_of(" \t,;");
  if (gap == std::string_view::npos) return {content, {}};
  std::string_view weight = trimmed(content.substr(gap));
  if (!weight.empty() && (weight.front() == ',' || weight.front() == ';')) weight = trimmed(weight.substr(1));
  return {content.substr(0, gap), weight};
}

/// Calls `read` with each entry between commas, trimmed; also with empty ones.
template <class Read>
void for_each_entry(std::string_view text, Read read, char comma = ',') {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(comma, begin), text.size());
    read(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
}

/// Calls `read` with each line, trimmed, except empty ones and those that begin with #.
/// \param source  the file's name, for messages
/// \throws ParseError  with the line, where `read` throws InvalidArgument
template <class Read>
void for_each_line(std::string_view text, std::string_view source, Read read) {
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    ++line;
    if (content.empty() || content.front() == '#') continue;
    try {
      read(content, line);
    } catch (const InvalidArgument& error) {
      throw ParseError(std::string(source), line, 1, error.what());
    }
  }
}

/// By increasing value, equal ones as one; shares scaled to the sum 1.
template <class Weighted, class Value>
[[nodiscard]] std::vector<Weighted> merged(std::vector<Weighted> all, Value Weighted::*value) {
  std::sort(all.begin(), all.end(),
            [value](const Weighted& a, const Weighted& b) { return a.*value < b.*value; });
  std::vector<Weighted> once;
  Rational sum = 0;
  for (Weighted& one : all) {
    sum = sum + one.share;
    if (!once.empty() && once.back().*value == one.*value)
      once.back().share = once.back().share + one.share;
    else
      once.push_back(std::move(one));
  }
  for (Weighted& one : once) one.share = one.share / sum;
  return once;
}

}  // namespace tailbound::numeric
