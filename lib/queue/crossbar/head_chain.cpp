#include <tailbound/core/error.hpp>
#include <tailbound/queue/crossbar/head_chain.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Rational;

/// [x]: outputs with count x; the entry of 0 is not used.
using Multiplicities = std::vector<std::uint8_t>;

HeadCounts packed(const Multiplicities& outputs) {
  HeadCounts counts;
  for (std::size_t x = outputs.size(); x-- > 1;)
    if (outputs[x] > 0) {
      counts.push_back(static_cast<char>(x));
      counts.push_back(static_cast<char>(outputs[x]));
    }
  return counts;
}

std::size_t count_at(const HeadCounts& counts, std::size_t place) {
  return static_cast<std::uint8_t>(counts[2 * place]);
}
std::size_t outputs_at(const HeadCounts& counts, std::size_t place) {
  return static_cast<std::uint8_t>(counts[2 * place + 1]);
}
std::size_t groups(const HeadCounts& counts) {
  return counts.size() / 2;
}

/// One output less with count x (0: with none), one more with x + 1.
HeadCounts raised(const HeadCounts& counts, std::size_t x) {
  HeadCounts result;
  bool added = false;
  const auto add = [&](std::size_t count, std::size_t outputs) {
    if (outputs == 0) return;
    result.push_back(static_cast<char>(count));
    result.push_back(static_cast<char>(outputs));
  };
  for (std::size_t i = 0; i < groups(counts); ++i) {
    const std::size_t count = count_at(counts, i), outputs = outputs_at(counts, i);
    if (!added && count <= x + 1) {
      added = true;
      if (count == x + 1) {
        add(count, outputs + 1);
        continue;
      }
      add(x + 1, 1);
    }
    add(count, count == x ? outputs - 1 : outputs);
  }
  if (!added) add(x + 1, 1);
  return result;
}

template <class Weight>
Weight weight_of(const Rational& value) {
  if constexpr (std::is_same_v<Weight, Rational>)
    return value;
  else
    return numeric::nearest_long_double(value);
}

/// Binomial coefficient, exactly.
Rational choose(std::size_t n, std::size_t j) {
  Rational product = 1;
  for (std::size_t i = 1; i <= j; ++i) product = product * Rational(n - j + i) / Rational(i);
  return product;
}

/// P(l of `served` heads leave for a new output), l = 0 .. served.
std::vector<Rational> leaving(std::size_t served, const Rational& probability) {
  std::vector<Rational> law;
  for (std::size_t l = 0; l <= served; ++l)
    law.push_back(choose(served, l) * numeric::pow(probability, static_cast<std::int64_t>(l)) *
                  numeric::pow(1 - probability, static_cast<std::int64_t>(served - l)));
  return law;
}

}  // namespace

template <class Weight>
HeadChain<Weight>::HeadChain(const HeadOfLine& queue, std::size_t max_edges)
    : queue_(queue), max_edges_(max_edges), levels_(static_cast<std::size_t>(queue.inputs) + 1) {
  // All heads for one output: that can follow any state, so it returns, and so do all states after it.
  Multiplicities first(static_cast<std::size_t>(queue.inputs + queue.buffer), 0);
  first.back() = 1;
  node(0, packed(first));
  std::vector<std::uint32_t> done(levels_.size(), 0);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t level = levels_.size(); level-- > 0;)
      while (done[level] < levels_[level].size()) {
        more = true;
        const std::uint32_t from = done[level]++;
        if (level == 0)
          depart(from);
        else
          draw(level, from);
      }
  }
  for (Level& level : levels_) {
    level.known = {};
    level.begin.push_back(level.draws.size());
  }
}

template <class Weight>
std::uint32_t HeadChain<Weight>::node(std::size_t level, const HeadCounts& counts) {
  Level& its = levels_[level];
  const auto [place, is_new] = its.known.try_emplace(counts, static_cast<std::uint32_t>(its.nodes.size()));
  if (is_new) its.nodes.push_back(counts);
  return place->second;
}

template <class Weight>
void HeadChain<Weight>::count_edge() {
  if (++edges_ > max_edges_)
    throw LimitExceeded("the saturation load of " + std::to_string(queue_.inputs) + " inputs and " +
                        std::to_string(queue_.outputs) +
                        " outputs needs a chain of too many states; give fewer ports, or tailbound simulate "
                        "crossbar --load 1");
}

template <class Weight>
void HeadChain<Weight>::draw(std::size_t level, std::uint32_t from) {
  const HeadCounts counts = levels_[level].nodes[from];
  levels_[level].begin.push_back(levels_[level].draws.size());
  std::size_t none = static_cast<std::size_t>(queue_.outputs), draws = 0;
  const auto add = [&](std::size_t x, std::size_t outputs) {
    const std::uint32_t to = node(level - 1, raised(counts, x));
    levels_[level].draws.push_back({to, static_cast<std::uint32_t>(outputs)});
    ++draws;
    count_edge();
  };
  for (std::size_t i = 0; i < groups(counts); ++i) {
    none -= outputs_at(counts, i);
    add(count_at(counts, i), outputs_at(counts, i));
  }
  if (none > 0) add(0, none);
  most_draws_ = std::max(most_draws_, draws);
}

template <class Weight>
void HeadChain<Weight>::depart(std::uint32_t state) {
  const HeadCounts counts = levels_[0].nodes[state];
  const auto inputs = static_cast<std::size_t>(queue_.inputs),
             buffer = static_cast<std::size_t>(queue_.buffer);
  Multiplicities left(counts.empty() ? 1 : count_at(counts, 0) + 1, 0);
  std::int64_t served = 0;
  const auto leave = [&](const Weight& probability, std::size_t draws) {
    departures_.push_back({probability, static_cast<std::uint32_t>(draws), node(draws, packed(left))});
    count_edge();
  };
  if (buffer > 1) {
    std::size_t blocked = 0;
    for (std::size_t i = 0; i < groups(counts); ++i) {
      const std::size_t x = count_at(counts, i), outputs = outputs_at(counts, i);
      blocked += outputs * (x > buffer ? x - buffer : 0);
      left[x - 1] = static_cast<std::uint8_t>(left[x - 1] + outputs);
      served += static_cast<std::int64_t>(outputs);
    }
    left[0] = 0;
    leave(Weight(1), inputs - blocked);
  } else {
    // The outputs of each group, divided by how many of their served heads draw a new output.
    const auto divide = [&](const auto& self, std::size_t group, std::size_t draws,
                            const Weight& probability) {
      if (group == groups(counts)) {
        leave(probability, draws);
        return;
      }
      const std::size_t x = count_at(counts, group);
      const std::size_t most = std::min(x, static_cast<std::size_t>(queue_.served));
      if (queue_.burst == 1) {
        const std::size_t outputs = outputs_at(counts, group);
        left[x - most] = static_cast<std::uint8_t>(left[x - most] + outputs);
        self(self, group + 1, draws + most * outputs, probability);
        left[x - most] = static_cast<std::uint8_t>(left[x - most] - outputs);
        return;
      }
      const std::vector<Rational> law = leaving(most, 1 / queue_.burst);
      const auto split = [&](const auto& again, std::size_t leaving_heads, std::size_t outputs,
                             std::size_t drawn, const Weight& so_far) {
        if (leaving_heads > most) {
          if (outputs == 0) self(self, group + 1, drawn, so_far);
          return;
        }
        const bool last = leaving_heads == most;
        for (std::size_t its = last ? outputs : 0; its <= outputs; ++its) {
          const Weight share = weight_of<Weight>(
              choose(outputs, its) * numeric::pow(law[leaving_heads], static_cast<std::int64_t>(its)));
          const std::size_t to = x - leaving_heads;
          left[to] = static_cast<std::uint8_t>(left[to] + its);
          again(again, leaving_heads + 1, outputs - its, drawn + leaving_heads * its, so_far * share);
          left[to] = static_cast<std::uint8_t>(left[to] - its);
        }
      };
      split(split, 0, outputs_at(counts, group), draws, probability);
    };
    for (std::size_t i = 0; i < groups(counts); ++i)
      served += static_cast<std::int64_t>(outputs_at(counts, i)) *
                std::min(static_cast<std::int64_t>(count_at(counts, i)), queue_.served);
    divide(divide, 0, 0, Weight(1));
  }
  served_.push_back(served);
  first_departure_.push_back(departures_.size());
}

template <class Weight>
std::vector<double> HeadChain<Weight>::sums_of_powers(double exponent) const {
  std::vector<double> sums;
  for (const HeadCounts& counts : levels_[0].nodes) {
    double sum = 0;
    for (std::size_t i = 0; i < groups(counts); ++i)
      sum += static_cast<double>(outputs_at(counts, i)) *
             std::pow(static_cast<double>(count_at(counts, i)), exponent);
    sums.push_back(sum);
  }
  return sums;
}

template <class Weight>
template <class Number>
std::vector<Number> HeadChain<Weight>::next(const std::vector<Number>& h) const {
  std::vector<std::vector<Number>> values(levels_.size());
  values[0] = h;
  const auto outputs = Number(queue_.outputs);
  for (std::size_t r = 1; r < levels_.size(); ++r) {
    const Level& level = levels_[r];
    const std::vector<Number>& below = values[r - 1];
    values[r].reserve(level.size());
    for (std::size_t i = 0; i < level.size(); ++i) {
      Number sum(0);
      for (std::size_t e = level.begin[i]; e < level.begin[i + 1]; ++e)
        sum = sum + Number(level.draws[e].count) * below[level.draws[e].to];
      values[r].push_back(sum / outputs);
    }
  }
  using Sum = std::conditional_t<std::is_floating_point_v<Number>, long double, Number>;
  std::vector<Number> result;
  result.reserve(states());
  for (std::size_t x = 0; x < states(); ++x) {
    Sum sum(served_[x]);
    for (std::size_t e = first_departure_[x]; e < first_departure_[x + 1]; ++e) {
      const Departure& to = departures_[e];
      sum = sum + Sum(to.probability) * Sum(values[to.draws][to.to]);
    }
    result.push_back(static_cast<Number>(sum));
  }
  return result;
}

template <class Weight>
double HeadChain<Weight>::units() const {
  std::size_t departures = 1;
  for (std::size_t x = 0; x < states(); ++x)
    departures = std::max(departures, first_departure_[x + 1] - first_departure_[x]);
  // A draw: its products, sums and the quotient. Departures: their probabilities have few errors each.
  return static_cast<double>((levels_.size() - 1) * (most_draws_ + 2) + departures + 2 * levels_.size() + 8);
}

template class HeadChain<long double>;
template class HeadChain<Rational>;
template std::vector<double> HeadChain<long double>::next(const std::vector<double>&) const;
template std::vector<long double> HeadChain<long double>::next(const std::vector<long double>&) const;
template std::vector<Rational> HeadChain<Rational>::next(const std::vector<Rational>&) const;

}  // namespace tailbound::queue
