#pragma once

#include <tailbound/sim/crossbar/crossbar_replication.hpp>

#include <memory>

/// Critical cells first: a crossbar of speedup 2 whose cells depart as from an output-queued switch.
/// Internal to the sim module.
///
/// MODEL     Each input keeps its cells in a list of priorities. A cell c that arrives for output j is
///           inserted at position OC(c), or at the end of a shorter list; OC(c), the output cushion, is the
///           number of cells in the queue of output j that depart before c. In each phase a stable matching
///           of cells: outputs propose their cells at the inputs, those that depart first before others; an
///           input keeps the proposal that is first in its list. Cells of an output depart by
///           priority, those of one priority by arrival, those of one slot in the order of their inputs.
/// RESULT    counts (CrossbarRows), with the cells that the output-queued switch would have sent before
///           (`late`), and the slots of inputs that hold more cells than the output of their last cell has in
///           the switch (`above`): proved to be 0 at speedup 2.
/// SOURCE    Chuang, Goel, McKeown and Prabhakar 1999; docs/derivations/crossbar.md
namespace tailbound::sim {

[[nodiscard]] std::unique_ptr<CrossbarReplication> make_critical_cells(const CrossbarModel& model,
                                                                       RandomKey key);

}  // namespace tailbound::sim
