#pragma once

#include <tailbound/core/choice.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/numeric/text/quantity.hpp>
#include <tailbound/options/option_table.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Conversion of option texts to values, shared by all readers of options.
namespace tailbound::options {

using numeric::is_list;
using numeric::parse_integer;
using numeric::parse_integers;
using numeric::parse_list;
using numeric::parse_percent_list;
using numeric::parse_quantities;
using numeric::parse_quantity;
using numeric::parse_share;
using numeric::parse_whole_quantities;
using numeric::parse_whole_quantity;
using numeric::plain;
using numeric::to_integer;

/// An option and its value, if given.
using Named = std::pair<const char*, const std::optional<std::string>*>;

/// An option that is missing, or does not go with another one. Its message is a sentence of its own.
class Misuse : public InvalidArgument {
 public:
  /// \param value, legal  as of InvalidArgument, for programs
  Misuse(std::string option, std::string value, std::string legal, const std::string& sentence)
      : InvalidArgument(std::move(option), std::move(value), std::move(legal)), sentence_(sentence) {}
  [[nodiscard]] const char* what() const noexcept override { return sentence_.what(); }

 private:
  std::runtime_error sentence_;
};
/// "--load is not allowed with --rates: each describes the traffic by itself"
[[nodiscard]] Misuse not_allowed_with(const std::string& option, const std::string& other,
                                      const std::string& reason = {});
/// "--title needs --plot FILE: reason"
[[nodiscard]] Misuse needs(const std::string& option, const std::string& other,
                           const std::string& reason = {});
/// "--burst is missing: the mean burst length in slots, such as 16"
[[nodiscard]] Misuse missing(const std::string& option, const std::string& what);

/// \throws Misuse  not_allowed_with(), of the first of these that was given
void reject_with(std::initializer_list<Named> options, const std::string& other,
                 const std::string& reason = {});
/// \throws Misuse  needs(), of the first of these that was given
void reject_without(std::initializer_list<Named> options, const std::string& other,
                    const std::string& reason = {});

/// The text of an option that must be given.
/// \throws Misuse  missing(): it was not
[[nodiscard]] const std::string& required(const std::optional<std::string>& text, const char* option,
                                          const std::string& what);

/// The integers of a list; `only `usual` if the option was not given.  \throws InvalidArgument
[[nodiscard]] std::vector<std::int64_t> integers_or(std::int64_t usual,
                                                    const std::optional<std::string>& text,
                                                    std::string_view option, std::int64_t minimum,
                                                    std::int64_t largest);

/// The size of what a buffer is counted in, for buffers given in bytes.
struct PacketUnit {
  std::optional<std::int64_t> bytes{};    ///< of a packet or cell
  const char* option = "--packet-bytes";  ///< that gives it
};
/// Numbers of packets from a list; none if the option was not given. With a unit, such as 12MB, as many as
/// fit into so many bytes.  \throws InvalidArgument
[[nodiscard]] std::vector<Packets> packets_of(const std::optional<std::string>& text, std::string_view option,
                                              std::int64_t minimum, std::int64_t largest,
                                              const PacketUnit& unit = {});
/// The same for an option that must be given, in other types.
[[nodiscard]] std::vector<std::int64_t> counts_of(const std::string& text, std::string_view option,
                                                  std::int64_t minimum, std::int64_t largest,
                                                  const PacketUnit& unit = {});

/// I and N of "I/N": part I of N, I from 1.  \throws InvalidArgument
[[nodiscard]] std::pair<std::int64_t, std::int64_t> parse_part(const std::string& text, const char* option,
                                                               std::int64_t maximum);

/// The meanings of the names in a list, in its order; the first of `meanings` if the option was not given.
/// \throws InvalidArgument  names the first unknown one
template <class Meaning>
[[nodiscard]] std::vector<Meaning> choices_or_first(const std::optional<std::string>& text,
                                                    std::string_view option,
                                                    const Meanings<Meaning>& meanings) {
  if (!text) return {meanings.front().second};
  std::vector<Meaning> chosen;
  for (const std::size_t choice : parse_choices(*text, option, meaning_names(meanings)))
    chosen.push_back(meanings[choice].second);
  return chosen;
}
/// The same for an enumeration (core/choice.hpp): its first value if the option was not given.
template <class Enumeration>
[[nodiscard]] std::vector<Enumeration> choices_or_first(const std::optional<std::string>& text,
                                                        std::string_view option) {
  if (!text) return {Enumeration{}};
  std::vector<Enumeration> chosen;
  for (const std::size_t choice : parse_choices(*text, option, all_names<Enumeration>()))
    chosen.push_back(static_cast<Enumeration>(choice));
  return chosen;
}
/// One of them.
template <class Meaning>
[[nodiscard]] Meaning choice_of(const std::string& text, std::string_view option,
                                const Meanings<Meaning>& meanings) {
  return meanings[parse_choice(text, option, meaning_names(meanings))].second;
}
template <class Enumeration>
[[nodiscard]] Enumeration choice_of(const std::string& text, std::string_view option) {
  return static_cast<Enumeration>(parse_choice(text, option, all_names<Enumeration>()));
}

/// Each entry of a given list, or a single empty one.
template <class Value>
[[nodiscard]] std::vector<std::optional<Value>> each_or_none(bool given, const std::vector<Value>& values) {
  if (!given) return {std::nullopt};
  return {values.begin(), values.end()};
}

}  // namespace tailbound::options
