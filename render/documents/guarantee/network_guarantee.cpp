#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/guarantee/network_guarantee.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/fields.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace tailbound::render {
namespace {

using namespace answers;
using bounds::FlowGuarantee;
using bounds::GuaranteeMethod;
using bounds::QueueGuarantee;
using numeric::plain;
using numeric::Rational;

/// Rows of text tables; the rest is in data formats.
constexpr std::size_t most_guarantee_rows = 32;
constexpr numeric::Digits shown_digits{6};

constexpr const char* worst_case_basis =
    "Never exceeded, whatever the flows send that passes their buckets: proved bounds, computed in "
    "fractions. Packets "
    "are stored and forwarded; a delay runs from a packet's last bit in to its last bit out. A host's link "
    "is a port "
    "here, where its flows wait for each other.";

/// What rows and pictures look at.
struct Guaranteed {
  NetworkGuaranteeQuestion question;
  NetworkGuaranteeAnswer answer;

  [[nodiscard]] const network::PolicedNetwork& network() const { return question.file.network; }
  [[nodiscard]] const QueueGuarantee& queue(std::size_t q) const { return answer.found.queues[q]; }
  /// Are queues seen at whole slots only, with whole packets?
  [[nodiscard]] bool whole_packets() const {
    return question.file.units.slotted() &&
           std::all_of(network().ports.begin(), network().ports.end(),
                       [](const network::PolicedPort& port) { return port.latency == 0 && port.wire == 0; });
  }
  [[nodiscard]] std::string port_name(std::size_t q) const { return network().ports[queue(q).port].name; }
  [[nodiscard]] std::string class_name(std::size_t q) const {
    const auto its = queue(q).traffic_class;
    return its ? network().classes[*its] : std::string("all");
  }
};
using Shown = std::shared_ptr<const Guaranteed>;

struct FlowRow {
  Shown all;
  std::size_t flow = 0;
  [[nodiscard]] const FlowGuarantee& its() const { return all->answer.found.flows[flow]; }
  [[nodiscard]] const network::PolicedFlow& policed() const { return all->network().flows[flow]; }
  [[nodiscard]] const Rational& delay() const { return its().delay(all->question.method); }
};
struct QueueRow {
  Shown all;
  std::size_t queue = 0;
  [[nodiscard]] const QueueGuarantee& its() const { return all->queue(queue); }
};

/// Whole bytes or bits, up; of packets and slots whole numbers are what there is, so down.
Rational most_data(const QueueGuarantee& queue, bool whole) {
  if (queue.in_slots) return std::min(Rational(cln::floor1(queue.backlog)), numeric::whole(*queue.in_slots));
  return whole ? Rational(cln::floor1(queue.backlog)) : Rational(cln::ceiling1(queue.backlog));
}

/// In whole slots a packet leaves once all that were there before it have.
Rational most_delay(const QueueGuarantee& queue) {
  return queue.in_slots ? std::min(queue.delay, numeric::whole(*queue.in_slots)) : queue.delay;
}

Table<FlowRow> flow_table(const network::PolicedUnits& units) {
  return {
      "flows",
      "each flow that was asked for",
      {{{"flow", "flow", "", Shape::text, "its name"}, [](const FlowRow& of) { return of.policed().name; }},
       {{"class", "class", "", Shape::text, "its class"},
        [](const FlowRow& of) { return of.all->network().classes[of.policed().traffic_class]; },
        [](const FlowRow& of) { return of.all->network().classes.size() > 1; }},
       {{"hops", "hops", "", Shape::whole, "ports that it passes"},
        [](const FlowRow& of) { return of.its().queues.size(); }},
       {{"delay_never", "never later", units.time, Shape::bound,
         "no packet is later: from its last bit in to its last bit out, all ports and wires"},
        [](const FlowRow& of) { return at_most(of.delay()); }},
       {{"delay_least", "never earlier", units.time, Shape::given,
         "what its shortest packets take when nothing is in their way"},
        [](const FlowRow& of) { return of.its().least; }},
       {{"jitter", "jitter", units.time, Shape::bound, "most difference between two packets' delays"},
        [](const FlowRow& of) { return at_most(of.delay() - of.its().least); }},
       {{"method", "by", "", Shape::text,
         "tfa: the sum over its ports; sfa: its ports in series, the burst of others paid once; slots: tfa "
         "in "
         "whole packets and slots"},
        [](const FlowRow& of) { return of.its().used(of.all->question.method); }}}};
}

Table<QueueRow> port_table(const network::PolicedUnits& units) {
  return {"ports",
          "each queue that these flows pass",
          {{{"port", "port", "", Shape::text, "the link that it sends to"},
            [](const QueueRow& of) { return of.all->port_name(of.queue); }},
           {{"class", "class", "", Shape::text, "whose queue it is"},
            [](const QueueRow& of) { return of.all->class_name(of.queue); },
            [](const QueueRow& of) { return of.all->network().classes.size() > 1; }},
           {{"backlog_never", "never more", units.size, Shape::bound,
             "most that its queue holds; bits leave it as they are sent"},
            [](const QueueRow& of) { return at_most(most_data(of.its(), of.all->whole_packets())); }},
           {{"delay_never", "never later", units.time, Shape::bound, "most delay at this port"},
            [](const QueueRow& of) { return at_most(most_delay(of.its())); }},
           {{"utilisation", "load", "", Shape::given,
             "what its flows send for ever, as a part of the link's rate", Style::percent},
            [](const QueueRow& of) {
              return Rational(of.its().load / of.all->network().ports[of.its().port].rate);
            }},
           {{"shaped", "", "", Shape::flag, "does a regulator behind it give flows their first curves again?",
             Style::hidden},
            [](const QueueRow& of) { return of.all->network().ports[of.its().port].reshaped; }}}};
}

const char* certificate_kind(const NetworkGuaranteeAnswer& answer) {
  return answer.found.cyclic.empty() ? "feed-forward" : "fixed point";
}

const Fields<NetworkGuaranteeQuestion>& guarantee_inputs() {
  using Question = NetworkGuaranteeQuestion;
  static const Fields<Question> fields{
      {{"network", "network", "", Shape::text, "what the file calls it, else the file"}, &Question::name},
      {{"flow", "flow", "", Shape::text, "the one that was asked about"}, &Question::flow, if_there},
      {{"method", "method", "", Shape::text, "best, tfa, sfa or slots"}, &Question::method}};
  return fields;
}

const Fields<Guaranteed>& guarantee_results() {
  static const auto cyclic = [](const Guaranteed& of) { return !of.answer.found.cyclic.empty(); };
  static const Fields<Guaranteed> fields{
      {{"size_unit", "", "", Shape::text, "of data: packets, bytes or bits", Style::hidden},
       [](const Guaranteed& of) { return of.question.file.units.size; }},
      {{"time_unit", "", "", Shape::text, "of times: slots, ns, us, ms or s", Style::hidden},
       [](const Guaranteed& of) { return of.question.file.units.time; }},
      {{"latest_flow", "latest flow", "", Shape::text, "of those asked for"},
       [](const Guaranteed& of) { return of.network().flows[of.answer.latest(of.question.method)].name; }},
      {{"greatest_delay", "never later", "", Shape::bound, "no packet of any of them is later, in time_unit"},
       [](const Guaranteed& of) {
         return at_most(
             of.answer.found.flows[of.answer.latest(of.question.method)].delay(of.question.method));
       }},
      {{"certificate", "certificate", "", Shape::text,
        "feed-forward: no flows wait for each other in a circle; fixed point: delays that bear each other "
        "out"},
       [](const Guaranteed& of) { return certificate_kind(of.answer); }},
      {{"rounds", "rounds", "", Shape::whole, "until these delays were found"},
       [](const Guaranteed& of) { return of.answer.found.rounds; },
       cyclic},
      {{"denominator", "", "", Shape::whole,
        "delays were rounded up to multiples of 1/denominator; 0: exact fractions", Style::hidden},
       [](const Guaranteed& of) { return cln::cl_I_to_long(of.answer.found.denominator); }}};
  return fields;
}

std::string time_in_words(const Rational& time, const network::PolicedUnits& units) {
  return brief(at_most(time), shown_digits) + " " + units.time;
}

std::string headline(const Guaranteed& of) {
  const network::PolicedUnits& units = of.question.file.units;
  const std::size_t latest = of.answer.latest(of.question.method);
  const FlowRow row{std::make_shared<const Guaranteed>(of), latest};
  if (of.question.flow)
    return fmt::format("No packet of flow {} through {} is ever later than {}.", row.policed().name,
                       of.question.name(), time_in_words(row.delay(), units));
  return fmt::format(
      "No packet of the {} of {} is ever later than {} (flow {}).",
      of.answer.flows.size() == 1 ? std::string("flow") : fmt::format("{} flows", of.answer.flows.size()),
      of.question.name(), time_in_words(row.delay(), units), row.policed().name);
}

/// Positions of the greatest, in their old order.
template <class Greater>
std::vector<std::size_t> greatest(std::vector<std::size_t> all, const Greater& greater) {
  if (all.size() <= most_guarantee_rows) return all;
  std::stable_sort(all.begin(), all.end(), greater);
  all.resize(most_guarantee_rows);
  std::sort(all.begin(), all.end());
  return all;
}

const char* const greatest_of_many = "those of greatest delay, where there are many";

/// The whole for data formats; where that is long, some rows again for text.
template <class Row, class RowOf>
void add_rows(Result& result, const Table<Row>& table, const char* text_key, const char* what,
              const std::vector<std::size_t>& all, const std::vector<std::size_t>& shown, const RowOf& row) {
  const auto rows_of = [&](const std::vector<std::size_t>& which) {
    return table.rows(which.size(), [which, row](std::size_t i) { return row(which[i]); });
  };
  result.tables.push_back(rows_of(all));
  if (all.size() == shown.size()) return;
  result.tables.back().in_text = false;
  Rows some = rows_of(shown);
  some.key = text_key;
  some.caption = fmt::format("the {} of {} {} that may be latest:", shown.size(), all.size(), what);
  result.tables.push_back(std::move(some));
}

double number(const Rational& value) {
  return numeric::nearest_double(value);
}

/// Arrivals and service of one queue, with the greatest backlog and delay.
Picture curves_picture(const Guaranteed& of) {
  const std::size_t drawn = of.answer.drawn;
  const QueueGuarantee& queue = of.queue(drawn);
  const network::PolicedUnits& units = of.question.file.units;
  // Where each is greatest: at a break of one of the curves.
  Rational at_backlog = 0, at_delay = 0;
  std::vector<Rational> times{0};
  for (const Rational& time : queue.arrivals.breaks()) times.push_back(time);
  for (const auto& piece : queue.service.pieces()) times.push_back(piece.start);
  std::sort(times.begin(), times.end());
  Rational backlog = -1, delay = -1;
  for (const Rational& time : times) {
    if (const Rational its = queue.arrivals(time) - queue.service(time); its > backlog)
      std::tie(backlog, at_backlog) = std::pair(its, time);
    if (const Rational its = queue.service.inverse(queue.arrivals(time)) - time; its > delay)
      std::tie(delay, at_delay) = std::pair(its, time);
  }
  const Rational end =
      std::max({Rational(2 * (at_delay + delay)), Rational(times.back() * Rational(5) / 4), Rational(1)});
  Curve arrivals{.title = "arrival curve: most that comes in any time", .style = CurveStyle::line};
  Curve service{.title = "service curve: least that is sent", .style = CurveStyle::line};
  times.push_back(end);
  for (const Rational& time : times) {
    if (time > end) continue;
    arrivals.points.emplace_back(number(time), number(queue.arrivals(time)));
    service.points.emplace_back(number(time), number(queue.service(time)));
  }
  const double level = number(queue.arrivals(at_delay));
  Curve most{
      .title = fmt::format("backlog, at most {} {}", plain(most_data(queue, of.whole_packets())), units.size),
      .style = CurveStyle::points_and_line,
      .points = {{number(at_backlog), number(queue.service(at_backlog))},
                 {number(at_backlog), number(queue.arrivals(at_backlog))}}};
  Curve latest{.title = fmt::format("delay, at most {}", time_in_words(queue.delay, units)),
               .style = CurveStyle::points_and_line,
               .points = {{number(at_delay), level}, {number(at_delay + delay), level}}};
  const std::string of_class =
      queue.traffic_class ? fmt::format(", class {}", of.class_name(drawn)) : std::string();
  return {.title = fmt::format("Worst case at port {}{}", of.port_name(drawn), of_class),
          .x_label = fmt::format("length of time [{}]", units.time),
          .y_label = fmt::format("data [{}]", units.size),
          .curves = {std::move(arrivals), std::move(service), std::move(most), std::move(latest)}};
}

std::vector<TableLayout> tables_of(const network::PolicedUnits& units) {
  const TableLayout flows = flow_table(units).layout(), ports = port_table(units).layout();
  return {flows,
          ports,
          {"latest_flows", greatest_of_many, flows.columns},
          {"slowest_ports", greatest_of_many, ports.columns}};
}

}  // namespace

Layout network_guarantee_layout() {
  const network::PolicedUnits units;
  return {.command = "guarantee",
          .inputs = guarantee_inputs().columns(),
          .results = guarantee_results().columns(),
          .tables = tables_of(units),
          .quiet = {"greatest_delay"}};
}

Document document(const NetworkGuaranteeQuestion& question, NetworkGuaranteeAnswer answer) {
  const auto all = std::make_shared<const Guaranteed>(Guaranteed{question, std::move(answer)});
  const network::PolicedUnits& units = question.file.units;
  const Table<FlowRow> flows = flow_table(units);
  const Table<QueueRow> ports = port_table(units);
  Layout layout = network_guarantee_layout();
  layout.tables = tables_of(units);
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = headline(*all),
                    .results = {},
                    .digits = shown_digits};
  Result& result = document.results.emplace_back();
  result.inputs = guarantee_inputs().cells(question);
  result.cells = guarantee_results().cells(*all);
  const auto& found = all->answer.found;
  const auto later = [&](std::size_t one, std::size_t other) {
    return found.flows[one].delay(question.method) > found.flows[other].delay(question.method);
  };
  const auto slower = [&](std::size_t one, std::size_t other) {
    return found.queues[one].delay > found.queues[other].delay;
  };
  add_rows(result, flows, "latest_flows", "flows", all->answer.flows, greatest(all->answer.flows, later),
           [all](std::size_t flow) {
             return FlowRow{all, flow};
           });
  add_rows(result, ports, "slowest_ports", "ports", all->answer.queues, greatest(all->answer.queues, slower),
           [all](std::size_t queue) {
             return QueueRow{all, queue};
           });
  result.lines.push_back(
      {"certificate",
       found.cyclic.empty()
           ? "feed-forward: no flows wait for each other in a circle"
           : fmt::format("fixed point, found in {} rounds: flows wait for each other in a circle, and\nthese "
                         "delays bear each other out",
                         found.rounds)});
  document.notes.emplace_back(worst_case_basis);
  document.picture = [all] { return curves_picture(*all); };
  return document;
}

}  // namespace tailbound::render
