#include <tailbound/answers/stored/stored_analyses.hpp>

namespace tailbound::answers {

template <>
std::string to_bytes(const BufferAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
BufferAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<BufferAnswer>(bytes);
}

template <>
std::string to_bytes(const OccupancyAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
OccupancyAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<OccupancyAnswer>(bytes);
}

template <>
std::string to_bytes(const SharedBufferAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
SharedBufferAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<SharedBufferAnswer>(bytes);
}

template <>
std::string to_bytes(const SizedBufferAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
SizedBufferAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<SizedBufferAnswer>(bytes);
}

template <>
std::string to_bytes(const DelayAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
DelayAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<DelayAnswer>(bytes);
}

template <>
std::string to_bytes(const ReorderAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
ReorderAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<ReorderAnswer>(bytes);
}

template <>
std::string to_bytes(const LoadScaleAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
LoadScaleAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<LoadScaleAnswer>(bytes);
}

template <>
std::string to_bytes(const MultistageAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
MultistageAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<MultistageAnswer>(bytes);
}

template <>
std::string to_bytes(const WormholeAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
WormholeAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<WormholeAnswer>(bytes);
}

template <>
std::string to_bytes(const BroadcastAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
BroadcastAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<BroadcastAnswer>(bytes);
}

template <>
std::string to_bytes(const CompareAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
CompareAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<CompareAnswer>(bytes);
}

}  // namespace tailbound::answers
