#include <tailbound/core/suggest.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tailbound {
namespace {

/// Number of letters omitted, added, changed, or swapped with a neighbour (optimal string alignment
/// distance).
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> minimum(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        minimum[i][j] = i + j;
        continue;
      }
      minimum[i][j] = std::min({minimum[i - 1][j] + 1, minimum[i][j - 1] + 1,
                                minimum[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        minimum[i][j] = std::min(minimum[i][j], minimum[i - 2][j - 2] + 1);
    }
  }
  return minimum[from.size()][to.size()];
}

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

/// Whether the last words of one are the other: "bidirectional-torus" and "torus".
bool same_ending(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return a.size() > b.size() && a.ends_with(b) && a[a.size() - b.size() - 1] == '-';
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view given, const std::vector<std::string>& names) {
  const std::size_t letters = without_dashes(given).size();
  constexpr std::size_t longest = 64;  // longest name considered
  constexpr std::size_t farthest = 2, maximum = 3;
  if (letters == 0 || given.size() > longest) return {};
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (name.rfind(given, 0) == 0) found.push_back(name);
  for (std::size_t away = 1; found.empty() && away <= farthest && 2 * away <= letters; ++away) {
    for (const std::string& name : names)
      if (distance(given, name) == away) found.push_back(name);
    if (away > 1 || !found.empty()) continue;
    for (const std::string& name : names)
      if (same_ending(without_dashes(given), without_dashes(name))) found.push_back(name);
    if (found.size() > 1) found.clear();  // "cycles" of many counts
  }
  if (found.size() > maximum) found.clear();
  return found;
}

std::string did_you_mean(std::string_view given, const std::vector<std::string>& names) {
  const std::vector<std::string> found = nearest_names(given, names);
  if (found.empty()) return {};
  std::string text = "; did you mean " + found.front();
  for (std::size_t i = 1; i < found.size(); ++i) text += " or " + found[i];
  return text + "?";
}

}  // namespace tailbound
