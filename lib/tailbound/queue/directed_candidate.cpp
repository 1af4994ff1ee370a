#include <tailbound/queue/directed_candidate.hpp>
#include <tailbound/queue/wide.hpp>

#include <future>

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
  auto second = std::async([&] { return candidate(numbers, group.count, excess[1], bits); });
  auto first = candidate(numbers, group.count, excess[0], bits);
  auto other = second.get();
  if (!first || !other) return std::nullopt;
  return std::array{*std::move(first), *std::move(other)};
}

}  // namespace

std::optional<std::array<Matrix<long double>, 2>> directed_candidates(
    const DirectedGroup& group, const std::array<long double, 2>& excess) {
  return group.count <= few_sources ? candidates<Quad>(group, excess, 113)
                                    : candidates<Wide>(group, excess, 320);
}

}  // namespace tailbound::queue
