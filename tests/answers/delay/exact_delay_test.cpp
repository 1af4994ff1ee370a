#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <tests/support/exact_chain.hpp>
#include <utility>

namespace tailbound::test {
namespace {

using answers::span_of;

SmallTree tree(std::vector<std::vector<long double>> branches, std::vector<long double> straight = {}) {
  SmallTree result{{}, std::move(straight)};
  for (std::vector<long double>& sources : branches) result.branches.push_back({std::move(sources), 1});
  return result;
}

/// Known to the digits shown, from exact chains of another program; means are rationals.
struct Known {
  SmallTree of;
  std::size_t depth;
  std::optional<std::size_t> branch;  ///< of the source; none: directly to T
  std::size_t source;
  long double mean, tolerance;
  std::vector<long double> above;
};

std::vector<Known> known_delays() {
  const SmallTree unequal = tree({{0.2L, 0.4L}}, {0.1L}), equal = tree({{0.3L, 0.3L}}, {0.2L}),
                  three = tree({{0.2L, 0.2L, 0.2L}}, {0.1L, 0.1L}),
                  two_wires = tree({{0.2L, 0.2L}, {0.2L, 0.2L}}),
                  two_unequal = tree({{0.3L, 0.3L}, {0.1L, 0.1L}});
  return {
      {unequal,
       80,
       0,
       0,
       227 / 300.0L,
       5e-12L,
       {17 / 36.0L, 0.181147715693L, 0.0657599325397L, 0.0239360282591L}},
      {unequal,
       80,
       0,
       1,
       97 / 150.0L,
       5e-12L,
       {13 / 32.0L, 0.153009930155L, 0.0556783356155L, 0.020237496881L}},
      {unequal,
       80,
       {},
       0,
       17 / 30.0L,
       5e-12L,
       {0.433496481102L, 0.0985350927877L, 0.0251328466894L, 0.00680822092405L}},
      {equal,
       110,
       0,
       0,
       11 / 8.0L,
       5e-12L,
       {0.609693877551L, 0.34706563352L, 0.190688818115L, 0.104164914011L}},
      {equal,
       110,
       {},
       0,
       9 / 8.0L,
       5e-12L,
       {0.586280074916L, 0.270483034795L, 0.132095982755L, 0.0662659479769L}},
      {three,
       110,
       0,
       0,
       33 / 20.0L,
       5e-12L,
       {0.64568329904L, 0.401037388517L, 0.242721642534L, 0.145748271677L}},
      {two_wires, 30, 0, 0, 3 / 2.0L, 2e-6L, {0.6322098L, 0.3689868L, 0.2135165L, 0.1221324L}},
      {two_unequal, 30, 0, 0, 113 / 80.0L, 2e-6L, {0.6112110L, 0.3525806L, 0.1983371L, 0.1110409L}},
      {two_unequal, 30, 1, 0, 101 / 80.0L, 2e-6L, {}},
      {tree({}, {0.45L, 0.45L}), 400, {}, 0, 9 / 4.0L, 1e-6L, {0.743801L}},
  };
}

std::vector<long double> exact_delay(const Known& known) {
  // Rows of one tree are adjacent.
  static std::optional<std::pair<SmallTree, ExactChain>> last;
  if (!last || last->first != known.of)
    last.emplace(known.of, ExactChain(known.of, known.depth, known.tolerance * 1e-5L));
  return known.branch ? last->second.delay(*known.branch, known.source)
                      : last->second.straight_delay(known.source);
}

bool near(long double found, long double wanted, long double tolerance) {
  return std::abs(found - wanted) <= tolerance * wanted;
}

/// The tree as a network: hosts of branch i at switch "branch<i>", T is the queue to host "end".
answers::NetworkTopology network_of(const SmallTree& tree) {
  std::string switches = "\"t\"", hosts = "\"end\"", links = "[[link]]\nfrom = \"t\"\nto = \"end\"\n", flows;
  const auto add = [&](const std::string& host, const std::string& at, long double rate) {
    hosts += ", \"" + host + "\"";
    links += "[[link]]\nfrom = \"" + host + "\"\nto = \"" + at + "\"\n";
    flows +=
        fmt::format("[[flow]]\nfrom = \"{}\"\nto = \"end\"\nrate = {}\n", host, static_cast<double>(rate));
  };
  for (std::size_t i = 0; i < tree.branches.size(); ++i) {
    const std::string at = fmt::format("branch{}", i);
    switches += ", \"" + at + "\"";
    links += "[[link]]\nfrom = \"" + at + "\"\nto = \"t\"\n";
    for (std::size_t source = 0; source < tree.branches[i].sources.size(); ++source)
      add(fmt::format("from{}_{}", i, source), at, tree.branches[i].sources[source]);
  }
  for (std::size_t source = 0; source < tree.straight.size(); ++source)
    add(fmt::format("straight{}", source), "t", tree.straight[source]);
  return {.network = network::read_network(
                         "hosts = [" + hosts + "]\nswitches = [" + switches + "]\n" + links + flows, "tree")
                         .network};
}

}  // namespace

TEST_CASE("exact chains of small trees: known probabilities and rational means") {
  for (const Known& known : known_delays()) {
    const std::vector<long double> law = exact_delay(known);
    CAPTURE(known.depth, static_cast<double>(known.mean), static_cast<double>(mean(law)));
    CHECK(near(mean(law), known.mean, 20 * known.tolerance));
    for (std::size_t t = 0; t < known.above.size(); ++t) {
      CAPTURE(t, static_cast<double>(known.above[t]), static_cast<double>(tail(law, t)));
      CHECK(near(tail(law, t), known.above[t], known.tolerance));
    }
  }
}

TEST_CASE(
    "delays of small trees: within 0.5 % of the exact chain, 1 % where rare, 5 % where rare and straight") {
  for (const Known& known : known_delays()) {
    const std::vector<long double> law = exact_delay(known);
    answers::DelayQuery query{.topology = network_of(known.of)};
    query.flow = (known.branch ? fmt::format("from{}_{}", *known.branch, known.source)
                               : fmt::format("straight{}", known.source)) +
                 " -> end";
    for (std::int64_t t = 0; t < 12; ++t) query.levels.emplace_back(t);
    const answers::DelayAnswer answer = answers::answer(query);
    const answers::StatedDelay& predicted = answer.flows.front().delay;
    CAPTURE(*query.flow, static_cast<double>(mean(law)), span_of(predicted.mean_queueing).upper);
    CHECK(near(span_of(predicted.mean_queueing).upper, known.mean, 1e-3L));
    for (std::size_t t = 0; t < query.levels.size(); ++t) {
      const long double truth = tail(law, t), computed = span_of(predicted.above[t].probability).upper;
      if (truth < 1e-3L) break;
      CAPTURE(t, static_cast<double>(truth), static_cast<double>(computed));
      // Other queues send runs with three correct moments.
      CHECK(near(computed, truth, t < 4 ? 6e-3L : 5e-2L));
    }
  }
}

}  // namespace tailbound::test
