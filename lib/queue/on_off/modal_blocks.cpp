#include <tailbound/queue/on_off/modal_blocks.hpp>
#include <tailbound/queue/on_off/on_off_blocks.hpp>

#include <cmath>

namespace tailbound::queue {
namespace {

using Number = long double;

constexpr Number negligible_state = 1e-45L;  ///< omitted probabilities of states and batches

/// The binomial distribution from its mode outwards: first state kept, and the probabilities.
struct States {
  std::int64_t first;
  std::vector<Number> probabilities;
};

States stationary_states(std::int64_t sources, Number on) {
  const auto ratio = [&](std::int64_t j) {  // w_(j+1) / w_j
    return static_cast<Number>(sources - j) / static_cast<Number>(j + 1) * on / (1 - on);
  };
  const auto mode = static_cast<std::int64_t>(static_cast<Number>(sources) * on);
  std::vector<Number> below, above{1};
  std::int64_t first = mode;
  for (Number w = 1; first > 0; --first) {
    w /= ratio(first - 1);
    if (w < negligible_state) break;
    below.push_back(w);
  }
  Number w = 1;
  for (std::int64_t j = mode; j < sources; ++j) {
    w *= ratio(j);
    if (w < negligible_state) break;
    above.push_back(w);
  }
  std::vector<Number> all(below.rbegin(), below.rend());
  all.insert(all.end(), above.begin(), above.end());
  Number sum = 0;
  for (const Number v : all) sum += v;
  for (Number& v : all) v /= sum;
  return {first, all};
}

}  // namespace

Blocks<long double> modal_blocks(const traffic::OnOff& source, std::int64_t sources, Eigen::Index modes) {
  const OnOffNumbers<Number> p(source);
  const Number on = from_rational<Number>(source.on_fraction()), off = 1 - on;
  const States states = stationary_states(sources, on);
  const auto count = static_cast<Eigen::Index>(states.probabilities.size());
  const auto m = static_cast<Number>(sources);

  // Rows: sqrt(w_j) K_k(j), by the recurrence in k.
  Matrix<Number> functions(modes, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto j = static_cast<Number>(states.first + i);
    Number before = 0, now = std::sqrt(states.probabilities[static_cast<std::size_t>(i)]);
    for (Eigen::Index k = 0; k < modes; ++k) {
      functions(k, i) = now;
      const auto order = static_cast<Number>(k);
      const Number center = on * (m - order) + order * off;
      const Number down = std::sqrt(on * off * order * (m - order + 1));
      const Number up = std::sqrt(on * off * (order + 1) * (m - order));
      const Number next = ((j - center) * now - down * before) / (up > 0 ? up : 1);
      before = now;
      now = next;
    }
  }

  Blocks<Number> blocks;
  blocks.ones = Column<Number>::Zero(modes);
  blocks.ones(0) = 1;
  // Binomial(j, r)(b), b = 0, 1, ..., for every state at once.
  Column<Number> sending(count);
  for (Eigen::Index i = 0; i < count; ++i)
    sending(i) = std::pow(p.no_rate, static_cast<Number>(states.first + i));
  for (std::int64_t b = 0; b <= states.first + count - 1; ++b) {
    const Matrix<Number> weighted = functions * sending.asDiagonal();
    Matrix<Number> d = weighted * functions.transpose();
    if (b > 0 && weighted.row(0).cwiseAbs().sum() < negligible_state &&
        static_cast<Number>(b) > p.rate * static_cast<Number>(states.first + count))
      break;
    Number memory = 1;
    for (Eigen::Index k = 0; k < modes; ++k, memory *= p.memory) d.col(k) *= memory;
    blocks.d.push_back(std::move(d));
    blocks.first_row.push_back(0);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto j = static_cast<Number>(states.first + i);
      sending(i) *= j > static_cast<Number>(b)
                        ? (j - static_cast<Number>(b)) / static_cast<Number>(b + 1) * p.rate / p.no_rate
                        : 0;
    }
  }
  return blocks;
}

}  // namespace tailbound::queue
