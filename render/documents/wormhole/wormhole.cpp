#include <fmt/format.h>
#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/wormhole/wormhole.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

using answers::WormholeAnswer;
using answers::WormholeChannel;
using answers::WormholePoint;
using answers::WormholeQuestion;
using answers::WormholeVariant;

/// So many channels of a circle are named in a note.
constexpr std::size_t most_of_cycle = 12;
/// Key "trusted": errors of the mean latency are at most this.
constexpr double trusted_error = 0.05;

const AccuracyKeys worm_accuracy_keys{{answers::Quantity::mean_latency, "latency"},
                                      {answers::Quantity::saturation, "saturation"}};

answers::Accuracy accuracy_of(const WormholeQuestion& question, const WormholeAnswer& answer) {
  std::vector<double> fractions;
  for (const WormholePoint& point : answer.points) fractions.push_back(point.fraction_of_saturation.value);
  return answers::accuracy(answers::asked_accuracy(question, std::move(fractions)));
}

bool is_trusted(const answers::Accuracy& accuracy, double fraction) {
  const auto errors = accuracy.errors(answers::Quantity::mean_latency, fraction);
  return errors && errors->least >= -trusted_error && errors->greatest <= trusted_error;
}

bool by_finite_sources(const WormholeQuestion& question) {
  return question.variant.value_or(answers::usual_variant(question.network)) ==
         WormholeVariant::finite_source;
}

Cells channel_cells(const WormholeChannel& channel) {
  return {{"channel", Text{channel.name}},
          {"utilization", shown(channel.utilization)},
          {"wait", shown(channel.wait)},
          {"service", shown(channel.service)},
          {"variation", shown(channel.variation)},
          {"follow", channel.follow ? shown(*channel.follow) : Value(None{})}};
}

/// None of them in the one network that has no channel behind the sources.
Cells bottleneck_cells(const std::optional<WormholeChannel>& busiest) {
  if (!busiest)
    return {{"bottleneck", None{}},
            {"bottleneck_utilization", None{}},
            {"bottleneck_wait", None{}},
            {"bottleneck_service", None{}}};
  return {{"bottleneck", Text{busiest->name}},
          {"bottleneck_utilization", shown(busiest->utilization)},
          {"bottleneck_wait", shown(busiest->wait)},
          {"bottleneck_service", shown(busiest->service)}};
}

Result result_of(const WormholeQuestion& question, const WormholeAnswer& answer,
                 const answers::Accuracy& accuracy, std::size_t i) {
  const WormholePoint& point = answer.points[i];
  Result result;
  result.inputs =
      worm_network_cells(question.network, question.variant, question.flits, question.virtual_channels);
  result.inputs.push_back({"buffer_flits", Whole{question.buffer_flits}});
  result.inputs.push_back(worm_length_cell(question.lengths));
  result.inputs = joined(std::move(result.inputs), load_cells(question.offered, i, point.load));
  result.cells = {{"fraction_of_saturation", shown(point.fraction_of_saturation)},
                  {"latency", shown(point.latency)},
                  {"source_wait", shown(point.source_wait)},
                  {"service", shown(point.service)}};
  result.cells = joined(std::move(result.cells), bottleneck_cells(point.bottleneck));
  result.cells.push_back({"saturation_load", shown(answer.saturation)});
  result.cells.push_back({"unsolved_load", shown(answer.unsolved)});
  result.cells.push_back({"mean_distance", shown(answer.mean_distance)});
  const double fraction = point.fraction_of_saturation.value;
  result.cells.push_back({"trusted", Flag{is_trusted(accuracy, fraction)}});
  result.cells = joined(std::move(result.cells),
                        accuracy_cells(accuracy, worm_accuracy_keys, fraction, measuring_command(question)));
  result.cells.push_back({"iteration", Text{bounds::in_words(point.ending)}});
  result.cells.push_back({"deadlock_cycle", TextList{answer.deadlock_cycle}});
  if (question.channels) {
    const auto channels = share(point.channels);
    result.tables.push_back({.key = "channels", .size = channels->size(), .row = [channels](std::size_t k) {
                               return channel_cells((*channels)[k]);
                             }});
    result.caption =
        fmt::format("{}load {:.6g}, {:.1f} % of saturation: the busiest channels behind the sources",
                    answer.network.empty() ? "" : answer.network + ", ", point.load,
                    100 * point.fraction_of_saturation.value);
  }
  return result;
}

/// Of a single load.
std::vector<Line> lines(const WormholeAnswer& answer) {
  const WormholePoint& point = answer.points.front();
  const auto cycles = [](const numeric::Model<unit::Cycle>& time) { return brief(shown(time)) + " cycles"; };
  std::vector<Line> lines{{"load", load_in_words(point.load, point.fraction_of_saturation.value)},
                          {"latency", cycles(point.latency)},
                          {"source wait", cycles(point.source_wait)},
                          {"service", cycles(point.service)}};
  if (point.bottleneck)
    lines.push_back({"busiest channel", fmt::format("{}, busy {:.1f} % of the time", point.bottleneck->name,
                                                    100 * point.bottleneck->utilization.value)});
  return lines;
}

std::string cycle_note(const WormholeAnswer& answer) {
  const std::vector<std::string>& cycle = answer.deadlock_cycle;
  std::string list;
  for (std::size_t i = 0; i < std::min(cycle.size(), most_of_cycle); ++i)
    list += (i == 0 ? "" : "; ") + cycle[i];
  if (cycle.size() > most_of_cycle) list += fmt::format("; and {} more", cycle.size() - most_of_cycle);
  return fmt::format(
      "The routes can deadlock: worms can wait for each other in a circle of {} {}, each for the next, the "
      "last "
      "for the first: {}. The model does not see that.",
      cycle.size(), cycle.size() == 1 ? "channel" : "channels", list);
}

std::vector<answers::WormholeNetwork> all_networks(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<answers::WormholeNetwork> all;
  for (const auto& [question, answer] : networks) all.push_back(question.network);
  return all;
}

bool has_ejection_channels(const answers::WormholeNetwork& network) {
  const auto* topology = std::get_if<network::WormTopology>(&network);
  return topology == nullptr || topology->ends.ejection == network::Ejection::one;
}

/// One statement of all networks.
std::string accuracy_note(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<StatedAccuracy> all;
  for (const auto& [question, answer] : networks)
    all.push_back({.network = in_words(question),
                   .accuracy = accuracy_of(question, answer),
                   .command = measuring_command(question)});
  return accuracy_note(all);
}

/// Where the search found no solution any more.
std::string other_side(const WormholeAnswer& answer) {
  return fmt::format(" (at {:.10g} the iteration ends so: {})", answer.unsolved.value, answer.why_unsolved);
}

std::vector<std::string> notes_on(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<std::string> notes;
  for (const auto& [question, answer] : networks) {
    notes.push_back(fmt::format(
        "{}saturation {:.10g} flits/cycle/node{}; mean distance {:.10g} channels, injection{} included",
        networks.size() == 1 ? "" : in_words(question) + ": ", answer.saturation.value,
        by_finite_sources(question) ? other_side(answer) : std::string(), answer.mean_distance.value,
        has_ejection_channels(question.network) ? " and ejection" : ""));
  }
  notes.push_back("An approximate model; its digits are not proved. " + accuracy_note(networks));
  for (const auto& [question, answer] : networks)
    if (!question.variant && !by_finite_sources(question))
      notes.push_back(
          fmt::format("{} is large: variant paper, which is quick. --variant finite-source is nearer to "
                      "simulation, and takes minutes (--time-limit).",
                      answers::name(question.network)));
  for (std::string& note : hypercube_notes(all_networks(networks))) notes.push_back(std::move(note));
  for (const auto& [question, answer] : networks) {
    const bool holds_part = by_finite_sources(question) && question.lengths == sim::WormLengths::fixed;
    if (answer.shorter_than_path && !holds_part)
      notes.push_back(
          fmt::format("Messages of {} flits are shorter than the mean path: they hold fewer channels at a "
                      "time than the model assumes, so it overestimates the waits.",
                      question.flits));
    if (!answer.deadlock_cycle.empty()) notes.push_back(cycle_note(answer));
  }
  return notes;
}

Picture picture(const Document& document, const std::vector<WormholeNetworkAnswer>& networks) {
  const auto& [question, answer] = networks.front();
  Picture picture{
      .title = networks.size() == 1 ? in_words(question) : "Wormhole networks: mean latency by the model",
      .x_label = {},
      .y_label = "mean latency [cycles]",
      .note = "an approximate model"};
  const DrawnWorms drawn = drawn_worms(document, "latency");
  if (varies(drawn.document, drawn.sweep))
    picture = sweep_picture(drawn.document, drawn.sweep, std::move(picture));
  else
    picture.curves.push_back(
        {.title = "model", .points = {{answer.points.front().load, answer.points.front().latency.value}}});
  if (std::any_of(networks.begin(), networks.end(),
                  [](const WormholeNetworkAnswer& each) { return each.first.channels.has_value(); }))
    picture.note += "; channels are in the table";
  if (networks.size() > 1) return picture;
  picture.x_label = "load [flits/cycle/node]";
  picture.curves.front().title = "model";
  double least = static_cast<double>(question.flits) + answer.mean_distance.value - 1, greatest = 2 * least;
  for (const auto& [load, latency] : picture.curves.front().points) greatest = std::max(greatest, latency);
  picture.curves.push_back(
      {.title = fmt::format("saturation of the model, {:.5g}", answer.saturation.value),
       .style = CurveStyle::dashed,
       .points = {{answer.saturation.value, least}, {answer.saturation.value, greatest}}});
  return picture;
}

}  // namespace

Layout wormhole_layout() {
  const auto model = [](const char* key, const char* heading, const char* unit, const char* meaning,
                        Style style = Style::plain) {
    return Column{key, heading, unit, Shape::model, meaning, style};
  };
  Layout layout{.command = "wormhole",
                .inputs = joined(joined(worm_network_columns(), {worm_buffer_column(), worm_length_column()}),
                                 load_columns()),
                .results = {}};
  layout.results = {
      model("fraction_of_saturation", "of saturation", "", "of the model's saturation load, below 1",
            Style::percent),
      model("latency", "latency", "cycles", "mean, of a message from its birth until its tail has arrived"),
      model("source_wait", "source wait", "cycles", "mean, from its birth until its head leaves the source"),
      model("service", "service", "cycles", "mean time for which it holds its injection channel"),
      {"bottleneck", "busiest channel", "", Shape::text,
       "the busiest channel behind the sources; null if there is none"},
      model("bottleneck_utilization", "busy", "", "of the servers of its station, 0 to 1", Style::percent),
      model("bottleneck_wait", "", "cycles", "mean wait at its station", Style::hidden),
      model("bottleneck_service", "", "cycles", "mean time for which a message holds it", Style::hidden),
      model("saturation_load", "saturation", "flits/cycle/node", "at which the model saturates"),
      model("unsolved_load", "", "flits/cycle/node",
            "just above that, and without a solution: the other side of the search", Style::hidden),
      model("mean_distance", "", "channels",
            "mean path of a message, injection included, and ejection if there is a channel for it",
            Style::hidden),
      {"trusted", "", "", Shape::flag,
       "up to this load latency was measured to be at most 5 % off, in this network or between measured ones",
       Style::hidden},
      {"iteration", "", "", Shape::text, "how it ended: direct (none was needed) or converged",
       Style::hidden},
      {"deadlock_cycle", "", "", Shape::texts,
       "channels that can wait for each other in a circle, which the model does not see; empty if none can",
       Style::hidden}};
  layout.results = joined(std::move(layout.results), accuracy_columns(worm_accuracy_keys));
  layout.tables = {
      {"channels",
       "the busiest channels behind the sources, with --channels",
       {{"channel", "channel", "", Shape::text, "its ends"},
        model("utilization", "busy", "", "of the servers of its station, 0 to 1", Style::percent),
        model("wait", "wait", "cycles", "mean wait at its station"),
        model("service", "service", "cycles", "mean time for which a message holds it"),
        model("variation", "variation", "", "squared coefficient of variation of that time"),
        model("follow", "follow", "",
              "messages that come at the very moment at which the one before them leaves the channel; null "
              "of the "
              "published variants, which do not know",
              Style::percent)}}};
  return layout;
}

Document document(const std::vector<WormholeNetworkAnswer>& networks) {
  Layout layout = wormhole_layout();
  const auto& [question, answer] = networks.front();
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = networks.size() == 1 ? in_two_lines(in_words(question))
                                                     : "Wormhole networks by the model" +
                                                           common_ends_in_words(all_networks(networks)),
                    .results = {}};
  for (const auto& [asked, found] : networks) {
    const answers::Accuracy accuracy = accuracy_of(asked, found);
    for (std::size_t i = 0; i < found.points.size(); ++i)
      document.results.push_back(result_of(asked, found, accuracy, i));
  }
  if (document.results.size() == 1) document.results.front().lines = lines(answer);
  document.notes = notes_on(networks);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

}  // namespace tailbound::render
