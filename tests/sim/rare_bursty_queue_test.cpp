#include <tailbound/core/error.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/sim/rare/on_count.hpp>
#include <tailbound/sim/rare/rare_bursty_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include <tests/support/estimate.hpp>

/// Random runs have fixed seeds: a test that passes once passes always. The stated false-alarm rate is the
/// probability that a correct program fails with a new seed.
namespace tailbound::sim {
namespace {

using network::BurstySource;
using numeric::parse_rational;
using numeric::Rational;
using test::sure;

/// The first hop of a tree: `inputs` leaves, each of whose packets comes here with probability 1 / inputs.
BurstySource leaves(long inputs, const char* load, const char* burst, const char* on_rate = "1") {
  const traffic::OnOff leaf = traffic::on_off(
      parse_rational(load, "load"), {parse_rational(burst, "burst"), parse_rational(on_rate, "on-rate")});
  return {traffic::thinned(leaf, Rational(1) / numeric::Integer(inputs)), inputs};
}

/// The same if each burst, as a whole, comes here with probability 1 / inputs.
BurstySource whole_bursts(long inputs, const char* load, const char* burst, const char* on_rate = "1") {
  const traffic::OnOff leaf = traffic::on_off(
      parse_rational(load, "load"), {parse_rational(burst, "burst"), parse_rational(on_rate, "on-rate")});
  return {leaf, inputs, Rational(1) / numeric::Integer(inputs)};
}

double bernoulli_tail(long inputs, const char* load, std::int64_t level) {
  const queue::SlottedQueue queue{series::Arrivals::equal_inputs(inputs, parse_rational(load, "load"))};
  return static_cast<double>(
      numeric::to_enclosure(queue::occupancy_tail(queue, Packets(level)).probability).lower());
}

/// P(Q > level) of two sources, from the chain of (Q, sources ON) with Q up to `maximum`: its distribution
/// just after the arrivals of a slot, with the states in that slot, by iteration until nothing changes.
double chain_tail(const traffic::OnOff& source, std::int64_t level, std::size_t maximum) {
  const double r = numeric::nearest_double(source.on_rate), a = numeric::nearest_double(source.start),
               b = numeric::nearest_double(source.stop);
  const double move[3][3] = {{(1 - a) * (1 - a), 2 * a * (1 - a), a * a},
                             {(1 - a) * b, (1 - a) * (1 - b) + a * b, a * (1 - b)},
                             {b * b, 2 * b * (1 - b), (1 - b) * (1 - b)}};
  const double send[3][3] = {{1, 0, 0}, {1 - r, r, 0}, {(1 - r) * (1 - r), 2 * r * (1 - r), r * r}};
  using Law = std::vector<std::array<double, 3>>;
  Law law(maximum + 1);
  law[0] = {1, 0, 0};
  for (double change = 1; change > 1e-15;) {
    Law next(maximum + 1);
    for (std::size_t q = 0; q <= maximum; ++q)
      for (std::size_t from = 0; from < 3; ++from)
        for (std::size_t to = 0; to < 3; ++to)
          for (std::size_t packets = 0; packets < 3; ++packets)
            next[std::min(maximum, q - (q > 0) + packets)][to] +=
                law[q][from] * move[from][to] * send[to][packets];
    change = 0;
    for (std::size_t q = 0; q <= maximum; ++q)
      for (std::size_t j = 0; j < 3; ++j) change = std::max(change, std::abs(next[q][j] - law[q][j]));
    law = std::move(next);
  }
  double tail = 0;
  for (std::size_t q = static_cast<std::size_t>(level) + 1; q <= maximum; ++q)
    tail += law[q][0] + law[q][1] + law[q][2];
  return tail;
}

/// P(Q > level) of two sources whose bursts come here or go elsewhere, by the same method: from the chain of
/// Q and the state of each source (OFF, ON here, ON elsewhere).
double directed_chain_tail(const BurstySource& sources, std::int64_t level, std::size_t maximum) {
  const double r = numeric::nearest_double(sources.source.on_rate),
               a = numeric::nearest_double(sources.source.start),
               b = numeric::nearest_double(sources.source.stop), s = numeric::nearest_double(sources.share);
  const double move[3][3] = {{1 - a, a * s, a * (1 - s)}, {b, 1 - b, 0}, {b, 0, 1 - b}};
  const double send[3][2] = {{1, 0}, {1 - r, r}, {1, 0}};
  using Law = std::vector<std::array<double, 9>>;
  Law law(maximum + 1);
  law[0][0] = 1;
  for (double change = 1; change > 1e-14;) {
    // The sources move one after the other, then each sends.
    Law first(maximum + 1), second(maximum + 1), next(maximum + 1);
    for (std::size_t q = 0; q <= maximum; ++q)
      for (std::size_t from = 0; from < 9; ++from)
        for (std::size_t to = 0; to < 3; ++to) {
          first[q][to * 3 + from % 3] += law[q][from] * move[from / 3][to];
        }
    for (std::size_t q = 0; q <= maximum; ++q)
      for (std::size_t from = 0; from < 9; ++from)
        for (std::size_t to = 0; to < 3; ++to)
          second[q][from / 3 * 3 + to] += first[q][from] * move[from % 3][to];
    for (std::size_t q = 0; q <= maximum; ++q)
      for (std::size_t at = 0; at < 9; ++at)
        for (std::size_t one = 0; one < 2; ++one)
          for (std::size_t other = 0; other < 2; ++other)
            next[std::min(maximum, q - (q > 0) + one + other)][at] +=
                second[q][at] * send[at / 3][one] * send[at % 3][other];
    change = 0;
    for (std::size_t q = 0; q <= maximum; ++q)
      for (std::size_t j = 0; j < 9; ++j) change = std::max(change, std::abs(next[q][j] - law[q][j]));
    law = std::move(next);
  }
  double tail = 0;
  for (std::size_t q = static_cast<std::size_t>(level) + 1; q <= maximum; ++q)
    tail += std::accumulate(law[q].begin(), law[q].end(), 0.0);
  return tail;
}

RareQueueEstimate estimated(const RareBurstyQueueModel& model, std::int64_t cycles, std::uint64_t seed,
                            double confidence) {
  return rare_bursty_queue_estimate(
      model, run_rare_bursty_queue(model, rare_bursty_queue_plan(model, cycles, seed)), confidence);
}

/// 99.99 % intervals: a correct program fails with probability 1e-4 per comparison.
void check_holds(const RareQueueEstimate& estimate, double exact) {
  CAPTURE(exact, estimate.probability.value, estimate.relative_width());
  CHECK(estimate.probability.lower <= exact);
  CHECK(exact <= estimate.probability.upper);
}

// --- Random draws ------------------------------------------------------------------------------------------

TEST_CASE("rare bursty queue: the tilt is an eigenvector and gives the likelihood ratio") {
  for (const double exponent : {0.0, 1e-9, 0.3, 2.0, 20.0})
    for (const auto& source : {leaves(4, "0.6", "16").source, leaves(4, "0.3", "2", "0.5").source,
                               leaves(2, "0.9", "9").source, leaves(3, "0.2", "1").source}) {
      const double r = numeric::nearest_double(source.on_rate), a = numeric::nearest_double(source.start),
                   b = numeric::nearest_double(source.stop);
      const double z = std::exp(exponent), w = 1 - r + r * z;
      const OnOffChances chances = tilted(source, exponent);
      const double l = std::exp(chances.log_eigenvalue), f = std::exp(chances.log_eigenvector);
      CAPTURE(exponent, r, a, b);
      CHECK((1 - a) + a * f == Approx(l).epsilon(1e-12));
      CHECK(w * b + w * (1 - b) * f == Approx(l * f).epsilon(1e-12));
      CHECK(l >= 1);
      CHECK(chances.start == Approx(a * f / l));
      CHECK(1 - chances.start == Approx((1 - a) / l).margin(1e-12));
      CHECK(chances.stop == Approx(w * b / (l * f)));
      CHECK(1 - chances.stop == Approx(w * (1 - b) / l).margin(1e-12));
      CHECK(chances.on_rate == Approx(r * z / w));
    }
}

TEST_CASE("rare bursty queue: the tilt for per-burst destinations is an eigenvector too") {
  for (const double exponent : {0.0, 1e-9, 0.01, 0.3, 2.0, 20.0})
    for (const auto& [source, count, share] :
         {whole_bursts(4, "0.6", "16"), whole_bursts(4, "0.3", "2", "0.5"), whole_bursts(2, "0.9", "90"),
          whole_bursts(1000, "0.2", "1"), whole_bursts(16, "0.8", "4000")}) {
      const double r = numeric::nearest_double(source.on_rate), a = numeric::nearest_double(source.start),
                   b = numeric::nearest_double(source.stop), s = numeric::nearest_double(share);
      const double z = std::exp(exponent), w = 1 - r + r * z;
      const DirectedChances chances = tilted(source, share, exponent);
      const double l = std::exp(chances.log_eigenvalue), f = std::exp(chances.log_here),
                   h = std::exp(chances.log_elsewhere);
      CAPTURE(exponent, r, a, b, s);
      CHECK((1 - a) + a * s * f + a * (1 - s) * h == Approx(l).epsilon(1e-12));
      CHECK(w * b + w * (1 - b) * f == Approx(l * f).epsilon(1e-12));
      CHECK(b + (1 - b) * h == Approx(l * h).epsilon(1e-12));
      CHECK(l >= 1);
      CHECK(f >= 1);
      CHECK(h <= 1);
      CHECK(chances.start * chances.here == Approx(a * s * f / l));
      CHECK(chances.start * (1 - chances.here) == Approx(a * (1 - s) * h / l).margin(1e-12));
      CHECK(1 - chances.start == Approx((1 - a) / l).margin(1e-12));
      CHECK(chances.stop_here == Approx(w * b / (l * f)));
      CHECK(1 - chances.stop_here == Approx(w * (1 - b) / l).margin(1e-12));
      CHECK(chances.stop_elsewhere == Approx(b / (l * h)));
      CHECK(1 - chances.stop_elsewhere == Approx((1 - b) / l).margin(1e-12));
      CHECK(chances.on_rate == Approx(r * z / w));
    }
  // If nearly all bursts come here, it is that of sources all of whose packets do.
  const traffic::OnOff source = whole_bursts(2, "0.3", "7").source;
  const DirectedChances nearly =
      tilted(source, Rational(1) - Rational(1) / numeric::pow(numeric::Integer(10), 12), 0.2);
  const OnOffChances all = tilted(source, 0.2);
  CHECK(nearly.log_eigenvalue == Approx(all.log_eigenvalue).epsilon(1e-10));
  CHECK(nearly.log_here == Approx(all.log_eigenvector).epsilon(1e-10));
  // The decay rate at which the exact tails fall: P(Q > 526) / P(Q > 525).
  const BurstySource four = whole_bursts(4, "0.6", "16");
  CHECK(decay_exponent(std::span(&four, 1)) == Approx(-std::log(9.8090758745 / 10.182224076)).epsilon(1e-6));
}

TEST_CASE("rare bursty queue: bursts of independent slots decay as Bernoulli sources do") {
  // alpha + beta = 1 at a burst of 1 / (1 - load).
  const BurstySource sources = leaves(16, "0.9", "10");
  const network::SourceRate plain{parse_rational("0.9", "load") / 16, 16};
  CHECK(decay_exponent(std::span(&sources, 1)) ==
        Approx(decay_exponent(std::span(&plain, 1))).epsilon(1e-12));
}

// Within 5 deviations of exact distributions, 4 times 5: a correct program fails with probability 2e-5.
TEST_CASE("rare bursty queue: numbers of sources have binomial distributions") {
  for (const std::int64_t count : {1, 2, 32, 4096}) {
    const OnOffChances chances{.on_rate = 0.3, .start = 0.15, .stop = 0.1};
    OnCount sources(count, chances);
    const auto on = static_cast<std::int32_t>((count + 1) / 2);
    RandomStream random({7, 0}, 0, 0);
    constexpr double draws = 40'000;
    double packets = 0, next = 0, squares = 0;
    const double mean = on * 0.9 + static_cast<double>(count - on) * 0.15;
    const double variance = on * 0.09 + static_cast<double>(count - on) * 0.15 * 0.85;
    for (int i = 0; i < static_cast<int>(draws); ++i) {
      packets += sources.packets(on, random.next());
      const double drawn = sources.next(on, random.next());
      REQUIRE((drawn >= 0 && drawn <= static_cast<double>(count)));
      next += drawn;
      squares += (drawn - mean) * (drawn - mean);
    }
    CAPTURE(count);
    CHECK(std::abs(packets - draws * on * 0.3) < 5 * std::sqrt(draws * on * 0.21));
    CHECK(std::abs(next - draws * mean) < 5 * std::sqrt(draws * variance));
    // The fourth moment of a sum of independent signs is at most 3 var^2 + var.
    CHECK(std::abs(squares - draws * variance) < 5 * std::sqrt(draws * (2 * variance * variance + variance)));
    double stationary = 0;
    for (int i = 0; i < 400; ++i) stationary += sources.stationary(random.next());
    CHECK(std::abs(stationary - 400 * static_cast<double>(count) * 0.6) <
          5 * std::sqrt(400 * static_cast<double>(count) * 0.24));
  }
}

// Within 5 deviations, 4 times 6: a correct program fails with probability 2e-5.
TEST_CASE("rare bursty queue: numbers of sources ON here and elsewhere have the right distributions") {
  for (const std::int32_t count : {1, 2, 32, 4096}) {
    const DirectedChances chances{
        .on_rate = 0.3, .start = 0.15, .here = 0.25, .stop_here = 0.1, .stop_elsewhere = 0.2};
    DirectedCount sources(count, chances);
    const DirectedCount::State on{(count + 1) / 2, count / 4};
    const double off = count - on.here - on.elsewhere, here = on.here, elsewhere = on.elsewhere;
    RandomStream random({8, 0}, 0, 0);
    constexpr int draws = 40'000;
    double packets = 0, come = 0, go = 0, both = 0, at_first_here = 0, at_first_elsewhere = 0;
    const double mean_here = here * 0.9 + off * 0.0375, mean_elsewhere = elsewhere * 0.8 + off * 0.1125;
    const double variance_here = here * 0.09 + off * 0.0375 * 0.9625,
                 variance_elsewhere = elsewhere * 0.16 + off * 0.1125 * 0.8875;
    for (int i = 0; i < draws; ++i) {
      packets += sources.packets(on, random);
      const DirectedCount::State next = sources.next(on, random);
      REQUIRE((next.here >= 0 && next.elsewhere >= 0 && next.here + next.elsewhere <= count));
      come += next.here - mean_here;
      go += next.elsewhere - mean_elsewhere;
      both += (next.here - mean_here) * (next.elsewhere - mean_elsewhere);
      if (i < 400) {
        const DirectedCount::State start = sources.stationary(random);
        at_first_here += start.here;
        at_first_elsewhere += start.elsewhere;
      }
    }
    CAPTURE(count);
    CHECK(std::abs(packets - draws * here * 0.3) < 5 * std::sqrt(draws * here * 0.21));
    CHECK(std::abs(come) < 5 * std::sqrt(draws * variance_here) + 1e-9);
    CHECK(std::abs(go) < 5 * std::sqrt(draws * variance_elsewhere) + 1e-9);
    // A source that turns ON does so here or elsewhere: the covariance is negative.
    CHECK(std::abs(both + draws * off * 0.0375 * 0.1125) <
          5 * std::sqrt(draws * (3 * variance_here * variance_elsewhere + variance_here)) + 1e-9);
    // Here 0.0375 / 0.1, elsewhere 0.1125 / 0.2, OFF 1, divided by their sum.
    const double p = 0.375 / 1.9375, o = 0.5625 / 1.9375;
    CHECK(std::abs(at_first_here - 400 * count * p) < 5 * std::sqrt(400 * count * p * (1 - p)));
    CHECK(std::abs(at_first_elsewhere - 400 * count * o) < 5 * std::sqrt(400 * count * o * (1 - o)));
  }
}

// --- Against known values --------------------------------------------------------------------------------

TEST_CASE(
    "rare bursty queue: 32 inputs, load 0.6, bursts of 16: known values, and buffers for 1e-6 .. 1e-15") {
  const BurstySource sources = leaves(32, "0.6", "16");
  check_holds(estimated({sources, RareEvent::overflow, 6}, 200'000, 1, sure), 3.3217e-3);
  check_holds(estimated({sources, RareEvent::overflow, 12}, 200'000, 2, sure), 2.0789e-5);
  for (const auto& [target, capacity] : {std::pair{1e-6, 16}, {1e-9, 24}, {1e-12, 33}, {1e-15, 41}}) {
    CAPTURE(target, capacity);
    const auto at = estimated({sources, RareEvent::overflow, capacity}, 100'000, 3, sure);
    const auto below = estimated({sources, RareEvent::overflow, capacity - 1}, 100'000, 4, sure);
    CHECK(at.probability.upper < target);
    CHECK(below.probability.lower > target);
    CHECK(at.relative_width() < 0.1);
  }
}

TEST_CASE("rare bursty queue: independent slots give the exact queue of Bernoulli sources") {
  // 9 comparisons, 1e-3 in total.
  for (const long inputs : {2L, 16L, 64L})
    for (const std::int64_t level : {3, 20, 40}) {
      CAPTURE(inputs, level);
      check_holds(estimated({leaves(inputs, "0.6", "2.5"), RareEvent::overflow, level}, 60'000, 5, sure),
                  bernoulli_tail(inputs, "0.6", level));
    }
}

TEST_CASE("rare bursty queue: two sources against their chain") {
  // 12 comparisons, 1.2e-3 in total.
  for (const auto& [load, burst, on_rate] :
       {std::tuple{"0.5", "8", "1"}, {"0.7", "5", "1"}, {"0.4", "20", "0.8"}, {"0.2", "1.25", "0.9"}})
    for (const std::int64_t level : {2, 8, 14}) {
      const BurstySource sources = leaves(2, load, burst, on_rate);
      CAPTURE(load, burst, on_rate, level);
      check_holds(estimated({sources, RareEvent::overflow, level}, 60'000, 6, sure),
                  chain_tail(sources.source, level, 80));
    }
}

TEST_CASE("rare bursty queue: per-burst destinations, 4 inputs: known values, 1e-9 and 1e-12") {
  // From the exact chain; the last one by the decay rate from P(Q > 526).
  const BurstySource sources = whole_bursts(4, "0.6", "16");
  const double far = 9.8090758745e-10 * std::pow(9.8090758745 / 10.182224076, 200);
  CHECK(far < 1e-12);
  for (const auto& [level, exact] : {std::pair{525, 1.0182224076e-9}, {526, 9.8090758745e-10}, {726, far}}) {
    CAPTURE(level);
    const auto estimate = estimated({sources, RareEvent::overflow, level}, 400'000, 1, sure);
    check_holds(estimate, exact);
    CHECK(estimate.relative_width() < 0.2);
  }
}

TEST_CASE("rare bursty queue: two sources with per-burst destinations, against their chain") {
  // 9 comparisons, 1e-3 in total.
  for (const auto& [load, burst, on_rate] :
       {std::tuple{"0.4", "4", "1"}, {"0.5", "3", "1"}, {"0.4", "5", "0.8"}})
    for (const std::int64_t level : {1, 8, 20}) {
      const BurstySource sources = whole_bursts(2, load, burst, on_rate);
      CAPTURE(load, burst, on_rate, level);
      check_holds(estimated({sources, RareEvent::overflow, level}, 200'000, 6, sure),
                  directed_chain_tail(sources, level, 110));
    }
}

TEST_CASE("rare bursty queue: bursts of one packet are the same for both kinds of destinations") {
  for (const std::int64_t level : {2, 5, 9}) {
    CAPTURE(level);
    const auto whole =
        estimated({whole_bursts(4, "0.3", "1"), RareEvent::overflow, level}, 200'000, 3, sure).probability;
    const auto per_packet =
        estimated({leaves(4, "0.3", "1"), RareEvent::overflow, level}, 200'000, 4, sure).probability;
    CHECK(whole.lower <= per_packet.upper);
    CHECK(per_packet.lower <= whole.upper);
  }
}

TEST_CASE("rare bursty queue: waits match packets, and losses match a simulated buffer") {
  const BurstySource sources = leaves(4, "0.7", "10");
  // A packet that waits more than w slots is served in a slot with Q > w + 1 seen one by one: P(Q > w+1) /
  // load.
  const auto wait = estimated({sources, RareEvent::wait, 9}, 100'000, 7, sure);
  const auto overflow = estimated({sources, RareEvent::overflow, 10}, 100'000, 8, sure);
  CHECK(wait.probability.lower * 0.7 <= overflow.probability.upper);
  CHECK(overflow.probability.lower <= wait.probability.upper * 0.7);

  // A buffer of 4, slot by slot.
  OnCount leaves_on(4, tilted(sources.source, 0));
  RandomStream random({9, 0}, 0, 0);
  double came = 0, lost = 0;
  std::int32_t on = leaves_on.stationary(random.next());
  std::int64_t queue = 0;
  for (int slot = 0; slot < 4'000'000; ++slot) {
    const std::int32_t packets = leaves_on.packets(on, random.next());
    on = leaves_on.next(on, random.next());
    queue = std::max<std::int64_t>(queue - 1, 0) + packets;
    came += packets;
    lost += static_cast<double>(std::max<std::int64_t>(queue - 4, 0));
    queue = std::min<std::int64_t>(queue, 4);
  }
  const auto loss = estimated({sources, RareEvent::loss, 4}, 400'000, 10, sure);
  CAPTURE(lost / came, loss.probability.value, loss.relative_width());
  CHECK(loss.probability.value == Approx(lost / came).epsilon(0.05));
}

/// 200 intervals of 95 %: outside in 10 +- 3.1 cases; 60 of them: more than 9 with probability 1e-3.
TEST_CASE("rare bursty queue: intervals cover the exact value of a chain") {
  const BurstySource sources = leaves(2, "0.6", "12");
  const double exact = chain_tail(sources.source, 12, 100);
  int inside = 0;
  double bias = 0;
  for (int i = 0; i < 60; ++i) {
    const auto estimate =
        estimated({sources, RareEvent::overflow, 12}, 20'000, 100 + static_cast<std::uint64_t>(i), 0.95)
            .probability;
    inside += estimate.lower <= exact && exact <= estimate.upper;
    bias += 2 * (estimate.value - exact) / ((estimate.upper - estimate.lower) / 2) / std::sqrt(60.0);
  }
  CAPTURE(inside, bias);
  CHECK(inside >= 51);
  CHECK(std::abs(bias) < 3.5);
}

// --- Independence of threads and splitting ----------------------------------------------------------------

TEST_CASE("rare bursty queue: results do not depend on threads, splitting or resuming") {
  const bool stay = GENERATE(false, true);
  const RareBurstyQueueModel model{stay ? whole_bursts(5, "0.7", "12") : leaves(5, "0.7", "12"),
                                   RareEvent::overflow, 20};
  const RunPlan plan = rare_bursty_queue_plan(model, 4000, 9);
  CHECK(run_rare_bursty_queue(model, plan).batches ==
        run_rare_bursty_queue(model, plan, {.threads = 3}).batches);

  const auto whole = make_rare_bursty_queue_replication(model, {9, 0}),
             start = make_rare_bursty_queue_replication(model, {9, 0});
  whole->advance(500);
  std::string bytes;
  const auto* from = &start;
  std::unique_ptr<Replication> cut;
  for (int i = 0; i < 5; ++i) {
    (*from)->advance(i < 4 ? 37 : 500 - 4 * 37);
    ByteWriter writer;
    (*from)->save(writer);
    bytes = writer.take();
    cut = make_rare_bursty_queue_replication(model, {9, 0});
    from = &cut;
    ByteReader reader(bytes);
    cut->load(reader);
    REQUIRE(reader.at_end());
  }
  const Counts counts = whole->take_counts();
  CHECK(counts == cut->take_counts());
  CHECK(counts[RareBurstyRows::cycles] == std::vector<std::uint64_t>{500});
  CHECK(counts[RareBurstyRows::hits][0] > 0);
  for (std::size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 20) {
    ByteReader cut_short(std::string_view(bytes).substr(0, length));
    CHECK_THROWS_AS(cut->load(cut_short), ParseError);
  }
}

TEST_CASE("rare bursty queue: invalid parameters are rejected") {
  const auto make = [](const RareBurstyQueueModel& model) {
    return make_rare_bursty_queue_replication(model, {});
  };
  const BurstySource sources = leaves(4, "0.5", "8");
  CHECK_NOTHROW(make({sources, RareEvent::wait, 0}));
  CHECK_THROWS_AS(make({sources, RareEvent::overflow, 0}), InvalidArgument);
  CHECK_THROWS_AS(make({sources, RareEvent::wait, -1}), InvalidArgument);
  CHECK_THROWS_AS(make({{sources.source, 0}, RareEvent::overflow, 3}), InvalidArgument);
  CHECK_THROWS_AS(make({{sources.source, 1}, RareEvent::overflow, 3}), NoAnswer);
  CHECK_THROWS_AS(make({{sources.source, 8}, RareEvent::overflow, 3}), Unstable);
  // Bursts of one slot: two sources send no more than two packets in two slots.
  CHECK_THROWS_AS(make({leaves(2, "0.2", "1"), RareEvent::overflow, 3}), NoAnswer);
  CHECK_THROWS_AS(make({whole_bursts(2, "0.2", "1"), RareEvent::overflow, 3}), NoAnswer);
  CHECK_THROWS_AS(make({{sources.source, 4, 0}, RareEvent::overflow, 3}), InvalidArgument);
  CHECK_THROWS_AS(make({{sources.source, 4, Rational(3) / 2}, RareEvent::overflow, 3}), InvalidArgument);
  CHECK_THROWS_AS(make({whole_bursts(5000, "0.5", "8"), RareEvent::overflow, 3}), InvalidArgument);
  CHECK_THROWS_AS(make({leaves(5000, "0.5", "8"), RareEvent::overflow, 3}), InvalidArgument);
  CHECK_THROWS_AS(make({leaves(4, "0.5", "1"), RareEvent::overflow, 3}), InvalidArgument);
  CHECK_THROWS_AS(make({sources, RareEvent::overflow, 100'000}), LimitExceeded);
}

}  // namespace
}  // namespace tailbound::sim
