#include <tailbound/queue/wormhole/finite_source_station.hpp>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace tailbound::queue {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::size_t max_by_newton = 12;
/// Weight of a new D relative to that of the previous round: 1/2 slows convergence, 1 worsens it near
/// saturation.
constexpr double new_left = 0.7;

double square(double x) {
  return x * x;
}

double whole_power(double x, int exponent) {
  double product = 1;
  for (int i = 0; i < exponent; ++i) product *= x;
  return product;
}

/// Mean time until the first of m residual times ends, over X / m. (1)
double first_residual(int servers, double deviation) {
  return (servers + whole_power(deviation, servers + 1)) / (servers + 1);
}

/// E X^3 / X^3 of a constant plus an exponential part; for more variable times, of two branches.
double third_moment(double variation) {
  const double c = std::sqrt(variation);
  if (c > 1) return (1 + variation) * (1 + 2 * variation);
  const double d = 1 - c;
  return d * d * d + 3 * d * d * c + 6 * d * c * c + 6 * c * c * c;
}

/// kapF of one server: the mean residual time seen by a fresh message, divided by X, where others of its own
/// channel may have arrived first, g of them on average per X.
double seen_residual(double g, double variation) {
  const double second = 1 + variation;
  if (variation >= 1) return second / 2;
  if (g < 1e-4) {
    const double third = third_moment(variation);
    return second / 2 + (second * second / 4 - third / 6) * g;
  }
  const double c = std::sqrt(variation);
  const double exponent = g * (1 - c) + std::log1p(g * c);
  return -1 / std::expm1(-exponent) - 1 / g;
}

/// A mixture of occupancy times, each a constant plus an exponential part; one that varies more than an
/// exponential time is 0 or exponential. Divided by their mean. (30)
class MixedTimes {
 public:
  explicit MixedTimes(const std::vector<ServicePart>& parts) {
    double mean = 0;
    for (const ServicePart& part : parts) mean += part.share * part.mean;
    for (const ServicePart& part : parts) {
      const double x = part.mean / mean, deviation = std::sqrt(part.variation);
      third_ += part.share * x * x * x * third_moment(part.variation);
      if (deviation <= 1) {
        parts_.push_back(
            {.share = part.share, .constant = x * (1 - deviation), .random = x * deviation, .occurs = 1});
      } else {
        const double occurs = 2 / (1 + part.variation);
        parts_.push_back({.share = part.share, .constant = 0, .random = x / occurs, .occurs = occurs});
      }
    }
  }

  /// E X^3 / X^3
  [[nodiscard]] double third() const { return third_; }
  /// 1 - E exp(-g X)
  [[nodiscard]] double transform_deficit(double g) const {
    double sum = 0;
    for (const Part& part : parts_)
      sum += part.occurs < 1 ? part.share * part.occurs * g * part.random / (1 + g * part.random)
                             : -part.share * std::expm1(-(g * part.constant + std::log1p(g * part.random)));
    return sum;
  }
  /// m E min of m residual times: the integral of the m-th power of their tail, by Simpson's rule between the
  /// points at which it has a kink.
  [[nodiscard]] double first_residual(int servers) const {
    constexpr int steps = 16;
    double longest = 0;
    for (const Part& part : parts_) longest = std::max(longest, part.constant + 40 * part.random);
    std::vector<double> cuts{0, longest};
    for (const Part& part : parts_) {
      cuts.push_back(part.constant);
      cuts.push_back(std::min(longest, part.constant + 6 * part.random));
    }
    std::sort(cuts.begin(), cuts.end());
    double sum = 0;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      const double step = (cuts[k + 1] - cuts[k]) / steps;
      if (!(step > 0)) continue;
      for (int i = 0; i <= steps; ++i) {
        const int weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * step / 3 * whole_power(residual_tail(cuts[k] + i * step), servers);
      }
    }
    return servers * sum;
  }

 private:
  struct Part {
    double share, constant, random;  ///< with the mean of the exponential part
    double occurs;                   ///< the probability of that part
  };
  /// P(residual time > x)
  [[nodiscard]] double residual_tail(double x) const {
    double sum = 0;
    for (const Part& part : parts_) {
      if (x < part.constant)
        sum += part.share * (part.constant - x + part.occurs * part.random);
      else if (part.random > 0)
        sum += part.share * part.occurs * part.random * std::exp(-(x - part.constant) / part.random);
    }
    return std::min(1.0, sum);
  }

  std::vector<Part> parts_;
  double third_ = 0;
};

/// kapF of one server, as above, with E X^3 and the transform of the mixture.
double seen_residual(double g, double variation, const MixedTimes& times) {
  const double second = 1 + variation;
  if (g < 1e-3) return second / 2 + (second * second / 4 - times.third() / 6) * g;
  return 1 / times.transform_deficit(g) - 1 / g;
}

/// (8): fraction of the possible arrivals that arrive before a follower. The leader's time has a gamma
/// distribution; within it one of the others arrives with probability `left`, and a follower with probability
/// `follow`.
double come_before(double variation, double left, double follow) {
  if (follow <= 1e-7) return -std::expm1((1 + variation) * std::log1p(-left));
  if (follow >= 1) return left;
  // psi(y + v) = (1 + y C2 + v C2)^(-1 / C2), with 1 + y C2 = (1 - left)^-C2 and so on.
  const double y = std::expm1(-variation * std::log1p(-left));
  const double v = std::expm1(-variation * std::log1p(-follow));
  return (left + (1 - follow) * std::expm1(-std::log1p(y / (1 + v)) / variation)) / follow;
}

/// The only zero in [0, most] of a function that is decreasing there, or the nearest end; from `guess`, until
/// the function is less than `precision` times the argument.
template <class Function>
double falling_zero(const Function& function, double maximum, double guess, double precision) {
  double low = 0, high = maximum;
  if (!(maximum > 0)) return 0;
  double x = std::clamp(guess, 0.0, maximum);
  double value = function(x);
  // Near the zero secants suffice, from a slope of -1, while each is much closer than the previous one.
  for (double before = x, at_before = value + 1e300, slope = -1; x > 0;) {
    if (std::abs(value) <= precision * x) return x;
    if (at_before < 1e299) slope = (value - at_before) / (x - before);
    const double next = x - value / slope;
    if (!(slope < 0) || !(next > 0 && next < maximum)) break;
    const double found = function(next);
    if (!(std::abs(found) < std::abs(value) / 4)) {
      if (std::abs(next - x) <= 1e-14 * x) return x;  // as close as rounding permits
      break;
    }
    before = x, at_before = value;
    x = next, value = found;
  }
  double other = x, other_value = value;
  // A bracket near the guess, if there is one.
  double step = std::max(0.02 * x, 1e-6 * maximum);
  for (int i = 0; i < 60 && value != 0; ++i, step *= 4) {
    other = value > 0 ? std::min(maximum, x + step) : std::max(0.0, x - step);
    other_value = function(other);
    if ((value > 0) != (other_value > 0)) break;
    if (other == 0 || other == maximum) return other;
    x = other;
    value = other_value;
  }
  if (value == 0) return x;
  low = std::min(x, other), high = std::max(x, other);
  double at_low = x < other ? value : other_value, at_high = x < other ? other_value : value;
  int side = 0;
  for (int i = 0; i < 100 && high - low > 1e-14 * high; ++i) {
    double next = (low * at_high - high * at_low) / (at_high - at_low);
    if (i > 12 || !(next > low && next < high)) next = low + (high - low) / 2;
    const double found = function(next);
    if (found == 0) return next;
    if (found > 0) {
      low = next;
      at_low = found;
      if (side == 1) at_high /= 2;
      side = 1;
    } else {
      high = next;
      at_high = found;
      if (side == -1) at_low /= 2;
      side = -1;
    }
    if (std::abs(found) <= precision * next) return next;
  }
  return low + (high - low) / 2;
}

/// Minimum part of the only server held by the others that a wait by the product form may leave, relative to
/// that
/// without any wait. (3)
constexpr double least_left = 1e-3;

/// Data common to the inputs of a station.
struct StationTimes {
  const StationService& service;
  double offered = 0;    ///< mean number of occupied servers
  double capacity = 0;   ///< maximum number of inputs without a server
  double behind = 0;     ///< X1, within its bounds
  double variation = 0;  ///< of X
  double residual = 0;   ///< kap0, the first of m residual times, divided by X / m
  double slowest = 1;    ///< occupancy times while all servers are occupied, divided by X
  bool with_lanes = false;
  double precision = 0;
  const MixedTimes* mixed = nullptr;  ///< where X is a mixture
  double third = 0;                   ///< E X^3 / X^3

  [[nodiscard]] int servers() const { return service.servers; }
  /// If messages take any of several virtual channels, a follower takes another one.
  [[nodiscard]] bool waits_for_overhang() const { return !with_lanes || servers() == 1; }
};

/// The mean wait of an input's messages (3), (8), and derived numbers.
class InputWait {
 public:
  InputWait(const StationTimes& station, const StationInput& input,
            const FiniteSourceStation::FoundOthers& found, double wanted, double others_left)
      : station_(station), input_(input), found_(found), wanted_(wanted), sigma_(input.follow) {
    const int m = station.servers();
    const double mean = station.service.mean;
    scale_ = mean > 0 ? input.others / mean : 1;
    t_ = station.slowest * input.others / m, t1_ = station.slowest * station.behind * scale_ / m;
    if (station.waits_for_overhang()) overhang_ = input.overhang, overhang_second_ = input.overhang_second;
    // Nobody waits for longer than the others hold the only server. Where the product form does, r is not
    // 0, as
    // if nobody waited: the wait is (almost) the longest possible one.
    reference_ = seen_busy(found.waiting);
    if (m == 1 && !station.with_lanes) reference_ = std::max(reference_, least_left * seen_busy(0));
    left_ = std::min(others_left / station.capacity, 1 - 1e-12);
    behind_ahead_ =
        station.capacity * std::clamp(come_before(variation_in(), left_, input.channel_follow), 0.0, 1.0);
  }

  /// \param guess  the wait of the previous round
  void solve(double guess) {
    const double maximum = std::min((1 / input_.rate - input_.own + input_.overhang) * (1 - 1e-12),
                                    station_.capacity * t1_ + overhang_);
    wait_ = falling_zero([&](double w) { return missing(w); }, maximum, guess,
                         std::max(4e-15, station_.precision));
    if (looked_at_ != wait_) static_cast<void>(missing(wait_));
  }

  /// M/G/1 whose messages occupy the server for X1 if they have waited. (24)
  void at_end_of_wires(StationWaits& wait) const {
    const double busy = std::min(1.0, station_.offered * input_.end.reach);
    const double growth =
        std::min(1 - 1e-9, station_.offered * input_.end.queue * station_.behind / station_.service.mean);
    wait.mean = wait.fresh = wait.behind =
        busy * (station_.residual * station_.service.mean + input_.end.pushed) / (1 - growth);
    wait.fresh_waits = wait.behind_waits = busy;
    const double shape = station_.mixed ? station_.third / square(1 + station_.variation) : 1;
    wait.fresh_second = wait.behind_second =
        busy > 0 ? square(wait.mean) / busy * (4.0 / 3 * shape + input_.end.spread * growth) : 0;
  }

  [[nodiscard]] double wait() const { return wait_; }
  [[nodiscard]] double ahead() const { return sigma_ * behind_ahead_ + (1 - sigma_) * fresh_ahead_; }

  void means(StationWaits& wait) const {
    wait.by_product_form = found_.waiting / input_.rate;
    wait.feedback = -t1_ * station_.capacity * (1 - left_) * std::expm1(variation_in() * std::log1p(-left_)) /
                    variation_in();
    wait.mean = wait_;
    wait.behind = t1_ * behind_ahead_ + overhang_;
    wait.fresh = 1 - sigma_ > 1e-6 ? std::max(0.0, (wait_ - sigma_ * wait.behind) / (1 - sigma_))
                                   : fresh_busy_ * residual_ * t_ + (fresh_ahead_ - fresh_busy_) * t1_;
    wait.fresh_waits = fresh_busy_;
    wait.behind_waits =
        fresh_ahead_ > 0
            ? -std::expm1(std::log1p(-std::min(fresh_busy_, 1 - 1e-15)) * behind_ahead_ / fresh_ahead_)
            : 0;
  }

  /// \pre means() have been computed
  void second_moments(StationWaits& wait) const {
    const int m = station_.servers();
    const double second_whole = std::max(
        square(t1_), station_.service.behind_second *
                         square(station_.slowest * station_.behind / station_.service.behind * scale_) /
                         square(static_cast<double>(m)));
    double r1 = 0, r2 = 0;
    if (m == 1) {
      r1 = residual_ * input_.others;
      r2 = station_.third * square(input_.others) / 3 * residual_ / station_.residual;
    } else {
      const double part = m / (m + 2.0);
      r1 = station_.residual * t_;
      r2 = square(r1) * (1 + part + (1 - part) * std::min(1.0, std::sqrt(station_.variation)));
    }
    // Waits are for at most `capacity` whole times. The ratio is far beyond that where the product form has
    // almost no waits.
    const double longest = 4 * (std::max(0.0, station_.capacity - 1) * square(t1_) + second_whole) / t1_;
    const auto& [busy, queue, queue2, waiting] = found_;
    const double first = busy * r1 + queue * t1_;
    const double second = busy * r2 + 2 * r1 * t1_ * queue + queue2 * square(t1_) + queue * second_whole;
    wait.fresh_second = first > 0 ? std::min(second * wait.fresh / first, longest * wait.fresh) : 0;
    // Each of the others has come first with the same probability. (34)
    const double apart = 1 - 1 / std::max(1.0, station_.capacity);
    wait.behind_second = behind_ahead_ * second_whole + square(behind_ahead_ * t1_) * apart;
    wait.behind_second += 2 * overhang_ * t1_ * behind_ahead_ + overhang_second_;
  }

 private:
  [[nodiscard]] double variation_in() const { return std::max(input_.variation, 1e-9); }

  /// Servers occupied by the others while this input has no message there and waits for a fraction q of the
  /// time. Limited to the number of servers: otherwise two servers near saturation have a second solution,
  /// with short waits at a full station. (3)
  [[nodiscard]] double seen_busy(double q) const {
    const int m = station_.servers();
    return std::clamp((station_.offered - wanted_ - m * q) / (1 - wanted_ - q), 0.0, static_cast<double>(m));
  }

  /// The wait that results from a mean wait w, minus w.
  double missing(double w) {
    looked_at_ = w;
    const int m = station_.servers();
    const double q = input_.rate * w, absent = 1 - wanted_ - q;
    const double r = reference_ > 0 ? whole_power(seen_busy(q) / reference_, m) : 0;
    fresh_busy_ = std::min(1.0, found_.busy * r * input_.together);
    fresh_ahead_ = std::min(station_.capacity, fresh_busy_ + found_.queue * r * input_.together);
    residual_ = station_.residual;
    if (m == 1) {
      const double g = station_.service.mean * (1 - sigma_) * input_.rate / absent;
      residual_ = station_.mixed ? seen_residual(g, station_.variation, *station_.mixed)
                                 : seen_residual(g, station_.variation);
    }
    return ahead() * t1_ + sigma_ * overhang_ - w - (1 - sigma_) * fresh_busy_ * (t1_ - residual_ * t_);
  }

  const StationTimes& station_;
  const StationInput& input_;
  const FiniteSourceStation::FoundOthers& found_;
  double wanted_ = 0;  ///< rho
  double sigma_ = 0;
  double overhang_ = 0, overhang_second_ = 0;
  double scale_ = 1, t_ = 0, t1_ = 0;  ///< occupancy times of the others, of all and behind a leader, divided
                                       ///< by m
  double reference_ = 0;               ///< servers seen occupied if the input waits as in the product form
  double left_ = 0;                    ///< fraction of the possible arrivals that a leader leaves waiting
  double behind_ahead_ = 0;            ///< number that a follower waits for
  // At the argument evaluated last.
  double looked_at_ = -1, fresh_busy_ = 0, fresh_ahead_ = 0, residual_ = 0;
  double wait_ = 0;
};

}  // namespace

void FiniteSourceStation::wire_of(std::size_t group, int omitted, std::vector<double>& sizes) const {
  const StationInput& input = (*inputs_)[group];
  const double all = weights_[group] * input.lanes;
  sizes.assign(static_cast<std::size_t>(input.lanes) + 1, 1);
  double pairs = 1;
  for (std::size_t n = 1; n < sizes.size(); ++n) {
    sizes[n] = sizes[n - 1] * all / static_cast<double>(n) * pairs;
    pairs *= input.apart;
  }
  // Derivatives.
  for (int i = 0; i < omitted; ++i) {
    for (std::size_t n = 1; n < sizes.size(); ++n) sizes[n - 1] = sizes[n] * static_cast<double>(n) / all;
    sizes.pop_back();
  }
}

void FiniteSourceStation::joint(std::vector<std::vector<double>>& weights) {
  std::vector<double> before{1}, over{1};
  for (std::size_t group = 0; group < inputs_->size(); ++group) {
    const StationInput& input = (*inputs_)[group];
    wire_of(group, 0, one_);
    for (int wire = 0; wire < input.count / input.lanes; ++wire)
      multiply(one_, input.overhanging ? over : before);
  }
  weights.assign(before.size(), {});
  std::vector<double> scale(before.size() + over.size(), 1);
  for (std::size_t n = 1; n < scale.size(); ++n) scale[n] = n < ratio_.size() ? scale[n - 1] * ratio_[n] : 0;
  for (std::size_t a = 0; a < before.size(); ++a)
    for (std::size_t b = 0; b < over.size(); ++b) weights[a].push_back(before[a] * over[b] * scale[a + b]);
}

void FiniteSourceStation::multiply(const std::vector<double>& by, std::vector<double>& sizes) {
  const bool longer = by.size() > sizes.size();
  const std::vector<double>&most = longer ? by : sizes, &least = longer ? sizes : by;
  product_.assign(most.size() + least.size() - 1, 0);
  const auto count = static_cast<Eigen::Index>(most.size());
  const Eigen::Map<const Eigen::ArrayXd> its(most.data(), count);
  for (std::size_t i = 0; i < least.size(); ++i)
    Eigen::Map<Eigen::ArrayXd>(product_.data() + i, count) += least[i] * its;
  std::swap(sizes, product_);
}

/// Two omitted virtual channels of a group are on one link or not: ratio of all such pairs to those on one
/// link.
void FiniteSourceStation::find_groups() {
  groups_.resize(inputs_->size());
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const int lanes = (*inputs_)[group].lanes, wires = (*inputs_)[group].count / lanes;
    wire_of(group, 0, one_);
    std::vector<double> rest{1};  // of all links except two
    for (int i = 2; i < wires; ++i) multiply(one_, rest);
    auto& [all, less, minimum] = groups_[group];
    all = rest;
    for (int i = 0; i < std::min(2, wires); ++i) multiply(one_, all);
    wire_of(group, 1, less);
    two_ = less;
    if (wires > 1) {
      multiply(one_, less);
      multiply(rest, less);
    }
    minimum.assign(1, 0);
    if (lanes > 1) {
      wire_of(group, 2, minimum);
      if (wires > 1) multiply(one_, minimum);
    }
    if (wires > 1) {
      both_ = two_;
      multiply(two_, both_);
      minimum.resize(std::max(minimum.size(), both_.size()), 0);
      for (std::size_t n = 0; n < both_.size(); ++n) minimum[n] += (wires - 1) * both_[n];
    }
    multiply(rest, minimum);
  }
}

void FiniteSourceStation::find_rests() {
  const std::size_t count = groups_.size();
  before_.resize(count + 1);
  after_.resize(count);
  rest_.resize(count);
  before_[0].assign(1, 1);
  for (std::size_t group = 0; group < count; ++group) {
    before_[group + 1] = before_[group];
    multiply(groups_[group].all, before_[group + 1]);
  }
  for (std::size_t group = count; group-- > 0;) {
    if (group + 1 == count) {
      after_[group].assign(1, 1);
    } else {
      after_[group] = after_[group + 1];
      multiply(groups_[group + 1].all, after_[group]);
    }
    rest_[group] = before_[group];
    multiply(after_[group], rest_[group]);
  }
  row_first_ = row_at_ = none;
}

void FiniteSourceStation::others_by_wires(std::size_t first, std::size_t second, std::vector<double>& sizes) {
  if (first == none) {
    sizes = before_.back();
  } else if (second == none || second == first) {
    sizes = rest_[first];
    multiply(second == none ? groups_[first].less : groups_[first].minimum, sizes);
  } else {
    if (row_first_ != first || row_at_ > second) {
      row_first_ = first;
      row_at_ = first + 1;
      row_ = before_[first];
    }
    for (; row_at_ < second; ++row_at_) multiply(groups_[row_at_].all, row_);
    sizes = groups_[first].less;
    multiply(groups_[second].less, sizes);
    multiply(row_, sizes);
    multiply(after_[second], sizes);
  }
  for (std::size_t n = 0; n < sizes.size(); ++n) sizes[n] *= scale_[n];
}

void FiniteSourceStation::others(std::size_t first, std::size_t second, std::vector<double>& sizes) {
  if (with_lanes_) {
    others_by_wires(first, second, sizes);
    return;
  }
  sizes.resize(total_ + 1);
  double* const size = sizes.data();
  const double* const ratio = ratio_.data();
  size[0] = 1;
  std::size_t maximum = 0;
  for (std::size_t group = 0; group < inputs_->size(); ++group) {
    const int count = (*inputs_)[group].count - (group == first ? 1 : 0) - (group == second ? 1 : 0);
    const double weight = weights_[group];
    for (int i = 0; i < count; ++i) {
      size[++maximum] = 0;
      for (std::size_t n = maximum; n >= 1; --n) size[n] += weight * ratio[n] * size[n - 1];
    }
  }
  sizes.resize(maximum + 1);
}

/// sum of c_n e_(n - removed) min(n, m) / n, with c_n e_(n-1) = (c_n / c_(n-1)) c_(n-1) e_(n-1).
double FiniteSourceStation::served(const std::vector<double>& sizes, std::size_t removed) const {
  double sum = 0;
  for (std::size_t at = 0; at < sizes.size(); ++at) {
    const std::size_t n = at + removed;
    double term = sizes[at] * ratio_[at + 1];
    if (removed == 2) term *= ratio_[at + 2];
    if (!slow_.empty()) term /= slow_[std::min(n, servers_)];
    sum += n > servers_ ? term * static_cast<double>(servers_) / static_cast<double>(n) : term;
  }
  return sum;
}

/// log(right side / rho) of each group, and the largest of them. `found_` stores the sums without one of the
/// group.
double FiniteSourceStation::residuals(std::vector<double>& found) {
  if (with_lanes_) {
    find_groups();
    find_rests();
  }
  others(none, none, whole_);
  all_ = std::accumulate(whole_.begin(), whole_.end(), 0.0);
  double largest = 0;
  found_.resize(inputs_->size());
  for (std::size_t i = 0; i < inputs_->size(); ++i) {
    others(i, none, sizes_);
    found_[i] = served(sizes_, 1);
    found[i] = std::log(weights_[i] * found_[i] / all_ / wanted_[i]);
    largest = std::max(largest, std::abs(found[i]));
  }
  return largest;
}

/// Steps of log y into `found`, from the residuals there; false if there are none.
bool FiniteSourceStation::newton(std::vector<double>& found) {
  const std::size_t groups = inputs_->size();
  if (groups > max_by_newton) return false;
  matrix_.assign(groups * groups, 0);
  for (std::size_t j = 0; j < groups; ++j) {
    others(j, none, sizes_);
    double without = 0;
    for (std::size_t n = 0; n < sizes_.size(); ++n) without += sizes_[n] * ratio_[n + 1];
    const double there = (*inputs_)[j].count * weights_[j] * without / all_;
    for (std::size_t i = 0; i < groups; ++i) matrix_[i * groups + j] = (i == j ? 1 : 0) - there;
  }
  for (std::size_t i = 0; i < groups; ++i)
    for (std::size_t j = i; j < groups; ++j) {
      if (i == j && (*inputs_)[i].count == 1) continue;
      others(i, j, sizes_);
      const double both = served(sizes_, 2);
      const StationInput& other = (*inputs_)[j];
      const int pairs = i != j ? other.count : with_lanes_ ? other.lanes : other.count - 1;
      matrix_[i * groups + j] += pairs * weights_[j] * both / found_[i];
      if (i != j) matrix_[j * groups + i] += (*inputs_)[i].count * weights_[i] * both / found_[j];
    }
  // Gauss with pivots.
  for (std::size_t k = 0; k < groups; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < groups; ++i)
      if (std::abs(matrix_[i * groups + k]) > std::abs(matrix_[pivot * groups + k])) pivot = i;
    if (!(std::abs(matrix_[pivot * groups + k]) > 1e-300)) return false;
    if (pivot != k) {
      for (std::size_t j = 0; j < groups; ++j)
        std::swap(matrix_[k * groups + j], matrix_[pivot * groups + j]);
      std::swap(found[k], found[pivot]);
    }
    for (std::size_t i = k + 1; i < groups; ++i) {
      const double factor = matrix_[i * groups + k] / matrix_[k * groups + k];
      for (std::size_t j = k; j < groups; ++j) matrix_[i * groups + j] -= factor * matrix_[k * groups + j];
      found[i] -= factor * found[k];
    }
  }
  for (std::size_t k = groups; k-- > 0;) {
    for (std::size_t j = k + 1; j < groups; ++j) found[k] -= matrix_[k * groups + j] * found[j];
    found[k] /= matrix_[k * groups + k];
  }
  return true;
}

void FiniteSourceStation::product_form(double precision) {
  const std::size_t groups = inputs_->size();
  std::vector<double>& step = trial_;
  step.resize(groups);
  double residual = residuals(step), before = 0;
  for (int round = 0; round < 500 && residual > precision; ++round) {
    kept_ = weights_;
    plain_ = step;
    const bool by_newton = newton(step);
    if (by_newton) newton_ = step;
    before = residual;
    // Beyond the solution of a nearly full station, Newton's steps are far too long; a fraction of one is
    // not.
    double part = 1;
    for (int halvings = 0;; ++halvings, part /= 2) {
      for (std::size_t i = 0; i < groups; ++i)
        weights_[i] = kept_[i] * std::exp(-std::clamp(by_newton ? part * newton_[i] : plain_[i], -3.0, 3.0));
      residual = residuals(step);
      if (!by_newton || residual < before) break;
      if (before < 1e-12 || halvings == 40) {  // as close as rounding permits
        weights_ = kept_;
        static_cast<void>(residuals(step));
        return;
      }
    }
  }
}

FiniteSourceStation::Offered FiniteSourceStation::take(const std::vector<StationInput>& inputs) {
  inputs_ = &inputs;
  total_ = 0;
  with_lanes_ = false;
  Offered all;
  wanted_.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const StationInput& input = inputs[i];
    total_ += static_cast<std::size_t>(input.count);
    with_lanes_ = with_lanes_ || input.lanes > 1;
    wanted_[i] = input.rate * (input.own - input.overhang);
    all.servers += input.count * wanted_[i];
    if (!input.overhanging) all.rate += input.count * input.rate;
    all.followers += input.count * input.rate * input.follow;
  }
  return all;
}

void FiniteSourceStation::find_weights(std::vector<StationMemory>& memory, double growth, double precision) {
  const double full = slow_.empty() ? 1 : slow_[servers_];
  ratio_.assign(total_ + 2, 1);
  for (std::size_t n = 1; n <= servers_ && n < ratio_.size() && !slow_.empty(); ++n) ratio_[n] = slow_[n];
  for (std::size_t n = servers_ + 1; n < ratio_.size(); ++n)
    ratio_[n] = static_cast<double>(n) * growth / static_cast<double>(servers_) * full;
  scale_.assign(ratio_.size(), 1);
  for (std::size_t n = 1; n < scale_.size() && with_lanes_; ++n) scale_[n] = scale_[n - 1] * ratio_[n];
  weights_.resize(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i)
    weights_[i] = memory[i].weight > 0 ? memory[i].weight : wanted_[i];
  product_form(std::max(1e-13, precision));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i].weight = weights_[i];
}

double FiniteSourceStation::pairs_held(double offered) const {
  if (servers_ == 1) return 1;
  const double m = static_cast<double>(servers_);
  double pairs = 0;
  for (std::size_t n = 2; n < whole_.size(); ++n) {
    const double held = static_cast<double>(std::min(n, servers_));
    pairs += whole_[n] / all_ * held * (held - 1);
  }
  return std::clamp(pairs / (m * (m - 1.0)) / square(offered / m), 1.0, m / (m - 1.0));
}

void FiniteSourceStation::update_left(std::vector<StationMemory>& memory, double capacity) const {
  const std::vector<StationInput>& inputs = *inputs_;
  double present = 0;
  const auto presence = [&](std::size_t i) {
    return inputs[i].rate * (inputs[i].own - inputs[i].overhang + memory[i].wait);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) present += inputs[i].count * presence(i);
  double over_others = 0;  // sum over all k of f_k N_k / sum of p without k
  const auto of_one = [&](std::size_t k) {
    const double rest = present - presence(k);
    return rest > 0 ? inputs[k].rate * memory[k].ahead / rest : 0;
  };
  for (std::size_t k = 0; k < inputs.size(); ++k) over_others += inputs[k].count * of_one(k);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double left =
        std::min(capacity, std::max(0.0, over_others - of_one(i)) * presence(i) / inputs[i].rate);
    memory[i].left += new_left * (left - memory[i].left);
  }
}

FiniteSourceStation::FoundOthers FiniteSourceStation::found_by(std::size_t input) {
  others(input, none, sizes_);
  double sum = 0, busy = 0, queue = 0, queue2 = 0, present_here = 0;
  for (std::size_t n = 0; n < sizes_.size(); ++n) {
    sum += sizes_[n];
    present_here += sizes_[n] * ratio_[n + 1];
    if (n < servers_) continue;
    const double k = static_cast<double>(n - servers_);
    busy += sizes_[n];
    queue += k * sizes_[n];
    queue2 += k * (k - 1) * sizes_[n];
  }
  return {busy / sum, queue / sum, queue2 / sum,
          std::max(0.0, weights_[input] / all_ * present_here - wanted_[input])};
}

void FiniteSourceStation::solve(const StationService& service, const std::vector<StationInput>& inputs,
                                std::vector<StationMemory>& memory, std::vector<StationWaits>& waits,
                                double precision) {
  servers_ = static_cast<std::size_t>(service.servers);
  slow_ = service.slow;
  const Offered offered = take(inputs);
  waits.assign(inputs.size(), {});
  together_ = 1;
  if (total_ == 0) return;
  const int m = service.servers;
  const double variation = std::max(0.0, service.second / square(service.mean) - 1);
  // For times that vary more than exponential ones, the power is out of range with many servers.
  std::optional<MixedTimes> mixed;
  if (service.parts.size() > 1) mixed.emplace(service.parts);
  const double residual = mixed && m > 1                 ? mixed->first_residual(m)
                          : with_lanes_ && variation > 1 ? (m + variation) / (m + 1)
                                                         : first_residual(m, std::sqrt(variation));
  double growth = (residual + (1 - residual) * offered.followers / offered.rate) * service.together;
  // If waiting messages occupy the server for less than X, fewer wait behind them. (25)
  if (m == 1 && service.shorter_behind && service.behind < service.mean)
    growth *= (1 - offered.servers) / (1 - offered.servers * service.behind / service.mean);
  find_weights(memory, growth, precision);
  together_ = pairs_held(offered.servers);
  const double capacity = static_cast<double>(total_) - m;
  if (capacity <= 0) return;
  update_left(memory, capacity);
  const StationTimes times{.service = service,
                           .offered = offered.servers,
                           .capacity = capacity,
                           .behind = std::clamp(service.behind, service.shorter_behind ? 0.0 : service.mean,
                                                std::max(service.mean, 2 * m / service.rate)),
                           .variation = variation,
                           .residual = residual,
                           .slowest = slow_.empty() ? 1 : slow_[servers_],
                           .with_lanes = with_lanes_,
                           .precision = precision,
                           .mixed = mixed ? &*mixed : nullptr,
                           .third = mixed ? mixed->third() : third_moment(variation)};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    StationMemory& kept = memory[i];
    if (inputs[i].overhanging) {
      kept.wait = kept.ahead = 0;
      continue;
    }
    const FoundOthers found = found_by(i);
    InputWait wait(times, inputs[i], found, wanted_[i], kept.left);
    if (m == 1 && inputs[i].end.by_wires) {
      wait.at_end_of_wires(waits[i]);
      kept.wait = waits[i].mean;
      kept.ahead = kept.wait / times.behind;
      continue;
    }
    wait.solve(kept.wait);
    kept.wait = wait.wait();
    kept.ahead = wait.ahead();
    wait.means(waits[i]);
    wait.second_moments(waits[i]);
  }
}

}  // namespace tailbound::queue
