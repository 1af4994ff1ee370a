#pragma once

#include <tailbound/answers/broadcast/simulate_hypercube.hpp>
#include <tailbound/answers/multistage/simulate_multistage.hpp>
#include <tailbound/answers/points/stored_fields.hpp>
#include <tailbound/answers/simulation/simulate_rare.hpp>
#include <tailbound/answers/simulation/simulate_switch.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/wormhole/simulate_wormhole.hpp>

/// The fields of simulations' answers. Internal to the answers module.
namespace tailbound::answers::stored {

template <>
inline constexpr std::size_t field_count<sim::RunPlan> = 5;
template <>
inline constexpr std::size_t field_count<sim::RunResult> = 4;
template <>
inline constexpr std::size_t field_count<Simulated> = 3;
template <>
inline constexpr std::size_t field_count<run::Crew> = 2;
template <>
inline constexpr run::Crew::Kind last_of<run::Crew::Kind> = run::Crew::Kind::parts;
template <>
inline constexpr std::size_t field_count<sim::LevelEstimate> = 3;
template <>
inline constexpr std::size_t field_count<SimulatedQueue> = 9;
template <>
inline constexpr std::size_t field_count<SimulatedFlow> = 3;
template <>
inline constexpr std::size_t field_count<SimulatedPercentile> = 4;
template <>
inline constexpr std::size_t field_count<SimulateTreeAnswer> = 10;
template <>
inline constexpr RareMethod last_of<RareMethod> = RareMethod::splitting;
template <>
inline constexpr std::size_t field_count<SimulateRareAnswer> = 4;
template <>
inline constexpr std::size_t field_count<sim::SwitchOutput> = 5;
template <>
inline constexpr std::size_t field_count<sim::SwitchPackets> = 4;
template <>
inline constexpr std::size_t field_count<sim::SwitchEstimates> = 12;
template <>
inline constexpr std::size_t field_count<SwitchLevel> = 4;
template <>
inline constexpr std::size_t field_count<SimulateSwitchAnswer> = 4;
template <>
inline constexpr std::size_t field_count<sim::MultistageStage> = 2;
template <>
inline constexpr std::size_t field_count<SimulateMultistageAnswer> = 8;
template <>
inline constexpr std::size_t field_count<sim::SourceShortfall> = 7;
template <>
inline constexpr std::size_t field_count<sim::WormStability> = 5;
template <>
inline constexpr std::size_t field_count<sim::SaturationProbe> = 3;
template <>
inline constexpr std::size_t field_count<sim::SimulatedSaturation> = 6;
template <>
inline constexpr std::size_t field_count<sim::SaturationSearch> = 7;
template <class Unit>
inline constexpr std::size_t field_count<ChannelLimit<Unit>> = 2;
template <class Unit>
inline constexpr std::size_t field_count<SaturationAnswer<Unit>> = 5;
template <>
inline constexpr std::size_t field_count<sim::WormPercentile> = 2;
template <>
inline constexpr std::size_t field_count<sim::WormChannelUse> = 4;
template <>
inline constexpr std::size_t field_count<sim::WormEstimates> = 11;
template <>
inline constexpr std::size_t field_count<WormholeLayout> = 3;
template <>
inline constexpr std::size_t field_count<SimulatedWorms> = 4;
template <>
inline constexpr std::size_t field_count<SimulateWormholeAnswer> = 7;
template <>
inline constexpr std::size_t field_count<sim::BroadcastPercentile> = 3;
template <>
inline constexpr std::size_t field_count<sim::DimensionUse> = 2;
template <>
inline constexpr std::size_t field_count<sim::BroadcastEstimates> = 18;
template <>
inline constexpr std::size_t field_count<SimulatedBroadcasts> = 4;
template <>
inline constexpr std::size_t field_count<SimulateHypercubeAnswer> = 3;

template <>
struct Form<WormholeSaturationAnswer> {
  using Found = SaturationAnswer<unit::FlitsPerCycle>;
  static void put(run::ByteWriter& to, const WormholeSaturationAnswer& value) {
    stored::put<Found>(to, value);
    stored::put(to, value.layout);
  }
  static WormholeSaturationAnswer get(run::ByteReader& from) {
    Found found = stored::get<Found>(from);
    return {{std::move(found)}, stored::get<WormholeLayout>(from)};
  }
};

}  // namespace tailbound::answers::stored
