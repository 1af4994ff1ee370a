#pragma once

/// The output link of a switch that passes one request at a time.
///
/// MODEL     docs/derivations/multistage.md, section 4. s inputs, each with one request at its head. A head that
///           needs the link waits for those that came before it, first come, first served; the link then is
///           held for 1, and with probability `blocked` for a further time `blocked_time`, in which the request
///           waits for the next buffer. When the request has gone, its input needs the link again at once with
///           probability `again`, otherwise after an exponential time.
/// RESULT    the chain just after services, in which no term is negative; the mean of the exponential time is
///           such that the link passes what its inputs bring.
/// COST      about 12 solutions of a chain of s + 1 states, O(s^2) each
/// TESTS     tests/bounds/multistage/shared_link_test.cpp
/// Internal to the bounds module.
namespace tailbound::bounds::multistage {

/// What the link sees of its inputs, all alike, and of the buffer behind it.
struct LinkUse {
  double cycle = 1;         ///< mean time between requests that leave an input, `wait` included
  double share = 0;         ///< of these requests: those that go through this link
  double wait = 0;          ///< mean time that they wait for the link
  double again = 0;         ///< probability that an input whose request has gone needs the link again at once
  double blocked = 0;       ///< probability that a request waits for the next buffer
  double blocked_time = 0;  ///< mean time it waits then
};

struct LinkWait {
  double time = 0;         ///< mean time from when a head needs the link until the link takes it
  double probability = 0;  ///< that it is above 0
};

/// The wait with which the link passes what `inputs` inputs bring whose cycles are longer by what the wait is longer
/// than `use.wait`; at most (inputs - 1) services of the link, which is then never idle.
/// \param inputs  s >= 1
[[nodiscard]] LinkWait link_wait(int inputs, const LinkUse& use);

}  // namespace tailbound::bounds::multistage
