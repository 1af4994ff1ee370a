#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tests/golden/run_command.hpp>
#include <tests/support/rational.hpp>

#include <string>
#include <vector>

using tailbound::InvalidArgument;
using tailbound::golden::Outcome;
using tailbound::golden::run_line;
using tailbound::numeric::parse_integers;
using tailbound::numeric::parse_percent_list;
using tailbound::numeric::parse_share;
using tailbound::numeric::Rational;
using tailbound::test::rational;

TEST_CASE("numbers as typed: percent signs, exactly") {
  CHECK(parse_share("5%", "--hot") == rational("1/20"));
  CHECK(parse_share("1e-7%", "--drop") == rational("1e-9"));
  CHECK(parse_share("200/3%", "--load") == rational("2/3"));
  CHECK(parse_share("0.05", "--hot") == rational("1/20"));
  for (const char* wrong : {"", "%", "5%%", "%5", "5 percent"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_share(wrong, "--hot"), InvalidArgument);
  }
}

TEST_CASE("numbers as typed: lists, with percent signs throughout a range") {
  CHECK(parse_percent_list("10%:30%:10%,0.4", "--loads") ==
        std::vector<Rational>{rational("0.1"), rational("0.2"), rational("0.3"), rational("0.4")});
  CHECK(parse_percent_list("0.1,50%", "--loads") == std::vector<Rational>{rational("0.1"), rational("0.5")});
  CHECK_THROWS_AS(parse_percent_list("10:30:10%", "--loads"), InvalidArgument);
  CHECK_THROWS_AS(parse_percent_list("10%,", "--loads"), InvalidArgument);
  CHECK_THROWS_AS(parse_percent_list("1%:100%:1%", "--loads", 99), InvalidArgument);
}

TEST_CASE("numbers as typed: separated thousands are not a list") {
  for (const char* text : {"1,024", "2,000", "1,000,000", "0.1,05"})
    CHECK_THROWS_WITH(parse_integers(text, "--inputs", 1, 10'000'000),
                      Catch::Contains("do not separate thousands"));
  CHECK(parse_integers("1,24", "--inputs", 1, 99) == std::vector<std::int64_t>{1, 24});
  CHECK(parse_integers("0,1,0", "--levels", 0, 99) == std::vector<std::int64_t>{0, 1, 0});
  CHECK(parse_integers("7,1:3", "--route-seed", 0, 99) == std::vector<std::int64_t>{7, 1, 2, 3});
  CHECK_THROWS_WITH(parse_integers("3:1", "--route-seed", 0, 99), Catch::Contains("lead from FIRST to LAST"));
}

TEST_CASE("numbers as typed: errors of integer lists give the legal range") {
  CHECK(parse_integers("4,8:2:-3,1e1", "--sides", 2, 99) == std::vector<std::int64_t>{4, 8, 5, 2, 10});
  for (const char* wrong : {"4,x", "x", "4,1", "4,2.5", "4,50%"}) {
    INFO(wrong);
    CHECK_THROWS_WITH(parse_integers(wrong, "--sides", 2, 99),
                      Catch::Contains("--sides is") && Catch::Contains("it must be an integer from 2 to 99"));
  }
}

TEST_CASE("numbers as typed: percent signs in all shares") {
  const auto same = [](const std::string& percent, const std::string& decimal) {
    const Outcome one = run_line(percent), other = run_line(decimal);
    INFO(percent << "\n" << one.err);
    CHECK(one.status == 0);
    CHECK(one.out == other.out);
  };
  same("buffer --inputs 16 --load 90% --drop 1e-13% --format json",
       "buffer --inputs 16 --load 0.9 --drop 1e-15 --format json");
  same("buffer --inputs 16 --load 10%:90%:20%,0.95 --drop 1e-9 --format csv",
       "buffer --inputs 16 --load 0.1:0.9:0.2,0.95 --drop 1e-9 --format csv");
  same("buffer --rates 10%,20% --drop 1e-9", "buffer --rates 0.1,0.2 --drop 1e-9");
  same("buffer --inputs 4 --load 40% --burst 4 --on-rate 80% --drop 1e-6 --format csv",
       "buffer --inputs 4 --load 0.4 --burst 4 --on-rate 0.8 --drop 1e-6 --format csv");
  same("occupancy --inputs 16 --load 90% --until 0.1%", "occupancy --inputs 16 --load 0.9 --until 0.001");
  same("delay --radix 4 --levels 2 --load 80%", "delay --radix 4 --levels 2 --load 0.8");
}
