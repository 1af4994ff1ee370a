#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/guarantee/network_guarantee.hpp>
#include <tailbound/render/documents/guarantee/policed_parts.hpp>
#include <tailbound/render/documents/network/network_picture.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
#include <tailbound/render/fields.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::GuaranteeMethod;
using bounds::QueueGuarantee;
using numeric::plain;
using numeric::Rational;

constexpr const char* worst_case_basis =
    "Proved bounds for any conforming arrivals, exact fractions. Store and forward; delay: last bit in to "
    "last bit out. The link of a host is a port too.";

constexpr const char* slots_basis =
    "Whole packets and slots: for synchronous networks; --method tfa holds for any times.";

constexpr const char* schedule_basis =
    "Schedules hold while senders and gates keep to their clocks within clock_error; certificates do not "
    "prove them, but what --method tfa and lp say.";

/// Data of rows and pictures.
struct Guaranteed {
  NetworkGuaranteeQuery query;
  NetworkGuaranteeAnswer answer;

  [[nodiscard]] const network::PolicedNetwork& network() const { return query.file.network; }
  [[nodiscard]] const QueueGuarantee& queue(std::size_t q) const { return answer.found.queues[q]; }
  /// Queues whose results are known in integer packets and slots.
  [[nodiscard]] bool in_slots() const {
    return query.method == GuaranteeMethod::best || query.method == GuaranteeMethod::slots;
  }
  [[nodiscard]] bool scheduled() const {
    return query.method == GuaranteeMethod::best || query.method == GuaranteeMethod::schedule;
  }
  [[nodiscard]] bool several_destinations() const {
    return std::any_of(network().flows.begin(), network().flows.end(),
                       [](const network::PolicedFlow& flow) { return !flow.destinations.empty(); });
  }
  [[nodiscard]] const bounds::RouteGuarantee& latest() const {
    return answer.at(answer.routes[answer.latest(query.method)]);
  }
  /// Requested flows without a bound, one for each destination.
  [[nodiscard]] std::int64_t flows_without() const {
    return std::count_if(answer.routes.begin(), answer.routes.end(),
                         [&](const FlowRoute& route) { return !answer.at(route).none.empty(); });
  }
  /// Has one of the queues no bound?
  [[nodiscard]] bool unbounded() const {
    return std::any_of(answer.found.queues.begin(), answer.found.queues.end(),
                       [](const QueueGuarantee& queue) { return !queue.none.empty(); });
  }
  [[nodiscard]] std::string port_name(std::size_t q) const { return network().ports[queue(q).port].name; }
};
using Shown = std::shared_ptr<const Guaranteed>;

/// A flow to one of its destinations.
struct FlowRow {
  Shown all;
  std::size_t position = 0;  ///< in the answer's routes
  [[nodiscard]] const FlowRoute& route() const { return all->answer.routes[position]; }
  [[nodiscard]] const bounds::RouteGuarantee& its() const { return all->answer.at(route()); }
  [[nodiscard]] const network::PolicedFlow& policed() const { return all->network().flows[route().flow]; }
  [[nodiscard]] std::optional<Rational> delay() const { return its().delay(all->query.method); }
  [[nodiscard]] std::optional<Rational> jitter() const {
    const auto bound = delay();
    return bound ? std::optional<Rational>(*bound - its().minimum) : std::nullopt;
  }
  [[nodiscard]] Value at_most(const std::optional<Rational>& bound) const {
    return bound ? render::at_most(all->answer.found.proof, *bound) : Value(None{});
  }
};
struct QueueRow {
  Shown all;
  std::size_t queue = 0;
  [[nodiscard]] const QueueGuarantee& its() const { return all->queue(queue); }
  [[nodiscard]] Value at_most(const Rational& bound) const {
    return its().none.empty() ? render::at_most(all->answer.found.proof, bound) : Value(None{});
  }
};

/// None where there is a bound.
std::optional<std::string> reason_of(const std::string& none) {
  return none.empty() ? std::nullopt : std::optional(none);
}

/// Integer packets, bytes or bits.
Rational max_data(const Guaranteed& of, const QueueGuarantee& queue) {
  if (of.in_slots() && queue.in_slots)
    return std::min(Rational(numeric::floor(queue.backlog)), Rational(*queue.in_slots));
  return numeric::ceiling(of.scheduled() ? queue.least_backlog() : queue.backlog);
}

/// In integer slots a packet leaves once all earlier ones have left.
Rational max_delay(const Guaranteed& of, const QueueGuarantee& queue) {
  const Rational& delay = of.scheduled() ? queue.least_delay() : queue.delay;
  return of.in_slots() && queue.in_slots ? std::min(delay, Rational(*queue.in_slots)) : delay;
}

Table<FlowRow> flow_table(const network::PolicedUnits& units) {
  return {"flows",
          "each flow requested",
          {{{"flow", "flow", "", Shape::text, "name of the flow"},
            [](const FlowRow& of) { return of.policed().name; }},
           {{"to", "to", "", Shape::text, "its destination, of several"},
            [](const FlowRow& of) -> std::optional<std::string> {
              if (of.policed().destinations.empty()) return std::nullopt;
              return of.policed().destinations[of.route().route].name;
            },
            [](const FlowRow& of) { return of.all->several_destinations(); }},
           {{"class", "class", "", Shape::text, "class of the flow"},
            [](const FlowRow& of) { return of.all->network().classes[of.policed().traffic_class]; },
            [](const FlowRow& of) { return of.all->network().classes.size() > 1; }},
           {{"hops", "hops", "", Shape::whole, "ports on its path"},
            [](const FlowRow& of) { return of.its().hops.size(); }},
           {{"delay_never", "delay bound", units.time, Shape::bound,
             "upper bound of the delay, last bit in to last bit out, all ports and links"},
            [](const FlowRow& of) { return of.at_most(of.delay()); }},
           {{"delay_min", "minimum delay", units.time, Shape::given,
             "delay of its shortest packets without other traffic"},
            [](const FlowRow& of) { return of.its().minimum; }},
           {{"jitter", "jitter", units.time, Shape::bound, "delay bound - minimum delay"},
            [](const FlowRow& of) { return of.at_most(of.jitter()); }},
           {{"method", "method", "", Shape::text,
             "tfa: sum over its ports (total flow analysis); sfa: concatenated service curves (separated "
             "flow analysis); slots: tfa in whole packets and slots; lp: linear program; schedule: packet by "
             "packet "
             "through gates that follow the senders' clock"},
            [](const FlowRow& of) -> std::optional<GuaranteeMethod> {
              if (!of.its().none.empty()) return std::nullopt;
              return of.its().used(of.all->query.method);
            }},
           {{"reason", "", "", Shape::text, "why there is no bound", Style::hidden},
            [](const FlowRow& of) { return of.its().none; },
            [](const FlowRow& of) { return !of.its().none.empty(); }}}};
}

Table<QueueRow> port_table(const network::PolicedUnits& units) {
  return {"ports",
          "each queue that these flows pass",
          {{{"port", "port", "", Shape::text, "link to which it sends"},
            [](const QueueRow& of) { return of.all->port_name(of.queue); }},
           {{"class", "class", "", Shape::text, "class of the queue"},
            [](const QueueRow& of) { return class_name(of.all->network(), of.its().traffic_class); },
            [](const QueueRow& of) { return of.all->network().classes.size() > 1; }},
           {{"backlog_never", "backlog bound", units.size, Shape::bound,
             "upper bound of the backlog; bits leave as they are sent"},
            [](const QueueRow& of) { return of.at_most(max_data(*of.all, of.its())); }},
           {{"delay_never", "delay bound", units.time, Shape::bound, "upper bound of the delay at this port"},
            [](const QueueRow& of) { return of.at_most(max_delay(*of.all, of.its())); }},
           {{"utilization", "load", "", Shape::given, "utilization: long-term rate of its flows / link rate",
             Style::percent},
            [](const QueueRow& of) {
              return Rational(of.its().load / of.all->network().ports[of.its().port].rate);
            }},
           {{"shaped", "", "", Shape::flag,
             "true if a regulator after it restores the initial arrival curves", Style::hidden},
            [](const QueueRow& of) { return of.all->network().ports[of.its().port].reshaped; }},
           {{"reason", "", "", Shape::text, "why there is no bound", Style::hidden},
            [](const QueueRow& of) { return reason_of(of.its().none); },
            [](const QueueRow& of) { return of.all->unbounded(); }}}};
}

const char* certificate_kind(const NetworkGuaranteeAnswer& answer) {
  return answer.found.cyclic.empty() ? "feed-forward" : "fixed point";
}

const Fields<NetworkGuaranteeQuery>& guarantee_inputs() {
  using Query = NetworkGuaranteeQuery;
  static const Fields<Query> fields{
      {{"network", "network", "", Shape::text, "name in the file, otherwise the file name"}, &Query::name},
      {route_column(), [](const Query& of) { return route_names(of.file.rules); }, if_present},
      {{"flow", "flow", "", Shape::text, "flow requested"}, &Query::flow, if_present},
      {{"method", "method", "", Shape::text, "best, tfa, sfa, slots, lp or schedule"}, &Query::method}};
  return fields;
}

const Fields<Guaranteed>& guarantee_results() {
  static const auto cyclic = [](const Guaranteed& of) { return !of.answer.found.cyclic.empty(); };
  static const Fields<Guaranteed> fields{
      {{"size_unit", "", "", Shape::text, "unit of data: packets, bytes or bits", Style::hidden},
       [](const Guaranteed& of) { return of.query.file.units.size; }},
      {{"time_unit", "", "", Shape::text, "unit of time: slots, ns, us, ms or s", Style::hidden},
       [](const Guaranteed& of) { return of.query.file.units.time; }},
      {{"latest_flow", "flow with the largest bound", "", Shape::text, "of the flows requested"},
       [](const Guaranteed& of) {
         return of.network().flows[of.answer.routes[of.answer.latest(of.query.method)].flow].name;
       }},
      {{"max_delay", "delay bound", "", Shape::bound,
        "upper bound of the delay of all of them, in time_unit; none if one has none"},
       [](const Guaranteed& of) -> std::optional<Value> {
         if (of.flows_without() > 0) return std::nullopt;
         return at_most(of.answer.found.proof, *of.latest().delay(of.query.method));
       }},
      {{"unbounded_flows", "flows without a bound", "", Shape::whole,
        "of the flows requested, one for each destination", Style::hidden},
       [](const Guaranteed& of) { return of.flows_without(); },
       [](const Guaranteed& of) { return of.flows_without() > 0; }},
      {{"certificate", "topology", "", Shape::text,
        "feed-forward: no cyclic dependency; fixed point: mutually consistent delays of a cyclic network"},
       [](const Guaranteed& of) { return certificate_kind(of.answer); }},
      {{"rounds", "rounds", "", Shape::whole, "iterations until these delays were found"},
       [](const Guaranteed& of) { return of.answer.found.rounds; },
       cyclic},
      {{"denominator", "", "", Shape::whole,
        "delays were rounded up to multiples of 1/denominator; 0: exact fractions", Style::hidden},
       [](const Guaranteed& of) { return numeric::to_int64(of.answer.found.denominator); }}};
  return fields;
}

Headline headline(const Shown& of) {
  const network::PolicedUnits& units = of->query.file.units;
  const FlowRow latest{of, of->answer.latest(of->query.method)};
  const Value delay = latest.at_most(latest.delay());
  const auto& destinations = latest.policed().destinations;
  return {"worst-case delay",
          time_in_words(delay, units),
          fmt::format(" (flow {}{}){}", latest.policed().name,
                      destinations.empty() ? "" : " to " + destinations[latest.route().route].name,
                      of->flows_without() == 0 ? ""
                                               : fmt::format("; {} of {} flows without a bound",
                                                             of->flows_without(), of->answer.routes.size())),
          {delay}};
}

const char* const max_of_many = "rows with the largest delay bounds, of many";

double number_of(const Rational& value) {
  return numeric::nearest_double(value);
}

/// Arrivals and service of one queue as drawn: curves, or whole packets.
struct DrawnQueue {
  std::function<Rational(const Rational&)> arrivals, service;
  std::vector<Rational> times{};  ///< corners
  Rational end = 0;
  Rational at_backlog = 0, at_delay = 0, delay = 0;
  std::optional<Rational> highest{};  ///< the service is drawn up to this
  std::size_t window = 0;             ///< the one before, of a class with a gate
};

DrawnQueue drawn_curves(const QueueGuarantee& queue) {
  DrawnQueue drawn{[&](const Rational& time) { return queue.arrivals(time); },
                   [&](const Rational& time) { return queue.service(time); }};
  // The maxima are at breakpoints of one of the curves.
  drawn.times.emplace_back(0);
  for (const Rational& time : queue.arrivals.breaks()) drawn.times.push_back(time);
  for (const auto& piece : queue.service.pieces()) drawn.times.push_back(piece.start);
  std::sort(drawn.times.begin(), drawn.times.end());
  Rational backlog = -1, delay = -1;
  for (const Rational& time : drawn.times) {
    if (const Rational its = queue.arrivals(time) - queue.service(time); its > backlog)
      std::tie(backlog, drawn.at_backlog) = std::pair(its, time);
    if (const Rational its = queue.service.inverse(queue.arrivals(time)) - time; its > delay)
      std::tie(delay, drawn.at_delay) = std::pair(its, time);
  }
  drawn.delay = delay;
  drawn.end = std::max(
      {Rational(2 * (drawn.at_delay + delay)), Rational(drawn.times.back() * Rational(5) / 4), Rational(1)});
  return drawn;
}

/// With the service of the window that has the largest delay.
DrawnQueue drawn_steps(const bounds::QueueSteps& steps) {
  DrawnQueue drawn;
  const bounds::StepService* slowest = nullptr;
  for (const bounds::StepService& service : steps.services)
    if (const auto its = horizontal_distance(steps.arrivals, steps.end, service, 0);
        slowest == nullptr || (its && its->delay > drawn.delay)) {
      slowest = &service;
      drawn.window = static_cast<std::size_t>(slowest - steps.services.data());
      if (its) std::tie(drawn.delay, drawn.at_delay) = std::tie(its->delay, its->at);
    }
  const bounds::StepCurve arrivals = steps.arrivals, sent = slowest->sent;
  drawn.end =
      std::min(slowest->horizon, Rational(std::max(Rational(2 * steps.end), Rational(drawn.delay * 3 / 2))));
  drawn.arrivals = [arrivals](const Rational& time) { return arrivals(time); };
  drawn.highest = arrivals(drawn.end) * Rational(5) / 4;
  drawn.service = [sent](const Rational& time) { return std::max(sent(time), Rational(0)); };
  Rational backlog = -1;
  for (const auto* curve : {&arrivals, &sent})
    for (const auto& piece : curve->pieces()) {
      if (piece.start > drawn.end) continue;
      drawn.times.push_back(piece.start);
      if (piece.start > steps.end) continue;
      if (const Rational its = arrivals(piece.start) - drawn.service(piece.start); its > backlog)
        std::tie(backlog, drawn.at_backlog) = std::pair(its, piece.start);
    }
  return drawn;
}

/// Arrivals and service of one queue, with the maximum backlog and delay.
Picture curves_picture(const Guaranteed& of) {
  const std::size_t number = of.answer.drawn;
  const QueueGuarantee& queue = of.queue(number);
  const network::PolicedUnits& units = of.query.file.units;
  const auto steps = bounds::steps_of_queue(of.network(), number, {.whole_slots = of.query.whole_slots});
  const DrawnQueue drawn = steps ? drawn_steps(*steps) : drawn_curves(queue);
  std::vector<double> kinks;
  for (const Rational& time : drawn.times) {
    if (time > drawn.end) continue;
    kinks.push_back(number_of(time));
    if (time > 0) kinks.push_back(std::nextafter(number_of(time), 0.0));  // before a jump
  }
  kinks.push_back(number_of(drawn.end));
  std::sort(kinks.begin(), kinks.end());
  const auto drawn_curve = [&](const char* title, const auto& function) {
    return Curve{
        .title = title,
        .style = CurveStyle::line,
        .course = course_of(
            [function, end = drawn.end, highest = drawn.highest](double time) -> std::optional<double> {
              const Rational value = function(std::min(numeric::to_rational(time), end));
              if (highest && value > *highest) return std::nullopt;
              return number_of(value);
            },
            kinks)};
  };
  Curve arrivals = drawn_curve(steps ? "arrivals, in whole packets" : "arrival curve", drawn.arrivals);
  Curve service = drawn_curve(
      queue.gates && !queue.gates->always ? "service after a window" : "service curve", drawn.service);
  const double level = number_of(drawn.arrivals(drawn.at_delay));
  Curve maximum{.title = fmt::format("backlog, at most {} {}", plain(max_data(of, queue)), units.size),
                .style = CurveStyle::span,
                .points = {{number_of(drawn.at_backlog), number_of(drawn.service(drawn.at_backlog))},
                           {number_of(drawn.at_backlog), number_of(drawn.arrivals(drawn.at_backlog))}}};
  Curve latest{
      .title =
          fmt::format("delay, at most {}", time_in_words(at_most(of.answer.found.proof, queue.delay), units)),
      .style = CurveStyle::span,
      .points = {{number_of(drawn.at_delay), level}, {number_of(drawn.at_delay + drawn.delay), level}}};
  std::vector<Curve> curves{std::move(arrivals), std::move(service), std::move(maximum), std::move(latest)};
  if (steps && queue.gates && !queue.gates->always) {
    const auto [opens, closes] = queue.gates->next_window(drawn.window, of.network().ports[queue.port].rate);
    curves.push_back({.title = "next window",
                      .style = CurveStyle::span,
                      .points = {{number_of(opens), 0.0}, {number_of(closes), 0.0}}});
  }
  const std::string of_class = queue.traffic_class
                                   ? fmt::format(", class {}", class_name(of.network(), queue.traffic_class))
                                   : std::string();
  return {.title = fmt::format("Worst case at port {}{}", of.port_name(number), of_class),
          .x_label = fmt::format("length of time [{}]", units.time),
          .y_label = fmt::format("data [{}]", units.size),
          .note = of.query.port ? "" : "the queue with the largest delay bound of those requested",
          .curves = std::move(curves)};
}

/// Why flows have no bound, and how many.
std::map<std::string, std::size_t> reasons_of(const Guaranteed& of) {
  std::map<std::string, std::size_t> all;
  for (const FlowRoute& route : of.answer.routes)
    if (const std::string& reason = of.answer.at(route).none; !reason.empty()) ++all[reason];
  return all;
}

std::vector<TableLayout> tables_of(const network::PolicedUnits& units) {
  const TableLayout flows = flow_table(units).layout(), ports = port_table(units).layout();
  return {flows,
          ports,
          {"latest_flows", max_of_many, flows.columns},
          {"slowest_ports", max_of_many, ports.columns}};
}

}  // namespace

Layout network_guarantee_layout() {
  const network::PolicedUnits units;
  return {.command = "guarantee",
          .inputs = guarantee_inputs().columns(),
          .results = guarantee_results().columns(),
          .tables = tables_of(units),
          .quiet = {"max_delay"}};
}

Document document(const NetworkGuaranteeQuery& query, NetworkGuaranteeAnswer answer) {
  const auto all = std::make_shared<const Guaranteed>(Guaranteed{query, std::move(answer)});
  const network::PolicedUnits& units = query.file.units;
  const Table<FlowRow> flows = flow_table(units);
  const Table<QueueRow> ports = port_table(units);
  Layout layout = network_guarantee_layout();
  layout.tables = tables_of(units);
  Document document{
      .layout = std::make_shared<const Layout>(std::move(layout)),
      .headline = headline(all),
      .settings = fmt::format("{}: {}; routes {}.", query.name(),
                              query.flow ? "flow " + *query.flow : counted(all->answer.flows.size(), "flow"),
                              routes_in_words(query.file.rules, {})),
      .results = {},
      .digits = policed_digits};
  Result& result = document.results.emplace_back();
  result.inputs = guarantee_inputs().cells(query);
  result.cells = guarantee_results().cells(*all);
  const auto& found = all->answer.found;
  // Those without a bound first: they are what a user must know of.
  const auto later = [&](std::size_t one, std::size_t other) {
    const auto its = FlowRow{all, one}.delay(), others = FlowRow{all, other}.delay();
    return its && others ? *its > *others : !its && others;
  };
  const auto slower = [&](std::size_t one, std::size_t other) {
    const QueueGuarantee &its = found.queues[one], &others = found.queues[other];
    return its.none.empty() && others.none.empty() ? its.delay > others.delay
                                                   : !its.none.empty() && others.none.empty();
  };
  std::vector<std::size_t> positions(all->answer.routes.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  add_rows(
      result, flows, "latest_flows", "flows with the largest delay bounds", positions,
      [all](std::size_t position) {
        return FlowRow{all, position};
      },
      later);
  add_rows(
      result, ports, "slowest_ports", "ports with the largest delay bounds", all->answer.queues,
      [all](std::size_t queue) {
        return QueueRow{all, queue};
      },
      slower);
  result.lines.push_back({"topology", found.cyclic.empty()
                                          ? "feed-forward: no cyclic dependency"
                                          : fmt::format("fixed point of a cyclic network, found in {} "
                                                        "iterations; the delays are mutually consistent",
                                                        found.rounds)});
  for (const auto& [reason, count] : reasons_of(*all))
    document.notes.push_back(fmt::format("No bound for {}: {}.", counted(count, "flow"), reason));
  document.notes.emplace_back(worst_case_basis);
  if (all->in_slots() && std::any_of(found.queues.begin(), found.queues.end(),
                                     [](const QueueGuarantee& queue) { return queue.in_slots.has_value(); }))
    document.notes.emplace_back(slots_basis);
  if (std::any_of(all->answer.routes.begin(), all->answer.routes.end(), [&](const FlowRoute& route) {
        return all->answer.at(route).used(query.method) == GuaranteeMethod::schedule;
      }))
    document.notes.emplace_back(schedule_basis);
  document.picture = [all] { return curves_picture(*all); };
  document.further_pictures = {
      [all] { return picture_of_network(all->query.name(), network_picture(all->network())); }};
  return document;
}

}  // namespace tailbound::render
