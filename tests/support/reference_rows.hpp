#pragma once

#include <cstdint>
#include <string>
#include <tests/support/fraction.hpp>
#include <vector>

namespace tailbound::test {

/// A row of data/reference/slotted_queue.csv.
struct ReferenceRow {
  std::int64_t inputs = 0;
  Fraction load;
  std::int64_t level = 0;
  Reference tail;    ///< the printed value, half a unit of its last digit to either side
  std::string text;  ///< the whole row
};

/// \throws std::runtime_error  the file is missing, empty or malformed
[[nodiscard]] std::vector<ReferenceRow> read_reference_rows();

}  // namespace tailbound::test
