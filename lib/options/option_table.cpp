#include <tailbound/options/option_table.hpp>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

namespace tailbound::options {
namespace {

/// The given option that a library argument refers to: "load" and "rates[3]" are "--load" and "--rates"; null
/// for other names.
const Option* option_of(const OptionTable& table, const std::string& argument) {
  std::string stem;
  for (const char c : argument) {
    if (c == ' ' || c == '_' || c == '-') {
      stem += '-';
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      stem += c;
    } else {
      break;
    }
  }
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  std::vector<std::string> candidates{stem, stem + "s", stem.substr(0, stem.find('-'))};
  if (stem == "probability" || stem == "target" || stem == "drop-target")
    candidates = {"drop", "until", "rare"};
  if (stem == "formula") candidates = {"arrivals"};
  if (stem == "probabilities") candidates = {"pmf"};
  for (const std::string& candidate : candidates) {
    const Option* option = table.find("--" + candidate);
    if (option != nullptr && option->given()) return option;
  }
  return nullptr;
}

constexpr std::pair<std::string_view, char> letters[] = {
    {"--inputs", 'i'}, {"--load", 'l'},   {"--loads", 'l'}, {"--drop", 'd'},
    {"--output", 'o'}, {"--format", 'f'}, {"--plot", 'p'}};

}  // namespace

bool Option::given() const {
  if (text != nullptr) return text->has_value();
  return flag != nullptr ? *flag : !words->empty();
}

void Option::set(const std::string& value) const {
  if (text != nullptr) {
    *text = value;
  } else if (flag != nullptr) {
    *flag = true;
  } else {
    std::istringstream all(value);
    words->clear();
    for (std::string word; all >> word;) words->push_back(word);
    if (words->empty()) words->emplace_back();  // as if the name were given without a value
  }
}

void Option::clear() const {
  if (text != nullptr) text->reset();
  if (flag != nullptr) *flag = false;
  if (words != nullptr) words->clear();
}

std::string short_name(std::string_view name) {
  for (const auto& [known, letter] : letters)
    if (known == name) return {'-', letter};
  return {};
}

std::string short_names_in_words() {
  std::string text;
  char last = 0;
  for (const auto& [name, letter] : letters) {
    if (letter == last)
      text.append(" or ").append(name);
    else
      text.append(text.empty() ? "-" : ", -").append(1, letter).append(" ").append(name);
    last = letter;
  }
  return text;
}

const Option* OptionTable::find(std::string_view name) const {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const Option& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

std::vector<std::string> OptionTable::names() const {
  std::vector<std::string> all;
  for (const Option& option : options)
    if (option.name.rfind("--", 0) == 0) all.push_back(option.name);
  return all;
}

void OptionTable::add(const OptionTable& more) {
  options.insert(options.end(), more.options.begin(), more.options.end());
}

std::string completed(std::string help, const std::string& usual, const std::vector<std::string>& names) {
  const std::pair<std::string_view, std::string> places[] = {{"{}", usual}, {"{names}", in_words(names)}};
  for (const auto& [place, text] : places)
    if (const std::size_t at = help.find(place); at != std::string::npos)
      help.replace(at, place.size(), text);
  return help;
}

OptionGroup::OptionGroup(OptionTable& table, std::string heading)
    : table_(table), heading_(std::move(heading)) {}

Option OptionGroup::add(Option option) const {
  option.group = heading_;
  table_.options.push_back(option);
  return option;
}

void OptionGroup::add(const std::string& name, std::optional<std::string>& value, const char* type,
                      const std::string& help, Values values) const {
  table_.options.push_back({.name = name,
                            .type = type,
                            .help = help,
                            .group = heading_,
                            .text = &value,
                            .values = std::move(values)});
}

void OptionGroup::add_flag(const std::string& name, bool& value, const std::string& help) const {
  table_.options.push_back({.name = name, .type = {}, .help = help, .group = heading_, .flag = &value});
}

void OptionGroup::add_words(const std::string& name, std::vector<std::string>& value, const char* type,
                            const std::string& help, int minimum, int maximum) const {
  table_.options.push_back({.name = name,
                            .type = type,
                            .help = help,
                            .group = heading_,
                            .words = &value,
                            .minimum = minimum,
                            .maximum = maximum});
}

std::optional<InvalidArgument> as_typed(const OptionTable& table, const InvalidArgument& error) {
  if (error.argument().rfind("--", 0) == 0) return {};
  const Option* option = option_of(table, error.argument());
  if (option == nullptr) return {};
  std::string value = error.value();
  // A value that is not a number is a reason: "not a PGF: A(1) is 2".
  const bool number = value.find_first_not_of("0123456789.eE+-/") == std::string::npos;
  if (number && option->text != nullptr && (*option->text)->find_first_of(",:") == std::string::npos)
    value = **option->text;
  return InvalidArgument(option->name, value, error.legal());
}

}  // namespace tailbound::options
