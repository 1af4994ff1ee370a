#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/core/words.hpp>
#include <tailbound/network/imports/raw_graph.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::size_t max_imported_nodes = 200'000, max_edges = 1'000'000, longest_label = 200;

/// "h1", "host-3", "server_a", "node7": common names of hosts.
bool is_host_name(std::string_view name) {
  std::string text = lower_case(name);
  const std::size_t end = text.find_first_of("0123456789_-. [(");
  text.resize(std::min(end, text.size()));
  return is_one_of(text, {"h", "host", "hosts", "server", "srv", "nic", "pc", "end", "endpoint", "leafhost",
                          "client", "compute", "worker", "gpu", "vm", "node", "n", "terminal"});
}

std::optional<bool> host_of_kind(std::string_view kind) {
  const std::string text = lower_case(trimmed(kind));
  if (is_one_of(text, {"host", "server", "client", "endpoint", "end", "terminal", "node", "compute", "nic",
                       "leafnode"}))
    return true;
  if (is_one_of(text,
                {"switch", "router", "tor", "spine", "leaf", "core", "agg", "aggregation", "edge", "fabric"}))
    return false;
  return std::nullopt;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 4); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > 4 ? text + ", ..." : text;
}

std::string plural(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string short_number(const Rational& value) {
  return numeric::plain(value).substr(0, 60);
}

/// The largest legal link rate that is at most `rate`; none below 1/128.
std::optional<LinkRate> rate_below(const Rational& rate) {
  const Rational maximum(LinkRate::max_packets);
  if (rate >= maximum) return LinkRate{LinkRate::max_packets, 1};
  std::optional<LinkRate> best;
  for (int slots = 1; slots <= LinkRate::max_slots; ++slots) {
    const numeric::Integer packets = numeric::floor(rate * slots);
    if (packets < 1 || packets > LinkRate::max_packets) continue;
    const Rational value = Rational(packets) / slots;
    if (!best || value > best->value()) best = LinkRate::of(value, "rate");
  }
  return best;
}

}  // namespace

std::size_t RawGraph::node(const std::string& id, Place place) {
  const auto [found, is_new] = node_of_.try_emplace(id, nodes_.size());
  if (is_new) {
    if (nodes_.size() == max_imported_nodes) fail(place, "more than 200000 nodes, the limit");
    nodes_.push_back({id, {}, {}});
  }
  return found->second;
}

void RawGraph::node_attribute(std::size_t node, std::string_view key, std::string_view value) {
  const std::string its = lower_case(key);
  if (is_one_of(its, {"label", "name"}) && !trimmed(value).empty()) nodes_[node].label = trimmed(value);
  if (is_one_of(its, {"type", "kind", "role", "device", "node_type", "layer"}))
    if (const auto host = host_of_kind(value)) nodes_[node].host = host;
  if (is_one_of(its, {"host", "is_host"}))
    nodes_[node].host = is_one_of(lower_case(value), {"1", "true", "yes"});
}

RawGraph::Edge& RawGraph::edge(std::size_t from, std::size_t to, bool both, Place place) {
  if (edges_.size() == max_edges) fail(place, "more than 1000000 links, the limit");
  return edges_.emplace_back(Edge{.from = from, .to = to, .both = both, .place = place});
}

void RawGraph::set_speed(Edge& edge, const WrittenSpeed& speed, const std::string& what,
                         const std::optional<Rational>& unit) {
  if (speed.has_unit || unit) {
    edge.gbps = speed.value * (speed.has_unit ? Rational(1) : *unit);
    return;
  }
  ++without_unit_;
  if (reading_.speeds && !reading_.unit && speed.value > max_assumed_gbps)
    fail(edge.place, what + " is " + short_number(speed.value) +
                         " without a unit; in Gbit/s, the default, it would be " +
                         short_number(speed.value / 1000) +
                         " Tbit/s, above 3.2; write its unit (10G, 400Mbps), or give the "
                         "unit of such numbers with --speed-unit bit/s, kbit/s, Mbit/s or Gbit/s");
  edge.gbps = speed.value * size_of(reading_.unit.value_or(SpeedUnit::gigabits));
}

/// "capacity", "LinkSpeedRaw", "bandwidth", and LinkSpeed with LinkSpeedUnits of the Internet Topology Zoo.
bool RawGraph::edge_attribute(Edge& edge, std::string_view key, std::string_view value) {
  const std::string its = lower_case(key), what = "the " + its + " of this link";
  if (its == "linkspeedraw") {
    if (const auto speed = read_speed(value)) set_speed(edge, *speed, what, size_of(SpeedUnit::bits));
    return true;
  }
  if (its == "linkspeed" || its == "linkspeedunits") {
    (its == "linkspeed" ? edge.speed_number : edge.speed_units) = trimmed(value);
    return true;
  }
  const auto name = speed_name(key);
  if (!name) return false;
  const auto speed = read_speed(value);
  if (!speed && value.find_first_of("123456789") != std::string_view::npos)
    fail(edge.place, what + " is " + in_quotes(value) +
                         "; it must be a number above 0, or a speed such as 10G or 2.5 Gbit/s");
  if (speed) set_speed(edge, *speed, what, name->unit);
  return true;
}

/// Numbers of the attribute LinkSpeed, once its unit is known or has not been found.
void RawGraph::finish_speeds() {
  for (Edge& edge : edges_)
    if (!edge.gbps && !edge.speed_number.empty())
      if (const auto speed = read_speed(edge.speed_number + edge.speed_units))
        set_speed(edge, *speed, "the linkspeed of this link", {});
  if (reading_.unit && without_unit_ == 0)
    throw InvalidArgument("speed-unit", name_of(*reading_.unit),
                          "omitted: no speed in the file lacks a unit");
}

/// Labels if they are unique, otherwise the file's own names.
void RawGraph::find_names(Network& network) const {
  std::map<std::string, int> labels, ids;
  for (const RawNode& node : nodes_) {
    ++labels[node.label.empty() ? node.id : node.label];
    ++ids[node.id];
  }
  for (const RawNode& node : nodes_) {
    std::string label = node.label.empty() ? node.id : node.label;
    if (labels[label] > 1) label += " (" + node.id + ")";
    std::string clean;
    for (const char c : label.substr(0, longest_label))
      clean += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    while (!clean.empty() && label.size() > longest_label &&
           (static_cast<unsigned char>(clean.back()) & 0xC0) == 0x80)
      clean.pop_back();
    network.nodes.push_back({.name = clean.empty() ? "(" + node.id + ")" : clean});
  }
}

void RawGraph::find_hosts(Network& network) {
  std::vector<std::size_t> neighbour(nodes_.size(), nodes_.size());
  std::vector<bool> leaf(nodes_.size(), true);
  for (const Edge& edge : edges_)
    for (const auto& [a, b] : {std::pair{edge.from, edge.to}, std::pair{edge.to, edge.from}}) {
      if (neighbour[a] != nodes_.size() && neighbour[a] != b) leaf[a] = false;
      neighbour[a] = b;
    }
  std::vector<std::string> by_name, host_names;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    network.nodes[node].host = nodes_[node].host.value_or(false);
    if (network.nodes[node].host) host_names.push_back(network.nodes[node].name);
    if (nodes_[node].host || kinds_known || !leaf[node] || neighbour[node] == nodes_.size()) continue;
    if (!is_host_name(network.nodes[node].name)) continue;
    by_name.push_back(network.nodes[node].name);
  }
  // If all nodes have host names, names do not identify hosts.
  if (by_name.size() < nodes_.size() && !by_name.empty()) {
    std::size_t next = 0;
    for (std::size_t node = 0; node < nodes_.size() && next < by_name.size(); ++node)
      if (network.nodes[node].name == by_name[next] && !nodes_[node].host) {
        network.nodes[node].host = true;
        ++next;
      }
    remark("hosts, identified by their names and their single neighbour: " + listed(by_name));
  } else if (host_names.empty()) {
    remark("no hosts: every node sends and receives");
  }
}

void RawGraph::find_rates(Network& network) {
  finish_speeds();
  std::optional<Rational> slowest, fastest;
  std::size_t without = 0;
  for (Edge& edge : edges_) {
    if (!reading_.speeds) edge.gbps.reset();
    if (!edge.gbps) {
      ++without;
      continue;
    }
    if (!slowest || *edge.gbps < *slowest) slowest = edge.gbps;
    if (!fastest || *edge.gbps > *fastest) fastest = edge.gbps;
  }
  std::optional<Rational> unit = slowest;
  if (slowest && *fastest > *slowest * LinkRate::max_packets) unit = *fastest / LinkRate::max_packets;
  std::size_t rounded = 0;
  for (const Edge& edge : edges_) {
    Link link{.from = edge.from, .to = edge.to};
    if (unit) {
      const Rational rate = edge.gbps.value_or(*slowest) / *unit;
      const auto found = rate_below(rate);
      if (!found)
        fail(edge.place, "a link of " + numeric::plain(edge.gbps.value_or(*slowest)) + " Gbit/s and one of " +
                             numeric::plain(*fastest) +
                             " Gbit/s; link speeds may differ by a factor of 16384 at most");
      if (found->value() != rate) ++rounded;
      link.rate = *found;
    }
    network.links.push_back(link);
    if (!edge.both) continue;
    std::swap(link.from, link.to);
    network.links.push_back(link);
  }
  network.gbps = unit;
  if (!reading_.speeds) return;
  if (!unit) return remark("no speeds: every link has a rate of 1 packet per slot");
  remark("1 packet per slot is " + numeric::plain(*unit) + " Gbit/s" +
         (*slowest == *fastest
              ? ", the speed of every link"
              : "; links of " + numeric::plain(*slowest) + " to " + numeric::plain(*fastest) + " Gbit/s"));
  if (without_unit_ > 0)
    remark(std::string("speeds without a unit: read as ") +
           name_of(reading_.unit.value_or(SpeedUnit::gigabits)) +
           (reading_.unit ? ", as given" : ", the default"));
  if (without > 0) remark(plural(without, "link") + " without a speed: taken to have the lowest speed");
  if (rounded > 0)
    remark("speeds of " + plural(rounded, "link") +
           " rounded down to fractions with numerator and denominator up to 128");
}

Network RawGraph::network(const std::string& format) {
  Network network;
  network.name = name.substr(0, longest_label);
  if (std::any_of(network.name.begin(), network.name.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    network.name.clear();
  const std::size_t all = edges_.size();
  std::erase_if(edges_, [](const Edge& edge) { return edge.from == edge.to; });
  if (all != edges_.size()) remark(plural(all - edges_.size(), "link") + " from a node to itself ignored");
  if (nodes_.empty()) fail({1, 1}, format + " has no nodes");
  if (edges_.empty()) fail({1, 1}, format + " has no links");
  find_names(network);
  find_hosts(network);
  find_rates(network);
  std::size_t hosts = 0;
  for (const Node& node : network.nodes) hosts += node.host ? 1 : 0;
  network.remarks.push_back(
      "read as " + format + ": " + plural(hosts, "host") + ", " + std::to_string(nodes_.size() - hosts) +
      (nodes_.size() - hosts == 1 ? " switch, " : " switches, ") + plural(edges_.size(), "link"));
  network.remarks.insert(network.remarks.end(), remarks_.begin(), remarks_.end());
  network.number_wires();
  return network;
}

namespace {

void add_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6U);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12U);
    add(0x80 | (code >> 6U & 0x3F));
  } else {
    add(0xF0 | code >> 18U);
    add(0x80 | (code >> 12U & 0x3F));
    add(0x80 | (code >> 6U & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

}  // namespace

// --- Words ---------------------------------------------------------------------------------------------

void GraphWords::skip_blanks() {
  while (!at_end()) {
    const std::string_view rest = text_.substr(at_, 2);
    if (std::string_view(" \t\r\n").find(rest[0]) != std::string_view::npos) {
      step();
    } else if (rest[0] == '#' || (dot_ && rest == "//")) {
      while (!at_end() && text_[at_] != '\n') step();
    } else if (dot_ && rest == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) file_.fail(place_, "the comment that opens here is not closed");
      while (at_ < end + 2) step();
    } else {
      return;
    }
  }
}

GraphWords::Word GraphWords::quoted() {
  Word word{{}, place_, true, false};
  step();
  while (!at_end()) {
    if (text_[at_] == '&' && take_entity(word.text)) continue;
    const char c = step();
    if (c == '"') return word;
    if (dot_ && c == '\\' && !at_end()) {
      const char next = step();
      if (next == '"' || next == '\\')
        word.text += next;
      else if (next != '\n')
        word.text += next == 'n' || next == 'l' || next == 'r' ? ' ' : next;
      continue;
    }
    word.text += c;
  }
  file_.fail(word.place, "the quotation mark that opens here is not closed");
}

/// &quot; and similar entities, and characters by number: &#252;
bool GraphWords::take_entity(std::string& text) {
  const std::string_view rest = text_.substr(at_, 12);
  const std::size_t end = rest.find(';');
  if (end == std::string_view::npos) return false;
  const std::string_view name = rest.substr(1, end - 1);
  static constexpr std::array<std::pair<std::string_view, char>, 5> known{
      {{"quot", '"'}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}}};
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == name; });
  if (found != known.end()) {
    text += found->second;
  } else {
    std::uint32_t code = 0;
    const bool hexadecimal = name.size() > 2 && (name[1] == 'x' || name[1] == 'X');
    const char* const begin = name.data() + (hexadecimal ? 2 : 1);
    if (name.size() < 2 || name[0] != '#') return false;
    const auto [stop, error] = std::from_chars(begin, name.data() + name.size(), code, hexadecimal ? 16 : 10);
    if (error != std::errc() || stop != name.data() + name.size() || code < 0x20 || code > 0x10FFFF ||
        (code >= 0xD800 && code < 0xE000))
      return false;
    add_utf8(text, code);
  }
  for (std::size_t i = 0; i <= end; ++i) step();
  return true;
}

/// <b>text</b> of DOT, without its tags.
GraphWords::Word GraphWords::html() {
  Word word{{}, place_, true, false};
  int depth = 0;
  while (!at_end()) {
    const char c = step();
    if (c == '<') ++depth;
    if (depth == 1 && c != '<' && c != '>') word.text += c;
    if (c == '>' && --depth == 0) return word;
  }
  file_.fail(word.place, "the < that opens here is not closed");
}

GraphWords::Word GraphWords::next() {
  skip_blanks();
  if (at_end()) return {{}, place_, false, true};
  const char c = text_[at_];
  if (c == '"') {
    Word word = quoted();
    for (skip_blanks(); dot_ && !at_end() && text_[at_] == '+'; skip_blanks()) {
      step();
      skip_blanks();
      if (at_end() || text_[at_] != '"') file_.fail(place_, "a quoted string must follow the +");
      word.text += quoted().text;
    }
    return word;
  }
  if (dot_ && c == '<') return html();
  Word word{{}, place_, false, false};
  const std::string_view marks = dot_ ? "{}[];,=:" : "[]";
  if (marks.find(c) != std::string_view::npos || (dot_ && text_.substr(at_, 2) == "->") ||
      (dot_ && text_.substr(at_, 2) == "--")) {
    word.mark = true;
    word.text = step();
    if (word.text == "-") word.text += step();
    return word;
  }
  while (!at_end() && std::string_view(" \t\r\n\"").find(text_[at_]) == std::string_view::npos &&
         marks.find(text_[at_]) == std::string_view::npos) {
    if (dot_ && (text_.substr(at_, 2) == "->" || text_.substr(at_, 2) == "--")) break;
    word.text += step();
  }
  return word;
}

}  // namespace tailbound::network
