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

/// The chains of a collapsed network: each of its queues by itself, and each two successive ones of a route, fed by hosts
/// and by wires from the queues before. Of wired_delay.hpp, which says what the model is.
/// Internal to the bounds module.
namespace tailbound::bounds {

/// A packet's way through the queues that may wait.
struct WiredRoute {
  std::vector<std::size_t> queues, inputs;
  std::size_t source = 0;
  std::int64_t hops = 0;
};

/// What a model of the network's queues says, as far as probabilities of some target.
class WiredChains {
 public:
  using Series = std::vector<double>;
  /// What is left out of a law, over the rarest probability that is asked for.
  static constexpr double left_out = 1e-3;

  /// A chain, and which of its hosts and wires an input of the network is.
  struct Built {
    queue::WiredPair pair;
    std::map<std::size_t, std::size_t> host_of_source, host_of_input, wire_of_input;
  };

  /// \param plain  as if no source reached a queue by several inputs, and all shares were equal: what the correction for
  ///               three and more queues is made of
  WiredChains(const CollapsedNetwork& network, double target, bool plain)
      : network_(network), floor_(left_out * target), plain_(plain), queues_(network.queues.size()) {}

  /// P(D > t), and the law of each wait.
  struct Delay {
    Series tails;
    std::vector<Series> waits;
  };
  Delay markov(const WiredRoute& route);
  /// P(D > t) of a route of two queues or more, if what each queue has left over when the packet joins the queue before is
  /// carried on: the chain of the next two queues starts from it. (wired_carried.cpp)
  Series carried(const WiredRoute& route);

  /// Chains and inputs of a route, one after the other: what its delay follows from.
  using Signature = std::vector<std::pair<const queue::WiredLaw*, queue::TaggedInput>>;
  Signature signature(const WiredRoute& route);

  // --- what they are made of

  /// Of a queue by itself. Grows it where its inputs fill it more than its sources would.
  Built alone(std::size_t queue, int choice);
  /// Both ways to see the queues before overestimate wherever that was measured: the lesser is taken.
  int choice(std::size_t queue);
  Built pair_of(std::size_t first, std::size_t second, std::size_t by);
  /// By which host or wire of a chain a packet comes to its first queue. \param next  the second queue, or none
  queue::TaggedInput tagged(const Built& built, const WiredRoute& route, std::size_t hop,
                            bool with_next) const;
  const queue::WiredLaw& law(const queue::WiredPair& pair);
  /// Places that are looked at.
  std::size_t places(std::size_t queue) { return *measured(queue).places; }
  /// Sources of a queue, those of a rate together.
  std::vector<queue::LoneSource> sources_alike(std::size_t queue) const;
  /// Sums of the rows: the law of the first of two.
  static Series row_sums(const std::vector<Series>& joint);
  /// P(more than t), t = 0, 1, ..
  static Series tails(const Series& mass);
  static double sum_of(const Series& law);
  static double mean_of(const Series& law);
  /// What is left out of a law.
  double negligible() const { return floor_; }

 private:
  struct Known {
    std::optional<std::size_t> places;
    std::size_t usual_places = 0;  ///< for the usual target, as if its sources sent straight to it
    double gap = 0.3, no_wait = 1;
    int wires = 0;  ///< 0: not chosen yet
    std::optional<std::vector<char>> shared;
    std::optional<queue::RunMoments> runs;
  };

  /// Places of a queue that are looked at: as if its sources sent straight to it, more where alone() found that too few.
  Known& measured(std::size_t queue);
  static Series column_sums(const std::vector<Series>& joint);
  const QueueInput& input(std::size_t queue, std::size_t place) const;
  static void require_places(std::size_t places);
  bool first_level(std::size_t queue) const;
  /// Does the same share of each source's packets go by this input?
  bool equal_shares(const QueueInput& by) const;
  /// Are the runs of the queue before, its packets marked independently, exact for this input?
  bool exact_by_all(const QueueInput& by) const;
  /// \param choice  1: runs of all packets of the queue before, marked; 2: runs of those alone that come by this input
  queue::OutputProcess wire(const QueueInput& by, int choice);
  /// Which inputs bring packets of sources that come by other inputs, too.
  const std::vector<char>& shared(std::size_t queue);
  /// P(no wait at the queues before) of a source's packets that come to a queue by an input.
  double undelayed(std::size_t queue, std::size_t by, std::size_t source, int depth = 0);
  /// Adds to each host what its source sends to the queue by shared inputs but one.
  /// \param undelayed_through  P(no wait before) of its packets that come by that one
  void add_around(std::size_t queue, std::size_t except,
                  const std::map<std::size_t, double>& undelayed_through,
                  std::map<std::size_t, queue::FeedingHost>& hosts);
  /// Who feeds a queue, apart from one input and from what add_around() takes.
  void add_others(std::size_t queue, std::size_t except, int choice, std::vector<double>& hosts,
                  std::vector<queue::OutputProcess>& wires, double& gap);
  Built alone_of(std::size_t queue, int choice);
  double counted_cells(std::size_t first, std::size_t second, const queue::WiredPair& pair);
  Series alone_wait(const WiredRoute& route);
  /// P(W = w, W' = w') at two successive queues of a route.
  const std::vector<Series>& waits(const WiredRoute& route, std::size_t hop);
  /// I8: the first queue is the same in a pair as by itself.
  void require_marginals(const queue::WiredLaw& pair, std::size_t queue);

  const CollapsedNetwork& network_;
  double floor_;
  bool plain_;
  std::vector<Known> queues_;
  std::map<queue::WiredPair, std::unique_ptr<queue::WiredLaw>> laws_;
  std::map<std::pair<const queue::WiredLaw*, queue::TaggedInput>, std::vector<Series>> waits_;
};

}  // namespace tailbound::bounds
