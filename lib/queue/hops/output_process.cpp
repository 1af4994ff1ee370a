#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/hops/output_process.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tailbound::queue {

double OutputProcess::rate() const noexcept {
  double busy = 1;
  if (phases > 1) {
    const double length = first / stop[0] + (1 - first) / stop[1];
    busy = start * length / (1 + start * length);
  }
  return emit * busy;
}

RunMoments run_moments(std::span<const LoneSource> sources) {
  // Factorial moments of the arrivals of a slot, from those of log A.
  double s1 = 0, s2 = 0, s3 = 0, none = 1;
  for (const LoneSource& source : sources) {
    const auto count = static_cast<double>(source.count);
    const double r = source.probability;
    s1 += count * r;
    s2 -= count * r * r;
    s3 += 2 * count * r * r * r;
    none *= std::pow(1 - r, count);
  }
  const double a1 = s1, a2 = s2 + s1 * s1, a3 = s3 + 3 * s1 * s2 + s1 * s1 * s1;
  if (!(a1 < 1)) throw Unstable(numeric::plain(a1, 12));
  if (!(none < 1)) return {0, 1, 0, 0, 0};
  // theta = z A(theta): slots until one packet and all packets arriving meanwhile are served. R(z) =
  // (A(theta) - A(0))/(1 - A(0)).
  const double t1 = 1 / (1 - a1);
  const double t2 = (2 * a1 * t1 + a2 * t1 * t1) / (1 - a1);
  const double t3 = (3 * (a2 * t1 * t1 + a1 * t2) + a3 * t1 * t1 * t1 + 3 * a2 * t1 * t2) / (1 - a1);
  const double m1 = a1 * t1 / (1 - none);
  const double m2 = (a2 * t1 * t1 + a1 * t2) / (1 - none);
  const double m3 = (a3 * t1 * t1 * t1 + 3 * a2 * t1 * t2 + a1 * t3) / (1 - none);
  RunMoments runs{a1, none, 0, 0, 0};
  runs.f1 = std::max(0.0, m1 - 1);
  runs.f2 = std::max(0.0, m2 / 2 - runs.f1);
  runs.f3 = std::max(0.0, m3 / 6 - runs.f2);
  return runs;
}

OutputProcess OutputProcess::simplified() const {
  OutputProcess result = *this;
  if (phases == 3) {
    result.phases = 2;
    result.stop[0] = 1 / (first / stop[0] + (1 - first) / stop[1]);
    result.stop[1] = 1;
    result.first = 1;
    return result;
  }
  result = {};
  result.emit = rate();
  return result;
}

OutputProcess output_process(const RunMoments& runs, double emit) {
  OutputProcess process;
  process.emit = emit;
  process.phases = 2;
  process.start = 1 - runs.none;
  process.stop[0] = 1 / (1 + runs.f1);
  const double spread = runs.f2 - runs.f1 * runs.f1;
  constexpr double negligible = 1e-9;
  if (!(spread > negligible * (runs.f2 + negligible))) return process;
  // (1-s)/s of the two kinds: the two points whose moments are f1, f2, f3.
  double x1 = 0, x2 = 0;
  const double c1 = (runs.f3 - runs.f1 * runs.f2) / spread, c0 = c1 * runs.f1 - runs.f2;
  const double discriminant = c1 * c1 - 4 * c0;
  if (discriminant > 0) {
    x1 = (c1 - std::sqrt(discriminant)) / 2;
    x2 = (c1 + std::sqrt(discriminant)) / 2;
  }
  if (!(discriminant > 0 && x1 >= 0)) {
    x1 = 0;
    x2 = runs.f2 / runs.f1;
  }
  process.phases = 3;
  process.first = (x2 - runs.f1) / (x2 - x1);
  process.stop[0] = 1 / (1 + x1);
  process.stop[1] = 1 / (1 + x2);
  return process;
}

std::vector<double> stationary(const OutputProcess& process) {
  if (process.phases == 1) return {1};
  std::vector<double> law{1, process.start * process.first / process.stop[0]};
  if (process.phases == 3) law.push_back(process.start * (1 - process.first) / process.stop[1]);
  double sum = 0;
  for (const double value : law) sum += value;
  for (double& value : law) value /= sum;
  return law;
}

std::vector<double> mean_age_of_run(const std::vector<LoneSource>& sources, std::size_t size) {
  const LoneQueue queue = lone_queue(sources, size);
  const std::vector<double>& a = queue.arrivals;
  // law(v): P(the run has lasted n slots, v are left over); summed over n, and with n.
  std::vector<double> law(size, 0), next(size, 0), sum(size, 0), with_age(size, 0);
  for (std::size_t v = 0; v < size && v + 1 < a.size(); ++v) law[v] = a[v + 1];
  double alive = 1;
  for (int age = 1; alive > 1e-12 && age < 100'000; ++age) {
    alive = 0;
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t v = 0; v < size; ++v) {
      sum[v] += law[v];
      with_age[v] += age * law[v];
      alive += law[v];
      for (std::size_t n = v == 0 ? 1 : 0; n < a.size() && v + n <= size; ++n)
        next[v + n - 1] += law[v] * a[n];
    }
    std::swap(law, next);
  }
  for (std::size_t v = 0; v < size; ++v)
    with_age[v] = sum[v] > 0 ? with_age[v] / sum[v] : (v > 0 ? with_age[v - 1] : 0);
  return with_age;
}

}  // namespace tailbound::queue
