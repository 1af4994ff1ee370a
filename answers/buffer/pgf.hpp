#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/on_off/on_off_formula.hpp>
#include <tailbound/queue/slotted/slotted_formula.hpp>
#include <tailbound/series/files/pmf_file.hpp>

#include <array>
#include <string>
#include <vector>

/// Generating functions as formulas; parameters may stay symbols.
///
/// TESTS     tests/answers/buffer/pgf_test.cpp
namespace tailbound::answers {

enum class PgfOf {
  arrivals,   ///< A(z), packets arriving in a slot
  occupancy,  ///< Q(z), queue just after the arrivals of a slot
  wait,       ///< W(z), queueing delay of a packet; one packet served per slot
};
[[nodiscard]] constexpr auto names_of(PgfOf) {
  return std::array{"arrivals", "occupancy", "wait"};
}

struct PgfQuery {
  symbolic::Pgf arrivals;
  int packets_per_slot = 1;  ///< C, 1 .. 32
  PgfOf of = PgfOf::occupancy;
  symbolic::Language language = symbolic::Language::text;  ///< target language of the definition
  bool cancelled = false;                                  ///< common root z = 1 cancelled; not for A(z)
};

struct PgfAnswer {
  symbolic::Definition definition;  ///< with the conditions on the parameters as remarks
  symbolic::Expression mean;        ///< [packets], of the delay [slots]
  symbolic::Expression variance;    ///< [packets^2], of the delay [slots^2]
  symbolic::Expression zero;        ///< probability of 0
};

/// A parameter of the traffic: a number or a formula.
/// \param argument  its name in messages
/// \throws ParseError, InvalidArgument  it cannot be read, or depends on z
[[nodiscard]] symbolic::Expression parse_parameter(const std::string& text, const std::string& argument);

/// A list "p1,p2,.." of at most 4096 such parameters.
[[nodiscard]] std::vector<symbolic::Expression> parse_rates(const std::string& text,
                                                            const std::string& argument);

/// Checks a user-defined formula for PgfQuery::arrivals. Its coefficients are checked if no parameters
/// determine their signs.
/// \throws InvalidArgument  a negative coefficient, or not a PGF for another reason
[[nodiscard]] symbolic::Pgf checked(symbolic::Pgf arrivals);

/// Reads a formula or named distributions (series/laws/named_laws.hpp), and checks as above.
[[nodiscard]] symbolic::Pgf pgf_of_text(const std::string& text, const std::string& argument);

/// A(z) of probabilities, one per line (series/files/pmf_file.hpp).
/// \param name  of the file, for messages
/// \throws ParseError, InvalidArgument
[[nodiscard]] symbolic::Pgf pgf_of_file(const std::string& text, const std::string& name,
                                        series::Normalise normalise = series::Normalise::rounding);

/// The common root z = 1 cannot be cancelled.
class NotCancelled : public NoAnswer {
 public:
  NotCancelled() : NoAnswer("(1 - A(z)) / (1 - z) is no rational formula of moderate size here") {}
};

/// \throws InvalidArgument  A(1) is not 1; a field out of range, or incompatible fields
/// \throws Unstable         the load is not below C (if it contains no symbols)
/// \throws NotCancelled     requested for a formula that is not rational or too large
/// \throws LimitExceeded    a moment too large to write down
[[nodiscard]] PgfAnswer answer(const PgfQuery& query, const Run& run = {});

/// One on-off source: its matrix and eigenvalues (queue/on_off/on_off_formula.hpp).
struct OnOffPgfQuery {
  symbolic::Expression load, burst, on_rate = 1, inputs;  ///< numbers or formulas, free of z
};

/// \throws InvalidArgument  a parameter depends on z; numbers that are illegal for any value of the symbols:
///                          as
///                          traffic::on_off(); inputs that are not an integer from 1 on
[[nodiscard]] queue::OnOffFormula answer(const OnOffPgfQuery& query, const Run& run = {});

}  // namespace tailbound::answers
