#include <tailbound/core/error.hpp>
#include <tailbound/queue/flows/flows.hpp>

#include <catch2/catch.hpp>
#include <tests/support/flow_groups.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using queue::check_flows;
using queue::FlowGroup;
using queue::FlowKind;

TEST_CASE("the load of flows is their long-run rate") {
  CHECK(queue::load({periodic(100, 125)}) == ratio(4, 5));
  CHECK(queue::load({periodic(2, 9, 3), sporadic(1, 6)}) == ratio(5, 6));
  CHECK(queue::load({regulated(100, "1/125", "4")}) == ratio(4, 5));
  // A bucket of one packet overflows: it sends every third slot.
  CHECK(queue::load({regulated(2, "2/5", "1")}) == ratio(2, 3));
  CHECK(queue::load({regulated(1, {{ratio(9, 10), 20}, traffic::one_per_slot()})}) == ratio(9, 10));
  CHECK(queue::load({regulated(3, {{ratio(1, 4), 8}, {ratio(1, 2), 2}})}) == ratio(3, 4));
  // Its pattern would take 10^9 slots to repeat: the smallest rate.
  CHECK(queue::load({regulated(1, {{ratio(1, 999'999'937), ratio(1'000'000'000, 999'999'937)}})}) ==
        ratio(1, 999'999'937));
}

TEST_CASE("flows: arguments out of range are rejected by name") {
  CHECK_THROWS_WITH(check_flows({}), Catch::Contains("flows is none"));
  CHECK_THROWS_WITH(check_flows({periodic(0, 5)}), Catch::Contains("count is 0"));
  CHECK_THROWS_WITH(check_flows({periodic(1'000'001, 5)}), Catch::Contains("1000000"));
  CHECK_THROWS_WITH(check_flows({periodic(1, 0)}), Catch::Contains("period is 0"));
  CHECK_THROWS_WITH(check_flows({sporadic(1, 5, 0)}), Catch::Contains("batch is 0"));
  CHECK_THROWS_WITH(check_flows({regulated(1, std::vector<traffic::TokenBucket>{})}),
                    Catch::Contains("buckets"));
  CHECK_THROWS_WITH(check_flows({regulated(1, "0", "2")}), Catch::Contains("rate is 0"));
  CHECK_THROWS_WITH(check_flows({regulated(1, "1/2", "1/2")}), Catch::Contains("burst is 1/2"));
  CHECK_THROWS_WITH(check_flows({regulated(1, "1/2000000011", "2")}), Catch::Contains("10^9"));
  FlowGroup both = periodic(1, 5);
  both.buckets.push_back(traffic::one_per_slot());
  CHECK_THROWS_AS(check_flows({both}), InvalidArgument);
  CHECK_THROWS_WITH(queue::require_stable({periodic(5, 5)}),
                    Catch::Contains("its load is 1; it must be below 1"));
  CHECK_NOTHROW(queue::require_stable({regulated(2, "2/5", "1"), periodic(1, 4)}));
}
