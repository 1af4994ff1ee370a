#pragma once

#include <tailbound/core/quantity.hpp>

#include <string>
#include <string_view>

/// Answers as bytes, for parts of a run that are merged later, ranks that send them, and stores.
///
/// RESULT    the same answer to the last bit: both ends of enclosures with their precision, rationals exactly,
///           doubles bit for bit. Bytes are of this version of the program: they carry neither a version nor a
///           checksum, which whoever keeps them adds (sim/batches/checkpoint.hpp).
/// EXCLUDES  formulas (PgfAnswer)
/// TESTS     tests/answers/points/stored_test.cpp
namespace tailbound::sim {
struct SimulatedSaturation;
}

namespace tailbound::answers {

struct BufferAnswer;
struct OccupancyAnswer;
struct SharedBufferAnswer;
struct SizedBufferAnswer;
struct DelayAnswer;
struct ReorderAnswer;
struct LoadScaleAnswer;
struct MultistageAnswer;
struct WormholeAnswer;
struct BroadcastAnswer;
struct CompareAnswer;
struct SimulateTreeAnswer;
struct SimulateRareAnswer;
struct SimulateSwitchAnswer;
struct SimulateMultistageAnswer;
struct SimulatedWorms;
struct SimulateWormholeAnswer;
struct WormholeSaturationAnswer;
struct SimulatedBroadcasts;
struct SimulateHypercubeAnswer;
template <class Unit>
struct SaturationAnswer;
struct ValidateBufferAnswer;
struct ValidateDelayAnswer;
struct ValidateSwitchAnswer;
struct ValidateMultistageAnswer;
struct ValidateWormholeAnswer;
struct ValidateBroadcastAnswer;

/// Is there a way to bytes and back?
template <class Answer>
inline constexpr bool is_stored = false;

/// Defined in stored*.cpp, for each answer of which is_stored.
template <class Answer>
[[nodiscard]] std::string to_bytes(const Answer& answer);

/// \throws ParseError  bytes that are none of such an answer
template <class Answer>
[[nodiscard]] Answer from_bytes(std::string_view bytes);

template <>
inline constexpr bool is_stored<BufferAnswer> = true;
template <>
inline constexpr bool is_stored<OccupancyAnswer> = true;
template <>
inline constexpr bool is_stored<SharedBufferAnswer> = true;
template <>
inline constexpr bool is_stored<SizedBufferAnswer> = true;
template <>
inline constexpr bool is_stored<DelayAnswer> = true;
template <>
inline constexpr bool is_stored<ReorderAnswer> = true;
template <>
inline constexpr bool is_stored<LoadScaleAnswer> = true;
template <>
inline constexpr bool is_stored<MultistageAnswer> = true;
template <>
inline constexpr bool is_stored<WormholeAnswer> = true;
template <>
inline constexpr bool is_stored<BroadcastAnswer> = true;
template <>
inline constexpr bool is_stored<CompareAnswer> = true;
template <>
inline constexpr bool is_stored<SimulateTreeAnswer> = true;
template <>
inline constexpr bool is_stored<SimulateRareAnswer> = true;
template <>
inline constexpr bool is_stored<SimulateSwitchAnswer> = true;
template <>
inline constexpr bool is_stored<SimulateMultistageAnswer> = true;
template <>
inline constexpr bool is_stored<SimulatedWorms> = true;
template <>
inline constexpr bool is_stored<SimulateWormholeAnswer> = true;
template <>
inline constexpr bool is_stored<WormholeSaturationAnswer> = true;
template <>
inline constexpr bool is_stored<SimulatedBroadcasts> = true;
template <>
inline constexpr bool is_stored<SimulateHypercubeAnswer> = true;
template <>
inline constexpr bool is_stored<SaturationAnswer<unit::MessagesPerCycle>> = true;
template <>
inline constexpr bool is_stored<ValidateBufferAnswer> = true;
template <>
inline constexpr bool is_stored<ValidateDelayAnswer> = true;
template <>
inline constexpr bool is_stored<ValidateSwitchAnswer> = true;
template <>
inline constexpr bool is_stored<ValidateMultistageAnswer> = true;
template <>
inline constexpr bool is_stored<ValidateWormholeAnswer> = true;
template <>
inline constexpr bool is_stored<ValidateBroadcastAnswer> = true;

template <>
inline constexpr bool is_stored<sim::SimulatedSaturation> = true;

}  // namespace tailbound::answers
