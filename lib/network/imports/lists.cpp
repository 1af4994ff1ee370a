#include <tailbound/core/trimmed.hpp>
#include <tailbound/core/words.hpp>
#include <tailbound/network/imports/raw_graph.hpp>
#include <tailbound/network/reading/table_rows.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tailbound::network {
namespace {

/// Lines of words, without comments.
class Lines {
 public:
  explicit Lines(const FileText& file) : text_(file.text()) {}

  struct Line {
    std::vector<std::string> words;
    Place place;
  };

  /// At the end without words.
  Line next() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view all = text_.substr(at_, end - at_);
      const std::string_view line = trimmed(all.substr(0, all.find('#')));
      at_ = end + 1;
      ++number_;
      if (line.empty()) continue;
      Line result{{}, {number_, 1}};
      for (const std::string_view word : words_of(line)) result.words.emplace_back(word);
      return result;
    }
    return {{}, {number_ + 1, 1}};
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, number_ = 0;
};

std::optional<std::size_t> count_in(const std::string& word) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value > 1'000'000'000) return std::nullopt;
  return value;
}

std::size_t need_whole(const RawGraph& graph, const Lines::Line& line, std::size_t at, const char* what) {
  if (at < line.words.size())
    if (const auto value = count_in(line.words[at])) return *value;
  graph.fail(line.place,
             std::string(what) + " must be a whole number" +
                 (at < line.words.size() ? ", not " + in_quotes(line.words[at]) : ", but is missing"));
}

/// {'capacity': 10, 'name': 'x'} as Python prints it.
void read_python_data(RawGraph& graph, RawGraph::Edge& edge, std::string_view data) {
  data = trimmed(data);
  if (data.size() < 2 || data.front() != '{' || data.back() != '}') return;
  data = data.substr(1, data.size() - 2);
  const auto bare = [](std::string_view text) {
    text = trimmed(text);
    if (text.size() > 1 && (text.front() == '\'' || text.front() == '"'))
      text = text.substr(1, text.size() - 2);
    return text;
  };
  while (!data.empty()) {
    const std::size_t end = std::min(data.find(','), data.size()), colon = data.substr(0, end).find(':');
    if (colon != std::string_view::npos)
      graph.edge_attribute(edge, bare(data.substr(0, colon)), bare(data.substr(colon + 1, end - colon - 1)));
    data.remove_prefix(std::min(end + 1, data.size()));
  }
}

/// a b {'capacity': 10} per line, as networkx writes it.
void read_python_list(TableRows& rows, RawGraph& graph) {
  for (std::optional<TableCell> line; (line = rows.next_line());) {
    const std::string_view text = trimmed(line->text);
    const std::size_t data = std::min(text.find('{'), text.size());
    const std::string_view names = trimmed(text.substr(0, data));
    const std::size_t blank = names.find_first_of(" \t");
    if (blank == std::string_view::npos)
      graph.fail(line->place, "a line must begin with the names of two nodes");
    RawGraph::Edge& edge = graph.edge(std::string(names.substr(0, blank)),
                                      std::string(trimmed(names.substr(blank))), true, line->place);
    read_python_data(graph, edge, text.substr(data));
  }
}

constexpr const char* columns_need_names =
    "; name the columns in a first line, such as source,source port,destination,destination port,speed. A "
    "matrix of rates goes to --matrix";

struct EndName {
  End end = End::neither;
  bool sure = false;  ///< otherwise it may be the name of a node
};

/// "source", "from_node", "Device B", "a": which end of a link a column has, if any.
EndName end_of_column(std::string_view name) {
  EndName found;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of(" _-.", begin), name.size());
    const std::string word = lower_case(name.substr(begin, end - begin));
    begin = end + 1;
    if (word.empty()) continue;
    End its = end_in_words(word);
    const bool clear = its != End::neither;
    if (is_one_of(word, {"a", "u", "left", "local", "node1", "nodea"})) its = End::source;
    if (is_one_of(word, {"b", "v", "right", "remote", "node2", "nodeb"})) its = End::destination;
    if (its != End::neither) {
      if (found.end != End::neither) return {};
      found.end = its;
      found.sure = found.sure || clear;
    } else if (is_one_of(word, {"node", "device", "host", "hostname", "switch", "router", "server", "name",
                                "system", "side", "end", "id"})) {
      found.sure = true;
    } else {
      return {};
    }
  }
  return found.end == End::neither ? EndName{} : found;
}

std::string roles_in_words(const EdgeColumns& columns, const std::vector<std::string>& header) {
  std::string text =
      "columns: from " + in_quotes(header[columns.from]) + " to " + in_quotes(header[columns.to]);
  for (const std::size_t at : columns.speeds) text += ", speed " + in_quotes(header[at]);
  std::string ignored;
  std::size_t count = 0;
  for (std::size_t at = 0; at < header.size(); ++at) {
    if (at == columns.from || at == columns.to || header[at].empty() ||
        std::find(columns.speeds.begin(), columns.speeds.end(), at) != columns.speeds.end())
      continue;
    if (++count <= 8) ignored += (ignored.empty() ? "" : ", ") + in_quotes(header[at]);
  }
  if (count > 8) ignored += ", ...";
  return ignored.empty() ? text : text + "; ignored: " + ignored;
}

}  // namespace

/// The columns of a list of links; those without a role are ignored.
std::optional<EdgeColumns> edge_columns(std::span<const std::string> header) {
  EdgeColumns columns;
  std::optional<std::size_t> from, to;
  bool sure = true, known = false;  // is each end clear from its name; does another column have a known one?
  for (std::size_t at = 0; at < header.size(); ++at) {
    const EndName name = end_of_column(header[at]);
    std::optional<std::size_t>* end = nullptr;
    if (name.end == End::source) end = &from;
    if (name.end == End::destination) end = &to;
    if (end != nullptr && !*end) {
      *end = at;
      sure = sure && name.sure;
      continue;
    }
    const std::string lower = lower_case(header[at]);
    const bool speed = speed_name(header[at]).has_value() || lower.starts_with("linkspeed");
    if (speed) columns.speeds.push_back(at);
    known = known || speed || lower.find("port") != std::string::npos ||
            lower.find("interface") != std::string::npos;
  }
  if (!from || !to || (!sure && !known)) return std::nullopt;
  columns.from = *from;
  columns.to = *to;
  return columns;
}

/// Two names per row, and possibly a speed; or columns named by the first row.
void read_edge_list(const FileText& file, RawGraph& graph) {
  TableRows rows(file);
  if (rows.first_line().find('{') != std::string_view::npos) return read_python_list(rows, graph);
  std::vector<std::string> header;
  EdgeColumns columns;
  std::size_t named = 0;
  bool with_speed = false;
  for (bool first = true; const auto row = rows.next(); first = false) {
    if (first) {
      std::vector<std::string> names;
      for (const TableCell& cell : *row) names.push_back(cell.text);
      if (const auto found = edge_columns(names)) {
        columns = *found;
        header = std::move(names);
        named = header.size();
        continue;
      }
      // Without names there is at most a speed after the two nodes.
      if (names.size() > 3)
        graph.fail(row->front().place,
                   "a list of links without a header line has the columns source, target and, "
                   "possibly, speed; this one has " +
                       std::to_string(names.size()) + columns_need_names);
      named = rows.separator() == ',' ? 3 : row->max_size();
    }
    const std::size_t cells = row->size();
    if (std::max(columns.from, columns.to) >= cells || (*row)[columns.from].text.empty() ||
        (*row)[columns.to].text.empty())
      graph.fail(row->front().place, "a row must name two nodes");
    if (const std::string wrong = too_many_cells(*row, named); !wrong.empty())
      graph.fail(row->front().place, wrong);
    RawGraph::Edge& edge =
        graph.edge((*row)[columns.from].text, (*row)[columns.to].text, true, row->front().place);
    for (const std::size_t at : columns.speeds)
      if (at < cells) graph.edge_attribute(edge, header[at], (*row)[at].text);
    if (!header.empty() || cells < 3 || (*row)[2].text.empty()) continue;
    if (!read_speed((*row)[2].text))
      graph.fail((*row)[2].place, "the third column of a list without a header line is the speed, not " +
                                      in_quotes((*row)[2].text) + columns_need_names);
    graph.edge_attribute(edge, "speed", (*row)[2].text);
    with_speed = true;
  }
  graph.remark(header.empty() ? std::string("no header line: columns taken as source and target") +
                                    (with_speed ? ", then speed" : "")
                              : roles_in_words(columns, header));
}

/// router 0 node 0 node 1 router 1 5: the neighbours of router 0, each followed by the channel's latency if
/// given.
void read_booksim(const FileText& file, RawGraph& graph) {
  Lines lines(file);
  graph.kinds_known = true;
  std::size_t latencies = 0;
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  for (Lines::Line line = lines.next(); !line.words.empty(); line = lines.next()) {
    const auto place_of = [&](std::size_t at) {
      const std::string& word = line.words[at];
      if (word != "router" && word != "node")
        graph.fail(line.place, "\"router\" or \"node\" is expected here, not " + in_quotes(word));
      const std::size_t number = need_whole(graph, line, at + 1, "the number of a router or node");
      const std::size_t its = graph.node((word == "node" ? "n" : "r") + std::to_string(number), line.place);
      graph.set_host(its, word == "node");
      return its;
    };
    const std::size_t head = place_of(0);
    for (std::size_t at = 2; at < line.words.size();) {
      const std::size_t other = place_of(at);
      at += 2;
      if (at < line.words.size() && count_in(line.words[at])) {
        ++latencies;
        ++at;
      }
      // A channel may be listed from both of its ends.
      seen.emplace_back(std::min(head, other), std::max(head, other));
    }
    if (seen.size() > 2'000'000) graph.fail(line.place, "more than 1000000 links, the limit");
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const auto& [a, b] : seen) graph.edge(a, b, true, {});
  if (latencies > 0) graph.remark("latencies of channels are ignored");
}

/// Counts; the switches; and for each link its ends, its speed, its delay and its error rate. SimAI counts
/// nodes, GPUs per server, switches of NVLink, other switches and links.
void read_hpcc(const FileText& file, RawGraph& graph) {
  Lines lines(file);
  graph.kinds_known = true;
  const Lines::Line counts = lines.next();
  const bool simai = counts.words.size() > 3;
  const std::size_t nodes = need_whole(graph, counts, 0, "the number of nodes"),
                    switches = need_whole(graph, counts, simai ? 3 : 1, "the number of switches") +
                               (simai ? need_whole(graph, counts, 2, "the number of NVLink switches") : 0),
                    links = need_whole(graph, counts, simai ? 4 : 2, "the number of links");
  if (nodes > 200'000) graph.fail(counts.place, "more than 200000 nodes, the limit");
  // Without switches the nodes themselves forward.
  for (std::size_t node = 0; node < nodes; ++node)
    graph.set_host(graph.node(std::to_string(node), counts.place), switches > 0);
  std::size_t found = 0;
  Lines::Line line = lines.next();
  for (; found < switches; line = lines.next()) {
    if (line.words.empty()) graph.fail(line.place, "the list of switches ends too early");
    for (std::size_t at = 0; at < line.words.size(); ++at, ++found) {
      const std::size_t its = need_whole(graph, line, at, "a switch");
      if (its >= nodes)
        graph.fail(line.place,
                   "the switch " + line.words[at] + " is not one of the " + std::to_string(nodes) + " nodes");
      graph.set_host(graph.node(std::to_string(its), line.place), false);
    }
  }
  std::size_t count = 0;
  for (; !line.words.empty() && count < links; line = lines.next(), ++count) {
    const std::size_t from = need_whole(graph, line, 0, "the end of a link"),
                      to = need_whole(graph, line, 1, "the end of a link");
    if (from >= nodes || to >= nodes)
      graph.fail(line.place, "a link leads to a node above " + std::to_string(nodes - 1));
    const auto speed = line.words.size() > 2 ? read_speed(line.words[2]) : std::nullopt;
    if (!speed) graph.fail(line.place, "the third word of a link must be its speed, such as 100Gbps");
    // A number without a unit is in bit/s in ns-3.
    graph.set_speed(graph.edge(std::to_string(from), std::to_string(to), true, line.place), *speed,
                    "the speed of this link", size_of(SpeedUnit::bits));
  }
  if (count != links)
    graph.fail(line.place, "the first line announces " + std::to_string(links) + " links, but the file has " +
                               std::to_string(count));
  if (simai) graph.remark("switches of NVLink are switches like others; GPU types and servers are ignored");
  graph.remark("delays and error rates of links are ignored");
}

/// A fat-tree of two or three tiers, tier by tier: number of switches, and links up and down from each.
void read_htsim(const FileText& file, RawGraph& graph) {
  struct Tier {
    std::optional<Rational> down_gbps{};
    std::size_t down = 0, up = 0, bundle = 1;
  };
  Lines lines(file);
  graph.kinds_known = true;
  std::size_t nodes = 0, pod = 0, tiers = 0, tier = 0;
  std::array<Tier, 3> all{};
  Place begin{1, 1};
  std::vector<std::string> omitted;
  for (Lines::Line line = lines.next(); !line.words.empty(); line = lines.next()) {
    const std::string key = lower_case(line.words.front());
    const auto number = [&](const char* what) { return need_whole(graph, line, 1, what); };
    if (key == "nodes") {
      nodes = number("Nodes");
    } else if (key == "podsize") {
      pod = number("Podsize");
    } else if (key == "tiers") {
      tiers = number("Tiers");
      if (tiers < 2 || tiers > 3) graph.fail(line.place, "Tiers must be 2 or 3");
    } else if (key == "tier") {
      tier = number("Tier");
      if (tier > 2) graph.fail(line.place, "Tier must be 0, 1 or 2");
    } else if (key == "downlink_speed_gbps") {
      const auto speed = line.words.size() > 1 ? read_speed(line.words[1]) : std::nullopt;
      if (!speed) graph.fail(line.place, "Downlink_speed_Gbps must be a number above 0");
      all[tier].down_gbps = speed->value;
    } else if (key == "radix_down") {
      all[tier].down = number("Radix_Down");
    } else if (key == "radix_up") {
      all[tier].up = number("Radix_Up");
    } else if (key == "bundle") {
      all[tier].bundle = number("Bundle");
    } else if (std::find(omitted.begin(), omitted.end(), line.words.front()) == omitted.end()) {
      omitted.push_back(line.words.front());
    }
  }
  const auto need = [&](std::size_t value, const char* what) {
    if (value == 0) graph.fail(begin, std::string("a topology of htsim needs ") + what + ", above 0");
  };
  need(nodes, "Nodes");
  need(tiers, "Tiers");
  if (nodes > 100'000) graph.fail(begin, "more than 100000 hosts, the limit");
  for (std::size_t i = 0; i < tiers; ++i) need(all[i].down, "Radix_Down for each tier");
  for (std::size_t i = 0; i + 1 < tiers; ++i) need(all[i].up, "Radix_Up for each tier except the last");
  for (const Tier& its : all) need(its.bundle, "Bundle");
  if (tiers == 2) pod = nodes;
  need(pod, "Podsize");
  const auto divided = [&](std::size_t value, std::size_t by, const char* what) {
    if (by == 0 || value % by != 0)
      graph.fail(begin, std::string(what) + " (" + std::to_string(value) + ") must be a multiple of " +
                            std::to_string(by));
    return value / by;
  };
  const auto name = [&](const char* kind, std::size_t i) {
    return graph.node(kind + std::to_string(i), begin);
  };
  const std::size_t tors = divided(nodes, all[0].down, "Nodes"),
                    tors_of_pod = divided(pod, all[0].down, "Podsize");
  const std::size_t pods = divided(nodes, pod, "Nodes");
  for (std::size_t host = 0; host < nodes; ++host) {
    const std::size_t its = graph.node(std::to_string(host), begin);
    graph.set_host(its, true);
    graph.edge(its, name("tor", host / all[0].down), true, begin).gbps = all[0].down_gbps;
  }
  const auto wires = [&](std::size_t from, std::size_t to, const Tier& above) {
    for (std::size_t i = 0; i < above.bundle; ++i) graph.edge(from, to, true, begin).gbps = above.down_gbps;
  };
  // In the second tier a pod has as many switches as a top-of-rack switch has uplinks, bundles counted once.
  const std::size_t aggs_of_pod = divided(all[0].up, all[1].bundle, "Radix_Up of tier 0");
  const char* second = tiers == 2 ? "spine" : "agg";
  for (std::size_t tor = 0; tor < tors; ++tor)
    for (std::size_t i = 0; i < aggs_of_pod; ++i)
      wires(name("tor", tor), name(second, tor / tors_of_pod * aggs_of_pod + i), all[1]);
  if (tiers == 3) {
    const std::size_t ups = divided(all[1].up, all[2].bundle, "Radix_Up of tier 1");
    for (std::size_t agg = 0; agg < pods * aggs_of_pod; ++agg)
      for (std::size_t i = 0; i < ups; ++i)
        wires(name("agg", agg), name("core", agg % aggs_of_pod * ups + i), all[2]);
  }
  if (!omitted.empty()) {
    std::string text;
    for (const std::string& each : omitted) text += (text.empty() ? "" : ", ") + each;
    graph.remark(text + " ignored");
  }
}

}  // namespace tailbound::network
