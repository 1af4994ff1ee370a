#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

namespace tailbound::answers {
namespace {

/// The most recent saturation loads, shared by the points of a curve.
std::optional<double> saturation_of(const MultistageQuery& query) {
  constexpr std::size_t max_kept = 64;
  static std::mutex mutex;
  static std::map<std::string, std::optional<double>> found;
  const std::string network = network::describe(query.network);
  {
    const std::lock_guard lock(mutex);
    if (const auto known = found.find(network); known != found.end()) return known->second;
  }
  const std::optional<double> load = bounds::multistage::saturation(query.network);
  const std::lock_guard lock(mutex);
  if (found.size() >= max_kept) found.clear();
  found.emplace(network, load);
  return load;
}

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

MultistageAnswer answer(const MultistageQuery& query, const Run&) {
  const double service = service_time(query.service);
  const bounds::multistage::Point solved = bounds::multistage::solve(query.network, query.load);
  const numeric::Rational bound = network::saturation_bound(query.network);
  if (solved.ending.stop == bounds::Stop::too_many_rounds &&
      solved.throughput > numeric::nearest_double(bound))
    throw NoAnswer("the iteration of the model does not converge at load " + numeric::plain(query.load) +
                   ", next to saturation: the throughput is at most " + numeric::plain(bound) +
                   "; tailbound simulate multistage simulates it");
  MultistageAnswer answer;
  answer.throughput = {solved.throughput};
  answer.delay = {service * solved.delay};
  if (query.network.hot > 0) answer.hot_delay = {service * solved.hot_delay};
  if (query.network.hot < 1) answer.cold_delay = {service * solved.cold_delay};
  for (const bounds::multistage::StageFigures& stage : solved.hot_path)
    answer.hot_path.push_back({{stage.occupancy}, {stage.combining}, {stage.utilization}});
  answer.ending = solved.ending;
  answer.saturated =
      solved.throughput < bounds::multistage::carried_share * numeric::nearest_double(query.load);
  if (const auto load = saturation_of(query)) answer.saturation_load = {*load};
  answer.saturation_bound = {numeric::Theorem::input, bound};
  return answer;
}

}  // namespace tailbound::answers
