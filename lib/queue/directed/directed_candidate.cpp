#include <tailbound/queue/directed/directed_candidate.hpp>
#include <tailbound/queue/passage/wide.hpp>

namespace tailbound::queue {
namespace {

template <class T>
std::optional<Matrix<long double>> candidate(const DirectedNumbers<T>& numbers, std::int64_t sources,
                                             long double excess, int bits) {
  const numeric::PrecisionScope scope(numeric::Precision{bits});  // of this thread
  const auto k = directed_passage<T>(numbers, sources, T(1) + T(excess), ldexp(T(1), -bits));
  if (!k) return std::nullopt;
  return Matrix<long double>(k->unaryExpr([](const T& entry) { return static_cast<long double>(entry); }));
}

template <class T>
std::optional<Both<Matrix<long double>>> candidates(const DirectedGroup& group,
                                                    const Both<long double>& excess, int bits) {
  const numeric::PrecisionScope scope(numeric::Precision{bits});
  // Converted once, for both sides.
  const DirectedNumbers<T> numbers(group);
  return both_sides<long double>(
      [&](Side side) { return candidate(numbers, group.count, excess[side], bits); });
}

}  // namespace

std::optional<Both<Matrix<long double>>> directed_candidates(const DirectedGroup& group,
                                                             const Both<long double>& excess) {
  const int bits = candidate_bits(group.count);
  return bits == quad_bits ? candidates<Quad>(group, excess, bits)
                           : candidates<numeric::Real>(group, excess, bits);
}

}  // namespace tailbound::queue
