#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/guarantee/certificate.hpp>

#include <nlohmann/json.hpp>

namespace tailbound::render {
namespace {

using Json = nlohmann::ordered_json;
using bounds::ArrivalCurve;
using bounds::ServiceCurve;
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
/// [start, value, slope] of each piece
Json json_of(const ServiceCurve& curve) {
  Json all = Json::array();
  for (const ServiceCurve::Piece& piece : curve.pieces())
    all.push_back({json_of(piece.start), json_of(piece.value), json_of(piece.slope)});
  return all;
}
template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : Json();
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
                   {"reshaped", port.reshaped}});
  return all;
}

Json flows(const network::PolicedNetwork& network, const bounds::NetworkGuarantee& found) {
  Json all = Json::array();
  for (std::size_t f = 0; f < network.flows.size(); ++f) {
    const network::PolicedFlow& flow = network.flows[f];
    const bounds::FlowGuarantee& its = found.flows[f];
    Json curves = Json::array(), residuals = Json::array();
    for (const ArrivalCurve& curve : its.curves) curves.push_back(json_of(curve));
    for (const auto& residual : its.residuals) residuals.push_back(json_of(residual));
    all.push_back({{"name", flow.name},
                   {"class", flow.traffic_class},
                   {"path", flow.path},
                   {"buckets", json_of(flow.buckets)},
                   {"longest", json_of(flow.longest)},
                   {"shortest", json_of(flow.shortest)},
                   {"queues", its.queues},
                   {"curves", std::move(curves)},
                   {"residuals", std::move(residuals)},
                   {"tfa", json_of(its.tfa)},
                   {"sfa", json_of(its.sfa)},
                   {"least", json_of(its.minimum)}});
  }
  return all;
}

Json queues(const bounds::NetworkGuarantee& found) {
  Json all = Json::array();
  for (const bounds::QueueGuarantee& queue : found.queues)
    all.push_back({{"port", queue.port},
                   {"class", queue.traffic_class ? Json(*queue.traffic_class) : Json()},
                   {"service", json_of(queue.service)},
                   {"variation", json_of(queue.variation)},
                   {"backlog", json_of(queue.backlog)}});
  return all;
}

Json groups(const bounds::NetworkGuarantee& found) {
  Json all = Json::array();
  for (const bounds::GroupGuarantee& group : found.groups)
    all.push_back({{"queue", group.queue},
                   {"next", group.next},
                   {"curve", json_of(group.curve)},
                   {"residual", json_of(group.residual)}});
  return all;
}

}  // namespace

std::string certificate(const answers::NetworkGuaranteeQuery& query,
                        const answers::NetworkGuaranteeAnswer& answer) {
  const network::PolicedNetwork& network = query.file.network;
  const network::PolicedUnits& units = query.file.units;
  const Json whole{
      {"certificate", "guarantee"},
      {"form", 1},
      {"network", query.name()},
      {"units", {{"size", units.size}, {"time", units.time}, {"rate", units.size + "/" + units.time}}},
      {"classes", network.classes},
      {"ports", ports(network)},
      {"flows", flows(network, answer.found)},
      {"queues", queues(answer.found)},
      {"groups", groups(answer.found)},
      {"cyclic", answer.found.cyclic}};
  return whole.dump(1) + "\n";
}

}  // namespace tailbound::render
