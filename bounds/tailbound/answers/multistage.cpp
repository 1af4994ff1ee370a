#include <cln/rational.h>
#include <tailbound/answers/multistage.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/plain.hpp>

#include <algorithm>

namespace tailbound::answers {
namespace {

/// Processors stall where so small a share of the load comes through.
constexpr double least_share_through = 0.98;

}  // namespace

double service_time(const numeric::Rational& service) {
  if (service <= 0 || service > 1'000'000'000)
    throw InvalidArgument("service", numeric::plain(service), "above 0 and at most 10^9 units of time");
  return numeric::nearest_double(service);
}

std::size_t MultistageAnswer::busiest_stage() const {
  const auto busiest = std::max_element(
      hot_path.begin(), hot_path.end(),
      [](const auto& one, const auto& other) { return one.utilization.value < other.utilization.value; });
  return static_cast<std::size_t>(busiest - hot_path.begin());
}

MultistageAnswer answer(const MultistageQuestion& question, const Run&) {
  const double service = service_time(question.service);
  const bounds::multistage::Point solved =
      bounds::multistage::solve(question.network, question.load, question.variant);
  MultistageAnswer answer;
  answer.throughput = {solved.throughput};
  answer.delay = {service * solved.delay};
  if (question.network.hot > 0) answer.hot_delay = {service * solved.hot_delay};
  if (question.network.hot < 1) answer.cold_delay = {service * solved.cold_delay};
  for (const bounds::multistage::StageFigures& stage : solved.hot_path)
    answer.hot_path.push_back({{stage.occupancy}, {stage.combining}, {stage.utilization}});
  answer.ending = solved.ending;
  answer.saturated = solved.throughput < least_share_through * numeric::nearest_double(question.load);
  answer.saturation_without_combining = {bounds::multistage::saturation_without_combining(question.network)};
  return answer;
}

}  // namespace tailbound::answers
