#include <tailbound/core/error.hpp>
#include <tailbound/options/read.hpp>

namespace tailbound::options {

void reject_given(std::initializer_list<Named> options, const char* why, const char* legal) {
  for (const auto& [name, value] : options)
    if (*value) throw InvalidArgument(name, why == nullptr ? **value : why, legal);
}

const std::string& required(const std::optional<std::string>& text, const char* option, const char* legal) {
  if (!text) throw InvalidArgument(option, "missing", legal);
  return *text;
}

std::vector<std::int64_t> integers_or(std::int64_t usual, const std::optional<std::string>& text,
                                      std::string_view option, std::int64_t minimum, std::int64_t largest) {
  return text ? parse_integers(*text, option, minimum, largest) : std::vector<std::int64_t>{usual};
}

std::vector<Packets> packets_of(const std::optional<std::string>& text, std::string_view option,
                                std::int64_t minimum, std::int64_t largest) {
  if (!text) return {};
  const std::vector<std::int64_t> counts = parse_integers(*text, option, minimum, largest);
  return {counts.begin(), counts.end()};
}

std::pair<std::int64_t, std::int64_t> parse_part(const std::string& text, const char* option,
                                                 std::int64_t maximum) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw InvalidArgument(option, text, "I/N, such as 2/7");
  const std::string name = option;
  const std::int64_t of = parse_integer(text.substr(slash + 1), "N of " + name, 1, maximum);
  return {parse_integer(text.substr(0, slash), "I of " + name, 1, of), of};
}

}  // namespace tailbound::options
