#pragma once

#include <cstddef>
#include <vector>

/// Waits for the channels of a wormhole network, where the number of waiting messages is limited by the
/// number of channels that lead there.
///
/// MODEL     A station has m equal servers and K inputs, channels each of which brings one message at a time.
///           It waits there, first come, first served, and occupies a server for a time of mean X. Some
///           messages arrive at the moment at which the previous one on their channel, their leader, frees a
///           server. These followers see whole occupancy times, not residual ones, and more of them the
///           longer the leader's was. Queue lengths are those of a product form with finite sources; waits
///           are made consistent with them input by input.
/// RESULT    approximate. The product form alone is exact for m = 1 and many inputs (Pollaczek and
///           Khinchine), and for K saturated inputs: X (K / m - 1).
/// SOURCE    docs/derivations/wormhole_finite_source.md; comments cite its equation numbers
/// EXCLUDES  the routes of messages: bounds/wormhole/finite_source.hpp
/// TESTS     tests/queue/wormhole/finite_source_station_test.cpp
namespace tailbound::queue {

/// Where several virtual channels of a link lead to a channel at the end of routes, messages wait as with
/// Poisson arrivals, but none arrives over a link whose virtual channels are all occupied.
struct EndOfWires {
  bool by_wires = false;
  double reach = 1;   ///< fraction of the server's busy time in which a message of the input may arrive
  double queue = 1;   ///< fraction of the waiting messages behind which one of the input may arrive
  double spread = 0;  ///< growth of the variation of waits with the queue
  double pushed = 0;  ///< lengthening of the residual time found by an arrival
};

/// Identical inputs of a station. All times are in one unit, rates in its inverse.
struct StationInput {
  double rate = 0;    ///< f, messages from each to the station
  int count = 1;      ///< number of identical inputs
  int lanes = 1;      ///< virtual channels on each of their links, any of which a message may take; divides
                      ///< count
  double apart = 1;   ///< how much more often than under independence two of one link are present at once
  double follow = 0;  ///< sigma: fraction of messages that follow a leader which came here too
  double channel_follow = 0;  ///< phi: fraction of all messages of the channel that follow
  double variation = 0;       ///< squared coefficient of variation of the channel's own holding times
  double together = 1;        ///< o: how much more often than under independence the others are present at
                              ///< once
  double own = 0;             ///< mean time for which its messages occupy a server
  double others = 0;          ///< the same for the other inputs
  /// u: mean of the last part of `own`, after the message has left its channel and the next may wait; and its
  /// second moment.
  double overhang = 0, overhang_second = 0;
  EndOfWires end{};          ///< used only with one server
  bool overhanging = false;  ///< represents all messages in their overhang: they occupy servers, none waits
};

/// Occupancy times of the messages of one length.
struct ServicePart {
  double share = 1;      ///< of the station's messages
  double mean = 1;       ///< of their times, in the unit of all others
  double variation = 0;  ///< squared coefficient of variation
};

/// Occupancy times of the servers, over all messages.
struct StationService {
  int servers = 1;
  double rate = 0;             ///< of all messages
  double mean = 0;             ///< X
  double second = 0;           ///< Q, second moment
  double behind = 0;           ///< X1: mean of those that follow a leader onto the server
  double behind_second = 0;    ///< Q1
  std::vector<double> slow{};  ///< T(n) / X, n = 0 .. m: occupancy times while n servers are occupied; empty:
                               ///< all 1
  bool shorter_behind = false;  ///< whether X1 may be below X
  double together = 1;  ///< mean of o by which the queue's growth is multiplied, where pairs are correlated
  /// Shape of the occupancy times: a mixture of these parts. Fewer than two: by X and Q alone. Only ratios of
  /// the means count. (30)
  std::vector<ServicePart> parts{};
};

/// State of an input kept between rounds; default: before the first.
struct StationMemory {
  double weight = 0;  ///< y of the product form
  double left = 0;    ///< D: others left waiting when one of its messages leaves
  double ahead = 0;   ///< N: mean number of messages that one waits for
  double wait = 0;    ///< w: mean wait
};

struct StationWaits {
  double mean = 0;                             ///< w, over all messages
  double fresh = 0, behind = 0;                ///< mean waits of non-followers and of followers
  double fresh_waits = 0, behind_waits = 0;    ///< probabilities of a wait
  double fresh_second = 0, behind_second = 0;  ///< second moments of the waits
  double feedback = 0;                         ///< n': growth of a follower's wait with its leader's time
  double by_product_form = 0;                  ///< mean wait by the product form
};

/// Reusable workspace of the computation.
class FiniteSourceStation {
 public:
  /// Waits of each input, and its new state.
  ///
  /// METHOD    Newton's method for the product form (fixed point for more than 12 different inputs), then for
  ///           each input the secant method, bracketed where it does not converge at once
  /// COST      K^2 for each pair of different inputs and step
  /// \param precision  relative; 0: 1e-14, of the product form 1e-13
  /// CONTRACT  rates above 0, times above 0, total load below the capacity of the servers, and each input
  ///           below one server
  void solve(const StationService& service, const std::vector<StationInput>& inputs,
             std::vector<StationMemory>& memory, std::vector<StationWaits>& waits, double precision = 0);

  /// T of the station solved last: how much more often than under independence two of its servers are
  /// occupied at once. Within [1, m / (m - 1)]; 1 for a single server.
  [[nodiscard]] double together() const { return together_; }

  /// Probability of n messages at the station solved last.
  [[nodiscard]] double present(std::size_t n) const { return whole_[n] / all_; }
  [[nodiscard]] std::size_t max_present() const { return whole_.size(); }
  /// Of the station solved last: [a][b], weight of a messages with a channel before the station and b in
  /// their overhang; not normalized. (41)
  void joint(std::vector<std::vector<double>>& weights);

  /// State of the other inputs as seen by one, by the product form without it.
  struct FoundOthers {
    double busy = 0;               ///< probability that all servers are occupied
    double queue = 0, queue2 = 0;  ///< mean number waiting, and its second factorial moment
    double waiting = 0;            ///< fraction of time for which the input itself waits
  };

 private:
  /// Over all inputs.
  struct Offered {
    double servers = 0;  ///< mean number occupied
    double rate = 0, followers = 0;
  };

  [[nodiscard]] Offered take(const std::vector<StationInput>& inputs);
  /// Weights of the product form, from those of the previous round.
  /// \param growth  of an occupancy time while a message waits for it
  void find_weights(std::vector<StationMemory>& memory, double growth, double precision);
  /// T from the weights.
  [[nodiscard]] double pairs_held(double offered) const;
  /// D of each input, from the waits of the previous round.
  void update_left(std::vector<StationMemory>& memory, double capacity) const;
  [[nodiscard]] FoundOthers found_by(std::size_t input);
  /// c_n e_n of all inputs except one each of two groups (none: past the end).
  void others(std::size_t first, std::size_t second, std::vector<double>& sizes);
  void find_groups();
  void others_by_wires(std::size_t first, std::size_t second, std::vector<double>& sizes);
  /// 1, Y, Y^2 / 2 .. for n messages on a link of the group, with `omitted` virtual channels omitted.
  void wire_of(std::size_t group, int omitted, std::vector<double>& sizes) const;
  void multiply(const std::vector<double>& by, std::vector<double>& sizes);
  /// \param removed  1 or 2
  [[nodiscard]] double served(const std::vector<double>& sizes, std::size_t removed) const;
  [[nodiscard]] double residuals(std::vector<double>& found);
  [[nodiscard]] bool newton(std::vector<double>& found);
  void product_form(double precision);

  const std::vector<StationInput>* inputs_ = nullptr;
  std::size_t servers_ = 1, total_ = 0;
  double together_ = 1, all_ = 1;
  std::vector<double> ratio_, weights_, trial_, kept_, plain_, newton_, found_, wanted_, sizes_, matrix_,
      whole_, slow_, scale_, product_, one_, two_, both_;
  bool with_lanes_ = false;
  /// Weights of n messages of a group; without one of its virtual channels, and without two.
  struct GroupSizes {
    std::vector<double> all, less, minimum;
  };
  std::vector<GroupSizes> groups_;
};

}  // namespace tailbound::queue
