#include <cli/commands/queues/buffer_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/buffer/sized_buffer.hpp>

#include <vector>

namespace tailbound::cli {
namespace {

using answers::CellArrival;
using answers::SizedBufferQuery;
using answers::SizedCriterion;
using numeric::Rational;
using traffic::PacketSizes;

constexpr std::int64_t max_sized_inputs = 1'048'576, deepest_sized = 1'000'000'000;

std::vector<Rational> read_loads(const TrafficOptions& traffic) {
  std::vector<Rational> loads = parse_percent_list(
      required(traffic.load, "--load", "--sizes needs the share of slots with a cell, such as --load 0.8"),
      "--load");
  for (const Rational& load : loads)
    if (load <= 0) throw InvalidArgument("--load", plain(load), "greater than 0 cells per slot");
  return loads;
}

}  // namespace

std::vector<std::int64_t> read_cell_bytes(const std::optional<std::string>& text) {
  if (!text) return {64};
  return parse_whole_quantities(*text, "--cell-bytes", numeric::Measure::bytes, 1, PacketSizes::max_bytes);
}

std::vector<std::optional<answers::SwitchCells>> read_switch_cells(
    const std::optional<std::string>& sizes, const std::optional<std::string>& cell_bytes) {
  if (!sizes) {
    reject_without({{"--cell-bytes", &cell_bytes}}, "--sizes LIST");
    return {std::nullopt};
  }
  std::vector<std::optional<answers::SwitchCells>> all;
  for (const std::int64_t bytes : read_cell_bytes(cell_bytes))
    all.emplace_back(answers::SwitchCells{.name = *sizes, .sizes = read_sizes(*sizes), .cell_bytes = bytes});
  return all;
}

void add_sized_buffer_options(OptionTable& table, SizedBufferOptions& options) {
  const OptionGroup group(table, "Packet sizes");
  group.add("--sizes", options.sizes, "SIZES",
            "packet sizes: imix, \"64:7,594:4,1518:1\" or a file.\nEntries are bytes:weight. The buffer is "
            "then in cells, and --load is the share of slots with a cell");
  group.add("--cell-bytes", options.cell_bytes, "C", "cell size in bytes (default 64)",
            must_be(numeric::integers_in_words(1, PacketSizes::max_bytes), slider(32, 512, 32)));
  group.add("--arrive", options.arrive, "NAME",
            "whole or cells (default whole).\nwhole: all cells of a packet arrive in one slot; cells: one "
            "per slot and input",
            choices<CellArrival>());
}

Reply answer_sized(const BufferOptions& options, const Context& context) {
  const answers::Units units = cell_units(options.units);
  const auto requested_of = [&](const SizedBufferQuery& query) {
    return read_requested(
        options, deepest_sized,
        {.both = "give --drop alone for the buffer that meets a target, or --capacity alone for its loss",
         .missing = "give the target probability, such as --drop 1e-9, or a buffer with --capacity B"},
        {query.cell_bytes, "--cell-bytes"});
  };
  const auto criteria = choices_or_first<SizedCriterion>(options.criterion, "--criterion");
  const auto arrivals = choices_or_first<CellArrival>(options.sized.arrive, "--arrive");
  const queue::Accuracy accuracy = read_accuracy(options.accuracy);
  for (const CellArrival arrive : arrivals)
    if (arrive == CellArrival::cells && accuracy.arithmetic != queue::Arithmetic::automatic)
      throw options.accuracy.arithmetic.invalid("auto with --arrive cells");
  const std::vector<std::int64_t> inputs = parse_integers(
      required(options.traffic.inputs, "--inputs", "--sizes needs the number of inputs, such as --inputs 16"),
      "--inputs", 1, max_sized_inputs);
  const std::vector<Rational> loads = read_loads(options.traffic);
  const std::vector<std::int64_t> cell_bytes = read_cell_bytes(options.sized.cell_bytes);
  const std::vector<SizedBufferQuery> wanted =
      answers::Combinations(SizedBufferQuery{.load = {},
                                             .sizes_name = *options.sized.sizes,
                                             .sizes = read_sizes(*options.sized.sizes),
                                             .requested = {},
                                             .accuracy = accuracy})
          .by(inputs, &SizedBufferQuery::inputs)
          .by(cell_bytes, &SizedBufferQuery::cell_bytes)
          .by(arrivals, &SizedBufferQuery::arrive)
          .by(criteria, &SizedBufferQuery::criterion)
          .by(loads, &SizedBufferQuery::load)
          .points();
  std::vector<SizedBufferQuery> queries;
  for (const SizedBufferQuery& each : wanted)
    for (const RequestedBuffer& requested : requested_of(each)) {
      queries.push_back(each);
      queries.back().requested = requested;
    }
  return show_all(
      queries, context, [&](const auto& points) { return render::document(points, units); },
      [&](const SizedBufferQuery& query) { return render::inputs_of(query, units); });
}

}  // namespace tailbound::cli
