#pragma once

#include <string>
#include <string_view>

/// Unguessable names.
namespace tailbound::serve {

/// 128 random bits from the system as 32 hexadecimal digits.  \throws std::system_error
[[nodiscard]] std::string random_name();

/// Compares in constant time.
[[nodiscard]] bool same_secret(std::string_view given, std::string_view secret);

}  // namespace tailbound::serve
