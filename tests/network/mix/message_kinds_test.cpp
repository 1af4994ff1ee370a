#include <tailbound/network/mix/message_kinds.hpp>

#include <catch2/catch.hpp>

namespace tailbound::network {
namespace {

using numeric::Rational;

Rational share_of_one(std::int64_t a, std::int64_t b) {
  return Rational(a) / Rational(b);
}

TEST_CASE("message kinds: rates of each, at one message per sending node") {
  MessageKind request{.name = "request", .share = share_of_one(2, 3), .lengths = 1};
  MessageKind reply{.name = "reply", .share = share_of_one(1, 3), .lengths = 5};
  reply.traffic.flows = {{0, 1, 0.5}, {0, 2, 0.5}};
  const std::vector<MessageKind> kinds{request, reply};
  CHECK(mean_flits(kinds) == share_of_one(7, 3));
  CHECK(senders(kinds, 4).size() == 4);
  CHECK(rate_scale(kinds, 0, 4) == Approx(2.0 / 3));
  CHECK(rate_scale(kinds, 1, 4) == Approx(4.0 / 3));  // one node sends a third of the messages of four
}

}  // namespace
}  // namespace tailbound::network
