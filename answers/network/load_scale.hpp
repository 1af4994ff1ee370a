#pragma once

#include <tailbound/network/network.hpp>

#include <string>
#include <vector>

/// A network whose flows all send more, or less.
///
/// TESTS     tests/answers/network/load_scale_test.cpp
namespace tailbound::answers {

/// The network with all rates times `factor`.
/// \throws InvalidArgument  a factor of 0 or below ("load scale"); a flow or a host would send more than it can
[[nodiscard]] network::Network scaled(network::Network network, const numeric::Rational& factor);

/// May a queue be offered as much as its link takes, and more?
enum class Overload { refused, allowed };

/// What keeps the rates of a network from being scaled further.
struct ScaleLimit {
  enum class Kind {
    link,   ///< a queue that is offered as much as its link takes
    node,   ///< a node that sends a packet in every slot
    burst,  ///< a flow whose bursts come one slot apart
  };
  Kind kind = Kind::link;
  std::string name;          ///< of the link ("left -> right"), the node or the flow
  numeric::Rational load;    ///< of it as the network is [packets/slot]
  numeric::Rational takes;   ///< the limit of that load
  numeric::Rational factor;  ///< takes / load

  /// Is the factor itself possible? Not of a link: its queue would grow for ever.
  [[nodiscard]] bool attained() const { return kind != Kind::link; }
  [[nodiscard]] bool allows(const numeric::Rational& scale) const {
    return attained() ? scale <= factor : scale < factor;
  }
  /// What is so at the factor: "the link left -> right is full".
  [[nodiscard]] std::string in_words() const;
};

/// Of each link with a queue that a flow passes (unless overload is allowed), each node that sends, and each flow
/// with bursts, exactly; factors rise.
[[nodiscard]] std::vector<ScaleLimit> scale_limits(const network::Network& network,
                                                   Overload overload = Overload::refused);

/// The first of them: the supremum of the factors.
/// \pre the network has flows
[[nodiscard]] ScaleLimit greatest_scale(const network::Network& network,
                                        Overload overload = Overload::refused);

}  // namespace tailbound::answers
