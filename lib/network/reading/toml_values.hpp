#pragma once

#include <tailbound/network/reading/file_text.hpp>

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Values of a TOML file, with the place of each for messages. Of this folder's readers; toml++ stays within them.
/// Internal to the network module.
namespace tailbound::network {

inline Place begin_of(const toml::source_region& region) {
  return {region.begin.line, region.begin.column};
}
inline Place begin_of(const toml::node& node) {
  return begin_of(node.source());
}

/// The text of a number as it stands in the file, by its place. Places asked for one after the other lie
/// close to each other, so it walks from the last one, within a line.
class TokenFinder {
 public:
  explicit TokenFinder(std::string_view text);
  [[nodiscard]] std::string_view at(Place place);

 private:
  /// One character on or back.
  void step(int direction);

  std::string_view text_;
  std::vector<std::uint32_t> lines_;  ///< where each begins; a file has at most 64 MB
  Place place_;
  std::size_t offset_ = 0;
};

/// Without control characters.
[[nodiscard]] bool is_printable(std::string_view text);

/// Whatever is wrong is a ParseError with the place of the value.
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
  /// A whole number; `otherwise` if the key is left out. \param unit  said behind the range
  [[nodiscard]] std::int64_t whole(const toml::table& table, const char* key, std::int64_t otherwise,
                                   std::int64_t least, std::int64_t most, const char* what,
                                   const char* unit = "") const;
  /// A number as it is written.
  [[nodiscard]] std::string digits(const toml::node& node, const std::string& what);
  /// A share: above 0, at most 1. \pre count_senders() was called
  [[nodiscard]] Rational number(const toml::node& node, const std::string& what);
  /// What is sent: above 0, a speed too. \pre as number()
  [[nodiscard]] Rational rate(const toml::node& node, const std::string& what);

  /// The nodes are known: rates may be read.
  void count_senders(std::size_t nodes) { rates_.emplace(file_, nodes); }
  [[nodiscard]] RateReader& rates() { return *rates_; }

  /// Of a key that holds a list of tables; nothing where it is left out.
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

  /// What `work` refuses is refused with this place, but for limits.
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
