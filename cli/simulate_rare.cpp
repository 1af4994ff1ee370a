#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/simulate_rare.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/sim/rare_bursty_queue.hpp>
#include <tailbound/sim/rare_queue.hpp>
#include <tailbound/sim/rare_tree.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::cli {
namespace {

using numeric::Rational;

/// The options as understood.
struct RareRequest {
  TreePlace place;
  sim::RareTreeModel model;
  bool one_queue = false;  ///< importance sampling
};

struct RareAnswer {
  ShownEstimate probability;
  Simulated simulated;
};

void require_alone(const TreeSimulationOptions& options) {
  const std::pair<const char*, bool> others[] = {
      {"--network", options.place.network.has_value()},        {"--buffer", options.buffer.has_value()},
      {"--occupancy", options.occupancy.has_value()},          {"--ccdf", options.ccdf.has_value()},
      {"--percentiles", options.percentiles.has_value()},      {"--reorder", options.reorder},
      {"--reorder-levels", options.reorder_levels.has_value()}};
  for (const auto& [name, given] : others)
    if (given)
      throw InvalidArgument(name, "given together with --rare",
                            "left out: --rare asks for P(Q > level) in a tree, and nothing else");
}

RareRequest read_rare(const TreeSimulationOptions& options) {
  require_alone(options);
  require_one_place(options.place);
  RareRequest request{.place = read_tree_place(options.place), .model = {}, .one_queue = false};
  request.model.tree = {
      .tree = request.place.tree, .load = request.place.load, .routing = request.place.routing};
  request.model.tree.burst = read_leaf_bursts(options.burst, options.place);
  request.place.title += burst_in_words(request.model.tree.burst);
  if (!(request.place.load > 0 && request.place.load <= 1))
    throw InvalidArgument("--load", *options.place.load, "above 0 and at most 1 packet a slot");
  if (request.place.load == 1) throw Unstable("1", 1);
  const int hops = sim::stage_count(request.place.tree);
  const auto hop = static_cast<int>(parse_integer(options.hop.value_or("1"), "--hop", 1, hops));
  request.model.stage = hop - 1;
  request.one_queue = hop == 1 && (request.place.routing == network::TreeRouting::random_root || hops == 1);
  const Rational rare = numeric::parse_rational(*options.rare, "--rare");
  if (rare <= 0)
    throw InvalidArgument("--rare", *options.rare, "a probability below 1, or a level: 1 packet or more");
  request.model.level =
      rare < 1 ? std::max<std::int64_t>(1, sim::likely_level(request.model, numeric::nearest_double(rare)))
               : parse_integer(*options.rare, "--rare", 1, 100'000);
  return request;
}

std::int64_t whole_slots(const SimulationOptions& options, double otherwise, double least, double most) {
  return options.slots ? parse_integer(*options.slots, "--slots", 64, 1'000'000'000'000)
                       : static_cast<std::int64_t>(std::clamp(otherwise, least, most));
}

std::uint64_t seed_of(const SimulationOptions& options) {
  return options.seed ? static_cast<std::uint64_t>(parse_integer(*options.seed, "--seed", 0,
                                                                 std::numeric_limits<std::int64_t>::max()))
                      : 1;
}

/// The first hop's queue where leaves send in bursts.
RareAnswer answer_bursty_queue(const RareRequest& request, const SimulationOptions& options,
                               std::int64_t cycles, const Context& context) {
  const std::int64_t inputs = request.place.tree.radix;
  const traffic::OnOff leaf = traffic::on_off(request.place.load, *request.model.tree.burst);
  const sim::RareBurstyQueueModel model{
      .sources = {traffic::thinned(leaf, Rational(1) / cln::cl_I(static_cast<long>(inputs))), inputs},
      .level = request.model.level};
  RareAnswer answer;
  answer.simulated = simulate(
      options, sim::rare_bursty_queue_plan(model, cycles, seed_of(options)),
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_rare_bursty_queue(model, its, controls, resume);
      },
      context);
  answer.probability = shown(sim::rare_bursty_queue_estimate(model, answer.simulated.result).probability);
  return answer;
}

RareAnswer answer_queue(const RareRequest& request, const SimulationOptions& options,
                        const Context& context) {
  for (const auto& [name, value] :
       {std::pair{"--warmup", &options.warmup}, std::pair{"--replications", &options.replications}})
    if (*value)
      throw InvalidArgument(name, "given for the first hop of --rare",
                            "left out: cycles of one queue need no warm-up and are independent");
  const std::int64_t inputs = request.place.tree.radix;
  if (request.model.tree.burst)
    return answer_bursty_queue(
        request, options, whole_slots(options, 2e8 / static_cast<double>(request.model.level + 1), 1e5, 4e6),
        context);
  const sim::RareQueueModel model{
      .sources = {{.rate = request.place.load / cln::cl_I(static_cast<long>(inputs)), .count = inputs}},
      .event = sim::RareEvent::overflow,
      .level = request.model.level};
  // A cycle that meets the event takes some 2 level / (1 - load) slots, and 1 - load of them do.
  const std::int64_t cycles = whole_slots(options, 5e8 / static_cast<double>(model.level + 1), 1e5, 1e7);
  const sim::RunPlan plan = sim::rare_queue_plan(cycles, seed_of(options));
  RareAnswer answer;
  answer.simulated = simulate(
      options, plan,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_rare_queue(model, its, controls, resume);
      },
      context);
  answer.probability = shown(sim::rare_queue_estimate(model, answer.simulated.result).probability);
  return answer;
}

RareAnswer answer_splitting(const RareRequest& request, const SimulationOptions& options,
                            const Context& context) {
  const auto replications =
      options.replications ? static_cast<int>(parse_integer(*options.replications, "--replications", 1, 1024))
                           : 4;
  // Queues that feed the observed one, times paths: some 1 + level of them at a time.
  const double k = static_cast<double>(request.place.tree.radix);
  const int depth = std::min(request.model.stage + 1, request.place.tree.levels);
  const double queues = request.model.stage < request.place.tree.levels
                            ? (std::pow(k, depth) - 1) / (k - 1)
                            : std::pow(k, request.place.tree.levels) * (request.model.stage + 1);
  const double slots = 4e9 / queues / static_cast<double>(request.model.level + 1) / replications;
  sim::RunPlan plan = sim::automatic_plan(request.model, whole_slots(options, slots, 1e4, 1e9), replications,
                                          seed_of(options));
  if (options.warmup) plan.warmup = parse_integer(*options.warmup, "--warmup", 0, 1'000'000'000'000);
  RareAnswer answer;
  answer.simulated = simulate(
      options, plan,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_rare_tree(request.model, its, controls, resume);
      },
      context);
  const sim::LevelEstimate estimate =
      sim::rare_tree_estimates(request.model, answer.simulated.result, {request.model.level}).front();
  if (estimate.count == 0)
    throw NoAnswer(fmt::format("no path reached a queue of more than {} packets: more --slots are needed",
                               request.model.level));
  answer.probability = shown(estimate.probability);
  return answer;
}

const char* method(const RareRequest& request) {
  return request.one_queue ? "importance sampling" : "splitting";
}

std::string to_table(const RareRequest& request, const RareAnswer& answer, bool quiet) {
  if (quiet) return fmt::format("{} {}\n", request.model.level, answer.probability.value);
  const sim::RunPlan& plan = answer.simulated.plan;
  return fmt::format(
      "Rare event in the {}\n\n"
      "  P(Q > {}) at hop {} = {}   ({:.2g} %; 95 % interval from {} batches)\n\n"
      "  method          {}\n"
      "  simulated       {}\n"
      "  took            {}\n",
      request.place.title, request.model.level, request.model.stage + 1, brief(answer.probability),
      100 * (answer.probability.upper - answer.probability.value) / answer.probability.value,
      answer.simulated.batches(), method(request),
      request.one_queue ? fmt::format("{} cycles of the queue, seed {}",
                                      plan.batch_slots() * plan.batches * plan.replications, plan.seed)
                        : plan_in_words(answer.simulated),
      course_in_words(answer.simulated));
}

Json to_json_document(const TreeSimulationOptions& options, const RareRequest& request,
                      const RareAnswer& answer, const Context& context) {
  Json document = new_document(context, "simulate tree");
  describe_place(document["inputs"], options.place);
  describe_burst(document["inputs"], request.model.tree.burst);
  document["inputs"]["rare"] = *options.rare;
  document["inputs"]["hop"] = request.model.stage + 1;
  document["method"] = method(request);
  describe_simulation(document, answer.simulated);
  if (request.one_queue) {
    document["cycles"] = document["slots"].get<std::int64_t>() * answer.simulated.plan.replications;
    for (const char* key : {"slots", "warmup", "batch_slots"}) document.erase(key);
  }
  document["hops"].push_back({{"hop", request.model.stage + 1},
                              {"tail", Json::array({{{"level", request.model.level},
                                                     {"probability", to_json(answer.probability)}}})}});
  return document;
}

std::string to_csv(const RareRequest& request, const RareAnswer& answer) {
  std::vector<std::string> header{"hop", "level"},
      fields{std::to_string(request.model.stage + 1), std::to_string(request.model.level)};
  for (const std::string& column : estimate_columns("probability")) header.push_back(column);
  append_csv(fields, answer.probability);
  return csv_line(header) + csv_line(fields);
}

}  // namespace

Reply answer_rare(const TreeSimulationOptions& options, const Context& context) {
  const RareRequest request = read_rare(options);
  const RareAnswer answer = request.one_queue ? answer_queue(request, options.run, context)
                                              : answer_splitting(request, options.run, context);
  return {.text = in_format(
              context.format, [&] { return to_table(request, answer, context.quiet); },
              [&] { return to_text(to_json_document(options, request, answer, context)); },
              [&] { return to_csv(request, answer); })};
}

}  // namespace tailbound::cli
