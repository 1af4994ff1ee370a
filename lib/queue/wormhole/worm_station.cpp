#include <tailbound/core/error.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tailbound::queue {

double worm_variation(double service, double length) {
  if (!(length > 0)) throw InvalidArgument("length", std::to_string(length), "above 0");
  if (!(service >= length)) throw InvalidArgument("service", std::to_string(service), "at least the length");
  const double blocked = (service - length) / service;
  return blocked * blocked;
}

double station_wait(int servers, double rate, double service, double variation) {
  if (servers < 1 || servers > 1000)
    throw InvalidArgument("servers", std::to_string(servers), "from 1 to 1000");
  if (!(rate >= 0)) throw InvalidArgument("rate", std::to_string(rate), "at least 0");
  if (!(service > 0)) throw InvalidArgument("service", std::to_string(service), "above 0");
  if (!(variation >= 0)) throw InvalidArgument("variation", std::to_string(variation), "at least 0");
  const double offered = rate * service;
  if (!(offered < servers))
    throw InvalidArgument("rate * service", std::to_string(offered),
                          "below the number of servers, " + std::to_string(servers));
  // Erlang B for 1, 2, .. m servers, and from it Erlang C, the probability of waiting.
  double lost = 1;
  for (int server = 1; server <= servers; ++server) lost = offered * lost / (server + offered * lost);
  const double waits = servers * lost / (servers - offered + offered * lost);
  return (1 + variation) / 2 * waits * service / (servers - offered);
}

RestOfWait rest_of_wait(double first, double second, double d) {
  if (!(first > 0)) return {};
  const double variance = second - first * first;
  if (variance >= first * first) {
    const double left = std::exp(-2 * d * first / second);
    return {left * first, left * second, left};
  }
  const double deviation = std::sqrt(std::max(0.0, variance)), constant = first - deviation;
  if (d <= constant) return {first - d, (first - d) * (first - d) + deviation * deviation, 1};
  const double left = deviation > 0 ? std::exp((constant - d) / deviation) : 0;
  return {left * deviation, 2 * left * deviation * deviation, left};
}

}  // namespace tailbound::queue
