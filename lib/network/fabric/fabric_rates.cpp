#include <tailbound/core/error.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/fabric/fabric_rates.hpp>
#include <tailbound/numeric/rational.hpp>

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace tailbound::network {

using numeric::Integer;

namespace {

__extension__ using Short = unsigned __int128;
using Long = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    512, 512, boost::multiprecision::unsigned_magnitude, boost::multiprecision::unchecked, void>>;

constexpr double max_steps = 2e10;
constexpr std::size_t max_pairs = 200'000'000;
constexpr std::ptrdiff_t max_kinds = 100'000'000;
constexpr std::size_t short_bits = 124, long_bits = 508;

template <class N>
N to_wide(const Integer& value) {
  N result = 0;
  for (std::size_t word = mpz_size(value.backend().data()); word-- > 0;)
    result = (result << 64U) | N(mpz_getlimbn(value.backend().data(), static_cast<mp_size_t>(word)));
  return result;
}

template <class N>
std::uint64_t word_of(const N& value, std::size_t word) {
  return static_cast<std::uint64_t>((value >> static_cast<unsigned>(64 * word)) & N(~std::uint64_t{0}));
}

Integer to_integer(const std::uint64_t* words, std::size_t count) {
  Integer value;
  mpz_import(value.backend().data(), count, -1, sizeof *words, 0, 0, words);
  return value;
}

Integer denominator_of_all(const std::vector<Rational>& values) {
  Integer all = 1;
  for (const Rational& value : values) all = numeric::lcm(all, numeric::denominator(value));
  return all;
}

/// All rates as whole multiples of 1 / denominator.
struct TrafficParts {
  struct OfDemand {
    std::vector<Integer> out,
        in;  ///< of ProductDemand::values; `in` is scaled so that out * in is a numerator
    std::vector<Integer> listed;  ///< of SparseDemand::values
  };
  Integer denominator = 1;
  std::vector<OfDemand> demands;
};

TrafficParts parts_of(const Fabric& fabric) {
  TrafficParts parts;
  for (const Demand& demand : fabric.demands) {
    if (const auto* product = std::get_if<ProductDemand>(&demand.rates)) {
      const Integer each = denominator_of_all(product->values);
      parts.denominator = numeric::lcm(parts.denominator, each * each);
    } else {
      parts.denominator =
          numeric::lcm(parts.denominator, denominator_of_all(std::get<SparseDemand>(demand.rates).values));
    }
  }
  for (const Demand& demand : fabric.demands) {
    TrafficParts::OfDemand& its = parts.demands.emplace_back();
    if (const auto* product = std::get_if<ProductDemand>(&demand.rates)) {
      const Integer each = denominator_of_all(product->values);
      const Integer factor = numeric::exact_quotient(parts.denominator, each);
      for (const Rational& value : product->values) {
        its.out.push_back(numeric::numerator(value * each));
        its.in.push_back(numeric::numerator(value * factor));
      }
    } else {
      for (const Rational& value : std::get<SparseDemand>(demand.rates).values)
        its.listed.push_back(numeric::numerator(value * parts.denominator));
    }
  }
  return parts;
}

/// For each vertex and each destination of one rule: the distance, and how the next link is chosen.
struct RouteTable {
  RouteRule rule = RouteRule::spread;       ///< shortest, spread or minimal
  std::vector<std::uint32_t> destinations;  ///< vertices; for first legs groups of switches
  std::vector<std::uint16_t> distance;      ///< [destination][vertex]
  std::vector<std::uint32_t>
      choice;                   ///< the same; spread: the sum of the weights of the arcs that lead closer;
                                ///< shortest: the position of the first of them among all arcs
  std::vector<Integer> shares;  ///< [distance]: a common multiple of the sums of weights there
  std::vector<std::uint32_t> toward;  ///< [destination]: FabricGraph::toward(); empty: none

  [[nodiscard]] bool spreads() const { return rule != RouteRule::shortest; }
  [[nodiscard]] std::uint32_t toward_of(std::size_t destination) const {
    return toward.empty() ? FabricGraph::none : toward[destination];
  }
};

}  // namespace

class FabricRatesBuilder {
 public:
  FabricRatesBuilder(const FabricGraph& graph, const FabricOrbits& orbits)
      : graph_(graph), orbits_(orbits), parts_(parts_of(graph.fabric())) {}

  FabricRates build() {
    std::size_t bits = numeric::bit_length(parts_.denominator);
    for (const RouteRule rule : {RouteRule::minimal, RouteRule::shortest, RouteRule::spread})
      find_routes(rule);
    Shares shares;
    for (const RouteTable& route_table : route_tables_)
      shares.legs = numeric::lcm(shares.legs, product_of(route_table.shares));
    by_groups_ = std::any_of(demands().begin(), demands().end(),
                             [](const Demand& demand) { return demand.route == RouteRule::valiant; }) &&
                 !route_tables_.empty() && route_tables_.back().rule == RouteRule::spread;
    if (by_groups_) {
      find_first_legs();
      for (std::uint32_t group = 0; group < graph_.groups()->size(); ++group)
        shares.chances = numeric::lcm(shares.chances,
                                      Integer(static_cast<unsigned long>(graph_.groups()->choices(group))));
      shares.first_legs = shares.chances * product_of(first_legs_.shares);
      ++bits;  // a link may be passed on both legs
    }
    const Integer all_shares = shares.legs * shares.first_legs;
    for (const LinkRate& rate : queue_rates())
      for (const FabricGraph::Signature& its : graph_.signatures())
        lanes_ = std::lcm(lanes_, std::int64_t{its.lanes(rate)});
    bits += static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(lanes_)));
    // The total attraction of a destination may exceed the rate of its sources, and the offered load of a
    // queue may be more than one packet per slot from each node.
    bits += numeric::bit_length(all_shares) + attraction_bits() +
            static_cast<std::size_t>(std::bit_width(graph_.fabric().network.nodes.size()));
    result_.denominator_ = parts_.denominator * all_shares * Integer(static_cast<long>(lanes_));
    if (bits <= short_bits)
      count<Short>(shares);
    else if (bits <= long_bits)
      count<Long>(shares);
    else
      throw LimitExceeded("the common denominator of the rates of all queues has " + std::to_string(bits) +
                          " bits; the limit is 508");
    return std::move(result_);
  }

 private:
  /// The units of the shares of routes: of whole routes, or of second legs of Valiant routes; of first legs
  /// together with the probabilities of groups; and of these alone.
  struct Shares {
    Integer legs = 1, first_legs = 1, chances = 1;
  };
  static Integer product_of(const std::vector<Integer>& shares) {
    Integer all = 1;
    for (const Integer& each : shares) all = all * each;
    return all;
  }

  [[nodiscard]] const std::vector<Demand>& demands() const { return graph_.fabric().demands; }
  [[nodiscard]] const FabricGraph::Signature& signature(const FabricGraph::Bundle& bundle) const {
    return graph_.signatures()[bundle.signature];
  }
  [[nodiscard]] const ProductDemand* product(std::size_t demand) const {
    return std::get_if<ProductDemand>(&demands()[demand].rates);
  }
  /// Product demands of one group are summed per vertex; all others per source.
  [[nodiscard]] bool by_vertex(std::size_t demand) const {
    return product(demand) != nullptr && product(demand)->group.empty();
  }

  [[nodiscard]] const LinkRate& rate_of(std::uint32_t link) const {
    return graph_.fabric().network.links[link].rate;
  }
  /// Each once.
  [[nodiscard]] std::set<LinkRate> queue_rates() const {
    const Network& network = graph_.fabric().network;
    std::set<LinkRate> rates;
    for (std::size_t link = 0; link < network.links.size(); ++link)
      if (network.has_queue(link)) rates.insert(network.links[link].rate);
    return rates;
  }

  [[nodiscard]] bool all_listed() const {
    return std::none_of(demands().begin(), demands().end(), [](const Demand& demand) {
      return std::holds_alternative<ProductDemand>(demand.rates);
    });
  }

  [[nodiscard]] std::size_t attraction_bits() const {
    Integer maximum = 1;
    for (std::size_t demand = 0; demand < demands().size(); ++demand) {
      if (!by_vertex(demand)) continue;
      Integer sum = 0;
      for (const FabricGraph::Bundle& bundle : graph_.bundles())
        sum = sum + parts_.demands[demand].in[signature(bundle).parts[demand].in] *
                        Integer(static_cast<unsigned long>(bundle.count));
      if (sum > maximum) maximum = sum;
    }
    const std::size_t all = numeric::bit_length(maximum), own = numeric::bit_length(parts_.denominator);
    return all > own ? all - own : 0;
  }

  void add_steps(double steps) {
    steps_ += steps;
    if (steps_ > max_steps)
      throw LimitExceeded("finding the rates of all queues would take more than 2e10 steps, the limit");
  }

  // --- Ways ---------------------------------------------------------------------------------------------

  void find_routes(RouteRule rule) {
    std::vector<char> receives(graph_.size(), 0);
    for (std::size_t demand = 0; demand < demands().size(); ++demand) {
      if (leg_rule(demands()[demand].route) != rule) continue;
      if (product(demand) != nullptr) {
        for (const FabricGraph::Bundle& bundle : graph_.bundles())
          if (signature(bundle).parts[demand].in != 0) receives[bundle.vertex] = 1;
      } else {
        for (const auto& entry : std::get<SparseDemand>(demands()[demand].rates).entries)
          receives[graph_.bundles()[graph_.bundle_of(entry.to)].vertex] = 1;
      }
    }
    RouteTable route_table;
    route_table.rule = rule;
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex)
      if (receives[vertex] != 0) route_table.destinations.push_back(vertex);
    if (route_table.destinations.empty()) return;
    for (const std::uint32_t vertex : route_table.destinations)
      if (rule == RouteRule::minimal) route_table.toward.push_back(graph_.toward(vertex, rule));
    find_rows(route_table, [this, rule](std::uint32_t vertex, auto& distance) {
      graph_.distances(vertex, rule, distance);
    });
    route_tables_.push_back(std::move(route_table));
    require_paths(route_tables_.back());
  }

  /// For Valiant routes: to each group of switches that may be drawn.
  void find_first_legs() {
    first_legs_.destinations = graph_.groups()->drawn;
    find_rows(first_legs_,
              [this](std::uint32_t group, auto& distance) { graph_.distances_to_group(group, distance); });
    require_legs();
  }

  template <class Distances>
  void find_rows(RouteTable& route_table, Distances distances) {
    const std::size_t size = graph_.size();
    if (route_table.destinations.size() > max_pairs / size)
      throw LimitExceeded("more than 200000000 pairs of a switch and a destination, the limit");
    route_table.distance.resize(route_table.destinations.size() * size);
    route_table.choice.assign(route_table.destinations.size() * size, 0);
    std::vector<std::uint16_t> distance;
    std::vector<std::map<std::uint32_t, char>> sums;
    last_.clear();
    for (std::size_t d = 0; d < route_table.destinations.size(); ++d) {
      add_steps(static_cast<double>(2 * graph_.arcs() + size));
      distances(route_table.destinations[d], distance);
      std::copy(distance.begin(), distance.end(),
                route_table.distance.begin() + static_cast<std::ptrdiff_t>(d * size));
      std::uint32_t* choice = route_table.choice.data() + d * size;
      for (std::size_t vertex = 0; vertex < size; ++vertex) {
        if (distance[vertex] == 0 || distance[vertex] == FabricGraph::unreached) continue;
        const auto arcs = graph_.leaving(vertex);
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < arcs.size(); ++i) {
          if (!graph_.leads_closer(vertex, arcs[i], distance.data(), route_table.toward_of(d))) continue;
          if (!route_table.spreads()) {
            choice[vertex] = static_cast<std::uint32_t>(graph_.first_arc(vertex) + i);
            break;
          }
          sum += arcs[i].weight;
        }
        if (sums.size() <= distance[vertex]) sums.resize(distance[vertex] + std::size_t{1});
        if (route_table.spreads()) {
          choice[vertex] = sum;
          // A look-up costs more than checking whether it is the previous one.
          if (last_.size() <= distance[vertex]) last_.resize(distance[vertex] + std::size_t{1}, 0);
          if (last_[distance[vertex]] != sum) {
            sums[distance[vertex]].emplace(sum, 1);
            last_[distance[vertex]] = sum;
          }
        }
      }
    }
    for (const auto& at : sums) {
      Integer all = 1;
      for (const auto& [sum, met] : at) all = numeric::lcm(all, Integer(static_cast<unsigned long>(sum)));
      route_table.shares.push_back(all);
    }
  }

  [[noreturn]] void reject(std::size_t from, std::size_t to) const {
    const auto& nodes = graph_.fabric().network.nodes;
    throw NoAnswer("no route leads from " + nodes[from].name + " to " + nodes[to].name +
                   ", one of its destinations");
  }

  [[nodiscard]] std::vector<std::uint32_t> places_of(const RouteTable& route_table) const {
    std::vector<std::uint32_t> place(graph_.size(), FabricGraph::none);
    for (std::uint32_t d = 0; d < route_table.destinations.size(); ++d)
      place[route_table.destinations[d]] = d;
    return place;
  }

  /// Can all senders with Valiant routes reach all groups, and can all their receivers be reached from the
  /// entry switches of a group?
  void require_legs() const {
    const std::size_t size = graph_.size();
    const SwitchGroups& groups = *graph_.groups();
    const RouteTable& second = route_tables_.back();
    const std::vector<std::uint32_t> place = places_of(second);
    const auto require_sender = [&](const FabricGraph::Bundle& from) {
      for (std::size_t g = 0; g < groups.drawn.size(); ++g)
        if (first_legs_.distance[g * size + from.vertex] == FabricGraph::unreached)
          reject(graph_.members(from).front(), groups.switches[groups.drawn[g]].front());
    };
    const auto require_receiver = [&](const FabricGraph::Bundle& to) {
      for (const std::uint32_t group : groups.drawn)
        for (const std::uint32_t entry : groups.entries[group])
          if (group != graph_.group(to.vertex) &&
              second.distance[place[to.vertex] * size + graph_.vertex_of(entry)] == FabricGraph::unreached)
            reject(entry, graph_.members(to).front());
    };
    std::vector<char> sends(graph_.bundles().size(), 0), receives(graph_.bundles().size(), 0);
    for (std::size_t demand = 0; demand < demands().size(); ++demand) {
      if (demands()[demand].route != RouteRule::valiant) continue;
      for (std::size_t b = 0; b < graph_.bundles().size() && product(demand) != nullptr; ++b) {
        const auto& part = signature(graph_.bundles()[b]).parts[demand];
        if (part.out != 0) sends[b] = 1;
        if (part.in != 0) receives[b] = 1;
      }
      if (product(demand) != nullptr) continue;
      for (const auto& entry : std::get<SparseDemand>(demands()[demand].rates).entries)
        sends[graph_.bundle_of(entry.from)] = receives[graph_.bundle_of(entry.to)] = 1;
    }
    for (std::size_t b = 0; b < graph_.bundles().size(); ++b) {
      if (sends[b] != 0) require_sender(graph_.bundles()[b]);
      if (receives[b] != 0) require_receiver(graph_.bundles()[b]);
    }
  }

  /// Can all senders reach all their destinations?
  void require_paths(const RouteTable& route_table) const {
    const std::size_t size = graph_.size();
    const std::vector<std::uint32_t> place = places_of(route_table);
    const auto reached = [&](const FabricGraph::Bundle& from, const FabricGraph::Bundle& to) {
      return route_table.distance[place[to.vertex] * size + from.vertex] != FabricGraph::unreached;
    };
    for (std::size_t demand = 0; demand < demands().size(); ++demand) {
      if (leg_rule(demands()[demand].route) != route_table.rule) continue;
      if (product(demand) == nullptr) {
        for (const auto& entry : std::get<SparseDemand>(demands()[demand].rates).entries)
          if (!reached(graph_.bundles()[graph_.bundle_of(entry.from)],
                       graph_.bundles()[graph_.bundle_of(entry.to)]))
            reject(entry.from, entry.to);
        continue;
      }
      // In a row without gaps the sources need no check.
      for (std::size_t d = 0; d < route_table.destinations.size(); ++d) {
        const auto row = route_table.distance.begin() + static_cast<std::ptrdiff_t>(d * size);
        if (std::find(row, row + static_cast<std::ptrdiff_t>(size), FabricGraph::unreached) ==
            row + static_cast<std::ptrdiff_t>(size))
          continue;
        for (const FabricGraph::Bundle& to : graph_.bundles_at(route_table.destinations[d]))
          for (const FabricGraph::Bundle& from : graph_.bundles()) {
            const auto &sends = signature(from).parts[demand], &gets = signature(to).parts[demand];
            if (sends.out != 0 && gets.in != 0 && sends.group == gets.group && !reached(from, to))
              reject(graph_.members(from).front(), graph_.members(to).front());
          }
      }
    }
  }

  // --- Rates --------------------------------------------------------------------------------------------

  /// Per-source demand lists: for each destination's vertex the senders and their rates.
  template <class N>
  struct Listed {
    struct Entry {
      std::uint32_t bundle;
      N parts;
    };
    std::vector<std::vector<Entry>> to;  ///< [destination of the routes]
  };

  /// One rule's routes with all numbers as N.
  template <class N>
  struct Pass {
    const RouteTable* route_table = nullptr;
    std::vector<N> share;                   ///< [distance]: of RouteTable::shares
    std::vector<N> before, after;           ///< products of the shares of all smaller, all larger distances
    std::vector<N> after_first_leg;         ///< the latter without Shares::first_legs
    std::vector<std::size_t> by_vertex;     ///< demands
    std::vector<char> valiant;              ///< [by_vertex]
    std::vector<std::vector<N>> attracted;  ///< [by_vertex][destination]: its rate per unit sent
    Listed<N> listed, crossing;             ///< the latter on Valiant routes from group to group
  };

  /// First legs of Valiant routes with all numbers as N.
  template <class N>
  struct FirstLegs {
    struct Entry {
      std::uint32_t vertex;
      N parts;  ///< of Shares::first_legs
    };
    Pass<N> pass;           ///< its destinations are groups
    std::vector<N> chance;  ///< [group]: packets from there to each other one, times Shares::legs
    std::vector<std::vector<Entry>> from;            ///< [vertex]: traffic that enters its group there
    std::vector<std::vector<Entry>> to;              ///< [vertex]: the same by sender
    std::vector<std::vector<N>> attracted;           ///< [by_vertex of the spread pass][group]
    std::vector<N> attracted_in_all;                 ///< [by_vertex of the spread pass]: total over groups
    std::vector<std::map<std::uint32_t, N>> listed;  ///< [bundle]: its traffic to each other group
  };

  template <class N>
  void count(const Shares& shares) {
    std::vector<Pass<N>> passes;
    for (const RouteTable& route_table : route_tables_) passes.push_back(pass_of<N>(route_table, shares));
    mark_senders();
    FirstLegs<N> first_legs;
    if (by_groups_) first_legs = first_legs_of(passes.back(), shares);
    collect_rates<N>(passes, first_legs, to_wide<N>(shares.legs * shares.first_legs));
  }

  template <class N>
  Pass<N> pass_of(const RouteTable& route_table, const Shares& shares) const {
    // The other rule's routes may have other shares: the missing factor goes to the largest distances.
    Pass<N> pass =
        levels_of<N>(route_table, numeric::exact_quotient(shares.legs, product_of(route_table.shares)));
    pass.after_first_leg = pass.after;
    for (N& after : pass.after) after *= to_wide<N>(shares.first_legs);
    const std::vector<std::uint32_t> place = places_of(route_table);
    pass.listed.to.resize(route_table.destinations.size());
    pass.crossing.to.resize(route_table.destinations.size());
    for (std::size_t demand = 0; demand < demands().size(); ++demand) {
      if (leg_rule(demands()[demand].route) != route_table.rule) continue;
      if (by_vertex(demand)) {
        std::vector<Integer> sums(route_table.destinations.size(), 0);
        for (const FabricGraph::Bundle& bundle : graph_.bundles())
          if (const std::uint32_t in = signature(bundle).parts[demand].in; in != 0)
            sums[place[bundle.vertex]] =
                sums[place[bundle.vertex]] +
                parts_.demands[demand].in[in] * Integer(static_cast<unsigned long>(bundle.count));
        pass.by_vertex.push_back(demand);
        pass.valiant.push_back(demands()[demand].route == RouteRule::valiant ? 1 : 0);
        auto& attracted = pass.attracted.emplace_back();
        for (const Integer& sum : sums) attracted.push_back(to_wide<N>(sum));
      } else if (product(demand) != nullptr) {
        list_groups(demand, place, pass);
      } else if (!all_listed()) {
        std::vector<N> rates;
        for (const Integer& parts : parts_.demands[demand].listed) rates.push_back(to_wide<N>(parts));
        for (const auto& entry : std::get<SparseDemand>(demands()[demand].rates).entries) {
          const std::uint32_t from = graph_.bundle_of(entry.from);
          const std::uint32_t to = graph_.bundles()[graph_.bundle_of(entry.to)].vertex;
          if (graph_.bundles()[from].vertex != to)
            list_of(pass, demand, from, to).to[place[to]].push_back({from, rates[entry.rate]});
        }
      }
    }
    return pass;
  }

  /// Shares level by level.  \param factor  for all levels
  template <class N>
  Pass<N> levels_of(const RouteTable& route_table, const Integer& factor) const {
    Pass<N> pass;
    pass.route_table = &route_table;
    const std::size_t levels = route_table.shares.size();
    Integer after = factor, before = 1;
    pass.after.resize(levels);
    for (std::size_t k = levels; k-- > 0;) {
      pass.after[k] = to_wide<N>(after);
      after = after * route_table.shares[k];
    }
    for (std::size_t k = 0; k < levels; ++k) {
      pass.share.push_back(to_wide<N>(route_table.shares[k]));
      pass.before.push_back(to_wide<N>(before));
      before = before * route_table.shares[k];
    }
    return pass;
  }

  /// For listed traffic of a bundle to a vertex.
  template <class N>
  Listed<N>& list_of(Pass<N>& pass, std::size_t demand, std::uint32_t from, std::uint32_t to) const {
    return crosses(demand, graph_.bundles()[from].vertex, to) ? pass.crossing : pass.listed;
  }
  [[nodiscard]] bool crosses(std::size_t demand, std::uint32_t from, std::uint32_t to) const {
    return demands()[demand].route == RouteRule::valiant && graph_.group(from) != graph_.group(to);
  }

  /// \param pass  the one for spread routes
  template <class N>
  FirstLegs<N> first_legs_of(const Pass<N>& pass, const Shares& shares) {
    const SwitchGroups& groups = *graph_.groups();
    FirstLegs<N> legs;
    legs.pass = levels_of<N>(first_legs_, 1);
    std::vector<N> chance;  // without Shares::legs
    for (std::uint32_t group = 0; group < groups.size(); ++group) {
      const Integer each =
          numeric::exact_quotient(shares.chances, Integer(static_cast<unsigned long>(groups.choices(group))));
      chance.push_back(to_wide<N>(each));
      legs.chance.push_back(to_wide<N>(each * shares.legs));
    }
    legs.from.resize(graph_.size());
    legs.to.resize(graph_.size());
    Cone<N> cone(graph_.size());
    std::size_t pairs = 0;
    for (std::size_t g = 0; g < groups.drawn.size(); ++g)
      for (const std::uint32_t entry : groups.entries[groups.drawn[g]]) {
        const std::uint32_t into = graph_.vertex_of(entry);
        walk_up(legs.pass, g, into, cone);
        const std::uint16_t* distance = first_legs_.distance.data() + g * graph_.size();
        for (const std::uint32_t x : cone.members) {
          // a host may be connected to several switches of its group
          const std::uint32_t own = graph_.group(x);
          if (sends_[x] == 0 || own == SwitchGroups::none || own == groups.drawn[g]) continue;
          const N parts = cone.reach[x] * legs.pass.after[distance[x]] * chance[own];
          legs.from[into].push_back({x, parts});
          legs.to[x].push_back({into, parts});
          if (++pairs > max_pairs)
            throw LimitExceeded(
                "more than 200000000 pairs of a switch and an entry switch of a group, the limit");
        }
      }
    for (std::size_t k = 0; k < pass.by_vertex.size(); ++k) {
      auto& attracted = legs.attracted.emplace_back(groups.size(), N(0));
      N all = 0;
      for (std::size_t d = 0; d < pass.route_table->destinations.size() && pass.valiant[k] != 0; ++d)
        if (pass.attracted[k][d] != 0) {
          attracted[graph_.group(pass.route_table->destinations[d])] += pass.attracted[k][d];
          all += pass.attracted[k][d];
        }
      legs.attracted_in_all.push_back(all);
    }
    legs.listed.resize(graph_.bundles().size());
    for (std::size_t d = 0; d < pass.crossing.to.size(); ++d)
      for (const auto& entry : pass.crossing.to[d])
        legs.listed[entry.bundle]
            .try_emplace(graph_.group(pass.route_table->destinations[d]), N(0))
            .first->second += entry.parts;
    return legs;
  }

  /// All traffic within a group to all vertices that receive in it.
  template <class N>
  void list_groups(std::size_t demand, const std::vector<std::uint32_t>& place, Pass<N>& pass) const {
    struct Group {
      std::vector<std::uint32_t> senders;          // bundles
      std::map<std::uint32_t, Integer> attracted;  // by vertex
    };
    std::map<std::uint32_t, Group> groups;
    const auto& parts = parts_.demands[demand];
    for (std::uint32_t i = 0; i < graph_.bundles().size(); ++i) {
      const FabricGraph::Bundle& bundle = graph_.bundles()[i];
      const auto& its = signature(bundle).parts[demand];
      if (its.out == 0 && its.in == 0) continue;
      Group& group = groups[its.group];
      if (its.out != 0) group.senders.push_back(i);
      if (its.in == 0) continue;
      Integer& sum = group.attracted.try_emplace(bundle.vertex, 0).first->second;
      sum = sum + parts.in[its.in] * Integer(static_cast<unsigned long>(bundle.count));
    }
    for (const auto& [number, group] : groups)
      for (const auto& [vertex, sum] : group.attracted)
        for (const std::uint32_t from : group.senders)
          if (const FabricGraph::Bundle& bundle = graph_.bundles()[from]; bundle.vertex != vertex)
            list_of(pass, demand, from, vertex)
                .to[place[vertex]]
                .push_back({from, to_wide<N>(parts.out[signature(bundle).parts[demand].out] * sum)});
  }

  template <class N>
  struct Found {
    N parts;
    std::uint64_t count;
  };

  /// The cone of one vertex u and one destination: all vertices from which packets to it pass through u, with
  /// their probabilities (in units of the products of shares from u's distance up to theirs).
  template <class N>
  struct Cone {
    explicit Cone(std::size_t size) : mark(size, 0), reach(size) {}
    std::vector<std::uint32_t> members, mark;
    std::vector<N> reach;
    std::uint32_t round = 0;
  };

  template <class N>
  void walk_up(const Pass<N>& pass, std::size_t d, std::uint32_t from, Cone<N>& cone) {
    const std::size_t size = graph_.size();
    const std::uint16_t* distance = pass.route_table->distance.data() + d * size;
    const std::uint32_t* choice = pass.route_table->choice.data() + d * size;
    const bool spread = pass.route_table->spreads();
    const std::uint32_t toward = pass.route_table->toward_of(d);
    ++cone.round;
    cone.members.assign(1, from);
    cone.mark[from] = cone.round;
    cone.reach[from] = 1;
    std::size_t looked = 0;
    for (std::size_t next = 0; next < cone.members.size(); ++next) {
      const std::uint32_t y = cone.members[next];
      if (!graph_.forwards(y)) continue;
      const std::uint32_t above = distance[y] + 1U;
      const auto arcs = graph_.entering(y);
      looked += arcs.size();
      for (const FabricGraph::Arc& arc : arcs) {
        const std::uint32_t x = arc.other;
        if (distance[x] != above || !graph_.may_pass(x, y, toward)) continue;
        N part = cone.reach[y];
        if (spread) {
          part *= pass.share[above] / N(choice[x]) * N(arc.weight);
        } else {
          const std::uint32_t chosen = choice[x];
          if (graph_.leaving(x)[chosen - graph_.first_arc(x)].link != arc.link) continue;
        }
        if (cone.mark[x] != cone.round) {
          cone.mark[x] = cone.round;
          cone.reach[x] = part;
          cone.members.push_back(x);
        } else {
          cone.reach[x] += part;
        }
      }
    }
    add_steps(static_cast<double>(looked + 8));
  }

  /// Sums for the requested arcs of one vertex.
  template <class N>
  struct Sums {
    std::vector<std::vector<N>> by_vertex;  ///< [arc x demand by vertex][vertex]
    std::vector<std::vector<N>> by_bundle;  ///< [arc][bundle]
  };

  template <class N>
  void collect_rates(const std::vector<Pass<N>>& passes, const FirstLegs<N>& first_legs,
                     const N& all_shares) {
    result_.words_ = sizeof(N) == sizeof(Short) ? 2 : 8;
    result_.queue_of_link_.assign(graph_.fabric().network.links.size(), FabricGraph::none);
    Cone<N> cone(graph_.size());
    std::vector<std::uint32_t> queue_of_arc(graph_.arcs(), FabricGraph::none);
    if (all_listed()) rates_of_lists(passes, first_legs, queue_of_arc);
    for (std::uint32_t vertex = 0; vertex < graph_.size() && !all_listed(); ++vertex) {
      if (!graph_.forwards(vertex)) continue;
      std::vector<std::uint32_t> requested;
      const std::size_t first = graph_.first_arc(vertex);
      for (std::uint32_t i = 0; i < graph_.leaving(vertex).size(); ++i)
        if (orbits_.arc[first + i] == first + i) requested.push_back(i);
      if (!requested.empty()) rates_of_arcs(passes, first_legs, vertex, requested, cone, queue_of_arc);
    }
    std::vector<std::uint32_t> queue_of_bundle(graph_.bundles().size(), FabricGraph::none);
    count_senders();
    for (std::uint32_t b = 0; b < graph_.bundles().size(); ++b)
      if (orbits_.bundle[b] == b && !graph_.bundles()[b].own)
        queue_of_bundle[b] = add_queue(rates_to_bundle<N>(b, all_shares),
                                       graph_.link_to(graph_.members(graph_.bundles()[b]).front()));
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex)
      for (std::uint32_t i = 0; i < graph_.leaving(vertex).size(); ++i)
        note_link(graph_.leaving(vertex)[i].link, queue_of_arc[orbits_.arc[graph_.first_arc(vertex) + i]]);
    for (std::uint32_t b = 0; b < graph_.bundles().size(); ++b)
      if (!graph_.bundles()[b].own)
        for (const std::uint32_t node : graph_.members(graph_.bundles()[b]))
          note_link(graph_.link_to(node), queue_of_bundle[orbits_.bundle[b]]);
  }

  void note_link(std::uint32_t link, std::uint32_t queue) {
    result_.queue_of_link_[link] = queue;
    if (queue == FabricGraph::none) return;
    FabricRates::Queue& its = result_.queues_[queue];
    its.link = its.links == 0 ? link : std::min(its.link, link);
    ++its.links;
  }

  void mark_senders() {
    sends_.assign(graph_.size(), 0);
    for (const FabricGraph::Bundle& bundle : graph_.bundles()) sends_[bundle.vertex] = 1;
  }

  /// The requested arcs that lead closer, each with its share.
  template <class N>
  using Leads = std::vector<std::pair<std::size_t, N>>;

  template <class N>
  void find_leads(const Pass<N>& pass, std::size_t d, std::uint32_t vertex,
                  const std::vector<std::uint32_t>& requested, Leads<N>& leads) const {
    const std::uint16_t* distance = pass.route_table->distance.data() + d * graph_.size();
    const std::uint16_t here = distance[vertex];
    leads.clear();
    if (here == 0 || here == FabricGraph::unreached) return;
    const std::uint32_t chosen = pass.route_table->choice[d * graph_.size() + vertex];
    const auto arcs = graph_.leaving(vertex);
    for (std::size_t a = 0; a < requested.size(); ++a) {
      if (!pass.route_table->spreads()) {
        if (chosen == graph_.first_arc(vertex) + requested[a]) leads.emplace_back(a, pass.before[here]);
      } else if (graph_.leads_closer(vertex, arcs[requested[a]], distance, pass.route_table->toward_of(d))) {
        leads.emplace_back(a,
                           pass.share[here] / N(chosen) * N(arcs[requested[a]].weight) * pass.before[here]);
      }
    }
  }

  /// Traffic to each group that passes the requested arcs after entering another group, per unit that enters
  /// there.
  template <class N>
  struct SecondLegs {
    SecondLegs(std::size_t count, std::size_t size) : by_group(count, std::vector<std::vector<N>>(size)) {}
    std::vector<std::vector<std::vector<N>>> by_group;  ///< [arc x demand by vertex][vertex][group]; or empty
  };

  /// To one destination: per-vertex sums are kept per entry switch of a group, as all senders share them.
  template <class N>
  void meet_second_legs(const Pass<N>& pass, const FirstLegs<N>& first_legs, std::size_t d,
                        const Leads<N>& leads, const Cone<N>& cone, std::size_t first_stream,
                        std::size_t streams, SecondLegs<N>& second_legs, Sums<N>& sums) {
    const std::uint16_t* distance = pass.route_table->distance.data() + d * graph_.size();
    const std::uint32_t group = graph_.group(pass.route_table->destinations[d]);
    for (const std::uint32_t x : cone.members) {
      if (first_legs.from[x].empty() || graph_.group(x) == group) continue;
      const N reach = cone.reach[x] * pass.after_first_leg[distance[x]];
      for (std::size_t k = 0; k < pass.by_vertex.size(); ++k) {
        if (pass.valiant[k] == 0 || pass.attracted[k][d] == 0) continue;
        for (const auto& [a, share] : leads) {
          auto& by_group = second_legs.by_group[a * streams + first_stream + k][x];
          if (by_group.empty()) by_group.assign(graph_.groups()->size(), N(0));
          by_group[group] += pass.attracted[k][d] * reach * share;
        }
      }
    }
    double steps = 0;
    for (const auto& entry : pass.crossing.to[d]) {
      N reach = 0;
      for (const auto& [x, parts] : first_legs.to[graph_.bundles()[entry.bundle].vertex])
        if (cone.mark[x] == cone.round && graph_.group(x) != group)
          reach += parts * cone.reach[x] * pass.after_first_leg[distance[x]];
      steps += static_cast<double>(first_legs.to[graph_.bundles()[entry.bundle].vertex].size());
      if (reach == 0) continue;
      for (const auto& [a, share] : leads) sums.by_bundle[a][entry.bundle] += entry.parts * reach * share;
    }
    add_steps(steps);
  }

  /// From all senders, except to their own groups.
  template <class N>
  void add_second_legs(const FirstLegs<N>& first_legs, const SecondLegs<N>& second_legs, Sums<N>& sums) {
    double steps = 0;
    for (std::size_t i = 0; i < second_legs.by_group.size(); ++i)
      for (std::uint32_t x = 0; x < graph_.size(); ++x) {
        const std::vector<N>& by_group = second_legs.by_group[i][x];
        if (by_group.empty()) continue;
        N all = 0;
        for (const N& each : by_group) all += each;
        for (const auto& [from, parts] : first_legs.from[x])
          sums.by_vertex[i][from] += parts * (all - by_group[graph_.group(from)]);
        steps += static_cast<double>(first_legs.from[x].size() + by_group.size());
      }
    add_steps(steps);
  }

  /// Transit traffic per group: packets routed through a group that is not their destination.
  template <class N>
  void add_first_legs(const Pass<N>& pass, const FirstLegs<N>& first_legs, std::uint32_t vertex,
                      const std::vector<std::uint32_t>& requested, Cone<N>& cone, std::size_t first_stream,
                      std::size_t streams, Sums<N>& sums) {
    Leads<N> leads;
    for (std::size_t g = 0; g < first_legs_.destinations.size(); ++g) {
      const std::uint32_t group = first_legs_.destinations[g];
      find_leads(first_legs.pass, g, vertex, requested, leads);
      if (leads.empty()) continue;
      walk_up(first_legs.pass, g, vertex, cone);
      const std::uint16_t* distance = first_legs_.distance.data() + g * graph_.size();
      for (const std::uint32_t x : cone.members) {
        const std::uint32_t own = graph_.group(x);
        if (sends_[x] == 0 || own == SwitchGroups::none) continue;
        const N reach = cone.reach[x] * first_legs.pass.after[distance[x]] * first_legs.chance[own];
        for (std::size_t k = 0; k < pass.by_vertex.size(); ++k) {
          const auto& attracted = first_legs.attracted[k];
          const N others = first_legs.attracted_in_all[k] - attracted[own] - attracted[group];
          if (others == 0) continue;
          for (const auto& [a, share] : leads)
            sums.by_vertex[a * streams + first_stream + k][x] += others * reach * share;
        }
        for (const FabricGraph::Bundle& bundle : graph_.bundles_at(x)) {
          const auto b = static_cast<std::size_t>(&bundle - graph_.bundles().data());
          N others = 0;
          for (const auto& [to, parts] : first_legs.listed[b])
            if (to != group) others += parts;
          if (others == 0) continue;
          for (const auto& [a, share] : leads) sums.by_bundle[a][b] += others * reach * share;
        }
      }
      add_steps(static_cast<double>(cone.members.size() * leads.size()));
    }
  }

  template <class N>
  void rates_of_arcs(const std::vector<Pass<N>>& passes, const FirstLegs<N>& first_legs, std::uint32_t vertex,
                     const std::vector<std::uint32_t>& requested, Cone<N>& cone,
                     std::vector<std::uint32_t>& queue_of_arc) {
    const std::size_t size = graph_.size();
    const auto arcs = graph_.leaving(vertex);
    std::size_t streams = 0;
    bool lists = false;
    for (const Pass<N>& pass : passes) {
      streams += pass.by_vertex.size();
      for (const auto* list : {&pass.listed, &pass.crossing})
        for (const auto& entries : list->to) lists = lists || !entries.empty();
    }
    Sums<N> sums;
    sums.by_vertex.assign(requested.size() * streams, std::vector<N>(size, N(0)));
    sums.by_bundle.assign(requested.size(), std::vector<N>(lists ? graph_.bundles().size() : 0, N(0)));
    SecondLegs<N> second_legs(by_groups_ ? requested.size() * streams : 0, size);
    Leads<N> leads;
    std::size_t first_stream = 0;
    for (const Pass<N>& pass : passes) {
      const RouteTable& route_table = *pass.route_table;
      for (std::size_t d = 0; d < route_table.destinations.size(); ++d) {
        const std::uint16_t* distance = route_table.distance.data() + d * size;
        find_leads(pass, d, vertex, requested, leads);
        if (leads.empty()) continue;
        walk_up(pass, d, vertex, cone);
        for (const std::uint32_t x : cone.members) {
          if (sends_[x] == 0 || pass.by_vertex.empty()) continue;
          const N reach = cone.reach[x] * pass.after[distance[x]];
          for (std::size_t k = 0; k < pass.by_vertex.size(); ++k) {
            if (crosses(pass.by_vertex[k], x, route_table.destinations[d])) continue;
            const N attracted = pass.attracted[k][d] * reach;
            if (attracted == 0) continue;
            for (const auto& [a, share] : leads)
              sums.by_vertex[a * streams + first_stream + k][x] += attracted * share;
          }
        }
        for (const auto& entry : pass.listed.to[d]) {
          const std::uint32_t x = graph_.bundles()[entry.bundle].vertex;
          if (cone.mark[x] != cone.round) continue;
          const N parts = entry.parts * cone.reach[x] * pass.after[distance[x]];
          for (const auto& [a, share] : leads) sums.by_bundle[a][entry.bundle] += parts * share;
        }
        add_steps(static_cast<double>(pass.listed.to[d].size() + cone.members.size() * leads.size()));
        if (by_groups_ && route_table.rule == RouteRule::spread)
          meet_second_legs(pass, first_legs, d, leads, cone, first_stream, streams, second_legs, sums);
      }
      if (by_groups_ && route_table.rule == RouteRule::spread) {
        add_second_legs(first_legs, second_legs, sums);
        add_first_legs(pass, first_legs, vertex, requested, cone, first_stream, streams, sums);
      }
      first_stream += pass.by_vertex.size();
    }
    for (std::size_t a = 0; a < requested.size(); ++a)
      queue_of_arc[graph_.first_arc(vertex) + requested[a]] =
          add_queue(gather(passes, sums, a, streams, arcs[requested[a]].link), arcs[requested[a]].link);
  }

  // If all traffic is listed: source by source along its routes. The numbers are the same.

  /// The feeds of one arc so far; equal rates are merged from time to time.
  template <class N>
  struct Kinds {
    std::vector<Found<N>> kinds;
    std::size_t full = 64;

    /// Returns the number of new kinds.
    std::ptrdiff_t add(const N& parts, std::uint64_t count) {
      const auto before = std::ssize(kinds);
      for (std::size_t i = 0; i < std::min<std::size_t>(kinds.size(), 4); ++i)
        if (kinds[i].parts == parts) {
          kinds[i].count += count;
          return 0;
        }
      kinds.push_back({parts, count});
      if (kinds.size() >= full) {
        std::sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.parts < b.parts; });
        std::size_t kept = 0;
        for (std::size_t i = 1; i < kinds.size(); ++i)
          if (kinds[i].parts == kinds[kept].parts)
            kinds[kept].count += kinds[i].count;
          else
            kinds[++kept] = kinds[i];
        kinds.resize(kept + 1);
        full = std::max<std::size_t>(64, 2 * kinds.size());
      }
      return std::ssize(kinds) - before;
    }
  };

  /// The traffic of one source, and the arcs that it has passed so far.
  template <class N>
  struct Stream {
    struct To {
      std::size_t pass, destination;  ///< of the routes
      N parts;
    };
    std::vector<To> to, crossing;  ///< the latter on Valiant routes to other groups
    /// vertices, with the traffic that starts there to one destination
    std::vector<std::pair<std::uint32_t, N>> starts;
    std::vector<std::vector<std::uint32_t>> at;  ///< [distance]: vertices on the routes to the destination
    std::vector<std::uint32_t> mark;
    std::vector<N> flow;  ///< [vertex]
    std::uint32_t round = 0;
    std::vector<N> rate;                ///< [arc]
    std::vector<std::uint32_t> passed;  ///< arcs
  };

  /// Sums the traffic to each destination.
  template <class To>
  static void join_identical(std::vector<To>& all) {
    std::sort(all.begin(), all.end(), [](const To& x, const To& y) {
      return std::pair(x.pass, x.destination) < std::pair(y.pass, y.destination);
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++kept) {
      To sum = all[i];
      for (++i; i < all.size() && all[i].pass == sum.pass && all[i].destination == sum.destination; ++i)
        sum.parts += all[i].parts;
      all[kept] = std::move(sum);
    }
    all.resize(kept);
  }

  /// Down to one destination from Stream::starts.
  template <class N>
  void walk_down(const Pass<N>& pass, std::size_t destination, Stream<N>& stream) {
    const std::uint16_t* distance = pass.route_table->distance.data() + destination * graph_.size();
    const std::uint32_t* choice = pass.route_table->choice.data() + destination * graph_.size();
    const bool spread = pass.route_table->spreads();
    const std::uint32_t toward = pass.route_table->toward_of(destination);
    ++stream.round;
    const auto meet = [&](std::uint32_t vertex, const N& part) {
      if (stream.mark[vertex] != stream.round) {
        stream.mark[vertex] = stream.round;
        stream.flow[vertex] = part;
        if (stream.at.size() <= distance[vertex]) stream.at.resize(distance[vertex] + std::size_t{1});
        stream.at[distance[vertex]].push_back(vertex);
      } else {
        stream.flow[vertex] += part;
      }
    };
    for (const auto& [vertex, flow] : stream.starts) meet(vertex, flow);
    std::size_t looked = 0;
    for (std::size_t here = stream.at.size(); here-- > 0;) {
      for (const std::uint32_t u : stream.at[here]) {
        if (here == 0) break;
        const auto arcs = graph_.leaving(u);
        const std::size_t first = graph_.first_arc(u);
        const N unit = spread ? stream.flow[u] * (pass.share[here] / N(choice[u])) : stream.flow[u];
        looked += arcs.size();
        for (std::size_t i = spread ? 0 : choice[u] - first; i < arcs.size(); ++i) {
          const FabricGraph::Arc& arc = arcs[i];
          if (spread && !graph_.leads_closer(u, arc, distance, toward)) continue;
          const N part = spread ? unit * N(arc.weight) : unit;
          if (graph_.forwards(u) && orbits_.arc[first + i] == first + i) {
            N& rate = stream.rate[first + i];
            if (rate == 0) stream.passed.push_back(static_cast<std::uint32_t>(first + i));
            rate += part * pass.before[here];
          }
          meet(arc.other, part);
          if (!spread) break;
        }
      }
      stream.at[here].clear();
    }
    add_steps(static_cast<double>(looked + 8));
  }

  /// Traffic of one source on Valiant routes to other groups.
  template <class N>
  void walk_legs(const Pass<N>& pass, const FirstLegs<N>& first_legs, std::uint32_t from, Stream<N>& stream) {
    const std::uint32_t own = graph_.group(from);
    std::map<std::uint32_t, N> by_group;
    N all = 0;
    for (const auto& to : stream.crossing) {
      const std::uint32_t group = graph_.group(pass.route_table->destinations[to.destination]);
      by_group.try_emplace(group, N(0)).first->second += to.parts;
      all += to.parts;
      const std::uint16_t* distance = pass.route_table->distance.data() + to.destination * graph_.size();
      stream.starts.clear();
      for (const auto& [into, parts] : first_legs.to[from])
        if (graph_.group(into) != group)
          stream.starts.emplace_back(into, to.parts * parts * pass.after_first_leg[distance[into]]);
      walk_down(pass, to.destination, stream);
    }
    for (std::size_t g = 0; g < first_legs_.destinations.size() && all != 0; ++g) {
      const std::uint32_t group = first_legs_.destinations[g];
      const auto found = by_group.find(group);
      const N others = found == by_group.end() ? all : all - found->second;
      if (group == own || others == 0) continue;
      const std::uint16_t distance = first_legs_.distance[g * graph_.size() + from];
      stream.starts.assign(1, {from, others * first_legs.chance[own] * first_legs.pass.after[distance]});
      walk_down(first_legs.pass, g, stream);
    }
  }

  template <class N>
  void rates_of_lists(const std::vector<Pass<N>>& passes, const FirstLegs<N>& first_legs,
                      std::vector<std::uint32_t>& queue_of_arc) {
    struct List {
      const SparseDemand* demand;
      std::size_t number;
      std::size_t pass;
      std::vector<N> parts;            ///< of each value
      std::vector<std::size_t> begin;  ///< of each bundle, in `entries`
      std::vector<std::uint32_t> entries;
    };
    std::vector<List> lists;
    for (std::size_t demand = 0; demand < demands().size(); ++demand) {
      const auto& sparse = std::get<SparseDemand>(demands()[demand].rates);
      List& list = lists.emplace_back();
      list.demand = &sparse;
      list.number = demand;
      while (passes[list.pass].route_table->rule != leg_rule(demands()[demand].route)) ++list.pass;
      for (const Integer& parts : parts_.demands[demand].listed) list.parts.push_back(to_wide<N>(parts));
      list.begin.assign(graph_.bundles().size() + 1, 0);
      for (const auto& entry : sparse.entries) ++list.begin[graph_.bundle_of(entry.from) + 1];
      std::partial_sum(list.begin.begin(), list.begin.end(), list.begin.begin());
      list.entries.resize(sparse.entries.size());
      std::vector<std::size_t> next(list.begin.begin(), list.begin.end() - 1);
      for (std::uint32_t i = 0; i < sparse.entries.size(); ++i)
        list.entries[next[graph_.bundle_of(sparse.entries[i].from)]++] = i;
    }
    std::vector<std::vector<std::uint32_t>> place;
    for (const Pass<N>& pass : passes) place.push_back(places_of(*pass.route_table));
    std::vector<std::uint32_t> link_of_arc;
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex)
      for (const FabricGraph::Arc& arc : graph_.leaving(vertex)) link_of_arc.push_back(arc.link);
    Stream<N> stream;
    stream.mark.assign(graph_.size(), 0);
    stream.flow.assign(graph_.size(), N(0));
    stream.rate.assign(graph_.arcs(), N(0));
    std::vector<Kinds<N>> kinds(graph_.arcs());
    std::ptrdiff_t all_kinds = 0;
    for (std::uint32_t b = 0; b < graph_.bundles().size(); ++b) {
      const std::uint32_t from = graph_.bundles()[b].vertex;
      stream.to.clear();
      stream.crossing.clear();
      for (const List& list : lists)
        for (std::size_t i = list.begin[b]; i < list.begin[b + 1]; ++i) {
          const auto& entry = list.demand->entries[list.entries[i]];
          const std::uint32_t vertex = graph_.bundles()[graph_.bundle_of(entry.to)].vertex;
          (crosses(list.number, from, vertex) ? stream.crossing : stream.to)
              .push_back({list.pass, place[list.pass][vertex], list.parts[entry.rate]});
        }
      join_identical(stream.to);
      for (const auto& to : stream.to) {
        const Pass<N>& pass = passes[to.pass];
        const std::uint16_t distance = pass.route_table->distance[to.destination * graph_.size() + from];
        if (distance == 0) continue;
        stream.starts.assign(1, {from, to.parts * pass.after[distance]});
        walk_down(pass, to.destination, stream);
      }
      join_identical(stream.crossing);
      if (!stream.crossing.empty()) walk_legs(passes.back(), first_legs, from, stream);
      for (const std::uint32_t arc : stream.passed) {
        const Found<N> lanes = in_lanes(std::exchange(stream.rate[arc], N(0)), 1,
                                        signature(graph_.bundles()[b]), link_of_arc[arc]);
        all_kinds += kinds[arc].add(lanes.parts, lanes.count);
      }
      stream.passed.clear();
      if (all_kinds > max_kinds)
        throw LimitExceeded("the arrivals at the queues have more than 100000000 different rates, the limit");
    }
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex)
      for (std::uint32_t i = 0; i < graph_.leaving(vertex).size(); ++i) {
        const std::size_t arc = graph_.first_arc(vertex) + i;
        queue_of_arc[arc] = add_queue(std::exchange(kinds[arc], {}).kinds, graph_.leaving(vertex)[i].link);
      }
  }

  /// The sources of one arc, from its sums.
  template <class N>
  std::vector<Found<N>> gather(const std::vector<Pass<N>>& passes, const Sums<N>& sums, std::size_t a,
                               std::size_t streams, std::uint32_t link) {
    std::vector<Found<N>> found;
    for (std::uint32_t b = 0; b < graph_.bundles().size(); ++b) {
      const FabricGraph::Bundle& bundle = graph_.bundles()[b];
      N parts = sums.by_bundle[a].empty() ? N(0) : sums.by_bundle[a][b];
      std::size_t stream = 0;
      for (const Pass<N>& pass : passes)
        for (const std::size_t demand : pass.by_vertex) {
          const N& sum = sums.by_vertex[a * streams + stream++][bundle.vertex];
          const std::uint32_t out = signature(bundle).parts[demand].out;
          if (out != 0 && sum != 0) parts += sum * out_parts<N>(demand, out);
        }
      if (parts != 0) found.push_back(in_lanes(parts, bundle.count, signature(bundle), link));
    }
    add_steps(static_cast<double>(graph_.bundles().size()));
    return found;
  }

  template <class N>
  const N& out_parts(std::size_t demand, std::uint32_t value) {
    auto& known = std::get<std::vector<std::vector<N>>>(out_);
    if (known.empty())
      for (const auto& each : parts_.demands) {
        known.emplace_back();
        for (const Integer& parts : each.out) known.back().push_back(to_wide<N>(parts));
      }
    return known[demand][value];
  }

  /// Number of nodes of each signature.
  void count_senders() {
    nodes_with_.assign(graph_.signatures().size(), 0);
    for (const FabricGraph::Bundle& bundle : graph_.bundles()) nodes_with_[bundle.signature] += bundle.count;
  }

  /// Traffic from a node of one signature to one of another, in units of 1 / denominator.
  [[nodiscard]] Integer product_parts(const FabricGraph::Signature& from,
                                      const FabricGraph::Signature& to) const {
    Integer sum = 0;
    for (std::size_t demand = 0; demand < demands().size(); ++demand) {
      const auto &sends = from.parts[demand], &gets = to.parts[demand];
      if (sends.out == 0 || gets.in == 0 || sends.group != gets.group) continue;
      sum = sum + parts_.demands[demand].out[sends.out] * parts_.demands[demand].in[gets.in];
    }
    return sum;
  }

  /// Nodes with several lanes, in packet times of the link, counted as lanes: more sources of correspondingly
  /// lower rates.
  template <class N>
  [[nodiscard]] Found<N> in_lanes(const N& parts, std::uint64_t nodes, const FabricGraph::Signature& its,
                                  std::uint32_t link) const {
    const int lanes = its.lanes(rate_of(link));
    return {parts * N(lanes_ / lanes), nodes * static_cast<std::uint64_t>(lanes)};
  }

  /// All traffic to a node attached to a vertex passes the last link.
  template <class N>
  std::vector<Found<N>> rates_to_bundle(std::uint32_t to, const N& all_shares) {
    const FabricGraph::Bundle& bundle = graph_.bundles()[to];
    const std::uint32_t link = graph_.link_to(graph_.members(bundle).front());
    add_steps(static_cast<double>(20 * graph_.signatures().size()));
    std::map<std::uint32_t, std::uint64_t> apart;  // by signature: senders whose rate is also listed
    std::vector<Found<N>> found;
    std::map<std::uint32_t, Integer> listed;  // by the bundle that sends
    for (std::size_t demand = 0; demand < demands().size(); ++demand)
      if (const auto* sparse = std::get_if<SparseDemand>(&demands()[demand].rates))
        for (const auto& entry : listed_to(*sparse, graph_.members(bundle).front())) {
          Integer& sum = listed.try_emplace(graph_.bundle_of(entry.from), 0).first->second;
          sum = sum + parts_.demands[demand].listed[entry.rate];
        }
    for (const auto& [from, parts] : listed) {
      const FabricGraph::Bundle& sender = graph_.bundles()[from];
      ++apart[sender.signature];
      found.push_back(
          in_lanes<N>(to_wide<N>(parts + product_parts(signature(sender), signature(bundle))) * all_shares, 1,
                      signature(sender), link));
    }
    for (std::uint32_t s = 0; s < graph_.signatures().size(); ++s) {
      std::uint64_t count = nodes_with_[s] - (s == bundle.signature ? 1 : 0);
      if (const auto some = apart.find(s); some != apart.end()) count -= some->second;
      if (count == 0) continue;
      const Integer parts = product_parts(graph_.signatures()[s], signature(bundle));
      if (parts != 0)
        found.push_back(in_lanes<N>(to_wide<N>(parts) * all_shares, count, graph_.signatures()[s], link));
    }
    return found;
  }

  /// Adds the queue, or finds one with the same traffic.
  template <class N>
  std::uint32_t add_queue(std::vector<Found<N>> found, std::uint32_t link) {
    if (found.empty()) return FabricGraph::none;
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.parts < b.parts; });
    FabricRates::Queue queue;
    queue.rate = rate_of(link);
    queue.first = result_.counts_.size();
    N sum = 0;
    std::uint64_t hash = static_cast<std::uint64_t>(queue.rate.packets);
    for (std::size_t i = 0; i < found.size();) {
      std::uint64_t count = 0;
      const N parts = found[i].parts;
      for (; i < found.size() && found[i].parts == parts; ++i) count += found[i].count;
      for (std::size_t word = 0; word < result_.words_; ++word) {
        result_.parts_.push_back(word_of(parts, word));
        hash = (hash ^ result_.parts_.back()) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29U;
      }
      result_.counts_.push_back(count);
      hash = (hash ^ count) * 0xbf58476d1ce4e5b9U;
      sum += parts * N(count);
      ++queue.sources;
    }
    const auto [first, last] = known_.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (same(result_.queues_[it->second], queue)) {
        result_.counts_.resize(queue.first);
        result_.parts_.resize(queue.first * result_.words_);
        return it->second;
      }
    std::array<std::uint64_t, 8> words{};
    for (std::size_t word = 0; word < result_.words_; ++word) words[word] = word_of(sum, word);
    queue.load = Rational(to_integer(words.data(), result_.words_), result_.denominator_);
    const auto position = static_cast<std::uint32_t>(result_.queues_.size());
    known_.emplace(hash, position);
    result_.queues_.push_back(std::move(queue));
    return position;
  }

  [[nodiscard]] bool same(const FabricRates::Queue& a, const FabricRates::Queue& b) const {
    if (a.rate != b.rate || a.sources != b.sources) return false;
    const auto counts = result_.counts_.begin();
    const auto parts = result_.parts_.begin();
    const auto at = [&](auto begin, std::size_t position) {
      return begin + static_cast<std::ptrdiff_t>(position);
    };
    const std::size_t words = result_.words_;
    return std::equal(at(counts, a.first), at(counts, a.first + a.sources), at(counts, b.first)) &&
           std::equal(at(parts, a.first * words), at(parts, (a.first + a.sources) * words),
                      at(parts, b.first * words));
  }

  const FabricGraph& graph_;
  const FabricOrbits& orbits_;
  TrafficParts parts_;
  std::vector<RouteTable> route_tables_;  ///< minimal before shortest before spread
  std::int64_t lanes_ = 1;                ///< a common multiple of those of all nodes
  bool by_groups_ = false;                ///< are there Valiant routes?
  RouteTable first_legs_;                 ///< of these
  std::vector<std::uint32_t> last_;
  std::vector<char> sends_;
  std::tuple<std::vector<std::vector<Short>>, std::vector<std::vector<Long>>> out_;
  std::vector<std::uint64_t> nodes_with_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> known_;
  FabricRates result_;
  double steps_ = 0;
};

std::vector<FabricRates::Source> FabricRates::sources(const Queue& queue) const {
  std::vector<Source> result;
  result.reserve(queue.sources);
  const long double scale =
      queue.rate.slots / numeric::nearest_long_double(denominator_ * queue.rate.packets);
  for (std::size_t i = queue.first; i < queue.first + queue.sources; ++i) {
    long double parts = 0;
    for (std::size_t word = words_; word-- > 0;)
      parts = parts * 0x1p64L + static_cast<long double>(parts_[i * words_ + word]);
    result.push_back({parts * scale, counts_[i]});
  }
  return result;
}

QueueTraffic FabricRates::traffic(const Network& network, const Queue& queue) const {
  QueueTraffic traffic{
      .name = network.link_name(queue.link), .rate = {}, .sources = {}, .load = queue.utilization()};
  const Rational rate = queue.rate.value();
  for (std::size_t i = queue.first; i < queue.first + queue.sources; ++i)
    traffic.sources.push_back({Rational(to_integer(&parts_[i * words_], words_), denominator_) / rate,
                               static_cast<std::int64_t>(counts_[i])});
  return traffic;
}

FabricRates fabric_rates(const FabricGraph& graph, const FabricOrbits& orbits) {
  require_spread_bundles(graph.fabric());
  return FabricRatesBuilder(graph, orbits).build();
}

std::vector<bool> used_links(const Fabric& fabric, const FabricRates& rates) {
  const Network& network = fabric.network;
  const std::vector<Rational> sent = sent_by_node(fabric);
  std::vector<bool> used(network.links.size());
  for (std::size_t link = 0; link < used.size(); ++link)
    used[link] = network.has_queue(link) ? rates.queue_of_link()[link] != FabricRates::none
                                         : sent[network.links[link].from] > 0;
  return used;
}

std::vector<OverloadedLink> overloaded_links(const Network& network, const FabricRates& rates) {
  std::vector<const FabricRates::Queue*> full;
  for (const FabricRates::Queue& queue : rates.queues())
    if (queue.load >= queue.rate.value()) full.push_back(&queue);
  std::sort(full.begin(), full.end(), [](const auto* a, const auto* b) { return a->link < b->link; });
  std::vector<OverloadedLink> links;
  for (const FabricRates::Queue* queue : full)
    links.push_back({network.link_name(queue->link), queue->load, queue->rate.value(), queue->links});
  return links;
}

}  // namespace tailbound::network
