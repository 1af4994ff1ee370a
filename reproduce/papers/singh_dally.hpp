#pragma once

#include <reproduce/figure.hpp>
#include <reproduce/simulation.hpp>
#include <tailbound/bounds/network/network_delay.hpp>
#include <tailbound/bounds/sizing/buffer_size.hpp>

#include <string>
#include <vector>

/// Singh and Dally, Buffer and Delay Bounds in High Radix Interconnection Networks, 2004: figures 4 to 7, and
/// what they have in common.
namespace tailbound::figures {

[[nodiscard]] std::vector<Figure> singh_dally_figures();

}  // namespace tailbound::figures

namespace tailbound::figures::singh_dally {

using numeric::Rational;

[[nodiscard]] Result figure_4(const Request& request);
[[nodiscard]] Result figure_5(const Request& request);
[[nodiscard]] Result figure_6(const Request& request);
[[nodiscard]] Result figure_7(const Request& request);

inline constexpr numeric::Digits kDigits{10};
inline constexpr network::Tree kTree{16, 3};          ///< of figures 5 to 7
inline constexpr const char* kOccupancyLoad = "0.6";  ///< of figures 4 and 5
inline constexpr double kAlmost = 1.1, kClose = 2;    ///< our measure of "almost match", "reasonably close"

[[nodiscard]] Rational exactly(const char* text);
/// An overflow of 1e-15.
[[nodiscard]] const bounds::DropTarget& target();

/// Under random-root routing.
[[nodiscard]] bounds::TreeDelay tree_at(const Rational& load, network::Sources sources,
                                        const network::Tree& tree = kTree);

/// The queues of a tree that differ, each with the hops that have it: "1", "2", "3 to 5".
struct HopQueue {
  std::string hops;
  std::size_t first, last;  ///< from 1
  queue::SlottedQueue queue;
  std::int64_t inputs;
};
[[nodiscard]] std::vector<HopQueue> hop_queues(const bounds::TreeDelay& tree);

/// "hop 2", "hops 3 to 5"
[[nodiscard]] std::string in_words(const HopQueue& hop);
/// "hop 1, 16 sources": the analysis of these hops.
[[nodiscard]] render::Curve curve_of(const HopQueue& hop, int colour);

/// Four digits at most.
[[nodiscard]] std::string in_brief(const numeric::Proved<unit::Probability>& probability);
[[nodiscard]] std::string in_brief(const numeric::Claim<unit::Probability>& probability);
/// log10
[[nodiscard]] double height(const numeric::Proved<unit::Probability>& probability);
[[nodiscard]] double height(const numeric::Claim<unit::Probability>& probability);

[[nodiscard]] std::vector<queue::LevelProbability> tails_of(const queue::SlottedQueue& queue,
                                                            const std::vector<std::int64_t>& levels);

/// Each hop against its model, at the levels seen often enough and by intervals that hold together.
[[nodiscard]] std::vector<std::vector<Judged>> judge_hops(
    const TreeRun& run, const std::vector<const queue::SlottedQueue*>& models);
/// "hop 2: inside at ...; hop 3: ..." from hop `first` on
[[nodiscard]] std::string hops_in_words(const std::vector<std::vector<Judged>>& hops, std::size_t first);
[[nodiscard]] bool all_within(const std::vector<std::vector<Judged>>& hops, std::size_t first, double factor);
/// How models are judged, in words; and when they agree.
[[nodiscard]] std::string judged_how();
[[nodiscard]] std::string reaching_within(double factor);

/// Simulated points of the hops from `first` to `last`, as a curve without a title.
[[nodiscard]] render::Curve bars_of(const TreeRun& run, std::size_t first, std::size_t last,
                                    const std::vector<std::int64_t>& levels, int colour);
/// A level across the picture from x = `from` to `to`.
[[nodiscard]] render::Curve rule(std::string title, double from, double to, double y);

}  // namespace tailbound::figures::singh_dally
