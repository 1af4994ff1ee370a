#include <tailbound/core/error.hpp>
#include <tailbound/network/fabric/fabric_graph.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/checkpoint.hpp>
#include <tailbound/sim/fabric/fabric_tables.hpp>
#include <tailbound/sim/network/clocked_queue.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tailbound::sim {
namespace {

using network::Network;
using network::ProductDemand;
using network::SparseDemand;
using numeric::Rational;

constexpr std::size_t max_kinds = 200;
constexpr std::uint64_t max_rows = 65'536;            ///< of delivered packets
constexpr double all_draws = 18446744073709551616.0;  // 2^64

std::uint64_t threshold_of(const Rational& rate) {
  return numeric::to_uint64(numeric::floor(rate * (numeric::pow(numeric::Integer(2), 64) - 1)));
}

/// A cumulative probability as a bound of draws; the last bound covers all draws.
std::uint64_t bound_of(double sum) {
  const double scaled = std::floor(sum * all_draws);
  return scaled >= all_draws ? ~std::uint64_t{0} : static_cast<std::uint64_t>(scaled);
}

std::string kind_of(const std::string& name) {
  const std::size_t digit = name.find_first_of("0123456789");
  return digit == 0 ? name : name.substr(0, digit);
}

std::uint32_t group_of(const ProductDemand& demand, std::size_t node) {
  return demand.group.empty() ? 0 : demand.group[node];
}

/// Links by the router that they lead to, with the routers that they come from.
struct Entering {
  Entering(std::size_t nodes, const std::vector<FabricTables::Router>& routers,
           const std::vector<FabricTables::Queue>& queues)
      : begin(nodes + 1), from(queues.size()) {
    for (const FabricTables::Queue& queue : queues) ++begin[queue.to + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::size_t> next = begin;
    for (std::uint32_t router = 0; router < routers.size(); ++router)
      for (std::uint32_t port = 0; port < routers[router].ports; ++port)
        from[next[queues[routers[router].first_queue + port].to]++] = router;
  }

  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> from;
};

constexpr std::uint16_t unreached = 0xFFFF;

/// Ports that a packet may take. The same sets recur: each router numbers its own.
class Choices {
 public:
  explicit Choices(std::size_t routers) : known_(routers), lists_(routers), last_(routers) {}

  /// \throws LimitExceeded  more than can be numbered
  std::uint16_t number_of(std::size_t router, const std::vector<std::uint32_t>& ports) {
    Last& last = last_[router];
    if (ports == last.ports) return last.number;
    auto& lists = lists_[router];
    const auto [found, is_new] = known_[router].emplace(ports, static_cast<std::uint16_t>(lists.size()));
    if (is_new) lists.push_back(ports);
    if (lists.size() > 32'000)
      throw LimitExceeded("a switch has more than 32000 different sets of next links, the limit");
    last = {ports, found->second};
    return last.number;
  }
  /// By router and number.
  [[nodiscard]] const std::vector<std::vector<std::vector<std::uint32_t>>>& lists() const { return lists_; }

 private:
  struct Last {
    std::vector<std::uint32_t> ports;
    std::uint16_t number = 0;
  };
  std::vector<std::map<std::vector<std::uint32_t>, std::uint16_t>> known_;
  std::vector<std::vector<std::vector<std::uint32_t>>> lists_;
  std::vector<Last> last_;
};

std::vector<double> nearest_doubles(const std::vector<Rational>& values) {
  std::vector<double> nearest;
  for (const Rational& each : values) nearest.push_back(numeric::nearest_double(each));
  return nearest;
}

/// All inputs of the run except the buffer.
std::string identity_of(const network::Fabric& fabric) {
  ByteWriter bytes;
  const Network& network = fabric.network;
  for (const network::Node& node : network.nodes) {
    bytes.put(std::string_view(node.name));
    bytes.put(node.host);
    if (node.group != network::Node::no_group) bytes.put(std::uint64_t{node.group});
  }
  for (const network::Link& link : network.links)
    for (const std::uint64_t value :
         {std::uint64_t{link.from}, std::uint64_t{link.to}, static_cast<std::uint64_t>(link.rate.packets),
          static_cast<std::uint64_t>(link.rate.slots), static_cast<std::uint64_t>(link.weight)})
      bytes.put(value);
  for (const network::Demand& demand : fabric.demands) {
    bytes.put(static_cast<std::uint64_t>(demand.route));
    const auto put_values = [&](const std::vector<Rational>& values) {
      for (const Rational& value : values) bytes.put(std::string_view(numeric::to_fraction(value)));
    };
    if (const auto* product = std::get_if<ProductDemand>(&demand.rates)) {
      put_values(product->values);
      for (const auto* list : {&product->out, &product->in, &product->group}) bytes.put(*list);
    } else {
      const auto& sparse = std::get<SparseDemand>(demand.rates);
      put_values(sparse.values);
      for (const auto& entry : sparse.entries)
        for (const std::uint32_t value : {entry.from, entry.to, entry.rate}) bytes.put(value);
    }
  }
  return "fabric " + network.name + " of " + std::to_string(network.nodes.size()) + " nodes and " +
         std::to_string(network.links.size()) + " links (checksum " + std::to_string(checksum(bytes.take())) +
         ")";
}

}  // namespace

QueueKinds::QueueKinds(const Network& network) : of_link(network.links.size(), none) {
  for (const bool by_name : {true, false}) {
    kinds.clear();
    std::map<std::string, std::uint32_t> known;
    for (std::size_t link = 0; link < network.links.size() && kinds.size() <= max_kinds; ++link) {
      if (!network.has_queue(link)) continue;
      const network::Node &from = network.nodes[network.links[link].from],
                          &to = network.nodes[network.links[link].to];
      const std::string name = by_name ? kind_of(from.name) + " -> " + kind_of(to.name)
                                       : std::string("switch -> ") + (to.host ? "host" : "switch");
      const auto [found, is_new] = known.emplace(name, static_cast<std::uint32_t>(kinds.size()));
      if (is_new) kinds.push_back({name});
      of_link[link] = found->second;
      ++kinds[found->second].queues;
    }
    if (kinds.size() <= max_kinds) return;
  }
}

FabricTables::FabricTables(const network::Fabric& fabric, std::uint64_t max_bytes)
    : kinds(fabric.network), identity(identity_of(fabric)), max_bytes_(max_bytes) {
  const Network& network = fabric.network;
  network::require_valid(network);
  rows.kinds = kinds.kinds.size();
  number_queues(network);
  find_places(network, fabric.demands);
  find_routes(network, fabric.demands);
  network::require_spread_bundles(fabric);
  find_senders(network, fabric.demands);
  check_routes(network);
  find_clocks(fabric);
  queue_of_link_ = {};
  used_ = {};
  followed_ = {};
}

void FabricTables::number_queues(const Network& network) {
  std::vector<std::uint32_t> out(network.nodes.size(), 0);
  for (const network::Link& link : network.links) {
    if (network.nodes[link.from].host && network.nodes[link.to].host)
      throw InvalidArgument("link", network.nodes[link.from].name + " -> " + network.nodes[link.to].name,
                            "between switches, or between a host and a switch");
    ++out[link.from];
  }
  router_of.assign(network.nodes.size(), none);
  for (const bool host : {false, true}) {
    for (std::uint32_t node = 0; node < network.nodes.size(); ++node) {
      if (network.nodes[node].host != host || (host && out[node] < 2)) continue;
      router_of[node] = static_cast<std::uint32_t>(routers.size());
      Router router;
      router.node = node;
      router.host = host;
      router.ports = out[node];
      routers.push_back(router);
    }
    if (!host) switches = routers.size();
  }
  std::uint32_t next = 0;
  for (Router& router : routers) {
    router.first_queue = next;
    next += router.ports;
  }
  queues.resize(next);
  weight_.resize(next);
  queue_of_link_.assign(network.links.size(), none);
  std::vector<std::uint32_t> filled(routers.size(), 0);
  std::vector<std::vector<std::uint32_t>> read(routers.size());  // queues that lead to each switch
  for (const bool to_host : {false, true})                       // ports to switches come first
    for (std::size_t link = 0; link < network.links.size(); ++link) {
      const network::Link& its = network.links[link];
      const std::uint32_t from = router_of[its.from];
      if (from == none || network.nodes[its.to].host != to_host) continue;
      const std::uint32_t queue = queue_of_link_[link] = routers[from].first_queue + filled[from]++;
      queues[queue].to = static_cast<std::uint32_t>(its.to);
      weight_[queue] = static_cast<std::uint32_t>(its.weight);
      if (routers[from].host) continue;
      queues[queue].kind = static_cast<std::uint16_t>(kinds.of_link[link]);
      if (!to_host) read[router_of[its.to]].push_back(queue);
    }
  for (std::size_t router = 0; router < routers.size(); ++router) {
    routers[router].first_cell = static_cast<std::uint32_t>(cells);
    for (const std::uint32_t queue : read[router]) queues[queue].cell = static_cast<std::uint32_t>(cells++);
    routers[router].cells = static_cast<std::uint32_t>(cells) - routers[router].first_cell;
  }
}

void FabricTables::find_places(const Network& network, const Demands& demands) {
  std::vector<bool> receives(network.nodes.size(), false);
  for (const network::Demand& demand : demands) {
    if (const auto* product = std::get_if<ProductDemand>(&demand.rates)) {
      for (std::size_t d = 0; d < product->in.size(); ++d)
        if (product->in[d] != 0) receives[d] = true;
    } else {
      for (const auto& entry : std::get<SparseDemand>(demand.rates).entries) receives[entry.to] = true;
    }
  }
  std::vector<std::uint32_t> in(network.nodes.size(), 0), last(network.nodes.size(), none);
  target.resize(network.nodes.size());
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    const network::Link& its = network.links[link];
    ++in[its.to];
    last[its.to] = static_cast<std::uint32_t>(its.from);
    if (network.nodes[its.to].host)
      target[its.to].last_port = queue_of_link_[link] - routers[router_of[its.from]].first_queue;
  }
  std::unordered_map<std::uint32_t, std::uint32_t> known;
  for (std::uint32_t node = 0; node < network.nodes.size(); ++node) {
    if (!receives[node]) continue;
    const bool one_link = network.nodes[node].host && in[node] == 1;
    if (!one_link) target[node].last_port = none;
    const std::uint32_t end = one_link ? last[node] : node;
    const auto [found, is_new] = known.emplace(end, static_cast<std::uint32_t>(place_nodes_.size()));
    if (is_new) place_nodes_.push_back({end});
    target[node].place = found->second;
  }
  first_group_place = static_cast<std::uint32_t>(place_nodes_.size());
  if (std::any_of(demands.begin(), demands.end(),
                  [](const auto& demand) { return demand.route == network::RouteRule::minimal; }))
    groups = network::switch_groups(network, network::RouteRule::minimal);
  if (std::any_of(demands.begin(), demands.end(),
                  [](const auto& demand) { return demand.route == network::RouteRule::valiant; })) {
    groups = network::switch_groups(network, network::RouteRule::valiant);
    if (groups->size() > max_groups)
      throw LimitExceeded("Valiant routes use more than 2047 groups, the limit for simulations");
    place_nodes_.insert(place_nodes_.end(), groups->switches.begin(), groups->switches.end());
  }
  places_ = place_nodes_.size();
}

/// Minimal routes use the table that is free.
void FabricTables::choose_tables(const Demands& demands) {
  const auto used = [&](network::RouteRule leg) {
    return std::any_of(demands.begin(), demands.end(), [leg](const network::Demand& demand) {
      return network::leg_rule(demand.route) == leg;
    });
  };
  if (!used(network::RouteRule::minimal)) return;
  if (used(network::RouteRule::shortest) && used(network::RouteRule::spread))
    throw LimitExceeded(
        "the network has shortest, minimal and spread (or Valiant) routes; simulations support two of the "
        "three kinds");
  rule_of_table_[used(network::RouteRule::shortest) ? 1 : 0] = network::RouteRule::minimal;
}

std::uint32_t FabricTables::table_of(network::RouteRule rule) const {
  return rule_of_table_[0] == network::leg_rule(rule) ? 0 : 1;
}

/// Data for the search of routes to one destination after another.
struct FabricTables::RouteSearch {
  Entering entering;
  Choices choices;
  std::vector<std::uint16_t> distance;  ///< of each node from the destination; unreached if there is no route
  bool minimal = false;
  std::uint32_t toward = none;  ///< the group of the destination, for minimal routes
  std::vector<std::uint32_t> closer{}, queue{};
};

bool FabricTables::may_pass(const RouteSearch& search, std::uint32_t from, std::uint32_t to) const {
  return !search.minimal || network::minimal_link(groups->of_node[from], groups->of_node[to], search.toward);
}

/// From the destination backwards, over the links that the rule allows.
void FabricTables::measure(std::size_t place, const Network& network, RouteSearch& search) const {
  std::vector<std::uint16_t>& distance = search.distance;
  std::fill(distance.begin(), distance.end(), unreached);
  std::vector<std::uint32_t>& queue = search.queue;
  queue = place_nodes_[place];
  for (const std::uint32_t end : queue) distance[end] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::uint32_t node = queue[at];
    if (distance[node] != 0 && network.nodes[node].host) continue;
    for (std::size_t i = search.entering.begin[node]; i < search.entering.begin[node + 1]; ++i) {
      const std::uint32_t from = routers[search.entering.from[i]].node;
      if (distance[from] != unreached || !may_pass(search, from, node)) continue;
      distance[from] = static_cast<std::uint16_t>(distance[node] + 1);
      if (distance[from] > 250)
        throw LimitExceeded("a route has more than 250 links, the limit for simulations");
      queue.push_back(from);
    }
  }
}

/// For each router the number of its set of ports that lead closer. Returns the length of the longest route.
int FabricTables::choose(std::size_t place, std::size_t rule, const Network& network, RouteSearch& search) {
  int longest = 0;
  for (std::size_t router = 0; router < routers.size(); ++router) {
    const Router& its = routers[router];
    const std::uint16_t here = search.distance[its.node];
    if (here == unreached) continue;
    longest = std::max<int>(longest, here);
    std::vector<std::uint32_t>& closer = search.closer;
    closer.clear();
    for (std::uint32_t port = 0; here != 0 && port < its.ports; ++port) {
      const std::uint32_t to = queues[its.first_queue + port].to;
      const std::uint16_t there = search.distance[to];
      if (there + 1 == here && (there == 0 || !network.nodes[to].host) && may_pass(search, its.node, to))
        closer.push_back(port);
    }
    std::uint16_t& next_hop = routes_[rule][router * places_ + place];
    if (here == 0) {
      next_hop = arrived;
      continue;
    }
    if (rule_of_table_[rule] == network::RouteRule::shortest) closer.resize(1);
    next_hop = search.choices.number_of(router, closer);
  }
  return longest;
}

void FabricTables::require_capacity(std::size_t tables, std::size_t links) const {
  // A plane of cells for each stored slot, and the route tables.
  const double bytes = 2.0 * static_cast<double>(tables * routers.size()) * static_cast<double>(places_) +
                       1024.0 * static_cast<double>(cells) + 64.0 * static_cast<double>(links);
  if (bytes > static_cast<double>(max_bytes_))
    throw LimitExceeded("the simulation of this network would need " +
                        std::to_string(std::llround(bytes / 1e6)) + " MB; the limit is " +
                        std::to_string(max_bytes_ / 1'000'000) + " MB");
}

void FabricTables::find_routes(const Network& network, const Demands& demands) {
  choose_tables(demands);
  std::array<bool, 2> used{};
  for (const network::Demand& demand : demands) used[table_of(demand.route)] = true;
  require_capacity((used[0] ? 1U : 0U) + (used[1] ? 1U : 0U), network.links.size());
  for (std::size_t rule = 0; rule < 2; ++rule)
    if (used[rule]) routes_[rule].assign(routers.size() * places_, no_route);
  RouteSearch search{.entering = Entering(network.nodes.size(), routers, queues),
                     .choices = Choices(routers.size()),
                     .distance = std::vector<std::uint16_t>(network.nodes.size())};
  int longest = 0, longest_first_leg = 0;
  for (std::size_t place = 0; place < places_; ++place) {
    for (std::size_t rule = 0; rule < 2; ++rule) {
      if (!used[rule]) continue;
      const bool minimal = rule_of_table_[rule] == network::RouteRule::minimal;
      if (minimal && place >= first_group_place) continue;  // without an intermediate group
      search.minimal = minimal;
      search.toward = minimal ? groups->of_node[place_nodes_[place].front()] : none;
      measure(place, network, search);
      int& leg = place < first_group_place ? longest : longest_first_leg;
      leg = std::max(leg, choose(place, rule, network, search));
    }
  }
  max_queues = longest + longest_first_leg + 1;
  if (max_queues > 251) throw LimitExceeded("a route has more than 250 links, the limit for simulations");
  encode_routes(search.choices.lists());
}

/// Converts numbers of lists to the fastest look-up: single ports, masks of few ports, choices.
void FabricTables::encode_routes(const std::vector<std::vector<std::vector<std::uint32_t>>>& lists) {
  std::vector<std::uint16_t> code;
  for (std::size_t router = 0; router < routers.size(); ++router) {
    Router& its = routers[router];
    its.first_choice = static_cast<std::uint32_t>(choices.size());
    const auto weight_of = [&](std::uint32_t port) { return weight_[its.first_queue + port]; };
    const auto identical = [&](const std::vector<std::uint32_t>& list) {
      return std::all_of(list.begin(), list.end(),
                         [&](std::uint32_t port) { return weight_of(port) == weight_of(list.front()); });
    };
    const auto side_by_side = [](const std::vector<std::uint32_t>& list) {
      return list.back() - list.front() + 1 == list.size();
    };
    // If ports are adjacent, a choice is faster than the search for a bit.
    its.masks = !std::all_of(lists[router].begin(), lists[router].end(), side_by_side) &&
                std::all_of(lists[router].begin(), lists[router].end(), [&](const auto& list) {
                  return list.back() < max_mask_ports && identical(list);
                });
    code.clear();
    for (const std::vector<std::uint32_t>& list : lists[router]) {
      std::uint64_t sum = 0;
      std::uint16_t mask = 0;
      const bool listed = !side_by_side(list);
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (its.masks) mask = static_cast<std::uint16_t>(mask | 1U << list[i]);
        sum += weight_of(list[i]);
      }
      if (sum > 0xFFFFFFFF)
        throw LimitExceeded("the link weights of a switch sum to more than 2^32, the limit");
      if (its.masks || list.size() == 1) {
        if (list.front() >= chosen) throw LimitExceeded("a switch has more than 32768 links, the limit");
        code.push_back(its.masks ? mask : static_cast<std::uint16_t>(list.front()));
        continue;
      }
      const bool weighted = !identical(list);
      Choice choice{list.front(), static_cast<std::uint32_t>(list.size()),
                    weighted ? static_cast<std::uint32_t>(sum) : 0, listed};
      if (listed || weighted) {
        choice.first = static_cast<std::uint32_t>(ports.size());
        sum = 0;
        for (const std::uint32_t port : list) {
          ports.push_back(port);
          bounds.push_back(static_cast<std::uint32_t>(sum += weight_of(port)));
        }
      }
      code.push_back(static_cast<std::uint16_t>(chosen | (choices.size() - its.first_choice)));
      choices.push_back(choice);
    }
    for (std::vector<std::uint16_t>& table : routes_)
      for (std::size_t place = 0; place < (table.empty() ? 0 : places_); ++place) {
        std::uint16_t& next_hop = table[router * places_ + place];
        if (next_hop < no_route) next_hop = code[next_hop];
      }
  }
}

/// The traffic of each node, one part per demand.
struct FabricTables::Sending {
  explicit Sending(std::size_t nodes) : parts(nodes), rates(nodes) {}
  std::vector<std::vector<Part>> parts;
  std::vector<std::vector<double>> rates;
};

void FabricTables::add_sending(Sending& sending, const Network& network, std::size_t node, double rate,
                               network::RouteRule rule, std::size_t its_targets) const {
  if (network::knows_groups(rule)) network::require_in_group(network, *groups, node, rule);
  sending.parts[node].push_back(
      {0, table_of(rule), static_cast<std::uint32_t>(its_targets), rule == network::RouteRule::valiant});
  sending.rates[node].push_back(rate);
}

/// \return  the number of the list
std::size_t FabricTables::add_targets(const WeightedNodes& list) {
  Targets its;
  double sum = 0, all = 0;
  for (const auto& [node, weight] : list) all += weight;
  const bool identical = std::all_of(list.begin(), list.end(),
                                     [&](const auto& each) { return each.second == list.front().second; });
  for (const auto& [node, weight] : list) {
    its.nodes.push_back(node);
    sum += weight;
    if (!identical) its.bounds.push_back(bound_of(sum / all));
  }
  if (!identical) its.bounds.back() = ~std::uint64_t{0};
  targets.push_back(std::move(its));
  return targets.size() - 1;
}

void FabricTables::add_product(Sending& sending, const Network& network, const ProductDemand& product,
                               network::RouteRule rule) {
  const std::vector<double> value = nearest_doubles(product.values);
  std::map<std::uint32_t, WeightedNodes> receivers;
  std::map<std::uint32_t, double> attraction;
  for (std::uint32_t d = 0; d < product.in.size(); ++d)
    if (product.in[d] != 0) {
      receivers[group_of(product, d)].emplace_back(d, value[product.in[d]]);
      attraction[group_of(product, d)] += value[product.in[d]];
    }
  std::map<std::uint32_t, std::size_t> lists;
  for (const auto& [group, list] : receivers) lists[group] = add_targets(list);
  for (std::uint32_t s = 0; s < product.out.size(); ++s) {
    const auto found = lists.find(group_of(product, s));
    if (product.out[s] == 0 || found == lists.end()) continue;
    const std::vector<std::uint32_t>& to = targets[found->second].nodes;
    if (to.size() == 1 && to.front() == s) continue;
    add_sending(sending, network, s,
                value[product.out[s]] * (attraction[found->first] - value[product.in[s]]), rule,
                found->second);
  }
}

void FabricTables::add_sparse(Sending& sending, const Network& network, const SparseDemand& sparse,
                              network::RouteRule rule) {
  const std::vector<double> value = nearest_doubles(sparse.values);
  std::vector<std::size_t> order(sparse.entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sparse.entries[a].from < sparse.entries[b].from;
  });
  for (std::size_t at = 0; at < order.size();) {
    const std::uint32_t from = sparse.entries[order[at]].from;
    WeightedNodes list;
    double rate = 0;
    for (; at < order.size() && sparse.entries[order[at]].from == from; ++at) {
      const auto& entry = sparse.entries[order[at]];
      list.emplace_back(entry.to, value[entry.rate]);
      rate += value[entry.rate];
    }
    add_sending(sending, network, from, rate, rule, add_targets(list));
  }
}

void FabricTables::find_senders(const Network& network, const Demands& demands) {
  Sending sending(network.nodes.size());
  for (const network::Demand& demand : demands) {
    if (const auto* product = std::get_if<ProductDemand>(&demand.rates))
      add_product(sending, network, *product, demand.route);
    else
      add_sparse(sending, network, std::get<SparseDemand>(demand.rates), demand.route);
  }
  number_senders(sending, network);
}

/// By the router at which their packets start.
void FabricTables::number_senders(const Sending& sending, const Network& network) {
  std::vector<std::vector<std::uint32_t>> nodes(routers.size());
  std::vector<std::uint32_t> first_link(network.nodes.size(), none);
  for (const network::Link& link : network.links)
    if (first_link[link.from] == none) first_link[link.from] = static_cast<std::uint32_t>(link.to);
  for (std::uint32_t node = 0; node < network.nodes.size(); ++node) {
    if (sending.parts[node].empty()) continue;
    if (router_of[node] == none && first_link[node] == none)
      throw NoAnswer("no route leads from " + network.nodes[node].name + " to any other node");
    nodes[router_of[node] != none ? router_of[node] : router_of[first_link[node]]].push_back(node);
  }
  for (std::uint32_t router = 0; router < routers.size(); ++router) {
    routers[router].first_sender = static_cast<std::uint32_t>(senders.size());
    for (const std::uint32_t node : nodes[router]) {
      const auto& rates = sending.rates[node];
      const double all = std::accumulate(rates.begin(), rates.end(), 0.0);
      double sum = 0;
      senders.push_back({.node = node,
                         .router = router,
                         .first_part = static_cast<std::uint32_t>(parts.size()),
                         .parts = static_cast<std::uint32_t>(rates.size())});
      for (std::size_t i = 0; i < rates.size(); ++i) {
        parts.push_back(sending.parts[node][i]);
        parts.back().bound = i + 1 == rates.size() ? ~std::uint64_t{0} : bound_of((sum += rates[i]) / all);
      }
    }
    routers[router].senders = static_cast<std::uint32_t>(senders.size()) - routers[router].first_sender;
  }
}

std::vector<std::uint32_t> FabricTables::ports_of(const Router& router, std::uint16_t next_hop) const {
  std::vector<std::uint32_t> all;
  if (router.masks) {
    for (std::uint32_t port = 0; port < max_mask_ports; ++port)
      if ((next_hop >> port & 1U) != 0) all.push_back(port);
  } else if (next_hop < chosen) {
    all.push_back(next_hop);
  } else {
    const Choice& choice = choices[router.first_choice + (next_hop ^ chosen)];
    for (std::uint32_t i = choice.first; i < choice.first + choice.count; ++i)
      all.push_back(choice.listed || choice.weights != 0 ? ports[i] : i);
  }
  return all;
}

/// Marks the links of all routes from there.  \return whether there is one
bool FabricTables::follow(std::uint32_t rule, std::size_t router, std::uint32_t place) {
  const std::uint16_t next = next_hop(rule, router, place);
  if (next == no_route || next == arrived || used_.empty()) return next != no_route;
  auto& followed = followed_[rule];
  if (followed.empty()) followed.resize(routers.size() * places_);
  if (followed[router * places_ + place]) return true;
  followed[router * places_ + place] = true;
  for (const std::uint32_t port : ports_of(routers[router], next)) {
    const std::uint32_t queue = routers[router].first_queue + port, to = router_of[queues[queue].to];
    used_[queue] = true;
    if (to != none) follow(rule, to, place);
  }
  return true;
}

/// From each router where packets start to each of their destinations. Marks the links of these routes, if
/// some are faster than others.
void FabricTables::check_routes(const Network& network) {
  if (std::any_of(network.links.begin(), network.links.end(),
                  [&](const network::Link& link) { return link.rate != network.links.front().rate; }))
    used_.resize(queues.size());
  std::vector<std::map<std::uint32_t, std::uint32_t>> places;  // per list: destination -> a node there
  for (const Targets& list : targets) {
    auto& its = places.emplace_back();
    for (const std::uint32_t node : list.nodes) its.emplace(target[node].place, node);
  }
  std::set<std::uint32_t> second_legs;  // lists whose second legs were checked
  for (std::size_t router = 0; router < routers.size(); ++router) {
    std::set<std::tuple<std::uint32_t, bool, std::uint32_t>> checked;
    for (std::uint32_t i = 0; i < routers[router].senders; ++i) {
      const Sender& sender = senders[routers[router].first_sender + i];
      for (std::uint32_t p = 0; p < sender.parts; ++p) {
        const Part& part = parts[sender.first_part + p];
        if (!checked.emplace(part.rule, part.valiant, part.targets).second) continue;
        if (part.valiant && second_legs.emplace(part.targets).second)
          check_second_legs(network, places[part.targets]);
        for (std::size_t g = 0; part.valiant && g < groups->drawn.size(); ++g)
          if (!follow(part.rule, router, first_group_place + groups->drawn[g]))
            throw NoAnswer("no route leads from " + network.nodes[sender.node].name + " to " +
                           network.nodes[groups->switches[groups->drawn[g]].front()].name +
                           ", an intermediate group of its Valiant routes");
        for (const auto& [place, node] : places[part.targets])
          if (!follow(part.rule, router, place) && node != sender.node)
            throw NoAnswer("no route leads from " + network.nodes[sender.node].name + " to " +
                           network.nodes[node].name);
      }
    }
  }
}

/// From the entry of packets into each group to their destinations.
/// \param places  destinations, each with a node there
void FabricTables::check_second_legs(const Network& network,
                                     const std::map<std::uint32_t, std::uint32_t>& places) {
  constexpr std::uint32_t spread = 1;
  for (const auto& [place, node] : places) {
    network::require_in_group(network, *groups, node, network::RouteRule::valiant);
    for (const std::uint32_t group : groups->drawn)
      for (const std::uint32_t entry : groups->entries[group])
        if (groups->of_node[node] != group && !follow(spread, router_of[entry], place))
          throw NoAnswer("no route leads from " + network.nodes[entry].name + " to " +
                         network.nodes[node].name + ", one of its destinations");
  }
}

/// Of the used links, with what depends on them: the senders and the rows of delays.
void FabricTables::find_clocks(const network::Fabric& fabric) {
  const Network& network = fabric.network;
  std::vector<bool> sends(network.nodes.size());
  for (const Sender& sender : senders) sends[sender.node] = true;
  std::vector<bool> used(network.links.size());
  for (std::size_t link = 0; link < used.size(); ++link) {
    const std::uint32_t queue = queue_of_link_[link];
    const Target& to = target[network.links[link].to];
    used[link] =
        used_.empty() || (queue == none ? sends[network.links[link].from]
                                        : used_[queue] || (to.place != none && to.last_port != none));
  }
  times.clocks = network::link_clocks(network, used, 1);
  times.mixed_speeds =
      std::any_of(times.clocks.packet.begin(), times.clocks.packet.end(),
                  [&](std::int64_t ticks) { return ticks != 0 && ticks != times.clocks.slowest; });
  if (times.mixed_speeds) times.clocks = network::link_clocks(network, used, WaitBins::min_packet);
  const std::vector<std::int64_t> packet = std::exchange(times.clocks.packet, {});

  const auto lengths = static_cast<std::uint32_t>(max_queues) + 1;
  std::map<std::int64_t, std::uint32_t> row_of;  // by packet times
  std::uint64_t count = 1;
  std::vector<std::int64_t> fastest(network.nodes.size());
  for (std::size_t link = 0; link < used.size(); ++link) {
    if (!used[link]) continue;
    std::int64_t& its = fastest[network.links[link].from];
    if (its == 0 || packet[link] < its) its = packet[link];
    if (!network.has_queue(link)) continue;
    const auto [row, is_new] = row_of.try_emplace(packet[link], static_cast<std::uint32_t>(count));
    if (is_new && (count *= lengths) > max_rows)
      throw LimitExceeded("the simulation of routes of up to " + std::to_string(max_queues) +
                          " queues over links of " + std::to_string(row_of.size()) +
                          " speeds or more would count more than 65536 combinations of them");
    queues[queue_of_link_[link]].row = row->second;
    queues[queue_of_link_[link]].ticks = packet[link];
  }
  for (std::size_t at = 0; at < count; ++at) {
    SeenRow& its = times.delays.emplace_back(SeenRow{rows.delays(at)});
    for (const auto& [ticks, row] : row_of) {
      const double passed = static_cast<double>(at / row % lengths);
      its.queues += passed;
      its.transfer += passed * static_cast<double>(ticks);
    }
  }

  const std::vector<Rational> sent = network::sent_by_node(fabric);
  for (Sender& sender : senders) {
    sender.ticks = fastest[sender.node];
    const Rational takes = Rational(times.clocks.slot) / sender.ticks;
    if (sent[sender.node] > takes)
      throw InvalidArgument("the rate of all flows from " + network.nodes[sender.node].name,
                            numeric::to_fraction(sent[sender.node]),
                            "at most " + numeric::to_fraction(takes) + " packets per slot");
    sender.threshold = threshold_of(sent[sender.node] / takes);
  }
}

std::shared_ptr<const FabricTables> fabric_tables(const network::Fabric& fabric, std::uint64_t max_bytes) {
  return std::make_shared<const FabricTables>(fabric, max_bytes);
}

}  // namespace tailbound::sim
