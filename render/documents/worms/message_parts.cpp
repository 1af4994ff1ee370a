#include <fmt/format.h>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/worms/message_parts.hpp>

#include <algorithm>

namespace tailbound::render {
namespace {

MessagePart simulated_part(std::string name, std::optional<std::int64_t> flits,
                           const sim::WormPartEstimates& found) {
  MessagePart part{.name = std::move(name),
                   .flits = flits,
                   .latency = shown(found.latency),
                   .source_wait = shown(found.source_wait),
                   .throughput = shown(found.throughput),
                   .messages = Whole{static_cast<std::int64_t>(found.messages)}};
  for (const sim::WormPercentile& percentile : found.percentiles)
    part.percentiles.push_back(shown(percentile.latency));
  return part;
}

/// Marks lengths that are not the only ones of their class.
std::vector<MessagePart> marked(std::vector<MessagePart> parts) {
  for (MessagePart& part : parts)
    part.alone = std::count_if(parts.begin(), parts.end(), [&](const MessagePart& other) {
                   return other.name == part.name && other.flits;
                 }) <= 1;
  return parts;
}

/// Class and length of a row.
template <class Row>
Fields<Row> part_fields() {
  return {
      {{"class", "class", "", Shape::text, "of the messages; null if there is only one"},
       [](const Row& of) { return of.name.empty() ? std::nullopt : std::optional(of.name); }},
      {{"flits", "flits", "", Shape::whole, "their length; null for all lengths of the class"}, &Row::flits}};
}

std::string part_key(std::size_t i) {
  return fmt::format("part_{}", i);
}

bool has_columns(const std::vector<MessagePart>& parts) {
  return !parts.empty() && parts.size() <= max_part_columns;
}

}  // namespace

std::string MessagePart::title() const {
  const std::string length = flits ? counted(*flits, "flit") : "";
  if (name.empty()) return length.empty() ? "all messages" : length;
  return alone || length.empty() ? name : name + ", " + length;
}

std::vector<MessagePart> parts_of(const answers::WormholePoint& point) {
  std::vector<MessagePart> parts;
  for (const answers::MessageLatency& its : point.by_length)
    parts.push_back({.name = its.name,
                     .flits = its.flits,
                     .latency = shown(its.latency),
                     .source_wait = shown(its.source_wait),
                     .share = shown(numeric::Model<unit::Ratio>{its.share})});
  return marked(std::move(parts));
}

std::vector<MessagePart> parts_of(const sim::WormEstimates& found) {
  std::vector<MessagePart> parts;
  for (const sim::WormClassEstimates& its : found.by_class) {
    if (its.by_length.size() != 1 && found.by_class.size() > 1)
      parts.push_back(simulated_part(its.name, std::nullopt, its.found));
    for (const sim::WormLengthEstimates& length : its.by_length)
      parts.push_back(simulated_part(its.name, length.flits, length.found));
  }
  return marked(std::move(parts));
}

const Table<MessagePart>& message_part_table(Shape shape) {
  using Part = MessagePart;
  const auto made = [](Shape times) {
    const bool model = times == Shape::model;
    const auto time = [&](const char* key, const char* heading, const char* meaning) {
      return Column{key, heading, "cycles", times, meaning};
    };
    const Fields<Part> messages{
        part_fields<Part>(),
        {time("latency", "latency", "mean latency"), &Part::latency},
        {time("source_wait", "source queueing", "mean source queueing"), &Part::source_wait}};
    const Fields<Part> modelled{{{"share", "share", "", Shape::model, "of all messages", Style::percent},
                                 [](const Part& of) { return of.share; }}};
    const Fields<Part> simulated{
        {{"throughput", "throughput", "flits/cycle/node", Shape::estimate,
          "flits delivered per node that sends in any class"},
         &Part::throughput},
        {{"messages", "messages", "", Shape::whole, "delivered while measured"}, &Part::messages}};
    return Table<Part>{"by_length", "mean latency by class and length, where messages differ",
                       model ? Fields<Part>{messages, modelled} : Fields<Part>{messages, simulated}};
  };
  static const Table<Part> model = made(Shape::model), simulated = made(Shape::estimate);
  return shape == Shape::model ? model : simulated;
}

const Table<ComparedPart>& compared_part_table() {
  using Row = ComparedPart;
  static const Table<Row> table{
      "by_length",
      "mean latency by class and length, where messages differ",
      {part_fields<Row>(),
       {{"prediction", "model", "cycles", Shape::model, "mean latency of the model; null beyond saturation"},
        &Row::prediction},
       {estimated_cycles("simulation", "simulation", "mean latency; null if none arrived"), &Row::simulation},
       {{"error", "error", "", Shape::estimate, "prediction / simulation - 1", Style::percent},
        &Row::error}}};
  return table;
}

std::vector<ComparedPart> compared_parts(const sim::WormEstimates& found,
                                         const std::vector<answers::MessageLatency>& modelled) {
  std::vector<ComparedPart> all;
  for (const MessagePart& part : parts_of(found)) {
    ComparedPart& row = all.emplace_back(ComparedPart{.name = part.name, .flits = part.flits});
    row.simulation = part.latency;
    const auto its = std::find_if(modelled.begin(), modelled.end(), [&](const auto& each) {
      return each.name == part.name && each.flits == part.flits;
    });
    if (its == modelled.end()) continue;
    row.prediction = shown(its->latency);
    if (const auto* simulated = std::get_if<Estimate>(&part.latency))
      row.error = observed(its->latency.value / simulated->value - 1);
  }
  return all;
}

const Table<PartPercentile>& part_percentile_table() {
  using Row = PartPercentile;
  static const Table<Row> table{
      "by_length_percentiles",
      "of the latency by class and length, where messages differ",
      {part_fields<Row>(),
       {{"percentile", "percentile", "", Shape::given, "in percent of these messages"},
        [](const Row& of) { return numeric::Rational(of.fraction * 100); }},
       {estimated_cycles("latency", "latency", "null if none arrived"), &Row::latency}}};
  return table;
}

std::vector<PartPercentile> percentiles_of(const std::vector<MessagePart>& parts,
                                           const std::vector<numeric::Rational>& fractions) {
  std::vector<PartPercentile> all;
  for (const MessagePart& part : parts)
    for (std::size_t i = 0; i < fractions.size(); ++i)
      all.push_back({part.name, part.flits, fractions[i],
                     i < part.percentiles.size() ? part.percentiles[i] : Value(None{})});
  return all;
}

Rows part_rows(std::vector<MessagePart> parts, Shape shape, bool few_results) {
  const bool has_own_columns = has_columns(parts);
  Rows rows = message_part_table(shape).rows(share(std::move(parts)));
  rows.caption = "By class and length:";
  rows.in_text = few_results && !has_own_columns;
  return rows;
}

std::vector<Column> part_columns(const std::vector<MessagePart>& parts, Shape shape) {
  std::vector<Column> columns;
  if (!has_columns(parts)) return columns;
  for (std::size_t i = 0; i < parts.size(); ++i)
    columns.push_back({part_key(i), parts[i].title(), "", shape, ""});
  return columns;
}

Cells part_cells(const std::vector<MessagePart>& parts) {
  Cells cells;
  if (!has_columns(parts)) return cells;
  for (std::size_t i = 0; i < parts.size(); ++i) cells.push_back({part_key(i), parts[i].latency});
  return cells;
}

std::vector<Line> part_lines(const std::vector<MessagePart>& parts) {
  std::vector<Line> lines;
  if (!has_columns(parts)) return lines;
  for (const MessagePart& part : parts)
    lines.push_back({"latency, " + part.title(),
                     brief(part.latency) + (std::holds_alternative<None>(part.latency) ? "" : " cycles")});
  return lines;
}

}  // namespace tailbound::render
