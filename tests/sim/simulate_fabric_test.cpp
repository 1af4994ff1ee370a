#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/sim/fabric/fabric_replication.hpp>
#include <tailbound/sim/fabric/simulate_fabric.hpp>
#include <tailbound/sim/network/network_replication.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

using namespace tailbound;
using namespace tailbound::sim;

namespace {

using Histogram = std::vector<std::uint64_t>;

network::Fabric fabric_of(const std::string& toml) {
  return network::read_fabric(toml, "fabric.toml").fabric;
}

void add(Histogram& sum, const Histogram& more) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

double total(const Histogram& histogram) {
  return static_cast<double>(std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0}));
}
double mean(const Histogram& histogram) {
  double sum = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) sum += static_cast<double>(i * histogram[i]);
  return sum / total(histogram);
}
double above(const Histogram& histogram, int level) {
  double sum = 0;
  for (auto i = static_cast<std::size_t>(level) + 1; i < histogram.size(); ++i)
    sum += static_cast<double>(histogram[i]);
  return sum / total(histogram);
}

/// A fabric, and the size of each buffer.
struct Requested {
  network::Fabric fabric;
  std::optional<std::int64_t> buffer{};
};

/// Counts common to both simulators, per kind of queues; and the delays by number of queues passed.
struct Seen {
  std::vector<Histogram> occupancy, waits;
  std::vector<double> dropped, came;
  std::vector<Histogram> delays = std::vector<Histogram>(16);
};

Seen by_fabric(const Requested& model, std::int64_t slots) {
  const FabricRows rows{QueueKinds(model.fabric.network).kinds.size()};
  const auto replication = make_fabric_replication({fabric_tables(model.fabric), model.buffer}, {3, 0});
  replication->advance(2'000);
  (void)replication->take_counts();
  replication->advance(slots);
  const FabricBalance balance = replication->balance();
  CHECK(balance.sent == balance.delivered + balance.dropped + balance.in_transit);
  const Counts counts = replication->take_counts();
  Seen seen;
  for (std::size_t kind = 0; kind < rows.kinds; ++kind) {
    seen.occupancy.push_back(counts[rows.occupancy(kind)]);
    seen.waits.push_back(counts[rows.waits(kind)]);
    seen.dropped.push_back(static_cast<double>(counts[rows.drops(kind)][0]));
    seen.came.push_back(static_cast<double>(counts[rows.drops(kind)][1]));
    CHECK(counts[rows.drops(kind)][2] == static_cast<std::uint64_t>(slots));
  }
  for (std::size_t queues = 0; rows.delays(queues) < counts.size(); ++queues)
    seen.delays[queues] = counts[rows.delays(queues)];
  return seen;
}

Seen by_network(const Requested& model, std::int64_t slots) {
  const NetworkModel listed{network::written_out(model.fabric), model.buffer};
  const NetworkRows rows(listed.network);
  const QueueKinds kinds(listed.network);
  const auto replication = make_network_replication(listed, {3, 1});
  replication->advance(2'000);
  (void)replication->take_counts();
  replication->advance(slots);
  const Counts counts = replication->take_counts();
  Seen seen;
  for (auto* rows_of : {&seen.occupancy, &seen.waits}) rows_of->resize(kinds.kinds.size());
  seen.dropped.resize(kinds.kinds.size());
  seen.came.resize(kinds.kinds.size());
  for (std::size_t link = 0; link < listed.network.links.size(); ++link) {
    const std::uint32_t kind = kinds.of_link[link];
    if (kind == QueueKinds::none) continue;
    add(seen.occupancy[kind], counts[rows.occupancy(link)]);
    add(seen.waits[kind], counts[rows.waits(link)]);
    if (counts[rows.drops(link)].size() < 2) continue;
    seen.dropped[kind] += static_cast<double>(counts[rows.drops(link)][0]);
    seen.came[kind] += static_cast<double>(counts[rows.drops(link)][1]);
  }
  for (std::size_t queues = 0; queues <= rows.max_queues; ++queues)
    seen.delays[queues] = counts[rows.delays(queues)];
  return seen;
}

/// Equal in all counts, as far as two runs with different random numbers can show.
void compare(const Requested& model, std::int64_t slots = 40'000) {
  const Seen one = by_fabric(model, slots), other = by_network(model, slots);
  const auto close = [](double a, double b, double relative, double absolute) {
    CHECK(std::abs(a - b) <= relative * std::max(a, b) + absolute);
  };
  for (std::size_t kind = 0; kind < one.waits.size(); ++kind) {
    INFO("kind " << kind);
    close(total(one.waits[kind]), total(other.waits[kind]), 0.01, 5);
    if (total(other.waits[kind]) == 0) continue;
    close(mean(one.waits[kind]), mean(other.waits[kind]), 0.04, 0.002);
    close(mean(one.occupancy[kind]), mean(other.occupancy[kind]), 0.04, 0.003);
    for (const int level : {0, 1, 3, 6}) {
      close(above(one.waits[kind], level), above(other.waits[kind], level), 0.08, 0.002);
      close(above(one.occupancy[kind], level), above(other.occupancy[kind], level), 0.08, 0.003);
    }
    close(one.dropped[kind], other.dropped[kind], 0.06, 60);
    close(one.came[kind], other.came[kind], 0.01, 5);
  }
  for (std::size_t queues = 0; queues < 16; ++queues) {
    INFO("queues " << queues);
    close(total(one.delays[queues]), total(other.delays[queues]), 0.02, 50);
    if (total(other.delays[queues]) < 1'000) continue;
    close(mean(one.delays[queues]), mean(other.delays[queues]), 0.04, 0.005);
    for (const int level : {0, 2, 5, 9})
      close(above(one.delays[queues], level), above(other.delays[queues], level), 0.08, 0.003);
  }
}

const std::string two_paths =
    "hosts = \"h[0..3]\"\nswitches = \"a[0..1], b[0..1]\"\n"
    "link = [{each = \"i = 0..3\", from = \"h[i]\", to = \"a[i/2]\", both = true},\n"
    "  {from = [\"a0\", \"a1\"], to = \"b0\", weight = 3, both = true},\n"
    "  {from = [\"a0\", \"a1\"], to = \"b1\", both = true}]\n";

}  // namespace

TEST_CASE("simulated fabrics match the same networks with listed flows", "[sim][fabric]") {
  compare({fabric_of(
      network::to_toml(network::FatTree{4, 3}, network::FabricTraffic{numeric::Rational(7) / 10}))});
  compare({fabric_of(network::to_toml(network::Torus{{4, 3}, 1}, network::FabricTraffic{}))});
  // Weights, and traffic of four kinds.
  compare({fabric_of(two_paths +
                     "[[traffic]]\nuniform = 0.2\nroute = \"spread\"\nhot = \"h3\"\nhot_share = 0.4\n"
                     "[[traffic]]\nname = \"g\"\ngravity = [[\"h[0..1]\", 0.3, 1], [\"h[2..3]\", 0.1, 2]]\n"
                     "[[traffic]]\nname = \"p\"\npermutation = \"shift\"\nshift = 2\nrate = 0.15\nroute = "
                     "\"spread\"\n")},
          80'000);
}

TEST_CASE("simulated Valiant routes match listed ones", "[sim][fabric]") {
  compare({fabric_of(network::to_toml(
              network::Dragonfly{3, 1, 1, 4},
              network::FabricTraffic{numeric::Rational(3) / 10, network::RouteRule::valiant}))},
          200'000);
  // Together with other routes, with weights, a sending switch and one in no group.
  compare(
      {fabric_of(
          "hosts = \"h[0..7]\"\nswitches = \"s[0..7], t\"\n"
          "groups = [\"s[0..1]\", [\"s2\", \"s3\"], \"s[4..5]\", \"s[6..7]\"]\n"
          "link = [{each = \"i = 0..7\", from = \"h[i]\", to = \"s[i]\", both = true},\n"
          "  {each = \"i = 0..7\", from = \"s[i]\", to = \"s[(i+1)%8]\", both = true, weight = 2},\n"
          "  {each = \"i = 0..7\", from = \"s[i]\", to = \"t\", both = true}]\n"
          "[[traffic]]\nuniform = 0.2\nroute = \"valiant\"\n"
          "[[traffic]]\nname = \"s\"\nuniform = 0.3\nroute = \"valiant\"\nfrom = \"s7\"\nto = \"h[0..3]\"\n"
          "[[traffic]]\nname = \"p\"\npermutation = \"shift\"\nshift = 3\nrate = 0.1\nroute = \"valiant\"\n"
          "[[traffic]]\nname = \"m\"\nuniform = 0.1\nroute = \"spread\"\n")},
      200'000);
}

TEST_CASE("simulated minimal routes match listed ones", "[sim][fabric]") {
  compare({fabric_of(network::to_toml(
              network::Dragonfly{3, 2, 1, 4},
              network::FabricTraffic{numeric::Rational(2) / 5, network::RouteRule::minimal}))},
          100'000);
  // Together with shortest routes, with two links of unequal weights between two groups, close to the rate of
  // the busier one.
  const std::string rings =
      "hosts = \"h[0..11]\"\nswitches = \"s[0..2]_[0..3]\"\ngroups = 4\n"
      "link = [{each = \"i = 0..11\", from = \"h[i]\", to = \"s[i/4]_[i%4]\", both = true},\n"
      "  {each = \"g = 0..2, a = 0..3\", from = \"s[g]_[a]\", to = \"s[g]_[(a+1)%4]\", both = true},\n"
      "  {each = \"g = 0..2\", from = \"s[g]_0\", to = \"s[(g+1)%3]_1\", both = true, weight = 3},\n"
      "  {each = \"g = 0..2\", from = \"s[g]_2\", to = \"s[(g+1)%3]_3\", both = true}]\n";
  const std::string adverse =
      "[[traffic]]\npermutation = \"shift\"\nshift = 4\nrate = 0.3\nroute = \"minimal\"\n";
  compare({fabric_of(rings + adverse)}, 100'000);
  compare({fabric_of(rings + adverse + "[[traffic]]\nname = \"u\"\nuniform = 0.1\nroute = \"shortest\"\n")},
          100'000);
  CHECK_THROWS_AS(fabric_tables(fabric_of(rings + adverse +
                                          "[[traffic]]\nname = \"u\"\nuniform = 0.1\nroute = \"shortest\"\n"
                                          "[[traffic]]\nname = \"v\"\nuniform = 0.1\nroute = \"spread\"\n")),
                  LimitExceeded);
}

TEST_CASE("simulated multi-homed hosts and sending switches match listed flows", "[sim][fabric]") {
  compare({fabric_of(
      "hosts = \"h[0..2]\"\nswitches = \"s[0..2]\"\n"
      "link = [{each = \"i = 0..2, j = 0..1\", from = \"h[i]\", to = \"s[(i+j)%3]\", both = true},\n"
      "  {each = \"i = 0..2\", from = \"s[i]\", to = \"s[(i+1)%3]\", both = true}]\n"
      "[[traffic]]\nuniform = 0.6\nroute = \"spread\"\n"
      "[[traffic]]\nname = \"up\"\nuniform = 0.3\nfrom = \"h0, h1, s2\"\nto = \"s[0..1]\"\n")});
  compare({fabric_of(
      "switches = \"s[0..5]\"\nlink = [{each = \"i = 0..5\", from = \"s[i]\", to = \"s[(i+1)%6]\", both = "
      "true}]\n[traffic]\nuniform = 0.4\nroute = \"spread\"\n")});
}

TEST_CASE("losses of finite buffers in a fabric match listed flows", "[sim][fabric]") {
  compare({fabric_of(network::to_toml(network::LeafSpine{3, 2, 4, 1},
                                      network::FabricTraffic{numeric::Rational(3) / 5})),
           3});
  compare({fabric_of(two_paths + "[traffic]\nuniform = 0.9\nto = \"h0\"\n"), 4});
}

TEST_CASE("a saved fabric run continues unchanged and does not depend on time splitting", "[sim][fabric]") {
  const FabricModel model{fabric_tables(fabric_of(
      network::to_toml(network::FatTree{4, 2}, network::FabricTraffic{numeric::Rational(9) / 10})))};
  const auto whole = make_fabric_replication(model, {7, 2});
  whole->advance(3'333);
  const auto first = make_fabric_replication(model, {7, 2});
  first->advance(1'000);
  first->advance(111);
  ByteWriter writer;
  first->save(writer);
  const std::string bytes = writer.take();
  const auto second = make_fabric_replication(model, {7, 2});
  ByteReader reader(bytes);
  second->load(reader);
  second->advance(2'222);
  CHECK(whole->take_counts() == second->take_counts());
  CHECK(whole->steps() == second->steps());
  const auto other = make_fabric_replication(model, {8, 2});
  other->advance(3'333);
  CHECK(other->take_counts() != make_fabric_replication(model, {7, 2})->take_counts());
}

TEST_CASE("a fabric's results do not depend on the number of threads", "[sim][fabric]") {
  const FabricModel model{
      fabric_tables(fabric_of(network::to_toml(network::LeafSpine{4, 2, 4, 3},
                                               network::FabricTraffic{numeric::Rational(9) / 10}))),
      20};
  const RunPlan plan{.replications = 4, .warmup = 128, .slots = 640, .batches = 4};
  const RunResult one = run_fabric(model, plan);
  for (const int threads : {2, 3, 4})
    CHECK(run_fabric(model, plan, {.threads = threads}).batches == one.batches);
}

TEST_CASE("packets that wait longer than the cell ring still arrive", "[sim][fabric]") {
  // Two hosts for one link: its offered load is 1.2 packets per slot, and the queue grows.
  const FabricModel model{fabric_tables(fabric_of(
      "hosts = \"h[0..3]\"\nswitches = \"a[0..1]\"\nlink = [{from = \"a0\", to = \"a1\", both = true},\n"
      "  {each = \"i = 0..3\", from = \"h[i]\", to = \"a[i/2]\", both = true}]\n"
      "[traffic]\nuniform = 0.6\nfrom = \"h[0..1]\"\nto = \"h[2..3]\"\n"))};
  const auto replication = make_fabric_replication(model, {1, 0});
  replication->advance(4'000);
  const FabricBalance balance = replication->balance();
  CHECK(balance.sent == balance.delivered + balance.in_transit);
  CHECK(balance.in_transit > 600);
  CHECK(replication->take_counts()[FabricRows{2}.waits(0)].size() > 500);
}

TEST_CASE("fabrics that cannot be simulated are rejected", "[sim][fabric]") {
  const network::Fabric tree = fabric_of(network::to_toml(network::FatTree{8, 3}, network::FabricTraffic{}));
  CHECK_THROWS_AS(fabric_tables(tree, 1'000), LimitExceeded);
  CHECK_THROWS_AS(make_fabric_replication({fabric_tables(tree), 0}, {1, 0}), InvalidArgument);
  CHECK_THROWS_WITH(
      fabric_tables(fabric_of("hosts = \"h[0..1]\"\nswitches = \"s[0..1]\"\nlink = [{each = \"i = 0..1\", "
                              "from = \"h[i]\", to = \"s[i]\", both = true}]\n[traffic]\nuniform = 0.1\n")),
      Catch::Contains("no route leads from h0 to h1"));
}
