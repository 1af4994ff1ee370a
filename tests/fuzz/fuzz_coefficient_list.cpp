/// series::parse_coefficient_list on any bytes: a list that satisfies its invariants, or ParseError.
#include <tailbound/core/error.hpp>
#include <tailbound/series/files/coefficient_list.hpp>

#include "text_of.hpp"

using namespace tailbound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const series::CoefficientList list = series::parse_coefficient_list(fuzz::text_of(data, size), "fuzz");
    fuzz::require(!list.coefficients.empty());
    std::int64_t last = -1;
    for (const series::Coefficient& entry : list.coefficients) {
      fuzz::require(entry.index > last);
      last = entry.index;
      if (entry.is_exact()) fuzz::require(entry.significant_digits == 0);
      if (entry.significant_digits > 0) {
        // The printed digits times their unit are the value: a whole number with that many digits. For a
        // double the unit is that of its last bit, which may be coarser.
        fuzz::require(entry.value != 0);
        fuzz::require(entry.last_bit || numeric::is_integer(entry.value / series::unit_in_last_place(entry)));
      }
    }
    if (list.order) fuzz::require(last == *list.order - 1);
  } catch (const ParseError& error) {
    fuzz::require(error.line() >= 1 && error.column() >= 1 && error.line() <= size + 1);
  }
  return 0;
}
