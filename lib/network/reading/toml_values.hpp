#pragma once

#include <tailbound/network/reading/file_text.hpp>

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Values of a TOML file with their locations for messages. Used by the readers of this folder; toml++ is not
/// visible outside of them.
/// Internal to the network module.
namespace tailbound::network {

inline Place begin_of(const toml::source_region& region) {
  return {region.begin.line, region.begin.column};
}
inline Place begin_of(const toml::node& node) {
  return begin_of(node.source());
}

/// The text of a number as written, by its location. Successive locations are close to each other, so the
/// search continues from the last one, within a line.
class TokenFinder {
 public:
  explicit TokenFinder(std::string_view text);
  [[nodiscard]] std::string_view at(Place place);

 private:
  /// One character forward or back.
  void step(int direction);

  std::string_view text_;
  std::vector<std::uint32_t> lines_;  ///< where each line begins; a file has at most 64 MB
  Place place_;
  std::size_t offset_ = 0;
};

/// Has no control characters.
[[nodiscard]] bool is_printable(std::string_view text);

/// Errors are ParseErrors with the location of the value.
class TomlValues {
 public:
  using Keys = std::vector<std::string_view>;

  TomlValues(std::string_view toml, const std::string& name);

  [[noreturn]] void fail(Place place, const std::string& what) const { file_.fail(place, what); }
  [[nodiscard]] toml::table parse() const;
  void check_keys(const toml::table& table, const std::string& what, const Keys& legal) const;
  [[nodiscard]] const toml::node& need(const toml::table& table, const char* key,
                                       const std::string& what) const;
  [[nodiscard]] std::string text(const toml::node& node, const std::string& what) const;
  /// 1 to 200 bytes without control characters.
  [[nodiscard]] std::string name(const toml::node& node, const std::string& what) const;
  [[nodiscard]] bool yes(const toml::table& table, const char* key) const;
  /// A whole number; `otherwise` if the key is missing. \param unit  added after the range
  [[nodiscard]] std::int64_t whole(const toml::table& table, const char* key, std::int64_t otherwise,
                                   std::int64_t minimum, std::int64_t maximum, const char* what,
                                   const char* unit = "") const;
  /// A number as written.
  [[nodiscard]] std::string digits(const toml::node& node, const std::string& what);
  /// A share: above 0, at most 1. \pre count_senders() was called
  [[nodiscard]] Rational number(const toml::node& node, const std::string& what);
  /// A rate: above 0, or a speed. \pre as number()
  [[nodiscard]] Rational rate(const toml::node& node, const std::string& what);

  /// Call once the nodes are known; rates may be read afterwards.
  void count_senders(std::size_t nodes) { rates_.emplace(file_, nodes); }
  [[nodiscard]] RateReader& rates() { return *rates_; }

  /// For a key with a list of tables; does nothing if it is missing.
  template <class Take>
  void for_each_table(const toml::table& root, const char* key, Take take) const {
    const toml::node* list = root.get(key);
    if (list == nullptr) return;
    const std::string how = in_quotes(key) + " must be a list of tables: [[" + std::string(key) + "]]";
    if (!list->is_array()) fail(begin_of(*list), how);
    for (const toml::node& entry : *list->as_array()) {
      if (!entry.is_table()) fail(begin_of(entry), how);
      take(*entry.as_table());
    }
  }

  /// Errors of `work`, except for limits, become errors with this location.
  template <class Work>
  auto at_place(Place place, Work work) const {
    try {
      return work();
    } catch (const InvalidArgument& error) {
      fail(place, error.what());
    } catch (const LimitExceeded&) {
      throw;
    } catch (const NoAnswer& error) {
      fail(place, error.what());
    }
  }

 private:
  FileText file_;
  TokenFinder tokens_;
  std::optional<RateReader> rates_;
};

}  // namespace tailbound::network
