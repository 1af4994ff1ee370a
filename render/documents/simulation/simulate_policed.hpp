#pragma once

#include <tailbound/answers/guarantee/simulate_policed.hpp>
#include <tailbound/render/document.hpp>

/// Observed delays and backlogs of policed flows compared with their guarantees: flow by flow and queue by
/// queue.
///
/// TESTS     tests/golden/recorded_test.cpp (simulate-policed)
namespace tailbound::render {

[[nodiscard]] Layout simulate_policed_layout();
[[nodiscard]] Document document(const answers::SimulatePolicedQuery& query,
                                answers::SimulatePolicedAnswer answer);

}  // namespace tailbound::render
