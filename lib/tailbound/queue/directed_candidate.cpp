#include <tailbound/queue/directed_candidate.hpp>
#include <tailbound/queue/wide.hpp>

namespace tailbound::queue {
namespace {

template <class T>
std::optional<Matrix<long double>> candidate(const DirectedNumbers<T>& numbers, std::int64_t sources,
                                             long double excess) {
  const auto k =
      directed_passage<T>(numbers, sources, T(1) + T(excess), ldexp(T(1), -std::numeric_limits<T>::digits));
  if (!k) return std::nullopt;
  return Matrix<long double>(k->unaryExpr([](const T& entry) { return static_cast<long double>(entry); }));
}

template <class T>
std::optional<Both<Matrix<long double>>> candidates(const DirectedGroup& group,
                                                    const Both<long double>& excess) {
  // Read here: rationals must not be used by two threads.
  const DirectedNumbers<T> numbers(group);
  return both_sides<T>([&](Side side) { return candidate(numbers, group.count, excess[side]); });
}

}  // namespace

std::optional<Both<Matrix<long double>>> directed_candidates(const DirectedGroup& group,
                                                             const Both<long double>& excess) {
  return candidate_bits(group.count) == quad_bits ? candidates<Quad>(group, excess)
                                                  : candidates<Wide>(group, excess);
}

}  // namespace tailbound::queue
