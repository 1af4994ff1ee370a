#include <tailbound/queue/directed_candidate.hpp>
#include <tailbound/queue/wide.hpp>

namespace tailbound::queue {
namespace {

template <class T>
std::optional<Matrix<long double>> candidate(const DirectedNumbers<T>& numbers, std::int64_t sources,
                                             long double excess, int bits) {
  const auto k = directed_passage<T>(numbers, sources, T(1) + T(excess), ldexp(T(1), -bits));
  if (!k) return std::nullopt;
  return Matrix<long double>(k->unaryExpr([](const T& entry) { return static_cast<long double>(entry); }));
}

template <class T>
std::optional<std::array<Matrix<long double>, 2>> candidates(const DirectedGroup& group,
                                                             const std::array<long double, 2>& excess,
                                                             int bits) {
  // Read here: rationals must not be used by two threads.
  const DirectedNumbers<T> numbers(group);
  return both_sides<T>(
      [&](Side side) { return candidate(numbers, group.count, excess[side == Side::below ? 0 : 1], bits); });
}

}  // namespace

std::optional<std::array<Matrix<long double>, 2>> directed_candidates(
    const DirectedGroup& group, const std::array<long double, 2>& excess) {
  return group.count <= few_sources ? candidates<Quad>(group, excess, 113)
                                    : candidates<Wide>(group, excess, 320);
}

}  // namespace tailbound::queue
