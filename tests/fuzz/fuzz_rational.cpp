/// numeric::parse_rational on any bytes: a value that can be printed and read back, or InvalidArgument.
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include "text_of.hpp"

using namespace tailbound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const numeric::Rational value = numeric::parse_rational(fuzz::text_of(data, size), "number");
    // Back through decimal text, if that is cheap.
    if (numeric::bit_size(value) < 5'000)
      fuzz::require(numeric::parse_rational(numeric::to_fraction(value), "number") == value);
  } catch (const InvalidArgument&) {
  }
  return 0;
}
