#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/guarantee/policed_parts.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/documents/simulation/simulate_policed.hpp>
#include <tailbound/render/fields.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace tailbound::render {
namespace {

using namespace answers;
using numeric::Rational;

constexpr const char* cross_check_basis =
    "Seen: exact maxima of this simulation, in which all flows conform to their buckets. Never: proved "
    "bounds (tailbound guarantee) for any arrival times. The true worst case lies between.";

/// Data of the rows.
struct WitnessedNetwork {
  SimulatePolicedQuery query;
  SimulatePolicedAnswer answer;

  [[nodiscard]] const network::PolicedNetwork& network() const { return query.file.network; }
};
using Witnessed = std::shared_ptr<const WitnessedNetwork>;

/// A flow to one of its destinations.
struct SeenFlowRow {
  Witnessed all;
  std::size_t position = 0;  ///< in the answer's routes
  [[nodiscard]] const FlowRoute& route() const { return all->answer.routes[position]; }
  [[nodiscard]] const Rational& delay() const { return all->answer.delay(route()); }
  [[nodiscard]] const network::PolicedFlow& policed() const { return all->network().flows[route().flow]; }
  [[nodiscard]] std::optional<Rational> never() const { return all->answer.never_later(route()); }
};
struct SeenQueueRow {
  Witnessed all;
  std::size_t queue = 0;
  [[nodiscard]] const sim::QueueSeen& its() const { return all->answer.seen.queues[queue]; }
  [[nodiscard]] const bounds::QueueGuarantee& never() const { return all->answer.never->queues[queue]; }
  [[nodiscard]] std::optional<Rational> backlog_never() const {
    return never().none.empty() ? std::optional(never().least_backlog()) : std::nullopt;
  }
  [[nodiscard]] std::optional<Rational> delay_never() const {
    return never().none.empty() ? std::optional(never().least_delay()) : std::nullopt;
  }
};

template <class Row>
bool bounded(const Row& of) {
  return of.all->answer.never.has_value();
}
template <class Row>
bool several_classes(const Row& of) {
  return of.all->network().classes.size() > 1;
}

/// None without a bound.
std::optional<Rational> part_of_bound(const Rational& seen, const std::optional<Rational>& never) {
  if (!never) return std::nullopt;
  return *never == 0 ? Rational(1) : Rational(seen / *never);
}
Value bound_of(const Witnessed& all, const std::optional<Rational>& never) {
  return never ? at_most(all->answer.never->proof, *never) : Value(None{});
}

Table<SeenFlowRow> seen_flow_table(const network::PolicedUnits& units) {
  return {
      "flows",
      "each flow requested",
      {{{"flow", "flow", "", Shape::text, "name of the flow"},
        [](const SeenFlowRow& of) { return of.policed().name; }},
       {{"to", "to", "", Shape::text, "its destination, of several"},
        [](const SeenFlowRow& of) { return of.policed().destinations[of.route().route].name; },
        [](const SeenFlowRow& of) { return !of.policed().destinations.empty(); }},
       {{"class", "class", "", Shape::text, "class of the flow"},
        [](const SeenFlowRow& of) { return of.all->network().classes[of.policed().traffic_class]; },
        several_classes<SeenFlowRow>},
       {{"packets", "packets", "", Shape::whole, "packets of the flow that arrived"},
        [](const SeenFlowRow& of) { return of.all->answer.seen.flows[of.route().flow].packets; }},
       {{"delay_seen", "seen", units.time, Shape::proved,
         "maximum delay of its packets, from last bit in to last bit out, all ports and links"},
        [](const SeenFlowRow& of) { return of.delay(); }},
       {{"delay_never", "delay bound", units.time, Shape::bound, "proved bound for any conforming arrivals"},
        [](const SeenFlowRow& of) { return bound_of(of.all, of.never()); },
        bounded<SeenFlowRow>},
       {{"delay_share", "seen / bound", "", Shape::proved, "delay_seen / delay_never, 0 to 1", Style::percent,
         4},
        [](const SeenFlowRow& of) { return part_of_bound(of.delay(), of.never()); },
        bounded<SeenFlowRow>}}};
}

Table<SeenQueueRow> seen_port_table(const network::PolicedUnits& units) {
  return {"ports",
          "each queue that these flows pass",
          {{{"port", "port", "", Shape::text, "link to which it sends"},
            [](const SeenQueueRow& of) { return of.all->network().ports[of.its().port].name; }},
           {{"class", "class", "", Shape::text, "class of the queue"},
            [](const SeenQueueRow& of) { return class_name(of.all->network(), of.its().traffic_class); },
            several_classes<SeenQueueRow>},
           {{"backlog_seen", "seen", units.size, Shape::proved,
             "maximum backlog: data received and not yet sent"},
            [](const SeenQueueRow& of) { return of.its().backlog; }},
           {{"backlog_never", "backlog bound", units.size, Shape::bound, "proved bound of the backlog"},
            [](const SeenQueueRow& of) { return bound_of(of.all, of.backlog_never()); },
            bounded<SeenQueueRow>},
           {{"backlog_share", "seen / bound", "", Shape::proved, "backlog_seen / backlog_never, 0 to 1",
             Style::percent, 4},
            [](const SeenQueueRow& of) { return part_of_bound(of.its().backlog, of.backlog_never()); },
            bounded<SeenQueueRow>},
           {{"delay_seen", "", units.time, Shape::proved, "maximum delay at this port", Style::hidden},
            [](const SeenQueueRow& of) { return of.its().delay; }},
           {{"delay_never", "", units.time, Shape::bound, "proved bound of the delay at this port",
             Style::hidden},
            [](const SeenQueueRow& of) { return bound_of(of.all, of.delay_never()); },
            bounded<SeenQueueRow>}}};
}

const Fields<SimulatePolicedQuery>& simulated_policed_inputs() {
  using Query = SimulatePolicedQuery;
  static const Fields<Query> fields{
      {{"network", "network", "", Shape::text, "name in the file, otherwise the file name"}, &Query::name},
      {route_column(), [](const Query& of) { return route_names(of.file.rules); }, if_present},
      {{"flow", "flow", "", Shape::text, "flow requested"}, &Query::flow, if_present},
      {{"sources", "sources", "", Shape::text, "sources: search, greedy, periodic, random or together"},
       &Query::sources},
      {{"packets", "packets", "", Shape::whole, "packets to send, all flows and runs together"},
       &Query::packets},
      {{"seed", "seed", "", Shape::whole, "seed of the random numbers"}, &Query::seed}};
  return fields;
}

const Fields<WitnessedNetwork>& simulated_policed_results() {
  static const auto has_bounds = [](const WitnessedNetwork& of) { return of.answer.never.has_value(); };
  static const Fields<WitnessedNetwork> fields{
      {{"size_unit", "", "", Shape::text, "unit of data: packets, bytes or bits", Style::hidden},
       [](const WitnessedNetwork& of) { return of.query.file.units.size; }},
      {{"time_unit", "", "", Shape::text, "unit of time: slots, ns, us, ms or s", Style::hidden},
       [](const WitnessedNetwork& of) { return of.query.file.units.time; }},
      {{"nearest_flow", "nearest flow", "", Shape::text,
        "flow closest to its bound; without bounds, the flow with the maximum delay"},
       [](const WitnessedNetwork& of) { return of.network().flows[of.answer.nearest().flow].name; }},
      {{"max_share", "seen / bound", "", Shape::proved, "its maximum delay / bound", Style::percent, 4},
       [](const WitnessedNetwork& of) {
         const FlowRoute& route = of.answer.nearest();
         return part_of_bound(of.answer.delay(route), of.answer.never_later(route));
       },
       has_bounds},
      {{"contradicted", "contradicted", "", Shape::flag,
        "true if a bound was exceeded: an error in the program, exit status 1"},
       [](const WitnessedNetwork& of) { return of.answer.contradicted(); },
       has_bounds},
      {{"simulated_packets", "simulated packets", "", Shape::whole, "packets that arrived, in all runs"},
       [](const WitnessedNetwork& of) { return of.answer.seen.packets; }},
      {{"runs", "runs", "", Shape::whole, "from empty queues and full buckets until the last packet is out"},
       [](const WitnessedNetwork& of) { return of.answer.seen.runs; }}};
  return fields;
}

Headline seen_headline(const WitnessedNetwork& of, const network::PolicedUnits& units) {
  const FlowRoute& route = of.answer.nearest();
  const network::PolicedFlow& flow = of.network().flows[route.flow];
  const std::string name =
      flow.name + (flow.destinations.empty() ? "" : " to " + flow.destinations[route.route].name);
  if (of.answer.contradicted())
    return Headline::without_numbers(fmt::format(
        "ERROR IN TAILBOUND: the simulation of {} exceeds a proved bound. Please report it with the "
        "network file.",
        of.query.name()));
  const Value exactly = Exact{numeric::Theorem::input, of.answer.delay(route)};
  const std::string seen = time_in_words(exactly, units);
  if (!of.answer.never_later(route))
    return {"Maximum delay seen:", seen, fmt::format(" (flow {}); no bound is known", name), {exactly}};
  const Value bound = at_most(of.answer.never->proof, *of.answer.never_later(route));
  return {"Maximum delay seen:",
          seen,
          fmt::format(" (flow {}); proved bound {}", name, time_in_words(bound, units)),
          {exactly, bound}};
}

std::vector<TableLayout> seen_tables(const network::PolicedUnits& units) {
  const TableLayout flows = seen_flow_table(units).layout(), ports = seen_port_table(units).layout();
  const char* const some = "rows closest to their bounds, of many";
  return {flows, ports, {"nearest_flows", some, flows.columns}, {"nearest_ports", some, ports.columns}};
}

}  // namespace

Layout simulate_policed_layout() {
  return {.command = "simulate policed",
          .inputs = simulated_policed_inputs().columns(),
          .results = simulated_policed_results().columns(),
          .tables = seen_tables({}),
          .quiet = {"delay_seen"},
          .quiet_table = "flows"};
}

Document document(const SimulatePolicedQuery& query, SimulatePolicedAnswer answer) {
  const auto all = std::make_shared<const WitnessedNetwork>(WitnessedNetwork{query, std::move(answer)});
  const network::PolicedUnits& units = query.file.units;
  Layout layout = simulate_policed_layout();
  layout.tables = seen_tables(units);
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = seen_headline(*all, units),
                    .settings = fmt::format("Simulation of {}, sources {}; routes {}.", query.name(),
                                            name_of(query.sources), routes_in_words(query.file.rules, {})),
                    .results = {},
                    .digits = policed_digits};
  Result& result = document.results.emplace_back();
  result.inputs = simulated_policed_inputs().cells(query);
  result.cells = simulated_policed_results().cells(*all);
  const SimulatePolicedAnswer& its = all->answer;
  std::vector<std::size_t> positions(its.routes.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  const auto part_of_queue = [&](std::size_t queue) -> Rational {
    const Rational& seen = its.seen.queues[queue].backlog;
    if (!its.never) return seen;
    return its.never->queues[queue].none.empty()
               ? *part_of_bound(seen, its.never->queues[queue].least_backlog())
               : 0;
  };
  add_rows(
      result, seen_flow_table(units), "nearest_flows", "flows closest to their bounds", positions,
      [all](std::size_t position) {
        return SeenFlowRow{all, position};
      },
      [&](std::size_t one, std::size_t other) {
        return its.share(its.routes[one]) > its.share(its.routes[other]);
      });
  add_rows(
      result, seen_port_table(units), "nearest_ports", "ports closest to their bounds", its.queues,
      [all](std::size_t queue) {
        return SeenQueueRow{all, queue};
      },
      [&](std::size_t one, std::size_t other) { return part_of_queue(one) > part_of_queue(other); });
  result.lines.push_back(
      {"simulated", fmt::format("{} packets in {} runs, sources {}, seed {}", its.seen.packets, its.seen.runs,
                                name_of(query.sources), query.seed)});
  if (!its.never) document.notes.push_back("Bounds: " + its.no_bound + ".");
  std::set<std::string> reasons;
  for (const FlowRoute& route : its.routes)
    if (its.never && !its.never_later(route))
      reasons.insert(its.never->flows[route.flow].routes[route.route].none);
  for (const std::string& reason : reasons) document.notes.push_back("No bound: " + reason + ".");
  document.notes.emplace_back(cross_check_basis);
  if (its.seen.stopped) {
    document.stopped = true;
    document.stopped_after = fmt::format("with {} of {} packets sent", its.seen.packets, query.packets);
  }
  return document;
}

}  // namespace tailbound::render
