#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>

#include <tailbound/core/error.hpp>
#include <tailbound/sim/rare/masses.hpp>
#include <tailbound/sim/rare/rare_event.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace tailbound::sim {
namespace {

using network::SourceRate;

constexpr std::size_t max_values = std::size_t{1} << 14;

void check(std::span<const SourceRate> sources) {
  if (sources.empty()) throw InvalidArgument("sources", "an empty list", "at least one source");
  for (const SourceRate& source : sources) {
    if (source.rate <= 0 || source.rate > 1)
      throw InvalidArgument("rate", numeric::to_fraction(source.rate), "above 0 and at most 1");
    if (source.count < 1 || source.count > (std::int64_t{1} << 20))
      throw InvalidArgument("number of sources", std::to_string(source.count), "from 1 to 2^20");
  }
}

/// log A(e^x) - x: 0 at x = 0, convex, decreasing there if the queue is stable.
double growth(std::span<const SourceRate> sources, double x) {
  double sum = -x;
  for (const SourceRate& source : sources)
    sum +=
        static_cast<double>(source.count) * std::log1p(numeric::nearest_double(source.rate) * std::expm1(x));
  return sum;
}

}  // namespace

double mean_arrivals(std::span<const SourceRate> sources) {
  double mean = 0;
  for (const SourceRate& source : sources)
    mean += static_cast<double>(source.count) * numeric::nearest_double(source.rate);
  return mean;
}

double decay_exponent(std::span<const SourceRate> sources) {
  check(sources);
  numeric::Rational load = 0;
  std::int64_t inputs = 0;
  for (const SourceRate& source : sources) {
    load = load + source.rate * numeric::Integer(source.count);
    inputs += source.count;
  }
  if (load >= 1) throw Unstable(numeric::plain(load));
  if (inputs == 1) throw NoAnswer("there is a single source: the queue never exceeds one packet");
  return positive_root([&](double x) { return growth(sources, x); },
                       "the load is too small: the root of A(z) = z is above 1e260");
}

std::vector<double> tilted_probabilities(std::span<const SourceRate> sources, double exponent) {
  check(sources);
  Masses sum{0, {1}};
  for (const SourceRate& source : sources) {
    const double rate = numeric::nearest_double(source.rate);
    const double tilted = rate / (rate + (1 - rate) * std::exp(-exponent));
    sum = convolved(sum, binomial(static_cast<std::int32_t>(source.count), tilted));
    if (static_cast<std::size_t>(sum.first) + sum.values.size() > max_values)
      throw LimitExceeded("more than 2^14 packets may arrive per slot, the limit");
  }
  sum.values.insert(sum.values.begin(), static_cast<std::size_t>(sum.first), 0.0);
  return sum.values;
}

AliasTable::AliasTable(const std::vector<double>& probabilities) {
  if (probabilities.empty() || probabilities.size() > (std::size_t{1} << 16U))
    throw InvalidArgument("number of probabilities", std::to_string(probabilities.size()), "from 1 to 2^16");
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(probabilities.size(), 2));
  shift_ = 32U - static_cast<unsigned>(std::bit_width(size) - 1);
  mask_ = (std::uint32_t{1} << shift_) - 1;
  columns_.resize(size);
  const double all = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  // Shares in units of a column: columns with less than 1 are filled up from those with more.
  std::vector<double> share(size);
  std::vector<std::size_t> less, more;
  for (std::size_t i = 0; i < size; ++i) {
    share[i] = i < probabilities.size() ? probabilities[i] / all * static_cast<double>(size) : 0;
    (share[i] < 1 ? less : more).push_back(i);
  }
  const auto set = [&](std::size_t column, double part, std::size_t other) {
    const double units = std::min(1.0, part) * (static_cast<double>(mask_) + 1);
    columns_[column] = {static_cast<std::uint32_t>(std::llround(units)),
                        {static_cast<std::uint16_t>(column), static_cast<std::uint16_t>(other)}};
  };
  while (!less.empty() && !more.empty()) {
    const std::size_t small = less.back(), large = more.back();
    less.pop_back();
    set(small, share[small], large);
    share[large] -= 1 - share[small];
    if (share[large] < 1) {
      more.pop_back();
      less.push_back(large);
    }
  }
  // The rest are full columns, up to rounding.
  for (const auto* rest : {&less, &more})
    for (const std::size_t column : *rest) set(column, 1, column);
}

}  // namespace tailbound::sim
