#pragma once

#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>

#include <optional>
#include <span>
#include <vector>

/// Number of ON sources among equal on-off sources, and their packets: for the simulations of rare events.
///
/// MODEL     J of m independent sources (traffic/on_off.hpp) are ON. In a slot they send Binomial(J, r)
///           packets; then J becomes Binomial(J, 1 - beta) + Binomial(m - J, alpha).
/// METHOD    Tilted by z, one source is described by the largest eigenvalue l and right eigenvector (1, f) of
///           [[1 - alpha, alpha], [w beta, w (1 - beta)]], w = 1 - r + r z:  alpha~ = alpha f / l, beta~ = w
///           beta / (l f), r~ = r z / w. The ratio of the plain to the tilted probability of T slots with A
///           packets from J to J' is  l^(m T) z^-A f^(J - J').
///           If each burst as a whole comes to the queue with probability s, sources are OFF, ON here or ON
///           elsewhere. Tilted, one is described by the largest eigenvalue l and right eigenvector (1, f, h)
///           of [[1 - alpha, alpha s, alpha (1 - s)], [w beta, w (1 - beta), 0], [beta, 0, 1 - beta]]; the
///           ratio is l^(m T) z^-A f^(H - H') h^(E - E'), H and E the numbers ON here and elsewhere.
/// SOURCE    docs/derivations/rare_events.md
/// TESTS     tests/sim/rare_bursty_queue_test.cpp
/// Internal to the sim module.
namespace tailbound::sim {

/// One source as floating-point numbers, plain or tilted.
struct OnOffChances {
  double on_rate = 0, start = 0, stop = 0;
  double log_eigenvalue = 0;   ///< log l
  double log_eigenvector = 0;  ///< log f
};

/// Tilted by e^exponent; 0: plain. The errors of the logarithms are a few 1e-16.
[[nodiscard]] OnOffChances tilted(const traffic::OnOff& source, double exponent);

/// One source whose bursts come here or go elsewhere, plain or tilted.
struct DirectedChances {
  double on_rate = 0;  ///< of sending, while ON here
  double start = 0;    ///< OFF -> ON
  double here = 0;     ///< probability that a starting burst comes here
  double stop_here = 0, stop_elsewhere = 0;
  double log_eigenvalue = 0;               ///< log l
  double log_here = 0, log_elsewhere = 0;  ///< log f, log h
};

/// Tilted by e^exponent, exponent >= 0; 0: plain. The errors of the logarithms are a few 1e-16.
/// \param share  fraction of its bursts that come here, above 0, below 1
[[nodiscard]] DirectedChances tilted(const traffic::OnOff& source, const numeric::Rational& share,
                                     double exponent);

/// log z0 [1/packet], z0 > 1 the solution of  z = product of l(z)^count.
/// \throws InvalidArgument  no sources, a count outside 1 .. 2^20
/// \throws Unstable         a total load of 1 or more
/// \throws NoAnswer         a single source, or two with bursts of one slot: the queue stays short
/// \throws LimitExceeded    the load is too close to 1
[[nodiscard]] double decay_exponent(std::span<const network::BurstySource> sources);

/// A distribution on first, first + 1, ...
struct DistributionTable {
  std::int32_t first;
  AliasTable table;
  [[nodiscard]] std::int32_t draw(std::uint32_t bits) const { return first + table.draw(bits); }
};

/// Draws from tables that are made when a number of ON sources first occurs. Each probability is exact up to
/// 2^-32, and less than 1e-20 in total is cut off. Not thread-safe.
class OnCount {
 public:
  static constexpr std::int64_t max_sources = 4096;

  /// \param count  1 .. max_sources
  OnCount(std::int64_t count, const OnOffChances& chances);

  using State = std::int32_t;  ///< sources ON

  /// Packets of a slot with `on` sources ON.
  [[nodiscard]] std::int32_t packets(State on, RandomStream& random) { return packets(on, random.next()); }
  [[nodiscard]] State next(State on, RandomStream& random) { return next(on, random.next()); }
  [[nodiscard]] State stationary(RandomStream& random) const { return stationary(random.next()); }
  [[nodiscard]] std::int32_t packets(std::int32_t on, std::uint32_t bits) {
    return packets_[static_cast<std::size_t>(on)] ? packets_[static_cast<std::size_t>(on)]->draw(bits)
                                                  : make_packets(on).draw(bits);
  }
  /// Sources ON in the next slot.
  [[nodiscard]] std::int32_t next(std::int32_t on, std::uint32_t bits) {
    return next_[static_cast<std::size_t>(on)] ? next_[static_cast<std::size_t>(on)]->draw(bits)
                                               : make_next(on).draw(bits);
  }
  /// ON sources in the stationary distribution of these chances.
  [[nodiscard]] std::int32_t stationary(std::uint32_t bits) const;

 private:
  const DistributionTable& make_packets(std::int32_t on);
  const DistributionTable& make_next(std::int32_t on);

  std::int64_t count_;
  OnOffChances chances_;
  std::vector<std::optional<DistributionTable>> packets_, next_;  ///< [sources ON]
};

/// The same for sources whose bursts come here or go elsewhere.
class DirectedCount {
 public:
  /// Numbers of ON sources.
  struct State {
    std::int32_t here = 0, elsewhere = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  /// \param count  1 .. OnCount::max_sources
  DirectedCount(std::int64_t count, const DirectedChances& chances);

  [[nodiscard]] std::int32_t packets(State on, RandomStream& random) {
    return packets_.draw(on.here, random);
  }
  [[nodiscard]] State next(State on, RandomStream& random) {
    const std::int32_t starts = starts_.draw(count_ - on.here - on.elsewhere, random);
    const std::int32_t come = come_here_.draw(starts, random);
    return {stay_here_.draw(on.here, random) + come,
            stay_elsewhere_.draw(on.elsewhere, random) + starts - come};
  }
  [[nodiscard]] State stationary(RandomStream& random) const;

 private:
  /// Binomial numbers with the same probability.
  class Binomials {
   public:
    Binomials(std::int32_t maximum, double probability);
    [[nodiscard]] std::int32_t draw(std::int32_t of, RandomStream& random) {
      if (of == 0 || certain_) return of;
      auto& table = tables_[static_cast<std::size_t>(of)];
      return table ? table->draw(random.next()) : make(of).draw(random.next());
    }

   private:
    const DistributionTable& make(std::int32_t of);
    double probability_;
    bool certain_;
    std::vector<std::optional<DistributionTable>> tables_;
  };
  std::int32_t count_;
  DirectedChances chances_;
  Binomials packets_, stay_here_, stay_elsewhere_, starts_, come_here_;
};

}  // namespace tailbound::sim
