#pragma once

/// Mean waits for the channels of a wormhole network, each a station of one or more servers.
///
/// MODEL     Messages arrive as a Poisson process and wait for any of m equal servers, first come, first
///           served. A message occupies a server for a time of mean x. The message length is a fixed part of
///           it; the rest is the time for which its head is blocked. The standard deviation is taken to be
///           that rest.
/// RESULT    m = 1: the mean wait of M/G/1, exact for the mean and variance given. m > 1: the mean wait of
///           M/M/m times (1 + C2) / 2, an approximation, exact for exponential times (C2 = 1).
/// SOURCE    Greenberg and Guan 1997a, eqs. (6) (Pollaczek and Khinchine) and (8), where the rate is that of
///           all servers together; docs/derivations/wormhole.md
/// EXCLUDES  the arrival process: the waits depend on rates only
/// TESTS     tests/queue/wormhole/worm_station_test.cpp
namespace tailbound::queue {

/// C2 = (x - M)^2 / x^2, the squared coefficient of variation of a message's time on a channel [0 .. 1).
/// \param service  x, at least `length`
/// \param length   M, above 0, in the unit of `service`
[[nodiscard]] double worm_variation(double service, double length);

/// Mean wait [in the unit of `service`] until one of the servers is free.
///
/// METHOD   Erlang's recurrence for the loss formula, whose terms are all positive.
/// \param servers    m, 1 .. 1000
/// \param rate       of all messages that arrive at the station, >= 0 [1 / unit of `service`]
/// \param service    x, above 0
/// \param variation  C2, >= 0
/// \throws InvalidArgument  out of range, or rate * service >= servers
[[nodiscard]] double station_wait(int servers, double rate, double service, double variation);

/// max(0, Y - d) of a wait Y: the rest after a buffer absorbs d of it.
struct RestOfWait {
  double first = 0, second = 0;  ///< its moments
  double probability = 0;        ///< P(it is above 0 | Y > 0)
};

/// METHOD   Y by two moments: 0 or exponential, so its excess over d does not depend on d; where it varies
///          less than an exponential time, a constant plus an exponential part. At d = 0 both moments are
///          Y's.
/// \param first, second  moments of Y, >= 0
/// \param d  >= 0 [in the unit of Y]
[[nodiscard]] RestOfWait rest_of_wait(double first, double second, double d);

}  // namespace tailbound::queue
