#include <tailbound/answers/guarantee/headroom.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using answers::HeadroomAnswer;
using answers::HeadroomQuery;
using answers::PauseQuanta;
using answers::usual_pause_quanta;
using tailbound::test::rational;

namespace {

HeadroomQuery link_of(const char* gbps, const char* cable) {
  return {.gbps = rational(gbps), .cable = rational(cable)};
}

}  // namespace

TEST_CASE("headroom of a link with only rate and cable given, computed by hand") {
  // 50 bytes per ns. 905 quanta of 64 bytes for the sender, and as much for the receiver: 57920 each; a
  // packet of 9216 + 20 before the pause frame; the pause frame, 64 + 20; 2500 ns of cable twice: 125000
  // each. 375160 bytes on the line: 40 packets of 9236 and 5720 bytes, so 40 * 9216 + 5720 = 374360 stored,
  // and the last packet.
  const HeadroomAnswer found = answer(link_of("400", "500"));
  CHECK(found.headroom.bytes == 374360 + 9216);
  CHECK(found.credits.round_trip == rational("7503.2"));
  // 41 packets in the round trip leave 375160 - 41 * 20 bytes; two more packets.
  CHECK(found.credits.bytes == 374340 + 2 * 9216);
  CHECK_FALSE(found.cells);
  CHECK_FALSE(found.credit_cells);
}

TEST_CASE("headroom of a fully specified link is that of the model") {
  HeadroomQuery query = link_of("400", "500");
  query.sender = PauseQuanta{905};
  query.receiver_ns = rational("500");
  query.cell_bytes = 256;
  // tests/bounds/guarantee/headroom_test.cpp computes the same link by hand.
  CHECK(answer(query).headroom.bytes == 350716);
  CHECK(answer(query).credits.bytes == 359912);
  CHECK(answer(query).cells == 4111);
  // 4074 packets of 64 + 20 bytes in 342240, one cell each, and two of 36 cells.
  CHECK(answer(query).credit_cells == 4146);
  query.sender = rational("1158.4");
  CHECK_FALSE(query.quanta());
  CHECK(answer(query).headroom.bytes == 350716);

  // At 8 Gbit/s a byte takes 1 ns, but 4 ns in the other direction: (100 + 20 + 64 + 20) * 4 = 816 bytes on
  // the line, 10 for the receiver, 20 for the sender, (3 * 4 + 7) * 2 of cable: 884, all of which are stored,
  // and 1000 of the last packet.
  query = link_of("8", "3");
  query.return_gbps = rational("2");
  query.sender = rational("20");
  query.receiver_ns = rational("10");
  query.metre_ns = rational("4");
  query.phy_ns = rational("7");
  query.longest = 1000;
  query.shortest = 100;
  query.return_bytes = 100;
  CHECK(answer(query).headroom.bytes == 1884);
  CHECK(query.link().packets.shortest == 100);
}

TEST_CASE("defaults of a link follow from the given values") {
  HeadroomQuery query = link_of("100", "10");
  CHECK(query.link().sender_latency == rational("2017.28"));
  CHECK(query.link().receiver_latency == query.link().sender_latency);
  query.sender = rational("300");
  CHECK(query.link().receiver_latency == 300);
  query.longest = 1518;
  CHECK(query.link().longest_return == 1518);
  CHECK(query.link().packets.shortest == 64);
  CHECK_FALSE(query.link().return_rate);
}

TEST_CASE("default pause quanta never decrease with the rate") {
  CHECK(usual_pause_quanta(rational("100")).quanta.count == 394);
  CHECK(usual_pause_quanta(rational("200")).quanta.count == 453);
  CHECK(usual_pause_quanta(rational("400")).quanta.count == 905);
  // Between two rates those of the higher one; above all rates the same time in whole quanta.
  CHECK(usual_pause_quanta(rational("100.01")).quanta.count == 453);
  CHECK(usual_pause_quanta(rational("800")).quanta.count == 1810);
  CHECK(usual_pause_quanta(rational("400.04")).quanta.count == 906);
  CHECK(usual_pause_quanta(rational("0.1")).quanta.count == 2);
  CHECK(usual_pause_quanta(rational("300")).of_gbps == 400);
  CHECK(usual_pause_quanta(rational("800")).of_gbps == 400);
  std::int64_t former = 0;
  for (int tenths = 1; tenths < 20'000; tenths += 7) {
    const std::int64_t its = usual_pause_quanta(numeric::Rational(tenths) / 10).quanta.count;
    CHECK(its >= former);
    former = its;
  }
}

TEST_CASE("invalid links are rejected") {
  CHECK_THROWS_AS(answer(link_of("0", "500")), InvalidArgument);
  CHECK_THROWS_AS(answer(link_of("400", "-1")), InvalidArgument);
  HeadroomQuery query = link_of("400", "500");
  query.shortest = 10'000;
  CHECK_THROWS_WITH(answer(query), Catch::Contains("shortest packet is 10000"));
  CHECK_THROWS_AS(answer(link_of("1e6", "1e15")), LimitExceeded);
}
