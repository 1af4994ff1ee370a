#pragma once

#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/bounds/wormhole/finite_source_structure.hpp>
#include <tailbound/queue/wormhole/finite_source_station.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

/// Rounds over the stations of a wormhole network: holding times, waits, who follows whom, and what sharing wires costs.
///
/// MODEL     finite_source.hpp; wires: docs/derivations/wormhole_finite_source.md, "Wires"
/// METHOD    rounds over all stations, those that a worm meets last first, then phi and lags from the sources on
/// TESTS     tests/bounds/wormhole/finite_source_test.cpp, tests/bounds/wormhole/shared_wires_test.cpp
namespace tailbound::bounds::wormhole::finite {

/// Mean holding times and second moments of a channel, or over those of a station.
struct Times {
  double fresh = 1, behind = 1;                ///< x0, x1
  double fresh_second = 1, behind_second = 1;  ///< q0, q1
  double slope = 0;                            ///< s
  double follow = 0;                           ///< phi
  double lost = 0;                             ///< of the means: by sharing wires
  double moves = 0;                            ///< share of its time at its end in which it does not wait
  double hides = 0;  ///< share of what has lagged that comes up while the head waits

  void add(double share, const Times& other) {
    fresh += share * other.fresh;
    behind += share * other.behind;
    fresh_second += share * other.fresh_second;
    behind_second += share * other.behind_second;
    slope += share * other.slope;
    follow += share * other.follow;
    lost += share * other.lost;
    moves += share * other.moves;
    hides += share * other.hides;
  }
  [[nodiscard]] double mean() const { return follow * behind + (1 - follow) * fresh; }
  [[nodiscard]] double second() const { return follow * behind_second + (1 - follow) * fresh_second; }
  [[nodiscard]] double variance() const { return std::max(0.0, second() - square(mean())); }
};

class Rounds {
 public:
  Rounds(const Structure& all, const std::vector<std::size_t>& order,
         const std::vector<std::size_t>& class_of, const FiniteSourceRounds& how);

  /// Until nothing changes, or nothing gets nearer to that.
  /// \param on_way  mean time that a head loses on shared wires before it is there
  Ending run(double load, double ejection, double on_way, double length_variation);

  [[nodiscard]] const Times& channel(std::size_t i) const { return times_[i]; }
  [[nodiscard]] const Times& station_times(std::size_t j) const { return held_times_[j]; }
  /// Mean time that a worm loses on the station's wire.
  [[nodiscard]] double loss(std::size_t j) const { return wires_[j].loss; }
  /// Mean time by which the end of a worm comes later to a channel's end than its length says.
  [[nodiscard]] double lag(std::size_t i) const { return lag_[i]; }
  /// Mean of all waits that follow on a channel beyond those for which a worm holds it.
  [[nodiscard]] double further(std::size_t i) const {
    return by_level_[(i + 1) * levels_ - 1].mean() - times_[i].mean();
  }
  [[nodiscard]] const queue::StationWaits& input(std::size_t i) const { return waits_[i]; }
  /// Mean wait of all that come to a station.
  [[nodiscard]] double station_wait(std::size_t j) const;

 private:
  void station(std::size_t j, double weight);

  /// All of them by so much.
  [[nodiscard]] static Times later(Times times, double by);

  // --- shared wires

  /// Times with what a worm's end lags behind its head, as far as that does not come up.
  [[nodiscard]] Times lagging(Times times, double fresh, double behind) const;

  /// Of the worms that go on to a station: share of the time at their end in which they do not wait.
  [[nodiscard]] double moves_at(std::size_t j) const { return stations_[(j + 1) * levels_ - 1].moves; }

  /// Others that a worm of the input meets on the station's wire, each once for its whole length. (21)
  [[nodiscard]] double met_by(std::size_t i) const;

  /// Virtual channels of one wire before a station: how often two are there at once.
  void pair_lanes(const StationClass& station, std::size_t j);
  /// Inputs of several virtual channels before the only channel at the end of ways. (24)
  void share_end(const StationClass& station, const queue::StationService& service);
  /// How much longer a worm takes to cross a wire while so many virtual channels of the station are held: holders take
  /// the wire in turn, and are elsewhere in between; by mean values, one more holder at a time. (20)
  void share_wires(const StationClass& station, std::size_t j, queue::StationService& service);

  /// Mean over all that cross, and what each of those met costs. (20)
  void note_sharing(const StationClass& station, std::size_t j, const queue::StationService& service,
                    double weight);

  /// Lags and what hides of them, from the sources on. (22)
  void lag_behind(std::size_t j);

  /// What is left of the time on a channel of this station once the worm has left the one before: the last of its
  /// waits, or what has room in the buffer. An input by itself stands for all worms in it: with their channels free, all
  /// inputs may wait. (16)
  void add_overhang(const StationClass& station, std::size_t j);

  /// Holding times by the input, where they depend on it; `held`: as they are held below saturation, over `mean`.
  void split(const StationClass& station, double mean, double held);

  /// o of an input: how much more often than independently the others are there while it is. (11), (12)
  [[nodiscard]] double pair_weight(const StationClass& station, const Input& input) const;

  /// A change; one that is no number too.
  void note(double change) {
    if (!(change <= change_)) change_ = change;
  }
  /// Second moments that a round drives beyond anything that worms have.
  void limit(double mean, double& second);

  Times& trail_at(std::size_t trail, std::size_t level) { return trails_[trail * levels_ + level]; }
  /// Of the worms that make the move, to station j.
  const Times& onward(std::size_t j, const Move& move, std::size_t level) {
    return move.next == any ? stations_[j * levels_ + level] : trail_at(move.next, level);
  }
  /// Of a worm without another wait.
  [[nodiscard]] Times at_end() const {
    return {ejection_, ejection_, ejection_second_, ejection_second_, 0, 0};
  }

  /// For how long a worm that goes on to a channel of station j holds the one before, but for its wait there. Without
  /// bound on the channels that it holds, level 0 is of all of them.
  Times held_before(std::size_t j, const Move& move, std::size_t level);
  /// Waits in a holding time with what the buffer takes up of them left out. (18)
  [[nodiscard]] Times shorter(Times times) const;
  /// Of what is lost on wires that part which the flits in a buffer do not lose any more.
  void lose_less(Times& times) const;

  /// Level h counts the waits at the next h + 1 stations, the last level all of them. (15)
  void trail_times(std::size_t i, std::size_t level, double weight);

  /// phi of a source: the share of its worms that wait.
  [[nodiscard]] double source_follow(const StationClass& station, double rate, const Times& its) const;

  /// phi, from the sources on.
  void follow();

  const Structure* all_;
  const std::vector<std::size_t>* order_;
  const std::vector<std::size_t>* class_of_;  ///< [station of the graph]
  double load_ = 0, ejection_ = 1, ejection_second_ = 1, on_way_ = 0;
  FiniteSourceRounds how_;
  std::size_t levels_ = 1;                           ///< numbers of waits, and all of them
  std::size_t held_ = 0;                             ///< the level for which channels are held
  std::vector<Times> trails_, stations_, by_level_;  ///< [trail, station or channel][level]
  std::vector<Times> times_;                         ///< [channel]: as they are held
  std::vector<Times> held_times_;                    ///< [station]: the mean of these
  /// A station's wire, as its virtual channels share it.
  struct Wire {
    double met = 0;     ///< rate of others that may move beside a worm
    double cross = 0;   ///< by how much those of other stations slow it down
    double excess = 0;  ///< time that a worm takes longer to cross it than alone
    double each = 0;    ///< of that, for each of those met
    double active = 0;  ///< share of time in which it is wanted
    double loss = 0;    ///< mean over all worms that come
  };
  std::vector<Wire> wires_;  ///< [station]
  std::vector<double> crossing_;
  double source_time_ = 1;            ///< mean holding time of the sources
  std::vector<double> full_;          ///< [station]: share of held servers beside which all others are held
  std::vector<double> lag_, passed_;  ///< [channel]: of its worms' ends, and channels passed so far
  std::vector<double> lag_fresh_,
      lag_behind_;                      ///< [channel]: of those that did not wait for it, and that did
  std::vector<double> lag_by_, hides_;  ///< [input]
  bool with_trails_ = false;
  std::vector<char> twins_;  ///< [station], if any has inputs with twins
  std::vector<double> together_;
  std::vector<std::vector<queue::StationMemory>> memory_;
  std::vector<queue::StationWaits> waits_;  ///< [input]
  std::vector<queue::StationInput> inputs_;
  std::vector<queue::StationWaits> found_;
  queue::FiniteSourceStation solver_;
  bool marked_ = false;
  double change_ = 0;
  double precision_ = 0;  ///< of stations in this round
};

}  // namespace tailbound::bounds::wormhole::finite
