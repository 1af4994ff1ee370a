#pragma once

#include <tailbound/numeric/rational.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Combining multistage networks with a hot spot: topology, wiring and traffic.
///
/// MODEL     N = s^n processors, n stages of s x s switches, N memories. Each input port of a switch has a
///           buffer; a request passes n buffers. At stage i (0 .. n - 1) a request leaves its switch by the
///           output whose number is digit i of its memory's number, the most significant digit first. A
///           fraction h of the requests goes to memory 0 (hot requests). The others go to all memories with
///           equal probability, memory 0 included (cold requests, which never combine).
/// SOURCE    Mohapatra, Wong and Das 1994, section 2; Wu and Feng 1980 (baseline), Lawrie 1975 (omega)
/// EXCLUDES  more than one hot spot, replies
/// TESTS     tests/network/multistage_test.cpp
namespace tailbound::network {

using numeric::Rational;

enum class Wiring { baseline, omega };
[[nodiscard]] constexpr auto names_of(Wiring) {
  return std::array{"baseline", "omega"};
}

/// Requests that an output link of a switch carries at a time; includes the links to the memories.
enum class Links {
  one,  ///< a service occupies its link from its start until the request has left
  any,  ///< outputs never conflict: only a full buffer blocks (Mohapatra, Wong and Das)
};
[[nodiscard]] constexpr auto names_of(Links) {
  return std::array{"one", "any"};
}

struct Multistage {
  std::int64_t nodes = 64;       ///< N = s^n, 2 .. 2^20
  std::int64_t switch_size = 2;  ///< s, 2 .. 512
};

/// A multistage network with its buffers and combining switches under a hot spot; everything except the load.
struct CombiningMultistage {
  Multistage network;
  /// L, 1 .. 10 000: capacity for waiting requests; K = L + 1 with the one in service
  std::int64_t buffer = 4;
  Rational hot = 0;  ///< h, 0 .. 1: the fraction of requests that goes to the hot memory
  /// Maximum degree of combining, 1 .. 1 000 000: number of arriving requests that may combine into one in a
  /// buffer. 1: none combine. Empty: unlimited.
  std::optional<std::int64_t> combining = 1;
  Links links = Links::one;
};

/// n = log_s N.
/// \throws InvalidArgument  nodes or switch_size out of range, or nodes not a power of switch_size
[[nodiscard]] int stage_count(const Multistage& network);

/// \throws InvalidArgument  any field out of range
void check(const CombiningMultistage& network);

/// \param load  requests per processor and service time
/// \throws InvalidArgument  not above 0 and at most 1
void check_load(const Rational& load);

/// An upper bound on the throughput, exact: the utilization of every link and of every server on the hot path
/// is at most 1. With at most cd requests combined at each buffer, a link after stage i carries (1 - h) + h
/// s^(i+1) / cd^(i+1) of the load of a processor, a server at stage i (1 - h) + h s^i / cd^(i+1).
/// \return  1 / the maximum of these, at most 1; without combining 1 / (1 + h (N - 1)) with Links::one
///          (Pfister and Norton 1985) and 1 / (1 - h + h N / s) with Links::any
/// \throws InvalidArgument  a field out of range
[[nodiscard]] Rational saturation_bound(const CombiningMultistage& network);

/// "64 nodes, 2 x 2 switches, buffer 4, hot 2/25, combining 2, links one", for titles and checkpoints.
[[nodiscard]] std::string describe(const CombiningMultistage& network);

/// Wiring between the ports of one stage and the next: output o of the switch with port p leads to port
/// first[p] + o * stride of the next stage (of the last stage: to that memory).
struct StageWiring {
  std::vector<std::uint32_t> first;
  std::uint32_t stride = 1;
};

/// The wiring after each stage. Port p of stage 0 belongs to one processor; which one does not matter, as all
/// are identical. \throws as stage_count()
[[nodiscard]] std::vector<StageWiring> wire(const Multistage& network, Wiring wiring);

}  // namespace tailbound::network
