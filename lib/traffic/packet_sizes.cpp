#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/numeric/text/quantity.hpp>
#include <tailbound/numeric/text/weighted_list.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

namespace tailbound::traffic {
namespace {

using numeric::Rational;

constexpr std::int64_t min_ethernet = 64;

/// \throws InvalidArgument
SizeClass size_class(std::string_view bytes, std::string_view weight, std::string_view argument) {
  SizeClass one{.bytes = numeric::parse_whole_quantity(bytes, argument, numeric::Measure::bytes, 1,
                                                       PacketSizes::max_bytes),
                .share = numeric::parse_share(weight, argument)};
  if (one.share <= 0)
    throw InvalidArgument(std::string(argument), std::string(weight), "a weight above 0 after the size");
  return one;
}

void check_number(std::size_t sizes, std::string_view argument) {
  if (sizes > PacketSizes::max_sizes)
    throw InvalidArgument(std::string(argument),
                          "more than " + std::to_string(PacketSizes::max_sizes) + " sizes",
                          "at most that many");
}

}  // namespace

PacketSizes::PacketSizes(std::vector<SizeClass> weighted)
    : classes_(numeric::merged(std::move(weighted), &SizeClass::bytes)) {}

PacketSizes PacketSizes::imix() {
  return PacketSizes({{64, 7}, {594, 4}, {1518, 1}});
}

namespace {

/// Meaning of the numbers after the sizes.
enum class Second { unsaid, weights, cumulative };

/// Meaning declared by a first line or entry such as "bytes cdf"; nothing if it is a size.
std::optional<Second> heading_of(std::string_view text) {
  std::string words(text);
  std::transform(words.begin(), words.end(), words.begin(), [](unsigned char c) { return std::tolower(c); });
  if (words.empty() || std::isdigit(static_cast<unsigned char>(words.front())) != 0) return {};
  for (const char* name : {"cdf", "cumulative", "p(size"})
    if (words.find(name) != std::string::npos) return Second::cumulative;
  for (const char* name :
       {"weight", "share", "percent", "%", "prob", "pdf", "pmf", "count", "freq", "packets"})
    if (words.find(name) != std::string::npos) return Second::weights;
  for (const char* name : {"size", "bytes", "length"})
    if (words.find(name) != std::string::npos) return Second::unsaid;
  return {};
}

bool is_whole(const Rational& share) {
  return share == 1 || share == 100;
}

/// Shares from P(size <= S).  \throws InvalidArgument
void take_differences(std::vector<SizeClass>& sizes, std::string_view argument) {
  Rational before = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0 && (sizes[i].bytes <= sizes[i - 1].bytes || sizes[i].share < before))
      throw InvalidArgument(std::string(argument), "a cumulative distribution that does not increase",
                            "P(size <= S) in order of increasing size");
    before = std::exchange(sizes[i].share, sizes[i].share - before);
  }
  if (!is_whole(before))
    throw InvalidArgument(std::string(argument),
                          "a cumulative distribution that ends at " + numeric::plain(before),
                          "P(size <= S) up to 1 (or 100)");
  std::erase_if(sizes, [](const SizeClass& one) { return one.share == 0; });
}

/// \throws InvalidArgument  shares that may be cumulative, or sizes and weights swapped
std::vector<SizeClass> understood(std::vector<SizeClass> sizes, Second second, std::string_view argument) {
  if (second == Second::cumulative) {
    take_differences(sizes, argument);
    return sizes;
  }
  if (second == Second::weights || sizes.size() < 2) return sizes;
  bool rising = true, swapped = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) rising = rising && sizes[i].bytes > sizes[i - 1].bytes && sizes[i].share > sizes[i - 1].share;
    swapped = swapped && sizes[i].bytes < min_ethernet && sizes[i].share >= min_ethernet;
  }
  if (rising && is_whole(sizes.back().share))
    throw InvalidArgument(
        std::string(argument), "shares that increase to " + numeric::plain(sizes.back().share),
        "declared as P(size <= S) by \"cdf\" as the first line or entry, or as weights by \"weights\"");
  if (swapped)
    throw InvalidArgument(
        std::string(argument),
        "sizes of " + std::to_string(sizes.front().bytes) + ".. bytes with weights of " +
            numeric::plain(sizes.front().share) + "..",
        "the size first, then its weight; if this is intended, put \"weights\" as the first line or entry");
  return sizes;
}

}  // namespace

PacketSizes PacketSizes::of_list(std::string_view text, std::string_view argument) {
  std::vector<SizeClass> sizes;
  Second second = Second::unsaid;
  bool first = true;
  numeric::for_each_entry(text, [&](std::string_view entry) {
    if (const auto heading = std::exchange(first, false) ? heading_of(entry) : std::nullopt) {
      second = *heading;
      return;
    }
    const auto [bytes, weight] = numeric::weighted_entry(entry);
    sizes.push_back(size_class(bytes, weight, argument));
    check_number(sizes.size(), argument);
  });
  return PacketSizes(understood(std::move(sizes), second, argument));
}

PacketSizes PacketSizes::of_file(std::string_view text, std::string_view source) {
  std::vector<SizeClass> sizes;
  Second second = Second::unsaid;
  numeric::for_each_line(text, source, [&](std::string_view content, std::size_t line) {
    if (const auto heading = sizes.empty() ? heading_of(content) : std::nullopt) {
      second = *heading;
      return;
    }
    const auto [bytes, weight] = numeric::weighted_line(content);
    if (weight.empty())
      throw ParseError(std::string(source), line, 1, "expected a size in bytes and its weight, such as 64 7");
    sizes.push_back(size_class(bytes, weight, "the size"));
    check_number(sizes.size(), "the file");
  });
  if (sizes.empty()) throw ParseError(std::string(source), 0, 0, "no line with a size and its weight");
  try {
    return PacketSizes(understood(std::move(sizes), second, "the file"));
  } catch (const InvalidArgument& error) {
    throw ParseError(std::string(source), 0, 0, error.what());
  }
}

Rational PacketSizes::mean_bytes() const {
  Rational mean = 0;
  for (const SizeClass& one : classes_) mean = mean + one.share * Rational(one.bytes);
  return mean;
}

CellCounts PacketSizes::cells(std::int64_t cell_bytes) const {
  if (cell_bytes < 1 || cell_bytes > max_bytes)
    throw InvalidArgument("cell bytes", std::to_string(cell_bytes), "from 1 to " + std::to_string(max_bytes));
  CellCounts counts{.classes = {}, .mean = 0, .mean_square = 0};
  for (const SizeClass& one : classes_) {
    const std::int64_t cells = cells_of(one.bytes, cell_bytes);
    if (!counts.classes.empty() && counts.classes.back().cells == cells)
      counts.classes.back().share = counts.classes.back().share + one.share;
    else
      counts.classes.push_back({cells, one.share});
    counts.mean = counts.mean + one.share * Rational(cells);
    counts.mean_square = counts.mean_square + one.share * Rational(cells * cells);
  }
  return counts;
}

}  // namespace tailbound::traffic
