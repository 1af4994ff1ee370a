#include <fmt/format.h>
#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/render/documents/accuracy/accuracy.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/wormhole/wormhole.hpp>
#include <tailbound/render/documents/worms/message_parts.hpp>
#include <tailbound/render/documents/worms/saturation.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <variant>

namespace tailbound::render {
namespace {

using answers::WormholeAnswer;
using answers::WormholeChannel;
using answers::WormholePoint;
using answers::WormholeQuery;
using answers::WormholeVariant;

constexpr const char* utilization_meaning =
    "mean fraction of the channels that are held by a message, 0 to 1, of all virtual channels (and in a "
    "fat-tree, upward links) that a message may take there";

/// Maximum number of channels of a cycle listed in a note.
constexpr std::size_t most_of_cycle = 12;
/// Key "trusted": maximum error of the mean latency.
constexpr double trusted_error = 0.05;

const AccuracyKeys worm_accuracy_keys{{answers::Quantity::mean_latency, "latency"},
                                      {answers::Quantity::saturation, "saturation"}};

answers::Accuracy accuracy_of(const WormholeQuery& query, const WormholeAnswer& answer) {
  std::vector<double> fractions;
  for (const WormholePoint& point : answer.points) fractions.push_back(point.fraction_of_saturation.value);
  return answers::accuracy(answers::requested_accuracy(query, std::move(fractions)));
}

bool is_trusted(const answers::Accuracy& accuracy, double fraction) {
  const auto errors = accuracy.errors(answers::Quantity::mean_latency, fraction);
  return errors && errors->minimum >= -trusted_error && errors->largest <= trusted_error;
}

bool by_finite_sources(const WormholeQuery& query) {
  return query.variant.value_or(answers::usual_variant(query.network)) == WormholeVariant::finite_source;
}

Column model_column(const char* key, const char* heading, const char* unit, const char* meaning,
                    Style style = Style::plain) {
  return {key, heading, unit, Shape::model, meaning, style};
}

const Table<WormholeChannel>& channel_table() {
  using Channel = WormholeChannel;
  static const Table<Channel> table{
      "channels",
      "the busiest channels after the sources, with --channels",
      {{{"channel", "channel", "", Shape::text, "its ends"}, &Channel::name},
       {model_column("utilization", "utilization", "", utilization_meaning, Style::percent),
        &Channel::utilization},
       {model_column("wait", "wait", "cycles", "mean wait at its station"), &Channel::wait},
       {model_column("service", "occupancy time", "cycles", "mean occupancy time per message"),
        &Channel::service},
       {model_column("variation", "variation", "", "squared coefficient of variation of the occupancy time"),
        &Channel::variation},
       {model_column("follow", "follow", "",
                     "fraction of messages that arrive exactly when the previous message leaves the channel; "
                     "null in the published variants",
                     Style::percent),
        [](const Channel& of) { return shown(of.follow); }},
       {model_column(
            "sharing", "sharing delay", "cycles",
            "mean time lost to other messages on the physical channel, if virtual channels share it"),
        &Channel::sharing, if_present},
       {model_column("credits", "credit delay", "cycles",
                     "part of the occupancy time spent on credits and reallocation; with --router-cycles, "
                     "--link-cycles or --credit-cycles"),
        &Channel::credits, if_present}}};
  return table;
}

bool can_deadlock(const WormholeAnswer& answer) {
  return !answer.deadlock_cycle.empty();
}

/// A load of a network.
struct WormholeLoad {
  const WormholeQuery& query;
  const WormholeAnswer& answer;
  const answers::Accuracy& accuracy;
  std::size_t at = 0;

  [[nodiscard]] const WormholePoint& point() const { return answer.points[at]; }
  [[nodiscard]] double fraction() const { return point().fraction_of_saturation.value; }
  /// Null if the model has no saturation load, or the routes can deadlock below it.
  template <class Number>
  [[nodiscard]] Value of_saturation(const Number& number) const {
    return answer.saturated && !can_deadlock(answer) ? Value(shown(number)) : Value(None{});
  }
  /// Null in a network with only injection channels.
  template <class Member>
  [[nodiscard]] Value of_bottleneck(Member member) const {
    return point().bottleneck ? shown_as(Shape::model, (*point().bottleneck).*member) : Value(None{});
  }
};

/// Whether before or after the sources.
const WormholeChannel& busiest_of(const WormholePoint& point) {
  if (!point.bottleneck) return point.busiest_source;
  // Equal up to rounding: the network's own channel.
  const bool source =
      point.busiest_source.utilization.value > point.bottleneck->utilization.value * (1 + 1e-9);
  return source ? point.busiest_source : *point.bottleneck;
}

template <class Member>
auto bottleneck(Member member) {
  return [member](const WormholeLoad& of) { return of.of_bottleneck(member); };
}

std::optional<std::string> text_if(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

const Fields<WormholeLoad>& wormhole_results() {
  using Load = WormholeLoad;
  static const Fields<Load> fields{
      {model_column("fraction_of_saturation", "of saturation", "",
                    "load / saturation_load, below 1; null if that is", Style::percent),
       [](const Load& of) { return of.of_saturation(of.point().fraction_of_saturation); }},
      {model_column("latency", "latency", "cycles",
                    "mean latency of a message from generation to arrival of its tail"),
       [](const Load& of) { return of.point().latency; }},
      {model_column("source_wait", "source queueing", "cycles",
                    "mean time from generation until the head leaves the source"),
       [](const Load& of) { return of.point().source_wait; }},
      {model_column("service", "injection service", "cycles",
                    "mean time from there until the tail leaves the injection channel"),
       [](const Load& of) { return of.point().service; }},
      {{"busiest_channel", "busiest channel", "", Shape::text,
        "channel with the highest utilization, injection channels included"},
       [](const Load& of) { return busiest_of(of.point()).name; }},
      {model_column("busiest_utilization", "utilization", "", utilization_meaning, Style::percent),
       [](const Load& of) { return busiest_of(of.point()).utilization; }},
      {{"bottleneck", "", "", Shape::text, "busiest channel after the sources; null if there is none",
        Style::hidden},
       bottleneck(&WormholeChannel::name)},
      {model_column("bottleneck_utilization", "", "", utilization_meaning, Style::hidden),
       bottleneck(&WormholeChannel::utilization)},
      {model_column("bottleneck_wait", "", "cycles", "mean wait at its station", Style::hidden),
       bottleneck(&WormholeChannel::wait)},
      {model_column("bottleneck_service", "", "cycles", "mean occupancy time per message", Style::hidden),
       bottleneck(&WormholeChannel::service)},
      {model_column(
           "saturation_load", "saturation", "flits/cycle/node",
           "saturation load of the model; null if it has no solution above solved_load although "
           "solved_utilization is below 97 %, if each node sends to one other node, or if the routes "
           "can deadlock"),
       [](const Load& of) { return of.of_saturation(of.answer.saturation); }},
      {model_column("solved_load", "", "flits/cycle/node", "the largest load with a solution", Style::hidden),
       [](const Load& of) { return of.answer.saturation; }},
      {model_column("solved_utilization", "", "",
                    "the largest utilization there, of channels and physical channels", Style::hidden),
       [](const Load& of) { return of.answer.fullness; }},
      {model_column("unsolved_load", "", "flits/cycle/node", "load just above it that has no solution",
                    Style::hidden),
       [](const Load& of) { return of.answer.unsolved; }},
      {{"saturating_class", "", "", Shape::text,
        "with several classes of messages: the class that saturates first, with most messages on "
        "saturating_channel",
        Style::hidden},
       [](const Load& of) { return text_if(of.answer.saturating_class); },
       if_present},
      {{"saturating_channel", "", "", Shape::text, "the fullest channel at solved_load, with several classes",
        Style::hidden},
       [](const Load& of) { return text_if(of.answer.saturating_channel); },
       if_present},
      {model_column("mean_distance", "", "channels",
                    "mean number of channels on a path, injection included, and ejection if it has a channel",
                    Style::hidden),
       [](const Load& of) { return of.answer.mean_distance; }},
      {{"trusted", "", "", Shape::flag,
        "load up to which the latency was measured to be within 5 %, in this network or between measured "
        "ones",
        Style::hidden},
       [](const Load& of) { return is_trusted(of.accuracy, of.fraction()); }}};
  return fields;
}

const Fields<WormholeLoad>& wormhole_course() {
  using Load = WormholeLoad;
  static const Fields<Load> fields{
      {{"iteration", "", "", Shape::text, "end of the iteration: direct (none needed) or converged",
        Style::hidden},
       [](const Load& of) { return bounds::in_words(of.point().ending); }},
      {{"deadlock_cycle", "", "", Shape::texts,
        "channels that can deadlock, which the model ignores; empty if none can", Style::hidden},
       [](const Load& of) { return Value(TextList{of.answer.deadlock_cycle}); }}};
  return fields;
}

const Fields<WormholeQuery>& wormhole_inputs() {
  using Query = WormholeQuery;
  static const Fields<Query> fields{{worm_network_fields(), requested_worms<Query>},
                                    {worm_buffer_column(), &Query::buffer_flits},
                                    {worm_length_fields(), requested_worms<Query>},
                                    {router_timing_fields(), if_unusual<Query>}};
  return fields;
}

Result result_of(const WormholeLoad& load) {
  const auto& [query, answer, accuracy, i] = load;
  const WormholePoint& point = load.point();
  Result result;
  result.inputs = wormhole_inputs().cells(query);
  result.inputs = joined(std::move(result.inputs), load_cells(query.offered, i, point.load));
  result.cells =
      joined(joined(wormhole_results().cells(load),
                    accuracy_cells(accuracy, worm_accuracy_keys, load.fraction(), measuring_command(query))),
             wormhole_course().cells(load));
  const std::vector<MessagePart> parts = parts_of(point);
  result.text_cells = part_cells(parts);
  if (!parts.empty())
    result.tables.push_back(part_rows(parts, Shape::model, answer.points.size() <= max_tables));
  if (query.channels) {
    result.tables.push_back(channel_table().rows(share(point.channels)));
    result.caption = fmt::format(
        "{}load {:.6g}, {:.1f} % of {}: busiest channels after the sources",
        answer.network.empty() ? "" : answer.network + ", ", point.load,
        100 * point.fraction_of_saturation.value,
        answer.saturated && !can_deadlock(answer) ? "saturation" : "the largest load with an answer");
  }
  return result;
}

/// Where the messages of all networks have the same parts.
std::vector<Column> common_part_columns(const std::vector<WormholeNetworkAnswer>& networks) {
  const auto titles = [](const WormholeNetworkAnswer& network) {
    std::vector<std::string> all;
    for (const MessagePart& part : parts_of(network.second.points.front())) all.push_back(part.title());
    return all;
  };
  const std::vector<std::string> first = titles(networks.front());
  if (std::any_of(networks.begin(), networks.end(),
                  [&](const WormholeNetworkAnswer& network) { return titles(network) != first; }))
    return {};
  return part_columns(parts_of(networks.front().second.points.front()), Shape::model);
}

/// For a single load.
std::vector<Line> lines(const WormholeAnswer& answer) {
  const WormholePoint& point = answer.points.front();
  const auto cycles = [](const numeric::Model<unit::Cycle>& time) { return brief(shown(time)) + " cycles"; };
  std::vector<Line> lines{{"load", answer.saturated && !can_deadlock(answer)
                                       ? load_in_words(point.load, point.fraction_of_saturation.value)
                                       : fmt::format("{:.6g} flits/cycle/node", point.load)},
                          {"latency", cycles(point.latency)},
                          {"source queueing", cycles(point.source_wait)},
                          {"injection service", cycles(point.service)}};
  const auto channel = [](const WormholeChannel& its) {
    return fmt::format("{}, utilization {:.1f} %", its.name, 100 * its.utilization.value);
  };
  const WormholeChannel& busiest = busiest_of(point);
  lines = joined(std::move(lines), part_lines(parts_of(point)));
  lines.push_back({"busiest channel", channel(busiest)});
  if (point.bottleneck && &busiest == &point.busiest_source)
    lines.push_back({"after the sources", channel(*point.bottleneck)});
  return lines;
}

std::string cycle_note(const WormholeAnswer& answer) {
  const std::vector<std::string>& cycle = answer.deadlock_cycle;
  std::string list;
  for (std::size_t i = 0; i < std::min(cycle.size(), most_of_cycle); ++i)
    list += (i == 0 ? "" : "; ") + cycle[i];
  if (cycle.size() > most_of_cycle) list += fmt::format("; and {} more", cycle.size() - most_of_cycle);
  return fmt::format("The routes can deadlock: cyclic dependency of {} {}: {}. The model ignores deadlock.",
                     cycle.size(), cycle.size() == 1 ? "channel" : "channels", list);
}

std::vector<answers::WormholeNetwork> all_networks(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<answers::WormholeNetwork> all;
  for (const auto& [query, answer] : networks) all.push_back(query.network);
  return all;
}

bool has_ejection_channels(const answers::WormholeNetwork& network) {
  const auto* topology = std::get_if<network::WormTopology>(&network);
  return topology == nullptr || topology->ends.ejection == network::Ejection::one;
}

/// One statement for all networks.
std::string accuracy_note(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<StatedAccuracy> all;
  for (const auto& [query, answer] : networks)
    all.push_back({.network = in_words(query),
                   .accuracy = accuracy_of(query, answer),
                   .command = measuring_command(query)});
  return accuracy_note(all);
}

/// The saturation load and why there is no solution beyond it, or that it is not known.
std::string saturation_note(const WormholeQuery& query, const WormholeAnswer& answer) {
  if (can_deadlock(answer))
    return fmt::format(
        "No saturation load: a deadlock stops all traffic at some lower load. Without deadlock the model has "
        "answers up to {:.5g} flits/cycle/node, to which fractions refer",
        answer.saturation.value);
  if (!answer.saturated)
    return fmt::format(
        "No answer above load {:.5g} flits/cycle/node: {}. This is not a saturation load: the "
        "network may carry more (`tailbound simulate wormhole` with --saturation). Fractions "
        "are of this load",
        answer.saturation.value, answers::no_solution_in_words(answer.fullness.value));
  std::string text = fmt::format("Saturation {:.5g} flits/cycle/node", answer.saturation.value);
  // "stopped after 35 rounds: a utilization would reach 100 %"
  if (by_finite_sources(query))
    text += answer.why_unsolved.find(": ") != std::string::npos
                ? ": above it a utilization would reach 100 %"
                : fmt::format(": a utilization reaches {:.3g} %", 100 * answer.fullness.value);
  if (!answer.saturating_class.empty())
    text += fmt::format(" (class {} first, at {})", answer.saturating_class, answer.saturating_channel);
  return text;
}

/// May a message use any of several virtual channels of a link? Not known of a network file.
std::optional<bool> shares_links(const WormholeQuery& query) {
  const std::optional<int> usual = answers::usual_virtual_channels(query.network);
  if (!usual) return std::nullopt;
  return query.virtual_channels.value_or(*usual) > *usual;
}

/// Messages shorter than the mean path, where the model does not account for that; one note for all networks.
std::vector<std::string> short_message_notes(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<std::string> of;
  std::size_t alone = 0;
  for (const auto& [query, answer] : networks) {
    if (!answer.shorter_than_path || by_finite_sources(query)) continue;
    of.push_back(fmt::format("{} in the {}", query.messages.flits.in_words(), answers::name(query.network)));
    if (shares_links(query) == false) ++alone;
  }
  if (of.empty()) return {};
  constexpr std::size_t max_named = 3;
  const std::string messages =
      networks.size() == 1    ? "Messages of " + networks.front().first.messages.flits.in_words()
      : of.size() > max_named ? fmt::format("The messages of {} of the networks", of.size())
                              : fmt::format("Messages of {}", fmt::join(of, "; "));
  // Measured: docs/derivations/wormhole_finite_source.md, "Short messages".
  const char* effect = alone == of.size() ? ", which overestimates the waits"
                       : alone == 0 ? ", which overestimates the waits; with several virtual channels per "
                                      "link other errors can outweigh that: the latency may be underestimated"
                                    : ", which overestimates the waits, unless other errors outweigh that "
                                      "with several virtual channels per link";
  return {fmt::format("{} are shorter than the mean path. The model lets them occupy all of it at a time{}.",
                      messages, effect)};
}

/// Loads are those of the nodes that send; of a network file, the flows define them.
std::vector<std::string> silent_node_notes(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<std::string> notes;
  for (const auto& [query, answer] : networks) {
    const auto* topology = std::get_if<network::WormTopology>(&query.network);
    if (topology == nullptr || topology->pattern.uniform()) continue;  // all nodes send
    std::set<std::uint32_t> senders;
    for (const network::WormFlow& flow : answers::traffic_of(query.network).flows)
      senders.insert(flow.source);
    const auto nodes = static_cast<std::size_t>(answers::node_count(query.network));
    if (senders.empty() || senders.size() == nodes) continue;
    std::string note =
        fmt::format("Loads are per sending node: {} of {} nodes send{}.", senders.size(), nodes,
                    networks.size() > 1 ? " in the " + answers::name(query.network) : "");
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

/// The largest squared coefficient of variation of the lengths in one virtual network.
double length_variation_of(const WormholeQuery& query) {
  const network::MessageMix mix = answers::messages_of(query.network, query.messages);
  double largest = 0;
  for (std::uint32_t v = 0; v < mix.virtual_channels.size(); ++v) {
    double share = 0, first = 0, second = 0;
    for (const network::MessageKind& kind : mix.kinds) {
      if (kind.virtual_network != v) continue;
      const double its = numeric::nearest_double(kind.share);
      share += its;
      first += its * numeric::nearest_double(kind.lengths.mean());
      second += its * numeric::nearest_double(kind.lengths.mean_square());
    }
    largest = std::max(largest, second * share / (first * first) - 1);
  }
  return largest;
}

/// From here on: squared coefficient of variation of lengths; virtual channels and buffers, at which fraction
/// of saturation.
constexpr double varied = 2, high_load = 0.7;
constexpr int many_channels = 6, deep_buffers = 4;

/// Where the model was found to be far from simulation: docs/derivations/mixed_messages.md.
std::vector<std::string> weakness_notes(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  };
  for (const auto& [query, answer] : networks) {
    if (!by_finite_sources(query)) continue;
    if (const double variation = length_variation_of(query); variation > varied)
      add(fmt::format(
          "The lengths vary much (squared coefficient of variation {:.2g}): for such messages the "
          "model was 10 to 30 % off simulation at 80 % of saturation, mostly too low.",
          variation));
    const bool is_high = std::any_of(answer.points.begin(), answer.points.end(), [](const auto& point) {
      return point.fraction_of_saturation.value > high_load;
    });
    if (is_high && query.virtual_channels.value_or(1) >= many_channels && query.buffer_flits >= deep_buffers)
      add("With six or more virtual channels and buffers of four or more flits the model is too high beyond "
          "70 % of saturation, by 9 to 29 % at 80 %.");
  }
  return notes;
}

std::vector<std::string> notes_on(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<std::string> notes;
  if (networks.size() == 1) {
    const auto& [query, answer] = networks.front();
    notes.push_back(fmt::format("{}; mean distance {:.4g} channels, injection{} included.",
                                saturation_note(query, answer), answer.mean_distance.value,
                                has_ejection_channels(query.network) ? " and ejection" : ""));
  }
  notes.push_back("Approximate model. " + accuracy_note(networks));
  for (const auto& [query, answer] : networks)
    if (!query.variant && !by_finite_sources(query))
      notes.push_back(
          fmt::format("{} is large: variant paper, which is fast. --variant finite-source is more accurate "
                      "and takes minutes (--time-limit).",
                      answers::name(query.network)));
  for (const auto& [query, answer] : networks) add_remarks(notes, query.network);
  for (std::string& note : hypercube_notes(all_networks(networks))) notes.push_back(std::move(note));
  for (std::string& note : silent_node_notes(networks)) notes.push_back(std::move(note));
  for (std::string& note : short_message_notes(networks)) notes.push_back(std::move(note));
  for (std::string& note : weakness_notes(networks)) notes.push_back(std::move(note));
  for (const auto& [query, answer] : networks)
    if (can_deadlock(answer)) notes.push_back(cycle_note(answer));
  return notes;
}

/// Of networks of which some can deadlock.
Headline deadlock_headline(const std::vector<WormholeNetworkAnswer>& networks) {
  const auto count = std::count_if(networks.begin(), networks.end(),
                                   [](const auto& each) { return can_deadlock(each.second); });
  return Headline::without_numbers(
      networks.size() == 1
          ? std::string("The routes can deadlock: no saturation load.")
          : fmt::format("The routes of {} of the {} networks can deadlock: these have no saturation load.",
                        count, networks.size()));
}

/// The saturation load, and of a single load the latency there; of routes that can deadlock, that there is
/// none.
Headline headline(const Document& document, const std::vector<WormholeNetworkAnswer>& networks) {
  if (std::any_of(networks.begin(), networks.end(),
                  [](const auto& each) { return can_deadlock(each.second); }))
    return deadlock_headline(networks);
  std::vector<ModelEnd> ends;
  std::vector<Value> quoted;
  for (const auto& [query, answer] : networks) ends.push_back({answer.saturation.value, answer.saturated});
  std::string latency;
  if (document.results.size() == 1) {
    const auto& point = networks.front().second.points.front();
    quoted.push_back(shown(point.latency));
    latency = fmt::format("; mean latency {:.4g} cycles at load {:.4g}", point.latency.value, point.load);
  }
  return saturation_headline("load", "flits/cycle/node", ends, latency, quoted);
}

/// What is the same for all networks.
std::string settings(const Document& document, const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<WormholeQuery> all;
  for (const auto& [query, answer] : networks) all.push_back(query);
  return capitalized(in_words(all)) + offered_in_words(document, "load") + ".";
}

/// A latency, straight between the loads at which the model was solved: all messages and all parts of them
/// share its solutions.
/// \param latency_of  (LatenciesAtLoad) -> [cycles]
template <class LatencyOf>
Course solved_course(const std::vector<answers::LatenciesAtLoad>& by_load, LatencyOf latency_of) {
  std::vector<std::pair<double, double>> places;
  std::vector<double> loads;
  for (const answers::LatenciesAtLoad& point : by_load) {
    loads.push_back(point.load);
    places.emplace_back(point.load, latency_of(point));
  }
  return course_of(
      [places = std::move(places)](double load) -> std::optional<double> {
        const auto above = std::lower_bound(places.begin(), places.end(), std::pair{load, 0.0});
        if (above == places.end()) return std::nullopt;
        if (above == places.begin()) return above->second;
        const auto& [left, low] = *std::prev(above);
        return low + (load - left) / (above->first - left) * (above->second - low);
      },
      std::move(loads));
}

Picture picture(const Document& document, const std::vector<WormholeNetworkAnswer>& networks) {
  const auto& [query, answer] = networks.front();
  Picture picture{.title = networks.size() == 1 ? "Mean latency, " + in_words(query)
                                                : "Mean latency of wormhole networks",
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
  if (networks.size() > 1) {
    if (picture.curves.size() == networks.size() && drawn.sweep.axes.front() == "load")
      for (std::size_t i = 0; i < networks.size(); ++i) {
        picture.curves[i].style = CurveStyle::line;
        picture.curves[i].course = course_of(answers::latency_of_load(networks[i].first, networks[i].second));
      }
    return picture;
  }
  picture.x_label = "load [flits/cycle/node]";
  Curve model{.title = "model", .style = CurveStyle::line};
  for (const auto& point : answer.points) model.points.emplace_back(point.load, point.latency.value);
  const std::vector<MessagePart> parts = parts_of(answer.points.front());
  if (parts.empty() || parts.size() > max_part_columns) {
    model.course = course_of(answers::latency_of_load(query, answer));
    picture.curves.front() = std::move(model);
  } else {
    const auto by_load = answers::latencies_by_load(query, answer);
    model.title = "all messages";
    model.course = solved_course(by_load, [](const auto& point) { return point.latency; });
    picture.curves.front() = std::move(model);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      Curve its{
          .title = parts[part].title(),
          .style = CurveStyle::line,
          .course = solved_course(by_load, [&](const auto& at) { return at.by_length[part].latency.value; })};
      for (const auto& point : answer.points)
        its.points.emplace_back(point.load, point.by_length[part].latency.value);
      picture.curves.push_back(std::move(its));
    }
  }
  constexpr std::size_t max_named = 4;
  if (answer.points.size() <= max_named) {
    Curve here{.title = "", .style = CurveStyle::marks};
    for (const auto& point : answer.points) {
      here.points.emplace_back(point.load, point.latency.value);
      here.labels.push_back(fmt::format("load {:.4g}: {:.4g} cycles", point.load, point.latency.value));
    }
    picture.curves.push_back(std::move(here));
  }
  picture.curves.push_back(vertical_limit(
      fmt::format("{} {:.5g}",
                  answer.saturated && !can_deadlock(answer) ? "saturation of the model," : "no answer above",
                  answer.saturation.value),
      answer.saturation.value));
  return picture;
}

}  // namespace

Layout wormhole_layout() {
  return {.command = "wormhole",
          .inputs = joined(wormhole_inputs().columns(), load_columns()),
          .results = joined(joined(wormhole_results().columns(), wormhole_course().columns()),
                            accuracy_columns(worm_accuracy_keys)),
          .tables = {message_part_table(Shape::model).layout(), channel_table().layout()}};
}

Cells inputs_of(const answers::WormholeQuery& query) {
  return joined(wormhole_inputs().cells(query), load_cells(query.offered));
}

Document document(const std::vector<WormholeNetworkAnswer>& networks) {
  const auto& [query, answer] = networks.front();
  Layout layout = wormhole_layout();
  if (networks.size() == 1 && !can_deadlock(answer)) layout.stated = {"saturation_load"};
  if (query.channels) layout.quiet_table = channel_table().key;
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = {},
                    .settings = {},
                    .results = {}};
  for (const auto& [requested, found] : networks) {
    const answers::Accuracy accuracy = accuracy_of(requested, found);
    for (std::size_t i = 0; i < found.points.size(); ++i)
      document.results.push_back(result_of({requested, found, accuracy, i}));
  }
  document.text_columns = common_part_columns(networks);
  if (document.results.size() == 1) document.results.front().lines = lines(answer);
  name_uniform_traffic(document);
  document.headline = headline(document, networks);
  document.settings = settings(document, networks);
  document.notes = notes_on(networks);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

}  // namespace tailbound::render
