#pragma once

#include <tailbound/network/demands.hpp>
#include <tailbound/network/network_file.hpp>
#include <tailbound/network/toml_values.hpp>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// What stands under [traffic] in a network file, but for what has long stood there: traffic said in a few words.
/// Of network_file.cpp.
namespace tailbound::network {

struct TrafficTables {
  std::vector<Demand> demands;
  std::optional<MatrixReference> matrix;
  std::vector<PairsReference> pairs;
};

/// Is it one table that has none of the keys of this file?
[[nodiscard]] bool is_plain(const toml::node& traffic);

/// \param worms  these have no Valiant routes
[[nodiscard]] RouteRule route_rule(const TomlValues& values, const toml::node& node, bool worms);
[[nodiscard]] MatrixReference matrix_reference(const TomlValues& values, const toml::node& file,
                                               RouteRule rule, const char* key);

/// \param traffic  one table, or a list of tables
/// \param network  with all its links; node_of: the positions of its nodes
/// \throws ParseError
[[nodiscard]] TrafficTables read_traffic_tables(TomlValues& values, const toml::node& traffic,
                                                const Network& network,
                                                const std::unordered_map<std::string, std::size_t>& node_of);

}  // namespace tailbound::network
