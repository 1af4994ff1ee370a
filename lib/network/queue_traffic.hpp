#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/network/network.hpp>

#include <array>

/// What arrives at each queue of a network, from its flows and routes.
///
/// MODEL     In every slot each source of the queue sends it a packet with its rate as probability, at most
///           one, independently of all the others:  A(z) = prod (1 - r + r z)^count. Flows with bursts are
///           on-off sources beside them, with their on-rate times the share of packets that passes there.
/// SOURCE    decoupled: the traffic upstream feeds the queue as if the queues upstream were not there;
///           first-hop: Singh and Dally 2004, section IV.
/// EXCLUDES  correlation between slots, but for that of bursts, and between queues.
namespace tailbound::network {

/// Who counts as a source of a queue.
enum class Sources {
  decoupled,  ///< every sending node, with the rate at which it sends through this queue
  first_hop,  ///< every link into the queue's switch (and the switch itself where it sends flows of its own),
              ///< with the rate at which it feeds this queue
};
[[nodiscard]] constexpr auto names_of(Sources) {
  return std::array{"decoupled", "first-hop"};
}

/// `count` sources that send with probability `rate` each.
struct SourceRate {
  Rational rate;  ///< packets/slot, above 0, at most 1
  std::int64_t count = 1;
  friend bool operator==(const SourceRate&, const SourceRate&) = default;
};

/// `count` on-off sources of which each burst, as a whole, comes to the queue with probability `share`.
struct BurstySource {
  traffic::OnOff source;  ///< with share 1, the load and on-rate that reach the queue
  std::int64_t count = 1;
  Rational share = 1;
  friend bool operator==(const BurstySource&, const BurstySource&) = default;
};

/// `count` sources that send at most one packet a slot each, of a class or of one that is served before it.
struct ClassSource {
  Rational higher, own;  ///< packets/slot of the classes before, and of the class; at most 1 together
  std::int64_t count = 1;
  friend bool operator==(const ClassSource&, const ClassSource&) = default;
};

/// Traffic of one queue; of packets of one class, where there are several.
struct QueueTraffic {
  std::string name;                    ///< of the queue's link
  LinkRate rate{};                     ///< what the link takes
  std::vector<SourceRate> sources;     ///< rates differ and rise; empty where nothing passes
  Rational load;                       ///< of all sources, those with bursts included  [packets/slot]
  std::vector<BurstySource> bursts{};  ///< all different
  /// Of a class that waits for others, in place of `sources` and `bursts`; all different, by rising rates.
  std::vector<ClassSource> classes{};
};

/// A link that is offered at least what it takes, or so many with equal traffic.
struct OverloadedLink {
  std::string name;  ///< of the first of them
  Rational load;     ///< of one [packets/slot]
  Rational takes = 1;
  std::uint64_t alike = 1;
};

/// A queue is offered at least what its link takes: it would grow for ever.
class Overloaded : public NoAnswer {
 public:
  /// \param all  at least one; the message names those with the greatest shares of what they take, and counts the rest
  explicit Overloaded(std::vector<OverloadedLink> all);
};

/// The traffic of each link's queue, in the order of Network::links; links without a queue (that leave
/// hosts) have sources too, for what they are worth.
///
/// A node of several lanes counts as so many sources of equal rates. Under first_hop so does a link that takes c packets a
/// slot, c rounded up to whole.
///
/// COST  sorting the steps of all routes; 1 000 queues and 10 000 flows take milliseconds.
/// \throws InvalidArgument  the network is not as network.hpp says (the message names the flow); first_hop,
///                          and a flow has bursts: what a link brings is then neither Bernoulli nor on-off
/// \throws NoAnswer         first_hop: a link would have to bring a queue more than it takes in a slot
[[nodiscard]] std::vector<QueueTraffic> queue_traffic(const Network& network, Sources sources);

/// The flows of the classes 1 .. `lowest`, and the network without the others: which delay none of these.
[[nodiscard]] Network without_lower_classes(const Network& network, int lowest);

/// The same of the packets of one class; `load` is that class's, and decoupled sources feed the queues. Where no packet of
/// a class before it passes, as queue_traffic() has it.
/// \param lowest  the class, 2 .. 8
/// \throws InvalidArgument  the network is not as network.hpp says
/// \throws NoAnswer         packets of the class and others before it meet at a link that takes several packets a slot, or
///                          some of them come in bursts
[[nodiscard]] std::vector<QueueTraffic> class_traffic(const Network& network, int lowest);

}  // namespace tailbound::network
