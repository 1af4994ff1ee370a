#include <tailbound/network/files/network_file.hpp>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace tailbound::network {
namespace {

/// As a TOML string.
std::string toml_string(const std::string& text) {
  constexpr const char* hexadecimal = "0123456789ABCDEF";
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (code < 0x20 || code == 0x7F)
      result += {'\\', 'u', '0', '0', hexadecimal[code / 16], hexadecimal[code % 16]};
    else
      result += c;
  }
  return result + '"';
}

/// A whole number, or a fraction as a TOML string.
std::string toml_number(const Rational& value) {
  const std::string text = numeric::to_fraction(value);
  return text.find('/') == std::string::npos ? text : '"' + text + '"';
}

template <class Chosen>
std::string node_list(const Network& network, const Chosen& is_chosen) {
  std::string result;
  for (const Node& node : network.nodes)
    if (is_chosen(node)) result += (result.empty() ? "" : ", ") + toml_string(node.name);
  return "[" + result + "]";
}

/// The key that lists the groups of switches; nothing if there are none.
std::string groups_key(const Network& network) {
  std::map<std::uint32_t, std::string> groups;
  for (const Node& node : network.nodes)
    if (!node.host && node.group != Node::no_group) {
      std::string& list = groups[node.group];
      list += (list.empty() ? "" : ", ") + toml_string(node.name);
    }
  std::string result;
  for (const auto& [group, list] : groups) result += (result.empty() ? "[" : ", [") + list + "]";
  return result.empty() ? "" : "groups = [" + result + "]\n";
}

std::string from_to(const Network& network, std::size_t from, std::size_t to) {
  return "from = " + toml_string(network.nodes[from].name) + ", to = " + toml_string(network.nodes[to].name);
}

/// All properties of a link except its ends.
std::string link_keys(const Link& link) {
  std::string result;
  if (link.rate != LinkRate{}) result += ", rate = " + toml_number(link.rate.value());
  if (link.weight != 1) result += ", weight = " + std::to_string(link.weight);
  if (link.classes != 1) result += ", classes = " + std::to_string(link.classes);
  if (link.virtual_channels != 1) result += ", virtual_channels = " + std::to_string(link.virtual_channels);
  return result;
}

std::string link_list(const Network& network) {
  std::string result;
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    const Link& link = network.links[i];
    result += "  {" + from_to(network, link.from, link.to);
    result += link_keys(link);
    if (i + 1 < network.links.size()) {
      const Link& next = network.links[i + 1];
      if (link.wire == 0 && next.from == link.to && next.to == link.from &&
          link_keys(next) == link_keys(link)) {
        result += ", both = true";
        ++i;
      }
    }
    result += "},\n";
  }
  return "[\n" + result + "]";
}

/// The whole path, ends included, and its classes.
std::string path(const Network& network, const Flow& flow, const Route& route) {
  std::string result = "path = [" + toml_string(network.nodes[flow.source].name);
  for (const std::size_t link : route.links) {
    result += ", " + toml_string(network.nodes[network.links[link].to].name);
    if (const int wire = network.links[link].wire; wire != 0) result += ", " + std::to_string(wire);
  }
  result += "]";
  for (std::size_t i = 0; i < route.classes.size(); ++i)
    result += (i == 0 ? ", classes = [" : ", ") + std::to_string(route.classes[i]);
  return route.classes.empty() ? result : result + "]";
}

bool passes_a_node_twice(const Network& network, const Flow& flow) {
  return std::any_of(flow.routes.begin(), flow.routes.end(), [&](const Route& route) {
    std::unordered_set<std::size_t> met{flow.source};
    return std::any_of(route.links.begin(), route.links.end(),
                       [&](std::size_t link) { return !met.insert(network.links[link].to).second; });
  });
}

std::string flow_list(const Network& network) {
  std::string result;
  for (const Flow& flow : network.flows) {
    const MessageClass* its = flow.message_class ? &network.message_classes[*flow.message_class] : nullptr;
    if (its != nullptr && (its->uniform || !its->answers.empty())) continue;  // not listed one by one
    result += "  {";
    if (flow.name != network.flow_name(flow)) result += "name = " + toml_string(flow.name) + ", ";
    result += from_to(network, flow.source, flow.destination) + ", rate = " + toml_number(flow.rate);
    if (flow.burst) {
      result += ", burst = " + toml_number(flow.burst->slots);
      if (flow.burst->on_rate != 1) result += ", on_rate = " + toml_number(flow.burst->on_rate);
    }
    if (its != nullptr) result += ", class = " + toml_string(its->name);
    if (flow.priority != 1) result += ", class = " + std::to_string(flow.priority);
    if (passes_a_node_twice(network, flow)) result += ", loops = true";
    if (flow.routes.size() == 1) {
      result += ", " + path(network, flow, flow.routes.front());
    } else {
      result += ", routes = [";
      for (const Route& route : flow.routes)
        result += "\n    {share = " + toml_number(route.share) + ", " + path(network, flow, route) + "},";
      result += "]";
    }
    result += "},\n";
  }
  return "[\n" + result + "]";
}

std::string message_class_list(const Network& network) {
  std::string result;
  for (const MessageClass& its : network.message_classes) {
    result += "  {name = " + toml_string(its.name) + ", flits = " + toml_string(its.flits.text());
    if (its.virtual_channels) result += ", virtual_channels = " + std::to_string(*its.virtual_channels);
    if (its.share) result += ", share = " + toml_string(share_text(its));
    if (!its.answers.empty()) result += ", answers = " + toml_string(its.answers);
    if (!its.network.empty()) result += ", network = " + toml_string(its.network);
    if (its.uniform) result += ", uniform = true";
    result += "},\n";
  }
  return "[\n" + result + "]";
}

}  // namespace

std::string to_toml(const Network& network) {
  require_valid(network);
  std::string result;
  for (const std::string& remark : network.remarks) {
    result += "# ";
    for (const char c : remark) result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    result += "\n";
  }
  if (!network.name.empty()) result += "name = " + toml_string(network.name) + "\n";
  if (network.gbps) result += "gbps = " + toml_number(*network.gbps) + "\n";
  result += "hosts = " + node_list(network, [](const Node& node) { return node.host; }) + "\n";
  result += "switches = " + node_list(network, [](const Node& node) { return !node.host; }) + "\n";
  const auto shares = [](const Node& node) { return node.shared_memory; };
  if (std::any_of(network.nodes.begin(), network.nodes.end(), shares))
    result += "shared_memory = " + node_list(network, shares) + "\n";
  result += groups_key(network);
  result += "link = " + link_list(network) + "\n";
  if (!network.message_classes.empty()) result += "class = " + message_class_list(network) + "\n";
  if (network.flows.empty()) return result;
  return result + "flow = " + flow_list(network) + "\n";
}

}  // namespace tailbound::network
