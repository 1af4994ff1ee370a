#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/bounds/network/network_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/demands/failures.hpp>
#include <tailbound/network/demands/uniform_traffic.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

namespace tailbound::answers {
namespace {

using network::Fabric;
using network::FabricGraph;
using network::FabricRates;
using network::ProductDemand;
using network::SparseDemand;
using numeric::plain;
using numeric::Rational;

std::vector<network::Demand> uniform_demand(const network::Network& network,
                                            const std::vector<std::uint32_t>& ends, const Rational& rate,
                                            network::RouteRule route) {
  std::vector<network::Party> parties;
  for (const std::uint32_t end : ends) parties.push_back({.node = end, .sends = rate, .attracts = 1});
  return {{"", route, network::product_demand(network.nodes.size(), parties)}};
}

/// All rates multiplied by `scale`.
void scale_demands(std::vector<network::Demand>& demands, const Rational& scale) {
  for (network::Demand& demand : demands) {
    if (auto* sparse = std::get_if<SparseDemand>(&demand.rates)) {
      for (Rational& value : sparse->values) value = value * scale;
      continue;
    }
    auto& product = std::get<ProductDemand>(demand.rates);
    const auto count = static_cast<std::uint32_t>(product.values.size());
    // Row rates become individual values; attraction weights stay unchanged.
    for (std::uint32_t i = 0; i < count; ++i) product.values.push_back(product.values[i] * scale);
    for (std::uint32_t& out : product.out) out = out == 0 ? 0 : out + count;
  }
}

void require_sendable(const Fabric& fabric, const Rational& rate, const std::optional<Rational>& scale) {
  const BusiestSender busiest = busiest_sender(fabric);
  if (busiest.sends <= busiest.takes) return;
  const Rational requested = scale ? *scale : rate;
  throw InvalidArgument(scale ? "load scale" : "uniform", plain(requested),
                        "at most " + plain(Rational(requested * busiest.takes / busiest.sends)) + ", where " +
                            fabric.network.nodes[busiest.node].name +
                            (busiest.takes == 1 ? " sends a packet in every slot"
                                                : " sends all that the fastest of its links takes"));
}

/// \param route  default: that of the file; becomes the route in use
std::optional<Fabric> fabric_of(const NamedText& file, const std::optional<NamedText>& matrix,
                                std::optional<network::RouteRule>& route, bool elsewhere,
                                const ReadNamed& read, const std::vector<std::string>& without,
                                std::optional<network::SpeedUnit> speed_unit) {
  network::FabricFile found;
  std::optional<network::Network> foreign = foreign_network(file, without, {.unit = speed_unit});
  try {
    if (foreign)
      found.fabric.network = *std::move(foreign);
    else
      found = network::read_fabric(
          file.text, file.name,
          matrix || elsewhere ? network::FlowsFrom::elsewhere : network::FlowsFrom::file, without);
  } catch (const ParseError&) {
    return std::nullopt;  // read_network() reports its errors, if any
  }
  route = route ? *route : found.route.value_or(network::default_route);
  Fabric fabric = std::move(found.fabric);
  std::vector<std::string>& remarks = fabric.network.remarks;
  const auto path_of = [&](const std::string& name) {
    return (std::filesystem::path(file.name).parent_path() / name).string();
  };
  if (matrix)
    fabric.demands.push_back(
        {"", *route, network::sparse_matrix(fabric.network, matrix->text, matrix->name, &remarks)});
  if (matrix || elsewhere) return fabric;
  if (found.matrix) {
    const std::string path = path_of(found.matrix->file);
    fabric.demands.push_back(
        {"", found.matrix->route,
         network::sparse_matrix(fabric.network, text_of_file(read, path), path, &remarks)});
  }
  for (const network::PairsReference& pairs : found.pairs) {
    const std::string path = path_of(pairs.file);
    network::SparseDemandReader reader(fabric.network, path);
    read(path, [&reader](std::string_view bytes) { reader.take(bytes); });
    fabric.demands.push_back({pairs.name, pairs.route, reader.finish()});
  }
  return fabric;
}

bool answered_as_whole(const Fabric& fabric, bool buffers) {
  if (fabric.demands.empty()) return false;
  if (buffers && std::any_of(fabric.network.nodes.begin(), fabric.network.nodes.end(),
                             [](const network::Node& node) { return node.shared_memory; }))
    return true;
  return network::sending_pairs(fabric) > max_listed_pairs ||
         !network::can_be_listed(network::FabricGraph(fabric));
}

/// \param buffers  buffer of each of the rates' queues
std::vector<FabricSwitchClass> switches_of(const FabricGraph& graph, const FabricRates& rates,
                                           const std::vector<Packets>& buffers,
                                           const bounds::DropTarget& target,
                                           const std::function<void()>& look) {
  const network::Network& network = graph.fabric().network;
  std::vector<FabricSwitchClass> each(network.nodes.size());
  std::vector<std::map<std::uint32_t, std::int64_t>> queues(
      network.nodes.size());  // of switches with shared memory
  for (std::size_t link = 0; link < network.links.size(); ++link) {
    const std::uint32_t queue = rates.queue_of_link()[link];
    if (queue == FabricRates::none) continue;
    const std::size_t node = network.links[link].from;
    FabricSwitchClass& its = each[node];
    ++its.queues;
    its.buffer = its.buffer + buffers[queue];
    its.largest = std::max(its.largest, buffers[queue]);
    if (network.nodes[node].shared_memory) ++queues[node][queue];
  }
  using Queues = std::vector<bounds::SwitchQueues>;
  std::map<std::tuple<std::int64_t, std::uint64_t, std::int64_t, Queues>, FabricSwitchClass> classes;
  for (std::size_t node = 0; node < each.size(); ++node) {
    const FabricSwitchClass& its = each[node];
    if (its.queues == 0) continue;
    Queues sharing;
    for (const auto& [queue, count] : queues[node]) sharing.push_back({queue, count});
    FabricSwitchClass& all =
        classes.try_emplace({-its.buffer.value, its.queues, its.largest.value, std::move(sharing)}, its)
            .first->second;
    if (all.switches++ == 0) all.name = network.nodes[node].name;
  }
  std::vector<FabricSwitchClass> result;
  for (auto& [key, found] : classes) {
    look();
    if (const Queues& sharing = std::get<Queues>(key); !sharing.empty())
      found.memory = bounds::fabric_memory(graph, rates, sharing, target, look);
    result.push_back(std::move(found));
  }
  return result;
}

/// From packet times of a link.
numeric::Enclosure<unit::Slot> in_slots(const numeric::Enclosure<unit::Slot>& mean,
                                        const network::LinkRate& rate) {
  if (rate == network::LinkRate{}) return mean;
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const numeric::Interval packets = numeric::to_interval(rate.value());
  return {mean.proof(), numeric::lower(numeric::to_interval(mean.lower()) / packets),
          numeric::upper(numeric::to_interval(mean.upper()) / packets)};
}

/// Cross-check of all packets by simulation.
CrossCheck checked(const Fabric& fabric, const FabricAnswer& answer, bounds::FabricDelay& delay,
                   DelayEffort effort, const Run& run) {
  Workload workload{.hops = 1, .steps_per_slot = 0};
  for (const bounds::FabricPairs& pairs : answer.pairs->by_hops)
    workload.hops = std::max(workload.hops, static_cast<int>(pairs.hops));
  for (const FabricQueueClass& queue : answer.queues) {
    const double load = numeric::nearest_double(queue.load);
    workload.utilization = std::max(workload.utilization, load / numeric::nearest_double(queue.rate.value()));
    workload.steps_per_slot += load * static_cast<double>(queue.queues);
  }
  if (answer.queues.empty()) return {.levels = {}, .skipped = true};
  try {
    const SimulatedDelays simulated = simulated_delays(fabric, workload, effort, run);
    // The analysis has whole ticks; the clocks of hosts have any phases, so that simulated waits lie between.
    const auto ticks = [&](Slots level) {
      return static_cast<double>(level.value * delay.ticks_per_slot()) /
             static_cast<double>(simulated.steps());
    };
    const auto computed = [&](const std::vector<std::vector<Slots>>& levels) {
      double last = 0;
      for (const Slots level : levels.front()) last = std::max(last, ticks(level));
      const bounds::FabricQueueing found = delay.queueing(static_cast<std::size_t>(last) + 2, 1, [&run] {
        if (run.stop.stop_requested()) throw Stopped("stopped on request");
      });
      const auto above = [&](std::size_t tick) { return static_cast<double>(found.above[tick].upper()); };
      std::vector<double> tails;
      for (const Slots level : levels.front()) {
        const auto tick = static_cast<std::size_t>(ticks(level));
        const double part = ticks(level) - static_cast<double>(tick);
        tails.push_back(part == 0 ? above(tick)
                                  : std::pow(above(tick), 1 - part) * std::pow(above(tick + 1), part));
      }
      return std::vector<std::vector<double>>{tails};
    };
    return cross_check(simulated, {.computed = computed});
  } catch (const Stopped&) {
    return {.levels = {}, .skipped = true};
  }
}

}  // namespace

std::pair<std::uint32_t, std::uint32_t> ends_of_flow(const network::Network& network,
                                                     const std::string& flow) {
  const auto node_of = [&](const std::string& name) -> std::optional<std::uint32_t> {
    for (std::uint32_t i = 0; i < network.nodes.size(); ++i)
      if (network.nodes[i].name == name) return i;
    return std::nullopt;
  };
  constexpr const char* arrow = " -> ";
  for (std::size_t at = flow.find(arrow); at != std::string::npos; at = flow.find(arrow, at + 1)) {
    const auto from = node_of(flow.substr(0, at)), to = node_of(flow.substr(at + 4));
    if (from && to) return {*from, *to};
  }
  throw InvalidArgument("flow", flow, "all, or two nodes of the network: \"left -> right\"");
}

std::optional<network::QueueTraffic> split_over_links(const Fabric& fabric, const FabricRates& rates,
                                                      const FabricRates::Queue& queue) {
  const network::Network& network = fabric.network;
  const network::Link& link = network.links[queue.link];
  std::uint64_t sources = 0;
  for (const FabricRates::Source& source : rates.sources(queue)) sources += source.count;
  if (!network.nodes[link.to].host || sources > 1) return std::nullopt;
  std::vector<char> attached(network.nodes.size(), 0);
  std::int64_t over = 0;
  for (const network::Link& in : network.links) {
    if (in.to != link.from || in.from == link.to) continue;
    if (network.nodes[in.from].host)
      attached[in.from] = 1;
    else
      ++over;
  }
  // Does any of its packets come from elsewhere, by one of several paths?
  const bool spread =
      std::any_of(fabric.demands.begin(), fabric.demands.end(), [&](const network::Demand& demand) {
        const auto* sparse = std::get_if<SparseDemand>(&demand.rates);
        return demand.route != network::RouteRule::shortest && sparse != nullptr &&
               std::any_of(sparse->entries.begin(), sparse->entries.end(),
                           [&](const SparseDemand::Entry& pair) {
                             return pair.to == link.to && attached[pair.from] == 0;
                           });
      });
  if (!spread || over <= 1) return std::nullopt;
  network::QueueTraffic traffic = rates.traffic(network, queue);
  for (network::SourceRate& source : traffic.sources) {
    source.rate = source.rate / static_cast<long>(over);
    source.count *= over;
  }
  return traffic;
}

BusiestSender busiest_sender(const network::Fabric& fabric) {
  const std::vector<Rational> sent = network::sent_by_node(fabric), takes = fabric.network.send_limits();
  std::size_t busiest = 0;
  for (std::size_t node = 1; node < sent.size(); ++node)
    if (sent[node] * takes[busiest] > sent[busiest] * takes[node]) busiest = node;
  std::uint64_t alike = 0;
  for (std::size_t node = 0; node < sent.size(); ++node)
    if (sent[node] == sent[busiest] && takes[node] == takes[busiest]) ++alike;
  return {busiest, sent[busiest], takes[busiest], alike};
}

network::Fabric in_own_slots(network::Fabric fabric) {
  const std::vector<network::Link>& links = fabric.network.links;
  const bool equal = std::all_of(links.begin(), links.end(),
                                 [&](const network::Link& link) { return link.rate == links.front().rate; });
  if (links.empty() || (equal && links.front().rate == network::LinkRate{})) return fabric;
  std::vector<bool> used(links.size(), true);
  if (!equal) {
    const FabricGraph graph(fabric);
    used = network::used_links(fabric, network::fabric_rates(graph, network::fabric_orbits(graph)));
  }
  const Rational rate = network::slowest_rate(fabric.network, used);
  fabric.network = network::in_slots_of(std::move(fabric.network), rate, used);
  return rate == 1 ? std::move(fabric) : scaled(std::move(fabric), 1 / rate);
}

network::Fabric scaled(network::Fabric fabric, const Rational& scale) {
  scale_demands(fabric.demands, scale);
  return fabric;
}

std::vector<FabricTopology> read_fabrics(const NamedText& file, const std::optional<NamedText>& matrix,
                                         const std::optional<network::RouteRule>& given_route,
                                         const Loads& loads, const ReadNamed& read,
                                         const std::vector<std::string>& without, bool buffers,
                                         std::optional<network::SpeedUnit> speed_unit) {
  // A list of flows is for read_network(); reading it twice would only take time.
  const auto mentions = [&file](const char* key) { return file.text.find(key) != std::string::npos; };
  if (!matrix && loads.uniform.empty() && !mentions("[traffic") && !(buffers && mentions("shared_memory")))
    return {};
  std::optional<network::RouteRule> route = given_route;
  std::optional<Fabric> fabric =
      fabric_of(file, matrix, route, !loads.uniform.empty(), read, without, speed_unit);
  if (!fabric) return {};
  // Uniform traffic instead of flows is rejected, with the reason, by read_uniform_network().
  if (!loads.uniform.empty() && !fabric->demands.empty()) return {};
  std::vector<std::uint32_t> ends;  // of uniform traffic
  if (!loads.uniform.empty()) {
    ends = network::linked_ends(fabric->network, network::linked_nodes(fabric->network));
    if (ends.size() < 2) return {};  // of uniform traffic
    fabric->demands = uniform_demand(fabric->network, ends, 1, *route);
  }
  if (!answered_as_whole(*fabric, buffers)) return {};
  fabric = in_own_slots(*std::move(fabric));
  for (const Rational& rate : loads.uniform)
    if (rate <= 0 || rate > network::LinkRate::max_packets)
      throw InvalidArgument("uniform", plain(rate), "above 0 and at most 1 packet per slot");
  for (const Rational& scale : loads.load_scale)
    if (scale <= 0) throw InvalidArgument("load scale", plain(scale), "above 0");
  std::vector<FabricTopology> result;
  const std::size_t points = or_none(loads.uniform).size() * or_none(loads.load_scale).size();
  for (const std::optional<Rational>& rate : or_none(loads.uniform))
    for (const std::optional<Rational>& scale : or_none(loads.load_scale)) {
      // A list may take gigabytes: the last point uses it without a copy.
      auto each = result.size() + 1 == points ? std::make_shared<Fabric>(std::move(*fabric))
                                              : std::make_shared<Fabric>(*fabric);
      if (rate) each->demands = uniform_demand(each->network, ends, *rate, *route);
      if (scale) scale_demands(each->demands, *scale);
      if (rate || scale) require_sendable(*each, rate.value_or(Rational(1)), scale);
      FabricTopology& topology =
          result.emplace_back(FabricTopology{.fabric = std::move(each), .file = file.name});
      if (matrix) topology.matrix = matrix->name;
      topology.without = without;
      topology.uniform = rate;
      topology.load_scale = scale;
    }
  return result;
}

FabricAnswer answer(const FabricQuery& query, const Run& run) {
  const auto look = [&run] {
    if (run.stop.stop_requested()) throw Stopped("stopped on request");
  };
  const Fabric& fabric = *query.topology.fabric;
  const FabricGraph graph(fabric);
  const network::FabricOrbits orbits = network::fabric_orbits(graph);
  look();
  const FabricRates rates = network::fabric_rates(graph, orbits);
  look();
  bounds::FabricDelay delay(graph, orbits, rates);
  FabricAnswer answer;
  for (const network::Node& node : fabric.network.nodes) ++(node.host ? answer.hosts : answer.switches);
  answer.links = fabric.network.links.size();
  answer.slot_ns = query.units.slot_ns();
  answer.ticks_per_slot = delay.ticks_per_slot();
  const Rational per_queue =
      answer.slot_ns ? query.hop_ns.value_or(Rational(0)) / *answer.slot_ns : Rational(0);
  if (query.flow) {
    const auto [from, to] = ends_of_flow(fabric.network, *query.flow);
    answer.pair = delay.pair(from, to, query.percentiles, per_queue);
  } else {
    answer.pairs = delay.answer(query.percentiles, look, per_queue);
  }
  std::vector<Packets> buffers;
  for (std::size_t i = 0; i < rates.queues().size(); ++i) {
    look();
    const FabricRates::Queue& queue = rates.queues()[i];
    FabricQueueClass& its = answer.queues.emplace_back();
    its.name = fabric.network.link_name(queue.link);
    its.queues = queue.links;
    its.rate = queue.rate;
    its.load = queue.load;
    for (const FabricRates::Source& source : rates.sources(queue)) its.sources += source.count;
    const auto split = split_over_links(fabric, rates, queue);
    its.mean_wait = split ? in_slots(numeric::to_enclosure(queue::mean_hop_delay(
                                         bounds::slotted_queue(*split), queue::HopDelay::wait)),
                                     queue.rate)
                          : delay.mean_wait(i);
    if (!query.drop) continue;
    its.buffer =
        split ? bounds::buffer_size(bounds::slotted_queue(*split), *query.drop, {.digits = query.digits})
              : delay.buffer(i, *query.drop, query.digits);
    buffers.push_back(its.buffer->buffer);
  }
  if (query.drop) answer.by_switch = switches_of(graph, rates, buffers, *query.drop, look);
  std::stable_sort(answer.queues.begin(), answer.queues.end(), [](const auto& a, const auto& b) {
    return a.load * b.rate.value() > b.load * a.rate.value();
  });
  if (query.by != DelayBy::analysis && answer.pairs)
    answer.check =
        checked(fabric, answer, delay,
                query.by == DelayBy::simulation ? DelayEffort::requested : DelayEffort::usual, run);
  return answer;
}

}  // namespace tailbound::answers
