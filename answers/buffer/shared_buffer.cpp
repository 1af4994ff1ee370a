#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/bounds/sizing/packet_loss.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/network/reading/table_rows.hpp>
#include <tailbound/numeric/rational.hpp>

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
  const auto* minimum = std::get_if<MinBuffer>(&requested);
  return minimum != nullptr ? std::optional(minimum->drop) : std::nullopt;
}

SharedBufferAnswer answer(const SharedBufferQuery& query, const Run&) {
  const bool overflow = query.criterion == bounds::Criterion::overflow;
  const MemoryRule rule{.measure = overflow ? MemoryRule::Measure::overflow : MemoryRule::Measure::loss,
                        .threshold = query.threshold};
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
    const Rational& target = std::get<MinBuffer>(query.requested).drop;
    queue::ProvedMemory minimum = shared.minimum(target);
    answer.memory = minimum.memory;
    answer.at = std::move(minimum.at);
    if (approximation)
      answer.about = {static_cast<double>(
          std::min(approximation->minimum(log_of(target), answer.memory), answer.memory).value)};
    answer.dedicated = dedicated(shared.fed(), {target, query.criterion});
  }
  if (approximation) answer.variance = approximation->variance();
  if (query.cells && !overflow) {
    // An affected packet loses at least one cell.
    const Real mean = numeric::to_real(shared.fed().cells.mean, numeric::Rounding::up);
    Real packets;
    mpfr_mul(packets.backend().data(), answer.at.value.backend().data(), mean.backend().data(), MPFR_RNDU);
    answer.packets_at.emplace(answer.at.proof(), std::min(packets, Real(1)));
  }
  return answer;
}

}  // namespace tailbound::answers
