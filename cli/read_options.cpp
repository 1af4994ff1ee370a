#include <cli/read_options.hpp>
#include <tailbound/core/error.hpp>

namespace tailbound::cli {

void refuse_given(std::initializer_list<Named> options, const char* why, const char* legal) {
  for (const auto& [name, value] : options)
    if (*value) throw InvalidArgument(name, why == nullptr ? **value : why, legal);
}

const std::string& required(const std::optional<std::string>& text, const char* option, const char* legal) {
  if (!text) throw InvalidArgument(option, "missing", legal);
  return *text;
}

std::vector<std::int64_t> integers_or(std::int64_t usual, const std::optional<std::string>& text,
                                      std::string_view option, std::int64_t least, std::int64_t greatest) {
  return text ? parse_integers(*text, option, least, greatest) : std::vector<std::int64_t>{usual};
}

std::vector<Packets> packets_of(const std::optional<std::string>& text, std::string_view option,
                                std::int64_t least, std::int64_t greatest) {
  if (!text) return {};
  const std::vector<std::int64_t> counts = parse_integers(*text, option, least, greatest);
  return {counts.begin(), counts.end()};
}

std::vector<bounds::Criterion> read_criteria(const std::optional<std::string>& text) {
  return choices_or_first<bounds::Criterion>(
      text, "--criterion", {{"overflow", bounds::Criterion::overflow}, {"loss", bounds::Criterion::loss}});
}

}  // namespace tailbound::cli
