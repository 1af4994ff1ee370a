#include <tailbound/render/documents/output_page.hpp>
#include <tailbound/render/documents/schema.hpp>

namespace tailbound::render {

std::string output_page(const std::vector<Layout>& layouts) {
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
  for (const Layout& layout : layouts) text += "\n" + keys_as_markdown(layout);
  return text;
}

}  // namespace tailbound::render
