#include <tailbound/core/error.hpp>
#include <tailbound/queue/hops/queue_pair.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <map>

using namespace tailbound;
using queue::PairLaw;
using queue::QueuePair;

namespace {

/// P(a, b) of a slot, source by source.
std::map<std::pair<int, int>, double> arrivals(const QueuePair& pair) {
  std::map<std::pair<int, int>, double> law{{{0, 0}, 1.0}};
  for (const queue::PairSource& source : pair.sources)
    for (int i = 0; i < source.count; ++i) {
      std::map<std::pair<int, int>, double> next;
      for (const auto& [ab, p] : law) {
        next[ab] += p * (1 - source.through - source.around);
        if (source.through > 0) next[{ab.first + 1, ab.second}] += p * source.through;
        if (source.around > 0) next[{ab.first, ab.second + 1}] += p * source.around;
      }
      law = std::move(next);
    }
  return law;
}

/// The stationary distribution of (v, y) by elimination of one state after another, from the fullest down
/// (Grassmann, Taksar, Heyman): level by level, no subtraction.
class Eliminated {
 public:
  Eliminated(const QueuePair& pair, int size) {
    for (int v = 0; v < size; ++v)
      for (int y = 0; v + y < size; ++y) place_[{v, y}] = static_cast<int>(place_.size());
    const std::size_t n = place_.size();
    std::vector<std::vector<double>> rate(n, std::vector<double>(n, 0));
    for (const auto& [state, from] : place_)
      for (const auto& [ab, chance] : arrivals(pair))
        for (int m = 0; m < 2; ++m) {
          const int x = state.first + ab.first;
          if (m == 1 && x == 0) continue;
          const double marked = x == 0 ? 1 : m == 1 ? pair.forwarded : 1 - pair.forwarded;
          const auto to = place_.find({std::max(x - 1, 0), std::max(state.second - 1, 0) + ab.second + m});
          if (to != place_.end())
            rate[static_cast<std::size_t>(from)][static_cast<std::size_t>(to->second)] += chance * marked;
        }
    for (std::size_t k = n; k-- > 1;) {
      double out = 0;
      for (std::size_t j = 0; j < k; ++j) out += rate[k][j];
      for (std::size_t i = 0; i < k; ++i) {
        if (rate[i][k] == 0) continue;
        rate[i][k] /= out;
        for (std::size_t j = 0; j < k; ++j) rate[i][j] += rate[i][k] * rate[k][j];
      }
    }
    law_.assign(n, 0);
    law_[0] = 1;
    double sum = 1;
    for (std::size_t k = 1; k < n; ++k) {
      for (std::size_t i = 0; i < k; ++i) law_[k] += law_[i] * rate[i][k];
      sum += law_[k];
    }
    for (double& value : law_) value /= sum;
  }
  [[nodiscard]] double at(int v, int y) const { return law_[static_cast<std::size_t>(place_.at({v, y}))]; }

 private:
  std::map<std::pair<int, int>, int> place_;
  std::vector<double> law_;
};

/// Sources that reach U only, T only, or both.
std::vector<QueuePair> pairs() {
  return {{{{3, 0.12, 0}, {4, 0, 0.05}}, 0.5},
          {{{4, 0.1, 0.05}}, 0.4},
          {{{2, 0.15, 0.1}, {1, 0.05, 0.2}, {1, 0.1, 0}, {2, 0, 0.03}}, 0.3},
          {{{2, 0.2, 0}}, 1.0}};
}

}  // namespace

TEST_CASE("pair: plain slots, combined slots and elimination level by level agree to 1e-10") {
  for (const QueuePair& pair : pairs()) {
    const Eliminated expected(pair, 36);
    const PairLaw plain = queue::pair_law(pair, 64, 1e-12, queue::PairMethod::plain);
    const PairLaw combined = queue::pair_law(pair, 64, 1e-12);
    CHECK(combined.slots <= plain.slots + 30);
    for (int v = 0; v < 8; ++v)
      for (int y = 0; y + v < 8; ++y) {
        const auto a = static_cast<std::size_t>(v), b = static_cast<std::size_t>(y);
        if (expected.at(v, y) == 0) continue;
        CHECK(plain.at(a, b) == Approx(expected.at(v, y)).epsilon(1e-10));
        CHECK(combined.at(a, b) == Approx(expected.at(v, y)).epsilon(1e-10));
      }
  }
}

TEST_CASE("pair: packets left over at T and bound for it satisfy the exact identity") {
  for (const QueuePair& pair : pairs()) {
    const std::vector<double> error = queue::identity_error(pair, queue::pair_law(pair, 96, 1e-11));
    CHECK(error[24] < 1e-9);
  }
}

// E[z^(q+N)] = V(z) E[z^N | T idle] with two queues upstream of T, each a separate chain; uses none of the
// pair's code.
TEST_CASE("pair: the identity holds for two queues upstream") {
  constexpr int size = 20;
  constexpr double u = 0.2, p = 0.5, o = 0.05;  // two sources of rate u send to each; two of rate o to T
  const auto at = [](int v, int w, int y) { return static_cast<std::size_t>((v * size + w) * size + y); };
  std::vector<double> law(size * size * size, 0), next;
  law[0] = 1;
  const double a[] = {(1 - u) * (1 - u), 2 * u * (1 - u), u * u},
               b[] = {(1 - o) * (1 - o), 2 * o * (1 - o), o * o};
  for (int slot = 0; slot < 250; ++slot) {
    next.assign(law.size(), 0);
    for (int v = 0; v < size; ++v)
      for (int w = 0; w < size; ++w)
        for (int y = 0; y < size; ++y) {
          const double mass = law[at(v, w, y)];
          if (mass < 1e-16) continue;
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              const int x = v + i, z = w + j;
              for (int m = 0; m <= (x > 0); ++m)
                for (int n = 0; n <= (z > 0); ++n)
                  for (int k = 0; k < 3; ++k) {
                    const int to = std::max(y - 1, 0) + k + m + n;
                    if (std::max(x - 1, 0) >= size || std::max(z - 1, 0) >= size || to >= size) continue;
                    const double marks = (x > 0 ? p : 1) * (z > 0 ? p : 1);  // p = 1 - p
                    next[at(std::max(x - 1, 0), std::max(z - 1, 0), to)] += mass * a[i] * a[j] * b[k] * marks;
                  }
            }
        }
    law = next;
  }
  for (const double z : {1.1, 1.3, 1.5}) {
    double sum = 0, idle = 0, mass_idle = 0;
    for (int v = 0; v < size; ++v)
      for (int w = 0; w < size; ++w)
        for (int y = 0; y < size; ++y) {
          const double mass = law[at(v, w, y)], weight = std::pow(1 - p + p * z, v + w);
          sum += mass * weight * std::pow(z, std::max(y - 1, 0));
          if (y == 0) idle += mass * weight, mass_idle += mass;
        }
    const double A = std::pow(1 + p * u * (z - 1), 4) * std::pow(1 + o * (z - 1), 2), rho = 4 * p * u + 2 * o;
    CHECK(sum == Approx((1 - rho) * (z - 1) / (z - A) * idle / mass_idle).epsilon(1e-7));
  }
}

// The distribution of W_T among packets over the link, from the slots in which they arrive at T; uses nothing
// of (3).
TEST_CASE("pair: waits at T given those at U average to the wait of the link's packets") {
  for (const QueuePair& pair : pairs()) {
    constexpr std::size_t size = 96, shown = 12;
    const PairLaw law = queue::pair_law(pair, size, 1e-11);
    const queue::PairKernel kernel(pair, law);
    const queue::LoneQueue first = queue::lone_first(pair, size);
    std::vector<double> mixed(shown, 0), direct(shown, 0);
    for (std::size_t w = 0; w + shown < size; ++w)
      for (std::size_t n = 0; n < shown; ++n) mixed[n] += first.wait[w] * kernel.row(w)[n];
    const auto slot = arrivals(pair);
    for (std::size_t v = 0; v < size; ++v)
      for (std::size_t y = 0; y + v < size && y <= shown + 1; ++y)
        for (const auto& [ab, chance] : slot) {
          if (v == 0 && ab.first == 0) continue;
          const std::size_t left = y > 0 ? y - 1 : 0, b = static_cast<std::size_t>(ab.second);
          for (std::size_t i = 0; i <= b && left + i < shown; ++i)
            direct[left + i] += law.at(v, y) * chance / static_cast<double>(b + 1) / first.load;
        }
    for (std::size_t n = 0; n < shown; ++n) {
      if (direct[n] < 1e-18) continue;
      CHECK(mixed[n] == Approx(direct[n]).epsilon(1e-7));
    }
  }
}

TEST_CASE("pair: T never has a second packet if all its packets come from U") {
  // All packets served by U go to T, and no others: T never has more than one packet.
  const QueuePair pair{{{3, 0.25, 0}}, 1.0};
  const queue::PairKernel kernel(pair, queue::pair_law(pair, 64, 1e-11));
  for (std::size_t w = 0; w < 20; ++w) {
    CHECK(kernel.row(w)[0] == Approx(1).epsilon(1e-6));
    CHECK(kernel.row(w)[1] < 1e-9);
  }
}

TEST_CASE("pair: impossible arguments are rejected") {
  CHECK_THROWS_AS(queue::pair_law({{{4, 0.3, 0}}, 0.5}, 32, 1e-6), Unstable);
  CHECK_THROWS_AS(queue::pair_law({{{1, 0.5, 0}, {3, 0, 0.3}}, 0.5}, 32, 1e-6), Unstable);
  // Whether such sums reach 1 cannot be decided.
  for (const double load : {1 - 1e-12, 1.0, 1 + 1e-12})
    CHECK_THROWS_AS(queue::lone_queue({{4, load / 4}}, 32), LimitExceeded);
  CHECK(queue::lone_queue({{4, (1 - 1e-10) / 4}}, 32).load < 1);
  CHECK_THROWS_AS(queue::pair_law({{{1, 0.7, 0.7}}, 0.5}, 32, 1e-6), InvalidArgument);
  CHECK_THROWS_AS(queue::pair_law({{{1, 0.7, 0}}, 1.5}, 32, 1e-6), InvalidArgument);
  CHECK_THROWS_AS(queue::pair_law({{{1, 0.7, 0}}, 0.5}, 0, 1e-6), InvalidArgument);
}
