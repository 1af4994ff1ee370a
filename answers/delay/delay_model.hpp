#pragma once

#include <tailbound/answers/delay/delay_paths.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/bounds/network/dependent_network.hpp>
#include <tailbound/bounds/network/wired_delay.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Queries about delays over several hops, and the choice of a model for each flow.
///
/// MODEL     chain: bounds/path/dependent_delay.hpp in trees and if at least four links feed each queue,
///           otherwise bounds/network/wired_delay.hpp; in trees with bursts that keep their path
///           bounds/path/aged_delay.hpp; independent: bounds/path/path_delay.hpp; bound:
///           bounds/path/delay_bound.hpp. In networks with classes the highest is computed as if it were
///           alone, the others by independent hops of queue/priority/priority_queue.hpp.
namespace tailbound::answers {

/// Dependence between the hops of a route.
enum class Hops {
  chain,        ///< each queueing delay depends on the previous one: an approximation
  independent,  ///< independent: underestimates deep tails and long routes
  bound,        ///< arbitrary dependence: an upper bound
};
[[nodiscard]] constexpr auto names_of(Hops) {
  return std::array{"chain", "independent", "bound"};
}

/// Parameters of the delays of a topology, without percentiles and levels.
struct DelayModelQuery {
  std::optional<Hops> hops{};  ///< default: chain if it applies, otherwise independent
  numeric::Digits digits{};
  bool brief = false;  ///< laws of single flows only as far as they take a second together
};

/// The models that may be selected: "bound" for trees whose bursts do not keep their path; for others only
/// independent hops.
[[nodiscard]] std::vector<Hops> possible_hops(const Topology& topology);

/// A number whose arithmetic is proved, but not its model: hops added as if they were independent, arrivals
/// from other queues taken as independent. 0 and 1 stay exact.
[[nodiscard]] numeric::Claim<unit::Probability> not_proved(const numeric::Claim<unit::Probability>& claim,
                                                           numeric::Digits digits);

/// The distribution of a flow's delays.
struct FlowLaw {
  Hops hops = Hops::independent;
  bounds::DelayLaw* law = nullptr;
  std::vector<bounds::Route> routes{};
  bool assumed = false;              ///< hops are added as if they were independent, without proof
  std::string reason{};              ///< why no better model applies; empty if one does
  std::vector<FlowLaw> otherwise{};  ///< alternatives if this one fails, in this order
};

/// Not for use by several threads at a time.
class DelayModel {
 public:
  /// \param paths  delay_paths() of the same topology; outlives this
  /// \throws InvalidArgument  hops that are not possible
  DelayModel(const Topology& topology, const DelayPaths& paths, const DelayModelQuery& query);
  DelayModel(const DelayModel&) = delete;
  DelayModel& operator=(const DelayModel&) = delete;
  ~DelayModel();

  /// The model of a flow, by its position in `paths`. Independent hops are exact for a flow with only one
  /// queue that can wait, with only sources as inputs, each over one input: identical sources, or
  /// without bursts (then by the packets of its own source). They are also used if no chain model exists,
  /// unless hops were given.
  [[nodiscard]] FlowLaw of(std::size_t flow);
  /// Is the delay of the flow exact, because it meets only one queue that can wait?
  [[nodiscard]] bool one_queue(std::size_t flow) const;
  /// For all packets of all flows: chain if all flows are.
  [[nodiscard]] FlowLaw of_all();
  [[nodiscard]] FlowLaw independent(std::size_t flow);
  [[nodiscard]] FlowLaw independent_of_all();

  /// claims() of a law. If it does not reach far enough or is inconsistent, the next of `otherwise` replaces
  /// it.
  /// \throws as the last of them
  [[nodiscard]] bounds::ClaimedDelayAnswer claims(FlowLaw& law, const bounds::DelayQuery& query) const;
  /// As bounds::PathDelay::distribution().  \throws InvalidArgument  of bounds
  [[nodiscard]] bounds::DelayDistribution distribution(const FlowLaw& law,
                                                       const std::vector<bounds::Route>& routes,
                                                       const numeric::Rational& negligible);

  /// The first flow whose delays are known to be identical to those of this one.
  [[nodiscard]] std::size_t identical(std::size_t flow) const;

 private:
  struct Laws;
  struct HighestClass;

  void find_classes(const NetworkTopology& topology);
  void find_own_routes();
  class OwnQueues;
  template <class QueueOf>
  void set_own_routes(std::size_t flow, const std::vector<bounds::WiredDelay::SourceRoute>& found,
                      const QueueOf& queue_of);
  [[nodiscard]] const std::vector<bounds::Route>* chained(std::size_t flow) const;
  [[nodiscard]] FlowLaw first_of(std::vector<FlowLaw> laws) const;
  [[nodiscard]] FlowLaw of_bursts() const;

  const DelayPaths& paths_;
  DelayModelQuery query_;
  std::unique_ptr<Laws> laws_;
};

}  // namespace tailbound::answers
