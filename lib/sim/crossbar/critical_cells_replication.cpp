#include <tailbound/core/error.hpp>
#include <tailbound/sim/crossbar/critical_cells.hpp>
#include <tailbound/sim/crossbar/crossbar_arrivals.hpp>
#include <tailbound/sim/crossbar/crossbar_counts.hpp>

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>

namespace tailbound::sim {
namespace {

constexpr std::uint64_t priority_purpose = 18;
constexpr unsigned turn_bits = 56;  ///< of the number of a cell among those of its priority

/// A cell of the switch. Those of an output depart by `turn`.
struct OrderedCell {
  std::uint64_t turn = 0;  ///< its priority, then its number among the cells for the output
  std::uint32_t arrival = 0;
  std::uint32_t input = 0;
};

/// The cells of one output.
struct Column {
  std::vector<OrderedCell> at_inputs;  ///< by turn
  std::deque<OrderedCell> crossed;     ///< by turn
  std::uint64_t next = 0;              ///< number of the next cell that arrives

  [[nodiscard]] std::size_t cells() const { return at_inputs.size() + crossed.size(); }
};

/// Where a cell belongs among cells by turn.
template <class Cells>
auto place_of(const OrderedCell& cell, const Cells& cells) {
  return std::upper_bound(cells.begin(), cells.end(), cell,
                          [](const OrderedCell& a, const OrderedCell& b) { return a.turn < b.turn; });
}

std::vector<double> chances_of(const std::vector<numeric::Rational>& shares) {
  std::vector<double> chances;
  for (const numeric::Rational& share : shares) chances.push_back(numeric::nearest_double(share));
  return chances.empty() ? std::vector<double>{1} : chances;
}

/// A cell in the list of an input.
struct Listed {
  std::uint32_t output = 0;
  std::uint64_t turn = 0;
};

class CriticalCells final : public CrossbarReplication {
 public:
  CriticalCells(const CrossbarModel& model, RandomKey key)
      : ports_(model.inputs()),
        buffer_(model.output_buffer ? static_cast<std::size_t>(*model.output_buffer)
                                    : std::numeric_limits<std::size_t>::max()),
        phases_(model.speedup),
        arrivals_(model, key),
        columns_(ports_),
        priorities_(chances_of(model.priorities)),
        random_(key, priority_purpose, 0),
        lists_(ports_),
        counts_(ports_, ports_, model.hot > 0),
        next_(ports_),
        held_(ports_) {
    counts_.priority_delay.resize(model.priorities.size());
  }

  void advance(std::int64_t slots) override {
    for (std::int64_t i = 0; i < slots; ++i) one_slot();
  }
  Counts take_counts() override { return counts_.take(balance().inside); }
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  [[nodiscard]] std::vector<std::uint32_t> columns() const override {
    std::vector<std::uint32_t> cells;
    for (const Column& column : columns_) cells.push_back(static_cast<std::uint32_t>(column.cells()));
    return cells;
  }
  [[nodiscard]] Balance balance() const override {
    Balance balance = balance_;
    for (const Column& column : columns_) balance.inside += column.cells();
    return balance;
  }

 private:
  void one_slot();
  void arrive(std::size_t input, std::size_t output);
  void count();
  void phase();
  void move(std::size_t output, std::size_t at);
  void transmit(std::size_t output);
  /// Position of a cell in the list of its input.
  [[nodiscard]] std::size_t position(const OrderedCell& cell, std::size_t output) const {
    const std::vector<Listed>& list = lists_[cell.input];
    std::size_t at = 0;
    while (list[at].output != output || list[at].turn != cell.turn) ++at;
    return at;
  }

  std::size_t ports_, buffer_;
  Phases phases_;
  CrossbarArrivals arrivals_;
  std::uint64_t slot_ = 0;
  std::vector<Column> columns_;
  AliasTable priorities_;
  RandomStream random_;
  std::vector<std::vector<Listed>> lists_;  ///< [input]: the first has the highest priority
  Balance balance_;
  CrossbarCounts counts_;

  // Of a phase.
  static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
  struct Proposal {
    std::size_t output = nobody, at = 0, position = 0;
  };
  std::vector<std::size_t> next_;    ///< [output]: its next cell to propose
  std::vector<Proposal> held_;       ///< [input]
  std::vector<std::size_t> asking_;  ///< outputs without a match
};

void CriticalCells::arrive(std::size_t input, std::size_t output) {
  ++balance_.came;
  ++counts_.came[input];
  Column& column = columns_[output];
  if (column.cells() >= buffer_) {
    ++balance_.lost;
    ++counts_.lost[input];
    return;
  }
  const std::uint64_t priority =
      counts_.priority_delay.empty() ? 0 : static_cast<std::uint64_t>(priorities_.draw(random_.next()));
  const OrderedCell cell{.turn = (priority << turn_bits) + column.next++,
                         .arrival = static_cast<std::uint32_t>(slot_),
                         .input = static_cast<std::uint32_t>(input)};
  const auto cushion = static_cast<std::size_t>(place_of(cell, column.crossed) - column.crossed.begin());
  column.at_inputs.insert(place_of(cell, column.at_inputs), cell);
  std::vector<Listed>& list = lists_[input];
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(std::min(cushion, list.size())),
              {static_cast<std::uint32_t>(output), cell.turn});
}

void CriticalCells::count() {
  for (std::size_t input = 0; input < ports_; ++input) {
    const std::vector<Listed>& list = lists_[input];
    counts_.input.count(list.size(), input);
    if (!list.empty() && list.size() > columns_[list.back().output].cells()) ++counts_.above;
  }
  for (std::size_t output = 0; output < ports_; ++output)
    counts_.count_column(columns_[output].cells(), output);
}

/// Gale and Shapley, the outputs propose.
void CriticalCells::phase() {
  held_.assign(ports_, {});
  next_.assign(ports_, 0);
  asking_.clear();
  for (std::size_t output = 0; output < ports_; ++output)
    if (!columns_[output].at_inputs.empty()) asking_.push_back(output);
  while (!asking_.empty()) {
    const std::size_t output = asking_.back();
    const Column& column = columns_[output];
    if (next_[output] == column.at_inputs.size()) {
      asking_.pop_back();
      continue;
    }
    const std::size_t at = next_[output]++;
    const OrderedCell& cell = column.at_inputs[at];
    Proposal& held = held_[cell.input];
    const Proposal own{output, at, position(cell, output)};
    if (held.output == nobody) {
      asking_.pop_back();
      held = own;
    } else if (own.position < held.position) {
      asking_.back() = held.output;
      held = own;
    }
  }
  for (std::size_t input = 0; input < ports_; ++input)
    if (held_[input].output != nobody) move(held_[input].output, held_[input].at);
}

void CriticalCells::move(std::size_t output, std::size_t at) {
  Column& column = columns_[output];
  const OrderedCell cell = column.at_inputs[at];
  std::vector<Listed>& list = lists_[cell.input];
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(position(cell, output)));
  column.at_inputs.erase(column.at_inputs.begin() + static_cast<std::ptrdiff_t>(at));
  column.crossed.insert(place_of(cell, column.crossed), cell);
}

void CriticalCells::transmit(std::size_t output) {
  Column& column = columns_[output];
  counts_.output.count(column.crossed.size(), output);
  // The output-queued switch sends the cell with the smallest turn.
  if (!column.at_inputs.empty() &&
      (column.crossed.empty() || column.at_inputs.front().turn < column.crossed.front().turn))
    ++counts_.late;
  if (column.crossed.empty()) return;
  const OrderedCell cell = column.crossed.front();
  column.crossed.pop_front();
  const std::uint32_t delay = static_cast<std::uint32_t>(slot_) - cell.arrival;
  counts_.count_delay(delay, output);
  if (!counts_.priority_delay.empty()) count_slots(counts_.priority_delay[cell.turn >> turn_bits], delay, 1);
  ++balance_.left;
}

void CriticalCells::one_slot() {
  arrivals_.begin(slot_);
  arrivals_.each(slot_, [&](std::size_t input, std::uint32_t output) { arrive(input, output); });
  count();
  for (std::uint64_t left = phases_.of(slot_); left > 0; --left) phase();
  for (std::size_t output = 0; output < ports_; ++output) transmit(output);
  ++slot_;
  ++counts_.slots;
}

// --- checkpoints

void CriticalCells::save(ByteWriter& writer) {
  writer.put(slot_);
  arrivals_.save(writer, slot_);
  random_.save(writer);
  const auto put = [&](const auto& cells) {
    writer.put<std::uint64_t>(cells.size());
    for (const OrderedCell& cell : cells) {
      writer.put(cell.turn);
      writer.put(cell.arrival);
      writer.put(cell.input);
    }
  };
  for (const Column& column : columns_) {
    put(column.at_inputs);
    put(column.crossed);
    writer.put(column.next);
  }
  for (const std::vector<Listed>& list : lists_) {
    writer.put<std::uint64_t>(list.size());
    for (const Listed& cell : list) {
      writer.put(cell.output);
      writer.put(cell.turn);
    }
  }
  for (const std::uint64_t number : {balance_.came, balance_.lost, balance_.left}) writer.put(number);
  counts_.save(writer);
}

void CriticalCells::load(ByteReader& reader) {
  slot_ = reader.get<std::uint64_t>();
  arrivals_.load(reader, slot_);
  random_.load(reader);
  std::size_t waiting = 0, listed = 0;
  const auto get = [&](auto& cells) {
    cells.clear();
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
      OrderedCell cell;
      cell.turn = reader.get<std::uint64_t>();
      cell.arrival = reader.get<std::uint32_t>();
      cell.input = reader.get<std::uint32_t>();
      if (cell.input >= ports_) ByteReader::fail();
      cells.push_back(cell);
    }
  };
  for (Column& column : columns_) {
    get(column.at_inputs);
    get(column.crossed);
    column.next = reader.get<std::uint64_t>();
    waiting += column.at_inputs.size();
  }
  for (std::size_t input = 0; input < ports_; ++input) {
    lists_[input].clear();
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
      Listed cell;
      cell.output = reader.get<std::uint32_t>();
      cell.turn = reader.get<std::uint64_t>();
      const auto is_it = [&](const OrderedCell& of) { return of.turn == cell.turn && of.input == input; };
      if (cell.output >= ports_ ||
          std::none_of(columns_[cell.output].at_inputs.begin(), columns_[cell.output].at_inputs.end(), is_it))
        ByteReader::fail();
      lists_[input].push_back(cell);
      ++listed;
    }
  }
  if (waiting != listed) ByteReader::fail();
  for (std::uint64_t* number : {&balance_.came, &balance_.lost, &balance_.left})
    *number = reader.get<std::uint64_t>();
  counts_.load(reader);
}

}  // namespace

std::unique_ptr<CrossbarReplication> make_critical_cells(const CrossbarModel& model, RandomKey key) {
  return std::make_unique<CriticalCells>(model, key);
}

}  // namespace tailbound::sim
