#include <fmt/format.h>
#include <cli/options/forms.hpp>

#include <algorithm>
#include <string>

namespace tailbound::cli {

std::vector<GivenOption> given_options(const OptionTable& table) {
  std::vector<GivenOption> given;
  for (const Option& option : table.options)
    if (option.given()) given.push_back({option.name, option.text != nullptr ? &**option.text : nullptr});
  return given;
}

bool lists(std::string_view names, std::string_view name) {
  for (std::size_t at = names.find(name); at != std::string_view::npos; at = names.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

void require_needed(const std::vector<GivenOption>& given, const std::vector<OptionNeeds>& needed) {
  for (const GivenOption& option : given)
    for (const OptionNeeds& need : needed) {
      // "--pmf FILE": its first word; in a sentence, "probabilities of --pmf or --blocks": any that it names.
      std::string names = need.needed;
      if (names.starts_with("--")) names.erase(std::min(names.find(' '), names.size()));
      std::replace(names.begin(), names.end(), ',', ' ');
      if (lists(need.options, option.name) &&
          std::none_of(given.begin(), given.end(),
                       [&](const GivenOption& each) { return lists(names, each.name); }))
        throw needs(std::string(option.name), need.needed);
    }
}

void require_acting(const std::vector<GivenOption>& given, const Form& form,
                    const std::vector<OptionNeeds>& needed) {
  require_needed(given, needed);
  for (const GivenOption& option : given) {
    if (lists(form.acts, option.name)) continue;
    const auto only = std::find_if(form.only.begin(), form.only.end(),
                                   [&](const OnlyValue& each) { return option.name == each.option; });
    if (only != form.only.end()) {
      if (*option.text == only->value) continue;
      throw InvalidArgument(only->option, *option.text,
                            fmt::format("{} with {}{}", only->value, form.option, only->reason));
    }
    const auto why = std::find_if(form.because.begin(), form.because.end(),
                                  [&](const WhyNot& each) { return lists(each.options, option.name); });
    throw not_allowed_with(std::string(option.name), form.option,
                           why != form.because.end() ? why->reason : form.otherwise);
  }
}

}  // namespace tailbound::cli
