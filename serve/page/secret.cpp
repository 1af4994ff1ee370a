#include <serve/page/secret.hpp>

#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

namespace tailbound::serve {

std::string random_name() {
  constexpr std::string_view digits = "0123456789abcdef";
  unsigned char bytes[16];
  for (std::size_t have = 0; have < sizeof bytes;) {
    const ssize_t got = getrandom(bytes + have, sizeof bytes - have, 0);
    if (got < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "no random numbers available");
    if (got > 0) have += static_cast<std::size_t>(got);
  }
  std::string name;
  for (const unsigned char byte : bytes) {
    name += digits[byte >> 4U];
    name += digits[byte & 15U];
  }
  return name;
}

bool same_secret(std::string_view given, std::string_view secret) {
  unsigned char differ = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret.size(); ++i)
    differ |= static_cast<unsigned char>(secret[i] ^ (i < given.size() ? given[i] : 0));
  return differ == 0;
}

}  // namespace tailbound::serve
