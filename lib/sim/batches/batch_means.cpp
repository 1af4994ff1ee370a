#include <tailbound/sim/batches/batch_means.hpp>

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tailbound::sim {

RatioEstimate ratio_estimate(std::span<const double> numerators, std::span<const double> denominators,
                             double confidence) {
  if (numerators.size() < 2 || numerators.size() != denominators.size())
    throw InvalidArgument("number of batches", std::to_string(numerators.size()), "at least 2");
  if (!(confidence > 0 && confidence < 1))
    throw InvalidArgument("confidence", std::to_string(confidence), "above 0 and below 1");
  const double above = std::accumulate(numerators.begin(), numerators.end(), 0.0);
  const double below = std::accumulate(denominators.begin(), denominators.end(), 0.0);
  if (!(below > 0)) throw InvalidArgument("sum of denominators", std::to_string(below), "above 0");
  const double ratio = above / below;
  if (above == 0) return {0, 0, -std::log((1 - confidence) / 2) / below};
  const auto batches = static_cast<double>(numerators.size());
  double squares = 0;
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    const double residual = numerators[i] - ratio * denominators[i];
    squares += residual * residual;
  }
  const double deviation = std::sqrt(squares / (batches - 1) * batches) / below;
  const boost::math::students_t student(batches - 1);
  const double half = boost::math::quantile(student, (1 + confidence) / 2) * deviation;
  return {ratio, std::max(0.0, ratio - half), ratio + half};
}

}  // namespace tailbound::sim
