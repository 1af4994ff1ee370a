#include <tailbound/core/error.hpp>
#include <tailbound/traffic/trace/trace_csv.hpp>
#include <tailbound/traffic/trace/trace_pcap.hpp>
#include <tailbound/traffic/trace/trace_slots.hpp>
#include <tailbound/traffic/trace/trace_statistics.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
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

std::string pcap_bytes(std::uint32_t magic, bool big, std::uint32_t fraction) {
  std::string bytes;
  put<std::uint32_t>(bytes, magic, big);
  put<std::uint16_t>(bytes, 2, big);
  put<std::uint16_t>(bytes, 4, big);
  for (const std::uint32_t word : {0U, 0U, 65535U, 1U}) put(bytes, word, big);
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
    CHECK((named[1].time == 1'500'000'000 && named[1].bytes == 1500 && named[1].input == 0));
    const auto plain = read_csv("1.25;64\n2;65", TimeUnit::us, piece);
    REQUIRE(plain.size() == 2);
    CHECK((plain[0].time == 1250 && plain[0].input == -1 && plain[1].time == 2000));
  }
  CHECK(read_csv("1e-6,64\n").front().time == 1000);
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
    CHECK((packets[0].time == 10'000'005'000 && packets[0].bytes == 60));
    CHECK((packets[1].time == 11'000'005'000 && packets[1].bytes == 1500));
    std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() - 2);
    CHECK_THROWS_WITH(read_pcap(path, [](const TracePacket&) {}), Catch::Contains("after 1 packets"));
  }
  CHECK_FALSE(is_pcap("time"));
  CHECK_THROWS_AS(read_pcap(folder.path() + "/none", [](const TracePacket&) {}), ParseError);
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
  using Slots = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(cells_of(TraceArrival::whole, packets) == Slots{{0, 4}, {1, 1}, {9, 1}});
  // Input 1 is still sending its three cells when its next packet comes.
  CHECK(cells_of(TraceArrival::cells, packets) == Slots{{0, 2}, {1, 1}, {2, 1}, {3, 1}, {9, 1}});
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
