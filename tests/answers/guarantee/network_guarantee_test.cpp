#include <cln/rational.h>
#include <tailbound/answers/guarantee/network_guarantee.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/two_policed_hops.hpp>

using namespace tailbound;
using answers::NetworkGuaranteeQuestion;
using bounds::GuaranteeMethod;

namespace {

NetworkGuaranteeQuestion about_two_hops() {
  return {.file = network::read_policed_network(test::two_policed_hops, "two.toml"), .file_name = "two.toml"};
}

}  // namespace

TEST_CASE("a network's guarantee covers all flows, or one and its ports") {
  NetworkGuaranteeQuestion asked = about_two_hops();
  const auto all = answer(asked);
  CHECK(all.flows.size() == 2);
  CHECK(all.queues.size() == 3);
  CHECK(all.latest(GuaranteeMethod::best) == 0);
  asked.flow = "quick";
  const auto one = answer(asked);
  CHECK(one.flows == std::vector<std::size_t>{1});
  CHECK(one.queues == one.found.flows[1].queues);
  CHECK(one.found.flows[1].least == 2);
  // A burst of 3 arrives over its link one by one: at most two packets are present at once.
  CHECK(one.found.queues[one.queues.back()].in_slots == 2);
  asked.port = "a -> s";
  CHECK(answer(asked).found.queues[answer(asked).drawn].port == 0);
}

TEST_CASE("an unknown flow or port is rejected with a similar name") {
  NetworkGuaranteeQuestion asked = about_two_hops();
  asked.flow = "quik";
  CHECK_THROWS_WITH(answer(asked),
                    Catch::Contains("--flow is quik") && Catch::Contains("did you mean quick"));
  asked.flow.reset();
  asked.port = "s -> d";
  CHECK_THROWS_WITH(answer(asked),
                    Catch::Contains("--port is s -> d") && Catch::Contains("did you mean s -> c"));
}
