#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/priority/class_cycle.hpp>
#include <tailbound/queue/priority/finite_classes.hpp>
#include <tailbound/queue/priority/level_search.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Digits;
using numeric::Enclosure;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

constexpr int loss_machine_bits = std::numeric_limits<long double>::digits;
constexpr int max_loss_bits = 4096;
/// Products of a computation, a few seconds each.
constexpr double max_products = 8e8, max_long_products = 3e7;
/// Higher buffers above are first compared with infinite ones.
constexpr std::size_t deep = 40;
/// Below, long double may have lost products to underflow.
constexpr long double min_machine = 0x1p-15000L;

/// Packets of each class in a slot, counted up to the buffers of the higher classes.
using Counts = std::map<std::vector<std::size_t>, Real>;

std::vector<std::size_t> counted(const std::vector<std::int64_t>& packets,
                                 const std::vector<std::size_t>& capacity) {
  std::vector<std::size_t> counts;
  for (std::size_t c = 0; c <= capacity.size(); ++c) {
    const auto all = static_cast<std::size_t>(packets[c]);
    counts.push_back(c < capacity.size() ? std::min(all, capacity[c]) : all);
  }
  return counts;
}

Real rounded(const Rational& value) {
  return numeric::to_real(value, numeric::Rounding::nearest);
}

/// \return also the roundings of each entry
std::pair<Counts, double> counts_of(const ClassSlots& slots, const std::vector<std::size_t>& capacity) {
  Counts all;
  const std::size_t classes = capacity.size() + 1;
  if (!slots.joint.empty()) {
    std::map<std::vector<std::size_t>, Rational> exact;
    for (const ClassPackets& each : slots.joint) {
      Rational& sum = exact.try_emplace(counted(each.packets, capacity), 0).first->second;
      sum = sum + each.probability;
    }
    for (const auto& [packets, probability] : exact) all[packets] = rounded(probability);
    return {std::move(all), 1};
  }
  Rational none = 1;
  for (std::size_t c = 0; c < classes; ++c) none = none - slots.rates[c];
  all[std::vector<std::size_t>(classes, 0)] = 1;
  const Real silent = rounded(none);
  std::vector<Real> rates;
  for (std::size_t c = 0; c < classes; ++c) rates.push_back(rounded(slots.rates[c]));
  for (std::int64_t input = 0; input < slots.inputs; ++input) {
    Counts next;
    const auto add = [&next](const std::vector<std::size_t>& packets, const Real& p) {
      const auto [place, is_new] = next.try_emplace(packets, p);
      if (!is_new) place->second += p;
    };
    for (const auto& [packets, probability] : all) {
      if (silent > 0) add(packets, probability * silent);
      for (std::size_t c = 0; c < classes; ++c) {
        std::vector<std::size_t> more = packets;
        if (c + 1 == classes || more[c] < capacity[c]) ++more[c];
        add(more, probability * rates[c]);
      }
    }
    all = std::move(next);
  }
  return {std::move(all), static_cast<double>(slots.inputs) * (3 + static_cast<double>(classes))};
}

CycleTable<Real> slot_table(const ClassSlots& slots, const std::vector<std::size_t>& capacity) {
  const auto [counts, roundings] = counts_of(slots, capacity);
  CycleTable<Real> table;
  table.capacity = capacity;
  table.counts.assign(capacity.size(), 1);
  std::size_t maximum = 0;
  for (const auto& [packets, probability] : counts) {
    for (std::size_t c = 0; c < capacity.size(); ++c)
      table.counts[c] = std::max(table.counts[c], packets[c] + 1);
    maximum = std::max(maximum, packets.back());
  }
  table.at.resize(table.size());
  for (CycleSeries<Real>& each : table.at)
    each.mass = each.tail = each.beyond = std::vector<Real>(maximum + 1, Real(0));
  for (const auto& [packets, probability] : counts) {
    std::size_t place = 0, factor = 1;
    for (std::size_t c = 0; c < capacity.size(); ++c) {
      place += factor * packets[c];
      factor *= table.counts[c];
    }
    table.at[place].mass[packets.back()] = probability;
  }
  for (CycleSeries<Real>& each : table.at) {
    for (std::size_t n = maximum + 1; n-- > 0;) {
      if (n < maximum) {
        each.tail[n] = each.tail[n + 1] + each.mass[n + 1];
        each.beyond[n] = each.beyond[n + 1] + each.tail[n + 1];
      }
    }
    each.all = each.tail[0] + each.mass[0];
    each.mean = each.beyond[0] + each.tail[0];
  }
  table.units = roundings + 2 * static_cast<double>(maximum) + 4;
  return table;
}

CycleTable<long double> in_machine(const CycleTable<Real>& table) {
  CycleTable<long double> result{.capacity = table.capacity, .counts = table.counts, .at = {}, .units = 1.1};
  const auto nearest = [](const std::vector<Real>& values) {
    std::vector<long double> near;
    for (const Real& value : values) near.push_back(class_cycle::nearest<long double>(value));
    return near;
  };
  for (const CycleSeries<Real>& each : table.at)
    result.at.push_back({nearest(each.mass), nearest(each.tail), nearest(each.beyond),
                         class_cycle::nearest<long double>(each.all),
                         class_cycle::nearest<long double>(each.mean)});
  return result;
}

/// The law of the class, observed at the slots in which it is served.
template <class T>
struct ServedClass {
  ErrorSeries<T> loss;  ///< by buffer
  T batch = T(0);       ///< E[packets of a cycle]; 0 if the class is never served
};

/// The packets of a cycle of all higher classes.
/// \param precise  the same table with more bits: its first entries give the pivots of the next cycle
/// \return also the roundings of entry n of its series; none if the class is never served
template <class T>
std::pair<CycleSeries<T>, SeriesErrors> cycle_of_all(CycleTable<T> table, CycleTable<Real> precise,
                                                     int precise_bits, std::size_t size, int bits) {
  SeriesErrors errors{0, table.units + 4};
  while (!table.capacity.empty()) {
    T idle(0);  // P(no packet of the first class)
    for (std::size_t i = 0; i < table.at.size(); i += table.counts.front()) idle += table.at[i].all;
    if (idle == 0) return {CycleSeries<T>{}, {}};
    for (const auto& [units, of_bits] : {std::pair{table.units, bits}, {precise.units, precise_bits}})
      if (const double usable = numeric::relative_error_bound({units}, of_bits).units; !std::isfinite(usable))
        return {CycleSeries<T>{}, {0, usable}};
    const ClassCycle<T> cycle(table, precise, precise_bits, size, bits);
    CycleTable<T> next = cycle.packets();
    errors = cycle.errors();
    if (table.capacity.size() > 1)
      precise = ClassCycle<Real>(precise, precise, precise_bits, 1, precise_bits).packets();
    table = std::move(next);
  }
  return {std::move(table.at.front()), errors};
}

/// \param size  buffers 0 .. size - 1
template <class T>
ServedClass<T> served_class(CycleTable<T> table, CycleTable<Real> precise, int precise_bits, std::size_t size,
                            int bits) {
  using namespace class_series;
  auto [cycle, errors] = cycle_of_all(std::move(table), std::move(precise), precise_bits, size, bits);
  ServedClass<T> result;
  result.loss = {std::vector<T>(size, T(1)), {0, errors.first}};
  if (cycle.mass.empty()) return result;
  cycle.tail.resize(size, T(0));
  cycle.beyond.resize(size, T(0));
  result.batch = cycle.mean;
  if (cycle.mass.front() == 0) {  // one packet of every batch is served, never more
    std::fill(result.loss.at.begin() + 1, result.loss.at.end(), T(cycle.beyond.front() / cycle.mean));
    result.loss.errors = {0, 2 * errors.first + 1};
    return result;
  }
  const ErrorSeries<T> tails{std::move(cycle.tail), errors}, beyond{std::move(cycle.beyond), errors};
  const ErrorSeries<T> left = inverse(tails, cycle.mass.front(), errors.first, T(1), size);
  const ErrorSeries<T> lost = product(beyond, left, size);
  T all(0);
  for (std::size_t buffer = 1; buffer < size; ++buffer) {
    all += left.at[buffer - 1];
    result.loss.at[buffer] = lost.at[buffer - 1] / (cycle.mean * all);
  }
  result.loss.errors = {lost.errors.each + left.errors.each + 1,
                        lost.errors.first + left.errors.first + errors.first + 4};
  return result;
}

}  // namespace

ClassArrivals merged_classes(const ClassSlots& slots, std::size_t own) {
  if (slots.joint.empty()) {
    Rational higher = 0;
    for (std::size_t c = 0; c < own; ++c) higher = higher + slots.rates[c];
    return std::vector<ClassSource>{{higher, slots.rates[own], slots.inputs}};
  }
  JointPmf pmf;
  for (const ClassPackets& each : slots.joint) {
    std::size_t higher = 0;
    for (std::size_t c = 0; c < own; ++c) higher += static_cast<std::size_t>(each.packets[c]);
    const auto packets = static_cast<std::size_t>(each.packets[own]);
    if (pmf.probability.size() <= higher) pmf.probability.resize(higher + 1);
    std::vector<Rational>& row = pmf.probability[higher];
    if (row.size() <= packets) row.resize(packets + 1, Rational(0));
    row[packets] = row[packets] + each.probability;
  }
  return pmf;
}

class FiniteClasses::Laws {
 public:
  Laws(ClassSlots slots, std::vector<Packets> higher, Digits digits)
      : slots_(std::move(slots)), digits_(digits) {
    for (const Packets buffer : higher) {
      if (buffer.value < 0)
        throw InvalidArgument("buffer of a higher class", std::to_string(buffer.value), "0 packets or more");
      capacity_.push_back(static_cast<std::size_t>(buffer.value));
    }
    try {
      unlimited_.emplace(merged_classes(slots_, capacity_.size()), Digits{digits.count + 1});
    } catch (const Unstable&) {  // then there are no bounds from infinite buffers
    }
  }

  [[nodiscard]] Loss loss(std::int64_t buffer, Digits digits) {
    if (buffer < 0) throw InvalidArgument("capacity", std::to_string(buffer), "0 packets or more");
    if (buffer == 0)
      return {numeric::Exact<unit::Probability>{numeric::Theorem::priority_queue, 1}, {Arithmetic::exact, 0}};
    const std::size_t size = levels_for(static_cast<std::size_t>(buffer) + 1);
    // Deep higher buffers lose so little that bounds with smaller and with infinite ones agree.
    if (unlimited_ && cut_to(deep) != capacity_)
      if (Loss found = between(cut_to(deep), buffer, digits);
          !std::holds_alternative<numeric::UpperBound<unit::Probability>>(found.loss))
        return found;
    const std::vector<std::size_t> capacity = affordable(size, max_products);
    if (capacity == capacity_) {
      try {
        return enclosed(capacity, buffer, digits);
      } catch (const LimitExceeded&) {
        if (!unlimited_) throw;
      }
    }
    if (!unlimited_)
      throw LimitExceeded("the loss of a class after others with buffers of up to " +
                          std::to_string(*std::max_element(capacity_.begin(), capacity_.end())) +
                          " packets would need more than 8e8 products, which is the limit; simulate classes "
                          "--buffers estimates it");
    return between(capacity, buffer, digits);
  }
  [[nodiscard]] Loss loss(std::int64_t buffer) { return loss(buffer, digits_); }

  [[nodiscard]] Minimum minimum(const Rational& target) {
    require_possible(target);
    auto found = level_boundary(
        target, digits_, [&](std::size_t size) -> const std::vector<long double>& { return near(size); },
        [&](std::int64_t buffer, Digits digits) { return loss(buffer, digits); },
        [](const Loss& at) { return ends(at.loss); });
    return {found.level, std::move(found.at), std::move(found.before)};
  }

 private:
  static std::pair<Real, Real> ends(const numeric::Claim<unit::Probability>& claim) {
    if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim)) {
      const auto enclosure = numeric::enclose(*exact, {128});
      return {enclosure.lower(), enclosure.upper()};
    }
    if (const auto* bound = std::get_if<numeric::UpperBound<unit::Probability>>(&claim))
      return {Real(0), bound->value};
    const auto& enclosure = std::get<Enclosure<unit::Probability>>(claim);
    return {enclosure.lower(), enclosure.upper()};
  }

  /// Smaller higher buffers leave more slots to the class, larger ones fewer: an enclosure where those with
  /// `capacity` and with infinite ones agree, otherwise the upper bound.
  [[nodiscard]] Loss between(const std::vector<std::size_t>& capacity, std::int64_t buffer, Digits digits) {
    const PriorityQueue::Probability above = unlimited_->loss(Packets(buffer));
    const Digits finer{digits.count + 1};
    try {
      if (cost(capacity, static_cast<std::size_t>(buffer) + 1) <= max_products) {
        const auto below = ends(enclosed(capacity, buffer, finer).loss);
        if (numeric::agree_to(below.first, above.upper(), digits))
          return {Enclosure<unit::Probability>(numeric::Theorem::priority_queue, below.first, above.upper()),
                  above.method};
      }
    } catch (const LimitExceeded&) {  // too few digits: the upper bound stays
    }
    return {numeric::UpperBound<unit::Probability>{above.proof(), above.upper()}, above.method};
  }
  [[nodiscard]] std::vector<std::size_t> cut_to(std::size_t most) const {
    std::vector<std::size_t> capacity = capacity_;
    for (std::size_t& each : capacity) each = std::min(each, most);
    return capacity;
  }

  /// The buffers of the higher classes, halved until the computation is affordable.
  [[nodiscard]] std::vector<std::size_t> affordable(std::size_t size, double products) const {
    for (std::vector<std::size_t> capacity = capacity_;;) {
      if (cost(capacity, size) <= products) return capacity;
      const auto largest = std::max_element(capacity.begin(), capacity.end());
      const std::size_t most = *largest / 2;
      for (std::size_t& each : capacity) each = std::min(each, most);
    }
  }
  /// Products of the cycles: that of class c for every count of the classes between it and the one in
  /// question.
  [[nodiscard]] double cost(const std::vector<std::size_t>& capacity, std::size_t size) const {
    double sum = 0;
    std::vector<double> counts;  // that occur in a slot, of each class
    for (std::size_t c = 0; c <= capacity.size(); ++c) {
      double most = static_cast<double>(slots_.inputs);
      for (const ClassPackets& each : slots_.joint)
        most = std::max(most, static_cast<double>(each.packets[c]));
      counts.push_back(most);
    }
    for (std::size_t c = 0; c < capacity.size(); ++c) {
      double requests = 1, entries = std::min(counts[c], static_cast<double>(capacity[c])) + 1;
      for (std::size_t other = c + 1; other < capacity.size(); ++other) {
        requests *= 2 * static_cast<double>(capacity[other]) + 1;
        entries *= std::min(counts[other], static_cast<double>(capacity[other])) + 1;
      }
      entries *= std::min(counts.back(), static_cast<double>(size)) + 3;
      sum += 2 * requests * entries * static_cast<double>(size) * (static_cast<double>(capacity[c]) + 1);
      for (double& each : counts) each = std::numeric_limits<double>::infinity();  // of a cycle
    }
    return sum + 1;
  }

  const ServedClass<long double>& machine(const std::vector<std::size_t>& capacity, std::size_t size) {
    if (!machine_ || machine_of_ != capacity || machine_->loss.at.size() < size) {
      const PrecisionScope scope(Precision{2 * loss_machine_bits});
      const CycleTable<Real> table = slot_table(slots_, capacity);
      machine_ = served_class(in_machine(table), table, 2 * loss_machine_bits, size, loss_machine_bits);
      machine_of_ = capacity;
    }
    return *machine_;
  }

  [[nodiscard]] Loss enclosed(const std::vector<std::size_t>& capacity, std::int64_t buffer, Digits digits) {
    const auto n = static_cast<std::size_t>(buffer);
    const ServedClass<long double>& fast = machine(capacity, levels_for(n + 1));
    if (fast.batch == 0 && fast.loss.errors.first == 0)  // never served
      return {numeric::Exact<unit::Probability>{numeric::Theorem::priority_queue, 1}, {Arithmetic::exact, 0}};
    if (fast.loss.at[n] > min_machine)
      if (auto found =
              around(fast.loss, n, loss_machine_bits, {Arithmetic::extended, loss_machine_bits}, digits))
        return *std::move(found);
    for (int bits = 128; bits <= max_loss_bits; bits *= 2) {
      if (bits < numeric::to_precision(digits).bits) continue;
      if (cost(capacity, n + 1) > max_long_products) break;
      const PrecisionScope scope(Precision{bits + 64});
      const CycleTable<Real> table = slot_table(slots_, capacity);
      CycleTable<Real> rounded = table;
      rounded.units = 1;
      const ServedClass<Real> fine = served_class(std::move(rounded), table, bits + 64, n + 1, bits);
      if (auto found = around(fine.loss, n, bits, {Arithmetic::multiprecision, bits}, digits))
        return *std::move(found);
    }
    throw LimitExceeded("the loss of a buffer of " + std::to_string(buffer) + " packets to " +
                        std::to_string(digits.count) + " digits");
  }

  /// None if it has fewer digits.
  template <class T>
  [[nodiscard]] static std::optional<Loss> around(const ErrorSeries<T>& losses, std::size_t n, int bits,
                                                  Method method, Digits digits) {
    const numeric::RelativeError gamma = numeric::relative_error_bound({losses.errors.at(n)}, bits);
    if (!std::isfinite(gamma.units)) return std::nullopt;
    Real low, high;
    numeric::widen(losses.at[n], gamma, Real(0), bits, low, high);
    if (high > 1) high = 1;
    if (!(low <= high) || !numeric::agree_to(low, high, digits)) return std::nullopt;
    return Loss{
        Enclosure<unit::Probability>(numeric::Theorem::priority_queue, std::move(low), std::move(high)),
        method};
  }

  const std::vector<long double>& near(std::size_t size) {
    return machine(unlimited_ ? cut_to(deep) : affordable(size, max_products), size).loss.at;
  }

  /// However large its buffer is, the class loses what does not fit into the slots that are left.
  void require_possible(const Rational& target) {
    if (unlimited_) return;
    const std::size_t size = 64;
    const ServedClass<long double>& fast = machine(affordable(size, max_products), size);
    const long double least = fast.batch == 0 ? 1 : 1 - 1 / fast.batch;
    const PrecisionScope scope(Precision{128});
    if (class_cycle::nearest<long double>(rounded(target)) > least) return;
    throw NoAnswer("no buffer of class " + std::to_string(capacity_.size() + 1) + " meets " +
                   numeric::plain(target) + ": the higher classes leave so few slots that at least " +
                   numeric::to_decimal(Real(least), 4, numeric::Rounding::down) +
                   " of its packets are lost; lower the loads of the higher classes, or raise the target");
  }

  ClassSlots slots_;
  std::vector<std::size_t> capacity_;
  Digits digits_;
  std::optional<PriorityQueue> unlimited_;  ///< with infinite higher buffers
  std::optional<ServedClass<long double>> machine_;
  std::vector<std::size_t> machine_of_;
};

FiniteClasses::FiniteClasses(ClassSlots slots, std::vector<Packets> higher, Digits digits)
    : laws_(std::make_unique<Laws>(std::move(slots), std::move(higher), digits)) {}
FiniteClasses::~FiniteClasses() = default;
FiniteClasses::FiniteClasses(FiniteClasses&&) noexcept = default;
FiniteClasses& FiniteClasses::operator=(FiniteClasses&&) noexcept = default;

FiniteClasses::Loss FiniteClasses::loss(Packets capacity) {
  return laws_->loss(capacity.value);
}
FiniteClasses::Minimum FiniteClasses::min_buffer_size(const Rational& target) {
  return laws_->minimum(target);
}

}  // namespace tailbound::queue
