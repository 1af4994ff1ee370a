#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/render/documents/delay/cross_check.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/delay/load_scale.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tests/support/rational.hpp>

// What documents about delays claim: kinds of numbers, headlines, and the words of cross-checks.

using namespace tailbound;
using namespace tailbound::render;
using nlohmann::json;
using numeric::Rational;
using test::rational;

namespace {

/// Hosts a, b, c behind one switch, d, e behind another; two paths lead from one switch to the other.
answers::NetworkTopology two_switches() {
  return {.network = network::read_network(R"(
hosts = ["a", "b", "c", "d", "e"]
switches = ["left", "right", "upper", "lower"]
link = [{from = ["a", "b", "c"], to = "left", both = true}, {from = ["d", "e"], to = "right", both = true},
  {from = "left", to = ["upper", "lower"], both = true}, {from = ["upper", "lower"], to = "right", both = true}]
flow = [{from = "a", to = "d", rate = 0.4, path = "spread"}, {from = "b", to = "d", rate = 0.3, path = "shortest"},
  {from = "e", to = "d", rate = 0.1}, {from = "c", to = "b", rate = 0.2}, {from = "a", to = "b", rate = 0.2}]
)",
                                           "two switches")
                         .network,
          .file = "two switches"};
}

answers::DelayQuery query_of(answers::Topology topology) {
  answers::DelayQuery query{.topology = std::move(topology)};
  query.percentiles = {rational("0.99")};
  return query;
}

json to_json(std::vector<DelayPoint> points) {
  return json::parse(render::to_json(document(std::move(points)), {.version = "1"}));
}
json to_json(const answers::DelayQuery& query) {
  return to_json(std::vector<DelayPoint>{{query, answers::answer(query)}});
}

bool has_note(const json& document, const std::string& text) {
  const json& notes = document["notes"];
  return std::any_of(notes.begin(), notes.end(), [&](const json& note) {
    return note.get<std::string>().find(text) != std::string::npos;
  });
}

std::string check_note(double simulated, double half, double computed,
                       answers::Agreement agreement = answers::Agreement::agrees) {
  answers::CrossCheck check;
  check.packets = 2e6;
  check.levels.push_back(
      {.flow = {},
       .slots = Slots(24),
       .simulated = {.value = simulated, .lower = simulated - half, .upper = simulated + half},
       .computed = computed,
       .agreement = agreement});
  return check_notes(check, {}).front();
}

}  // namespace

TEST_CASE("delay document: only buffers of queues behind hosts are proved", "[render][delay]") {
  answers::DelayQuery tree = query_of(answers::TreeTopology{.tree = {4, 2}, .load = rational("0.6")});
  tree.drop = bounds::DropTarget{rational("1e-9")};
  const json document = to_json(tree);
  const json& hops = document["results"][0]["hops"];
  REQUIRE(hops.size() == 3);
  CHECK(hops[0]["probability"]["kind"] == "enclosure");
  CHECK(hops[1]["probability"]["kind"] == "approximation");
  CHECK(hops[2]["probability"]["kind"] == "approximation");
  CHECK(has_note(document, "computed; arrivals of a switch assumed independent"));
  CHECK(document["headline"].get<std::string>().find("; a 21-packet buffer at each hop.") !=
        std::string::npos);
  // With nearest-ancestor routing the only queue between hosts of one switch is fed from above as well.
  auto& nearest = std::get<answers::TreeTopology>(tree.topology);
  nearest.routing = network::TreeRouting::nearest_ancestor;
  const json last = to_json(tree)["results"][0]["hops"].back();
  CHECK(last["probability"]["kind"] == "approximation");
  // A single switch has only hosts.
  nearest.tree.levels = 1;
  const json single = to_json(tree);
  CHECK(single["results"][0]["hops"][0]["probability"]["kind"] == "enclosure");
  CHECK_FALSE(has_note(single, "assumed independent"));
}

TEST_CASE("delay document: buffers of a network by the inputs of each queue", "[render][delay]") {
  answers::DelayQuery query = query_of(two_switches());
  query.drop = bounds::DropTarget{rational("1e-6")};
  for (const json& flow : to_json(query)["results"])
    for (const json& hop : flow["hops"]) {
      INFO(hop.dump());
      // The sources of left -> b are hosts; right -> d also receives from switches.
      const std::string kind = hop["probability"]["kind"];
      if (hop["link"] == "left -> b") CHECK(kind != "approximation");
      if (hop["link"] == "right -> d") CHECK(kind == "approximation");
    }
}

TEST_CASE("load scale document: an approximation unless only hosts feed the queues", "[render][load_scale]") {
  answers::LoadScaleQuery query{.topology = two_switches()};
  query.requested = answers::BufferTarget{.capacity = Packets(12), .drop = {rational("1e-6")}};
  const auto text = [](const answers::LoadScaleQuery& requested) {
    return json::parse(render::to_json(
        document(std::vector<LoadScalePoint>{{requested, answers::answer(requested)}}), {.version = "1"}));
  };
  const json all = text(query);
  CHECK(all["results"][0]["max_load_scale"]["kind"] == "approximation");
  CHECK(has_note(all, "arrivals of a switch assumed independent"));
  query.flow = "c -> b";
  const json one = text(query);
  CHECK(one["results"][0]["max_load_scale"]["kind"] == "enclosure");
  CHECK_FALSE(has_note(one, "assumed independent"));
  // Limits that differ only in their names are one row in text.
  const json& result = all["results"][0];
  std::size_t count = 0;
  for (const json& group : result["limit_groups"]) count += group["identical"].get<std::size_t>();
  CHECK(count == result["limits"].size());
  CHECK(result["limit_groups"].size() < result["limits"].size());
}

TEST_CASE("delay document: a flow of one path needs no reorder buffer", "[render][delay][reorder]") {
  answers::DelayQuery query = query_of(answers::TreeTopology{.tree = {4, 1}, .load = rational("0.6")});
  query.reorder = answers::ReorderTargets{.probability = rational("1e-6"), .levels = {Packets(0)}};
  const json one = to_json(query);
  CHECK(one["results"][0]["reorder_buffer"] == 0);
  CHECK(one["results"][0]["reorder_probability"]["kind"] == "exact");
  CHECK(one["results"][0]["reorder_tail"][0]["probability"]["value"] == "0");
  CHECK(one["headline"].get<std::string>().find("; no reorder buffer is needed.") != std::string::npos);
  CHECK(has_note(one, "flow of one path: 0, exact"));
  query.topology = two_switches();
  const json network = to_json(query);
  for (const json& flow : network["results"]) {
    INFO(flow["flow"].dump());
    const bool spread = flow["flow"] == "a -> d";
    CHECK((flow["reorder_buffer"].get<int>() > 0) == spread);
    CHECK(flow["reorder_probability"]["kind"] == (spread ? "approximation" : "exact"));
  }
  CHECK(has_note(network, "its accuracy was not measured"));
}

TEST_CASE("delay document: the headline of a stopped run", "[render][delay]") {
  const answers::DelayQuery query = query_of(two_switches());
  answers::DelayAnswer answer = answers::answer(query);
  answer.flows.resize(2);
  answer.stopped = true;
  const json document = to_json({{query, answer}});
  CHECK(document["headline"].get<std::string>().starts_with(
      "Incomplete: of 2 of 5 flows, about 99 % of packets"));
}

TEST_CASE("delay document: what answers is named", "[render][delay]") {
  answers::DelayQuery query = query_of(two_switches());
  const json analysis = to_json(query);
  CHECK(analysis["headline"].get<std::string>().ends_with("Convolved."));
  CHECK(has_note(analysis, "Not compared with a simulation"));
  query.by = answers::DelayBy::simulation;
  query.percentiles = {rational("0.9"), 1 - rational("1e-9")};
  const json simulated = to_json(query);
  CHECK(has_note(simulated, "rarer delays are extrapolated"));
  CHECK(has_note(simulated, "Extrapolated below P(D > t) = "));
  for (const json& flow : simulated["results"]) {
    if (flow["hops_model"] != "simulated") continue;
    INFO(flow.dump());
    CHECK(flow["mean_queueing_slots"]["kind"] == "estimate");
    CHECK(flow["percentiles"][0]["certainty"] == "simulated");
    CHECK(flow["percentiles"][0]["latency_slots_at_least"] <= flow["percentiles"][0]["latency_slots"]);
    CHECK(flow["percentiles"][1]["certainty"] == "extrapolated");
    CHECK(flow["percentiles"][1]["latency_slots_at_most"].is_null());
    CHECK(flow["percentiles"][1]["queueing_probability"]["kind"] == "model");
    CHECK(flow["anchor_probability"]["value"].get<double>() > 1e-9);
  }
  query.by = answers::DelayBy::best;
  const json best = to_json(query);
  CHECK(has_note(best, "Simulation of this network, "));
}

TEST_CASE("cross-checks: a difference beyond the interval is stated", "[render][delay]") {
  const std::string of = "Simulation of this network, 2e6 packets: ";
  CHECK(check_note(4e-3, 7e-4, 4.5e-3) == of + "P(D > 24) = 4.00e-3 +- 18 %, computed 4.50e-3");
  CHECK(check_note(4e-3, 7e-4, 5.8e-3) ==
        of + "P(D > 24) = 4.00e-3 +- 18 %, computed 5.80e-3 (45 % above: conservative)");
  CHECK(check_note(4e-3, 1e-4, 3.8e-3) ==
        of + "P(D > 24) = 4.00e-3 +- 2.5 %, computed 3.80e-3 (5 % below: underestimated)");
  CHECK(check_note(0, 0.137, 1.12e-6) ==
        of + "P(D > 24) = 0 (below 0.137), computed 1.12e-6: no such packet was simulated, which checks "
             "nothing at this level");
  CHECK(check_note(4e-3, 1e-4, 1e-3, answers::Agreement::underestimates) ==
        of + "the analysis is off, most for P(D > 24) = 4.00e-3 +- 2.5 %, computed 1.00e-3");
}

TEST_CASE("cross-checks: flows agree only within their intervals", "[render][delay]") {
  answers::CrossCheck check;
  const auto add = [&](std::optional<std::size_t> flow, double computed) {
    check.levels.push_back({.flow = flow,
                            .slots = Slots(3),
                            .simulated = {.value = 0.01, .lower = 0.009, .upper = 0.011},
                            .computed = computed,
                            .agreement = answers::Agreement::agrees});
  };
  add(0, 0.0105);
  add(1, 0.0102);
  add(std::nullopt, 0.0104);
  CHECK(check_notes(check, {"a", "b"}).front().find("; the 2 flows agree too") != std::string::npos);
  check.levels[1].computed = 0.0146;
  const std::string note = check_notes(check, {"a", "b"}).front();
  CHECK(note.find("agree too") == std::string::npos);
  CHECK(note.find("; 1 of 2 values of the 2 flows outside their 95 % intervals: computed 46 % above") !=
        std::string::npos);
}
