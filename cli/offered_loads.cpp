#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/offered_loads.hpp>
#include <cli/traffic_options.hpp>

#include <algorithm>

namespace tailbound::cli {
namespace {

constexpr std::size_t most_loads = 1000;

std::string option_of(const LoadWords& words) {
  return fmt::format("--{}s", words.name);
}

}  // namespace

OfferedLoads read_offered(const std::optional<std::string>& loads,
                          const std::optional<std::string>& fractions, const LoadWords& words,
                          Fractions legal) {
  const std::string option = option_of(words);
  if (loads && fractions) throw InvalidArgument(option, "given with --fractions", "one or the other");
  OfferedLoads offered{.measure = words.measure, .of_saturation = !loads, .values = {}};
  if (!loads)
    offered.values = parse_percent_list(fractions.value_or("10%:90%:10%"), "--fractions", most_loads);
  else
    offered.values = words.percent ? parse_percent_list(*loads, option.c_str(), most_loads)
                                   : parse_list(*loads, option, most_loads);
  answers::check(offered, legal);
  return offered;
}

}  // namespace tailbound::cli
