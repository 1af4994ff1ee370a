#pragma once

#include <tailbound/answers/units.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/units.hpp>

#include <string>
#include <vector>

/// --packet-bytes and --link-gbps among the inputs.
namespace tailbound::render {

[[nodiscard]] UnitScale scale_of(const answers::Units& units);
[[nodiscard]] const Fields<answers::Units>& unit_fields();

/// --hop-ns among the inputs; and "35 ns for each queue passed (wires and pipelines)".
[[nodiscard]] Column hop_column();
[[nodiscard]] std::string hop_in_words(const numeric::Rational& hop_ns);

/// The columns of `first` and what `more` has besides, each ahead of those that follow it in `more`.
[[nodiscard]] std::vector<Column> merged(std::vector<Column> first, const std::vector<Column>& more);

/// One list after the other.
template <class Entry>
[[nodiscard]] std::vector<Entry> joined(std::vector<Entry> first, const std::vector<Entry>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

}  // namespace tailbound::render
