#include <tailbound/answers/network/generated_network.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/reading/format_names.hpp>

#include <algorithm>
#include <limits>

namespace tailbound::answers {
namespace {

constexpr std::uint64_t max_steps = 500'000'000;

/// Switches with their neighbors; hosts by the switches to which they are attached.
struct Switches {
  explicit Switches(const network::Network& network)
      : next(network.nodes.size()), has_hosts(network.nodes.size()) {
    for (const network::Link& link : network.links) {
      if (network.nodes[link.from].host) continue;
      if (network.nodes[link.to].host)
        has_hosts[link.from] = true;
      else
        next[link.from].push_back(static_cast<std::uint32_t>(link.to));
      ++links;
    }
  }

  std::vector<std::vector<std::uint32_t>> next;
  std::vector<bool> has_hosts;
  std::uint64_t links = 0;
};

std::optional<std::int64_t> counted_diameter(const network::Network& network) {
  const Switches switches(network);
  const auto ends =
      static_cast<std::uint64_t>(std::count(switches.has_hosts.begin(), switches.has_hosts.end(), true));
  if (ends * (switches.links + network.nodes.size()) > max_steps) return {};
  constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();
  std::int64_t maximum = 0;
  std::vector<std::uint32_t> distance(network.nodes.size()), queue;
  for (std::uint32_t from = 0; from < network.nodes.size(); ++from) {
    if (!switches.has_hosts[from]) continue;
    std::fill(distance.begin(), distance.end(), unreached);
    distance[from] = 0;
    queue.assign(1, from);
    std::uint64_t met = 0;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      if (switches.has_hosts[queue[at]]) {
        ++met;
        maximum = std::max<std::int64_t>(maximum, distance[queue[at]]);
      }
      for (const std::uint32_t to : switches.next[queue[at]]) {
        if (distance[to] != unreached) continue;
        distance[to] = distance[queue[at]] + 1;
        queue.push_back(to);
      }
    }
    if (met != ends) return {};
  }
  return maximum;
}

std::string toml_quoted(const std::string& entry) {
  std::string text = "\"";
  for (const char c : entry) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return text + '"';
}

std::string quoted_list(const std::vector<std::string>& entries) {
  std::string list;
  for (const std::string& entry : entries) list += (list.empty() ? "" : ", ") + toml_quoted(entry);
  return "[" + list + "]";
}

network::Network imported(const NamedText& file, std::optional<network::SpeedUnit> unit) {
  std::optional<network::Network> network = foreign_network(file, {}, {.unit = unit});
  if (!network)
    throw InvalidArgument("FILE", file.name,
                          std::string("in a format that can be read: ") + network::foreign_formats);
  return *std::move(network);
}

/// Counts of the network.
network::FabricFacts facts_of(const network::Network& network, const std::string& file) {
  network::FabricFacts facts;
  facts.name = network.name.empty() ? file : network.name;
  std::vector<int> ports(network.nodes.size(), 0);
  std::int64_t host_links = 0, switch_links = 0;
  for (const network::Link& link : network.links) {
    ++ports[link.from];
    ++(network.nodes[link.from].host || network.nodes[link.to].host ? host_links : switch_links);
  }
  for (std::size_t node = 0; node < ports.size(); ++node) {
    ++(network.nodes[node].host ? facts.hosts : facts.switches);
    if (!network.nodes[node].host) facts.ports = std::max(facts.ports, ports[node]);
  }
  facts.host_wires = (host_links + 1) / 2;
  facts.switch_wires = (switch_links + 1) / 2;
  return facts;
}

}  // namespace

GeneratedNetworkAnswer answer(const GeneratedNetworkQuery& query) {
  GeneratedNetworkAnswer answer;
  std::string whole;
  std::size_t links_at = 0;  // keys of the file precede its links
  if (query.imported) {
    answer.network = imported(*query.imported, query.speed_unit);
    answer.facts = facts_of(answer.network, query.imported->name);
    answer.remarks = answer.network.remarks;
    whole = network::to_toml(answer.network);
    links_at = whole.find("\nlink = [") + 1;
    if (query.traffic)
      whole += "\n[traffic]\nuniform = \"" + numeric::to_fraction(query.traffic->uniform) + "\"\nroute = \"" +
               name_of(query.traffic->route) + "\"\n";
  } else {
    answer.facts = network::facts_of(query.shape);
    whole = network::to_toml(query.shape, query.traffic);
    links_at = whole.find("\n[[link]]");
  }
  if (query.shared_memory)
    whole.insert(links_at, "shared_memory = " +
                               (*query.shared_memory == "all" ? "true" : toml_quoted(*query.shared_memory)) +
                               "\n");
  answer.file = whole;
  if (!query.without.empty()) answer.file.insert(links_at, "without = " + quoted_list(query.without) + "\n");
  if (query.imported && !query.shared_memory)  // an unchanged import need not be read again
    network::remove_failed(answer.network, query.without);
  else
    try {
      answer.network =
          network::read_fabric(whole, "the network", network::FlowsFrom::elsewhere, query.without)
              .fabric.network;
    } catch (const ParseError&) {
      // Of the contents of the file, only this comes from the caller.
      throw InvalidArgument("shared-memory", query.shared_memory.value_or(""),
                            "all, or switches of the network, such as \"leaf[0..3], spine0\"");
    }
  const std::int64_t wires = answer.facts.host_wires + answer.facts.switch_wires;
  answer.failed = wires - static_cast<std::int64_t>(answer.network.links.size() / 2);
  std::vector<bool> linked(answer.network.nodes.size(), false);
  for (const network::Link& link : answer.network.links) linked[link.from] = linked[link.to] = true;
  for (std::size_t node = 0; node < linked.size(); ++node)
    answer.cut_off += answer.network.nodes[node].host && !linked[node] ? 1 : 0;
  answer.diameter = counted_diameter(answer.network);
  if (!answer.diameter && answer.failed == 0 && answer.facts.diameter)
    answer.diameter = *answer.facts.diameter;
  return answer;
}

}  // namespace tailbound::answers
