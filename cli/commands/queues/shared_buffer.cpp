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
using answers::SizedCriterion;
using numeric::Rational;

constexpr std::int64_t max_ports = 4096;

using SwitchTraffic = decltype(SharedBufferQuery::traffic);
using SharedRequested = decltype(SharedBufferQuery::requested);

/// Each traffic, with its default number of outputs.
std::vector<std::pair<SwitchTraffic, std::int64_t>> read_switches(const SharedBufferOptions& shared,
                                                                  const TrafficOptions& traffic,
                                                                  SolveFor unknown) {
  const std::array<Named, 3> sources{
      {{"--inputs", &traffic.inputs}, {"--rates", &traffic.rates}, {"--matrix", &shared.matrix}}};
  const char* source = nullptr;
  for (const auto& [name, value] : sources) {
    if (!*value) continue;
    if (source != nullptr) throw not_allowed_with(source, name, "each defines the traffic");
    source = name;
  }
  const bool of_ports = unknown == SolveFor::ports, of_load = unknown == SolveFor::load;
  if (traffic.load && !traffic.inputs && !of_ports) throw needs("--load", "--inputs K");
  if (of_ports)
    reject_with({{"--inputs", &traffic.inputs}, {"--outputs", &shared.outputs}}, "--solve ports",
                "the number of inputs and outputs is the unknown");
  if (of_load) reject_with({{"--load", &traffic.load}}, "--solve load", "the load is the unknown");
  if ((of_ports || of_load) && source != nullptr && !traffic.inputs)
    throw not_allowed_with(source, of_ports ? "--solve ports" : "--solve load", "it is of equal inputs");
  std::vector<std::pair<SwitchTraffic, std::int64_t>> all;
  if (traffic.inputs && of_load) {
    for (const std::int64_t inputs : parse_integers(*traffic.inputs, "--inputs", 1, max_ports))
      all.emplace_back(answers::EqualSwitchInputs{inputs, 0}, inputs);
  } else if (traffic.inputs || of_ports) {
    const std::string& loads =
        required(traffic.load, "--load", "give the packets per slot of each input, such as --load 0.8");
    const std::vector<std::int64_t> sizes =
        of_ports ? std::vector<std::int64_t>{2} : parse_integers(*traffic.inputs, "--inputs", 1, max_ports);
    for (const std::int64_t inputs : sizes)
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

std::vector<SizedCriterion> read_criteria_of(const BufferOptions& options) {
  const bool limited = options.shared.threshold || solve_for(options) == SolveFor::threshold;
  if (limited && !options.criterion) return {SizedCriterion::packet_loss};
  std::vector<SizedCriterion> criteria = choices_or_first<SizedCriterion>(options.criterion, "--criterion");
  for (const SizedCriterion criterion : criteria) {
    if (limited && criterion == SizedCriterion::overflow)
      throw InvalidArgument("--criterion", *options.criterion,
                            "loss with a threshold, which decides what is taken");
    if (criterion == SizedCriterion::cell_loss && !options.sized.sizes)
      throw needs("--criterion cell-loss", "--sizes LIST", "without it every packet is one cell: loss");
  }
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

/// What is requested of a memory counted in `unit`: one for each entry of --drop, of --capacity, or of both.
std::vector<SharedRequested> read_requested_of(const BufferOptions& options,
                                               const options::PacketUnit& unit) {
  const SolveFor unknown = solve_for(options);
  std::vector<SharedRequested> all;
  if (!options.solve) {
    for (const RequestedBuffer& each : read_requested(
             options, queue::SharedMemory::deepest,
             {.both =
                  "give --drop alone for the memory that meets a target, --capacity alone for a bound, or "
                  "both with --solve load, ports or threshold",
             .missing = "give the target probability, such as --drop 1e-9, or a memory with --capacity M"},
             unit))
      std::visit([&all](const auto& its) { all.emplace_back(its); }, each);
    return all;
  }
  if (!options.capacity || !options.drop)
    throw missing(options.capacity ? "--drop" : "--capacity", "--solve needs --capacity M and --drop EPS");
  for (const Packets memory :
       packets_of(options.capacity, "--capacity", 1, queue::SharedMemory::deepest, unit))
    for (const Rational& drop : read_drops(*options.drop)) {
      if (unknown == SolveFor::load)
        all.emplace_back(answers::MaxLoad{memory, drop});
      else if (unknown == SolveFor::ports)
        all.emplace_back(answers::MaxPorts{memory, drop});
      else if (unknown == SolveFor::threshold)
        all.emplace_back(answers::MinThreshold{memory, drop});
      else
        throw InvalidArgument("--solve", *options.solve, "load, ports or threshold with --shared");
    }
  return all;
}

}  // namespace

void add_shared_buffer_options(OptionTable& table, SharedBufferOptions& options) {
  const OptionGroup group(table, "Shared memory");
  group.add_flag("--shared", options.shared,
                 "a memory shared by all outputs of a switch.\n--load and --rates are then per input, and "
                 "the result is a proved bound");
  group.add("--outputs", options.outputs, "N", "number of outputs (default as many as inputs)",
            must_be(numeric::integers_in_words(1, max_ports), slider(2, 64, 1)));
  group.add("--threshold", options.threshold, "ALPHA",
            "dynamic threshold, with --criterion loss.\nA packet is accepted while its queue is shorter than "
            "ALPHA times the free memory",
            must_be("from 1/1000 to 1000, with a denominator of at most 10^6", slider(0.25, 8, 0.25)));
  group.add("--matrix", options.matrix, "FILE",
            "packets per slot from each input to each output.\nCSV, one row per input (docs/files.md)");
}

Reply answer_shared(const BufferOptions& options, const Context& context) {
  const answers::Units units = options.sized.sizes ? cell_units(options.units) : read_units(options.units);
  const SolveFor unknown = solve_for(options);
  if (unknown == SolveFor::threshold && options.shared.threshold)
    throw not_allowed_with("--threshold", "--solve threshold", "the threshold is the unknown");
  const std::vector<SizedCriterion> criteria = read_criteria_of(options);
  const std::vector<Rational> thresholds = options.shared.threshold
                                               ? parse_list(*options.shared.threshold, "--threshold")
                                               : std::vector<Rational>{};
  const auto packets = read_cells(options);
  std::vector<SharedBufferQuery> switches;
  for (const auto& [traffic, usual] : read_switches(options.shared, options.traffic, unknown))
    for (const std::int64_t outputs : integers_or(usual, options.shared.outputs, "--outputs", 1, max_ports))
      switches.push_back({.traffic = traffic, .outputs = outputs, .requested = {}});
  const std::vector<SharedBufferQuery> wanted =
      answers::Combinations(std::move(switches))
          .by(criteria, &SharedBufferQuery::criterion)
          .by(each_or_none(options.shared.threshold.has_value(), thresholds), &SharedBufferQuery::threshold)
          .by(packets, &SharedBufferQuery::cells)
          .points();
  std::vector<SharedBufferQuery> queries;
  for (const SharedBufferQuery& each : wanted)
    for (const SharedRequested& requested :
         read_requested_of(options, each.cells ? options::PacketUnit{each.cells->cell_bytes, "--cell-bytes"}
                                               : packet_unit(options.units))) {
      queries.push_back(each);
      queries.back().requested = requested;
    }
  return show_all(
      queries, context, [&](const auto& points) { return render::document(points, units); },
      [&](const SharedBufferQuery& query) { return render::inputs_of(query, units); });
}

}  // namespace tailbound::cli
