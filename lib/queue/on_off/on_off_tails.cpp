#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/on_off/on_off_blocks.hpp>
#include <tailbound/queue/on_off/on_off_tails.hpp>

#include <Eigen/LU>
#include <algorithm>

namespace tailbound::queue {
namespace {

using Dense = Eigen::MatrixXd;

/// A quasi-birth-death process, and its first level.
struct LevelProcess {
  Dense down, within, up, first;
};

/// `wide` levels of X as one.
LevelProcess level_process(const Blocks<double>& blocks, Eigen::Index wide) {
  const Eigen::Index phases = blocks.phases(), size = wide * phases;
  LevelProcess result{Dense::Zero(size, size), Dense::Zero(size, size), Dense::Zero(size, size), {}};
  for (Eigen::Index from = 0; from < wide; ++from)
    for (std::size_t b = 0; b < blocks.d.size(); ++b) {
      const Eigen::Index to = from - 1 + static_cast<Eigen::Index>(b);
      Dense& part = to < 0 ? result.down : to < wide ? result.within : result.up;
      part.block(from * phases, (to + wide) % wide * phases, phases, phases) += blocks.d[b];
    }
  result.first = result.within;
  result.first.topLeftCorner(phases, phases) += blocks.d.front();  // an empty queue stays empty
  return result;
}

/// The first passages to the level below, by logarithmic reduction.
Dense passages_down(const LevelProcess& process) {
  constexpr int most_steps = 64;
  constexpr double converged = 1e-14;
  const Dense identity = Dense::Identity(process.within.rows(), process.within.cols());
  const Eigen::PartialPivLU<Dense> begin(identity - process.within);
  Dense up = begin.solve(process.up), down = begin.solve(process.down);
  Dense result = down, through = up;
  for (int step = 0; step < most_steps; ++step) {
    const Eigen::PartialPivLU<Dense> lu(identity - up * down - down * up);
    up = lu.solve(up * up).eval();
    down = lu.solve(down * down).eval();
    const Dense more = through * down;
    result += more;
    through *= up;
    if (more.cwiseAbs().rowwise().sum().maxCoeff() < converged) break;
  }
  return result;
}

/// The stationary distribution of a stochastic matrix, by elimination of states without subtractions.
Eigen::RowVectorXd stationary_of(Dense p) {
  const Eigen::Index n = p.rows();
  for (Eigen::Index k = n - 1; k > 0; --k) {
    const double out = p.row(k).head(k).sum();
    if (!(out > 0)) continue;
    p.col(k).head(k) /= out;
    p.topLeftCorner(k, k) += p.col(k).head(k) * p.row(k).head(k);
  }
  Eigen::RowVectorXd result = Eigen::RowVectorXd::Zero(n);
  result(0) = 1;
  for (Eigen::Index k = 1; k < n; ++k) result(k) = result.head(k).dot(p.col(k).head(k));
  return result / result.sum();
}

}  // namespace

std::vector<double> on_off_tails(const traffic::OnOff& source, std::int64_t sources,
                                 const std::vector<std::int64_t>& levels) {
  tailbound::require(sources >= 1 && sources <= max_sources_of_tails, "sources", std::to_string(sources),
                     "from 1 to 16");
  const numeric::Rational load = source.load * sources;
  if (load >= 1) throw Unstable(numeric::plain(load));
  const Blocks<double> blocks = on_off_blocks<double>(source, sources);
  const Eigen::Index wide = std::max<Eigen::Index>(static_cast<Eigen::Index>(sources) - 1, 1),
                     phases = blocks.phases();
  const LevelProcess process = level_process(blocks, wide);
  const Dense down = passages_down(process), identity = Dense::Identity(down.rows(), down.cols());
  // R from (I - within - up G)^T R^T = up^T.
  const Dense rate = Eigen::PartialPivLU<Dense>((identity - process.within - process.up * down).transpose())
                         .solve(process.up.transpose())
                         .transpose();
  const Eigen::VectorXd above = Eigen::PartialPivLU<Dense>(identity - rate)
                                    .solve(Eigen::VectorXd::Ones(down.rows()));  // mass from a level on
  Eigen::RowVectorXd level = stationary_of(process.first + process.up * down);
  level /= level.dot(above);
  std::vector<double> result;
  std::int64_t at = 0;
  for (const std::int64_t n : levels) {
    if (n == 0) {
      result.push_back(numeric::nearest_double(load));
      continue;
    }
    for (; at < n / wide; ++at) level *= rate;
    const Eigen::Index rest = down.rows() - static_cast<Eigen::Index>(n % wide) * phases;
    result.push_back(std::clamp(level.tail(rest).sum() + (level * rate).dot(above), 0.0, 1.0));
  }
  return result;
}

}  // namespace tailbound::queue
