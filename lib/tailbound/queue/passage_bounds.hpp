#pragma once

#include <tailbound/queue/markov_engine.hpp>
#include <tailbound/queue/passage.hpp>

#include <array>

/// The passage from below and from above, and what is asked of both. Internal to the queue module.
namespace tailbound::queue {

template <class T>
class PassageBounds {
 public:
  /// \param candidates  from below, from above: as Passage::make() takes them
  /// \return nothing if one of them does not pass the check
  [[nodiscard]] static std::optional<PassageBounds> make(const Blocks<T>& blocks,
                                                         const std::array<Matrix<T>, 2>& candidates,
                                                         int bits) {
    auto passages = both_sides<T>([&](Side side) {
      return Passage<T>::make(blocks, candidates[side == Side::below ? 0 : 1], Outward<T>(side, bits));
    });
    if (!passages) return std::nullopt;
    return PassageBounds(*std::move(passages));
  }

  /// Level 0.
  /// \param idle  1 - rho
  /// \throws TooFewBits
  void start(const T& idle, int bits) {
    // The likeliest phase: visits between visits to a rare one would be many and badly known.
    require(stationary(passages_[0].g(), 0, Outward<T>(Side::nearest, bits))).maxCoeff(&reference_);
    const auto below = require(stationary(passages_[0].g(), reference_, passages_[0].outward()));
    const auto above = require(stationary(passages_[1].g(), reference_, passages_[1].outward()));
    const double roundings = static_cast<double>(passages_[0].g().rows()) + 4;
    passages_[0].start(below * (idle / above.sum() * passages_[0].outward().factor(roundings)));
    passages_[1].start(above * (idle / below.sum() * passages_[1].outward().factor(roundings)));
  }

  [[nodiscard]] Bounds tail(std::size_t level) {
    push_to(level);
    return {as_real(passages_[0].tail(level)), as_real(passages_[1].tail(level))};
  }
  [[nodiscard]] Bounds probability(std::size_t level) {
    push_to(level);
    const auto sum = [&](const Passage<T>& passage) {
      const Row<T>& here = passage.levels()[level];
      return as_real(T(here.sum() * passage.outward().factor(static_cast<double>(here.size()))));
    };
    return {sum(passages_[0]), sum(passages_[1])};
  }
  /// \throws TooFewBits
  [[nodiscard]] Bounds mean() const {
    return {as_real(require(passages_[0].mean())), as_real(require(passages_[1].mean()))};
  }

  [[nodiscard]] const std::array<Passage<T>, 2>& passages() const { return passages_; }  ///< below, above
  [[nodiscard]] Eigen::Index reference() const { return reference_; }  ///< the likeliest phase

 private:
  explicit PassageBounds(std::array<Passage<T>, 2> passages) : passages_(std::move(passages)) {}
  void push_to(std::size_t level) {
    for (Passage<T>& passage : passages_)
      while (passage.levels().size() <= level) passage.push();
  }

  Eigen::Index reference_ = 0;
  std::array<Passage<T>, 2> passages_;
};

}  // namespace tailbound::queue
