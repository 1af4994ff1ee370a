#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/deterministic_queue.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::queue {
namespace {

/// P(A > m) e^load for m = 0, 1, ... until it is 0 in double; A Poisson with mean `load`.
std::vector<double> scaled_tails(double load) {
  std::vector<double> terms{1};
  for (double count = 1;; ++count) {
    const double term = terms.back() * load / count;
    if (term == 0) break;
    terms.push_back(term);
  }
  std::vector<double> tails(terms.size());
  for (std::size_t m = terms.size() - 1; m > 0; --m) tails[m - 1] = tails[m] + terms[m];
  tails.pop_back();
  return tails;
}

/// The chain's probabilities pi_0 .. pi_(K-1), up to a common factor.
std::vector<double> embedded_chain(const std::vector<double>& tails, std::int64_t capacity) {
  constexpr double large = 1e30;
  std::vector<double> pi{1};
  for (std::int64_t j = 0; j + 1 < capacity; ++j) {
    double sum = 0;
    const std::int64_t first = std::max<std::int64_t>(0, j + 2 - static_cast<std::int64_t>(tails.size()));
    for (std::int64_t i = first; i <= j; ++i) {
      const auto tail = static_cast<std::size_t>(j - std::max<std::int64_t>(i - 1, 0));
      if (tail < tails.size()) sum += pi[static_cast<std::size_t>(i)] * tails[tail];
    }
    pi.push_back(sum);
    if (sum > large)
      for (double& p : pi) p /= sum;
  }
  return pi;
}

}  // namespace

DeterministicOccupancy deterministic_queue(double load, std::int64_t capacity) {
  if (!(load > 0 && load <= 600))
    throw InvalidArgument("load", std::to_string(load), "above 0 and at most 600 requests per service time");
  if (capacity < 1 || capacity > 100'000)
    throw InvalidArgument("places", std::to_string(capacity), "a whole number from 1 to 100000");
  const std::vector<double> tails = scaled_tails(load);
  std::vector<double> pi = embedded_chain(tails, capacity);
  double total = 0;
  for (const double p : pi) total += p;

  // sum_(j>=m) P(A > j): the mean number of arrivals beyond m during a service.
  std::vector<double> beyond(tails.size() + 1);
  for (std::size_t m = tails.size(); m > 0; --m) beyond[m - 1] = beyond[m] + tails[m - 1];
  double full = 0;
  for (std::int64_t i = 0; i < capacity; ++i) {
    const auto space = static_cast<std::size_t>(capacity - std::max<std::int64_t>(i, 1));
    if (space < beyond.size()) full += pi[static_cast<std::size_t>(i)] * beyond[space];
  }
  full *= std::exp(-load);

  DeterministicOccupancy result;
  const double cycle = pi[0] + load * total;
  result.probability = std::move(pi);
  result.probability.push_back(full);
  for (double& p : result.probability) p /= cycle;
  for (std::size_t k = 1; k < result.probability.size(); ++k)
    result.mean += static_cast<double>(k) * result.probability[k];
  result.accepted = load * total / cycle;
  result.lost = result.probability.back();
  return result;
}

CombiningMix::CombiningMix(double cold, double hot, std::optional<std::int64_t> combining) {
  if (!(cold >= 0 && hot >= 0 && cold + hot > 0))
    throw InvalidArgument("rates of cold and hot requests", std::to_string(cold) + ", " + std::to_string(hot),
                          "at least 0, and not both 0");
  if (combining && *combining < 1)
    throw InvalidArgument("combining", std::to_string(*combining), "at least 1");
  const double c = cold / (cold + hot), h = hot / (cold + hot);
  if (!combining) {  // h + h^2 + ... = h / c; everything multiplied by c
    const double norm = c * c + h;
    cold_ = c * c / norm;
    open_ = h / norm;
    return;
  }
  const auto degree = static_cast<double>(*combining);
  const double last = std::pow(h, degree);
  // h + ... + h^(cd-1), without 0 / 0 at c = 0.
  const double below = c == 0 ? degree - 1 : h == 0 ? 0 : -h * std::expm1((degree - 1) * std::log1p(-c)) / c;
  const double norm = c + below + last;
  cold_ = c / norm;
  full_ = last / norm;
  open_ = below / norm;
}

std::vector<double> CombiningMix::combining(std::int64_t largest) const {
  std::vector<double> result(static_cast<std::size_t>(std::max<std::int64_t>(largest, 1)) + 1);
  const double closed = cold_ + full_;
  double quotient = 0;
  for (std::size_t l = 2; l < result.size(); ++l) {
    if (closed == 0) {
      result[l] = open_ > 0 ? 1 : 0;
      continue;
    }
    if (!std::isinf(quotient)) quotient = (cold_ * quotient + open_) / closed;
    result[l] = std::isinf(quotient) ? 1 : quotient / (1 + quotient);
  }
  result.resize(static_cast<std::size_t>(largest) + 1);
  return result;
}

}  // namespace tailbound::queue
