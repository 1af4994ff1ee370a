#pragma once

#include <tailbound/bounds/network/collapsed_network.hpp>
#include <tailbound/queue/hops/output_process.hpp>
#include <tailbound/queue/hops/wired_pair.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// The chains of a collapsed network: each queue by itself, and each pair of successive queues of a route,
/// with hosts and links from the previous queues. Part of wired_delay.hpp, which states the model.
/// Internal to the bounds module.
namespace tailbound::bounds {

/// A packet's path through the queues that may wait.
struct WiredRoute {
  std::vector<std::size_t> queues, inputs;
  std::size_t source = 0;
  std::int64_t hops = 0;
};

/// A model of the network's queues, down to probabilities of some target.
class WiredChains {
 public:
  using Series = std::vector<double>;
  /// Omitted probability of a distribution, relative to the smallest requested probability.
  static constexpr double omitted = 1e-3;

  /// A chain, and its hosts and links by input of the network.
  struct Built {
    queue::WiredPair pair;
    std::map<std::size_t, std::size_t> host_of_source, host_of_input, wire_of_input;
  };

  /// \param plain  as if no source reached a queue over several inputs, and all shares were equal: for the
  ///               correction for three or more queues
  WiredChains(const CollapsedNetwork& network, double target, bool plain)
      : network_(network), floor_(omitted * target), plain_(plain), queues_(network.queues.size()) {}

  /// P(D > t), and the distribution of each wait.
  struct Delay {
    Series tails;
    std::vector<Series> waits;
  };
  Delay markov(const WiredRoute& route);
  /// P(D > t) of a route of two queues or more, with the content of each queue at the time the packet joins
  /// the previous queue carried over: the chain of the next two queues starts from it. (wired_carried.cpp)
  Series carried(const WiredRoute& route);

  /// Chains and inputs along a route, which determine its delay.
  using Signature = std::vector<std::pair<const queue::WiredLaw*, queue::TaggedInput>>;
  Signature signature(const WiredRoute& route);

  // --- what they are made of

  /// The chain of a queue by itself. Enlarged if its inputs fill it more than its sources would.
  Built alone(std::size_t queue, int choice);
  /// Both models of the previous queues overestimate wherever measured; the smaller result is used.
  int choice(std::size_t queue);
  Built pair_of(std::size_t first, std::size_t second, std::size_t by);
  /// The host or link of a chain over which a packet reaches its first queue. \param next  the second queue,
  /// or none
  queue::TaggedInput tagged(const Built& built, const WiredRoute& route, std::size_t hop,
                            bool with_next) const;
  const queue::WiredLaw& law(const queue::WiredPair& pair);
  /// Levels computed for a queue.
  std::size_t places(std::size_t queue) { return *measured(queue).places; }
  /// Sources of a queue, grouped by rate.
  std::vector<queue::LoneSource> identical_sources(std::size_t queue) const;
  /// Row sums: the distribution of the first of two.
  static Series row_sums(const std::vector<Series>& joint);
  /// P(more than t), t = 0, 1, ..
  static Series tails(const Series& mass);
  static double sum_of(const Series& law);
  static double mean_of(const Series& law);
  /// Omitted probability of a distribution.
  double negligible() const { return floor_; }

 private:
  struct Known {
    std::optional<std::size_t> places;
    std::size_t usual_places = 0;  ///< for the default target, as if its sources sent directly to it
    double gap = 0.3, no_wait = 1;
    int wires = 0;  ///< 0: not chosen yet
    std::optional<std::vector<char>> shared;
    std::optional<queue::RunMoments> runs;
  };

  /// Levels computed for a queue: as if its sources sent directly to it; more where alone() found too few.
  Known& measured(std::size_t queue);
  static Series column_sums(const std::vector<Series>& joint);
  const QueueInput& input(std::size_t queue, std::size_t place) const;
  static void require_places(std::size_t places);
  bool first_level(std::size_t queue) const;
  /// Whether the same share of each source's packets uses this input.
  bool equal_shares(const QueueInput& by) const;
  /// Whether the busy runs of the previous queue, with independently marked packets, are exact for this
  /// input.
  bool exact_by_all(const QueueInput& by) const;
  /// \param choice  1: runs of all packets of the previous queue, marked; 2: runs of only those that use this
  ///                input
  queue::OutputProcess wire(const QueueInput& by, int choice);
  /// Inputs with packets of sources that also use other inputs.
  const std::vector<char>& shared(std::size_t queue);
  /// P(no wait at earlier queues) for a source's packets that reach a queue over an input.
  double undelayed(std::size_t queue, std::size_t by, std::size_t source, int depth = 0);
  /// Adds to each host the packets that its source sends to the queue over shared inputs except one.
  /// \param undelayed_through  P(no earlier wait) of its packets over that one
  void add_around(std::size_t queue, std::size_t except,
                  const std::map<std::size_t, double>& undelayed_through,
                  std::map<std::size_t, queue::FeedingHost>& hosts);
  /// The inputs of a queue, except one and except those handled by add_around().
  void add_others(std::size_t queue, std::size_t except, int choice, std::vector<double>& hosts,
                  std::vector<queue::OutputProcess>& wires, double& gap);
  Built alone_of(std::size_t queue, int choice);
  double counted_cells(std::size_t first, std::size_t second, const queue::WiredPair& pair);
  Series alone_wait(const WiredRoute& route);
  /// P(W = w, W' = w') at two successive queues of a route.
  const std::vector<Series>& waits(const WiredRoute& route, std::size_t hop);
  /// I8: the first queue has the same distribution in a pair as by itself.
  void require_marginals(const queue::WiredLaw& pair, std::size_t queue);

  const CollapsedNetwork& network_;
  double floor_;
  bool plain_;
  std::vector<Known> queues_;
  std::map<queue::WiredPair, std::unique_ptr<queue::WiredLaw>> laws_;
  std::map<std::pair<const queue::WiredLaw*, queue::TaggedInput>, std::vector<Series>> waits_;
};

}  // namespace tailbound::bounds
