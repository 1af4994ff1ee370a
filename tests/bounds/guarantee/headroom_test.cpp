#include <tailbound/bounds/guarantee/headroom.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>
#include <random>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using bounds::Headroom;
using bounds::PacketLengths;
using bounds::PausingLink;
using tailbound::test::rational;

namespace {

/// 400 Gbit/s, 50 bytes per ns; 500 m; a sender that may take 905 quanta of 512 bit times.
PausingLink long_link() {
  PausingLink link;
  link.rate = rational("400e9");
  link.cable = 500;
  link.receiver_latency = 500;
  link.sender_latency = bounds::pause_quanta(905, link.rate);
  link.packets = {64, 9216};
  link.longest_return = 9216;
  return link;
}

/// At 8 Gbit/s a byte takes 1 ns, so that times are whole.
PausingLink short_link(std::int64_t wire, std::int64_t receiver, std::int64_t sender, PacketLengths packets,
                       std::int64_t longest_return) {
  PausingLink link;
  link.rate = rational("8e9");
  link.fixed_delay = numeric::Rational(wire);
  link.receiver_latency = numeric::Rational(receiver);
  link.sender_latency = numeric::Rational(sender);
  link.packets = packets;
  link.longest_return = longest_return;
  return link;
}

std::int64_t to_int(const numeric::Rational& value) {
  return numeric::to_int64(numeric::floor(value));
}

constexpr std::int64_t preamble = 8, gap = 12;

struct Came {
  std::int64_t bytes = 0, cells = 0;
};

/// Data after the decision at time 0, with packet lengths from `next`, given how long the sender may still
/// start packets; the first packet started `phase` before the instant whose bytes arrive at time 0. Preambles
/// before, gaps after.
template <class Next>
Came pause_now(const PausingLink& link, std::int64_t return_left, std::int64_t phase, std::int64_t cell,
               const Next& next) {
  const std::int64_t wire = to_int(link.fixed_delay);
  // The pause frame waits for the rest of a packet of its direction.
  const std::int64_t obeyed = to_int(link.receiver_latency) + return_left + preamble + link.pause_frame +
                              wire + to_int(link.sender_latency);
  Came came;
  for (std::int64_t begin = -wire - phase; begin <= obeyed;) {
    const std::int64_t length = next(obeyed - begin);
    // Those of its bytes whose last bit has arrived at time 0 or before.
    const std::int64_t before = std::clamp<std::int64_t>(-(begin + preamble + wire), 0, length);
    came.bytes += length - before;
    came.cells += (length + cell - 1) / cell - (before + cell - 1) / cell;
    begin += preamble + length + gap;
  }
  return came;
}

/// Maximum number of cells by the definition: trying all last packets.
std::vector<std::int64_t> cells_by_definition(std::int64_t line, PacketLengths packets, std::int64_t overhead,
                                              std::int64_t cell) {
  std::vector<std::int64_t> maximum(static_cast<std::size_t>(line) + 1, 0);
  for (std::int64_t x = 1; x <= line; ++x) {
    auto& best = maximum[static_cast<std::size_t>(x)];
    best = maximum[static_cast<std::size_t>(x - 1)];
    for (std::int64_t length = packets.shortest; length <= packets.longest && length + overhead <= x;
         ++length)
      best = std::max(best,
                      maximum[static_cast<std::size_t>(x - length - overhead)] + (length + cell - 1) / cell);
  }
  return maximum;
}

}  // namespace

TEST_CASE("headroom of a port of 400 Gbit/s and 500 m, by hand", "[guarantee][headroom]") {
  // At 50 bytes per ns: receiver 500 ns = 25000; a packet of 9216 + 20 in the way; the pause frame 64 + 20;
  // 2500 ns = 125000 of fibre, twice; 905 * 64 = 57920 for the sender: 342240 bytes of the line. 9236 fit 37
  // times: 37 * 9216 = 340992 bytes of packets, and 508 of one more: 341500. The last packet: 350716.
  const Headroom found = bounds::headroom(long_link());
  CHECK(found.sum == 350716);
  CHECK(found.bytes == 350716);
  const std::vector<std::int64_t> bytes{25000, 9236, 84, 125000, 57920, 125000, 9216, -740};
  REQUIRE(found.terms.size() == bytes.size());
  numeric::Rational sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    INFO(found.terms[i].name);
    CHECK(found.terms[i].bytes == numeric::Rational(bytes[i]));
    if (bytes[i] > 0) CHECK(found.terms[i].time * 50 == found.terms[i].bytes);
    sum = sum + found.terms[i].bytes;
  }
  CHECK(sum == found.sum);

  PausingLink stored = long_link();
  stored.overhead_stored = true;
  CHECK(bounds::headroom(stored).bytes == 342240 + 9216 + 20);

  // Round trip 342240 / 50 ns. 38 packets in it leave 342240 - 38 * 20 = 341480 bytes; two more packets of
  // 9216.
  CHECK(bounds::credits(long_link()).round_trip == rational("6844.8"));
  CHECK(bounds::credits(long_link()).bytes == 359912);
}

TEST_CASE("headroom of a slower return direction, and of parts of a byte", "[guarantee][headroom]") {
  // 1 ns per byte, but 4 ns per byte back: (100 + 20 + 64 + 20) * 4 = 816 bytes of the line, 10.5 for the
  // receiver.
  PausingLink link = short_link(0, 0, 0, {64, 1000}, 100);
  link.return_rate = rational("2e9");
  link.receiver_latency = rational("10.5");
  CHECK(bounds::headroom(link).sum == rational("1826.5"));
  CHECK(bounds::headroom(link).bytes == 1827);
  // 1015 bytes end in a gap: 1000 are stored.
  link.receiver_latency = rational("199.25");
  CHECK(bounds::headroom(link).sum == 2000);
}

TEST_CASE("maximum cells of packets, by hand", "[guarantee][headroom]") {
  // 65 bytes need two cells of 64: 15 such packets are 975 bytes.
  CHECK(bounds::max_cells(1000, {64, 1518}, 64) == 30);
  CHECK(bounds::max_cells(1000, {64, 64}, 64) == 15);
  // Three packets of 129 bytes, three cells each, or five of 65 and ten cells: 387 bytes.
  CHECK(bounds::max_cells(387, {64, 1518}, 64) == 10);
  CHECK(bounds::max_cells(387, {128, 1518}, 64) == 9);
  CHECK(bounds::max_cells(63, {64, 1518}, 64) == 0);
  CHECK(bounds::max_cells(10, {1, 1}, 64) == 10);
}

TEST_CASE("maximum cells by enumeration of packets", "[guarantee][headroom]") {
  std::mt19937_64 random(20);
  const auto draw = [&](std::int64_t minimum, std::int64_t largest) {
    return std::uniform_int_distribution<std::int64_t>(minimum, largest)(random);
  };
  for (int round = 0; round < 150; ++round) {
    const PacketLengths packets{draw(1, 30), draw(30, 90)};
    const std::int64_t cell = draw(1, 40);
    const auto plain = cells_by_definition(400, packets, 0, cell);
    INFO(packets.shortest << " to " << packets.longest << " in cells of " << cell);
    for (std::int64_t bytes = 0; bytes <= 400; bytes += 7)
      CHECK(bounds::max_cells(bytes, packets, cell) == plain[static_cast<std::size_t>(bytes)]);

    // A pause frame that takes no time, and latency alone: the line bytes of the round trip.
    PausingLink link = short_link(0, draw(0, 380), 0, packets, 0);
    link.pause_frame = 0;
    link.overhead = draw(0, 20);
    const std::int64_t line = to_int(link.receiver_latency) + link.overhead;
    const auto whole_packets = cells_by_definition(line, packets, link.overhead, cell);
    std::int64_t maximum = 0;
    for (std::int64_t rest = 0; rest <= std::min(line, packets.longest); ++rest)
      maximum =
          std::max(maximum, (rest + cell - 1) / cell + whole_packets[static_cast<std::size_t>(line - rest)]);
    const std::int64_t last = (packets.longest + cell - 1) / cell;
    CHECK(bounds::headroom_cells(link, cell) == maximum + last);
    CHECK(bounds::credit_cells(link, cell) == whole_packets.back() + 2 * last);
    // Cells of one byte are bytes.
    CHECK(bounds::headroom_cells(link, 1) == bounds::headroom(link).bytes);
    CHECK(bounds::credit_cells(link, 1) == bounds::credits(link).bytes);
  }
}

TEST_CASE("headroom: never exceeded and nearly attained", "[guarantee][headroom]") {
  std::mt19937_64 random(21);
  const auto draw = [&](std::int64_t minimum, std::int64_t largest) {
    return std::uniform_int_distribution<std::int64_t>(minimum, largest)(random);
  };
  for (int round = 0; round < 200; ++round) {
    const PacketLengths packets{64, draw(64, 1518)};
    const std::int64_t cell = draw(32, 256), longest_return = draw(64, 1518);
    const PausingLink link = short_link(draw(0, 3000), draw(0, 500), draw(0, 1000), packets, longest_return);
    const std::int64_t bytes = bounds::headroom(link).bytes, cells = bounds::headroom_cells(link, cell);
    CHECK(cells <= bounds::max_cells(bytes, {1, packets.longest}, cell));

    Came maximum;
    const auto run = [&](std::int64_t return_left, const auto& next) {
      const std::int64_t first = next(1'000'000) + preamble + gap;
      for (std::int64_t phase = 0; phase < first; ++phase) {
        const Came came = pause_now(link, return_left, phase, cell, next);
        maximum.bytes = std::max(maximum.bytes, came.bytes);
        maximum.cells = std::max(maximum.cells, came.cells);
      }
    };
    // Random lengths, and random packets of the return direction.
    for (int tries = 0; tries < 20; ++tries) {
      const bool ends = draw(0, 1) == 1;
      const std::int64_t left = draw(0, longest_return + preamble + gap), phase = draw(0, packets.longest);
      const Came came = pause_now(link, left, phase, cell, [&](std::int64_t) {
        return ends ? (draw(0, 1) == 1 ? packets.longest : packets.shortest)
                    : draw(packets.shortest, packets.longest);
      });
      maximum.bytes = std::max(maximum.bytes, came.bytes);
      maximum.cells = std::max(maximum.cells, came.cells);
    }
    // The worst time: a packet of the return direction has just begun. Longest packets; lengths that waste
    // cells, with the longest one last.
    const std::int64_t worst = longest_return + preamble + gap;
    run(worst, [&](std::int64_t) { return packets.longest; });
    const std::int64_t most_of_longest = maximum.bytes;
    for (std::int64_t length = packets.shortest; length <= packets.longest; length += cell)
      for (const std::int64_t wasteful :
           {length, std::min((length - 1) / cell * cell + cell + 1, packets.longest)})
        run(worst,
            [&](std::int64_t left) { return left < wasteful + preamble + gap ? packets.longest : wasteful; });
    INFO("longest " << packets.longest << ", return " << longest_return << ", cell " << cell);
    CHECK(maximum.bytes <= bytes);
    CHECK(maximum.cells <= cells);
    // Two gaps are counted unnecessarily: after the pause frame, and before the last packet.
    CHECK(most_of_longest >= bytes - 2 * gap);
    CHECK(maximum.cells * 100 >= cells * 90);
  }
}

TEST_CASE("credits: a link never waits with them, but does with one packet less", "[guarantee][headroom]") {
  std::mt19937_64 random(22);
  const auto draw = [&](std::int64_t minimum, std::int64_t largest) {
    return std::uniform_int_distribution<std::int64_t>(minimum, largest)(random);
  };
  struct Sent {
    std::int64_t end, credits;
  };
  for (int round = 0; round < 300; ++round) {
    const PacketLengths packets{64, draw(64, 1518)};
    const std::int64_t cell = draw(1, 256);
    const PausingLink link = short_link(draw(0, 3000), draw(0, 500), draw(0, 1000), packets, draw(64, 1518));
    const std::int64_t trip = to_int(bounds::credits(link).round_trip);
    // Whether a sender that starts packets back to back ever lacks credits; reports as late as possible.
    const auto waits = [&](std::int64_t credits, bool in_cells, const auto& next) {
      std::deque<Sent> out;
      std::int64_t begin = 0;
      for (int i = 0; i < 2000; ++i) {
        const std::int64_t length = next();
        const std::int64_t taken = in_cells ? (length + cell - 1) / cell : length;
        while (!out.empty() && out.front().end + trip <= begin) {
          credits += out.front().credits;
          out.pop_front();
        }
        if (credits < taken) return true;
        credits -= taken;
        out.push_back({begin + preamble + length, taken});
        begin += preamble + length + gap;
      }
      return false;
    };
    const auto any = [&] { return draw(packets.shortest, packets.longest); };
    const auto ends = [&] { return draw(0, 1) == 1 ? packets.longest : packets.shortest; };
    const auto longest = [&] { return packets.longest; };
    const std::int64_t bytes = bounds::credits(link).bytes, cells = bounds::credit_cells(link, cell);
    CHECK_FALSE(waits(bytes, false, any));
    CHECK_FALSE(waits(bytes, false, ends));
    CHECK_FALSE(waits(bytes, false, longest));
    CHECK_FALSE(waits(cells, true, any));
    CHECK_FALSE(waits(cells, true, ends));
    CHECK_FALSE(waits(cells, true, longest));
    // Packets of one length: the packets started in a round trip and one more.
    PausingLink one_length = link;
    one_length.packets.shortest = packets.longest;
    const std::int64_t needed =
        ((trip - gap + packets.longest + preamble + gap - 1) / (packets.longest + preamble + gap) + 1) *
        packets.longest;
    CHECK_FALSE(waits(needed, false, longest));
    CHECK(waits(needed - 1, false, longest));
    const std::int64_t proved = bounds::credits(one_length).bytes;
    CHECK(needed <= proved);
    CHECK(proved <= needed + packets.longest);
  }
}

TEST_CASE("headroom: invalid links are rejected", "[guarantee][headroom]") {
  const auto rejected = [](const auto& change) {
    PausingLink link = long_link();
    change(link);
    CHECK_THROWS_AS(bounds::headroom(link), InvalidArgument);
    CHECK_THROWS_AS(bounds::headroom_cells(link, 64), InvalidArgument);
    CHECK_THROWS_AS(bounds::credits(link), InvalidArgument);
    CHECK_THROWS_AS(bounds::credit_cells(link, 64), InvalidArgument);
  };
  rejected([](PausingLink& link) { link.rate = 0; });
  rejected([](PausingLink& link) { link.return_rate = -1; });
  rejected([](PausingLink& link) { link.cable = -1; });
  rejected([](PausingLink& link) { link.delay_per_metre = -5; });
  rejected([](PausingLink& link) { link.fixed_delay = -5; });
  rejected([](PausingLink& link) { link.receiver_latency = -1; });
  rejected([](PausingLink& link) { link.sender_latency = -1; });
  rejected([](PausingLink& link) { link.packets = {0, 64}; });
  rejected([](PausingLink& link) { link.packets = {65, 64}; });
  rejected([](PausingLink& link) { link.longest_return = -1; });
  rejected([](PausingLink& link) { link.pause_frame = -1; });
  rejected([](PausingLink& link) { link.overhead = -1; });
  CHECK_THROWS_AS(bounds::headroom_cells(long_link(), 0), InvalidArgument);
  CHECK_THROWS_AS(bounds::max_cells(-1, {64, 1518}, 64), InvalidArgument);
  CHECK_THROWS_AS(bounds::pause_quanta(-1, 1), InvalidArgument);
  CHECK_THROWS_AS(bounds::pause_quanta(1, 0), InvalidArgument);
  PausingLink far = long_link();
  far.cable = rational("1e20");
  CHECK_THROWS_AS(bounds::headroom(far), LimitExceeded);
  far.cable = rational("1e9");
  CHECK(bounds::headroom(far).bytes > 400'000'000'000);
  CHECK_THROWS_AS(bounds::headroom_cells(far, 64), LimitExceeded);
}
