#include <tailbound/core/error.hpp>
#include <tailbound/network/messages/message_lengths.hpp>

#include <catch2/catch.hpp>

namespace tailbound::network {
namespace {

using numeric::Rational;

Rational part(std::int64_t a, std::int64_t b) {
  return Rational(a) / Rational(b);
}

TEST_CASE("message lengths: laws as typed") {
  const MessageLengths law = MessageLengths::parse("5:2, 1:3");
  CHECK(law == MessageLengths::parse("1:60%,5:40%"));
  CHECK(law.mean() == part(13, 5));
  CHECK(law.mean_square() == part(53, 5));
  CHECK(law.text() == "1:60%,5:40%");
  CHECK(law.in_words() == "60 % of 1 and 40 % of 5 flits");
  CHECK(MessageLengths::parse("1-16:1").mean() == part(17, 2));
  CHECK(MessageLengths::parse("1-4:80%,9:20%").mean() == part(19, 5));
  CHECK(MessageLengths::parse("5:1,5:2") == MessageLengths(5));
  CHECK(MessageLengths::parse("32").single());
  CHECK(MessageLengths::of_file("# control\n1 60%\n5,40%\n", "mix.txt") == law);
  const MessageLengths geometric = MessageLengths::geometric(8);
  CHECK(geometric.variation() == Approx(1 - 1.0 / 8));
  CHECK(MessageLengths::geometric(1).single());
  const MessageLengths thirds = MessageLengths::parse("1:1,5:2");
  CHECK(thirds.text() == "1:1/3,5:2/3");
  CHECK(MessageLengths::parse(thirds.text()) == thirds);
}

TEST_CASE("message lengths: rejected laws") {
  for (const char* text :
       {"0:1", "1:0", "1:60%,5:30%", "1:60%,5:2", "4-1:1", "1:x", "", "2000000:1,1:1", "1-9000:1"}) {
    INFO(text);
    CHECK_THROWS_AS(MessageLengths::parse(text), InvalidArgument);
  }
  CHECK_THROWS_AS(MessageLengths::of_file("1\n", "mix.txt"), ParseError);
}

}  // namespace
}  // namespace tailbound::network
