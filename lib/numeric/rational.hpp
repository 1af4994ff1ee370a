#pragma once

#include <tailbound/numeric/boost_numbers.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Exact numbers (GMP). Loads, rates and targets are read into these, never through double. Like an int, a
/// value may be read by several threads, or changed by one.
namespace tailbound::numeric {

/// An integer of any size. `/` does not compile: for the quotient as a fraction write Rational(a, b), for a
/// whole one exact_quotient(a, b), floor(a, b) or ceiling(a, b). `/=` and `%` round towards zero, as for int.
using Integer = boost::multiprecision::number<boost::multiprecision::gmp_int, boost::multiprecision::et_off>;

}  // namespace tailbound::numeric

namespace boost::multiprecision {

// Without these a quotient meant as a fraction would be cut off without a word.
template <class B>
requires std::same_as<B, gmp_int>
void operator/(const number<B, et_off>&, const number<B, et_off>&) = delete;
template <class B>
requires std::same_as<B, gmp_int>
void operator/(number<B, et_off>&&, const number<B, et_off>&) = delete;
template <class B, class V>
requires std::same_as<B, gmp_int> && std::integral<V>
void operator/(const number<B, et_off>&, const V&) = delete;
template <class B, class V>
requires std::same_as<B, gmp_int> && std::integral<V>
void operator/(number<B, et_off>&&, const V&) = delete;
template <class V, class B>
requires std::same_as<B, gmp_int> && std::integral<V>
void operator/(const V&, const number<B, et_off>&) = delete;

}  // namespace boost::multiprecision

namespace tailbound::numeric {

/// A fraction in lowest terms, its denominator positive.
///
/// Most are short, and are held and computed without GMP: that allocates memory twice for each, and copies
/// take a hundred times as long. Copies of long ones share them.
class Rational {
 public:
  Rational() noexcept : small_(0), denominator_(1) {}
  template <std::integral T>
  Rational(T value) : small_(0), denominator_(1) {  // NOLINT(google-explicit-constructor)
    if (std::in_range<std::int64_t>(value) && value != std::numeric_limits<std::int64_t>::min())
      small_ = static_cast<std::int64_t>(value);
    else
      *this = Rational(Integer(value));
  }
  template <std::floating_point T>
  Rational(T) = delete;            // to_rational() makes one of a double
  Rational(const Integer& value);  // NOLINT(google-explicit-constructor)
  /// \throws std::overflow_error  division by zero, as for `/`
  Rational(const Integer& numerator, const Integer& denominator);
  /// Takes the value, which must be in lowest terms.
  explicit Rational(mpq_ptr value);

  Rational(const Rational& other) noexcept : small_(other.small_), denominator_(other.denominator_) {
    if (other.is_long()) share(other);
  }
  Rational(Rational&& other) noexcept : small_(other.small_), denominator_(other.denominator_) {
    if (other.is_long()) move_from(other);
  }
  Rational& operator=(const Rational& other) noexcept { return *this = Rational(other); }
  Rational& operator=(Rational&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Rational() {
    if (is_long()) release();
  }
  void swap(Rational& other) noexcept {
    std::swap(small_, other.small_);
    std::swap(denominator_, other.denominator_);
  }

  Rational& operator+=(const Rational& other) { return *this = *this + other; }
  Rational& operator-=(const Rational& other) { return *this = *this - other; }
  Rational& operator*=(const Rational& other) { return *this = *this * other; }
  Rational& operator/=(const Rational& other) { return *this = *this / other; }

  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a);
  friend Rational operator+(const Rational& a) { return a; }

  friend bool operator==(const Rational& a, const Rational& b) {
    if (a.is_long() || b.is_long()) return long_equal(a, b);
    return a.small_ == b.small_ && a.denominator_ == b.denominator_;
  }
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    if (a.is_long() || b.is_long()) return long_order(a, b) <=> 0;
    if (a.denominator_ == b.denominator_) return a.small_ <=> b.small_;
    __extension__ using Product = __int128;
    return Product{a.small_} * b.denominator_ <=> Product{b.small_} * a.denominator_;
  }
  friend std::ostream& operator<<(std::ostream& out, const Rational& value);

 private:
  friend class GmpRational;
  struct Long;

  [[nodiscard]] bool is_long() const noexcept { return denominator_ == 0; }
  void share(const Rational& other) noexcept;
  void move_from(Rational& other) noexcept {
    long_ = other.long_;
    other.small_ = 0;
    other.denominator_ = 1;
  }
  void release() noexcept;
  static bool long_equal(const Rational& a, const Rational& b);
  static int long_order(const Rational& a, const Rational& b);
  /// The result of a function of GMP.
  template <class Function>
  static Rational computed(Function function);

  union {
    std::int64_t small_;  ///< numerator, not -2^63
    Long* long_;          ///< if denominator_ is 0
  };
  std::int64_t denominator_;
};

static_assert(!std::is_convertible_v<double, Rational> && !std::is_convertible_v<Rational, Integer>);

/// A rational as GMP's, without copying, for as long as the value lives unchanged.
class GmpRational {
 public:
  explicit GmpRational(const Rational& value);
  GmpRational(const GmpRational&) = delete;
  GmpRational& operator=(const GmpRational&) = delete;
  [[nodiscard]] mpq_srcptr get() const { return value_; }
  [[nodiscard]] mpz_srcptr numerator() const { return mpq_numref(value_); }
  [[nodiscard]] mpz_srcptr denominator() const { return mpq_denref(value_); }

 private:
  mp_limb_t above_ = 0, below_ = 1;
  mpq_t small_;
  mpq_srcptr value_ = small_;
};

/// In lowest terms, with the sign of the value.
[[nodiscard]] Integer numerator(const Rational& value);
/// In lowest terms, positive.
[[nodiscard]] Integer denominator(const Rational& value);
/// Is the denominator 1?
[[nodiscard]] bool is_integer(const Rational& value);

[[nodiscard]] Rational abs(const Rational& value);
[[nodiscard]] Integer abs(const Integer& value);

/// The largest integer <= value.
[[nodiscard]] Integer floor(const Rational& value);
/// The smallest integer >= value.
[[nodiscard]] Integer ceiling(const Rational& value);
/// The nearest integer; the even one of two.
[[nodiscard]] Integer round(const Rational& value);

/// floor(a / b); b != 0, as below.
[[nodiscard]] Integer floor(const Integer& a, const Integer& b);
/// ceiling(a / b).
[[nodiscard]] Integer ceiling(const Integer& a, const Integer& b);
/// a - b floor(a / b): of the sign of b.
[[nodiscard]] Integer mod(const Integer& a, const Integer& b);
/// a / b, which must be an integer.
[[nodiscard]] Integer exact_quotient(const Integer& a, const Integer& b);

/// The largest common divisor, >= 0.
[[nodiscard]] Integer gcd(const Integer& a, const Integer& b);
/// The least common multiple, >= 0.
[[nodiscard]] Integer lcm(const Integer& a, const Integer& b);

/// base^exponent, exponent >= 0; 0^0 = 1.
[[nodiscard]] Integer pow(const Integer& base, std::int64_t exponent);
/// base^exponent.  \throws std::overflow_error  0 to a negative power
[[nodiscard]] Rational pow(const Rational& base, std::int64_t exponent);

/// Bits of |value|; 0 for 0.
[[nodiscard]] std::size_t bit_length(const Integer& value);
/// Bits of numerator and denominator together: the size of a value.
[[nodiscard]] std::size_t bit_size(const Rational& value);
/// Bits of the numerator less those of the denominator: |value| is from 2^(this - 1) to below 2^(this + 1).
[[nodiscard]] std::int64_t magnitude_bits(const Rational& value);

/// \throws std::range_error  value is not from -2^63 to 2^63 - 1
[[nodiscard]] std::int64_t to_int64(const Integer& value);
/// \throws std::range_error  value is not from 0 to 2^64 - 1
[[nodiscard]] std::uint64_t to_uint64(const Integer& value);

/// Length limits of a number, so no text can require unbounded memory.
struct NumberLimits {
  std::size_t characters = 10'000;
  long exponent = 100'000;  ///< decimal, of either sign; below 10^9
};

/// The exact value of a decimal ("0.9", "1e-15", "-.5E3"), a fraction ("9/10", "1.5/2") or a power ("10^-9",
/// "2**-4", "2.5*10^-9").
///
/// \param text      white space around the number is ignored
/// \param argument  name used in the error
/// \throws InvalidArgument  not a number, zero denominator, or beyond the limits; the message suggests what
///                          was meant by a comma ("0,5"), a dash ("0.1-0.9") or a percent sign
[[nodiscard]] Rational parse_rational(std::string_view text, std::string_view argument,
                                      const NumberLimits& limits = {});

/// The integer that these decimal digits, at least one, denote.
[[nodiscard]] Integer parse_digits(std::string_view digits);

/// "9/10", or "3" for an integer. Exact.
[[nodiscard]] std::string to_fraction(const Rational& value);

/// In base 16, with a minus sign if negative: in time proportional to the length, unlike decimals.
[[nodiscard]] std::string to_hexadecimal(const Integer& value);

/// `value`, exactly.  \throws std::domain_error  it is not finite
[[nodiscard]] Rational to_rational(double value);

/// The double nearest to `value` (ties to even); relative error at most 2^-53 in the normal range.
[[nodiscard]] double nearest_double(const Rational& value);

/// A long double next to `value`: relative error at most 1.01 unit roundoffs, normal range.
[[nodiscard]] long double nearest_long_double(const Rational& value);

}  // namespace tailbound::numeric
