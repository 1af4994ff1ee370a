#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/bounds/sizing/largest_parameter.hpp>
#include <tailbound/bounds/sizing/packet_loss.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/network/reading/table_rows.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailbound::answers {
namespace {

using numeric::Rational;
using numeric::Real;
using queue::MemoryRule;

queue::SharedSwitch fed_by(const SharedBufferQuery& query) {
  if (const auto* equal = std::get_if<EqualSwitchInputs>(&query.traffic))
    return queue::uniform_switch(std::vector<Rational>(static_cast<std::size_t>(equal->inputs), equal->load),
                                 query.outputs);
  if (const auto* unequal = std::get_if<UnequalSwitchInputs>(&query.traffic))
    return queue::uniform_switch(unequal->rates, query.outputs);
  return queue::matrix_switch(std::get<TrafficMatrix>(query.traffic).rates);
}

queue::SharedSwitch switch_of(const SharedBufferQuery& query) {
  queue::SharedSwitch fed = fed_by(query);
  if (!query.cells) return fed;
  if (!std::holds_alternative<EqualSwitchInputs>(query.traffic))
    throw InvalidArgument("the traffic", "packet sizes given with unequal inputs",
                          "equal inputs (--inputs K --load R)");
  fed.cells = query.cells->sizes.cells(query.cells->cell_bytes);
  return fed;
}

/// E[L] for a criterion of packets, 1 for others: that many times the bound of cells.
Rational cells_of_criterion(const SharedBufferQuery& query) {
  return query.cells && query.criterion == SizedCriterion::packet_loss
             ? query.cells->sizes.cells(query.cells->cell_bytes).mean
             : Rational(1);
}

MemoryRule rule_of(const SharedBufferQuery& query) {
  return {.measure = query.criterion == SizedCriterion::overflow ? MemoryRule::Measure::overflow
                                                                 : MemoryRule::Measure::loss,
          .threshold = query.threshold};
}

/// `count` times a bound, rounded upward, at most 1.
numeric::UpperBound<unit::Probability> times(const numeric::UpperBound<unit::Probability>& bound,
                                             const Rational& count) {
  if (count == 1) return bound;
  const Real factor = numeric::to_real(count, numeric::Rounding::up);
  Real product;
  mpfr_mul(product.backend().data(), bound.value.backend().data(), factor.backend().data(), MPFR_RNDU);
  return {bound.proof(), std::min(product, Real(1))};
}

/// The separate queue of one output.
queue::SlottedQueue queue_of(const queue::SharedSwitch& fed, const queue::SharedSwitch::Outputs& kind) {
  if (fed.cells.largest() == 1) return {.arrivals = series::Arrivals::unequal_inputs(kind.rates)};
  Rational load = 0;
  for (const Rational& rate : kind.rates) load = load + rate;
  return bounds::cell_queue({.inputs = std::ssize(kind.rates), .load = load, .cells = fed.cells});
}

double log_of(const Rational& target) {
  const numeric::PrecisionScope scope(numeric::Precision{64});
  return numeric::log2_magnitude(numeric::to_real(target, numeric::Rounding::nearest)) * std::log(2.0);
}

SharedBufferAnswer::Dedicated dedicated(const queue::SharedSwitch& fed, const bounds::DropTarget& target) {
  SharedBufferAnswer::Dedicated result;
  for (const queue::SharedSwitch::Outputs& kind : fed.outputs) {
    const queue::SlottedQueue queue = queue_of(fed, kind);
    // The minimum buffer depends on both sides of its boundary, not on the number of displayed digits.
    const Packets buffer = bounds::buffer_size(queue, target, {.digits = numeric::Digits{1}}).buffer;
    result.port = std::max(result.port, buffer);
    result.total = result.total + Packets(kind.count * buffer.value);
  }
  return result;
}

/// The same query for the memory that is given, at what was found.
SharedBufferAnswer answer_at(SharedBufferQuery query, const Rational& met,
                             const std::optional<Rational>& missed) {
  query.requested = ProbabilityOf{*query.capacity()};
  SharedBufferAnswer found = answer(query);
  found.met = met;
  found.missed = missed;
  return found;
}

/// Does the given memory meet the target?
bool meets(const SharedBufferQuery& query) {
  try {
    queue::SharedMemory shared(switch_of(query), rule_of(query));
    return numeric::compare(shared.bound(*query.capacity()).value,
                            *query.drop() / cells_of_criterion(query)) <= 0;
  } catch (const Unstable&) {
    return false;
  }
}

EqualSwitchInputs& equal_inputs(SharedBufferQuery& query, const char* unknown) {
  if (auto* equal = std::get_if<EqualSwitchInputs>(&query.traffic)) return *equal;
  throw InvalidArgument("the traffic", std::string("of unequal inputs with ") + unknown + " unknown",
                        "equal inputs (--inputs K)");
}

[[noreturn]] void throw_none_meets(const SharedBufferQuery& query, const std::string& first) {
  throw NoAnswer("a memory of " + std::to_string(query.capacity()->value) + " already misses the target of " +
                 numeric::plain(*query.drop()) + " " + first + "; give a larger --capacity or --drop");
}

SharedBufferAnswer with_max_load(SharedBufferQuery query) {
  EqualSwitchInputs& inputs = equal_inputs(query, "the load");
  const Rational target = *query.drop() / cells_of_criterion(query);
  const Packets memory = *query.capacity();
  const auto at_load = [&](const Rational& load) {
    inputs.load = load;
    return queue::SharedMemory(switch_of(query), rule_of(query));
  };
  // Chernoff's bound, which costs nothing, meets it up to a load that is somewhat lower.
  const Rational limit = std::min(Rational(1), Rational(query.outputs) / Rational(inputs.inputs));
  constexpr std::int64_t steps = 10'000;
  const std::int64_t start = last_that(1, steps - 1, [&](std::int64_t step) {
    return at_load(limit * Rational(step) / steps).surely_meets(memory, target);
  });
  const bounds::LargestParameter found = bounds::highest_load(
      [&](const Rational& load) -> std::optional<bounds::ComputedProbability> {
        try {
          return bounds::ComputedProbability{at_load(load).bound(memory), {}};
        } catch (const Unstable&) {
          return std::nullopt;
        }
      },
      limit, target, limit* Rational(std::max<std::int64_t>(start, 1)) / steps);
  inputs.load = found.met;
  return answer_at(query, found.met, found.met < found.missed ? std::optional(found.missed) : std::nullopt);
}

SharedBufferAnswer with_max_ports(SharedBufferQuery query) {
  constexpr std::int64_t most = 4096;
  const auto with_ports = [&](std::int64_t ports) {
    equal_inputs(query, "the number of ports").inputs = query.outputs = ports;
    return query;
  };
  const std::int64_t found = last_that(2, most, [&](std::int64_t ports) { return meets(with_ports(ports)); });
  if (found < 2) throw_none_meets(query, "with 2 ports");
  if (found == most) throw NoAnswer("the memory meets the target with 4096 ports, which is the limit");
  return answer_at(with_ports(found), found, Rational(found + 1));
}

SharedBufferAnswer with_min_threshold(SharedBufferQuery query) {
  if (query.criterion == SizedCriterion::overflow)
    throw InvalidArgument("criterion", "overflow", "loss if a threshold is requested");
  constexpr std::int64_t most = 6400;
  const auto with_alpha = [&](std::int64_t hundredths) {
    query.threshold = Rational(hundredths) / 100;
    return query;
  };
  if (!meets(with_alpha(most))) throw_none_meets(query, "with a threshold of 64");
  const std::int64_t found =
      first_that(std::int64_t{1}, most, [&](std::int64_t alpha) { return meets(with_alpha(alpha)); });
  return answer_at(with_alpha(found), Rational(found) / 100,
                   found > 1 ? std::optional(Rational(found - 1) / 100) : std::nullopt);
}

}  // namespace

TrafficMatrix traffic_matrix(const std::string& text, const std::string& name) {
  const network::FileText file(text, name);
  network::TableRows rows(file);
  const char separator = rows.separator();
  TrafficMatrix matrix{.name = name, .rates = {}};
  std::size_t columns = 0;
  bool named = false;      // a first row with names of outputs, and the name of the input in each row
  bool by_output = false;  // rows are outputs, as indicated by the first cell: dst\src
  while (auto row = rows.next()) {
    for (std::size_t at = 0; at < row->size(); ++at) {
      std::string& cell = (*row)[at].text;
      if (cell.find('#') == std::string::npos) continue;
      cell = trimmed(std::string_view(cell).substr(0, cell.find('#')));
      row->resize(at + 1);
    }
    if (columns == 0) {
      columns = row->size();
      named = row->front().text.find_first_of("0123456789") == std::string::npos;
      const std::string& corner = row->front().text;
      const std::size_t between = corner.find_first_of("\\/|");
      by_output = between != std::string::npos &&
                  network::end_in_words(corner.substr(0, between)) == network::End::destination;
      if (named) continue;
    }
    if (row->size() != columns)
      file.fail({row->front().place.line, 1}, "a row of " + std::to_string(row->size()) +
                                                  " entries; it must have " + std::to_string(columns) +
                                                  ", as the first row");
    std::vector<Rational> rates;
    for (std::size_t i = named ? 1 : 0; i < row->size(); ++i) {
      const network::TableCell& cell = (*row)[i];
      std::string field = network::number_of(cell.text, separator);
      const bool percent = !field.empty() && field.back() == '%';
      if (percent) field = trimmed(std::string_view(field).substr(0, field.size() - 1));
      try {
        rates.push_back(field.empty() ? Rational(0) : numeric::parse_rational(field, "the rate"));
        if (percent) rates.back() = rates.back() / 100;
      } catch (const InvalidArgument& problem) {
        file.fail(cell.place, problem.what());
      }
    }
    matrix.rates.push_back(std::move(rates));
  }
  if (matrix.rates.empty() || matrix.rates.front().empty())
    throw ParseError(name, 0, 0, "no rates; it needs one row per input and one column per output");
  if (!by_output) return matrix;
  std::vector<std::vector<Rational>> turned(matrix.rates.front().size());
  for (const std::vector<Rational>& row : matrix.rates)
    for (std::size_t i = 0; i < row.size(); ++i) turned[i].push_back(row[i]);
  matrix.rates = std::move(turned);
  return matrix;
}

std::optional<Rational> SharedBufferQuery::drop() const {
  return std::visit(
      [](const auto& it) -> std::optional<Rational> {
        if constexpr (requires { it.drop; }) return it.drop;
        return std::nullopt;
      },
      requested);
}

std::optional<Packets> SharedBufferQuery::capacity() const {
  return std::visit(
      [](const auto& it) -> std::optional<Packets> {
        if constexpr (requires { it.capacity; }) return it.capacity;
        return std::nullopt;
      },
      requested);
}

SharedBufferAnswer answer(const SharedBufferQuery& query, const Run&) {
  if (std::holds_alternative<MaxLoad>(query.requested)) return with_max_load(query);
  if (std::holds_alternative<MaxPorts>(query.requested)) return with_max_ports(query);
  if (std::holds_alternative<MinThreshold>(query.requested)) return with_min_threshold(query);
  const bool overflow = query.criterion == SizedCriterion::overflow;
  const MemoryRule rule = rule_of(query);
  queue::SharedMemory shared(switch_of(query), rule);
  auto approximation = queue::SharedApproximation::of(shared.fed(), rule);
  SharedBufferAnswer answer{.memory = Packets(0),
                            .at = {numeric::Theorem::input, numeric::Real(0)},
                            .mean = {numeric::Theorem::input, shared.mean()},
                            .output_load = 0};
  for (const queue::SharedSwitch::Outputs& kind : shared.fed().outputs) {
    Rational load = 0;
    for (const Rational& rate : kind.rates) load = load + rate;
    if (load > answer.output_load) answer.output_load = load;
  }
  if (const auto* requested = std::get_if<ProbabilityOf>(&query.requested)) {
    answer.memory = requested->capacity;
    answer.at = shared.bound(requested->capacity);
    // Proved values replace the approximation.
    if (approximation)
      answer.about_at = {
          std::min(approximation->at(requested->capacity), static_cast<double>(answer.at.value))};
  } else {
    const Rational target = std::get<MinBuffer>(query.requested).drop / cells_of_criterion(query);
    queue::ProvedMemory minimum = shared.minimum(target);
    answer.memory = minimum.memory;
    answer.at = std::move(minimum.at);
    if (approximation)
      answer.about = {static_cast<double>(
          std::min(approximation->minimum(log_of(target), answer.memory), answer.memory).value)};
    answer.dedicated =
        dedicated(shared.fed(), {target, overflow ? bounds::Criterion::overflow : bounds::Criterion::loss});
  }
  if (approximation) answer.variance = approximation->variance();
  if (query.cells && !overflow) {
    // A packet that is lost loses at least one cell.
    answer.cell_loss = answer.at;
    answer.packet_loss = times(answer.at, shared.fed().cells.mean);
    if (query.criterion == SizedCriterion::packet_loss) answer.at = *answer.packet_loss;
  }
  return answer;
}

}  // namespace tailbound::answers
