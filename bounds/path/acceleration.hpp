#pragma once

#include <Eigen/Dense>

#include <algorithm>

/// Anderson's acceleration of the iteration x -> g(x): the combination of the latest steps with the smallest
/// g(x) - x. It also makes an iteration converge that overshoots its solution.
///
/// SOURCE    Anderson 1965
/// TESTS     tests/bounds/multistage/combining_test.cpp, tests/bounds/wormhole/finite_source_test.cpp
/// Internal to the bounds module.
namespace tailbound::bounds {

class Acceleration {
 public:
  using Vector = Eigen::VectorXd;

  /// The next x, given g(x).
  [[nodiscard]] Vector next(const Vector& x, const Vector& g) {
    constexpr double ridge = 1e-12;
    const Vector change = g - x;
    if (old_g_.size() > 0) {
      if (held_ == 0) {
        changes_.resize(x.size(), depth);
        steps_.resize(x.size(), depth);
        products_.resize(depth, depth);
      }
      changes_.col(place_) = change - old_change_;
      steps_.col(place_) = g - old_g_;
      held_ = std::min(held_ + 1, depth);
      const Vector products = changes_.leftCols(held_).transpose() * changes_.col(place_);
      products_.col(place_).head(held_) = products;
      products_.row(place_).head(held_) = products.transpose();
      place_ = (place_ + 1) % depth;
    }
    old_change_ = change;
    old_g_ = g;
    if (held_ == 0) return g;
    const auto columns = changes_.leftCols(held_);
    Eigen::MatrixXd normal = products_.topLeftCorner(held_, held_);
    normal.diagonal() *= 1 + ridge;
    const Vector weights = normal.ldlt().solve(columns.transpose() * change);
    const Vector result = g - steps_.leftCols(held_) * weights;
    return result.allFinite() ? result : g;
  }

 private:
  static constexpr Eigen::Index depth = 8;
  Vector old_change_, old_g_;
  Eigen::MatrixXd changes_, steps_;  ///< differences of g(x) - x and of g(x), one per column
  Eigen::MatrixXd products_;         ///< of the changes with each other
  Eigen::Index held_ = 0, place_ = 0;
};

}  // namespace tailbound::bounds
