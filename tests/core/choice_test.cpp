#include <catch2/catch.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>

// Names of a list, and the error for an unknown one.

namespace {

using namespace tailbound;

TEST_CASE("choices: positions in the order of the list") {
  CHECK(parse_choice("loss", "--criterion", {"overflow", "loss"}) == 1);
  CHECK(parse_choices("c,a,c", "--as", {"a", "b", "c"}) == std::vector<std::size_t>{2, 0, 2});
}

TEST_CASE("choices: unknown names are rejected with the list of names") {
  CHECK_THROWS_WITH(parse_choice("los", "--criterion", {"overflow", "loss"}),
                    "--criterion is los; it must be either overflow or loss; did you mean loss?");
  CHECK_THROWS_WITH(parse_choices("a,,b", "--as", {"a", "b", "c"}),
                    "--as is empty; it must be one of a, b, c");
  CHECK_THROWS_AS(parse_choice("", "--as", {"a"}), InvalidArgument);
}

}  // namespace
