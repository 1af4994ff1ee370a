#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>
#include <tailbound/queue/on_off/on_off_blocks.hpp>
#include <tailbound/queue/passage/silent_passage.hpp>

/// m identical on-off sources whose bursts go as a whole either to this queue or elsewhere.
/// Internal to the queue module.
///
/// MODEL     A source is OFF, ON here or ON elsewhere. OFF -> ON here with probability alpha s, OFF -> ON
///           elsewhere with alpha (1 - s), s the share of the bursts that come here; ON -> OFF with beta. Of
///           trains (`follow`) a source whose burst has ended starts the next in the same slot with the same
///           probabilities. The phase of m sources is (i, e): i ON here, e ON elsewhere. D_b((i, e), .) =
///           Binomial(i, r)(b) P((i, e), .).
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

/// Common to both forms of such sources.
struct DirectedGroup {
  numeric::Rational here, elsewhere;  ///< OFF -> ON: alpha s, alpha (1 - s)
  numeric::Rational stop;             ///< beta
  numeric::Rational on_rate;          ///< r
  std::int64_t count;
  bool follow;  ///< may a burst begin in the slot in which the last one ends?

  DirectedGroup(const OnOffGroup& group)
      : here(group.source.start * group.share),
        elsewhere(group.source.start * (1 - group.share)),
        stop(group.source.stop),
        on_rate(group.source.on_rate),
        count(group.count),
        follow(false) {}
  DirectedGroup(const GeometricTrains& trains)
      : here(trains.start() / numeric::Rational(static_cast<long>(trains.inputs))),
        elsewhere(trains.start() - here),
        stop(1 / trains.length),
        on_rate(1),
        count(trains.inputs),
        follow(true) {}
};

/// The order of the phases: by i first, so the phases that send at least b packets come last.
class DirectedPhases {
 public:
  explicit DirectedPhases(Eigen::Index sources) : sources_(sources) {}
  [[nodiscard]] Eigen::Index sources() const { return sources_; }
  [[nodiscard]] Eigen::Index count() const { return first(sources_ + 1); }
  /// The phase (i, 0), first of the sources + 1 - i phases with this i.
  [[nodiscard]] Eigen::Index first(Eigen::Index here) const { return here * (2 * sources_ + 3 - here) / 2; }
  [[nodiscard]] Eigen::Index at(Eigen::Index here, Eigen::Index elsewhere) const {
    return first(here) + elsewhere;
  }

 private:
  Eigen::Index sources_;
};

/// Maximum number of roundings of an entry of directed_transitions().
[[nodiscard]] inline double directed_roundings(const DirectedGroup& group) {
  const auto m = static_cast<double>(group.count);
  return group.follow ? 8 * m + 8 + (m + 2) * (m + 2) / 4 : 4 * m + 4;
}

/// P, the transition probabilities of the phases.
template <class T>
[[nodiscard]] Matrix<T> directed_transitions(const DirectedGroup& group) {
  const auto m = static_cast<Eigen::Index>(group.count);
  const DirectedPhases phases(m);
  const T here = from_rational<T>(group.here), elsewhere = from_rational<T>(group.elsewhere),
          off = from_rational<T>(1 - group.here - group.elsewhere);
  const Matrix<T> stay = binomials<T>(m, from_rational<T>(1 - group.stop), from_rational<T>(group.stop));
  // [f](a, c): of f OFF sources, a turn ON here and c elsewhere.
  std::vector<Matrix<T>> turn{Matrix<T>::Ones(1, 1)};
  for (Eigen::Index f = 1; f <= m; ++f) {
    Matrix<T> next = Matrix<T>::Zero(f + 1, f + 1);
    const Matrix<T>& last = turn.back();
    for (Eigen::Index a = 0; a < f; ++a)
      for (Eigen::Index c = 0; a + c < f; ++c) {
        next(a, c) += off * last(a, c);
        next(a + 1, c) += here * last(a, c);
        next(a, c + 1) += elsewhere * last(a, c);
      }
    turn.push_back(std::move(next));
  }
  Matrix<T> p = Matrix<T>::Zero(phases.count(), phases.count());
  for (Eigen::Index f = 0; f <= m; ++f)
    for (Eigen::Index e = 0; e + f <= m; ++e) {
      const Eigen::Index i = m - e - f, row = phases.at(i, e);
      if (group.follow) {
        for (Eigen::Index kept = 0; kept <= i; ++kept)
          for (Eigen::Index away = 0; away <= e; ++away) {
            const T both = stay(i, kept) * stay(e, away);
            const Eigen::Index free = m - kept - away;
            const Matrix<T>& starts = turn[static_cast<std::size_t>(free)];
            for (Eigen::Index a = 0; a <= free; ++a)
              for (Eigen::Index c = 0; a + c <= free; ++c)
                p(row, phases.at(kept + a, away + c)) += both * starts(a, c);
          }
        continue;
      }
      // (a, e'): of the f and e sources together, a are ON here and e' elsewhere in the next slot.
      Matrix<T> others = Matrix<T>::Zero(f + 1, e + f + 1);
      for (Eigen::Index a = 0; a <= f; ++a)
        for (Eigen::Index kept = 0; kept <= e; ++kept)
          for (Eigen::Index c = 0; a + c <= f; ++c)
            others(a, kept + c) += stay(e, kept) * turn[static_cast<std::size_t>(f)](a, c);
      for (Eigen::Index kept = 0; kept <= i; ++kept)
        for (Eigen::Index a = 0; a <= f; ++a)
          for (Eigen::Index next = 0; next <= e + f - a; ++next)
            p(row, phases.at(kept + a, next)) += stay(i, kept) * others(a, next);
    }
  return p;
}

/// Sources that send in every slot in which they are ON here.
template <class T>
[[nodiscard]] PhaseSteps<T> directed_steps(const DirectedGroup& group) {
  const auto m = static_cast<Eigen::Index>(group.count);
  const DirectedPhases phases(m);
  PhaseSteps<T> steps;
  steps.p = directed_transitions<T>(group);
  for (Eigen::Index b = 0; b <= m + 1; ++b) steps.first.push_back(phases.first(b));
  steps.ones = Column<T>::Ones(phases.count());
  steps.roundings = directed_roundings(group);
  return steps;
}

template <class T>
[[nodiscard]] Blocks<T> directed_blocks(const DirectedGroup& group) {
  const auto m = static_cast<Eigen::Index>(group.count);
  const DirectedPhases phases(m);
  const Matrix<T> change = directed_transitions<T>(group),
                  sent =
                      binomials<T>(m, from_rational<T>(group.on_rate), from_rational<T>(1 - group.on_rate));
  Blocks<T> blocks;
  for (Eigen::Index b = 0; b <= m; ++b) {
    Matrix<T> d = Matrix<T>::Zero(phases.count(), phases.count());
    for (Eigen::Index i = b; i <= m; ++i)
      d.middleRows(phases.first(i), m + 1 - i) = change.middleRows(phases.first(i), m + 1 - i) * sent(i, b);
    blocks.d.push_back(std::move(d));
    blocks.first_row.push_back(phases.first(b));
  }
  blocks.ones = Column<T>::Ones(phases.count());
  blocks.roundings = directed_roundings(group) + 3 * static_cast<double>(m) + 2;
  return blocks;
}

}  // namespace tailbound::queue
