#include <cli/buffer_options.hpp>
#include <cli/files.hpp>
#include <cli/show.hpp>
#include <tailbound/render/documents/sized_buffer.hpp>

#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::CellArrival;
using answers::SizedBufferQuestion;
using bounds::Criterion;
using numeric::Rational;
using traffic::PacketSizes;

constexpr std::int64_t most_inputs = 1'048'576, deepest = 1'000'000'000;
constexpr std::size_t most_points = 1'000'000;

void refuse_what_does_not_go_with_it(const BufferOptions& options) {
  const TrafficOptions& traffic = options.traffic;
  for (const auto& [name, value] :
       {Named{"--rates", &traffic.rates}, Named{"--burst", &traffic.burst},
        Named{"--on-rate", &traffic.on_rate}, Named{"--destination", &traffic.destination},
        Named{"--arrivals", &traffic.arrivals}, Named{"--pmf", &traffic.pmf},
        Named{"--blocks", &traffic.blocks}})
    if (*value)
      throw InvalidArgument(name, "given together with --sizes",
                            "left out there: packets of several sizes come from --inputs K --load R");
  if (traffic.traffic && *traffic.traffic != "bernoulli")
    throw InvalidArgument("--traffic", *traffic.traffic, "bernoulli with --sizes");
  if (traffic.packets_per_slot && *traffic.packets_per_slot != "1")
    throw InvalidArgument("--packets-per-slot", *traffic.packets_per_slot, "1 with --sizes");
  if (options.solve)
    throw InvalidArgument("--solve", *options.solve, "left out with --sizes: give --load a list");
  for (const auto& [name, value] :
       {Named{"--packet-bytes", &options.units.packet_bytes}, Named{"--link-gbps", &options.units.link_gbps}})
    if (*value)
      throw InvalidArgument(name, "given together with --sizes",
                            "left out there: --sizes and --cell-bytes say what has how many bytes");
}

using Asked = decltype(SizedBufferQuestion::asked);

std::vector<Asked> read_asked(const BufferOptions& options) {
  if (options.capacity && options.drop)
    throw InvalidArgument("--capacity", "given together with --drop",
                          "given alone for what a buffer loses, or --drop alone for the buffer of a target");
  std::vector<Asked> asked;
  if (options.capacity) {
    for (const std::int64_t cells : parse_integers(*options.capacity, "--capacity", 0, deepest))
      asked.emplace_back(answers::ProbabilityOf{Packets(cells)});
    return asked;
  }
  const std::string& drops =
      required(options.drop, "--drop",
               "given as the target EPS, such as 1e-9 (or --capacity B, for what B cells lose)");
  for (const Rational& drop : parse_percent_list(drops, "--drop")) {
    if (drop <= 0 || drop >= 1) throw InvalidArgument("--drop", drops, "greater than 0 and less than 1");
    asked.emplace_back(answers::LeastBuffer{drop});
  }
  return asked;
}

std::vector<Rational> read_loads(const TrafficOptions& traffic) {
  std::vector<Rational> loads =
      parse_percent_list(required(traffic.load, "--load",
                                  "given with --sizes: the share of slots that carry a cell, such as 0.8"),
                         "--load");
  for (const Rational& load : loads)
    if (load <= 0) throw InvalidArgument("--load", plain(load), "greater than 0 and below 1");
  return loads;
}

}  // namespace

PacketSizes read_sizes(const std::string& text) {
  if (text == "imix") return PacketSizes::imix();
  const bool list = !text.empty() && text.find_first_not_of("0123456789.:,/eE+") == std::string::npos;
  return list ? PacketSizes::of_list(text, "--sizes")
              : PacketSizes::of_file(read_file(text, "--sizes"), text);
}

std::vector<std::int64_t> read_cell_bytes(const SizedBufferOptions& options) {
  return integers_or(64, options.cell_bytes, "--cell-bytes", 1, PacketSizes::most_bytes);
}

void add_sized_buffer_options(OptionTable& table, SizedBufferOptions& options) {
  const OptionGroup group(table, "Packet sizes");
  group.add(
      "--sizes", options.sizes, "SIZES",
      "imix, \"64:7,594:4,1518:1\" (bytes:weight) or a file of such lines; the\nbuffer is then in cells, and "
      "--load the share of slots with a cell");
  group.add("--cell-bytes", options.cell_bytes, "C", "bytes of a cell (64)");
  group.add("--arrive", options.arrive, "NAME",
            "whole (the default): a packet's cells come in one slot; or cells:\none a slot and input");
}

void refuse_without_sizes(const SizedBufferOptions& options) {
  for (const auto& [name, value] :
       {Named{"--cell-bytes", &options.cell_bytes}, Named{"--arrive", &options.arrive}})
    if (*value) throw InvalidArgument(name, **value, "given with --sizes, packets of several sizes");
}

Reply answer_sized(const BufferOptions& options, const Context& context) {
  const SizedBufferOptions& sized = options.sized;
  refuse_what_does_not_go_with_it(options);
  const std::vector<Asked> asked = read_asked(options);
  const auto criteria = choices_or_first<Criterion>(
      options.criterion, "--criterion", {{"overflow", Criterion::overflow}, {"loss", Criterion::loss}});
  const auto arrivals = choices_or_first<CellArrival>(
      sized.arrive, "--arrive", {{"whole", CellArrival::whole}, {"cells", CellArrival::cells}});
  const queue::Accuracy accuracy = read_accuracy(options.accuracy);
  for (const CellArrival arrive : arrivals)
    if (arrive == CellArrival::cells && accuracy.arithmetic != queue::Arithmetic::automatic)
      throw InvalidArgument("--arithmetic", *options.accuracy.arithmetic, "auto with --arrive cells");
  const std::vector<std::int64_t> inputs = parse_integers(
      required(options.traffic.inputs, "--inputs", "given with --sizes: the inputs of the switch"),
      "--inputs", 1, most_inputs);
  const std::vector<Rational> loads = read_loads(options.traffic);
  const std::vector<std::int64_t> cell_bytes = read_cell_bytes(sized);
  const PacketSizes sizes = read_sizes(*sized.sizes);
  std::vector<SizedBufferQuestion> questions;
  for (const std::int64_t count : inputs)
    for (const std::int64_t cell : cell_bytes)
      for (const CellArrival arrive : arrivals)
        for (const Criterion criterion : criteria)
          for (const Rational& load : loads)
            for (const Asked& one : asked) {
              if (questions.size() == most_points)
                throw InvalidArgument("the question", "more than 1000000 points", "at most 1000000 of them");
              questions.push_back({.inputs = count,
                                   .load = load,
                                   .sizes_name = *sized.sizes,
                                   .sizes = sizes,
                                   .cell_bytes = cell,
                                   .arrive = arrive,
                                   .asked = one,
                                   .criterion = criterion,
                                   .accuracy = accuracy});
            }
  if (context.draws && questions.size() < 2)
    throw InvalidArgument(
        "--plot", "given for one point",
        "left out, or --load (--inputs, --cell-bytes, ...) a list: the picture shows the answer "
        "against it");
  return show_all(questions, context, [](const auto& points) { return render::document(points); });
}

}  // namespace tailbound::cli
