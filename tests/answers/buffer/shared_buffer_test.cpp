#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <string>

using namespace tailbound;
using numeric::parse_rational;
using numeric::Rational;

namespace {

answers::SharedBufferQuery query(int inputs, const char* load, const char* target) {
  return {.traffic = answers::EqualSwitchInputs{inputs, parse_rational(load, "load")},
          .outputs = inputs,
          .requested = answers::MinBuffer{parse_rational(target, "target")}};
}

std::string problem(const std::string& text) {
  try {
    static_cast<void>(answers::traffic_matrix(text, "file"));
  } catch (const ParseError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a traffic matrix: plain, with names, with empty entries", "[answers][shared]") {
  const std::vector<std::vector<Rational>> rates{
      {Rational(3) / 10, Rational(1) / 5}, {0, Rational(1) / 4}, {Rational(1) / 10, 0}};
  CHECK(answers::traffic_matrix("# rates\n0.3, 1/5\r\n\n 0,0.25#end\n0.1,", "file").rates == rates);
  CHECK(answers::traffic_matrix("to,left,right\na,0.3,1/5\nb,,1/4\nc,.1,0\n", "file").rates == rates);
  CHECK(answers::traffic_matrix(";left;right\na;0,3;20%\nb;-;25 %\nc;0,1;0\n", "file").rates == rates);
  CHECK(answers::traffic_matrix("dst\\src,a,b,c\nleft,0.3,,0.1\nright,0.2,0.25,0\n", "file").rates == rates);
}

TEST_CASE("an invalid traffic matrix is reported with its position", "[answers][shared]") {
  CHECK(problem("") == "file: no rates; it needs one row per input and one column per output");
  CHECK(problem("0.1,0.2\n0.1\n").find("file:2:1: a row of 1 entries; it must have 2") == 0);
  CHECK(problem("0.1,0.2\n0.1,x\n").find("file:2:5: the rate is \"x\"") == 0);
}

TEST_CASE("a shared memory, separate buffers and the approximation", "[answers][shared]") {
  const answers::SharedBufferAnswer found = answers::answer(query(4, "0.8", "1e-9"));
  CHECK(found.memory.value == 54);
  CHECK(found.mean.value == 8);
  CHECK(found.output_load == Rational(4) / 5);
  CHECK(found.about->value == 46);
  // Result of `buffer --inputs 4 --load 0.8 --drop 1e-9` for one output queue.
  CHECK(found.dedicated->port.value == 37);
  CHECK(found.dedicated->total.value == 148);
  CHECK(static_cast<double>(found.variance->value) == Approx(7.680959).epsilon(1e-7));

  // The inverse: the bound by which the memory was found.
  answers::SharedBufferQuery back = query(4, "0.8", "1e-9");
  back.requested = answers::ProbabilityOf{found.memory};
  const answers::SharedBufferAnswer at = answers::answer(back);
  CHECK(static_cast<double>(at.at.value) == Approx(static_cast<double>(found.at.value)).epsilon(1e-12));
  CHECK_FALSE(at.dedicated);
  CHECK(at.about_at->value <= 1e-9);
}

TEST_CASE("a shared memory of unequal outputs: separate buffers are summed", "[answers][shared]") {
  answers::SharedBufferQuery requested = query(1, "0.1", "1e-9");
  requested.traffic = answers::traffic_matrix("0.2,0.2\n0.2,0.2\n0.2,0\n0.2,0\n", "file");
  requested.outputs = 2;
  const answers::SharedBufferAnswer found = answers::answer(requested);
  answers::SharedBufferQuery busy = query(4, "0.8", "1e-9");
  CHECK(found.dedicated->port == answers::answer(busy).dedicated->port);
  CHECK(found.dedicated->total > found.dedicated->port);
  CHECK(found.dedicated->total.value < 2 * found.dedicated->port.value);
  CHECK_FALSE(found.about);
  CHECK_FALSE(found.variance);
  CHECK(found.output_load == Rational(4) / 5);
}

TEST_CASE("a lower dynamic threshold needs more memory", "[answers][shared]") {
  std::int64_t former = 0;
  for (const char* alpha : {"16", "4", "1", "1/2"}) {
    answers::SharedBufferQuery requested = query(8, "0.8", "1e-9");
    requested.criterion = answers::SizedCriterion::packet_loss;
    requested.threshold = parse_rational(alpha, "threshold");
    const answers::SharedBufferAnswer found = answers::answer(requested);
    CHECK(found.memory.value > former);
    CHECK(found.about->value <= static_cast<double>(found.memory.value));
    former = found.memory.value;
  }
  answers::SharedBufferQuery overflow = query(8, "0.8", "1e-9");
  overflow.threshold = Rational(1);
  CHECK_THROWS_AS(answers::answer(overflow), InvalidArgument);
}

TEST_CASE("a shared memory of cells: losses of packets, and of cells", "[answers][shared]") {
  answers::SharedBufferQuery requested = query(8, "0.8", "1e-6");
  requested.cells =
      answers::SwitchCells{"imix", traffic::PacketSizes::of_list("64:7,594:4,1518:1", "sizes"), 208};
  requested.criterion = answers::SizedCriterion::packet_loss;
  const answers::SharedBufferAnswer packets = answers::answer(requested);
  CHECK(packets.at.value <= numeric::to_real(Rational(1) / 1'000'000, numeric::Rounding::up));
  CHECK(packets.packet_loss->value == packets.at.value);
  // E[L] = 2.25 cells.
  CHECK(static_cast<double>(packets.packet_loss->value) ==
        Approx(2.25 * static_cast<double>(packets.cell_loss->value)).epsilon(1e-12));
  requested.criterion = answers::SizedCriterion::cell_loss;
  const answers::SharedBufferAnswer cells = answers::answer(requested);
  CHECK(cells.memory < packets.memory);
  CHECK(cells.cell_loss->value == cells.at.value);
  CHECK(static_cast<double>(cells.packet_loss->value) > 1e-6);
}

TEST_CASE("a shared memory: the load, the ports and the threshold that it allows", "[answers][shared]") {
  const Rational drop = parse_rational("1e-9", "drop");
  const Packets memory(120);
  const auto bound = [&](const answers::SharedBufferQuery& of) { return answers::answer(of).at.value; };
  const auto with = [&](answers::SharedBufferQuery of) {
    of.requested = answers::ProbabilityOf{memory};
    return of;
  };
  const auto meets = [&](const answers::SharedBufferQuery& of) {
    return numeric::compare(bound(with(of)), drop) <= 0;
  };

  answers::SharedBufferQuery load = query(8, "0.5", "1e-9");
  load.requested = answers::MaxLoad{memory, drop};
  const answers::SharedBufferAnswer found = answers::answer(load);
  auto& inputs = std::get<answers::EqualSwitchInputs>(load.traffic);
  inputs.load = *found.met;
  CHECK(meets(load));
  CHECK(found.at.value == bound(with(load)));
  inputs.load = *found.missed;
  CHECK_FALSE(meets(load));
  CHECK(numeric::nearest_double(*found.missed / *found.met) < 1.002);

  answers::SharedBufferQuery ports = query(2, "0.8", "1e-9");
  ports.requested = answers::MaxPorts{memory, drop};
  const answers::SharedBufferAnswer most = answers::answer(ports);
  CHECK(meets(query(static_cast<int>(numeric::nearest_double(*most.met)), "0.8", "1e-9")));
  CHECK_FALSE(meets(query(static_cast<int>(numeric::nearest_double(*most.missed)), "0.8", "1e-9")));

  answers::SharedBufferQuery limited = query(8, "0.8", "1e-9");
  limited.criterion = answers::SizedCriterion::packet_loss;
  limited.requested = answers::MinThreshold{memory, drop};
  const answers::SharedBufferAnswer lowest = answers::answer(limited);
  limited.threshold = lowest.met;
  CHECK(meets(limited));
  limited.threshold = lowest.missed;
  CHECK_FALSE(meets(limited));

  load.requested = answers::MaxLoad{Packets(2), parse_rational("1e-40", "drop")};
  CHECK_THROWS_AS(answers::answer(load), NoAnswer);
  limited.requested = answers::MinThreshold{Packets(5), drop};
  CHECK_THROWS_AS(answers::answer(limited), NoAnswer);
}
