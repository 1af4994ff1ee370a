#pragma once

#include <tailbound/network/network.hpp>

#include <string>

/// A network whose flows all send more, or less.
namespace tailbound::answers {

/// The network with all rates times `factor`.
/// \throws InvalidArgument  a factor of 0 or below ("load scale"); a flow or a host would send more than it can
[[nodiscard]] network::Network scaled(network::Network network, const numeric::Rational& factor);

/// How far the rates of a network may be scaled.
struct GreatestScale {
  numeric::Rational factor;  ///< below it no queue grows for ever, and no host sends more than it can
  std::string at;            ///< the link that is full there, or the host: "left -> right", "host camera"
};

[[nodiscard]] GreatestScale greatest_scale(const network::Network& network);

}  // namespace tailbound::answers
