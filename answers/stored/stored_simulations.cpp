#include <tailbound/answers/stored/stored_simulations.hpp>

namespace tailbound::answers {

template <>
std::string to_bytes(const sim::SimulatedSaturation& found) {
  return stored::bytes_of(found);
}
template <>
sim::SimulatedSaturation from_bytes(std::string_view bytes) {
  return stored::answer_of<sim::SimulatedSaturation>(bytes);
}

template <>
std::string to_bytes(const SimulateTreeAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
SimulateTreeAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<SimulateTreeAnswer>(bytes);
}

template <>
std::string to_bytes(const SimulateRareAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
SimulateRareAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<SimulateRareAnswer>(bytes);
}

template <>
std::string to_bytes(const SimulateSwitchAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
SimulateSwitchAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<SimulateSwitchAnswer>(bytes);
}

template <>
std::string to_bytes(const SimulateMultistageAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
SimulateMultistageAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<SimulateMultistageAnswer>(bytes);
}

template <>
std::string to_bytes(const SimulatedWorms& answer) {
  return stored::bytes_of(answer);
}
template <>
SimulatedWorms from_bytes(std::string_view bytes) {
  return stored::answer_of<SimulatedWorms>(bytes);
}

template <>
std::string to_bytes(const SimulateWormholeAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
SimulateWormholeAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<SimulateWormholeAnswer>(bytes);
}

template <>
std::string to_bytes(const WormholeSaturationAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
WormholeSaturationAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<WormholeSaturationAnswer>(bytes);
}

template <>
std::string to_bytes(const SimulatedBroadcasts& answer) {
  return stored::bytes_of(answer);
}
template <>
SimulatedBroadcasts from_bytes(std::string_view bytes) {
  return stored::answer_of<SimulatedBroadcasts>(bytes);
}

template <>
std::string to_bytes(const SimulateHypercubeAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
SimulateHypercubeAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<SimulateHypercubeAnswer>(bytes);
}

template <>
std::string to_bytes(const SaturationAnswer<unit::MessagesPerCycle>& answer) {
  return stored::bytes_of(answer);
}
template <>
SaturationAnswer<unit::MessagesPerCycle> from_bytes(std::string_view bytes) {
  return stored::answer_of<SaturationAnswer<unit::MessagesPerCycle>>(bytes);
}

}  // namespace tailbound::answers
