#include <fmt/format.h>
#include <reproduce/papers/singh_dally.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

namespace tailbound::figures::singh_dally {
namespace {

using answers::Hops;
using network::Sources;
using numeric::plain;
using queue::HopDelay;
using render::CurveStyle;
using render::Shape;

struct DelayModel {
  const char *sources_name, *delay_name, *hops_name, *subject, *in_words;
  Sources sources;
  HopDelay delay;
  Hops hops;
};
constexpr DelayModel kDelayModels[] = {
    {"independent", "wait", "chain", "our reading against simulation",
     "independent source arrivals, waits, hops as a chain", Sources::independent_sources, HopDelay::wait,
     Hops::chain},
    {"independent", "wait", "independent", "independent hops against simulation",
     "independent source arrivals, waits", Sources::independent_sources, HopDelay::wait, Hops::independent},
    {"first-hop", "occupancy", "independent", "literal reading against simulation",
     "hop 1 for all hops, occupancies", Sources::first_hop, HopDelay::occupancy, Hops::independent},
    {"first-hop", "wait", "independent", "hop 1 with waits against simulation", "hop 1 for all hops, waits",
     Sources::first_hop, HopDelay::wait, Hops::independent},
    {"independent", "wait", "bound", "bound against simulation", "an upper bound",
     Sources::independent_sources, HopDelay::wait, Hops::bound},
};
constexpr std::size_t kOurs = 0, kIndependent = 1, kLiteral = 2, kPublishedWait = 3, kBound = 4;

/// A simulation of some 8 s on one core.
struct LoadToSimulate {
  const char* load;
  std::int64_t slots;
  double factor;  ///< the accuracy that the paper's wording claims
};
constexpr LoadToSimulate kDelayLoads[] = {
    {"0.2", 15'000, kClose}, {"0.6", 16'000, kClose}, {"0.8", 14'000, kAlmost}};

/// The delays of the tree by a model.
bounds::ClaimedDelayAnswer delays(const Rational& load, const DelayModel& model,
                                  const bounds::DelayQuery& requested) {
  if (model.sources == Sources::independent_sources) {
    const answers::Topology topology = answers::TreeTopology{.tree = kTree, .load = load};
    const answers::DelayPaths paths = answers::delay_paths(topology);
    answers::DelayModel of_hops(topology, paths, {model.hops, kDigits});
    answers::FlowLaw law = of_hops.of(0);
    return of_hops.claims(law, requested);
  }
  const bounds::TreeDelay tree = tree_at(load, model.sources);
  bounds::ClaimedDelayAnswer found =
      bounds::PathDelay(tree.network.queues, model.delay, kDigits).claims(tree.routes, requested);
  // Independent hops are an assumption.
  for (bounds::ClaimedSlotProbability& above : found.above)
    above.probability = answers::not_proved(above.probability, kDigits);
  for (bounds::ClaimedPercentile& percentile : found.queueing)
    percentile.at.probability = answers::not_proved(percentile.at.probability, kDigits);
  return found;
}

/// One load by one model.
struct DelayCurve {
  Rational load;
  const DelayModel* model;
  bounds::TreeDelay tree;
  bounds::ClaimedDelayAnswer percentiles;  ///< of kPercentiles

  [[nodiscard]] std::size_t hops() const { return tree.routes.front().queues.size(); }
  /// P(D > t)
  [[nodiscard]] std::vector<bounds::ClaimedSlotProbability> above(
      const std::vector<std::int64_t>& levels) const {
    bounds::DelayQuery requested;
    for (const std::int64_t level : levels) requested.levels.emplace_back(level);
    return delays(load, *model, requested).above;
  }
  [[nodiscard]] numeric::Claim<unit::Probability> above(Slots slots) const {
    return above(std::vector{slots.value}).front().probability;
  }
};

struct DelayLoad {
  Rational load;
  std::vector<DelayCurve> curves;  ///< in the order of kDelayModels
  TreeRun run;

  [[nodiscard]] std::int64_t hops() const { return static_cast<std::int64_t>(curves.front().hops()); }
};

/// The first one is used to compare models; the last one is the depth of the picture.
const char* const kPercentiles[] = {"0.999999", "0.9999999999"};
constexpr std::size_t kCompared = 0;

DelayCurve delay_curve(const Rational& load, const DelayModel& model) {
  bounds::DelayQuery requested;
  for (const char* percentile : kPercentiles) requested.percentiles.push_back(exactly(percentile));
  return {load, &model, tree_at(load, model.sources), delays(load, model, requested)};
}

// --- findings

/// Each hop's mean wait by Little's law, E[Q]/rho - 1, summed over the route; empty if not rational.
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

/// For the sum of hops taken as independent: its arithmetic is proved.
numeric::Proved<unit::Slot> mean_of_sum(const DelayCurve& curve) {
  bounds::PathDelay law(curve.tree.network.queues, curve.model->delay, kDigits);
  return law.answer(curve.tree.routes, {}).mean_queueing;
}

Finding little(const DelayLoad& at) {
  const DelayCurve& literal = at.curves[kLiteral];
  const numeric::Proved<unit::Slot> occupancy = mean_of_sum(literal);
  const numeric::Proved<unit::Slot> wait = mean_of_sum(at.curves[kPublishedWait]);
  const std::optional<Rational> law = mean_wait_by_little(literal);
  const auto same = [&](const numeric::Proved<unit::Slot>& mean) {
    return !numeric::surely_above(mean, *law) && numeric::to_enclosure(mean).contains(*law);
  };
  return {.subject = "occupancy as delay",
          .claim = "A hop's delay follows from its occupancy; the distributions of the hops are convolved.",
          .published = "no number; wait or occupancy is not specified",
          .computed = fmt::format("mean queueing delay at load {}: {} slots if the delay of a hop is its "
                                  "occupancy (literal reading of the text), {} if it is the wait; Little's "
                                  "law requires {}{}; agrees if the literal reading satisfies the law",
                                  plain(at.load), render::brief(render::shown(occupancy), kDigits),
                                  render::brief(render::shown(wait), kDigits),
                                  law ? render::brief(*law, kDigits) : "an irrational number",
                                  law && same(wait) ? ", which the wait satisfies" : ""),
          .agrees = law ? std::optional<bool>(same(occupancy)) : std::nullopt};
}

Finding hop_count(const DelayLoad& at) {
  constexpr std::int64_t published = 5;
  const DelayCurve& curve = at.curves[kOurs];
  return {
      .subject = "hops",
      .claim = "Latency is the number of hops plus queueing, T = H + D.",
      .published = fmt::format("H = {}", published),
      .computed = fmt::format("{} queues on every path through the tree, P(T > {}) = {} and P(T > {}) = 1",
                              at.hops(), at.hops(), in_brief(curve.above(Slots(0))), at.hops() - 1),
      .agrees = at.hops() == published && curve.tree.routes.size() == 1};
}

/// P(T > t) with hop 1 for all hops against the model with independent source arrivals, t the percentile of
/// the former.
Finding first_hop_suffices(const std::vector<DelayLoad>& loads) {
  constexpr double tolerance = 0.1;
  std::string computed;
  double worst = 0;
  for (const DelayLoad& at : loads) {
    const bounds::ClaimedDelayAnswer& theirs = at.curves[kPublishedWait].percentiles;
    const bounds::ClaimedPercentile& percentile = theirs.queueing[kCompared];
    const auto there = at.curves[kIndependent].above(percentile.slots);
    const double ratio = std::pow(10, height(there) - height(percentile.at.probability));
    worst = std::max(worst, std::abs(ratio - 1));
    const std::int64_t latency = theirs.latency[kCompared].slots.value;
    computed += fmt::format("; load {}: {} slots, P(T > {}) = {} against {} ({:.2f} times)", plain(at.load),
                            latency, latency, in_brief(percentile.at.probability), in_brief(there), ratio);
  }
  return {
      .subject = "hop 1 for all hops",
      .claim = "The distribution of hop 1, convolved five times, gives the end-to-end delay.",
      .published = "curves only",
      .computed = fmt::format(
          "{} % of latency with hop 1 for all hops, and the tail probability there against the model with "
          "independent source arrivals (waits in both){}; agrees if the tails differ by at most {:.0f} %",
          plain(exactly(kPercentiles[kCompared]) * 100), computed, 100 * tolerance),
      .agrees = worst <= tolerance};
}

/// One model compared with the simulations of all loads.
Finding delays_simulated(const std::vector<DelayLoad>& loads, std::size_t model) {
  std::string computed;
  bool agrees = true;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const DelayLoad& at = loads[i];
    const std::vector<std::int64_t> levels = levels_seen_of_delays(at.run);
    std::vector<answers::Predicted<unit::Probability>> analysis;
    for (const bounds::ClaimedSlotProbability& above : at.curves[model].above(levels))
      analysis.push_back(answers::to_predicted(above.probability));
    const std::vector<Judged> judged =
        judge(analysis, simulated_delays(at.run, levels, answers::confidence_of_each(levels.size())));
    computed += fmt::format("; load {}: {}", plain(at.load), figures::in_words(judged, "t", at.hops()));
    agrees = agrees && within(judged, kDelayLoads[i].factor);
  }
  return {
      .subject = kDelayModels[model].subject,
      .claim = "Analysis and simulation almost match at load 0.8 and are close at lower loads.",
      .published = "curves only",
      .computed = fmt::format("P(T > t) with {} ({}){}; agrees if at load {} {} and at the lower loads {}",
                              kDelayModels[model].in_words, judged_how(), computed, plain(loads.back().load),
                              reaching_within(kAlmost), reaching_within(kClose)),
      .agrees = agrees};
}

/// The bound compared with the simulations of all loads.
Finding above_simulation(const std::vector<DelayLoad>& loads) {
  std::string computed;
  bool holds = true;
  for (const DelayLoad& at : loads) {
    const std::vector<std::int64_t> levels = levels_seen_of_delays(at.run);
    const std::vector<bounds::ClaimedSlotProbability> bound = at.curves[kBound].above(levels);
    const std::vector<sim::LevelEstimate> seen =
        simulated_delays(at.run, levels, answers::confidence_of_each(levels.size()));
    double closest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const double maximum = std::pow(10, height(bound[i].probability));
      holds = holds && seen[i].probability.lower <= maximum;
      closest = std::min(closest, maximum / seen[i].probability.value);
    }
    const auto slots = [&at](std::size_t model) {
      return at.curves[model].percentiles.latency[kCompared].slots.value;
    };
    computed +=
        fmt::format("; load {}: at least {:.3g} times the simulated tail probability, {} slots (chain: {})",
                    plain(at.load), closest, slots(kBound), slots(kOurs));
  }
  return {.subject = kDelayModels[kBound].subject,
          .claim = "Generating functions bound delays.",
          .published = "no bound of the end-to-end delay",
          .computed = fmt::format(
              "the bound of P(T > t) and of the percentile {} %{}; agrees if no simulated tail is "
              "above it by more than its interval (joint confidence 95 %)",
              plain(exactly(kPercentiles[kCompared]) * 100), computed),
          .agrees = holds};
}

// --- table and picture

/// The last percentile of any model.
std::int64_t depth_of(const DelayLoad& at) {
  std::int64_t last = 1;
  for (const DelayCurve& curve : at.curves)
    last = std::max(last, curve.percentiles.queueing.back().slots.value);
  return last;
}

/// The rows of one load by one model, and its curve.
render::Curve add_model(const DelayLoad& at, std::size_t model, const std::vector<std::int64_t>& levels,
                        const std::vector<sim::LevelEstimate>& simulated, int colour, Result& result) {
  render::Curve curve{.title = model == kOurs ? fmt::format("load {}", plain(at.load)) : std::string(),
                      .style = model == kOurs ? CurveStyle::steps : CurveStyle::dashed,
                      .colour = colour};
  const std::vector<bounds::ClaimedSlotProbability> all_above = at.curves[model].above(levels);
  for (std::size_t i = 0; i < all_above.size(); ++i) {
    const bounds::ClaimedSlotProbability& above = all_above[i];
    const std::int64_t latency = above.slots.value + at.hops();
    render::Cells found = simulated_cells(simulated[i], at.run);
    found.push_back({"probability", render::shown(above.probability)});
    add_row(result,
            {{"load", render::Given{at.load}},
             {"sources", render::Text{kDelayModels[model].sources_name}},
             {"delay", render::Text{kDelayModels[model].delay_name}},
             {"hops", render::Text{kDelayModels[model].hops_name}},
             {"queueing_slots", render::shown(above.slots)},
             {"latency_slots", render::Whole{latency}}},
            std::move(found));
    if (const double y = height(above.probability); y >= -11)
      curve.points.emplace_back(static_cast<double>(latency), y);
  }
  return curve;
}

/// The simulated points of one load, about forty at most.
render::Curve delay_bars(const DelayLoad& at, int colour) {
  constexpr std::int64_t deepest = 199, maximum = 40;
  render::Curve seen{.title = {}, .style = CurveStyle::bars, .colour = colour}, curve = seen;
  const std::vector<sim::LevelEstimate> all = simulated_delays(at.run, levels_to(deepest));
  for (const sim::LevelEstimate& level : all) add_if_fit_to_draw(seen, level, level.level);
  const std::int64_t step = 1 + static_cast<std::int64_t>(seen.points.size()) / maximum;
  for (const sim::LevelEstimate& level : all)
    if (level.level % step == 0) add_if_fit_to_draw(curve, level, level.level + at.hops());
  return curve;
}

}  // namespace

Result figure_6(const Request& request) {
  std::vector<render::Column> found = simulated_columns("P(D > t), the same as P(T > t) of the latency,");
  found.insert(found.begin(), {"probability", "", "", Shape::claim, "P(D > t) of the sum of five delays"});
  Result result = new_result(
      {{"load", "", "packets/slot", Shape::given, "of each leaf"},
       {"sources", "", "", Shape::text, "sources of the queues in the model: independent or first-hop"},
       {"delay", "", "", Shape::text, "of a hop in the model: wait or occupancy"},
       {"hops", "", "", Shape::text,
        "dependence of the hops: chain, independent, or bound for any dependence"},
       {"queueing_slots", "", "slots", Shape::whole, "t"},
       {"latency_slots", "", "slots", Shape::whole, "including one slot per hop"}},
      std::move(found),
      {.title = "End-to-end delay, 16-ary 3-tree, random-root routing",
       .x_label = "t [slots], hops counted",
       .y_label = "P(T > t)",
       .note = "lines: independent source arrivals, each wait dependent on the previous one; "
               "dashes: literal reading of the published text (hop 1 for all hops, occupancies, "
               "independent). Points: simulation with 95 % intervals",
       .powers_of_ten = true});
  std::vector<DelayLoad> loads;
  std::vector<render::Curve> ours, literal;
  std::string plans;
  for (const auto& [text, slots, factor] : kDelayLoads) {
    const auto number = static_cast<int>(loads.size());
    DelayLoad& at = loads.emplace_back(
        DelayLoad{exactly(text),
                  {},
                  simulate_tree(kTree, exactly(text), slots / (request.quick ? quicker : 1),
                                answers::part_of(request.run, loads.size(), std::size(kDelayLoads)))});
    for (const DelayModel& model : kDelayModels) at.curves.push_back(delay_curve(at.load, model));
    const std::int64_t depth = depth_of(at), step = request.quick ? 1 + depth / 20 : 1;
    const std::vector<std::int64_t> levels = levels_to(depth, step);
    const auto simulated = simulated_delays(at.run, levels);
    for (std::size_t model = 0; model < std::size(kDelayModels); ++model) {
      render::Curve curve = add_model(at, model, levels, simulated, number, result);
      if (model == kOurs) ours.push_back(std::move(curve));
      if (model == kLiteral) literal.push_back(std::move(curve));
      if (kDelayModels[model].sources == Sources::independent_sources)
        result.commands.push_back(fmt::format(
            "tailbound delay --radix {} --levels {} --load {} --hops {} --ccdf 0:{}:{}", kTree.radix,
            kTree.levels, plain(at.load), kDelayModels[model].hops_name, levels.back(), step));
    }
    result.commands.push_back(fmt::format("{} --ccdf 0:{}:{}", command_of(at.run), levels.back(), step));
    plans += fmt::format("; load {}: {}", text, render::in_words(at.run.simulated));
  }
  // Points are drawn below lines, and the published model below ours.
  double last = 0;
  for (const auto* drawn : {&literal, &ours})
    for (const render::Curve& curve : *drawn) last = std::max(last, curve.points.back().first);
  const auto first = static_cast<double>(loads.front().hops());
  std::vector<render::Curve>& curves = result.picture.curves;
  for (std::size_t i = 0; i < loads.size(); ++i) curves.push_back(delay_bars(loads[i], static_cast<int>(i)));
  curves.push_back(rule("1e-6", first, last, -6));
  curves.insert(curves.end(), literal.begin(), literal.end());
  curves.push_back(rule("1e-10", first, last, -10));
  curves.insert(curves.end(), ours.begin(), ours.end());
  result.computed = fmt::format(
      "P(T > t) of the five hops by five models. Three assume independent hops, convolved and certified to "
      "{} digits: the literal reading of the text (every hop as hop 1, the delay of a hop is its occupancy), "
      "the same with the wait of a packet, and independent source arrivals with the wait. In the fourth, the "
      "default of tailbound, each wait depends on the previous one (an approximation). The fifth is an upper "
      "bound. The picture shows the first and the fourth. The simulation of the tree has 95 % intervals{}.",
      kDigits.count, plans);
  result.findings = {hop_count(loads.back()),
                     little(loads.back()),
                     first_hop_suffices(loads),
                     delays_simulated(loads, kLiteral),
                     delays_simulated(loads, kPublishedWait),
                     delays_simulated(loads, kIndependent),
                     delays_simulated(loads, kOurs),
                     above_simulation(loads)};
  return result;
}

}  // namespace tailbound::figures::singh_dally
