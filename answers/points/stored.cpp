#include <tailbound/answers/points/stored_fields.hpp>

#include <mpfr.h>

#include <memory>

namespace tailbound::answers::stored {
namespace {

constexpr int base = 16;
constexpr std::int64_t max_bits = 100'000'000;

}  // namespace

void Form<numeric::Rational>::put(run::ByteWriter& to, const numeric::Rational& value) {
  to.put(std::string_view(numeric::to_fraction(value)));
}

numeric::Rational Form<numeric::Rational>::get(run::ByteReader& from) {
  const std::string text = from.get_text();
  return numeric::parse_rational(text, "stored number", {.characters = text.size(), .exponent = 0});
}

void Form<numeric::Real>::put(run::ByteWriter& to, const numeric::Real& value) {
  const mpfr_srcptr number = value.backend().data();
  to.put<std::int64_t>(mpfr_get_prec(number));
  mpfr_exp_t exponent = 0;
  const std::unique_ptr<char, void (*)(char*)> digits(
      mpfr_get_str(nullptr, &exponent, base, 0, number, MPFR_RNDN), mpfr_free_str);
  to.put(std::string_view(digits.get()));
  to.put<std::int64_t>(exponent);
}

numeric::Real Form<numeric::Real>::get(run::ByteReader& from) {
  const auto precision = from.get<std::int64_t>();
  std::string text = from.get_text();
  const auto exponent = from.get<std::int64_t>();
  const bool number = text.find('@') == std::string::npos;  // not @NaN@, @Inf@
  // The number has digits for all its bits: a corrupt precision must not allocate memory.
  if (precision < MPFR_PREC_MIN || precision > max_bits || text.empty() ||
      (number && precision > 4096 && static_cast<std::uint64_t>(precision) > 8 * text.size()))
    run::ByteReader::fail();
  if (number) {
    text.insert(text.front() == '-' ? 1 : 0, "0.");
    text += "@" + std::to_string(exponent);
  }
  numeric::Real value;
  const mpfr_ptr bits = value.backend().data();
  mpfr_set_prec(bits, precision);
  char* end = nullptr;
  const int rounded = mpfr_strtofr(bits, text.c_str(), &end, base, MPFR_RNDN);
  if (rounded != 0 || *end != '\0') run::ByteReader::fail();
  return value;
}

void reject() {
  throw ParseError("stored answer", 0, 0, "damaged, or of another version of the program");
}

}  // namespace tailbound::answers::stored
