#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/guarantee/certificate.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

using Json = nlohmann::ordered_json;
using bounds::ArrivalCurve;
using numeric::Rational;

Json json_of(const Rational& value) {
  return numeric::to_fraction(value);
}
Json json_of(const std::vector<Rational>& values) {
  Json all = Json::array();
  for (const Rational& value : values) all.push_back(json_of(value));
  return all;
}
/// [burst, rate] of each line
Json json_of(const std::vector<traffic::TokenBucket>& lines) {
  Json all = Json::array();
  for (const traffic::TokenBucket& line : lines) all.push_back({json_of(line.burst), json_of(line.rate)});
  return all;
}
Json json_of(const ArrivalCurve& curve) {
  return json_of(curve.lines());
}
template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : Json();
}

Json gates(const network::PolicedPort& port) {
  Json all = Json::array();
  for (const network::GateEntry& entry : port.gates)
    all.push_back({{"time", json_of(entry.time)}, {"open", entry.open}});
  return all;
}

Json ports(const network::PolicedNetwork& network) {
  Json all = Json::array();
  for (const network::PolicedPort& port : network.ports)
    all.push_back({{"name", port.name},
                   {"rate", json_of(port.rate)},
                   {"latency", json_of(port.latency)},
                   {"wire", json_of(port.wire)},
                   {"scheduler", name_of(port.scheduler)},
                   {"quanta", json_of(port.quanta)},
                   {"idle_slopes", json_of(port.idle_slopes)},
                   {"best_effort", json_of(port.best_effort)},
                   {"gates", gates(port)},
                   {"guard", name_of(port.guard)},
                   {"error", json_of(port.clock_error)},
                   {"max_sdu", json_of(port.max_sdu)},
                   {"preemptable", port.preemptable},
                   {"fragment", port.fragment},
                   {"cut_through", json_of(port.cut_through)},
                   {"reshaped", port.reshaped}});
  return all;
}

/// Lines known of a flow before each queue besides its own, shifted buckets. Behind queues in cycles they
/// follow from earlier ones, behind links without other knowledge from the link.
Json outputs(const network::PolicedNetwork& network, const bounds::NetworkGuarantee& found, std::size_t f) {
  const network::PolicedFlow& flow = network.flows[f];
  const bounds::FlowGuarantee& its = found.flows[f];
  Json all = Json::array();
  for (std::size_t hop = 0; hop < flow.path.size(); ++hop) {
    const std::size_t before = hop == 0 ? 0 : flow.hop_before(hop);
    const bool known =
        hop > 0 && !network.ports[flow.path[before]].reshaped &&
        found.queues[its.queues[before]].none.empty() &&
        std::find(found.cyclic.begin(), found.cyclic.end(), its.queues[before]) == found.cyclic.end();
    all.push_back(known ? json_of(its.outputs[hop]) : Json::array());
  }
  return all;
}

/// [kind, queue, k, later, of, line, factor] of each row whose sum proves the bound.
Json linear_program(const bounds::RouteGuarantee& route) {
  if (!route.lp) return {};
  Json rows = Json::array();
  for (const bounds::PathStep& step : route.lp_proof)
    rows.push_back({name_of(step.row.kind), step.row.queue, step.row.k, step.row.later, step.row.of,
                    step.row.line, json_of(step.factor)});
  return {{"delay", json_of(*route.lp)}, {"rows", std::move(rows)}};
}

Json clocked(const network::PolicedFlow& flow) {
  if (!flow.periodic || !flow.periodic->offset) return {};
  return {{"clock", flow.periodic->clock},
          {"offset", json_of(*flow.periodic->offset)},
          {"period", json_of(flow.periodic->period)},
          {"jitter", json_of(flow.periodic->jitter)}};
}

Json flows(const network::PolicedNetwork& network, const bounds::NetworkGuarantee& found) {
  Json all = Json::array();
  for (std::size_t f = 0; f < network.flows.size(); ++f) {
    const network::PolicedFlow& flow = network.flows[f];
    Json destinations = Json::array(), routes = Json::array(), curves = Json::array();
    for (const ArrivalCurve& curve : found.flows[f].curves) curves.push_back(json_of(curve));
    for (const network::PolicedDestination& one : flow.destinations)
      destinations.push_back({{"name", one.name}, {"hop", one.hop}});
    for (const bounds::RouteGuarantee& route : found.flows[f].routes)
      routes.push_back({{"tfa", json_of(route.tfa)},
                        {"sfa", json_of(route.sfa)},
                        {"lp", linear_program(route)},
                        {"least", json_of(route.minimum)}});
    all.push_back({{"name", flow.name},
                   {"class", flow.traffic_class},
                   {"path", flow.path},
                   {"before", flow.before},
                   {"destinations", std::move(destinations)},
                   {"buckets", json_of(flow.buckets)},
                   {"longest", json_of(flow.longest)},
                   {"shortest", json_of(flow.shortest)},
                   {"clocked", clocked(flow)},
                   {"outputs", outputs(network, found, f)},
                   {"curves", std::move(curves)},
                   {"routes", std::move(routes)}});
  }
  return all;
}

Json windows(const bounds::QueueGuarantee& queue) {
  Json all = Json::array();
  if (queue.gates && !queue.gates->always)
    for (const bounds::GateWindow& window : queue.gates->windows)
      all.push_back({{"opens", json_of(window.opens)},
                     {"closes", json_of(window.closes)},
                     {"lost", json_of(window.lost)},
                     {"unused", json_of(window.unused)},
                     {"carried", json_of(window.carried)}});
  return all;
}

/// Those without a bound have no more than that.
Json queues(const bounds::NetworkGuarantee& found) {
  Json all = Json::array();
  for (const bounds::QueueGuarantee& queue : found.queues) {
    Json its{{"port", queue.port},
             {"class", queue.traffic_class ? Json(*queue.traffic_class) : Json()},
             {"bounded", queue.none.empty()}};
    if (queue.none.empty())
      its.update({{"variation", json_of(queue.variation)},
                  {"backlog", json_of(queue.backlog)},
                  {"whole", queue.whole_packets},
                  {"windows", windows(queue)}});
    all.push_back(std::move(its));
  }
  return all;
}

/// Variations of the queues in cycles, stage by stage.
Json stages(const bounds::NetworkGuarantee& found) {
  Json all = Json::array();
  for (const std::vector<Rational>& stage : found.stages) all.push_back(json_of(stage));
  return all;
}

Json groups(const bounds::NetworkGuarantee& found) {
  Json all = Json::array();
  for (const bounds::GroupGuarantee& group : found.groups)
    all.push_back({{"queue", group.queue}, {"next", group.next}, {"curve", json_of(group.curve)}});
  return all;
}

}  // namespace

std::string certificate(const answers::NetworkGuaranteeQuery& query,
                        const answers::NetworkGuaranteeAnswer& answer) {
  const network::PolicedNetwork& network = query.file.network;
  const network::PolicedUnits& units = query.file.units;
  const Json whole{
      {"certificate", "guarantee"},
      {"form", 2},
      {"network", query.name()},
      {"units", {{"size", units.size}, {"time", units.time}, {"rate", units.size + "/" + units.time}}},
      {"byte", json_of(network.byte)},
      {"classes", network.classes},
      {"ports", ports(network)},
      {"flows", flows(network, answer.found)},
      {"queues", queues(answer.found)},
      {"groups", groups(answer.found)},
      {"cyclic", answer.found.cyclic},
      {"stages", stages(answer.found)}};
  return whole.dump(1) + "\n";
}

}  // namespace tailbound::render
