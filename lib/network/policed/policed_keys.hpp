#pragma once

#include <tailbound/network/policed/policed_file.hpp>
#include <tailbound/network/reading/toml_values.hpp>

#include <optional>
#include <string>
#include <vector>

/// The keys that exist only in files with policed flows. Internal to the network module.
namespace tailbound::network {

/// Reads these keys; errors are ParseErrors with their location.
class PolicedKeys {
 public:
  explicit PolicedKeys(TomlValues& values) : values_(values) {}

  /// units and [[class]]
  void read_root(const toml::table& root);
  static void add_root_keys(TomlValues::Keys& keys) { keys.insert(keys.end(), {"units", "class"}); }
  static void add_link_keys(TomlValues::Keys& keys) {
    keys.insert(keys.end(),
                {"latency", "wire", "scheduler", "quantum", "idle_slope", "best_effort", "reshape"});
  }
  static void add_flow_keys(TomlValues::Keys& keys) {
    keys.insert(keys.end(), {"bucket", "class", "packet"});
  }

  /// From a [[link]]; its name is not known yet.
  [[nodiscard]] PolicedPort read_link(const toml::table& table);
  /// From a [[flow]]; its path is not known yet.
  [[nodiscard]] PolicedFlow read_flow(const toml::table& table, const std::string& what);

  [[nodiscard]] const PolicedUnits& units() const { return units_; }
  /// Names, highest priority first; one class without [[class]].
  [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }

 private:
  [[nodiscard]] Rational positive(const toml::node& node, const std::string& what);
  [[nodiscard]] Rational not_negative(const toml::table& table, const char* key, const std::string& what);
  /// In size / time.
  [[nodiscard]] Rational rate(const toml::node& node, const std::string& what);
  [[nodiscard]] traffic::TokenBucket bucket(const toml::node& node, const std::string& what);
  /// A number for all classes, or a table { class = number, .. }.
  [[nodiscard]] std::vector<Rational> of_classes(const toml::node& node, const std::string& what, bool rates,
                                                 std::size_t count);

  TomlValues& values_;
  PolicedUnits units_{};
  Rational rate_unit_ = 1;  ///< in size / time
  std::vector<std::string> classes_{"all"};
  bool named_ = false;  ///< are there [[class]] tables?
};

}  // namespace tailbound::network
