#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/network/bits.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/demands/draws.hpp>
#include <tailbound/network/reading/file_text.hpp>
#include <tailbound/network/reading/table_rows.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tailbound::network {
namespace {

/// A position in `values` for each different number.
class ValueTable {
 public:
  explicit ValueTable(std::vector<Rational>& values) : values_(values) { values_.assign(1, 0); }

  [[nodiscard]] std::uint32_t at(const Rational& value) {
    if (value == 0) return 0;
    const auto [found, is_new] = known_.emplace(value, static_cast<std::uint32_t>(values_.size()));
    if (is_new) values_.push_back(value);
    return found->second;
  }

 private:
  std::vector<Rational>& values_;
  std::map<Rational, std::uint32_t> known_;
};

void require_rate(const Rational& rate) {
  if (rate < 0 || rate > LinkRate::max_packets)
    throw InvalidArgument("the rate", numeric::to_fraction(rate),
                          "from 0 to " + std::to_string(LinkRate::max_packets) + " packets per slot");
}

/// The destination of each of n positions.
std::vector<std::size_t> images(std::size_t n, Permutation permutation, std::uint64_t by) {
  std::vector<std::size_t> image(n);
  std::iota(image.begin(), image.end(), std::size_t{0});
  const auto reject = [n](const char* legal) {
    throw InvalidArgument("the number of nodes of the permutation", std::to_string(n), legal);
  };
  switch (permutation) {
    case Permutation::shift:
      for (std::size_t& to : image) to = (to + by % n) % n;
      break;
    case Permutation::reverse:
      std::reverse(image.begin(), image.end());
      break;
    case Permutation::transpose: {
      std::size_t side = 0;
      while (side * side < n) ++side;
      if (side * side != n) reject("a square");
      for (std::size_t& to : image) to = to % side * side + to / side;
      break;
    }
    case Permutation::bit_reverse: {
      std::uint64_t bits = 0;
      while (std::size_t{1} << bits < n) ++bits;
      if (std::size_t{1} << bits != n) reject("a power of 2");
      for (std::size_t& to : image) to = bits_reversed(to, bits);
      break;
    }
    case Permutation::random: {
      Draws draws(by, Draws::permutation);
      for (std::size_t left = n; left > 1; --left)
        std::swap(image[left - 1], image[draws.below(static_cast<std::uint32_t>(left))]);
    }
  }
  return image;
}

void sort_entries(std::vector<SparseDemand::Entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return (std::uint64_t{a.to} << 32U | a.from) < (std::uint64_t{b.to} << 32U | b.from);
  });
}

}  // namespace

ProductDemand product_demand(std::size_t nodes, std::span<const Party> parties) {
  ProductDemand demand;
  demand.out.assign(nodes, 0);
  demand.in.assign(nodes, 0);
  demand.group.assign(nodes, 0);
  std::map<std::uint32_t, Rational> attraction;  // of each group
  std::vector<bool> met(nodes, false);
  for (const Party& party : parties) {
    if (party.node >= nodes || met[party.node])
      throw InvalidArgument("a node of the traffic", std::to_string(party.node),
                            "in the network, and listed once");
    met[party.node] = true;
    require_rate(party.sends);
    if (party.attracts < 0)
      throw InvalidArgument("the attraction", numeric::to_fraction(party.attracts), "0 or above");
    Rational& sum = attraction.try_emplace(party.group, 0).first->second;
    sum = sum + party.attracts;
  }
  ValueTable values(demand.values);
  bool sends = false;
  for (const Party& party : parties) {
    const Rational others = attraction.at(party.group) - party.attracts;
    demand.group[party.node] = party.group;
    demand.in[party.node] = values.at(party.attracts);
    if (others == 0 || party.sends == 0) continue;
    demand.out[party.node] = values.at(party.sends / others);
    sends = true;
  }
  if (!sends) throw NoAnswer("there is no traffic: no node sends to another");
  if (attraction.size() == 1) demand.group.clear();
  return demand;
}

Rational hot_attraction(const Rational& share, std::size_t hot, std::size_t receivers) {
  if (share <= 0 || share >= 1)
    throw InvalidArgument("the share of the hot spot", numeric::to_fraction(share), "above 0 and below 1");
  if (hot == 0 || hot >= receivers)
    throw InvalidArgument("the number of hot receivers", std::to_string(hot),
                          "at least 1, and below the number of all receivers");
  return 1 + share * static_cast<unsigned long>(receivers - 1) /
                 ((1 - share) * Rational(static_cast<unsigned long>(hot)));
}

SparseDemand permutation_demand(std::span<const std::uint32_t> nodes, const Rational& rate,
                                Permutation permutation, std::uint64_t by) {
  require_rate(rate);
  if (nodes.size() < 2)
    throw InvalidArgument("the number of nodes of the permutation", std::to_string(nodes.size()),
                          "2 or more");
  SparseDemand demand{.values = {0, rate}, .entries = {}};
  const std::vector<std::size_t> image = images(nodes.size(), permutation, by);
  for (std::size_t i = 0; i < image.size(); ++i)
    if (image[i] != i) demand.entries.push_back({nodes[i], nodes[image[i]], 1});
  if (demand.entries.empty() || rate == 0) throw NoAnswer("there is no traffic: no node sends to another");
  sort_entries(demand.entries);
  return demand;
}

SparseDemand sparse_demand(std::span<const std::pair<SparseDemand::Entry, Rational>> entries) {
  SparseDemand demand;
  ValueTable values(demand.values);
  for (const auto& [entry, rate] : entries) demand.entries.push_back({entry.from, entry.to, values.at(rate)});
  sort_entries(demand.entries);
  return demand;
}

// --- Sparse matrices -----------------------------------------------------------------------------------

namespace {

constexpr std::size_t longest_line = 2'000, max_demands = 1'000'000;

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace

class SparseDemandReader::Lines {
 public:
  Lines(const Network& network, std::string name)
      : file_("", std::move(name)),
        network_(network),
        rates_(file_, network.nodes.size()),
        table_(demand_.values) {
    rates_.use_network(network);
    for (std::size_t node = 0; node < network.nodes.size(); ++node)
      node_of_.emplace(network.nodes[node].name, static_cast<std::uint32_t>(node));
  }

  void take(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view piece = bytes.substr(0, end);
      if (rest_.size() + piece.size() > longest_line)
        file_.fail({line_, 1}, "a line of more than 2000 bytes");
      if (end == std::string_view::npos) {
        rest_ += piece;
        return;
      }
      if (rest_.empty()) {
        read_line(piece);
      } else {
        rest_ += piece;
        read_line(rest_);
        rest_.clear();
      }
      ++line_;
      bytes.remove_prefix(end + 1);
    }
  }

  [[nodiscard]] SparseDemand finish() {
    if (!rest_.empty()) read_line(rest_);
    if (demand_.entries.empty()) file_.fail({1, 1}, "there is no traffic in the file");
    require_sendable();
    sort_entries(demand_.entries);
    const auto& entries = demand_.entries;
    const auto twice = std::adjacent_find(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.from == b.from && a.to == b.to;
    });
    if (twice != entries.end())
      file_.fail({1, 1},
                 "the traffic from " + label(twice->from) + " to " + label(twice->to) + " is listed twice");
    return std::move(demand_);
  }

 private:
  struct Cell {
    std::string_view text;
    std::size_t column;
  };

  [[nodiscard]] std::string label(std::uint32_t node) const { return in_quotes(network_.nodes[node].name); }

  void read_line(std::string_view line) {
    if (line_ == 1 && line.substr(0, 3) == "\xEF\xBB\xBF") line.remove_prefix(3);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == '#') return;
    if (!std::exchange(begun_, true)) {
      arrows_ = arrow_row(line).has_value();
      if (!arrows_) return read_header(line);
    }
    const std::array<Cell, 3> cells = arrows_ ? arrow_cells(line) : split(line);
    SparseDemand::Entry entry{node(cells[0]), node(cells[1]), rate(cells[2])};
    if (entry.rate == 0) return;
    if (entry.from == entry.to)
      file_.fail({line_, cells[1].column}, "traffic from " + label(entry.from) + " to itself");
    if (demand_.entries.size() == max_sparse_entries)
      file_.fail({line_, 1}, "more than 100000000 entries, the limit");
    demand_.entries.push_back(entry);
  }

  void read_header(std::string_view line) {
    separator_ = separator_of(line);
    std::vector<std::string> names;
    for_each_cell(line, [&](std::size_t, const Cell& cell) { names.emplace_back(cell.text); });
    const auto columns = pair_columns(names);
    if (!columns)
      file_.fail(
          {line_, 1},
          "the first line must name the columns from, to and rate (or src, dst, demand), in any order");
    columns_ = *columns;
  }

  [[nodiscard]] std::array<Cell, 3> arrow_cells(std::string_view line) const {
    const auto parts = arrow_row(line);
    if (!parts) file_.fail({line_, 1}, "a line of this list must have the form \"left -> right: 0.2\"");
    std::array<Cell, 3> cells{};
    for (std::size_t i = 0; i < 3; ++i)
      cells[i] = {(*parts)[i], static_cast<std::size_t>((*parts)[i].data() - line.data()) + 1};
    return cells;
  }

  [[nodiscard]] std::array<Cell, 3> split(std::string_view line) const {
    std::array<Cell, 3> cells{};
    std::size_t count = 0;
    for_each_cell(line, [&](std::size_t at, const Cell& cell) {
      ++count;
      if (at == columns_.from) cells[0] = cell;
      if (at == columns_.to) cells[1] = cell;
      if (at == columns_.rate) cells[2] = cell;
    });
    if (count != columns_.count)
      file_.fail({line_, 1}, columns_.count == 3
                                 ? "a line must have three cells: from, to, rate"
                                 : "a line of " + std::to_string(count) + " cells; the first has " +
                                       std::to_string(columns_.count));
    return cells;
  }

  /// A cell may be in double quotes, for separators within a name.
  template <class Take>
  void for_each_cell(std::string_view line, Take take) const {
    const std::string_view blanks = separator_ == '\t' ? " \r" : " \t\r";
    std::size_t at = 0;
    for (std::size_t i = 0;; ++i) {
      at = std::min(line.find_first_not_of(blanks, at), line.size());
      if (separator_ == ' ' && at == line.size() && i > 0) return;
      Cell cell{{}, at + 1};
      std::size_t end = 0;
      if (at < line.size() && line[at] == '"') {
        end = line.find('"', at + 1);
        if (end == std::string_view::npos)
          file_.fail({line_, at + 1}, "the quotation mark that opens here is not closed");
        cell.text = line.substr(at + 1, end - at - 1);
        end = std::min(separator_ == ' ' ? end + 1 : line.find_first_not_of(blanks, end + 1), line.size());
        if (end < line.size() && line[end] != separator_)
          file_.fail({line_, end + 1},
                     separator_ == ','
                         ? "a comma or the end of the line must follow a quoted cell"
                         : "the separator of cells or the end of the line must follow a quoted cell");
      } else {
        end = std::min(line.find(separator_, at), line.size());
        cell.text = trimmed(line.substr(at, end - at));
      }
      take(i, cell);
      if (end == line.size()) return;
      at = end + 1;
    }
  }

  [[nodiscard]] std::uint32_t node(const Cell& cell) const {
    const auto found = node_of_.find(cell.text);
    if (found == node_of_.end())
      file_.fail({line_, cell.column}, "the node " + printable(cell.text) + " is not in the network");
    return found->second;
  }

  [[nodiscard]] std::uint32_t rate(const Cell& cell) {
    const auto found = rate_of_.find(cell.text);
    if (found != rate_of_.end()) return found->second;
    if (rate_of_.size() == max_demands)
      file_.fail({line_, cell.column}, "more than 1000000 different rates, the limit");
    const std::string text = number_of(printable_text(cell.text), separator_);
    if (text.empty()) return 0;
    const Rational value = rates_.read(text, {line_, cell.column}, "the rate");
    const std::uint32_t position = table_.at(value);
    rate_of_.emplace(cell.text, position);
    return position;
  }

  /// Non-ASCII bytes may be invalid UTF-8, so they are shown as question marks.
  [[nodiscard]] static std::string printable_text(std::string_view text) {
    std::string shown(text);
    for (char& c : shown)
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    return shown;
  }
  [[nodiscard]] static std::string printable(std::string_view text) {
    return in_quotes(printable_text(text));
  }

  /// Sums are computed as whole multiples of 1 / denominator, which usually fit into a word.
  void require_sendable() const {
    const std::vector<Rational>& maximum = rates_.send_limits();
    numeric::Integer denominator = 1;
    for (const Rational& value : demand_.values)
      denominator = numeric::lcm(denominator, numeric::denominator(value));
    const auto reject = [&](std::uint32_t node, const Rational& sent) {
      file_.fail({1, 1}, label(node) + " sends " + numeric::to_fraction(sent) +
                             " packets per slot or more; " + send_limit_in_words(maximum[node]));
    };
    if (numeric::bit_length(denominator) > 55) {  // at most 128 packets per slot
      std::vector<Rational> sent(network_.nodes.size(), 0);
      for (const auto& entry : demand_.entries) {
        sent[entry.from] = sent[entry.from] + demand_.values[entry.rate];
        if (sent[entry.from] > maximum[entry.from]) reject(entry.from, sent[entry.from]);
      }
      return;
    }
    const auto word = [](const numeric::Integer& value) { return numeric::to_uint64(value); };
    std::vector<std::uint64_t> parts, whole, sent(network_.nodes.size(), 0);
    for (const Rational& value : demand_.values)
      parts.push_back(word(numeric::numerator(value * denominator)));
    for (const Rational& its : maximum) whole.push_back(word(numeric::floor(its * denominator)));
    for (const auto& entry : demand_.entries)
      if ((sent[entry.from] += parts[entry.rate]) > whole[entry.from])
        reject(entry.from,
               Rational(numeric::Integer(static_cast<unsigned long>(sent[entry.from]))) / denominator);
  }

  FileText file_;
  const Network& network_;
  SparseDemand demand_;
  RateReader rates_;
  ValueTable table_;
  std::unordered_map<std::string, std::uint32_t, NameHash, std::equal_to<>> node_of_, rate_of_;
  std::string rest_;  ///< of a line whose end has not been read
  std::size_t line_ = 1;
  char separator_ = ',';
  PairColumns columns_;
  bool begun_ = false, arrows_ = false;
};

SparseDemandReader::SparseDemandReader(const Network& network, std::string name)
    : lines_(std::make_unique<Lines>(network, std::move(name))) {}

SparseDemandReader::~SparseDemandReader() = default;

void SparseDemandReader::take(std::string_view bytes) {
  lines_->take(bytes);
}

SparseDemand SparseDemandReader::finish() {
  return lines_->finish();
}

}  // namespace tailbound::network
