#include <tailbound/core/error.hpp>
#include <tailbound/network/imports/imported.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <tests/support/rational.hpp>

using namespace tailbound;
using namespace tailbound::network;
using tailbound::test::rational;

namespace {

Network read_graph(const std::string& text, const ForeignReading& reading = {}) {
  const auto format = foreign_format(text);
  REQUIRE(format);
  return read_foreign(*format, text, "file", reading);
}

const std::string speeds_of_routenet =
    "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 bandwidth 10000 ] edge [ source "
    "1 "
    "target 0 bandwidth 40000 ] ]";

}  // namespace

TEST_CASE("a speed has the unit that is written with it", "[network][imports]") {
  CHECK(read_speed("125MBps")->value == rational("1"));
  CHECK(read_speed("2.5 Gbit/s")->value == rational("5/2"));
  CHECK(read_speed("10Gbit")->has_unit);
  CHECK_FALSE(read_speed("10000000000")->has_unit);
  CHECK(read_speed("10000000000")->value == rational("10000000000"));
  CHECK_FALSE(read_speed("OC-192"));
  CHECK_FALSE(read_speed("0"));
}

TEST_CASE("names of columns with speeds may contain a unit", "[network][imports]") {
  for (const char* name : {"speed", "Capacity", "bw", "link_speed", "Port Speed", "rate"}) {
    CAPTURE(name);
    REQUIRE(speed_name(name));
    CHECK_FALSE(speed_name(name)->unit);
  }
  for (const auto& [name, unit] : {std::pair{"speed_gbps", "1"},
                                   {"Speed (Gbit/s)", "1"},
                                   {"capacity_mbps", "1/1000"},
                                   {"gbps", "1"},
                                   {"bandwidth [kbit/s]", "1/1000000"},
                                   {"rate in GB/s", "8"},
                                   {"bw-bps", "1/1000000000"}}) {
    CAPTURE(name);
    REQUIRE(speed_name(name));
    CHECK(speed_name(name)->unit == rational(unit));
  }
  for (const char* name : {"source port", "weight", "speed limit", "delay", "", "port"}) {
    CAPTURE(name);
    CHECK_FALSE(speed_name(name));
  }
}

TEST_CASE("numbers without a unit have one meaning in every format", "[network][imports]") {
  for (const char* text : {"a b 10\nb c 20\n", "source,target,speed\na,b,10\nb,c,20\n",
                           "graph { a -- b [speed=10]; b -- c [bw=20] }",
                           R"({"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "links": [
                              {"source": "a", "target": "b", "capacity": 10},
                              {"source": "b", "target": "c", "bandwidth": 20}]})"}) {
    CAPTURE(text);
    CHECK(read_graph(text).gbps == rational("10"));
    CHECK(read_graph(text, {.unit = SpeedUnit::megabits}).gbps == rational("1/100"));
    CHECK(read_graph(text, {.unit = SpeedUnit::kilobits}).gbps == rational("1/100000"));
    CHECK_FALSE(read_graph(text, {.speeds = false}).gbps);
    const auto remarks = read_graph(text).remarks;
    CHECK(std::count(remarks.begin(), remarks.end(), "speeds without a unit: read as Gbit/s, the default") ==
          1);
  }
}

TEST_CASE("a unit is requested for numbers above 3.2 Tbit/s", "[network][imports]") {
  CHECK_THROWS_WITH(
      read_graph(speeds_of_routenet),
      Catch::Contains("the bandwidth of this link is 10000 without a unit; in Gbit/s, the default, "
                      "it would be 10 Tbit/s") &&
          Catch::Contains("--speed-unit"));
  CHECK(read_graph(speeds_of_routenet, {.unit = SpeedUnit::bits}).gbps == rational("1/100000"));
  CHECK(read_graph(speeds_of_routenet, {.unit = SpeedUnit::gigabits}).gbps == rational("10000"));
  CHECK(read_graph("a b 3200\n").gbps == rational("3200"));
  CHECK(read_graph("a b 10000G\n").gbps == rational("10000"));  // as written
  // Whatever its size, where speeds are not read.
  CHECK(read_graph(speeds_of_routenet, {.speeds = false}).links.size() == 2);
}

TEST_CASE("the unit of a name or a format takes precedence", "[network][imports]") {
  CHECK(read_graph("source,target,speed_mbps\na,b,10000\n").gbps == rational("10"));
  CHECK(read_graph("source,target,speed_mbps\na,b,10G\n").gbps == rational("10"));
  CHECK(read_graph("2 1 1\n1\n0 1 100000000 1us 0\n").gbps == rational("1/10"));  // ns-3: bit/s
  const std::string zoo =
      "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 LinkSpeedRaw 10000000000.0 ] ]";
  CHECK(read_graph(zoo).gbps == rational("10"));
  CHECK_THROWS_WITH(read_graph(zoo, {.unit = SpeedUnit::bits}),
                    "speed-unit is bit/s; it must be omitted: no speed in the file lacks a unit");
  CHECK(
      read_graph("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 LinkSpeed \"40\" ] ]").gbps ==
      rational("40"));
}
