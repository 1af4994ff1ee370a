#pragma once

#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The options of a question, declared once: a command line is parsed into them, its help lists them, and other
/// programs list and fill them by name.
namespace tailbound::options {

/// How far a slider for an option goes: from `least` to `most` in steps; of powers of ten these are exponents.
struct Slider {
  double least, most, step;
  bool powers_of_ten = false;
};

/// Values that an option takes, for forms, completion and other programs.
struct Values {
  std::vector<std::string> choices{};  ///< the names that it takes; empty where it takes others
  std::optional<Slider> slider{};      ///< of a number: where values of interest are; not what is legal
};
/// The names of an enumeration (core/choice.hpp).
template <class Enumeration>
[[nodiscard]] Values choices() {
  return {.choices = all_names<Enumeration>()};
}
/// All of them for a help: "poisson (the default) or bernoulli".
template <class Enumeration>
[[nodiscard]] std::string choices_in_words(const char* usual = "the default") {
  std::vector<std::string> names = all_names<Enumeration>();
  names.front() += std::string(" (") + usual + ")";
  return in_words(names);
}
/// Names that an option takes, with what they stand for; the usual one first.
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
[[nodiscard]] inline Values slider(double least, double most, double step) {
  return {.slider = Slider{.least = least, .most = most, .step = step}};
}
/// 10^least to 10^most.
[[nodiscard]] inline Values powers_of_ten(double least, double most) {
  return {.slider = Slider{.least = least, .most = most, .step = 1, .powers_of_ten = true}};
}

/// One option, and where what is given goes: exactly one of `text`, `flag` and `words`.
struct Option {
  std::string name;   ///< "--load"; "FILE" where it stands without a name
  std::string type;   ///< stands for the value in the help: "LIST"; empty for a flag
  std::string help;   ///< may have line ends
  std::string group;  ///< heading in the help; empty: that of all others
  bool required = false;
  std::optional<std::string>* text = nullptr;
  bool* flag = nullptr;
  std::vector<std::string>* words = nullptr;  ///< `least` to `most` of them
  int least = 0, most = 0;
  Values values{};

  [[nodiscard]] bool given() const;
  /// As if it had been typed; of words, between spaces.
  void set(const std::string& value) const;
  void clear() const;
};

/// All of them, in the order of the help. What they fill must outlive the table.
struct OptionTable {
  std::vector<Option> options;

  [[nodiscard]] const Option* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
};

/// Options that the help shows together, under one heading.
class OptionGroup {
 public:
  OptionGroup(OptionTable& table, std::string heading);

  /// An option kept as typed; `value` stays empty where it is not given.
  /// \param type  stands for the value in the help: "LIST"
  void add(const std::string& name, std::optional<std::string>& value, const char* type,
           const std::string& help, Values values = {}) const;
  void add_flag(const std::string& name, bool& value, const std::string& help) const;
  void add_words(const std::string& name, std::vector<std::string>& value, const char* type,
                 const std::string& help, int least, int most) const;

 private:
  OptionTable& table_;
  std::string heading_;
};

/// An error of the library in the words of who asked: the option, with its value as it was typed where
/// that is one value. An argument that is the name of an option given ("--load", or without dashes and with
/// spaces: "load", "packets per slot") is that option.
[[nodiscard]] InvalidArgument as_typed(const OptionTable& table, const InvalidArgument& error);

}  // namespace tailbound::options
