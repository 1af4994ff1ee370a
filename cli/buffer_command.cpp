#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/accuracy_options.hpp>
#include <cli/buffer_command.hpp>
#include <cli/formats.hpp>
#include <cli/option_group.hpp>
#include <cli/plots.hpp>
#include <cli/traffic_options.hpp>
#include <cli/unit_options.hpp>
#include <tailbound/bounds/buffer_size.hpp>
#include <tailbound/bounds/max_load.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace tailbound::cli {
namespace {

using bounds::Criterion;
using numeric::Rational;
using queue::LevelProbability;

/// As typed; an option that was not given is empty.
struct Options {
  TrafficOptions traffic;
  AccuracyOptions accuracy;
  UnitOptions units;
  std::optional<std::string> drop, criterion, capacity, solve;
};

enum class Unknown { buffer, probability, load, speedup };

/// The options as understood.
struct Question {
  Unknown unknown = Unknown::buffer;
  std::optional<Rational> drop;     ///< target, in ]0, 1[
  std::optional<Packets> capacity;  ///< B, where it is given
  Criterion criterion = Criterion::overflow;
  queue::Accuracy accuracy;
  Units units;
  LoadOption load = LoadOption::required;
  std::string traffic{};               ///< in words, without its load
  bool loads = false, bursts = false;  ///< --load, --burst is a list
  bool list = false;                   ///< one of them is: a row for each
};

/// A probability and how it came about.
struct ShownProbability {
  ShownNumber number;
  std::string arithmetic;   ///< for scripts
  std::optional<int> bits;  ///< where there is one number of them
  std::string arithmetic_in_words;
};

/// The answer at one load.
struct Row {
  std::string load;     ///< as a fraction; empty if irrational or if it is the answer
  std::string burst;    ///< mean burst as a fraction, for on-off sources
  std::string traffic;  ///< in words
  Packets buffer;
  ShownProbability at;                     ///< the criterion at `buffer` (and the answer's load)
  std::optional<ShownProbability> beyond;  ///< on the other side of the boundary: proves that it is one
  std::optional<ShownNumber> solved;       ///< the load or the speedup that was asked for
  std::optional<ShownNumber> mean, decay;
  std::optional<ShownProbability> loss;  ///< where the criterion is no safe drop rate
};

// Above this many packets B the library gives up; so bytes and nanoseconds below fit their types.
constexpr std::int64_t kDeepest = 1'000'000'000'000'000;

Question read_question(const Options& options) {
  Question question;
  if (options.solve)
    question.unknown =
        parse_choice(*options.solve, "--solve", {"load", "speedup"}) == 0 ? Unknown::load : Unknown::speedup;
  else if (options.capacity)
    question.unknown = Unknown::probability;

  if (options.solve && (!options.capacity || !options.drop))
    throw InvalidArgument(options.capacity ? "--drop" : "--capacity", "missing",
                          "given with --solve, which needs --capacity B and --drop EPS");
  if (!options.solve && options.capacity && options.drop)
    throw InvalidArgument("--capacity", "given together with --drop",
                          "given alone for the probability of a buffer, --drop alone for the buffer of a "
                          "target, or both with --solve load or --solve speedup");
  if (!options.capacity && !options.drop)
    throw InvalidArgument("--drop", "missing",
                          "given as the target EPS, such as 1e-15 (or --capacity B, for the probability of a "
                          "buffer)");
  if (options.drop) {
    question.drop = numeric::parse_rational(*options.drop, "--drop");
    if (*question.drop <= 0 || *question.drop >= 1)
      throw InvalidArgument("--drop", *options.drop, "greater than 0 and less than 1");
  }
  if (options.capacity)
    question.capacity = Packets(parse_integer(*options.capacity, "--capacity", 0, kDeepest));
  if (options.criterion)
    question.criterion = parse_choice(*options.criterion, "--criterion", {"overflow", "loss"}) == 0
                             ? Criterion::overflow
                             : Criterion::loss;
  question.accuracy = read_accuracy(options.accuracy);

  question.units = read_units(options.units);
  if (question.unknown == Unknown::load) question.load = LoadOption::forbidden;
  question.bursts = is_list(options.traffic.burst);
  question.loads = is_list(options.traffic.load);
  question.list = question.loads || question.bursts;
  return question;
}

/// The traffic, with its load where that is one number: "16 inputs at load 0.9".
std::string traffic_in_words(const Options& options, const Question& question, const std::string& load) {
  std::string text;
  switch (traffic_form(options.traffic, question.load)) {
    case TrafficForm::equal_inputs:
      text = fmt::format("{} input{}", *options.traffic.inputs, *options.traffic.inputs == "1" ? "" : "s");
      break;
    case TrafficForm::poisson:
      text = "Poisson arrivals";
      break;
    case TrafficForm::unequal_inputs:
      text = "inputs of their own rates";
      break;
    case TrafficForm::expression:
      text = "the arrivals " + (options.traffic.arrivals->size() > 40
                                    ? options.traffic.arrivals->substr(0, 37) + "..."
                                    : *options.traffic.arrivals);
      break;
    case TrafficForm::pmf:
      text = "the arrivals of " + *options.traffic.pmf;
      break;
    case TrafficForm::on_off:
      text = fmt::format("{} input{}", *options.traffic.inputs, *options.traffic.inputs == "1" ? "" : "s");
      if (!is_list(options.traffic.burst))
        text += fmt::format(" with bursts of {} slots",
                            plain(numeric::parse_rational(*options.traffic.burst, "--burst")));
      if (options.traffic.on_rate)
        text += fmt::format(" at {} packets a slot",
                            plain(numeric::parse_rational(*options.traffic.on_rate, "--on-rate")));
      break;
    case TrafficForm::blocks:
      text = "the arrivals of " + *options.traffic.blocks;
      break;
  }
  if (!load.empty()) text += " at load " + plain(numeric::parse_rational(load, "load"));
  if (options.traffic.packets_per_slot && *options.traffic.packets_per_slot != "1")
    text += fmt::format(", {} served a slot", *options.traffic.packets_per_slot);
  return text;
}

Rational exactly(const numeric::Real& value) {
  return numeric::to_rational(value);
}

ShownProbability shown(const LevelProbability& probability, const Question& question) {
  return {show(probability.probability, question.accuracy.digits), queue::name(probability.method.arithmetic),
          probability.method.bits, in_words(probability.method)};
}

ShownProbability shown(const queue::ProbabilityClaim& claim, const Question& question) {
  ShownNumber number = show(claim, question.accuracy.digits);
  if (number.kind == "approximation")
    return {std::move(number),
            "modes",
            {},
            "some modes of the number of sources in a burst, not proved:\n" + std::string(18, ' ') +
                "the digits are those that two numbers of modes agree on"};
  return {std::move(number),
          "matrices",
          {},
          "matrices in long double (more bits where needed), bounded from below\n" + std::string(18, ' ') +
              "and from above"};
}

/// Whether P(Q > B) says less than the fraction of packets lost, so that it is no safe drop rate:
/// for one packet a slot, below load 1/2.
bool overflow_is_optimistic(const Question& question, const queue::SlottedQueue& queue) {
  const auto& load = queue.arrivals.load();
  return question.criterion == Criterion::overflow && queue.packets_per_slot == 1 && load && 2 * *load < 1;
}

/// The same for arrivals that remember: there the loss itself is asked.
bool exceeds(const ShownNumber& loss, const ShownNumber& overflow) {
  const auto number = [](const ShownNumber& shown) {
    return std::stold(shown.kind == "approximation" ? shown.value : shown.upper);
  };
  return number(loss) > number(overflow);
}

Row answer_row(const Question& question, const LoadedMarkovArrivals& loaded) {
  const numeric::Digits digits = question.accuracy.digits;
  queue::MarkovQueue queue(loaded.arrivals, digits);
  Row row;
  row.load = loaded.load;
  row.burst = loaded.burst;
  row.buffer = question.capacity.value_or(Packets(0));
  if (question.unknown == Unknown::buffer) {
    const auto size = bounds::buffer_size(queue, {*question.drop, question.criterion});
    row.buffer = size.buffer;
    row.at = shown(size.at, question);
    if (size.before) row.beyond = shown(*size.before, question);
  } else {
    row.at = shown(bounds::drop_probability(queue, row.buffer, question.criterion), question);
  }
  row.mean = show(queue.mean_occupancy(), digits);
  if (const auto decay = queue.decay_rate()) row.decay = show(*decay, digits);
  if (question.criterion == Criterion::overflow) {
    ShownProbability loss = shown(bounds::drop_probability(queue, row.buffer, Criterion::loss), question);
    if (exceeds(loss.number, row.at.number)) row.loss = std::move(loss);
  }
  return row;
}

Row answer_row(const Question& question, const LoadedQueue& loaded) {
  const queue::SlottedQueue& queue = loaded.queue;
  const numeric::Digits digits = question.accuracy.digits;
  Row row;
  row.load = loaded.load;
  row.buffer = question.capacity.value_or(Packets(0));
  const auto target = [&] {
    return bounds::DropTarget{.probability = *question.drop, .criterion = question.criterion};
  };
  switch (question.unknown) {
    case Unknown::buffer: {
      bounds::BufferSize size = bounds::buffer_size(queue, target(), question.accuracy);
      row.buffer = size.buffer;
      row.at = shown(size.at, question);
      if (size.before) row.beyond = shown(*size.before, question);
      break;
    }
    case Unknown::probability:
      row.at =
          shown(bounds::drop_probability(queue, row.buffer, question.criterion, question.accuracy), question);
      break;
    case Unknown::load: {
      bounds::MaxLoad most = bounds::max_load(queue, row.buffer, target(), question.accuracy);
      row.load.clear();
      row.solved = show(most.load, digits);
      // For people the safe end alone: rounded so that what is printed meets the target.
      row.solved->brief = numeric::to_decimal(most.load.lower(), digits.count + 1, numeric::Rounding::down);
      row.at = shown(most.at_lower, question);
      row.beyond = shown(most.at_upper, question);
      return row;
    }
    case Unknown::speedup: {
      const numeric::Proved<unit::Ratio> least =
          bounds::min_speedup(queue, row.buffer, target(), question.accuracy);
      row.solved = show(least, digits);
      if (row.solved->kind != "exact")
        row.solved->brief = numeric::to_decimal(numeric::to_enclosure(least).upper(), digits.count + 1,
                                                numeric::Rounding::up);
      // A speedup s thins the load to rho / s; the greater end is the one that is proved to meet the target.
      const Rational speedup = exactly(numeric::to_enclosure(least).upper());
      const queue::SlottedQueue faster{.arrivals = queue.arrivals.thinned(1 / speedup),
                                       .packets_per_slot = queue.packets_per_slot};
      row.at = shown(bounds::drop_probability(faster, row.buffer, question.criterion, question.accuracy),
                     question);
      return row;
    }
  }
  row.mean = show(queue::mean_occupancy(queue, digits), digits);
  if (const auto decay = queue::decay_rate(queue, digits)) row.decay = show(*decay, digits);
  if (overflow_is_optimistic(question, queue))
    row.loss =
        shown(bounds::drop_probability(queue, row.buffer, Criterion::loss, question.accuracy), question);
  return row;
}

/// "P(Q > 157)" or "loss(157)".
std::string symbol(Criterion criterion, Packets buffer) {
  return fmt::format("{}({}{})", criterion == Criterion::overflow ? "P" : "loss",
                     criterion == Criterion::overflow ? "Q > " : "", buffer.value);
}

/// Time until a full buffer is empty, no packet arriving [ns].
Rational drain_ns(const Question& question, Packets buffer, int packets_per_slot) {
  const std::int64_t slots = (buffer.value + packets_per_slot - 1) / packets_per_slot;
  return *question.units.slot_ns * cln::cl_I(static_cast<long>(slots));
}

// --- table
// -----------------------------------------------------------------------------------------------------

std::string sentence(const Question& question, const Row& row) {
  const std::string packets = fmt::format("{} packet{}", row.buffer.value, row.buffer.value == 1 ? "" : "s");
  const std::string hold = row.buffer.value == 1 ? "holds" : "hold";
  const std::string promise =
      !question.drop ? std::string()
      : question.criterion == Criterion::overflow
          ? fmt::format("in all but at most {} of the slots", plain(*question.drop))
          : fmt::format("and {} at most {} of the packets", row.buffer.value == 1 ? "loses" : "lose",
                        plain(*question.drop));
  switch (question.unknown) {
    case Unknown::buffer:
      return fmt::format("{} {} the output queue of {} {}.", packets, hold, row.traffic, promise);
    case Unknown::probability:
      return fmt::format("Room for {}, {}: {} {}.", packets, row.traffic,
                         question.criterion == Criterion::overflow ? "the share of slots with more present is"
                                                                   : "the fraction of packets lost is",
                         row.at.number.brief);
    case Unknown::load:
      return fmt::format("{} {} the output queue of {} up to load {} {}.", packets, hold, row.traffic,
                         row.solved->brief, promise);
    case Unknown::speedup:
      return fmt::format("With a speedup of {} {} {} the output queue of {}\n{}.", row.solved->brief, packets,
                         hold, row.traffic, promise);
  }
  return {};
}

std::string proof(const Question& question, const Row& row) {
  const std::string at = fmt::format("{} = {}", symbol(question.criterion, row.buffer), row.at.number.brief);
  const std::string words = in_words(row.at.number);
  if (question.unknown == Unknown::probability) return fmt::format("{}, {}", at, words);
  const std::string target = plain(*question.drop);
  if (question.unknown == Unknown::buffer)
    return row.beyond ? fmt::format("{} <= {} < {} = {}\n{:18}{}", at, target,
                                    symbol(question.criterion, row.buffer - Packets(1)),
                                    row.beyond->number.brief, "", words)
                      : fmt::format("{} <= {}, {}", at, target, words);
  if (row.beyond)
    return fmt::format("proved to meet {} at load {}\n{:18}and to miss it at load {}", target,
                       row.solved->lower, "", row.solved->upper);
  return fmt::format("{} <= {} there, {}", at, target, words);
}

std::string detail(const Question& question, const Row& row, int packets_per_slot) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) { text += named_line(name, value); };
  line(row.at.number.kind == "approximation" ? "computed" : "proof", proof(question, row));
  if (row.solved) line("answer", in_words(*row.solved));
  if (row.loss)
    line("caution",
         fmt::format("overflow is not conservative as a drop rate below load 1/2:\n{:18}{} = {}, {}", "",
                     symbol(Criterion::loss, row.buffer), row.loss->number.brief,
                     "the fraction of packets lost"));
  if (packets_per_slot > 1 && question.criterion == Criterion::overflow)
    line("caution", "overflow is no drop rate where several packets are served a slot;\n" +
                        std::string(18, ' ') + "--criterion loss gives the fraction of packets lost");
  if (row.mean) line("mean occupancy", fmt::format("{} packets, {}", row.mean->brief, in_words(*row.mean)));
  if (row.decay)
    line("decay rate", fmt::format("{} a packet, {}\n{:18}asymptote: deep in the tail, {:.4g} packets more "
                                   "divide P(Q > n) by 10",
                                   row.decay->brief, in_words(*row.decay), "",
                                   std::log(10.0) / std::stod(row.decay->lower)));
  if (question.units.packet_bytes)
    line("size", fmt::format("{} bytes", row.buffer.value * *question.units.packet_bytes));
  if (question.units.slot_ns)
    line("time",
         fmt::format("{} ns a slot; a full buffer drains in {} ns", show(*question.units.slot_ns, {10}).brief,
                     show(drain_ns(question, row.buffer, packets_per_slot), {10}).brief));
  line("arithmetic", row.at.arithmetic_in_words);
  return text;
}

std::string rows_table(const Question& question, const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> table;
  const bool speedup = question.unknown == Unknown::speedup;
  const bool overflow = question.criterion == Criterion::overflow;
  std::vector<std::string> header{"load"};
  if (question.bursts) header.insert(header.begin(), "burst");
  if (speedup) header.push_back("speedup");
  header.insert(header.end(), {"buffer", overflow ? "P(Q > buffer)" : "loss(buffer)"});
  if (!speedup) header.insert(header.end(), {"mean occupancy", "decay rate"});
  if (question.units.packet_bytes) header.push_back("bytes");
  table.push_back(header);
  bool caution = false;
  for (const Row& row : rows) {
    std::vector<std::string> cells{plain(numeric::parse_rational(row.load, "load"))};
    if (question.bursts) cells.insert(cells.begin(), plain(numeric::parse_rational(row.burst, "burst")));
    if (row.solved) cells.push_back(row.solved->brief);
    cells.insert(cells.end(),
                 {std::to_string(row.buffer.value), row.at.number.brief + (row.loss ? " *" : "")});
    if (!speedup) cells.insert(cells.end(), {row.mean->brief, row.decay ? row.decay->brief : "none"});
    if (question.units.packet_bytes)
      cells.push_back(std::to_string(row.buffer.value * *question.units.packet_bytes));
    caution = caution || row.loss.has_value();
    table.push_back(std::move(cells));
  }
  std::vector<bool> right(header.size(), false);
  right[(speedup ? 2U : 1U) + (question.bursts ? 1U : 0U)] = true;
  if (question.units.packet_bytes) right.back() = true;
  std::string text = to_table(table, right);
  if (caution)
    text +=
        "* below load 1/2 overflow is not conservative as a drop rate; --criterion loss is (--format json "
        "shows "
        "both)\n";
  return text;
}

/// The answer without a word: what scripts want.
std::string bare(const Question& question, const Row& row) {
  if (row.solved) return row.solved->brief + "\n";
  if (question.unknown == Unknown::probability) return row.at.number.brief + "\n";
  return std::to_string(row.buffer.value) + "\n";
}

std::string closing(const Question& question, const std::vector<Row>& rows) {
  if (rows.front().at.number.kind == "approximation")
    return "\nComputed, not proved: the digits shown are those that two numbers of modes agree on.\n";
  return fmt::format("\nEach number is exact or certified to {} digits.\n", question.accuracy.digits.count);
}

std::string to_tables(const Question& question, const std::vector<Row>& rows, const Context& context,
                      int packets_per_slot) {
  std::string text;
  if (context.quiet) {
    for (const Row& row : rows) text += bare(question, row);
    return text;
  }
  if (!question.list)
    return sentence(question, rows.front()) + "\n\n" + detail(question, rows.front(), packets_per_slot);
  const std::string& traffic = question.traffic;
  switch (question.unknown) {
    case Unknown::buffer:
      text = fmt::format("The least buffer of the output queue of {} with {} <= {}\n\n", traffic,
                         question.criterion == Criterion::overflow ? "P(Q > buffer)" : "loss(buffer)",
                         plain(*question.drop));
      break;
    case Unknown::speedup:
      text = fmt::format("The least speedup with which {} packets hold the output queue of {} to {}\n\n",
                         question.capacity->value, traffic, plain(*question.drop));
      break;
    default:
      text =
          fmt::format("Room for {} packets in the output queue of {}\n\n", question.capacity->value, traffic);
  }
  return text + rows_table(question, rows) + closing(question, rows);
}

// --- JSON and CSV
// ----------------------------------------------------------------------------------------------

Json describe(const Options& options, const Question& question) {
  Json inputs = describe_traffic(options.traffic, question.load);
  if (question.drop) inputs["drop"] = numeric::to_fraction(*question.drop);
  if (question.capacity) inputs["capacity"] = question.capacity->value;
  if (options.solve) inputs["solve"] = *options.solve;
  inputs["criterion"] = bounds::name(question.criterion);
  describe_units(inputs, options.units);
  describe_accuracy(inputs, options.accuracy);
  return inputs;
}

/// Adds the keys of one answer to `json`.
void add_answer(Json& json, const Question& question, const Row& row, int packets_per_slot) {
  if (row.solved) json[question.unknown == Unknown::load ? "load" : "speedup"] = to_json(*row.solved);
  json["buffer"] = row.buffer.value;
  json["criterion"] = bounds::name(question.criterion);
  json["probability"] = to_json(row.at.number);
  if (row.beyond)
    json[question.unknown == Unknown::load ? "probability_above" : "probability_before"] =
        to_json(row.beyond->number);
  if (row.loss) {
    json["loss"] = to_json(row.loss->number);
    json["caution"] = "overflow is not conservative as a drop rate below load 1/2";
  }
  if (!row.solved) {
    json["mean_occupancy"] = to_json(*row.mean);
    json["decay_rate"] = row.decay ? to_json(*row.decay) : Json();
  }
  if (question.units.packet_bytes) json["bytes"] = row.buffer.value * *question.units.packet_bytes;
  if (question.units.slot_ns) {
    json["slot_ns"] = to_json(show(*question.units.slot_ns, {17}));
    json["drain_ns"] = to_json(show(drain_ns(question, row.buffer, packets_per_slot), {17}));
  }
  json["arithmetic"] = row.at.arithmetic;
  if (row.at.bits) json["bits"] = *row.at.bits;
}

std::string to_json_text(const Options& options, const Question& question, const std::vector<Row>& rows,
                         const Context& context, int packets_per_slot) {
  Json document = new_document(context, "buffer");
  document["inputs"] = describe(options, question);
  if (!question.list) {
    add_answer(document, question, rows.front(), packets_per_slot);
    return to_text(document);
  }
  return to_text(document, "results", rows.size(), [&](std::size_t i) {
    Json json{{"load", rows[i].load}};
    if (question.bursts) json["burst"] = rows[i].burst;
    add_answer(json, question, rows[i], packets_per_slot);
    return json;
  });
}

std::string to_csv(const Question& question, const std::vector<Row>& rows) {
  const bool solves = rows.front().solved.has_value();
  const auto extend = [](std::vector<std::string>& fields, const std::vector<std::string>& more) {
    fields.insert(fields.end(), more.begin(), more.end());
  };
  std::vector<std::string> header;
  if (question.unknown != Unknown::load) header.push_back("load");
  if (solves) extend(header, csv_columns(question.unknown == Unknown::load ? "load" : "speedup"));
  extend(header, {"buffer", "criterion"});
  extend(header, csv_columns("probability"));
  if (!solves) {
    extend(header, csv_columns("mean_occupancy"));
    extend(header, csv_columns("decay_rate"));
  }
  if (question.units.packet_bytes) header.push_back("bytes");
  header.push_back("arithmetic");
  std::string text = csv_line(header);
  for (const Row& row : rows) {
    std::vector<std::string> fields;
    if (question.unknown != Unknown::load) fields.push_back(row.load);
    if (solves) append_csv(fields, *row.solved);
    extend(fields, {std::to_string(row.buffer.value), bounds::name(question.criterion)});
    append_csv(fields, row.at.number);
    if (!solves) {
      append_csv(fields, *row.mean);
      append_csv(fields, row.decay.value_or(ShownNumber{
                             .kind = "none", .value = {}, .lower = {}, .upper = {}, .brief = {}}));
    }
    if (question.units.packet_bytes)
      fields.push_back(std::to_string(row.buffer.value * *question.units.packet_bytes));
    fields.push_back(row.at.arithmetic);
    text += csv_line(fields);
  }
  return text;
}

// --- picture
// ---------------------------------------------------------------------------------------------------

plots::Picture picture(const Question& question, const std::vector<Row>& rows) {
  const bool probability = question.unknown == Unknown::probability;
  // Against the load, a curve for each burst; against the burst where that alone is a list.
  const bool over_bursts = question.bursts && !question.loads;
  std::vector<plots::Curve> curves;
  std::string burst;
  for (const Row& row : rows) {
    if (curves.empty() || (!over_bursts && row.burst != burst)) {
      curves.emplace_back();
      burst = row.burst;
      if (question.bursts && question.loads)
        curves.back().title = "bursts of " + plain(numeric::parse_rational(burst, "burst")) + " slots";
    }
    const double x =
        numeric::nearest_double(numeric::parse_rational(over_bursts ? row.burst : row.load, "row"));
    const numeric::Real height(row.at.number.upper.empty() ? row.at.number.value : row.at.number.upper);
    if (probability && height <= 0) continue;
    curves.back().points.emplace_back(x, probability  ? plots::log10(height)
                                         : row.solved ? std::stod(row.solved->upper)
                                                      : static_cast<double>(row.buffer.value));
  }
  const std::string& traffic = question.traffic;
  const std::string criterion = question.criterion == Criterion::overflow ? "P(Q > B)" : "loss(B)";
  const std::string target = question.drop ? " ≤ " + plain(*question.drop) : std::string();
  plots::Picture picture{.title = {},
                         .x_label = over_bursts ? "mean burst of a source [slots]" : "load [packets/slot]",
                         .y_label = {},
                         .powers_of_ten = probability,
                         .curves = std::move(curves)};
  if (probability) {
    picture.title =
        fmt::format("{} of a buffer of B = {} packets, {}", criterion, question.capacity->value, traffic);
    picture.y_label =
        question.criterion == Criterion::overflow ? "probability of overflow" : "fraction of packets lost";
  } else if (question.unknown == Unknown::speedup) {
    picture.title = fmt::format("Least speedup with {}{}, B = {} packets, {}", criterion, target,
                                question.capacity->value, traffic);
    picture.y_label = "least speedup";
  } else {
    picture.title = fmt::format("Least buffer B with {}{}, {}", criterion, target, traffic);
    picture.y_label = "buffer B [packets]";
  }
  return picture;
}

/// What cannot be asked of arrivals that remember.
void require_possible(const Options& options, const Question& question) {
  if (options.solve)
    throw InvalidArgument(
        "--solve", *options.solve,
        "left out for arrivals that remember (--traffic onoff, --blocks): give --load a list");
  if (question.accuracy.arithmetic != queue::Arithmetic::automatic)
    throw InvalidArgument("--arithmetic", queue::name(question.accuracy.arithmetic),
                          "auto for arrivals that remember (--traffic onoff, --blocks)");
}

Reply answer(const Options& options, bool draws, const Context& context) {
  Question question = read_question(options);
  question.traffic = traffic_in_words(options, question, {});
  if (question.bursts && !question.loads)
    question.traffic += " at load " + plain(numeric::parse_rational(*options.traffic.load, "--load"));
  if (draws && (!question.list || question.load == LoadOption::forbidden))
    throw InvalidArgument("--plot", "given for one load",
                          "left out, or --load (or --burst) a list: the picture shows the answer against it");
  auto rows = std::make_shared<std::vector<Row>>();
  int served = 1;
  const auto answer_all = [&](const auto& queues) {
    for (const auto& loaded : queues) {
      rows->push_back(answer_row(question, loaded));
      rows->back().traffic = traffic_in_words(
          options, question, question.load == LoadOption::required ? loaded.load : std::string());
      if (context.progress) context.progress(rows->size(), queues.size());
    }
  };
  if (remembers(traffic_form(options.traffic, question.load))) {
    require_possible(options, question);
    answer_all(read_markov_arrivals(options.traffic));
  } else {
    const std::vector<LoadedQueue> queues = read_queues(options.traffic, question.load);
    answer_all(queues);
    served = queues.front().queue.packets_per_slot;
  }
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(question, *rows, context, served); },
      [&] { return to_json_text(options, question, *rows, context, served); },
      [&] { return to_csv(question, *rows); });
  if (draws)
    reply.draw = [question, rows](const std::string& file) { plots::draw(picture(question, *rows), file); };
  return reply;
}

}  // namespace

Command add_buffer_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("buffer", "how many packets must one output queue hold?");
  const auto options = std::make_shared<Options>();
  add_traffic_options(*command, options->traffic, Memory::allowed);
  const OptionGroup question(*command, "Question");
  question.add("--drop", options->drop, "EPS", "the target; gives the least buffer that meets it");
  question.add("--capacity", options->capacity, "B",
               "a buffer; gives its probability (B counts the packet in service)");
  question.add("--solve", options->solve, "NAME", "load or speedup, from --capacity and --drop");
  question.add("--criterion", options->criterion, "NAME",
               "overflow: P(Q > B), the default; or loss: the fraction of packets lost");
  add_accuracy_options(*command, options->accuracy);
  add_unit_options(*command, options->units);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound buffer --inputs 16 --load 0.9 --drop 1e-15\n"
      "prints\n"
      "\n"
      "  157 packets hold the output queue of 16 inputs at load 0.9 in all but at most 1e-15 of the slots.\n"
      "\n"
      "    proof           P(Q > 157) = 8.7035435578e-16 <= 1e-15 < P(Q > 156) = 1.0850351320e-15\n"
      "                    certified to 10 digits\n"
      "    mean occupancy  4.696875 packets, exact\n"
      "    decay rate      0.22046721096 a packet, certified to 10 digits\n"
      "                    asymptote: deep in the tail, 10.44 packets more divide P(Q > n) by 10\n"
      "    arithmetic      double, with a proved rounding bound\n");
  return {.app = command, .answer = [command, options](const Context& context) {
            return answer(*options, command->get_option("--plot")->count() > 0, context);
          }};
}

}  // namespace tailbound::cli
