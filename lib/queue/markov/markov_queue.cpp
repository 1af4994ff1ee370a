#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/directed/directed_blocks.hpp>
#include <tailbound/queue/directed/directed_engine.hpp>
#include <tailbound/queue/finite/finite_queue.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/on_off/modal_blocks.hpp>
#include <tailbound/queue/on_off/on_off_blocks.hpp>
#include <tailbound/queue/on_off/on_off_candidate.hpp>
#include <tailbound/queue/on_off/on_off_engine.hpp>
#include <tailbound/queue/on_off/on_off_widening.hpp>
#include <tailbound/queue/passage/exact_finite.hpp>
#include <tailbound/queue/passage/finite_passage.hpp>
#include <tailbound/queue/passage/passage_bounds.hpp>
#include <tailbound/queue/passage/wide.hpp>
#include <tailbound/queue/target.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace tailbound::queue {
namespace {

using numeric::Digits;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

constexpr double max_operations = 4e10;
constexpr std::size_t max_levels = 10'000'000;
constexpr int bits_of_doubles = 53, max_markov_bits = 512;
constexpr int max_digits_of_doubles = 10;
/// Maximum error of candidates in long double: a larger one would cost digits of the bounds.
constexpr long double max_error = 1e-18L;

/// --- blocks -----------------------------------------------------------------------------------------------

/// Sources without memory: one phase.
template <class T>
Blocks<T> bernoulli_blocks(const OnOffGroup& group) {
  const auto m = static_cast<Eigen::Index>(group.count);
  const Matrix<T> law =
      binomials<T>(m, from_rational<T>(group.source.on_rate), from_rational<T>(1 - group.source.on_rate));
  Blocks<T> blocks;
  for (Eigen::Index b = 0; b <= m; ++b) {
    blocks.d.push_back(Matrix<T>::Constant(1, 1, law(m, b)));
    blocks.first_row.push_back(0);
  }
  blocks.ones = Column<T>::Ones(1);
  blocks.roundings = 3 * static_cast<double>(m) + 2;
  return blocks;
}

/// Two independent streams together: phases are pairs.
template <class T>
Blocks<T> together(const Blocks<T>& left, const Blocks<T>& right) {
  const auto n = left.phases(), k = right.phases();
  Blocks<T> both;
  both.d.assign(left.d.size() + right.d.size() - 1, Matrix<T>::Zero(n * k, n * k));
  for (std::size_t a = 0; a < left.d.size(); ++a)
    for (std::size_t b = 0; b < right.d.size(); ++b)
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j)
          both.d[a + b].block(i * k, j * k, k, k) += left.d[a](i, j) * right.d[b];
  both.first_row.assign(both.d.size(), 0);
  both.ones = Column<T>::Ones(n * k);
  both.roundings =
      left.roundings + right.roundings + static_cast<double>(std::min(left.d.size(), right.d.size())) + 1;
  return both;
}

template <class T>
Blocks<T> blocks_of(const MarkovArrivals& arrivals) {
  if (const auto* rational = std::get_if<RationalBlocks>(&arrivals.form()))
    return rational_blocks<T>(*rational);
  const auto& groups = std::get<std::vector<OnOffGroup>>(arrivals.form());
  const auto of_group = [](const OnOffGroup& group) {
    return group.source.stop == 0 ? bernoulli_blocks<T>(group)
           : group.share != 1     ? directed_blocks<T>(group)
                                  : on_off_blocks<T>(group.source, group.count);
  };
  Blocks<T> all = of_group(groups.front());
  for (std::size_t i = 1; i < groups.size(); ++i) all = together(all, of_group(groups[i]));
  return all;
}

/// The group of on-off sources, if there is only one.
const OnOffGroup* single_group(const MarkovArrivals& arrivals) {
  const auto* groups = std::get_if<std::vector<OnOffGroup>>(&arrivals.form());
  return groups != nullptr && groups->size() == 1 && groups->front().source.stop != 0 ? &groups->front()
                                                                                      : nullptr;
}

/// One group whose bursts may go elsewhere.
std::optional<DirectedGroup> directed_group_of(const MarkovArrivals& arrivals) {
  if (const auto* trains = std::get_if<GeometricTrains>(&arrivals.form())) return DirectedGroup(*trains);
  const OnOffGroup* group = single_group(arrivals);
  if (group != nullptr && group->share != 1) return DirectedGroup(*group);
  return std::nullopt;
}

/// --- engines ----------------------------------------------------------------------------------------------

/// Lower and upper bounds in T.
template <class T>
class CertifiedEngine final : public Engine {
 public:
  CertifiedEngine(const MarkovArrivals& arrivals, int bits) : bits_(bits) {
    const PrecisionScope scope(Precision{bits});
    blocks_ = blocks_of<T>(arrivals);
    load_ = from_rational<T>(arrivals.load());
    if (arrivals.load() >= 1) return;  // only the finite queue exists
    find_passages(arrivals);
    bounds_->start(from_rational<T>(1 - arrivals.load()), bits);
  }

  Bounds tail(std::size_t level) override {
    const PrecisionScope scope(Precision{bits_});
    return bounds_->tail(level);
  }
  Bounds probability(std::size_t level) override {
    const PrecisionScope scope(Precision{bits_});
    return bounds_->probability(level);
  }
  Bounds mean() override {
    const PrecisionScope scope(Precision{bits_});
    return bounds_->mean();
  }
  Bounds loss(std::size_t capacity) override {
    const PrecisionScope scope(Precision{bits_});
    const Outward<T> below_side(Side::below, bits_), above_side(Side::above, bits_);
    const auto blocks_of_side = [&](const Outward<T>& side) {
      if (!bounds_) return moved(blocks_, side);
      return bounds_->passages()[side.side()].blocks();
    };
    if (!finite_)
      finite_ = {FinitePassage<T>(blocks_of_side(below_side), below_side),
                 FinitePassage<T>(blocks_of_side(above_side), above_side)};
    const Eigen::Index reference = bounds_ ? bounds_->reference() : frequent_phase(capacity);
    const auto below = require(finite_->below.sums(capacity, reference));
    const auto above = require(finite_->above.sums(capacity, reference));
    const T down = below_side.factor(5), up = above_side.factor(5);
    return {as_real(T(below.lost / (above.mass * load_) * down)),
            as_real(T(above.lost / (below.mass * load_) * up))};
  }

 private:
  /// In overload: a phase that is frequent when the finite queue is empty. A rare one costs digits of the
  /// bounds.
  Eigen::Index frequent_phase(std::size_t capacity) const {
    const Outward<T> plain(Side::nearest, bits_);
    FinitePassage<T> passages(moved(blocks_, plain), plain);
    Eigen::Index phase = 0;
    require(passages.phases_when_empty(std::min<std::size_t>(capacity, 16))).maxCoeff(&phase);
    return phase;
  }

  void find_passages(const MarkovArrivals& arrivals) {
    const OnOffGroup* group = single_group(arrivals);
    if (group != nullptr && group->share == 1 && found_by_eigenvectors(*group)) return;
    const T unit = Outward<T>(Side::below, bits_).unit();
    if (group != nullptr && group->share != 1) {
      if (try_passages(iterated_candidates(max_operations))) return;
      // Cyclic reduction would take hours here.
      if (blocks_.phases() > MarkovQueue::max_certified_phases)
        throw LimitExceeded("bursts this long with " + std::to_string(blocks_.phases()) +
                            " phases are not supported");
    }
    // Approximate work of cyclic reduction, which is far slower at most loads.
    const auto phases = static_cast<double>(blocks_.phases());
    if (group == nullptr && phases > 8 &&
        try_passages(iterated_candidates(
            phases > MarkovQueue::max_certified_phases ? max_operations : 3e4 * phases * phases * phases)))
      return;
    const auto reduced = [&](Side side) {
      const Outward<T> outward(side, bits_);
      return cyclic_reduction(blocks_, outward.scaled(Passage<T>::theta(blocks_, outward)), unit);
    };
    if (!try_passages(Both<Matrix<T>>{reduced(Side::below), reduced(Side::above)})) throw TooFewBits{};
  }

  /// By plain iteration, where there are too many phases for cyclic reduction.
  /// \param maximum  maximum number of operations
  std::optional<Both<Matrix<T>>> iterated_candidates(double maximum) const {
    double products = static_cast<double>(blocks_.phases());
    for (const Eigen::Index row : blocks_.first_row) products += static_cast<double>(blocks_.phases() - row);
    const double operations = products * std::pow(static_cast<double>(blocks_.phases()), 2);
    const int rounds = static_cast<int>(std::min(2e5, maximum / operations));
    return both_sides<T>([&](Side side) {
      const Outward<T> outward(side, bits_);
      const T theta = Passage<T>::theta(blocks_, outward);
      return iterated_passage(blocks_, outward.scaled(theta), T(theta / 16), rounds);
    });
  }

  bool found_by_eigenvectors(const OnOffGroup& group) {
    const Both<T> excess = excess_of<Passage<T>>(blocks_, bits_);
    if constexpr (std::is_same_v<T, Real>) {
      Both<Matrix<T>> candidates;
      const int wide = 2 * bits_ + 8 * static_cast<int>(group.count);
      for (const Side side : {Side::below, Side::above}) {
        {
          const PrecisionScope scope(Precision{wide});
          auto g = on_off_passage<Real>(OnOffNumbers<Real>(group.source), group.count, Real(1) + excess[side],
                                        ldexp(Real(1), -wide));
          if (!g) return false;
          candidates[side] = *std::move(g);
        }
        for (Real& entry : candidates[side].reshaped()) entry = rounded_to_scope(entry);
      }
      return try_passages(candidates);
    } else {
      const auto candidates = on_off_candidates(group.source, group.count, excess, quad_bits);
      if (candidate_bits(group.count) == quad_bits && try_passages(candidates)) return true;
      // Entries below the resolution of 113 bits relative to the largest.
      if (candidates) {
        const Matrix<T> units = error_units<T>(OnOffNumbers<T>(group.source), group.count);
        bounds_ = PassageBounds<T>::make(bits_, [&](const Outward<T>& outward) {
          return widened(blocks_, units, (*candidates)[outward.side()], outward, max_error);
        });
        if (bounds_) return true;
      }
      return try_passages(on_off_candidates(group.source, group.count, excess, wide_bits));
    }
  }

  bool try_passages(const std::optional<Both<Matrix<T>>>& candidates) {
    if (candidates) bounds_ = PassageBounds<T>::make(blocks_, *candidates, bits_);
    return bounds_.has_value();
  }

  int bits_;
  Blocks<T> blocks_;
  T load_;
  std::optional<PassageBounds<T>> bounds_;
  std::optional<Both<FinitePassage<T>>> finite_;
};

/// Spectral approximation with a given number of modes, not proved.
class ModalEngine final : public Engine {
 public:
  ModalEngine(const OnOffGroup& group, const Rational& load, Eigen::Index modes)
      : blocks_(modal_blocks(group.source, group.count, modes)), load_(from_rational<long double>(load)) {
    const Outward<long double> plain(Side::nearest, 64);
    passage_ = Passage<long double>::make(blocks_, cyclic_reduction(blocks_, 1.0L, plain.unit()), plain);
    const auto idle = stationary(passage_->g(), 0, plain);
    passage_->start(*idle * from_rational<long double>(1 - load));
  }
  Bounds tail(std::size_t level) override {
    while (passage_->levels().size() <= level) passage_->push();
    return twice(passage_->tail(level));
  }
  Bounds probability(std::size_t level) override {
    while (passage_->levels().size() <= level) passage_->push();
    return twice(passage_->levels()[level](0));
  }
  Bounds mean() override { return twice(*passage_->mean()); }
  Bounds loss(std::size_t capacity) override {
    if (!finite_) finite_.emplace(blocks_, passage_->outward());
    const auto sums = *finite_->sums(capacity, 0);
    return twice(sums.lost / (sums.mass * load_));
  }

 private:
  static Bounds twice(long double value) { return {as_real(value), as_real(value)}; }
  Blocks<long double> blocks_;
  long double load_;
  std::optional<Passage<long double>> passage_;
  std::optional<FinitePassage<long double>> finite_;
};

/// Losses (of a finite queue), or tails and means (of an infinite one).
enum class Requested { tail, loss };

}  // namespace

struct MarkovQueue::State {
  MarkovArrivals arrivals;
  Digits digits;
  bool certified = true;
  std::map<int, std::unique_ptr<Engine>> engines{};  ///< by number of bits or of modes
  std::set<int> not_made{};                          ///< numbers of bits that were too few

  std::optional<DirectedGroup> directed_group = directed_group_of(arrivals);

  /// Exactly one packet in every slot: Q = 1 always.
  bool one_in_every_slot = false;

  static constexpr int on_off_modes[] = {10, 15, 22, 33, 50}, directed_modes[] = {3, 4, 6, 8, 12};
  [[nodiscard]] const auto& modes() const { return directed() ? directed_modes : on_off_modes; }
  /// Whether it is one group whose bursts may go elsewhere.
  [[nodiscard]] bool directed() const { return directed_group.has_value(); }
  /// Whether the number ON here determines the arrivals.
  [[nodiscard]] bool silent_passages() const { return directed() && directed_group->on_rate == 1; }

  Engine& engine(int bits_or_modes) {
    std::unique_ptr<Engine>& engine = engines[bits_or_modes];
    if (engine) return *engine;
    const OnOffGroup* group = single_group(arrivals);
    if (!certified)
      engine = directed()
                   ? make_directed_modes_engine(*directed_group, arrivals.load(), bits_or_modes)
                   : std::make_unique<ModalEngine>(*group, arrivals.load(),
                                                   std::min<Eigen::Index>(bits_or_modes, arrivals.phases()));
    else if (silent_passages())
      engine = make_directed_engine(*directed_group, arrivals.load(), bits_or_modes);
    else if (bits_or_modes == bits_of_doubles)
      engine = make_on_off_engine(*group, arrivals.load());
    else if (bits_or_modes == 64)
      engine = std::make_unique<CertifiedEngine<long double>>(arrivals, 64);
    else
      engine = std::make_unique<CertifiedEngine<Real>>(arrivals, bits_or_modes);
    return *engine;
  }

  /// The first bounds that satisfy `enough`, from engines of increasing precision.
  /// \param minimum  initial number of bits
  Bounds proved(const std::function<Bounds(Engine&)>& compute,
                const std::function<bool(const Bounds&)>& enough, int minimum) {
    for (const int bits : {bits_of_doubles, 64, 128, 256, max_markov_bits}) {
      if (bits < minimum || not_made.contains(bits)) continue;
      try {
        not_made.insert(bits);  // in case it throws
        Engine& made = engine(bits);
        not_made.erase(bits);
        Bounds bounds = compute(made);
        if (enough(bounds)) return bounds;
      } catch (const TooFewBits&) {
        continue;
      }
    }
    throw LimitExceeded("the requested digits, or a target this close to the probability, need more than " +
                        std::to_string(max_markov_bits) + " bits; give another target or fewer digits");
  }
  /// \throws Unstable  rho >= 1: P(Q > n) does not exist
  void require_stable() const {
    if (arrivals.load() >= 1 && !one_in_every_slot) throw Unstable(numeric::plain(arrivals.load()));
  }
  /// Doubles suffice for few digits of tails and means of identical sources.
  [[nodiscard]] int min_bits(Requested requested, int wanted) const {
    const OnOffGroup* group = single_group(arrivals);
    const bool doubles = group != nullptr && group->share == 1 && requested != Requested::loss;
    return doubles && wanted <= max_digits_of_doubles ? bits_of_doubles : 64;
  }

  struct Agreed {
    Real value;
    int digits;
  };
  static int agreement(const Real& left, const Real& right) {
    if (left == right) return 18;
    const double ratio = static_cast<double>(abs(Real((left - right) / right)));
    return std::clamp(static_cast<int>(std::floor(-std::log10(ratio))), 0, 18);
  }
  /// The value for two numbers of modes that agree to the requested digits, or to `enough`, or for the
  /// largest two (the second and third largest where few digits suffice).
  Agreed computed(const std::function<Bounds(Engine&)>& compute, int enough) {
    Real before = compute(engine(modes()[0])).lower;
    Agreed best{before, 0};
    for (std::size_t i = 1; i < std::size(modes()) && (i < 3 || enough == max_digits); ++i) {
      const Real now = compute(engine(modes()[i])).lower;
      best = {now, agreement(before, now)};
      if (best.digits >= std::min(digits.count, enough)) break;
      before = now;
    }
    return best;
  }

  template <class Unit>
  numeric::Claim<Unit> claim(Requested requested, const std::function<Bounds(Engine&)>& compute) {
    if (arrivals.load() == 0)
      return numeric::Exact<Unit>{numeric::Theorem::markov_queue, 0};  // a queue that is always empty
    if (!certified) {
      const Agreed agreed = computed(compute, enough_of(requested));
      return numeric::Approximation<Unit>{agreed.value, agreed.digits};
    }
    const Bounds bounds = proved(
        compute, [this](const Bounds& b) { return agree_to(b.lower, b.upper, digits); },
        min_bits(requested, digits.count));
    return numeric::Enclosure<Unit>(numeric::Theorem::markov_queue, bounds.lower, bounds.upper);
  }

  /// Whether the number is at most `target`: proved, or as computed.
  bool at_most(Requested requested, const std::function<Bounds(Engine&)>& compute, const Rational& target) {
    if (arrivals.load() == 0) return true;
    if (!certified) return numeric::compare(computed(compute, enough_of(requested)).value, target) <= 0;
    const Bounds bounds = proved(
        compute,
        [&](const Bounds& b) {
          return numeric::compare(b.upper, target) <= 0 || numeric::compare(b.lower, target) > 0;
        },
        min_bits(requested, 1));
    return numeric::compare(bounds.upper, target) <= 0;
  }

  bool loss_at_most(std::int64_t capacity, const Rational& target) {
    try {
      return at_most(
          Requested::loss,
          [capacity](Engine& engine) { return engine.loss(static_cast<std::size_t>(capacity)); }, target);
    } catch (const LimitExceeded&) {  // perhaps equal, which no enclosure decides
      const auto* blocks = std::get_if<RationalBlocks>(&arrivals.form());
      const auto exact = blocks ? exact_finite_loss(*blocks, arrivals.load(), capacity) : std::nullopt;
      if (!exact) throw;
      return *exact <= target;
    }
  }

  /// For losses: each further number of modes takes several times as long where matrices over all modes are
  /// used.
  [[nodiscard]] int enough_of(Requested requested) const {
    return requested == Requested::loss && directed() && !silent_passages() ? 3 : max_digits;
  }

  void check_capacity(std::int64_t capacity) const {
    check_level(capacity, "capacity");
    if (!directed() || !certified)
      return;  // deep buffers with modes: extrapolated from losses of smaller
               // ones
    const double phases = matrix_phases();
    double kept = 4 * phases * phases, work = 0;  // numbers in memory and products, per level
    if (silent_passages()) {
      const auto silent = static_cast<double>(directed_group->count + 1);
      kept = 2 * (phases * silent + 4 * silent * silent);
      work = 4 * phases * phases * silent;
    }
    const double maximum = std::min(6e7 / kept, work > 0 ? max_operations / work : 1e18);
    if (static_cast<double>(capacity) > maximum)
      throw LimitExceeded("a capacity of " + std::to_string(capacity) + " with " +
                          std::to_string(arrivals.phases()) + " phases; the limit is " +
                          std::to_string(static_cast<std::int64_t>(maximum)));
  }

  /// Phases, or the modes used instead.
  [[nodiscard]] double matrix_phases() const {
    return certified ? static_cast<double>(arrivals.phases()) : silent_passages() ? 600 : 130;
  }

  [[noreturn]] void throw_beyond(std::int64_t level, double maximum) const {
    throw LimitExceeded("a queue of " + std::to_string(level) + " packets is beyond the limit of " +
                        std::to_string(static_cast<std::int64_t>(maximum)) + " packets for arrivals with " +
                        std::to_string(arrivals.phases()) + " phases");
  }

  /// \throws LimitExceeded  the work would exceed the limit
  void check_level(std::int64_t level, const char* name) const {
    if (level < 0) throw InvalidArgument(name, std::to_string(level), "at least 0 packets");
    if (silent_passages() || (directed() && !certified)) {
      // A level uses P once (with lower on-rates D_1, D_2, ..) and is stored twice.
      const double phases = matrix_phases(), matrices = silent_passages() ? 2 : 20;
      const double maximum = std::min(max_operations / (matrices * phases * phases), 3e7 / phases);
      if (static_cast<double>(level) > maximum) throw_beyond(level, maximum);
      return;
    }
    const double phases = certified ? static_cast<double>(arrivals.phases()) : 50;
    double batch = 40;
    if (const auto* groups = std::get_if<std::vector<OnOffGroup>>(&arrivals.form());
        groups != nullptr && certified) {
      batch = 0;
      for (const OnOffGroup& group : *groups) batch += static_cast<double>(group.count);
    } else if (const auto* blocks = std::get_if<RationalBlocks>(&arrivals.form())) {
      batch = static_cast<double>(blocks->size());
    }
    const double maximum = std::min(max_operations / (phases * phases * (batch + 1)), double{max_levels});
    if (static_cast<double>(level) > maximum) throw_beyond(level, maximum);
  }
};

MarkovQueue::MarkovQueue(MarkovArrivals arrivals, Digits digits, Proof proof)
    : state_(std::make_unique<State>(State{.arrivals = std::move(arrivals), .digits = digits})) {
  if (digits.count < 1 || digits.count > max_digits)
    throw InvalidArgument("digits", std::to_string(digits.count), "from 1 to " + std::to_string(max_digits));
  const MarkovArrivals& given = state_->arrivals;
  const OnOffGroup* single = single_group(given);
  const auto* matrices = std::get_if<RationalBlocks>(&given.form());
  const bool blocks = matrices != nullptr;
  if (blocks)
    state_->one_in_every_slot = given.load() == 1 && matrices->size() > 1 && is_zero((*matrices)[0]);
  if (!blocks) state_->require_stable();  // on-off sources and trains are computed with the infinite queue
  // Trains of geometric length are themselves a model: where proofs take longer than a second, modes suffice.
  const bool trains = std::holds_alternative<GeometricTrains>(given.form());
  state_->certified =
      blocks || given.phases() <= (state_->silent_passages() && !trains ? max_certified_directed_phases
                                   : state_->directed()                 ? max_dense_directed_phases
                                                                        : max_certified_phases);
  if (proof == Proof::not_needed && single != nullptr && !state_->directed() &&
      given.phases() >= min_approximated_phases)
    state_->certified = false;
  if (const auto* groups = std::get_if<std::vector<OnOffGroup>>(&given.form())) {
    double packets = 0;
    for (const OnOffGroup& group : *groups) packets += static_cast<double>(group.count);
    const double entries = (packets + 1) * std::pow(static_cast<double>(given.phases()), 2);
    if (state_->certified ? single == nullptr && entries > 4e6 : single == nullptr)
      throw LimitExceeded(std::to_string(given.phases()) + " phases of " + std::to_string(groups->size()) +
                          " kinds of sources with up to " +
                          std::to_string(static_cast<std::int64_t>(packets)) +
                          " packets per slot; different kinds together may have at most " +
                          std::to_string(max_certified_phases) + " phases and 4e6 entries in their matrices");
  }
}
MarkovQueue::~MarkovQueue() = default;
MarkovQueue::MarkovQueue(MarkovQueue&&) noexcept = default;
MarkovQueue& MarkovQueue::operator=(MarkovQueue&&) noexcept = default;

const MarkovArrivals& MarkovQueue::arrivals() const {
  return state_->arrivals;
}
bool MarkovQueue::certified() const {
  return state_->certified;
}

ProbabilityClaim MarkovQueue::tail(std::int64_t level) {
  state_->require_stable();
  state_->check_level(level, "level");
  if (state_->one_in_every_slot)
    return numeric::Exact<unit::Probability>{numeric::Theorem::markov_queue, level < 1 ? 1 : 0};
  return state_->claim<unit::Probability>(
      Requested::tail, [level](Engine& engine) { return engine.tail(static_cast<std::size_t>(level)); });
}

ProbabilityClaim MarkovQueue::probability(std::int64_t level) {
  state_->require_stable();
  state_->check_level(level, "level");
  if (state_->one_in_every_slot)
    return numeric::Exact<unit::Probability>{numeric::Theorem::markov_queue, level == 1 ? 1 : 0};
  if (level == 0 && arrivals().load() == 0)
    return numeric::Exact<unit::Probability>{numeric::Theorem::markov_queue, 1};
  return state_->claim<unit::Probability>(Requested::tail, [level](Engine& engine) {
    return engine.probability(static_cast<std::size_t>(level));
  });
}

std::int64_t MarkovQueue::min_level(const Rational& target) {
  check_target(target);
  state_->require_stable();
  if (state_->one_in_every_slot) return 1;
  // P(Q > 0) = rho exactly: no enclosure can distinguish it from an equal target.
  if (arrivals().load() <= target) return 0;
  for (std::int64_t level = 1;; ++level) {
    state_->check_level(level, "level");
    if (state_->at_most(
            Requested::tail, [level](Engine& engine) { return engine.tail(static_cast<std::size_t>(level)); },
            target))
      return level;
  }
}

numeric::Claim<unit::Packet> MarkovQueue::mean_occupancy() {
  state_->require_stable();
  if (state_->one_in_every_slot) return numeric::Exact<unit::Packet>{numeric::Theorem::markov_queue, 1};
  return state_->claim<unit::Packet>(Requested::tail, [](Engine& engine) { return engine.mean(); });
}

ProbabilityClaim MarkovQueue::loss(std::int64_t capacity) {
  state_->check_capacity(capacity);
  if (arrivals().load() == 0)
    return numeric::Exact<unit::Probability>{numeric::Theorem::markov_queue,
                                             0};  // without packets none is lost
  if (capacity == 0) return numeric::Exact<unit::Probability>{numeric::Theorem::markov_queue, 1};
  if (const auto always = busy_server_loss(state_->arrivals))
    return numeric::Exact<unit::Probability>{numeric::Theorem::markov_queue, *always};
  return state_->claim<unit::Probability>(Requested::loss, [capacity](Engine& engine) {
    return engine.loss(static_cast<std::size_t>(capacity));
  });
}

std::int64_t MarkovQueue::min_capacity(const Rational& target) {
  check_target(target);
  const Rational& load = arrivals().load();
  if (load == 0) return 0;
  if (const auto always = busy_server_loss(state_->arrivals); always && *always <= target) return 1;
  require_avoidable(target, load, 1);
  const auto meets = [&](std::int64_t capacity) {
    state_->check_capacity(capacity);
    return capacity > 0 && state_->loss_at_most(capacity, target);
  };
  // Doubling steps, then bisection: a finite queue with many phases takes long.
  std::int64_t met = load >= 1 ? 1 : std::max<std::int64_t>(min_level(target), 1), missed = met, step = 1;
  if (meets(met)) {
    do {
      missed = std::max<std::int64_t>(met - step, 0);
      if (!meets(missed)) break;
      met = missed;
      step *= 2;
    } while (true);
  } else {
    do {
      missed = met;
      met += step;
      step *= 2;
    } while (!meets(met));
  }
  return first_that(missed + 1, met, meets);
}

namespace {

/// Largest eigenvalue of one source's matrix, with w >= 1 for the packets it sends while ON here.
numeric::Interval largest_eigenvalue(const traffic::OnOff& source, const Rational& share,
                                     const numeric::Interval& w) {
  using numeric::Interval;
  const Interval off = numeric::to_interval(1 - source.start), stay = numeric::to_interval(1 - source.stop);
  if (share == 1) {
    const Interval trace = off + w * stay;
    const Interval product = w * numeric::to_interval(1 - source.start - source.stop);
    return (trace + sqrt(trace * trace - 4 * product)) / 2;
  }
  // f(l) = l - (1 - alpha) - here / (l - w (1 - beta)) - elsewhere / (l - (1 - beta)) increases from minus
  // infinity above w (1 - beta) to its largest zero.
  const Interval here = numeric::to_interval(source.start * share * source.stop) * w;
  const Interval elsewhere = numeric::to_interval(source.start * (1 - share) * source.stop);
  const auto middle = [](const Interval& x) { return Real((numeric::lower(x) + numeric::upper(x)) / 2); };
  const Real pole = middle(Interval(w * stay)), other = middle(stay), rest = middle(off);
  const Real to_here = middle(here), to_elsewhere = middle(elsewhere);
  // f is concave: Newton's steps increase to the zero, starting from the solution without the last term.
  const Real difference = rest - pole;
  Real zero = (rest + pole + sqrt(Real(difference * difference + 4 * to_here))) / 2;
  for (int step = 0; step < 100; ++step) {
    const Real one = zero - pole, two = zero - other;
    const Real value = zero - rest - to_here / one - to_elsewhere / two;
    const Real slope = 1 + to_here / (one * one) + to_elsewhere / (two * two);
    const Real next = zero - value / slope;
    if (!(next > zero)) break;
    zero = next;
  }
  // Two proved signs enclose it.
  const auto value = [&](const Real& at) {
    const Interval l = numeric::to_interval(at);
    return Interval(l - off - here / (l - w * stay) - elsewhere / (l - stay));
  };
  const int bits = static_cast<int>(mpfr_get_prec(zero.backend().data()));
  for (int slack = 8; slack < bits; slack += 4) {
    const Real width = ldexp(zero, slack - bits), low = zero - width, high = zero + width;
    const bool below = !(low > numeric::upper(Interval(w * stay))) || numeric::upper(value(low)) < 0;
    const bool above = high > numeric::upper(Interval(w * stay)) && numeric::lower(value(high)) > 0;
    if (below && above) return numeric::make_interval(low, high);
  }
  throw LimitExceeded("the decay rate needs more digits than the arithmetic has");
}

}  // namespace

std::optional<numeric::Enclosure<unit::PerPacket>> MarkovQueue::decay_rate() const {
  state_->require_stable();
  const auto* groups = std::get_if<std::vector<OnOffGroup>>(&state_->arrivals.form());
  if (groups == nullptr) return std::nullopt;
  // f(x) = sum of m log l(e^x), less x, is convex and 0 at 0 with a negative slope: one zero above 0, if any.
  using numeric::Interval;
  const auto f = [&](const Interval& x) {
    const Interval z = exp(x);
    Interval sum = -x;
    for (const auto& [source, count, share] : *groups) {
      const Interval w = numeric::to_interval(1 - source.on_rate) + numeric::to_interval(source.on_rate) * z;
      const Interval large = largest_eigenvalue(source, share, w);
      sum += Interval(static_cast<double>(count)) * log(large);
    }
    return sum;
  };
  const int bits = numeric::to_precision(state_->digits).bits + 64;
  const PrecisionScope scope(Precision{bits});
  const auto sign = [&](const Real& x) {
    const Interval value = f(numeric::make_interval(x, x));
    return numeric::lower(value) > 0 ? 1 : numeric::upper(value) < 0 ? -1 : 0;
  };
  // Sources together send at most `packets` per slot: with one there is no zero.
  std::int64_t packets = 0;
  for (const OnOffGroup& group : *groups) packets += group.count;
  if (packets <= 1) return std::nullopt;
  Real low(0), high(1);
  while (sign(high) <= 0) {
    low = high;
    high *= 2;
    if (high > 1'000'000) return std::nullopt;
  }
  while (low == 0 || !agree_to(low, high, state_->digits)) {
    const Real middle = (low + high) / 2;
    const int at = sign(middle);
    if (at > 0)
      high = middle;
    else if (at < 0)
      low = middle;
    else
      throw LimitExceeded("the decay rate is too close to 0 for the requested digits");
  }
  return numeric::Enclosure<unit::PerPacket>(numeric::Theorem::markov_queue, low, high);
}

}  // namespace tailbound::queue
