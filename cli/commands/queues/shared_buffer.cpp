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

constexpr const char* simulated_only =
    "left out with --shared: no bound is proved for inputs whose slots depend on each other; they are "
    "simulated "
    "only: tailbound simulate switch";

void reject_options_incompatible_with_shared(const BufferOptions& options) {
  const TrafficOptions& traffic = options.traffic;
  reject_given({{"--burst", &traffic.burst}, {"--on-rate", &traffic.on_rate}, {"--blocks", &traffic.blocks}},
               "given", simulated_only);
  if (traffic.traffic && choice_of<TrafficName>(*traffic.traffic, "--traffic") != TrafficName::bernoulli)
    throw InvalidArgument(
        "--traffic", *traffic.traffic,
        *traffic.traffic == "onoff" ? simulated_only : "bernoulli with --shared: the inputs of a switch");
  reject_given({{"--arrivals", &traffic.arrivals}, {"--pmf", &traffic.pmf}}, "given",
               "left out with --shared, which needs the inputs of a switch: --inputs K --load R, "
               "--rates P1,P2,.. or --matrix FILE");
  if (traffic.packets_per_slot && *traffic.packets_per_slot != "1")
    throw InvalidArgument("--packets-per-slot", *traffic.packets_per_slot, "1 with --shared");
  reject_given({{"--solve", &options.solve}}, nullptr, "left out with --shared: give --load a list");
  reject_given({{"--arithmetic", &options.accuracy.arithmetic}, {"--digits", &options.accuracy.digits}},
               nullptr, "left out with --shared: its bounds are computed in long double, rounded upward");
}

using SwitchTraffic = decltype(SharedBufferQuery::traffic);

/// Each traffic, with its default number of outputs.
std::vector<std::pair<SwitchTraffic, std::int64_t>> read_switches(const SharedBufferOptions& shared,
                                                                  const TrafficOptions& traffic) {
  const std::array<Named, 3> sources{
      {{"--inputs", &traffic.inputs}, {"--rates", &traffic.rates}, {"--matrix", &shared.matrix}}};
  const char* source = nullptr;
  for (const auto& [name, value] : sources) {
    if (!*value) continue;
    if (source != nullptr)
      throw InvalidArgument(source, fmt::format("given together with {}", name),
                            "left out there: each describes the traffic by itself");
    source = name;
  }
  if (traffic.load && !traffic.inputs)
    throw InvalidArgument("--load", *traffic.load, "given with --inputs K, the inputs that it is of");
  std::vector<std::pair<SwitchTraffic, std::int64_t>> all;
  if (traffic.inputs) {
    const std::string& loads =
        required(traffic.load, "--load", "given with --inputs: packets a slot of each input, such as 0.8");
    for (const std::int64_t inputs : parse_integers(*traffic.inputs, "--inputs", 1, max_ports))
      for (const Rational& load : parse_percent_list(loads, "--load")) {
        if (load <= 0 || load > 1)
          throw InvalidArgument("--load", plain(load), "above 0 and at most 1 packet a slot, of each input");
        all.emplace_back(answers::EqualSwitchInputs{inputs, load}, inputs);
      }
  } else if (traffic.rates) {
    std::vector<Rational> rates = parse_percent_list(*traffic.rates, "--rates");
    for (const Rational& rate : rates)
      if (rate < 0 || rate > 1) throw InvalidArgument("--rates", plain(rate), "from 0 to 1 packets a slot");
    const auto count = static_cast<std::int64_t>(rates.size());
    all.emplace_back(answers::UnequalSwitchInputs{std::move(rates)}, count);
  } else if (shared.matrix) {
    if (shared.outputs)
      throw InvalidArgument("--outputs", *shared.outputs,
                            "left out with --matrix, whose columns are the outputs");
    answers::TrafficMatrix matrix =
        answers::traffic_matrix(read_file(*shared.matrix, "--matrix"), *shared.matrix);
    const auto outputs = static_cast<std::int64_t>(matrix.rates.front().size());
    all.emplace_back(std::move(matrix), outputs);
  } else {
    throw InvalidArgument("--inputs", "missing",
                          "given with --load R (or --rates P1,P2,.. or --matrix FILE) for --shared");
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
  reject_given({{"--rates", &options.traffic.rates},
                {"--matrix", &options.shared.matrix},
                {"--packet-bytes", &options.units.packet_bytes},
                {"--link-gbps", &options.units.link_gbps}},
               "given together with --sizes",
               "left out there: --inputs K --load R, and bytes by --sizes and --cell-bytes");
  if (sized.arrive && *sized.arrive != "whole")
    throw InvalidArgument(
        "--arrive", *sized.arrive,
        "whole with --shared: no bound is proved for packets that come cell by cell; they are "
        "simulated only: tailbound simulate switch");
  return read_switch_cells(sized.sizes, sized.cell_bytes);
}

}  // namespace

void add_shared_buffer_options(OptionTable& table, SharedBufferOptions& options) {
  const OptionGroup group(table, "Shared memory");
  group.add_flag(
      "--shared", options.shared,
      "one memory for all outputs of a switch; --load and --rates are then\nthose of the inputs, and "
      "the answer is a proved bound");
  group.add("--outputs", options.outputs, "N", "outputs that share it (as many as inputs)", slider(2, 64, 1));
  group.add(
      "--threshold", options.threshold, "ALPHA",
      "dynamic threshold: a packet is taken while its queue is shorter than\nALPHA times the free memory; "
      "--criterion loss",
      slider(0.25, 8, 0.25));
  group.add("--matrix", options.matrix, "FILE",
            "packets a slot from each input to each output: CSV, a row an input\n(docs/files.md)");
}

void reject_without_shared(const SharedBufferOptions& options) {
  reject_given(
      {{"--outputs", &options.outputs}, {"--threshold", &options.threshold}, {"--matrix", &options.matrix}},
      nullptr, "given with --shared, a memory shared by the outputs");
}

Reply answer_shared(const BufferOptions& options, const Context& context) {
  reject_options_incompatible_with_shared(options);
  const answers::Units units = read_units(options.units);
  const std::vector<RequestedBuffer> requested = read_requested(
      options, deepest_shared,
      {.both = "given alone for the bound of a memory, or --drop alone for the memory of a target",
       .missing = "given as the target EPS, such as 1e-9 (or --capacity M, for the bound of a memory)"});
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
  return show_all(queries, context, [&](const auto& points) { return render::document(points, units); });
}

}  // namespace tailbound::cli
