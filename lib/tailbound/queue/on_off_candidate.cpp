#include <tailbound/queue/on_off_blocks.hpp>
#include <tailbound/queue/on_off_candidate.hpp>
#include <tailbound/queue/wide.hpp>

namespace tailbound::queue {
namespace {

template <class T>
std::optional<Matrix<long double>> candidate(const OnOffNumbers<T>& numbers, std::int64_t sources,
                                             long double excess, int bits) {
  const auto g = on_off_passage<T>(numbers, sources, T(1) + T(excess), ldexp(T(1), -bits));
  if (!g) return std::nullopt;
  return Matrix<long double>(g->unaryExpr([](const T& entry) { return static_cast<long double>(entry); }));
}

template <class T>
std::optional<std::array<Matrix<long double>, 2>> candidates(const traffic::OnOff& source,
                                                             std::int64_t sources,
                                                             const std::array<long double, 2>& excess,
                                                             int bits) {
  // Read here: rationals must not be used by two threads.
  const OnOffNumbers<T> numbers(source);
  return both_sides<T>(
      [&](Side side) { return candidate(numbers, sources, excess[side == Side::below ? 0 : 1], bits); });
}

}  // namespace

std::optional<std::array<Matrix<long double>, 2>> on_off_candidates(const traffic::OnOff& source,
                                                                    std::int64_t sources,
                                                                    const std::array<long double, 2>& excess,
                                                                    int bits) {
  return bits <= 113 ? candidates<Quad>(source, sources, excess, 113)
                     : candidates<Wide>(source, sources, excess, 320);
}

}  // namespace tailbound::queue
