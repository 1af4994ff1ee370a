#pragma once

#include <string>
#include <string_view>

/// What nobody can guess.
namespace tailbound::serve {

/// 128 bits of the system's random device as 32 letters and digits.  \throws std::system_error
[[nodiscard]] std::string random_name();

/// In a time that does not depend on where they differ.
[[nodiscard]] bool same_secret(std::string_view given, std::string_view secret);

}  // namespace tailbound::serve
