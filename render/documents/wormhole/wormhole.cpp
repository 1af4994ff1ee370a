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

/// Maximum number of channels of a cycle listed in a note.
constexpr std::size_t most_of_cycle = 12;
/// Key "trusted": maximum error of the mean latency.
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

Column model_column(const char* key, const char* heading, const char* unit, const char* meaning,
                    Style style = Style::plain) {
  return {key, heading, unit, Shape::model, meaning, style};
}

const Table<WormholeChannel>& channel_table() {
  using Channel = WormholeChannel;
  static const Table<Channel> table{
      "channels",
      "the busiest channels behind the sources, with --channels",
      {{{"channel", "channel", "", Shape::text, "its ends"}, &Channel::name},
       {model_column("utilization", "busy", "", "of the servers of its station, 0 to 1", Style::percent),
        &Channel::utilization},
       {model_column("wait", "wait", "cycles", "mean wait at its station"), &Channel::wait},
       {model_column("service", "service", "cycles", "mean time for which a message holds it"),
        &Channel::service},
       {model_column("variation", "variation", "", "squared coefficient of variation of that time"),
        &Channel::variation},
       {model_column("follow", "follow", "",
                     "messages that come at the very moment at which the one before them leaves the channel; "
                     "null of the published variants, which do not know",
                     Style::percent),
        [](const Channel& of) { return shown(of.follow); }},
       {model_column(
            "sharing", "lost on wire", "cycles",
            "mean time that a message loses there to others on the wire; where virtual channels share wires"),
        &Channel::sharing, if_there},
       {model_column("credits", "for credits", "cycles",
                     "of its service: for credits, and until it is known to be free; with --router-cycles, "
                     "--link-cycles or --credit-cycles"),
        &Channel::credits, if_there}}};
  return table;
}

/// A load of a network.
struct WormholeLoad {
  const WormholeQuestion& question;
  const WormholeAnswer& answer;
  const answers::Accuracy& accuracy;
  std::size_t at = 0;

  [[nodiscard]] const WormholePoint& point() const { return answer.points[at]; }
  [[nodiscard]] double fraction() const { return point().fraction_of_saturation.value; }
  /// Null in a network with only injection channels.
  template <class Member>
  [[nodiscard]] Value of_bottleneck(Member member) const {
    return point().bottleneck ? shown_as(Shape::model, (*point().bottleneck).*member) : Value(None{});
  }
};

template <class Member>
auto bottleneck(Member member) {
  return [member](const WormholeLoad& of) { return of.of_bottleneck(member); };
}

const Fields<WormholeLoad>& wormhole_results() {
  using Load = WormholeLoad;
  static const Fields<Load> fields{
      {model_column("fraction_of_saturation", "of saturation", "", "of the model's saturation load, below 1",
                    Style::percent),
       [](const Load& of) { return of.point().fraction_of_saturation; }},
      {model_column("latency", "latency", "cycles",
                    "mean, of a message from its birth until its tail has arrived"),
       [](const Load& of) { return of.point().latency; }},
      {model_column("source_wait", "source wait", "cycles",
                    "mean, from its birth until its head leaves the source"),
       [](const Load& of) { return of.point().source_wait; }},
      {model_column("service", "service", "cycles", "mean time for which it holds its injection channel"),
       [](const Load& of) { return of.point().service; }},
      {{"bottleneck", "busiest channel", "", Shape::text,
        "the busiest channel behind the sources; null if there is none"},
       bottleneck(&WormholeChannel::name)},
      {model_column("bottleneck_utilization", "busy", "", "of the servers of its station, 0 to 1",
                    Style::percent),
       bottleneck(&WormholeChannel::utilization)},
      {model_column("bottleneck_wait", "", "cycles", "mean wait at its station", Style::hidden),
       bottleneck(&WormholeChannel::wait)},
      {model_column("bottleneck_service", "", "cycles", "mean time for which a message holds it",
                    Style::hidden),
       bottleneck(&WormholeChannel::service)},
      {model_column("saturation_load", "saturation", "flits/cycle/node", "at which the model saturates"),
       [](const Load& of) { return of.answer.saturation; }},
      {model_column("unsolved_load", "", "flits/cycle/node",
                    "just above that, and without a solution: the other side of the search", Style::hidden),
       [](const Load& of) { return of.answer.unsolved; }},
      {model_column("mean_distance", "", "channels",
                    "mean path of a message, injection included, and ejection if there is a channel for it",
                    Style::hidden),
       [](const Load& of) { return of.answer.mean_distance; }},
      {{"trusted", "", "", Shape::flag,
        "up to this load latency was measured to be at most 5 % off, in this network or between measured "
        "ones",
        Style::hidden},
       [](const Load& of) { return is_trusted(of.accuracy, of.fraction()); }}};
  return fields;
}

const Fields<WormholeLoad>& wormhole_course() {
  using Load = WormholeLoad;
  static const Fields<Load> fields{
      {{"iteration", "", "", Shape::text, "how it ended: direct (none was needed) or converged",
        Style::hidden},
       [](const Load& of) { return bounds::in_words(of.point().ending); }},
      {{"deadlock_cycle", "", "", Shape::texts,
        "channels that can wait for each other in a circle, which the model does not see; empty if none can",
        Style::hidden},
       [](const Load& of) { return Value(TextList{of.answer.deadlock_cycle}); }}};
  return fields;
}

const Fields<WormholeQuestion>& wormhole_inputs() {
  using Question = WormholeQuestion;
  static const Fields<Question> fields{
      {worm_network_fields(),
       [](const Question& of) {
         return AskedWorms{of.network, of.variant, of.flits, of.virtual_channels};
       }},
      {worm_buffer_column(), &Question::buffer_flits},
      {worm_length_column(), &Question::lengths},
      {router_timing_fields(), if_unusual<Question>}};
  return fields;
}

Result result_of(const WormholeLoad& load) {
  const auto& [question, answer, accuracy, i] = load;
  const WormholePoint& point = load.point();
  Result result;
  result.inputs = wormhole_inputs().cells(question);
  result.inputs = joined(std::move(result.inputs), load_cells(question.offered, i, point.load));
  result.cells = joined(
      joined(wormhole_results().cells(load),
             accuracy_cells(accuracy, worm_accuracy_keys, load.fraction(), measuring_command(question))),
      wormhole_course().cells(load));
  if (question.channels) {
    result.tables.push_back(channel_table().rows(share(point.channels)));
    result.caption =
        fmt::format("{}load {:.6g}, {:.1f} % of saturation: the busiest channels behind the sources",
                    answer.network.empty() ? "" : answer.network + ", ", point.load,
                    100 * point.fraction_of_saturation.value);
  }
  return result;
}

/// For a single load.
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

/// One statement for all networks.
std::string accuracy_note(const std::vector<WormholeNetworkAnswer>& networks) {
  std::vector<StatedAccuracy> all;
  for (const auto& [question, answer] : networks)
    all.push_back({.network = in_words(question),
                   .accuracy = accuracy_of(question, answer),
                   .command = measuring_command(question)});
  return accuracy_note(all);
}

/// Why the search found no solution beyond that load.
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
  if (networks.size() > 1) {
    if (picture.curves.size() == networks.size() && drawn.sweep.axes.front() == "load")
      for (std::size_t i = 0; i < networks.size(); ++i) {
        picture.curves[i].points = answers::latency_curve(networks[i].first, networks[i].second);
        picture.curves[i].style = CurveStyle::line;
      }
    return picture;
  }
  picture.x_label = "load [flits/cycle/node]";
  picture.curves.front() = {
      .title = "model", .style = CurveStyle::line, .points = answers::latency_curve(question, answer)};
  constexpr std::size_t most_named = 4;
  if (answer.points.size() <= most_named) {
    Curve here{.title = "", .style = CurveStyle::marks};
    for (const auto& point : answer.points) {
      here.points.emplace_back(point.load, point.latency.value);
      here.labels.push_back(fmt::format("load {:.4g}: {:.4g} cycles", point.load, point.latency.value));
    }
    picture.curves.push_back(std::move(here));
  }
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
  return {.command = "wormhole",
          .inputs = joined(wormhole_inputs().columns(), load_columns()),
          .results = joined(joined(wormhole_results().columns(), wormhole_course().columns()),
                            accuracy_columns(worm_accuracy_keys)),
          .tables = {channel_table().layout()}};
}

Document document(const std::vector<WormholeNetworkAnswer>& networks) {
  const auto& [question, answer] = networks.front();
  Document document{.layout = std::make_shared<const Layout>(wormhole_layout()),
                    .headline = networks.size() == 1 ? in_two_lines(in_words(question))
                                                     : "Wormhole networks by the model" +
                                                           common_ends_in_words(all_networks(networks)),
                    .results = {}};
  for (const auto& [asked, found] : networks) {
    const answers::Accuracy accuracy = accuracy_of(asked, found);
    for (std::size_t i = 0; i < found.points.size(); ++i)
      document.results.push_back(result_of({asked, found, accuracy, i}));
  }
  if (document.results.size() == 1) document.results.front().lines = lines(answer);
  document.notes = notes_on(networks);
  document.picture = [document, networks] { return picture(document, networks); };
  return document;
}

}  // namespace tailbound::render
