#include <fmt/format.h>
#include <reproduce/papers/singh_dally.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>

namespace tailbound::figures::singh_dally {
namespace {

using numeric::plain;
using render::Shape;

Finding one_hop_for_all(const std::vector<HopQueue>& hops) {
  const Rational& drop = target().probability;
  const bounds::BufferSize first = bounds::buffer_size(hops.front().queue, target());
  std::string computed = fmt::format("hop 1 needs {} packets for {}", first.buffer.value, plain(drop));
  bool enough = true;
  for (std::size_t i = 1; i < hops.size(); ++i) {
    const std::int64_t minimum = bounds::buffer_size(hops[i].queue, target()).buffer.value;
    const auto there =
        bounds::drop_probability(hops[i].queue, first.buffer, bounds::Criterion::overflow).probability;
    enough = enough && numeric::surely_at_most(there, drop);
    computed += fmt::format(", {} {} packets (P(Q > {}) there is {}, at hop 1 {})", in_words(hops[i]),
                            minimum, first.buffer.value, in_brief(there), in_brief(first.at.probability));
  }
  return {.subject = "one distribution for all hops",
          .claim = "The distribution of hop 1 applies to all five hops, which behave almost identically.",
          .published = "curves only, at radix 16",
          .computed = computed + "; agrees if the buffer of hop 1 meets the target at every hop",
          .agrees = enough};
}

Finding depth_of_target(const HopQueue& hop) {
  const bounds::BufferSize first = bounds::buffer_size(hop.queue, target());
  return {.subject = "depth for 1e-15",
          .claim =
              "The depth for an overflow of the order of 1e-15 follows from the analysis; simulation does "
              "not reach it.",
          .published = "no depth is printed",
          .computed = fmt::format("{} packets at hop 1: P(Q > {}) = {}, P(Q > {}) = {}", first.buffer.value,
                                  first.buffer.value, in_brief(first.at.probability), first.buffer.value - 1,
                                  first.before ? in_brief(first.before->probability) : "1"),
          .agrees = std::nullopt};
}

/// The published analysis, hop 1, against every hop.
Finding first_hop_simulated(const TreeRun& run, const std::vector<HopQueue>& hops) {
  const auto judged =
      judge_hops(run, std::vector<const queue::SlottedQueue*>(hops.back().last, &hops.front().queue));
  return {.subject = "simulated curves",
          .claim = "The analysis of hop 1 lies almost exactly on the simulated curves of all hops.",
          .published = "curves only",
          .computed = fmt::format("the analysis of hop 1 is ({}) {}; agrees if {}", judged_how(),
                                  hops_in_words(judged, 1), reaching_within(kAlmost)),
          .agrees = all_within(judged, 1, kAlmost)};
}

/// Our analysis (independent source arrivals) against the later hops.
Finding omitted_upstream(const TreeRun& run, const std::vector<HopQueue>& hops) {
  std::vector<const queue::SlottedQueue*> models;
  for (const HopQueue& hop : hops) models.insert(models.end(), hop.last - hop.first + 1, &hop.queue);
  const auto judged = judge_hops(run, models);
  return {.subject = "upstream queues neglected",
          .claim = "With many sources, neglecting the upstream queues hardly changes a queue.",
          .published = "a limit theorem, no number",
          .computed = fmt::format("the analysis with independent source arrivals is ({}) {}; agrees if {}",
                                  judged_how(), hops_in_words(judged, 2), reaching_within(kAlmost)),
          .agrees = all_within(judged, 2, kAlmost)};
}

/// From 0 to the level at which every hop meets the target.
std::vector<std::int64_t> levels_of(const std::vector<HopQueue>& hops, std::int64_t step) {
  std::int64_t last = 0;
  for (const HopQueue& hop : hops)
    last = std::max(last, bounds::buffer_size(hop.queue, target()).buffer.value);
  return levels_to(last, step);
}

/// The rows of the hops that have one queue, and its curve.
void add_hops(const HopQueue& hops, int colour, const TreeRun& run, const std::vector<std::int64_t>& levels,
              Result& result) {
  const auto tails = tails_of(hops.queue, levels);
  const auto simulated = simulated_tails(run, levels);
  render::Curve curve = curve_of(hops, colour);
  curve.style = render::CurveStyle::steps;
  for (const queue::LevelProbability& tail : tails)
    render::add_point(curve, static_cast<double>(tail.level.value), render::shown(tail.probability), true);
  result.picture.curves.push_back(std::move(curve));
  for (std::size_t hop = hops.first; hop <= hops.last; ++hop)
    for (std::size_t i = 0; i < tails.size(); ++i) {
      render::Cells found = simulated_cells(simulated[hop - 1][i], run);
      found.push_back({"probability", render::shown(tails[i].probability)});
      add_row(result,
              {{"hop", render::Whole{static_cast<std::int64_t>(hop)}},
               {"inputs", render::Whole{hops.inputs}},
               {"level", render::shown(tails[i].level)}},
              std::move(found));
    }
}

}  // namespace

Result figure_5(const Request& request) {
  const Rational load = exactly(kOccupancyLoad);
  const std::int64_t slots = 25'000 / (request.quick ? quicker : 1);  // some 12 s on one core
  const TreeRun run = simulate_tree(kTree, load, slots, request.run);
  const std::vector<HopQueue> hops = hop_queues(tree_at(load, network::Sources::independent_sources));
  const std::int64_t step = request.quick ? 5 : 1;
  const std::vector<std::int64_t> levels = levels_of(hops, step);

  std::vector<render::Column> found = simulated_columns("P(Q > n) at the hop");
  found.insert(found.begin(), {"probability", "", "", Shape::proved,
                               "P(Q > n) by the analysis with independent source arrivals"});
  Result result =
      new_result({{"hop", "", "", Shape::whole, "1 to 5"},
                  {"inputs", "", "", Shape::whole, "sources whose packets pass a queue of the hop"},
                  {"level", "", "packets", Shape::whole, "n"}},
                 std::move(found),
                 {.title = fmt::format("Occupancy of each hop, 16-ary 3-tree, load {}", plain(load)),
                  .x_label = "n [packets]",
                  .y_label = "P(Q > n)",
                  .note = "lines: analysis, hop 2 below the later hops; points with 95 % intervals: "
                          "simulation, in the colours of the lines",
                  .powers_of_ten = true});
  // Points, the target, lines: points are drawn below their line.
  std::vector<render::Curve>& curves = result.picture.curves;
  for (std::size_t i = 0; i < hops.size(); ++i)
    curves.push_back(bars_of(run, hops[i].first, hops[i].last, levels, static_cast<int>(i)));
  curves.push_back(rule("target " + plain(target().probability), 0, static_cast<double>(levels.back()), -15));
  for (std::size_t i = 0; i < hops.size(); ++i) {
    add_hops(hops[i], static_cast<int>(i), run, levels, result);
    result.commands.push_back(fmt::format("tailbound occupancy --inputs {} --load {} --levels 0:{}:{}",
                                          hops[i].inputs, plain(load), levels.back(), step));
  }
  result.commands.push_back(fmt::format("{} --occupancy 0:{}:{}", command_of(run), levels.back(), step));
  result.computed = fmt::format(
      "P(Q > n) of the queue at each hop, by the renewal recurrence, certified to {} digits. Hop 1 has {} "
      "sources, as in the published analysis. At the later hops, the arrivals are those of all sources whose "
      "packets pass them, independent of each other; this is an approximation, hop 1 is exact. The "
      "simulation of the tree has 95 % intervals: {}.",
      kDigits.count, hops.front().inputs, render::in_words(run.simulated));
  result.findings = {one_hop_for_all(hops), depth_of_target(hops.front()), first_hop_simulated(run, hops),
                     omitted_upstream(run, hops)};
  return result;
}

}  // namespace tailbound::figures::singh_dally
