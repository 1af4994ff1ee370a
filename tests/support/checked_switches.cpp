#include <tailbound/answers/classes/simulate_classes.hpp>
#include <tailbound/answers/validation/validate_buffer.hpp>
#include <tailbound/answers/validation/validate_sized_buffer.hpp>
#include <tailbound/answers/validation/validate_switch.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tests/support/checked_switches.hpp>
#include <tests/support/random_models.hpp>
#include <utility>

namespace tailbound::test {
namespace {

using numeric::Rational;

constexpr std::array<const char*, 10> kind_names{"shared memory, overflow",
                                                 "shared memory, loss",
                                                 "dynamic threshold, loss",
                                                 "shared memory, packets of several sizes",
                                                 "packets of several sizes, overflow",
                                                 "packets of several sizes, loss",
                                                 "packets of several sizes, cell by cell",
                                                 "several packets per slot, overflow",
                                                 "several packets per slot, loss",
                                                 "bursts"};

bool of(SwitchKind kind, std::initializer_list<SwitchKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool has_sizes(SwitchKind kind) {
  return of(kind, {SwitchKind::shared_sizes, SwitchKind::sizes_whole, SwitchKind::sizes_whole_loss,
                   SwitchKind::sizes_cells});
}
bool has_finite_buffer(SwitchKind kind) {
  return of(kind, {SwitchKind::shared_loss, SwitchKind::threshold_loss, SwitchKind::sizes_whole_loss,
                   SwitchKind::several_loss});
}
bool has_outputs(SwitchKind kind) {
  return of(kind, {SwitchKind::shared_overflow, SwitchKind::shared_loss, SwitchKind::threshold_loss,
                   SwitchKind::shared_sizes});
}

std::string sizes_of(const SwitchCase& its) {
  std::string text;
  for (const auto& [bytes, weight] : its.sizes)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", bytes, weight);
  return text;
}

answers::SwitchCells cells_of(const SwitchCase& its) {
  return {sizes_of(its), traffic::PacketSizes::of_list(sizes_of(its), "sizes"), its.cell_bytes};
}

/// The comparisons, and their failures.
class Judge {
 public:
  template <class Unit>
  void look(const std::string& what, const answers::Comparison<Unit>& compared) {
    if (!compared.predicted || std::holds_alternative<numeric::Model<Unit>>(*compared.predicted)) return;
    ++verdict.judged;
    const bool bound = std::holds_alternative<numeric::UpperBound<Unit>>(*compared.predicted);
    const answers::Verdict found = compared.verdict();
    if (found == answers::Verdict::below || (found == answers::Verdict::above && !bound))
      verdict.broken.push_back(fmt::format("{} {} {:.6g}, simulated {:.6g} ({:.6g} .. {:.6g})", what,
                                           bound ? "<=" : "=", compared.span()->upper,
                                           compared.simulated.value, compared.simulated.lower,
                                           compared.simulated.upper));
  }
  void look(const answers::Comparisons& all) {
    for (const answers::ComparedRow& row : all.rows)
      std::visit(
          [&](const auto& compared) {
            look(fmt::format("{} {}", tailbound::name_of(row.quantity), row.level.value_or(0)), compared);
          },
          row.compared);
  }

  SwitchVerdict verdict;
};

/// An output that serves several packets per slot.
void look_at_several(Judge& judge, const SwitchCase& its, const answers::RunLength& length,
                     double confidence) {
  const answers::Traffic traffic{
      answers::EqualInputs{its.inputs, Rational(its.load) / 100 * its.packets_per_slot},
      its.packets_per_slot};
  if (its.kind == SwitchKind::several) {
    judge.look(answers::answer(
        answers::ValidateBufferQuery{.traffic = traffic, .confidence = confidence, .length = length}));
    return;
  }
  const auto computed =
      answers::answer(answers::BufferQuery{.traffic = traffic,
                                           .requested = answers::ProbabilityOf{Packets(its.space)},
                                           .criterion = bounds::Criterion::loss});
  const sim::ClassEstimates seen =
      answers::answer(
          answers::SimulateClassesQuery{.model = answers::simulated_output(traffic, Packets(its.space)),
                                        .confidence = confidence,
                                        .length = length})
          .classes.at(0);
  judge.look(fmt::format("loss at {}", its.space),
             answers::Comparison<unit::Probability>{
                 .predicted = answers::to_predicted(computed.at.probability),
                 .simulated = {seen.loss.value, seen.loss.lower, seen.loss.upper, seen.loss.confidence},
                 .count = seen.lost});
}

SwitchVerdict look(const SwitchCase& its, std::int64_t slots, std::uint64_t seed) {
  Judge judge;
  const double confidence = 0.999;
  const answers::RunLength length{.slots = slots, .replications = 2, .seed = seed};
  const Rational load = Rational(its.load) / 100;
  if (has_outputs(its.kind)) {
    // The load of an output is that of the inputs divided by the number of outputs.
    answers::ValidateSwitchQuery query{.traffic = {its.inputs, load * its.outputs / its.inputs},
                                       .outputs = its.outputs};
    if (its.kind == SwitchKind::shared_sizes) query.cells = cells_of(its);
    if (has_finite_buffer(its.kind)) {
      query.criterion = bounds::Criterion::loss;
      query.memories = {Packets(its.space)};
    }
    if (its.kind == SwitchKind::threshold_loss) query.threshold = Rational(its.alpha) / 4;
    query.confidence = confidence;
    query.length = length;
    judge.look(answers::answer(query));
  } else if (has_sizes(its.kind)) {
    answers::ValidateSizedBufferQuery query{.inputs = its.inputs, .load = load, .cells = cells_of(its)};
    if (its.kind == SwitchKind::sizes_cells) query.arrive = answers::CellArrival::cells;
    if (has_finite_buffer(its.kind)) query.capacity = Packets(its.space);
    query.confidence = confidence;
    query.length = length;
    judge.look(answers::answer(query));
  } else if (its.kind == SwitchKind::bursts) {
    judge.look(answers::answer(answers::ValidateBufferQuery{
        .traffic = {.source = answers::BurstyInputs{.inputs = its.inputs,
                                                    .load = load,
                                                    .burst = traffic::Burst{Rational(its.burst)}}},
        .confidence = confidence,
        .length = length}));
  } else {
    look_at_several(judge, its, length, confidence);
  }
  return judge.verdict;
}

}  // namespace

std::string SwitchCase::text() const {
  std::string words = fmt::format("{}: {} inputs", kind_names.at(static_cast<std::size_t>(kind)), inputs);
  if (has_outputs(kind)) words += fmt::format(", {} outputs", outputs);
  words += fmt::format(", load {} %", load);
  if (has_sizes(kind)) words += fmt::format(", sizes {} in cells of {} bytes", sizes_of(*this), cell_bytes);
  if (has_finite_buffer(kind)) words += fmt::format(", room {}", space);
  if (kind == SwitchKind::threshold_loss) words += fmt::format(", alpha {}/4", alpha);
  if (kind == SwitchKind::bursts) words += fmt::format(", bursts of {}", burst);
  if (of(kind, {SwitchKind::several, SwitchKind::several_loss}))
    words += fmt::format(", {} packets per slot", packets_per_slot);
  return words;
}

SwitchCase random_switch(std::uint64_t number) {
  Random random(number + 77'000'000);
  SwitchCase its;
  its.kind = static_cast<SwitchKind>(number % kind_names.size());
  its.inputs = random.between(2, random.one_in(4) ? 32 : 8);
  its.outputs = has_outputs(its.kind) ? random.between(2, its.inputs) : its.inputs;
  its.load = random.between(30, 92);
  its.cell_bytes = std::array<std::int64_t, 3>{64, 100, 256}[static_cast<std::size_t>(random.between(0, 2))];
  for (std::int64_t left = random.between(1, 4); left > 0; --left)
    its.sizes.emplace_back(random.between(40, 1500), random.between(1, 9));
  its.space = random.between(2, 40);
  its.alpha = random.between(1, 16);
  its.burst = random.between(12, 30);
  if (of(its.kind, {SwitchKind::several, SwitchKind::several_loss})) {
    its.packets_per_slot = static_cast<int>(random.between(2, 6));
    its.inputs = random.between(its.packets_per_slot + 1, 24);
    its.space = random.between(its.packets_per_slot, 20);
  }
  return its;
}

SwitchVerdict checked(const SwitchCase& its, std::int64_t slots, std::uint64_t seed, bool confirm) {
  try {
    SwitchVerdict verdict = look(its, slots, seed);
    if (confirm && !verdict.broken.empty()) verdict.broken = look(its, 10 * slots, seed + 1000).broken;
    return verdict;
  } catch (const NoAnswer& error) {
    return {{}, 0, error.what()};
  } catch (const std::exception& error) {
    return {{std::string("not answered: ") + error.what()}, 0, {}};
  }
}

SwitchCase smallest(SwitchCase its, std::int64_t slots, std::uint64_t seed) {
  const auto take = [&](SwitchCase smaller) {
    if (smaller.text() == its.text() || checked(smaller, slots, seed, false).broken.empty()) return false;
    its = std::move(smaller);
    return true;
  };
  for (int round = 0; round < 8; ++round) {
    const std::string before = its.text();
    const auto try_to = [&](auto change) {
      SwitchCase smaller = its;
      change(smaller);
      static_cast<void>(take(std::move(smaller)));
    };
    try_to([](SwitchCase& of) {
      of.inputs = std::max<std::int64_t>(std::max(2, of.packets_per_slot + 1), of.inputs / 2);
      of.outputs = std::min(of.inputs, of.outputs);
    });
    try_to([](SwitchCase& of) { of.outputs = std::max<std::int64_t>(2, of.outputs / 2); });
    try_to([](SwitchCase& of) { of.load = (of.load + 5) / 10 * 10; });
    try_to([](SwitchCase& of) {
      if (of.sizes.size() > 1) of.sizes.pop_back();
    });
    try_to([](SwitchCase& of) {
      of.sizes.front().first = of.cell_bytes * ((of.sizes.front().first + of.cell_bytes - 1) / of.cell_bytes);
    });
    try_to([](SwitchCase& of) { of.space = std::max<std::int64_t>(1, of.space / 2); });
    try_to([](SwitchCase& of) { of.packets_per_slot = of.packets_per_slot > 2 ? 2 : of.packets_per_slot; });
    if (its.text() == before) break;
  }
  return its;
}

}  // namespace tailbound::test
