#include <fmt/format.h>
#include <cli/buffer_options.hpp>
#include <cli/files.hpp>
#include <cli/show.hpp>
#include <tailbound/render/documents/shared_buffer.hpp>

#include <array>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::SharedBufferQuestion;
using bounds::Criterion;
using numeric::Rational;

constexpr std::int64_t most_ports = 4096, deepest = 1'000'000;
constexpr std::size_t most_points = 1'000'000;

constexpr const char* simulated_only =
    "left out with --shared: no bound is proved for inputs whose slots depend on each other; they are "
    "simulated "
    "only: tailbound simulate switch";

void refuse_what_does_not_go_with_it(const BufferOptions& options) {
  const TrafficOptions& traffic = options.traffic;
  for (const auto& [name, value] : {Named{"--burst", &traffic.burst}, Named{"--on-rate", &traffic.on_rate},
                                    Named{"--blocks", &traffic.blocks}})
    if (*value) throw InvalidArgument(name, "given", simulated_only);
  if (traffic.traffic && parse_choice(*traffic.traffic, "--traffic", {"bernoulli", "poisson", "onoff"}) != 0)
    throw InvalidArgument(
        "--traffic", *traffic.traffic,
        *traffic.traffic == "onoff" ? simulated_only : "bernoulli with --shared: the inputs of a switch");
  for (const auto& [name, value] : {Named{"--arrivals", &traffic.arrivals}, Named{"--pmf", &traffic.pmf}})
    if (*value)
      throw InvalidArgument(
          name, "given",
          "left out with --shared, which needs the inputs of a switch: --inputs K --load R, "
          "--rates P1,P2,.. or --matrix FILE");
  if (traffic.packets_per_slot && *traffic.packets_per_slot != "1")
    throw InvalidArgument("--packets-per-slot", *traffic.packets_per_slot, "1 with --shared");
  if (options.solve)
    throw InvalidArgument("--solve", *options.solve, "left out with --shared: give --load a list");
  for (const auto& [name, value] :
       {Named{"--arithmetic", &options.accuracy.arithmetic}, Named{"--digits", &options.accuracy.digits}})
    if (*value)
      throw InvalidArgument(name, **value,
                            "left out with --shared: its bounds are computed in long double, rounded upward");
}

using SwitchTraffic = decltype(SharedBufferQuestion::traffic);

/// Each traffic, with the number of outputs that it has unless told.
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
    for (const std::int64_t inputs : parse_integers(*traffic.inputs, "--inputs", 1, most_ports))
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

std::vector<std::optional<Rational>> read_thresholds(const SharedBufferOptions& shared) {
  if (!shared.threshold) return {std::nullopt};
  std::vector<std::optional<Rational>> thresholds;
  for (const Rational& alpha : parse_list(*shared.threshold, "--threshold")) thresholds.emplace_back(alpha);
  return thresholds;
}

std::vector<Criterion> read_criteria(const BufferOptions& options) {
  const SharedBufferOptions& shared = options.shared;
  if (shared.threshold && !options.criterion) return {Criterion::loss};
  std::vector<Criterion> criteria = choices_or_first<Criterion>(
      options.criterion, "--criterion", {{"overflow", Criterion::overflow}, {"loss", Criterion::loss}});
  for (const Criterion criterion : criteria)
    if (shared.threshold && criterion == Criterion::overflow)
      throw InvalidArgument("--criterion", *options.criterion,
                            "loss with --threshold, which decides what is taken");
  return criteria;
}

using Asked = decltype(SharedBufferQuestion::asked);

std::vector<Asked> read_asked(const BufferOptions& options) {
  if (options.capacity && options.drop)
    throw InvalidArgument(
        "--capacity", "given together with --drop",
        "given alone for the bound of a memory, or --drop alone for the memory of a target");
  std::vector<Asked> asked;
  if (options.capacity) {
    for (const std::int64_t memory : parse_integers(*options.capacity, "--capacity", 0, deepest))
      asked.emplace_back(answers::ProbabilityOf{Packets(memory)});
    return asked;
  }
  const std::string& drops =
      required(options.drop, "--drop",
               "given as the target EPS, such as 1e-9 (or --capacity M, for the bound of a memory)");
  for (const Rational& drop : parse_percent_list(drops, "--drop")) {
    if (drop <= 0 || drop >= 1) throw InvalidArgument("--drop", drops, "greater than 0 and less than 1");
    asked.emplace_back(answers::LeastBuffer{drop});
  }
  return asked;
}

/// The packets for each entry of --cell-bytes; one none without --sizes.
std::vector<std::optional<answers::SwitchCells>> read_cells(const BufferOptions& options) {
  const SizedBufferOptions& sized = options.sized;
  if (!sized.sizes) return {std::nullopt};
  for (const auto& [name, value] :
       {Named{"--rates", &options.traffic.rates}, Named{"--matrix", &options.shared.matrix},
        Named{"--packet-bytes", &options.units.packet_bytes}, Named{"--link-gbps", &options.units.link_gbps}})
    if (*value)
      throw InvalidArgument(name, "given together with --sizes",
                            "left out there: --inputs K --load R, and bytes by --sizes and --cell-bytes");
  if (sized.arrive && *sized.arrive != "whole")
    throw InvalidArgument(
        "--arrive", *sized.arrive,
        "whole with --shared: no bound is proved for packets that come cell by cell; they are "
        "simulated only: tailbound simulate switch");
  std::vector<std::optional<answers::SwitchCells>> all;
  for (const std::int64_t bytes : read_cell_bytes(sized))
    all.emplace_back(
        answers::SwitchCells{.name = *sized.sizes, .sizes = read_sizes(*sized.sizes), .cell_bytes = bytes});
  return all;
}

}  // namespace

void add_shared_buffer_options(OptionTable& table, SharedBufferOptions& options) {
  const OptionGroup group(table, "Shared memory");
  group.add_flag(
      "--shared", options.shared,
      "one memory for all outputs of a switch; --load and --rates are then\nthose of the inputs, and "
      "the answer is a proved bound");
  group.add("--outputs", options.outputs, "N", "outputs that share it (as many as inputs)");
  group.add(
      "--threshold", options.threshold, "ALPHA",
      "dynamic threshold: a packet is taken while its queue is shorter than\nALPHA times the free memory; "
      "--criterion loss");
  group.add("--matrix", options.matrix, "FILE",
            "packets a slot from each input to each output: CSV, a row an input\n(docs/files.md)");
}

void refuse_without_shared(const SharedBufferOptions& options) {
  for (const auto& [name, value] :
       {Named{"--outputs", &options.outputs}, Named{"--threshold", &options.threshold},
        Named{"--matrix", &options.matrix}})
    if (*value) throw InvalidArgument(name, **value, "given with --shared, a memory shared by the outputs");
}

Reply answer_shared(const BufferOptions& options, const Context& context) {
  const SharedBufferOptions& shared = options.shared;
  refuse_what_does_not_go_with_it(options);
  const answers::Units units = read_units(options.units);
  const std::vector<Asked> asked = read_asked(options);
  const std::vector<Criterion> criteria = read_criteria(options);
  const auto thresholds = read_thresholds(shared);
  std::vector<SharedBufferQuestion> questions;
  const auto packets = read_cells(options);
  for (const auto& [traffic, usual] : read_switches(shared, options.traffic))
    for (const std::int64_t outputs : integers_or(usual, shared.outputs, "--outputs", 1, most_ports))
      for (const Criterion criterion : criteria)
        for (const auto& threshold : thresholds)
          for (const auto& cells : packets)
            for (const Asked& one : asked) {
              if (questions.size() == most_points)
                throw InvalidArgument("the question", "more than 1000000 points", "at most 1000000 of them");
              questions.push_back({.traffic = traffic,
                                   .outputs = outputs,
                                   .threshold = threshold,
                                   .criterion = criterion,
                                   .asked = one,
                                   .cells = cells});
            }
  if (context.draws && questions.size() < 2)
    throw InvalidArgument(
        "--plot", "given for one point",
        "left out, or --inputs (--load, --threshold, ...) a list: the picture shows the answer "
        "against it");
  return show_all(questions, context, [&](const auto& points) { return render::document(points, units); });
}

}  // namespace tailbound::cli
