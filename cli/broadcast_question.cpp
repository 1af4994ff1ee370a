#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/broadcast_question.hpp>
#include <cli/option_group.hpp>
#include <cli/traffic_options.hpp>
#include <cli/wormhole_question.hpp>

namespace tailbound::cli {
namespace {

using numeric::Rational;

constexpr std::size_t most_rates = 1000;

Rational read_broadcast_fraction(const std::string& text) {
  const char* legal = "from 0 to 1: the fraction of messages that are broadcasts";
  if (text.find_first_of(",:") != std::string::npos) throw InvalidArgument("--broadcast", text, legal);
  const Rational fraction = parse_percent_list(text, "--broadcast", 1).front();
  if (fraction < 0 || fraction > 1) throw InvalidArgument("--broadcast", text, legal);
  return fraction;
}

Rational read_startup(const std::optional<std::string>& text) {
  if (!text) return 1;
  const Rational cycles = numeric::parse_rational(*text, "--startup");
  if (cycles < 0 || cycles > 1'000'000'000)
    throw InvalidArgument("--startup", *text, "from 0 to 10^9 cycles");
  return cycles;
}

void read_rates(const BroadcastOptions& options, BroadcastQuestion& question) {
  if (options.rates && options.fractions)
    throw InvalidArgument("--rates", "given with --fractions", "one or the other");
  question.of_saturation = !options.rates;
  question.rates = options.rates ? parse_list(*options.rates, "--rates", most_rates)
                                 : parse_percent_list(options.fractions.value_or("10%:90%:10%"),
                                                      "--fractions", most_rates);
  for (const Rational& rate : question.rates) {
    if (question.of_saturation && (rate < 0 || rate >= 1))
      throw InvalidArgument("--fractions", plain(rate), "at least 0 and below 1, the saturation rate");
    if (rate < 0) throw InvalidArgument("--rates", plain(rate), "at least 0 messages/cycle/node");
  }
}

std::int64_t nodes(const BroadcastQuestion& question) {
  return std::int64_t{1} << question.cube.dimensions;
}

}  // namespace

void add_broadcast_options(CLI::App& command, BroadcastOptions& options) {
  const OptionGroup network(command, "Network");
  network.add("--dimensions", options.dimensions, "N", "of the hypercube: 2^N nodes, N from 1 to 20");
  network.add("--virtual-channels", options.virtual_channels, "V", "of each link, at least 2");
  const OptionGroup traffic(command, "Traffic");
  traffic.add("--flits", options.flits, "M", "length of a message");
  traffic.add("--broadcast", options.broadcast, "B", "fraction of messages that are broadcasts: 0.01 or 1%");
  traffic.add("--startup", options.startup, "D", "cycles before each step of a broadcast (1)");
  traffic.add("--rates", options.rates, "LIST",
              "messages a cycle from each node: 0.001,0.002 or\n0.001:0.01:0.001");
  traffic.add("--fractions", options.fractions, "LIST",
              "of the saturation rate, instead: 0.1,0.5 or 10%:90%:10% (the default)");
}

BroadcastQuestion read_broadcast(const BroadcastOptions& options) {
  BroadcastQuestion question;
  question.cube.dimensions = static_cast<int>(parse_integer(
      required(options.dimensions, "--dimensions", "given: from 1 to 20"), "--dimensions", 1, 20));
  question.cube.virtual_channels =
      parse_integer(required(options.virtual_channels, "--virtual-channels", "given: at least 2"),
                    "--virtual-channels", 2, 1'000'000);
  question.cube.flits = static_cast<double>(parse_integer(
      required(options.flits, "--flits", "given: flits of a message"), "--flits", 1, 1'000'000'000));
  question.broadcast = read_broadcast_fraction(
      required(options.broadcast, "--broadcast", "given: the fraction of messages that are broadcasts"));
  question.startup = read_startup(options.startup);
  question.cube.broadcast = numeric::nearest_double(question.broadcast);
  question.cube.startup = numeric::nearest_double(question.startup);
  read_rates(options, question);
  return question;
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

Json inputs_json(const BroadcastQuestion& question) {
  Json inputs{{"dimensions", question.cube.dimensions},
              {"nodes", nodes(question)},
              {"virtual_channels", question.cube.virtual_channels},
              {"flits", static_cast<std::int64_t>(question.cube.flits)},
              {"broadcast", numeric::to_fraction(question.broadcast)},
              {"startup", numeric::to_fraction(question.startup)}};
  Json& list = inputs[question.of_saturation ? "fractions" : "rates"] = Json::array();
  for (const Rational& rate : question.rates) list.push_back(numeric::to_fraction(rate));
  return inputs;
}

}  // namespace tailbound::cli
