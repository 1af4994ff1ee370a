#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

/// The memory of a small switch as a Markov chain of the lengths of all queues, in doubles, by iteration.
/// Shares nothing with the library.
namespace tailbound::test {

class SharedChain {
 public:
  using Lengths = std::vector<int>;
  /// Is a packet accepted for a queue of this length with this many packets in the memory?
  using Rule = std::function<bool(int length, int total)>;

  /// \param rates  rates[j][i] of input j to output i
  /// \param identical  are outputs equivalent, so that only the sorted lengths matter?
  SharedChain(std::vector<std::vector<double>> rates, int memory, bool identical, Rule rule)
      : rates_(std::move(rates)), memory_(memory), outputs_(rates_.front().size()), identical_(identical) {
    Lengths empty(outputs_, 0);
    index_of(empty);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      Lengths after = states_[i];
      for (int& length : after) length = std::max(0, length - 1);
      const std::size_t next = index_of(after);
      departed_.push_back(next);
      int total = 0;
      for (const int length : states_[i]) total += length;
      totals_.push_back(total);
      std::vector<std::size_t> grown;
      for (std::size_t output = 0; output < outputs_; ++output) {
        Lengths more = states_[i];
        // A packet that is not accepted leaves the state unchanged.
        if (total < memory_ && rule(more[output], total)) {
          ++more[output];
          grown.push_back(index_of(more));
        } else {
          grown.push_back(lost);
        }
      }
      grown_.push_back(grown);
    }
  }

  [[nodiscard]] std::size_t states() const { return states_.size(); }

  /// Iterates until the loss and the tail at `level` change by less than 1e-10 relative in 64 slots.
  void settle(int level) {
    now_.assign(states_.size(), 0);
    now_[0] = 1;
    double former_loss = -1, former_tail = -1;
    for (;;) {
      for (int slot = 0; slot < 64; ++slot) step();
      const double now_loss = loss(), now_tail = tail(level);
      if (std::abs(now_loss - former_loss) <= 1e-10 * now_loss &&
          std::abs(now_tail - former_tail) <= 1e-10 * now_tail)
        return;
      former_loss = now_loss;
      former_tail = now_tail;
    }
  }

  /// P(T > level), just after arrivals.
  [[nodiscard]] double tail(int level) const {
    double sum = 0;
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (totals_[i] > level) sum += now_[i];
    return sum;
  }
  [[nodiscard]] double moment(int power) const {
    double sum = 0;
    for (std::size_t i = 0; i < now_.size(); ++i)
      sum += now_[i] * (power == 1 ? totals_[i] : totals_[i] * totals_[i]);
    return sum;
  }
  /// Fraction of the packets to an output that is lost in the last slot; of all packets without one.
  [[nodiscard]] double loss() const {
    double lost_sum = 0, offered = 0;
    for (std::size_t i = 0; i < outputs_; ++i) lost_sum += lost_[i];
    for (const auto& row : rates_)
      for (const double rate : row) offered += rate;
    return lost_sum / offered;
  }
  [[nodiscard]] double loss(std::size_t output) const {
    double offered = 0;
    for (const auto& row : rates_) offered += row[output];
    return lost_[output] / offered;
  }

 private:
  static constexpr std::size_t lost = static_cast<std::size_t>(-1);

  std::size_t index_of(Lengths& lengths) {
    if (identical_) std::sort(lengths.begin(), lengths.end());
    const auto [place, added] = index_.try_emplace(lengths, states_.size());
    if (added) states_.push_back(lengths);
    return place->second;
  }

  void step() {
    std::vector<double> next(now_.size(), 0);
    for (std::size_t i = 0; i < now_.size(); ++i) next[departed_[i]] += now_[i];
    lost_.assign(outputs_, 0);
    for (const std::vector<double>& row : rates_) {
      now_.assign(next.size(), 0);
      double none = 1;
      for (const double rate : row) none -= rate;
      for (std::size_t i = 0; i < next.size(); ++i) {
        if (next[i] == 0) continue;
        now_[i] += none * next[i];
        for (std::size_t output = 0; output < outputs_; ++output) {
          const double share = row[output] * next[i];
          if (grown_[i][output] == lost) {
            now_[i] += share;
            lost_[output] += share;
          } else {
            now_[grown_[i][output]] += share;
          }
        }
      }
      next.swap(now_);
    }
    now_.swap(next);
  }

  std::vector<std::vector<double>> rates_;
  int memory_;
  std::size_t outputs_;
  bool identical_;
  std::map<Lengths, std::size_t> index_;
  std::vector<Lengths> states_;
  std::vector<int> totals_;
  std::vector<std::size_t> departed_;
  std::vector<std::vector<std::size_t>> grown_;
  std::vector<double> now_, lost_;
};

}  // namespace tailbound::test
