#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/broadcast_command.hpp>
#include <cli/broadcast_question.hpp>
#include <cli/plots.hpp>
#include <cli/reply.hpp>
#include <cli/traffic_options.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::cli {
namespace {

using bounds::wormhole::BroadcastDimension;
using bounds::wormhole::BroadcastPoint;
using bounds::wormhole::Replication;

struct Options {
  BroadcastOptions question;
  std::optional<std::string> replication;
};

struct Answer {
  BroadcastQuestion question;
  double saturation = 0;
  std::vector<BroadcastPoint> points;

  [[nodiscard]] std::string variant() const { return name(question.cube.replication); }
};

BroadcastPoint solve(const Answer& answer, double rate) {
  const auto point = bounds::wormhole::broadcast_latency(answer.question.cube, rate);
  if (point) return *point;
  throw NoAnswer(
      fmt::format("the network is saturated at rate {}: by variant {} the {} saturates at {:.10g} "
                  "messages/cycle/node, {:.3g} % below",
                  rate, answer.variant(), network_in_words(answer.question), answer.saturation,
                  100 * (1 - answer.saturation / rate)));
}

/// What a variant is, and how far it was off simulation: docs/derivations/broadcast.md.
std::string notes(const Answer& answer) {
  const char* counted = "counts each copy of a broadcast once";
  const char* measured =
      "unicast latency -30 to +11 %, broadcast latency -32 to +35 %;\n  with up to 6 virtual "
      "channels the networks carried 1.2 to 1.7 times its saturation rate";
  if (answer.question.cube.replication == Replication::literal) {
    counted = "as published, counts about half of a broadcast's copies";
    measured = "unicast latency -38 to +10 %, broadcast latency -39 to +11 %";
  } else if (answer.question.cube.replication == Replication::shared_wire) {
    counted = "counts each copy once and lets messages share wires as in processor sharing";
    measured =
        "unicast latency -6 to +5 %, broadcast latency -1 to +6 %;\n  with more broadcasts down to -7 % and "
        "up "
        "to +19 %; near saturation with 2 virtual channels far too high";
  }
  return fmt::format(
      "\n  An approximate model; its digits are not proved. Latencies in cycles, of a broadcast until its "
      "last "
      "receiver.\n  Variant {} {}.\n  Against simulation of 21 networks with broadcast up to 0.05, up to 80 "
      "% of "
      "the saturation rate of conserving:\n  {}.\n",
      answer.variant(), counted, measured);
}

std::string dimension_table(const Answer& answer) {
  const bool alike = answer.question.cube.replication == Replication::shared_wire;
  std::vector<std::vector<std::string>> rows{
      {"rate", "dimension", "busy", "service", "wait", "all busy", "blocking", "multiplexing"}};
  for (const BroadcastPoint& point : answer.points)
    for (std::size_t i = 0; i < (alike ? 1 : point.dimensions.size()); ++i) {
      const BroadcastDimension& dimension = point.dimensions[i];
      rows.push_back({i == 0 ? fmt::format("{:.6g}", point.rate) : "", alike ? "each" : std::to_string(i + 1),
                      fmt::format("{:.1f} %", 100 * dimension.utilization),
                      fmt::format("{:.6g}", dimension.service), fmt::format("{:.4g}", dimension.wait),
                      fmt::format("{:.3g}", dimension.all_busy), fmt::format("{:.4g}", dimension.blocking),
                      fmt::format("{:.4f}", dimension.multiplexing)});
    }
  return to_table(rows, std::vector<bool>(rows.front().size(), true));
}

std::string to_tables(const Answer& answer, bool quiet) {
  std::vector<std::vector<std::string>> rows{
      {"rate", "of saturation", "unicast", "broadcast", "multiplexing", "injection wait"}};
  for (const BroadcastPoint& point : answer.points)
    rows.push_back(
        {fmt::format("{:.6g}", point.rate), fmt::format("{:.1f} %", 100 * point.rate / answer.saturation),
         fmt::format("{:.6g}", point.unicast_latency), fmt::format("{:.6g}", point.broadcast_latency),
         fmt::format("{:.4f}", point.multiplexing), fmt::format("{:.5g}", point.source_wait)});
  const std::string table = to_table(rows, std::vector<bool>(rows.front().size(), true));
  if (quiet) return table;
  return fmt::format("{},\n{}; variant {}\n\n{}\n  Channels of each dimension:\n\n{}\n",
                     network_in_words(answer.question), messages_in_words(answer.question), answer.variant(),
                     table, dimension_table(answer)) +
         named_line("saturation", fmt::format("{:.10g} messages/cycle/node", answer.saturation)) +
         notes(answer);
}

std::string to_json_text(const Answer& answer, const Context& context) {
  Json document = new_document(context, "broadcast");
  document["inputs"] = inputs_json(answer.question);
  document["inputs"]["replication"] = answer.variant();
  document["kind"] = "model";
  document["saturation_rate"] = answer.saturation;
  return to_text(document, "points", answer.points.size(), [&](std::size_t i) {
    const BroadcastPoint& point = answer.points[i];
    Json dimensions = Json::array();
    for (const BroadcastDimension& dimension : point.dimensions)
      dimensions.push_back({{"dimension", dimensions.size() + 1},
                            {"utilization", dimension.utilization},
                            {"service", dimension.service},
                            {"wait", dimension.wait},
                            {"all_busy", dimension.all_busy},
                            {"blocking", dimension.blocking},
                            {"multiplexing", dimension.multiplexing}});
    return Json{{"rate", point.rate},
                {"kind", "model"},
                {"fraction_of_saturation", point.rate / answer.saturation},
                {"unicast_latency", point.unicast_latency},
                {"broadcast_latency", point.broadcast_latency},
                {"multiplexing", point.multiplexing},
                {"source_wait", point.source_wait},
                {"source_utilization", point.source_utilization},
                {"dimensions", std::move(dimensions)}};
  });
}

std::string to_csv(const Answer& answer) {
  std::vector<std::string> header{
      "rate",         "kind",        "fraction_of_saturation", "unicast_latency", "broadcast_latency",
      "multiplexing", "source_wait", "source_utilization"};
  for (int i = 1; i <= answer.question.cube.dimensions; ++i)
    header.push_back(fmt::format("utilization_{}", i));
  std::string text = csv_line(header);
  const auto number = [](double value) { return fmt::format("{}", value); };
  for (const BroadcastPoint& point : answer.points) {
    std::vector<std::string> fields{number(point.rate),
                                    "model",
                                    number(point.rate / answer.saturation),
                                    number(point.unicast_latency),
                                    number(point.broadcast_latency),
                                    number(point.multiplexing),
                                    number(point.source_wait),
                                    number(point.source_utilization)};
    for (const BroadcastDimension& dimension : point.dimensions)
      fields.push_back(number(dimension.utilization));
    text += csv_line(fields);
  }
  return text;
}

plots::Picture picture(const Answer& answer) {
  const bounds::wormhole::BroadcastCube& cube = answer.question.cube;
  plots::Picture picture = latency_axes(answer.question);
  picture.note = fmt::format("an approximate model, variant {}; start-up {}", answer.variant(),
                             plain(answer.question.startup));
  plots::Curve broadcast{.title = "broadcast", .style = plots::Style::points_and_line, .points = {}};
  plots::Curve unicast{.title = "unicast", .style = plots::Style::points_and_line, .points = {}};
  double greatest = cube.flits;
  for (const BroadcastPoint& point : answer.points) {
    broadcast.points.emplace_back(point.rate, point.broadcast_latency);
    unicast.points.emplace_back(point.rate, point.unicast_latency);
    greatest = std::max({greatest, point.broadcast_latency, point.unicast_latency});
  }
  std::sort(broadcast.points.begin(), broadcast.points.end());
  std::sort(unicast.points.begin(), unicast.points.end());
  plots::Curve line{.title = fmt::format("saturation, {:.5g}", answer.saturation),
                    .style = plots::Style::dashed,
                    .points = {{answer.saturation, 0}, {answer.saturation, greatest}}};
  picture.curves = {std::move(broadcast), std::move(unicast), std::move(line)};
  return picture;
}

Reply answer(const Options& options, const Context& context) {
  const auto answer = std::make_shared<Answer>();
  answer->question = read_broadcast(options.question);
  answer->question.cube.replication = read_replication(options.replication);
  answer->saturation = bounds::wormhole::broadcast_saturation(answer->question.cube);
  for (const numeric::Rational& rate : answer->question.offered.values)
    answer->points.push_back(solve(*answer, answer->question.offered.absolute(rate, answer->saturation)));
  return reply_of(answer, context);
}

}  // namespace

Command add_broadcast_command(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("broadcast", "wormhole hypercube: unicast and broadcast latency, saturation");
  const auto options = std::make_shared<Options>();
  add_broadcast_options(*command, options->question);
  add_replication_option(*command, options->replication);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound broadcast --dimensions 3 --virtual-channels 4 --flits 32 --broadcast 0.01 --fractions "
      "10%,50%,80%\n"
      "prints\n"
      "\n"
      "  3-dimensional hypercube (8 nodes) with 4 virtual channels,\n"
      "  messages of 32 flits, broadcast 0.01, start-up 1; variant conserving\n"
      "\n"
      "         rate  of saturation  unicast  broadcast  multiplexing  injection wait\n"
      "    0.0025931         10.0 %  37.9345    111.107        1.1076         0.53487\n"
      "    0.0129655         50.0 %  60.8653    177.009        1.6527          3.0721\n"
      "    0.0207448         80.0 %  87.1245    251.519        2.1741          5.7443\n"
      "\n"
      "    Channels of each dimension:\n"
      "\n"
      "         rate  dimension    busy  service    wait  all busy   blocking  multiplexing\n"
      "    0.0025931          1   5.0 %  32.9604  0.8744  6.42e-06  5.618e-06        1.1060\n"
      "                       2   5.1 %  33.4406  0.9002  6.81e-06  6.128e-06        1.1076\n"
      "                       3   5.2 %  33.9208   0.927  7.21e-06  6.681e-06        1.1092\n"
      "    0.0129655          1  25.2 %  32.9828   5.558   0.00403    0.02238        1.6411\n"
      "                       2  25.6 %  33.4759    5.75   0.00427    0.02457        1.6526\n"
      "                       3  25.9 %  33.9703   5.952   0.00453    0.02696        1.6643\n"
      "    0.0207448          1  40.7 %  33.2723   11.41    0.0273     0.3119        2.1455\n"
      "                       2  41.5 %  33.9468   12.04    0.0296     0.3564        2.1736\n"
      "                       3  42.3 %  34.6508   12.73    0.0321     0.4091        2.2031\n"
      "\n"
      "    saturation      0.02593103543 messages/cycle/node\n"
      "\n"
      "    An approximate model; its digits are not proved. Latencies in cycles, of a broadcast until its "
      "last receiver.\n"
      "    Variant conserving counts each copy of a broadcast once.\n"
      "    Against simulation of 21 networks with broadcast up to 0.05, up to 80 % of the saturation rate of "
      "conserving:\n"
      "    unicast latency -30 to +11 %, broadcast latency -32 to +35 %;\n"
      "    with up to 6 virtual channels the networks carried 1.2 to 1.7 times its saturation rate.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
