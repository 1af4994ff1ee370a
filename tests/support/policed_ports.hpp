#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

/// Small networks of policed flows in slots: every port fifo, one packet per slot.
namespace tailbound::test {

using Paths = std::vector<std::vector<std::size_t>>;

[[nodiscard]] network::PolicedNetwork slotted_ports(std::size_t ports);
void add_flow(network::PolicedNetwork& network, const std::vector<std::size_t>& path,
              const std::vector<traffic::TokenBucket>& buckets);

/// All flows with the same bucket.
/// \param peak  also limited by a link of one packet per slot
[[nodiscard]] network::PolicedNetwork identical(std::size_t ports, const Paths& paths, const char* burst,
                                                const char* rate, bool peak = false);

struct RandomPorts {
  int min_ports = 2, max_ports = 3, min_flows = 2, max_flows = 4;
  int slowest = 6;  ///< rates 1/2 .. 1/slowest, one in five 2/n
  int max_burst = 3;
};
/// Paths from ports of lower to ports of higher numbers; the offered load of each port is at most 1 packet
/// per slot.
[[nodiscard]] network::PolicedNetwork random_ports(std::mt19937& random, const RandomPorts& choice = {});

/// A line per flow: its path and its buckets.
[[nodiscard]] std::string text_of(const network::PolicedNetwork& network);

}  // namespace tailbound::test
