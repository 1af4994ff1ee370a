#include <tailbound/answers/stored/stored_analyses.hpp>
#include <tailbound/answers/stored/stored_simulations.hpp>
#include <tailbound/answers/validation/validate_broadcast.hpp>
#include <tailbound/answers/validation/validate_buffer.hpp>
#include <tailbound/answers/validation/validate_delay.hpp>
#include <tailbound/answers/validation/validate_multistage.hpp>
#include <tailbound/answers/validation/validate_switch.hpp>
#include <tailbound/answers/validation/validate_wormhole.hpp>

namespace tailbound::answers {
namespace stored {

template <class Unit>
inline constexpr std::size_t field_count<Comparison<Unit>> = 4;
template <>
inline constexpr Optimistic last_of<Optimistic> = Optimistic::above;
template <>
inline constexpr std::size_t field_count<ComparedOccupancy> = 2;
template <>
inline constexpr std::size_t field_count<ValidateBufferAnswer> = 5;
template <>
inline constexpr std::size_t field_count<ComparedDelay> = 2;
template <>
inline constexpr std::size_t field_count<ComparedPercentile> = 2;
template <>
inline constexpr std::size_t field_count<ComparedLatency> = 2;
template <>
inline constexpr std::size_t field_count<ValidateDelayAnswer> = 10;
template <class Unit>
inline constexpr std::size_t field_count<ComparedVariants<Unit>> = 2;
template <>
inline constexpr std::size_t field_count<ValidateMultistageAnswer> = 8;
template <>
inline constexpr std::size_t field_count<ComparedMemory> = 4;
template <>
inline constexpr std::size_t field_count<ValidateSwitchAnswer> = 5;
template <>
inline constexpr std::size_t field_count<WormholeModelled> = 2;
template <>
inline constexpr std::size_t field_count<WormholeComparison> = 3;
template <>
inline constexpr BroadcastQuantity last_of<BroadcastQuantity> = BroadcastQuantity::broadcast_latency;
template <>
inline constexpr std::size_t field_count<BroadcastComparison> = 4;
template <>
inline constexpr std::size_t field_count<ValidateBroadcastAnswer> = 5;

template <>
inline constexpr std::size_t field_count<Tally::Counts> = 4;
template <>
struct Form<Tally> {
  static void put(run::ByteWriter& to, const Tally& value) { stored::put(to, value.counts()); }
  static Tally get(run::ByteReader& from) { return Tally(stored::get<Tally::Counts>(from)); }
};

/// Without its model, which model_curve() makes anew.
template <>
struct Form<ValidateWormholeAnswer> {
  static void put(run::ByteWriter& to, const ValidateWormholeAnswer& value) {
    stored::put(to, value.simulation);
    stored::put(to, value.modelled);
    stored::put(to, value.rows);
    stored::put(to, value.tally);
  }
  static ValidateWormholeAnswer get(run::ByteReader& from) {
    ValidateWormholeAnswer answer;
    answer.simulation = stored::get<SimulateWormholeAnswer>(from);
    answer.modelled = stored::get<WormholeModelled>(from);
    answer.rows = stored::get<std::vector<WormholeComparison>>(from);
    answer.tally = stored::get<Tally>(from);
    return answer;
  }
};

}  // namespace stored

template <>
std::string to_bytes(const ValidateBufferAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
ValidateBufferAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<ValidateBufferAnswer>(bytes);
}

template <>
std::string to_bytes(const ValidateDelayAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
ValidateDelayAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<ValidateDelayAnswer>(bytes);
}

template <>
std::string to_bytes(const ValidateSwitchAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
ValidateSwitchAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<ValidateSwitchAnswer>(bytes);
}

template <>
std::string to_bytes(const ValidateMultistageAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
ValidateMultistageAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<ValidateMultistageAnswer>(bytes);
}

template <>
std::string to_bytes(const ValidateWormholeAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
ValidateWormholeAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<ValidateWormholeAnswer>(bytes);
}

template <>
std::string to_bytes(const ValidateBroadcastAnswer& answer) {
  return stored::bytes_of(answer);
}
template <>
ValidateBroadcastAnswer from_bytes(std::string_view bytes) {
  return stored::answer_of<ValidateBroadcastAnswer>(bytes);
}

}  // namespace tailbound::answers
