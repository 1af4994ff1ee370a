#pragma once

/// The output link of a switch that passes one request at a time.
///
/// MODEL     docs/derivations/multistage.md, section 4. s inputs, each with one request at its head. A head
///           that needs the link waits, first come, first served. The link is then occupied for 1, and with
///           probability `blocked` for a further time `blocked_time`, in which the request waits for the next
///           buffer. After the request has left, its input needs the link again at once with probability
///           `again`, otherwise after an exponential time.
/// RESULT    the chain just after services, without negative terms; the mean of the exponential time is such
///           that the link carries the load of its inputs.
/// COST      about 12 solutions of a chain of s + 1 states, O(s^2) each
/// TESTS     tests/bounds/multistage/shared_link_test.cpp
/// Internal to the bounds module.
namespace tailbound::bounds::multistage {

/// The link's inputs, all identical, and the buffer behind it.
struct LinkUse {
  double cycle = 1;         ///< mean time between requests that leave an input, `wait` included
  double share = 0;         ///< fraction of these requests that go through this link
  double wait = 0;          ///< mean time that they wait for the link
  double again = 0;         ///< probability that an input needs the link again at once after its request has
                            ///< left
  double blocked = 0;       ///< probability that a request waits for the next buffer
  double blocked_time = 0;  ///< mean time that it then waits
};

struct LinkWait {
  double time = 0;         ///< mean wait of a head for the link
  double probability = 0;  ///< P(wait > 0)
};

/// The wait at which the link carries the load of `inputs` inputs, whose cycles lengthen by the excess of the
/// wait over `use.wait`. At most (inputs - 1) services of the link, which is then never idle.
/// \param inputs  s >= 1
[[nodiscard]] LinkWait link_wait(int inputs, const LinkUse& use);

}  // namespace tailbound::bounds::multistage
