#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/float128.hpp>
#include <tailbound/queue/on_off_blocks.hpp>
#include <tailbound/queue/on_off_candidate.hpp>

namespace tailbound::queue {
namespace {

namespace mp = boost::multiprecision;
using Quad = mp::float128;
/// For many sources: G's entries, and the eigenvectors' conditions, spread over many more orders.
using Wide = mp::number<mp::cpp_bin_float<320, mp::digit_base_2>, mp::et_off>;

constexpr std::int64_t few = 40;

template <class T>
std::optional<Matrix<long double>> computed_in(const traffic::OnOff& source, std::int64_t sources,
                                               long double excess, int bits) {
  const auto g = on_off_passage<T>(source, sources, T(1) + T(excess), ldexp(T(1), -bits));
  if (!g) return std::nullopt;
  return Matrix<long double>(g->unaryExpr([](const T& entry) { return static_cast<long double>(entry); }));
}

}  // namespace

std::optional<Matrix<long double>> on_off_candidate(const traffic::OnOff& source, std::int64_t sources,
                                                    long double excess) {
  return sources <= few ? computed_in<Quad>(source, sources, excess, 113)
                        : computed_in<Wide>(source, sources, excess, 320);
}

}  // namespace tailbound::queue
