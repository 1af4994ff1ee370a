#pragma once

#include <tailbound/numeric/rounding.hpp>
#include <tailbound/queue/priority/priority_queue.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// The series of a priority queue in one arithmetic, with the relative errors of their terms.
///
/// MODEL     priority_queue.hpp; letters as in docs/derivations/priorities.md. Products and inverses of
///           series with non-negative coefficients: the errors on a path to entry n grow with n at most
///           linearly, and add up along products (docs/derivations/rounding.md).
/// Internal to the queue module.
namespace tailbound::queue {

/// Entry n has at most `each` n + `first` relative errors of a unit roundoff.
struct SeriesErrors {
  double each = 0, first = 0;

  [[nodiscard]] double at(std::size_t n) const { return each * static_cast<double>(n) + first; }
};

/// T: long double or numeric::Real (precision from the caller's scope).
template <class T>
struct ErrorSeries {
  std::vector<T> at;
  SeriesErrors errors;
};

namespace class_series {

inline double terms_of(std::size_t a, std::size_t b) {
  return static_cast<double>(std::min(a, b));
}

/// The first `size` entries of the product.
template <class T>
[[nodiscard]] ErrorSeries<T> product(const ErrorSeries<T>& x, const ErrorSeries<T>& y, std::size_t size) {
  const ErrorSeries<T>& shorter = x.at.size() <= y.at.size() ? x : y;
  const ErrorSeries<T>& longer = &shorter == &x ? y : x;
  ErrorSeries<T> result;
  result.at.assign(size, T(0));
  for (std::size_t n = 0; n < size; ++n) {
    T sum(0);
    for (std::size_t i = 0; i < std::min(shorter.at.size(), n + 1); ++i)
      if (n - i < longer.at.size()) sum += shorter.at[i] * longer.at[n - i];
    result.at[n] = std::move(sum);
  }
  result.errors = {std::max(x.errors.each, y.errors.each),
                   x.errors.first + y.errors.first + terms_of(std::min(size, shorter.at.size()), size) + 1};
  return result;
}

/// x + factor y, of equal or shorter length; the factor is off by a unit.
template <class T>
[[nodiscard]] ErrorSeries<T> sum(const ErrorSeries<T>& x, const T& factor, const ErrorSeries<T>& y) {
  ErrorSeries<T> result = x;
  result.at.resize(std::max(x.at.size(), y.at.size()), T(0));
  for (std::size_t n = 0; n < y.at.size(); ++n) result.at[n] += factor * y.at[n];
  result.errors = {std::max(x.errors.each, y.errors.each), std::max(x.errors.first, y.errors.first + 2) + 1};
  return result;
}

template <class T>
void divide(ErrorSeries<T>& x, const T& divisor, double divisor_errors) {
  for (T& value : x.at) value /= divisor;
  x.errors.first += divisor_errors + 1;
}

/// scale / (pivot - (x without x[0])): a renewal equation.
template <class T>
[[nodiscard]] ErrorSeries<T> inverse(const ErrorSeries<T>& x, const T& pivot, double pivot_errors,
                                     const T& scale, std::size_t size) {
  ErrorSeries<T> result;
  result.at.assign(size, T(0));
  result.at[0] = scale / pivot;
  for (std::size_t n = 1; n < size; ++n) {
    T sum(0);
    for (std::size_t m = 1; m < std::min(n + 1, x.at.size()); ++m) sum += x.at[m] * result.at[n - m];
    result.at[n] = sum / pivot;
  }
  // At most n factors x[m] lead to entry n; their indices sum to n.
  result.errors = {x.errors.each + x.errors.first + terms_of(size, x.at.size()) + pivot_errors + 2,
                   pivot_errors + 2};
  return result;
}

/// Errors of 1 - x, x having `errors`.
template <class T>
[[nodiscard]] double lost(const T& x, const T& rest, double errors) {
  return 1.01 * errors * static_cast<double>(x) / static_cast<double>(rest) + 2;
}

/// P(X > n) from P(X = n) of finite support.
template <class T>
[[nodiscard]] ErrorSeries<T> tails(const ErrorSeries<T>& x) {
  ErrorSeries<T> result;
  result.at.assign(x.at.size(), T(0));
  for (std::size_t n = x.at.size() - 1; n-- > 0;) result.at[n] = result.at[n + 1] + x.at[n + 1];
  result.errors = {x.errors.each, x.errors.first + static_cast<double>(x.at.size())};
  return result;
}

}  // namespace class_series

/// The input of the series.
template <class T>
struct ClassTable {
  std::vector<std::vector<T>> probability;  ///< [i][j] = P(A_H = i, A_L = j), rectangular
  /// The same without one source, whose packets wait: what one of them finds in its slot. Empty: an arbitrary
  /// packet waits.
  std::vector<std::vector<T>> others{};
  double errors = 0;  ///< of each entry
  T empty_cycle{};    ///< y_0, the smallest solution of y = A(y, 0)
  double empty_cycle_errors = 0;
  numeric::Rational load, higher_load;
};

/// One slot's packets: of the lower class, of the higher, of both, and E[A_H; A_L = j].
template <class T>
struct ClassSums {
  ErrorSeries<T> own, high, both, high_with_own;

  explicit ClassSums(const ClassTable<T>& table) {
    const std::size_t highs = table.probability.size(), lows = table.probability.front().size();
    const auto add_up = [&](std::size_t size, std::size_t terms) {
      return ErrorSeries<T>{std::vector<T>(size, T(0)), {0, table.errors + static_cast<double>(terms)}};
    };
    own = add_up(lows, highs);
    high = add_up(highs, lows);
    both = add_up(highs + lows - 1, highs + lows);
    high_with_own = add_up(lows, highs + 1);
    for (std::size_t i = 0; i < highs; ++i)
      for (std::size_t j = 0; j < lows; ++j) {
        const T& p = table.probability[i][j];
        own.at[j] += p;
        high.at[i] += p;
        both.at[i + j] += p;
        high_with_own.at[j] += T(static_cast<long>(i)) * p;
      }
  }
};

/// P(L > n) and P(L > n | H = 0), n = 0 .. size - 1.
template <class T>
class ClassOccupancy {
 public:
  /// \param rounded  turns a rational into a T
  template <class Rounded>
  ClassOccupancy(const ClassTable<T>& table, std::size_t size, Rounded&& rounded) : size_(size) {
    using namespace class_series;
    const ClassSums<T> sums(table);
    const std::size_t highs = table.probability.size(), lows = table.probability.front().size();
    const auto high_count = static_cast<double>(highs);
    const ErrorSeries<T> own_tails = tails(sums.own), own_beyond = tails(own_tails);
    const ErrorSeries<T> with_high = tails(sums.high_with_own);
    make_cycle(table);
    // K and K1 with Y in place of y.
    std::vector<std::vector<T>> above(highs, std::vector<T>(lows, T(0)));
    std::vector<std::vector<T>> beyond = above;
    for (std::size_t j = 0; j < lows; ++j)
      for (std::size_t i = highs - 1; i-- > 0;) {
        above[i][j] = above[i + 1][j] + table.probability[i + 1][j];
        beyond[i][j] = beyond[i + 1][j] + above[i + 1][j];
      }
    const ErrorSeries<T> in_cycle = composed(above, table.errors + high_count);
    const ErrorSeries<T> beyond_in_cycle = composed(beyond, table.errors + 2 * high_count);
    // At least 1 - rho_H: the subtraction loses no more digits than 1 - load does.
    const T pivot = T(1) - in_cycle.at[0];
    const double pivot_errors = lost(in_cycle.at[0], pivot, in_cycle.errors.at(0));
    const T busy_rest = rounded(numeric::Rational(1 - table.higher_load));
    const ErrorSeries<T> rest = inverse(in_cycle, pivot, pivot_errors, T(1), size);                 // R
    const ErrorSeries<T> cycle_tails = product(own_tails, rest, size);                              // b_Y
    const ErrorSeries<T> left = sum(product(beyond_in_cycle, cycle_tails, size), T(1), with_high);  // G
    ErrorSeries<T> cycle_beyond = sum(product(cycle_tails, left, size), T(1), own_beyond);
    divide(cycle_beyond, busy_rest, 1);  // c_Y
    const numeric::Rational sigma = table.load / (1 - table.higher_load);
    const T idle = rounded(numeric::Rational(1 - sigma));
    const ErrorSeries<T> served =
        inverse(cycle_tails, table.empty_cycle, table.empty_cycle_errors, T(1), size);  // U
    tail_when_served_ = product(sum(cycle_beyond, idle, cycle_tails), served, size);
    // The three parts of L, as masses and tails.
    ErrorSeries<T> second = rest, third = served;
    for (T& value : second.at) value *= busy_rest;
    for (T& value : third.at) value *= idle;
    second.errors.first += 2;
    third.errors.first += 2;
    const ErrorSeries<T> second_tails = product(rest, left, size),
                         third_tails = product(cycle_beyond, served, size);
    const ErrorSeries<T> two = sum(second_tails, T(1), product(second, third_tails, size));
    tail_ = sum(own_tails, T(1), product(sums.own, two, size));
    tail_.at.resize(size, T(0));
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const ErrorSeries<T>& tail() const { return tail_; }
  [[nodiscard]] const ErrorSeries<T>& tail_when_served() const { return tail_when_served_; }

 private:
  /// Y(z) = A(Y(z), z) and its powers.
  void make_cycle(const ClassTable<T>& table) {
    const std::size_t highs = table.probability.size(), lows = table.probability.front().size();
    const auto& p = table.probability;
    const T& start = table.empty_cycle;
    powers_.assign(highs, std::vector<T>(size_, T(0)));
    powers_[0][0] = T(1);
    for (std::size_t i = 1; i < highs; ++i) powers_[i][0] = powers_[i - 1][0] * start;
    T slope(0);  // A_y(y_0, 0)
    for (std::size_t i = 1; i < highs; ++i) slope += T(static_cast<long>(i)) * p[i][0] * powers_[i - 1][0];
    const T pivot = T(1) - slope;
    const auto maximum = static_cast<double>(highs), length = static_cast<double>(size_);
    const double slope_errors = table.errors + maximum * (table.empty_cycle_errors + 2) + 3;
    const double pivot_errors = class_series::lost(slope, pivot, slope_errors);
    std::vector<T> parts(highs, T(0));  // [z^n] Y^i without y_n
    for (std::size_t n = 1; n < size_; ++n) {
      T coefficient(0);
      for (std::size_t i = 0; i < highs; ++i) {
        if (i > 0) {
          T sum = start * parts[i - 1];
          const T* const own = powers_[highs > 1 ? 1 : 0].data();
          const T* const lower = powers_[i - 1].data();
          for (std::size_t m = 1; m < n; ++m) sum += own[m] * lower[n - m];
          parts[i] = std::move(sum);
        }
        T sum = p[i][0] * parts[i];
        for (std::size_t j = 1; j < std::min(lows, n + 1); ++j) sum += p[i][j] * powers_[i][n - j];
        coefficient += sum;
      }
      const T next = coefficient / pivot;
      for (std::size_t i = 1; i < highs; ++i)
        powers_[i][n] = parts[i] + T(static_cast<long>(i)) * powers_[i - 1][0] * next;
    }
    // A path to y_n contains at most 2 n - 1 coefficients of Y (docs/derivations/priorities.md).
    const double step = maximum * (length + 5) + maximum + static_cast<double>(lows) + table.errors +
                        maximum * (table.empty_cycle_errors + 1) + pivot_errors + 5;
    power_errors_ = {2 * step, maximum * (table.empty_cycle_errors + length + 5)};
  }

  /// sum over i of Y^i(z) c[i](z).
  [[nodiscard]] ErrorSeries<T> composed(const std::vector<std::vector<T>>& coefficients,
                                        double errors) const {
    ErrorSeries<T> result;
    result.at.assign(size_, T(0));
    for (std::size_t n = 0; n < size_; ++n)
      for (std::size_t i = 0; i < coefficients.size(); ++i) {
        T sum(0);
        for (std::size_t j = 0; j < std::min(coefficients[i].size(), n + 1); ++j)
          sum += coefficients[i][j] * powers_[i][n - j];
        result.at[n] += sum;
      }
    result.errors = {power_errors_.each, power_errors_.first + errors + 2 +
                                             static_cast<double>(coefficients.size()) +
                                             static_cast<double>(coefficients.front().size())};
    return result;
  }

  std::size_t size_;
  std::vector<std::vector<T>> powers_;  ///< of Y
  SeriesErrors power_errors_;
  ErrorSeries<T> tail_, tail_when_served_;
};

/// P(W > n) and P(W = n), n = 0 .. size - 1: each packet ahead takes a high cycle, and so does its own slot.
template <class T>
class ClassWaits {
 public:
  /// \param rounded  turns a rational into a T
  template <class Rounded>
  ClassWaits(const ClassTable<T>& table, std::size_t size, Rounded&& rounded) : size_(size) {
    using namespace class_series;
    const ClassSums<T> sums(table);
    const ErrorSeries<T>&high = sums.high, &both = sums.both;
    const ErrorSeries<T> high_tails = tails(high), both_tails = tails(both);
    const T idle = rounded(numeric::Rational(1 - table.load - table.higher_load));
    // Packets ahead of a lower-class packet in its own slot.
    ErrorSeries<T> same_slot{std::vector<T>(both.at.size(), T(0)), {0, both.errors.first + 1}};
    const auto& present = table.others.empty() ? table.probability : table.others;
    for (std::size_t i = 0; i < present.size(); ++i) {
      T tail(0);
      for (std::size_t j = present[i].size(); j-- > 0;) {
        // Of j others of the class 0, 1, .. j come first, each with the same probability.
        if (!table.others.empty()) tail += present[i][j] / T(static_cast<long>(j) + 1);
        same_slot.at[i + j] += tail;
        if (table.others.empty()) tail += present[i][j];
      }
    }
    if (table.others.empty()) divide(same_slot, rounded(table.load), 1);
    // Work left by earlier slots, 1 / (1 - B_T(z)), and its sum with the same-slot packets.
    const ErrorSeries<T> left = inverse(both_tails, both.at[0], both.errors.at(0), T(1), size);
    ErrorSeries<T> ahead = product(same_slot, left, size);
    for (T& mass : ahead.at) mass *= idle;
    ahead.errors.first += 2;
    const ErrorSeries<T> ahead_tails = product(sum(tails(both_tails), idle, tails(same_slot)), left, size);
    compose(high, high_tails, ahead, ahead_tails);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const ErrorSeries<T>& tail() const { return tail_; }
  [[nodiscard]] const ErrorSeries<T>& mass() const { return mass_; }

 private:
  /// Substitutes Theta(z), of a high cycle that begins with no packet, for z: row n has t[n][j] = (j/n)
  /// P(A_H(1) + .. + A_H(n) = n - j).
  void compose(const ErrorSeries<T>& high, const ErrorSeries<T>& high_tails, const ErrorSeries<T>& ahead,
               const ErrorSeries<T>& ahead_tails) {
    const auto zeros = [&](std::size_t size) { return std::vector<T>(size, T(0)); };
    ErrorSeries<T> first{zeros(size_), {}};     // S_X o Theta
    ErrorSeries<T> cost{zeros(size_ + 1), {}};  // z (B_H o Theta)
    mass_.at = zeros(size_);
    mass_.at[0] = ahead.at[0];
    first.at[0] = ahead_tails.at[0];
    cost.at[1] = high_tails.at[0];
    std::vector<T> sums = zeros(size_), next = zeros(size_);  // P(A_H(1) + .. + A_H(n) = .)
    sums[0] = T(1);
    for (std::size_t n = 1; n < size_; ++n) {
      for (std::size_t m = 0; m < size_; ++m) {  // those from n on are for later rows
        T sum(0);
        for (std::size_t i = 0; i < std::min(high.at.size(), m + 1); ++i) sum += high.at[i] * sums[m - i];
        next[m] = std::move(sum);
      }
      std::swap(sums, next);
      T mass(0), tail(0), cycles(0);
      for (std::size_t j = 1; j <= n; ++j) {
        const T weight = T(static_cast<long>(j)) * sums[n - j];
        mass += weight * ahead.at[j];
        tail += weight * ahead_tails.at[j];
        if (j < high_tails.at.size()) cycles += weight * high_tails.at[j];
      }
      const T slots(static_cast<long>(n));
      mass_.at[n] = mass / slots;
      first.at[n] = tail / slots;
      cost.at[n + 1] = cycles / slots;
    }
    cost.at.resize(size_);
    const double each = high.errors.first + static_cast<double>(high.at.size()) + 2;
    const auto composed_errors = [&](const SeriesErrors& of) {
      return SeriesErrors{each + of.each, of.first + static_cast<double>(size_) + 4};
    };
    mass_.errors = composed_errors(ahead.errors);
    first.errors = composed_errors(ahead_tails.errors);
    cost.errors = composed_errors(high_tails.errors);
    tail_ = class_series::product(class_series::inverse(cost, T(1), 0, T(1), size_), first, size_);
  }

  std::size_t size_;
  ErrorSeries<T> tail_, mass_;
};

}  // namespace tailbound::queue
