#include <tailbound/bounds/network/wired_chains.hpp>
#include <tailbound/bounds/path/computed_delay.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

namespace tailbound::bounds {
namespace {

using queue::FeedingHost;
using queue::LoneSource;
using queue::OutputProcess;
using queue::TaggedInput;
using queue::WiredLaw;
using queue::WiredPair;
using Built = WiredChains::Built;

/// Relative tolerance of the chains' distributions.
constexpr double tolerance = 2e-4;
/// Minimum share of these inputs' products from which sources that reach a queue over several inputs are
/// treated as such.
constexpr double min_sharing = 0.02;
/// Maximum number of phases over all links of a chain; beyond it the least loaded links get fewer.
constexpr std::size_t max_phases = 81, max_plain_phases = 27;
/// Maximum number of cells of a chain that counts packets, with the levels for a target of 1e-6: the same
/// chains are used for any query.
constexpr double max_counted_cells = 250'000, usual_target = 1e-6;
constexpr std::size_t max_cells = 8'000'000, max_places = 600;

/// Equal rates give equal sums, in any order of addition.
double rounded(double rate) {
  return std::ldexp(std::round(std::ldexp(rate, 40)), -40);
}

double rate_of(const std::map<std::size_t, double>& rates, std::size_t source) {
  const auto place = rates.find(source);
  return place == rates.end() ? 0 : place->second;
}

std::vector<LoneSource> identical(const std::map<std::size_t, double>& rates) {
  std::map<double, std::int64_t> counts;
  for (const auto& [source, rate] : rates)
    if (rounded(rate) > 1e-12) ++counts[rounded(rate)];
  std::vector<LoneSource> result;
  for (const auto& [rate, count] : counts) result.push_back({count, rate});
  return result;
}

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

/// Equal chains are solved once: their hosts and links are sorted, and sums are equal in any order of
/// addition.
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

void limit_phases(WiredPair& pair, std::size_t maximum) {
  for (;;) {
    std::size_t count = 1;
    OutputProcess* minimum = nullptr;
    for (auto* wires : {&pair.wires, &pair.other_wires})
      for (OutputProcess& wire : *wires) {
        count *= static_cast<std::size_t>(wire.phases);
        if (wire.phases > 1 && (minimum == nullptr || std::pair(-wire.phases, wire.rate()) <
                                                          std::pair(-minimum->phases, minimum->rate())))
          minimum = &wire;
      }
    if (count <= maximum) return;
    *minimum = minimum->simplified();
  }
}

}  // namespace

std::vector<LoneSource> WiredChains::identical_sources(std::size_t queue) const {
  return identical(network_.queues[queue].sources);
}

double WiredChains::sum_of(const Series& law) {
  return std::accumulate(law.begin(), law.end(), 0.0);
}

double WiredChains::mean_of(const Series& law) {
  double sum = 0;
  for (std::size_t n = 0; n < law.size(); ++n) sum += static_cast<double>(n) * law[n];
  return sum;
}

WiredChains::Delay WiredChains::markov(const WiredRoute& route) {
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
    // Waits outside the pair's range use the nearest ones.
    const Series* before = nullptr;
    for (Series& row : kernel) {
      const double sum = WiredChains::sum_of(row);
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
  for (const Series& row : law) mass.push_back(WiredChains::sum_of(row));
  delay.tails = tails(mass);
  return delay;
}

WiredChains::Signature WiredChains::signature(const WiredRoute& route) {
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

WiredChains::Series WiredChains::tails(const Series& mass) {
  Series result(mass.size());
  double above = 0;
  for (std::size_t t = mass.size(); t-- > 0;) {
    result[t] = above;
    above += mass[t];
  }
  return result;
}

WiredChains::Series WiredChains::row_sums(const std::vector<Series>& joint) {
  Series result;
  for (const Series& row : joint) result.push_back(WiredChains::sum_of(row));
  return result;
}

WiredChains::Series WiredChains::column_sums(const std::vector<Series>& joint) {
  Series result(joint.front().size(), 0);
  for (const Series& row : joint)
    for (std::size_t i = 0; i < row.size(); ++i) result[i] += row[i];
  return result;
}

const QueueInput& WiredChains::input(std::size_t queue, std::size_t place) const {
  return network_.queues[queue].inputs[place];
}

WiredChains::Known& WiredChains::measured(std::size_t queue) {
  Known& known = queues_[queue];
  if (known.places) return known;
  const std::vector<LoneSource> sources = identical(network_.queues[queue].sources);
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
    known.usual_places = needed(omitted * usual_target);
    if (std::max(places, known.usual_places) + 8 < size) {
      known.places = std::max<std::size_t>(12, (places + 7) / 4 * 4);
      require_places(*known.places);
      return known;
    }
    require_places(size / 2);
  }
}

void WiredChains::require_places(std::size_t places) {
  if (places > max_places)
    throw LimitExceeded("a queue exceeds " + std::to_string(max_places) +
                        " packets with non-negligible probability, which is the limit for dependent queues");
}

bool WiredChains::first_level(std::size_t queue) const {
  const auto& inputs = network_.queues[queue].inputs;
  return std::all_of(inputs.begin(), inputs.end(), [](const QueueInput& each) { return each.straight(); });
}

bool WiredChains::equal_shares(const QueueInput& by) const {
  const CollapsedQueue& before = network_.queues[by.queue];
  return std::all_of(before.sources.begin(), before.sources.end(), [&](const auto& source) {
    return std::abs(rate_of(by.behind, source.first) / source.second - by.rate / before.load) < 1e-6;
  });
}

bool WiredChains::exact_by_all(const QueueInput& by) const {
  return first_level(by.queue) && equal_shares(by);
}

OutputProcess WiredChains::wire(const QueueInput& by, int choice) {
  if (choice == 1 || exact_by_all(by)) {
    std::optional<queue::RunMoments>& runs = queues_[by.queue].runs;
    if (!runs) runs = queue::run_moments(identical(network_.queues[by.queue].sources));
    return queue::output_process(*runs, std::min(1.0, by.rate / network_.queues[by.queue].load));
  }
  return queue::output_process(queue::run_moments(identical(by.behind)), 1);
}

const std::vector<char>& WiredChains::shared(std::size_t queue) {
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
      for (const auto& [source, rate] : inputs[a].behind) common += rate * rate_of(inputs[b].behind, source);
    }
    (*known)[a] = common > min_sharing * all ? 1 : 0;
  }
  return *known;
}

double WiredChains::undelayed(std::size_t queue, std::size_t by, std::size_t source, int depth) {
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

void WiredChains::add_around(std::size_t queue, std::size_t except,
                             const std::map<std::size_t, double>& undelayed_through,
                             std::map<std::size_t, FeedingHost>& hosts) {
  const std::vector<char>& which = shared(queue);
  std::map<std::size_t, std::vector<std::pair<double, double>>> paths;  // rate, P(no wait before)
  for (std::size_t i = 0; i < which.size(); ++i)
    if (i != except && which[i] != 0)
      for (const auto& [source, rate] : input(queue, i).behind)
        paths[source].emplace_back(rate, undelayed(queue, i, source));
  for (const auto& [source, its] : paths) {
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
      // Packets delayed by earlier queues meet packets of other slots. But over many slots a source's packets
      // split between the inputs, which matters in a nearly full queue. The exponent was fitted to
      // simulations.
      const auto through = undelayed_through.find(source);
      const double no_wait =
          straight / host.around * (through == undelayed_through.end() ? 1 : through->second);
      const double meets = (1 - no_wait) * (1 - std::pow(network_.queues[queue].load, 4));
      const double maximum = std::max(0.0, std::min(host.rate, host.around - 2 * host.twice));
      host.both = std::min(maximum, host.rate * host.around * meets);
      host.both = std::min(maximum, std::max(host.both, host.rate + host.around - host.twice - 1));
    }
  }
}

void WiredChains::add_others(std::size_t queue, std::size_t except, int choice, std::vector<double>& hosts,
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

WiredChains::Built WiredChains::alone_of(std::size_t queue, int choice) {
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
  limit_phases(pair, plain_ ? max_plain_phases : max_phases);
  put_in_order(built);
  return built;
}

WiredChains::Built WiredChains::alone(std::size_t queue, int choice) {
  for (;;) {
    Built built = alone_of(queue, choice);
    if (built.pair.wires.empty() && built.host_of_source.empty()) return built;
    if (law(built.pair).left_over().back() <= floor_) return built;
    queues_[queue].places = built.pair.first_size * 3 / 2;
    require_places(*queues_[queue].places);
  }
}

int WiredChains::choice(std::size_t queue) {
  int& chosen = queues_[queue].wires;
  if (chosen != 0) return chosen;
  const auto& inputs = network_.queues[queue].inputs;
  chosen = 1;
  if (std::all_of(inputs.begin(), inputs.end(),
                  [&](const QueueInput& in) { return in.straight() || exact_by_all(in); }))
    return chosen;
  const double by_all = WiredChains::mean_of(law(alone(queue, 1).pair).left_over());
  const double by_own = WiredChains::mean_of(law(alone(queue, 2).pair).left_over());
  return queues_[queue].wires = by_all <= by_own ? 1 : 2;
}

double WiredChains::counted_cells(std::size_t first, std::size_t second, const WiredPair& pair) {
  const auto places = static_cast<double>(measured(first).usual_places);
  double cells = places * (places + 1) / 2 * static_cast<double>(measured(second).usual_places);
  for (const OutputProcess& other : pair.other_wires) cells *= other.phases;
  return cells;
}

WiredChains::Built WiredChains::pair_of(std::size_t first, std::size_t second, std::size_t by) {
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
  limit_phases(pair, plain_ ? max_plain_phases : max_phases);
  const auto of_first = [](const FeedingHost& host) { return host.rate > 0; };
  double minimum = 1, largest = 0;
  for (const FeedingHost& host : pair.hosts)
    if (of_first(host)) {
      minimum = std::min(minimum, host.share);
      largest = std::max(largest, host.share);
    }
  pair.counted = !plain_ && pair.wires.empty() && largest - minimum > 1e-9 &&
                 counted_cells(first, second, pair) <= max_counted_cells;
  std::size_t cells = pair.first_size * pair.second_size;
  for (const auto* wires : {&pair.wires, &pair.other_wires})
    for (const OutputProcess& each : *wires) cells *= static_cast<std::size_t>(each.phases);
  if (pair.counted) cells *= (pair.first_size + 1) / 2;
  if (cells > max_cells)
    throw LimitExceeded("two successive queues have more than " + std::to_string(max_cells) + " states");
  if (!pair.counted)
    for (FeedingHost& host : pair.hosts) host.share = 0;
  put_in_order(built);
  return built;
}

TaggedInput WiredChains::tagged(const Built& built, const WiredRoute& route, std::size_t hop,
                                bool with_next) const {
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

const WiredLaw& WiredChains::law(const WiredPair& pair) {
  std::unique_ptr<WiredLaw>& known = laws_[pair];
  if (!known) known = std::make_unique<WiredLaw>(pair, tolerance);
  return *known;
}

WiredChains::Series WiredChains::alone_wait(const WiredRoute& route) {
  const Built built = alone(route.queues.front(), choice(route.queues.front()));
  return law(built.pair).first_wait(tagged(built, route, 0, false));
}

const std::vector<WiredChains::Series>& WiredChains::waits(const WiredRoute& route, std::size_t hop) {
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

void WiredChains::require_marginals(const WiredLaw& pair, std::size_t queue) {
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

}  // namespace tailbound::bounds
