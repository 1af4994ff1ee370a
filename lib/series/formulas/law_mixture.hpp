#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/real.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// Mixtures of distributions of the packets in a slot, from their own formulas: intervals to any precision.
///
/// MODEL     each packet of a slot with A packets, A of the mixture, is kept with probability f,
///           independently (f = 1: all).
/// RESULT    enclosures of the probabilities, and of the mass and the excess beyond them: no table is cut or
///           normalized after rounding.
/// TESTS     tests/series/named_laws_test.cpp
namespace tailbound::series {

/// A distribution with its parameters in the order in which they are written.
struct Law {
  enum class Kind {
    none,               ///< no packet
    negative_binomial,  ///< r, p: P(k) = C(k+r-1, k) p^r (1-p)^k, k >= 0
    binomial,           ///< n, p
    logarithmic,        ///< p: P(k) = -p^k / (k log(1-p)), k >= 1
    zipf,               ///< s, n: P(k) in proportion to k^-s, k = 1 .. n
    log_normal,         ///< mu, sigma, n: a log-normal variable rounded to integers, given that it is <= n
    uniform,            ///< a, b: a .. b, equally likely
  };
  Kind kind = Kind::none;
  std::vector<numeric::Rational> of;
};

class LawMixture {
 public:
  struct Part {
    numeric::Rational share;
    Law law;
  };
  /// P(A = j), j < size, and what is beyond: enclosed, at most 2^floor in all unless `finite`.
  struct Prefix {
    std::vector<numeric::Interval> pmf;
    numeric::Interval mass_after, excess_after;  ///< P(A > last), E[max(A - last, 0)]
    bool finite = true;                          ///< A <= last
  };

  /// \pre parameters in range; shares that sum to 1
  explicit LawMixture(std::vector<Part> parts);

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  /// With the precision in force.
  /// \param kept    f, above 0; the number 1 exactly for all packets
  /// \throws LimitExceeded  more than `longest` entries, or a table of more than 2048 to be thinned
  [[nodiscard]] Prefix prefix(const numeric::Interval& kept, double floor, std::size_t longest) const;
  /// E[z^A] for z >= 1, all packets kept.
  /// \throws InvalidArgument  it is infinite, or may be at this precision
  [[nodiscard]] numeric::Interval value(const numeric::Interval& z) const;
  struct Moments {
    numeric::Interval first, second_factorial;
  };
  [[nodiscard]] Moments moments() const;
  /// E[A] and E[A] where both are rational and short.
  struct ExactMoments {
    numeric::Rational first, second_factorial;
  };
  [[nodiscard]] std::optional<ExactMoments> exact_moments() const;
  /// Empty if unlimited.
  [[nodiscard]] std::optional<std::int64_t> largest_batch() const;

 private:
  struct Tables;
  [[nodiscard]] std::shared_ptr<const std::vector<numeric::Interval>> table(std::size_t part) const;

  std::vector<Part> parts_;
  std::shared_ptr<Tables> tables_;  ///< of the laws with a finite table, at the finest precision requested
};

/// The probabilities of a law that is a short table of rationals; none otherwise.
[[nodiscard]] std::optional<std::vector<numeric::Rational>> exact_table(const Law& law);

}  // namespace tailbound::series
