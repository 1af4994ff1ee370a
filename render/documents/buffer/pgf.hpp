#pragma once

#include <tailbound/answers/buffer/pgf.hpp>
#include <tailbound/render/document.hpp>

#include <optional>
#include <string>
#include <vector>

/// Formulas are formatted on the thread that computed them (symbolic/expression.hpp).
namespace tailbound::render {

/// The traffic as typed, as it may contain symbols; empty if not given.
struct PgfTraffic {
  std::optional<std::string> traffic{}, inputs{}, load{}, burst{}, on_rate{}, rates{}, arrivals{}, pmf{};
};

struct PgfPoint {
  PgfTraffic traffic;
  answers::PgfQuery query;
  answers::PgfAnswer answer;
};

/// One bursty source.
struct OnOffPgfPoint {
  PgfTraffic traffic;
  symbolic::Language language = symbolic::Language::text;
  queue::OnOffFormula formula;
};

/// Data formats and tables.  \pre at least one point
[[nodiscard]] Document document(const std::vector<PgfPoint>& points);
[[nodiscard]] Document document(const std::vector<OnOffPgfPoint>& points);

/// The formulas in the syntax of the target programs, one after another.
/// \param document  of these points: what it has printed is not printed again
/// \param moments   with mean, variance and P(0), as comments in programming languages
/// \param quiet     without remarks
[[nodiscard]] std::string formulas(const std::vector<PgfPoint>& points, const Document& document,
                                   bool moments, bool quiet);
[[nodiscard]] std::string formulas(const std::vector<OnOffPgfPoint>& points, bool quiet);

[[nodiscard]] Layout pgf_layout();

}  // namespace tailbound::render
