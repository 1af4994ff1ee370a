#pragma once

#include <tailbound/bounds/guarantee/network_guarantee.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The analysis behind bounds/guarantee/network_guarantee.hpp.
///
/// Internal to the bounds module.
namespace tailbound::bounds {

/// Of the curves of one queue in whole packets; with more its bounds are those of the curves without.
inline constexpr std::size_t max_step_pieces = 100'000;

/// Flows that arrive at a queue from the same previous queue.
struct AnalysedGroup {
  std::size_t queue = 0;  ///< the previous one
  std::vector<std::size_t> flows;
  ArrivalCurve sum;    ///< sum of the flows' curves
  ArrivalCurve curve;  ///< curve of the group
};

/// Groups that arrive over one link.
struct InLink {
  std::size_t port = 0;
  /// Longest packet of those that the port before does not, and does, interrupt. One that was interrupted and
  /// the one that did so may both have begun before a window in which they end.
  std::array<Rational, 2> longest{};
  std::vector<AnalysedGroup> groups;
  ArrivalCurve curve;
};

struct AnalysedQueue {
  std::size_t port = 0, index = 0;
  std::optional<std::size_t> traffic_class{};
  std::vector<std::size_t> flows, own;  ///< all flows; those whose first queue it is
  std::vector<InLink> links;
  Rational longest = 0, shortest = 0, load = 0;
  bool preemptable = false;
  std::string none{};  ///< why it has no bound
  ArrivalCurve own_sum{}, arrivals{};
  std::optional<GatedService> gates{};
  std::optional<ServiceCurve> service{};
  Rational variation = 0, backlog = 0;
  bool whole_packets = false;
};

/// A flow at the ports of its path.
struct FlowPath {
  std::vector<std::size_t> queues;
  std::vector<std::vector<std::size_t>> next;          ///< positions that follow each
  std::vector<std::optional<Rational>> shifts;         ///< FlowGuarantee::shifts
  std::vector<ArrivalCurve> outputs;                   ///< FlowGuarantee::outputs
  std::vector<ArrivalCurve> curves;                    ///< before each queue
  std::vector<std::optional<ServiceCurve>> residuals;  ///< residual service of each queue for it
};

class Analysis {
 public:
  /// Keeps references to both.
  Analysis(const PolicedNetwork& network, const GuaranteeRules& rules);
  /// Empty if no certificate was found.
  NetworkGuarantee run();
  /// \pre run() found a guarantee
  [[nodiscard]] std::optional<QueueSteps> steps_of_queue(std::size_t queue) const {
    return queues_[queue].whole_packets ? steps(queues_[queue]) : std::nullopt;
  }

 private:
  // --- The network (network_analysis.cpp)
  void find_queues();
  void find_gates();
  void find_unbounded();
  void find_order();
  [[nodiscard]] std::size_t hop(std::size_t flow, std::size_t queue) const;
  /// Of a flow's curve before a queue in the long run; none: unknown.
  [[nodiscard]] std::optional<Rational> rate_at(std::size_t flow, std::size_t hop) const;
  /// Offered to these queues of a port together.
  [[nodiscard]] std::optional<Rational> offered(const std::vector<std::size_t>& queues) const;

  // --- Arrivals (network_arrivals.cpp)
  void gather(AnalysedQueue& queue);
  [[nodiscard]] ArrivalCurve line(const InLink& link) const;
  /// Of all flows of these queues of one port, their delays before it longer by `later`.
  /// \param more  of each packet [data]
  [[nodiscard]] ArrivalCurve arrivals_of(const std::vector<std::size_t>& queues, const Rational& later = 0,
                                         const Rational& more = 0) const;
  /// The same in whole packets up to `end`; none if they are too many.
  [[nodiscard]] std::optional<StepCurve> steps_of(const std::vector<std::size_t>& queues, const Rational& end,
                                                  const Rational& later = 0, const Rational& more = 0) const;
  [[nodiscard]] std::optional<StepCurve> steps_of_flow(std::size_t flow, std::size_t hop, const Rational& end,
                                                       const Rational& later, const Rational& more) const;
  [[nodiscard]] std::optional<StepCurve> steps_of_flows(const std::vector<std::size_t>& flows,
                                                        std::size_t queue, const Rational& end,
                                                        const Rational& later, const Rational& more) const;
  [[nodiscard]] std::optional<ClockedPackets> clocked_packets(std::size_t flow, std::size_t hop) const;
  [[nodiscard]] ArrivalCurve others(const AnalysedQueue& queue, std::size_t flow) const;
  [[nodiscard]] std::optional<GroupGuarantee> group_output(const AnalysedQueue& queue, std::size_t next,
                                                           const std::vector<std::size_t>& flows) const;
  void send_on(AnalysedQueue& queue, bool residuals);
  /// Sets the curve of a flow before `next` from that before `hop`, the position before it.
  void pass_on(std::size_t flow, std::size_t hop, std::size_t next, const ArrivalCurve& output);

  // --- Service (port_service.cpp)
  [[nodiscard]] std::vector<std::size_t> higher(const AnalysedQueue& queue) const;
  [[nodiscard]] std::vector<std::size_t> at_positions(std::size_t port,
                                                      const std::vector<std::size_t>& positions) const;
  /// Longest packets of the lower classes that can be in progress before one of this class.
  [[nodiscard]] Rational lower_packets(const AnalysedQueue& queue) const;
  /// Long-run service left to the queue.
  [[nodiscard]] std::optional<Rational> service_rate(const AnalysedQueue& queue) const;
  [[nodiscard]] ServiceCurve service_of(const AnalysedQueue& queue) const;
  /// The same in whole packets of the higher classes, one for each window of a gate.
  [[nodiscard]] std::optional<std::vector<StepService>> step_services(const AnalysedQueue& queue,
                                                                      const Rational& horizon,
                                                                      const Rational& after) const;
  /// The last time at which whole packets need to be looked at; none if there is none.
  [[nodiscard]] std::optional<Rational> last_time(const AnalysedQueue& queue) const;
  /// Variation of its delay.
  [[nodiscard]] Rational distance_of(const AnalysedQueue& queue, const ServiceCurve& service) const;
  void serve(AnalysedQueue& queue);
  [[nodiscard]] std::optional<QueueSteps> steps(const AnalysedQueue& queue) const;
  /// Smaller variation and backlog by whole packets.
  void improve(AnalysedQueue& queue) const;

  // --- Cycles, results (network_analysis.cpp)
  void solve_cycle();
  [[nodiscard]] bool waits_alone(const AnalysedQueue& queue) const;
  /// Curves and services at the current variations.
  void update_cycle();
  /// F at the current variations.
  [[nodiscard]] std::vector<Rational> variations_of_cycle();
  void try_short_fractions();
  void descend();
  [[nodiscard]] NetworkGuarantee result() const;
  [[nodiscard]] RouteGuarantee route_of(std::size_t flow, const std::vector<std::size_t>& hops) const;

  const PolicedNetwork& network_;
  const GuaranteeRules& rules_;
  std::vector<AnalysedQueue> queues_;
  std::vector<std::vector<std::size_t>> of_port_;  ///< queues, higher classes first
  std::vector<FlowPath> flow_paths_;
  std::vector<std::size_t> order_, cyclic_;
  std::vector<bool> in_cycle_;
  std::vector<bool> waits_at_zero_;                                       ///< of cyclic_
  std::map<std::pair<std::size_t, std::size_t>, GroupGuarantee> groups_;  ///< of (queue, next queue)
  std::vector<std::vector<Rational>> stages_;
  numeric::Integer denominator_ = 0;
  long rounds_ = 0;
};

/// \throws InvalidArgument  as guarantee()
void check_network(const PolicedNetwork& network);

}  // namespace tailbound::bounds
