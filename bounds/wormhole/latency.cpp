#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>

namespace tailbound::bounds::wormhole {
namespace {

using network::Channel;
using network::ChannelGraph;
using network::Station;
using network::Turn;

void require(bool right, const std::string& what, double value, const char* legal) {
  if (!right) throw InvalidArgument(what, std::to_string(value), legal);
}

void require_channel(const ChannelGraph& graph, const Channel& channel) {
  require(channel.station < graph.stations.size(), channel.name + ": station",
          static_cast<double>(channel.station), "one of the graph's stations");
  require(channel.rate > 0 && std::isfinite(channel.rate), channel.name + ": rate", channel.rate, "above 0");
  require(channel.ends >= 0 && channel.ends <= 1, channel.name + ": probability that a message ends there",
          channel.ends, "from 0 to 1");
  double sum = channel.ends;
  for (const Turn& turn : channel.turns) {
    require(turn.station < graph.stations.size(), channel.name + ": turn to station",
            static_cast<double>(turn.station), "one of the graph's stations");
    require(turn.probability > 0 && turn.probability <= 1 + 1e-12, channel.name + ": probability of a turn",
            turn.probability, "above 0 and at most 1");
    require(turn.own_share >= 0 && turn.own_share <= 1 + 1e-12, channel.name + ": own share of a turn",
            turn.own_share, "from 0 to 1");
    sum += turn.probability;
  }
  require(channel.turns.empty() || std::abs(sum - 1) < 1e-9,
          channel.name + ": sum of the probabilities of turns and end", sum, "1");
}

void require_graph(const ChannelGraph& graph) {
  for (const Channel& channel : graph.channels) require_channel(graph, channel);
  for (std::size_t i = 0; i < graph.stations.size(); ++i) {
    const Station& station = graph.stations[i];
    const std::string name = "station " + std::to_string(i);
    require(station.servers >= 1 && station.servers <= 1000, name + ": servers", station.servers,
            "from 1 to 1000");
    require(station.rate > 0 && std::isfinite(station.rate), name + ": rate", station.rate, "above 0");
    require(!station.channels.empty(), name + ": channels", 0, "at least 1");
    for (const std::size_t channel : station.channels)
      require(channel < graph.channels.size() && graph.channels[channel].station == i, name + ": channel",
              static_cast<double>(channel), "a channel that names this station");
  }
  double weights = 0;
  for (const network::Source& source : graph.sources) {
    require(source.channel < graph.channels.size(), "source: channel", static_cast<double>(source.channel),
            "one of the graph's channels");
    require(source.weight > 0, "source: weight", source.weight, "above 0");
    weights += source.weight;
  }
  require(std::abs(weights - 1) < 1e-9, "sum of the sources' weights", weights, "1");
}

double station_service(const Station& station, const std::vector<ChannelFigures>& figures,
                       const std::vector<Channel>& channels) {
  if (station.channels.size() == 1) return figures[station.channels.front()].service;
  double sum = 0, rate = 0;
  for (const std::size_t channel : station.channels) {
    sum += channels[channel].rate * figures[channel].service;
    rate += channels[channel].rate;
  }
  return sum / rate;
}

}  // namespace

double shared_length(double partners) {
  if (!(partners >= 0)) throw InvalidArgument("partners", std::to_string(partners), "at least 0");
  double length = 1;
  for (int round = 0; round < 10'000; ++round) {
    const double next = 1 / (1 + std::expm1(-2 * partners * length) / 2);
    if (!(next > length * (1 + 1e-15))) break;
    length = next;
  }
  return length;
}

Model::Model(network::ChannelGraph graph, Equations equations, const Worms& worms,
             const std::vector<network::SharedChannel>& shared)
    : graph_(std::move(graph)),
      worms_(worms),
      shares_wires_(equations == Equations::finite_source && !shared.empty()) {
  const bool published = equations == Equations::published;
  const double kinds = static_cast<double>(worms.kinds.size());
  require(worms.kinds.size() <= 1 || !published, "kinds of messages", kinds,
          "1 with the published equations");
  require(!published || worms.kinds.empty() || worms.kinds.front().lengths.single(), "lengths", 0,
          "one with the published equations");
  double shares = worms.kinds.empty() ? 1 : 0;
  for (const WormKind& kind : worms.kinds) {
    require(kind.share > 0, "share of a kind of messages", kind.share, "above 0");
    shares += kind.share;
  }
  require(std::abs(shares - 1) < 1e-9, "sum of the shares of all kinds", shares, "1");
  require(worms.buffer_flits == 1 || (worms.buffer_flits > 1 && !published), "buffer flits",
          worms.buffer_flits, "1, or above 1 with finite sources");
  const network::RouterTiming& timing = worms.timing;
  if (timing != network::RouterTiming{}) {
    check(timing);
    if (published) throw InvalidArgument("router timing", "given", "none with the published equations");
    if (timing.reallocate != network::Reallocate::empty) throw InvalidArgument("reallocate", "tail", "empty");
  }
  require_graph(graph_);
  is_source_.assign(graph_.channels.size(), false);
  for (const network::Source& source : graph_.sources) is_source_[source.channel] = true;
  find_sizes();
  sort();
  if (equations == Equations::finite_source)
    finite_ = std::make_shared<const FiniteSourceModel>(graph_, worms, shared);
}

void Model::find_sizes() {
  const std::size_t count = std::max<std::size_t>(worms_.kinds.size(), 1);
  sizes_.assign(graph_.channels.size(), 1);
  kinds_.assign(graph_.channels.size(), 0);
  for (const network::Trail& trail : graph_.trails)
    require(trail.kind < count, "kind of a trail", static_cast<double>(trail.kind), "one of the messages'");
  if (count > 1) {
    require(!graph_.trails.empty(), "trails", 0, "those of each kind of messages");
    std::vector<double> flow(graph_.channels.size() * count, 0);
    for (const network::Trail& trail : graph_.trails) flow[trail.channel * count + trail.kind] += trail.share;
    std::vector<double> means;
    for (const WormKind& kind : worms_.kinds) means.push_back(numeric::nearest_double(kind.lengths.mean()));
    const double flits = worms_.mean_flits();
    std::fill(sizes_.begin(), sizes_.end(), 0);
    for (std::size_t i = 0; i < graph_.channels.size(); ++i)
      for (std::size_t k = 0; k < count; ++k) {
        sizes_[i] += flow[i * count + k] * means[k] / flits;
        if (flow[i * count + k] > flow[i * count + kinds_[i]]) kinds_[i] = k;
      }
  }
  std::unordered_map<std::size_t, double> of_wire;
  for (std::size_t i = 0; i < graph_.channels.size(); ++i) {
    const Channel& channel = graph_.channels[i];
    const double rate = of_wire[channel.wire] += channel.rate * sizes_[i];
    if (rate <= max_wire_rate_) continue;
    max_wire_rate_ = rate;
    fullest_wire_ = i;
  }
}

std::size_t Model::kind_on(std::size_t channel) const {
  return kinds_[channel];
}

/// Depth first, without recursion: paths may be as long as the graph.
void Model::sort() {
  constexpr std::size_t unseen = 0, done = std::numeric_limits<std::size_t>::max();
  struct Visit {
    std::size_t station, channel, turn;
  };
  std::vector<std::size_t> depth(graph_.stations.size(), unseen);  // length of the path when it was entered
  std::vector<Visit> path;
  const auto enter = [&](std::size_t station) {
    path.push_back({station, 0, 0});
    depth[station] = path.size();
  };
  for (std::size_t root = 0; root < graph_.stations.size(); ++root) {
    if (depth[root] != unseen) continue;
    enter(root);
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::vector<std::size_t>& channels = graph_.stations[visit.station].channels;
      if (visit.channel == channels.size()) {
        depth[visit.station] = done;
        order_.push_back(visit.station);
        path.pop_back();
        continue;
      }
      const std::vector<Turn>& turns = graph_.channels[channels[visit.channel]].turns;
      if (visit.turn == turns.size()) {
        ++visit.channel;
        visit.turn = 0;
        continue;
      }
      const std::size_t next = turns[visit.turn++].station;
      if (depth[next] == unseen) {
        enter(next);
      } else if (depth[next] != done && (cycle_.empty() || path.size() - depth[next] + 1 < cycle_.size())) {
        cycle_.clear();
        for (std::size_t i = depth[next] - 1; i < path.size(); ++i)
          cycle_.push_back(graph_.stations[path[i].station].channels[path[i].channel]);
      }
    }
  }
}

std::optional<double> Model::pass(double load, double ejection, std::vector<ChannelFigures>& figures) const {
  double change = 0;
  for (const std::size_t at : order_) {
    const Station& station = graph_.stations[at];
    for (const std::size_t i : station.channels) {
      const Channel& channel = graph_.channels[i];
      double service = (channel.turns.empty() ? 1 : channel.ends) * ejection;
      for (const Turn& turn : channel.turns) {
        const Station& next = graph_.stations[turn.station];
        const double onward = station_service(next, figures, graph_.channels);
        // All channels of a station have the same wait.
        const double wait = figures[next.channels.front()].wait;
        service += turn.probability * (onward + (1 - turn.own_share) * wait);
      }
      service = std::max(service, 1.0);  // rounding only
      change = std::max(change, std::abs(service - figures[i].service) / service);
      figures[i].service = service;
    }
    const double service = station_service(station, figures, graph_.channels);
    const double rate = load * station.rate;
    const double utilization = rate * service / station.servers;
    bool source = false;
    for (const std::size_t i : station.channels) {
      figures[i].flits = rate;
      figures[i].utilization = utilization;
      source = source || is_source_[i];
    }
    if (utilization >= 1 && !source) return std::nullopt;
    if (utilization >= 1 || !std::isfinite(service)) continue;
    const double variation = queue::worm_variation(service, 1);
    const double wait = queue::station_wait(station.servers, rate, service, variation);
    for (const std::size_t i : station.channels) {
      figures[i].wait = wait;
      figures[i].variation = variation;
    }
  }
  return change;
}

Point Model::inner(double load) const {
  if (!(load >= 0) || !std::isfinite(load))
    throw InvalidArgument("load", std::to_string(load), "at least 0 flits/cycle/processor");
  Point point{.load = load, .mean_distance = graph_.mean_distance, .channels = {}, .ending = {}};
  point.channels.assign(graph_.channels.size(), {.service = 1, .wait = 0, .utilization = 0});
  const double ejection = shared_length(graph_.worms_met * load);
  std::size_t turns = 1;
  for (const Channel& channel : graph_.channels) turns += channel.turns.size();
  const int max_rounds = static_cast<int>(std::clamp<std::size_t>(1'000'000'000 / turns, 100, 100'000));
  for (point.ending.rounds = 1;; ++point.ending.rounds) {
    std::optional<double> change;
    if (load * max_wire_rate_ < 1) change = pass(load, ejection, point.channels);
    point.ending.change = change.value_or(0);
    if (!change) {
      point.ending.stop = Stop::saturated;
    } else if (!cyclic()) {
      point.ending = {.stop = Stop::direct, .rounds = 1, .change = 0};
    } else if (*change <= 1e-14) {
      point.ending.stop = Stop::converged;
    } else if (point.ending.rounds == max_rounds) {
      point.ending.stop = Stop::too_many_rounds;
    } else {
      continue;
    }
    return point;
  }
}

namespace {

Point as_point(const FiniteSourcePoint& found, double mean_distance, double extra_cycles) {
  Point point{.load = found.load,
              .source_wait = found.source_wait,
              .service = found.service,
              .further = found.further,
              .kinds = found.kinds,
              .mean_distance = mean_distance,
              .extra_cycles = extra_cycles,
              .channels = {},
              .ending = found.ending};
  for (const FiniteSourceChannel& channel : found.channels)
    point.channels.push_back({.service = channel.service,
                              .wait = channel.wait,
                              .utilization = channel.utilization,
                              .variation = channel.second / (channel.service * channel.service) - 1,
                              .follow = channel.follow,
                              .sharing = channel.sharing,
                              .credits = channel.credits,
                              .flits = channel.flits});
  return point;
}

}  // namespace

double Model::extra_cycles() const {
  return worms_.timing.extra_cycles(graph_.mean_distance);
}

Point Model::solve(double load) const {
  if (finite_) {
    if (!(load >= 0) || !std::isfinite(load))
      throw InvalidArgument("load", std::to_string(load), "at least 0 flits/cycle/processor");
    if (load * max_wire_rate_ < 1)
      return as_point(finite_->solve(load), graph_.mean_distance, extra_cycles());
    return {.load = load,
            .mean_distance = graph_.mean_distance,
            .extra_cycles = extra_cycles(),
            .channels = std::vector<ChannelFigures>(graph_.channels.size(), ChannelFigures{.service = 1}),
            .ending = {.stop = Stop::saturated}};
  }
  Point point = inner(load);
  if (!point.solved()) return point;
  for (const network::Source& source : graph_.sources) {
    const ChannelFigures& figures = point.channels[source.channel];
    if (figures.utilization >= 1) point.ending.stop = Stop::saturated;
    point.source_wait += source.weight * figures.wait;
    point.service += source.weight * figures.service;
  }
  if (worms_.kinds.empty()) return point;
  const double flits = worms_.mean_flits();
  const double latency = point.latency(flits);
  point.kinds.push_back(
      {.share = 1,
       .source_wait = flits * point.source_wait,
       .latency = latency,
       .mean_distance = graph_.mean_distance,
       .lengths = {{.flits = static_cast<std::int64_t>(flits), .share = 1, .latency = latency}}});
  return point;
}

double Model::saturation(Saturated rule) const {
  return saturation_sides(rule).below;
}

SaturationSides Model::saturation_sides(Saturated rule) const {
  if (finite_) {
    if (rule != Saturated::first_source)
      throw InvalidArgument("rule", "mean source", "first source: finite sources support no other");
    const FiniteSourceModel::Saturation found = finite_->saturation(1 / max_wire_rate_);
    const double wire = found.below * max_wire_rate_;
    const std::size_t fullest = wire > found.fullness ? fullest_wire_ : found.fullest;
    return {.below = found.below,
            .above = found.above,
            .beyond = found.beyond,
            .fullness = std::max(found.fullness, wire),
            .wire = wire,
            .channel = fullest,
            .kind = kinds_[fullest]};
  }
  const auto saturated = [&](double load) {
    const Point point = inner(load);
    if (!point.solved()) return true;
    double mean = 0;
    for (const network::Source& source : graph_.sources) {
      const double utilization = point.channels[source.channel].utilization;
      if (rule == Saturated::first_source && utilization >= 1) return true;
      mean += source.weight * utilization;
    }
    return mean >= 1;
  };
  double below = 0, above = 1e300;
  for (const Station& station : graph_.stations) above = std::min(above, station.servers / station.rate);
  if (rule == Saturated::mean_source) above = std::max(above, 2.0);
  std::tie(below, above) = halved(
      below, above, [&](double load) { return !saturated(load); }, 1e-15);
  double fullness = below * max_wire_rate_;
  std::size_t fullest = fullest_wire_;
  const Point last = inner(below);
  for (std::size_t i = 0; i < last.channels.size(); ++i) {
    if (last.channels[i].utilization <= fullness) continue;
    fullness = last.channels[i].utilization;
    fullest = i;
  }
  return {.below = below,
          .above = above,
          .beyond = {.stop = Stop::saturated},
          .fullness = fullness,
          .wire = below * max_wire_rate_,
          .channel = fullest};
}

std::optional<std::size_t> Model::busiest(const Point& point) const {
  const std::vector<std::size_t> first = busiest(point, 1);
  return first.empty() ? std::nullopt : std::optional(first.front());
}

std::size_t Model::busiest_source(const Point& point) const {
  const std::vector<network::Source>& sources = graph_.sources;
  return std::max_element(sources.begin(), sources.end(),
                          [&](const network::Source& a, const network::Source& b) {
                            return point.channels[a.channel].utilization <
                                   point.channels[b.channel].utilization;
                          })
      ->channel;
}

std::vector<std::size_t> Model::busiest(const Point& point, std::size_t count) const {
  std::vector<std::size_t> channels;
  for (std::size_t i = 0; i < point.channels.size(); ++i)
    if (!is_source_[i]) channels.push_back(i);
  const auto end = channels.begin() + static_cast<std::ptrdiff_t>(std::min(count, channels.size()));
  std::partial_sort(channels.begin(), end, channels.end(), [&](std::size_t a, std::size_t b) {
    const double of_a = point.channels[a].utilization, of_b = point.channels[b].utilization;
    return of_a != of_b ? of_a > of_b : a < b;
  });
  channels.erase(end, channels.end());
  return channels;
}

}  // namespace tailbound::bounds::wormhole
