#pragma once

#include <tailbound/core/error.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The options of a question, declared once: a command line is parsed into them, its help lists them, and other
/// programs list and fill them by name.
namespace tailbound::options {

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
           const std::string& help) const;
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
