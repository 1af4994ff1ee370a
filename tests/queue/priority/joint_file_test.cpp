#include <tailbound/core/error.hpp>
#include <tailbound/queue/priority/joint_file.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

#include <string>
#include <vector>

using namespace tailbound;
using queue::parse_joint;
using tailbound::test::rational;

TEST_CASE("joint file: packets per class, comments, header line, repeated packets") {
  const auto read = parse_joint(
                        "high, low, probability\n# of a slot\n0,0,0.5\n1,0,1/4 # a quarter\n\n0, 2, "
                        "0.125\n0,2,0.125\r\n3,3,0\n",
                        "f")
                        .packets;
  REQUIRE(read.size() == 3);
  CHECK(read[0].packets == std::vector<std::int64_t>{0, 0});
  CHECK(read[1].packets == std::vector<std::int64_t>{0, 2});
  CHECK(read[1].probability == rational("1/4"));
  CHECK(read[2].probability == rational("1/4"));
}

TEST_CASE("joint file: errors have line numbers") {
  using Catch::Contains;
  const auto rejected = [](const std::string& text, const std::string& words) {
    CHECK_THROWS_AS(parse_joint(text, "f"), ParseError);
    CHECK_THROWS_WITH(parse_joint(text, "f"), Contains(words));
  };
  rejected("", "no probabilities");
  rejected("0,0,0.5\n1,0.5\n", "2 columns, the first line 3");
  rejected("0,0,0.5\n", "sum to 0.5");
  rejected("0,0,1.5\n0,1,-0.5\n", "negative");
  rejected("0,x,1\n", "not a number of packets");
  rejected("0,129,1\n", "from 0 to 128");
  rejected("0,0,a\n", "probability");
  rejected("1\n", "1 columns");
  CHECK_THROWS_WITH(parse_joint("# only\n0,0,1,1\n0,0,0\n", "f"), Contains("f:3"));
}
