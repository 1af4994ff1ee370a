#pragma once

#include <tailbound/bounds/path/acceleration.hpp>
#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/bounds/wormhole/finite_source_structure.hpp>
#include <tailbound/queue/wormhole/finite_source_station.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

/// Rounds over the stations of a wormhole network: occupancy times, waits, followers, and the cost of sharing
/// physical channels.
///
/// MODEL     finite_source.hpp; wires: docs/derivations/wormhole_finite_source.md, "Wires"
/// METHOD    rounds over all stations, those that a message meets last first, then phi and lags from the
///           sources on
/// TESTS     tests/bounds/wormhole/finite_source_test.cpp, tests/bounds/wormhole/shared_wires_test.cpp
/// Internal to the bounds module.
namespace tailbound::bounds::wormhole::finite {

/// Mean occupancy times and second moments of a channel, or over those of a station.
struct Times {
  double fresh = 1, behind = 1;                ///< x0, x1
  double fresh_second = 1, behind_second = 1;  ///< q0, q1
  double slope = 0;                            ///< s
  double follow = 0;                           ///< phi
  double lost = 0;                             ///< part of the means lost by sharing physical channels
  double moves = 0;                            ///< fraction of the time at its end in which it does not wait
  double hides = 0;                            ///< fraction of the lag that is caught up while the head waits

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

  /// Runs until nothing changes, or changes no longer decrease.
  /// \param travel_time  mean time that a head loses on shared physical channels along its path
  Ending run(double load, double ejection, double travel_time, double length_variation);

  [[nodiscard]] const Times& channel(std::size_t i) const { return times_[i]; }
  [[nodiscard]] const Times& station_times(std::size_t j) const { return held_times_[j]; }
  /// Mean time that a message loses on the station's physical channel.
  [[nodiscard]] double loss(std::size_t j) const { return wires_[j].loss; }
  /// Mean lag of a message's tail at a channel's end, relative to its length.
  [[nodiscard]] double lag(std::size_t i) const { return lag_[i]; }
  /// Mean of all later waits during which a message no longer occupies the channel.
  [[nodiscard]] double further(std::size_t i) const {
    return by_level_[(i + 1) * levels_ - 1].mean() - times_[i].mean();
  }
  [[nodiscard]] const queue::StationWaits& input(std::size_t i) const { return waits_[i]; }
  /// Mean wait over all arrivals at a station.
  [[nodiscard]] double station_wait(std::size_t j) const;

 private:
  void station(std::size_t j, double weight);
  /// Updates all; the largest change is in change_.
  void round(double weight);

  /// Visits all numbers that a round reads before it writes them, with the minimum and the maximum value.
  template <class Visit>
  void each_number(const Visit& visit);
  [[nodiscard]] Acceleration::Vector state();
  void go_on_from(const Acceleration::Vector& state);

  /// Times, all later by `by`.
  [[nodiscard]] static Times later(Times times, double by);

  // --- shared physical channels

  /// Times including the lag of a message's tail behind its head that is not caught up.
  [[nodiscard]] Times lagging(Times times, double fresh, double behind) const;

  /// For messages that go on to a station: fraction of the time at their end in which they do not wait.
  [[nodiscard]] double moves_at(std::size_t j) const { return stations_[(j + 1) * levels_ - 1].moves; }

  /// Others that a message of the input meets on the station's physical channel, each once for its whole
  /// length. (21)
  [[nodiscard]] double met_by(std::size_t i) const;

  /// Virtual channels of one link before a station: how often two are present at once.
  void pair_lanes(const StationClass& station, std::size_t j);
  /// Inputs of several virtual channels before the only channel at the end of routes. (24)
  void share_end(const StationClass& station, const queue::StationService& service);
  /// How much longer a message takes to cross a physical channel while n virtual channels of the station are
  /// occupied: their messages take turns, and are elsewhere in between. Mean value analysis, one more message
  /// at a time. (20)
  void share_wires(const StationClass& station, std::size_t j, queue::StationService& service);

  /// Mean over all messages that cross, and the cost per message met. (20)
  void note_sharing(const StationClass& station, std::size_t j, const queue::StationService& service,
                    double weight);

  /// Lags and their hidden part, from the sources on. (22)
  void lag_behind(std::size_t j);

  /// Remaining time on a channel of this station after the message has left the previous one: the last of its
  /// waits, or the part that fits into the buffer. An extra input represents all these messages: their
  /// channels are free, so all inputs may wait. (16)
  void add_overhang(const StationClass& station, std::size_t j);

  /// Occupancy times by input, where they depend on it; `held`: limited to below saturation, relative to
  /// `mean`.
  void split(const StationClass& station, double mean, double held);

  /// o of an input: how much more often than under independence the others are present while it is. (11),
  /// (12)
  [[nodiscard]] double pair_weight(const StationClass& station, const Input& input) const;

  /// Records a change, also NaN.
  void note(double change) {
    if (!(change <= change_)) change_ = change;
  }
  /// Limits second moments that a round drives out of the possible range.
  void limit(double mean, double& second);

  Times& trail_at(std::size_t trail, std::size_t level) { return trails_[trail * levels_ + level]; }
  /// For the messages that make the move to station j.
  const Times& onward(std::size_t j, const Move& move, std::size_t level) {
    return move.next == any ? stations_[j * levels_ + level] : trail_at(move.next, level);
  }
  /// For a message without further waits.
  [[nodiscard]] Times at_end() const {
    return {ejection_, ejection_, ejection_second_, ejection_second_, 0, 0};
  }

  /// Time for which a message that goes on to a channel of station j occupies the previous one, without its
  /// wait there. Without a limit on the channels it occupies, level 0 covers all of them.
  Times held_before(std::size_t j, const Move& move, std::size_t level);
  /// Waits in an occupancy time, less the part that the buffer absorbs. (18)
  [[nodiscard]] Times shorter(Times times) const;
  /// Reduces the time lost on physical channels by the part that flits in a buffer do not lose.
  void lose_less(Times& times) const;

  /// Level h counts the waits at the next h + 1 stations, the last level all of them. (15)
  void trail_times(std::size_t i, std::size_t level, double weight);

  /// phi of a source: the fraction of its messages that wait.
  [[nodiscard]] double source_follow(const StationClass& station, double rate, const Times& its) const;

  /// phi, from the sources on.
  void follow();

  const Structure* all_;
  const std::vector<std::size_t>* order_;
  const std::vector<std::size_t>* class_of_;  ///< [station of the graph]
  double load_ = 0, ejection_ = 1, ejection_second_ = 1, travel_time_ = 0;
  FiniteSourceRounds how_;
  std::size_t levels_ = 1;                           ///< numbers of waits, and one for all of them
  std::size_t held_ = 0;                             ///< the level for which channels are occupied
  std::vector<Times> trails_, stations_, by_level_;  ///< [trail, station or channel][level]
  std::vector<Times> times_;                         ///< [channel]: occupancy times
  std::vector<Times> held_times_;                    ///< [station]: the mean of these
  /// A station's physical channel as shared by its virtual channels.
  struct Wire {
    double met = 0;     ///< rate of others that may move along with a message
    double cross = 0;   ///< slowdown by those of other stations
    double excess = 0;  ///< additional time of a message to cross it, compared with alone
    double each = 0;    ///< the same per message met
    double active = 0;  ///< fraction of time in which it is wanted
    double loss = 0;    ///< mean over all messages that arrive
  };
  std::vector<Wire> wires_;  ///< [station]
  std::vector<double> crossing_;
  double source_time_ = 1;            ///< mean occupancy time of the sources
  std::vector<double> full_;          ///< [station]: fraction of occupied servers with all other servers
                                      ///< occupied too
  std::vector<double> lag_, passed_;  ///< [channel]: lag of the tails of its messages, and channels passed so
                                      ///< far
  std::vector<double> lag_fresh_,
      lag_behind_;                      ///< [channel]: for messages that did not wait for it, and that did
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
  double precision_ = 0;  ///< for stations in this round
};

}  // namespace tailbound::bounds::wormhole::finite
