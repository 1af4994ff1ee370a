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
    requested.criterion = bounds::Criterion::loss;
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
