#include <tailbound/core/error.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/series/files/coefficient_list.hpp>
#include <tailbound/series/files/pmf_file.hpp>

#include <string>

namespace tailbound::series {
namespace {

using numeric::Rational;

constexpr std::int64_t largest_value = 1'048'575;
constexpr std::size_t max_bits_of_sum = 131'072;

[[noreturn]] void fail_at(const Coefficient& place, std::string_view source, const std::string& what) {
  throw ParseError(std::string(source), place.line, place.column, what);
}

struct Summed {
  WrittenSum written;
  WrittenKind kind;
};

Summed checked_sum(const CoefficientList& list, std::string_view source) {
  Summed all;
  for (const Coefficient& entry : list.coefficients) {
    if (entry.value < 0)
      fail_at(entry, source, "the probability of " + std::to_string(entry.index) + " is negative");
    if (entry.index > largest_value && entry.value != 0)
      fail_at(entry, source,
              "the value is " + std::to_string(entry.index) + "; it must be at most " +
                  std::to_string(largest_value));
    all.written.add(entry.value, unit_in_last_place(entry), shown_digits(entry));
    all.kind.add(entry.value, shown_digits(entry));
    if (numeric::bit_size(all.written.sum()) > max_bits_of_sum)
      fail_at(entry, source, "the sum up to here is a fraction of more than 131072 bits");
  }
  return all;
}

}  // namespace

Pmf read_pmf(std::string_view text, std::string_view source, Normalise normalise) {
  const CoefficientList list = parse_coefficient_list(text, source);
  if (list.lone_numbers > 0)
    throw ParseError(std::string(source), 0, 0, "there are numbers outside the list of probabilities");

  const auto [written, kind] = checked_sum(list, source);
  const Rational& sum = written.sum();
  if (sum == 0) throw ParseError(std::string(source), 0, 0, "every probability is 0");
  if (!written.accepted(normalise, kind.floats()))
    throw ParseError(std::string(source), 0, 0,
                     written.complaint(normalise) +
                         (normalise == Normalise::no ? "" : "; --normalize divides them by their sum"));

  Pmf pmf{.probabilities = {}, .sum = sum, .format = list.format};
  std::vector<Rational>& probabilities = pmf.probabilities;
  for (const Coefficient& entry : list.coefficients) {
    if (entry.value == 0) continue;
    probabilities.resize(static_cast<std::size_t>(entry.index) + 1, Rational(0));
    probabilities.back() = sum == 1 ? entry.value : entry.value / sum;
  }
  return pmf;
}

std::vector<Rational> parse_pmf(std::string_view text, std::string_view source, Normalise normalise) {
  return read_pmf(text, source, normalise).probabilities;
}

}  // namespace tailbound::series
