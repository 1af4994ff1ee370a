#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/network/network.hpp>

#include <array>

/// The arrivals at each queue of a network, from its flows and routes.
///
/// MODEL     In every slot each source of the queue sends it at most one packet, with its rate as
///           probability, independently of all other sources:  A(z) = prod (1 - r + r z)^count. Flows with
///           bursts are additional on-off sources, with their on-rate times the fraction of packets that
///           passes the queue.
/// SOURCE    independent_sources: as if the traffic did not pass the upstream queues; first_hop: Singh and
///           Dally 2004, section IV, for `reproduce` only.
/// EXCLUDES  correlation between slots, except for that of bursts, and between queues.
namespace tailbound::network {

/// What counts as a source of a queue.
enum class Sources {
  independent_sources,  ///< every sending node, with the rate at which it sends through this queue
  first_hop,  ///< every link into the queue's switch (and the switch itself where it sends flows of its own),
              ///< with the rate at which it feeds this queue
};

/// `count` sources that send with probability `rate` each.
struct SourceRate {
  Rational rate;  ///< packets/slot, above 0, at most 1
  std::int64_t count = 1;
  friend bool operator==(const SourceRate&, const SourceRate&) = default;
};

/// `count` on-off sources. Each burst, as a whole, passes the queue with probability `share`.
struct BurstySource {
  traffic::OnOff source;  ///< with share 1, the load and on-rate that reach the queue
  std::int64_t count = 1;
  Rational share = 1;
  friend bool operator==(const BurstySource&, const BurstySource&) = default;
};

/// `count` sources that send at most one packet per slot each, of a class or of a higher one.
struct ClassSource {
  Rational higher, own;  ///< packets/slot of the higher classes, and of the class; at most 1 together
  std::int64_t count = 1;
  friend bool operator==(const ClassSource&, const ClassSource&) = default;
};

/// Traffic of one queue; with several classes, of one class.
struct QueueTraffic {
  std::string name;                    ///< of the queue's link
  LinkRate rate{};                     ///< rate of the link
  std::vector<SourceRate> sources;     ///< rates differ and ascend; empty if nothing passes
  Rational load;                       ///< of all sources, those with bursts included  [packets/slot]
  std::vector<BurstySource> bursts{};  ///< all different
  /// For a class that waits for higher ones, instead of `sources` and `bursts`; all different, by ascending
  /// rates.
  std::vector<ClassSource> classes{};
  std::int64_t ticks = 1;  ///< of one of its slots, where links differ in speed (clocks/link_clocks.hpp)
  /// Why no model of its delays exists; empty if one does.
  std::string no_model{};
};

/// A link with an offered load at or above its rate, or several such links with identical traffic.
struct OverloadedLink {
  std::string name;  ///< of the first of them
  Rational load;     ///< per link [packets/slot]
  Rational takes = 1;
  std::uint64_t identical = 1;
};

/// The offered load of a queue is at least the rate of its link, so the queue is unstable.
class Overloaded : public LoadTooHigh {
 public:
  /// \param all  at least one; the message names those with the highest utilization, and counts the rest
  explicit Overloaded(std::vector<OverloadedLink> all);
};

/// The load of every queue, of all classes together, is below the rate of its link.
/// \throws Overloaded  naming those where it is not
void require_capacity(const Network& network);

/// The traffic of each link's queue, in the order of Network::links. Links without a queue (that leave hosts)
/// have sources as well.
///
/// Bursts come at the speed of the link on which they leave their source, or if that is faster than the
/// queue's, at one packet per slot.
///
/// A node of several lanes counts as several sources of equal rates. With first_hop a link with a rate of c
/// packets per slot counts as c sources, c rounded up to a whole number.
///
/// COST  sorting the steps of all routes; 1 000 queues and 10 000 flows take milliseconds.
/// \throws InvalidArgument  the network is not as network.hpp requires (the message names the flow);
///                          first_hop, and a flow has bursts: the output of a link is then neither Bernoulli
///                          nor on-off
/// \throws NoAnswer         first_hop: a link would have to carry more traffic for a queue than its rate
[[nodiscard]] std::vector<QueueTraffic> queue_traffic(const Network& network, Sources sources);

/// The flows of the classes 1 .. `lowest`, and the network without the other flows, which delay none of
/// these.
[[nodiscard]] Network without_lower_classes(const Network& network, int lowest);

/// The same for the packets of one class. `load` is that of the class, and the sources are independent. For
/// queues that no higher class passes, as from queue_traffic().
/// \param lowest  the class, 2 .. 8
/// Where some packets of the class or of higher ones come in bursts, or the rate of the link is not 1, no
/// model exists (QueueTraffic::no_model).
/// \throws InvalidArgument  the network is not as network.hpp requires
[[nodiscard]] std::vector<QueueTraffic> class_traffic(const Network& network, int lowest);

}  // namespace tailbound::network
