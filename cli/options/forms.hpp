#pragma once

#include <cli/options/options.hpp>

#include <string>
#include <string_view>
#include <vector>

/// Which options go together. A command with several forms of query declares the options of all forms; a
/// table has for each form those that act in it. Any other option that is given is an error, one that is new
/// as well: none is accepted and ignored.
namespace tailbound::cli {

/// An option as given; no text for a flag.
struct GivenOption {
  std::string_view name;
  const std::string* text = nullptr;
};
/// Those of a command, in the order of its table, which must outlive them.
[[nodiscard]] std::vector<GivenOption> given_options(const OptionTable& table);

/// Lists of names are separated by spaces: "--load --inputs".
[[nodiscard]] bool lists(std::string_view names, std::string_view name);

/// An option that acts with its default only, so that stating it changes nothing.
struct OnlyValue {
  const char *option, *value;
  const char* reason = "";
};
/// Why some options do not act.
struct WhyNot {
  const char *options, *reason;
};
struct Form {
  const char* option;  ///< that selects it, as in messages: "--police"
  std::string acts;    ///< options that act
  std::vector<OnlyValue> only{};
  std::vector<WhyNot> because{};
  const char* otherwise = "";  ///< the reason for all others
};
/// Options that are of no use without another one.
struct OptionNeeds {
  const char *options, *needed;  ///< as in messages: "--police R,B"; its first word is the option
};

/// \throws InvalidArgument  names the first given option that needs another, or else the first that does not
///                          act in the form
void require_acting(const std::vector<GivenOption>& given, const Form& form,
                    const std::vector<OptionNeeds>& needed = {});
/// \throws Misuse  needs(), as above
void require_needed(const std::vector<GivenOption>& given, const std::vector<OptionNeeds>& needed);

}  // namespace tailbound::cli
