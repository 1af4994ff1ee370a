#pragma once

#include <CLI/App.hpp>

#include <optional>
#include <string>

namespace tailbound::cli {

/// Options that the help of a command shows together, under one heading.
class OptionGroup {
 public:
  OptionGroup(CLI::App& command, std::string heading);

  /// An option kept as typed; `value` stays empty where it is not given and must outlive the parse.
  /// \param type  stands for the value in the help: "LIST"
  void add(const std::string& name, std::optional<std::string>& value, const char* type,
           const std::string& description) const;

 private:
  CLI::App& command_;
  std::string heading_;
};

}  // namespace tailbound::cli
