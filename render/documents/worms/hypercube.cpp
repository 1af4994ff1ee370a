#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/worms/hypercube.hpp>
#include <tailbound/render/documents/worms/worm_ends.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <string_view>

namespace tailbound::render {
namespace {

using answers::BroadcastHypercube;
using answers::OfferedLoads;
using answers::SimulatedHypercube;
using numeric::plain;

/// The parts of a description; a list of points may share some of them.
struct Words {
  std::string cube, channels, ends;                  ///< of the network
  std::string messages, broadcast, startup, buffer;  ///< of its traffic
};

Words words_of(const BroadcastHypercube& hypercube) {
  return {.cube = fmt::format("{}-dimensional hypercube ({} nodes)", hypercube.dimensions, hypercube.nodes()),
          .channels = fmt::format(" with {} virtual channels", hypercube.virtual_channels),
          .ends = ", " + in_words(hypercube.ends),
          .messages = "messages of " + counted(hypercube.flits, "flit"),
          .broadcast = "broadcast " + plain(hypercube.broadcast),
          .startup = "start-up " + plain(hypercube.startup),
          .buffer = {}};
}
Words words_of(const SimulatedHypercube& network) {
  Words words = words_of(network.hypercube);
  words.buffer = "buffers of " + counted(network.buffer_flits, "flit");
  return words;
}

/// What all have in common.
template <class Network>
Words shared_words(const Network& network, const std::vector<Network>& all) {
  Words words = words_of(network);
  for (const Network& other : all) {
    const Words its = words_of(other);
    if (its.cube != words.cube) words.cube = "hypercubes";
    if (its.channels != words.channels) words.channels.clear();
    if (its.ends != words.ends) words.ends.clear();
    if (its.messages != words.messages) words.messages.clear();
    if (its.broadcast != words.broadcast) words.broadcast.clear();
    if (its.startup != words.startup) words.startup.clear();
    if (its.buffer != words.buffer) words.buffer.clear();
  }
  return words;
}

std::string joined_words(std::vector<std::string> parts) {
  std::erase(parts, std::string());
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string text_of(const Words& words) {
  const std::string messages = joined_words({words.messages, words.broadcast, words.startup, words.buffer});
  return words.cube + words.channels + words.ends + (messages.empty() ? "" : ", " + messages);
}

/// The document without inputs that follow from others.
Document without(Document document, const std::vector<std::string_view>& keys) {
  for (Result& result : document.results)
    std::erase_if(result.inputs, [&](const Cell& cell) {
      return std::find(keys.begin(), keys.end(), cell.key) != keys.end();
    });
  return document;
}

bool has_number(const Document& document, const char* key) {
  return std::any_of(document.results.begin(), document.results.end(),
                     [&](const Result& result) { return height(value_of(result.cells, key)).has_value(); });
}

/// For points without a numeric difference.
std::vector<Curve> single_points(const Document& document, const char* key) {
  std::vector<Curve> curves;
  for (const Result& result : document.results) {
    const Value value = value_of(result.cells, key);
    const auto x = height(value_of(result.inputs, "rate")), y = height(value);
    if (!x || !y) continue;
    Curve& curve = curves.emplace_back();
    curve.points = {{*x, *y}};
    if (const auto* estimate = std::get_if<Estimate>(&value)) {
      curve.style = CurveStyle::bars;
      curve.ends = {{estimate->lower, estimate->open() ? estimate->value : estimate->upper}};
    }
  }
  return curves;
}

/// Does a network occur at several rates?
bool rates_vary(const Document& document) {
  const Document networks = without(document, {"rate", "fraction"});
  std::vector<std::string> seen;
  for (const Result& result : networks.results) {
    std::string inputs;
    for (const Cell& cell : result.inputs) inputs += cell.key + " " + brief(cell.value) + "\n";
    if (std::find(seen.begin(), seen.end(), inputs) != seen.end()) return true;
    seen.push_back(std::move(inputs));
  }
  return false;
}

struct RequestedRate {
  numeric::Rational value;
  bool of_saturation = false;
  double rate = 0;
};

const Fields<RequestedRate>& rate_fields() {
  using Of = RequestedRate;
  static const Fields<Of> fields{
      {{"fraction", "fraction", "", Shape::given, "fraction of saturation, as given", Style::hidden},
       &Of::value,
       &Of::of_saturation},
      {{"rate", "rate", "messages/cycle/node", Shape::given, "messages generated per node", Style::plain, 6},
       [](const Of& of) { return of.of_saturation ? given(of.rate).value : of.value; }}};
  return fields;
}

}  // namespace

const Fields<BroadcastHypercube>& hypercube_fields() {
  using Cube = BroadcastHypercube;
  static const Fields<Cube> fields{
      {{"dimensions", "dimensions", "", Shape::whole,
        "dimensions n of the hypercube, 1 to 20; simulated 1 to 16"},
       &Cube::dimensions},
      {{"nodes", "nodes", "", Shape::whole, "2^n", Style::hidden}, &Cube::nodes},
      {{"virtual_channels", "virtual channels", "", Shape::whole, "V per link, at least 2"},
       &Cube::virtual_channels},
      {worm_ends_fields(), &Cube::ends},
      {{"flits", "flits", "", Shape::whole, "message length M, at least 1"}, &Cube::flits},
      {{"broadcast", "broadcast", "", Shape::given, "fraction of messages that are broadcasts, 0 to 1"},
       &Cube::broadcast},
      {{"startup", "start-up", "", Shape::given, "start-up time per step of a broadcast [cycles], 0 to 10^9"},
       &Cube::startup}};
  return fields;
}

const Fields<SimulatedHypercube>& simulated_hypercube_fields() {
  static const Fields<SimulatedHypercube> fields{
      {hypercube_fields(), &SimulatedHypercube::hypercube},
      {{"buffer_flits", "buffer", "", Shape::whole,
        "buffer per virtual channel of a simulated network [flits]"},
       &SimulatedHypercube::buffer_flits}};
  return fields;
}

std::vector<Column> rate_columns() {
  return rate_fields().columns();
}

Cells rate_cells(const OfferedLoads& offered, std::size_t i, double rate) {
  return rate_fields().cells({offered.values[i], offered.of_saturation, rate});
}

Cells rate_cells(const OfferedLoads& offered) {
  return {{offered.of_saturation ? "fraction" : "rate", Given{offered.values.front()}}};
}

Column fraction_column(const std::string& meaning) {
  return {"fraction_of_saturation", "of saturation", "", Shape::model, meaning, Style::percent};
}

std::string network_in_words(const BroadcastHypercube& hypercube) {
  const Words words = words_of(hypercube);
  return words.cube + words.channels + words.ends;
}

std::string in_words(const BroadcastHypercube& hypercube, const std::vector<BroadcastHypercube>& all) {
  return text_of(shared_words(hypercube, all));
}

std::string in_words(const SimulatedHypercube& network, const std::vector<SimulatedHypercube>& all) {
  return text_of(shared_words(network, all));
}

std::string title_in_words(const BroadcastHypercube& hypercube, const std::vector<BroadcastHypercube>& all) {
  const auto same = [&](const auto& member) {
    return std::all_of(all.begin(), all.end(),
                       [&](const BroadcastHypercube& other) { return other.*member == hypercube.*member; });
  };
  return joined_words(
      {same(&BroadcastHypercube::dimensions) ? fmt::format("{}-dimensional hypercube", hypercube.dimensions)
                                             : "hypercubes",
       same(&BroadcastHypercube::virtual_channels)
           ? fmt::format("{} virtual channels", hypercube.virtual_channels)
           : "",
       same(&BroadcastHypercube::flits) ? fmt::format("messages of {} flits", hypercube.flits) : "",
       same(&BroadcastHypercube::broadcast) && hypercube.broadcast > 0
           ? fmt::format("{} of them broadcast", plain(hypercube.broadcast))
           : ""});
}

std::vector<std::string> hypercube_axes() {
  return {"dimensions", "virtual_channels", "flits", "broadcast", "startup", "buffer_flits"};
}

Picture latency_picture(const Document& document, const std::vector<DrawnLatency>& latencies,
                        Picture picture) {
  std::vector<std::string> axes = hypercube_axes();
  std::vector<std::string_view> aside{"fraction", "nodes"};
  if (rates_vary(document))
    axes.insert(axes.begin(), "rate");
  else
    aside.emplace_back("rate");
  const Document drawn = without(document, aside);
  for (const DrawnLatency& latency : latencies) {
    const Sweep sweep{.axes = axes, .height = latency.key};
    std::vector<Curve> curves;
    if (!has_number(document, latency.key)) continue;  // no such message was sent
    if (varies(drawn, sweep)) {
      Picture part = sweep_picture(drawn, sweep, {});
      picture.x_label = part.x_label;
      curves = std::move(part.curves);
    } else {
      curves = single_points(document, latency.key);
    }
    const int each = static_cast<int>(curves.size());
    for (Curve& curve : curves) {
      if (!curve.colour) curve.colour = latency.family * each + static_cast<int>(&curve - curves.data());
      curve.title = latency.name + (curve.title.empty() ? "" : ", " + curve.title);
      picture.curves.push_back(std::move(curve));
    }
  }
  if (picture.curves.empty()) throw NoAnswer("nothing to draw: no message was delivered");
  return picture;
}

std::vector<std::string> unicast_notes(const std::vector<BroadcastHypercube>& all) {
  if (std::none_of(all.begin(), all.end(),
                   [](const BroadcastHypercube& hypercube) { return hypercube.broadcast == 0; }))
    return {};
  return {
      "Without broadcasts, `wormhole --topology hypercube` models the same network if --injection and "
      "--ejection agree; its defaults are " +
      in_words(network::WormEnds{}) + "."};
}

std::string ends_in_words(const std::vector<BroadcastHypercube>& all) {
  const bool same = std::all_of(all.begin(), all.end(), [&](const BroadcastHypercube& other) {
    return other.ends == all.front().ends;
  });
  return same ? "; " + in_words(all.front().ends) : std::string();
}

Course latency_course(const BroadcastHypercube& hypercube,
                      numeric::Model<unit::Cycle> answers::BroadcastLatencies::*latency,
                      std::vector<double> rates) {
  rates.push_back(0);
  return course_of(
      [hypercube, latency](double rate) -> std::optional<double> {
        const auto latencies = answers::broadcast_latencies(hypercube, rate);
        return latencies ? std::optional((*latencies.*latency).value) : std::nullopt;
      },
      std::move(rates));
}

Picture latency_axes(const std::string& title) {
  return {.title = "Mean latency, " + title,
          .x_label = "rate [messages/cycle/node]",
          .y_label = "mean latency [cycles]"};
}

}  // namespace tailbound::render
