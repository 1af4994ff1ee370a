#include <tailbound/render/documents/buffer/buffer.hpp>
#include <tailbound/render/documents/buffer/compare.hpp>
#include <tailbound/render/documents/buffer/occupancy.hpp>
#include <tailbound/render/documents/buffer/pgf.hpp>
#include <tailbound/render/documents/buffer/shared_buffer.hpp>
#include <tailbound/render/documents/buffer/sized_buffer.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/delay/generated_network.hpp>
#include <tailbound/render/documents/layouts.hpp>
#include <tailbound/render/documents/multistage/multistage.hpp>
#include <tailbound/render/documents/reproduce.hpp>
#include <tailbound/render/documents/simulation/simulate_hypercube.hpp>
#include <tailbound/render/documents/simulation/simulate_multistage.hpp>
#include <tailbound/render/documents/simulation/simulate_switch.hpp>
#include <tailbound/render/documents/simulation/simulate_tree.hpp>
#include <tailbound/render/documents/simulation/simulate_wormhole.hpp>
#include <tailbound/render/documents/sweep.hpp>
#include <tailbound/render/documents/validation/validate_broadcast.hpp>
#include <tailbound/render/documents/validation/validate_buffer.hpp>
#include <tailbound/render/documents/validation/validate_delay.hpp>
#include <tailbound/render/documents/validation/validate_multistage.hpp>
#include <tailbound/render/documents/validation/validate_sized_buffer.hpp>
#include <tailbound/render/documents/validation/validate_switch.hpp>
#include <tailbound/render/documents/validation/validate_wormhole.hpp>
#include <tailbound/render/documents/wormhole/broadcast.hpp>
#include <tailbound/render/documents/wormhole/wormhole.hpp>
#include <tailbound/render/formats/schema.hpp>

namespace tailbound::render {

std::vector<Layout> all_layouts() {
  return {with_packet_sizes(with_shared_memory(buffer_layout())),
          occupancy_layout(),
          delay_layout(),
          pgf_layout(),
          compare_layout(),
          multistage_layout(),
          wormhole_layout(),
          broadcast_layout(),
          reproduce_layout(),
          simulate_tree_layout(),
          simulate_switch_layout(),
          simulate_wormhole_layout(),
          simulate_hypercube_layout(),
          validate_delay_layout(),
          with_validated_sizes(validate_buffer_layout()),
          validate_switch_layout(),
          validate_wormhole_layout(),
          validate_broadcast_layout(),
          simulate_multistage_layout(),
          validate_multistage_layout(),
          generated_network_layout(),
          sweep_layout()};
}

std::string output_page() {
  std::string text =
      R"(# What the commands write

This page is made by `tailbound schema --keys` from the table that makes the output itself; a test holds it to that.
`tailbound schema COMMAND` prints a JSON Schema of a command's JSON.

**JSON.** `{"command", "version", "question", "results", "headline", "notes"}`. `question` holds the inputs as understood, a list
where several values were asked for. `results` is always a list, an entry a point of the question, each with its own inputs; tables
inside a point (percentiles, hops, levels) are lists of objects. A run that was stopped has `"stopped": true` and `stopped_after`.

**Numbers.** An input is a decimal string that reads exactly; where it is no short decimal the fraction stands beside it, under the key
with `_exact`. Whole numbers that are exactly so are plain. Every other number is an object with its `kind` ([contract.md](contract.md)):
`exact` (`value` a fraction, `lower`, `upper`), `enclosure` (`lower`, `upper`), `approximation` (`value`, `agreed_digits`), `bound`
(`value`, `side`), `asymptote` and `model` (`value`), `estimate` (`value`, `lower`, `upper`, `confidence`; `upper` is null where nothing is
known of it). null: there is no such number.

**CSV.** One header; a line a point, or a line a row of the point's table, every input a column. `KEY` is a decimal that any program
reads; beside it `KEY_kind`, `KEY_lower`, `KEY_upper`, `KEY_exact` (the fraction), `KEY_agreed_digits`, `KEY_confidence`, as its shape has
them. With several tables the column `table` says which one a line is of, and their keys begin with its name. `stopped` is `true` in every line
of a run that was stopped.

**Units.** `--packet-bytes` adds `.._bytes` and `.._kib` to every number of packets, `--link-gbps` adds `.._ns` to every number of slots.
`--hop-ns` (delay, simulate tree, validate delay) adds what wires and pipelines take for each queue passed to latencies in ns, and to no
other number.
)";
  for (const Layout& layout : all_layouts()) text += "\n" + keys_as_markdown(layout);
  return text;
}

}  // namespace tailbound::render
