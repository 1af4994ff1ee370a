#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/offered_loads.hpp>
#include <cli/traffic_options.hpp>

#include <algorithm>

namespace tailbound::cli {
namespace {

using numeric::Rational;

constexpr std::size_t most_loads = 1000;

std::string option_of(const LoadWords& words) {
  return fmt::format("--{}s", words.name);
}

/// \throws InvalidArgument  "%" at some of a range's numbers only
void require_same_units(const std::string& range, const char* option) {
  const auto percents = std::count(range.begin(), range.end(), '%');
  const auto numbers = std::count(range.begin(), range.end(), ':') + 1;
  if (numbers == 1 || percents == 0 || percents == numbers) return;
  std::string right;
  for (const char c : range) {
    if (c == '%') continue;
    right += c == ':' ? "%:" : std::string(1, c);
  }
  throw InvalidArgument(option, range, "written with % at each number of a range or at none: " + right + "%");
}

}  // namespace

std::vector<Rational> parse_percent_list(const std::string& text, const char* option, std::size_t limit) {
  std::string plain_text, entry;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    require_same_units(text.substr(from, comma - from), option);
    from = comma + 1;
  }
  const auto finish = [&] {
    plain_text +=
        !entry.empty() && entry.back() == '%'
            ? numeric::to_fraction(numeric::parse_rational(entry.substr(0, entry.size() - 1), option) / 100)
            : entry;
    entry.clear();
  };
  for (const char c : text) {
    if (c != ',' && c != ':') {
      entry += c;
      continue;
    }
    finish();
    plain_text += c;
  }
  finish();
  return parse_list(plain_text, option, limit);
}

OfferedLoads read_offered(const std::optional<std::string>& loads,
                          const std::optional<std::string>& fractions, const LoadWords& words,
                          Fractions legal) {
  const std::string option = option_of(words);
  if (loads && fractions) throw InvalidArgument(option, "given with --fractions", "one or the other");
  OfferedLoads offered;
  offered.of_saturation = !loads;
  if (!loads)
    offered.values = parse_percent_list(fractions.value_or("10%:90%:10%"), "--fractions", most_loads);
  else
    offered.values = words.percent ? parse_percent_list(*loads, option.c_str(), most_loads)
                                   : parse_list(*loads, option, most_loads);
  for (const Rational& value : offered.values) {
    if (!offered.of_saturation && value < 0)
      throw InvalidArgument(option, plain(value), fmt::format("at least 0 {}", words.unit));
    if (offered.of_saturation && legal == Fractions::below_saturation && (value < 0 || value >= 1))
      throw InvalidArgument("--fractions", plain(value),
                            fmt::format("at least 0 and below 1, the saturation {}", words.name));
  }
  return offered;
}

void require_simulated(const OfferedLoads& offered, const LoadWords& words) {
  for (const Rational& value : offered.values) {
    if (offered.of_saturation && !(value > 0)) throw InvalidArgument("--fractions", plain(value), "above 0");
    if (!offered.of_saturation && !(value > 0 && value <= 1))
      throw InvalidArgument(option_of(words), plain(value), fmt::format("above 0 and at most {}", words.one));
  }
}

void describe_offered(Json& inputs, const OfferedLoads& offered, const LoadWords& words) {
  Json& list = inputs[offered.of_saturation ? std::string("fractions") : fmt::format("{}s", words.name)] =
      Json::array();
  for (const Rational& value : offered.values) list.push_back(numeric::to_fraction(value));
}

}  // namespace tailbound::cli
