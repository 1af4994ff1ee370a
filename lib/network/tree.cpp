#include <tailbound/core/error.hpp>
#include <tailbound/network/tree.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::network {
namespace {

using numeric::Integer;

constexpr std::int64_t max_tree_routes = std::int64_t{1} << 20;

/// 1, k, k^2, ..., k^n.
std::vector<std::int64_t> powers_of_radix(const Tree& tree) {
  if (tree.radix < Tree::min_radix || tree.radix > Tree::max_radix)
    throw InvalidArgument("radix", std::to_string(tree.radix), "a whole number from 2 to 1024");
  if (tree.levels < 1 || tree.levels > Tree::max_levels)
    throw InvalidArgument("levels", std::to_string(tree.levels), "a whole number from 1 to 16");
  std::vector<std::int64_t> powers{1};
  for (int level = 1; level <= tree.levels; ++level) {
    powers.push_back(powers.back() * tree.radix);
    if (powers.back() > Tree::max_leaves)
      throw InvalidArgument("radix^levels", std::to_string(tree.radix) + "^" + std::to_string(tree.levels),
                            "at most 2^20 = 1048576 leaves");
  }
  return powers;
}

void require_tree_load(const Rational& load) {
  if (load <= 0 || load > 1)
    throw InvalidArgument("load", numeric::to_fraction(load), "above 0 and at most 1 packet per slot");
}

// --- Closed form: docs/derivations/trees.md, with the equation numbers used below ------------------------

/// Rates of one kind of queue, in the notation of the derivation.
struct ClosedForm {
  std::int64_t radix;
  std::vector<std::int64_t> powers;  ///< k^0 .. k^n
  Rational load;
  TreeRouting routing;
  Sources sources;

  [[nodiscard]] std::int64_t leaves() const { return powers.back(); }
  [[nodiscard]] std::int64_t power(int exponent) const { return powers[static_cast<std::size_t>(exponent)]; }

  /// P(turn > level), (1).
  [[nodiscard]] Rational share_above(int level) const {
    if (routing == TreeRouting::random_root || level == 0) return 1;
    return Rational(Integer(leaves() - power(level))) / Integer(leaves());
  }

  [[nodiscard]] QueueTraffic queue(std::string name, std::vector<SourceRate> rates) const;
  [[nodiscard]] QueueTraffic up(int level) const;
  [[nodiscard]] QueueTraffic down(int level) const;
  [[nodiscard]] TreePath path(int turn, const Rational& share) const;
};

QueueTraffic ClosedForm::queue(std::string name, std::vector<SourceRate> rates) const {
  std::sort(rates.begin(), rates.end(),
            [](const SourceRate& a, const SourceRate& b) { return a.rate < b.rate; });
  QueueTraffic traffic{.name = std::move(name), .sources = {}, .load = 0};
  for (const SourceRate& source : rates) {
    if (source.count == 0 || source.rate == 0) continue;
    traffic.load = traffic.load + source.rate * Integer(source.count);
    if (!traffic.sources.empty() && traffic.sources.back().rate == source.rate)
      traffic.sources.back().count += source.count;
    else
      traffic.sources.push_back(source);
  }
  return traffic;
}

QueueTraffic ClosedForm::up(int level) const {
  const Rational passing = load * share_above(level);
  const std::int64_t count = sources == Sources::independent_sources ? power(level) : radix;  // (3), (5)
  return queue("up from level " + std::to_string(level), {{passing / Integer(count), count}});
}

QueueTraffic ClosedForm::down(int level) const {
  std::vector<SourceRate> rates;
  if (sources == Sources::independent_sources) {  // (4)
    const bool all = routing == TreeRouting::random_root || level == 1;
    rates.push_back({load / Integer(leaves()), all ? leaves() : leaves() - power(level - 1)});
  } else if (routing == TreeRouting::random_root) {  // (6)
    rates.push_back({load / Integer(radix), radix});
  } else {                                                                 // (7)
    rates.push_back({load * share_above(level) / Integer(radix), radix});  // 0 at the top: no parents
    rates.push_back(
        {load * Rational(Integer(power(level - 1))) / Integer(leaves()), level == 1 ? radix : radix - 1});
  }
  return queue("down from level " + std::to_string(level), std::move(rates));
}

TreePath ClosedForm::path(int turn, const Rational& share) const {
  TreePath result{.turn = turn, .share = share, .hops = {}};
  for (int level = 1; level < turn; ++level) result.hops.push_back(up(level));
  for (int level = turn; level >= 1; --level) result.hops.push_back(down(level));
  return result;
}

// --- The expanded network ------------------------------------------------------------------------------

/// Numbers the nodes and links of the tree. Switch (level, index): the leaves below it are those of block
/// index / k^(level-1), and k^(level-1) switches of the level share a block.
class Expanded {
 public:
  explicit Expanded(const Tree& tree) : radix_(tree.radix), powers_(powers_of_radix(tree)) {}

  [[nodiscard]] std::int64_t leaves() const { return powers_.back(); }
  [[nodiscard]] int levels() const { return static_cast<int>(powers_.size()) - 1; }
  [[nodiscard]] std::int64_t power(int exponent) const { return powers_[static_cast<std::size_t>(exponent)]; }

  [[nodiscard]] std::size_t leaf(std::int64_t address) const { return static_cast<std::size_t>(address); }
  [[nodiscard]] std::size_t switch_at(int level, std::int64_t block, std::int64_t member) const {
    return static_cast<std::size_t>(leaves() + (level - 1) * power(levels() - 1) + block * power(level - 1) +
                                    member);
  }
  /// The link between `leaf` and its switch.
  [[nodiscard]] std::size_t leaf_link(std::int64_t address, bool up) const {
    return static_cast<std::size_t>(2 * address + (up ? 0 : 1));
  }
  /// The link between switch (level, block, member) and its parent number `choice`.
  [[nodiscard]] std::size_t parent_link(int level, std::int64_t block, std::int64_t member,
                                        std::int64_t choice, bool up) const {
    const std::int64_t wire = level * leaves() + (block * power(level - 1) + member) * radix_ + choice;
    return static_cast<std::size_t>(2 * wire + (up ? 0 : 1));
  }

  void add_nodes(Network& network) const;
  void add_links(Network& network) const;
  [[nodiscard]] std::vector<Route> routes(std::int64_t from, std::int64_t to, int turn) const;

 private:
  std::int64_t radix_;
  std::vector<std::int64_t> powers_;
};

void Expanded::add_nodes(Network& network) const {
  for (std::int64_t address = 0; address < leaves(); ++address)
    network.nodes.push_back({.name = "leaf" + std::to_string(address), .host = true});
  for (int level = 1; level <= levels(); ++level)
    for (std::int64_t index = 0; index < power(levels() - 1); ++index)
      network.nodes.push_back({.name = "switch" + std::to_string(level) + "." + std::to_string(index)});
}

void Expanded::add_links(Network& network) const {
  const auto add_both = [&network](std::size_t lower, std::size_t upper) {
    network.links.push_back({.from = lower, .to = upper});
    network.links.push_back({.from = upper, .to = lower});
  };
  for (std::int64_t address = 0; address < leaves(); ++address)
    add_both(leaf(address), switch_at(1, address / radix_, 0));
  for (int level = 1; level < levels(); ++level)
    for (std::int64_t block = 0; block < power(levels() - level); ++block)
      for (std::int64_t member = 0; member < power(level - 1); ++member)
        for (std::int64_t choice = 0; choice < radix_; ++choice)
          add_both(switch_at(level, block, member),
                   switch_at(level + 1, block / radix_, member * radix_ + choice));
}

/// One route through each of the k^(turn-1) switches at which packets between the two leaves may turn.
std::vector<Route> Expanded::routes(std::int64_t from, std::int64_t to, int turn) const {
  const std::int64_t count = power(turn - 1);
  std::vector<Route> result;
  result.reserve(static_cast<std::size_t>(count));
  for (std::int64_t top = 0; top < count; ++top) {
    Route route{.links = {leaf_link(from, true)}, .share = Rational(1) / Integer(count)};
    const auto step = [&](int level, std::int64_t address, bool up) {
      const std::int64_t member = top / power(turn - level);
      const std::int64_t choice = top / power(turn - level - 1) % radix_;
      route.links.push_back(parent_link(level, address / power(level), member, choice, up));
    };
    for (int level = 1; level < turn; ++level) step(level, from, true);
    for (int level = turn - 1; level >= 1; --level) step(level, to, false);
    route.links.push_back(leaf_link(to, false));
    result.push_back(std::move(route));
  }
  return result;
}

/// The lowest level whose switches lead to both leaves; at least 1.
int lowest_common_level(const Expanded& tree, std::int64_t from, std::int64_t to) {
  int level = 1;
  while (from / tree.power(level) != to / tree.power(level)) ++level;
  return level;
}

/// Routes of all pairs: from each leaf, k^(l-1) routes for each pair that turns at level l.
std::int64_t count_routes(const Expanded& tree, TreeRouting routing) {
  if (routing == TreeRouting::random_root)
    return tree.leaves() * tree.leaves() * tree.power(tree.levels() - 1);
  std::int64_t count = tree.leaves() * tree.power(1);
  for (int level = 2; level <= tree.levels(); ++level)
    count += tree.leaves() * (tree.power(level) - tree.power(level - 1)) * tree.power(level - 1);
  return count;
}

}  // namespace

void require_valid(const Tree& tree) {
  static_cast<void>(powers_of_radix(tree));
}

std::vector<TreePath> tree_paths(const Tree& tree, const Rational& load, TreeRouting routing,
                                 Sources sources) {
  const ClosedForm form{.radix = tree.radix,
                        .powers = powers_of_radix(tree),
                        .load = load,
                        .routing = routing,
                        .sources = sources};
  require_tree_load(load);
  if (routing == TreeRouting::random_root) return {form.path(tree.levels, 1)};
  std::vector<TreePath> paths;
  for (int turn = 1; turn <= tree.levels; ++turn)  // (2)
    paths.push_back(form.path(turn, form.share_above(turn - 1) - form.share_above(turn)));
  return paths;
}

Network tree_network(const Tree& tree, const Rational& load, TreeRouting routing) {
  const Expanded expanded(tree);
  require_tree_load(load);
  const std::int64_t count = count_routes(expanded, routing);
  if (count > max_tree_routes)
    throw LimitExceeded("the " + std::to_string(tree.radix) + "-ary " + std::to_string(tree.levels) +
                        "-tree has " + std::to_string(count) +
                        " routes between its leaves; a network file may list at most 1048576");
  Network network{.name = std::to_string(tree.radix) + "-ary " + std::to_string(tree.levels) + "-tree",
                  .nodes = {},
                  .links = {},
                  .flows = {}};
  expanded.add_nodes(network);
  expanded.add_links(network);
  const Rational rate = load / Integer(expanded.leaves());
  for (std::int64_t from = 0; from < expanded.leaves(); ++from)
    for (std::int64_t to = 0; to < expanded.leaves(); ++to) {
      const int turn =
          routing == TreeRouting::random_root ? tree.levels : lowest_common_level(expanded, from, to);
      network.flows.push_back(
          {.name = network.nodes[expanded.leaf(from)].name + " -> " + network.nodes[expanded.leaf(to)].name,
           .source = expanded.leaf(from),
           .destination = expanded.leaf(to),
           .rate = rate,
           .routes = expanded.routes(from, to, turn)});
    }
  return network;
}

}  // namespace tailbound::network
