#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/power.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/flows/flow_bounds.hpp>
#include <tailbound/queue/flows/flow_curve.hpp>
#include <tailbound/queue/flows/periodic_flows.hpp>
#include <tailbound/queue/flows/window_law.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>
#include <tailbound/queue/target.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Rational;
using numeric::Real;
using Number = long double;

/// Maximum number of products per query, and of cached numbers.
constexpr double max_products_of_bounds = 2e10;
constexpr std::size_t max_kept_numbers = std::size_t{1} << 22;
/// Masses that are `cut` bits below the largest are cut off, for probabilities down to 2^-`for_bits`.
struct CutOfLaws {
  int bits;
  double for_bits;
};
constexpr CutOfLaws cuts_of_laws[] = {{320, 60}, {1600, 400}, {6000, 1e300}};
constexpr std::size_t number_of_cuts = std::size(cuts_of_laws);
/// Number of windows that a lower bound examines one by one; later ones at increasing distances.
constexpr std::int64_t dense_windows = 2048;
/// Limits for patterns: their length, and the products per query.
constexpr std::int64_t longest_pattern = 4096;
constexpr double max_products_of_patterns = 5e9;
/// Terms that are small relative to the sum so far need not be exact.
constexpr Number hardly_counts = 1e-6L, too_much = 1e-5L;
/// Below this, sums of machine numbers prove nothing.
constexpr Number min_number = 1e-4000L;
/// Stop after this many shorter steps in a row without improvement.
constexpr int max_worse_steps = 2;

/// A number with at most the given roundings and `missing` as error.
struct Rounded {
  Number value = 0, missing = 0;
  double units = 0;
};

/// A table for the packets of a window.
struct WindowTable {
  Rational shift;                  ///< smallest number of the distribution
  Number grain = 1;                ///< distance of its numbers
  std::int64_t low = 0, step = 1;  ///< shift and grain, if whole
  std::vector<Number> at_least;    ///< P(S >= shift + grain i)
  std::vector<Number> excess;      ///< E(S - (shift + grain i))^+ / grain; of regulated flows
  Number missing = 0;              ///< mass
  Number reach = 0;                ///< the largest number is at most shift + reach
  double units = 0;
};

/// P(S >= x) bounded from above or below: the table's sum, in whole numbers.
Rounded tail_at(const WindowTable& table, std::int64_t x) {
  const std::int64_t index =
      x <= table.low ? 0
                     : (x - table.low + table.step - 1) / table.step;  // the first number that is x or more
  if (index >= static_cast<std::int64_t>(table.at_least.size())) return {0, table.missing, table.units};
  return {table.at_least[static_cast<std::size_t>(index)], table.missing, table.units};
}

/// Minimum of E(S - a)^+ / (x - a) over the values a of S: between two of them the quotient has no minimum.
Rounded excess_at(const WindowTable& table, std::int64_t x) {
  Rounded best{1, 0, 0};
  const auto size = static_cast<std::int64_t>(table.excess.size());
  const Number minimum = nearest_number<Number>(Rational(x) - table.shift);
  if (minimum <= 0) return best;
  if (minimum > table.grain * static_cast<Number>(size)) return {0, table.missing, 0};
  for (std::int64_t i = 0; i < size; ++i) {
    // x minus the number, rounded down by more than its error.
    const Number far = table.grain * static_cast<Number>(i);
    const Number gap = minimum - far - (minimum + far) * 0x1p-60L;
    if (gap <= 0) break;
    const Number bound = table.excess[static_cast<std::size_t>(i)] * table.grain / gap;
    // Missing mass may be at the far end.
    if (bound < best.value) best = {bound, table.missing * table.reach / gap, 0};
  }
  best.units = table.units + 8;
  return best;
}

/// Independent flows of one kind, described by their windows.
struct FlowsSeen {
  FlowKind kind;
  std::int64_t count, period, batch;
  FlowCurve curve;
  std::vector<std::int64_t> sent;  ///< for periodic flows that do not send all at once
};

/// Sums over windows of fixed flows. Caches tables.
class Windows {
 public:
  /// \param sent  of each group, where a flow does not send all at once
  Windows(const std::vector<FlowGroup>& groups, int cut,
          const std::vector<std::vector<std::int64_t>>& sent = {})
      : curves_(groups), cut_(cut) {
    std::int64_t common = 1;
    for (const FlowGroup& group : groups) {
      const std::size_t i = seen_.size();
      seen_.push_back({group.kind, group.count, group.period, group.batch, FlowCurve(group), {}});
      if (i < sent.size() && sent[i].size() > 1) {
        seen_.back().sent = sent[i];
        patterned_ = true;
      }
      regulated_ = regulated_ || group.kind == FlowKind::regulated;
      periodic_ = periodic_ && group.kind == FlowKind::periodic;
      if (group.kind != FlowKind::regulated && common > 0) {
        common = std::lcm(common, group.period);
        if (common > (std::int64_t{1} << 30)) common = 0;
      }
    }
    if (!regulated_ && common > 0) common_ = common;
    for (const FlowsSeen& flows : seen_)
      burst_ = std::max(burst_, flows.kind == FlowKind::regulated
                                    ? numeric::to_int64(numeric::floor(flows.curve.spread()))
                                    : static_cast<long>(flows.batch));
  }

  [[nodiscard]] bool regulated() const { return regulated_; }
  [[nodiscard]] bool periodic() const { return periodic_; }
  [[nodiscard]] std::int64_t burst() const { return burst_; }
  /// Starts a new query.
  void begin() { products_ = 0; }

  /// The last window that may bring level + 1 + m packets. With periodic flows nothing new comes after a
  /// common period.
  [[nodiscard]] std::int64_t last_window(std::int64_t level) const {
    const std::int64_t last = curves_.last_above(level);
    return common_ ? std::min(last, *common_ - 1) : last;
  }

  /// The sum over windows `step` slots apart. Stops once it exceeds `enough`. \param by_slots  term by term
  /// while the step is 1, for periodic flows
  [[nodiscard]] Real upper(std::int64_t level, std::int64_t step, bool by_slots, Number enough) {
    const std::int64_t last = last_window(level);
    Rounded sum;
    double terms = 0;
    std::int64_t now = step;
    for (std::int64_t before = -1; before < last;) {
      const std::int64_t m = std::min(before + now, last);
      const Rounded term = by_slots && now == 1 ? slot_term(m, level) : at_least(m, level + 2 + before);
      if (now > step && term.value > too_much * sum.value) {
        now = std::max(step, now / 2);
        continue;
      }
      sum.value += term.value;
      sum.missing += term.missing;
      sum.units = std::max(sum.units, term.units);
      terms += 1;
      before = m;
      if (sum.value > enough * 2) return Real(1);
      if (term.value < hardly_counts * sum.value) now *= 2;
    }
    sum.units += terms + 1;
    return rounded(sum, true);
  }

  /// Maximum of P(S_m >= level + 1 + m) over some windows.
  [[nodiscard]] Real lower(std::int64_t level) {
    const std::int64_t last = last_window(level);
    Rounded highest;
    const auto next = [&](std::int64_t m) {
      return patterned_ ? m + 1 + m / 16 : m + 1 + std::max<std::int64_t>(0, m - dense_windows) / 256;
    };
    for (std::int64_t m = 0; m <= last; m = next(m)) {
      const Rounded here = tail_at(table(m), level + 1 + m);
      if (here.value > highest.value) highest = here;
    }
    return rounded(highest, false);
  }

 private:
  static Real rounded(const Rounded& number, bool up) {
    const auto gamma = numeric::relative_error_bound({number.units + 2}, 64);
    if (!std::isfinite(gamma.units)) return Real(up ? 1 : 0);
    const numeric::PrecisionScope scope(numeric::Precision{128});
    Real low, high;
    numeric::widen(number.value, gamma, Real(Real(number.missing) * Real(2)), 64, low, high);
    if (up) return high < 1 ? high : Real(1);
    return low > 0 ? low : Real(0);
  }

  [[nodiscard]] Rounded at_least(std::int64_t m, std::int64_t x) {
    const WindowTable& known = table(m);
    return regulated_ ? excess_at(known, x) : tail_at(known, x);
  }

  /// Packets of a window of m + 1 slots: a deterministic part and the rest.
  struct Window {
    std::vector<BinomialPart> parts;
    Rational shift = 0, maximum = 0;
    std::optional<Rational> fraction;  ///< the grain if it may be fractional
  };
  [[nodiscard]] Window window(std::int64_t m) const {
    const std::int64_t slots = m + 1;
    Window all;
    for (const FlowsSeen& flows : seen_) {
      if (!flows.sent.empty()) continue;  // see table()
      if (flows.kind != FlowKind::regulated) {
        const std::int64_t turns = slots / flows.period, rest = slots % flows.period;
        all.shift = all.shift + Rational(flows.count) * Rational(turns * flows.batch);
        all.maximum = all.maximum + Rational(flows.count) * Rational((turns + 1) * flows.batch);
        all.parts.push_back({flows.count, flows.batch, Rational(rest) / Rational(flows.period)});
        continue;
      }
      const Rational mean = flows.curve.rate() * Rational(slots);
      Rational minimum = std::max(Rational(0), Rational(mean - flows.curve.spread()));
      const Rational maximum = Rational(flows.curve.maximum(m));
      // Fractional numbers fit a common grid only if all flows are identical.
      if (seen_.size() > 1) minimum = numeric::floor(minimum);
      minimum = std::min(minimum, maximum);
      const Rational width = maximum - minimum;
      all.shift = all.shift + Rational(flows.count) * minimum;
      all.maximum = all.maximum + Rational(flows.count) * maximum;
      if (width == 0) continue;
      Rational share = std::min(Rational(1), Rational((mean - minimum) / width));
      if (seen_.size() > 1) {
        all.parts.push_back({flows.count, numeric::to_int64(numeric::floor(width)), share});
      } else {
        all.parts.push_back({flows.count, 1, share});
        all.fraction = width;
      }
    }
    return all;
  }

  [[nodiscard]] const WindowTable& table(std::int64_t m) {
    if (const auto known = tables_.find(m); known != tables_.end()) return known->second;
    const Window seen = window(m);
    WindowTable made;
    const std::int64_t grain = patterned_ ? 1 : grain_of(seen.parts);
    auto law = law_of<Number>(seen.parts, grain, cut_);
    for (const FlowsSeen& flows : seen_)
      if (!flows.sent.empty())
        law =
            with(law, many(pattern_law<Number>(flows.sent, flows.period, m + 1), flows.count, cut_), 1, cut_);
    const Rational size = seen.fraction ? *seen.fraction : Rational(grain);
    count(law, seen.parts.size());
    made.shift = seen.shift + size * Rational(law.first);
    made.grain = nearest_number<Number>(size);
    made.missing = law.dropped;
    made.reach = nearest_number<Number>(seen.maximum - made.shift) + 1;
    made.units = law.units + static_cast<double>(law.mass.size()) + 1;
    made.at_least = law.mass;
    for (std::size_t i = made.at_least.size() - 1; i-- > 0;) made.at_least[i] += made.at_least[i + 1];
    if (regulated_) {
      made.units += static_cast<double>(law.mass.size()) + 1;
      made.excess.assign(law.mass.size(), 0);
      for (std::size_t i = made.excess.size() - 1; i-- > 0;)
        made.excess[i] = made.excess[i + 1] + made.at_least[i + 1];
    } else {
      made.low = numeric::to_int64(numeric::floor(made.shift));
      made.step = grain;
    }
    const std::size_t numbers = made.at_least.size() + made.excess.size() + 16;
    if (kept_ + numbers > max_kept_numbers) return last_ = std::move(made);
    kept_ += numbers;
    return tables_.emplace(m, std::move(made)).first->second;
  }

  /// P(S_m = level + 1 + m, no packet in the slot before), of periodic flows.
  [[nodiscard]] Rounded slot_term(std::int64_t m, std::int64_t level) {
    std::vector<BinomialPart> parts;
    std::int64_t surely = 0;
    Number idle = 1;
    double units = 0;
    for (const FlowsSeen& flows : seen_) {
      const std::int64_t slots = m + 1, rest = slots % flows.period;
      surely += flows.count * flows.batch * (slots / flows.period);
      // No packet in the previous slot: otherwise the remaining phases, all equally likely.
      parts.push_back({flows.count, flows.batch, Rational(rest) / Rational(flows.period - 1)});
      idle *= numeric::power(static_cast<Number>(flows.period - 1) / static_cast<Number>(flows.period),
                             flows.count);
      units += 3 * static_cast<double>(flows.count) + 2;
    }
    const std::int64_t grain = grain_of(parts), left = level + 1 + m - surely;
    if (left < 0 || left % grain != 0) return {0, 0, 0};
    if (parts.size() == 1 && left / grain > parts.front().count) return {0, 0, 0};
    // For the last part only one number per value of the others is needed.
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
    const BinomialPart last = parts.back();
    parts.pop_back();
    const auto some = law_of<Number>(parts, grain, cut_);
    const auto others = binomial_law<Number>(last.count, last.share, cut_);
    count(some, parts.size());
    count(others, 4);
    Rounded term{0, (some.dropped + others.dropped) * idle, some.units + others.units + units + 3};
    const std::int64_t stride = std::max<std::int64_t>(1, last.scale / grain);
    for (std::size_t i = 0; i < some.mass.size(); ++i) {
      const std::int64_t rest = left / grain - some.first - static_cast<std::int64_t>(i);
      if (rest < 0) break;
      if (rest % stride != 0) continue;
      const std::int64_t at = rest / stride - others.first;
      if (at >= 0 && at < static_cast<std::int64_t>(others.mass.size()))
        term.value += some.mass[i] * others.mass[static_cast<std::size_t>(at)];
    }
    term.units += static_cast<double>(some.mass.size());
    term.value *= idle;
    return term;
  }

  void count(const WindowLaw<Number>& law, std::size_t parts) {
    double largest = 1;
    for (const FlowsSeen& flows : seen_) largest = std::max(largest, static_cast<double>(flows.count));
    products_ += 300 + static_cast<double>(law.mass.size()) *
                           (8 + (parts > 1 ? std::min(largest, static_cast<double>(law.mass.size())) : 0));
    if (products_ > max_products_of_bounds)
      throw LimitExceeded(
          "the bound for these flows would need more than 10^10 products, which is the limit (reduce the "
          "load, the periods or the number of groups)");
  }

  std::vector<FlowsSeen> seen_;
  FlowCurves curves_;
  int cut_;
  bool regulated_ = false, periodic_ = true, patterned_ = false;
  std::optional<std::int64_t> common_;
  long burst_ = 1;
  std::unordered_map<std::int64_t, WindowTable> tables_;
  WindowTable last_;
  std::size_t kept_ = 0;
  double products_ = 0;
};

/// Merges groups that admit the same traffic; converts buckets of one packet to their minimum distance.
std::vector<FlowGroup> as_read(const std::vector<FlowGroup>& groups) {
  std::vector<FlowGroup> read;
  for (FlowGroup group : groups) {
    if (group.kind == FlowKind::regulated) {
      group.period = 0;
      group.batch = 1;
      group.buckets = traffic::binding(group.buckets);
      bool single = true;
      Rational slowest = group.buckets.front().rate;
      for (const auto& bucket : group.buckets) {
        single = single && bucket.burst == 1;
        slowest = std::min(slowest, bucket.rate);
      }
      const numeric::Integer apart = numeric::ceiling(1 / slowest);
      if (single && slowest <= 1 && apart <= static_cast<long>(FlowGroup::longest_period))
        group = {.kind = FlowKind::sporadic,
                 .count = group.count,
                 .period = numeric::to_int64(apart),
                 .batch = 1,
                 .buckets = {}};
    }
    const auto same = std::find_if(read.begin(), read.end(), [&](const FlowGroup& known) {
      return known.kind == group.kind && known.period == group.period && known.batch == group.batch &&
             known.buckets == group.buckets && known.count + group.count <= FlowGroup::max_flows;
    });
    if (same == read.end())
      read.push_back(std::move(group));
    else
      same->count += group.count;
  }
  return read;
}

bool of_one_period(const std::vector<FlowGroup>& groups) {
  return std::all_of(groups.begin(), groups.end(), [&](const FlowGroup& group) {
    return group.kind == FlowKind::periodic && group.period == groups.front().period;
  });
}

/// A conforming periodic flow: a batch of at most `maximum` packets at once with its minimum period.
FlowGroup periodic_group(const FlowGroup& group, bool even) {
  FlowGroup periodic{.kind = FlowKind::periodic,
                     .count = group.count,
                     .period = group.period,
                     .batch = group.batch,
                     .buckets = {}};
  if (group.kind != FlowKind::regulated) return periodic;
  Rational deepest = group.buckets.front().burst, slowest = group.buckets.front().rate;
  for (const auto& bucket : group.buckets) {
    deepest = std::min(deepest, bucket.burst);
    slowest = std::min(slowest, bucket.rate);
  }
  // Rates are above 10^-9, periods up to 10^9.
  const Rational in_longest = slowest * Rational(FlowGroup::longest_period);
  periodic.batch =
      numeric::to_int64(numeric::floor(std::min({deepest, in_longest, Rational(FlowGroup::largest_batch)})));
  if (even) {  // a batch whose tokens return after a whole number of slots, so no rate is lost
    const auto turn = numeric::numerator(slowest);
    if (turn <= static_cast<long>(periodic.batch)) periodic.batch -= periodic.batch % numeric::to_int64(turn);
  }
  periodic.period = numeric::to_int64(numeric::ceiling(Rational(periodic.batch) / slowest));
  return periodic;
}

/// Packets of the greedy source until it is within one packet of its maximum excess over the rate, in a
/// period after which all buckets are full again. Empty if it sends all at once, or if it is too long.
std::vector<std::int64_t> greedy_burst(const FlowGroup& group, FlowGroup& periodic) {
  if (group.kind != FlowKind::regulated || group.buckets.size() < 2) return {};
  const FlowCurve curve(group);
  const double rate = numeric::nearest_double(curve.rate()), spread = numeric::nearest_double(curve.spread());
  std::int64_t length = 0;
  double furthest = 0;
  for (std::int64_t m = 0; m < longest_pattern && furthest < spread - 1 + 1e-9; ++m) {
    const double above = static_cast<double>(curve.maximum(m)) - rate * static_cast<double>(m);
    if (above <= furthest + 1e-9) continue;
    furthest = above;
    length = m + 1;
  }
  if (length < 2 || curve.maximum(length - 1) > FlowGroup::largest_batch) return {};
  std::vector<std::int64_t> sent;
  for (std::int64_t m = 0; m < length; ++m) sent.push_back(curve.maximum(m) - curve.maximum(m - 1));
  // Full at the end of the period: the tokens for each slot's packets and later ones have arrived since.
  numeric::Integer period = static_cast<long>(length);
  std::int64_t rest = 0;
  for (std::int64_t m = length - 1; m >= 0; --m) {
    rest += sent[static_cast<std::size_t>(m)];
    for (const auto& bucket : group.buckets)
      period = std::max(
          period, numeric::Integer(static_cast<long>(m) + numeric::ceiling(Rational(rest) / bucket.rate)));
  }
  if (period > static_cast<long>(FlowGroup::longest_period)) return {};
  periodic.period = numeric::to_int64(period);
  periodic.batch = rest;
  return sent;
}

/// Approximate work for the distributions of patterns.
double work_of_patterns(const FlowPattern& pattern) {
  double numbers = 1;
  for (std::size_t i = 0; i < pattern.flows.size(); ++i) {
    const double count = static_cast<double>(pattern.flows[i].count),
                 batch = static_cast<double>(pattern.flows[i].batch);
    numbers += std::min(count * batch, 30 * batch * std::sqrt(count));
  }
  return 200 * numbers * numbers;
}

}  // namespace

struct FlowBounds::State {
  /// The same flows with distributions truncated at each depth; created on demand.
  struct Depths {
    std::vector<FlowGroup> flows;
    std::vector<std::vector<std::int64_t>> sent;
    std::unique_ptr<Windows> windows[number_of_cuts];

    Windows& at(std::size_t depth) {
      if (!windows[depth]) windows[depth] = std::make_unique<Windows>(flows, cuts_of_laws[depth].bits, sent);
      return *windows[depth];
    }
  };
  struct Bound {
    Real value;
    FlowProof proof;
  };

  std::vector<FlowGroup> groups;
  NeverExceeded never;
  bool one_period = false;
  Depths all;
  std::vector<FlowPattern> patterns;
  std::vector<Depths> of_patterns;

  explicit State(const std::vector<FlowGroup>& given) {
    check_flows(given);
    groups = as_read(given);
    never = queue::never_exceeded(groups);
    one_period = of_one_period(groups);
    all.flows = groups;
    for (const bool even : {false, true}) {
      FlowPattern pattern;
      for (const FlowGroup& group : groups) {
        pattern.flows.push_back(periodic_group(group, even));
        pattern.sent.push_back({pattern.flows.back().batch});
      }
      pattern.exact = of_one_period(pattern.flows);
      if (patterns.empty() || patterns.front().flows != pattern.flows) add_pattern(std::move(pattern));
    }
    FlowPattern greedy = patterns.front();
    greedy.exact = false;
    bool longer = false;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      auto sent = greedy_burst(groups[i], greedy.flows[i]);
      if (sent.empty()) continue;
      greedy.sent[i] = std::move(sent);
      longer = true;
    }
    if (longer && work_of_patterns(greedy) <= max_products_of_patterns) add_pattern(std::move(greedy));
  }
  void add_pattern(FlowPattern pattern) {
    of_patterns.emplace_back();
    of_patterns.back().flows = pattern.flows;
    of_patterns.back().sent = pattern.sent;
    patterns.push_back(std::move(pattern));
  }

  /// The depth for probabilities of 2^log2_value.
  static std::size_t depth_for(double log2_value) {
    std::size_t depth = 0;
    while (depth + 1 < number_of_cuts && -log2_value > cuts_of_laws[depth].for_bits) ++depth;
    return depth;
  }
  void begin() {
    for (auto& windows : all.windows)
      if (windows) windows->begin();
    for (Depths& pattern : of_patterns)
      for (auto& windows : pattern.windows)
        if (windows) windows->begin();
  }

  /// Steps to try for a level of about this size, cheapest first: a step costs that many packets.
  [[nodiscard]] std::vector<std::int64_t> steps(std::int64_t level) {
    std::vector<std::int64_t> steps{1};
    if (all.at(0).periodic()) return steps;
    const std::int64_t longest = std::max(2 * all.at(0).burst(), level / 4);
    while (steps.back() * 2 <= longest) steps.push_back(steps.back() * 2);
    std::reverse(steps.begin(), steps.end());
    return steps;
  }
  [[nodiscard]] Bound at_step(std::int64_t level, std::int64_t step, std::size_t depth, Number enough) {
    if (level >= never.packets) return {Real(0), FlowProof::never};
    if (one_period)
      return {numeric::to_enclosure(periodic_tail(groups, level).probability).upper(), FlowProof::exact};
    Windows& windows = all.at(depth);
    return {windows.upper(level, step, windows.periodic(), enough),
            windows.periodic() ? FlowProof::periods : FlowProof::windows};
  }
  /// The best over the steps that are tried.
  [[nodiscard]] Real upper(std::int64_t level, std::size_t depth) {
    if (one_period || level >= never.packets) return at_step(level, 1, depth, 1).value;
    Real minimum(1);
    int worse = 0;
    for (const std::int64_t step : steps(level)) {
      Real bound = at_step(level, step, depth, std::max(static_cast<Number>(minimum), min_number)).value;
      if (bound < minimum) {
        minimum = std::move(bound);
        worse = 0;
      } else if (minimum < 1 && ++worse == max_worse_steps) {
        break;
      }
    }
    return minimum;
  }
  [[nodiscard]] Real lower(std::size_t pattern, std::int64_t level, std::size_t depth) {
    if (patterns[pattern].exact)
      return numeric::to_enclosure(periodic_tail(patterns[pattern].flows, level).probability).lower();
    // Distributions of patterns at greater depth take too long.
    const auto& sent = patterns[pattern].sent;
    const bool at_once = std::all_of(sent.begin(), sent.end(), [](const auto& a) { return a.size() == 1; });
    return of_patterns[pattern].at(at_once ? depth : 0).lower(level);
  }
  /// The smallest level that the example traffic meets the target at, as far as known.
  [[nodiscard]] std::int64_t needed_by(std::size_t pattern, const Rational& target, std::size_t depth) {
    if (patterns[pattern].exact) return periodic_min_level(patterns[pattern].flows, target).level.value;
    return first_that(std::int64_t{0}, never.packets, [&](std::int64_t level) {
      return numeric::compare(lower(pattern, level, depth), target) <= 0;
    });
  }
};

FlowBounds::FlowBounds(const std::vector<FlowGroup>& groups) : state_(std::make_unique<State>(groups)) {}
FlowBounds::~FlowBounds() = default;

const NeverExceeded& FlowBounds::never_exceeded() const {
  return state_->never;
}
const std::vector<FlowPattern>& FlowBounds::patterns() const {
  return state_->patterns;
}

numeric::UpperBound<unit::Probability> FlowBounds::upper(std::int64_t level) const {
  if (level < 0)
    throw InvalidArgument("level", std::to_string(level), "a whole number of packets, 0 or more");
  state_->begin();
  for (std::size_t depth = 0;; ++depth) {
    const Real bound = state_->upper(level, depth);
    if (bound == 0 || depth + 1 == number_of_cuts ||
        State::depth_for(numeric::log2_magnitude(bound)) <= depth)
      return {numeric::Theorem::policed_queue, bound};
  }
}

numeric::LowerBound<unit::Probability> FlowBounds::lower(std::int64_t level) const {
  if (level < 0)
    throw InvalidArgument("level", std::to_string(level), "a whole number of packets, 0 or more");
  state_->begin();
  Real highest(0);
  if (level >= state_->never.packets) return {numeric::Theorem::policed_queue, highest};
  for (std::size_t depth = 0; depth < number_of_cuts; ++depth) {
    for (std::size_t i = 0; i < state_->patterns.size(); ++i)
      highest = std::max(highest, state_->lower(i, level, depth));
    if (highest > 0 && State::depth_for(numeric::log2_magnitude(highest)) <= depth) break;
  }
  return {numeric::Theorem::policed_queue, highest};
}

FlowLevel FlowBounds::min_level(const Rational& target) const {
  check_target(target);
  State& state = *state_;
  state.begin();
  FlowLevel found{.level = state.never.packets,
                  .probability = {numeric::Theorem::policed_queue, Real(0)},
                  .proof = FlowProof::never,
                  .needed = 0,
                  .pattern_probability = {numeric::Theorem::policed_queue, Real(1)},
                  .pattern = state.patterns.front()};
  if (state.one_period) {
    const TailBoundary exact = periodic_min_level(state.groups, target);
    found.level = found.needed = exact.level.value;
    found.probability = {numeric::Theorem::policed_queue,
                         numeric::to_enclosure(exact.at.probability).upper()};
    found.proof = found.level >= state.never.packets ? FlowProof::never : FlowProof::exact;
    if (!exact.before.empty())
      found.pattern_probability = {numeric::Theorem::policed_queue,
                                   numeric::to_enclosure(exact.before.front().probability).lower()};
    return found;
  }
  const std::size_t depth = State::depth_for(Target(target).log2);
  const Number enough = std::max(nearest_number<Number>(target), min_number);
  // Lower bounds first: no upper bound meets the target below the level that example traffic needs.
  for (std::size_t i = 0; i < state.patterns.size(); ++i) {
    const std::int64_t needed = state.needed_by(i, target, depth);
    if (i > 0 && needed <= found.needed) continue;
    found.needed = needed;
    found.pattern = state.patterns[i];
    found.pattern_probability = {numeric::Theorem::policed_queue,
                                 needed > 0 ? state.lower(i, needed - 1, depth) : Real(1)};
  }
  int worse = 0;
  for (const std::int64_t step : state.steps(found.needed)) {
    if (found.level <= found.needed) break;
    const auto meets = [&](std::int64_t level) -> std::optional<State::Bound> {
      State::Bound bound = state.at_step(level, step, depth, enough);
      if (numeric::compare(bound.value, target) <= 0) return bound;
      return std::nullopt;
    };
    try {
      // Only if it is better than the previous steps.
      auto best = meets(found.level - 1);
      if (!best) {
        if (found.proof != FlowProof::never && ++worse == max_worse_steps) break;
        continue;
      }
      worse = 0;
      found.level = first_that(found.needed, found.level - 1, [&](std::int64_t level) {
        auto here = meets(level);
        if (here) best = std::move(here);
        return here.has_value();
      });
      found.probability = {numeric::Theorem::policed_queue, best->value};
      found.proof = best->proof;
    } catch (const LimitExceeded&) {
      // Shorter steps take longer; earlier results remain proved.
      if (found.proof == FlowProof::never) throw;
      break;
    }
  }
  return found;
}

}  // namespace tailbound::queue
