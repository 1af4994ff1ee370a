#include <tailbound/bounds/network/wired_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/hops/wired_pair.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Rational;
using queue::FeedingHost;
using queue::LoneSource;
using queue::OutputProcess;
using queue::TaggedInput;
using queue::WiredLaw;
using queue::WiredPair;
using Series = std::vector<double>;

/// Of the chains' laws, relative.
constexpr double tolerance = 2e-4;
/// What is left out of a law, over the rarest probability that is asked for.
constexpr double left_out = 1e-3;
/// Sources that reach a queue by several inputs count as such where they make up so much of these inputs' products.
constexpr double least_sharing = 0.02;
/// Phases of all wires of a chain together; beyond them the lightest wires get fewer.
constexpr std::size_t most_phases = 81, most_plain_phases = 27;
/// As far as probabilities of that the correction for three and more queues is computed; beyond, it stays as it is there.
constexpr double corrected_to = 1e-4;
/// Cells of a chain that counts packets, with the places that a target of 1e-6 needs: whatever is asked, the same chains do.
constexpr double most_counted_cells = 250'000, usual_target = 1e-6;
constexpr std::size_t most_cells = 8'000'000, most_places = 600;
/// Rarer probabilities are continued with the rate at which those before fall.
constexpr double rarest = 1e-10;

/// Sums are equal where rates are, in whatever order they were added.
double rounded(double rate) {
  return std::ldexp(std::round(std::ldexp(rate, 40)), -40);
}

double mean_of(const Series& law) {
  double sum = 0;
  for (std::size_t n = 0; n < law.size(); ++n) sum += static_cast<double>(n) * law[n];
  return sum;
}

double sum_of(const Series& law) {
  double sum = 0;
  for (const double value : law) sum += value;
  return sum;
}

double rate_of(const std::map<std::size_t, double>& rates, std::size_t source) {
  const auto place = rates.find(source);
  return place == rates.end() ? 0 : place->second;
}

std::vector<LoneSource> alike(const std::map<std::size_t, double>& rates) {
  std::map<double, std::int64_t> counts;
  for (const auto& [source, rate] : rates)
    if (rounded(rate) > 1e-12) ++counts[rounded(rate)];
  std::vector<LoneSource> result;
  for (const auto& [rate, count] : counts) result.push_back({count, rate});
  return result;
}

/// A packet's way through the queues that may wait.
struct WiredRoute {
  std::vector<std::size_t> queues, inputs;
  std::size_t source = 0;
  std::int64_t hops = 0;
};

/// A chain, and which of its hosts and wires an input of the network is.
struct Built {
  WiredPair pair;
  std::map<std::size_t, std::size_t> host_of_source, host_of_input, wire_of_input;
};

template <class T>
std::vector<std::size_t> sorted_places(const std::vector<T>& values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<std::size_t> place(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  return place;
}

/// Equal chains are solved once: their hosts and wires are in order, and sums are equal in whatever order they were added.
void put_in_order(Built& built) {
  WiredPair& pair = built.pair;
  for (FeedingHost& host : pair.hosts)
    for (double FeedingHost::*value : {&FeedingHost::rate, &FeedingHost::share, &FeedingHost::around,
                                       &FeedingHost::both, &FeedingHost::twice, &FeedingHost::rate_of_two})
      host.*value = rounded(host.*value);
  for (double& rate : pair.other_hosts) rate = rounded(rate);
  for (auto* wires : {&pair.wires, &pair.other_wires})
    for (OutputProcess& wire : *wires) wire.emit = rounded(wire.emit);
  pair.forwarded = rounded(pair.forwarded);
  const std::vector<std::size_t> hosts = sorted_places(pair.hosts), wires = sorted_places(pair.wires);
  std::sort(pair.hosts.begin(), pair.hosts.end());
  std::sort(pair.wires.begin(), pair.wires.end());
  std::sort(pair.other_hosts.begin(), pair.other_hosts.end());
  std::sort(pair.other_wires.begin(), pair.other_wires.end());
  const auto first_equal = [](const auto& values, std::size_t place) {
    return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), values[place]) -
                                    values.begin());
  };
  for (auto* places : {&built.host_of_source, &built.host_of_input})
    for (auto& [key, place] : *places) place = first_equal(pair.hosts, hosts[place]);
  for (auto& [key, place] : built.wire_of_input) place = first_equal(pair.wires, wires[place]);
}

void limit_phases(WiredPair& pair, std::size_t most) {
  for (;;) {
    std::size_t count = 1;
    OutputProcess* least = nullptr;
    for (auto* wires : {&pair.wires, &pair.other_wires})
      for (OutputProcess& wire : *wires) {
        count *= static_cast<std::size_t>(wire.phases);
        if (wire.phases > 1 && (least == nullptr || std::pair(-wire.phases, wire.rate()) <
                                                        std::pair(-least->phases, least->rate())))
          least = &wire;
      }
    if (count <= most) return;
    *least = least->simplified();
  }
}

/// What a model of the network's queues says, as far as probabilities of some target.
class Solver {
 public:
  /// \param plain  as if no source reached a queue by several inputs, and all shares were equal: what the correction for
  ///               three and more queues is made of
  Solver(const CollapsedNetwork& network, double target, bool plain)
      : network_(network), floor_(left_out * target), plain_(plain), queues_(network.queues.size()) {}

  /// P(D > t), and the law of each wait.
  struct Delay {
    Series tails;
    std::vector<Series> waits;
  };
  Delay markov(const WiredRoute& route) {
    const std::size_t hops = route.queues.size();
    Delay delay;
    if (hops == 1) {
      delay.waits = {alone_wait(route)};
      delay.tails = tails(delay.waits.front());
      return delay;
    }
    std::vector<Series> joint = waits(route, 0);
    delay.waits = {row_sums(joint), column_sums(joint)};
    // f(S, w) = P(the waits so far sum to S, the last is w)
    std::vector<Series> law(joint.size() + joint.front().size(), Series(joint.front().size(), 0));
    for (std::size_t w = 0; w < joint.size(); ++w)
      for (std::size_t to = 0; to < joint[w].size(); ++to) law[w + to][to] += joint[w][to];
    for (std::size_t hop = 1; hop + 1 < hops; ++hop) {
      std::vector<Series> kernel = waits(route, hop);
      // Waits that the pair of queues does not know are as those nearest to them.
      const Series* before = nullptr;
      for (Series& row : kernel) {
        const double sum = sum_of(row);
        if (sum > 1e-30)
          for (double& value : row) value /= sum;
        else if (before != nullptr)
          row = *before;
        before = &row;
      }
      std::vector<Series> next(law.size() + kernel.front().size(), Series(kernel.front().size(), 0));
      Series wait(kernel.front().size(), 0);
      for (std::size_t S = 0; S < law.size(); ++S)
        for (std::size_t w = 0; w < law[S].size(); ++w) {
          const double p = law[S][w];
          if (p < 1e-20) continue;
          const Series& row = kernel[std::min(w, kernel.size() - 1)];
          for (std::size_t to = 0; to < row.size(); ++to) {
            next[S + to][to] += p * row[to];
            wait[to] += p * row[to];
          }
        }
      delay.waits.push_back(std::move(wait));
      law = std::move(next);
    }
    Series mass;
    for (const Series& row : law) mass.push_back(sum_of(row));
    delay.tails = tails(mass);
    return delay;
  }

  Series carried(const WiredRoute& route);

  /// Chains and inputs of a route, one after the other: what its delay follows from.
  using Signature = std::vector<std::pair<const WiredLaw*, TaggedInput>>;
  Signature signature(const WiredRoute& route) {
    Signature result;
    for (std::size_t hop = 0; hop + 1 < route.queues.size(); ++hop) {
      const Built built = pair_of(route.queues[hop], route.queues[hop + 1], route.inputs[hop + 1]);
      result.emplace_back(&law(built.pair), tagged(built, route, hop, true));
    }
    const std::size_t last = route.queues.size() - 1;
    const Built built = alone(route.queues[last], choice(route.queues[last]));
    result.emplace_back(&law(built.pair), tagged(built, route, last, false));
    return result;
  }

 private:
  struct Known {
    std::optional<std::size_t> places;
    std::size_t usual_places = 0;  ///< for the usual target, as if its sources sent straight to it
    double gap = 0.3, no_wait = 1;
    int wires = 0;  ///< 0: not chosen yet
    std::optional<std::vector<char>> shared;
    std::optional<queue::RunMoments> runs;
  };

  static Series tails(const Series& mass) {
    Series result(mass.size());
    double above = 0;
    for (std::size_t t = mass.size(); t-- > 0;) {
      result[t] = above;
      above += mass[t];
    }
    return result;
  }
  static Series row_sums(const std::vector<Series>& joint) {
    Series result;
    for (const Series& row : joint) result.push_back(sum_of(row));
    return result;
  }
  static Series column_sums(const std::vector<Series>& joint) {
    Series result(joint.front().size(), 0);
    for (const Series& row : joint)
      for (std::size_t i = 0; i < row.size(); ++i) result[i] += row[i];
    return result;
  }

  const QueueInput& input(std::size_t queue, std::size_t place) const {
    return network_.queues[queue].inputs[place];
  }

  /// Places of a queue that are looked at: as if its sources sent straight to it, more where alone() found that too few.
  Known& measured(std::size_t queue) {
    Known& known = queues_[queue];
    if (known.places) return known;
    const std::vector<LoneSource> sources = alike(network_.queues[queue].sources);
    for (std::size_t size = 64;; size *= 2) {
      const queue::LoneQueue lone = queue::lone_queue(sources, size);
      known.gap = lone.gap;
      known.no_wait = lone.wait.front();
      const auto needed = [&lone, size](double floor) {
        double beyond = 0;
        std::size_t places = size;
        while (places > 0 && beyond + lone.left_over[places - 1] < floor) beyond += lone.left_over[--places];
        return places;
      };
      const std::size_t places = needed(floor_);
      known.usual_places = needed(left_out * usual_target);
      if (std::max(places, known.usual_places) + 8 < size) {
        known.places = std::max<std::size_t>(12, (places + 7) / 4 * 4);
        require_places(*known.places);
        return known;
      }
      require_places(size / 2);
    }
  }
  static void require_places(std::size_t places) {
    if (places > most_places)
      throw LimitExceeded(
          "a queue holds more than " + std::to_string(most_places) +
          " packets often enough to count; so far queues are looked at that depend on each other");
  }

  bool first_level(std::size_t queue) const {
    const auto& inputs = network_.queues[queue].inputs;
    return std::all_of(inputs.begin(), inputs.end(), [](const QueueInput& each) { return each.straight(); });
  }
  /// Does the same share of each source's packets go by this input?
  bool equal_shares(const QueueInput& by) const {
    const CollapsedQueue& before = network_.queues[by.queue];
    return std::all_of(before.sources.begin(), before.sources.end(), [&](const auto& source) {
      return std::abs(rate_of(by.behind, source.first) / source.second - by.rate / before.load) < 1e-6;
    });
  }
  /// Are the runs of the queue before, its packets marked independently, exact for this input?
  bool exact_by_all(const QueueInput& by) const { return first_level(by.queue) && equal_shares(by); }

  /// \param choice  1: runs of all packets of the queue before, marked; 2: runs of those alone that come by this input
  OutputProcess wire(const QueueInput& by, int choice) {
    if (choice == 1 || exact_by_all(by)) {
      std::optional<queue::RunMoments>& runs = queues_[by.queue].runs;
      if (!runs) runs = queue::run_moments(alike(network_.queues[by.queue].sources));
      return queue::output_process(*runs, std::min(1.0, by.rate / network_.queues[by.queue].load));
    }
    return queue::output_process(queue::run_moments(alike(by.behind)), 1);
  }

  /// Which inputs bring packets of sources that come by other inputs, too.
  const std::vector<char>& shared(std::size_t queue) {
    std::optional<std::vector<char>>& known = queues_[queue].shared;
    if (known) return *known;
    const auto& inputs = network_.queues[queue].inputs;
    known.emplace(inputs.size(), 0);
    if (plain_) return *known;
    for (std::size_t a = 0; a < inputs.size(); ++a) {
      double common = 0, all = 0;
      for (std::size_t b = 0; b < inputs.size(); ++b) {
        if (a == b) continue;
        all += inputs[a].rate * inputs[b].rate;
        for (const auto& [source, rate] : inputs[a].behind)
          common += rate * rate_of(inputs[b].behind, source);
      }
      (*known)[a] = common > least_sharing * all ? 1 : 0;
    }
    return *known;
  }

  /// P(no wait at the queues before) of a source's packets that come to a queue by an input.
  double undelayed(std::size_t queue, std::size_t by, std::size_t source, int depth = 0) {
    const QueueInput& in = input(queue, by);
    constexpr int deepest = 32;
    if (in.straight() || depth == deepest) return 1;
    double sum = 0, all = 0;
    const auto& before = network_.queues[in.queue].inputs;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const auto onward = before[i].onward.find({queue, by});
      const double rate = rate_of(before[i].behind, source);
      if (rate == 0 || onward == before[i].onward.end()) continue;
      const double weight = rate * onward->second / before[i].rate;
      sum += weight * undelayed(in.queue, i, source, depth + 1);
      all += weight;
    }
    return measured(in.queue).no_wait * (all > 0 ? sum / all : 1);
  }

  /// Adds to each host what its source sends to the queue by shared inputs but one.
  /// \param undelayed_through  P(no wait before) of its packets that come by that one
  void add_around(std::size_t queue, std::size_t except,
                  const std::map<std::size_t, double>& undelayed_through,
                  std::map<std::size_t, FeedingHost>& hosts) {
    const std::vector<char>& which = shared(queue);
    std::map<std::size_t, std::vector<std::pair<double, double>>> ways;  // rate, P(no wait before)
    for (std::size_t i = 0; i < which.size(); ++i)
      if (i != except && which[i] != 0)
        for (const auto& [source, rate] : input(queue, i).behind)
          ways[source].emplace_back(rate, undelayed(queue, i, source));
    for (const auto& [source, its] : ways) {
      FeedingHost& host = hosts[source];
      double same_slot = 0, straight = 0;
      for (std::size_t a = 0; a < its.size(); ++a) {
        host.around += its[a].first;
        straight += its[a].first * its[a].second;
        for (std::size_t b = 0; b < a; ++b)
          same_slot += its[a].first * its[b].first * (1 - its[a].second * its[b].second);
      }
      host.twice = std::min(same_slot, host.around / 2);
      if (host.rate > 0) {
        // What queues before delay meets packets of other slots; but over many slots a source sends one way or the other,
        // which is what counts in a queue that is nearly full. The power was chosen by simulations.
        const auto through = undelayed_through.find(source);
        const double no_wait =
            straight / host.around * (through == undelayed_through.end() ? 1 : through->second);
        const double meets = (1 - no_wait) * (1 - std::pow(network_.queues[queue].load, 4));
        const double most = std::max(0.0, std::min(host.rate, host.around - 2 * host.twice));
        host.both = std::min(most, host.rate * host.around * meets);
        host.both = std::min(most, std::max(host.both, host.rate + host.around - host.twice - 1));
      }
    }
  }

  /// Who feeds a queue, apart from one input and from what add_around() takes.
  void add_others(std::size_t queue, std::size_t except, int choice, std::vector<double>& hosts,
                  std::vector<OutputProcess>& wires, double& gap) {
    const std::vector<char>& taken = shared(queue);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const QueueInput& in = input(queue, i);
      if (i == except || taken[i] != 0) continue;
      if (in.straight()) {
        hosts.push_back(in.rate);
      } else {
        wires.push_back(wire(in, choice));
        gap = std::min(gap, measured(in.queue).gap);
      }
    }
  }

  Built alone_of(std::size_t queue, int choice) {
    Built built;
    WiredPair& pair = built.pair;
    pair.first_size = *measured(queue).places;
    pair.second_size = 1;
    pair.gap = measured(queue).gap;
    const std::vector<char>& taken = shared(queue);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const QueueInput& in = input(queue, i);
      if (taken[i] != 0) continue;
      if (in.straight()) {
        built.host_of_input[i] = pair.hosts.size();
        pair.hosts.push_back({.rate = in.rate});
      } else {
        built.wire_of_input[i] = pair.wires.size();
        pair.wires.push_back(wire(in, choice));
        pair.gap = std::min(pair.gap, measured(in.queue).gap);
      }
    }
    std::map<std::size_t, FeedingHost> hosts;
    add_around(queue, QueueInput::none, {}, hosts);
    for (const auto& [source, host] : hosts) {
      built.host_of_source[source] = pair.hosts.size();
      pair.hosts.push_back({.rate = host.around - 2 * host.twice, .rate_of_two = host.twice});
    }
    limit_phases(pair, plain_ ? most_plain_phases : most_phases);
    put_in_order(built);
    return built;
  }
  /// Of a queue by itself. Grows it where its inputs fill it more than its sources would.
  Built alone(std::size_t queue, int choice) {
    for (;;) {
      Built built = alone_of(queue, choice);
      if (built.pair.wires.empty() && built.host_of_source.empty()) return built;
      if (law(built.pair).left_over().back() <= floor_) return built;
      queues_[queue].places = built.pair.first_size * 3 / 2;
      require_places(*queues_[queue].places);
    }
  }
  /// Both ways to see the queues before overestimate wherever that was measured: the lesser is taken.
  int choice(std::size_t queue) {
    int& chosen = queues_[queue].wires;
    if (chosen != 0) return chosen;
    const auto& inputs = network_.queues[queue].inputs;
    chosen = 1;
    if (std::all_of(inputs.begin(), inputs.end(),
                    [&](const QueueInput& in) { return in.straight() || exact_by_all(in); }))
      return chosen;
    const double by_all = mean_of(law(alone(queue, 1).pair).left_over());
    const double by_own = mean_of(law(alone(queue, 2).pair).left_over());
    return queues_[queue].wires = by_all <= by_own ? 1 : 2;
  }

  double counted_cells(std::size_t first, std::size_t second, const WiredPair& pair) {
    const auto places = static_cast<double>(measured(first).usual_places);
    double cells = places * (places + 1) / 2 * static_cast<double>(measured(second).usual_places);
    for (const OutputProcess& other : pair.other_wires) cells *= other.phases;
    return cells;
  }

  Built pair_of(std::size_t first, std::size_t second, std::size_t by) {
    const CollapsedQueue& its = network_.queues[first];
    const QueueInput& through = input(second, by);
    const int first_choice = choice(first), second_choice = choice(second);
    static_cast<void>(alone(first, first_choice));  // sizes
    static_cast<void>(alone(second, second_choice));
    Built built;
    WiredPair& pair = built.pair;
    pair.first_size = *measured(first).places;
    pair.second_size = *measured(second).places + 4;
    pair.gap = std::min(measured(first).gap, measured(second).gap);
    pair.forwarded = std::min(1.0, through.rate / its.load);
    std::map<std::size_t, FeedingHost> around;
    if (shared(second)[by] != 0) {
      std::map<std::size_t, double> undelayed_through;
      for (const auto& [source, rate] : its.sources) {
        around[source] = {.rate = rate, .share = std::min(1.0, rate_of(through.behind, source) / rate)};
        double sum = 0;
        for (std::size_t i = 0; i < its.inputs.size(); ++i)
          sum += rate_of(its.inputs[i].behind, source) * undelayed(first, i, source);
        undelayed_through[source] = sum / rate;
      }
      add_around(second, by, undelayed_through, around);
    } else {
      for (std::size_t i = 0; i < its.inputs.size(); ++i) {
        const QueueInput& in = its.inputs[i];
        if (in.straight()) {
          const auto onward = in.onward.find({second, by});
          built.host_of_input[i] = pair.hosts.size();
          pair.hosts.push_back(
              {.rate = in.rate,
               .share = onward == in.onward.end() ? 0 : std::min(1.0, onward->second / in.rate)});
        } else {
          built.wire_of_input[i] = pair.wires.size();
          pair.wires.push_back(wire(in, first_choice));
          pair.gap = std::min(pair.gap, measured(in.queue).gap);
        }
      }
      add_around(second, by, {}, around);
    }
    for (const auto& [source, host] : around) {
      built.host_of_source[source] = pair.hosts.size();
      pair.hosts.push_back(host);
    }
    add_others(second, by, second_choice, pair.other_hosts, pair.other_wires, pair.gap);
    limit_phases(pair, plain_ ? most_plain_phases : most_phases);
    const auto of_first = [](const FeedingHost& host) { return host.rate > 0; };
    double least = 1, greatest = 0;
    for (const FeedingHost& host : pair.hosts)
      if (of_first(host)) {
        least = std::min(least, host.share);
        greatest = std::max(greatest, host.share);
      }
    pair.counted = !plain_ && pair.wires.empty() && greatest - least > 1e-9 &&
                   counted_cells(first, second, pair) <= most_counted_cells;
    std::size_t cells = pair.first_size * pair.second_size;
    for (const auto* wires : {&pair.wires, &pair.other_wires})
      for (const OutputProcess& each : *wires) cells *= static_cast<std::size_t>(each.phases);
    if (pair.counted) cells *= (pair.first_size + 1) / 2;
    if (cells > most_cells)
      throw LimitExceeded("two successive queues have more than " + std::to_string(most_cells) + " states");
    if (!pair.counted)
      for (FeedingHost& host : pair.hosts) host.share = 0;
    put_in_order(built);
    return built;
  }

  /// By which host or wire of a chain a packet comes to its first queue. \param next  the second queue, or none
  TaggedInput tagged(const Built& built, const WiredRoute& route, std::size_t hop, bool with_next) const {
    const std::size_t queue = route.queues[hop], by = route.inputs[hop];
    TaggedInput tagged;
    double others = 0, onward = 0;
    const auto& inputs = network_.queues[queue].inputs;
    if (const auto wire = built.wire_of_input.find(by); wire != built.wire_of_input.end()) {
      tagged.wire = true;
      tagged.place = wire->second;
    } else if (const auto host = built.host_of_input.find(by); host != built.host_of_input.end()) {
      tagged.place = host->second;
    } else {
      tagged.place = built.host_of_source.at(route.source);
    }
    if (!with_next) return tagged;
    const std::size_t next = route.queues[hop + 1], next_by = route.inputs[hop + 1];
    if (built.wire_of_input.contains(by) || built.host_of_input.contains(by)) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (i == by) continue;
        others += inputs[i].rate;
        const auto place = inputs[i].onward.find({next, next_by});
        if (place != inputs[i].onward.end()) onward += place->second;
      }
    } else {
      for (const auto& [source, rate] : network_.queues[queue].sources)
        if (source != route.source) {
          others += rate;
          onward += rate_of(input(next, next_by).behind, source);
        }
    }
    tagged.ahead_forwarded = others > 0 ? std::min(1.0, onward / others) : 0;
    return tagged;
  }

  const WiredLaw& law(const WiredPair& pair) {
    std::unique_ptr<WiredLaw>& known = laws_[pair];
    if (!known) known = std::make_unique<WiredLaw>(pair, tolerance);
    return *known;
  }

  Series alone_wait(const WiredRoute& route) {
    const Built built = alone(route.queues.front(), choice(route.queues.front()));
    return law(built.pair).first_wait(tagged(built, route, 0, false));
  }

  /// P(W = w, W' = w') at two successive queues of a route.
  const std::vector<Series>& waits(const WiredRoute& route, std::size_t hop) {
    const Built built = pair_of(route.queues[hop], route.queues[hop + 1], route.inputs[hop + 1]);
    const TaggedInput input = tagged(built, route, hop, true);
    const WiredLaw& its = law(built.pair);
    const auto [place, is_new] = waits_.try_emplace({&its, input});
    if (is_new) {
      place->second = its.waits(input);
      require_marginals(its, route.queues[hop]);
    }
    return place->second;
  }

  /// I8: the first queue is the same in a pair as by itself.
  void require_marginals(const WiredLaw& pair, std::size_t queue) {
    if (pair.pair().hosts.empty() && pair.pair().wires.empty()) return;
    double arrivals = 0;
    for (const FeedingHost& host : pair.pair().hosts) arrivals += host.rate;
    for (const OutputProcess& wire : pair.pair().wires) arrivals += wire.rate();
    const double load = network_.queues[queue].load, idle = pair.left_over().front();
    if (std::abs(arrivals - load) > 1e-6 || idle < 1 - load - 1e-3)
      throw Contradiction("the model contradicts itself here: a queue of load " + std::to_string(load) +
                          " is offered " + std::to_string(arrivals) +
                          " packets per slot and is empty with probability " + std::to_string(idle));
  }

  const CollapsedNetwork& network_;
  double floor_;
  bool plain_;
  std::vector<Known> queues_;
  std::map<WiredPair, std::unique_ptr<WiredLaw>> laws_;
  std::map<std::pair<const WiredLaw*, TaggedInput>, std::vector<Series>> waits_;
};

/// P(D > t) if what each queue has left over when the packet joins the queue before is carried on: the chain of the next
/// two queues starts from it.
Series Solver::carried(const WiredRoute& route) {
  const std::size_t hops = route.queues.size();
  const double negligible = 1e-3 * floor_;
  struct State {
    std::size_t left_over, ahead, next_left_over;
    double probability;
  };
  const auto sums = [](const std::vector<Series>& joint) { return row_sums(joint); };
  // By the sum of the waits so far.
  std::vector<std::vector<State>> states(1);
  {
    const Built built = pair_of(route.queues[0], route.queues[1], route.inputs[1]);
    const WiredLaw& first = law(built.pair);
    const TaggedInput by = tagged(built, route, 0, true);
    const Series seen = first.seen_by(by);
    const std::size_t places = built.pair.first_size, size = built.pair.second_size;
    const std::size_t most_ahead = built.pair.hosts.size() + built.pair.wires.size();
    std::vector<Series> joint(places * most_ahead, Series(size, 0));
    for (std::size_t phase = 0; phase < first.chain().phases().count(); ++phase) {
      const Series ahead = sums(first.others_ahead(by, first.chain().phases().mask(phase)));
      for (std::size_t v = 0; v < places; ++v)
        for (std::size_t j = 0; j < ahead.size(); ++j)
          for (std::size_t y = 0; y < size; ++y)
            joint[v * most_ahead + j][y > 0 ? y - 1 : 0] +=
                ahead[j] * seen[phase * first.chain().cells() + v * size + y];
    }
    for (std::size_t v = 0; v < places; ++v)
      for (std::size_t j = 0; j < most_ahead; ++j)
        for (std::size_t x = 0; x < size; ++x)
          if (const double p = joint[v * most_ahead + j][x]; p > negligible)
            states[0].push_back({v, j, x, p});
  }
  Series mass;
  for (std::size_t hop = 0; hop + 1 < hops; ++hop) {
    const std::size_t first = route.queues[hop], second = route.queues[hop + 1];
    const bool last = hop + 2 == hops;
    const Built built =
        last ? alone(second, choice(second)) : pair_of(second, route.queues[hop + 2], route.inputs[hop + 2]);
    const WiredLaw& base = law(built.pair);
    const WiredPair& pair = base.pair();
    const std::size_t wire = built.wire_of_input.at(route.inputs[hop + 1]);
    // The chain while the first queue is busy: its wire brings a packet with the same probability in every slot.
    const auto busy_chain = [&](double forwarded) {
      WiredPair busy = pair;
      busy.wires.erase(busy.wires.begin() + static_cast<std::ptrdiff_t>(wire));
      busy.hosts.push_back({.rate = forwarded});
      return queue::PairChain(busy);
    };
    const Built before = pair_of(first, second, route.inputs[hop + 1]);
    const queue::PairChain busy = busy_chain(before.pair.forwarded);
    const queue::PairChain busy_ahead = busy_chain(tagged(before, route, hop, true).ahead_forwarded);
    const queue::Phases& phases = busy.phases();
    const std::size_t size = pair.second_size, places = pair.first_size, cells = busy.cells(),
                      length = phases.count() * cells;
    Series out(length);
    const auto step = [&out](const queue::PairChain& chain, Series& values) {
      chain.step(values, out);
      std::swap(values, out);
    };
    std::size_t most_left_over = 0, most_ahead = 0, most_sum = 0;
    for (std::size_t sum = 0; sum < states.size(); ++sum)
      for (const State& state : states[sum]) {
        most_left_over = std::max(most_left_over, state.left_over);
        most_ahead = std::max(most_ahead, state.ahead);
        most_sum = std::max(most_sum, sum + state.left_over + state.ahead);
      }
    // What the second queue and the one after it hold if the first has been busy for as long as what it has left over
    // lets expect, by classes of that; then given what the second has left over.
    std::vector<Series> starts(1, Series(length, 0));
    for (std::size_t phase = 0; phase < base.chain().phases().count(); ++phase) {
      const std::size_t rest = base.chain().phases().without(phase, wire);
      for (std::size_t i = 0; i < cells; ++i) starts[0][rest * cells + i] += base.values()[phase * cells + i];
    }
    std::vector<std::size_t> class_of(most_left_over + 1, 0);
    {
      const Series age =
          queue::mean_age_of_run(alike(network_.queues[first].sources), *measured(first).places + 1);
      Series now = starts[0];
      long aged = 0;
      for (std::size_t v = 1; v <= most_left_over;) {
        const std::size_t to = v < 4 ? v : std::min(most_left_over, v + v / 2 - 1);
        const long wanted = std::lround(age[std::min((v + to) / 2, age.size() - 1)]);
        for (; aged < wanted; ++aged) step(busy, now);
        for (; v <= to; ++v) class_of[v] = starts.size();
        starts.push_back(now);
      }
    }
    for (Series& start : starts)
      for (std::size_t x = 0; x < places; ++x) {
        double sum = 0;
        for (std::size_t phase = 0; phase < phases.count(); ++phase)
          for (std::size_t y = 0; y < size; ++y) sum += start[phase * cells + x * size + y];
        if (sum > 0)
          for (std::size_t phase = 0; phase < phases.count(); ++phase)
            for (std::size_t y = 0; y < size; ++y) start[phase * cells + x * size + y] /= sum;
      }
    // By the sum of the waits then, and the packets of the packet's own slot ahead: those left over are served first.
    struct Entry {
      std::size_t sum, ahead, next_left_over;
      double probability;
    };
    std::vector<std::vector<Entry>> entering(most_left_over + 1);
    for (std::size_t sum = 0; sum < states.size(); ++sum)
      for (const State& state : states[sum])
        entering[state.left_over].push_back({sum + state.left_over + state.ahead, state.ahead,
                                             std::min(state.next_left_over, places - 1), state.probability});
    std::vector<std::vector<Series>> waiting(most_sum + 1, std::vector<Series>(most_ahead + 1));
    for (std::size_t v = most_left_over + 1; v-- > 0;) {
      const Series& start = starts[class_of[v]];
      for (const Entry& entry : entering[v]) {
        Series& values = waiting[entry.sum][entry.ahead];
        if (values.empty()) values.assign(length, 0);
        for (std::size_t phase = 0; phase < phases.count(); ++phase) {
          const std::size_t at = phase * cells + entry.next_left_over * size;
          for (std::size_t y = 0; y < size; ++y) values[at + y] += entry.probability * start[at + y];
        }
      }
      if (v == 0) break;
      for (std::vector<Series>& row : waiting)
        for (Series& values : row)
          if (!values.empty()) step(busy, values);
    }
    std::vector<std::vector<State>> next(most_sum + 1);
    const std::size_t others = pair.hosts.size() + pair.wires.size();
    for (std::size_t sum = 0; sum <= most_sum; ++sum) {
      Series joins;
      for (std::size_t j = most_ahead + 1; j-- > 0;) {
        if (const Series& values = waiting[sum][j]; !values.empty()) {
          if (joins.empty()) joins.assign(length, 0);
          for (std::size_t i = 0; i < length; ++i) joins[i] += values[i];
        }
        if (j > 0 && !joins.empty()) step(busy_ahead, joins);
      }
      if (joins.empty()) continue;
      phases.move(joins.data(), cells);
      std::vector<Series> joint(places * others, Series(size, 0));
      for (std::size_t phase = 0; phase < phases.count(); ++phase) {
        const unsigned mask = phases.mask(phase), below = (1U << wire) - 1;
        const Series ahead =
            sums(base.others_ahead({.wire = true, .place = wire}, (mask & below) | ((mask & ~below) << 1)));
        for (std::size_t v = 0; v < places; ++v)
          for (std::size_t j = 0; j < ahead.size(); ++j)
            for (std::size_t y = 0; y < size; ++y)
              joint[v * others + j][y > 0 ? y - 1 : 0] += ahead[j] * joins[phase * cells + v * size + y];
      }
      for (std::size_t v = 0; v < places; ++v)
        for (std::size_t j = 0; j < others; ++j) {
          const Series& row = joint[v * others + j];
          if (last) {
            if (mass.size() <= sum + v + j) mass.resize(sum + v + j + 1, 0);
            mass[sum + v + j] += sum_of(row);
          } else {
            for (std::size_t x = 0; x < size; ++x)
              if (row[x] > negligible) next[sum].push_back({v, j, x, row[x]});
          }
        }
    }
    states = std::move(next);
  }
  return tails(mass);
}

}  // namespace

class WiredKnowledge {
  using Meets = WiredDelay::Meets;

 public:
  explicit WiredKnowledge(const network::Network& network) : network_(collapsed(network)) {
    const std::vector<char> derived = derived_queues();
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
      std::vector<Route>& routes = flows_.emplace_back();
      bool all_derived = true;
      Meets meets = Meets::one;
      std::size_t fewest = QueueInput::none;
      for (const CollapsedRoute& its : network_.flows[flow]) {
        for (std::size_t hop = 0; hop < its.queues.size(); ++hop) {
          const CollapsedQueue& queue = network_.queues[its.queues[hop]];
          all_derived = all_derived && derived[its.queues[hop]] != 0;
          if (hop > 0)
            fewest = std::min<std::size_t>(fewest, static_cast<std::size_t>(std::count_if(
                                                       queue.inputs.begin(), queue.inputs.end(),
                                                       [](const QueueInput& in) { return !in.straight(); })));
        }
        if (!its.queues.empty() && (its.queues.size() > 1 || !fed_by_sources(its.queues.front())))
          meets = Meets::several;
        else if (!its.queues.empty() && meets == Meets::one && !equal_inputs(its.queues.front()))
          meets = Meets::one_unequal;
        routes.push_back({{routes_.size()}, its.share, its.hops > 0 ? its.hops - 1 : 0});
        routes_.push_back(
            {its.queues, its.inputs, network.flows[flow].source, static_cast<std::int64_t>(its.hops)});
      }
      meets_.push_back(meets);
      fewest_links_.push_back(fewest == QueueInput::none ? 0 : fewest);
      const bool reaches = std::all_of(network_.flows[flow].begin(), network_.flows[flow].end(),
                                       [](const CollapsedRoute& its) { return its.hops > 0; });
      if (!all_derived || !reaches) routes.clear();
    }
  }

  RouteLaw law(const Route& its, double target) {
    const WiredRoute& route = routes_[its.queues.front()];
    const double share = numeric::nearest_double(its.share);
    if (route.queues.empty()) return route_law({1}, {}, share, route.hops);
    // As rare as whole powers of ten, so that routes of one network share what they solve.
    const int power =
        std::clamp(static_cast<int>(std::floor(std::log10(std::max(target, rarest)) + 1e-9)), -10, -3);
    Level& level = levels_.try_emplace(power, network_, std::pow(10.0, power)).first->second;
    const bool corrected = route.queues.size() > 2;
    std::pair<Solver::Signature, Solver::Signature> signature{level.solver.signature(route), {}};
    if (corrected) signature.second = plain_.signature(route);
    if (const auto known = level.laws.find(signature); known != level.laws.end()) {
      RouteLaw law = known->second;
      law.share = share;
      law.hops = route.hops;
      return law;
    }
    Solver::Delay delay = level.solver.markov(route);
    if (corrected) {
      const auto [known, is_new] = corrections_.try_emplace(signature.second);
      if (is_new) {
        const Series carried = plain_.carried(route), before = plain_.markov(route).tails;
        for (std::size_t t = 0;
             t < carried.size() && t < before.size() && before[t] > left_out * corrected_to; ++t)
          known->second.push_back(carried[t] / before[t]);
      }
      double last = 1, ratio = 1;
      for (std::size_t t = 0; t < delay.tails.size(); ++t) {
        if (t < known->second.size()) ratio = known->second[t];
        last = delay.tails[t] = std::min(last, delay.tails[t] * ratio);
      }
      // What comes later comes from what comes sooner: the mean stays the sum of the mean waits (I2).
      double mean = 0;
      for (const Series& wait : delay.waits) mean += mean_of(wait);
      const double scale = mean / sum_of(delay.tails);
      for (double& tail : delay.tails) tail = std::min(1.0, tail * scale);
    }
    Series mass{1 - delay.tails.front()};
    for (std::size_t t = 1; t < delay.tails.size(); ++t) mass.push_back(delay.tails[t - 1] - delay.tails[t]);
    RouteLaw law = route_law(mass, delay.waits, share, route.hops);
    law.mean = sum_of(law.tails);
    continue_below(law, 0.1 * std::pow(10.0, power));
    level.laws.emplace(std::move(signature), law);
    return law;
  }

  const std::vector<Route>& routes(std::size_t flow) const { return flows_[flow]; }
  WiredDelay::Meets meets(std::size_t flow) const { return meets_[flow]; }
  std::size_t fewest_links(std::size_t flow) const { return fewest_links_[flow]; }

  void check(std::span<const Route> routes) const {
    for (const Route& route : routes)
      if (route.queues.size() != 1 || route.queues.front() >= routes_.size())
        throw InvalidArgument("route", std::to_string(route.queues.size()) + " numbers",
                              "one number of a route, as WiredDelay::routes() says");
  }

 private:
  /// What is known as far as some probability.
  struct Level {
    Level(const CollapsedNetwork& network, double target) : solver(network, target, false) {}
    Solver solver;
    std::map<std::pair<Solver::Signature, Solver::Signature>, RouteLaw> laws;
  };

  /// Neither bursts nor several packets per slot, there and in all queues before.
  std::vector<char> derived_queues() const {
    std::vector<char> derived;
    for (const CollapsedQueue& queue : network_.queues)
      derived.push_back(!queue.waits || (queue.capacity == 1 && !queue.bursts) ? 1 : 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t queue = 0; queue < derived.size(); ++queue) {
        if (derived[queue] == 0 || !network_.queues[queue].waits) continue;
        for (const QueueInput& in : network_.queues[queue].inputs)
          if (!in.straight() && derived[in.queue] == 0) {
            derived[queue] = 0;
            changed = true;
            break;
          }
      }
    }
    return derived;
  }

  bool fed_by_sources(std::size_t queue) const {
    const auto& inputs = network_.queues[queue].inputs;
    return std::all_of(inputs.begin(), inputs.end(), [](const QueueInput& in) { return in.straight(); });
  }
  bool equal_inputs(std::size_t queue) const {
    const auto& inputs = network_.queues[queue].inputs;
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](const QueueInput& in) { return in.exact_rate == inputs.front().exact_rate; });
  }

  CollapsedNetwork network_;
  std::vector<WiredRoute> routes_;
  std::vector<std::vector<Route>> flows_;
  std::vector<Meets> meets_;
  std::vector<std::size_t> fewest_links_;
  std::map<int, Level> levels_;
  Solver plain_{network_, corrected_to, true};
  std::map<Solver::Signature, Series> corrections_;  ///< of P(D > t), t = 0, 1, ..
};

WiredDelay::WiredDelay(const network::Network& network)
    : knowledge_(std::make_shared<WiredKnowledge>(network)) {}

const std::vector<Route>& WiredDelay::routes(std::size_t flow) const {
  return knowledge_->routes(flow);
}

WiredDelay::Meets WiredDelay::meets(std::size_t flow) const {
  return knowledge_->meets(flow);
}

std::size_t WiredDelay::fewest_links(std::size_t flow) const {
  return knowledge_->fewest_links(flow);
}

RouteLaw WiredDelay::law(const Route& route, double target) {
  knowledge_->check({&route, 1});
  return knowledge_->law(route, target);
}

ClaimedDelayAnswer WiredDelay::claims(std::span<const Route> routes, const DelayQuestion& question) {
  require_valid(routes, question);
  knowledge_->check(routes);
  const Sight sight = sight_of(routes, question);
  std::vector<RouteLaw> laws;
  for (const Route& route : routes) {
    laws.push_back(knowledge_->law(route, sight.target));
    require_consistent(laws.back());
  }
  return claims_of(laws, question);
}

DelayDistribution WiredDelay::distribution(std::span<const Route> routes, const Rational& negligible) {
  require_valid(routes, {});
  knowledge_->check(routes);
  require_negligible(negligible);
  std::vector<RouteLaw> laws;
  for (const Route& route : routes) {
    laws.push_back(knowledge_->law(route, 1e-3 * numeric::nearest_double(negligible)));
    require_consistent(laws.back());
    // As far as they count.
    RouteLaw& law = laws.back();
    while (law.goes_on && law.tails.back() > 1e-3 * numeric::nearest_double(negligible) && law.slope > 1e-4)
      law.tails.push_back(law.tails.back() * std::exp(-law.slope));
  }
  return distribution_of(laws, negligible);
}

}  // namespace tailbound::bounds
