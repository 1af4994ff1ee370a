#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/delay_question.hpp>
#include <cli/option_group.hpp>
#include <cli/read_file.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/series/pmf_file.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tailbound::cli {
namespace {

using bounds::Way;
using numeric::Rational;

constexpr std::int64_t kMostSlots = (std::int64_t{1} << 24) - 1;
constexpr const char* kDefaultPercentiles = "50,90,99,99.99,99.9999";

/// Percentiles are typed in percent; below 1 they can only be meant as a fraction.
Rational parse_percentile(const Rational& entry) {
  const Rational p = entry < 1 ? entry : Rational(entry / 100);
  if (!(p > 0 && p < 1))
    throw InvalidArgument("--percentiles", plain(entry),
                          "in percent, above 0 and below 100, such as 99.9999 (below 1: a fraction of 1)");
  return p;
}

}  // namespace

std::vector<Rational> read_percentiles(const std::optional<std::string>& text) {
  std::vector<Rational> percentiles;
  for (const Rational& entry : parse_list(text.value_or(kDefaultPercentiles), "--percentiles", 100))
    percentiles.push_back(parse_percentile(entry));
  return percentiles;
}

std::vector<std::int64_t> read_ccdf_slots(const std::string& text) {
  std::vector<std::int64_t> slots;
  for (const Rational& entry : parse_list(text, "--ccdf", 1'000'000))
    slots.push_back(parse_integer(numeric::to_fraction(entry), "--ccdf", 0, kMostSlots));
  return slots;
}

std::string percent(const Rational& p) {
  return plain(p * 100);
}

namespace {

void read_question(const DelayOptions& options, DelayRequest& request) {
  if (options.ccdf)
    for (const std::int64_t slots : read_ccdf_slots(*options.ccdf))
      request.question.levels.emplace_back(slots);
  request.question.percentiles = read_percentiles(options.percentiles);
  if (options.criterion && !options.drop)
    throw InvalidArgument("--criterion", "given without --drop", "given with --drop EPS");
  const auto target = [](const std::string& text, const char* option) {
    Rational value = numeric::parse_rational(text, option);
    if (value <= 0 || value >= 1) throw InvalidArgument(option, text, "greater than 0 and less than 1");
    return value;
  };
  if (options.drop) {
    const bool loss =
        options.criterion && parse_choice(*options.criterion, "--criterion", {"overflow", "loss"}) == 1;
    request.drop = bounds::DropTarget{target(*options.drop, "--drop"),
                                      loss ? bounds::Criterion::loss : bounds::Criterion::overflow};
  }
  if (options.reorder) request.reorder = target(*options.reorder, "--reorder");
  if (options.reorder_levels)
    for (const Rational& entry : parse_list(*options.reorder_levels, "--reorder-levels", 100'000))
      request.reorder_levels.push_back(
          parse_integer(numeric::to_fraction(entry), "--reorder-levels", 0, 99'999));
  if (options.flow_rate) {
    if (!options.reorder && !options.reorder_levels)
      throw InvalidArgument("--flow-rate", "given without --reorder", "given with --reorder EPS");
    request.flow_rate = numeric::parse_rational(*options.flow_rate, "--flow-rate");
    if (!(*request.flow_rate > 0 && *request.flow_rate <= 1))
      throw InvalidArgument("--flow-rate", *options.flow_rate, "above 0 and at most 1 packet a slot");
  }
  if (options.digits)
    request.digits = {static_cast<int>(parse_integer(*options.digits, "--digits", 1, 1000))};
}

/// \throws InvalidArgument  an option was given that `place` has no use for
void require_fitting(const DelayOptions& options) {
  struct Use {
    const char* name;
    const std::optional<std::string>* value;
    bool tree, network, distribution;
  };
  const Use uses[] = {{"--radix", &options.place.radix, true, false, false},
                      {"--levels", &options.place.levels, true, false, false},
                      {"--load", &options.place.load, true, false, false},
                      {"--routing", &options.place.routing, true, false, false},
                      {"--matrix", &options.place.matrix, false, true, false},
                      {"--route", &options.place.route, false, true, false},
                      {"--traffic", &options.burst.traffic, true, false, false},
                      {"--burst", &options.burst.burst, true, false, false},
                      {"--on-rate", &options.burst.on_rate, true, false, false},
                      {"--flow", &options.flow, false, true, false},
                      {"--sources", &options.model.sources, true, true, false},
                      {"--delay", &options.model.delay, true, true, false},
                      {"--percentiles", &options.percentiles, true, true, false},
                      {"--ccdf", &options.ccdf, true, true, false},
                      {"--drop", &options.drop, true, true, false}};
  for (const Use& use : uses) {
    if (!*use.value) continue;
    if (options.place.network && !use.network)
      throw InvalidArgument(use.name, "given together with --network", "left out: the file says it");
    if (options.delays && !use.distribution)
      throw InvalidArgument(use.name, "given together with --delays",
                            "left out: only --reorder, --reorder-levels and --flow-rate ask of given delays");
    if (!options.place.network && !options.delays && !use.tree)
      throw InvalidArgument(use.name, "given without --network", "given with --network FILE");
  }
  if (options.place.network && options.delays)
    throw InvalidArgument("--delays", "given together with --network", "given alone, or --network alone");
  if (!options.delays) require_one_place(options.place);
}

/// The way with the most queues; of several the last.
const Way& longest_of(const std::vector<Way>& ways) {
  const Way* longest = &ways.front();
  for (const Way& way : ways)
    if (way.queues.size() >= longest->queues.size()) longest = &way;
  return *longest;
}

void read_tree(const DelayOptions& options, DelayRequest& request) {
  const TreePlace place = read_tree_place(options.place);
  request.burst = read_burst(options.burst, place.load, *options.place.load);
  if (request.burst && request.sources == network::Sources::first_hop)
    throw InvalidArgument("--sources", "first-hop given together with --burst",
                          "decoupled: what a link brings of bursts is not on-off");
  request.title = place.title + burst_in_words(request.burst);
  bounds::TreeDelay delay =
      bounds::tree_delay(place.tree, place.load, place.routing, request.sources, request.burst);
  const Way longest = longest_of(delay.ways);
  request.queues = std::move(delay.network);
  request.flows.push_back({.name = {},
                           .source = {},
                           .destination = {},
                           .rate = place.load,
                           .ways = std::move(delay.ways),
                           .longest = longest,
                           .links = {}});
}

void read_network_request(const DelayOptions& options, DelayRequest& request) {
  const network::Network network = read_network_place(options.place);
  bounds::NetworkDelay delay = bounds::network_delay(network, request.sources);
  const std::string wanted = options.flow.value_or("all");
  for (const bounds::FlowDelay& entry : delay.flows) {
    const network::Flow& flow = network.flows[entry.flow];
    if (wanted != "all" && wanted != flow.name) continue;
    DelayFlow& shown = request.flows.emplace_back();
    shown.name = flow.name;
    shown.source = network.nodes[flow.source].name;
    shown.destination = network.nodes[flow.destination].name;
    shown.rate = flow.rate;
    shown.ways = entry.ways;
    const network::Route* longest = nullptr;
    std::size_t most = 0;
    for (const network::Route& route : flow.routes) {
      const auto count = static_cast<std::size_t>(std::count_if(
          route.links.begin(), route.links.end(), [&](std::size_t link) { return network.has_queue(link); }));
      if (longest == nullptr || count > most) {
        longest = &route;
        most = count;
      }
    }
    for (const std::size_t link : longest->links)
      if (network.has_queue(link)) {
        shown.longest.queues.push_back(delay.queue_of_link[link]);
        shown.links.push_back(network.link_name(link));
      }
  }
  if (request.flows.empty()) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(8, network.flows.size()); ++i)
      names.push_back(network.flows[i].name);
    throw InvalidArgument("--flow", wanted,
                          fmt::format("all, or one of the file's flows: {}{}", fmt::join(names, ", "),
                                      network.flows.size() > names.size() ? ", ..." : ""));
  }
  request.one_flow = wanted != "all";
  request.title = network.name.empty() ? *options.place.network : network.name;
  request.queues = std::move(delay.network);
}

}  // namespace

bool DelayRequest::several_hops() const {
  return std::any_of(flows.begin(), flows.end(),
                     [](const DelayFlow& flow) { return flow.longest.queues.size() > 1; });
}

bool DelayRequest::bursty() const {
  return std::any_of(queues.traffic.begin(), queues.traffic.end(),
                     [](const network::QueueTraffic& traffic) { return !traffic.bursts.empty(); });
}

DelayRequest read_delay_request(const DelayOptions& options) {
  DelayRequest request;
  require_fitting(options);
  read_question(options, request);
  request.units = read_units(options.units);
  if (options.model.sources)
    request.sources = parse_choice(*options.model.sources, "--sources", {"decoupled", "first-hop"}) == 0
                          ? network::Sources::decoupled
                          : network::Sources::first_hop;
  if (options.model.delay)
    request.delay = parse_choice(*options.model.delay, "--delay", {"wait", "occupancy"}) == 0
                        ? queue::HopDelay::wait
                        : queue::HopDelay::occupancy;
  if (options.delays) {
    request.place = DelayPlace::distribution;
    request.title = "delays of " + *options.delays;
    if (!request.reorder && request.reorder_levels.empty())
      throw InvalidArgument("--reorder", "missing", "given as the target EPS (or --reorder-levels LIST)");
    if (!request.flow_rate)
      throw InvalidArgument("--flow-rate", "missing", "given: packets a slot, above 0 and at most 1");
    request.delays =
        bounds::from_pmf(series::parse_pmf(read_file(*options.delays, "--delays"), *options.delays));
  } else if (options.place.network) {
    request.place = DelayPlace::network;
    read_network_request(options, request);
  } else {
    read_tree(options, request);
  }
  return request;
}

Json describe_delay(const DelayOptions& options, const DelayRequest& request) {
  Json inputs;
  if (request.place == DelayPlace::distribution) inputs["delays"] = *options.delays;
  if (request.place != DelayPlace::distribution) describe_place(inputs, options.place);
  if (request.place == DelayPlace::network) inputs["flow"] = options.flow.value_or("all");
  if (request.place != DelayPlace::distribution) {
    describe_burst(inputs, request.burst);
    inputs["sources"] = options.model.sources.value_or("decoupled");
    inputs["delay"] = options.model.delay.value_or("wait");
  }
  if (request.drop) {
    inputs["drop"] = numeric::to_fraction(request.drop->probability);
    inputs["criterion"] = bounds::name(request.drop->criterion);
  }
  if (request.reorder) inputs["reorder"] = numeric::to_fraction(*request.reorder);
  if (request.flow_rate) inputs["flow_rate"] = numeric::to_fraction(*request.flow_rate);
  describe_units(inputs, options.units);
  inputs["digits"] = request.digits.count;
  return inputs;
}

std::int64_t DelayReport::total_buffer(const DelayFlow& flow) const {
  std::int64_t total = 0;
  for (const std::size_t queue : flow.longest.queues) total += buffers[queue]->buffer.value;
  return total;
}

namespace {

ReorderAnswer answer_reorder(const DelayRequest& request, const bounds::DelayDistribution& delays,
                             const Rational& rate) {
  ReorderAnswer answer{rate, std::nullopt, {}};
  if (request.reorder) answer.size = bounds::reorder_buffer(rate, delays, *request.reorder, {128});
  if (!request.reorder_levels.empty()) {
    const std::int64_t deepest =
        *std::max_element(request.reorder_levels.begin(), request.reorder_levels.end());
    const auto tails = bounds::reorder_tails(rate, delays, static_cast<std::size_t>(deepest) + 1, {128});
    for (const std::int64_t level : request.reorder_levels)
      answer.tail.push_back(tails[static_cast<std::size_t>(level)]);
  }
  return answer;
}

bounds::ClaimedBufferSize buffer_of(const queue::HopQueue& queue, const bounds::DropTarget& target,
                                    numeric::Digits digits) {
  if (const auto* arrivals = std::get_if<queue::MarkovArrivals>(&queue)) {
    queue::MarkovQueue bursty(*arrivals, digits);
    return bounds::buffer_size(bursty, target);
  }
  const bounds::BufferSize size =
      bounds::buffer_size(std::get<queue::SlottedQueue>(queue), target, {.digits = digits});
  bounds::ClaimedBufferSize result{size.buffer, numeric::to_claim(size.at.probability), {}};
  if (size.before) result.before = numeric::to_claim(size.before->probability);
  return result;
}

/// What may be left of the delays beyond those listed, so that a reorder question is settled to some digits.
Rational negligible_for(const DelayRequest& request) {
  Rational least = request.reorder.value_or(Rational(1));
  if (!request.reorder_levels.empty())
    least = std::min<Rational>(least, numeric::parse_rational("1e-30", "bar"));
  return least * numeric::parse_rational("1e-12", "bar");
}

}  // namespace

FlowKey key_of(const DelayFlow& flow) {
  FlowKey key;
  for (const Way& way : flow.ways) {
    std::vector<std::size_t> queues = way.queues;
    std::sort(queues.begin(), queues.end());
    key.emplace_back(std::move(queues), numeric::to_fraction(way.share));
  }
  return key;
}

DelayReport answer_delay(DelayRequest request, const Context& context) {
  DelayReport report{std::move(request), {}, {}, {}};
  const DelayRequest& asked = report.request;
  if (asked.place == DelayPlace::distribution) {
    report.reorder = answer_reorder(asked, *asked.delays, *asked.flow_rate);
    return report;
  }
  bounds::PathDelay delays(asked.queues.queues, asked.delay, asked.digits);
  std::map<FlowKey, std::size_t> known;
  for (std::size_t i = 0; i < asked.flows.size(); ++i) {
    const DelayFlow& flow = asked.flows[i];
    if (context.progress) context.progress(i, asked.flows.size());
    const auto [place, is_new] = known.try_emplace(key_of(flow), i);
    report.flows.push_back(is_new ? FlowAnswer{delays.claims(flow.ways, asked.question), std::nullopt}
                                  : FlowAnswer{report.flows[place->second].delay, std::nullopt});
    if (asked.reorder || !asked.reorder_levels.empty()) {
      // In a tree the packets of one flow share the level where they turn: at worst the top.
      const std::vector<Way> ways =
          asked.place == DelayPlace::tree ? std::vector<Way>{{flow.longest.queues, 1}} : flow.ways;
      report.flows.back().reorder = answer_reorder(asked, delays.distribution(ways, negligible_for(asked)),
                                                   asked.flow_rate.value_or(*flow.rate));
    }
  }
  report.buffers.resize(asked.queues.queues.size());
  if (asked.drop)
    for (const DelayFlow& flow : asked.flows)
      for (const std::size_t queue : flow.longest.queues)
        if (!report.buffers[queue])
          report.buffers[queue] = buffer_of(asked.queues.queues[queue], *asked.drop, asked.digits);
  if (context.progress) context.progress(asked.flows.size(), asked.flows.size());
  return report;
}

std::vector<bounds::ClaimedSlotProbability> ccdf_of(const DelayRequest& request, std::size_t flow,
                                                    std::int64_t last) {
  constexpr std::int64_t most_points = 400;
  bounds::PathDelay delays(request.queues.queues, request.delay, {3});
  bounds::DelayQuestion question;
  const std::int64_t step = 1 + last / most_points;
  for (std::int64_t t = 0; t <= last; t += step) question.levels.emplace_back(t);
  return delays.claims(request.flows[flow].ways, question).above;
}

std::string model_caution(const DelayRequest& request) {
  if (!request.several_hops()) return {};
  if (request.sources == network::Sources::first_hop)
    return "each hop is taken to be fed as the first one, and independent: simulated tails are heavier, by "
           "half and "
           "more after the first hop";
  if (request.bursty())
    return "hops are taken as independent and fed as if no queue upstream spread their bursts: simulated "
           "tails (4-ary "
           "3-tree, load 0.6, bursts of 16) are 24% lighter at 0.1, 15% heavier at 6e-5, 24% at 1e-5; in a "
           "16-ary "
           "tree 7% lighter at 0.1, as analysed from 1e-4 on";
  return "hops are taken as independent, though waits are positively correlated: simulated tails (16-ary "
         "3-tree, load "
         "0.8) are 7% lighter at 1e-2, 10% heavier at 2e-6, 36% at 5e-8";
}

void add_delay_model_options(CLI::App& command, DelayModelOptions& options) {
  const OptionGroup model(command, "Model");
  model.add(
      "--sources", options.sources, "NAME",
      "who feeds a queue: decoupled (every source, the default) or\nfirst-hop (each link into its switch; as "
      "published)");
  model.add("--delay", options.delay, "NAME", "of a hop: wait (the default) or occupancy (as published)");
}

void add_delay_options(CLI::App& command, DelayOptions& options) {
  const OptionGroup network(command, "Any network");
  const OptionGroup question(command, "Question");
  add_place_options(command, options.place);
  network.add("--flow", options.flow, "NAME", "one flow of it, or all (the default)");
  add_delay_model_options(command, options.model);
  add_burst_options(command, options.burst, "A tree under uniform traffic");
  question.add("--percentiles", options.percentiles, "LIST",
               "in percent; 50,90,99,99.99,99.9999 unless told");
  question.add("--ccdf", options.ccdf, "LIST", "slots t of P(queueing delay > t): 0,10,100 or 0:200:10");
  question.add("--drop", options.drop, "EPS", "adds the buffer of each hop for this target");
  question.add("--criterion", options.criterion, "NAME", "of --drop: overflow (the default) or loss");
  question.add("--reorder", options.reorder, "EPS",
               "the reorder buffer of one flow: least b with P(R > b) <= EPS");
  question.add("--reorder-levels", options.reorder_levels, "LIST", "levels b of P(R > b)");
  question.add("--flow-rate", options.flow_rate, "P",
               "packets a slot of that flow; a tree: --load unless told, one leaf\nto one other");
  question.add("--delays", options.delays, "FILE",
               "with --reorder: the delays' own distribution, P(delay = 0), P(1), ...");
  OptionGroup(command, "Numbers").add("--digits", options.digits, "D", "significant digits to prove (10)");
  add_unit_options(command, options.units);
}

}  // namespace tailbound::cli
