#pragma once

#include <array>
#include <cstdint>

/// Flow control of links: what a full buffer does to its sender.
namespace tailbound::sim {

enum class BackPressure {
  credit,  ///< a packet is sent only with a credit, a free place in the buffer of the receiver
  pause,   ///< the receiver stops its sender (XOFF) and lets it continue (XON)
};
[[nodiscard]] constexpr auto names_of(BackPressure) {
  return std::array{"credit", "pause"};
}

/// How the buffer of a link is organised.
enum class Ingress {
  voq,   ///< a virtual output queue for each output: no packet waits for one to another output
  fifo,  ///< one queue: a packet that cannot move blocks those behind it (head-of-line blocking)
};
[[nodiscard]] constexpr auto names_of(Ingress) {
  return std::array{"voq", "fifo"};
}

/// The same for all links. Times are slots, sizes packets.
struct FlowControl {
  static constexpr std::int64_t most = 1'000'000'000;  ///< of every size and time

  BackPressure by = BackPressure::credit;
  Ingress ingress = Ingress::voq;
  std::int64_t buffer = 1;         ///< B of each link at its receiver, >= 1
  std::int64_t round_trip = 1;     ///< R: from sending a packet until its place can be used again, >= 1
  std::int64_t headroom = 1;       ///< of pause: places above the threshold; 1 .. buffer
  std::int64_t output_buffer = 1;  ///< of each output of a switch, the packet in transmission included, >= 1
  bool allow_deadlock = false;     ///< else buffers that depend on each other in a cycle are rejected
};

}  // namespace tailbound::sim
