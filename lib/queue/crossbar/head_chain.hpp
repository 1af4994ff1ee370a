#pragma once

#include <tailbound/queue/crossbar/head_of_line.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

/// The chain of heads of line. Internal to the queue module.
///
/// METHOD    a slot is departures, which leave r heads to be drawn, and r draws one after the other. A node
///           is the multiset of the outputs' counts before such a draw; drawing from one with c outputs of
///           count x raises one of them with probability c/n. Nodes with r draws left form level r; level 0
///           are the states.
namespace tailbound::queue {

/// Counts above 0 with their multiplicities, as pairs of bytes, the largest count first.
using HeadCounts = std::string;

/// Weight: long double, or numeric::Rational.
template <class Weight>
class HeadChain {
 public:
  /// \param max_edges  \throws LimitExceeded  more transitions
  HeadChain(const HeadOfLine& queue, std::size_t max_edges);

  [[nodiscard]] std::size_t states() const { return levels_[0].size(); }
  [[nodiscard]] std::size_t edges() const { return edges_; }
  /// Cells served from a state in a slot.
  [[nodiscard]] const std::vector<std::int64_t>& served() const { return served_; }
  /// The sum of a power of the counts of each state.
  [[nodiscard]] std::vector<double> sums_of_powers(double exponent) const;
  /// (T h)(x), in Number.
  template <class Number>
  [[nodiscard]] std::vector<Number> next(const std::vector<Number>& h) const;
  /// Maximum number of relative errors of a value of next(), h >= 0.
  [[nodiscard]] double units() const;

 private:
  /// To a node of the level below, with c outputs of n.
  struct Draw {
    std::uint32_t to = 0;
    std::uint32_t count = 0;
  };
  struct Level {
    std::unordered_map<HeadCounts, std::uint32_t> known;
    std::vector<HeadCounts> nodes;
    std::vector<std::size_t> begin;  ///< of the edges of a node; one more than nodes
    std::vector<Draw> draws;
    [[nodiscard]] std::size_t size() const { return nodes.size(); }
  };
  struct Departure {
    Weight probability;
    std::uint32_t draws = 0, to = 0;  ///< level and node
  };

  std::uint32_t node(std::size_t level, const HeadCounts& counts);
  void depart(std::uint32_t state);
  void draw(std::size_t level, std::uint32_t from);
  void count_edge();

  HeadOfLine queue_;
  std::size_t max_edges_, edges_ = 0, most_draws_ = 1;
  std::vector<Level> levels_;
  std::vector<std::int64_t> served_;
  std::vector<std::size_t> first_departure_{0};
  std::vector<Departure> departures_;
};

}  // namespace tailbound::queue
