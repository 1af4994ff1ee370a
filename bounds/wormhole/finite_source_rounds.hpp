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
/// MODEL     finite_source.hpp; wires: docs/derivations/wormhole_finite_source.md, "Wires"; several lengths
///           and kinds of messages: mixed_messages.md
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
  void scale(double factor) {
    for (double* value :
         {&fresh, &behind, &fresh_second, &behind_second, &slope, &follow, &lost, &moves, &hides})
      *value *= factor;
  }
  [[nodiscard]] double mean() const { return follow * behind + (1 - follow) * fresh; }
  [[nodiscard]] double second() const { return follow * behind_second + (1 - follow) * fresh_second; }
  [[nodiscard]] double variance() const { return std::max(0.0, second() - square(mean())); }
};

class Rounds {
 public:
  Rounds(const Structure& all, const std::vector<std::size_t>& order,
         const std::vector<std::size_t>& class_of, const FiniteSourceRounds& how);

  /// \param change  below which rounds end
  void tolerate(double change) { how_.tolerance = change; }
  /// Runs until nothing changes, or changes no longer decrease.
  /// \param travel_time  mean time that a head loses on shared physical channels along its path
  Ending run(double load, double stretch, double travel_time);

  [[nodiscard]] const Times& channel(std::size_t i) const { return times_[i]; }
  [[nodiscard]] const Times& station_times(std::size_t j) const { return held_times_[j]; }
  /// Mean time that a message loses on the station's physical channel.
  [[nodiscard]] double loss(std::size_t j) const { return wires_[j].loss; }
  /// Mean wait over all arrivals at a station.
  [[nodiscard]] double station_wait(std::size_t j) const;

  /// Of messages of one trail and length, from a channel on.
  struct Onward {
    double waits = 0;  ///< for channels, and of heads for flits of others
    double lag = 0;    ///< final lag of a tail
  };
  /// [trail][length class], (43).
  [[nodiscard]] std::vector<Onward> onward_waits() const;
  /// Time that the head of a message loses as it enters by channel i.
  [[nodiscard]] double entry_loss(std::size_t i, std::size_t length) const {
    return wires_[all_->channels[i].station].loss_by[length] / all_->lengths.classes[length].flits;
  }
  /// Time for which a message is at its end.
  [[nodiscard]] double end(std::size_t length) const {
    return all_->lengths.classes[length].crossing * stretch_;
  }

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
  [[nodiscard]] Times lagging(Times times, double fresh, double behind, std::size_t length) const;

  /// Flits of others that a message of a length meets on the station's physical channel for the first time,
  /// each message once for its whole length, weighted by what they cost it. (21), (36)
  [[nodiscard]] double met_by(std::size_t i, std::size_t length) const;
  /// What it loses to them.
  [[nodiscard]] double lost_at(std::size_t i, std::size_t length) const {
    return wires_[all_->inputs[i].station].each * met_by(i, length) * all_->lengths.classes[length].size;
  }

  /// Virtual channels of one link before a station: how often two are present at once.
  void pair_lanes(const StationClass& station, std::size_t j);
  /// Inputs of several virtual channels before the only channel at the end of routes. (24)
  void share_end(const StationClass& station, const queue::StationService& service);
  /// How much longer a message takes to cross a physical channel while n virtual channels of the station are
  /// occupied: their messages take turns, and are elsewhere in between. Mean value analysis, one more message
  /// at a time. (20)
  void share_wires(const StationClass& station, std::size_t j, queue::StationService& service);
  /// c(n) of (20).
  void take_turns(const StationClass& station, std::size_t j, double moving, double elsewhere,
                  std::vector<double>& crossing) const;
  /// The same by the time for which holders do not move: those whose tail has left the channel before count
  /// in part. (41)
  void discount_overhang(const StationClass& station, std::size_t j, double moving, double elsewhere);
  struct Served {
    double time = 0, rate = 0;
  };
  /// E + m: mean time to cross, over messages served.
  [[nodiscard]] Served crossed(const StationClass& station, std::size_t j,
                               const queue::StationService& service);

  /// Mean over all messages that cross, and the cost per message met. (20)
  void note_sharing(const StationClass& station, std::size_t j, const queue::StationService& service,
                    double weight);

  /// Lags and their hidden part, from the sources on. (22)
  void lag_behind(std::size_t j);
  void note_lags(std::size_t j);
  /// Where messages enter the network: flits take turns with those of other virtual networks.
  void lag_at_entry(std::size_t j);

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

  [[nodiscard]] std::size_t at(std::size_t i, std::size_t length) const {
    return i * all_->length_count() + length;
  }
  Times& trail_at(std::size_t trail, std::size_t length, std::size_t level) {
    return trails_[offset_[at(trail, length)] + level];
  }
  /// For the messages that make the move to station j.
  const Times& onward(std::size_t j, const Move& move, std::size_t length, std::size_t level) {
    return move.next == any ? stations_[station_offset_[at(j, length)] + level]
                            : trail_at(move.next, length, level);
  }
  /// For a message without further waits.
  [[nodiscard]] Times at_end(std::size_t length) const {
    return {end(length), end(length), end_second(length), end_second(length), 0, 0};
  }
  [[nodiscard]] double end_second(std::size_t length) const;

  /// Time for which a message that goes on to a channel of station j occupies the previous one, without its
  /// wait there. Without a limit on the channels it occupies, level 0 covers all of them.
  Times held_before(std::size_t j, const Move& move, std::size_t length, std::size_t level);
  /// Waits in an occupancy time, less the part that the buffer absorbs. (18)
  [[nodiscard]] Times shorter(Times times, std::size_t length) const;
  /// Reduces the time lost on physical channels by the part that flits in a buffer do not lose.
  void lose_less(Times& times, std::size_t length) const;

  /// Level h counts the waits at the next h + 1 stations, the last level all of them. (15)
  /// All kinds and lengths that came over one route together: the leader of a message is any of them. (31)
  void family_times(std::size_t family, double weight);
  /// One move of the family's trails, with all lengths.
  struct FamilyMove {
    std::size_t input = 0, next = 0;  ///< next: family, or any
    int parts = 0;                    ///< kinds and lengths; sums are over them, if there are several
    double share = 0, mean = 0, second = 0, onward = 0, onward_second = 0;
    void clear() { share = mean = second = onward = onward_second = 0; }
  };
  /// At level h of each length, or all waits.
  void family_level(std::size_t family, std::size_t level, bool all_waits, double weight);
  void update(Times& now, Times next, bool source, double weight);
  /// Of the messages of a trail.
  [[nodiscard]] double share_of(std::size_t trail, std::size_t length) const;
  /// Of a station's channels, where messages take any of them.
  void mean_over_channels(std::size_t j);
  /// Occupancy times of its channels, for each length, and over all of them.
  void occupy(const StationClass& station, std::size_t j);

  /// phi of a source: the fraction of its messages that wait.
  [[nodiscard]] double source_follow(const StationClass& station, double rate, const Times& its) const;

  /// phi, from the sources on.
  void follow();

  const Structure* all_;
  const std::vector<std::size_t>* order_;
  const std::vector<std::size_t>* class_of_;  ///< [station of the graph]
  double load_ = 0, stretch_ = 1, travel_time_ = 0;
  FiniteSourceRounds how_;
  std::vector<std::size_t> offset_, station_offset_;  ///< [trail or station][length class]: first level
  std::vector<Times> trails_, stations_;              ///< stations_: where a move leads to any channel
  std::vector<Times> by_length_;                      ///< [channel][length class]: occupancy times
  std::vector<queue::ServicePart> parts_;             ///< [length class] of the station
  std::vector<Times> length_times_;
  std::vector<double> length_shares_, mean_lag_;
  /// A move of one trail of the family at hand, with one length.
  struct LengthMove {
    const Move* move = nullptr;
    std::size_t member = 0, length = 0;  ///< trail of the family, and length class
    double share = 0;                    ///< of the channel's messages
    std::size_t sum = 0;                 ///< in sums_of_
    double lost = 0;
    double mean = 0, second = 0;  ///< moments of wait, loss and time on the next channel
    bool all_waits = false;
    Times on{};
  };
  void list_moves();
  /// (10), with the moments of h and of the time on the next channel, of all messages of the family.
  [[nodiscard]] double slope_of(const LengthMove& each, double mean, double second, double onward) const;
  void add_move(LengthMove& each, double follow, const FamilyMove& sum, Times& next) const;
  std::vector<std::vector<LengthMove>> moves_of_;  ///< [family]
  std::vector<Times> next_;                        ///< [trail of the family][length class]
  std::vector<std::vector<FamilyMove>> sums_of_;   ///< [family]
  std::vector<Times> times_;                       ///< [channel]: occupancy times
  std::vector<Times> held_times_;                  ///< [station]: the mean of these
  /// A station's physical channel as shared by its virtual channels.
  struct Wire {
    double met = 0;                 ///< rate of others that may move along with a message
    double cross = 0;               ///< slowdown by those of other stations
    double excess = 0;              ///< additional time of a message to cross it, compared with alone
    double each = 0;                ///< the same per message met
    double active = 0;              ///< fraction of time in which it is wanted
    double loss = 0;                ///< mean over all messages that arrive
    double weight = 1;              ///< mean loss of two messages, relative to infinitesimal flits
    double fixed = 0;               ///< part of the overhang of messages that do not move then (41)
    double moves = 1;               ///< theta: fraction of the overhang that counts
    std::vector<double> loss_by{};  ///< [length class]
  };
  std::vector<Wire> wires_;  ///< [station]
  std::vector<double> crossing_, discounted_;
  std::vector<std::vector<double>> joint_;
  std::vector<double> moves_;     ///< [station][length class]: fraction of the time at their end in which
                                  ///< messages that go on there do not wait
  std::vector<double> all_held_;  ///< [station]: probability that all servers are occupied
  std::vector<double> over_, over_flow_;  ///< [length class] of the station: overhang, and messages
  double source_time_ = 1;                ///< mean occupancy time of the sources
  std::vector<double> full_;              ///< [station]: fraction of occupied servers with all other servers
                                          ///< occupied too
  std::vector<double> passed_;            ///< [channel]: channels passed so far
  /// [channel][length class]: lag of the tails of its messages; of those that did not wait for it, and did.
  std::vector<double> lag_, lag_fresh_, lag_behind_;
  std::vector<double> relative_lag_;    ///< [channel]: mean over all messages, relative to their mean length
  std::vector<double> lag_by_, hides_;  ///< [input][length class]
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
