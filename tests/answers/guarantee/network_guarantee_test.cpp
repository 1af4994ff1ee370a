#include <tailbound/answers/guarantee/network_guarantee.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/policed_examples.hpp>
#include <tests/support/two_policed_hops.hpp>

using namespace tailbound;
using answers::NetworkGuaranteeQuery;
using bounds::GuaranteeMethod;

namespace {

NetworkGuaranteeQuery about_two_hops() {
  return {.file = network::read_policed_network(test::two_policed_hops, "two.toml"), .file_name = "two.toml"};
}

}  // namespace

TEST_CASE("a network's guarantee covers all flows, or one and its ports") {
  NetworkGuaranteeQuery query = about_two_hops();
  const auto all = answer(query);
  CHECK(all.flows.size() == 2);
  CHECK(all.queues.size() == 3);
  CHECK(all.latest(GuaranteeMethod::best) == 0);
  query.flow = "quick";
  const auto one = answer(query);
  CHECK(one.flows == std::vector<std::size_t>{1});
  CHECK(one.queues == one.found.flows[1].queues);
  CHECK(one.found.flows[1].routes[0].minimum == 2);
  // A burst of 3 arrives over its link one by one: at most two packets are present at once.
  CHECK(one.found.queues[one.queues.back()].in_slots == 2);
  query.port = "a -> s";
  CHECK(answer(query).found.queues[answer(query).drawn].port == 0);
}

TEST_CASE("an unknown flow or port is rejected with a similar name") {
  NetworkGuaranteeQuery query = about_two_hops();
  query.flow = "quik";
  CHECK_THROWS_WITH(answer(query),
                    Catch::Contains("--flow is quik") && Catch::Contains("did you mean quick"));
  query.flow.reset();
  query.port = "s -> d";
  CHECK_THROWS_WITH(answer(query),
                    Catch::Contains("--port is s -> d") && Catch::Contains("did you mean s -> c"));
}

TEST_CASE("a linear program bounds the delay of a flow") {
  NetworkGuaranteeQuery query{
      .file = network::read_policed_network(test::crossed_line(4, 25, 4), "line.toml"),
      .file_name = "line.toml"};
  const auto latest = [&](GuaranteeMethod method) {
    query.method = method;
    const auto found = answer(query);
    return found.at(found.routes[found.latest(method)]);
  };
  CHECK(latest(GuaranteeMethod::best).used(GuaranteeMethod::best) == GuaranteeMethod::lp);
  const bounds::RouteGuarantee route = latest(GuaranteeMethod::lp);
  CHECK(route.delay(GuaranteeMethod::lp) == route.lp);
  CHECK(route.delay(GuaranteeMethod::best) == route.lp);
  CHECK(*route.lp < *route.tfa);
  CHECK_FALSE(route.lp_proof.empty());
  CHECK_FALSE(latest(GuaranteeMethod::tfa).lp);
  CHECK(latest(GuaranteeMethod::tfa).used(GuaranteeMethod::lp) == GuaranteeMethod::tfa);
}
