#include <tailbound/answers/crossbar/validate_crossbar.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/rational.hpp>

namespace tailbound::answers {
namespace {

using test::rational;
using traffic::CrossbarScheduler;

ValidateCrossbarQuery query_of(std::int64_t ports, const char* load, CrossbarScheduler scheduler,
                               std::optional<std::int64_t> iterations = {}) {
  ValidateCrossbarQuery query;
  query.analysis.inputs = ports;
  query.analysis.requested = AtLoad{rational(load)};
  query.analysis.scheduler = scheduler;
  query.analysis.iterations = iterations;
  query.length.slots = 100'000;
  query.length.replications = 2;
  return query;
}

TEST_CASE("validate crossbar: proved laws of TDM and critical cells lie inside") {
  for (const CrossbarScheduler scheduler : {CrossbarScheduler::tdm, CrossbarScheduler::ccf}) {
    const ValidateCrossbarAnswer found = answer(query_of(8, "0.7", scheduler));
    CHECK(found.tally.judged() > 5);
    // Bounds of the inputs lie above.
    CHECK(found.tally.underestimates() == 0);
    CHECK(found.find(ComparedQuantity::delay_tail) != nullptr);
    CHECK(found.find(ComparedQuantity::mean_queueing) != nullptr);
  }
}

TEST_CASE("validate crossbar: models lie within what is claimed of them") {
  struct Case {
    std::int64_t ports;
    const char* load;
    CrossbarScheduler scheduler;
    std::optional<std::int64_t> iterations;
  };
  for (const auto& [ports, load, scheduler, iterations] :
       std::vector<Case>{{10, "0.77", CrossbarScheduler::pim, 0},
                         {20, "0.83", CrossbarScheduler::islip, 4},
                         {7, "0.66", CrossbarScheduler::greedy, {}},
                         {5, "0.52", CrossbarScheduler::fifo, {}}}) {
    CAPTURE(ports, load);
    const ValidateCrossbarAnswer found = answer(query_of(ports, load, scheduler, iterations));
    for (const ComparedRow& row : found.rows) {
      if (row.quantity == ComparedQuantity::mean_queueing)
        CHECK(std::get<Comparison<unit::Slot>>(row.compared).within(1.03));
      else if (row.probability().count.value_or(0) > 300)
        CHECK(row.probability().within(1.45));
    }
    CHECK(found.tally.rows() > 8);
  }
}

}  // namespace
}  // namespace tailbound::answers
