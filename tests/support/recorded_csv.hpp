#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Records of CSV: a line per command instead of all cells, which JSON records as well.
namespace tailbound::test {

/// FNV-1a, the same on every machine.
[[nodiscard]] std::uint64_t hash_of(const std::string& text);

/// The cells of a CSV text that differ from those of the JSON text of the same answer: "row 3, load is ...".
/// Values that JSON does not have are checked by those that it has: a value lies between its bounds, a
/// fraction equals its decimal.
[[nodiscard]] std::vector<std::string> csv_differences(const std::string& json, const std::string& csv);

}  // namespace tailbound::test
