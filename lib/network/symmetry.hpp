#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

/// Search for symmetries of a graph with labelled vertices and arcs.
///
/// METHOD    Colours are refined until vertices of equal colour have equally coloured neighbours. Equal
///           colours do not prove symmetry (a ring of six and two rings of three have one colour); they give
///           candidates. Two vertices of one colour are marked, both sides are refined down to single
///           vertices, and this yields a permutation. The caller must check it: labels are hashed, and
///           refinement down to single vertices proves nothing either.
/// SOURCE    McKay and Piperno 2014 (individualization and refinement)
/// TESTS     tests/network/alike_flows_test.cpp, tests/network/fabric/fabric_rates_test.cpp
namespace tailbound::network {

/// Mixes its input (the finalizer of splitmix64).
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t x, std::uint64_t y) {
  return mixed(mixed(x) + y);
}

/// Vertices with labels, and labelled neighbours.
class LabelledGraph {
 public:
  struct Neighbour {
    std::uint32_t vertex;
    std::uint64_t relation;
  };
  struct Arc {
    std::uint32_t from;
    Neighbour to;
  };

  LabelledGraph() = default;
  LabelledGraph(std::vector<std::uint64_t> labels, const std::vector<Arc>& arcs);

  [[nodiscard]] std::size_t size() const { return labels_.size(); }
  [[nodiscard]] std::size_t arcs() const { return neighbours_.size(); }
  [[nodiscard]] const std::vector<std::uint64_t>& labels() const { return labels_; }
  [[nodiscard]] std::span<const Neighbour> of(std::size_t vertex) const {
    return {neighbours_.data() + begin_[vertex], begin_[vertex + 1] - begin_[vertex]};
  }

 private:
  std::vector<std::uint64_t> labels_;
  std::vector<std::size_t> begin_;
  std::vector<Neighbour> neighbours_;
};

/// An ordered partition of the vertices, refined until vertices of one cell have the same number of
/// neighbours in each cell. The order of the cells, and the trace, depend only on the structure and on the
/// vertices singled out.
class Colouring {
 public:
  /// \param graph  outlives this
  explicit Colouring(const LabelledGraph& graph);

  [[nodiscard]] std::size_t size() const { return vertex_.size(); }
  [[nodiscard]] std::size_t cells() const { return cells_; }
  [[nodiscard]] bool discrete() const { return cells_ == vertex_.size(); }
  [[nodiscard]] std::uint64_t trace() const { return trace_; }
  [[nodiscard]] std::uint32_t cell_of(std::size_t vertex) const { return cell_[vertex]; }
  [[nodiscard]] std::uint32_t length(std::uint32_t cell) const { return length_[cell]; }
  [[nodiscard]] std::uint32_t at(std::size_t position) const { return vertex_[position]; }

  /// Separates one vertex from the others of its cell, and refines.
  void single_out(std::uint32_t vertex);

 private:
  void swap_to(std::uint32_t vertex, std::uint32_t to);
  void enqueue(std::uint32_t cell);
  void refine();
  void split_by(std::uint32_t splitter);
  void split_cell(std::uint32_t cell, std::size_t first, std::size_t end);

  const LabelledGraph* graph_;
  std::vector<std::uint32_t> vertex_, position_, cell_, length_;
  std::vector<char> waiting_;
  std::vector<std::uint64_t> sum_;
  std::vector<char> touched_;
  std::vector<std::uint32_t> queue_, met_, fragments_;
  std::size_t cells_ = 0;
  std::uint64_t trace_ = 0;
};

/// Permutations that may be symmetries.
class ImageSearch {
 public:
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  /// \param graph   outlives this
  /// \param wanted  images of the vertices below this are given; the others count as neighbours only
  /// \param tries   maximum number of choices that are kept to return to; each costs a copy of the colouring
  ImageSearch(const LabelledGraph& graph, std::size_t wanted, std::size_t tries = unlimited);

  [[nodiscard]] const Colouring& start() const { return start_; }
  [[nodiscard]] bool exhausted() const { return tries_ == 0; }
  /// The image of each wanted vertex under a permutation drawn at random, usually another one in each call;
  /// none if the draw fails.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> random_image();
  /// Calls accept(image) for the permutations that map `from` to `to`, until it returns true.
  /// \pre      two vertices
  /// \returns  whether one was accepted; also false if the tries are exhausted
  template <class Accept>
  [[nodiscard]] bool image_with(std::uint32_t from, std::uint32_t to, Accept&& accept) {
    if (start_.cell_of(from) != start_.cell_of(to)) return false;
    Colouring left = start_, right = start_;
    left.single_out(from);
    right.single_out(to);
    return left.trace() == right.trace() && image_from(path_from(left), 0, right, accept);
  }

 private:
  static constexpr int max_tries = 8;

  /// Single vertices chosen one after the other, until all wanted ones are single: the steps on one side.
  struct Step {
    std::uint32_t cell;
    std::uint64_t trace;
  };
  struct Path {
    std::vector<Step> steps;
    std::vector<std::uint32_t> end;  ///< position of each wanted vertex
  };

  [[nodiscard]] Path path_from(Colouring colouring) const;
  [[nodiscard]] std::vector<std::uint32_t> image_at(const Path& path, const Colouring& end) const;
  [[nodiscard]] bool take_try();

  template <class Accept>
  [[nodiscard]] bool image_from(const Path& path, std::size_t step, const Colouring& right, Accept&& accept) {
    if (step == path.steps.size()) return accept(image_at(path, right));
    const auto [cell, trace] = path.steps[step];
    for (std::uint32_t i = 0; i < right.length(cell) && take_try(); ++i) {
      Colouring next = right;
      next.single_out(right.at(cell + i));
      if (next.trace() == trace && image_from(path, step + 1, next, accept)) return true;
    }
    return false;
  }

  std::size_t wanted_, tries_;
  Colouring start_;
  std::optional<Path> path_;
  bool rigid_ = false;  ///< a choice has failed before
  std::mt19937_64 random_{20'260'101};
};

/// Disjoint sets; the first element of each set represents it.
class Joined {
 public:
  explicit Joined(std::size_t size) : parent_(size), sets_(size) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t first(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = first(a);
    b = first(b);
    if (a == b) return;
    parent_[std::max(a, b)] = std::min(a, b);
    --sets_;
  }
  [[nodiscard]] std::size_t sets() const { return sets_; }
  [[nodiscard]] std::vector<std::uint32_t> firsts() {
    std::vector<std::uint32_t> all(parent_.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = first(i);
    return all;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::size_t sets_;
};

}  // namespace tailbound::network
