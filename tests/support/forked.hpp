#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// Independent pieces of work in processes of their own: exact rationals must not be shared between threads.
namespace tailbound::test {

/// work(first), .., work(first + count - 1), by number. A piece whose process failed has no result. SIGTERM
/// and SIGINT end the run after the current pieces.
[[nodiscard]] std::map<std::uint64_t, std::string> forked(
    int jobs, std::uint64_t first, std::uint64_t count,
    const std::function<std::string(std::uint64_t)>& work);

/// Fields of a piece's result; none may contain the bytes 1 and 2.
using Records = std::vector<std::vector<std::string>>;
[[nodiscard]] std::string joined(const Records& records);
[[nodiscard]] Records parted(const std::string& text);

}  // namespace tailbound::test
