#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/simulation/flow_control.hpp>

#include <algorithm>

namespace tailbound::render {

using namespace answers;

namespace {

/// "none", or "12 of 1000"
std::string lost_in_words(const sim::MeasuredBalance& balance) {
  const std::string lost = balance.dropped == 0 ? "none" : fmt::format("{}", balance.dropped);
  return fmt::format("{}: {} inside + {} sent = {} delivered{} + {} inside", lost, balance.inside_before,
                     balance.sent, balance.delivered,
                     balance.dropped == 0 ? "" : fmt::format(" + {} lost", balance.dropped),
                     balance.inside_after);
}

std::string offered_in_words(const CarriedTraffic& carried) {
  return fmt::format("{:.4g}", numeric::nearest_double(carried.offered));
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(names.size(), most);
  return fmt::format("{}{}",
                     fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     shown < names.size() ? ", .." : "");
}

}  // namespace

std::string control_in_words(const sim::FlowControl& control) {
  std::string words =
      fmt::format(", {} flow control, {} buffers of {} packet{}, round trip {} slot{}", name_of(control.by),
                  control.ingress == sim::Ingress::voq ? "VOQ" : "FIFO", control.buffer,
                  control.buffer == 1 ? "" : "s", control.round_trip, control.round_trip == 1 ? "" : "s");
  if (control.by == sim::BackPressure::pause) words += fmt::format(", headroom {}", control.headroom);
  if (control.output_buffer > 1) words += fmt::format(", output buffers of {}", control.output_buffer);
  return words;
}

const Fields<sim::FlowControl>& control_inputs() {
  using sim::FlowControl;
  static const Fields<FlowControl> fields{
      {{"flow_control", "flow control", "", Shape::text, "credit or pause: full buffers stop their senders"},
       &FlowControl::by},
      {{"ingress", "ingress", "", Shape::text, "organisation of the buffers: voq or fifo"},
       &FlowControl::ingress},
      {{"round_trip", "round trip", "slots", Shape::whole,
        "from sending a packet until its place in the buffer can be used again"},
       &FlowControl::round_trip},
      {{"headroom", "headroom", "packets", Shape::whole, "of a buffer above its pause threshold"},
       &FlowControl::headroom,
       [](const FlowControl& of) { return of.by == sim::BackPressure::pause; }},
      {{"output_buffer", "output buffer", "packets", Shape::whole,
        "of each output of a switch, packet in transmission included"},
       &FlowControl::output_buffer}};
  return fields;
}

const Fields<CarriedTraffic>& carried_fields() {
  using Of = CarriedTraffic;
  static const Fields<Of> fields{
      {{"throughput", "throughput", "packets/slot", Shape::estimate,
        "flow control: packets delivered, in all"},
       &Of::throughput},
      {{"offered", "offered", "packets/slot", Shape::given, "flow control: packets offered, in all"},
       &Of::offered},
      {{"saturated", "saturated", "", Shape::flag,
        "flow control: whether the queue of some host grows; delays then have no distribution"},
       &Of::saturated},
      {{"deadlocks", "deadlocks", "", Shape::whole, "flow control: replications that deadlocked"},
       [](const Of& of) { return of.deadlock ? of.deadlock->replications : 0; }},
      {{"packets_before", "packets inside before", "", Shape::whole,
        "flow control: in the network and at the hosts when measuring began; packets_before + packets_sent = "
        "packets + packets_dropped + packets_after",
        Style::hidden},
       [](const Of& of) { return of.balance.inside_before; }},
      {{"packets_sent", "packets sent", "", Shape::whole, "flow control: by the hosts while measured",
        Style::hidden},
       [](const Of& of) { return of.balance.sent; }},
      {{"packets_dropped", "packets lost", "", Shape::whole, "flow control: lost in full buffers"},
       [](const Of& of) { return of.balance.dropped; }},
      {{"packets_after", "packets inside after", "", Shape::whole,
        "flow control: in the network and at the hosts at the end", Style::hidden},
       [](const Of& of) { return of.balance.inside_after; }}};
  return fields;
}

std::vector<Line> carried_lines(const SimulateTreeAnswer& answer) {
  const CarriedTraffic& carried = *answer.carried;
  std::vector<Line> lines{
      {"throughput", fmt::format("{} packets per slot; offered {}", brief(shown(carried.throughput)),
                                 offered_in_words(carried))}};
  if (carried.deadlock)
    lines.push_back({"deadlock", fmt::format("in {} replication{}, the first after slot {}\n{}",
                                             carried.deadlock->replications,
                                             carried.deadlock->replications == 1 ? "" : "s",
                                             carried.deadlock->after, listed(carried.deadlock->links))});
  else if (!carried.cycle.empty())
    lines.push_back({"deadlock", "none seen; possible in the cycle\n" + listed(carried.cycle)});
  const auto most =
      std::max_element(answer.queues.begin(), answer.queues.end(),
                       [](const auto& a, const auto& b) { return a.blocked->value < b.blocked->value; });
  if (most != answer.queues.end() && most->blocked->value > 0)
    lines.push_back(
        {"blocked most", fmt::format("{}: {} of the slots", most->link, brief(shown(*most->blocked)))});
  lines.push_back({"lost", lost_in_words(carried.balance)});
  return lines;
}

Headline carried_in_words(const Document& document, const std::vector<SimulateTreePoint>& points) {
  std::size_t deadlocks = 0, saturated = 0;
  for (const SimulateTreePoint& point : points) {
    if (point.second.carried->deadlock)
      ++deadlocks;
    else if (point.second.carried->saturated)
      ++saturated;
  }
  const std::string throughput = range_in_words(document, "throughput");
  const std::vector<Value> quoted = values_of(document, "throughput");
  if (points.size() > 1)
    return {"throughput", throughput + " packets per slot",
            fmt::format("; {} of {} points saturate, {} deadlock", saturated, points.size(), deadlocks),
            quoted};
  const CarriedTraffic& carried = *points.front().second.carried;
  if (carried.deadlock)
    return Headline::without_numbers(fmt::format("The network deadlocks in {} of {} replications.",
                                                 carried.deadlock->replications,
                                                 points.front().second.simulated.plan.replications));
  if (carried.saturated)
    return {"throughput", throughput + " packets per slot",
            fmt::format(": the network saturates below the offered {}", offered_in_words(carried)), quoted};
  return Headline::without_numbers("No packet was delivered.");
}

void add_control_notes(std::vector<std::string>& notes, const std::vector<SimulateTreePoint>& points) {
  const sim::FlowControl& control = *points.front().first.control;
  notes.emplace_back(
      "Occupancy: packets for the link at its sender; buffered: in the buffer at its receiver. A host queues "
      "its packets without limit.");
  if (control.by == sim::BackPressure::pause && control.headroom < control.round_trip)
    notes.emplace_back("Packets are lost: the headroom is smaller than the round trip.");
  const auto any = [&](auto what) {
    return std::any_of(points.begin(), points.end(),
                       [&](const SimulateTreePoint& point) { return what(*point.second.carried); });
  };
  if (any([](const CarriedTraffic& of) { return of.saturated || of.deadlock; }))
    notes.emplace_back(
        "Queues of hosts grow as long as the run lasts, so delays have no distribution and are omitted. The "
        "throughput is that of the saturated network.");
}

}  // namespace tailbound::render
