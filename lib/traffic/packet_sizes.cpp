#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tailbound::traffic {
namespace {

using numeric::Rational;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// \throws InvalidArgument
SizeClass size_class(std::string_view bytes, std::string_view weight, std::string_view argument) {
  SizeClass one{.bytes = numeric::parse_integer(bytes, argument, 1, PacketSizes::most_bytes),
                .share = numeric::parse_rational(weight, argument)};
  if (!cln::plusp(one.share))
    throw InvalidArgument(std::string(argument), std::string(weight), "a weight above 0 behind the size");
  return one;
}

void check_number(std::size_t sizes, std::string_view argument) {
  if (sizes > PacketSizes::most_sizes)
    throw InvalidArgument(std::string(argument),
                          "more than " + std::to_string(PacketSizes::most_sizes) + " sizes",
                          "at most so many");
}

}  // namespace

PacketSizes::PacketSizes(std::vector<SizeClass> weighted) {
  std::sort(weighted.begin(), weighted.end(),
            [](const SizeClass& a, const SizeClass& b) { return a.bytes < b.bytes; });
  Rational sum = 0;
  for (SizeClass& one : weighted) {
    sum = sum + one.share;
    if (!classes_.empty() && classes_.back().bytes == one.bytes)
      classes_.back().share = classes_.back().share + one.share;
    else
      classes_.push_back(std::move(one));
  }
  for (SizeClass& one : classes_) one.share = one.share / sum;
}

PacketSizes PacketSizes::imix() {
  return PacketSizes({{64, 7}, {594, 4}, {1518, 1}});
}

PacketSizes PacketSizes::of_list(std::string_view text, std::string_view argument) {
  std::vector<SizeClass> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view entry = text.substr(begin, end - begin);
    const std::size_t colon = entry.find(':');
    sizes.push_back(size_class(entry.substr(0, colon),
                               colon == std::string_view::npos ? "1" : entry.substr(colon + 1), argument));
    check_number(sizes.size(), argument);
    begin = end + 1;
  }
  return PacketSizes(std::move(sizes));
}

PacketSizes PacketSizes::of_file(std::string_view text, std::string_view source) {
  std::vector<SizeClass> sizes;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    ++line;
    if (content.empty() || content.front() == '#') continue;
    const std::size_t gap = content.find_first_of(" \t,");
    std::string_view weight = gap == std::string_view::npos ? "" : trimmed(content.substr(gap));
    if (!weight.empty() && weight.front() == ',') weight = trimmed(weight.substr(1));
    if (weight.empty())
      throw ParseError(std::string(source), line, 1,
                       "a line is a size in bytes and its weight, such as 64 7");
    try {
      sizes.push_back(size_class(content.substr(0, gap), weight, "the size"));
      check_number(sizes.size(), "the file");
    } catch (const InvalidArgument& error) {
      throw ParseError(std::string(source), line, 1, error.what());
    }
  }
  if (sizes.empty()) throw ParseError(std::string(source), 0, 0, "no line with a size and its weight");
  return PacketSizes(std::move(sizes));
}

Rational PacketSizes::mean_bytes() const {
  Rational mean = 0;
  for (const SizeClass& one : classes_) mean = mean + one.share * numeric::whole(one.bytes);
  return mean;
}

CellCounts PacketSizes::cells(std::int64_t cell_bytes) const {
  if (cell_bytes < 1 || cell_bytes > most_bytes)
    throw InvalidArgument("cell bytes", std::to_string(cell_bytes),
                          "from 1 to " + std::to_string(most_bytes));
  CellCounts counts{.classes = {}, .mean = 0, .mean_square = 0};
  for (const SizeClass& one : classes_) {
    const std::int64_t cells = cells_of(one.bytes, cell_bytes);
    if (!counts.classes.empty() && counts.classes.back().cells == cells)
      counts.classes.back().share = counts.classes.back().share + one.share;
    else
      counts.classes.push_back({cells, one.share});
    counts.mean = counts.mean + one.share * numeric::whole(cells);
    counts.mean_square = counts.mean_square + one.share * numeric::whole(cells * cells);
  }
  return counts;
}

}  // namespace tailbound::traffic
