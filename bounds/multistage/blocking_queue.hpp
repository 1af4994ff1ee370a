#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// One queue of a combining multistage network, seen from just after one departure to just after the next.
///
/// MODEL     docs/derivations/multistage.md, sections 3 and 4. Capacity K; s sources before the queue. A
///           source that finds it full waits, blocked, with its request. One source is a link: it delivers at
///           most once per service time, and the time since its last delivery is part of the state (up to one
///           service time or more). A state consists of the requests present, the sources blocked, the
///           position of the request that hot ones may join, and the number that have joined it. A step is a
///           service of length 1, followed with probability `blocked` by a time `blocked_time` in which the
///           head waits for its next queue.
/// RESULT    one round of the fixed point: the chain's distribution advances by some steps; the means of the
///           last step are returned.
/// TESTS     tests/bounds/multistage/combining_test.cpp
/// Internal to the bounds module.
namespace tailbound::bounds::multistage {

/// The neighbouring queues as seen by a queue, through their means.
struct NeighbourMeans {
  double attempt = 0;    ///< probability that an unblocked source delivers within 1; or a rate
  double hot = 0;        ///< fraction of hot requests among the arrivals
  double held = 0;       ///< probability that the head is blocked by a full buffer behind it, or by its link
  double held_time = 0;  ///< mean time for which it is then blocked
};

struct QueueMeans {
  double cycle = 0;                          ///< mean time between departures
  double arrivals = 0;                       ///< requests that arrive in a cycle, including those that join
  double joined = 0;                         ///< hot ones that join another, in a cycle
  double idle = 0;                           ///< mean time without request, in a cycle
  double left_empty = 0;                     ///< probability that a departure leaves no request
  double present = 0;                        ///< time average of requests present
  double sources_blocked = 0;                ///< time average
  double cold_blocked = 0, hot_blocked = 0;  ///< probability that a cold (hot) one is blocked
  double cold_wait = 0, hot_wait = 0;        ///< mean time from entry to the start of its service

  [[nodiscard]] double flow() const { return arrivals / cycle; }
};

class BlockingQueue {
 public:
  /// \param capacity     K >= 1
  /// \param sources    s >= 1, one being a link; 0: one Poisson source of rate `attempt`, which rests while
  ///                   blocked
  /// \param combining  1: none; empty: unlimited
  /// \throws LimitExceeded  more than 20 000 states
  BlockingQueue(std::int64_t capacity, int sources, std::optional<std::int64_t> combining);

  /// Advances the distribution by `steps` >= 1 steps; the means are those of the last.
  [[nodiscard]] QueueMeans round(const NeighbourMeans& seen, int steps);

  using Distribution = std::vector<double>;
  /// Distribution of the states just after a departure. Behind a link all states appear twice: first those in
  /// which its last request arrived more than 1 ago.
  [[nodiscard]] const Distribution& distribution() const { return distribution_; }
  /// Sets the distribution to continue from. Negative entries count as 0; the sum is normalized to 1.
  /// CONTRACT  as many numbers as distribution(), of which one at least is above 0
  void set_distribution(const double* begin);

 private:
  struct State {
    int present = 0, blocked = 0;
    int open = 0;    ///< position behind the head of the request that hot ones may join; 0 if none
    int joined = 0;  ///< number of requests combined in it here
    /// The first `cold` blocked sources are known to have cold requests, as there was a request to join when
    /// they arrived. Not tracked while there is one: then all have.
    int cold = 0;
    friend bool operator==(const State&, const State&) = default;
  };
  enum class Outcome : std::uint8_t { waits, joins, blocked, rests };
  struct Arrival {
    std::uint32_t to;
    Outcome outcome;
  };
  struct Tally;

  void add_states();
  void normalize();
  [[nodiscard]] std::uint32_t index(const State& state) const;
  [[nodiscard]] Arrival arrival(const State& state, bool hot) const;
  void count_arrivals(double attempt, int sources, double time);
  /// Adds the arrivals of a time `time` to `distribution`.
  void admit(Distribution& distribution, const NeighbourMeans& seen, double time, int sources_missing,
             Tally& tally);
  void arrive(const Distribution& from, Distribution& to, double weight, const NeighbourMeans& seen,
              Tally& tally) const;
  void depart(const Distribution& from, double hot, Tally& tally);
  void spread(const State& state, double mass, double hot, Tally& tally);
  void integrate(const Distribution& distribution, double time, Tally& tally) const;
  [[nodiscard]] QueueMeans means_of(const Tally& tally, double idle, double left_empty) const;
  // Behind a link:
  struct Delivery;
  [[nodiscard]] QueueMeans round_behind_link(const NeighbourMeans& seen, int steps);
  void admit(Distribution& distribution, const NeighbourMeans& seen, const Delivery& delivery, double time,
             Tally& tally);
  void hold(Distribution& distribution, const NeighbourMeans& seen, bool in_step, Tally& tally);
  void depart_behind_link(const Distribution& from, double hot, Tally& tally);

  int capacity_, sources_, max_blocked_;
  int degree_;       ///< 0: unlimited
  bool tells_cold_;  ///< whether known cold requests are tracked
  std::vector<State> states_;
  std::vector<std::uint32_t>
      first_;  ///< [present * K + open]: index of its state with joined = 1, blocked = 0
  std::vector<Arrival> cold_, hot_;                                    ///< [state]
  std::vector<std::vector<std::uint32_t>> by_blocked_;                 ///< [blocked]: states
  Distribution distribution_;                                          ///< just after a departure
  Distribution numbers_, result_, part_, next_, busy_, begun_, held_;  ///< of the step under way
};

}  // namespace tailbound::bounds::multistage
