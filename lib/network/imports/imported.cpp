#include <tailbound/core/trimmed.hpp>
#include <tailbound/core/words.hpp>
#include <tailbound/network/imports/raw_graph.hpp>
#include <tailbound/network/reading/format_names.hpp>
#include <tailbound/network/reading/table_rows.hpp>

#include <algorithm>
#include <span>

namespace tailbound::network {
namespace {

constexpr std::size_t lines_looked_at = 24;  ///< lines

/// The first lines that are neither blank nor comments.
std::vector<std::string_view> first_lines(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < lines_looked_at) {
    if (const std::string_view rest = trimmed(text); rest.substr(0, 2) == "/*") {
      const std::size_t closed = rest.find("*/", 2);
      text = closed == std::string_view::npos ? std::string_view() : rest.substr(closed + 2);
      continue;
    }
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && line.front() != '#' && line.front() != '%' && line.substr(0, 2) != "//")
      lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool is_whole(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool all_whole(std::span<const std::string_view> words) {
  return std::all_of(words.begin(), words.end(), is_whole);
}

/// Does the text begin with this whole word?
bool begins_with(std::string_view line, std::string_view word) {
  if (line.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((line[i] | 0x20) != word[i]) return false;
  return line.size() == word.size() ||
         std::string_view(" \t[{\"").find(line[word.size()]) != std::string_view::npos;
}

bool is_edge_line(std::string_view line) {
  const char separator = separator_of(line);
  std::vector<std::string_view> words;
  if (separator == ' ' || separator == '\t') {
    const std::size_t data = line.find('{');
    words = words_of(line.substr(0, data));
    if (data != std::string_view::npos) return words.size() == 2;
  } else {
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(separator, begin), line.size());
      words.push_back(trimmed(line.substr(begin, end - begin)));
      begin = end + 1;
    }
  }
  if (words.size() < 2 || words.size() > 3 || words[0].empty() || words[1].empty()) return false;
  return words.size() == 2 || read_speed(words[2]).has_value();
}

/// The cells of a row, without quotation marks.
std::vector<std::string> cells_of(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == separator && !quoted)
      cells.emplace_back();
    else if (c != '"')
      cells.back() += c;
  }
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

bool is_edge_header(std::string_view line) {
  const char separator = separator_of(line);
  std::vector<std::string> cells = cells_of(line, separator);
  if (separator == ' ') std::erase(cells, "");
  return edge_columns(cells).has_value();
}

/// Rows of the same number of cells.
bool is_table(const std::vector<std::string_view>& lines) {
  const char separator = separator_of(lines.front());
  const std::size_t columns = cells_of(lines.front(), separator).size();
  return separator != ' ' && columns > 2 &&
         std::all_of(lines.begin(), lines.end(),
                     [&](std::string_view line) { return cells_of(line, separator).size() == columns; });
}

/// 0 1 100Gbps 0.001ms 0: a link of ns-3.
bool is_ns3_link(std::span<const std::string_view> words) {
  return words.size() >= 4 && all_whole(words.first(2)) && read_speed(words[2]);
}

/// Counts in the first line, switches, and links.
std::optional<ForeignFormat> ns3_format(const std::vector<std::string_view>& lines) {
  const std::vector<std::string_view> counts = words_of(lines.front());
  const bool hpcc = counts.size() == 3 && all_whole(counts);
  const bool simai = (counts.size() == 6 || counts.size() == 7) && all_whole(std::span(counts).first(5)) &&
                     !is_whole(counts[5]);
  if (!hpcc && !simai) return std::nullopt;
  for (std::size_t at = 1; at < lines.size(); ++at) {
    const std::vector<std::string_view> words = words_of(lines[at]);
    if (is_ns3_link(words)) return hpcc ? ForeignFormat::hpcc : ForeignFormat::simai;
    if (!all_whole(words)) return std::nullopt;
  }
  return std::nullopt;
}

/// Switch 36 "S-0002c9..."
bool is_ibnetdiscover(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  return words.size() > 2 && is_one_of(words[0], {"Switch", "Ca", "Rt"}) && is_whole(words[1]) &&
         words[2].size() > 3 && words[2][0] == '"' && words[2][2] == '-';
}

/// % src dst pir por t_on t_off t_period
bool is_noxim(std::string_view text) {
  for (text = trimmed(text); text.substr(0, 1) == "%"; text = trimmed(text)) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string comment = lower_case(text.substr(0, end));
    if (comment.find("pir") != std::string::npos || comment.find("src") != std::string::npos) return true;
    text.remove_prefix(end);
  }
  return false;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::string in_words(ForeignFormat format) {
  switch (format) {
    case ForeignFormat::graphml:
      return "GraphML";
    case ForeignFormat::gml:
      return "GML";
    case ForeignFormat::dot:
      return "DOT (Graphviz)";
    case ForeignFormat::edge_list:
      return "an edge list";
    case ForeignFormat::booksim:
      return "an anynet file of BookSim";
    case ForeignFormat::node_link:
      return "JSON of networkx";
    case ForeignFormat::hpcc:
      return "a topology of HPCC or astra-sim";
    case ForeignFormat::simai:
      return "a topology of SimAI";
    case ForeignFormat::ibnetdiscover:
      return "output of ibnetdiscover";
    case ForeignFormat::containerlab:
      return "a topology of containerlab";
    case ForeignFormat::noxim_table:
      return "a traffic table of Noxim";
    case ForeignFormat::htsim:
      return "a topology of htsim";
    case ForeignFormat::htsim_connections:
      return "a connection matrix of htsim";
    case ForeignFormat::simgrid:
      return "a platform of SimGrid";
    case ForeignFormat::other_xml:
      break;
  }
  return "XML";
}

std::optional<ForeignFormat> foreign_format(std::string_view text) {
  const std::vector<std::string_view> lines = first_lines(text);
  if (is_noxim(text)) return ForeignFormat::noxim_table;
  if (lines.empty()) return std::nullopt;
  const std::string_view first = lines.front();
  if (first.front() == '{') return ForeignFormat::node_link;
  if (std::any_of(lines.begin(), lines.end(), is_ibnetdiscover)) return ForeignFormat::ibnetdiscover;
  if (first.front() == '<') {
    const std::string_view front = text.substr(0, 4096);
    if (front.find("<graphml") != std::string_view::npos) return ForeignFormat::graphml;
    return front.find("<platform") != std::string_view::npos ? ForeignFormat::simgrid
                                                             : ForeignFormat::other_xml;
  }
  const std::vector<std::string_view> words = words_of(first);
  if (words.size() > 1 && first.find('=') == std::string_view::npos) {
    if (words[0] == "router" && is_whole(words[1])) return ForeignFormat::booksim;
    if (begins_with(first, "nodes") && is_whole(words[1]))
      return lines.size() > 1 && begins_with(lines[1], "connections") ? ForeignFormat::htsim_connections
                                                                      : ForeignFormat::htsim;
    if (const auto format = ns3_format(lines)) return format;
  }
  if (begins_with(first, "strict") || begins_with(first, "digraph")) return ForeignFormat::dot;
  // graph NAME { is DOT; graph [ is GML, possibly after other keys.
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (!begins_with(lines[at], "graph")) {
      if (lines[at].find('=') != std::string_view::npos) break;
      continue;
    }
    for (std::size_t then = at; then < lines.size(); ++then) {
      const std::size_t mark = lines[then].find_first_of("{[=");
      if (mark == std::string_view::npos) continue;
      if (lines[then][mark] == '{' && at == 0) return ForeignFormat::dot;
      if (lines[then][mark] == '[') return ForeignFormat::gml;
      break;
    }
    break;
  }
  if (std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
        return line.find('=') != std::string_view::npos || line.front() == '[';
      }))
    return std::nullopt;
  if (std::find(lines.begin(), lines.end(), "topology:") != lines.end()) return ForeignFormat::containerlab;
  if (is_edge_header(first) || std::all_of(lines.begin(), lines.end(), is_edge_line) || is_table(lines))
    return ForeignFormat::edge_list;
  return std::nullopt;
}

Network read_foreign(ForeignFormat format, std::string_view text, const std::string& name,
                     const ForeignReading& reading) {
  const FileText file(text, name);
  RawGraph graph(file, reading);
  switch (format) {
    case ForeignFormat::graphml:
      read_graphml(file, graph);
      break;
    case ForeignFormat::gml:
      read_gml(file, graph);
      break;
    case ForeignFormat::dot:
      read_dot(file, graph);
      break;
    case ForeignFormat::edge_list:
      read_edge_list(file, graph);
      break;
    case ForeignFormat::booksim:
      read_booksim(file, graph);
      break;
    case ForeignFormat::node_link:
      read_node_link(file, graph);
      break;
    case ForeignFormat::hpcc:
    case ForeignFormat::simai:
      read_hpcc(file, graph);
      break;
    case ForeignFormat::ibnetdiscover:
      read_ibnetdiscover(file, graph);
      break;
    case ForeignFormat::containerlab:
      read_containerlab(file, graph);
      break;
    case ForeignFormat::htsim:
      read_htsim(file, graph);
      break;
    case ForeignFormat::htsim_connections:
      file.fail({1, 1},
                "this is a connection matrix of htsim, which has traffic but no links; give it as --matrix "
                "together with a network");
    case ForeignFormat::noxim_table:
      file.fail(
          {1, 1},
          "this is a traffic table of Noxim, which has traffic but no links; give it as --matrix together "
          "with a network (tailbound network mesh --sides 4,4 writes a mesh)");
    case ForeignFormat::simgrid:
      file.fail({1, 1},
                std::string("this is a platform of SimGrid, which is not supported; \"tailbound network\" "
                            "writes fat-trees, tori and dragonflies; formats that can be read: ") +
                    foreign_formats);
    case ForeignFormat::other_xml:
      file.fail({1, 1},
                std::string("this is XML but not GraphML; a network may be a TOML file, ") + foreign_formats);
  }
  return graph.network(in_words(format));
}

}  // namespace tailbound::network
