#pragma once

#include <tailbound/bounds/guarantee/curves.hpp>
#include <tailbound/network/policed/policed_network.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// What can never happen in a network of policed flows: worst delays of flows, most data in queues.
///
/// MODEL     Store and forward. A FIFO port has one queue, any other one for each class. Delays run from a packet's last bit
///           in to its last bit out; the *variation* of a queue's delay leaves out the time that the shortest packet takes
///           to be sent.
/// RESULT    TFA+: curves hop by hop. Of a flow behind a queue: the curve before it, later by the queue's variation, or what
///           the FIFO residual lets out; of a group that goes on over one link the residual as well, and what the link can
///           carry. A flow's delay is the sum over its queues. SFA: its residual services in series, its burst paid once.
///           In packets and slots, without cycles and other schedulers, whole numbers (slotted_guarantee.hpp) as well.
///           The least of all. In cycles: variations x with F(x) <= x, found from below by rounding up, a certificate.
/// CONTRACT  proved upper bounds, exact fractions; where a network has more than 64 hops or cycles, rounded up to
///           multiples of 1/10^9 on the way.
/// SOURCE    docs/derivations/policed_traffic.md, sections 4 and 5
/// EXCLUDES  preemption, gates, several ways of a flow, best effort behind credit-based shapers
/// TESTS     tests/bounds/guarantee/network_guarantee_test.cpp
namespace tailbound::bounds {

using network::PolicedNetwork;

/// What an analysis uses: all, but for comparisons with others.
struct GuaranteeRules {
  bool lines = true;        ///< a link brings no more than it carries
  bool residuals = true;    ///< outputs by what FIFO leaves to a flow or a group
  bool whole_slots = true;  ///< whole numbers where there are packets and slots
};

/// How a flow's delay is bounded.
enum class GuaranteeMethod { best, tfa, sfa, slots };
[[nodiscard]] constexpr auto names_of(GuaranteeMethod) {
  return std::array{"best", "tfa", "sfa", "slots"};
}

struct QueueGuarantee {
  std::size_t port = 0;
  std::optional<std::size_t> traffic_class{};  ///< none: the queue of all classes
  Rational backlog;                            ///< never more [data]
  std::optional<std::int64_t>
      in_slots{};             ///< the same in whole packets, by bounds/guarantee/slotted_guarantee.hpp
  Rational delay, variation;  ///< never more [time]
  Rational load;              ///< of its flows, in the long run [data/time]
  ArrivalCurve arrivals{};
  ServiceCurve service{0, 1};
};

struct FlowGuarantee {
  /// Never later [time]; sfa and slots are none where they do not apply.
  std::optional<Rational> tfa{}, sfa{}, slots{};
  Rational least;                    ///< never earlier: all packets the shortest, and no wait [time]
  std::vector<std::size_t> queues;   ///< positions in NetworkGuarantee::queues, hop by hop
  std::vector<ArrivalCurve> curves;  ///< before each of them
  /// That each leaves to this flow; none where others take all.
  std::vector<std::optional<ServiceCurve>> residuals;

  /// By the method, or else by the best.
  [[nodiscard]] const Rational& delay(GuaranteeMethod method) const;
  /// tfa, sfa or slots
  [[nodiscard]] GuaranteeMethod used(GuaranteeMethod method) const;
};

/// All flows that go from one queue to another together.
struct GroupGuarantee {
  std::size_t queue = 0, next = 0;
  ArrivalCurve curve{};  ///< before the next
  ServiceCurve residual{0, 1};
};

struct NetworkGuarantee {
  std::vector<QueueGuarantee> queues;  ///< by port, then class
  std::vector<FlowGuarantee> flows;
  std::vector<GroupGuarantee> groups{};
  std::vector<std::size_t> cyclic{};  ///< queues whose variations need the certificate F(x) <= x
  long rounds = 0;                    ///< until it was found
  numeric::Integer denominator = 0;   ///< variations are multiples of 1/denominator; 0: exact
};

/// \throws InvalidArgument  a network that is not well formed; a quantum below the longest packet; idle slopes that take
///                          the whole link; a class without a guarantee
/// \throws NoAnswer         a port is offered more than it takes; no certificate for a network with cycles
[[nodiscard]] NetworkGuarantee guarantee(const PolicedNetwork& network, const GuaranteeRules& rules = {});

}  // namespace tailbound::bounds
