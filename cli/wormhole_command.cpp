#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/plots.hpp>
#include <cli/traffic_options.hpp>
#include <cli/wormhole_command.hpp>
#include <cli/wormhole_question.hpp>
#include <tailbound/bounds/wormhole/latency.hpp>

#include <algorithm>
#include <memory>

namespace tailbound::cli {
namespace {

using bounds::wormhole::ChannelFigures;
using bounds::wormhole::Network;
using bounds::wormhole::Point;

/// Up to here simulation says that the model is good to 4 %.
constexpr double trusted_fraction = 0.7;

/// Over all loads.
constexpr std::size_t most_channels_shown = 1'000'000;
/// So many channels of a circle are named.
constexpr std::size_t most_of_cycle = 12;

struct Options {
  WormholeOptions question;
  std::vector<std::string> channels;  ///< --channels: the number, or "" if none is given
};

/// A channel, in cycles.
struct BusyChannel {
  std::string name;
  double utilization = 0, wait = 0, service = 0;
};

/// Times in cycles.
struct WormholePoint {
  double load = 0, fraction = 0, latency = 0, source_wait = 0, service = 0;
  BusyChannel bottleneck;
  std::vector<BusyChannel> channels;  ///< of --channels, the busiest first
  std::string ending;                 ///< how the iteration ended
};

struct Answer {
  WormholeQuestion question;
  std::string network;
  double saturation = 0, mean_distance = 0;
  std::optional<std::size_t> channels;  ///< so many are listed for each load
  std::vector<std::string> cycle;       ///< channels that can wait for each other in a circle
  std::vector<WormholePoint> points;

  [[nodiscard]] double flits() const { return static_cast<double>(question.flits); }
  [[nodiscard]] bool passes_trusted_fraction() const {
    return std::any_of(points.begin(), points.end(),
                       [](const WormholePoint& point) { return point.fraction > trusted_fraction; });
  }
};

[[noreturn]] void refuse_saturated(const Answer& answer, double load) {
  throw NoAnswer(fmt::format(
      "the network is saturated at load {}: the {} saturates at {:.10g} flits/cycle/node, {:.3g} % below",
      load, answer.network, answer.saturation, 100 * (1 - answer.saturation / load)));
}

BusyChannel busy_channel(const Network& network, const Point& solved, std::size_t channel, double flits) {
  const ChannelFigures& figures = solved.channels[channel];
  return {.name = network.graph().channels[channel].name,
          .utilization = figures.utilization,
          .wait = flits * figures.wait,
          .service = flits * figures.service};
}

WormholePoint solve(const Network& network, const Answer& answer, double load) {
  if (load >= answer.saturation) refuse_saturated(answer, load);
  const Point solved = network.solve(load);
  if (!solved.solved())
    throw NoAnswer(fmt::format("at load {} the iteration ended without an answer: {}", load,
                               bounds::in_words(solved.ending)));
  WormholePoint point;
  point.load = load;
  point.fraction = load / answer.saturation;
  point.latency = solved.latency(answer.flits());
  point.source_wait = answer.flits() * solved.source_wait;
  point.service = answer.flits() * solved.service;
  point.ending = bounds::in_words(solved.ending);
  if (const auto busiest = network.busiest(solved))
    point.bottleneck = busy_channel(network, solved, *busiest, answer.flits());
  if (answer.channels)
    for (const std::size_t channel : network.busiest(solved, *answer.channels))
      point.channels.push_back(busy_channel(network, solved, channel, answer.flits()));
  return point;
}

std::string cycle_in_words(const std::vector<std::string>& cycle) {
  std::string list;
  for (std::size_t i = 0; i < std::min(cycle.size(), most_of_cycle); ++i)
    list += (i == 0 ? "" : "; ") + cycle[i];
  if (cycle.size() > most_of_cycle) list += fmt::format("; and {} more", cycle.size() - most_of_cycle);
  return fmt::format(
      "  The routes can deadlock: worms can wait for each other in a circle of {} {}, each for the\n  next, "
      "the "
      "last for the first: {}.\n  The model does not see that.\n",
      cycle.size(), cycle.size() == 1 ? "channel" : "channels", list);
}

std::string notes(const Answer& answer) {
  std::string text =
      "\n  An approximate model; its digits are not proved. Against flit-level simulation of seven networks "
      "(fat-trees,\n  meshes, tori, a hypercube; uniform traffic) latency is within 2 % up to half of the "
      "saturation load and\n  within 4 % up to 70 % of it; `tailbound validate wormhole` measures it on "
      "others.\n";
  if (answer.passes_trusted_fraction())
    text +=
        "  Beyond 70 % of saturation it is off by -4 % (hypercube) to +5 % at 80 %, by -1 % to +16 % "
        "(fat-tree) "
        "at 90 %,\n  and pessimistic about saturation: networks carry more than its saturation load, "
        "fat-trees "
        "13 %, meshes 17 %,\n  one-way tori 28 %, two-way tori 12 %, a hypercube 2 %.\n";
  if (answer.flits() < answer.mean_distance)
    text += fmt::format(
        "  Messages of {} flits are shorter than the mean path: they hold fewer channels at a time than the "
        "model\n  assumes, so it overestimates the waits.\n",
        answer.question.flits);
  if (!answer.cycle.empty()) text += cycle_in_words(answer.cycle);
  return text;
}

std::string channel_table(const WormholePoint& point) {
  std::vector<std::vector<std::string>> rows{{"channel", "busy", "wait", "service"}};
  for (const BusyChannel& channel : point.channels)
    rows.push_back({channel.name, fmt::format("{:.1f} %", 100 * channel.utilization),
                    fmt::format("{:.5g}", channel.wait), fmt::format("{:.6g}", channel.service)});
  return fmt::format("\nload {:.6g}, {:.1f} % of saturation: the busiest channels behind the sources\n\n{}",
                     point.load, 100 * point.fraction, to_table(rows, {false, true, true, true}));
}

std::string to_tables(const Answer& answer, bool quiet) {
  std::vector<std::vector<std::string>> rows{
      {"load", "of saturation", "latency", "source wait", "service", "busiest channel", "busy"}};
  for (const WormholePoint& point : answer.points)
    rows.push_back({fmt::format("{:.6g}", point.load), fmt::format("{:.1f} %", 100 * point.fraction),
                    fmt::format("{:.6g}", point.latency), fmt::format("{:.5g}", point.source_wait),
                    fmt::format("{:.6g}", point.service), point.bottleneck.name,
                    fmt::format("{:.1f} %", 100 * point.bottleneck.utilization)});
  std::string table = to_table(rows, {true, true, true, true, true, false, true});
  if (answer.channels)
    for (const WormholePoint& point : answer.points) table += channel_table(point);
  if (quiet) return table;
  std::string text =
      fmt::format("{}, messages of {} flits{}\n\n{}\n", answer.network, answer.question.flits,
                  answer.question.topology != WormholeTopology::butterfly_fat_tree ? ""
                  : answer.question.variant == network::FatTreeVariant::paper      ? "; variant paper"
                                                                                   : "; variant conditional",
                  table);
  text += named_line("saturation", fmt::format("{:.10g} flits/cycle/node", answer.saturation));
  text += named_line("mean distance",
                     fmt::format("{:.10g} channels, injection and ejection included", answer.mean_distance));
  return text + notes(answer);
}

Json to_json(const BusyChannel& channel) {
  return {{"channel", channel.name},
          {"utilization", channel.utilization},
          {"wait", channel.wait},
          {"service", channel.service}};
}

std::string to_json_text(const Answer& answer, const Context& context) {
  Json document = new_document(context, "wormhole");
  document["inputs"] = inputs_json(answer.question);
  document["kind"] = "model";
  document["saturation_load"] = answer.saturation;
  document["mean_distance"] = answer.mean_distance;
  document["deadlock_cycle"] = answer.cycle;
  return to_text(document, "points", answer.points.size(), [&](std::size_t i) {
    const WormholePoint& point = answer.points[i];
    Json entry{{"load", point.load},
               {"kind", "model"},
               {"fraction_of_saturation", point.fraction},
               {"trusted", point.fraction <= trusted_fraction},
               {"latency", point.latency},
               {"source_wait", point.source_wait},
               {"service", point.service},
               {"bottleneck", to_json(point.bottleneck)},
               {"iteration", point.ending}};
    if (answer.channels) {
      entry["channels"] = Json::array();
      for (const BusyChannel& channel : point.channels) entry["channels"].push_back(to_json(channel));
    }
    return entry;
  });
}

/// A line for each load and channel.
std::string channels_to_csv(const Answer& answer) {
  std::string text =
      csv_line({"load", "kind", "fraction_of_saturation", "channel", "utilization", "wait", "service"});
  const auto number = [](double value) { return fmt::format("{}", value); };
  for (const WormholePoint& point : answer.points)
    for (const BusyChannel& channel : point.channels)
      text += csv_line({number(point.load), "model", number(point.fraction), channel.name,
                        number(channel.utilization), number(channel.wait), number(channel.service)});
  return text;
}

std::string to_csv(const Answer& answer) {
  std::string text = csv_line({"load", "kind", "fraction_of_saturation", "latency", "source_wait", "service",
                               "bottleneck", "bottleneck_utilization"});
  const auto number = [](double value) { return fmt::format("{}", value); };
  for (const WormholePoint& point : answer.points)
    text += csv_line({number(point.load), "model", number(point.fraction), number(point.latency),
                      number(point.source_wait), number(point.service), point.bottleneck.name,
                      number(point.bottleneck.utilization)});
  return text;
}

plots::Picture picture(const Answer& answer) {
  plots::Picture picture;
  picture.title = fmt::format("{}, messages of {} flits", answer.network, answer.question.flits);
  picture.x_label = "load [flits/cycle/node]";
  picture.y_label = "mean latency [cycles]";
  picture.note = "an approximate model; measured to within 4 % up to 70 % of saturation";
  plots::Curve curve{.title = "model", .style = plots::Style::points_and_line, .points = {}};
  for (const WormholePoint& point : answer.points) curve.points.emplace_back(point.load, point.latency);
  std::sort(curve.points.begin(), curve.points.end());
  double least = answer.flits() + answer.mean_distance - 1, greatest = 2 * least;
  for (const auto& [load, latency] : curve.points) greatest = std::max(greatest, latency);
  plots::Curve line{.title = fmt::format("saturation of the model, {:.5g}", answer.saturation),
                    .style = plots::Style::dashed,
                    .points = {{answer.saturation, least}, {answer.saturation, greatest}}};
  picture.curves = {std::move(curve), std::move(line)};
  return picture;
}

std::optional<std::size_t> read_channels(const Options& options) {
  if (options.channels.empty()) return std::nullopt;
  const std::string& text = options.channels.front();
  return text.empty() ? 10 : static_cast<std::size_t>(parse_integer(text, "--channels", 1, 1'000'000));
}

Reply answer(const Options& options, const Context& context) {
  const auto answer = std::make_shared<Answer>();
  answer->channels = read_channels(options);
  answer->question = read_wormhole(options.question);
  if (answer->channels.value_or(1) > most_channels_shown / answer->question.offered.values.size())
    throw InvalidArgument(
        "--channels", std::to_string(*answer->channels),
        fmt::format("at most {} for {} loads", most_channels_shown / answer->question.offered.values.size(),
                    answer->question.offered.values.size()));
  const Network network(channel_graph(answer->question));
  answer->network = network.graph().name;
  answer->mean_distance = network.graph().mean_distance;
  answer->saturation = network.saturation();
  for (const std::size_t channel : network.cycle())
    answer->cycle.push_back(network.graph().channels[channel].name);
  for (const numeric::Rational& load : answer->question.offered.values) {
    answer->points.push_back(
        solve(network, *answer, answer->question.offered.absolute(load, answer->saturation)));
    if (context.progress) context.progress(answer->points.size(), answer->question.offered.values.size());
  }
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(*answer, context.quiet); },
      [&] { return to_json_text(*answer, context); },
      [&] { return answer->channels ? channels_to_csv(*answer) : to_csv(*answer); });
  reply.draw = [answer](const std::string& file) { plots::draw(picture(*answer), file); };
  return reply;
}

}  // namespace

Command add_wormhole_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("wormhole", "wormhole network: latency, saturation, bottleneck");
  const auto options = std::make_shared<Options>();
  add_wormhole_options(*command, options->question);
  command
      ->add_option("--channels", options->channels,
                   "list the N busiest channels behind the sources for each load (10)\n(CSV: in place of the "
                   "latencies)")
      ->type_name("[N]")
      ->expected(0, 1)
      ->group("Output");
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound wormhole --topology mesh --nodes 64 --flits 32 --fractions 10%,50%,80%\n"
      "prints\n"
      "\n"
      "  8 x 8 mesh, messages of 32 flits\n"
      "\n"
      "         load  of saturation  latency  source wait  service  busiest channel    busy\n"
      "    0.0188562         10.0 %  39.8995      0.33237  33.2338  (3,0) -> (4,0)    3.9 %\n"
      "     0.094281         50.0 %  49.9267       2.8987  40.6947  (3,0) -> (4,0)   22.5 %\n"
      "      0.15085         80.0 %  71.3994       10.877  54.1893  (2,0) -> (3,0)   42.4 %\n"
      "\n"
      "    saturation      0.1885620332 flits/cycle/node\n"
      "    mean distance   7.333333333 channels, injection and ejection included\n"
      "\n"
      "    An approximate model; its digits are not proved. Against flit-level simulation of seven networks "
      "(fat-trees,\n    meshes, tori, a hypercube; uniform traffic) latency is within 2 % up to half of the "
      "saturation load and\n    within 4 % up to 70 % of it; `tailbound validate wormhole` measures it on "
      "others.\n"
      "    Beyond 70 % of saturation it is off by -4 % (hypercube) to +5 % at 80 %, by -1 % to +16 % "
      "(fat-tree) "
      "at 90 %,\n    and pessimistic about saturation: networks carry more than its saturation load, "
      "fat-trees "
      "13 %, meshes 17 %,\n    one-way tori 28 %, two-way tori 12 %, a hypercube 2 %.\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
