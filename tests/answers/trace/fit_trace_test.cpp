#include <tailbound/answers/trace/fit_trace.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using answers::FitAnswer;
using answers::FitQuery;
using traffic::TakePacket;
using traffic::TracePacket;
using traffic::TraceSource;

namespace {

constexpr std::int64_t cell = 64, slot = 512;  // 1 Gbit/s: 512 ns

/// Cells of each slot, from the given number of inputs.
using SlotOf = std::function<int(std::int64_t)>;

FitQuery query_of(std::int64_t slots, SlotOf cells_in) {
  FitQuery query{.file = "synthetic", .packets = {}, .link_gbps = 1, .cell_bytes = cell};
  query.packets = [slots, cells_in = std::move(cells_in)](const TakePacket& take) {
    for (std::int64_t t = 0; t < slots; ++t)
      for (int i = cells_in(t); i > 0; --i) take({.time = numeric::Rational(t * slot), .bytes = cell});
    return TraceSource{};
  };
  return query;
}

/// On-off inputs with lengths drawn by `on` and `off`; when on, one cell per slot with probability `rate`.
SlotOf inputs_of(std::uint64_t seed, int inputs, double rate, std::function<int(std::mt19937_64&)> on,
                 std::function<int(std::mt19937_64&)> off) {
  struct Input {
    bool is_on = false;
    int left = 0;
  };
  return [random = std::mt19937_64(seed), all = std::vector<Input>(static_cast<std::size_t>(inputs)), rate,
          on = std::move(on), off = std::move(off)](std::int64_t) mutable {
    int cells = 0;
    for (Input& input : all) {
      while (input.left == 0) {
        input.is_on = !input.is_on;
        input.left = input.is_on ? on(random) : off(random);
      }
      --input.left;
      if (input.is_on && std::uniform_real_distribution<double>(0, 1)(random) < rate) ++cells;
    }
    return cells;
  };
}

std::function<int(std::mt19937_64&)> geometric(double mean) {
  return [mean](std::mt19937_64& random) { return 1 + std::geometric_distribution<int>(1 / mean)(random); };
}
std::function<int(std::mt19937_64&)> geometric_from_0(double mean) {
  return [mean](std::mt19937_64& random) { return std::geometric_distribution<int>(1 / (1 + mean))(random); };
}

SlotOf bernoulli_trace(std::uint64_t seed) {
  return [random = std::mt19937_64(seed)](std::int64_t) mutable {
    return std::binomial_distribution<int>(8, 0.7 / 8)(random);
  };
}
SlotOf on_off_trace(std::uint64_t seed) {
  return inputs_of(seed, 8, 0.5, geometric(10), geometric(70));  // load 0.5
}
SlotOf imix_trace(std::uint64_t seed) {
  const auto train = [](std::mt19937_64& random) {
    const auto draw = random() % 12;
    return draw < 7 ? 1 : draw < 11 ? 10 : 24;
  };
  return inputs_of(seed, 8, 1, train, geometric_from_0(71.0 / 12 * 12.3));  // load 0.6
}
SlotOf pareto_trace(std::uint64_t seed) {
  const auto pareto = [](std::mt19937_64& random) {
    const double u = std::uniform_real_distribution<double>(1e-12, 1)(random);
    return static_cast<int>(std::min(1e8, std::ceil(5 * std::pow(u, -1 / 1.3))));
  };
  return inputs_of(seed, 8, 1, pareto, geometric(270));
}

void check_short_traces(int count) {
  std::mt19937_64 random(11);
  int verdicts = 0;
  for (int trial = 0; trial < count; ++trial) {
    std::vector<TracePacket> packets;
    std::int64_t time = 0;
    for (auto left = 2 + random() % 30; left > 0; --left) {
      time += static_cast<std::int64_t>(random() % (random() % 3 == 0 ? 1'000'000 : 2000));
      packets.push_back(
          {.time = numeric::Rational(time), .bytes = static_cast<std::int64_t>(1 + random() % 3000)});
    }
    FitQuery query{.file = "short", .packets = {}, .link_gbps = 1, .cell_bytes = cell, .inputs = 3};
    query.packets = [packets](const TakePacket& take) {
      for (const TracePacket& packet : packets) take(packet);
      return TraceSource{};
    };
    try {
      const FitAnswer found = answers::answer(query);
      CHECK_FALSE(found.trusted());
      ++verdicts;
      if (found.fit.sources) CHECK(found.fit.sources->burst() <= static_cast<double>(found.slots));
      CHECK_NOTHROW(answers::fitted_traffic(answers::traffic_file(query, found), "f"));
    } catch (const NoAnswer&) {
    }
  }
  CHECK(verdicts > count / 6);
}

}  // namespace

TEST_CASE("fit: Bernoulli, on-off and trains of IMIX are trusted, Pareto bursts are not", "[fit]") {
  struct Row {
    const char* name;
    SlotOf (*trace)(std::uint64_t);
    std::int64_t slots;
    bool trusted, sources;
  };
  for (const Row& row :
       {Row{"Bernoulli", bernoulli_trace, 300'000, true, false},
        Row{"on-off", on_off_trace, 1'000'000, true, true}, Row{"IMIX", imix_trace, 1'500'000, true, true},
        Row{"Pareto", pareto_trace, 1'500'000, false, true}}) {
    // A good model fails occasionally, as intervals do: 57 of 60 such traces were trusted, none of 20 Pareto
    // ones.
    int trusted = 0;
    std::string seen = row.name;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      FitQuery query = query_of(row.slots, row.trace(seed));
      if (row.sources) query.inputs = 8;
      const FitAnswer found = answers::answer(query);
      trusted += found.trusted() ? 1 : 0;
      for (const auto& test : found.tests)
        seen += std::string(" ") + name_of(test.kind) + " " + std::to_string(test.measured) +
                (test.passed ? "" : " missed");
      if (row.trusted) CHECK(found.fit.sources.has_value() == row.sources);
    }
    INFO(seen);
    CHECK(trusted >= (row.trusted ? 2 : 0));
    CHECK(trusted <= (row.trusted ? 3 : 0));
  }
}

TEST_CASE("fit: parameters of on-off sources are recovered", "[fit]") {
  FitQuery query = query_of(1'000'000, on_off_trace(3));
  query.inputs = 8;
  const FitAnswer found = answers::answer(query);
  REQUIRE(found.fit.sources);
  CHECK(found.load == Approx(0.5).epsilon(0.03));
  CHECK(found.fit.sources->burst() == Approx(10).epsilon(0.25));
  CHECK(found.fit.sources->on_rate == Approx(0.5).epsilon(0.2));
}

TEST_CASE("fit: its output is read back as the same traffic", "[fit]") {
  FitQuery query = query_of(400'000, on_off_trace(3));
  query.inputs = 8;
  const FitAnswer found = answers::answer(query);
  const auto read =
      std::get<answers::Blocks>(answers::fitted_traffic(answers::traffic_file(query, found), "f").source);
  CHECK(numeric::nearest_double(read.arrivals.load()) ==
        Approx(found.fit.sources->load * static_cast<double>(found.fit.sources->count)).epsilon(1e-8));
  const FitQuery plain = query_of(200'000, bernoulli_trace(3));
  const FitAnswer slots = answers::answer(plain);
  const auto pmf = std::get<answers::Probabilities>(
      answers::fitted_traffic(answers::traffic_file(plain, slots), "f").source);
  CHECK(numeric::nearest_double(*pmf.arrivals.load()) == Approx(slots.load).epsilon(1e-12));
  CHECK_THROWS_AS(answers::fitted_traffic("{}", "f"), ParseError);
  CHECK_THROWS_AS(answers::fitted_traffic(R"({"trusted": true, "sources": {"count": 0}})", "f"), ParseError);
  CHECK_THROWS_AS(answers::fitted_traffic("x", "f"), ParseError);
  // Rationals are in quotes: a JSON number would be a double.
  CHECK_THROWS_WITH(
      answers::fitted_traffic(
          R"({"trusted": true, "sources": {"count": 2, "load": 0.1, "on_rate": "1", "burst": "5"}})", "f"),
      Catch::Contains("in quotes"));
  // Counts that do not sum to the slots are normalized only on request.
  const std::string counts = R"({"trusted": true, "slots": 100, "slots_with_so_many_cells": [60, 19, 20]})";
  CHECK_THROWS_WITH(answers::fitted_traffic(counts, "f"), Catch::Contains("--normalize"));
  const auto given =
      std::get<answers::Probabilities>(answers::fitted_traffic(counts, "f", answers::Normalise::yes).source);
  CHECK(*given.arrivals.load() == numeric::Rational(59) / 99);
  CHECK(given.sum == numeric::Rational(99) / 100);
  CHECK(answers::fitted_traffic(counts, "f", answers::Normalise::yes).trusted_fit == true);
}

TEST_CASE("fit: short traces have a verdict or a reason, never an invalid model", "[fit]") {
  check_short_traces(40);
}

TEST_CASE("fit: many short traces have a verdict or a reason", "[.full]") {
  check_short_traces(300);
}

TEST_CASE("fit: a change of units changes nothing", "[fit]") {
  const auto scaled = [](const numeric::Rational& factor) {
    FitQuery query = query_of(60'000, on_off_trace(5));
    query.packets = [its = query.packets, factor](const TakePacket& take) {
      return its([&](TracePacket packet) {
        packet.time = packet.time * factor;
        take(packet);
      });
    };
    query.link_gbps = 1 / factor;
    query.buffers = {Packets(2), Packets(9)};
    return answers::answer(query);
  };
  const FitAnswer one = scaled(1);
  for (const numeric::Rational& factor :
       {numeric::Rational(100), numeric::Rational(1) / 400, numeric::Rational(3) / 7}) {
    const FitAnswer other = scaled(factor);
    CHECK(other.slots == one.slots);
    CHECK(other.counts == one.counts);
    CHECK(other.played[0].lost == one.played[0].lost);
    CHECK(other.played[1].lost == one.played[1].lost);
    CHECK(other.fit.sources->burst() == one.fit.sources->burst());
    CHECK(other.stamps.resolution == one.stamps.resolution * factor);
  }
}

TEST_CASE("fit: one link, overload, disorder, coarse stamps and buffers", "[fit]") {
  CHECK_THROWS_WITH(answers::answer(query_of(1000, [](std::int64_t t) { return t % 2 == 0 ? 1 : 0; })),
                    Catch::Contains("one link"));
  CHECK_THROWS_WITH(answers::answer(query_of(1000, [](std::int64_t t) { return t % 2 == 0 ? 3 : 0; })),
                    Catch::Contains("the queue is unstable"));
  FitQuery lone = query_of(1, [](std::int64_t) { return 1; });
  lone.packets = [](const TakePacket& take) {
    take({.time = 100, .bytes = 64});
    return TraceSource{};
  };
  CHECK_THROWS_WITH(answers::answer(lone), Catch::Contains("only one packet"));
  FitQuery sparse = lone;
  sparse.packets = [](const TakePacket& take) {
    take({.time = 100, .bytes = 64});
    take({.time = numeric::Rational(1'000'000'000'000'000), .bytes = 64});
    return TraceSource{};
  };
  CHECK_THROWS_WITH(answers::answer(sparse), Catch::Contains("--time-unit"));
  FitQuery disorder = query_of(1, [](std::int64_t) { return 1; });
  disorder.window = 1;
  disorder.packets = [](const TakePacket& take) {
    for (const int time : {100, 101, 99}) take({.time = time, .bytes = 64});
    return TraceSource{};
  };
  CHECK_THROWS_WITH(answers::answer(disorder), Catch::Contains("packet 3") && Catch::Contains("2 ns before"));
  // Four packets have a verdict, which is no.
  FitQuery four = query_of(1, [](std::int64_t) { return 1; });
  four.packets = [](const TakePacket& take) {
    for (const auto& [time, bytes] :
         {std::pair{563'440, 1500}, {564'560, 100}, {565'520, 65}, {1'742'960, 100}})
      take({.time = time, .bytes = bytes});
    return TraceSource{};
  };
  CHECK_FALSE(answers::answer(four).trusted());
  // Timestamps with a resolution of 8 slots.
  FitQuery coarse = query_of(40'000, bernoulli_trace(1));
  coarse.packets = [its = coarse.packets](const TakePacket& take) {
    return its([&](TracePacket packet) {
      packet.time = numeric::floor(packet.time / (8 * slot)) * (8 * slot);
      take(packet);
    });
  };
  CHECK(answers::answer(coarse).coarse_stamps);
  FitQuery fine = query_of(40'000, bernoulli_trace(1));
  fine.buffers = {Packets(2), Packets(1000)};
  const FitAnswer played = answers::answer(fine);
  CHECK_FALSE(played.coarse_stamps);
  REQUIRE(played.played.size() == 2);
  CHECK(played.played[0].lost > 0);
  CHECK(played.played[1].lost == 0);
}

namespace {

/// Packets of 64 and 1500 bytes at random times, with a load of 0.8 of 1 Gbit/s.
std::vector<TracePacket> mixed_packets(std::size_t count, std::int64_t link) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> gap(0.8 / (782 * 8));
  std::vector<TracePacket> packets;
  double time = 1e6;
  for (std::size_t i = 0; i < count; ++i) {
    time += gap(random);
    packets.push_back({.time = numeric::Rational(static_cast<std::int64_t>(time)),
                       .bytes = random() % 2 == 0 ? 64 : 1500,
                       .link = link});
  }
  return packets;
}

FitQuery query_with(std::vector<TracePacket> packets) {
  FitQuery query{.file = "mixed", .packets = {}, .link_gbps = 1};
  query.packets = [packets = std::move(packets)](const TakePacket& take) {
    for (const TracePacket& packet : packets) take(packet);
    return TraceSource{};
  };
  return query;
}

/// Fraction of the time in which more than `bytes` wait in a queue in continuous time.
double direct_tail(const std::vector<TracePacket>& packets, double bytes) {
  double waiting = 0, above = 0;
  constexpr double ns_per_byte = 8;
  for (std::size_t i = 0; i + 1 < packets.size(); ++i) {
    waiting += static_cast<double>(packets[i].bytes);
    const double gap = numeric::nearest_double(packets[i + 1].time - packets[i].time);
    above += std::clamp((waiting - bytes) * ns_per_byte, 0.0, gap);
    waiting = std::max(waiting - gap / ns_per_byte, 0.0);
  }
  return above / numeric::nearest_double(packets.back().time - packets.front().time);
}

}  // namespace

TEST_CASE("fit: load and queue in bytes do not depend on the cell", "[fit]") {
  const std::vector<TracePacket> packets = mixed_packets(40'000, -1);
  for (const std::optional<std::int64_t> cell :
       {std::optional<std::int64_t>(64), std::optional<std::int64_t>(200), std::optional<std::int64_t>(1500),
        std::optional<std::int64_t>()}) {
    FitQuery query = query_with(packets);
    query.cell_bytes = cell;
    const FitAnswer found = answers::answer(query);
    const auto bytes = static_cast<double>(found.cell_bytes);
    INFO("cells of " << bytes << " bytes");
    if (!cell) CHECK(bytes == Approx(782).margin(20));
    CHECK(found.load == Approx(0.8).epsilon(0.03));
    CHECK(std::abs(static_cast<double>(found.longest) * bytes - found.longest_bytes) < 2 * bytes);
    for (const answers::FittedTail& tail : found.tails) {
      const double level = static_cast<double>(tail.trace.level) * bytes;
      CHECK(tail.trace.probability <= direct_tail(packets, level - 2 * bytes) * 1.01 + 1e-4);
      CHECK(tail.trace.probability >= direct_tail(packets, level + 2 * bytes) * 0.99 - 1e-4);
    }
  }
}

TEST_CASE("fit: packets of one time on one link are spaced, and the fit is not trusted", "[fit]") {
  std::vector<TracePacket> packets = mixed_packets(20'000, 0);
  FitQuery exact = query_with(packets);
  exact.buffers = {Packets(20)};
  exact.cell_bytes = 500;
  const FitAnswer right = answers::answer(exact);
  CHECK(right.tests.back().passed);
  // A card that reads the clock once per 16 packets, after the last of them.
  for (std::size_t i = 0; i < packets.size(); ++i) packets[i].time = packets[i / 16 * 16 + 15].time;
  FitQuery batches = query_with(packets);
  batches.buffers = exact.buffers;
  batches.cell_bytes = exact.cell_bytes;
  const FitAnswer found = answers::answer(batches);
  CHECK_FALSE(found.trusted());
  REQUIRE(found.tests.back().kind == answers::FitTest::Kind::times);
  CHECK((!found.tests.back().passed && found.tests.back().measured == Approx(16)));
  CHECK(found.times.distinct == 1250);
  CHECK(found.times.largest == 16);
  REQUIRE(found.played.front().lost_together);
  CHECK(found.played.front().lost < right.played.front().lost);
  CHECK(right.played.front().lost < *found.played.front().lost_together);
  // A faster link makes them arrive more nearly together.
  batches.input_gbps = 1000;
  const FitAnswer fast = answers::answer(batches);
  CHECK(fast.played.front().lost > right.played.front().lost);
  // Without times.
  for (TracePacket& packet : packets) packet.time = 0;
  CHECK_THROWS_WITH(answers::answer(query_with(packets)),
                    Catch::Contains("same time") && Catch::Contains("Simple Packet Blocks"));
}

TEST_CASE("fit: disorder is sorted, framing is part of the load, and progress is shown", "[fit]") {
  std::vector<TracePacket> packets = mixed_packets(70'000, -1);
  const FitAnswer sorted = answers::answer(query_with(packets));
  for (std::size_t i = 0; i + 3 < packets.size(); i += 50) std::swap(packets[i], packets[i + 3]);
  FitQuery query = query_with(packets);
  query.read_so_far = [] { return 0.25; };
  double shown = 0;
  answers::Run run;
  run.progress = [&](double done, double) { shown = done; };
  const FitAnswer found = answers::answer(query, run);
  CHECK(shown == 0.25);
  CHECK(found.times.late > 1400);
  CHECK(found.longest_bytes == sorted.longest_bytes);
  CHECK(found.load == sorted.load);
  std::string text = "time,bytes\n";
  for (int i = 0; i < 400; ++i) text += std::to_string(i / 2 * 4000) + ",60\n";
  for (const std::int64_t framing : {0, 24}) {
    FitQuery csv{.file = "csv", .packets = {}, .link_gbps = 1};
    csv.packets =
        answers::csv_packets("csv", traffic::TimeUnit::ns, framing, [&](const auto& take) { take(text); });
    const FitAnswer read = answers::answer(csv);
    CHECK(read.cell_bytes == 60 + framing);
    CHECK(read.source.framing == framing);
    CHECK(read.load == Approx(2 * 8 * static_cast<double>(60 + framing) / 4000).epsilon(0.02));
  }
}
