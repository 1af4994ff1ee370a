#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/draws.hpp>
#include <tailbound/network/demands/fabrics.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::int64_t max_nodes = 200'000, max_wires = 1'000'000;

int in_range(const char* what, int value, int minimum, int maximum) {
  if (value < minimum || value > maximum)
    throw InvalidArgument(what, std::to_string(value), fmt::format("from {} to {}", minimum, maximum));
  return value;
}

std::string line_of(const LinkRate& rate) {
  if (rate == LinkRate{}) return "";
  return rate.is_whole() ? fmt::format("rate = {}\n", rate.text())
                         : fmt::format("rate = \"{}\"\n", rate.text());
}

/// A [[link]] with a cable for all values of the ranges.
std::string wires(const std::string& each, const std::string& from, const std::string& to,
                  const LinkRate& rate = {}) {
  return fmt::format("\n[[link]]\neach = \"{}\"\nfrom = \"{}\"\nto = \"{}\"\n{}both = true\n", each, from, to,
                     line_of(rate));
}

std::string hosts_at(std::int64_t hosts, int of_a_switch, const std::string& name) {
  const std::string at = of_a_switch == 1 ? "i" : fmt::format("i/{}", of_a_switch);
  return wires(fmt::format("i = 0..{}", hosts - 1), "h[i]", name + "[" + at + "]");
}

/// Facts about a shape, and its links as text.
struct Drawn {
  FabricFacts facts;
  std::string switches;  ///< "edge[0..7], core[0..3]"
  int group = 0;         ///< switches per group, in their order; 0: there are no groups
  std::string links;
};

void require_size(const FabricFacts& facts) {
  if (facts.hosts + facts.switches > max_nodes)
    throw InvalidArgument("the number of hosts and switches", std::to_string(facts.hosts + facts.switches),
                          fmt::format("at most {}", max_nodes));
  if (facts.host_wires + facts.switch_wires > max_wires)
    throw InvalidArgument("the number of links", std::to_string(facts.host_wires + facts.switch_wires),
                          fmt::format("at most {}", max_wires));
  if (facts.hosts < 2) throw InvalidArgument("the number of hosts", std::to_string(facts.hosts), "2 or more");
}

Drawn drawn(const FatTree& tree) {
  in_range("radix", tree.radix, 2, 128);
  in_range("levels", tree.levels, 2, 3);
  if (tree.radix % 2 != 0) throw InvalidArgument("radix", std::to_string(tree.radix), "even, from 2 to 128");
  const std::int64_t half = tree.radix / 2, radix = tree.radix, last = half - 1;
  Drawn result;
  FabricFacts& facts = result.facts;
  facts.name = fmt::format("fat-tree of {}-port switches, {} levels", tree.radix, tree.levels);
  facts.ports = tree.radix;
  if (tree.levels == 2) {
    facts.hosts = radix * half;
    facts.switches = radix + half;
    facts.switch_wires = radix * half;
    facts.diameter = 2;
    result.switches = fmt::format("edge[0..{}], core[0..{}]", radix - 1, last);
    result.links = hosts_at(facts.hosts, static_cast<int>(half), "edge") +
                   wires(fmt::format("e = 0..{}, c = 0..{}", radix - 1, last), "edge[e]", "core[c]");
  } else {
    facts.hosts = radix * half * half;
    facts.switches = 2 * radix * half + half * half;
    facts.switch_wires = 2 * radix * half * half;
    facts.diameter = 4;
    result.switches =
        fmt::format("edge[0..{0}], agg[0..{0}], core[0..{1}]", radix * half - 1, half * half - 1);
    result.links = hosts_at(facts.hosts, static_cast<int>(half), "edge") +
                   wires(fmt::format("p = 0..{}, e = 0..{}, a = 0..{}", radix - 1, last, last),
                         fmt::format("edge[{}*p+e]", half), fmt::format("agg[{}*p+a]", half)) +
                   wires(fmt::format("p = 0..{}, a = 0..{}, c = 0..{}", radix - 1, last, last),
                         fmt::format("agg[{}*p+a]", half), fmt::format("core[{}*a+c]", half));
  }
  facts.host_wires = facts.hosts;
  facts.bisection = facts.hosts / 2;
  return result;
}

Drawn drawn(const LeafSpine& tree) {
  in_range("leaves", tree.leaves, 1, 10'000);
  in_range("spines", tree.spines, 1, 10'000);
  in_range("hosts per leaf", tree.hosts, 1, 10'000);
  Drawn result;
  FabricFacts& facts = result.facts;
  facts.name = fmt::format("leaf-spine of {} leaves with {} host{} each and {} spines", tree.leaves,
                           tree.hosts, tree.hosts == 1 ? "" : "s", tree.spines);
  facts.hosts = facts.host_wires = std::int64_t{tree.leaves} * tree.hosts;
  facts.switches = tree.leaves + tree.spines;
  facts.switch_wires = std::int64_t{tree.leaves} * tree.spines;
  facts.ports = std::max(tree.leaves, tree.hosts + tree.spines);
  facts.diameter = tree.leaves == 1 ? 0 : 2;
  result.switches = fmt::format("leaf[0..{}], spine[0..{}]", tree.leaves - 1, tree.spines - 1);
  result.links = hosts_at(facts.hosts, tree.hosts, "leaf") +
                 wires(fmt::format("l = 0..{}, s = 0..{}", tree.leaves - 1, tree.spines - 1), "leaf[l]",
                       "spine[s]", LinkRate::of(tree.uplink_rate, "the uplink rate"));
  return result;
}

/// A grid of switches: s0_0, s0_1, ...; names and formulas of the coordinates a, b, c, ...
struct Grid {
  Grid(const std::vector<int>& its_sides, int hosts) : sides(its_sides) {
    if (sides.empty() || sides.size() > 6)
      throw InvalidArgument("the number of sides", std::to_string(sides.size()), "from 1 to 6");
    in_range("hosts per switch", hosts, 1, 10'000);
    for (const int side : sides) {
      in_range("side", side, 2, 10'000);
      if ((switches *= side) > max_nodes)
        throw InvalidArgument("the number of switches", "more than 200000", "at most 200000");
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
      names += fmt::format("{}[0..{}]", i == 0 ? "s" : "_", sides[i] - 1);
      all += fmt::format("{}{} = 0..{}", i == 0 ? "" : ", ", variable(i), sides[i] - 1);
    }
  }

  [[nodiscard]] static std::string variable(std::size_t i) { return {static_cast<char>('a' + i)}; }

  /// The name of a switch with one coordinate replaced.
  [[nodiscard]] std::string with(std::size_t changed, const std::string& formula) const {
    std::string name = "s";
    for (std::size_t i = 0; i < sides.size(); ++i)
      name += fmt::format("{}[{}]", i == 0 ? "" : "_", i == changed ? formula : variable(i));
    return name;
  }
  [[nodiscard]] std::string plain() const { return with(sides.size(), ""); }

  /// Host i is at switch i / hosts, in the order of names.
  [[nodiscard]] std::string hosts_at(int hosts) const {
    std::string name = "s";
    std::int64_t below = hosts;
    std::vector<std::string> formulas(sides.size());
    for (std::size_t i = sides.size(); i-- > 0;) {
      formulas[i] = fmt::format("i/{}%{}", below, sides[i]);
      below *= sides[i];
    }
    for (std::size_t i = 0; i < sides.size(); ++i)
      name += fmt::format("{}[{}]", i == 0 ? "" : "_", formulas[i]);
    return wires(fmt::format("i = 0..{}", switches * hosts - 1), "h[i]", name);
  }

  const std::vector<int>& sides;
  std::int64_t switches = 1;
  std::string names, all;
};

std::string by(const std::vector<int>& sides) {
  return fmt::format("{}", fmt::join(sides, " x "));
}

/// The switches of a grid with their hosts, without links between switches.
Drawn with_hosts(const Grid& grid, std::string name, int hosts) {
  Drawn result;
  result.facts.name = std::move(name);
  result.facts.hosts = result.facts.host_wires = grid.switches * hosts;
  result.facts.switches = grid.switches;
  result.facts.ports = hosts;
  result.switches = grid.names;
  result.links = grid.hosts_at(hosts);
  return result;
}

Drawn drawn(const Mesh& mesh) {
  const Grid grid(mesh.sides, mesh.hosts);
  Drawn result = with_hosts(grid, fmt::format("{} mesh", by(mesh.sides)), mesh.hosts);
  FabricFacts& facts = result.facts;
  facts.diameter = 0;
  // The last dimension is listed first: shortest routes take the first link that leads closer.
  for (std::size_t i = mesh.sides.size(); i-- > 0;) {
    const int side = mesh.sides[i];
    *facts.diameter += side - 1;
    facts.ports += side == 2 ? 1 : 2;
    facts.switch_wires += grid.switches / side * (side - 1);
    const std::string name = Grid::variable(i);
    std::string ranges = grid.all;
    const std::string whole = fmt::format("{} = 0..{}", name, side - 1);
    ranges.replace(ranges.find(whole), whole.size(), fmt::format("{} = 0..{}", name, side - 2));
    result.links += wires(ranges, grid.plain(), grid.with(i, name + "+1"));
  }
  const int longest = *std::max_element(mesh.sides.begin(), mesh.sides.end());
  if (longest % 2 == 0) facts.bisection = grid.switches / longest;
  return result;
}

Drawn drawn(const Torus& torus) {
  const Grid grid(torus.sides, torus.hosts);
  Drawn result = with_hosts(grid, fmt::format("{} torus", by(torus.sides)), torus.hosts);
  FabricFacts& facts = result.facts;
  facts.diameter = 0;
  for (std::size_t i = 0; i < torus.sides.size(); ++i) {
    const int side = torus.sides[i];
    *facts.diameter += side / 2;
    facts.ports += side == 2 ? 1 : 2;
    facts.switch_wires += side == 2 ? grid.switches / 2 : grid.switches;
    // With two switches in a ring both directions are one cable.
    std::string ranges = grid.all;
    if (side == 2) {
      const std::string whole = Grid::variable(i) + " = 0..1";
      ranges.replace(ranges.find(whole), whole.size(), Grid::variable(i) + " = 0..0");
    }
    result.links +=
        wires(ranges, grid.plain(), grid.with(i, fmt::format("({}+1)%{}", Grid::variable(i), side)));
  }
  // From half of the longest side to the other half: two cables for each switch of the rest, one if the side
  // is 2.
  const int longest = *std::max_element(torus.sides.begin(), torus.sides.end());
  if (longest % 2 == 0) facts.bisection = (longest == 2 ? 1 : 2) * grid.switches / longest;
  return result;
}

Drawn drawn(const HyperX& shape) {
  const Grid grid(shape.sides, shape.hosts);
  Drawn result = with_hosts(grid, fmt::format("{} HyperX", by(shape.sides)), shape.hosts);
  FabricFacts& facts = result.facts;
  facts.diameter = static_cast<int>(shape.sides.size());
  for (std::size_t i = 0; i < shape.sides.size(); ++i) {
    facts.ports += shape.sides[i] - 1;
    facts.switch_wires += grid.switches * (shape.sides[i] - 1) / 2;
    result.links += wires(fmt::format("{}, z = {}+1..{}", grid.all, Grid::variable(i), shape.sides[i] - 1),
                          grid.plain(), grid.with(i, "z"));
  }
  // Between the halves of an even side: side/2 * side/2 cables for each switch of the rest; the minimum over
  // the sides.
  for (const int side : shape.sides)
    if (side % 2 == 0) {
      const std::int64_t across = grid.switches / side * (side / 2) * (side / 2);
      facts.bisection = std::min(facts.bisection.value_or(across), across);
    }
  if (std::any_of(shape.sides.begin(), shape.sides.end(), [](int side) { return side % 2 != 0; }))
    facts.bisection.reset();
  return result;
}

Drawn drawn(const Dragonfly& fly) {
  in_range("switches per group", fly.routers, 1, 10'000);
  in_range("hosts per switch", fly.hosts, 1, 10'000);
  in_range("links to other groups", fly.wires, 1, 10'000);
  const std::int64_t max_groups = std::int64_t{fly.routers} * fly.wires + 1;
  in_range("groups", fly.groups, 2, static_cast<int>(std::min(max_groups, max_nodes)));
  Drawn result;
  FabricFacts& facts = result.facts;
  const std::int64_t groups = fly.groups, routers = fly.routers;
  facts.name = fmt::format("dragonfly of {} groups of {} switches", groups, routers);
  facts.switches = groups * routers;
  facts.hosts = facts.host_wires = facts.switches * fly.hosts;
  facts.switch_wires = groups * routers * (routers - 1) / 2 + groups * (groups - 1) / 2;
  facts.ports = static_cast<int>(routers - 1 + fly.hosts + std::min<std::int64_t>(fly.wires, groups - 1));
  if (groups == max_groups) facts.diameter = routers == 1 ? 1 : 3;
  result.switches = fmt::format("s[0..{}]_[0..{}]", groups - 1, routers - 1);
  result.group = fly.routers;
  result.links = wires(fmt::format("i = 0..{}", facts.hosts - 1), "h[i]",
                       fmt::format("s[i/{}]_[i/{}%{}]", routers * fly.hosts, fly.hosts, routers));
  if (routers > 1)
    result.links +=
        wires(fmt::format("g = 0..{}, a = 0..{}, b = a+1..{}", groups - 1, routers - 2, routers - 1),
              "s[g]_[a]", "s[g]_[b]");
  // Cable k of a group leads k + 1 groups on; there it is cable groups - 2 - k.
  result.links += wires(fmt::format("g = 0..{}, t = g+1..{}", groups - 2, groups - 1),
                        fmt::format("s[g]_[(t-g-1)/{}]", fly.wires),
                        fmt::format("s[t]_[({}+g-t)/{}]", groups - 1, fly.wires));
  return result;
}

/// The field of q elements, numbered such that the digits of a number to the base p are the coefficients of a
/// polynomial.
struct GaloisField {
  int p, q;
  std::vector<int> power;  ///< of an element whose powers are all elements except 0

  [[nodiscard]] int sum(int a, int b) const {
    int result = 0;
    for (int place = 1; place < q; place *= p) result += (a / place + b / place) % p * place;
    return result;
  }
  [[nodiscard]] int negative(int a) const {
    int result = 0;
    for (int place = 1; place < q; place *= p) result += (p - a / place % p) % p * place;
    return result;
  }
  [[nodiscard]] int product(int a, int b) const {
    if (a == 0 || b == 0) return 0;
    const auto log = [this](int x) { return std::find(power.begin(), power.end(), x) - power.begin(); };
    return power[static_cast<std::size_t>((log(a) + log(b)) % std::ssize(power))];
  }
};

/// None if q is not a power of a prime.
std::optional<GaloisField> field_of(int q) {
  int p = 2;
  while (q % p != 0) ++p;
  for (int rest = q; rest > 1; rest /= p)
    if (rest % p != 0) return std::nullopt;
  GaloisField field{p, q, {}};
  // For a prime the smallest primitive root; otherwise x, with x^k such that all elements are powers of x.
  for (int root = p == q ? 2 : 1; root < q; ++root) {
    const auto next = [&](int a) {
      if (p == q) return a * root % q;
      int value = a * p % q;
      for (int times = a / (q / p); times > 0; --times) value = field.sum(value, root);
      return value;
    };
    field.power.assign(1, 1);
    for (int a = next(1); a > 1 && std::ssize(field.power) < q; a = next(a)) field.power.push_back(a);
    if (std::ssize(field.power) == q - 1) break;
  }
  return field;
}

/// Differences of neighbours in the two halves, one of each d and -d.
/// SOURCE  Hafner 2004: even powers of a primitive root for q = 4 w or 4 w + 1; for q = 4 w - 1 even ones up
///         to 2 w - 2 and odd ones from 2 w - 1; the other half takes them times the root.
std::pair<std::set<int>, std::set<int>> slim_fly_differences(const GaloisField& field) {
  const int q = field.q;
  std::pair<std::set<int>, std::set<int>> differences;
  const auto add = [&](int exponent) {
    const int one = field.power[static_cast<std::size_t>(exponent)],
              other = field.power[static_cast<std::size_t>((exponent + 1) % (q - 1))];
    differences.first.insert(std::min(one, field.negative(one)));
    differences.second.insert(std::min(other, field.negative(other)));
  };
  if (q % 4 != 3) {
    for (int e = 0; e < q - 1; e += 2) add(e);
  } else {
    const int w = (q + 1) / 4;
    for (int e = 0; e <= 2 * w - 2; e += 2) add(e);
    for (int e = 2 * w - 1; e <= 4 * w - 3; e += 2) add(e);
  }
  return differences;
}

/// The links between switches as formulas of whole numbers modulo a prime.
std::string prime_slim_fly(const GaloisField& field) {
  const int q = field.q;
  std::string links;
  const auto [even, odd] = slim_fly_differences(field);
  for (const auto& [side, differences] : {std::pair{'a', &even}, {'b', &odd}})
    for (const int difference : *differences)
      links += wires(fmt::format("x = 0..{0}, y = 0..{0}", q - 1), fmt::format("{}[x]_[y]", side),
                     fmt::format("{}[x]_[(y+{})%{}]", side, difference, q));
  return links + wires(fmt::format("x = 0..{0}, m = 0..{0}, c = 0..{0}", q - 1),
                       fmt::format("a[x]_[(m*x+c)%{}]", q), "b[m]_[c]");
}

/// The same pair by pair: sums and products in other fields have no formulas.
std::string listed_slim_fly(const GaloisField& field) {
  const int q = field.q;
  std::string links;
  const auto list = [&](char from, char to, const std::vector<std::pair<int, int>>& pairs) {
    links += fmt::format(
        "\n[[link]]\nfrom = \"{1}[i/{0}]_[i%{0}]\"\nto = \"{2}[j/{0}]_[j%{0}]\"\nboth = true\npairs = [", q,
        from, to);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      links += fmt::format("{}[{}, {}],", i % 10 == 0 ? "\n  " : " ", pairs[i].first, pairs[i].second);
    links += "\n]\n";
  };
  const auto [even, odd] = slim_fly_differences(field);
  for (const auto& [side, differences] : {std::pair{'a', &even}, {'b', &odd}}) {
    std::vector<std::pair<int, int>> pairs;
    for (int x = 0; x < q; ++x)
      for (const int difference : *differences)
        for (int y = 0; y < q; ++y)
          if (const int other = field.sum(y, difference); field.p > 2 || y < other)
            pairs.emplace_back(q * x + y, q * x + other);
    list(side, side, pairs);
  }
  std::vector<std::pair<int, int>> pairs;
  for (int x = 0; x < q; ++x)
    for (int m = 0; m < q; ++m) {
      const int product = field.product(m, x);
      for (int c = 0; c < q; ++c) pairs.emplace_back(q * x + field.sum(product, c), q * m + c);
    }
  list('a', 'b', pairs);
  return links;
}

/// The field of a legal slim fly; otherwise an error with the nearest legal sizes.
GaloisField slim_fly_field(int q) {
  in_range("prime", q, 4, 223);
  if (auto field = field_of(q)) return *std::move(field);
  int below = q, above = q;
  while (!field_of(below)) --below;
  while (!field_of(above)) ++above;
  throw InvalidArgument("prime", std::to_string(q),
                        fmt::format("a prime or a power of a prime, such as {} or {}", below, above));
}

Drawn drawn(const SlimFly& fly) {
  const GaloisField field = slim_fly_field(fly.prime);
  const int q = field.q;
  const int degree = (3 * q + (q % 4 == 0 ? 0 : q % 4 == 1 ? -1 : 1)) / 2;
  const int hosts = fly.hosts ? in_range("hosts per switch", *fly.hosts, 1, 10'000) : (degree + 1) / 2;
  Drawn result;
  FabricFacts& facts = result.facts;
  facts.name = fmt::format("slim fly of q = {}", q);
  facts.switches = 2 * std::int64_t{q} * q;
  facts.hosts = facts.host_wires = facts.switches * hosts;
  facts.switch_wires = facts.switches * degree / 2;
  facts.ports = degree + hosts;
  facts.diameter = 2;
  const std::int64_t half = facts.switches / 2 * hosts;
  result.switches = fmt::format("a[0..{0}]_[0..{0}], b[0..{0}]_[0..{0}]", q - 1);
  for (const auto& [side, first] : {std::pair{'a', std::int64_t{0}}, {'b', half}})
    result.links +=
        wires(fmt::format("i = 0..{}", half - 1), first == 0 ? "h[i]" : fmt::format("h[{}+i]", first),
              fmt::format("{}[i/{}]_[i/{}%{}]", side, q * hosts, hosts, q));
  require_size(facts);
  result.links += field.p == q ? prime_slim_fly(field) : listed_slim_fly(field);
  return result;
}

// --- Random regular graphs

using Wires = std::set<std::pair<int, int>>;

/// Joins free ports at random; if no pair is left that may be joined, replaces a cable by two others.
/// \return false if that takes too long
bool join_free_ends(const Jellyfish& shape, Draws& draws, Wires& joined) {
  std::vector<int> ends;
  for (int node = 0; node < shape.switches; ++node)
    for (int i = 0; i < shape.degree; ++i) ends.push_back(node);
  const auto draw = [&] { return draws.below(static_cast<std::uint32_t>(ends.size())); };
  const auto may = [&](int a, int b) { return a != b && joined.count(std::minmax(a, b)) == 0; };
  std::vector<std::pair<int, int>> list;  // of `joined`, to draw from
  const auto join = [&](int a, int b) {
    joined.insert(std::minmax(a, b));
    list.emplace_back(std::minmax(a, b));
  };
  const auto take = [&](std::uint32_t at) {
    std::swap(ends[at], ends.back());
    const int node = ends.back();
    ends.pop_back();
    return node;
  };
  std::int64_t left = 200 * static_cast<std::int64_t>(ends.size()) + 10'000;
  for (int failed = 0; !ends.empty();) {
    if (--left < 0) return false;
    const int a = take(draw()), b = take(draw());
    if (may(a, b)) {
      join(a, b);
      failed = 0;
      continue;
    }
    if (++failed >= 100 && !list.empty()) {
      std::pair<int, int>& wire = list[draws.below(static_cast<std::uint32_t>(list.size()))];
      const auto [c, d] = wire;
      if (may(a, c) && may(b, d) && std::minmax(a, c) != std::minmax(b, d)) {
        joined.erase(wire);
        std::swap(wire, list.back());
        list.pop_back();
        join(a, c);
        join(b, d);
        failed = 0;
        continue;
      }
    }
    ends.push_back(a);
    ends.push_back(b);
  }
  return true;
}

bool is_connected(int switches, const Wires& wires) {
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(switches));
  for (const auto& [a, b] : wires) {
    neighbours[static_cast<std::size_t>(a)].push_back(b);
    neighbours[static_cast<std::size_t>(b)].push_back(a);
  }
  std::vector<bool> met(neighbours.size(), false);
  std::vector<int> queue{0};
  met[0] = true;
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const int other : neighbours[static_cast<std::size_t>(queue[next])]) {
      if (met[static_cast<std::size_t>(other)]) continue;
      met[static_cast<std::size_t>(other)] = true;
      queue.push_back(other);
    }
  return queue.size() == neighbours.size();
}

Wires random_regular_graph(const Jellyfish& shape) {
  Draws draws(shape.seed, Draws::regular_graph);
  for (int attempt = 0; attempt < 100; ++attempt) {
    Wires wires;
    if (join_free_ends(shape, draws, wires) && is_connected(shape.switches, wires)) return wires;
  }
  throw InvalidArgument("degree", std::to_string(shape.degree),
                        "large enough for a connected random graph: use 3 or more, or another seed");
}

Drawn drawn(const Jellyfish& shape) {
  in_range("switches", shape.switches, 3, 100'000);
  in_range("degree", shape.degree, 2, std::min(shape.switches - 1, 1'000));
  in_range("hosts per switch", shape.hosts, 1, 10'000);
  if (shape.switches * std::int64_t{shape.degree} % 2 != 0)
    throw InvalidArgument("degree", std::to_string(shape.degree), "even, as the number of switches is odd");
  Drawn result;
  FabricFacts& facts = result.facts;
  facts.name = fmt::format("jellyfish of {} switches with {} links each, seed {}", shape.switches,
                           shape.degree, shape.seed);
  facts.switches = shape.switches;
  facts.hosts = facts.host_wires = facts.switches * shape.hosts;
  facts.switch_wires = facts.switches * shape.degree / 2;
  facts.ports = shape.degree + shape.hosts;
  require_size(facts);
  result.switches = fmt::format("s[0..{}]", shape.switches - 1);
  result.links = hosts_at(facts.hosts, shape.hosts, "s") +
                 "\n[[link]]\nfrom = \"s[i]\"\nto = \"s[j]\"\nboth = true\npairs = [";
  std::size_t count = 0;
  for (const auto& [a, b] : random_regular_graph(shape))
    result.links += fmt::format("{}[{}, {}],", count++ % 10 == 0 ? "\n  " : " ", a, b);
  result.links += "\n]\n";
  return result;
}

Drawn drawn_and_checked(const FabricShape& shape) {
  Drawn result = std::visit([](const auto& its) { return drawn(its); }, shape);
  require_size(result.facts);
  return result;
}

}  // namespace

std::vector<std::string> fabric_names() {
  return []<std::size_t... place>(std::index_sequence<place...>) {
    return std::vector<std::string>{std::variant_alternative_t<place, FabricShape>::name...};
  }
  (std::make_index_sequence<std::variant_size_v<FabricShape>>());
}

FabricFacts facts_of(const FabricShape& shape) {
  return drawn_and_checked(shape).facts;
}

RouteRule default_route_of(const FabricShape& shape) {
  return std::holds_alternative<Mesh>(shape) ? RouteRule::shortest : default_route;
}

std::string to_toml(const FabricShape& shape, const std::optional<FabricTraffic>& traffic) {
  const Drawn drawn = drawn_and_checked(shape);
  if (traffic && knows_groups(traffic->route) && drawn.group == 0)
    throw InvalidArgument(
        "route", name_of(traffic->route),
        "shortest or spread: minimal and valiant need groups of switches, as in a dragonfly");
  if (traffic && traffic->route == RouteRule::valiant && drawn.facts.switches < 3 * std::int64_t{drawn.group})
    throw InvalidArgument("groups", std::to_string(drawn.facts.switches / drawn.group),
                          "3 or more for valiant routes");
  std::string text = fmt::format(
      "name = \"{}\"\nhosts = \"h[0..{}]\"\nswitches = \"{}\"\n{}{}", drawn.facts.name, drawn.facts.hosts - 1,
      drawn.switches, drawn.group == 0 ? "" : fmt::format("groups = {}\n", drawn.group), drawn.links);
  if (traffic)
    text += fmt::format("\n[traffic]\nuniform = \"{}\"\nroute = \"{}\"\n",
                        numeric::to_fraction(traffic->uniform), name_of(traffic->route));
  return text;
}

}  // namespace tailbound::network
