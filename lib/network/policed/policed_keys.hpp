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

  /// units, clock_error and [[class]]
  void read_root(const toml::table& root);
  /// After all links and flows: is there a clock that errs?
  void check_clocks(const toml::table& root) const;
  static void add_root_keys(TomlValues::Keys& keys) {
    keys.insert(keys.end(), {"units", "class", "clock_error"});
  }
  static void add_link_keys(TomlValues::Keys& keys) {
    keys.insert(keys.end(),
                {"latency", "wire", "scheduler", "quantum", "idle_slope", "best_effort", "reshape", "gates",
                 "guard", "max_sdu", "gate_offset", "clock", "preemptable", "fragment", "cut_through"});
  }
  static void add_flow_keys(TomlValues::Keys& keys) {
    keys.insert(keys.end(), {"bucket", "class", "packet", "period", "jitter", "offset", "clock"});
  }

  /// From a [[link]]; its name is not known yet.
  [[nodiscard]] PolicedPort read_link(const toml::table& table);
  /// From a [[flow]]; its path is not known yet.
  [[nodiscard]] PolicedFlow read_flow(const toml::table& table, const std::string& what);

  [[nodiscard]] const PolicedUnits& units() const { return units_; }
  /// In units of data; 0 with packets.
  [[nodiscard]] const Rational& byte() const { return byte_; }
  /// Names, highest priority first; one class without [[class]].
  [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }

 private:
  [[nodiscard]] Rational positive(const toml::node& node, const std::string& what);
  [[nodiscard]] Rational not_negative(const toml::table& table, const char* key, const std::string& what);
  /// In size / time.
  [[nodiscard]] Rational rate(const toml::node& node, const std::string& what);
  [[nodiscard]] traffic::TokenBucket bucket(const toml::node& node, const std::string& what);
  /// A number for all classes, or a table { class = number, .. }.  \param all  are all classes needed? else 0
  [[nodiscard]] std::vector<Rational> of_classes(const toml::node& node, const std::string& what, bool rates,
                                                 std::size_t count, bool all = true);

  /// One class, or a list of them: [class] is it named?
  [[nodiscard]] std::vector<bool> some_classes(const toml::node& node, const std::string& what);
  void read_gates(const toml::table& table, PolicedPort& port);
  void read_preemption(const toml::table& table, PolicedPort& port);
  void read_packet(const toml::table& table, PolicedFlow& flow, const std::string& what);
  /// The bucket of a periodic flow.
  void read_period(const toml::table& table, PolicedFlow& flow, const std::string& what);

  TomlValues& values_;
  PolicedUnits units_{};
  Rational byte_ = 0;
  Rational rate_unit_ = 1;    ///< in size / time
  Rational clock_error_ = 0;  ///< [time]
  bool clocks_ = false;       ///< are there clocks?
  std::vector<std::string> classes_{"all"};
  bool named_ = false;  ///< are there [[class]] tables?
};

}  // namespace tailbound::network
