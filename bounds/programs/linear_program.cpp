#include <glpk.h>
#include <tailbound/bounds/programs/linear_program.hpp>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace tailbound::bounds {
namespace {

using Term = LinearProgram::Term;

/// The dual, minimize y b over y >= 0 with y A = c: it has fewer equations than the program has rows. Numbers
/// begin at 1, as in GLPK.
struct DoubleProgram {
  std::vector<int> equation{0}, unknown{0};
  std::vector<double> factor{0}, cost{0}, value;
};

/// What does not fit into a double is infinite.
DoubleProgram dual_in_doubles(const LinearProgram& program) {
  DoubleProgram dual;
  for (const LinearProgram::Row& row : program.rows) {
    for (const Term& term : row.terms) {
      dual.equation.push_back(static_cast<int>(term.column) + 1);
      dual.unknown.push_back(static_cast<int>(dual.cost.size()));
      dual.factor.push_back(numeric::nearest_double(term.factor));
    }
    dual.cost.push_back(numeric::nearest_double(row.limit));
  }
  dual.value.resize(program.columns + 1);
  for (const Term& term : program.objective)
    dual.value[term.column + 1] = numeric::nearest_double(term.factor);
  return dual;
}

bool fits(const DoubleProgram& dual) {
  const auto finite = [](const std::vector<double>& all) {
    return std::all_of(all.begin(), all.end(), [](double value) { return std::isfinite(value); });
  };
  return dual.factor.size() <= std::numeric_limits<int>::max() / 2 && dual.cost.size() > 1 &&
         dual.value.size() > 1 && finite(dual.factor) && finite(dual.cost) && finite(dual.value);
}

enum class Ending { optimal, other, failed };

struct Basis {
  std::vector<char> unknown;   ///< [row]: may its multiplier differ from 0?
  std::vector<char> equation;  ///< [column]: does its equation determine them?
};

int say_nothing(void*, const char*) {
  return 1;
}
void leave(void* to) {
  std::longjmp(*static_cast<std::jmp_buf*>(to), 1);
}

/// GLPK reports an error (no memory) by a call of `leave`, so nothing in here may need a destructor.
/// \param method  GLP_PRIMAL or GLP_DUAL
Ending simplex(const DoubleProgram& doubles, int method, Basis& basis) {
  std::jmp_buf failure;
  if (setjmp(failure) != 0) return Ending::failed;  // NOLINT(cert-err52-cpp)
  glp_error_hook(leave, &failure);
  glp_prob* const dual = glp_create_prob();
  const int unknowns = static_cast<int>(basis.unknown.size());
  const int equations = static_cast<int>(basis.equation.size());
  glp_add_rows(dual, equations);
  for (int i = 1; i <= equations; ++i)
    glp_set_row_bnds(dual, i, GLP_FX, doubles.value[static_cast<std::size_t>(i)], 0);
  glp_add_cols(dual, unknowns);
  for (int j = 1; j <= unknowns; ++j) {
    glp_set_col_bnds(dual, j, GLP_LO, 0, 0);
    glp_set_obj_coef(dual, j, doubles.cost[static_cast<std::size_t>(j)]);
  }
  glp_load_matrix(dual, static_cast<int>(doubles.factor.size()) - 1, doubles.equation.data(),
                  doubles.unknown.data(), doubles.factor.data());
  glp_scale_prob(dual, GLP_SF_AUTO);
  glp_adv_basis(dual, 0);
  glp_smcp control;
  glp_init_smcp(&control);
  control.meth = method;
  control.tol_bnd = 1e-10;  // at 1e-7, its default, some multipliers are slightly below 0
  control.it_lim = 1000 + 20 * std::min(equations, 1'000'000);  // usually one to two per equation
  const bool optimal = glp_simplex(dual, &control) == 0 && glp_get_status(dual) == GLP_OPT;
  for (int j = 1; j <= unknowns; ++j)
    basis.unknown[static_cast<std::size_t>(j) - 1] = glp_get_col_stat(dual, j) == GLP_BS;
  for (int i = 1; i <= equations; ++i)
    basis.equation[static_cast<std::size_t>(i) - 1] = glp_get_row_stat(dual, i) != GLP_BS;
  glp_delete_prob(dual);
  return optimal ? Ending::optimal : Ending::other;
}

std::optional<Basis> optimal_basis(const LinearProgram& program, const DoubleProgram& dual, int method) {
  Basis basis{std::vector<char>(program.rows.size()), std::vector<char>(program.columns)};
  // GLPK has an environment per thread if it has been built so, as Debian's has.
  static std::mutex one_at_a_time;
  std::unique_lock lock(one_at_a_time, std::defer_lock);
  if (glp_config("TLS") == nullptr) lock.lock();
  const int started = glp_init_env();  // 1: it is there, and the caller's
  if (started > 1) throw std::bad_alloc();
  glp_term_hook(say_nothing, nullptr);
  const Ending ending = simplex(dual, method, basis);
  glp_error_hook(nullptr, nullptr);
  glp_term_hook(nullptr, nullptr);
  if (started == 0) glp_free_env();
  if (ending == Ending::failed) throw std::bad_alloc();
  return ending == Ending::optimal ? std::optional(std::move(basis)) : std::nullopt;
}

/// sum of the unknowns times their factors = value
struct Equation {
  std::map<std::size_t, Rational> terms;
  Rational value = 0;
};

/// Elimination of the unknown and equation with the fewest neighbors first (Markowitz), which keeps fractions
/// short. Unknowns that the equations leave open are 0; contradictions are left to the caller's check.
class Elimination {
 public:
  Elimination(std::vector<Equation> equations, std::size_t unknowns)
      : open_(std::move(equations)), uses_(unknowns) {
    for (const Equation& equation : open_)
      for (const auto& [unknown, factor] : equation.terms) ++uses_[unknown];
  }

  std::map<std::size_t, Rational> solve() {
    while (choose()) eliminate();
    std::map<std::size_t, Rational> values;
    for (auto at = done_.rbegin(); at != done_.rend(); ++at) {
      Rational rest = at->equation.value;
      for (const auto& [unknown, factor] : at->equation.terms)
        if (const auto known = values.find(unknown); known != values.end()) rest -= factor * known->second;
      values[at->unknown] = rest / at->equation.terms.at(at->unknown);
    }
    return values;
  }

 private:
  struct Pivot {
    std::size_t unknown;
    Equation equation;
  };

  /// Moves the next pivot to done_.
  bool choose() {
    std::size_t fewest = std::numeric_limits<std::size_t>::max(), unknown = 0;
    auto best = open_.end();
    for (auto at = open_.begin(); at != open_.end() && fewest > 0; ++at)
      for (const auto& [one, factor] : at->terms)
        if (const std::size_t fill = (at->terms.size() - 1) * (uses_[one] - 1); fill < fewest) {
          best = at;
          unknown = one;
          fewest = fill;
        }
    if (best == open_.end()) return false;
    for (const auto& [one, factor] : best->terms) --uses_[one];
    done_.push_back({unknown, std::move(*best)});
    *best = std::move(open_.back());
    open_.pop_back();
    return true;
  }

  /// The last pivot's unknown from the other equations.
  void eliminate() {
    const auto& [pivot, its] = done_.back();
    if (uses_[pivot] == 0) return;
    for (Equation& equation : open_) {
      const auto found = equation.terms.find(pivot);
      if (found == equation.terms.end()) continue;
      const Rational times = found->second / its.terms.at(pivot);
      equation.value -= times * its.value;
      for (const auto& [unknown, factor] : its.terms) {
        const auto [at, added] = equation.terms.try_emplace(unknown, 0);
        if (added) ++uses_[unknown];
        at->second -= times * factor;
        if (at->second == 0) {
          equation.terms.erase(at);
          --uses_[unknown];
        }
      }
    }
  }

  std::vector<Equation> open_;
  std::vector<Pivot> done_;
  std::vector<std::size_t> uses_;  ///< [unknown]: number of open equations
};

/// By the multipliers that the basis determines.
std::optional<ProvedMaximum> proved_at(const LinearProgram& program, const Basis& basis) {
  std::vector<Equation> equations(program.columns);
  for (std::size_t i = 0; i < program.rows.size(); ++i)
    if (basis.unknown[i] != 0)
      for (const Term& term : program.rows[i].terms)
        if (basis.equation[term.column] != 0) equations[term.column].terms.emplace(i, term.factor);
  for (const Term& term : program.objective) equations[term.column].value = term.factor;
  ProvedMaximum maximum;
  for (auto& [row, factor] : Elimination(std::move(equations), program.rows.size()).solve())
    if (factor != 0) maximum.multipliers.push_back({row, std::move(factor)});
  const auto bound = proved_bound(program, maximum.multipliers);
  if (!bound) return std::nullopt;
  maximum.value = *bound;
  return maximum;
}

}  // namespace

void LinearProgram::add_row(std::vector<Term> terms, Rational limit) {
  std::map<std::size_t, Rational> sums;
  for (const Term& term : terms) sums[term.column] += term.factor;
  terms.clear();
  for (auto& [column, factor] : sums)
    if (factor != 0) terms.push_back({column, std::move(factor)});
  rows.push_back({std::move(terms), std::move(limit)});
}

std::optional<Rational> proved_bound(const LinearProgram& program,
                                     const std::vector<Multiplier>& multipliers) {
  std::vector<Rational> combined(program.columns, 0);
  Rational bound = 0;
  for (const Multiplier& multiplier : multipliers) {
    if (multiplier.factor < 0) return std::nullopt;
    const LinearProgram::Row& row = program.rows.at(multiplier.row);
    for (const Term& term : row.terms) combined[term.column] += multiplier.factor * term.factor;
    bound += multiplier.factor * row.limit;
  }
  for (const Term& term : program.objective) combined[term.column] -= term.factor;
  const bool equal =
      std::all_of(combined.begin(), combined.end(), [](const Rational& rest) { return rest == 0; });
  return equal ? std::optional(bound) : std::nullopt;
}

std::optional<ProvedMaximum> proved_maximum(const LinearProgram& program) {
  const DoubleProgram dual = dual_in_doubles(program);
  if (!fits(dual)) return std::nullopt;
  // Each of the two runs in circles on about one degenerate program in 20 000, but not on the same one.
  for (const int method : {GLP_PRIMAL, GLP_DUAL})
    if (const auto basis = optimal_basis(program, dual, method))
      if (auto maximum = proved_at(program, *basis)) return maximum;
  return std::nullopt;
}

}  // namespace tailbound::bounds
