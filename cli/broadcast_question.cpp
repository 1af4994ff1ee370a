#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/broadcast_question.hpp>
#include <cli/offered_loads.hpp>
#include <cli/option_group.hpp>
#include <cli/traffic_options.hpp>

#include <algorithm>

namespace tailbound::cli {
namespace {

using numeric::Rational;

constexpr std::int64_t most_virtual_channels = BroadcastLimits{}.virtual_channels;

Rational read_broadcast_fraction(const std::string& text) {
  const char* legal = "from 0 to 1: the fraction of messages that are broadcasts";
  if (text.find_first_of(",:") != std::string::npos) throw InvalidArgument("--broadcast", text, legal);
  const Rational fraction = parse_percent_list(text, "--broadcast", 1).front();
  if (fraction < 0 || fraction > 1) throw InvalidArgument("--broadcast", text, legal);
  return fraction;
}

Rational read_startup(const std::optional<std::string>& text, const BroadcastLimits& limits) {
  if (!text) return 1;
  if (limits.whole_cycles) return parse_integer(*text, "--startup", 0, 1'000'000'000);
  const Rational cycles = numeric::parse_rational(*text, "--startup");
  if (cycles < 0 || cycles > 1'000'000'000)
    throw InvalidArgument("--startup", *text, "from 0 to 10^9 cycles");
  return cycles;
}

std::int64_t nodes(const BroadcastQuestion& question) {
  return std::int64_t{1} << question.cube.dimensions;
}

}  // namespace

void add_broadcast_options(CLI::App& command, BroadcastOptions& options, const BroadcastLimits& limits) {
  const OptionGroup network(command, "Network");
  network.add("--dimensions", options.dimensions, "N",
              fmt::format("of the hypercube: 2^N nodes, N from 1 to {}", limits.dimensions));
  network.add("--virtual-channels", options.virtual_channels, "V",
              limits.virtual_channels < most_virtual_channels
                  ? fmt::format("of each link, from 2 to {}", limits.virtual_channels)
                  : "of each link, at least 2");
  const OptionGroup traffic(command, "Traffic");
  traffic.add("--flits", options.flits, "M", "length of a message");
  traffic.add("--broadcast", options.broadcast, "B", "fraction of messages that are broadcasts: 0.01 or 1%");
  traffic.add("--startup", options.startup, "D",
              limits.whole_cycles ? "cycles before each step of a broadcast, a whole number (1)"
                                  : "cycles before each step of a broadcast (1)");
  traffic.add("--rates", options.rates, "LIST",
              "messages a cycle from each node: 0.001,0.002 or\n0.001:0.01:0.001");
  traffic.add("--fractions", options.fractions, "LIST",
              limits.fractions == Fractions::any
                  ? "of the saturation rate of the model (variant conserving), instead:\n0.1,0.5 or "
                    "10%:90%:10% (the default); also above 1"
                  : "of the saturation rate, instead: 0.1,0.5 or 10%:90%:10% (the default)");
}

BroadcastQuestion read_broadcast(const BroadcastOptions& options, const BroadcastLimits& limits) {
  BroadcastQuestion question;
  question.cube.dimensions =
      static_cast<int>(parse_integer(required(options.dimensions, "--dimensions",
                                              fmt::format("given: from 1 to {}", limits.dimensions).c_str()),
                                     "--dimensions", 1, limits.dimensions));
  question.cube.virtual_channels =
      parse_integer(required(options.virtual_channels, "--virtual-channels", "given: at least 2"),
                    "--virtual-channels", 2, limits.virtual_channels);
  question.cube.flits = static_cast<double>(parse_integer(
      required(options.flits, "--flits", "given: flits of a message"), "--flits", 1, limits.flits));
  question.broadcast = read_broadcast_fraction(
      required(options.broadcast, "--broadcast", "given: the fraction of messages that are broadcasts"));
  question.startup = read_startup(options.startup, limits);
  question.cube.broadcast = numeric::nearest_double(question.broadcast);
  question.cube.startup = numeric::nearest_double(question.startup);
  question.offered = read_offered(options.rates, options.fractions, message_rates, limits.fractions);
  return question;
}

Rational typed_rate(double rate) {
  return numeric::parse_rational(fmt::format("{:.9g}", rate), "rate");
}

const std::vector<Variant>& variants() {
  using bounds::wormhole::Replication;
  static const std::vector<Variant> all{
      {"conserving", Replication::conserving, "each copy of a broadcast counts once, the default"},
      {"literal", Replication::literal, "as published: about half of them"},
      {"shared-wire", Replication::shared_wire, "another model of links, ports and trees: the best"}};
  return all;
}

std::string name(bounds::wormhole::Replication replication) {
  const auto found = std::find_if(variants().begin(), variants().end(),
                                  [&](const Variant& variant) { return variant.replication == replication; });
  return found->name;
}

void add_replication_option(CLI::App& command, std::optional<std::string>& replication) {
  std::string help;
  for (const Variant& variant : variants())
    help += fmt::format("{}{} ({})", help.empty() ? "" : " or\n", variant.name, variant.meaning);
  OptionGroup(command, "Model").add("--replication", replication, "NAME", help);
}

bounds::wormhole::Replication read_replication(const std::optional<std::string>& text) {
  std::vector<std::string> names;
  for (const Variant& variant : variants()) names.push_back(variant.name);
  return variants()[text ? parse_choice(*text, "--replication", names) : 0].replication;
}

std::string network_in_words(const BroadcastQuestion& question) {
  return fmt::format("{}-dimensional hypercube ({} nodes) with {} virtual channels", question.cube.dimensions,
                     nodes(question), question.cube.virtual_channels);
}

std::string messages_in_words(const BroadcastQuestion& question) {
  return fmt::format(
      "messages of {} {}, broadcast {}, start-up {}", static_cast<std::int64_t>(question.cube.flits),
      question.cube.flits > 1 ? "flits" : "flit", plain(question.broadcast), plain(question.startup));
}

plots::Picture latency_axes(const BroadcastQuestion& question) {
  plots::Picture picture;
  picture.title =
      fmt::format("{}-dimensional hypercube, V = {}, M = {}, broadcast {}", question.cube.dimensions,
                  question.cube.virtual_channels, question.cube.flits, plain(question.broadcast));
  picture.x_label = "rate [messages/cycle/node]";
  picture.y_label = "mean latency [cycles]";
  return picture;
}

Json inputs_json(const BroadcastQuestion& question) {
  Json inputs{{"dimensions", question.cube.dimensions},
              {"nodes", nodes(question)},
              {"virtual_channels", question.cube.virtual_channels},
              {"flits", static_cast<std::int64_t>(question.cube.flits)},
              {"broadcast", numeric::to_fraction(question.broadcast)},
              {"startup", numeric::to_fraction(question.startup)}};
  describe_offered(inputs, question.offered, message_rates);
  return inputs;
}

}  // namespace tailbound::cli
