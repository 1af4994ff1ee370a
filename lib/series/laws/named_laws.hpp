#pragma once

#include <tailbound/series/arrivals.hpp>

#include <optional>
#include <string>
#include <string_view>

/// Named distributions of the packets in a slot, whose generating functions need roots, logarithms or sums
/// that formulas do not have.
///
/// FORM      a sum such as "0.9 + 0.1*zipf(1.5, 64)": shares that sum to 1, each with one distribution; a
///           share alone means no packet.
///           negbin(r, p)             P(k) = C(k+r-1, k) p^r (1-p)^k, k >= 0, r > 0 any number;
///                                    mean r (1-p)/p
///           geometric(p)             negbin(1, p): from 0 on
///           binomial(n, p)           k of n
///           logarithmic(p)           P(k) = -p^k / (k log(1-p)), k >= 1
///           zipf(s, n)               P(k) in proportion to k^-s, k = 1 .. n
///           lognormal(mu, sigma, n)  P(k) of a log-normal variable rounded to integers, up to n, normalized
///           uniform(a, b)            k = a .. b, equally likely
/// RESULT    the formula itself where it is a quotient of polynomials (geometric, negbin of whole r), an
///           exact
///           table of rationals (uniform, binomial, zipf of whole s), otherwise LawArrivals, enclosed from
///           the law.
/// TESTS     tests/series/named_laws_test.cpp
namespace tailbound::series {

/// None if the text contains no such name: it is a formula.
/// \param argument  names the text in messages
/// \throws InvalidArgument  shares that do not sum to 1, parameters out of range, tables of more than 65536
///                          terms
[[nodiscard]] std::optional<Arrivals> named_law(std::string_view text, const std::string& argument);

/// The generating function as a formula; none as above.
/// \throws InvalidArgument  as above; a distribution without a formula (the message names its support)
[[nodiscard]] std::optional<symbolic::Pgf> named_law_formula(std::string_view text,
                                                             const std::string& argument);

/// "negbin(r,p), geometric(p), ...", for messages.
[[nodiscard]] std::string named_laws_in_words();

}  // namespace tailbound::series
