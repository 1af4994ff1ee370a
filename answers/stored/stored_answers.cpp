#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/buffer/incast_event.hpp>
#include <tailbound/answers/buffer/occupancy.hpp>
#include <tailbound/answers/buffer/policed_buffer.hpp>
#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/answers/compare/compare.hpp>
#include <tailbound/answers/crossbar/crossbar.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/answers/delay/reorder.hpp>
#include <tailbound/answers/delay/solve_load_scale.hpp>
#include <tailbound/answers/guarantee/crossbar_guarantee.hpp>
#include <tailbound/answers/guarantee/headroom.hpp>
#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/answers/points/stored_fields.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/sim/worm/worm_saturation.hpp>

namespace tailbound::answers {
namespace stored {

template <>
inline constexpr queue::Arithmetic last_of<queue::Arithmetic> = queue::Arithmetic::exact;
template <>
inline constexpr bounds::Computation::Route last_of<bounds::Computation::Route> =
    bounds::Computation::Route::modes;
template <>
inline constexpr Hops last_of<Hops> = Hops::bound;
template <>
inline constexpr Agreement last_of<Agreement> = Agreement::overestimates;
template <>
inline constexpr DelayKind last_of<DelayKind> = DelayKind::simulated;
template <>
inline constexpr ScaleLimit::Kind last_of<ScaleLimit::Kind> = ScaleLimit::Kind::burst;
template <>
inline constexpr bounds::Stop last_of<bounds::Stop> = bounds::Stop::too_many_rounds;
template <>
inline constexpr DisagreementCause last_of<DisagreementCause> = DisagreementCause::not_rounding;
template <>
inline constexpr CoefficientsOf last_of<CoefficientsOf> = CoefficientsOf::distribution;
template <>
inline constexpr ListScale last_of<ListScale> = ListScale::weights;
template <>
inline constexpr LoadBasis last_of<LoadBasis> = LoadBasis::observed;

/// Queues are reconstructed from their traffic.
template <>
struct Form<bounds::NetworkQueues> {
  static void put(run::ByteWriter& to, const bounds::NetworkQueues& value) {
    stored::put(to, value.traffic);
    stored::put(to, value.fed_by_sources);
    stored::put(to, value.never_waits);
  }
  static bounds::NetworkQueues get(run::ByteReader& from) {
    bounds::NetworkQueues queues;
    queues.traffic = stored::get<std::vector<network::QueueTraffic>>(from);
    queues.fed_by_sources = stored::get<std::vector<char>>(from);
    queues.never_waits = stored::get<std::vector<char>>(from);
    for (const network::QueueTraffic& traffic : queues.traffic)
      queues.queues.push_back(bounds::hop_queue(traffic));
    return queues;
  }
};

/// The counts of a simulation stay where it ran.
template <>
struct Form<std::shared_ptr<const SimulatedDelays>> {
  static void put(run::ByteWriter&, const std::shared_ptr<const SimulatedDelays>&) {}
  static std::shared_ptr<const SimulatedDelays> get(run::ByteReader&) { return nullptr; }
};

}  // namespace stored

template <class Answer>
std::string to_bytes(const Answer& answer) {
  return stored::bytes_of(answer);
}
template <class Answer>
Answer from_bytes(std::string_view bytes) {
  return stored::answer_of<Answer>(bytes);
}

template std::string to_bytes(const BufferAnswer&);
template BufferAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<BufferAnswer>&);
template Row<BufferAnswer> from_bytes(std::string_view);
template std::string to_bytes(const OccupancyAnswer&);
template OccupancyAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<OccupancyAnswer>&);
template Row<OccupancyAnswer> from_bytes(std::string_view);
template std::string to_bytes(const CrossbarAnswer&);
template CrossbarAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<CrossbarAnswer>&);
template Row<CrossbarAnswer> from_bytes(std::string_view);
template std::string to_bytes(const IncastEventAnswer&);
template IncastEventAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<IncastEventAnswer>&);
template Row<IncastEventAnswer> from_bytes(std::string_view);
template std::string to_bytes(const SharedBufferAnswer&);
template SharedBufferAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<SharedBufferAnswer>&);
template Row<SharedBufferAnswer> from_bytes(std::string_view);
template std::string to_bytes(const SizedBufferAnswer&);
template SizedBufferAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<SizedBufferAnswer>&);
template Row<SizedBufferAnswer> from_bytes(std::string_view);
template std::string to_bytes(const CompareAnswer&);
template CompareAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<CompareAnswer>&);
template Row<CompareAnswer> from_bytes(std::string_view);
template std::string to_bytes(const DelayAnswer&);
template DelayAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<DelayAnswer>&);
template Row<DelayAnswer> from_bytes(std::string_view);
template std::string to_bytes(const ReorderAnswer&);
template ReorderAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<ReorderAnswer>&);
template Row<ReorderAnswer> from_bytes(std::string_view);
template std::string to_bytes(const PolicedBufferAnswer&);
template PolicedBufferAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<PolicedBufferAnswer>&);
template Row<PolicedBufferAnswer> from_bytes(std::string_view);
template std::string to_bytes(const CrossbarGuaranteeAnswer&);
template CrossbarGuaranteeAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<CrossbarGuaranteeAnswer>&);
template Row<CrossbarGuaranteeAnswer> from_bytes(std::string_view);
template std::string to_bytes(const HeadroomAnswer&);
template HeadroomAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<HeadroomAnswer>&);
template Row<HeadroomAnswer> from_bytes(std::string_view);
template std::string to_bytes(const LoadScaleAnswer&);
template LoadScaleAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<LoadScaleAnswer>&);
template Row<LoadScaleAnswer> from_bytes(std::string_view);
template std::string to_bytes(const FabricAnswer&);
template FabricAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<FabricAnswer>&);
template Row<FabricAnswer> from_bytes(std::string_view);
template std::string to_bytes(const MultistageAnswer&);
template MultistageAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<MultistageAnswer>&);
template Row<MultistageAnswer> from_bytes(std::string_view);
template std::string to_bytes(const WormholeAnswer&);
template WormholeAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<WormholeAnswer>&);
template Row<WormholeAnswer> from_bytes(std::string_view);
template std::string to_bytes(const BroadcastAnswer&);
template BroadcastAnswer from_bytes(std::string_view);
template std::string to_bytes(const Row<BroadcastAnswer>&);
template Row<BroadcastAnswer> from_bytes(std::string_view);
template std::string to_bytes(const sim::SimulatedSaturation&);
template sim::SimulatedSaturation from_bytes(std::string_view);

}  // namespace tailbound::answers
