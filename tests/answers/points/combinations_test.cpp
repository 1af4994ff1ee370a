#include <catch2/catch.hpp>
#include <tailbound/answers/points/combinations.hpp>

#include <string>

namespace {

using namespace tailbound;
using answers::Combinations;

struct Requested {
  int inputs = 0;
  std::string load;
  bool operator==(const Requested&) const = default;
};

TEST_CASE("combinations: the last list varies fastest, common values stay") {
  const auto points = Combinations(Requested{.inputs = 7, .load = "0"})
                          .by(std::vector<std::string>{"0.5", "0.9"}, &Requested::load)
                          .by(std::vector<int>{1, 2, 3}, [](Requested& each, int n) { each.inputs *= n; })
                          .points();
  CHECK(points ==
        std::vector<Requested>{{7, "0.5"}, {14, "0.5"}, {21, "0.5"}, {7, "0.9"}, {14, "0.9"}, {21, "0.9"}});
  CHECK(Combinations(Requested{}).points().size() == 1);
  CHECK(Combinations(Requested{}).by(std::vector<int>{}, &Requested::inputs).points().empty());
}

TEST_CASE("combinations: at most a million points") {
  const std::vector<int> thousand(1000, 1);
  CHECK(Combinations(0).by(thousand, [](int&, int) {}).by(thousand, [](int&, int) {}).points().size() ==
        1'000'000);
  CHECK_THROWS_AS(
      Combinations(0).by(thousand, [](int&, int) {}).by(std::vector<int>(1001, 1), [](int&, int) {}),
      InvalidArgument);
}

}  // namespace
