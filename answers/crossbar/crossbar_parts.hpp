#pragma once

#include <tailbound/answers/crossbar/crossbar.hpp>
#include <tailbound/bounds/crossbar/voq_switch.hpp>

#include <memory>
#include <string>

/// Parts of the answer for one kind of scheduler each. Internal to the answers module.
namespace tailbound::answers {

/// What a model does not cover, and the simulation that does.
/// \param option  of that simulation, " --burst 4"; may be empty
[[nodiscard]] std::string simulate_instead(const CrossbarQuery& query, const std::string& option = {});

/// `factor` times a claim.
[[nodiscard]] CrossbarNumber<unit::Probability> scaled(const queue::ProbabilityClaim& claim,
                                                       const numeric::Rational& factor);

/// The arrivals at one output, as if the switch were output-queued.
[[nodiscard]] Traffic output_traffic(const CrossbarQuery& query);

/// E[D] of the output-queued switch.
[[nodiscard]] CrossbarNumber<unit::Slot> output_queued_mean(bounds::OutputQueue& queue,
                                                            const numeric::Rational& load);

/// The maximum load with its basis; everything else is empty.
[[nodiscard]] CrossbarAnswer maximum_load(const CrossbarQuery& query);

/// tdm and load-balanced: delay, buffers.
void add_time_division(CrossbarAnswer& answer, const CrossbarQuery& query);
/// ccf: those of the output-queued switch, and the bound of input buffers.
void add_emulation(CrossbarAnswer& answer, const CrossbarQuery& query);
/// fifo at speedup 1.
void add_fifo(CrossbarAnswer& answer, const CrossbarQuery& query);
/// Schedulers of virtual output queues at speedup 1.
void add_voq(CrossbarAnswer& answer, const CrossbarQuery& query);
/// Any simulated scheduler at a speedup above 1.
void add_speedup(CrossbarAnswer& answer, const CrossbarQuery& query);

/// The highest load at which the input buffer of MaxLoad meets its target, with the answer there.
[[nodiscard]] CrossbarAnswer with_max_load(const CrossbarQuery& query);

}  // namespace tailbound::answers
