#pragma once

#include <array>

/// Schedulers of an input-queued switch, one name each for the analysis and the simulator.
///
/// MODEL     In each phase of a slot the scheduler chooses pairs of an input and an output, each at most
///           once; every chosen pair moves one cell.
/// SOURCE    Anderson, Owicki, Saxe, Thacker 1993 (PIM); McKeown 1999 (iSLIP); McKeown, Mekkittikul,
///           Anantharam, Walrand 1999 (MaxWeight); Chang, Lee, Jou 2002 (load-balanced); Chuang, Goel,
///           McKeown, Prabhakar 1999 (critical cells first). docs/derivations/crossbar.md
namespace tailbound::traffic {

enum class Scheduler {
  fifo,           ///< one FIFO per input; an output picks uniformly among the heads that want it
  pim,            ///< parallel iterative matching: random grants, random accepts
  islip,          ///< round-robin grants and accepts; pointers move on accepts of the first iteration
  greedy,         ///< longest virtual output queue first
  maxweight,      ///< matching of maximum total queue length
  crosspoint,     ///< buffered crosspoints, round robin on both sides
  tdm,            ///< input i is connected to output (i + t) mod k in slot t
  load_balanced,  ///< the TDM connections twice, with virtual output queues between them
  ccf,            ///< critical cells first: emulates an output-queued switch at speedup 2
};
/// In the order of the enumeration; the command line's default is `islip`.
[[nodiscard]] constexpr auto names_of(Scheduler) {
  return std::array{"fifo",       "pim", "islip",         "greedy", "maxweight",
                    "crosspoint", "tdm", "load-balanced", "ccf"};
}

}  // namespace tailbound::traffic
