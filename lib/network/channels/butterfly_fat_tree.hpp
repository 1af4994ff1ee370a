#pragma once

#include <tailbound/network/channels/channel_graph.hpp>

/// Butterfly fat-trees under uniform traffic.
///
/// MODEL     N = 4^n processors, n levels of switches with four links down and (below the top) two up: N /
///           2^l channels <l, l+1> and as many <l+1, l>. A message rises to the lowest level that leads to
///           its destination, by either link up, and descends on the unique path from there. The two links up
///           of a switch are one station.
/// RESULT    the graph of channel classes: one channel represents each level and direction; all channels of a
///           class are identical.
/// VARIANTS  conditional: a message that has risen to level l continues with the probability that its
///           destination is further, given that it rose this far; flows are conserved. paper: with P_l as
///           printed in the paper, the probability that any message goes beyond level l.
/// SOURCE    Greenberg and Guan 1997a, eqs. (12)-(15) and (22)
/// TESTS     tests/bounds/wormhole/fat_tree_test.cpp
namespace tailbound::network {

enum class FatTreeVariant { paper, conditional };

/// P_l = (4^n - 4^l) / (4^n - 1): probability that a message goes beyond level l.
/// \param levels  n, 1 .. 12
/// \param level   l, 0 .. n
[[nodiscard]] double beyond_level(int levels, int level);

/// p_l = P_l / P_(l-1): the same probability given that the message went beyond level l - 1. \param level  1
/// .. n
[[nodiscard]] double further_beyond(int levels, int level);

/// Mean number of channels of a path over all pairs.
[[nodiscard]] double fat_tree_distance(int levels);

/// \throws InvalidArgument  levels not from 1 to 12
[[nodiscard]] ChannelGraph fat_tree_classes(int levels, FatTreeVariant variant);

}  // namespace tailbound::network
