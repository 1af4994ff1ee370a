#include <fmt/format.h>
#include <reproduce/papers/singh_dally.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace tailbound::figures {
namespace singh_dally {

using render::CurveStyle;

Rational exactly(const char* text) {
  return numeric::parse_rational(text, "constant");
}

const bounds::DropTarget& target() {
  static const bounds::DropTarget value{.probability = exactly("1e-15"),
                                        .criterion = bounds::Criterion::overflow};
  return value;
}

bounds::TreeDelay tree_at(const Rational& load, network::Sources sources, const network::Tree& tree) {
  return bounds::tree_delay(tree, load, network::TreeRouting::random_root, sources);
}

std::vector<HopQueue> hop_queues(const bounds::TreeDelay& tree) {
  std::vector<HopQueue> result;
  const std::vector<std::size_t>& path = tree.routes.front().queues;
  for (std::size_t hop = 0; hop < path.size();) {
    std::size_t last = hop;
    while (last + 1 < path.size() && path[last + 1] == path[hop]) ++last;
    std::int64_t inputs = 0;
    for (const network::SourceRate& source : tree.network.traffic[path[hop]].sources) inputs += source.count;
    result.push_back({last == hop ? fmt::format("{}", hop + 1) : fmt::format("{} to {}", hop + 1, last + 1),
                      hop + 1, last + 1, std::get<queue::SlottedQueue>(tree.network.queues[path[hop]]),
                      inputs});
    hop = last + 1;
  }
  return result;
}

std::string in_words(const HopQueue& hop) {
  return (hop.hops.size() > 1 ? "hops " : "hop ") + hop.hops;
}

render::Curve curve_of(const HopQueue& hop, int colour) {
  return {.title = fmt::format("{}, {} sources", in_words(hop), hop.inputs), .colour = colour};
}

std::string in_brief(const numeric::Claim<unit::Probability>& probability) {
  return render::brief(render::shown(probability), {4});
}
std::string in_brief(const numeric::Proved<unit::Probability>& probability) {
  return in_brief(numeric::to_claim(probability));
}

double height(const numeric::Claim<unit::Probability>& probability) {
  return render::log10_height(render::shown(probability)).value();
}
double height(const numeric::Proved<unit::Probability>& probability) {
  return height(numeric::to_claim(probability));
}

std::vector<queue::LevelProbability> tails_of(const queue::SlottedQueue& queue,
                                              const std::vector<std::int64_t>& levels) {
  std::vector<Packets> packets;
  for (const std::int64_t level : levels) packets.emplace_back(level);
  return queue::occupancy_tails(queue, packets, {.digits = kDigits});
}

std::vector<std::vector<Judged>> judge_hops(const TreeRun& run,
                                            const std::vector<const queue::SlottedQueue*>& models) {
  std::vector<std::vector<std::int64_t>> levels;
  std::size_t all = 0;
  for (std::size_t hop = 1; hop <= models.size(); ++hop)
    all += levels.emplace_back(levels_seen_at_hop(run, hop)).size();
  std::vector<std::vector<Judged>> judged;
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::vector<answers::Predicted<unit::Probability>> analysis;
    for (const queue::LevelProbability& tail : tails_of(*models[i], levels[i]))
      analysis.push_back(answers::to_predicted(tail.probability));
    judged.push_back(judge(analysis, simulated_tails(run, levels[i], answers::confidence_of_each(all))[i]));
  }
  return judged;
}

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
      "at levels observed with the precision of {} independent events, by intervals with a joint confidence "
      "of 95 %",
      kMinSeen);
}

std::string reaching_within(double factor) {
  return fmt::format("every interval comes within a factor of {} of the analysis", factor);
}

render::Curve bars_of(const TreeRun& run, std::size_t first, std::size_t last,
                      const std::vector<std::int64_t>& levels, int colour) {
  render::Curve curve{.title = {}, .style = CurveStyle::bars, .colour = colour};
  const auto tails = simulated_tails(run, levels);
  for (std::size_t hop = first; hop <= last; ++hop)
    for (const sim::LevelEstimate& level : tails[hop - 1]) add_if_fit_to_draw(curve, level, level.level);
  return curve;
}

render::Curve rule(std::string title, double from, double to, double y) {
  return {.title = std::move(title), .style = CurveStyle::rule, .points = {{from, y}, {to, y}}};
}

}  // namespace singh_dally

std::vector<Figure> singh_dally_figures() {
  const auto figure = [](int number, const char* section, const char* title, const char* shows,
                         Result (*compute)(const Request&)) {
    return Figure{.name = fmt::format("singh-dally-{}", number),
                  .paper = "singh-dally",
                  .title = fmt::format("Figure {}: {}", number, title),
                  .source = fmt::format("A. Singh and W. J. Dally, Buffer and Delay Bounds in High Radix "
                                        "Interconnection Networks, IEEE Computer Architecture Letters, 2004, "
                                        "section {}",
                                        section),
                  .shows = shows,
                  .compute = compute};
  };
  return {
      figure(
          4, "IV.A", "occupancy at each hop of k-ary 3-trees, k = 2, 4, 8 and 16",
          "The complementary distribution of the simulated queue depth at each of the five hops, non-bursty "
          "sources. According to the paper the hops diverge at k = 2 and are almost identical at k = 16.",
          singh_dally::figure_4),
      figure(5, "IV.B", "occupancy at each hop of a 16-ary 3-tree, load 0.6",
             "The complementary distribution of the queue depth from the generating function of hop 1, "
             "against the depths measured at the five hops by two days of simulation. According to the paper "
             "they match almost exactly.",
             singh_dally::figure_5),
      figure(6, "IV.C", "end-to-end delay of a 16-ary 3-tree at loads 0.2, 0.6 and 0.8",
             "The complementary distribution of the delay, from the distributions of the five hops convolved "
             "as if independent plus 5 slots, against simulation. According to the paper they almost match "
             "at load 0.8 and are reasonably close at the lower loads.",
             singh_dally::figure_6),
      figure(7, "V", "buffer for an overflow of 1e-15 against the load, 16-ary 3-tree",
             "The buffer grows without bound towards load 1. The paper reads 160 packets at load 0.9 and "
             "concludes that a speedup of 1/0.9 = 1.11 makes flow control unnecessary.",
             singh_dally::figure_7),
  };
}

}  // namespace tailbound::figures
