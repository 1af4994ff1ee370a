#include <tailbound/answers/buffer/policed_buffer.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>
#include <tuple>
#include <utility>
#include <vector>

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
    CHECK(delayed.upper <= fraction_of(rational("1e-15")));
    CHECK(fraction_of(found.honest->lost_at_policer.value) >= delayed.lower / fraction_of(*query.offered));
    query.requested = MinBuffer{rational("1e-9")};
    CHECK(*answer(query).honest->unnoticed_burst == rational(unlikely));
  }
  PolicedBufferQuery query = policed_query("0.9", "20");
  query.offered = rational("0.8");
  CHECK(answer(query).honest->buffer->value == 76);
}

namespace {

struct Delayed {
  double at_shaper, at_policer;
};
/// Fractions of slots in which packets wait at a shaper, and of packets that a policer drops, by following
/// the tokens (in units of 1/unit) and the waiting packets slot by slot until the distribution no longer
/// changes.
Delayed by_tokens(long rate, long burst, long unit, double offered) {
  constexpr std::size_t longest = 100;
  const auto full = static_cast<std::size_t>(burst);
  using Row = std::vector<double>;
  std::vector<Row> now(full + 1, Row(longest + 1, 0.0));
  Row held(full + 1, 0.0);
  now[full][0] = held[full] = 1;
  Delayed delayed{};
  for (int slot = 0; slot < 2000; ++slot) {
    std::vector<Row> next(full + 1, Row(longest + 1, 0.0));
    Row kept(full + 1, 0.0);
    delayed = {};
    for (std::size_t tokens = 0; tokens <= full; ++tokens) {
      const auto filled = std::min(full, tokens + static_cast<std::size_t>(rate));
      const std::size_t packet = filled >= static_cast<std::size_t>(unit) ? 1 : 0;
      const std::size_t left = filled - packet * static_cast<std::size_t>(unit);
      kept[left] += held[tokens] * offered;
      kept[filled] += held[tokens] * (1 - offered);
      if (packet == 0) delayed.at_policer += held[tokens];
      for (std::size_t waiting = 0; waiting <= longest; ++waiting)
        for (const std::size_t come : {0U, 1U}) {
          const double mass = now[tokens][waiting] * (come == 1 ? offered : 1 - offered);
          const std::size_t all = std::min(longest, waiting + come);
          if (mass == 0) continue;
          if (all > packet) delayed.at_shaper += mass;
          next[all > 0 ? left : filled][all > 0 ? all - packet : 0] += mass;
        }
    }
    now = std::move(next);
    held = std::move(kept);
  }
  return delayed;
}

}  // namespace

TEST_CASE("a bucket that discards tokens delays a conforming host more than its rate says") {
  for (const auto& [rate, unit, burst, offered] : {std::tuple{2L, 5L, 5L, "0.2"},
                                                   {9L, 10L, 10L, "0.4"},
                                                   {9L, 10L, 15L, "0.5"},
                                                   {3L, 4L, 4L, "0.3"},
                                                   {7L, 10L, 12L, "0.3"},
                                                   {2L, 5L, 6L, "0.3"},
                                                   {9L, 10L, 18L, "0.5"},
                                                   {9L, 10L, 20L, "0.5"}}) {
    PolicedBufferQuery query = policed_query("1/2", "1");
    query.inputs.bucket = {ratio(rate, unit), ratio(burst, unit)};
    query.offered = rational(offered);
    query.requested = MinBuffer{rational("1/4")};
    INFO(query.inputs.bucket.rate << ", " << query.inputs.bucket.burst << ", offered " << offered);
    const Delayed direct = by_tokens(rate, burst, unit, std::stod(offered));
    const auto honest = *answer(query).honest;
    CHECK(static_cast<double>(ends(honest.delayed_at_shaper.probability).middle()) ==
          Approx(direct.at_shaper).epsilon(1e-9));
    CHECK(static_cast<double>(honest.lost_at_policer.value) >= direct.at_policer * (1 - 1e-12));
    // The minimum depth that delays packets in at most a quarter of the slots, in steps of 1/unit.
    const auto steps = numeric::to_int64(numeric::numerator(*honest.unnoticed_burst * unit));
    CHECK(by_tokens(rate, steps, unit, std::stod(offered)).at_shaper <= 0.25);
    if (steps > unit) CHECK(by_tokens(rate, steps - 1, unit, std::stod(offered)).at_shaper > 0.25);
  }
  PolicedBufferQuery query = policed_query("2/5", "1");
  query.offered = rational("0.3");
  CHECK(static_cast<double>(ends(answer(query).honest->delayed_at_shaper.probability).middle()) ==
        Approx(0.708454810).epsilon(1e-7));
  query = policed_query("0.9", "1");
  query.offered = rational("0.8");
  CHECK_THROWS_WITH(answer(query), Catch::Contains("below 1/2, the rate that the bucket sustains") &&
                                       Catch::Contains("fewer than 1.8 tokens"));
}

TEST_CASE("the largest rate for buckets that discard tokens") {
  PolicedBufferQuery query = policed_query("0.5", "1");
  query.inputs.inputs = 4;
  query.inputs.share = ratio(1, 4);
  query.requested = MinBuffer{ratio(1, 7)};
  const PolicedBufferQuery fastest =
      answers::with_largest_bucket(query, Packets(33), answers::PolicedVaried::rate);
  CHECK(fastest.inputs.bucket.rate == rational("0.999"));
  CHECK(answer(fastest).buffer <= Packets(33));
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
  CHECK_THROWS_WITH(answer(query), Catch::Contains("s at most 64"));
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
