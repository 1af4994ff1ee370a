#pragma once

#include <cstdint>

/// The legal sizes of hypercubes and of their messages: those supported by a model, and those supported by
/// the flit-level simulator.
namespace tailbound::network {

struct HypercubeLimits {
  int dimensions;                 ///< n, from 1: 2^n nodes
  std::int64_t virtual_channels;  ///< V per link
  std::int64_t flits;             ///< M of a message, from 1
  std::int64_t startup;           ///< Delta of each step of a broadcast, from 0 [cycles]
};
inline constexpr HypercubeLimits modelled_hypercubes{
    .dimensions = 20, .virtual_channels = 1'000'000, .flits = 1'000'000'000, .startup = 1'000'000'000};
inline constexpr HypercubeLimits simulated_hypercubes{
    .dimensions = 16, .virtual_channels = 64, .flits = 1'000'000, .startup = 1'000'000'000};

/// The models describe the wait for one of several busy virtual channels, so they need two or more.
inline constexpr std::int64_t min_modelled_virtual_channels = 2;

}  // namespace tailbound::network
