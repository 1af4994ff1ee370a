#include <catch2/catch.hpp>
#include <tailbound/options/row.hpp>

#include <string>
#include <vector>

// One row of an option is the source of its help, its value and its messages.

namespace {

using namespace tailbound;
using namespace tailbound::options;
using numeric::Rational;

enum class Colour { red, green };
[[maybe_unused]] constexpr auto names_of(Colour) {
  return std::array{"red", "green"};
}

struct Rows {
  OptionTable rows{};
  OptionGroup group{rows, "Things"};
  List<int> sizes{group, "--sizes", "N", integers<int>(1, 64).by_default("2,3").slider(1, 16, 1),
                  "sizes (default {}).\nAny"};
  Number time{group, "--time", "T",
              quantity(numeric::Measure::nanoseconds).from(0, 100, "ns").needed("give a time"), "time"};
  Numbers shares{group, "--shares", "LIST",
                 options::shares().such_that([](const Rational& share) { return share < 1; }, "below 1"),
                 "shares"};
  List<Colour> colours{group, "--colours", "NAME", names<Colour>().first_by_default(),
                       "{names} (default {})"};
  Flag quick{group, "--quick", "faster"};
  Words words{group, "WORDS", "TEXT", 1, 2, "words", true};
};

void give(const Rows& rows, const std::string& name, const std::string& text) {
  rows.rows.find(name)->set(text);
}

TEST_CASE("rows: the table holds all of them in their order, with group, default and values") {
  const Rows rows;
  CHECK(rows.rows.names() ==
        std::vector<std::string>{"--sizes", "--time", "--shares", "--colours", "--quick"});
  const Option& sizes = *rows.rows.find("--sizes");
  CHECK(sizes.group == "Things");
  CHECK(sizes.help == "sizes (default 2,3).\nAny");
  CHECK(sizes.usual == "2,3");
  CHECK(sizes.values.slider->maximum == 16);
  CHECK(rows.rows.find("--time")->usual.empty());
  CHECK(rows.rows.find("--colours")->help == "red or green (default red)");
  CHECK(rows.rows.find("--colours")->values.choices == std::vector<std::string>{"red", "green"});
  CHECK(rows.rows.find("WORDS")->required);
}

TEST_CASE("rows: the value is the default until one is given") {
  const Rows rows;
  CHECK(rows.sizes.value() == std::vector{2, 3});
  CHECK_FALSE(rows.sizes.if_given());
  CHECK(rows.sizes.each() == std::vector<std::optional<int>>{std::nullopt});
  CHECK(rows.colours.value() == std::vector{Colour::red});
  give(rows, "--sizes", "4:6:2");
  give(rows, "--colours", "green,red");
  give(rows, "--time", "0.05us");
  give(rows, "--quick", "");
  give(rows, "WORDS", "a b");
  CHECK(rows.sizes.value() == std::vector{4, 6});
  CHECK(rows.sizes.each() == std::vector<std::optional<int>>{4, 6});
  CHECK(rows.sizes.as(integers<int>(1, 6)) == std::vector{4, 6});
  CHECK(rows.colours.value() == std::vector{Colour::green, Colour::red});
  CHECK(rows.time.if_given() == Rational(50));
  CHECK(rows.quick.given());
  CHECK(rows.words.words() == std::vector<std::string>{"a", "b"});
  rows.rows.find("--sizes")->clear();
  CHECK_FALSE(rows.sizes);
  CHECK(rows.sizes.value() == std::vector{2, 3});
}

TEST_CASE("rows: messages name the option, its value and what is legal") {
  const Rows rows;
  CHECK_THROWS_WITH(rows.time.value(), "--time is missing: give a time");
  give(rows, "--time", "101ns");
  CHECK_THROWS_WITH(rows.time.value(), "--time is 101ns; it must be from 0 to 100 ns");
  CHECK(std::string(rows.time.invalid("shorter").what()) == "--time is 101ns; it must be shorter");
  give(rows, "--shares", "5%,150%");
  CHECK_THROWS_WITH(rows.shares.value(), "--shares is 1.5; it must be below 1");
  give(rows, "--shares", "150%");
  CHECK_THROWS_WITH(rows.shares.value(), "--shares is 150%; it must be below 1");
  give(rows, "--sizes", "65");
  CHECK_THROWS_AS(rows.sizes.value(), InvalidArgument);
  CHECK_THROWS_AS(rows.sizes.as(integers<int>(66, 70)), InvalidArgument);
  give(rows, "--colours", "gren");
  CHECK_THROWS_WITH(rows.colours.value(),
                    "--colours is gren; it must be either red or green; did you mean green?");
}

TEST_CASE("rows: the first given one of a list is rejected by its name") {
  const Rows rows;
  reject_with({&rows.sizes, &rows.quick}, "--all");
  reject_without({&rows.sizes, &rows.quick}, "--all");
  give(rows, "--quick", "");
  CHECK_THROWS_WITH(reject_with({&rows.sizes, &rows.quick}, "--all", "why"),
                    "--quick is not allowed with --all: why");
  CHECK_THROWS_WITH(reject_without({&rows.sizes, &rows.quick}, "--all"), "--quick needs --all");
}

}  // namespace
