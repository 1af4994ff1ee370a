#include <tailbound/core/error.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/simulation/simulate_wormhole.hpp>
#include <tailbound/render/documents/wormhole/wormhole.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tests/support/checked_worms.hpp>
#include <variant>
#include <vector>

namespace tailbound::test {
namespace {

using namespace answers;
using numeric::nearest_double;
using numeric::Rational;
using render::Cells;
using render::value_of;

/// Ends the check of a network that fails.
struct Wrong {
  std::string what;
};

void hold(bool holds, const std::string& what) {
  if (!holds) throw Wrong{what};
}

/// The highest utilization of a physical channel, or of parallel ones that messages choose from: all messages
/// are enumerated with doubles, channel by channel, and channels of one station or physical channel are
/// joined.
double walked_utilization(const sim::WormModel& model) {
  const network::WormLayout& layout = model.network->layout();
  std::vector<double> of_station(layout.stations.size());
  std::vector<network::WormFlow> flows = model.kinds.front().traffic.flows;
  for (std::uint32_t a = 0; model.kinds.front().traffic.flows.empty() && a < layout.nodes; ++a)
    for (std::uint32_t b = 0; b < layout.nodes; ++b)
      if (a != b) flows.push_back({a, b, 1.0 / (layout.nodes - 1)});
  for (const network::WormFlow& flow : flows)
    for (std::uint32_t variant = 0; variant < layout.variants; ++variant) {
      network::WormHead head{.source = flow.source, .destination = flow.destination, .variant = variant};
      std::map<std::uint32_t, double> here{{model.network->next_station(head), flow.rate / layout.variants}};
      for (head.passed = 1; !here.empty(); ++head.passed) {
        std::map<std::uint32_t, double> next;
        for (const auto& [station, rate] : here) {
          of_station[station] += rate;
          const auto [first, count] = layout.stations[station];
          for (head.channel = first; head.channel < first + count; ++head.channel) {
            const std::uint32_t onward = model.network->next_station(head);
            if (onward != network::WormNetwork::arrived) next[onward] += rate / count;
          }
        }
        here = std::move(next);
      }
    }
  std::vector<std::uint32_t> group(layout.stations.size());  // the lowest station that it is joined with
  std::iota(group.begin(), group.end(), 0U);
  std::map<std::uint32_t, std::uint32_t> of_wire;
  for (bool changed = true; changed;) {
    changed = false;
    for (const network::WormChannel& channel : layout.channels) {
      std::uint32_t& minimum = of_wire.try_emplace(channel.wire, group[channel.station]).first->second;
      if (minimum == group[channel.station]) continue;
      minimum = group[channel.station] = std::min(minimum, group[channel.station]);
      changed = true;
    }
  }
  std::map<std::uint32_t, double> rate, wires;
  for (std::uint32_t station = 0; station < group.size(); ++station)
    rate[group[station]] += of_station[station];
  for (const auto& [wire, minimum] : of_wire) wires[minimum] += 1;
  double highest = 0;
  for (const auto& [its, flits] : rate) highest = std::max(highest, flits / wires[its]);
  return highest;
}

/// Do channels wait for each other in a cycle?
bool has_circle(const sim::WormModel& model) {
  return bounds::wormhole::Model(network::walk_graph(*model.network, model.kinds.front().traffic)).cyclic();
}

/// The simulated saturation; none if every legal load is carried, or on deadlock.
std::optional<WormholeSaturationAnswer> saturation_of(const RandomWorms& worms, const sim::WormModel& model,
                                                      double bound, WormTally& tally) {
  const WormholeSaturationQuery query{
      .network = worms.simulated(), .length = {.precision = Rational(1) / 10, .replications = 2, .seed = 7}};
  try {
    return answer(query, {});
  } catch (const NoAnswer& none) {
    const std::string why = none.what();
    if (why.find("deadlock") == 0) {
      hold(has_circle(model), "deadlock without a circle: " + why);
      ++tally.deadlocks;
      return std::nullopt;
    }
    hold(why.find("carries load 1") != std::string::npos && bound > 1, "no saturation: " + why);
    ++tally.carried;
    return std::nullopt;
  }
}

/// The answer of `wormhole` for the same network, or its error.
struct ByModel {
  std::optional<std::pair<WormholeQuery, WormholeAnswer>> found;
  std::string rejected;
};

ByModel by_model(const RandomWorms& worms) {
  const SimulatedWormhole network = worms.simulated();
  WormholeQuery query{.network = network.network,
                      .messages = {.flits = worms.law()},
                      .offered = {.of_saturation = true, .values = {Rational(1) / 2}},
                      .variant = worms.variant,
                      .virtual_channels = worms.virtual_channels,
                      .buffer_flits = worms.buffer_flits};
  try {
    WormholeAnswer found = answer(query, {});
    return {.found = std::pair(std::move(query), std::move(found)), .rejected = {}};
  } catch (const InvalidArgument& rejection) {
    return {.found = {}, .rejected = rejection.what()};
  } catch (const LimitExceeded& rejection) {
    return {.found = {}, .rejected = rejection.what()};
  }
}

std::string text_of(const render::Value& value) {
  if (const auto* text = std::get_if<render::Text>(&value)) return text->text;
  if (const auto* whole = std::get_if<render::Whole>(&value)) return std::to_string(whole->value);
  if (const auto* given = std::get_if<render::Given>(&value)) return numeric::to_fraction(given->value);
  return std::holds_alternative<render::None>(value) ? "none" : "another kind";
}

/// The documents of the two commands, for the same fraction of saturation.
void compare_documents(const render::Document& simulated, const ByModel& model, const std::string& no_model) {
  const Cells& inputs = simulated.results.front().inputs;
  const Cells& cells = simulated.results.front().cells;
  const render::Value held = value_of(cells, "model_saturation_load");
  const auto* saturation = std::get_if<render::Model>(&held);
  // The largest load with a solution is shown, and fractions refer to it, only where it is a saturation load.
  const bool saturated = model.found && model.found->second.saturated;
  hold((saturation != nullptr) == saturated,
       "model: with the simulation " + std::string(saturation ? "one" : "none") + ", in `wormhole` " +
           (model.found ? "one" : "none, because " + model.rejected));
  hold(text_of(value_of(inputs, "of")) == (saturated ? "model" : "simulated"),
       "fractions: of a different load");
  hold(no_model.empty() == saturated, "model: none, without a reason");
  if (!saturated) return;
  const render::Document by_model = render::document({*model.found});
  const Cells& its = by_model.results.front().inputs;
  for (const char* key : {"topology", "nodes", "dimensions", "flits", "virtual_channels", "injection",
                          "ejection", "buffer_flits", "lengths", "variant", "fraction"})
    hold(text_of(value_of(inputs, key)) == text_of(value_of(its, key)),
         std::string("settings: ") + key + " is simulated as " + text_of(value_of(inputs, key)) +
             ", in `wormhole` " + text_of(value_of(its, key)));
  const double of_model = model.found->second.saturation.value;
  hold(saturation == nullptr || saturation->value == of_model,
       "saturation of the model: different with the simulation");
  const render::Value load = value_of(inputs, "load");
  hold(std::abs(nearest_double(std::get<render::Given>(load).value) - of_model / 2) < 1e-8,
       "fractions: different load than in `wormhole`");
}

SimulateWormholeQuery simulation(const RandomWorms& worms, OfferedLoads offered) {
  return {.network = worms.simulated(),
          .offered = std::move(offered),
          .length = {.replications = 2, .seed = 3},
          .flit_hops = 1e5,
          .search = {.precision = Rational(1) / 10, .replications = 2, .seed = 7},
          .confidence = 0.9999};
}

void check_point(const RandomWorms& worms, const SimulatedWorms& point) {
  const sim::WormEstimates& found = point.found;
  hold(found.throughput.lower <= point.load,
       "throughput: " + std::to_string(found.throughput.value) + " of " + std::to_string(point.load));
  if (!found.latency) return;
  const double flits = worms.lengths == sim::WormLengths::fixed ? static_cast<double>(worms.flits) : 1;
  hold(found.latency->value >= (flits + found.mean_distance - 1) * (1 - 1e-12),
       "latency: " + std::to_string(found.latency->value) + " below that of an empty network");
  hold(found.source_wait->value >= 0 && found.service->value >= flits * (1 - 1e-12),
       "service: shorter than a message");
}

void check_network(const RandomWorms& worms, WormTally& tally) {
  const sim::WormModel model = simulator_model(worms.simulated());
  const network::ChannelBound exact = answers::channel_bound(worms.simulated().network);
  const double bound = nearest_double(exact.load());
  hold(std::abs(bound * walked_utilization(model) - 1) < 1e-9,
       "bound: " + std::to_string(bound) + " of " + exact.channel + ", by enumeration " +
           std::to_string(1 / walked_utilization(model)));
  const ByModel by = by_model(worms);
  if (by.found)
    hold(by.found->second.saturation.value <= bound * (1 + 1e-9),
         "saturation of the model: " + std::to_string(by.found->second.saturation.value) + " above " +
             std::to_string(bound));
  ++(by.found ? tally.modelled : tally.without_model);
  const auto saturation = saturation_of(worms, model, bound, tally);
  if (!saturation) return;
  const sim::SimulatedSaturation& found = saturation->found;
  ++tally.saturations;
  tally.bounded += found.bounded ? 1 : 0;
  tally.nearest = std::max(tally.nearest, found.max_stable / bound);
  hold(saturation->limit.load.value == exact.load(), "bound: different in the answer");
  // A double rounded down from a number is below the number.
  hold(found.max_stable < found.min_unstable && found.min_unstable <= bound,
       "saturation: " + std::to_string(found.max_stable) + " to " + std::to_string(found.min_unstable) +
           " above " + std::to_string(bound));
  for (const sim::SaturationProbe& probe : found.probes)
    hold(probe.load <= bound, "saturation: a load above the bound was simulated");
  // Loads that are carried: three quarters of the stable load, and half of the load of the model.
  OfferedLoads loads{.values = {sim::rounded_load(0.75 * found.max_stable)}};
  check_point(worms, answer(simulation(worms, loads), {}).points.front());
  if (by.found && by.found->second.saturation.value > 1.9 * found.max_stable) return;
  loads = {.of_saturation = true, .values = {Rational(1) / 2}};
  const SimulateWormholeQuery query = simulation(worms, loads);
  SimulateWormholeAnswer half = answer(query, {});
  check_point(worms, half.points.front());
  const std::string why = half.no_model;
  compare_documents(render::document({{query, std::move(half)}}, 1), by, why);
}

}  // namespace

std::string wrong_worms(const RandomWorms& worms, WormTally& tally) {
  ++tally.networks;
  try {
    check_network(worms, tally);
  } catch (const Wrong& wrong) {
    return wrong.what;
  } catch (const std::exception& error) {
    return std::string("thrown: ") + error.what();
  }
  return {};
}

std::string checked_worms(std::uint64_t seed, WormTally& tally) {
  const RandomWorms worms = random_worms(seed);
  const std::string wrong = wrong_worms(worms, tally);
  if (wrong.empty()) return {};
  const std::string kind = wrong.substr(0, wrong.find(':'));
  const auto is_wrong = [&](const RandomWorms& less) {
    WormTally none;
    const std::string its = wrong_worms(less, none);
    return its.substr(0, its.find(':')) == kind && !its.empty();
  };
  const RandomWorms minimum = shrunk(worms, is_wrong);
  WormTally none;
  return wrong + "\nin " + worms.text() + "the smallest with the same: " + wrong_worms(minimum, none) +
         "\nin " + minimum.text();
}

}  // namespace tailbound::test
