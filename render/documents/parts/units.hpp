#pragma once

#include <tailbound/answers/units.hpp>
#include <tailbound/render/units.hpp>

#include <string>
#include <vector>

/// --packet-bytes and --link-gbps among the inputs.
namespace tailbound::render {

[[nodiscard]] UnitScale scale_of(const answers::Units& units);
[[nodiscard]] std::vector<Column> unit_columns();
[[nodiscard]] Cells unit_cells(const answers::Units& units);

/// --hop-ns among the inputs; and "35 ns for each queue passed (wires and pipelines)".
[[nodiscard]] Column hop_column();
[[nodiscard]] std::string hop_in_words(const numeric::Rational& hop_ns);

/// One list after the other.
template <class Entry>
[[nodiscard]] std::vector<Entry> joined(std::vector<Entry> first, const std::vector<Entry>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

}  // namespace tailbound::render
