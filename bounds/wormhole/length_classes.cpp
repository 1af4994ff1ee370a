#include <tailbound/bounds/wormhole/length_classes.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

namespace tailbound::bounds::wormhole::finite {
namespace {

constexpr int atoms = 3;
/// Maximum number of classes that occupy fewer channels than their path has.
constexpr double max_ranges = 16;

double square(double x) {
  return x * x;
}

/// Lengths merged.
struct Range {
  double share = 0, mean = 0, variance = 0;
  double held = 0;  ///< mean number of channels that one occupies
};

/// Sums over lengths.
struct Sums {
  double share = 0, first = 0, second = 0, held = 0;
  void add(double its, double flits, double channels) {
    share += its, first += its * flits, second += its * flits * flits, held += its * channels;
  }
  [[nodiscard]] Range range() const {
    const double mean = first / share;
    return {share, mean, std::max(0.0, second / share - square(mean)), held / share};
  }
};

/// Points and weights of the Gauss quadrature with this Jacobi matrix, for a law of total weight `share`.
std::vector<Range> gauss(const std::vector<double>& diagonal, const std::vector<double>& beside, double share,
                         double first) {
  const auto n = static_cast<Eigen::Index>(diagonal.size());
  Eigen::MatrixXd jacobi = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    jacobi(k, k) = diagonal[static_cast<std::size_t>(k)];
    if (k + 1 < n) jacobi(k, k + 1) = jacobi(k + 1, k) = beside[static_cast<std::size_t>(k)];
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(jacobi);
  std::vector<Range> points;
  for (Eigen::Index k = 0; k < n; ++k)
    points.push_back({share * square(solved.eigenvectors()(0, k)), first + solved.eigenvalues()(k), 0, 0});
  return points;
}

/// Of at least `first` flits, geometric beyond: polynomials of Meixner.
std::vector<Range> geometric_atoms(double mean, double share, double first) {
  const double more = 1 - 1 / mean;
  std::vector<double> diagonal, beside;
  for (int n = 0; n < atoms; ++n) {
    diagonal.push_back((more + n * (1 + more)) * mean);
    beside.push_back((n + 1) * std::sqrt(more) * mean);
  }
  return gauss(diagonal, beside, share, first);
}

/// Of a list: the recurrence of its orthogonal polynomials, by Stieltjes.
std::vector<Range> list_atoms(const std::vector<std::pair<double, double>>& law) {
  double share = 0;
  for (const auto& [flits, part] : law) share += part;
  if (law.size() <= atoms) {
    std::vector<Range> all;
    for (const auto& [flits, part] : law) all.push_back({part, flits, 0, 0});
    return all;
  }
  std::vector<double> diagonal, beside, before(law.size(), 0), now(law.size(), 1), next(law.size());
  double norm = share, beta = 0;
  for (int n = 0; n < atoms; ++n) {
    double alpha = 0;
    for (std::size_t i = 0; i < law.size(); ++i) alpha += law[i].second * square(now[i]) * law[i].first;
    alpha /= norm;
    double next_norm = 0;
    for (std::size_t i = 0; i < law.size(); ++i) {
      next[i] = (law[i].first - alpha) * now[i] - beta * before[i];
      next_norm += law[i].second * square(next[i]);
    }
    beta = next_norm / norm;
    norm = next_norm;
    diagonal.push_back(alpha);
    beside.push_back(std::sqrt(beta));
    before.swap(now);
    now.swap(next);
  }
  return gauss(diagonal, beside, share, 0);
}

/// The lengths of one kind, merged. (29)
class Merged {
 public:
  Merged(const network::MessageLengths& law, double buffer, double path) : law_(law), buffer_(buffer) {
    const double ranges = std::ceil(path) - 1;  // of 1, 2, .. channels, fewer than the path
    step_ = std::max(1.0, std::ceil(ranges / max_ranges));
    limit_ = std::max(1.0, ranges);
    if (law.is_geometric())
      merge_geometric();
    else if (law.lengths().size() <= Lengths::max_lengths)
      keep();
    else
      merge_list();
  }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  /// The range of each length of a list.
  [[nodiscard]] const std::vector<std::size_t>& range_of() const { return range_of_; }

 private:
  [[nodiscard]] double channels(double flits) const { return std::ceil(flits / buffer_); }

  void keep() {
    for (const network::MessageLength& one : law_.lengths()) {
      range_of_.push_back(ranges_.size());
      const auto flits = static_cast<double>(one.flits);
      ranges_.push_back({numeric::nearest_double(one.share), flits, 0, channels(flits)});
    }
  }
  void merge_list() {
    std::map<double, Sums> sums;
    std::vector<std::pair<double, double>> rest;
    std::vector<double> keys;
    constexpr double long_ones = std::numeric_limits<double>::infinity();
    for (const network::MessageLength& one : law_.lengths()) {
      const auto flits = static_cast<double>(one.flits);
      const double share = numeric::nearest_double(one.share), held = channels(flits);
      const bool is_long = held > limit_;
      keys.push_back(one.flits == 1 ? 0 : is_long ? long_ones : std::ceil(held / step_));
      if (one.flits > 1 && is_long)
        rest.emplace_back(flits, share);
      else
        sums[keys.back()].add(share, flits, held);
    }
    std::map<double, std::size_t> number;
    for (const auto& [key, its] : sums) {
      number[key] = ranges_.size();
      ranges_.push_back(its.range());
    }
    number[long_ones] = ranges_.size();
    for (const Range& atom : list_atoms(rest)) ranges_.push_back(atom);
    for (std::size_t i = 0; i < keys.size(); ++i)
      range_of_.push_back(keys[i] < long_ones
                              ? number.at(keys[i])
                              : nearest(number.at(long_ones), static_cast<double>(law_.lengths()[i].flits)));
  }
  [[nodiscard]] std::size_t nearest(std::size_t first, double flits) const {
    std::size_t best = first;
    for (std::size_t i = first; i < ranges_.size(); ++i)
      if (std::abs(ranges_[i].mean - flits) < std::abs(ranges_[best].mean - flits)) best = i;
    return best;
  }

  void merge_geometric() {
    constexpr double negligible = 1e-12;
    const double mean = static_cast<double>(law_.lengths().front().flits);
    ranges_.push_back({1 / mean, 1, 0, 1});
    double first = 2, held = 0;
    for (; held < limit_ && tail(first) > negligible; held = std::min(limit_, held + step_)) {
      const double last = std::min(limit_, held + step_) * buffer_;
      if (last < first) continue;
      ranges_.push_back(geometric_range(first, last));
      first = last + 1;
    }
    if (tail(first) > negligible)
      for (const Range& atom : geometric_atoms(mean, tail(first), first)) ranges_.push_back(atom);
  }
  /// P(l >= flits)
  [[nodiscard]] double tail(double flits) const {
    return std::exp((flits - 1) * std::log1p(-1 / static_cast<double>(law_.lengths().front().flits)));
  }
  [[nodiscard]] Range geometric_range(double first, double last) const {
    constexpr double max_summed = 4096;
    const double mean = static_cast<double>(law_.lengths().front().flits);
    Sums sums;
    if (last - first < max_summed) {
      for (double flits = first; flits <= last; ++flits) sums.add(tail(flits) / mean, flits, channels(flits));
      return sums.range();
    }
    const auto beyond = [&](double flits, double sign) {
      const double rest = sign * tail(flits), passed = flits - 1;
      sums.share += rest;
      sums.first += rest * (passed + mean);
      sums.second += rest * (square(passed) + 2 * passed * mean + mean * (2 * mean - 1));
    };
    beyond(first, 1);
    beyond(last + 1, -1);
    sums.held = sums.first / buffer_ + sums.share / 2;
    return sums.range();
  }

  const network::MessageLengths& law_;
  double buffer_, step_ = 1, limit_ = 1;
  std::vector<Range> ranges_;
  std::vector<std::size_t> range_of_;
};

LengthClass class_of(const Range& range, const Worms& worms, double mean, double path) {
  const double flits = range.mean, buffer = worms.buffer_flits;
  LengthClass made{.flits = flits, .share = 0, .size = flits / mean};
  made.crossing = worms.timing == network::RouterTiming{}
                      ? made.size
                      : worms.timing.crossing_cycles(flits, buffer) / mean;
  made.variance = range.variance / square(mean);
  const double held = range.held > 0 ? std::round(range.held) : std::ceil(flits / buffer);
  if (held < path) made.held = static_cast<std::size_t>(std::max(1.0, held));
  made.stored = buffer < flits ? buffer / flits : 1;
  made.half = (1 + 1 / square(flits)) / 2;
  // min(r, B) for r = 0 .. l - 1 remaining flits.
  const double maximum = std::min(buffer, flits - 1);
  made.pushed = maximum * ((maximum + 1) / 2 + flits - 1 - maximum) / square(mean);
  return made;
}

/// F(a, b) with F(r, s) = F(r - 1, s) / 2 + (1 + F(r, s - 1)) / 2, and the sums of (35).
double whole_cycles(int own, int other) {
  std::vector<double> row(static_cast<std::size_t>(other) + 1, 0);
  double sum = 0;
  for (int r = 1; r <= own; ++r) {
    for (std::size_t s = 1; s < row.size(); ++s) row[s] = 0.5 * row[s] + 0.5 * (1 + row[s - 1]);
    sum += row.back();
  }
  for (std::size_t s = 1; s + 1 < row.size(); ++s) sum += row[s];
  return sum / own / other;
}

/// Two of one length: C(2 l, l) / 4^l of a flit less than with infinitesimal flits. (20)
double alike(double flits) {
  const double tie =
      std::exp(std::lgamma(2 * flits + 1) - 2 * std::lgamma(flits + 1) - flits * std::log(4.0));
  return 1 - tie / flits;
}

}  // namespace

double pair_loss(double own, double other) {
  if (own == other) return std::isfinite(own) ? alike(own) : 1;
  const double a = std::round(own), b = std::round(other);
  if (a == b) return alike(a);
  /// Whole cycles hardly matter between long messages.
  constexpr double most = 4e5;
  const auto summed = [](double one, double two) {
    return one * two > most ? 1 : whole_cycles(static_cast<int>(one), static_cast<int>(two));
  };
  const auto more = [&](double flits) {
    return flits * flits > most ? 0 : alike(flits) - summed(flits, flits);
  };
  return summed(a, b) + std::min(more(a), more(b));
}

bool Lengths::releases_early() const {
  return slack > 0 ||
         std::any_of(classes.begin(), classes.end(), [](const LengthClass& its) { return its.held > 0; });
}

Lengths lengths_of(const Worms& worms, double path, int on_a_wire) {
  Lengths all;
  const double buffer = worms.buffer_flits;
  const auto trip = static_cast<double>(worms.timing.round_trip());
  if (worms.kinds.empty()) {
    all.classes.emplace_back();
    all.laws = {{{0, 1}}};
    all.sizes = {1};
    all.singles.emplace_back();
    all.classes.front().spread = 2.0 / 3 * (1 - 0.5 / on_a_wire);
    return all;
  }
  all.flits = worms.mean_flits();
  std::map<std::pair<double, double>, std::size_t> number;
  for (const WormKind& kind : worms.kinds) {
    const Merged merged(kind.lengths, buffer, path);
    std::vector<std::size_t> classes;
    auto& law = all.laws.emplace_back();
    double mean = 0;
    for (const Range& range : merged.ranges()) {
      const auto [found, fresh] = number.emplace(std::pair{range.mean, range.variance}, all.classes.size());
      if (fresh) all.classes.push_back(class_of(range, worms, all.flits, path));
      LengthClass& its = all.classes[found->second];
      its.share += kind.share * range.share;
      law.emplace_back(found->second, range.share);
      classes.push_back(found->second);
      mean += range.share * its.size;
    }
    all.sizes.push_back(mean);
    auto& singles = all.singles.emplace_back();
    for (std::size_t i = 0; i < merged.range_of().size(); ++i) {
      const network::MessageLength& one = kind.lengths.lengths()[i];
      const auto flits = static_cast<double>(one.flits);
      singles.push_back({.flits = one.flits,
                         .share = numeric::nearest_double(one.share),
                         .of = classes[merged.range_of()[i]],
                         .crossing = worms.timing.crossing_cycles(flits, buffer) / all.flits});
    }
  }
  all.slack = std::max(0.0, buffer - trip) / all.flits;
  all.in_flight = std::min(buffer, trip) / all.flits;
  const bool early = all.releases_early();
  all.crossing = 0;
  for (LengthClass& its : all.classes) {
    its.levels = early ? std::max<std::size_t>(its.held, 1) + 1 : 1;
    all.crossing += its.share * its.crossing;
    double both = 0;
    for (const LengthClass& other : all.classes) {
      const double small = std::min(its.size, other.size), large = std::max(its.size, other.size);
      both += other.share * square(small) * (large - small / 3);
    }
    its.pair_spread = both / its.size;
    its.spread = its.pair_spread * (1 - 0.5 / on_a_wire) + 0.5 / all.flits;
  }
  return all;
}

}  // namespace tailbound::bounds::wormhole::finite
