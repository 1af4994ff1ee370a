#pragma once

#include <tailbound/bounds/curves/curves.hpp>
#include <tailbound/bounds/gates/gate_windows.hpp>
#include <tailbound/bounds/guarantee/path_row.hpp>
#include <tailbound/network/policed/policed_network.hpp>
#include <tailbound/numeric/proof.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Guarantees in a network of policed flows: worst-case delays of flows, maximum backlogs of queues.
///
/// MODEL     Store and forward, or cut-through. A FIFO port has one queue, any other port one per class.
///           Delays run from a packet's last bit in to its last bit out. The *variation* of a queue's delay
///           excludes the transmission time of the shortest packet. With several destinations a packet is
///           served once at each port of a tree. Gate lists without a clock have
///           unknown phases.
/// RESULT    TFA+: curves hop by hop. For a flow behind a queue: its curve before the queue, later by the
///           queue's variation, or the output of the FIFO residual service; for a group that continues over
///           one link also the group's residual, and the capacity of the link. Backlog and variation of a
///           queue are the smaller of those of these curves and of the same in whole packets. A flow's delay
///           is the sum over its queues. SFA: its residual services in series, its burst paid once. In
///           packets and slots, without cycles and other schedulers, also whole numbers
///           (slotted_guarantee.hpp); for gates that follow the senders' clock, a schedule
///           (gates/scheduled_delay.hpp). The result is the minimum of all, and of a linear program if one is
///           added (path_program.hpp). With cycles: variations x with F(x) <= x, a certificate, found from
///           below by rounding up; then in whole packets from above.
///           A queue that is offered more than its service in the long run has no bound; behind it its flows
///           have the curve of the link.
/// CONTRACT  proved upper bounds, exact fractions; where a network has more than 64 hops or cycles,
///           intermediate results are rounded up to multiples of 1/10^9.
/// SOURCE    docs/derivations/policed_traffic.md, sections 4 and 5; docs/derivations/time_sensitive.md
/// EXCLUDES  best effort behind credit-based shapers, gates together with preemption
/// TESTS     tests/bounds/guarantee/network_guarantee_test.cpp
namespace tailbound::bounds {

using network::PolicedNetwork;

/// Rules that the analysis uses: all by default; fewer for comparisons with other tools.
struct GuaranteeRules {
  bool lines = true;          ///< a link delivers no more than its rate
  bool residuals = true;      ///< outputs from the FIFO residual service of a flow or group
  bool whole_packets = true;  ///< flows of whole packets
  bool whole_slots = true;    ///< whole numbers with packets and slots
  bool schedules = true;      ///< gates that follow the senders' clock
};

/// How a flow's delay is bounded.
enum class GuaranteeMethod { best, tfa, sfa, slots, lp, schedule };
[[nodiscard]] constexpr auto names_of(GuaranteeMethod) {
  return std::array{"best", "tfa", "sfa", "slots", "lp", "schedule"};
}

struct QueueGuarantee {
  std::size_t port = 0;
  std::optional<std::size_t> traffic_class{};  ///< none: the queue of all classes
  std::string none{};                          ///< why there is no bound; empty: there is one
  Rational backlog;                            ///< maximum [data]
  std::optional<std::int64_t>
      in_slots{};             ///< the same in whole packets, by bounds/guarantee/slotted_guarantee.hpp
  Rational delay, variation;  ///< maximum [time]
  Rational load;              ///< long-run load of its flows [data/time]
  ArrivalCurve arrivals{};
  ServiceCurve service{0, 1};
  bool whole_packets = false;  ///< were they used? Not above load 1, and not where they are too many
  /// By a schedule (gates/scheduled_delay.hpp), if there is one [data], [time].
  std::optional<Rational> scheduled_backlog{}, scheduled_delay{};
  [[nodiscard]] const Rational& least_backlog() const {
    return scheduled_backlog ? std::min(backlog, *scheduled_backlog) : backlog;
  }
  [[nodiscard]] const Rational& least_delay() const {
    return scheduled_delay ? std::min(delay, *scheduled_delay) : delay;
  }
  /// Of the class's gate, if it is not always open.
  std::optional<GatedService> gates{};
};

/// From a flow's source to one of its destinations.
struct RouteGuarantee {
  std::vector<std::size_t> hops;  ///< positions in the flow's path
  std::string none{};             ///< why there is no bound; empty: there is one
  /// Upper bounds of the delay [time], none where they do not apply.
  std::optional<Rational> tfa{}, sfa{}, slots{};
  std::optional<Rational> schedule{};  ///< of bounds/gates/scheduled_delay.hpp
  std::optional<Rational> lp{};        ///< of bounds/guarantee/path_program.hpp, if it was computed
  std::vector<PathStep> lp_proof{};
  Rational minimum;  ///< minimum delay: shortest packets, no waiting [time]

  /// By the given method; `best` takes the smallest. None if there is no bound.
  [[nodiscard]] std::optional<Rational> delay(GuaranteeMethod method) const;
  /// tfa, sfa, slots, lp or schedule
  [[nodiscard]] GuaranteeMethod used(GuaranteeMethod method) const;
};

struct FlowGuarantee {
  std::vector<RouteGuarantee> routes;  ///< one for each destination
  std::vector<std::size_t> queues;     ///< positions in NetworkGuarantee::queues, by position in the path
  std::vector<ArrivalCurve> curves;    ///< arrival curve before each of them
  /// Delays of its queues before each of them vary by as much, since its source or the last regulator [time];
  /// none behind a queue without a bound.
  std::vector<std::optional<Rational>> shifts;
  std::vector<ArrivalCurve> outputs;  ///< known from residual services alone; without lines: nothing known
  /// Residual service of each for this flow; none if others take the whole service, or unknown.
  std::vector<std::optional<ServiceCurve>> residuals;

  /// The largest of its routes; none if one of them has no bound.
  [[nodiscard]] std::optional<Rational> delay(GuaranteeMethod method) const;
};

/// All flows that go from one queue to the same next one.
struct GroupGuarantee {
  std::size_t queue = 0, next = 0;
  ArrivalCurve curve{};  ///< before the next queue
  ServiceCurve residual{0, 1};
};

struct NetworkGuarantee {
  numeric::Proof proof{numeric::Theorem::guarantee};  ///< of every bound in it
  std::vector<QueueGuarantee> queues;                 ///< by port, then class
  std::vector<FlowGuarantee> flows;
  std::vector<GroupGuarantee> groups{};
  std::vector<std::size_t> cyclic{};  ///< queues whose variations need the certificate F(x) <= x
  /// Their variations: those with the certificate, then each from the one before it, in whole packets.
  std::vector<std::vector<Rational>> stages{};
  long rounds = 0;               ///< rounds until it was found
  numeric::Integer denominator;  ///< variations are multiples of 1/denominator; 0: exact
};

/// \throws InvalidArgument  a malformed network; a quantum below the longest packet; idle slopes that take
///                          the whole link; a class without a guarantee; windows that surely carry no packet
/// \throws NoAnswer         no certificate for a network with cycles
[[nodiscard]] NetworkGuarantee guarantee(const PolicedNetwork& network, const GuaranteeRules& rules = {});

/// What the bounds of a queue rest on, in whole packets.
struct QueueSteps {
  StepCurve arrivals;
  Rational end;                       ///< after it there is nothing larger
  std::vector<StepService> services;  ///< one, or for a class with a gate one for each window
};

/// \param queue  position in the guarantee's queues
/// None where whole packets are not used.  \throws as guarantee()
[[nodiscard]] std::optional<QueueSteps> steps_of_queue(const PolicedNetwork& network, std::size_t queue,
                                                       const GuaranteeRules& rules = {});

}  // namespace tailbound::bounds
