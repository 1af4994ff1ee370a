#include <tailbound/bounds/wormhole/shared_wire.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/numeric/transform_convolution.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tailbound::bounds::wormhole {
namespace {

double binomial(int n, int k) {
  if (k < 0 || k > n) return 0;
  return boost::math::binomial_coefficient<double>(static_cast<unsigned>(n), static_cast<unsigned>(k));
}

/// x + x^2 + .. + x^(V - 1): mean number of others served together with one in a queue with V servers.
double served_with(double x, double virtual_channels) {
  return x * (1 - std::pow(x, virtual_channels - 1)) / (1 - x);
}

/// From here on nothing is blocked at rates below port capacity.
constexpr double max_servers = 1000;

/// Blocking of a head that finds all virtual channels taken.
struct Blocking {
  double probability = 0, wait = 0;  ///< P(all taken), and the mean wait then

  [[nodiscard]] double mean() const { return probability * wait; }
  /// Variance of the wait of any head: exponential, or 0.
  [[nodiscard]] double variance() const { return (2 * wait - mean()) * mean(); }
};

/// \param rate      of messages that may occupy the channels
/// \param held      mean number of channels that they occupy; below V
Blocking blocking(double virtual_channels, double rate, double held, double variation) {
  if (rate == 0 || held == 0) return {};
  const int servers = static_cast<int>(std::min(virtual_channels, max_servers));
  const double service = held / rate;
  const double wait = service * (1 + variation) / 2 / (servers - held);
  return {.probability = queue::station_wait(servers, rate, service, variation) / wait, .wait = wait};
}

/// The hypercube at a given rate: messages met, before any head is blocked.
struct Links {
  double unicasts = 0, copies = 0;          ///< of a link [messages/cycle]
  double met_unicasts = 0, met_copies = 0;  ///< met by a unicast on a link, k_u and k_c
  double met_by_copy = 0;                   ///< unicasts met, k_b
  double spread = 0;                        ///< c of (S5)
};

class SharedWireModel {
 public:
  SharedWireModel(const BroadcastCube& cube, double rate)
      : cube_(cube),
        rate_(rate),
        n_(cube.dimensions),
        flits_(cube.flits),
        channels_(static_cast<double>(cube.virtual_channels)),
        nodes_(std::ldexp(1.0, cube.dimensions)),
        distance_(n_ / 2 * nodes_ / (nodes_ - 1)),
        same_port_(cube.ends.injection == network::Injection::ports ? 1 / n_ : 1),
        ejects_(cube.ends.ejection == network::Ejection::one),
        streams_(streams_met(cube.dimensions,
                             {.injection = cube.ends.injection, .ejection = network::Ejection::unlimited})),
        sharing_(streams_met(cube.dimensions, cube.ends)) {}

  /// Nothing if it cannot carry the rate. The broadcast latency is not yet computed.
  [[nodiscard]] std::optional<BroadcastPoint> solve() {
    if (!meet() || !eject() || !hold() || !wait()) return std::nullopt;
    return point();
  }
  /// Largest utilization. \pre solve() has a solution
  [[nodiscard]] double fullness() const {
    const double links = (links_.unicasts + links_.copies) * flits_;
    return std::max({links, held_ / std::min(channels_, max_servers), port_, ejected_busy_});
  }
  [[nodiscard]] BroadcastStep step() const {
    return {.base = flits_ + hops() + cube_.startup,
            .startup = cube_.startup,
            .hops = hops(),
            .wait = wait_,
            .busy = port_,
            .extra = copy_service_ - flits_,
            .spread = copy_spread_};
  }

 private:
  /// Fraction of unicasts that cross d links.
  [[nodiscard]] double share(int d) const { return binomial(cube_.dimensions, d) / (nodes_ - 1); }
  /// Fraction of a link's unicasts that come from the same port as one they meet there on its first link.
  [[nodiscard]] double own_port() const { return same_port_ == 1 ? 1 / distance_ : 1 / (n_ * distance_); }
  /// Hops of a copy after its port.
  [[nodiscard]] double hops() const { return ejects_ ? 2 : 1; }
  /// (S4), (S10): extra time over d links, in M.
  [[nodiscard]] double slowed(int d) const {
    const double free = 1 - std::min(links_.met_copies, 1.0);
    const double links = ejects_ ? std::max(0.0, d - 1 - same_port_) : d - same_port_;
    return sharing_[static_cast<std::size_t>(d)] * links_.met_unicasts + 1 - std::pow(free, links);
  }

  /// (S2), (S3)
  bool meet() {
    const double b = cube_.broadcast;
    links_.unicasts = rate_ * (1 - b) * distance_ / n_;
    links_.copies = rate_ * b * (nodes_ - 1) / n_;
    const double unicasts = links_.unicasts * flits_, copies = links_.copies * flits_;
    const double left = 1 - unicasts * (1 + copies);
    if (!(unicasts + copies < 1) || !(left > 0)) return false;
    const double all = (unicasts * (1 + copies) + copies) / left;
    const double limited = all == 0 ? 1 : served_with(all / (1 + all), channels_) / all;
    links_.met_unicasts = limited * unicasts * (1 + copies) / left;
    links_.met_copies = limited * copies / left;
    // With an ejection channel, excluding those that end with the copy and are not from its own port.
    const double ended = ejects_ ? (1 - n_ * same_port_ / (nodes_ - 1)) / distance_ : 0;
    links_.met_by_copy = served_with(unicasts, channels_) * (1 - own_port() - ended);
    links_.spread = 2.0 / 3 / std::sqrt(1 - unicasts - copies);
    return true;
  }

  /// (S11): the waits for an ejection channel, as M/G/1 with all received messages. Messages of one port do
  /// not wait for each other.
  bool eject() {
    const double b = cube_.broadcast, unicasts = rate_ * (1 - b), copies = rate_ * b * (nodes_ - 1);
    if (!ejects_ || rate_ == 0) return true;
    double mean = 0, square = 0;
    for (int d = 1; d <= cube_.dimensions; ++d) {
      const double time = 1 + slowed(d);
      mean += share(d) * time;
      square += share(d) * (time * time + links_.spread * slowed(d));
    }
    const double copy = 1 + links_.met_by_copy;
    const double copy_square = copy * copy + links_.spread * links_.met_by_copy;
    const double received = unicasts + copies;
    const double service = (unicasts * mean + copies * copy) / received;
    const double variation = (unicasts * square + copies * copy_square) / received / (service * service) - 1;
    const double busy = received * service * flits_;
    if (!(busy < 1)) return false;
    ejected_busy_ = busy;
    const double wait = queue::station_wait(1, received, service * flits_, std::max(0.0, variation)) / busy;
    // Received messages that do not come from the same port.
    const double others = unicasts * (1 - same_port_ / (nodes_ - 1)) + rate_ * b * (nodes_ - 1 - same_port_);
    const double of_copies = unicasts * (1 - same_port_ / (nodes_ - 1)) + copies * (1 - 1 / n_);
    ejected_ = {.probability = busy * others / received, .wait = wait};
    ejected_copy_ = {.probability = busy * of_copies / received, .wait = wait};
    return true;
  }

  /// (S6): occupied channels of a link, and the waits of heads for them. The right side is increasing and
  /// convex in the number occupied, so its smallest solution lies left of the minimum difference of both
  /// sides.
  bool hold() {
    const double rate = links_.unicasts + links_.copies;
    if (rate == 0) return true;
    double mean = 0, square = 0, behind = 0;  // over the unicasts of a link
    for (int d = 1; d <= cube_.dimensions; ++d) {
      const double weight = share(d) * d / distance_, time = 1 + slowed(d) + ejected_.mean() / flits_;
      mean += weight * time;
      square += weight * (time * time + links_.spread * slowed(d) + ejected_.variance() / (flits_ * flits_));
      behind += weight * streams_[static_cast<std::size_t>(d)] * (d - 1) / (2 * d);
    }
    const double copy = 1 + links_.met_by_copy + ejected_copy_.mean() / flits_;
    const double copy_square =
        copy * copy + links_.spread * links_.met_by_copy + ejected_copy_.variance() / (flits_ * flits_);
    const double service = (links_.unicasts * mean + links_.copies * copy) / rate;
    const double variation = std::max(  // negative only by rounding
        0.0, (links_.unicasts * square + links_.copies * copy_square) / rate / (service * service) - 1);
    const double minimum = rate * service * flits_;
    const auto excess = [&](double held) {
      return minimum + links_.unicasts * behind * blocking(channels_, rate, held, variation).mean() - held;
    };
    double low = minimum, high = std::min(channels_, max_servers) * (1 - 1e-9);
    if (!(low < high)) return false;
    for (int i = 0; i < 100; ++i) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      const bool left = excess(a) <= excess(b);
      (left ? high : low) = left ? b : a;
    }
    if (excess(low) > 0) return false;
    held_ = halved(minimum, low, [&](double held) { return excess(held) > 0; }).second;
    blocked_ = blocking(channels_, rate, held_, variation);
    // A copy never waits for another: all come through one port.
    const double by_unicasts = std::max(0.0, held_ - links_.copies * copy * flits_);
    blocked_copy_ = blocking(channels_, links_.unicasts, by_unicasts, variation);
    return true;
  }

  /// (S5), (S7)
  bool wait() {
    double mean = 0, square = 0;  // time for which a unicast occupies its port
    const double behind = ejects_ ? 1 + ejected_.mean() : 0;
    for (int d = 1; d <= cube_.dimensions; ++d) {
      const double streams = streams_[static_cast<std::size_t>(d)];
      const double extra = flits_ * slowed(d) + streams * blocked_.mean();
      const double time = flits_ + extra - (d - 1) * extra / flits_ / 2 + ejected_.mean();
      network_ += share(d) * (flits_ + extra + d + behind);
      slowed_ += share(d) * extra / flits_;
      mean += share(d) * time;
      square += share(d) * (time * time + links_.spread * slowed(d) * flits_ * flits_ +
                            streams * blocked_.variance() + ejected_.variance());
    }
    const double others = 1 - own_port();
    copy_service_ = flits_ * (1 + links_.met_by_copy) + others * blocked_copy_.mean() + ejected_copy_.mean();
    copy_spread_ = links_.spread * links_.met_by_copy * flits_ * flits_ + others * blocked_copy_.variance() +
                   ejected_copy_.variance();
    if (cube_.ends.injection == network::Injection::one) return wait_for_one(mean, square);
    const double unicasts = rate_ * (1 - cube_.broadcast) / n_;
    const double injected = unicasts + links_.copies;
    if (injected == 0) return true;
    const double service = (unicasts * mean + links_.copies * copy_service_) / injected;
    const double squares =
        (unicasts * square + links_.copies * (copy_service_ * copy_service_ + copy_spread_)) / injected;
    port_ = injected * service;
    if (!(port_ < 1)) return false;
    wait_ = queue::station_wait(1, injected, service, std::max(0.0, squares / (service * service) - 1));
    return true;
  }

  /// (S12): the wait of unicasts and of the first copies of batches.
  bool wait_for_one(double mean, double square) {
    const double unicasts = rate_ * (1 - cube_.broadcast);
    const double broadcasts = rate_ * cube_.broadcast;
    port_ = unicasts * mean + broadcasts * (nodes_ - 1) * copy_service_;
    if (!(port_ < 1)) return false;
    const double squares =
        unicasts * square + broadcasts * (batch_squares(cube_.dimensions) * copy_service_ * copy_service_ +
                                          (nodes_ - 1) * copy_spread_);
    wait_ = squares / (2 * (1 - port_));
    return true;
  }

  [[nodiscard]] BroadcastPoint point() const {
    BroadcastPoint result;
    result.rate = rate_;
    result.unicast_latency = network_ + wait_;
    result.multiplexing = 1 + slowed_;
    result.source_wait = wait_;
    result.source_utilization = port_;
    result.ejection_wait = received_wait();
    result.unicast_service = network_;
    result.step_service = copy_service_ + hops();
    const double rate = links_.unicasts + links_.copies;
    result.dimensions.assign(static_cast<std::size_t>(cube_.dimensions),
                             {.service = rate == 0 ? flits_ : held_ / rate,
                              .wait = blocked_.wait,
                              .blocking = blocked_.mean(),
                              .utilization = rate * flits_,
                              .all_busy = blocked_.probability,
                              .multiplexing = 1 + links_.met_unicasts + links_.met_copies});
    return result;
  }

  /// Mean wait for ejection over all messages.
  [[nodiscard]] double received_wait() const {
    const double copies = cube_.broadcast * (nodes_ - 1), unicasts = 1 - cube_.broadcast;
    return (unicasts * ejected_.mean() + copies * ejected_copy_.mean()) / (unicasts + copies);
  }

  const BroadcastCube& cube_;
  double rate_, n_, flits_, channels_, nodes_, distance_;
  double same_port_;  ///< probability that two messages of a node use the same injection channel
  bool ejects_;
  std::vector<double> streams_, sharing_;  ///< streams met, and those of them with which links are shared
  Links links_;
  double held_ = 0;  ///< mean number of occupied channels of a link
  Blocking blocked_, blocked_copy_;
  Blocking ejected_, ejected_copy_;            ///< waits at ejection channels
  double ejected_busy_ = 0;                    ///< utilization of these
  double network_ = 0, slowed_ = 0;            ///< of unicasts: time in the network, extra in M
  double copy_service_ = 0, copy_spread_ = 0;  ///< of copies at their port
  double port_ = 0, wait_ = 0;
};

// --- Trees -----------------------------------------------------------------------------------------------

constexpr double negligible = 1e-10;  ///< a probability; trees have at most 2^20 nodes
constexpr double cells_per_step = 24;

/// Mass of the grid's cells; cell i is around i * width. The negligible tail is omitted.
/// \param beyond  P(X > x), decreasing
template <class Function>
std::vector<double> cells(double width, const Function& beyond) {
  std::vector<double> result;
  double before = 1;
  do {
    const double after = beyond((static_cast<double>(result.size()) + 0.5) * width);
    result.push_back(before - after);
    before = after;
  } while (before > negligible && result.size() < 1'000'000);
  return result;
}

std::vector<double> convolve(const std::vector<double>& x, const std::vector<double>& y) {
  // Memory for short laws must not come from FFTW, whose planner ends the process without it.
  constexpr std::size_t short_products = std::size_t{1} << 22;
  if (x.size() * y.size() <= short_products) return numeric::convolved(x, y);
  std::vector<double> result = numeric::convolve_by_transform(x, y, x.size() + y.size() - 1).values;
  for (double& value : result) value = std::max(value, 0.0);
  return result;
}

std::vector<double> constant(double value, double width) {
  const double place = value / width, whole = std::floor(place);
  std::vector<double> result(static_cast<std::size_t>(whole) + 2);
  result.back() = place - whole;  // in two cells, so that the mean is kept
  result[result.size() - 2] = 1 - result.back();
  return result;
}

/// The maximum of two independent numbers, of which y extends further. The omitted part is negligible.
std::vector<double> greater(const std::vector<double>& x, const std::vector<double>& y) {
  const double last =
      (1 - negligible) * std::accumulate(x.begin(), x.end(), 0.0) * std::accumulate(y.begin(), y.end(), 0.0);
  std::vector<double> result;
  double up_to_x = 0, up_to_y = 0, before = 0;
  for (std::size_t i = 0; i < y.size() && before <= last; ++i) {
    if (i < x.size()) up_to_x += x[i];
    up_to_y += y[i];
    result.push_back(std::max(0.0, up_to_x * up_to_y - before));
    before = up_to_x * up_to_y;
  }
  return result;
}

}  // namespace

std::vector<double> streams_met(int dimensions, network::WormEnds ends) {
  const int n = dimensions;
  const double nodes = std::ldexp(1.0, n), distance = n / 2.0 * nodes / (nodes - 1);
  std::vector<double> result(static_cast<std::size_t>(n) + 1);
  for (int d = 1; d <= n; ++d) {
    double together = 0;  // from one link to the next of the same path, over a gap of that many dimensions
    for (int gap = 1; gap < n && d >= 2; ++gap)
      together += (n - gap) * binomial(n - gap - 1, d - 2) * std::ldexp(1.0, -gap);
    double own = 0;  // through the same port to the same first link
    for (int top = 1; top <= n; ++top)
      own += binomial(top - 1, d - 1) * std::ldexp(1.0, top - 1) / (nodes - 1);
    if (ends.injection == network::Injection::one) own *= n;
    double ended = 0;  // over the same last link, of dimension `last`, to the same node; not through the same
                       // port
    const double same_port = (ends.injection == network::Injection::one ? 1.0 : 1.0 / n) / (nodes - 1);
    for (int last = 1; last <= n && ends.ejection == network::Ejection::one; ++last)
      ended += n * binomial(n - last, d - 1) * (std::ldexp(1.0, n - last) / (nodes - 1) - same_port);
    result[static_cast<std::size_t>(d)] = d - (together + (own + ended) / distance) / binomial(n, d);
  }
  return result;
}

double tree_time(int dimensions, const BroadcastStep& step, network::Injection injection) {
  const double width = (step.base + step.wait + step.extra) / cells_per_step;
  const auto add_wait = [&](std::vector<double> time) {
    if (!(step.wait > 0)) return time;
    return convolve(time,
                    cells(width, [&](double x) { return step.busy * std::exp(-x * step.busy / step.wait); }));
  };
  const auto add_extra = [&](std::vector<double> time) {
    if (!(step.extra > 0 && step.spread > 0)) return time;
    return convolve(time, cells(width, [&](double x) {
                      return boost::math::gamma_q(step.extra * step.extra / step.spread,
                                                  x * step.extra / step.spread);
                    }));
  };
  if (injection == network::Injection::one && !(step.wait > 0) && !(step.extra > 0))
    return dimensions * step.base;
  std::vector<double> time{1};
  if (injection == network::Injection::ports) {
    const std::vector<double> one = add_extra(add_wait(constant(step.base, width)));
    for (int r = 0; r < dimensions; ++r) time = greater(time, convolve(one, time));
  } else {
    const std::vector<double> copy = add_extra(constant(step.base - step.startup - step.hops, width));
    const std::vector<double> start = add_wait(constant(step.startup, width)),
                              hops = constant(step.hops, width);
    std::vector<double> sent{1};  // U_r; `time` is T_r
    for (int r = 0; r < dimensions; ++r) {
      sent = convolve(copy, greater(sent, convolve(hops, time)));
      time = convolve(start, sent);
    }
  }
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < time.size(); ++i) {
    sum += static_cast<double>(i) * time[i];
    all += time[i];
  }
  return sum / all * width;
}

std::optional<BroadcastPoint> shared_wire_latency(const BroadcastCube& cube, double rate) {
  SharedWireModel model(cube, rate);
  std::optional<BroadcastPoint> point = model.solve();
  if (point) point->broadcast_latency = tree_time(cube.dimensions, model.step(), cube.ends.injection);
  return point;
}

bool shared_wire_carries(const BroadcastCube& cube, double rate) {
  return SharedWireModel(cube, rate).solve().has_value();
}

double shared_wire_fullness(const BroadcastCube& cube, double rate) {
  SharedWireModel model(cube, rate);
  return model.solve() ? model.fullness() : 1;
}

}  // namespace tailbound::bounds::wormhole
