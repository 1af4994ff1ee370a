/// symbolic::parse_expression and parse_pgf on any bytes: a formula whose text can be read back, or a typed
/// error.
#include <tailbound/core/error.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include "text_of.hpp"

using namespace tailbound;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  try {
    const symbolic::Expression expression = symbolic::parse_expression(text, "fuzz");
    if (expression.size() < 1'000) {
      // The printed form can be read back, and prints the same.
      const std::string printed = expression.text();
      fuzz::require(symbolic::parse_expression(printed, "fuzz").text() == printed);
    }
    const symbolic::Pgf pgf = symbolic::parse_pgf(text, "fuzz");
    if (pgf.free_parameters().empty() && expression.size() < 1'000) (void)pgf.program();
  } catch (const ParseError&) {
  } catch (const InvalidArgument&) {
  } catch (const LimitExceeded&) {
  }
  return 0;
}
