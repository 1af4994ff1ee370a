#include <cln/rational.h>
#include <tailbound/answers/sized_buffer.hpp>
#include <tailbound/answers/sized_queue.hpp>
#include <tailbound/bounds/packet_loss.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/markov_queue.hpp>
#include <tailbound/queue/train_bound.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::Criterion;
using numeric::Enclosure;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;

SizedProbability sized(const queue::ProbabilityClaim& claim) {
  return std::visit([](const auto& truth) -> SizedProbability { return truth; }, claim);
}

std::vector<SizeLoss> classes_of(const SizedBufferQuestion& question) {
  std::vector<SizeLoss> classes;
  for (const traffic::SizeClass& one : question.sizes.classes())
    classes.push_back({one.bytes, traffic::cells_of(one.bytes, question.cell_bytes), one.share});
  return classes;
}

/// Of a queue whose numbers are exact or enclosed.
SizedBufferAnswer from_queue(const SizedBufferQuestion& question, bounds::OutputQueue& queue) {
  Packets buffer(0);
  std::optional<bounds::ComputedProbability> at, before;
  if (const auto* least = std::get_if<LeastBuffer>(&question.asked)) {
    bounds::LeastRoom room = queue.least_room({least->drop, question.criterion});
    buffer = room.buffer;
    at = std::move(room.at);
    before = std::move(room.before);
  } else {
    buffer = std::get<ProbabilityOf>(question.asked).capacity;
    at = queue.drop_probability(buffer, question.criterion);
  }
  SizedBufferAnswer answer{
      .buffer = buffer,
      .at = sized(at->probability),
      .cell_loss = sized(question.criterion == Criterion::loss
                             ? at->probability
                             : queue.drop_probability(buffer, Criterion::loss).probability),
      .mean_occupancy = queue.mean_occupancy(),
      .decay_rate = queue.decay_rate(),
      .classes = classes_of(question),
      .mean_cells = question.sizes.cells(question.cell_bytes).mean,
      .computation = at->computation};
  if (before) answer.before = sized(before->probability);
  return answer;
}

bounds::WholePackets whole_of(const SizedBufferQuestion& question) {
  return {
      .inputs = question.inputs, .load = question.load, .cells = question.sizes.cells(question.cell_bytes)};
}

queue::Trains trains_of(const SizedBufferQuestion& question) {
  return {
      .inputs = question.inputs, .load = question.load, .cells = question.sizes.cells(question.cell_bytes)};
}

SizedBufferAnswer whole_packets(const SizedBufferQuestion& question) {
  const bounds::WholePackets packets = whole_of(question);
  const auto queue = sized_queue(question);
  SizedBufferAnswer answer = from_queue(question, *queue);
  const auto loss = bounds::packet_loss(packets, answer.buffer, {.digits = question.accuracy.digits});
  if (!loss) return answer;
  answer.packet_loss = loss->all;
  for (SizeLoss& one : answer.classes)
    for (std::size_t c = 0; c < packets.cells.classes.size(); ++c)
      if (packets.cells.classes[c].cells == one.cells) one.loss = loss->of_class[c];
  return answer;
}

/// A packet is lost with 1 to Lmax of its cells: cell loss E[L] / Lmax <= packet loss <= cell loss E[L].
SizedProbability packet_loss_of(const SizedProbability& cell_loss, const traffic::CellCounts& cells) {
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const auto most = [&](const Real& loss) {
    const Real value = numeric::upper(numeric::to_interval(loss) * numeric::to_interval(cells.mean));
    return value < 1 ? value : Real(1);
  };
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Probability>>(&cell_loss))
    return numeric::UpperBound<unit::Probability>{most(bound->value)};
  const auto least = [&](const Real& loss) {
    return numeric::lower(numeric::to_interval(loss) *
                          numeric::to_interval(cells.mean / Rational(static_cast<long>(cells.largest()))));
  };
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&cell_loss))
    return Enclosure<unit::Probability>(least(numeric::to_real(exact->value, numeric::Rounding::down)),
                                        most(numeric::to_real(exact->value, numeric::Rounding::up)));
  const auto& enclosure = std::get<Enclosure<unit::Probability>>(cell_loss);
  return Enclosure<unit::Probability>(least(enclosure.lower()), most(enclosure.upper()));
}

/// The mean length of geometric trains of which a cell finds the rest of its own as long in the mean: with
/// E[L^2] / E[L] = 2 g - 1.
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

/// \param buffer  what the bound says is enough, or the capacity asked about
/// \param proved  the criterion there is at most this
std::optional<GeometricStandIn> stand_in(const SizedBufferQuestion& question, const queue::Trains& trains,
                                         Packets buffer,
                                         const numeric::UpperBound<unit::Probability>& proved) {
  const Rational length = geometric_length(trains.cells);
  if (trains.inputs == 1 || length == 1) return std::nullopt;
  const bool overflow = question.criterion == Criterion::overflow;
  try {
    queue::MarkovQueue queue(
        queue::MarkovArrivals::trains({.inputs = trains.inputs, .load = trains.load, .length = length}),
        numeric::Digits{4});
    std::optional<numeric::Model<unit::Packet>> enough;
    if (const auto* least = std::get_if<LeastBuffer>(&question.asked))
      enough = {static_cast<double>(std::min(
          overflow ? queue.least_level(least->drop) : queue.least_capacity(least->drop), buffer.value))};
    const auto at = model(overflow ? queue.tail(buffer.value) : queue.loss(buffer.value));
    return GeometricStandIn{.length = length,
                            .buffer = enough,
                            .at = {std::min(at.value, static_cast<double>(proved.value))},
                            .mean_occupancy = model(queue.mean_occupancy())};
  } catch (const LimitExceeded&) {
    return std::nullopt;  // beside the answer: no reason to refuse it
  }
}

SizedBufferAnswer cell_by_cell(const SizedBufferQuestion& question) {
  const queue::Trains trains = trains_of(question);
  if (const auto queue = sized_queue(question)) {
    SizedBufferAnswer answer = from_queue(question, *queue);
    answer.packet_loss = packet_loss_of(answer.cell_loss, trains.cells);
    return answer;
  }
  queue::SourceBound bound = queue::source_bound(trains, question.accuracy.digits);
  const bool overflow = question.criterion == Criterion::overflow;
  Packets buffer(0);
  if (const auto* least = std::get_if<LeastBuffer>(&question.asked))
    buffer = Packets(overflow ? bound.least_level(least->drop) : bound.least_capacity(least->drop));
  else
    buffer = std::get<ProbabilityOf>(question.asked).capacity;
  const numeric::UpperBound<unit::Probability> loss = bound.loss(buffer.value);
  const numeric::UpperBound<unit::Probability> at = overflow ? bound.tail(buffer.value) : loss;
  SizedBufferAnswer answer{.buffer = buffer,
                           .at = at,
                           .cell_loss = loss,
                           .mean_occupancy = bound.exponential().mean_occupancy(),
                           .decay_rate = bound.exponential().decay_rate(),
                           .classes = classes_of(question),
                           .mean_cells = trains.cells.mean};
  answer.packet_loss = packet_loss_of(answer.cell_loss, trains.cells);
  answer.stand_in = stand_in(question, trains, buffer, at);
  return answer;
}

}  // namespace

std::unique_ptr<bounds::OutputQueue> sized_queue(const SizedBufferQuestion& question) {
  if (question.arrive == CellArrival::whole)
    return bounds::output_queue(bounds::cell_queue(whole_of(question)), question.accuracy);
  if (question.accuracy.arithmetic != queue::Arithmetic::automatic)
    throw InvalidArgument("arithmetic", queue::name(question.accuracy.arithmetic),
                          "auto for packets that come cell by cell");
  auto chain = queue::train_chain(trains_of(question));
  return chain ? bounds::output_queue(std::move(*chain), question.accuracy) : nullptr;
}

std::optional<numeric::Rational> SizedBufferQuestion::drop() const {
  const auto* least = std::get_if<LeastBuffer>(&asked);
  return least == nullptr ? std::nullopt : std::optional(least->drop);
}

SizedBufferAnswer answer(const SizedBufferQuestion& question, const Run&) {
  return question.arrive == CellArrival::whole ? whole_packets(question) : cell_by_cell(question);
}

}  // namespace tailbound::answers
