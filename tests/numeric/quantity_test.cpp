#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/quantity.hpp>
#include <tests/golden/run_command.hpp>
#include <tests/support/rational.hpp>

#include <string>
#include <vector>

using tailbound::InvalidArgument;
using tailbound::golden::run_line;
using tailbound::numeric::Measure;
using tailbound::numeric::parse_quantities;
using tailbound::numeric::parse_quantity;
using tailbound::numeric::parse_whole_quantity;
using tailbound::numeric::Rational;
using tailbound::test::rational;

TEST_CASE("quantities: numbers with units, exact") {
  const auto read = [](const char* text, Measure measure) {
    return parse_quantity(text, "--option", measure);
  };
  for (const char* text : {"100", "100G", "100Gbps", "100 Gbit/s", "100Gb/s", "0.1T", "100000M", "12.5GB/s",
                           "1e11bps", "12.5GBps", "10^11bit/s"}) {
    INFO(text);
    CHECK(read(text, Measure::gbps) == 100);
  }
  CHECK(read("2.5M", Measure::gbps) == rational("1/400"));
  CHECK(read("1/3 G", Measure::gbps) == rational("1/3"));
  CHECK(read("9KB", Measure::bytes) == 9000);
  CHECK(read("9kB", Measure::bytes) == 9000);
  CHECK(read("9KiB", Measure::bytes) == 9216);
  CHECK(read("12MiB", Measure::bytes) == 12 * 1024 * 1024);
  CHECK(read("64B", Measure::bytes) == 64);
  CHECK(read("2464 KB", Measure::bytes) == 2464000);
  CHECK(read("1.5GB", Measure::megabytes) == 1500);
  CHECK(read("5us", Measure::nanoseconds) == 5000);
  CHECK(read("5 \xc2\xb5s", Measure::nanoseconds) == 5000);
  CHECK(read("1s", Measure::nanoseconds) == 1000000000);
  CHECK(read("800", Measure::nanoseconds) == 800);
  CHECK(read("1e3ps", Measure::nanoseconds) == 1);
}

TEST_CASE("quantities: errors list the legal units") {
  for (const auto& [text, measure, names] :
       {std::tuple{"9K", Measure::bytes, "9KB"}, std::tuple{"100GB", Measure::gbps, "100Gbps"},
        std::tuple{"5 sec", Measure::nanoseconds, "5us"}, std::tuple{"KB", Measure::bytes, "9KiB"},
        std::tuple{"64b", Measure::bytes, "64B"}, std::tuple{"100g", Measure::gbps, "100G"}}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_quantity(text, "--option", measure),
                      Catch::Contains("--option") && Catch::Contains(names));
  }
  CHECK_THROWS_AS(parse_quantity("", "--option", Measure::bytes), InvalidArgument);
  CHECK_THROWS_AS(parse_quantity("1.5e", "--option", Measure::bytes), InvalidArgument);
  CHECK_THROWS_AS(parse_whole_quantity("1.0005KB", "--option", Measure::bytes, 1, 10000), InvalidArgument);
  CHECK(parse_whole_quantity("1.5KB", "--option", Measure::bytes, 1, 10000) == 1500);
}

TEST_CASE("quantities: lists and ranges") {
  CHECK(parse_quantities("25G,100G", "--rates", Measure::gbps) == std::vector<Rational>{25, 100});
  CHECK(parse_quantities("1KB:3KB:1KB,64", "--sizes", Measure::bytes) ==
        std::vector<Rational>{1000, 2000, 3000, 64});
  CHECK_THROWS_AS(parse_quantities("25G,x", "--rates", Measure::gbps), InvalidArgument);
}

TEST_CASE("quantities: accepted by commands") {
  const auto same = [](const std::string& with, const std::string& without) {
    const auto one = run_line(with), other = run_line(without);
    INFO(with << "\n" << one.err);
    CHECK(one.status == 0);
    CHECK(one.out == other.out);
  };
  same("buffer --inputs 16 --load 0.9 --drop 10^-15 --packet-bytes 64B --link-gbps 400G --format csv",
       "buffer --inputs 16 --load 0.9 --drop 1e-15 --packet-bytes 64 --link-gbps 400 --format csv");
  same(
      "buffer --inputs 4 --load 0.8 --drop 1e-9 --sizes \"64B:58.33%, 594:33.33%, 1.518KB:8.33%\" --format "
      "csv --quiet",
      "buffer --inputs 4 --load 0.8 --drop 1e-9 --sizes \"64B:58.33%, 594:33.33%, 1.518KB:8.33%\" "
      "--cell-bytes 64B --format csv "
      "--quiet");
  same("guarantee --headroom --link-gbps 400G --cable 500 --packet-bytes 9.216KB --format csv",
       "guarantee --headroom --link-gbps 400 --cable 500 --packet-bytes 9216 --format csv");
}
