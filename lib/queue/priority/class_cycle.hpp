#pragma once

#include <tailbound/numeric/rounding.hpp>
#include <tailbound/queue/priority/class_series.hpp>

#include <utility>

/// Packets of the lower classes in a cycle of a class with a finite buffer: from a slot without packets of
/// that class, just after arrivals, to the next such slot. Internal to the queue module.
///
/// MODEL     docs/derivations/priorities.md, "Finite buffers". Classes that are not removed yet are counted
///           up to their buffers only: more packets than fit change nothing.
/// METHOD    First passage down to 0, level by level from the top, without subtractions except for the
///           pivots, which are computed in intervals. Every value is a sum of products of non-negative
///           numbers with a count of roundings.
namespace tailbound::queue {

/// J packets of the class in question, together with an event.
template <class T>
struct CycleSeries {
  std::vector<T> mass, tail,
      beyond;                 ///< P(J = n), P(J > n), E[(J - n - 1)^+], n = 0, 1, ..; 0 from their end
  T all = T(0), mean = T(0);  ///< of the event, and E[J]
};

/// The packets of a slot or of a cycle.
template <class T>
struct CycleTable {
  std::vector<std::size_t> capacity;  ///< buffers of the classes above the one in question, highest first
  std::vector<std::size_t> counts;    ///< of each the counts that occur, 0 .. ; `capacity` means that or more
  std::vector<CycleSeries<T>> at;     ///< the first class varies fastest
  double units = 0;                   ///< relative errors of each entry

  [[nodiscard]] std::size_t size() const {
    std::size_t all = 1;
    for (const std::size_t count : counts) all *= count;
    return all;
  }
};

namespace class_cycle {

using numeric::Interval;
using numeric::Real;

/// `value` with its relative errors of a unit each.
template <class T>
[[nodiscard]] Interval around(const T& value, double units, int bits) {
  Real low, high;
  numeric::widen(value, numeric::relative_error_bound({units}, bits), Real(0), bits, low, high);
  return numeric::make_interval(low, high);
}

template <class T>
[[nodiscard]] T nearest(const Real& value) {
  if constexpr (std::is_same_v<T, long double>)
    return mpfr_get_ld(value.backend().data(), MPFR_RNDN);
  else
    return value;
}

/// The solution of x_h = right_h + sum over a of jump[a] x_min(h - 1 + a, B), h = 1 .. B, x_0 given.
template <class T>
struct Elimination {
  std::vector<T> jump;           ///< by packets of the class that arrive
  std::vector<T> down, inverse;  ///< of level h: the step to h - 1, and 1 / pivot
  double units = 0;              ///< of each

  /// \param x  the right side from 1 on; becomes the solution
  void solve(std::vector<T>& x) const {
    const std::size_t top = x.size() - 1;
    for (std::size_t h = top; h > 0; --h) {
      T sum = x[h], ahead(0);
      std::size_t level = h;
      for (std::size_t a = 2; a < jump.size(); ++a) {
        for (const std::size_t next = std::min(h - 1 + a, top); level < next;) {
          ++level;
          ahead = x[level] + down[level] * ahead;
        }
        sum += jump[a] * ahead;
      }
      x[h] = sum * inverse[h];
    }
    for (std::size_t h = 1; h <= top; ++h) x[h] += down[h] * x[h - 1];
  }
};

/// \param jump  in intervals, by packets that arrive
template <class T>
[[nodiscard]] Elimination<T> elimination(const std::vector<Interval>& jump, std::size_t top, int bits) {
  Elimination<T> result;
  std::vector<Interval> down(top + 1, Interval(0));
  result.down.assign(top + 1, T(0));
  result.inverse.assign(top + 1, T(0));
  const auto rounded = [&](const Interval& value) {
    const Real low = numeric::lower(value), high = numeric::upper(value);
    const double width = high > 0 ? numeric::relative_width(low, high) : 0;
    result.units = std::max(result.units, std::ldexp(width, std::min(bits, 1000)) + 1.01);
    return nearest<T>((low + high) / 2);
  };
  for (const Interval& value : jump) result.jump.push_back(rounded(value));
  for (std::size_t h = top; h > 0; --h) {
    Interval stays(0), path(1);
    std::size_t level = h;
    for (std::size_t a = 1; a < jump.size(); ++a) {
      for (const std::size_t next = std::min(h - 1 + a, top); level < next;) path *= down[++level];
      stays += jump[a] * path;
    }
    const Interval pivot = Interval(1) - stays;
    if (!(numeric::lower(pivot) > 0)) {
      result.units = std::numeric_limits<double>::infinity();
      return result;
    }
    down[h] = jump[0] / pivot;
    result.down[h] = rounded(down[h]);
    result.inverse[h] = rounded(Interval(Interval(1) / pivot));
  }
  return result;
}

}  // namespace class_cycle

/// Removes the first class of a table: its cycle brings packets of the others.
template <class T>
class ClassCycle {
 public:
  /// \param source  the same table, more precise, of which no series is needed: for jumps and pivots
  /// \param size    entries of each series
  template <class S>
  ClassCycle(const CycleTable<T>& table, const CycleTable<S>& source, int source_bits, std::size_t size,
             int bits)
      : table_(table), size_(size), top_(table.capacity.front()), others_(table.counts.size() - 1) {
    for (std::size_t c = 1; c <= others_; ++c) requests_ *= 2 * table.capacity[c] + 1;
    masses_ = others_ > 0 ? size : 1;
    const std::size_t kinds = std::size_t{1} << others_;
    for (std::size_t kind = 0; kind < kinds; ++kind)
      for (const bool all : {false, true})
        by_.push_back(class_cycle::elimination<T>(jumps(source, source_bits, kind, all), top_, bits));
    for (const auto& by : by_) step_ = std::max(step_, by.units);
    count_roundings();
    solve();
  }

  /// The packets of a cycle.
  [[nodiscard]] CycleTable<T> packets() const {
    CycleTable<T> result;
    result.capacity.assign(table_.capacity.begin() + 1, table_.capacity.end());
    for (const std::size_t capacity : result.capacity) result.counts.push_back(capacity + 1);
    result.at.resize(result.size());
    for (std::size_t i = 0; i < result.at.size(); ++i) {
      std::size_t request = 0, rest = i, factor = 1;
      for (std::size_t c = 0; c < others_; ++c) {
        const std::size_t capacity = result.capacity[c], count = rest % (capacity + 1);
        rest /= capacity + 1;
        request += factor * (count < capacity ? count : 2 * capacity);
        factor *= 2 * capacity + 1;
      }
      CycleSeries<T>& its = result.at[i];
      for (std::size_t n = 0; n < size_; ++n) {
        if (n < masses_) its.mass.push_back(from_empty(request, &Solved::mass, n));
        its.tail.push_back(from_empty(request, &Solved::tail, n));
        its.beyond.push_back(from_empty(request, &Solved::beyond, n));
      }
      std::vector<T> start(1, T(0));
      add_all(request, false, start);
      its.all = start.front();
      start.front() = T(0);
      add_mean(request, false, start);
      its.mean = start.front();
    }
    result.units = roundings(static_cast<double>(size_));
    return result;
  }

  /// Relative errors of entry n of a series: each n + first.
  [[nodiscard]] SeriesErrors errors() const { return {step_, roundings(0)}; }

  /// Products that a cycle costs.
  static double cost(const CycleTable<T>& table, std::size_t size) {
    double requests = 1, entries = 0;
    for (std::size_t c = 1; c < table.capacity.size(); ++c)
      requests *= 2 * static_cast<double>(table.capacity[c]) + 1;
    for (const CycleSeries<T>& each : table.at)
      entries += static_cast<double>(std::min(size, each.mass.size())) + 2;
    return 3 * requests * entries * static_cast<double>(size) *
           (static_cast<double>(table.capacity.front()) + 1);
  }

 private:
  /// By level of the removed class: series as in CycleSeries, [n][h].
  struct Solved {
    std::vector<std::vector<T>> mass, tail, beyond;
    std::vector<T> all, mean;
  };
  using Member = std::vector<std::vector<T>> Solved::*;
  static constexpr std::size_t impossible = static_cast<std::size_t>(-1);

  /// What is requested of the count of another class: exactly e < capacity (e), or at least r (capacity + r).
  /// \return what remains of it after the packets of entry i; impossible if they are too many
  [[nodiscard]] std::size_t rest_of(std::size_t request, std::size_t i) const {
    std::size_t rest = 0, factor = 1;
    i /= table_.counts.front();
    for (std::size_t c = 1; c <= others_; ++c) {
      const std::size_t capacity = table_.capacity[c], kinds = 2 * capacity + 1;
      const std::size_t wanted = request % kinds, packets = i % table_.counts[c];
      request /= kinds;
      i /= table_.counts[c];
      std::size_t left = 0;
      if (wanted < capacity) {
        if (packets > wanted) return impossible;  // also where `packets` means the capacity or more
        left = wanted - packets;
      } else {
        left = capacity + (wanted - capacity > packets ? wanted - capacity - packets : 0);
      }
      rest += factor * left;
      factor *= kinds;
    }
    return rest;
  }
  /// Nothing more is needed.
  [[nodiscard]] bool satisfied(std::size_t request) const {
    for (std::size_t c = 1; c <= others_; ++c) {
      const std::size_t capacity = table_.capacity[c], wanted = request % (2 * capacity + 1);
      if (wanted != 0 && wanted != capacity) return false;
      request /= 2 * capacity + 1;
    }
    return true;
  }
  [[nodiscard]] std::size_t amount(std::size_t request) const {
    std::size_t sum = 0;
    for (std::size_t c = 1; c <= others_; ++c) {
      const std::size_t capacity = table_.capacity[c], wanted = request % (2 * capacity + 1);
      sum += wanted < capacity ? wanted : wanted - capacity;
      request /= 2 * capacity + 1;
    }
    return sum;
  }
  /// Bit c: any number of packets of class c leaves the request as it is.
  [[nodiscard]] std::size_t kind_of(std::size_t request) const {
    std::size_t kind = 0;
    for (std::size_t c = 1; c <= others_; ++c) {
      const std::size_t capacity = table_.capacity[c];
      if (request % (2 * capacity + 1) == capacity) kind |= std::size_t{1} << (c - 1);
      request /= 2 * capacity + 1;
    }
    return kind;
  }

  /// By packets of the removed class: the chance that a slot leaves a request of that kind as it is, with any
  /// packets of the class in question or without.
  template <class S>
  [[nodiscard]] std::vector<numeric::Interval> jumps(const CycleTable<S>& source, int source_bits,
                                                     std::size_t kind, bool all) const {
    std::vector<numeric::Interval> result(source.counts.front(), numeric::Interval(0));
    for (std::size_t i = 0; i < source.at.size(); ++i) {
      std::size_t rest = i / source.counts.front();
      bool same = true;
      for (std::size_t c = 1; c <= others_; ++c) {
        same = same && (rest % source.counts[c] == 0 || (kind >> (c - 1) & 1U) != 0);
        rest /= source.counts[c];
      }
      const CycleSeries<S>& its = source.at[i];
      if (same)
        result[i % source.counts.front()] +=
            class_cycle::around(all ? its.all : its.mass.front(), source.units, source_bits);
    }
    return result;
  }

  /// Calls take(entry, rest of the request, packets of the removed class).
  template <class Take>
  void for_each_entry(std::size_t request, const Take& take) const {
    for (std::size_t i = 0; i < table_.at.size(); ++i)
      if (const std::size_t rest = rest_of(request, i); rest != impossible)
        take(table_.at[i], rest, i % table_.counts.front());
  }
  /// into[h] += p from[level after a slot that begins at h], h = 1, 2, .. with service; into[0] without.
  void add(std::vector<T>& into, const T& p, const std::vector<T>& from, std::size_t packets,
           bool service) const {
    if (p == 0) return;
    if (!service) {
      into.front() += p * from[std::min(packets, top_)];
      return;
    }
    const std::size_t direct = packets > top_ ? 0 : top_ - packets + 1;  // h - 1 + packets <= top
    for (std::size_t h = 1; h <= direct && h <= top_; ++h) into[h] += p * from[h - 1 + packets];
    for (std::size_t h = direct + 1; h <= top_; ++h) into[h] += p * from[top_];
  }
  void add_all(std::size_t request, bool service, std::vector<T>& into) const {
    for_each_entry(request, [&](const CycleSeries<T>& its, std::size_t rest, std::size_t packets) {
      if (!service || rest != request) add(into, its.all, solved_[rest].all, packets, service);
    });
  }
  void add_mean(std::size_t request, bool service, std::vector<T>& into) const {
    for_each_entry(request, [&](const CycleSeries<T>& its, std::size_t rest, std::size_t packets) {
      add(into, its.mean, solved_[rest].all, packets, service);
      if (!service || rest != request) add(into, its.all, solved_[rest].mean, packets, service);
    });
  }
  void add_entry(std::size_t request, Member which, std::size_t n, bool service, std::vector<T>& into) const {
    for_each_entry(request, [&](const CycleSeries<T>& its, std::size_t rest, std::size_t packets) {
      const Solved& after = solved_[rest];
      for (std::size_t j = service && rest == request ? 1 : 0; j < std::min(n + 1, its.mass.size()); ++j)
        add(into, its.mass[j], (after.*which)[n - j], packets, service);
      if (which == &Solved::mass || n >= its.tail.size()) return;
      if (which == &Solved::tail) return add(into, its.tail[n], after.all, packets, service);
      add(into, its.beyond[n], after.all, packets, service);
      add(into, its.tail[n], after.mean, packets, service);
    });
  }
  [[nodiscard]] T from_empty(std::size_t request, Member which, std::size_t n) const {
    std::vector<T> start(1, T(0));
    add_entry(request, which, n, false, start);
    return start.front();
  }

  void solve() {
    solved_.resize(requests_);
    std::vector<std::size_t> order(requests_);
    for (std::size_t q = 0; q < requests_; ++q) order[q] = q;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return amount(a) < amount(b); });
    const auto empty = [&] { return std::vector<T>(top_ + 1, T(0)); };
    for (const std::size_t request : order) {
      Solved& its = solved_[request];
      const auto& none = by_[2 * kind_of(request)];
      const auto& any = by_[2 * kind_of(request) + 1];
      const bool done = satisfied(request);
      its.all = empty();
      its.mean = empty();
      add_all(request, true, its.all);
      if (done) its.all.front() = T(1);
      any.solve(its.all);
      add_mean(request, true, its.mean);
      any.solve(its.mean);
      for (std::size_t n = 0; n < size_; ++n) {
        if (n < masses_) {
          std::vector<T> mass = empty();
          add_entry(request, &Solved::mass, n, true, mass);
          if (done && n == 0) mass.front() = T(1);
          none.solve(mass);
          its.mass.push_back(std::move(mass));
        }
        for (const Member which : {&Solved::tail, &Solved::beyond}) {
          std::vector<T> values = empty();
          add_entry(request, which, n, true, values);
          none.solve(values);
          (its.*which).push_back(std::move(values));
        }
      }
    }
  }

  /// step_: of one request or one packet less (docs/derivations/priorities.md).
  void count_roundings() {
    const auto top = static_cast<double>(top_), batch = static_cast<double>(table_.counts.front());
    double terms = 0;
    for (const CycleSeries<T>& each : table_.at)
      terms += static_cast<double>(std::min(size_, each.mass.size())) + 2;
    const double unit = step_ + 1, entry = table_.units + 1;  // with a product
    step_ = entry + terms + unit + top * (batch + 2 * unit + batch * (unit + 1)) + top * (unit + 1) + 2;
    for (std::size_t c = 1; c <= others_; ++c) amounts_ += static_cast<double>(table_.capacity[c]);
  }
  [[nodiscard]] double roundings(double n) const { return step_ * (n + 2 * amounts_ + 4); }

  const CycleTable<T>& table_;
  std::size_t size_, top_, others_, requests_ = 1, masses_ = 1;
  std::vector<class_cycle::Elimination<T>> by_;  ///< by kind, without packets of the class or with any
  std::vector<Solved> solved_;                   ///< by request
  double step_ = 0, amounts_ = 0;
};

}  // namespace tailbound::queue
