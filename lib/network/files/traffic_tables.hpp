#pragma once

#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/fabric/switch_groups.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/reading/toml_values.hpp>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// What stands under [traffic] in a network file, but for what has long stood there: traffic said in a few words.
/// Of network_file.cpp.
/// Internal to the network module.
namespace tailbound::network {

struct TrafficTables {
  std::vector<Demand> demands;
  std::optional<MatrixReference> matrix;
  std::vector<PairsReference> pairs;
};

/// Is it one table that has none of the keys of this file?
[[nodiscard]] bool is_plain(const toml::node& traffic);

/// Reads the rules by which a file has its ways found; for minimal and Valiant routes it looks for the groups.
class RouteRules {
 public:
  /// \param network  complete but for its flows when the first rule is read
  RouteRules(const TomlValues& values, const Network& network) : values_(values), network_(network) {}

  /// \throws ParseError  no rule, or minimal or Valiant routes where there are no groups
  [[nodiscard]] RouteRule read(const toml::node& node);
  /// After a rule that knows_groups() was read.
  [[nodiscard]] const SwitchGroups& groups() const { return *groups_; }

 private:
  const TomlValues& values_;
  const Network& network_;
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
