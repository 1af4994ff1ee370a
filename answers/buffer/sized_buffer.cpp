#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/answers/buffer/sized_queue.hpp>
#include <tailbound/bounds/sizing/packet_loss.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/tail_bounds/train_bound.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::Criterion;
using numeric::Enclosure;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;

std::vector<SizeLoss> classes_of(const SizedBufferQuery& query) {
  std::vector<SizeLoss> classes;
  for (const traffic::SizeClass& one : query.sizes.classes())
    classes.push_back({one.bytes, traffic::cells_of(one.bytes, query.cell_bytes), one.share});
  return classes;
}

/// The same criterion for cells.  \pre not packet_loss
Criterion of_cells(SizedCriterion criterion) {
  return criterion == SizedCriterion::overflow ? Criterion::overflow : Criterion::loss;
}

/// From a queue with exact or enclosed numbers. `at` and `before` still count cells.
/// \param drop  the target of MinBuffer
SizedBufferAnswer from_queue(const SizedBufferQuery& query, bounds::OutputQueue& queue, Criterion criterion,
                             const Rational& drop) {
  Packets buffer(0);
  std::optional<bounds::ComputedProbability> at, before;
  if (std::holds_alternative<MinBuffer>(query.requested)) {
    bounds::MinBufferSize smallest = queue.min_buffer_size({drop, criterion});
    buffer = smallest.buffer;
    at = std::move(smallest.at);
    before = std::move(smallest.before);
  } else {
    buffer = std::get<ProbabilityOf>(query.requested).capacity;
    at = queue.drop_probability(buffer, criterion);
  }
  SizedBufferAnswer answer{.buffer = buffer,
                           .at = at->probability,
                           .cell_loss = criterion == Criterion::loss
                                            ? at->probability
                                            : queue.drop_probability(buffer, Criterion::loss).probability,
                           .decay_rate = std::optional<Enclosure<unit::PerPacket>>(),
                           .classes = classes_of(query),
                           .mean_cells = query.sizes.cells(query.cell_bytes).mean,
                           .computation = at->computation};
  if (before) answer.before = before->probability;
  try {
    answer.mean_occupancy = queue.mean_occupancy();
    answer.decay_rate = queue.found_decay_rate();
  } catch (const Unstable&) {  // losses exist at any load
    if (criterion == Criterion::overflow) throw;
  }
  return answer;
}

SizedBufferAnswer from_queue(const SizedBufferQuery& query, bounds::OutputQueue& queue) {
  return from_queue(query, queue, of_cells(query.criterion), query.drop().value_or(0));
}

bounds::WholePackets whole_of(const SizedBufferQuery& query) {
  return {.inputs = query.inputs, .load = query.load, .cells = query.sizes.cells(query.cell_bytes)};
}

queue::Trains trains_of(const SizedBufferQuery& query) {
  return {.inputs = query.inputs, .load = query.load, .cells = query.sizes.cells(query.cell_bytes)};
}

/// A packet is lost with 1 to Lmax of its cells: cell loss E[L] / Lmax <= packet loss <= cell loss E[L].
queue::ProbabilityClaim packet_loss_of(const queue::ProbabilityClaim& cell_loss,
                                       const traffic::CellCounts& cells) {
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const auto maximum = [&](const Real& loss) {
    const Real value = numeric::upper(numeric::to_interval(loss) * numeric::to_interval(cells.mean));
    return value < 1 ? value : Real(1);
  };
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Probability>>(&cell_loss))
    return numeric::UpperBound<unit::Probability>{bound->proof(), maximum(bound->value)};
  const auto minimum = [&](const Real& loss) {
    return numeric::lower(numeric::to_interval(loss) *
                          numeric::to_interval(cells.mean / Rational(static_cast<long>(cells.largest()))));
  };
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&cell_loss))
    return Enclosure<unit::Probability>(exact->proof(),
                                        minimum(numeric::to_real(exact->value, numeric::Rounding::down)),
                                        maximum(numeric::to_real(exact->value, numeric::Rounding::up)));
  const auto& enclosure = std::get<Enclosure<unit::Probability>>(cell_loss);
  return Enclosure<unit::Probability>(enclosure.proof(), minimum(enclosure.lower()),
                                      maximum(enclosure.upper()));
}

numeric::UpperBound<unit::Probability> upper_bound(const queue::ProbabilityClaim& loss) {
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Probability>>(&loss)) return *bound;
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&loss))
    return {exact->proof(), numeric::to_real(exact->value, numeric::Rounding::up)};
  const auto& enclosure = std::get<Enclosure<unit::Probability>>(loss);
  return {enclosure.proof(), enclosure.upper()};
}

/// Bounds of packet losses from cell losses. Lost packets of one size are a part of all lost packets.
void add_bounds(SizedBufferAnswer& answer, const traffic::CellCounts& cells) {
  answer.packet_loss = packet_loss_of(answer.cell_loss, cells);
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const numeric::UpperBound<unit::Probability> all = upper_bound(*answer.packet_loss);
  for (SizeLoss& one : answer.classes) {
    const Real maximum = numeric::upper(numeric::to_interval(all.value) / numeric::to_interval(one.share));
    one.loss = numeric::UpperBound<unit::Probability>{all.proof(), maximum < 1 ? maximum : Real(1)};
  }
}

/// Losses of all packets, and of those of each size.
void add_losses(SizedBufferAnswer& answer, const bounds::WholePackets& packets,
                const bounds::PacketLoss& loss) {
  answer.packet_loss = loss.all;
  for (SizeLoss& one : answer.classes)
    for (std::size_t c = 0; c < packets.cells.classes.size(); ++c)
      if (packets.cells.classes[c].cells == one.cells) one.loss = loss.of_class[c];
}

/// Does a buffer meet the target? Empty if that cannot be determined in time.
std::optional<bool> meets(const bounds::WholePackets& packets, std::int64_t buffer, const Rational& drop) {
  for (const int digits : {3, 10, 40}) {
    const auto loss = bounds::packet_loss(packets, Packets(buffer), {.digits = {digits}});
    if (!loss) break;
    if (numeric::compare(loss->all.upper(), drop) <= 0) return true;
    if (numeric::compare(loss->all.lower(), drop) > 0) return false;
  }
  return std::nullopt;
}

/// The same at load 1 and above, where a target of cells may be out of reach although that of packets is not.
Packets min_buffer_in_overload(const bounds::WholePackets& packets, const Rational& drop) {
  constexpr std::int64_t deepest = 65'536;
  const Rational least = (1 - 1 / packets.load) * packets.cells.mean / Rational(packets.cells.largest());
  if (drop <= least)
    throw LoadTooHigh("no buffer loses as little as " + numeric::plain(drop) + " of the packets: at load " +
                      numeric::plain(packets.load) + " the loss is at least (1 - 1/load) E[L] / Lmax = " +
                      numeric::plain(least) + ", L the cells of a packet; give a larger --drop");
  std::int64_t missed = 0, met = 1;
  const auto meets_at = [&](std::int64_t buffer) {
    const std::optional<bool> known = meets(packets, buffer, drop);
    if (known) return *known;
    throw LimitExceeded("no buffer below " + std::to_string(buffer) + " cells loses as little as " +
                        numeric::plain(drop) +
                        " of the packets; larger ones take too long. Give a larger --drop");
  };
  while (!meets_at(met)) {
    if (met == deepest)
      throw LoadTooHigh("no buffer up to " + std::to_string(deepest) + " cells loses as little as " +
                        numeric::plain(drop) + " of the packets at load " + numeric::plain(packets.load) +
                        ", at which larger buffers hardly lose less; give a larger --drop");
    missed = std::exchange(met, 2 * met);
  }
  while (met - missed > 1) {
    const std::int64_t middle = missed + (met - missed) / 2;
    (meets_at(middle) ? met : missed) = middle;
  }
  return Packets(met);
}

/// The minimum buffer with a packet loss of at most `drop`; empty if it cannot be determined in time. Cell
/// loss gives the two buffers between which it lies: E[L] / Lmax <= packet loss / cell loss <= E[L].
std::optional<Packets> min_buffer(const bounds::WholePackets& packets, bounds::OutputQueue& queue,
                                  const Rational& drop) {
  if (packets.load >= 1) return min_buffer_in_overload(packets, drop);
  const Rational maximum = drop * Rational(static_cast<long>(packets.cells.largest())) / packets.cells.mean;
  std::int64_t met = queue.min_buffer_size({drop / packets.cells.mean, Criterion::loss}).buffer.value;
  std::int64_t missed = maximum < 1 ? queue.min_buffer_size({maximum, Criterion::loss}).buffer.value - 1 : -1;
  while (met - missed > 1) {
    const std::int64_t middle = missed + (met - missed) / 2;
    const std::optional<bool> meets_it = meets(packets, middle, drop);
    if (!meets_it) return std::nullopt;
    (*meets_it ? met : missed) = middle;
  }
  return Packets(met);
}

SizedBufferAnswer whole_packets(const SizedBufferQuery& query) {
  const bounds::WholePackets packets = whole_of(query);
  const auto queue = sized_queue(query);
  const bool by_packets = query.criterion == SizedCriterion::packet_loss;
  const auto loss_at = [&](Packets buffer) {
    return bounds::packet_loss(packets, buffer, {.digits = query.accuracy.digits});
  };
  if (!by_packets) {
    SizedBufferAnswer answer = from_queue(query, *queue);
    if (const auto loss = loss_at(answer.buffer))
      add_losses(answer, packets, *loss);
    else
      add_bounds(answer, packets.cells);
    return answer;
  }
  SizedBufferQuery of_buffer = query;
  const auto* minimum = std::get_if<MinBuffer>(&query.requested);
  std::optional<Packets> buffer;
  if (minimum != nullptr) {
    buffer = min_buffer(packets, *queue, minimum->drop);
    if (buffer) of_buffer.requested = ProbabilityOf{*buffer};
  }
  // With an unknown minimum buffer: the one that suffices because a lost packet loses at least one cell.
  SizedBufferAnswer answer =
      from_queue(of_buffer, *queue, Criterion::loss, query.drop().value_or(0) / packets.cells.mean);
  answer.before.reset();
  const auto loss = minimum == nullptr || buffer ? loss_at(answer.buffer) : std::nullopt;
  if (!loss) {
    add_bounds(answer, packets.cells);
    answer.at = upper_bound(*answer.packet_loss);
    return answer;
  }
  add_losses(answer, packets, *loss);
  answer.at = loss->all;
  if (minimum != nullptr && answer.buffer.value > 0)
    if (const auto before = loss_at(answer.buffer - Packets(1))) answer.before = before->all;
  return answer;
}

/// Mean length of geometric trains with the same mean residual length seen by a cell: E[L^2] / E[L] = 2 g -
/// 1.
Rational geometric_length(const traffic::CellCounts& cells) {
  Rational square = 0;
  for (const traffic::CellClass& one : cells.classes)
    square =
        square + one.share * Rational(static_cast<long>(one.cells)) * Rational(static_cast<long>(one.cells));
  return (square / cells.mean + 1) / 2;
}

template <class Unit>
numeric::Model<Unit> model(const numeric::Claim<Unit>& claim) {
  return std::visit(
      [](const auto& truth) -> numeric::Model<Unit> {
        if constexpr (requires { truth.lower(); })
          return {static_cast<double>(truth.lower())};
        else if constexpr (std::is_same_v<std::decay_t<decltype(truth)>, numeric::Exact<Unit>>)
          return {numeric::nearest_double(truth.value)};
        else
          return {static_cast<double>(truth.value)};
      },
      claim);
}

/// \param buffer  sufficient by the bound, or the given capacity
/// \param proved  upper bound of the criterion there
std::optional<GeometricApproximation> approximation(const SizedBufferQuery& query,
                                                    const queue::Trains& trains, Packets buffer,
                                                    const numeric::UpperBound<unit::Probability>& proved) {
  const Rational length = geometric_length(trains.cells);
  if (trains.inputs == 1 || length == 1) return std::nullopt;
  const bool overflow = query.criterion == SizedCriterion::overflow;
  try {
    queue::MarkovQueue queue(
        queue::MarkovArrivals::trains({.inputs = trains.inputs, .load = trains.load, .length = length}),
        numeric::Digits{4});
    std::optional<numeric::Model<unit::Packet>> enough;
    if (const auto* minimum = std::get_if<MinBuffer>(&query.requested))
      enough = {static_cast<double>(std::min(
          overflow ? queue.min_level(minimum->drop) : queue.min_capacity(minimum->drop), buffer.value))};
    const auto at = model(overflow ? queue.tail(buffer.value) : queue.loss(buffer.value));
    return GeometricApproximation{.length = length,
                                  .buffer = enough,
                                  .at = {std::min(at.value, static_cast<double>(proved.value))},
                                  .mean_occupancy = model(queue.mean_occupancy())};
  } catch (const LimitExceeded&) {
    return std::nullopt;  // only additional: the answer is still given
  }
}

SizedBufferAnswer cell_by_cell(const SizedBufferQuery& query) {
  const queue::Trains trains = trains_of(query);
  const bool one_cell = trains.cells.largest() == 1;  // then packet loss equals cell loss
  const bool by_packets = query.criterion == SizedCriterion::packet_loss && !one_cell;
  const bool overflow = query.criterion == SizedCriterion::overflow;
  // At most E[L] of the packets is lost per lost cell.
  const Rational drop = query.drop().value_or(0) / (by_packets ? trains.cells.mean : Rational(1));
  if (const auto queue = sized_queue(query)) {
    SizedBufferAnswer answer =
        from_queue(query, *queue, overflow ? Criterion::overflow : Criterion::loss, drop);
    add_bounds(answer, trains.cells);
    if (by_packets) {
      answer.at = upper_bound(*answer.packet_loss);
      answer.before.reset();
    }
    return answer;
  }
  queue::SourceBound bound = queue::source_bound(trains, query.accuracy.digits);
  Packets buffer(0);
  if (std::holds_alternative<MinBuffer>(query.requested))
    buffer = Packets(overflow ? bound.min_level(drop) : bound.min_capacity(drop));
  else
    buffer = std::get<ProbabilityOf>(query.requested).capacity;
  const numeric::UpperBound<unit::Probability> loss = bound.loss(buffer.value);
  SizedBufferAnswer answer{.buffer = buffer,
                           .at = overflow ? bound.tail(buffer.value) : loss,
                           .cell_loss = loss,
                           .mean_occupancy = bound.exponential().mean_occupancy(),
                           .decay_rate = bound.exponential().decay_rate(),
                           .classes = classes_of(query),
                           .mean_cells = trains.cells.mean};
  add_bounds(answer, trains.cells);
  if (by_packets)
    answer.at = *answer.packet_loss;
  else
    answer.approximation = approximation(query, trains, buffer, upper_bound(answer.at));
  return answer;
}

}  // namespace

std::unique_ptr<bounds::OutputQueue> sized_queue(const SizedBufferQuery& query) {
  if (query.arrive == CellArrival::whole)
    return bounds::output_queue(bounds::cell_queue(whole_of(query)), query.accuracy);
  if (query.accuracy.arithmetic != queue::Arithmetic::automatic)
    throw InvalidArgument("arithmetic", queue::name(query.accuracy.arithmetic),
                          "auto for packets that arrive cell by cell");
  auto chain = queue::train_chain(trains_of(query));
  return chain ? bounds::output_queue(std::move(*chain), query.accuracy) : nullptr;
}

std::optional<numeric::Rational> SizedBufferQuery::drop() const {
  const auto* minimum = std::get_if<MinBuffer>(&requested);
  return minimum == nullptr ? std::nullopt : std::optional(minimum->drop);
}

SizedBufferAnswer answer(const SizedBufferQuery& query, const Run&) {
  if (query.arrive == CellArrival::cells) return cell_by_cell(query);
  try {
    return whole_packets(query);
  } catch (const Unstable& error) {
    throw UnstableOverflow(error);
  }
}

}  // namespace tailbound::answers
