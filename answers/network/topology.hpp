#pragma once

#include <tailbound/network/network.hpp>
#include <tailbound/network/tree.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Where packets go: a tree under uniform traffic, or any network with flows of its own. The same for analysis
/// and simulation.
namespace tailbound::answers {

struct TreeTopology {
  network::Tree tree;
  numeric::Rational load;  ///< that each leaf sends [packets/slot]
  network::TreeRouting routing = network::TreeRouting::random_root;
  std::optional<traffic::Burst>
      burst{};  ///< how each leaf's packets bunch; without, its slots are independent
  traffic::Destination destination = traffic::Destination::per_burst;  ///< of the packets of a burst
  /// Of one level: loads of all classes, that served first in front; then `load` is that of the class asked about.
  std::vector<numeric::Rational> classes{};
  int priority = 1;  ///< of that class

  /// Do its packets wait for those of other classes?
  [[nodiscard]] bool waits_for_others() const { return priority > 1; }
  /// Are there bursts whose packets take one path each?
  [[nodiscard]] bool bursts_keep_path() const {
    return burst.has_value() && destination == traffic::Destination::per_burst;
  }
};

struct NetworkTopology {
  network::Network network;             ///< as network::require_valid() wants it
  std::string file{};                   ///< that it was read from; empty if from none
  std::optional<std::string> matrix{};  ///< file of flows that was asked for beside it
  std::optional<numeric::Rational>
      uniform{};  ///< that each host sends [packets/slot], where its flows are uniform traffic asked for beside it
  std::optional<numeric::Rational> load_scale{};  ///< that its rates have been multiplied by

  std::vector<std::string> without{};  ///< what was asked to fail beside what the file says

  /// What the network calls itself, else its file.
  [[nodiscard]] const std::string& name() const { return network.name.empty() ? file : network.name; }
};

using Topology = std::variant<TreeTopology, NetworkTopology>;

}  // namespace tailbound::answers
