#include <cli/commands.hpp>
#include <cli/commands/crossbars/crossbar_options.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/crossbar/crossbar.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <variant>
#include <vector>

/// Input-queued switches: `crossbar`.
namespace tailbound::cli {
namespace {

using answers::CrossbarQuery;
using numeric::Rational;
using traffic::CrossbarScheduler;

using CrossbarRequest = decltype(CrossbarQuery::requested);

/// What --solve can find.
enum class Unknown { load };
[[nodiscard]] constexpr auto names_of(Unknown) {
  return std::array{"load"};
}

struct CrossbarOptions {
  SchedulerOptions fabric;
  OptionTable rows{};
  OptionGroup network{rows, "Switch"}, traffic{rows, "Traffic"}, results{rows, "Results"};
  Integers inputs{network, "--inputs", "K",
                  integers(1, CrossbarQuery::max_ports)
                      .needed("give the number of ports, such as --inputs 16")
                      .slider(2, 64, 1),
                  "ports: inputs and outputs"};
  Integers outputs{network, "--outputs", "N", integers(1, CrossbarQuery::max_ports),
                   "outputs, if not as many: fifo with --saturation"};
  Integers output_speedup{network, "--output-speedup", "S", integers(1, 64).slider(1, 8, 1),
                          "packets that an output takes per slot (default 1):\nfifo with --saturation"};
  Integers output_buffer{network, "--output-buffer", "B", integers(1, 64).slider(1, 16, 1),
                         "packets per output with back-pressure (default 1):\nfifo with --saturation"};
  Numbers load{traffic, "--load", "R", crossbar_loads().slider(0.01, 0.99, 0.01),
               "packets per slot of each input: 0.9 or 90%"};
  Numbers burst{
      traffic, "--burst", "L",
      numbers().such_that([](const Rational& length) { return length > 1; }, "above 1").slider(2, 64, 1),
      "mean burst length; a burst keeps its output"};
  Flag saturation{results, "--saturation", "the maximum load, in place of --load"};
  Numbers percentiles{results, "--percentiles", "LIST", cli::percentiles(),
                      "percentiles of the queueing delay: 99,99.99"};
  List<Slots> ccdf{results, "--ccdf", "LIST", integers<Slots>(0, 100'000'000),
                   "slots t of P(queueing delay > t), such as 0:100:10"};
  Numbers drop{results, "--drop", "EPS", as_targets(shares()).powers_of_ten(-15, -2),
               "buffers per input, VOQ and output whose overflow\nprobability is at most EPS"};
  List<Packets> capacity{results, "--capacity", "B", integers<Packets>(1, 1'000'000'000),
                         "packets per input buffer, with --solve load"};
  One<Unknown> solve{results, "--solve", "WHAT", one_name<Unknown>(),
                     "{names}: maximum load for --capacity and --drop"};
  One<int> digits{OptionGroup(rows, "Numerics"), "--digits", "D",
                  integer<int>(1, 60).by_default("10").slider(4, 20, 1),
                  "significant digits of proved numbers (default {})"};
  UnitOptions units;
};

void declare_crossbar(OptionTable& table, CrossbarOptions& options) {
  add_rows(table, options, options.fabric);
  add_unit_options(table, options.units);
}

/// What is requested: one for each entry of the lists.
std::vector<CrossbarRequest> read_requests(const CrossbarOptions& options) {
  std::vector<CrossbarRequest> all;
  if (options.saturation.given()) {
    reject_with({&options.load, &options.percentiles, &options.ccdf, &options.drop, &options.capacity,
                 &options.solve},
                "--saturation", "it is the maximum load alone");
    all.emplace_back(answers::Saturation{});
  } else if (options.solve) {
    static_cast<void>(options.solve.value());
    reject_with({&options.load}, "--solve load", "the load is the unknown");
    if (!options.capacity || !options.drop)
      throw missing(options.capacity ? "--drop" : "--capacity",
                    "--solve load needs --capacity B and --drop EPS");
    for (const Packets capacity : options.capacity.value())
      for (const Rational& drop : options.drop.value()) all.emplace_back(answers::MaxLoad{capacity, drop});
  } else {
    reject_without({&options.capacity}, "--solve load", "--drop alone gives the minimum buffers");
    if (!options.load)
      throw missing("--load", "give the packets per slot of each input, such as --load 0.9, or --saturation");
    for (const Rational& load : options.load.value()) all.emplace_back(answers::AtLoad{load});
  }
  return all;
}

/// Options of FIFO inputs act with these.
void require_acting(const CrossbarOptions& options) {
  const bool fifo = options.fabric.any({CrossbarScheduler::fifo});
  const char* const bound =
      "the maximum load of FIFO inputs depends on it; otherwise tailbound simulate crossbar";
  if (!fifo || !options.saturation.given())
    reject_without({&options.outputs, &options.output_speedup, &options.output_buffer},
                   "--scheduler fifo --saturation", bound);
  if (options.saturation.given())
    reject_with({&options.units.packet_bytes, &options.units.link_gbps}, "--saturation",
                "the maximum load has no bytes and no nanoseconds");
  if (!options.drop && !options.units.link_gbps)
    reject_without({&options.units.packet_bytes}, "--drop EPS or --link-gbps G",
                   "it shows buffers in bytes, or with the rate delays in nanoseconds");
  if (options.saturation.given() && !fifo)
    reject_without({&options.burst}, "--scheduler fifo or --load",
                   "the maximum load of other schedulers does not depend on bursts");
}

/// The entries of an option of some schedulers; a single "none" for others.
template <class RowOf>
auto entries_if(bool has, const RowOf& row) {
  using Entries = decltype(row.each());
  return has ? row.each() : Entries{std::nullopt};
}

/// Sets a field to an entry that was given.
template <class Field>
auto set_given(Field CrossbarQuery::*field) {
  return [field](CrossbarQuery& each, const auto& value) {
    if (value) each.*field = *value;
  };
}

/// One for each combination of list entries, the loads varying fastest.
std::vector<CrossbarQuery> points_of(const CrossbarOptions& options, const CrossbarQuery& common,
                                     const std::vector<CrossbarRequest>& requests) {
  const std::vector<CrossbarQuery> sizes =
      answers::Combinations(common).by(options.inputs.value(), &CrossbarQuery::inputs).points();
  std::vector<CrossbarQuery> all;
  for (const CrossbarQuery& each : with_schedulers(sizes, options.fabric)) {
    const bool saturation = options.saturation.given();
    const bool fifo = each.scheduler == CrossbarScheduler::fifo && saturation;
    const std::vector<CrossbarQuery> points =
        answers::Combinations(each)
            .by(entries_if(fifo, options.outputs), &CrossbarQuery::outputs)
            .by(entries_if(fifo, options.output_speedup), set_given(&CrossbarQuery::output_speedup))
            .by(entries_if(fifo, options.output_buffer), set_given(&CrossbarQuery::output_buffer))
            .by(entries_if(fifo || !saturation, options.burst), &CrossbarQuery::burst)
            .by(entries_if(!options.solve, options.drop), &CrossbarQuery::drop)
            .by(requests, &CrossbarQuery::requested)
            .points();
    all.insert(all.end(), points.begin(), points.end());
  }
  return all;
}

std::vector<CrossbarQuery> read_crossbars(const CrossbarOptions& options) {
  require_acting(options);
  const std::vector<CrossbarRequest> requests = read_requests(options);
  CrossbarQuery common{};
  common.accuracy.digits = {options.digits.value()};
  common.levels = options.ccdf.if_given().value_or(std::vector<Slots>{});
  common.percentiles = options.percentiles.if_given().value_or(Rationals{});
  return points_of(options, common, requests);
}

Reply answer_crossbar(const CrossbarOptions& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  return show_all(
      read_crossbars(options), context, [&](const auto& points) { return render::document(points, units); },
      [&](const CrossbarQuery& query) { return render::inputs_of(query, units); });
}

}  // namespace

Command crossbar_command() {
  return command_of<CrossbarOptions>(
      {.name = "crossbar",
       .purpose = "delay, buffers and maximum load of input-queued switches",
       .work = Work::points,
       .draws = true,
       .declare = declare_crossbar,
       .answer = answer_crossbar,
       .layout = [] { return render::with_status(render::crossbar_layout()); },
       .example = {{"--inputs", "16"}, {"--load", "0.9"}, {"--drop", "1e-4"}}});
}

}  // namespace tailbound::cli
