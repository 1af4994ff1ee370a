#include <tailbound/core/trimmed.hpp>
#include <tailbound/network/imports/raw_graph.hpp>
#include <tailbound/network/reading/table_rows.hpp>

#include <algorithm>
#include <span>

namespace tailbound::network {
namespace {

constexpr std::size_t looked_at = 24;  ///< lines

/// The first lines that are neither blank nor comments.
std::vector<std::string_view> first_lines(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < looked_at) {
    if (const std::string_view rest = trimmed(text); rest.substr(0, 2) == "/*") {
      const std::size_t closed = rest.find("*/", 2);
      text = closed == std::string_view::npos ? std::string_view() : rest.substr(closed + 2);
      continue;
    }
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && line.front() != '#' && line.substr(0, 2) != "//") lines.push_back(line);
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

bool is_edge_header(std::string_view line) {
  const char separator = separator_of(line);
  bool from = false, to = false;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    const End its = end_in_words(line.substr(begin, end - begin));
    from = from || its == End::source;
    to = to || its == End::destination;
    begin = end + 1;
  }
  return from && to;
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
    case ForeignFormat::hpcc:
      return "a topology of HPCC's ns-3";
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
  if (lines.empty()) return std::nullopt;
  const std::string_view first = lines.front();
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
    if (words.size() == 3 && all_whole(words) && lines.size() > 2 && all_whole(words_of(lines[1])) &&
        words_of(lines[2]).size() >= 4 && read_speed(words_of(lines[2])[2]))
      return ForeignFormat::hpcc;
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
  if (is_edge_header(first) || std::all_of(lines.begin(), lines.end(), is_edge_line))
    return ForeignFormat::edge_list;
  return std::nullopt;
}

Network read_foreign(ForeignFormat format, std::string_view text, const std::string& name) {
  const FileText file(text, name);
  RawGraph graph(file);
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
    case ForeignFormat::hpcc:
      read_hpcc(file, graph);
      break;
    case ForeignFormat::htsim:
      read_htsim(file, graph);
      break;
    case ForeignFormat::htsim_connections:
      file.fail({1, 1},
                "this is a connection matrix of htsim, which has traffic but no links; give it as --matrix "
                "together with a network");
    case ForeignFormat::simgrid:
      file.fail({1, 1},
                "this is a platform of SimGrid, which is not supported; \"tailbound network\" writes "
                "fat-trees, tori and dragonflies, and GraphML, GML, DOT and edge lists can be read");
    case ForeignFormat::other_xml:
      file.fail(
          {1, 1},
          "this is XML but not GraphML; a network may be a TOML file, GraphML, GML, DOT or an edge list");
  }
  return graph.network(in_words(format));
}

}  // namespace tailbound::network
