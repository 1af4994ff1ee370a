#include <tailbound/bounds/network/network_delay.hpp>

#include <tailbound/series/distribution.hpp>

#include <catch2/catch.hpp>
#include <tailbound/numeric/real.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/rational.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace tailbound;
using bounds::DelayAnswer;
using bounds::DelayQuery;
using bounds::PathDelay;
using numeric::Rational;
using queue::HopDelay;
using queue::SlottedQueue;
using test::Fraction;
using test::rational;

/// One line of data/reference/path_delay.csv.
struct Row {
  std::string query, radix, levels, load, sources, routing, delay, argument, value;

  [[nodiscard]] std::string model() const {
    return radix + "," + levels + "," + load + "," + sources + "," + routing + "," + delay;
  }
};

/// The lines of a file of data/reference, split at commas, without comments and header.
std::vector<std::vector<std::string>> read_lines(const std::string& name, std::size_t columns) {
  std::ifstream file(std::string(TAILBOUND_DATA_DIR) + "/reference/" + name);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string>& fields = lines.emplace_back();
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    REQUIRE(fields.size() == columns);
  }
  REQUIRE(lines.size() > 1);
  lines.erase(lines.begin());
  return lines;
}

std::vector<Row> read_rows(const std::string& name) {
  std::vector<Row> rows;
  for (const auto& f : read_lines(name, 9))
    rows.push_back({f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]});
  return rows;
}

bounds::TreeDelay tree_of(const std::string& radix, const std::string& levels, const std::string& load,
                          const std::string& sources, const std::string& routing) {
  return bounds::tree_delay(
      {std::stol(radix), std::stoi(levels)}, numeric::parse_rational(load, "load"),
      routing == "random-root" ? network::TreeRouting::random_root : network::TreeRouting::nearest_ancestor,
      sources == "decoupled" ? network::Sources::independent_sources : network::Sources::first_hop);
}

bounds::TreeDelay tree_of(const Row& row) {
  return tree_of(row.radix, row.levels, row.load, row.sources, row.routing);
}

HopDelay hop_delay_of(const std::string& name) {
  return name == "wait" ? HopDelay::wait : HopDelay::occupancy;
}

}  // namespace

TEST_CASE("Delays through trees: reference values from PARI/GP", "[bounds][delay]") {
  std::map<std::string, std::vector<Row>> models;
  for (const Row& row : read_rows("path_delay.csv")) models[row.model()].push_back(row);
  REQUIRE(models.size() >= 30);
  int ccdf = 0, percentiles = 0, means = 0;
  Rational deepest = 1;
  std::size_t longest = 0;
  for (const auto& [name, rows] : models) {
    INFO(name);
    const bounds::TreeDelay tree = tree_of(rows.front());
    bounds::PathDelay delays(tree.network.queues, rows.front().delay == "wait" ? queue::HopDelay::wait
                                                                               : queue::HopDelay::occupancy);
    bounds::DelayQuery query;
    for (const Row& row : rows) {
      if (row.query == "ccdf") query.levels.emplace_back(std::stol(row.argument));
      if (row.query == "percentile")
        query.percentiles.push_back(numeric::parse_rational(row.argument, "percentile") / 100);
    }
    const bounds::DelayAnswer answer = delays.answer(tree.routes, query);
    std::size_t level = 0, percentile = 0;
    for (const Row& row : rows) {
      INFO(row.query << " " << row.argument << " " << row.value);
      if (row.query == "ccdf") {
        const Rational reference = numeric::parse_rational(row.value, "value");
        const auto enclosure = numeric::to_enclosure(answer.above[level++].probability);
        const Rational lower = numeric::to_rational(enclosure.lower()),
                       upper = numeric::to_rational(enclosure.upper());
        const Rational slack = reference * numeric::parse_rational("1e-39", "slack");
        CHECK(lower - slack <= reference);
        CHECK(reference <= upper + slack);
        const Rational middle = (lower + upper) / 2;
        CHECK(abs(middle - reference) <= reference * numeric::parse_rational("1e-12", "bar"));
        deepest = std::min(deepest, reference);
        longest = std::max(longest, std::stoul(row.argument));
        ++ccdf;
      } else if (row.query == "percentile") {
        CHECK(answer.queueing[percentile++].slots.value == std::stol(row.value));
        ++percentiles;
      } else if (row.query == "mean") {
        const auto* exact = std::get_if<numeric::Exact<unit::Slot>>(&answer.mean_queueing);
        REQUIRE(exact != nullptr);
        CHECK(exact->value == numeric::parse_rational(row.value, "value"));
        ++means;
      }
    }
  }
  CHECK(ccdf >= 200);
  CHECK(percentiles >= 200);
  CHECK(means >= 30);
  // Some rows are so deep or long that sums of doubles are tilted.
  CHECK(deepest < numeric::parse_rational("1e-250", "deep"));
  CHECK(longest >= series::transform_pays_from());
}

namespace {

Rational below_one(const char* distance) {
  return 1 - rational(distance);
}

SlottedQueue inputs(std::int64_t count, const char* load, int packets_per_slot = 1) {
  return {series::Arrivals::equal_inputs(count, rational(load)), packets_per_slot};
}

std::vector<queue::HopQueue> hop_queues(const std::vector<SlottedQueue>& queues) {
  return {queues.begin(), queues.end()};
}

/// Queues with few inputs, for exact fractions.
std::vector<SlottedQueue> small_queues(std::uint64_t seed, std::size_t count) {
  test::Random random(seed);
  std::vector<SlottedQueue> queues;
  for (std::size_t i = 0; i < count; ++i)
    queues.push_back({series::Arrivals::equal_inputs(
                          random.between(2, 5), Rational(static_cast<long>(random.between(10, 60))) / 100),
                      1});
  return queues;
}

/// Random routes whose shares are sixteenths.
std::vector<bounds::Route> random_routes(test::Random& random, std::size_t queues) {
  std::vector<bounds::Route> routes;
  for (std::int64_t left = 16; left > 0;) {
    const std::int64_t part = routes.size() == 3 ? left : random.between(1, left);
    left -= part;
    bounds::Route route;
    route.share = Rational(static_cast<long>(part)) / 16;
    for (std::int64_t hop = random.between(1, 4); hop > 0; --hop)
      route.queues.push_back(
          static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(queues) - 1)));
    routes.push_back(route);
  }
  return routes;
}

/// P(delay <= t), t < size, in fractions, from the fractions of single hops.
std::vector<Fraction> exact_at_most(const std::vector<SlottedQueue>& queues,
                                    const std::vector<bounds::Route>& routes, bool latency,
                                    std::size_t size) {
  std::vector<Fraction> result(size, Fraction(0));
  for (const bounds::Route& route : routes) {
    std::vector<Fraction> masses(size, Fraction(0));
    const std::size_t start = latency ? route.queues.size() : 0;
    if (start < size) masses[start] = 1;
    for (const std::size_t queue : route.queues) {
      const auto hop = queue::exact_hop_delay(queues[queue], HopDelay::wait, size);
      std::vector<Fraction> next(size, Fraction(0));
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; i + j < size; ++j) next[i + j] += masses[i] * test::fraction_of(hop[j]);
      masses = std::move(next);
    }
    Fraction sum = 0;
    for (std::size_t t = 0; t < size; ++t) result[t] += test::fraction_of(route.share) * (sum += masses[t]);
  }
  return result;
}

std::int64_t min_at(const std::vector<Fraction>& at_most, const Fraction& p) {
  return std::find_if(at_most.begin(), at_most.end(), [&](const Fraction& value) { return value >= p; }) -
         at_most.begin();
}

/// Checks that the percentile is correct and proved by both probabilities.
void check_percentile(const bounds::Percentile& percentile, std::int64_t expected, std::int64_t minimum) {
  CHECK(percentile.slots.value == expected);
  CHECK(percentile.at.slots.value == expected);
  const Rational target = 1 - percentile.probability;
  CHECK(numeric::surely_at_most(percentile.at.probability, target));
  REQUIRE(percentile.before.size() == (expected > minimum ? 1 : 0));
  if (expected > minimum) {
    CHECK(percentile.before.front().slots.value == expected - 1);
    CHECK(numeric::surely_above(percentile.before.front().probability, target));
  }
}

bool overlap(const numeric::Enclosure<unit::Probability>& a, const numeric::Enclosure<unit::Probability>& b) {
  return a.lower() <= b.upper() && b.lower() <= a.upper();
}

std::vector<Slots> levels_to(std::int64_t last) {
  std::vector<Slots> levels;
  for (std::int64_t t = 0; t <= last; ++t) levels.emplace_back(t);
  return levels;
}

using Float600 = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<600>,
                                               boost::multiprecision::et_off>;

/// P(W = w), w < size, with `sources` of rate `rate`: V by its balance equations, J, and W = V + J, with
/// subtractions and enough digits for them.
std::vector<Float600> plain_wait(int sources, const Float600& rate, std::size_t size) {
  std::vector<Float600> arrivals(size + 1, Float600(0));
  arrivals[0] = pow(1 - rate, sources);
  for (int j = 0; j < sources && j < static_cast<int>(size); ++j)
    arrivals[static_cast<std::size_t>(j) + 1] =
        arrivals[static_cast<std::size_t>(j)] * (sources - j) / (j + 1) * rate / (1 - rate);
  const Float600 load = rate * sources;
  std::vector<Float600> left{(1 - load) / arrivals[0]}, ahead;
  for (std::size_t v = 0; v + 1 < size; ++v) {
    Float600 rest = left[v];
    for (std::size_t i = 0; i <= v; ++i) rest -= left[i] * arrivals[v + 1 - i];
    if (v == 0) rest -= left[0] * arrivals[0];
    left.push_back(rest / arrivals[0]);
  }
  Float600 above = 1;
  for (std::size_t j = 0; j < size; ++j) ahead.push_back((above -= arrivals[j]) / load);
  std::vector<Float600> wait(size, Float600(0));
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; i + j < size; ++j) wait[i + j] += left[i] * ahead[j];
  return wait;
}

}  // namespace

TEST_CASE("Delays of single hops: reference values from PARI/GP", "[bounds][delay]") {
  int rows = 0;
  for (const auto& f : read_lines("path_delay_hops.csv", 9)) {
    const bounds::TreeDelay tree = tree_of(f[0], f[1], f[2], f[3], f[4]);
    // The hops of the packets that turn at the top.
    const bounds::Route hop{{tree.routes.back().queues.at(std::stoul(f[5]) - 1)}, 1};
    PathDelay delays(tree.network.queues, hop_delay_of(f[6]));
    const DelayAnswer answer = delays.answer(std::vector<bounds::Route>{hop},
                                             {.levels = {Slots(std::stol(f[7]))}, .percentiles = {}});
    const auto enclosure = numeric::to_enclosure(answer.above.front().probability);
    const Rational reference = numeric::parse_rational(f[8], "value");
    const Rational slack = reference * numeric::parse_rational("1e-39", "slack");
    INFO(f[0] << " " << f[1] << " " << f[2] << " " << f[3] << " " << f[4] << " hop " << f[5] << " " << f[6]
              << " > " << f[7]);
    CHECK(numeric::to_rational(enclosure.lower()) - slack <= reference);
    CHECK(reference <= numeric::to_rational(enclosure.upper()) + slack);
    ++rows;
  }
  CHECK(rows >= 200);
}

TEST_CASE("Latency over routes of different length: percentiles from PARI/GP", "[bounds][delay]") {
  int rows = 0;
  for (const auto& f : read_lines("path_delay_latency.csv", 7)) {
    const bounds::TreeDelay tree = tree_of(f[0], f[1], f[2], f[3], "nearest-ancestor");
    PathDelay delays(tree.network.queues, hop_delay_of(f[4]));
    const DelayAnswer answer = delays.answer(
        tree.routes, {.levels = {}, .percentiles = {numeric::parse_rational(f[5], "percentile") / 100}});
    INFO(f[0] << " " << f[1] << " " << f[2] << " " << f[3] << " " << f[4] << " " << f[5] << " %");
    CHECK(answer.latency.front().slots.value == std::stol(f[6]));
    ++rows;
  }
  CHECK(rows >= 90);
}

TEST_CASE("Delay over a path: the mean is the sum of the hops' means, exactly", "[bounds][delay]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    test::Random random(seed);
    std::vector<SlottedQueue> queues;
    while (queues.size() < 4) {
      const test::Traffic traffic = test::random_traffic(random);
      if (traffic.mean() > 0) queues.push_back({traffic.arrivals(), 1});
    }
    const std::vector<bounds::Route> routes = random_routes(random, queues.size());
    for (const HopDelay kind : {HopDelay::wait, HopDelay::occupancy}) {
      PathDelay delays(hop_queues(queues), kind);
      const DelayAnswer answer = delays.answer(routes, {});
      Rational mean = 0, hops = 0;
      for (const bounds::Route& route : routes)
        for (const std::size_t queue : route.queues) {
          // E[Q] = rho + A''(1)/(2 (1 - rho)) written out; E[W] = E[Q]/rho - 1.
          const Rational load = *queues[queue].arrivals.load();
          const Rational occupied =
              load + *queues[queue].arrivals.second_factorial_moment() / (2 * (1 - load));
          mean = mean + route.share * (kind == HopDelay::wait ? occupied / load - 1 : occupied);
          hops = hops + route.share;
        }
      const auto* queueing = std::get_if<numeric::Exact<unit::Slot>>(&answer.mean_queueing);
      const auto* latency = std::get_if<numeric::Exact<unit::Slot>>(&answer.mean_latency);
      REQUIRE(queueing != nullptr);
      REQUIRE(latency != nullptr);
      CHECK(queueing->value == mean);
      CHECK(latency->value == mean + hops);
    }
  }
}

TEST_CASE("Delay over a path: several routes give the weighted sum", "[bounds][delay]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::Random random(seed);
    std::vector<SlottedQueue> queues;
    while (queues.size() < 3) {
      const test::Traffic traffic = test::random_traffic(random);
      if (traffic.mean() > 0 && traffic.mean() < Fraction(95, 100)) queues.push_back({traffic.arrivals(), 1});
    }
    const std::vector<bounds::Route> routes = random_routes(random, queues.size());
    INFO("seed " << seed << ", routes " << routes.size());
    PathDelay delays(hop_queues(queues), HopDelay::wait, {12});
    const DelayQuery query{levels_to(60), {}};
    const DelayAnswer mixed = delays.answer(routes, query);
    const numeric::PrecisionScope scope(numeric::Precision{192});
    std::vector<numeric::Interval> sums(query.levels.size(), numeric::Interval(0));
    for (const bounds::Route& route : routes) {
      const std::vector<bounds::Route> alone{{route.queues, 1}};
      const DelayAnswer answer = delays.answer(alone, query);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto tail = numeric::to_enclosure(answer.above[i].probability);
        sums[i] += numeric::to_interval(route.share) * numeric::make_interval(tail.lower(), tail.upper());
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto tail = numeric::to_enclosure(mixed.above[i].probability);
      CHECK(mixed.above[i].slots == query.levels[i]);
      CHECK(overlap(tail, numeric::Enclosure<unit::Probability>(numeric::Theorem::input, sums[i])));
      CHECK((tail.upper() == 0 || tail.relative_width() <= 1e-12));
    }
  }
}

TEST_CASE("Delay over a path: percentiles by brute force in fractions, boundaries included",
          "[bounds][delay]") {
  int boundaries = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<SlottedQueue> queues = small_queues(seed, 2);
    test::Random random(seed);
    const std::vector<bounds::Route> routes = random_routes(random, queues.size());
    std::int64_t minimum = 100;
    for (const bounds::Route& route : routes)
      minimum = std::min(minimum, static_cast<std::int64_t>(route.queues.size()));
    constexpr std::size_t size = 24;
    const std::vector<Fraction> queueing = exact_at_most(queues, routes, false, size);
    const std::vector<Fraction> latency = exact_at_most(queues, routes, true, size);
    DelayQuery query{{}, {rational("0.5"), rational("0.9"), rational("0.99"), below_one("1e-4")}};
    const Fraction near = test::power_of_ten(-40);
    for (const std::size_t t : {0u, 1u, 3u, 6u})
      for (const Fraction& value : {queueing[t], latency[t + static_cast<std::size_t>(minimum)]})
        for (const Fraction& p : {value, Fraction(value - near), Fraction(value + near)})
          if (p < 1) query.percentiles.push_back(test::to_rational(p)), ++boundaries;
    PathDelay delays(hop_queues(queues), HopDelay::wait);
    const DelayAnswer answer = delays.answer(routes, query);
    for (std::size_t i = 0; i < query.percentiles.size(); ++i) {
      INFO("seed " << seed << ", percentile "
                   << numeric::to_decimal(query.percentiles[i], 50, numeric::Rounding::nearest));
      const Fraction p = test::fraction_of(query.percentiles[i]);
      check_percentile(answer.queueing[i], min_at(queueing, p), 0);
      check_percentile(answer.latency[i], min_at(latency, p), minimum);
    }
  }
  CHECK(boundaries >= 150);
}

TEST_CASE("Delay over a path: 38 and 60 digits contain the exact fractions", "[bounds][delay]") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::vector<SlottedQueue> queues = small_queues(seed, 3);
    const std::vector<bounds::Route> routes{{{0, 1, 2, 1}, rational("2/3")}, {{2}, rational("1/3")}};
    const std::vector<Fraction> at_most = exact_at_most(queues, routes, false, 16);
    for (const int digits : {1, 10, 14, 15, 38, 60}) {
      PathDelay delays(hop_queues(queues), HopDelay::wait, {digits});
      const DelayAnswer answer = delays.answer(routes, {levels_to(15), {}});
      for (std::size_t t = 0; t < 16; ++t) {
        INFO("seed " << seed << ", digits " << digits << ", t = " << t << ": "
                     << test::show(answer.above[t].probability));
        const Fraction above = 1 - at_most[t];
        CHECK(test::encloses(answer.above[t].probability, {above, above}));
        CHECK(test::narrow(answer.above[t].probability, digits));
      }
    }
  }
}

TEST_CASE("Delay over a path: five hops to 1e-300", "[bounds][delay]") {
  // The routes of a 16-ary 3-tree: queues of 16, 256 and three times 4096 sources.
  const bounds::TreeDelay tree = bounds::tree_delay(
      {16, 3}, rational("0.6"), network::TreeRouting::random_root, network::Sources::independent_sources);
  constexpr std::size_t size = 860;
  const Float600 load = Float600(6) / 10;
  const std::vector<Float600> first = plain_wait(16, load / 16, size),
                              second = plain_wait(256, load / 256, size),
                              third = plain_wait(4096, load / 4096, size);
  std::vector<Float600> sum = first;
  for (const auto* next : {&second, &third, &third, &third}) {
    std::vector<Float600> result(size, Float600(0));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; i + j < size; ++j) result[i + j] += sum[i] * (*next)[j];
    sum = std::move(result);
  }
  std::vector<Float600> above;
  Float600 rest = 1;
  for (const Float600& mass : sum) above.push_back(rest -= mass);
  CHECK(above.back() < Float600("1e-299"));
  DelayQuery query{{Slots(0), Slots(61), Slots(250), Slots(500), Slots(700), Slots(size - 1)}, {}};
  for (const int digits : {10, 38}) {
    PathDelay delays(tree.network.queues, HopDelay::wait, {digits});
    const DelayAnswer answer = delays.answer(tree.routes, query);
    for (const auto& [slots, probability] : answer.above) {
      INFO("digits " << digits << ", P(D > " << slots.value << "): " << test::show(probability));
      Fraction exact;
      mpfr_get_q(exact.backend().data(), above[static_cast<std::size_t>(slots.value)].backend().data());
      const Fraction off = exact * test::power_of_ten(-200);
      CHECK(test::encloses(probability, {exact - off, exact + off}));
      CHECK(test::narrow(probability, digits));
    }
  }
}

TEST_CASE("Delay over a path: load 0.999 by transforms", "[bounds][delay]") {
  const bounds::TreeDelay tree = bounds::tree_delay(
      {4, 2}, rational("0.999"), network::TreeRouting::random_root, network::Sources::independent_sources);
  REQUIRE(tree.routes.size() == 1);
  const DelayQuery query{
      {}, {rational("0.5"), rational("0.99"), below_one("1e-6"), below_one("1e-12"), below_one("1e-15")}};
  PathDelay delays(tree.network.queues, HopDelay::wait);
  const DelayAnswer answer = delays.answer(tree.routes, query);
  const std::size_t size = static_cast<std::size_t>(answer.queueing.back().slots.value) + 10;
  CHECK(size > series::transform_pays_from());
  series::Distribution<double> sum;
  for (const std::size_t queue : tree.routes.front().queues) {
    const auto hop = series::tilted(
        queue::hop_delay(std::get<SlottedQueue>(tree.network.queues[queue]), HopDelay::wait, size, -200), 1);
    sum = sum.size() == 0 ? hop : series::sum(sum, hop, series::Summation::direct);
  }
  for (std::size_t i = 0; i < query.percentiles.size(); ++i) {
    const Rational target = 1 - query.percentiles[i];
    // The smallest t by direct sums, proved on both sides.
    std::size_t t = 0;
    while (numeric::compare(series::enclose_tail(numeric::Theorem::sojourn, sum, t).lower(), target) > 0) ++t;
    REQUIRE(numeric::compare(series::enclose_tail(numeric::Theorem::sojourn, sum, t).upper(), target) <= 0);
    check_percentile(answer.queueing[i], static_cast<std::int64_t>(t), 0);
    check_percentile(answer.latency[i], static_cast<std::int64_t>(t) + 3, 3);
    // Both enclose the same.
    CHECK(overlap(numeric::to_enclosure(answer.queueing[i].at.probability),
                  series::enclose_tail(numeric::Theorem::sojourn, sum, t)));
  }
}

TEST_CASE("Delay over a path: any load below capacity, any number of hops", "[bounds][delay]") {
  for (const int nines : {1, 2, 3, 5, 7, 9, 40, 300}) {
    numeric::Proved<unit::Probability> before = numeric::Exact<unit::Probability>{numeric::Theorem::input, 0};
    for (int levels = 1; levels <= 8; ++levels) {
      const std::string load = "0." + std::string(static_cast<std::size_t>(nines), '9');
      INFO(load << ", " << levels << " levels");
      const bounds::TreeDelay tree =
          bounds::tree_delay({4, levels}, rational(load), network::TreeRouting::random_root,
                             network::Sources::independent_sources);
      PathDelay delays(tree.network.queues, HopDelay::wait, {3});
      const DelayAnswer answer = delays.answer(tree.routes, {{Slots(5000)}, {}});
      // More hops never delay less, and never less than each of them.
      const auto above = numeric::to_enclosure(answer.above[0].probability);
      CHECK(above.upper() >= numeric::to_enclosure(before).lower());
      const auto hop =
          queue::hop_delay(std::get<SlottedQueue>(tree.network.queues.back()), HopDelay::wait, 5001, -1200);
      CHECK(above.upper() >= series::enclose_tail(numeric::Theorem::sojourn, hop, 5000).lower());
      before = above;
    }
  }
}

TEST_CASE("Delay over a path: queues that serve several packets per slot", "[bounds][delay]") {
  const std::vector<SlottedQueue> queues{inputs(8, "1.6", 2), inputs(16, "0.9"), inputs(30, "4.5", 5)};
  const std::vector<bounds::Route> routes{{{0, 1, 2, 0}, 1}};
  PathDelay delays(hop_queues(queues), HopDelay::wait, {12});
  const DelayAnswer answer = delays.answer(routes, {levels_to(80), {rational("0.99"), below_one("1e-9")}});
  // A plain sum in double over the single queues' values.
  std::vector<double> sum(200, 0.0);
  sum[0] = 1;
  for (const std::size_t queue : routes.front().queues) {
    const auto hop = queue::hop_delay(queues[queue], HopDelay::wait, sum.size(), -300);
    std::vector<double> next(sum.size(), 0.0);
    for (std::size_t i = 0; i < sum.size(); ++i)
      for (std::size_t j = 0; i + j < sum.size(); ++j)
        next[i + j] += sum[i] * static_cast<double>(hop.mass[j]);
    sum = next;
  }
  std::vector<double> above(sum.size(), 0.0);
  for (std::size_t t = sum.size() - 1; t-- > 0;) above[t] = above[t + 1] + sum[t + 1];
  for (std::size_t t = 0; t <= 80; ++t)
    CHECK(static_cast<double>(numeric::to_enclosure(answer.above[t].probability).lower()) ==
          Approx(above[t]).epsilon(1e-10));
  for (std::size_t i = 0; i < 2; ++i) {
    const double target = i == 0 ? 0.01 : 1e-9;
    std::int64_t t = 0;
    while (above[static_cast<std::size_t>(t)] > target) ++t;
    check_percentile(answer.queueing[i], t, 0);
    check_percentile(answer.latency[i], t + 4, 4);
  }
  // E[T] by Little's law at each queue.
  double mean = 0;
  for (const std::size_t queue : routes.front().queues)
    mean += static_cast<double>(numeric::to_enclosure(queue::mean_occupancy(queues[queue])).lower()) /
            numeric::nearest_double(*queues[queue].arrivals.load());
  CHECK(static_cast<double>(numeric::to_enclosure(answer.mean_latency).lower()) ==
        Approx(mean).epsilon(1e-9));
}

TEST_CASE("Delay over a path: no wait with a single source", "[bounds][delay]") {
  PathDelay delays({inputs(1, "0.3"), inputs(1, "1/2")}, HopDelay::wait);
  const DelayQuery query{{Slots(0), Slots(5)}, {rational("1/1000"), rational("0.5"), below_one("1e-30")}};
  for (const std::vector<bounds::Route>& routes :
       {std::vector<bounds::Route>{{{0, 1, 0}, 1}}, std::vector<bounds::Route>{{{}, 1}}}) {
    const DelayAnswer answer = delays.answer(routes, query);
    const auto hops = static_cast<std::int64_t>(routes.front().queues.size());
    for (const auto& [slots, probability] : answer.above)
      CHECK(numeric::to_enclosure(probability).upper() == 0);
    for (std::size_t i = 0; i < 3; ++i) {
      check_percentile(answer.queueing[i], 0, 0);
      check_percentile(answer.latency[i], hops, hops);
    }
    CHECK(std::get<numeric::Exact<unit::Slot>>(answer.mean_queueing).value == 0);
    CHECK(std::get<numeric::Exact<unit::Slot>>(answer.mean_latency).value ==
          Rational(static_cast<long>(hops)));
  }
  // Routes that differ only in their hops: latency 1 or 3.
  const std::vector<bounds::Route> two{{{0}, rational("1/4")}, {{0, 1, 1}, rational("3/4")}};
  const DelayAnswer answer =
      delays.answer(two, {{Slots(0)}, {rational("0.1"), rational("1/4"), rational("0.26"), rational("0.9")}});
  const std::array<std::int64_t, 4> expected{1, 1, 3, 3};
  for (std::size_t i = 0; i < 4; ++i) check_percentile(answer.latency[i], expected[i], 1);
}

TEST_CASE("Delay over a path: the whole distribution agrees with single queries", "[bounds][delay]") {
  const std::vector<SlottedQueue> queues{inputs(4, "0.7"), inputs(16, "0.5")};
  const std::vector<bounds::Route> routes{{{0, 1, 0}, 1}};
  PathDelay delays(hop_queues(queues), HopDelay::wait, {14});
  const bounds::DelayDistribution whole = delays.distribution(routes, rational("1e-20"));
  REQUIRE(whole.above.size() == whole.at_most.size());
  REQUIRE(whole.above.size() >= 60);
  const DelayAnswer answer = delays.answer(routes, {levels_to(59), {}});
  const numeric::PrecisionScope scope(numeric::Precision{192});
  for (std::size_t t = 0; t < 60; ++t) {
    CHECK(overlap(numeric::Enclosure<unit::Probability>(numeric::Theorem::input, whole.above[t]),
                  numeric::to_enclosure(answer.above[t].probability)));
    const numeric::Interval sum = whole.at_most[t] + whole.above[t];
    CHECK(numeric::lower(sum) <= 1);
    CHECK(numeric::upper(sum) >= 1);
    CHECK(numeric::Real(numeric::upper(sum) - numeric::lower(sum)) < 1e-20);
  }
  CHECK(numeric::compare(numeric::upper(whole.beyond), rational("1e-20")) <= 0);
  CHECK(numeric::lower(whole.beyond) >= 0);
  // A percentile can be read from it.
  const DelayAnswer rank = delays.answer(routes, {{}, {below_one("1e-6")}});
  const auto t = static_cast<std::size_t>(rank.queueing.front().slots.value);
  CHECK(numeric::compare(numeric::lower(whole.above[t - 1]), rational("1e-6")) > 0);
  CHECK(numeric::compare(numeric::upper(whole.above[t]), rational("1e-6")) <= 0);
  // Routes of different lengths: counted from the queues of the shortest.
  const std::vector<bounds::Route> two{{{0, 1, 0}, rational("1/4")}, {{1}, rational("3/4")}};
  const bounds::DelayDistribution mixed = delays.distribution(two, rational("1e-12"));
  const std::vector<Fraction> exact = exact_at_most(queues, two, true, 12);
  for (std::size_t i = 0; i + 1 < 12; ++i) {
    const Rational at_most = test::to_rational(exact[i + 1]);
    CHECK(numeric::Enclosure<unit::Probability>(numeric::Theorem::input, mixed.at_most[i]).contains(at_most));
    CHECK(
        numeric::Enclosure<unit::Probability>(numeric::Theorem::input, mixed.above[i]).contains(1 - at_most));
  }
  CHECK_THROWS_AS(delays.distribution(routes, 0), InvalidArgument);
  CHECK_THROWS_AS(delays.distribution(routes, 2), InvalidArgument);
}

TEST_CASE("Delay over a path: errors", "[bounds][delay]") {
  PathDelay delays({inputs(4, "0.7"), inputs(4, "1")}, HopDelay::wait);
  const std::vector<bounds::Route> good{{{0}, 1}};
  const auto claims_for = [&](const std::vector<bounds::Route>& routes, const DelayQuery& query) {
    return delays.answer(routes, query);
  };
  CHECK_THROWS_AS(claims_for({}, {}), InvalidArgument);
  CHECK_THROWS_AS(claims_for({{{0}, rational("1/2")}}, {}), InvalidArgument);
  CHECK_THROWS_AS(claims_for({{{0}, rational("3/2")}, {{0}, rational("-1/2")}}, {}), InvalidArgument);
  CHECK_THROWS_AS(claims_for({{{2}, 1}}, {}), InvalidArgument);
  CHECK_THROWS_AS(claims_for({{{0, 1}, 1}}, {}), Unstable);
  CHECK_THROWS_AS(claims_for(good, {{Slots(-1)}, {}}), InvalidArgument);
  CHECK_THROWS_AS(claims_for(good, {{Slots(std::int64_t{1} << 24)}, {}}), InvalidArgument);
  for (const char* p : {"0", "1", "-1", "1.5"})
    CHECK_THROWS_AS(claims_for(good, {{}, {rational(p)}}), InvalidArgument);
  CHECK_NOTHROW(claims_for(good, {}));
  CHECK_THROWS_AS(PathDelay({inputs(4, "0.7")}, HopDelay::wait, {0}), InvalidArgument);
  PathDelay wide({inputs(8, "1.6", 2)}, HopDelay::occupancy);
  CHECK_THROWS_AS(wide.answer(good, {}), InvalidArgument);
  PathDelay idle({inputs(8, "0")}, HopDelay::wait);
  CHECK_THROWS_AS(idle.answer(good, {}), InvalidArgument);
}

namespace {

queue::MarkovArrivals on_off(std::int64_t count, const char* load, const char* burst) {
  const traffic::OnOff leaf = traffic::on_off(rational(load), {.slots = rational(burst), .on_rate = 1});
  return queue::MarkovArrivals::on_off(
      {{traffic::thinned(leaf, Rational(1) / Rational(static_cast<long>(count))), count}});
}

}  // namespace

TEST_CASE("paths through bursty queues are sums term by term", "[bounds][path_delay][bursty]") {
  const std::vector<queue::HopQueue> queues{on_off(4, "0.6", "8"), inputs(16, "0.7"), on_off(2, "0.5", "12"),
                                            on_off(1, "0.5", "12")};
  const std::vector<bounds::Route> routes{{{0, 1, 0, 3}, rational("2/3")}, {{2}, rational("1/3")}};
  PathDelay delays(queues, HopDelay::wait);
  DelayQuery query{.levels = {}, .percentiles = {rational("0.9"), rational("0.99999999")}};
  constexpr std::size_t size = 120;
  for (std::size_t t = 0; t < size; ++t) query.levels.emplace_back(static_cast<std::int64_t>(t));
  const DelayAnswer answer = delays.answer(routes, query);

  queue::MarkovQueue first(std::get<queue::MarkovArrivals>(queues[0]), {14}),
      third(std::get<queue::MarkovArrivals>(queues[2]), {14});
  const auto a = queue::hop_delay(first, HopDelay::wait, size).values.mass;
  const auto b = queue::hop_delay(inputs(16, "0.7"), HopDelay::wait, size, -400).mass;
  const auto c = queue::hop_delay(third, HopDelay::wait, size);
  const auto convolve = [&](const std::vector<long double>& x, const std::vector<long double>& y) {
    std::vector<long double> sum(size, 0);
    for (std::size_t t = 0; t < size; ++t)
      for (std::size_t n = 0; n <= t; ++n) sum[t] += x[n] * y[t - n];
    return sum;
  };
  const auto whole = convolve(convolve(a, b), a);
  long double at_most = 0;
  std::vector<long double> reference;
  for (std::size_t t = 0; t < size; ++t) {
    at_most += whole[t];
    const long double above = 2 * (1 - at_most) / 3 + c.values.tail[t] / 3;
    reference.push_back(above);
    const auto& enclosure = std::get<numeric::Enclosure<unit::Probability>>(answer.above[t].probability);
    CHECK(numeric::agree_to(enclosure.lower(), enclosure.upper(), numeric::Digits{10}));
    // The difference from 1 loses digits in the reference, not in the result.
    CHECK(static_cast<double>(enclosure.lower()) ==
          Approx(static_cast<double>(above)).epsilon(1e-9).margin(1e-16));
  }
  for (const bounds::Percentile& percentile : answer.queueing) {
    const auto target = static_cast<long double>(numeric::nearest_double(1 - percentile.probability));
    const auto found =
        std::find_if(reference.begin(), reference.end(), [&](long double above) { return above <= target; });
    REQUIRE(found != reference.end());
    check_percentile(percentile, found - reference.begin(), 0);
  }
}

TEST_CASE("a bursty path of one hop is its occupancy divided by the load", "[bounds][path_delay][bursty]") {
  for (const auto& [count, proved] : {std::pair{8, true}, std::pair{300, false}}) {
    const queue::MarkovArrivals arrivals = on_off(count, "0.6", "8");
    PathDelay delays({arrivals}, HopDelay::wait);
    const std::vector<bounds::Route> routes{{{0}, 1}};
    const bounds::DelayQuery query{.levels = {Slots(0), Slots(7), Slots(40)},
                                   .percentiles = {rational("0.999")}};
    const bounds::ClaimedDelayAnswer claims = delays.claims(routes, query);
    queue::MarkovQueue queue(arrivals);
    for (const bounds::ClaimedSlotProbability& above : claims.above) {
      const auto value = [](const auto& claim) {
        if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Probability>>(&claim))
          return static_cast<double>(enclosure->upper());
        return static_cast<double>(std::get<numeric::Approximation<unit::Probability>>(claim).value);
      };
      CHECK(std::holds_alternative<numeric::Enclosure<unit::Probability>>(above.probability) == proved);
      CHECK(value(above.probability) == Approx(value(queue.tail(above.slots.value + 1)) / 0.6).epsilon(1e-9));
    }
    CHECK(std::holds_alternative<numeric::Approximation<unit::Slot>>(claims.mean_queueing) == !proved);
    if (proved)
      CHECK_NOTHROW(delays.answer(routes, query));
    else
      CHECK_THROWS_AS(delays.answer(routes, query), NoAnswer);
    CHECK_THROWS_AS(delays.distribution(routes, rational("1e-9")), NoAnswer);
    PathDelay deep({arrivals}, HopDelay::wait, {20});
    CHECK_THROWS_AS(deep.claims(routes, query), LimitExceeded);
  }
}
