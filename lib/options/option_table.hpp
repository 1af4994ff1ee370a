#pragma once

#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The options of a command, declared once: the command line is parsed into them, the help lists them, and
/// other programs list and set them by name.
namespace tailbound::options {

/// Range of a slider for an option: from `minimum` to `maximum` in steps. For powers of ten these are
/// exponents.
struct Slider {
  double minimum, maximum, step;
  bool powers_of_ten = false;
};

/// Values of an option, for forms, completion and other programs.
struct Values {
  std::vector<std::string> choices{};  ///< the names that it accepts; empty if it takes other values
  std::optional<Slider> slider{};      ///< for a number: the range of interest, not the legal range
  std::string legal{};                 ///< of other values, completing "it must be"; empty if any is legal
};
/// The names of an enumeration (core/choice.hpp).
template <class Enumeration>
[[nodiscard]] Values choices() {
  return {.choices = all_names<Enumeration>()};
}
/// "a, b or c (default a)"
[[nodiscard]] inline std::string with_default(const std::vector<std::string>& names) {
  return in_words(names) + " (default " + names.front() + ")";
}
/// All of them for a help: "poisson or bernoulli (default poisson)".
template <class Enumeration>
[[nodiscard]] std::string choices_in_words() {
  return with_default(all_names<Enumeration>());
}
/// Names that an option accepts, with their meanings; the default first.
template <class Meaning>
using Meanings = std::vector<std::pair<std::string, Meaning>>;
template <class Meaning>
[[nodiscard]] std::vector<std::string> meaning_names(const Meanings<Meaning>& meanings) {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : meanings) names.push_back(name);
  return names;
}
template <class Meaning>
[[nodiscard]] Values choices(const Meanings<Meaning>& meanings) {
  return {.choices = meaning_names(meanings)};
}
[[nodiscard]] inline Values slider(double minimum, double maximum, double step) {
  return {.slider = Slider{.minimum = minimum, .maximum = maximum, .step = step}};
}
/// Of values whose range another place checks.
[[nodiscard]] inline Values must_be(std::string legal, Values values = {}) {
  values.legal = std::move(legal);
  return values;
}
/// 10^`minimum` to 10^`maximum`.
[[nodiscard]] inline Values powers_of_ten(double minimum, double maximum) {
  return {.slider = Slider{.minimum = minimum, .maximum = maximum, .step = 1, .powers_of_ten = true}};
}

/// One option, and the destination of its value: exactly one of `text`, `flag` and `words`.
struct Option {
  std::string name;  ///< "--load"; "FILE" for an argument without a name
  std::string type;  ///< placeholder of the value in the help: "LIST"; empty for a flag
  /// A phrase, then a line end and details, if any. The first line fits a screen of 80 columns (-h).
  std::string help;
  std::string group;  ///< heading in the help; empty: that of all others
  bool required = false;
  std::optional<std::string>* text = nullptr;
  bool* flag = nullptr;
  std::vector<std::string>* words = nullptr;  ///< `minimum` to `maximum` words
  int minimum = 0, maximum = 0;
  Values values{};
  std::string usual{};   ///< the default, as typed; empty if it has none or the help describes it in words
  bool repeats = false;  ///< of a text: given several times, it is their list, separated by semicolons

  [[nodiscard]] bool given() const;
  [[nodiscard]] bool names_file() const { return type == "FILE" || name == "FILE"; }
  /// Follows its command without a name of its own: FILE.
  [[nodiscard]] bool is_argument() const { return name.rfind("--", 0) != 0; }
  /// Sets it as if typed; words are separated by spaces.
  void set(const std::string& value) const;
  void clear() const;
};

/// The short name of an option, the same in all commands: "-i" of "--inputs"; empty for most. Programs use
/// the long names.
[[nodiscard]] std::string short_name(std::string_view name);
/// All of them: "-i --inputs, -l --load or --loads, ..."
[[nodiscard]] std::string short_names_in_words();

/// All of them, in the order of the help. What they fill must outlive the table.
struct OptionTable {
  std::vector<Option> options;

  [[nodiscard]] const Option* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  /// Those of another table, which they need not outlive.
  void add(const OptionTable& more);
};

/// A help with its default in place of "{}", and the names that it accepts in place of "{names}".
[[nodiscard]] std::string completed(std::string help, const std::string& usual,
                                    const std::vector<std::string>& names);

/// Options under one heading of the help.
class OptionGroup {
 public:
  OptionGroup(OptionTable& table, std::string heading);

  /// \return the option as added, under the heading
  Option add(Option option) const;
  /// An option stored as typed; `value` stays empty if it is not given.
  /// \param type  placeholder of the value in the help: "LIST"
  void add(const std::string& name, std::optional<std::string>& value, const char* type,
           const std::string& help, Values values = {}) const;
  void add_flag(const std::string& name, bool& value, const std::string& help) const;
  void add_words(const std::string& name, std::vector<std::string>& value, const char* type,
                 const std::string& help, int minimum, int maximum) const;

 private:
  OptionTable& table_;
  std::string heading_;
};

/// An error of the library under the name of the option, with its value as typed if that is one value. An
/// argument that is the name of a given option (without dashes and with spaces: "load", "packets per slot")
/// is that option. Nothing if the error names an option itself, or none is meant.
[[nodiscard]] std::optional<InvalidArgument> as_typed(const OptionTable& table, const InvalidArgument& error);

}  // namespace tailbound::options
