#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/commands/queues/buffer_options.hpp>
#include <cli/options/forms.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/buffer/buffer.hpp>
#include <tailbound/render/documents/buffer/policed_buffer.hpp>
#include <tailbound/render/documents/buffer/shared_buffer.hpp>
#include <tailbound/render/documents/buffer/sized_buffer.hpp>
#include <tailbound/render/documents/incast/incast_event.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::BufferQuery;
using numeric::Rational;

using Requested = decltype(BufferQuery::requested);

/// The traffic parameters that --solve can find; the minimum speedup is not one of them.
const Meanings<SolveFor>& solved() {
  static const Meanings<SolveFor> all{{"load", SolveFor::load},
                                      {"speedup", SolveFor::nothing},
                                      {"burst", SolveFor::burst},
                                      {"ports", SolveFor::ports},
                                      {"threshold", SolveFor::threshold}};
  return all;
}

/// For --solve: one for each entry of --capacity and --drop.
std::vector<Requested> read_solved(const BufferOptions& options) {
  const SolveFor what = solve_for(options);
  if (!options.capacity || !options.drop)
    throw missing(options.capacity ? "--drop" : "--capacity", "--solve needs --capacity B and --drop EPS");
  if (what == SolveFor::ports || what == SolveFor::threshold)
    throw needs("--solve " + *options.solve, "--shared", "it is of a memory shared by the ports of a switch");
  const std::vector<Rational> drops = read_drops(*options.drop);
  std::vector<Requested> all;
  for (const Packets capacity :
       packets_of(options.capacity, "--capacity", 0, BufferQuery::deepest, packet_unit(options.units)))
    for (const Rational& drop : drops)
      all.push_back(what == SolveFor::load    ? Requested(answers::MaxLoad{capacity, drop})
                    : what == SolveFor::burst ? Requested(answers::LongestBurst{capacity, drop})
                                              : Requested(answers::MinSpeedup{capacity, drop}));
  return all;
}

std::vector<Requested> read_all_requested(const BufferOptions& options) {
  if (options.solve) return read_solved(options);
  std::vector<Requested> all;
  for (const RequestedBuffer& requested : read_requested(
           options, BufferQuery::deepest,
           {.both = "give --drop alone for the buffer that meets a target, --capacity alone for its "
                    "probability, or both with --solve load, speedup or burst",
           .missing = "give the target probability, such as --drop 1e-15, or a buffer with --capacity B"},
           packet_unit(options.units)))
    std::visit([&all](const auto& each) { all.emplace_back(each); }, requested);
  return all;
}

/// The targets of --class-drops, one per class.
std::vector<Rational> read_class_drops(const BufferOptions& options, std::size_t classes) {
  if (options.drop || options.capacity || options.solve)
    throw not_allowed_with("--class-drops",
                           options.drop       ? "--drop"
                           : options.capacity ? "--capacity"
                                              : "--solve",
                           "it has a target for each class");
  std::vector<Rational> drops = parse_percent_list(*options.class_drops, "--class-drops");
  for (const Rational& drop : drops)
    if (drop <= 0 || drop >= 1)
      throw InvalidArgument("--class-drops", *options.class_drops, "greater than 0 and less than 1 each");
  if (drops.size() != classes)
    throw InvalidArgument("--class-drops", fmt::format("a list of {}", drops.size()),
                          fmt::format("a list of {} targets, one for each class", classes));
  return drops;
}

/// With individual targets for the classes.
std::vector<BufferQuery> read_class_queries(const BufferOptions& options) {
  if (!options.traffic.classes && !options.traffic.joint)
    throw needs("--class-drops", "--classes R1,R2,.. or --joint FILE");
  std::vector<BufferQuery> queries;
  for (const answers::Traffic& traffic : read_traffics(options.traffic)) {
    const auto& its = std::get<answers::TrafficClass>(traffic.source);
    const std::vector<Rational> drops = read_class_drops(options, its.loads.size());
    const auto own = drops.begin() + its.priority - 1;
    for (const bounds::Criterion criterion : read_criteria(options.criterion))
      queries.push_back({.traffic = traffic,
                         .requested = answers::MinBuffer{*own, {drops.begin(), own}},
                         .criterion = criterion,
                         .accuracy = read_accuracy(options.accuracy)});
  }
  return queries;
}

/// One query for each combination of list entries.
std::vector<BufferQuery> read_queries(const BufferOptions& options) {
  if (options.class_drops) return read_class_queries(options);
  const std::vector<Requested> requested = read_all_requested(options);
  // Events that are rare in time fill the buffer when they come: what they lose is what matters.
  const std::vector<bounds::Criterion> criteria = options.traffic.incast && !options.criterion
                                                      ? std::vector{bounds::Criterion::loss}
                                                      : read_criteria(options.criterion);
  const queue::Accuracy accuracy = read_accuracy(options.accuracy);
  const SolveFor what = solve_for(options);
  if (options.solve && what == SolveFor::nothing)
    for (const auto& [form, option] :
         {std::pair{TrafficForm::blocks, "--blocks"}, std::pair{TrafficForm::incast, "--incast"}})
      if (traffic_form(options.traffic, what) == form)
        throw not_allowed_with("--solve speedup", option,
                               "its packets follow slot by slot; use --solve load, or --packets-per-slot");
  return answers::Combinations(BufferQuery{.traffic = {}, .requested = {}, .accuracy = accuracy})
      .by(read_traffics(options.traffic, what), &BufferQuery::traffic)
      .by(criteria, &BufferQuery::criterion)
      .by(requested, &BufferQuery::requested)
      .points();
}

Reply answer(const BufferOptions& options, const Context& context) {
  if (options.shared.shared) return answer_shared(options, context);
  if (options.sized.sizes) return answer_sized(options, context);
  if (options.policed.police) return answer_policed(options, context);
  const auto typed = [](const std::optional<std::string>& text) { return text ? &*text : nullptr; };
  if (asks_for_one_event(typed(options.traffic.incast), options.traffic.load.has_value(),
                         typed(options.solve)))
    return answer_incast_event(options, context);
  const answers::Units units = read_units(options.units);
  const std::vector<BufferQuery> queries = read_queries(options);
  if (options.solve) require_several_to_draw(context, queries.size(), "--load (--burst, --inputs, ...)");
  const auto fallback = [](const BufferQuery& query) -> std::optional<Fallback> {
    const auto enough = answers::enough_by_bound(query);
    if (!enough) return std::nullopt;
    return Fallback{.words = fmt::format("a buffer of {} packets suffices (proved)", enough->value),
                    .cells = {{"buffer_proved", render::shown(*enough)}}};
  };
  try {
    return if_trusted(
        queries, show_all(
                     queries, context, [&](const auto& points) { return render::document(points, units); },
                     [&](const BufferQuery& query) { return render::inputs_of(query, units); }, fallback,
                     render::buffer_layout));
  } catch (const Stopped& stopped) {
    const auto enough = queries.size() == 1 ? fallback(queries.front()) : std::nullopt;
    if (!enough) throw;
    throw Stopped(fmt::format("{}; {}", stopped.what(), enough->words));
  }
}

constexpr const char* one_queue_of_classes = "classes are analysed for one queue of packets";

/// A queue of packets: traffic_form() checks the options of the traffic.
const Form& plain_form() {
  static const Form form{
      .option = "a queue of packets",
      .acts =
          "--inputs --load --traffic --rates --arrivals --pmf --normalize --exact --burst --on-rate "
          "--destination --blocks --classes --traffic-file --incast --joint --packets-per-slot --drop "
          "--class-drops --capacity --solve --criterion --arithmetic --digits --packet-bytes --link-gbps",
      .because = {{"--spread", "give --incast N,L without --load, a rate or --solve for one event"}}};
  return form;
}

/// One incast: --incast N,L without a rate and a load.
const Form& event_form() {
  static const Form form{
      .option = "one incast",
      .acts = "--incast --spread --packets-per-slot --drop --capacity --criterion --packet-bytes --link-gbps",
      .because = {{"--solve", "give --load for the queue in equilibrium"},
                  {"--arithmetic --digits", "its law is exact, or proved with rounding bounds"}},
      .otherwise = "it is of one event at an empty output: --incast N,L alone"};
  return form;
}

constexpr const char* simulated_only =
    "no bound is proved for correlated inputs; they can only be simulated (tailbound simulate switch)";

const Form& shared_form() {
  static const Form form{
      .option = "--shared",
      .acts =
          "--shared --inputs --load --rates --matrix --outputs --threshold --sizes --cell-bytes --arrive "
          "--drop --capacity --solve --criterion --packet-bytes --link-gbps",
      .only = {{"--packets-per-slot", "1"},
               {"--traffic", "bernoulli", "; bursts can only be simulated (tailbound simulate switch)"}},
      .because = {{"--burst --on-rate --destination --blocks --incast --traffic-file", simulated_only},
                  {"--arithmetic --digits", "its bounds use long double, rounded upward"},
                  {"--classes --joint --class-drops", one_queue_of_classes},
                  {"--police --offered --message", "policed inputs are analysed for one queue of packets"}},
      .otherwise = "it needs the inputs of a switch: --inputs K --load R, --rates P1,P2,.. or --matrix FILE"};
  return form;
}
/// A shared memory of cells.
const Form& shared_cells_form() {
  static const Form form{
      .option = "--sizes",
      .acts =
          "--shared --inputs --load --outputs --threshold --sizes --cell-bytes --arrive --drop --capacity "
          "--solve --criterion --packets-per-slot --traffic --link-gbps",
      .otherwise = "give --inputs K --load R; --sizes and --cell-bytes set the sizes"};
  return form;
}

const Form& sized_form() {
  static const Form form{
      .option = "--sizes",
      .acts =
          "--sizes --cell-bytes --arrive --inputs --load --drop --capacity --criterion --arithmetic --digits "
          "--link-gbps",
      .only = {{"--packets-per-slot", "1"}, {"--traffic", "bernoulli"}},
      .because = {{"--solve", "give --load a list instead"},
                  {"--packet-bytes", "--sizes and --cell-bytes set the sizes"},
                  {"--classes --joint --class-drops", one_queue_of_classes},
                  {"--police --offered --message", "policed inputs are analysed for one queue of packets"}},
      .otherwise = "variable packet sizes need --inputs K --load R"};
  return form;
}

const Form& policed_form() {
  static const Form form{
      .option = "--police",
      .acts =
          "--police --offered --message --inputs --drop --capacity --solve --arithmetic --digits "
          "--packet-bytes --link-gbps",
      .only = {{"--packets-per-slot", "1"}, {"--criterion", "overflow"}},
      .because = {{"--load", "--police R,B sets the rate; --offered sets the rate of a conforming host"},
                  {"--classes --joint --class-drops", one_queue_of_classes}},
      .otherwise = "the result holds for any traffic that conforms to the token buckets of --inputs K"};
  return form;
}

void check_buffer(const OptionTable& table) {
  static const std::vector<OptionNeeds> needed{{"--cell-bytes --arrive", "--sizes"},
                                               {"--outputs --threshold --matrix", "--shared"},
                                               {"--offered --message", "--police R,B"},
                                               {"--spread", "--incast N,L"}};
  const std::vector<GivenOption> given = given_options(table);
  const auto has = [&](const char* name) { return table.find(name)->given(); };
  const bool cells = has("--sizes");
  const auto typed = [&](std::string_view name) -> const std::string* {
    const auto at = std::find_if(given.begin(), given.end(),
                                 [&](const GivenOption& option) { return option.name == name; });
    return at != given.end() ? at->text : nullptr;
  };
  const bool one_event = asks_for_one_event(typed("--incast"), has("--load"), typed("--solve"));
  require_acting(given,
                 has("--shared")   ? shared_form()
                 : cells           ? sized_form()
                 : has("--police") ? policed_form()
                 : one_event       ? event_form()
                                   : plain_form(),
                 needed);
  if (has("--shared") && cells) require_acting(given, shared_cells_form());
}

void declare(OptionTable& table, BufferOptions& options) {
  add_traffic_options(table, options.traffic);
  const OptionGroup query(table, "Target");
  query.add("--drop", options.drop, "EPS",
            "target of --criterion: P(Q > B) or fraction lost.\nFinds the minimum buffer, which counts the "
            "packet in "
            "service",
            must_be("greater than 0 and less than 1", powers_of_ten(-30, -1)));
  query.add("--class-drops", options.class_drops, "E1,E2,..",
            "a target for each class in place of --drop.\nWith --classes or --joint",
            must_be("greater than 0 and less than 1 each"));
  query.add("--capacity", options.capacity, "B",
            "buffer size in packets, or in bytes: 12MB; finds its probability.\nIt counts the packet in "
            "service. Bytes need --packet-bytes or --cell-bytes",
            must_be(numeric::integers_in_words(0, BufferQuery::deepest), slider(1, 1000, 1)));
  query.add("--solve", options.solve, "NAME",
            "load, speedup or burst, for --capacity and --drop.\nFinds the maximum load, minimum speedup "
            "or longest mean burst; with --shared the maximum load, maximum ports or minimum threshold",
            choices(solved()));
  query.add("--criterion", options.criterion, "NAME",
            "overflow or loss (default overflow; of --incast events loss).\nOverflow is P(Q > B), loss the "
            "fraction of packets "
            "lost; with --sizes also cell-loss, the fraction of cells lost",
            choices<bounds::Criterion>());
  query.add("--spread", options.spread, "S",
            "with --incast N,L: senders start within S slots (default 1).\nEach in a random one of them",
            must_be(numeric::integers_in_words(1, bounds::IncastEvent::max_spread), slider(1, 1000, 1)));
  add_shared_buffer_options(table, options.shared);
  add_sized_buffer_options(table, options.sized);
  add_policed_buffer_options(table, options.policed);
  add_accuracy_options(table, options.accuracy);
  add_unit_options(table, options.units);
}

}  // namespace

std::vector<Rational> read_drops(const std::string& text) {
  std::vector<Rational> drops = parse_percent_list(text, "--drop");
  for (const Rational& drop : drops)
    if (drop <= 0 || drop >= 1) throw InvalidArgument("--drop", text, "greater than 0 and less than 1");
  return drops;
}

SolveFor solve_for(const BufferOptions& options) {
  if (!options.solve) return SolveFor::nothing;
  return choice_of(*options.solve, "--solve", solved());
}

std::vector<RequestedBuffer> read_requested(const BufferOptions& options, std::int64_t max_packets,
                                            const RequestedWords& words, const options::PacketUnit& unit) {
  if (options.capacity && options.drop) throw not_allowed_with("--capacity", "--drop", words.both);
  std::vector<RequestedBuffer> requested;
  for (const Packets capacity : packets_of(options.capacity, "--capacity", 0, max_packets, unit))
    requested.emplace_back(answers::ProbabilityOf{capacity});
  if (options.capacity) return requested;
  for (const Rational& drop : read_drops(required(options.drop, "--drop", words.missing)))
    requested.emplace_back(answers::MinBuffer{drop});
  return requested;
}

void require_several_to_draw(const Context& context, std::size_t points, const char* lists) {
  if (context.draws && points < 2)
    throw needs("--plot", "several points", fmt::format("give {} a list", lists));
}

Command buffer_command() {
  return command_of<BufferOptions>(
      {.name = "buffer",
       .purpose = "buffer size for an overflow or loss target",
       .work = Work::points,
       .draws = true,
       .declare = declare,
       .check = check_buffer,
       .answer = answer,
       .layout =
           [] {
             return render::with_status(render::with_incast_event(render::with_policing(
                 render::with_packet_sizes(render::with_shared_memory(render::buffer_layout())))));
           },
       .example = {{"--inputs", "16"}, {"--load", "0.9"}, {"--drop", "1e-15"}}});
}

}  // namespace tailbound::cli
