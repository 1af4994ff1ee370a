#include <cln/rational.h>
#include <cli/multistage_options.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/answers/multistage.hpp>

#include <algorithm>
#include <cstdint>

namespace tailbound::cli {
namespace {

using network::CombiningMultistage;
using numeric::Rational;
using render::CombiningPoint;

constexpr const char* usual_loads = "0.1:1:0.1";

std::vector<std::optional<std::int64_t>> read_combining(const std::string& text) {
  std::vector<std::optional<std::int64_t>> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    if (entry == "unlimited")
      list.emplace_back();
    else
      for (const std::int64_t greatest :
           parse_integers(entry, "--combining", 1, 1'000'000,
                          "a whole number from 1 (none combine) to 1000000, or unlimited"))
        list.emplace_back(greatest);
    begin = end + 1;
  }
  return list;
}

std::vector<CombiningMultistage> read_networks(const MultistageOptions& options) {
  const std::string& nodes = required(options.nodes, "--nodes", "given: a power of the switch size");
  const std::string& hot = required(options.hot, "--hot", "given: from 0 to 1");
  const auto sizes = integers_or(2, options.size, "--switch", 2, 512);
  const auto buffers = integers_or(4, options.buffer, "--buffer", 1, 10'000);
  const auto degrees = read_combining(options.combining.value_or("2"));
  const std::vector<Rational> shares = parse_percent_list(hot, "--hot");
  std::vector<CombiningMultistage> networks;
  for (const std::int64_t count : parse_integers(nodes, "--nodes", 2, 1'048'576,
                                                 "a whole number: a power of the switch size, at most 2^20"))
    for (const std::int64_t size : sizes)
      for (const std::int64_t buffer : buffers)
        for (const std::optional<std::int64_t>& combining : degrees)
          for (const Rational& share : shares) {
            networks.push_back({.network = {.nodes = count, .switch_size = size},
                                .buffer = buffer,
                                .hot = share,
                                .combining = combining});
            network::check(networks.back());
          }
  return networks;
}

}  // namespace

void add_multistage_options(OptionTable& table, MultistageOptions& options) {
  const OptionGroup network(table, "Network"), traffic(table, "Traffic"), output(table, "Output");
  network.add("--nodes", options.nodes, "N", "processors and memories: a power of the switch size");
  network.add("--switch", options.size, "S", "ports of a switch: S x S (2)");
  network.add("--buffer", options.buffer, "L",
              "places for waiting requests at an input port (4); the one in\nservice does not count");
  network.add("--combining", options.combining, "C",
              "greatest degree: 1 (none), 2 (unless told), ..., unlimited");
  network.add("--service", options.service, "D", "time of a service: the unit of delays (1)");
  traffic.add("--hot", options.hot, "H", "fraction of the requests that goes to one memory: 0.08 or 8%");
  traffic.add("--loads", options.loads, "LIST",
              "requests of a processor in a service time (0.1:1:0.1); each of these takes a list");
  output.add("--curve", options.curve, "WHAT",
             "of --plot: delay (over throughput, the default) or throughput");
}

std::vector<CombiningPoint> read_multistage(const MultistageOptions& options) {
  const std::vector<CombiningMultistage> networks = read_networks(options);
  const std::vector<Rational> services = parse_list(options.service.value_or("1"), "--service");
  for (const Rational& service : services) static_cast<void>(answers::service_time(service));
  const std::vector<Rational> loads =
      parse_percent_list(options.loads.value_or(usual_loads), "--loads", 1000);
  for (const Rational& load : loads) network::check_load(load);
  static_cast<void>(read_curve(options));
  std::vector<CombiningPoint> points;
  for (const CombiningMultistage& network : networks)
    for (const Rational& service : services)
      for (const Rational& load : loads) points.push_back({network, load, service});
  return points;
}

render::MultistageCurve read_curve(const MultistageOptions& options) {
  using render::MultistageCurve;
  return choices_or_first<MultistageCurve>(
             options.curve, "--curve",
             {{"delay", MultistageCurve::delay}, {"throughput", MultistageCurve::throughput}})
      .front();
}

}  // namespace tailbound::cli
