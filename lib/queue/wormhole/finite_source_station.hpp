#pragma once

#include <cstddef>
#include <vector>

/// Waits before the channels of a wormhole network, where only so many worms can wait as channels lead there.
///
/// MODEL     A station has m equal servers and K inputs, channels each of which brings one worm at a time: it
///           waits there, first come, first served, and holds a server for a time of mean X. Some worms come
///           at the very moment at which the one before them on their channel, their leader, frees a server:
///           these followers see whole holding times, not residual ones, and more of them the longer the
///           leader has held. Queue lengths are those of a product form with finite sources; waits are made
///           to agree with them input by input.
/// RESULT    approximate. The product form alone is exact for m = 1 and many inputs (Pollaczek and Khinchine), and for
///           K inputs that are always busy: X (K / m - 1).
/// SOURCE    docs/derivations/wormhole_finite_source.md, by its equations' numbers
/// EXCLUDES  where worms come from and go to: bounds/wormhole/finite_source.hpp
/// TESTS     tests/queue/wormhole/finite_source_station_test.cpp
namespace tailbound::queue {

/// Where several virtual channels of a wire lead to a channel at the end of ways, worms wait as with Poisson arrivals; but
/// none comes by a wire all of whose virtual channels are held.
struct EndOfWires {
  bool by_wires = false;
  double reach =
      1;  ///< of the time in which the server is busy, the share in which one of the input's may come
  double queue = 1;   ///< of those that wait, the share behind which one of the input's may come
  double spread = 0;  ///< by how much the variation of waits grows with the queue
  double pushed = 0;  ///< by how much one that comes lengthens the residual time that it finds
};

/// Equal inputs of a station. All times are in one unit, rates by it.
struct StationInput {
  double rate = 0;    ///< f, of worms from each to the station
  int count = 1;      ///< so many are equal
  int lanes = 1;      ///< virtual channels on each of their wires, of which a worm takes any; divides count
  double apart = 1;   ///< how much more often than independently two of one wire are there at once
  double follow = 0;  ///< sigma: share of worms that follow, and whose leader came here as well
  double channel_follow = 0;  ///< phi: share of all worms of the channel that follow
  double variation = 0;       ///< squared coefficient of variation of the channel's own holding times
  double together = 1;        ///< o: how much more often than independently the others are there at once
  double own = 0;             ///< mean time for which its worms hold a server
  double others = 0;          ///< and those of the other inputs
  /// u: mean end of `own` in which the worm has left its channel, and the next may wait; and its second moment.
  double overhang = 0, overhang_second = 0;
  EndOfWires end{};          ///< looked at where there is one server
  bool overhanging = false;  ///< stands for all worms in their overhang: busy servers, and nobody that waits
};

/// Holding times of the servers, over all worms.
struct StationService {
  int servers = 1;
  double rate = 0;             ///< of all worms
  double mean = 0;             ///< X
  double second = 0;           ///< Q, second moment
  double behind = 0;           ///< X1: mean of those that follow a leader onto the server
  double behind_second = 0;    ///< Q1
  std::vector<double> slow{};  ///< T(n) / X, n = 0 .. m: holding times while n servers are held; empty: all 1
  bool shorter_behind = false;  ///< may X1 be below X?
  double together = 1;  ///< mean of o by which the queue's growth is multiplied, where pairs are correlated
};

/// What is kept of an input from one round to the next; as it is: before the first.
struct StationMemory {
  double weight = 0;  ///< y of the product form
  double left = 0;    ///< D: others left waiting when one of its worms leaves
  double ahead = 0;   ///< N: mean number of worms that one waits for
  double wait = 0;    ///< w: mean wait
};

struct StationWaits {
  double mean = 0;                             ///< w, over all worms
  double fresh = 0, behind = 0;                ///< mean waits of those that do not follow, and that do
  double fresh_waits = 0, behind_waits = 0;    ///< probabilities of a wait
  double fresh_second = 0, behind_second = 0;  ///< second moments of the waits
  double feedback = 0;                         ///< n': growth of a follower's wait with its leader's time
  double by_product_form = 0;                  ///< mean wait if inputs were as the product form has them
};

/// Room for the computation, used again and again.
class FiniteSourceStation {
 public:
  /// Waits of each input, and the new memory.
  ///
  /// METHOD    Newton's method for the product form (fixed point for more than 12 different inputs), then for each
  ///           input secants, bracketed where they do not settle at once
  /// COST      K^2 for each pair of different inputs and step
  /// \param precision  relative; 0: 1e-14, of the product form 1e-13
  /// CONTRACT  rates above 0, times above 0, all inputs together less than the servers can carry, and each
  ///           of them less than one server
  void solve(const StationService& service, const std::vector<StationInput>& inputs,
             std::vector<StationMemory>& memory, std::vector<StationWaits>& waits, double precision = 0);

  /// T of the station solved last: how much more often than independently two of its servers are held at once.
  /// Within [1, m / (m - 1)]; 1 for a single server.
  [[nodiscard]] double together() const { return together_; }

  /// Probability of n worms at the station solved last.
  [[nodiscard]] double present(std::size_t n) const { return whole_[n] / all_; }
  [[nodiscard]] std::size_t most_present() const { return whole_.size(); }

  /// What an input finds of the others, by the product form without it.
  struct FoundOthers {
    double busy = 0;               ///< probability that all servers are held
    double queue = 0, queue2 = 0;  ///< mean number that waits, and its second factorial moment
    double waiting = 0;            ///< share of the time for which the input itself waits
  };

 private:
  /// Over all inputs.
  struct Offered {
    double servers = 0;  ///< held in the mean
    double rate = 0, followers = 0;
  };

  [[nodiscard]] Offered take(const std::vector<StationInput>& inputs);
  /// Weights of the product form, from those of the round before.
  /// \param growth  of a holding time where a worm waits for it
  void find_weights(std::vector<StationMemory>& memory, double growth, double precision);
  /// T of the weights.
  [[nodiscard]] double pairs_held(double offered) const;
  /// D of each input, from the waits of the round before.
  void update_left(std::vector<StationMemory>& memory, double room) const;
  [[nodiscard]] FoundOthers found_by(std::size_t input);
  /// c_n e_n of all inputs but one each of two groups (none: past the end).
  void others(std::size_t first, std::size_t second, std::vector<double>& sizes);
  void find_groups();
  void others_by_wires(std::size_t first, std::size_t second, std::vector<double>& sizes);
  /// 1, Y, Y^2 / 2 .. for n worms on a wire of the group, so many virtual channels of which are left out.
  void wire_of(std::size_t group, int left_out, std::vector<double>& sizes) const;
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
  /// Weights of n worms of a group; without one of its virtual channels, and without two.
  struct GroupSizes {
    std::vector<double> all, less, least;
  };
  std::vector<GroupSizes> groups_;
};

}  // namespace tailbound::queue
