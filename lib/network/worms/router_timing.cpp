#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/router_timing.hpp>

#include <cmath>

namespace tailbound::network {

double RouterTiming::crossing_cycles(double flits, double buffer_flits) const {
  const double trip = round_trip();
  if (trip <= buffer_flits) return flits;
  const double turns = std::floor((flits - 1) / buffer_flits);
  return turns * trip + flits - turns * buffer_flits;
}

std::string RouterTiming::in_words() const {
  const auto cycles = [](std::uint32_t count) {
    return std::to_string(count) + (count == 1 ? " cycle" : " cycles");
  };
  std::string text;
  if (router_cycles != 0) text += ", routers of " + cycles(router_cycles);
  if (link_cycles != 1) text += ", links of " + cycles(link_cycles);
  if (credit_cycles != 0) text += ", credits back in " + cycles(credit_cycles);
  if (reallocate == Reallocate::tail) text += ", virtual channels reallocated at the tail";
  return text;
}

void check(const RouterTiming& timing) {
  const auto within = [](const char* name, std::uint32_t value, std::uint32_t minimum) {
    if (value < minimum || value > RouterTiming::max_cycles)
      throw InvalidArgument(
          name, std::to_string(value),
          "from " + std::to_string(minimum) + " to " + std::to_string(RouterTiming::max_cycles));
  };
  within("router cycles", timing.router_cycles, 0);
  within("link cycles", timing.link_cycles, 1);
  within("credit cycles", timing.credit_cycles, timing.reallocate == Reallocate::tail ? 1 : 0);
}

}  // namespace tailbound::network
