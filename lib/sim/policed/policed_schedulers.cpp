#include <tailbound/sim/policed/policed_engine.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::sim {

std::size_t PolicedEpisodes::Engine::choose_in_turn(std::size_t p) {
  const TickedPort& port = network_.ports[p];
  SendingPort& sending = ports_[p];
  while (!sending.active.empty()) {
    const std::size_t first = sending.active.front();
    ClassQueue& queue = queues_[first];
    if (!sending.in_turn) {
      queue.deficit += port.quanta[*network_.queues[first].traffic_class];
      sending.in_turn = true;
    }
    const DataUnits length = packets_[queue.ready.front()].length;
    if (length <= queue.deficit) {
      queue.deficit -= length;
      return first;
    }
    sending.in_turn = false;
    std::rotate(sending.active.begin(), sending.active.begin() + 1, sending.active.end());
  }
  return port.first_queue + port.queues;
}

/// Not while a packet is being sent.
void PolicedEpisodes::Engine::update_credit(std::size_t number) {
  ClassQueue& queue = queues_[number];
  const SendingPort& sending = ports_[network_.queues[number].port];
  if (sending.busy && sending.packet != no_packet && sending.queue == number) return;
  const Ticks passed = now_ - queue.credit_at;
  queue.credit_at = now_;
  if (!queue.ready.empty())
    queue.credit += passed;
  else
    queue.credit = std::min(queue.credit + passed, Ticks{0});
}

std::size_t PolicedEpisodes::Engine::choose_by_credit(std::size_t p) {
  const TickedPort& port = network_.ports[p];
  const std::size_t end = port.first_queue + port.queues;
  Ticks earliest = latest_tick;
  std::size_t chosen = end;
  for (std::size_t number = port.first_queue; number < end; ++number) {
    ClassQueue& queue = queues_[number];
    if (shaped(port, number)) update_credit(number);
    if (queue.ready.empty() || chosen != end) continue;
    if (!shaped(port, number) || queue.credit >= 0)
      chosen = number;
    else
      earliest = std::min(earliest, now_ - queue.credit);
  }
  if (chosen != end || earliest == latest_tick) return chosen;
  if (port.best_effort > 0 && happens(plan_->best_effort)) {
    send_best_effort(p, port.best_effort * port.per_unit);
  } else {
    ports_[p].wake = events_made_;
    push(earliest, order_of_departures(), EventKind::wakes, p);
  }
  return end;
}

Ticks PolicedEpisodes::Engine::wait_for_gate(std::size_t number, std::uint32_t packet) const {
  const std::size_t p = network_.queues[number].port;
  const TickedPort& port = network_.ports[p];
  if (port.cycle == 0) return 0;
  const TickedGate& gate = port.gates[*network_.queues[number].traffic_class];
  Ticks position = (now_ - plan_->gates_begin(network_, p)) % port.cycle;
  if (position < 0) position += port.cycle;
  const Ticks left = gate.left(position, port.cycle);
  const Ticks needed =
      port.guard == network::Guard::fit ? packets_[packet].length * port.per_unit : gate.reserved;
  return left > 0 && needed <= left ? 0 : gate.to_opening(position, port.cycle);
}

/// The highest class whose head may begin; a lower one goes first if a higher one does not fit.
std::size_t PolicedEpisodes::Engine::choose_by_gates(std::size_t p) {
  const TickedPort& port = network_.ports[p];
  const std::size_t end = port.first_queue + port.queues;
  Ticks earliest = latest_tick;
  for (std::size_t number = port.first_queue; number < end; ++number) {
    const ClassQueue& queue = queues_[number];
    if (queue.ready.empty()) continue;
    const Ticks wait = wait_for_gate(number, queue.ready.front());
    if (wait == 0) return number;
    earliest = std::min(earliest, now_ + wait);
  }
  if (earliest < latest_tick) {
    ports_[p].wake = events_made_;
    push(earliest, order_of_departures(), EventKind::wakes, p);
  }
  return end;
}

// --- preemption

/// Of a packet's own length: the preamble of a later fragment and what ends a cut one are not.
Ticks PolicedEpisodes::Engine::sent_of_fragment(std::size_t p, Ticks until) const {
  const SendingPort& sending = ports_[p];
  const Ticks passed = std::min(until, sending.cut_at) - sending.began;
  return sending.first ? passed : std::max(Ticks{0}, passed - preamble_bytes * network_.ports[p].byte);
}

/// An express packet is ready: ends the fragment of a preemptable one as soon as it may, if it may.
void PolicedEpisodes::Engine::cut(std::size_t p) {
  const TickedPort& port = network_.ports[p];
  SendingPort& sending = ports_[p];
  const bool preemptable = sending.packet == no_packet || sending.queue >= port.first_preemptable;
  if (!preemptable || sending.cut_at != SendingPort::not_cut) return;
  const Ticks bytes = (now_ - sending.began + port.byte - 1) / port.byte;
  const Ticks data = std::max((bytes - preamble_bytes) * port.byte, port.whole);
  if (sending.left - data < last_fragment_bytes * port.byte) return;
  sending.cut_at = sending.began + preamble_bytes * port.byte + data;
  sending.departure = events_made_;
  push(sending.cut_at + (cut_check_bytes + gap_bytes) * port.byte, order_of_departures(), EventKind::departs,
       p);
}

/// The cut fragment has left.
void PolicedEpisodes::Engine::interrupt(std::size_t p) {
  SendingPort& sending = ports_[p];
  const Ticks sent = sent_of_fragment(p, now_);
  const Ticks data = sending.cut_at - sending.began - preamble_bytes * network_.ports[p].byte;
  sending.interrupted = {std::exchange(sending.packet, no_packet), sending.queue, sending.left - data,
                         sending.sent + sent};
  if (sending.interrupted->packet != no_packet) queues_[sending.queue].content -= sent;
  sending.busy = false;
  sending.cut_at = SendingPort::not_cut;
  begin_sending(p);
}

void PolicedEpisodes::Engine::resume(std::size_t p) {
  SendingPort& sending = ports_[p];
  const Interrupted its = *std::exchange(sending.interrupted, std::nullopt);
  occupy(p, its.packet, its.queue, now_ + its.left + (preamble_bytes + gap_bytes) * network_.ports[p].byte);
  sending.first = false;
  sending.sent = its.sent;
  sending.left = its.left;
}

}  // namespace tailbound::sim
