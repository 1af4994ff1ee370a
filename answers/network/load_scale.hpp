#pragma once

#include <tailbound/network/network.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Scaling the rates of all flows of a network.
///
/// TESTS     tests/answers/network/load_scale_test.cpp
namespace tailbound::answers {

/// The network with all rates multiplied by `factor`.
/// \throws InvalidArgument  a factor of 0 or below ("load scale"); a flow or a host would send more than it
///                          can
[[nodiscard]] network::Network scaled(network::Network network, const numeric::Rational& factor);

/// May the offered load of a queue reach or exceed the capacity of its link?
enum class Overload { rejected, allowed };

/// A limit on scaling the rates of a network.
struct ScaleLimit {
  enum class Kind {
    link,   ///< the offered load of a queue reaches the capacity of its link
    node,   ///< a node that sends a packet in every slot
    burst,  ///< a flow whose bursts come one slot apart
  };
  Kind kind = Kind::link;
  std::string name;          ///< of the link ("left -> right"), the node or the flow
  numeric::Rational load;    ///< of it in the unscaled network [packets/slot]
  numeric::Rational takes;   ///< the limit of that load
  numeric::Rational factor;  ///< takes / load
  std::uint64_t alike = 1;   ///< links or nodes that it stands for, the named one included

  /// Is the factor itself possible? Not for a link: its queue would grow without bound.
  [[nodiscard]] bool attained() const { return kind != Kind::link; }
  [[nodiscard]] bool allows(const numeric::Rational& scale) const {
    return attained() ? scale <= factor : scale < factor;
  }
  /// The state at the factor: "the link left -> right is full".
  [[nodiscard]] std::string in_words() const;
};

/// For each link with a queue on the route of a flow (unless overload is allowed), each node that sends, and
/// each flow with bursts, exactly; in order of increasing factors.
[[nodiscard]] std::vector<ScaleLimit> scale_limits(const network::Network& network,
                                                   Overload overload = Overload::rejected);

/// The first of them: the supremum of the factors.
/// \pre the network has flows
[[nodiscard]] ScaleLimit max_scale(const network::Network& network, Overload overload = Overload::rejected);

}  // namespace tailbound::answers
