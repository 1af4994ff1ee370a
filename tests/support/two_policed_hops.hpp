#pragma once

/// The file of a small network of policed flows: packets and slots, two hosts that send over one link.
namespace tailbound::test {

inline constexpr const char* two_policed_hops = R"(
name = "two"
hosts = ["a", "b", "c"]
switches = ["s"]
[[link]]
from = ["a", "b"]
to = "s"
[[link]]
from = "s"
to = "c"
[[flow]]
name = "slow"
from = "a"
to = "c"
bucket = { rate = 0.25, burst = 3 }
[[flow]]
name = "quick"
from = "b"
to = "c"
bucket = { rate = 0.25, burst = 1 }
)";

}  // namespace tailbound::test
