#include <tailbound/answers/wormhole/worm_sizes.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/number_list.hpp>

#include <algorithm>
#include <string_view>

namespace tailbound::answers {
namespace {

constexpr const char* argument = "--nodes";

/// \param text  "64", or sides separated by x
WormSize read_size(std::string_view text, network::WormShape shape, const std::string& name) {
  constexpr std::int64_t maximum = 1'000'000'000'000;
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789x") != std::string_view::npos)
    throw InvalidArgument(argument, std::string(text),
                          network::has_dimensions(shape)
                              ? "a number of nodes, such as 64, or routers per side, such as 8x8"
                              : "a number of nodes, such as 64");
  if (text.find('x') == std::string_view::npos)
    return {.nodes = numeric::parse_integer(text, argument, -maximum, maximum)};
  if (!network::has_dimensions(shape))
    throw InvalidArgument(argument, std::string(text), "a number of nodes for a " + name);
  WormSize size{.nodes = 1};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const std::string_view side = text.substr(begin, end - begin);
    if (side.size() > 7 || side.starts_with('-') || side.find_first_not_of('0') == std::string_view::npos ||
        side == "1")
      throw InvalidArgument(argument, std::string(text),
                            "a number of nodes, or sides of at least 2 routers each, such as 8x8");
    size.sides.push_back(numeric::parse_integer(side, argument, 2, 1'000'000));
    if (size.nodes > maximum / size.sides.back())
      throw InvalidArgument(argument, std::string(text), "at most " + std::to_string(maximum) + " nodes");
    size.nodes *= size.sides.back();
    begin = end + 1;
  }
  return size;
}

}  // namespace

std::vector<WormSize> parse_worm_sizes(const std::string& text, network::WormShape shape,
                                       const std::string& name) {
  std::vector<WormSize> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = std::string_view(text).substr(begin, end - begin);
    if (item.find(':') == std::string_view::npos)
      sizes.push_back(read_size(item, shape, name));
    else
      for (const std::int64_t nodes : numeric::parse_integers(item, argument, 1, 1'000'000'000'000))
        sizes.push_back({.nodes = nodes});
    begin = end + 1;
  }
  return sizes;
}

}  // namespace tailbound::answers
