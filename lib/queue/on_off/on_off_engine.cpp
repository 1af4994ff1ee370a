#include <tailbound/queue/on_off/on_off_blocks.hpp>
#include <tailbound/queue/on_off/on_off_engine.hpp>
#include <tailbound/queue/on_off/on_off_widening.hpp>
#include <tailbound/queue/passage/passage_bounds.hpp>

#include <optional>

namespace tailbound::queue {
namespace {

using numeric::Rational;

constexpr int double_bits = 53;
/// Maximum error of a candidate: beyond it the bounds would be useless.
constexpr double max_error_in_doubles = 1e-9;

/// In double precision, with entries that are too small raised.
Blocks<double> in_doubles(const Blocks<long double>& blocks) {
  Blocks<double> result;
  const auto round = [](long double entry) {
    return entry > 0 && entry < min_double ? min_double : static_cast<double>(entry);
  };
  for (const Matrix<long double>& d : blocks.d) result.d.emplace_back(d.unaryExpr(round));
  result.first_row = blocks.first_row;
  result.ones = blocks.ones.cast<double>();
  // Roundings of long doubles are smaller by eleven bits.
  result.roundings = blocks.roundings / 1024 + 1;
  return result;
}

std::optional<PassageBounds<double>> passage_bounds(const OnOffGroup& group, const Blocks<double>& blocks) {
  // Converted once, for both sides.
  const OnOffNumbers<long double> numbers(group.source);
  const Matrix<double> units = error_units<double>(numbers, group.count);
  const auto find = [&](const Outward<double>& outward) -> std::optional<CheckedCandidate<double>> {
    const long double theta = Passage<double>::theta(blocks, outward);
    const auto g = on_off_passage<long double>(
        numbers, group.count, Outward<long double>(outward.side(), 64).scaled(theta), 0x1p-64L);
    if (!g) return std::nullopt;
    return widened(blocks, units, Matrix<double>(g->cast<double>()), outward, max_error_in_doubles);
  };
  return PassageBounds<double>::make(double_bits, find);
}

class OnOffEngine final : public Engine {
 public:
  OnOffEngine(const OnOffGroup& group, const Rational& load)
      : bounds_(require(
            passage_bounds(group, in_doubles(on_off_blocks<long double>(group.source, group.count))))) {
    bounds_.start(from_rational<double>(1 - load), double_bits);
  }
  Bounds tail(std::size_t level) override { return finite(bounds_.tail(level)); }
  Bounds probability(std::size_t level) override { return finite(bounds_.probability(level)); }
  Bounds mean() override { return finite(bounds_.mean()); }
  Bounds loss(std::size_t) override { throw TooFewBits{}; }

 private:
  static Bounds finite(Bounds bounds) {
    if (!isfinite(bounds.lower) || !isfinite(bounds.upper)) throw TooFewBits{};
    return bounds;
  }

  PassageBounds<double> bounds_;
};

}  // namespace

std::unique_ptr<Engine> make_on_off_engine(const OnOffGroup& group, const Rational& load) {
  return std::make_unique<OnOffEngine>(group, load);
}

}  // namespace tailbound::queue
