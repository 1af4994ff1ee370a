#include <tailbound/queue/on_off/on_off_blocks.hpp>
#include <tailbound/queue/on_off/on_off_candidate.hpp>
#include <tailbound/queue/passage/wide.hpp>

namespace tailbound::queue {
namespace {

template <class T>
std::optional<Matrix<long double>> candidate(const OnOffNumbers<T>& numbers, std::int64_t sources,
                                             long double excess, int bits) {
  const numeric::PrecisionScope scope(numeric::Precision{bits});  // of this thread
  const auto g = on_off_passage<T>(numbers, sources, T(1) + T(excess), ldexp(T(1), -bits));
  if (!g) return std::nullopt;
  return Matrix<long double>(g->unaryExpr([](const T& entry) { return static_cast<long double>(entry); }));
}

template <class T>
std::optional<Both<Matrix<long double>>> candidates(const traffic::OnOff& source, std::int64_t sources,
                                                    const Both<long double>& excess, int bits) {
  const numeric::PrecisionScope scope(numeric::Precision{bits});
  // Converted once, for both sides.
  const OnOffNumbers<T> numbers(source);
  return both_sides<long double>([&](Side side) { return candidate(numbers, sources, excess[side], bits); });
}

}  // namespace

std::optional<Both<Matrix<long double>>> on_off_candidates(const traffic::OnOff& source, std::int64_t sources,
                                                           const Both<long double>& excess, int bits) {
  return bits == quad_bits ? candidates<Quad>(source, sources, excess, bits)
                           : candidates<numeric::Real>(source, sources, excess, bits);
}

}  // namespace tailbound::queue
