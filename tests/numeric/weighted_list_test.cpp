#include <catch2/catch.hpp>
#include <tailbound/numeric/text/weighted_list.hpp>
#include <tests/support/rational.hpp>

#include <string>
#include <vector>

using tailbound::InvalidArgument;
using tailbound::ParseError;
using tailbound::numeric::for_each_entry;
using tailbound::numeric::for_each_line;
using tailbound::numeric::merged;
using tailbound::numeric::Rational;
using tailbound::numeric::weighted_entry;
using tailbound::numeric::weighted_line;
using tailbound::test::rational;

TEST_CASE("weighted lists: entries and lines") {
  std::vector<std::string> read;
  for_each_entry(" 64 : 7, 594,", [&](std::string_view entry) {
    const auto [value, weight] = weighted_entry(entry);
    read.push_back(std::string(value) + "|" + std::string(weight));
  });
  CHECK(read == std::vector<std::string>{"64|7", "594|1", "|1"});
  read.clear();
  for_each_line(
      "# sizes\n64 7\n\n 594 , 4 \n1518;1\n9", "f", [&](std::string_view content, std::size_t line) {
        const auto [value, weight] = weighted_line(content);
        read.push_back(std::to_string(line) + ": " + std::string(value) + "|" + std::string(weight));
      });
  CHECK(read == std::vector<std::string>{"2: 64|7", "4: 594|4", "5: 1518|1", "6: 9|"});
}

TEST_CASE("weighted lists: an invalid line is named") {
  try {
    for_each_line("1\n\n2\n", "f", [](std::string_view content, std::size_t) {
      if (content == "2") throw InvalidArgument("the size", "2", "another");
    });
    FAIL("read");
  } catch (const ParseError& error) {
    CHECK(error.line() == 3);
  }
}

TEST_CASE("weighted lists: equal values are merged, shares sum to 1") {
  struct One {
    int value;
    Rational share;
  };
  const auto all = merged(std::vector<One>{{5, 2}, {1, 3}, {5, 1}}, &One::value);
  REQUIRE(all.size() == 2);
  CHECK((all[0].value == 1 && all[0].share == rational("1/2")));
  CHECK((all[1].value == 5 && all[1].share == rational("1/2")));
}
