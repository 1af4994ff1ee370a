#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a form has for an option beside the field to type in.
namespace tailbound::serve {

/// From `least` to `most` in steps; of powers of ten these are exponents.
struct Slider {
  double least, most, step;
  bool powers_of_ten = false;
};

/// Null where the option is typed only.
[[nodiscard]] const Slider* slider_of(std::string_view question, std::string_view option);

/// The names that the option takes; empty where it takes others.
[[nodiscard]] const std::vector<std::string>& choices_of(std::string_view question, std::string_view option);

/// A sensible question to begin with.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> opening_of(std::string_view question);

}  // namespace tailbound::serve
