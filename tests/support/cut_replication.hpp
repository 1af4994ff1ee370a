#pragma once

#include <tailbound/sim/batches/replication.hpp>

#include <cstdint>

/// Runs that are split must count as whole ones do.
namespace tailbound::test {

/// Advances by `length` in five parts, the last one the longest, saved and loaded after each.
/// \param length  more than 148
void advance_in_parts(sim::Replication& replication, std::int64_t length);

void require_equal(const sim::Counts& left, const sim::Counts& right);

}  // namespace tailbound::test
