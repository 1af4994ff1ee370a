#include <tailbound/bounds/crossbar/fifo_inputs.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/queue/crossbar/head_of_line.hpp>

#include <array>
#include <cmath>
#include <string>

namespace tailbound::bounds {
namespace {

/// Fitted to 42 simulated points: 2, 4, 8, 16, 32 and 64 ports, 0.2 to 0.95 of saturation.
constexpr std::array<double, 10> mean_fit{0.0390756, 0.143749, 0.917997, -1.48115,   -1.36977,
                                          2.21033,   1.02825,  -1.76242, -0.0516651, 0.416797};
/// Of a tail: I and S by f^a x^b with (a, b) = (0, 0), (0, 1), (1, 0), (1, 1), ..; then E_1 and E_2.
struct TailFit {
  std::array<double, 6> start;
  std::array<double, 8> slope;
  double bend, bend_by_share;
};
/// Fitted to the tails of the same points, from 3e-5 to 0.3.
constexpr TailFit delay_fit{{-2.79361, -1.75744, 2.17555, 4.00665, 0.728764, -2.4966},
                            {-0.0956485, 0.243213, 1.4883, -1.8153, -2.18589, 3.88698, 1.70465, -2.39959},
                            -0.108538,
                            -0.126184};
constexpr TailFit input_fit{{-1.69486, -1.60355, 0.271649, 8.82028, 1.53414, -8.03537},
                            {5.65119, -0.31666, -8.78975, 3.49937, 8.30364, 5.48638, -1.92574, -6.21328},
                            -2.92143,
                            2.39854};

const TailFit& fit_of(FifoInputs::Of what) {
  return what == FifoInputs::Of::delay ? delay_fit : input_fit;
}

/// sum of c[2 a + b] f^a x^b.
template <std::size_t count>
double polynomial(const std::array<double, count>& c, double f, double x) {
  double sum = 0;
  for (std::size_t a = count / 2; a-- > 0;) sum = sum * f + c[2 * a] + c[2 * a + 1] * x;
  return sum;
}

}  // namespace

FifoInputs::FifoInputs(std::int64_t ports, double load) : ports_(ports), saturation_(0), share_(0) {
  if (ports < min_ports || ports > max_ports)
    throw InvalidArgument("ports", std::to_string(ports),
                          "from " + std::to_string(min_ports) + " to " + std::to_string(max_ports));
  saturation_ = queue::head_of_line_load(ports);
  share_ = load / saturation_;
  if (share_ >= 1)
    throw LoadTooHigh("the load " + std::to_string(load) + " is at or above the saturation load " +
                      std::to_string(saturation_));
  const double x = 1 / static_cast<double>(ports), f = share_;
  const auto& m = mean_fit;
  const double shape = 1 + f * (m[0] + m[1] * x + m[8] * x * x) + f * f * (m[2] + m[3] * x) +
                       f * f * f * (m[4] + m[5] * x + m[9] * x * x) + f * f * f * f * (m[6] + m[7] * x);
  mean_ = saturation_ * (1 - x) / 2 * f / (1 - f) * shape;
}

double FifoInputs::scale(Of what) const {
  return what == Of::delay ? mean_ : 1 / (1 - share_);
}

double FifoInputs::fitted_log(Of what, double y) const {
  const TailFit& fit = fit_of(what);
  const double x = 1 / static_cast<double>(ports_);
  return polynomial(fit.start, share_, x) - y * polynomial(fit.slope, share_, x) +
         std::log1p(y) * (fit.bend + fit.bend_by_share * share_);
}

double FifoInputs::place_of(Of what, double log_tail) const {
  double high = 1;
  while (fitted_log(what, high) > log_tail) high *= 2;
  return halved(
             0.0, high, [&](double y) { return fitted_log(what, y) > log_tail; }, 1e-14)
      .second;
}

double FifoInputs::log_above(Of what, double y) const {
  const double last = std::log(min_fitted_tail), fitted = fitted_log(what, y);
  if (fitted >= last) return fitted;
  const TailFit& fit = fit_of(what);
  const double edge = place_of(what, last);
  const double slope = (fit.bend + fit.bend_by_share * share_) / (1 + edge) -
                       polynomial(fit.slope, share_, 1 / static_cast<double>(ports_));
  return last + slope * (y - edge);
}

std::optional<numeric::Model<unit::Probability>> FifoInputs::above(Of what, double level) const {
  const double log_tail = log_above(what, level / scale(what));
  if (log_tail > std::log(max_tail)) return std::nullopt;
  return numeric::Model<unit::Probability>{std::exp(log_tail)};
}

std::optional<double> FifoInputs::quantile(Of what, double tail) const {
  if (tail > max_tail) return std::nullopt;
  const double last = std::log(min_fitted_tail), log_tail = std::log(tail);
  if (fitted_log(what, 0) <= log_tail) return 0;
  if (log_tail >= last) return scale(what) * place_of(what, log_tail);
  const double edge = place_of(what, last), slope = log_above(what, edge + 1) - log_above(what, edge);
  return scale(what) * (edge + (log_tail - last) / slope);
}

}  // namespace tailbound::bounds
