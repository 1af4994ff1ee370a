#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>

#include <cstdint>

/// Maximum load of a switch whose inputs have one FIFO each: head-of-line blocking.
///
/// MODEL     k inputs that always have cells, n outputs. Each slot every output with x heads of line for it
///           serves min(x, s) of them, chosen at random. The input of a served head draws its next head: an
///           output uniformly; with bursts of mean L the same output with probability 1 - 1/L, otherwise
///           uniformly. With output buffers of b cells (the one in transmission included) any number of
///           heads moves to an output in a slot; a head that finds its buffer full blocks its input. The
///           state is how many heads (with buffers: cells and blocked heads) belong to each output,
///           regardless of which output: a partition.
/// METHOD    up to `max_exact_states` states: the stationary law in rationals. Else, for any function h on
///           the states, min (T h - h) <= k f <= max (T h - h), (T h)(x) = served(x) + E h(next): h from a
///           linear system or by iteration, then both ends widened by the rounding errors of T. Beyond
///           `max_enclosed_ports` inputs: a fit in 1/k.
/// RESULT    f, cells per slot and input: the queues are stable below it (Jacob and Kumar: Bernoulli
///           arrivals)
/// EXCLUDES  uneven destinations; bursts with output buffers; output speedup with output buffers
/// COST      32 ports 0.1 s, 48 ports some seconds
/// SOURCE    Karol, Hluchyj, Morgan 1987; Oie et al. 1989; Iliadis, Denzel 1990;
///           docs/derivations/crossbar.md
/// TESTS     tests/queue/crossbar/head_of_line_test.cpp
namespace tailbound::queue {

struct HeadOfLine {
  static constexpr std::int64_t max_ports = 4096, max_served = 64, max_buffer = 64;
  static constexpr std::int64_t max_enclosed_ports = 48;  ///< more inputs by the fit
  static constexpr std::size_t max_exact_states = 32;

  std::int64_t inputs = 1;      ///< k
  std::int64_t outputs = 1;     ///< n
  numeric::Rational burst = 1;  ///< L, mean number of cells of one output in a row, >= 1
  std::int64_t served = 1;      ///< s: heads that an output takes in a slot
  std::int64_t buffer = 1;      ///< b: cells per output, with back-pressure
};

/// f [cells/slot and input].
/// \throws InvalidArgument  a parameter out of range; bursts or `served` together with a buffer above 1
/// \throws LimitExceeded    too many states
[[nodiscard]] numeric::Claim<unit::Load> head_of_line_saturation(const HeadOfLine& queue);

/// The same for k = n and everything else at its default; above 32 ports by the fit, which agrees to 10
/// digits. Fast, for models.
[[nodiscard]] double head_of_line_load(std::int64_t ports);

/// The limit for many ports, as many outputs as inputs, without bursts: lambda with E[Q] = 1 of a queue with
/// Poisson arrivals that serves s cells per slot, or with E[(Q - b)^+] = 1 - lambda. To 10 digits.
/// \param served, buffer  as in HeadOfLine; one of them is 1
/// \throws InvalidArgument  out of range
[[nodiscard]] numeric::Enclosure<unit::Load> head_of_line_limit(std::int64_t served, std::int64_t buffer);

}  // namespace tailbound::queue
