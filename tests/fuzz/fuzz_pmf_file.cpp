/// series::parse_pmf on any bytes, in both modes: probabilities that sum to 1, or ParseError.
#include <tailbound/core/error.hpp>
#include <tailbound/series/files/pmf_file.hpp>

#include "text_of.hpp"

using namespace tailbound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const series::Normalise normalise : {series::Normalise::no, series::Normalise::yes}) {
    try {
      const auto probabilities = series::parse_pmf(fuzz::text_of(data, size), "fuzz", normalise);
      fuzz::require(!probabilities.empty() && probabilities.back() != 0);
      numeric::Rational sum = 0;
      for (const numeric::Rational& probability : probabilities) {
        fuzz::require(probability >= 0);
        sum = sum + probability;
      }
      fuzz::require(sum == 1);
    } catch (const ParseError&) {
    }
  }
  return 0;
}
