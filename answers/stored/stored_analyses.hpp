#pragma once

#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/buffer/compare.hpp>
#include <tailbound/answers/buffer/occupancy.hpp>
#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/delay/solve_load_scale.hpp>
#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/points/stored_fields.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>

/// The fields of analyses' answers. Internal to the answers module.
namespace tailbound::answers::stored {

template <>
inline constexpr queue::Arithmetic last_of<queue::Arithmetic> = queue::Arithmetic::exact;
template <>
inline constexpr std::size_t field_count<queue::Method> = 2;
template <>
inline constexpr bounds::Computation::Route last_of<bounds::Computation::Route> =
    bounds::Computation::Route::modes;
template <>
inline constexpr std::size_t field_count<bounds::Computation> = 2;
template <>
inline constexpr std::size_t field_count<bounds::ComputedProbability> = 2;
template <>
inline constexpr std::size_t field_count<BufferAnswer> = 13;
template <>
inline constexpr std::size_t field_count<OccupancyLevel> = 3;
template <>
inline constexpr std::size_t field_count<OccupancyAnswer> = 3;
template <>
inline constexpr std::size_t field_count<SharedBufferAnswer> = 9;
template <>
inline constexpr std::size_t field_count<SharedBufferAnswer::Dedicated> = 2;
template <>
inline constexpr std::size_t field_count<SizeLoss> = 4;
template <>
inline constexpr std::size_t field_count<GeometricStandIn> = 4;
template <>
inline constexpr std::size_t field_count<SizedBufferAnswer> = 11;
template <>
inline constexpr std::size_t field_count<traffic::OnOff> = 4;
template <>
inline constexpr std::size_t field_count<network::SourceRate> = 2;
template <>
inline constexpr std::size_t field_count<network::BurstySource> = 3;
template <>
inline constexpr std::size_t field_count<network::QueueTraffic> = 5;
template <>
inline constexpr std::size_t field_count<bounds::Route> = 3;
template <>
inline constexpr std::size_t field_count<DelayFlow> = 8;
template <>
inline constexpr std::size_t field_count<DelayOmissions> = 3;
template <>
inline constexpr std::size_t field_count<DelayPaths> = 3;
template <template <class> class Truth>
inline constexpr std::size_t field_count<bounds::SlotProbabilityOf<Truth>> = 2;
template <template <class> class Truth>
inline constexpr std::size_t field_count<bounds::PercentileOf<Truth>> = 4;
template <template <class> class Truth>
inline constexpr std::size_t field_count<bounds::DelayAnswerOf<Truth>> = 5;
template <>
inline constexpr std::size_t field_count<bounds::ReorderBuffer> = 3;
template <>
inline constexpr std::size_t field_count<ReorderAnswer> = 4;
template <>
inline constexpr std::size_t field_count<bounds::ClaimedBufferSize> = 3;
template <>
inline constexpr Hops last_of<Hops> = Hops::bound;
template <>
inline constexpr std::size_t field_count<FlowDelay> = 6;
template <>
inline constexpr Agreement last_of<Agreement> = Agreement::pessimistic;
template <>
inline constexpr std::size_t field_count<CheckedLevel> = 5;
template <>
inline constexpr std::size_t field_count<CrossCheck> = 4;
template <>
inline constexpr std::size_t field_count<DelayAnswer> = 5;
template <>
inline constexpr ScaleLimit::Kind last_of<ScaleLimit::Kind> = ScaleLimit::Kind::burst;
template <>
inline constexpr std::size_t field_count<ScaleLimit> = 5;
template <>
inline constexpr std::size_t field_count<NearestToTarget> = 2;
template <>
inline constexpr std::size_t field_count<LoadScaleOfTarget> = 4;
template <>
inline constexpr std::size_t field_count<LoadScaleAnswer> = 3;
template <>
inline constexpr bounds::Stop last_of<bounds::Stop> = bounds::Stop::too_many_rounds;
template <>
inline constexpr std::size_t field_count<bounds::Ending> = 3;
template <>
inline constexpr std::size_t field_count<MultistageQueue> = 3;
template <>
inline constexpr std::size_t field_count<MultistageAnswer> = 9;
template <>
inline constexpr std::size_t field_count<WormholeChannel> = 6;
template <>
inline constexpr std::size_t field_count<WormholePoint> = 8;
template <>
inline constexpr std::size_t field_count<WormholeAnswer> = 9;
template <>
inline constexpr std::size_t field_count<BroadcastChannels> = 6;
template <>
inline constexpr std::size_t field_count<BroadcastPoint> = 9;
template <>
inline constexpr std::size_t field_count<BroadcastAnswer> = 3;
template <>
inline constexpr std::size_t field_count<ComparedCoefficient> = 4;
template <>
inline constexpr DisagreementCause last_of<DisagreementCause> = DisagreementCause::not_rounding;
template <>
inline constexpr std::size_t field_count<Disagreement> = 3;
template <>
inline constexpr std::size_t field_count<DigitsUpTo> = 2;
template <>
inline constexpr std::size_t field_count<CompareAnswer> = 6;

/// Queues are made of their traffic.
template <>
struct Form<bounds::NetworkQueues> {
  static void put(run::ByteWriter& to, const bounds::NetworkQueues& value) { stored::put(to, value.traffic); }
  static bounds::NetworkQueues get(run::ByteReader& from) {
    bounds::NetworkQueues queues{stored::get<std::vector<network::QueueTraffic>>(from), {}};
    for (const network::QueueTraffic& traffic : queues.traffic)
      queues.queues.push_back(bounds::hop_queue(traffic));
    return queues;
  }
};

}  // namespace tailbound::answers::stored
