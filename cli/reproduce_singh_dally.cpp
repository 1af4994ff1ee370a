#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/estimates.hpp>
#include <cli/formats.hpp>
#include <cli/reproduce_simulation.hpp>
#include <cli/reproduce_singh_dally.hpp>
#include <tailbound/bounds/buffer_size.hpp>
#include <tailbound/bounds/max_load.hpp>
#include <tailbound/bounds/network_delay.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace tailbound::cli::reproduce {
namespace {

using network::Sources;
using numeric::Rational;
using queue::HopDelay;

constexpr numeric::Digits kDigits{10};
constexpr network::Tree kTree{16, 3};        // of figures 5 to 7: a 16-ary 3-tree, random-root routing
const char* const kOccupancyLoad = "0.6";    // of figures 4 and 5
constexpr double kAlmost = 1.1, kClose = 2;  // our measure of "almost match" and "reasonably close"

Rational exactly(const char* text) {
  return numeric::parse_rational(text, "constant");
}
const Rational& target() {
  static const Rational value = exactly("1e-15");
  return value;
}
bounds::DropTarget overflow_target() {
  return {.probability = target(), .criterion = bounds::Criterion::overflow};
}

bounds::TreeDelay tree_at(const Rational& load, Sources sources, const network::Tree& tree = kTree) {
  return bounds::tree_delay(tree, load, network::TreeRouting::random_root, sources);
}

/// The queues of a tree that differ, each with the hops that have it: "1", "2", "3 to 5".
struct HopQueue {
  std::string hops;
  std::size_t first, last;  ///< from 1
  queue::SlottedQueue queue;
  std::int64_t inputs;
};

std::vector<HopQueue> hop_queues(const bounds::TreeDelay& tree) {
  std::vector<HopQueue> result;
  const std::vector<std::size_t>& way = tree.routes.front().queues;
  for (std::size_t hop = 0; hop < way.size();) {
    std::size_t last = hop;
    while (last + 1 < way.size() && way[last + 1] == way[hop]) ++last;
    std::int64_t inputs = 0;
    for (const network::SourceRate& source : tree.network.traffic[way[hop]].sources) inputs += source.count;
    result.push_back({last == hop ? fmt::format("{}", hop + 1) : fmt::format("{} to {}", hop + 1, last + 1),
                      hop + 1, last + 1, std::get<queue::SlottedQueue>(tree.network.queues[way[hop]]),
                      inputs});
    hop = last + 1;
  }
  return result;
}

/// "hop 2", "hops 3 to 5"
std::string in_words(const HopQueue& hop) {
  return (hop.hops.size() > 1 ? "hops " : "hop ") + hop.hops;
}

std::string in_brief(const numeric::Proved<unit::Probability>& probability) {
  return show(probability, {4}).brief;
}

/// P(Q > n) for n = 0 .. count - 1, as simulations are compared with it.
std::vector<double> tails_of(const queue::SlottedQueue& queue, std::size_t count) {
  std::vector<Packets> levels;
  for (std::size_t level = 0; level < count; ++level) levels.emplace_back(static_cast<std::int64_t>(level));
  std::vector<double> tails;
  for (const queue::LevelProbability& tail : queue::occupancy_tails(queue, levels, {.digits = kDigits}))
    tails.push_back(std::pow(10, plots::log10(tail.probability)));
  return tails;
}

/// Each hop against its model, at the levels seen often enough and by intervals that hold together.
std::vector<std::vector<Judged>> judge_hops(const TreeRun& run,
                                            const std::vector<const queue::SlottedQueue*>& models) {
  std::vector<std::vector<std::int64_t>> levels;
  std::size_t all = 0;
  for (std::size_t hop = 1; hop <= models.size(); ++hop)
    all += levels.emplace_back(levels_seen_at_hop(run, hop)).size();
  std::vector<std::vector<Judged>> judged;
  for (std::size_t i = 0; i < models.size(); ++i)
    judged.push_back(judge(tails_of(*models[i], levels[i].size()),
                           simulated_tails(run, levels[i], confidence_of_each(all))[i]));
  return judged;
}

/// "hop 2: inside at ...; hop 3: ..." from hop `first` on
std::string hops_in_words(const std::vector<std::vector<Judged>>& hops, std::size_t first) {
  std::string text;
  for (std::size_t hop = first; hop <= hops.size(); ++hop)
    text += fmt::format("{}hop {}: {}", text.empty() ? "" : "; ", hop, in_words(hops[hop - 1], "n"));
  return text;
}

bool all_within(const std::vector<std::vector<Judged>>& hops, std::size_t first, double factor) {
  return std::all_of(hops.begin() + static_cast<std::ptrdiff_t>(first - 1), hops.end(),
                     [factor](const auto& levels) { return within(levels, factor); });
}

std::string judged_how() {
  return fmt::format(
      "at levels seen as well as by {} independent events, by intervals that hold together with 95 %",
      kLeastSeen);
}

std::string reaching_within(double factor) {
  return fmt::format("every interval reaches within a factor of {} of the analysis", factor);
}

std::vector<std::string> with_simulation_columns(std::vector<std::string> header) {
  const std::vector<std::string> columns = simulation_columns();
  header.insert(header.end(), columns.begin(), columns.end());
  return header;
}

std::vector<std::string> with_number_columns(std::vector<std::string> header, const std::string& name) {
  const std::vector<std::string> columns = csv_columns(name);
  header.insert(header.end(), columns.begin(), columns.end());
  return header;
}

/// Is the interval's lower end within a factor of five of the estimate?
bool fit_to_draw(const sim::LevelEstimate& level) {
  return level.count > 0 && level.probability.lower > level.probability.value / 5;
}

/// A level across the picture from x = `from` to `to`.
plots::Curve rule(std::string title, double from, double to, double y) {
  return {.title = std::move(title), .style = plots::Style::rule, .points = {{from, y}, {to, y}}};
}

// --- figure 4
// -----------------------------------------------------------------------------------------------------

/// A simulation of some 3 to 8 s on one core.
struct RadixToSimulate {
  std::int64_t radix, slots;
};
constexpr RadixToSimulate kRadices[] = {{2, 2'000'000}, {4, 500'000}, {8, 75'000}, {16, 15'000}};

/// The hops of one tree beside the analysis of its hop 1.
struct Radix {
  HopQueue first;
  TreeRun run;
  std::vector<std::vector<Judged>> hops;

  [[nodiscard]] std::int64_t radix() const { return run.model.tree.radix; }
};

Radix radix_at(std::size_t number, const Request& request) {
  const network::Tree tree{kRadices[number].radix, kTree.levels};
  const Rational load = exactly(kOccupancyLoad);
  Radix at{hop_queues(tree_at(load, Sources::first_hop, tree)).front(),
           simulate_tree(tree, load, kRadices[number].slots, request, {number, std::size(kRadices)}),
           {}};
  const auto hops = static_cast<std::size_t>(sim::stage_count(tree));
  at.hops = judge_hops(at.run, std::vector<const queue::SlottedQueue*>(hops, &at.first.queue));
  return at;
}

/// How much likelier the likeliest later hop exceeds the deepest level that hop 1 exceeds with 1e-4.
struct Spread {
  std::int64_t level = 0;
  double ratio = 0, lower = 0, upper = 0;
};

Spread spread_of(const Radix& at) {
  Spread spread;
  for (std::size_t hop = 2; hop <= at.hops.size(); ++hop) {
    const Judged* deepest = nullptr;
    for (const Judged& level : at.hops[hop - 1])
      if (level.analysis >= 1e-4) deepest = &level;
    if (deepest == nullptr || deepest->ratio() <= spread.ratio) continue;
    spread = {deepest->simulated.level, deepest->ratio(),
              deepest->simulated.probability.lower / deepest->analysis,
              deepest->simulated.probability.upper / deepest->analysis};
  }
  return spread;
}

Finding convergence(const std::vector<Radix>& radices) {
  std::string computed;
  bool converges = true;
  double former = std::numeric_limits<double>::infinity();
  for (const Radix& at : radices) {
    const Spread spread = spread_of(at);
    computed +=
        fmt::format("{}radix {}: {:.3g} ({:.3g} to {:.3g}) times at n = {}", computed.empty() ? "" : ", ",
                    at.radix(), spread.ratio, spread.lower, spread.upper, spread.level);
    converges = converges && spread.upper < former;
    former = spread.lower;
  }
  return {.subject = "convergence with the radix",
          .claim = "The hops diverge at radix 2 and come together as the radix grows to 16.",
          .published = "curves only",
          .computed =
              "the greatest P(Q > n) of a later hop, simulated, against the exact one of hop 1, at the "
              "deepest n judged where the latter is at least 1e-4: " +
              computed + "; agrees if it shrinks with each radix beyond the intervals",
          .agrees = converges};
}

Finding hops_alike(const Radix& at) {
  return {.subject = fmt::format("hops alike at radix {}", at.radix()),
          .claim = fmt::format("At radix {} all hops behave almost identically.", at.radix()),
          .published = "curves only",
          .computed =
              fmt::format("the exact tail of hop 1 against the simulated later hops ({}): {}; agrees if {}",
                          judged_how(), hops_in_words(at.hops, 2), reaching_within(kAlmost)),
          .agrees = all_within(at.hops, 2, kAlmost)};
}

Finding first_hop_exact(const std::vector<Radix>& radices) {
  std::string computed;
  bool inside = true;
  for (const Radix& at : radices) {
    computed += fmt::format("{}radix {}: {}", computed.empty() ? "" : "; ", at.radix(),
                            in_words(at.hops.front(), "n"));
    inside = inside && within(at.hops.front(), 1);
  }
  return {
      .subject = "hop 1",
      .claim = "The generating function gives the distribution at hop 1 exactly.",
      .published = "a formula",
      .computed = fmt::format("the analysis of hop 1 against its simulation ({}): {}; agrees if it is inside "
                              "everywhere",
                              judged_how(), computed),
      .agrees = inside};
}

/// Levels down to the first that no hop was seen to exceed.
std::vector<std::int64_t> levels_of(const Radix& at) {
  constexpr std::int64_t most = 100;
  std::vector<std::int64_t> levels;
  for (std::int64_t level = 0; level < most; ++level) levels.push_back(level);
  const auto tails = simulated_tails(at.run, levels);
  const auto unseen = [&](std::int64_t level) {
    return std::all_of(tails.begin(), tails.end(),
                       [&](const auto& tail) { return tail[static_cast<std::size_t>(level)].count == 0; });
  };
  const auto end = std::find_if(levels.begin(), levels.end(), unseen);
  levels.erase(end == levels.end() ? end : end + 1, levels.end());
  return levels;
}

void add_radix(const Radix& at, Result& result) {
  const std::vector<std::int64_t> levels = levels_of(at);
  std::vector<Packets> packets;
  for (const std::int64_t level : levels) packets.emplace_back(level);
  const auto analysis = queue::occupancy_tails(at.first.queue, packets, {.digits = kDigits});
  const auto tails = simulated_tails(at.run, levels);
  plots::Curve line{
      .title = fmt::format("hop 1, radix {}", at.radix()), .style = plots::Style::line, .points = {}};
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (const double y = plots::log10(analysis[i].probability); y >= -8)
      line.points.emplace_back(static_cast<double>(levels[i]), y);
  result.picture.curves.push_back(std::move(line));
  for (std::size_t hop = 1; hop <= tails.size(); ++hop)
    for (std::size_t i = 0; i < levels.size(); ++i) {
      std::vector<std::string> fields{std::to_string(at.radix()), std::to_string(hop),
                                      std::to_string(levels[i])};
      append_csv(fields, show(analysis[i].probability, kDigits));
      append_csv(fields, tails[hop - 1][i], at.run);
      result.csv += csv_line(fields);
    }
  result.commands.push_back(fmt::format("tailbound occupancy --inputs {} --load {} --levels 0:{}:1",
                                        at.first.inputs, kOccupancyLoad, levels.back()));
  result.commands.push_back(fmt::format("{} --occupancy 0:{}:1", command_of(at.run), levels.back()));
}

/// Simulated points of the hops from `first` to `last` in one colour.
plots::Curve bars_of(const TreeRun& run, std::size_t first, std::size_t last,
                     const std::vector<std::int64_t>& levels) {
  std::vector<sim::LevelEstimate> points;
  const auto tails = simulated_tails(run, levels);
  for (std::size_t hop = first; hop <= last; ++hop)
    for (const sim::LevelEstimate& level : tails[hop - 1])
      if (fit_to_draw(level)) points.push_back(level);
  return interval_bars({}, points);
}

Result figure_4(const Request& request) {
  Result result;
  result.csv = csv_line(
      with_simulation_columns(with_number_columns({"radix", "hop", "level"}, "first_hop_probability")));
  std::vector<Radix> radices;
  for (std::size_t number = 0; number < std::size(kRadices); ++number) {
    add_radix(radices.emplace_back(radix_at(number, request)), result);
    result.computed += fmt::format("{}radix {}: {}", number == 0 ? "" : "; ", radices.back().radix(),
                                   plan_in_words(radices.back().run));
  }
  // Points under the four lines; both of a radix have one colour of the four.
  std::vector<plots::Curve> points;
  for (const Radix& at : radices) points.push_back(bars_of(at.run, 1, at.hops.size(), levels_of(at)));
  result.picture.curves.insert(result.picture.curves.begin(), points.begin(), points.end());
  result.picture.title = fmt::format("Occupancy of each hop, k-ary 3-trees, load {}", kOccupancyLoad);
  result.picture.x_label = "n [packets]";
  result.picture.y_label = "P(Q > n)";
  result.picture.note =
      "lines: hop 1, exact; points with 95 % intervals: hops 1 to 5 simulated, the later ones above the line";
  result.picture.powers_of_ten = true;
  result.computed = fmt::format(
      "P(Q > n) at each of the five hops of k-ary 3-trees by simulation, with 95 % "
      "intervals, at the load of figure 5, {} (the paper states none for this figure), "
      "beside hop 1 by the renewal recurrence, certified to {} digits. {}.",
      kOccupancyLoad, kDigits.count, "Simulated: " + result.computed);
  result.findings = {convergence(radices), hops_alike(radices.back()), first_hop_exact(radices)};
  return result;
}

// --- figure 5
// -----------------------------------------------------------------------------------------------------

Finding one_hop_for_all(const std::vector<HopQueue>& hops) {
  const bounds::BufferSize first = bounds::buffer_size(hops.front().queue, overflow_target());
  std::string computed = fmt::format("hop 1 needs {} packets for {}", first.buffer.value, plain(target()));
  bool enough = true;
  for (std::size_t i = 1; i < hops.size(); ++i) {
    const std::int64_t least = bounds::buffer_size(hops[i].queue, overflow_target()).buffer.value;
    const auto there =
        bounds::drop_probability(hops[i].queue, first.buffer, bounds::Criterion::overflow).probability;
    enough = enough && numeric::surely_at_most(there, target());
    computed += fmt::format(", {} {} packets (P(Q > {}) there is {}, at hop 1 {})", in_words(hops[i]), least,
                            first.buffer.value, in_brief(there), in_brief(first.at.probability));
  }
  return {.subject = "one distribution for all hops",
          .claim = "The distribution of hop 1 serves all five hops, which behave almost identically.",
          .published = "curves only, at radix 16",
          .computed = computed + "; agrees if the buffer of hop 1 meets the target at every hop",
          .agrees = enough};
}

/// The published analysis, hop 1, against every hop.
Finding first_hop_simulated(const TreeRun& run, const std::vector<HopQueue>& hops) {
  const auto judged =
      judge_hops(run, std::vector<const queue::SlottedQueue*>(hops.back().last, &hops.front().queue));
  return {.subject = "simulated curves",
          .claim = "The analysis of hop 1 lies almost exactly on the simulated curves of all hops.",
          .published = "curves only",
          .computed = fmt::format("hop 1's analysis is ({}) {}; agrees if {}", judged_how(),
                                  hops_in_words(judged, 1), reaching_within(kAlmost)),
          .agrees = all_within(judged, 1, kAlmost)};
}

/// Our analysis, the decoupled one, against the later hops.
Finding upstream_left_out(const TreeRun& run, const std::vector<HopQueue>& hops) {
  std::vector<const queue::SlottedQueue*> models;
  for (const HopQueue& hop : hops) models.insert(models.end(), hop.last - hop.first + 1, &hop.queue);
  const auto judged = judge_hops(run, models);
  return {.subject = "queues upstream left out",
          .claim = "With many sources a queue is hardly changed by leaving out the queues before it.",
          .published = "a limit theorem, no number",
          .computed = fmt::format("the decoupled analysis is ({}) {}; agrees if {}", judged_how(),
                                  hops_in_words(judged, 2), reaching_within(kAlmost)),
          .agrees = all_within(judged, 2, kAlmost)};
}

Result figure_5(const Request& request) {
  const Rational load = exactly(kOccupancyLoad);
  const TreeRun run = simulate_tree(kTree, load, 25'000, request, {0, 1});  // some 12 s on one core
  const std::vector<HopQueue> hops = hop_queues(tree_at(load, Sources::decoupled));
  std::int64_t last = 0;
  for (const HopQueue& hop : hops)
    last = std::max(last, bounds::buffer_size(hop.queue, overflow_target()).buffer.value);
  std::vector<Packets> levels;
  std::vector<std::int64_t> simulated_levels;
  const std::int64_t step = request.quick ? 5 : 1;
  for (std::int64_t level = 0; level < last + step; level += step) {
    levels.emplace_back(level);
    simulated_levels.push_back(level);
  }
  const auto simulated = simulated_tails(run, simulated_levels);

  Result result;
  result.csv =
      csv_line(with_simulation_columns(with_number_columns({"hop", "inputs", "level"}, "probability")));
  for (std::size_t i = 0; i < hops.size(); ++i) {
    plots::Curve curve{.title = fmt::format("{}, {} sources", in_words(hops[i]), hops[i].inputs),
                       .style = plots::Style::line,
                       .points = {}};
    const auto tails = queue::occupancy_tails(hops[i].queue, levels, {.digits = kDigits});
    for (const queue::LevelProbability& tail : tails)
      curve.points.emplace_back(static_cast<double>(tail.level.value), plots::log10(tail.probability));
    for (std::size_t hop = hops[i].first; hop <= hops[i].last; ++hop)
      for (std::size_t j = 0; j < tails.size(); ++j) {
        std::vector<std::string> fields{std::to_string(hop), std::to_string(hops[i].inputs),
                                        std::to_string(tails[j].level.value)};
        append_csv(fields, show(tails[j].probability, kDigits));
        append_csv(fields, simulated[hop - 1][j], run);
        result.csv += csv_line(fields);
      }
    result.picture.curves.push_back(std::move(curve));
    result.commands.push_back(fmt::format("tailbound occupancy --inputs {} --load {} --levels 0:{}:{}",
                                          hops[i].inputs, plain(load), levels.back().value, step));
  }
  result.commands.push_back(
      fmt::format("{} --occupancy 0:{}:{}", command_of(run), levels.back().value, step));
  result.picture.title = fmt::format("Occupancy of each hop, 16-ary 3-tree, load {}", plain(load));
  result.picture.x_label = "n [packets]";
  result.picture.y_label = "P(Q > n)";
  result.picture.note =
      "lines: analysis, hop 2 under the later ones; points with 95 % intervals: simulated, in the lines' "
      "colours";
  result.picture.powers_of_ten = true;
  // Points, the target, lines: so the points lie under their line and have its colour of the four.
  std::vector<plots::Curve> under;
  for (const HopQueue& hop : hops) under.push_back(bars_of(run, hop.first, hop.last, simulated_levels));
  under.push_back(rule("target " + plain(target()), 0, static_cast<double>(levels.back().value), -15));
  result.picture.curves.insert(result.picture.curves.begin(), under.begin(), under.end());
  result.computed = fmt::format(
      "P(Q > n) of the queue at each hop, by the renewal recurrence, certified to {} digits. Hop 1 is fed by "
      "{} sources: the published analysis. The later hops are fed by all sources whose packets pass them "
      "(decoupled); that is an approximation, hop 1 is not. Beside it the simulation of the tree, with 95 % "
      "intervals: {}.",
      kDigits.count, hops.front().inputs, plan_in_words(run));

  const bounds::BufferSize first = bounds::buffer_size(hops.front().queue, overflow_target());
  result.findings = {
      one_hop_for_all(hops),
      {.subject = "depth for 1e-15",
       .claim = "The depth for an overflow of the order of 1e-15 follows from the analysis; simulation does "
                "not reach it.",
       .published = "no depth is printed",
       .computed = fmt::format("{} packets at hop 1: P(Q > {}) = {}, P(Q > {}) = {}", first.buffer.value,
                               first.buffer.value, in_brief(first.at.probability), first.buffer.value - 1,
                               first.before ? in_brief(first.before->probability) : "1"),
       .agrees = std::nullopt},
      first_hop_simulated(run, hops),
      upstream_left_out(run, hops)};
  return result;
}

// --- figure 6
// -----------------------------------------------------------------------------------------------------

struct DelayModel {
  const char *sources_name, *delay_name, *subject, *in_words;
  Sources sources;
  HopDelay delay;
  bool drawn;
};

constexpr DelayModel kDelayModels[] = {
    {"decoupled", "wait", "our reading against simulation", "decoupled sources, waits", Sources::decoupled,
     HopDelay::wait, true},
    {"first-hop", "occupancy", "literal reading against simulation", "hop 1 for all hops, occupancies",
     Sources::first_hop, HopDelay::occupancy, true},
    {"first-hop", "wait", "hop 1 with waits against simulation", "hop 1 for all hops, waits",
     Sources::first_hop, HopDelay::wait, false},
};
constexpr std::size_t kOurs = 0, kLiteral = 1, kPublishedWait = 2;

/// A simulation of some 8 s on one core.
struct LoadToSimulate {
  const char* load;
  std::int64_t slots;
  double factor;  ///< within which the paper's words would have the analysis
};
constexpr LoadToSimulate kDelayLoads[] = {
    {"0.2", 15'000, kClose}, {"0.6", 16'000, kClose}, {"0.8", 14'000, kAlmost}};

/// One load by one model.
struct DelayCurve {
  bounds::TreeDelay tree;
  std::shared_ptr<bounds::PathDelay> delays;
  bounds::DelayAnswer percentiles;  ///< of figure_6's list

  [[nodiscard]] std::size_t hops() const { return tree.routes.front().queues.size(); }
};

struct DelayLoad {
  Rational load;
  std::vector<DelayCurve> curves;  ///< in the order of kDelayModels
  TreeRun run;
};

/// At the first one models are compared; the last one is the depth of the picture.
const char* const kPercentiles[] = {"0.999999", "0.9999999999"};
constexpr std::size_t kCompared = 0;

DelayCurve delay_curve(const Rational& load, const DelayModel& model) {
  DelayCurve curve{tree_at(load, model.sources), nullptr, {}};
  curve.delays = std::make_shared<bounds::PathDelay>(curve.tree.network.queues, model.delay, kDigits);
  bounds::DelayQuestion question;
  for (const char* percentile : kPercentiles) question.percentiles.push_back(exactly(percentile));
  curve.percentiles = curve.delays->answer(curve.tree.routes, question);
  return curve;
}

std::string in_percent(const char* probability) {
  return plain(exactly(probability) * 100) + " %";
}

/// Each hop's mean wait by Little's law, E[Q]/rho - 1, summed over the way; empty if not rational.
std::optional<Rational> mean_wait_by_little(const DelayCurve& curve) {
  Rational sum = 0;
  for (const std::size_t hop : curve.tree.routes.front().queues) {
    const queue::SlottedQueue& queue = std::get<queue::SlottedQueue>(curve.tree.network.queues[hop]);
    const auto mean = queue::mean_occupancy(queue);
    const auto* exact = std::get_if<numeric::Exact<unit::Packet>>(&mean);
    if (exact == nullptr || !queue.arrivals.load()) return std::nullopt;
    sum = sum + exact->value / *queue.arrivals.load() - 1;
  }
  return sum;
}

Finding little(const DelayLoad& at) {
  const DelayCurve& literal = at.curves[kLiteral];
  const numeric::Proved<unit::Slot>& occupancy = literal.percentiles.mean_queueing;
  const numeric::Proved<unit::Slot>& wait = at.curves[kPublishedWait].percentiles.mean_queueing;
  const std::optional<Rational> law = mean_wait_by_little(literal);
  const auto same = [&](const numeric::Proved<unit::Slot>& mean) {
    return !numeric::surely_above(mean, *law) && numeric::to_enclosure(mean).contains(*law);
  };
  return {
      .subject = "occupancy as delay",
      .claim = "A hop's delay follows from its occupancy; the distributions of the hops are convolved.",
      .published = "no number; wait or occupancy is not said",
      .computed = fmt::format("mean queueing delay at load {}: {} slots if a hop's delay is its occupancy "
                              "(the text read literally), {} if it is the wait; Little's law asks for "
                              "{}{}; agrees if the literal reading meets the law",
                              plain(at.load), show(occupancy, kDigits).brief, show(wait, kDigits).brief,
                              law ? show(*law, kDigits).brief : "an irrational number",
                              law && same(wait) ? ", which the wait meets" : ""),
      .agrees = law ? std::optional<bool>(same(occupancy)) : std::nullopt};
}

Finding hop_count(const DelayLoad& at) {
  constexpr std::size_t published = 5;
  const DelayCurve& curve = at.curves[kOurs];
  return {.subject = "hops",
          .claim = "Latency is hops and queueing, T = H + D.",
          .published = fmt::format("H = {}", published),
          .computed = fmt::format(
              "{} queues on every way through the tree, P(T > {}) = {} and P(T > {}) = 1", curve.hops(),
              curve.hops(),
              in_brief(curve.delays->answer(curve.tree.routes, {.levels = {Slots(0)}, .percentiles = {}})
                           .above.front()
                           .probability),
              curve.hops() - 1),
          .agrees = curve.hops() == published && curve.tree.routes.size() == 1};
}

/// P(T > t) with hop 1 for all hops against the decoupled model, t the percentile of the former.
Finding first_hop_suffices(const std::vector<DelayLoad>& loads) {
  constexpr double tolerance = 0.1;
  std::string computed;
  double worst = 0;
  for (const DelayLoad& at : loads) {
    const DelayCurve &ours = at.curves[kOurs], &theirs = at.curves[kPublishedWait];
    const bounds::Percentile& percentile = theirs.percentiles.queueing[kCompared];
    const auto there =
        ours.delays->answer(ours.tree.routes, {.levels = {percentile.slots}, .percentiles = {}})
            .above.front()
            .probability;
    const double ratio = std::pow(10, plots::log10(there) - plots::log10(percentile.at.probability));
    worst = std::max(worst, std::abs(ratio - 1));
    const std::int64_t latency = theirs.percentiles.latency[kCompared].slots.value;
    computed += fmt::format("; load {}: {} slots, P(T > {}) = {} against {} ({:.2f} times)", plain(at.load),
                            latency, latency, in_brief(percentile.at.probability), in_brief(there), ratio);
  }
  return {.subject = "hop 1 for all hops",
          .claim = "Five times the distribution of hop 1 gives the delay of the whole way.",
          .published = "curves only",
          .computed = fmt::format("{} of latency with hop 1 for all hops, and the tail there against the "
                                  "decoupled model (waits in both){}; agrees if the tails differ by at most "
                                  "{:.0f} %",
                                  in_percent(kPercentiles[kCompared]), computed, 100 * tolerance),
          .agrees = worst <= tolerance};
}

/// The rows and curves of one load down to the last percentile of any model.
void add_load(const DelayLoad& at, bool quick, Result& result) {
  std::int64_t last = 1;
  for (const DelayCurve& curve : at.curves)
    last = std::max(last, curve.percentiles.queueing.back().slots.value);
  const std::int64_t step = quick ? 1 + last / 20 : 1;
  bounds::DelayQuestion question;
  std::vector<std::int64_t> levels;
  for (std::int64_t slots = 0; slots < last + step; slots += step) {
    question.levels.emplace_back(slots);
    levels.push_back(slots);
  }
  const auto simulated = simulated_delays(at.run, levels);
  for (std::size_t i = 0; i < at.curves.size(); ++i) {
    const DelayModel& model = kDelayModels[i];
    const auto hops = static_cast<std::int64_t>(at.curves[i].hops());
    plots::Curve drawn{.title = i == kOurs ? fmt::format("load {}", plain(at.load)) : std::string(),
                       .style = i == kOurs ? plots::Style::line : plots::Style::dashed,
                       .points = {}};
    const auto all_above = at.curves[i].delays->answer(at.curves[i].tree.routes, question).above;
    for (std::size_t j = 0; j < all_above.size(); ++j) {
      const bounds::SlotProbability& above = all_above[j];
      const std::int64_t latency = above.slots.value + hops;
      std::vector<std::string> fields{plain(at.load), model.sources_name, model.delay_name,
                                      std::to_string(above.slots.value), std::to_string(latency)};
      append_csv(fields, show(above.probability, kDigits));
      append_csv(fields, simulated[j], at.run);
      result.csv += csv_line(fields);
      const double y = plots::log10(above.probability);
      if (y >= -11) drawn.points.emplace_back(static_cast<double>(latency), y);
    }
    if (model.drawn) result.picture.curves.push_back(std::move(drawn));
    result.commands.push_back(
        fmt::format("tailbound delay --radix {} --levels {} --load {} --sources {} --delay {} --ccdf 0:{}:{}",
                    kTree.radix, kTree.levels, plain(at.load), model.sources_name, model.delay_name,
                    question.levels.back().value, step));
  }
  result.commands.push_back(fmt::format("{} --ccdf 0:{}:{}", command_of(at.run), levels.back(), step));
}

/// The simulated points of one load, about forty at most.
plots::Curve delay_bars(const DelayLoad& at) {
  constexpr std::int64_t deepest = 200, most = 40;
  std::vector<std::int64_t> levels;
  for (std::int64_t slots = 0; slots < deepest; ++slots) levels.push_back(slots);
  std::vector<sim::LevelEstimate> seen;
  for (const sim::LevelEstimate& level : simulated_delays(at.run, levels))
    if (fit_to_draw(level)) seen.push_back(level);
  const std::int64_t step = 1 + static_cast<std::int64_t>(seen.size()) / most;
  std::vector<sim::LevelEstimate> points;
  for (sim::LevelEstimate& level : seen)
    if (level.level % step == 0) {
      level.level += static_cast<std::int64_t>(at.curves.front().hops());  // latency
      points.push_back(level);
    }
  return interval_bars({}, points);
}

/// One model against the simulations of all loads.
Finding delays_simulated(const std::vector<DelayLoad>& loads, std::size_t model) {
  std::string computed;
  bool agrees = true;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const DelayLoad& at = loads[i];
    const std::vector<std::int64_t> levels = levels_seen_of_delays(at.run);
    bounds::DelayQuestion question;
    for (const std::int64_t level : levels) question.levels.emplace_back(level);
    std::vector<double> analysis;
    for (const bounds::SlotProbability& above :
         at.curves[model].delays->answer(at.curves[model].tree.routes, question).above)
      analysis.push_back(std::pow(10, plots::log10(above.probability)));
    const std::vector<Judged> judged =
        judge(analysis, simulated_delays(at.run, levels, confidence_of_each(levels.size())));
    computed += fmt::format("; load {}: {}", plain(at.load),
                            in_words(judged, "t", static_cast<std::int64_t>(at.curves[model].hops())));
    agrees = agrees && within(judged, kDelayLoads[i].factor);
  }
  return {
      .subject = kDelayModels[model].subject,
      .claim = "Analysis and simulation almost match at load 0.8 and are close below.",
      .published = "curves only",
      .computed = fmt::format("P(T > t) with {} ({}){}; agrees if at load {} {} and at the lower loads {}",
                              kDelayModels[model].in_words, judged_how(), computed, plain(loads.back().load),
                              reaching_within(kAlmost), reaching_within(kClose)),
      .agrees = agrees};
}

Result figure_6(const Request& request) {
  Result result;
  result.csv = csv_line(with_simulation_columns(
      with_number_columns({"load", "sources", "delay", "queueing_slots", "latency_slots"}, "probability")));
  std::vector<DelayLoad> loads;
  std::string plans;
  for (const auto& [text, slots, factor] : kDelayLoads) {
    const Rational load = exactly(text);
    DelayLoad& at = loads.emplace_back(DelayLoad{
        load, {}, simulate_tree(kTree, load, slots, request, {loads.size(), std::size(kDelayLoads)})});
    for (const DelayModel& model : kDelayModels) at.curves.push_back(delay_curve(at.load, model));
    add_load(at, request.quick, result);
    plans += fmt::format("; load {}: {}", text, plan_in_words(at.run));
  }
  // Points, a rule, the literal curves, a rule, ours: so all of a load have one colour of the four.
  std::vector<plots::Curve>& curves = result.picture.curves;
  std::stable_partition(curves.begin(), curves.end(),
                        [](const plots::Curve& curve) { return curve.style == plots::Style::dashed; });
  double last = 0;
  for (const plots::Curve& curve : curves) last = std::max(last, curve.points.back().first);
  const auto first = static_cast<double>(loads.front().curves[kOurs].hops());
  curves.insert(curves.begin() + std::size(kDelayLoads), rule("1e-10", first, last, -10));
  std::vector<plots::Curve> under;
  for (const DelayLoad& at : loads) under.push_back(delay_bars(at));
  under.push_back(rule("1e-6", first, last, -6));
  curves.insert(curves.begin(), under.begin(), under.end());
  result.picture.title = "End-to-end delay, 16-ary 3-tree, random-root routing";
  result.picture.x_label = "t [slots], hops counted";
  result.picture.y_label = "P(T > t)";
  result.picture.note =
      "lines: decoupled sources, waits; dashes: the published text read literally (hop 1 for all hops, "
      "occupancies); hops taken as independent in both. Points: simulated, with 95 % intervals";
  result.picture.powers_of_ten = true;
  result.computed = fmt::format(
      "P(T > t) by convolution of the five hops' delays, certified to {} digits, by three models: the text "
      "read literally (every hop as hop 1, a hop's delay is its occupancy), the same with the wait of a "
      "packet instead, and our own (decoupled sources, wait). All three take the hops as independent. The "
      "picture leaves out the second. Beside them the simulation of the tree, with 95 % intervals{}.",
      kDigits.count, plans);
  result.findings = {hop_count(loads.back()),
                     little(loads.back()),
                     first_hop_suffices(loads),
                     delays_simulated(loads, kLiteral),
                     delays_simulated(loads, kPublishedWait),
                     delays_simulated(loads, kOurs)};
  return result;
}

// --- figure 7
// -----------------------------------------------------------------------------------------------------

constexpr std::int64_t kPublishedBuffer = 160;  // packets at kPublishedLoad, read off the published curve
const char* const kPublishedLoad = "0.9";
constexpr double kReading = 0.05;  // how exactly a curve can be read

/// The buffers of one load, hop by hop.
struct BufferLoad {
  Rational load;
  std::vector<HopQueue> hops;
  std::vector<bounds::BufferSize> sizes;
};

BufferLoad buffers_at(const Rational& load) {
  BufferLoad result{load, hop_queues(tree_at(load, Sources::decoupled)), {}};
  for (const HopQueue& hop : result.hops)
    result.sizes.push_back(bounds::buffer_size(hop.queue, overflow_target(), {.digits = kDigits}));
  return result;
}

/// The hop at which the buffer is greatest.
std::size_t greatest(const BufferLoad& at) {
  return static_cast<std::size_t>(
      std::max_element(at.sizes.begin(), at.sizes.end(),
                       [](const auto& a, const auto& b) { return a.buffer < b.buffer; }) -
      at.sizes.begin());
}

Finding buffer_reading(const BufferLoad& at) {
  const bounds::BufferSize& first = at.sizes.front();
  const double difference =
      static_cast<double>(first.buffer.value) / static_cast<double>(kPublishedBuffer) - 1;
  const auto there =
      bounds::drop_probability(at.hops.front().queue, Packets(kPublishedBuffer), bounds::Criterion::overflow);
  return {.subject = "buffer at 0.9",
          .claim = "At load 0.9 an overflow below 1e-15 needs a buffer of 160 packets.",
          .published = fmt::format("{} packets", kPublishedBuffer),
          .computed = fmt::format(
              "{} packets (P(Q > {}) = {}, P(Q > {}) = {}); {:+.1f} %, agrees if {} packets "
              "meet the target and the least is within {:.0f} %, the reading of a curve",
              first.buffer.value, first.buffer.value, in_brief(first.at.probability), kPublishedBuffer,
              in_brief(there.probability), 100 * difference, kPublishedBuffer, 100 * kReading),
          .agrees = numeric::surely_at_most(there.probability, target()) && std::abs(difference) <= kReading};
}

Finding buffer_of_later_hops(const BufferLoad& at) {
  std::string computed;
  for (std::size_t i = 1; i < at.hops.size(); ++i)
    computed += fmt::format("{}{}: {} packets", computed.empty() ? "" : ", ", in_words(at.hops[i]),
                            at.sizes[i].buffer.value);
  return {.subject = "buffer of later hops",
          .claim = "The same buffer serves every hop.",
          .published = fmt::format("{} packets at load {}", kPublishedBuffer, kPublishedLoad),
          .computed = computed + " by the decoupled model; agrees if none needs more",
          .agrees = at.sizes[greatest(at)].buffer <= Packets(kPublishedBuffer)};
}

Finding speedup(const BufferLoad& at) {
  const Rational published = 1 / exactly(kPublishedLoad);
  const auto least = [](const queue::SlottedQueue& queue, std::int64_t buffer) {
    const queue::SlottedQueue full{queue.arrivals.at_load(1)};
    return numeric::to_enclosure(bounds::min_speedup(full, Packets(buffer), overflow_target())).upper();
  };
  const auto text = [](const numeric::Real& value) {
    return numeric::to_decimal(value, 5, numeric::Rounding::up);
  };
  constexpr std::int64_t small = 64;
  const std::size_t last = greatest(at);
  const numeric::Real first_hop = least(at.hops.front().queue, kPublishedBuffer);
  return {.subject = "speedup",
          .claim = "A speedup of 1/0.9 makes the buffer of load 0.9 enough for every admissible load.",
          .published = numeric::to_decimal(published, 3, numeric::Rounding::nearest),
          .computed = fmt::format(
              "at load 1, {} packets need a speedup of {} at hop 1 and {} at {}; {} packets need {} and {}; "
              "agrees if the least at hop 1 is at most {} and within {:.0f} %",
              kPublishedBuffer, text(first_hop), text(least(at.hops[last].queue, kPublishedBuffer)),
              in_words(at.hops[last]), small, text(least(at.hops.front().queue, small)),
              text(least(at.hops[last].queue, small)),
              numeric::to_decimal(published, 5, numeric::Rounding::nearest), 100 * kReading),
          .agrees = numeric::compare(first_hop, published) <= 0 &&
                    static_cast<double>(first_hop) >= (1 - kReading) * numeric::nearest_double(published)};
}

Finding growth() {
  const char* const loads[] = {"0.98", "0.99", "0.995", "0.9975"};
  std::string computed;
  std::int64_t former = 0;
  bool doubles = true;
  for (const char* load : loads) {
    const queue::SlottedQueue queue{series::Arrivals::equal_inputs(kTree.radix, exactly(load))};
    const std::int64_t buffer = bounds::buffer_size(queue, overflow_target()).buffer.value;
    computed += fmt::format("{}{} packets at load {}", former == 0 ? "" : ", ", buffer, load);
    doubles = doubles && (former == 0 || static_cast<double>(buffer) >= 1.9 * static_cast<double>(former));
    former = buffer;
  }
  return {.subject = "growth towards load 1",
          .claim = "Buffers grow without bound as the load nears 1.",
          .published = "curve only",
          .computed = computed + "; agrees if each halving of 1 - load multiplies the buffer by 1.9 or more",
          .agrees = doubles};
}

queue::LevelProbability loss_of_first_hop(const BufferLoad& at, Packets buffer) {
  return bounds::drop_probability(at.hops.front().queue, buffer, bounds::Criterion::loss,
                                  {.digits = kDigits});
}

/// P(Q > B) is taken for a drop probability; here is the fraction of packets that such a buffer loses.
Finding overflow_as_drops(const BufferLoad& at_published, const std::vector<BufferLoad>& loads) {
  const auto published = loss_of_first_hop(at_published, Packets(kPublishedBuffer)).probability;
  std::size_t above = 0;
  std::string worst = "none";
  double greatest_log10 = -15;
  for (const BufferLoad& at : loads) {
    const auto loss = loss_of_first_hop(at, at.sizes.front().buffer).probability;
    if (!numeric::surely_above(loss, target())) continue;
    ++above;
    if (plots::log10(loss) <= greatest_log10) continue;
    greatest_log10 = plots::log10(loss);
    worst = fmt::format("{} of the packets at load {} with room for {}", in_brief(loss), plain(at.load),
                        at.sizes.front().buffer.value);
  }
  return {.subject = "overflow as drop rate",
          .claim = "With 160 packets at load 0.9 the drop probability is below 1e-15.",
          .published = fmt::format("below {}", plain(target())),
          .computed = fmt::format("hop 1 with room for {} loses {} of the packets at load {}, which decides; "
                                  "but along the curve P(Q > B) is no safe drop rate: the buffer of hop 1 "
                                  "loses more than {} at {} of {} loads, the greatest: {}",
                                  kPublishedBuffer, in_brief(published), kPublishedLoad, plain(target()),
                                  above, loads.size(), worst),
          .agrees = numeric::surely_at_most(published, target())};
}

Result figure_7(const Request& request) {
  const Rational step = exactly(request.quick ? "0.1" : "0.01");
  const Rational end = exactly(request.quick ? "0.9" : "0.98");
  const auto count = static_cast<std::size_t>(cln::cl_I_to_long(cln::floor1(end / step)));
  Result result;
  std::vector<std::string> header = with_number_columns({"load", "hops", "inputs", "buffer"}, "overflow");
  result.csv = csv_line(with_number_columns(header, "loss"));
  std::vector<BufferLoad> loads;
  for (Rational load = step; load <= end; load = load + step) {
    const BufferLoad& at = loads.emplace_back(buffers_at(load));
    if (result.picture.curves.empty())
      for (const HopQueue& hop : at.hops)
        result.picture.curves.push_back({.title = fmt::format("{}, {} sources", in_words(hop), hop.inputs),
                                         .style = plots::Style::line,
                                         .points = {}});
    for (std::size_t i = 0; i < at.hops.size(); ++i) {
      std::vector<std::string> fields{plain(load), at.hops[i].hops, std::to_string(at.hops[i].inputs),
                                      std::to_string(at.sizes[i].buffer.value)};
      append_csv(fields, show(at.sizes[i].at.probability, kDigits));
      append_csv(fields, show(bounds::drop_probability(at.hops[i].queue, at.sizes[i].buffer,
                                                       bounds::Criterion::loss, {.digits = kDigits})
                                  .probability,
                              kDigits));
      result.csv += csv_line(fields);
      result.picture.curves[i].points.emplace_back(numeric::nearest_double(load),
                                                   static_cast<double>(at.sizes[i].buffer.value));
    }
    request.report(loads.size(), count);
  }
  const double published_load = numeric::nearest_double(exactly(kPublishedLoad));
  result.picture.curves.push_back(
      {.title = fmt::format("published: {} at {}", kPublishedBuffer, kPublishedLoad),
       .style = plots::Style::points_and_line,
       .points = {{published_load, static_cast<double>(kPublishedBuffer)}}});
  result.picture.title = fmt::format("Least buffer B with P(Q > B) ≤ {}, 16-ary 3-tree", plain(target()));
  result.picture.x_label = "load [packets/slot]";
  result.picture.y_label = "buffer B [packets]";
  result.picture.note = "hop 1: the published analysis; the later hops decoupled, hop 2 under hops 3 to 5";
  result.computed =
      "The least buffer B with P(Q > B) <= 1e-15 at each load and hop, proved at B and B - 1. Hop 1 is the "
      "published analysis; the later hops are decoupled, which is an approximation.";
  for (const HopQueue& hop : loads.front().hops)
    result.commands.push_back(fmt::format("tailbound buffer --inputs {} --load {}:{}:{} --drop 1e-15",
                                          hop.inputs, plain(step), plain(end), plain(step)));
  result.commands.push_back(
      fmt::format("tailbound buffer --inputs {} --load 1 --capacity {} --drop 1e-15 --solve speedup",
                  loads.front().hops.front().inputs, kPublishedBuffer));
  const BufferLoad at_published = buffers_at(exactly(kPublishedLoad));
  result.findings = {buffer_reading(at_published), buffer_of_later_hops(at_published), speedup(at_published),
                     growth(), overflow_as_drops(at_published, loads)};
  return result;
}

}  // namespace

std::vector<Figure> singh_dally_figures() {
  const std::string paper = "singh-dally";
  const auto source = [](const char* section) {
    return std::string(
               "A. Singh and W. J. Dally, Buffer and Delay Bounds in High Radix Interconnection Networks, "
               "IEEE "
               "Computer Architecture Letters, 2004, section ") +
           section;
  };
  return {
      {.name = "singh-dally-4",
       .paper = paper,
       .title = "Figure 4: occupancy at each hop of k-ary 3-trees, k = 2, 4, 8 and 16",
       .source = source("IV.A"),
       .shows = "The simulated queue depth's complementary distribution at each of the five hops, non-bursty "
                "sources. The hops are said to diverge at k = 2 and to be almost identical at k = 16.",
       .compute = figure_4},
      {.name = "singh-dally-5",
       .paper = paper,
       .title = "Figure 5: occupancy at each hop of a 16-ary 3-tree, load 0.6",
       .source = source("IV.B"),
       .shows = "The queue depth's complementary distribution from the generating function of hop 1, against "
                "the depths measured at the five hops by two days of simulation. The two are said to match "
                "almost exactly.",
       .compute = figure_5},
      {.name = "singh-dally-6",
       .paper = paper,
       .title = "Figure 6: end-to-end delay of a 16-ary 3-tree at loads 0.2, 0.6 and 0.8",
       .source = source("IV.C"),
       .shows = "The delay's complementary distribution, from the five hops' distributions convolved as if "
                "independent and 5 slots added, against simulation. The two are said to almost match at load "
                "0.8 and to be reasonably close at the lower loads.",
       .compute = figure_6},
      {.name = "singh-dally-7",
       .paper = paper,
       .title = "Figure 7: buffer for an overflow of 1e-15 against the load, 16-ary 3-tree",
       .source = source("V"),
       .shows =
           "The buffer grows without bound towards load 1; 160 packets are read off at load 0.9, so that "
           "a speedup of 1/0.9 = 1.11 is said to make flow control unnecessary.",
       .compute = figure_7},
  };
}

}  // namespace tailbound::cli::reproduce
