#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/bounds/sizing/packet_loss.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/fraction.hpp>
#include <tests/support/random_models.hpp>

using namespace tailbound;
using namespace tailbound::test;
using bounds::WholePackets;
using traffic::PacketSizes;

namespace {

/// The loss of each class, and of all cells, by the finite chain itself, in rationals: every order in which
/// packets of any sizes may arrive in a slot, cell by cell.
struct ByChain {
  std::vector<Fraction> of_class;
  Fraction cells;
};

ByChain by_chain(const WholePackets& packets, std::size_t capacity) {
  const std::size_t classes = packets.cells.classes.size();
  const Fraction x = fraction_of(packets.load) / (packets.inputs * fraction_of(packets.cells.mean));
  // Arrivals of a slot in order: sequences of classes with their probability (all input orders equally
  // likely).
  struct Slot {
    std::vector<std::size_t> sizes;
    Fraction probability;
  };
  std::vector<Slot> slots{{{}, 1}};
  std::vector<Slot> all;
  for (std::int64_t n = 0; n <= packets.inputs; ++n) {
    Fraction count = 1;
    for (std::int64_t i = 0; i < n; ++i) count *= Fraction(Whole(packets.inputs - i), Whole(i + 1)) * x;
    for (std::int64_t i = n; i < packets.inputs; ++i) count *= 1 - x;
    for (const Slot& slot : slots) all.push_back({slot.sizes, slot.probability * count});
    std::vector<Slot> longer;
    for (const Slot& slot : slots)
      for (std::size_t c = 0; c < classes; ++c) {
        Slot next = slot;
        next.sizes.push_back(c);
        next.probability *= fraction_of(packets.cells.classes[c].share);
        longer.push_back(std::move(next));
      }
    slots = std::move(longer);
  }
  // The chain of cells left over before the arrivals: 0 .. room - 1.
  std::vector<std::vector<Fraction>> p(capacity, std::vector<Fraction>(capacity));
  std::vector<std::vector<Fraction>> hurt(capacity, std::vector<Fraction>(classes));
  std::vector<Fraction> lost(capacity), came(classes);
  Fraction cells_offered = 0;
  for (const Slot& slot : all) {
    for (const std::size_t c : slot.sizes) {
      came[c] += slot.probability;
      cells_offered += slot.probability * packets.cells.classes[c].cells;
    }
    for (std::size_t from = 0; from < capacity; ++from) {
      std::size_t full = from;
      for (const std::size_t c : slot.sizes) {
        const auto cells = static_cast<std::size_t>(packets.cells.classes[c].cells);
        const std::size_t taken = std::min(cells, capacity - full);
        if (taken < cells) hurt[from][c] += slot.probability;
        lost[from] += slot.probability * static_cast<long>(cells - taken);
        full += taken;
      }
      p[from][full == 0 ? 0 : full - 1] += slot.probability;
    }
  }
  // Its distribution, by elimination from the top.
  std::vector<Fraction> mass(capacity);
  for (std::size_t s = capacity; s-- > 1;) {
    Fraction leave = 0;
    for (std::size_t to = 0; to < s; ++to) leave += p[s][to];
    for (std::size_t from = 0; from < s; ++from) p[from][s] /= leave;
    for (std::size_t from = 0; from < s; ++from)
      for (std::size_t to = 0; to < s; ++to) p[from][to] += p[from][s] * p[s][to];
  }
  mass[0] = 1;
  Fraction total = 1;
  for (std::size_t s = 1; s < capacity; ++s) {
    for (std::size_t from = 0; from < s; ++from) mass[s] += mass[from] * p[from][s];
    total += mass[s];
  }
  ByChain result{std::vector<Fraction>(classes), 0};
  for (std::size_t s = 0; s < capacity; ++s) {
    for (std::size_t c = 0; c < classes; ++c) result.of_class[c] += mass[s] / total * hurt[s][c] / came[c];
    result.cells += mass[s] / total * lost[s] / cells_offered;
  }
  return result;
}

bool holds(const numeric::Enclosure<unit::Probability>& enclosure, const Fraction& value) {
  return fraction_of(enclosure.lower()) <= value && value <= fraction_of(enclosure.upper());
}

}  // namespace

TEST_CASE("IMIX in 100 cells: values from an independent program", "[bounds][packet_loss]") {
  const WholePackets packets{
      .inputs = 16, .load = numeric::Rational(4) / 5, .cells = PacketSizes::imix().cells(64)};
  const auto loss = bounds::packet_loss(packets, Packets(100));
  REQUIRE(loss);
  CHECK(static_cast<double>(loss->all.lower()) == Approx(8.79842e-3).epsilon(1e-6));
  const auto cells =
      bounds::drop_probability(bounds::cell_queue(packets), Packets(100), bounds::Criterion::loss);
  CHECK(static_cast<double>(numeric::to_enclosure(cells.probability).lower()) ==
        Approx(1.08800e-2).epsilon(1e-5));
  // The classes add up to the total.
  double sum = 0;
  for (std::size_t c = 0; c < 3; ++c)
    sum += numeric::nearest_double(packets.cells.classes[c].share) *
           static_cast<double>(loss->of_class[c].lower());
  CHECK(sum == Approx(static_cast<double>(loss->all.lower())).epsilon(1e-9));
}

TEST_CASE("packet and cell losses equal the finite chain, exactly", "[bounds][packet_loss][random]") {
  Random random(91);
  for (int i = 0; i < 120; ++i) {
    std::string sizes;
    for (std::int64_t n = random.between(1, 3); n > 0; --n)
      sizes += (sizes.empty() ? "" : ",") + std::to_string(random.between(1, 6)) + ":" +
               std::to_string(random.between(1, 9));
    const WholePackets packets{.inputs = random.between(1, 4),
                               .load = to_rational(Fraction(Whole(random.between(5, 97)), Whole(100))),
                               .cells = PacketSizes::of_list(sizes, "test").cells(1)};
    const std::int64_t capacity = random.between(1, 14);
    INFO(packets.inputs << " inputs, load " << numeric::to_fraction(packets.load) << ", cells " << sizes
                        << ", room " << capacity);
    const ByChain chain = by_chain(packets, static_cast<std::size_t>(capacity));
    const auto loss = bounds::packet_loss(packets, Packets(capacity));
    REQUIRE(loss);
    Fraction all = 0;
    for (std::size_t c = 0; c < chain.of_class.size(); ++c) {
      CHECK(holds(loss->of_class[c], chain.of_class[c]));
      all += fraction_of(packets.cells.classes[c].share) * chain.of_class[c];
    }
    CHECK(holds(loss->all, all));
    const auto cells =
        bounds::drop_probability(bounds::cell_queue(packets), Packets(capacity), bounds::Criterion::loss);
    CHECK(encloses(cells.probability, {chain.cells, chain.cells}));
  }
}

TEST_CASE("packet losses: edge cases", "[bounds][packet_loss]") {
  const WholePackets packets{
      .inputs = 32, .load = numeric::Rational(9) / 10, .cells = PacketSizes::imix().cells(64)};
  const auto none = bounds::packet_loss(packets, Packets(0));
  REQUIRE(none);
  CHECK(none->all.lower() == 1);
  const auto small = bounds::packet_loss(packets, Packets(20));
  REQUIRE(small);
  CHECK(small->of_class[2].lower() == 1);  // 24 cells never fit
  CHECK(small->of_class[0].upper() < 1);
  CHECK_FALSE(bounds::packet_loss(packets, Packets(1'000'000)));
  const auto deep = bounds::packet_loss(packets, Packets(2000));
  REQUIRE(deep);
  CHECK(deep->all.upper() < 1e-12);
  CHECK(deep->all.lower() > 0);
  CHECK_THROWS_AS(bounds::packet_loss(packets, Packets(-1)), InvalidArgument);
}

// 20 s: too many cells per slot to list, so their PGF is expanded.
TEST_CASE("packet losses of 1024 inputs", "[.full][bounds][packet_loss]") {
  const WholePackets packets{
      .inputs = 1024, .load = numeric::Rational(9) / 10, .cells = PacketSizes::imix().cells(64)};
  const auto small = bounds::packet_loss(packets, Packets(20));
  REQUIRE(small);
  CHECK(small->of_class[2].lower() == 1);  // 24 cells never fit
  CHECK(small->of_class[0].upper() < 1);
}
