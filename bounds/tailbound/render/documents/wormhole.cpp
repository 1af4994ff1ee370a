#include <fmt/format.h>
#include <tailbound/render/documents/units.hpp>
#include <tailbound/render/documents/worm_network.hpp>
#include <tailbound/render/documents/wormhole.hpp>
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

Result result_of(const WormholeQuestion& question, const WormholeAnswer& answer, std::size_t i) {
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
  result.cells.push_back({"trusted", Flag{point.trusted()}});
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

/// Its error is not known: figures of other networks say nothing of it.
const answers::OwnWormNetwork* own_network(const answers::WormholeNetwork& network) {
  return std::get_if<answers::OwnWormNetwork>(&network);
}

/// How far the variant finite-source is off, as far as the networks have it.
std::vector<std::string> finite_source_notes(const std::vector<WormholeNetworkAnswer>& networks) {
  bool usual = false, other = false, geometric = false, deeper = false;
  for (const auto& [question, answer] : networks) {
    if (question.lengths == sim::WormLengths::geometric) {
      geometric = true;
      continue;
    }
    if (!by_finite_sources(question) || own_network(question.network) != nullptr) continue;
    if (question.buffer_flits > 1) {
      deeper = true;
      continue;
    }
    for (const WormholePoint& point : answer.points) {
      usual = usual || point.usual_channels;
      other = other || !point.usual_channels;
    }
  }
  std::vector<std::string> notes;
  if (usual)
    notes.emplace_back(
        "Variant finite-source, against flit-level simulation of seven networks (fat-trees, meshes, "
        "tori, a hypercube; uniform traffic), at fractions of the simulated saturation load: latency "
        "within 1.7 % up to 80 %, within 2 % at 85 %, from -4.3 % (fat-tree) to +2.8 % (two-way torus) "
        "at 90 % and from -12 % to +9 % at 95 %. Its saturation load is between 3 % below the simulated "
        "one and equal to it; `tailbound validate wormhole` measures it on others.");
  if (other)
    notes.emplace_back(
        "With other numbers of virtual channels than usual it is less sure: how wires are shared is fitted "
        "to "
        "an 8 x 8 mesh with 2 and 4, and derived from 5 on. Against simulation of meshes, hypercubes and "
        "two-way tori with 2, 4 and 8, at fractions of the simulated saturation load: latency within 5.2 % "
        "up "
        "to 80 %, from -7 % to +16 % at 90 %; saturation within 3.5 %.");
  if (deeper)
    notes.emplace_back(
        "With deeper buffers, against simulation of a mesh, a hypercube, a two-way torus and a fat-tree of "
        "64 "
        "nodes with 2, 4 and 8 flits and whole messages, at fractions of the simulated saturation load: "
        "latency within 0.6 % at half of it (two-way torus +2.5 %), within 2.3 % at 70 % (+5.7 %), from -6 "
        "to "
        "+4 % at 80 % (+10 %), from -20 % (whole messages) to +8 % at 90 % (+32 %).");
  if (geometric)
    notes.emplace_back(
        "With messages of geometric length, against simulation of a mesh, a hypercube and a fat-tree of 64 "
        "nodes, at fractions of the model's saturation load: latency within 3.5 % up to 64 %; from 70 to 90 "
        "% "
        "up to 5 % long in the mesh and the hypercube, 6 % short at 77 % and 13 % short at 86 % in the "
        "fat-tree.");
  return notes;
}

/// Where the search found no solution any more.
std::string other_side(const WormholeAnswer& answer) {
  return fmt::format(" (at {:.10g} the iteration ends so: {})", answer.unsolved.value, answer.why_unsolved);
}

std::vector<std::string> notes_on(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<std::string> notes;
  bool usual = false, beyond = false, other = false;
  for (const auto& [question, answer] : networks) {
    notes.push_back(fmt::format(
        "{}saturation {:.10g} flits/cycle/node{}; mean distance {:.10g} channels, injection{} included",
        networks.size() == 1 ? "" : in_words(question) + ": ", answer.saturation.value,
        by_finite_sources(question) ? other_side(answer) : std::string(), answer.mean_distance.value,
        has_ejection_channels(question.network) ? " and ejection" : ""));
    for (const WormholePoint& point : answer.points) {
      if (own_network(question.network) != nullptr || by_finite_sources(question)) break;
      usual = usual || point.usual_channels;
      beyond = beyond || (point.usual_channels && !point.trusted());
      other = other || !point.usual_channels;
    }
  }
  notes.emplace_back("An approximate model; its digits are not proved.");
  for (const std::string& note : finite_source_notes(networks)) notes.push_back(note);
  if (usual)
    notes.back() +=
        " Against flit-level simulation of seven networks (fat-trees, meshes, tori, a hypercube; uniform "
        "traffic) latency is within 2 % up to half of the saturation load and within 4 % up to 70 % of it; "
        "`tailbound validate wormhole` measures it on others.";
  for (const auto& [question, answer] : networks)
    if (own_network(question.network) != nullptr)
      notes.back() +=
          " How far it is off in this network only a simulation says: `tailbound validate wormhole` with its "
          "file.";
  if (beyond)
    notes.emplace_back(
        "Beyond 70 % of saturation it is off by -4 % (hypercube) to +5 % at 80 %, by -1 % to +16 % "
        "(fat-tree) at 90 %, "
        "and pessimistic about saturation: networks carry more than its saturation load, fat-trees 13 %, "
        "meshes 17 %, "
        "one-way tori 28 %, two-way tori 12 %, a hypercube 2 %.");
  if (other)
    notes.emplace_back(
        "With other numbers of virtual channels than usual it is farther off: in a mesh and hypercubes of 64 "
        "nodes with 2, by 0 to +8 % at 30 % of saturation, 0 to +15 % at 50 % and +3 to +24 % at 70 %.");
  for (const auto& [question, answer] : networks)
    if (!question.variant && !by_finite_sources(question))
      notes.push_back(
          fmt::format("{} is large: variant paper, which is quick. --variant finite-source is nearer to "
                      "simulation, and takes minutes (--time-limit).",
                      answers::name(question.network)));
  for (std::string& note : hypercube_notes(all_networks(networks))) notes.push_back(std::move(note));
  for (const auto& [question, answer] : networks) {
    const bool holds_part = by_finite_sources(question) && question.lengths == sim::WormLengths::fixed;
    if (answer.shorter_than_path && holds_part && question.buffer_flits == 1)
      notes.push_back(
          fmt::format("Messages of {} flits are shorter than the mean path and hold at most so many channels "
                      "at a time, with buffers of one flit. Against simulation of meshes, a hypercube and a "
                      "fat-tree with 1 to 4 flits, at fractions of the simulated saturation load: latency "
                      "within 0.3 % up to 60 %, from -2.5 % to +0.7 % at 80 %, from -10 % (1 flit) to +2.2 % "
                      "at 90 %; in tori up to +2 % at 60 % and +7 % at 80 %, and much too long beyond.",
                      question.flits));
    else if (answer.shorter_than_path && !holds_part)
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
      .note = by_finite_sources(question)
                  ? "an approximate model; measured to within 4 % up to 85 % of saturation"
                  : "an approximate model; measured to within 4 % up to 70 % of saturation"};
  if (std::any_of(networks.begin(), networks.end(), [](const WormholeNetworkAnswer& each) {
        return own_network(each.first.network) != nullptr || !each.second.points.front().usual_channels ||
               each.first.lengths != sim::WormLengths::fixed || each.first.buffer_flits > 1 ||
               each.second.shorter_than_path;
      }))
    picture.note = "an approximate model; tailbound validate wormhole measures how far it is off";
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
       "up to 85 % of saturation (geometric lengths, deeper buffers 60 %, published variants 70 %), as far "
       "as simulation "
       "bears "
       "the model out",
       Style::hidden},
      {"iteration", "", "", Shape::text, "how it ended: direct (none was needed) or converged",
       Style::hidden},
      {"deadlock_cycle", "", "", Shape::texts,
       "channels that can wait for each other in a circle, which the model does not see; empty if none can",
       Style::hidden}};
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
  for (const auto& [asked, found] : networks)
    for (std::size_t i = 0; i < found.points.size(); ++i)
      document.results.push_back(result_of(asked, found, i));
  if (document.results.size() == 1) document.results.front().lines = lines(answer);
  document.notes = notes_on(networks);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

}  // namespace tailbound::render
