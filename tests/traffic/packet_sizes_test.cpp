#include <tailbound/core/error.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <catch2/catch.hpp>

using namespace tailbound;
using Catch::Matchers::Contains;
using numeric::Rational;
using traffic::PacketSizes;

TEST_CASE("IMIX in cells of 64 bytes", "[traffic][packet_sizes]") {
  const PacketSizes imix = PacketSizes::imix();
  REQUIRE(imix.classes().size() == 3);
  CHECK(imix.mean_bytes() == Rational(4342) / 12);
  const traffic::CellCounts cells = imix.cells(64);
  REQUIRE(cells.classes.size() == 3);
  CHECK(cells.classes[0].cells == 1);
  CHECK(cells.classes[1].cells == 10);
  CHECK(cells.largest() == 24);
  CHECK(cells.classes[1].share == Rational(1) / 3);
  CHECK(cells.mean == Rational(71) / 12);
  CHECK(cells.mean_square / cells.mean == Rational(983) / 71);  // 13.845
  // The load in cells divided by that in bytes.
  CHECK(numeric::nearest_double(cells.mean * 64 / imix.mean_bytes()) == Approx(1.0466).epsilon(1e-4));
}

TEST_CASE("packet sizes from a list and from a file", "[traffic][packet_sizes]") {
  const PacketSizes list = PacketSizes::of_list("64:7,594:4,1518:1", "--sizes");
  CHECK(list.classes() == PacketSizes::imix().classes());
  CHECK(PacketSizes::of_list("1518:1,64:3,594:4,64:4", "--sizes").classes() == list.classes());
  CHECK(PacketSizes::of_file("# bytes weight\n64 7\n\n594\t4\r\n 1518 , 1\n", "f").classes() ==
        list.classes());
  CHECK(PacketSizes::of_file("64,0.7\n594,2/5\n1518,10e-2", "f").classes() == list.classes());
  // Percents, a heading, units, blanks.
  CHECK(PacketSizes::of_file("size,percent\n64,70%\n594;40%\n1518 10%\n", "f").classes() == list.classes());
  CHECK(PacketSizes::of_list(" 64B: 7 , 594:4, 1.518KB:1", "--sizes").classes() == list.classes());
  // Cumulative, as declared.
  CHECK(PacketSizes::of_file("bytes cdf\n64 7/12\n594 11/12\n1518 1\n", "f").classes() == list.classes());
  CHECK(PacketSizes::of_list("cdf,64:7/12,594:11/12,1518:1", "--sizes").classes() == list.classes());
  CHECK(PacketSizes::of_file("bytes weights\n64 0.5\n594 0.9\n1518 1.0\n", "f").classes()[0].share ==
        Rational(5) / 24);
  CHECK(PacketSizes::of_list("weights,7:64,4:594,1:1518", "--sizes").classes()[0].bytes == 1);
  const PacketSizes one = PacketSizes::of_list("1500", "--sizes");
  REQUIRE(one.classes().size() == 1);
  CHECK(one.classes()[0].share == 1);
  CHECK(one.cells(64).mean == 24);
  // Sizes with the same number of cells are one class of cells.
  CHECK(PacketSizes::of_list("65:1,128:1,129:2", "--sizes").cells(64).classes.size() == 2);
}

TEST_CASE("invalid packet sizes are rejected", "[traffic][packet_sizes][errors]") {
  for (const char* text : {"", "64:0", "64:-1", "0:1", "64:x", "x", "1e9", "64.5", "64:1,,65:1", "64:1:2"})
    CHECK_THROWS_AS(PacketSizes::of_list(text, "--sizes"), InvalidArgument);
  CHECK_THROWS_WITH(PacketSizes::of_list("64:0", "--sizes"),
                    Contains("--sizes is 0") && Contains("weight above 0"));
  for (const char* text : {"", "# nothing\n", "64\n", "64 x\n", "64 1 2\n", "64 0\n", "x 1\n"})
    CHECK_THROWS_AS(PacketSizes::of_file(text, "sizes.txt"), ParseError);
  CHECK_THROWS_WITH(PacketSizes::of_file("64 1\n\n65\n", "sizes.txt"), Contains("sizes.txt:3:1"));
  CHECK_THROWS_WITH(PacketSizes::of_file("64 0.5\n594 0.9\n1518 1.0\n", "sizes.txt"),
                    Contains("P(size <= S)"));
  CHECK_THROWS_WITH(PacketSizes::of_file("64 50%\n594 90%\n1518 100%\n", "sizes.txt"), Contains("cdf"));
  CHECK_THROWS_WITH(PacketSizes::of_list("7:64,4:594,1:1518", "--sizes"), Contains("the size first"));
  CHECK_THROWS_WITH(PacketSizes::of_list("cdf,64:0.5,594:0.4,1518:1", "--sizes"), Contains("does not grow"));
  CHECK_THROWS_WITH(PacketSizes::of_list("cdf,64:0.5,594:0.9", "--sizes"), Contains("ends at 0.9"));
  CHECK_THROWS_AS(PacketSizes::imix().cells(0), InvalidArgument);
}
