#include <tailbound/bounds/multistage/shared_link.hpp>

#include <boost/math/tools/toms748_solve.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tailbound::bounds::multistage {
namespace {

/// Adds `weight` times the probability that j of `away` inputs return within a service, j = 0 .. away.
/// \param stays  probability that one does not
void add_returns(std::vector<double>& returns, int away, double stays, double weight) {
  const double goes = 1 - stays;
  if (goes == 0 || stays == 0) {
    returns[goes == 0 ? 0 : static_cast<std::size_t>(away)] += weight;
    return;
  }
  // From the mode outwards, so that nothing underflows.
  const int mode = std::min(away, static_cast<int>((away + 1) * goes));
  const double top =
      weight * std::exp(std::lgamma(away + 1.0) - std::lgamma(mode + 1.0) - std::lgamma(away - mode + 1.0) +
                        mode * std::log(goes) + (away - mode) * std::log(stays));
  double term = top;
  for (int j = mode; j <= away && term > 0; ++j) {
    returns[static_cast<std::size_t>(j)] += term;
    term *= (away - j) / (j + 1.0) * goes / stays;
  }
  term = top;
  for (int j = mode; j > 0 && term > 0; --j) {
    term *= j / (away - j + 1.0) * stays / goes;
    returns[static_cast<std::size_t>(j - 1)] += term;
  }
}

/// The heads at the link just after a service has ended and its input has decided: a chain on 0 .. s that
/// decreases by at most one per step.
class Chain {
 public:
  Chain(int inputs, const LinkUse& use) : inputs_(inputs), use_(use) {
    states_ = static_cast<std::size_t>(inputs) + 1;
  }
  /// Solves it for this return rate of an absent input.
  void solve(double rate);

  /// Mean time from the end of a service to that of the next.
  [[nodiscard]] double cycle() const { return service() + idle_ / (inputs_ * rate_); }
  [[nodiscard]] double service() const { return 1 + use_.blocked * use_.blocked_time; }
  /// By Little: from one request to the next, an input is absent for (1 - again) / rate, or at the link.
  [[nodiscard]] double wait() const {
    return std::clamp(inputs_ * cycle() - (1 - use_.again) / rate_ - service(), 0.0,
                      (inputs_ - 1) * service());
  }
  /// A head does not wait if it ends the idle time, or if its input needs the link again and is alone.
  [[nodiscard]] double wait_probability() const {
    return std::clamp(1 - idle_ - use_.again * alone_, 0.0, 1.0);
  }

 private:
  int inputs_;
  LinkUse use_;
  std::size_t states_;
  double rate_ = 1, idle_ = 0, alone_ = 0;
};

void Chain::solve(double rate) {
  rate_ = rate;
  const double stays = std::exp(-rate), stays_longer = std::exp(-rate * (1 + use_.blocked_time));
  std::vector<std::vector<double>> above(states_);  // [n][m]: P(next > m | n)
  std::vector<double> falls(states_);               // [n]: P(next = n - 1 | n)
  double no_return = 0;                             // over all inputs except the one in service
  for (std::size_t n = 1; n < states_; ++n) {
    const int away = inputs_ - static_cast<int>(n);
    std::vector<double> returns(states_ + 1, 0.0);
    add_returns(returns, away, stays, 1 - use_.blocked);
    if (use_.blocked > 0) add_returns(returns, away, stays_longer, use_.blocked);
    falls[n] = returns[0] * (1 - use_.again);
    if (n == 1) no_return = returns[0];
    // j returns lead to n - 1 + j, or one more if the input needs the link again.
    std::vector<double>& tail = above[n];
    tail.assign(states_ + 1, 0.0);
    for (std::size_t m = states_; m-- > 0;) {
      const double gone = m + 2 >= n ? returns[m + 2 - n] : 0, back = m + 1 >= n ? returns[m + 1 - n] : 0;
      tail[m] = tail[m + 1] + gone * (1 - use_.again) + back * use_.again;
    }
  }
  above[0] = above[1];  // an idle link waits for the first return
  // Across the cut between m and m + 1: pi_(m+1) P(next = m | m + 1) = sum_(n <= m) pi_n P(next > m | n).
  std::vector<double> pi(states_, 0.0);
  pi[0] = 1;
  double total = 1;
  for (std::size_t m = 0; m + 1 < states_; ++m) {
    double up = 0;
    for (std::size_t n = 0; n <= m; ++n) up += pi[n] * above[n][m];
    pi[m + 1] = up > 0 ? up / falls[m + 1] : 0;
    constexpr double large = 1e100;
    if (!(pi[m + 1] < large)) {  // lower states do not recur, or too rarely for a double
      std::fill(pi.begin(), pi.end(), 0.0);
      pi[m + 1] = 1;
      total = 0;
    }
    total += pi[m + 1];
  }
  idle_ = pi[0] / total;
  alone_ = (pi[0] + pi[1]) / total * no_return;
}

}  // namespace

LinkWait link_wait(int inputs, const LinkUse& use) {
  if (inputs == 1 || !(use.share > 0)) return {};
  Chain chain(inputs, use);
  // Above 0 where the link could carry more than its inputs offer.
  const auto spare = [&](double log_rate) {
    chain.solve(std::exp(log_rate));
    return 1 - inputs * use.share * chain.cycle() / (use.cycle + use.share * (chain.wait() - use.wait));
  };
  const double slowest = std::log(1e-12), fastest = std::log(1e3);
  double log_rate = fastest;
  if (spare(slowest) >= 0)
    log_rate = slowest;
  else if (spare(fastest) > 0) {
    std::uintmax_t maximum = 100;
    const auto ends = boost::math::tools::toms748_solve(
        spare, slowest, fastest, boost::math::tools::eps_tolerance<double>(48), maximum);
    log_rate = (ends.first + ends.second) / 2;
  }
  chain.solve(std::exp(log_rate));
  return {.time = chain.wait(), .probability = chain.wait_probability()};
}

}  // namespace tailbound::bounds::multistage
