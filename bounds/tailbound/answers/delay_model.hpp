#pragma once

#include <tailbound/answers/delay_paths.hpp>
#include <tailbound/answers/topology.hpp>
#include <tailbound/bounds/dependent_network.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What is asked about delays over several hops, and which model answers for which flow.
///
/// MODEL     chain: bounds/dependent_delay.hpp; independent: bounds/path_delay.hpp; bound: bounds/delay_bound.hpp
namespace tailbound::answers {

/// How the hops of a route depend on each other.
enum class Hops {
  chain,        ///< each wait on the one before: an approximation
  independent,  ///< not at all: wrong by as much as it is for deep tails and long routes
  bound,        ///< as they may: an upper bound
};

/// What is asked of the delays of a topology, percentiles and levels apart.
struct DelayModelQuestion {
  network::Sources sources = network::Sources::decoupled;
  queue::HopDelay hop_delay = queue::HopDelay::wait;
  std::optional<Hops> hops{};  ///< unless told chain where it applies, else independent
  numeric::Digits digits{};
};

/// Those that may be asked for: "bound" of trees, all of them with decoupled sources, without bursts, of the wait.
[[nodiscard]] std::vector<Hops> possible_hops(const Topology& topology, const DelayModelQuestion& question);

/// Whose law a flow's delays have.
struct FlowLaw {
  Hops hops = Hops::independent;
  bounds::DelayLaw* law = nullptr;
  std::vector<bounds::Route> routes{};
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

  /// Of a flow, by its position in `paths`. A flow that meets only one queue that is fed by sources alone is answered
  /// exactly, as independent hops are; so is, unless hops were asked for, one of which the chain is not derived.
  [[nodiscard]] FlowLaw of(std::size_t flow);
  /// Is that a flow that meets only one queue, which only sources feed? Then no hop depends on another.
  [[nodiscard]] bool one_queue(std::size_t flow) const;
  /// Of all packets of all flows: chain if all flows are.
  [[nodiscard]] FlowLaw of_all();
  [[nodiscard]] FlowLaw independent(std::size_t flow);
  [[nodiscard]] FlowLaw independent_of_all();

  /// claims() of a law; where it does not reach so far, and no hops were asked for, of the independent one, which then
  /// replaces it.
  [[nodiscard]] bounds::ClaimedDelayAnswer claims(FlowLaw& law, const FlowLaw& independent,
                                                  const bounds::DelayQuestion& question) const;
  /// As bounds::PathDelay::distribution().  \throws InvalidArgument  of bounds
  [[nodiscard]] bounds::DelayDistribution distribution(const FlowLaw& law,
                                                       const std::vector<bounds::Route>& routes,
                                                       const numeric::Rational& negligible);

  /// The first flow whose delays are surely those of this one: in a chain the order of queues counts.
  [[nodiscard]] std::size_t alike(std::size_t flow) const;

 private:
  struct Laws;

  [[nodiscard]] const std::vector<bounds::Route>* chained(std::size_t flow) const;

  const DelayPaths& paths_;
  DelayModelQuestion question_;
  std::unique_ptr<Laws> laws_;
};

}  // namespace tailbound::answers
