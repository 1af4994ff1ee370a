#include <tailbound/core/trimmed.hpp>
#include <tailbound/core/words.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/imports/imported.hpp>
#include <tailbound/network/reading/file_text.hpp>
#include <tailbound/network/reading/table_rows.hpp>
#include <tailbound/numeric/real.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tailbound::network {
namespace {

/// The sum of a row or a column.
bool is_total(std::string_view label) {
  return is_one_of(lower_case(label),
                   {"total", "totals", "sum", "sums", "all", "overall", "\xCE\xA3", "grand total"});
}

void add_remarks(std::vector<std::string>& all, const std::string& file,
                 const std::vector<std::string>& its) {
  for (const std::string& remark : its) all.push_back(file + ": " + remark);
}

/// Texts for missing values in the output of common programs.
bool is_missing(std::string_view cell) {
  return is_one_of(lower_case(cell), {"nan", "na", "n/a", "null", "none", "<na>"});
}

/// Supported layouts, for messages.
std::string layouts_in_words() {
  return "; a traffic matrix has node names in its first row and column, or no names and a row and a column "
         "for each sending node, or rows with from, to, rate";
}

constexpr std::array<std::string_view, 7> noxim_columns{"src",  "dst",   "pir",     "por",
                                                        "t_on", "t_off", "t_period"};

std::optional<std::size_t> whole_number(std::string_view text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::size_t value = 0;
  for (const char c : text) value = 10 * value + static_cast<std::size_t>(c - '0');
  return value;
}

/// A traffic matrix in any layout: names in its first row and column, in either order; names in one of them
/// or none; a list of pairs. Ambiguous parts become remarks.
class MatrixReader {
 public:
  MatrixReader(const Network& network, const FileText& file, RouteRule rule)
      : network_(network), file_(file), rule_(rule), rates_(file, network.nodes.size()), rows_(file) {
    rates_.use_network(network);
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
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  using Row = std::vector<TableCell>;
  /// The role of a row or a column.
  struct Line {
    enum class Kind { node, total, empty } kind = Kind::node;
    std::size_t node = 0;
    TableCell label{};
  };
  struct Sums {
    std::optional<Rational> stated;  ///< if a total is given
    Rational found = 0;
    TableCell at;
  };

  [[nodiscard]] std::size_t node(const TableCell& cell) const;
  [[nodiscard]] bool is_node(const TableCell& cell) const { return node_of_.count(cell.text) != 0; }
  [[nodiscard]] bool are_nodes(std::span<const TableCell> cells) const;
  [[nodiscard]] bool are_rates(std::span<const TableCell> cells) const;
  [[nodiscard]] bool are_positions(std::span<const TableCell> cells);
  [[nodiscard]] std::size_t at_position(const TableCell& cell) const;
  [[nodiscard]] Line line_of(const TableCell& label, bool row) const;
  void read_connections();
  [[nodiscard]] bool is_noxim(const Row& first) const;
  void read_noxim(const Row& first);
  [[nodiscard]] bool is_pair_without_names(const Row& first) const;
  void read_arrows();
  void read_pairs(const PairColumns& columns, std::size_t named, std::optional<Row> first);
  void find_first_position(const std::vector<Row>& rows, const PairColumns& columns);
  void find_layout(const Row& first, const std::optional<Row>& second);
  void read_corner(const TableCell& corner);
  void read_columns(std::span<const TableCell> header);
  void read_row(const Row& row);
  void note_what_stood_for_names();
  void read_cell(std::size_t source, std::size_t destination, const TableCell& cell);
  [[nodiscard]] Rational read_total(const TableCell& cell);
  void check_totals();
  void find_all_routes();

  const Network& network_;
  const FileText& file_;
  RouteRule rule_;
  RateReader rates_;
  TableRows rows_;
  std::unordered_map<std::string, std::size_t> node_of_;
  std::unordered_set<std::string> flow_names_;
  std::vector<Flow> flows_;
  std::vector<Place> places_;
  std::vector<std::string> remarks_;

  bool named_rows_ = true, named_columns_ = true;  ///< otherwise they are in the order of the sending nodes
  bool transposed_ = false;                        ///< rows are destinations
  std::optional<std::size_t> first_position_;      ///< names are positions, from 0 or 1 on
  std::size_t skipped_ = 0;                        ///< cells of a row before its name: a row number
  std::vector<std::size_t> ends_;
  std::vector<Line> columns_;
  std::size_t row_count_ = 0;
  std::unordered_set<std::size_t> row_nodes_;
  std::vector<Sums> row_sums_, column_sums_;
};

std::size_t MatrixReader::node(const TableCell& cell) const {
  const auto found = node_of_.find(cell.text);
  if (found == node_of_.end())
    file_.fail(cell.place, "the node " + in_quotes(cell.text) + " is not in the network");
  return found->second;
}

bool MatrixReader::are_nodes(std::span<const TableCell> cells) const {
  return !cells.empty() &&
         std::all_of(cells.begin(), cells.end(), [this](const TableCell& cell) { return is_node(cell); });
}

bool MatrixReader::are_rates(std::span<const TableCell> cells) const {
  return std::all_of(cells.begin(), cells.end(), [this](const TableCell& cell) {
    return is_number_cell(cell.text, rows_.separator()) || is_missing(cell.text);
  });
}

/// Numbers from 0 or 1 to the number of sending nodes, as programs number rows and columns.
bool MatrixReader::are_positions(std::span<const TableCell> cells) {
  if (cells.size() != ends_.size() || are_nodes(cells.first(1))) return false;
  for (const std::size_t begin : {std::size_t{0}, std::size_t{1}}) {
    std::size_t next = begin;
    if (!std::all_of(cells.begin(), cells.end(),
                     [&](const TableCell& cell) { return cell.text == std::to_string(next++); }))
      continue;
    first_position_ = begin;
    return true;
  }
  return false;
}

std::size_t MatrixReader::at_position(const TableCell& cell) const {
  const std::optional<std::size_t> number = whole_number(cell.text);
  if (number && *number >= *first_position_ && *number - *first_position_ < ends_.size())
    return ends_[*number - *first_position_];
  file_.fail(cell.place, "the node " + in_quotes(cell.text) +
                             " is not in the network, where nodes that send are numbered from " +
                             std::to_string(*first_position_) + " to " +
                             std::to_string(*first_position_ + ends_.size() - 1));
}

MatrixReader::Line MatrixReader::line_of(const TableCell& label, bool row) const {
  if (is_node(label)) return {Line::Kind::node, node(label), label};
  if (label.text.empty()) return {Line::Kind::empty, 0, label};
  if (is_total(label.text)) return {Line::Kind::total, 0, label};
  if (first_position_) return {Line::Kind::node, at_position(label), label};
  file_.fail(label.place, "the node " + in_quotes(label.text) + " is not in the network" +
                              (row || !flows_.empty() || row_count_ > 0 ? "" : layouts_in_words()));
}

void MatrixReader::read_cell(std::size_t source, std::size_t destination, const TableCell& given) {
  const TableCell cell{number_of(given.text, rows_.separator()), given.place};
  if (cell.text.empty()) return;
  if (is_missing(cell.text)) {
    if (source == destination) return;
    file_.fail(cell.place, "the rate is " + in_quotes(cell.text) +
                               ", which is not a number; leave the cell blank for no traffic");
  }
  const std::string &from = network_.nodes[source].name, &to = network_.nodes[destination].name;
  Flow flow{
      .name = from + " -> " + to, .source = source, .destination = destination, .rate = 0, .routes = {}};
  flow.rate = rates_.read(cell.text, cell.place, "the rate of the flow " + in_quotes(flow.name));
  if (flow.rate == 0) return;
  if (source == destination)
    file_.fail(cell.place, "the flow from " + in_quotes(from) + " leads to itself; leave the cell blank");
  if (!flow_names_.insert(flow.name).second)
    file_.fail(cell.place, "the flow " + in_quotes(flow.name) + " is already in the network");
  if (flows_.size() == max_routes) file_.fail(cell.place, "more than 1000000 flows, the limit");
  rates_.send(flow, cell.place, from);
  flows_.push_back(std::move(flow));
  places_.push_back(cell.place);
}

/// A connection matrix of htsim, "0->3 id 1 start 0 size 2000000" per line: nodes by name or by number. It
/// has no rates: the connections of a node share its maximum rate.
void MatrixReader::read_connections() {
  const std::vector<Rational> maximum = network_.send_limits();
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, Place>> pairs;
  std::vector<std::size_t> of_source(network_.nodes.size(), 0);
  const auto node_at = [&](std::string_view text, Place place) {
    const TableCell cell{std::string(trimmed(text)), place};
    if (!first_position_ && !is_node(cell)) first_position_ = 0;
    return first_position_ ? at_position(cell) : node(cell);
  };
  while (const std::optional<TableCell> line = rows_.next_line()) {
    const std::string_view text = trimmed(line->text);
    const std::size_t arrow = text.find("->");
    if (arrow == std::string_view::npos) continue;  // Nodes, Connections, triggers
    const std::string_view right = trimmed(text.substr(arrow + 2));
    const auto pair = std::pair(node_at(text.substr(0, arrow), line->place),
                                node_at(right.substr(0, right.find_first_of(" \t")), line->place));
    if (pair.first == pair.second) file_.fail(line->place, "a connection from a node to itself");
    pairs.emplace_back(pair, line->place);
    ++of_source[pair.first];
  }
  std::map<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, Place>> counts;
  for (const auto& [pair, place] : pairs) ++counts.try_emplace(pair, 0, place).first->second.first;
  for (const auto& [pair, its] : counts)
    read_cell(pair.first, pair.second,
              {numeric::to_fraction(maximum[pair.first] * static_cast<unsigned long>(its.first) /
                                    static_cast<unsigned long>(of_source[pair.first])),
               its.second});
  remarks_.push_back(
      "a connection matrix of htsim, which has no rates: the connections of a node share the full rate of "
      "its link (half of it with --load-scale 0.5); start times and sizes are ignored");
}

/// "left -> right: 0.2"
void MatrixReader::read_arrows() {
  while (const std::optional<TableCell> line = rows_.next_line()) {
    const auto parts = arrow_row(line->text);
    if (!parts) file_.fail(line->place, "a line of this list must have the form \"left -> right: 0.2\"");
    const auto cell = [&](std::size_t i) { return TableCell{std::string((*parts)[i]), line->place}; };
    read_cell(node(cell(0)), node(cell(1)), cell(2));
  }
  remarks_.emplace_back("a list of pairs \"left -> right: rate\"");
}

/// Ends that are not names are numbers, from 0 or 1 on: of the sending nodes in their order.
void MatrixReader::find_first_position(const std::vector<Row>& rows, const PairColumns& columns) {
  bool names = false;
  std::size_t minimum = ends_.size() + 1, maximum = 0;
  for (const Row& row : rows)
    for (const TableCell* cell : {&row[columns.from], &row[columns.to]}) {
      const std::optional<std::size_t> number = whole_number(cell->text);
      if (is_node(*cell) || !number) {
        names = true;
        continue;
      }
      minimum = std::min(minimum, *number);
      maximum = std::max(maximum, *number);
    }
  if (names || minimum > ends_.size() || maximum > ends_.size()) return;
  const bool from_0 = minimum == 0, from_1 = maximum == ends_.size();
  if (from_0 && from_1) return;
  if (!from_0 && !from_1)
    file_.fail(rows.front().front().place, "the nodes are numbers from " + std::to_string(minimum) + " to " +
                                               std::to_string(maximum) + ", which may count the " +
                                               std::to_string(ends_.size()) +
                                               " sending nodes from 0 or from 1; use the names of the nodes");
  first_position_ = from_0 ? 0 : 1;
}

/// A row for each pair; `named` columns have a name.
void MatrixReader::read_pairs(const PairColumns& columns, std::size_t named, std::optional<Row> first) {
  std::vector<Row> numbered;  // all rows, if the first has numbers in place of names
  const std::size_t last = std::max({columns.from, columns.to, columns.rate});
  const auto is_number = [&](const TableCell& cell) { return !is_node(cell) && whole_number(cell.text); };
  const auto take = [&](const Row& row) {
    const auto end = [&](const TableCell& cell) { return first_position_ ? at_position(cell) : node(cell); };
    const std::size_t from = end(row[columns.from]);
    read_cell(from, end(row[columns.to]), row[columns.rate]);
  };
  for (std::optional<Row> row = first ? std::move(first) : rows_.next(); row; row = rows_.next()) {
    if (row->size() <= last)
      file_.fail(row->front().place, "a row of " + std::to_string(row->size()) + " cells; the first has " +
                                         std::to_string(named));
    if (const std::string wrong = too_many_cells(*row, named); !wrong.empty())
      file_.fail(row->front().place, wrong);
    if (numbered.empty() && (row_count_++ > 0 || !is_number((*row)[columns.from])))
      take(*row);
    else
      numbered.push_back(*std::move(row));
  }
  if (!numbered.empty()) find_first_position(numbered, columns);
  for (const Row& row : numbered) take(row);
  remarks_.emplace_back("a list of pairs, one per row");
}

/// source, destination and rate, where the row cannot be that of a matrix.
bool MatrixReader::is_pair_without_names(const Row& first) const {
  if (first.size() != 3 || ends_.size() == 3 || ends_.size() == 2) return false;
  const auto is_end = [&](const TableCell& cell) { return is_node(cell) || whole_number(cell.text); };
  return is_end(first[0]) && is_end(first[1]) && !is_node(first[2]) &&
         is_number_cell(first[2].text, rows_.separator());
}

/// src dst pir [por [t_on t_off t_period]], after a comment or a row with these names, or of more numbers
/// than a pair and its rate.
bool MatrixReader::is_noxim(const Row& first) const {
  if (first.size() < 2 || first.size() > noxim_columns.size()) return false;
  if (foreign_format(file_.text()) == ForeignFormat::noxim_table) return true;
  const auto has_names = [&] {
    for (std::size_t at = 0; at < first.size(); ++at)
      if (lower_case(first[at].text) != noxim_columns[at]) return false;
    return first.size() > 2;
  };
  if (has_names()) return true;
  return first.size() > 3 && rows_.separator() == ' ' && first.size() != ends_.size() &&
         first.size() != ends_.size() + 1 && whole_number(first[0].text) && whole_number(first[1].text) &&
         are_rates(first);
}

/// Nodes are numbered from 0. In each period packets come with probability pir in the cycles from t_on to
/// t_off; rows of one pair add up.
void MatrixReader::read_noxim(const Row& first) {
  struct Sum {
    Rational rate = 0;
    Place place;
  };
  std::map<std::pair<std::size_t, std::size_t>, Sum> sums;
  std::size_t windows = 0, bursts = 0;
  first_position_ = 0;
  for (std::optional<Row> row = first; row; row = rows_.next()) {
    while (!row->empty() && row->back().text.empty()) row->pop_back();
    if (row->empty() || lower_case(row->front().text) == noxim_columns[0]) continue;
    const Place place = row->front().place;
    if (row->size() < 3)
      file_.fail(place,
                 "the row has no pir, which Noxim then takes from its option -pir; write the rate as the "
                 "third number");
    if (row->size() > noxim_columns.size())
      file_.fail(place, "a row of a traffic table of Noxim has at most 7 numbers");
    const auto number = [&](std::size_t at) {
      return rates_.read_total((*row)[at].text, (*row)[at].place, std::string(noxim_columns[at]));
    };
    Rational rate = rates_.read_share((*row)[2].text, (*row)[2].place, "pir");
    if (row->size() > 3 && rates_.read_share((*row)[3].text, (*row)[3].place, "por") != rate) ++bursts;
    if (row->size() == 5 || row->size() == 6)
      file_.fail(place,
                 "t_on needs t_off and t_period behind it: in each t_period cycles, packets come from "
                 "cycle t_on to t_off");
    if (row->size() == 7) {
      const Rational on = number(4), off = number(5), period = number(6);
      if (on >= off || off > period)
        file_.fail(place, "t_on must be below t_off, and t_off at most t_period");
      rate = rate * (off - on) / period;
      if (off - on < period) ++windows;
    }
    const auto end = [&](const TableCell& cell) { return is_node(cell) ? node(cell) : at_position(cell); };
    const std::size_t from = end((*row)[0]);
    Sum& sum = sums[{from, end((*row)[1])}];
    sum.rate = sum.rate + rate;
    sum.place = place;
  }
  for (const auto& [pair, sum] : sums)
    read_cell(pair.first, pair.second, {numeric::to_fraction(sum.rate), sum.place});
  remarks_.emplace_back("a traffic table of Noxim: rates are packets per cycle, pir");
  if (windows > 0)
    remarks_.push_back("pairs that send in a part of each period only: their mean rates are used (rows: " +
                       std::to_string(windows) + ")");
  if (bursts > 0)
    remarks_.push_back(
        "por is ignored: packets come independently of each other (rows where it is not pir: " +
        std::to_string(bursts) + ")");
}

/// The first cell may state whether rows send or receive.
void MatrixReader::read_corner(const TableCell& corner) {
  std::vector<End> ends;
  std::string word;
  for (const char c : corner.text + '/') {
    if (std::string_view("\\/|>- ,:;").find(c) == std::string_view::npos) {
      word += c;
      continue;
    }
    if (const End end = end_in_words(word); end != End::neither) ends.push_back(end);
    word.clear();
  }
  if (ends.size() == 1 && ends.front() == End::destination)
    file_.fail(corner.place, "the first cell is " + in_quotes(corner.text) +
                                 "; it does not show whether rows or columns receive; write from\to (rows "
                                 "send) or to\from (rows receive)");
  transposed_ = ends.size() == 2 && ends[0] == End::destination && ends[1] == End::source;
  if (transposed_)
    remarks_.push_back("rows receive and columns send, according to its first cell " +
                       in_quotes(corner.text) + "");
}

/// The roles of the cells of the first row.
void MatrixReader::find_layout(const Row& first, const std::optional<Row>& second) {
  const std::span<const TableCell> cells(first);
  if (second && second->size() == first.size() + 1 && are_nodes(cells)) return read_columns(cells);
  const auto named = [&](std::size_t from) {
    std::span<const TableCell> names = cells.subspan(std::min(from, cells.size()));
    while (!names.empty() && (names.back().text.empty() || is_total(names.back().text)) &&
           !is_node(names.back()))
      names = names.first(names.size() - 1);
    return names;
  };
  if (are_nodes(named(1)) || named(1).empty() || !are_rates(cells.subspan(1))) {
    // A column of row numbers before the column of names.
    if (second && second->size() > 2 && first.size() == second->size() && !is_node((*second)[0]) &&
        is_node((*second)[1]) && !is_node(first[1]) && is_number_cell((*second)[0].text, ' ')) {
      skipped_ = 1;
      remarks_.emplace_back("its first column, which numbers the rows, is ignored");
    }
    read_corner(first[skipped_]);
    return read_columns(cells.subspan(1 + skipped_));
  }
  if (are_positions(named(1))) {
    read_corner(first.front());
    return read_columns(cells.subspan(1));
  }
  if (are_positions(cells) && second && second->size() == first.size() + 1) return read_columns(cells);
  named_columns_ = named_rows_ = false;
  if (first.size() == ends_.size() + 1 && is_node(first.front())) named_rows_ = true;
}

/// The role of each column.
void MatrixReader::read_columns(std::span<const TableCell> header) {
  std::unordered_set<std::size_t> met;
  for (const TableCell& cell : header) {
    columns_.push_back(line_of(cell, false));
    const Line& line = columns_.back();
    if (line.kind == Line::Kind::node && !met.insert(line.node).second)
      file_.fail(cell.place, "the destination " + in_quotes(cell.text) + " has two columns");
  }
  column_sums_.resize(columns_.size());
}

void MatrixReader::read_row(const Row& row) {
  const std::size_t names = named_rows_ ? 1 + skipped_ : 0;
  const auto stated = [&](const TableCell& cell) { return number_of(cell.text, rows_.separator()); };
  Line its;
  if (named_rows_ && row.size() > skipped_) {
    its = line_of(row[skipped_], true);
    if (its.kind == Line::Kind::empty)
      file_.fail(row[skipped_].place, "the node " + in_quotes("") + " is not in the network");
  } else {
    if (row_count_ >= ends_.size())
      file_.fail(row.front().place,
                 "more rows than the " + std::to_string(ends_.size()) + " nodes that send");
    its.node = ends_[row_count_];
    its.label = row.front();
  }
  ++row_count_;
  const std::string label = named_rows_ ? in_quotes(its.label.text) : std::to_string(row_count_);
  if (its.kind == Line::Kind::node && !row_nodes_.insert(its.node).second)
    file_.fail(its.label.place, "the source " + label + " has two rows");
  std::size_t size = row.size();
  while (size > columns_.size() + names && row[size - 1].text.empty()) --size;
  if (size != columns_.size() + names)
    file_.fail(row.front().place, "the row of " + label + " has " + std::to_string(size) +
                                      " cells; the first row has " + std::to_string(columns_.size() + names));
  Sums sums;
  for (std::size_t at = 0; at < columns_.size(); ++at) {
    const TableCell& cell = row[names + at];
    const Line& column = columns_[at];
    if (column.kind == Line::Kind::empty) {
      if (!cell.text.empty()) file_.fail(cell.place, "a rate in a column without a name");
    } else if (its.kind == Line::Kind::total && column.kind == Line::Kind::node) {
      column_sums_[at].stated = read_total(cell);
      column_sums_[at].at = cell;
    } else if (its.kind == Line::Kind::node && column.kind == Line::Kind::total) {
      sums.stated = read_total(cell);
      sums.at = cell;
    } else if (its.kind == Line::Kind::node) {
      const std::size_t before = flows_.size();
      if (transposed_)
        read_cell(column.node, its.node, {stated(cell), cell.place});
      else
        read_cell(its.node, column.node, {stated(cell), cell.place});
      if (flows_.size() == before) continue;
      sums.found = sums.found + flows_.back().rate;
      column_sums_[at].found = column_sums_[at].found + flows_.back().rate;
    }
  }
  if (sums.stated) row_sums_.push_back(std::move(sums));
}

/// Remarks for rows or columns without names, or with positions.
void MatrixReader::note_what_stood_for_names() {
  if (named_columns_ && !first_position_) return;
  if (!named_rows_ && row_count_ != ends_.size())
    file_.fail({1, 1}, "a matrix without names needs a row and a column for each of the " +
                           std::to_string(ends_.size()) + " sending nodes, but has " +
                           std::to_string(row_count_) + " rows");
  const std::string first = first_position_ ? std::to_string(*first_position_) : "the first";
  remarks_.push_back((named_rows_ && !named_columns_ ? "columns without names: " : "") + first +
                     " is the node " + network_.nodes[ends_.front()].name +
                     ", and so on in the order of the network");
}

Rational MatrixReader::read_total(const TableCell& cell) {
  const std::string text = number_of(cell.text, rows_.separator());
  if (text.empty()) return 0;
  return rates_.read_total(text, cell.place, "the sum");
}

/// Rows and columns named "Total" must contain the sums of the others, up to the rounding of printed numbers.
void MatrixReader::check_totals() {
  bool any = false;
  for (const auto* list : {&row_sums_, &column_sums_})
    for (const Sums& sums : *list) {
      if (!sums.stated) continue;
      any = true;
      if (abs(*sums.stated - sums.found) * 200 > abs(*sums.stated) + sums.found)
        file_.fail(sums.at.place, "the sum is " + in_quotes(sums.at.text) + ", but the rates add up to " +
                                      numeric::to_decimal(sums.found, 6, numeric::Rounding::nearest) +
                                      "; correct them, or omit the total");
    }
  if (any) remarks_.emplace_back("the rows and columns of totals agree with the sums and are ignored");
}

void MatrixReader::find_all_routes() {
  std::vector<RouteRequest> requests;
  requests.reserve(flows_.size());
  for (const Flow& flow : flows_) requests.push_back({flow.source, flow.destination, rule_});
  auto routes = find_routes(network_, requests);
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    if (routes[i].empty())
      file_.fail(places_[i], "no route leads from " + in_quotes(network_.nodes[flows_[i].source].name) +
                                 " to " + in_quotes(network_.nodes[flows_[i].destination].name));
    flows_[i].routes = std::move(routes[i]);
    flows_[i].rule = rule_;
  }
}

std::vector<Flow> MatrixReader::read() {
  ends_ = ends_of(network_);
  const std::string_view line = rows_.first_line();
  if (line.empty()) file_.fail({1, 1}, "the traffic matrix is empty");
  if (foreign_format(file_.text()) == ForeignFormat::htsim_connections) {
    read_connections();
  } else if (arrow_row(line)) {
    read_arrows();
  } else {
    const auto first = rows_.next();
    if (!first) file_.fail({1, 1}, "the traffic matrix is empty");
    std::vector<std::string> names;
    for (const TableCell& cell : *first) names.push_back(cell.text);
    if (is_noxim(*first)) {
      read_noxim(*first);
      note_what_stood_for_names();
    } else if (const auto columns = pair_columns(names);
               columns && !are_nodes(std::span(*first).subspan(1))) {
      read_pairs(*columns, names.size(), {});
      note_what_stood_for_names();
    } else if (is_pair_without_names(*first)) {
      read_pairs({}, 3, *first);
      note_what_stood_for_names();
      remarks_.emplace_back("no header line: columns taken as source, destination and rate");
    } else {
      const std::optional<Row> second = rows_.next();
      find_layout(*first, second);
      if (!named_columns_) {
        for (const std::size_t end : ends_) columns_.push_back({Line::Kind::node, end, {}});
        column_sums_.resize(columns_.size());
        read_row(*first);
      }
      if (second) read_row(*second);
      while (const auto row = rows_.next()) read_row(*row);
      note_what_stood_for_names();
      check_totals();
    }
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

void add_traffic_matrix(Network& network, std::string_view csv, const std::string& name, RouteRule route,
                        std::optional<std::size_t> message_class) {
  const FileText file(csv, name);
  MatrixReader reader(network, file, route);
  std::vector<Flow> flows = reader.read_with_routes();
  network.flows.reserve(network.flows.size() + flows.size());
  for (Flow& flow : flows) {
    flow.message_class = message_class;
    flow.name = network.flow_name(flow);
    network.flows.push_back(std::move(flow));
  }
  add_remarks(network.remarks, name, reader.remarks());
}

SparseDemand sparse_matrix(const Network& network, std::string_view csv, const std::string& name,
                           std::vector<std::string>* remarks) {
  const FileText file(csv, name);
  MatrixReader reader(network, file, default_route);
  std::vector<std::pair<SparseDemand::Entry, Rational>> entries;
  for (const Flow& flow : reader.read())
    entries.push_back(
        {{static_cast<std::uint32_t>(flow.source), static_cast<std::uint32_t>(flow.destination), 0},
         flow.rate});
  if (remarks != nullptr) add_remarks(*remarks, name, reader.remarks());
  return sparse_demand(entries);
}

}  // namespace tailbound::network
