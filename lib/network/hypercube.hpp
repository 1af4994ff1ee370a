#pragma once

#include <cstdint>

/// The legal sizes of hypercubes and of the messages in them, in one place: of those that a model takes, and
/// of those that are simulated flit by flit.
namespace tailbound::network {

struct HypercubeLimits {
  int dimensions;                 ///< n, from 1: 2^n nodes
  std::int64_t virtual_channels;  ///< V of each link
  std::int64_t flits;             ///< M of a message, from 1
  std::int64_t startup;           ///< Delta of each step of a broadcast, from 0 [cycles]
};
inline constexpr HypercubeLimits modelled_hypercubes{
    .dimensions = 20, .virtual_channels = 1'000'000, .flits = 1'000'000'000, .startup = 1'000'000'000};
inline constexpr HypercubeLimits simulated_hypercubes{
    .dimensions = 16, .virtual_channels = 64, .flits = 1'000'000, .startup = 1'000'000'000};

/// A head waits only where all virtual channels are busy, which the models have for two or more.
inline constexpr std::int64_t least_modelled_virtual_channels = 2;

}  // namespace tailbound::network
