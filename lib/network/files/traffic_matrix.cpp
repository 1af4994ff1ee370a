#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/reading/file_text.hpp>

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::size_t most_cells = 100'001;  ///< of a row

struct Cell {
  std::string text;
  Place place;
};

/// Splits CSV (RFC 4180: commas, double quotes around a cell, doubled inside it) row by row. Spaces around
/// a cell do not count; blank lines and lines that begin with # are skipped.
class CsvRows {
 public:
  explicit CsvRows(const FileText& file) : file_(file), text_(file.text()) {}

  /// The next row, of one cell or more; none at the end of the text.
  [[nodiscard]] std::optional<std::vector<Cell>> next() {
    while (at_ < text_.size()) {
      skip_spaces();
      if (at_ == text_.size()) break;
      if (text_[at_] == '#')
        while (at_ < text_.size() && text_[at_] != '\n') step();
      else if (text_[at_] != '\n')
        return row();
      if (at_ < text_.size()) step();
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::vector<Cell> row() {
    std::vector<Cell> cells;
    while (true) {
      if (cells.size() == most_cells) file_.fail(place_, "more than 100001 cells in a row");
      cells.push_back(cell());
      if (at_ == text_.size()) return cells;
      const bool last = text_[at_] == '\n';
      step();
      if (last) return cells;
    }
  }

  /// Up to the comma, the end of the line or of the text, where it stops.
  [[nodiscard]] Cell cell() {
    skip_spaces();
    Cell cell{{}, place_};
    if (at_ < text_.size() && text_[at_] == '"') {
      read_quoted(cell);
      skip_spaces();
      if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n')
        file_.fail(place_, "a comma or the end of the line must follow a quoted cell");
      return cell;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') step();
    std::string_view inside = text_.substr(begin, at_ - begin);
    while (!inside.empty() && is_space(inside.back())) inside.remove_suffix(1);
    cell.text = inside;
    return cell;
  }

  void read_quoted(Cell& cell) {
    for (step(); at_ < text_.size(); step()) {
      if (text_[at_] == '"') {
        step();
        if (at_ == text_.size() || text_[at_] != '"') return;
      }
      cell.text += text_[at_];
    }
    file_.fail(cell.place, "the quotes that open here are not closed");
  }

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) step();
  }
  void step() {
    const char c = text_[at_++];
    if (c == '\n')
      place_ = {place_.line + 1, 1};
    else if (at_ == text_.size() || (static_cast<unsigned char>(text_[at_]) & 0xC0) != 0x80)
      ++place_.column;
  }

  const FileText& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  Place place_{1, 1};
};

class MatrixReader {
 public:
  MatrixReader(const Network& network, const FileText& file, RouteRule rule)
      : network_(network), file_(file), rule_(rule), rates_(file, network.nodes.size()) {
    for (std::size_t node = 0; node < network.nodes.size(); ++node)
      node_of_.emplace(network.nodes[node].name, node);
    for (const Flow& flow : network.flows) {
      flow_names_.insert(flow.name);
      rates_.send(flow, {}, network.nodes[flow.source].name);
    }
  }

  /// Flows without routes.
  [[nodiscard]] std::vector<Flow> read();
  [[nodiscard]] std::vector<Flow> read_with_routes();

 private:
  [[nodiscard]] std::size_t node(const Cell& cell) const;
  [[nodiscard]] std::vector<std::size_t> nodes_of_header(const std::vector<Cell>& header) const;
  void read_cell(std::size_t source, std::size_t destination, const Cell& cell);
  void find_all_routes();

  const Network& network_;
  const FileText& file_;
  RouteRule rule_;
  RateReader rates_;
  std::unordered_map<std::string, std::size_t> node_of_;
  std::unordered_set<std::string> flow_names_;
  std::vector<Flow> flows_;
  std::vector<Place> places_;
};

std::size_t MatrixReader::node(const Cell& cell) const {
  const auto found = node_of_.find(cell.text);
  if (found == node_of_.end())
    file_.fail(cell.place, "the node " + in_quotes(cell.text) + " is not in the network");
  return found->second;
}

/// The destinations, in columns 2, 3, ...
std::vector<std::size_t> MatrixReader::nodes_of_header(const std::vector<Cell>& header) const {
  std::vector<std::size_t> result;
  std::unordered_set<std::size_t> met;
  for (std::size_t column = 1; column < header.size(); ++column) {
    result.push_back(node(header[column]));
    if (!met.insert(result.back()).second)
      file_.fail(header[column].place,
                 "the destination " + in_quotes(header[column].text) + " has two columns");
  }
  return result;
}

void MatrixReader::read_cell(std::size_t source, std::size_t destination, const Cell& cell) {
  if (cell.text.empty()) return;
  const std::string &from = network_.nodes[source].name, &to = network_.nodes[destination].name;
  Flow flow{
      .name = from + " -> " + to, .source = source, .destination = destination, .rate = 0, .routes = {}};
  flow.rate = rates_.read(cell.text, cell.place, "the rate of the flow " + in_quotes(flow.name));
  if (cln::zerop(flow.rate)) return;
  if (source == destination)
    file_.fail(cell.place, "a flow from " + in_quotes(from) + " to itself; leave the cell blank");
  if (!flow_names_.insert(flow.name).second)
    file_.fail(cell.place, "the network has a flow " + in_quotes(flow.name) + " already");
  if (flows_.size() == most_routes) file_.fail(cell.place, "more than 1000000 flows");
  rates_.send(flow, cell.place, from);
  flows_.push_back(std::move(flow));
  places_.push_back(cell.place);
}

void MatrixReader::find_all_routes() {
  std::vector<RouteRequest> requests;
  requests.reserve(flows_.size());
  for (const Flow& flow : flows_) requests.push_back({flow.source, flow.destination, rule_});
  auto routes = find_routes(network_, requests);
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    if (routes[i].empty())
      file_.fail(places_[i], "no way leads from " + in_quotes(network_.nodes[flows_[i].source].name) +
                                 " to " + in_quotes(network_.nodes[flows_[i].destination].name));
    flows_[i].routes = std::move(routes[i]);
  }
}

std::vector<Flow> MatrixReader::read() {
  CsvRows rows(file_);
  const auto header = rows.next();
  if (!header) file_.fail({1, 1}, "the traffic matrix is empty");
  const auto destinations = nodes_of_header(*header);
  std::unordered_set<std::size_t> sources;
  while (const auto row = rows.next()) {
    const std::size_t source = node(row->front());
    if (!sources.insert(source).second)
      file_.fail(row->front().place, "the source " + in_quotes(row->front().text) + " has two rows");
    if (row->size() != header->size())
      file_.fail(row->front().place, "the row of " + in_quotes(row->front().text) + " has " +
                                         std::to_string(row->size()) + " cells, the first row " +
                                         std::to_string(header->size()));
    for (std::size_t column = 1; column < row->size(); ++column)
      read_cell(source, destinations[column - 1], (*row)[column]);
  }
  if (flows_.empty() && network_.flows.empty()) file_.fail({1, 1}, "the traffic matrix has no flows");
  return std::move(flows_);
}

std::vector<Flow> MatrixReader::read_with_routes() {
  flows_ = read();
  find_all_routes();
  return std::move(flows_);
}

}  // namespace

void add_traffic_matrix(Network& network, std::string_view csv, const std::string& name, RouteRule route) {
  const FileText file(csv, name);
  std::vector<Flow> flows = MatrixReader(network, file, route).read_with_routes();
  network.flows.reserve(network.flows.size() + flows.size());
  for (Flow& flow : flows) network.flows.push_back(std::move(flow));
}

SparseDemand sparse_matrix(const Network& network, std::string_view csv, const std::string& name) {
  const FileText file(csv, name);
  std::vector<std::pair<SparseDemand::Entry, Rational>> entries;
  for (const Flow& flow : MatrixReader(network, file, RouteRule::shortest).read())
    entries.push_back(
        {{static_cast<std::uint32_t>(flow.source), static_cast<std::uint32_t>(flow.destination), 0},
         flow.rate});
  return sparse_demand(entries);
}

}  // namespace tailbound::network
