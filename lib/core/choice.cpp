#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/suggest.hpp>

#include <algorithm>

namespace tailbound {

std::size_t parse_choice(std::string_view text, std::string_view argument,
                         const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string legal = names.size() == 2 ? "either " : "one of ";
  for (const std::string& name : names)
    legal += (&name == &names.front() ? "" : names.size() == 2 ? " or " : ", ") + name;
  throw InvalidArgument(std::string(argument), std::string(text), legal + did_you_mean(text, names));
}

std::vector<std::size_t> parse_choices(std::string_view text, std::string_view argument,
                                       const std::vector<std::string>& names) {
  std::vector<std::size_t> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    list.push_back(parse_choice(text.substr(begin, end - begin), argument, names));
    begin = end + 1;
  }
  return list;
}

std::string in_words(const std::vector<std::string>& names) {
  std::string words;
  for (const std::string& name : names)
    words += (&name == &names.front() ? "" : &name == &names.back() ? " or " : ", ") + name;
  return words;
}

}  // namespace tailbound
