#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// One queue of a combining multistage network, seen from just after one departure to just after the next.
///
/// MODEL     docs/derivations/multistage.md, sections 3 and 4. K places; s sources before them, of which those
///           that found no place wait, blocked, with their request. One source is a link: it delivers at most
///           once in a service time, and how long ago it did is part of the state (up to one service time or
///           more). A state is: the requests present, the sources
///           blocked, where the request stands that hot ones may join, and how often it was joined. A step is
///           a service of length 1, followed with probability `blocked` by a time `blocked_time` in which the
///           head waits for its next queue.
/// RESULT    what one round of the fixed point needs: the chain's distribution moves on by some steps, and
///           the means of the last one are kept.
/// TESTS     tests/bounds/multistage/combining_test.cpp
/// Internal to the bounds module.
namespace tailbound::bounds::multistage {

/// What a queue sees of the queues before and behind it: means of theirs.
struct NeighbourMeans {
  double attempt = 0;    ///< probability that a source that is not blocked delivers within 1; or a rate
  double hot = 0;        ///< the share of hot requests in what comes
  double held = 0;       ///< probability that the head is held: by a full buffer behind it, or by its link
  double held_time = 0;  ///< mean time for which it is held then
};

struct QueueMeans {
  double cycle = 0;            ///< mean time between departures
  double arrivals = 0;         ///< requests that come in a cycle; those that join are among them
  double joined = 0;           ///< hot ones that join another, in a cycle
  double idle = 0;             ///< mean time without request, in a cycle
  double left_empty = 0;       ///< probability that a departure leaves no request
  double present = 0;          ///< time average of requests present
  double sources_blocked = 0;  ///< time average
  double cold_blocked = 0, hot_blocked = 0;  ///< probability that a cold (hot) one finds no way in
  double cold_wait = 0, hot_wait = 0;  ///< mean time from coming in to the beginning of the service in which
                                       ///< it takes part

  [[nodiscard]] double flow() const { return arrivals / cycle; }
};

class BlockingQueue {
 public:
  /// \param places     K >= 1
  /// \param sources    s >= 1, one being a link; 0: one Poisson source of rate `attempt`, which rests while blocked
  /// \param combining  1: none; empty: unlimited
  /// \throws LimitExceeded  more than 20 000 states
  BlockingQueue(std::int64_t places, int sources, std::optional<std::int64_t> combining);

  /// Moves the distribution on by `steps` >= 1 steps; the means are those of the last.
  [[nodiscard]] QueueMeans round(const NeighbourMeans& seen, int steps);

  using Distribution = std::vector<double>;
  /// Of the states, just after a departure. Behind a link all states twice: first those in which its last request
  /// came more than 1 ago.
  [[nodiscard]] const Distribution& distribution() const { return distribution_; }
  /// Another one to go on from; below 0 counts as 0, and the sum is made 1.
  /// CONTRACT  as many numbers as distribution(), of which one at least is above 0
  void set_distribution(const double* begin);

 private:
  struct State {
    int present = 0, blocked = 0;
    int open = 0;    ///< place behind the head of the request that hot ones may join; 0 if there is none
    int joined = 0;  ///< how many it was made of here
    /// Of the blocked sources the first so many are known to hold cold requests, as there was a request to
    /// join when they came. Not told apart while there is one: then all are.
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
  /// Lets arrivals of a time `time` into `distribution`.
  void let_in(Distribution& distribution, const NeighbourMeans& seen, double time, int sources_missing,
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
  void let_in(Distribution& distribution, const NeighbourMeans& seen, const Delivery& delivery, double time,
              Tally& tally);
  void hold(Distribution& distribution, const NeighbourMeans& seen, bool in_step, Tally& tally);
  void depart_behind_link(const Distribution& from, double hot, Tally& tally);

  int places_, sources_, most_blocked_;
  int degree_;       ///< 0: unlimited
  bool tells_cold_;  ///< are known cold requests told apart?
  std::vector<State> states_;
  std::vector<std::uint32_t>
      first_;  ///< [present * K + open]: index of its state with joined = 1, blocked = 0
  std::vector<Arrival> cold_, hot_;                                    ///< [state]
  std::vector<std::vector<std::uint32_t>> by_blocked_;                 ///< [blocked]: states
  Distribution distribution_;                                          ///< just after a departure
  Distribution numbers_, result_, part_, next_, busy_, begun_, held_;  ///< of the step under way
};

}  // namespace tailbound::bounds::multistage
