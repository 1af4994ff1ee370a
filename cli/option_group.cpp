#include <cli/option_group.hpp>

#include <utility>

namespace tailbound::cli {

OptionGroup::OptionGroup(CLI::App& command, std::string heading)
    : command_(command), heading_(std::move(heading)) {}

void OptionGroup::add(const std::string& name, std::optional<std::string>& value, const char* type,
                      const std::string& description) const {
  command_.add_option(name, value, description)->type_name(type)->group(heading_);
}

}  // namespace tailbound::cli
