#include <fmt/format.h>
#include <cli/commands/queues/buffer_options.hpp>
#include <cli/options/files.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/buffer/shared_buffer.hpp>

#include <array>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::SharedBufferQuery;
using bounds::Criterion;
using numeric::Rational;

constexpr std::int64_t max_ports = 4096, deepest_shared = 1'000'000;

using SwitchTraffic = decltype(SharedBufferQuery::traffic);

/// Each traffic, with its default number of outputs.
std::vector<std::pair<SwitchTraffic, std::int64_t>> read_switches(const SharedBufferOptions& shared,
                                                                  const TrafficOptions& traffic) {
  const std::array<Named, 3> sources{
      {{"--inputs", &traffic.inputs}, {"--rates", &traffic.rates}, {"--matrix", &shared.matrix}}};
  const char* source = nullptr;
  for (const auto& [name, value] : sources) {
    if (!*value) continue;
    if (source != nullptr) throw not_allowed_with(source, name, "each defines the traffic");
    source = name;
  }
  if (traffic.load && !traffic.inputs) throw needs("--load", "--inputs K");
  std::vector<std::pair<SwitchTraffic, std::int64_t>> all;
  if (traffic.inputs) {
    const std::string& loads = required(
        traffic.load, "--load", "--inputs needs the packets per slot of each input, such as --load 0.8");
    for (const std::int64_t inputs : parse_integers(*traffic.inputs, "--inputs", 1, max_ports))
      for (const Rational& load : parse_percent_list(loads, "--load")) {
        if (load <= 0 || load > 1)
          throw InvalidArgument("--load", plain(load),
                                "above 0 and at most 1 packet per slot, of each input");
        all.emplace_back(answers::EqualSwitchInputs{inputs, load}, inputs);
      }
  } else if (traffic.rates) {
    std::vector<Rational> rates = parse_percent_list(*traffic.rates, "--rates");
    for (const Rational& rate : rates)
      if (rate < 0 || rate > 1) throw InvalidArgument("--rates", plain(rate), "from 0 to 1 packets per slot");
    const auto count = static_cast<std::int64_t>(rates.size());
    all.emplace_back(answers::UnequalSwitchInputs{std::move(rates)}, count);
  } else if (shared.matrix) {
    if (shared.outputs)
      throw not_allowed_with("--outputs", "--matrix", "the columns of the matrix are the outputs");
    answers::TrafficMatrix matrix =
        answers::traffic_matrix(read_file(*shared.matrix, "--matrix"), *shared.matrix);
    const auto outputs = static_cast<std::int64_t>(matrix.rates.front().size());
    all.emplace_back(std::move(matrix), outputs);
  } else {
    throw missing("--inputs", "--shared needs --inputs K --load R, --rates P1,P2,.. or --matrix FILE");
  }
  return all;
}

std::vector<Criterion> read_criteria_of(const BufferOptions& options) {
  if (!options.shared.threshold) return read_criteria(options.criterion);
  if (!options.criterion) return {Criterion::loss};
  std::vector<Criterion> criteria = read_criteria(options.criterion);
  for (const Criterion criterion : criteria)
    if (criterion == Criterion::overflow)
      throw InvalidArgument("--criterion", *options.criterion,
                            "loss with --threshold, which decides what is taken");
  return criteria;
}

/// The packets for each entry of --cell-bytes; a single "none" without --sizes.
std::vector<std::optional<answers::SwitchCells>> read_cells(const BufferOptions& options) {
  const SizedBufferOptions& sized = options.sized;
  if (!sized.sizes) return read_switch_cells(sized.sizes, sized.cell_bytes);
  if (sized.arrive && *sized.arrive != "whole")
    throw InvalidArgument("--arrive", *sized.arrive,
                          "whole with --shared: packets arriving cell by cell can only be simulated "
                          "(tailbound simulate switch)");
  return read_switch_cells(sized.sizes, sized.cell_bytes);
}

}  // namespace

void add_shared_buffer_options(OptionTable& table, SharedBufferOptions& options) {
  const OptionGroup group(table, "Shared memory");
  group.add_flag("--shared", options.shared,
                 "a memory shared by all outputs of a switch.\n--load and --rates are then per input, and "
                 "the result is a proved bound");
  group.add("--outputs", options.outputs, "N", "number of outputs (default as many as inputs)",
            slider(2, 64, 1));
  group.add("--threshold", options.threshold, "ALPHA",
            "dynamic threshold, with --criterion loss.\nA packet is accepted while its queue is shorter than "
            "ALPHA times the free memory",
            slider(0.25, 8, 0.25));
  group.add("--matrix", options.matrix, "FILE",
            "packets per slot from each input to each output.\nCSV, one row per input (docs/files.md)");
}

Reply answer_shared(const BufferOptions& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  const std::vector<RequestedBuffer> requested = read_requested(
      options, deepest_shared,
      {.both = "give --drop alone for the memory that meets a target, or --capacity alone for a bound",
       .missing = "give the target probability, such as --drop 1e-9, or a memory with --capacity M"});
  const std::vector<Criterion> criteria = read_criteria_of(options);
  const std::vector<Rational> thresholds = options.shared.threshold
                                               ? parse_list(*options.shared.threshold, "--threshold")
                                               : std::vector<Rational>{};
  const auto packets = read_cells(options);
  std::vector<SharedBufferQuery> switches;
  for (const auto& [traffic, usual] : read_switches(options.shared, options.traffic))
    for (const std::int64_t outputs : integers_or(usual, options.shared.outputs, "--outputs", 1, max_ports))
      switches.push_back({.traffic = traffic, .outputs = outputs, .requested = {}});
  const std::vector<SharedBufferQuery> queries =
      answers::Combinations(std::move(switches))
          .by(criteria, &SharedBufferQuery::criterion)
          .by(each_or_none(options.shared.threshold.has_value(), thresholds), &SharedBufferQuery::threshold)
          .by(packets, &SharedBufferQuery::cells)
          .by(requested, &SharedBufferQuery::requested)
          .points();
  return show_all(
      queries, context, [&](const auto& points) { return render::document(points, units); },
      [&](const SharedBufferQuery& query) { return render::inputs_of(query, units); });
}

}  // namespace tailbound::cli
