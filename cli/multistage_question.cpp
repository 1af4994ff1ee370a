#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/multistage_question.hpp>
#include <cli/traffic_options.hpp>

#include <limits>

namespace tailbound::cli {
namespace {

using bounds::multistage::Variant;
using numeric::Rational;

constexpr const char* legal_nodes = "a whole number: a power of the switch size, at most 2^20";
constexpr const char* legal_size = "a whole number of ports from 2 to 512";
constexpr const char* legal_buffer = "a whole number of waiting requests from 1 to 10000";
constexpr const char* legal_combining = "a whole number from 1 (none combine) to 1000000, or unlimited";

/// The library checks the range; here only what is no whole number at all is refused.
std::int64_t integer_or(const std::optional<std::string>& text, const char* option, const char* legal,
                        std::int64_t otherwise) {
  if (!text) return otherwise;
  try {
    return parse_integer(*text, option, -1'000'000'000'000, 1'000'000'000'000);
  } catch (const InvalidArgument&) {
    throw InvalidArgument(option, *text, legal);
  }
}

std::optional<std::int64_t> read_combining(const std::optional<std::string>& text) {
  if (text == "unlimited") return std::nullopt;
  return integer_or(text, "--combining", legal_combining, 2);
}

Rational read_hot(const std::string& text) {
  const Rational hot = numeric::parse_rational(text, "--hot");
  if (hot < 0 || hot > 1)
    throw InvalidArgument("--hot", text, "from 0 to 1: the fraction of requests that goes to the hot memory");
  return hot;
}

Rational read_service(const std::optional<std::string>& text) {
  const Rational service = text ? numeric::parse_rational(*text, "--service") : Rational(1);
  if (service <= 0 || service > 1'000'000'000)
    throw InvalidArgument("--service", *text, "above 0 and at most 10^9 units of time");
  return service;
}

}  // namespace

void add_multistage_options(CLI::App& command, MultistageOptions& options, bool drawn) {
  const auto add = [&](const char* name, std::optional<std::string>& value, const char* type,
                       const char* description, const char* group) {
    command.add_option(name, value, description)->type_name(type)->group(group);
  };
  add("--nodes", options.nodes, "N", "processors and memories: a power of the switch size", "Network");
  add("--switch", options.size, "S", "ports of a switch: S x S (2)", "Network");
  add("--buffer", options.buffer, "L", "requests that wait at an input port, without that in service (4)",
      "Network");
  add("--combining", options.combining, "C", "greatest degree: 1 (none), 2 (unless told), ..., unlimited",
      "Network");
  add("--service", options.service, "D", "time of a service: the unit of delays (1)", "Network");
  add("--hot", options.hot, "H", "fraction of the requests that goes to one memory", "Traffic");
  add("--loads", options.loads, "LIST", "requests of a processor in a service time: 0.1,0.5 or 0.1:1:0.1",
      "Traffic");
  if (drawn)
    add("--curve", options.curve, "WHAT", "of --plot: delay (over throughput, the default) or throughput",
        "Output");
}

MultistageQuestion read_multistage(const MultistageOptions& options) {
  MultistageQuestion question;
  const std::string& nodes = required(options.nodes, "--nodes", "given: a power of the switch size");
  const std::string& hot = required(options.hot, "--hot", "given: from 0 to 1");
  const std::string& loads =
      required(options.loads, "--loads", "given: above 0 and at most 1 request a service time");
  question.network.network = {.nodes = integer_or(nodes, "--nodes", legal_nodes, 0),
                              .switch_size = integer_or(options.size, "--switch", legal_size, 2)};
  question.network.buffer = integer_or(options.buffer, "--buffer", legal_buffer, 4);
  question.network.hot = read_hot(hot);
  question.network.combining = read_combining(options.combining);
  network::check(question.network);
  question.service = read_service(options.service);
  for (const Rational& load : parse_list(loads, "--loads", 1000)) {
    if (load <= 0 || load > 1)
      throw InvalidArgument("--loads", plain(load), "above 0 and at most 1 request a service time");
    question.loads.push_back(load);
  }
  if (options.curve)
    question.curve = static_cast<MultistageCurve>(
        parse_choice(*options.curve, "--curve", std::vector<std::string>{"delay", "throughput"}));
  return question;
}

Variant read_variant(const std::optional<std::string>& text) {
  if (!text) return Variant::blocking;
  return static_cast<Variant>(
      parse_choice(*text, "--variant", std::vector<std::string>{"blocking", "published"}));
}

const char* name(Variant variant) {
  return variant == Variant::blocking ? "blocking" : "published";
}

std::string in_words(const MultistageQuestion& question) {
  const network::CombiningMultistage& network = question.network;
  return fmt::format("{0} nodes, {1} x {1} switches, buffer {2}, hot {3}, {4}", network.network.nodes,
                     network.network.switch_size, network.buffer, plain(network.hot),
                     network.combining == 1 ? "no combining"
                     : network.combining    ? fmt::format("combining up to {}", *network.combining)
                                            : "unlimited combining");
}

Json inputs_json(const MultistageQuestion& question) {
  const network::CombiningMultistage& network = question.network;
  Json inputs{{"nodes", network.network.nodes},
              {"switch", network.network.switch_size},
              {"buffer", network.buffer},
              {"hot", numeric::to_fraction(network.hot)},
              {"combining", network.combining ? Json(*network.combining) : Json("unlimited")},
              {"service", numeric::to_fraction(question.service)},
              {"loads", Json::array()}};
  for (const Rational& load : question.loads) inputs["loads"].push_back(numeric::to_fraction(load));
  return inputs;
}

bool MultistagePoint::saturated() const {
  return throughput < 0.98 * numeric::nearest_double(load);
}

std::vector<MultistagePoint> solve(const MultistageQuestion& question, Variant variant,
                                   const Context& context) {
  const double service = numeric::nearest_double(question.service);
  std::vector<MultistagePoint> points;
  for (const Rational& load : question.loads) {
    bounds::multistage::Point solved = bounds::multistage::solve(question.network, load, variant);
    MultistagePoint& point = points.emplace_back();
    point.load = load;
    point.throughput = solved.throughput;
    point.delay = service * solved.delay;
    if (question.network.hot > 0) point.hot_delay = service * solved.hot_delay;
    if (question.network.hot < 1) point.cold_delay = service * solved.cold_delay;
    point.hot_path = std::move(solved.hot_path);
    point.ending = solved.ending;
    if (context.progress) context.progress(points.size(), question.loads.size());
  }
  return points;
}

plots::Picture multistage_axes(const MultistageQuestion& question) {
  plots::Picture picture;
  picture.title = in_words(question);
  const bool delay = question.curve == MultistageCurve::delay;
  picture.x_label = delay ? "throughput [requests a processor in a service time]"
                          : "load [requests a processor in a service time]";
  picture.y_label = !delay                  ? "throughput"
                    : question.service == 1 ? "mean delay [service times]"
                                            : "mean delay";
  return picture;
}

plots::Curve model_curve(const std::vector<MultistagePoint>& points, MultistageCurve curve,
                         std::string title) {
  plots::Curve result{.title = std::move(title), .style = plots::Style::points_and_line, .points = {}};
  for (const MultistagePoint& point : points)
    result.points.emplace_back(
        curve == MultistageCurve::delay ? point.throughput : numeric::nearest_double(point.load),
        curve == MultistageCurve::delay ? point.delay : point.throughput);
  return result;
}

}  // namespace tailbound::cli
