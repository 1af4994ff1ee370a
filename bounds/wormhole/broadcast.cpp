#include <tailbound/bounds/wormhole/broadcast.hpp>
#include <tailbound/bounds/wormhole/shared_wire.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/network/hypercube.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tailbound::bounds::wormhole {
namespace {

void require(bool right, const char* what, double value, const char* legal) {
  if (!right) throw InvalidArgument(what, std::to_string(value), legal);
}

void check(const BroadcastCube& cube) {
  constexpr network::HypercubeLimits limits = network::modelled_hypercubes;
  constexpr std::int64_t minimum = network::min_modelled_virtual_channels;
  if (cube.dimensions < 1 || cube.dimensions > limits.dimensions)
    throw InvalidArgument("dimensions", std::to_string(cube.dimensions),
                          "from 1 to " + std::to_string(limits.dimensions));
  if (cube.virtual_channels < minimum || cube.virtual_channels > limits.virtual_channels)
    throw InvalidArgument(
        "virtual channels", std::to_string(cube.virtual_channels),
        "from " + std::to_string(minimum) + " to " + std::to_string(limits.virtual_channels));
  require(cube.flits >= 1 && cube.flits <= static_cast<double>(limits.flits), "flits", cube.flits,
          "from 1 to 10^9");
  require(cube.broadcast >= 0 && cube.broadcast <= 1, "broadcast", cube.broadcast, "from 0 to 1");
  require(cube.startup >= 0 && cube.startup <= static_cast<double>(limits.startup), "startup", cube.startup,
          "from 0 to 10^9 cycles");
  network::check_without_channels(cube.ends);
  if (cube.replication != Replication::literal) return;
  if (cube.ends.ejection != network::Ejection::unlimited)
    throw InvalidArgument("ejection", "one", "unlimited with replication literal: the published equations");
  if (cube.ends.injection != network::Injection::ports)
    throw InvalidArgument("injection", "one", "ports with replication literal: the published equations");
}

/// Numbers that determine the rates, per generated message.
struct Traffic {
  double nodes = 0;  ///< N
  BroadcastRates channel;
  double injected = 0;      ///< l_s, messages of an injection channel
  double unicast_part = 0;  ///< part of the mean service at it
  double received = 0;      ///< l_e, messages of an ejection channel; 0 if there is none
};

Traffic traffic(const BroadcastCube& cube) {
  const double n = cube.dimensions, nodes = std::ldexp(1.0, cube.dimensions);
  const double replicating = nodes / 2 - 1;             // receivers that send copies, (3)
  const double distance = n / 2 * nodes / (nodes - 1);  // (6)
  const double copies = (nodes - 1 - n) / (nodes - 1);  // wbar, (10): the mean over leaves as well
  const double b = cube.broadcast, unicast = 1 - b;
  Traffic result;
  result.nodes = nodes;
  result.channel.unicast = unicast * distance / n;  // (7)
  result.channel.broadcast = b;                     // (8)
  double tree_weight = 0, unicast_weight = 0;
  if (cube.replication == Replication::literal) {
    result.channel.copies = copies / n * replicating * b;  // (11)
    tree_weight = b + replicating * b;                     // (26)
    unicast_weight = unicast;
  } else {
    result.channel.copies = (nodes - 1 - n) / n * b;
    tree_weight = b + result.channel.copies;
    unicast_weight = unicast / n;
  }
  result.injected = unicast / n + b + result.channel.copies;  // (25)
  if (cube.ends.injection == network::Injection::one) result.injected *= n;
  if (cube.ends.ejection == network::Ejection::one) result.received = unicast + b * (nodes - 1);
  result.unicast_part = unicast_weight / (unicast_weight + tree_weight);
  return result;
}

/// M/G/1 with standard deviation `service` - `minimum`, eqs. (15)-(19), (28).
double wait(double rate, double service, double minimum) {
  const double deviation = (service - minimum) / service;  // negative where S_i < S_(i-1)
  return queue::station_wait(1, rate, service, deviation * deviation);
}

/// The equations of one dimension.
struct CubeChannel {
  double rate = 0;     ///< l_c
  double power = 2;    ///< V
  double minimum = 0;  ///< S_(i-1)

  /// P_V. Eqs. (29) and (30) sum to 1 / (1 - r): P_v = (1 - r) r^v below V, and P_V = r^V.
  [[nodiscard]] double all_busy(double service) const { return std::pow(rate * service, power); }
  [[nodiscard]] double blocking(double service) const {
    const double busy = all_busy(service);
    return busy == 0 ? 0 : busy * wait(rate, service, minimum);
  }
  /// d log B / dS
  [[nodiscard]] double relative_slope(double service) const {
    const double deviation = service - minimum;
    return power / service + 2 * (service + deviation) / (service * service + deviation * deviation) +
           rate / (1 - rate * service);
  }

  /// Smallest S = start + B(S) with rate S < 1.
  [[nodiscard]] std::optional<double> solve(double start) const {
    if (!(rate * start < 1)) return std::nullopt;
    const auto excess = [&](double service) { return start + blocking(service) - service; };
    // At or beyond the smallest solution, or where none can follow.
    const auto beyond = [&](double service) {
      if (!(rate * service < 1)) return true;
      const double blocked = blocking(service);
      return start + blocked <= service || blocked * relative_slope(service) >= 1;
    };
    if (blocking(start) == 0) return start;
    const double above = halved(start, 1 / rate, [&](double service) { return !beyond(service); }).second;
    if (!(rate * above < 1) || excess(above) > 0) return std::nullopt;
    return above;
  }
};

/// V_i, eq. (31): P(v or more busy) = r^v, so the sums of v P_v and v^2 P_v are those of r^v and (2 v - 1)
/// r^v.
double multiplexing(double utilization, std::int64_t virtual_channels) {
  double first = 0, second = 0, term = 1;
  for (std::int64_t v = 1; v <= virtual_channels; ++v, term *= utilization) {
    const double squares = static_cast<double>(2 * v - 1) * term;
    first += term;
    second += squares;
    if (term == 0 || squares < 1e-18 * (1 - utilization) * (1 - utilization) * second) break;
  }
  return second / first;
}

void multiplex(const BroadcastCube& cube, BroadcastPoint& point) {
  for (BroadcastDimension& dimension : point.dimensions) {
    dimension.multiplexing = multiplexing(dimension.utilization, cube.virtual_channels);
    point.multiplexing += dimension.multiplexing;
  }
  point.multiplexing /= cube.dimensions;  // (32)
}

/// The wait of unicasts and of the first copies of batches for a node's only injection channel.
/// \param service  lengthened by sharing: this channel saturates first
std::optional<BroadcastPoint> wait_for_one(const BroadcastCube& cube, double injected, double service,
                                           BroadcastPoint point) {
  point.source_utilization = injected * service;
  if (!(point.source_utilization < 1)) return std::nullopt;
  const double b = cube.broadcast, copies = std::ldexp(1.0, cube.dimensions) - 1;
  const double square = service * service, variance = (service - cube.flits) * (service - cube.flits);
  point.source_wait =
      point.rate *
      ((1 - b) * (square + variance) + b * (batch_squares(cube.dimensions) * square + copies * variance)) /
      (2 * (1 - point.source_utilization));
  return point;
}

std::optional<BroadcastPoint> solve(const BroadcastCube& cube, const Traffic& traffic, double rate) {
  BroadcastPoint point;
  point.rate = rate;
  double flits = cube.flits;  // until the tail has left the last link
  if (traffic.received > 0) {
    if (!(rate * traffic.received * cube.flits < 1)) return std::nullopt;
    // A message does not wait for those of its own virtual channel.
    const double others = 1 - 1.0 / (cube.dimensions * static_cast<double>(cube.virtual_channels));
    point.ejection_wait = others * wait(rate * traffic.received, cube.flits, cube.flits);
    flits += 1 + point.ejection_wait;
  }
  const double n = cube.dimensions, unicast_share = traffic.channel.unicast / traffic.channel.all();
  CubeChannel channel{.rate = rate * traffic.channel.all(),
                      .power = static_cast<double>(cube.virtual_channels),
                      .minimum = cube.flits};
  double onward = 0;   // sum of 1 + B_j over lower dimensions
  double blocked = 0;  // sum of B_j
  for (int i = 1; i <= cube.dimensions; ++i) {
    const double start = flits + unicast_share * (1 + onward / 2);  // (12), (13), (20)-(22) without B_i
    const auto service = channel.solve(start);
    if (!service) return std::nullopt;
    const double utilization = channel.rate * *service;
    point.dimensions.push_back({.service = *service,
                                .wait = wait(channel.rate, *service, channel.minimum),
                                .blocking = channel.blocking(*service),
                                .utilization = utilization,
                                .all_busy = channel.all_busy(*service),
                                .multiplexing = 0});
    blocked += point.dimensions.back().blocking;
    onward += 1 + point.dimensions.back().blocking;
    channel.minimum = *service;
  }
  point.step_service = flits + blocked / n;                                          // (23), (24)
  point.unicast_service = flits + traffic.nodes / 2 / (traffic.nodes - 1) * onward;  // (27)
  const double service =
      (1 - traffic.unicast_part) * point.step_service + traffic.unicast_part * point.unicast_service;  // (26)
  const double injected = rate * traffic.injected;
  if (cube.ends.injection == network::Injection::one) {
    multiplex(cube, point);
    return wait_for_one(cube, injected, service * point.multiplexing, point);
  }
  point.source_utilization = injected * service;
  if (!(point.source_utilization < 1)) return std::nullopt;
  point.source_wait = wait(injected, service, cube.flits);  // (28)
  return point;
}

/// Latencies of a solved point.
void finish(const BroadcastCube& cube, BroadcastPoint& point) {
  double step = 0;
  if (cube.ends.injection == network::Injection::one) {
    point.unicast_latency = point.unicast_service * point.multiplexing + point.source_wait;
    step = point.step_service * point.multiplexing + point.source_wait;
  } else {
    multiplex(cube, point);
    point.unicast_latency = (point.unicast_service + point.source_wait) * point.multiplexing;  // (33)
    step = (point.step_service + point.source_wait) * point.multiplexing;                      // (2)
  }
  point.broadcast_latency = cube.dimensions * (step + cube.startup);  // (1)
}

}  // namespace

double batch_squares(int dimensions) {
  const double n = dimensions;
  double sum = n * n;  // of the root
  for (int r = 1; r < dimensions; ++r) sum += std::ldexp(1.0, dimensions - 1 - r) * r * r;
  return sum;
}

BroadcastRates broadcast_rates(const BroadcastCube& cube) {
  check(cube);
  return traffic(cube).channel;
}

std::optional<BroadcastPoint> broadcast_latency(const BroadcastCube& cube, double rate) {
  check(cube);
  require(rate >= 0 && std::isfinite(rate), "rate", rate, "at least 0 messages/cycle/node");
  if (cube.replication == Replication::shared_wire) return shared_wire_latency(cube, rate);
  std::optional<BroadcastPoint> point = solve(cube, traffic(cube), rate);
  if (point) finish(cube, *point);
  return point;
}

double broadcast_fullness(const BroadcastCube& cube, double rate) {
  check(cube);
  if (cube.replication == Replication::shared_wire) return shared_wire_fullness(cube, rate);
  const Traffic flows = traffic(cube);
  const std::optional<BroadcastPoint> point = solve(cube, flows, rate);
  if (!point) return 1;
  double fullness = std::max(point->source_utilization, rate * flows.received * cube.flits);
  for (const BroadcastDimension& dimension : point->dimensions)
    fullness = std::max(fullness, dimension.utilization);
  return fullness;
}

double broadcast_saturation(const BroadcastCube& cube) {
  check(cube);
  const Traffic flows = traffic(cube);
  const double maximum = 1 / (flows.channel.all() * cube.flits);  // there r_1 >= 1
  const auto carried = [&](double rate) {
    return cube.replication == Replication::shared_wire ? shared_wire_carries(cube, rate)
                                                        : solve(cube, flows, rate).has_value();
  };
  return halved(0.0, maximum, carried, 1e-14).first;
}

}  // namespace tailbound::bounds::wormhole
