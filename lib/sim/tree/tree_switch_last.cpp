#include <tailbound/sim/tree/tree_switch.hpp>

namespace tailbound::sim::tree_engine {

template void Tree<std::uint32_t>::choose_pass<Role::last>(int, int, int);
template void Tree<std::uint64_t>::choose_pass<Role::last>(int, int, int);

}  // namespace tailbound::sim::tree_engine
