#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/on_off/on_off_formula.hpp>
#include <tailbound/queue/slotted/slotted_formula.hpp>
#include <tailbound/series/files/pmf_file.hpp>

#include <array>
#include <string>
#include <vector>

/// Generating functions as formulas; parameters may stay symbols. Formulas are asked for on one thread at a
/// time (symbolic/expression.hpp).
///
/// TESTS     tests/answers/buffer/pgf_test.cpp
namespace tailbound::answers {

enum class PgfOf {
  arrivals,   ///< A(z), of the packets in a slot
  occupancy,  ///< Q(z), of the queue just after a slot's arrivals
  wait,       ///< W(z), of a packet's wait; one packet served in a slot
};
[[nodiscard]] constexpr auto names_of(PgfOf) {
  return std::array{"arrivals", "occupancy", "wait"};
}

struct PgfQuestion {
  symbolic::Pgf arrivals;
  int packets_per_slot = 1;  ///< C, 1 .. 32
  PgfOf of = PgfOf::occupancy;
  symbolic::Language language = symbolic::Language::text;  ///< that the definition is for
  bool cancelled = false;                                  ///< the common root z = 1 divided out; not of A(z)
};

struct PgfAnswer {
  symbolic::Definition definition;  ///< with what must hold of the parameters as remarks
  symbolic::Expression mean;        ///< [packets], of the wait [slots]
  symbolic::Expression variance;    ///< [packets^2], of the wait [slots^2]
  symbolic::Expression zero;        ///< the probability of 0
};

/// A parameter of the traffic: a number or a formula.
/// \param argument  names it in messages
/// \throws ParseError, InvalidArgument  it cannot be read, or depends on z
[[nodiscard]] symbolic::Expression parse_parameter(const std::string& text, const std::string& argument);

/// "p1,p2,..", at most 4096 of them, likewise.
[[nodiscard]] std::vector<symbolic::Expression> parse_rates(const std::string& text,
                                                            const std::string& argument);

/// A formula of one's own, for PgfQuestion::arrivals: its coefficients are looked at where no parameters decide
/// on their signs.
/// \throws InvalidArgument  a negative coefficient, and what else makes it none of a PGF
[[nodiscard]] symbolic::Pgf checked(symbolic::Pgf arrivals);

/// A(z) of probabilities, one a line (series/files/pmf_file.hpp).
/// \param name  of the file, for messages
/// \throws ParseError, InvalidArgument
[[nodiscard]] symbolic::Pgf pgf_of_file(const std::string& text, const std::string& name,
                                        series::Normalise normalise = series::Normalise::rounding);

/// The root z = 1 cannot be divided out.
class NotCancelled : public NoAnswer {
 public:
  NotCancelled() : NoAnswer("(1 - A(z)) / (1 - z) is no rational formula of moderate size here") {}
};

/// \throws InvalidArgument  A(1) is not 1; a field out of range, or one that excludes another
/// \throws Unstable         the load is not below C (without symbols in it)
/// \throws NotCancelled     asked for where that is no rational formula of moderate size
/// \throws LimitExceeded    a moment too large to write down
[[nodiscard]] PgfAnswer answer(const PgfQuestion& question, const Run& run = {});

/// One on-off source: its matrix and eigenvalues (queue/on_off/on_off_formula.hpp).
struct OnOffPgfQuestion {
  symbolic::Expression load, burst, on_rate = 1, inputs;  ///< numbers or formulas, free of z
};

/// \throws InvalidArgument  a parameter depends on z; numbers among them that no source can have, whatever the symbols
///                          are: as traffic::on_off(); inputs that are no whole number from 1 on
[[nodiscard]] queue::OnOffFormula answer(const OnOffPgfQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
