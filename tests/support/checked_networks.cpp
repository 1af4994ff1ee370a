#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/sim/network/simulate_network.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>
#include <tests/support/checked_networks.hpp>

namespace tailbound::test {
namespace {

constexpr std::array<double, 10> bin_ends{0.4, 0.6, 0.75, 0.9, 0.97, 1.03, 1.1, 1.25, 1.5, 2};
constexpr std::int64_t max_levels = 400;

SeenDelays seen_of(std::string name, const sim::HistogramBatches& batches) {
  SeenDelays seen;
  seen.name = std::move(name);
  if (batches.all() == 0) return seen;
  seen.mean = batches.mean<unit::Slot>().value;
  for (std::int64_t t = 0; t < max_levels; ++t) {
    const sim::LevelEstimate level = batches.tail(t);
    if (level.count == 0) break;
    seen.levels.push_back({t, level.probability.value, level.probability.lower, level.probability.upper});
  }
  return seen;
}

double upper_end(const auto& claim) {
  return answers::span_of(claim).upper;
}

const char* name_of(answers::Hops hops) {
  return hops == answers::Hops::chain ? "chain" : hops == answers::Hops::bound ? "bound" : "independent";
}

/// The inputs of a queue: sources, and links of other queues.
struct Inputs {
  std::set<std::size_t> hosts;   ///< nodes that send directly to it without bursts
  std::set<std::size_t> bursty;  ///< flows with bursts, the same
  std::set<std::size_t> queues;  ///< links
};

/// Finds queues where no packet waits, and the inputs of each queue.
class Wires {
 public:
  explicit Wires(const network::Network& network)
      : network_(network), inputs_(network.links.size()), idle_(network.links.size()) {
    for (std::size_t flow = 0; flow < network.flows.size(); ++flow)
      for (const network::Route& route : network.flows[flow].routes) add(flow, queues_of(route));
    for (std::size_t link = 0; link < idle_.size(); ++link) idle_[link] = brought(link) <= 1;
  }

  [[nodiscard]] std::vector<std::size_t> queues_of(const network::Route& route) const {
    std::vector<std::size_t> queues;
    for (const std::size_t link : route.links)
      if (network_.has_queue(link)) queues.push_back(link);
    return queues;
  }
  /// Does no packet ever wait there?
  [[nodiscard]] bool never_waits(std::size_t link) const { return idle_[link] != 0; }

  /// The hosts whose packets arrive at the queue as they are sent, if all do: through queues without waiting,
  /// each host by one input.
  [[nodiscard]] std::optional<std::set<std::size_t>> hosts_of(std::size_t link) const {
    std::set<std::size_t> hosts;
    std::size_t in_all = 0;
    const auto walk = [&](const auto& self, std::size_t at, int depth) -> bool {
      if (!inputs_[at].bursty.empty() || depth > 64) return false;
      hosts.insert(inputs_[at].hosts.begin(), inputs_[at].hosts.end());
      in_all += inputs_[at].hosts.size();
      return std::all_of(inputs_[at].queues.begin(), inputs_[at].queues.end(), [&](std::size_t queue) {
        return never_waits(queue) && self(self, queue, depth + 1);
      });
    };
    if (!walk(walk, link, 0) || hosts.size() != in_all) return std::nullopt;
    return hosts;
  }

 private:
  void add(std::size_t flow, const std::vector<std::size_t>& queues) {
    for (std::size_t hop = 0; hop < queues.size(); ++hop) {
      Inputs& inputs = inputs_[queues[hop]];
      if (hop > 0)
        inputs.queues.insert(queues[hop - 1]);
      else if (network_.flows[flow].burst)
        inputs.bursty.insert(flow);
      else
        inputs.hosts.insert(network_.flows[flow].source);
    }
  }
  /// Maximum number of packets that can arrive in a slot.
  [[nodiscard]] std::int64_t brought(std::size_t link) const {
    const Inputs& inputs = inputs_[link];
    return std::ssize(inputs.hosts) + std::ssize(inputs.bursty) + std::ssize(inputs.queues);
  }

  const network::Network& network_;
  std::vector<Inputs> inputs_;
  std::vector<char> idle_;
};

/// The wait of a packet from source `of` in a queue with sources that send independently from slot to slot:
/// packets left over, and packets of its own slot that are served before it. By iterating the queue from
/// empty.
class OneQueue {
 public:
  explicit OneQueue(const std::map<std::size_t, double>& rates) : rates_(rates) {
    const std::vector<double> arrivals = sum_of(rates_.end());
    left_.assign(1, 1.0);
    for (int round = 0; round < 20'000; ++round) {
      std::vector<double> next(left_.size() + arrivals.size(), 0.0);
      for (std::size_t v = 0; v < left_.size(); ++v)
        for (std::size_t a = 0; a < arrivals.size(); ++a) {
          const std::size_t x = v + a;
          next[x > 0 ? x - 1 : 0] += left_[v] * arrivals[a];
        }
      while (next.size() > 1 && (next.back() < 1e-14 || next.size() > 1500)) next.pop_back();
      double change = 0;
      for (std::size_t v = 0; v < next.size(); ++v)
        change += std::abs(next[v] - (v < left_.size() ? left_[v] : 0));
      left_ = std::move(next);
      if (change < 1e-12) break;
    }
  }
  /// P(wait = w).
  [[nodiscard]] std::vector<double> wait_of(std::size_t source) const {
    const std::vector<double> others = sum_of(rates_.find(source));
    std::vector<double> before(others.size(), 0.0);
    for (std::size_t a = 0; a < others.size(); ++a)
      for (std::size_t j = 0; j <= a; ++j) before[j] += others[a] / static_cast<double>(a + 1);
    std::vector<double> wait(left_.size() + before.size(), 0.0);
    for (std::size_t v = 0; v < left_.size(); ++v)
      for (std::size_t j = 0; j < before.size(); ++j) wait[v + j] += left_[v] * before[j];
    return wait;
  }

 private:
  /// Over all sources except one.
  [[nodiscard]] std::vector<double> sum_of(std::map<std::size_t, double>::const_iterator but) const {
    std::vector<double> sum{1.0};
    for (auto source = rates_.begin(); source != rates_.end(); ++source) {
      if (source == but) continue;
      sum.push_back(0.0);
      for (std::size_t n = sum.size(); n-- > 0;)
        sum[n] = sum[n] * (1 - source->second) + (n > 0 ? sum[n - 1] * source->second : 0);
    }
    return sum;
  }

  std::map<std::size_t, double> rates_;
  std::vector<double> left_;
};

double tail_of(const std::vector<double>& law, std::size_t t) {
  double sum = 0;
  for (std::size_t w = law.size(); w-- > t + 1;) sum += law[w];
  return sum;
}

/// Are all flows that wait answered by one model?
bool same_answers(const ComputedNetwork& analysis) {
  std::set<std::string> hops;
  for (const ComputedDelays& flow : analysis.flows)
    if (flow.mean > 0) hops.insert(flow.hops);
  return hops.size() <= 1;
}

class Invariants {
 public:
  Invariants(const network::Network& network, const ComputedNetwork& analysis)
      : network_(network), analysis_(analysis), wires_(network) {}

  std::vector<std::string> broken() {
    for (std::size_t flow = 0; flow < network_.flows.size(); ++flow) {
      is_law(flow);
      waits_where_it_can(flow);
      waits_at_first(flow);
    }
    sums_of_all();
    one_tree();
    return std::move(broken_);
  }

 private:
  /// \param kind  one word: the violated invariant
  void fail(const char* kind, std::size_t flow, std::string what) {
    broken_.push_back(std::string(kind) + ": flow " + network_.flows[flow].name + " (" +
                      analysis_.flows[flow].hops + "): " + std::move(what));
  }

  void is_law(std::size_t flow) {
    const ComputedDelays& analysis = analysis_.flows[flow];
    double sum = 0, before = 1;
    for (std::size_t t = 0; t < analysis.above.size(); ++t) {
      const double above = analysis.above[t];
      if (!(above >= 0 && above <= 1 + 1e-12))
        return fail("law", flow, fmt::format("P(D > {}) = {:.6g}", t, above));
      if (above > before * (1 + 1e-9) + 1e-300)
        return fail("law", flow, fmt::format("P(D > {}) = {:.6g} after {:.6g}", t, above, before));
      sum += before = above;
    }
    if (!(analysis.mean >= 0)) return fail("law", flow, fmt::format("mean {:.6g}", analysis.mean));
    const std::size_t last = analysis.above.size() - 1;
    const double ratio =
        last > 0 && analysis.above[last - 1] > 0 ? analysis.above[last] / analysis.above[last - 1] : 0;
    const double left = ratio < 1 ? analysis.above[last] * ratio / (1 - ratio) : HUGE_VAL;
    if (left < 0.05 * analysis.mean &&
        std::abs(sum + left - analysis.mean) > 1e-3 * analysis.mean + 0.2 * left + 1e-9)
      fail("law", flow,
           fmt::format("mean {:.6g}, but the sum of P(D > t) is {:.6g}", analysis.mean, sum + left));
  }

  void waits_where_it_can(std::size_t flow) {
    bool never = true;
    for (const network::Route& route : network_.flows[flow].routes)
      for (const std::size_t queue : wires_.queues_of(route)) never = never && wires_.never_waits(queue);
    if (never && (analysis_.flows[flow].above.front() != 0 || analysis_.flows[flow].mean != 0))
      fail("wires", flow,
           fmt::format("P(D > 0) = {:.6g}, but no wire brings more than the next takes: it never waits",
                       analysis_.flows[flow].above.front()));
  }

  const OneQueue* queue_at(std::size_t link) {
    const auto [at, is_new] = queues_.try_emplace(link);
    if (is_new) {
      if (const auto hosts = wires_.hosts_of(link)) {
        std::map<std::size_t, double> rates;
        for (const network::Flow& flow : network_.flows)
          for (const network::Route& route : flow.routes)
            if (std::find(route.links.begin(), route.links.end(), link) != route.links.end())
              rates[flow.source] += numeric::nearest_double(flow.rate * route.share);
        at->second.emplace(rates);
      }
    }
    return at->second ? &*at->second : nullptr;
  }

  /// D is at least each of its waits, and equals it if there is no waiting elsewhere.
  void waits_at_first(std::size_t flow) {
    const network::Flow& its = network_.flows[flow];
    const ComputedDelays& analysis = analysis_.flows[flow];
    // The answer names independent hops: each wait is that of an arbitrary packet of its queue.
    if (its.burst || analysis.hops == name_of(answers::Hops::independent)) return;
    std::vector<double> minimum(analysis.above.size(), 0.0);
    double min_mean = 0;
    bool whole = true;  // is this the whole wait of a packet?
    for (const network::Route& route : its.routes) {
      std::vector<double> of_route(minimum.size(), 0.0);
      double mean = 0;
      int waiting = 0, known = 0;
      for (const std::size_t link : wires_.queues_of(route)) {
        if (wires_.never_waits(link)) continue;
        ++waiting;
        const OneQueue* queue = queue_at(link);
        if (queue == nullptr) continue;
        ++known;
        const std::vector<double> wait = queue->wait_of(its.source);
        double its_mean = 0;
        for (std::size_t w = 1; w < wait.size(); ++w) its_mean += static_cast<double>(w) * wait[w];
        mean = std::max(mean, its_mean);
        for (std::size_t t = 0; t < minimum.size(); ++t)
          of_route[t] = std::max(of_route[t], tail_of(wait, t));
      }
      whole = whole && waiting == known && waiting <= 1;
      const double share = numeric::nearest_double(route.share);
      for (std::size_t t = 0; t < minimum.size(); ++t) minimum[t] += share * of_route[t];
      min_mean += share * mean;
    }
    const double slack = 2e-3;
    if (analysis.mean < min_mean * (1 - slack))
      return fail("limit", flow,
                  fmt::format("mean {:.6g}, but one of its queues alone makes it wait {:.6g}", analysis.mean,
                              min_mean));
    if (whole && analysis.mean > min_mean * (1 + slack) + 1e-9)
      return fail(
          "one-queue", flow,
          fmt::format("mean {:.6g}, but it waits in one queue only, {:.6g}", analysis.mean, min_mean));
    for (std::size_t t = 0; t < minimum.size() && minimum[t] > 1e-6; ++t) {
      if (analysis.above[t] < minimum[t] * (1 - slack))
        return fail("limit", flow,
                    fmt::format("P(D > {}) = {:.6g}, but one of its queues alone makes it {:.6g}", t,
                                analysis.above[t], minimum[t]));
      if (whole && analysis.above[t] > minimum[t] * (1 + slack))
        return fail("one-queue", flow,
                    fmt::format("P(D > {}) = {:.6g}, but it waits in one queue only: {:.6g}", t,
                                analysis.above[t], minimum[t]));
    }
  }

  void sums_of_all() {
    if (!same_answers(analysis_)) return;
    if (std::abs(analysis_.all.mean - analysis_.mean_of_all) > 1e-3 * analysis_.all.mean + 1e-9)
      broken_.push_back(fmt::format("sums: all packets: mean {:.6g}, but their flows' means make {:.6g}",
                                    analysis_.mean_of_all, analysis_.all.mean));
  }

  /// If all packets go to one host, the total backlog of all queues is that of one queue.
  void one_tree() {
    double load = 0, of_two = 0, waiting = 0;
    std::map<std::size_t, double> sources;
    for (std::size_t flow = 0; flow < network_.flows.size(); ++flow) {
      const network::Flow& its = network_.flows[flow];
      if (its.burst || its.routes.size() != 1 || its.destination != network_.flows.front().destination)
        return;
      const double rate = numeric::nearest_double(its.rate);
      sources[its.source] += rate;
      waiting += rate * analysis_.flows[flow].mean;
    }
    for (const auto& [source, rate] : sources) {
      of_two += load * rate;
      load += rate;
    }
    const double truth = of_two / (1 - load);
    if (std::abs(waiting - truth) > 1e-3 * truth + 1e-9)
      broken_.push_back(fmt::format(
          "tree: all flows to one host: {:.6g} packets wait on average, but {:.6g} must", waiting, truth));
  }

  const network::Network& network_;
  const ComputedNetwork& analysis_;
  Wires wires_;
  std::map<std::size_t, std::optional<OneQueue>> queues_;
  std::vector<std::string> broken_;
};

std::string what_is_wrong(const SmallNetwork& network, const SimulationLength& length) {
  const NetworkVerdict verdict = checked(network, length, false);
  return verdict.broken.empty() ? std::string() : verdict.broken.front();
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

}  // namespace

SeenNetwork simulated(const network::Network& network, const SimulationLength& length) {
  constexpr int replications = 2;
  sim::NetworkModel model{network, {}, {}};
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow) model.groups.push_back(flow);
  const sim::NetworkWork work = sim::network_work(network);
  const double steps = work.steps_per_slot + 0.1 * static_cast<double>(work.queues);
  const std::int64_t slots =
      length.slots.value_or(static_cast<std::int64_t>(length.steps / steps / replications));
  const sim::RunPlan plan =
      sim::automatic_plan(work.utilization, work.hops, std::max<std::int64_t>(slots, 1000), replications,
                          length.seed, work.memory);
  const sim::RunResult run = sim::run(plan, "slots", sim::network_replications(model));
  const auto batches = run.all();
  const sim::NetworkRows rows(model);
  SeenNetwork seen;
  const auto histogram = [&](std::size_t first, std::size_t last) {
    return sim::HistogramBatches(
        batches,
        [=](const sim::Counts& counts) {
          sim::Histogram sum;
          for (std::size_t row = first; row < last; ++row) {
            sum.resize(std::max(sum.size(), counts[row].size()));
            for (std::size_t i = 0; i < counts[row].size(); ++i) sum[i] += counts[row][i];
          }
          return sum;
        },
        length.confidence);
  };
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow)
    seen.flows.push_back(
        seen_of(network.flows[flow].name,
                histogram(rows.groups[flow].first,
                          flow + 1 < rows.groups.size() ? rows.groups[flow + 1].first : rows.delays(0))));
  seen.all = seen_of("", histogram(rows.delays(0), rows.count()));
  return seen;
}

ComputedNetwork answered(const network::Network& network, std::int64_t levels) {
  answers::DelayQuery query{.topology = answers::NetworkTopology{.network = network}};
  for (std::int64_t t = 0; t < levels; ++t) query.levels.emplace_back(t);
  const answers::DelayAnswer answer = answers::answer(query);
  ComputedNetwork analysis;
  analysis.all.above.assign(static_cast<std::size_t>(levels), 0.0);
  double total = 0;
  for (std::size_t flow = 0; flow < answer.flows.size(); ++flow) {
    const answers::FlowDelay& its = answer.flows[flow];
    ComputedDelays& delays = analysis.flows.emplace_back();
    const double rate = numeric::nearest_double(network.flows[flow].rate);
    total += rate;
    delays.hops = its.one_queue ? "one queue" : name_of(its.hops);
    delays.mean = upper_end(its.delay.mean_queueing);
    analysis.all.mean += rate * delays.mean;
    for (std::size_t t = 0; t < its.delay.above.size(); ++t) {
      delays.above.push_back(upper_end(its.delay.above[t].probability));
      analysis.all.above[t] += rate * delays.above.back();
    }
  }
  analysis.all.mean /= total;
  for (double& above : analysis.all.above) above /= total;
  answers::DelayModel model(query.topology, answer.paths, query.model());
  answers::FlowLaw law = model.of_all();
  analysis.mean_of_all = upper_end(answers::stated(model.claims(law, {}).mean_queueing));
  return analysis;
}

std::vector<std::string> broken_invariants(const network::Network& network, const ComputedNetwork& analysis) {
  return Invariants(network, analysis).broken();
}

std::vector<Ratio> ratios_of(const std::string& network, const SeenDelays& seen,
                             const ComputedDelays& analysis) {
  std::vector<Ratio> ratios;
  for (const double level : judged_levels) {
    const auto off = [&](const SeenDelays::Level& at) { return std::abs(std::log(at.above / level)); };
    const auto nearest = std::min_element(seen.levels.begin(), seen.levels.end(),
                                          [&](const auto& a, const auto& b) { return off(a) < off(b); });
    if (nearest == seen.levels.end() || off(*nearest) > std::log(2.0)) continue;
    const double computed = analysis.above.at(static_cast<std::size_t>(nearest->slots));
    Ratio& ratio =
        ratios.emplace_back(Ratio{network, seen.name, level, nearest->slots, nearest->above,
                                  (nearest->upper - nearest->lower) / 2, computed, 1, analysis.hops});
    if (nearest->lower > computed) ratio.ratio = computed > 0 ? nearest->lower / computed : 1e9;
    if (nearest->upper < computed) ratio.ratio = nearest->upper / computed;
  }
  return ratios;
}

std::optional<std::string> underestimates(const SeenDelays& all, const ComputedDelays& analysis) {
  for (const SeenDelays::Level& level : all.levels) {
    if (level.above < 1e-3) break;
    const double computed = analysis.above.at(static_cast<std::size_t>(level.slots));
    if (level.above <= 0.5 && level.lower > 1.05 * computed)
      return fmt::format(
          "underestimated: all packets: P(D > {}) = {:.5g}, simulated {:.5g} ({:.5g} .. {:.5g})", level.slots,
          computed, level.above, level.lower, level.upper);
  }
  return std::nullopt;
}

std::optional<std::string> confirmed_underestimate(const network::Network& network,
                                                   const ComputedNetwork& analysis, SimulationLength length) {
  length.steps *= 10;
  if (length.slots) *length.slots *= 10;
  length.seed += 1000;
  length.confidence = 0.999;
  return underestimates(simulated(network, length).all, analysis.all);
}

/// The answer names independent hops, which are known to underestimate.
bool by_model(const ComputedNetwork& analysis) {
  return std::none_of(analysis.flows.begin(), analysis.flows.end(), [](const ComputedDelays& flow) {
    return flow.hops == name_of(answers::Hops::independent) && flow.mean > 0;
  });
}

NetworkVerdict checked(const SmallNetwork& small, const SimulationLength& length, bool confirm) {
  const network::Network network = small.read();
  NetworkVerdict verdict;
  const SeenNetwork seen = simulated(network, length);
  const auto levels = std::min<std::int64_t>(std::ssize(seen.all.levels) * 3 / 2 + 8, max_levels);
  ComputedNetwork analysis;
  try {
    analysis = answered(network, levels);
  } catch (const NoAnswer& error) {
    verdict.rejected = error.what();
    return verdict;
  } catch (const std::exception& error) {
    verdict.broken.push_back(std::string("unanswered: ") + error.what());
    return verdict;
  }
  verdict.broken = broken_invariants(network, analysis);
  if (auto what = by_model(analysis) ? underestimates(seen.all, analysis.all) : std::nullopt) {
    if (confirm) what = confirmed_underestimate(network, analysis, length);
    if (what) verdict.broken.push_back(*what);
  }
  verdict.ratios = ratios_of(small.name, seen.all, analysis.all);
  for (std::size_t flow = 0; flow < seen.flows.size(); ++flow)
    for (Ratio& ratio : ratios_of(small.name, seen.flows[flow], analysis.flows[flow]))
      verdict.ratios.push_back(std::move(ratio));
  return verdict;
}

std::string smallest(const SmallNetwork& network, const SimulationLength& length) {
  SimulationLength brief = length;
  brief.confidence = 0.999;
  const auto kind = [](const std::string& what) { return what.substr(0, what.find(':')); };
  const std::string wrong = kind(what_is_wrong(network, brief));
  if (wrong.empty()) return network.toml();
  const SmallNetwork small = shrunk(
      network, [&](const SmallNetwork& smaller) { return kind(what_is_wrong(smaller, brief)) == wrong; });
  return "# " + what_is_wrong(small, brief) + "\n" + small.toml();
}

std::vector<RecordedNetwork> recorded_networks(const std::string& networks, const std::string& simulated) {
  std::vector<RecordedNetwork> recorded;
  std::map<std::string, std::size_t> position;
  const std::vector<std::string> lines = split(networks, '\n');
  for (std::size_t line = 1; line < lines.size(); ++line) {
    if (lines[line].starts_with('#') || lines[line].starts_with("network,")) continue;
    const std::vector<std::string> parts = split(lines[line], ',');
    SmallNetwork network;
    network.name = parts.at(0);
    for (int i = 0; i < std::stoi(parts.at(1)); ++i) network.hosts.push_back("h" + std::to_string(i));
    for (int i = 0; i < std::stoi(parts.at(2)); ++i) network.switches.push_back("s" + std::to_string(i));
    for (const std::string& wire : split(parts.at(4), ' ')) {
      const std::size_t at = wire.find('-');
      network.wires.push_back({wire.substr(0, at), wire.substr(at + 1)});
    }
    for (const std::string& flow : split(parts.at(5), ' ')) {
      const std::size_t to = flow.find('>'), rate = flow.find('=');
      network.flows.push_back({flow.substr(0, to),
                               flow.substr(to + 1, rate - to - 1),
                               std::llround(std::stod(flow.substr(rate + 1)) * 10'000),
                               {},
                               parts.at(3)});
    }
    position[network.name] = recorded.size();
    RecordedNetwork& added = recorded.emplace_back(RecordedNetwork{std::move(network), {}});
    for (const SmallFlow& flow : added.network.flows)
      added.seen.flows.push_back({flow.from + "->" + flow.to, 0, {}});
  }
  for (const std::string& line : split(simulated, '\n')) {
    if (line.starts_with('#') || line.starts_with("network,")) continue;
    const std::vector<std::string> parts = split(line, ',');
    SeenNetwork& seen = recorded.at(position.at(parts.at(0))).seen;
    SeenDelays* of = &seen.all;
    for (SeenDelays& flow : seen.flows)
      if (flow.name == parts.at(1)) of = &flow;
    const double value = std::stod(parts.at(3)), half = std::stod(parts.at(4));
    if (parts.at(2).empty())
      of->mean = value;
    else
      of->levels.push_back({std::stoll(parts.at(2)), value, std::max(0.0, value - half), value + half});
  }
  return recorded;
}

void RatioTable::add(const Ratio& ratio) {
  const auto bin = static_cast<std::size_t>(std::upper_bound(bin_ends.begin(), bin_ends.end(), ratio.ratio) -
                                            bin_ends.begin());
  ++bins_[{ratio.flow.empty(), -ratio.level}][bin];
  if (ratio.flow.empty()) return;
  ++count_;
  if (ratio.ratio >= 0.75 && ratio.ratio < 1.25) ++within_;
  flows_.push_back(ratio);
}

std::string RatioTable::text(std::size_t worst) const {
  std::string text =
      "simulated / computed beyond the interval\n"
      "packets  level     n  <0.4  <0.6 <0.75  <0.9 <0.97 0.97-1.03 <1.1 <1.25  <1.5    <2   >=2\n";
  for (const auto& [key, bins] : bins_) {
    text += fmt::format("{:7}  {:5g} {:5}", key.first ? "all" : "flow", -key.second,
                        std::accumulate(bins.begin(), bins.end(), std::size_t{0}));
    for (std::size_t bin = 0; bin < bins.size(); ++bin)
      text += fmt::format(" {:{}}", bins[bin], bin == 5 ? 8 : 5);
    text += "\n";
  }
  text += fmt::format("single flows within 25 %: {} of {}\n", within_, count_);
  std::vector<Ratio> sorted = flows_;
  const auto how_far = [](const Ratio& ratio) { return std::abs(std::log(std::max(ratio.ratio, 1e-9))); };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Ratio& a, const Ratio& b) { return how_far(a) > how_far(b); });
  for (std::size_t i = 0; i < std::min(worst, sorted.size()); ++i) {
    const Ratio& its = sorted[i];
    text += fmt::format(
        "{:.3g}: network {}, flow {}, {} hops: P(D > {}) = {:.3g}, simulated {:.3g} +- {:.2g}\n", its.ratio,
        its.network, its.flow, its.hops, its.slots, its.analysis, its.simulated, its.half_width);
  }
  return text;
}

}  // namespace tailbound::test
