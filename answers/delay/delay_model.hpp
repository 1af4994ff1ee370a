#pragma once

#include <tailbound/answers/delay/delay_paths.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/bounds/network/dependent_network.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What is asked about delays over several hops, and which model answers for which flow.
///
/// MODEL     chain: bounds/path/dependent_delay.hpp in trees and where at least four links feed each queue, else
///           bounds/network/wired_delay.hpp; in trees with bursts that keep their path, and safe, bounds/path/aged_delay.hpp;
///           independent: bounds/path/path_delay.hpp; bound: bounds/path/delay_bound.hpp. In networks with classes the
///           highest is answered as if it were alone, the others by independent hops of queue/priority/priority_queue.hpp.
namespace tailbound::answers {

/// How the hops of a route depend on each other.
enum class Hops {
  chain,        ///< each wait on the one before: an approximation
  safe,         ///< of bursts that keep their path: above every simulation so far, not proved
  independent,  ///< not at all: wrong by as much as it is for deep tails and long routes
  bound,        ///< as they may: an upper bound
};
[[nodiscard]] constexpr auto names_of(Hops) {
  return std::array{"chain", "safe", "independent", "bound"};
}

/// What is asked of the delays of a topology, percentiles and levels apart.
struct DelayModelQuestion {
  network::Sources sources = network::Sources::decoupled;
  queue::HopDelay hop_delay = queue::HopDelay::wait;
  std::optional<Hops> hops{};  ///< unless told chain where it applies, else independent
  numeric::Digits digits{};
};

/// Those that may be asked for, of the wait and with decoupled sources: "bound" of trees without bursts, "safe" of trees with
/// bursts that keep their path; of others independent hops alone.
[[nodiscard]] std::vector<Hops> possible_hops(const Topology& topology, const DelayModelQuestion& question);

/// Whose law a flow's delays have.
struct FlowLaw {
  Hops hops = Hops::independent;
  bounds::DelayLaw* law = nullptr;
  std::vector<bounds::Route> routes{};
  bool assumed = false;  ///< several hops are added as if they were independent: nothing of that is proved
  std::string reason{};  ///< why no sounder model answers; empty where one does
  std::vector<FlowLaw> otherwise{};  ///< that answer where this one cannot, in this order
};

/// Not for use by several threads at a time.
class DelayModel {
 public:
  /// \param paths  delay_paths() of the same topology; outlives this
  /// \throws InvalidArgument  hops that are not possible
  DelayModel(const Topology& topology, const DelayPaths& paths, const DelayModelQuestion& question);
  DelayModel(const DelayModel&) = delete;
  DelayModel& operator=(const DelayModel&) = delete;
  ~DelayModel();

  /// Of a flow, by its position in `paths`. Independent hops are exact for a flow that meets only one queue which can wait,
  /// fed by sources alone and all at the same rate; they also answer, unless hops were asked for, where no chain is derived.
  [[nodiscard]] FlowLaw of(std::size_t flow);
  /// Does the flow meet only one queue that can wait, which only sources feed? Then no hop depends on another.
  [[nodiscard]] bool one_queue(std::size_t flow) const;
  /// Of all packets of all flows: chain if all flows are.
  [[nodiscard]] FlowLaw of_all();
  [[nodiscard]] FlowLaw independent(std::size_t flow);
  [[nodiscard]] FlowLaw independent_of_all();

  /// claims() of a law. Where it does not reach so far, or contradicts itself, the next of `otherwise` replaces it.
  /// \throws as the last of them
  [[nodiscard]] bounds::ClaimedDelayAnswer claims(FlowLaw& law, const bounds::DelayQuestion& question) const;
  /// As bounds::PathDelay::distribution().  \throws InvalidArgument  of bounds
  [[nodiscard]] bounds::DelayDistribution distribution(const FlowLaw& law,
                                                       const std::vector<bounds::Route>& routes,
                                                       const numeric::Rational& negligible);

  /// The first flow whose delays are surely those of this one.
  [[nodiscard]] std::size_t alike(std::size_t flow) const;

 private:
  struct Laws;
  struct HighestClass;

  void look_at_classes(const NetworkTopology& topology);
  [[nodiscard]] const std::vector<bounds::Route>* chained(std::size_t flow) const;
  [[nodiscard]] FlowLaw first_of(std::vector<FlowLaw> laws) const;
  [[nodiscard]] FlowLaw of_bursts() const;

  const DelayPaths& paths_;
  DelayModelQuestion question_;
  std::unique_ptr<Laws> laws_;
};

}  // namespace tailbound::answers
