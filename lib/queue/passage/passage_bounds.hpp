#pragma once

#include <tailbound/queue/passage/markov_engine.hpp>
#include <tailbound/queue/passage/passage.hpp>

#include <optional>
#include <utility>

/// The passage bounded from below and from above. Internal to the queue module.
namespace tailbound::queue {

template <class T>
class PassageBounds {
 public:
  /// \param candidates  as Passage::make() takes them
  /// \return nothing if one of them does not pass the check
  [[nodiscard]] static std::optional<PassageBounds> make(const Blocks<T>& blocks,
                                                         const Both<Matrix<T>>& candidates, int bits) {
    return of(both_sides<T>(
        [&](Side side) { return Passage<T>::make(blocks, candidates[side], Outward<T>(side, bits)); }));
  }
  /// \param find  find(outward): a checked candidate for its side, or nothing; for both at the same time
  /// \return nothing if one of them is nothing
  template <class Find>
  [[nodiscard]] static std::optional<PassageBounds> make(int bits, const Find& find) {
    return of(both_sides<T>([&](Side side) -> std::optional<Passage<T>> {
      std::optional<CheckedCandidate<T>> checked = find(Outward<T>(side, bits));
      if (!checked || checked->outward().side() != side) return std::nullopt;
      return Passage<T>::make(*std::move(checked));
    }));
  }

  /// Level 0.
  /// \param idle  1 - rho
  /// \throws TooFewBits
  void start(const T& idle, int bits) {
    // The most probable phase: with a rare one, many visits to others would lie between its visits, with
    // inaccurate bounds.
    require(stationary(passages_.below.g(), 0, Outward<T>(Side::nearest, bits))).maxCoeff(&reference_);
    const auto below = require(stationary(passages_.below.g(), reference_, passages_.below.outward()));
    const auto above = require(stationary(passages_.above.g(), reference_, passages_.above.outward()));
    const double roundings = static_cast<double>(passages_.below.g().rows()) + 4;
    passages_.below.start(below * (idle / above.sum() * passages_.below.outward().factor(roundings)));
    passages_.above.start(above * (idle / below.sum() * passages_.above.outward().factor(roundings)));
  }

  [[nodiscard]] Bounds tail(std::size_t level) {
    push_to(level);
    return {as_real(passages_.below.tail(level)), as_real(passages_.above.tail(level))};
  }
  [[nodiscard]] Bounds probability(std::size_t level) {
    push_to(level);
    const auto sum = [&](const Passage<T>& passage) {
      const Row<T>& here = passage.levels()[level];
      return as_real(T(here.sum() * passage.outward().factor(static_cast<double>(here.size()))));
    };
    return {sum(passages_.below), sum(passages_.above)};
  }
  /// The same in phases by their weights, Blocks::ones; tail() and mean() use these always.
  [[nodiscard]] Bounds weighted(std::size_t level) {
    push_to(level);
    const auto sum = [&](const Passage<T>& passage) {
      const Row<T>& here = passage.levels()[level];
      return as_real(T(here.dot(passage.blocks().ones.transpose()) *
                       passage.outward().factor(static_cast<double>(here.size()) + 1)));
    };
    return {sum(passages_.below), sum(passages_.above)};
  }
  /// \throws TooFewBits
  [[nodiscard]] Bounds mean() const {
    return {as_real(require(passages_.below.mean())), as_real(require(passages_.above.mean()))};
  }

  [[nodiscard]] const Both<Passage<T>>& passages() const { return passages_; }
  [[nodiscard]] Eigen::Index reference() const { return reference_; }  ///< the most probable phase

 private:
  explicit PassageBounds(Both<Passage<T>> passages) : passages_(std::move(passages)) {}
  static std::optional<PassageBounds> of(std::optional<Both<Passage<T>>> passages) {
    return passages ? std::optional(PassageBounds(*std::move(passages))) : std::nullopt;
  }
  void push_to(std::size_t level) {
    for (const Side side : {Side::below, Side::above})
      while (passages_[side].levels().size() <= level) passages_[side].push();
  }

  Eigen::Index reference_ = 0;
  Both<Passage<T>> passages_;
};

}  // namespace tailbound::queue
