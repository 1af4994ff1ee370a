#include <cln/rational.h>
#include <tailbound/answers/buffer/policed_buffer.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using namespace tailbound::test;
using answers::MinBuffer;
using answers::PolicedBufferAnswer;
using answers::PolicedBufferQuery;
using answers::ProbabilityOf;
using tailbound::test::rational;

namespace {

PolicedBufferQuery policed_query(const char* rate, const char* burst, std::int64_t message = 1) {
  return {.inputs = {.inputs = 16,
                     .share = ratio(1, 16),
                     .bucket = {rational(rate), rational(burst)},
                     .message = message},
          .requested = MinBuffer{rational("1e-15")}};
}

}  // namespace

TEST_CASE("buffers of policed inputs and of independent inputs") {
  const PolicedBufferAnswer two = answer(policed_query("0.9", "2"));
  CHECK(two.buffer.value == 157);
  CHECK(two.unpoliced_buffer->value == 157);  // policing to two tokens makes any injection as good as this
  const PolicedBufferAnswer twenty = answer(policed_query("0.9", "20"));
  CHECK(twenty.buffer.value == 177);
  CHECK(twenty.closed_form_buffer->value == 177);
  CHECK(twenty.token_price == ratio(10, 9));
  CHECK_FALSE(twenty.bound_only());
  CHECK_FALSE(twenty.never_exceeded);
  const PolicedBufferAnswer shallow = answer(policed_query("2/5", "1"));
  CHECK(shallow.rate == ratio(1, 3));
}

TEST_CASE("a conforming host is not affected by a sufficiently deep bucket") {
  for (const auto& [offered, deep, unlikely] :
       {std::tuple{"0.8", "19.6", "12.1"}, {"0.85", "35.7", "21.8"}, {"0.89", "160.7", "96.8"}}) {
    PolicedBufferQuery query = policed_query("0.9", deep);
    query.offered = rational(offered);
    const PolicedBufferAnswer found = answer(query);
    CHECK(*found.honest->unnoticed_burst == rational(deep));
    const Ends delayed = ends(found.honest->delayed_at_shaper.probability);
    CHECK(delayed.upper <= to_fraction(rational("1e-15")));
    CHECK(to_fraction(found.honest->lost_at_policer.value) >= delayed.lower / to_fraction(*query.offered));
    query.requested = MinBuffer{rational("1e-9")};
    CHECK(*answer(query).honest->unnoticed_burst == rational(unlikely));
  }
  PolicedBufferQuery query = policed_query("0.9", "20");
  query.offered = rational("0.8");
  CHECK(answer(query).honest->buffer->value == 76);
}

TEST_CASE("messages and expensive cases have a bound") {
  const PolicedBufferAnswer messages = answer(policed_query("0.9", "20", 8));
  CHECK(messages.bound_only());
  CHECK(messages.buffer.value == 1274);
  CHECK_FALSE(messages.before);
  const PolicedBufferAnswer long_run = answer(policed_query("0.999", "100"));
  CHECK(long_run.bound_only());
  CHECK(long_run.buffer.value == 16284);
  PolicedBufferQuery insisting = policed_query("0.999", "100");
  insisting.accuracy.arithmetic = queue::Arithmetic::double_precision;
  CHECK_THROWS_AS(answer(insisting), LimitExceeded);
}

TEST_CASE("probability for a given buffer of policed inputs") {
  PolicedBufferQuery query = policed_query("0.9", "20");
  query.requested = ProbabilityOf{Packets(100)};
  const PolicedBufferAnswer found = answer(query);
  CHECK(static_cast<double>(ends(found.at.probability).middle()) == Approx(2.1722038751e-8).epsilon(1e-10));
  CHECK(static_cast<double>(found.closed_form.value) == Approx(2.528848e-8).epsilon(1e-6));
  CHECK(found.unpoliced.has_value());
  CHECK_FALSE(found.unpoliced_buffer);
}

TEST_CASE("the load of a conforming host is rejected if its bucket cannot carry it") {
  PolicedBufferQuery query = policed_query("0.9", "20");
  query.offered = rational("0.9");
  CHECK_THROWS_WITH(answer(query), Catch::Contains("offered is 9/10"));
  query = policed_query("0.97", "20");
  query.offered = rational("0.8");
  CHECK_THROWS_WITH(answer(query), Catch::Contains("s at most 32"));
}

TEST_CASE("the largest bucket suffices, and a larger one does not") {
  PolicedBufferQuery query = policed_query("0.9", "1");
  const PolicedBufferQuery deepest =
      answers::with_largest_bucket(query, Packets(200), answers::PolicedVaried::burst);
  CHECK(answer(deepest).buffer <= Packets(200));
  PolicedBufferQuery deeper = deepest;
  deeper.inputs.bucket.burst = deeper.inputs.bucket.burst + 1;
  CHECK(answer(deeper).buffer > Packets(200));
  query = policed_query("0.5", "20");
  const PolicedBufferQuery fastest =
      answers::with_largest_bucket(query, Packets(177), answers::PolicedVaried::rate);
  CHECK(fastest.inputs.bucket.rate == rational("0.9"));
  CHECK_THROWS_WITH(
      answers::with_largest_bucket(policed_query("0.9", "1"), Packets(20), answers::PolicedVaried::burst),
      Catch::Contains("a buffer of 20 packets does not suffice"));
}
