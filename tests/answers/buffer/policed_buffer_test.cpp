#include <cln/rational.h>
#include <tailbound/answers/buffer/policed_buffer.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using namespace tailbound::test;
using answers::LeastBuffer;
using answers::PolicedBufferAnswer;
using answers::PolicedBufferQuestion;
using answers::ProbabilityOf;
using tailbound::test::rational;

namespace {

PolicedBufferQuestion policed_question(const char* rate, const char* burst, std::int64_t message = 1) {
  return {.inputs = {.inputs = 16,
                     .share = ratio(1, 16),
                     .bucket = {rational(rate), rational(burst)},
                     .message = message},
          .asked = LeastBuffer{rational("1e-15")}};
}

}  // namespace

TEST_CASE("buffers of policed inputs and of independent inputs") {
  const PolicedBufferAnswer two = answer(policed_question("0.9", "2"));
  CHECK(two.buffer.value == 157);
  CHECK(two.unpoliced_buffer->value == 157);  // policing to two tokens makes any injection as good as this
  const PolicedBufferAnswer twenty = answer(policed_question("0.9", "20"));
  CHECK(twenty.buffer.value == 177);
  CHECK(twenty.closed_form_buffer->value == 177);
  CHECK(twenty.token_price == ratio(10, 9));
  CHECK_FALSE(twenty.bound_only());
  CHECK_FALSE(twenty.never_exceeded);
  const PolicedBufferAnswer shallow = answer(policed_question("2/5", "1"));
  CHECK(shallow.rate == ratio(1, 3));
}

TEST_CASE("a conforming host is not affected by a sufficiently deep bucket") {
  for (const auto& [offered, deep, unlikely] :
       {std::tuple{"0.8", "19.6", "12.1"}, {"0.85", "35.7", "21.8"}, {"0.89", "160.7", "96.8"}}) {
    PolicedBufferQuestion asked = policed_question("0.9", deep);
    asked.offered = rational(offered);
    const PolicedBufferAnswer found = answer(asked);
    CHECK(*found.honest->unnoticed_burst == rational(deep));
    const Ends delayed = ends(found.honest->delayed_at_shaper.probability);
    CHECK(delayed.upper <= to_fraction(rational("1e-15")));
    CHECK(to_fraction(found.honest->lost_at_policer.value) >= delayed.lower / to_fraction(*asked.offered));
    asked.asked = LeastBuffer{rational("1e-9")};
    CHECK(*answer(asked).honest->unnoticed_burst == rational(unlikely));
  }
  PolicedBufferQuestion asked = policed_question("0.9", "20");
  asked.offered = rational("0.8");
  CHECK(answer(asked).honest->buffer->value == 76);
}

TEST_CASE("messages and expensive cases have a bound") {
  const PolicedBufferAnswer messages = answer(policed_question("0.9", "20", 8));
  CHECK(messages.bound_only());
  CHECK(messages.buffer.value == 1274);
  CHECK_FALSE(messages.before);
  const PolicedBufferAnswer long_run = answer(policed_question("0.999", "100"));
  CHECK(long_run.bound_only());
  CHECK(long_run.buffer.value == 16284);
  PolicedBufferQuestion insisting = policed_question("0.999", "100");
  insisting.accuracy.arithmetic = queue::Arithmetic::double_precision;
  CHECK_THROWS_AS(answer(insisting), LimitExceeded);
}

TEST_CASE("probability for a given buffer of policed inputs") {
  PolicedBufferQuestion asked = policed_question("0.9", "20");
  asked.asked = ProbabilityOf{Packets(100)};
  const PolicedBufferAnswer found = answer(asked);
  CHECK(static_cast<double>(ends(found.at.probability).middle()) == Approx(2.1722038751e-8).epsilon(1e-10));
  CHECK(static_cast<double>(found.closed_form.value) == Approx(2.528848e-8).epsilon(1e-6));
  CHECK(found.unpoliced.has_value());
  CHECK_FALSE(found.unpoliced_buffer);
}

TEST_CASE("the load of a conforming host is rejected if its bucket cannot carry it") {
  PolicedBufferQuestion asked = policed_question("0.9", "20");
  asked.offered = rational("0.9");
  CHECK_THROWS_WITH(answer(asked), Catch::Contains("offered is 9/10"));
  asked = policed_question("0.97", "20");
  asked.offered = rational("0.8");
  CHECK_THROWS_WITH(answer(asked), Catch::Contains("s at most 32"));
}

TEST_CASE("the largest bucket suffices, and a larger one does not") {
  PolicedBufferQuestion asked = policed_question("0.9", "1");
  const PolicedBufferQuestion deepest =
      answers::with_largest_bucket(asked, Packets(200), answers::PolicedVaried::burst);
  CHECK(answer(deepest).buffer <= Packets(200));
  PolicedBufferQuestion deeper = deepest;
  deeper.inputs.bucket.burst = deeper.inputs.bucket.burst + 1;
  CHECK(answer(deeper).buffer > Packets(200));
  asked = policed_question("0.5", "20");
  const PolicedBufferQuestion fastest =
      answers::with_largest_bucket(asked, Packets(177), answers::PolicedVaried::rate);
  CHECK(fastest.inputs.bucket.rate == rational("0.9"));
  CHECK_THROWS_WITH(
      answers::with_largest_bucket(policed_question("0.9", "1"), Packets(20), answers::PolicedVaried::burst),
      Catch::Contains("a buffer of 20 packets is not enough"));
}
