#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/traffic/trace/trace_csv.hpp>
#include <tailbound/traffic/trace/trace_order.hpp>
#include <tailbound/traffic/trace/trace_pcap.hpp>
#include <tailbound/traffic/trace/trace_slots.hpp>
#include <tailbound/traffic/trace/trace_statistics.hpp>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <tests/golden/folder.hpp>

using namespace tailbound;
using namespace tailbound::traffic;

namespace {

std::vector<TracePacket> read_csv(const std::string& text, TimeUnit unit = TimeUnit::s,
                                  std::size_t piece = 7) {
  std::vector<TracePacket> packets;
  TraceCsvReader reader("f", unit, [&](const TracePacket& packet) { packets.push_back(packet); });
  for (std::size_t at = 0; at < text.size(); at += piece)
    reader.take(std::string_view(text).substr(at, piece));
  reader.finish();
  return packets;
}

template <class T>
void put(std::string& bytes, T value, bool big) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes +=
        static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * (big ? sizeof(T) - 1 - i : i)) & 0xff);
}

std::string pcap_bytes(std::uint32_t magic, bool big, std::uint32_t fraction, std::uint32_t link_type = 1) {
  std::string bytes;
  put<std::uint32_t>(bytes, magic, big);
  put<std::uint16_t>(bytes, 2, big);
  put<std::uint16_t>(bytes, 4, big);
  for (const std::uint32_t word : {0U, 0U, 65535U, link_type}) put(bytes, word, big);
  for (const std::uint32_t length : {60U, 1500U}) {
    put<std::uint32_t>(bytes, 10 + length / 1000, big);
    put<std::uint32_t>(bytes, fraction, big);
    put<std::uint32_t>(bytes, 4, big);  // captured
    put<std::uint32_t>(bytes, length, big);
    bytes += "abcd";
  }
  return bytes;
}

}  // namespace

TEST_CASE("trace: CSV with and without names, units, comments, in pieces of any size", "[trace]") {
  for (const std::size_t piece : {1U, 7U, 1000U}) {
    const auto named =
        read_csv("bytes,input,time\n# c\n64,3,0.000000001\r\n1500,0,1.5\n", TimeUnit::s, piece);
    REQUIRE(named.size() == 2);
    CHECK((named[0].time == 1 && named[0].bytes == 64 && named[0].input == 3));
    CHECK(
        (named[1].time == numeric::Rational(1'500'000'000) && named[1].bytes == 1500 && named[1].input == 0));
    const auto plain = read_csv("1.25;64\n2;65", TimeUnit::us, piece);
    REQUIRE(plain.size() == 2);
    CHECK((plain[0].time == 1250 && plain[0].input == -1 && plain[1].time == 2000));
  }
  CHECK(read_csv("1e-6,64\n").front().time == 1000);
}

TEST_CASE("trace: a time is exact in every spelling and unit", "[trace]") {
  const auto time_of = [](const std::string& text, TimeUnit unit = TimeUnit::s) {
    return read_csv(text + ",64\n", unit).front().time;
  };
  for (const char* text :
       {"0.0015", "1.5e-3", "1.5E-3", "+1.5e-3", "15e-4", "0.00150", "000.0015", ".0015", " 0.0015 ",
        "1500e-6", "0.15e-2", "1.50e-0003", "3/2000", "\"0.0015\"", "0.0015000000000000000000"}) {
    INFO(text);
    CHECK(time_of(text) == 1'500'000);
  }
  CHECK(time_of("1.5e-3") == time_of("1.5", TimeUnit::ms));
  CHECK(time_of("1.5e-3") == time_of("1.5e3", TimeUnit::us));
  CHECK(time_of("1.5e-3") == time_of("1500000", TimeUnit::ns));
  // Below a nanosecond, beyond 2^53 ns, and with all digits of numpy.savetxt.
  CHECK(time_of("1.28", TimeUnit::ns) == numeric::Rational(128) / 100);
  CHECK(time_of("0.00000000128") == numeric::Rational(128) / 100);
  CHECK(time_of("9007199254740993", TimeUnit::ns) == numeric::Rational(9'007'199'254'740'993));
  CHECK(time_of("1700000000.000000001") == numeric::Rational(1'700'000'000'000'000'001));
  CHECK(time_of("1.536000000000000202e-06") == numeric::parse_rational("1536.000000000000202", "time"));
  // Sizes and inputs as spreadsheets and numpy write them; decimal commas where columns have other
  // separators.
  const auto floats = read_csv("1.5e-3,6.400000000000000000e+01,2.0\n");
  CHECK((floats[0].bytes == 64 && floats[0].input == 2));
  const auto commas = read_csv("time;bytes;input\n0,0015;64;1\n1,6E-03;64;2\n");
  CHECK((commas[0].time == 1'500'000 && commas[1].time == 1'600'000 && commas[1].input == 2));
  CHECK(read_csv(",time,bytes\n0,1.5e-3,64\n")[0].time == 1'500'000);
  CHECK(read_csv("\"No.\",\"Time\",\"Length\",\"Info\"\n\"1\",\"1.5e-3\",\"64\",\"64 bytes, port 5\"\n")[0]
            .time == 1'500'000);
  CHECK(read_csv("0.0015,64,\n0.0016,64,\n").size() == 2);
  // A decimal comma between commas would be another trace.
  CHECK_THROWS_WITH(read_csv("time,bytes,input\n0,0015,64,1\n"),
                    Catch::Contains("4 columns") && Catch::Contains("point"));
  for (const char* text :
       {"1.5e", "1.5e-", "0x1p-3", "1.5d-3", "nan", "inf", "1e-401", "--1", "1_0", "4e9.5"}) {
    INFO(text);
    CHECK_THROWS_AS(time_of(text), ParseError);
  }
}

namespace {

using Slots = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The slots of the packets of a trace in seconds.
Slots slots_of(const std::string& text, const numeric::Rational& slot_ns, TimeUnit unit = TimeUnit::s) {
  Slots found;
  TraceSlots slots({slot_ns, 64, TraceArrival::whole},
                   [&](std::int64_t at, std::int64_t cells) { found.emplace_back(at, cells); });
  TraceCsvReader reader("f", unit, [&](const TracePacket& packet) { slots.packet(packet, "f"); });
  reader.take(text);
  reader.finish();
  slots.finish();
  return found;
}

std::string printed(const char* format, double value) {
  std::array<char, 64> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), format, value))};
}

}  // namespace

TEST_CASE("trace: printed doubles at the beginning of a slot are in it", "[trace]") {
  struct Row {
    const char* slot_s;
    const char* slot_ns;
  };
  for (const Row& row : {Row{"512e-9", "512"}, Row{"1.28e-9", "1.28"}, Row{"5.12e-9", "5.12"}}) {
    std::mt19937_64 random(7);
    const numeric::Rational slot_ns = numeric::parse_rational(row.slot_ns, "slot");
    std::string exact, fixed, savetxt, python, summed;
    Slots expected;
    std::int64_t k = 0;
    std::size_t below = 0;
    double sum = 0;
    const double slot = std::stod(row.slot_s);
    for (int i = 0; i < 3000; ++i) {
      if (i > 0) {
        const auto by = static_cast<std::int64_t>(1 + random() % 20);
        k += by;
        sum += static_cast<double>(by) * slot;
      }
      expected.emplace_back(k, 1);
      const numeric::Rational time = numeric::Rational(k) * slot_ns / numeric::Rational(1'000'000'000);
      const double value = static_cast<double>(k) * slot;
      if (numeric::parse_rational(printed("%.18e", value), "time") < time) ++below;
      exact += numeric::to_fraction(time) + ",64\n";
      fixed += printed("%.11f", value) + ",64\n";
      savetxt += printed("%.18e", value) + ",64\n";
      python += numeric::plain(value) + ",64\n";
      summed += printed("%.17g", sum) + ",64\n";
    }
    INFO(row.slot_s);
    CHECK(below > 100);  // so floor() of what is printed would be wrong
    CHECK(slots_of(exact, slot_ns) == expected);
    CHECK(slots_of(fixed, slot_ns) == expected);
    CHECK(slots_of(savetxt, slot_ns) == expected);
    CHECK(slots_of(python, slot_ns) == expected);
    CHECK(slots_of(summed, slot_ns) == expected);
  }
}

TEST_CASE("trace: decimals of a clock are taken at their word", "[trace]") {
  // Of 16 digits with the same decimals, and of 19 digits: 1 ns before the slot is before it.
  CHECK(slots_of("1700000000.000000,64\n1700000000.000511,64\n1700000000.000512,64\n", 512'000) ==
        Slots{{0, 2}, {1, 1}});
  CHECK(slots_of("1700000000.000000000,64\n1700000000.000000511,64\n1700000000.000000512,64\n", 512) ==
        Slots{{0, 2}, {1, 1}});
  // The same trace with times and slots times 100.
  CHECK(slots_of("0.00,64\n1.27,64\n1.28,64\n2.55,64\n12.80,64\n", numeric::Rational(128) / 100,
                 TimeUnit::ns) == slots_of("0,64\n127,64\n128,64\n255,64\n1280,64\n", 128, TimeUnit::ns));
  CHECK_THROWS_WITH(slots_of("0,64\n4e9,64\n", numeric::Rational(1) / 1'000'000'000),
                    Catch::Contains("more than 2^60 slots"));
}

TEST_CASE("trace: the resolution of time stamps does not depend on their print", "[trace]") {
  const auto resolution_of = [](const char* format) {
    std::string text;
    for (const int k : {0, 3, 4, 9, 15, 16, 22}) text += printed(format, k * 4096e-9) + ",64\n";
    TraceSlots slots({512, 64, TraceArrival::whole}, [](std::int64_t, std::int64_t) {});
    TraceCsvReader reader("f", TimeUnit::s, [&](const TracePacket& packet) { slots.packet(packet, "f"); });
    reader.take(text);
    reader.finish();
    return numeric::nearest_double(slots.stamps().resolution);
  };
  CHECK(resolution_of("%.9f") == 4096);
  CHECK(resolution_of("%.18e") == Approx(4096).epsilon(1e-9));
  CHECK(resolution_of("%.17g") == Approx(4096).epsilon(1e-9));
}

TEST_CASE("trace: CSV errors have line numbers", "[trace]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(read_csv(""), Contains("no packets"));
  CHECK_THROWS_WITH(read_csv("0,64\nx,64\n"), Contains("f:2") && Contains("is not a time"));
  CHECK_THROWS_WITH(read_csv("0,64\n1,0\n"), Contains("f:2") && Contains("is not a size"));
  CHECK_THROWS_WITH(read_csv("0,64,1\n1,64\n"), Contains("2 columns"));
  CHECK_THROWS_WITH(read_csv("length,where\n1,2\n"), Contains("must be time and bytes"));
  CHECK_THROWS_WITH(read_csv("-1,64\n"), Contains("is not a time"));
  CHECK_THROWS_WITH(read_csv("99999999999999999999,64\n"), Contains("is not a time"));
  CHECK_THROWS_WITH(read_csv(std::string(5000, '1') + "\n"), Contains("4096 bytes"));
}

TEST_CASE("trace: pcap of both byte orders, in micro- and nanoseconds", "[trace]") {
  const golden::Folder folder;
  struct Row {
    std::uint32_t magic;
    bool big;
    std::uint32_t fraction;
  };
  for (const Row& row : {Row{0xa1b2c3d4, false, 5}, Row{0xa1b2c3d4, true, 5}, Row{0xa1b23c4d, false, 5000},
                         Row{0xa1b23c4d, true, 5000}}) {
    const std::string path = folder.path() + "/t.pcap", bytes = pcap_bytes(row.magic, row.big, row.fraction);
    std::ofstream(path, std::ios::binary) << bytes;
    CHECK(is_pcap(bytes));
    std::vector<TracePacket> packets;
    read_pcap(path, [&](const TracePacket& packet) { packets.push_back(packet); });
    REQUIRE(packets.size() == 2);
    CHECK((packets[0].time == numeric::Rational(10'000'005'000) && packets[0].bytes == 84));
    CHECK((packets[1].time == numeric::Rational(11'000'005'000) && packets[1].bytes == 1524));
    CHECK((packets[0].link == 0 && packets[0].input == -1));
    // Cut in the second record: the first one is used.
    packets.clear();
    std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() - 2);
    CHECK(read_pcap(
              path, [&](const TracePacket& packet) { packets.push_back(packet); }, 0)
              .cut);
    CHECK((packets.size() == 1 && packets[0].bytes == 60));
    std::ofstream(path, std::ios::binary) << bytes.substr(0, 42);
    CHECK_THROWS_WITH(read_pcap(path, [](const TracePacket&) {}), Catch::Contains("after 0 packets"));
  }
  CHECK_FALSE(is_pcap("time"));
  CHECK_THROWS_AS(read_pcap(folder.path() + "/none", [](const TracePacket&) {}), ParseError);
}

TEST_CASE("trace: framing is added to Ethernet frames by default", "[trace]") {
  const golden::Folder folder;
  const std::string path = folder.path() + "/t.pcap";
  const auto first_of = [&](std::uint32_t link_type, std::optional<std::int64_t> framing) {
    std::ofstream(path, std::ios::binary) << pcap_bytes(0xa1b2c3d4, false, 5, link_type);
    std::vector<TracePacket> packets;
    const TraceSource source = read_pcap(
        path, [&](const TracePacket& packet) { packets.push_back(packet); }, framing);
    CHECK_FALSE(source.cut);
    CHECK(packets.at(0).bytes == 60 + source.framing);
    return std::pair(source.link_type, source.framing);
  };
  CHECK(first_of(1, {}) == std::pair<std::string, std::int64_t>("EN10MB", 24));
  CHECK(first_of(1, 0) == std::pair<std::string, std::int64_t>("EN10MB", 0));
  CHECK(first_of(1, 20) == std::pair<std::string, std::int64_t>("EN10MB", 20));
  CHECK(first_of(101, {}) == std::pair<std::string, std::int64_t>("RAW", 0));
  CHECK(first_of(101, 8) == std::pair<std::string, std::int64_t>("RAW", 8));
  // Kuznetzov's variant is recognized, as are packets without a time after others.
  CHECK(is_pcap("\x34\xcd\xb2\xa1"));
  std::string bytes = pcap_bytes(0xa1b2c3d4, false, 5);
  bytes.replace(bytes.size() - 20, 8, 8, '\0');
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK_THROWS_WITH(read_pcap(path, [](const TracePacket&) {}), Catch::Contains("packet 2 has no time"));
}

namespace {

/// Packets of 1, 2, .. bytes.
std::vector<TracePacket> packets_at(const std::vector<int>& times) {
  std::vector<TracePacket> packets;
  for (const int time : times)
    packets.push_back({.time = time, .bytes = static_cast<std::int64_t>(packets.size()) + 1});
  return packets;
}

}  // namespace

TEST_CASE("trace: slightly disordered packets are sorted, others are an error", "[trace]") {
  std::vector<std::int64_t> found;
  TraceOrder order([&](const TracePacket& packet) { found.push_back(packet.bytes); }, 3);
  for (const TracePacket& packet : packets_at({10, 30, 20, 30, 50, 40, 45, 60})) order.packet(packet, "f");
  order.finish();
  CHECK(found == std::vector<std::int64_t>{1, 3, 2, 4, 6, 7, 5, 8});
  CHECK(order.late() == 3);
  CHECK(order.max_lateness() == 10);
  CHECK(order.packets() == 8);
  // Beyond the window.
  TraceOrder strict([](const TracePacket&) {}, 3);
  const std::vector<TracePacket> packets = packets_at({10, 30, 40, 50, 60, 35});
  for (std::size_t i = 0; i < 5; ++i) strict.packet(packets[i], "f");
  strict.packet(packets[5], "f");  // packets 3 to 5 are held until then
  CHECK_THROWS_WITH(strict.packet({.time = 24, .bytes = 1}, "f"),
                    Catch::Contains("packet 7") && Catch::Contains("36 ns before"));
  // The usual size: of three quarters of the packets, or the mean.
  TraceOrder equal([](const TracePacket&) {}), mixed([](const TracePacket&) {});
  for (int i = 0; i < 4; ++i) {
    equal.packet({.time = i, .bytes = i == 0 ? 1524 : 84}, "f");
    mixed.packet({.time = i, .bytes = i < 2 ? 1524 : 85}, "f");
  }
  CHECK(equal.usual_size() == 84);
  CHECK(mixed.usual_size() == 805);
}

TEST_CASE("trace: packets of one time on one link are spaced back from it", "[trace]") {
  std::vector<std::pair<std::int64_t, numeric::Rational>> found;  // link and arrival
  TraceSpacing spacing(8,
                       [&](const TracePacket& packet) { found.emplace_back(packet.link, packet.arrival()); });
  // 8 Gbit/s is a byte per ns. Of link 0 three packets at 1000, and four at 1100, for which 100 ns are too
  // short; of link 1 two at 1100; two of an unknown link.
  for (int i = 0; i < 3; ++i) spacing.packet({.time = 1000, .bytes = 50 + 50 * i, .link = 0});
  for (int i = 0; i < 4; ++i) spacing.packet({.time = 1100, .bytes = 50, .link = 0});
  for (int i = 0; i < 2; ++i) spacing.packet({.time = 1100, .bytes = 10, .link = 1});
  for (int i = 0; i < 2; ++i) spacing.packet({.time = 1200, .bytes = 10});
  spacing.finish();
  using Found = std::pair<std::int64_t, numeric::Rational>;
  CHECK(found == std::vector<Found>{{0, 850},
                                    {0, 900},
                                    {0, 1000},
                                    {0, 1025},
                                    {0, 1050},
                                    {0, 1075},
                                    {1, 1090},
                                    {0, 1100},
                                    {1, 1100},
                                    {-1, 1200},
                                    {-1, 1200}});
  CHECK(spacing.times() == 3);
  CHECK(spacing.spaced() == 6);
  CHECK(spacing.largest() == 4);
  CHECK(spacing.packets_per_time() == Approx(3));
  TraceSpacing no_times(
      1, [](const TracePacket&) {}, 5);
  for (int i = 0; i < 5; ++i) no_times.packet({.time = 7, .bytes = 1, .link = 0});
  CHECK_THROWS_WITH(no_times.packet({.time = 7, .bytes = 1, .link = 0}), Catch::Contains("no times"));
}

TEST_CASE("trace: slots of packets, whole and cell by cell", "[trace]") {
  const auto cells_of = [](TraceArrival arrival, const std::vector<TracePacket>& packets) {
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    TraceSlots slots({10, 64, arrival},
                     [&](std::int64_t at, std::int64_t cells) { found.emplace_back(at, cells); });
    for (const TracePacket& packet : packets) slots.packet(packet, "f");
    slots.finish();
    return found;
  };
  const std::vector<TracePacket> packets{{1000, 64, 0}, {1005, 129, 1}, {1011, 64, 1}, {1095, 1, 0}};
  CHECK(cells_of(TraceArrival::whole, packets) == Slots{{0, 4}, {1, 1}});
  // The second packet leaves 63 bytes of its last cell to the next ones, and the last packet fills it.
  // Input 1 is still sending its three cells when its next packet comes.
  CHECK(cells_of(TraceArrival::cells, packets) == Slots{{0, 2}, {1, 1}, {2, 1}, {3, 1}});
}

TEST_CASE("trace: dispersion, tails and losses match a direct computation over all slots", "[trace]") {
  std::mt19937_64 random(2);
  std::vector<int> arrivals(50'000, 0);
  for (auto& each : arrivals) each = random() % 4 == 0 ? static_cast<int>(random() % 5) : 0;
  arrivals.back() = 1;
  TraceStatistics statistics({3, 10});
  for (std::size_t t = 0; t < arrivals.size(); ++t)
    if (arrivals[t] > 0) statistics.slot(static_cast<std::int64_t>(t), arrivals[t]);
  statistics.finish(static_cast<std::int64_t>(arrivals.size()));
  std::vector<double> seen(200, 0);
  std::int64_t queue = 0, small = 0, lost = 0;
  for (const int each : arrivals) {
    queue = std::max<std::int64_t>(queue - 1, 0) + each;
    for (std::size_t n = 0; n < seen.size(); ++n) seen[n] += queue > static_cast<std::int64_t>(n) ? 1 : 0;
    small = std::max<std::int64_t>(small - 1, 0) + each;
    lost += std::max<std::int64_t>(small - 3, 0);
    small = std::min<std::int64_t>(small, 3);
  }
  for (const std::int64_t n : {0, 1, 3, 8, 20})
    CHECK(statistics.tails({n}).front().probability ==
          Approx(seen[static_cast<std::size_t>(n)] / static_cast<double>(arrivals.size()))
              .epsilon(0.02)
              .margin(1e-5));
  CHECK(statistics.buffers().front().lost == static_cast<std::uint64_t>(lost));
  for (const CountDispersion& each : statistics.dispersion()) {
    double sum = 0, squares = 0;
    const auto windows = static_cast<std::size_t>(each.windows),
               length = static_cast<std::size_t>(each.slots);
    for (std::size_t w = 0; w < windows; ++w) {
      double window = 0;
      for (std::size_t i = 0; i < length; ++i) window += arrivals[w * length + i];
      sum += window;
      squares += window * window;
    }
    const double mean = sum / static_cast<double>(windows);
    CHECK(each.value ==
          Approx((squares - sum * mean) / static_cast<double>(windows - 1) / mean).epsilon(1e-9));
  }
}
