#pragma once

#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/fabric/switch_groups.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/reading/toml_values.hpp>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// The part of [traffic] in a network file that describes traffic in compact form. Used by network_file.cpp.
/// Internal to the network module.
namespace tailbound::network {

struct TrafficTables {
  std::vector<Demand> demands;
  std::optional<MatrixReference> matrix;
  std::vector<PairsReference> pairs;
};

/// Is it a single table with none of the keys of this file?
[[nodiscard]] bool is_plain(const toml::node& traffic);

/// Reads the route rules of a file; finds the groups for minimal and Valiant routes.
class RouteRules {
 public:
  /// \param network  complete except for its flows when the first rule is read
  /// \param usual    of traffic that names none
  RouteRules(const TomlValues& values, const Network& network, RouteRule usual)
      : values_(values), network_(network), usual_(usual) {}

  [[nodiscard]] RouteRule usual() const { return usual_; }

  /// \throws ParseError  not a rule, or minimal or Valiant routes without groups
  [[nodiscard]] RouteRule read(const toml::node& node);
  /// After a rule with knows_groups() was read.
  [[nodiscard]] const SwitchGroups& groups() const { return *groups_; }

 private:
  const TomlValues& values_;
  const Network& network_;
  RouteRule usual_;
  std::optional<SwitchGroups> groups_{};
};

[[nodiscard]] MatrixReference matrix_reference(const TomlValues& values, const toml::node& file,
                                               RouteRule rule, const char* key);

/// \param traffic  one table, or a list of tables
/// \param network  with all its links; node_of: the positions of its nodes; rules: of this network
/// \throws ParseError
[[nodiscard]] TrafficTables read_traffic_tables(TomlValues& values, const toml::node& traffic,
                                                const Network& network,
                                                const std::unordered_map<std::string, std::size_t>& node_of,
                                                RouteRules& rules);

}  // namespace tailbound::network
