#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/bits.hpp>
#include <tailbound/network/worms/worm_pattern.hpp>

#include <algorithm>
#include <bit>

namespace tailbound::network {
namespace {

/// One bit of a number after the other: b of them.
std::uint64_t bits_of(const NodeGrid& grid, const WormPattern& pattern) {
  const auto nodes = static_cast<std::uint64_t>(grid.nodes());
  if (!std::has_single_bit(nodes))
    throw InvalidArgument(
        "pattern", std::string(name_of(pattern.name)),
        "used in a network whose number of nodes is a power of 2 (it has " + std::to_string(nodes) + ")");
  return static_cast<std::uint64_t>(std::countr_zero(nodes));
}

/// The router reached by the given number of steps along each dimension.
template <class Steps>
std::int64_t further(const NodeGrid& grid, std::int64_t node, Steps steps) {
  std::int64_t router = node / grid.concentration, to = 0, stride = 1;
  for (const std::int64_t side : grid.sides) {
    to += (router % side + steps(side)) % side * stride;
    router /= side;
    stride *= side;
  }
  return to * grid.concentration + node % grid.concentration;
}

std::int64_t transposed(const NodeGrid& grid, std::int64_t node) {
  std::int64_t router = node / grid.concentration, to = 0;
  for (const std::int64_t side : grid.sides) {
    to = to * side + router % side;
    router /= side;
  }
  return to * grid.concentration + node % grid.concentration;
}

/// Rotated left by the given number of bits.
std::int64_t turned(std::int64_t node, std::uint64_t bits, std::uint64_t by) {
  const std::int64_t all = (std::int64_t{1} << bits) - 1;
  return ((node << by) | (node >> (bits - by))) & all;
}

std::vector<std::int64_t> destinations(const NodeGrid& grid, const WormPattern& pattern) {
  const std::int64_t nodes = grid.nodes();
  std::vector<std::int64_t> to;
  const auto each = [&](auto destination) {
    for (std::int64_t node = 0; node < nodes; ++node) to.push_back(destination(node));
    return to;
  };
  const auto& sides = grid.sides;
  switch (pattern.name) {
    case WormPatternName::transpose: {
      const bool square = sides.size() > 1 && std::equal(sides.begin() + 1, sides.end(), sides.begin());
      if (square) return each([&](std::int64_t node) { return transposed(grid, node); });
      const auto all = static_cast<std::uint64_t>(nodes);
      const int bits = std::countr_zero(all);
      if (!std::has_single_bit(all) || bits % 2 != 0)
        throw InvalidArgument(
            "pattern", "transpose",
            "used in a network with equal sides, or whose number of nodes is a power of 4 (it has " +
                std::to_string(nodes) + ")");
      return each([&](std::int64_t node) {
        return turned(node, static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(bits / 2));
      });
    }
    case WormPatternName::bit_complement:
      return each([&](std::int64_t node) { return nodes - 1 - node; });
    case WormPatternName::bit_reverse: {
      const std::uint64_t bits = bits_of(grid, pattern);
      return each([&](std::int64_t node) {
        return static_cast<std::int64_t>(bits_reversed(static_cast<std::uint64_t>(node), bits));
      });
    }
    case WormPatternName::shuffle: {
      const std::uint64_t bits = bits_of(grid, pattern);
      return each([&](std::int64_t node) { return turned(node, bits, 1); });
    }
    case WormPatternName::tornado:
      return each([&](std::int64_t node) {
        return further(grid, node, [](std::int64_t side) { return (side - 1) / 2; });
      });
    default:
      return each([&](std::int64_t node) {
        return further(grid, node, [](std::int64_t) { return std::int64_t{1}; });
      });
  }
}

PatternFlows hot_spot(const NodeGrid& grid, const WormPattern& pattern) {
  const std::int64_t nodes = grid.nodes();
  if (nodes < 2 || nodes > max_hot_spot_nodes)
    throw InvalidArgument(
        "pattern", "hot-spot",
        "used with at most " + std::to_string(max_hot_spot_nodes) + " nodes, not " + std::to_string(nodes));
  if (pattern.hot_node < 0 || pattern.hot_node >= nodes)
    throw InvalidArgument("hot node", std::to_string(pattern.hot_node),
                          "from 0 to " + std::to_string(nodes - 1));
  if (pattern.hot_share <= 0 || pattern.hot_share > 1)
    throw InvalidArgument("hot share", numeric::to_fraction(pattern.hot_share), "above 0 and at most 1");
  const numeric::Rational each = 1 / numeric::Rational(nodes - 1), rest = (1 - pattern.hot_share) * each;
  PatternFlows all{.flows = {}, .rates = {each, rest, rest + pattern.hot_share}};
  for (std::int64_t from = 0; from < nodes; ++from)
    for (std::int64_t to = 0; to < nodes; ++to) {
      const std::uint32_t rate = from == pattern.hot_node ? 0 : to == pattern.hot_node ? 2 : 1;
      if (from != to && (rate != 1 || rest > 0))
        all.flows.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), rate});
    }
  return all;
}

}  // namespace

std::string WormPattern::in_words() const {
  if (name != WormPatternName::hot_spot) return std::string(name_of(name)) + " traffic";
  return "uniform traffic with a share of " + numeric::to_fraction(hot_share) + " to node " +
         std::to_string(hot_node);
}

std::int64_t NodeGrid::nodes() const {
  std::int64_t nodes = concentration;
  for (const std::int64_t side : sides) nodes *= side;
  return nodes;
}

PatternFlows pattern_flows(const NodeGrid& grid, const WormPattern& pattern) {
  if (pattern.name == WormPatternName::hot_spot) return hot_spot(grid, pattern);
  const std::vector<std::int64_t> to = destinations(grid, pattern);
  PatternFlows all{.flows = {}, .rates = {1}};
  for (std::size_t from = 0; from < to.size(); ++from)
    if (to[from] != static_cast<std::int64_t>(from))
      all.flows.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to[from]), 0});
  if (all.flows.empty())
    throw InvalidArgument("pattern", std::string(name_of(pattern.name)),
                          "another one, because here each node would send to itself");
  return all;
}

WormTraffic pattern_traffic(const NodeGrid& grid, const WormPattern& pattern) {
  WormTraffic traffic;
  if (pattern.uniform()) return traffic;
  const PatternFlows all = pattern_flows(grid, pattern);
  std::vector<double> rates;
  for (const numeric::Rational& rate : all.rates) rates.push_back(numeric::nearest_double(rate));
  for (const PatternFlows::Flow& flow : all.flows)
    traffic.flows.push_back({flow.source, flow.destination, rates[flow.rate]});
  return traffic;
}

}  // namespace tailbound::network
