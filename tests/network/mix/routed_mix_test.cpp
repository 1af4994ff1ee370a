#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/mix/routed_mix.hpp>

#include <catch2/catch.hpp>

namespace tailbound::network {
namespace {

using numeric::Rational;

const std::string star = R"(
hosts = ["a", "b", "c", "m"]
switches = ["s", "t"]
link = [{from = ["a", "b"], to = "s", both = true, virtual_channels = 2},
        {from = ["c", "m"], to = "t", both = true}, {from = "s", to = "t", both = true}]
)";

Network read_classes(const std::string& rest) {
  Network network = read_network(star + rest, "star.toml", FileUse::worms).network;
  add_answer_flows(network);
  return network;
}

TEST_CASE("classes in files: flows of their own, and answers") {
  const Network network = read_classes(R"(
class = [{name = "request", flits = 1, virtual_channels = 3}, {name = "reply", flits = "5:1,9:1", answers = "request"},
         {name = "rest", flits = 4, uniform = true}]
flow = [{from = "a", to = "m", rate = 0.2, class = "request"}, {from = "b", to = "m", rate = 0.1, class = "request"}]
)");
  CHECK(flows_of_class(network, 0).size() == 2);
  CHECK(flows_of_class(network, 1).size() == 2);
  CHECK(flows_of_class(network, 2).size() == 12);
  const RoutedMix mix = routed_mix(network, 1);
  REQUIRE(mix.networks.size() == 3);
  REQUIRE(mix.mix.kinds.size() == 3);
  CHECK(mix.mix.kinds[1].share == Rational(1) / 3);  // uniform traffic: equal parts
  CHECK(mix.mix.kinds[1].rates == std::vector<Rational>{Rational(1) / 5, Rational(1) / 10});
  CHECK(mix.mix.kinds[1].traffic.flows[0].source == 3);
  CHECK(mix.mix.kinds[1].traffic.flows[0].rate == Approx(2.0 / 3));
  // Links have the channels of the class, or of the file; all have the same physical channels.
  for (const auto& its : mix.networks) CHECK(its->layout().wires == mix.networks.front()->layout().wires);
  const auto channels = [&](std::size_t v) { return mix.networks[v]->layout().channels.size(); };
  CHECK(channels(0) == 30);
  CHECK(channels(1) == 14);
  CHECK(mix.networks[1]->next_station({.source = 3, .destination = 0}) != WormNetwork::arrived);
}

TEST_CASE("classes in files: common flows, and shares by rates") {
  const Network common = read_classes(R"(
class = [{name = "short", flits = 1, share = "60%", network = "one"}, {name = "long", flits = 5, share = "40%", network = "one"}]
traffic = {uniform = true}
)");
  const RoutedMix one = routed_mix(common, 1);
  CHECK(one.networks.size() == 1);
  CHECK(one.mix.kinds[0].share == Rational(3) / 5);
  CHECK(one.mix.kinds[0].traffic.flows.size() == one.mix.kinds[1].traffic.flows.size());
  const RoutedMix by_rates = routed_mix(read_classes(R"(
class = [{name = "x", flits = 1}, {name = "y", flits = 5}]
flow = [{from = "a", to = "m", rate = 0.3, class = "x"}, {from = "a", to = "m", rate = 0.1, class = "y"}]
)"),
                                        1);
  CHECK(by_rates.mix.kinds[0].share == Rational(3) / 4);
}

TEST_CASE("classes in files: written and read back") {
  const Network network = read_classes(R"(
class = [{name = "x", flits = 1, virtual_channels = 2, share = "50%"}, {name = "y", flits = "1:60%,5:40%", answers = "x"}]
flow = [{from = "a", to = "m", rate = 0.3, class = "x"}]
)");
  Network again = read_network(to_toml(network), "again.toml", FileUse::worms).network;
  add_answer_flows(again);
  CHECK(again.message_classes == network.message_classes);
  CHECK(again.flows.size() == network.flows.size());
  CHECK(again.flows.back().message_class == 1U);
}

TEST_CASE("classes in files: rejected") {
  const auto rejected = [](const std::string& rest) {
    INFO(rest);
    CHECK_THROWS(routed_mix(read_classes(rest), 1));
  };
  rejected("class = [{name = \"x\"}]\ntraffic = {uniform = true}");
  rejected("class = [{name = \"x\", flits = 0}]\ntraffic = {uniform = true}");
  rejected("class = [{name = \"x\", flits = 1}, {name = \"x\", flits = 2}]\ntraffic = {uniform = true}");
  rejected("class = [{name = \"x\", flits = 1, answers = \"z\"}]\ntraffic = {uniform = true}");
  rejected(
      "class = [{name = \"x\", flits = 1}]\nflow = [{from = \"a\", to = \"m\", rate = 0.1, class = \"z\"}]");
  rejected(
      "class = [{name = \"x\", flits = 1, share = \"50%\"}, {name = \"y\", flits = 1, share = \"40%\"}]\n"
      "traffic = {uniform = true}");
  rejected(
      "class = [{name = \"x\", flits = 1}, {name = \"y\", flits = 1}]\n"
      "flow = [{from = \"a\", to = \"m\", rate = 0.1, class = \"x\"}]");
  rejected("class = [{name = \"x\", flits = 1, uniform = true, matrix = \"m.csv\"}]");
  rejected("class = [{name = \"x\", flits = 1, colour = 1}]\ntraffic = {uniform = true}");
}

}  // namespace
}  // namespace tailbound::network
