#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/crossbar/head_of_line.hpp>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tests/support/rational.hpp>

// Saturation of FIFO inputs: published and independent values, chains over labelled outputs, simulated
// switches
// with inputs and cells, closed forms.

using namespace tailbound;
using numeric::parse_rational;
using numeric::Rational;
using queue::head_of_line_limit;
using queue::head_of_line_load;
using queue::head_of_line_saturation;
using queue::HeadOfLine;
using ExactLoad = numeric::Exact<unit::Load>;
using EnclosedLoad = numeric::Enclosure<unit::Load>;

namespace {

double value_of(const numeric::Claim<unit::Load>& claim) {
  if (const auto* exact = std::get_if<ExactLoad>(&claim)) return numeric::nearest_double(exact->value);
  if (const auto* enclosure = std::get_if<EnclosedLoad>(&claim))
    return (enclosure->lower().convert_to<double>() + enclosure->upper().convert_to<double>()) / 2;
  return std::get<numeric::Approximation<unit::Load>>(claim).value.convert_to<double>();
}

Rational exact_of(const HeadOfLine& queue) {
  return std::get<ExactLoad>(head_of_line_saturation(queue)).value;
}

/// Each input's head of line by its output, as a chain over all assignments, solved by iteration.
/// \param serve  (heads per output) -> the chain's next pool of freed inputs is drawn uniformly
double labelled_saturation(int inputs, int outputs, int served, double stay) {
  // The states: the output of each input's head.
  const auto states = static_cast<std::size_t>(std::pow(outputs, inputs));
  const auto heads_of = [&](std::size_t state) {
    std::vector<int> heads(static_cast<std::size_t>(inputs));
    for (int& head : heads) {
      head = static_cast<int>(state % static_cast<std::size_t>(outputs));
      state /= static_cast<std::size_t>(outputs);
    }
    return heads;
  };
  std::vector<std::vector<std::pair<std::size_t, double>>> moves(states);
  std::vector<double> service(states, 0);
  for (std::size_t state = 0; state < states; ++state) {
    const std::vector<int> heads = heads_of(state);
    // All orders of preference of the outputs among the inputs are equally likely.
    std::vector<int> order(heads.size());
    std::iota(order.begin(), order.end(), 0);
    double orders = 0;
    std::map<std::size_t, double> next;
    do {
      ++orders;
      std::vector<int> taken(static_cast<std::size_t>(outputs), 0);
      std::vector<bool> freed(heads.size(), false);
      for (const int input : order) {
        const auto output = static_cast<std::size_t>(heads[static_cast<std::size_t>(input)]);
        if (taken[output]++ < served) freed[static_cast<std::size_t>(input)] = true;
      }
      service[state] += static_cast<double>(std::count(freed.begin(), freed.end(), true));
      std::vector<std::pair<std::size_t, double>> partial{{0, 1}};
      std::size_t place = 1;
      for (std::size_t i = 0; i < heads.size(); ++i, place *= static_cast<std::size_t>(outputs)) {
        std::vector<std::pair<std::size_t, double>> more;
        for (const auto& [base, probability] : partial)
          for (int to = 0; to < outputs; ++to) {
            const double stays = to == heads[i] ? 1 : 0;
            const double share = freed[i] ? stay * stays + (1 - stay) / outputs : stays;
            if (share > 0)
              more.emplace_back(base + static_cast<std::size_t>(to) * place, probability * share);
          }
        partial = std::move(more);
      }
      for (const auto& [to, probability] : partial) next[to] += probability;
    } while (std::next_permutation(order.begin(), order.end()));
    service[state] /= orders;
    for (const auto& [to, probability] : next) moves[state].emplace_back(to, probability / orders);
  }
  std::vector<double> law(states, 1 / static_cast<double>(states));
  for (int round = 0; round < 2'000; ++round) {
    std::vector<double> next(states, 0);
    for (std::size_t state = 0; state < states; ++state)
      for (const auto& [to, probability] : moves[state]) next[to] += law[state] * probability;
    law = std::move(next);
  }
  return std::inner_product(law.begin(), law.end(), service.begin(), 0.0) / inputs;
}

/// A switch with output buffers and back-pressure, cell by cell.
/// \return throughput per input, and its standard error
std::pair<double, double> simulated_back_pressure(int ports, int buffer, int slots) {
  std::mt19937_64 random(17);
  std::uniform_int_distribution<int> any(0, ports - 1);
  std::vector<int> head(static_cast<std::size_t>(ports), -1), cells(static_cast<std::size_t>(ports), 0);
  std::vector<double> batches;
  constexpr int warm_up = 1'000, in_batch = 2'000;
  double sent = 0;
  for (int slot = -warm_up; slot < slots; ++slot) {
    for (int& each : head)
      if (each < 0) each = any(random);
    std::vector<int> order(head.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const int input : order) {
      int& to = head[static_cast<std::size_t>(input)];
      if (cells[static_cast<std::size_t>(to)] >= buffer) continue;
      ++cells[static_cast<std::size_t>(to)];
      to = -1;
    }
    for (int& each : cells)
      if (each > 0) {
        --each;
        if (slot >= 0) ++sent;
      }
    if (slot >= 0 && (slot + 1) % in_batch == 0) {
      batches.push_back(sent / in_batch / ports);
      sent = 0;
    }
  }
  const double count = static_cast<double>(batches.size());
  const double mean = std::accumulate(batches.begin(), batches.end(), 0.0) / count;
  double squares = 0;
  for (const double batch : batches) squares += (batch - mean) * (batch - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

}  // namespace

TEST_CASE("Saturation of FIFO inputs: exact fractions", "[head_of_line]") {
  const std::vector<std::pair<std::int64_t, const char*>> square{
      {1, "1"},
      {2, "3/4"},
      {3, "43/63"},
      {4, "325/496"},
      {5, "3450867/5392675"},
      {6, "239951039/380784264"},
      {7, "1455156362474069867233/2334336143461104781789"},
      {8, "907829143692237066503143239/1468053011144896100563129664"}};
  for (const auto& [ports, fraction] : square)
    CHECK(exact_of({.inputs = ports, .outputs = ports}) == parse_rational(fraction, "value"));
  CHECK(exact_of({.inputs = 2, .outputs = 3}) == parse_rational("5/6", "value"));
  CHECK(exact_of({.inputs = 3, .outputs = 2}) == parse_rational("5/9", "value"));
  CHECK(exact_of({.inputs = 4, .outputs = 2}) == parse_rational("7/16", "value"));
  CHECK(exact_of({.inputs = 2, .outputs = 4}) == parse_rational("7/8", "value"));
  CHECK(exact_of({.inputs = 4, .outputs = 8}) == parse_rational("156287/191456", "value"));
  CHECK(exact_of({.inputs = 8, .outputs = 4}) == parse_rational("159899390288353/391706452726976", "value"));
  CHECK(exact_of({.inputs = 3, .outputs = 3, .served = 2}) == parse_rational("26/27", "value"));
  CHECK(exact_of({.inputs = 4, .outputs = 4, .served = 2}) == parse_rational("1843/1952", "value"));
  CHECK(exact_of({.inputs = 5, .outputs = 5, .served = 2}) == parse_rational("908834/974625", "value"));
  CHECK(exact_of({.inputs = 4, .outputs = 4, .served = 3}) == parse_rational("0.99609375", "value"));
  CHECK(exact_of({.inputs = 4, .outputs = 4, .served = 60}) == 1);
}

TEST_CASE("Saturation of FIFO inputs: enclosures", "[head_of_line]") {
  struct Known {
    std::int64_t ports, served;
    const char* value;
  };
  for (const auto& [ports, served, value] : std::vector<Known>{{9, 1, "0.6145754660075"},
                                                               {10, 1, "0.6115604063407"},
                                                               {12, 1, "0.6070971741393"},
                                                               {16, 1, "0.6016155941301"},
                                                               {20, 1, "0.5983772090150"},
                                                               {24, 1, "0.5962388828804"},
                                                               {32, 1, "0.5935887648422"},
                                                               {8, 2, "0.9146258073"},
                                                               {16, 2, "0.8995813744"},
                                                               {32, 2, "0.8920520611"},
                                                               {8, 3, "0.9872415200"},
                                                               {16, 3, "0.9816999801"},
                                                               {32, 3, "0.9786774218"},
                                                               {8, 4, "0.9986789720"},
                                                               {16, 4, "0.9973548515"},
                                                               {32, 4, "0.9965256710"}}) {
    const auto claim = head_of_line_saturation({.inputs = ports, .outputs = ports, .served = served});
    CHECK(value_of(claim) == Approx(std::stod(value)).epsilon(0).margin(served == 1 ? 2e-13 : 6e-11));
    if (const auto* enclosure = std::get_if<EnclosedLoad>(&claim)) {
      CHECK(enclosure->relative_width() < 1e-11);
      CHECK(enclosure->lower() <= enclosure->upper());
    }
  }
}

TEST_CASE("Saturation of FIFO inputs: enclosures hold", "[head_of_line]") {
  // Chains of more than 32 states whose value is a known fraction, and the same chain to more digits.
  const auto encloses = [](const HeadOfLine& queue, const char* known) {
    const auto enclosure = std::get<EnclosedLoad>(head_of_line_saturation(queue));
    const Rational value = parse_rational(known, "value"), last = parse_rational("1e-13", "digit");
    CHECK(numeric::to_rational(enclosure.lower()) < value + last);
    CHECK(numeric::to_rational(enclosure.upper()) > value - last);
    CHECK(enclosure.lower() < enclosure.upper());
  };
  encloses({.inputs = 10, .outputs = 10}, "0.6115604063407");
  encloses({.inputs = 16, .outputs = 16}, "0.6016155941301");
  encloses({.inputs = 20, .outputs = 20}, "0.5983772090150");
  encloses({.inputs = 32, .outputs = 32}, "0.5935887648422");
}

TEST_CASE("Saturation of FIFO inputs with bursts", "[head_of_line]") {
  struct Known {
    std::int64_t ports;
    const char *burst, *value;
  };
  for (const auto& [ports, burst, value] : std::vector<Known>{{4, "2", "0.6066721582"},
                                                              {4, "4", "0.5877983904"},
                                                              {4, "16", "0.5753177727"},
                                                              {4, "64", "0.5723890658"},
                                                              {8, "2", "0.5690647175"},
                                                              {8, "4", "0.5499469154"},
                                                              {8, "16", "0.5372844806"},
                                                              {8, "64", "0.5343093910"},
                                                              {16, "2", "0.5519788502"},
                                                              {16, "4", "0.5327965215"},
                                                              {16, "16", "0.5200934559"},
                                                              {16, "64", "0.5171084120"}})
    CHECK(value_of(head_of_line_saturation(
              {.inputs = ports, .outputs = ports, .burst = parse_rational(burst, "L")})) ==
          Approx(std::stod(value)).epsilon(0).margin(6e-11));
  for (const char* const length : {"1", "2", "3.5", "16", "1000000"}) {
    const Rational burst = parse_rational(length, "L");
    CHECK(exact_of({.inputs = 2, .outputs = 2, .burst = burst}) == (4 * burst - 1) / (6 * burst - 2));
  }
  // Long bursts: a closed network of k customers and k exponential stations.
  const Rational long_burst = parse_rational("1e9", "L");
  for (const std::int64_t ports : {2, 4, 8, 16})
    CHECK(value_of(head_of_line_saturation({.inputs = ports, .outputs = ports, .burst = long_burst})) ==
          Approx(static_cast<double>(ports) / static_cast<double>(2 * ports - 1)).epsilon(1e-6));
  // Iteration, which more than 700 states need.
  CHECK(value_of(head_of_line_saturation({.inputs = 24, .outputs = 24, .burst = 16})) ==
        Approx(0.51460502117).epsilon(0).margin(1e-10));
}

TEST_CASE("Saturation of FIFO inputs: chains over labelled outputs", "[head_of_line]") {
  struct Switch {
    int inputs, outputs, served;
    const char* burst;
  };
  for (const auto& [inputs, outputs, served, burst] :
       {Switch{2, 2, 1, "1"}, Switch{3, 3, 1, "1"}, Switch{4, 4, 1, "1"}, Switch{4, 3, 2, "1"},
        Switch{3, 4, 2, "3"}, Switch{4, 3, 1, "5/2"}, Switch{4, 4, 2, "4"}, Switch{5, 2, 3, "2"}}) {
    const Rational length = parse_rational(burst, "L");
    const double stay = 1 - 1 / numeric::nearest_double(length);
    CHECK(value_of(head_of_line_saturation(
              {.inputs = inputs, .outputs = outputs, .burst = length, .served = served})) ==
          Approx(labelled_saturation(inputs, outputs, served, stay)).epsilon(1e-10));
  }
}

TEST_CASE("Saturation with output buffers and back-pressure", "[head_of_line]") {
  struct Known {
    std::int64_t ports, buffer;
    const char* value;
  };
  for (const auto& [ports, buffer, value] : std::vector<Known>{{2, 1, "0.75"},
                                                               {3, 2, "0.7670175439"},
                                                               {4, 2, "0.7396876006"},
                                                               {6, 2, "0.7148302410"},
                                                               {8, 2, "0.7032511151"},
                                                               {3, 3, "0.8168984262"},
                                                               {4, 3, "0.7901058460"},
                                                               {6, 3, "0.7650988825"},
                                                               {3, 4, "0.8495900591"},
                                                               {4, 4, "0.8244082360"}})
    CHECK(value_of(head_of_line_saturation({.inputs = ports, .outputs = ports, .buffer = buffer})) ==
          Approx(std::stod(value)).epsilon(0).margin(6e-11));
  for (const std::int64_t buffer : {1, 2, 3, 4, 6})
    CHECK(exact_of({.inputs = 2, .outputs = 2, .buffer = buffer}) ==
          Rational(2 * buffer + 1) / Rational(2 * buffer + 2));
  CHECK(value_of(head_of_line_saturation({.inputs = 2, .outputs = 2, .buffer = 64})) ==
        Approx(129.0 / 130).epsilon(1e-12));
  for (const auto& [ports, buffer] : {std::pair{4, 2}, {4, 4}, {8, 2}}) {
    const auto [mean, error] = simulated_back_pressure(ports, buffer, 400'000);
    CHECK(value_of(head_of_line_saturation({.inputs = ports, .outputs = ports, .buffer = buffer})) ==
          Approx(mean).epsilon(0).margin(4 * error));
  }
}

TEST_CASE("Saturation of FIFO inputs: many ports", "[head_of_line]") {
  const auto limit = [](std::int64_t served, std::int64_t buffer) {
    const EnclosedLoad enclosure = head_of_line_limit(served, buffer);
    CHECK(enclosure.relative_width() < 1e-10);
    return enclosure.lower().convert_to<double>();
  };
  CHECK(limit(1, 1) == Approx(2 - std::sqrt(2.0)).epsilon(1e-15));
  const std::vector<std::pair<std::int64_t, const char*>> buffers{{2, "0.6713033255"}, {3, "0.7227990592"},
                                                                  {4, "0.7576376304"}, {6, "0.8028694584"},
                                                                  {8, "0.8316767482"}, {16, "0.8888791566"}};
  for (const auto& [buffer, value] : buffers)
    CHECK(limit(1, buffer) == Approx(std::stod(value)).epsilon(0).margin(1e-10));
  // Of several packets per slot: below the values of 32 ports, near their extrapolation in 1/k.
  for (const auto& [served, at_16, at_32] :
       {std::tuple{2, 0.8995813744, 0.8920520611}, {3, 0.9816999801, 0.9786774218}})
    CHECK(limit(served, 1) == Approx(2 * at_32 - at_16).epsilon(0).margin(6e-4));
  // Without bursts and with as many outputs, the fit continues the enclosures.
  CHECK(value_of(head_of_line_saturation({.inputs = 64, .outputs = 64})) ==
        Approx(0.5896602185).epsilon(0).margin(1e-10));
  CHECK(value_of(head_of_line_saturation({.inputs = 128, .outputs = 128})) ==
        Approx(0.5877165643).epsilon(0).margin(1e-10));
  CHECK(value_of(head_of_line_saturation({.inputs = 256, .outputs = 256})) ==
        Approx(0.5867498200).epsilon(0).margin(1e-10));
  for (const std::int64_t ports : {16, 24, 32})
    CHECK(head_of_line_load(ports) ==
          Approx(value_of(head_of_line_saturation({.inputs = ports, .outputs = ports}))).epsilon(1e-12));
}

TEST_CASE("The fit of saturation loads goes through its enclosures", "[head_of_line][.full]") {
  for (const std::int64_t ports : {40, 48})
    CHECK(head_of_line_load(ports) ==
          Approx(value_of(head_of_line_saturation({.inputs = ports, .outputs = ports}))).epsilon(1e-12));
  CHECK(value_of(head_of_line_saturation({.inputs = 48, .outputs = 48})) ==
        Approx(0.5909635836505).epsilon(0).margin(2e-12));
  // At another number of ports.
  CHECK(head_of_line_load(36) ==
        Approx(value_of(head_of_line_saturation({.inputs = 36, .outputs = 36}))).epsilon(2e-12));
}

TEST_CASE("Saturation of FIFO inputs: limits", "[head_of_line]") {
  CHECK_THROWS_AS(head_of_line_saturation({.inputs = 0, .outputs = 1}), InvalidArgument);
  CHECK_THROWS_AS(head_of_line_saturation({.inputs = 4, .outputs = 4, .burst = 2, .buffer = 2}),
                  InvalidArgument);
  CHECK_THROWS_AS(head_of_line_saturation({.inputs = 4, .outputs = 4, .burst = Rational(1) / 2}),
                  InvalidArgument);
  CHECK_THROWS_AS(head_of_line_saturation({.inputs = 64, .outputs = 32}), LimitExceeded);
  CHECK_THROWS_AS(head_of_line_limit(2, 2), InvalidArgument);
}
