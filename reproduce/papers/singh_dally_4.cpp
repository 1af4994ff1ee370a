#include <fmt/format.h>
#include <reproduce/papers/singh_dally.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>

#include <algorithm>
#include <iterator>
#include <limits>

namespace tailbound::figures::singh_dally {
namespace {

using render::CurveStyle;
using render::Shape;

/// A simulation of some 3 to 8 s on one core.
struct RadixToSimulate {
  std::int64_t radix, slots;
};
constexpr RadixToSimulate kRadices[] = {{2, 2'000'000}, {4, 500'000}, {8, 75'000}, {16, 15'000}};

/// The hops of one tree compared with the analysis of its hop 1.
struct Radix {
  HopQueue first;
  TreeRun run;
  std::vector<std::vector<Judged>> hops;

  [[nodiscard]] std::int64_t radix() const { return run.model.tree.radix; }
};

Radix radix_at(std::size_t number, const Request& request) {
  const network::Tree tree{kRadices[number].radix, kTree.levels};
  const Rational load = exactly(kOccupancyLoad);
  Radix at{hop_queues(tree_at(load, network::Sources::first_hop, tree)).front(),
           simulate_tree(tree, load, kRadices[number].slots / (request.quick ? quicker : 1),
                         answers::part_of(request.run, number, std::size(kRadices))),
           {}};
  const auto hops = static_cast<std::size_t>(sim::stage_count(tree));
  at.hops = judge_hops(at.run, std::vector<const queue::SlottedQueue*>(hops, &at.first.queue));
  return at;
}

/// Ratio of the largest later-hop probability to that of hop 1 at the deepest level that hop 1 exceeds with
/// 1e-4.
struct Spread {
  std::int64_t level = 0;
  double ratio = 0, lower = 0, upper = 0;
};

Spread spread_of(const Radix& at) {
  Spread spread;
  for (std::size_t hop = 2; hop <= at.hops.size(); ++hop) {
    const Judged* deepest = nullptr;
    for (const Judged& level : at.hops[hop - 1])
      if (level.compared.span()->upper >= 1e-4) deepest = &level;
    if (deepest == nullptr || deepest->ratio() <= spread.ratio) continue;
    const double analysis = deepest->compared.span()->upper;
    spread = {deepest->level, deepest->ratio(), deepest->compared.simulated.lower / analysis,
              deepest->compared.simulated.upper / analysis};
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
          .claim = "The hops diverge at radix 2 and converge as the radix grows to 16.",
          .published = "curves only",
          .computed =
              "the largest simulated P(Q > n) of a later hop, divided by the exact value of hop 1, at the "
              "deepest n judged where the latter is at least 1e-4: " +
              computed + "; agrees if the ratio decreases with each radix by more than the intervals",
          .agrees = converges};
}

Finding identical_hops(const Radix& at) {
  return {.subject = fmt::format("identical hops at radix {}", at.radix()),
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
  std::vector<std::int64_t> levels = levels_to(99);
  const auto tails = simulated_tails(at.run, levels);
  const auto unseen = [&](std::int64_t level) {
    return std::all_of(tails.begin(), tails.end(),
                       [&](const auto& tail) { return tail[static_cast<std::size_t>(level)].count == 0; });
  };
  const auto end = std::find_if(levels.begin(), levels.end(), unseen);
  levels.erase(end == levels.end() ? end : end + 1, levels.end());
  return levels;
}

void add_radix(const Radix& at, int colour, Result& result) {
  const std::vector<std::int64_t> levels = levels_of(at);
  const auto analysis = tails_of(at.first.queue, levels);
  const auto tails = simulated_tails(at.run, levels);
  render::Curve line{
      .title = fmt::format("hop 1, radix {}", at.radix()), .style = CurveStyle::steps, .colour = colour};
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (const double y = height(analysis[i].probability); y >= -8)
      line.points.emplace_back(static_cast<double>(levels[i]), y);
  result.picture.curves.push_back(std::move(line));
  for (std::size_t hop = 1; hop <= tails.size(); ++hop)
    for (std::size_t i = 0; i < levels.size(); ++i) {
      render::Cells found = simulated_cells(tails[hop - 1][i], at.run);
      found.push_back({"first_hop_probability", render::shown(analysis[i].probability)});
      add_row(result,
              {{"radix", render::Whole{at.radix()}},
               {"hop", render::Whole{static_cast<std::int64_t>(hop)}},
               {"level", render::Whole{levels[i]}}},
              std::move(found));
    }
  result.commands.push_back(fmt::format("tailbound occupancy --inputs {} --load {} --levels 0:{}:1",
                                        at.first.inputs, kOccupancyLoad, levels.back()));
  result.commands.push_back(fmt::format("{} --occupancy 0:{}:1", command_of(at.run), levels.back()));
}

}  // namespace

Result figure_4(const Request& request) {
  std::vector<render::Column> found = simulated_columns("P(Q > n) at the hop");
  found.insert(found.begin(),
               {"first_hop_probability", "", "", Shape::proved, "P(Q > n) by the analysis of hop 1"});
  Result result =
      new_result({{"radix", "", "", Shape::whole, "of the tree, of 3 levels"},
                  {"hop", "", "", Shape::whole, "1 to 5"},
                  {"level", "", "packets", Shape::whole, "n"}},
                 std::move(found),
                 {.title = fmt::format("Occupancy of each hop, k-ary 3-trees, load {}", kOccupancyLoad),
                  .x_label = "n [packets]",
                  .y_label = "P(Q > n)",
                  .note = "lines: hop 1, exact; points with 95 % intervals: hops 1 to 5, simulated, later "
                          "hops above the line",
                  .powers_of_ten = true});
  std::vector<Radix> radices;
  std::string plans;
  for (std::size_t number = 0; number < std::size(kRadices); ++number) {
    const Radix& at = radices.emplace_back(radix_at(number, request));
    add_radix(at, static_cast<int>(number), result);
    plans += fmt::format("{}radix {}: {}", number == 0 ? "" : "; ", at.radix(),
                         render::in_words(at.run.simulated));
  }
  // Points are drawn below the lines.
  std::vector<render::Curve> points;
  for (std::size_t i = 0; i < radices.size(); ++i)
    points.push_back(
        bars_of(radices[i].run, 1, radices[i].hops.size(), levels_of(radices[i]), static_cast<int>(i)));
  result.picture.curves.insert(result.picture.curves.begin(), points.begin(), points.end());
  result.computed = fmt::format(
      "P(Q > n) at each of the five hops of k-ary 3-trees by simulation, with 95 % intervals, at the load of "
      "figure 5, {} (the paper states none for this figure), and at hop 1 by the renewal recurrence, "
      "certified to {} digits. Simulated: {}.",
      kOccupancyLoad, kDigits.count, plans);
  result.findings = {convergence(radices), identical_hops(radices.back()), first_hop_exact(radices)};
  return result;
}

}  // namespace tailbound::figures::singh_dally
