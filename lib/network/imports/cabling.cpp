#include <tailbound/core/trimmed.hpp>
#include <tailbound/core/words.hpp>
#include <tailbound/network/imports/raw_graph.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

/// Cables as found in a network or as planned for one: ibnetdiscover of InfiniBand, containerlab.
namespace tailbound::network {
namespace {

/// The next line of a text, which loses it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// What is between the first two marks from `at` on, which moves behind it; none without them.
std::optional<std::string> between(std::string_view line, char open, char close, std::size_t& at) {
  const std::size_t begin = line.find(open, at);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = line.find(close, begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  at = end + 1;
  return std::string(line.substr(begin + 1, end - begin - 1));
}

/// The data rate of a lane after its line code [Gbit/s].
std::optional<Rational> lane_gbps(std::string_view name) {
  static const std::vector<std::pair<std::string_view, Rational>> lanes{
      {"SDR", 2},  {"DDR", 4},  {"QDR", 8},   {"FDR10", 10}, {"FDR", Rational(1364) / 100},
      {"EDR", 25}, {"HDR", 50}, {"NDR", 100}, {"XDR", 200}};
  for (const auto& [its, gbps] : lanes)
    if (name == its) return gbps;
  return std::nullopt;
}

/// 4xHDR: lanes and their kind, at the end of a line.
std::optional<Rational> width_times_speed(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return std::nullopt;
  const std::string_view last = words.back();
  const std::size_t by = last.find('x');
  unsigned lanes = 0;
  if (by == std::string_view::npos) return std::nullopt;
  const auto [end, error] = std::from_chars(last.data(), last.data() + by, lanes);
  if (error != std::errc() || end != last.data() + by || lanes < 1 || lanes > 12) return std::nullopt;
  const auto lane = lane_gbps(last.substr(by + 1));
  if (!lane) return std::nullopt;
  return Rational(*lane * lanes);
}

}  // namespace

/// Blocks of a switch or an adapter, each with a line for each of its ports; both ends list a cable.
void read_ibnetdiscover(const FileText& file, RawGraph& graph) {
  graph.kinds_known = true;
  std::string_view text = file.text();
  std::set<std::pair<std::string, std::string>> met;  // ends with ports, in order
  std::set<std::string> speeds;
  std::string owner;
  const auto node_of = [&](const std::string& id, Place place) {
    const bool is_new = !graph.has(id);
    const std::size_t node = graph.node(id, place);
    if (is_new) graph.set_host(node, id.starts_with("H-"));
    return node;
  };
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view all = take_line(text), line = trimmed(all);
    const Place place{number, 1};
    const std::string_view comment = line.substr(std::min(line.find('#'), line.size()));
    std::size_t at = 0, in_comment = 0;
    const std::optional<std::string> label = between(comment, '"', '"', in_comment);
    if (const auto words = words_of(line); !words.empty() && is_one_of(words[0], {"Switch", "Ca", "Rt"})) {
      const auto id = between(line, '"', '"', at);
      if (!id) graph.fail(place, "the name of this node, \"S-...\" or \"H-...\", is missing");
      owner = *id;
      const std::size_t node = node_of(owner, place);
      if (label && !trimmed(*label).empty()) graph.set_name(node, std::string(trimmed(*label)));
      continue;
    }
    if (line.empty() || line.front() != '[') continue;
    const auto port = between(line, '[', ']', at);
    const auto other = between(line, '"', '"', at);
    const auto other_port = between(line, '[', ']', at);
    if (owner.empty() || !port || !other || !other_port)
      graph.fail(place,
                 "a port must be written as [1] \"S-...\"[2], below the switch or adapter that has it");
    std::string own_end = owner + "[" + *port, other_end = *other + "[" + *other_port;
    if (other_end < own_end) std::swap(own_end, other_end);
    const std::size_t from = node_of(owner, place), to = node_of(*other, place);
    if (!met.emplace(own_end, other_end).second) continue;
    RawGraph::Edge& edge = graph.edge(from, to, true, place);
    edge.gbps = width_times_speed(comment);
    const std::vector<std::string_view> words = words_of(comment);
    if (edge.gbps && speeds.size() < 8) speeds.emplace(words.back());
    if (!edge.gbps && !words.empty() && words.back().find('x') != std::string_view::npos &&
        words.back().find_first_of("123456789") == 0)
      graph.fail(place, "the speed of this link is " + in_quotes(words.back()) +
                            "; it must be a number of lanes and SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or "
                            "XDR, such as 4xHDR");
  }
  if (speeds.empty()) return;
  std::string list;
  for (const std::string& each : speeds) list += (list.empty() ? "" : ", ") + each;
  graph.remark("speeds: lanes times the data rate of a lane (" + list + ")");
}

/// The endpoints of links, "node:interface"; this part of YAML is read without a library.
void read_containerlab(const FileText& file, RawGraph& graph) {
  std::string_view text = file.text();
  std::vector<std::string> ends;
  Place place{1, 1};
  std::size_t outside = 0;
  bool in_flow = false, in_block = false;
  const auto finish = [&] {
    if (ends.size() != 2)
      graph.fail(place, "the endpoints of a link must be two, such as [\"leaf1:e1-1\", \"host1:eth1\"]");
    const auto node = [](const std::string& end) { return end.substr(0, end.find(':')); };
    // Names of containerlab for the machine that it runs on.
    const auto is_outside = [&](const std::string& end) {
      return is_one_of(node(end), {"host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch", "dummy"});
    };
    if (is_outside(ends[0]) || is_outside(ends[1]))
      ++outside;
    else
      graph.edge(node(ends[0]), node(ends[1]), true, place);
    ends.clear();
    in_flow = in_block = false;
  };
  const auto take = [&](std::string_view item) {
    item = trimmed(item);
    if (item.size() > 1 && (item.front() == '"' || item.front() == '\''))
      item = item.substr(1, item.size() - 2);
    if (item.empty() || item.front() == ':')
      graph.fail(place, "an endpoint must be written as node:interface");
    ends.emplace_back(item);
  };
  const auto take_flow = [&](std::string_view rest) {
    const std::size_t closed = rest.find(']');
    std::string_view items = rest.substr(0, closed);
    while (!trimmed(items).empty()) {
      const std::size_t end = std::min(items.find(','), items.size());
      take(items.substr(0, end));
      items.remove_prefix(std::min(end + 1, items.size()));
    }
    in_flow = closed == std::string_view::npos;
    if (!in_flow) finish();
  };
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = take_line(text);
    line = trimmed(line.substr(0, line.find(" #")));
    if (line.empty() || line.front() == '#') continue;
    if (in_flow) {
      take_flow(line);
      continue;
    }
    if (in_block) {
      // - node:interface, or - node: leaf1 with its interface on a line of its own.
      if (line.starts_with("- ")) {
        std::string_view item = trimmed(line.substr(2));
        if (item.starts_with("node:")) item = item.substr(5);
        take(item);
        if (ends.size() == 2) finish();
      }
      continue;
    }
    const std::size_t at = line.find("endpoints:");
    if (at == std::string_view::npos) continue;
    place = {number, 1};
    const std::string_view rest = trimmed(line.substr(at + 10));
    in_block = rest.empty();
    if (in_block) continue;
    if (rest.front() != '[') graph.fail(place, "the endpoints of a link must be a list");
    take_flow(rest.substr(1));
  }
  if (in_flow || in_block) finish();
  graph.remark("read from the endpoints of links; kinds and images of nodes are ignored");
  if (outside > 0) graph.remark(std::to_string(outside) + " links to the machine of containerlab ignored");
}

}  // namespace tailbound::network
