#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/delay_command.hpp>
#include <cli/delay_question.hpp>
#include <cli/plots.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>

namespace tailbound::cli {
namespace {

using Percentile = bounds::ClaimedPercentile;
using numeric::Rational;

// --- numbers
// ---------------------------------------------------------------------------------------------------

ShownNumber shown(const numeric::Enclosure<unit::Probability>& enclosure, const DelayRequest& request) {
  return show(enclosure, request.digits);
}

/// Time of `slots` slots [ns].
std::string in_ns(const DelayRequest& request, Slots slots) {
  return show(*request.units.slot_ns * cln::cl_I(static_cast<long>(slots.value)), {10}).brief;
}

/// "16 x 0.05", "16 on-off x 0.05" or "3 unequal".
std::string sources_in_words(const network::QueueTraffic& traffic) {
  if (traffic.sources.empty() && traffic.bursts.size() == 1)
    return fmt::format("{} on-off x {}", traffic.bursts.front().count,
                       plain(traffic.bursts.front().source.load));
  if (traffic.bursts.empty() && traffic.sources.size() == 1)
    return fmt::format("{} x {}", traffic.sources.front().count, plain(traffic.sources.front().rate));
  std::int64_t count = 0;
  for (const network::SourceRate& source : traffic.sources) count += source.count;
  for (const network::BurstySource& source : traffic.bursts) count += source.count;
  return fmt::format("{} unequal", count);
}

// --- table
// -----------------------------------------------------------------------------------------------------

/// Which columns hold numbers, and so are set right.
std::vector<bool> numbers(const std::vector<std::string>& header) {
  std::vector<bool> right;
  for (const std::string& name : header)
    right.push_back(name == "queueing" || name == "latency" || name == "latency ns" || name == "hop" ||
                    name == "buffer" || name == "bytes");
  return right;
}

std::string percentile_table(const DelayRequest& request, const bounds::ClaimedDelayAnswer& delay) {
  std::vector<std::vector<std::string>> rows{{"percentile", "queueing", "latency", "proof"}};
  if (request.units.slot_ns) rows.front().insert(rows.front().begin() + 3, "latency ns");
  for (std::size_t i = 0; i < delay.queueing.size(); ++i) {
    const Percentile& queueing = delay.queueing[i];
    const auto brief = [&](const bounds::ClaimedSlotProbability& at) {
      // As many digits as a reader compares, whatever is known.
      bounds::ClaimedSlotProbability shown = at;
      if (auto* computed = std::get_if<numeric::Approximation<unit::Probability>>(&shown.probability))
        computed->agreed_digits = std::min(4, computed->agreed_digits);
      return fmt::format("P(D > {}) = {}", at.slots.value,
                         show(shown.probability, {std::min(4, request.digits.count)}).brief);
    };
    std::vector<std::string> row{percent(queueing.probability), std::to_string(queueing.slots.value),
                                 std::to_string(delay.latency[i].slots.value)};
    if (request.units.slot_ns) row.push_back(in_ns(request, delay.latency[i].slots));
    row.push_back(brief(queueing.at) +
                  (queueing.before.empty() ? std::string() : ", " + brief(queueing.before.front())));
    rows.push_back(std::move(row));
  }
  return to_table(rows, numbers(rows.front()));
}

std::string ccdf_table(const DelayRequest& request, const bounds::ClaimedDelayAnswer& delay) {
  std::vector<std::vector<std::string>> rows{{"t", "P(D > t)", "kind"}};
  for (const bounds::ClaimedSlotProbability& row : delay.above) {
    const ShownNumber number = show(row.probability, request.digits);
    rows.push_back({std::to_string(row.slots.value), number.brief, in_words(number)});
  }
  return to_table(rows, {true, false, false});
}

std::string hop_table(const DelayReport& report, const DelayFlow& flow) {
  const DelayRequest& request = report.request;
  std::vector<std::vector<std::string>> rows{{"hop", "load", "sources"}};
  const bool links = !flow.links.empty();
  if (links) rows.front().insert(rows.front().begin() + 1, "link");
  if (request.drop) {
    const bool loss = request.drop->criterion == bounds::Criterion::loss;
    rows.front().push_back("buffer");
    rows.front().push_back(loss ? "loss(buffer)" : "P(Q > buffer)");
    if (request.units.packet_bytes) rows.front().push_back("bytes");
  }
  for (std::size_t hop = 0; hop < flow.longest.queues.size(); ++hop) {
    const std::size_t queue = flow.longest.queues[hop];
    const network::QueueTraffic& traffic = request.queues.traffic[queue];
    std::vector<std::string> row{std::to_string(hop + 1), show(traffic.load, {5}).brief,
                                 sources_in_words(traffic)};
    if (links) row.insert(row.begin() + 1, flow.links[hop]);
    if (request.drop) {
      const bounds::ClaimedBufferSize& size = *report.buffers[queue];
      row.push_back(std::to_string(size.buffer.value));
      row.push_back(show(size.at, request.digits).brief);
      if (request.units.packet_bytes)
        row.push_back(std::to_string(size.buffer.value * *request.units.packet_bytes));
    }
    rows.push_back(std::move(row));
  }
  return to_table(rows, numbers(rows.front()));
}

std::string reorder_lines(const DelayRequest& request, const ReorderAnswer& reorder) {
  std::string text;
  if (reorder.size) {
    const bounds::ReorderBuffer& size = *reorder.size;
    text += named_line("reorder buffer", fmt::format("{} packets for one flow of {} packets a slot",
                                                     size.buffer.value, plain(reorder.flow_rate)));
    text += named_line("", fmt::format("P(R > {}) = {} <= {}{}", size.buffer.value,
                                       shown(size.at, request).brief, plain(*request.reorder),
                                       size.before ? fmt::format(" < P(R > {}) = {}", size.buffer.value - 1,
                                                                 shown(*size.before, request).brief)
                                                   : ""));
  }
  if (!reorder.tail.empty()) {
    std::vector<std::vector<std::string>> rows{{"b", "P(R > b)", "kind"}};
    for (std::size_t i = 0; i < reorder.tail.size(); ++i) {
      const ShownNumber number = shown(reorder.tail[i], request);
      rows.push_back({std::to_string(request.reorder_levels[i]), number.brief, in_words(number)});
    }
    text += (text.empty() ? "" : "\n") + indented(to_table(rows, {true, false, false}));
  }
  return text;
}

std::string mean_in_words(const numeric::Claim<unit::Slot>& mean, const DelayRequest& request) {
  const ShownNumber number = show(mean, request.digits);
  return fmt::format("{} slots, {}", number.brief, in_words(number));
}

std::string arrivals_in_words(const DelayRequest& request) {
  return request.sources == network::Sources::decoupled
             ? "decoupled: every queue is fed by all sources whose packets pass it"
             : "first-hop: every queue is fed by the links into its switch, as in the published model";
}

/// What kind of truth the answers are.
std::string truth_in_words(const DelayReport& report) {
  const bool proved = std::all_of(report.flows.begin(), report.flows.end(), [](const FlowAnswer& flow) {
    return !std::holds_alternative<numeric::Approximation<unit::Slot>>(flow.delay.mean_queueing);
  });
  return proved
             ? "as arithmetic every number is exact or certified."
             : "numbers are computed to the digits shown, not proved: a queue has too many bursty sources.";
}

std::string capitalised(std::string sentence) {
  sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  return sentence;
}

std::string one_flow(const DelayReport& report) {
  const DelayRequest& request = report.request;
  const DelayFlow& flow = request.flows.front();
  const FlowAnswer& answer = report.flows.front();
  const std::size_t hops = flow.longest.queues.size();
  std::string text =
      fmt::format("Delay {}{}: {}{} queue{} in a row\n\n",
                  flow.name.empty() ? "through the " : "of " + flow.name + " in ", request.title,
                  flow.ways.size() > 1 ? "up to " : "", hops, hops == 1 ? "" : "s");
  if (!request.question.percentiles.empty()) text += indented(percentile_table(request, answer.delay)) + "\n";
  text += named_line("mean queueing", mean_in_words(answer.delay.mean_queueing, request));
  text += named_line(
      "latency", flow.ways.size() > 1
                     ? "queueing + queues passed (a packet meets them in number as it is routed)"
                     : fmt::format("queueing + {} slot{}, one for each queue", hops, hops == 1 ? "" : "s"));
  text += named_line("delay of a hop",
                     request.delay == queue::HopDelay::wait
                         ? "wait: of an arbitrary packet, first in first out, its own slot not counted"
                         : "occupancy: packets in the queue, the published figure read literally");
  text += named_line("arrivals", arrivals_in_words(request));
  if (request.units.slot_ns) text += named_line("slot", show(*request.units.slot_ns, {10}).brief + " ns");
  if (answer.reorder) text += reorder_lines(request, *answer.reorder);
  text += "\n" + indented(hop_table(report, flow));
  if (request.drop) {
    const std::int64_t total = report.total_buffer(flow);
    text += fmt::format(
        "\n  buffers for {} at each hop, {} packets in all{}\n", plain(request.drop->probability), total,
        request.units.packet_bytes ? fmt::format(" ({} bytes)", total * *request.units.packet_bytes) : "");
  }
  if (!answer.delay.above.empty()) text += "\n" + indented(ccdf_table(request, answer.delay));
  text += fmt::format("\n  D: queueing delay in slots; {}\n", truth_in_words(report));
  return text;
}

std::string all_flows(const DelayReport& report, bool quiet) {
  const DelayRequest& request = report.request;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> header{"flow", "rate", "queues", "mean"};
  for (const Rational& p : request.question.percentiles) header.push_back(percent(p) + " %");
  for (const Slots level : request.question.levels) header.push_back(fmt::format("P(D > {})", level.value));
  if (request.drop) header.push_back("buffers");
  if (request.reorder) header.push_back("reorder");
  if (!quiet) rows.push_back(header);
  for (std::size_t i = 0; i < request.flows.size(); ++i) {
    const DelayFlow& flow = request.flows[i];
    const FlowAnswer& answer = report.flows[i];
    std::vector<std::string> row{flow.name, show(*flow.rate, {5}).brief,
                                 std::to_string(flow.longest.queues.size()),
                                 show(answer.delay.mean_queueing, {4}).brief};
    for (std::size_t j = 0; j < answer.delay.queueing.size(); ++j)
      row.push_back(
          fmt::format("{} / {}", answer.delay.queueing[j].slots.value, answer.delay.latency[j].slots.value));
    for (const bounds::ClaimedSlotProbability& above : answer.delay.above)
      row.push_back(show(above.probability, request.digits).brief);
    if (request.drop) row.push_back(std::to_string(report.total_buffer(flow)));
    if (request.reorder) row.push_back(std::to_string(answer.reorder->size->buffer.value));
    rows.push_back(std::move(row));
  }
  std::vector<bool> right(header.size(), true);
  right[0] = false;
  const std::string table = to_table(rows, right);
  if (quiet) return table;
  return fmt::format(
             "Delay of {} of {}: percentiles as queueing / latency, in slots\n\n{}\n"
             "latency = queueing + queues passed; arrivals {}\n",
             request.flows.size(), request.title, table, arrivals_in_words(request)) +
         (request.drop ? fmt::format("buffers: packets in all queues on the longest way, for {} at each\n",
                                     plain(request.drop->probability))
                       : std::string()) +
         capitalised(truth_in_words(report)) + "\n";
}

std::string to_tables(const DelayReport& report, const Context& context) {
  const DelayRequest& request = report.request;
  if (request.place == DelayPlace::distribution) {
    if (context.quiet && report.reorder->size)
      return std::to_string(report.reorder->size->buffer.value) + "\n";
    return fmt::format("Reorder buffer for the {}\n\n", request.title) +
           reorder_lines(request, *report.reorder) +
           "\n  R: delivered packets that wait for an older one; delays are taken as independent of one "
           "another.\n";
  }
  if (!request.one_flow) {
    const std::string text = all_flows(report, context.quiet);
    const std::string caution = model_caution(request);
    return context.quiet || caution.empty() ? text : text + "model: " + caution + "\n";
  }
  if (context.quiet) {
    std::string text;
    for (std::size_t i = 0; i < report.flows.front().delay.queueing.size(); ++i)
      text += fmt::format("{} {} {}\n", percent(report.flows.front().delay.queueing[i].probability),
                          report.flows.front().delay.queueing[i].slots.value,
                          report.flows.front().delay.latency[i].slots.value);
    return text;
  }
  const std::string caution = model_caution(request);
  return one_flow(report) + (caution.empty() ? std::string() : "  model: " + caution + "\n");
}

// --- JSON
// ------------------------------------------------------------------------------------------------------

void add_reorder(Json& json, const DelayRequest& request, const ReorderAnswer& reorder) {
  if (reorder.size) json["reorder_buffer"] = reorder.size->buffer.value;
  Json details{{"flow_rate", numeric::to_fraction(reorder.flow_rate)}};
  if (reorder.size) {
    details["probability"] = to_json(shown(reorder.size->at, request));
    if (reorder.size->before) details["probability_before"] = to_json(shown(*reorder.size->before, request));
  }
  for (std::size_t i = 0; i < reorder.tail.size(); ++i)
    details["tail"].push_back(
        {{"level", request.reorder_levels[i]}, {"probability", to_json(shown(reorder.tail[i], request))}});
  json["reorder"] = std::move(details);
}

Json percentile_json(const DelayRequest& request, const Percentile& queueing, const Percentile& latency) {
  const auto proof = [&](const Percentile& percentile) {
    Json json{{"probability", to_json(show(percentile.at.probability, request.digits))}};
    if (!percentile.before.empty())
      json["probability_before"] = to_json(show(percentile.before.front().probability, request.digits));
    return json;
  };
  Json json{{"percentile", numeric::nearest_double(queueing.probability * 100)},
            {"exceeded_by", plain(1 - queueing.probability)},
            {"queueing_slots", queueing.slots.value},
            {"latency_slots", latency.slots.value}};
  if (request.units.slot_ns) {
    json["queueing_ns"] = in_ns(request, queueing.slots);
    json["latency_ns"] = in_ns(request, latency.slots);
  }
  json["queueing_proof"] = proof(queueing);
  json["latency_proof"] = proof(latency);
  return json;
}

Json hops_json(const DelayReport& report, const DelayFlow& flow) {
  const DelayRequest& request = report.request;
  Json hops = Json::array();
  for (std::size_t hop = 0; hop < flow.longest.queues.size(); ++hop) {
    const std::size_t queue = flow.longest.queues[hop];
    Json json{{"hop", hop + 1}};
    if (!flow.links.empty()) json["link"] = flow.links[hop];
    json["load"] = numeric::to_fraction(request.queues.traffic[queue].load);
    Json sources = Json::array();
    for (const network::SourceRate& source : request.queues.traffic[queue].sources)
      sources.push_back({{"count", source.count}, {"rate", numeric::to_fraction(source.rate)}});
    for (const network::BurstySource& each : request.queues.traffic[queue].bursts)
      sources.push_back({{"count", each.count},
                         {"rate", numeric::to_fraction(each.source.load)},
                         {"burst", numeric::to_fraction(1 / each.source.stop)},
                         {"on_rate", numeric::to_fraction(each.source.on_rate)}});
    if (sources.size() <= 64) json["sources"] = std::move(sources);
    if (request.drop) {
      const bounds::ClaimedBufferSize& size = *report.buffers[queue];
      json["buffer"] = size.buffer.value;
      json["probability"] = to_json(show(size.at, request.digits));
      if (request.units.packet_bytes) json["bytes"] = size.buffer.value * *request.units.packet_bytes;
    }
    hops.push_back(std::move(json));
  }
  return hops;
}

void add_flow(Json& json, const DelayReport& report, std::size_t i) {
  const DelayRequest& request = report.request;
  const DelayFlow& flow = request.flows[i];
  const FlowAnswer& answer = report.flows[i];
  json["percentiles"] = Json::array();
  for (std::size_t j = 0; j < answer.delay.queueing.size(); ++j)
    json["percentiles"].push_back(
        percentile_json(request, answer.delay.queueing[j], answer.delay.latency[j]));
  json["ccdf"] = Json::array();
  for (const bounds::ClaimedSlotProbability& above : answer.delay.above)
    json["ccdf"].push_back(
        {{"slots", above.slots.value}, {"probability", to_json(show(above.probability, request.digits))}});
  json["mean_queueing_slots"] = to_json(show(answer.delay.mean_queueing, request.digits));
  json["mean_latency_slots"] = to_json(show(answer.delay.mean_latency, request.digits));
  json["hops"] = hops_json(report, flow);
  if (request.drop) json["total_buffer"] = report.total_buffer(flow);
  if (answer.reorder) add_reorder(json, request, *answer.reorder);
}

std::string to_json_text(const DelayOptions& options, const DelayReport& report, const Context& context) {
  const DelayRequest& request = report.request;
  Json document = new_document(context, "delay");
  document["inputs"] = describe_delay(options, request);
  const std::string caution = model_caution(request);
  if (!caution.empty()) document["model"] = caution;
  if (request.place == DelayPlace::distribution) {
    add_reorder(document, request, *report.reorder);
    return to_text(document);
  }
  if (request.one_flow) {
    add_flow(document, report, 0);
    return to_text(document);
  }
  return to_text(document, "flows", request.flows.size(), [&](std::size_t i) {
    const DelayFlow& flow = request.flows[i];
    Json json{{"flow", flow.name},
              {"source", flow.source},
              {"destination", flow.destination},
              {"rate", numeric::to_fraction(*flow.rate)}};
    add_flow(json, report, i);
    return json;
  });
}

// --- CSV
// -------------------------------------------------------------------------------------------------------

/// One row for each number: what it is, at which argument, in whole slots or packets, and as a probability.
std::string to_csv(const DelayReport& report) {
  const DelayRequest& request = report.request;
  std::vector<std::string> header{"flow", "quantity", "argument", "whole"};
  const std::vector<std::string> columns = csv_columns("number");
  header.insert(header.end(), columns.begin(), columns.end());
  std::string text = csv_line(header);
  const auto row = [&](const std::string& flow, const std::string& quantity, const std::string& argument,
                       const std::string& whole, const ShownNumber& number) {
    std::vector<std::string> fields{flow, quantity, argument, whole};
    append_csv(fields, number);
    text += csv_line(fields);
  };
  const auto reorder_rows = [&](const std::string& flow, const ReorderAnswer& reorder) {
    if (reorder.size)
      row(flow, "reorder_buffer", plain(*request.reorder), std::to_string(reorder.size->buffer.value),
          shown(reorder.size->at, request));
    for (std::size_t i = 0; i < reorder.tail.size(); ++i)
      row(flow, "reorder_tail", std::to_string(request.reorder_levels[i]), "",
          shown(reorder.tail[i], request));
  };
  if (report.reorder) reorder_rows("", *report.reorder);
  for (std::size_t i = 0; i < request.flows.size(); ++i) {
    const DelayFlow& flow = request.flows[i];
    const FlowAnswer& answer = report.flows[i];
    row(flow.name, "mean_queueing_slots", "", "", show(answer.delay.mean_queueing, request.digits));
    for (std::size_t j = 0; j < answer.delay.queueing.size(); ++j) {
      for (const auto& [quantity, of] : {std::pair{"queueing_slots", &answer.delay.queueing[j]},
                                         std::pair{"latency_slots", &answer.delay.latency[j]}})
        row(flow.name, quantity, percent(of->probability), std::to_string(of->slots.value),
            show(of->at.probability, request.digits));
    }
    for (const bounds::ClaimedSlotProbability& above : answer.delay.above)
      row(flow.name, "ccdf", std::to_string(above.slots.value), "", show(above.probability, request.digits));
    if (request.drop)
      for (std::size_t hop = 0; hop < flow.longest.queues.size(); ++hop) {
        const bounds::ClaimedBufferSize& size = *report.buffers[flow.longest.queues[hop]];
        row(flow.name, "buffer", flow.links.empty() ? std::to_string(hop + 1) : flow.links[hop],
            std::to_string(size.buffer.value), show(size.at, request.digits));
      }
    if (answer.reorder) reorder_rows(flow.name, *answer.reorder);
  }
  return text;
}

// --- picture
// ---------------------------------------------------------------------------------------------------

/// P(D > t) on powers of ten, the percentiles marked; of several flows the four whose last percentile is
/// greatest.
plots::Picture picture(const DelayReport& report) {
  const DelayRequest& request = report.request;
  plots::Picture picture{.title = "Queueing delay, " + request.title,
                         .x_label = "t [slots]",
                         .y_label = "P(D > t)",
                         .note = model_caution(request),
                         .powers_of_ten = true,
                         .curves = {}};
  const auto reach = [&](std::size_t flow) {
    std::int64_t last = 1;
    for (const Percentile& percentile : report.flows[flow].delay.queueing)
      last = std::max(last, percentile.slots.value);
    for (const bounds::ClaimedSlotProbability& above : report.flows[flow].delay.above)
      last = std::max(last, above.slots.value);
    return last;
  };
  std::map<FlowKey, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < request.flows.size(); ++i) alike[key_of(request.flows[i])].push_back(i);
  std::vector<std::size_t> shown_flows;
  for (const auto& [key, flows] : alike) shown_flows.push_back(flows.front());
  std::sort(shown_flows.begin(), shown_flows.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(-reach(a), a) < std::pair(-reach(b), b); });
  if (shown_flows.size() > 4) {
    picture.title += fmt::format(": the 4 slowest of {} flows", request.flows.size());
    shown_flows.resize(4);
  }
  const auto title = [&](std::size_t i) {
    const std::size_t others = alike[key_of(request.flows[i])].size() - 1;
    return request.flows[i].name.empty() ? "P(D > t)"
           : others == 0                 ? request.flows[i].name
                                         : fmt::format("{} and {} like it", request.flows[i].name, others);
  };
  for (const std::size_t i : shown_flows) {
    plots::Curve curve{.title = title(i),
                       .style = shown_flows.size() == 1 ? plots::Style::steps : plots::Style::line,
                       .points = {}};
    for (const bounds::ClaimedSlotProbability& above : ccdf_of(request, i, reach(i)))
      if (plots::log10(above.probability) > -1e5)
        curve.points.emplace_back(static_cast<double>(above.slots.value), plots::log10(above.probability));
    if (!curve.points.empty()) picture.curves.push_back(std::move(curve));
  }
  if (picture.curves.empty()) throw NoAnswer("there is nothing to draw: no packet is ever delayed");
  plots::Curve marks{.title = "percentiles", .style = plots::Style::marks, .points = {}};
  for (const std::size_t i : shown_flows)
    for (const Percentile& percentile : report.flows[i].delay.queueing) {
      const double y = plots::log10(percentile.at.probability);
      if (!(y > -1e5)) continue;
      marks.points.emplace_back(static_cast<double>(percentile.slots.value), y);
      marks.labels.push_back(
          shown_flows.size() == 1
              ? fmt::format("{} %: {} slots", percent(percentile.probability), percentile.slots.value)
              : std::string());
    }
  if (!marks.points.empty()) picture.curves.push_back(std::move(marks));
  return picture;
}

Reply answer(const DelayOptions& options, bool draws, const Context& context) {
  DelayRequest request = read_delay_request(options);
  if (draws && request.place == DelayPlace::distribution)
    throw InvalidArgument("--plot", "given together with --delays", "left out: the delays are given");
  const auto report = std::make_shared<DelayReport>(answer_delay(std::move(request), context));
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(*report, context); },
      [&] { return to_json_text(options, *report, context); }, [&] { return to_csv(*report); });
  if (draws) reply.draw = [report](const std::string& file) { plots::draw(picture(*report), file); };
  return reply;
}

}  // namespace

Command add_delay_command(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("delay", "how long do packets take through a tree or any network?");
  const auto options = std::make_shared<DelayOptions>();
  add_delay_options(*command, *options);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound delay --radix 16 --levels 3 --load 0.8\n"
      "prints\n"
      "\n"
      "  Delay through the 16-ary 3-tree at load 0.8, random-root routing: 5 queues in a row\n"
      "\n"
      "      percentile  queueing  latency  proof\n"
      "      50                 9       14  P(D > 9) = 0.46943, P(D > 8) = 0.55031\n"
      "      90                17       22  P(D > 17) = 0.083128, P(D > 16) = 0.10691\n"
      "      99                25       30  P(D > 25) = 0.0087806, P(D > 24) = 0.011850\n"
      "      99.99             39       44  P(D > 39) = 0.000091937, P(D > 38) = 0.00012956\n"
      "      99.9999           52       57  P(D > 52) = 9.0623e-7, P(D > 51) = 1.3044e-6\n"
      "\n"
      "    mean queueing   9.86572265625 slots, exact\n"
      "    latency         queueing + 5 slots, one for each queue\n"
      "    delay of a hop  wait: of an arbitrary packet, first in first out, its own slot not counted\n"
      "    arrivals        decoupled: every queue is fed by all sources whose packets pass it\n"
      "\n"
      "      hop  load  sources\n"
      "        1  0.8   16 x 0.05\n"
      "        2  0.8   256 x 0.003125\n"
      "        3  0.8   4096 x 0.0001953125\n"
      "        4  0.8   4096 x 0.0001953125\n"
      "        5  0.8   4096 x 0.0001953125\n"
      "\n"
      "    D: queueing delay in slots; as arithmetic every number is exact or certified.\n"
      "    model: hops are taken as independent, though waits are positively correlated: simulated tails "
      "(16-ary 3-tree, load 0.8) are 7% lighter at 1e-2, 10% heavier at 2e-6, 36% at 5e-8\n");
  return {.app = command, .answer = [command, options](const Context& context) {
            return answer(*options, command->get_option("--plot")->count() > 0, context);
          }};
}

}  // namespace tailbound::cli
